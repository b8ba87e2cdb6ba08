//! Bytes from elsewhere as text: byte order marks, UTF-16, UTF-8, and Windows-1252 for everything else.
//!
//! Every other module decodes with these functions. Formats of their own, such as frames of a wire, are UTF-8 by
//! definition and do not come here.

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use std::borrow::Cow;
use std::io::{self, ErrorKind};

/// Number of bytes that show whether a text without a mark is UTF-16.
const LOOKED_AT: usize = 512;
/// First bytes of files that are not text, and the names of their kinds.
const KINDS: [(&[u8], &str); 8] = [
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"PK\x03\x04", "a zip archive or an Excel file"),
    (b"SQLite format 3", "a database of SQLite"),
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG\r\n\x1a\n", "a picture"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodedText {
    /// The text, without a byte order mark.
    pub text: String,
    /// Name of the encoding, if it is a guess that a person should know.
    pub guess: Option<&'static str>,
}

/// Returns the note for a person about a guessed encoding.
pub fn encoding_note(file: &str, guess: Option<&'static str>) -> Option<String> {
    guess.map(|guess| format!("{file} is not in Unicode: read as {guess}"))
}

/// Decodes bytes from elsewhere; every sequence of bytes is a text.
pub fn decode(bytes: Vec<u8>) -> DecodedText {
    if let Some(encoding) = wide(&bytes) {
        let (text, _) = encoding.decode_with_bom_removal(&bytes);
        return DecodedText { text: text.into_owned(), guess: None };
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
    match String::from_utf8(bytes) {
        Ok(text) => DecodedText { text, guess: None },
        Err(e) => {
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(e.as_bytes());
            DecodedText { text: text.into_owned(), guess: Some("Windows-1252") }
        }
    }
}

/// Decodes the bytes of a file from elsewhere.
///
/// # Errors
/// [`ErrorKind::InvalidData`] with the kind of a file that is not text.
pub fn decode_file(bytes: Vec<u8>) -> io::Result<DecodedText> {
    let kind = foreign_kind(&bytes);
    let decoded = decode(bytes);
    let is_binary = decoded.guess.is_some() && decoded.text.contains('\0');
    match kind.or(is_binary.then_some("not text")) {
        Some(kind) => Err(io::Error::new(ErrorKind::InvalidData, format!("it is {kind}"))),
        None => Ok(decoded),
    }
}

/// Decodes the bytes of a file that has to be in Unicode, as TOML has to.
///
/// # Errors
/// [`ErrorKind::InvalidData`] with the first line that is not.
pub fn decode_unicode(bytes: Vec<u8>) -> io::Result<String> {
    let valid = str::from_utf8(&bytes).map_or_else(|e| e.valid_up_to(), |_| bytes.len());
    let line = 1 + bytes.iter().take(valid).filter(|byte| **byte == b'\n').count();
    let decoded = decode(bytes);
    match decoded.guess {
        None => Ok(decoded.text),
        Some(_) => Err(io::Error::new(ErrorKind::InvalidData, format!("line {line}: not UTF-8"))),
    }
}

/// Returns the kind of a file that is not text, by its first bytes.
pub fn foreign_kind(head: &[u8]) -> Option<&'static str> {
    KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, kind)| *kind)
}

/// Returns the encoding of text in units of two bytes, by its mark or its zeros; `None` for other text.
pub fn wide(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xff, 0xfe, ..] => Some(UTF_16LE),
        [0xfe, 0xff, ..] => Some(UTF_16BE),
        all if has_zeros(all, 1) => Some(UTF_16LE),
        all if has_zeros(all, 0) => Some(UTF_16BE),
        _ => None,
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
    replace_surrogates(json, None)
}

/// Replaces escapes of lone surrogates in a JSON text that is a part of a longer one. The half of a character at the end
/// of a string waits in `half` for the next part.
pub fn join_surrogates<'a>(json: &'a str, half: &mut String) -> Cow<'a, str> {
    replace_surrogates(json, Some(half))
}

fn replace_surrogates<'a>(json: &'a str, mut waiting: Option<&mut String>) -> Cow<'a, str> {
    let mut text = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        at = match surrogate(json, start) {
            // another escape: skip the character behind the backslash too
            None => (start + 2).min(json.len()),
            Some(Half::High) if surrogate(json, start + 6) == Some(Half::Low) => start + 12,
            Some(lone) => {
                text.push_str(&json[kept..start]);
                kept = start + 6;
                let escape = &json[start..kept];
                match waiting.as_deref_mut() {
                    Some(half) if lone == Half::Low && !half.is_empty() => {
                        text.push_str(half);
                        text.push_str(escape);
                        half.clear();
                    }
                    Some(half) if lone == Half::High && json[kept..].starts_with('"') => {
                        escape.clone_into(half);
                    }
                    Some(_) | None => text.push_str("\\ufffd"),
                }
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
        assert_eq!(
            decode_unicode(text.encode_utf16().flat_map(u16::to_le_bytes).collect()).unwrap(),
            text
        );
        let refused = decode_unicode(b"title = 1\n\xff".to_vec()).unwrap_err();
        assert_eq!(refused.to_string(), "line 2: not UTF-8");
    }

    #[test]
    fn files_that_are_not_text_are_rejected_by_their_kind() {
        for (bytes, kind) in [
            (&b"PK\x03\x04\x14\0"[..], "it is a zip archive or an Excel file"),
            (b"SQLite format 3\0", "it is a database of SQLite"),
            (b"\x7fELF\x02\0\xff\xff\x90", "it is not text"),
        ] {
            assert_eq!(decode_file(bytes.to_vec()).unwrap_err().to_string(), kind);
        }
        assert!(decode_file(b"caf\xe9".to_vec()).is_ok_and(|read| read.text == "café"));
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
