//! Creates a session file; it gets its final name with its first line.

use super::error::SessionError;
use super::files::{SessionFiles, make_folder, private};
use super::lock::Lock;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;
use tempfile::TempPath;

/// Number of further names tried if the name of a new session is taken.
const NAMES_TRIED: u32 = 1_000;

/// Prefix of a log's temporary name.
const UNNAMED: &str = ".new-";

/// A log without its final name: a program that is stopped before the first event leaves no session.
pub(super) struct Unnamed {
    /// The new log, open for appending.
    pub file: File,
    /// Its temporary path; removed when dropped.
    pub path: TempPath,
    /// Lock of the final name.
    pub lock: Lock,
}

impl SessionFiles {
    /// Creates the file of a log, which must not exist yet, and its folder if needed. The final name stays free until
    /// the first line.
    pub(super) fn create(&self) -> Result<Unnamed, SessionError> {
        make_folder(self.folder()).map_err(SessionError::io("make", self.folder()))?;
        let there = || io::Error::new(ErrorKind::AlreadyExists, "it already exists");
        let taken = || SessionError::io("make", self.log())(there());
        if self.is_taken() {
            return Err(taken());
        }
        let lock = Lock::take(self)?;
        // the previous holder of the lock may have taken the name meanwhile
        if self.is_taken() {
            return Err(taken());
        }
        let path = self.folder().join(format!("{UNNAMED}{}", self.id()));
        let make = || -> io::Result<Unnamed> {
            let file = private(OpenOptions::new().append(true).create(true), &path)?;
            // we hold the lock, so any content was left by a killed program
            file.set_len(0)?;
            Ok(Unnamed { file, path: TempPath::try_from_path(path)?, lock })
        };
        make().map_err(SessionError::io("make", self.log()))
    }

    /// Creates the file of a new session in a folder, under the first free name: `ID`, `ID-2`, `ID-3`.
    pub(super) fn create_in(
        folder: &Path,
        id: &str,
    ) -> Result<(SessionFiles, Unnamed), SessionError> {
        remove_unnamed(folder);
        let mut n = 1;
        loop {
            let name = if n == 1 { format!("{id}.jsonl") } else { format!("{id}-{n}.jsonl") };
            let files = SessionFiles::at(folder.join(name));
            match files.create() {
                Ok(file) => return Ok((files, file)),
                Err(e) if n < NAMES_TRIED && e.is_taken() => n += 1,
                Err(e) => return Err(e),
            }
        }
    }
}

/// Removes unnamed logs left by killed programs: their locks are free, and they contain no events.
fn remove_unnamed(folder: &Path) {
    // an unreadable folder keeps them
    for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let Some(id) = name.strip_prefix(UNNAMED) else { continue };
        let files = SessionFiles::at(folder.join(format!("{id}.jsonl")));
        let free = File::open(files.lock()).is_ok_and(|lock| lock.try_lock().is_ok());
        if free && !files.is_taken() {
            // another program may have removed it already
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unnamed_leftovers_of_a_killed_program_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let there = |name: &str| folder.path().join(name).exists();
        let begin = |id: &str| SessionFiles::create_in(folder.path(), id).unwrap();
        for name in [".new-dead", "dead.lock", ".new-Xy12z"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let living = begin("living");
        let other = begin("other");
        assert!(!there(".new-dead") && there(".new-living") && there(".new-Xy12z"));
        drop((living, other));
    }

    #[test]
    fn a_taken_name_gets_a_number_and_a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let begin = || SessionFiles::create_in(folder.path(), "x").unwrap();
        let held = begin();
        let named = || {
            let (files, Unnamed { file, path, .. }) = begin();
            files.name(&file, &mut Some(path), true).unwrap();
            files.id()
        };
        let names = [held.0.id(), named(), named()];
        assert_eq!(names, ["x", "x-2", "x-3"]);
        drop(held);
        assert_eq!(begin().0.id(), "x", "what has said nothing leaves nothing");
        let target = folder.path().join("elsewhere");
        std::os::unix::fs::symlink(&target, folder.path().join("y.jsonl")).unwrap();
        assert_eq!(SessionFiles::create_in(folder.path(), "y").unwrap().0.id(), "y-2");
        assert!(!target.exists());
    }
}
