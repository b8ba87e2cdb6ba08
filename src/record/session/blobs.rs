//! Long strings are stored outside the log: `{"blob":"SHA-256","bytes":N}` in the line, the text in a file of that
//! name.
//!
//! Works on JSON text alone, so that numbers keep their exact digits; the caller handles the files. An object of a
//! reply that looks like such a reference is written with `bytes` first: the same JSON, but never taken for a
//! reference.

use crate::text::hex;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A string stored outside the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Blob {
    /// File name: SHA-256 of the text in lower-case hex.
    pub name: String,
    pub text: String,
}

/// Reference to a blob in a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reference<'a> {
    /// SHA-256 in lower-case hex.
    pub name: &'a str,
    /// Length of the text in UTF-8 bytes.
    pub bytes: u64,
}

const OPEN: &str = r#"{"blob":"#;

/// Returns whether JSON may contain a reference. Fast; `false` is always right.
///
/// Quotes are escaped inside strings, so a match is always the beginning of an object.
pub(super) fn mentioned(json: &str) -> bool {
    json.contains(OPEN)
}

/// Returns SHA-256 in lower-case hex.
pub(super) fn name_of(text: &[u8]) -> String {
    hex(&Sha256::digest(text))
}

/// Replaces every string value of more than `over` bytes by a reference; returns compact JSON and the blobs.
pub(super) fn take_out(json: &str, over: usize) -> (String, Vec<Blob>) {
    let mut out = String::with_capacity(json.len().min(over));
    let mut blobs = Vec::new();
    let mut rest = json;
    while let Some((before, from_quote)) = rest.find('"').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let (token, after) =
            from_quote.split_at_checked(token_len(from_quote)).unwrap_or((from_quote, ""));
        rest = after;
        if token == r#""blob""#
            && out.ends_with('{')
            && let Some((literal, after)) = reference(after)
        {
            write!(out, r#""bytes":{},"blob":"{}""#, literal.bytes, literal.name)
                .expect("writing to a String cannot fail");
            rest = after;
            continue;
        }
        let is_key = after.starts_with(':');
        match serde_json::from_str::<String>(token) {
            Ok(text) if !is_key && text.len() > over => {
                let name = name_of(text.as_bytes());
                write!(out, r#"{OPEN}"{name}","bytes":{}}}"#, text.len())
                    .expect("writing to a String cannot fail");
                blobs.push(Blob { name, text });
            }
            Ok(_) | Err(_) => out.push_str(token),
        }
    }
    out.push_str(rest);
    (out, blobs)
}

/// Replaces every reference by the string that `read` returns for it.
pub(super) fn put_back(json: &str, read: &mut dyn FnMut(&Reference) -> String) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, after)) = rest.split_once(OPEN) {
        out.push_str(before);
        // `reference` begins at the colon and stops before the closing brace
        let from_colon = rest.get(before.len() + OPEN.len() - 1..).unwrap_or("");
        match reference(from_colon) {
            Some((found, after)) => {
                out.push_str(&serde_json::Value::from(read(&found)).to_string());
                rest = after.strip_prefix('}').unwrap_or(after);
            }
            None => {
                out.push_str(OPEN);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Parses `:"SHA","bytes":N` before a `}`; returns it and the rest from the brace on.
fn reference(after_key: &str) -> Option<(Reference<'_>, &str)> {
    let (name, rest) = after_key.strip_prefix(":\"")?.split_at_checked(64)?;
    let rest = rest.strip_prefix(r#"","bytes":"#)?;
    let (digits, rest) = rest.split_at_checked(rest.find('}')?)?;
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    let bytes = digits.parse().ok()?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    name.bytes().all(hex).then_some((Reference { name, bytes }, rest))
}

/// Returns the length of the JSON string at the beginning of `json`, with its quotes.
fn token_len(json: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in json.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_go_out_and_come_back() {
        let long = "Grüße \"und\" \\ \u{1}".repeat(10);
        let json =
            serde_json::json!({"a": long, "b": ["short", long, 1.10], "key": {long.clone(): 1}});
        let json = json.to_string();
        let (line, blobs) = take_out(&json, 100);
        assert_eq!(blobs.len(), 2, "a key stays where it is");
        assert!(mentioned(&line) && !mentioned(&json));
        assert_eq!(blobs[0].name, name_of(long.as_bytes()));
        let back = put_back(&line, &mut |r| {
            assert_eq!(r.bytes, long.len() as u64);
            blobs.iter().find(|b| b.name == r.name).unwrap().text.clone()
        });
        assert_eq!(back, json);
    }

    #[test]
    fn an_object_that_looks_like_a_reference_is_none() {
        let json = format!(
            r#"{{"structured":{{"blob":"{}","bytes":7}},"x":"{{\"blob\":\""}}"#,
            "a".repeat(64)
        );
        let (line, blobs) = take_out(&json, 100);
        assert!(blobs.is_empty());
        assert_eq!(put_back(&line, &mut |_| unreachable!("no reference")), line);
        let value = |s: &str| serde_json::from_str::<serde_json::Value>(s).unwrap();
        assert_eq!(value(&line), value(&json));
    }
}
