//! State of the start screen, and its choices.

use crate::catalogue::{SessionStatus, SessionSummary};
use crate::model::{Secret, Wall};
use crate::text;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::start::keying::{KeyShape, Keying};
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use ratatui::style::Style;
use std::cell::LazyCell;
use std::path::PathBuf;
use tui_textarea::CursorMove;
use tui_textarea::TextArea;

/// A scenario in the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioChoice {
    /// Name of the scenario, as on the command line.
    pub name: String,
    /// Title, untrusted.
    pub title: String,
    /// Default topic, untrusted.
    pub topic: Option<String>,
    /// Names of the participants, untrusted.
    pub cast: Vec<String>,
    /// Description of the policy and the length.
    pub rules: String,
    /// Description of the person's turns when taking part.
    pub takes_part: &'static str,
    /// True if it has a rehearsed cast.
    pub rehearsed: bool,
    /// True if its participants become other people for another topic.
    pub recasts: bool,
    /// True if at least one participant uses the model chosen on this screen.
    pub open: bool,
    /// True if its own participants may cost money.
    pub paid: bool,
    /// Reason why the scenario cannot be run.
    pub fault: Option<String>,
}

/// Entry of the list of scenarios. The scenario is read lazily, because most are never displayed.
pub struct ListedScenario {
    /// Name of the scenario, as on the command line.
    pub name: String,
    choice: LazyCell<ScenarioChoice, Box<dyn FnOnce() -> ScenarioChoice>>,
}

impl ListedScenario {
    /// Creates an entry whose scenario is read by a function.
    pub fn new(name: String, read: impl FnOnce() -> ScenarioChoice + 'static) -> ListedScenario {
        ListedScenario { name, choice: LazyCell::new(Box::new(read)) }
    }

    /// Returns the scenario, reading it at the first call.
    pub fn choice(&self) -> &ScenarioChoice {
        &self.choice
    }
}

/// A model in the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfferedModel {
    /// `provider:name`.
    pub name: String,
    /// Address of a provider that exists only in this run.
    pub endpoint: Option<String>,
    /// True if the model runs on this machine.
    pub local: bool,
}

/// A host that may offer models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Name of the host, or its address.
    pub name: String,
    /// Description of its status.
    pub says: String,
    /// True if at least one of its models can be chosen.
    pub usable: bool,
    /// Its models, if known.
    pub models: Vec<OfferedModel>,
}

/// A result that arrives while the screen is already shown.
#[derive(Clone, Debug)]
pub enum News {
    /// Status of a host.
    Host(Host),
    /// Saved sessions.
    Sessions(Vec<SessionSummary>),
}

/// Voice of the participants in a new conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum VoiceChoice {
    /// The rehearsed cast: no model, no key, no network.
    Rehearsed,
    /// Voices from the scenario.
    Own,
    /// Model for all participants without a voice of their own.
    Model(OfferedModel),
}

/// Choice of the person.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Starts a conversation.
    Begin {
        /// Name of the scenario.
        scenario: String,
        /// Topic; `None` for the scenario's default topic.
        topic: Option<String>,
        /// Voice of the participants.
        voice: VoiceChoice,
        /// True if the person has a seat.
        take_part: bool,
        /// True if the model proposes people for the topic.
        cast: bool,
    },
    /// Opens a new scenario in the editor, or the unfinished one of this name.
    Write(Option<String>),
    /// Looks again for local servers.
    Look,
    /// Requests the models of a server by its address.
    Server(String),
    /// Resumes the session in this file.
    Open(PathBuf),
    /// Attaches to the running conversation of the session in this file.
    Attach(PathBuf),
    /// Opens the finished session in this file for reading.
    Read(PathBuf),
    /// Replays the session in this file.
    Replay(PathBuf),
    /// Plays the bundled session of this name.
    Example(String),
    /// Saves the pasted key for this provider.
    Key(String),
    /// Deletes the saved key of this provider.
    Forget(String),
    /// Adds the server at this address to the settings.
    Remember(String),
    /// Compares the sessions in two files.
    Beside(PathBuf, PathBuf),
    /// Moves the session in this file to the trash.
    Delete(PathBuf),
    /// Leaves the program.
    Leave,
}

/// A row that can have the keyboard focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRow {
    /// Topic.
    Topic,
    /// Field of the scenario.
    Scenario,
    /// Field of the model.
    Voice,
    /// Button that adds the typed server to the settings.
    Remember,
    /// People for another topic.
    Cast,
    /// Option to take a seat.
    You,
    /// Button for a new scenario.
    Write,
    /// Session, by its index in the list.
    Session(usize),
    /// Rehearsed debate.
    Demo,
    /// Bundled session, by its index.
    Example(usize),
    /// First run: a model on this machine.
    Local,
    /// First run: a provider with a key.
    Provider,
    /// First run: a new conversation.
    Own,
}

/// State of the start screen.
pub struct StartScreen {
    /// Version of the program.
    pub version: &'static str,
    /// Scenarios; the first one is the demo's.
    pub scripts: Vec<ListedScenario>,
    /// Models known without a request, the default one first.
    pub known: Vec<OfferedModel>,
    /// Bundled sessions, as (name, untrusted title).
    pub examples: Vec<(String, String)>,
    /// Providers without their required key, as (name, environment variable of the key).
    pub keyless: Vec<(String, String)>,
    /// Providers whose pasted key is saved.
    pub saved: Vec<String>,
    /// Prefixes of the keys of known vendors.
    pub shapes: Vec<KeyShape>,
    /// Path of the file for pasted keys, as text.
    pub kept: String,
    /// True if the notice offers ways to a voice by numbers.
    pub offers_ways: bool,
    /// Input field for a key or an address, if it is open.
    pub keying: Option<Keying>,
    /// Key from the input field.
    pub pasted: Option<Secret>,
    /// Instructions for setting up keys.
    pub set_up: String,
    /// Hosts that may offer models, in the order of their discovery.
    pub hosts: Vec<Host>,
    /// Saved sessions, unfinished ones first.
    pub sessions: Vec<SessionSummary>,
    /// Time at which the screen was opened.
    pub now: Wall,
    /// True for the page of the first run.
    pub first: bool,
    /// Row with the keyboard focus.
    pub at: StartRow,
    /// Input field of the topic.
    pub topic: TextArea<'static>,
    /// Index of the chosen scenario.
    pub script: usize,
    /// Chosen voice; `None` uses the proposed one.
    pub voice: Option<VoiceChoice>,
    /// True if the person has a seat.
    pub take_part: bool,
    /// True if the model proposes people for another topic.
    pub asks_cast: bool,
    /// Name of an unfinished scenario, which still has errors.
    pub writing: Option<String>,
    /// Typed address of a server; its first model is chosen once it answers.
    pub server: Option<String>,
    /// Filter text for scenarios or models.
    pub typed: String,
    /// Expected usage, and the plan that it was computed for.
    pub estimate: Option<(String, Choice)>,
    /// Notice above the footer.
    pub notice: Option<String>,
    /// First visible line of the list of keys; `None` if it is closed.
    pub help: Option<usize>,
    /// Colours by role.
    pub theme: Theme,
    /// Characters of frames and symbols.
    pub glyphs: &'static Glyphs,
    /// Key bindings per focus.
    pub keymap: Keymap,
    /// First session of a comparison.
    pub beside: Option<PathBuf>,
    /// Number of sessions listed in the last frame, which is one page.
    pub page: usize,
    /// True if the last key was the prefix: the next key has its meaning in a list.
    pub prefixed: bool,
    pub(super) leaving: bool,
    /// True if the next Enter begins a scenario without a topic.
    pub(super) begins: bool,
    /// Session that a second request moves to the trash.
    pub(super) dropping: Option<PathBuf>,
}

impl StartScreen {
    /// Creates an empty start screen with a theme and a character set; the caller fills in the rest.
    pub fn new(theme: Theme, glyphs: &'static Glyphs) -> StartScreen {
        StartScreen {
            version: env!("CARGO_PKG_VERSION"),
            scripts: vec![],
            known: vec![],
            examples: vec![],
            keyless: vec![],
            saved: vec![],
            shapes: vec![],
            kept: String::new(),
            keying: None,
            offers_ways: false,
            pasted: None,
            set_up: String::new(),
            hosts: vec![],
            sessions: vec![],
            now: Wall(0),
            first: false,
            at: StartRow::Topic,
            topic: field(""),
            script: 0,
            voice: None,
            take_part: false,
            asks_cast: false,
            writing: None,
            server: None,
            typed: String::new(),
            estimate: None,
            notice: None,
            help: None,
            theme,
            glyphs,
            keymap: Keymap::default(),
            beside: None,
            page: 1,
            prefixed: false,
            leaving: false,
            begins: false,
            dropping: None,
        }
    }

    /// Returns the keyboard focus. In rows of a list, letters are commands.
    pub fn place(&self) -> Focus {
        match self.at {
            _ if self.keying.is_some() => Focus::Start,
            StartRow::Topic
            | StartRow::Scenario
            | StartRow::Voice
            | StartRow::Cast
            | StartRow::You => Focus::Start,
            _ => Focus::StartList,
        }
    }

    /// Sets the topic.
    pub fn about(&mut self, topic: &str) {
        self.topic = field(&text::line(topic));
    }

    /// Applies a result.
    pub fn take(&mut self, news: News) {
        match news {
            News::Host(host) => {
                match host.models.first() {
                    _ if self.server.as_ref() != Some(&host.name) => {}
                    Some(model) => self.voice = Some(VoiceChoice::Model(model.clone())),
                    None => self.notice = Some(format!("{}: {}", host.name, host.says)),
                }
                self.hosts.push(host);
            }
            News::Sessions(mut sessions) => {
                sessions.sort_by_key(|s| match s.standing {
                    SessionStatus::Live { .. } => 0,
                    SessionStatus::Ended { .. } => 2,
                    _ => 1,
                });
                self.sessions = sessions;
            }
        }
    }

    /// Returns the typed address of a server that has models, and the address for calls of its models.
    pub fn answered(&self) -> Option<(String, String)> {
        let typed = self.server.as_ref()?;
        let host = self.hosts.iter().find(|host| host.name == *typed)?;
        Some((typed.clone(), host.models.first()?.endpoint.clone()?))
    }

    /// Returns the chosen scenario.
    pub fn script(&self) -> Option<&ScenarioChoice> {
        self.scripts.get(self.script).map(ListedScenario::choice)
    }

    /// Returns the entered topic, if any.
    pub fn topic(&self) -> Option<String> {
        let topic = self.topic.lines().join(" ").trim().to_owned();
        (!topic.is_empty()).then_some(topic)
    }

    /// Returns the possible voices of the chosen scenario, the proposed one first.
    pub fn voices(&self) -> Vec<VoiceChoice> {
        self.script().map_or(vec![], |script| self.voices_of(script))
    }

    /// Returns the possible voices of a scenario, the proposed one first.
    pub fn voices_of(&self, script: &ScenarioChoice) -> Vec<VoiceChoice> {
        let own = (!script.open).then_some(VoiceChoice::Own);
        let found = self.hosts.iter().flat_map(|h| &h.models);
        let mut models: Vec<&OfferedModel> = Vec::new();
        if script.open {
            for model in self.known.iter().chain(found) {
                if !models.contains(&model) {
                    models.push(model);
                }
            }
        }
        let rehearsed = script.rehearsed.then_some(VoiceChoice::Rehearsed);
        own.into_iter()
            .chain(models.into_iter().cloned().map(VoiceChoice::Model))
            .chain(rehearsed)
            .collect()
    }

    /// Returns the chosen voice, otherwise the proposed one.
    pub fn voice(&self) -> Option<VoiceChoice> {
        let typed = |v: &VoiceChoice| matches!((v, self.script()), (VoiceChoice::Model(_), Some(s)) if s.open);
        let mut voices = self.voices();
        let chosen = self.voice.clone().filter(|v| voices.contains(v) || typed(v));
        // a paid voice is proposed only if the settings name it
        let free = |v: &VoiceChoice| match v {
            VoiceChoice::Model(model) => {
                let named = self.known.first() == Some(model) && !model.name.starts_with("agent:");
                model.local || named
            }
            VoiceChoice::Rehearsed | VoiceChoice::Own => true,
        };
        chosen.or_else(|| voices.iter().position(free).map(|at| voices.swap_remove(at)))
    }

    /// Returns whether the chosen scenario may cost money with a voice.
    pub fn may_cost(&self, voice: &VoiceChoice) -> bool {
        match voice {
            VoiceChoice::Rehearsed => false,
            VoiceChoice::Own => self.script().is_some_and(|script| script.paid),
            VoiceChoice::Model(model) => !model.local,
        }
    }

    /// Returns the choice of the Enter key, with the default topic; `None` without a model.
    pub fn plan(&self) -> Option<Choice> {
        let voice = self.voice().filter(|v| *v != VoiceChoice::Rehearsed && !self.first)?;
        let scenario = self.script().filter(|s| s.fault.is_none())?.name.clone();
        let take_part = self.take_part;
        Some(Choice::Begin { scenario, topic: None, voice, take_part, cast: false })
    }

    /// Returns whether the usage of a plan has been estimated.
    pub fn estimated(&self, plan: &Choice) -> bool {
        self.estimate.as_ref().is_some_and(|(_, of)| of == plan)
    }

    /// Returns the topic, if it is not the scenario's own.
    pub fn other_topic(&self) -> Option<String> {
        let own = self.script()?.topic.as_ref();
        self.topic().filter(|topic| own != Some(topic))
    }

    /// Returns whether a model could propose people for the topic.
    pub fn may_cast(&self) -> bool {
        let recasts = self.script().is_some_and(|script| script.recasts);
        recasts
            && matches!(self.voice(), Some(VoiceChoice::Model(_)))
            && self.other_topic().is_some()
    }

    /// Returns the focusable rows, from top to bottom.
    pub fn rows(&self) -> Vec<StartRow> {
        if self.first {
            let examples = (0..self.examples.len()).map(StartRow::Example);
            let rest = [StartRow::Local, StartRow::Provider, StartRow::Write, StartRow::Own];
            let top = [StartRow::Topic, StartRow::Demo];
            return top.into_iter().chain(examples).chain(rest).collect();
        }
        let sessions = (0..self.sessions.len()).map(StartRow::Session);
        [StartRow::Topic, StartRow::Scenario, StartRow::Voice]
            .into_iter()
            .chain(self.answered().map(|_| StartRow::Remember))
            .chain(self.may_cast().then_some(StartRow::Cast))
            .chain([StartRow::You])
            .chain(sessions)
            .chain([StartRow::Write, StartRow::Demo])
            .chain((0..self.examples.len()).map(StartRow::Example))
            .chain([StartRow::Provider])
            .collect()
    }
}

/// Returns a one-line input for the topic.
pub fn field(words: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![words.to_owned()]);
    // the terminal's own cursor is used; a drawn one would be a second cursor
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area.move_cursor(CursorMove::End);
    area
}
