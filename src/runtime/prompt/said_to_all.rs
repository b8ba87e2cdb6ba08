//! Messages of the host to all: the newest is the task of the next turns, short ones stay in later prompts.

use crate::escape::quoted;
use crate::model::{Participant, QuestionDebt, Text};
use crate::reply;
use crate::state::{Entry, State, Turn};
use unicode_segmentation::UnicodeSegmentation as _;

/// Maximum number of words of a message that stays in later prompts.
const STAYS_WORDS: usize = 25;
/// Maximum number of messages that stay.
const STAYS_MAX: usize = 2;
/// Tasks of a turn that reads a new message first: of a question, of a wish, and of any other message, which may be news or
/// an instruction.
const QUESTION: &str = "The host has just asked all of you something: answer that.";
const WISH: &str = "The host has just wished something of all of you: do it from this turn on, also against the rules above, without \
     talking about it.";
const OTHER: &str = "The host has just said something to all of you: go by it.";
/// Leads of the reminder: of wishes, and of other messages.
const HELD_WISH: &str =
    "The host wished, and it holds until taken back, also against the rules above";
const HELD_OTHER: &str = "The host said, and it holds until taken back";
/// Lead of a task that a new message must not displace.
const WITHIN: &str = "The host has just spoken to all of you; take that up in this: ";

/// Returns the task of a turn that reads a new message.
pub(super) fn task(state: &State, said: &str) -> &'static str {
    if reply::has_question(said) {
        QUESTION
    } else if reply::is_wish(said, &at_table(state)) {
        WISH
    } else {
        OTHER
    }
}

/// Returns the lead of a task that a new message must not displace; empty without a message.
pub(super) fn within(state: &State, turn: &Turn) -> String {
    let said = open(state, turn).and_then(|said| said.text_at(state.heard_to(turn)));
    said.map_or_else(String::new, |said| match task(state, said) {
        WISH => format!("{WISH} "),
        _ => WITHIN.to_owned(),
    })
}

/// Returns the latest message without an addressee that no turn with words has read yet.
pub fn open<'a>(state: &'a State, turn: &'a Turn) -> Option<&'a Entry> {
    state.unread(turn).into_iter().rfind(|entry| is_to_all(state, turn, entry))
}

/// Returns whether a message to all is for each seat to answer: a short wish stays in later prompts instead.
pub fn asks_each(state: &State, text: &str) -> bool {
    !stays(state, text) && reply::asks_each(text)
}

/// Returns whether a new message to all comes before a question to the seat of a turn. A wish is kept while the question is
/// answered, except by small models, which get one task.
pub fn displaces(state: &State, turn: &Turn, said: &str, question: Option<&QuestionDebt>) -> bool {
    let is_wish = || reply::is_wish(said, &at_table(state));
    question.is_none() || state.is_small(turn) || !is_wish()
}

/// Returns the participants at the table.
pub fn at_table(state: &State) -> Vec<&Participant> {
    state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec).collect()
}

/// Returns whether a message stays in later prompts: it is short, asks nothing and is not an errand.
fn stays(state: &State, text: &str) -> bool {
    !reply::has_question(text)
        && !reply::is_errand(text, &at_table(state))
        && text.unicode_words().nth(STAYS_WORDS).is_none()
}

/// Returns the reminder of the latest short messages: wishes, and then others.
pub(super) fn reminder(state: &State, turn: &Turn) -> Option<String> {
    let place = state.heard_to(turn);
    let unread: Vec<_> = state.unread(turn).into_iter().map(|entry| entry.seq).collect();
    let holds = |entry: &&Entry| {
        entry.is_by_host()
            && !unread.contains(&entry.seq)
            && entry.text_at(place).is_some_and(|text| stays(state, text))
            && is_to_all(state, turn, entry)
    };
    let latest = state.visible_among(turn, state.entries.iter()).rev().filter(holds);
    let mut held: Vec<&Text> =
        latest.take(STAYS_MAX).filter_map(|entry| entry.text_at(place)).collect();
    held.reverse();
    let roster = at_table(state);
    let (wishes, others): (Vec<&Text>, Vec<&Text>) =
        held.into_iter().partition(|said| reply::is_wish(said, &roster));
    let line = |lead: &str, all: &[&Text]| {
        let all: Vec<String> =
            all.iter().map(|said| format!("\"{}\"", quoted(said.trim()))).collect();
        (!all.is_empty()).then(|| format!("{lead}: {}", all.join(" ")))
    };
    let lines = [line(HELD_WISH, &wishes), line(HELD_OTHER, &others)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Returns whether a message of the host names no addressee.
fn is_to_all(state: &State, turn: &Turn, entry: &Entry) -> bool {
    let asks_somebody = || {
        let text = entry.text_at(state.heard_to(turn)).filter(|text| reply::has_question(text));
        text.is_some_and(|text| !reply::questions(text, None, &at_table(state)).is_empty())
    };
    entry.mentions.is_empty() && entry.granted.is_none() && !asks_somebody()
}
