//! Takes the parts of a reply that are not public speech out of it, also while it streams: a line of
//! data behind a label, private messages, markers, and the label of an answer. No reader may see them as text.

use super::letters::Letters;
use super::lines::{CodeState, LabelLead, label};
use super::words::{WordRow, closing_row, words};
use crate::model::Text;
use crate::model::contract::WHISPER;

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

/// The parts that are taken out of a reply.
#[derive(Clone, Debug, Default)]
pub struct ClosingParts {
    /// The line of data behind a label in capitals, such as `STANCE:`.
    pub line: Option<&'static str>,
    /// Paragraphs for one participant alone.
    pub whispers: bool,
    /// The label of a vote or an answer at the beginning of the reply.
    pub answers: bool,
    /// Markers at the beginning or the end of a line.
    pub markers: Vec<Text>,
}

/// Holds back the text of a stream that could be a part to take out.
#[derive(Clone, Debug, Default)]
pub(super) struct ClosingFilter {
    parts: ClosingParts,
    /// Text that may become the beginning of a part.
    held: String,
    /// True if `held` is at the beginning of a line of the reply.
    fresh: bool,
    /// True until something other than blanks was shown.
    first: bool,
    /// Character before `held`.
    last: char,
    /// Code in the text that is shown.
    code: CodeState,
    /// The part in progress.
    swallowed: Option<Swallowed>,
    /// The last complete line of data.
    found: Option<String>,
    /// Labels and markers that were taken out, in order, and the names of private parts.
    pub(super) taken: Vec<String>,
}

/// A part that is being taken out.
#[derive(Clone, Debug)]
enum Swallowed {
    /// A line, without its label.
    Line(String),
    /// A paragraph, with its line in progress.
    Paragraph(String),
}

impl ClosingFilter {
    pub(super) fn new(parts: ClosingParts) -> ClosingFilter {
        ClosingFilter { parts, fresh: true, first: true, last: '\n', ..ClosingFilter::default() }
    }
}

/// Relation of a text to the beginning of a part; the most certain one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Begins {
    No,
    Maybe,
    /// The line of data.
    Line,
    /// A private paragraph.
    Paragraph,
    /// A label or a marker of this length, in bytes.
    Mark(usize),
}

impl ClosingFilter {
    /// Adds a piece and returns the text that is certainly not part of the line.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::new();
        for c in piece.chars() {
            match &mut self.swallowed {
                // an empty line takes the next one
                Some(Swallowed::Line(line))
                    if c == '\n' && !line.trim_matches(CLOSING).is_empty() =>
                {
                    self.end_part();
                }
                Some(Swallowed::Line(line)) if line.len() < LINE_MAX_BYTES => line.push(c),
                Some(Swallowed::Line(_)) => {}
                Some(Swallowed::Paragraph(line)) if c == '\n' && line.trim().is_empty() => {
                    self.end_part();
                }
                Some(Swallowed::Paragraph(line)) if c == '\n' => line.clear(),
                Some(Swallowed::Paragraph(line)) => line.push(c),
                None => {
                    self.held.push(c);
                    self.release(&mut shown, false);
                }
            }
        }
        shown
    }

    /// Returns the text that was held back and is not such a part, at the end of the stream.
    pub(super) fn finish(&mut self) -> String {
        self.end_part();
        let mut shown = String::new();
        self.release(&mut shown, true);
        shown
    }

    /// Returns the last line that was taken out.
    pub(super) fn line(&mut self) -> Option<String> {
        self.found.take()
    }

    /// Shows the held text up to a place at which a part could begin.
    fn release(&mut self, shown: &mut String, ends: bool) {
        while let Some(c) = self.held.chars().next() {
            match self.begins(ends) {
                Begins::Maybe if !ends => return,
                Begins::Maybe | Begins::No => {
                    shown.push(c);
                    self.last = c;
                    self.fresh = c == '\n';
                    self.first &= c.is_whitespace();
                    self.code.push(c);
                    self.held.drain(..c.len_utf8());
                }
                Begins::Line => {
                    self.held.clear();
                    self.swallowed = Some(Swallowed::Line(String::new()));
                }
                Begins::Paragraph => {
                    self.taken.push(WHISPER.to_owned());
                    let rest = std::mem::take(&mut self.held);
                    self.swallowed = Some(Swallowed::Paragraph(rest));
                }
                Begins::Mark(length) => {
                    self.first = false;
                    let part: String = self.held.drain(..length).collect();
                    self.taken.push(part.trim().to_owned());
                }
            }
        }
    }

    fn end_part(&mut self) {
        let Some(part) = self.swallowed.take() else { return };
        if let Swallowed::Line(line) = part {
            let line = line.trim();
            let bare = line.trim_matches(|c: char| c.is_whitespace() || CLOSING.contains(&c));
            // a mark that closes a quotation within the line belongs to it
            let unmarked = line.trim_end_matches(|c| c != '"' && CLOSING.contains(&c));
            let is_open = bare.matches('"').count() % 2 == 1 && unmarked.ends_with('"');
            let close = if is_open { "\"" } else { "" };
            self.found = Some(format!("{bare}{close}"));
        }
        self.fresh = true;
        self.last = '\n';
        self.code.push('\n');
    }

    /// Compares the held text with the beginnings of all parts; `ends` is true at the end of the reply.
    fn begins(&self, ends: bool) -> Begins {
        if self.code.fenced || self.held.len() > LINE_MAX_BYTES {
            return Begins::No;
        }
        let Self { parts, .. } = self;
        let line = parts.line.map(|label| self.data(label));
        let whisper = parts.whispers.then(|| self.whisper());
        let answer = (parts.answers && self.first).then(|| self.answer(ends));
        let markers = parts.markers.iter().map(|marker| self.marker(marker, ends));
        [line, whisper, answer].into_iter().flatten().chain(markers).max().unwrap_or(Begins::No)
    }

    /// Compares the held text with the label of a line of data and its sign.
    fn data(&self, label: &str) -> Begins {
        let rest = match self.behind(label.trim_end_matches(':')) {
            Ok(rest) => rest,
            Err(other) => return other,
        };
        let mut signs = rest.trim_start_matches(CLOSING).chars();
        match (signs.next(), signs.next()) {
            (None, _) => Begins::Maybe,
            (Some(':' | '：' | '='), _) => Begins::Line,
            (Some('-' | '–' | '—'), None) if self.fresh => Begins::Maybe,
            (Some('-' | '–' | '—'), Some(' ')) if self.fresh => Begins::Line,
            _ => Begins::No,
        }
    }

    fn whisper(&self) -> Begins {
        match self.behind(WHISPER) {
            Ok("") => Begins::Maybe,
            Ok(rest) if rest.starts_with(char::is_alphanumeric) => Begins::No,
            Ok(_) => Begins::Paragraph,
            Err(other) => other,
        }
    }

    /// Returns the held text behind a name: in any case and dress at the beginning of a line, in capitals after a blank.
    fn behind(&self, name: &str) -> Result<&str, Begins> {
        let is_mark = |c: char| c == ' ' || c == '\t' || MARKS.contains(&c);
        let word = if self.fresh { self.held.trim_start_matches(is_mark) } else { &self.held };
        let length = name.len().min(word.len());
        let Some(start) = word.get(..length) else { return Err(Begins::No) };
        let expected = name.get(..length).unwrap_or_default();
        let same = if self.fresh {
            expected.eq_ignore_ascii_case(start)
        } else {
            self.last.is_whitespace() && expected == start && !word.is_empty()
        };
        match word.get(name.len()..) {
            _ if !same => Err(Begins::No),
            None | Some("") => Err(Begins::Maybe),
            Some(rest) => Ok(rest),
        }
    }

    /// Compares the held text with the label of a vote or an answer on the first line.
    fn answer(&self, ends: bool) -> Begins {
        let blank = self.held.len() - self.held.trim_start().len();
        let held = self.held.get(blank..).unwrap_or_default();
        let (line, below) = held.split_once('\n').map_or((held, None), |(l, b)| (l, Some(b)));
        let rows = [&words().vote_label, &words().answer_label];
        if let Some(label) = rows.iter().find_map(|row| label(line, row, LabelLead::Word)) {
            return match below {
                None if label.rest.is_empty() && !ends => Begins::Maybe,
                _ => Begins::Mark(blank + line.len() - label.rest.len()),
            };
        }
        let letters = Letters::new(line);
        let begin = letters.skip(0, |c| !c.is_alphanumeric());
        let word: Vec<char> = (begin..letters.len()).filter_map(|at| letters.char(at)).collect();
        let begins = |row: &&WordRow| row.iter().any(|spelling| spelling.starts_with(&word));
        let open =
            below.is_none() && rows.iter().any(|row| begins(row) || closes(&letters, begin, row));
        if open { Begins::Maybe } else { Begins::No }
    }

    /// Compares the held text with a marker at the beginning or the end of a line.
    fn marker(&self, marker: &str, ends: bool) -> Begins {
        let blank = self.held.len() - self.held.trim_start_matches([' ', '\t']).len();
        let held = self.held.get(blank..).unwrap_or_default();
        let fresh = self.fresh || blank > 0 || !self.last.is_alphanumeric();
        if !fresh || held.is_empty() {
            return if fresh && !ends { Begins::Maybe } else { Begins::No };
        }
        let Some(rest) = held.strip_prefix(marker) else {
            return if marker.starts_with(held) { Begins::Maybe } else { Begins::No };
        };
        let behind = rest.trim_start_matches([' ', '\t']);
        // a line of markers alone goes as a whole
        let line = usize::from(self.fresh && behind.starts_with('\n'));
        let whole = Begins::Mark(self.held.len() - behind.len() + line);
        match behind.chars().next() {
            None if !ends => Begins::Maybe,
            None | Some('\n') => whole,
            Some(c) if self.fresh && !(rest.len() == behind.len() && c.is_alphanumeric()) => whole,
            Some(_) => Begins::No,
        }
    }
}

/// Returns whether only blanks and marks follow one of some words.
fn closes(letters: &Letters, begin: usize, row: &WordRow) -> bool {
    let end = letters.one_of(begin, row);
    end.is_some_and(|end| letters.skip(end, |c| c == ' ' || CLOSING.contains(&c)) == letters.len())
}

#[cfg(test)]
mod tests {
    use super::super::stream::Speech;
    use super::*;

    const LABEL: Option<&str> = Some("STANCE:");
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
            let Speech { text: said, line: found, .. } = Speech::new(reply, false, LABEL);
            let found = found.map(|line| line.to_string());
            assert_eq!((&*said, found), (*text, line.clone()), "{reply:?}");
            for (at, _) in reply.char_indices() {
                let mut filter =
                    ClosingFilter::new(ClosingParts { line: LABEL, ..ClosingParts::default() });
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
        let mut filter =
            ClosingFilter::new(ClosingParts { line: LABEL, ..ClosingParts::default() });
        assert_eq!(filter.push("one two "), "one two ");
        assert_eq!(filter.push("ST"), "");
        assert_eq!(filter.push("OP now\n"), "STOP now\n");
        assert_eq!(filter.push("sta"), "");
        assert_eq!(filter.push("ys"), "stays");
    }

    #[test]
    fn private_words_markers_and_labels_are_not_shown() {
        let parts = ClosingParts {
            line: None,
            whispers: true,
            answers: true,
            markers: vec!["[PASS]".into(), "DEAL".into()],
        };
        for (reply, text) in [
            (
                "I ask 350.\n\nWHISPER Marek: 330,\nif quick.\n\nThat is all.",
                "I ask 350.\n\nThat is all.",
            ),
            ("Fine. WHISPER Marek: 330.", "Fine. "),
            ("**WHISPER to Bo:** no.", ""),
            ("They WHISPERED it.", "They WHISPERED it."),
            ("ANSWER: Walk.\nIt is near.", "Walk.\nIt is near."),
            ("**Answer:**\nWalk.", "\nWalk."),
            ("Answering that is hard.", "Answering that is hard."),
            ("Walk.\nANSWER: no", "Walk.\nANSWER: no"),
            ("VOTE: Answer B", "Answer B"),
            ("VOTE : Answer B", "Answer B"),
            ("So be it.\nDEAL 300", "So be it.\n300"),
            ("So be it. DEAL", "So be it."),
            ("DEALS are off. The DEAL is off.", "DEALS are off. The DEAL is off."),
            ("[PASS]", ""),
        ] {
            for (at, _) in reply.char_indices() {
                let mut filter = ClosingFilter::new(parts.clone());
                let mut shown = filter.push(&reply[..at]);
                shown.push_str(&filter.push(&reply[at..]));
                shown.push_str(&filter.finish());
                assert_eq!(shown, text, "{reply:?} at {at}");
            }
        }
    }
}
