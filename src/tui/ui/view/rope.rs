//! The row between the poles: present positions, the last move, and the distance.

use crate::analysis::{Axis, PoleMoveKind, Standing, Track};
use crate::export::poster::PosterInk;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;

/// Number of people above which places have counts in the place of names.
const NAMED_MAX: usize = 8;
/// Columns from which a row has two cells beside it and says `apart`.
const WIDE: usize = 60;
const SAYS_APART: usize = 80;
/// Maximum share of a pole, as a divisor of the width.
const POLE_PART: usize = 5;
/// Cells between two labels, and between a pole and the label beside it: a piece of the line and a blank.
const GAP: usize = 2;
const EDGE: usize = 2;

/// A part of the row, with its colour.
pub type RopePart = (String, PosterInk);

/// A label at a place: its parts and its width.
struct Label {
    row: usize,
    parts: Vec<RopePart>,
}

impl Label {
    fn width(&self) -> usize {
        self.parts.iter().map(|(text, _)| width(text)).sum()
    }
}

/// Forms of the labels, the richest first.
#[derive(Clone, Copy)]
enum Form {
    Names,
    Initials,
    Counts,
}

/// Returns the parts of the row between two poles, as wide as `room`. `seats` is the number of participants.
pub fn parts(
    poles: [&str; 2],
    standing: Option<&Standing>,
    seats: usize,
    room: usize,
    glyphs: &Glyphs,
) -> Vec<RopePart> {
    let standing = standing.filter(|standing| standing.axis == Axis::Poles);
    let side = if room >= WIDE { 2 } else { 1 };
    let pole = |words: &str| clip(words, room / POLE_PART, glyphs.ellipsis);
    let [first, second] = poles.map(pole);
    let distance =
        standing.map_or(String::new(), |standing| distance(standing, seats, room, glyphs));
    let around = 2 * side + width(&first) + width(&second) + 2 + width(&distance);
    let axis = room.saturating_sub(around);
    let mut row = vec![(format!("{}{first} ", " ".repeat(side)), PosterInk::Muted)];
    row.extend(line(standing, axis, glyphs));
    row.push((format!(" {second}"), PosterInk::Muted));
    row.push((distance, PosterInk::Plain));
    row.push((" ".repeat(side), PosterInk::Muted));
    row
}

/// Describes the first distance and the present one, and who has no position among many.
fn distance(standing: &Standing, seats: usize, room: usize, glyphs: &Glyphs) -> String {
    let apart = standing.apart();
    let (Some(first), Some(now)) = (apart.first(), apart.last()) else { return String::new() };
    let steps = match room {
        _ if room < WIDE => format!(" {first}{}{now}", glyphs.becomes),
        _ if first == now => format!("  {now}"),
        _ => format!("  {first} {} {now}", glyphs.becomes),
    };
    let silent = seats.saturating_sub(standing.tracks.len());
    match room {
        SAYS_APART.. if seats > NAMED_MAX && silent > 0 => {
            format!("  {now} apart, {silent} silent")
        }
        SAYS_APART.. => format!("{steps} apart"),
        _ => steps,
    }
}

/// Returns the line with its labels in the richest form that fits.
fn line(standing: Option<&Standing>, axis: usize, glyphs: &Glyphs) -> Vec<RopePart> {
    let thin = |cells: usize| (glyphs.rule.repeat(cells), PosterInk::Muted);
    let Some(standing) = standing else { return vec![thin(axis)] };
    let many = standing.tracks.len() > NAMED_MAX;
    let forms =
        if many { &[Form::Counts][..] } else { &[Form::Names, Form::Initials, Form::Counts] };
    let rows = standing.rows.len().max(2) - 1;
    for form in forms {
        let labels = labels(standing, *form, glyphs);
        let inner = axis.saturating_sub(2 * EDGE);
        let wanted = labels.iter().map(|label| label.row * inner.saturating_sub(1) / rows);
        let Some(starts) = spread(&labels, wanted, inner) else { continue };
        let mut row = vec![];
        let mut at = 0;
        for (nth, (label, start)) in labels.iter().zip(starts).enumerate() {
            let start = start + EDGE;
            // a blank on each side of a label
            let blank = || (" ".to_owned(), PosterInk::Muted);
            if nth == 0 {
                row.extend([thin(start - 1), blank()]);
            } else {
                let thick = (glyphs.track.repeat(start - at - 2), PosterInk::Plain);
                row.extend([blank(), thick, blank()]);
            }
            row.extend(label.parts.clone());
            at = start + label.width();
        }
        row.extend([(" ".into(), PosterInk::Muted), thin((axis - at).saturating_sub(1))]);
        return row;
    }
    vec![thin(axis)]
}

/// Returns the labels of the occupied places, in order; the last move has an arrow.
fn labels(standing: &Standing, form: Form, glyphs: &Glyphs) -> Vec<Label> {
    let moves = standing.moves();
    let last = moves.iter().rev().find(|moved| moved.kind == PoleMoveKind::Place);
    let mut labels: Vec<Label> = vec![];
    for group in standing.now().chunk_by(|one, other| one.1.row == other.1.row) {
        let mut parts: Vec<RopePart> = vec![];
        let mover = last.filter(|moved| group.iter().any(|(track, _)| track.place == moved.place));
        let name = |track: &Track| match form {
            Form::Names => track.name.clone(),
            Form::Initials | Form::Counts => track.name.chars().take(1).collect(),
        };
        let arrow = |is_left: bool| match mover {
            Some(moved) if is_left == (moved.now.row < moved.before.row) => {
                let [left, right] =
                    if glyphs.track.is_ascii() { ["<", ">"] } else { ["◀", "▶"] };
                if is_left { left } else { right }
            }
            _ => "",
        };
        if let Form::Counts = form {
            let who = mover.map_or(String::new(), |moved| format!("{} ", moved.who));
            let ink = mover.map_or(PosterInk::Plain, |moved| PosterInk::Seat(moved.place));
            let who = if standing.tracks.len() > NAMED_MAX { who } else { String::new() };
            let text = format!("{}{who}{}{}", arrow(true), group.len(), arrow(false));
            labels.push(Label { row: group[0].1.row, parts: vec![(text, ink)] });
            continue;
        }
        for (nth, (track, _)) in group.iter().enumerate() {
            let moves = mover.is_some_and(|moved| moved.place == track.place);
            let dot = if nth > 0 { glyphs.dot } else { "" };
            if nth > 0 {
                parts.push((dot.into(), PosterInk::Muted));
            }
            let [left, right] = [true, false].map(|side| if moves { arrow(side) } else { "" });
            parts.push((format!("{left}{}{right}", name(track)), PosterInk::Seat(track.place)));
        }
        labels.push(Label { row: group[0].1.row, parts });
    }
    labels
}

/// Returns the first cells of labels around the wanted ones, with a gap between them; `None` if they do not fit.
fn spread(
    labels: &[Label],
    wanted: impl Iterator<Item = usize>,
    axis: usize,
) -> Option<Vec<usize>> {
    let mut starts = vec![];
    let mut free = 0;
    for (label, want) in labels.iter().zip(wanted) {
        let start = free.max(want.saturating_sub(label.width() / 2));
        starts.push(start);
        free = start + label.width() + GAP;
    }
    let mut end = axis;
    for (start, label) in starts.iter_mut().zip(labels).rev() {
        *start = (*start).min(end.checked_sub(label.width())?);
        end = start.saturating_sub(GAP);
    }
    let mut free = 0;
    for (start, label) in starts.iter().zip(labels) {
        if *start < free {
            return None;
        }
        free = start + label.width() + GAP;
    }
    Some(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Mover, Standpoint};
    use crate::model::TurnId;
    use crate::ui::theme::glyphs::{ASCII, UNICODE};

    const NAMES: [&str; 12] =
        ["Ada", "Bo", "Cy", "Dee", "Ella", "Dr. Aslan", "Gus", "Hal", "Ivo", "Jun", "Kai", "Lou"];

    fn stated(rows: &[&[usize]]) -> Standing {
        let track = |(place, own): (usize, &&[usize])| {
            let position = |(nth, row): (usize, &usize)| Standpoint {
                turn: TurnId(nth as u64),
                number: (nth * 12 + place + 1) as u32,
                row: *row,
                words: format!("words {row}"),
                by: Mover::Nobody,
                quote: None,
            };
            let positions = own.iter().enumerate().map(position).collect();
            Track { place, name: NAMES[place].into(), positions, lost: None }
        };
        let tracks = rows.iter().enumerate().map(track).collect();
        let rows = vec![String::new(); 5];
        Standing { rows, tracks, numbers: (1..=24).collect(), axis: Axis::Poles }
    }

    fn text(standing: &Standing, room: usize, glyphs: &Glyphs) -> String {
        let poles = ["ban them", "leave them"];
        let parts = parts(poles, Some(standing), standing.tracks.len(), room, glyphs);
        parts.into_iter().map(|(text, _)| text).collect()
    }

    #[test]
    fn people_stand_between_the_poles_and_the_last_move_has_an_arrow() {
        let three = stated(&[&[1], &[4, 3], &[2]]);
        let row = text(&three, 80, &UNICODE);
        for part in ["  ban them ─", "─ Ada ━", "━ Cy ━", "━ ◀Bo ─", "─ leave them  3 → 2"]
        {
            assert!(row.contains(part), "{part}: {row}");
        }
        let two = stated(&[&[1], &[4, 1]]);
        assert!(text(&two, 80, &UNICODE).contains(" Ada·◀Bo "), "{}", text(&two, 80, &UNICODE));
        let apart = text(&stated(&[&[0], &[4]]), 80, &UNICODE);
        assert!(apart.starts_with("  ban them ─ Ada ━"), "{apart}");
        assert!(apart.ends_with("━ Bo ─ leave them  4 apart  "), "{apart}");
    }

    /// Every row is as wide as the screen, and every name on it is whole, at every width and with any number of people.
    #[test]
    fn nothing_overlaps_at_any_width() {
        for count in [2, 3, 6, 12] {
            let places: Vec<Vec<usize>> =
                (0..count).map(|at| vec![at % 5, (at * 3 + 1) % 5]).collect();
            let places: Vec<&[usize]> = places.iter().map(Vec::as_slice).collect();
            let standing = stated(&places);
            for room in 40..=200 {
                for glyphs in [&UNICODE, &ASCII] {
                    let row = text(&standing, room, glyphs);
                    assert_eq!(width(&row), room, "{count} at {room}: {row}");
                    let named = NAMES[..count].iter().filter(|name| row.contains(**name)).count();
                    let all = named == count || named <= 1;
                    assert!(all || room < 80, "{count} at {room}: {row}");
                }
            }
        }
    }
}
