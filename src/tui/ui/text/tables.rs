//! Tables that do not fit: if a column would split words, each row becomes a block with one cell a line.
//!
//! It rewrites Markdown before that is parsed, and only tables that start at the left edge; the others shrink as far as
//! they can.

use crate::ui::text::wrap::width;

/// Cells of the frame besides the columns: at the left edge, and for each column.
const EDGE: usize = 1;
const FRAME: usize = 3;
/// Maximum width of the aligned column of names, in cells; longer names push their values to the right.
const NAMES: usize = 16;
/// Leading blanks from which Markdown treats a line as code.
const CODE_INDENT: usize = 4;

/// Returns some Markdown in which tables wider than the room are replaced by blocks.
pub fn stacked(said: &str, room: usize) -> String {
    let lines: Vec<&str> = said.split_inclusive('\n').collect();
    let mut out = String::with_capacity(said.len());
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let rows = lines[at..].iter().take_while(|l| is_row(l)).count();
        let is_table = rows >= 2 && is_rule(lines[at + 1], cells(line).len());
        if !is_table {
            out.push_str(line);
            at += 1;
            continue;
        }
        let table: Vec<Vec<&str>> = lines[at..at + rows].iter().map(|l| cells(l)).collect();
        if needs(&table) > room {
            out.push_str(&blocks(&table))
        } else {
            lines[at..at + rows].iter().for_each(|l| out.push_str(l))
        }
        at += rows;
    }
    out
}

fn is_row(line: &str) -> bool {
    let indent = line.len() - line.trim_start_matches(' ').len();
    indent < CODE_INDENT && line.contains('|')
}

/// Returns whether a line is the separator below the head of a table.
fn is_rule(line: &str, columns: usize) -> bool {
    let cells = cells(line);
    let dashes = |cell: &&str| {
        let bare = cell.trim_start_matches(':').trim_end_matches(':');
        !bare.is_empty() && bare.bytes().all(|b| b == b'-')
    };
    cells.len() == columns && cells.iter().all(dashes)
}

/// Returns the cells of a row: a bar after a backslash does not separate.
fn cells(line: &str) -> Vec<&str> {
    let line = line.trim();
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').filter(|l| !l.ends_with('\\')).unwrap_or(line);
    let mut cells = Vec::new();
    let mut from = 0;
    for (at, _) in line.match_indices('|').filter(|(at, _)| !line[..*at].ends_with('\\')) {
        cells.push(line[from..at].trim());
        from = at + 1;
    }
    cells.push(line[from..].trim());
    cells
}

/// Returns the width that a table needs so that no word in it is split, in cells.
fn needs(table: &[Vec<&str>]) -> usize {
    let columns = table.first().map_or(0, Vec::len);
    let longest = |column: usize| {
        let words = rows(table).filter_map(move |row| row.get(column)).flat_map(|c| c.split(' '));
        words.map(width).max().unwrap_or(0)
    };
    EDGE + (0..columns).map(|column| longest(column) + FRAME).sum::<usize>()
}

/// Returns the rows with the head, without the separator.
fn rows<'a, 'b>(table: &'a [Vec<&'b str>]) -> impl Iterator<Item = &'a Vec<&'b str>> {
    table.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, row)| row)
}

/// Returns a table as blocks: each column's name and its value.
fn blocks(table: &[Vec<&str>]) -> String {
    let head = &table[0];
    let widest = head.iter().map(|name| width(name)).max().unwrap_or(0).min(NAMES);
    let mut out = String::new();
    for row in rows(table).skip(1) {
        for (name, cell) in head.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            let gap = " ".repeat(widest.saturating_sub(width(name)) + 2);
            let name = if name.contains('*') || name.is_empty() {
                (*name).to_owned()
            } else {
                format!("**{name}**")
            };
            out.push_str(&format!("{name}{gap}{cell}\n"));
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "Before.\n| year | cars/day |\n|---|--:|\n| 2016 | 11 400 |\n| 2018 | a \\| b |\nAfter | it.\n";

    #[test]
    fn a_table_that_fits_stays_one() {
        assert_eq!(stacked(TABLE, 40), TABLE);
        for words in ["a | b\nc | d\n", "|\n", "", "    | a |\n    |---|\n", "> | a |\n> |---|\n"] {
            assert_eq!(stacked(words, 2), words);
        }
    }

    #[test]
    fn table_too_narrow_for_its_words_becomes_blocks() {
        let blocks = stacked(
            "| year | cars/day |\n|---|--:|\n| 2016 | 11 400 |\n| 2018 | a \\| b |\n\nAfter.",
            18,
        );
        assert_eq!(
            blocks,
            "**year**      2016\n**cars/day**  11 400\n\n**year**      2018\n**cars/day**  a \\| b\n\n\nAfter."
        );
    }
}
