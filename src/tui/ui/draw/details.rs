//! The second panel of a wide screen: facts about the current message, then recent events.

use crate::export::{cost, utterances};
use crate::state::Spent;
use crate::text;
use crate::text::clock;
use crate::ui::action::Action;
use crate::ui::draw::heading::section_heading;
use crate::ui::draw::panel::wall;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::transcript::{RowKind, RowView};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Cells of the names of facts.
const NAME_WIDTH: usize = 9;
/// Maximum number of recent events.
const RECENT: usize = 12;

/// Draws the panel to the left of its border.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    wall(frame, area.right() - 1, area, screen);
    let inner = Rect { x: area.x + 1, width: area.width - 3, ..area };
    let room = usize::from(inner.width);
    let reading = screen.reading();
    let is_words = |at: &usize| {
        matches!(screen.transcript.shown(*at), Some(RowView::Words(..) | RowView::Speaking(_)))
    };
    let at = (0..=reading).rev().find(is_words).unwrap_or(reading);
    let mut lines = vec![Line::default()];
    for section in [message(screen, at, room), actions(screen), recent(screen, room)] {
        if section.len() > 1 {
            lines.extend(section);
            lines.push(Line::default());
        }
    }
    frame.render_widget(Text::from(lines), inner);
}

/// Returns the facts about the current message.
fn message(screen: &Screen, at: usize, room: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let mut lines = vec![section_heading(screen, "THIS MESSAGE")];
    let mut fact = |name: &str, words: String| {
        let line = Line::from(vec![
            Span::styled(format!("{name:<NAME_WIDTH$}"), theme.style(ThemeRole::Muted)),
            Span::styled(text::line(&words).into_owned(), theme.style(ThemeRole::Text)),
        ]);
        lines.extend(wrap(&line, room));
    };
    let (seat, number, turn, role) = match transcript.shown(at) {
        Some(RowView::Words(entry, _)) => {
            let version = entry.version();
            (entry.seat(), entry.number, version.turn, version.role.as_ref())
        }
        Some(RowView::Speaking(turn)) => {
            (Some(&turn.seat), turn.number, Some(turn.id), transcript.state().role_of(turn))
        }
        Some(RowView::Aside(..)) | None => return lines,
    };
    let number = number.map_or(String::new(), |n| format!("  #{n}"));
    fact("speaker", format!("{}{number}", seat.map_or("you".into(), |s| transcript.name(s))));
    role.into_iter().for_each(|role| fact("role", role.to_string()));
    let Some(turn) = turn else { return lines };
    let (call, end) = transcript.call_of(turn);
    if let Some((_, call)) = call {
        fact("model", call.model.to_string());
        fact(
            "context",
            match call.left_out {
                0 => "everything".into(),
                n => format!("{} left out", utterances(n)),
            },
        );
    }
    let Some(end) = end else { return lines };
    if let Some(usage) = &end.usage {
        let about = if usage.estimated { "~" } else { "" };
        let cached = match usage.cache_read {
            0 => String::new(),
            n => format!(" ({n} cached)"),
        };
        fact("tokens", format!("{about}{} in{cached}, {about}{} out", usage.input, usage.output));
        let mut spent = Spent::default();
        spent.add(usage, end.cost);
        fact("cost", cost(&spent));
    }
    let first =
        end.first_piece_ms.map_or(String::new(), |ms| format!(", first token {}", tenths(ms)));
    fact("took", format!("{}{first}", tenths(end.took_ms)));
    end.finish.iter().for_each(|finish| fact("finish", finish.to_string()));
    lines
}

fn tenths(ms: u64) -> String {
    format!("{}.{}s", ms / 1_000, ms % 1_000 / 100)
}

/// Returns the key bindings for the current message.
fn actions(screen: &Screen) -> Vec<Line<'static>> {
    let mut lines = vec![section_heading(screen, "ACTIONS")];
    let actions = [
        (Action::Prompt, "prompt"),
        (Action::Copy, "copy"),
        (Action::CopyPlain, "copy as plain text"),
        (Action::Zoom, "zoom"),
        (Action::Links, "links"),
    ];
    for (action, words) in actions {
        let Some(key) = screen.keymap.key(action, Focus::Read) else { continue };
        lines.push(Line::from(vec![
            Span::styled(format!("{key:<3}"), screen.theme.style(ThemeRole::HintKey)),
            Span::styled(words, screen.theme.style(ThemeRole::Text)),
        ]));
    }
    lines
}

/// Returns the events other than messages, the latest first.
fn recent(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let mut lines = vec![section_heading(screen, "RECENT EVENTS")];
    let asides = screen.transcript.asides().rev().filter_map(|row| match &row.item {
        RowKind::Aside(aside) => Some((row.at, &aside.head)),
        RowKind::Words(_) => None,
    });
    for (at, head) in asides.take(RECENT) {
        let time = clock(at.0);
        let head = clip(&text::line(head), room.saturating_sub(time.len() + 2), glyphs.ellipsis);
        lines.push(Line::from(vec![
            Span::styled(format!("{time}  "), theme.style(ThemeRole::Muted)),
            Span::styled(head, theme.style(ThemeRole::MessageNote)),
        ]));
    }
    lines
}
