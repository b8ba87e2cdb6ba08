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
use crate::ui::view::graph;
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
    let drawn = Section {
        body: graph(transcript, now, glyphs),
        picture: drawn(transcript, now, glyphs),
        ..Section::default()
    };
    let parts = state.seats.iter().enumerate().filter(|(_, s)| !s.gone).map(part);
    let parts = [drawn].into_iter().chain(parts).collect();
    Some(Page { title: "Dependencies".into(), parts, again: Some(page), ..Page::default() })
}

/// Draws the triggers as boxes with arrows; edges that lead back are listed below the picture.
fn drawn(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> Vec<String> {
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let seats: Vec<(usize, &Seat)> =
        state.seats.iter().enumerate().filter(|(_, seat)| !seat.gone).collect();
    let node = |(place, seat): &(usize, &Seat)| {
        let (sign, word) = stands(transcript, seat, now, &queue, glyphs);
        let name = format!("{} {}", place + 1, transcript.name(&seat.spec.id));
        (name, format!("{sign} {word}"))
    };
    let nodes: Vec<(String, String)> = seats.iter().map(node).collect();
    let at = |id: &SeatId| seats.iter().position(|(_, seat)| seat.spec.id == *id);
    let mut edges = Vec::new();
    for (to, (_, seat)) in seats.iter().enumerate() {
        edges.extend(
            seat.spec.runs.after.iter().filter_map(|after| Some((at(&after.participant)?, to))),
        );
    }
    let picture = graph::picture(&nodes, &edges, glyphs);
    let name = |at: usize| nodes.get(at).map_or("", |(name, _)| name.as_str());
    let back = picture
        .back
        .iter()
        .map(|(from, to)| format!("back: {} {} {}", name(*from), glyphs.arrow, name(*to)));
    picture.rows.into_iter().chain(back).collect()
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

/// Renders the triggers as text: below each participant, the participants that it triggers and their states.
fn graph(transcript: &Transcript, now: Ms, glyphs: &Glyphs) -> String {
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let node = |place: usize, seat: &Seat| {
        let (sign, word) = stands(transcript, seat, now, &queue, glyphs);
        format!("{sign} {} {} ({word})", place + 1, transcript.name(&seat.spec.id))
    };
    let [_, _, corner, _] = glyphs.corners;
    let seats = || state.seats.iter().enumerate().filter(|(_, seat)| !seat.gone);
    let mut drawn = String::new();
    for (place, seat) in seats() {
        let by = |after: &&After| after.participant == seat.spec.id;
        drawn.push_str(&format!("{}\n", node(place, seat)));
        for (place, other) in seats() {
            let Some(after) = other.spec.runs.after.iter().find(by) else { continue };
            let when = after.when.as_ref().map(|when| format!("  when {}", text::line(when)));
            let rule = glyphs.rule.repeat(2);
            let to = node(place, other);
            drawn.push_str(&format!("  {corner}{rule} {to}{}\n", when.unwrap_or_default()));
        }
    }
    drawn
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
