//! Work for a session.

use super::prompt::ClientPrompt;
use crate::model::Command;
use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    CloseSessionResponse, LoadSessionResponse, PromptResponse, SessionMode, SessionModeId,
    SessionModeState, SetSessionModeResponse,
};

/// Work for a session.
pub enum Order {
    /// A prompt, which is answered when nothing more happens by itself.
    Prompt(ClientPrompt, Responder<PromptResponse>),
    /// Stop the current turns, and pause.
    Cancel,
    /// Pause after fewer or more turns from the next prompt on.
    Pace(Pace, Responder<SetSessionModeResponse>),
    /// Send the conversation so far.
    Load(Responder<LoadSessionResponse>),
    /// Announce the commands.
    Announce,
    /// Leave the conversation and end the session.
    Close(Responder<CloseSessionResponse>),
    /// Leave the conversation as a kill would leave it: the program ends.
    Leave,
}

impl Order {
    /// Rejects an order; notices need no answer.
    pub fn refuse(self, why: Error) -> Result<(), Error> {
        match self {
            Order::Prompt(_, responder) => responder.respond_with_error(why),
            Order::Pace(_, responder) => responder.respond_with_error(why),
            Order::Load(responder) => responder.respond_with_error(why),
            Order::Close(responder) => responder.respond_with_error(why),
            Order::Cancel | Order::Announce | Order::Leave => Ok(()),
        }
    }
}

/// The turns after a prompt, before the conversation waits for the next one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// Until it ends or waits for the person.
    #[default]
    Whole,
    /// One turn of every participant.
    Round,
    /// One turn.
    Turn,
}

/// The modes: id, label, description.
const MODES: [(Pace, &str, &str, &str); 3] = [
    (Pace::Whole, "whole", "Whole", "A prompt runs the conversation to its end"),
    (Pace::Round, "round", "Round", "A prompt runs one round, then the conversation waits"),
    (Pace::Turn, "turn", "Turn", "A prompt runs one turn, then the conversation waits"),
];

impl Pace {
    /// Returns the pace of a mode.
    pub fn by_id(id: &SessionModeId) -> Option<Pace> {
        MODES.iter().find(|(_, own, ..)| **own == *id.0).map(|(pace, ..)| *pace)
    }

    /// Returns the modes, with this one as the current.
    pub fn modes(self) -> SessionModeState {
        let current = MODES.iter().find(|(pace, ..)| *pace == self).map_or("", |(_, id, ..)| id);
        let mode = |(_, id, name, about): (Pace, &'static str, &str, &str)| {
            SessionMode::new(id, name).description(about)
        };
        SessionModeState::new(current, MODES.map(mode).into())
    }

    /// Returns the command that lets as many turns run, for a table with this number of speakers.
    pub fn steps(self, speakers: u32) -> Option<Command> {
        match self {
            Pace::Whole => None,
            Pace::Round => Some(Command::Step { n: speakers.max(1) }),
            Pace::Turn => Some(Command::Step { n: 1 }),
        }
    }
}
