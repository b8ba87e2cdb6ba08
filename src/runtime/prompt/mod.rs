//! Builds the prompts of participants. A prompt is rebuilt for every call from the state just before it, and never
//! stored.
//!
//! Messages of peers are included up to the turn's horizon, messages of the operator up to the call. Internal events
//! (failures, receipts, commands) are never part of a prompt. This module deliberately knows no servers: `voice`
//! converts prompts to wire formats.

mod account;
mod acts;
mod bare;
mod budget;
mod cue;
mod frame;
mod host;
mod judge;
mod messages;
mod notes;
mod persona;
mod plain;
mod profile;
mod rounds;
mod said_to_all;
mod sections;
mod small;
mod task;
mod toolkit;

pub use account::{Account, account, digest};
pub use budget::{LINE_NUMBER_TOKENS, assumed_window, estimate_tokens, material_tokens};
pub use cue::{ActRoom, act_room, most_urgent};
pub use frame::doubt;
pub use judge::compares;
pub use messages::{messages, unjoined};
pub use persona::turn_facts;
pub use said_to_all::{asks_each, at_table, displaces, open as new_from_host};
pub use toolkit::in_words;

/// Number of last messages in a prompt for the bids of several seats.
const BIDS_READ: usize = 2;
/// Maximum number of own messages that a reply is compared with.
const OWN_READ: usize = 8;

/// Task of the scribe at the end.
const RESULT_TASK: &str = "The conversation is over. Write its result for somebody who was not there, from what was said and nothing else: one \
     JSON object, parts for which nothing was said left out.\n\
     \"result\": one sentence to act on, or the decision that is left and who takes it.\n\
     \"do\": at most 4 of {\"who\", \"what\", \"by\"}: what was agreed, \"by\" a date or an event. Nobody could answer the \
     last turn: what it alone proposes for others is \"open\".\n\
     \"against\": {\"who\", \"why\"} of those who did not agree.\n\
     \"undo\": what would show that the result was wrong.\n\
     \"open\": what is disputed, and what would settle it.\n\
     \"check\": figures and documents to be checked.";
/// The part of that task on moves, without recorded positions.
const MOVED_TASK: &str = "\"moved\": {\"who\", \"from\", \"to\", \"turn\"} of those who changed position, and the number of the turn whose words moved \
     them, or \"h1\" for a message of the host.";
/// Task of a small scribe.
const RESULT_IN_A_SENTENCE: &str =
    "Say in one sentence what they decided, or what is left to decide.";

/// Returns the task of a scribe at the end.
pub fn result_task(state: &State, scribe: &Participant) -> Text {
    if state.layout_of(scribe) == Layout::Small {
        return RESULT_IN_A_SENTENCE.into();
    }
    match state.poles() {
        Some(_) => RESULT_TASK.into(),
        None => format!("{RESULT_TASK}\n{MOVED_TASK}").into(),
    }
}

/// Version of the prompt wording. If a call in the log has another version, its prompt cannot be rebuilt verbatim. Must
/// be raised with every change of the text that models see.
pub const WORDING: u32 = 25;

use self::frame::{VISITOR, addresses_the_reader};
use self::notes::{notes, own_notes};
use self::sections::SectionTexts;
use crate::escape::escape_results;
use crate::model::contract::WHISPER;
use crate::model::{
    Block, Budget, Layout, Participant, Prompt, Purpose, Sees, Seq, Text, VoiceSpec,
};
use crate::policy::{self, PromptParts};
use crate::rules;
use crate::state::{BuiltPrompt, Entry, Labels, State, Turn};
use crate::text::quotation;
use budget::Loses;
use std::sync::Arc;

/// Builds the prompt of a turn's running call, or else of its next one.
pub fn build(state: &State, turn: &Turn) -> Prompt {
    if bare::is_bare(state, turn) {
        return bare::prompt(state, turn);
    }
    let (blocks, _) = blocks(state, turn);
    let prompt = whole(state, turn, blocks);
    match state.seat(&turn.seat).map(|s| &*s.spec) {
        Some(seat) if seat.voice.is_model() => {
            let scribe = turn.purpose == Purpose::Result;
            let loses = match seat.context {
                Budget::Window | Budget::Last(_) if !scribe => Loses::Beginning,
                _ => Loses::Middle,
            };
            // without a known window, a scribe gets the whole conversation first
            let room = match (scribe && seat.window.is_none(), turn.shrunk) {
                (true, false) => usize::MAX,
                (true, true) => budget::room(seat, state.reply_tokens(turn), false),
                (false, shrunk) => budget::room(seat, state.reply_tokens(turn), shrunk),
            };
            budget::fit(prompt, room, loses)
        }
        Some(_) | None => prompt,
    }
}

/// Builds the prompt, and for a model also its messages.
pub fn built(state: &State, turn: &Turn) -> BuiltPrompt {
    let prompt = Arc::new(build(state, turn));
    let voice = state.seat(&turn.seat).map(|s| &s.spec.voice);
    let messages = match voice {
        Some(VoiceSpec::Model(_)) => messages(&prompt),
        Some(_) | None => vec![],
    };
    BuiltPrompt { prompt, messages }
}

/// Returns a prompt with everything around its blocks, before it is shortened to fit.
fn whole(state: &State, turn: &Turn, mut blocks: Vec<Block>) -> Prompt {
    let own = policy::prompt(state, turn).unwrap_or_default();
    let mut prompt = frame(state, turn, &own);
    let sections = sections(state, turn, &own, &prompt);
    prompt.sections = sections.all;
    prompt.left_out = sections.left_out;
    prompt.brief = own.brief;
    if own.replaces_messages {
        blocks.clear();
    }
    if let Some(seat) = state.seat(&turn.seat).map(|s| &*s.spec)
        && seat.voice.reads_as_a_model()
    {
        let begins = blocks.is_empty() && prompt.sections.is_empty();
        prompt.cue = Some(cue::cue(state, turn, begins));
        prompt.lore = notes::used_lore(state, turn, &blocks);
        if let Budget::Last(most) = seat.context {
            let more = blocks.len().saturating_sub(most as usize);
            blocks.drain(..more);
            prompt.left_out += u32::try_from(more).unwrap_or(u32::MAX);
            prompt.starts_later = true;
        }
        if state.bids_for_others(turn) {
            blocks.drain(..blocks.len().saturating_sub(BIDS_READ));
        }
        let labels = state.labels(turn);
        let name = labels.get(&turn.seat).unwrap_or(&seat.name);
        let layout = frame::layout(state, seat);
        blocks = blocks.into_iter().map(|b| cue::in_layout(b, layout, &turn.seat, name)).collect();
    }
    prompt.known = profile::known(state, turn, &blocks);
    let prompt = Prompt { blocks, ..prompt };
    match state.seat(&turn.seat).map(|s| &*s.spec) {
        Some(seat) if frame::layout(state, seat) == Layout::Small => {
            small::prompt(state, turn, seat, prompt)
        }
        _ => prompt,
    }
}

/// Returns the sections that the policy writes. For a model, their history is shortened to fit its window.
fn sections(state: &State, turn: &Turn, own: &PromptParts, frame: &Prompt) -> SectionTexts {
    let whole = sections::render(&own.sections, usize::MAX);
    let seat = state.seat(&turn.seat).map(|s| &s.spec).filter(|s| s.voice.is_model());
    let (Some(seat), Some(_)) = (seat, own.history_to) else { return whole };
    let room = budget::room(seat, state.reply_tokens(turn), turn.shrunk);
    let cost = |sections: &SectionTexts| {
        budget::tokens_of(&Prompt { sections: sections.all.clone(), ..frame.clone() }) as usize
    };
    if cost(&whole) <= room {
        return whole;
    }
    // other sections are never omitted
    let least = cost(&sections::render(&own.sections, 0));
    sections::render(&own.sections, budget::bytes_of(room.saturating_sub(least)))
}

/// Returns the texts that a turn's speaker must not repeat: the topic, its task, the last message of another participant,
/// and its own last messages. A reply that repeats them is an echo.
pub fn read_last(state: &State, turn: &Turn) -> Vec<Text> {
    let topic = state.scenario.topic.clone().or(state.title.clone());
    let last = state.visible(turn).next_back();
    let cue = cue::cue(state, turn, last.is_none());
    let place = state.heard_to(turn);
    // a speaker who speaks again right after itself may repeat itself, which is not an echo
    let last = last.filter(|e| e.seat() != Some(&turn.seat));
    let own = state.visible(turn).rev().filter(|e| e.seat() == Some(&turn.seat));
    let own = own.take(if last.is_some() { OWN_READ } else { 0 });
    let said = last.into_iter().chain(own).filter_map(|e| e.text_at(place).cloned());
    topic.into_iter().chain([cue]).chain(said).collect()
}

/// Returns the conversation as a turn sees it, with the place of each block: a summary replaces what it covers.
fn blocks(state: &State, turn: &Turn) -> (Vec<Block>, Vec<Seq>) {
    let place = state.heard_to(turn);
    let summed = state.reads_summary(turn);
    let summary = if summed { state.summary_for(turn) } else { None };
    let labels = state.labels(turn);
    let covered = summary.map(|s| s.task.upto);
    let summary = summary.and_then(|s| {
        let text = state.read_as(s.text.as_ref()?, &s.labels, &labels);
        Some((Block::Summary { text }, s.task.upto))
    });
    let by_model =
        matches!(state.seat(&turn.seat).map(|s| &s.spec.voice), Some(VoiceSpec::Model(_)));
    let fresh = |e: &Entry| covered.is_none_or(|upto| e.seq > upto);
    let answers = state.sees(turn) == Sees::Answers;
    let shown = |e: &Entry| {
        let text = e.text_at(place)?;
        let by_other = e.seat() != Some(&turn.seat);
        let answer = if answers && by_other { e.version().answer.as_ref() } else { None };
        let text = state.shown_as(e, answer.unwrap_or(text), &labels);
        let text = with_own_line(state, turn, e, text);
        let own_quotes = by_model && !by_other && text.contains('<') && state.checks_quotes();
        let text = if own_quotes { quotation::as_written(&text).into() } else { text };
        Some((block(state, turn, &labels, e, text), e.seq))
    };
    let mut entries: Vec<&Entry> = state.visible(turn).collect();
    // the digests of other voices continue from earlier ones, which needs the order of the transcript
    if by_model {
        rounds::arrange(state, turn, &mut entries);
    }
    let said = entries
        .into_iter()
        .flat_map(|e| {
            let public = if fresh(e) { shown(e) } else { None };
            // a turn with whispers alone has no public message
            let public = public.filter(|(block, _)| {
                !block.text().trim().is_empty() || e.version().whispers.is_empty()
            });
            public.into_iter().chain(whispers(state, turn, &labels, e))
        })
        .collect();
    let told = host::announcements(state, turn, &labels, covered);
    // the partial message that the turn continues comes last
    let part = turn.part.clone().map(|text| (Block::Own { text, cut: false }, Seq(turn.id.0)));
    summary.into_iter().chain(host::merged(said, told)).chain(part).unzip()
}

/// Returns an entry's text for a prompt: a seat reads its own turns with the line of data that it wrote. In the shared
/// layout all seats read the same text.
fn with_own_line(state: &State, turn: &Turn, entry: &Entry, text: Text) -> Text {
    let own =
        entry.seat() == Some(&turn.seat) && turn.summarises.is_none() && !state.is_outside(turn);
    let seat = state.seat(&turn.seat).map(|seat| &*seat.spec);
    let shared = seat.is_some_and(|seat| frame::layout(state, seat) == Layout::Shared);
    match (&entry.version().closing_line, rules::label(state, None)) {
        (Some(line), Some(label)) if own && !shared => format!("{text}\n{label} {line}").into(),
        _ => text,
    }
}

/// Returns the `seq` up to which the conversation has to be summarised so that a turn's prompt fits; `None` if it fits.
pub fn overflow(state: &State, turn: &Turn) -> Option<Seq> {
    let seat = &state.seat(&turn.seat)?.spec;
    if !seat.voice.is_model() {
        return None;
    }
    if matches!(seat.context, Budget::Last(_)) || bare::is_bare(state, turn) {
        return None;
    }
    let own = policy::prompt(state, turn).unwrap_or_default();
    if own.replaces_messages {
        let sections = sections(state, turn, &own, &frame(state, turn, &own));
        return if sections.left_out > 0 { own.history_to } else { None };
    }
    let (blocks, places) = blocks(state, turn);
    let prompt = whole(state, turn, blocks);
    let many =
        budget::too_many(&prompt, budget::room(seat, state.reply_tokens(turn), turn.shrunk))?;
    // whispers older than the summary follow it, so the positions are not sorted
    places.get(..many)?.iter().max().copied()
}

/// Returns the task of a seat that writes a summary for another; `name` is the other's name as the writer sees it.
pub fn summing_up(viewer: &Participant, name: &str) -> Text {
    let words = budget::summary_words(budget::room(viewer, viewer.reply_tokens(), false));
    format!(
        "Sum up what was said so far, for {} who reads on from here: who holds what and why, what was agreed, what is \
         open. At most {words} words, nothing but the summary.",
        name
    )
    .into()
}

/// Returns the frame around the conversation.
fn frame(state: &State, turn: &Turn, own: &PromptParts) -> Prompt {
    let frame::PromptFrame { system, aside } = frame::frame(state, turn, own);
    Prompt {
        system: system.into(),
        aside: aside.map(Into::into),
        notes: notes(state, turn),
        task: task::task(state, turn),
        rejected: turn.rejected.clone(),
        tools: turn.tools.iter().map(escape_results).collect(),
        tools_used: toolkit::used(state, turn),
        own_notes: own_notes(state, turn),
        text_tools: toolkit::text_tools(state, turn),
        ..Prompt::default()
    }
}

/// Returns the whispers of an utterance that the turn's seat sent or received. They are never summarised, so that
/// nobody else reads them.
fn whispers(state: &State, turn: &Turn, labels: &Labels, entry: &Entry) -> Vec<(Block, Seq)> {
    if turn.summarises.is_some() || state.is_outside(turn) {
        return vec![];
    }
    let Some(by) = entry.seat() else { return vec![] };
    let version = entry.version();
    let own = *by == turn.seat;
    let is_heard = || entry.text_at(state.heard_to(turn)).is_some();
    let mine = version.whispers.iter().filter(|w| (own || w.to == turn.seat) && is_heard());
    mine.map(|w| {
        let text = state.read_as(&w.text, &version.labels, labels);
        let text = match (own, labels.get(&w.to), state.seat(&w.to)) {
            (false, _, _) => text,
            (true, Some(label), _) => format!("{WHISPER} {label}: {text}").into(),
            (true, None, to) => {
                let name = to.map_or(&w.to.0, |s| &s.spec.name);
                format!("{WHISPER} {name}: {text}").into()
            }
        };
        let mut block = block(state, turn, labels, entry, text);
        match &mut block {
            Block::Other { whisper, cut, .. } => (*whisper, *cut) = (true, false),
            Block::Own { cut, .. } => *cut = false,
            Block::Summary { .. } | Block::Operator { .. } => {}
        }
        (block, entry.seq)
    })
    .collect()
}

fn block(state: &State, turn: &Turn, labels: &Labels, entry: &Entry, text: Text) -> Block {
    match entry.seat() {
        None => {
            let number = if state.numbers_turns(turn) { state.number_of_host(entry) } else { None };
            let material = entry.material.clone();
            Block::Operator { number, text, whisper: entry.is_whisper(), material }
        }
        Some(who) if *who == turn.seat && turn.summarises.is_none() && !state.is_outside(turn) => {
            Block::Own { text, cut: entry.version().cut.is_some() }
        }
        Some(who) => Block::Other {
            who: who.clone(),
            name: match (labels.get(who), state.seat(who)) {
                (Some(label), _) => label.clone(),
                (None, Some(seat)) if addresses_the_reader(&seat.spec.name) => VISITOR.into(),
                (None, Some(seat)) => match state.side_of(turn, who) {
                    Some(side) => format!("{} ({side})", seat.spec.name).into(),
                    None => seat.spec.name.clone(),
                },
                (None, None) => who.0.clone(),
            },
            number: if state.numbers_turns(turn) {
                entry.number.map(|number| state.number_for(turn, number))
            } else {
                None
            },
            phase: judge::phase(state, turn, entry),
            text,
            cut: entry.version().cut.is_some(),
            whisper: false,
        },
    }
}
