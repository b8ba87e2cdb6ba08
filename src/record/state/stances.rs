//! Positions between the two poles of a scenario, as the participants state them in the last line of a turn.

use super::{Conversation, Seat, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{
    Layout, Outcome, STANCE_MAX, Seq, StanceRecorded, Text, TurnId, VoiceSpec, is_capped,
};
use crate::scenario::Advice;

/// Maximum length of a position, in words.
const WORDS_MAX: usize = 8;
/// Maximum length of a position, in characters.
const CHARS_MAX: usize = 60;
/// Number of replies in a row without a position after which a seat is not asked for one anymore.
const MISSES_MAX: u32 = 2;

/// A position of a seat between the poles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    /// The turn that stated it.
    pub turn: TurnId,
    /// Number of that turn.
    pub number: u32,
    /// Place between the poles, from -2 (the second pole) to 2 (the first).
    pub at: i8,
    /// The position in the participant's words.
    pub words: &'a Text,
    /// Number of the turn that moved the participant, as stated.
    pub moved_by: Option<u32>,
    /// `seq` of the host's message that moved the participant, as stated.
    pub moved_by_message: Option<Seq>,
}

impl Seat {
    /// Returns its positions between the poles, oldest first. A turn that was spoken again counts once, with its last
    /// reply.
    pub fn positions(&self) -> Vec<Position<'_>> {
        let mut all: Vec<Position<'_>> = vec![];
        for stance in &self.stances {
            let (Some(number), Some(at)) = (stance.number, stance.at) else { continue };
            all.retain(|earlier| earlier.number != number);
            all.push(Position {
                turn: stance.turn,
                number,
                at,
                words: &stance.stance,
                moved_by: stance.moved_by,
                moved_by_message: stance.moved_by_message,
            });
        }
        all
    }

    /// Returns how often its place between the poles changed.
    pub fn moves(&self) -> usize {
        let positions = self.positions();
        positions.windows(2).filter(|pair| pair[0].at != pair[1].at).count()
    }
}

impl Conversation {
    /// Returns the names of the poles, the positive one first.
    pub fn poles(&self) -> Option<&[Text; 2]> {
        self.scenario.stance.as_ref()
    }

    /// Returns the distance between the seats that are farthest apart now, from 0 to 4; `None` with fewer than two
    /// positions.
    pub fn apart(&self) -> Option<u8> {
        self.apart_at(u32::MAX)
    }

    /// Returns the distance between the seats that were farthest apart after a turn.
    pub fn apart_at(&self, number: u32) -> Option<u8> {
        let places: Vec<i8> = (self.seats.iter().filter(|seat| !seat.gone))
            .filter_map(|seat| {
                let positions = seat.positions();
                positions.iter().rev().find(|p| p.number <= number).map(|p| p.at)
            })
            .collect();
        let least = places.iter().min()?;
        let most = places.iter().max()?;
        (places.len() > 1).then(|| most.abs_diff(*least))
    }

    /// Returns the position in the last line of a turn; `None` without a readable one.
    pub(super) fn stance_of(&self, turn: &Turn, e: &TurnEnded) -> Option<StanceRecorded> {
        let line = parse(e.stance.as_deref()?)?;
        let message = self.message_meant(turn, line.after);
        Some(StanceRecorded {
            participant: turn.seat.clone(),
            turn: turn.id,
            number: turn.number,
            stance: line.words,
            confidence: None,
            at: Some(line.at),
            moved_by: if message.is_some() { None } else { self.number_meant(turn, line.after) },
            moved_by_message: message.flatten(),
        })
    }

    /// Returns the host's message that a text refers to: `#h2`, or the latest one by `host`. `Some(None)` if the host has
    /// not said it.
    fn message_meant(&self, turn: &Turn, text: &str) -> Option<Option<Seq>> {
        let earlier = self.host_messages().filter(|entry| entry.seq < turn.heard);
        let mut earlier: Vec<Seq> = earlier.map(|entry| entry.seq).collect();
        let word = text.trim_start_matches("after ").trim_start_matches(['#', ' ']).to_lowercase();
        let word = word.trim_start_matches("the ");
        let word = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if word == "host" {
            return Some(earlier.pop());
        }
        let number: usize = word.strip_prefix('h')?.parse().ok()?;
        Some(number.checked_sub(1).and_then(|place| earlier.get(place).copied()))
    }

    /// Returns the number of the earlier turn that a text refers to: `#2`, or the last turn of a participant by name.
    fn number_meant(&self, turn: &Turn, text: &str) -> Option<u32> {
        let earlier = |number: &u32| turn.number.is_some_and(|own| *number < own);
        let name = text.trim_start_matches("after ").to_lowercase();
        let seat = self.seats.iter().find(|s| s.spec.name.to_lowercase() == name);
        if let Some(seat) = seat.filter(|seat| seat.spec.id != turn.seat) {
            let said = self.entries.iter().rev().filter(|e| e.seat() == Some(&seat.spec.id));
            return said.filter_map(|e| e.number).find(earlier);
        }
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse().ok().filter(earlier)
    }

    /// Returns whether replies of a seat are searched for a position: the line is removed even if it was not asked for.
    pub fn reads_stance(&self, turn: &Turn) -> bool {
        let thread = self.threads.get(&turn.thread);
        self.scenario.stance.is_some()
            && turn.speaks()
            && thread.is_none_or(|thread| thread.traits().debates)
            && self.contract_of(turn).form.is_words()
            && self.seat(&turn.seat).is_some_and(|seat| {
                let voice = &seat.spec.voice;
                voice.reads_as_a_model() || matches!(voice, VoiceSpec::Lines { .. })
            })
    }

    /// Returns whether the prompt of a turn asks for a position.
    pub fn asks_stance(&self, turn: &Turn) -> bool {
        let misses = self.seat(&turn.seat).map_or(0, |seat| seat.stance_misses);
        self.may_ask_stance(turn) && misses < MISSES_MAX
    }

    /// Returns whether the prompts of a seat can ask for a position: in guided debates, but not in those of small models or
    /// of a scribe.
    fn may_ask_stance(&self, turn: &Turn) -> bool {
        let fits = |seat: &Seat| {
            seat.spec.voice.reads_as_a_model() && self.layout_of(&seat.spec) != Layout::Small
        };
        self.reads_stance(turn)
            && self.advice(turn) == Advice::Debate
            && self.seat(&turn.seat).is_some_and(fits)
    }

    /// Returns whether the messages of others have their numbers in a turn's prompt, so that its speaker can refer to them.
    pub fn numbers_turns(&self, turn: &Turn) -> bool {
        turn.refers_to_turns() || self.may_ask_stance(turn)
    }

    /// Counts the replies in a row that lack a position although their prompt asked for one.
    pub(super) fn count_stance(&mut self, turn: &Turn, e: &TurnEnded) {
        let complete = e.outcome == Outcome::Said && !e.finish.as_deref().is_some_and(is_capped);
        if !complete || !self.asks_stance(turn) {
            return;
        }
        let missed = e.stance.as_deref().and_then(parse).is_none();
        self.set_seat(&turn.seat, |seat| {
            seat.stance_misses = if missed { seat.stance_misses + 1 } else { 0 };
        });
    }
}

/// A parsed `STANCE:` line.
#[derive(Debug, PartialEq)]
struct StanceLine<'a> {
    at: i8,
    words: Text,
    /// The turn that moved the speaker, as written.
    after: &'a str,
}

/// Parses `+1 | freight stays | after #2`; `None` without a value on the scale.
fn parse(line: &str) -> Option<StanceLine<'_>> {
    let mut fields = line.split('|').map(str::trim);
    let value = fields.next()?;
    let number = value.trim_start_matches('+').replace(['\u{2212}', '\u{2013}'], "-");
    let at = number.parse().ok().filter(|at| (-STANCE_MAX..=STANCE_MAX).contains(at))?;
    let quotes = |c: char| matches!(c, '"' | '\'' | '*' | '`' | '.' | '“' | '”');
    let said = fields.next().unwrap_or_default().trim_matches(quotes);
    let all: Vec<&str> = said.split_whitespace().collect();
    let kept = all.iter().take(WORDS_MAX).copied().collect::<Vec<_>>().join(" ");
    let mut words: String = kept.chars().take(CHARS_MAX).collect();
    if all.len() > WORDS_MAX || words.len() < kept.len() {
        words.push('…');
    }
    let words = if words.is_empty() { value.into() } else { words.into() };
    let after = fields.next().unwrap_or_default().trim_end_matches('.');
    Some(StanceLine { at, words, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_models_write_it() {
        let cases = [
            ("+1 | freight stays | after #2", Some((1, "freight stays", "after #2"))),
            ("-2|leave them|", Some((-2, "leave them", ""))),
            ("\u{2212}1 | \"permits for people\" | #11.", Some((-1, "permits for people", "#11"))),
            ("0", Some((0, "0", ""))),
            (
                "2 | one two three four five six seven eight nine | nobody",
                Some((2, "one two three four five six seven eight…", "nobody")),
            ),
            ("+3 | too far", None),
            ("for the ban", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let parsed = parse(line);
            let parsed = parsed.as_ref().map(|s| (s.at, &*s.words, s.after));
            assert_eq!(parsed, expected, "{line:?}");
        }
    }
}
