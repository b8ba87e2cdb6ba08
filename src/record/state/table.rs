//! Seats, threads, batches and turns, with their current state.

use super::memo::Memo;
use super::policy_state::PolicyState;
use super::reply::Reply;
use super::{Labels, Reserve, Spent};
use crate::model::agent::AgentContext;
use crate::model::payload::{BatchOpened, CallParameters, ThreadClosed, ThreadOpened, TurnEnded};
use crate::model::tool::ToolRun;
use crate::model::*;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A participant, also after leaving.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seat {
    /// The participant as recorded in the log.
    pub spec: Arc<Participant>,
    /// Label of the voice that it joined with; messages of any other voice show that voice.
    pub seated: Text,
    /// Error of its last turn, also after its first words; `None` after it spoke or its voice was changed.
    pub failed: Option<CallError>,
    /// Number of its turns that failed and were not repeated since.
    pub failures: u32,
    /// True if it has left the conversation.
    pub gone: bool,
    pub muted: bool,
    /// Number of ended utterances that count.
    pub utterances: u32,
    /// Number of utterances when the conversation last continued after an end; its own limits count from there.
    pub before: u32,
    /// Indices of the rehearsed lines that it has spoken, in order.
    pub lines: Vec<usize>,
    /// Usage of its ended turns.
    pub spent: Spent,
    /// True if it could not pay for its last call; until the seat or a limit is changed.
    pub broke: bool,
    /// Answer in its last utterance, if readable.
    pub answer: Option<Text>,
    /// Position in its last reply that stated one.
    pub stands: Option<PositionRecorded>,
    /// Recorded positions, in order.
    pub positions: Vec<PositionRecorded>,
    /// Number of its last replies in a row without the position that their prompts asked for.
    pub missing_lines: u32,
    /// True if its model was seen to think before it speaks.
    pub thinks: bool,
    /// Private thinking before its last spoken turn in a phase that invites it to think.
    pub own_notes: Option<Text>,
    /// Acts of its spoken turns, oldest first.
    pub acts: Vec<TurnAct>,
    /// Session of its agent as of its last reply.
    pub agent: Option<AgentContext>,
    /// Whether its model gets more tokens.
    pub widened: Widened,
}

/// Growth of a model's token limit in a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Widened {
    #[default]
    Not,
    /// A reply spent all its tokens before the first word.
    Once,
    /// So did a reply with more tokens.
    InVain,
}

impl Seat {
    /// Returns the seat of a participant who has just joined.
    pub(super) fn new(spec: Arc<Participant>) -> Seat {
        Seat { seated: spec.voice.label().into(), spec, ..Seat::default() }
    }

    /// Returns the number of utterances that count against its own limits: those since the conversation last continued
    /// after an end.
    pub fn since_reopening(&self) -> u32 {
        self.utterances.saturating_sub(self.before)
    }
}

/// A conversation inside the conversation, or the conversation itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thread {
    /// `seq` of the event that opened it.
    pub id: ThreadId,
    /// Number of threads opened before it; a position for random choices that is the same after a crash.
    pub ordinal: u64,
    /// Thread in which it was opened.
    pub parent: Option<ThreadId>,
    /// Parameters with which it was opened.
    pub spec: ThreadOpened,
    /// Seats in it, in order; a seat that joins later is at the end.
    pub seats: Vec<SeatId>,
    /// Memo of its policy.
    pub memo: Arc<Memo>,
    /// The current or latest batch, requested by policy, operator or engine.
    pub batch: Option<Batch>,
    /// The latest batch that its policy requested.
    pub asked: Option<Batch>,
    /// The last round counted by its policy, from 1; 0 before the first.
    pub round: u32,
    /// Number of ended utterances that count, including those of child threads.
    pub utterances: u32,
    /// Number of batches that its policy has requested.
    pub batches: u32,
    /// Number of decisions since the last message.
    pub idle_decisions: u32,
    /// Seats that passed since the last message.
    pub passed: Vec<SeatId>,
    /// The seat that was promised the floor, and the key of the command.
    pub floor: Option<(SeatId, Key)>,
    /// The last verdict on it, with the number of utterances at that time.
    pub verdict: Option<(VerdictGiven, u32)>,
    /// State that only its policy has.
    pub state: PolicyState,
    /// Last tool calls of its ended turns, oldest first; limited for each seat.
    pub tools_used: VecDeque<UsedTool>,
    /// Its end; `None` while it is open.
    pub closed: Option<ThreadClosed>,
}

/// A tool call of an ended turn, which its participant still sees.
#[derive(Clone, Debug, PartialEq)]
pub struct UsedTool {
    /// The seat that asked for it.
    pub by: SeatId,
    /// The turn in which it was called.
    pub turn: TurnId,
    /// The request and its result.
    pub run: ToolRun,
}

/// Seats that were granted the floor together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Position in the log, usually the horizon of its turns.
    pub id: BatchId,
    /// Parameters with which it was opened.
    pub spec: Arc<BatchOpened>,
    /// Memo of the policy that requested it.
    pub memo: Arc<Memo>,
    /// `seq` up to which its speakers see other seats. Differs from `id` if an utterance is repeated or turns are
    /// restarted.
    pub horizon: Seq,
    /// Context from replies when it was opened: its speakers do not see each other's data.
    pub context: Arc<Map<String, Value>>,
    /// Running turns with their seats.
    pub running: Vec<(TurnId, SeatId)>,
    /// Ended turns, in the order of their ends.
    pub ended: Vec<Reply>,
    /// `seq`s of the answers that restarted running turns.
    pub restarts: Vec<Seq>,
    /// State of interrupted turns whose seats will get the floor again.
    pub interrupted: BTreeMap<SeatId, Interrupted>,
}

/// State that an interrupted turn passes on, so that the next grant continues it.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupted {
    /// Number of the utterance, which the next grant keeps.
    pub number: Option<u32>,
    /// Notes bound to it.
    pub notes: Vec<Seq>,
    /// True if the operator stopped it before its first word, or paused before a crash let it speak again. It then
    /// speaks as soon as it may, after the operator.
    pub by_hand: bool,
    /// Tool requests and their results, so that no tool is called twice.
    pub tools: Vec<ToolRound>,
    /// `seq` of its first call, whose view of operator messages is reproduced.
    pub first_call: Option<Seq>,
}

impl Batch {
    /// Returns whether the policy requested it, or it is the turn that the policy had next when the operator gave the
    /// floor.
    pub fn is_policys(&self) -> bool {
        let BatchOpened { requester, purpose, memo, .. } = &*self.spec;
        match requester {
            Requester::Policy => true,
            Requester::Operator => *purpose == Purpose::Speak && !memo.is_null(),
            Requester::Engine => false,
        }
    }

    /// Returns the seats whose turn in the batch has neither ended nor started, in order.
    pub fn owed(&self) -> impl Iterator<Item = &SeatId> {
        self.spec.seats.iter().filter(|s| {
            !self.ended.iter().any(|r| r.seat == **s) && !self.running.iter().any(|(_, r)| r == *s)
        })
    }
}

/// A running grant of the floor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// `seq` of the grant.
    pub id: TurnId,
    /// The thread that it belongs to.
    pub thread: ThreadId,
    /// Its batch, once it is granted.
    pub batch: Option<BatchId>,
    /// The seat that has the floor.
    pub seat: SeatId,
    pub purpose: Purpose,
    /// Number of the utterance.
    pub number: Option<u32>,
    /// `seq` up to which it sees other seats.
    pub horizon: Seq,
    pub summarises: Option<SummaryTask>,
    /// `seq` up to which its first call sees operator messages, if a crash made it speak again.
    pub first_call: Option<Seq>,
    /// The turn whose utterance it repeats.
    pub replaces: Option<TurnId>,
    /// Text of that utterance, if the turn continues it.
    pub part: Option<Text>,
    /// `seq` of that utterance, if others have spoken since: the turn sees nothing from there on.
    pub before: Option<Seq>,
    /// Notes bound to it.
    pub notes: Vec<Seq>,
    /// The act that its prompt asks for.
    pub act: Option<TurnAct>,
    /// Time of the grant, on the session's clock.
    pub granted: Ms,
    /// Key of the command that skips it before its first word.
    pub skip: Option<Key>,
    /// The running call; `None` before the first call and between calls.
    pub call: Option<CallId>,
    /// Number of calls so far.
    pub calls: u32,
    /// Number of calls that were retries under the failure rule.
    pub retries: u32,
    /// Number of calls of the current model.
    pub tries: u32,
    /// Milliseconds of waiting between calls.
    pub waited: u64,
    /// True if a server rejected its prompt as too long, so that the next prompt is shorter.
    pub shrunk: bool,
    /// Blocks that the prompt of the running call lacks or has without their middle.
    pub left_out: u32,
    /// Number of replies that did not match the contract's form.
    pub corrections: u32,
    /// The last rejected reply.
    pub rejected: Option<Rejected>,
    /// True if a reply only repeated earlier messages.
    pub echoed: bool,
    /// Start time of the running call, on the session's clock.
    pub since: Ms,
    /// `seq` up to which the running call sees operator messages.
    pub heard: Seq,
    /// Name of the model that is called.
    pub model: Text,
    pub parameters: CallParameters,
    /// Labels that it sees instead of names.
    pub labels: Labels,
    /// Maximum usage of the running or next call.
    pub reserve: Reserve,
    /// Usage of earlier calls of this turn.
    pub spent: Spent,
    /// Time of the next call, after one failed.
    pub retry_at: Option<Ms>,
    /// Milliseconds to the first piece of the call.
    pub first_piece: Option<u64>,
    /// Time of the last piece in the log.
    pub last_piece: Option<Ms>,
    /// Text so far, as in the log.
    pub said: String,
    /// Reasoning so far, as in the log.
    pub thought: String,
    /// Tool requests, one round for each call that ended with requests.
    pub tools: Vec<ToolRound>,
    /// Permission requests by the agent of the running call.
    pub permissions: Vec<Permission>,
    /// Time at which the agent last did something other than speak, or last got an answer.
    pub active: Option<Ms>,
    /// Milliseconds for which its call waited for permissions.
    pub held: u64,
}

impl Turn {
    /// Returns a new turn whose horizon is the grant itself.
    pub fn granted(seq: Seq, ms: Ms, thread: ThreadId, seat: SeatId, purpose: Purpose) -> Turn {
        Turn {
            id: TurnId(seq.0),
            thread,
            seat,
            purpose,
            horizon: seq,
            granted: ms,
            since: ms,
            heard: seq,
            ..Turn::default()
        }
    }

    /// Returns an end of the turn with an outcome and no other data.
    pub fn ended(&self, now: Ms, outcome: Outcome) -> TurnEnded {
        TurnEnded {
            turn: self.id,
            call: self.call,
            purpose: self.purpose,
            number: self.number,
            outcome,
            act: self.act.clone(),
            first_piece_ms: self.first_piece,
            took_ms: now.since(if self.call.is_some() { self.since } else { self.granted }),
            ..TurnEnded::default()
        }
    }

    /// Returns true if its speaker refers to other turns by their numbers.
    pub fn refers_to_turns(&self) -> bool {
        matches!(self.purpose, Purpose::Judge | Purpose::Result)
    }

    /// Returns whether the turn makes an utterance.
    pub fn speaks(&self) -> bool {
        self.purpose == Purpose::Speak
    }
}

/// The last speaking turn that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTurn {
    /// `seq` of its `floor.granted`.
    pub turn: TurnId,
    pub thread: ThreadId,
    /// The seat that spoke.
    pub seat: SeatId,
    /// Number of the utterance, from 1.
    pub number: Option<u32>,
    /// `seq` up to which it saw other seats.
    pub horizon: Seq,
}
