//! A table as data: rows of typed cells, shown alike in a file, on a page and on the screen.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// One table of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name in file names and options.
    pub name: &'static str,
    /// Heading for people; `name` is for data.
    pub title: &'static str,
    /// One sentence about the counts.
    pub counts: &'static str,
    /// Number of leading columns that identify a row.
    pub keys: usize,
    /// Columns, from left to right.
    pub columns: Vec<Column>,
    /// Rows, with one cell for every column.
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in data, with the unit.
    pub key: String,
    /// Heading for people; `key` is for data.
    pub title: String,
}

/// Content of a cell. Texts are single lines that are safe to show.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value: a dash, or empty.
    None,
    /// A single line of text.
    Text(String),
    Count(u64),
    /// An estimated count.
    About(u64),
    /// A part of a whole, from 0 to 1.
    Share(f64),
    /// A part of a whole, from 0 to 1, shown to a tenth of a percent.
    FineShare(f64),
    /// A number and its decimals.
    Decimal(f64, usize),
    /// A signed difference and its decimals.
    Difference(f64, usize),
    /// A number out of a total.
    Of(u64, u64),
    /// A duration, in milliseconds.
    Took(u64),
    /// Milliseconds since the conversation began.
    At(u64),
    /// A number per second.
    Rate(f64),
    /// An amount in dollars.
    Dollars(f64),
    /// Unknown cost: the model has no price here.
    NotPriced,
}

impl Cell {
    /// Returns a text as a cell, made safe for one line.
    pub fn text(text: &str) -> Cell {
        Cell::Text(crate::text::line(text).trim().to_owned())
    }

    /// Returns a part of a whole; `None` if the whole is 0.
    pub fn share(part: u64, whole: u64) -> Cell {
        if whole == 0 { Cell::None } else { Cell::Share(part as f64 / whole as f64) }
    }

    /// Returns whether it is aligned to the right.
    pub fn is_number(&self) -> bool {
        !matches!(self, Cell::Text(_))
    }

    /// Returns the displayed text.
    pub fn shown(&self) -> String {
        match self {
            Cell::None => "-".into(),
            Cell::Text(text) => text.clone(),
            Cell::Count(n) => n.to_string(),
            Cell::About(n) => format!("~{n}"),
            Cell::Share(share) => format!("{:.0}%", share * 100.0),
            Cell::FineShare(share) => format!("{:.1}%", share * 100.0),
            Cell::Decimal(value, places) => format!("{value:.places$}"),
            Cell::Difference(value, places) => format!("{value:+.places$}"),
            Cell::Of(part, whole) => format!("{part}/{whole}"),
            Cell::Took(ms) if *ms < 60_000 => format!("{:.1}s", *ms as f64 / 1000.0),
            Cell::Took(ms) | Cell::At(ms) => format!("{:02}:{:02}", ms / 60_000, ms / 1000 % 60),
            Cell::Rate(rate) => format!("{rate:.1}"),
            Cell::Dollars(dollars) if *dollars == 0.0 || *dollars >= 0.01 => {
                format!("${dollars:.2}")
            }
            Cell::Dollars(dollars) => format!("${dollars:.4}"),
            Cell::NotPriced => "no price".into(),
        }
    }
}

impl Table {
    /// Returns a table without rows. Columns are separated by ` | `, each a name in data, and behind `: ` its heading if
    /// that differs.
    pub fn new(
        name: &'static str,
        title: &'static str,
        counts: &'static str,
        keys: usize,
        columns: &str,
    ) -> Table {
        let column = |column: &str| {
            let (key, title) = column.split_once(": ").unwrap_or((column, column));
            Column::new(key, title)
        };
        let columns = columns.split(" | ").map(column).collect();
        Table { name, title, counts, keys, columns, rows: vec![] }
    }

    /// Returns the cells that identify a row.
    fn key<'a>(&self, row: &'a [Cell]) -> &'a [Cell] {
        row.get(..self.keys).unwrap_or_default()
    }

    /// Joins two tables of the same kind: each row has the values of both, empty if one has no such row.
    pub fn beside(&self, other: &Table) -> Table {
        let named = |side: &str, c: &Column| Column {
            key: format!("{side}_{}", c.key),
            title: format!("{} {}", side.to_uppercase(), c.title),
        };
        let mine = &self.columns[self.keys..];
        let others = &other.columns[other.keys..];
        let mut columns = self.columns[..self.keys].to_vec();
        // the two values of one kind are adjacent; a matrix may have more of them on one side
        for i in 0..mine.len().max(others.len()) {
            columns.extend(mine.get(i).map(|c| named("a", c)));
            columns.extend(others.get(i).map(|c| named("b", c)));
        }
        let join = |key: &[Cell], a: Option<&Vec<Cell>>, b: Option<&Vec<Cell>>| {
            let cell = |row: Option<&Vec<Cell>>, i: usize| {
                row.and_then(|r| r.get(self.keys + i)).cloned().unwrap_or(Cell::None)
            };
            let mut row = Vec::with_capacity(columns.len());
            row.extend_from_slice(key);
            for i in 0..mine.len().max(others.len()) {
                row.extend((i < mine.len()).then(|| cell(a, i)));
                row.extend((i < others.len()).then(|| cell(b, i)));
            }
            row
        };
        // decimals have no hash, but their text has
        let sorted = |rows: &[Vec<Cell>]| {
            let key = |row: &Vec<Cell>| {
                BuildHasherDefault::<DefaultHasher>::default()
                    .hash_one(format!("{:?}", self.key(row)))
            };
            let mut all: Vec<(u64, usize)> = rows.iter().map(key).zip(0..).collect();
            all.sort_unstable();
            all
        };
        let mut twins = vec![None; self.rows.len()];
        let mut places = sorted(&other.rows).into_iter().peekable();
        for (key, i) in sorted(&self.rows) {
            while places.next_if(|(other, _)| *other < key).is_some() {}
            twins[i] = places.next_if(|(other, _)| *other == key).map(|(_, place)| place);
        }
        let mut left: Vec<Option<&Vec<Cell>>> = other.rows.iter().map(Some).collect();
        let mut rows: Vec<Vec<Cell>> = Vec::with_capacity(self.rows.len());
        for (row, twin) in self.rows.iter().zip(twins) {
            let twin = twin.and_then(|place: usize| left.get_mut(place)?.take());
            rows.push(join(self.key(row), Some(row), twin));
        }
        rows.extend(left.into_iter().flatten().map(|row| join(other.key(row), None, Some(row))));
        Table { columns, rows, ..*self }
    }
}

impl Column {
    /// Returns a column; `key` is its name in data.
    pub fn new(key: &str, title: &str) -> Column {
        Column { key: key.into(), title: title.into() }
    }
}

crate::words! {
    /// A page of the analysis on the screen.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum FigurePage {
        /// Speaking time and shares.
        #[default]
        Floor = "floor",
        /// Cost and speed.
        Cost = "cost",
        /// Each participant's position over time.
        Positions = "positions",
        /// Key events, in order.
        Events = "events",
    }
    /// Returns the page's heading.
    fn name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_one_kind_are_joined_by_their_row_keys() {
        let table = |rows: &[(&str, u64)]| Table {
            rows: rows.iter().map(|(who, n)| vec![Cell::text(who), Cell::Count(*n)]).collect(),
            ..Table::new("t", "T", "", 1, "who | words")
        };
        let both = table(&[("Bo", 1), ("Ada", 2), ("Bo", 3), ("Bo", 4)]).beside(&table(&[
            ("Dee", 5),
            ("Bo", 6),
            ("Cy", 7),
            ("Bo", 8),
        ]));
        let keys: Vec<&str> = both.columns.iter().map(|c| &*c.key).collect();
        assert_eq!(keys, ["who", "a_words", "b_words"]);
        let shown: Vec<String> = both
            .rows
            .iter()
            .map(|r| r.iter().map(Cell::shown).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(shown, ["Bo 1 6", "Ada 2 -", "Bo 3 8", "Bo 4 -", "Dee - 5", "Cy - 7"]);
    }

    #[test]
    fn nothing_unknown_is_shown_as_nothing_spent() {
        for (cell, shown) in [
            (Cell::NotPriced, "no price"),
            (Cell::Dollars(0.0), "$0.00"),
            (Cell::Dollars(0.00012), "$0.0001"),
            (Cell::Dollars(1.234), "$1.23"),
            (Cell::About(7), "~7"),
            (Cell::share(1, 0), "-"),
            (Cell::share(1, 3), "33%"),
            (Cell::FineShare(1.0 / 3.0), "33.3%"),
            (Cell::Decimal(0.1786, 3), "0.179"),
            (Cell::Difference(1.0986, 2), "+1.10"),
            (Cell::Took(800), "0.8s"),
            (Cell::At(372_000), "06:12"),
        ] {
            assert_eq!(cell.shown(), shown);
        }
    }
}
