//! The socket of a conversation that is played here, for clients of the same user.

use crate::cli::context::Context;
use crate::clock::Clock;
use crate::engine::Engine;
use crate::session::SessionFiles;
use crate::state::State;
use std::io;

/// Reason why a conversation takes no clients.
const CLOSED: &str = "nobody could attach to it: it is not saved, `live` is off in the settings, or \
                      this is not Linux";

/// Server of the conversation; `None` if it takes no clients.
#[derive(Default)]
pub struct Door {
    #[cfg(target_os = "linux")]
    server: Option<crate::live::server::LiveServer>,
}

impl Door {
    /// Waits until clients can attach; must be called once. Cancel safe.
    ///
    /// # Errors
    /// The reason why they cannot.
    #[cfg(target_os = "linux")]
    pub async fn opened(&mut self) -> io::Result<()> {
        match &mut self.server {
            Some(server) => server.opened().await.map(drop),
            None => Err(io::Error::other(CLOSED)),
        }
    }

    /// Waits until clients can attach.
    ///
    /// # Errors
    /// Always on this system.
    #[cfg(not(target_os = "linux"))]
    pub async fn opened(&mut self) -> io::Result<()> {
        Err(io::Error::other(CLOSED))
    }

    /// Returns the reason why nobody can attach.
    pub fn fault(&self) -> Option<&'static str> {
        #[cfg(target_os = "linux")]
        if self.server.is_some() {
            return None;
        }
        Some(CLOSED)
    }

    /// Asks the engine to stop once nothing is in flight, because another process takes the conversation over.
    pub fn hand_over(&self) {
        #[cfg(target_os = "linux")]
        self.server.iter().for_each(crate::live::server::LiveServer::hand_over);
    }
}

/// A conversation that is about to run.
pub struct DoorPlan<'a> {
    /// Engine that has not run yet.
    pub engine: &'a mut Engine,
    /// Paths of its session.
    pub files: &'a SessionFiles,
    /// State before the events of its feed.
    pub past: &'a State,
    /// True if the session is kept.
    pub saved: bool,
    /// Clock of the session.
    pub clock: &'a Clock,
    /// True if the conversation runs in the background and waits for clients.
    pub background: bool,
}

/// Opens a conversation to clients, unless the settings or the kind of conversation forbid it: an unsaved one lacks a
/// name, and one on virtual time is over at once.
///
/// Only on Linux can the program tell which processes a conversation started, so only there is a socket opened.
#[cfg(target_os = "linux")]
pub fn open(conversation: DoorPlan<'_>, context: &Context) -> Door {
    use crate::live::server::{self, LiveOpening};
    let DoorPlan { engine, files, past, saved, clock, background } = conversation;
    let wanted = context.settings().is_ok_and(|settings| settings.live.unwrap_or(true));
    if !wanted || !saved || clock.is_virtual() {
        return Door::default();
    }
    let opening = LiveOpening {
        folder: context.paths.sockets.clone(),
        files: files.clone(),
        tail: engine.tail(),
        past: past.clone(),
        durable: engine.durable(),
        background,
    };
    match server::open(opening) {
        Ok((server, guests)) => {
            engine.guests = Some(guests);
            Door { server: Some(server) }
        }
        Err(fault) => {
            context.note(&format!("nobody can attach: {fault}"));
            Door::default()
        }
    }
}

/// Opens nothing: this system does not list processes as needed.
#[cfg(not(target_os = "linux"))]
pub fn open(_conversation: DoorPlan<'_>, _context: &Context) -> Door {
    Door::default()
}
