//! A key of a provider while it is pasted at the start screen: never shown, and handed out once.

/// The longest key that is taken, in characters.
const LONGEST: usize = 4_096;

/// A key that is being entered.
#[derive(Default)]
pub struct Keying {
    /// Whose it is, by the place among those that need one.
    pub at: usize,
    pub(super) key: String,
}

impl Keying {
    /// Returns how many characters it has so far; nothing more of it is ever told.
    pub fn length(&self) -> usize {
        self.key.chars().count()
    }

    /// Takes in pasted text.
    pub fn paste(&mut self, pasted: &str) {
        let room = LONGEST.saturating_sub(self.length());
        self.key
            .extend(pasted.chars().filter(|c| !c.is_whitespace() && !c.is_control()).take(room));
    }
}
