//! The operator's pending commands, and notes with guidance.

use super::Thread;
use crate::model::command::NoteFor;
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A command that was given and is not yet carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingCommand {
    /// `seq` of its `command.given`.
    pub seq: Seq,
    /// Session time at which it was given.
    pub at: Ms,
    pub given: Arc<CommandGiven>,
    /// Current words of its message; a queued message can be edited.
    pub words: Option<QueuedWords>,
    /// True if a receipt reported it as queued.
    pub queued: bool,
    /// True if the event that carries it out was applied.
    pub acted: bool,
    /// Reason why it can no longer be carried out.
    pub too_late: Option<LateReason>,
    /// Threads whose transcript has its message.
    pub placed: Vec<ThreadId>,
    /// The last batch that it opened.
    pub batch: Option<(ThreadId, BatchId)>,
    /// True if its vote, verdict or change of seats is recorded, or if its hold is over.
    pub closed: bool,
}

impl PendingCommand {
    /// Returns the command with the current text of its message.
    pub fn command(&self) -> Command {
        let mut command = self.given.line.command.clone();
        match (&mut command, &self.words) {
            (Command::Whisper(words), Some(QueuedWords::One(current))) => *words = current.clone(),
            (
                Command::Say { text, .. }
                | Command::CutIn { text, .. }
                | Command::SpeakAs { text, .. }
                | Command::Speak { text, .. }
                | Command::AnswerStep { text, .. },
                Some(QueuedWords::All(current)),
            ) => *text = current.clone(),
            _ => {}
        }
        command
    }

    /// Returns true if the command can be dropped: it waits, and its effect has not begun.
    pub fn is_droppable(&self) -> bool {
        let begun = self.acted || self.closed || self.batch.is_some() || !self.placed.is_empty();
        let waits = self.words.is_some()
            || matches!(
                self.given.line.command,
                Command::Floor { .. }
                    | Command::Vote { .. }
                    | Command::Verdict { winner: None }
                    | Command::Skip {}
                    | Command::Retry { .. }
                    | Command::Reroll { .. }
                    | Command::Continue { .. }
                    | Command::Pass { .. }
            );
        waits && !begun && self.too_late.is_none()
    }

    /// Returns whether it keeps the next turn from starting.
    pub fn is_hold(&self) -> bool {
        matches!(self.given.line.command, Command::Hold { on: true })
    }
}

/// Guidance from the operator, shown in prompts.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// `seq` of its `command.given`.
    pub id: Seq,
    /// Key of its command, for receipts.
    pub key: Key,
    pub text: Text,
    /// Seats that receive it.
    pub to: Vec<SeatId>,
    /// Lifetime.
    pub lives: NoteFor,
    /// Round in which it is valid, for each thread that was open when it was given.
    pub rounds: BTreeMap<ThreadId, u32>,
    /// Turns that carry it, by seat; a retry carries it too.
    pub bound: BTreeMap<SeatId, TurnId>,
    /// Seats that have spoken with it in their prompt.
    pub spent: BTreeSet<SeatId>,
    /// `seq` of the command that lifted it.
    pub lifted: Option<Seq>,
}

impl Note {
    /// Returns whether the next turn of a seat in a thread gets it.
    pub fn lives_for(&self, seat: &SeatId, thread: &Thread) -> bool {
        if self.lifted.is_some() || !self.to.contains(seat) || self.bound.contains_key(seat) {
            return false;
        }
        match self.lives {
            NoteFor::Utterance => !self.spent.contains(seat),
            NoteFor::Round => self.rounds.get(&thread.id) == Some(&thread.round),
            NoteFor::Standing => true,
        }
    }
}
