//! Clients of the running conversation: their inputs, and whether the conversation waits for them.

use super::Input;
use crate::model::Command;
use crate::state::{RunState, State};
use std::future::pending;
use tokio::sync::{mpsc, watch};

/// Attendance of a running conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attendance {
    /// Number of attached clients that may steer.
    pub steering: usize,
    /// True if another process takes the conversation over once nothing is in flight.
    pub leaving: bool,
}

/// Owner of a running conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The operator, at a terminal or by a program.
    Operator,
    /// Nobody: it runs in the background, and waits for clients at every point but a limit.
    Nobody,
    /// A batch or a server, which keeps its budget and its participants.
    Program,
}

/// Clients that may come and go while the conversation runs.
pub struct Guests {
    inputs: mpsc::Receiver<Input>,
    attendance: watch::Receiver<Attendance>,
    owner: Owner,
    /// True if the last pause or step came from a client, who may come back.
    paused: bool,
}

impl Guests {
    /// Takes the receiving ends of a server. Without an owner, a conversation waits for an operator also while no client
    /// is attached. Every conversation waits for a person with a link.
    pub fn new(
        inputs: mpsc::Receiver<Input>,
        attendance: watch::Receiver<Attendance>,
        owner: Owner,
    ) -> Guests {
        Guests { inputs, attendance, owner, paused: false }
    }

    /// Returns whether the conversation, which cannot go on by itself, waits for an operator.
    pub(super) fn may_help(guests: &Option<Guests>, state: &State) -> bool {
        let Some(guests) = guests else { return false };
        if guests.owner == Owner::Program && state.limit.is_some() {
            return false;
        }
        let waits = guests.owner == Owner::Nobody && state.limit.is_none();
        // somebody may open the link at any time
        let waits = waits || state.turns.values().any(|turn| state.waits_for_link(turn));
        let paused = guests.paused && state.run == RunState::Paused;
        waits || paused || guests.attendance.borrow().steering > 0
    }

    /// Returns whether another process is to take the conversation over.
    pub(super) fn take_over(guests: &Option<Guests>) -> bool {
        guests.as_ref().is_some_and(|guests| guests.attendance.borrow().leaving)
    }

    /// Waits for the next input of a client; a tick if the attendance changed. Cancel safe.
    pub(super) async fn next(guests: &mut Option<Guests>) -> Input {
        let Some(guests) = guests else { return pending().await };
        tokio::select! { biased;
            Some(input) = guests.inputs.recv() => {
                guests.remember(&input);
                input
            }
            Ok(()) = guests.attendance.changed() => Input::Tick,
            else => pending().await,
        }
    }

    fn remember(&mut self, input: &Input) {
        if let Input::Command { line, .. } = input {
            self.paused = match line.command {
                Command::Pause {} | Command::PauseNow {} | Command::Step { .. } => true,
                Command::Resume {} => false,
                _ => self.paused,
            };
        }
    }
}
