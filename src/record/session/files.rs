//! Paths of a session's files, and their creation: mode 0600, no links, synced.
//!
//! Text of a person or a model is never part of a path. `reader` opens existing logs.

use super::error::SessionError;
use crate::model::Wall;
use crate::own_file::folder_of;
use jiff::Timestamp;
use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempPath};

/// The paths of one session, derived from the path of its log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionFiles {
    log: PathBuf,
}

impl SessionFiles {
    /// Returns the paths for a log at `log`; does no I/O.
    pub fn at(log: impl Into<PathBuf>) -> SessionFiles {
        SessionFiles { log: log.into() }
    }

    /// Returns the paths of an existing session with links resolved, so that every path to it has the same lock.
    pub fn of_existing(log: &Path) -> Result<SessionFiles, SessionError> {
        log.canonicalize().map(SessionFiles::at).map_err(SessionError::io("open", log))
    }

    /// Returns the path of the log, `ID.jsonl`.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Returns the session's id: the log's file name without `.jsonl`.
    pub fn id(&self) -> String {
        let name = self.log.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(".jsonl").unwrap_or(&name).to_owned()
    }

    /// Returns the lock file, `ID.lock`.
    pub fn lock(&self) -> PathBuf {
        self.beside(".lock")
    }

    /// Returns the folder of blobs, `ID.blobs`.
    pub fn blobs(&self) -> PathBuf {
        self.beside(".blobs")
    }

    /// Returns the file for bytes cut off at an offset of the log, `ID.damage-OFFSET`.
    pub fn damage(&self, offset: u64) -> PathBuf {
        self.beside(&format!(".damage-{offset}"))
    }

    /// Returns the file for data that a failing disk rejected, `ID.rescue.jsonl`.
    pub fn rescue(&self) -> PathBuf {
        self.beside(".rescue.jsonl")
    }

    /// Returns the existing companion files of the session: lock, blobs, summary, rescue file, and copies made by
    /// repairs. Other files that begin with its id belong to others.
    pub fn others(&self) -> io::Result<Vec<PathBuf>> {
        let parts = [self.lock(), self.blobs(), self.rescue(), self.beside(".summary")];
        let there = parts.into_iter().filter(|path| path.symlink_metadata().is_ok());
        Ok(there.chain(self.copies()?).collect())
    }

    /// Returns the existing older copies of the log, or of parts of it.
    pub(super) fn copies(&self) -> io::Result<Vec<PathBuf>> {
        let id = self.id();
        let is_copy = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.strip_prefix(&id).is_some_and(is_copy)
        };
        match fs::read_dir(self.folder()) {
            Ok(entries) => {
                let paths: io::Result<Vec<PathBuf>> = entries.map(|e| Ok(e?.path())).collect();
                Ok(paths?.into_iter().filter(is_copy).collect())
            }
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(vec![]),
            Err(e) => Err(e),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        match self.log.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            Some(_) | None => Path::new("."),
        }
    }

    /// Returns the path `ID` with a suffix.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        self.folder().join(self.id() + ending)
    }

    pub(super) fn is_taken(&self) -> bool {
        self.log.symlink_metadata().is_ok()
    }

    /// Gives a temporary file the name of the log; both are synced if the session is kept. If the disk refuses, the
    /// file stays in place, to be named later.
    pub(super) fn name(
        &self,
        file: &File,
        unnamed: &mut Option<TempPath>,
        kept: bool,
    ) -> io::Result<()> {
        if unnamed.is_some() && kept {
            file.sync_all()?;
        }
        let Some(path) = unnamed.take() else { return Ok(()) };
        if let Err(refused) = path.persist_noclobber(&self.log) {
            *unnamed = Some(refused.path);
            return Err(refused.error);
        }
        if kept { sync_folder(self.folder()) } else { Ok(()) }
    }

    /// Writes a blob, unless it exists already.
    pub(super) fn put_blob(&self, name: &str, text: &str) -> io::Result<()> {
        let folder = self.blobs();
        make_folder(&folder)?;
        let path = folder.join(name);
        match fs::read(&path) {
            Ok(there) if there == text.as_bytes() => Ok(()),
            Ok(_) | Err(_) => write_whole(&path, text.as_bytes()),
        }
    }
}

/// Returns whether the suffix of a file is that of a copy: `.damage-OFFSET`, `.unrepaired`, `.rescue-joined`, the last
/// two also with a number.
fn is_copy(ending: &str) -> bool {
    let number = |n: &str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    let damage = ending.strip_prefix(".damage-").is_some_and(number);
    let kept = [".unrepaired", ".rescue-joined"].iter().filter_map(|c| ending.strip_prefix(c));
    damage
        || kept.clone().any(str::is_empty)
        || kept.filter_map(|n| n.strip_prefix('-')).any(number)
}

/// Returns the id of a new session, as in `20261121-203105-3f9a1c` (UTC).
pub fn session_id(at: Wall, random: u64) -> String {
    let at = Timestamp::from_millisecond(at.0).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{}-{:06x}", at.strftime("%Y%m%d-%H%M%S"), random & 0xff_ffff)
}

/// Opens a file with mode 0600, whatever the umask, and never through a link.
pub(super) fn private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let no_follow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
    let file = options.mode(0o600).custom_flags(no_follow).open(path)?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

/// Creates a folder and its parents with mode 0700, synced; an existing folder is unchanged.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    let named = |path: &&Path| !path.as_os_str().is_empty();
    let missing: Vec<&Path> =
        path.ancestors().take_while(|path| named(path) && !path.exists()).collect();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    let mut holders = missing.iter().filter_map(|path| path.parent());
    holders.try_for_each(|holder| sync_folder(Some(holder).filter(named).unwrap_or(Path::new("."))))
}

/// Syncs the entries of a folder.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// A file that is complete or absent: written with mode 0600, synced, then renamed into place. If dropped earlier, it
/// leaves nothing behind.
pub(super) struct NewFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl NewFile {
    /// Creates a temporary file in the folder of `path`.
    pub(super) fn at(path: &Path) -> io::Result<NewFile> {
        let name = unfinished(path);
        // left by a killed program
        let _ = fs::remove_file(folder_of(path).join(&name));
        let mut named = tempfile::Builder::new();
        let file = named.prefix(&name).rand_bytes(0).tempfile_in(folder_of(path))?;
        Ok(NewFile { path: path.to_owned(), file: BufWriter::new(file) })
    }

    /// Appends bytes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)
    }

    /// Renames the file to its path, replacing an old file; both are synced.
    pub(super) fn place(self) -> io::Result<()> {
        let file = self.file.into_inner().map_err(|e| e.into_error())?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        sync_folder(folder_of(&self.path))
    }
}

/// Removes the unfinished replacement of a session's log, which a killed program left: it repeats words that may be
/// redacted or deleted later. The caller holds the lock.
pub(super) fn remove_unfinished(files: &SessionFiles) {
    // an undeletable one is replaced by the next
    let _ = fs::remove_file(files.folder().join(unfinished(files.log())));
}

/// Returns the name of a file until it is complete.
fn unfinished(path: &Path) -> OsString {
    let mut name = OsString::from(".new-");
    name.push(path.file_name().unwrap_or_default());
    name
}

/// Writes a whole file through [`NewFile`].
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::at(path)?;
    file.write(bytes)?;
    file.place()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_holds_time_and_dice_and_no_text() {
        assert_eq!(session_id(Wall(1_795_293_065_123), 0xaa_3f9a1c), "20261121-203105-3f9a1c");
        assert_eq!(session_id(Wall(0), 0), "19700101-000000-000000");
    }

    #[test]
    fn parts_are_named_after_the_log() {
        let files = SessionFiles::at("/data/a-b.jsonl");
        assert_eq!(files.lock(), Path::new("/data/a-b.lock"));
        assert_eq!(files.blobs(), Path::new("/data/a-b.blobs"));
        assert_eq!(files.damage(7), Path::new("/data/a-b.damage-7"));
        assert_eq!(files.rescue(), Path::new("/data/a-b.rescue.jsonl"));
        assert_eq!(SessionFiles::at("talk.log").lock(), Path::new("./talk.log.lock"));
    }

    #[test]
    fn only_files_of_the_program_belong_to_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let own = ["x.lock", "x.summary", "x.damage-12", "x.unrepaired", "x.rescue-joined-2"];
        let others =
            ["x.md", "x.pdf", "x.damage-report", "x.unrepaired-notes", "x.y.jsonl", "xx.lock"];
        for name in own.iter().chain(&others) {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut found = SessionFiles::at(folder.path().join("x.jsonl")).others().unwrap();
        found.sort();
        let mut own = own.map(|name| folder.path().join(name));
        own.sort();
        assert_eq!(found, own);
    }
}
