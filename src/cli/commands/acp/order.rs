//! Work for a session.

use super::pace::Pace;
use super::prompt::ClientPrompt;
use agent_client_protocol::Error;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    CloseSessionResponse, LoadSessionResponse, PromptResponse, SetSessionModeResponse,
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
