//! Turns after an end or a limit: the limits that they need, and the description of their cost.
//!
//! For turns and rounds the description is short. For money, tokens and time it contains the amount, which a person
//! should see before pressing the key.

use crate::model::{Limit, Limits, ThreadId};
use crate::state::State;

/// Assumed duration of one more round in seconds, if time is the limit.
const MORE_SECONDS: u64 = 60;
/// Number of batches that a raise adds in `depends` conversations.
const MORE_BATCHES: u32 = 5;

/// Returns the number of speakers in one round, at least 1.
pub fn round(state: &State) -> u32 {
    (state.cast().filter(|(_, s)| !s.gone && !s.muted).count() as u32).max(1)
}

/// Returns raised limits that allow one more round; `None` if no limit was reached.
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

/// Returns the current and the raised value of the limit that was reached, as text; `None` if no limit was reached.
pub fn raise(state: &State) -> Option<(String, String)> {
    let held = state.limit.as_ref()?;
    let to = one_more_round(state)?.get(held.what)?;
    let from = state.limits.get(held.what).unwrap_or(held.limit);
    Some((held.what.words(from), held.what.words(to)))
}

/// Turns that continue a conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum More {
    Round,
    /// Turns of a plan, which has no rounds.
    Turns,
    /// Another plan after the end of a plan, up to the first pause, in which it can be changed.
    Plan,
}

impl More {
    fn from_state(state: &State) -> More {
        let root = state.threads.get(&ThreadId::ROOT);
        match state.ended.as_ref().or(state.reopened_after.as_ref()) {
            _ if root.is_none_or(|root| root.state.plan().is_none()) => More::Round,
            Some(ended) if ended.reason.is_passed() => More::Plan,
            Some(_) | None => More::Turns,
        }
    }
}

/// Describes the turns that continue a conversation: "one more round".
pub fn more(state: &State) -> String {
    match More::from_state(state) {
        More::Round => "one more round".into(),
        More::Turns if round(state) == 1 => "one more turn".into(),
        More::Turns => format!("{} more turns", round(state)),
        More::Plan => "another plan".into(),
    }
}

/// Returns the number of turns that continue a conversation.
pub fn more_turns(state: &State) -> u32 {
    if More::from_state(state) == More::Plan { 1 } else { round(state) }
}

/// Describes the effect of the key for one more round: for tokens, money and time, the new amount.
pub fn way_on(state: &State) -> String {
    match (state.limit.as_ref().map(|held| held.what), raise(state)) {
        (Some(Limit::Tokens | Limit::Usd | Limit::Seconds), Some((_, to))) => {
            format!("raises it to {to}")
        }
        (_, _) => more(state),
    }
}

/// Describes the budget or the planned length that was reached; empty if none was.
pub fn stopped(state: &State) -> String {
    let Some(held) = &state.limit else { return String::new() };
    let words = held.what.words(held.limit);
    if held.what.is_budget() {
        format!("stopped at the budget of {words}")
    } else {
        format!("{words}, as planned")
    }
}
