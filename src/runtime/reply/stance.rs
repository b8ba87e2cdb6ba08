//! Takes the `STANCE:` line out of a reply, also while the reply streams: no reader may see it as text.

use crate::model::STANCE;

/// Marks of emphasis, quotation and lists that may precede the line.
const MARKS: [char; 6] = ['*', '_', '#', '>', '-', '`'];
/// Maximum length of a line that is kept, in bytes.
const LINE_MAX_BYTES: usize = 400;

/// A reply without its `STANCE:` line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StanceApart {
    /// The remaining text.
    pub text: String,
    /// The line after `STANCE:`; the last one, if there are several.
    pub line: Option<String>,
}

/// Takes the `STANCE:` line out of a whole reply.
pub fn stance_apart(reply: &str) -> StanceApart {
    let mut filter = StanceFilter::default();
    let mut text = filter.push(reply);
    text.push_str(&filter.finish());
    let line = filter.line();
    let text = if line.is_some() { text.trim_end().to_owned() } else { text };
    StanceApart { text, line }
}

/// Holds back the text of a stream that could be a `STANCE:` line.
#[derive(Clone, Debug)]
pub struct StanceFilter {
    /// Text that may become the beginning of the line.
    held: String,
    /// True if `held` is at the beginning of a line of the reply.
    fresh: bool,
    /// Character before `held`.
    last: char,
    /// The line in progress, without its beginning.
    swallowed: Option<String>,
    /// The last complete line.
    found: Option<String>,
}

impl Default for StanceFilter {
    fn default() -> StanceFilter {
        StanceFilter { held: String::new(), fresh: true, last: '\n', swallowed: None, found: None }
    }
}

/// Relation of a text to the beginning of the line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Begins {
    No,
    Maybe,
    Yes,
}

impl StanceFilter {
    /// Adds a piece and returns the text that is certainly not part of the line.
    pub fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            if let Some(line) = &mut self.swallowed {
                if c == '\n' {
                    self.end_line();
                } else if line.len() < LINE_MAX_BYTES {
                    line.push(c);
                }
                continue;
            }
            self.held.push(c);
            match begins(&self.held, self.fresh, self.last) {
                Begins::Maybe => {}
                Begins::Yes => {
                    self.held.clear();
                    self.swallowed = Some(String::new());
                }
                Begins::No => self.release(&mut shown),
            }
        }
        shown
    }

    /// Returns the text that was held back and is not the line, at the end of the stream.
    pub fn finish(&mut self) -> String {
        self.end_line();
        std::mem::take(&mut self.held)
    }

    /// Returns the last line that was taken out.
    pub fn line(&mut self) -> Option<String> {
        self.found.take()
    }

    /// Shows the held text up to a place at which the line could begin again.
    fn release(&mut self, shown: &mut String) {
        while let Some(c) = self.held.chars().next() {
            if begins(&self.held, self.fresh, self.last) != Begins::No {
                return;
            }
            shown.push(c);
            self.last = c;
            self.fresh = c == '\n';
            self.held.remove(0);
        }
    }

    fn end_line(&mut self) {
        if let Some(line) = self.swallowed.take() {
            self.found = Some(line.trim_matches([' ', '\t', '\r', '*', '_', '`']).to_owned());
            self.fresh = true;
            self.last = '\n';
        }
    }
}

/// Compares a text with the beginning of the line: in any case at the beginning of a line, in capitals after a space.
fn begins(held: &str, fresh: bool, last: char) -> Begins {
    let is_mark = |c: char| c == ' ' || c == '\t' || MARKS.contains(&c);
    let word = if fresh { held.trim_start_matches(is_mark) } else { held };
    let same = match word.get(..STANCE.len().min(word.len())) {
        Some(start) if fresh => {
            STANCE.get(..start.len()).is_some_and(|expected| expected.eq_ignore_ascii_case(start))
        }
        Some(start) => last.is_whitespace() && STANCE.starts_with(start),
        None => false,
    };
    if !same || !fresh && word.is_empty() {
        Begins::No
    } else if word.len() < STANCE.len() {
        Begins::Maybe
    } else {
        Begins::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &[(&str, &str, Option<&str>)] = &[
        ("Hello.", "Hello.", None),
        ("Hello.\n\nSTANCE: +1 | stays | after #2", "Hello.", Some("+1 | stays | after #2")),
        ("Hello.\n**Stance: 0 | both**\n", "Hello.", Some("0 | both")),
        ("Hello. STANCE: -2 | leave them", "Hello.", Some("-2 | leave them")),
        ("STANCE: 1 | a\nStill.\nSTANCE: 2 | b", "Still.", Some("2 | b")),
        ("My stance: no.", "My stance: no.", None),
        ("A STAND of trees", "A STAND of trees", None),
        ("- a list\n- stan", "- a list\n- stan", None),
        ("SSTANCE: 1", "SSTANCE: 1", None),
        ("Zürich\n  STANCE: 1 | é", "Zürich", Some("1 | é")),
        ("ünï\nş stance", "ünï\nş stance", None),
        ("S STANCE: 1 | x", "S", Some("1 | x")),
        ("STANCE:", "", Some("")),
    ];

    #[test]
    fn the_line_is_taken_out_however_the_stream_is_cut() {
        for (reply, text, line) in CASES {
            let line = line.map(str::to_owned);
            let whole = stance_apart(reply);
            assert_eq!(
                whole,
                StanceApart { text: (*text).to_owned(), line: line.clone() },
                "{reply:?}"
            );
            for (at, _) in reply.char_indices() {
                let mut filter = StanceFilter::default();
                let mut shown = filter.push(&reply[..at]);
                assert!(!shown.to_uppercase().contains("\nSTAN"), "{shown:?}");
                shown.push_str(&filter.push(&reply[at..]));
                shown.push_str(&filter.finish());
                assert_eq!((shown.trim_end(), filter.line()), (*text, line.clone()), "{reply:?}");
            }
        }
    }

    #[test]
    fn other_words_do_not_wait() {
        let mut filter = StanceFilter::default();
        assert_eq!(filter.push("one two "), "one two ");
        assert_eq!(filter.push("ST"), "");
        assert_eq!(filter.push("OP now\n"), "STOP now\n");
        assert_eq!(filter.push("sta"), "");
        assert_eq!(filter.push("ys"), "stays");
    }
}
