//! Parts of the transcript that a seat may see.

use super::{Conversation, Entry, Turn, Who};
use crate::model::*;
use crate::shared::SharedItems;
use std::collections::BTreeSet;

impl Conversation {
    /// Returns whether a thread sees another one: itself, child threads that inherit, and by inheritance its ancestors
    /// and their closed child threads.
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

    /// Returns the `seq` up to which the running call of a turn, or else its next one, sees operator messages.
    pub fn heard_to(&self, turn: &Turn) -> Seq {
        let heard = match (turn.call, turn.first_call) {
            (Some(_), _) => turn.heard,
            (None, Some(first)) if turn.calls == 0 => first,
            (None, _) => self.next_seq,
        };
        turn.before.map_or(heard, |before| heard.min(before))
    }

    /// Returns the entries that a turn sees: those of other seats that its phase and its seat allow, up to its horizon,
    /// and operator messages up to the call.
    pub fn visible<'a>(&'a self, turn: &'a Turn) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let sees = self.sees(turn);
        let chosen = (!matches!(sees, Sees::All | Sees::Summary))
            .then(|| self.chosen(turn, sees, self.visible_among(turn, self.entries.iter())));
        let seen = move |e: &&Entry| match &chosen {
            Some(chosen) => e.of.is_some() || chosen.contains(&e.seq),
            None => true,
        };
        self.visible_among(turn, self.entries.iter()).filter(seen)
    }

    /// Returns the `seq`s of the entries that the author of an entry saw at the time.
    pub fn shown_to(&self, by: &Entry) -> BTreeSet<Seq> {
        let version = by.version();
        let (Some(turn), Some(seat)) = (version.turn, by.seat()) else { return BTreeSet::new() };
        let at = Seq(turn.0);
        let seat = seat.clone();
        let turn = Turn::granted(at, Ms(0), by.thread, seat, Purpose::Speak);
        let turn = Turn { horizon: version.horizon, ..turn };
        self.visible(&turn).map(|e| e.seq).collect()
    }

    /// Returns the entries that a turn sees if its phase and seat do not restrict them.
    pub fn visible_among<'a>(
        &'a self,
        turn: &'a Turn,
        entries: SharedItems<'a, Entry>,
    ) -> impl DoubleEndedIterator<Item = &'a Entry> {
        let heard = self.heard_to(turn);
        entries.filter(move |e| {
            let by_operator = e.of.is_some();
            let in_time = if by_operator { e.seq < heard } else { e.seq <= turn.horizon };
            // a seat that summarises for another sees the same as that seat, up to the given `seq`
            let viewer = turn.summarises.as_ref().map_or(&turn.seat, |r| &r.viewer);
            let public = self.is_outside(turn);
            let allowed = e.to.is_empty() || !public && e.to.contains(viewer);
            let in_time = in_time && turn.summarises.as_ref().is_none_or(|r| e.seq <= r.upto);
            in_time && allowed && self.sees_thread(turn.thread, e.thread)
        })
    }

    /// Returns the operator's public messages, in order. Prompts count them from 1.
    pub fn host_messages(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|e| e.is_by_host())
    }

    /// Returns the number of an operator's message, from 1; `None` if it is not one to all.
    pub fn number_of_host(&self, entry: &Entry) -> Option<u32> {
        let place = self.host_messages().position(|other| other.seq == entry.seq)?;
        u32::try_from(place + 1).ok()
    }

    pub fn message(&self, number: MessageNumber) -> Option<&Entry> {
        match number {
            MessageNumber::Turn(number) => self.utterance(number),
            MessageNumber::Host(number) => {
                self.host_messages().nth((number as usize).checked_sub(1)?)
            }
        }
    }

    /// Returns the operator's public messages that no turn with words has read yet, as far as a turn sees them.
    pub fn unread<'a>(&'a self, turn: &'a Turn) -> Vec<&'a Entry> {
        let mut found: Vec<&Entry> = vec![];
        let mut heard = Seq::default();
        let place = self.heard_to(turn);
        for entry in self.visible_among(turn, self.entries.iter()).rev() {
            if entry.seq < heard {
                break;
            }
            let version = entry.version();
            if version.turn.is_some() && !version.text.trim().is_empty() {
                heard = heard.max(version.heard);
            }
            if entry.is_by_host() && entry.text_at(place).is_some() {
                found.push(entry);
            }
        }
        found.retain(|entry| entry.seq >= heard);
        found.reverse();
        found
    }

    /// Returns the operator messages that a turn has yet to answer: public ones since the last turn of any seat, and
    /// whispers since the seat's own last turn.
    pub fn unanswered<'a>(&'a self, turn: &'a Turn) -> Vec<&'a Entry> {
        let mut found: Vec<&Entry> = Vec::new();
        let mut open = true;
        let own = Who::Seat(turn.seat.clone());
        for entry in self.visible(turn).rev() {
            match entry.who {
                Who::Operator if open || entry.is_whisper() => found.push(entry),
                Who::Operator => {}
                Who::Seat(_) if entry.is_spoken_as() => {}
                Who::Seat(_) if entry.who == own => break,
                Who::Seat(_) => open = false,
            }
        }
        found.reverse();
        found
    }
}
