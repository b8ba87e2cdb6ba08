//! Execution of one test, from its first run to its record.

use super::check::{self, Checkup};
use super::coverage::Covered;
use super::facts;
use super::outcome::{Broken, Rate, TestOutcome};
use super::plan::{Checked, ExpectKind, Test, TestRun, Unfinished};
use super::record::TestRecord;
use super::replies::RecordMode;
use super::run::{Real, TestRunOptions, once};
use crate::clock::Clock;
use crate::expr::{Condition, Function};
use crate::model::Ms;
use crate::stats::wilson;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// Maximum number of broken expectations in a record.
const BROKEN_MAX: usize = 20;

/// Options of a test.
#[derive(Clone, Copy, Default)]
pub struct How<'a> {
    /// True if expected files that differ are rewritten.
    pub bless: bool,
    /// True if the coverage of the scenario is reported.
    pub coverage: bool,
    /// Mode of model calls.
    pub asking: RecordMode,
    /// Source of the seats' own voices.
    pub real: Option<&'a dyn Real>,
}

/// Returns the record of a test that did not run to its end.
pub fn unfinished(test: &Test, outcome: TestOutcome, error: Option<String>) -> TestRecord {
    TestRecord {
        title: test.title.clone(),
        error,
        command: test.command(),
        ..TestRecord::new(test.id(), test.file.clone(), outcome)
    }
}

/// Runs a test as often as it requires, and returns its record.
pub fn play(test: &Arc<Test>, how: How<'_>, stop: &watch::Receiver<bool>) -> TestRecord {
    let clock = Clock::real(Ms(0));
    let mut tally = Tally::new(test);
    for run in 0..test.runs {
        let options =
            TestRunOptions { bless: how.bless && run == 0, asking: how.asking, real: how.real };
        match once(test, run, options, stop.clone()) {
            Ok(ran) => tally.take(test, ran, run, how),
            Err(Unfinished::Cancelled) => {
                tally.record.outcome = TestOutcome::Cancelled;
                tally.record.took_ms = clock.now().0;
                return tally.record;
            }
            Err(Unfinished::Error(why)) => {
                tally.record.error.get_or_insert(why.into());
                tally.record.outcome = TestOutcome::Error;
                break;
            }
        }
    }
    let mut record = tally.close(test);
    record.took_ms = clock.now().0;
    record
}

/// Results of the runs so far.
#[derive(Default)]
struct Tally {
    record: TestRecord,
    /// Number of passed runs; expectations with a share of their own do not count.
    passed: u32,
    /// Number of undecided runs: nothing failed, but some expectation is undecided.
    undecided: u32,
    /// True if an expectation could not be evaluated in some run: no share of the runs makes up for that.
    has_errors: bool,
    /// Number of runs in which each expectation held, by index.
    held: Vec<u32>,
    /// Number of runs in which each condition inside `rate()` held.
    rates: BTreeMap<String, u32>,
    last: Option<TestRun>,
}

impl Tally {
    fn new(test: &Test) -> Tally {
        Tally {
            record: unfinished(test, TestOutcome::Pass, None),
            held: vec![0; test.expects.len()],
            ..Tally::default()
        }
    }

    fn take(&mut self, test: &Test, ran: TestRun, run: u32, how: How<'_>) {
        self.record.runs += 1;
        self.record.utterances += ran.state.utterances;
        self.record.virtual_ms += ran.state.ms.0;
        for (account, charged) in &ran.charged {
            self.record.requests.entry(account).or_default().add(charged);
        }
        if how.coverage {
            let covered = Covered::by(test, &ran);
            self.record.coverage.get_or_insert_with(Covered::default).add(&covered);
            self.record.coverage.iter_mut().for_each(|c| c.scenario.clone_from(&covered.scenario));
        }
        self.record.judged.extend(ran.judged.values().cloned());
        let bless = how.bless && run == 0;
        let mut worst = if self.as_recorded(test, &ran, run, bless) {
            TestOutcome::Pass
        } else {
            TestOutcome::Fail
        };
        for (at, expect) in test.expects.iter().enumerate() {
            if let ExpectKind::Rates(checked) = &expect.what {
                self.count(test, &ran, run, checked);
                continue;
            }
            match check::check(test, &ran, run, at, expect, bless) {
                Checkup::Holds => {}
                Checkup::Blessed(path) => self.record.blessed.push(path),
                Checkup::Broken(broken) => {
                    self.has_errors |= broken.outcome == TestOutcome::Error;
                    if expect.pass.is_none() {
                        worst = worst.max(broken.outcome);
                    }
                    self.add(broken);
                    continue;
                }
            }
            if let Some(held) = self.held.get_mut(at) {
                *held += 1;
            }
        }
        for broken in check::unheeded(test, &ran) {
            worst = worst.max(broken.outcome);
            self.add(broken);
        }
        if worst != TestOutcome::Pass && self.record.failed.is_empty() {
            self.record.failed = facts::failed_turns(&ran.events);
            self.record.failed.truncate(BROKEN_MAX);
        }
        self.passed += u32::from(worst == TestOutcome::Pass);
        self.undecided += u32::from(worst == TestOutcome::Undecided);
        self.last = Some(ran);
    }

    /// Returns true if every prompt equals its recording; with `bless`, recordings that differ were rewritten.
    fn as_recorded(&mut self, test: &Test, ran: &TestRun, run: u32, bless: bool) -> bool {
        for drift in &ran.drifts {
            let path = drift.path.display().to_string();
            if bless {
                if !self.record.blessed.contains(&path) {
                    self.record.blessed.push(path);
                }
                continue;
            }
            if self.record.broken.len() < BROKEN_MAX {
                self.record.broken.push(Broken {
                    outcome: TestOutcome::Fail,
                    line: 0,
                    expected: format!("the prompt of {} matches {path}", drift.turn),
                    why: None,
                    found: vec![drift.difference.clone(), "--bless accepts the new prompt".into()],
                    around: vec![],
                    run: (test.runs > 1).then_some(run),
                });
            }
        }
        bless || ran.drifts.is_empty()
    }

    /// Adds a broken expectation to the record, each once.
    fn add(&mut self, broken: Broken) {
        let told = &mut self.record.broken;
        if told.len() < BROKEN_MAX && !told.iter().any(|b| b.line == broken.line) {
            told.push(broken);
        }
    }

    fn count(&mut self, test: &Test, ran: &TestRun, run: u32, checked: &Checked) {
        for (source, condition) in &checked.rates {
            let names: Vec<&str> = condition.names().map(|(name, _)| name).collect();
            let facts = facts::of_run(test, ran, run, |name| names.contains(&name));
            match condition.decides(&facts) {
                Ok(holds) => *self.rates.entry(source.clone()).or_default() += u32::from(holds),
                Err(fault) => {
                    let why = format!("{source}: {}: {fault}", fault.place(source));
                    self.record.error.get_or_insert(why);
                    self.has_errors = true;
                }
            }
        }
    }

    /// Returns the record after the last run.
    fn close(mut self, test: &Test) -> TestRecord {
        if self.record.outcome != TestOutcome::Pass {
            return self.record;
        }
        let runs = self.record.runs;
        let mut outcome = TestOutcome::Pass;
        if runs > 1 {
            let interval = wilson(self.passed, runs);
            let of = "runs that passed".to_owned();
            self.record.rates.push(Rate { of, held: self.passed, runs, interval });
        }
        if !reaches(self.passed, runs, test.pass) {
            outcome = if reaches(self.passed + self.undecided, runs, test.pass) {
                TestOutcome::Undecided
            } else {
                TestOutcome::Fail
            };
        }
        for (at, expect) in test.expects.iter().enumerate() {
            let held = self.held.get(at).copied().unwrap_or(0);
            if let Some(pass) = expect.pass
                && !matches!(expect.what, ExpectKind::Rates(_))
            {
                let of = format!("line {}", expect.line);
                self.record.rates.push(Rate { of, held, runs, interval: wilson(held, runs) });
                if reaches(held, runs, pass) {
                    self.record.broken.retain(|b| b.line != expect.line)
                } else {
                    outcome = outcome.max(TestOutcome::Fail)
                }
            }
            if let ExpectKind::Rates(checked) = &expect.what
                && let Some(broken) = self.over_all(test, checked)
            {
                outcome = outcome.max(broken.outcome);
                self.add(Broken { line: expect.line, why: expect.why.clone(), ..broken });
            }
        }
        for (source, held) in &self.rates {
            let interval = wilson(*held, runs);
            self.record.rates.push(Rate { of: source.clone(), held: *held, runs, interval });
        }
        if self.has_errors {
            outcome = TestOutcome::Error;
        }
        self.record.outcome = outcome;
        if outcome == TestOutcome::Pass {
            // failures of single runs are part of the rates; the test has passed
            self.record.broken.clear();
            self.record.failed.clear();
        }
        self.record
    }

    fn over_all(&self, test: &Test, checked: &Checked) -> Option<Broken> {
        let runs = self.record.runs;
        let rates = self.rates.clone();
        let rate: Function = Arc::new(move |arguments| match arguments {
            [Value::String(source)] => match rates.get(source) {
                Some(held) => Ok(json!(f64::from(*held) / f64::from(runs.max(1)))),
                None => Err("rate() takes a condition in quotes, written out".into()),
            },
            _ => Err("rate() takes a condition in quotes".into()),
        });
        let facts = match &self.last {
            Some(ran) => {
                let condition: &Condition = &checked.condition;
                facts::of_run(test, ran, runs, |name| condition.uses(name))
            }
            None => crate::expr::Facts::new(json!({ "case": test.variables })),
        };
        let state = self.last.as_ref().map(|ran| ran.state.clone()).unwrap_or_default();
        check::condition(checked, &facts.with_function("rate", rate), &state)
    }
}

/// Returns true if the share `pass` of the runs is reached; 1 requires all runs.
fn reaches(held: u32, runs: u32, pass: f64) -> bool {
    // allows for the rounding of a share such as 0.7 of 10
    f64::from(held) + 1e-9 >= pass * f64::from(runs)
}
