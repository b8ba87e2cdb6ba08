//! The side panel: the cast and its activity, the floor with the reason, and the limits with their usage.

use crate::export::cost;
use crate::model::{Limit, Ms, QuestionDebt, SeatId, Usd};
use crate::state::{Seat, State, Turn};
use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::cast::select;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::{is_in_turn, next, seat_word, tokens, why};
use crate::ui::view::message::clock;
use crate::ui::view::transcript::Transcript;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use std::iter;

/// Maximum number of messages in a seat's sparkline.
const SPARK_CELLS: usize = 20;
/// Number of latest messages that are searched for them, to bound the cost of long conversations.
const SPARK_REACH: usize = 200;
/// Estimated bytes per token of a reply in progress.
const BYTES_PER_TOKEN: u64 = 4;
/// Width of the labels before facts about the floor.
const FACT: usize = 7;
/// Cells of the names of limits.
const NAMES: usize = 12;
/// Length of a bar, in cells.
const BAR_CELLS: u64 = 10;

/// Draws the panel to the right of its border.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    wall(frame, area.x, area, screen);
    let inner = Rect { x: area.x + 2, width: area.width - 3, ..area };
    let now = screen.clock.now();
    let room = usize::from(inner.width);
    let mut lines = vec![Line::default()];
    let others = [floor(screen, room), limits(screen, now, room), stances(screen, room)];
    let others: Vec<_> = others.into_iter().filter(|section| section.len() > 1).collect();
    let needed: usize = others.iter().map(|section| section.len() + 1).sum();
    let rows = usize::from(inner.height).saturating_sub(needed + 2).max(CAST_LEAST);
    for section in [cast(screen, now, room, rows)].into_iter().chain(others) {
        lines.extend(section);
        lines.push(Line::default());
    }
    let clicks: Vec<_> = seats(&lines, inner, screen).collect();
    frame.render_widget(Text::from(lines), inner);
    screen.view.clicks.extend(clicks);
}

/// Returns the click areas of the seats, two rows each; a click selects the participant.
fn seats(lines: &[Line<'_>], inner: Rect, screen: &Screen) -> impl Iterator<Item = (Rect, Action)> {
    let seats = screen.transcript.state().seats.iter().enumerate();
    seats.filter_map(move |(place, seat)| {
        let name = format!("{} {}", place + 1, screen.transcript.name(&seat.spec.id));
        let row = lines
            .iter()
            .position(|l| l.to_string().chars().skip(2).collect::<String>().starts_with(&name))?;
        let rows = Rect { y: inner.y.saturating_add(row as u16), height: 2, ..inner };
        Some((rows.intersection(inner), select(place)))
    })
}

/// Draws a border beside a panel.
pub fn wall(frame: &mut Frame<'_>, x: u16, area: Rect, screen: &Screen) {
    let wall = Line::styled(screen.glyphs.wall, screen.theme.style(ThemeRole::Rule));
    let walls = Text::from(vec![wall; usize::from(area.height)]);
    frame.render_widget(walls, Rect { x, width: 1, ..area });
}

/// Returns the heading of a section.
pub fn heading(screen: &Screen, words: &'static str) -> Line<'static> {
    Line::styled(words, screen.theme.style(ThemeRole::Muted))
}

/// Minimum rows of the cast, however much else is in the panel.
const CAST_LEAST: usize = 8;

/// Returns the seats within a number of rows: three each, two or one; if not all fit, the seats around the speaker.
fn cast(screen: &Screen, now: Ms, room: usize, rows: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let mut lines = vec![heading(screen, "CAST")];
    let muted = theme.style(ThemeRole::Muted);
    let all = state.seats.len();
    let rows = rows.saturating_sub(1);
    let seen = if all > rows { rows.saturating_sub(1) } else { all };
    let speaks = |s: &Seat| state.turns.values().any(|t| t.seat == s.spec.id);
    let around = screen.view.selected.or_else(|| state.seats.iter().position(speaks)).unwrap_or(0);
    let first = around.saturating_sub(seen / 2).min(all - seen);
    for (place, seat) in state.seats.iter().enumerate().skip(first).take(seen) {
        let turn = state.turns.values().find(|t| t.seat == seat.spec.id);
        let style = if screen.view.selected == Some(place) {
            theme.style(ThemeRole::Selection)
        } else {
            theme.speaker(place)
        };
        let sign = if turn.is_some() { glyphs.speaking } else { " " };
        let name = format!("{} {}", place + 1, transcript.name(&seat.spec.id));
        let used = seat.spent.used().map(|usage| {
            format!("{}{}", if usage.estimated { "~" } else { "" }, tokens(usage.tokens()))
        });
        let figure = match (seat.utterances, used) {
            (_, Some(used)) => used,
            (0, None) => String::new(),
            (n, None) => n.to_string(),
        };
        let owes = owed_answers(transcript, &seat.spec.id);
        let word = match (seat_word(transcript, &seat.spec.id, now, &queue), owes) {
            (word, Some(owes)) if turn.is_none() && word.is_empty() => owes,
            (word, Some(owes)) if turn.is_none() => format!("{word}, {owes}"),
            (word, _) => word,
        };
        let alone = all * 2 > rows;
        let figure = if alone && !word.is_empty() { word.clone() } else { figure };
        let mut line = both_ends(name, bold(style), figure, muted, room.saturating_sub(2), glyphs);
        line.spans
            .insert(0, Span::styled(format!("{sign} "), theme.style(ThemeRole::FloorSpeaking)));
        lines.push(line);
        if alone {
            continue;
        }
        let role = transcript.state().present_role(&seat.spec.id).map_or("", |role| &**role);
        let (text, look) = match (word.as_str(), turn.is_some()) {
            ("", _) => (text::name(role).into_owned(), ThemeRole::Muted),
            (next, _) if next.starts_with("next") => (word, ThemeRole::FloorNext),
            (_, true) => (word, ThemeRole::FloorSpeaking),
            (_, false) => (word, ThemeRole::FloorWaiting),
        };
        let end = match turn {
            Some(turn) => rate(transcript, turn, now),
            None => seat.spent.used().map(|_| cost(&seat.spent)),
        };
        lines.push(both_ends(
            format!("    {text}"),
            theme.style(look),
            end.unwrap_or_default(),
            muted,
            room,
            glyphs,
        ));
        let spark = spark(transcript, &seat.spec.id, glyphs);
        if all * 3 <= rows && !spark.is_empty() {
            lines.push(Line::styled(format!("    {spark}"), theme.speaker_bar(place)));
        }
    }
    if seen < all {
        lines.push(Line::styled(format!("  and {} more", all - seen), muted));
    }
    lines
}

/// Returns the participants to whom a seat owes an answer, such as `owes Bo`; `None` if it owes none.
fn owed_answers(transcript: &Transcript, id: &SeatId) -> Option<String> {
    let state = transcript.state();
    let batches = state.threads.values().filter_map(|thread| thread.batch.as_ref());
    let open = batches.filter(|batch| batch.ended.iter().all(|reply| reply.seat != *id));
    let owed = open.flat_map(|batch| &batch.spec.owes).filter(|debt| debt.to == *id);
    let mut names: Vec<String> = owed.map(|debt| asker(transcript, debt)).collect();
    names.dedup();
    (!names.is_empty()).then(|| format!("owes {}", names.join(", ")))
}

fn asker(transcript: &Transcript, debt: &QuestionDebt) -> String {
    debt.from.as_ref().map_or_else(|| "you".to_owned(), |from| transcript.name(from))
}

/// Returns a line with text at both ends. The left one is shortened, but keeps up to half of the width.
fn both_ends(
    left: String,
    look: Style,
    right: String,
    muted: Style,
    room: usize,
    glyphs: &Glyphs,
) -> Line<'static> {
    let least = width(&left).min(room / 2);
    let right = clip(&right, room.saturating_sub(least + 1), glyphs.ellipsis);
    let left = clip(&left, room.saturating_sub(width(&right) + 1), glyphs.ellipsis);
    let gap = " ".repeat(room.saturating_sub(width(&left) + width(&right)));
    Line::from(vec![Span::styled(left, look), Span::raw(gap), Span::styled(right, muted)])
}

/// Returns the speed of a reply, in estimated tokens per second; `None` before its first text.
fn rate(transcript: &Transcript, turn: &Turn, now: Ms) -> Option<String> {
    let said = transcript.live.bytes(turn.id);
    let ms = now.since(turn.since).max(1);
    let tokens = (said as u64 / BYTES_PER_TOKEN) * 1_000 / ms;
    (tokens > 0).then(|| format!("~{tokens} tok/s"))
}

/// Returns the lengths of a seat's messages as a sparkline, as far as they fit; empty with fewer than two
/// messages.
fn spark(transcript: &Transcript, seat: &SeatId, glyphs: &Glyphs) -> String {
    let own = transcript.state().entries.iter().rev().take(SPARK_REACH);
    let own = own.filter(|e| e.number.is_some() && e.seat() == Some(seat)).take(SPARK_CELLS);
    let mut sizes: Vec<usize> = own.map(|e| e.text().len()).collect();
    sizes.reverse();
    let most = sizes.iter().max().copied().unwrap_or(0).max(1);
    let top = glyphs.levels.len() - 1;
    let level = |size: &usize| glyphs.levels[(size * top).div_ceil(most).min(top)];
    if sizes.len() < 2 { String::new() } else { sizes.iter().map(level).collect() }
}

fn floor(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let state = transcript.state();
    let mut lines = vec![heading(screen, "FLOOR")];
    // the cast and the line of the floor tell it
    if state.ended.is_some() || is_in_turn(transcript) {
        return lines;
    }
    let (queue, given) = next(transcript);
    let mut fact = |what: &str, words: String, style: Style| {
        if words.is_empty() {
            return;
        }
        let rows = wrap(&Line::styled(words, style), room.saturating_sub(FACT));
        for (what, mut row) in iter::once(what).chain(iter::repeat("")).zip(rows) {
            row.spans
                .insert(0, Span::styled(format!("{what:<FACT$}"), theme.style(ThemeRole::Muted)));
            lines.push(row);
        }
    };
    fact("policy", state.scenario.policy.name.replace('_', " "), theme.style(ThemeRole::Text));
    let now = transcript.names(state.turns.values().map(|t| &t.seat));
    fact("now", now, theme.style(ThemeRole::FloorSpeaking));
    fact(
        "why",
        why(state).map_or(String::new(), |w| text::label(w).into_owned()),
        theme.style(ThemeRole::Text),
    );
    fact("next", transcript.names(queue.iter().take(1)), theme.style(ThemeRole::FloorNext));
    fact("why", given, theme.style(ThemeRole::Text));
    fact("then", transcript.names(queue.iter().skip(1).take(3)), theme.style(ThemeRole::Text));
    lines
}

/// Returns the positions, the most common first; empty if no reply stated one in a readable form.
fn stances(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let mut held: Vec<(&str, Vec<&SeatId>)> = Vec::new();
    for seat in transcript.state().seats.iter().filter(|s| !s.gone) {
        let Some(now) = seat.stances.last() else { continue };
        match held.iter_mut().find(|(stance, _)| *stance == &*now.stance) {
            Some((_, by)) => by.push(&seat.spec.id),
            None => held.push((&now.stance, vec![&seat.spec.id])),
        }
    }
    held.sort_by_key(|(_, by)| std::cmp::Reverse(by.len()));
    let mut lines = vec![heading(screen, "POSITIONS")];
    for (stance, by) in held {
        let line = Line::from(vec![
            Span::styled(format!("{} ", text::label(stance)), theme.style(ThemeRole::Text)),
            Span::styled(transcript.names(by.iter().copied()), theme.style(ThemeRole::Muted)),
        ]);
        lines.extend(wrap(&line, room));
    }
    lines
}

/// Returns the reserves of running turns, in the unit of a limit; 0 for limits without reserves.
fn held(state: &State, limit: Limit) -> u64 {
    let reserves = state.turns.values().map(|turn| &turn.reserve);
    match limit {
        Limit::Usd => reserves.map(|reserve| reserve.usd().0).sum(),
        Limit::Tokens => reserves.map(|reserve| reserve.usage().tokens()).sum(),
        Limit::Utterances | Limit::Rounds | Limit::Batches | Limit::Seconds => 0,
    }
}

fn limits(screen: &Screen, now: Ms, room: usize) -> Vec<Line<'static>> {
    let state = screen.transcript.state();
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let mut lines = vec![heading(screen, "LIMITS")];
    for limit in Limit::ALL {
        let Some(most) = state.limits.get(limit) else { continue };
        let used = state.used(limit, now).min(most);
        let held = held(state, limit).min(most - used);
        let cells = |part: u64| part.saturating_mul(BAR_CELLS).checked_div(most).unwrap_or(0);
        let [filled, both] = [cells(used), cells(used + held)].map(|cells| cells as usize);
        let bar = [
            glyphs.full.repeat(filled),
            glyphs.shades[2].repeat(both - filled),
            glyphs.empty.repeat(BAR_CELLS as usize - both),
        ];
        let (name, figure) = match limit {
            Limit::Utterances => ("turns", format!("{used} of {most}")),
            Limit::Rounds | Limit::Batches => ("rounds", format!("{used} of {most}")),
            Limit::Tokens => ("tokens", format!("{used} of {most}")),
            Limit::Usd => ("cost", format!("{} of {}", Usd(used), Usd(most))),
            Limit::Seconds => (
                "time",
                format!(
                    "{} of {}",
                    clock(used.saturating_mul(1_000)),
                    clock(most.saturating_mul(1_000))
                ),
            ),
        };
        // an amount of money is never clipped: the name column shrinks
        let names = room.saturating_sub(width(&figure)).clamp(name.len() + 1, NAMES);
        lines.push(Line::from(vec![
            Span::styled(format!("{name:<names$}"), theme.style(ThemeRole::Muted)),
            Span::styled(figure, theme.style(ThemeRole::Text)),
        ]));
        let mut bar = Line::styled(bar.concat(), theme.style(ThemeRole::Rule));
        if held > 0 {
            let held = if limit == Limit::Usd { Usd(held).to_string() } else { tokens(held) };
            bar.push_span(Span::styled(format!("  + {held} held"), theme.style(ThemeRole::Muted)));
        }
        lines.push(bar);
    }
    lines
}
