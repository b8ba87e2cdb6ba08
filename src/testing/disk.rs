//! A session that is saved nowhere: a disk that counts what it is given, and is full when a test says too much.

use crate::session::disk::{Disk, Rescue};
use std::io;

/// The most bytes of log that one run may write.
const LOG_MAX: u64 = 64 * 1024 * 1024;

/// The disk of one run; what is on it is in the feed.
#[derive(Default)]
pub struct Counted {
    bytes: u64,
}

impl Disk for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        match self.bytes > LOG_MAX {
            true => Err(io::Error::other(format!("the session is larger than {LOG_MAX} bytes"))),
            false => Ok(bytes.len()),
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
