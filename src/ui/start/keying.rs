//! A key of a provider while it is pasted at the start screen: never shown, and handed out once. The address of a server
//! is entered in the same place and shown.

/// The longest key that is taken, in characters.
const LONGEST: usize = 4_096;

/// What begins an address that names no scheme.
const PLAIN: &str = "http://";

/// A key, or an address, that is being entered.
#[derive(Default)]
pub struct Keying {
    /// Whose key it is, by the place among those that need one; behind the last one stands a server's address.
    pub at: usize,
    pub(super) key: String,
    pub(super) address: String,
}

impl Keying {
    /// Returns how many characters the key has so far; nothing more of it is ever told.
    pub fn length(&self) -> usize {
        self.key.chars().count()
    }

    /// Returns the address so far.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Takes in pasted text: of the address behind the last of so many keys, else of the key. What begins as an address
    /// is never a key: it becomes the server's address, whichever provider was chosen.
    pub fn paste(&mut self, keys: usize, pasted: &str) {
        let entered = if self.at >= keys { &mut self.address } else { &mut self.key };
        let room = LONGEST.saturating_sub(entered.chars().count());
        entered.extend(pasted.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(room));
        if self.at < keys && is_address(&self.key) {
            self.at = keys;
            self.address = std::mem::take(&mut self.key);
        }
    }
}

/// Returns whether words are the address of a server rather than the name of a model.
pub(super) fn is_address(words: &str) -> bool {
    words.starts_with(PLAIN) || words.starts_with("https://")
}

/// Returns an address with its scheme; a server without one is on a network of your own.
pub(super) fn address(typed: &str) -> String {
    let typed = typed.trim().trim_end_matches('/');
    if is_address(typed) { typed.into() } else { format!("{PLAIN}{typed}") }
}
