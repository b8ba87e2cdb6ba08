//! What a turn is asked for, and in which form.

use super::{Batch, Conversation, Turn};
use crate::model::*;
use serde::{Deserialize, Serialize};

/// The key of the memo of a `depends` thread under which it counts, for each seat, how often each of its `after` ran it.
pub const EDGES: &str = "edges";

/// Where the memo of a batch notes what its seats were asked for by others.
pub const REQUESTS: &str = "requests";

/// What one seat asks of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asking {
    /// Who asks.
    pub by: SeatId,
    /// In which words.
    pub text: Text,
}

impl Conversation {
    /// Returns the batch that a running turn belongs to.
    pub fn batch_of(&self, turn: &Turn) -> Option<&Batch> {
        let batch = self.threads.get(&turn.thread)?.batch.as_ref()?;
        (turn.batch == Some(batch.id)).then_some(batch)
    }

    /// Returns the form that the reply of a running turn must have.
    pub fn contract_of(&self, turn: &Turn) -> Contract {
        let options = || self.batch_of(turn).map(|b| b.spec.options.clone()).unwrap_or_default();
        let form = match turn.purpose {
            Purpose::Speak => {
                return self.seat(&turn.seat).map(|s| s.spec.reply.clone()).unwrap_or_default();
            }
            Purpose::Pick | Purpose::Vote => Form::Choice(options()),
            Purpose::Judge => match self.batch_of(turn).and_then(|b| b.spec.judge_task()) {
                Some(JudgeTask::Verdict { .. }) => Form::Judgement(options()),
                Some(JudgeTask::Stop(_) | JudgeTask::Casting) | None => Form::Choice(options()),
            },
            Purpose::Bid => Form::Bid,
            Purpose::Summarise => Form::Free,
        };
        Contract { form, ..Contract::default() }
    }

    /// Returns what other seats ask of the seat of a turn, where seats wake one another: by whom, and the words.
    pub fn requests_to(&self, turn: &Turn) -> Vec<Asking> {
        let batch = self.batch_of(turn).filter(|b| b.spec.requester == Requester::Policy);
        let noted = batch.map(|b| b.spec.memo[REQUESTS][&*turn.seat.0].clone());
        noted.and_then(|noted| serde_json::from_value(noted).ok()).unwrap_or_default()
    }

    /// Returns other names for the seats that an answer may name.
    pub fn names_of_seats(&self) -> Vec<(Text, Text)> {
        let names = |s: &super::Seat| {
            let all = s.spec.aliases.iter().chain([&s.spec.name]);
            all.map(|name| (name.clone(), s.spec.id.0.clone())).collect::<Vec<_>>()
        };
        self.seats.iter().filter(|s| !s.gone).flat_map(names).collect()
    }
}
