//! Escapes JSON so that `cat` of a session cannot act on a terminal.
//!
//! serde_json escapes only the characters that JSON requires and leaves DEL, C1, bidi controls, tags and line
//! separators raw. The text itself is unchanged; the module `text` decides which characters are shown.

use std::borrow::Cow;
use std::fmt::Write;
use unicode_general_category::{GeneralCategory, get_general_category};

/// Returns JSON with every character of the classes Cc, Cf, Zl, Zp and every noncharacter as a `\u` escape.
///
/// Such characters occur only inside JSON strings, so the structure never changes.
pub fn inert(json: &str) -> Cow<'_, str> {
    // most lines are ASCII: one vectorised pass, no table look-up
    if json.bytes().all(|b| b < 0x7f) || !json.chars().any(acts) {
        return Cow::Borrowed(json);
    }
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    for c in json.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("writing to a String cannot fail");
            }
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Appends text as an escaped JSON string.
pub(super) fn push_string(out: &mut String, text: &str) {
    if text.bytes().all(|b| (0x20..0x7f).contains(&b) && b != b'"' && b != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        let json = serde_json::Value::from(text).to_string();
        out.push_str(&inert(&json));
    }
}

fn acts(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    let noncharacter = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe;
    noncharacter
        || matches!(
            get_general_category(c),
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_survives_and_control_characters_are_escaped() {
        let all: Vec<char> = ('\0'..=char::MAX).collect();
        let mut longer = 0;
        for some in all.chunks(4096) {
            let text: String = some.iter().collect();
            let json = serde_json::to_string(&text).unwrap();
            let inert = inert(&json);
            assert_eq!(serde_json::from_str::<String>(&inert).unwrap(), text);
            assert_eq!(inert.chars().find(|c| acts(*c)), None);
            longer += usize::from(inert.len() > json.len());
        }
        println!("{} characters read back", all.len());
        assert!(longer > 5, "DEL, C1, bidi, tags, noncharacters of all planes: {longer}");
    }

    #[test]
    fn real_language_stays_as_it_is() {
        for text in ["Grüße", "שלום", "ไทย", "日本語", "🙂🏽", "naïve \\ \"quoted\""]
        {
            let json = serde_json::to_string(text).unwrap();
            assert!(matches!(inert(&json), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(inert("\"a\u{202e}\u{e0001}\u{7f}\""), r#""a\u202e\udb40\udc01\u007f""#);
    }
}
