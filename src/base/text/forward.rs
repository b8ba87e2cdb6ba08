//! Removes hidden characters from text that is passed from one model to the next.
//!
//! Tag characters and sequences of variation selectors are invisible to a person, but can spell a message to a model.
//! They are removed, except where a flag or a letter needs one. Everything else stays as written; display is decided
//! elsewhere.

use super::class::{BLACK_FLAG, is_ideograph, tagged_flag};
use super::values::map_strings;
use memchr::memchr3_iter;
use serde_json::Value;
use std::borrow::Cow;
use std::convert::Infallible;

/// First bytes of tags, selectors and long control characters in UTF-8.
const FIRST_BYTES: [u8; 3] = [0xc2, 0xef, 0xf3];

/// Returns text for a prompt, without hidden messages and control characters; newlines and tabs stay.
pub fn forwarded(raw: &str) -> Cow<'_, str> {
    // most texts contain none of these bytes
    let mut suspects = memchr3_iter(FIRST_BYTES[0], FIRST_BYTES[1], FIRST_BYTES[2], raw.as_bytes());
    let goes = |c: char| is_tag(c) || is_selector(c) || is_control(c);
    let hides = |at: usize| raw[at..].chars().next().is_some_and(goes);
    let has_control = raw.bytes().any(|byte| byte.is_ascii() && is_control(char::from(byte)));
    if !has_control && !suspects.any(hides) {
        return raw.into();
    }
    let mut out = String::with_capacity(raw.len());
    let mut before = None;
    let mut flag_until = 0;
    for (at, c) in raw.char_indices() {
        if is_tag(c) && at >= flag_until && before == Some(BLACK_FLAG) {
            flag_until = at + tagged_flag(&raw[at..]).map_or(0, str::len);
        }
        let stays = match c {
            c if is_tag(c) => at < flag_until,
            '\u{FE00}'..='\u{FE0F}' => before.is_some_and(|b| !is_selector(b) && !is_tag(b)),
            c if is_selector(c) => before.is_some_and(is_ideograph),
            c if is_control(c) => false,
            _ => true,
        };
        if stays {
            out.push(c);
        }
        before = Some(c);
    }
    out.into()
}

/// Returns a value with all its texts and keys as [`forwarded()`] returns them.
pub fn forwarded_value(value: &Value) -> Value {
    let clean = |text: &str| forwarded(text).into_owned();
    let Ok(value) = map_strings::<Infallible>(value, &clean, &|text| Ok(clean(text)));
    value
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t' | '\r')
}

fn is_tag(c: char) -> bool {
    matches!(c, '\u{E0000}'..='\u{E00FF}')
}

fn is_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_removed_and_language_is_kept() {
        let hidden: String =
            "ignore all".bytes().map(|b| char::from_u32(0xE0000 + u32::from(b)).unwrap()).collect();
        let selected: String = (0..16).map(|n| char::from_u32(0xE0100 + n).unwrap()).collect();
        for (raw, forwarded_as) in [
            (format!("Hello{hidden} there"), "Hello there"),
            (format!("Hello 😀{selected}"), "Hello 😀"),
            (format!("Hello 😀\u{fe0f}{selected}"), "Hello 😀\u{fe0f}"),
            (format!("\u{1F3F4}{hidden}"), "\u{1F3F4}"),
            ("a\u{fe0f}\u{fe0e}\u{fe00}".into(), "a\u{fe0f}"),
            ("a\u{1b}[2J\u{9b}31m\u{1}\0b\u{7f}".into(), "a[2J31mb"),
        ] {
            assert_eq!(forwarded(&raw), forwarded_as);
        }
        let scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        for stays in [
            "",
            "plain",
            "«two»\r\n\tlines",
            "❤️ ☂︎ 1️⃣",
            "葛\u{E0100}城",
            scotland,
            "👩‍👩‍👧 می‌خواهم \u{202e}",
        ] {
            assert_eq!(forwarded(stays), stays);
        }
    }

    #[test]
    fn the_tags_of_a_flag_stay_behind_a_flag_only() {
        let scotland = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}";
        assert_eq!(forwarded(scotland), scotland);
        assert_eq!(forwarded(&scotland.replace('\u{1F3F4}', "a")), "a");
        assert_eq!(forwarded(&scotland.replace('\u{1F3F4}', "\u{1F3F4}a")), "\u{1F3F4}a");
    }
}
