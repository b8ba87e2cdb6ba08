//! What a key or an action changes: the reader's view at once, the conversation by asking for it.
//!
//! Nothing here is logged and nothing acts: what is to be done outside comes back as requests.

use super::Screen;
use super::action::Action;
use super::floor::Standing;
use super::graph;
use super::keymap::{self, Place};
use super::layout::Areas;
use super::list::{Does, List, Of, Talk};
use super::look;
use super::message::Look;
use super::page::Page;
use super::pen::Pen;
use super::playback::{self, Playback};
use super::search::Search;
use super::seat::{self, Pieces};
use super::story::Story;
use super::study::Study;
use super::transcript::Transcript;
use super::verbs::{spelled, usage};
use super::wish;
use crate::model::{Key, Seq, Verb};
use crate::session::replay::{Speed, Step};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;

/// What is to be done outside the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// The talk branches off behind an event; what came after it stays in the old session.
    Fork(Seq),
    /// A deed of the operator.
    Send(Verb),
    /// A text for the clipboard, and what it is in words.
    Copy(String, String),
    /// The session as a file, in the format of a name.
    Export(&'static str),
    /// Everything is drawn anew.
    Redraw,
    /// The mouse is the screen's from now on, or the terminal's.
    Mouse(bool),
    /// The talk pauses and the program stops until the shell goes on.
    Suspend,
    /// The start screen; the session stays as it is.
    Home,
    /// The screen is left; the session stays as it is.
    Leave,
}

/// Where the reader is, what they write and what they were told; never logged.
#[derive(Default)]
pub struct View {
    /// Where everything stands.
    pub areas: Areas,
    /// Where they read.
    pub transcript: Transcript,
    /// What they write.
    pub pen: Pen,
    /// Whether the keyboard is in the pen.
    pub writing: bool,
    /// Whether the next key stands behind Ctrl-X.
    pub prefixed: bool,
    /// The list that is open.
    pub list: Option<List>,
    /// The figures, where they are read.
    pub study: Option<Study>,
    /// What is looked for.
    pub search: Option<Search>,
    /// The text that lies on top.
    pub page: Option<Page>,
    /// The seat whose words alone are shown, by its place.
    pub only: Option<usize>,
    /// The words that wait and are being changed.
    pub editing: Option<Key>,
    /// The seat put forward, by its place.
    pub picked: Option<usize>,
    /// Whether all reasoning is open.
    pub reasoning: bool,
    /// What a click does, by the cells it falls on.
    pub clicks: Vec<(Rect, Action)>,
    /// What became of what they asked for last.
    pub notice: Option<String>,
    /// The recording that is played, where the talk is none of now.
    pub playback: Option<Playback>,
    /// The wish to leave that is granted when it comes again.
    pub leaving: Option<Action>,
}

impl View {
    /// Returns where the keyboard is.
    pub fn place(&self) -> Place {
        match (&self.list, self.writing) {
            _ if self.prefixed => Place::Prefix,
            (Some(_), _) => Place::List,
            _ if self.search.as_ref().is_some_and(|s| s.typing) => Place::Search,
            (None, true) => Place::Pen,
            (None, false) if self.study.is_some() => Place::Figures,
            (None, false) if self.search.is_some() => Place::Found,
            (None, false) if self.playback.is_some() => Place::Replay,
            (None, false) => Place::Table,
        }
    }
}

/// Takes in a key.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Request> {
    let spelled = keymap::spell(key)?;
    let place = screen.view.place();
    screen.view.prefixed = false;
    match screen.keymap.action(place, &spelled) {
        Some(action) => {
            screen.view.notice = None;
            let leaving = std::mem::take(&mut screen.view.leaving);
            match action {
                Action::Home if leaving == Some(action) => Some(Request::Home),
                Action::Quit | Action::Interrupt
                    if leaving.is_some_and(|by| by != Action::Home) =>
                {
                    Some(Request::Leave)
                }
                action => act(screen, action),
            }
        }
        None => {
            write(screen, place, key);
            None
        }
    }
}

/// Takes in a key that is text.
fn write(screen: &mut Screen, place: Place, key: &KeyEvent) {
    if let (Place::Search, Some(search)) = (place, &mut screen.view.search) {
        match key.code {
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                search.query.push(c);
            }
            KeyCode::Backspace => _ = search.query.pop(),
            _ => return,
        }
        look::anew(screen);
        return;
    }
    match (place, &mut screen.view.list) {
        (Place::Pen, _) if key.kind != KeyEventKind::Release => {
            screen.view.notice = None;
            screen.view.pen.area.input(*key);
        }
        (Place::List, Some(list)) => match key.code {
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => list.narrow(c),
            KeyCode::Backspace => list.widen(),
            _ => {}
        },
        (
            Place::Table
            | Place::Replay
            | Place::Found
            | Place::Pen
            | Place::Prefix
            | Place::List
            | Place::Search
            | Place::Figures,
            _,
        ) => {}
    }
}

/// Takes in pasted text: it goes to the pen and never sends.
pub fn paste(screen: &mut Screen, text: &str) {
    screen.view.list = None;
    screen.view.writing = true;
    screen.view.pen.paste(text);
}

/// Carries out an action.
pub fn act(screen: &mut Screen, action: Action) -> Option<Request> {
    let replays = screen.view.playback.is_some();
    let talk = if replays { Talk::Recorded } else { Talk::Live };
    if let Some(study) = &mut screen.view.study
        && study.heed(action)
    {
        return None;
    }
    if let Some(page) = &mut screen.view.page
        && !screen.view.writing
    {
        match action {
            Action::Back | Action::Quit | Action::Prompt | Action::Zoom | Action::Graph => {
                screen.view.page = None;
                return None;
            }
            Action::Copy => return Some(Request::Copy(page.text(), "what is shown".into())),
            action if page.moves(action) => return None,
            _ => {}
        }
    }
    match action {
        Action::Figures => {
            let open = screen.view.study.take().is_none();
            screen.view.study = open.then(|| Study::of(&screen.story));
        }
        Action::OpenEvent => look::event(screen),
        Action::Export => screen.view.list = Some(List::new(Of::Formats, talk)),
        Action::TogglePause if replays => playback::toggle(&mut screen.view),
        Action::Step if replays => playback::step(&mut screen.view, Step::Text),
        Action::Write if replays => return wish::past(screen),
        Action::PlayPause => playback::toggle(&mut screen.view),
        Action::TextOn => playback::step(&mut screen.view, Step::Text),
        Action::TextBack => playback::step(&mut screen.view, Step::TextBack),
        Action::UtteranceOn => playback::step(&mut screen.view, Step::Utterance),
        Action::UtteranceBack => playback::step(&mut screen.view, Step::UtteranceBack),
        Action::MarkOn => playback::mark(&mut screen.view, look::Way::Down),
        Action::MarkBack => playback::mark(&mut screen.view, look::Way::Up),
        Action::Begin => playback::tenth(&mut screen.view, 0),
        Action::Tenth(tenth) => playback::tenth(&mut screen.view, tenth),
        Action::Faster => playback::speed(&mut screen.view, Speed::faster),
        Action::Slower => playback::speed(&mut screen.view, Speed::slower),
        Action::Waits => playback::waits(&mut screen.view),
        Action::TogglePause => return wish::toggle_pause(screen),
        Action::Step => return wish::ask(screen, Verb::Step { n: 1 }),
        Action::Skip => return wish::ask(screen, Verb::Skip {}),
        Action::PauseNow => return wish::ask(screen, Verb::PauseNow {}),
        Action::MoreRound => return wish::more(screen),
        Action::GiveFloor => return wish::give_floor(screen),
        Action::Mute => return wish::mute(screen),
        Action::DropQueued => return wish::drop_queued(screen),
        Action::Send => return wish::send(screen, wish::Manner::Queue),
        Action::CutIn => return wish::send(screen, wish::Manner::CutIn),
        Action::RunEntry => return run_entry(screen),
        Action::Interrupt => return interrupt(screen),
        Action::Quit => return quit(screen, action, Request::Leave),
        Action::Home => return quit(screen, action, Request::Home),
        Action::Copy => return look::copy(screen),
        Action::CopyPlain => return look::copy_plain(screen),
        Action::CopyCode => return look::take_out(screen, Pieces::Code),
        Action::Links => return look::take_out(screen, Pieces::Links),
        Action::Zoom => look::zoom(screen),
        Action::Prompt => look::prompt(screen),
        Action::Graph => {
            screen.view.page = graph::page(screen);
            if screen.view.page.is_none() {
                screen.view.notice = Some("nobody waits for anybody here".into());
            }
        }
        Action::Filter => look::filter(screen),
        Action::Mark => return wish::ask(screen, Verb::Mark { text: None }),
        Action::MarkUp => look::mark(screen, look::Way::Up),
        Action::MarkDown => look::mark(screen, look::Way::Down),
        Action::Seat => seat_deeds(screen),
        Action::Pass => return wish::pass(screen),
        Action::EditQueued => edit_queued(screen),
        Action::Fork => return look::fork(screen),
        Action::Suspend => return Some(Request::Suspend),
        Action::Redraw => return Some(Request::Redraw),
        Action::ReleaseMouse => return release_mouse(screen),
        Action::Pick(number) => pick(screen, usize::from(number) - 1),
        Action::PickNext => step_pick(screen, Pick::Forward),
        Action::PickPrevious => step_pick(screen, Pick::Back),
        Action::Whisper => whisper(screen),
        Action::Note => begin(screen, "/note "),
        Action::Write if screen.view.picked.is_some() => seat_deeds(screen),
        Action::Write => screen.view.writing = true,
        Action::Earlier => {
            // with nothing written, words that still wait come before those that were sent
            if screen.view.pen.is_empty() && screen.story.queued().next().is_some() {
                edit_queued(screen);
            } else {
                screen.view.pen.earlier();
            }
        }
        Action::Later => screen.view.pen.later(),
        Action::History => screen.view.list = seat::history(&screen.view.pen.history),
        Action::Unfold => screen.view.pen.unfold(),
        Action::NewLine => screen.view.pen.area.insert_newline(),
        Action::Complete => screen.view.notice = screen.view.pen.complete(&screen.story),
        Action::RestoreDraft => {
            screen.view.writing = true;
            screen.view.pen.restore();
        }
        Action::Prefix => screen.view.prefixed = true,
        Action::Palette => screen.view.list = Some(List::new(Of::Commands, talk)),
        Action::Help => screen.view.list = Some(List::new(Of::Keys, talk)),
        Action::EntryUp => screen.view.list.iter_mut().for_each(List::up),
        Action::EntryDown => screen.view.list.iter_mut().for_each(|l| l.down(&screen.keymap)),
        Action::Back => back(&mut screen.view),
        Action::MessageUp => look::message(screen, look::Way::Up),
        Action::MessageDown => look::message(screen, look::Way::Down),
        Action::Search => {
            screen.view.search = Some(Search { typing: true, ..Search::default() });
        }
        Action::NextFound => look::found(screen, look::Way::Down),
        Action::PreviousFound => look::found(screen, look::Way::Up),
        Action::AcceptSearch => screen.view.search.iter_mut().for_each(|s| s.typing = false),
        Action::Reasoning => {
            screen.view.reasoning = !screen.view.reasoning;
            screen.view.transcript.forget();
        }
        Action::LineUp => read(screen, |t, story, look| t.up(story, look, 1)),
        Action::LineDown => read(screen, |t, story, look| t.down(story, look, 1)),
        Action::HalfUp => read(screen, |t, story, look| t.up(story, look, t.page() / 2)),
        Action::HalfDown => read(screen, |t, story, look| t.down(story, look, t.page() / 2)),
        Action::PageUp => read(screen, |t, story, look| t.up(story, look, t.page())),
        Action::PageDown => read(screen, |t, story, look| t.down(story, look, t.page())),
        Action::Top => read(screen, |t, story, look| t.go(story, look, 0)),
        Action::Follow => read(screen, |t, _, _| t.follow()),
    }
    None
}

/// One step outwards: closes a list or the figures, leaves the pen with its draft, forgets the seat put forward.
fn back(view: &mut View) {
    if view.list.take().is_some() {
        return;
    }
    if !view.writing && view.study.take().is_some() {
        return;
    }
    if view.search.as_ref().is_some_and(|s| s.typing || !view.writing) {
        view.search = None;
        return;
    }
    if std::mem::take(&mut view.writing) {
        return;
    }
    view.picked = None;
}

/// The gentlest of what can still be stopped: a list, a draft, a reply; then the screen.
fn interrupt(screen: &mut Screen) -> Option<Request> {
    if screen.view.list.take().is_some() {
        return None;
    }
    if screen.view.search.take_if(|s| s.typing).is_some() {
        return None;
    }
    if screen.view.writing && !screen.view.pen.is_empty() {
        screen.view.pen.clear();
        screen.view.editing = None;
        let key = screen.keymap.way(Action::RestoreDraft, Place::Pen);
        screen.view.notice = Some(format!("cleared: {key} brings it back"));
        return None;
    }
    if screen.view.playback.is_none() && screen.story.speaking().next().is_some() {
        return wish::ask(screen, Verb::PauseNow {});
    }
    leave(screen, Action::Interrupt)
}

/// Leaves, at once where nothing goes on.
fn quit(screen: &mut Screen, by: Action, how: Request) -> Option<Request> {
    if screen.view.playback.is_some() {
        return Some(how);
    }
    match Standing::of(screen.story.state()) {
        Standing::Running | Standing::Stepping | Standing::Pausing => leave(screen, by),
        Standing::Paused
        | Standing::Waiting
        | Standing::Stopped
        | Standing::Done
        | Standing::Error => Some(how),
    }
}

/// Lets the terminal select text with the mouse, or takes it back.
fn release_mouse(screen: &mut Screen) -> Option<Request> {
    screen.manner.mouse = !screen.manner.mouse;
    let key = screen.keymap.way(Action::ReleaseMouse, Place::Table);
    screen.view.notice = Some(match screen.manner.mouse {
        true => "the wheel scrolls and a click does what it falls on".into(),
        false => format!("the mouse selects text now; {key} takes it back"),
    });
    Some(Request::Mouse(screen.manner.mouse))
}

/// Leaves at the second wish in a row.
fn leave(screen: &mut Screen, by: Action) -> Option<Request> {
    let key = screen.keymap.way(by, Place::Table);
    screen.view.leaving = Some(by);
    screen.view.notice = Some(format!("{key} again leaves; the session is saved up to here"));
    None
}

fn pick(screen: &mut Screen, place: usize) {
    let Some(seat) = screen.story.state().seats.get(place) else {
        screen.view.notice = Some(format!("no seat has the number {}", place + 1));
        return;
    };
    let name = screen.story.name(&seat.spec.id);
    let key = |action| screen.keymap.way(action, Place::Table);
    screen.view.notice = Some(format!(
        "{name}: {} floor  {} mute  {} whisper  {} all deeds",
        key(Action::GiveFloor),
        key(Action::Mute),
        key(Action::Whisper),
        key(Action::Write)
    ));
    screen.view.picked = Some(place);
}

/// Which way the seat put forward moves.
enum Pick {
    Forward,
    Back,
}

fn step_pick(screen: &mut Screen, step: Pick) {
    let seats = screen.story.state().seats.len().max(1);
    let place = match (screen.view.picked, step) {
        (None, Pick::Forward) => 0,
        (None, Pick::Back) => seats - 1,
        (Some(place), Pick::Forward) => (place + 1) % seats,
        (Some(place), Pick::Back) => (place + seats - 1) % seats,
    };
    pick(screen, place);
}

fn whisper(screen: &mut Screen) {
    if let Some(seat) = wish::picked(screen) {
        begin(screen, &format!("/whisper {seat} "));
    }
}

/// Goes to the pen with the beginning of a command; a draft is kept aside.
fn begin(screen: &mut Screen, words: &str) {
    if !screen.view.pen.is_empty() {
        screen.view.pen.clear();
        let key = screen.keymap.way(Action::RestoreDraft, Place::Pen);
        screen.view.notice = Some(format!("your draft is kept: {key} brings it back"));
    }
    screen.view.pen.begin(words);
    screen.view.editing = None;
    screen.view.writing = true;
}

/// Lists everything that can be done with the seat put forward.
fn seat_deeds(screen: &mut Screen) {
    let place = screen.view.picked.unwrap_or(0);
    screen.view.list = seat::deeds(screen, place);
}

/// Takes the words that wait back into the pen; of several, lists them.
fn edit_queued(screen: &mut Screen) {
    let waiting = screen.story.queued().map(|(key, words)| (key.clone(), words.to_string()));
    match &waiting.collect::<Vec<_>>()[..] {
        [] => screen.view.notice = Some("nothing is queued".into()),
        [(key, words)] => edit(screen, key.clone(), words),
        [..] => screen.view.list = seat::queued(screen),
    }
}

fn edit(screen: &mut Screen, key: Key, words: &str) {
    begin(screen, words);
    screen.view.editing = Some(key);
    let send = screen.keymap.way(Action::Send, Place::Pen);
    screen.view.notice = Some(format!("words that wait: {send} changes them"));
}

/// Runs the entry of a list: an action at once, a verb at once if it needs nothing, else in the pen.
fn run_entry(screen: &mut Screen) -> Option<Request> {
    let list = screen.view.list.take()?;
    let does = list.entries(&screen.keymap).get(list.at)?.does.clone();
    screen.view.picked = None;
    match does {
        Does::Action(row) => act(screen, row.action),
        Does::Export(format) => Some(Request::Export(format.name)),
        Does::Verb(row) if row.needs.is_empty() && row.takes.is_empty() => {
            wish::command(screen, &spelled(row))
        }
        Does::Verb(row) => {
            begin(screen, &format!("{} ", spelled(row)));
            screen.view.notice = Some(usage(row));
            None
        }
        Does::Send(verb) => wish::ask(screen, verb),
        Does::Begin(words) => {
            begin(screen, &words);
            None
        }
        Does::Edit(key, words) => {
            edit(screen, key, &words);
            None
        }
        Does::Copy(words, what) => Some(Request::Copy(words, what)),
    }
}

/// Moves the reader.
pub(super) fn read(screen: &mut Screen, to: impl FnOnce(&mut Transcript, &Story, Look<'_>)) {
    let Screen { story, view, theme, glyphs, keymap, .. } = screen;
    let (width, reasoning, only) = (view.transcript.width(), view.reasoning, view.only);
    let look = Look { width, theme, glyphs, keymap, reasoning, only };
    to(&mut view.transcript, story, look);
}
