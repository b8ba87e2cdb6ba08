//! JSON in a reply: below, above and around text; strict first, then loosely.

use super::letters::Letters;
use super::lines::{QUOTES, lines, without_tags};
use super::words::words;
use serde_json::{Deserializer, Value};

/// Maximum number of bytes of a reply that are searched for JSON.
const JSON_MAX: usize = 1 << 20;
/// Maximum number of positions at which JSON is tried.
const TRIES: usize = 64;

/// Brackets that open an object or a list; the wide one counts only outside of strings.
const OPENING: [char; 3] = ['{', '[', '｛'];

/// JSON values of a reply, the last one first.
#[derive(Debug, Default)]
pub(super) struct FoundJson {
    /// The values.
    pub(super) values: Vec<Value>,
    /// True if none of them is strict JSON.
    pub(super) loose: bool,
    /// True if an object or a list begins and does not end.
    pub(super) cut: bool,
}

/// Places at which JSON counts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonPlace {
    /// At the beginning of a line: behind marks, tags, or words that end in a colon.
    Line,
    /// Also behind a sentence, or anywhere if there is nothing: the reply was asked for as JSON.
    Anywhere,
}

/// Returns the objects of a reply, starting with the one that came as data.
pub(super) fn objects(said: &str, data: &Value, place: JsonPlace) -> Vec<Value> {
    let given = data.is_object().then(|| data.clone());
    given
        .into_iter()
        .chain(found(said, place).values.into_iter().filter(Value::is_object))
        .collect()
}

/// Returns the outermost objects and lists of a reply.
pub(super) fn found(said: &str, place: JsonPlace) -> FoundJson {
    let said = &said[..said.floor_char_boundary(JSON_MAX)];
    let begins = begins(said, place);
    let mut found = read_at(said, &begins, strict);
    if !found.values.iter().any(Value::is_object) {
        let loosely = read_at(said, &begins, loose);
        if loosely.values.iter().any(Value::is_object) {
            return FoundJson { loose: true, ..loosely };
        }
        if place == JsonPlace::Anywhere && found.values.is_empty() {
            let all: Vec<usize> = said.match_indices(['{', '[']).map(|(at, _)| at).collect();
            let anywhere = read_at(said, &all, strict);
            let is_settled = anywhere.values.len() < 2 || !is_undecided(said);
            found.values = if is_settled { anywhere.values } else { vec![] };
        }
    }
    found
}

/// Returns the text under one of some keys in an object that is cut later: only a value that is closed counts.
pub(super) fn cut_value(said: &str, keys: &[&str]) -> Option<String> {
    let mut begins = begins(said, JsonPlace::Line).into_iter().take(TRIES);
    let object = begins.find_map(|at| said.get(at..).filter(|text| is_cut(text)))?;
    let value = |key: &&str| {
        let (_, behind) = object.split_once(&format!("\"{key}\""))?;
        let value = behind.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
        serde_json::from_str(&quoted(value, '"')?.0).ok()
    };
    keys.iter().find_map(value)
}

/// Returns the byte offsets of brackets that begin their lines.
fn begins(said: &str, place: JsonPlace) -> Vec<usize> {
    let mut all = vec![];
    for line in lines(said) {
        let text = line.text;
        if text.trim_start().starts_with('>') {
            continue;
        }
        if let Some(at) = text.find(OPENING)
            && leads(&text[..at], place)
        {
            all.push(line.at + at);
        }
    }
    all
}

/// Returns whether JSON counts behind a text on its line.
fn leads(before: &str, place: JsonPlace) -> bool {
    let before = without_tags(before);
    let before = before.trim_end_matches(['*', '_', ' ', '\t', '"', '(']);
    let sentence = place == JsonPlace::Anywhere && before.ends_with(['!', '.']);
    let sign = before.ends_with([':', '：', '→']) || before.ends_with("->");
    sign || sentence || !before.contains(char::is_alphanumeric)
}

/// Returns whether a text leaves open which of its values counts.
fn is_undecided(said: &str) -> bool {
    Letters::new(said).find(&words().undecided).is_some()
}

fn read_at(said: &str, begins: &[usize], read: fn(&str) -> Option<(Value, usize)>) -> FoundJson {
    let mut found = FoundJson::default();
    let mut end = 0;
    for at in begins.iter().take(TRIES) {
        let mut next = Some(*at).filter(|at| *at >= end);
        while let Some(at) = next.take() {
            let Some((value, length)) = read(&said[at..]) else {
                found.cut |= is_cut(&said[at..]);
                break;
            };
            found.values.push(value);
            end = at + length;
            // another value on the same line
            let rest = said[end..].lines().next().unwrap_or_default();
            let behind = rest.find(OPENING).filter(|n| leads(&rest[..*n], JsonPlace::Line));
            next = behind.map(|n| end + n);
        }
    }
    found.values.reverse();
    found
}

/// Returns whether the brackets of a text never close.
fn is_cut(text: &str) -> bool {
    let mut depth = 0_i64;
    for c in text.chars() {
        depth += match c {
            '{' | '[' | '｛' => 1,
            '}' | ']' | '｝' => -1,
            _ => 0,
        };
        if depth == 0 {
            return false;
        }
    }
    true
}

fn strict(text: &str) -> Option<(Value, usize)> {
    let mut stream = Deserializer::from_str(text).into_iter::<Value>();
    let value = stream.next()?.ok()?;
    Some((value, stream.byte_offset()))
}

/// Parses JSON as models write it: single or typographic quotes, bare keys, trailing commas, comments, `True`, `None`.
fn loose(text: &str) -> Option<(Value, usize)> {
    let mut strict = String::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text.get(at..)?.chars().next() {
        let rest = text.get(at..)?;
        let mut length = c.len_utf8();
        match c {
            '{' | '[' | '｛' => {
                depth += 1;
                strict.push(if c == '｛' { '{' } else { c });
            }
            '}' | ']' | '｝' => {
                depth = depth.checked_sub(1)?;
                strict.truncate(strict.trim_end_matches([' ', ',']).len());
                strict.push(if c == '｝' { '}' } else { c });
            }
            ',' | '，' => strict.push(','),
            ':' | '：' => strict.push(':'),
            '/' if rest.starts_with("//") => length = rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => length = rest.find("*/")? + 2,
            c if c.is_whitespace() => strict.push(' '),
            c => {
                let (token, of) = match closing(c) {
                    Some(close) => quoted(rest.get(length..)?, close)?,
                    None => bare(rest)?,
                };
                length = if closing(c).is_some() { length + of } else { of };
                strict.push_str(&token);
            }
        }
        at += length;
        if depth == 0 {
            return Some((serde_json::from_str(&strict).ok()?, at));
        }
    }
    None
}

/// Returns a string behind its opening mark as strict JSON, and its length with the closing mark.
fn quoted(text: &str, close: char) -> Option<(String, usize)> {
    let mut out = String::from("\"");
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            _ if c == close => return Some((out + "\"", at + c.len_utf8())),
            '\\' => match chars.next()?.1 {
                '\'' => out.push('\''),
                escaped => out.extend(['\\', escaped]),
            },
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    None
}

/// Returns a key or a value without quotation marks as strict JSON, and its length.
fn bare(text: &str) -> Option<(String, usize)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '+' | '.');
    let length = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let (word, behind) = text.split_at_checked(length).filter(|(word, _)| !word.is_empty())?;
    let strict = match word {
        word if behind.trim_start().starts_with([':', '：']) => Value::from(word).to_string(),
        "True" => "true".to_owned(),
        "False" => "false".to_owned(),
        "None" => "null".to_owned(),
        word => word.to_owned(),
    };
    Some((strict, length))
}

/// Returns the quotation mark that closes a string.
fn closing(open: char) -> Option<char> {
    let all = QUOTES.iter().chain(&[('\'', '\''), ('‘', '’')]);
    all.into_iter().find(|(mark, _)| *mark == open).map(|(_, close)| *close)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_object_counts_where_its_line_begins() {
        for (said, expected) in [
            ("So:\n{\"a\": 1}\nThat is all.", vec![json!({"a": 1})]),
            ("{\"a\": 1}\n{\"a\": 2}", vec![json!({"a": 2}), json!({"a": 1})]),
            ("It says {\"a\": 1} there.", vec![]),
            ("> {\"a\": 1}", vec![]),
            (
                "{'a': True, b: [1, 2,], /* c */ 'd': None,}",
                vec![json!({"a": true, "b": [1, 2], "d": null})],
            ),
            ("｛\"a\": \"｛1｝\"｝", vec![json!({"a": "｛1｝"})]),
            ("{\"a\": \"｛1｝\"}", vec![json!({"a": "｛1｝"})]),
        ] {
            assert_eq!(found(said, JsonPlace::Line).values, expected, "{said}");
        }
        let anywhere = found("It says {\"a\": 1} there.", JsonPlace::Anywhere);
        assert_eq!(anywhere.values, [json!({"a": 1})]);
    }

    #[test]
    fn a_cut_object_is_never_completed() {
        let cut = found("{\"a\": 1, \"b\": [", JsonPlace::Anywhere);
        assert!(cut.cut && cut.values.is_empty());
        let deep = "[".repeat(100_000);
        assert!(found(&deep, JsonPlace::Anywhere).values.is_empty());
        assert!(found(&format!("{{a:{}", "[".repeat(300)), JsonPlace::Line).values.is_empty());
    }
}
