//! Seats, threads, batches and turns as they stand.

use super::moves::AnswerMove;
use super::planned::Plan;
use super::tools::UsedTool;
use super::{Labels, Reserve, Spent};
use crate::model::payload::{BatchOpened, CallParameters, ThreadClosed, ThreadOpened, TurnEnded};
use crate::model::*;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// A participant, also after leaving.
#[derive(Clone, Debug, PartialEq)]
pub struct Seat {
    /// What the log says of it.
    pub spec: Arc<Participant>,
    /// The label of the voice that it was seated with: any other voice is named where it speaks.
    pub seated: Text,
    /// Why its last turn failed; none once it spoke, or its voice was changed.
    pub failed: Option<CallError>,
    /// Whether it has left the table.
    pub gone: bool,
    /// Whether it is passed over.
    pub muted: bool,
    /// Ended utterances that count.
    pub utterances: u32,
    /// Its utterances when an end was last passed: its own limits count from there.
    pub before: u32,
    /// The rehearsed lines it has spoken, in order.
    pub lines: Vec<usize>,
    /// What its turns that are over have used.
    pub spent: Spent,
    /// Whether it could not pay for its last call; until it or a limit is changed.
    pub broke: bool,
    /// What its last utterance answers, where that can be read.
    pub answer: Option<Text>,
    /// The position in the last of its replies that stated one.
    pub stands: Option<StanceRecorded>,
    /// Where it stood over time, as recorded.
    pub stances: Vec<StanceRecorded>,
    /// Whether its model was seen to think before it speaks.
    pub thinks: bool,
    /// How often its replies got four times as many tokens, because all were spent before a word.
    pub widened: u32,
}

impl Seat {
    /// Returns how many ended utterances count against its own limits: those since an end was last passed.
    pub fn since_reopening(&self) -> u32 {
        self.utterances.saturating_sub(self.before)
    }
}

/// A conversation inside the conversation, or the conversation itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    /// The `seq` of the event that opened it.
    pub id: ThreadId,
    /// How many threads were opened before it: its place for dice, the same after a crash.
    pub ordinal: u64,
    /// The thread it was opened in.
    pub parent: Option<ThreadId>,
    /// What it was opened with.
    pub spec: ThreadOpened,
    /// The seats in it, in order; a seat that joined later is at the end.
    pub seats: Vec<SeatId>,
    /// All that its policy remembers.
    pub memo: Value,
    /// The current or latest batch, whoever requested it.
    pub batch: Option<Batch>,
    /// The latest batch that its policy requested.
    pub asked: Option<Batch>,
    /// The round its policy counted last, from 1; 0 before the first.
    pub round: u32,
    /// Ended utterances that count, its children's included.
    pub utterances: u32,
    /// How many batches its policy has requested.
    pub batches: u32,
    /// Every turn to speak that is over, where seats depend on one another: their result is made of them.
    pub runs: Vec<PastTurn>,
    /// The length of `runs` when an end was last passed.
    pub runs_before: usize,
    /// Decisions since the last words.
    pub idle_decisions: u32,
    /// Seats that passed since the last words.
    pub passed: Vec<SeatId>,
    /// Who was given the floor next, by which command.
    pub floor: Option<(SeatId, Key)>,
    /// The last verdict on it, and how many utterances there were then.
    pub verdict: Option<(VerdictGiven, u32)>,
    /// What was done, where it looks for one answer.
    pub moves: Vec<AnswerMove>,
    /// The last tool calls of its ended turns, oldest first; a few for each seat.
    pub tools_used: VecDeque<UsedTool>,
    /// The plan that is carried out in it, once there is one.
    pub plan: Option<Box<Plan>>,
    /// The log position up to which its planner has read the operator's words.
    pub heard: Seq,
    /// How it ended; none while it is open.
    pub closed: Option<ThreadClosed>,
}

/// The seats granted at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Its place: the horizon of all who speak in it.
    pub id: BatchId,
    /// What it was opened with.
    pub spec: Arc<BatchOpened>,
    /// What its speakers see of their peers: up to here. Differs from `id` where an utterance is spoken again.
    pub horizon: Seq,
    /// The context from replies when it was opened: its speakers do not see each other's data.
    pub context: Arc<Map<String, Value>>,
    /// The turns in progress, with their seats.
    pub running: Vec<(TurnId, SeatId)>,
    /// The turns that are over, in the order of their ends.
    pub ended: Vec<Reply>,
    /// The answers that made those who still worked begin again, by their places.
    pub restarts: Vec<Seq>,
    /// What a crash took from seats that are owed their turn again.
    pub interrupted: BTreeMap<SeatId, Interrupted>,
}

/// A turn that is over, and when it was.
#[derive(Clone, Debug, PartialEq)]
pub struct PastTurn {
    /// Which batch of its thread it belonged to, from 1.
    pub batch: u32,
    /// Its outcome and its words.
    pub reply: Reply,
    /// What was wrong, if it failed.
    pub error: Option<Text>,
    /// When the floor was granted, on the session's clock.
    pub started: Ms,
    /// Milliseconds from then to its end.
    pub took_ms: u64,
}

/// How a turn of a batch ended, for the policy that asked for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The `seq` of its `floor.granted`.
    pub turn: TurnId,
    /// The seat that had the floor.
    pub seat: SeatId,
    /// Said, cut, failed or passed.
    pub outcome: Outcome,
    /// The reply's text; empty where there was none.
    pub text: Text,
    /// The reply as data; null where the contract asks for none.
    pub structured: Value,
    /// Tokens of the reply, where the voice reported them.
    pub tokens: Option<u64>,
}

/// What a turn that a crash cut gives back, so that the next grant is the same grant.
#[derive(Clone, Debug, PartialEq)]
pub struct Interrupted {
    /// The utterance's number, which the next grant takes over.
    pub number: Option<u32>,
    /// The notes bound to it.
    pub notes: Vec<Seq>,
    /// Whether the operator stopped it before its first word, so that it speaks as soon as it may, and hears them first.
    pub by_hand: bool,
    /// The requests to its tools and their results: no tool is asked twice.
    pub tools: Vec<ToolRound>,
    /// Where its first call stood: what its first call saw of the operator's words is seen again.
    pub first_call: Option<Seq>,
}

impl Batch {
    /// Returns the seats that were promised a turn and have neither had it nor hold it now, in order.
    pub fn owed(&self) -> impl Iterator<Item = &SeatId> {
        self.spec.seats.iter().filter(|s| {
            !self.ended.iter().any(|r| r.seat == **s) && !self.running.iter().any(|(_, r)| r == *s)
        })
    }
}

/// One grant of the floor that runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The `seq` of the grant.
    pub id: TurnId,
    /// The thread that it belongs to.
    pub thread: ThreadId,
    /// In which batch of it, once it is granted.
    pub batch: Option<BatchId>,
    /// The seat that has the floor.
    pub seat: SeatId,
    /// What the seat is asked for.
    pub purpose: Purpose,
    /// The number of the utterance.
    pub number: Option<u32>,
    /// What it sees of its peers: up to here.
    pub horizon: Seq,
    /// What it sums up, if it does.
    pub summarises: Option<SummaryTask>,
    /// What its first call sees of the operator: up to here, where a crash made it speak again.
    pub first_call: Option<Seq>,
    /// The turn whose utterance it speaks again.
    pub replaces: Option<TurnId>,
    /// The text of that utterance, where the turn continues it.
    pub part: Option<Text>,
    /// The place of that utterance, if others have spoken since: the turn sees nothing from there on.
    pub before: Option<Seq>,
    /// The notes bound to it.
    pub notes: Vec<Seq>,
    /// When the floor was granted, on the session's clock.
    pub granted: Ms,
    /// The key of the command that skips it before its first word.
    pub skip: Option<Key>,
    /// The call in flight; none before the first and between two.
    pub call: Option<CallId>,
    /// How many calls it has had.
    pub calls: u32,
    /// How many of them were retries under the failure rule.
    pub retries: u32,
    /// How many calls the model that speaks now has had.
    pub tries: u32,
    /// Milliseconds it has waited between them.
    pub waited: u64,
    /// Whether a server said that its prompt was too long, so that the next one is shorter.
    pub shrunk: bool,
    /// How many of its replies did not have the form that the contract asks for.
    pub corrections: u32,
    /// The last of those replies.
    pub rejected: Option<Rejected>,
    /// Whether a call of it was given more tokens, because all were spent before a word.
    pub widened: bool,
    /// Whether a reply of it said only what was said already.
    pub echoed: bool,
    /// When the call in flight started, on the session's clock.
    pub since: Ms,
    /// What the call that runs sees of the operator: up to here.
    pub heard: Seq,
    /// Who is really asked by it.
    pub model: Text,
    /// With what the call was started.
    pub parameters: CallParameters,
    /// The labels that it sees instead of names.
    pub labels: Labels,
    /// What the call that runs, or the next one, may use at most.
    pub reserve: Reserve,
    /// What earlier calls of this turn have used.
    pub spent: Spent,
    /// When the next call is due, after one failed.
    pub retry_at: Option<Ms>,
    /// Milliseconds to the first piece of the call.
    pub first_piece: Option<u64>,
    /// When the last sealed piece came.
    pub last_piece: Option<Ms>,
    /// The words so far, as sealed.
    pub said: String,
    /// The reasoning so far, as sealed.
    pub thought: String,
    /// What its tools were asked for, a round for each call that ended so.
    pub tools: Vec<ToolRound>,
    /// What the agent of its running call asked leave for.
    pub permissions: Vec<Permission>,
    /// When the agent last did something other than speak, or was last answered.
    pub active: Option<Ms>,
    /// Milliseconds for which its call waited for leave.
    pub held: u64,
}

impl Turn {
    /// Returns a turn that has just been granted, seeing everything that is there.
    pub fn granted(seq: Seq, ms: Ms, thread: ThreadId, seat: SeatId, purpose: Purpose) -> Turn {
        Turn {
            id: TurnId(seq.0),
            thread,
            batch: None,
            seat,
            purpose,
            number: None,
            horizon: seq,
            summarises: None,
            first_call: None,
            replaces: None,
            part: None,
            before: None,
            notes: vec![],
            granted: ms,
            skip: None,
            call: None,
            calls: 0,
            retries: 0,
            tries: 0,
            waited: 0,
            shrunk: false,
            corrections: 0,
            rejected: None,
            widened: false,
            echoed: false,
            since: ms,
            heard: seq,
            model: "".into(),
            parameters: CallParameters::default(),
            labels: Labels::new(),
            reserve: Reserve::default(),
            spent: Spent::default(),
            retry_at: None,
            first_piece: None,
            last_piece: None,
            said: String::new(),
            thought: String::new(),
            tools: vec![],
            permissions: vec![],
            active: None,
            held: 0,
        }
    }

    /// Returns an end of it with an outcome and nothing else.
    pub fn ended(&self, now: Ms, outcome: Outcome) -> TurnEnded {
        TurnEnded {
            turn: self.id,
            call: self.call,
            purpose: self.purpose,
            number: self.number,
            outcome,
            text: "".into(),
            whispers: vec![],
            raw: None,
            think: None,
            message: None,
            structured: Value::Null,
            mentions: vec![],
            why: None,
            error: None,
            finish: None,
            skipped: 0,
            usage: None,
            cost: None,
            first_piece_ms: self.first_piece,
            took_ms: now.since(if self.call.is_some() { self.since } else { self.granted }),
        }
    }

    /// Returns whether it makes an utterance.
    pub fn speaks(&self) -> bool {
        self.purpose == Purpose::Speak
    }
}

/// The last speaking turn that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTurn {
    /// The `seq` of its `floor.granted`.
    pub turn: TurnId,
    /// The thread that it belonged to.
    pub thread: ThreadId,
    /// The seat that spoke.
    pub seat: SeatId,
    /// The utterance's number, from 1.
    pub number: Option<u32>,
    /// What it saw of its peers.
    pub horizon: Seq,
}
