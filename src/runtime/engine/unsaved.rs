//! Conversations that are not saved: scripted tests and teams.

use super::{Engine, Stopped};
use crate::clock::Clock;
use crate::session::disk::{Disk, Rescue};
use crate::session::writer::{Mode, SessionWriter, WriterStart};
use crate::session::{Feed, Tail};
use crate::tool::Tools;
use crate::voice::Voices;
use std::future::pending;
use std::io;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Maximum bytes of log that one conversation may write.
const LOG_MAX: u64 = 64 * 1024 * 1024;

impl Engine {
    /// Returns the engine of a conversation that is not saved, and the tail of its events.
    pub fn unsaved(
        clock: Clock,
        voices: Arc<dyn Voices>,
        tools: Arc<dyn Tools>,
    ) -> io::Result<(Engine, Tail)> {
        let disk = Box::<Discarded>::default();
        let writer = SessionWriter::spawn(disk, WriterStart::default(), Mode::Normal)?;
        let feed = Feed::new();
        let tail = feed.tail();
        let mut engine = Engine::new(writer, feed, clock, voices);
        engine.tools = tools;
        Ok((engine, tail))
    }

    /// Runs the conversation without an operator.
    pub async fn run_alone(&mut self) -> Stopped {
        let (_, orders) = mpsc::channel(1);
        self.run(orders, pending()).await
    }
}

/// A disk that saves nothing. It counts the written bytes, and is full if a conversation writes too much.
#[derive(Default)]
struct Discarded {
    bytes: u64,
}

impl Disk for Discarded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        if self.bytes > LOG_MAX {
            Err(io::Error::other(format!("the session is larger than {LOG_MAX} bytes")))
        } else {
            Ok(bytes.len())
        }
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.bytes = len;
        Ok(())
    }

    fn blob(&mut self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn rescue(&mut self) -> io::Result<Rescue> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
