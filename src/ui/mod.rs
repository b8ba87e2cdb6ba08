//! The full-screen reader: panes, keys, themes, layout.
//!
//! It reads a tail and sends commands; it never decides what happens, and it cannot tell a live conversation from a
//! replayed one. Key press → [`Action`](action::Action) → [`update`](act::update) → view state, or a command. What is logged is the
//! engine's; where the reader scrolled to is nobody's. It deliberately knows no engine, no voice, no environment.

pub mod act;
pub mod action;
pub mod draw;
pub mod film;
pub mod keymap;
pub mod layout;
pub mod linear;
pub mod run;
pub mod slash;
pub mod start;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod view;

use crate::clock::Clock;
use crate::model::{Command, Key, Kind, ReceiptIs, Seq, SteerLine};
use crate::session::tail::Item;
use crate::state::Run;
use crate::ui::act::appearance::ThemeChoice;
use crate::ui::act::update::ViewState;
use crate::ui::keymap::Keymap;
use crate::ui::terminal::TerminalModes;
use crate::ui::text::wrap::clip;
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::floor::Status;
use crate::ui::view::outbox::{Outbox, WAITS};
use crate::ui::view::transcript::Transcript;

/// Cells of the terminal's title at most.
const TITLE_WIDTH: usize = 80;

/// Everything the screen holds.
pub struct Screen {
    /// The conversation.
    pub transcript: Transcript,
    /// Where the reader is.
    pub view: ViewState,
    /// The colours.
    pub theme: Theme,
    /// The themes that can be worn instead.
    pub themes: ThemeChoice,
    /// The signs.
    pub glyphs: &'static Glyphs,
    /// The keys.
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
            themes: ThemeChoice::default(),
            glyphs,
            keymap: Keymap::default(),
            modes: TerminalModes::default(),
            clock,
            outbox: Outbox::new(since),
        }
    }

    /// Returns what the terminal's title is to be: how the talk stands, and its own title.
    pub fn entitled(&self) -> String {
        let standing = match &self.view.playback {
            Some(_) => "REPLAY",
            None => Status::of(self.transcript.state()).word(),
        };
        let title = self.transcript.title();
        clip(&format!("{standing} {title}"), TITLE_WIDTH, self.glyphs.ellipsis)
    }

    /// Takes in what the tail hands out; what became of a wish is told.
    pub fn take(&mut self, item: &Item) {
        self.transcript.take(item);
        let record = match item {
            Item::Event(record) => record,
            Item::Piece(_) => return,
            Item::Past(_) => {
                self.view.viewport.forget();
                return;
            }
        };
        let paused = self.transcript.state().run == Run::Paused;
        let told = self.outbox.outcome(&record.event.kind, paused);
        if matches!(&record.event.kind, Kind::Receipt(r) if r.is == ReceiptIs::Done) {
            // what it waited for has come
            self.view.notice.take_if(|notice| notice.contains(WAITS));
        }
        self.view.notice = told.or(self.view.notice.take());
    }

    /// Returns the row that is read: the first on the screen, or the last one while the end is followed.
    pub fn reading(&mut self) -> usize {
        if self.view.viewport.following() {
            return self.transcript.len().saturating_sub(1);
        }
        let mut first = 0;
        act::update::read(self, |t, transcript, look| first = t.first(transcript, look).0);
        first
    }

    /// Returns a wish as a command with its key.
    pub fn command(&mut self, command: Command) -> (Key, SteerLine) {
        self.outbox.command(command)
    }
}
