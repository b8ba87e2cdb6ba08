//! Questions of the deciders to the state, and their answers to one another.

use crate::model::*;
use crate::scenario::VerdictSpec;
use crate::state::{Batch, RunState, State};

/// Returns whether a question may be asked now: it spends money, but no utterance and no round, and the time limit
/// counts only what the speakers take.
pub(super) fn may_ask(state: &State) -> bool {
    let holds = state.limit.as_ref().map(|l| l.what);
    matches!(state.run, RunState::Going | RunState::Stepping(_))
        && holds.is_none_or(|what| !matches!(what, Limit::Tokens | Limit::Usd))
}

/// Returns whether no turn runs, no question is open, and no turn is owed.
pub(super) fn quiet(state: &State) -> bool {
    // who is owed a turn when it ends does not have it any more
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

/// The verdict of a stop rule now.
pub(super) enum Says {
    /// The rule is silent.
    Nothing,
    /// It is time to stop, for this reason.
    Stop(StopReason, Text),
    /// A call that the rule needs first: append this event.
    First(Box<Draft>),
}

/// What a verdict is about: the whole conversation, or a phase.
#[derive(Clone, Copy)]
pub(super) struct VerdictScope<'a> {
    /// The thread in which they are asked; they see what it sees.
    pub(super) thread: ThreadId,
    /// How it is judged, as the scenario says.
    pub(super) spec: &'a VerdictSpec,
    /// Whether only to see if a side has won already.
    pub(super) interim: bool,
}

impl<'a> VerdictScope<'a> {
    pub(super) fn of(state: &'a State, thread: ThreadId) -> Option<VerdictScope<'a>> {
        state.verdict_spec(thread).map(|spec| VerdictScope { thread, spec, interim: false })
    }

    /// The verdict that was found after the last words, if one was.
    pub(super) fn found(self, state: &State) -> Option<&VerdictGiven> {
        let (verdict, at) = state.threads.get(&self.thread)?.verdict.as_ref()?;
        (*at == state.utterances).then_some(verdict)
    }

    /// The judges who can be asked.
    pub(super) fn judges(self, state: &State) -> Vec<SeatId> {
        let judges = self.spec.judges.iter().map(|j| SeatId(j.clone()));
        judges.filter(|s| state.may(Purpose::Judge, s)).collect()
    }
}

/// Returns what is judged when the operator asks: the whole conversation if it has judges, else the current phase.
pub(super) fn called(state: &State) -> Option<VerdictScope<'_>> {
    VerdictScope::of(state, ThreadId::ROOT)
        .or_else(|| state.leaves().find_map(|t| VerdictScope::of(state, t.id)))
}
