//! `--state FILE`: the path, and the text that was read from it.

use parking_lot::Mutex;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// A state file. Clones share the text read before the conversation, which must be unchanged when it is written.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
    read: Arc<Mutex<Option<String>>>,
}

impl FromStr for StateFile {
    type Err = Infallible;

    fn from_str(path: &str) -> Result<StateFile, Infallible> {
        Ok(StateFile { path: path.into(), read: Arc::default() })
    }
}

impl StateFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers the text of the file; empty if it did not exist.
    pub fn remember(&self, text: String) {
        *self.read.lock() = Some(text);
    }

    /// Returns the remembered text; `None` if the file was not read.
    pub fn remembered(&self) -> Option<String> {
        self.read.lock().clone()
    }
}
