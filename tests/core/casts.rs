//! The bundled rehearsed casts: each line is heard once, also with an impatient host.

use crate::harness::*;
use crate::kills::runtime;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::policy;
use colloquium::scenario::{self, Source};
use serde_json::{Value, json};

const CASTS: [&str; 9] = [
    "round-table",
    "oxford",
    "crux",
    "formal-debate",
    "moderated-panel",
    "socratic-seminar",
    "brainstorm",
    "negotiation",
    "code-review",
];

fn cast(name: &str) -> Opened {
    let text = scenario::bundled(name).unwrap().into();
    let source = Source { name: name.into(), text, settings: vec![] };
    let mut loaded = scenario::load(&source, &policy::rows()).unwrap();
    loaded.rehearse();
    loaded.unattended(false);
    table(json!(loaded.scenario), loaded.participants)
}

/// Returns the line of a turn, if it is a line without a condition.
fn line<'a>(ran: &'a Ran, entry: &'a colloquium::state::Entry) -> Option<(&'a SeatId, &'a Line)> {
    let VoiceSpec::Lines { lines, .. } = &ran.state.seat(entry.seat()?)?.spec.voice else {
        return None;
    };
    let line = &lines[entry.version().line?];
    line.when.is_none().then_some((entry.seat()?, line))
}

/// Returns the lines without a condition that were heard to their end, by seat.
fn find_heard(ran: &Ran) -> Vec<(&SeatId, &str)> {
    let whole = ran.state.entries.iter().filter(|entry| entry.version().cut.is_none());
    let lines = whole.filter_map(|entry| line(ran, entry)).filter(|(_, line)| !line.spent);
    let mut lines: Vec<(&SeatId, &str)> = lines.map(|(seat, line)| (seat, &*line.text)).collect();
    lines.sort();
    lines
}

fn actors() -> Stage {
    let mut stage = plain();
    stage.rehearses = true;
    stage
}

fn run(name: &str, steer: &[Value]) -> Ran {
    runtime().block_on(play(cast(name), actors(), steer))
}

#[test]
fn every_line_is_heard_once_whatever_the_host_does() {
    let mut faults = vec![];
    for name in CASTS {
        let alone = run(name, &[]);
        let all = find_heard(&alone);
        let turns = alone.state.utterances;
        // every turn of the demo, and three of each other cast
        let others = [1, turns / 2, turns];
        for n in (1..=turns).filter(|n| name == CASTS[0] || others.contains(n)) {
            let speakers = alone.state.seats.iter().filter(|seat| seat.spec.speaks);
            let next = speakers.cycle().nth(n as usize).unwrap().spec.name.clone();
            let asks = |text: String| json!({"after": {"utterance": n}, "do": "say", "text": text});
            for steer in [
                json!({"during": {"utterance": n, "words": 5}, "do": "cut_in", "text": "Who pays for it?"}),
                asks("Please be shorter.".into()),
                asks(format!("{next}, what do you say?")),
            ]
            .iter()
            .take(if name == CASTS[0] { 3 } else { 1 })
            {
                let ran = run(name, std::slice::from_ref(steer));
                let found = find_heard(&ran);
                let lost = all.iter().filter(|line| !found.contains(line));
                let twice = found.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| &pair[0]);
                for (seat, text) in lost.chain(twice) {
                    faults.push(format!("{name}, {steer}, {seat}: {:.40}", text));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_extra_round_repeats_no_line() {
    for name in CASTS {
        let mut ran = run(name, &[]);
        for more in 1..=3 {
            let most = ran.state.utterances + 3;
            let steer = [
                json!({"do": "limit", "set": {"utterances": most}}),
                json!({"do": "say", "text": format!("And {more}?")}),
            ];
            ran = runtime().block_on(resume(ran.events, actors(), &steer));
            let found = find_heard(&ran);
            assert!(found.windows(2).all(|pair| pair[0] != pair[1]), "{name}: {found:?}");
        }
    }
    let more = [json!({"do": "limit", "set": {"utterances": 15}})];
    let ended = run("round-table", &[]);
    let ran = runtime().block_on(resume(ended.events, actors(), &more));
    let result = ran.state.result.as_ref().map(|(result, _)| &*result.result).unwrap();
    assert!(result.starts_with("Close the Saltmarket"), "{result}");
    let says = |text: &&str| text.contains("A model in this seat could collect more.");
    assert_eq!(ran.texts().iter().filter(|text| says(text)).count(), 1, "{:?}", ran.texts());
}
