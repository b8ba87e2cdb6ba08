//! What deciders ask of the state, and the answers they give one another.

use crate::model::*;
use crate::scenario::VerdictSpec;
use crate::state::{Batch, RunState, State};

/// Returns whether a question may be asked now: it spends money, but no utterance and no round, and the
/// time of a talk is what its speakers take.
pub(super) fn may_ask(state: &State) -> bool {
    let holds = state.limit.as_ref().map(|l| l.what);
    matches!(state.run, RunState::Going | RunState::Stepping(_))
        && holds.is_none_or(|what| !matches!(what, Limit::Tokens | Limit::Usd))
}

/// Returns whether nobody speaks, is asked, or is owed a turn.
pub(super) fn quiet(state: &State) -> bool {
    // who is owed a turn when it ends does not have it any more
    let over = state.ending.is_some() || (state.limit.is_some() && !state.attended);
    let open = |b: &Batch| state.is_open(b) && !(over && b.spec.purpose == Purpose::Speak);
    state.turns.is_empty() && !state.threads.values().any(|t| t.batch.as_ref().is_some_and(open))
}

/// How a command goes on.
pub(super) enum CommandStep {
    /// With this event.
    Draft(Box<Draft>),
    /// When others are done.
    Wait,
    /// It is done.
    Done,
}

/// What a rule says now.
pub(super) enum Says {
    /// Nothing.
    Nothing,
    /// It is time to stop, for this reason.
    Stop(StopReason, Text),
    /// Something has to happen first.
    First(Box<Draft>),
}

/// Who judges what: the whole talk, or a phase.
#[derive(Clone, Copy)]
pub(super) struct VerdictScope<'a> {
    /// Where they are asked; what they see is seen from there.
    pub(super) thread: ThreadId,
    /// How it is judged.
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

/// Returns who judges when the operator asks: the whole talk's judges, else those of the phase that is played.
pub(super) fn called(state: &State) -> Option<VerdictScope<'_>> {
    VerdictScope::of(state, ThreadId::ROOT)
        .or_else(|| state.leaves().find_map(|t| VerdictScope::of(state, t.id)))
}
