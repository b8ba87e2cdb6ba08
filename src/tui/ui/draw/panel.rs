//! The side panel: the cast and its activity, the floor with the reason, and the limits with their usage.

use crate::export::cost;
use crate::model::{Limit, Ms, QuestionDebt, STANCE_MAX, SeatId, Usd};
use crate::state::{Seat, State, Turn};
use crate::text;
use crate::text::clock;
use crate::ui::action::Action;
use crate::ui::draw::cast::select;
use crate::ui::draw::heading::section_heading;
use crate::ui::draw::open;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::{is_in_turn, is_next, next, seat_word, tokens, why};
use crate::ui::view::transcript::Transcript;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use std::iter;

/// Maximum number of messages in a seat's sparkline.
const SPARK_CELLS: usize = 8;
/// Number of latest messages that are searched for them, to bound the cost of long conversations.
const SPARK_REACH: usize = 200;
/// Estimated bytes per token of a reply in progress.
const BYTES_PER_TOKEN: u64 = 4;
/// Width of the labels before facts about the floor.
const FACT: usize = 7;
/// Maximum distance between two positions.
const APART_MAX: usize = 2 * STANCE_MAX as usize;
/// Maximum number of rows about who moved whom.
const MOVERS: usize = 5;
/// Cells of the names of limits.
const NAMES: usize = 12;
/// Length of a bar, in cells.
const BAR_CELLS: u64 = 10;
/// Cells before the second and the third row of a seat.
const INDENT: usize = 4;
/// Minimum cells of a role beside a figure.
const ROLE_LEAST: usize = 6;

/// Draws the panel to the right of its border.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    wall(frame, area.x, area, screen);
    let inner = Rect { x: area.x + 2, width: area.width - 3, ..area };
    let now = screen.clock.now();
    let room = usize::from(inner.width);
    let mut lines = vec![Line::default()];
    let stances = if screen.transcript.positions().is_some() {
        distances(screen, room)
    } else {
        stances(screen, room)
    };
    // the sections above the changing ones have the same rows from turn to turn
    let fixed = [stances, limits(screen, now, room)];
    let needed = fixed.iter().filter(|section| section.len() > 1).map(|section| section.len() + 1);
    let rows = usize::from(inner.height).saturating_sub(needed.sum::<usize>() + 2).max(CAST_LEAST);
    let cast = cast(screen, now, room, rows);
    let others = fixed.into_iter().chain([open::questions(screen, room), floor(screen, room)]);
    for section in [cast].into_iter().chain(others.filter(|section| section.len() > 1)) {
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

/// Minimum rows of the cast, however much else is in the panel.
const CAST_LEAST: usize = 8;

/// Returns the seats within a number of rows: three each, two or one; if not all fit, the seats around the speaker.
fn cast(screen: &Screen, now: Ms, room: usize, rows: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let state = transcript.state();
    let (queue, _) = next(transcript);
    let muted = theme.style(ThemeRole::Muted);
    let calls = state.seats.iter().any(|seat| seat.spent.used().is_some());
    let unit = if calls { "tokens" } else { "turns" };
    let head = both_ends("CAST".into(), muted, unit.into(), muted, room, glyphs);
    let mut lines = vec![head];
    let seats: Vec<(usize, &Seat)> = state.cast().collect();
    let all = seats.len();
    let rows = rows.saturating_sub(1);
    let seen = if all > rows { rows.saturating_sub(1) } else { all };
    let speaks = |s: &Seat| state.turns.values().any(|t| t.seat == s.spec.id);
    let is_selected = |place: usize| screen.view.selected == Some(place);
    let around = seats.iter().position(|(place, _)| is_selected(*place));
    let around = around.or_else(|| seats.iter().position(|(_, seat)| speaks(seat))).unwrap_or(0);
    let first = around.saturating_sub(seen / 2).min(all - seen);
    for (place, seat) in seats.into_iter().skip(first).take(seen) {
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
        let role = state.present_role(&seat.spec.id).map(|role| text::name(role));
        let model = if state.has_several_models() { seat.spec.voice.as_model() } else { None };
        let model = model.map(|model| text::name(model.short_name()));
        let role = role.into_iter().chain(model).collect::<Vec<_>>().join(", ");
        let look = if turn.is_some() {
            ThemeRole::FloorSpeaking
        } else if is_next(transcript, &seat.spec.id, &queue) {
            ThemeRole::FloorNext
        } else {
            ThemeRole::FloorWaiting
        };
        let end = match turn {
            Some(turn) => rate(transcript, turn, now),
            None => seat.spent.used().map(|_| cost(&seat.spent)),
        };
        let word = Span::styled(word, theme.style(look));
        lines.push(activity(role, word, end.unwrap_or_default(), muted, room, glyphs));
        if all * 3 <= rows {
            let spark = spark(transcript, &seat.spec.id, glyphs);
            let words = words_a_turn(transcript, &seat.spec.id);
            lines.push(Line::from(vec![
                Span::styled(format!("    {spark}"), theme.speaker_bar(place)),
                Span::styled(words, muted),
            ]));
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

/// Returns the second row of a seat: its role, its activity, and at the right end a figure. The role is clipped first.
fn activity(
    role: String,
    word: Span<'static>,
    end: String,
    muted: Style,
    room: usize,
    glyphs: &Glyphs,
) -> Line<'static> {
    let indent = " ".repeat(INDENT);
    if word.content.is_empty() || role.is_empty() {
        let (text, style) =
            if role.is_empty() { (&*word.content, word.style) } else { (&*role, muted) };
        return both_ends(format!("{indent}{text}"), style, end, muted, room, glyphs);
    }
    let dot = format!(" {} ", glyphs.dot);
    let needed = width(&word.content) + width(&dot) + INDENT;
    let spare = room.saturating_sub(needed);
    let end_room = if end.is_empty() { 0 } else { width(&end) + 1 };
    // the figure is dropped before the role
    let end = if spare < ROLE_LEAST + end_room { String::new() } else { end };
    let end_room = if end.is_empty() { 0 } else { end_room };
    let role = clip(&role, spare.saturating_sub(end_room), glyphs.ellipsis);
    let gap = " ".repeat(room.saturating_sub(needed + width(&role) + width(&end)));
    Line::from(vec![
        Span::styled(format!("{indent}{role}{dot}"), muted),
        word,
        Span::raw(gap),
        Span::styled(end, muted),
    ])
}

/// Returns the average length of a seat's latest messages; empty before the first.
fn words_a_turn(transcript: &Transcript, seat: &SeatId) -> String {
    let own = transcript.state().entries.iter().rev().take(SPARK_REACH);
    let own = own.filter(|e| e.number.is_some() && e.seat() == Some(seat)).take(SPARK_CELLS);
    let words: Vec<u32> = own.map(|entry| text::word_count(entry.text())).collect();
    let all: u32 = words.iter().sum();
    let average = all.checked_div(words.len() as u32);
    average.map_or_else(String::new, |average| format!(" {average} words a turn"))
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

/// Returns the lengths of a seat's latest messages as a sparkline.
fn spark(transcript: &Transcript, seat: &SeatId, glyphs: &Glyphs) -> String {
    let own = transcript.state().entries.iter().rev().take(SPARK_REACH);
    let own = own.filter(|e| e.number.is_some() && e.seat() == Some(seat)).take(SPARK_CELLS);
    let mut sizes: Vec<usize> = own.map(|e| e.text().len()).collect();
    sizes.reverse();
    let most = sizes.iter().max().copied().unwrap_or(0).max(1);
    let top = glyphs.levels.len() - 1;
    let level = |size: &usize| glyphs.levels[(size * top).div_ceil(most).min(top)];
    sizes.iter().map(level).collect()
}

fn floor(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let state = transcript.state();
    let mut lines = vec![section_heading(screen, "FLOOR")];
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

/// Returns the distance between the participants over the turns, how often each moved, and by whom.
fn distances(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let Some(standing) = screen.transcript.positions() else { return vec![] };
    let theme = &screen.theme;
    let [muted, plain] = [ThemeRole::Muted, ThemeRole::Text].map(|role| theme.style(role));
    let mut lines = vec![];
    let apart = standing.apart();
    if let (Some(first), Some(last)) = (apart.first(), apart.last()) {
        let steps = || (first.to_string(), last.to_string());
        let (first, last) = standing.range().unwrap_or_else(steps);
        lines.push(Line::from(vec![
            Span::styled(format!("{:<FACT$}", "APART"), muted),
            Span::styled(apart_bar(&apart, screen.glyphs), theme.style(ThemeRole::Notice)),
            Span::styled(format!("  {first} {} {last}", screen.glyphs.becomes), plain),
        ]));
    }
    let moves = standing.moves();
    let mut moved = vec![];
    for track in &standing.tracks {
        let times = moves.iter().filter(|moved| moved.place == track.place).count();
        moved.push(Span::styled(format!("{} {times}  ", track.name), theme.speaker(track.place)));
    }
    lines.extend(fact_rows("MOVED", Line::from(moved), room, muted));
    let name = |place: usize| {
        let seat = screen.transcript.state().seats.get(place);
        let name = seat.map_or_else(String::new, |seat| screen.transcript.name(&seat.spec.id));
        Span::styled(name, theme.speaker(place))
    };
    for (nth, (by, whom, times)) in standing.movers().into_iter().take(MOVERS).enumerate() {
        let times = match times {
            1 => " once".to_owned(),
            2 => " twice".to_owned(),
            more => format!(" {more} times"),
        };
        let row =
            vec![name(by), Span::styled(" moved ", muted), name(whom), Span::styled(times, muted)];
        lines.extend(fact_rows(if nth == 0 { "BY" } else { "" }, Line::from(row), room, muted));
    }
    lines
}

/// Returns a label and the rows of a fact behind it.
fn fact_rows(
    label: &'static str,
    fact: Line<'static>,
    room: usize,
    look: Style,
) -> Vec<Line<'static>> {
    let rows = wrap(&fact, room.saturating_sub(FACT));
    let mut lines = vec![];
    for (label, mut row) in iter::once(label).chain(iter::repeat("")).zip(rows) {
        row.spans.insert(0, Span::styled(format!("{label:<FACT$}"), look));
        lines.push(row);
    }
    lines
}

/// Returns the distances over the turns in at most ten cells.
pub(super) fn apart_bar(apart: &[usize], glyphs: &Glyphs) -> String {
    let cells = apart.len().min(BAR_CELLS as usize);
    let top = glyphs.levels.len() - 1;
    let at = |cell: usize| apart[((cell + 1) * apart.len()).div_ceil(cells) - 1];
    (0..cells).map(|cell| glyphs.levels[(at(cell) * top).div_ceil(APART_MAX).min(top)]).collect()
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
    let mut lines = vec![section_heading(screen, "POSITIONS")];
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
    let mut lines = vec![section_heading(screen, "LIMITS")];
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
