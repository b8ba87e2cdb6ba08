//! Separates reasoning from the text of a reply while it streams, and ends the reply at a token of the chat format.
//!
//! Some models have a field for reasoning, many write it into the reply; the other participants must not see it. The
//! result does not depend on how the stream is split into pieces. Marks in code or in quotes are plain text. Blanks and
//! case inside a mark do not matter.

use super::lines::CodeState;
use super::words::{Marks, marks};
use crate::model::Channel;

/// Maximum length of a mark, in bytes; an incomplete one waits for the next piece.
const MARK_MAX_BYTES: usize = 64;
/// Characters that mark a following mark as quoted.
const QUOTES: [char; 6] = ['`', '"', '\'', '“', '‘', '\\'];

/// Meaning of a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Opens,
    Closes,
    Header,
    Ends,
}

/// Result of comparing the beginning of a text with all marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    No,
    /// It may become a mark with more text.
    Maybe,
    /// A mark of this length, in bytes.
    Yes(usize, Mark),
}

/// Separates reasoning from speech in a stream of pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct Splitter {
    /// Text that may be the beginning of a mark.
    held: String,
    thinking: bool,
    /// All reasoning of an open mark.
    open: String,
    /// True at the beginning of a part, whose leading white space is dropped.
    fresh: bool,
    /// Last character of the speech.
    last: Option<char>,
    /// True once there was speech other than blanks.
    spoke: bool,
    /// Code in the speech.
    code: CodeState,
    /// An end token and the blanks after it, until the next character shows whether the sentence goes on.
    ending: String,
    /// True once an end token ended the reply.
    ended: bool,
}

impl Splitter {
    /// Adds a piece and returns the parts that are now certain, in order.
    pub(super) fn push(&mut self, piece: &str) -> Vec<(Channel, String)> {
        let mut out = vec![];
        self.held.push_str(piece);
        self.read(&mut out, false);
        out
    }

    /// Returns the text that was held back, at the end of the stream.
    pub(super) fn finish(&mut self) -> Vec<(Channel, String)> {
        let mut out = vec![];
        self.read(&mut out, true);
        out
    }

    /// Returns the reasoning of a mark that never closed, if the reply has no speech: it is the reply.
    pub(super) fn unclosed(&mut self) -> Option<String> {
        let only = self.thinking && !self.spoke;
        let open = std::mem::take(&mut self.open);
        (only && !open.trim().is_empty()).then_some(open)
    }

    /// Separates a whole text into speech and reasoning. Text before a closing mark without its opening was reasoning;
    /// reasoning without a closing mark is the speech, if there is no other.
    pub(super) fn whole(text: &str) -> (String, String) {
        // most texts have no mark
        if !text.contains(['<', '[', '◁']) {
            return (text.to_owned(), String::new());
        }
        let mut splitter = Splitter::default();
        let parts = splitter.push(text).into_iter().chain(splitter.finish()).collect::<Vec<_>>();
        let of = |channel| -> String {
            parts.iter().filter(|(c, _)| *c == channel).map(|(_, part)| part.as_str()).collect()
        };
        let (said, thought) = (of(Channel::Say), of(Channel::Think));
        if let Some((before, after)) = at_closing(&said) {
            return (after.to_owned(), thought + before);
        }
        match splitter.unclosed() {
            Some(open) => (open, String::new()),
            None => (said, thought),
        }
    }

    fn read(&mut self, out: &mut Vec<(Channel, String)>, last: bool) {
        let text = std::mem::take(&mut self.held);
        let mut rest = text.as_str();
        while let Some(c) = rest.chars().next() {
            if self.ended {
                return;
            }
            if !self.ending.is_empty() && !self.goes_on(c, out) {
                rest = &rest[c.len_utf8()..];
                continue;
            }
            let compared = if matches!(c, '<' | '[' | '◁') {
                compared(rest, self.last.is_none())
            } else {
                Compared::No
            };
            let compared = match compared {
                Compared::Maybe if !last => {
                    rest.clone_into(&mut self.held);
                    return;
                }
                Compared::Maybe => longest(rest, self.last.is_none()),
                found => found,
            };
            match compared {
                Compared::Yes(length, mark)
                    if self.is_meant() && self.take(mark, &rest[..length]) =>
                {
                    rest = &rest[length..];
                }
                _ => {
                    self.show(c, out);
                    rest = &rest[c.len_utf8()..];
                }
            }
        }
    }

    /// Carries out a mark; returns false if it is plain text here.
    fn take(&mut self, mark: Mark, text: &str) -> bool {
        match (mark, self.thinking) {
            (Mark::Opens, false) => {
                self.thinking = true;
                self.open.clear();
            }
            (Mark::Closes, true) => self.thinking = false,
            // a channel may begin with the speech
            (Mark::Closes, false) if text.starts_with("<|") && text.contains("channel") => {}
            (Mark::Header, _) | (Mark::Ends, true) => {}
            (Mark::Ends, false) if self.last.is_none() => {}
            (Mark::Ends, false) => {
                text.clone_into(&mut self.ending);
                return true;
            }
            (Mark::Opens, true) | (Mark::Closes, false) => return false,
        }
        self.fresh = true;
        true
    }

    /// Returns whether a character after an end token is to be read: the sentence goes on around the token. Blanks wait.
    fn goes_on(&mut self, c: char, out: &mut Vec<(Channel, String)>) -> bool {
        if c == ' ' {
            self.ending.push(c);
            return false;
        }
        let inside = self.last.is_some_and(|c| c == ' ' || c.is_alphanumeric() || c == ',');
        if !inside || !c.is_lowercase() {
            self.ended = true;
            return false;
        }
        for c in std::mem::take(&mut self.ending).chars() {
            self.show(c, out);
        }
        true
    }

    /// Returns whether a mark here is a real one, not code or a quotation.
    fn is_meant(&self) -> bool {
        let quoted = self.last.is_some_and(|c| QUOTES.contains(&c));
        self.thinking || !(quoted || self.code.is_open())
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
        if self.thinking {
            self.open.push(c);
        } else {
            self.last = Some(c);
            self.spoke |= !c.is_whitespace();
            self.code.push(c);
        }
    }
}

/// Splits speech at a closing mark whose opening is part of the model's own chat format.
fn at_closing(said: &str) -> Option<(&str, &str)> {
    let begins = said.char_indices().filter(|(_, c)| matches!(c, '<' | '[' | '◁'));
    begins.into_iter().find_map(|(at, _)| match longest(&said[at..], false) {
        Compared::Yes(length, Mark::Closes) => {
            let before = &said[..at];
            let in_code = before.matches('`').count() % 2 == 1 || before.ends_with(QUOTES);
            (!in_code).then(|| (before, said[at + length..].trim_start()))
        }
        _ => None,
    })
}

/// Compares the beginning of a text with all marks; a longer mark that is still possible waits.
fn compared(text: &str, first: bool) -> Compared {
    let near = text.char_indices().take_while(|(at, _)| *at <= MARK_MAX_BYTES);
    let near = near.filter(|(_, c)| *c != ' ');
    let ends: Vec<(char, usize)> =
        near.flat_map(|(at, c)| c.to_lowercase().map(move |l| (l, at + c.len_utf8()))).collect();
    let given: String = ends.iter().map(|(c, _)| c).collect();
    let Marks { reasoning, headers, first_headers, ends: tokens, .. } = marks();
    let pairs =
        reasoning.iter().flat_map(|(open, close)| [(open, Mark::Opens), (close, Mark::Closes)]);
    let first_headers = if first { &first_headers[..] } else { &[] };
    let headers = headers.iter().chain(first_headers).map(|mark| (mark, Mark::Header));
    let all = pairs.chain(headers).chain(tokens.iter().map(|mark| (mark, Mark::Ends)));
    let mut found = token(&given);
    for (mark, kind) in all {
        let length = mark.chars().count();
        if mark.len() > given.len() && mark.starts_with(&given) {
            return Compared::Maybe;
        }
        if given.starts_with(mark.as_str()) && !matches!(found, Compared::Yes(n, _) if n > length) {
            found = Compared::Yes(length, kind);
        }
    }
    match found {
        Compared::Yes(length, mark) => {
            let end = length.checked_sub(1).and_then(|last| ends.get(last));
            end.map_or(Compared::No, |(_, end)| Compared::Yes(*end, mark))
        }
        found => found,
    }
}

/// Compares the beginning of a text with a token such as `<|word|>`; its length is in characters.
fn token(given: &str) -> Compared {
    let Some(inside) = given.strip_prefix("<|").or_else(|| given.strip_prefix("<｜")) else {
        return if given == "<" { Compared::Maybe } else { Compared::No };
    };
    let is_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '-' | '▁');
    let length = inside.chars().take_while(is_name).count();
    let mut behind = inside.chars().skip(length);
    match (behind.next(), behind.next()) {
        (None, _) | (Some('|' | '｜'), None) => Compared::Maybe,
        (Some('|' | '｜'), Some('>')) if length > 0 => Compared::Yes(length + 4, Mark::Ends),
        _ => Compared::No,
    }
}

/// Returns the longest mark at the beginning of a text that ends here.
fn longest(text: &str, first: bool) -> Compared {
    match compared(&format!("{}\n", &text[..text.floor_char_boundary(MARK_MAX_BYTES)]), first) {
        Compared::Maybe => Compared::No,
        found => found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASES: &[(&str, &str, &str)] = &[
        ("Hello.", "Hello.", ""),
        ("<think>Hm.</think>Hello.", "Hello.", "Hm."),
        ("<think>\nHm.\n</think>\n\nHello.", "Hello.", "Hm.\n"),
        ("  <THINK>a</Think> b", "  b", "a"),
        ("< Think >a</ think >b", "b", "a"),
        ("◁think▷a◁/think▷b", "b", "a"),
        ("[THINK]a[/THINK]b", "b", "a"),
        ("b</s>", "b", ""),
        ("The token </s> ends a reply.", "The token </s> ends a reply.", ""),
        ("b<|im_end|>\n<|im_start|>user\nc", "b", ""),
        ("<|im_start|>assistant\nb", "b", ""),
        ("A list [1] of <b>marks</b>.", "A list [1] of <b>marks</b>.", ""),
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
    fn marks_without_their_other_half_are_read_at_the_end() {
        let speech = |text: &str| Splitter::whole(text);
        assert_eq!(speech("<think>never ends"), ("never ends".to_owned(), String::new()));
        assert_eq!(speech("a\n</think>\nb"), ("b".to_owned(), "a\n".to_owned()));
        let mut splitter = Splitter::default();
        splitter.push("b <think>c");
        assert_eq!(splitter.unclosed(), None, "there is speech");
    }

    #[test]
    fn words_do_not_wait() {
        let mut splitter = Splitter::default();
        assert_eq!(splitter.push("one two"), [(Channel::Say, "one two".to_owned())]);
        assert_eq!(splitter.push(" a <x"), [(Channel::Say, " a <x".to_owned())]);
        assert_eq!(splitter.push(" <t"), [(Channel::Say, " ".to_owned())]);
        assert_eq!(splitter.push("ea>"), [(Channel::Say, "<tea>".to_owned())]);
    }
}
