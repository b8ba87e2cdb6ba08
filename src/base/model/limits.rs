//! Limits of a conversation. Each names its unit.

use super::money::Usd;
use super::reason::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Limits of a conversation or of one thread; absent: no limit.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Ended turns: complete, or cut with text.
    #[serde(alias = "turns")]
    pub utterances: Option<u32>,
    /// Full passes of the speakers.
    pub rounds: Option<u32>,
    /// Running seconds: paused time and time spent waiting for a human do not count.
    pub seconds: Option<u64>,
    /// Finished batches of the policy `depends`.
    pub batches: Option<u32>,
    /// Turns per participant; only that participant stops at it.
    pub per_seat: Option<u32>,
    /// Input and output tokens of models.
    pub tokens: Option<u64>,
    /// Cost of model calls in dollars; calls without a price count as 0.
    pub usd: Option<Usd>,
}

crate::words! {
    /// Kind of a limit in [`Limits`].
    #[derive(
        Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
    )]
    #[serde(rename_all = "snake_case")]
    pub enum Limit {
        /// Ended turns: complete, or cut with text.
        Utterances = "utterances",
        /// Full passes of the speakers.
        Rounds = "rounds",
        /// Running seconds: paused time and time spent waiting for a human do not count.
        Seconds = "seconds",
        /// Finished batches of the policy `depends`.
        Batches = "batches",
        /// Input and output tokens of models.
        Tokens = "tokens",
        /// Cost of model calls; amounts are in billionths of a dollar.
        Usd = "usd",
    }
    /// Returns the key in `[limits]` and in the `limit` command.
    fn key()
}

impl Limit {
    /// Returns whether the limit is a budget, in money or tokens. The others are the planned length of a conversation.
    pub fn is_budget(self) -> bool {
        matches!(self, Limit::Usd | Limit::Tokens)
    }

    /// Returns the stop reason of this limit.
    pub fn reason(self) -> StopReason {
        match self {
            Limit::Utterances => StopReason::UtteranceLimit,
            Limit::Rounds => StopReason::RoundLimit,
            Limit::Seconds => StopReason::TimeLimit,
            Limit::Batches => StopReason::BatchLimit,
            Limit::Tokens => StopReason::TokenLimit,
            Limit::Usd => StopReason::CostLimit,
        }
    }

    /// Returns an amount as text: `3 rounds`, `$0.05`.
    pub fn words(self, amount: u64) -> String {
        match self {
            Limit::Usd => Usd(amount).to_string(),
            Limit::Utterances if amount == 1 => "1 turn".into(),
            Limit::Utterances => format!("{amount} turns"),
            Limit::Batches if amount == 1 => "1 batch".into(),
            Limit::Rounds | Limit::Seconds | Limit::Batches | Limit::Tokens => {
                let unit = if amount == 1 { self.key().trim_end_matches('s') } else { self.key() };
                format!("{amount} {unit}")
            }
        }
    }
}

impl Limits {
    /// Returns the limit of one kind.
    pub fn get(&self, limit: Limit) -> Option<u64> {
        match limit {
            Limit::Utterances => self.utterances.map(u64::from),
            Limit::Rounds => self.rounds.map(u64::from),
            Limit::Seconds => self.seconds,
            Limit::Batches => self.batches.map(u64::from),
            Limit::Tokens => self.tokens,
            Limit::Usd => self.usd.map(|usd| usd.0),
        }
    }

    /// Sets every limit that `other` has.
    pub fn merge(&mut self, other: &Limits) {
        self.utterances = other.utterances.or(self.utterances);
        self.rounds = other.rounds.or(self.rounds);
        self.seconds = other.seconds.or(self.seconds);
        self.batches = other.batches.or(self.batches);
        self.per_seat = other.per_seat.or(self.per_seat);
        self.tokens = other.tokens.or(self.tokens);
        self.usd = other.usd.or(self.usd);
    }
}
