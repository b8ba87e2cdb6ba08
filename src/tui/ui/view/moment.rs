//! Events that need attention, such as a limit, a failure or the user's turn, and their notifications while the
//! terminal is not focused.

use crate::analysis::{TimedTurn, undecided};
use crate::model::{Event, Kind, Outcome, Participant, Price, VoiceSpec};
use crate::state::State;
use crate::state::leave::asks_leave;
use crate::text;
use crate::ui::view::floor::Status;
use crate::ui::view::transcript::Transcript;

/// Returns the failed turn that caused the current pause, if any.
pub fn failed(transcript: &Transcript) -> Option<&TimedTurn> {
    let state = transcript.state();
    let paused = Status::from_state(state) == Status::Paused && state.pause_why.is_some();
    transcript.turn_log.turns.last().filter(|turn| paused && turn.outcome == Outcome::Failed)
}

/// Returns whether a call to a participant costs money, as far as is known. An agent calls models of its own.
pub fn is_paid(spec: &Participant) -> bool {
    let costs = |price: Price| price.0 > 0.0 || price.1 > 0.0;
    match &spec.voice {
        VoiceSpec::Team(team) => team.participants.iter().any(is_paid),
        VoiceSpec::Model(model) if model.recording().is_some() => false,
        VoiceSpec::Model(_) | VoiceSpec::Agent(_) | VoiceSpec::Http(_) => {
            spec.price.map_or(!spec.local, costs)
        }
        VoiceSpec::Script(_) | VoiceSpec::Human { .. } | VoiceSpec::Lines { .. } => false,
    }
}

/// Returns whether turns of a conversation may cost money, including those that choose, judge or write the result.
pub fn may_be_paid(state: &State) -> bool {
    state.seats.iter().any(|seat| !seat.gone && is_paid(&seat.spec))
}

/// Returns the error of a failed turn on one line.
pub fn why(turn: &TimedTurn) -> String {
    let why = turn.error.as_deref().unwrap_or("no reason given");
    text::label(why).into_owned()
}

/// Returns the text of the notification for an event; `None` for most events.
pub fn describe(transcript: &Transcript, event: &Event) -> Option<String> {
    let told = match &event.kind {
        Kind::FloorGranted(_) => {
            let who = transcript.human_turn()?;
            format!("your turn as {}", transcript.name(&who))
        }
        Kind::VoteClosed(vote) => match &vote.winner {
            Some(winner) => format!("vote: {winner} wins"),
            None => undecided(vote),
        },
        Kind::VerdictGiven(verdict) => match &verdict.winner {
            Some(winner) => format!("verdict: {winner} wins"),
            None => "verdict: no winner".into(),
        },
        Kind::LimitReached(limit) => {
            let words = limit.0.what.words(limit.0.limit);
            let is_budget = limit.0.what.is_budget();
            if is_budget {
                format!("stopped at the budget of {words}")
            } else {
                format!("done: {words}")
            }
        }
        Kind::TurnEnded(end) if end.outcome == Outcome::Failed => "a turn failed".into(),
        Kind::PermissionAsked(_) | Kind::ToolAsked(_) => {
            let asks = asks_leave(transcript.state())?;
            format!("{} asks for permission", transcript.name(&asks.seat))
        }
        Kind::Ended(_) => "finished".into(),
        _ => return None,
    };
    Some(format!("{}: {}", transcript.title(), text::label(&told)))
}
