//! The event: a fact in the log, and the one closed list of its kinds.

use super::agent::{AgentPlan, AgentTool, PermissionAnswered, PermissionAsked};
use super::ballot::{StanceRecorded, VerdictGiven, VoteClosed};
use super::ids::{Key, Ms, Seq, Text, ThreadId, TurnId, Wall};
use super::payload::*;
use super::plan::{PlanEnded, PlanMade, SeatJoined, SeatLeft, StepEnded};
use super::profile::{ProfileUpdated, RankingMade, StageEntered};
use super::steering::CommandGiven;
use super::tool::{ToolAsked, ToolCalled, ToolReturned};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A fact in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number in the log, from 0, without gaps.
    pub seq: Seq,
    /// The wall-clock time; for information only.
    pub at: Wall,
    /// When, on the session's own clock.
    pub ms: Ms,
    /// The thread that it belongs to; [`ThreadId::ROOT`] for the whole conversation.
    pub thread: ThreadId,
    /// The author of the words or the command: a seat's id, `operator` or `engine`. Set by the transport, never by
    /// content.
    pub by: Text,
    /// The key of the command that caused it; none where no command did.
    pub cause: Option<Key>,
    /// The kind of the event, with its data.
    pub kind: Kind,
}

/// The source of events that the engine itself decides.
pub const ENGINE: &str = "engine";
/// The source of events that are the commands of the operator.
pub const OPERATOR: &str = "operator";

/// An event without its place: what `react` and `advance` return; the engine gives it `seq`, `at` and `ms`.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The thread that it belongs to; [`ThreadId::ROOT`] for the whole conversation.
    pub thread: ThreadId,
    /// The author of the words or the command: a seat's id, `operator` or `engine`.
    pub by: Text,
    /// The key of the command that caused it; none where no command did.
    pub cause: Option<Key>,
    /// The kind of the event, with its data.
    pub kind: Kind,
}

/// Returns a draft without a cause.
pub fn draft(thread: ThreadId, by: &str, kind: Kind) -> Draft {
    Draft { thread, by: by.into(), cause: None, kind }
}

impl Draft {
    /// Returns the draft as caused by a command.
    pub fn because(mut self, key: &Key) -> Draft {
        self.cause = Some(key.clone());
        self
    }
}

/// An event kind of a later version: kept byte for byte, counted, and shown as unsupported.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The kind's name in the file.
    pub kind: Text,
    /// Its data as it stood in the file.
    pub data: Box<RawValue>,
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.data.get() == other.data.get()
    }
}

/// One table for the enum, its spelling and its reading, so that a kind is added in one line.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:literal => $variant:ident($payload:ty),)*) => {
        /// The kinds of events, each with its data.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind {
            $($(#[$doc])* $variant($payload),)*
            /// A kind this version does not know.
            Unknown(Unknown),
        }

        impl Kind {
            /// Every kind this version knows, as spelled in the file.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the spelling of the kind.
            pub fn name(&self) -> &str {
                match self {
                    $(Kind::$variant(_) => $name,)*
                    Kind::Unknown(u) => &u.kind,
                }
            }

            /// Returns the data as JSON.
            ///
            /// # Errors
            /// When serde_json cannot write a value, which plain data never causes.
            pub fn data(&self) -> serde_json::Result<String> {
                match self {
                    $(Kind::$variant(p) => serde_json::to_string(p),)*
                    Kind::Unknown(u) => Ok(u.data.get().to_owned()),
                }
            }

            /// Reads a kind; a name that this version does not know is kept as it is.
            ///
            /// # Errors
            /// When the data of a known kind does not have its shape.
            pub fn read(name: &str, data: &RawValue) -> serde_json::Result<Kind> {
                match name {
                    $($name => serde_json::from_str::<$payload>(data.get()).map(Kind::$variant),)*
                    _ => Ok(Kind::Unknown(Unknown { kind: name.into(), data: data.to_owned() })),
                }
            }
        }
        $(impl From<$payload> for Kind {
            fn from(p: $payload) -> Kind {
                Kind::$variant(p)
            }
        })*
    };
}

impl Kind {
    /// Returns the turn that an event says this of, and whether a fold of the whole log needs its pieces. Once a turn has
    /// ended it does not, because the end repeats its words. It does where the reply was asked for again, because the cost
    /// of the first one is estimated from the pieces, and where tools were asked for: no end repeats the words before.
    pub fn settles_pieces(&self) -> Option<(TurnId, bool)> {
        match self {
            Kind::TurnEnded(end) => Some((end.turn, false)),
            Kind::CallRetried(retried) => Some((retried.turn, true)),
            Kind::ToolAsked(asked) => Some((asked.turn, true)),
            _ => None,
        }
    }
}

/// `limit.near`: a limit has reached its warning mark.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitNear(pub LimitAt);

/// `limit.reached`: nothing new is granted until the limit is raised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LimitReached(pub LimitAt);

kinds! {
    /// All that the conversation is made of.
    "conversation.opened" => Opened(Box<Opened>),
    /// The session got another title.
    "conversation.renamed" => Renamed(Renamed),
    /// A session is resumed.
    "conversation.reopened" => Reopened(Reopened),
    /// The lines before this one are another session's.
    "conversation.forked" => Forked(Forked),
    /// The conversation is over, until it is raised or resumed.
    "conversation.ended" => Ended(Ended),
    /// A conversation inside the conversation begins.
    "thread.opened" => ThreadOpened(Box<ThreadOpened>),
    /// A thread is over.
    "thread.closed" => ThreadClosed(ThreadClosed),
    /// A command of the operator.
    "command.given" => CommandGiven(std::sync::Arc<CommandGiven>),
    /// A steering line that could not be carried out.
    "command.refused" => CommandRefused(CommandRefused),
    /// The engine seats a participant that it made.
    "seat.joined" => SeatJoined(Box<SeatJoined>),
    /// The engine removes a participant.
    "seat.left" => SeatLeft(SeatLeft),
    /// The planner makes a plan, or replaces it.
    "plan.made" => PlanMade(PlanMade),
    /// A step of the plan is over.
    "step.ended" => StepEnded(StepEnded),
    /// The plan is over.
    "plan.ended" => PlanEnded(PlanEnded),
    /// One decision about who speaks.
    "batch.opened" => BatchOpened(std::sync::Arc<BatchOpened>),
    /// A turn begins: its seat gets the floor.
    "floor.granted" => FloorGranted(FloorGranted),
    /// A voice is called.
    "call.started" => CallStarted(CallStarted),
    /// A call failed; another one of the same turn follows.
    "call.retried" => CallRetried(CallRetried),
    /// A call ended with requests for tools; another one of the same turn follows when they are back.
    "tool.asked" => ToolAsked(ToolAsked),
    /// A tool is called.
    "tool.called" => ToolCalled(ToolCalled),
    /// A tool came back, or was not asked.
    "tool.returned" => ToolReturned(ToolReturned),
    /// An agent used a tool of its own.
    "agent.tool" => AgentTool(AgentTool),
    /// The agent's plan.
    "agent.plan" => AgentPlan(AgentPlan),
    /// An agent asks leave; its call waits.
    "permission.asked" => PermissionAsked(PermissionAsked),
    /// An agent's request for permission is answered.
    "permission.answered" => PermissionAnswered(PermissionAnswered),
    /// Pieces, sealed together.
    "delta" => Delta(Delta),
    /// A turn is over.
    "turn.ended" => TurnEnded(Box<TurnEnded>),
    /// The place of the operator's words in the transcript.
    "human.said" => HumanSaid(HumanSaid),
    /// The outcome of a command.
    "receipt" => Receipt(Receipt),
    /// No turn starts from here on.
    "paused" => Paused(Paused),
    /// Turns start again after a pause.
    "resumed" => Resumed(Resumed),
    /// A limit has reached its warning mark.
    "limit.near" => LimitNear(LimitNear),
    /// A limit was reached.
    "limit.reached" => LimitReached(LimitReached),
    /// A vote is counted, after all have voted.
    "vote.closed" => VoteClosed(VoteClosed),
    /// A participant changed its position.
    "stance.recorded" => StanceRecorded(StanceRecorded),
    /// The profile has other facts than before.
    "profile.updated" => ProfileUpdated(ProfileUpdated),
    /// The conversation enters another stage.
    "stage.entered" => StageEntered(StageEntered),
    /// The items of the catalogue were ranked.
    "ranking.made" => RankingMade(RankingMade),
    /// The judges' verdict on a conversation or a phase.
    "verdict.given" => VerdictGiven(VerdictGiven),
    /// Something that the operator should know.
    "warning" => Warning(Warning),
    /// A torn tail was set aside.
    "log.repaired" => LogRepaired(LogRepaired),
}

impl From<ThreadOpened> for Kind {
    fn from(thread: ThreadOpened) -> Kind {
        Kind::ThreadOpened(thread.into())
    }
}

impl From<BatchOpened> for Kind {
    fn from(batch: BatchOpened) -> Kind {
        Kind::BatchOpened(batch.into())
    }
}
