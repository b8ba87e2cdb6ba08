//! What the operator has agreed to, by content: files that are neither bundled nor in the user's own folder run no
//! command and change no endpoint before that.
//!
//! Agreements are kept on the user's side, as digests in one file of the state folder. A digest covers the text, the
//! folder in which its commands run, and the files there that the commands name: one changed byte asks again, and so
//! does the same text in another folder. What those files load in their turn is not followed. Nothing in a project, a
//! scenario or a session can agree to itself.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::config::{Paths, Project, make_private};
use crate::text;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file of agreements, in the state folder: a digest and a name a line.
const FILE: &str = "trust";

/// Returns the digest of what would run in a folder: the parts of a text, the commands in it, and the files in the folder
/// that the commands name.
///
/// # Errors
/// When the folder, or a file that a command names, cannot be read.
pub fn digest<S: AsRef<str>>(
    parts: &[&str],
    commands: &[Vec<S>],
    folder: &Path,
) -> Result<String, Failure> {
    let unread = |path: &Path, e: io::Error| {
        Failure::new(Exit::Invalid, format!("cannot read {}: {e}", path.display()))
            .hint("the files that a command would run must be readable before they can be trusted")
    };
    let folder = folder.canonicalize().map_err(|e| unread(folder, e))?;
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    parts.iter().for_each(|part| add(part.as_bytes()));
    add(folder.as_os_str().as_encoded_bytes());
    for command in commands {
        add(&(command.len() as u64).to_le_bytes());
        command.iter().for_each(|word| add(word.as_ref().as_bytes()));
    }
    for path in named_files(commands, &folder) {
        add(path.as_os_str().as_encoded_bytes());
        add(&contents(&path).map_err(|e| unread(&path, e))?);
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the files in a folder that the words of commands name, also inside a line that a shell is given; what such a
/// line only writes to is none of them.
fn named_files<S: AsRef<str>>(commands: &[Vec<S>], folder: &Path) -> BTreeSet<PathBuf> {
    let in_folder = |word: &str| {
        let path = folder.join(word);
        let own = Path::new(word).is_relative() || path.starts_with(folder);
        (own && !word.is_empty() && path.is_file()).then_some(path)
    };
    let words = commands.iter().flatten().map(AsRef::as_ref);
    words.flat_map(|word| std::iter::once(word).chain(parts(word))).filter_map(in_folder).collect()
}

/// Returns the words of a line as a shell reads it, but for those that it writes to.
fn parts(line: &str) -> impl Iterator<Item = &str> {
    let mut written = false;
    line.split_inclusive(ends_a_word).filter_map(move |part| {
        let word = part.trim_end_matches(ends_a_word);
        let is_read = !written || word.is_empty();
        written = part.ends_with('>') || (written && word.is_empty());
        is_read.then_some(word)
    })
}

/// Returns whether a character ends a word where a shell, or a program that takes `--option=FILE`, reads it.
fn ends_a_word(c: char) -> bool {
    c.is_whitespace() || "'\"`;&|()<>{}=,:".contains(c)
}

fn contents(path: &Path) -> io::Result<Vec<u8>> {
    let mut hash = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hash)?;
    Ok(hash.finalize().to_vec())
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join(FILE)
}

/// Returns whether the operator has agreed to a content.
pub fn is_agreed(paths: &Paths, digest: &str) -> bool {
    // a missing or unreadable file holds no agreement
    let agreed = fs::read_to_string(file(paths)).unwrap_or_default();
    agreed.lines().any(|line| line.split(' ').next() == Some(digest))
}

/// Keeps that the operator has agreed to a content.
pub fn agree(paths: &Paths, digest: &str, name: &str) -> Result<(), Failure> {
    let path = file(paths);
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let line = format!("{digest} {}\n", text::line(name));
    let keep = || options.open(&path).and_then(|mut file| file.write_all(line.as_bytes()));
    let kept = make_private(&paths.state).map_err(|e| e.to_string());
    kept.and_then(|()| keep().map_err(|e| e.to_string())).map_err(|e| {
        let path = path.display();
        Failure::new(Exit::Session, format!("cannot save the trust decision in {path}: {e}"))
    })
}

/// Returns the digest under which a project's settings are agreed to.
///
/// # Errors
/// As [`digest`].
pub fn project_digest(project: &Project) -> Result<String, Failure> {
    digest(&["project", &project.text], &project.commands(), Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether a change of a file in a folder changes the digest of a command there.
    fn binds(command: &[&str], file: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let digest = || digest(&["text"], &[command.to_vec()], folder.path()).unwrap();
        fs::write(folder.path().join(file), "one").unwrap();
        let before = digest();
        fs::write(folder.path().join(file), "two").unwrap();
        digest() != before
    }

    #[test]
    fn a_digest_covers_each_file_that_a_command_names() {
        assert!(binds(&["python3", "reply.py"], "reply.py"));
        assert!(binds(&["./reply.sh"], "reply.sh"));
        assert!(binds(&["sh", "-c", "cat head; ./reply.sh | tail"], "reply.sh"));
        assert!(binds(&["sh", "-c", "X=reply.sh; . './reply.sh'"], "reply.sh"));
        assert!(binds(&["tool", "--config=tool.toml"], "tool.toml"));
        assert!(binds(&["sh", "-c", "cat <notes >log"], "notes"));
        assert!(!binds(&["sh", "-c", "date >log"], "log"));
        assert!(!binds(&["sh", "-c", "date > log"], "log"));
        assert!(!binds(&["python3", "reply.py"], "other.py"));
    }

    #[test]
    fn what_was_agreed_to_is_kept_and_a_project_is_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let paths = Paths {
            config: path("config"),
            data: path("data"),
            state: path("state"),
            cache: path("cache"),
        };
        agree(&paths, "1234", "my\ntalk").unwrap();
        agree(&paths, "5678", "other").unwrap();
        assert!(is_agreed(&paths, "1234") && is_agreed(&paths, "5678"));
        assert!(!is_agreed(&paths, "123") && !is_agreed(&paths, "talk"));
        let project = |text: &str| Project { path: path("colloquium.toml"), text: text.into() };
        let digest = |text| project_digest(&project(text)).unwrap();
        assert_eq!(digest("a = 1"), digest("a = 1"));
        assert_ne!(digest("a = 1"), digest("a = 2"));
    }

    #[test]
    fn what_cannot_be_read_or_kept_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let gone = digest::<&str>(&[], &[], &folder.path().join("gone")).unwrap_err();
        assert!(gone.message.contains("cannot read"), "{}", gone.message);
        let path = |name: &str| folder.path().join(name);
        let paths =
            Paths { config: path("c"), data: path("d"), state: path("state"), cache: path("e") };
        fs::create_dir_all(path("state").join(FILE)).unwrap();
        let unkept = agree(&paths, "1234", "talk").unwrap_err();
        assert!(unkept.message.contains("cannot save the trust decision"), "{}", unkept.message);
        assert!(!is_agreed(&paths, "1234"));
    }
}
