//! Requests of the screen for actions outside it, performed by its caller.

use crate::model::sentence::sentence_error;
use crate::model::{Command, SeatId};
use crate::ui::action::Action;
use crate::ui::view::branches::{BranchPoint, SessionFilter};

sentence_error! {
    /// Reason why an action outside the screen failed, for its notice.
    pub struct ServiceFault;
}

/// An action outside the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Creates a branch; later messages stay in the old session.
    Fork(BranchPoint),
    /// Lists the sessions, to show one beside the conversation.
    Sessions(SessionFilter),
    /// Shows another session beside the conversation, by its name or path.
    Beside(String),
    /// Sends a command of the operator.
    Send(Command),
    /// Sends several commands, in order.
    SendAll(Vec<Command>),
    /// Extends the finished conversation, starting with these commands.
    Extend(Vec<Command>),
    /// Lists the reachable models for a seat.
    Models(SeatId),
    /// Copies a text to the clipboard; the second string describes it.
    Copy(String, String),
    /// Opens an address in the default program of the system.
    Open(String),
    /// Opens the draft in the person's own editor.
    Edit(String),
    /// Exports the session in a format.
    Export(&'static str),
    /// Redraws everything.
    Redraw,
    /// Sets the terminal up again after the program was stopped.
    Retaken,
    /// Captures the mouse, or leaves it to the terminal.
    Mouse(bool),
    /// Pauses the conversation and stops the program until the shell continues it.
    Suspend,
    /// Leaves the screen; the conversation goes on in the background.
    Detach,
    /// Leaves for the start screen; the session is not changed.
    Home,
    /// Leaves the screen; the session is not changed.
    Leave,
}

/// A follow-up of an action.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowUp {
    /// Makes a request.
    Ask(Request),
    /// Performs another action.
    Act(Action),
}

impl From<Request> for FollowUp {
    fn from(request: Request) -> FollowUp {
        FollowUp::Ask(request)
    }
}
