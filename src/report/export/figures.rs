//! Analysis tables as files: the same tables in each format.
//!
//! Numbers in data formats are plain and have their unit in the column name; formats for people use `27%`, `0.8s` and
//! `no price`.

use super::md::plain;
use crate::analysis::{Cell, Table};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};
use std::borrow::Borrow;
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// Returns tables as text: a description, then aligned columns; empty tables are left out.
pub fn text(tables: &[Table]) -> String {
    let filled = tables.iter().filter(|t| !t.rows.is_empty());
    filled.map(text_of).collect::<Vec<_>>().join("\n")
}

fn text_of(table: &Table) -> String {
    let mut out = format!("{}\n({})\n\n", table.title.to_uppercase(), table.counts);
    let (head, body) = cells(table);
    let widths = widths_of(&head, &body);
    let left = of_words(table);
    let line = |row: &Vec<String>| {
        let cell = |(i, cell): (usize, &String)| {
            let gap = " ".repeat(widths.get(i).map_or(0, |w| w.saturating_sub(cell.width())));
            if left.get(i) == Some(&true) { format!("{cell}{gap}") } else { format!("{gap}{cell}") }
        };
        let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
        format!("  {}\n", cells.join("  ").trim_end())
    };
    out.push_str(&line(&head));
    body.iter().for_each(|row| out.push_str(&line(row)));
    out
}

/// Returns the display width of each column as text, without the gap of two cells before it.
pub fn widths(table: &Table) -> Vec<usize> {
    let (head, body) = cells(table);
    widths_of(&head, &body)
}

fn cells(table: &Table) -> (Vec<String>, Vec<Vec<String>>) {
    let head = table.columns.iter().map(|c| c.title.clone()).collect();
    (head, table.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect())
}

fn widths_of(head: &[String], body: &[Vec<String>]) -> Vec<usize> {
    let mut widths: Vec<usize> = head.iter().map(|cell| cell.width()).collect();
    for row in body {
        for (wide, cell) in widths.iter_mut().zip(row) {
            *wide = (*wide).max(cell.width());
        }
    }
    widths
}

/// Returns true for each column that contains text, which is aligned to the left.
pub(super) fn of_words(table: &Table) -> Vec<bool> {
    let cells = |column| table.rows.iter().filter_map(move |row: &Vec<Cell>| row.get(column));
    (0..table.columns.len()).map(|i| cells(i).any(|cell| !cell.is_number())).collect()
}

/// Returns tables as Markdown; empty tables are left out.
pub fn md(tables: &[Table]) -> String {
    let table = |table: &Table| {
        let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let head = row(table.columns.iter().map(|c| plain(&c.title)).collect());
        let side = |words: bool| if words { ":--".into() } else { "--:".into() };
        let rule = row(of_words(table).into_iter().map(side).collect());
        let rows: String = table
            .rows
            .iter()
            .map(|r| row(r.iter().map(|cell| plain(&cell.shown())).collect()))
            .collect();
        format!("## {}\n\n*{}*\n\n{head}{rule}{rows}", table.title, plain(table.counts))
    };
    let filled = tables.iter().filter(|t| !t.rows.is_empty());
    filled.map(table).collect::<Vec<_>>().join("\n")
}

/// Writes tables with [`text`] or [`md`], one after the other.
pub fn write(
    tables: impl Iterator<Item = Table>,
    spell: fn(&[Table]) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    for (i, table) in tables.filter(|t| !t.rows.is_empty()).enumerate() {
        let gap = if i == 0 { "" } else { "\n" };
        write!(out, "{gap}{}", spell(&[table]))?;
    }
    Ok(())
}

/// Returns a table as CSV, with the column names in the first line.
pub fn csv(table: &Table) -> String {
    let head = table.columns.iter().map(|c| field(&c.key)).collect::<Vec<_>>().join(",");
    let row = |row: &Vec<Cell>| {
        let fields: Vec<String> = row.iter().map(csv_cell).collect();
        format!("{}\n", fields.join(","))
    };
    format!("{head}\n{}", table.rows.iter().map(row).collect::<String>())
}

fn csv_cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => field(text),
        cell => match data(cell) {
            Value::Null => String::new(),
            Value::String(text) => field(&text),
            number => number.to_string(),
        },
    }
}

/// Returns a CSV field. Text that a spreadsheet would take for a formula gets a leading quote; numbers do not.
pub(super) fn field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.len() > 1;
    let formula = formula && text.parse::<f64>().is_err();
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    let quoted = text.contains([',', '"', '\n', '\r']);
    if quoted { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// Returns tables as JSON: name, description, and rows as objects.
pub fn json(tables: &[Table]) -> Value {
    json!(EachTable(|| tables.iter()))
}

/// Serialises tables as one JSON object, one after the other.
pub struct EachTable<F>(pub F);

impl<F: Fn() -> I, I: IntoIterator<Item: Borrow<Table>>> Serialize for EachTable<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut all = to.serialize_map(None)?;
        for table in (self.0)() {
            let table = table.borrow();
            all.serialize_entry(table.name, &TableData(table))?;
        }
        all.end()
    }
}

/// Serialises a table as a JSON object: its description, and its rows as objects.
struct TableData<'a>(&'a Table);

impl Serialize for TableData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let TableData(table) = self;
        let mut whole = to.serialize_map(None)?;
        whole.serialize_entry("title", table.title)?;
        whole.serialize_entry("counts", table.counts)?;
        whole.serialize_entry("rows", &Rows(table))?;
        whole.end()
    }
}

/// Serialises the rows of a table as objects.
struct Rows<'a>(&'a Table);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.rows.iter().map(|cells| RowData(self.0, cells)))
    }
}

/// Serialises a row as an object: each cell under the name of its column.
struct RowData<'a>(&'a Table, &'a [Cell]);

impl Serialize for RowData<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let RowData(table, cells) = self;
        to.collect_map(table.columns.iter().zip(*cells).map(|(c, cell)| (&c.key, data(cell))))
    }
}

fn data(cell: &Cell) -> Value {
    match cell {
        Cell::None | Cell::NotPriced => Value::Null,
        Cell::Text(text) => text.as_str().into(),
        Cell::Count(n) | Cell::About(n) | Cell::Took(n) | Cell::At(n) => (*n).into(),
        Cell::Share(share) | Cell::FineShare(share) => rounded(*share),
        Cell::Rate(number)
        | Cell::Dollars(number)
        | Cell::Decimal(number, _)
        | Cell::Difference(number, _) => rounded(*number),
        Cell::Of(part, whole) => format!("{part}/{whole}").into(),
    }
}

/// Rounds to millionths, which is enough for shares and for money and keeps numbers short.
fn rounded(number: f64) -> Value {
    ((number * 1e6).round() / 1e6).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_field_is_never_a_formula_and_keeps_its_text() {
        for (text, csv) in [
            ("Ada", "Ada"),
            ("a, b", "\"a, b\""),
            ("say \"no\"", "\"say \"\"no\"\"\""),
            ("=1+1", "'=1+1"),
            ("@bo", "'@bo"),
            ("-", "-"),
            ("-2", "-2"),
            ("-2+3", "'-2+3"),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(field(text), csv);
        }
    }
}
