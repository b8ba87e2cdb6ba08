//! The figures that are better seen than read, as SVG without any script or style of its own.
//!
//! Colours are the page's classes; every mark has its number in the table beside it, so that nothing is told by colour
//! alone.

use super::html::{COLOURS, colour, escaped};
use crate::analysis::{Study, last_vote, name, named, repetitions, shares};
use crate::model::SeatId;
use std::f64::consts::TAU;
use std::fmt::Write;

/// Width of every chart in its own units; the page scales it.
const WIDTH: f64 = 800.0;
/// Units that names take at the left.
const NAMES: f64 = 130.0;
/// Height of a row in units.
const ROW: f64 = 24.0;
/// Characters of a name that fit.
const NAME_CHARS: usize = 16;
/// Height of a chart of bars that stand.
const BARS: f64 = 120.0;
/// Seats beyond which a ring of names is a tangle.
const RING_SEATS: usize = 24;

/// Returns the chart of a figure; nothing where there is none, or nothing to see.
pub fn of(figure: &str, study: &Study<'_>) -> String {
    match figure {
        "shares" => bars(study),
        "floor" => lanes(study),
        "decisions" => ballots(study),
        "mentions" => ring(study),
        "repetition" => novelty(study),
        _ => String::new(),
    }
}

fn svg(height: f64, title: &str, marks: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\"><title>{}</title>\n{marks}</svg>\n",
        escaped(title)
    )
}

fn label(study: &Study<'_>, seat: &SeatId) -> String {
    escaped(&short(&name(study.state, seat)))
}

fn short(whole: &str) -> String {
    let mut short: String = whole.chars().take(NAME_CHARS).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    short
}

/// Words of everybody, side by side.
fn bars(study: &Study<'_>) -> String {
    let shares: Vec<_> =
        shares(study).into_iter().filter_map(|(seat, share)| Some((seat?, share))).collect();
    let most = shares.iter().map(|(_, s)| s.words).max().unwrap_or(0).max(1) as f64;
    let mut marks = String::new();
    for (row, (seat, share)) in shares.iter().enumerate() {
        let (y, class) = (row as f64 * ROW, colour(study.state, seat));
        let width = share.words as f64 / most * (WIDTH - NAMES - 90.0);
        put(
            &mut marks,
            format_args!(
                "<g class=\"{class}\"><text x=\"0\" y=\"{:.0}\">{}</text><rect class=\"f\" x=\"{NAMES}\" y=\"{:.0}\" \
             width=\"{width:.1}\" height=\"14\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.0}\">{} words</text></g>\n",
                y + 15.0,
                label(study, seat),
                y + 4.0,
                NAMES + width + 6.0,
                y + 15.0,
                share.words
            ),
        );
    }
    svg(shares.len() as f64 * ROW, "Words of each participant", &marks)
}

/// What the last vote came to.
fn ballots(study: &Study<'_>) -> String {
    let Some(vote) = last_vote(study) else { return String::new() };
    let most = vote.counts.values().copied().max().unwrap_or(0).max(1);
    let mut marks = String::new();
    for (row, (choice, count)) in vote.counts.iter().enumerate() {
        let (y, width) = (row as f64 * ROW, f64::from(*count) / f64::from(most) * 400.0);
        put(
            &mut marks,
            format_args!(
                "<g class=\"s{}\"><text x=\"0\" y=\"{:.0}\">{}</text><rect class=\"f\" x=\"{NAMES}\" y=\"{:.0}\" \
             width=\"{width:.1}\" height=\"14\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.0}\">{count}</text></g>\n",
                row % COLOURS + 1,
                y + 15.0,
                escaped(&short(choice)),
                y + 4.0,
                NAMES + width + 6.0,
                y + 15.0
            ),
        );
    }
    svg(vote.counts.len() as f64 * ROW, "What the last vote came to", &marks)
}

/// Who had the floor when, one lane a seat.
fn lanes(study: &Study<'_>) -> String {
    let spoken: Vec<_> = study.utterances().filter_map(|(e, spent)| Some((e, spent?))).collect();
    let (Some(begin), Some(end)) = (
        spoken.iter().map(|(_, s)| s.granted.0).min(),
        spoken.iter().map(|(_, s)| s.ended.0).max(),
    ) else {
        return String::new();
    };
    let room = WIDTH - NAMES;
    let x = |ms: u64| NAMES + (ms - begin) as f64 / (end - begin).max(1) as f64 * room;
    let seats = &study.state.seats;
    let mut marks = String::new();
    for (lane, seat) in seats.iter().enumerate() {
        let (y, id) = (lane as f64 * ROW, &seat.spec.id);
        put(
            &mut marks,
            format_args!(
                "<g class=\"{}\"><text x=\"0\" y=\"{:.0}\">{}</text><line class=\"axis\" x1=\"{NAMES}\" x2=\"{WIDTH}\" \
             y1=\"{3:.0}\" y2=\"{3:.0}\"/>\n",
                colour(study.state, id),
                y + 15.0,
                label(study, id),
                y + 11.0,
            ),
        );
        for (entry, spent) in spoken.iter().filter(|(e, _)| e.seat() == Some(id)) {
            let (from, to) = (x(spent.granted.0), x(spent.ended.0));
            put(
                &mut marks,
                format_args!(
                    "<rect class=\"f\" x=\"{from:.1}\" y=\"{:.0}\" width=\"{:.1}\" height=\"14\"><title>{}</title></rect>\n",
                    y + 4.0,
                    (to - from - 1.0).max(1.0),
                    entry.number.unwrap_or(0)
                ),
            );
        }
        marks.push_str("</g>\n");
    }
    svg(seats.len() as f64 * ROW, "Who had the floor when, from left to right", &marks)
}

/// Who named whom: an arc from each to each, thicker the oftener.
fn ring(study: &Study<'_>) -> String {
    let seats: Vec<&SeatId> = study.state.seats.iter().map(|s| &s.spec.id).collect();
    let edges: Vec<(usize, usize, u64)> = seats
        .iter()
        .enumerate()
        .flat_map(|(from, by)| {
            let counts = named(study, Some(by)).into_iter().enumerate();
            counts
                .map(move |(to, (_, n))| (from, to, n))
                .filter(|(from, to, n)| from != to && *n > 0)
        })
        .collect();
    if edges.is_empty() || seats.len() > RING_SEATS {
        return String::new();
    }
    let (middle, radius, height) = ((WIDTH / 2.0, 150.0), 105.0, 300.0);
    let place = |i: usize, radius: f64| {
        let angle = TAU * i as f64 / seats.len() as f64 - TAU / 4.0;
        (middle.0 + radius * 1.6 * angle.cos(), middle.1 + radius * angle.sin())
    };
    let most = edges.iter().map(|e| e.2).max().unwrap_or(1) as f64;
    let mut marks = String::new();
    for (from, to, n) in edges {
        let (a, b) = (place(from, radius * 0.9), place(to, radius * 0.9));
        // bent to the left of its way, so that both directions are seen
        let bend = ((a.0 + b.0) / 2.0 + (b.1 - a.1) * 0.18, (a.1 + b.1) / 2.0 - (b.0 - a.0) * 0.18);
        let at = ((a.0 + b.0) / 4.0 + bend.0 / 2.0, (a.1 + b.1) / 4.0 + bend.1 / 2.0);
        put(
            &mut marks,
            format_args!(
                "<g class=\"{}\"><path class=\"l\" d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\" stroke-width=\"{:.1}\"/>\
             <circle class=\"f\" cx=\"{5:.1}\" cy=\"{6:.1}\" r=\"{:.1}\"/><text class=\"soft\" x=\"{:.1}\" y=\"{:.1}\" \
             text-anchor=\"middle\">{n}</text></g>\n",
                colour(study.state, seats[from]),
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
            ),
        );
    }
    for (i, seat) in seats.iter().enumerate() {
        let (x, y) = place(i, radius * 1.18);
        put(
            &mut marks,
            format_args!(
                "<text class=\"{}\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                colour(study.state, seat),
                y + 4.0,
                label(study, seat)
            ),
        );
    }
    svg(height, "Who named whom: a line ends in a dot at the one who is named", &marks)
}

/// How much of each utterance nobody had said before.
fn novelty(study: &Study<'_>) -> String {
    let all = repetitions(study);
    if all.is_empty() {
        return String::new();
    }
    let step = WIDTH / all.len() as f64;
    let mut marks = String::new();
    for (i, (r, (entry, _))) in all.iter().zip(study.utterances()).enumerate() {
        let (height, x) = (r.novelty * BARS, i as f64 * step);
        let class = entry.seat().map_or_else(|| "op".into(), |seat| colour(study.state, seat));
        put(
            &mut marks,
            format_args!(
                "<rect class=\"f {class}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\">\
             <title>{}: {:.0}% new</title></rect>\n",
                BARS - height,
                (step - 1.5).max(0.5),
                r.number,
                r.novelty * 100.0
            ),
        );
    }
    put(
        &mut marks,
        format_args!(
            "<line class=\"axis\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{BARS}\" y2=\"{BARS}\"/>\
         <text class=\"soft\" x=\"0\" y=\"{:.0}\">new words of each utterance, from none to all</text>\n",
            BARS + 16.0
        ),
    );
    svg(BARS + 22.0, "The share of each utterance that nobody had said before", &marks)
}

fn put(marks: &mut String, mark: std::fmt::Arguments<'_>) {
    marks.write_fmt(mark).expect("writing to a String cannot fail");
}
