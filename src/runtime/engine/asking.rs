//! Checks on the state, and result types, that several parts of the engine share.

use crate::model::*;
use crate::scenario::VerdictSpec;
use crate::state::{Batch, RunState, State};

/// Returns true if a question may be asked now. It costs money but no utterance and no round, and the time limit counts
/// speakers only.
pub(super) fn may_ask(state: &State) -> bool {
    let holds = state.limit.as_ref().map(|l| l.what);
    matches!(state.run, RunState::Going | RunState::Stepping(_))
        && holds.is_none_or(|what| !matches!(what, Limit::Tokens | Limit::Usd))
}

/// Returns true if no turn runs, no question is open, and no turn is owed.
pub(super) fn quiet(state: &State) -> bool {
    // an end or a limit cancels owed turns
    let over = state.ending.is_some() || (state.limit.is_some() && !state.attended);
    let open = |b: &Batch| state.is_open(b) && !(over && b.spec.purpose == Purpose::Speak);
    state.turns.is_empty() && !state.threads.values().any(|t| t.batch.as_ref().is_some_and(open))
}

/// The next step of a command that takes several events.
pub(super) enum CommandStep {
    /// Append this event.
    Draft(Box<Draft>),
    /// Wait until the other turns are over.
    Wait,
    /// The command is done: its receipt follows.
    Done,
}

/// The current result of a stop rule.
pub(super) enum Says {
    /// The rule does not apply.
    Nothing,
    /// The conversation should stop, for this reason.
    Stop(StopReason, Text),
    /// The rule needs this event first, such as the call of a judge.
    First(Box<Draft>),
}

/// Scope of a verdict: the whole conversation, or a phase.
#[derive(Clone, Copy)]
pub(super) struct VerdictScope<'a> {
    /// Thread in which the judges are asked; they see the messages of this thread.
    pub(super) thread: ThreadId,
    /// Verdict settings of the scenario.
    pub(super) spec: &'a VerdictSpec,
    /// True if the judges are only asked if a side has won already.
    pub(super) interim: bool,
}

impl<'a> VerdictScope<'a> {
    pub(super) fn from_thread(state: &'a State, thread: ThreadId) -> Option<VerdictScope<'a>> {
        state.verdict_spec(thread).map(|spec| VerdictScope { thread, spec, interim: false })
    }

    /// Returns the verdict given since the last utterance, if any.
    pub(super) fn found(self, state: &State) -> Option<&VerdictGiven> {
        let (verdict, at) = state.threads.get(&self.thread)?.verdict.as_ref()?;
        (*at == state.utterances).then_some(verdict)
    }

    /// Returns the judges that can be asked.
    pub(super) fn judges(self, state: &State) -> Vec<SeatId> {
        let judges = self.spec.judges.iter().map(|j| SeatId(j.clone()));
        judges.filter(|s| state.may(Purpose::Judge, s)).collect()
    }
}

/// Returns the scope of a verdict that the operator asks for: the whole conversation if it has judges, else the current
/// phase.
pub(super) fn called(state: &State) -> Option<VerdictScope<'_>> {
    VerdictScope::from_thread(state, ThreadId::ROOT)
        .or_else(|| state.leaves().find_map(|t| VerdictScope::from_thread(state, t.id)))
}
