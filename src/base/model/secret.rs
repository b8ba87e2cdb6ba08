//! An API key that cannot be printed, logged or written into a session by accident.
//!
//! It has no `Debug`, `Display` or `Serialize`, and its memory is wiped on drop. `settings` knows the origin of a key and
//! its address.

use crate::text;
use secrecy::{ExposeSecret, SecretString};

/// A provider's API key, which cannot be printed or written.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Stores a key, and registers it for removal from all texts.
    pub fn new(key: String) -> Secret {
        text::keep_out(&key);
        Secret(key.into())
    }

    /// Returns the key with a prefix, as some headers require it.
    pub fn after(&self, word: &str) -> Secret {
        Secret(format!("{word}{}", self.expose()).into())
    }

    /// Returns the key in clear; only for a request header, and for its removal from texts.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}
