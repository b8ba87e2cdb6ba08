//! All tests, several at once, each isolated from the others; exactly one record for each, whatever happens.

use super::case::{How, play, unfinished};
use super::outcome::{TestOutcome, TestRecord};
use super::plan::Test;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use tokio::sync::watch;

/// The stack of a thread that runs tests, in bytes: as much as the program's own has.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// How all tests are run.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    /// How each one is.
    pub how: How<'a>,
    /// How many at once.
    pub jobs: usize,
    /// Whether none is begun after the first that does not pass.
    pub fail_fast: bool,
}

impl Pool<'_> {
    /// Runs tests and returns their records in the order of the tests; `done` is told of each as it ends.
    ///
    /// Once `stop` is true no test begins, and those that run are cancelled.
    pub fn run(
        &self,
        tests: &[Arc<Test>],
        stop: &watch::Receiver<bool>,
        mut done: impl FnMut(&TestRecord),
    ) -> Vec<TestRecord> {
        let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut records: Vec<Option<TestRecord>> = vec![None; tests.len()];
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            for _ in 0..self.jobs.clamp(1, tests.len().max(1)) {
                let (tell, next, enough, stop) = (tell.clone(), &next, &enough, stop.clone());
                let work = move || {
                    while !*stop.borrow() && !enough.load(Ordering::SeqCst) {
                        let at = next.fetch_add(1, Ordering::SeqCst);
                        let Some(test) = tests.get(at) else { return };
                        let record = self.one(test, &stop);
                        if self.fail_fast && record.outcome != TestOutcome::Pass {
                            enough.store(true, Ordering::SeqCst);
                        }
                        if tell.send((at, record)).is_err() {
                            return;
                        }
                    }
                };
                // a system that has no thread to give leaves the work to those it gave
                let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
            }
            drop(tell);
            for (at, record) in told {
                done(&record);
                if let Some(place) = records.get_mut(at) {
                    *place = Some(record);
                }
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

    /// Runs one test; one that breaks the program has its record all the same.
    fn one(&self, test: &Arc<Test>, stop: &watch::Receiver<bool>) -> TestRecord {
        let run = AssertUnwindSafe(|| play(test, self.how, stop));
        catch_unwind(run).unwrap_or_else(|_| {
            let why = "the program crashed while it ran this test (a bug)".to_owned();
            unfinished(test, TestOutcome::Error, Some(why))
        })
    }
}
