//! Commands of the operator that wait: messages, and other commands.

use crate::model::Command;
use crate::state::PendingCommand;
use crate::ui::view::transcript::Transcript;

impl Transcript {
    /// Returns the operator's queued messages, oldest first.
    pub fn queued(&self) -> impl DoubleEndedIterator<Item = &PendingCommand> {
        self.state().queued_messages()
    }

    /// Returns the last queued command that is not a message.
    pub fn queued_command(&self) -> Option<&PendingCommand> {
        self.state().queued_commands().filter(|command| command.words.is_none()).last()
    }

    /// Returns the last command of the parent that waits for the end of the pause and is not a message.
    pub fn held_command(&self) -> Option<&PendingCommand> {
        self.queued_command().filter(|command| self.state().holds_back(command))
    }

    /// Returns the last queued message if everybody hears it, so that it can also be said at once.
    pub fn queued_for_all(&self) -> Option<&PendingCommand> {
        let last = self.queued().next_back()?;
        matches!(last.given.line.command, Command::Say { .. }).then_some(last)
    }
}
