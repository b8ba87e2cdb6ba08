//! The frame and the area of an overlay above the transcript.

use crate::text;
use crate::ui::layout::Areas;
use crate::ui::screen::Screen;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole};
use ratatui::layout::Rect;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

/// Minimum cells beside an overlay; with fewer it takes the whole width, because text cut by its edge would only
/// distract.
const BESIDE: u16 = 12;

/// Returns the area for an overlay of a given size: between header and footer, which stay visible.
pub(super) fn on_top(whole: Rect, areas: &Areas, wide: u16, high: u16) -> Rect {
    let width = if whole.width < wide + 2 * BESIDE { whole.width } else { wide };
    let room = areas.floor.y.saturating_sub(areas.header.bottom());
    let height = room.min(high);
    let y = areas.header.bottom() + (room - height) / 3;
    Rect { x: whole.x + (whole.width - width) / 2, y, width, height }
}

/// Returns the frame of an overlay, with its title and the key that closes it.
pub(super) fn framed(screen: &Screen, title: &str, close: &str) -> Block<'static> {
    let theme = &screen.theme;
    let close = Line::styled(format!(" {close} close "), theme.style(ThemeRole::Muted));
    frame(theme, screen.glyphs, title).title(close.right_aligned())
}

/// Returns the frame of an overlay with its title.
pub(super) fn frame(theme: &Theme, glyphs: &Glyphs, title: &str) -> Block<'static> {
    let [top_left, top_right, bottom_left, bottom_right] = glyphs.corners;
    let border = border::Set {
        top_left,
        top_right,
        bottom_left,
        bottom_right,
        vertical_left: glyphs.wall,
        vertical_right: glyphs.wall,
        horizontal_top: glyphs.rule,
        horizontal_bottom: glyphs.rule,
    };
    let title_style = theme.style(ThemeRole::Text).patch(theme.style(ThemeRole::Title));
    let title = (!title.is_empty()).then(|| format!(" {} ", text::line(title)));
    Block::bordered()
        .border_set(border)
        .border_style(theme.style(ThemeRole::Rule))
        .title(Span::styled(title.unwrap_or_default(), title_style))
        .style(theme.style(ThemeRole::Overlay).patch(theme.style(ThemeRole::Text)))
}
