//! Events that need attention: a limit, a failure, a turn of yours; and the notification for a user who looks
//! elsewhere.

use crate::analysis::TimedTurn;
use crate::model::{Event, Kind, Outcome, SeatId, Text};
use crate::text;
use crate::ui::view::floor::Status;
use crate::ui::view::transcript::Transcript;

/// Returns the failed turn that caused the pause, if one did.
pub fn failed(transcript: &Transcript) -> Option<&TimedTurn> {
    let state = transcript.state();
    let paused = Status::of(state) == Status::Paused && state.pause_why.is_some();
    transcript.turn_log.turns.last().filter(|turn| paused && turn.end.outcome == Outcome::Failed)
}

/// A use of a tool that waits for the person to allow it.
pub struct AsksLeave {
    /// Who wants to use it.
    pub seat: SeatId,
    /// The name under which it is allowed.
    pub tool: Text,
    /// What it would do, in one line: the words of a stranger.
    pub told: String,
}

/// Returns the first use of a tool that waits to be allowed.
pub fn asks_leave(transcript: &Transcript) -> Option<AsksLeave> {
    let state = transcript.state();
    if !state.attended || state.ended.is_some() {
        return None;
    }
    let told = |tool: &Text, what: &str, with: &str| {
        let what = if what.is_empty() { String::new() } else { format!(" {what}") };
        text::label(&format!("{tool}:{what} {with}")).trim_end().to_owned()
    };
    state.turns.values().find_map(|turn| {
        let seat = turn.seat.clone();
        let asked = turn.permissions.iter().find(|p| p.answer.is_none() && turn.call.is_some());
        if let Some(asked) = asked.filter(|p| state.decided(&p.tool).is_none()) {
            let with = asked.input.as_deref().unwrap_or_default();
            let told = told(&asked.tool, &asked.title, with);
            return Some(AsksLeave { seat, tool: asked.tool.clone(), told });
        }
        let tools = &state.seat(&turn.seat)?.spec.tools;
        let acts = |name: &Text| tools.iter().any(|tool| tool.name == *name && !tool.read_only);
        let runs = &turn.tools.last()?.runs;
        let waits = runs.iter().find(|run| {
            let tool = &run.request.tool;
            let open = run.called.is_none() && run.returned.is_none();
            open && acts(tool) && state.decided(tool).is_none()
        })?;
        let (tool, with) = (waits.request.tool.clone(), waits.request.arguments.to_string());
        let told = told(&tool, "", &with);
        Some(AsksLeave { seat, tool, told })
    })
}

/// Returns why a turn failed, in one line.
pub fn why(turn: &TimedTurn) -> String {
    let why = turn.end.error.as_ref().map_or("no reason given", |error| &*error.text);
    text::label(why).into_owned()
}

/// Returns the notification for an event; none for most.
pub fn told(transcript: &Transcript, event: &Event) -> Option<String> {
    let told = match &event.kind {
        Kind::FloorGranted(_) => {
            let who = transcript.human_turn()?;
            format!("your turn as {}", transcript.name(&who))
        }
        Kind::VoteClosed(vote) => match &vote.winner {
            Some(winner) => format!("vote: {winner} wins"),
            None => "vote: a tie".into(),
        },
        Kind::VerdictGiven(verdict) => match &verdict.winner {
            Some(winner) => format!("verdict: {winner} wins"),
            None => "verdict: no winner".into(),
        },
        Kind::LimitReached(limit) => {
            format!("stopped at the limit of {}", limit.0.what.words(limit.0.limit))
        }
        Kind::TurnEnded(end) if end.outcome == Outcome::Failed => "a turn failed".into(),
        Kind::PermissionAsked(_) | Kind::ToolAsked(_) => {
            let asks = asks_leave(transcript)?;
            format!("{} asks for permission", transcript.name(&asks.seat))
        }
        Kind::Ended(_) => "finished".into(),
        _ => return None,
    };
    Some(format!("{}: {}", transcript.title(), text::label(&told)))
}
