//! Runs all tests, several in parallel and isolated from each other. Each test has exactly one record, even after a
//! crash.

use super::case::{How, play, unfinished};
use super::outcome::TestOutcome;
use super::plan::Test;
use super::record::TestRecord;
use crate::workers;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::watch;

/// Runner of all tests.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    /// Options of each test.
    pub how: How<'a>,
    /// Maximum number of parallel tests.
    pub jobs: usize,
    /// True if no more tests start after the first test that does not pass.
    pub fail_fast: bool,
}

impl Pool<'_> {
    /// Runs tests and returns their records in the order of the tests; `done` gets each record when its test ends.
    ///
    /// When `stop` becomes true, running tests are cancelled, and the others do not start.
    pub fn run(
        &self,
        tests: &[Arc<Test>],
        stop: &watch::Receiver<bool>,
        mut done: impl FnMut(&TestRecord),
    ) -> Vec<TestRecord> {
        let next = AtomicUsize::new(0);
        let enough = AtomicBool::new(false);
        let mut records: Vec<Option<TestRecord>> = vec![None; tests.len()];
        let take = || {
            let going = !*stop.borrow() && !enough.load(Ordering::SeqCst);
            let at = going.then(|| next.fetch_add(1, Ordering::SeqCst))?;
            Some((at, tests.get(at)?))
        };
        let work = |(at, test)| {
            let record = self.one(test, stop);
            if self.fail_fast && record.outcome != TestOutcome::Pass {
                enough.store(true, Ordering::SeqCst);
            }
            (at, record)
        };
        workers::share(self.jobs.clamp(1, tests.len().max(1)), take, work, |(at, record)| {
            done(&record);
            if let Some(place) = records.get_mut(at) {
                *place = Some(record);
            }
        });
        let all = records.into_iter().zip(tests);
        all.map(|(record, test)| {
            record.unwrap_or_else(|| {
                let record = unfinished(test, TestOutcome::Cancelled, None);
                done(&record);
                record
            })
        })
        .collect()
    }

    /// Runs one test; a panic is recorded as an error.
    fn one(&self, test: &Arc<Test>, stop: &watch::Receiver<bool>) -> TestRecord {
        let run = AssertUnwindSafe(|| play(test, self.how, stop));
        catch_unwind(run).unwrap_or_else(|_| {
            let why = "the program crashed while it ran this test (a bug)".to_owned();
            unfinished(test, TestOutcome::Error, Some(why))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Participant;
    use crate::policy;
    use crate::scenario::Source;
    use crate::testing::{Real, RealModel, TestFault, load};
    use crate::tool::Tools;
    use crate::voice::Voices;
    use std::path::Path;

    struct Breaks;

    impl Real for Breaks {
        fn voices(&self, _: &Test) -> Result<Arc<dyn Voices>, TestFault> {
            panic!("on purpose")
        }

        fn tools(&self, _: &Test) -> Result<Arc<dyn Tools>, TestFault> {
            Err("none".into())
        }

        fn model(&self, _: &str) -> Result<RealModel, TestFault> {
            Err("none".into())
        }

        fn service(&self, _: &Test, _: &Participant) -> Result<RealModel, TestFault> {
            Err("none".into())
        }
    }

    #[test]
    fn a_test_that_crashes_has_one_record_and_the_others_theirs() {
        let test = |voice: &str| {
            let text = format!(
                "scenario = {{ title = \"S\", limits = {{ utterances = 1 }}, participant = [{{ id = \"ada\", script = [\"x\"] }}] }}\n\
                 [[voice]]\nseat = \"ada\"\n{voice}\n[[expect]]\nthat = \"ended\""
            );
            let source = Source { name: "t.test.toml".into(), text, settings: vec![] };
            load(&source, Path::new("."), &policy::rows()).unwrap().tests.remove(0)
        };
        let tests = [test("lines = [\"x\"]"), test("script = true"), test("lines = [\"x\"]")];
        let (_going, stop) = watch::channel(false);
        let how = How { real: Some(&Breaks), ..How::default() };
        let mut told = 0;
        let pool = Pool { how, jobs: 2, fail_fast: false };
        let records = pool.run(&tests, &stop, |_| told += 1);
        let outcomes: Vec<TestOutcome> = records.iter().map(|r| r.outcome).collect();
        assert_eq!(outcomes, [TestOutcome::Pass, TestOutcome::Error, TestOutcome::Pass]);
        assert!(records[1].error.as_ref().unwrap().contains("crashed"));
        assert_eq!(told, 3);
    }
}
