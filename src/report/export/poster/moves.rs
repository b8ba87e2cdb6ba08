//! The moves of a poster: rows below the drawing.

use super::canvas::{NAME_PART, PosterPiece, WIDE, clipped, piece, wrapped};
use super::lines::MARGIN;
use super::signs::{PosterInk, PosterSigns};
use crate::analysis::{Mover, PoleMoveKind, Standing};
use unicode_width::UnicodeWidthStr;

/// Maximum rows of the words of a move.
const WORDS_ROWS: usize = 2;
/// Cells before the name of a mover: sign and turn.
const MOVE_INDENT: usize = 7;

/// Number of rows of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MoveRows {
    /// One row, whose words may be cut.
    One,
    /// The words in rows of their own.
    Several,
}

/// Returns the moves: sign, turn, who moved whom, and with which words.
pub(super) fn moves(
    standing: Option<&Standing>,
    host: &str,
    width: usize,
    form: MoveRows,
    signs: &PosterSigns,
) -> Vec<Vec<PosterPiece>> {
    let moves = standing.map(|standing| standing.moves()).unwrap_or_default();
    let has_turns = width >= WIDE;
    let name = |name: &str| clipped(name, width / NAME_PART, signs.ellipsis);
    let mut heads = vec![];
    for moved in &moves {
        let ink = PosterInk::Seat(moved.place);
        let sign = if moved.kind == PoleMoveKind::Place { signs.place } else { signs.claim };
        let number = format!(" {:<5}", format!("#{}", moved.now.number));
        let mut row = vec![piece(sign, ink), piece(number, PosterInk::Muted)];
        let [verb, rest] = moved.verb();
        match mover(&moved.now.by, host) {
            Some((by, mover, turn)) => {
                row.push((name(mover), by, true));
                let turn = match turn {
                    Some(turn) if has_turns => format!(", #{turn},"),
                    Some(_) | None => String::new(),
                };
                row.push(piece(format!("{turn} {verb}"), PosterInk::Plain));
                row.push((name(&moved.who), ink, true));
                row.push(piece(rest, PosterInk::Plain));
            }
            None => {
                row.push((name(&moved.who), ink, true));
                row.push(piece(" moved", PosterInk::Plain));
            }
        }
        heads.push(row);
    }
    let cells = |row: &[PosterPiece]| row.iter().map(|(text, ..)| text.width()).sum::<usize>();
    let longest = heads.iter().map(|row| cells(row)).max().unwrap_or(0);
    let mut rows = vec![];
    for (mut row, moved) in heads.into_iter().zip(&moves) {
        let words = match &moved.now.quote {
            Some(quote) => format!("\"{quote}\""),
            None => format!("{} {} {}", moved.before.words, signs.becomes, moved.now.words),
        };
        if form == MoveRows::Several {
            rows.push(row);
            let room = width.saturating_sub(MOVE_INDENT + 2 * MARGIN);
            for line in wrapped(&words, room, WORDS_ROWS, signs.ellipsis) {
                let line = format!("{}{line}", " ".repeat(MOVE_INDENT));
                rows.push(vec![piece(line, PosterInk::Plain)]);
            }
            continue;
        }
        let gap = longest - cells(&row) + 3;
        let room = width.saturating_sub(longest + 3 + 2 * MARGIN);
        let words = clipped(&words, room, signs.ellipsis);
        row.push(piece(format!("{}{words}", " ".repeat(gap)), PosterInk::Plain));
        rows.push(row);
    }
    rows
}

/// Returns the participant who moved somebody, as rows of a list need it: its seat, its name and the number of its turn.
fn mover<'a>(by: &'a Mover, host: &'a str) -> Option<(PosterInk, &'a str, Option<u32>)> {
    match by {
        Mover::Nobody => None,
        Mover::Turn { number, place, name } => Some((PosterInk::Seat(*place), name, Some(*number))),
        Mover::Host(_) => Some((PosterInk::Plain, host, None)),
    }
}
