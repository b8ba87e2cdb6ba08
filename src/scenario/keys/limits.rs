//! The keys of `[limits]`.

use super::value::{
    DAY_SECONDS, ROUND_RANGE, TOKEN_RANGE, USD, UTTERANCE_RANGE, ValueKind, key, keys,
};

keys! {
    /// The keys of `[limits]`.
    pub(super) static LIMITS;
    utterances = key(UTTERANCE_RANGE, "20",
        "Finished turns (default 20, unless phases define the length).");
    rounds = key(ROUND_RANGE, "3", "Rounds.");
    seconds = key(ValueKind::Count { least: 1, most: 365 * DAY_SECONDS }, "600",
        "Running time, not counting pauses and waiting for a person. Whoever is speaking when time is up has 10 \
         s to finish.");
    batches = key(UTTERANCE_RANGE, "20", "Finished batches, with the policy depends (default 20).");
    per_seat = key(UTTERANCE_RANGE, "5", "Turns of each participant.");
    tokens = key(TOKEN_RANGE, "200000", "Input and output tokens of all models.");
    usd = key(USD, "0.5", "Cost in dollars; every model needs a known price or runs locally.");
}
