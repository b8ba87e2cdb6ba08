//! Positions over the turns: between the two poles of a scenario, among a few positions of structured replies, or on a
//! scale of numbers.
//!
//! The rows of a drawing, the moves between them and the distance between the farthest apart. Nothing is inferred from
//! prose.

use super::name;
use crate::model::{AnswerKind, STANCE_MAX, SeatId, StanceRecorded, Text, TurnId};
use crate::state::{Position, Seat, State, Stated};
use crate::text;

/// Maximum number of positions without poles; more of them are a list, not a drawing.
const ROWS_MAX: usize = 6;
/// Number of participants from which the agreement counts them instead of naming them.
const COUNTED_FROM: usize = 6;
/// Number of rows of a scale of numbers.
const NUMBER_ROWS: usize = 7;

/// Positions of all participants over the turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Label of each row, from the top; empty between the two ends of a scale.
    pub rows: Vec<String>,
    /// Participants with a position, in the order of their seats.
    pub tracks: Vec<Track>,
    /// Number of the last turn.
    pub turns: u32,
    /// Meaning of the rows.
    pub axis: Axis,
}

/// Meaning of the rows of a drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// Places between two poles.
    Poles,
    /// One position each, without an order.
    #[default]
    Positions,
    /// Numbers from the greatest to the least.
    Numbers,
}

impl Axis {
    /// Returns whether rows have a distance.
    pub fn is_scale(self) -> bool {
        self != Axis::Positions
    }
}

/// Positions of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Index of its seat.
    pub place: usize,
    /// Name, safe for one line.
    pub name: String,
    /// Positions, oldest first; never empty.
    pub positions: Vec<Standpoint>,
}

/// A position of a participant.
#[derive(Clone, Debug, PartialEq)]
pub struct Standpoint {
    /// Turn that stated it.
    pub turn: TurnId,
    /// Number of that turn; on a scale of numbers, of the answer among those of the participant.
    pub number: u32,
    /// Index of its row.
    pub row: usize,
    /// The position in the participant's words, safe for one line.
    pub words: String,
    /// Number of the turn that moved the participant, as stated.
    pub by_turn: Option<u32>,
    /// Index of the seat that spoke in that turn.
    pub by_place: Option<usize>,
}

/// A change of a participant's row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing<'a> {
    /// The participant.
    pub track: &'a Track,
    /// Position before.
    pub before: &'a Standpoint,
    /// Position after.
    pub now: &'a Standpoint,
}

impl Standing {
    /// Returns the positions of a conversation; `None` without poles and with too few or too many positions.
    pub fn new(state: &State) -> Option<Standing> {
        let standing = match state.poles() {
            Some([first, second]) => {
                let mut rows = vec![String::new(); 2 * STANCE_MAX as usize + 1];
                rows[0] = label(first);
                rows[2 * STANCE_MAX as usize] = label(second);
                let tracks = tracks(state, |seat| between_poles(state, seat));
                Standing { rows, tracks, turns: state.utterances, axis: Axis::Poles }
            }
            None if is_numeric(state) => numbers(state)?,
            None => {
                let rows = stated(state);
                if !(2..=ROWS_MAX).contains(&rows.len()) {
                    return None;
                }
                let tracks = tracks(state, |seat| among(state, seat, &rows));
                Standing { rows, tracks, turns: state.utterances, axis: Axis::Positions }
            }
        };
        (!standing.tracks.is_empty()).then_some(standing)
    }

    /// Returns the changes of a row, in the order of their turns.
    pub fn crossings(&self) -> Vec<Crossing<'_>> {
        let mut all = vec![];
        for track in &self.tracks {
            let pairs = track.positions.iter().zip(track.positions.iter().skip(1));
            let moved = |before: &Standpoint, now: &Standpoint| match self.axis {
                Axis::Numbers => before.words != now.words,
                Axis::Poles | Axis::Positions => before.row != now.row,
            };
            for (before, now) in pairs.filter(|(before, now)| moved(before, now)) {
                all.push(Crossing { track, before, now });
            }
        }
        all.sort_by_key(|crossing| crossing.now.number);
        all
    }

    /// Returns the distance between the participants that are farthest apart, after each turn from the first one with
    /// two positions, in rows; empty without a scale.
    pub fn apart(&self) -> Vec<usize> {
        if !self.axis.is_scale() {
            return vec![];
        }
        let mut stated: Vec<(u32, usize, usize)> = vec![];
        for (at, track) in self.tracks.iter().enumerate() {
            stated.extend(track.positions.iter().map(|p| (p.number, at, p.row)));
        }
        stated.sort_unstable();
        let mut now: Vec<Option<usize>> = vec![None; self.tracks.len()];
        let mut stated = stated.into_iter().peekable();
        let mut apart = vec![];
        for number in 1..=self.turns {
            while let Some((_, at, row)) = stated.next_if(|(turn, ..)| *turn <= number) {
                now[at] = Some(row);
            }
            let rows: Vec<usize> = now.iter().flatten().copied().collect();
            let (least, most) = (rows.iter().min(), rows.iter().max());
            if let (Some(least), Some(most), true) = (least, most, rows.len() > 1) {
                apart.push(most - least);
            }
        }
        apart
    }

    /// Returns whose words moved whom, and how often: indices of the seats, the most frequent first.
    pub fn movers(&self) -> Vec<(usize, usize, usize)> {
        let mut counts: Vec<(usize, usize, usize)> = vec![];
        for crossing in self.crossings() {
            let Some(by) = crossing.now.by_place.filter(|by| *by != crossing.track.place) else {
                continue;
            };
            let whom = crossing.track.place;
            match counts.iter_mut().find(|(mover, moved, _)| (*mover, *moved) == (by, whom)) {
                Some((.., times)) => *times += 1,
                None => counts.push((by, whom, 1)),
            }
        }
        counts.sort_by_key(|(.., times)| std::cmp::Reverse(*times));
        counts
    }

    /// Describes the agreement now: `Ada and Bo agree, Cy has not decided`. `None` with fewer than two positions, and
    /// between numbers, which have a median instead.
    pub fn agreement(&self) -> Option<String> {
        if self.tracks.len() < 2 || self.axis == Axis::Numbers {
            return None;
        }
        if self.tracks.len() >= COUNTED_FROM && self.axis == Axis::Poles {
            return Some(self.counted());
        }
        let middle = STANCE_MAX as usize;
        let mut sides: Vec<(usize, Vec<&str>)> = vec![];
        let mut undecided = vec![];
        for track in &self.tracks {
            let Some(now) = track.positions.last() else { continue };
            let side = match now.row.cmp(&middle) {
                _ if self.axis == Axis::Positions => now.row,
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => 2 * middle,
                std::cmp::Ordering::Equal => {
                    undecided.push(&*track.name);
                    continue;
                }
            };
            match sides.iter_mut().find(|(row, _)| *row == side) {
                Some((_, names)) => names.push(&track.name),
                None => sides.push((side, vec![&track.name])),
            }
        }
        sides.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        let mut parts = vec![];
        match &sides[..] {
            [] => return Some("nobody has decided".into()),
            [(_, names)] if undecided.is_empty() && names.len() > 2 => {
                return Some("all agree".into());
            }
            [(_, names)] if names.len() == 1 => parts.push(format!("{} has decided", names[0])),
            [(_, names), others @ ..] if names.len() > 1 => {
                parts.push(format!("{} agree", list(names)));
                let others: Vec<&str> =
                    others.iter().flat_map(|(_, n)| n.iter().copied()).collect();
                match others.len() {
                    0 => {}
                    1 => parts.push(format!("{} disagrees", others[0])),
                    _ => parts.push(format!("{} disagree", list(&others))),
                }
            }
            all => {
                let names: Vec<&str> = all.iter().flat_map(|(_, n)| n.iter().copied()).collect();
                parts.push(format!("{} disagree", list(&names)));
            }
        }
        match undecided.len() {
            0 => {}
            1 => parts.push(format!("{} has not decided", undecided[0])),
            _ => parts.push(format!("{} have not decided", list(&undecided))),
        }
        Some(parts.join(", "))
    }
}

impl Standing {
    /// Counts the participants on each side of the middle: `7 for "sell it", 3 for "keep it", 2 between`.
    fn counted(&self) -> String {
        let middle = STANCE_MAX as usize;
        let now = || self.tracks.iter().filter_map(|track| track.positions.last());
        let count =
            |fits: fn(&usize, &usize) -> bool| now().filter(|p| fits(&p.row, &middle)).count();
        let pole =
            |row: Option<&String>| row.map_or(String::new(), |row| format!(" for \"{row}\""));
        let parts = [
            (count(|row, middle| row < middle), pole(self.rows.first())),
            (count(|row, middle| row > middle), pole(self.rows.last())),
            (count(|row, middle| row == middle), " between".to_owned()),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, what)| format!("{count}{what}")).collect::<Vec<_>>().join(", ")
    }

    /// Returns the distance between the farthest numbers after the first answers and now, as text; `None` without a
    /// scale of numbers.
    pub fn range(&self) -> Option<(String, String)> {
        if self.axis != Axis::Numbers {
            return None;
        }
        let at = |of: fn(&Track) -> Option<&Standpoint>| {
            let values =
                self.tracks.iter().filter_map(|track| of(track)?.words.parse::<f64>().ok());
            let (least, most) =
                values.fold((f64::MAX, f64::MIN), |(least, most), v| (v.min(least), v.max(most)));
            (most - least).to_string()
        };
        Some((at(|track| track.positions.first()), at(|track| track.positions.last())))
    }
}

/// Describes the change of place that a stance made: `Ada: ban them → freight stays, after Bo #2`. `None` if the
/// participant's place between the poles is the same as before, or its first.
pub fn crossing(state: &State, now: &StanceRecorded) -> Option<String> {
    let stances = &state.seat(&now.participant)?.stances;
    // a turn that is spoken again replaces its own stance
    let earlier = |stance: &&StanceRecorded| stance.at.is_some() && stance.number != now.number;
    let before = stances.iter().rev().find(earlier)?;
    if before.at == now.at {
        return None;
    }
    let who = name(state, &now.participant);
    let mut words = format!("{who}: {} → {}", before.stance, now.stance);
    if now.moved_by_message.is_some() {
        words.push_str(", after the host");
    }
    if let Some(turn) = now.moved_by {
        let by = speaker(state, turn).and_then(|place| state.seats.get(place));
        let by = by.map_or(String::new(), |seat| format!("{} ", name(state, &seat.spec.id)));
        words.push_str(&format!(", after {by}#{turn}"));
    }
    Some(words)
}

/// Joins names: `Ada, Bo and Cy`.
pub fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn label(words: &str) -> String {
    text::label(words).into_owned()
}

/// Returns the tracks of the participants that are present and have a position.
fn tracks(state: &State, positions: impl Fn(&Seat) -> Vec<Standpoint>) -> Vec<Track> {
    let seats = state.seats.iter().enumerate().filter(|(_, seat)| !seat.gone);
    let tracks = seats.map(|(place, seat)| Track {
        place,
        name: name(state, &seat.spec.id),
        positions: positions(seat),
    });
    tracks.filter(|track| !track.positions.is_empty()).collect()
}

fn between_poles(state: &State, seat: &Seat) -> Vec<Standpoint> {
    let positions = seat.positions().into_iter();
    let standpoint = |position: Position<'_>| Standpoint {
        turn: position.turn,
        number: position.number,
        row: usize::try_from(STANCE_MAX - position.at).unwrap_or(0),
        words: label(position.words),
        by_turn: position.moved_by,
        by_place: position.moved_by.and_then(|number| speaker(state, number)),
    };
    positions.map(standpoint).collect()
}

fn among(state: &State, seat: &Seat, rows: &[String]) -> Vec<Standpoint> {
    let standpoint = |stance: &StanceRecorded| {
        let words = label(&stance.stance);
        Some(Standpoint {
            turn: stance.turn,
            number: stance.number?,
            row: rows.iter().position(|row| *row == words)?,
            words,
            by_turn: stance.moved_by,
            by_place: stance.moved_by.and_then(|number| speaker(state, number)),
        })
    };
    seat.stances.iter().filter_map(standpoint).collect()
}

fn is_numeric(state: &State) -> bool {
    state.scenario.answer.as_ref().is_some_and(|answer| answer.form == AnswerKind::Number)
}

/// Returns the numbers that were answered, on a scale from the greatest to the least; `None` if all are the same.
fn numbers(state: &State) -> Option<Standing> {
    let stated = state.stated();
    let answers = stated.iter().filter_map(|s| {
        let answer = s.answer.as_ref()?;
        let value = answer.parse::<f64>().ok().filter(|value| value.is_finite())?;
        Some((s, answer, value))
    });
    let answers: Vec<(&Stated, &Text, f64)> = answers.collect();
    let least = answers.iter().min_by(|a, b| a.2.total_cmp(&b.2))?;
    let most = answers.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    let last = NUMBER_ROWS - 1;
    let row = |value: f64| ((most.2 - value) / (most.2 - least.2) * last as f64).round() as usize;
    if most.2 <= least.2 {
        return None;
    }
    let mut rows = vec![String::new(); NUMBER_ROWS];
    rows[0] = label(most.1);
    rows[last] = label(least.1);
    let of = |seat: &Seat| {
        let own = answers.iter().filter(|(stated, ..)| stated.seat == seat.spec.id);
        let standpoint = |(stated, answer, value): &(&Stated, &Text, f64)| {
            Some(Standpoint {
                turn: stated.turn,
                number: stated.nth,
                row: row(*value),
                words: label(answer),
                by_turn: None,
                by_place: None,
            })
        };
        own.filter_map(standpoint).collect()
    };
    let tracks = tracks(state, of);
    let turns = stated.iter().map(|stated| stated.nth).max()?;
    Some(Standing { rows, tracks, turns, axis: Axis::Numbers })
}

/// Returns the positions of structured replies, the most common now first.
fn stated(state: &State) -> Vec<String> {
    let present = || state.seats.iter().filter(|seat| !seat.gone);
    let mut rows: Vec<(String, usize)> = vec![];
    for stance in present().flat_map(|seat| &seat.stances).filter(|s| s.number.is_some()) {
        let words = label(&stance.stance);
        if !rows.iter().any(|(row, _)| *row == words) {
            rows.push((words, 0));
        }
    }
    for now in present().filter_map(|seat| seat.stances.last()) {
        let words = label(&now.stance);
        rows.iter_mut().filter(|(row, _)| *row == words).for_each(|(_, holders)| *holders += 1);
    }
    rows.sort_by_key(|(_, holders)| std::cmp::Reverse(*holders));
    rows.into_iter().map(|(row, _)| row).collect()
}

/// Returns the index of the seat that spoke in a turn.
fn speaker(state: &State, number: u32) -> Option<usize> {
    let seat: &SeatId = state.utterance(number)?.seat()?;
    state.seats.iter().position(|s| s.spec.id == *seat)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns tracks with one position each, by row.
    fn standing_at(rows: &[usize]) -> Standing {
        let names = ["Ada", "Bo", "Cy", "Dee"];
        let track = |(place, row): (usize, &usize)| Track {
            place,
            name: names[place].into(),
            positions: vec![Standpoint {
                turn: TurnId(place as u64),
                number: place as u32 + 1,
                row: *row,
                words: String::new(),
                by_turn: None,
                by_place: None,
            }],
        };
        let tracks = rows.iter().enumerate().map(track).collect();
        Standing { rows: vec![String::new(); 5], tracks, turns: 4, axis: Axis::Poles }
    }

    #[test]
    fn the_agreement_counts_the_sides_of_the_middle() {
        for (rows, words) in [
            (&[0, 0, 1][..], "all agree"),
            (&[1, 1, 2], "Ada and Bo agree, Cy has not decided"),
            (&[0, 1, 4], "Ada and Bo agree, Cy disagrees"),
            (&[0, 4], "Ada and Bo disagree"),
            (&[2, 2], "nobody has decided"),
            (&[2, 0, 2], "Bo has decided, Ada and Cy have not decided"),
            (&[0, 4, 4, 3], "Bo, Cy and Dee agree, Ada disagrees"),
        ] {
            assert_eq!(standing_at(rows).agreement().as_deref(), Some(words), "{rows:?}");
        }
        assert_eq!(standing_at(&[0]).agreement(), None);
    }

    #[test]
    fn the_distance_begins_with_the_second_position() {
        assert_eq!(standing_at(&[0, 4, 2]).apart(), [4, 4, 4]);
        assert_eq!(standing_at(&[0, 1]).apart(), [1, 1, 1]);
    }
}
