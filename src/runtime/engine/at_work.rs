//! Running tools: each starts once its order is written, and is stopped when its turn ends.

use crate::clock::Clock;
use crate::model::{CallId, Seq, TurnId};
use crate::tool::{ToolJob, ToolResult, Tools};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

/// Marks a call as finished for the clock when dropped, however its task ends.
pub(super) struct Working(pub Clock, pub CallId);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.finish(self.1);
    }
}

/// Tools that were ordered and have not returned yet.
#[derive(Default)]
pub(super) struct ToolsAtWork {
    /// Runs whose order is not written to disk yet.
    gated: VecDeque<Box<ToolJob>>,
    /// Runs in progress, by the `seq` of their `tool.called`.
    working: HashMap<Seq, (TurnId, AbortHandle)>,
}

impl ToolsAtWork {
    pub(super) fn order(&mut self, job: Box<ToolJob>) {
        self.gated.push_back(job);
    }

    /// Stops the tools of a turn.
    pub(super) fn release(&mut self, turn: TurnId, clock: &Clock) {
        self.gated.retain(|job| job.turn != turn);
        for (called, (_, task)) in self.working.extract_if(|_, (of, _)| *of == turn) {
            task.abort();
            clock.finish(CallId(called.0));
        }
    }

    /// Starts the tools whose orders are written to disk.
    pub(super) fn start(
        &mut self,
        written: Option<Seq>,
        tools: &Arc<dyn Tools>,
        clock: &Clock,
        tx: &mpsc::Sender<(Seq, ToolResult)>,
    ) {
        while let Some(job) = self.gated.pop_front_if(|job| written >= Some(job.called)) {
            let called = job.called;
            let turn = job.turn;
            clock.begin(CallId(called.0));
            let working = Working(clock.clone(), CallId(called.0));
            let tools = tools.clone();
            let clock = clock.clone();
            let tx = tx.clone();
            let task = tokio::spawn(async move {
                let _working = working;
                let began = clock.now();
                let end = tools.run(*job).await;
                let end = ToolResult { took_ms: clock.now().since(began), ..end };
                // a closed channel means that the engine was dropped and needs no result
                if let Ok(place) = tx.reserve().await {
                    clock.sent();
                    place.send((called, end));
                }
            });
            self.working.insert(called, (turn, task.abort_handle()));
        }
    }

    pub(super) fn came_back(&mut self, called: Seq) {
        self.working.remove(&called);
    }

    /// Returns true if an order is not written yet.
    pub(super) fn is_gated(&self) -> bool {
        !self.gated.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.gated.len() + self.working.len()
    }

    /// Stops all running tools.
    pub(super) fn stop(&mut self) {
        self.working.drain().for_each(|(_, (_, task))| task.abort());
    }
}
