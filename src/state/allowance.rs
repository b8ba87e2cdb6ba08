//! How many tokens a reply may have, where it has a limit: the words it is asked for, and room to think.

use super::{State, Turn};
use crate::model::*;

/// Tokens that a model has for thinking besides its words, where it is seen or invited to think.
const THINKING_TOKENS: u32 = 1_024;
/// Tokens of a reply as data of a model on this machine: a schema may ask for much.
const LOCAL_DATA_TOKENS: u32 = 1_024;
/// Tokens that are taken for a word, on the safe side.
const TOKENS_PER_WORD: u32 = 2;
/// By how much more a reply may have after one that spent all its tokens before a word.
const WIDER: u32 = 4;
/// How often it may grow so.
const WIDER_TIMES: u32 = 2;
/// The default for such a reply, in tokens, where no bound is set.
const UNBOUNDED_TOKENS: u32 = 4_096;
/// The highest limit that such growth reaches, in tokens.
const WIDEST_TOKENS: u32 = 32_768;

impl State {
    /// Returns the most tokens of the answer to a turn's next call, if anything bounds them.
    pub fn reply_tokens(&self, turn: &Turn) -> Option<u32> {
        let seat = self.seat(&turn.seat)?;
        let VoiceSpec::Model(model) = &seat.spec.voice else { return None };
        let bounded = seat.spec.answer_tokens(turn.purpose).map(|tokens| match model.max_tokens {
            Some(own) => own,
            None if matches!(self.contract_of(turn).form, Form::Schema(_) | Form::Plan { .. }) => {
                LOCAL_DATA_TOKENS
            }
            None => tokens.max(self.words_of(turn).map_or(0, |most| most * TOKENS_PER_WORD)),
        });
        // with an effort the wire asks for its tokens by itself
        let invited = self.shows(turn).is_some_and(|shows| shows.thinks);
        let thinks = model.effort.is_none() && (seat.thinks || invited);
        let bounded = bounded.map(|tokens| tokens + if thinks { THINKING_TOKENS } else { 0 });
        match seat.widened {
            0 => bounded,
            n => {
                let wider = WIDER.saturating_pow(n.min(WIDER_TIMES));
                let most = bounded.unwrap_or(UNBOUNDED_TOKENS).saturating_mul(wider);
                Some(most.min(WIDEST_TOKENS.max(bounded.unwrap_or(0))))
            }
        }
    }

    /// Returns the most words that a turn may have; none where neither phase, participant nor scenario says so.
    fn words_of(&self, turn: &Turn) -> Option<u32> {
        let phase = self.shows(turn).and_then(|shows| shows.words);
        let seat = || self.seat(&turn.seat).and_then(|s| s.spec.words);
        let words = phase.or_else(seat).or(self.scenario.words).filter(|_| turn.speaks());
        words.map(|(_, most)| most)
    }
}
