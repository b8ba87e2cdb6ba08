//! Groups repeated failures into one note with a count: an unreachable server fails every call.

use crate::analysis::name;
use crate::model::payload::CallRetried;
use crate::model::{ErrorClass, Kind, Outcome, Purpose, Text};
use crate::state::State;
use crate::text;

/// The current failure and the turns that it affected.
#[derive(Clone, Debug, Default)]
pub(super) struct Failing {
    why: Option<Text>,
    /// True if a turn with this failure has a note.
    told: bool,
    /// Seats whose turns failed in this way without a note.
    others: Vec<String>,
    /// Number of turns that failed for this reason.
    turns: u32,
}

/// Relation of an event to the current failure.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// Not a failure, or the first failed turn after a retry that failed for the same reason.
    Nothing,
    /// A new failure, which needs a note.
    First,
    /// The same failure again, which is only counted.
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

    /// Ends the count, and starts a new one if the event is a failure itself; returns the note on the old count.
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
        let why = before.why?;
        if before.others.is_empty() {
            return None;
        }
        let who = before.others.join(", ");
        let note =
            format!("the same failure for {who}; {} failed turns in total: {why}", before.turns);
        Some(text::label(&note).into_owned())
    }
}

/// Returns the note on a call that is made again: the reader learns the kind of fault, not the text that the model was
/// given about it.
pub(super) fn asked_again(who: &str, purpose: Purpose, retried: &CallRetried) -> String {
    let error = &retried.error;
    // the participant lends its voice only
    let who = if purpose == Purpose::Result { "the scribe" } else { who };
    if let (Some(ask), Purpose::Speak, None) = (&retried.ask, purpose, &error.field) {
        let question = ask.split_inclusive(['?', '.']).next().unwrap_or(ask);
        return format!("{who} was asked: {}", text::label(question));
    }
    let fault = match (error.class, purpose) {
        (ErrorClass::Echo, _) => format!("{who} repeated earlier words"),
        (ErrorClass::Form, Purpose::Vote) => format!("{who}'s vote was unreadable"),
        (ErrorClass::Form, Purpose::Judge) => format!("{who}'s judgement was unreadable"),
        (ErrorClass::Form, Purpose::Pick) => format!("{who}'s choice was unreadable"),
        (ErrorClass::Form, _) => match error.field.as_ref().and_then(|f| f.rsplit('/').next()) {
            Some(field) => format!("{who}'s reply had a wrong field ({field})"),
            None => format!("{who}'s reply did not have the required form"),
        },
        _ => return format!("retrying {who}: {}", error.text),
    };
    format!("{fault}; asked again")
}
