//! A conversation that runs on a task, and the ways to leave it.

use crate::engine::{Engine, Input, Stopped};
use crate::live::server::LiveServer;
use crate::session::Tail;
use crate::state::State;
use std::fs::File;
use std::io;
use std::panic::resume_unwind;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// Reason why a conversation takes no clients.
pub(super) const CLOSED: &str = "nobody could attach to it: it is not saved, `live` is off in the settings, or \
                                 this is not Linux";

/// A conversation that runs.
pub struct RunningConversation {
    /// Its events, followed by new ones with loose pieces in between.
    pub tail: Tail,
    /// Sends commands to the engine, which assumes an operator while a sender exists.
    pub commands: mpsc::Sender<Input>,
    /// Its end, and the ways to leave it.
    pub run: Run,
}

/// The way to leave a running conversation, the most urgent last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Leave {
    /// It has not begun.
    Held,
    /// It runs.
    Stay,
    /// It ends, as at a signal.
    End,
    /// The engine stops at once, as a kill would leave it, but written to the last event. A conversation to which
    /// nothing more is to come ends: at its planned length, or finished before and reopened.
    Now,
}

/// End of the engine. All events are written and synced, unless the disk failed.
#[derive(Clone, Debug)]
pub struct End {
    /// State after the last event; empty if another process ran it.
    pub state: State,
    /// Reason, or the fault of the disk or of the connection.
    pub stop: Result<Stopped, String>,
}

/// Holds a running conversation: dropping it leaves the conversation now, and releases its socket and its lock.
pub struct Run {
    leave: watch::Sender<Leave>,
    task: JoinHandle<End>,
    end: Option<End>,
    server: Option<LiveServer>,
    lock: Option<File>,
}

impl Run {
    pub(super) fn new(
        leave: watch::Sender<Leave>,
        task: JoinHandle<End>,
        server: Option<LiveServer>,
        lock: Option<File>,
    ) -> Run {
        Run { leave, task, end: None, server, lock }
    }

    /// Begins a conversation that was held.
    pub fn begin(&self) {
        self.leave(Leave::Stay);
    }

    /// Leaves the conversation, unless it has stopped already.
    pub fn leave(&self, how: Leave) {
        self.leave.send_if_modified(|wanted| std::mem::replace(wanted, how.max(*wanted)) < how);
    }

    /// Asks the engine to stop once nothing is in flight, because another process takes the conversation over.
    pub fn hand_over(&self) {
        self.server.iter().for_each(LiveServer::hand_over);
    }

    /// Waits until clients can attach; must be called once.
    pub fn opened(&mut self) -> impl Future<Output = io::Result<()>> + use<> {
        let opened = self.server.as_mut().map(LiveServer::opened);
        async { opened.ok_or_else(|| io::Error::other(CLOSED))?.await.map(drop) }
    }

    /// Waits until the engine has stopped and everything is written. Cancel safe.
    pub async fn stopped(&mut self) -> &End {
        if self.end.is_none() {
            let end = (&mut self.task).await;
            // the task is never aborted, so it either returned or panicked
            self.end = Some(end.unwrap_or_else(|failed| resume_unwind(failed.into_panic())));
        }
        self.end.as_ref().expect("it was just set")
    }

    /// Abandons a conversation that was held: nothing is written, and a new session leaves no file.
    pub async fn abandon(self) {
        drop(self.leave);
        // a panic was reported, and there is nothing to end
        let _ = self.task.await;
    }

    /// Returns the locked lock file of the session, which another process can take over.
    pub fn into_lock(self) -> Option<File> {
        self.lock
    }
}

/// Runs an engine, once it may begin, until it stops or is left, and writes everything.
pub(super) async fn run(
    mut engine: Engine,
    orders: mpsc::Receiver<Input>,
    mut leave: watch::Receiver<Leave>,
) -> End {
    if leave.wait_for(|wanted| *wanted >= Leave::Stay).await.is_err() {
        let state = std::mem::take(&mut engine.live.state);
        engine.abandon().await;
        return End { state, stop: Ok(Stopped::Left) };
    }
    let stopped = tokio::select! { biased;
        () = wanted(leave.clone(), Leave::Now) => None,
        stopped = engine.run(orders, wanted(leave, Leave::End)) => Some(stopped),
    };
    if stopped.is_none() {
        engine.end_left();
    }
    let state = engine.live.state.clone();
    let written = engine.finish().await.map_err(|fault| fault.to_string());
    let stop = stopped.unwrap_or(Ok(Stopped::Left)).and_then(|stop| written.map(|_| stop));
    End { state, stop }
}

/// Waits until the conversation is to be left; nobody holds it once the sender is gone.
pub(super) async fn wanted(mut leave: watch::Receiver<Leave>, how: Leave) {
    let _ = leave.wait_for(|wanted| *wanted >= how).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::host::{Opening, Parts, assemble, unsaved};
    use crate::model::{FailureRule, Ms, Participant, Timeouts};
    use crate::tool::NoTools;
    use crate::voice::{CallRequest, NoVoice, Out, Speaking, Voice, Voices};
    use serde_json::{from_value, json};
    use std::future::pending;
    use std::sync::Arc;
    use tokio::task::yield_now;

    /// Voices that never finish a reply; they report each call, and the value is shared by all of them.
    #[derive(Clone)]
    struct Endless(mpsc::UnboundedSender<()>, Arc<()>);

    impl Voices for Endless {
        fn voice(&self, _: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
            Ok(Arc::new(self.clone()))
        }
    }

    impl Voice for Endless {
        fn speak(&self, _: CallRequest, _: Out) -> Speaking {
            let Endless(calls, shared) = self.clone();
            Box::pin(async move {
                calls.send(()).unwrap();
                pending::<()>().await;
                drop(shared);
            })
        }
    }

    /// Starts a conversation and waits for its first call; returns it with the value that its calls share.
    async fn speaking() -> (RunningConversation, Arc<()>) {
        let seat = json!({
            "id": "ada", "name": "Ada", "voice": {"lines": {"lines": [], "pace": 0}},
            "timeouts": Timeouts::default(), "on_failure": FailureRule::default(),
        });
        let opened = json!({
            "format": 1, "program": "test", "seed": 1, "rehearsed": true, "parallel": 1,
            "scenario": {"title": "Test", "policy": {"name": "round_robin"}}, "participants": [seat],
        });
        let start = Opening::Open(Box::new(from_value(opened).unwrap()));
        let (calls, mut called) = mpsc::unbounded_channel();
        let shared = Arc::new(());
        let voices = Arc::new(Endless(calls, shared.clone()));
        let clock = Clock::virtual_from(Ms(0));
        let parts = Parts::new(unsaved().unwrap(), start, voices, Arc::new(NoTools), clock);
        let running = assemble(parts).start();
        called.recv().await.unwrap();
        (running, shared)
    }

    /// Waits until nothing but the test shares the value.
    async fn is_released(shared: &Arc<()>) -> bool {
        for _ in 0..1_000_000 {
            if Arc::strong_count(shared) == 1 {
                return true;
            }
            yield_now().await;
        }
        false
    }

    #[test]
    fn leaving_aborts_the_calls() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (RunningConversation { tail, commands, mut run }, shared) = speaking().await;
            run.leave(Leave::Now);
            let end = run.stopped().await;
            assert_eq!((end.stop.clone(), end.state.ended.is_some()), (Ok(Stopped::Left), false));
            assert!(is_released(&shared).await, "a call goes on");
            drop((tail, commands));
            // as a team does whose own call is cancelled
            let (running, shared) = speaking().await;
            drop(running);
            assert!(
                is_released(&shared).await,
                "a call goes on after the conversation was dropped"
            );
        });
    }

    #[test]
    fn a_signal_ends_the_conversation() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (RunningConversation { commands, mut run, .. }, _) = speaking().await;
            run.leave(Leave::End);
            let end = run.stopped().await;
            assert_eq!((end.stop.clone(), end.state.ended.is_some()), (Ok(Stopped::Ended), true));
            drop(commands);
        });
    }
}
