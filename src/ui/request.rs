//! What a key may ask for outside the screen: whoever runs the screen carries it out.

use crate::model::{Command, SeatId};
use crate::ui::action::Action;
use crate::ui::view::branches::{BranchPoint, SessionFilter};

/// What is to be done outside the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// The conversation branches off; what came after it stays in the old session.
    Fork(BranchPoint),
    /// The sessions as a list, to show one beside the conversation.
    Sessions(SessionFilter),
    /// Another session beside the conversation: its name or path.
    Beside(String),
    /// A command of the operator.
    Send(Command),
    /// Several commands, one after the other.
    SendAll(Vec<Command>),
    /// The conversation that ended is extended, and these commands come first.
    Extend(Vec<Command>),
    /// The models that can be reached, to give one to a seat.
    Models(SeatId),
    /// A text for the clipboard, and what it is in words.
    Copy(String, String),
    /// An address, for the program that the system has for it.
    Open(String),
    /// What is written, for the person's own editor.
    Edit(String),
    /// The session as a file, in the format of a name.
    Export(&'static str),
    /// Everything is redrawn.
    Redraw,
    /// The terminal is taken again: the program had been stopped.
    Retaken,
    /// The mouse is the screen's from now on, or the terminal's.
    Mouse(bool),
    /// The conversation pauses and the program stops until the shell goes on.
    Suspend,
    /// The start screen; the session stays as it is.
    Home,
    /// The screen is left; the session stays as it is.
    Leave,
}

/// What follows what a person did.
#[derive(Clone, Debug, PartialEq)]
pub enum FollowUp {
    /// Something is done outside.
    Ask(Request),
    /// Another action is carried out here.
    Act(Action),
    /// The same action is carried out several times.
    Repeat(u32, Action),
}

impl From<Request> for FollowUp {
    fn from(request: Request) -> FollowUp {
        FollowUp::Ask(request)
    }
}
