//! Takes closing lines such as `STANCE:` out of a reply, also while the reply streams: no reader may see them as text.

use super::lines::{LabelLead, label};
use super::words::closing_row;
use crate::model::STANCE;

/// Marks of emphasis, quotation, brackets and lists that may precede the label.
const MARKS: [char; 12] = ['*', '_', '#', '>', '-', '`', '[', '(', '【', '"', '“', '「'];
/// Marks that may close the label or the line.
const CLOSING: [char; 10] = ['*', '_', '`', ']', ')', '】', '"', '”', '」', ' '];
/// Maximum length of a line that is kept, in bytes.
const LINE_MAX_BYTES: usize = 400;

/// Returns the rest of a line behind a label in capitals, such as `DISSENT:`, in any case and dress.
pub fn behind_label<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    label(line, &closing_row(name.trim_end_matches(':')), LabelLead::Word)
        .filter(|label| label.first)
        .map(|label| label.rest)
}

/// Holds back the text of a stream that could be a closing line.
#[derive(Clone, Debug)]
pub(super) struct StanceFilter {
    /// Text that may become the beginning of the line.
    held: String,
    /// True if `held` is at the beginning of a line of the reply.
    fresh: bool,
    /// Character before `held`.
    last: char,
    /// Beginning of the line that is shown, as far as it is needed to recognise a fence.
    shown: String,
    /// True inside a fence.
    fenced: bool,
    /// The line in progress, without its label.
    swallowed: Option<String>,
    /// The last complete line.
    found: Option<String>,
}

impl Default for StanceFilter {
    fn default() -> StanceFilter {
        StanceFilter {
            held: String::new(),
            fresh: true,
            last: '\n',
            shown: String::new(),
            fenced: false,
            swallowed: None,
            found: None,
        }
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
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            if let Some(line) = &mut self.swallowed {
                // an empty line takes the next one
                if c == '\n' && !line.trim_matches(CLOSING).is_empty() {
                    self.end_line();
                } else if line.len() < LINE_MAX_BYTES {
                    line.push(c);
                }
                continue;
            }
            self.held.push(c);
            match self.begins() {
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
    pub(super) fn finish(&mut self) -> String {
        self.end_line();
        std::mem::take(&mut self.held)
    }

    /// Returns the last line that was taken out.
    pub(super) fn line(&mut self) -> Option<String> {
        self.found.take()
    }

    /// Shows the held text up to a place at which the line could begin again.
    fn release(&mut self, shown: &mut String) {
        while let Some(c) = self.held.chars().next() {
            if self.begins() != Begins::No {
                return;
            }
            shown.push(c);
            self.last = c;
            self.fresh = c == '\n';
            self.follow(c);
            self.held.drain(..c.len_utf8());
        }
    }

    /// Updates the state that recognises code.
    fn follow(&mut self, c: char) {
        if c == '\n' {
            self.shown.clear();
        } else if self.shown.len() < 8 {
            self.shown.push(c);
            self.fenced ^= matches!(self.shown.trim_start(), "```" | "~~~");
        }
    }

    fn end_line(&mut self) {
        if let Some(line) = self.swallowed.take() {
            let line = line.trim_matches(|c: char| c.is_whitespace() || CLOSING.contains(&c));
            self.found = Some(line.to_owned());
            self.fresh = true;
            self.last = '\n';
            self.shown.clear();
        }
    }

    /// Compares the held text with the beginning of the line: in any case and dress at the beginning of a line, in
    /// capitals after a space.
    fn begins(&self) -> Begins {
        if self.fenced {
            return Begins::No;
        }
        let name = STANCE.trim_end_matches(':');
        let is_mark = |c: char| c == ' ' || c == '\t' || MARKS.contains(&c);
        let word = if self.fresh { self.held.trim_start_matches(is_mark) } else { &self.held };
        let length = name.len().min(word.len());
        let Some(start) = word.get(..length) else { return Begins::No };
        let expected = name.get(..length).unwrap_or_default();
        let same = if self.fresh {
            expected.eq_ignore_ascii_case(start)
        } else {
            self.last.is_whitespace() && expected == start && !word.is_empty()
        };
        match word.get(name.len()..) {
            _ if !same => Begins::No,
            None | Some("") => Begins::Maybe,
            Some(rest) => self.sign(rest),
        }
    }

    /// Compares the text behind the word with the sign of a label.
    fn sign(&self, rest: &str) -> Begins {
        let bare = rest.trim_start_matches(CLOSING);
        let mut signs = bare.chars();
        match (signs.next(), signs.next()) {
            (None, _) => Begins::Maybe,
            (Some(':' | '：' | '='), _) => Begins::Yes,
            (Some('-' | '–' | '—'), None) if self.fresh => Begins::Maybe,
            (Some('-' | '–' | '—'), Some(' ')) if self.fresh => Begins::Yes,
            _ => Begins::No,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stream::Speech;
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
        ("So.\n[STANCE: -2 | sell]", "So.", Some("-2 | sell")),
        ("So.\nStance - +1 | keep", "So.", Some("+1 | keep")),
        ("So.\n**STANCE:**\n+1 | keep", "So.", Some("+1 | keep")),
        ("好。\nSTANCE：0 | 都", "好。", Some("0 | 都")),
    ];

    #[test]
    fn the_line_is_taken_out_however_the_stream_is_cut() {
        for (reply, text, line) in CASES {
            let line = line.map(str::to_owned);
            let Speech { text: said, stance, .. } = Speech::new(reply, false, true);
            let stance = stance.map(|line| line.to_string());
            assert_eq!((&*said, stance), (*text, line.clone()), "{reply:?}");
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
    fn a_label_is_found_in_any_dress() {
        assert_eq!(behind_label("**Dissent:** Bo would wait.", "DISSENT:"), Some("Bo would wait."));
        assert_eq!(behind_label("The word dissent: no.", "DISSENT:"), None);
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
