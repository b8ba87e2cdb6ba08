//! Disk operations of the writer as a trait, so that tests can inject failures.
//!
//! A disk reports errors and decides nothing; `committer` handles them.

use super::files::{SessionFiles, private};
use super::lock::Lock;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use tempfile::TempPath;

/// The file of a session and its companion files.
pub trait Disk: Send {
    /// Appends bytes in one call; returns the number of bytes written.
    ///
    /// # Errors
    /// The error of the disk; the number of written bytes is then unknown.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Returns once all written bytes would survive a power cut.
    ///
    /// # Errors
    /// The error of the disk; anything since the last sync may be lost.
    fn sync(&mut self) -> io::Result<()>;

    /// Returns whether written data must survive a power cut. If not, it counts as synced once it is written.
    fn is_kept(&self) -> bool {
        true
    }

    /// Returns the locked lock file of the session again, if there is one.
    fn lock_file(&self) -> Option<File> {
        None
    }

    /// Truncates the file to a length in bytes.
    fn cut(&mut self, len: u64) -> io::Result<()>;

    /// Writes a text to a synced file of its own, named by its SHA-256.
    fn blob(&mut self, name: &str, text: &str) -> io::Result<()>;

    /// Returns a new, empty file next to this one, which has failed.
    ///
    /// # Errors
    /// The error of the disk, or [`io::ErrorKind::AlreadyExists`].
    fn rescue(&mut self) -> io::Result<Rescue>;
}

/// Destination for the rest of a session whose file failed.
pub struct Rescue {
    /// The new file.
    pub disk: Box<dyn Disk>,
    /// Its path, for messages.
    pub path: PathBuf,
}

/// The file of a session on a real disk.
pub(super) struct FileDisk {
    file: File,
    files: SessionFiles,
    /// Temporary path of the file before its first line.
    unnamed: Option<TempPath>,
    /// Lock, held as long as the file is open; fields are dropped in this order.
    lock: Option<Lock>,
    /// Removes a session that is not to be saved.
    temporary: Option<tempfile::TempDir>,
}

impl FileDisk {
    /// Returns the disk of a locked log that is open for appending.
    pub(super) fn new(
        file: File,
        files: SessionFiles,
        lock: Lock,
        temporary: Option<tempfile::TempDir>,
    ) -> FileDisk {
        FileDisk { file, files, unnamed: None, lock: Some(lock), temporary }
    }

    /// Returns the disk of a log that gets its final name with its first line.
    pub(super) fn unnamed(mut self, path: TempPath) -> FileDisk {
        self.unnamed = Some(path);
        self
    }
}

/// A session that was never written leaves no files.
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
        // an unsaved session is gone with the program
        self.temporary.is_none()
    }

    fn lock_file(&self) -> Option<File> {
        self.lock.as_ref()?.share().ok()
    }

    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)
    }

    fn blob(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.files.put_blob(name, text)
    }

    fn rescue(&mut self) -> io::Result<Rescue> {
        if let Some(path) = self.unnamed.take() {
            // a rescue file belongs next to a log; without a log it is found by its own name
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
