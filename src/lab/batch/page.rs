//! The report as one self-contained HTML page: the tables, and charts of accuracy, majorities by round, confidence and
//! judges. It runs without scripts and loads nothing from elsewhere.

use super::gathered::Estimate;
use super::quality::{Plotted, calibration, leanings};
use super::ratings::{self, Game};
use super::report::Report;
use crate::analysis::{Cell, Table};
// both kinds of pages look alike
use crate::export::{self, PAGE_CSS};
use crate::text;
use std::fmt::Write;
use std::path::Path;

/// Maximum number of labels on the axis of rounds.
const LABELS_MAX: usize = 12;
/// Line colours that colour-blind readers can distinguish (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999"];

/// Returns the whole page: the result, the facts of the experiment, the charts, the tables.
pub fn page(report: &Report, title: &str) -> String {
    let mut out = head(title);
    out.push_str(&outcome(report));
    let mut tables = report.tables();
    out.push_str(&facts(&tables.remove(0)));
    out.push_str(&bars("Accuracy", "by protocol, with 95 % intervals", &report.bars()));
    out.push_str(&curves(report));
    out.push_str(&confidences(report));
    out.push_str(&bars(
        "Judges: won by the side shown first",
        "by protocol; half is unbiased",
        &leanings(report),
    ));
    for table in tables.iter_mut().filter(|table| !table.rows.is_empty()) {
        leave_out_empty(table);
        out.push_str(&spelled(table));
    }
    out.push_str("</body></html>\n");
    out
}

fn head(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{PAGE_CSS}</style></head><body>\n<h1>{title}</h1>\n"
    )
}

/// Returns the leaderboard as a page, with a link from each game to its session in `folder`.
pub fn leaderboard_page(report: &Report, title: &str, folder: &Path) -> String {
    let mut out = head(title);
    out.push_str(&facts(&report.head()));
    ratings::leaderboard(report).iter().for_each(|table| out.push_str(&spelled(table)));
    let mut rows = String::from(
        "<div class=\"scroll\"><table><tr><th>item</th><th>first side</th><th>second side</th>",
    );
    rows.push_str("<th>winner</th><th>transcript</th></tr>\n");
    for Game { models: [one, other], winner, line } in ratings::games(report) {
        let winner = winner.map_or("tie", |side| if side == 0 { one } else { other });
        let cells =
            [&line.item, one, other, winner].map(|text| format!("<td>{}</td>", escaped(text)));
        let path = folder.join(&line.session).display().to_string();
        let link = path.replace('%', "%25").replace('#', "%23").replace('?', "%3F");
        // writing to a string does not fail
        let _ = writeln!(
            rows,
            "<tr>{}<td><a href=\"{}\">{}</a></td></tr>",
            cells.concat(),
            escaped(&link),
            escaped(&line.session)
        );
    }
    rows.push_str("</table></div>\n");
    out.push_str(&figure("Games", "`colloquium replay` shows a transcript", &rows));
    out.push_str("</body></html>\n");
    out
}

/// Returns the accuracy of each protocol in one sentence, the best first.
fn outcome(report: &Report) -> String {
    let mut bars = report.bars();
    let share = |bar: &Option<Estimate>| bar.map_or(-1.0, |(share, ..)| share);
    bars.sort_by(|(_, a), (_, b)| share(b).total_cmp(&share(a)));
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let each = bars.iter().map(|(name, bar)| match bar {
        Some((share, low, high)) => format!(
            "{}: {} % right ({} to {} %)",
            escaped(name),
            percent(*share),
            percent(*low),
            percent(*high)
        ),
        None => format!("{}: no score", escaped(name)),
    });
    let each: Vec<String> = each.collect();
    if each.is_empty() {
        String::new()
    } else {
        format!("<p class=\"outcome\">{}</p>\n", each.join("<br>"))
    }
}

/// Returns the table of the experiment as a line of facts, and its command.
fn facts(table: &Table) -> String {
    let value = |about: &str| {
        let row = table.rows.iter().find(|row| row.first() == Some(&Cell::text(about)));
        row.and_then(|row| row.get(1)).map(|cell| escaped(&cell.shown()))
    };
    let seed = value("seed").map(|seed| format!("seed {seed}"));
    let items = value("items").map(|items| format!("items: {items}"));
    let facts =
        [value("protocols"), items, value("models"), value("begun"), seed, value("version")];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    let mut out = format!("<p class=\"facts\">{}</p>\n", facts.join(" · "));
    if let Some(command) = value("command") {
        let _ = writeln!(out, "<pre>{command}</pre>");
    }
    out
}

/// Removes the columns without any value.
fn leave_out_empty(table: &mut Table) {
    let is_empty =
        |column: &usize| table.rows.iter().all(|row| row.get(*column) == Some(&Cell::None));
    let empty: Vec<usize> = (0..table.columns.len()).filter(is_empty).collect();
    for column in empty.into_iter().rev() {
        table.columns.remove(column);
        table.rows.iter_mut().for_each(|row| drop(row.remove(column)));
    }
}

/// Returns a figure: its title, its description and its content.
fn figure(title: &str, about: &str, content: &str) -> String {
    format!("<figure><figcaption><h3>{title}</h3><p>{about}</p></figcaption>\n{content}</figure>\n")
}

/// Draws shares as bars with their intervals, on a scale from 0 to 100 %.
fn bars(title: &str, about: &str, bars: &[(&str, Option<Estimate>)]) -> String {
    if bars.is_empty() {
        return String::new();
    }
    let bottom = bars.len() * 32 + 4;
    let mut out = format!(
        "<svg viewBox=\"0 0 740 {}\" width=\"740\" role=\"img\" aria-label=\"{about}\" \
         font-size=\"14\" fill=\"currentColor\">\n",
        bottom + 24
    );
    let x = |share: f64| 200.0 + share * 450.0;
    for quarter in [0.0, 0.25, 0.5, 0.75, 1.0] {
        // writing to a string does not fail
        let _ = writeln!(
            out,
            "<path d=\"M{:.1} 0V{bottom}\" stroke=\"currentColor\" opacity=\"0.25\"/><text x=\"{:.1}\" y=\"{}\" \
             text-anchor=\"middle\" font-size=\"12\">{:.0}%</text>",
            x(quarter),
            x(quarter),
            bottom + 16,
            quarter * 100.0
        );
    }
    for (row, (name, bar)) in bars.iter().enumerate() {
        let y = row * 32 + 6;
        let _ = write!(
            out,
            "<text x=\"190\" y=\"{}\" text-anchor=\"end\">{}</text>",
            y + 15,
            escaped(name)
        );
        let _ = match bar {
            Some((share, low, high)) => writeln!(
                out,
                "<rect x=\"200\" y=\"{y}\" width=\"{:.1}\" height=\"20\" fill=\"#4c78a8\"/><path d=\"M{:.1} {}H{:.1}\" \
                 stroke=\"currentColor\" stroke-width=\"2\"/><text x=\"{:.1}\" y=\"{}\">{:.1}%</text>",
                share * 450.0,
                x(*low),
                y + 10,
                x(*high),
                x(*high) + 8.0,
                y + 15,
                share * 100.0
            ),
            None => {
                writeln!(out, "<text x=\"208\" y=\"{}\" opacity=\"0.7\">no score</text>", y + 15)
            }
        };
    }
    out.push_str("</svg>\n");
    figure(title, about, &out)
}

/// Draws the share of right answers against stated confidence. Perfect calibration is on the diagonal.
fn confidences(report: &Report) -> String {
    let all = calibration(report);
    if all.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "<svg viewBox=\"0 0 700 {}\" width=\"700\" role=\"img\" aria-label=\"share \
         of right answers by stated confidence, with 95 % intervals\" font-size=\"14\" fill=\"currentColor\"><path \
         d=\"M60 10V250H380\" fill=\"none\" stroke=\"currentColor\"/><path d=\"M60 250L380 10\" stroke=\"currentColor\" \
         stroke-dasharray=\"4 4\" opacity=\"0.5\"/><text x=\"50\" y=\"20\" text-anchor=\"end\">100%</text><text x=\"50\" \
         y=\"250\" text-anchor=\"end\">0%</text><text x=\"60\" y=\"268\" text-anchor=\"middle\">0%</text><text \
         x=\"220\" y=\"268\" text-anchor=\"middle\">stated confidence</text><text x=\"380\" y=\"268\" \
         text-anchor=\"middle\">100%</text>\n",
        280.max(all.len() * 20 + 30)
    );
    let x = |share: f64| 60.0 + 320.0 * share;
    let y = |share: f64| 250.0 - 240.0 * share;
    for (row, ((name, points), colour)) in all.iter().zip(COLOURS.iter().cycle()).enumerate() {
        for Plotted { at, share: (share, low, high) } in points {
            let _ = writeln!(
                out,
                "<path d=\"M{:.1} {:.1}V{:.1}\" stroke=\"{colour}\"/><circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" \
                 fill=\"{colour}\"/>",
                x(*at),
                y(*low),
                y(*high),
                x(*at),
                y(*share)
            );
        }
        out.push_str(&legend(row, name, colour));
    }
    out.push_str("</svg>\n");
    figure("Right answers, by confidence", "with 95 % intervals; the diagonal is perfect", &out)
}

/// Draws a line of a legend.
fn legend(row: usize, name: &str, colour: &str) -> String {
    let y = row * 20 + 20;
    format!(
        "<rect x=\"460\" y=\"{}\" width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"480\" y=\"{y}\">{}</text>\n",
        y - 11,
        escaped(name)
    )
}

/// Returns the rounds that have a label on the axis, from 0, so that labels do not touch.
fn labelled(rounds: usize) -> impl Iterator<Item = usize> {
    (0..rounds).step_by(rounds.div_ceil(LABELS_MAX).max(1))
}

/// Draws the share of right majorities after each round, one line per protocol with more than one round.
fn curves(report: &Report) -> String {
    let all: Vec<(&str, Vec<f64>)> =
        report.curves().into_iter().filter(|(_, shares)| shares.len() > 1).collect();
    let Some(rounds) = all.iter().map(|(_, shares)| shares.len()).max() else {
        return String::new();
    };
    let mut out = format!(
        "<svg viewBox=\"0 0 700 {}\" width=\"700\" role=\"img\" aria-label=\"share of \
         conversations whose majority is right, by round\" font-size=\"14\" fill=\"currentColor\"><path d=\"M60 10V190H440\" \
         fill=\"none\" stroke=\"currentColor\"/><text x=\"50\" y=\"20\" text-anchor=\"end\">100%</text><text x=\"50\" \
         y=\"190\" text-anchor=\"end\">0%</text>\n",
        215.max(all.len() * 20 + 30)
    );
    let x = |at: usize| 80.0 + 340.0 * at as f64 / (rounds - 1) as f64;
    for at in labelled(rounds) {
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"208\" text-anchor=\"middle\">{}</text>",
            x(at),
            at + 1
        );
    }
    for (row, ((name, shares), colour)) in all.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let places: Vec<String> = (shares.iter().enumerate())
            .map(|(at, share)| format!("{:.1},{:.1}", x(at), 190.0 - 180.0 * share))
            .collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            places.join(" ")
        );
        out.push_str(&legend(row, name, colour));
    }
    out.push_str("</svg>\n");
    figure("Majority right, by round", "share of the conversations", &out)
}

fn spelled(table: &Table) -> String {
    let mut out = String::from("<div class=\"scroll\"><table><tr>");
    // a column of numbers is aligned to the right, including its title
    let words = |column: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.get(column));
        let is_word = |cell: &Cell| !cell.is_number() && *cell != Cell::text("withheld");
        if column == 0 || cells.any(is_word) { "" } else { " class=\"n\"" }
    };
    let aligned: Vec<&str> = (0..table.columns.len()).map(words).collect();
    for (column, class) in table.columns.iter().zip(&aligned) {
        let _ = write!(out, "<th{class}>{}</th>", escaped(&column.title));
    }
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for (cell, class) in row.iter().zip(&aligned) {
            let _ = write!(out, "<td{class}>{}</td>", escaped(&cell.shown()));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    figure(&escaped(table.title), &escaped(table.counts), &out)
}

/// Removes control characters and escapes text for elements and quoted attributes.
fn escaped(raw: &str) -> String {
    export::escaped(&text::line(raw))
}

#[cfg(test)]
mod tests {
    use super::labelled;

    #[test]
    fn labels_of_rounds_do_not_touch() {
        assert_eq!(labelled(3).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(labelled(30).collect::<Vec<_>>(), [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]);
    }
}
