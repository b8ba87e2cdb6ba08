//! Everything the screen holds: the conversation as read, where the reader is, and how it looks.
//!
//! It is changed by `act` and drawn by `draw`; neither is known here.

use crate::clock::Clock;
use crate::model::{Command, Key, Kind, Ms, ReceiptIs, Seq, SteerLine};
use crate::session::tail::{Item, ReadProgress};
use crate::state::RunState;
use crate::ui::action::Action;
use crate::ui::frame::Change;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::layout::{Areas, Panels};
use crate::ui::terminal::TerminalModes;
use crate::ui::text::wrap::clip;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, Themes};
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::completion::Completion;
use crate::ui::view::composer::Composer;
use crate::ui::view::drag::Drag;
use crate::ui::view::floor::{Status, doing};
use crate::ui::view::link::ScreenLink;
use crate::ui::view::list::List;
use crate::ui::view::message::{Look, Reading};
use crate::ui::view::modal::Vim;
use crate::ui::view::moment;
use crate::ui::view::outbox::{Outbox, WaitsFor};
use crate::ui::view::page::Page;
use crate::ui::view::player::Playback;
use crate::ui::view::search::Search;
use crate::ui::view::transcript::Transcript;
use crate::ui::view::undo::Undo;
use crate::ui::view::viewport::{SeenLine, Viewport};
use ratatui::layout::Rect;

/// Cells of the terminal's title at most.
const TITLE_WIDTH: usize = 80;

/// Where the reader is, what they write and what they were told; never logged.
#[derive(Default)]
pub struct ViewState {
    /// Where everything stands.
    pub areas: Areas,
    /// Where they read.
    pub viewport: Viewport,
    /// Whether the conversation is kept nowhere: then nothing goes on after its end and nothing branches off.
    pub unsaved: bool,
    /// How far the reading of the session is whose last words are shown meanwhile: nothing is steered before it is there.
    pub loading: Option<ReadProgress>,
    /// Whether another program runs the conversation: then nothing is steered from here.
    pub watching: bool,
    /// Lets the person continue a finished conversation that they read.
    pub reopens: bool,
    /// What they write.
    pub composer: Composer,
    /// Whether the keyboard is in the composer.
    pub writing: bool,
    /// Whether words were just sent: then the first key that is no text leaves the composer.
    pub sent: bool,
    /// Whether what is written was refused: the next command takes its place.
    pub refused: bool,
    /// Whether what is being written is to stop whoever speaks.
    pub cutting_in: bool,
    /// Whether the terminal has said that the person looks elsewhere.
    pub unfocused: bool,
    /// What a person who looks elsewhere is to be told.
    pub ring: Option<String>,
    /// Whether the next key stands behind Ctrl-X.
    pub prefixed: bool,
    /// The list that is open.
    pub list: Option<List>,
    /// What was run from the list of commands, the last one first.
    pub used: Vec<String>,
    /// The analysis pane, if it is open.
    pub analysis: Option<AnalysisPane>,
    /// What is looked for.
    pub search: Option<Search>,
    /// The text that lies on top.
    pub page: Option<Page>,
    /// How they read.
    pub reading: Reading,
    /// The key of the queued message that is being edited.
    pub editing: Option<Key>,
    /// The selected participant, by its place.
    pub selected: Option<usize>,
    /// Where somebody with the habits of vim stands.
    pub vim: Option<Vim>,
    /// What the word that is being written could become.
    pub completion: Option<Completion>,
    /// How panels are shown.
    pub panels: Panels,
    /// Whether the mouse was the screen's before words became raw.
    pub took_mouse: bool,
    /// The theme from before the preview.
    pub previous_theme: Option<Theme>,
    /// What can be taken back for a while.
    pub undo: Option<Undo>,
    /// Since when the next key stands behind the prefix.
    pub prefixed_since: Option<Ms>,
    /// Whether the keys that can follow it are listed.
    pub keys_listed: bool,
    /// The lines of the transcript that are seen.
    pub lines: Vec<SeenLine>,
    /// The addresses on the screen.
    pub links: Vec<ScreenLink>,
    /// Words of a message that the mouse is selecting.
    pub drag: Option<Drag>,
    /// What a click does, by the cells it falls on.
    pub clicks: Vec<(Rect, Action)>,
    /// What became of what they asked for last.
    pub notice: Option<String>,
    /// Whether that is more than fits into the last row, as it was drawn last.
    pub spills: bool,
    /// The recording that is played, where the conversation is none of now.
    pub playback: Option<Playback>,
    /// The action that is carried out if it comes again.
    pub leaving: Option<Action>,
    /// Since when it is waited for, and what was told.
    pub leaving_since: Option<(Ms, String)>,
}

impl ViewState {
    /// Returns whether nothing is steered from here, now or ever.
    pub fn is_read_only(&self) -> bool {
        self.watching || self.loading.is_some()
    }

    /// Returns where the keyboard is.
    pub fn place(&self) -> Focus {
        match (&self.list, self.writing) {
            _ if self.prefixed => Focus::Prefix,
            (Some(_), _) => Focus::Pick,
            _ if self.search.as_ref().is_some_and(|s| s.typing) => Focus::Search,
            (None, true) => Focus::Write,
            (None, false) if self.page.is_some() => Focus::Page,
            (None, false) if self.analysis.is_some() => Focus::Analysis,
            (None, false) if self.search.is_some() => Focus::Found,
            (None, false) if self.playback.is_some() => Focus::Replay,
            (None, false) => Focus::Read,
        }
    }

    /// Returns whether something lies above the transcript and has the keyboard: what is below has no keys.
    pub fn is_covered(&self) -> bool {
        matches!(self.place(), Focus::Pick | Focus::Search | Focus::Page | Focus::Analysis)
    }
}

/// Everything the screen holds.
pub struct Screen {
    /// The conversation, folded from its events.
    pub transcript: Transcript,
    /// Where the reader is.
    pub view: ViewState,
    /// The colours by role.
    pub theme: Theme,
    /// The themes to choose from.
    pub themes: Themes,
    /// The characters that frames and signs are drawn with.
    pub glyphs: &'static Glyphs,
    /// Which key means which action, and where.
    pub keymap: Keymap,
    /// What the terminal is used for besides showing.
    pub modes: TerminalModes,
    /// The session's time.
    pub clock: Clock,
    /// What was asked for and has no receipt yet.
    outbox: Outbox,
}

impl Screen {
    /// Returns the screen of a conversation that was opened, or reopened, at a place in the log.
    pub fn new(since: Seq, clock: Clock, theme: Theme, glyphs: &'static Glyphs) -> Screen {
        Screen {
            transcript: Transcript::default(),
            view: ViewState::default(),
            theme,
            themes: Themes::default(),
            glyphs,
            keymap: Keymap::default(),
            modes: TerminalModes::default(),
            clock,
            outbox: Outbox::new(since),
        }
    }

    /// Returns what the terminal's title is to be: how the conversation stands, and its own title.
    pub fn entitled(&self) -> String {
        let standing = match &self.view.playback {
            Some(_) => "REPLAY",
            None => Status::of(self.transcript.state()).word(),
        };
        let title = self.transcript.title();
        clip(&format!("{standing} {title}"), TITLE_WIDTH, self.glyphs.ellipsis)
    }

    /// Takes in what the tail hands out, and returns how much of the screen that changes; the outcome of a command
    /// becomes a notice.
    pub fn take(&mut self, item: &Item) -> Change {
        let record = match item {
            Item::Piece(_) => return self.hear(item),
            Item::Event(record) if matches!(record.event.kind, Kind::Delta(_)) => {
                return self.hear(item);
            }
            Item::Event(record) => record,
            Item::Past(_) => {
                self.transcript.take(item);
                self.view.viewport.forget();
                return Change::Everything;
            }
        };
        let turn_before = self.transcript.human_turn();
        self.transcript.take(item);
        if self.view.playback.is_none() && turn_before != self.transcript.human_turn() {
            self.open_composer();
        }
        if self.view.unfocused {
            self.view.ring =
                moment::told(&self.transcript, &record.event).or(self.view.ring.take());
        }
        let paused = self.transcript.state().run == RunState::Paused;
        if let Some(undo) =
            self.view.undo.as_mut().filter(|undo| undo.command == Command::Resume {})
        {
            if paused {
                undo.lasts = true;
                self.view.notice.take_if(|notice| *notice == undo.told);
            } else if undo.lasts {
                self.view.undo = None;
            }
        }
        let resume = paused.then(|| self.keymap.way(Action::TogglePause, Focus::Read));
        let waits_for = WaitsFor { speaker: self.transcript.speaker(), resume };
        let mut told = self.outbox.outcome(&record.event.kind, &waits_for);
        let offers = self.view.undo.as_ref().map(|undo| &undo.told);
        if let Some(offer) = offers.filter(|_| told.is_some())
            && self.view.notice.as_ref() == Some(offer)
        {
            match &record.event.kind {
                // the offer says already what it waits for
                Kind::Receipt(r) if r.is == ReceiptIs::Queued => {
                    self.outbox.say_instead(offer);
                    told = None;
                }
                _ => self.view.undo = None,
            }
        }
        if matches!(&record.event.kind, Kind::Receipt(r) if r.is == ReceiptIs::Done) {
            // what it waited for has come
            self.view.notice.take_if(|notice| self.outbox.is_queued(notice));
        }
        self.view.notice = told.or(self.view.notice.take());
        Change::Everything
    }

    /// Takes in words that are being said: mostly nobody does anything else than before, and words that are sealed were
    /// seen already.
    fn hear(&mut self, item: &Item) -> Change {
        let now = self.clock.now();
        let standing = |transcript: &Transcript| -> (Vec<String>, Vec<usize>) {
            let each = transcript.state().turns.values();
            each.map(|t| (doing(transcript, t, now).0, transcript.live.bytes(t.id))).unzip()
        };
        let (did, had) = standing(&self.transcript);
        self.transcript.take(item);
        let (does, has) = standing(&self.transcript);
        match (does == did, has == had) {
            (true, true) => Change::Nothing,
            (true, false) => Change::Words,
            (false, _) => Change::Everything,
        }
    }

    /// Shows a conversation that was read already; what comes from here on comes from the tail.
    pub fn adopt(&mut self, transcript: Transcript) {
        self.transcript = transcript;
        self.view.viewport.forget();
        self.open_composer();
    }

    /// Opens the composer where a seat of yours has the floor, unless something else has the keyboard.
    fn open_composer(&mut self) {
        let reads = matches!(self.view.place(), Focus::Read | Focus::Found);
        self.view.writing |= reads && self.transcript.human_turn().is_some();
    }

    /// Returns the row that keys act on.
    pub fn reading(&mut self) -> usize {
        let mut at = 0;
        self.read(|t, transcript, look| at = t.reading(transcript, look));
        at
    }

    /// Returns the key of the command that is given next.
    pub fn next_key(&self) -> Key {
        self.outbox.next_key()
    }

    /// Returns a command with its key.
    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        self.outbox.command(command)
    }

    /// Moves the reader.
    pub(in crate::ui) fn read(&mut self, to: impl FnOnce(&mut Viewport, &Transcript, Look<'_>)) {
        let Screen { transcript, view, theme, glyphs, keymap, .. } = self;
        let width = view.viewport.width();
        let look = Look { width, theme, glyphs, keymap, reading: &view.reading };
        to(&mut view.viewport, transcript, look);
    }

    /// Changes the colours, and lays out again what was laid out in others.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.view.viewport.forget();
        self.view.analysis.iter_mut().for_each(AnalysisPane::forget);
        self.view.page.iter_mut().for_each(|page| page.laid = None);
    }
}
