//! Filters of the text of a call while it streams: reasoning and the `STANCE:` line must never be shown as speech.

use crate::model::{Channel, Text, VoiceSpec};
use crate::reply::{Splitter, StanceFilter};
use crate::state::{State, Turn};

/// The filters of one call.
pub(super) struct CallStream {
    /// Separates reasoning; `None` for voices that mark none.
    splitter: Option<Splitter>,
    /// Holds back the `STANCE:` line; `None` if the reply has none.
    stance: Option<StanceFilter>,
}

/// Text that was held back until the end of a call.
#[derive(Default)]
pub(super) struct StreamEnd {
    pub(super) parts: Vec<(Channel, Text)>,
    /// The `STANCE:` line of the reply.
    pub(super) stance: Option<Text>,
}

impl CallStream {
    pub(super) fn new(state: &State, turn: &Turn) -> CallStream {
        let voice = state.seat(&turn.seat).map(|seat| &seat.spec.voice);
        let marks = matches!(voice, Some(VoiceSpec::Model(_) | VoiceSpec::Lines { .. }));
        CallStream {
            splitter: marks.then(Splitter::default),
            stance: state.reads_stance(turn).then(StanceFilter::default),
        }
    }

    /// Adds a piece of speech and returns the parts that are now certain, in order.
    pub(super) fn push(&mut self, text: &Text) -> Vec<(Channel, Text)> {
        if self.splitter.is_none() && self.stance.is_none() {
            return vec![(Channel::Say, text.clone())];
        }
        let parts = match &mut self.splitter {
            Some(splitter) => splitter.push(text),
            None => vec![(Channel::Say, text.to_string())],
        };
        self.without_stance(parts)
    }

    /// Returns the text that was held back, at the end of the call. If the model `stopped` by itself and its reasoning
    /// never closed, that is its speech.
    pub(super) fn finish(mut self, stopped: bool) -> StreamEnd {
        let mut held = self.splitter.as_mut().map(Splitter::finish).unwrap_or_default();
        if stopped {
            let unclosed = self.splitter.as_mut().and_then(Splitter::unclosed);
            held.extend(unclosed.map(|speech| (Channel::Say, speech)));
        }
        let mut parts = self.without_stance(held);
        let Some(filter) = &mut self.stance else { return StreamEnd { parts, stance: None } };
        let rest = filter.finish();
        if !rest.is_empty() {
            parts.push((Channel::Say, rest.into()));
        }
        StreamEnd { parts, stance: filter.line().map(Text::from) }
    }

    fn without_stance(&mut self, parts: Vec<(Channel, String)>) -> Vec<(Channel, Text)> {
        let mut kept = vec![];
        for (channel, text) in parts {
            let text = match &mut self.stance {
                Some(filter) if channel == Channel::Say => filter.push(&text),
                Some(_) | None => text,
            };
            if !text.is_empty() {
                kept.push((channel, text.into()));
            }
        }
        kept
    }
}
