//! Token limit of a reply, if it has one: space for its text and for reasoning.

use super::{Conversation, Turn, Widened};
use crate::model::*;
use crate::scenario::Advice;

/// Tokens for reasoning in addition to the reply, if the model was seen or invited to think.
const THINKING_TOKENS: u32 = 1_024;
/// The same for local models, which cost nothing: at most half of a known context window.
const LOCAL_THINKING_TOKENS: u32 = 4_096;
/// Token limit of replies by local models that are work, such as data in the form of a schema.
const LOCAL_WORK_TOKENS: u32 = 1_024;
/// Token limit of a turn, or of a result, in the layout for small models.
const SMALL_TOKENS: u32 = 80;
/// Tokens of a bid in the form of a schema, of one of several seats.
const BID_TOKENS: u32 = 40;
/// Estimated tokens per word, on the safe side.
const TOKENS_PER_WORD: u32 = 2;
/// Factor for the token limit of a model after a reply that spent all its tokens before the first word.
const WIDER: u32 = 4;
/// Base of such growth if no limit is set, in tokens.
const UNBOUNDED_TOKENS: u32 = 4_096;
/// Maximum limit reached by such growth, in tokens.
const WIDEST_TOKENS: u32 = 32_768;
/// Length of a short turn in words (min, max) in a debate with varied lengths.
const SHORT_TURN: (u32, u32) = (15, 40);
/// Length of a long turn in words (min, max) in a debate with varied lengths.
const LONG_TURN: (u32, u32) = (60, 110);

impl Conversation {
    /// Returns the maximum number of tokens of the reply to a turn's next call; `None` if it is unlimited.
    pub fn reply_tokens(&self, turn: &Turn) -> Option<u32> {
        let seat = self.seat(&turn.seat)?;
        let VoiceSpec::Model(model) = &seat.spec.voice else { return None };
        if self.scenario.answer.is_some() && seat.widened == Widened::Not {
            // in an experiment, replies of one arm must not be cut where those of another are not
            return model.max_tokens;
        }
        let bounded = self.spoken_tokens(turn);
        // with an effort, the wire format requests tokens for reasoning itself
        // the layout for small models does not invite them
        let invited = !self.is_small(turn) && self.shows(turn).is_some_and(|shows| shows.thinks);
        let thinks = model.effort.is_none() && (seat.thinks || invited);
        let local = || LOCAL_THINKING_TOKENS.min(seat.spec.window.map_or(u32::MAX, |all| all / 2));
        let spoken = bounded.unwrap_or(0);
        let thinking = match (thinks, seat.thinks && seat.spec.local) {
            (false, _) => 0,
            (true, false) => THINKING_TOKENS,
            (true, true) => local(),
        };
        let bounded = bounded.map(|tokens| tokens + thinking);
        if seat.widened == Widened::Not {
            return bounded;
        }
        // a model that used all tokens before its first word was thinking; the author's own limit grows only by the factor
        let least = if model.max_tokens.is_none() { spoken + local() } else { 0 };
        let most = bounded.unwrap_or(UNBOUNDED_TOKENS).saturating_mul(WIDER).max(least);
        Some(most.min(WIDEST_TOKENS.max(bounded.unwrap_or(0))))
    }

    /// Returns the maximum number of tokens of a turn's words, without its reasoning; `None` if it is unlimited.
    pub fn spoken_tokens(&self, turn: &Turn) -> Option<u32> {
        let seat = self.seat(&turn.seat)?;
        let VoiceSpec::Model(model) = &seat.spec.voice else { return None };
        seat.spec.answer_tokens(turn.purpose).map(|tokens| match model.max_tokens {
            Some(own) => own,
            None if self.bids_for_others(turn) => {
                let bids = self.batch_of(turn).map_or(0, |batch| batch.spec.options.len());
                BID_TOKENS.saturating_mul(u32::try_from(bids).unwrap_or(u32::MAX)).max(tokens)
            }
            None if self.is_small(turn)
                && matches!(turn.purpose, Purpose::Speak | Purpose::Result) =>
            {
                SMALL_TOKENS
            }
            // a choice or a vote is short
            None if tokens == Participant::LOCAL_REPLY_TOKENS
                && self.advice(turn) == Advice::Work =>
            {
                LOCAL_WORK_TOKENS
            }
            None => {
                let words = self.max_words(turn).map_or(0, |most| most * TOKENS_PER_WORD);
                tokens.max(words) + self.closing_tokens(turn)
            }
        })
    }

    /// Returns whether a turn whose reply used its tokens before its first word gets more of them: a model does so once in
    /// a conversation, and only calls that began before are repeated then.
    pub fn may_widen(&self, turn: &Turn) -> bool {
        let (limit, now) = (turn.parameters.max_tokens, self.reply_tokens(turn).map(u64::from));
        let is_more = now.is_some_and(|now| limit.is_none_or(|limit| limit < now));
        match self.seat(&turn.seat).map(|seat| seat.widened) {
            Some(Widened::Not) => true,
            Some(Widened::Once) => is_more,
            Some(Widened::InVain) | None => false,
        }
    }

    /// Returns the maximum number of words of a turn; `None` if neither phase, participant nor scenario limits it.
    fn max_words(&self, turn: &Turn) -> Option<u32> {
        if !turn.speaks() {
            return None;
        }
        let phase = self.shows(turn).and_then(|shows| shows.words);
        let seat = || self.seat(&turn.seat).and_then(|s| s.spec.words);
        let varied = || self.varied_words(turn);
        let words = phase.or_else(seat).or_else(varied).or(self.scenario.words);
        words.map(|(_, most)| most)
    }

    /// Returns the target length of a turn (min, max) in a guided debate in which short and long turns of a seat
    /// alternate; the seed decides the first one. `None` if its participant or phase has its own length.
    pub fn varied_words(&self, turn: &Turn) -> Option<(u32, u32)> {
        let guided = self.scenario.varied && self.advice(turn) == Advice::Debate;
        let place = self.seats.iter().position(|seat| seat.spec.id == turn.seat)?;
        let seat = self.seats.get(place)?;
        let own = self.shows(turn).and_then(|shows| shows.words).or(seat.spec.words);
        if !guided || !turn.speaks() || own.is_some() {
            return None;
        }
        let first = self.dice(place as u64, "varied words");
        let long = (first ^ u64::from(seat.utterances)) & 1 == 1;
        Some(if long { LONG_TURN } else { SHORT_TURN })
    }
}
