//! The operator's agreements to the content of files that are neither bundled nor in the user's own folder. Without an
//! agreement, such a file runs no command and changes no endpoint.
//!
//! Agreements are kept in one file of the state folder, as one JSON object per line. An agreement covers the text, its
//! commands, the folder in which they run, and every regular file of that folder ([`BoundFiles`]). One changed byte, or
//! the same text in another folder, needs a new agreement. Nothing in a project, a scenario or a session can agree to
//! itself.

use crate::cli::agreements::bound::BoundFiles;
use crate::cli::error::{Exit, Failure};
use crate::model::http;
use crate::own_file::OwnFile;
use crate::settings::{Paths, Project, make_private};
use crate::{text, untrusted};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Name of the agreements file in the state folder.
const FILE: &str = "agreements.jsonl";
/// First bytes of each line.
const FIRST_KEY: &[u8] = b"{\"digest\":";
/// Maximum size of the agreements file, in bytes.
const BYTES_MAX: u64 = 256 << 20;

/// Everything that an agreement covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// Digest of the text, the commands and the path of the folder.
    digest: String,
    files: BoundFiles,
}

/// One line of the agreements file.
#[derive(Serialize, Deserialize)]
struct Agreement {
    digest: String,
    files: BoundFiles,
    name: String,
}

impl Content {
    /// Reads the content of a file with commands: the parts of its text, and the files of the folder in which they run.
    /// For a file without commands, no other file is read.
    ///
    /// # Errors
    /// If the folder, or a file in it, cannot be read.
    pub fn read<S: AsRef<str>>(
        parts: &[&str],
        commands: &[Vec<S>],
        folder: &Path,
        paths: &Paths,
    ) -> Result<Content, Failure> {
        let folder = folder.canonicalize().map_err(|e| {
            Failure::new(Exit::Invalid, format!("cannot read {}: {e}", folder.display())).hint(
                "the files that a command would run must be readable before they can be trusted",
            )
        })?;
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
        // a request to an HTTP service runs no file
        let runs =
            |command: &Vec<S>| command.first().is_none_or(|first| first.as_ref() != http::AGREED);
        let files = if commands.iter().any(runs) {
            BoundFiles::read(&folder, &paths.sessions())?
        } else {
            BoundFiles::default()
        };
        let digest = text::hex(&hash.finalize());
        Ok(Content { digest, files })
    }

    /// Reads the content of a project's settings.
    pub fn of_project(project: &Project, paths: &Paths) -> Result<Content, Failure> {
        Content::read(&["project", &project.text], &project.commands(), Path::new("."), paths)
    }

    /// Returns true if the operator has agreed to this content. A folder with too many files never counts as agreed.
    pub fn is_agreed(&self, paths: &Paths) -> bool {
        let agreed = |made: Agreement| made.digest == self.digest && made.files == self.files;
        self.files.is_complete() && agreements(paths).into_iter().any(agreed)
    }

    /// Describes the files of the agreement for the question: changes since the last agreement to the same text, and
    /// the limits of the agreement.
    pub fn describe_files(&self, paths: &Paths) -> Vec<String> {
        let last = agreements(paths).into_iter().rfind(|made| made.digest == self.digest);
        self.files.describe(last.map(|made| made.files).as_ref())
    }

    /// Records that the operator has agreed to this content.
    pub fn agree(&self, paths: &Paths, name: &str) -> Result<(), Failure> {
        if !self.files.is_complete() {
            return Ok(());
        }
        let path = file(paths);
        let name = text::line(name).into_owned();
        let made = Agreement { digest: self.digest.clone(), files: self.files.clone(), name };
        let keep = || {
            make_private(&paths.state).map_err(|e| e.to_string())?;
            let line = serde_json::to_string(&made).map_err(|e| e.to_string())?;
            let is_ours = |line: &[u8]| line.starts_with(FIRST_KEY);
            let mut file = OwnFile::append(&path, is_ours).map_err(|e| e.to_string())?;
            file.write_all(format!("{line}\n").as_bytes()).map_err(|e| e.to_string())
        };
        keep().map_err(|e| {
            let path = path.display();
            Failure::new(Exit::Session, format!("cannot save the trust decision in {path}: {e}"))
        })
    }
}

fn file(paths: &Paths) -> PathBuf {
    paths.state.join(FILE)
}

/// Returns all agreements; empty if the file is missing or unreadable.
fn agreements(paths: &Paths) -> Vec<Agreement> {
    let mut text = String::new();
    let read = untrusted::open(&file(paths))
        .and_then(|file| file.take(BYTES_MAX).read_to_string(&mut text));
    if read.is_err() {
        return vec![];
    }
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::program::write_program;
    use std::fs;

    fn paths(folder: &Path) -> Paths {
        let path = |name: &str| folder.join(name);
        Paths {
            config: path("config"),
            data: path("data"),
            state: path("state"),
            cache: path("cache"),
            sockets: path("live"),
        }
    }

    /// Returns true if adding or changing a file in a folder requires a new agreement for a command there.
    fn binds(file: &str) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let content = || Content::read(&["text"], &[vec!["make"]], folder.path(), &paths).unwrap();
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let before = content();
        fs::write(&path, "one").unwrap();
        let added = content();
        fs::write(&path, "two").unwrap();
        before != added && added != content()
    }

    #[test]
    fn covers_every_file_of_the_folder() {
        for file in ["reply.py", "Makefile", "lib/index.js", "log"] {
            assert!(binds(file), "{file}");
        }
        assert!(!binds(".git/index"));
    }

    /// A command can read any file by a pattern, so no name and no first bytes leave a file out.
    #[test]
    fn leaves_out_the_programs_own_sessions_by_their_folder_alone() {
        assert!(!binds("data/sessions/talk.jsonl"));
        for file in ["talk.replies.jsonl", "sessions/talk.jsonl", "data/talk.jsonl"] {
            assert!(binds(file), "{file}");
        }
    }

    #[test]
    fn covers_folders_behind_links_and_what_can_be_executed() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let paths = paths(folder.path());
        let content = || Content::read(&["text"], &[vec!["make"]], folder.path(), &paths).unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(other.path().join("run.sh"), "one").unwrap();
        std::os::unix::fs::symlink(other.path(), path("tools")).unwrap();
        std::os::unix::fs::symlink(folder.path(), path("loop")).unwrap();
        let before = content();
        assert!(before.files.is_complete());
        fs::remove_file(other.path().join("run.sh")).unwrap();
        fs::write(other.path().join("run.sh"), "two").unwrap();
        fs::write(other.path().join("more.sh"), "").unwrap();
        assert_ne!(before, content(), "a file behind a link");
        fs::write(path("talk.jsonl"), "{}").unwrap();
        let before = content();
        write_program(&path("talk.jsonl"), "{}");
        assert_ne!(before, content(), "a file that can be executed");
    }

    #[test]
    fn keeps_agreements_and_names_changed_files() {
        let base = tempfile::tempdir().unwrap();
        let talk = tempfile::tempdir().unwrap();
        let paths = paths(base.path());
        let content = || Content::read(&["text"], &[vec!["make"]], talk.path(), &paths).unwrap();
        fs::write(talk.path().join("Makefile"), "one").unwrap();
        fs::write(talk.path().join("old"), "one").unwrap();
        assert!(!content().is_agreed(&paths));
        content().agree(&paths, "my\ntalk").unwrap();
        assert!(content().is_agreed(&paths));
        fs::write(talk.path().join("Makefile"), "two").unwrap();
        fs::write(talk.path().join("new"), "one").unwrap();
        fs::remove_file(talk.path().join("old")).unwrap();
        assert!(!content().is_agreed(&paths));
        let lines = content().describe_files(&paths).join("\n");
        for change in ["Makefile (changed)", "new (new)", "old (gone)"] {
            assert!(lines.contains(change), "{change}: {lines}");
        }
    }

    #[test]
    fn asks_each_time_for_a_folder_of_too_many_files() {
        let base = tempfile::tempdir().unwrap();
        let talk = tempfile::tempdir().unwrap();
        let paths = paths(base.path());
        (0..1_001).for_each(|n| fs::write(talk.path().join(n.to_string()), "").unwrap());
        let content = Content::read(&["text"], &[vec!["make"]], talk.path(), &paths).unwrap();
        content.agree(&paths, "talk").unwrap();
        assert!(!content.is_agreed(&paths));
        let lines = content.describe_files(&paths).join("\n");
        assert!(lines.contains("more than 1,000 files"), "{lines}");
    }

    #[test]
    fn reports_unreadable_folders_and_agreements_that_cannot_be_saved() {
        let folder = tempfile::tempdir().unwrap();
        let paths = paths(folder.path());
        let gone = folder.path().join("gone");
        let gone = Content::read::<&str>(&[], &[], &gone, &paths).unwrap_err();
        assert!(gone.message.contains("cannot read"), "{}", gone.message);
        fs::create_dir_all(paths.state.join(FILE)).unwrap();
        let content = Content::read::<&str>(&["text"], &[], folder.path(), &paths).unwrap();
        let unkept = content.agree(&paths, "talk").unwrap_err();
        assert!(unkept.message.contains("cannot save the trust decision"), "{}", unkept.message);
        assert!(!content.is_agreed(&paths));
    }
}
