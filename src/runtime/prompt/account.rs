//! Facts about a prompt that the log records: its digest, the number of omitted blocks, its size.
//!
//! A rebuilt prompt is checked against the digest, so the digest covers the whole prompt. To avoid hashing the same
//! messages for every turn, the hash continues from the part that is unchanged since the seat's last prompt.

use super::budget::{most_tokens_of, room, tokens_of};
use super::{bare, block, built, frame};
use crate::model::{Block, Prompt, Sees, Text, VoiceSpec};
use crate::policy;
use crate::rules;
use crate::state::{self, Digest, Entry, Rolled, State, Turn};
use crate::text::hex;
use sha2::{Digest as _, Sha256};
use std::collections::VecDeque;
use std::sync::Arc;

/// Facts about a prompt that the log records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// SHA-256 of the whole prompt, in hex.
    pub digest: Text,
    /// Number of blocks that were omitted or lost their middle.
    pub left_out: u32,
    /// Estimated tokens of the prompt; `None` for voices other than models.
    pub tokens: Option<u64>,
    /// Upper bound of the tokens that a model will count; 0 for other voices.
    pub most_tokens: u64,
}

/// Returns the SHA-256 of a prompt in hex, to verify a rebuilt prompt.
pub fn digest(prompt: &Prompt) -> Text {
    let mut hash = framed(prompt);
    prompt.blocks.iter().for_each(|b| add(&mut hash, b, &state::digest(b.text())));
    hex(&hash.finalize()).into()
}

/// Returns the same digest for a prompt that was built for a turn, with cached digests. Most blocks are entries of the
/// transcript in the same order, and omissions are at the beginning or in the middle, so blocks are matched from the
/// end.
fn digest_for(state: &State, turn: &Turn, prompt: &Prompt) -> Text {
    /// Number of entries searched for a block: some entries have no block, and some blocks have no entry.
    const NEAR: usize = 8;
    let place = state.heard_to(turn);
    let mut earlier = state.visible(turn).rev();
    let mut entries: VecDeque<&Entry> = earlier.by_ref().take(NEAR).collect();
    let mut known: Vec<Digest> = Vec::with_capacity(prompt.blocks.len());
    for block in prompt.blocks.iter().rev() {
        let is_same = |e: &&Entry| e.text_at(place).is_some_and(|t| Arc::ptr_eq(t, block.text()));
        let found = entries.iter().position(is_same);
        let digest = found.and_then(|at| {
            let entry = entries.drain(..=at).next_back();
            entries.extend(earlier.by_ref().take(at + 1));
            entry?.digest_at(place)
        });
        known.push(digest.unwrap_or_else(|| state::digest(block.text())));
    }
    let mut hash = framed(prompt);
    prompt.blocks.iter().zip(known.iter().rev()).for_each(|(b, words)| add(&mut hash, b, words));
    hex(&hash.finalize()).into()
}

/// Returns the facts about the prompt that [`super::build`] would make. Builds it only if necessary, because that may
/// read the whole conversation.
pub fn account(state: &State, turn: &Turn) -> Account {
    let seat = state.seat(&turn.seat).map(|s| &s.spec.voice);
    let by_model = matches!(seat, Some(VoiceSpec::Model(_)));
    let labels = state.labels(turn);
    let told = !state.news.is_empty();
    let reworded = told
        || state.labelled
        || state.whispered
        || rules::label(state, None).is_some()
        || !labels.is_empty()
        || turn.summarises.is_some()
        || state.is_outside(turn)
        || turn.part.is_some()
        || bare::is_bare(state, turn)
        || state.threads.get(&turn.thread).is_some_and(|thread| thread.traits().own_prompts)
        || state.contract_of(turn).keep;
    if by_model || reworded || matches!(state.sees(turn), Sees::Answers | Sees::Summary) {
        let built = built(state, turn);
        let tokens = by_model.then(|| tokens_of(&built.prompt));
        let margin = state.margin_of(&turn.seat);
        let most_tokens = if by_model { most_tokens_of(&built, margin) } else { 0 };
        let digest = digest_for(state, turn, &built.prompt);
        let spec = state.seat(&turn.seat).map(|s| &s.spec);
        let most = spec.map(|s| room(s, state.reply_tokens(turn), turn.shrunk) as u64);
        // nothing is cut from a prompt without a frame: its server may cut it
        let exceeds = !built.prompt.bare.is_empty() && tokens > most;
        let left_out = built.prompt.left_out + built.prompt.shortened + u32::from(exceeds);
        // the call that starts next takes the prompt from this cache
        state.rolls.keep_prompt(&digest, built);
        return Account { digest, left_out, tokens, most_tokens };
    }
    let place = state.heard_to(turn);
    let mut hash = framed(&frame(state, turn, &policy::prompt(state, turn).unwrap_or_default()));
    let take = |hash: &mut Sha256, e: &Entry| {
        if let Some(words) = e.digest_at(place) {
            add(hash, &block(state, turn, &labels, e, "".into()), &words);
        }
    };
    // if everything is visible, current and under its own names, continue from the seat's last prompt
    let goes_on = place == state.next_seq && state.sees(turn) == Sees::All;
    if goes_on {
        let rolled = roll(state, turn, hash, take);
        hash = rolled.hash;
        let behind = state.entries.from(rolled.entries);
        state.visible_among(turn, behind).for_each(|e| take(&mut hash, e));
    } else {
        state.visible(turn).for_each(|e| take(&mut hash, e));
    }
    Account { digest: hex(&hash.finalize()).into(), left_out: 0, tokens: None, most_tokens: 0 }
}

/// Extends the hash of a seat's prompts to the turn's horizon and keeps it for the next turn.
fn roll(state: &State, turn: &Turn, framed: Sha256, take: impl Fn(&mut Sha256, &Entry)) -> Rolled {
    let frame: Digest = framed.clone().finalize().into();
    // turns of a simultaneous round are in the order of their seats, not of `seq`
    let entries = state.entries.iter().rposition(|e| e.seq <= turn.horizon).map_or(0, |at| at + 1);
    let last = state.rolls.get(turn);
    let alike = last.filter(|last| last.frame == frame && last.entries <= entries);
    let mut rolled = alike.unwrap_or(Rolled { frame, entries: 0, hash: framed });
    let fresh = state.entries.range(rolled.entries, entries);
    state.visible_among(turn, fresh).for_each(|e| take(&mut rolled.hash, e));
    rolled.entries = entries;
    state.rolls.keep(turn, rolled.clone());
    rolled
}

/// Hashes the frame around the conversation.
fn framed(frame: &Prompt) -> Sha256 {
    let mut hash = Sha256::new();
    let mut part = |text: &str| {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    };
    part(&frame.system);
    part(frame.brief.as_deref().unwrap_or_default());
    frame.notes.iter().for_each(|note| part(note));
    // absent optional parts add nothing, so that the digests of older logs stay valid
    frame.aside.iter().for_each(|aside| part(aside));
    frame.lore.iter().for_each(|lore| part(lore));
    frame.sections.iter().for_each(|section| part(section));
    frame.bare.iter().for_each(|message| part(&message.text));
    frame.known.iter().for_each(|known| part(&known.text));
    frame.cue.iter().for_each(|cue| part(cue));
    frame.task.iter().for_each(|task| part(task));
    frame.tools_used.iter().chain(&frame.own_notes).for_each(|text| part(text));
    frame.text_tools.iter().for_each(|tools| part(tools));
    if frame.one_message {
        part("one message");
    }
    for run in frame.tools.iter().flat_map(|round| &round.runs) {
        let result = run.returned.as_ref().map_or("", |(_, result)| result);
        let arguments = run.request.arguments.to_string();
        [&run.request.tool, arguments.as_str(), result].into_iter().for_each(&mut part);
    }
    frame.rejected.iter().for_each(|r| [&r.said, &r.why].into_iter().for_each(|text| part(text)));
    hash
}

/// Adds a block by its attribution and the digest of its text.
fn add(hash: &mut Sha256, block: &Block, words: &Digest) {
    match block {
        Block::Own { cut: false, .. } => hash.update(b"own"),
        Block::Own { cut: true, .. } => hash.update(b"cut own"),
        Block::Other { who, name, number, phase, cut, whisper, .. } => {
            hash.update(match (whisper, cut) {
                (true, _) => b"one",
                (false, true) => b"cut",
                (false, false) => b"all",
            });
            hash.update(who.as_bytes());
            hash.update([0]);
            hash.update(name.as_bytes());
            hash.update([0]);
            number.iter().for_each(|number| hash.update(number.to_be_bytes()));
            phase.iter().for_each(|phase| {
                hash.update(phase.name.as_bytes());
                hash.update([u8::from(phase.simultaneous)]);
            });
        }
        Block::Summary { .. } => hash.update(b"sum"),
        Block::Operator { number, whisper, material, .. } => {
            hash.update(if *whisper { b"one" } else { b"top" });
            number.iter().for_each(|number| hash.update(number.to_be_bytes()));
            material.iter().for_each(|name| hash.update(name.as_bytes()));
        }
    }
    hash.update(words);
}
