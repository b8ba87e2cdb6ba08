//! Data and texts of replies: the context for conditions, templates and scripts.
//!
//! Data is recorded as soon as it arrives, but in the order of the batch instead of arrival. On a resume the same seats
//! may finish in another order, and the context is still the same. Hidden replies do not count, and edited replies
//! count as edited.

use super::{Conversation, Entry, Reply};
use crate::model::{BatchId, Outcome, Purpose, SeatId, ThreadId, TurnId};
use serde_json::{Map, Value};
use std::sync::Arc;

/// First rules of a session with texts in the context of a graph.
const TEXT_RULES: u32 = 2;

/// Data of one turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    turn: TurnId,
    seat: SeatId,
    data: Value,
}

impl Kept {
    /// Returns the turn that produced it.
    pub(super) fn turn(&self) -> TurnId {
        self.turn
    }

    /// Returns the seat of the turn.
    pub(super) fn seat(&self) -> &SeatId {
        &self.seat
    }
}

impl Conversation {
    /// Records the data of all replies so far in the current or last batch of a thread; in a graph also the text of
    /// replies without data.
    pub(super) fn keep_data(&mut self, thread: ThreadId) {
        let takes_text = self.rules >= TEXT_RULES
            && self.threads.get(&thread).is_some_and(|thread| thread.traits().dependencies);
        let batch = self.threads.get(&thread).and_then(|t| t.batch.as_ref());
        let Some(batch) = batch.filter(|b| b.spec.purpose == Purpose::Speak) else { return };
        let reply = |seat: &SeatId| batch.ended.iter().find(|r| r.seat == *seat);
        let replies = batch.spec.seats.iter().filter_map(reply);
        let said = replies.filter(|r| r.outcome == Outcome::Said);
        let said: Vec<Kept> = said
            .filter_map(|r| {
                let is_text = takes_text && r.structured.is_null() && !r.text.trim().is_empty();
                let data = match &r.structured {
                    object @ Value::Object(_) => object.clone(),
                    _ if is_text => Value::from(&*r.text),
                    _ => return None,
                };
                Some(Kept { turn: r.turn, seat: r.seat.clone(), data })
            })
            .collect();
        if !said.is_empty() {
            self.kept.retain(|kept| !said.iter().any(|new| new.turn == kept.turn));
            self.kept.extend(said);
            self.context = self.context_of(|_| true).into();
            self.know();
        }
    }

    /// Recomputes the context after a change to earlier messages, also for open batches.
    pub(super) fn keep_again(&mut self) {
        if self.kept.is_empty() {
            return;
        }
        self.context = self.context_of(|_| true).into();
        self.know();
        let open = |b: &super::Batch| self.is_open(b).then_some(b.id);
        let batches: Vec<(ThreadId, BatchId)> =
            self.threads.values().filter_map(|t| Some((t.id, open(t.batch.as_ref()?)?))).collect();
        for (thread, id) in batches {
            let context = Arc::new(self.context_of(|turn| turn.0 < id.0));
            let batch = self.threads.get_mut(&thread).and_then(|t| t.batch.as_mut());
            batch.into_iter().for_each(|b| b.context = context.clone());
        }
    }

    /// Returns the merged data of some turns. Top-level fields are merged and the last writer wins; each whole object
    /// is also stored under the seat's id and state key.
    pub(super) fn context_of(&self, counts: impl Fn(TurnId) -> bool) -> Map<String, Value> {
        let mut context = Map::new();
        for kept in self.kept.iter().filter(|kept| counts(kept.turn)) {
            let Some(data) = self.as_it_stands(kept) else { continue };
            let key = self.seat(&kept.seat).and_then(|s| s.spec.runs.state_key.clone());
            if let Value::Object(data) = &data {
                context.extend(data.clone());
            }
            context.extend(key.map(|key| (key.to_string(), data.clone())));
            context.insert(kept.seat.to_string(), data);
        }
        context
    }

    /// Returns the current data of turns, in the order of the turns.
    pub(super) fn data(&self) -> impl Iterator<Item = (&SeatId, TurnId, Value)> {
        self.kept.iter().filter_map(|kept| Some((&kept.seat, kept.turn, self.as_it_stands(kept)?)))
    }

    /// Returns the current data of a turn, as edited; `None` if its message is hidden or another version is chosen.
    pub(super) fn as_it_stands(&self, kept: &Kept) -> Option<Value> {
        let turn = kept.turn;
        let data = &kept.data;
        let by = |e: &&Entry| e.versions.iter().any(|v| v.turn == Some(turn));
        let Some(entry) = self.entries.iter().rev().find(by) else { return Some(data.clone()) };
        match &entry.edited {
            _ if entry.hidden.is_some() || entry.version().turn != Some(turn) => None,
            // an edit of the message does not change the data
            Some(_) if self.says(&kept.seat) => Some(data.clone()),
            Some((_, text)) if data.is_string() => Some(Value::from(&**text)),
            Some((_, text)) => serde_json::from_str(text).ok().filter(Value::is_object),
            None => Some(data.clone()),
        }
    }

    /// Returns whether the replies of a seat have a field for their text.
    fn says(&self, seat: &SeatId) -> bool {
        let phases = self.scenario.phases.iter().filter_map(|p| p.reply.as_ref());
        let own = self.seat(seat).map(|s| &s.spec.reply);
        own.into_iter().chain(phases).any(|contract| contract.says.is_some())
    }

    /// Returns the current output of an ended turn: its data, else its text; null if it is hidden.
    pub fn output(&self, reply: &Reply) -> Value {
        let by = |e: &&Entry| e.versions.iter().any(|v| v.turn == Some(reply.turn));
        let entry = self.entries.iter().rev().find(by);
        let edited = entry.and_then(|e| e.edited.as_ref()).map(|(_, text)| text);
        match (&reply.structured, edited) {
            _ if entry.is_some_and(|e| e.hidden.is_some()) => Value::Null,
            (Value::Null, text) => Value::from(&**text.unwrap_or(&reply.text)),
            (data, None) => data.clone(),
            (_, Some(text)) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(&**text)),
        }
    }
}
