//! State of a thread that only one policy has, as data, and the moves of turns under `consensus`.

use super::planned::Plan;
use super::reply::PastTurn;
use crate::model::{Ms, SeatId, Seq, Text, TurnId};

/// State of a thread that only its policy has, besides the memo.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum PolicyState {
    /// The policy keeps everything in its memo.
    #[default]
    Memo,
    /// Moves of the turns in a search for one answer, in order.
    Answers(Vec<AnswerMove>),
    /// Runs of seats with dependencies.
    Runs(PastRuns),
    Plan(PlanState),
    /// The thread of a step of its parent's plan.
    Step,
}

/// Ended turns of seats with dependencies, for the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastRuns {
    /// All ended speaking turns, in order.
    pub all: Vec<PastTurn>,
    /// Number of them when the conversation last continued after an end.
    pub before: usize,
}

/// State of a thread that plans.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanState {
    /// The plan; `None` before it is made.
    pub plan: Option<Box<Plan>>,
    /// Log position up to which the planner has read the operator's messages.
    pub heard: Seq,
}

impl PolicyState {
    /// Returns the moves in a search for one answer; empty under other policies.
    pub fn moves(&self) -> &[AnswerMove] {
        match self {
            PolicyState::Answers(moves) => moves,
            _ => &[],
        }
    }

    /// Returns the runs of seats with dependencies; `None` under other policies.
    pub fn runs(&self) -> Option<&PastRuns> {
        match self {
            PolicyState::Runs(runs) => Some(runs),
            _ => None,
        }
    }

    /// Returns the plan; `None` before it is made and under other policies.
    pub fn plan(&self) -> Option<&Plan> {
        match self {
            PolicyState::Plan(state) => state.plan.as_deref(),
            _ => None,
        }
    }

    /// Returns the log position up to which the planner has read the operator's messages; 0 without a planner.
    pub(super) fn planner_read_to(&self) -> Seq {
        match self {
            PolicyState::Plan(state) => state.heard,
            _ => Seq(0),
        }
    }

    /// Returns the plan, to change it.
    pub(super) fn plan_mut(&mut self) -> Option<&mut Plan> {
        match self {
            PolicyState::Plan(state) => state.plan.as_deref_mut(),
            _ => None,
        }
    }
}

/// The move of one turn under `consensus`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerMove {
    /// The seat of the turn.
    pub seat: SeatId,
    /// The turn itself.
    pub turn: TurnId,
    /// `seq` of its end.
    pub seq: Seq,
    /// `seq` up to which it saw the other seats.
    pub horizon: Seq,
    /// Time of its end.
    pub ms: Ms,
    /// The round, from 1.
    pub round: u32,
    /// Text of a turn that a new answer stopped; empty otherwise.
    pub draft: Text,
    pub did: MoveKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// Gave an answer, its first or another one.
    Answered,
    /// Voted for the answer of a seat.
    Voted {
        /// Author of that answer.
        whose: SeatId,
        /// Reason for the vote; empty without one.
        why: Text,
    },
    /// Failed, passed, or was cut, and left the round.
    Left,
    /// Gave a reply that was refused, also on the retry; it can only vote in this exchange from now on.
    Refused,
    /// Gave a reply that stayed unclear: text without a label, a name or data. Its earlier answer and vote still count.
    Remarked,
    /// Was stopped because of a new answer, and restarts.
    Restarted,
    /// Presented the winning answer.
    Presented,
}
