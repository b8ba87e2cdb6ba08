//! Transcript model of the screen: the folded state, and the rows in order, each with a stable id.
//!
//! It only reads a tail: everything is built from events and unsealed pieces, so that live and replayed conversations
//! look the same. Notes about events come from `export`'s narrator.

use crate::analysis::{Analysis, Standing, TurnLog, move_of, outcome};
use crate::engine::next_speakers;
use crate::export::{Hearer, Narrated, Narrator, end};
use crate::model::*;
use crate::session::tail::{self, Archive, Past, Record};
use crate::shared::{SharedItems, SharedList, SharedMap};
use crate::state::{Entry, Live, PendingCommand, RunState, State, Turn};
use crate::text;
use crate::ui::view::failures::FailedRows;
use crate::ui::view::receipts::CommandOutcomes;
pub use crate::ui::view::row::{Aside, Id, RowKind, TranscriptRow};
use crate::ui::view::row::{place_of_next, shift_entries};
use crate::ui::view::waypoints::{Fold, Waypoints};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Maximum number of next speakers shown.
const NEXT_SPEAKERS: usize = 4;

/// A conversation as shown on the screen.
#[derive(Clone, Default)]
pub struct Transcript {
    /// Folded state, with the unsealed pieces.
    pub live: Live,
    told: SharedList<TranscriptRow>,
    /// Indices of rows, by id.
    places: SharedMap<usize>,
    asides: SharedList<usize>,
    /// Indices of the entries with a changed text.
    revised: Vec<usize>,
    /// Id of the latest message in each step's thread.
    latest: HashMap<ThreadId, Id>,
    /// Number of times that a row was inserted before others.
    inserted: usize,
    narrator: Narrator,
    /// True if the person at the screen only reads: a recording, or the conversation of another screen.
    pub unattended: bool,
    /// Log of turns and moments; the analysis is computed from it and the state.
    pub turn_log: TurnLog,
    /// Archive of the earlier events, which stay in their file instead of `log`.
    archive: Option<Archive>,
    /// All other events except pieces, as received from the tail; prompts are rebuilt from them.
    log: Vec<Arc<Record>>,
    /// Rows of failed turns.
    pub failed: FailedRows,
    /// Outcomes of the operator's last commands.
    pub outcomes: CommandOutcomes,
    /// Snapshots of earlier states.
    pub(super) past: PastStates,
    /// Cached positions of the participants after the last event.
    standing: OnceLock<Option<Standing>>,
    /// Cached forecast of the next speakers after the last event.
    forecast: OnceLock<Vec<SeatId>>,
    /// Snapshots of the transcript along a recording.
    pub waypoints: Waypoints<Transcript>,
}

/// Content of a row, borrowed.
pub enum RowView<'a> {
    /// A message, and the time of its text.
    Words(&'a Entry, Ms),
    /// A turn in progress.
    Speaking(&'a Turn),
    /// A note of the program: its heading and its body.
    Aside(&'a str, &'a str),
}

impl Transcript {
    /// Returns the next speakers, as the engine would choose them.
    pub fn next_speakers(&self) -> &[SeatId] {
        self.forecast.get_or_init(|| next_speakers(self.state(), NEXT_SPEAKERS))
    }

    /// Returns whether positions or votes are there to be drawn.
    pub fn has_outcome_to_draw(&self) -> bool {
        self.positions().is_some() || self.state().vote.is_some()
    }

    /// Returns the positions of the participants over the turns; `None` if they cannot be drawn.
    pub fn positions(&self) -> Option<&Standing> {
        self.standing.get_or_init(|| Standing::new(self.state())).as_ref()
    }

    /// Describes the outcome, if it is known.
    pub fn outcome(&self) -> Option<String> {
        outcome(self.state(), self.positions())
    }

    /// Applies an item of a tail.
    pub fn take(&mut self, item: &tail::Item) {
        match item {
            tail::Item::Piece(piece) => self.live.push(piece.clone()),
            tail::Item::Event(record) => {
                self.apply(&record.event);
                self.keep(record);
            }
            tail::Item::Past(past) => self.go(past),
        }
    }

    /// Replaces the content by the state after the first events of a recording.
    fn go(&mut self, past: &Past) {
        let waypoints = std::mem::take(&mut self.waypoints);
        *self = waypoints.after(past);
        self.waypoints = waypoints;
        self.archive = past.archive().cloned();
        if self.archive.is_none() {
            past.from(0).for_each(|record| self.keep(&record));
        }
    }

    /// Keeps an event in memory for later queries, unless the archive has it. Pieces are not kept: they are most of a
    /// log, and the end of the turn contains their text.
    fn keep(&mut self, record: &Arc<Record>) {
        let again = self.archive.as_ref().is_some_and(|archive| archive.holds(record.event.seq));
        if !again && !matches!(record.event.kind, Kind::Delta(_)) {
            self.log.push(record.clone());
        }
    }

    /// Returns the rows in order, without the turns in progress, which follow them.
    pub fn rows(&self) -> SharedItems<'_, TranscriptRow> {
        self.told.iter()
    }

    /// Returns the notes in order.
    pub fn asides(&self) -> impl DoubleEndedIterator<Item = &TranscriptRow> {
        self.asides.iter().filter_map(|at| self.told.get(*at))
    }

    /// Returns the row indices of moments: the turns in which a position changed, failures, votes and results.
    pub fn moments(&self) -> impl Iterator<Item = usize> {
        self.asides.iter().filter_map(|at| match &self.told.get(*at)?.aside {
            Aside::Moved { turn, .. } => self.place(Id::Turn(*turn)),
            Aside::Failure | Aside::Vote(_) | Aside::Verdict(_) | Aside::Result(_) => Some(*at),
            Aside::Note | Aside::Limit | Aside::Step(_) => None,
        })
    }

    /// Returns the `seq` of the last change to an earlier message.
    pub fn revised(&self) -> Option<Seq> {
        let entries = self.revised.iter().filter_map(|at| self.state().entries.get(*at));
        entries.filter_map(|e| e.changed).max()
    }

    /// Applies an event that can be read from its file and therefore is not kept.
    pub fn apply_unkept(&mut self, event: &Event) {
        self.apply(event);
    }

    /// Sets the archive from which earlier events are read.
    pub fn keep_in(&mut self, archive: Option<Archive>) {
        self.archive = archive;
    }

    /// Passes all events from `from` on to `each` until it breaks. Pieces are skipped, because the end of their turn
    /// repeats their text.
    pub fn events(&self, from: Seq, each: &mut dyn FnMut(&Event) -> ControlFlow<()>) {
        let mut flow = ControlFlow::Continue(());
        if let Some(archive) = &self.archive {
            let next = self.state().next_seq;
            let read = archive.events(from, &mut |event| {
                // the position in a recording may be before the end of its file
                if event.seq >= next {
                    return ControlFlow::Break(());
                }
                if !matches!(event.kind, Kind::Delta(_)) {
                    flow = each(event);
                }
                flow
            });
            // if the file has become unreadable, the events in memory are still passed
            drop(read);
        }
        let since = self.log.partition_point(|record| record.event.seq < from);
        let since = self.log.get(since..).unwrap_or_default();
        if flow.is_continue() {
            let _ = since.iter().try_for_each(|record| each(&record.event));
        }
    }

    fn add_note(&mut self, id: Id, event: &Event, note: String, aside: Aside) {
        self.add_row(id, event, RowKind::aside(note, String::new()), aside);
    }

    fn add_row(&mut self, id: Id, event: &Event, item: RowKind, aside: Aside) {
        let step = match &aside {
            Aside::Step(head) => Some(*head),
            _ => self.state().step_talk(event.thread).map(|thread| thread.id),
        };
        self.add(TranscriptRow { id, at: event.ms, item, aside, step });
    }

    /// Returns the index of the entry that an event added, and shifts the later ones of its simultaneous round.
    fn enter(&mut self, seq: Seq, before: usize) -> usize {
        let at = self.state().entries.iter().rposition(|e| e.seq == seq).unwrap_or(before);
        shift_entries(&mut self.told, at, before - at);
        self.revised.iter_mut().filter(|entry| **entry >= at).for_each(|entry| *entry += 1);
        at
    }

    /// Adds a row at the end, after the rows of its step, below the turn that it is about, or before the message that
    /// follows it.
    fn add(&mut self, row: TranscriptRow) {
        let mut at = self.told.len();
        if let Some(step) = row.step {
            if matches!(row.item, RowKind::Words(_)) {
                self.latest.insert(step, row.id);
            }
            let last = self.told.iter().rposition(|r| r.step == Some(step));
            at = last.map_or(at, |last| last + 1);
        }
        let entries = self.state().entries.len();
        at = place_of_next(&self.told, &row.item, entries).unwrap_or(at);
        if let Aside::Moved { turn, .. } = row.aside {
            let spoken = self.places.get(Id::Turn(turn).key()).copied();
            at = spoken.map_or(at, |spoken| spoken + 1);
        }
        if at < self.told.len() {
            self.inserted += 1;
            for (place, moved) in self.told.from(at).enumerate() {
                self.places.insert(moved.id.key(), at + place + 1);
            }
            self.asides.each_mut(|place| *place += usize::from(*place >= at));
        }
        if matches!(row.item, RowKind::Aside(_)) {
            let place = self.asides.partition_point(|other| *other < at);
            self.asides.insert(place, at);
        }
        self.places.insert(row.id.key(), at);
        self.told.insert(at, row);
    }

    /// Returns the thread of the plan step that the row at an index belongs to or starts.
    pub fn step(&self, at: usize) -> Option<ThreadId> {
        match self.told.get(at) {
            Some(row) => row.step,
            None => {
                let turn = self.speaking().nth(at - self.told.len())?;
                self.state().step_talk(turn.thread).map(|thread| thread.id)
            }
        }
    }

    /// Returns the thread of the step whose head the row is folded under. Heads, turns in progress and the latest
    /// message of an open thread are never folded.
    pub fn folded_under(&self, at: usize) -> Option<ThreadId> {
        let row = self.told.get(at).filter(|row| !matches!(row.aside, Aside::Step(_)))?;
        let runs = |id: &ThreadId| self.state().threads.get(id).is_some_and(|t| t.closed.is_none());
        row.step.filter(|step| self.latest.get(step) != Some(&row.id) || !runs(step))
    }

    /// Returns whether a later row counts the failure in this one.
    pub fn is_replaced(&self, at: usize) -> bool {
        self.told.get(at).is_some_and(|row| self.failed.is_replaced(row.id))
    }

    /// Returns the number of times that a row was inserted before others, which shifts row indices.
    pub fn inserted(&self) -> usize {
        self.inserted
    }

    /// Updates the changed entries, unless the event only added entries.
    fn revise(&mut self, entries_before: usize) {
        let entries = &self.live.state.entries;
        if entries.len() == entries_before {
            let changed = entries.iter().enumerate().filter(|(_, e)| e.changed.is_some());
            self.revised = changed.map(|(at, _)| at).collect();
        }
    }

    /// Returns `true` if an event added a version to an existing message.
    fn is_version(&self, event: &Event) -> bool {
        let Kind::TurnEnded(e) = &event.kind else { return false };
        let mut entries = self.state().entries.iter().rev();
        entries.any(|entry| entry.versions.iter().any(|v| v.turn == Some(e.turn)))
    }

    /// Returns the conversation for analysis.
    pub fn analysis(&self) -> Analysis<'_> {
        Analysis { state: self.state(), turn_log: &self.turn_log, from: Seq(0) }
    }

    /// Returns the number of the turn in a row; `None` for notes and operator messages.
    pub fn number(&self, at: usize) -> Option<u32> {
        match self.shown(at)? {
            RowView::Words(entry, _) => entry.number,
            RowView::Speaking(turn) => turn.number,
            RowView::Aside(..) => None,
        }
    }

    /// Returns the speaker of the turn in a row.
    pub fn speaker_of(&self, at: usize) -> Option<&SeatId> {
        match self.shown(at)? {
            RowView::Words(entry, _) => entry.seat(),
            RowView::Speaking(turn) => Some(&turn.seat),
            RowView::Aside(..) => None,
        }
    }

    /// Returns the row index of a turn by number.
    pub fn utterance(&self, number: u32) -> Option<usize> {
        let entry = self.state().entries.iter().position(|e| e.number == Some(number))?;
        self.told.iter().position(|row| row.item == RowKind::Words(entry))
    }

    /// Returns the state after the last event.
    pub fn state(&self) -> &State {
        &self.live.state
    }

    /// Returns the turns that produce messages now, in the order of their grants.
    pub fn speaking(&self) -> impl Iterator<Item = &Turn> {
        self.state().turns.values().filter(|t| t.speaks())
    }

    /// Returns the number of rows, turns in progress included.
    pub fn len(&self) -> usize {
        self.told.len() + self.speaking().count()
    }

    /// Returns `true` if there are no rows yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the id of the row at an index.
    pub fn id(&self, at: usize) -> Option<Id> {
        match self.told.get(at) {
            Some(told) => Some(told.id),
            None => self.speaking().nth(at - self.told.len()).map(|t| Id::Turn(t.id)),
        }
    }

    /// Returns the index of a row.
    pub fn place(&self, id: Id) -> Option<usize> {
        self.places.get(id.key()).copied().or_else(|| {
            let live = self.speaking().position(|t| Id::Turn(t.id) == id)?;
            Some(self.told.len() + live)
        })
    }

    /// Returns the content of the row at an index.
    pub fn shown(&self, at: usize) -> Option<RowView<'_>> {
        match self.told.get(at) {
            Some(TranscriptRow { item: RowKind::Words(entry), at, .. }) => {
                self.state().entries.get(*entry).map(|e| RowView::Words(e, *at))
            }
            Some(TranscriptRow { item: RowKind::Aside(aside), .. }) => {
                Some(RowView::Aside(&aside.head, &aside.body))
            }
            None => self.speaking().nth(at - self.told.len()).map(RowView::Speaking),
        }
    }

    /// Returns the kind of note at an index; `Note` for other rows.
    pub fn aside(&self, at: usize) -> &Aside {
        self.told.get(at).map_or(&Aside::Note, |row| &row.aside)
    }

    /// Returns the entry index of the message at a row index; `None` for notes and turns in progress.
    pub fn entry(&self, at: usize) -> Option<usize> {
        match self.told.get(at)?.item {
            RowKind::Words(entry) => Some(entry),
            RowKind::Aside(_) => None,
        }
    }

    /// Returns `true` if a message answers a text that has changed since.
    pub fn answers_earlier(&self, entry: &Entry) -> bool {
        let revised = self.revised.iter().filter_map(|at| self.state().entries.get(*at));
        let before = revised.take_while(|e| e.seq < entry.seq);
        // fast path: usually nothing has changed, and the prompt's content need not be computed
        let changed: Vec<&Entry> = before.filter(|e| entry.reads_earlier(e)).collect();
        if changed.is_empty() {
            return false;
        }
        let shown = self.state().shown_to(entry);
        changed.iter().any(|e| shown.contains(&e.seq))
    }

    /// Returns the reasoning of an ended turn.
    pub fn thought(&self, turn: TurnId) -> Option<&str> {
        self.turn_log.spent(turn)?.think.as_deref()
    }
}

impl Fold for Transcript {
    /// Applies an event.
    fn apply(&mut self, event: &Event) {
        self.forecast = OnceLock::new();
        if !matches!(event.kind, Kind::Delta(_)) {
            self.standing = OnceLock::new();
        }
        let before = self.state().entries.len();
        self.live.apply(event);
        self.turn_log.take(event);
        self.outcomes.take(&event.kind, event.ms);
        if !matches!(event.kind, Kind::Delta(_)) {
            self.past.pass(event.seq, &self.live.state);
        }
        match &event.kind {
            Kind::CommandGiven(_) => self.revise(before),
            Kind::TurnEnded(e) if e.purpose == Purpose::Speak => self.revise(before),
            _ => {}
        }
        let (_, told) = self.narrator.narrate_apart(&self.live.state, event);
        if let Some((turn, failure)) = self.failed.take(event, &self.live.state) {
            return self.add_note(Id::Turn(turn), event, failure, Aside::Failure);
        }
        // the header counts, and the card of the end says it
        match &event.kind {
            Kind::LimitNear(at) if !at.0.what.is_budget() => return,
            Kind::LimitReached(at) if !at.0.what.is_budget() => return,
            // the heading of the plan says it
            Kind::PlanEnded(plan) if plan.is == StepState::Completed => return,
            _ => {}
        }
        // the drawing has every position; a row only each move
        if let Kind::PositionRecorded(position) = &event.kind
            && position.at.is_some()
        {
            if let Some(words) = move_of(self.state(), position).map(|moved| moved.describe("you"))
            {
                let place = self.seat_place(&position.participant);
                self.add_note(
                    Id::Event(event.seq),
                    event,
                    words,
                    Aside::Moved { turn: position.turn, place },
                );
            }
            return;
        }
        // the line of the floor says it
        let said = match &event.kind {
            Kind::Ended(e) if !e.reason.is_failure() => {
                Some(text::label(&end(self.state(), e, Hearer::Operator)).into_owned())
            }
            _ => None,
        };
        let mut told = told.into_iter().filter(|one| match one {
            Narrated::Note(note) => Some(note) != said.as_ref(),
            Narrated::Opening { .. } | Narrated::Words { .. } => true,
        });
        let (told, more) = (told.next(), told.next());
        let id = match &event.kind {
            Kind::TurnEnded(e) => Id::Turn(e.turn),
            _ => Id::Event(event.seq),
        };
        let item = if self.state().entries.len() > before {
            RowKind::Words(self.enter(event.seq, before))
        } else {
            match told {
                None | Some(Narrated::Opening { .. }) => return,
                Some(Narrated::Words { .. }) if self.is_version(event) => return,
                Some(Narrated::Words { who, body, .. }) => RowKind::unkept(event, who, body),
                Some(Narrated::Note(note)) => RowKind::aside(note, String::new()),
            }
        };
        self.add_row(id, event, item, Aside::from_event(event));
        // the reason of an interruption is shown below the message
        if let Some(Narrated::Note(note)) = more {
            self.add_note(Id::After(event.seq), event, note, Aside::from_event(event));
        }
    }
}

impl Transcript {
    /// Returns the operator's queued messages, oldest first.
    pub fn queued(&self) -> impl DoubleEndedIterator<Item = &PendingCommand> {
        self.state().queued_messages()
    }

    /// Returns the last queued command that is not a message.
    pub fn queued_command(&self) -> Option<&PendingCommand> {
        self.state().queued_commands().filter(|command| command.words.is_none()).last()
    }

    /// Returns the last command that waits for the end of the pause and is not a message.
    pub fn waiting_command(&self) -> Option<&PendingCommand> {
        if self.state().run == RunState::Paused { self.queued_command() } else { None }
    }

    /// Returns the last queued message if everybody hears it, so that it can also be said at once.
    pub fn queued_for_all(&self) -> Option<&PendingCommand> {
        let last = self.queued().next_back()?;
        matches!(last.given.line.command, Command::Say { .. }).then_some(last)
    }
}

/// Minimum number of events between two snapshots.
const STRETCH: usize = 256;
/// Maximum number of snapshots; beyond that, every other one is dropped.
const MOST: usize = 48;

/// Snapshots in order, each taken after the event of its `seq`; clones share them.
#[derive(Clone, Debug, Default)]
pub struct PastStates {
    states: Vec<(Seq, Arc<State>)>,
    /// Number of events since the last snapshot.
    since: usize,
    /// Number of times that the distance was doubled.
    doubled: u32,
}

impl PastStates {
    /// Takes a snapshot after an event if the last one is far enough back.
    pub fn pass(&mut self, seq: Seq, state: &State) {
        self.since += 1;
        if self.since < STRETCH << self.doubled {
            return;
        }
        self.since = 0;
        self.states.push((seq, Arc::new(state.clone())));
        if self.states.len() > MOST {
            self.doubled += 1;
            let mut at = 0;
            self.states.retain(|_| {
                at += 1;
                at % 2 == 0
            });
        }
    }

    /// Returns the last snapshot at or before an event, and its `seq`.
    pub fn near(&self, seq: Seq) -> Option<(Seq, &State)> {
        let behind = self.states.partition_point(|(at, _)| *at <= seq);
        self.states.get(behind.checked_sub(1)?).map(|(at, state)| (*at, &**state))
    }
}
