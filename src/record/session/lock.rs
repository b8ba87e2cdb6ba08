//! One writer per session: a kernel lock, released however its holder ends.
//!
//! The file is deleted only with a session that was never written. Another program may have opened it just before, so
//! each one checks after locking that the file is still at its path, and opens the new one if not. The process id in it
//! is for messages; only the lock counts.

use super::error::SessionError;
use super::files::{SessionFiles, private, remove_unfinished};
use parking_lot::Mutex;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// The lock of a session, released when dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Number of tries for a lock whose file names no live process.
const TRIES: u32 = 40;
/// Delay between two tries.
const PAUSE: Duration = Duration::from_millis(25);
/// Maximum bytes read from a lock file; more than any process id has.
const PID_BYTES: u64 = 32;

/// Lock file that the starter of this process has locked and handed over.
static INHERITED: Mutex<Option<File>> = Mutex::new(None);

/// True if this process may change no existing session.
static REFUSES: AtomicBool = AtomicBool::new(false);

/// Forbids this process to change existing sessions, because a conversation started it.
pub fn refuse_changes() {
    REFUSES.store(true, Ordering::SeqCst);
}

/// Rejects a change of a session by a process that a conversation started.
///
/// # Errors
/// [`SessionError::Inside`], after [`refuse_changes`].
pub fn may_change() -> Result<(), SessionError> {
    if REFUSES.load(Ordering::SeqCst) { Err(SessionError::Inside) } else { Ok(()) }
}

/// Keeps a locked lock file, handed over by another process, for the next [`Lock::take`] of its session.
pub fn inherit(file: File) {
    *INHERITED.lock() = Some(file);
}

impl Lock {
    /// Returns the locked file again: the lock lasts until all of them are closed.
    pub(super) fn share(&self) -> std::io::Result<File> {
        self.file.try_clone()
    }

    /// Takes the lock of a session and writes this process's id into its file.
    ///
    /// # Errors
    /// As for [`Lock::hold`].
    pub fn take(files: &SessionFiles) -> Result<Lock, SessionError> {
        let mut lock = Lock::hold(files)?;
        let file = &mut lock.file;
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(SessionError::io("write", files.lock()))?;
        Ok(lock)
    }

    /// Takes the lock of a session and writes nothing, so that a full disk does not matter.
    ///
    /// Does not wait for a program that writes the session. Waits up to a second for a lock without a writer: that of a
    /// child forked by a killed program that has not started yet, or of a program that only probes the lock.
    ///
    /// # Errors
    /// [`SessionError::Locked`] with the holder's process id if it could be read, [`SessionError::Inside`] if the session
    /// exists and this process may not change it, or [`SessionError::Io`].
    pub fn hold(files: &SessionFiles) -> Result<Lock, SessionError> {
        if files.log().exists() {
            may_change()?;
        }
        let path = files.lock();
        let inherited = INHERITED.lock().take();
        let inherited = inherited.filter(|file| is_at(file, &path) && file.try_lock().is_ok());
        let mut file = match inherited {
            Some(file) => file,
            None => open(files, &path)?,
        };
        // bounded, in case a file system changes the file number each time
        for _ in 0..TRIES {
            if is_at(&file, &path) {
                break;
            }
            file = open(files, &path)?;
        }
        remove_unfinished(files);
        Ok(Lock { file })
    }

    /// Deletes the lock file of a session that was never written, and releases the lock.
    pub(super) fn remove(self, files: &SessionFiles) {
        // a file that cannot be deleted does no harm
        let _ = fs::remove_file(files.lock());
    }
}

fn open(files: &SessionFiles, path: &Path) -> Result<File, SessionError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = private(&mut options, path).map_err(SessionError::io("open", path))?;
    let mut tries = 0;
    while let Err(fault) = file.try_lock() {
        match fault {
            TryLockError::WouldBlock => {}
            TryLockError::Error(e) => return Err(SessionError::io("lock", path)(e)),
        }
        let pid = number(&file);
        tries += 1;
        if tries == TRIES || pid.is_some_and(lives) {
            return Err(SessionError::Locked { path: files.log().to_owned(), pid });
        }
        thread::sleep(PAUSE);
    }
    Ok(file)
}

/// Returns whether a file is still the one at a path.
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |found: fs::Metadata| (found.dev(), found.ino());
    file.metadata().is_ok_and(|held| fs::metadata(path).is_ok_and(|there| of(held) == of(there)))
}

/// Returns the process id of a session's writer, as far as it is known, if there is a writer. Probes the lock only if
/// its file has a number, so that a list of sessions does not keep a program from starting.
pub fn holder(files: &SessionFiles) -> Option<Option<u32>> {
    let number = fs::read_to_string(files.lock()).ok().filter(|n| !n.trim().is_empty())?;
    let held = File::open(files.lock()).ok()?.try_lock_shared();
    matches!(held, Err(TryLockError::WouldBlock)).then(|| number.trim().parse().ok())
}

/// Returns the number in a lock file, if it can be read.
fn number(mut file: &File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().and_then(|()| file.take(PID_BYTES).read_to_string(&mut text)).ok()?;
    file.rewind().ok()?;
    text.trim().parse().ok()
}

/// Returns whether a process with this id is running, of any user.
fn lives(pid: u32) -> bool {
    use rustix::process::{Pid, test_kill_process};
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    pid.is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // a remaining number would only mislead people: the lock ends with the file in any case
        let _ = self.file.set_len(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unfinished_log_of_a_killed_program_is_removed_with_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::at(folder.path().join("x.jsonl"));
        for name in [".new-x.jsonl", ".new-other.jsonl"] {
            fs::write(folder.path().join(name), "words").unwrap();
        }
        let _lock = Lock::take(&files).unwrap();
        assert!(!folder.path().join(".new-x.jsonl").exists());
        assert!(folder.path().join(".new-other.jsonl").exists());
    }

    #[test]
    fn second_opener_gets_the_lock_holder() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::at(folder.path().join("x.jsonl"));
        let first = Lock::take(&files).unwrap();
        let Err(SessionError::Locked { pid, .. }) = Lock::take(&files) else { panic!("locked") };
        assert_eq!(pid, Some(std::process::id()));
        drop(first);
        Lock::take(&files).unwrap();
    }

    #[test]
    fn opener_of_a_removed_lock_locks_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::at(folder.path().join("x.jsonl"));
        let first = Lock::take(&files).unwrap();
        let opened = File::open(files.lock()).unwrap();
        first.remove(&files);
        assert!(!files.lock().exists() && !is_at(&opened, &files.lock()));
        let next = Lock::take(&files).unwrap();
        assert!(is_at(&next.file, &files.lock()) && !is_at(&opened, &files.lock()));
    }

    /// A forked child of a killed program holds the lock until its exec; the file still has the number of the dead
    /// program.
    #[test]
    fn children_of_a_killed_program_are_reaped() {
        let folder = tempfile::tempdir().unwrap();
        let files = SessionFiles::at(folder.path().join("x.jsonl"));
        let mut left = File::create(files.lock()).unwrap();
        left.lock().unwrap();
        writeln!(left, "{}", i32::MAX).unwrap();
        let (go, gone) = std::sync::mpsc::channel::<()>();
        let child = thread::spawn(move || {
            let _ = gone.recv_timeout(PAUSE);
            drop(left);
        });
        Lock::take(&files).unwrap();
        child.join().unwrap();
        drop(go);
    }
}
