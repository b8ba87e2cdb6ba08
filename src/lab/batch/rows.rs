//! ItemRows of an items file: JSON lines, a JSON array, or a table with a header (`.csv`, `.tsv`) separated by commas,
//! semicolons or tabs.

use super::bounded::{BoundedLine, next_line};
use crate::text::{self, DecodedText};
use crate::untrusted;
use serde_json::{Map, Value};
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::Path;

/// Maximum length of a row, in bytes.
const ROW_MAX: u64 = 1 << 20;
/// Maximum size of a file that is held in memory, in bytes: a JSON array, or UTF-16.
const LIST_MAX: u64 = 1 << 30;
/// Name of the bundled items, and their text.
const BUNDLED: (&str, &str) = ("sums", include_str!("sums.jsonl"));

/// Opens a file of items. Bundled items have the name of a file that does not exist.
pub(super) fn open(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let (name, text) = BUNDLED;
    if path.as_os_str() == name && path.symlink_metadata().is_err() {
        return Ok(Box::new(text.as_bytes()));
    }
    Ok(Box::new(untrusted::open(path)?))
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

/// Error of a file of which no item can be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnusableFile {
    /// It holds items in another format.
    #[error("it is {0}; items are JSON lines, a JSON array or CSV")]
    Foreign(&'static str),
    /// Two columns of a table have the same name.
    #[error("line 1: columns {1} and {2} are both named `{0}`")]
    Repeated(String, usize, usize),
}

/// A row with its line number, from 1.
pub(super) struct Row {
    pub line: u64,
    pub values: Map<String, Value>,
}

/// Iterator over the rows of a file.
pub(super) struct ItemRows {
    lines: BufReader<Box<dyn Read + Send>>,
    form: RowForm,
    /// Number of the last line that was read.
    at: u64,
    /// True after an error that ends the file.
    over: bool,
    /// Name of the encoding of a row, if it is a guess.
    pub guess: Option<&'static str>,
}

/// Form of an items file.
enum RowForm {
    Lines,
    Table { columns: Vec<String>, separator: char },
    List { text: String, from: usize },
}

impl ItemRows {
    /// Opens a file and recognises its form.
    ///
    /// # Errors
    /// The error of the operating system, [`ErrorKind::InvalidData`] with the name of another format, or a table without
    /// a header.
    pub fn open(path: &Path) -> io::Result<ItemRows> {
        let mut lines = BufReader::new(open(path)?);
        let mut head = lines.fill_buf()?.to_vec();
        if let Some(kind) = text::foreign_kind(&head) {
            return Err(io::Error::new(ErrorKind::InvalidData, UnusableFile::Foreign(kind)));
        }
        if text::wide(&head).is_some() {
            // no line of such a file is one of bytes
            let text = read_list(&mut lines)?.text;
            lines = BufReader::new(Box::new(Cursor::new(text)));
            head = lines.fill_buf()?.to_vec();
        }
        let has = |ending: &str| path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending));
        let mut rows = ItemRows { lines, form: RowForm::Lines, at: 0, over: false, guess: None };
        if has("csv") || has("tsv") {
            let separator = separator(&head);
            let header = rows.row(separator).transpose();
            let header = header.map_err(|e| io::Error::other(e.to_string()))?;
            let columns = header.ok_or_else(|| io::Error::other("the file has no header"))?;
            if let Some(fault) = repeated(&columns) {
                return Err(io::Error::new(ErrorKind::InvalidData, fault));
            }
            rows.form = RowForm::Table { columns, separator };
        } else if text::decode(head).text.trim_start().starts_with('[') {
            let DecodedText { text, guess } = read_list(&mut rows.lines)?;
            rows.guess = guess;
            let from = text.find('[').map_or(text.len(), |at| at + 1);
            rows.at = 1 + newlines(text.get(..from));
            rows.form = RowForm::List { text, from };
        }
        Ok(rows)
    }

    /// Reads a line including its newline; returns `None` at the end of the file.
    fn line(&mut self) -> Option<Result<String, Damaged>> {
        if self.over {
            return None;
        }
        self.at += 1;
        let at = self.at;
        let damaged = |why: &str| Damaged { line: at, why: why.to_owned() };
        match next_line(&mut self.lines, ROW_MAX) {
            Ok(None) => None,
            Ok(Some(BoundedLine::Whole(bytes))) => {
                let DecodedText { text, guess } = text::decode(bytes);
                self.guess = self.guess.or(guess);
                Some(Ok(text))
            }
            Ok(Some(BoundedLine::TooLong)) => Some(Err(damaged("longer than 1 MiB"))),
            Err(e) => {
                self.over = true;
                Some(Err(damaged(&e.to_string())))
            }
        }
    }

    /// Reads a row of a table, which may span several lines.
    fn row(&mut self, separator: char) -> Option<Result<Vec<String>, Damaged>> {
        let mut fields = vec![];
        let mut field = String::new();
        let mut quoted = false;
        let begins = self.at + 1;
        let mut bytes = 0;
        loop {
            if bytes > ROW_MAX {
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
            let mut chars = line.chars().peekable();
            while let Some(c) = chars.next() {
                match (c, quoted) {
                    ('"', true) if chars.peek() == Some(&'"') => {
                        field.push('"');
                        chars.next();
                    }
                    ('"', true) => quoted = false,
                    ('"', false) if field.is_empty() => quoted = true,
                    (c, false) if c == separator => fields.push(std::mem::take(&mut field)),
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

    /// Returns the next row of JSON lines, empty for an empty line.
    fn object(&mut self) -> Option<Result<Row, Damaged>> {
        let text = match self.line()? {
            Ok(text) => text,
            Err(e) => return Some(Err(e)),
        };
        let line = self.at;
        let text = text.trim();
        if text.is_empty() {
            return Some(Ok(Row { line, values: Map::new() }));
        }
        Some(match serde_json::from_str(text) {
            Ok(value) => from_json(value, line),
            Err(e) => Err(Damaged { line, why: format!("not JSON: {e}") }),
        })
    }

    /// Returns the next row of a table, empty for an empty line.
    fn record(&mut self, columns: &[String], separator: char) -> Option<Result<Row, Damaged>> {
        let line = self.at + 1;
        let fields = match self.row(separator)? {
            Ok(fields) => fields,
            Err(e) => return Some(Err(e)),
        };
        if let [only] = &fields[..]
            && only.trim().is_empty()
        {
            return Some(Ok(Row { line, values: Map::new() }));
        }
        if fields.len() != columns.len() {
            let has = fields.len();
            let why = format!("the row has {has} fields, but the header has {}", columns.len());
            return Some(Err(Damaged { line, why }));
        }
        let values = columns.iter().cloned().zip(fields.into_iter().map(Value::from)).collect();
        Some(Ok(Row { line, values }))
    }

    /// Returns the next element of a JSON array that starts at `from`, and moves `from` behind it.
    fn element(&mut self, text: &str, from: &mut usize) -> Option<Result<Row, Damaged>> {
        if self.over {
            return None;
        }
        let rest = text.get(*from..)?;
        let begins = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let skipped = rest.len() - begins.len();
        self.at += newlines(rest.get(..skipped));
        if begins.starts_with(']') {
            self.over = true;
            return None;
        }
        let line = self.at;
        let mut values = serde_json::Deserializer::from_str(begins).into_iter::<Value>();
        let value = values.next();
        let length = values.byte_offset();
        *from += skipped + length;
        self.at += newlines(begins.get(..length));
        match value {
            Some(Ok(_)) if length as u64 > ROW_MAX => {
                Some(Err(Damaged { line, why: "longer than 1 MiB".into() }))
            }
            Some(Ok(value)) => Some(from_json(value, line)),
            Some(Err(e)) => {
                self.over = true;
                Some(Err(Damaged { line, why: format!("not JSON: {e}") }))
            }
            None => {
                self.over = true;
                Some(Err(Damaged { line, why: "the list is not closed with `]`".into() }))
            }
        }
    }
}

impl Iterator for ItemRows {
    type Item = Result<Row, Damaged>;

    /// Returns the next row that is not empty.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let mut form = std::mem::replace(&mut self.form, RowForm::Lines);
            let row = match &mut form {
                RowForm::Lines => self.object(),
                RowForm::Table { columns, separator } => self.record(columns, *separator),
                RowForm::List { text, from } => self.element(text, from),
            };
            self.form = form;
            match row? {
                Ok(row) if row.values.is_empty() => {}
                row => return Some(row),
            }
        }
    }
}

/// Returns the fault of a header in which a name repeats.
fn repeated(columns: &[String]) -> Option<UnusableFile> {
    columns.iter().enumerate().find_map(|(at, name)| {
        let first = columns.iter().position(|other| other == name)?;
        let is_again = first < at;
        is_again.then(|| UnusableFile::Repeated(name.clone(), first + 1, at + 1))
    })
}

/// Reads the text of a file that is held in memory.
fn read_list(lines: &mut impl Read) -> io::Result<DecodedText> {
    let mut bytes = vec![];
    lines.take(LIST_MAX).read_to_end(&mut bytes)?;
    text::decode_file(bytes)
}

fn from_json(value: Value, line: u64) -> Result<Row, Damaged> {
    match value {
        Value::Object(values) => Ok(Row { line, values }),
        _ => Err(Damaged { line, why: "not a JSON object".into() }),
    }
}

fn newlines(text: Option<&str>) -> u64 {
    text.unwrap_or_default().matches('\n').count() as u64
}

/// Returns the most frequent separator in the header of a table.
fn separator(head: &[u8]) -> char {
    let header = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // text in quotation marks is at every second place
    let bare = header.split(|byte| *byte == b'"').step_by(2);
    let count = |separator: char| {
        bare.clone().flatten().filter(|byte| u32::from(**byte) == u32::from(separator)).count()
    };
    // the last of several maxima is a comma
    ['\t', ';', ','].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(',')
}
