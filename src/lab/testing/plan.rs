//! A loaded test, and the result of a run: plain data, with everything resolved.

use super::answers::Answer;
use super::calls::CallSeen;
use super::cassette::{Cassette, Drift};
use super::fault::TestFault;
use super::outcome::{Broken, Judged};
use super::replies::{Charged, ReplyFile};
use super::simulated::{AttackProgress, Simulated};
use super::tools::{ExpectedCall, GivenTurn, PlayedTool};
use crate::expr::Condition;
use crate::model::{Event, Key, ModelSpec, Participant, SeatId, SteerLine, VoiceSpec};
use crate::scenario::{Faults, Loaded};
use crate::state::State;
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Assumed turns of a conversation without a turn limit, for estimates.
const USUAL_TURNS: u32 = 20;

#[derive(Debug)]
pub struct TestFile {
    /// Tests, one for each case.
    pub tests: Vec<Arc<Test>>,
    /// Warnings about likely mistakes of the author.
    pub warnings: Faults,
}

/// One test, for one case of a file.
#[derive(Debug)]
pub struct Test {
    /// Path of the test file as given.
    pub file: String,
    /// Name of the case; `None` if the file has no cases.
    pub case: Option<String>,
    /// Title for reports.
    pub title: String,
    /// Variables of the case.
    pub variables: Map<String, Value>,
    /// Conversation, with the voices that the test assigns to the seats.
    pub loaded: Arc<Loaded>,
    /// True if its scripts may run, because it is part of the program or was trusted.
    pub trusted: bool,
    /// Folder of the scenario, in which its scripts run.
    pub folder: PathBuf,
    /// Seed of the first run.
    pub seed: u64,
    /// Voices by seat; other seats keep their own voice.
    pub voices: Arc<BTreeMap<SeatId, Speaker>>,
    /// Given messages before the start, and the operator's commands.
    pub steer: Vec<(Key, SteerLine)>,
    /// Lines of the operator's commands in the test file.
    pub steer_lines: BTreeMap<Key, usize>,
    /// Tools that the test plays, by name.
    pub tools: Arc<BTreeMap<String, PlayedTool>>,
    /// Folder that built-in tools read.
    pub files: Option<PathBuf>,
    /// Turns with tool calls before the start.
    pub given: BTreeMap<SeatId, Vec<GivenTurn>>,
    /// Expectations, in the order of the file.
    pub expects: Vec<Expect>,
    /// Number of runs.
    pub runs: u32,
    /// Share of the runs that must pass.
    pub pass: f64,
    /// Files that the test is made of: if one of them changes, the outcome may change.
    pub inputs: Vec<PathBuf>,
    /// Recorded replies of models.
    pub replies: Arc<ReplyFile>,
    /// Limit of one run in real time.
    pub timeout: Duration,
}

/// Source of a seat's replies in a test.
#[derive(Clone, Debug)]
pub enum Speaker {
    /// Lines of the test, or of a cast.
    Lines {
        /// Lines, in the order of the test.
        answers: Arc<[Answer]>,
        /// Milliseconds for each word.
        pace: u64,
    },
    /// Replies from a session.
    Recorded(Arc<Cassette>),
    /// The seat's model, which is called unless its reply was recorded.
    Model {
        /// Patterns of prompt parts that differ between runs.
        ignored: Arc<[Regex]>,
        /// True if the test sets the context window.
        has_window: bool,
        /// Role that the model plays; `None` if the model is the participant itself.
        plays: Option<Arc<Simulated>>,
    },
}

/// An expectation.
#[derive(Clone, Debug)]
pub struct Expect {
    /// Kind and condition of the expectation.
    pub what: ExpectKind,
    /// Meaning of a failure, as written by the author.
    pub why: Option<String>,
    /// Share of the runs in which it must hold; `None` if it must hold in each run that passes.
    pub pass: Option<f64>,
    /// Line in the test file.
    pub line: usize,
}

/// Kind of an expectation.
#[derive(Clone, Debug)]
pub enum ExpectKind {
    /// A condition over the final state.
    That(Checked),
    /// A condition over all runs, by their rates.
    Rates(Checked),
    /// A condition that must be true for every utterance.
    Each(Checked),
    /// The speakers, in order.
    Speakers(Vec<String>),
    /// All tool calls, in order.
    ToolCalls(Vec<ExpectedCall>),
    /// The prompt of a participant.
    Prompt {
        /// Seat of the participant.
        of: SeatId,
        /// Number of the turn, from 1; `None` is the last turn.
        turn: Option<usize>,
        /// Texts that it must contain.
        contains: Vec<String>,
        /// Texts that it must not contain.
        lacks: Vec<String>,
        /// File with the whole prompt; `None` compares no file.
        file: Option<PathBuf>,
    },
    /// File with the whole transcript.
    Transcript(PathBuf),
    /// The judgement of a model.
    Judge(JudgeQuestion),
}

#[derive(Clone, Debug)]
pub struct JudgeQuestion {
    /// Model as `provider:name`.
    pub model: String,
    /// Criteria, each judged separately.
    pub criteria: Vec<String>,
    /// Number of votes about each run.
    pub votes: u32,
    /// Share of the votes that must be a yes.
    pub pass: f64,
    /// Checkpoints: utterances after which the conversation so far is judged; only the end if empty.
    pub after: Vec<u32>,
    /// Minimum number of utterances before the judge may decide.
    pub min_turns: u32,
    /// File of another conversation that this one must be better than.
    pub against: Option<PathBuf>,
}

impl JudgeQuestion {
    /// Returns the number of requests about one run if every reply is readable.
    fn requests(&self) -> u64 {
        let questions =
            if self.against.is_some() { 2 * self.criteria.len() } else { self.after.len().max(1) };
        u64::from(self.votes) * questions as u64
    }
}

/// A compiled condition with its source.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Source as written.
    pub source: String,
    /// Compiled condition.
    pub condition: Condition,
    /// Conditions inside `rate("...")`, by source.
    pub rates: BTreeMap<String, Condition>,
}

impl Test {
    /// Returns the name for reports and `--filter`: the file, and the case after two colons.
    pub fn id(&self) -> String {
        match &self.case {
            Some(case) => format!("{}::{case}", self.file),
            None => self.file.clone(),
        }
    }

    /// Returns true if a model plays a person or an attacker in a seat.
    pub fn is_played(&self, seat: &str) -> bool {
        matches!(self.voices.get(seat), Some(Speaker::Model { plays: Some(_), .. }))
    }

    /// Returns true if the test really runs a tool script.
    pub fn runs_scripts(&self) -> bool {
        self.tools.values().any(|tool| matches!(tool, PlayedTool::Script))
    }

    /// Returns the names of the models that it may call, as in the test; the empty name is the default model.
    pub fn models(&self) -> BTreeSet<String> {
        let asked =
            |p: &&Participant| matches!(self.voices.get(&p.id), Some(Speaker::Model { .. }));
        let seats = self.loaded.participants.iter().filter(asked);
        let names = seats.filter_map(|seat| seat.voice.as_model()).flat_map(ModelSpec::names);
        let judges = self.expects.iter().filter_map(|expect| match &expect.what {
            ExpectKind::Judge(task) => Some(task.model.clone()),
            _ => None,
        });
        names.map(|name| name.to_string()).chain(judges).collect()
    }

    /// Returns true if it uses recorded replies.
    pub fn records(&self) -> bool {
        !self.models().is_empty() || self.services().next().is_some()
    }

    /// Returns the participants whose services or agents it may ask.
    pub fn services(&self) -> impl Iterator<Item = &Participant> {
        let asked = |p: &&Participant| {
            service_name(p).is_some()
                && matches!(self.voices.get(&p.id), Some(Speaker::Model { .. }))
        };
        self.loaded.participants.iter().filter(asked)
    }

    /// Returns the estimated number of requests to each model, by its name in the test, if no reply is recorded.
    pub fn requests(&self) -> BTreeMap<String, u64> {
        let seats = &self.loaded.participants;
        let turns = self.loaded.scenario.limits.utterances.unwrap_or(USUAL_TURNS);
        let turns = u64::from(turns).div_ceil(seats.len().max(1) as u64);
        let mut all = BTreeMap::new();
        for seat in seats {
            if let (VoiceSpec::Model(spec), Some(Speaker::Model { .. })) =
                (&seat.voice, self.voices.get(&seat.id))
            {
                *all.entry(spec.name.to_string()).or_insert(0) += turns;
            }
        }
        for expect in &self.expects {
            if let ExpectKind::Judge(task) = &expect.what {
                *all.entry(task.model.clone()).or_insert(0) += task.requests();
            }
        }
        all.values_mut().for_each(|count| *count *= u64::from(self.runs));
        all
    }

    /// Returns the files named by its voices and expectations.
    pub fn named_files(&self) -> Vec<PathBuf> {
        let voices = self.voices.values().filter_map(|voice| match voice {
            Speaker::Recorded(recording) => Some(recording.path.clone()),
            Speaker::Lines { .. } | Speaker::Model { .. } => None,
        });
        let expects = self.expects.iter().filter_map(|expect| match &expect.what {
            ExpectKind::Transcript(path) => Some(path.clone()),
            ExpectKind::Prompt { file, .. } => file.clone(),
            ExpectKind::Judge(question) => question.against.clone(),
            _ => None,
        });
        let parts = self.loaded.participants.iter().flat_map(|seat| match &seat.voice {
            VoiceSpec::Script(command) => command.clone(),
            _ => vec![],
        });
        let scripts = parts.map(|part| self.folder.join(&*part)).filter(|path| path.is_file());
        voices.chain(expects).chain(scripts).collect()
    }

    /// Returns the command that runs only this test.
    pub fn command(&self) -> String {
        let file = quoted(&self.file);
        match &self.case {
            Some(_) => format!("colloquium test {file} --filter {}", quoted(&self.id())),
            None => format!("colloquium test {file}"),
        }
    }
}

/// Returns the name of a participant's service or agent among the models of a test; `None` for any other voice.
pub fn service_name(seat: &Participant) -> Option<String> {
    match &seat.voice {
        VoiceSpec::Http(_) => Some(format!("http:{}", seat.id)),
        VoiceSpec::Agent(_) => Some(format!("agent:{}", seat.id)),
        _ => None,
    }
}

/// Quotes a text as one word for a shell.
pub fn quoted(text: &str) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c)) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// Result of one run.
#[derive(Debug)]
pub struct TestRun {
    /// Every event of the run, in order.
    pub events: Vec<Event>,
    /// The state after the last event.
    pub state: State,
    /// Every call, in order.
    pub asked: Vec<CallSeen>,
    /// Prompts that differ from their recording.
    pub drifts: Vec<Drift>,
    /// Index of the expectation that an utterance broke, with the details.
    pub breach: Option<(usize, Broken)>,
    /// Judgements, by index of their expectation.
    pub judged: BTreeMap<usize, Judged>,
    /// Progress of the attackers.
    pub attack: BTreeMap<SeatId, AttackProgress>,
    /// Usage of models, by purpose.
    pub charged: BTreeMap<&'static str, Charged>,
}

/// The reason why a run is without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// The run could not start or not finish.
    Error(TestFault),
    /// The run was stopped from outside.
    Cancelled,
}
