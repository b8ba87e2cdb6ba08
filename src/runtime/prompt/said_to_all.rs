//! Messages of the host to all: the newest is the task of the next turns, short ones stay in later prompts.

use super::escape::quoted;
use crate::model::Participant;
use crate::reply;
use crate::state::{Entry, State, Turn};
use unicode_segmentation::UnicodeSegmentation as _;

/// Maximum number of words of a message that stays in later prompts.
const STAYS_WORDS: usize = 25;
/// Maximum number of messages that stay.
const STAYS_MAX: usize = 2;
/// Question marks; a message with one does not stay.
const ASKS: [char; 3] = ['?', '？', '؟'];
/// Task of a turn that reads a new message first.
pub(super) const TASK: &str = "The host has just spoken to all of you. That comes first: answer a question, use news, do what is wished without \
     talking about it.";

/// Returns the latest message without an addressee that no turn with words has read yet.
pub fn open<'a>(state: &'a State, turn: &'a Turn) -> Option<&'a Entry> {
    state.unread(turn).into_iter().rfind(|entry| is_to_all(state, turn, entry))
}

/// Returns whether a message to all is for each seat to answer: a short wish stays in later prompts instead.
pub fn asks_each(text: &str) -> bool {
    !stays(text) && reply::asks_each(text)
}

/// Returns whether a message stays in later prompts: it is short and asks nothing.
fn stays(text: &str) -> bool {
    !text.contains(ASKS) && text.unicode_words().nth(STAYS_WORDS).is_none()
}

/// Returns the reminder of short messages, which are wishes as a rule. Nothing interprets them.
pub(super) fn reminder(state: &State, turn: &Turn) -> Option<String> {
    let place = state.heard_to(turn);
    let unread: Vec<_> = state.unread(turn).into_iter().map(|entry| entry.seq).collect();
    let holds = |entry: &&Entry| {
        entry.is_by_host()
            && !unread.contains(&entry.seq)
            && entry.text_at(place).is_some_and(|text| stays(text))
            && is_to_all(state, turn, entry)
    };
    let latest = state.visible_among(turn, state.entries.iter()).rev().filter(holds);
    let mut held: Vec<String> = latest
        .take(STAYS_MAX)
        .filter_map(|entry| Some(format!("\"{}\"", quoted(entry.text_at(place)?.trim()))))
        .collect();
    held.reverse();
    (!held.is_empty()).then(|| {
        format!(
            "The host said, and it holds until taken back, also against the rules above: {}",
            held.join(" ")
        )
    })
}

/// Returns whether a message of the host names no addressee.
fn is_to_all(state: &State, turn: &Turn, entry: &Entry) -> bool {
    let roster: Vec<&Participant> =
        state.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec).collect();
    let asks_somebody = || {
        let text = entry.text_at(state.heard_to(turn)).filter(|text| text.contains('?'));
        text.is_some_and(|text| !reply::questions(text, None, &roster).is_empty())
    };
    entry.mentions.is_empty() && entry.granted.is_none() && !asks_somebody()
}
