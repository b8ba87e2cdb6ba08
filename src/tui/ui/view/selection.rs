//! Selection of source lines of a message.

/// A selection of source lines of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSelection {
    /// Description of the source, reported when the lines are copied.
    pub what: String,
    /// All source lines of the message.
    pub all: Vec<String>,
    /// Index of the anchor's line.
    pub from: usize,
    /// Index of the cursor's line.
    pub at: usize,
}

impl LineSelection {
    /// Returns `true` if a line is selected.
    pub fn has(&self, line: usize) -> bool {
        (self.from.min(self.at)..=self.from.max(self.at)).contains(&line)
    }

    /// Returns all source lines.
    pub fn all(&self) -> &[String] {
        &self.all
    }

    /// Returns the index of the cursor's line.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the source text of the selected lines.
    pub fn chosen(&self) -> String {
        let chosen = self.all.iter().enumerate().filter(|(i, _)| self.has(*i));
        chosen.map(|(_, line)| line.as_str()).collect::<Vec<_>>().join("\n")
    }
}
