//! Conversations made by the engine, with generated text.

use colloquium::clock::VIRTUAL_EPOCH;
use colloquium::engine::{Input, advance, react};
use colloquium::model::event::ENGINE;
use colloquium::model::payload::{Delta, Opened};
use colloquium::model::{
    Channel, Draft, Event, Line, ModelSpec, Participant, Piece, ThreadId, VoiceSpec, draft, piece,
};
use colloquium::session::FORMAT;
use colloquium::state::{Live, Turn};
use colloquium::voice::{Chunk, Done};
use serde_json::{Value, json};

/// Context window that holds every conversation here, in tokens.
const WINDOW: u32 = 1_000_000;
/// Words per turn.
const WORDS: usize = 60;
/// Duration of a turn, in milliseconds.
const TAKES_MS: u64 = 3_000;

/// Kind of voice of the seats.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Lines,
    Models,
}

/// Returns the three seats of a conversation.
fn seats(by: By) -> Vec<Participant> {
    let voice = || match by {
        By::Lines => VoiceSpec::Lines { lines: vec![Line::default()], pace: 1 },
        By::Models => VoiceSpec::Model(ModelSpec { name: "a:b".into(), ..ModelSpec::default() }),
    };
    ["ada", "bo", "cy"]
        .map(|id| Participant { window: Some(WINDOW), ..Participant::new(id, voice()) })
        .into()
}

/// A conversation in progress, with all its events.
#[derive(Default)]
pub struct Talk {
    pub live: Live,
    pub events: Vec<Event>,
}

impl Talk {
    /// Runs a conversation under a policy until `utterances` turns are over, or nobody speaks any more.
    pub fn run(by: By, policy: &str, utterances: u32) -> Talk {
        let mut talk = Talk::default();
        talk.open(by, json!({"name": policy}));
        while talk.live.state.utterances < utterances && talk.goes_on() {}
        // finish open turns, so that the next event is a decision
        while !talk.live.state.turns.is_empty() && talk.goes_on() {}
        talk
    }

    fn open(&mut self, by: By, policy: Value) {
        let opened = Opened {
            format: FORMAT,
            program: "bench".into(),
            seed: 7,
            rehearsed: false,
            scenario: json!({"title": "a talk", "policy": policy, "limits": {"utterances": 1_000_000}}),
            participants: seats(by),
            parallel: 8,
            rates: Default::default(),
            attended: true,
            steered: false,
            rules: 1,
            item: None,
        };
        self.take(draft(ThreadId::ROOT, ENGINE, Box::new(opened).into()), 0);
    }

    /// Takes the next step; returns whether there was one.
    fn goes_on(&mut self) -> bool {
        if let Some(turn) = self.live.state.turns.values().next().filter(|t| t.call.is_some()) {
            let turn = turn.clone();
            self.speaks(&turn);
            return true;
        }
        let next = advance(&self.live.state);
        next.map(|draft| self.take(draft, 0)).is_some() && self.live.state.ended.is_none()
    }

    fn speaks(&mut self, turn: &Turn) {
        let number = turn.number.unwrap_or_default();
        let words: String = (0..WORDS).map(|n| format!("w{} ", number as usize * 31 + n)).collect();
        let said = Piece {
            turn: turn.id,
            channel: Channel::Say,
            at: turn.since.plus(TAKES_MS),
            text: words.into(),
        };
        let pieces = piece::pack(&[said], turn.since);
        self.take(draft(ThreadId::ROOT, ENGINE, Delta { pieces }.into()), TAKES_MS);
        let Some(call) = turn.call else { return };
        let done = Input::Chunk(call, Chunk::Done(Done::default()));
        for draft in react(&self.live, self.live.state.ms, &done) {
            self.take(draft, 0);
        }
    }

    fn take(&mut self, draft: Draft, later: u64) {
        let event = Event {
            seq: self.live.state.next_seq,
            at: VIRTUAL_EPOCH,
            ms: self.live.state.ms.plus(later),
            thread: draft.thread,
            by: draft.by,
            cause: draft.cause,
            kind: draft.kind,
        };
        self.live.apply(&event);
        self.events.push(event);
    }
}
