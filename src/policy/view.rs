//! What a policy is shown, and what it answers: all that a policy needs to know of this room.

use crate::model::payload::ThreadOpened;
use crate::model::{Kind, Purpose, SeatId, StopReason, Text, TurnId};
use crate::scenario::PolicyRow;
use crate::state::{Entry, State, Thread};
use serde_json::{Map, Value};

/// A policy's next move.
#[derive(Clone, Debug, PartialEq)]
pub enum NextMove {
    /// These seats speak at once.
    Speak {
        /// Who, in order.
        seats: Vec<SeatId>,
        /// Why these, in words.
        why: Text,
        /// The seats that are expected after them, in order.
        queue: Vec<SeatId>,
        /// The round this belongs to, from 1, where the policy counts rounds.
        round: Option<u32>,
    },
    /// These seats are asked a question beside the conversation.
    Ask {
        /// What the question is for.
        purpose: Purpose,
        /// The seats that are asked, in order.
        seats: Vec<SeatId>,
        /// Why, in words.
        why: Text,
        /// The question that each of them reads.
        question: Text,
        /// The answers that count, where there is a list of them.
        options: Vec<Text>,
    },
    /// A thread inside this one.
    Open(Box<ThreadOpened>),
    /// Wait until the operator gives the floor.
    Wait,
    /// Append this event; then the policy is asked again.
    Record(Box<Kind>),
    /// Warn the operator; then the policy is asked again.
    Warn(Text),
    /// End this thread, for this reason.
    End(StopReason),
}

/// A decision and all that the policy remembers of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move itself.
    pub next: NextMove,
    /// The policy's memory from here on; [`View`] gives it back at the next decision.
    pub memo: Value,
}

/// What a policy sees when it decides.
pub struct View<'a> {
    /// The whole conversation.
    pub state: &'a State,
    /// The thread whose policy it is.
    pub thread: &'a Thread,
}

/// Who speaks next in a thread.
pub trait Policy: Sync {
    /// Its name, options and meaning, for the loader and for people.
    fn row(&self) -> &'static PolicyRow;
    /// Decides; called only when no turn in the thread is running or owed.
    fn next(&self, view: &View<'_>) -> Decision;

    /// Returns whether it is also asked while threads inside its own are open.
    fn overlaps(&self) -> bool {
        false
    }

    /// Returns a turn that is to begin again, because something came that it has to know; asked while turns run.
    fn supersedes(&self, _view: &View<'_>) -> Option<TurnId> {
        None
    }

    /// Returns what came out of a thread that is over or stopped, besides its words.
    fn result(&self, _view: &View<'_>) -> Value {
        Value::Null
    }
}

impl<'a> View<'a> {
    /// Returns the name of a seat: what people read.
    pub(super) fn name<'s>(&self, seat: &'s str) -> &'s str
    where
        'a: 's,
    {
        self.state.seat(seat).map_or(seat, |s| &s.spec.name)
    }

    /// Returns a whole number of the memo.
    pub(super) fn memo_count(&self, key: &str) -> u64 {
        self.thread.memo[key].as_u64().unwrap_or(0)
    }

    /// Returns a whole number of the options.
    pub(super) fn option_count(&self, key: &str) -> Option<u64> {
        self.thread.spec.options[key].as_u64()
    }

    /// Returns whether an option has this value.
    pub(super) fn option_is(&self, key: &str, value: &str) -> bool {
        self.thread.spec.options[key] == *value
    }

    /// Returns what was said in the thread, by participants and the operator.
    pub(super) fn entries(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let id = self.thread.id;
        self.state.entries.iter().filter(move |e| e.thread == id)
    }

    /// Returns the last thing said in the thread.
    pub(super) fn last_entry(&self) -> Option<&'a Entry> {
        self.entries().next_back()
    }

    /// Returns the seats of the thread that can be given the floor, in order.
    pub(super) fn able(&self) -> impl Iterator<Item = &'a SeatId> {
        let state = self.state;
        self.thread.seats.iter().filter(move |s| state.may_speak(s))
    }

    /// Returns what to do where nobody can be given the floor: wait if the operator muted or removed the last seat that
    /// could speak, since that can be undone; end at an empty table, or where all have said what they may.
    pub(super) fn nobody(&self) -> Decision {
        let state = self.state;
        let seats = || self.thread.seats.iter().filter_map(|s| state.seat(s));
        let silenced = seats().any(|s| s.muted || s.gone) && !seats().all(|s| s.gone);
        let elsewhere = state.seats.iter().any(|s| s.spec.speaks && state.may_speak(&s.spec.id));
        match silenced && !elsewhere {
            true => Decision { next: NextMove::Wait, memo: self.thread.memo.clone() },
            false => self.end(StopReason::Exhausted),
        }
    }

    /// Returns the decision to end, with the memo as it is.
    pub(super) fn end(&self, reason: StopReason) -> Decision {
        Decision { next: NextMove::End(reason), memo: self.thread.memo.clone() }
    }

    /// Returns the memo with some keys set.
    pub(super) fn memo_with<'k>(&self, set: impl IntoIterator<Item = (&'k str, Value)>) -> Value {
        let mut memo: Map<String, Value> =
            self.thread.memo.as_object().cloned().unwrap_or_default();
        for (key, value) in set {
            memo.insert(key.to_owned(), value);
        }
        memo.retain(|_, v| !v.is_null());
        Value::Object(memo)
    }
}
