//! Idempotency keys of clients: the process that starts a conversation claims its key, so that a key starts only one.
//!
//! A claim is a file named after the digest of its key. The process that starts the conversation locks the file until
//! the session exists; others wait for the lock and then read the id. An empty file that nobody locks was left by a
//! start that failed, and can be claimed again.

use super::values::GivenName;
use crate::cli::saved_id::SavedId;
use crate::own_file::OwnFile;
use crate::text::hex;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fs::TryLockError;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// Longest claim that is read, in bytes.
const CLAIM_MAX: u64 = 16 << 10;
/// Time between two tries to lock a claim.
const PAUSE: Duration = Duration::from_millis(50);
/// Tries to lock a claim: a start asks the providers for their models first.
const TRIES: u32 = 600;

/// A key that was claimed.
pub enum Claim {
    /// For the conversation that is about to start.
    Free(FreeClaim),
    /// By a conversation that was started with the same arguments.
    Taken(SavedId),
    /// By a conversation that was started with other arguments.
    Differs,
}

/// A claim without a conversation yet; locked until it is dropped.
pub struct FreeClaim {
    file: OwnFile,
    key: GivenName,
    arguments: String,
}

/// Claims a key in a folder.
///
/// # Errors
/// The error of the operating system, or [`ErrorKind::TimedOut`] if another process keeps the lock.
pub fn claim(folder: &Path, key: &GivenName, arguments: &Value) -> io::Result<Claim> {
    let arguments = digest(&arguments.to_string());
    let path = folder.join(format!("key-{}.json", digest(key.as_str())));
    match OwnFile::create_new(&path) {
        Err(e) if e.kind() != ErrorKind::AlreadyExists => return Err(e),
        Ok(_) | Err(_) => {}
    }
    // another process may be writing the line
    let mut file = OwnFile::append(&path, |line| line.starts_with(b"{"))?;
    let mut tries = TRIES;
    while let Err(e) = file.try_lock() {
        match e {
            TryLockError::Error(e) => return Err(e),
            TryLockError::WouldBlock if tries == 0 => return Err(ErrorKind::TimedOut.into()),
            TryLockError::WouldBlock => {}
        }
        tries -= 1;
        thread::sleep(PAUSE);
    }
    let mut bytes = vec![];
    Read::by_ref(&mut file).take(CLAIM_MAX).read_to_end(&mut bytes)?;
    let kept: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let session = kept["session"].as_str().map(|id| SavedId::try_from(id.to_owned()));
    Ok(match session {
        Some(Ok(_)) if kept["arguments"] != arguments => Claim::Differs,
        Some(Ok(session)) => Claim::Taken(session),
        Some(Err(_)) | None => {
            file.cut(0)?;
            Claim::Free(FreeClaim { file, key: key.clone(), arguments })
        }
    })
}

impl FreeClaim {
    /// Keeps the id of the session that was started.
    pub fn keep(mut self, session: &str) -> io::Result<()> {
        let key = self.key.as_str();
        let kept = json!({"key": key, "arguments": self.arguments, "session": session});
        self.file.write_all(format!("{kept}\n").as_bytes())?;
        self.file.sync()
    }
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> GivenName {
        GivenName::try_from(name.to_owned()).unwrap()
    }

    #[test]
    fn a_key_is_claimed_once_and_again_after_a_failed_start() {
        let folder = tempfile::tempdir().unwrap();
        let of = |arguments: u32| claim(folder.path(), &key("../k"), &json!(arguments)).unwrap();
        assert!(matches!(of(1), Claim::Free(_)), "the claim is dropped: its start failed");
        let Claim::Free(free) = of(1) else { panic!("claimed") };
        free.keep("20260101-000000-abcdef").unwrap();
        assert!(matches!(of(1), Claim::Taken(id) if id.as_str() == "20260101-000000-abcdef"));
        assert!(matches!(of(2), Claim::Differs));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_threads_that_claim_a_key_at_once_one_starts() {
        let folder = tempfile::tempdir().unwrap();
        let started = std::sync::atomic::AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| match claim(folder.path(), &key("k"), &json!(1)).unwrap() {
                    Claim::Free(free) => {
                        started.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                        free.keep("20260101-000000-abcdef").unwrap();
                    }
                    Claim::Taken(_) => {}
                    Claim::Differs => panic!("same arguments"),
                });
            }
        });
        assert_eq!(started.into_inner(), 1);
    }
}
