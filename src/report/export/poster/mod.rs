//! Poster of a conversation: the positions of the participants over the turns, their moves, and the result. It is drawn
//! once, into cells; the screen, the page and the pictures are written from these.

mod canvas;
mod files;
mod lines;
mod moves;
mod png;
mod signs;
mod svg;
#[cfg(test)]
mod tests;

pub use canvas::{Poster, PosterRun};
pub use files::{ansi_file, png_file, source, svg_file};
pub use png::png;
pub use signs::{ASCII, PosterInk, PosterSigns, UNICODE};
pub use svg::svg;

use super::Hearer;
use super::conclusion::{ending, lost_parts};
use super::narrated::utterances;
use crate::analysis::{
    Standing, list, name, outcome, result_parts, spoken_numbers, steps_apart, who_moved,
    without_result,
};
use crate::model::payload::Ended;
use crate::model::{Participant, SeatId, StopReason, Text, VoteClosed};
use crate::scenario::Advice;
use crate::state::State;
use crate::text;
use canvas::{NAME_PART, PosterPiece, WIDE, clipped, piece, wrapped};
use lines::{MARGIN, PoleLines};
use moves::{MoveRows, moves};
use unicode_width::UnicodeWidthStr;

/// Columns of the drawings of a page, and in a narrow window.
pub const PAGE_COLUMNS: usize = 110;
pub const NARROW_COLUMNS: usize = 60;
/// Maximum rows of the posters of a page; rows that stay empty are left out.
const PAGE_ROWS: usize = 45;
const NARROW_ROWS: usize = 70;
/// Maximum columns of a drawing; wider posters are centred.
pub const WIDTH_MAX: usize = 160;
/// Rows from which a poster has blank rows, and below which a level of the drawing has only one row.
const HIGH: usize = 35;
const LOW: usize = 16;
/// Rows from which a drawing may have more than one blank row between two levels, and the most of them.
const TALL: usize = 45;
const GAP_MAX: usize = 3;
/// Maximum rows of a level of the drawing.
const LINE_ROWS: usize = 4;
/// Cells of the labels of facts, on a narrow and on a wide poster.
const LABELS: (usize, usize) = (8, 13);
/// Maximum rows that are cut so that each line has a row of its own.
const CUT_ROWS: usize = 2;
/// Maximum rows of a topic: on low and other posters, and on those with blank rows.
const TOPIC_ROWS: [usize; 3] = [1, 2, 3];
/// Maximum rows of the opening.
const OPENING_ROWS: usize = 3;
/// Maximum rows of a result, and of the places of the participants.
const RESULT_ROWS: usize = 4;
const WHO_ROWS: usize = 3;
/// Maximum rows of a list of questions, usually and if there is room.
const OPEN_ROWS: (usize, usize) = (2, 4);
/// Maximum cells of a bar.
const BAR_MAX: usize = 30;

/// Content of a poster.
#[derive(Clone, Copy)]
pub struct PosterSource<'a> {
    /// The conversation.
    pub state: &'a State,
    /// Positions of its participants.
    pub standing: Option<&'a Standing>,
    /// Duration in milliseconds.
    pub lasted: u64,
    /// Name of the operator.
    pub host: &'a str,
}

/// A fact below the moves: its label and its rows.
type Fact = (&'static str, Vec<Vec<PosterPiece>>);

/// Returns a text for one line without API keys: a picture is not searched for them when it is written.
fn shown(words: &str) -> String {
    text::label(&text::without_keys(words)).into_owned()
}

/// Returns whether a poster has more to show than who spoke when.
pub fn has_content(source: &PosterSource<'_>) -> bool {
    source.standing.is_some() || source.state.vote.is_some()
}

/// Draws the poster in a size in cells.
pub fn draw(source: &PosterSource<'_>, width: usize, height: usize, signs: &PosterSigns) -> Poster {
    let width = width.min(WIDTH_MAX);
    let mut poster = Poster::new(width, height);
    let is_high = height > HIGH;
    let mut y = title(source, &mut poster, signs) + usize::from(height >= LOW);
    if is_high {
        for line in wrapped(&opening(source), width - 2 * MARGIN, OPENING_ROWS, signs.ellipsis) {
            write(&mut poster, MARGIN, y, &[piece(line, PosterInk::Plain)]);
            y += 1;
        }
        y += 2;
    }
    let open = if is_high && width < WIDE { OPEN_ROWS.1 } else { OPEN_ROWS.0 };
    let mut facts = listed_facts(source, width, is_high, open, signs);
    let gap = if is_high { 2 } else { 1 };
    let mut rows = moves(source.standing, source.host, width, MoveRows::One, signs);
    let count = |facts: &[Fact]| facts.iter().map(|(_, rows)| rows.len()).sum::<usize>();
    let (all, first) = (count(&facts), count(&facts[..facts.len().min(2)]));
    let least = first + gap + usize::from(!rows.is_empty());
    if let (true, Some(standing)) = (is_high && width < WIDE, source.standing) {
        let long = moves(source.standing, source.host, width, MoveRows::Several, signs);
        let lines = PoleLines::new(standing, width, LINE_ROWS, 0).height();
        if y + lines + all + long.len() + 2 * gap <= height {
            rows = long;
        }
    }
    y = drawing(source, &mut poster, y, [all + rows.len() + 2 * gap, least], signs);
    let long = listed_facts(source, width, is_high, OPEN_ROWS.1, signs);
    if y + count(&long) + rows.len() + 2 * gap <= height {
        facts = long;
    }
    let all = count(&facts);
    // a poster that is cut has no room for both gaps
    let above = if y + all + rows.len() + 2 * gap <= height { gap } else { gap - 1 };
    let spare = height.saturating_sub(y + first + above + gap);
    let shown = if rows.len() <= spare { rows.len() } else { spare.saturating_sub(1) };
    if !rows.is_empty() && spare > 0 {
        y += above;
        for row in rows.iter().take(shown) {
            write(&mut poster, MARGIN, y, row);
            y += 1;
        }
        if shown < rows.len() {
            let more = format!("and {}", text::plural(rows.len() - shown, "more move"));
            write(&mut poster, MARGIN, y, &[piece(more, PosterInk::Muted)]);
            y += 1;
        }
    }
    y += gap;
    let labels = if width >= WIDE { LABELS.1 } else { LABELS.0 };
    let mut is_cut = false;
    let mut missing = vec![];
    for (label, rows) in &facts {
        if is_cut || y >= height {
            missing.push(*label);
            continue;
        }
        write(&mut poster, MARGIN, y, &[piece(*label, PosterInk::Muted)]);
        is_cut = rows.len() > height - y;
        for row in rows.iter().take(height - y) {
            write(&mut poster, MARGIN + labels, y, row);
            y += 1;
        }
    }
    if is_cut || !missing.is_empty() {
        end_in_cut(&mut poster, &missing, signs);
    }
    poster
}

/// Marks the end of the last row as cut, and names the facts without a row, as many as have room behind the text.
fn end_in_cut(poster: &mut Poster, missing: &[&str], signs: &PosterSigns) {
    let told = |count: usize| {
        let told = format!("{} {}", signs.ellipsis, missing[..count].join(signs.between));
        told.trim_end().to_owned()
    };
    let y = poster.height().saturating_sub(1);
    let used = (0..poster.width).rev().find(|x| poster.cell(*x, y).is_some());
    let end = used.map_or(MARGIN, |x| x + 1 + if missing.is_empty() { 0 } else { 2 });
    let last = |told: &String| poster.width.saturating_sub(told.width() + MARGIN);
    let least = told(missing.len().min(1));
    let told = (1..=missing.len()).rev().map(told).find(|told| end <= last(told)).unwrap_or(least);
    // over the end of the text if there is no room behind it
    let at = last(&told).min(end);
    for x in at..poster.width {
        poster.clear(x, y);
    }
    poster.put(at, y, &told, PosterInk::Muted, false);
}

/// Returns the drawings of a page as SVG, for wide and for narrow windows: the positions so far, after the end the poster.
pub fn drawings(source: &PosterSource<'_>) -> [String; 2] {
    [(PAGE_COLUMNS, PAGE_ROWS), (NARROW_COLUMNS, NARROW_ROWS)].map(|(columns, rows)| {
        match source.standing {
            Some(standing) if source.state.ended.is_none() => svg(&positions(standing, columns).0),
            _ => svg(&draw(source, columns, rows, &UNICODE)),
        }
    })
}

/// Draws the positions alone. Returns also the places of the first turn, the distance between two turns and the end of the
/// lines, in units of the picture.
pub fn positions(standing: &Standing, width: usize) -> (Poster, [f64; 3]) {
    let lines = PoleLines::new(standing, width, LINE_ROWS, 1);
    let mut poster = Poster::new(width, lines.height());
    lines.draw(&mut poster, 0, &UNICODE);
    (poster, lines.axis().map(|cells| cells * signs::CELL.0 as f64))
}

fn write(poster: &mut Poster, x: usize, y: usize, row: &[PosterPiece]) {
    let mut x = x;
    for (text, ink, bold) in row {
        x = poster.put(x, y, text, *ink, *bold);
    }
}

/// Writes the topic, or the title if the topic is too long, and whether it was rehearsed, the number of turns and the
/// duration: at the right of one line, below several ones. Returns the row behind them.
fn title(source: &PosterSource<'_>, poster: &mut Poster, signs: &PosterSigns) -> usize {
    let state = source.state;
    let mut facts = vec![utterances(state.utterances), text::clock(source.lasted)];
    if state.rehearsed {
        facts.insert(0, "rehearsed".into());
    }
    if poster.width >= WIDE {
        facts.push("colloquium".into());
    }
    let facts = facts.join(signs.between);
    let at = poster.width.saturating_sub(facts.width() + MARGIN);
    let [low, usual, high] = TOPIC_ROWS;
    let most = match poster.height() {
        ..LOW => low,
        LOW..=HIGH => usual,
        _ => high,
    };
    let whole = poster.width.saturating_sub(2 * MARGIN);
    let beside = at.saturating_sub(MARGIN + 2);
    let lines = |topic: &str| {
        let topic = shown(topic).to_uppercase();
        let has_room = most == low || topic.width() <= beside;
        wrapped(&topic, if has_room && beside > 10 { beside } else { whole }, most, signs.ellipsis)
    };
    let title = state.shown_title();
    let topic = state.scenario.topic.as_deref().filter(|topic| !topic.is_empty());
    // a title that is cut is the beginning of the topic
    let is_kept = |topic: &&str| topic.width() <= whole.max(title.width()) || title.ends_with('…');
    let topic = topic.filter(is_kept);
    let topic = lines(topic.unwrap_or(&title));
    for (y, line) in topic.iter().enumerate() {
        poster.put(MARGIN, y, line, PosterInk::Plain, true);
    }
    match &topic[..] {
        [line] if line.width() <= beside => _ = poster.put(at, 0, &facts, PosterInk::Muted, false),
        // a low poster lacks the rows
        _ if most == low => {}
        lines => {
            poster.put(MARGIN, lines.len(), &facts, PosterInk::Muted, false);
            return lines.len() + 1;
        }
    }
    topic.len()
}

/// Describes how many took part and how far apart they were: `Three people, nine turns. They came 4 steps apart …`.
fn opening(source: &PosterSource<'_>) -> String {
    let state = source.state;
    let speak = state.seats.iter().filter(|seat| seat.spec.speaks).count();
    let people = if speak == 1 { "person" } else { "people" };
    let turns = if state.utterances == 1 { "turn" } else { "turns" };
    let turns = format!("{} {turns}", counted(state.utterances as usize));
    let count = sentence(&format!("{} {people}, {turns}", counted(speak)));
    let apart = source.standing.map(|standing| standing.apart()).unwrap_or_default();
    let steps = |n: usize| format!("{} apart", text::plural(n, "step"));
    match (apart.first(), apart.last()) {
        (Some(before), Some(now)) if before == now => {
            format!("{count} They stayed {}.", steps(*now))
        }
        (Some(before), Some(now)) => {
            format!("{count} They came {} and left {}.", steps(*before), steps(*now))
        }
        _ => count,
    }
}

fn counted(number: usize) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    WORDS.get(number).map_or_else(|| number.to_string(), |word| (*word).to_owned())
}

/// Draws the positions, the votes, or who spoke when. Positions have blank rows if all rows below fit, the first of the
/// two numbers, and share rows if the second one does not fit otherwise. Returns the row behind.
fn drawing(
    source: &PosterSource<'_>,
    poster: &mut Poster,
    y: usize,
    below: [usize; 2],
    signs: &PosterSigns,
) -> usize {
    let height = poster.height();
    if let Some(standing) = source.standing {
        let most = if height < LOW {
            1
        } else if height <= HIGH {
            2
        } else {
            LINE_ROWS
        };
        let gaps = if height > TALL { GAP_MAX } else { 1 };
        let lines = |rows, gap| PoleLines::new(standing, poster.width, rows, gap);
        let fits = |lines: &PoleLines<'_>, below| y + lines.height() + below <= height;
        let [all, least] = below;
        // the last rows are cut before two lines share a row
        let cut = (0, all.saturating_sub(CUT_ROWS));
        let airy = (0..=gaps).rev().map(|gap| (gap, all)).chain([cut]).find_map(|(gap, below)| {
            let lines = lines(LINE_ROWS, gap);
            fits(&lines, below).then_some(lines)
        });
        let close = || (1..=most).rev().map(|rows| lines(rows, 0)).find(|lines| fits(lines, least));
        let lines = airy.or_else(close).unwrap_or_else(|| lines(1, 0));
        lines.draw(poster, y, signs);
        return y + lines.height();
    }
    let rows = match &source.state.vote {
        Some(vote) => bars(source, vote, poster.width, signs),
        None => spoken(source, poster.width, signs),
    };
    let count = rows.len();
    for (at, row) in rows.into_iter().enumerate() {
        write(poster, MARGIN, y + at, &row);
    }
    y + count
}

/// Returns the choices of the last vote with their counts; of a vote that was taken twice, both.
fn bars(
    source: &PosterSource<'_>,
    vote: &VoteClosed,
    width: usize,
    signs: &PosterSigns,
) -> Vec<Vec<PosterPiece>> {
    let before = source.state.count_before();
    let count = |vote: &VoteClosed, option: &Text| vote.counts.get(option).copied().unwrap_or(0);
    let most = vote.options.iter().map(|option| count(vote, option)).max().unwrap_or(0).max(1);
    let label = |option: &Text| clipped(&shown(option), width / 3, signs.ellipsis);
    let labels = vote.options.iter().map(|option| label(option).width()).max().unwrap_or(0);
    let question = clipped(&shown(&vote.question), width - 2 * MARGIN, signs.ellipsis);
    let mut rows = vec![vec![piece(question, PosterInk::Plain)], vec![]];
    for (place, option) in vote.options.iter().enumerate() {
        let now = count(vote, option);
        let bar = "━".repeat(now as usize * BAR_MAX / most as usize);
        let counts =
            before.map_or_else(|| now.to_string(), |b| format!("{} → {now}", count(b, option)));
        let gap = " ".repeat(labels - label(option).width() + 2);
        rows.push(vec![
            piece(format!("{}{gap}", label(option)), PosterInk::Plain),
            piece(format!("{bar} "), PosterInk::Seat(place)),
            piece(counts, PosterInk::Plain),
        ]);
    }
    rows
}

/// Returns a row for each participant with a sign for each of its turns.
fn spoken(source: &PosterSource<'_>, width: usize, signs: &PosterSigns) -> Vec<Vec<PosterPiece>> {
    let state = source.state;
    let spoken = spoken_numbers(state);
    let turns = spoken.len().max(1);
    let name = |seat: &SeatId| clipped(&name(state, seat), width / NAME_PART, signs.ellipsis);
    let names = state.seats.iter().map(|seat| name(&seat.spec.id).width()).max().unwrap_or(0);
    let room = width.saturating_sub(2 * MARGIN + names + 2).max(1);
    let mut rows = vec![];
    for (place, seat) in state.seats.iter().enumerate().filter(|(_, seat)| seat.spec.speaks) {
        let mut cells = vec![" "; room.min(turns * 4)];
        let columns = cells.len();
        let own = state.entries.iter().filter(|entry| entry.seat() == Some(&seat.spec.id));
        for number in own.filter(|entry| entry.hidden.is_none()).filter_map(|entry| entry.number) {
            cells[spoken.partition_point(|own| *own < number) * columns / turns] = signs.start;
        }
        let name = name(&seat.spec.id);
        let gap = " ".repeat(names - name.width() + 2);
        let ink = PosterInk::Seat(place);
        rows.push(vec![(format!("{name}{gap}"), ink, true), piece(cells.concat(), ink)]);
    }
    let mut axis = " ".repeat(names + 2);
    for (nth, number) in spoken.iter().enumerate() {
        let at = names + 2 + nth * room.min(turns * 4) / turns;
        let number = format!("#{number}");
        if at >= axis.len() && at + number.len() <= width {
            axis.push_str(&" ".repeat(at - axis.len()));
            axis.push_str(&number);
            axis.push(' ');
        }
    }
    rows.push(vec![piece(axis.trim_end(), PosterInk::Muted)]);
    rows
}

/// Returns the facts below the moves, the most important first; of a list, `most` rows. A poster with an opening has the
/// distance there.
fn listed_facts(
    source: &PosterSource<'_>,
    width: usize,
    has_opening: bool,
    most: usize,
    signs: &PosterSigns,
) -> Vec<Fact> {
    let state = source.state;
    let is_wide = width >= WIDE;
    let labels = if is_wide { LABELS.1 } else { LABELS.0 };
    let room = width.saturating_sub(2 * MARGIN + labels);
    let rows = |words: &str, bold: bool, most: usize| -> Vec<Vec<PosterPiece>> {
        let lines = wrapped(words, room, most, signs.ellipsis);
        lines.into_iter().map(|line| vec![(line, PosterInk::Plain, bold)]).collect()
    };
    let mut facts = vec![];
    let result = state.result.as_ref().map(|(result, _)| result);
    let outcome = outcome(state, None);
    if let Some(outcome) = &outcome {
        facts.push(("OUTCOME", rows(&sentence(outcome), true, RESULT_ROWS)));
    }
    match (result, state.losses().result) {
        (Some(result), _) => {
            facts.push(("RESULT", rows(&shown(&result.result), true, RESULT_ROWS)));
        }
        (None, Some(why)) => {
            let label = if is_wide { "NO RESULT" } else { "NONE" };
            facts.push((label, rows(without_result(&why), false, 1)));
        }
        (None, None) => {
            let tells =
                |ended: &&Ended| !ended.reason.is_length() && ended.reason != StopReason::Completed;
            let ended = state.ended.as_ref().filter(tells);
            let end = ended.map(|ended| ending(state, ended, Hearer::Other));
            // an end by a verdict repeats the outcome
            let is_new = |end: &String| !outcome.as_ref().is_some_and(|own| end.ends_with(own));
            if let Some(end) = end.filter(is_new) {
                facts.push(("END", rows(&sentence(&end), false, 2)));
            }
        }
    }
    if let Some(standing) = source.standing
        && let Some(summary) = standing.summary()
    {
        let apart = standing.apart();
        let apart = match (apart.first(), apart.last()) {
            (Some(first), Some(now)) => steps_apart(*first, *now),
            _ => String::new(),
        };
        let who = sentence(&if has_opening || apart.is_empty() || summary == apart {
            summary
        } else {
            format!("{summary}. {apart}")
        });
        let lines = wrapped(&who, room, WHO_ROWS, signs.ellipsis);
        facts.push(("WHO", lines.iter().map(|line| with_names(standing, line)).collect()));
    }
    let parts = result.map(result_parts).unwrap_or_default();
    let part = |label: &str| {
        let part = parts.iter().find(|part| part.label == label);
        part.into_iter().flat_map(|part| &part.lines).map(|l| shown(l)).collect::<Vec<_>>()
    };
    let moved = result.map(|result| who_moved(source.standing, result, source.host));
    // moves between poles have rows of their own
    let moved = moved.filter(|(_, says_scribe)| *says_scribe).unwrap_or_default().0.into_iter();
    let moved = moved.map(|(who, chain)| format!("{who}: {}", chain.replace('→', signs.becomes)));
    let [missing, failed] = lost(source);
    for (label, short, texts) in [
        ("MOVED", "MOVED", moved.collect()),
        ("DO", "DO", part("do")),
        ("AGAINST", "AGAINST", part("against")),
        ("MISSING", "MISSING", missing),
        ("FAILED", "FAILED", failed),
        ("STILL OPEN", "OPEN", part("open")),
        ("TO CHECK", "CHECK", part("check")),
    ] {
        let texts: Vec<&str> = texts.iter().map(|text| text.trim_end_matches('.')).collect();
        if !texts.is_empty() {
            let label = if is_wide { label } else { short };
            facts.push((label, rows(&texts.join(signs.between), false, most)));
        }
    }
    facts
}

/// Returns everything that is not in the result of an ended conversation, such as participants who spoke and stated no
/// position, and the failures of others.
fn lost(source: &PosterSource<'_>) -> [Vec<String>; 2] {
    let state = source.state;
    if state.ended.is_none() {
        return [vec![], vec![]];
    }
    let parts = |absent: bool| {
        let parts =
            lost_parts(state, "").into_iter().filter(move |(is_absent, _)| *is_absent == absent);
        parts.map(|(_, part)| part).collect::<Vec<String>>()
    };
    let mut all = parts(true);
    let tracks = source.standing.map_or(&[][..], |standing| &standing.tracks);
    if source.standing.is_some() || state.poles().is_some() {
        let is_silent = |place: usize| !tracks.iter().any(|track| track.place == place);
        // a scribe takes no side
        let takes_side =
            |spec: &Participant| spec.speaks && state.advice_for(spec) == Advice::Debate;
        let silent = state.cast().filter(|(place, seat)| {
            takes_side(&seat.spec) && seat.utterances > 0 && is_silent(*place)
        });
        let names: Vec<String> = silent.map(|(_, seat)| name(state, &seat.spec.id)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if !names.is_empty() {
            all.push(format!("a position of {}", list(&names)));
        }
    }
    [all, parts(false)]
}

/// Returns words as a sentence, with a capital letter and a full stop.
fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    first.chain(rest).chain(std::iter::once('.')).collect()
}

/// Returns a line with the names of the participants in their colours.
fn with_names(standing: &Standing, line: &str) -> Vec<PosterPiece> {
    let mut row: Vec<PosterPiece> = vec![];
    let mut rest = line;
    let is_word = |c: char| c.is_alphanumeric();
    let first = |rest: &str| {
        let found = standing.tracks.iter().filter_map(|track| {
            let at = rest.find(&track.name)?;
            let behind = &rest[at + track.name.len()..];
            let is_whole = !rest[..at].ends_with(is_word) && !behind.starts_with(is_word);
            is_whole.then_some((at, track))
        });
        found.min_by_key(|(at, track)| (*at, std::cmp::Reverse(track.name.len())))
    };
    while let Some((at, track)) = first(rest) {
        row.push(piece(&rest[..at], PosterInk::Plain));
        row.push((track.name.clone(), PosterInk::Seat(track.place), true));
        rest = &rest[at + track.name.len()..];
    }
    row.push(piece(rest, PosterInk::Plain));
    row
}
