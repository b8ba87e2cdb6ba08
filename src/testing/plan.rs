//! A test after its file was read: plain data for a run, with nothing left to look up.

use super::answers::Answer;
use super::cassette::Cassette;
use super::replies::ReplyFile;
use super::simulated::Simulated;
use super::tools::{ExpectedCall, GivenTurn, PlayedTool};
use crate::expr::Condition;
use crate::model::{Key, Participant, SeatId, SteerLine, VoiceSpec};
use crate::scenario::{Faults, Loaded};
use regex::Regex;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Turns of a conversation without a limit of turns, for estimates.
const USUAL_TURNS: u32 = 20;

/// The tests of one file.
#[derive(Debug)]
pub struct TestFile {
    /// The tests, one a case.
    pub tests: Vec<Arc<Test>>,
    /// What its author may not have meant.
    pub warnings: Faults,
}

/// One test, for one case of a file.
#[derive(Debug)]
pub struct Test {
    /// Its file, as it was named.
    pub file: String,
    /// The name of its case; none where the file has no cases.
    pub case: Option<String>,
    /// What the test shows, for reports.
    pub title: String,
    /// The variables of the case.
    pub variables: Map<String, Value>,
    /// The conversation, every seat with the voice that the test gives it.
    pub loaded: Arc<Loaded>,
    /// Whether its scripts may be run: it came with the program, or was trusted.
    pub trusted: bool,
    /// The folder of the scenario, in which its scripts run.
    pub folder: PathBuf,
    /// The seed of the first run.
    pub seed: u64,
    /// The voices, by seat; a seat that is not here keeps its own voice.
    pub voices: Arc<BTreeMap<SeatId, Speaker>>,
    /// What was said before, and the operator's commands.
    pub steer: Vec<(Key, SteerLine)>,
    /// The tools that it plays, by name.
    pub tools: Arc<BTreeMap<String, PlayedTool>>,
    /// The folder that built-in tools read.
    pub files: Option<PathBuf>,
    /// Turns with tool calls that were made before it starts.
    pub given: BTreeMap<SeatId, Vec<GivenTurn>>,
    /// The expectations, in the order of the file.
    pub expects: Vec<Expect>,
    /// How often it is run.
    pub runs: u32,
    /// The share of its runs that must pass.
    pub pass: f64,
    /// The files that it is made of: when one of them changes, so may its outcome.
    pub inputs: Vec<PathBuf>,
    /// The recorded replies of models.
    pub replies: Arc<ReplyFile>,
    /// How long one run may really take.
    pub timeout: Duration,
}

/// Where the words of a seat come from in a test.
#[derive(Clone, Debug)]
pub enum Speaker {
    /// The lines of the test, or of a cast.
    Lines {
        /// The lines, in the order of the test.
        answers: Arc<[Answer]>,
        /// Milliseconds for each word.
        pace: u64,
    },
    /// What it said in a session.
    Recorded(Arc<Cassette>),
    /// The seat's model, which is asked unless its reply was recorded.
    Model {
        /// Parts of prompts that differ from run to run.
        ignored: Arc<[Regex]>,
        /// Whether the test names the context window.
        has_window: bool,
        /// Whom the model plays; none where it is the participant itself.
        plays: Option<Arc<Simulated>>,
    },
}

/// One thing that must be true.
#[derive(Clone, Debug)]
pub struct Expect {
    /// The condition of the expectation.
    pub what: ExpectKind,
    /// What a failure means, in the author's words.
    pub why: Option<String>,
    /// The share of the runs in which it must hold; none where every run counts by itself.
    pub pass: Option<f64>,
    /// The line of the file that says so.
    pub line: usize,
}

/// The kinds of expectations.
#[derive(Clone, Debug)]
pub enum ExpectKind {
    /// A condition over the final state.
    That(Checked),
    /// A condition over all runs, by their rates.
    Rates(Checked),
    /// A condition that must be true for every utterance.
    Each(Checked),
    /// Who spoke, in order.
    Speakers(Vec<String>),
    /// All tool calls, in order.
    ToolCalls(Vec<ExpectedCall>),
    /// The prompt of a participant.
    Prompt {
        /// The participant's seat.
        of: SeatId,
        /// Which of its turns, from 1; the last one if none is named.
        turn: Option<usize>,
        /// Texts that it must contain.
        contains: Vec<String>,
        /// Texts that it must not contain.
        lacks: Vec<String>,
        /// The file with the whole prompt; none compares no file.
        file: Option<PathBuf>,
    },
    /// The file with the whole transcript.
    Transcript(PathBuf),
    /// What a model says of it.
    Judge(JudgeQuestion),
}

/// What a judge is asked.
#[derive(Clone, Debug)]
pub struct JudgeQuestion {
    /// `provider:name`.
    pub model: String,
    /// The criteria, each judged by itself.
    pub criteria: Vec<String>,
    /// How often the judge is asked about each run.
    pub votes: u32,
    /// The share of the votes that must be a yes.
    pub pass: f64,
    /// The utterances after each of which it judges what was said so far; only the end, if there are none.
    pub after: Vec<u32>,
    /// Utterances before it may decide.
    pub min_turns: u32,
    /// The file of another conversation that this one must be better than.
    pub against: Option<PathBuf>,
}

impl JudgeQuestion {
    /// Returns the number of requests about one run, if every reply can be read.
    fn requests(&self) -> u64 {
        let questions =
            if self.against.is_some() { 2 * self.criteria.len() } else { self.after.len().max(1) };
        u64::from(self.votes) * questions as u64
    }
}

/// A condition that compiles, with its source.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The source, as it was written.
    pub source: String,
    /// The compiled condition.
    pub condition: Condition,
    /// The conditions inside `rate("...")`, by their source.
    pub rates: BTreeMap<String, Condition>,
}

impl Test {
    /// Returns the name by which a report and `--filter` know it: the file, and the case behind two colons.
    pub fn id(&self) -> String {
        match &self.case {
            Some(case) => format!("{}::{case}", self.file),
            None => self.file.clone(),
        }
    }

    /// Returns whether a model plays a person or an attacker in a seat.
    pub fn is_played(&self, seat: &str) -> bool {
        matches!(self.voices.get(seat), Some(Speaker::Model { plays: Some(_), .. }))
    }

    /// Returns whether a tool of it is really run.
    pub fn uses_real_tools(&self) -> bool {
        self.files.is_some() || self.runs_scripts()
    }

    /// Returns whether a tool of it is a script that is really run.
    pub fn runs_scripts(&self) -> bool {
        self.tools.values().any(|tool| matches!(tool, PlayedTool::Script))
    }

    /// Returns the models that it may ask, as it names them; the empty name is the default model.
    pub fn models(&self) -> BTreeSet<String> {
        let asked =
            |p: &&Participant| matches!(self.voices.get(&p.id), Some(Speaker::Model { .. }));
        let seats = self.loaded.participants.iter().filter(asked);
        let names = seats.flat_map(|seat| match &seat.voice {
            VoiceSpec::Model(spec) => [&spec.name]
                .into_iter()
                .chain(spec.fallbacks.iter().map(|f| &f.name))
                .cloned()
                .collect(),
            VoiceSpec::Script(_)
            | VoiceSpec::Agent(_)
            | VoiceSpec::Team(_)
            | VoiceSpec::Human { .. }
            | VoiceSpec::Lines { .. } => vec![],
        });
        let judges = self.expects.iter().filter_map(|expect| match &expect.what {
            ExpectKind::Judge(task) => Some(task.model.clone()),
            _ => None,
        });
        names.map(|name| name.to_string()).chain(judges).collect()
    }

    /// Returns about how many requests it makes to each model, by the name in the test, if no reply is recorded.
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

    /// Returns the files that its voices and expectations name.
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

/// Returns a text as a shell takes it as one word.
pub fn quoted(text: &str) -> String {
    match text.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:".contains(c)) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
