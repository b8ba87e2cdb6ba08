//! Lines of a message that are selected, as they were written.

/// Lines that are being chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSelection {
    /// Whose words they are, as told when they are copied.
    pub what: String,
    /// The lines as they were written.
    pub all: Vec<String>,
    /// The one that stays.
    pub from: usize,
    /// The one that moves.
    pub at: usize,
}

impl LineSelection {
    /// Returns whether a line lies between the two.
    pub fn has(&self, line: usize) -> bool {
        (self.from.min(self.at)..=self.from.max(self.at)).contains(&line)
    }

    /// Returns all of them, as they were written.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// Returns the one that moves.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns what lies between the two, as it was written.
    pub fn chosen(&self) -> String {
        let chosen = self.all.iter().enumerate().filter(|(i, _)| self.has(*i));
        chosen.map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }
}
