//! The report as one self-contained page: the tables, and the accuracy of each protocol as a picture. No script, and no
//! content from elsewhere.

use super::report::Report;
use crate::analysis::{Cell, Table};
use std::fmt::Write;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;\
color:#1b1b1b;background:#fdfdfb}table{border-collapse:collapse;margin:.5rem 0 2rem}th,td{padding:.2rem .7rem;\
border-bottom:1px solid #ddd;text-align:right}th:first-child,td:first-child,td.w{text-align:left}\
p.c{color:#555;max-width:48rem}@media(prefers-color-scheme:dark){body{color:#e8e8e8;background:#16181a}\
th,td{border-color:#333}p.c{color:#aaa}}";

/// Colours of lines that colour-blind readers can tell apart (Okabe and Ito).
const COLOURS: [&str; 7] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999"];

/// Returns the whole page.
pub fn page(report: &Report, title: &str) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    );
    out.push_str(&picture(report));
    out.push_str(&curves(report));
    for table in report.tables().iter().filter(|table| !table.rows.is_empty()) {
        out.push_str(&spelled(table));
    }
    out.push_str("</body></html>\n");
    out
}

/// The accuracy of each protocol as a bar with its interval.
fn picture(report: &Report) -> String {
    let bars = report.bars();
    let height = bars.len() * 32 + 30;
    let mut out = format!(
        "<svg viewBox=\"0 0 700 {height}\" width=\"700\" role=\"img\" aria-label=\"accuracy by protocol, with 95 % \
         intervals\" font-size=\"14\" fill=\"currentColor\">\n"
    );
    let x = |share: f64| 200.0 + share * 450.0;
    for (row, (name, bar)) in bars.iter().enumerate() {
        let y = row * 32 + 6;
        // writing to a string does not fail
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
            None => writeln!(out, "<text x=\"200\" y=\"{}\">withheld</text>", y + 15),
        };
    }
    out.push_str("</svg>\n");
    out
}

/// How often the majority was right after each round, a line for each protocol with more than one round.
fn curves(report: &Report) -> String {
    let all: Vec<(&str, Vec<f64>)> =
        report.curves().into_iter().filter(|(_, shares)| shares.len() > 1).collect();
    let Some(rounds) = all.iter().map(|(_, shares)| shares.len()).max() else {
        return String::new();
    };
    let mut out = format!(
        "<h2>Majority right, by round</h2>\n<svg viewBox=\"0 0 700 {}\" width=\"700\" role=\"img\" aria-label=\"share of \
         conversations whose majority is right, by round\" font-size=\"14\" fill=\"currentColor\"><path d=\"M60 10V190H440\" \
         fill=\"none\" stroke=\"currentColor\"/><text x=\"50\" y=\"20\" text-anchor=\"end\">100%</text><text x=\"50\" \
         y=\"190\" text-anchor=\"end\">0%</text>\n",
        215.max(all.len() * 20 + 30)
    );
    let x = |at: usize| 80.0 + 340.0 * at as f64 / (rounds - 1) as f64;
    for at in 0..rounds {
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
        let y = row * 20 + 20;
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/><rect x=\"460\" y=\"{}\" \
             width=\"12\" height=\"12\" fill=\"{colour}\"/><text x=\"480\" y=\"{y}\">{}</text>",
            places.join(" "),
            y - 11,
            escaped(name)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn spelled(table: &Table) -> String {
    let mut out = format!(
        "<h2>{}</h2>\n<p class=\"c\">{}</p>\n<table><tr>",
        escaped(table.title),
        escaped(table.counts)
    );
    for column in &table.columns {
        let _ = write!(out, "<th>{}</th>", escaped(&column.title));
    }
    out.push_str("</tr>\n");
    for row in &table.rows {
        out.push_str("<tr>");
        for cell in row {
            let class = if matches!(cell, Cell::Text(_)) { " class=\"w\"" } else { "" };
            let _ = write!(out, "<td{class}>{}</td>", escaped(&cell.shown()));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
