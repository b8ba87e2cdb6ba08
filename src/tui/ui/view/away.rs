//! The absence of the person, as far as the terminal reports its focus, and the summary on coming back. Everything in it
//! is from the log; no model is called.

use crate::analysis::MomentKind;
use crate::export::cost;
use crate::model::Outcome;
use crate::text;
use crate::ui::screen::Screen;
use crate::ui::view::absence::Absence;
use crate::ui::view::failures::failed_times;

/// Name of the operator on the own screen.
const YOU: &str = "you";
/// Minimum milliseconds of an absence with a summary.
const AWAY_MS: u64 = 120_000;
/// Maximum number of lines of each kind.
const LINES_MAX: usize = 2;

/// Notes that the terminal has lost its focus or got it back.
pub fn note(screen: &mut Screen, focused: bool) {
    let now = screen.clock.now();
    let state = screen.transcript.state();
    let absence = &mut screen.view.absence;
    if !focused {
        let (turns, since) = (state.utterances, state.next_seq);
        *absence = Some(Absence { left: now, back: None, turns, since });
        return;
    }
    let is_long =
        |absence: &Absence| now.since(absence.left) >= AWAY_MS && state.utterances > absence.turns;
    *absence = absence.filter(is_long).map(|absence| Absence { back: Some(now), ..absence });
}

/// Returns the title and the lines of the summary; `None` unless the person has just come back.
pub fn summary(screen: &Screen) -> Option<(String, String)> {
    let absence = screen.view.absence.as_ref()?;
    let minutes = absence.back?.since(absence.left) / 60_000;
    let transcript = &screen.transcript;
    let state = transcript.state();
    let (first, last) = (absence.turns + 1, state.utterances);
    let turns =
        if first == last { format!("turn {first}") } else { format!("turns {first} to {last}") };
    let title = format!("WHILE YOU WERE AWAY {} {minutes} min, {turns}", screen.glyphs.dot);
    let mut lines = vec![];
    if let Some(standing) = transcript.positions() {
        let moves = standing.moves();
        let new = moves.iter().filter(|moved| moved.now.number >= first);
        let told = new.map(|moved| format!("moved   {}", moved.describe(YOU)));
        lines.extend(told.map(|line| line.replace('→', screen.glyphs.becomes)));
    }
    let moments = transcript.turn_log.moments.iter().rev();
    let moments = moments.take_while(|moment| moment.seq >= absence.since);
    let results = moments.filter_map(|moment| match &moment.what {
        MomentKind::Vote(vote) => Some(format!("vote    {}: {}", vote.question, vote.how)),
        MomentKind::Verdict(verdict) => {
            Some(format!("verdict {}: {}", verdict.question, verdict.how))
        }
        _ => None,
    });
    lines.extend(results.take(LINES_MAX).map(|line| text::label(&line).into_owned()));
    for seat in &state.seats {
        let turns = transcript.turn_log.turns.iter().rev();
        let new = turns.take_while(|turn| turn.seq >= absence.since);
        let id = &seat.spec.id;
        let fails = new.filter(|turn| turn.seat == *id && turn.outcome == Outcome::Failed).count();
        if fails > 0 {
            lines.push(format!("trouble {} {}", transcript.name(id), failed_times(fails)));
        }
    }
    if state.spent().used().is_some() {
        lines.push(format!("spent   {} in all", cost(&state.spent())));
    }
    if lines.is_empty() {
        lines.push("no moves, votes or failures".into());
    }
    Some((title, lines.join("\n")))
}
