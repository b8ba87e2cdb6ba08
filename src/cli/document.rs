//! Writes finished documents to standard output or to a file, without API keys.

use crate::cli::args::{ModelOptions, Target};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::models::providers::Providers;
use crate::cli::output;
use crate::own_file::OwnFile;
use crate::text::KeyRedactor;
use std::fs;
use std::io::{self, ErrorKind, Write, stdout};
use std::path::Path;

/// Bytes to buffer before they are written.
const GATHERED_BYTES: usize = 64 * 1024;
/// First bytes of a picture.
const PNG: &[u8] = b"\x89PNG\r\n";

/// Writes a document to its target and reports the path. Known API keys are removed.
pub fn write(document: &str, target: &Target, context: &Context) -> Result<Exit, Failure> {
    stream(target, context, |out| out.write_all(document.as_bytes()))
}

/// Writes a document in pieces, so that it is never in memory as a whole; otherwise like [`write()`].
pub fn stream(
    target: &Target,
    context: &Context,
    spell: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Exit, Failure> {
    let spell = |out: &mut dyn Write| {
        let mut keyless = Keyless::before(out);
        spell(&mut keyless)?;
        keyless.finish()
    };
    match target.file() {
        None => output::written(spell(&mut stdout().lock())),
        Some(path) => {
            if target.force { replace(path, spell) } else { create(path, spell) }?;
            context.say(&format!("written: {}", path.display()));
            Ok(Exit::Done)
        }
    }
}

/// Writer that forwards text without the known API keys.
pub struct Keyless<'a> {
    out: &'a mut dyn Write,
    redactor: KeyRedactor,
    /// Bytes that have not been forwarded yet.
    gathered: Vec<u8>,
    /// True if the output is a picture, which is forwarded unchanged; API keys are removed before it is drawn.
    is_picture: bool,
}

impl<'a> Keyless<'a> {
    /// Creates a filter in front of a writer.
    pub fn before(out: &'a mut dyn Write) -> Keyless<'a> {
        Keyless { out, redactor: KeyRedactor::default(), gathered: vec![], is_picture: false }
    }

    /// Forwards the remaining text.
    pub fn finish(mut self) -> io::Result<()> {
        self.pass()?;
        self.out.write_all(self.redactor.finish().as_bytes())?;
        self.out.flush()
    }

    fn pass(&mut self) -> io::Result<()> {
        // all input is UTF-8, and no write splits a character
        let gathered = String::from_utf8_lossy(&self.gathered);
        let certain = self.redactor.push(&gathered);
        self.gathered.clear();
        self.out.write_all(certain.as_bytes())
    }
}

impl Write for Keyless<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_picture || bytes.starts_with(PNG) {
            self.is_picture = true;
            return self.out.write(bytes);
        }
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHERED_BYTES {
            self.pass()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Loads the API keys from variables and files, so that they are removed from the output. Key commands are not run.
pub fn know_keys(context: &Context) -> Result<(), Failure> {
    let providers = Providers::new(context, &ModelOptions::default())?;
    for known in providers.all() {
        // a key that is not set cannot occur in a session either
        let _ = providers.has_key(known);
    }
    Ok(())
}

/// Creates a file that only the user can read, in one step: a full disk leaves no partial file. Existing files are
/// never overwritten.
pub fn create(
    path: &Path,
    spell: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    OwnFile::create_whole(path, spell).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists if path.is_dir() => folder_fault(path),
        ErrorKind::AlreadyExists => Failure::usage(
            format!("{} already exists", path.display()),
            "choose another name, or replace the file with --force",
        ),
        _ => unwritable(path, &e),
    })
}

fn folder_fault(path: &Path) -> Failure {
    Failure::usage(
        format!("{} is a folder", path.display()),
        "name a file in it, as in --output FOLDER/FILE",
    )
}

/// Replaces a file in one step: the old content remains until the document is complete.
fn replace(
    path: &Path,
    spell: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(folder_fault(path));
    }
    if path.exists() && !path.is_file() {
        return Err(Failure::usage(
            format!("{} is not a regular file", path.display()),
            "name a file, or leave out --output to write to standard output",
        ));
    }
    // a link is kept, and what it leads to is replaced
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = target.parent().unwrap_or(folder);
    let written =
        tempfile::Builder::new().prefix(".colloquium-").tempfile_in(folder).and_then(|mut file| {
            spell(&mut file)?;
            file.persist(&target).map(drop).map_err(|e| e.error)
        });
    written.map_err(|e| unwritable(path, &e))
}

fn unwritable(path: &Path, e: &io::Error) -> Failure {
    if e.kind() == ErrorKind::InvalidData {
        // the document itself has no such form; its error has the fix
        return Failure::new(Exit::Usage, format!("not written: {e}"));
    }
    Failure::new(Exit::Usage, format!("cannot write {}: {e}", path.display()))
        .hint("check the folder, its permissions and the free space")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::keep_out;

    /// Writer that keeps all bytes and the length of the longest write.
    #[derive(Default)]
    struct Sink(Vec<u8>, usize);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.1 = self.1.max(bytes.len());
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn leaves_no_half_of_a_document_on_a_full_disk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("export.html");
        let fill = |out: &mut dyn Write| {
            out.write_all(&[b'x'; 100_000])?;
            Err(ErrorKind::StorageFull.into())
        };
        create(&path, fill).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        create(&path, |out| out.write_all(b"whole")).unwrap();
        create(&path, |out| out.write_all(b"other")).unwrap_err();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
    }

    #[test]
    fn refuses_to_replace_special_files() {
        replace(Path::new("/dev/null"), |_| Ok(())).unwrap_err();
    }

    #[test]
    fn a_long_document_goes_on_bit_by_bit_and_no_key_goes_with_it() {
        const KEY: &str = "sk-document-0123456789-key";
        keep_out(KEY);
        let mut sink = Sink::default();
        let mut keyless = Keyless::before(&mut sink);
        // the key is split at every position, so also at any boundary between writes
        for line in 0..50_000 {
            let (a, b) = KEY.split_at(line % KEY.len());
            write!(keyless, "{line} Grüße {a}").unwrap();
            writeln!(keyless, "{b}").unwrap();
        }
        keyless.finish().unwrap();
        let expected: String = (0..50_000).map(|line| format!("{line} Grüße ***\n")).collect();
        assert!(sink.0 == expected.as_bytes(), "{} bytes of {}", sink.0.len(), expected.len());
        assert!(sink.1 <= GATHERED_BYTES + 1_000, "{} bytes at once", sink.1);
    }
}
