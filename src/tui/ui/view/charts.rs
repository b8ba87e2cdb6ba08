//! Charts of the analysis pages: bars for shares and cost, a shaded matrix of mentions, curves of running totals.
//!
//! Charts use the same fold as the tables below them; a chart that does not fit is omitted. Every chart is rows of
//! text, because analysis pages are scrolled by rows, searched and copied. Bars and lanes are composed here, which also
//! allows coloured names; curves are rendered by ratatui's chart widget and read back from its buffer.

use crate::analysis::{self, MomentKind, mention_counts};
use crate::model::{SeatId, Text, VerdictGiven};
use crate::state::Seat;
use crate::text::{self, word_count};
use crate::ui::text::card::bar;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::tokens;
use crate::ui::view::transcript::Transcript;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType, Widget};

/// Width of the name column before a chart, in cells.
const NAMES: usize = 14;
/// Maximum number of seats in the matrix of mentions.
const NAMED_MAX: usize = 12;
/// Maximum number of votes drawn: the latest ones.
const VOTES: usize = 3;
/// Height of a curve in rows, and its minimum and maximum width in columns.
const CURVE_ROWS: u16 = 4;
const CURVE_MIN: usize = 16;
const CURVE_MAX: usize = 60;
/// Width of a column of the matrix of mentions, in cells.
const COLUMN: usize = 4;

/// A row of a chart, with the index of the seat that gives its colour.
pub type ChartRow = (Option<usize>, String);

/// Returns one bar per seat with its number of words and its share.
pub fn shares(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let mut words = analysis::shares(&transcript.analysis());
    words.retain(|(seat, _)| seat.is_some());
    let own = |seat: &Seat| {
        let own = words.iter().find(|(id, _)| id.as_ref() == Some(&seat.spec.id));
        own.map_or(0, |(_, share)| share.words)
    };
    let all: u64 = words.iter().map(|(_, share)| share.words).sum();
    let figure = |n: u64| format!("{n} words  {} %", (n * 200 + all) / (2 * all.max(1)));
    bars(transcript, own, figure, glyphs, room)
}

/// Returns one bar per seat with its cost, or with its tokens if no seat has a price.
pub fn spent(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let priced = transcript.state().cast().any(|(_, seat)| seat.spent.cost().is_some());
    let amount = |seat: &Seat| {
        let used = || seat.spent.used().map_or(0, |usage| usage.tokens());
        if priced { seat.spent.cost().map_or(0, |usd| usd.0) } else { used() }
    };
    let figure = |n: u64| {
        if priced { crate::model::Usd(n).to_string() } else { format!("{} tokens", tokens(n)) }
    };
    bars(transcript, amount, figure, glyphs, room)
}

/// Returns the running total of tokens after each turn; empty without token counts.
pub fn growth(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let sums = transcript.turn_log.tokens_so_far();
    let last = sums.last().copied().unwrap_or(0);
    risen(&sums, "tokens so far", &tokens(last), glyphs, room)
}

/// Returns the running total of costs after each turn; empty if nothing has a price.
pub fn cost(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let sums = transcript.turn_log.cost_so_far();
    let last = sums.last().copied().unwrap_or(0);
    risen(&sums, "cost so far", &crate::model::Usd(last).to_string(), glyphs, room)
}

/// Draws a running total: as a curve over all turns, or as a single row with the latest turns that fit.
fn risen(sums: &[u64], name: &str, told: &str, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let Some(last) = sums.last().copied().filter(|last| *last > 0) else { return vec![] };
    let wide = room.saturating_sub(NAMES + width(told) + 2).min(CURVE_MAX);
    if glyphs.curves && sums.len() > 1 && wide >= CURVE_MIN {
        return curve(sums, name, told, wide as u16);
    }
    let fit = sums.get(sums.len().saturating_sub(room.saturating_sub(NAMES + width(told) + 2))..);
    let top = glyphs.levels.len().saturating_sub(1) as u64;
    let level = |n: &u64| glyphs.levels.get((n * top).div_ceil(last) as usize).copied();
    let row: String = fit.unwrap_or_default().iter().filter_map(level).collect();
    vec![(None, format!("{name:NAMES$}{row} {told}"))]
}

/// Draws a running total, starting at zero before the first turn, as a curve `wide` columns wide.
fn curve(sums: &[u64], name: &str, told: &str, wide: u16) -> Vec<ChartRow> {
    let turns = sums.len() as f64;
    let last = sums.last().copied().unwrap_or(1) as f64;
    let points = sums.iter().enumerate().map(|(at, sum)| (at as f64 + 1.0, *sum as f64));
    let points: Vec<(f64, f64)> = [(0.0, 0.0)].into_iter().chain(points).collect();
    let line = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line).data(&points);
    let chart = Chart::new(vec![line])
        .x_axis(Axis::default().bounds([0.0, turns]))
        .y_axis(Axis::default().bounds([0.0, last]));
    let area = Rect::new(0, 0, wide, CURVE_ROWS);
    let mut drawn = Buffer::empty(area);
    chart.render(area, &mut drawn);
    let row = |y: u16| (0..wide).map(|x| drawn[(x, y)].symbol()).collect::<String>();
    let rows = (0..CURVE_ROWS).map(|y| match y {
        0 => format!("{name:NAMES$}{} {told}", row(y)),
        _ => format!("{:NAMES$}{}", "", row(y).trim_end()),
    });
    let ends = format!("turn {}", sums.len());
    let gap = usize::from(wide).saturating_sub(width(&ends));
    let axis = format!("{:NAMES$}{:gap$}{ends}", "", "start");
    rows.chain([axis]).map(|row| (None, row)).collect()
}

/// Returns the latest votes as bars, one row per choice.
pub fn votes(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let votes = transcript.turn_log.moments.iter().filter_map(|moment| match &moment.what {
        MomentKind::Vote(vote) => Some((moment.after, vote)),
        _ => None,
    });
    let votes: Vec<_> = votes.collect();
    let mut rows = Vec::new();
    for (after, vote) in votes.iter().skip(votes.len().saturating_sub(VOTES)) {
        let asked = text::label(&vote.question);
        rows.push((None, format!("vote after turn {after}: {asked}")));
        let count = |choice: &Text| u64::from(vote.counts.get(choice).copied().unwrap_or(0));
        let most = vote.options.iter().map(count).max().unwrap_or(0);
        for choice in &vote.options {
            let drawn = bar(count(choice) as f64, most as f64, room, glyphs);
            let won = if vote.winner.as_ref() == Some(choice) { glyphs.done } else { "" };
            let name = padded(&text::label(choice), glyphs);
            let row = format!("{name}{drawn} {} {won}", count(choice));
            rows.push((None, row.trim_end().to_owned()));
        }
    }
    rows
}

/// Returns the scores of each side, one row per side: one column per verdict, then the latest score.
pub fn scores(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let verdicts = transcript.turn_log.moments.iter().filter_map(|moment| match &moment.what {
        MomentKind::Verdict(verdict) => Some(verdict),
        _ => None,
    });
    let verdicts: Vec<_> = verdicts.collect();
    let Some(last) = verdicts.last() else { return vec![] };
    let score = |verdict: &VerdictGiven, side: &Text| match verdict.scores.get(side) {
        Some(score) => *score,
        None => {
            verdict.judgements.iter().filter(|j| j.winner.as_ref() == Some(side)).count() as f64
        }
    };
    let all = verdicts.iter().flat_map(|v| v.sides.iter().map(|side| score(v, side)));
    let most = all.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let top = glyphs.levels.len().saturating_sub(1) as f64;
    let level = |n: f64| glyphs.levels.get((n / most * top).round() as usize).copied();
    let fit = verdicts.len().saturating_sub(room.saturating_sub(NAMES + 8));
    let row = |side: &Text| {
        let name = padded(&text::label(side), glyphs);
        let line: String = verdicts[fit..].iter().filter_map(|v| level(score(v, side))).collect();
        let last = (score(last, side) * 10.0).round() / 10.0;
        (None, format!("{name}{line} {last}"))
    };
    let head = (None, "scores, one column per verdict".to_owned());
    [head].into_iter().chain(last.sides.iter().map(row)).collect()
}

/// Returns the number of mentions between participants as a shaded matrix; empty without mentions or if it does not
/// fit.
pub fn mentions(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let analysis = transcript.analysis();
    let seats: Vec<(usize, &Seat)> = transcript.state().cast().collect();
    let fits = seats.len() <= NAMED_MAX && NAMES + COLUMN * seats.len() <= room;
    let row = |(_, seat): &(usize, &Seat)| mention_counts(&analysis, Some(&seat.spec.id));
    let counts: Vec<Vec<(SeatId, u64)>> = seats.iter().map(row).collect();
    let most = counts.iter().flatten().map(|(_, n)| *n).max().unwrap_or(0);
    if !fits || most == 0 {
        return vec![];
    }
    let head: String = seats.iter().map(|(place, _)| format!("{:>COLUMN$}", place + 1)).collect();
    let shade = |(_, n): &(SeatId, u64)| {
        let at = (n * (glyphs.shades.len() as u64 - 1)).div_ceil(most) as usize;
        let shade = glyphs.shades.get(at).copied().unwrap_or(" ").repeat(2);
        if *n == 0 { format!("{:>COLUMN$}", glyphs.dot) } else { format!(" {shade}{n}") }
    };
    let rows = counts.iter().zip(&seats).map(|(row, (place, seat))| {
        let cells: String = row.iter().map(shade).collect();
        (Some(*place), seat_label(transcript, *place, seat, glyphs) + &cells)
    });
    [(None, format!("{:NAMES$}{head}", "names"))].into_iter().chain(rows).collect()
}

/// Returns a chart of speakers over time, one row per seat: one column per turn, its height the number of words. The
/// latest turns that fit are shown.
pub fn lanes(transcript: &Transcript, glyphs: &Glyphs, room: usize) -> Vec<ChartRow> {
    let analysis = transcript.analysis();
    let all: Vec<_> = analysis.utterances().filter_map(|(e, _)| Some((e, e.seat()?))).collect();
    let fit = all.get(all.len().saturating_sub(room.saturating_sub(NAMES))..).unwrap_or_default();
    let fit: Vec<(usize, u32)> =
        fit.iter().map(|(e, seat)| (transcript.seat_place(seat), word_count(e.text()))).collect();
    let most = fit.iter().map(|(_, words)| *words).max().unwrap_or(0).max(1) as usize;
    let steps = glyphs.levels.len();
    let level = |words: u32| glyphs.levels.get((words as usize * steps).div_ceil(most).max(1) - 1);
    let lane = |place: usize| -> String {
        let column = |(by, words): &(usize, u32)| {
            if *by == place { level(*words).copied().unwrap_or(" ") } else { " " }
        };
        fit.iter().map(column).collect()
    };
    let seats = transcript.state().seats.iter().enumerate();
    let row = |(place, seat)| seat_label(transcript, place, seat, glyphs) + &lane(place);
    seats.map(|(place, seat)| (Some(place), row((place, seat)))).collect()
}

fn bars(
    transcript: &Transcript,
    amount: impl Fn(&Seat) -> u64,
    figure: impl Fn(u64) -> String,
    glyphs: &Glyphs,
    room: usize,
) -> Vec<ChartRow> {
    let most = transcript.state().cast().map(|(_, seat)| amount(seat)).max().unwrap_or(0);
    if most == 0 {
        return vec![];
    }
    let longest = width(&bar(1.0, 1.0, room, glyphs));
    let row = |(place, seat): (usize, &Seat)| {
        let drawn = bar(amount(seat) as f64, most as f64, room, glyphs);
        let gap = " ".repeat(longest.saturating_sub(width(&drawn)));
        let name = seat_label(transcript, place, seat, glyphs);
        (Some(place), format!("{name}{drawn}{gap} {}", figure(amount(seat))))
    };
    transcript.state().cast().map(row).collect()
}

fn seat_label(transcript: &Transcript, place: usize, seat: &Seat, glyphs: &Glyphs) -> String {
    padded(&format!("{} {}", place + 1, transcript.name(&seat.spec.id)), glyphs)
}

/// Returns a name in the column of names.
fn padded(name: &str, glyphs: &Glyphs) -> String {
    let name = clip(name, NAMES - 2, glyphs.ellipsis);
    let gap = " ".repeat(NAMES.saturating_sub(width(&name)));
    name + &gap
}
