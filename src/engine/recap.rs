//! Summaries: before a seat is asked whose prompt would not fit, what is oldest in it is summed up by a turn of its own.
//!
//! A summary that cannot be had is not tried again for the same place: the prompt then loses its middle, as any other.

use super::advance;
use crate::model::event::ENGINE;
use crate::model::payload::BatchOpened;
use crate::model::*;
use crate::prompt;
use crate::state::{Recap, State, Thread, Turn};

/// Returns the decision to open a batch, or the summary that one of its seats needs first.
pub(super) fn before(state: &State, thread: &Thread, batch: BatchOpened) -> Draft {
    let needed = batch.seats.iter().find_map(|seat| due(state, thread, seat, batch.purpose));
    draft(thread.id, ENGINE, needed.unwrap_or(batch).into())
}

fn due(state: &State, thread: &Thread, seat: &SeatId, purpose: Purpose) -> Option<BatchOpened> {
    let spec = &state.seat(seat)?.spec;
    let Budget::Summary { by } = &spec.context else { return None };
    let clerk = by.as_ref().unwrap_or(seat);
    let turn = Turn::granted(state.next_seq, state.ms, thread.id, seat.clone(), purpose);
    let upto = prompt::overflow(state, &turn)?;
    let recap = Recap { viewer: seat.clone(), upto };
    let tried = state.summaries.iter().any(|s| s.thread == thread.id && s.recap == recap);
    if tried || !state.may(Purpose::Summarise, clerk) {
        return None;
    }
    let why = format!("sums up for {seat} what its window has no room for").into();
    let batch = advance::batch(Requester::Engine, Purpose::Summarise, vec![clerk.clone()], why);
    let question = Some(prompt::summing_up(spec));
    Some(BatchOpened { question, memo: recap.note(), ..batch })
}
