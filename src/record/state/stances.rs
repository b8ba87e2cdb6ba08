//! Positions between the two poles of a scenario, as the participants state them in the last line of a turn.

use super::{Conversation, Entry, Seat, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{
    Layout, Outcome, POLE_MAX, PositionRecorded, Text, TurnId, VoiceSpec, is_capped,
};
use crate::scenario::Advice;
use std::collections::BTreeMap;

/// Tokens of the line with the speaker's position.
const STANCE_TOKENS: u32 = 32;
/// Maximum length of a position, in words.
const WORDS_MAX: usize = 8;
/// Maximum length of a position, in characters.
const CHARS_MAX: usize = 60;
/// Maximum length of a quotation, in words.
const QUOTE_WORDS_MAX: usize = 12;
/// Maximum distance between positions that nearly agree, of 4.
const AGREES: u8 = 1;
/// Number of replies in a row without a position after which a seat is not asked for one anymore.
const MISSES_MAX: u32 = 2;

impl Conversation {
    /// Returns the names of the poles, the positive one first.
    pub fn poles(&self) -> Option<&[Text; 2]> {
        self.scenario.stance.as_ref()
    }

    /// Returns whether a position counts: turns that are cut or hidden, and versions that another one replaces, have none.
    pub fn counts(&self, position: &PositionRecorded) -> bool {
        let entry = position.number.and_then(|number| self.utterance(number));
        entry.is_some_and(|entry| states(entry) == Some(position.turn))
    }

    /// Returns the positions of a seat that count, in the order of their turns.
    pub fn positions<'a>(&'a self, seat: &'a Seat) -> Vec<&'a PositionRecorded> {
        let by_turn: BTreeMap<TurnId, &PositionRecorded> =
            seat.positions.iter().filter(|p| p.number.is_some()).map(|p| (p.turn, p)).collect();
        if by_turn.is_empty() {
            return vec![];
        }
        let stated = self.entries.iter().filter_map(states);
        let mut all: Vec<_> = stated.filter_map(|turn| by_turn.get(&turn).copied()).collect();
        all.sort_by_key(|position| position.number);
        all
    }

    /// Returns the positions of a seat that count and lie on the scale between the poles.
    pub fn pole_positions<'a>(&'a self, seat: &'a Seat) -> Vec<&'a PositionRecorded> {
        self.positions(seat).into_iter().filter(|position| position.at.is_some()).collect()
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
                let positions = self.pole_positions(seat);
                positions.iter().rev().find(|p| p.number <= Some(number))?.at
            })
            .collect();
        let least = places.iter().min()?;
        let most = places.iter().max()?;
        (places.len() > 1).then(|| most.abs_diff(*least))
    }

    /// Returns whether all seats that are asked for positions have one, at most one step apart.
    pub fn nearly_agrees(&self) -> bool {
        let states = |seat: &&Seat| !seat.gone && seat.spec.speaks && self.may_state(seat);
        let has_position = |seat: &Seat| !self.pole_positions(seat).is_empty();
        self.seats.iter().filter(states).all(has_position)
            && self.apart().is_some_and(|apart| apart <= AGREES)
    }

    /// Returns the position in the last line of a turn; `None` without a readable one.
    pub(super) fn position_of(&self, turn: &Turn, e: &TurnEnded) -> Option<PositionRecorded> {
        let line = parse(e.closing_line.as_deref()?)?;
        let mover = self.entry_meant(turn, line.after);
        Some(PositionRecorded {
            participant: turn.seat.clone(),
            turn: turn.id,
            number: turn.number,
            words: line.words,
            confidence: None,
            at: Some(line.at),
            moved_by: mover.and_then(|mover| mover.number),
            moved_by_message: mover.filter(|mover| mover.seat().is_none()).map(|mover| mover.seq),
            quote: mover.and_then(|mover| self.quoted(turn, mover, line.quote)),
        })
    }

    /// Returns the first words of a quotation if the prompt of a turn had them in an entry.
    fn quoted(&self, turn: &Turn, entry: &Entry, quote: &str) -> Option<Text> {
        let words: Vec<&str> = quote.split_whitespace().take(QUOTE_WORDS_MAX).collect();
        let words = words.join(" ");
        let spoken = folded(entry.text_at(self.heard_to(turn))?);
        let quoted = folded(&words);
        (!quoted.trim().is_empty() && spoken.contains(&quoted)).then(|| words.into())
    }

    /// Returns the message that a text refers to, if the speaker could read it and it is another's: `#2`, the last turn of
    /// a participant by name, the host's message `#h2`, or the latest one by `host`.
    fn entry_meant<'a>(&'a self, turn: &'a Turn, text: &str) -> Option<&'a Entry> {
        let name = text.trim_start_matches("after ").trim().to_lowercase();
        if let Some(number) = host_number(&name) {
            let mut heard = self.host_messages().filter(|entry| entry.seq < turn.heard);
            return match number {
                Some(number) => heard.nth(number.checked_sub(1)?),
                None => heard.last(),
            };
        }
        let before = |e: &&Entry| e.number.is_some_and(|n| turn.number.is_some_and(|own| n < own));
        let others = |e: &&Entry| e.seat().is_some_and(|seat| *seat != turn.seat) && before(e);
        let mut readable = self.visible(turn).filter(others).rev();
        if let Some(seat) = self.seats.iter().find(|s| s.spec.name.to_lowercase() == name) {
            return readable.find(|e| e.seat() == Some(&seat.spec.id));
        }
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number: u32 = digits[..end].parse().ok()?;
        readable.find(|e| e.number == Some(number))
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
        let misses = self.seat(&turn.seat).map_or(0, |seat| seat.missing_lines);
        self.may_ask_stance(turn) && misses < MISSES_MAX
    }

    /// Returns the tokens of the line that the reply of a turn ends with.
    pub(super) fn closing_tokens(&self, turn: &Turn) -> u32 {
        if self.asks_stance(turn) { STANCE_TOKENS } else { 0 }
    }

    /// Returns whether the prompts of a seat can ask for a position: in guided debates, but not in those of small models or
    /// of a scribe.
    fn may_ask_stance(&self, turn: &Turn) -> bool {
        self.reads_stance(turn)
            && self.advice(turn) == Advice::Debate
            && self.seat(&turn.seat).is_some_and(|seat| self.may_state(seat))
    }

    /// Returns whether any prompt of a seat can ask for a position.
    fn may_state(&self, seat: &Seat) -> bool {
        seat.spec.voice.reads_as_a_model()
            && self.layout_of(&seat.spec) != Layout::Small
            && self.advice_for(&seat.spec) == Advice::Debate
    }

    /// Returns whether the messages of others have their numbers in a turn's prompt, so that its speaker can refer to them.
    pub fn numbers_turns(&self, turn: &Turn) -> bool {
        turn.refers_to_turns() || self.may_ask_stance(turn)
    }

    /// Counts the replies in a row that lack a position although their prompt asked for one.
    pub(super) fn count_missing(&mut self, turn: &Turn, e: &TurnEnded) {
        let complete = e.outcome == Outcome::Said && !e.finish.as_deref().is_some_and(is_capped);
        if !complete || !self.asks_stance(turn) {
            return;
        }
        let missed = e.closing_line.as_deref().and_then(parse).is_none();
        self.set_seat(&turn.seat, |seat| {
            seat.missing_lines = if missed { seat.missing_lines + 1 } else { 0 };
        });
    }
}

/// Returns the turn of a message that can state a position; `None` if the message is cut or hidden.
fn states(entry: &Entry) -> Option<TurnId> {
    let version = entry.version();
    if version.cut.is_some() || entry.hidden.is_some() { None } else { version.turn }
}

/// A parsed `STANCE:` line.
#[derive(Debug, PartialEq)]
struct StanceLine<'a> {
    at: i8,
    words: Text,
    /// The turn that moved the speaker, as written.
    after: &'a str,
    /// Words of that turn, as written; empty without a quotation.
    quote: &'a str,
}

/// Returns a text in lower case without quotation marks, with single blanks, to compare quotations.
fn folded(text: &str) -> String {
    let is_mark =
        |c: char| matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '„' | '«' | '»' | '`' | '*');
    let bare: String = text.chars().filter(|c| !is_mark(*c)).collect();
    let words: Vec<String> = bare.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

/// Returns whether a text means a message of the host, and its number: `#h2`, `host`.
fn host_number(text: &str) -> Option<Option<usize>> {
    let word = text.trim_start_matches(['#', ' ']).trim_start_matches("the ");
    let word = word.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    if word == "host" {
        return Some(None);
    }
    word.strip_prefix('h')?.parse().ok().map(Some)
}

/// Parses `+1 | freight stays | after #2: "a door"`; `None` without a value on the scale.
fn parse(line: &str) -> Option<StanceLine<'_>> {
    let mut fields = line.splitn(3, '|').map(str::trim);
    let value = fields.next()?;
    let number = value.trim_start_matches('+').replace(['\u{2212}', '\u{2013}'], "-");
    let at = number.parse().ok().filter(|at| (-POLE_MAX..=POLE_MAX).contains(at))?;
    let quotes = |c: char| matches!(c, '"' | '\'' | '*' | '`' | '.' | '“' | '”');
    let said = fields.next().unwrap_or_default().trim_start_matches(quotes);
    let bare = said.trim_end_matches(quotes);
    // a mark that closes a quotation within the claim belongs to it
    let said = if bare.matches('"').count() % 2 == 1 { said.trim_end_matches('.') } else { bare };
    let all: Vec<&str> = said.split_whitespace().collect();
    let kept = all.iter().take(WORDS_MAX).copied().collect::<Vec<_>>().join(" ");
    let mut words: String = kept.chars().take(CHARS_MAX).collect();
    if all.len() > WORDS_MAX || words.len() < kept.len() {
        words.push('…');
    }
    let words = if words.is_empty() { value.into() } else { words.into() };
    let moved = fields.next().unwrap_or_default();
    let (after, quote) = moved.split_once(':').unwrap_or((moved, ""));
    let quote = quote.trim_matches(|c: char| c.is_whitespace() || c != '.' && quotes(c));
    Some(StanceLine { at, words, after: after.trim_end_matches('.'), quote })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_models_write_it() {
        let cases = [
            ("+1 | freight stays | after #2", Some((1, "freight stays", "after #2", ""))),
            (
                "+1 | freight stays | after #2: \"a door | a lady.\"",
                Some((1, "freight stays", "after #2", "a door | a lady.")),
            ),
            ("-2|leave them|", Some((-2, "leave them", "", ""))),
            (
                "\u{2212}1 | \"permits for people\" | #11.",
                Some((-1, "permits for people", "#11", "")),
            ),
            ("-1 | his switch, not \"may\" | #9", Some((-1, "his switch, not \"may\"", "#9", ""))),
            ("0", Some((0, "0", "", ""))),
            (
                "2 | one two three four five six seven eight nine | nobody",
                Some((2, "one two three four five six seven eight…", "nobody", "")),
            ),
            ("+3 | too far", None),
            ("for the ban", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let parsed = parse(line);
            let parsed = parsed.as_ref().map(|s| (s.at, &*s.words, s.after, s.quote));
            assert_eq!(parsed, expected, "{line:?}");
        }
    }
}
