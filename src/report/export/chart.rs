//! Charts of some tables as SVG, without scripts or inline styles.
//!
//! Colours are classes of the page. Every mark has its number in the table beside it, so that colour is never the only
//! distinction.

use super::markup::{COLOURS, colour, escaped};
use crate::analysis::{Analysis, last_vote, mention_counts, name, repetitions, shares};
use crate::model::{SeatId, Usd};
use crate::text;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Width of every chart in its own units; the page scales it.
const WIDTH: f64 = 800.0;
/// Width of the names at the left, in units.
const NAMES: f64 = 130.0;
/// Height of a row, in units.
const ROW: f64 = 24.0;
/// Maximum length of a name, in characters.
const NAME_CHARS: usize = 16;
/// Height of the caption below a chart, in units; its maximum length in characters follows.
const TOLD: f64 = 24.0;
const TOLD_CHARS: usize = 130;
/// Height of a vertical bar chart, in units.
const BARS: f64 = 120.0;
/// Maximum number of seats in the ring of mentions; more would be unreadable.
const RING_SEATS: usize = 24;

/// Draws one table as SVG.
type Chart = fn(&Analysis<'_>) -> String;

/// Tables with a chart, by name.
const CHARTS: &[(&str, Chart)] = &[
    ("shares", bars),
    ("cost", spent),
    ("decisions", ballots),
    ("mentions", ring),
    ("repetition", novelty),
];

/// Returns the chart of a table; empty if it has none or no data.
pub fn render(figure: &str, analysis: &Analysis<'_>) -> String {
    let chart = CHARTS.iter().find(|(name, _)| *name == figure);
    chart.map_or_else(String::new, |(_, chart)| chart(analysis))
}

/// Returns a drawing of a height in units.
fn svg(height: f64, title: &str, marks: &str) -> String {
    format!(
        "<div class=\"scroll\"><svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\"><title>{}</title>\n{marks}</svg></div>\n",
        escaped(title)
    )
}

fn label(analysis: &Analysis<'_>, seat: &SeatId) -> String {
    escaped(&short(&name(analysis.state, seat)))
}

fn short(whole: &str) -> String {
    clipped(whole, NAME_CHARS)
}

/// Returns the first `chars` characters of a line, and `…` if there are more.
fn clipped(whole: &str, chars: usize) -> String {
    let whole = text::line(whole);
    let mut short: String = whole.chars().take(chars).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    short
}

/// Draws the number of words of each participant.
fn bars(analysis: &Analysis<'_>) -> String {
    let shares: Vec<_> =
        shares(analysis).into_iter().filter_map(|(seat, share)| Some((seat?, share))).collect();
    let most = shares.iter().map(|(_, s)| s.words).max().unwrap_or(0).max(1) as f64;
    let mut marks = String::new();
    for (row, (seat, share)) in shares.iter().enumerate() {
        let class = colour(analysis.state, seat);
        let width = share.words as f64 / most * (WIDTH - NAMES - 90.0);
        let told = format!("{} words", share.words);
        push_bar(&mut marks, row, &class, &label(analysis, seat), width, &told);
    }
    svg(shares.len() as f64 * ROW, "Words of each participant", &marks)
}

/// Draws a bar with its name before it and its figure behind it; both are escaped.
fn push_bar(marks: &mut String, row: usize, class: &str, name: &str, width: f64, told: &str) {
    let y = row as f64 * ROW;
    let (top, base, behind) = (y + 4.0, y + 15.0, NAMES + width + 6.0);
    let _ = writeln!(
        marks,
        "<g class=\"{class}\"><text x=\"0\" y=\"{base:.0}\">{name}</text><rect class=\"f\" x=\"{NAMES}\" y=\"{top:.0}\" \
         width=\"{width:.1}\" height=\"14\"/><text class=\"soft\" x=\"{behind:.1}\" y=\"{base:.0}\">{told}</text></g>"
    );
}

/// Draws the result of the last vote.
fn ballots(analysis: &Analysis<'_>) -> String {
    let Some(vote) = last_vote(analysis) else { return String::new() };
    let most = vote.counts.values().copied().max().unwrap_or(0).max(1);
    let mut marks = String::new();
    for (row, (choice, count)) in vote.counts.iter().enumerate() {
        let class = format!("s{}", row % COLOURS + 1);
        let width = f64::from(*count) / f64::from(most) * 400.0;
        push_bar(&mut marks, row, &class, &escaped(&short(choice)), width, &count.to_string());
    }
    let y = vote.counts.len() as f64 * ROW;
    push_caption(
        &mut marks,
        y,
        &format!("votes for each choice of the last vote: {}", vote.question),
    );
    svg(y + TOLD, "The last vote", &marks)
}

/// Draws cumulative tokens and cost per turn.
fn spent(analysis: &Analysis<'_>) -> String {
    let log = analysis.turn_log;
    let tokens = log.tokens_so_far();
    let cost = log.cost_so_far();
    let last = |sums: &[u64]| sums.last().copied().unwrap_or(0);
    let used = format!("cumulative tokens, {} in total", last(&tokens));
    let paid = format!("cumulative cost, {} in total", Usd(last(&cost)));
    let mut marks = String::new();
    let mut y = 0.0;
    for (sums, what) in [(tokens, used), (cost, paid)] {
        let most = last(&sums);
        if most == 0 {
            continue;
        }
        // at most one point per unit of width
        let every = sums.len().div_ceil(WIDTH as usize);
        let turns = sums.len() as f64;
        let point = |(turn, sum): (usize, &u64)| {
            let x = turn as f64 / turns * WIDTH;
            let height = *sum as f64 / most as f64 * BARS;
            format!("{x:.1},{:.1} ", y + BARS - height)
        };
        let points: String = (1..)
            .zip(&sums)
            .filter(|(turn, _)| (sums.len() - turn) % every == 0)
            .map(point)
            .collect();
        let base = y + BARS;
        let _ = writeln!(
            marks,
            "<polyline class=\"l op\" points=\"0,{base:.1} {points}\"/>\n\
             <line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{base:.1}\" y2=\"{base:.1}\"/>"
        );
        push_caption(&mut marks, base, &what);
        y = base + TOLD;
    }
    if marks.is_empty() { marks } else { svg(y, "Tokens and cost over time", &marks) }
}

/// Draws the mentions between participants: one arc per pair, thicker for more mentions.
fn ring(analysis: &Analysis<'_>) -> String {
    let seats: Vec<&SeatId> = analysis.state.seats.iter().map(|s| &s.spec.id).collect();
    let edges: Vec<(usize, usize, u64)> = seats
        .iter()
        .enumerate()
        .flat_map(|(from, by)| {
            let counts = mention_counts(analysis, Some(by)).into_iter().enumerate();
            counts
                .map(move |(to, (_, n))| (from, to, n))
                .filter(|(from, to, n)| from != to && *n > 0)
        })
        .collect();
    if edges.is_empty() || seats.len() > RING_SEATS {
        return String::new();
    }
    let middle = (WIDTH / 2.0, 150.0);
    let radius = 105.0;
    let height = 300.0;
    let place = |i: usize, radius: f64| {
        let angle = TAU * i as f64 / seats.len() as f64 - TAU / 4.0;
        (middle.0 + radius * 1.6 * angle.cos(), middle.1 + radius * angle.sin())
    };
    let most = edges.iter().map(|e| e.2).max().unwrap_or(1) as f64;
    let mut marks = String::new();
    for (from, to, n) in edges {
        let a = place(from, radius * 0.9);
        let b = place(to, radius * 0.9);
        // bend to the left of its direction, so that both directions are visible
        let bend = ((a.0 + b.0) / 2.0 + (b.1 - a.1) * 0.18, (a.1 + b.1) / 2.0 - (b.0 - a.0) * 0.18);
        let at = ((a.0 + b.0) / 4.0 + bend.0 / 2.0, (a.1 + b.1) / 4.0 + bend.1 / 2.0);
        let _ = writeln!(
            marks,
            "<g class=\"{}\"><path class=\"l\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\" stroke-width=\"{:.1}\"/>\
             <circle class=\"f\" cx=\"{5:.1}\" cy=\"{6:.1}\" r=\"{:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{n}</text></g>",
            colour(analysis.state, seats[from]),
            a.0,
            a.1,
            bend.0,
            bend.1,
            b.0,
            b.1,
            1.0 + 3.0 * n as f64 / most,
            3.0 + 2.0 * n as f64 / most,
            at.0,
            at.1
        );
    }
    for (i, seat) in seats.iter().enumerate() {
        let (x, y) = place(i, radius * 1.18);
        let _ = writeln!(
            marks,
            "<text class=\"{}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            colour(analysis.state, seat),
            y + 4.0,
            label(analysis, seat)
        );
    }
    push_caption(
        &mut marks,
        height,
        "each line ends in a dot at the participant mentioned, with the count",
    );
    svg(height + TOLD, "Mentions", &marks)
}

/// Draws the share of new content in each utterance.
fn novelty(analysis: &Analysis<'_>) -> String {
    let all = repetitions(analysis);
    if all.is_empty() {
        return String::new();
    }
    let step = WIDTH / all.len() as f64;
    let mut marks = String::new();
    for (i, (r, (entry, _))) in all.iter().zip(analysis.utterances()).enumerate() {
        let height = r.novelty * BARS;
        let x = i as f64 * step;
        let class = entry.seat().map_or_else(|| "op".into(), |seat| colour(analysis.state, seat));
        let _ = writeln!(
            marks,
            "<rect class=\"f {class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{}: {:.0}% new</title></rect>",
            BARS - height,
            (step - 1.5).max(0.5),
            r.number,
            r.novelty * 100.0
        );
    }
    let _ = writeln!(
        marks,
        "<line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{BARS}\" y2=\"{BARS}\"/>"
    );
    push_caption(&mut marks, BARS, "one bar per turn: the share that was new, from none to all");
    svg(BARS + TOLD, "Share of each turn not said before", &marks)
}

/// Writes a caption below a chart.
fn push_caption(marks: &mut String, y: f64, what: &str) {
    let line = y + 16.0;
    let what = escaped(&clipped(what, TOLD_CHARS));
    let _ = writeln!(marks, "<text class=\"soft\" x=\"0\" y=\"{line:.0}\">{what}</text>");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TurnLog;
    use crate::model::Seq;
    use crate::state::State;

    #[test]
    fn every_chart_is_one_of_a_figure() {
        let state = State::default();
        let turn_log = TurnLog::default();
        let analysis = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
        let figures: Vec<&str> = analysis.tables().iter().map(|table| table.name).collect();
        for (name, _) in CHARTS {
            assert!(figures.contains(name), "`{name}` is no figure: {figures:?}");
        }
    }
}
