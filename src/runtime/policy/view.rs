//! Input and output of policies: the view that they get and the decision that they return.

use super::board::{Board, Detail};
use super::prompt_parts::PromptParts;
use crate::model::payload::ThreadOpened;
use crate::model::{Kind, Purpose, SeatId, StopReason, Text, TurnId};
use crate::scenario::PolicyRow;
use crate::state::{Batch, Entry, Handled, Memo, State, Thread, Turn};
use crate::text;
use serde_json::Value;

/// A policy's next move.
#[derive(Clone, Debug, PartialEq)]
pub enum NextMove {
    /// Give the floor to these seats, all at once.
    Speak {
        /// The seats, in order.
        seats: Vec<SeatId>,
        /// The reason, for people.
        why: Text,
        /// Seats expected after them, in order.
        queue: Vec<SeatId>,
        /// Number of the round, from 1; `None` if the policy does not count rounds.
        round: Option<u32>,
    },
    /// Ask these seats a question outside the conversation.
    Ask {
        /// Purpose of the question.
        purpose: Purpose,
        /// The seats, in order.
        seats: Vec<SeatId>,
        /// The reason, for people.
        why: Text,
        /// The question in the prompt of each seat.
        question: Text,
        /// The valid answers; empty if any answer is valid.
        options: Vec<Text>,
    },
    /// Open a thread inside this one.
    Open(Box<ThreadOpened>),
    /// Wait until the operator gives the floor.
    Wait,
    /// Append this event, then ask the policy again.
    Record(Box<Kind>),
    /// Warn the operator, then ask the policy again.
    Warn(Text),
    /// End this thread for this reason.
    End(StopReason),
}

/// A move and the policy's new memo.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The move itself.
    pub next: NextMove,
    /// The policy's memo from here on; [`View`] contains it at the next decision.
    pub memo: Memo,
}

/// Input of a policy's decision.
pub struct View<'a> {
    /// The whole conversation.
    pub state: &'a State,
    /// The thread that the policy decides for.
    pub thread: &'a Thread,
}

/// Decides who speaks next in a thread: data, and pure functions of the thread's view.
#[derive(Clone, Copy)]
pub struct Policy {
    /// Name, options and meaning of the policy, for the loader and for people.
    pub row: PolicyRow,
    /// Decides the next move; called only if no turn in the thread is running or due.
    pub next: fn(&View<'_>) -> Decision,
    /// True if the policy is also asked while threads inside its own are open.
    pub overlaps: bool,
    /// Returns a running turn that must restart because of something new that it has to know; asked while turns run.
    pub supersedes: fn(&View<'_>) -> Option<TurnId>,
    /// Returns the progress of a thread, for screens; `None` before it has any.
    pub board: fn(&View<'_>) -> Option<Board>,
    /// Returns everything about the progress of a thread, for a page.
    pub details: fn(&View<'_>) -> Vec<Detail>,
    /// Returns the parts of a turn's prompt that the policy writes; `None` for the usual prompt.
    pub prompt: fn(&View<'_>, &Turn) -> Option<PromptParts>,
    /// The tags in these parts, or their beginnings: text of others with such a tag is escaped.
    pub tags: &'static [&'static str],
    /// Returns the result of a thread that is over or stopped, besides its messages.
    pub result: fn(&View<'_>) -> Value,
}

impl Policy {
    /// Returns a policy without a board, prompt parts and a result.
    pub(super) const fn new(row: PolicyRow, next: fn(&View<'_>) -> Decision) -> Policy {
        Policy {
            row,
            next,
            overlaps: false,
            supersedes: |_| None,
            board: |_| None,
            details: |_| vec![],
            prompt: |_, _| None,
            tags: &[],
            result: |_| Value::Null,
        }
    }
}

impl<'a> View<'a> {
    /// Returns the display name of a seat.
    pub(super) fn name<'s>(&self, seat: &'s str) -> &'s str
    where
        'a: 's,
    {
        self.state.seat(seat).map_or(seat, |s| &s.spec.name)
    }

    /// Returns the display name of a seat, safe for a terminal.
    pub(super) fn shown_name(&self, seat: &SeatId) -> String {
        text::name(self.name(&seat.0)).into_owned()
    }

    /// Returns the memo of the last decision, to change it for the next one.
    pub(super) fn memo(&self) -> Memo {
        Memo::clone(&self.thread.memo)
    }

    /// Returns the decision to wait for the operator, with an unchanged memo.
    pub(super) fn wait(&self) -> Decision {
        Decision { next: NextMove::Wait, memo: self.memo() }
    }

    /// Returns the decision to warn the operator, with an unchanged memo.
    pub(super) fn warn(&self, text: Text) -> Decision {
        Decision { next: NextMove::Warn(text), memo: self.memo() }
    }

    /// Returns the last batch that the policy requested, unless the memo says that it was counted.
    pub(super) fn uncounted(&self) -> Option<&'a Batch> {
        let counted = match self.thread.memo.counted {
            Some(Handled::Batch(counted)) => Some(counted),
            _ => None,
        };
        self.thread.asked.as_ref().filter(|batch| counted.is_none_or(|counted| batch.id > counted))
    }

    /// Returns a whole number from the options.
    pub(super) fn option_count(&self, key: &str) -> Option<u64> {
        self.thread.spec.options[key].as_u64()
    }

    /// Returns whether an option has this value.
    pub(super) fn option_is(&self, key: &str, value: &str) -> bool {
        self.thread.spec.options[key] == *value
    }

    /// Returns the messages in the thread, by participants and the operator.
    pub(super) fn entries(&self) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let id = self.thread.id;
        self.state.entries.iter().filter(move |e| e.thread == id)
    }

    /// Returns the numbered messages that the thread sees, latest first: a phase also sees the phases before it.
    pub(super) fn spoken(&self) -> impl Iterator<Item = &'a Entry> {
        let (state, thread) = (self.state, self.thread.id);
        let spoken = state.entries.iter().rev().filter(|e| e.number.is_some());
        spoken.filter(move |e| state.sees_thread(thread, e.thread))
    }

    /// Returns the seat that spoke last, and speaks next only if asked; `None` after a round in which several spoke at
    /// the same time.
    pub(super) fn last_speaker(&self) -> Option<&'a SeatId> {
        let mut spoken = self.spoken();
        let last = spoken.next()?;
        let alone = spoken.next().is_none_or(|before| !before.is_beside(last));
        if alone { last.seat() } else { None }
    }

    /// Returns the last message in the thread.
    pub(super) fn last_entry(&self) -> Option<&'a Entry> {
        self.entries().next_back()
    }

    /// Returns the seats of the thread that can get the floor, in order.
    pub(super) fn able(&self) -> impl Iterator<Item = &'a SeatId> {
        let state = self.state;
        self.thread.seats.iter().filter(move |s| state.may_speak(s))
    }

    /// Returns the decision if no seat can get the floor: wait if the operator muted or removed the last seat that
    /// could speak, since that can be undone; end if all seats have left or are at their limits.
    pub(super) fn nobody(&self) -> Decision {
        let state = self.state;
        let seats = || self.thread.seats.iter().filter_map(|s| state.seat(s));
        let silenced = seats().any(|s| s.muted || s.gone) && !seats().all(|s| s.gone);
        let elsewhere = state.seats.iter().any(|s| s.spec.speaks && state.may_speak(&s.spec.id));
        if silenced && !elsewhere { self.wait() } else { self.end(StopReason::Exhausted) }
    }

    /// Returns the decision to end, with an unchanged memo.
    pub(super) fn end(&self, reason: StopReason) -> Decision {
        Decision { next: NextMove::End(reason), memo: self.memo() }
    }
}
