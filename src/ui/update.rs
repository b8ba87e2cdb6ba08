//! What an action changes: the reader's view at once, the conversation by asking for it.
//!
//! Nothing here is logged and nothing acts: what is to be done outside comes back as requests.

use super::Screen;
use super::action::Action;
use super::floor::Standing;
use super::keymap::{self, Place};
use super::message::Look;
use super::story::Story;
use super::transcript::Transcript;
use crate::model::{Limit, Limits, Verb};
use crate::state::Run;
use crossterm::event::KeyEvent;

/// Running seconds that one round more is taken for, where time is the limit.
const MORE_SECONDS: u64 = 60;

/// What is to be done outside the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A deed of the operator.
    Send(Verb),
    /// Everything is drawn anew.
    Redraw,
    /// The screen is left; the session stays as it is.
    Leave,
}

/// Where the reader is and what they were told; never logged.
pub struct View {
    /// Where the keyboard is.
    pub place: Place,
    /// Where they read.
    pub transcript: Transcript,
    /// What became of what they asked for last.
    pub notice: Option<String>,
    /// Whether the next wish to leave is granted.
    pub leaving: bool,
}

impl Default for View {
    fn default() -> View {
        View {
            place: Place::Table,
            transcript: Transcript::default(),
            notice: None,
            leaving: false,
        }
    }
}

/// Takes in a key.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Request> {
    let spelled = keymap::spell(key)?;
    let action = keymap::action(screen.view.place, &spelled)?;
    screen.view.notice = None;
    let leaving = std::mem::take(&mut screen.view.leaving);
    match action {
        Action::Quit | Action::Interrupt if leaving => Some(Request::Leave),
        action => act(screen, action),
    }
}

/// Carries out an action.
pub fn act(screen: &mut Screen, action: Action) -> Option<Request> {
    let standing = Standing::of(screen.story.state());
    match action {
        Action::TogglePause => toggle_pause(screen),
        Action::Step => ask(screen, Verb::Step { n: 1 }),
        Action::Skip => ask(screen, Verb::Skip {}),
        Action::PauseNow => ask(screen, Verb::PauseNow {}),
        Action::MoreRound => more(screen),
        Action::LineUp => read(screen, |t, story, look| t.up(story, look, 1)),
        Action::LineDown => read(screen, |t, story, look| t.down(story, look, 1)),
        Action::HalfUp => read(screen, |t, story, look| t.up(story, look, t.page() / 2)),
        Action::HalfDown => read(screen, |t, story, look| t.down(story, look, t.page() / 2)),
        Action::PageUp => read(screen, |t, story, look| t.up(story, look, t.page())),
        Action::PageDown => read(screen, |t, story, look| t.down(story, look, t.page())),
        Action::Top => read(screen, |t, story, look| t.go(story, look, 0)),
        Action::Follow => read(screen, |t, _, _| t.follow()),
        Action::Redraw => Some(Request::Redraw),
        Action::Interrupt if screen.story.speaking().next().is_some() => {
            ask(screen, Verb::PauseNow {})
        }
        Action::Interrupt => leave(screen, "ctrl-c"),
        Action::Quit => match standing {
            Standing::Running | Standing::Stepping | Standing::Pausing => leave(screen, "q"),
            Standing::Paused
            | Standing::Waiting
            | Standing::Stopped
            | Standing::Done
            | Standing::Error => Some(Request::Leave),
        },
    }
}

/// Asks for a deed, unless it is too late for any.
fn ask(screen: &mut Screen, verb: Verb) -> Option<Request> {
    if screen.story.state().ended.is_some() {
        screen.view.notice = Some("it has ended: nothing can be steered any more".into());
        return None;
    }
    Some(Request::Send(verb))
}

fn toggle_pause(screen: &mut Screen) -> Option<Request> {
    if Standing::of(screen.story.state()) == Standing::Stopped {
        let key = keymap::key_of(Action::MoreRound, Place::Table).unwrap_or_default();
        screen.view.notice = Some(format!("a limit holds: {key} goes on for one more round"));
        return None;
    }
    match screen.story.state().run {
        Run::Going | Run::Stepping(_) => ask(screen, Verb::Pause {}),
        Run::Pausing | Run::Paused => ask(screen, Verb::Resume {}),
    }
}

/// Raises the limit that holds so that everybody can speak once more.
fn more(screen: &mut Screen) -> Option<Request> {
    let state = screen.story.state();
    let Some(held) = &state.limit else {
        screen.view.notice = Some("no limit holds".into());
        return None;
    };
    let seats = state.seats.iter().filter(|s| !s.gone && !s.muted).count() as u32;
    let mut set = Limits::default();
    match held.what {
        Limit::Utterances => set.utterances = Some(state.utterances + seats.max(1)),
        Limit::Rounds => set.rounds = state.limits.rounds.map(|r| r + 1),
        Limit::Seconds => set.seconds = state.limits.seconds.map(|s| s + MORE_SECONDS),
    }
    ask(screen, Verb::Limit { set })
}

/// Leaves at the second wish in a row.
fn leave(screen: &mut Screen, key: &str) -> Option<Request> {
    screen.view.leaving = true;
    screen.view.notice = Some(format!("{key} again leaves; the session is saved up to here"));
    None
}

fn read(
    screen: &mut Screen,
    to: impl FnOnce(&mut Transcript, &Story, Look<'_>),
) -> Option<Request> {
    let Screen { story, view, theme, glyphs, .. } = screen;
    let look = Look { width: view.transcript.width(), theme, glyphs };
    to(&mut view.transcript, story, look);
    None
}
