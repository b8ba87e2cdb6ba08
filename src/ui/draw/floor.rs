//! The scheduler's line: who speaks, doing what, for how long, who is next and why. The last thing to be shortened.

use super::Bar;
use super::header::{role, sign};
use crate::export::reason;
use crate::model::Ms;
use crate::state::State;
use crate::text;
use crate::ui::Screen;
use crate::ui::action::Action;
use crate::ui::floor::{Standing, doing, doing_word, next, used, why};
use crate::ui::keymap::{Keymap, Place};
use crate::ui::message::Look;
use crate::ui::story::Story;
use crate::ui::theme::Role;
use ratatui::Frame;
use ratatui::layout::Rect;

/// Columns from which the line says why who speaks was chosen.
const WHY_COLUMNS: u16 = 80;

/// Draws the line.
pub fn draw(frame: &mut Frame<'_>, area: Rect, screen: &mut Screen) {
    let below = below(screen);
    let Screen { story, theme, glyphs, view, clock, keymap, .. } = screen;
    let (state, now) = (story.state(), clock.now());
    let standing = Standing::of(state);
    let (rule, muted) = (theme.style(Role::Rule), theme.style(Role::Muted));
    let mut bar = Bar::new();
    bar.left = vec![];
    bar.left(glyphs.rule.repeat(2), rule);
    let strong = theme.style(role(standing));
    bar.left(format!(" {} ", sign(standing, glyphs)), strong);
    let (what, then) = words(story, standing, now, keymap);
    bar.left(what, strong);
    if let Some(why) = why(state).filter(|_| area.width >= WHY_COLUMNS) {
        bar.left(format!(" ({})", text::line(why)), muted);
    }
    if !then.is_empty() {
        bar.left(format!("  {then}"), theme.style(Role::FloorNext));
    }
    bar.left(" ", muted);
    bar.right = vec![];
    bar.right(glyphs.rule.repeat(2), rule);
    if let Some(used) = used(&state.spent()) {
        bar.right(format!(" {used} "), muted);
    }
    let follow = keymap.way(Action::Follow, Place::Table);
    match (below, view.transcript.following()) {
        (0, true) => {}
        (0, false) => _ = bar.right(format!(" {follow} follow "), muted),
        (below, _) => {
            let told = format!(" {below} more below, {follow} follow ");
            bar.right(told, theme.style(Role::Notice));
        }
    }
    bar.draw(frame, area, glyphs.rule, rule, glyphs.ellipsis);
    for x in view.areas.walls() {
        if let Some(cell) = frame.buffer_mut().cell_mut((x, area.y))
            && cell.symbol() == glyphs.rule
        {
            cell.set_char(glyphs.tee_up.chars().next().unwrap_or(' '));
        }
    }
}

fn below(screen: &mut Screen) -> usize {
    let Screen { story, view, theme, glyphs, keymap, .. } = screen;
    let width = view.transcript.width();
    let look = Look { width, theme, glyphs, keymap, reading: &view.reading };
    view.transcript.below(story, look)
}

/// What happens, and what happens next.
pub fn words(story: &Story, standing: Standing, now: Ms, keymap: &Keymap) -> (String, String) {
    let state = story.state();
    let (queue, why) = next(state);
    let mut names: Vec<String> = queue.iter().take(3).map(|id| story.name(id)).collect();
    if let (Some(first), false) = (names.first_mut(), why.is_empty()) {
        first.push_str(&format!(" ({why})"));
    }
    let then = match &names[..] {
        [] => String::new(),
        names => format!("then {}", names.join(", ")),
    };
    let next = then.replacen("then", "next", 1);
    let now = speakers(story, now);
    match standing {
        Standing::Running | Standing::Stepping => (now, then),
        Standing::Pausing if now.is_empty() => ("pausing".into(), next),
        Standing::Pausing => (format!("pausing after {now}"), next),
        Standing::Paused => (paused(state), next),
        Standing::Waiting if now.is_empty() => {
            ("waiting for you to give the floor".into(), String::new())
        }
        Standing::Waiting => (now, then),
        Standing::Stopped => (
            limit(state),
            format!("{} one more round", keymap.way(Action::MoreRound, Place::Table)),
        ),
        Standing::Done | Standing::Error => (ended(state), String::new()),
    }
}

/// Everybody who speaks, with what they do and for how long.
fn speakers(story: &Story, now: Ms) -> String {
    let turns: Vec<_> = story.state().turns.values().collect();
    let seconds = |since: Ms| now.since(since) / 1_000;
    match turns[..] {
        [] => String::new(),
        [turn] => {
            let (what, since) = doing(story, turn, now);
            format!("{} {what} {}s", story.name(&turn.seat), seconds(since))
        }
        [..] => {
            let each = turns.iter().map(|t| {
                let (_, since) = doing(story, t, now);
                format!("{} {}s", story.name(&t.seat), seconds(since))
            });
            let work = match turns.iter().all(|t| t.purpose == turns[0].purpose) {
                true => doing_word(turns[0].purpose),
                false => "at work",
            };
            format!("{} {work}: {}", turns.len(), each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn paused(state: &State) -> String {
    match &state.pause_why {
        Some(why) => format!("paused: {}", text::line(why)),
        None => "paused by you".into(),
    }
}

fn limit(state: &State) -> String {
    let Some(held) = &state.limit else { return String::new() };
    format!("the limit of {} is reached", held.what.words(held.limit))
}

fn ended(state: &State) -> String {
    let Some(ended) = &state.ended else { return String::new() };
    let text = ended.text.iter().map(|t| format!(": {}", text::line(t))).collect::<String>();
    format!("ended: {}{text}", reason(ended.reason))
}
