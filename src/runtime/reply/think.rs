//! Separates `<think>…</think>` reasoning from the text of a reply while it streams.
//!
//! Some models have a field for reasoning, many write it into the reply; the other participants must not see it. The
//! result does not depend on how the stream is split into pieces. Tags in code or in quotes are plain text.

use crate::model::Channel;

/// Names of tags that contain reasoning.
const NAMES: [&str; 4] = ["think", "thinking", "thought", "reasoning"];
/// Length of the longest such tag with its slash, in bytes; an incomplete tag waits for the next piece.
const TAG_MAX_BYTES: usize = "</reasoning>".len();
/// Characters that mark a following `<` as a quoted tag.
const QUOTES: [char; 6] = ['`', '"', '\'', '“', '‘', '\\'];

/// Separates reasoning from speech in a stream of pieces.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    /// Text that may be the beginning of a tag.
    held: String,
    thinking: bool,
    /// True at the beginning of a part, whose leading white space is dropped.
    fresh: bool,
    /// Last character of the speech.
    last: Option<char>,
    /// Number of backticks on the line so far; code is open if it is odd.
    ticks: usize,
    /// True inside a fence.
    fenced: bool,
    /// Beginning of the current line, as far as it is needed to recognise a fence.
    line: String,
}

impl Splitter {
    /// Adds a piece and returns the parts that are now certain, in order.
    pub fn push(&mut self, piece: &str) -> Vec<(Channel, String)> {
        let mut out = vec![];
        self.held.push_str(piece);
        let text = std::mem::take(&mut self.held);
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            if c == '<' && rest.len() < TAG_MAX_BYTES && may_become_tag(rest) {
                self.held = rest.to_owned();
                break;
            }
            let tag = (c == '<').then(|| tag(rest)).flatten();
            match tag {
                Some((length, closes)) if closes == self.thinking && self.is_meant() => {
                    self.thinking = !closes;
                    self.fresh = true;
                    rest = &rest[length..];
                }
                Some(_) | None => {
                    self.show(c, &mut out);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
        out
    }

    /// Returns the text that was held back, at the end of the stream.
    pub fn finish(&mut self) -> Vec<(Channel, String)> {
        let mut out = vec![];
        for c in std::mem::take(&mut self.held).chars() {
            self.show(c, &mut out);
        }
        out
    }

    /// Separates a whole text into speech and reasoning.
    pub fn whole(text: &str) -> (String, String) {
        // most texts have no tag
        if !text.contains('<') {
            return (text.to_owned(), String::new());
        }
        let mut splitter = Splitter::default();
        let mut said = String::new();
        let mut thought = String::new();
        for (channel, part) in splitter.push(text).into_iter().chain(splitter.finish()) {
            match channel {
                Channel::Say => said.push_str(&part),
                Channel::Think => thought.push_str(&part),
            }
        }
        (said, thought)
    }

    /// Returns whether a tag here is a real tag, not code or a quotation.
    fn is_meant(&self) -> bool {
        let quoted = self.last.is_some_and(|c| QUOTES.contains(&c));
        self.thinking || !(quoted || self.fenced || self.ticks % 2 == 1)
    }

    fn show(&mut self, c: char, out: &mut Vec<(Channel, String)>) {
        if self.fresh && c.is_whitespace() {
            return;
        }
        self.fresh = false;
        let channel = if self.thinking { Channel::Think } else { Channel::Say };
        match out.last_mut() {
            Some((last, text)) if *last == channel => text.push(c),
            Some(_) | None => out.push((channel, c.to_string())),
        }
        if !self.thinking {
            self.follow(c);
        }
    }

    /// Updates the state that recognises code.
    fn follow(&mut self, c: char) {
        self.last = Some(c);
        if c == '\n' {
            self.ticks = 0;
            self.line = String::new();
            return;
        }
        let fence = |line: &str| matches!(line.trim_start(), "```" | "~~~");
        if self.line.len() < TAG_MAX_BYTES {
            self.line.push(c);
            if fence(&self.line) {
                self.fenced = !self.fenced;
                self.ticks = 0;
                return;
            }
        }
        if c == '`' {
            self.ticks += 1;
        }
    }
}

/// Returns the length of the tag at the beginning of a text, and whether it is a closing tag.
fn tag(text: &str) -> Option<(usize, bool)> {
    let inside = text.strip_prefix('<')?;
    let closes = inside.starts_with('/');
    let name = inside.trim_start_matches('/');
    let end = name.find('>')?;
    let known = NAMES.iter().any(|n| name[..end].eq_ignore_ascii_case(n));
    (known && inside.len() - name.len() <= 1).then(|| (text.len() - name.len() + end + 1, closes))
}

/// Returns whether the text could become a tag with more characters.
fn may_become_tag(text: &str) -> bool {
    let begins = |tag: String| tag.get(..text.len()).is_some_and(|t| t.eq_ignore_ascii_case(text));
    tag(text).is_none()
        && NAMES.iter().any(|n| begins(format!("<{n}>")) || begins(format!("</{n}>")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &[(&str, &str, &str)] = &[
        ("Hello.", "Hello.", ""),
        ("<think>Hm.</think>Hello.", "Hello.", "Hm."),
        ("<think>\nHm.\n</think>\n\nHello.", "Hello.", "Hm.\n"),
        ("  <THINK>a</Think> b", "  b", "a"),
        ("<think>never ends", "", "never ends"),
        ("<think></think>Hello.", "Hello.", ""),
        ("<thinking>a</thinking>b<reasoning>c</reasoning>d", "bd", "ac"),
        ("I say <think>no</think> yes", "I say yes", "no"),
        ("<think>a <think> b</think>c", "c", "a <think> b"),
        ("The tag `<think>` is code.", "The tag `<think>` is code.", ""),
        ("They write \"<think>\" there.", "They write \"<think>\" there.", ""),
        ("```\n<think>\n```\n<think>x</think>y", "```\n<think>\n```\ny", "x"),
        ("a < b, <thin", "a < b, <thin", ""),
        ("<thinker> and <thinks>", "<thinker> and <thinks>", ""),
        ("<//think> <think ", "<//think> <think ", ""),
        ("<think>ünï</think>cödé", "cödé", "ünï"),
    ];

    #[test]
    fn reasoning_is_told_from_words() {
        for (text, said, thought) in CASES {
            assert_eq!(Splitter::whole(text), (said.to_string(), thought.to_string()), "{text:?}");
        }
    }

    #[test]
    fn pieces_change_nothing() {
        let mut cuts = 0;
        for (text, said, thought) in CASES {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for a in &places {
                for b in places.iter().filter(|b| *b >= a) {
                    let mut splitter = Splitter::default();
                    let mut parts: Vec<(Channel, String)> = vec![];
                    for piece in [&text[..*a], &text[*a..*b], &text[*b..]] {
                        parts.extend(splitter.push(piece));
                    }
                    parts.extend(splitter.finish());
                    let of = |channel| -> String {
                        let parts = parts.iter().filter(|(c, _)| *c == channel);
                        parts.map(|(_, t)| t.as_str()).collect()
                    };
                    assert_eq!(
                        (of(Channel::Say), of(Channel::Think)),
                        (said.to_string(), thought.to_string())
                    );
                    cuts += 1;
                }
            }
        }
        println!("{cuts} ways to cut");
    }

    #[test]
    fn words_do_not_wait() {
        let mut splitter = Splitter::default();
        assert_eq!(splitter.push("one two"), [(Channel::Say, "one two".to_owned())]);
        assert_eq!(splitter.push(" a <b"), [(Channel::Say, " a <b".to_owned())]);
        assert_eq!(splitter.push(" <t"), [(Channel::Say, " ".to_owned())]);
        assert_eq!(splitter.push("ea>"), [(Channel::Say, "<tea>".to_owned())]);
    }
}
