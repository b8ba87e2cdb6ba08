//! The completions of the current word, above the status line.

use crate::ui::action::Action;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Block, Clear};

/// Maximum visible rows.
const ROWS: usize = 8;

/// Draws the completions, if there are any.
pub fn draw(frame: &mut Frame<'_>, _: Rect, screen: &mut Screen) {
    let (Some(offer), Focus::Write) = (&screen.view.completion, screen.view.place()) else {
        return;
    };
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let areas = screen.view.areas;
    let above = usize::from(areas.transcript.height + areas.card.height).saturating_sub(1);
    let rows = offer.candidates.len().min(ROWS).min(above);
    let whole = areas.floor;
    let area =
        Rect { y: whole.y.saturating_sub(rows as u16 + 1), height: rows as u16 + 1, ..whole };
    let room = usize::from(area.width);
    let way = |action| screen.keymap.way(action, Focus::Write);
    let told = format!(
        " {} accept  {} close  {} of {} ",
        way(Action::Complete),
        way(Action::Back),
        offer.at + 1,
        offer.candidates.len()
    );
    let told = clip(&told, room.saturating_sub(2), glyphs.ellipsis);
    let rest = glyphs.rule.repeat(room.saturating_sub(2 + width(&told)));
    let rule = theme.style(ThemeRole::Rule);
    let mut lines = vec![Line::from(vec![
        Span::styled(glyphs.rule.repeat(2), rule),
        Span::styled(told, theme.style(ThemeRole::Muted)),
        Span::styled(rest, rule),
    ])];
    let names = offer.candidates.iter().map(|c| width(&c.words)).max().unwrap_or(0).min(room / 2);
    let from = (offer.at + 1).saturating_sub(rows);
    for (i, candidate) in offer.candidates.iter().enumerate().skip(from).take(rows) {
        let look = |role| theme.style(if i == offer.at { ThemeRole::Selection } else { role });
        let sign = if i == offer.at { glyphs.speaking } else { " " };
        let name = clip(&candidate.words, names, glyphs.ellipsis);
        let gap = " ".repeat(names - width(&name));
        let about = clip(&candidate.about, room.saturating_sub(names + 6), glyphs.ellipsis);
        let pad = " ".repeat(room.saturating_sub(names + 6 + width(&about)));
        lines.push(Line::from(vec![
            Span::styled(format!(" {sign} "), look(ThemeRole::Text)),
            Span::styled(format!("{name}{gap}  "), look(ThemeRole::HintKey)),
            Span::styled(format!("{about}{pad} "), look(ThemeRole::Text)),
        ]));
    }
    let ground = theme.style(ThemeRole::Overlay).patch(theme.style(ThemeRole::Text));
    frame.render_widget(Clear, area);
    frame.render_widget(Block::new().style(ground), area);
    frame.render_widget(Text::from(lines).style(Style::new()), area);
}
