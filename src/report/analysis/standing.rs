//! Positions over the turns: between the two poles of a scenario, among a few positions of structured replies, or on a
//! scale of numbers.
//!
//! The rows of a drawing, the moves between them and the distance between the farthest apart. Nothing is inferred from
//! prose.

use super::name;
use crate::model::{AnswerKind, POLE_MAX, PositionRecorded, ResultGiven, Seq, Text, TurnId};
use crate::state::{Entry, Seat, State, Stated, Who};
use crate::text;

/// Maximum number of positions without poles; more of them are a list, not a drawing.
const ROWS_MAX: usize = 6;
/// Number of participants from which the agreement counts them instead of naming them.
const COUNTED_FROM: usize = 6;
/// Reason of a participant who has left.
const LEFT: &str = "left";
/// Number of rows of a scale of numbers.
const NUMBER_ROWS: usize = 7;

/// Positions of all participants over the turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Label of each row, from the top; empty between the two ends of a scale.
    pub rows: Vec<String>,
    /// Participants with a position, in the order of their seats.
    pub tracks: Vec<Track>,
    /// Numbers of the turns that were spoken, in order; on a scale of numbers, of the answers of a participant. A turn that
    /// failed has a number too, which is not among them.
    pub numbers: Vec<u32>,
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
    /// Reason why the participant takes no part any more, such as `left`.
    pub lost: Option<String>,
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
    /// Whose words moved the participant, as stated.
    pub by: Mover,
    /// Some of these words, safe for one line.
    pub quote: Option<String>,
}

/// Author of the words that moved a participant.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Mover {
    /// Nobody, as far as the participant said.
    #[default]
    Nobody,
    /// A participant.
    Turn {
        /// Number of its turn.
        number: u32,
        /// Index of its seat.
        place: usize,
        /// Its name, safe for one line.
        name: String,
    },
    /// The host, in the message with this `seq`.
    Host(Seq),
}

impl Mover {
    /// Returns the mover with the name of the host: `Bo #2`; `None` for nobody.
    pub fn label(&self, host: &str) -> Option<String> {
        match self {
            Mover::Nobody => None,
            Mover::Turn { number, name, .. } => Some(format!("{name} #{number}")),
            Mover::Host(_) => Some(host.to_owned()),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoleMoveKind {
    /// The place changed.
    Place,
    /// The words changed at the same place, because of a mover who is not named for the words before.
    Claim,
}

/// A change of a participant's position.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// Index of the participant's seat.
    pub place: usize,
    /// Name of the participant, safe for one line.
    pub who: String,
    /// Position before. If the words of both say the same or nothing, each has its place as its words: `-1`.
    pub before: Standpoint,
    /// Position after, with the mover.
    pub now: Standpoint,
    /// Kind of the change.
    pub kind: PoleMoveKind,
}

impl Move {
    /// Returns the move between two positions of a participant; `None` if it is none.
    fn between(axis: Axis, track: &Track, before: &Standpoint, now: &Standpoint) -> Option<Move> {
        let is_place = match axis {
            Axis::Numbers => before.words != now.words,
            Axis::Poles | Axis::Positions => before.row != now.row,
        };
        let is_new_claim = before.words.to_lowercase() != now.words.to_lowercase()
            && now.by != Mover::Nobody
            && now.by != before.by;
        let kind = match (is_place, is_new_claim) {
            (true, _) => PoleMoveKind::Place,
            (false, true) => PoleMoveKind::Claim,
            (false, false) => return None,
        };
        let (mut before, mut now) = (before.clone(), now.clone());
        let tells = is_claim(&before.words) && is_claim(&now.words);
        let is_same = before.words.to_lowercase() == now.words.to_lowercase();
        if axis == Axis::Poles && is_place && (is_same || !tells) {
            // words that do not tell the places apart
            (before.words, now.words) = (place_words(before.row), place_words(now.row));
        }
        Some(Move { place: track.place, who: track.name.clone(), before, now, kind })
    }

    /// Returns the words around the name of the participant who was moved: `Bo moved Ada`, `Bo changed Ada's words`.
    pub fn verb(&self) -> [&'static str; 2] {
        match self.kind {
            PoleMoveKind::Place => ["moved ", ""],
            PoleMoveKind::Claim => ["changed ", "'s words"],
        }
    }

    /// Returns the cause with the name of the host: `Bo #2: "a door"`; `None` without a mover.
    pub fn cause(&self, host: &str) -> Option<String> {
        let quote = self.now.quote.as_ref().map_or(String::new(), |quote| format!(": \"{quote}\""));
        Some(self.now.by.label(host)? + &quote)
    }

    /// Describes the move: `Ada: ban them → freight stays, after Bo #2: "a door"`.
    pub fn describe(&self, host: &str) -> String {
        let cause = self.cause(host).map_or(String::new(), |cause| format!(", after {cause}"));
        format!("{}: {} → {}{cause}", self.who, self.before.words, self.now.words)
    }
}

/// Returns whether the words of a position are a claim and not its place alone.
fn is_claim(words: &str) -> bool {
    words.parse::<f64>().is_err() && !words.is_empty()
}

/// Returns the place of a row between the poles as text: `+2`, `0`, `-1`.
pub fn place_words(row: usize) -> String {
    let at = i64::from(POLE_MAX) - row as i64;
    if at == 0 { "0".into() } else { format!("{at:+}") }
}

/// Returns the numbers of the turns that were spoken, in order.
pub fn spoken_numbers(state: &State) -> Vec<u32> {
    let mut numbers: Vec<u32> = state.entries.iter().filter_map(|entry| entry.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

impl Standing {
    /// Returns the index of a turn among those that were spoken.
    pub fn nth(&self, number: u32) -> usize {
        let before = self.numbers.partition_point(|own| *own < number);
        before.min(self.numbers.len().saturating_sub(1))
    }

    /// Returns the positions of a conversation; `None` without poles and with too few or too many positions.
    pub fn new(state: &State) -> Option<Standing> {
        let standing = match state.poles() {
            Some([first, second]) => {
                let mut rows = vec![String::new(); 2 * POLE_MAX as usize + 1];
                rows[0] = label(first);
                rows[2 * POLE_MAX as usize] = label(second);
                let tracks = tracks(state, |place, seat| {
                    positions(state, place, seat, |position| pole_row(position.at?))
                });
                Standing { rows, tracks, numbers: spoken_numbers(state), axis: Axis::Poles }
            }
            None if is_numeric(state) => numbers(state)?,
            None => {
                let rows = stated(state);
                if !(2..=ROWS_MAX).contains(&rows.len()) {
                    return None;
                }
                let row = |position: &PositionRecorded| {
                    let words = label(&position.words);
                    rows.iter().position(|row| *row == words)
                };
                let tracks = tracks(state, |place, seat| positions(state, place, seat, row));
                Standing { rows, tracks, numbers: spoken_numbers(state), axis: Axis::Positions }
            }
        };
        (!standing.tracks.is_empty()).then_some(standing)
    }

    /// Returns all moves in the order of their turns. Every drawing, list and export of moves uses these.
    pub fn moves(&self) -> Vec<Move> {
        let mut all = vec![];
        for track in &self.tracks {
            let pairs = track.positions.iter().zip(track.positions.iter().skip(1));
            all.extend(
                pairs.filter_map(|(before, now)| Move::between(self.axis, track, before, now)),
            );
        }
        all.sort_by_key(|moved| moved.now.number);
        all
    }

    /// Returns the moves of each participant who moved, as one line: its name, and
    /// `ban them → freight stays (after Bo #2)`. A later claim at the same place ends the line.
    pub fn chains(&self, host: &str) -> Vec<(String, String)> {
        let mut chains: Vec<(String, String)> = vec![];
        let moves = self.moves();
        for moved in &moves {
            let by = moved.now.by.label(host).map_or(String::new(), |by| format!(" (after {by})"));
            let step = format!(" → {}{by}", moved.now.words);
            match chains.iter_mut().find(|(who, _)| *who == moved.who) {
                Some((_, chain)) => chain.push_str(&step),
                None => chains.push((moved.who.clone(), format!("{}{step}", moved.before.words))),
            }
        }
        for (who, chain) in &mut chains {
            let track = self.tracks.iter().find(|track| track.name == *who);
            let end = track.and_then(|track| track.positions.last());
            let last = moves.iter().rfind(|moved| moved.who == *who);
            if let (Some(end), Some(last)) = (end, last)
                && end.number > last.now.number
                && is_claim(&end.words)
                && end.words.to_lowercase() != last.now.words.to_lowercase()
            {
                chain.push_str(&format!(" → {}", end.words));
            }
        }
        chains
    }

    /// Returns the distance between the participants that are farthest apart, after each turn from the first one with
    /// two positions, in rows; empty without a scale.
    pub fn apart(&self) -> Vec<usize> {
        if !self.axis.is_scale() {
            return vec![];
        }
        let mut stated: Vec<(u32, usize, usize)> = vec![];
        for (at, track) in self.tracks.iter().enumerate().filter(|(_, track)| !track.is_gone()) {
            stated.extend(track.positions.iter().map(|p| (p.number, at, p.row)));
        }
        stated.sort_unstable();
        // before all have a position, nobody knows how far apart they are
        let present = self.tracks.iter().filter(|track| !track.is_gone());
        let all = present.filter(|track| !track.positions.is_empty()).count();
        let mut now: Vec<Option<usize>> = vec![None; self.tracks.len()];
        let mut stated = stated.into_iter().peekable();
        let mut apart = vec![];
        for number in &self.numbers {
            while let Some((_, at, row)) = stated.next_if(|(turn, ..)| turn <= number) {
                now[at] = Some(row);
            }
            let rows: Vec<usize> = now.iter().flatten().copied().collect();
            let (least, most) = (rows.iter().min(), rows.iter().max());
            if let (Some(least), Some(most), true) =
                (least, most, rows.len() > 1 && rows.len() == all)
            {
                apart.push(most - least);
            }
        }
        apart
    }

    /// Returns whose words moved whom, and how often: indices of the seats, the most frequent first.
    pub fn movers(&self) -> Vec<(usize, usize, usize)> {
        let mut counts: Vec<(usize, usize, usize)> = vec![];
        for moved in self.moves() {
            let Mover::Turn { place: by, .. } = moved.now.by else { continue };
            let whom = moved.place;
            match counts.iter_mut().find(|(mover, moved, _)| (*mover, *moved) == (by, whom)) {
                Some((.., times)) => *times += 1,
                None => counts.push((by, whom, 1)),
            }
        }
        counts.sort_by_key(|(.., times)| std::cmp::Reverse(*times));
        counts
    }

    /// Returns the participants who take part, by their row now.
    pub fn now(&self) -> Vec<(&Track, &Standpoint)> {
        let present = self.tracks.iter().filter(|track| !track.is_gone());
        let mut now: Vec<_> =
            present.filter_map(|track| Some((track, track.positions.last()?))).collect();
        now.sort_by_key(|(_, now)| now.row);
        now
    }

    /// Describes the positions now, without calling them an agreement: `Ada and Bo say the same, Cy is 1 step away`.
    /// `None` with fewer than two positions, and between numbers, which have a median instead.
    pub fn summary(&self) -> Option<String> {
        let now = self.now();
        if now.len() < 2 || self.axis == Axis::Numbers {
            return None;
        }
        if now.len() >= COUNTED_FROM && self.axis == Axis::Poles {
            return Some(self.counted());
        }
        let groups: Vec<_> = now.chunk_by(|one, other| one.1.row == other.1.row).collect();
        let largest = groups.iter().rev().max_by_key(|group| group.len())?;
        if largest.len() < 2 {
            let apart = self.apart();
            return match (apart.first(), apart.last()) {
                (Some(first), Some(last)) => Some(steps_apart(*first, *last)),
                _ => Some("everybody says something else".into()),
            };
        }
        let names: Vec<&str> = largest.iter().map(|(track, _)| &*track.name).collect();
        let first = largest[0].1;
        let is_same =
            largest.iter().all(|(_, p)| p.words.to_lowercase() == first.words.to_lowercase());
        let all =
            if largest.len() == now.len() && names.len() > 2 { "all".into() } else { list(&names) };
        let what = if is_same { "say the same" } else { "stand in the same place" };
        let mut parts = vec![format!("{all} {what}")];
        for (track, position) in now.iter().filter(|(_, position)| position.row != first.row) {
            let steps = position.row.abs_diff(first.row);
            parts.push(match self.axis {
                Axis::Poles => {
                    format!("{} is {} away", track.name, text::plural(steps, "step"))
                }
                Axis::Positions | Axis::Numbers => format!("{} says something else", track.name),
            });
        }
        Some(parts.join(", "))
    }
}

/// Describes a distance at first and now: `4 steps apart, now 1`.
pub fn steps_apart(first: usize, now: usize) -> String {
    let now = if first == now { "still".into() } else { format!("now {now}") };
    format!("{} apart, {now}", text::plural(first, "step"))
}

impl Track {
    /// Returns whether the participant has left.
    pub fn is_gone(&self) -> bool {
        self.lost.as_deref() == Some(LEFT)
    }
}

impl Standing {
    /// Counts the participants on each side of the middle: `7 for "sell it", 3 for "keep it", 2 between`.
    fn counted(&self) -> String {
        let middle = POLE_MAX as usize;
        let now = || self.now().into_iter().map(|(_, position)| position);
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
}

/// Returns the move that a position made, if it made one.
pub fn move_of(state: &State, now: &PositionRecorded) -> Option<Move> {
    let place = state.seats.iter().position(|seat| seat.spec.id == now.participant)?;
    let seat = state.seats.get(place)?;
    let mut earlier: Vec<&PositionRecorded> =
        seat.positions.iter().filter(|s| s.at.is_some() && s.number < now.number).collect();
    earlier.sort_by_key(|position| std::cmp::Reverse(position.number));
    let before = earlier.into_iter().find(|position| state.counts(position))?;
    let row = |position: &PositionRecorded| pole_row(position.at?);
    let [before, now] = [before, now].map(|s| Some(standpoint(state, place, s, row(s)?)));
    let track = Track { place, name: name(state, &seat.spec.id), positions: vec![], lost: None };
    Move::between(Axis::Poles, &track, &before??, &now??)
}

/// Returns who moved as part of a result: from the positions between poles if there are any, else as the scribe says. The
/// flag is true for the latter.
pub fn who_moved(
    standing: Option<&Standing>,
    result: &ResultGiven,
    host: &str,
) -> (Vec<(String, String)>, bool) {
    if let Some(standing) = standing.filter(|standing| standing.axis == Axis::Poles) {
        return (standing.chains(host), false);
    }
    let said = result.moved.iter().map(|change| {
        let turn = change.turn.map(|turn| format!(" (after #{turn})"));
        let by_host = change.message.map(|_| format!(" (after {host})"));
        let turn = turn.or(by_host).unwrap_or_default();
        (label(&change.who), format!("{} → {}{turn}", label(&change.from), label(&change.to)))
    });
    (said.collect(), true)
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

/// Returns the tracks of the participants that have a position; on a scale of numbers, of those present.
fn tracks(state: &State, positions: impl Fn(usize, &Seat) -> Vec<Standpoint>) -> Vec<Track> {
    let seats = state.seats.iter().enumerate();
    let tracks = seats.map(|(place, seat)| Track {
        place,
        name: name(state, &seat.spec.id),
        positions: positions(place, seat),
        lost: match (seat.gone, seat.failures) {
            (true, _) => Some(LEFT.into()),
            (false, 0) => None,
            (false, 1) => Some("failed".into()),
            (false, 2) => Some("failed twice".into()),
            (false, more) => Some(format!("failed {more} times")),
        },
    });
    tracks.filter(|track| !track.positions.is_empty()).collect()
}

/// Returns the positions of a seat that have a row.
fn positions(
    state: &State,
    place: usize,
    seat: &Seat,
    row: impl Fn(&PositionRecorded) -> Option<usize>,
) -> Vec<Standpoint> {
    let positions = state.positions(seat).into_iter();
    positions.filter_map(|position| standpoint(state, place, position, row(position)?)).collect()
}

/// Returns the row of a place between the poles.
fn pole_row(at: i8) -> Option<usize> {
    usize::try_from(POLE_MAX - at).ok()
}

/// Returns a recorded position with its mover: an earlier message of somebody else that the participant may read.
fn standpoint(
    state: &State,
    place: usize,
    position: &PositionRecorded,
    row: usize,
) -> Option<Standpoint> {
    let number = position.number?;
    let moved = &position.participant;
    let readable = |entry: &&Entry| {
        entry.hidden.is_none() && (entry.to.is_empty() || entry.to.contains(moved))
    };
    let by_turn = || {
        let turn = position.moved_by.filter(|by| *by < number)?;
        let seat = state.utterance(turn).filter(readable)?.seat()?;
        let by = state.seats.iter().position(|s| s.spec.id == *seat).filter(|by| *by != place)?;
        Some(Mover::Turn { number: turn, place: by, name: name(state, seat) })
    };
    let by_host = || {
        let own = state.utterance(number)?;
        let seq = position.moved_by_message.filter(|seq| *seq < own.seq)?;
        let entry = state.entries.iter().rev().find(|entry| entry.seq == seq)?;
        (entry.who == Who::Operator && readable(&entry)).then_some(Mover::Host(seq))
    };
    let by = by_turn().or_else(by_host).unwrap_or_default();
    let quote = (by != Mover::Nobody).then(|| position.quote.as_deref().map(label)).flatten();
    Some(Standpoint { turn: position.turn, number, row, words: label(&position.words), by, quote })
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
    let of = |_, seat: &Seat| {
        if seat.gone {
            return vec![];
        }
        let own = answers.iter().filter(|(stated, ..)| stated.seat == seat.spec.id);
        let standpoint = |(stated, answer, value): &(&Stated, &Text, f64)| {
            Some(Standpoint {
                turn: stated.turn,
                number: stated.nth,
                row: row(*value),
                words: label(answer),
                by: Mover::Nobody,
                quote: None,
            })
        };
        own.filter_map(standpoint).collect()
    };
    let tracks = tracks(state, of);
    let numbers = (1..=stated.iter().map(|stated| stated.nth).max()?).collect();
    Some(Standing { rows, tracks, numbers, axis: Axis::Numbers })
}

/// Returns the positions of structured replies, the most common now first.
fn stated(state: &State) -> Vec<String> {
    let present = || state.seats.iter().filter(|seat| !seat.gone);
    let mut rows: Vec<(String, usize)> = vec![];
    for position in present().flat_map(|seat| state.positions(seat)) {
        let words = label(&position.words);
        if !rows.iter().any(|(row, _)| *row == words) {
            rows.push((words, 0));
        }
    }
    for now in present().filter_map(|seat| state.positions(seat).pop()) {
        let words = label(&now.words);
        rows.iter_mut().filter(|(row, _)| *row == words).for_each(|(_, holders)| *holders += 1);
    }
    rows.sort_by_key(|(_, holders)| std::cmp::Reverse(*holders));
    rows.into_iter().map(|(row, _)| row).collect()
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
                by: Mover::Nobody,
                quote: None,
            }],
            lost: None,
        };
        let tracks = rows.iter().enumerate().map(track).collect();
        Standing {
            rows: vec![String::new(); 5],
            tracks,
            numbers: vec![1, 2, 3, 4],
            axis: Axis::Poles,
        }
    }

    #[test]
    fn positions_are_told_as_places_and_never_as_an_agreement() {
        for (rows, words) in [
            (&[0, 0, 0][..], "all say the same"),
            (&[1, 1, 2], "Ada and Bo say the same, Cy is 1 step away"),
            (&[0, 1, 4], "4 steps apart, still"),
            (&[0, 4, 4, 3], "Bo and Cy say the same, Ada is 4 steps away, Dee is 1 step away"),
        ] {
            assert_eq!(standing_at(rows).summary().as_deref(), Some(words), "{rows:?}");
        }
        let mut other = standing_at(&[2, 2]);
        other.tracks[1].positions[0].words = "a trial".into();
        assert_eq!(other.summary().as_deref(), Some("Ada and Bo stand in the same place"));
        assert_eq!(standing_at(&[0]).summary(), None);
    }

    /// A move whose words do not tell the places apart names the places.
    #[test]
    fn a_move_without_new_words_names_the_places() {
        for (before, now, told) in [
            ("the cost", "The cost", "Ada: -1 → -2"),
            ("trams, firmly", "0", "Ada: -1 → -2"),
            ("trams", "", "Ada: -1 → -2"),
            ("trams", "buses", "Ada: trams → buses"),
        ] {
            let mut standing = standing_at(&[3]);
            let positions = &mut standing.tracks[0].positions;
            positions.push(Standpoint { number: 2, row: 4, ..positions[0].clone() });
            (positions[0].words, positions[1].words) = (before.into(), now.into());
            let moves = standing.moves();
            assert_eq!(moves[0].describe("you"), told);
        }
    }

    #[test]
    fn a_chain_of_moves_ends_with_the_last_claim() {
        let chain = |last: &str| {
            let mut standing = standing_at(&[3]);
            let positions = &mut standing.tracks[0].positions;
            for (number, row, words) in [(2, 1, "one district"), (3, 1, last)] {
                let words = words.into();
                positions.push(Standpoint { number, row, words, ..positions[0].clone() });
            }
            positions[0].words = "no private cars".into();
            standing.chains("you").remove(0).1
        };
        assert_eq!(chain("the depot"), "no private cars → one district → the depot");
        for same in ["One district", "1", ""] {
            assert_eq!(chain(same), "no private cars → one district", "{same}");
        }
    }

    #[test]
    fn the_distance_begins_when_all_have_a_position() {
        assert_eq!(standing_at(&[0, 4, 2]).apart(), [4, 4]);
        assert_eq!(standing_at(&[0, 1]).apart(), [1, 1, 1]);
        assert_eq!(standing_at(&[0, 1, 4]).apart(), [4, 4], "not 1 step apart at first");
    }
}
