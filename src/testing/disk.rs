//! A disk that saves nothing: it counts the written bytes, and is full if a test writes too much.

use crate::session::disk::{Disk, Rescue};
use std::io;

/// Maximum bytes of log that one run may write.
const LOG_MAX: u64 = 64 * 1024 * 1024;

/// Disk of one run; the feed has the written events.
#[derive(Default)]
pub struct Counted {
    bytes: u64,
}

impl Disk for Counted {
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
