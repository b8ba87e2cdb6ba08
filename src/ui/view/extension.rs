//! The raise that allows one more round at a limit, and in words what it costs.
//!
//! A raise of turns or rounds is short; one of money, tokens or time is an amount that a person should see before
//! pressing the key.

use crate::model::{Limit, Limits};
use crate::state::State;

/// The seconds that one more round is assumed to take, where time is the limit.
const MORE_SECONDS: u64 = 60;
/// Batches that a raise adds where seats depend on one another.
const MORE_BATCHES: u32 = 5;

/// Returns how many speak in one round.
pub fn round(state: &State) -> u32 {
    (state.seats.iter().filter(|s| !s.gone && !s.muted).count() as u32).max(1)
}

/// Returns the limits under which everybody can speak once more; none where no limit was reached.
pub fn one_more_round(state: &State) -> Option<Limits> {
    let held = state.limit.as_ref()?;
    let mut set = Limits::default();
    match held.what {
        Limit::Utterances => set.utterances = Some(state.utterances + round(state)),
        Limit::Batches => set.batches = state.limits.batches.map(|b| b + MORE_BATCHES),
        Limit::Rounds => set.rounds = state.limits.rounds.map(|r| r + 1),
        Limit::Seconds => set.seconds = state.limits.seconds.map(|s| s + MORE_SECONDS),
        Limit::Tokens => set.tokens = state.limits.tokens.map(|t| t.saturating_mul(2)),
        Limit::Usd => set.usd = state.limits.usd.map(|usd| usd + usd),
    }
    Some(set)
}

/// Returns the limit that was reached and its raise for one more round, in words; none where no limit was reached.
pub fn raise(state: &State) -> Option<(String, String)> {
    let held = state.limit.as_ref()?;
    let to = one_more_round(state)?.of(held.what)?;
    let from = state.limits.of(held.what).unwrap_or(held.limit);
    Some((held.what.words(from), held.what.words(to)))
}

/// Returns what the key for one more round does at a limit: of tokens, money and time, with the amount.
pub fn way_on(state: &State) -> String {
    match (state.limit.as_ref().map(|held| held.what), raise(state)) {
        (Some(Limit::Tokens | Limit::Usd | Limit::Seconds), Some((_, to))) => {
            format!("raises it to {to}")
        }
        (_, _) => "one more round".into(),
    }
}

/// Returns the limit that was reached, in words.
pub fn stopped(state: &State) -> String {
    let Some(held) = &state.limit else { return String::new() };
    format!("stopped at the limit of {}", held.what.words(held.limit))
}
