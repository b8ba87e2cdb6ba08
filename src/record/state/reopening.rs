//! Resumes and forks: their changes, and the parts that start over if a conversation had reached its own end.
//!
//! A conversation can continue after its own end. Stop rules, rounds, phases and the limits of seats then count from
//! the reopening, and the whole history stays. No model is called before something new is said. After a budget, a failure
//! or the operator's `end` it continues as before.

use super::{Conversation, PolicyState, RunState};
use crate::model::payload::{BatchOpened, Forked};
use crate::model::*;
use std::sync::Arc;

/// Start of the count for a conversation's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// `seq` of the event that last reopened it; `None` if it never ended.
    pub reopened: Option<Seq>,
    /// `seq` of the event by which it last continued after its own end; 0 if it never did.
    pub seq: Seq,
    /// Number of utterances at that time.
    pub utterances: u32,
    /// Number of finished batches at that time.
    pub batches: u32,
    /// Number of votes at that time.
    pub votes: u32,
}

impl Conversation {
    /// Applies a fork, which continues like a resume, with other random choices if it has another seed.
    pub(super) fn fork(&mut self, seq: Seq, f: &Forked) {
        self.reopen(seq, f.attended, f.steered);
        // the sessions of agents go on in the parent
        self.seats.iter_mut().for_each(|seat| seat.agent = None);
        if let Some(passed) = f.passed {
            self.pass(seq, passed, passed);
        }
        self.seed = f.seed.unwrap_or(self.seed);
        self.forked = Some(f.clone());
        // a branch is made to go on
        self.reopened_after = None;
    }

    /// Applies a resume: an end is undone. A pause that was requested before starts at once if an operator is present,
    /// else once the seats that a crash interrupted have spoken.
    pub(super) fn reopen(&mut self, seq: Seq, attended: bool, steered: bool) {
        self.attended = attended;
        self.steered = steered;
        if self.run == RunState::Pausing && (attended || steered) {
            self.hold_interrupted();
        }
        // permissions recorded in a session file must not run anything
        self.tools_decided.clear();
        self.tools_allowed_once.clear();
        self.seats.iter_mut().for_each(|s| s.failed = None);
        // the person who held the floor may be gone
        self.release(|_| true);
        let ended = self.ended.take();
        // plans that are closed for an end still in progress stay closed
        if ended.is_some() || self.ending.is_none() {
            self.reopen_plans();
        }
        if let Some(ended) = ended.as_ref().filter(|ended| ended.reason.is_finished()) {
            self.reopened_after = Some(ended.clone());
            // no model is called, also without a pause
            self.run = RunState::Going;
        }
        // the planned length stays reached until a limit is set
        let at_length = self.reopened_after.as_ref().is_some_and(|e| !e.reason.is_passed());
        self.limit.take_if(|_| !at_length);
        self.stopped_by = None;
        let root = self.threads.get_mut(&ThreadId::ROOT).and_then(|root| root.closed.take());
        if let Some(ended) = ended {
            self.pass(seq, ended.reason, root.map_or(ended.reason, |root| root.reason));
        }
    }

    /// Lets the seats that a crash interrupted speak only after a pause, with the messages of the pause in their prompts.
    pub(super) fn hold_interrupted(&mut self) {
        let batches = self.threads.values_mut().filter_map(|thread| thread.batch.as_mut());
        for turn in batches.flat_map(|batch| batch.interrupted.values_mut()) {
            (turn.by_hand, turn.first_call) = (true, None);
        }
    }

    /// Returns whether the conversation is finished: it ended by itself or at its planned length, and nothing new has
    /// been said since.
    pub fn is_finished(&self) -> bool {
        let ended = self.ended.as_ref().is_some_and(|ended| ended.reason.is_finished());
        ended || self.reopened_after.is_some()
    }

    /// Lets the conversation go on after a command that asks for more.
    pub(super) fn go_on_after_command(&mut self, command: &Command) {
        if command.asks_for_more() {
            self.reopened_after = None;
        }
    }

    /// Notes that turns follow the reopening. An earlier program needed no command for that.
    pub(super) fn go_on_with_batch(&mut self, b: &BatchOpened) {
        if b.requester == Requester::Policy || b.purpose == Purpose::Speak {
            self.reopened_after = None;
        }
    }

    /// Continues after an end; `root` is the reason for which the root thread ended, or else that of the conversation.
    fn pass(&mut self, seq: Seq, ended: StopReason, root: StopReason) {
        for t in self.threads.values_mut() {
            t.idle_decisions = 0;
            t.passed.clear();
        }
        if ended != StopReason::Signal {
            self.since.reopened = Some(seq);
        }
        if ended.is_passed() {
            self.begin_again(seq, root);
        }
    }

    /// Starts a new exchange with the same history: rules and limits count from here.
    fn begin_again(&mut self, seq: Seq, root: StopReason) {
        self.since = Since {
            reopened: Some(seq),
            seq,
            utterances: self.utterances,
            batches: self.finished_batches(),
            votes: self.votes,
        };
        self.asked.clear();
        for seat in &mut self.seats {
            seat.before = seat.utterances;
            // earlier agreement does not count in the new exchange
            seat.answer = None;
        }
        let played = matches!(
            root,
            StopReason::RoundLimit
                | StopReason::Completed
                | StopReason::Consensus
                | StopReason::NoVotes
        );
        for t in self.threads.values_mut() {
            t.verdict = None;
            t.asked = None;
            if let PolicyState::Runs(runs) = &mut t.state {
                runs.before = runs.all.len();
            }
            // its rounds, phases or plan are finished, so they start over
            if t.id == ThreadId::ROOT && played {
                t.memo = Arc::default();
                t.round = 0;
            }
        }
    }
}
