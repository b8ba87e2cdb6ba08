//! State of the conversation for the page: participants, the floor, and commands that wait.

use super::access::Right;
use super::transcript::{PageTranscript, row_id};
use crate::analysis::name;
use crate::engine::next_speakers;
use crate::export::{Hearer, conclusion};
use crate::model::{Command, Purpose, QueuedWords, Recipient, SeatId};
use crate::state::leave::leaves_of;
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
    /// People who have the floor.
    floor: Vec<Floor>,
    /// Uses of tools that wait for a decision, for the page that steers.
    asks: Vec<Ask>,
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
    /// True for a template of executors, which the page does not show.
    template: bool,
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

/// A person who has the floor.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Floor {
    seat: usize,
    id: SeatId,
    name: String,
    /// True if the person has a link; otherwise the page that steers speaks for the seat.
    link: bool,
    /// Options of a vote, for the page that speaks; empty for a message.
    options: Vec<String>,
}

/// A use of a tool that waits for a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Ask {
    seat: Option<usize>,
    who: String,
    tool: String,
    /// The use, with its arguments.
    what: String,
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

/// Returns the table for a right; `attached` is false while the connection to the conversation is lost.
pub fn table(transcript: &PageTranscript, attached: bool, right: Right) -> PageTable {
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
        late: transcript.is_late(turn, right),
    });
    let steers = right == Right::Steer;
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
        floor: floor(state, right),
        asks: if steers { asks(state) } else { vec![] },
        queued: if steers { queued(state) } else { vec![] },
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
        Some(ended) => Some(conclusion(state, ended, Hearer::Other)),
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
        Some(turn) if !leaves_of(state, turn).is_empty() => "asks",
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
        template: state.is_template(id),
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

/// Returns the people who have the floor.
fn floor(state: &State, right: Right) -> Vec<Floor> {
    let people = state.turns.values().filter(|turn| state.waits_for_human(turn));
    let floor = people.filter_map(|turn| {
        let seat = state.seats.iter().position(|seat| seat.spec.id == turn.seat)?;
        let link = state.waits_for_link(turn);
        let speaks = match right {
            Right::Watch => false,
            Right::Steer => !link,
            Right::Seat(own) => own == seat,
        };
        let votes = speaks && turn.purpose == Purpose::Vote;
        let batch = if votes { state.batch_of(turn) } else { None };
        let options = batch.map_or(&[][..], |batch| &batch.spec.options);
        Some(Floor {
            seat,
            id: turn.seat.clone(),
            name: name(state, &turn.seat),
            link,
            options: options.iter().map(|option| text::line(option).into_owned()).collect(),
        })
    });
    floor.collect()
}

/// Returns the uses of tools that wait for a decision.
fn asks(state: &State) -> Vec<Ask> {
    let all = state.turns.values().flat_map(|turn| leaves_of(state, turn));
    let asks = all.map(|asks| Ask {
        seat: state.seats.iter().position(|seat| seat.spec.id == asks.seat),
        who: name(state, &asks.seat),
        tool: text::label(&asks.tool).into_owned(),
        what: asks.describe(),
    });
    asks.collect()
}

/// Returns the operator's messages and commands that wait for the end of a turn.
fn queued(state: &State) -> Vec<Queued> {
    let waiting = state.pending.values().filter(|command| command.is_droppable());
    let queued = waiting.map(|pending| {
        let command = &pending.given.line.command;
        let words = pending.words.as_ref();
        let to = match command {
            Command::Floor { to } => Some(to),
            _ => words.and_then(QueuedWords::hearer),
        };
        let text = words.and_then(|words| words.text_for(&Recipient::Operator));
        let text = text.map_or(String::new(), |text| text::block(text).into_owned());
        Queued { command: command.name(), text, to: to.map(|to| name(state, to)) }
    });
    queued.collect()
}
