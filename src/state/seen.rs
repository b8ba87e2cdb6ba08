//! What a seat may see of the transcript.

use super::{Entry, State, Turn, Who};
use crate::model::*;

impl State {
    /// Returns whether a thread belongs to what another one sees: itself, the talks inside it that inherit, and through
    /// inheritance its ancestors and their closed talks.
    pub fn sees_thread(&self, from: ThreadId, other: ThreadId) -> bool {
        let mut at = from;
        loop {
            if at == other {
                return true;
            }
            let (Some(thread), Some(talk)) = (self.threads.get(&at), self.threads.get(&other))
            else {
                return false;
            };
            let inside = talk.spec.inherits && talk.parent == Some(at);
            if inside && (talk.closed.is_some() || at == from) {
                return true;
            }
            match thread.parent {
                Some(parent) if thread.spec.inherits => at = parent,
                _ => return false,
            }
        }
    }

    /// Returns the place up to which the running call of a turn, or else its next one, sees the operator.
    pub fn heard_to(&self, turn: &Turn) -> Seq {
        match (turn.call, turn.first_call) {
            (Some(_), _) => turn.heard,
            (None, Some(first)) if turn.calls == 0 => first,
            (None, _) => self.next_seq,
        }
    }

    /// Returns what a turn may see: its peers up to its horizon, the operator up to the call.
    pub fn visible<'a>(&'a self, turn: &'a Turn) -> impl Iterator<Item = &'a Entry> + 'a {
        let heard = self.heard_to(turn);
        self.entries.iter().filter(move |e| {
            let by_operator = e.of.is_some();
            let in_time = if by_operator { e.seq < heard } else { e.seq <= turn.horizon };
            let allowed = e.to.is_empty() || e.to.contains(&turn.seat);
            in_time && allowed && self.sees_thread(turn.thread, e.thread)
        })
    }

    /// Returns the operator's words that a seat sees and has not answered yet, as a turn would see them.
    pub fn unanswered<'a>(&'a self, turn: &'a Turn) -> Vec<&'a Entry> {
        let seen: Vec<&Entry> = self.visible(turn).collect();
        let own = Who::Seat(turn.seat.clone());
        let since =
            seen.iter().rposition(|e| e.who == own && !e.is_spoken_as()).map_or(0, |i| i + 1);
        seen.into_iter().skip(since).filter(|e| e.who == Who::Operator).collect()
    }
}
