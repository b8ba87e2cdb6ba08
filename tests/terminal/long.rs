//! A long session: its end is there at once, the rest behind it, and nothing is changed by looking at it.

use crate::house::House;
use colloquium::model::event::ENGINE;
use colloquium::model::{Event, Kind, Line, Ms, Participant, Seq, ThreadId, VoiceSpec, Wall};
use colloquium::session::Record;
use serde_json::{Value, json};

/// Utterances, each so long that a hundred make more than eight megabytes.
const UTTERANCES: u64 = 240;
const PARAGRAPHS: u64 = 600;

fn session() -> String {
    let mut lines = String::new();
    let mut seq = 0;
    let mut add = |kind: &str, data: Value| {
        let raw = serde_json::value::to_raw_value(&data).unwrap();
        let event = Event {
            seq: Seq(seq),
            at: Wall(0),
            ms: Ms(seq),
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

#[test]
fn a_long_session_is_shown_from_its_end_and_is_there_as_a_whole_soon_after() {
    let house = House::new();
    let lines = session();
    assert!(lines.len() > 8 * 1024 * 1024, "{} bytes", lines.len());
    let path = house.file("long.jsonl", &lines);
    let mut program = house.run(&["resume", &path]);
    program.until("This is how turn 240 ends");
    // its first words are only there once all of it was read
    program.until("STOPPED");
    program.keys("g");
    program.until("Paragraph 0 of");
    program.keys("q");
    program.left().restored();
    assert!(std::fs::read_to_string(&path).unwrap().starts_with(&lines));
}
