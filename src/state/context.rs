//! What replies as data leave behind: the context that conditions, templates and scripts see.
//!
//! Data are kept as soon as they come, but in the order of the batch and not of arrival, so that a resume, in which the
//! same seats may finish in another order, leaves the same context.

use super::table::Ran;
use super::{State, Turn};
use crate::model::payload::TurnEnded;
use crate::model::{Outcome, Purpose, SeatId, ThreadId};
use crate::scenario::DEPENDS;
use serde_json::Value;
use std::sync::Arc;

impl State {
    /// Keeps the data of all who have spoken in the batch that runs or ran last in a thread.
    pub(super) fn keep_data(&mut self, thread: ThreadId) {
        let batch = self.threads.get(&thread).and_then(|t| t.batch.as_ref());
        let Some(batch) = batch.filter(|b| b.spec.purpose == Purpose::Speak) else { return };
        let reply = |seat: &SeatId| batch.ended.iter().find(|r| r.seat == *seat);
        let replies = batch.spec.seats.iter().filter_map(reply);
        let said: Vec<_> = replies
            .filter(|r| r.outcome == Outcome::Said && r.structured.is_object())
            .map(|r| (r.seat.clone(), r.structured.clone()))
            .collect();
        for (seat, data) in said {
            self.keep(&seat, data);
        }
    }

    /// An object is merged at the top, the last writer wins; the whole of it is kept under the seat's id and key.
    fn keep(&mut self, id: &SeatId, data: Value) {
        let key = self.seat(id).and_then(|s| s.spec.runs.state_key.clone());
        let context = Arc::make_mut(&mut self.context);
        if let Value::Object(data) = &data {
            context.extend(data.clone());
        }
        context.extend(key.map(|key| (key.to_string(), data.clone())));
        context.insert(id.to_string(), data);
    }

    /// Keeps the turn that was just over for the result, where seats depend on one another.
    pub(super) fn keep_run(&mut self, turn: &Turn, e: &TurnEnded) {
        let now = self.ms;
        let Some(thread) = self.threads.get_mut(&turn.thread) else { return };
        let reply = thread.batch.as_ref().and_then(|b| b.ended.last());
        if let (DEPENDS, Some(reply)) = (&*thread.spec.policy, reply) {
            thread.runs.push(Ran {
                batch: thread.batches,
                reply: reply.clone(),
                error: e.error.as_ref().map(|error| error.text.clone()),
                started: turn.granted,
                took_ms: now.since(turn.granted),
            });
        }
    }
}
