//! Usage so far: of money and tokens, of limits; counts of turns and batches; correction factors for token estimates of
//! prompts.

use super::{Batch, Conversation, Seat, Since, Spent, Turn, policies};
use crate::model::*;
use crate::scenario::UsualLength;

/// Ratio of actual to estimated prompt tokens, in thousandths, for a model that has not reported any; estimates assume
/// four bytes per token.
const MARGIN_UNKNOWN: u32 = 2_000;

/// Ratio at which every byte is a token.
const MARGIN_MOST: u32 = 4_000;

/// Factor on the highest ratio so far, in percent; the next prompt may be in another script.
const MARGIN_RAISED: u32 = 125;

/// Bytes per token in estimates, if the server reported no usage.
const BYTES_PER_TOKEN: usize = 4;

impl Turn {
    /// Returns the estimated usage of the running call, from the number of bytes received.
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
    /// Returns the expected ratio of actual to estimated prompt tokens of a seat, in thousandths: the highest that its
    /// model has reported, plus a margin.
    pub fn margin_of(&self, seat: &str) -> u32 {
        let model = self.seat(seat).map(|s| s.spec.voice.label());
        match model.and_then(|model| self.margins.get(&*model)) {
            Some(seen) => {
                (seen.saturating_mul(MARGIN_RAISED) / 100).clamp(MARGIN_RAISED, MARGIN_MOST)
            }
            None => MARGIN_UNKNOWN,
        }
    }

    /// Updates the ratio of a model from the reported usage of a turn with one call.
    pub(super) fn learn_margin(&mut self, turn: &Turn, usage: &Usage) {
        if turn.calls != 1 || usage.estimated {
            return;
        }
        let Some(margin) = turn.parameters.prompt_margin.map(u64::from) else { return };
        let most = turn.reserve.most.max(1);
        let seen = usage.input.saturating_mul(margin) / most;
        let seen = u32::try_from(seen).unwrap_or(MARGIN_MOST).min(MARGIN_MOST);
        let known = self.margins.entry(turn.model.clone()).or_default();
        *known = seen.max(*known);
    }

    /// Returns the usage so far: of ended turns, and of earlier calls of running turns.
    pub fn spent(&self) -> Spent {
        self.turns.values().fold(self.over.clone(), |all, turn| all.with(&turn.spent))
    }

    /// Returns the cost of one seat so far.
    pub fn cost_of(&self, seat: &Seat) -> Usd {
        let own = |turn: &&Turn| turn.seat == seat.spec.id && !self.bids_for_others(turn);
        let running = self.turns.values().filter(own);
        seat.spent.usd + running.map(|t| t.spent.usd).sum()
    }
}

impl Conversation {
    /// Returns the use of a limit at a moment, in the limit's unit.
    pub fn used(&self, limit: Limit, now: Ms) -> u64 {
        match limit {
            Limit::Utterances => u64::from(self.utterances),
            Limit::Rounds => u64::from(
                self.threads.get(&ThreadId::ROOT).map_or(0, |t| t.round.saturating_sub(1)),
            ),
            Limit::Seconds => self.running.at(now) / 1000,
            Limit::Batches => u64::from(self.finished_batches()),
            Limit::Tokens => self.spent().usage.tokens(),
            Limit::Usd => self.spent().usd.0,
        }
    }

    /// Returns the number of finished batches of the whole conversation's policy.
    pub fn finished_batches(&self) -> u32 {
        let Some(root) = self.threads.get(&ThreadId::ROOT) else { return 0 };
        let open = |b: &&Batch| b.is_policys() && self.is_open(b);
        root.batches - root.batch.iter().filter(open).count() as u32
    }

    /// Returns `turn_count` for conditions: the number of finished batches under `depends`, else of ended utterances.
    pub fn turn_count(&self) -> u32 {
        self.turn_count_after(Since::default())
    }

    pub(super) fn turn_count_after(&self, since: Since) -> u32 {
        match policies::traits(&self.scenario.policy.name).length {
            UsualLength::Batches => self.finished_batches().saturating_sub(since.batches),
            _ => self.utterances.saturating_sub(since.utterances),
        }
    }
}
