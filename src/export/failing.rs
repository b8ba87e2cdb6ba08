//! Failures for the same reason, noted once with a count: a server that is gone fails every call.

use crate::analysis::name;
use crate::model::{Kind, Outcome, Purpose, Text};
use crate::state::State;
use crate::text;

/// The current failure, and what of it has a note.
#[derive(Clone, Debug, Default)]
pub(super) struct Failing {
    why: Option<Text>,
    /// Whether a turn that failed so has a note.
    told: bool,
    /// The seats whose turns failed so without a note.
    others: Vec<String>,
    /// How many turns failed for this reason.
    turns: u32,
}

/// The relation of an event to the current failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// The event is no failure of a turn or call.
    Nothing,
    /// A failure that needs a note.
    First,
    /// The same failure again, which is counted.
    Counted,
}

impl Failing {
    /// Applies an event.
    pub fn again(&mut self, state: &State, kind: &Kind) -> Again {
        match kind {
            Kind::CallRetried(r) if r.model.is_none() => {
                if self.why.as_ref() == Some(&r.error.text) {
                    return Again::Counted;
                }
                Again::First
            }
            Kind::TurnEnded(e) if e.outcome == Outcome::Failed && e.purpose == Purpose::Speak => {
                let Some(error) = &e.error else { return Again::Nothing };
                if self.why.as_ref() != Some(&error.text) {
                    return Again::First;
                }
                self.turns += 1;
                if !std::mem::replace(&mut self.told, true) {
                    return Again::Nothing;
                }
                let who = state.spoken(e.turn).map(|spoken| name(state, &spoken.seat));
                self.others.extend(who.filter(|who| !self.others.contains(who)));
                Again::Counted
            }
            _ => Again::Nothing,
        }
    }

    /// Ends the count, and begins another one where an event is a failure itself; returns what was counted.
    pub fn counted(&mut self, next: &Kind) -> Option<String> {
        let (why, told, turns) = match next {
            Kind::CallRetried(r) if r.model.is_none() => (Some(r.error.text.clone()), false, 0),
            Kind::TurnEnded(e) if e.outcome == Outcome::Failed => {
                (e.error.as_ref().map(|error| error.text.clone()), true, 1)
            }
            _ => (None, false, 0),
        };
        if self.why.is_some() && self.why == why {
            return None;
        }
        let before = std::mem::replace(self, Failing { why, told, turns, others: vec![] });
        let why = before.why.filter(|_| !before.others.is_empty())?;
        let who = before.others.join(", ");
        let note =
            format!("the same failure for {who}; {} failed turns in total: {why}", before.turns);
        Some(text::label(&note).into_owned())
    }
}
