//! Checks each utterance when it ends, and stops the run if an expectation is broken.

use super::outcome::Broken;
use super::plan::{ExpectKind, Test};
use super::{check, facts};
use crate::engine::Witness;
use crate::model::{Event, Kind, Outcome, Seq};
use crate::state::State;
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
    /// Index of the broken expectation, and the reason.
    pub breach: (usize, Broken),
}

/// Observer of one run.
pub struct Watcher {
    test: Arc<Test>,
    /// The halt of the run, once an expectation is broken.
    pub halt: watch::Sender<Option<Halt>>,
}

impl Watcher {
    /// Returns the observer of a test's run.
    pub fn new(test: Arc<Test>) -> Watcher {
        Watcher { test, halt: watch::Sender::new(None) }
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
            self.halt.send_replace(Some(Halt { seq: event.seq, state: state.clone(), breach }));
        }
    }

    fn permit<'a>(&'a mut self, _: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(async {
            if self.halt.borrow().is_some() {
                pending::<()>().await;
            }
        })
    }
}
