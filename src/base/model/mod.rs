//! The vocabulary: ids, events, commands, participants, prompts. Plain data with serde.
//!
//! Every type that crosses a module boundary is defined here once, so that modules need not know each other. No I/O, no
//! clock, and no behaviour besides serialisation.
#![warn(missing_docs)]

pub mod act;
pub mod addressed;
pub mod agent;
pub mod answer;
pub mod ballot;
mod canonical;
pub mod command;
pub mod contract;
pub mod event;
pub mod facts;
pub mod failure;
pub mod http;
pub mod ids;
pub mod language_model;
mod limit_at;
pub mod limits;
pub mod money;
pub mod name;
pub mod near;
pub mod participant;
pub mod payload;
pub mod piece;
pub mod plan;
pub mod position;
pub mod profile;
pub mod prompt;
pub mod rate;
pub mod reason;
pub mod result;
pub mod schema;
pub mod secret;
pub mod sentence;
pub mod shows;
pub mod steering;
pub mod task;
pub mod tool;
pub mod turn;
pub mod turn_ended;
mod voice;
pub mod wire;

pub use act::{ActKind, TurnAct};
pub use addressed::{Addressed, QueuedWords, Recipient, Reveal};
pub use agent::{AgentSpec, Permission};
pub use answer::{
    Aggregation, AnswerKind, AnswerTie, CountedAnswer, FoundAnswer, TrajectoryScores,
};
pub use ballot::{Ballot, Judgement, PollTime, VerdictGiven, VoteClosed};
pub use command::{Command, Targets};
pub use contract::{Contract, Form};
pub use event::{Draft, Event, Kind, SESSION_START, draft};
pub use failure::{CallError, ErrorClass};
pub use http::{HttpSpec, ReplyAt, SessionFrom};
pub use ids::{BatchId, CallId, Key, MessageNumber, Ms, SeatId, Seq, Text, ThreadId, TurnId, Wall};
pub use language_model::{Fallback, ModelSpec, PROGRAM, is_served};
pub use limits::{Limit, Limits};
pub use money::{Price, Usd};
pub use name::NameFault;
pub use participant::{
    After, Budget, FailureRule, Goal, GoalOutcome, Line, Needs, Participant, Runs, SEATS_MAX,
    TEAM_DEPTH, TeamSpec, Then, Timeouts, VoiceSpec,
};
pub use piece::{Channel, Piece};
pub use plan::{
    MessageKind, PlanEnded, PlanMade, SeatJoined, SeatLeft, StepEnded, StepSpec, StepState,
};
pub use position::{POLE_MAX, PositionRecorded};
pub use profile::{
    FactChanged, ProfileUpdated, RankedBecause, RankedItem, RankingMade, StageEntered, UnknownField,
};
pub use prompt::{BareMessage, Block, BlockPhase, KnownBlock, Message, Prompt, Rejected, Role};
pub use rate::CallRate;
pub use reason::{EndCause, StopReason};
pub use result::{AgreedAction, Objection, PositionChange, ResultGiven, ResultTask, TurnsRead};
pub use secret::Secret;
pub use shows::{Anonymous, Debate, Guards, Layout, Lore, PromptTemplates, Sees, Shows};
pub use steering::{CommandGiven, SteerLine, Trigger};
pub use task::{JudgeTask, QuestionDebt, SummaryTask};
pub use tool::{ServerPlace, Tool, ToolOutcome, ToolRequest, ToolRound, ToolServer, ToolSource};
pub use turn::{
    ANSWERED, CutWhy, IMPERSONATION, LENGTH, LateReason, OTHER_END, Outcome, Purpose, REMARK,
    REPETITION, ReadBy, ReceiptIs, Requester, Usage, VOTED, is_capped,
};
pub use wire::Wire;

/// Returns whether a value is the default of its type, which is not written.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
