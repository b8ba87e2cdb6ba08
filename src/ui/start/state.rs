//! The state of the start screen, and its choices.

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

/// A scenario that can be chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioChoice {
    /// Name by which it is run.
    pub name: String,
    /// Title, untrusted.
    pub title: String,
    /// Default topic, untrusted.
    pub topic: Option<String>,
    /// Names of the participants, untrusted.
    pub cast: Vec<String>,
    /// Description of the policy and the length.
    pub rules: String,
    /// Description of the turns that the person has when taking part.
    pub takes_part: &'static str,
    /// True if it has a rehearsed cast.
    pub rehearsed: bool,
    /// True if some participant uses the model that is chosen here.
    pub open: bool,
    /// Reason why it cannot be run.
    pub fault: Option<String>,
}

/// A scenario in the list. It is read lazily, because most are never looked at.
pub struct ListedScenario {
    /// Name by which it is run.
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

/// A model that can be chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mind {
    /// `provider:name`.
    pub name: String,
    /// Address of a provider that exists in this run only.
    pub endpoint: Option<String>,
    /// True if it runs on this machine.
    pub local: bool,
}

/// A host that may have models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Name of the host, or its address.
    pub name: String,
    /// Description of its status.
    pub says: String,
    /// True if one of its models can be chosen.
    pub usable: bool,
    /// Its models, if known.
    pub minds: Vec<Mind>,
}

/// A finding that arrives while the screen is already shown.
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
    /// The voices that the scenario names.
    Own,
    /// A model, for all participants without one.
    Mind(Mind),
}

/// Choice of the person.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Starts a conversation.
    Begin {
        /// Name of the scenario.
        scenario: String,
        /// Topic, unless the default topic of the scenario is used.
        topic: Option<String>,
        /// Voice of the participants.
        voice: VoiceChoice,
        /// True if the person has a seat.
        take_part: bool,
    },
    /// Opens a new scenario in the editor, or the unfinished one of this name.
    Write(Option<String>),
    /// Requests the models of a server by its address.
    Server(String),
    /// Resumes the session in this file.
    Open(PathBuf),
    /// A finished session is read: its file.
    Read(PathBuf),
    /// A session plays again: its file.
    Replay(PathBuf),
    /// Plays the bundled session of this name.
    Example(String),
    /// Saves the pasted key for this provider.
    Key(String),
    /// The saved key of a provider is deleted.
    Forget(String),
    /// The server at an address is added to the settings.
    Remember(String),
    /// A session stands beside another one: their files.
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
    /// The typed server, to be added to the settings.
    Remember,
    /// Whether the person has a seat.
    You,
    /// A scenario of the person's own.
    Write,
    /// Session by its index in the list.
    Session(usize),
    /// The rehearsed debate.
    Demo,
    /// Bundled session by its index.
    Example(usize),
    /// At the first run: a model of this machine.
    Local,
    /// At the first run: a provider with a key.
    Provider,
    /// At the first run: a new conversation of the person's own.
    Own,
}

/// State of the start screen.
pub struct StartScreen {
    /// Version of the program.
    pub version: &'static str,
    /// Scenarios; the first one is the demo's.
    pub scripts: Vec<ListedScenario>,
    /// Models known without a request; the default one comes first.
    pub known: Vec<Mind>,
    /// Checks before the first frame of the first run: name and result.
    pub checks: Vec<(String, String)>,
    /// Bundled sessions: name, and title, untrusted.
    pub examples: Vec<(String, String)>,
    /// Providers without their required key: name, and the environment variable for the key.
    pub keyless: Vec<(String, String)>,
    /// Providers whose key was pasted and is saved.
    pub saved: Vec<String>,
    /// Beginnings of the keys of known vendors.
    pub shapes: Vec<KeyShape>,
    /// Where keys that are pasted are kept, in words.
    pub kept: String,
    /// Key or address that is being entered.
    pub keying: Option<Keying>,
    /// Key that was entered.
    pub pasted: Option<Secret>,
    /// Instructions to set up keys.
    pub set_up: String,
    /// Hosts that may have models, in the order of their discovery.
    pub hosts: Vec<Host>,
    /// Saved sessions, unfinished ones first.
    pub sessions: Vec<SessionSummary>,
    /// Time at which the screen was opened.
    pub now: Wall,
    /// True if this is the first run, whose page is shown.
    pub first: bool,
    /// Row with the keyboard focus.
    pub at: StartRow,
    /// Input of the topic.
    pub topic: TextArea<'static>,
    /// Index of the chosen scenario.
    pub script: usize,
    /// Chosen voice; `None` uses the proposed one.
    pub voice: Option<VoiceChoice>,
    /// True if the person has a seat.
    pub take_part: bool,
    /// Name of the unfinished scenario, which still has errors.
    pub writing: Option<String>,
    /// Address that was typed; its first model is chosen once it answers.
    pub server: Option<String>,
    /// Filter text for scenarios or models.
    pub typed: String,
    /// Expected usage, and the plan to which it belongs.
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
    /// True if the prefix was pressed: the next key has its meaning in a list.
    pub prefixed: bool,
    pub(super) leaving: bool,
    /// Session that is moved to the trash on the second request.
    pub(super) dropping: Option<PathBuf>,
}

impl StartScreen {
    /// Creates an empty start screen with a theme and a character set; the caller fills in the rest.
    pub fn new(theme: Theme, glyphs: &'static Glyphs) -> StartScreen {
        StartScreen {
            version: env!("CARGO_PKG_VERSION"),
            scripts: vec![],
            known: vec![],
            checks: vec![],
            examples: vec![],
            keyless: vec![],
            saved: vec![],
            shapes: vec![],
            kept: String::new(),
            keying: None,
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
            dropping: None,
        }
    }

    /// Returns the keyboard focus. On a row of a list letters are commands.
    pub fn place(&self) -> Focus {
        match self.at {
            _ if self.keying.is_some() => Focus::Start,
            StartRow::Topic | StartRow::Scenario | StartRow::Voice | StartRow::You => Focus::Start,
            StartRow::Session(_)
            | StartRow::Remember
            | StartRow::Demo
            | StartRow::Write
            | StartRow::Example(_)
            | StartRow::Local
            | StartRow::Provider
            | StartRow::Own => Focus::StartList,
        }
    }

    /// Sets the topic.
    pub fn about(&mut self, topic: &str) {
        self.topic = field(&text::line(topic));
    }

    /// Applies a finding.
    pub fn take(&mut self, news: News) {
        match news {
            News::Host(host) => {
                match host.minds.first() {
                    _ if self.server.as_ref() != Some(&host.name) => {}
                    Some(mind) => self.voice = Some(VoiceChoice::Mind(mind.clone())),
                    None => self.notice = Some(format!("{}: {}", host.name, host.says)),
                }
                self.hosts.push(host);
            }
            News::Sessions(mut sessions) => {
                sessions.sort_by_key(|s| matches!(s.standing, SessionStatus::Ended(_)));
                self.sessions = sessions;
            }
        }
    }

    /// Returns the typed address of a server that has models, and the address that its models are called at.
    pub fn answered(&self) -> Option<(String, String)> {
        let typed = self.server.as_ref()?;
        let host = self.hosts.iter().find(|host| host.name == *typed)?;
        Some((typed.clone(), host.minds.first()?.endpoint.clone()?))
    }

    /// Returns the scenario chosen.
    pub fn script(&self) -> Option<&ScenarioChoice> {
        self.scripts.get(self.script).map(ListedScenario::choice)
    }

    /// Returns the topic that was entered, if any.
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
        let found = self.hosts.iter().flat_map(|h| &h.minds);
        let mut minds: Vec<&Mind> = Vec::new();
        for mind in self.known.iter().chain(found).filter(|_| script.open) {
            if !minds.contains(&mind) {
                minds.push(mind);
            }
        }
        let rehearsed = script.rehearsed.then_some(VoiceChoice::Rehearsed);
        own.into_iter()
            .chain(minds.into_iter().cloned().map(VoiceChoice::Mind))
            .chain(rehearsed)
            .collect()
    }

    /// Returns the chosen voice, otherwise the proposed one.
    pub fn voice(&self) -> Option<VoiceChoice> {
        let typed = |v: &VoiceChoice| matches!((v, self.script()), (VoiceChoice::Mind(_), Some(s)) if s.open);
        let mut voices = self.voices();
        let chosen = self.voice.clone().filter(|v| voices.contains(v) || typed(v));
        // a paid voice is never proposed, unless the settings name it
        let free = |v: &VoiceChoice| match v {
            VoiceChoice::Mind(mind) => {
                let named = self.known.first() == Some(mind) && !mind.name.starts_with("agent:");
                mind.local || named
            }
            VoiceChoice::Rehearsed | VoiceChoice::Own => true,
        };
        chosen.or_else(|| voices.iter().position(free).map(|at| voices.swap_remove(at)))
    }

    /// Returns the choice that Enter would make, with the default topic; `None` if no model would be used.
    pub fn plan(&self) -> Option<Choice> {
        let voice = self.voice().filter(|v| *v != VoiceChoice::Rehearsed && !self.first)?;
        let scenario = self.script().filter(|s| s.fault.is_none())?.name.clone();
        Some(Choice::Begin { scenario, topic: None, voice, take_part: self.take_part })
    }

    /// Returns whether the usage of a plan has been estimated.
    pub fn estimated(&self, plan: &Choice) -> bool {
        self.estimate.as_ref().is_some_and(|(_, of)| of == plan)
    }

    /// Returns the rows that can have the focus, from top to bottom.
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
    // the terminal's cursor is used; a painted one would be a second cursor
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area.move_cursor(CursorMove::End);
    area
}
