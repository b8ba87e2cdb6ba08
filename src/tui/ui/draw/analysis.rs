//! The analysis overlay, over everything but the header and the footer.

use crate::analysis::{Cell, FigurePage, Table};
use crate::export::figures;
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use crate::ui::view::analysis::{Laid, LaidFor};
use crate::ui::view::charts;
use crate::ui::view::transcript::Transcript;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::Clear;

/// Columns below which the tabs take the whole row, without a title.
const NAMED_COLUMNS: u16 = 60;

/// Draws the open page of the analysis, if any.
pub fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    let Some(mut analysis) = screen.view.over.analysis.take() else { return };
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let footer = screen.view.areas.footer.height;
    let above = screen.view.areas.header.height;
    let area = Rect { y: whole.y + above, height: whole.height - above - footer, ..whole };
    frame.render_widget(Clear, area);
    let ground = theme.style(ThemeRole::Background).patch(theme.style(ThemeRole::Text));
    frame.render_widget(ratatui::widgets::Block::new().style(ground), area);

    let room = usize::from(area.width).saturating_sub(2);
    let named = if area.width < NAMED_COLUMNS { "" } else { "ANALYSIS " };
    let mut tabs = vec![Span::styled(format!(" {named}"), theme.style(ThemeRole::Title))];
    for (i, page) in FigurePage::ALL.into_iter().enumerate() {
        let role = if page == analysis.page { ThemeRole::Selection } else { ThemeRole::Muted };
        tabs.push(Span::styled(format!(" {} {} ", i + 1, page.name()), theme.style(role)));
    }
    let rule =
        Line::styled(glyphs.rule.repeat(usize::from(area.width)), theme.style(ThemeRole::Rule));
    let transcript = &screen.transcript;
    let laid = analysis.laid(transcript, room, |page| lay(page, transcript, theme, glyphs, room));
    let height = usize::from(area.height).saturating_sub(2);
    analysis.height = height;
    let mut lit = screen.view.over.search.as_ref().map(|search| (search, laid.rows.clone()));
    if let Some((search, all)) = &mut lit
        && let Some(line) = analysis.found.light(all, search, theme, analysis.at)
    {
        analysis.at = match analysis.chooses() {
            true => line.saturating_sub(laid.first),
            false if (analysis.at..analysis.at + height).contains(&line) => analysis.at,
            false => line.saturating_sub(height / 2),
        };
    }
    let (top, chosen) = if analysis.chooses() {
        analysis.at = analysis.at.min(laid.rows.len().saturating_sub(laid.first + 2));
        let chosen = laid.first + analysis.at;
        ((chosen + 1).saturating_sub(height), Some(chosen))
    } else {
        analysis.at = analysis.at.min(laid.rows.len().saturating_sub(height));
        (analysis.at, None)
    };
    let selection = theme.style(ThemeRole::Selection);
    let all = lit.as_ref().map_or(&laid.rows, |(_, all)| all);
    let shown = all.iter().enumerate().skip(top).take(height);
    let shown = shown.map(|(at, row)| {
        if chosen == Some(at) && row.width() > 0 {
            row.clone().style(selection)
        } else {
            row.clone()
        }
    });
    let lines: Vec<Line<'static>> = [Line::from(tabs), rule].into_iter().chain(shown).collect();
    frame.render_widget(Text::from(lines), area);
    screen.view.over.analysis = Some(analysis);
}

/// Lays a page out as rows: above each table its heading, its caption and its column titles.
fn lay(
    page: FigurePage,
    transcript: &Transcript,
    theme: &Theme,
    glyphs: &Glyphs,
    room: usize,
) -> Laid {
    let tables = transcript.analysis().page(page);
    let muted = theme.style(ThemeRole::Muted);
    let mut rows = Vec::new();
    let mut first = 0;
    let pictures = match page {
        FigurePage::Floor => vec![charts::shares(transcript, glyphs, room)],
        FigurePage::Cost => vec![
            charts::spent(transcript, glyphs, room),
            charts::growth(transcript, glyphs, room),
            charts::cost(transcript, glyphs, room),
        ],
        FigurePage::Positions => vec![
            charts::votes(transcript, glyphs, room),
            charts::scores(transcript, glyphs, room),
            charts::mentions(transcript, glyphs, room),
        ],
        FigurePage::Events => vec![],
    };
    let row = |(place, row): (Option<usize>, String)| {
        let style = place.map_or(muted, |place| theme.speaker_bar(place));
        Line::styled(clip(&format!(" {row}"), room, glyphs.ellipsis), style)
    };
    for picture in pictures.into_iter().filter(|picture| !picture.is_empty()) {
        rows.extend(picture.into_iter().map(row));
        rows.push(Line::default());
    }
    if page == FigurePage::Floor {
        let columns = "words per turn, latest on the right";
        rows.extend(wrap_styled(columns, muted, room));
        rows.extend(charts::lanes(transcript, glyphs, room).into_iter().map(row));
        rows.push(Line::default());
    }
    for table in tables.iter().filter(|table| !table.rows.is_empty()) {
        let title = format!(" {}", table.title.to_uppercase());
        rows.push(Line::styled(title, theme.style(ThemeRole::Title)));
        rows.extend(wrap_styled(table.counts, muted, room));
        let (shown, left_out) = fitting(table.clone(), room);
        if !left_out.is_empty() {
            let more = format!("{}: widen the window", left_out.join(", "));
            rows.extend(wrap_styled(&more, muted, room));
        }
        let text = figures::text(std::slice::from_ref(&shown));
        let mut lines = text.lines().skip(3);
        let head = lines.next().unwrap_or_default();
        rows.push(Line::styled(clip(head, room, glyphs.ellipsis), muted));
        first = rows.len();
        rows.extend(lines.map(|line| Line::raw(clip(line, room, glyphs.ellipsis))));
        rows.push(Line::default());
    }
    if rows.is_empty() {
        let nothing = match page {
            FigurePage::Events => {
                "no events yet: votes, verdicts, failures and your commands are listed here"
            }
            _ => "nothing yet",
        };
        rows.extend(wrap_styled(nothing, muted, room));
    }
    Laid { rows, first, tables }
}

/// Returns a closure that computes and lays out the requested page on another thread; `None` without a request.
pub fn counting(screen: &mut Screen) -> Option<impl FnOnce() -> (LaidFor, Laid) + Send + use<>> {
    let (page, _, room) = screen.view.over.analysis.as_mut()?.wanted()?;
    let transcript = screen.transcript.clone();
    let theme = screen.theme.clone();
    let glyphs = screen.glyphs;
    Some(move || {
        let happened = transcript.turn_log.happened();
        ((page, happened, room), lay(page, &transcript, &theme, glyphs, room))
    })
}

/// Drops columns from the end of a table until the rest fits; returns their titles as well.
fn fitting(mut table: Table, room: usize) -> (Table, Vec<String>) {
    let mut left_out = Vec::new();
    let mut wide = figures::widths(&table);
    // a text column at the end may be cut: it stays useful
    let ends_in_words = |table: &Table| {
        let last = table.columns.len().saturating_sub(1);
        table.rows.iter().any(|row| matches!(row.get(last), Some(Cell::Text(_))))
    };
    // each column has two cells of padding before it
    while table.columns.len() > table.keys + 1
        && !ends_in_words(&table)
        && wide.iter().map(|wide| wide + 2).sum::<usize>() > room
    {
        wide.pop();
        left_out.splice(0..0, table.columns.pop().map(|column| column.title));
        for row in &mut table.rows {
            row.truncate(table.columns.len());
        }
    }
    (table, left_out)
}

fn wrap_styled(words: &str, style: Style, room: usize) -> Vec<Line<'static>> {
    wrap(&Line::styled(format!(" {words}"), style), room)
}
