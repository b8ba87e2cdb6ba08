//! Sessions on the start screen by how they ended, and the recorded ones below them.

use crate::catalogue::{SessionStatus, SessionSummary};
use crate::export::utterances;
use crate::text;
use crate::ui::draw::start::page::StartPage;
use crate::ui::start::{StartRow, ago, status_text};
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use ratatui::text::{Line, Span};

/// Minimum columns at which a session shows its age.
const AGE_COLUMNS: usize = 56;
/// Columns of the age.
const AGE: usize = 11;
/// Share of the titles in a row beside long outcomes, in percent.
const TITLE: usize = 52;

/// A row of the list.
struct Listed {
    row: StartRow,
    sign: &'static str,
    role: ThemeRole,
    title: String,
    how: String,
    when: String,
}

/// Describes the outcome of a bundled session.
fn recorded(headline: &str, dot: &str) -> String {
    if headline.is_empty() { "recorded".into() } else { format!("recorded {dot} {headline}") }
}

impl StartPage<'_> {
    /// Adds the sessions that fit in some rows, scrolled so that the focused one is visible.
    pub(super) fn sessions(&mut self, rows: usize) {
        let all = self.listed();
        let at = all.iter().position(|listed| listed.row == self.start.at);
        // the focused session has a second row; the number of hidden ones takes another
        let detail = usize::from(matches!(self.start.at, StartRow::Session(_)));
        let room = rows.saturating_sub(detail);
        let count = if all.len() > room { room.saturating_sub(1) } else { all.len() };
        if count == 0 {
            return;
        }
        let from = at.map_or(0, |at| (at + 1).saturating_sub(count));
        let longest = all.iter().map(|listed| width(&listed.title) + 2).max().unwrap_or(0);
        // a title takes the cells that the outcomes leave
        let inside = self.room.saturating_sub(2);
        let outcomes = all.iter().map(|listed| width(&listed.how)).max().unwrap_or(0);
        let left = inside.saturating_sub(outcomes + AGE + 1);
        let titles = longest.min(left.max(inside * TITLE / 100));
        for listed in all.iter().skip(from).take(count) {
            self.listed_row(listed, titles);
        }
        let more = all.len() - count;
        if more > 0 {
            let more = format!("  and {more} more");
            self.push(Line::styled(more, self.style(ThemeRole::Muted)));
        }
    }

    fn listed(&self) -> Vec<Listed> {
        let start = self.start;
        let sessions = (0..).zip(&start.sessions).map(|(at, session)| self.session(at, session));
        let examples = start.examples.iter().enumerate().map(|(at, example)| Listed {
            row: StartRow::Example(at),
            sign: if start.glyphs.curves { "\u{25b7}" } else { ">" },
            role: ThemeRole::Muted,
            title: text::label(&example.title).into_owned(),
            how: recorded(&example.headline, start.glyphs.dot),
            when: String::new(),
        });
        sessions.chain(examples).collect()
    }

    fn session(&self, at: usize, session: &SessionSummary) -> Listed {
        let start = self.start;
        let glyphs = start.glyphs;
        let is_live = matches!(session.standing, SessionStatus::Live { .. });
        let (sign, role) = match &session.standing {
            SessionStatus::Running(_) | SessionStatus::Live { .. } => {
                (glyphs.start, ThemeRole::FloorSpeaking)
            }
            SessionStatus::Unfinished | SessionStatus::Recovered | SessionStatus::Newer => {
                (glyphs.paused, ThemeRole::FloorPaused)
            }
            SessionStatus::Ended { reason, lossy: false }
                if reason.is_length() || reason.settled() =>
            {
                (glyphs.done, ThemeRole::FloorSpeaking)
            }
            SessionStatus::Ended { reason, .. } if reason.is_failure() => {
                (glyphs.stopped, ThemeRole::FloorError)
            }
            SessionStatus::Damaged(_) | SessionStatus::Unreadable(_) => {
                (glyphs.stopped, ThemeRole::FloorError)
            }
            SessionStatus::Ended { .. } => (glyphs.stopped, ThemeRole::FloorPaused),
        };
        let title = if session.title.is_empty() { &session.id } else { &session.title };
        let parent = session.parent.as_ref();
        let parent = parent.filter(|(id, _)| start.sessions.iter().any(|other| other.id == *id));
        let title = text::label(title);
        let title = match parent {
            Some((_, turn)) if glyphs.curves => format!("  \u{21b3} from #{turn}, {title}"),
            Some((_, turn)) => format!("  - from #{turn}, {title}"),
            None => title.into_owned(),
        };
        let turns = session.utterances;
        let how = status_text(&session.standing);
        let how = match &session.standing {
            SessionStatus::Live { .. } => format!("{} {} {how}", utterances(turns), glyphs.dot),
            SessionStatus::Unfinished | SessionStatus::Recovered => format!("paused at #{turns}"),
            SessionStatus::Ended { .. } if !session.headline.is_empty() => {
                text::line(&session.headline).into_owned()
            }
            SessionStatus::Ended { .. } if turns > 0 => format!("{how}, {}", utterances(turns)),
            _ => how,
        };
        let when = if is_live { "attach".into() } else { ago(start.now, session.written) };
        // a branch has its parent's sign
        let sign = if parent.is_some() { " " } else { sign };
        Listed { row: StartRow::Session(at), sign, role, title, how, when }
    }

    /// Adds a row whose title has a number of cells.
    fn listed_row(&mut self, listed: &Listed, titles: usize) {
        let start = self.start;
        let ellipsis = start.glyphs.ellipsis;
        let here = listed.row == start.at;
        let muted = self.style(ThemeRole::Muted);
        let when = if self.room < AGE_COLUMNS { "" } else { &*listed.when };
        let age = if when.is_empty() { 0 } else { AGE };
        let inside = self.room.saturating_sub(2);
        let title = clip(&listed.title, titles.saturating_sub(1), ellipsis);
        let gap = titles.saturating_sub(width(&title));
        let how = clip(&listed.how, inside.saturating_sub(titles + age), ellipsis);
        let used = 2 + width(&title) + gap + width(&how) + width(when);
        let before = " ".repeat(self.room.saturating_sub(used));
        let sign = if here { start.glyphs.speaking } else { listed.sign };
        let look = if here { ThemeRole::Title } else { ThemeRole::Text };
        let line = Line::from(vec![
            Span::styled(format!("{sign} "), self.style(listed.role)),
            Span::styled(title, self.style(look)),
            Span::styled(format!("{}{how}{before}{when}", " ".repeat(gap)), muted),
        ]);
        self.push(line);
        if here
            && let StartRow::Session(at) = listed.row
            && let Some(session) = start.sessions.get(at)
        {
            // a large cast leaves room for the message
            let cast = clip(&text::name(&session.cast.join(", ")), self.room / 2, ellipsis);
            let words = if session.last.is_empty() {
                format!("  {cast}  nothing said yet  {}", session.id)
            } else {
                format!("  {cast}  \"{}\"", text::line(&session.last))
            };
            let words = clip(&words, self.room, ellipsis);
            self.push(Line::from(self.coloured_names(&words, &session.cast)));
        }
    }
}
