//! Summaries: before a call whose prompt would not fit, a separate turn summarises the oldest part; before a call that
//! sees only a summary, the whole conversation.
//!
//! A failed summary is not retried for the same range: the prompt then loses its middle, like any other prompt.

use super::{debts, drafts};
use crate::model::event::ENGINE;
use crate::model::payload::BatchOpened;
use crate::model::*;
use crate::prompt;
use crate::state::{State, Thread, Turn};

/// Returns the batch of a decision, or the summary that one of its seats needs first.
pub(super) fn before(state: &State, thread: &Thread, batch: BatchOpened) -> Draft {
    let asks = matches!(batch.purpose, Purpose::Speak | Purpose::Pick);
    let owes = if asks { debts::open(state, thread.id, batch.replaces) } else { vec![] };
    let batch = BatchOpened { owes, ..batch };
    let needed = batch.seats.iter().find_map(|seat| due(state, thread, seat, &batch));
    draft(thread.id, ENGINE, needed.unwrap_or(batch).into())
}

fn due(state: &State, thread: &Thread, seat: &SeatId, batch: &BatchOpened) -> Option<BatchOpened> {
    let spec = &state.seat(seat)?.spec;
    let turn = Turn::granted(state.next_seq, state.ms, thread.id, seat.clone(), batch.purpose);
    let sees = match batch.judge_task() {
        Some(JudgeTask::Verdict { .. } | JudgeTask::Casting) => state.verdict_spec(thread.id)?.sees,
        Some(JudgeTask::Stop(_)) => None,
        None => Some(state.sees(&turn)),
    };
    let (clerk, upto) = match (&spec.context, sees == Some(Sees::Summary)) {
        (Budget::Summary { by }, true) => (by.as_ref().unwrap_or(seat), unsummed(state, &turn)?),
        (Budget::Summary { by }, false) => {
            (by.as_ref().unwrap_or(seat), prompt::overflow(state, &turn)?)
        }
        (Budget::Window | Budget::Last(_) | Budget::HeadTail, true) => {
            (seat, unsummed(state, &turn)?)
        }
        (Budget::Window | Budget::Last(_) | Budget::HeadTail, false) => return None,
    };
    let task = SummaryTask { viewer: seat.clone(), upto };
    let tried = state.summaries.iter().any(|s| s.thread == thread.id && s.task == task);
    if tried || !state.may(Purpose::Summarise, clerk) {
        return None;
    }
    let why = format!("summary for {seat}").into();
    let batch = drafts::batch(Requester::Engine, Purpose::Summarise, vec![clerk.clone()], why);
    let reads = Turn { summarises: Some(task.clone()), purpose: Purpose::Summarise, ..turn };
    let name = state.labels(&reads).get(seat).unwrap_or(&spec.name).clone();
    let question = Some(prompt::summing_up(spec, &name));
    Some(BatchOpened { question, summary: Some(task), ..batch })
}

/// Returns the last entry visible to a turn that no summary covers; `None` if all are covered.
fn unsummed(state: &State, turn: &Turn) -> Option<Seq> {
    let last = state.visible(turn).next_back()?.seq;
    let told = state.summary_for(turn).is_some_and(|s| s.task.upto >= last);
    (!told).then_some(last)
}
