//! The items of a batch, read one at a time: one JSON object per line, or a CSV file with a header.
//!
//! An item is identified by its `id`, or by the digest of its content if it has none. A file may therefore be sorted,
//! shortened or split without repeating finished items.

use super::bounded::{BoundedLine, next_line};
use crate::untrusted;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

/// Maximum length of an item, in bytes.
const ITEM_MAX: u64 = 1 << 20;
/// Key of the item's id.
const ID: &str = "id";
/// Number of hexadecimal digits of a derived item name.
const NAME_DIGITS: usize = 12;

/// One question of a batch, from one line of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchItem {
    /// Name of the item: its `id`, or the beginning of its digest.
    pub id: String,
    /// Line number, from 1.
    pub line: u64,
    /// Right answer; `None` if the item has none.
    pub key: Option<Value>,
    /// Values for templates, without the right answer.
    pub values: Map<String, Value>,
}

/// Error of a line that is not an item.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Damaged {
    /// Line number, from 1.
    pub line: u64,
    /// Reason of the rejection.
    pub why: String,
}

/// Iterator over the items of a file.
pub struct Items {
    lines: BufReader<File>,
    at: u64,
    /// True after an I/O error.
    over: bool,
    /// Columns of a CSV file.
    columns: Option<Vec<String>>,
    /// Line of each name, by the name's hash, to reject duplicates.
    seen: HashMap<u64, u64>,
}

impl Items {
    /// Opens a file. The first line of a `.csv` file names its columns.
    ///
    /// # Errors
    /// The error of the operating system, or a CSV file without a header.
    pub fn open(path: &Path) -> io::Result<Items> {
        let lines = BufReader::new(untrusted::open(path)?);
        let mut items = Items { lines, at: 0, over: false, columns: None, seen: HashMap::new() };
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
            let header = items.row().transpose().map_err(|e| io::Error::other(e.to_string()))?;
            items.columns = Some(header.ok_or_else(|| io::Error::other("the file has no header"))?);
        }
        Ok(items)
    }

    /// Reads a line including its newline; returns `None` at the end of the file.
    fn line(&mut self) -> Option<Result<String, Damaged>> {
        if self.over {
            return None;
        }
        self.at += 1;
        let at = self.at;
        let damaged = |why: &str| Damaged { line: at, why: why.to_owned() };
        match next_line(&mut self.lines, ITEM_MAX) {
            Ok(None) => None,
            Ok(Some(BoundedLine::Whole(bytes))) => {
                Some(String::from_utf8(bytes).map_err(|_| damaged("not UTF-8")))
            }
            Ok(Some(BoundedLine::TooLong)) => Some(Err(damaged("longer than 1 MiB"))),
            Err(e) => {
                self.over = true;
                Some(Err(damaged(&e.to_string())))
            }
        }
    }

    /// Reads a row of a CSV file, which may span several lines.
    fn row(&mut self) -> Option<Result<Vec<String>, Damaged>> {
        let mut fields = vec![];
        let mut field = String::new();
        let mut quoted = false;
        let begins = self.at + 1;
        let mut bytes = 0;
        loop {
            if bytes > ITEM_MAX {
                // an unclosed quotation mark would swallow the rest of the file
                let why =
                    "a row of more than 1 MiB, or a quotation mark is never closed".to_owned();
                return Some(Err(Damaged { line: begins, why }));
            }
            let line = match self.line() {
                Some(Ok(line)) => line,
                Some(Err(e)) => return Some(Err(e)),
                None if quoted => {
                    let why = "a quotation mark is never closed".to_owned();
                    return Some(Err(Damaged { line: begins, why }));
                }
                None => return None,
            };
            bytes += line.len() as u64;
            let mut chars = line.trim_start_matches('\u{feff}').chars().peekable();
            while let Some(c) = chars.next() {
                match (c, quoted) {
                    ('"', true) if chars.peek() == Some(&'"') => {
                        field.push('"');
                        chars.next();
                    }
                    ('"', true) => quoted = false,
                    ('"', false) if field.is_empty() => quoted = true,
                    (',', false) => fields.push(std::mem::take(&mut field)),
                    ('\r' | '\n', false) => {}
                    (c, _) => field.push(c),
                }
            }
            if !quoted {
                fields.push(field);
                return Some(Ok(fields));
            }
        }
    }

    fn object(&mut self) -> Option<Result<Map<String, Value>, Damaged>> {
        let Some(columns) = self.columns.clone() else {
            let line = match self.line()? {
                Ok(line) if line.trim().is_empty() => return Some(Ok(Map::new())),
                Ok(line) => line,
                Err(e) => return Some(Err(e)),
            };
            let line = line.trim_start_matches('\u{feff}');
            return Some(match serde_json::from_str(line) {
                Ok(Value::Object(map)) => Ok(map),
                Ok(_) => Err(Damaged { line: self.at, why: "not a JSON object".into() }),
                Err(e) => Err(Damaged { line: self.at, why: format!("not JSON: {e}") }),
            });
        };
        let begins = self.at + 1;
        let row = match self.row()? {
            Ok(row) => row,
            Err(e) => return Some(Err(e)),
        };
        if let [only] = &row[..]
            && only.trim().is_empty()
        {
            return Some(Ok(Map::new()));
        }
        if row.len() != columns.len() {
            let why =
                format!("the row has {} fields, but the header has {}", row.len(), columns.len());
            return Some(Err(Damaged { line: begins, why }));
        }
        Some(Ok(columns.into_iter().zip(row.into_iter().map(Value::from)).collect()))
    }
}

impl Iterator for Items {
    type Item = Result<BatchItem, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.at + 1;
            let values = match self.object()? {
                Ok(values) if values.is_empty() => continue,
                Ok(values) => values,
                Err(e) => return Some(Err(e)),
            };
            let item = from_values(values, line);
            let earlier = self.seen.insert(hash(&item.id), line);
            if let Some(earlier) = earlier {
                let why = format!("duplicate of item `{}` in line {earlier}", item.id);
                return Some(Err(Damaged { line, why }));
            }
            return Some(Ok(item));
        }
    }
}

fn from_values(mut values: Map<String, Value>, line: u64) -> BatchItem {
    let id = match values.get(ID) {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        Some(_) | None => digest(&[&Value::Object(values.clone()).to_string()]),
    };
    let key = values.remove(crate::scenario::RIGHT).filter(|key| !key.is_null());
    BatchItem { id, line, key, values }
}

/// Returns the first `NAME_DIGITS` hexadecimal digits of the SHA-256 of some texts.
pub fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hex: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    hex.get(..NAME_DIGITS).unwrap_or(&hex).to_owned()
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut untrusted::open(path)?, &mut hash)?;
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns a 64-bit hash that is the same on every machine.
pub fn hash(text: &str) -> u64 {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().take(8).fold(0, |n, byte| n << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(name: &str, text: &[u8]) -> Vec<Result<BatchItem, Damaged>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Items::open(&path).unwrap().collect()
    }

    #[test]
    fn a_damaged_line_is_named_and_hides_no_other() {
        let text = b"{\"id\": \"a\", \"question\": \"1+1\", \"answer\": 2}\n\n{broken\n[1]\n\xff\n{\"question\": \"x\"}\n{\"id\":\"a\"}\n";
        let all = read("items.jsonl", text);
        let told: Vec<String> = all
            .iter()
            .map(|item| match item {
                Ok(item) => format!("{} {}", item.line, item.id.len()),
                Err(e) => e.to_string().chars().take(24).collect(),
            })
            .collect();
        assert_eq!(told[0], "1 1");
        assert!(told[1].starts_with("line 3: not JSON"), "{told:?}");
        assert!(told[2].starts_with("line 4: not a JSON"), "{told:?}");
        assert!(told[3].starts_with("line 5: not UTF-8"), "{told:?}");
        assert_eq!(told[4], "6 12");
        assert!(told[5].starts_with("line 7: duplicate"), "{told:?}");
        let first = all[0].as_ref().unwrap();
        assert_eq!(first.key, Some(Value::from(2)));
        assert!(!first.values.contains_key("answer"), "no template may see what is right");
    }

    #[test]
    fn csv_has_quotes_and_lines_in_fields() {
        let text = b"id,question,answer\n1,\"a, \"\"b\"\"\nc\",2\n2,x\n3,y,4\n";
        let all = read("items.csv", text);
        let first = all[0].as_ref().unwrap();
        assert_eq!(first.values["question"], "a, \"b\"\nc");
        assert_eq!((first.id.as_str(), &first.key), ("1", &Some("2".into())));
        assert_eq!(
            all[1].as_ref().unwrap_err().to_string(),
            "line 4: the row has 2 fields, but the header has 3"
        );
        assert_eq!(all[2].as_ref().unwrap().line, 5);
    }
}
