//! The files that an agreement covers: the regular files of the folder in which commands run.
//!
//! `.git` is not covered, nor is the folder in which this program keeps its sessions.

use crate::cli::error::{Exit, Failure};
use crate::text::hex;
use crate::untrusted;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Maximum number of files, and of folders.
const FILES_MAX: usize = 1_000;
/// Maximum size of all files together, in bytes.
const BYTES_MAX: u64 = 64 << 20;
/// Maximum number of changed files listed in the question.
const NAMED_MAX: usize = 20;

/// Digests of the files of a folder, by relative path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundFiles {
    files: BTreeMap<String, String>,
    /// True if the folder is too large to be covered.
    is_too_large: bool,
}

impl BoundFiles {
    /// Reads the files of a folder in which commands run, except those in the folder of the sessions.
    pub fn read(folder: &Path, sessions: &Path) -> Result<BoundFiles, Failure> {
        let folders = sessions.canonicalize().into_iter().collect();
        let mut walk = Walk { root: folder, files: BTreeMap::new(), folders, bytes: 0 };
        let is_complete = walk.enter(folder, Place::Own)?;
        let files = if is_complete { walk.files } else { BTreeMap::new() };
        Ok(BoundFiles { files, is_too_large: !is_complete })
    }

    /// Returns true if all files are covered.
    pub fn is_complete(&self) -> bool {
        !self.is_too_large
    }

    /// Describes the differences from an earlier agreement and the limits of this one, one per line.
    pub fn describe(&self, before: Option<&BoundFiles>) -> Vec<String> {
        if self.is_too_large {
            return vec![
                "its folder has more than 1,000 files or 64 MB: no file is covered, and you are asked each time".into(),
            ];
        }
        let mut lines = before.map_or_else(Vec::new, |before| self.changes(&before.files));
        let more = lines.len().saturating_sub(NAMED_MAX);
        lines.truncate(NAMED_MAX);
        if more > 0 {
            lines.push(format!("and {more} more changed files"));
        }
        if !self.files.is_empty() {
            lines.push(format!(
                "covered: {} files of its folder; not covered: .git, the sessions folder, programs elsewhere",
                self.files.len()
            ));
        }
        lines
    }

    fn changes(&self, before: &BTreeMap<String, String>) -> Vec<String> {
        let mut lines = vec![];
        for (path, digest) in &self.files {
            match before.get(path) {
                None => lines.push(format!("{path} (new)")),
                Some(old) if old != digest => lines.push(format!("{path} (changed)")),
                Some(_) => {}
            }
        }
        let gone = before.keys().filter(|path| !self.files.contains_key(*path));
        lines.extend(gone.map(|path| format!("{path} (gone)")));
        lines
    }
}

/// Place of a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Below the folder of the commands.
    Own,
    /// Elsewhere: its files may be those of a device, so they are known by their last change alone, not by their bytes.
    BehindLink,
}

struct Walk<'a> {
    root: &'a Path,
    files: BTreeMap<String, String>,
    /// The folders entered or left out, by their real paths: a link may lead back.
    folders: BTreeSet<PathBuf>,
    bytes: u64,
}

impl Walk<'_> {
    /// Adds the files of a folder; returns false if there are too many.
    fn enter(&mut self, folder: &Path, place: Place) -> Result<bool, Failure> {
        let real = folder.canonicalize().map_err(|e| unread(folder, &e))?;
        if !self.folders.insert(real) {
            return Ok(true);
        }
        if self.folders.len() > FILES_MAX {
            return Ok(false);
        }
        for entry in fs::read_dir(folder).map_err(|e| unread(folder, &e))? {
            let path = entry.map_err(|e| unread(folder, &e))?.path();
            let kind = match path.symlink_metadata() {
                // another process removed it meanwhile
                Err(e) if e.kind() == ErrorKind::NotFound => continue,
                found => found.map_err(|e| unread(&path, &e))?.file_type(),
            };
            let is_git = path.file_name().is_some_and(|name| name == ".git");
            let goes_on = if kind.is_dir() {
                is_git || self.enter(&path, place)?
            } else if kind.is_symlink() && path.is_dir() {
                let listed = self.add(&path, place).map_err(|e| unread(&path, &e))?;
                // a folder elsewhere that cannot be read is asked about each time
                listed && (is_git || self.enter(&path, Place::BehindLink).unwrap_or(false))
            } else if kind.is_file() || kind.is_symlink() {
                self.add(&path, place).map_err(|e| unread(&path, &e))?
            } else {
                true
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds a file, or a link with its target.
    fn add(&mut self, path: &Path, place: Place) -> io::Result<bool> {
        let mut hash = Sha256::new();
        if path.is_symlink() {
            hash.update(fs::read_link(path)?.as_os_str().as_encoded_bytes());
        }
        if place == Place::BehindLink {
            let found = path.metadata()?;
            hash.update(found.ino().to_le_bytes());
            hash.update(found.mode().to_le_bytes());
            for time in [found.ctime(), found.ctime_nsec()] {
                hash.update(time.to_le_bytes());
            }
        } else if path.is_file() {
            let executable = path.metadata()?.mode() & 0o111;
            if executable != 0 {
                hash.update(executable.to_le_bytes());
            }
            let left = BYTES_MAX - self.bytes;
            let read = match untrusted::open(path) {
                Ok(file) => io::copy(&mut file.take(left + 1), &mut hash)?,
                Err(e) if e.kind() == ErrorKind::NotFound => return Ok(true),
                Err(e) => return Err(e),
            };
            if read > left {
                return Ok(false);
            }
            self.bytes += read;
        }
        let name = path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned();
        let digest = hex(&hash.finalize());
        self.files.insert(name, digest);
        Ok(self.files.len() <= FILES_MAX)
    }
}

fn unread(path: &Path, e: &io::Error) -> Failure {
    Failure::new(Exit::Invalid, format!("cannot read {}: {e}", path.display()))
        .hint("the files that a command would run must be readable before they can be trusted")
}
