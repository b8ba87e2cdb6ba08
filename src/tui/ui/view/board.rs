//! Pages of the progress that policies report, and the symbols of its states.

use crate::model::{Ms, SeatId};
use crate::policy::{self, Board, BoardRow, Detail, DetailPart, RowLabel, RowProgress};
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::graph::{self, GraphEdge, GraphNode};
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;

/// Returns the progress of the conversation; `None` if its policy reports none.
pub fn current(transcript: &Transcript) -> Option<Board> {
    policy::board(transcript.state())
}

/// Returns the page with the details of the progress.
pub fn page(transcript: &Transcript, _: Ms, glyphs: &Glyphs) -> Option<Page> {
    let board = current(transcript)?;
    let string = |parts: &[DetailPart]| -> String {
        let part = |part: &DetailPart| match part {
            DetailPart::Text(text) => text.clone(),
            DetailPart::Seat(seat) => seat_label(transcript, seat),
            DetailPart::Sign(progress) => sign(*progress, glyphs).0.to_owned(),
            DetailPart::Arrow => glyphs.arrow.to_owned(),
        };
        parts.iter().map(part).collect()
    };
    let section = |detail: Detail| Section {
        head: string(&detail.head),
        body: string(&detail.body),
        by: detail.seat.map(|seat| transcript.seat_place(&seat)),
        warns: detail.warns,
        ..Section::default()
    };
    let drawn = board.edges.as_ref().map(|edges| drawn(transcript, &board, edges, glyphs));
    let details = policy::details(transcript.state()).into_iter().map(section);
    let parts = drawn.into_iter().chain(details).collect();
    let facts = vec![("progress", board.facts.join(", "))];
    Some(Page { title: board.page.into(), facts, parts, again: Some(page), ..Page::default() })
}

/// Draws the rows as a graph.
fn drawn(
    transcript: &Transcript,
    board: &Board,
    edges: &[(usize, usize)],
    glyphs: &Glyphs,
) -> Section {
    let node = |row: &BoardRow| {
        let label = label(transcript, &row.label);
        GraphNode {
            name: format!("{label} {}", row.text.as_deref().unwrap_or_default()),
            sign: sign(row.progress, glyphs).0,
            word: row.word.clone(),
        }
    };
    let nodes: Vec<GraphNode> = board.rows.iter().map(node).collect();
    let edge =
        |(from, to): &(usize, usize)| GraphEdge { from: *from, to: *to, when: String::new() };
    graph::section(&nodes, &edges.iter().map(edge).collect::<Vec<_>>(), glyphs)
}

/// Returns the beginning of a row as text.
pub fn label(transcript: &Transcript, label: &RowLabel) -> String {
    match label {
        RowLabel::Number(number) => number.to_string(),
        RowLabel::Seat(seat) => seat_label(transcript, seat),
    }
}

fn seat_label(transcript: &Transcript, seat: &SeatId) -> String {
    format!("{} {}", transcript.seat_place(seat) + 1, transcript.name(seat))
}

/// Returns the symbol and the colour of a state.
pub fn sign(progress: RowProgress, glyphs: &Glyphs) -> (&'static str, ThemeRole) {
    match progress {
        RowProgress::Waiting => (glyphs.waiting, ThemeRole::FloorWaiting),
        RowProgress::Running => (glyphs.speaking, ThemeRole::FloorSpeaking),
        RowProgress::Done => (glyphs.done, ThemeRole::FloorDone),
        RowProgress::Answered => (glyphs.done, ThemeRole::Text),
        RowProgress::Left => (glyphs.stopped, ThemeRole::FloorWaiting),
        RowProgress::Failed => (glyphs.stopped, ThemeRole::FloorError),
        RowProgress::Cancelled => (glyphs.paused, ThemeRole::FloorStopped),
    }
}
