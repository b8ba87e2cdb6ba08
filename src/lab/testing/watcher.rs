//! Checks each utterance when it ends, asks judges at their checkpoints, and stops the run if an expectation is broken.

use super::judging::{CheckpointVerdicts, JudgedRun, at_checkpoint};
use super::outcome::Broken;
use super::plan::{ExpectKind, Test};
use super::replies::RunModels;
use super::{check, facts};
use crate::engine::Witness;
use crate::model::{Event, Kind, Outcome, Seq};
use crate::state::State;
use parking_lot::Mutex;
use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use tokio::sync::watch;

/// State at the event where a broken expectation ended a run.
#[derive(Clone, Debug)]
pub struct Halt {
    /// The last event of the run.
    pub seq: Seq,
    /// The state after that event.
    pub state: State,
    /// Index of the expectation that an utterance broke, and the reason; `None` if a checkpoint failed.
    pub breach: Option<(usize, Broken)>,
}

/// A checkpoint that was reached and is not yet judged.
struct DueCheckpoint {
    /// Index of the expectation.
    at: usize,
    point: u32,
    seq: Seq,
    state: State,
}

/// Verdicts at the checkpoints of one run, in order.
pub type Checkpoints = Arc<Mutex<Vec<CheckpointVerdicts>>>;

/// Observer of one run.
pub struct Watcher {
    test: Arc<Test>,
    run: u32,
    models: Arc<RunModels>,
    /// The halt of the run, once an expectation is broken.
    pub halt: watch::Sender<Option<Halt>>,
    /// Verdicts so far.
    pub judged: Checkpoints,
    due: Vec<DueCheckpoint>,
    /// Grants, tool calls and ends of turns so far.
    events: Vec<Event>,
}

impl Watcher {
    /// Returns the observer of a test's run.
    pub fn new(test: Arc<Test>, run: u32, models: Arc<RunModels>) -> Watcher {
        Watcher {
            test,
            run,
            models,
            halt: watch::Sender::new(None),
            judged: Checkpoints::default(),
            due: vec![],
            events: vec![],
        }
    }

    /// Returns the expectations with a checkpoint at an utterance.
    fn checkpoints(&self, number: u32) -> Vec<usize> {
        let is_due = |what: &ExpectKind| match what {
            ExpectKind::Judge(task) => {
                task.against.is_none() && number >= task.min_turns && task.after.contains(&number)
            }
            _ => false,
        };
        let expects = self.test.expects.iter().enumerate();
        expects.filter(|(_, expect)| is_due(&expect.what)).map(|(at, _)| at).collect()
    }

    /// Asks the judges of the reached checkpoints; halts the run if one of them fails.
    async fn judge(&mut self) {
        for due in std::mem::take(&mut self.due) {
            let DueCheckpoint { at, point, seq, state } = due;
            let judged = JudgedRun {
                state: &state,
                events: &self.events,
                run: self.run,
                models: &self.models,
            };
            let Some(verdicts) = at_checkpoint(&self.test, at, point, judged).await else {
                continue;
            };
            let ends = verdicts.ends_run();
            self.judged.lock().push(verdicts);
            if ends {
                self.halt.send_replace(Some(Halt { seq, state, breach: None }));
                return;
            }
        }
    }

    /// Returns the first expectation that an utterance breaks, if any.
    fn breach(&self, state: &State, event: &Event) -> Option<(usize, Broken)> {
        let Kind::TurnEnded(ended) = &event.kind else { return None };
        if ended.outcome == Outcome::Failed {
            return None;
        }
        let number = ended.number?;
        self.test.expects.iter().enumerate().find_map(|(at, expect)| {
            let ExpectKind::Each(checked) = &expect.what else { return None };
            let facts = facts::of_utterance(&self.test, state, number, &checked.condition)?;
            Some((at, check::each(checked, &facts, state, number)?))
        })
    }
}

impl Witness for Watcher {
    fn see(&mut self, state: &State, event: &Event) {
        if self.halt.borrow().is_some() {
            return;
        }
        if let Some(breach) = self.breach(state, event) {
            let state = state.clone();
            self.halt.send_replace(Some(Halt { seq: event.seq, state, breach: Some(breach) }));
            return;
        }
        if matches!(
            event.kind,
            Kind::FloorGranted(_) | Kind::ToolAsked(_) | Kind::ToolReturned(_) | Kind::TurnEnded(_)
        ) {
            self.events.push(event.clone());
        }
        if let Kind::TurnEnded(ended) = &event.kind
            && let Some(point) = ended.number
        {
            let reached = self.checkpoints(point).into_iter();
            let seq = event.seq;
            self.due.extend(reached.map(|at| DueCheckpoint {
                at,
                point,
                seq,
                state: state.clone(),
            }));
        }
    }

    fn permit<'a>(&'a mut self, _: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {
            self.judge().await;
            if self.halt.borrow().is_some() {
                pending::<()>().await;
            }
        })
    }
}
