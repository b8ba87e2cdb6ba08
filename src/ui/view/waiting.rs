//! Commands of the operator that wait: messages, and other commands.

use crate::model::{Command, Key, SeatId, Text};
use crate::state::PendingCommand;
use crate::ui::view::transcript::Transcript;

impl Transcript {
    /// Returns the operator's queued messages, oldest first, with the keys of their commands.
    pub fn queued(&self) -> impl Iterator<Item = (&Key, &Text)> {
        self.state().queued_messages()
    }

    /// Returns the last queued command that is not a message.
    pub fn queued_command(&self) -> Option<&PendingCommand> {
        self.state().queued_commands().filter(|command| command.text.is_none()).last()
    }

    /// Returns the last command of the parent that waits for the end of the pause and is not a message.
    pub fn held_command(&self) -> Option<&PendingCommand> {
        self.queued_command().filter(|command| self.state().holds_back(command))
    }

    /// Returns the participant who alone hears a queued message.
    pub fn whispered(&self, key: &Key) -> Option<&SeatId> {
        let queued = self.state().queued_commands().find(|command| command.given.key == *key)?;
        match &queued.given.line.command {
            Command::Whisper { to, .. } => Some(to),
            _ => None,
        }
    }

    /// Returns the number of the turn that a queued message answers.
    pub fn answered(&self, key: &Key) -> Option<u32> {
        let queued = self.state().queued_commands().find(|command| command.given.key == *key)?;
        match queued.given.line.command {
            Command::Say { re, .. } => re,
            _ => None,
        }
    }
}
