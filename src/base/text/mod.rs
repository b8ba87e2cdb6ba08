//! Untrusted text: the only module that decides which characters may reach a terminal, and in which form.
//!
//! Text of a model, a script, a person or a file may contain escape sequences that control a terminal, characters that
//! reorder or hide text, and stacks of accents that spill over their row. Characters with an effect become visible
//! (`␛`, `<U+202E>`); language stays unchanged: Hebrew, Persian, Hindi, Chinese, emoji families, flags, and code about
//! escapes. API keys are removed in every form.
//!
//! Text is not measured, wrapped or coloured here, and raw text is kept only in the log.

mod class;
mod courtesy;
mod encoding;
mod forward;
mod joined;
mod keys;
mod label;
mod likeness;
mod lookalike;
pub mod quotation;
mod repetition;
mod stream;
mod values;
mod whole_words;

pub use courtesy::is_courtesy;
pub use encoding::{
    DecodedText, decode, decode_file, decode_unicode, encoding_note, foreign_kind, join_surrogates,
    wide, without_lone_surrogates,
};
pub use forward::{forwarded, forwarded_value};
pub use joined::joined;
pub use keys::{KeyRedactor, keep_out, without_keys};
pub use label::{label, name};
pub use likeness::{KnownTrigrams, Trigrams, are_alike_by_word, mixed, shared_words};
pub use lookalike::{NameShape, is_invisible, look_alike};
pub use repetition::{closed_at_repetition, echoes, repeats_from};
pub use stream::Stream;
pub use values::{map_strings, strings};
pub use whole_words::{contains_name, replace_name};

use std::borrow::Cow;
use std::fmt::{Display, Write};
use unicode_segmentation::UnicodeSegmentation;

/// Code point of the picture of the first control character.
const PICTURES: u32 = 0x2400;

/// Text that may be shown, and whether it differs from the original.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown<'a> {
    /// The text, safe to show on a terminal.
    pub text: Cow<'a, str>,
    /// True if something was removed or replaced by a visible mark; the screen reports it.
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

/// Returns a number of things as text: `1 vote`, `3 votes`.
pub fn plural(n: impl Display, thing: &str) -> String {
    let n = n.to_string();
    let s = if n == "1" { "" } else { "s" };
    format!("{n} {thing}{s}")
}

/// Returns bytes in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut hex, byte| {
        // writing to a string cannot fail
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Returns whether a text is printable ASCII, as most texts are: one cell per byte, and safe anywhere.
pub fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns text made safe for one line: newlines and tabs become a space. For errors, paths, addresses; use [`name()`]
/// and [`label()`] for names and titles.
pub fn line(raw: &str) -> Cow<'_, str> {
    let one_line = |raw: &str| whole(Stream::line(), raw).text;
    match without_keys(raw) {
        Cow::Borrowed(_) if is_printable(raw) || raw.chars().all(class::is_plain) => raw.into(),
        Cow::Borrowed(_) => one_line(raw),
        Cow::Owned(clean) => one_line(&clean),
    }
}

/// Returns text made safe for one line, in which every control character is a visible sign: newlines too, and colour
/// sequences, which [`line()`] removes. For the arguments of a call that a person allows.
pub fn visible(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '\0'..='\u{1f}' => out.extend(char::from_u32(u32::from(c) + PICTURES)),
            '\u{7f}' => out.push('␡'),
            '\u{80}'..='\u{9f}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("<U+{:04X}>", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    line(&out).into_owned()
}

/// Returns a filter for one message that arrives in pieces: the concatenated result equals [`block`] of the whole.
pub fn streamer() -> Stream {
    Stream::block()
}

/// Formats milliseconds as `m:ss`, or `h:mm:ss` from one hour.
pub fn clock(ms: u64) -> String {
    let s = ms / 1_000 % 60;
    let m = ms / 60_000 % 60;
    let h = ms / 3_600_000;
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

/// Returns the number of words of a text, in any script; ideographs count one each.
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
    fn control_characters_of_a_call_are_visible() {
        let raw = "a\n\tb\r\u{1b}[31mc\u{7f}\u{9b}2J\u{2028}\u{202e}d  e\0";
        assert_eq!(visible(raw), "a␊␉b␍␛[31mc␡<U+009B>2J<U+2028><U+202E>d  e␀");
    }

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
    fn report_mentions_hidden_content() {
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
