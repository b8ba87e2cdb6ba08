//! State of the conversation for the page: participants, the floor, and commands that wait.

use super::access::Right;
use super::transcript::{PageTranscript, row_id};
use crate::analysis::name;
use crate::engine::next_speakers;
use crate::export::ending;
use crate::model::{Command, Purpose, SeatId};
use crate::state::{RunState, Seat, State, Turn};
use crate::text;
use serde::Serialize;

/// Maximum number of next speakers shown.
const NEXT_SPEAKERS: usize = 3;

/// State of the conversation as the page gets it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageTable {
    title: String,
    topic: Option<String>,
    /// `running`, `stepping`, `pausing`, `paused`, `waiting`, `limit`, `ended` or `lost`.
    state: &'static str,
    /// Reason for a pause or an end.
    why: Option<String>,
    /// Number of ended turns.
    turns: u32,
    /// Planned number of turns.
    of: Option<u64>,
    rehearsed: bool,
    seats: Vec<SeatView>,
    /// Indices of the next speakers.
    next: Vec<usize>,
    speaking: Vec<Speaking>,
    /// Id of the participant in whose place a person speaks now.
    floor: Option<SeatId>,
    /// Messages and commands that wait, for the page that steers.
    queued: Vec<Queued>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct SeatView {
    id: SeatId,
    name: String,
    role: Option<String>,
    /// Activity as a word; empty for none.
    state: &'static str,
    gone: bool,
}

/// A turn in progress.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Speaking {
    /// Id of its row.
    id: u64,
    seat: Option<usize>,
    who: String,
    /// Role of the participant.
    about: Option<String>,
    number: Option<u32>,
    /// True if its text comes at its end.
    late: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Queued {
    /// Name of the command.
    #[serde(rename = "do")]
    command: &'static str,
    /// Its message.
    text: String,
    /// Receiver of a whisper.
    to: Option<String>,
}

impl PageTable {
    /// Returns the part for a right.
    pub fn for_right(&self, right: Right) -> PageTable {
        let mut table = self.clone();
        match right {
            Right::Watch => table.queued.clear(),
            Right::Steer => table.speaking.iter_mut().for_each(|turn| turn.late = false),
        }
        table
    }
}

/// Returns the table; `attached` is false while the connection to the conversation is lost.
pub fn table(transcript: &PageTranscript, attached: bool) -> PageTable {
    let state = transcript.state();
    let title = state.shown_title();
    let topic = state.scenario.topic.as_deref().filter(|topic| *topic != &*title);
    let place = |id: &SeatId| state.seats.iter().position(|seat| seat.spec.id == *id);
    let next = next_speakers(state, NEXT_SPEAKERS);
    let speaking = transcript.speaking().map(|turn| Speaking {
        id: row_id(turn.id),
        seat: place(&turn.seat),
        who: name(state, &turn.seat),
        about: state.role_in(&turn.seat, turn.thread).map(|role| text::name(role).into_owned()),
        number: turn.number,
        late: transcript.may_whisper(turn),
    });
    let human = transcript.speaking().find(|turn| state.waits_for_human(turn));
    PageTable {
        title: text::label(&title).into_owned(),
        topic: topic.map(|topic| text::block(topic).into_owned()),
        state: run_word(state, attached),
        why: why(state),
        turns: state.utterances,
        of: state.limits.utterances.map(u64::from),
        rehearsed: state.rehearsed,
        seats: state.seats.iter().map(|seat| seat_view(transcript, seat)).collect(),
        next: next.iter().filter_map(place).collect(),
        speaking: speaking.collect(),
        floor: human.map(|turn| turn.seat.clone()),
        queued: queued(state),
    }
}

fn run_word(state: &State, attached: bool) -> &'static str {
    let calls = state.calls().next().is_some();
    match state.run {
        _ if state.ended.is_some() => "ended",
        _ if !attached => "lost",
        RunState::Pausing => "pausing",
        RunState::Paused => "paused",
        _ if !calls && state.limit.is_some() => "limit",
        _ if state.turns.values().any(|turn| state.waits_for_human(turn)) => "waiting",
        RunState::Stepping(_) => "stepping",
        RunState::Going => "running",
    }
}

fn why(state: &State) -> Option<String> {
    let why = match &state.ended {
        Some(ended) => Some(ending(state, ended).replace(" by you", " by the host")),
        None => state.pause_why.as_ref().map(ToString::to_string),
    };
    why.map(|why| text::label(&why).into_owned())
}

fn seat_view(transcript: &PageTranscript, seat: &Seat) -> SeatView {
    let state = transcript.state();
    let id = &seat.spec.id;
    let turn = state.turns.values().find(|turn| turn.seat == *id);
    let doing = match turn {
        _ if seat.gone => "left",
        Some(turn) => doing(transcript, turn),
        None if seat.muted => "muted",
        None => "",
    };
    SeatView {
        id: id.clone(),
        name: name(state, id),
        role: seat.spec.role.as_ref().map(|role| text::name(role).into_owned()),
        state: doing,
        gone: seat.gone,
    }
}

fn doing(transcript: &PageTranscript, turn: &Turn) -> &'static str {
    if transcript.state().waits_for_human(turn) {
        return "has the floor";
    }
    match turn.purpose {
        Purpose::Speak => match transcript.progress(turn.id) {
            (true, _) => "speaks",
            (false, true) => "thinks",
            (false, false) => "begins",
        },
        Purpose::Pick => "chooses",
        Purpose::Bid => "bids",
        Purpose::Vote => "votes",
        Purpose::Judge => "judges",
        Purpose::Summarise => "summarises",
        Purpose::Result => "writes the result",
    }
}

/// Returns the operator's messages and commands that wait for the end of a turn.
fn queued(state: &State) -> Vec<Queued> {
    let waiting = state.pending.values().filter(|command| command.is_droppable());
    let queued = waiting.map(|pending| {
        let command = &pending.given.line.command;
        let to = match command {
            Command::Whisper { to, .. } | Command::Floor { to } => Some(name(state, to)),
            _ => None,
        };
        let text = pending.text.as_deref().unwrap_or_default();
        Queued { command: command.name(), text: text::block(text).into_owned(), to }
    });
    queued.collect()
}
