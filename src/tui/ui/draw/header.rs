//! The first row: the title, a mark for rehearsals, and the status; and the rule below.

use crate::export::poster::PosterInk;
use crate::model::Limit;
use crate::state::Turn;
use crate::text::{self, clock, plural};
use crate::ui::draw::bar::Bar;
use crate::ui::draw::{cast, poster};
use crate::ui::frame::Frame;
use crate::ui::screen::{Screen, ScreenMode};
use crate::ui::text::markdown::bold;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::floor::{Status, used, waits_for_person};
use crate::ui::view::rope;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Minimum cells of the title beside the usage.
const TITLE_MIN: usize = 8;

/// Minimum width at which a title is still recognisable.
const TITLE_READABLE: usize = 24;
/// Text after the title if no model speaks.
const REHEARSED: &str = "   rehearsed";

/// Draws the title at the left; the status, the turn number and the time at the right.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let state = screen.transcript.state();
    let theme = &screen.theme;
    let glyphs = screen.glyphs;
    let muted = theme.style(ThemeRole::Muted);
    // failed turns have numbers too, but do not count, and a turn that is said again counts already
    let is_new = |turn: &&Turn| turn.speaks() && turn.replaces.is_none();
    let running = state.turns.values().filter(is_new).count() as u64;
    let number = u64::from(state.utterances) + running;
    let is_ahead = u64::from(state.numbers) > number;
    let count = match state.limits.get(Limit::Utterances) {
        // the title needs the cells of a narrow screen
        Some(most) if screen.view.areas.is_narrow() => format!("{}/{most}", number.min(most)),
        // after failed turns the numbers of the messages run ahead
        Some(most) if is_ahead => format!("{} of {}", number.min(most), plural(most, "turn")),
        None if is_ahead => plural(number, "turn"),
        Some(most) => format!("turn {} of {most}", number.min(most)),
        None => format!("turn {number}"),
    };
    // the clock of the transcript; it stops while nobody speaks
    let now = if state.turns.is_empty() { state.ms } else { screen.clock.now() };
    let now = clock(now.0);
    let mut bar = Bar::new();
    if !screen.view.areas.is_narrow() {
        bar.left(" ", muted);
    }
    if screen.view.is_recording() {
        bar.left(" REPLAY ", theme.style(ThemeRole::BadgeTable)).left(" ", muted);
    }
    let areas = &screen.view.areas;
    let shows_used = areas.is_narrow() && state.poles().is_some();
    let used = if shows_used { used(&state.spent()) } else { None };
    if let ScreenMode::Read(progress) = &screen.view.mode {
        // the figures are incomplete while the session loads
        bar.right(format!("  turn {number}"), muted);
        bar.right(format!("  reading {}% ", progress.percent()), theme.style(ThemeRole::Notice));
        title(&mut bar, area, screen);
        bar.draw(frame, area, " ", Style::new(), glyphs.ellipsis);
        return;
    }
    bar.right(format!("  {count}  {now}"), muted);
    if let Some(apart) = apart(screen) {
        bar.right(format!("  apart {apart}"), muted);
    }
    let StatusLook { word, sign, role } = StatusLook::new(screen);
    let style = theme.style(role);
    match screen.view.playback() {
        Some(playback) => _ = bar.right(playback.word(), style).right("  ", muted),
        None => {
            bar.right(word, style);
            bar.right(format!("{sign} "), style);
            // blanks are not underlined
            bar.right("  ", muted);
        }
    }
    if let Some((tokens, cost)) = used.as_deref().and_then(|used| used.split_once("  ")) {
        // tokens and cost if some of the title remains visible, otherwise the cost alone
        let both = format!("  {} {cost}", tokens.replace(" tok", ""));
        let one = format!("  {}", if cost.contains('$') { cost } else { tokens });
        let room = usize::from(area.width);
        let right: usize = bar.right.iter().map(Span::width).sum();
        let fits = |(used, left): &(String, usize)| right + width(used) + left <= room;
        if let Some((used, _)) = [(both, TITLE_MIN), (one, 1)].into_iter().find(fits) {
            let at = bar.right.len() - 1;
            bar.right.insert(at, Span::styled(used, muted));
        }
    }
    title(&mut bar, area, screen);
    bar.draw(frame, area, " ", Style::new(), glyphs.ellipsis);
}

/// Returns the distance between the participants that are farthest apart; `None` without positions, between poles, and on
/// a narrow screen.
fn apart(screen: &Screen) -> Option<usize> {
    let areas = &screen.view.areas;
    let has_rope = screen.transcript.state().poles().is_some();
    if has_rope || areas.is_narrow() {
        return None;
    }
    screen.transcript.positions()?.apart().last().copied()
}

/// Adds the title and the mark for rehearsals; the title is clipped first, then the mark dropped.
fn title(bar: &mut Bar, area: Rect, screen: &Screen) {
    let look = screen.theme.style(ThemeRole::Title);
    let room = usize::from(area.width).saturating_sub(bar.width());
    let title = screen.transcript.title();
    let least = width(&title).min(TITLE_READABLE);
    match room.checked_sub(width(REHEARSED)).filter(|room| *room >= least) {
        Some(room) if screen.transcript.state().rehearsed => {
            bar.left(clip(&title, room, screen.glyphs.ellipsis), look);
            bar.left(REHEARSED, screen.theme.style(ThemeRole::Notice));
        }
        _ => _ = bar.left(title, look),
    }
}

/// Draws the row between the poles under the header; without poles the people, or a rule beside a sidebar with them.
pub fn rope(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let state = screen.transcript.state();
    if let Some([first, second]) = state.poles() {
        let poles = [first, second].map(|pole| text::label(pole).into_owned());
        let seats = state.seats.iter().filter(|seat| !seat.gone && seat.spec.speaks).count();
        let standing = screen.transcript.positions();
        let room = usize::from(area.width);
        let theme = &screen.theme;
        let style = |ink| match ink {
            PosterInk::Seat(place) => bold(theme.speaker(place)),
            ink => poster::style(ink, theme),
        };
        let row = rope::parts([&poles[0], &poles[1]], standing, seats, room, screen.glyphs);
        let spans = row.into_iter().map(|(text, ink)| Span::styled(text, style(ink)));
        frame.render_widget(Line::from(spans.collect::<Vec<_>>()), area);
        return;
    }
    if screen.view.areas.sidebar.is_empty() && !screen.view.reading.raw {
        return cast::draw(frame, area, screen);
    }
    let style = screen.theme.style(ThemeRole::Rule);
    let rule = screen.glyphs.rule.repeat(usize::from(area.width));
    frame.render_widget(Line::styled(rule, style), area);
}

/// Word, sign and colour of the status.
pub struct StatusLook {
    word: &'static str,
    /// Sign before the word.
    pub sign: &'static str,
    /// Colour of both.
    pub role: ThemeRole,
}

impl StatusLook {
    /// Returns the look of the present status; a request to the person is more than that others speak.
    pub fn new(screen: &Screen) -> StatusLook {
        if waits_for_person(&screen.transcript) {
            return StatusLook { word: "WAITING FOR YOU", sign: "?", role: ThemeRole::Notice };
        }
        let state = screen.transcript.state();
        let status = Status::from_state(state).with_losses(state);
        let glyphs = screen.glyphs;
        let (sign, role) = match status {
            Status::Running | Status::Stepping => (glyphs.speaking, ThemeRole::FloorSpeaking),
            Status::Pausing | Status::Paused => (glyphs.paused, ThemeRole::FloorPaused),
            Status::Waiting => (glyphs.waiting, ThemeRole::FloorPaused),
            Status::Stopped => (glyphs.stopped, ThemeRole::FloorStopped),
            Status::Done | Status::Reached => (glyphs.done, ThemeRole::FloorDone),
            Status::Error => (glyphs.stopped, ThemeRole::FloorError),
        };
        StatusLook { word: status.word(), sign, role }
    }
}
