//! The event: a fact in the log, and the closed list of its kinds.

use super::agent::{AgentPlan, AgentTool, PermissionAnswered, PermissionAsked};
use super::ballot::{VerdictGiven, VoteClosed};
use super::ids::{Key, Ms, Seq, Text, ThreadId, TurnId, Wall};
use super::payload::*;
use super::plan::{PlanEnded, PlanMade, SeatJoined, SeatLeft, StepEnded};
use super::position::PositionRecorded;
use super::profile::{ProfileUpdated, RankingMade, StageEntered};
use super::result::ResultGiven;
use super::steering::CommandGiven;
use super::tool::{ToolAsked, ToolCalled, ToolReturned};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A fact in the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number in the log, from 0, without gaps.
    pub seq: Seq,
    /// Wall-clock time; for information only.
    pub at: Wall,
    /// Time on the session's clock.
    pub ms: Ms,
    /// Its thread; [`ThreadId::ROOT`] for the whole conversation.
    pub thread: ThreadId,
    /// Author of the text or command: a participant's id, `operator` or `engine`. Set by the transport, never by
    /// content.
    pub by: Text,
    /// Key of the command that caused it, if any.
    pub cause: Option<Key>,
    /// Kind of the event, with its data.
    pub kind: Kind,
}

/// First bytes of a session file: the number of its first event.
pub const SESSION_START: &[u8] = b"{\"seq\":0,";
/// Author of events decided by the engine.
pub const ENGINE: &str = "engine";
/// Author of the operator's commands.
pub const OPERATOR: &str = "operator";

/// An event without a position, as returned by `react` and `advance`; the engine adds `seq`, `at` and `ms`.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// Its thread; [`ThreadId::ROOT`] for the whole conversation.
    pub thread: ThreadId,
    /// Author of the text or command: a participant's id, `operator` or `engine`.
    pub by: Text,
    /// Key of the command that caused it, if any.
    pub cause: Option<Key>,
    /// Kind of the event, with its data.
    pub kind: Kind,
}

/// Returns a draft without a cause.
pub fn draft(thread: ThreadId, by: &str, kind: Kind) -> Draft {
    Draft { thread, by: by.into(), cause: None, kind }
}

impl Draft {
    /// Returns the draft with its causing command.
    pub fn because(mut self, key: &Key) -> Draft {
        self.cause = Some(key.clone());
        self
    }

    /// Returns the event of the draft at a position in the log.
    pub fn into_event(self, seq: Seq, at: Wall, ms: Ms) -> Event {
        let Draft { thread, by, cause, kind } = self;
        Event { seq, at, ms, thread, by, cause, kind }
    }
}

/// An event kind of a later version: kept byte for byte, counted, and shown as unsupported.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Name of the kind in the file.
    pub kind: Text,
    /// Data as in the file.
    pub data: Box<RawValue>,
}

impl PartialEq for Unknown {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.data.get() == other.data.get()
    }
}

/// Schema of one kind of event, with its spelling and description.
pub(super) struct KindSchema {
    pub(super) name: &'static str,
    pub(super) meaning: &'static str,
    pub(super) data: Schema,
}

/// Defines the enum, its names and its parser, so that a kind is one line.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:literal => $variant:ident($payload:ty),)*) => {
        /// The kinds of events, each with its data.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Kind {
            $($(#[doc = $doc])* $variant($payload),)*
            /// A kind of a later version.
            Unknown(Unknown),
        }

        impl Kind {
            /// Names of all known kinds in the file.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Returns the name of the kind in the file.
            pub fn name(&self) -> &str {
                match self {
                    $(Kind::$variant(_) => $name,)*
                    Kind::Unknown(u) => &u.kind,
                }
            }

            /// Returns the data as JSON.
            ///
            /// # Errors
            /// If serde_json cannot serialise a value, which plain data never causes.
            pub fn data(&self) -> serde_json::Result<String> {
                match self {
                    $(Kind::$variant(p) => serde_json::to_string(p),)*
                    Kind::Unknown(u) => Ok(u.data.get().to_owned()),
                }
            }

            /// Returns the schema of each kind; shared types become definitions of the generator.
            pub(super) fn schemas(generator: &mut SchemaGenerator) -> Vec<KindSchema> {
                vec![$(KindSchema {
                    name: $name,
                    meaning: concat!($($doc),*),
                    data: <$payload>::json_schema(generator),
                }),*]
            }

            /// Parses a kind; an unknown name is kept as it is.
            ///
            /// # Errors
            /// If the data does not have the form of its kind.
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
    /// Returns the turn whose pieces an event makes obsolete, and whether a fold of the whole log still needs them.
    /// `turn.ended` repeats the text, so its pieces are not needed. They are needed before a retry, because they are
    /// the basis of its cost estimate, and before tool requests, because no event repeats that text.
    pub fn settles_pieces(&self) -> Option<(TurnId, bool)> {
        match self {
            Kind::TurnEnded(end) => Some((end.turn, false)),
            Kind::CallRetried(retried) => Some((retried.turn, true)),
            Kind::ToolAsked(asked) => Some((asked.turn, true)),
            _ => None,
        }
    }
}

/// `limit.near`: a limit has reached 80 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct LimitNear(pub LimitAt);

/// `limit.reached`: nothing new is granted until the limit is raised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct LimitReached(pub LimitAt);

kinds! {
    /// The conversation starts, with its full configuration.
    "conversation.opened" => Opened(Box<Opened>),
    /// The title changed.
    "conversation.renamed" => Renamed(Renamed),
    /// The session is resumed.
    "conversation.reopened" => Reopened(Reopened),
    /// The lines before this one come from the parent session.
    "conversation.forked" => Forked(Forked),
    /// The conversation has ended; it can be extended or resumed.
    "conversation.ended" => Ended(Ended),
    /// A thread (a conversation inside the conversation) begins.
    "thread.opened" => ThreadOpened(Box<ThreadOpened>),
    /// A thread has ended.
    "thread.closed" => ThreadClosed(ThreadClosed),
    /// A command of the operator: the steering line with its key and targets.
    "command.given" => CommandGiven(std::sync::Arc<CommandGiven>),
    /// A steering line that was refused.
    "command.refused" => CommandRefused(CommandRefused),
    /// A participant joins: created by the engine for a step of a plan, or added by the operator's command (`cause`).
    "seat.joined" => SeatJoined(Box<SeatJoined>),
    /// A participant leaves: removed by the engine or by the operator's command (`cause`).
    "seat.left" => SeatLeft(SeatLeft),
    /// The planner makes a plan, or replaces it.
    "plan.made" => PlanMade(PlanMade),
    /// A step of the plan is over. The `about` of its thread.opened has its number.
    "step.ended" => StepEnded(StepEnded),
    /// The plan is over.
    "plan.ended" => PlanEnded(PlanEnded),
    /// One decision about who speaks.
    "batch.opened" => BatchOpened(std::sync::Arc<BatchOpened>),
    /// A turn begins.
    "floor.granted" => FloorGranted(FloorGranted),
    /// A call to a voice begins.
    "call.started" => CallStarted(CallStarted),
    /// A call failed and is retried in the same turn.
    "call.retried" => CallRetried(CallRetried),
    /// A call ended with tool requests; the next call of the same turn follows once all results are in.
    "tool.asked" => ToolAsked(ToolAsked),
    /// A tool is called. It runs after this event is written, and at most once.
    "tool.called" => ToolCalled(ToolCalled),
    /// A tool returned a result, or was not run.
    "tool.returned" => ToolReturned(ToolReturned),
    /// A request was changed because its server refused a part of it.
    "model.adapted" => ModelAdapted(ModelAdapted),
    /// An agent used a tool of its own.
    "agent.tool" => AgentTool(AgentTool),
    /// The plan of an agent.
    "agent.plan" => AgentPlan(AgentPlan),
    /// An agent asks for permission; its call waits for the answer.
    "permission.asked" => PermissionAsked(PermissionAsked),
    /// The answer to an agent's request.
    "permission.answered" => PermissionAnswered(PermissionAnswered),
    /// Pieces of text from all streams, in order of arrival.
    "delta" => Delta(Delta),
    /// A turn is over.
    "turn.ended" => TurnEnded(Box<TurnEnded>),
    /// The place of the operator's words in the transcript.
    "human.said" => HumanSaid(HumanSaid),
    /// The outcome of a command.
    "receipt" => Receipt(Receipt),
    /// The conversation is paused.
    "paused" => Paused(Paused),
    /// The conversation is resumed after a pause.
    "resumed" => Resumed(Resumed),
    /// A limit has reached 80 %.
    "limit.near" => LimitNear(LimitNear),
    /// A limit has been reached.
    "limit.reached" => LimitReached(LimitReached),
    /// A secret vote has closed.
    "vote.closed" => VoteClosed(VoteClosed),
    /// A participant stated another position than before in a structured reply.
    "stance.recorded" => PositionRecorded(PositionRecorded),
    /// The known facts about the person changed.
    "profile.updated" => ProfileUpdated(ProfileUpdated),
    /// The stage changed, or a reply claims a stage that does not apply.
    "stage.entered" => StageEntered(StageEntered),
    /// The catalogue was ranked.
    "ranking.made" => RankingMade(RankingMade),
    /// The judges gave a verdict on the conversation or a phase.
    "verdict.given" => VerdictGiven(VerdictGiven),
    /// The result of the conversation, before its end.
    "result.given" => ResultGiven(ResultGiven),
    /// A message for the operator.
    "warning" => Warning(Warning),
    /// An incomplete last line was moved to another file.
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
