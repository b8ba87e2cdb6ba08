//! State of the screen: the displayed conversation, the reading position, and the appearance.
//!
//! It is changed by `act` and drawn by `draw`, and does not depend on either.

use crate::clock::Clock;
use crate::model::{Command, Key, Kind, Ms, ReceiptIs, SeatId, Seq, SteerLine};
use crate::session::Durable;
use crate::session::tail::{Item, ReadProgress};
use crate::state::{PendingCommand, RunState};
use crate::steer::line;
use crate::ui::action::Action;
use crate::ui::frame::Change;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::layout::Areas;
use crate::ui::terminal::TerminalModes;
use crate::ui::text::links::ScreenLink;
use crate::ui::text::wrap::clip;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::theme::{Theme, ThemeRole, Themes};
use crate::ui::view::absence::{Absence, Hand, KeyTimes, Rest};
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::completion::Completion;
use crate::ui::view::composer::{AnsweredTurn, Composer, Vim};
use crate::ui::view::confirming::{Confirming, SecondPress, ShownCard};
use crate::ui::view::drag::Drag;
use crate::ui::view::floor::{Status, doing};
use crate::ui::view::list::List;
use crate::ui::view::message::{Look, Reading};
use crate::ui::view::moment;
use crate::ui::view::outbox::{Outbox, WaitsFor};
use crate::ui::view::overlays::Overlays;
use crate::ui::view::page::Page;
use crate::ui::view::player::Playback;
use crate::ui::view::transcript::Transcript;
use crate::ui::view::undo::{ChangedSetting, Undo};
use crate::ui::view::viewport::{SeenLine, Viewport};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use tokio::sync::watch;

/// Maximum cells of the terminal's title.
const TITLE_WIDTH: usize = 80;
/// Title of a terminal whose conversation has only its topic for a title.
const NAME: &str = "colloquium";

/// Relation of the screen to its conversation.
#[derive(Default)]
pub enum ScreenMode {
    /// This process runs the conversation.
    #[default]
    Live,
    /// Another process runs the conversation, takes commands, and goes on when the person leaves.
    Attached,
    /// Another process runs the conversation, and takes no commands from here.
    Watch,
    /// A recording is played.
    Recording(Playback),
    /// Only the last messages are shown while the session is read, so far as this; no commands are accepted.
    Read(ReadProgress),
}

/// Reading position, draft, overlays and notices; never logged.
#[derive(Default)]
pub struct ViewState {
    /// Layout of the last frame.
    pub areas: Areas,
    /// Scroll position of the transcript.
    pub viewport: Viewport,
    /// True if the conversation is not saved: it cannot be extended or branched.
    pub unsaved: bool,
    /// Relation to the conversation.
    pub mode: ScreenMode,
    /// Reason why the conversation cannot go on in the background.
    pub stays: Option<String>,
    /// Progress of the disk, for the loop; `None` if another process writes the session.
    pub durable: Option<watch::Receiver<Durable>>,
    /// Wait for space on a full disk.
    pub disk: Option<String>,
    /// Composer with the draft.
    pub composer: Composer,
    /// True if the composer has the keyboard focus.
    pub writing: bool,
    /// Turn that the draft answers.
    pub reply: AnsweredTurn,
    /// Raised hand, for which the next turn waits.
    pub hand: Hand,
    /// Times of the last keys.
    pub keys: KeyTimes,
    /// Card of the last frame.
    pub card: Option<ShownCard>,
    /// Choice of it that waits for a second Enter.
    pub confirming: Option<Confirming>,
    /// True if the draft was rejected: the next command replaces it.
    pub refused: bool,
    /// True if the terminal has reported a loss of focus.
    pub unfocused: bool,
    /// Absence of the person, and after it its summary until the next key.
    pub absence: Option<Absence>,
    /// Text of a pending notification, set only while the terminal is unfocused.
    pub ring: Option<String>,
    /// Open overlays.
    pub over: Overlays,
    /// Wait for the poster.
    pub rest: Rest,
    /// Display options of the transcript.
    pub reading: Reading,
    /// Index of the selected participant.
    pub selected: Option<usize>,
    /// State of the vim keys; `None` with other keymaps.
    pub vim: Option<Vim>,
    /// Completions of the word under the cursor.
    pub completion: Option<Completion>,
    /// Command that can be undone for a while.
    pub undo: Option<Undo>,
    /// Visible lines of the transcript.
    pub lines: Vec<SeenLine>,
    /// Addresses on the screen.
    pub links: Vec<ScreenLink>,
    /// Mouse selection of a message's text.
    pub drag: Option<Drag>,
    /// Click areas and their actions.
    pub clicks: Vec<(Rect, Action)>,
    /// Outcome of the last command, or another notice.
    pub notice: Option<String>,
    /// Setting that the last key changed.
    pub changed: Option<ChangedSetting>,
    /// Queued message that was taken out of the queue to be edited.
    pub withdrawn: Option<Box<PendingCommand>>,
    /// Time at which the notice was first shown, and its text.
    pub notice_since: Option<(Ms, String)>,
    /// True if the notice did not fit into the footer of the last frame.
    pub spills: bool,
    /// Action that waits for a second press.
    pub leaving: Option<SecondPress>,
}

impl ViewState {
    /// Returns whether no commands are accepted, permanently or until the session is read.
    pub fn is_read_only(&self) -> bool {
        matches!(self.mode, ScreenMode::Watch | ScreenMode::Read(_))
    }

    /// Restarts the time of the card after another program had the terminal: no earlier key is part of an answer.
    pub fn restart_card(&mut self, now: Ms) {
        self.confirming = None;
        self.card.iter_mut().for_each(|shown| shown.since = now);
    }

    /// Returns whether only the last messages are shown while the session is read.
    pub fn is_loading(&self) -> bool {
        matches!(self.mode, ScreenMode::Read(_))
    }

    /// Returns whether another process runs the conversation.
    pub fn is_away(&self) -> bool {
        matches!(self.mode, ScreenMode::Attached | ScreenMode::Watch)
    }

    /// Returns whether a line can be written: the input box keeps its rows while the focus is elsewhere.
    pub fn steers(&self) -> bool {
        matches!(self.mode, ScreenMode::Live | ScreenMode::Attached)
    }

    /// Returns whether a recording is played.
    pub fn is_recording(&self) -> bool {
        self.playback().is_some()
    }

    /// Returns the player of a recording.
    pub fn playback(&self) -> Option<&Playback> {
        match &self.mode {
            ScreenMode::Recording(playback) => Some(playback),
            _ => None,
        }
    }

    /// Returns whether the person may continue the recorded conversation.
    pub fn reopens(&self) -> bool {
        self.playback().is_some_and(|playback| playback.reopens)
    }

    /// Returns the keyboard focus.
    pub fn place(&self) -> Focus {
        match self.over.focus(self.writing) {
            Some(overlay) => overlay,
            None if self.writing && self.is_on_line() => Focus::Line,
            None => self.steering(),
        }
    }

    /// Returns whether the composer is empty and its keys for an empty line apply.
    fn is_on_line(&self) -> bool {
        self.composer.is_empty() && self.completion.is_none()
    }

    /// Returns the focus whose keys the person can press now for steering.
    pub fn steering(&self) -> Focus {
        match &self.mode {
            _ if self.writing => Focus::Write,
            ScreenMode::Recording(_) => Focus::Replay,
            ScreenMode::Live | ScreenMode::Attached => Focus::Marked,
            ScreenMode::Watch | ScreenMode::Read(_) => Focus::Read,
        }
    }

    /// Returns whether the composer has the keyboard focus, so that it is drawn as an input box.
    pub fn is_framed(&self) -> bool {
        self.writing && self.over.focus(true).is_none()
    }

    /// Returns whether an overlay over the transcript has the keyboard focus, so that the panes below get no keys.
    pub fn is_covered(&self) -> bool {
        self.over.focus(self.writing).is_some()
    }
}

/// Returns whether an event ends the conversation or says how it ended.
fn is_outcome(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::ResultGiven(_)
            | Kind::VoteClosed(_)
            | Kind::VerdictGiven(_)
            | Kind::LimitReached(_)
            | Kind::Ended(_)
    )
}

pub struct Screen {
    /// Conversation, built from its events.
    pub transcript: Transcript,
    pub view: ViewState,
    /// Colours by role.
    pub theme: Theme,
    /// Available themes.
    pub themes: Themes,
    /// Characters of frames and symbols.
    pub glyphs: &'static Glyphs,
    /// Key bindings per focus.
    pub keymap: Keymap,
    /// Optional features of the terminal.
    pub modes: TerminalModes,
    /// Clock of the session.
    pub clock: Clock,
    /// Commands without a receipt.
    outbox: Outbox,
}

impl Screen {
    /// Creates the screen of a conversation that was opened or reopened at a position in the log.
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

    /// Gives the commands the keys of a client that is attached to the conversation.
    pub fn set_keys(&mut self, prefix: String) {
        self.outbox = Outbox::with_prefix(prefix);
    }

    /// Returns the title for the terminal: the status and the title of the conversation.
    pub fn entitled(&self) -> String {
        let standing = match self.view.playback() {
            Some(_) => "REPLAY",
            None => Status::from_state(self.transcript.state()).word(),
        };
        let state = self.transcript.state();
        let topic = state.scenario.topic.iter().flat_map(|topic| topic.split_whitespace());
        // bars and lists of other programs show it, so it is no place for the words of a person
        let is_topic = topic.eq(state.title.iter().flat_map(|title| title.split_whitespace()));
        let title = if is_topic { NAME.into() } else { self.transcript.title() };
        clip(&format!("{standing} {title}"), TITLE_WIDTH, self.glyphs.ellipsis)
    }

    /// Applies an item of the tail and returns the extent of the change. The outcome of a command becomes a notice.
    pub fn take(&mut self, item: &Item) -> Change {
        let record = match item {
            Item::Piece(_) => return self.apply_item(item),
            Item::Event(record) if matches!(record.event.kind, Kind::Delta(_)) => {
                return self.apply_item(item);
            }
            Item::Event(record) => record,
            Item::Past(_) => {
                self.transcript.take(item);
                self.view.viewport.forget();
                self.view.viewport.open_outcome();
                return Change::Everything;
            }
        };
        let turn_before = self.transcript.human_turn();
        self.transcript.take(item);
        if is_outcome(&record.event.kind) {
            self.view.viewport.open_outcome();
        }
        if !self.view.is_recording() && turn_before != self.transcript.human_turn() {
            self.open_composer();
        }
        if self.view.unfocused {
            self.view.ring =
                moment::describe(&self.transcript, &record.event).or(self.view.ring.take());
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
        let resume = paused.then(|| self.keymap.way(Action::TogglePause, self.view.steering()));
        let waits_for = WaitsFor { speaker: self.transcript.speaker(), resume };
        let mut told = self.outbox.outcome(&record.event.kind, &waits_for);
        let offers = self.view.undo.as_ref().map(|undo| &undo.told);
        if told.is_some()
            && let Some(offer) = offers
            && self.view.notice.as_ref() == Some(offer)
        {
            match &record.event.kind {
                // the offer already explains the wait
                Kind::Receipt(r) if r.is == ReceiptIs::Queued => {
                    self.outbox.say_instead(offer);
                    told = None;
                }
                _ => self.view.undo = None,
            }
        }
        if matches!(&record.event.kind, Kind::Receipt(r) if r.is == ReceiptIs::Done) {
            // the queued command has taken effect
            self.view.notice.take_if(|notice| self.outbox.is_queued(notice));
        }
        self.view.notice = told.or(self.view.notice.take());
        Change::Everything
    }

    /// Applies streamed text. Usually the activity of the speakers does not change; a saved delta repeats text that was
    /// already streamed.
    fn apply_item(&mut self, item: &Item) -> Change {
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

    /// Shows a conversation that is already read; later events come from the tail.
    pub fn adopt(&mut self, transcript: Transcript) {
        self.transcript = transcript;
        self.view.viewport.forget();
        self.open_composer();
        self.open_line();
    }

    /// Opens the composer if a human seat has the floor, unless an overlay has the focus.
    fn open_composer(&mut self) {
        let reads = self.view.place() == Focus::Marked;
        self.view.writing |= reads && self.transcript.human_turn().is_some();
    }

    /// Shows a page, which has the focus until it is closed.
    pub fn open_page(&mut self, page: Page) {
        self.view.over.page = Some(page);
        self.view.over.returns |= std::mem::take(&mut self.view.writing);
    }

    /// Shows a list in the place of an open one.
    pub fn open_list(&mut self, list: Option<List>) {
        self.close_list();
        self.view.over.list = list;
    }

    /// Closes the list, which ends the preview of a theme.
    pub fn close_list(&mut self) -> Option<List> {
        let mut list = self.view.over.list.take()?;
        if let Some(theme) = list.theme.take() {
            self.set_theme(theme);
        }
        Some(list)
    }

    /// Gives the focus to the composer if a line can be written.
    pub fn open_line(&mut self) {
        self.view.writing = self.view.steers();
    }

    /// Returns the name of the participant to whom the draft whispers.
    pub fn whispered_to(&self) -> Option<String> {
        let draft = self.view.composer.area.lines().first()?;
        let to = line::hearer(draft, self.transcript.state())?;
        Some(to.map_or_else(|_| String::new(), |to| self.transcript.name(&to)))
    }

    /// Returns the style of the frame of the input box; a whisper has the colour of its badge.
    pub fn frame_style(&self) -> Style {
        if self.whispered_to().is_none() {
            return self.theme.style(ThemeRole::Notice);
        }
        let badge = self.theme.style(ThemeRole::BadgeWhisper);
        let ink = badge.bg.or(badge.fg);
        ink.map_or(badge.remove_modifier(Modifier::REVERSED), |ink| Style::new().fg(ink))
    }

    /// Returns the chosen participant, whom text on the line addresses and Enter alone gives the floor; `None` outside
    /// the line, while a person has the floor, and after the end.
    pub fn chosen(&self) -> Option<SeatId> {
        let state = self.transcript.state();
        let free = state.ended.is_none() && self.transcript.human_turn().is_none();
        if !free {
            return None;
        }
        let at = self.view.selected?;
        state.seats.get(at).map(|seat| seat.spec.id.clone())
    }

    /// Returns the index of the row that keys act on.
    pub fn reading(&mut self) -> usize {
        let mut at = 0;
        self.read(|t, transcript, look| at = t.reading(transcript, look));
        at
    }

    /// Returns the key of the next command.
    pub fn next_key(&self) -> Key {
        self.outbox.next_key()
    }

    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        self.outbox.command(command)
    }

    /// Moves the reading position.
    pub(in crate::ui) fn read(&mut self, to: impl FnOnce(&mut Viewport, &Transcript, Look<'_>)) {
        let Screen { transcript, view, theme, glyphs, keymap, .. } = self;
        let width = view.viewport.width();
        let place = view.steering();
        let look = Look { width, theme, glyphs, keymap, place, reading: &view.reading };
        to(&mut view.viewport, transcript, look);
    }

    /// Changes the theme and discards all layouts made with the old one.
    pub fn set_theme(&mut self, theme: Theme) {
        self.theme = theme;
        self.view.viewport.forget();
        self.view.over.analysis.iter_mut().for_each(AnalysisPane::forget);
        self.view.over.page.iter_mut().for_each(|page| page.laid = None);
    }
}
