//! The ambient view: the sentences that are being said, alone, and below them where the participants stand. For a screen
//! that is watched from afar.

use crate::text;
use crate::ui::draw::{header, stands};
use crate::ui::frame::Frame;
use crate::ui::screen::Screen;
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::next;
use crate::ui::view::transcript::{RowView, Transcript};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};

/// Maximum width of the text, in cells, and the minimum cells beside it.
const WIDTH_MAX: u16 = 72;
const BESIDE: u16 = 6;
/// Maximum width of the drawing, in cells.
const DRAWING_MAX: u16 = 100;
/// Rows above the text: the header, blanks and the name.
const TOP: u16 = 5;
/// Rows below it: a blank, the sentence before, a blank, and the footer.
const BOTTOM: u16 = 4;
/// Rows of a usual text with its name, which are in the middle of the screen.
const TEXT_USUAL: u16 = 14;
/// Minimum rows of the text beside a drawing.
const TEXT_MIN: u16 = 4;

/// A speaker and its text.
struct Said {
    place: Option<usize>,
    name: String,
    text: String,
}

/// Draws the view over the whole screen.
pub(super) fn draw(frame: &mut Frame<'_>, whole: Rect, screen: &mut Screen) {
    frame.wipe(whole, &screen.theme);
    header::draw(frame, Rect { height: 1, ..whole }, screen);
    let side = BESIDE.min(whole.width / 8);
    let width = WIDTH_MAX.min(whole.width.saturating_sub(2 * side));
    let drawing = stands::rows(screen);
    let room = whole.height.saturating_sub(TOP + BOTTOM);
    let drawing = if drawing + TEXT_MIN > room { 0 } else { drawing };
    let high = room - drawing + 2;
    let above = high.saturating_sub(TEXT_USUAL) / 2;
    let x = whole.x + (whole.width - width) / 2;
    let text = Rect { x, y: whole.y + TOP - 2 + above, width, height: high - above };
    let said = latest(&screen.transcript);
    let mut said = said.into_iter();
    let (now, before) = (said.next(), said.next());
    if let Some(now) = now {
        speech(frame, text, &now, screen);
    }
    if let Some(before) = before {
        let row = Rect { y: text.bottom() + 1, height: 1, ..text };
        let line = format!("before: {}  {}", before.name, last_sentence(&before.text));
        let line = clip(&line, usize::from(width), screen.glyphs.ellipsis);
        frame.render_widget(Line::styled(line, screen.theme.style(ThemeRole::Muted)), row);
    }
    if drawing > 0 {
        let y = whole.bottom().saturating_sub(drawing + 1);
        let width = whole.width.min(DRAWING_MAX);
        let x = whole.x + (whole.width - width) / 2;
        stands::draw(frame, Rect { x, y, width, height: drawing }, screen);
    }
    let last = Rect { y: whole.bottom() - 1, height: 1, ..whole };
    let muted = screen.theme.style(ThemeRole::Muted);
    let then = screen.transcript.names(next(&screen.transcript).0.iter().take(2));
    let then = if then.is_empty() { String::new() } else { format!(" then {then}") };
    frame.render_widget(Line::styled(then, muted), last);
    let back = Line::from(Span::styled("any key: back ", muted));
    frame.render_widget(back.right_aligned(), last);
}

/// Draws a name with spaces between its letters, and the last rows of the text.
fn speech(frame: &mut Frame<'_>, area: Rect, now: &Said, screen: &Screen) {
    let theme = &screen.theme;
    let style = match now.place {
        Some(place) => theme.speaker(place),
        None => theme.style(ThemeRole::SpeakerOperator),
    };
    let spaced: Vec<String> = now.name.to_uppercase().chars().map(String::from).collect();
    let mut lines = vec![Line::styled(spaced.join(" "), bold(style)), Line::default()];
    let block = text::block(&now.text);
    let text = theme.style(ThemeRole::Text);
    let mut rows = vec![];
    for line in block.lines() {
        rows.extend(wrap(&Line::styled(line.to_owned(), text), usize::from(area.width)));
    }
    let spare = usize::from(area.height).saturating_sub(lines.len());
    let hidden = rows.len().saturating_sub(spare);
    lines.extend(rows.into_iter().skip(hidden));
    frame.render_widget(Text::from(lines), area);
}

/// Returns the running reply, if it has text, then the latest messages; two at most.
fn latest(transcript: &Transcript) -> Vec<Said> {
    let mut said = vec![];
    for at in (0..transcript.len()).rev() {
        let (place, text) = match transcript.shown(at) {
            Some(RowView::Speaking(turn)) => {
                let text = transcript.live.said(turn.id).to_string();
                (Some(transcript.seat_place(&turn.seat)), text)
            }
            Some(RowView::Words(entry, _)) if entry.hidden.is_none() => {
                (entry.seat().map(|seat| transcript.seat_place(seat)), entry.text().to_string())
            }
            Some(RowView::Words(..) | RowView::Aside(..)) | None => continue,
        };
        if text.trim().is_empty() {
            continue;
        }
        let seat = place.and_then(|place| transcript.state().seats.get(place));
        let name = seat.map_or_else(|| "you".into(), |seat| transcript.name(&seat.spec.id));
        said.push(Said { place, name, text });
        if said.len() == 2 {
            break;
        }
    }
    said
}

/// Returns the last sentence of a text, on one line.
fn last_sentence(text: &str) -> String {
    let line = text::label(text).into_owned();
    let end = line.trim_end_matches(['.', '!', '?', '"', '”', ' ']).len();
    let start = line[..end].rfind(['.', '!', '?']).map_or(0, |at| at + 1);
    line[start..].trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_is_whole() {
        for (text, last) in [
            ("One. Two two.", "Two two."),
            ("Only one", "Only one"),
            ("A? \"B is here.\"", "\"B is here.\""),
            ("", ""),
        ] {
            assert_eq!(last_sentence(text), last);
        }
    }
}
