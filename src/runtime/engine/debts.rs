//! Questions that are put to a seat by name in a talk. They count until the seat has spoken again.

use crate::model::*;
use crate::scenario::Advice;
use crate::state::{Entry, State, Turn};
use crate::{prompt, reply};

/// Maximum number of messages that are searched for questions to a seat.
const SEARCHED: usize = 100;
/// Maximum length of a quoted question, in characters.
const QUOTE_MAX: usize = 200;

/// Returns the unanswered questions in a thread, in the order of the seats that owe an answer, oldest first. A turn that
/// is replaced owes the same answers as before.
pub(super) fn open(state: &State, thread: ThreadId, replaced: Option<TurnId>) -> Vec<QuestionDebt> {
    let said = replaced.and_then(|turn| state.spoken(turn));
    let horizon = said.as_ref().map_or(state.next_seq, |said| said.horizon);
    let before = said.and_then(|said| said.before);
    let seats = state.threads.get(&thread).map_or(&[][..], |thread| &thread.seats);
    let able = seats.iter().filter(|seat| state.may_speak(seat));
    able.flat_map(|seat| {
        let turn = Turn::granted(state.next_seq, state.ms, thread, seat.clone(), Purpose::Speak);
        let listens = state.advice(&turn) != Advice::Work;
        let owed = listens.then(|| owed_by(state, &Turn { horizon, before, ..turn }));
        owed.unwrap_or_default()
    })
    .collect()
}

/// Returns the questions to a turn's seat, oldest first; of several questions of one asker, the latest. Questions that
/// its last turn put aside for another task count one turn longer.
fn owed_by(state: &State, turn: &Turn) -> Vec<QuestionDebt> {
    let mut owed = put_aside(state, turn).unwrap_or_default();
    for asked in asked_since(state, turn) {
        owed.retain(|earlier| earlier.from != asked.from);
        owed.push(asked);
    }
    owed
}

/// Returns the questions that the seat's last turn did not take up, by its task or its words; `None` if it has not spoken.
fn put_aside(state: &State, turn: &Turn) -> Option<Vec<QuestionDebt>> {
    let last = state.visible(turn).rev().find(|entry| entry.seat() == Some(&turn.seat))?;
    let version = last.version();
    let earlier =
        Turn::granted(Seq(version.turn?.0), state.ms, last.thread, turn.seat.clone(), turn.purpose);
    let earlier = Turn { horizon: version.horizon, before: Some(version.heard), ..earlier };
    let mut asked = asked_since(state, &earlier);
    let urgent = prompt::most_urgent(asked.iter());
    let was_displaced = prompt::new_from_host(state, &earlier).is_some_and(|message| {
        let text = message.text();
        !prompt::asks_each(state, text) && prompt::displaces(state, &earlier, text, urgent)
    });
    let answered = if was_displaced { None } else { urgent.cloned() };
    let roster = prompt::at_table(state);
    let said = last.text_at(state.heard_to(turn));
    let is_settled = |debt: &QuestionDebt| {
        let asker = debt.from.as_ref().filter(|asker| roster.iter().any(|p| p.id == **asker));
        said.zip(asker)
            .is_some_and(|(said, asker)| reply::answers(said, &debt.quote, asker, &roster))
    };
    asked.retain(|debt| Some(debt) != answered.as_ref() && !is_settled(debt));
    Some(asked)
}

/// Returns the questions to a turn's seat since it last spoke, oldest first; of several questions of one asker, the latest.
fn asked_since(state: &State, turn: &Turn) -> Vec<QuestionDebt> {
    let roster = prompt::at_table(state);
    let place = state.heard_to(turn);
    let mut all: Vec<QuestionDebt> = vec![];
    let since = state.visible(turn).rev().take(SEARCHED);
    for entry in since.take_while(|entry| entry.seat() != Some(&turn.seat)) {
        let Some(text) = asking_text(entry, place) else { continue };
        let known = all.iter().any(|debt| debt.from.as_ref() == entry.seat());
        if let (Some(question), false) = (question_in(state, turn, entry, text, &roster), known) {
            all.push(QuestionDebt {
                from: entry.seat().cloned(),
                to: turn.seat.clone(),
                turn: entry.version().turn,
                quote: shortened(&question).into(),
            });
        }
    }
    all.reverse();
    all
}

/// Returns the question of a message to a turn's seat: by name, or from the host to each, or else without a name if the
/// message names nobody else.
fn question_in(
    state: &State,
    turn: &Turn,
    entry: &Entry,
    text: &str,
    roster: &[&Participant],
) -> Option<String> {
    let named = reply::questions(text, entry.seat(), roster);
    let to_seat = named.iter().rfind(|question| question.to == turn.seat);
    let to_each =
        || entry.is_by_host() && entry.mentions.is_empty() && prompt::asks_each(state, text);
    match to_seat {
        Some(question) => Some(question.text.clone()),
        None if !named.is_empty() => None,
        None if to_each() => Some(text.to_owned()),
        None => question_without_name(state, turn, entry, text),
    }
}

/// Returns the last question of a message that does not put it to a seat by name: its act put one to that seat, or it ends
/// with one and mentions that seat alone, or only the two talk.
fn question_without_name(state: &State, turn: &Turn, entry: &Entry, text: &str) -> Option<String> {
    let seats = &state.threads.get(&turn.thread)?.seats;
    let both = seats.len() == 2 && entry.seat().is_some_and(|seat| seats.contains(seat));
    let asked = entry.version().act.as_ref().and_then(|act| act.to.as_ref());
    let asks = asked == Some(&turn.seat);
    let alone = both || *entry.mentions == [turn.seat.clone()];
    (asks || alone && text.trim_end().ends_with('?')).then(|| reply::last_question(text)).flatten()
}

/// Returns the text of a public message that may hold a question; a request of the host needs no question mark.
fn asking_text(entry: &Entry, place: Seq) -> Option<&Text> {
    let text =
        entry.text_at(place).filter(|text| entry.is_by_host() || reply::has_question(text))?;
    (entry.to.is_empty() && entry.material.is_none()).then_some(text)
}

fn shortened(question: &str) -> String {
    let one_line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    match one_line.char_indices().nth(QUOTE_MAX) {
        Some((at, _)) => format!("{}…", one_line.get(..at).unwrap_or_default()),
        None => one_line,
    }
}
