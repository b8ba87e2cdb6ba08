//! The limits of a conversation. Each names the unit that it counts.

use super::money::Usd;
use super::reason::StopReason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bounds of a conversation or of one thread; `None` is no bound.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Ended utterances: said, or cut with words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utterances: Option<u32>,
    /// Full passes of the speakers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Running seconds: paused time and time spent waiting for a human do not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
    /// Finished batches, where seats depend on one another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batches: Option<u32>,
    /// Utterances of any one seat; only that seat stops speaking at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_seat: Option<u32>,
    /// Tokens that models read and write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Dollars that model calls cost; calls without a price count nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd: Option<Usd>,
}

/// Which bound of [`Limits`] came near or was reached.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Ended utterances: said, or cut with words.
    Utterances,
    /// Full passes of the speakers.
    Rounds,
    /// Seconds without pauses and without waiting for a human.
    Seconds,
    /// Finished batches, where seats depend on one another.
    Batches,
    /// Tokens that models read and write.
    Tokens,
    /// Dollars that model calls cost; amounts are in billionths.
    Usd,
}

impl Limit {
    /// Every limit that can hold a conversation.
    pub const ALL: [Limit; 6] = [
        Limit::Utterances,
        Limit::Rounds,
        Limit::Seconds,
        Limit::Batches,
        Limit::Tokens,
        Limit::Usd,
    ];

    /// Returns the reason a conversation ends with when nobody raises this limit.
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

    /// Returns the key in `[limits]` and in the `limit` command.
    pub fn key(self) -> &'static str {
        match self {
            Limit::Utterances => "utterances",
            Limit::Rounds => "rounds",
            Limit::Seconds => "seconds",
            Limit::Batches => "batches",
            Limit::Tokens => "tokens",
            Limit::Usd => "usd",
        }
    }

    /// Returns an amount in words: `3 rounds`, `$0.05`.
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
    /// Returns the bound of one kind.
    pub fn of(&self, limit: Limit) -> Option<u64> {
        match limit {
            Limit::Utterances => self.utterances.map(u64::from),
            Limit::Rounds => self.rounds.map(u64::from),
            Limit::Seconds => self.seconds,
            Limit::Batches => self.batches.map(u64::from),
            Limit::Tokens => self.tokens,
            Limit::Usd => self.usd.map(|usd| usd.0),
        }
    }

    /// Takes over every bound that `other` names.
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
