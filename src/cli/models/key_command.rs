//! Keys that a program prints: the program runs when the key is first needed, and again when a server no longer takes it.

use crate::model::Secret;
use crate::model::sentence::sentence_error;
use crate::settings::Environment;
use crate::spawn::{self, ChildEnvironment, Job, Output};
use crate::text;
use crate::voice::remote::Keyring;
use futures::future::BoxFuture;
use parking_lot::Mutex as SyncMutex;
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// Maximum run time of the program.
const TIME_MAX: Duration = Duration::from_secs(30);
/// Maximum size of a key, in bytes.
const KEY_MAX_BYTES: usize = 16 << 10;

sentence_error! {
    /// Reason why the key of a provider is not available. It never contains the key.
    pub struct NoPrintedKey;
}

/// A program that prints keys, with the last key of a repeated run.
pub(super) struct PrintedKeys {
    command: Vec<String>,
    environment: Environment,
    newest: SyncMutex<Option<Secret>>,
    /// Held while the program runs, so that simultaneous calls share its key.
    turn: Mutex<()>,
}

impl PrintedKeys {
    /// Creates the keys of a program; it does not run yet.
    pub(super) fn new(command: &[String], environment: &Environment) -> PrintedKeys {
        let (command, environment) = (command.to_vec(), environment.clone());
        PrintedKeys { command, environment, newest: SyncMutex::default(), turn: Mutex::default() }
    }

    /// Runs the program.
    pub(super) async fn print(&self) -> Result<Secret, NoPrintedKey> {
        let program = self.command.first().map_or("", |p| p);
        let job = Job {
            command: self.command.clone(),
            folder: PathBuf::from("."),
            environment: ChildEnvironment::allowed(self.environment.for_children()),
            input: vec![],
        };
        let mut child = spawn::start(job).map_err(|e| format!("`{program}` {e}"))?;
        let mut printed = vec![];
        let end = timeout(TIME_MAX, async {
            loop {
                match child.next().await.map_err(|e| format!("`{program}` {e}"))? {
                    Output::Bytes(bytes) if printed.len() + bytes.len() > KEY_MAX_BYTES => {
                        return Err(format!("`{program}` printed more than one line"));
                    }
                    Output::Bytes(bytes) => printed.extend(bytes),
                    Output::Ended(exit) => return Ok(exit.status),
                }
            }
        });
        let status = end.await.map_err(|_| format!("`{program}` did not finish within 30 s"))??;
        let key = bare_key(&text::decode(printed).text);
        match (status.success(), key.expose().is_empty()) {
            (true, false) => Ok(key),
            (true, true) => Err(format!("`{program}` printed nothing").into()),
            (false, _) => Err(format!("`{program}` failed ({status})").into()),
        }
    }
}

impl Keyring for PrintedKeys {
    fn newest(&self) -> Option<Secret> {
        self.newest.lock().clone()
    }

    fn renew<'a>(&'a self, refused: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            // another call may have renewed it meanwhile
            if self.newest().is_none_or(|key| key.expose() == refused.expose()) {
                let key = self.print().await?;
                *self.newest.lock() = Some(key);
            }
            Ok(())
        })
    }
}

/// Returns the key in a text, without blanks and quotes around it.
pub(super) fn bare_key(text: &str) -> Secret {
    Secret::new(text.trim().trim_matches(['"', '\'']).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::runtime::block_on;

    #[test]
    fn a_key_is_bare() {
        for text in ["sk-test-1", " \"sk-test-1\"\n", "'sk-test-1'\r\n"] {
            assert_eq!(bare_key(text).expose(), "sk-test-1");
        }
    }

    #[test]
    fn simultaneous_calls_share_a_new_key() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("runs");
        let script = format!("echo x >> {log:?}; wc -l < {log:?}");
        let command = ["sh".to_owned(), "-c".to_owned(), script];
        let keys = PrintedKeys::new(&command, &Environment::read());
        let mut refused = Secret::new("sk-test-old".into());
        for run in ["1", "2"] {
            let both = async { Ok(tokio::join!(keys.renew(&refused), keys.renew(&refused))) };
            assert_eq!(block_on(both).unwrap(), (Ok(()), Ok(())));
            refused = keys.newest().unwrap();
            assert_eq!(refused.expose(), run);
        }
    }
}
