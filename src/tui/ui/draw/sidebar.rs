//! The sidebar: a few rows for each participant, and in the rows that are left open questions and moves.

use crate::analysis::{Axis, Mover, PoleMoveKind, Standpoint};
use crate::state::Seat;
use crate::text;
use crate::ui::draw::bar::section_heading;
use crate::ui::draw::cast::select;
use crate::ui::draw::open;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::{doing, next, owed_answers, seat_word};
use crate::ui::view::table::model;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};

/// Cells before a name: the sign of the speaker and a blank.
const INDENT: usize = 2;
/// Cells between a name and an activity.
const GAP: usize = 2;
/// Cells of a place between the poles.
const PLACES: usize = 5;
/// Cells that a name keeps beside an activity, and minimum cells of an activity.
const NAME_LEAST: usize = 8;
const WORD_LEAST: usize = 4;
/// Minimum width of a sidebar with moves.
const MOVES_WIDTH: usize = 40;

/// Row of a participant besides the first one.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Blank,
    Model,
    Role,
    Claim,
}

/// All of them, the first to be dropped first if not all participants fit.
const PARTS: [Part; 4] = [Part::Blank, Part::Model, Part::Role, Part::Claim];

/// Draws the participants, and below them open questions and moves as far as they fit.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let (rows, room) = (usize::from(area.height), usize::from(area.width));
    let mut lines = vec![Line::default(), section_heading(screen, "AT THE TABLE"), Line::default()];
    for (place, line) in people(screen, room, rows.saturating_sub(lines.len())) {
        if let Some(place) = place {
            let y = area.y.saturating_add(lines.len() as u16);
            screen.view.clicks.push((Rect { y, height: 1, ..area }, select(place)));
        }
        lines.push(line);
    }
    for section in [open::questions(screen, room), moves(screen, room)] {
        let is_blank = lines.last().is_some_and(|line| line.width() == 0);
        let needed = section.len() + usize::from(!is_blank);
        if section.len() > 1 && lines.len() + needed <= rows {
            lines.extend((!is_blank).then(Line::default));
            lines.extend(section);
            lines.push(Line::default());
        }
    }
    frame.render_widget(Text::from(lines), area);
}

/// Returns the rows of the participants with the index of each seat; if not all fit, of those around the speaker.
fn people(screen: &Screen, room: usize, rows: usize) -> Vec<(Option<usize>, Line<'static>)> {
    let state = screen.transcript.state();
    let seats: Vec<(usize, &Seat)> = state.cast().collect();
    let needed = |parts: &[Part]| -> usize {
        let own = |part: &&Part| seats.iter().filter(|(_, seat)| has(screen, seat, **part)).count();
        seats.len() + parts.iter().map(|part| own(&part)).sum::<usize>()
    };
    let kept = (0..PARTS.len()).map(|dropped| &PARTS[dropped..]);
    let parts = kept.into_iter().find(|parts| needed(parts) <= rows).unwrap_or_default();
    let seen = if seats.len() > rows { rows.saturating_sub(1) } else { seats.len() };
    let speaks = |seat: &Seat| state.turns.values().any(|turn| turn.seat == seat.spec.id);
    let selected = seats.iter().position(|(place, _)| screen.view.selected == Some(*place));
    let around = selected.or_else(|| seats.iter().position(|(_, seat)| speaks(seat))).unwrap_or(0);
    let first = around.saturating_sub(seen / 2).min(seats.len() - seen);
    let mut lines = vec![];
    for (place, seat) in seats.iter().skip(first).take(seen) {
        let own = person(screen, *place, seat, parts, room);
        lines.extend(own.into_iter().map(|line| (Some(*place), line)));
    }
    if seen < seats.len() {
        let more = format!("  and {} more", seats.len() - seen);
        lines.push((None, Line::styled(more, screen.theme.style(ThemeRole::Muted))));
    }
    lines
}

/// Returns whether a participant has a row. The row of a claim is kept before there is one, so that nothing moves later.
fn has(screen: &Screen, seat: &Seat, part: Part) -> bool {
    let state = screen.transcript.state();
    match part {
        Part::Blank | Part::Model => true,
        Part::Role => role(screen, seat).is_some(),
        Part::Claim => state.poles().is_some() || !seat.positions.is_empty(),
    }
}

fn role(screen: &Screen, seat: &Seat) -> Option<String> {
    let role = screen.transcript.state().present_role(&seat.spec.id)?;
    Some(text::name(role).into_owned())
}

fn position(screen: &Screen, place: usize) -> Option<&Standpoint> {
    let standing = screen.transcript.positions()?;
    standing.tracks.iter().find(|track| track.place == place)?.positions.last()
}

/// Returns the rows of a participant.
fn person(
    screen: &Screen,
    place: usize,
    seat: &Seat,
    parts: &[Part],
    room: usize,
) -> Vec<Line<'static>> {
    let Screen { theme, glyphs, transcript, .. } = screen;
    let muted = theme.style(ThemeRole::Muted);
    let own = theme.speaker(place);
    let is_selected = screen.view.selected == Some(place);
    let state = transcript.state();
    let cells = if state.poles().is_some() { place_cells(screen, place, own) } else { vec![] };
    let has = |part: Part| parts.contains(&part) && has(screen, seat, part);
    let below = room.saturating_sub(INDENT);
    let middle = below.saturating_sub(1 + cells.iter().map(Span::width).sum::<usize>());
    let (mut words, mut look) = activity(screen, seat);
    let name = transcript.name(&seat.spec.id);
    let least = width(&name).min(NAME_LEAST);
    let is_wide = |word: &String| least + GAP + width(word) > middle;
    // an activity without room beside the name has the row below
    let doing = if words.iter().all(is_wide) && (has(Part::Role) || has(Part::Model)) {
        let (fits, style) = (|word: &String| width(word) <= below, look);
        words.drain(..).find(fits).map(|word| (word, style))
    } else {
        None
    };
    if words.is_empty() && doing.is_none() && !parts.contains(&Part::Role) {
        (words, look) = (role(screen, seat).into_iter().collect(), muted);
    }
    let speaks = state.turns.values().any(|turn| turn.seat == seat.spec.id);
    let sign = if speaks { glyphs.speaking } else { " " };
    let longest = words.first().map_or(0, |word| GAP + width(word));
    let name = clip(&name, middle.saturating_sub(longest).max(least), glyphs.ellipsis);
    let spare = middle.saturating_sub(width(&name) + GAP);
    let word = words.iter().find(|word| width(word) <= spare).or(words.last());
    let word = match word {
        Some(word) if spare >= WORD_LEAST => format!("  {}", clip(word, spare, glyphs.ellipsis)),
        Some(_) | None => String::new(),
    };
    let gap = " ".repeat((middle + 1).saturating_sub(width(&name) + width(&word)));
    let name_look = if is_selected { theme.style(ThemeRole::Selection) } else { bold(own) };
    let mut first = vec![
        Span::styled(format!("{sign} "), theme.style(ThemeRole::FloorSpeaking)),
        Span::styled(name, name_look),
        Span::styled(format!("{word}{gap}"), look),
    ];
    first.extend(cells);
    let mut lines = vec![Line::from(first)];
    let row = |words: String, look: Style| {
        Line::styled(format!("  {}", clip(&words, below, glyphs.ellipsis)), look)
    };
    let mut doing = doing.map(|(words, style)| row(words, style));
    if has(Part::Role) {
        let role = || row(role(screen, seat).unwrap_or_default(), muted);
        lines.push(doing.take().unwrap_or_else(role));
    }
    if has(Part::Model) {
        let own = model(seat);
        // a seat that has the name of its model shows the provider
        let shown = match seat.spec.voice.as_model() {
            Some(model) if own == *seat.spec.name => text::name(&model.name).into_owned(),
            Some(_) | None => own,
        };
        lines.push(doing.take().unwrap_or_else(|| row(shown, muted)));
    }
    if has(Part::Claim) {
        let stated = || seat.positions.last().map(|last| text::label(&last.words).into_owned());
        let claim = position(screen, place).map(|now| now.words.clone()).or_else(stated);
        lines.push(row(claim.unwrap_or_default(), theme.style(ThemeRole::Text)));
    }
    if has(Part::Blank) {
        lines.push(Line::default());
    }
    lines
}

/// Returns the place of a participant between the poles, in five cells after a blank.
fn place_cells(screen: &Screen, place: usize, own: Style) -> Vec<Span<'static>> {
    let Screen { theme, glyphs, .. } = screen;
    let muted = theme.style(ThemeRole::Muted);
    let standing = screen.transcript.positions();
    let at = standing.filter(|standing| standing.axis == Axis::Poles).and(position(screen, place));
    let Some(at) = at else {
        return vec![Span::styled(format!("{}{}", " ".repeat(PLACES), glyphs.rule), muted)];
    };
    let row = at.row.min(PLACES - 1);
    vec![
        Span::styled(format!(" {}", glyphs.dot.repeat(row)), muted),
        Span::styled(glyphs.start, bold(own)),
        Span::styled(glyphs.dot.repeat(PLACES - 1 - row), muted),
    ]
}

/// Returns the activity of a participant, the longest form first, and its style.
fn activity(screen: &Screen, seat: &Seat) -> (Vec<String>, Style) {
    let Screen { transcript, theme, clock, .. } = screen;
    let (state, now, id) = (transcript.state(), clock.now(), &seat.spec.id);
    if let Some(turn) = state.turns.values().find(|turn| turn.seat == *id) {
        let (word, since) = doing(transcript, turn, now);
        let timed = since.map(|since| format!("{word} {}s", now.since(since) / 1_000));
        let style = theme.style(ThemeRole::FloorSpeaking);
        return (timed.into_iter().chain([word]).collect(), style);
    }
    let (queue, _) = next(transcript);
    let mut word = seat_word(transcript, id, now, &queue);
    if word.is_empty() && queue.get(1) == Some(id) {
        word = "then".into();
    }
    let owes = owed_answers(transcript, id);
    let words = match (word.is_empty(), owes) {
        (true, owes) => owes.into_iter().collect(),
        (false, Some(owes)) => vec![format!("{word}, {owes}"), word],
        (false, None) => vec![word],
    };
    let role =
        if queue.first() == Some(id) { ThemeRole::FloorNext } else { ThemeRole::FloorWaiting };
    (words, theme.style(role))
}

/// Returns the moves in two rows each, the latest ones; empty beside a narrow transcript.
fn moves(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    if room < MOVES_WIDTH {
        return vec![];
    }
    let Some(standing) = screen.transcript.positions() else { return vec![] };
    let Screen { theme, glyphs, .. } = screen;
    let mut lines = vec![section_heading(screen, "MOVES")];
    for moved in standing.moves() {
        let sign = glyphs.move_sign(moved.kind == PoleMoveKind::Place);
        let [verb, rest] = moved.verb();
        let whom = format!("{verb}{}{rest}", moved.who);
        let who = match &moved.now.by {
            Mover::Nobody => format!("{} moved", moved.who),
            Mover::Turn { name, .. } => format!("{name} {whom}"),
            Mover::Host(_) => format!("you {whom}"),
        };
        let head = format!("{sign} #{} {who}", moved.now.number);
        lines.push(Line::styled(clip(&head, room, glyphs.ellipsis), theme.speaker(moved.place)));
        let words = match &moved.now.quote {
            Some(quote) => format!("  \"{quote}\""),
            None => format!("  {} {} {}", moved.before.words, glyphs.becomes, moved.now.words),
        };
        let words = clip(&words, room, glyphs.ellipsis);
        lines.push(Line::styled(words, theme.style(ThemeRole::Muted)));
    }
    lines
}
