//! The use so far, and the margin of estimates of prompts in tokens.

use super::{Conversation, Seat, Spent, Turn};
use crate::model::*;

/// By how much a prompt may have more tokens than a token for four bytes, in thousandths, where its model has reported none.
const MARGIN_UNKNOWN: u32 = 2_000;

/// The margin at which a byte is a token.
const MARGIN_MOST: u32 = 4_000;

/// The factor on the highest margin so far, in percent: the next prompt may be in another script.
const MARGIN_RAISED: u32 = 125;

/// Bytes per token in estimates, where the server reported no usage.
const BYTES_PER_TOKEN: usize = 4;

impl Turn {
    /// Returns what the call in flight has used, as estimated from the bytes that it has received.
    pub fn guess(&self, bytes: usize) -> Usage {
        let output = bytes.div_ceil(BYTES_PER_TOKEN) as u64;
        let most = if self.reserve.reply > 0 { self.reserve.reply } else { u64::MAX };
        Usage {
            input: self.reserve.prompt,
            output: output.min(most),
            estimated: true,
            ..Usage::default()
        }
    }
}

impl Conversation {
    /// Returns by how much a prompt of a seat may have more tokens than a token for four bytes, in thousandths: what its
    /// model has reported so far, and a bit.
    pub fn margin_of(&self, seat: &str) -> u32 {
        let model = self.seat(seat).map(|s| s.spec.voice.label());
        match model.and_then(|model| self.margins.get(&*model)) {
            Some(seen) => {
                (seen.saturating_mul(MARGIN_RAISED) / 100).clamp(MARGIN_RAISED, MARGIN_MOST)
            }
            None => MARGIN_UNKNOWN,
        }
    }

    /// Learns from what a model reports of the prompt of a turn that took one call.
    pub(super) fn learn_margin(&mut self, turn: &Turn, usage: &Usage) {
        let margin = turn.parameters.prompt_margin.filter(|_| turn.calls == 1).map(u64::from);
        let (Some(margin), false) = (margin, usage.estimated) else { return };
        let most = turn.reserve.most.max(1);
        let seen = usage.input.saturating_mul(margin) / most;
        let seen = u32::try_from(seen).unwrap_or(MARGIN_MOST).min(MARGIN_MOST);
        let known = self.margins.entry(turn.model.clone()).or_default();
        *known = seen.max(*known);
    }

    /// Returns what was used so far, by turns that are over and by earlier calls of those that run.
    pub fn spent(&self) -> Spent {
        self.turns.values().fold(self.over.clone(), |all, turn| all.with(&turn.spent))
    }

    /// Returns what one seat has cost so far.
    pub fn cost_of(&self, seat: &Seat) -> Usd {
        let running = self.turns.values().filter(|t| t.seat == seat.spec.id);
        seat.spent.usd + running.map(|t| t.spent.usd).sum()
    }
}
