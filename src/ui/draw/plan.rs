//! The plan of the conversation below the transcript: a row for each step.

use crate::model::StepState;
use crate::ui::action::Action;
use crate::ui::draw::coordination::heading;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::plan::{PlanStanding, StepStanding, sign, status};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Maximum cells of a name.
const NAME_MAX: usize = 14;
/// Cells of the longest name of a state.
const STATE: usize = 9;
/// Minimum columns at which the executor of a step and its exchange are shown.
const ALL_FROM: usize = 64;

/// Returns the rows that the plan needs: a heading and one for each step.
pub fn rows(screen: &Screen) -> u16 {
    let steps = status(&screen.transcript).map_or(0, |plan| plan.steps.len());
    if steps == 0 { 0 } else { u16::try_from(steps).map_or(u16::MAX, |n| n.saturating_add(1)) }
}

/// Draws the plan. If not all steps fit, finished ones are dropped first, and the last row counts the hidden ones.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let Some(plan) = status(&screen.transcript) else { return };
    heading(frame, area, "PLAN", &plan.facts, Action::Dependencies, screen);
    let below = usize::from(area.height.saturating_sub(1));
    let all = plan.steps.len();
    let room = if all > below { below.saturating_sub(1) } else { all };
    let open = plan.steps.iter().position(|s| !s.state.is_over()).unwrap_or(0);
    let first = open.min(all - room);
    let seen = first..first + room;
    let columns = Columns::new(&plan, usize::from(area.width));
    let shown = plan.steps.iter().skip(first).take(room);
    let mut lines: Vec<Line<'static>> = shown.map(|step| row(step, &columns, screen)).collect();
    if room < all {
        let hidden = plan.steps.iter().enumerate().filter(|(at, _)| !seen.contains(at));
        let hidden = rest(hidden.map(|(_, step)| step.state));
        lines.push(Line::styled(hidden, screen.theme.style(ThemeRole::Muted)));
    }
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    frame.render_widget(ratatui::text::Text::from(lines), body);
}

/// Widths of the parts of a row, in cells.
struct Columns {
    number: usize,
    description: usize,
    name: usize,
    last: usize,
    all: bool,
}

impl Columns {
    fn new(plan: &PlanStanding, room: usize) -> Columns {
        let all = room >= ALL_FROM;
        let steps = || plan.steps.iter();
        let number = steps().map(|s| s.number.to_string().len()).max().unwrap_or(1);
        let name = |s: &StepStanding| s.executor.as_ref().map_or(0, |(_, name)| width(name));
        let name = if all { steps().map(name).max().unwrap_or(0).min(NAME_MAX) } else { 0 };
        let last = steps().map(|s| width(&last_event(s, all))).max().unwrap_or(0);
        // gaps around the number, the symbol and the state, before the last event, and at the edge
        let around = number + STATE + 8 + if name > 0 { name + 2 } else { 0 };
        let spare = room.saturating_sub(around);
        let last = last.min(spare * 3 / 5);
        Columns { number, description: spare - last, name, last, all }
    }
}

/// Returns the last event of a step, with its exchange.
fn last_event(step: &StepStanding, all: bool) -> String {
    match step.exchange {
        Some((now, _)) if all && step.state == StepState::Completed => {
            let messages = if now == 1 { "1 message".into() } else { format!("{now} messages") };
            format!("{}, {messages}", step.last)
        }
        Some((now, most)) if all && !step.last.is_empty() => {
            format!("{}, {now} of {most}", step.last)
        }
        _ => step.last.clone(),
    }
}

fn row(step: &StepStanding, columns: &Columns, screen: &Screen) -> Line<'static> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let filled = |words: &str, room: usize| {
        let words = clip(words, room, glyphs.ellipsis);
        let gap = " ".repeat(room.saturating_sub(width(&words)));
        format!("{words}{gap}")
    };
    let (sign, role) = sign(step.state, glyphs);
    let text = if step.state.is_over() { ThemeRole::Muted } else { ThemeRole::Text };
    let mut spans = vec![
        Span::styled(format!(" {:>1$} ", step.number, columns.number), theme.style(text)),
        Span::styled(format!("{sign} {:<STATE$} ", step.word), theme.style(role)),
        Span::styled(filled(&step.description, columns.description), theme.style(text)),
    ];
    if columns.name > 0 {
        let (style, name) = match &step.executor {
            Some((place, name)) => (theme.speaker(*place), name.as_str()),
            None => (theme.style(text), ""),
        };
        spans.push(Span::styled(format!("  {}", filled(name, columns.name)), style));
    }
    let last = clip(&last_event(step, columns.all), columns.last, glyphs.ellipsis);
    spans.push(Span::styled(format!("  {last}"), theme.style(ThemeRole::Muted)));
    Line::from(spans)
}

/// Returns the number of hidden steps per state.
fn rest(hidden: impl Iterator<Item = StepState>) -> String {
    let hidden: Vec<StepState> = hidden.collect();
    let all = [
        StepState::Running,
        StepState::Waiting,
        StepState::Completed,
        StepState::Failed,
        StepState::Blocked,
        StepState::Cancelled,
    ];
    let count = |state: StepState| {
        let n = hidden.iter().filter(|s| **s == state).count();
        (n > 0).then(|| format!("{n} {}", state.as_str()))
    };
    let parts: Vec<String> = all.into_iter().filter_map(count).collect();
    format!(" and {} more: {}", hidden.len(), parts.join(", "))
}
