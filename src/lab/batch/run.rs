//! Runs a batch: selects the next conversation and enforces the budget.
//!
//! Each conversation gets a slice of the remaining budget and returns the unused part, so that concurrent conversations
//! never overspend. The next run starts or resumes every conversation without a result.

use super::arm::{Arm, Equal};
use super::file::Appended;
use super::items::BatchItem;
use super::results::{Effort, KnownResults, ResultLine, ResultOutcome};
use super::rows::Damaged;
use crate::workers;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::io;
use tokio::sync::watch;

/// A share of the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slice {
    /// Maximum cost in dollars; `None` is unlimited.
    pub usd: Option<f64>,
    /// Maximum input and output tokens; `None` is unlimited.
    pub tokens: Option<u64>,
}

/// A conversation to run.
#[derive(Clone, Debug)]
pub struct BatchJob {
    /// Item of the conversation.
    pub item: BatchItem,
    /// Index of the arm in the batch.
    pub arm: usize,
    /// Share of the budget.
    pub slice: Slice,
    /// Number of calls that equals the effort of the examined conversation; `None` if the arm decides.
    pub calls: Option<u64>,
    /// True if an earlier attempt failed.
    pub again: bool,
}

#[derive(Debug)]
pub enum JobOutcome {
    /// It ended with this result.
    Over(Box<ResultLine>),
    /// Its slice was too small, even for the first call if there is a reason.
    NoBudget(Option<String>),
    /// The run was stopped before the conversation ended.
    Stopped,
    /// It could not be started, with the reason.
    Impossible(String),
}

/// Runs the conversations of a batch.
pub trait JobRunner: Sync {
    /// Runs a conversation to its end. Resumes it if it was stopped before.
    fn play(&self, job: &BatchJob) -> JobOutcome;
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Finished conversations, including those of earlier runs.
    pub done: u64,
    /// Conversations finished by this run.
    pub had: u64,
    /// Failed conversations.
    pub failed: u64,
    /// All conversations.
    pub all: u64,
    /// Dollars spent, including earlier runs.
    pub usd: f64,
    /// Tokens used, including earlier runs.
    pub tokens: u64,
}

/// Reason for an early stop of a run.
#[derive(Debug)]
pub enum BatchStopped {
    /// The budget is used up, or with a reason too small for the first call of a conversation.
    Budget(Option<String>),
    /// It was asked to stop.
    Told,
    /// A conversation could not be started, with the reason.
    Impossible(String),
    /// A result could not be written.
    Unwritable(io::Error),
}

/// A batch: its arms, its budget, and its share of the items.
pub struct BatchRun<'a> {
    /// Arms, the examined one first.
    pub arms: &'a [Arm],
    /// Maximum number of concurrent conversations.
    pub jobs: usize,
    /// Budget of all conversations together.
    pub budget: Slice,
    /// True if failed conversations are run again.
    pub retry: bool,
    /// Share of the items run here as (part, parts): those whose index modulo `parts` is `part`.
    pub shard: Option<(u64, u64)>,
    /// Number of all conversations.
    pub all: u64,
    pub seed: u64,
    /// Number of conversations of an arm on each item.
    pub repeats: u32,
}

/// Money and tokens spent or set aside.
#[derive(Default)]
struct Ledger {
    usd: f64,
    tokens: u64,
    held: Vec<Slice>,
}

impl Ledger {
    /// Sets a slice aside; returns `None` if the budget is used up.
    fn slice(&mut self, budget: Slice, jobs: usize) -> Option<Slice> {
        let free = jobs.saturating_sub(self.held.len()).max(1);
        let usd = budget.usd.map(|all| {
            let held: f64 = self.held.iter().filter_map(|s| s.usd).sum();
            (all - self.usd - held) / free as f64
        });
        let tokens = budget.tokens.map(|all| {
            let held: u64 = self.held.iter().filter_map(|s| s.tokens).sum();
            all.saturating_sub(self.tokens).saturating_sub(held) / free as u64
        });
        let left = usd.is_none_or(|usd| usd >= 0.000_001) && tokens.is_none_or(|tokens| tokens > 0);
        let slice = Slice { usd, tokens };
        left.then(|| self.held.push(slice)).map(|()| slice)
    }

    fn give_back(&mut self, slice: Slice, line: Option<&ResultLine>) {
        if let Some(at) = self.held.iter().position(|held| *held == slice) {
            self.held.remove(at);
        }
        if let Some(line) = line {
            self.usd += line.usd.unwrap_or_default();
            self.tokens += line.input + line.output;
        }
    }
}

impl BatchRun<'_> {
    /// Runs all conversations without a result. Calls `told` as each of them ends. Damaged items are skipped: a
    /// caller that does not accept them checks the file first.
    ///
    /// # Errors
    /// [`BatchStopped`] if the run stopped before all conversations were over.
    pub fn run(
        &self,
        items: impl Iterator<Item = Result<BatchItem, Damaged>> + Send,
        done: &KnownResults,
        results: &mut Appended,
        stop: &watch::Receiver<bool>,
        play: &dyn JobRunner,
        mut told: impl FnMut(&Progress, &ResultLine),
    ) -> Result<Progress, BatchStopped> {
        let ledger = Mutex::new(Ledger { usd: done.usd, tokens: done.tokens, held: vec![] });
        let stopped = Mutex::new(None);
        let halt = |why: BatchStopped| {
            stopped.lock().get_or_insert(why);
        };
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let known = done.len() as u64;
        let mut progress = Progress {
            done: known,
            failed: done.failed() as u64,
            // an earlier run may have had more repeats
            all: known.max(self.all + done.beside(&names)),
            usd: done.usd,
            tokens: done.tokens,
            had: 0,
        };
        let mut places = 0u64..;
        let mut waiting = VecDeque::new();
        let mut items = items.filter_map(Result::ok);
        let next = || {
            let halted = || stopped.lock().is_some();
            if *stop.borrow() {
                halt(BatchStopped::Told);
            }
            if halted() {
                return None;
            }
            while waiting.is_empty() {
                let item: BatchItem = items.next()?;
                let place = places.next()?;
                if self.shard.is_some_and(|(part, parts)| place % parts != part) {
                    continue;
                }
                for repeat in 1..=self.repeats {
                    waiting.extend(self.jobs_of(&BatchItem { repeat, ..item.clone() }, done));
                }
            }
            waiting.pop_front()
        };
        let slice = || ledger.lock().slice(self.budget, self.jobs);
        let work = |jobs: Vec<BatchJob>| {
            let mut made: BTreeMap<usize, (ResultOutcome, Effort)> = BTreeMap::new();
            let mut all = vec![];
            for mut job in jobs {
                let known = |arm: usize| {
                    let name = &self.arms.get(arm)?.name;
                    made.get(&arm).copied().or_else(|| done.made(&job.item, name))
                };
                let Ok(calls) = self.calls(job.arm, known) else { break };
                job.calls = calls;
                let Some(slice) = slice() else {
                    all.push((job, JobOutcome::NoBudget(None)));
                    break;
                };
                job.slice = slice;
                let mut played = play.play(&job);
                if let (JobOutcome::Over(line), Some(arm)) = (&mut played, self.arms.get(job.arm)) {
                    line.protocol.clone_from(&arm.protocol);
                    line.model = arm.models();
                    line.repeat = job.item.repeat;
                    line.group.clone_from(&job.item.group);
                    line.seed = Some(self.seed);
                    line.shard = self.shard.map(|(part, parts)| format!("{}/{parts}", part + 1));
                }
                let line = match &played {
                    JobOutcome::Over(line) => Some(&**line),
                    JobOutcome::NoBudget(_) | JobOutcome::Stopped | JobOutcome::Impossible(_) => {
                        None
                    }
                };
                ledger.lock().give_back(job.slice, line);
                made.extend(line.map(|line| (job.arm, (line.outcome, Effort::new(line)))));
                let goes_on = line.is_some();
                all.push((job, played));
                if !goes_on {
                    break;
                }
            }
            all
        };
        let mut take = |job: BatchJob, played: JobOutcome| match played {
            JobOutcome::Over(line) => {
                if let Err(e) = results.append(&line) {
                    halt(BatchStopped::Unwritable(e));
                }
                progress.had += 1;
                progress.done += u64::from(!job.again);
                progress.failed += u64::from(line.outcome == ResultOutcome::Failed && !job.again);
                progress.failed -= u64::from(line.outcome == ResultOutcome::Ended && job.again);
                progress.usd += line.usd.unwrap_or_default();
                progress.tokens += line.input + line.output;
                told(&progress, &line);
            }
            JobOutcome::NoBudget(why) => halt(BatchStopped::Budget(why)),
            JobOutcome::Stopped => halt(BatchStopped::Told),
            JobOutcome::Impossible(why) => halt(BatchStopped::Impossible(why)),
        };
        workers::share(self.jobs, next, work, |all| {
            all.into_iter().for_each(|(job, played)| take(job, played));
        });
        match stopped.into_inner() {
            Some(why) => Err(why),
            None => Ok(progress),
        }
    }
}

/// The examined conversation of an item did not end well, so its baselines wait for a retry.
struct NotComparable;

impl BatchRun<'_> {
    /// Returns the conversations of an item that are still to run, by examined arm and in the order of the arms: a
    /// baseline runs after the examined conversation, whose effort it gets.
    fn jobs_of(&self, item: &BatchItem, done: &KnownResults) -> Vec<Vec<BatchJob>> {
        let mut all: BTreeMap<usize, Vec<BatchJob>> = BTreeMap::new();
        for (arm, of) in self.arms.iter().enumerate() {
            let before = done.made(item, &of.name).map(|(outcome, _)| outcome);
            let again = before == Some(ResultOutcome::Failed) && self.retry;
            let runs = before.is_none() || again;
            let slice = Slice::default();
            if runs {
                let job = BatchJob { item: item.clone(), arm, slice, calls: None, again };
                all.entry(self.examined(arm).unwrap_or(arm)).or_default().push(job);
            }
        }
        all.into_values().collect()
    }

    /// Returns the index of the arm that a baseline is compared with; `None` if the arm is not a baseline.
    fn examined(&self, arm: usize) -> Option<usize> {
        let name = self.arms.get(arm)?.baseline_of.as_ref()?;
        self.arms.iter().position(|other| other.name == *name)
    }

    /// Returns the number of calls of an arm on an item, `None` if the arm decides. `known` returns the conversations of
    /// the item that are over, by the index of their arm.
    fn calls(
        &self,
        arm: usize,
        known: impl Fn(usize) -> Option<(ResultOutcome, Effort)>,
    ) -> Result<Option<u64>, NotComparable> {
        let Some((of, first)) = self.arms.get(arm).zip(self.examined(arm)) else {
            return Ok(None);
        };
        let Some((ResultOutcome::Ended, examined)) = known(first) else {
            return Err(NotComparable);
        };
        Ok(match of.equal {
            Equal::No => None,
            Equal::Calls => Some(examined.calls.max(1)),
            Equal::Tokens => {
                // the samples before it have the same prompts
                let mut samples = (first + 1..arm).filter_map(&known).map(|(_, effort)| effort);
                let sample = samples.find(|effort| effort.calls > 0 && effort.tokens > 0);
                let sample = sample.ok_or(NotComparable)?;
                Some((examined.tokens * sample.calls / sample.tokens).max(1))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::results::tests::a_result;
    use std::fs;

    /// Records its jobs. The examined conversation makes 7 calls with 70 tokens, the vote 2 calls with 15 tokens.
    struct Noted {
        jobs: Mutex<Vec<(String, usize, Option<u64>)>>,
        fails: bool,
    }

    impl JobRunner for Noted {
        fn play(&self, job: &BatchJob) -> JobOutcome {
            self.jobs.lock().push((job.item.id.clone(), job.arm, job.calls));
            let name = ["debate", "vote", "samples", "tokens"][job.arm];
            let mut line = a_result(&job.item.id, name);
            let (calls, tokens) = if job.arm == 0 { (7, 70) } else { (2, 15) };
            line.input = tokens;
            line.calls_total = calls;
            if job.arm == 0 && self.fails {
                line.outcome = ResultOutcome::Failed;
            }
            JobOutcome::Over(Box::new(line))
        }
    }

    #[test]
    fn baselines_get_the_effort_of_the_examined_conversation() {
        let arm = |name: &str, equal| Arm {
            name: name.into(),
            fingerprint: "f".into(),
            baseline_of: (name != "debate").then(|| "debate".into()),
            equal,
            ..Arm::default()
        };
        let arms = [
            arm("debate", Equal::No),
            arm("vote", Equal::No),
            arm("samples", Equal::Calls),
            arm("tokens", Equal::Tokens),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let items = folder.path().join("items.jsonl");
        fs::write(&items, "{\"id\":\"a\"}\n{\"id\":\"b\"}\n").unwrap();
        let run = |arms: &[Arm], fails: bool, retry: bool| {
            let (mut results, done) = Appended::open(&path).unwrap();
            let noted = Noted { jobs: Mutex::default(), fails };
            let (_tx, stop) = watch::channel(false);
            let items = super::super::items::Items::open(&items, &[]).unwrap();
            let budget = Slice::default();
            BatchRun { arms, jobs: 3, budget, retry, shard: None, all: 8, seed: 0, repeats: 1 }
                .run(items, &done, &mut results, &stop, &noted, |_, _| ())
                .unwrap();
            let mut jobs = noted.jobs.into_inner();
            jobs.sort();
            jobs
        };
        // baselines wait while there is nothing to compare them with
        assert_eq!(run(&arms, true, false).len(), 2);
        assert!(run(&arms, false, false).is_empty());
        let first = run(&arms[..2], false, true);
        assert_eq!(first.len(), 4, "{first:?}");
        let of = |item: &str| {
            let job = |arm, calls| (item.to_owned(), arm, Some(calls));
            [job(2, 7), job(3, 70 * 2 / 15)]
        };
        assert_eq!(run(&arms, false, false), [of("a"), of("b")].concat());
        assert!(run(&arms, false, true).is_empty(), "nothing is asked twice");
    }

    #[test]
    fn slices_never_add_up_to_more_than_the_budget() {
        let mut ledger = Ledger { usd: 0.4, ..Ledger::default() };
        let budget = Slice { usd: Some(1.0), tokens: None };
        let slices: Vec<Slice> = (0..4).filter_map(|_| ledger.slice(budget, 3)).collect();
        let sum: f64 = slices.iter().filter_map(|s| s.usd).sum();
        assert!((sum - 0.6).abs() < 1e-9 && slices.len() == 3, "{slices:?}");
        ledger.give_back(slices[0], None);
        let again = ledger.slice(budget, 3).unwrap();
        assert!((again.usd.unwrap() - 0.2).abs() < 1e-9, "{again:?}");
    }
}
