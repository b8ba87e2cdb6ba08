//! JSON in a reply: below, above and around text; strict first, then loosely.

use super::lines::lines;
use serde_json::{Deserializer, Map, Number, Value};

/// Maximum number of bytes of a reply that are searched for JSON.
const JSON_MAX: usize = 1 << 20;
/// Maximum number of positions at which JSON is tried.
const TRIES: usize = 64;
/// Maximum nesting of loose JSON.
const DEPTH_MAX: usize = 128;

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
    /// Anywhere, if there is nothing at the beginning of a line: the reply was asked for as JSON.
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
    let begins = begins(said);
    let mut found = read_at(said, &begins, strict);
    if !found.values.iter().any(Value::is_object) {
        let loosely = read_at(said, &begins, loose);
        if !loosely.values.is_empty() && loosely.values.iter().any(Value::is_object) {
            return FoundJson { loose: true, ..loosely };
        }
        if place == JsonPlace::Anywhere && found.values.is_empty() {
            let all: Vec<usize> = said.match_indices(['{', '[']).map(|(at, _)| at).collect();
            let anywhere = read_at(said, &all, strict);
            found.values = anywhere.values;
        }
    }
    found
}

/// Returns the byte offsets of brackets that begin their lines.
fn begins(said: &str) -> Vec<usize> {
    let mut all = vec![];
    for line in lines(said) {
        let text = line.text;
        if text.trim_start().starts_with('>') {
            continue;
        }
        if let Some(at) = text.find(['{', '[']) {
            let before = without_tags(&text[..at]);
            let before = before.trim_end_matches(['*', '_', ' ', '\t', '"', '(']);
            if before.ends_with([':', '：'])
                || !before.contains(|c: char| c.is_alphanumeric() || c == '`')
            {
                all.push(line.at + at);
            }
        }
    }
    all
}

fn without_tags(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        out.push_str(before);
        rest = behind.split_once('>').map_or("", |(_, behind)| behind);
    }
    out + rest
}

fn read_at(said: &str, begins: &[usize], read: fn(&str) -> Option<(Value, usize)>) -> FoundJson {
    let mut found = FoundJson::default();
    let mut end = 0;
    for at in begins.iter().take(TRIES) {
        if *at < end {
            continue;
        }
        match read(&said[*at..]) {
            Some((value, length)) => {
                found.values.push(value);
                end = at + length;
            }
            None => found.cut |= is_cut(&said[*at..]),
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
            '{' | '[' => 1,
            '}' | ']' => -1,
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
    let mut parser = Loose { text, at: 0 };
    let value = parser.value(0)?;
    Some((value, parser.at))
}

struct Loose<'a> {
    text: &'a str,
    at: usize,
}

impl Loose<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn eat(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| wanted(*c))?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Skips blanks and comments.
    fn blanks(&mut self) {
        loop {
            while self.eat(char::is_whitespace).is_some() {}
            let rest = self.text.get(self.at..).unwrap_or_default();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.at += length;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        self.blanks();
        match self.peek()? {
            _ if depth > DEPTH_MAX => None,
            '{' => self.object(depth),
            '[' => self.list(depth),
            c if closing(c).is_some() => self.string().map(Value::String),
            _ => self.bare(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.eat(|c| c == '{')?;
        let mut object = Map::new();
        loop {
            self.blanks();
            if self.eat(|c| c == '}').is_some() {
                return Some(Value::Object(object));
            }
            let key = match self.peek()? {
                c if closing(c).is_some() => self.string()?,
                _ => self.name()?,
            };
            self.blanks();
            self.eat(|c| matches!(c, ':' | '：'))?;
            let value = self.value(depth + 1)?;
            object.insert(key, value);
            self.blanks();
            if self.eat(|c| matches!(c, ',' | '，')).is_none() && self.peek()? != '}' {
                return None;
            }
        }
    }

    fn list(&mut self, depth: usize) -> Option<Value> {
        self.eat(|c| c == '[')?;
        let mut items = vec![];
        loop {
            self.blanks();
            if self.eat(|c| c == ']').is_some() {
                return Some(Value::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.eat(|c| matches!(c, ',' | '，')).is_none() && self.peek()? != ']' {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        let close = closing(self.eat(|_| true)?)?;
        let mut out = String::new();
        loop {
            match self.eat(|_| true)? {
                c if c == close => return Some(out),
                '\\' => match self.eat(|_| true)? {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    'r' => out.push('\r'),
                    'u' => {
                        let digits = self.text.get(self.at..self.at + 4)?;
                        out.push(char::from_u32(u32::from_str_radix(digits, 16).ok()?)?);
                        self.at += 4;
                    }
                    c => out.push(c),
                },
                c => out.push(c),
            }
        }
    }

    fn name(&mut self) -> Option<String> {
        let mut out = String::new();
        while let Some(c) = self.eat(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '$')) {
            out.push(c);
        }
        (!out.is_empty()).then_some(out)
    }

    fn bare(&mut self) -> Option<Value> {
        let mut out = String::new();
        while let Some(c) = self.eat(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
        {
            out.push(c);
        }
        match out.as_str() {
            "true" | "True" => Some(Value::Bool(true)),
            "false" | "False" => Some(Value::Bool(false)),
            "null" | "None" => Some(Value::Null),
            number => match number.parse::<i64>() {
                Ok(whole) => Some(whole.into()),
                Err(_) if !number.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    Number::from_f64(number.parse().ok()?).map(Value::Number)
                }
                Err(_) => None,
            },
        }
    }
}

/// Returns the quotation mark that closes a string.
fn closing(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '“' => Some('”'),
        '‘' => Some('’'),
        '„' => Some('“'),
        '«' => Some('»'),
        _ => None,
    }
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
