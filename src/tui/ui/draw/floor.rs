//! The status line: the speaker, its activity and duration, the next participant and the reason. It is shortened last.

use crate::export::{Hearer, conclusion, losses, utterances};
use crate::model::{Ms, Purpose, SeatId};
use crate::state::Thread;
use crate::text;
use crate::ui::action::Action;
use crate::ui::draw::bar::Bar;
use crate::ui::draw::header::StatusLook;
use crate::ui::draw::timeline;
use crate::ui::frame::Frame;
use crate::ui::keymap::Focus;
use crate::ui::screen::Screen;
use crate::ui::start::bare;
use crate::ui::text::wrap::{clip, width};
use crate::ui::theme::ThemeRole;
use crate::ui::view::extension::stopped;
use crate::ui::view::floor::{
    Status, WAITING, awaited, circles_since, doing, doing_word, is_in_turn, near, next, used, why,
};
use crate::ui::view::hold::seconds;
use crate::ui::view::message::Look;
use crate::ui::view::moment::failed;
use crate::ui::view::transcript::Transcript;
use ratatui::layout::Rect;
use ratatui::style::Style;
use std::collections::BTreeSet;

/// Level of detail of the line.
#[derive(Clone, Copy)]
struct Wealth {
    /// True if the reason for choosing the speaker is shown.
    why: bool,
    /// Maximum number of next participants.
    next: usize,
    /// Maximum cells of a name.
    name: usize,
    /// Maximum cells of an awaited server; 0 leaves it out.
    server: usize,
    /// True if figures have units and the way to the end is named.
    long: bool,
    /// Cells of the rule at both ends.
    ends: usize,
    /// True if the usage, warnings and the rows below are shown.
    side: bool,
}

/// Levels from the richest to the poorest. All of them show the speaker.
const WEALTHS: [Wealth; 10] = {
    let max = usize::MAX;
    let rich =
        Wealth { why: true, next: 3, name: max, server: max, long: true, ends: 2, side: true };
    let one = Wealth { why: false, next: 1, ..rich };
    let short = Wealth { server: 16, long: false, ..one };
    let narrow = Wealth { name: 12, ends: 0, ..short };
    let alone = Wealth { next: 0, server: 12, side: false, ..narrow };
    [
        rich,
        Wealth { why: false, ..rich },
        one,
        short,
        narrow,
        Wealth { name: 6, ..narrow },
        Wealth { side: false, ..narrow },
        // a silent server matters more than the next participant
        alone,
        Wealth { name: 6, ..alone },
        Wealth { name: 6, server: 0, ..alone },
    ]
};

/// Draws the line in the richest form that fits.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let below = below(screen);
    let [.., poorest] = WEALTHS;
    // usually the richest one fits; `map` is lazy, so no other is built
    let mut bars = WEALTHS.into_iter().map(|wealth| bar(screen, below, wealth));
    let fits = |bar: &Bar| bar.width() <= usize::from(area.width);
    let bar = bars.find(fits).unwrap_or_else(|| bar(screen, below, poorest));
    bar.draw(frame, area, screen.glyphs.rule, edge(screen), screen.glyphs.ellipsis);
}

/// Returns the style of the rule, which is the upper edge of the composer's frame while that has the focus.
fn edge(screen: &Screen) -> Style {
    if screen.view.is_framed() { screen.frame_style() } else { screen.theme.style(ThemeRole::Rule) }
}

/// Returns the left and the right end of the rule.
fn ends(screen: &Screen, cells: usize) -> [String; 2] {
    let rule = screen.glyphs.rule;
    let [left, right, ..] = screen.glyphs.corners;
    if !screen.view.is_framed() {
        return [rule.repeat(cells), rule.repeat(cells)];
    }
    // the frame of the input box keeps its corners
    let rest = rule.repeat(cells.saturating_sub(1));
    [format!("{left}{rest}"), format!("{rest}{right}")]
}

fn bar(screen: &Screen, below: Below, wealth: Wealth) -> Bar {
    let Screen { transcript, theme, glyphs, view, clock, keymap, .. } = screen;
    let state = transcript.state();
    let now = clock.now();
    let standing = Status::from_state(state);
    let rule = edge(screen);
    let muted = theme.style(ThemeRole::Muted);
    let [start, end] = ends(screen, wealth.ends);
    let mut bar = Bar::new();
    bar.left = vec![];
    bar.left(start, rule);
    let look = StatusLook::new(screen);
    let strong = theme.style(look.role);
    bar.left(" ", muted).left(format!("{} ", look.sign), strong);
    let Activity { what, then, .. } = shortened(transcript, standing, now, wealth, glyphs.ellipsis);
    let what = view.disk.as_ref().map_or(what, |wait| text::label(wait).into_owned());
    let mut what = what.replace('·', glyphs.dot);
    if let Some(seconds) = seconds(screen, now) {
        what.push_str(&format!(" {seconds}s"));
    }
    bar.left(what, strong);
    if wealth.why
        && let Some(why) = why(state)
        && !is_in_turn(transcript)
    {
        bar.left(format!(" ({})", text::label(why)), muted);
    }
    // the offer names the key as well
    let is_offered = standing.is_limited() && view.is_framed();
    if !then.is_empty() && !is_offered {
        bar.left(format!("  {then}"), theme.style(ThemeRole::FloorNext));
    }
    bar.left(" ", muted);
    bar.right = vec![];
    bar.right(end, rule);
    if !wealth.side {
        if below.lines > 0 {
            bar.right(format!(" {} below ", below.lines), theme.style(ThemeRole::Notice));
        }
        return bar;
    }
    if let (Some(playback), true) = (view.playback(), wealth.long) {
        bar.right(format!(" {} ", timeline::legend(playback, screen)), muted);
    }
    // on a narrow screen another row shows it
    if !view.areas.is_narrow()
        && let Some(used) = used(&state.spent())
    {
        // in a recording these are not totals
        let used = match (wealth.long, view.playback()) {
            (true, Some(_)) => format!("at this point {used}"),
            (true, None) => used,
            (false, _) => used.replace(" tok  ", " "),
        };
        bar.right(format!(" {used} "), muted);
    }
    if let Some((percent, limit)) = near(state, now) {
        let near = if wealth.long {
            format!(" {percent} % of {limit} ")
        } else {
            format!(" limit {percent} % ")
        };
        bar.right(near, theme.style(ThemeRole::FloorStopped));
    }
    if circles_since(state).is_some() {
        let told =
            if wealth.long { " repeating themselves, /note to steer " } else { " repeating " };
        bar.right(told, theme.style(ThemeRole::Notice));
    }
    let notice = theme.style(ThemeRole::Notice);
    let place = if view.place() == Focus::Line { Focus::Line } else { view.steering() };
    let way = |action| keymap.way(action, place);
    match (below, wealth.long) {
        (Below { messages: 0, lines: 0 }, _) if view.viewport.following() => {}
        (Below { messages: 0, lines: 0 }, _) => {
            bar.right(format!(" {} follow ", way(Action::Follow)), muted);
        }
        (Below { messages: 0, lines }, true) => {
            bar.right(format!(" {lines} rows below, {} ", way(Action::PageDown)), notice);
        }
        (Below { messages: 0, lines: rest } | Below { messages: rest, .. }, false) => {
            bar.right(format!(" {rest} below "), notice);
        }
        (Below { messages, .. }, true) => {
            let told = format!(" {messages} more below, {} follow ", way(Action::Follow));
            bar.right(told, notice);
        }
    }
    bar
}

/// Hidden part of the transcript below the visible one.
#[derive(Clone, Copy)]
struct Below {
    /// Number of rows of the transcript for a reader who scrolled up.
    messages: usize,
    /// Number of lines of an outcome that does not fit.
    lines: usize,
}

fn below(screen: &mut Screen) -> Below {
    if screen.view.over.poster {
        return Below { messages: 0, lines: 0 };
    }
    let Screen { transcript, view, theme, glyphs, keymap, .. } = screen;
    let width = view.viewport.width();
    let place = view.steering();
    let look = Look { width, theme, glyphs, keymap, place, reading: &view.reading };
    let messages = view.viewport.below(transcript, look);
    Below { messages, lines: view.viewport.lines_below(transcript, look) }
}

/// The current activity and the next step.
pub struct Activity {
    /// Current activity; may be empty.
    pub what: String,
    /// Next step; may be empty.
    pub then: String,
    /// True if the activity names the status, as in "paused by you".
    pub names_status: bool,
}

/// Returns the current activity and the next step.
pub fn words(transcript: &Transcript, standing: Status, now: Ms) -> Activity {
    let [rich, ..] = WEALTHS;
    shortened(transcript, standing, now, rich, "")
}

fn shortened(
    transcript: &Transcript,
    standing: Status,
    now: Ms,
    wealth: Wealth,
    ellipsis: &str,
) -> Activity {
    let state = transcript.state();
    let mut names_status = matches!(standing, Status::Pausing | Status::Paused | Status::Stopped);
    let (queue, why) = next(transcript);
    let name = |id: &SeatId| clip(&transcript.name(id), wealth.name, ellipsis);
    let mut names: Vec<String> = queue.iter().take(wealth.next).map(name).collect();
    let waits = state.holds().next().is_some();
    if waits && !state.turns.is_empty() {
        names.insert(0, if wealth.long { "you (writing)".into() } else { "you".into() });
    } else if let (Some(first), false) = (names.first_mut(), why.is_empty() || !wealth.long) {
        first.push_str(&format!(" ({why})"));
    }
    let then = match &names[..] {
        [] => String::new(),
        names => format!("then {}", names.join(", ")),
    };
    let next = then.replacen("then", "next", 1);
    let now = speakers(transcript, now, name, wealth, ellipsis);
    let (what, then) = match standing {
        Status::Running | Status::Stepping => (now, then),
        Status::Pausing if now.is_empty() => ("pausing".into(), next),
        Status::Pausing => (format!("pausing, {now}"), next),
        Status::Paused => (paused(transcript), next),
        Status::Waiting if now.is_empty() && waits => ("they wait for you".into(), then),
        Status::Waiting if now.is_empty() => {
            let begun = state.threads.values().any(|thread| thread.batch.is_some());
            let asks = |thread: &Thread| thread.traits().needs_operator;
            let able = state.seats.iter().any(|s| s.spec.speaks && state.may_speak(&s.spec.id));
            let finished = state.is_finished();
            names_status = finished || begun && (!able || state.leaves().any(asks));
            let what = match begun {
                _ if finished => "finished: say what is next",
                false => "starting",
                true if !able => "waiting: everyone is muted",
                true if state.leaves().any(asks) => "waiting for you to choose a speaker",
                true if state.plan().is_some() => "between two steps of the plan",
                true => "",
            };
            (what.into(), if what.is_empty() || !begun { next } else { String::new() })
        }
        Status::Waiting => (now, then),
        // the card and the line name the way on
        Status::Stopped | Status::Reached => (reached(transcript, wealth.long), String::new()),
        Status::Done | Status::Error => (ended(transcript, wealth.long), String::new()),
    };
    Activity { what, then, names_status }
}

/// Returns the awaited servers, each once; `None` unless all current turns wait for one.
fn servers(transcript: &Transcript, now: Ms) -> Option<String> {
    let turns = transcript.state().turns.values();
    let each: Option<BTreeSet<String>> = turns.map(|turn| awaited(transcript, turn, now)).collect();
    Some(each?.into_iter().collect::<Vec<_>>().join(", "))
}

/// Returns the speakers with activity and duration.
fn speakers(
    transcript: &Transcript,
    now: Ms,
    name: impl Fn(&SeatId) -> String,
    wealth: Wealth,
    ellipsis: &str,
) -> String {
    let awaited = if wealth.server > 0 { servers(transcript, now) } else { None };
    let awaited = awaited.map(|servers| {
        let is_whole = width(&servers) <= wealth.server;
        clip(if is_whole { &servers } else { bare(&servers) }, wealth.server, ellipsis)
    });
    let awaited = |before: &str| {
        awaited.as_ref().map_or(String::new(), |servers| format!("{before} for {servers}"))
    };
    let turns: Vec<_> = transcript.state().turns.values().collect();
    let seconds = |since: Ms| now.since(since) / 1_000;
    match turns[..] {
        [] => String::new(),
        [turn] => {
            let (what, since) = doing(transcript, turn, now);
            let since = since.map(|since| format!(" {}s", seconds(since)));
            let is_mine = transcript.state().waits_for_human(turn) && !transcript.unattended;
            let comma = if is_mine { "," } else { "" };
            let by = awaited(if what == WAITING { "" } else { ", waiting" });
            format!("{}{comma} {what}{}{by}", name(&turn.seat), since.unwrap_or_default())
        }
        [..] => {
            let each = turns.iter().map(|t| {
                let (_, since) = doing(transcript, t, now);
                format!("{} {}s", name(&t.seat), seconds(since.unwrap_or(t.since)))
            });
            if turns.iter().all(|turn| turn.purpose == Purpose::Speak) {
                let batches = transcript.state().threads.values().filter_map(|t| t.batch.as_ref());
                let done: usize = batches.map(|batch| batch.ended.len()).sum();
                let done = if done > 0 { format!(", {done} done") } else { String::new() };
                let latest = turns.iter().map(|turn| turn.since).max().unwrap_or(now);
                let by = awaited(&format!(", waiting {}s", seconds(latest)));
                return format!("{} speak at once{done}{by}", turns.len());
            }
            let work = if turns.iter().all(|t| t.purpose == turns[0].purpose) {
                doing_word(turns[0].purpose)
            } else {
                "at work"
            };
            let each = each.collect::<Vec<_>>().join(", ");
            format!("{} {work}: {each}{}", turns.len(), awaited(", waiting"))
        }
    }
}

fn paused(transcript: &Transcript) -> String {
    if let Some(turn) = failed(transcript) {
        return format!("paused: {} failed", transcript.name(&turn.seat));
    }
    match &transcript.state().pause_why {
        Some(why) => format!("paused: {}", text::label(why)),
        None => "paused by you".into(),
    }
}

/// Describes the limit that was reached; at the planned end, the number of turns and the outcome.
fn reached(transcript: &Transcript, is_long: bool) -> String {
    let state = transcript.state();
    let is_planned = state.limit.as_ref().is_some_and(|held| !held.what.is_budget());
    let lost = losses(state);
    match transcript.outcome() {
        Some(outcome) if is_planned => with_losses(counted(transcript, outcome, is_long), lost),
        _ if is_planned && !lost.is_empty() => with_losses(utterances(state.utterances), lost),
        Some(_) | None => stopped(state),
    }
}

fn with_losses(what: String, losses: Vec<String>) -> String {
    std::iter::once(what).chain(losses).collect::<Vec<_>>().join(", ")
}

/// Describes an outcome after the number of turns, which a short line leaves to the header.
fn counted(transcript: &Transcript, outcome: String, is_long: bool) -> String {
    if is_long {
        format!("{} · {outcome}", utterances(transcript.state().utterances))
    } else {
        outcome
    }
}

fn ended(transcript: &Transcript, is_long: bool) -> String {
    let state = transcript.state();
    let Some(ended) = &state.ended else { return String::new() };
    let is_length = ended.reason.is_length();
    if (ended.reason.settled() || is_length)
        && let Some(outcome) = transcript.outcome()
    {
        return with_losses(counted(transcript, outcome, is_long), losses(state));
    }
    text::label(&conclusion(state, ended, Hearer::Operator)).into_owned()
}
