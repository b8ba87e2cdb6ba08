//! State of the start screen, and its choices.

use crate::catalogue::{SessionStatus, SessionSummary, tree};
use crate::model::{Secret, Wall};
use crate::text;
use crate::ui::keymap::{Focus, Keymap};
use crate::ui::start::keying::{KeyShape, Keying, key_owner, veiled_text};
use crate::ui::start::table::{ModelPlace, OfferedModel, proposed};
use crate::ui::theme::Theme;
use crate::ui::theme::glyphs::Glyphs;
use ratatui::style::Style;
use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tui_textarea::{CursorMove, TextArea};

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
    /// Its length, as in `9 turns`; empty without a limit.
    pub length: String,
    /// Description of the person's turns when taking part.
    pub takes_part: &'static str,
    /// True if it has a rehearsed cast.
    pub rehearsed: bool,
    /// True if its participants become other people for another topic.
    pub recasts: bool,
    /// True if at least one participant uses a model chosen on this screen.
    pub open: bool,
    /// True if its own participants may cost money.
    pub paid: bool,
    /// Reason why the scenario cannot be run.
    pub fault: Option<String>,
}

impl ScenarioChoice {
    /// Returns its topic, or its title if it has none.
    pub fn own_topic(&self) -> &String {
        self.topic.as_ref().unwrap_or(&self.title)
    }
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

/// A server that may offer models.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Name of the server, or its address.
    pub name: String,
    /// Reason why its models are unknown.
    pub says: String,
    /// True if it answers, and wants a key.
    pub wants_key: bool,
    /// Its models, if known.
    pub models: Vec<OfferedModel>,
}

/// A result that arrives while the screen is already shown.
#[derive(Clone, Debug)]
pub enum News {
    /// Status of a server.
    Host(Host),
    /// Saved sessions.
    Sessions(Vec<SessionSummary>),
}

/// Voice of the participants in a new conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum VoiceChoice {
    /// The rehearsed cast: no model, no key, no network.
    #[default]
    Rehearsed,
    /// Voices from the scenario.
    Own,
    /// Models for all participants without a voice of their own, in the order of the seats.
    Models(Vec<OfferedModel>),
}

/// A conversation to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TalkPlan {
    /// Name of the scenario.
    pub scenario: String,
    /// Topic; `None` for the scenario's own.
    pub topic: Option<String>,
    /// Voice of the participants.
    pub voice: VoiceChoice,
    /// True if the person has a seat.
    pub take_part: bool,
    /// True if the model proposes people for the topic.
    pub cast: bool,
    /// Length in turns; `None` for the scenario's own.
    pub length: Option<u32>,
    /// Seed; `None` for a random one.
    pub seed: Option<u64>,
    /// Most that the models may cost, in dollars as typed; empty for the usual bound.
    pub budget: String,
}

impl TalkPlan {
    /// Returns the part of the plan that the usage depends on: any other topic is as good as this one.
    pub fn shape(&self) -> TalkPlan {
        TalkPlan {
            topic: self.topic.as_ref().map(|_| "A topic".into()),
            cast: false,
            ..self.clone()
        }
    }
}

/// A participant of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlannedSeat {
    /// Its name, untrusted.
    pub name: String,
    /// Its model, as `provider:name`; empty for other voices.
    pub model: String,
}

/// Expected usage of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forecast {
    /// The participants.
    pub seats: Vec<PlannedSeat>,
    /// Length, as in `12 turns`.
    pub length: String,
    /// Cost, as in `about 4 cents`.
    pub sum: String,
    /// Price of a seat by model.
    pub prices: BTreeMap<String, String>,
    /// Services that get the words of the conversation.
    pub to: Vec<String>,
    /// Advice about the table.
    pub note: Option<String>,
    /// Reason why the plan cannot begin.
    pub fault: Option<String>,
}

/// Choice of the person.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Starts a conversation.
    Begin(Box<TalkPlan>),
    /// Opens a new scenario in the editor, or the unfinished one of this name.
    Write(Option<String>),
    /// Looks again for local servers.
    Look,
    /// Requests the models of a server by its address.
    Server(String),
    /// Tries the pasted key at the server with this address, and saves both.
    ServerKey(String),
    /// Opens the session in this file: resumes it paused, or shows it as a recording.
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
    /// Saves these words as the usual models.
    Usual(Vec<String>),
    /// Compares the sessions in two files.
    Beside(PathBuf, PathBuf),
    /// Moves the session in this file to the trash.
    Delete(PathBuf),
    /// Leaves the program.
    Leave,
}

/// A row that can have the keyboard focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartRow {
    #[default]
    Topic,
    /// Models at the table.
    Who,
    /// Kind of talk.
    Kind,
    /// Session, by its index in the list.
    Session(usize),
    /// Bundled session, by its index.
    Example(usize),
}

/// A list over the start screen.
#[derive(Clone, Debug, PartialEq)]
pub struct StartList {
    /// [`StartRow::Who`] or [`StartRow::Kind`].
    pub of: StartRow,
    /// Filter text.
    pub filter: String,
    /// Index of the focused row among those that can have the focus.
    pub at: usize,
    /// True if the table is to be saved as the usual one.
    pub keeps: bool,
}

impl StartList {
    pub(super) fn new(of: StartRow) -> StartList {
        StartList { of, filter: String::new(), at: 0, keeps: false }
    }
}

/// A setting of the kind of talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TalkSetting {
    /// Length in turns.
    Length,
    Seed,
    /// Budget in dollars.
    Budget,
    /// The person's seat.
    You,
    /// People that the model proposes for the topic.
    People,
}

/// A bundled session.
pub struct ListedExample {
    /// Name on the command line.
    pub name: String,
    /// Title, untrusted.
    pub title: String,
    /// Outcome in a few words; empty if it is not known.
    pub headline: String,
}

/// State of the start screen.
#[derive(Default)]
pub struct StartScreen {
    /// Scenarios; the first one is the demo's.
    pub scripts: Vec<ListedScenario>,
    /// Models known without a request.
    pub known: Vec<OfferedModel>,
    /// The usual models of the settings.
    pub usual: Vec<OfferedModel>,
    /// Models that the person ticked, in the order of the seats; `None` for the proposed ones.
    pub ticked: Option<Vec<OfferedModel>>,
    /// Bundled sessions.
    pub examples: Vec<ListedExample>,
    /// Providers without their required key, as (name, environment variable of the key).
    pub keyless: Vec<(String, String)>,
    /// Providers whose pasted key is saved.
    pub saved: Vec<String>,
    /// Prefixes of the keys of known vendors.
    pub shapes: Vec<KeyShape<'static>>,
    /// Path of the folder for pasted keys, as text.
    pub kept: String,
    /// Input field for a key or an address, if it is open.
    pub keying: Option<Keying>,
    /// Key from the input field.
    pub pasted: Option<Secret>,
    /// The open list.
    pub list: Option<StartList>,
    /// Servers, in the order of their discovery.
    pub hosts: Vec<Host>,
    /// Saved sessions, running ones first, branches after their parent.
    pub sessions: Vec<SessionSummary>,
    /// Time at which the screen was opened.
    pub now: Wall,
    /// Row with the keyboard focus.
    pub at: StartRow,
    /// Input field of the topic.
    pub topic: TextArea<'static>,
    /// Index of the chosen scenario.
    pub script: usize,
    /// True if the person has a seat.
    pub take_part: bool,
    /// True if the model proposes people for another topic.
    pub asks_cast: bool,
    /// Length in turns, seed and budget in dollars, as typed.
    pub numbers: [String; 3],
    /// Name of an unfinished scenario, which still has errors.
    pub writing: Option<String>,
    /// Typed address of a server; its first model is chosen once it answers.
    pub server: Option<String>,
    /// Number of a choice, typed under the card "no model yet".
    pub typed: String,
    /// Expected usage, and the shape of the plan that it was computed for.
    pub forecast: Option<(Forecast, TalkPlan)>,
    /// Shape of the plan whose cost the last frame showed.
    pub promised: Option<TalkPlan>,
    /// Notice below the box.
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
    /// True if the next interrupt leaves the program.
    pub leaving: bool,
    /// True if the next Enter takes a topic that may contain a key.
    pub(super) doubted: bool,
    /// Session that a second request moves to the trash.
    pub(super) dropping: Option<PathBuf>,
}

impl StartScreen {
    /// Creates an empty start screen with a theme and a character set; the caller fills in the rest.
    pub fn new(theme: Theme, glyphs: &'static Glyphs) -> StartScreen {
        StartScreen { topic: field(""), page: 1, theme, glyphs, ..StartScreen::default() }
    }

    /// Returns the keyboard focus. In rows of sessions, letters are commands.
    pub fn place(&self) -> Focus {
        let is_listed = matches!(self.at, StartRow::Session(_) | StartRow::Example(_));
        if is_listed && self.keying.is_none() && self.list.is_none() {
            return Focus::StartList;
        }
        Focus::Start
    }

    /// Returns a text as it may be shown, if a part of it looks like a key or a password; the fields show no other.
    pub fn veiled(&self, text: &str) -> Option<String> {
        veiled_text(text, &self.shapes, self.glyphs.hidden)
    }

    /// Returns whether a text may contain a key or a password, and whether it is the key of a known vendor.
    pub(super) fn doubt(&self, text: &str) -> Option<bool> {
        let veiled = self.veiled(text)?;
        Some(veiled_text(text, &[], self.glyphs.hidden).as_ref() != Some(&veiled))
    }

    /// Moves a key from another field to the form for keys; returns whether the text is a key of a known vendor.
    pub(super) fn divert(&mut self, text: &str) -> bool {
        let Some(owner) = key_owner(text, &self.shapes) else { return false };
        self.list = None;
        match self.keyless.iter().position(|(name, _)| name == owner) {
            Some(at) => self.keying = Some(Keying::of_provider(at, text.trim().to_owned())),
            None => self.notice = Some(format!("{owner} has a key already; this one is not used")),
        }
        true
    }

    /// Sets the topic.
    pub fn about(&mut self, topic: &str) {
        self.topic = field(&text::line(topic));
    }

    /// Applies a result.
    pub fn take(&mut self, news: News) {
        match news {
            News::Host(host) => {
                if self.server.as_ref() == Some(&host.name) {
                    match host.models.first() {
                        Some(model) => self.ticked = Some(vec![model.clone()]),
                        None if host.wants_key => {
                            self.keying = Some(Keying::of_server(host.name.clone()));
                        }
                        None => self.notice = Some(format!("{}: {}", host.name, host.says)),
                    }
                }
                self.hosts.push(host);
            }
            News::Sessions(sessions) => {
                let demo = self.scripts.first().map(|demo| demo.choice().title.clone());
                let is_live = |s: &SessionSummary| {
                    matches!(s.standing, SessionStatus::Live { .. } | SessionStatus::Running(_))
                };
                let is_demo = |s: &SessionSummary| s.is_silent && demo.as_ref() == Some(&s.title);
                let (live, rest): (Vec<_>, Vec<_>) = sessions.into_iter().partition(is_live);
                let rest: Vec<_> = rest.into_iter().filter(|s| !is_demo(s)).collect();
                let tree = tree(&rest).into_iter().map(|(_, session)| session.clone());
                self.sessions = live.into_iter().chain(tree).collect();
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

    /// Returns the entered topic, if it is not the scenario's own.
    pub fn other_topic(&self) -> Option<String> {
        let own = self.script().map(ScenarioChoice::own_topic);
        self.topic().filter(|topic| own != Some(topic))
    }

    /// Returns the models that can sit at the table, the known ones first.
    pub fn offers(&self) -> Vec<OfferedModel> {
        let found = self.hosts.iter().flat_map(|host| &host.models);
        let mut offers: Vec<OfferedModel> = vec![];
        for model in
            self.known.iter().chain(found).chain(&self.usual).chain(self.ticked.iter().flatten())
        {
            if !offers.iter().any(|known| known.is(model)) {
                offers.push(OfferedModel { seat: None, ..model.clone() });
            }
        }
        offers
    }

    /// Returns the models at the table: the ticked ones, else the usual ones, else some that can be used.
    pub fn table(&self) -> Vec<OfferedModel> {
        match &self.ticked {
            Some(ticked) => ticked.clone(),
            None if !self.usual.is_empty() => self.usual.clone(),
            None => proposed(&self.offers()),
        }
    }

    /// Returns the voice for the chosen scenario; `None` without a model.
    pub fn voice(&self) -> Option<VoiceChoice> {
        let script = self.script()?;
        if !script.open {
            return Some(VoiceChoice::Own);
        }
        let table = self.table();
        if !table.is_empty() {
            return Some(VoiceChoice::Models(table));
        }
        (script.rehearsed && self.other_topic().is_none()).then_some(VoiceChoice::Rehearsed)
    }

    /// Returns whether the chosen scenario may cost money with a voice.
    pub fn may_cost(&self, voice: &VoiceChoice) -> bool {
        match voice {
            VoiceChoice::Rehearsed => false,
            VoiceChoice::Own => self.script().is_some_and(|script| script.paid),
            VoiceChoice::Models(models) => {
                models.iter().any(|model| model.place != ModelPlace::Here)
            }
        }
    }

    /// Returns the conversation of the Enter key; without a topic, that of any topic. `None` without a model, or with a
    /// scenario that has a fault.
    pub fn plan(&self) -> Option<TalkPlan> {
        let script = self.script().filter(|script| script.fault.is_none())?;
        let any = || self.topic().is_none().then(|| "A topic".to_owned());
        let voice = match self.topic() {
            None if script.open && self.table().is_empty() => return None,
            _ => self.voice()?,
        };
        let [length, seed, budget] = &self.numbers;
        Some(TalkPlan {
            scenario: script.name.clone(),
            topic: self.other_topic().or_else(any),
            voice,
            take_part: self.take_part,
            cast: self.asks_cast && self.may_cast(),
            length: length.parse().ok(),
            seed: seed.parse().ok(),
            budget: budget.clone(),
        })
    }

    /// Returns the expected usage of the present plan, if it has been computed.
    pub fn expected(&self) -> Option<&Forecast> {
        let shape = self.plan()?.shape();
        self.forecast.as_ref().filter(|(_, of)| *of == shape).map(|(forecast, _)| forecast)
    }

    /// Returns whether a model could propose people for the topic.
    pub fn may_cast(&self) -> bool {
        self.script().is_some_and(|script| script.recasts && script.open)
            && self.other_topic().is_some()
            && !self.table().is_empty()
    }

    /// Returns a typed number as it is shown.
    pub fn number(&self, setting: TalkSetting) -> Option<&str> {
        let typed = self.numbers.get(setting as usize)?;
        (!typed.is_empty()).then_some(typed)
    }

    /// Returns whether the card "no model yet" is shown.
    pub fn has_no_model(&self) -> bool {
        let runs = self.script().is_some_and(|script| script.fault.is_none());
        runs && self.topic().is_some() && self.voice().is_none()
    }

    /// Returns the focusable rows, from top to bottom.
    pub fn rows(&self) -> Vec<StartRow> {
        [StartRow::Topic, StartRow::Who, StartRow::Kind]
            .into_iter()
            .chain((0..self.sessions.len()).map(StartRow::Session))
            .chain((0..self.examples.len()).map(StartRow::Example))
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
