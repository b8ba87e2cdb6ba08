//! `test`: scripted conversations, and whether what they expect is true.

use crate::cli::args::session::SessionName;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::play::signals::{Signals, at_once};
use crate::cli::runtime::{block_on, refused};
use crate::cli::session_file;
use crate::cli::source;
use crate::model::{Participant, VoiceSpec};
use crate::scenario::{self, Source};
use crate::spawn::ChildEnvironment;
use crate::testing::report::{self, FORMATS};
use crate::testing::{
    ENDING, How, Pool, Real, Test, TestOutcome, TestRecord, TestsNotFound, Words, coverage,
    events_of, find, from_session, load,
};
use crate::voice::script::Script;
use crate::voice::{Voice, Voices};
use crate::{policy, text};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::fs::File;
use std::io::{IsTerminal, Write, stderr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::watch;

/// Tests of one run of the program.
const TESTS_MAX: usize = 200_000;
/// Up to this many tests, each one that passes has a line of its own.
const FEW: usize = 40;

/// What a person needs to know to write one.
const HELP: &str = "\
A test file, NAME.test.toml:

  scenario = \"debate.toml\"            # a path, a bundled name, or a [scenario] table
  [[voice]]
  seat = \"bo\"
  lines = [\"No.\", { fail = \"429\" }, { when = \"'budget' in prompt\", text = \"Too much.\" }]
  [[steer]]
  after = { utterance = 2 }
  do = \"say\"
  text = \"And the costs?\"
  [[expect]]
  that = \"ended.reason == 'utterance_limit' and utterances[2].participant == 'bo'\"

Participants without a [[voice]] say the scenario's rehearsed lines. `schema test` lists every key.

An expectation can use: utterances (number, participant, text, outcome, at, took, tokens, calls), history, turns, calls,
ended (reason, settled), exit, speakers, prompt('bo', 2), receipts (by the id of a command: is, why, all), events (how many
of each kind), context, seats, vote, verdict, agreement, cost, tokens (input, output, total), ms, transcript, warnings,
round, turn_count, topic, title, case, run, and with `runs` rate(\"CONDITION\").

Exit codes: 0 all passed; 1 an expectation failed; 2 no test found; 3 a test could not be run; 7 undecided; 130 interrupted.";

/// Run scripted tests
#[derive(Debug, Args)]
#[command(after_long_help = HELP, after_help = "See --help for the format of a test file.")]
pub struct TestCommand {
    /// Test files, folders that hold them, or globs
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<String>,
    /// Report format
    #[arg(long, value_name = "FORM", default_value = "text",
          value_parser = PossibleValuesParser::new(FORMATS.iter().map(|f| f.name)))]
    format: String,
    /// Run only tests whose name has this text in it; a name is FILE, or FILE::CASE
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,
    /// How many tests run at once [default: the number of cores]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Run only part I of N, so that N machines share the work
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Print the names of the tests and run none
    #[arg(long)]
    list: bool,
    /// Stop after the first test that does not pass
    #[arg(long)]
    fail_fast: bool,
    /// Update expected transcripts and prompts that differ
    #[arg(long)]
    bless: bool,
    /// Report what the tests reach in each scenario: participants, phases, both outcomes of conditions, stop rules
    #[arg(long)]
    coverage: bool,
    /// Fail if less than N percent is reached
    #[arg(long, value_name = "N")]
    fail_under: Option<f64>,
    /// Write a test for a scenario, by its path or name, from its rehearsed cast or from a session
    #[arg(long, value_name = "SCENARIO", conflicts_with_all = ["paths", "list", "bless"])]
    new: Option<String>,
    /// Session to write the test from, with --new: id, id prefix or path
    #[arg(long, value_name = "SESSION", requires = "new")]
    session: Option<String>,
    /// Let tests run the scripts of their scenarios
    #[arg(long)]
    trust: bool,
}

impl TestCommand {
    /// Runs the tests and reports; returns the exit code.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if let Some(scenario) = &self.new {
            return write_new(scenario, self.session.as_deref(), context);
        }
        let loaded = tests(&self.paths, context)?;
        let tests = self.chosen(loaded.tests)?;
        if self.list {
            let names: String = tests.iter().map(|t| format!("{}\n", t.id())).collect();
            output::data(text::block(&names).as_bytes())?;
            return Ok(loaded.wrong.unwrap_or(Exit::Done));
        }
        let (records, signal) = self.play(&tests, context)?;
        self.report(&records, context)?;
        let covered =
            coverage::percent(&coverage::sum(records.iter().filter_map(|r| r.coverage.as_ref())));
        let under = self.fail_under.is_some_and(|least| covered < least);
        if under {
            let least = self.fail_under.unwrap_or_default();
            context.say(&format!("coverage is {covered:.1} %, below --fail-under {least}"));
        }
        let code = signal.or_else(|| code(&records, loaded.wrong));
        Ok(code.or(under.then_some(Exit::Failed)).unwrap_or(Exit::Done))
    }

    /// Takes the tests that are asked for.
    fn chosen(&self, tests: Vec<Arc<Test>>) -> Result<Vec<Arc<Test>>, Failure> {
        let found = tests.len();
        let wanted = |t: &Arc<Test>| {
            self.filter.is_empty() || self.filter.iter().any(|text| t.id().contains(text.as_str()))
        };
        let mut tests: Vec<Arc<Test>> = tests.into_iter().filter(wanted).collect();
        if tests.is_empty() {
            let message = match found {
                0 => format!("no test found in {}", self.paths.join(", ")),
                n => format!("none of {n} tests matches --filter {}", self.filter.join(" ")),
            };
            return Err(Failure::usage(
                message,
                "test files are named NAME.test.toml; --list prints all tests",
            ));
        }
        if let Some(shard) = &self.shard {
            let (part, parts) = parts(shard).ok_or_else(|| {
                Failure::usage(
                    format!("--shard {shard} is invalid: expected I/N"),
                    "as in --shard 1/4",
                )
            })?;
            let mine = |(i, test)| (i % parts == part - 1).then_some(test);
            tests = tests.into_iter().enumerate().filter_map(mine).collect();
        }
        Ok(tests)
    }

    /// Runs tests until all have a record; a signal cancels those that have none yet.
    fn play(
        &self,
        tests: &[Arc<Test>],
        context: &Context,
    ) -> Result<(Vec<TestRecord>, Option<Exit>), Failure> {
        let own = Own {
            environment: ChildEnvironment::allowed(context.environment.for_children()),
            trust: self.trust,
        };
        let jobs = self.jobs.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let how = How {
            bless: self.bless,
            coverage: self.coverage || self.fail_under.is_some(),
            real: Some(&own),
        };
        let pool = Pool { how, jobs, fail_fast: self.fail_fast };
        let (stop, stopped) = watch::channel(false);
        let progress = self.format == "text" && stderr().is_terminal();
        let mut done = 0;
        let tell = |record: &TestRecord| {
            done += 1;
            if progress {
                let left = tests.len() - done;
                output::progress(&format!(
                    "{done} of {} tests{}",
                    tests.len(),
                    if left == 0 { "" } else { " …" }
                ));
            }
            context.note(&format!("{}: {}", record.id, record.outcome.as_str()));
        };
        let signal = std::thread::scope(|scope| {
            let signals = scope.spawn(move || caught(stop));
            let records = pool.run(tests, &stopped, tell);
            drop(stopped);
            let signal = signals.join().unwrap_or(Ok(None));
            signal.map(|signal| (records, signal))
        });
        if progress {
            output::progress("");
        }
        signal
    }

    fn report(&self, records: &[TestRecord], context: &Context) -> Result<(), Failure> {
        let format = FORMATS.iter().find(|f| f.name == self.format);
        let spelled = match format {
            Some(format) if format.name != "text" => (format.spell)(records),
            Some(_) | None => {
                let shown = |r: &&TestRecord| {
                    records.len() <= FEW || r.outcome != TestOutcome::Pass || !r.blessed.is_empty()
                };
                let lines: String = records.iter().filter(shown).map(report::line).collect();
                format!("{lines}{}\n", report::summary(records))
            }
        };
        output::data(text::block(&spelled).as_bytes())?;
        if !self.coverage {
            return Ok(());
        }
        let covered = coverage::sum(records.iter().filter_map(|r| r.coverage.as_ref()));
        match self.format.as_str() {
            "text" => output::data(text::block(&coverage::text(&covered)).as_bytes()),
            // it is in the report
            "json" => Ok(()),
            _ => {
                context.report(coverage::text(&covered).trim_end());
                Ok(())
            }
        }
    }
}

/// Writes a test from a session, or from a run of the scenario's rehearsed cast.
fn write_new(scenario: &str, session: Option<&str>, context: &Context) -> Result<Exit, Failure> {
    let is_path = scenario.ends_with(source::ENDING);
    let stem = scenario.strip_suffix(source::ENDING).unwrap_or(scenario);
    let path = PathBuf::from(format!("{stem}{ENDING}"));
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let named = match Path::new(scenario).file_name() {
        Some(name) if is_path => name.to_string_lossy().into_owned(),
        Some(_) | None => scenario.to_owned(),
    };
    let (events, words) = match session {
        Some(session) => {
            let path = session_file::find(&SessionName::of(Some(&session.to_owned())), context)?;
            let log = crate::session::read(&path)?;
            let events = log.records.iter().map(|record| record.event.clone()).collect();
            (events, Words::OfSession)
        }
        None => {
            let text = format!("scenario = {named:?}\n[[expect]]\nthat = \"true\"\n");
            let source = Source { name: path.display().to_string(), text, settings: vec![] };
            let loaded = load(&source, &folder, &policy::rows());
            let loaded = loaded.map_err(|e| {
                Failure::new(Exit::Invalid, e.to_string())
                    .hint("a scenario without rehearsed lines needs a session: --session SESSION")
            })?;
            let test = loaded.tests.first().ok_or_else(|| Failure::new(Exit::Failed, "no test"))?;
            let events = events_of(test).map_err(|why| Failure::new(Exit::Failed, why))?;
            (events, Words::OfCast)
        }
    };
    let written = File::create_new(&path)
        .and_then(|mut file| file.write_all(from_session(&named, &events, words).as_bytes()));
    match written {
        Ok(()) => {
            output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
            context.say(&format!("run it: colloquium test {}", path.display()));
            Ok(Exit::Done)
        }
        Err(e) => Err(Failure::usage(
            format!("cannot write {}: {e}", path.display()),
            "move the existing file, or choose another scenario",
        )),
    }
}

/// Waits for a signal, and passes it on to the running tests; returns it once they are over.
pub fn caught(stop: watch::Sender<bool>) -> Result<Option<Exit>, Failure> {
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let first = tokio::select! { biased;
            () = stop.closed() => return Ok(None),
            code = signals.next() => code,
        };
        stop.send_replace(true);
        tokio::select! { biased;
            () = stop.closed() => Ok(Some(first)),
            again = signals.next() => at_once(again),
        }
    })
}

/// The tests of all files, and the code of what is wrong with some of them.
struct Tests {
    tests: Vec<Arc<Test>>,
    wrong: Option<Exit>,
}

/// Loads every test file; one that is wrong does not hide the others.
fn tests(paths: &[String], context: &Context) -> Result<Tests, Failure> {
    let files = find(paths).map_err(not_found)?;
    let mut all = Tests { tests: vec![], wrong: None };
    for file in files {
        match read(&file) {
            Ok((loaded, warnings)) => {
                if let Some(warnings) = warnings {
                    context.report(&warnings);
                }
                all.tests.extend(loaded);
            }
            Err(failure) => {
                output::failure(&failure);
                all.wrong = all.wrong.or(Some(failure.code));
            }
        }
        if all.tests.len() > TESTS_MAX {
            let message = format!("there are more than {TESTS_MAX} tests");
            return Err(Failure::usage(message, "name fewer files"));
        }
    }
    match (all.tests.is_empty(), all.wrong) {
        (true, Some(code)) => Err(Failure::new(code, "no test can be run")),
        (_, _) => Ok(all),
    }
}

/// Reads a test file and what its author may not have meant.
pub fn read(file: &Path) -> Result<(Vec<Arc<Test>>, Option<String>), Failure> {
    let source: Source = scenario::read(file)?;
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
    let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
    let loaded = load(&source, &folder, &policy::rows())
        .map_err(|invalid| Failure::new(Exit::Invalid, invalid.to_string()))?;
    let warnings = loaded.warnings.list.is_empty().then_some(());
    let warnings = warnings.map_or_else(|| Some(loaded.warnings.to_string()), |()| None);
    Ok((loaded.tests, warnings))
}

fn not_found(e: TestsNotFound) -> Failure {
    Failure::usage(e.to_string(), "name test files, folders that contain test files, or a glob")
}

/// Reads `I/N`.
pub fn parts(shard: &str) -> Option<(usize, usize)> {
    let (part, parts) = shard.split_once('/')?;
    let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
    (1..=parts).contains(&part).then_some((part, parts))
}

/// Returns the code of all records: what failed goes before what could not be run, and that before what is undecided.
fn code(records: &[TestRecord], wrong: Option<Exit>) -> Option<Exit> {
    let any = |outcome| records.iter().any(|r| r.outcome == outcome);
    let of = [
        (any(TestOutcome::Fail), Exit::Failed),
        (any(TestOutcome::Error) || wrong.is_some(), Exit::Invalid),
        (any(TestOutcome::Undecided), Exit::Skipped),
    ];
    of.into_iter().find(|(is, _)| *is).map(|(_, code)| code)
}

/// The own voices of seats: scripts, where they may run.
struct Own {
    environment: ChildEnvironment,
    trust: bool,
}

/// The scripts of one test.
struct Scripts {
    environment: ChildEnvironment,
    folder: PathBuf,
}

impl Real for Own {
    fn voices(&self, test: &Test) -> Result<Arc<dyn Voices>, String> {
        match test.trusted || self.trust {
            true => Ok(Arc::new(Scripts {
                environment: self.environment.clone(),
                folder: test.folder.clone(),
            })),
            false => Err("the scenario runs scripts; add --trust to let it".into()),
        }
    }
}

impl Voices for Scripts {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, String> {
        match &seat.voice {
            VoiceSpec::Script(command) => Ok(Arc::new(Script::new(
                command.clone(),
                self.folder.clone(),
                self.environment.clone(),
            ))),
            VoiceSpec::Model(_)
            | VoiceSpec::Agent(_)
            | VoiceSpec::Human { .. }
            | VoiceSpec::Lines { .. } => Err(format!("`{}` has no voice in this test", seat.id)),
        }
    }
}
