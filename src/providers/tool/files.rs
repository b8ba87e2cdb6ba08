//! Built-in tools that read files of one folder. They never leave it, neither by `..` nor by a symbolic link, and never
//! open a pipe or a device.

use super::job::ToolResult;
use crate::model::SESSION_START;
use crate::model::tool::ToolSource;
use crate::{text, untrusted};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};
use std::{fs, io};

/// Default number of lines to read.
const LINES: u64 = 400;
/// Maximum number of entries in a folder listing.
const ENTRIES_MAX: usize = 500;
/// Maximum number of files that a search opens, and of entries read per folder.
const FILES_MAX: usize = 5_000;
/// Maximum number of lines that a search returns.
const FOUND_MAX: usize = 100;
/// Maximum characters shown of a matching line.
const LINE_MAX: usize = 200;
/// Maximum depth of a search.
const DEPTH_MAX: usize = 16;

/// Folder whose files may be read.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Resolves the real path of a folder.
    pub fn new(path: &Path) -> io::Result<Folder> {
        let real = path.canonicalize()?;
        if !real.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Folder(real))
    }

    pub(super) fn answer(&self, source: &ToolSource, arguments: &Value) -> ToolResult {
        let path = arguments["path"].as_str().unwrap_or(".");
        let answer = self.inside(path).and_then(|real| match source {
            ToolSource::ReadFile => read(&real, arguments),
            ToolSource::ListDir => list(&real),
            ToolSource::SearchFiles => {
                Ok(self.search(&real, arguments["words"].as_str().unwrap_or_default()))
            }
            ToolSource::Script(_) | ToolSource::Server { .. } => {
                Err("is not a file tool".to_owned())
            }
        });
        answer.map_or_else(|why| ToolResult::failed(format!("{path} {why}")), ToolResult::done)
    }

    /// Returns the real path of a file in the folder. The error is the same for missing files and files outside, so
    /// that it reveals nothing.
    fn inside(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || "is not in the folder".to_owned();
        let plain = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
        if !Path::new(path).components().all(plain) {
            return Err(outside());
        }
        let real = self.0.join(path).canonicalize().map_err(|_| outside())?;
        real.starts_with(&self.0).then_some(real).ok_or_else(outside)
    }

    fn search(&self, from: &Path, words: &str) -> String {
        let words = words.to_lowercase();
        let mut files = 0;
        let mut found = vec![];
        let mut open = vec![(from.to_owned(), 0)];
        while let Some((path, depth)) = open.pop() {
            let Ok(kind) = path.symlink_metadata().map(|m| m.file_type()) else { continue };
            if kind.is_dir() && depth < DEPTH_MAX {
                open.extend(entries(&path).into_iter().rev().map(|entry| (entry, depth + 1)));
            } else if kind.is_file() && files < FILES_MAX && found.len() < FOUND_MAX {
                files += 1;
                let Ok(text) = text_of(&path) else { continue };
                let name = path.strip_prefix(&self.0).unwrap_or(&path).display().to_string();
                let lines = text.lines().enumerate();
                let hits = lines.filter(|(_, line)| line.to_lowercase().contains(&words));
                found.extend(hits.take(FOUND_MAX - found.len()).map(|(at, line)| {
                    let line: String = line.trim().chars().take(LINE_MAX).collect();
                    format!("{name}:{}: {line}", at + 1)
                }));
            }
        }
        let more = files == FILES_MAX || found.len() == FOUND_MAX;
        match (found.is_empty(), more) {
            (true, _) => format!("nothing found in {files} files"),
            (false, true) => found.join("\n") + "\n[there may be more: search for more words]",
            (false, false) => found.join("\n"),
        }
    }
}

/// Returns the entries of a folder, sorted; unreadable ones are skipped.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.take(FILES_MAX).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the text of a file. A session is not read: it has the whispers and the prompts of all its participants.
fn text_of(path: &Path) -> Result<String, String> {
    let bytes = untrusted::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    if bytes.starts_with(SESSION_START) {
        return Err("is a recorded conversation, which participants cannot read".to_owned());
    }
    text::decode_file(bytes).map(|read| read.text).map_err(|_| "is not text".to_owned())
}

fn read(path: &Path, arguments: &Value) -> Result<String, String> {
    let text = text_of(path)?;
    let count = |key: &str| arguments[key].as_u64();
    let from = count("from").unwrap_or(1).max(1);
    let lines = count("lines").unwrap_or(LINES);
    let skipped = usize::try_from(from - 1).unwrap_or(usize::MAX);
    let taken = usize::try_from(lines).unwrap_or(usize::MAX);
    let part: Vec<&str> = text.lines().skip(skipped).take(taken).collect();
    let all = text.lines().count() as u64;
    let last = from - 1 + part.len() as u64;
    let rest =
        if last < all { format!("\n[lines {from} to {last} of {all}]") } else { String::new() };
    Ok(part.join("\n") + &rest)
}

fn list(path: &Path) -> Result<String, String> {
    if !path.is_dir() {
        return Err("is not a folder".into());
    }
    let all = entries(path);
    let line = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.symlink_metadata() {
            Ok(m) if m.is_dir() => format!("{name}/"),
            Ok(m) if m.is_file() => format!("{name}  {} bytes", m.len()),
            Ok(_) | Err(_) => format!("{name}  (not a regular file)"),
        }
    };
    let more = all.len().saturating_sub(ENTRIES_MAX);
    let mut lines: Vec<String> = all.iter().take(ENTRIES_MAX).map(line).collect();
    if more > 0 {
        lines.push(format!("[and {more} more]"));
    }
    Ok(if lines.is_empty() { "the folder is empty".into() } else { lines.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::tool::ToolOutcome;
    use serde_json::json;
    use std::os::unix::fs::symlink;

    fn house() -> (tempfile::TempDir, Folder) {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("root");
        fs::create_dir_all(root.join("sub")).unwrap();
        fs::create_dir_all(home.path().join("root-other")).unwrap();
        fs::write(home.path().join("secret.txt"), "secret").unwrap();
        fs::write(home.path().join("root-other/secret.txt"), "secret").unwrap();
        fs::write(root.join("a.txt"), "one\ntwo kettles\nthree").unwrap();
        fs::write(root.join("sub/b.txt"), "a Kettle").unwrap();
        fs::write(root.join("bytes"), [0, 0x9f, 0x92]).unwrap();
        symlink("../secret.txt", root.join("link.txt")).unwrap();
        symlink(home.path(), root.join("up")).unwrap();
        symlink("..", root.join("sub/round")).unwrap();
        let folder = Folder::new(&root).unwrap();
        (home, folder)
    }

    fn ask(folder: &Folder, source: ToolSource, arguments: Value) -> (ToolOutcome, String) {
        let end = folder.answer(&source, &arguments);
        (end.is, end.result.to_string())
    }

    #[test]
    fn files_of_the_folder_are_read_listed_and_searched() {
        let (_home, folder) = house();
        let read = |a| ask(&folder, ToolSource::ReadFile, a);
        assert_eq!(read(json!({"path": "a.txt"})).1, "one\ntwo kettles\nthree");
        let part = read(json!({"path": "./a.txt", "from": 2, "lines": 1})).1;
        assert_eq!(part, "two kettles\n[lines 2 to 2 of 3]");
        assert_eq!(
            read(json!({"path": "bytes"})),
            (ToolOutcome::Failed, "bytes is not text".into())
        );
        let listed = ask(&folder, ToolSource::ListDir, json!({})).1;
        assert!(listed.contains("a.txt  21 bytes\n") && listed.contains("\nsub/\n"), "{listed}");
        let found = ask(&folder, ToolSource::SearchFiles, json!({"words": "kettle"})).1;
        assert_eq!(found, "a.txt:2: two kettles\nsub/b.txt:1: a Kettle");
    }

    #[test]
    fn a_session_in_the_folder_is_not_read() {
        let (home, folder) = house();
        let session = "{\"seq\":0,\"at\":\"x\"}\n{\"text\":\"a whispered kettle\"}";
        fs::write(home.path().join("root/talk.txt"), session).unwrap();
        let (is, said) = ask(&folder, ToolSource::ReadFile, json!({"path": "talk.txt"}));
        assert_eq!(is, ToolOutcome::Failed);
        assert_eq!(said, "talk.txt is a recorded conversation, which participants cannot read");
        let found = ask(&folder, ToolSource::SearchFiles, json!({"words": "kettle"})).1;
        assert!(!found.contains("whispered"), "{found}");
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let (home, folder) = house();
        let absolute = home.path().join("root/a.txt").display().to_string();
        for path in [
            "../secret.txt",
            "link.txt",
            "up/secret.txt",
            "sub/../../secret.txt",
            "none",
            &absolute,
        ] {
            for source in [ToolSource::ReadFile, ToolSource::ListDir] {
                let (is, said) = ask(&folder, source, json!({"path": path}));
                assert_eq!(is, ToolOutcome::Failed, "{path}: {said}");
                assert!(!said.contains("secret\n") && said.contains("not in the folder"), "{said}");
            }
        }
        let found = ask(&folder, ToolSource::SearchFiles, json!({"words": "secret"})).1;
        assert_eq!(found, "nothing found in 3 files");
    }

    #[test]
    fn a_pipe_is_not_waited_for_and_a_large_file_is_refused() {
        let (home, folder) = house();
        let root = home.path().join("root");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe"),
            rustix::fs::FileType::Fifo,
            mode,
            0,
        )
        .unwrap();
        fs::write(root.join("large"), vec![b'a'; 2 << 20]).unwrap();
        for path in ["pipe", "large"] {
            let (is, said) = ask(&folder, ToolSource::ReadFile, json!({"path": path}));
            assert_eq!(is, ToolOutcome::Failed, "{said}");
        }
        let (_, found) = ask(&folder, ToolSource::SearchFiles, json!({"words": "kettle"}));
        assert_eq!(found.lines().count(), 2);
    }
}
