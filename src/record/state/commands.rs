//! The effects of the operator's commands, and their queue.

use super::{Conversation, Note, PendingCommand, RunState, Who};
use crate::model::payload::Forked;
use crate::model::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A requested end.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// After the verdict, if there is one.
    Now,
    /// Immediately, without a verdict.
    AtOnce,
    /// After a final turn of these seats.
    FinalRound(Vec<SeatId>),
}

/// Effects of commands on the state, and records of the parts that `engine` carries out.
impl Conversation {
    pub(super) fn accept(&mut self, seq: Seq, ms: Ms, given: &Arc<CommandGiven>) {
        // a repeated key in a forged file refers to the later command
        if let Some(earlier) = self.keys.insert(given.key.clone(), seq) {
            self.pending.remove(&earlier);
        }
        if let Some(id) = &given.line.id {
            self.ids.insert(id.clone(), seq);
            self.named.insert(seq, id.clone());
        }
        let mut command = PendingCommand {
            seq,
            at: ms,
            given: given.clone(),
            words: None,
            queued: false,
            acted: false,
            too_late: None,
            placed: vec![],
            batch: None,
            closed: false,
        };
        self.go_on_after_command(&given.line.command);
        self.fold_command(&mut command, ms);
        self.pending.insert(seq, command);
    }

    fn fold_command(&mut self, command: &mut PendingCommand, ms: Ms) {
        let seq = command.seq;
        let given = command.given.clone();
        let targets = &given.targets;
        match &given.line.command {
            Command::Pause {} | Command::PauseNow {} => {
                if matches!(self.run, RunState::Going | RunState::Stepping(_)) {
                    self.run = RunState::Pausing;
                }
                if self.calls().next().is_none() {
                    self.hold_interrupted();
                }
            }
            Command::Hold { on: true } => {}
            Command::Hold { on: false } => {
                let by = |key: &Key| key.0.rsplit_once(':').map(|(by, _)| by.to_owned());
                self.release(|hold| by(&hold.given.key) == by(&given.key));
            }
            Command::Say { text, .. } => {
                command.words = Some(QueuedWords::All(text.clone()));
                if let Some(to) = targets.seats.first() {
                    self.ask_floor(to, given.line.thread, &given.key);
                }
            }
            Command::CancelStep { .. }
            | Command::RerunStep { .. }
            | Command::EditStep { .. }
            | Command::AddStep { .. }
            | Command::MoveStep { .. } => self.change_plan(&given.line.command),
            Command::CutIn { text, .. }
            | Command::AnswerStep { text, .. }
            | Command::SpeakAs { text, .. }
            | Command::Speak { text, .. } => {
                command.words = Some(QueuedWords::All(text.clone()));
            }
            Command::Whisper(words) => command.words = Some(QueuedWords::One(words.clone())),
            Command::Note { text, lives, .. } => {
                let rounds = self.open_threads().map(|t| (t.id, t.round.max(1))).collect();
                self.notes.push(Note {
                    id: seq,
                    key: given.key.clone(),
                    text: text.clone(),
                    to: targets.seats.clone(),
                    lives: *lives,
                    rounds,
                    bound: BTreeMap::new(),
                    spent: BTreeSet::new(),
                    lifted: None,
                });
            }
            Command::LiftNote { .. } => {
                let note = self.notes.iter_mut().find(|n| Some(n.id) == targets.of);
                match note.filter(|n| n.lifted.is_none()) {
                    Some(note) => note.lifted = Some(seq),
                    None => command.too_late = Some(LateReason::NoteGone),
                }
            }
            Command::EditQueued { text, .. } => match self.queued(targets.of) {
                Some(message) => {
                    let words = message.words.take().map(|words| words.with_text(text.clone()));
                    message.words = words;
                }
                None => command.too_late = Some(LateReason::Delivered),
            },
            Command::DropQueued { .. } => {
                if !self.take_back(targets.of) {
                    command.too_late = Some(LateReason::Delivered);
                }
            }
            Command::Floor { to } => self.ask_floor(to, given.line.thread, &given.key),
            Command::Mute { who } => {
                self.set_seat(who, |s| s.muted = true);
                self.drop_floor(who);
            }
            Command::Unmute { who } => self.set_seat(who, |s| s.muted = false),
            Command::Leave { who } => {
                self.set_seat(who, |s| s.gone = true);
                self.drop_floor(who);
            }
            Command::Join { .. } => {
                if let Some(p) = &targets.participant {
                    self.drop_permissions(&p.id);
                    self.join(p, given.line.thread.unwrap_or(ThreadId::ROOT));
                }
            }
            Command::Change { who, .. } => {
                if let Some(p) = &targets.participant {
                    if self.seat(who).is_some_and(|seat| seat.spec.voice != p.voice) {
                        self.drop_permissions(who);
                    }
                    let spec = Arc::new((**p).clone());
                    self.set_seat(who, |s| (s.spec, s.failed, s.broke) = (spec, None, false));
                }
            }
            Command::Choose { utterance, alternative } => {
                if let Some(e) = self.entry_mut(*utterance) {
                    e.chosen = (*alternative as usize).saturating_sub(1).min(e.versions.len() - 1);
                    e.edited = None;
                    e.changed = Some(seq);
                }
                self.keep_again();
            }
            Command::Edit { utterance, text } => {
                if let Some(e) = self.entry_mut(*utterance) {
                    e.edited = Some((seq, text.clone()));
                    e.changed = Some(seq);
                }
                self.keep_again();
            }
            Command::Hide { utterance, .. } => {
                if let Some(e) = self.message_mut(*utterance) {
                    e.hidden = Some(seq);
                    e.changed = Some(seq);
                }
                self.keep_again();
            }
            Command::Unhide { utterance } => {
                if let Some(e) = self.message_mut(*utterance) {
                    e.hidden = None;
                    e.changed = Some(seq);
                }
                self.keep_again();
            }
            Command::Decide { tool, yes, once } => self.decide_tool(tool, *yes, *once),
            Command::Limit { set } => self.set_limits(set, ms),
            Command::Mark { text } => self.marks.push((seq, text.clone())),
            Command::End { final_round: false } => {
                // a second `end` does not even wait for the verdict
                self.ending = match self.ending {
                    Some(Ending::Now | Ending::AtOnce) => Some(Ending::AtOnce),
                    Some(Ending::FinalRound(_)) | None => Some(Ending::Now),
                };
                self.run = RunState::Going;
            }
            Command::End { final_round: true } => {
                let seats = self.seats.iter().filter(|s| !s.gone && !s.muted && s.spec.speaks);
                self.ending = Some(Ending::FinalRound(seats.map(|s| s.spec.id.clone()).collect()));
                self.run = RunState::Going;
                self.limit = None;
            }
            Command::Resume {}
            | Command::Step { .. }
            | Command::Pass { .. }
            | Command::Skip {}
            | Command::Retry { .. }
            | Command::Continue { .. }
            | Command::Reroll { .. }
            | Command::Rename { .. }
            | Command::Vote { .. }
            | Command::Verdict { winner: None } => {}
            Command::Verdict { winner: Some(winner) } => self.choose_winner(winner),
        }
    }

    /// Returns the holds that keep the next turn from starting.
    pub fn holds(&self) -> impl Iterator<Item = &PendingCommand> {
        self.pending.values().filter(|command| command.is_hold() && !command.closed)
    }

    /// Ends the holds that match.
    pub(super) fn release(&mut self, matches: impl Fn(&PendingCommand) -> bool) {
        let holds = self.pending.values_mut().filter(|command| command.is_hold());
        holds.filter(|hold| matches(hold)).for_each(|hold| hold.closed = true);
    }

    fn entry_mut(&mut self, number: u32) -> Option<&mut super::Entry> {
        self.message_mut(MessageNumber::Turn(number))
    }

    fn message_mut(&mut self, number: MessageNumber) -> Option<&mut super::Entry> {
        let seq = self.message(number)?.seq;
        self.entries.find_last_mut(|e| e.seq == seq)
    }

    /// Promises the floor to a seat in the deepest open thread that contains it, or only in `thread`.
    fn ask_floor(&mut self, seat: &SeatId, thread: Option<ThreadId>, key: &Key) {
        let holds = |t: &&mut super::Thread| {
            t.closed.is_none() && t.seats.contains(seat) && thread.is_none_or(|id| id == t.id)
        };
        if let Some(t) = self.threads.values_mut().rev().find(holds) {
            t.floor = Some((seat.clone(), key.clone()));
        }
    }

    /// Withdraws promises of the floor to a seat that can no longer take it.
    fn drop_floor(&mut self, seat: &SeatId) {
        for thread in self.threads.values_mut() {
            thread.floor = thread.floor.take().filter(|(to, _)| to != seat);
        }
    }

    fn queued(&mut self, of: Option<Seq>) -> Option<&mut PendingCommand> {
        let waits = |d: &&mut PendingCommand| {
            d.words.is_some() && d.placed.is_empty() && d.too_late.is_none()
        };
        self.pending.get_mut(&of?).filter(waits)
    }

    /// Withdraws a command that waits, with the floor promised by it; returns whether it still waited.
    fn take_back(&mut self, of: Option<Seq>) -> bool {
        let waiting = of.and_then(|of| self.pending.get_mut(&of));
        let Some(waiting) = waiting.filter(|command| command.is_droppable()) else { return false };
        waiting.too_late = Some(LateReason::Dropped);
        let key = waiting.given.key.clone();
        for thread in self.threads.values_mut() {
            thread.floor.take_if(|(_, by)| *by == key);
        }
        true
    }

    fn set_limits(&mut self, set: &Limits, ms: Ms) {
        self.limits.merge(set);
        self.seats.iter_mut().for_each(|s| s.broke = false);
        let holds =
            |s: &Conversation, l: Limit| s.limits.get(l).is_some_and(|max| s.used(l, ms) >= max);
        if Limit::ALL.into_iter().any(|l| holds(self, l)) {
            return;
        }
        self.limit = None;
        let capped = |e: &crate::model::payload::Ended| {
            Limit::ALL.into_iter().any(|l| l.reason() == e.reason)
        };
        if self.ended.as_ref().is_some_and(capped) {
            self.ended = None;
        }
    }

    /// Returns the command with a key if it is not yet carried out.
    pub fn pending_command(&self, key: &Key) -> Option<&PendingCommand> {
        self.pending.get(self.keys.get(key)?)
    }

    /// Returns the commands that wait for their time, in order.
    pub fn queued_commands(&self) -> impl Iterator<Item = &PendingCommand> {
        self.pending.values().filter(|command| command.queued && command.is_droppable())
    }

    /// Returns the operator's queued messages, oldest first: their text alone does not say who hears it.
    pub fn queued_messages(&self) -> impl DoubleEndedIterator<Item = &PendingCommand> {
        let waits = |d: &&PendingCommand| d.queued && d.too_late.is_none() && d.words.is_some();
        self.pending.values().filter(waits).filter(|d| d.placed.is_empty())
    }

    /// Returns true if a command waits for the end of a pause: a branch starts paused if its parent had queued commands,
    /// so that they can be dropped first.
    pub fn holds_back(&self, command: &PendingCommand) -> bool {
        let inherited = |forked: &Forked| command.seq <= forked.at;
        self.run == RunState::Paused
            && command.queued
            && command.is_droppable()
            && self.forked.as_ref().is_some_and(inherited)
    }

    fn pending_mut(&mut self, key: &Key) -> Option<&mut PendingCommand> {
        self.pending.get_mut(self.keys.get(key)?)
    }

    /// Marks a command as carried out by an event that it caused.
    pub(super) fn acted(&mut self, key: &Key, event: &Event) {
        if let Some(d) = self.pending_mut(key) {
            d.acted = true;
            match event.kind {
                Kind::BatchOpened(_) => d.batch = Some((event.thread, BatchId(event.seq.0))),
                Kind::VoteClosed(_)
                | Kind::VerdictGiven(_)
                | Kind::SeatJoined(_)
                | Kind::SeatLeft(_) => d.closed = true,
                _ => {}
            }
        }
    }

    /// Adds an operator message to the transcript.
    pub(super) fn place(&mut self, seq: Seq, thread: ThreadId, of: &Key) {
        let Some(command) = self.pending_mut(of) else { return };
        let words = command.words.clone();
        let to: Vec<SeatId> =
            words.as_ref().and_then(QueuedWords::hearer).cloned().into_iter().collect();
        // an entry keeps the words of a whisper beside its only reader
        let text = words.as_ref().and_then(|words| words.text_for(&Recipient::Operator));
        let text = text.cloned().unwrap_or_else(|| "".into());
        command.placed.push(thread);
        let given = command.given.clone();
        let text = match &given.line.command {
            Command::Say { re: Some(number), .. } | Command::CutIn { re: Some(number), .. } => {
                self.about(text, *number)
            }
            _ => text,
        };
        let who = match &given.line.command {
            Command::SpeakAs { who, .. } => Who::Seat(who.clone()),
            Command::AnswerStep { .. } => {
                self.note_answer(seq, thread, &text);
                given.targets.seats.first().map_or(Who::Operator, |who| Who::Seat(who.clone()))
            }
            _ => Who::Operator,
        };
        let says = matches!(given.line.command, Command::Say { .. });
        let material = match &given.line.command {
            Command::Say { material, .. } => material.clone(),
            _ => None,
        };
        self.unheard.push((seq, of.clone()));
        self.entries.push(super::Entry {
            seq,
            thread,
            who,
            versions: vec![super::Version {
                seq,
                digest: super::digest(&text),
                text,
                horizon: seq,
                heard: seq,
                ..super::Version::default()
            }],
            to: to.into(),
            of: Some(of.clone()),
            material,
            granted: if says { given.targets.seats.first().cloned() } else { None },
            mentions: given.targets.mentions.clone().into(),
            ..super::Entry::default()
        });
    }

    /// Adds the turn that a message answers, unless that is hidden or was replaced meanwhile.
    fn about(&self, text: Text, number: u32) -> Text {
        let entry = self.utterance(number).filter(|e| e.hidden.is_none() && e.versions.len() == 1);
        let seat = entry.and_then(|entry| self.seat(entry.seat()?));
        match seat {
            Some(seat) => {
                format!("{text}\n\n(about what {} said in #{number})", seat.spec.name).into()
            }
            None => text,
        }
    }

    pub(super) fn receive(&mut self, r: &crate::model::payload::Receipt) {
        match r.is {
            ReceiptIs::Queued => {
                let Some(command) = self.pending_mut(&r.of) else { return };
                command.queued = true;
                let (seq, note) =
                    (command.seq, matches!(command.given.line.command, Command::Note { .. }));
                if note {
                    self.pending.remove(&seq);
                }
                // earlier commands could not proceed, and this receipt does not change that
                self.waiting = Some(seq);
            }
            ReceiptIs::Delivered => {
                let of = |(key, turn): &(Key, TurnId)| *key == r.of && r.turns.contains(turn);
                let first = self.deliveries.iter().take_while(|d| of(d)).count();
                self.deliveries.drain(..first);
            }
            ReceiptIs::Done | ReceiptIs::TooLate => {
                if let Some(seq) = self.keys.get(&r.of) {
                    self.pending.remove(seq);
                }
            }
        }
    }

    /// Records the delivery of the operator messages that a starting call sees.
    pub(super) fn note_heard(&mut self, turn: TurnId) {
        let Some(t) = self.turns.get(&turn).filter(|t| t.speaks()) else { return };
        if self.unheard.is_empty() {
            return;
        }
        let hears = |seq: &Seq| {
            // turns of a simultaneous round are in the order of their seats, not of `seq`
            let entry = self.entries.iter().rev().find(|e| e.seq == *seq);
            entry.is_some_and(|e| {
                (e.to.is_empty() || e.to.contains(&t.seat)) && self.sees_thread(t.thread, e.thread)
            })
        };
        let (heard, unheard): (Vec<_>, Vec<_>) =
            self.unheard.iter().cloned().partition(|(seq, _)| hears(seq));
        self.unheard = unheard;
        self.deliveries.extend(heard.into_iter().map(|(_, key)| (key, turn)));
    }

    /// Releases the notes of an ended turn: they are spent if it has text, and free again otherwise.
    pub(super) fn settle_notes(&mut self, turn: &super::Turn, words: bool) {
        let notes: BTreeSet<_> = turn.notes.iter().collect();
        for note in self.notes.iter_mut().filter(|n| notes.contains(&n.id)) {
            note.bound.remove(&turn.seat);
            if words {
                note.spent.insert(turn.seat.clone());
                self.deliveries.push_back((note.key.clone(), turn.id));
            }
        }
    }

    /// Returns the command that skips the next speaker of a thread.
    pub(super) fn skip_due(&self, thread: ThreadId) -> Option<Key> {
        let wants = |d: &&PendingCommand| {
            matches!(d.given.line.command, Command::Skip {})
                && d.given.targets.turns.is_empty()
                && d.given.targets.threads.contains(&thread)
                && !d.acted
        };
        let taken = |key: &Key| self.turns.values().any(|t| t.skip.as_ref() == Some(key));
        self.pending.values().filter(wants).map(|d| d.given.key.clone()).find(|k| !taken(k))
    }
}
