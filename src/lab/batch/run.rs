//! Runs a batch: selects the next conversation and enforces the budget.
//!
//! Each conversation gets a slice of the remaining budget and returns the unused part, so that concurrent conversations
//! never overspend. The next run starts or resumes every conversation without a result.

use super::file::Appended;
use super::items::{BatchItem, Damaged};
use super::results::{KnownResults, ResultLine, ResultOutcome};
use crate::workers;
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;
use tokio::sync::watch;

/// A protocol of a batch: one way to run every item.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Name in results and reports.
    pub name: String,
    /// Digest of its prompts, models and judges.
    pub fingerprint: String,
    /// Digest of its judge alone, if it has one.
    pub judge: Option<String>,
    /// Minimum and maximum calls by its formula.
    pub planned: super::Calls,
    /// True if its tokens on an item are limited to those of the first protocol.
    pub as_many_tokens: bool,
}

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
    /// Index of the protocol in the batch.
    pub protocol: usize,
    /// Share of the budget.
    pub slice: Slice,
    /// Token limit for comparison with the first protocol; `None` without such a comparison.
    pub tokens: Option<u64>,
    /// True if an earlier attempt failed.
    pub again: bool,
}

/// Outcome of a job.
#[derive(Debug)]
pub enum JobOutcome {
    /// It ended with this result.
    Over(Box<ResultLine>),
    /// Its slice was too small.
    NoBudget,
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
    /// The budget is used up.
    Budget,
    /// It was asked to stop.
    Told,
    /// A conversation could not be started, with the reason.
    Impossible(String),
    /// A result could not be written.
    Unwritable(io::Error),
}

/// A batch: its protocols, its budget, and its share of the items.
pub struct BatchRun<'a> {
    /// Protocols, the examined one first.
    pub protocols: &'a [Protocol],
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
            self.usd += line.measured.usd.unwrap_or_default();
            self.tokens += line.measured.input + line.measured.output;
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
        let names: Vec<&str> = self.protocols.iter().map(|p| p.name.as_str()).collect();
        let mut progress = Progress {
            done: done.len() as u64,
            failed: done.failed() as u64,
            all: self.all + done.beside(&names),
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
                waiting.extend(self.jobs_of(&item, done));
            }
            waiting.pop_front()
        };
        let slice = || ledger.lock().slice(self.budget, self.jobs);
        let work = |jobs: Vec<BatchJob>| {
            let mut tokens = None;
            let mut all = vec![];
            for mut job in jobs {
                let Some(slice) = slice() else {
                    all.push((job, JobOutcome::NoBudget));
                    break;
                };
                job.slice = slice;
                job.tokens = job.tokens.or(tokens);
                let played = play.play(&job);
                let line = match &played {
                    JobOutcome::Over(line) => Some(&**line),
                    JobOutcome::NoBudget | JobOutcome::Stopped | JobOutcome::Impossible(_) => None,
                };
                ledger.lock().give_back(job.slice, line);
                tokens = line.map(|line| line.measured.input + line.measured.output);
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
                progress.usd += line.measured.usd.unwrap_or_default();
                progress.tokens += line.measured.input + line.measured.output;
                told(&progress, &line);
            }
            JobOutcome::NoBudget => halt(BatchStopped::Budget),
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

impl BatchRun<'_> {
    /// Returns the conversations of an item that are still to run. Conversations that depend on each other are grouped.
    fn jobs_of(&self, item: &BatchItem, done: &KnownResults) -> Vec<Vec<BatchJob>> {
        let mut groups: Vec<Vec<BatchJob>> = vec![];
        let mut compared = None;
        for (protocol, of) in self.protocols.iter().enumerate() {
            let before = done.outcome(&item.id, &of.name);
            let again = before == Some(ResultOutcome::Failed) && self.retry;
            if before.is_some() && !again {
                continue;
            }
            let first = if of.as_many_tokens { self.protocols.first() } else { None };
            let tokens = first.and_then(|first| done.tokens_of(&item.id, &first.name));
            let job =
                BatchJob { item: item.clone(), protocol, slice: Slice::default(), tokens, again };
            let behind = if of.as_many_tokens && tokens.is_none() { compared } else { None };
            match behind.and_then(|at: usize| groups.get_mut(at)) {
                Some(group) => group.push(job),
                None => {
                    if protocol == 0 {
                        compared = Some(groups.len());
                    }
                    groups.push(vec![job]);
                }
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::results::tests::a_result;
    use std::fs;

    /// Records its jobs, and reports 70 tokens for the first protocol.
    struct Noted(Mutex<Vec<(String, usize, Option<u64>)>>);

    impl JobRunner for Noted {
        fn play(&self, job: &BatchJob) -> JobOutcome {
            let asked = (job.item.id.clone(), job.protocol, job.tokens);
            self.0.lock().push(asked);
            let name = ["debate", "single", "tokens"][job.protocol];
            let mut line = a_result(&job.item.id, name);
            line.measured.input = if job.protocol == 0 { 70 } else { 5 };
            JobOutcome::Over(Box::new(line))
        }
    }

    #[test]
    fn token_baseline_runs_after_its_protocol() {
        let named = |name: &str, as_many_tokens| Protocol {
            name: name.into(),
            fingerprint: "f".into(),
            judge: None,
            planned: None,
            as_many_tokens,
        };
        let protocols = [named("debate", false), named("single", false), named("tokens", true)];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let items = folder.path().join("items.jsonl");
        fs::write(&items, "{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"c\"}\n").unwrap();
        let batch = |protocols| BatchRun {
            protocols,
            jobs: 3,
            budget: Slice::default(),
            retry: false,
            shard: None,
            all: 9,
        };
        let run = |protocols| {
            let (mut results, done) = Appended::open(&path).unwrap();
            let noted = Noted(Mutex::default());
            let (_tx, stop) = watch::channel(false);
            let items = super::super::items::Items::open(&items).unwrap();
            batch(protocols).run(items, &done, &mut results, &stop, &noted, |_, _| ()).unwrap();
            let mut asked = noted.0.into_inner();
            asked.sort();
            asked
        };
        // the results of the earlier run provide the tokens of the first protocol
        assert_eq!(run(&protocols[..2]).len(), 6);
        let later = run(&protocols);
        let expected = ["a", "b", "c"].map(|item| (item.to_owned(), 2, Some(70)));
        assert_eq!(later, expected);
        fs::remove_file(&path).unwrap();
        let at_once = run(&protocols);
        let of = |at: usize| at_once.iter().filter(move |(_, protocol, _)| *protocol == at);
        assert!(of(2).all(|(.., tokens)| *tokens == Some(70)) && of(2).count() == 3, "{at_once:?}");
        assert!(of(0).chain(of(1)).all(|(.., tokens)| tokens.is_none()), "{at_once:?}");
        assert!(run(&protocols).is_empty(), "nothing is asked twice");
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
