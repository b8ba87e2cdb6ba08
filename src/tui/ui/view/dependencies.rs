//! Live page of the dependencies in a `depends` conversation.
//!
//! Each dependency shows its condition, whether it is currently met, and how often it triggered its seat. The policy
//! decides who runs next.

use crate::expr::{Condition, Facts};
use crate::model::{After, Ms, Needs, SeatId};
use crate::state::{Seat, State, Thread, Who};
use crate::text;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::{next, seat_word};
use crate::ui::view::graph::{self, GraphEdge, GraphNode};
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;

/// Returns the page; `None` if no seat depends on another one.
pub fn page(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Option<Page> {
    let state = transcript.state();
    let waits = |seat: &&Seat| !seat.spec.runs.after.is_empty();
    if !state.seats.iter().any(|seat| waits(&seat)) {
        return None;
    }
    let (queue, _) = next(transcript);
    let thread = state.leaves().next().or_else(|| state.threads.values().next())?;
    let part = |(place, seat): (usize, &Seat)| {
        let id = &seat.spec.id;
        let word = seat_word(transcript, id, now, &queue);
        let most = seat.spec.max_utterances.unwrap_or(1);
        let mut head =
            format!("{} {}  {} of {most} turns", place + 1, transcript.name(id), seat.utterances);
        if !word.is_empty() {
            head.push_str(&format!("  {} {word}", glyphs.speaking));
        }
        let runs = &seat.spec.runs;
        let mut lines: Vec<String> = Vec::new();
        if runs.starts.unwrap_or(runs.after.is_empty()) {
            lines.push("starts the conversation".into());
        }
        if runs.after.len() > 1 {
            lines.push(match runs.needs {
                Needs::All => "needs all of these".into(),
                Needs::Any => "needs any of these".into(),
            });
        }
        let edges = runs.after.iter().enumerate();
        lines.extend(edges.map(|(at, after)| edge(transcript, glyphs, thread, id, at, after)));
        let body = lines.iter().map(|line| format!("  {line}\n")).collect();
        Section { head, body, ..Section::default() }
    };
    let drawn = drawn(transcript, now, glyphs);
    let parts = state.seats.iter().enumerate().filter(|(_, s)| !s.gone).map(part);
    let parts = [drawn].into_iter().chain(parts).collect();
    Some(Page { title: "Dependencies".into(), parts, again: Some(page), ..Page::default() })
}

/// Draws the participants and their triggers.
fn drawn(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Section {
    let (queue, _) = next(transcript);
    let seats: Vec<(usize, &Seat)> =
        transcript.state().seats.iter().enumerate().filter(|(_, seat)| !seat.gone).collect();
    let node = |(place, seat): &(usize, &Seat)| {
        let (sign, word) = stands(transcript, seat, now, &queue, glyphs);
        GraphNode { name: format!("{} {}", place + 1, transcript.name(&seat.spec.id)), sign, word }
    };
    let nodes: Vec<GraphNode> = seats.iter().map(node).collect();
    let mut edges = vec![];
    for (to, (_, seat)) in seats.iter().enumerate() {
        for after in &seat.spec.runs.after {
            let from = seats.iter().position(|(_, seat)| seat.spec.id == after.participant);
            let when = after.when.as_ref().map(|when| text::line(when).into_owned());
            let when = when.unwrap_or_default();
            edges.extend(from.map(|from| GraphEdge { from, to, when }));
        }
    }
    graph::section(&nodes, &edges, glyphs)
}

/// Returns the symbol and the word for the state of a participant.
fn stands(
    transcript: &Transcript,
    seat: &Seat,
    now: Ms,
    queue: &[SeatId],
    glyphs: &Glyphs,
) -> (&'static str, String) {
    let speaks = transcript.state().turns.values().any(|turn| turn.seat == seat.spec.id);
    match (speaks, seat.utterances) {
        (true, _) => (glyphs.speaking, seat_word(transcript, &seat.spec.id, now, queue)),
        (false, 0) => (glyphs.waiting, "waiting".into()),
        (false, _) => (glyphs.done, "done".into()),
    }
}

/// Describes one dependency.
fn edge(
    transcript: &Transcript,
    glyphs: &Glyphs,
    thread: &Thread,
    id: &SeatId,
    at: usize,
    after: &After,
) -> String {
    let state = transcript.state();
    let spoken = said(state, thread, &after.participant);
    let has = if spoken { "has spoken" } else { "not spoken yet" };
    let (holds, when) = match &after.when {
        None => (true, String::new()),
        Some(when) => {
            let condition = Condition::compile(when)
                .and_then(|c| c.holds(&Facts::new(state.facts(|name| c.uses(name)))));
            let now = match &condition {
                Ok(true) => "condition is true",
                Ok(false) => "condition is false",
                Err(_) => "condition cannot be evaluated",
            };
            (condition == Ok(true), format!("; when {}: {now}", text::line(when)))
        }
    };
    let sign = if spoken && holds { glyphs.playhead } else { glyphs.dot };
    let fired = {
        let edges = thread.memo.edges.as_ref().and_then(|edges| edges.get(id));
        edges.and_then(|edges| edges.get(at)).copied().unwrap_or(0)
    };
    let name = transcript.name(&after.participant);
    format!("{sign} after {name} ({has}){when}; triggered it {fired} of {} times", after.max)
}

fn said(state: &State, thread: &Thread, seat: &SeatId) -> bool {
    state.entries.iter().rev().any(|e| e.thread == thread.id && e.who == Who::Seat(seat.clone()))
}
