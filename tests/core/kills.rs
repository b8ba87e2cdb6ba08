//! Kill and resume at any point: the final transcript equals that of the uninterrupted run.
//!
//! A run is cut after an event and resumed from the remaining log, with the same steer file. Cuts fall inside commands
//! too. Storms are seeded: a policy, failures, timeouts, and a handful of commands at random moments.
//!
//! Every run of the tests cuts once in each of the [`situations`]; `cargo test --test core -- --ignored` cuts after
//! every event and runs many more storms. `STORMS` sets their number, `FROM` the number of the first, and `CUTS` the
//! number of cuts in each.

use crate::harness::*;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::state::Entry;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Number of storms in every run of the tests.
const STORMS: u64 = 60;
/// Number of storms in the thorough test.
const MANY_STORMS: u64 = 100_000;
/// Number of kinds of conversations in storms.
const POLICIES: u64 = 12;
/// Number of cuts in each storm; `CUTS=3` for more.
const CUTS: u64 = 1;

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Final messages, the end, and the results of votes and judgements.
type Outcome = (Vec<(Option<u32>, String, String)>, String, String);

/// Returns the part of a run that must be equal after a kill.
pub fn outcome(ran: &Ran) -> Outcome {
    let verdict = ran.state.verdict.as_ref().map(|(v, at)| (&v.winner, &v.how, &v.scores, at));
    let result = ran.state.result.as_ref().map(|(r, at)| (&r.result, &r.by, at));
    let asked = format!("{:?} {verdict:?} {result:?}", ran.state.vote);
    (ran.transcript(), ran.reason().to_owned(), asked)
}

/// Returns the same with simultaneous speakers sorted by number. If more seats have the floor than may speak at a time,
/// the next one starts when another finishes. After a crash the two start together, so either may finish first.
fn abreast(ran: &Ran) -> Outcome {
    let (mut said, ended, asked) = outcome(ran);
    let mut rest = &mut said[..];
    let beside = |a: &Entry, b: &Entry| {
        let seats = a.number.is_some() && b.number.is_some();
        seats && a.version().horizon == b.version().horizon
    };
    let entries: Vec<_> = ran.state.entries.iter().cloned().collect();
    for batch in entries.chunk_by(beside) {
        let (here, behind) = rest.split_at_mut(batch.len());
        here.sort_by_key(|(number, ..)| *number);
        rest = behind;
    }
    (said, ended, asked)
}

fn phases() -> Value {
    json!({
        "policy": {"name": "phases"},
        "limits": {"utterances": 30},
        "phase": [
            {"name": "opening", "who": ["a", "b", "c"], "policy": {"name": "simultaneous", "options": {"rounds": 1}}},
            {"name": "talk", "who": ["b", "c"], "policy": {"name": "round_robin", "options": {"rounds": 2}}},
            {"name": "closing", "who": ["a"], "policy": {"name": "round_robin", "options": {"rounds": 1}}},
        ],
    })
}

/// Returns phases with hidden names and limited visibility.
fn guises() -> Value {
    let mut guises = phases();
    guises["phase"][0]["policy"]["options"]["rounds"] = json!(2);
    guises["phase"][0]["sees"] = json!("others_last");
    guises["phase"][0]["anonymous"] = json!("per_round");
    guises["phase"][1]["policy"]["options"]["rounds"] = json!(5);
    guises["phase"][1]["until"] = json!("turn_count >= 9");
    guises["phase"][1]["anonymous"] = json!("per_viewer");
    guises
}

/// Returns three seats that depend on one another, with conditions and requests.
fn looped() -> Opened {
    let mut seats = vec![seat("a"), seat("b"), seat("c")];
    let runs = [
        json!({"after": [{"participant": "c", "max": 3}], "starts": true}),
        json!({"after": [{"participant": "a", "when": "turn_count < 6", "max": 9}]}),
        json!({"after": [{"participant": "a", "max": 9}, {"participant": "b", "max": 9}], "needs": "any"}),
    ];
    for (seat, runs) in seats.iter_mut().zip(runs) {
        seat.runs = serde_json::from_value(runs).unwrap();
        seat.max_utterances = Some(4);
    }
    table(json!({"policy": {"name": "depends"}, "limits": {"batches": 20}}), seats)
}

pub fn tables() -> Vec<(&'static str, Opened)> {
    let seats = || vec![seat("a"), seat("b"), seat("c")];
    let policy = |name: &str, options: Value| json!({"policy": {"name": name, "options": options}, "limits": {"utterances": 8}});
    let robin = policy("round_robin", json!({"mentions": "once"}));
    let shuffled = policy("round_robin", json!({"order": "shuffled", "rounds": 2}));
    let weighted = policy("weighted", json!({"mentions": "once"}));
    let by_words = policy("weighted", json!({"mentions": "once", "by": "words"}));
    let weighs = || {
        let mut seats = seats();
        (seats[1].weight, seats[2].talkativeness) = (3.0, 0.9);
        seats
    };
    let talkative = policy("talkative", json!({"mentions": "once"}));
    let at_once = policy("simultaneous", json!({"rounds": 2}));
    vec![
        ("round_robin", table(robin, seats())),
        ("shuffled", table(shuffled, seats())),
        ("weighted", table(weighted, weighs())),
        ("weighted by words", table(by_words, weighs())),
        ("talkative", table(talkative, weighs())),
        ("simultaneous", table(at_once, seats())),
        ("depends", looped()),
        ("guises", table(guises(), seats())),
        ("manual", table(policy("manual", json!({})), seats())),
        ("phases", table(phases(), seats())),
        ("verdict", crate::judging::judged(&["j", "k"], true, 2, "random")),
        ("judged", crate::judging::stopped_by_judge()),
        ("result", crate::results::judged_with_scribe()),
        ("moderated", crate::chosen::moderated(json!({}))),
        ("summed", crate::summaries::summed(Some("clerk"), 12, 400)),
        ("bids", crate::chosen::bids(json!({}))),
        ("tie", crate::verdicts::judged(&["j", "k"], json!({"tie": "judge"}))),
        (
            "phase judged",
            crate::verdicts::judged_phase(json!({"may_stop": true, "swap_test": true}), None),
        ),
        ("summaries", table(summaries(), seats())),
    ]
}

/// Returns phases whose speakers see a summary, some of them without names.
fn summaries() -> Value {
    let mut summaries = phases();
    summaries["phase"][1]["sees"] = json!("summary");
    summaries["phase"][1]["anonymous"] = json!("per_round");
    summaries["phase"][2]["sees"] = json!("summary");
    summaries
}

/// Returns commands triggered by facts of the conversation, so that a resumed run triggers them as well.
pub fn commands() -> Vec<Value> {
    vec![
        json!({"after": {"utterance": 1}, "do": "note", "to": ["b", "c"], "text": "be brief"}),
        json!({"during": {"utterance": 2, "words": 3}, "do": "cut_in", "text": "why, @c?"}),
        json!({"during": {"utterance": 3, "words": 2}, "do": "say", "text": "@a what of this"}),
        json!({"during": {"utterance": 4, "words": 1}, "do": "pause_now"}),
        json!({"when": "paused and turn_count >= 3", "do": "whisper", "to": "b", "text": "psst"}),
        json!({"when": "paused and turn_count >= 3", "do": "step"}),
        json!({"when": "paused and turn_count >= 4", "do": "resume"}),
        json!({"after": {"utterance": 5}, "do": "mute", "who": "c"}),
        json!({"after": {"utterance": 2}, "do": "vote", "question": "Shall we?"}),
        json!({"during": {"utterance": 3, "words": 2}, "do": "verdict"}),
        json!({"after": {"utterance": 6}, "do": "reroll"}),
        json!({"after": {"utterance": 6}, "do": "edit", "utterance": 1, "text": "as edited"}),
        json!({"when": "'c' in seats[2].id and turn_count >= 7", "do": "unmute", "who": "c"}),
    ]
}

/// Returns voices whose text depends on the whole prompt, so that a resume with any other prompt is detected.
pub fn attentive() -> Stage {
    stage(|ask| {
        let seen: usize = ask.prompt.blocks.iter().map(|b| b.text().len()).sum();
        let notes = ask.prompt.notes.len();
        match ask.purpose {
            Purpose::Speak | Purpose::Summarise => {}
            Purpose::Result => return crate::results::written(&format!("{seen} letters")),
            Purpose::Bid => return Play::Words(format!("{}", seen % 11), 20),
            // the first reply of a turn is unreadable at times
            _ if seen.is_multiple_of(3) && ask.attempt == 1 => {
                return Play::Words("well, well".into(), 20);
            }
            _ => {
                let options = ask.facts["options"].as_array().unwrap();
                let option = options[seen % options.len()].as_str().unwrap();
                return Play::Data("chosen".into(), json!({"choice": option, "winner": option}));
            }
        }
        Play::Words(format!("{} heard {seen} letters and {notes} notes in all", ask.seat.id), 20)
    })
}

/// Returns cuts with distinct situations: the first of each pair of neighbouring kinds of events, together with the
/// number of open turns.
pub fn situations(events: &[Event]) -> Vec<usize> {
    let (mut seen, mut open) = (std::collections::HashSet::new(), 0i32);
    let new = |cut: &usize| {
        let before = &events[cut - 1].kind;
        open += i32::from(matches!(before, Kind::FloorGranted(_)));
        open -= i32::from(matches!(before, Kind::TurnEnded(_)));
        seen.insert((before.name(), events[*cut].kind.name(), open))
    };
    (1..events.len()).filter(new).collect()
}

/// Returns every seventh cut. The `--ignored` tests try them all.
pub fn one_in_seven(places: Vec<usize>) -> Vec<usize> {
    places.into_iter().step_by(7).collect()
}

/// Returns all possible cuts of a run.
pub fn everywhere(events: &[Event]) -> Vec<usize> {
    (1..events.len()).collect()
}

#[test]
fn killed_in_every_situation_and_resumed() {
    killed_and_resumed(situations, &[]);
}

#[test]
fn killed_in_many_situations_among_commands_and_resumed() {
    killed_and_resumed(|events| one_in_seven(situations(events)), &commands());
}

#[test]
#[ignore = "a minute: cargo test --test core -- --ignored"]
fn killed_after_every_event_and_resumed() {
    killed_and_resumed(everywhere, &[]);
    killed_and_resumed(everywhere, &commands());
}

fn killed_and_resumed(cuts: fn(&[Event]) -> Vec<usize>, steer: &[Value]) {
    let (mut points, mut bad) = (0, Vec::new());
    for (name, table) in tables() {
        let mut steer = steer.to_vec();
        if name == "manual" {
            let floor = |n: u32, to: &str| json!({"when": format!("turn_count == {n} and not paused and not speaking"), "do": "floor", "to": to});
            steer.extend([
                floor(0, "a"),
                floor(1, "b"),
                floor(2, "a"),
                floor(3, "b"),
                floor(4, "c"),
            ]);
        }
        let whole = runtime().block_on(play(table.clone(), attentive(), &steer));
        assert!(name != "summed" || !whole.state.summaries.is_empty(), "{name} sums nothing up");
        for cut in cuts(&whole.events) {
            let past = whole.events[..cut].to_vec();
            let resumed = runtime().block_on(resume(past, attentive(), &steer));
            points += 1;
            if outcome(&resumed) != outcome(&whole) {
                let kind = whole.events[cut - 1].kind.name();
                bad.push(format!(
                    "{name} with {} commands, cut after {cut} {kind}:\n  {:?}\n  {:?}",
                    steer.len(),
                    outcome(&whole),
                    outcome(&resumed)
                ));
            }
        }
    }
    println!("resumed from {points} points, {} differ", bad.len());
    assert!(bad.is_empty(), "{} of {points} differ, the first:\n{}", bad.len(), bad[0]);
}

/// Random numbers of a storm.
#[derive(Clone, Copy)]
struct Dice(u64);

impl Dice {
    fn roll(self, salt: &str, sides: u64) -> u64 {
        colloquium::state::dice(self.0, self.0, salt) % sides
    }
}

fn storm_table(d: Dice) -> Opened {
    let mut seats: Vec<Participant> = ["a", "b", "c", "d"].map(seat).to_vec();
    for (i, s) in seats.iter_mut().enumerate() {
        s.timeouts.first = 100 + d.roll(&format!("first{i}"), 300);
        s.timeouts.total = 300 + d.roll(&format!("total{i}"), 500);
        s.on_failure.retry = d.roll(&format!("retry{i}"), 3) as u32;
    }
    let mut seats_beside = seats.clone();
    seats_beside[3].speaks = false;
    let judge = json!({"judges": ["d"], "question": "Who?", "votes": 1, "swap_test": true, "tie": "judge",
                       "may_stop": true});
    let scenario = match d.roll("policy", POLICIES) {
        6 => json!({"policy": {"name": "bids"}}),
        7 => json!({"policy": {"name": "moderated", "options": {"moderator": "d"}}}),
        8 => json!({"policy": {"name": "depends"}}),
        9 => json!({"policy": {"name": "round_robin"}, "verdict": judge,
                    "stop": [{"judge": {"seat": "d", "question": "Enough?", "every": 3}}]}),
        10 => summaries(),
        11 => {
            let mut phases = guises();
            phases["phase"][1]["judge"] = judge;
            phases
        }
        4 => {
            json!({"policy": {"name": "weighted", "options": {"by": "words", "mentions": "once"}}})
        }
        5 => json!({"policy": {"name": "talkative", "options": {"mentions": "once"}}}),
        0 => json!({"policy": {"name": "round_robin", "options": {"mentions": "once"}}}),
        1 => json!({"policy": {"name": "round_robin", "options": {"order": "shuffled"}}}),
        2 => json!({"policy": {"name": "simultaneous", "options": {"rounds": 4}}}),
        _ => phases(),
    };
    let seats = match d.roll("policy", POLICIES) {
        7 | 9 | 11 => seats_beside,
        8 => {
            for (seat, looped) in seats.iter_mut().zip(looped().participants) {
                (seat.runs, seat.max_utterances) = (looped.runs, looped.max_utterances);
            }
            seats
        }
        _ => seats,
    };
    let mut scenario = scenario;
    scenario["limits"] = json!({"utterances": 8 + d.roll("limit", 8)});
    let mut table = table(scenario, seats);
    table.seed = d.0;
    table
}

/// Returns voices whose behaviour depends on seat, utterance and attempt only, which a kill does not change.
fn storm_stage(d: Dice) -> Stage {
    stage(move |ask| {
        let number = ask.number.unwrap_or(0);
        let salt = format!("{} {number} {}", ask.seat.id, ask.attempt);
        let seen: usize = ask.prompt.blocks.iter().map(|b| b.text().len()).sum();
        match (ask.purpose, d.roll(&format!("{salt} {seen} {:?}", ask.purpose), 9)) {
            (Purpose::Speak, _) => {}
            (_, 0) => return Play::Fail(20, ErrorClass::Failed),
            (_, 1) => return Play::Words("hard to say".into(), 20),
            (_, 2) => return Play::Pass,
            (Purpose::Summarise, _) => return Play::Words(format!("{seen} letters"), 15),
            (Purpose::Result, n) => return crate::results::written(&n.to_string()),
            (Purpose::Bid, n) => return Play::Words(n.to_string(), 15),
            (Purpose::Pick | Purpose::Vote | Purpose::Judge, n) => {
                let options = ask.facts["options"].as_array().unwrap();
                let option = &options[n as usize % options.len()];
                return Play::Data("so".into(), json!({"choice": option, "winner": option}));
            }
        }
        match d.roll(&salt, 12) {
            0 => Play::Fail(20, ErrorClass::Failed),
            1 => Play::Silence,
            2 => Play::Words(
                "a very long speech that will not end within its time at all".into(),
                90,
            ),
            3 => Play::Break("half a".into(), 15),
            4 => Play::Pass,
            5 => Play::Data(format!("{number} as data"), json!({"k": number})),
            n => Play::Words(
                format!("I am {} and @b has {seen} of {}", ask.seat.id, ask.prompt.notes.len()),
                5 + n,
            ),
        }
    })
}

/// Returns a handful of commands at random moments. One of them interrupts a turn, unless seats speak simultaneously:
/// the progress of the others at that point is not reproducible after a kill, so the command is a message instead.
fn storm_commands(d: Dice) -> Vec<Value> {
    let mut lines: Vec<Value> = (0..6u64)
        .map(|i| {
            let roll = |what: &str, sides| d.roll(&format!("{what}{i}"), sides);
            let seat = ["a", "b", "c", "d"][roll("who", 4) as usize];
            let number = 1 + roll("number", 9);
            let mut line = match roll("verb", 18) {
                16 => json!({"do": "vote", "question": "Shall we?"}),
                17 => json!({"do": "verdict"}),
                0 => json!({"do": "say", "text": format!("hello {i}")}),
                1 => json!({"do": "say", "text": format!("@{seat} and you {i}")}),
                2 => json!({"do": "note", "to": [seat, "b"], "text": format!("n{i}")}),
                3 => json!({"do": "note", "text": format!("n{i}"), "for": "standing"}),
                4 => json!({"do": "mute", "who": seat}),
                5 => json!({"do": "unmute", "who": seat}),
                6 => json!({"do": "leave", "who": seat}),
                7 => json!({"do": "join", "participant": {"id": format!("e{i}"), "lines": ["x"]}}),
                8 => json!({"do": "floor", "to": seat}),
                9 => json!({"do": "pause"}),
                10 => json!({"do": "whisper", "to": seat, "text": "psst"}),
                11 => json!({"do": "speak_as", "who": seat, "text": "my mouth"}),
                12 => json!({"do": "edit", "utterance": number, "text": format!("edited {i}")}),
                13 => json!({"do": "hide", "utterance": number}),
                14 => json!({"do": "limit", "set": {"utterances": 6 + roll("set", 8)}}),
                _ => json!({"do": "reroll"}),
            };
            line["after"] = json!({"utterance": number});
            line
        })
        .collect();
    let number = 1 + d.roll("cut", 9);
    let words = d.roll("words", 5);
    let cut = if !matches!(d.roll("policy", POLICIES), 2 | 3 | 8 | 10 | 11) {
        let verb = ["cut_in", "skip", "pause_now", "end"][d.roll("kind", 4) as usize];
        let mut line = json!({"do": verb});
        if verb == "cut_in" {
            line["text"] = "stop, @d".into();
        }
        line
    } else {
        json!({"do": "say", "text": "well, @d"})
    };
    let mut cut = cut;
    cut["during"] = json!({"utterance": number, "words": words});
    lines.push(cut);
    for n in 0..4 {
        lines.push(json!({"when": "paused", "id": format!("on{n}"), "do": "resume"}));
    }
    lines
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

struct Tally {
    resumed: u64,
    ends: BTreeMap<&'static str, u64>,
    bad: Vec<String>,
}

fn storm(seed: u64, tally: &Mutex<Tally>) {
    let d = Dice(seed);
    let steer = storm_commands(d);
    let run = |past: Option<Vec<Event>>| {
        runtime().block_on(async {
            match past {
                None => play(storm_table(d), storm_stage(d), &steer).await,
                Some(past) => resume(past, storm_stage(d), &steer).await,
            }
        })
    };
    let whole = run(None);
    *tally.lock().unwrap().ends.entry(whole.reason()).or_default() += 1;
    if seed.is_multiple_of(50) {
        assert_eq!(whole.lines, run(None).lines, "storm {seed}: same seed, same bytes");
    }
    for k in 0..number("CUTS", CUTS) {
        let cut = 1 + d.roll(&format!("place{k}"), whole.events.len() as u64 - 1) as usize;
        let resumed = run(Some(whole.events[..cut].to_vec()));
        // killed once more, after the first cut
        let more = (resumed.events.len() - cut) as u64;
        let again = cut + d.roll(&format!("again{k}"), more) as usize;
        let twice = run(Some(resumed.events[..again].to_vec()));
        for (ran, cuts) in [(resumed, vec![cut]), (twice, vec![cut, again])] {
            let mut tally = tally.lock().unwrap();
            tally.resumed += 1;
            if abreast(&ran) != abreast(&whole) {
                let (whole, ran) = (outcome(&whole), outcome(&ran));
                tally.bad.push(format!("storm {seed} cut after {cuts:?}:\n  {whole:?}\n  {ran:?}"));
            }
        }
    }
}

#[test]
fn storms_of_commands_and_failures_killed_and_resumed() {
    storms(number("STORMS", STORMS));
}

#[test]
#[ignore = "an hour: cargo test --release --test core many_storms -- --ignored --nocapture"]
fn many_storms() {
    storms(number("STORMS", MANY_STORMS));
}

fn storms(storms: u64) {
    let tally = Mutex::new(Tally { resumed: 0, ends: BTreeMap::new(), bad: vec![] });
    // regression: a retry replaced a vote before it was counted
    storm(53_157, &tally);
    let from = number("FROM", 0);
    let next = std::sync::atomic::AtomicU64::new(from);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    if seed >= from + storms {
                        return;
                    }
                    storm(seed, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{storms} storms from {from}, {} resumed after a kill, ends {:?}",
        tally.resumed, tally.ends
    );
    assert!(tally.bad.is_empty(), "{} differ, the first:\n{}", tally.bad.len(), tally.bad[0]);
}
