//! What a key or an action changes: the reader's view at once, the conversation by asking for it.
//!
//! Nothing here is logged and nothing acts: what is to be done outside comes back as requests.

use crate::model::{Command, Key, Ms};
use crate::session::replay::{Speed, Step};
use crate::text;
use crate::ui::Screen;
use crate::ui::act::appearance;
use crate::ui::act::branches::{BranchPoint, SessionFilter};
use crate::ui::act::entries;
use crate::ui::act::intents;
use crate::ui::act::leave;
use crate::ui::act::modal::{self, Vim};
use crate::ui::act::navigate;
use crate::ui::act::participant::{self, Extract, Pick};
use crate::ui::act::select;
use crate::ui::act::undo::{self, Undo};
use crate::ui::action::Action;
use crate::ui::keymap::{self, Focus};
use crate::ui::layout::{Areas, Panels};
use crate::ui::text::caret;
use crate::ui::theme::Theme;
use crate::ui::view::analysis::Analysis;
use crate::ui::view::completion::{self, Completion};
use crate::ui::view::composer::Composer;
use crate::ui::view::dependencies;
use crate::ui::view::list::{Feed, List, ListKind};
use crate::ui::view::message::{Look, Reading};
use crate::ui::view::page::Page;
use crate::ui::view::player::{self, Playback};
use crate::ui::view::search::Search;
use crate::ui::view::transcript::Transcript;
use crate::ui::view::viewport::Viewport;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::Rect;

/// What is to be done outside the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// The talk branches off; what came after it stays in the old session.
    Fork(BranchPoint),
    /// The sessions as a list, to show one beside the talk.
    Sessions(SessionFilter),
    /// Another session beside the talk: its name or path.
    Beside(String),
    /// A deed of the operator.
    Send(Command),
    /// The talk that ended is taken up again, and these deeds come first.
    Again(Vec<Command>),
    /// A text for the clipboard, and what it is in words.
    Copy(String, String),
    /// An address, for the program that the system has for it.
    Open(String),
    /// What is written, for the person's own editor.
    Edit(String),
    /// The session as a file, in the format of a name.
    Export(&'static str),
    /// Everything is drawn anew.
    Redraw,
    /// The terminal is taken anew: the program had been stopped.
    Retaken,
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
pub struct ViewState {
    /// Where everything stands.
    pub areas: Areas,
    /// Where they read.
    pub viewport: Viewport,
    /// Whether the talk is kept nowhere: then nothing goes on after its end and nothing branches off.
    pub unsaved: bool,
    /// What they write.
    pub composer: Composer,
    /// Whether the keyboard is in the composer.
    pub writing: bool,
    /// Whether the next key stands behind Ctrl-X.
    pub prefixed: bool,
    /// The list that is open.
    pub list: Option<List>,
    /// What was run from the list of commands, the last one first.
    pub used: Vec<String>,
    /// The figures, where they are read.
    pub analysis: Option<Analysis>,
    /// What is looked for.
    pub search: Option<Search>,
    /// The text that lies on top.
    pub page: Option<Page>,
    /// How they read.
    pub reading: Reading,
    /// The words that wait and are being changed.
    pub editing: Option<Key>,
    /// The seat put forward, by its place.
    pub selected: Option<usize>,
    /// Where somebody with the habits of vim stands.
    pub vim: Option<Vim>,
    /// What the word that is being written could become.
    pub completion: Option<Completion>,
    /// How panels are shown.
    pub panels: Panels,
    /// Whether the mouse was the screen's before words became raw.
    pub took_mouse: bool,
    /// What was worn before a theme was tried on.
    pub previous_theme: Option<Theme>,
    /// What can be taken back for a while.
    pub undo: Option<Undo>,
    /// Since when the next key stands behind the prefix.
    pub prefixed_since: Option<Ms>,
    /// Whether the keys that can follow it are listed.
    pub keys_listed: bool,
    /// What a click does, by the cells it falls on.
    pub clicks: Vec<(Rect, Action)>,
    /// What became of what they asked for last.
    pub notice: Option<String>,
    /// Whether that is more than fits into the last row, as it was drawn last.
    pub spills: bool,
    /// The recording that is played, where the talk is none of now.
    pub playback: Option<Playback>,
    /// The wish to leave that is granted when it comes again.
    pub leaving: Option<Action>,
}

impl ViewState {
    /// Returns where the keyboard is.
    pub fn place(&self) -> Focus {
        match (&self.list, self.writing) {
            _ if self.prefixed => Focus::Prefix,
            (Some(_), _) => Focus::Pick,
            _ if self.search.as_ref().is_some_and(|s| s.typing) => Focus::Search,
            (None, true) => Focus::Write,
            (None, false) if self.analysis.is_some() => Focus::Analysis,
            (None, false) if self.search.is_some() => Focus::Found,
            (None, false) if self.playback.is_some() => Focus::Replay,
            (None, false) => Focus::Read,
        }
    }
}

/// Takes in a key.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Request> {
    let spelled = keymap::spell(key)?;
    if let Some(asked) = modal::key(screen, key) {
        return asked;
    }
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
                Action::Retry if leaving == Some(action) => intents::ask(screen, Command::Retry {}),
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
fn write(screen: &mut Screen, place: Focus, key: &KeyEvent) {
    if let (Focus::Search, Some(search)) = (place, &mut screen.view.search) {
        match key.code {
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
                search.query.push(c);
            }
            KeyCode::Backspace => caret::pop(&mut search.query),
            _ => return,
        }
        navigate::search_again(screen);
        return;
    }
    match (place, &mut screen.view.list) {
        (Focus::Write, _) if key.kind != KeyEventKind::Release => {
            screen.view.notice = None;
            caret::input(&mut screen.view.composer.area, *key);
            completion::refresh(screen);
        }
        (Focus::Pick, Some(list)) => match key.code {
            KeyCode::Char(c) if !key.modifiers.contains(KeyModifiers::CONTROL) => list.narrow(c),
            KeyCode::Backspace => list.widen(),
            _ => {}
        },
        (
            Focus::Read
            | Focus::Replay
            | Focus::Found
            | Focus::Write
            | Focus::Prefix
            | Focus::Pick
            | Focus::Search
            | Focus::Analysis
            | Focus::Start
            | Focus::StartList,
            _,
        ) => {}
    }
}

/// Takes in pasted text: it goes to the composer and never sends.
pub fn paste(screen: &mut Screen, text: &str) {
    screen.view.list = None;
    screen.view.writing = true;
    screen.view.completion = None;
    screen.view.composer.paste(text);
}

/// Carries out an action.
pub fn act(screen: &mut Screen, action: Action) -> Option<Request> {
    let replays = screen.view.playback.is_some();
    let talk = if replays { Feed::Recorded } else { Feed::Live };
    if let Some(analysis) = &mut screen.view.analysis
        && analysis.handle(action)
    {
        return None;
    }
    if let Some(page) = &mut screen.view.page
        && !screen.view.writing
    {
        if let Some(asked) = select::handle(page, action) {
            return asked;
        }
        match action {
            Action::Back | Action::Quit | Action::Prompt | Action::Zoom | Action::Dependencies => {
                screen.view.page = None;
                // `zz`, which is there and back for everybody else
                if action == Action::Zoom && screen.view.vim.is_some() {
                    navigate::centre(screen);
                }
                return None;
            }
            Action::Write | Action::Reasoning if page.link.is_some() => {
                let link = screen.view.page.take().and_then(|page| page.link);
                return link.filter(|(_, opens)| *opens).map(|(link, _)| Request::Open(link));
            }
            Action::Copy => {
                let (words, what) = match &page.link {
                    Some((link, _)) => (text::line(link).into_owned(), "the link"),
                    None => (page.text(), "what is shown"),
                };
                return Some(Request::Copy(words, what.into()));
            }
            action if page.moves(action) => return None,
            _ => {}
        }
    }
    match action {
        Action::Analysis => {
            let open = screen.view.analysis.take().is_none();
            screen.view.analysis = open.then(|| Analysis::of(&screen.transcript));
        }
        Action::OpenEvent => navigate::event(screen),
        Action::Export => screen.view.list = Some(List::new(ListKind::Formats, feed)),
        Action::TogglePause if replays => player::toggle(&mut screen.view),
        Action::Step if replays => player::step(&mut screen.view, Step::Text),
        Action::Write | Action::Editor if replays => return intents::past(screen),
        Action::PlayPause => player::toggle(&mut screen.view),
        Action::TextOn => player::step(&mut screen.view, Step::Text),
        Action::TextBack => player::step(&mut screen.view, Step::TextBack),
        Action::UtteranceOn => player::step(&mut screen.view, Step::Utterance),
        Action::UtteranceBack => player::step(&mut screen.view, Step::UtteranceBack),
        Action::MarkOn => player::mark(&mut screen.view, navigate::Way::Down),
        Action::MarkBack => player::mark(&mut screen.view, navigate::Way::Up),
        Action::Begin => player::tenth(&mut screen.view, 0),
        Action::Tenth(tenth) => player::tenth(&mut screen.view, tenth),
        Action::Faster => player::speed(&mut screen.view, Speed::faster),
        Action::Slower => player::speed(&mut screen.view, Speed::slower),
        Action::Waits => player::waits(&mut screen.view),
        Action::TogglePause => return intents::toggle_pause(screen),
        Action::Step => return intents::ask(screen, Command::Step { n: 1 }),
        Action::Skip => return intents::skip(screen),
        Action::Retry => return intents::retry(screen),
        Action::Vote => entries::begin(screen, "/vote "),
        Action::Undo => return undo::undo(screen),
        Action::Theme => appearance::themes(screen),
        Action::Panels => appearance::panels(screen),
        Action::PauseNow => return intents::ask(screen, Command::PauseNow {}),
        Action::MoreRound => return intents::more(screen),
        Action::GiveFloor => return intents::give_floor(screen),
        Action::Mute => return intents::mute(screen),
        Action::DropQueued => return intents::drop_queued(screen),
        Action::Send => return intents::send(screen, intents::Delivery::Queue),
        Action::CutIn => return intents::send(screen, intents::Delivery::CutIn),
        Action::RunEntry => return entries::run_entry(screen),
        Action::Interrupt => return leave::interrupt(screen),
        Action::Quit => return leave::quit(screen, action, Request::Leave),
        Action::Home => return leave::quit(screen, action, Request::Home),
        Action::Copy => return navigate::copy(screen),
        Action::CopyPlain => return navigate::copy_plain(screen),
        Action::SelectLines => select::open(screen),
        Action::CopyCode => return navigate::take_out(screen, Extract::Code),
        Action::Links => return navigate::take_out(screen, Extract::Links),
        Action::Zoom => navigate::zoom(screen),
        Action::Prompt => navigate::prompt(screen),
        Action::Dependencies => {
            screen.view.page = dependencies::page(screen);
            if screen.view.page.is_none() {
                screen.view.notice = Some("nobody waits for anybody here".into());
            }
        }
        Action::Filter => navigate::filter(screen),
        Action::Mark => return intents::ask(screen, Command::Mark { text: None }),
        Action::MarkUp => navigate::mark(screen, navigate::Way::Up),
        Action::MarkDown => navigate::mark(screen, navigate::Way::Down),
        Action::Seat => entries::seat_deeds(screen),
        Action::Pass => return intents::pass(screen),
        Action::EditQueued => entries::edit_queued(screen),
        Action::Fork => return navigate::fork(screen),
        Action::Tree => return Some(Request::Sessions(SessionFilter::Family)),
        Action::Compare => return Some(Request::Sessions(SessionFilter::Everything)),
        Action::Versions => navigate::alternatives(screen),
        Action::Suspend => return Some(Request::Suspend),
        Action::Redraw => return Some(Request::Redraw),
        Action::Raw => return leave::raw(screen),
        Action::Select(number) => participant::select(screen, usize::from(number) - 1),
        Action::SelectNext => participant::select_next(screen, Pick::Forward),
        Action::SelectPrevious => participant::select_next(screen, Pick::Back),
        Action::Whisper => entries::whisper(screen),
        Action::Note => entries::begin(screen, "/note "),
        Action::Write => screen.view.writing = true,
        Action::Earlier if screen.view.completion.is_some() => {
            screen.view.completion.iter_mut().for_each(Completion::up);
        }
        Action::Later if screen.view.completion.is_some() => {
            screen.view.completion.iter_mut().for_each(Completion::down);
        }
        Action::Earlier => {
            // with nothing written, words that still wait come before those that were sent
            if screen.view.composer.is_empty() && screen.transcript.queued().next().is_some() {
                entries::edit_queued(screen);
            } else {
                screen.view.composer.earlier();
            }
        }
        Action::Later => screen.view.composer.later(),
        Action::History => screen.view.list = participant::history(&screen.view.composer.history),
        Action::Editor => return Some(Request::Edit(screen.view.composer.whole())),
        Action::Unfold if screen.view.composer.unfold() => {}
        Action::Unfold => {
            let key = screen.keymap.way(Action::Editor, Focus::Write);
            screen.view.notice =
                Some(format!("too long to be opened here: {key} takes it to your editor"));
        }
        Action::NewLine => screen.view.composer.area.insert_newline(),
        Action::Complete => {
            completion::refresh_if_none(screen);
            if let Some(offer) = screen.view.completion.take() {
                offer.take(&mut screen.view.composer.area);
                completion::refresh(screen);
            }
        }
        Action::RestoreDraft => {
            screen.view.writing = true;
            screen.view.composer.restore();
        }
        Action::Prefix => screen.view.prefixed = true,
        Action::Palette => {
            let used = screen.view.used.clone();
            screen.view.list = Some(List { used, ..List::new(ListKind::Commands, feed) });
        }
        Action::Help => screen.view.list = Some(List::new(ListKind::Keys, feed)),
        Action::EntryUp => {
            screen.view.list.iter_mut().for_each(List::up);
            appearance::preview_theme(screen);
        }
        Action::EntryDown => {
            screen.view.list.iter_mut().for_each(|l| l.down(&screen.keymap));
            appearance::preview_theme(screen);
        }
        Action::Back => return leave::back(screen),
        Action::MessageUp => navigate::message(screen, navigate::Way::Up),
        Action::MessageDown => navigate::message(screen, navigate::Way::Down),
        Action::Search => {
            screen.view.search = Some(Search { typing: true, ..Search::default() });
        }
        Action::NextFound => navigate::found(screen, navigate::Way::Down),
        Action::PreviousFound => navigate::found(screen, navigate::Way::Up),
        Action::AcceptSearch => screen.view.search.iter_mut().for_each(|s| s.typing = false),
        Action::Reasoning => navigate::reasoning(screen),
        Action::AllReasoning => {
            screen.view.reading.reasoning = !screen.view.reading.reasoning;
            screen.view.viewport.forget();
        }
        Action::LineUp => read(screen, |t, transcript, look| t.up(transcript, look, 1)),
        Action::LineDown => read(screen, |t, transcript, look| t.down(transcript, look, 1)),
        Action::HalfUp => read(screen, |t, transcript, look| t.up(transcript, look, t.page() / 2)),
        Action::HalfDown => {
            read(screen, |t, transcript, look| t.down(transcript, look, t.page() / 2))
        }
        Action::PageUp => read(screen, |t, transcript, look| t.up(transcript, look, t.page())),
        Action::PageDown => read(screen, |t, transcript, look| t.down(transcript, look, t.page())),
        Action::Top => read(screen, |t, transcript, look| t.go(transcript, look, 0)),
        Action::Follow => read(screen, |t, _, _| t.follow()),
        // of the start screen alone
        Action::NextField
        | Action::PreviousField
        | Action::TurnOn
        | Action::TurnBack
        | Action::ReplaySession
        | Action::CompareSessions
        | Action::DropSession
        | Action::Demo
        | Action::Recorded
        | Action::Connect => {}
    }
    None
}

/// Moves the reader.
pub(in crate::ui) fn read(
    screen: &mut Screen,
    to: impl FnOnce(&mut Viewport, &Transcript, Look<'_>),
) {
    let Screen { transcript, view, theme, glyphs, keymap, .. } = screen;
    let width = view.viewport.width();
    let look = Look { width, theme, glyphs, keymap, reading: &view.reading };
    to(&mut view.viewport, transcript, look);
}
