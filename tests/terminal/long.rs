//! A long session: its end is shown at once, the rest is loaded later, and viewing changes nothing.

use crate::house::{House, Program};
use colloquium::model::event::ENGINE;
use colloquium::model::{Event, Kind, Line, Ms, Participant, Seq, ThreadId, VoiceSpec, Wall};
use colloquium::session::Record;
use rustix::process::Signal;
use serde_json::{Value, json};

/// Number of turns, long enough for a session of more than 2 MiB.
const UTTERANCES: u64 = 60;
const PARAGRAPHS: u64 = 600;
/// The key that goes to the start.
const HOME: &str = "\u{1b}[H";

fn session() -> String {
    let mut lines = String::new();
    let mut seq = 0;
    let mut add = |kind: &str, data: Value| {
        let raw = serde_json::value::to_raw_value(&data).unwrap();
        let event = Event {
            seq: Seq(seq),
            at: Wall(0),
            // far enough apart that no turn is over before it was seen
            ms: Ms(seq * 60_000),
            thread: ThreadId::ROOT,
            by: ENGINE.into(),
            cause: None,
            kind: Kind::read(kind, &raw).unwrap(),
        };
        lines.push_str(&Record::new(event).unwrap().line);
        seq += 1;
        seq - 1
    };
    let scenario = json!({"title": "Long", "policy": {"name": "round_robin"}, "limits": {"utterances": UTTERANCES}});
    let voice = VoiceSpec::Lines { lines: vec![Line::default()], pace: 1 };
    let ada = serde_json::to_value(Participant::new("ada", voice)).unwrap();
    add(
        "conversation.opened",
        json!({"format": 1, "program": "test", "seed": 0, "rehearsed": true, "scenario": scenario,
               "participants": [ada], "parallel": 1, "attended": false}),
    );
    for n in 1..=UTTERANCES {
        let spoken: String = (0..PARAGRAPHS)
            .map(|p| {
                format!("Paragraph {p} of a long speech, in which nothing at all is said.\n\n")
            })
            .collect();
        let batch = add(
            "batch.opened",
            json!({"for": "policy", "purpose": "speak", "seats": ["ada"], "why": "", "round": n}),
        );
        let turn = add("floor.granted", json!({"batch": batch, "participant": "ada", "number": n}));
        add(
            "turn.ended",
            json!({"turn": turn, "purpose": "speak", "number": n, "outcome": "said",
                   "text": format!("{spoken}This is how turn {n} ends.")}),
        );
    }
    add("conversation.ended", json!({"reason": "utterance_limit", "settled": false}));
    lines
}

/// Opens a long session. Checks the first view, waits until everything is loaded, presses the keys, and quits.
fn opened(command: &[&str], first: &str, loaded: fn(&mut Program), keys: &[(&str, &str)]) {
    let house = House::new();
    let lines = session();
    assert!(lines.len() > 2 * 1024 * 1024, "{} bytes", lines.len());
    let path = house.file("long.jsonl", &lines);
    let (verb, more) = command.split_first().unwrap();
    let mut program = house.run(&[&[*verb, &path], more].concat());
    program.until(first);
    loaded(&mut program);
    for (pressed, shown) in keys {
        program.keys(pressed);
        program.until(shown);
    }
    program.signal(Signal::TERM);
    program.left().restored();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&lines));
}

#[test]
fn a_long_session_is_shown_from_its_end_and_is_there_as_a_whole_soon_after() {
    let more = ["resume", "--max-utterances", "60"];
    opened(
        &more,
        "This is how turn 60 ends",
        |program| program.until("DONE"),
        &[(HOME, "Paragraph 0 of")],
    );
    // a notice may be gone before it is looked for
    let told: fn(&mut Program) = |program| program.until_sent("finished, read-only", 1);
    opened(&["resume"], "This is how turn 60 ends", told, &[(HOME, "Paragraph 0 of")]);
}

#[test]
fn a_long_session_that_is_watched_is_shown_from_its_end() {
    opened(
        &["watch"],
        "This is how turn 60 ends",
        |program| program.until_sent("watching: give commands", 1),
        &[(HOME, "Paragraph 0 of")],
    );
}

#[test]
fn a_long_recording_is_gone_to_a_place_once_it_is_read() {
    let there: fn(&mut Program) = |program| program.until("This is how turn 29 ends");
    opened(&["replay", "--at", "30"], "Long", there, &[("G", "ends")]);
}

#[test]
fn a_branch_of_a_long_session_stands_at_its_point() {
    let house = House::new();
    let path = house.file("long.jsonl", &session());
    let mut program = house.run(&["fork", &path, "--at", "7", "--no-save", "--rehearsed"]);
    program.until("Long");
    program.until("This is how turn 7 ends");
    program.keys(HOME);
    program.until("Paragraph 0 of");
}
