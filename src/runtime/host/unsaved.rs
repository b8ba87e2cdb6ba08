//! Conversations that are not saved: scripted tests and teams.

use crate::session::disk::{Disk, Rescue};
use crate::session::writer::{Mode, SessionWriter, WriterStart};
use crate::session::{Session, SessionFiles};
use std::io;

/// Maximum bytes of log that one conversation may write.
const LOG_MAX: u64 = 64 * 1024 * 1024;

/// Returns a session that is not saved and has no file.
pub fn unsaved() -> io::Result<Session> {
    let disk = Box::<Discarded>::default();
    let writer = SessionWriter::spawn(disk, WriterStart::default(), Mode::Normal)?;
    Ok(Session { files: SessionFiles::at(""), writer })
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
