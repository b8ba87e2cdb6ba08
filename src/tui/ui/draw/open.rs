//! Open points in the sidebar: questions that a participant was asked and has not answered; after the end, the disputed
//! points of the result.

use crate::model::QuestionDebt;
use crate::state::State;
use crate::text;
use crate::ui::draw::bar::section_heading;
use crate::ui::screen::Screen;
use crate::ui::text::wrap::{clip, wrap};
use crate::ui::theme::ThemeRole;
use crate::ui::theme::glyphs::Glyphs;
use ratatui::text::{Line, Span};

/// Maximum number of open points.
const POINTS_MAX: usize = 3;
/// Maximum rows of a question.
const ROWS_MAX: usize = 2;

/// Returns the open points, the latest first.
pub(super) fn questions(screen: &Screen, room: usize) -> Vec<Line<'static>> {
    let transcript = &screen.transcript;
    let theme = &screen.theme;
    let [plain, muted] = [ThemeRole::Text, ThemeRole::Muted].map(|role| theme.style(role));
    let mut lines = vec![section_heading(screen, "OPEN")];
    let state = transcript.state();
    if let Some((result, _)) = state.result.as_ref().filter(|(_, at)| *at == state.utterances) {
        for point in result.open.iter().take(POINTS_MAX) {
            let bullet = format!("{} {}", screen.glyphs.dot, text::label(point));
            lines.extend(few_rows(&Line::styled(bullet, plain), room, screen.glyphs));
        }
        return lines;
    }
    for debt in unanswered(state).into_iter().rev().take(POINTS_MAX) {
        let quote = Line::styled(text::label(&debt.quote).into_owned(), plain);
        lines.extend(few_rows(&quote, room, screen.glyphs));
        let (by, style) = match &debt.from {
            Some(seat) => (transcript.name(seat), theme.speaker(transcript.seat_place(seat))),
            None => ("you".into(), theme.style(ThemeRole::SpeakerOperator)),
        };
        let to =
            Span::styled(transcript.name(&debt.to), theme.speaker(transcript.seat_place(&debt.to)));
        lines.push(Line::from(vec![
            Span::styled("  ", muted),
            Span::styled(by, style),
            Span::styled(" asks ", muted),
            to,
        ]));
    }
    lines
}

/// Returns the first rows of a text, the last one with an ellipsis if there are more.
fn few_rows(text: &Line<'_>, room: usize, glyphs: &Glyphs) -> Vec<Line<'static>> {
    let mut rows = wrap(text, room);
    if rows.len() > ROWS_MAX {
        rows.truncate(ROWS_MAX);
        if let Some(last) = rows.last_mut() {
            let style = last.spans.last().map_or(last.style, |span| span.style);
            let kept = clip(&last.to_string(), room.saturating_sub(1), "");
            *last = Line::styled(format!("{kept}{}", glyphs.ellipsis), style);
        }
    }
    rows
}

/// Returns the questions of the latest batch whose participant has not spoken since.
fn unanswered(state: &State) -> Vec<&QuestionDebt> {
    let Some(batch) = state.leaves().find_map(|thread| thread.batch.as_ref()) else {
        return vec![];
    };
    let spoke = |debt: &QuestionDebt| {
        let since = state.entries.iter().rev().take_while(|entry| entry.seq.0 > batch.id.0);
        since.into_iter().any(|entry| entry.number.is_some() && entry.seat() == Some(&debt.to))
    };
    batch.spec.owes.iter().filter(|debt| !spoke(debt)).collect()
}
