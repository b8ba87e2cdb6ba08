//! Adds messages of turns to the transcript.

use super::{Conversation, Entry, Turn, Version, Who, digest, judging};
use crate::model::payload::{CallParameters, TurnEnded};
use crate::model::*;

/// Rules of a session since which a rehearsal has the host's turns on top of its limit.
const EXTRA_RULES: u32 = 3;

impl Conversation {
    /// Returns the index at which the text of an ended turn enters the transcript: the end, or before the turns of the
    /// same simultaneous round with a higher number, which ended earlier. The order of a round thus depends on the
    /// seats, and not on the speed of their models.
    fn place_in_round(&self, turn: &Turn) -> usize {
        let end = self.entries.len();
        let Some(number) = turn.number else { return end };
        if turn.replaces.is_some() {
            return end;
        }
        let is_later = |e: &Entry| {
            let same = e.thread == turn.thread && e.version().horizon == turn.horizon;
            same && e.number.is_some_and(|other| other > number)
        };
        // a message of the operator stays where it was sent
        let in_round = |e: &&Entry| e.seq > turn.horizon && e.of.is_none();
        let round = self.entries.iter().rev().take_while(in_round);
        let later = round.enumerate().filter(|(_, e)| is_later(e)).map(|(back, _)| end - 1 - back);
        later.last().unwrap_or(end)
    }

    /// Returns the role of a seat in the current round of a thread; `None` in a round without one (`-`).
    pub fn role_in(&self, seat: &SeatId, thread: ThreadId) -> Option<&Text> {
        let seat = &self.seat(seat)?.spec;
        let round = self.threads.get(&thread).map_or(1, |t| t.round.max(1)) as usize;
        let role = match seat.roles.len() {
            0 => seat.role.as_ref(),
            n => seat.roles.get((round - 1) % n),
        };
        role.filter(|role| role.trim() != "-")
    }

    /// Returns the role that a seat has now: in the thread of its running turn, else in the innermost open thread.
    pub fn present_role(&self, seat: &SeatId) -> Option<&Text> {
        let running = self.turns.values().find(|turn| turn.seat == *seat).map(|turn| turn.thread);
        let inner = || self.open_threads().rev().find(|t| t.seats.contains(seat)).map(|t| t.id);
        self.role_in(seat, running.or_else(inner).unwrap_or(ThreadId::ROOT))
    }

    /// Adds a turn's text to the transcript, as a new entry or as a version of the entry that it replaces.
    pub(super) fn say(&mut self, seq: Seq, turn: &Turn, e: &TurnEnded) {
        self.whispered |= !e.whispers.is_empty();
        let version = Version {
            seq,
            turn: Some(turn.id),
            text: e.text.clone(),
            digest: digest(&e.text),
            closing_line: e.closing_line.clone(),
            answer: judging::answer(&e.structured),
            model: turn.model.clone(),
            line: turn.parameters.line,
            cut: e.why,
            capped: e.finish.as_deref().is_some_and(is_capped),
            repeats: e.finish.as_deref() == Some(REPETITION),
            whispers: e.whispers.clone().into(),
            horizon: turn.horizon,
            heard: turn.heard,
            act: e.act.clone(),
            labels: turn.labels.clone(),
            role: self.role_in(&turn.seat, turn.thread).cloned(),
        };
        let replaced = turn.replaces.and_then(|r| {
            self.entries.find_last_mut(|x| x.versions.iter().any(|v| v.turn == Some(r)))
        });
        if let Some(entry) = replaced {
            entry.versions.push(version);
            entry.chosen = entry.versions.len() - 1;
            entry.mentions = e.mentions.clone().into();
            entry.edited = None;
            entry.changed = Some(seq);
            return;
        }
        // a line that goes on is counted already
        let counted = self.line_cut(&turn.seat).map(|(line, _)| line);
        let at = self.place_in_round(turn);
        self.rolls.forget_from(at);
        let entry = Entry {
            seq,
            thread: turn.thread,
            who: Who::Seat(turn.seat.clone()),
            number: turn.number,
            versions: vec![version],
            mentions: e.mentions.clone().into(),
            ..Entry::default()
        };
        self.entries.insert(at, entry);
        self.utterances += 1;
        let mut up = Some(turn.thread);
        while let Some(t) = up.and_then(|id| self.threads.get_mut(&id)) {
            t.utterances += 1;
            t.idle_decisions = 0;
            t.passed.clear();
            up = t.parent;
        }
        let CallParameters { lead, line, .. } = turn.parameters;
        self.set_seat(&turn.seat, |s| {
            s.utterances += 1;
            s.lines.extend(lead.into_iter().chain(if line == counted { None } else { line }));
        });
        let is_cut = self.line_cut(&turn.seat).is_some();
        let is_line = self.rehearsed && self.rules >= EXTRA_RULES && line.is_some();
        if is_line && (is_cut || counted.is_none() && self.is_extra(turn)) {
            self.limits.utterances = self.limits.utterances.map(|most| most.saturating_add(1));
        }
    }

    /// Returns whether a turn that has ended was one that the host caused besides those of the policy. A rehearsal has
    /// these on top of its limit, so that all its lines are spoken.
    fn is_extra(&self, turn: &Turn) -> bool {
        let before = self.entries.iter().rev().nth(1);
        self.ending.is_none()
            && self.batch_of(turn).is_some_and(|batch| {
                let is_asked = batch.memo.owed.is_some() && before.is_some_and(Entry::is_by_host);
                !batch.is_policys() || is_asked
            })
    }
}
