//! The items of a batch, read one at a time, with the fields that `--map` names.
//!
//! An item is identified by its `id`, or by the digest of its content if it has none. A file may therefore be sorted,
//! shortened or split without repeating finished items.

use super::rows::{Damaged, ItemRows, open};
use crate::text::hex;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io;
use std::path::Path;

/// Key of the item's id.
const ID: &str = "id";
/// Key of the item's group.
const GROUP: &str = "group";
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
    /// Items with the same group count as one in intervals and tests; `None` for the item alone.
    pub group: Option<String>,
    /// Number of the repetition, from 1.
    pub repeat: u32,
    /// Digest of its fields and its right answer.
    pub content: String,
}

/// A name for a field of the items file: `--map NAME=FIELD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldMap {
    /// Name in templates, `answer` for the right answer, or `id`.
    pub name: String,
    /// Path of the field, as the keys of nested objects.
    pub path: Vec<String>,
}

impl FieldMap {
    /// Parses `NAME=FIELD`; the keys of a nested field are separated by dots. `None` if a part is missing.
    pub fn parse(text: &str) -> Option<FieldMap> {
        let (name, path) = text.split_once('=')?;
        let path: Vec<String> = path.split('.').map(|key| key.trim().to_owned()).collect();
        let is_whole = !name.trim().is_empty() && !path.iter().any(String::is_empty);
        is_whole.then(|| FieldMap { name: name.trim().to_owned(), path })
    }

    fn find<'v>(&self, values: &'v Map<String, Value>) -> Option<&'v Value> {
        let (first, rest) = self.path.split_first()?;
        rest.iter().try_fold(values.get(first)?, |value, key| value.get(key))
    }

    /// Removes the field, so that no template sees it.
    fn hide(&self, values: &mut Map<String, Value>) {
        let Some((last, parents)) = self.path.split_last() else { return };
        let mut at = Some(values);
        for key in parents {
            at = at.and_then(|values| values.get_mut(key)?.as_object_mut());
        }
        if let Some(values) = at {
            values.remove(last);
        }
    }
}

/// Iterator over the items of a file.
pub struct Items {
    rows: ItemRows,
    maps: Vec<FieldMap>,
    /// Line of each name, by the name's hash, to reject duplicates.
    seen: HashMap<u64, u64>,
}

impl Items {
    /// Opens a file of JSON lines, a JSON array, or a table with a header; `sums` are bundled.
    ///
    /// # Errors
    /// The error of the operating system, [`io::ErrorKind::InvalidData`] with the name of another format, or a table
    /// without a header.
    pub fn open(path: &Path, maps: &[FieldMap]) -> io::Result<Items> {
        Ok(Items { rows: ItemRows::open(path)?, maps: maps.to_vec(), seen: HashMap::new() })
    }

    /// Returns the name of the encoding of the rows so far, if it is a guess that a person should know.
    pub fn guess(&self) -> Option<&'static str> {
        self.rows.guess
    }

    fn item(&self, mut values: Map<String, Value>, line: u64) -> Result<BatchItem, Damaged> {
        let whole = digest(&[&Value::Object(values.clone()).to_string()]);
        let mut mapped = vec![];
        for map in &self.maps {
            let Some(value) = map.find(&values) else {
                let fields: Vec<&str> = values.keys().map(String::as_str).collect();
                let field = map.path.join(".");
                let why = format!(
                    "the item has no `{field}` (--map); its fields are {}",
                    fields.join(", ")
                );
                return Err(Damaged { line, why });
            };
            mapped.push((map, value.clone()));
        }
        let is_answer = |map: &&FieldMap| map.name == crate::scenario::RIGHT;
        self.maps.iter().filter(is_answer).for_each(|map| map.hide(&mut values));
        values.extend(mapped.into_iter().map(|(map, value)| (map.name.clone(), value)));
        let named = |key: &str| match values.get(key)? {
            Value::String(name) if !name.is_empty() => Some(name.clone()),
            Value::Number(name) => Some(name.to_string()),
            _ => None,
        };
        let id = named(ID).unwrap_or(whole);
        let group = named(GROUP);
        let key = values.remove(crate::scenario::RIGHT).filter(|key| !key.is_null());
        let right = key.as_ref().map(ToString::to_string).unwrap_or_default();
        let fields = serde_json::to_string(&values).unwrap_or_default();
        let content = digest(&[&fields, &right]);
        Ok(BatchItem { id, line, key, values, group, repeat: 1, content })
    }
}

impl Iterator for Items {
    type Item = Result<BatchItem, Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = match self.rows.next()? {
            Ok(row) => row,
            Err(e) => return Some(Err(e)),
        };
        let line = row.line;
        let item = match self.item(row.values, line) {
            Ok(item) => item,
            Err(e) => return Some(Err(e)),
        };
        let earlier = self.seen.insert(hash(&item.id), line);
        if let Some(earlier) = earlier {
            let why = format!("duplicate of item `{}` in line {earlier}", item.id);
            return Some(Err(Damaged { line, why }));
        }
        Some(Ok(item))
    }
}

/// Returns the first `NAME_DIGITS` hexadecimal digits of the SHA-256 of some texts.
pub fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    let hex = hex(&hash.finalize());
    hex.get(..NAME_DIGITS).unwrap_or(&hex).to_owned()
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut open(path)?, &mut hash)?;
    Ok(hex(&hash.finalize()))
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
        Items::open(&path, &[]).unwrap().collect()
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
        assert!(told[3].starts_with("line 5: not JSON"), "{told:?}");
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

    #[test]
    fn tables_have_the_separator_of_their_header() {
        for (name, text) in [
            ("a.csv", "id;question;answer\n1;\"a; b, c\";2\n"),
            ("a.tsv", "id\tquestion\tanswer\n1\ta; b, c\t2\n"),
            ("a.csv", "\u{feff}id,\"a;;;b\",question,answer\n1,x,\"a; b, c\",2\n"),
        ] {
            let all = read(name, text.as_bytes());
            let first = all[0].as_ref().unwrap();
            assert_eq!((first.id.as_str(), &first.key), ("1", &Some("2".into())), "{name}");
            assert_eq!(first.values["question"], "a; b, c");
        }
    }

    #[test]
    fn an_array_is_read_with_the_lines_of_its_elements() {
        let text = b"[\n  {\"id\": \"a\",\n   \"answer\": 1},\n  2,\n  {\"id\": \"b\"}\n]\n";
        let all = read("items.json", text);
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].as_ref().unwrap().line, 2);
        assert_eq!(all[1].as_ref().unwrap_err().to_string(), "line 4: not a JSON object");
        assert_eq!(all[2].as_ref().unwrap().line, 5);
        let all = read("items.json", b"[{\"id\": \"a\"},\n{\"id\": \"b\"}");
        assert_eq!(
            all[2].as_ref().unwrap_err().to_string(),
            "line 2: the list is not closed with `]`"
        );
        let all = read("items.json", b"[{\"id\": \"a\"},\n{\"id\": }]");
        assert!(all[1].as_ref().unwrap_err().to_string().starts_with("line 2: not JSON"));
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn other_formats_are_named() {
        let folder = tempfile::tempdir().unwrap();
        for (text, named) in [
            (&b"PAR1\x15"[..], "a Parquet file"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"%PDF-1.7", "a PDF file"),
        ] {
            let path = folder.path().join("items.jsonl");
            fs::write(&path, text).unwrap();
            let e = Items::open(&path, &[]).err().unwrap();
            assert!(e.to_string().contains(named), "{e}");
        }
    }

    #[test]
    fn items_of_other_encodings_are_read() {
        let csv = "id,question\n1,Größe\n2,€\n";
        let utf16: Vec<u8> = csv.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let windows = b"id,question\n1,Gr\xf6\xdfe\n2,\x80\n".to_vec();
        for bytes in [csv.as_bytes().to_vec(), [&b"\xff\xfe"[..], &utf16].concat(), windows] {
            let all = read("items.csv", &bytes);
            let questions = all.iter().map(|item| &item.as_ref().unwrap().values["question"]);
            assert_eq!(questions.collect::<Vec<_>>(), ["Größe", "€"]);
        }
        let list = "\u{feff}[{\"id\": 7}]".encode_utf16().flat_map(u16::to_be_bytes);
        let list: Vec<u8> = list.collect();
        assert_eq!(read("items.json", &list)[0].as_ref().unwrap().id, "7");
    }

    #[test]
    fn mapped_fields_have_their_names_and_a_mapped_answer_is_hidden() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let text = "{\"question\": {\"stem\": \"2+2?\"}, \"gold\": {\"key\": \"B\", \"by\": 1}, \"n\": 7}\n{\"n\": 8}\n";
        fs::write(&path, text).unwrap();
        let maps = ["question=question.stem", "answer=gold.key", "id=n"];
        let maps = maps.map(|map| FieldMap::parse(map).unwrap());
        let all: Vec<_> = Items::open(&path, &maps).unwrap().collect();
        let first = all[0].as_ref().unwrap();
        assert_eq!((first.id.as_str(), &first.key), ("7", &Some("B".into())));
        assert_eq!(first.values["question"], "2+2?");
        assert_eq!(first.values["gold"], serde_json::json!({"by": 1}));
        let e = all[1].as_ref().unwrap_err().to_string();
        assert_eq!(e, "line 2: the item has no `question.stem` (--map); its fields are n");
        assert!(["a", "=b", "a=", "a=b..c"].iter().all(|text| FieldMap::parse(text).is_none()));
    }
}
