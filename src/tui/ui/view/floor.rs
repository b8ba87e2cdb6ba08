//! The floor as text: the current speakers and their activity, the next speakers and the reason.
//!
//! A reason given by the scheduler is shown in its own wording; nothing is decided here.

use crate::export::cost;
use crate::model::payload::{BatchOpened, WarningAbout};
use crate::model::*;
use crate::scenario::TurnOrder;
use crate::state::leave::{asks_leave, leave_of};
use crate::state::{Ending, RunState, Seat, Spent, State, Turn, policies};
use crate::text;
use crate::ui::view::failures::failed_times;
use crate::ui::view::transcript::Transcript;

/// Milliseconds before the first token of a local model after which the model is assumed to be loading.
const LOADING_MS: u64 = 3_000;
/// Silence after which the awaited server is named, in milliseconds.
const AWAITED_MS: u64 = 1_000;
/// Milliseconds without data after which the screen reports it.
const SILENCE_MS: u64 = 20_000;

/// Activity of a speaker whose first word is awaited.
pub const WAITING: &str = "waiting";

/// Status of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Turns start and run.
    Running,
    /// Running for a limited number of turns.
    Stepping,
    /// Pauses after the current speaker.
    Pausing,
    /// Paused; no turn starts.
    Paused,
    /// A person has the floor, or nobody does.
    Waiting,
    /// Stopped at a budget.
    Stopped,
    /// Reached its planned length.
    Reached,
    /// The conversation has ended.
    Done,
    /// The conversation has failed.
    Error,
}

impl Status {
    /// Returns the status of a conversation.
    pub fn from_state(state: &State) -> Status {
        if let Some(ended) = &state.ended {
            return if ended.reason.is_failure() { Status::Error } else { Status::Done };
        }
        let calls = state.calls().next().is_some();
        match state.run {
            RunState::Pausing => Status::Pausing,
            RunState::Paused => Status::Paused,
            RunState::Going | RunState::Stepping(_) if !calls && state.limit.is_some() => {
                let budget = state.limit.as_ref().is_some_and(|held| held.what.is_budget());
                if budget { Status::Stopped } else { Status::Reached }
            }
            RunState::Going | RunState::Stepping(_) if !calls => Status::Waiting,
            RunState::Stepping(_) => Status::Stepping,
            RunState::Going => Status::Running,
        }
    }

    /// Returns the status whose sign and colour an end has: only a finished conversation without losses is shown as done.
    pub fn with_losses(self, state: &State) -> Status {
        let is_planned = |reason: StopReason| reason.settled() || reason.is_length();
        let is_cut = state.ended.as_ref().is_some_and(|ended| !is_planned(ended.reason));
        match self {
            Status::Done | Status::Reached if is_cut || !state.losses().is_empty() => {
                Status::Stopped
            }
            status => status,
        }
    }

    /// Returns whether a limit, a budget or the planned length, keeps turns from starting.
    pub fn is_limited(self) -> bool {
        matches!(self, Status::Stopped | Status::Reached)
    }

    /// Returns the word for the status, as on the screen.
    pub fn word(self) -> &'static str {
        match self {
            Status::Running => "RUNNING",
            Status::Stepping => "STEPPING",
            Status::Pausing => "PAUSING",
            Status::Paused => "PAUSED",
            Status::Waiting => "WAITING",
            Status::Stopped => "STOPPED",
            Status::Done | Status::Reached => "DONE",
            Status::Error => "ERROR",
        }
    }
}

/// Returns whether the conversation waits for an answer of the person at this screen.
pub fn waits_for_person(transcript: &Transcript) -> bool {
    let asks = || asks_leave(transcript.state()).is_some();
    !transcript.unattended && (asks() || transcript.human_turn().is_some())
}

/// Returns the verb for turns of a purpose.
pub fn doing_word(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Speak => "speaking",
        Purpose::Pick => "choosing",
        Purpose::Bid => "bidding",
        Purpose::Vote => "voting",
        Purpose::Judge => "judging",
        Purpose::Summarise => "summarising",
        Purpose::Result => "writing the result",
    }
}

/// Returns the activity of a turn, and its start time unless the text already contains a duration.
pub fn doing(transcript: &Transcript, turn: &Turn, now: Ms) -> (String, Option<Ms>) {
    let live = &transcript.live;
    if live.state.waits_for_human(turn) {
        let what = match (transcript.unattended, turn.purpose) {
            (false, _) => "your turn",
            (true, Purpose::Vote | Purpose::Judge) => "is asked to vote",
            (true, _) => "is asked to speak",
        };
        return (what.into(), Some(turn.granted));
    }
    if let Some((at, provider, rate)) = live.state.held_by_rate(turn, now) {
        let seconds = at.since(now).div_ceil(1_000);
        return (format!("waiting {seconds}s for {provider} ({rate})"), None);
    }
    if let Some(due) = turn.retry_at {
        let seconds = due.since(now).div_ceil(1_000);
        return (format!("retrying in {seconds}s"), None);
    }
    if let Some(asks) = leave_of(&live.state, turn) {
        return (format!("asks to use {}", text::label(&asks.tool)), None);
    }
    if turn.waits_for_tools() {
        return ("using tools".into(), Some(turn.since));
    }
    let heard = live.last_piece(turn.id);
    let silent = now.since(heard.unwrap_or(turn.since)) / 1_000;
    if heard.is_some() && silent * 1_000 >= SILENCE_MS {
        return (format!("no data for {silent}s"), None);
    }
    let command = match turn.purpose {
        Purpose::Speak if live.has_said(turn.id) => "speaking",
        Purpose::Speak if is_team(&live.state, &turn.seat) => "conferring",
        Purpose::Speak if !live.thought(turn.id).is_empty() => "thinking",
        Purpose::Speak => WAITING,
        _ => doing_word(turn.purpose),
    };
    (command.into(), Some(turn.since))
}

/// Returns `true` if a seat is a team; its reasoning is the team's internal conversation.
pub fn is_team(state: &State, seat: &SeatId) -> bool {
    state.seat(seat).is_some_and(|s| matches!(s.spec.voice, VoiceSpec::Team(_)))
}

/// Returns the model, service or program whose first word a turn has awaited for a second, and why it may be slow.
pub fn awaited(transcript: &Transcript, turn: &Turn, now: Ms) -> Option<String> {
    let live = &transcript.live;
    let voice = &live.state.seat(&turn.seat)?.spec.voice;
    let asks = leave_of(&live.state, turn).is_some();
    let is_silent = turn.call.is_some() && !asks && live.last_piece(turn.id).is_none();
    let has_server = !matches!(voice, VoiceSpec::Lines { .. } | VoiceSpec::Team(_));
    if !is_silent || !has_server || now.since(turn.since) < AWAITED_MS {
        return None;
    }
    let label = if turn.model.is_empty() { voice.label() } else { turn.model.to_string() };
    let may_load = now.since(turn.since) >= LOADING_MS && may_load(&live.state, turn);
    Some(format!("{}{}", text::name(&label), if may_load { " (loading?)" } else { "" }))
}

/// Returns `true` if a turn is the first one of a local model, which its server may have to load.
fn may_load(state: &State, turn: &Turn) -> bool {
    let spoke = |model: &Text| state.entries.iter().any(|e| e.version().model == *model);
    state.seat(&turn.seat).is_some_and(|s| s.spec.local) && !spoke(&turn.model)
}

/// Returns the next speakers as far as they are known, in order, and the reason for the first of them.
pub fn next(transcript: &Transcript) -> (Vec<SeatId>, String) {
    let state = transcript.state();
    let Some(thread) = state.leaves().next() else { return (vec![], String::new()) };
    if let Some(ending) = &state.ending {
        let left = match ending {
            Ending::Now | Ending::AtOnce => &[][..],
            Ending::FinalRound(left) => left,
        };
        let left: Vec<SeatId> = left.iter().filter(|s| state.may_speak(s)).cloned().collect();
        let why = if left.is_empty() { "" } else { "closing statement" };
        return (left, why.into());
    }
    let seats = transcript.next_speakers().to_vec();
    let chosen = thread.floor.as_ref().is_some_and(|(seat, _)| seats.first() == Some(seat));
    let why = if chosen { "your choice".into() } else { String::new() };
    (seats, why)
}

/// Returns the usage so far as short text: `~41.2k tok  $0.18+`. `None` if no model was called.
pub fn used(spent: &Spent) -> Option<String> {
    let usage = spent.used()?;
    let about = if usage.estimated { "~" } else { "" };
    Some(format!("{about}{} tok  {}", tokens(usage.tokens()), cost(spent)))
}

/// Returns a short token count: `41.2k`.
pub fn tokens(count: u64) -> String {
    match count {
        n if n < 1_000 => n.to_string(),
        n if n < 1_000_000 => format!("{:.1}k", n as f64 / 1e3),
        n => format!("{:.1}M", n as f64 / 1e6),
    }
}

/// Returns the percentage used of a budget and the budget as text, after a warning about it and before it is reached. If
/// there are several, returns the one with the highest percentage.
pub fn near(state: &State, now: Ms) -> Option<(u64, String)> {
    if state.limit.is_some() || state.ended.is_some() {
        return None;
    }
    let holds =
        |(what, limit): &&(Limit, u64)| what.is_budget() && state.limits.get(*what) == Some(*limit);
    let used = |(what, limit): &(Limit, u64)| {
        let percent = state.used(*what, now).saturating_mul(100) / (*limit).max(1);
        (percent, what.words(*limit))
    };
    let near = state.near.iter().filter(holds).map(used);
    near.max_by_key(|(percent, _)| *percent)
}

/// Returns the turn at which the conversation started to repeat itself; `None` from one round after the warning.
pub fn circles_since(state: &State) -> Option<u32> {
    let since = state.warnings.iter().rev().find_map(|w| match w.about {
        Some(WarningAbout::Loop(since)) => Some(since),
        Some(WarningAbout::Result(_)) | None => None,
    });
    let since = since?;
    let round = state.seats.iter().filter(|s| !s.gone && s.spec.speaks).count() as u32;
    (state.ended.is_none() && state.utterances < since + 2 * round.max(2)).then_some(since)
}

/// Returns the policy's reason for the choice of the current speakers.
pub fn why(state: &State) -> Option<&Text> {
    running_batch(state).map(|batch| &batch.why)
}

/// Returns the current decision about who speaks.
fn running_batch(state: &State) -> Option<&BatchOpened> {
    let batch = state.leaves().next()?.batch.as_ref()?;
    (!batch.running.is_empty()).then_some(&*batch.spec)
}

/// Returns whether everybody speaks in turn, in the order in which they are listed, and nobody asked for anything else.
pub fn is_in_turn(transcript: &Transcript) -> bool {
    let state = transcript.state();
    let policy = &state.scenario.policy;
    let listed = policies::traits(&policy.name).order == TurnOrder::InTurn
        && policy.options.get("order").is_none_or(|order| order == "file");
    let by_place = running_batch(state).is_none_or(BatchOpened::is_by_place);
    listed && by_place && next(transcript).1.is_empty()
}

/// Returns `true` if a person's seat never gets a turn because a planner assigns all steps.
fn has_no_turns(state: &State, seat: &Seat) -> bool {
    let planner = state.plan_thread(ThreadId::ROOT).and_then(|thread| state.planner(thread));
    seat.spec.voice.is_human() && planner.is_some_and(|planner| planner != seat.spec.id)
}

/// Returns the number of failed turns of a participant since its last other turn.
pub fn failures(transcript: &Transcript, id: &SeatId) -> usize {
    let turns = transcript.turn_log.turns.iter().rev();
    let own = turns.filter(|turn| turn.seat == *id && turn.purpose == Purpose::Speak);
    own.take_while(|turn| turn.outcome == Outcome::Failed).count()
}

/// Returns whether another turn follows without a decision of the operator.
fn goes_on(state: &State) -> bool {
    state.ended.is_none() && state.limit.is_none()
}

/// Returns whether a seat that does not speak is the next one; `next` are the expected speakers.
pub fn is_next(transcript: &Transcript, id: &SeatId, next: &[SeatId]) -> bool {
    let state = transcript.state();
    let waits = |seat: &Seat| !seat.gone && !seat.muted && !has_no_turns(state, seat);
    next.first() == Some(id) && goes_on(state) && state.seat(id).is_some_and(waits)
}

/// Returns the word for the activity of a seat.
pub fn seat_word(transcript: &Transcript, id: &SeatId, now: Ms, next: &[SeatId]) -> String {
    let state = transcript.state();
    let Some(seat) = state.seat(id) else { return String::new() };
    if let Some(turn) = state.turns.values().find(|t| t.seat == *id) {
        return doing(transcript, turn, now).0;
    }
    match (seat.gone, seat.muted) {
        (true, _) => "left".into(),
        (_, true) => "muted".into(),
        _ if has_no_turns(state, seat) => "no turns".into(),
        _ if is_next(transcript, id, next) => "next".into(),
        _ => failed_times(failures(transcript, id)),
    }
}

/// Returns the participants to whom a seat owes an answer, such as `to answer Bo`; `None` if it owes none.
pub fn owed_answers(transcript: &Transcript, id: &SeatId) -> Option<String> {
    let state = transcript.state();
    let batches = state.threads.values().filter_map(|thread| thread.batch.as_ref());
    let open = batches.filter(|batch| batch.ended.iter().all(|reply| reply.seat != *id));
    let owed = open.flat_map(|batch| &batch.spec.owes).filter(|debt| debt.to == *id);
    let asker = |debt: &QuestionDebt| {
        debt.from.as_ref().map_or_else(|| "you".to_owned(), |from| transcript.name(from))
    };
    let mut names: Vec<String> = owed.map(asker).collect();
    names.dedup();
    (!names.is_empty()).then(|| format!("to answer {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(all: &[(u64, bool, Option<u64>)]) -> Spent {
        let mut spent = Spent::default();
        for (tokens, estimated, cost) in all {
            let usage = Usage { input: *tokens, estimated: *estimated, ..Usage::default() };
            spent.add(&usage, cost.map(Usd));
        }
        spent
    }

    #[test]
    fn sum_names_omissions_and_never_calls_unknown_prices_free() {
        for (all, shown) in [
            (&[][..], None),
            (&[(900, false, Some(1_500_000_000))][..], Some("900 tok  $1.50")),
            (&[(41_234, true, Some(180_000_000))], Some("~41.2k tok  ~$0.18")),
            (&[(5, false, None)], Some("5 tok  no price")),
            (&[(5, false, None), (3_000_000, false, Some(500_000_000))], Some("3.0M tok  $0.50+")),
        ] {
            assert_eq!(used(&spent(all)).as_deref(), shown);
        }
    }
}
