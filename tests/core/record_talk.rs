//! A generated conversation for the tests of the session file: every line is plausible, every run is the same.
#![allow(dead_code, reason = "each test file uses its part")]

use colloquium::model::event::{ENGINE, OPERATOR};
use colloquium::model::payload::{BatchOpened, CallStarted, Delta, FloorGranted, Opened};
use colloquium::model::payload::{HumanSaid, TurnEnded};
use colloquium::model::piece::pack;
use colloquium::model::{
    AnswerTie, BatchId, Channel, Event, Kind, Ms, Outcome, Piece, Purpose, Seq,
};
use colloquium::model::{Requester, ThreadId, TurnId, Wall};
use colloquium::session::{FORMAT, Record, SessionFiles};
use std::sync::Arc;

const WORDS: [&str; 11] = [
    "wir ",
    "see ",
    "\u{5e9}\u{5dc}\u{5d5}\u{5dd} ",
    "that\n",
    "\"quoted\" ",
    "a\\b ",
    "\u{1f642} ",
    "na\u{ef}ve ",
    "of ",
    "\u{202e}the ",
    "floor ",
];

/// Returns the first `events` events of the conversation.
pub fn talk(events: u64) -> Vec<Arc<Record>> {
    talk_with(events, 10)
}

/// Returns the first `events` events. A delta has `words` words, an utterance three times as many.
pub fn talk_with(events: u64, words: usize) -> Vec<Arc<Record>> {
    (0..events).map(|seq| Arc::new(Record::new(event(seq, words)).expect("plain data"))).collect()
}

/// Returns the content of a session file with these records.
pub fn bytes_of(records: &[Arc<Record>]) -> Vec<u8> {
    records.iter().flat_map(|r| r.line.bytes()).collect()
}

/// Returns paths of a session that does not exist.
pub fn nowhere() -> SessionFiles {
    SessionFiles::at("/nonexistent/talk.jsonl")
}

/// Returns a text of `count` words that depends on `seed`.
pub fn words(seed: u64, count: usize) -> String {
    let seed = seed as usize;
    (0..count).map(|i| WORDS[(seed * 7 + i * (1 + seed % 5)) % WORDS.len()]).collect()
}

/// Returns the event with this `seq`.
pub fn event(seq: u64, count: usize) -> Event {
    // eight events a turn: batch, floor, call, three deltas, the end of the turn, a human message
    let place = seq.saturating_sub(1) % 8;
    let turn = TurnId(seq.saturating_sub(place) + 1);
    let kind: Kind = match (seq, place) {
        (0, _) => Box::new(Opened {
            format: FORMAT,
            program: "colloquium 0.1.0".into(),
            seed: 7,
            rehearsed: true,
            scenario: serde_json::json!({"title": "A talk", "topic": words(1, 20)}),
            participants: vec![],
            parallel: 1,
            rates: Default::default(),
            attended: false,
            steered: false,
            rules: 1,
            item: None,
        })
        .into(),
        (_, 0) => BatchOpened {
            rearmed: vec![],
            requester: Requester::Policy,
            purpose: Purpose::Speak,
            seats: vec!["ada".into()],
            why: "next in turn".into(),
            queue: vec!["bob".into()],
            round: None,
            memo: serde_json::json!({"at": seq}),
            judge: None,
            summary: None,
            result: None,
            replaces: None,
            continues: false,
            question: None,
            options: vec![],
            count: vec![],
            tie: AnswerTie::None,
            poll: None,
            owes: vec![],
        }
        .into(),
        (_, 1) => FloorGranted {
            act: None,
            batch: BatchId(seq - 1),
            participant: "ada".into(),
            number: Some(1),
            notes: vec![],
        }
        .into(),
        (_, 2) => CallStarted {
            turn,
            model: "rehearsed".into(),
            parameters: Default::default(),
            digest: "d1a5".into(),
            wording: 1,
            left_out: 0,
            labels: std::collections::BTreeMap::new(),
        }
        .into(),
        (_, 6) => Box::new(said(turn, &words(seq, count * 3))).into(),
        (_, 7) => HumanSaid { of: format!("3c1f:{seq}").into() }.into(),
        (_, _) => Delta { pieces: pack(&pieces(seq, turn, count), Ms(seq * 10)) }.into(),
    };
    Event {
        seq: Seq(seq),
        at: Wall(1_795_293_065_123 + seq as i64 * 10),
        ms: Ms(seq * 10),
        thread: ThreadId::ROOT,
        by: if place == 7 { OPERATOR } else { ENGINE }.into(),
        cause: None,
        kind,
    }
}

/// Returns an ended turn with this text.
pub fn said(turn: TurnId, text: &str) -> TurnEnded {
    TurnEnded {
        turn,
        call: None,
        purpose: Purpose::Speak,
        number: Some(1),
        outcome: Outcome::Said,
        text: text.into(),
        whispers: vec![],
        raw: None,
        think: None,
        act: None,
        closing_line: None,
        message: None,
        structured: serde_json::Value::Null,
        read: colloquium::model::ReadBy::Plain,
        mentions: vec![],
        why: None,
        error: None,
        finish: None,
        skipped: 0,
        model: None,
        agent: None,
        usage: None,
        cost: None,
        first_piece_ms: Some(3),
        took_ms: 70,
    }
}

fn pieces(seq: u64, turn: TurnId, count: usize) -> Vec<Piece> {
    let piece = |i: usize| Piece {
        turn,
        channel: if i % 7 == 6 { Channel::Think } else { Channel::Say },
        at: Ms(seq * 10 + i as u64),
        text: words(seq + i as u64, 1).into(),
    };
    (0..count).map(piece).collect()
}
