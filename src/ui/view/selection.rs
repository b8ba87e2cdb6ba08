//! Lines of a message that are selected, as they were written.

/// A selection of source lines of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSelection {
    /// The author of the lines, as reported when they are copied.
    pub what: String,
    /// The lines as they were written.
    pub all: Vec<String>,
    /// The index of the anchor's line.
    pub from: usize,
    /// The index of the cursor's line.
    pub at: usize,
}

impl LineSelection {
    /// Returns whether a line is in the selection.
    pub fn has(&self, line: usize) -> bool {
        (self.from.min(self.at)..=self.from.max(self.at)).contains(&line)
    }

    /// Returns all of them, as they were written.
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
