//! The figures, over everything but the header and the footer.

use crate::export::figures;
use crate::ui::Screen;
use crate::ui::study::{PAGES, lanes};
use crate::ui::theme::Role;
use crate::ui::wrap::{clip, wrap};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Draws the page that is open, if the figures are.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(mut study) = screen.view.study.take() else { return };
    study.renew(&screen.story);
    let (theme, glyphs) = (&screen.theme, screen.glyphs);
    let footer = screen.view.areas.footer.height;
    let above = screen.view.areas.header.height;
    let area = Rect { y: whole.y + above, height: whole.height - above - footer, ..whole };
    frame.render_widget(Clear, area);
    let ground = theme.style(Role::Background).patch(theme.style(Role::Text));
    frame.render_widget(ratatui::widgets::Block::new().style(ground), area);

    let room = usize::from(area.width).saturating_sub(2);
    let mut tabs = vec![Span::styled(" ANALYSIS  ", theme.style(Role::Title))];
    for (i, (name, _)) in PAGES.iter().enumerate() {
        let role = if i == study.page { Role::Selection } else { Role::Muted };
        tabs.push(Span::styled(format!(" {} {name} ", i + 1), theme.style(role)));
    }
    let rule = Line::styled(glyphs.rule.repeat(usize::from(area.width)), theme.style(Role::Rule));
    let mut rows: Vec<Line<'static>> = Vec::new();
    if study.page == 0 {
        let columns = "one column an utterance, as high as it has words; the last ones that fit";
        rows.extend(told(columns, theme.style(Role::Muted), room));
        for (place, lane) in lanes(&screen.story, glyphs, room) {
            rows.push(Line::styled(format!(" {lane}"), theme.speaker(place)));
        }
        rows.push(Line::default());
    }
    // a table's heading, what it counts, and its columns stand above its rows
    let mut events = 0;
    for table in study.tables() {
        rows.push(Line::styled(
            format!(" {}", table.title.to_uppercase()),
            theme.style(Role::Title),
        ));
        rows.extend(told(table.counts, theme.style(Role::Muted), room));
        let text = figures::text(std::slice::from_ref(&table));
        let mut lines = text.lines().skip(3);
        let head = lines.next().unwrap_or_default();
        rows.push(Line::styled(clip(head, room, glyphs.ellipsis), theme.style(Role::Muted)));
        events = rows.len();
        for line in lines {
            rows.push(Line::raw(clip(line, room, glyphs.ellipsis)));
        }
        rows.push(Line::default());
    }
    let height = usize::from(area.height).saturating_sub(2);
    study.height = height;
    let top = if study.chooses() {
        study.at = study.at.min(rows.len().saturating_sub(events + 2));
        if let Some(row) = rows.get_mut(events + study.at).filter(|r| r.width() > 0) {
            *row = row.clone().style(theme.style(Role::Selection));
        }
        (events + study.at + 1).saturating_sub(height)
    } else {
        study.at = study.at.min(rows.len().saturating_sub(height));
        study.at
    };
    let shown = rows.into_iter().skip(top).take(height);
    let lines: Vec<Line<'static>> = [Line::from(tabs), rule].into_iter().chain(shown).collect();
    frame.render_widget(Text::from(lines), area);
    screen.view.study = Some(study);
}

fn told(words: &str, style: Style, room: usize) -> Vec<Line<'static>> {
    wrap(&Line::styled(format!(" {words}"), style), room)
}
