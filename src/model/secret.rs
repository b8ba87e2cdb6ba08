//! A key: a text that cannot be printed, logged or written into a session by accident.
//!
//! It has no `Debug`, `Display` or `Serialize`, and its memory is wiped when it goes. It deliberately does not know
//! where a key comes from (`config` does) nor which address it belongs to.

use crate::text;
use secrecy::{ExposeSecret, SecretString};

/// A provider's key, which cannot be printed or written.
#[derive(Clone)]
pub struct Secret(SecretString);

impl Secret {
    /// Takes a key in, and keeps it out of every text from here on.
    pub fn new(key: String) -> Secret {
        text::keep_out(&key);
        Secret(key.into())
    }

    /// Returns the key after a prefix, as some headers require it.
    pub fn after(&self, word: &str) -> Secret {
        Secret(format!("{word}{}", self.expose()).into())
    }

    /// Returns the key in clear; only for a header of a request, and for taking it out of texts.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }
}
