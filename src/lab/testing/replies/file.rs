//! Recorded replies of models beside a test: `NAME.replies.jsonl`, one reply per line.
//!
//! A line is written as soon as its reply is complete, so that nothing is paid for twice. If two lines have the same
//! request, the later one counts. Equal requests in flight at the same time share one reply.

use super::super::fault::TestFault;
use super::live::ModelReply;
use super::request::{ModelRequest, ReplyPlace};
use crate::own_file::OwnFile;
use crate::testing::difference;
use crate::untrusted;
use crate::voice::CallFailure;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::OnceCell;

/// Maximum bytes of a file of replies.
const BYTES_MAX: u64 = 256 << 20;
/// Start of each line.
const FIRST_KEY: &[u8] = b"{\"digest\":";

/// Mode of model calls in tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RecordMode {
    /// Models are never called.
    #[default]
    Offline,
    /// Models are never called; a reply whose request has changed is accepted for the new request, and recorded.
    Bless,
    /// Models are called for replies that were not recorded.
    Missing,
    /// Models are called for all replies, even recorded ones.
    Again,
}

impl RecordMode {
    /// Returns whether models may be called.
    pub fn calls_models(self) -> bool {
        matches!(self, RecordMode::Missing | RecordMode::Again)
    }
}

/// The reason why a reply is not available.
#[derive(Clone, Debug, PartialEq)]
pub enum NoReply {
    /// No reply was recorded, and no model may be called.
    Missing(TestFault),
    /// The file cannot be read or written.
    Unusable(TestFault),
    /// The call of the model failed.
    Call(CallFailure),
}

/// A recorded reply with its request.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RecordedReply {
    digest: String,
    address: String,
    place: ReplyPlace,
    model: String,
    prompt: String,
    reply: ModelReply,
}

/// Key of a recorded reply: the digest of its request and the address of the server.
type ReplyKey = (String, String);

/// Recorded replies of one test file.
#[derive(Debug)]
pub struct ReplyFile {
    /// Path of the file, or the reason why it may not be there.
    path: Result<PathBuf, TestFault>,
    kept: Mutex<KeptReplies>,
}

#[derive(Debug, Default)]
struct KeptReplies {
    was_read: bool,
    /// True if a kill left the last line incomplete.
    is_torn: bool,
    /// Replies by digest; the last one counts.
    by: HashMap<String, Vec<Arc<RecordedReply>>>,
    asked: HashMap<ReplyKey, Arc<OnceCell<Arc<RecordedReply>>>>,
    used: BTreeSet<ReplyKey>,
}

impl ReplyFile {
    /// Returns the file at a path; it is read at the first request.
    pub fn new(path: Result<PathBuf, TestFault>) -> ReplyFile {
        ReplyFile { path, kept: Mutex::default() }
    }

    /// Returns the path of the file, if it is allowed.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref().ok()
    }

    /// Returns the reply to a request, and true if the model was called for it; `live` calls the model.
    pub async fn reply(
        &self,
        request: &ModelRequest,
        address: Option<&str>,
        asking: RecordMode,
        live: impl Future<Output = Result<ModelReply, CallFailure>>,
    ) -> Result<(ModelReply, bool), NoReply> {
        let cell = {
            let mut kept = self.read().map_err(NoReply::Unusable)?;
            let found = kept.find(request, address).cloned();
            if let Some(found) = found
                && asking != RecordMode::Again
            {
                kept.used.insert((found.digest.clone(), found.address.clone()));
                return Ok((found.reply.clone(), false));
            }
            match (asking, address) {
                (RecordMode::Missing | RecordMode::Again, Some(address)) => {
                    let key = (request.digest.clone(), address.to_owned());
                    kept.asked.entry(key).or_default().clone()
                }
                (RecordMode::Bless, _) if let Some(old) = kept.near(request).cloned() => {
                    drop(kept);
                    let reply = old.reply.clone();
                    let kept = self.keep(request, &old.address, reply);
                    return Ok((kept.map_err(NoReply::Unusable)?.reply.clone(), false));
                }
                (RecordMode::Offline | RecordMode::Bless, _) | (_, None) => {
                    return Err(NoReply::Missing(kept.why_missing(request).into()));
                }
            }
        };
        let mut fresh = false;
        let asked = cell.get_or_try_init(async || {
            let reply = live.await.map_err(NoReply::Call)?;
            fresh = true;
            self.keep(request, address.unwrap_or_default(), reply).map_err(NoReply::Unusable)
        });
        let reply = asked.await?.reply.clone();
        Ok((reply, fresh))
    }

    /// Removes replies that were not used since the program started, and returns their number.
    ///
    /// # Errors
    /// A sentence with the path of the file.
    pub fn tidy(&self) -> Result<usize, TestFault> {
        let kept = self.read()?;
        let mut all: Vec<Arc<RecordedReply>> = vec![];
        let mut before = 0;
        for same in kept.by.values() {
            before += same.len();
            let mut seen = BTreeSet::new();
            for reply in same.iter().rev() {
                let key = (reply.digest.clone(), reply.address.clone());
                if kept.used.contains(&key) && seen.insert(key) {
                    all.push(reply.clone());
                }
            }
        }
        if all.len() == before {
            return Ok(0);
        }
        all.sort_by(|a, b| (&a.place, &a.digest).cmp(&(&b.place, &b.digest)));
        let path = self.path.clone()?;
        let written = replace(&path, &all);
        written.map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        Ok(before - all.len())
    }

    /// Returns the recorded replies; reads the file at the first call.
    fn read(&self) -> Result<MutexGuard<'_, KeptReplies>, TestFault> {
        let mut kept = self.kept.lock();
        if kept.was_read {
            return Ok(kept);
        }
        let path = self.path.as_ref().map_err(Clone::clone)?;
        let text = text_of(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str::<RecordedReply>(line) {
                Ok(reply) => kept.by.entry(reply.digest.clone()).or_default().push(reply.into()),
                // a kill left this line incomplete
                Err(_) if i + 1 == text.lines().count() && !text.ends_with('\n') => {}
                Err(e) => {
                    let place = format!("{}:{}", path.display(), i + 1);
                    return Err(
                        format!("{place}: not a recorded reply ({e}); delete this line").into()
                    );
                }
            }
        }
        kept.was_read = true;
        kept.is_torn = !text.is_empty() && !text.ends_with('\n');
        Ok(kept)
    }

    /// Appends a reply to the file.
    fn keep(
        &self,
        request: &ModelRequest,
        address: &str,
        reply: ModelReply,
    ) -> Result<Arc<RecordedReply>, TestFault> {
        let recorded = Arc::new(RecordedReply {
            digest: request.digest.clone(),
            address: address.to_owned(),
            place: request.place.clone(),
            model: request.model.clone(),
            prompt: request.prompt.clone(),
            reply,
        });
        let path = self.path.as_ref().map_err(Clone::clone)?;
        let mut kept = self.kept.lock();
        let unwritable = |e: io::Error| format!("cannot write {}: {e}", path.display());
        if std::mem::take(&mut kept.is_torn) {
            let all: Vec<_> = kept.by.values().flatten().cloned().collect();
            replace(path, &all).map_err(unwritable)?;
        }
        append(path, &recorded).map_err(unwritable)?;
        kept.by.entry(request.digest.clone()).or_default().push(recorded.clone());
        kept.used.insert((request.digest.clone(), address.to_owned()));
        Ok(recorded)
    }
}

impl KeptReplies {
    /// Returns the reply to a request; of any server if the address is unknown.
    fn find(&self, request: &ModelRequest, address: Option<&str>) -> Option<&Arc<RecordedReply>> {
        let mut same = self.by.get(&request.digest)?.iter().rev();
        same.find(|reply| address.is_none_or(|address| reply.address == address))
    }

    /// Returns the reply of the same model that was recorded for the same position.
    fn near(&self, request: &ModelRequest) -> Option<&Arc<RecordedReply>> {
        let all = self.by.values().flatten();
        let mut near = all.filter(|r| r.place == request.place && r.model == request.model);
        near.next()
    }

    /// Describes the difference to the reply that was recorded for the same position.
    fn why_missing(&self, request: &ModelRequest) -> String {
        let near = self.by.values().flatten().filter(|r| r.place == request.place);
        let near = near.max_by_key(|r| (r.model == request.model, r.prompt == request.prompt));
        let why = near.map(|near| match difference::words(&near.prompt, &request.prompt) {
            _ if near.model != request.model => format!("it was recorded from {}", near.model),
            Some(words) => format!("the prompt has changed: {words}"),
            None if near.digest == request.digest => {
                format!("it was recorded from {}", near.address)
            }
            None => "its settings, tools or the form of the reply have changed".into(),
        });
        let why = why.map_or(String::new(), |why| format!("; {why}"));
        format!("no reply is recorded for {} ({}){why}", request.place, request.model)
    }
}

/// Returns the text of a file; empty if the file is missing.
fn text_of(path: &Path) -> io::Result<String> {
    let file = match untrusted::open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(e) => return Err(e),
    };
    let mut text = String::new();
    let read = file.take(BYTES_MAX + 1).read_to_string(&mut text)?;
    if read as u64 > BYTES_MAX {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "it is too large; delete it"));
    }
    Ok(text)
}

/// Appends a line in a single write.
fn append(path: &Path, reply: &RecordedReply) -> io::Result<()> {
    let line = format!("{}\n", serde_json::to_string(reply)?);
    OwnFile::append(path, is_reply)?.write_all(line.as_bytes())
}

fn replace(path: &Path, all: &[Arc<RecordedReply>]) -> io::Result<()> {
    if all.is_empty() {
        return fs::remove_file(path);
    }
    let mut content = vec![];
    for reply in all {
        serde_json::to_writer(&mut content, reply)?;
        content.push(b'\n');
    }
    OwnFile::replace(path, &content, is_reply)
}

/// Returns true if the first line of a file is a recorded reply, or the start of one that a kill left incomplete.
fn is_reply(line: &[u8]) -> bool {
    line.starts_with(FIRST_KEY) || FIRST_KEY.starts_with(line)
}
