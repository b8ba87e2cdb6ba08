//! Resumes and forks: what they change, and what starts over in a conversation that had reached its own end.
//!
//! An end can be passed. Stop rules, rounds, phases and the limits of seats then count from the reopening, and the
//! whole history stays. After a limit, a failure or the operator's own `end` the conversation continues where it was.

use super::Conversation;
use crate::model::payload::Forked;
use crate::model::*;
use serde_json::Value;

/// From where the rules of a conversation count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Since {
    /// The event that reopened it last; none if it never ended.
    pub reopened: Option<Seq>,
    /// The event by which its own end was last passed; the first event if it never was.
    pub seq: Seq,
    /// How many utterances there were then.
    pub utterances: u32,
    /// How many finished batches there were then.
    pub batches: u32,
    /// How many votes there were then.
    pub votes: u32,
}

impl Conversation {
    /// Applies a fork, which continues as a resume does, with random choices of its own if it has another seed.
    pub(super) fn fork(&mut self, seq: Seq, f: &Forked) {
        self.reopen(seq, f.attended, f.steered);
        if let Some(passed) = f.passed {
            self.pass(seq, passed, passed);
        }
        self.seed = f.seed.unwrap_or(self.seed);
        self.forked = Some(f.clone());
    }

    /// Applies a resume: an end is undone, and a pause that was asked for starts once the seats that a crash cut have
    /// spoken.
    pub(super) fn reopen(&mut self, seq: Seq, attended: bool, steered: bool) {
        self.attended = attended;
        self.steered = steered;
        // what a session file says is no reason to run anything
        self.tools_decided.clear();
        self.tools_allowed_once.clear();
        self.seats.iter_mut().for_each(|s| s.failed = None);
        let ended = self.ended.take();
        // what closes for an end that is still being carried out stays closed
        if ended.is_some() || self.ending.is_none() {
            self.reopen_plans();
        }
        self.limit = None;
        self.stopped_by = None;
        let root = self.threads.get_mut(&ThreadId::ROOT).and_then(|root| root.closed.take());
        if let Some(ended) = ended {
            self.pass(seq, ended.reason, root.map_or(ended.reason, |root| root.reason));
        }
    }

    /// Passes an end; `root` is how the policy of the whole conversation ended, if it did.
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

    /// Begins a new exchange with the history: rules and bounds count from here.
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
            // what was agreed before is no agreement on what comes
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
            (t.verdict, t.asked, t.runs_before) = (None, None, t.runs.len());
            // its rounds, its phases or its plan are used up
            if t.id == ThreadId::ROOT && played {
                (t.memo, t.round) = (Value::Null, 0);
            }
        }
    }
}
