//! One writer per session: a lock that the kernel gives back however its holder ends.
//!
//! The file is never deleted, because a second opener could then lock the deleted one and a third the new one. The
//! number in it is for people; only the lock itself decides.

use super::error::SessionError;
use super::files::{SessionFiles, private};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};

/// The right to write a session, given back when dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// What is read of a lock file at most: more than any process id takes, in bytes.
const PID_BYTES: u64 = 32;

impl Lock {
    /// Takes the lock of a session without waiting, and writes this process's id into it.
    ///
    /// # Errors
    /// [`SessionError::Locked`] with the holder's process id where it could be read, or [`SessionError::Io`].
    pub fn take(files: &SessionFiles) -> Result<Lock, SessionError> {
        let path = files.lock();
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = private(&mut options, &path).map_err(SessionError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let read = (&file).take(PID_BYTES).read_to_string(&mut holder);
                let pid = read.ok().and_then(|_| holder.trim().parse().ok());
                return Err(SessionError::Locked { path: files.log().to_owned(), pid });
            }
            Err(TryLockError::Error(e)) => return Err(SessionError::io("lock", path)(e)),
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(SessionError::io("write", path))?;
        Ok(Lock { file })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // a number left behind would only mislead people: the lock goes with the file in any case
        let _ = self.file.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_opener_is_told_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::at(folder.path().join("x.jsonl"));
        let first = Lock::take(&files).unwrap();
        let Err(SessionError::Locked { pid, .. }) = Lock::take(&files) else { panic!("locked") };
        assert_eq!(pid, Some(std::process::id()));
        drop(first);
        Lock::take(&files).unwrap();
    }
}
