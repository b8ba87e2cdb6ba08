//! Bytes of files as text: byte order marks, UTF-16, UTF-8, and Windows-1252 for everything else.

use std::borrow::Cow;

/// Number of bytes that show whether a text without a mark is UTF-16.
const LOOKED_AT: usize = 512;
/// Text of a byte that Windows-1252 does not define, and of half a pair of surrogates.
const REPLACED: char = '\u{fffd}';
/// Characters of the bytes from 0x80 to 0x9f in Windows-1252.
const WINDOWS: [char; 32] = [
    '€', REPLACED, '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', REPLACED, 'Ž', REPLACED,
    REPLACED, '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', REPLACED, 'ž', 'Ÿ',
];

/// A decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// The text, without a byte order mark.
    pub text: String,
    /// Name of the encoding, if it is a guess that a person should know.
    pub guess: Option<&'static str>,
}

/// Decodes the bytes of a file; every sequence of bytes is a text.
pub fn decode(bytes: Vec<u8>) -> DecodedText {
    let wide = |bytes: &[u8], order: fn([u8; 2]) -> u16| {
        let units = bytes.chunks(2).map(|pair| match *pair {
            [a, b] => order([a, b]),
            // half a unit at the end of a file that was cut
            _ => 0xfffd,
        });
        char::decode_utf16(units).map(|unit| unit.unwrap_or(REPLACED)).collect()
    };
    let text = match &*bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => return narrow(rest.to_vec()),
        all if has_zeros(all, 1) => wide(all, u16::from_le_bytes),
        all if has_zeros(all, 0) => wide(all, u16::from_be_bytes),
        _ => return narrow(bytes),
    };
    DecodedText { text, guess: None }
}

fn narrow(bytes: Vec<u8>) -> DecodedText {
    match String::from_utf8(bytes) {
        Ok(text) => DecodedText { text, guess: None },
        Err(e) => {
            let character = |byte: &u8| match byte {
                0x80..=0x9f => WINDOWS[usize::from(byte - 0x80)],
                _ => char::from(*byte),
            };
            let text = e.as_bytes().iter().map(character).collect();
            DecodedText { text, guess: Some("Windows-1252") }
        }
    }
}

/// Returns whether nearly every second byte is zero, from `offset` on: ASCII text in UTF-16.
fn has_zeros(bytes: &[u8], offset: usize) -> bool {
    let looked = &bytes[..bytes.len().min(LOOKED_AT)];
    let zeros = |offset: usize| looked.iter().skip(offset).step_by(2).filter(|b| **b == 0).count();
    looked.len() >= 8 && zeros(offset) * 4 > looked.len() && zeros(1 - offset) == 0
}

/// Replaces escapes of lone surrogates in a JSON text, which some programs write and no parser takes.
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    let mut text = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        at = match surrogate(json, start) {
            // another escape: skip the character behind the backslash too
            None => (start + 2).min(json.len()),
            Some(Half::High) if surrogate(json, start + 6) == Some(Half::Low) => start + 12,
            Some(Half::High | Half::Low) => {
                text.push_str(&json[kept..start]);
                text.push_str("\\ufffd");
                kept = start + 6;
                kept
            }
        };
        at = json.ceil_char_boundary(at);
    }
    if kept == 0 {
        return json.into();
    }
    text.push_str(&json[kept..]);
    text.into()
}

#[derive(PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Returns the half of a pair whose escape begins at an offset.
fn surrogate(json: &str, at: usize) -> Option<Half> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    match u16::from_str_radix(digits, 16).ok()? {
        0xd800..=0xdbff => Some(Half::High),
        0xdc00..=0xdfff => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_in_every_usual_encoding() {
        let text = "[{\"a\": \"Grüße €\"}]";
        let wide =
            |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let marked = |mark: &[u8], bytes: Vec<u8>| [mark, &bytes].concat();
        for bytes in [
            text.as_bytes().to_vec(),
            marked(b"\xef\xbb\xbf", text.as_bytes().to_vec()),
            marked(b"\xff\xfe", wide(u16::to_le_bytes)),
            marked(b"\xfe\xff", wide(u16::to_be_bytes)),
            wide(u16::to_le_bytes),
            wide(u16::to_be_bytes),
        ] {
            assert_eq!(decode(bytes), DecodedText { text: text.into(), guess: None });
        }
        let windows = decode(b"Gr\xfc\xdfe \x80".to_vec());
        assert_eq!((&*windows.text, windows.guess), ("Grüße €", Some("Windows-1252")));
        assert_eq!(decode(b"\xff\xfea\0\x00\xd8".to_vec()).text, "a\u{fffd}");
        assert_eq!(decode(vec![]).text, "");
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_are_kept() {
        for (json, expected) in [
            (r#"["a\ud800b"]"#, r#"["a\ufffdb"]"#),
            (r#"["\udc00\ud800"]"#, r#"["\ufffd\ufffd"]"#),
            (r#"["\ud83d\ude80"]"#, r#"["\ud83d\ude80"]"#),
            (r#"["\\ud800"]"#, r#"["\\ud800"]"#),
            (r#"["\n\u00e9é\"#, r#"["\n\u00e9é\"#),
            (r#"["\ud83"#, r#"["\ud83"#),
            ("", ""),
        ] {
            assert_eq!(without_lone_surrogates(json), expected, "{json}");
        }
    }
}
