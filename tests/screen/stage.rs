//! A screen of a given size with events of the rehearsed demo, up to the point that a test needs.

use crate::program;
use colloquium::clock::Clock;
use colloquium::model::{Channel, Event, Kind, Ms, Piece, Seq, ThreadId, TurnId, Wall};
use colloquium::session::{Item, Record, decode};
use colloquium::ui::act::update::{act, blank, key};
use colloquium::ui::action::Action;
use colloquium::ui::frame::Frame;
use colloquium::ui::keymap::Focus;
use colloquium::ui::request::Request;
use colloquium::ui::theme::Theme;
use colloquium::ui::theme::glyphs;
use colloquium::ui::{Screen, draw};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Returns the events of the whole demo, without positions and result, so that only the transcript fills the screen.
pub fn demo() -> &'static [Event] {
    static DEMO: OnceLock<Vec<Event>> = OnceLock::new();
    DEMO.get_or_init(|| {
        let mut events = headless(&["demo", "--set", "result=\"none\""], &[]);
        events.retain(|event| !matches!(event.kind, Kind::PositionRecorded(_)));
        for event in &mut events {
            match &mut event.kind {
                Kind::Opened(opened) => {
                    opened.scenario.as_object_mut().unwrap().remove("stance");
                }
                Kind::TurnEnded(end) => end.closing_line = None,
                _ => {}
            }
        }
        events
    })
}

/// Returns the events of the whole demo.
pub fn whole_demo() -> &'static [Event] {
    static DEMO: OnceLock<Vec<Event>> = OnceLock::new();
    DEMO.get_or_init(|| headless(&["demo"], &[]))
}

/// Returns the events of a conversation played without a screen, in virtual time, in a folder with these files. Results
/// are cached by arguments and files.
pub fn headless(arguments: &[&str], files: &[(&str, &str)]) -> Vec<Event> {
    static PLAYED: Mutex<BTreeMap<String, Vec<Event>>> = Mutex::new(BTreeMap::new());
    let mut played = PLAYED.lock().unwrap_or_else(|e| e.into_inner());
    let events = played.entry(format!("{arguments:?} {files:?}")).or_insert_with(|| {
        let home = program::home();
        for (name, text) in files {
            std::fs::write(home.path().join(name), text).unwrap();
        }
        let run = program::colloquium(home.path())
            .args(arguments)
            .args(["--headless", "--format", "jsonl", "--no-save", "-q"])
            .output()
            .unwrap();
        let lines = run.stdout.split(|b| *b == b'\n').filter(|l| !l.is_empty());
        let events: Vec<Event> = lines.map(|line| decode(line).unwrap()).collect();
        assert!(!events.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
        events
    });
    events.clone()
}

/// Draws a frame on a terminal.
pub fn show(terminal: &mut Terminal<TestBackend>, draw: impl FnOnce(&mut Frame<'_>)) {
    let shown = |on: &mut ratatui::Frame<'_>| {
        let mut frame = Frame::new(on.buffer_mut());
        draw(&mut frame);
        if let Some(position) = frame.cursor {
            on.set_cursor_position(position);
        }
    };
    terminal.draw(shown).unwrap();
}

/// Signs of actions that have no key.
const SHORT: [(char, Action); 16] = [
    ('.', Action::Step),
    ('s', Action::Skip),
    ('S', Action::PauseNow),
    ('r', Action::Retry),
    ('l', Action::AllowOnce),
    ('L', Action::AllowTool),
    ('D', Action::RefuseTool),
    ('U', Action::Undo),
    ('+', Action::MoreRound),
    ('=', Action::SetLimit),
    ('M', Action::ChangeModel),
    ('f', Action::GiveFloor),
    ('m', Action::Mute),
    ('C', Action::Seat),
    ('H', Action::Outcomes),
    ('x', Action::DropQueued),
];

/// A screen and its terminal.
pub struct Stage {
    pub screen: Screen,
    pub terminal: Terminal<TestBackend>,
    /// Number of applied events.
    pub next: usize,
    /// True if a letter on the empty line stands for an action of the list, so that a test names it with one sign.
    pub short: bool,
    /// True from the sign `i` to Esc, while letters write all the same.
    writes: bool,
    /// Change to every event before it is shown.
    alter: fn(&mut Event),
    /// Events of the demo.
    events: &'static [Event],
}

impl Stage {
    pub fn new(width: u16, height: u16) -> Stage {
        Stage::dressed(width, height, Theme::default())
    }

    pub fn dressed(width: u16, height: u16, theme: Theme) -> Stage {
        let clock = Clock::virtual_from(Ms(0));
        let screen = Screen::new(Seq(0), clock, theme, &glyphs::UNICODE);
        let terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        let mut stage = Stage {
            screen,
            terminal,
            next: 0,
            short: true,
            writes: false,
            alter: |_| {},
            events: demo(),
        };
        stage.screen.open_line();
        stage.draw();
        stage
    }

    /// Returns a stage with changed events of the demo.
    pub fn altered(width: u16, height: u16, alter: fn(&mut Event)) -> Stage {
        Stage::new(width, height).altering(alter)
    }

    /// Changes every event before it is shown.
    pub fn altering(self, alter: fn(&mut Event)) -> Stage {
        Stage { alter, ..self }
    }

    /// Plays the demo with its positions and its result.
    pub fn with_positions(self) -> Stage {
        Stage { events: whole_demo(), ..self }
    }

    /// Applies an event.
    pub fn take(&mut self, event: Event) {
        self.screen.clock = Clock::virtual_from(event.ms);
        let record = Record::new(event).unwrap();
        self.screen.take(&Item::Event(Arc::new(record)));
    }

    /// Applies an event that is not in the demo.
    pub fn happens(&mut self, by: &str, kind: &str, data: serde_json::Value) {
        let state = self.screen.transcript.state();
        let seq = state.next_seq;
        let ms = state.ms;
        let data = serde_json::value::to_raw_value(&data).unwrap();
        let kind = Kind::read(kind, &data).unwrap();
        let by = by.into();
        let thread = ThreadId::ROOT;
        let at = Wall(0);
        self.take(Event { seq, at, ms, thread, by, cause: None, kind });
    }

    /// Plays the demo up to and including the first matching event.
    pub fn until(mut self, fits: impl Fn(&Event) -> bool) -> Stage {
        loop {
            let mut event = self.events.get(self.next).expect("the demo ends before that").clone();
            self.next += 1;
            (self.alter)(&mut event);
            let found = fits(&event);
            self.take(event);
            if found {
                self.draw();
                return self;
            }
        }
    }

    /// Plays the demo until this many pieces of an utterance are sealed.
    pub fn during(self, utterance: u32, sealed: usize) -> Stage {
        let stage =
            self.until(|e| matches!(&e.kind, Kind::FloorGranted(g) if g.number == Some(utterance)));
        let seen = std::cell::Cell::new(0);
        stage.until(|e| {
            seen.set(seen.get() + usize::from(matches!(e.kind, Kind::Delta(_))));
            seen.get() == sealed
        })
    }

    /// Plays the demo to its end.
    pub fn whole(self) -> Stage {
        self.until(|e| matches!(e.kind, Kind::Ended(_)))
    }

    /// Returns the current speaker's turn.
    pub fn turn(&self) -> TurnId {
        self.screen.transcript.speaking().next().unwrap().id
    }

    /// Adds a piece to the current turn.
    pub fn piece(&mut self, text: &str) {
        let turn = self.turn();
        let at = self.screen.transcript.state().ms;
        let piece = Piece { turn, channel: Channel::Say, at, text: text.into() };
        self.screen.take(&Item::Piece(piece));
    }

    /// Presses keys, with a frame after each.
    pub fn press(&mut self, keys: &[KeyCode]) -> Vec<Request> {
        let mut requests = Vec::new();
        for code in keys {
            let is_short = self.short && !self.writes && self.is_free();
            if is_short && *code == KeyCode::Char('i') {
                self.writes = true;
                self.screen.open_line();
            } else {
                let action = if is_short { self.shorthand(*code) } else { None };
                requests.extend(match action {
                    Some(action) => act(&mut self.screen, action),
                    None => key(&mut self.screen, &KeyEvent::new(*code, KeyModifiers::NONE)),
                });
            }
            self.writes &= *code != KeyCode::Esc || self.screen.view.writing;
            self.draw();
        }
        // no key follows for a while
        requests.extend(blank(&mut self.screen, Ms(u64::MAX)));
        self.draw();
        requests
    }

    fn is_free(&self) -> bool {
        matches!(self.screen.view.place(), Focus::Line | Focus::Marked)
    }

    /// Returns the action that a key stands for on the empty line and on a marked message: a key of a conversation that is
    /// watched, or one of [`SHORT`].
    fn shorthand(&self, code: KeyCode) -> Option<Action> {
        let own = |c: char| SHORT.iter().find(|(sign, _)| *sign == c).map(|(_, action)| *action);
        match code {
            KeyCode::Char(c) if own(c).is_some() => own(c),
            KeyCode::Char(' ' | '?' | '@') => None,
            // the number of a choice
            KeyCode::Char('0'..='9') if self.screen.view.card.is_some() => None,
            KeyCode::Char(c) => self.screen.keymap.action(Focus::Read, &c.to_string()),
            KeyCode::Up => Some(Action::LineUp),
            KeyCode::Down => Some(Action::LineDown),
            KeyCode::Home => Some(Action::Top),
            KeyCode::End => Some(Action::Follow),
            _ => None,
        }
    }

    /// Presses a key with modifiers.
    pub fn press_with(&mut self, code: KeyCode, with: KeyModifiers) -> Option<Request> {
        let request = key(&mut self.screen, &KeyEvent::new(code, with));
        self.draw();
        request
    }

    /// Presses a letter with Ctrl.
    pub fn chord(&mut self, letter: char) -> Option<Request> {
        self.press_with(KeyCode::Char(letter), KeyModifiers::CONTROL)
    }

    pub fn draw(&mut self) {
        let screen = &mut self.screen;
        show(&mut self.terminal, |frame| draw::draw(frame, screen));
    }

    /// Returns the rows of the screen as text.
    pub fn rows(&mut self) -> Vec<String> {
        self.draw();
        let buffer = self.terminal.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(row).collect()
    }

    /// Returns the screen as text, without the blanks at the ends of rows.
    pub fn text(&mut self) -> String {
        let rows = self.rows();
        rows.iter().map(|r| r.trim_end().to_owned() + "\n").collect()
    }
}
