//! Fits a long conversation into a model's context window by keeping its beginning and its end. Never changes the log.
//!
//! Tokens are estimated from bytes, on the safe side; if a server still rejects the prompt as too long, a second call
//! gets half of it. This module deliberately summarises nothing.

use crate::model::tool::ToolRun;
use crate::model::{Block, Participant, Prompt, Text};
use crate::state::BuiltPrompt;
use std::collections::VecDeque;

/// Assumed context window, in tokens, of a local model, and of a participant without a model.
const LOCAL_WINDOW: u32 = 4_096;
/// Assumed context window of any other model, in tokens: no vendor has a smaller one today.
const UNKNOWN_WINDOW: u32 = 32_768;
/// Estimated bytes per token, on the safe side: English has about four, most other languages fewer.
const BYTES_PER_TOKEN: usize = 3;
/// Bytes per token of most texts, before the margin of the model is applied.
const BYTES_PER_TOKEN_KNOWN: u64 = 4;
/// Denominator of a margin, which is in thousandths.
const MARGIN_PARTS: u64 = 1_000;
/// Tokens of the frame around a block.
const FRAME_TOKENS: usize = 16;
/// Tokens of the number before a line of material.
pub const LINE_NUMBER_TOKENS: usize = 3;
/// Replacement for the omitted middle of a long message.
pub(super) const GAP: &str = "\n[...]\n";

/// Returns the context window that is assumed for a seat if its own is unknown, in tokens.
pub fn assumed_window(seat: &Participant) -> u32 {
    if seat.voice.is_model() && !seat.local { UNKNOWN_WINDOW } else { LOCAL_WINDOW }
}

/// Returns the maximum tokens of a seat's prompt: its window minus the tokens of the reply, or half of that after a
/// server rejected the prompt as too long.
pub(super) fn room(seat: &Participant, reply: Option<u32>, shrunk: bool) -> usize {
    let window = seat.window.unwrap_or_else(|| assumed_window(seat));
    let reply = if seat.voice.is_model() { reply.unwrap_or(window / 4).min(window / 2) } else { 0 };
    let room = (window - reply) as usize;
    if shrunk { room / 2 } else { room }
}

/// Estimates the tokens of a text, on the safe side.
pub fn estimate_tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN) + FRAME_TOKENS
}

/// Estimates the tokens of a prompt, on the safe side.
pub(super) fn tokens_of(prompt: &Prompt) -> u64 {
    let blocks: usize = prompt.blocks.iter().map(cost).sum();
    (fixed(prompt) + blocks) as u64
}

/// Returns an upper bound of the tokens of a prompt: one token per four bytes, times a margin in thousandths that is
/// learnt from the usage that the model reports. No token is shorter than a byte.
pub(super) fn most_tokens_of(built: &BuiltPrompt, margin: u32) -> u64 {
    let most =
        |bytes: u64| (bytes * u64::from(margin)).div_ceil(MARGIN_PARTS * BYTES_PER_TOKEN_KNOWN);
    let messages = built.messages.iter().map(|m| m.text.len() as u64);
    messages
        .chain([tool_bytes(&built.prompt) as u64].into_iter().filter(|bytes| *bytes > 0))
        .map(|bytes| most(bytes).min(bytes) + FRAME_TOKENS as u64)
        .sum()
}

/// Returns the size of tool requests and results, in bytes.
fn tool_bytes(prompt: &Prompt) -> usize {
    let bytes = |run: &ToolRun| {
        let result = run.returned.as_ref().map_or(0, |(_, result)| result.len());
        run.request.tool.len() + run.request.arguments.to_string().len() + result
    };
    prompt
        .tools
        .iter()
        .map(|round| round.said.len() + round.runs.iter().map(bytes).sum::<usize>())
        .sum()
}

/// Returns the tokens of the parts that are never omitted.
fn fixed(prompt: &Prompt) -> usize {
    let notes: usize = prompt.notes.iter().map(tokens).sum();
    let rejected = prompt.rejected.as_ref().map_or(0, |r| {
        // an echo is not shown again
        tokens(&r.why) + if r.echo { 0 } else { tokens(&r.said) }
    });
    let asked = prompt.cue.as_ref().or(prompt.task.as_ref()).map_or(0, tokens) + rejected;
    let lore: usize = prompt.lore.iter().map(tokens).sum();
    let asked = asked + lore + prompt.aside.as_ref().map_or(0, tokens);
    let tools: usize = tool_bytes(prompt).div_ceil(BYTES_PER_TOKEN);
    let tools = tools + prompt.text_tools.as_ref().map_or(0, tokens);
    let sections: usize = prompt.sections.iter().map(tokens).sum();
    let sections =
        sections + prompt.bare.iter().map(|message| tokens(&message.text)).sum::<usize>();
    let known = prompt.known.as_ref().map_or(0, |known| tokens(&known.text));
    let tools =
        tools + prompt.tools_used.iter().chain(&prompt.own_notes).map(tokens).sum::<usize>();
    let shown = sections + known + tools + prompt.brief.as_ref().map_or(0, tokens);
    shown + tokens(&prompt.system) + notes + asked
}

/// Returns the number of blocks at the beginning that have to be summarised, so that the rest takes at most half the
/// room; `None` if all of them fit.
pub(super) fn too_many(prompt: &Prompt, room: usize) -> Option<usize> {
    let room = room.saturating_sub(fixed(prompt));
    if prompt.blocks.iter().map(cost).sum::<usize>() <= room {
        return None;
    }
    let mut left = room / 2;
    let kept = prompt.blocks.iter().rev().take_while(|block| {
        let fits = cost(block) <= left;
        left = left.saturating_sub(cost(block));
        fits
    });
    Some(prompt.blocks.len() - kept.count())
}

/// Returns the number of bytes that safely fit into a number of tokens.
pub(super) fn bytes_of(tokens: usize) -> usize {
    tokens.saturating_mul(BYTES_PER_TOKEN)
}

/// Returns the maximum length of a summary for a seat, in words.
pub(super) fn summary_words(room: usize) -> usize {
    // a word is about one and a half tokens
    (room / 4 * 2 / 3).clamp(40, 400)
}

/// Part of a conversation that is omitted first if it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Loses {
    /// The middle: the first message and the last ones stay.
    Middle,
    /// The beginning: the last messages stay.
    Beginning,
}

/// Omits blocks that do not fit: the last blocks stay, and so does the first one unless the beginning is omitted. The
/// material at the beginning always stays whole.
pub(super) fn fit(mut prompt: Prompt, room: usize, loses: Loses) -> Prompt {
    let room = room.saturating_sub(fixed(&prompt));
    if prompt.blocks.iter().map(cost).sum::<usize>() <= room {
        return prompt;
    }
    let mut material = std::mem::take(&mut prompt.blocks);
    let talk = material.split_off(material.iter().take_while(|b| b.is_material()).count());
    let room = room.saturating_sub(material.iter().map(cost).sum());
    let mut blocks = VecDeque::from(talk);
    let all = blocks.len();
    let first = if loses == Loses::Middle { blocks.pop_front() } else { None };
    let mut shortened = 0;
    let first = first.map(|block| clipped(block, room / 4, &mut shortened));
    let mut left = room.saturating_sub(first.as_ref().map_or(0, cost));
    let mut kept = VecDeque::new();
    while let Some(block) = blocks.pop_back() {
        let before = shortened;
        let block = clipped(block, room / 2, &mut shortened);
        let cost = cost(&block);
        if cost > left {
            shortened = before;
            break;
        }
        left -= cost;
        kept.push_front(block);
    }
    let kept: Vec<Block> = first.into_iter().chain(kept).collect();
    let more = u32::try_from(all - kept.len()).unwrap_or(u32::MAX);
    prompt.blocks = material.into_iter().chain(kept).collect();
    prompt.left_out = prompt.left_out.saturating_add(more);
    prompt.shortened = shortened;
    prompt.starts_later = loses == Loses::Beginning;
    prompt
}

/// Returns the tokens of material that a seat can read: half of its room, so that the conversation has the other half.
pub fn material_tokens(seat: &Participant) -> usize {
    room(seat, seat.reply_tokens(), false) / 2
}

fn tokens(text: &Text) -> usize {
    estimate_tokens(text)
}

fn cost(block: &Block) -> usize {
    let numbers =
        if block.is_material() { block.text().lines().count() * LINE_NUMBER_TOKENS } else { 0 };
    tokens(block.text()) + numbers
}

/// Shortens a block to at most `most` tokens by omitting the middle of its text, and counts it.
fn clipped(mut block: Block, most: usize, shortened: &mut u32) -> Block {
    if cost(&block) <= most {
        return block;
    }
    *shortened += 1;
    let half = most.saturating_sub(FRAME_TOKENS + GAP.len()) * BYTES_PER_TOKEN / 2;
    let (Block::Own { text, .. }
    | Block::Other { text, .. }
    | Block::Summary { text }
    | Block::Operator { text, .. }) = &mut block;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len() - half.min(text.len()));
    *text = format!("{}{GAP}{}", &text[..head], &text[tail..]).into();
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ModelSpec, VoiceSpec};

    fn said(n: usize, words: usize) -> Block {
        Block::Operator {
            number: None,
            text: format!("{n}{}", " wörd".repeat(words)).into(),
            whisper: false,
            material: None,
        }
    }

    fn check(blocks: Vec<Block>, room: usize, kept: usize, left_out: u32) -> Prompt {
        let fitted = fit(Prompt { blocks, ..Prompt::default() }, room, Loses::Middle);
        assert_eq!((fitted.blocks.len(), fitted.left_out), (kept, left_out));
        assert!(fitted.blocks.iter().map(cost).sum::<usize>() <= room);
        fitted
    }

    #[test]
    fn an_unknown_window_is_that_of_servers_unless_the_model_is_local() {
        let model = VoiceSpec::Model(ModelSpec::default());
        let lines = VoiceSpec::Lines { lines: vec![], pace: 0 };
        for (voice, local, window) in
            [(model.clone(), false, 32_768), (model, true, 4_096), (lines, false, 4_096)]
        {
            let seat = Participant { local, ..Participant::new("a", voice) };
            assert_eq!(assumed_window(&seat), window);
            let stated = Participant { window: Some(9_000), ..seat };
            assert_eq!(room(&stated, Some(0), false), 9_000);
        }
    }

    #[test]
    fn fitting_prompt_is_unchanged() {
        let blocks: Vec<Block> = (0..10).map(|n| said(n, 20)).collect();
        assert_eq!(check(blocks.clone(), 4_096, 10, 0).blocks, blocks);
        check(vec![], 4_096, 0, 0);
    }

    #[test]
    fn the_beginning_and_the_end_stay() {
        let blocks: Vec<Block> = (0..400).map(|n| said(n, 40)).collect();
        let fitted = check(blocks.clone(), 3_072, 31, 369);
        assert_eq!(fitted.blocks[0], blocks[0]);
        assert_eq!(fitted.blocks[1..], blocks[370..]);
    }

    #[test]
    fn words_too_long_lose_their_middle() {
        let fitted = check(vec![said(1, 9_000), said(2, 9_000)], 1_000, 2, 0);
        for (block, n) in fitted.blocks.iter().zip(["1 w", "2 w"]) {
            assert!(block.text().starts_with(n) && block.text().contains(GAP), "{block:?}");
        }
        assert_eq!(fitted.shortened, 2);
    }
}
