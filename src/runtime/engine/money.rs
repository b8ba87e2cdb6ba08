//! Budget of calls: tokens and money are reserved before a call starts, so that seats that speak at the same time never
//! exceed a limit together.
//!
//! A reservation covers the prompt, estimated on the safe side, and the longest reply. If less than a whole reply is
//! left, a shorter one is requested. If even that does not fit, the call has to wait, or the limit is reached.
//!
//! Only the server knows the tokenizer of a model, so a prompt is estimated at one token for every four bytes with a
//! margin: double until the model has reported its input tokens, then a quarter more than the highest ratio so far. A
//! first prompt in a script that the model splits more finely may exceed its reservation slightly; the next one does
//! not.

use crate::model::payload::{FloorGranted, LimitAt};
use crate::model::*;
use crate::prompt;
use crate::state::{State, Turn};

/// Tokens reserved for a reply without a token limit, if the conversation or the seat has a limit.
const REPLY_TOKENS: u64 = 4_096;
/// Smallest reply worth requesting, in tokens.
const LEAST_REPLY_TOKENS: u64 = 96;

/// The limit that leaves no room for a call.
pub(super) enum NoRoom {
    /// A limit of the conversation.
    Limit(LimitAt),
    /// The seat's own limit, with the reason as text.
    Seat(Text),
}

/// Returns true if a limit in tokens or in money bounds the calls of a turn.
pub(super) fn is_bounded(state: &State, turn: &Turn) -> bool {
    let own = state.seat(&turn.seat).and_then(|s| s.spec.max_usd);
    state.limits.tokens.is_some() || state.limits.usd.is_some() || own.is_some()
}

/// Returns the maximum reply tokens of a turn's next call, if anything limits them; `prompt` is the maximum number of
/// its input tokens.
///
/// # Errors
/// The limit that leaves no room for the call.
pub(super) fn reply(state: &State, turn: &Turn, prompt: u64) -> Result<Option<u64>, NoRoom> {
    let Some(seat) = state.seat(&turn.seat) else { return Ok(None) };
    let VoiceSpec::Model(model) = &seat.spec.voice else { return Ok(None) };
    let asked = state.reply_tokens(turn).map(u64::from);
    let tokens = state.limits.tokens;
    let usd = state.limits.usd;
    let own = seat.spec.max_usd;
    if !is_bounded(state, turn) {
        return Ok(asked);
    }
    if let (Some(name), true) = (seat.spec.uncountable(), usd.is_some() || own.is_some()) {
        let why = format!("no price is known for {name}, so the dollar limit cannot be enforced");
        return Err(NoRoom::Seat(why.into()));
    }
    let most = asked.unwrap_or(REPLY_TOKENS);
    let least = LEAST_REPLY_TOKENS.min(most);
    let thought = u64::from(model.reasoning_tokens());
    let fits = |room: Option<u64>| {
        let room = room.and_then(|room| room.checked_sub(thought));
        room.filter(|room| *room >= least).map(|room| room.min(most))
    };
    let others = || state.turns.values().filter(|t| t.id != turn.id);
    // upper bound of the call's input and output
    let whole = Usage { input: prompt, output: most + thought, ..Usage::default() };
    let reached = |what: Limit, limit: u64, next: Option<u64>| {
        NoRoom::Limit(LimitAt { what, value: state.used(what, state.ms), limit, next })
    };
    let mut reply = most;
    if let Some(limit) = tokens {
        let aside: u64 = others().map(|t| t.reserve.usage().tokens()).sum();
        let used = state.spent().usage.tokens().saturating_add(aside);
        let room = limit.checked_sub(used).and_then(|room| room.checked_sub(prompt));
        reply = reply
            .min(fits(room).ok_or_else(|| reached(Limit::Tokens, limit, Some(whole.tokens())))?);
    }
    let Some(price) = seat.spec.price else { return Ok(Some(reply)) };
    let affords = |limit: Usd, used: Usd| {
        let room = limit.0.checked_sub(used.0);
        fits(room.and_then(|room| price.affords(Usd(room), prompt)))
    };
    if let Some(limit) = usd {
        let used = state.spent().usd + others().map(|t| t.reserve.usd()).sum();
        let next = Some(price.cost(&whole).0);
        reply = reply.min(affords(limit, used).ok_or_else(|| reached(Limit::Usd, limit.0, next))?);
    }
    if let Some(limit) = own {
        let own = others().filter(|t| t.seat == turn.seat);
        let used = state.cost_of(seat) + own.map(|t| t.reserve.usd()).sum();
        reply = reply.min(affords(limit, used).ok_or_else(|| {
            NoRoom::Seat(format!("{used} of its {limit} budget is spent").into())
        })?);
    }
    Ok(Some(reply))
}

/// Returns the limit of the conversation that leaves no room for the first call of a grant. `None` if only the seat's
/// own limit is in the way: its turn reports that.
pub(super) fn in_the_way(
    state: &State,
    thread: ThreadId,
    granted: &FloorGranted,
) -> Option<LimitAt> {
    if state.limits.tokens.is_none() && state.limits.usd.is_none() {
        return None;
    }
    let turn = state.granted(state.next_seq, state.ms, thread, granted)?;
    match reply(state, &turn, prompt::account(state, &turn).most_tokens) {
        Err(NoRoom::Limit(at)) => Some(at),
        Err(NoRoom::Seat(_)) | Ok(_) => None,
    }
}

/// Returns the usage and the cost of a whole turn, including its last call.
pub(super) fn of_turn(turn: &Turn, last: Option<&Usage>) -> (Option<Usage>, Option<Usd>) {
    let mut spent = turn.spent.clone();
    if let Some(last) = last {
        spent.add(last, turn.reserve.price.map(|price| price.cost(last)));
    }
    (spent.used(), spent.cost())
}

/// Returns the usage and the cost of a whole turn whose voice reports the cost of its last call.
pub(super) fn paid(turn: &Turn, last: Option<&Usage>, cost: Usd) -> (Option<Usage>, Option<Usd>) {
    let mut spent = turn.spent.clone();
    spent.add(last.unwrap_or(&Usage::default()), Some(cost));
    (spent.used(), spent.cost())
}

/// Returns the rest of the limits in tokens and in money.
pub(super) fn left(state: &State) -> Limits {
    let spent = state.spent();
    let usd = state.limits.usd.map(|usd| Usd(usd.0.saturating_sub(spent.usd.0)));
    let tokens = state.limits.tokens.map(|most| most.saturating_sub(spent.usage.tokens()));
    Limits { usd, tokens, ..Limits::default() }
}

/// Estimates the usage of a turn's last call, for servers that report none; `None` if no model was called.
pub(super) fn guess(turn: &Turn, bytes: usize) -> Option<Usage> {
    (turn.call.is_some() && turn.reserve.prompt > 0).then(|| turn.guess(bytes))
}
