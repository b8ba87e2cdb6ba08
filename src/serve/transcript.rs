//! Rows of the page: messages and notes, folded from the events, for both rights.
//!
//! A row that watches has what an export has: no whispers, no hidden turns, no guidance or commands of the operator.
//! Prompts and reasoning are in no row.

use super::access::Right;
use crate::analysis::name;
use crate::export::{Narrated, Narrator, fields};
use crate::model::{Event, Kind, Piece, Purpose, SeatId, Sees, Seq, ThreadId, TurnId};
use crate::state::{Entry, Live, State, Turn};
use crate::text;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Rows that an event can cause besides its message; ids of rows are multiples of it.
const ROWS_PER_EVENT: u64 = 16;

/// A row as the page gets it. Rows are ordered by `id`; a row with a known id replaces the earlier one.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Row {
    /// Its place.
    pub id: u64,
    /// `turn`, `host`, `card` or `note`.
    pub kind: &'static str,
    /// Number of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
    /// Index of the seat that spoke.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<usize>,
    /// Author, or heading of a card.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub who: String,
    /// Remarks, such as a role or an interruption.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whispers in the same reply: receiver and text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub whispers: Vec<(String, String)>,
    /// True if only one participant reads it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// True if its text is hidden.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
}

/// A row and the event that changed it last.
struct Kept {
    changed: Seq,
    row: Row,
    /// False if only the page that steers gets it.
    public: bool,
    /// Its message; `None` for notes.
    entry: Option<Seq>,
}

/// The conversation as rows, with the turns in progress.
pub struct PageTranscript {
    live: Live,
    narrator: Narrator,
    rows: BTreeMap<u64, Kept>,
}

impl Default for PageTranscript {
    fn default() -> PageTranscript {
        let narrator = Narrator::for_others();
        PageTranscript { live: Live::default(), narrator, rows: BTreeMap::new() }
    }
}

impl PageTranscript {
    /// Returns the state after the last event.
    pub fn state(&self) -> &State {
        &self.live.state
    }

    /// Adds text that is in no event yet.
    pub fn push(&mut self, piece: Piece) {
        self.live.push(piece);
    }

    /// Applies an event; returns whether rows changed.
    pub fn apply(&mut self, event: &Event) -> bool {
        self.live.apply(event);
        if matches!(event.kind, Kind::Delta(_)) {
            return false;
        }
        let (counted, told) = self.narrator.narrate_apart(&self.live.state, event);
        let mut rows = self.messages(event, &told);
        let has_message = !rows.is_empty();
        rows.extend(notes(event, counted, told, has_message));
        let changed = !rows.is_empty();
        self.rows.extend(rows.into_iter().map(|kept| (kept.row.id, kept)));
        changed
    }

    /// Returns the rows that changed after an event, in order.
    pub fn rows_since(&self, after: Option<Seq>, right: Right) -> impl Iterator<Item = Row> {
        let fresh = move |kept: &&Kept| after.is_none_or(|after| kept.changed > after);
        let shown = self.rows.values().filter(fresh);
        shown.filter_map(move |kept| match right {
            Right::Steer => Some(kept.row.clone()),
            Right::Watch if kept.public => Some(Row { whispers: vec![], ..kept.row.clone() }),
            Right::Watch | Right::Seat(_) => None,
        })
    }

    /// Returns the rows that the participant at an index may see now and that its page lacks, in order: the messages that
    /// a model in its place would get, its own ones, and public notes. `lacks` gets the id of a row and the event that
    /// changed it.
    pub fn rows_of(
        &self,
        seat: usize,
        mut lacks: impl FnMut(u64, Seq) -> bool,
    ) -> impl Iterator<Item = Row> {
        let state = self.state();
        let seat = state.seats.get(seat).map(|seat| &seat.spec.id);
        let turn = seat.map(|seat| own_turn(state, seat));
        let visible: BTreeSet<Seq> = match &turn {
            Some(turn) => state.visible(turn).map(|entry| entry.seq).collect(),
            None => BTreeSet::new(),
        };
        let own_name = seat.map(|seat| name(state, seat));
        let own_place = seat.and_then(|seat| state.seats.iter().position(|s| s.spec.id == *seat));
        self.rows.values().filter_map(move |kept| {
            let own = own_place.is_some() && kept.row.seat == own_place;
            let seen = match kept.entry {
                Some(entry) => own || visible.contains(&entry),
                None => kept.public,
            };
            let fresh = seen && lacks(kept.row.id, kept.changed);
            let mut row = fresh.then(|| kept.row.clone())?;
            row.whispers.retain(|(to, _)| own || Some(to) == own_name.as_ref());
            Some(row)
        })
    }

    /// Returns the turns in progress that become messages.
    pub fn speaking(&self) -> impl Iterator<Item = &Turn> {
        self.state().turns.values().filter(|turn| turn.speaks())
    }

    /// Returns the text of a turn so far; empty if it comes [late](PageTranscript::is_late).
    pub fn said(&self, turn: &Turn, right: Right) -> String {
        if self.is_late(turn, right) { String::new() } else { shown(&self.live.said(turn.id)) }
    }

    /// Returns whether pages of a right get the text of a turn at its end. Only the end of a turn says which part of it
    /// is for everyone, and a participant sees no turn that began beside its own one.
    pub fn is_late(&self, turn: &Turn, right: Right) -> bool {
        let state = self.state();
        match right {
            Right::Steer => false,
            Right::Watch => self.may_whisper(turn),
            Right::Seat(seat) => state.seats.get(seat).is_none_or(|seat| {
                let own = own_turn(state, &seat.spec.id);
                let all = matches!(state.sees(&own), Sees::All | Sees::Summary);
                let before = Seq(turn.id.0) <= own.horizon;
                let sees = all && before && state.sees_thread(own.thread, turn.thread);
                self.may_whisper(turn) || !sees
            }),
        }
    }

    /// Returns whether the participant of a turn may whisper.
    fn may_whisper(&self, turn: &Turn) -> bool {
        self.state().seat(&turn.seat).is_none_or(|seat| !seat.spec.reply.to.is_empty())
    }

    /// Returns whether a turn has any text yet, and whether it has reasoning.
    pub fn progress(&self, turn: TurnId) -> (bool, bool) {
        (self.live.has_said(turn), !self.live.thought(turn).is_empty())
    }

    /// Returns the messages that an event added or changed.
    fn messages(&self, event: &Event, told: &[Narrated]) -> Vec<Kept> {
        let state = self.state();
        let changed = |e: &&Entry| {
            let version = e.versions.iter().any(|version| version.seq == event.seq);
            e.seq == event.seq || e.changed == Some(event.seq) || version
        };
        // a message may be in several threads; it is narrated once
        if matches!(event.kind, Kind::HumanSaid(_)) && told.is_empty() {
            return vec![];
        }
        let rows = state.entries.iter().filter(changed).map(|entry| Kept {
            changed: event.seq,
            row: self.message(entry, event, told),
            public: !entry.is_whisper(),
            entry: Some(entry.seq),
        });
        rows.collect()
    }

    fn message(&self, entry: &Entry, event: &Event, told: &[Narrated]) -> Row {
        let state = self.state();
        let first = entry.versions.first().and_then(|version| version.turn);
        let id = first.map_or(entry.seq.0, |turn| turn.0) * ROWS_PER_EVENT;
        let seat = entry.seat();
        let who = match seat {
            Some(seat) => name(state, seat),
            None => operator(entry),
        };
        // a command that changes a message does not repeat its head
        let before = self.rows.get(&id).map(|kept| &kept.row);
        let head = told.iter().find_map(|told| match told {
            Narrated::Words { who, body, .. } => Some((who, body)),
            Narrated::Opening { .. } | Narrated::Note(_) => None,
        });
        let head = if matches!(event.kind, Kind::CommandGiven(_)) { None } else { head };
        let about = match (head, before) {
            (Some((head, _)), _) if seat.is_some() => remarks(head, &who),
            (_, Some(before)) => before.about.clone(),
            _ => entry.material.as_ref().map_or(String::new(), |m| text::line(m).into_owned()),
        };
        let about = match entry.to.first() {
            Some(to) => format!("whispers to {}", name(state, to)),
            None => about,
        };
        let hidden = entry.hidden.is_some();
        let mut text = shown(entry.text());
        if let (true, Some((_, body))) = (text.is_empty(), head) {
            text.clone_from(body);
        }
        let whispers = entry.version().whispers.iter();
        let whispers = whispers.map(|w| (name(state, &w.to), text::block(&w.text).into_owned()));
        Row {
            id,
            kind: if seat.is_some() { "turn" } else { "host" },
            number: entry.number,
            seat: seat.and_then(|seat| state.seats.iter().position(|s| s.spec.id == *seat)),
            who,
            about,
            text: if hidden { String::new() } else { text },
            whispers: if hidden { vec![] } else { whispers.collect() },
            private: entry.is_whisper(),
            hidden,
        }
    }
}

/// Returns the notes of an event. `counted` is the note on failures before it.
fn notes(
    event: &Event,
    counted: Option<String>,
    told: Vec<Narrated>,
    has_message: bool,
) -> Vec<Kept> {
    let public = is_public(&event.kind);
    let counted = counted.map(|note| (Row { text: note, ..note_row() }, false));
    let told = told.into_iter().filter_map(|told| match told {
        Narrated::Opening { .. } => None,
        // the table has the floor
        Narrated::Note(_) if matches!(event.kind, Kind::FloorGranted(_)) => None,
        Narrated::Note(note) => Some(Row { text: note, ..note_row() }),
        // the row of the message has them
        Narrated::Words { .. } if has_message => None,
        Narrated::Words { who, body, .. } if body.trim().is_empty() => {
            Some(Row { text: who, ..note_row() })
        }
        Narrated::Words { who, body, .. } => {
            Some(Row { kind: "card", who, text: body, ..Row::default() })
        }
    });
    let rows = counted.into_iter().chain(told.map(|row| (row, public)));
    // the first place is that of a message
    let places = 1..ROWS_PER_EVENT;
    let place = |((row, public), n): ((Row, bool), u64)| {
        let id = event.seq.0 * ROWS_PER_EVENT + n;
        Kept { changed: event.seq, row: Row { id, ..row }, public, entry: None }
    };
    rows.zip(places).map(place).collect()
}

fn note_row() -> Row {
    Row { kind: "note", ..Row::default() }
}

/// Returns the open turn of a participant, or else a turn that would begin now.
fn own_turn(state: &State, seat: &SeatId) -> Turn {
    let open = state.turns.values().find(|turn| turn.seat == *seat && turn.speaks());
    open.cloned().unwrap_or_else(|| {
        let mut threads = state.open_threads().rev();
        let thread = threads.find(|thread| thread.seats.contains(seat));
        let thread = thread.map_or(ThreadId::ROOT, |thread| thread.id);
        Turn::granted(state.next_seq, state.ms, thread, seat.clone(), Purpose::Speak)
    })
}

/// Returns the id of the row of a turn.
pub fn row_id(turn: TurnId) -> u64 {
    turn.0 * ROWS_PER_EVENT
}

/// Returns a text as the page shows it: fields of a structured reply as lines.
fn shown(raw: &str) -> String {
    let fields = fields(raw);
    text::block(fields.as_deref().unwrap_or(raw)).into_owned()
}

/// Returns the name of the operator who sent a message.
fn operator(entry: &Entry) -> String {
    let client = entry.of.as_ref().and_then(|key| key.client());
    client.map_or_else(|| "host".into(), |client| text::name(client).into_owned())
}

/// Returns the remarks of a narrated head, which begins with the name.
fn remarks(head: &str, who: &str) -> String {
    let about = head.strip_prefix(who).unwrap_or_default().trim_start_matches([',', ' ']);
    // a role is in parentheses
    match about.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((role, rest)) => format!("{role}{rest}"),
        None => about.to_owned(),
    }
}

/// Returns whether the notes of an event are for everyone. All others are the operator's: commands, guidance, requests
/// for permission, retries.
fn is_public(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Renamed(_)
            | Kind::Reopened(_)
            | Kind::Ended(_)
            | Kind::ThreadOpened(_)
            | Kind::SeatJoined(_)
            | Kind::SeatLeft(_)
            | Kind::PlanMade(_)
            | Kind::StepEnded(_)
            | Kind::PlanEnded(_)
            | Kind::ToolReturned(_)
            | Kind::AgentTool(_)
            | Kind::AgentPlan(_)
            | Kind::TurnEnded(_)
            | Kind::Paused(_)
            | Kind::Resumed(_)
            | Kind::LimitNear(_)
            | Kind::LimitReached(_)
            | Kind::VoteClosed(_)
            | Kind::PositionRecorded(_)
            | Kind::ProfileUpdated(_)
            | Kind::StageEntered(_)
            | Kind::RankingMade(_)
            | Kind::VerdictGiven(_)
            | Kind::ResultGiven(_)
    )
}
