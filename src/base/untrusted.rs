//! Opens files that may come from others: regular files only, up to a size limit, and no links out of their folder.
//!
//! A scenario, a project's settings, a history or a steer file may be in a cloned repository or come from a download.
//! Reading one must not block (a pipe), be endless (a device) or read files elsewhere (a link). Trust in the content is
//! decided elsewhere.

use crate::text;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Default size limit of a file, in bytes.
pub const FILE_MAX_BYTES: u64 = 1 << 20;

/// Reads a whole file of at most [`FILE_MAX_BYTES`].
///
/// # Errors
/// The error of the operating system, or the reason for a refusal; [`ErrorKind::FileTooLarge`] for a larger file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(FILE_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_MAX_BYTES {
        let message = format!("it is larger than {FILE_MAX_BYTES} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// Reads the text of a whole file of at most [`FILE_MAX_BYTES`], in Unicode.
///
/// # Errors
/// As [`read`], and [`ErrorKind::InvalidData`] with the first line that is not in Unicode.
pub fn read_text(path: &Path) -> io::Result<String> {
    text::decode_unicode(read(path)?)
}

/// Reads a text that the user names or keeps, as [`read_text`]: a link of theirs may lead anywhere.
///
/// # Errors
/// As [`read_text`].
pub fn read_own_text(path: &Path) -> io::Result<String> {
    read_text(&path.canonicalize()?)
}

/// Opens a file for reading, without ever waiting for it.
///
/// # Errors
/// The error of the operating system, or the reason for a refusal.
pub fn open(path: &Path) -> io::Result<File> {
    stays_inside(path)?;
    // opening a device may already have an effect
    is_regular(path.metadata()?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).map_err(io::Error::other)?;
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, flags);
    let file = options.open(path)?;
    // the path may have changed between the check and the call
    is_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Rejects a link that leads out of its folder.
fn stays_inside(path: &Path) -> io::Result<()> {
    if !path.symlink_metadata()?.is_symlink() {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
    let target = fs::canonicalize(path)?;
    if target.starts_with(&folder) {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, LinkOut(target)))
}

/// Error of a link that leads out of its folder, to this path.
#[derive(Debug, thiserror::Error)]
#[error("it is a link out of its folder, to {}", .0.display())]
struct LinkOut(PathBuf);

/// Returns the target of a link that was refused because it leads out of its folder. A user may name the target itself.
pub fn refused_target(e: &io::Error) -> Option<&Path> {
    e.get_ref()?.downcast_ref::<LinkOut>().map(|link| link.0.as_path())
}

fn is_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let what = if kind.is_dir() { "a folder" } else { special(kind) };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a regular file")))
}

fn special(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    match (kind.is_fifo(), kind.is_socket()) {
        (true, _) => "a named pipe",
        (_, true) => "a socket",
        (false, false) => "a device",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_a_bounded_size_are_read_and_no_link_leads_out() {
        use std::os::unix::fs::symlink;
        let base = tempfile::tempdir().unwrap();
        let at = |name: &str| base.path().join(name);
        fs::create_dir(at("inside")).unwrap();
        fs::write(at("inside/file"), "text").unwrap();
        fs::write(at("inside/large"), vec![b'x'; FILE_MAX_BYTES as usize + 1]).unwrap();
        fs::write(at("outside"), "secret").unwrap();
        symlink("file", at("inside/near")).unwrap();
        symlink("../outside", at("inside/out")).unwrap();
        symlink("/dev/zero", at("inside/zero")).unwrap();
        let fifo = rustix::fs::FileType::Fifo;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, at("inside/pipe"), fifo, mode, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("inside/socket")).unwrap();
        for name in ["inside/file", "inside/near"] {
            assert_eq!(read(&at(name)).unwrap(), b"text", "{name}");
        }
        for (name, told) in [
            ("inside/large", "larger than 1048576 bytes"),
            ("inside/out", "a link out of its folder"),
            ("inside/zero", "a link out of its folder, to /dev/zero"),
            ("inside/pipe", "a named pipe, not a regular file"),
            ("inside/socket", "a socket"),
            ("inside", "a folder"),
            ("inside/none", "No such file"),
        ] {
            let why = read(&at(name)).unwrap_err().to_string();
            assert!(why.contains(told), "{name}: {why}");
        }
        assert_eq!(read_own_text(&at("inside/out")).unwrap(), "secret");
        for special in ["inside/zero", "inside/pipe", "inside/large"] {
            read_own_text(&at(special)).unwrap_err();
        }
        assert!(read(Path::new("/dev/zero")).unwrap_err().to_string().contains("a device"));
    }
}
