//! What the writer asks of a disk, so that tests can have one that fails on purpose.
//!
//! A disk reports; it decides nothing. What follows a failure is the business of `committer`.

use super::files::{SessionFiles, private};
use super::lock::Lock;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use tempfile::TempPath;

/// The file of a session, and what lies beside it.
pub trait Disk: Send {
    /// Appends bytes in one go; returns how many the disk took.
    ///
    /// # Errors
    /// What the disk said; nothing is known then about what it took.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Returns when all that was written would survive a power cut.
    ///
    /// # Errors
    /// What the disk said; nothing is known then about anything since the last sync.
    fn sync(&mut self) -> io::Result<()>;

    /// Returns whether what is written must survive a power cut. If not, it counts as synced once it is written.
    fn is_kept(&self) -> bool {
        true
    }

    /// Cuts the file back to a length in bytes.
    ///
    /// # Errors
    /// What the disk said.
    fn cut(&mut self, len: u64) -> io::Result<()>;

    /// Puts a text beside the file, synced, under its SHA-256.
    ///
    /// # Errors
    /// What the disk said.
    fn blob(&mut self, name: &str, text: &str) -> io::Result<()>;

    /// Returns a new, empty file beside this one, for what this one cannot be trusted with any more.
    ///
    /// # Errors
    /// What the disk said, or that there is one already.
    fn rescue(&mut self) -> io::Result<Rescue>;
}

/// Where the rest of a session goes when its own file failed.
pub struct Rescue {
    /// The new file.
    pub disk: Box<dyn Disk>,
    /// Its path, for people.
    pub path: PathBuf,
}

/// The file of a session on a real disk.
pub(super) struct FileDisk {
    file: File,
    files: SessionFiles,
    /// Where the file lies before its first line.
    unnamed: Option<TempPath>,
    /// Held as long as the file is open; fields are dropped in this order.
    lock: Option<Lock>,
    /// Removes a session that is not to be saved.
    temporary: Option<tempfile::TempDir>,
}

impl FileDisk {
    /// Returns the disk of a log that is open for appending, with the right to write it.
    pub(super) fn new(
        file: File,
        files: SessionFiles,
        lock: Lock,
        temporary: Option<tempfile::TempDir>,
    ) -> FileDisk {
        FileDisk { file, files, unnamed: None, lock: Some(lock), temporary }
    }

    /// Returns the disk of a log that gets its name with its first line.
    pub(super) fn unnamed(mut self, path: TempPath) -> FileDisk {
        self.unnamed = Some(path);
        self
    }
}

/// A session that was never written leaves nothing behind.
#[cfg(unix)]
impl Drop for FileDisk {
    fn drop(&mut self) {
        let Some(unnamed) = self.unnamed.take() else { return };
        drop(unnamed);
        if let Some(lock) = self.lock.take() {
            lock.remove(&self.files);
        }
    }
}

impl Disk for FileDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let took = self.file.write(bytes)?;
        if took == bytes.len() {
            self.files.name(&self.file, &mut self.unnamed, self.temporary.is_none())?;
        }
        Ok(took)
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.is_kept() { self.file.sync_data() } else { Ok(()) }
    }

    fn is_kept(&self) -> bool {
        // a session that is not saved is gone with the program
        self.temporary.is_none()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn blob(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.files.put_blob(name, text)
    }

    fn rescue(&mut self) -> io::Result<Rescue> {
        if let Some(path) = self.unnamed.take() {
            // a rescue is looked for beside a log; without one it is found by its own name
            let _ = path.persist_noclobber(self.files.log());
        }
        let path = self.files.rescue();
        let file = private(OpenOptions::new().append(true).create_new(true), &path)?;
        super::files::sync_folder(self.files.folder())?;
        let disk = FileDisk {
            file,
            files: self.files.clone(),
            unnamed: None,
            lock: self.lock.take(),
            temporary: self.temporary.take(),
        };
        Ok(Rescue { disk: Box::new(disk), path })
    }
}
