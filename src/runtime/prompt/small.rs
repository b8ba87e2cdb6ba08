//! Prompts for small models: one user message without tags, with one task.
//!
//! A model of a few hundred million parameters copies rules and tags instead of following them, so there are none.

use super::frame::introduces;
use super::persona::rendered;
use super::{cue, judge, task as form};
use crate::model::participant::{NO, YES};
use crate::model::{Participant, Prompt, Purpose, Text};
use crate::state::{State, Turn};

/// Maximum number of words of a persona.
const PERSONA_WORDS: usize = 8;
/// Maximum number of words before the description of a persona, as in "You are Bo,".
const NAME_WORDS: usize = 4;
/// Words that begin a clause, before which a persona can end.
const CLAUSES: [&str; 6] = ["with", "who", "whose", "that", "and", "where"];
/// Maximum number of messages that are shown.
const MESSAGES_MAX: usize = 4;
/// Request of the first turn.
const FIRST: &str = "What do you think? Give one reason.";
/// Request of a later turn.
const NEXT: &str = "What do you say to that? Give one reason.";

/// Returns a prompt as one message: who speaks, the topic, and the rest of the prompt without its frame.
pub(super) fn prompt(state: &State, turn: &Turn, seat: &Participant, whole: Prompt) -> Prompt {
    let topic = state.topic_for(turn).map_or("", |topic| topic.trim());
    let sides = judge::arguments(state, turn).unwrap_or_default();
    let system = match turn.purpose {
        Purpose::Result => format!("Several people talked about: {topic}"),
        _ => format!("{}\n{topic}\n{sides}", who(state, turn, seat)),
    };
    let cue = match turn.purpose {
        Purpose::Result => form::question(state, turn).map(Text::from),
        Purpose::Speak if turn.part.is_none() && state.contract_of(turn).form.is_words() => {
            Some(task(state, turn, seat, whole.blocks.is_empty()))
        }
        _ => whole.cue.clone(),
    };
    let before = whole.blocks.len().saturating_sub(MESSAGES_MAX);
    let judges = turn.refers_to_turns();
    let blocks = whole.blocks.into_iter().skip(if judges { 0 } else { before }).collect();
    Prompt { system: system.trim().into(), aside: None, blocks, cue, one_message: true, ..whole }
}

/// Introduces a seat with the first words of its persona.
fn who(state: &State, turn: &Turn, seat: &Participant) -> String {
    let persona = seat.persona.as_ref().map(|p| rendered(p, state, turn)).unwrap_or_default();
    let first = persona.split(['.', '!', '?', '\n']).next().unwrap_or_default().trim();
    let few = few_words(first);
    let introduced = introduces(&persona, &seat.name);
    let has = |role: &Text| few.to_lowercase().contains(&role.to_lowercase());
    let about = seat.role.as_ref().or(seat.description.as_ref());
    let who = match about {
        // the persona has the role with its article
        Some(role) if introduced && has(role) => few,
        Some(role) => format!("You are {}, {role}", seat.name),
        None if introduced => few,
        None if few.is_empty() => format!("You are {}", seat.name),
        None => format!("You are {}. {few}", seat.name),
    };
    let side = seat.side.as_ref().map_or(String::new(), |side| match &**side {
        YES | NO => format!("; you say {side}"),
        side => format!("; you argue for this: {side}"),
    });
    let goal = seat.goal.as_ref().map(|goal| goal.text.trim());
    let goal =
        goal.map_or(String::new(), |goal| format!("\nWhat you want, and tell nobody: {goal}"));
    format!("{who}{side}.{goal}")
}

/// Returns the beginning of a sentence, up to the end of a phrase.
fn few_words(sentence: &str) -> String {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut kept = words.get(..PERSONA_WORDS).unwrap_or(&words);
    if kept.len() < words.len() {
        let begins = |word: &&str| CLAUSES.contains(word);
        let comma = kept.iter().rposition(|word| word.ends_with(',')).map(|at| at + 1);
        let clause = kept.iter().position(begins);
        // a comma after the name ends no phrase
        let end = comma.filter(|at| *at > NAME_WORDS).or(clause).unwrap_or(kept.len());
        kept = kept.get(..end).unwrap_or(kept);
    }
    kept.join(" ").trim_end_matches([',', ';', ':']).to_owned()
}

/// Returns the only task of a turn: the answer to the host or to a question, the task of the phase, or to speak.
fn task(state: &State, turn: &Turn, seat: &Participant, begins: bool) -> Text {
    let phase = state.shows(turn).and_then(|shows| shows.task.as_ref());
    let task = if let Some(question) = cue::question_to(state, turn) {
        question
    } else if let Some(phase) = phase {
        rendered(phase, state, turn)
    } else {
        let side = if is_first(state, turn) { seat.side.as_deref() } else { None };
        match side {
            Some(side @ (YES | NO)) => {
                format!("Say in two plain sentences why your answer is {side}.")
            }
            Some(side) => format!("Say in two plain sentences why you are for this: {side}"),
            None if begins => FIRST.to_owned(),
            None => NEXT.to_owned(),
        }
    };
    task.into()
}

/// Returns whether a seat has not spoken yet.
fn is_first(state: &State, turn: &Turn) -> bool {
    !state.visible(turn).any(|entry| entry.seat() == Some(&turn.seat))
}
