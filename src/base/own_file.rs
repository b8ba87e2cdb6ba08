//! Creates, extends and replaces the program's own files: never through a link, never over somebody else's file.
//!
//! A folder may come from a stranger: a cloned repository, an archive. A file of ours in it may then be a link to a file
//! of the user, or a named pipe. Each function here checks the path itself (no link, a regular file) and, for an
//! existing file, its first line, before a byte is written. Files have mode 0600, folders 0700, whatever the umask.
//! Session files have their own functions in `session`; a file that the user names for output is not one of ours.

use rustix::fs::OFlags;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use tempfile::NamedTempFile;

/// Longest first line that is compared, in bytes.
const FIRST_LINE_MAX: u64 = 1 << 20;

/// A file that this program made, open for writing.
#[derive(Debug)]
pub struct OwnFile(File);

impl OwnFile {
    /// Creates a file; an existing one, or a link of that name, is an error.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`], or another error of the operating system.
    pub fn create_new(path: &Path) -> io::Result<OwnFile> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        open(options, path).map(OwnFile)
    }

    /// Creates a file with its whole content, synced: an error or a kill leaves no part of it. An existing file, or a link
    /// of that name, is an error.
    ///
    /// # Errors
    /// [`ErrorKind::AlreadyExists`], or another error of the operating system or of `write`.
    pub fn create_whole(
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        if path.symlink_metadata().is_ok() {
            return Err(ErrorKind::AlreadyExists.into());
        }
        let mut out = BufWriter::new(NamedTempFile::new_in(folder_of(path))?);
        write(&mut out)?;
        let fresh = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        fresh.as_file().sync_all()?;
        fresh.persist_noclobber(path).map(drop).map_err(|e| e.error)
    }

    /// Opens a file for reading and appending, and creates it if it does not exist. `is_ours` is asked about the first
    /// line of a file that is not empty.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] for a link, a special file, or a file whose first line is not ours.
    pub fn append(path: &Path, is_ours: impl FnOnce(&[u8]) -> bool) -> io::Result<OwnFile> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let mut file = open(options, path)?;
        check_first_line(&file, is_ours)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(OwnFile(file))
    }

    /// Replaces the content of a file in one step, synced; creates it if it does not exist. `is_ours` is asked about the
    /// first line of an existing file that is not empty.
    ///
    /// # Errors
    /// As [`OwnFile::append`]; the old content is then unchanged.
    pub fn replace(
        path: &Path,
        content: &[u8],
        is_ours: impl FnOnce(&[u8]) -> bool,
    ) -> io::Result<()> {
        match path.symlink_metadata() {
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(e),
            Ok(_) => {
                let mut options = OpenOptions::new();
                options.read(true);
                check_first_line(&open(options, path)?, is_ours)?;
            }
        }
        let mut fresh = NamedTempFile::new_in(folder_of(path))?;
        fresh.write_all(content)?;
        fresh.as_file().sync_all()?;
        fresh.persist(path).map(drop).map_err(|e| e.error)
    }

    /// Takes the only right to write, or fails at once if another process has it.
    pub fn try_lock(&self) -> Result<(), fs::TryLockError> {
        self.0.try_lock()
    }

    /// Returns once the content would survive a power cut.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    /// Cuts the file back to a length in bytes.
    pub fn cut(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }
}

impl Read for OwnFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for OwnFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for OwnFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Opens a file that the user names for output, for appending, and creates it. Links are followed; a special file is an
/// error, since opening one may wait or act.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a folder or a special file, or an error of the operating system.
pub fn append_to_named(path: &Path) -> io::Result<File> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    open(options, &target)
}

/// Creates a folder of mode 0700 with its parents. An existing folder is used as it is; a link to one is an error.
///
/// # Errors
/// [`ErrorKind::InvalidInput`] for a link or another kind of file, or an error of the operating system.
pub fn create_folder(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(found) if found.is_symlink() => return Err(refused("it is a link, not a folder")),
        Ok(_) => return Err(refused("it is a file, not a folder")),
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => return Err(e),
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Waits until no other process holds the lock of a folder, and takes it until the returned file is dropped. A file
/// system without locks is not an error.
///
/// # Errors
/// The error of the operating system.
pub fn lock_folder(path: &Path) -> io::Result<File> {
    let folder = File::open(path)?;
    match folder.lock() {
        Err(e) if e.kind() != ErrorKind::Unsupported => Err(e),
        Ok(()) | Err(_) => Ok(folder),
    }
}

/// Opens a path without following a link in its last part and without waiting for a named pipe.
fn open(mut options: OpenOptions, path: &Path) -> io::Result<File> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(refused("it is a link, a folder or a special file, not a regular file"));
    }
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    options.mode(0o600).custom_flags(i32::try_from(flags.bits()).map_err(io::Error::other)?);
    let file = options.open(path)?;
    // the path may have changed between the check and the call
    if !file.metadata()?.is_file() {
        return Err(refused("it is not a regular file"));
    }
    Ok(file)
}

fn check_first_line(file: &File, is_ours: impl FnOnce(&[u8]) -> bool) -> io::Result<()> {
    let mut line = vec![];
    BufReader::new(file.take(FIRST_LINE_MAX)).read_until(b'\n', &mut line)?;
    if line.is_empty() || is_ours(line.trim_ascii_end()) {
        return Ok(());
    }
    Err(refused("it exists, and colloquium did not write it"))
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn refused(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidInput, why)
}

/// Returns whether a retry may succeed once there is disk space.
pub fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn is_ours(line: &[u8]) -> bool {
        line.starts_with(b"ours")
    }

    #[test]
    fn refuses_links_pipes_folders_and_files_of_others() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        fs::write(at("profile"), "alias ls=ls\n").unwrap();
        symlink(at("profile"), at("link")).unwrap();
        symlink(at("absent"), at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink(at("folder"), at("linked-folder")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), fifo, mode, 0).unwrap();
        for name in ["profile", "link", "dangling", "folder", "pipe"] {
            let path = at(name);
            OwnFile::create_new(&path).unwrap_err();
            OwnFile::create_whole(&path, |out| out.write_all(b"ours")).unwrap_err();
            OwnFile::append(&path, is_ours).unwrap_err();
            OwnFile::replace(&path, b"ours", is_ours).unwrap_err();
        }
        for name in ["profile", "link", "linked-folder", "dangling", "pipe"] {
            create_folder(&at(name)).unwrap_err();
        }
        assert_eq!(fs::read(at("profile")).unwrap(), b"alias ls=ls\n");
        assert!(!at("absent").exists());
    }

    #[test]
    fn leaves_no_part_of_a_file_whose_writing_fails() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("export");
        let fail = |out: &mut dyn Write| {
            out.write_all(&[b'x'; 100_000])?;
            Err(ErrorKind::StorageFull.into())
        };
        let e = OwnFile::create_whole(&path, fail).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::StorageFull);
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
        OwnFile::create_whole(&path, |out| out.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn appends_to_named_files_through_links_and_never_to_special_files() {
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        symlink(at("log"), at("link")).unwrap();
        for name in ["log", "link"] {
            append_to_named(&at(name)).unwrap().write_all(b"line\n").unwrap();
        }
        assert_eq!(fs::read(at("log")).unwrap(), b"line\nline\n");
        assert_eq!(at("log").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        for special in [Path::new("/dev/null"), base.path()] {
            append_to_named(special).unwrap_err();
        }
    }

    #[test]
    fn writes_own_files_with_private_modes() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("results");
        OwnFile::create_new(&path).unwrap().write_all(b"ours 1\n").unwrap();
        let mut file = OwnFile::append(&path, is_ours).unwrap();
        file.write_all(b"more\n").unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "ours 1\nmore\n");
        OwnFile::replace(&path, b"ours 2\n", is_ours).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"ours 2\n");
        create_folder(&base.path().join("a/b")).unwrap();
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&base.path().join("a/b"))), (0o600, 0o700));
    }
}
