//! `test`: runs scripted conversations and checks their expectations.

mod asking;
mod files;
mod new;
mod voices;
mod watching;

pub use files::read;

use crate::cli::args::{ModelOptions, percent, usd};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::play::signals::{Signals, at_once};
use crate::cli::runtime::{block_on, refused};
use crate::ledger::{self, Ledger};
use crate::model::Usd;
use crate::testing::report::{self, FORMATS};
use crate::testing::{How, Pool, RecordMode, ReplyFile, Test, TestOutcome, TestRecord, coverage};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::io::{IsTerminal, stderr};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::watch;
use voices::Own;

/// Maximum number of tests in a run for which each passing test has its own line.
const FEW: usize = 40;

/// Explanation of test files, shown by `--help`.
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
  that = \"ended.reason == 'utterance_limit' and utterances[1].participant == 'bo'\"

Participants without a [[voice]] say the scenario's rehearsed lines; model = \"PROVIDER:NAME\" gives one the recorded
replies of a model (NAME.replies.jsonl). A model is called only with --ask or --record. `schema test` lists every key.

`help expressions` lists what an expectation can use: utterances, ended, prompt('bo', 2), tool_calls and more; with `runs`
also rate(\"CONDITION\").

Exit codes: 0 all passed; 1 an expectation failed; 2 no test found; 3 a test could not be run; 5 the limit of\n--max-usd reached; 7 undecided; 130 interrupted.";

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
    /// Number of tests that run at once [default: the number of cores]
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
    /// Keep running: a changed file runs the tests again that it belongs to
    #[arg(long, conflicts_with_all = ["list", "shard", "new"])]
    watch: bool,
    /// Ask models for replies that were not recorded, and record them
    #[arg(long)]
    ask: bool,
    /// Ask models for all replies again, and replace the recorded ones
    #[arg(long)]
    record: bool,
    /// Ask no model: a reply that was not recorded is an error; the default
    #[arg(long, conflicts_with_all = ["ask", "record"])]
    offline: bool,
    /// Stop before all models together cost more than USD dollars [default: 1]
    #[arg(long, value_name = "USD", value_parser = usd)]
    max_usd: Option<Usd>,
    /// Report the coverage of each scenario: participants, phases, both outcomes of conditions, stop rules
    #[arg(long)]
    coverage: bool,
    /// Fail if less than N percent is reached
    #[arg(long, value_name = "N", value_parser = percent)]
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
    #[command(flatten)]
    models: ModelOptions,
}

impl TestCommand {
    /// Runs the tests and reports them. Returns the exit code.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        if let Some(scenario) = &self.new {
            return new::write_new(scenario, self.session.as_deref(), context);
        }
        let budget = Ledger::new(self.max_usd, ledger::TESTS);
        if self.watch {
            let run = |tests: &[Arc<Test>]| {
                let (records, signal) = self.play(tests, &budget, context)?;
                self.report(&records, context)?;
                Ok((records, signal))
            };
            return watching::watch(&self.paths, context, |test| self.wants(test), run);
        }
        let mut loaded = files::tests(&self.paths, context)?;
        let found = loaded.tests.len() + loaded.faulty.len();
        loaded.faulty.retain(|record| self.wants_file(&record.file));
        let tests = self.chosen(loaded.tests, &mut loaded.faulty, found)?;
        if self.list {
            let names: String = tests.iter().map(|t| format!("{}\n", t.id())).collect();
            output::text(&names)?;
            return Ok(loaded.wrong.unwrap_or(Exit::Done));
        }
        let (mut records, signal) = self.play(&tests, &budget, context)?;
        if (self.record || self.bless)
            && signal.is_none()
            && self.filter.is_empty()
            && self.shard.is_none()
        {
            tidy(&tests, &records, context)?;
        }
        records.extend(loaded.faulty);
        self.report(&records, context)?;
        let covered =
            coverage::percent(&coverage::sum(records.iter().filter_map(|r| r.coverage.as_ref())));
        let under = self.fail_under.is_some_and(|least| covered < least);
        if under {
            let least = self.fail_under.unwrap_or_default();
            context.say(&format!("coverage is {covered:.1} %, below --fail-under {least}"));
        }
        let code = signal.or_else(|| code(&records, loaded.wrong, budget.is_reached()));
        Ok(code.or(under.then_some(Exit::Failed)).unwrap_or(Exit::Done))
    }

    /// Returns the recording mode. Models are called only if the command line permits it.
    fn asking(&self) -> RecordMode {
        if self.record {
            RecordMode::Again
        } else if self.ask {
            RecordMode::Missing
        } else if self.bless {
            RecordMode::Bless
        } else {
            RecordMode::Offline
        }
    }

    /// Returns true if `--filter` selects the test.
    fn wants(&self, test: &Test) -> bool {
        self.filter.is_empty() || self.filter.iter().any(|text| test.id().contains(text.as_str()))
    }

    /// Returns true if `--filter` may select a test of a file whose cases are unknown.
    fn wants_file(&self, file: &str) -> bool {
        let of = |text: &String| file.contains(text) || text.starts_with(&format!("{file}::"));
        self.filter.is_empty() || self.filter.iter().any(of)
    }

    /// Selects the tests to run out of all that were found. With `--shard`, only the first part reports files that cannot be loaded.
    fn chosen(
        &self,
        tests: Vec<Arc<Test>>,
        faulty: &mut Vec<TestRecord>,
        found: usize,
    ) -> Result<Vec<Arc<Test>>, Failure> {
        let mut tests: Vec<Arc<Test>> = tests.into_iter().filter(|t| self.wants(t)).collect();
        if tests.is_empty() && faulty.is_empty() {
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
            if part > 1 {
                faulty.clear();
            }
            let mine = |(i, test)| (i % parts == part - 1).then_some(test);
            tests = tests.into_iter().enumerate().filter_map(mine).collect();
        }
        Ok(tests)
    }

    /// Runs the tests until each has a record. A signal cancels the rest.
    fn play(
        &self,
        tests: &[Arc<Test>],
        budget: &Arc<Ledger>,
        context: &Context,
    ) -> Result<(Vec<TestRecord>, Option<Exit>), Failure> {
        let own = Own::new(tests, self.trust, &self.models, budget.clone(), context)?;
        let asking = self.asking();
        if asking.calls_models() {
            asking::announce(tests, &own, self.max_usd, context)?;
        }
        let jobs = self.jobs.or_else(|| available_parallelism().ok()).map_or(1, NonZeroUsize::get);
        let how = How {
            bless: self.bless,
            coverage: self.coverage || self.fail_under.is_some(),
            asking,
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
        if stderr().is_terminal() {
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
        output::text(&spelled)?;
        if !self.coverage {
            return Ok(());
        }
        let covered = coverage::sum(records.iter().filter_map(|r| r.coverage.as_ref()));
        match self.format.as_str() {
            "text" => _ = output::text(&coverage::text(&covered))?,
            // already part of the JSON report
            "json" => {}
            _ => context.report(coverage::text(&covered).trim_end()),
        }
        Ok(())
    }
}

/// Removes recorded replies that no test used from reply files whose tests all completed.
fn tidy(tests: &[Arc<Test>], records: &[TestRecord], context: &Context) -> Result<(), Failure> {
    let mut done: Vec<&ReplyFile> = vec![];
    for test in tests.iter().filter(|test| test.records()) {
        let of_file = |r: &&TestRecord| r.file == test.file;
        let complete = records.iter().filter(of_file).all(|r| match r.outcome {
            TestOutcome::Pass | TestOutcome::Fail | TestOutcome::Undecided => true,
            TestOutcome::Error | TestOutcome::Cancelled => false,
        });
        if !complete || done.iter().any(|file| std::ptr::eq(*file, &*test.replies)) {
            continue;
        }
        done.push(&test.replies);
        let removed = test.replies.tidy().map_err(|why| Failure::new(Exit::Failed, why))?;
        if let (Some(path), 1..) = (test.replies.path(), removed) {
            context.note(&format!("{}: removed {removed} old replies", path.display()));
        }
    }
    Ok(())
}

/// Waits for a signal, forwards it to the running tests, and returns its exit code when they have stopped.
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

/// Parses `I/N`.
pub fn parts(shard: &str) -> Option<(usize, usize)> {
    let (part, parts) = shard.split_once('/')?;
    let part = part.parse().ok()?;
    let parts = parts.parse().ok()?;
    (1..=parts).contains(&part).then_some((part, parts))
}

/// Returns the exit code for all records, by priority: failed test, exhausted budget, test that could not be run,
/// undecided test.
fn code(records: &[TestRecord], wrong: Option<Exit>, no_money: bool) -> Option<Exit> {
    let any = |outcome| records.iter().any(|r| r.outcome == outcome);
    let of = [
        (any(TestOutcome::Fail), Exit::Failed),
        (no_money, Exit::Budget),
        (any(TestOutcome::Error) || wrong.is_some(), Exit::Invalid),
        (any(TestOutcome::Undecided), Exit::Skipped),
    ];
    of.into_iter().find(|(is, _)| *is).map(|(_, code)| code)
}
