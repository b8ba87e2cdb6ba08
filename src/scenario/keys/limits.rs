//! The keys of `[limits]`.

use super::value::{
    DAY_SECONDS, Key, ROUND_RANGE, TOKEN_RANGE, USD, UTTERANCE_RANGE, ValueKind, key,
};

/// The keys of `[limits]`.
pub(super) static LIMITS: &[Key] = &[
    key(
        "utterances",
        UTTERANCE_RANGE,
        "20",
        "Finished turns (default 20, unless phases define the length).",
    ),
    key("rounds", ROUND_RANGE, "3", "Rounds."),
    key(
        "seconds",
        ValueKind::Count { least: 1, most: 365 * DAY_SECONDS },
        "600",
        "Running time, not counting pauses and waiting for a person. Whoever is speaking when time is up has 10 s to \
             finish.",
    ),
    key(
        "batches",
        UTTERANCE_RANGE,
        "20",
        "Finished batches, with the policy depends (default 20).",
    ),
    key("per_seat", UTTERANCE_RANGE, "5", "Turns of each participant."),
    key("tokens", TOKEN_RANGE, "200000", "Input and output tokens of all models."),
    key("usd", USD, "0.5", "Cost in dollars; every model needs a known price or runs locally."),
];
