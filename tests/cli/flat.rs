//! Memory of the commands on long sessions: it does not grow with the session.

use crate::house::{House, talk};
use colloquium::model::{BatchId, Event, Kind, Seq, TurnId};
use colloquium::session::{decode, encode};
use std::fs;

/// Turns of a session long enough for several parser threads, and of a much longer one.
const TURNS: [u32; 2] = [1_500, 4_000];
/// Turns of the sessions that are compared, which takes longer.
const COMPARED: [u32; 2] = [1_000, 3_000];
/// Words of each turn, so that most of a session is text.
const WORDS: usize = 400;

/// Writes a session of `turns` distinct turns, made from a short session; returns its size in bytes.
fn long(house: &House, name: &str, turns: u32, said: &str) -> u64 {
    let path = house.path("data/sessions/short.jsonl");
    if !path.exists() {
        let scenario = house.file("t.toml", &talk(2, 3));
        let path = path.to_str().unwrap();
        house.run(&["run", &scenario, "--headless", "--out-session", path]).code(0);
    }
    let short = fs::read_to_string(&path).unwrap();
    let events: Vec<Event> = short.lines().map(|line| decode(line.as_bytes()).unwrap()).collect();
    let first = |fits: fn(&Kind) -> bool| events.iter().position(|e| fits(&e.kind)).unwrap();
    let begin = first(|kind| matches!(kind, Kind::BatchOpened(_)));
    let batch = &events[begin];
    let grant = &events[first(|kind| matches!(kind, Kind::FloorGranted(_)))];
    let end = &events[first(|kind| matches!(kind, Kind::TurnEnded(_)))];
    let mut lines: String = events[..begin].iter().map(|e| encode(e).unwrap()).collect();
    let mut seq = events[begin - 1].seq;
    let mut add = |event: &Event, kind: Kind| {
        seq = seq.next();
        lines.push_str(&encode(&Event { seq, kind, ..event.clone() }).unwrap());
        seq
    };
    for n in 1..=turns {
        let Seq(opened) = add(batch, batch.kind.clone());
        let Kind::FloorGranted(mut granted) = grant.kind.clone() else { unreachable!() };
        let Kind::TurnEnded(mut ended) = end.kind.clone() else { unreachable!() };
        granted.batch = BatchId(opened);
        granted.number = Some(n);
        let Seq(turn) = add(grant, granted.into());
        ended.turn = TurnId(turn);
        ended.number = Some(n);
        ended.text = format!("{said} {n}{}", " and so on".repeat(WORDS / 3)).into();
        add(end, ended.into());
    }
    fs::write(house.path(&format!("data/sessions/{name}.jsonl")), &lines).unwrap();
    lines.len() as u64
}

/// Returns the growth of a command's peak memory per byte of growth of the session.
fn growth(turns: [u32; 2], make: impl Fn(&House, u32) -> u64, args: &[&str]) -> f64 {
    let [short, long] = turns.map(|turns| {
        let house = House::new();
        (make(&house, turns), house.peak(args))
    });
    let bytes = long.0 - short.0;
    let more = long.1.saturating_sub(short.1);
    println!(
        "{args:?}: {} and {} KiB, of {} and {} bytes",
        short.1 >> 10,
        long.1 >> 10,
        short.0,
        long.0
    );
    more as f64 / bytes as f64
}

#[test]
fn a_redaction_keeps_no_session_in_memory() {
    let make = |house: &House, turns| long(house, "x", turns, "Turn");
    let grown = growth(TURNS, make, &["sessions", "redact", "x", "--text", "and so on"]);
    // blocks that threads read ahead are in memory for a while; a whole session would be 2.7
    assert!(grown < 1.5, "{grown} bytes for each byte of the session");
}

#[test]
fn a_repair_keeps_no_session_in_memory() {
    let make = |house: &House, turns| {
        let bytes = long(house, "x", turns, "Turn");
        let path = house.path("data/sessions/x.jsonl");
        let damaged = fs::read_to_string(&path).unwrap().replacen("Turn 700 ", "Turn 7OO ", 1);
        fs::write(path, damaged).unwrap();
        bytes
    };
    let grown = growth(TURNS, make, &["sessions", "repair", "x"]);
    // blocks that threads read ahead are in memory for a while; a whole session would be 2.7
    assert!(grown < 1.5, "{grown} bytes for each byte of the session");
}

/// A comparison keeps the text of each turn once, and one state of each session.
#[test]
fn a_comparison_keeps_the_words_and_no_events() {
    let make = |house: &House, turns| {
        long(house, "x", turns, "Turn");
        long(house, "y", turns, "Other turn")
    };
    let grown = growth(COMPARED, make, &["analyze", "x", "y", "--format", "json"]);
    assert!(grown < 12.0, "{grown} bytes for each byte of a session");
}
