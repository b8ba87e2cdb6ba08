//! Untrusted text: the only place that decides which characters may reach a terminal, and in which form.
//!
//! Whatever a model, a script, a person or a file says may hold escape sequences that drive a terminal, characters
//! that reorder or hide what is read, and heaps of accents that spill over their row. Everything that acts becomes
//! visible (`␛`, `<U+202E>`); everything that is language stays as it is: Hebrew, Persian, Hindi, Chinese, emoji
//! families, flags, and code that merely talks about escapes. Keys of providers go, in every form.
//!
//! It deliberately does not measure, wrap or colour text, and it keeps no raw text: the log does that.

mod class;
mod courtesy;
mod file_name;
mod forward;
mod keys;
mod label;
mod likeness;
mod lookalike;
mod stream;

pub use courtesy::is_courtesy;
pub use file_name::file_name;
pub use forward::forwarded;
pub use keys::{KeyRedactor, keep_out, without_keys};
pub use label::{label, name};
pub use likeness::{KnownTrigrams, Trigrams, are_alike_by_word, mixed, shared_words};
pub use lookalike::{is_invisible, look_alike};
pub use stream::Stream;

use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;

/// Text that may be shown, and whether it differs from what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The text, safe to show on a terminal.
    pub text: Cow<'a, str>,
    /// Whether something was removed or replaced by a visible mark; the screen says so.
    pub hidden: bool,
}

/// Returns text of several lines made safe, and whether something was hidden in it.
pub fn shown(raw: &str) -> Shown<'_> {
    match without_keys(raw) {
        Cow::Borrowed(_) => harmless(raw),
        Cow::Owned(clean) => {
            Shown { text: harmless(&clean).text.into_owned().into(), hidden: true }
        }
    }
}

fn harmless(raw: &str) -> Shown<'_> {
    let plain = |c| class::is_plain(c) || matches!(c, '\n' | '\t');
    if is_printable(raw) || raw.chars().all(plain) {
        return Shown { text: raw.into(), hidden: false };
    }
    whole(Stream::block(), raw)
}

/// Returns text of several lines made safe: newlines and tabs stay.
pub fn block(raw: &str) -> Cow<'_, str> {
    shown(raw).text
}

/// Returns whether a text is printable ASCII, as most texts are: one cell a byte, and safe anywhere.
pub fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns text made safe for one line: newlines and tabs become a space. For errors, paths, addresses; names
/// and titles have [`name()`] and [`label()`].
pub fn line(raw: &str) -> Cow<'_, str> {
    let one_line = |raw: &str| whole(Stream::line(), raw).text;
    match without_keys(raw) {
        Cow::Borrowed(_) if is_printable(raw) || raw.chars().all(class::is_plain) => raw.into(),
        Cow::Borrowed(_) => one_line(raw),
        Cow::Owned(clean) => one_line(&clean),
    }
}

/// Returns a filter for one message that arrives in pieces: together they give what [`block`] gives for the whole.
pub fn streamer() -> Stream {
    Stream::block()
}

/// Returns how many words a text has, in any script; ideographs count one each.
pub fn word_count(text: &str) -> u32 {
    u32::try_from(text.unicode_words().count()).unwrap_or(u32::MAX)
}

fn whole(mut stream: Stream, raw: &str) -> Shown<'static> {
    let mut text = stream.push(raw);
    text.push_str(&stream.finish());
    Shown { text: text.into(), hidden: stream.hidden() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for raw in ["", "Hello, world", "two\nlines\tand a tab", "Füße, Привет, 漢字, かな, 한국어"]
        {
            assert!(matches!(shown(raw), Shown { text: Cow::Borrowed(_), hidden: false }), "{raw}");
        }
        assert!(matches!(line("one line"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_line_has_no_breaks() {
        assert_eq!(line("a\nb\r\nc\td\u{2028}e"), "a b c d e");
        assert_eq!(line("a\rb\x1b[2Kc"), "a␍b␛[2Kc");
    }

    #[test]
    fn a_reader_is_told_what_was_hidden() {
        assert!(shown("a\u{202e}b").hidden);
        assert!(shown("\x1b[31mred\x1b[0m").hidden);
        assert!(!shown("می‌خواهم\r\n👩‍👩‍👧").hidden);
    }

    #[test]
    fn words_are_counted_in_any_script() {
        for (text, words) in
            [("", 0), ("don't stop", 2), ("a, b - c!", 3), ("漢字", 2), ("Ça va ?", 2)]
        {
            assert_eq!(word_count(text), words, "{text}");
        }
    }
}
