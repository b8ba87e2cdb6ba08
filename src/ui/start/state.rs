//! Everything the start screen holds, and what can be chosen there.

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
    /// The name it is run by.
    pub name: String,
    /// Its title, untrusted.
    pub title: String,
    /// Its own topic, untrusted.
    pub topic: Option<String>,
    /// Who sits at the table, untrusted.
    pub cast: Vec<String>,
    /// Who speaks next and how long, in words.
    pub rules: String,
    /// When you have turns in it if you take part.
    pub takes_part: &'static str,
    /// Whether it has a rehearsed cast.
    pub rehearsed: bool,
    /// Whether somebody in it speaks with the model that is chosen here.
    pub open: bool,
    /// Why it cannot be played.
    pub fault: Option<String>,
}

/// A scenario in the list of those that can be chosen. It is read when it is looked at first: most never are.
pub struct ListedScenario {
    /// The name it is run by.
    pub name: String,
    choice: LazyCell<ScenarioChoice, Box<dyn FnOnce() -> ScenarioChoice>>,
}

impl ListedScenario {
    /// Returns a scenario that is read by a function.
    pub fn new(name: String, read: impl FnOnce() -> ScenarioChoice + 'static) -> ListedScenario {
        ListedScenario { name, choice: LazyCell::new(Box::new(read)) }
    }

    /// Returns what there is to choose.
    pub fn choice(&self) -> &ScenarioChoice {
        &self.choice
    }
}

/// A model that can be chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mind {
    /// `provider:name`.
    pub name: String,
    /// The address, where the provider is one of this run alone.
    pub endpoint: Option<String>,
    /// Whether it runs on this machine.
    pub local: bool,
}

/// A place where models may be.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// The name of the host, or its address.
    pub name: String,
    /// How it stands, in words.
    pub says: String,
    /// Whether one of its models can be chosen.
    pub usable: bool,
    /// Its models, where they are known.
    pub minds: Vec<Mind>,
}

/// What is found out while the screen is shown already.
#[derive(Clone, Debug)]
pub enum News {
    /// How a place stands.
    Host(Host),
    /// What was said before.
    Sessions(Vec<SessionSummary>),
}

/// Who speaks in a new conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum VoiceChoice {
    /// The rehearsed cast: no model, no key, no network.
    Rehearsed,
    /// Everybody as the scenario says.
    Own,
    /// A model, for everybody who names none.
    Mind(Mind),
}

/// What the person wants.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A conversation begins.
    Begin {
        /// The scenario's name.
        scenario: String,
        /// What it is about, if not what the scenario says.
        topic: Option<String>,
        /// Who speaks: rehearsed lines or a model.
        voice: VoiceChoice,
        /// Whether the person has a seat of their own.
        take_part: bool,
    },
    /// A scenario of your own is written, or the one that is being written: its name.
    Write(Option<String>),
    /// A server is asked for its models: its address.
    Server(String),
    /// A session goes on: its file.
    Open(PathBuf),
    /// A finished session is read: its file.
    Read(PathBuf),
    /// A session plays again: its file.
    Replay(PathBuf),
    /// A session that comes with the program plays: its name.
    Example(String),
    /// The key that was pasted is kept for a provider.
    Key(String),
    /// The saved key of a provider is deleted.
    Forget(String),
    /// The server at an address is added to the settings.
    Remember(String),
    /// A session stands beside another one: their files.
    Beside(PathBuf, PathBuf),
    /// A session goes to the trash: its file.
    Delete(PathBuf),
    /// The program is left.
    Leave,
}

/// A row that the keyboard can stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartRow {
    /// What to talk about.
    Topic,
    /// The field in which the scenario is chosen.
    Scenario,
    /// The field in which the model is chosen.
    Voice,
    /// The typed server, to be added to the settings.
    Remember,
    /// Whether the person has a seat.
    You,
    /// A scenario of your own.
    Write,
    /// The session at a place of the list.
    Session(usize),
    /// The rehearsed debate.
    Demo,
    /// A session that comes with the program, by its place.
    Example(usize),
    /// At the first run: a model of this machine.
    Local,
    /// At the first run: a provider with a key.
    Provider,
    /// At the first run: a topic of your own.
    Own,
}

/// Everything the start screen holds.
pub struct StartScreen {
    /// The program's version.
    pub version: &'static str,
    /// Scenarios, the first of which is the demo's.
    pub scripts: Vec<ListedScenario>,
    /// Models that are known before anybody is asked; the default one goes first.
    pub known: Vec<Mind>,
    /// What was checked before the first frame, at the first run: name and words.
    pub checks: Vec<(String, String)>,
    /// Sessions that come with the program: name, and title, untrusted.
    pub examples: Vec<(String, String)>,
    /// Providers that need a key and have none: name, and the variable it could be in.
    pub keyless: Vec<(String, String)>,
    /// Providers whose key was pasted and is saved.
    pub saved: Vec<String>,
    /// Beginnings of the keys of known vendors.
    pub shapes: Vec<KeyShape>,
    /// Where keys that are pasted are kept, in words.
    pub kept: String,
    /// The key or the address that is being entered.
    pub keying: Option<Keying>,
    /// The key that was entered.
    pub pasted: Option<Secret>,
    /// Where keys are set up, in words.
    pub set_up: String,
    /// Places where models may be, as they were found.
    pub hosts: Vec<Host>,
    /// What was said before, what has not ended first.
    pub sessions: Vec<SessionSummary>,
    /// When the screen was opened.
    pub now: Wall,
    /// Whether this is the first run, and its page is shown.
    pub first: bool,
    /// Where the keyboard is.
    pub at: StartRow,
    /// What to talk about.
    pub topic: TextArea<'static>,
    /// The scenario chosen, by its place.
    pub script: usize,
    /// Who was chosen to speak; as the screen proposes, while nobody was.
    pub voice: Option<VoiceChoice>,
    /// Whether the person has a seat of their own.
    pub take_part: bool,
    /// The scenario that is being written and has faults: its name.
    pub writing: Option<String>,
    /// The address that was typed; its first model is chosen once it answers.
    pub server: Option<String>,
    /// What was typed to find a scenario or a model.
    pub typed: String,
    /// What would be used, and by which plan.
    pub estimate: Option<(String, Choice)>,
    /// What there is to say.
    pub notice: Option<String>,
    /// The first line that is seen of the keys, while they are listed.
    pub help: Option<usize>,
    /// The colours by role.
    pub theme: Theme,
    /// The characters that frames and signs are drawn with.
    pub glyphs: &'static Glyphs,
    /// Which key means which action, and where.
    pub keymap: Keymap,
    /// The session that another one is to stand beside.
    pub beside: Option<PathBuf>,
    /// How many sessions are listed at once, as drawn last: so many rows are a page.
    pub page: usize,
    /// Whether the next key means what it means in a list.
    pub prefixed: bool,
    pub(super) leaving: bool,
    /// The session that goes to the trash when that is asked for again.
    pub(super) dropping: Option<PathBuf>,
}

impl StartScreen {
    /// Returns the start screen in colours and signs; whatever else it shows is filled in.
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

    /// Returns where the keyboard is: on a row of a list letters are commands.
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

    /// Fills in the topic.
    pub fn about(&mut self, topic: &str) {
        self.topic = field(&text::line(topic));
    }

    /// Takes in what was found out.
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

    /// Returns the topic that was written, if any.
    pub fn topic(&self) -> Option<String> {
        let topic = self.topic.lines().join(" ").trim().to_owned();
        (!topic.is_empty()).then_some(topic)
    }

    /// Returns who can speak in the scenario chosen: what is proposed while nobody chose goes first.
    pub fn voices(&self) -> Vec<VoiceChoice> {
        self.script().map_or(vec![], |script| self.voices_of(script))
    }

    /// Returns who can speak in a scenario: what is proposed goes first.
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

    /// Returns who speaks, as chosen or as proposed.
    pub fn voice(&self) -> Option<VoiceChoice> {
        let typed = |v: &VoiceChoice| matches!((v, self.script()), (VoiceChoice::Mind(_), Some(s)) if s.open);
        let mut voices = self.voices();
        let chosen = self.voice.clone().filter(|v| voices.contains(v) || typed(v));
        // what costs money is never proposed, unless the settings name it
        let free = |v: &VoiceChoice| match v {
            VoiceChoice::Mind(mind) => {
                let named = self.known.first() == Some(mind) && !mind.name.starts_with("agent:");
                mind.local || named
            }
            VoiceChoice::Rehearsed | VoiceChoice::Own => true,
        };
        chosen.or_else(|| voices.iter().position(free).map(|at| voices.swap_remove(at)))
    }

    /// Returns what Enter would begin, on the scenario's own topic; nothing where no model would be asked.
    pub fn plan(&self) -> Option<Choice> {
        let voice = self.voice().filter(|v| *v != VoiceChoice::Rehearsed && !self.first)?;
        let scenario = self.script().filter(|s| s.fault.is_none())?.name.clone();
        Some(Choice::Begin { scenario, topic: None, voice, take_part: self.take_part })
    }

    /// Returns whether it is known what a plan would use.
    pub fn estimated(&self, plan: &Choice) -> bool {
        self.estimate.as_ref().is_some_and(|(_, of)| of == plan)
    }

    /// Returns the rows that the keyboard can stand on, from top to bottom.
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

/// Returns the box of one line in which the topic is written.
pub fn field(words: &str) -> TextArea<'static> {
    let mut area = TextArea::new(vec![words.to_owned()]);
    // the terminal's cursor stands on the caret; a painted one would be a second
    area.set_cursor_style(Style::new());
    area.set_cursor_line_style(Style::new());
    area.move_cursor(CursorMove::End);
    area
}
