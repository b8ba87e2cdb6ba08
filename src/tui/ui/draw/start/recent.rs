//! Recent sessions on the start screen: one row or two each, enough to distinguish sessions of the same title.

use crate::catalogue::{SessionStatus, SessionSummary};
use crate::model::StopReason;
use crate::text;
use crate::ui::draw::start::page::StartPage;
use crate::ui::start::{StartRow, ago, status_text};
use crate::ui::text::wrap::{clip, clip_middle, width};
use crate::ui::theme::ThemeRole;
use ratatui::text::{Line, Span};

/// Maximum number of listed sessions on a tall screen, and on a low one.
const LISTED: (usize, usize) = (6, 4);
/// Minimum columns at which a session shows its number of turns and its age.
const FIGURES_COLUMNS: usize = 60;
/// Minimum cells of a title that is followed by the last message.
const TITLE_MIN: usize = 24;

impl StartPage<'_> {
    /// Adds the sessions that fit, scrolled so that the focused one is visible.
    pub(super) fn sessions(&mut self) {
        let start = self.start;
        let figures = self.room >= FIGURES_COLUMNS;
        let head = if figures { format!("{:>7}{:>9}", "turns", "updated") } else { String::new() };
        let gap = self.room.saturating_sub(8 + width(&head));
        self.heading(&format!("{:<7}{}{head}", "Recent", " ".repeat(gap)));
        let at = if let StartRow::Session(at) = start.at { at } else { 0 };
        let listed = listed(self.tall);
        let from = (at + 1).saturating_sub(listed);
        for (i, session) in start.sessions.iter().enumerate().skip(from).take(listed) {
            self.session(i, session, figures);
        }
        let more = start.sessions.len().saturating_sub(from + listed);
        if more > 0 {
            self.lines
                .push(Line::styled(format!("   and {more} more"), self.style(ThemeRole::Muted)));
        }
    }

    /// Adds a session: its title and its status; then its cast and its last message, in the same row or below it.
    /// Before the first message the id, which contains day and time, distinguishes sessions of the same title.
    fn session(&mut self, at: usize, session: &SessionSummary, figures: bool) {
        let ellipsis = self.start.glyphs.ellipsis;
        let stands = status_text(&session.standing);
        let age = ago(self.start.now, session.written);
        let (before, end) = if figures {
            (12.max(width(&stands) + 2), format!("{:>7}{age:>9}", session.utterances))
        } else {
            (width(&stands) + 2, String::new())
        };
        let room = self.room.saturating_sub(before + width(&end) + 3);
        let before = " ".repeat(before.saturating_sub(width(&stands)));
        let title = match session.title.as_str() {
            "" => &session.id,
            title => title,
        };
        let here = self.start.at == StartRow::Session(at);
        let below = self.tall || here;
        // text in the second row needs no room beside the title
        let most = if below { room } else { room.min((room * 2 / 5).max(TITLE_MIN)) };
        let title = clip(&text::label(title), most, ellipsis);
        let left = room.saturating_sub(width(&title));
        let beside = match below || left < 4 {
            true => String::new(),
            false if session.last.is_empty() => {
                format!("  {}", clip_middle(&session.id, left - 2, ellipsis))
            }
            false => clip(&format!("  {}", said(session)), left, ellipsis),
        };
        let gap = " ".repeat(left.saturating_sub(width(&beside)));
        let muted = self.style(ThemeRole::Muted);
        self.row(
            StartRow::Session(at),
            title,
            vec![
                Span::styled(format!("{beside}{gap}{before}"), muted),
                Span::styled(stands, self.style(role(&session.standing))),
                Span::styled(end, muted),
            ],
        );
        if below {
            // a large cast leaves room for the message
            let cast = clip(&cast(session), self.room / 2, ellipsis);
            let words = if session.last.is_empty() {
                format!("{cast}  nothing said yet  {}", session.id)
            } else {
                format!("{cast}  {}", said(session))
            };
            let words = clip(&format!("     {words}"), self.room, ellipsis);
            self.lines.push(Line::from(self.coloured_names(&words, &session.cast)));
        }
    }
}

/// Returns the maximum number of listed sessions on a tall or low screen.
pub(super) fn listed(tall: bool) -> usize {
    if tall { LISTED.0 } else { LISTED.1 }
}

/// Returns the role of the status of a session; failures and waiting sessions are highlighted.
fn role(standing: &SessionStatus) -> ThemeRole {
    match standing {
        SessionStatus::Running(_) | SessionStatus::Live { .. } => ThemeRole::FloorSpeaking,
        SessionStatus::Unfinished | SessionStatus::Recovered | SessionStatus::Newer => {
            ThemeRole::FloorPaused
        }
        SessionStatus::Damaged(_)
        | SessionStatus::Unreadable(_)
        | SessionStatus::Ended { reason: StopReason::Failure, .. } => ThemeRole::FloorError,
        SessionStatus::Ended { .. } => ThemeRole::Muted,
    }
}

/// Returns the last message in quotation marks.
fn said(session: &SessionSummary) -> String {
    format!("\"{}\"", text::line(&session.last))
}

/// Returns the names of the participants.
fn cast(session: &SessionSummary) -> String {
    text::name(&session.cast.join(", ")).into_owned()
}
