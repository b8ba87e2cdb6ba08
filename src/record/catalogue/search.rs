//! Full-text search in all sessions: matches bytes first, and parses only matching lines.
//!
//! A thousand sessions of a megabyte each take less than a second. Pieces are skipped, because `turn.ended` repeats
//! their text. In a damaged file, only valid lines are searched.

use super::list::logs;
use crate::model::{Event, Kind, Seq, Wall};
use crate::session::{SessionFiles, decode, inert};
use crate::{text, untrusted, workers};
use regex::bytes::{Regex, RegexBuilder};
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{fs, thread};

/// Characters of an excerpt before and after the match.
const AROUND_CHARS: usize = 30;
/// Maximum bytes searched of a text that is stored beside its log.
const TEXT_MAX_BYTES: u64 = 256 << 20;
/// Maximum number of hits per session.
const HITS_MAX: usize = 1_000;

/// A match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Id of the session.
    pub id: String,
    /// Path of the log.
    pub path: PathBuf,
    /// `seq` of the event.
    pub seq: Seq,
    /// Name of the author.
    pub who: String,
    /// Turn number; `None` outside turns.
    pub number: Option<u32>,
    /// Wall-clock time.
    pub at: Wall,
    /// Match with some text around it, safe for one line.
    pub excerpt: String,
}

/// Prefix of the speaker's name in a query.
const FROM: &str = "from:";

/// Returns the text of a query, and the speaker from `from:NAME` in lower case.
pub fn split_query(query: &str) -> (String, Option<String>) {
    let parts = || query.split_whitespace();
    let Some(from) = parts().find_map(|word| word.strip_prefix(FROM)) else {
        return (query.trim().to_owned(), None);
    };
    let words: Vec<&str> = parts().filter(|word| !word.starts_with(FROM)).collect();
    (words.join(" "), Some(from.to_lowercase()))
}

/// A search query; lower case also matches upper case.
pub struct Query {
    /// Id or name, in lower case, of the only speaker whose messages match.
    from: Option<String>,
    /// Pattern for the text as it is escaped in a log.
    spelled: Regex,
    /// Pattern for the plain text.
    said: Regex,
}

impl Query {
    /// Creates a query from its text.
    ///
    /// # Errors
    /// If the text is too long for a regular expression.
    pub fn new(query: &str) -> Result<Query, regex::Error> {
        let (words, from) = split_query(query);
        let words = &*words;
        let json = serde_json::Value::from(words).to_string();
        let inside = json.get(1..json.len() - 1).unwrap_or_default();
        let exact = words.chars().any(char::is_uppercase);
        let regex =
            |words: &str| RegexBuilder::new(&regex::escape(words)).case_insensitive(!exact).build();
        Ok(Query { from, spelled: regex(&inert(inside))?, said: regex(words)? })
    }

    /// Returns the first match in a text with some text around it, safe for one line; `None` without a match.
    pub fn excerpt(&self, text: &str) -> Option<String> {
        let found = self.said.find(text.as_bytes())?;
        Some(excerpt(text, found.start(), found.end()))
    }
}

/// Passes the matches in the sessions of a folder to `each`, one session at a time, the latest first, as soon as they
/// are found.
///
/// # Errors
/// If the folder exists but cannot be read; unreadable files are skipped.
pub fn search(folder: &Path, query: &Query, mut each: impl FnMut(Vec<Hit>)) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = logs(folder)?.iter().map(fs::DirEntry::path).collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    let threads = thread::available_parallelism().map_or(1, usize::from).min(paths.len().max(1));
    let mut left = paths.iter().enumerate();
    let mut ready = BTreeMap::new();
    let mut next = 0;
    workers::share(
        threads,
        || left.next(),
        |(at, path)| (at, session(path, query, &mut Vec::new())),
        |(at, hits)| {
            ready.insert(at, hits);
            while let Some(hits) = ready.remove(&next) {
                next += 1;
                each(hits);
            }
        },
    );
    Ok(())
}

fn session(path: &Path, query: &Query, buffer: &mut Vec<u8>) -> Vec<Hit> {
    buffer.clear();
    if untrusted::open(path).and_then(|mut file| file.read_to_end(buffer)).is_err() {
        return vec![];
    }
    let files = SessionFiles::at(path);
    let beside = beside(&files, query);
    let mut hits = Vec::new();
    let mut names = None;
    let mut lines: Vec<&[u8]> = lines_with(buffer, &query.spelled).collect();
    for name in beside.keys().filter_map(|name| Regex::new(name).ok()) {
        lines.extend(lines_with(buffer, &name));
    }
    for line in lines {
        let Ok(event) = decode(line) else { continue };
        let Some(words) = words(&event, &beside) else { continue };
        let Some(found) = query.said.find(words.as_bytes()) else { continue };
        let names = names.get_or_insert_with(|| names_of(buffer));
        let who = names.get(&*event.by).map_or(&*event.by, String::as_str);
        let is_by = |name: &String| *event.by == **name || who.to_lowercase() == *name;
        if !query.from.as_ref().is_none_or(is_by) {
            continue;
        }
        let number = match &event.kind {
            Kind::TurnEnded(e) => e.number,
            _ => None,
        };
        hits.push(Hit {
            id: files.id(),
            path: path.to_owned(),
            seq: event.seq,
            who: text::line(who).into_owned(),
            number,
            at: event.at,
            excerpt: excerpt(&words, found.start(), found.end()),
        });
        if hits.len() == HITS_MAX {
            break;
        }
    }
    hits.sort_by_key(|h| h.seq);
    hits.dedup_by_key(|h| h.seq);
    hits
}

/// Returns the matching lines, each once.
fn lines_with<'a>(bytes: &'a [u8], spelled: &Regex) -> impl Iterator<Item = &'a [u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..)?;
        let found = spelled.find(rest)?;
        let (line, end) = line_at(bytes, at + found.start());
        at = end + 1;
        Some(line)
    })
}

/// Returns the line around a byte offset, and the offset of its end.
fn line_at(bytes: &[u8], at: usize) -> (&[u8], usize) {
    let start = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
    (&bytes[start..end], end)
}

/// Returns the matching blobs of a log, by name.
fn beside(files: &SessionFiles, query: &Query) -> HashMap<String, String> {
    let entries = fs::read_dir(files.blobs()).into_iter().flatten().flatten();
    let read = |e: fs::DirEntry| {
        let mut text = String::new();
        untrusted::open(&e.path()).ok()?.take(TEXT_MAX_BYTES).read_to_string(&mut text).ok()?;
        query
            .said
            .is_match(text.as_bytes())
            .then(|| (e.file_name().to_string_lossy().into_owned(), text))
    };
    entries.filter_map(read).collect()
}

/// Returns the text of an event.
fn words(event: &Event, beside: &HashMap<String, String>) -> Option<String> {
    let placed = |text: &str| {
        let blob = beside.iter().find(|(name, _)| text.contains(name.as_str()));
        blob.map_or_else(|| text.to_owned(), |(_, whole)| whole.clone())
    };
    match &event.kind {
        Kind::TurnEnded(e) => Some(placed(&e.text)),
        Kind::CommandGiven(given) => {
            let line = serde_json::to_value(&given.line).ok()?;
            line["text"].as_str().map(placed)
        }
        Kind::Opened(opened) => {
            let title = opened.scenario["title"].as_str().unwrap_or_default();
            let topic = opened.scenario["topic"].as_str().unwrap_or_default();
            Some(format!("{title} · {topic}"))
        }
        Kind::Renamed(renamed) => Some(renamed.title.to_string()),
        _ => None,
    }
}

/// Returns the initial names of a session's participants, by id.
fn names_of(bytes: &[u8]) -> HashMap<String, String> {
    let (first, _) = line_at(bytes, 0);
    match decode(first).map(|e| e.kind) {
        Ok(Kind::Opened(opened)) => {
            let seats = opened.participants.into_iter();
            seats.map(|p| (p.id.to_string(), p.name.to_string())).collect()
        }
        Ok(_) | Err(_) => HashMap::new(),
    }
}

fn excerpt(words: &str, from: usize, to: usize) -> String {
    let before: Vec<char> = words[..from].chars().rev().take(AROUND_CHARS).collect();
    let after: String = words[to..].chars().take(AROUND_CHARS).collect();
    let begin = if before.len() == AROUND_CHARS { "…" } else { "" };
    let end = if after.chars().count() == AROUND_CHARS { "…" } else { "" };
    let before: String = before.into_iter().rev().collect();
    let excerpt = format!("{begin}{before}{}{after}{end}", &words[from..to]);
    text::line(excerpt.trim()).into_owned()
}
