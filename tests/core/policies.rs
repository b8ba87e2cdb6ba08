//! Properties of all policies. Conversations are played without engine and clock, so that hundreds of them cost
//! nothing.

use crate::harness::{seat, table};
use colloquium::engine::{Input, advance, react};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::state::Live;
use colloquium::voice::{Chunk, Done};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A conversation folded from its own decisions; every call is answered at once.
pub struct Talk {
    pub live: Live,
    pub events: Vec<Event>,
    /// Answer to requests for a choice or a bid.
    pub answers: fn(&Live, &SeatId) -> String,
    keys: u64,
}

/// Returns a random valid answer.
fn any(live: &Live, seat: &SeatId) -> String {
    let state = &live.state;
    let turn = state.turns.values().find(|t| t.seat == *seat).expect("it is asked");
    let options: Vec<&Text> = state
        .batch_of(turn)
        .map_or(&[][..], |b| &b.spec.options)
        .iter()
        .filter(|o| ***o != *"end")
        .collect();
    let dice = state.dice(state.numbers.into(), &format!("answer {seat}")) as usize;
    match options.len() {
        0 => (dice % 11).to_string(),
        n => options[dice % n].to_string(),
    }
}

impl Talk {
    pub fn new(opened: Opened) -> Talk {
        let mut talk = Talk { live: Live::default(), events: vec![], answers: any, keys: 0 };
        talk.append(draft(ThreadId::ROOT, "engine", Box::new(opened).into()));
        talk
    }

    fn append(&mut self, draft: Draft) {
        let event = Event {
            seq: self.live.state.next_seq,
            at: colloquium::clock::Clock::virtual_from(Ms(0)).wall(),
            ms: self.live.state.ms,
            thread: draft.thread,
            by: draft.by,
            cause: draft.cause,
            kind: draft.kind,
        };
        self.live.apply(&event);
        self.events.push(event);
    }

    fn take(&mut self, input: &Input) {
        for draft in react(&self.live, self.live.state.ms, input) {
            self.append(draft);
        }
    }

    pub fn command(&mut self, line: Value) {
        self.keys += 1;
        let line = serde_json::from_value(line).expect("a steering line");
        self.take(&Input::Command { key: Key::from(format!("k{}", self.keys).as_str()), line });
    }

    /// Continues until a call or nothing is left to wait for.
    pub fn settle(&mut self) {
        while let Some(draft) = advance(&self.live.state) {
            self.append(draft);
        }
    }

    /// Continues until `utterances` turns are complete and nobody has the floor, or nothing changes any more.
    pub fn go(&mut self, utterances: u32, mut says: impl FnMut(&Live, &SeatId) -> String) {
        for _ in 0..200 + utterances * 20 {
            if self.live.state.utterances >= utterances {
                return;
            }
            if let Some(draft) = advance(&self.live.state) {
                self.append(draft);
                continue;
            }
            let call =
                self.live.state.calls().find_map(|t| Some((t.call?, t.seat.clone(), t.speaks())));
            let Some((call, seat, speaks)) = call else { return };
            let text =
                if speaks { says(&self.live, &seat) } else { (self.answers)(&self.live, &seat) };
            let done = Done { text: Some(text.into()), ..Done::default() };
            self.take(&Input::Chunk(call, Chunk::Done(done)));
        }
        panic!("it goes on for ever: {:#?}", self.events.last());
    }

    /// Returns the batches of the policy, as seats with a flag for mentions.
    fn asked(&self) -> Vec<(String, bool)> {
        let batch = |e: &Event| match &e.kind {
            Kind::BatchOpened(b) if b.requester == Requester::Policy => {
                let who: Vec<&str> = b.seats.iter().map(|s| &**s).collect();
                Some((who.join("+"), !b.memo["owed"].is_null()))
            }
            _ => None,
        };
        self.events.iter().filter_map(batch).collect()
    }

    /// Returns the seats that got the floor in the policy's own order.
    pub fn in_turn(&self) -> Vec<String> {
        self.asked().into_iter().filter(|(_, named)| !named).map(|(who, _)| who).collect()
    }
}

pub const SEATS: [&str; 4] = ["a", "b", "c", "d"];

/// Returns the policies that give the floor to one seat after another.
fn sequential() -> Vec<(&'static str, Value)> {
    vec![
        ("round_robin", json!({"mentions": "once"})),
        ("round_robin", json!({"mentions": "once", "order": "shuffled"})),
        ("weighted", json!({"mentions": "once"})),
        ("weighted", json!({"mentions": "once", "by": "words"})),
        ("talkative", json!({"mentions": "once"})),
    ]
}

fn opened(name: &str, options: &Value, seed: u64) -> Opened {
    let scenario = json!({"policy": {"name": name, "options": options}});
    Opened { seed, ..table(scenario, SEATS.map(seat).to_vec()) }
}

/// Returns a text whose length depends on the speaker only, so that shares of words are predictable.
pub fn words(seat: &SeatId) -> String {
    "word ".repeat(3 + usize::from(seat.as_bytes()[0] - b'a') * 4)
}

fn weighted(by: &str) -> Opened {
    let weights = [1.0, 1.0, 4.0, 1.0, 1.0, 20.0, 20.0];
    let seats = weights
        .iter()
        .enumerate()
        .map(|(i, weight)| Participant { weight: *weight, ..seat(&format!("s{i}")) });
    let scenario = json!({"policy": {"name": "weighted", "options": {"by": by}}});
    table(scenario, seats.collect())
}

/// Asserts that each seat's share of turns matches its weight at every point, within one turn.
fn within_one_turn(turns: &[String], weights: &[(&str, u64)]) {
    let all: u64 = weights.iter().map(|(_, w)| w).sum();
    for n in 1..=turns.len() {
        for (seat, weight) in weights {
            let had = turns[..n].iter().filter(|t| t == seat).count() as u64;
            assert!((had * all).abs_diff(n as u64 * weight) < all, "{seat} after {n} of {turns:?}");
        }
    }
}

#[test]
fn weights_are_kept_within_one_turn_also_after_a_mute() {
    let mut talk = Talk::new(weighted("utterances"));
    talk.go(100, |_, s| words(s));
    talk.command(json!({"do": "mute", "who": "s5"}));
    let before = talk.in_turn().len();
    talk.go(201, |_, s| words(s));
    let turns = talk.in_turn();
    let all = [("s0", 1), ("s1", 1), ("s2", 4), ("s3", 1), ("s4", 1), ("s5", 20), ("s6", 20)];
    within_one_turn(&turns[..before], &all);
    let left: Vec<_> = all.into_iter().filter(|(s, _)| *s != "s5").collect();
    within_one_turn(&turns[before..], &left);
    assert!(turns.len() > 200, "{}", turns.len());
}

#[test]
fn shares_of_words_stay_within_the_longest_utterance() {
    let mut talk = Talk::new(weighted("words"));
    let mut n = 0;
    talk.go(200, |live, s| {
        n += 1;
        let length = 1 + live.state.dice(n, s) % 60;
        "word ".repeat(length as usize)
    });
    let state = &talk.live.state;
    let mut had = [0.0_f64; 7];
    let mut longest = 0.0_f64;
    for entry in &state.entries {
        let at: usize = entry.seat().unwrap()[1..].parse().unwrap();
        let length = entry.text().split_whitespace().count() as f64;
        let weight = state.seats[at].spec.weight;
        had[at] += length / weight;
        longest = longest.max(length / weight);
        let gap = had.iter().fold(0.0_f64, |a, b| a.max(*b))
            - had.iter().fold(f64::MAX, |a, b| a.min(*b));
        assert!(gap <= longest, "utterance {:?}: {had:?}", entry.number);
    }
}

#[test]
fn passing_seat_is_not_asked_for_ever() {
    let mut talk = Talk::new(opened("weighted", &json!({"by": "words"}), 1));
    let mut asked = 0;
    let mut all = 0;
    for _ in 0..60 {
        while let Some(draft) = advance(&talk.live.state) {
            talk.append(draft);
        }
        let turn = talk.live.state.calls().next().and_then(|t| Some((t.call?, t.seat.clone())));
        let (call, seat) = turn.expect("somebody is asked");
        all += 1;
        asked += usize::from(*seat == *"a");
        let done = Done { text: Some(words(&seat).into()), ..Done::default() };
        let chunk = if *seat == *"a" { Chunk::Pass } else { Chunk::Done(done) };
        talk.take(&Input::Chunk(call, chunk));
    }
    assert!((5..=all / 3).contains(&asked), "{asked} of {all}");
}

#[test]
fn nobody_talkative_speaks_twice_in_a_row_and_the_silent_only_if_nobody_else_will() {
    let mut quiet = opened("talkative", &json!({}), 3);
    quiet.participants[0].talkativeness = 0.0;
    quiet.participants[1].talkativeness = 1.0;
    let mut talk = Talk::new(quiet);
    talk.go(300, |_, s| words(s));
    let turns = talk.in_turn();
    assert!(turns.windows(2).all(|w| w[0] != w[1]), "{turns:?}");
    let had = |id: &str| turns.iter().filter(|t| *t == id).count();
    assert!(had("a") < had("c") && had("c") < had("b"), "{turns:?}");
    let mut alone = opened("talkative", &json!({}), 3);
    alone.participants.truncate(1);
    let mut talk = Talk::new(alone);
    talk.go(3, |_, s| words(s));
    assert_eq!(talk.live.state.utterances, 3);
}

#[test]
fn no_phase_begins_with_the_last_speaker_of_the_phase_before() {
    let phase = |name: &str, who: &[&str], policy: &Value| json!({"name": name, "who": who, "policy": policy});
    let order = |policy: &str, order: &str, rounds: u32| json!({"name": policy, "options": {"rounds": rounds, "order": order}});
    for (policy, by) in [
        ("round_robin", "file"),
        ("round_robin", "shuffled"),
        ("talkative", "file"),
        ("bids", "file"),
    ] {
        for seed in 0..8 {
            let scenario = json!({"policy": {"name": "phases"}, "phase": [
                phase("first", &["a", "b"], &order("round_robin", "file", 1)),
                phase("second", &["b", "a"], &order(policy, by, 2)),
                phase("together", &["a", "b"], &order("simultaneous", "file", 1)),
                phase("last", &["b", "a"], &order("round_robin", "file", 1)),
            ]});
            let opened = table(scenario, ["a", "b"].map(seat).to_vec());
            let mut talk = Talk::new(Opened { seed, ..opened });
            talk.go(10, |_, s| words(s));
            let said: Vec<&str> =
                talk.live.state.entries.iter().filter_map(|e| Some(&**e.seat()?)).collect();
            assert_eq!(said.concat(), "abababab".to_owned() + "ba", "{policy} {by} {seed}");
        }
    }
}

#[test]
fn rounds_end_every_policy_that_takes_turns() {
    for (name, mut options) in sequential() {
        options["rounds"] = json!(2);
        let mut talk = Talk::new(opened(name, &options, 5));
        talk.go(100, |_, s| words(s));
        let ended = talk.live.state.ended.as_ref().map(|e| e.reason);
        assert_eq!(
            (talk.live.state.utterances, ended),
            (8, Some(StopReason::RoundLimit)),
            "{name}"
        );
    }
}

/// Event in a conversation besides its turns.
#[derive(Clone, Debug)]
pub enum Intervention {
    Say,
    SayTo(usize),
    Mention(usize),
    Mute(usize),
    Unmute(usize),
    Leave(usize),
}

pub fn interventions() -> impl Strategy<Value = Vec<(u32, Intervention)>> {
    let intervention = prop_oneof![
        Just(Intervention::Say),
        (0..4usize).prop_map(Intervention::SayTo),
        (0..4usize).prop_map(Intervention::Mention),
        (0..4usize).prop_map(Intervention::Mute),
        (0..4usize).prop_map(Intervention::Unmute),
        (1..4usize).prop_map(Intervention::Leave),
    ];
    prop::collection::vec((1..24u32, intervention), 0..8)
}

/// Plays a conversation with interventions after given utterances.
pub fn play(opened: Opened, interventions: &[(u32, Intervention)], utterances: u32) -> Talk {
    let mut talk = Talk::new(opened);
    talk.play(interventions, utterances);
    talk
}

impl Talk {
    /// Plays the conversation further.
    pub fn play(&mut self, interventions: &[(u32, Intervention)], utterances: u32) {
        let talk = self;
        for n in 1..=utterances {
            let mention = interventions.iter().find_map(|(at, intervention)| match intervention {
                Intervention::Mention(to) if *at == n => Some(SEATS[*to]),
                _ => None,
            });
            talk.go(n, |_, s| match mention {
                Some(to) => words(s).replacen("word", &format!("@{to}"), 1),
                None => words(s),
            });
            for (_, intervention) in interventions.iter().filter(|(at, _)| *at == n) {
                match intervention {
                    Intervention::Say => talk.command(json!({"do": "say", "text": "well now"})),
                    Intervention::SayTo(to) => {
                        talk.command(
                            json!({"do": "say", "text": format!("and you, @{}?", SEATS[*to])}),
                        );
                    }
                    Intervention::Mute(who) => {
                        talk.command(json!({"do": "mute", "who": SEATS[*who]}))
                    }
                    Intervention::Unmute(who) => {
                        talk.command(json!({"do": "unmute", "who": SEATS[*who]}))
                    }
                    Intervention::Leave(who) => {
                        talk.command(json!({"do": "leave", "who": SEATS[*who]}))
                    }
                    Intervention::Mention(_) => {}
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// With messages and mentions only, the policy's own order is that of an undisturbed conversation.
    #[test]
    fn neither_words_nor_mentions_move_the_pointer(interventions in interventions(), seed: u64) {
        let interventions: Vec<_> = interventions
            .into_iter()
            .filter(|(_, d)| matches!(d, Intervention::Say | Intervention::SayTo(_) | Intervention::Mention(_)))
            .collect();
        for (name, options) in sequential() {
            let plain = play(opened(name, &options, seed), &[], 24).in_turn();
            let disturbed = play(opened(name, &options, seed), &interventions, 24).in_turn();
            prop_assert_eq!(&plain[..disturbed.len()], &disturbed[..], "{} {}", name, options);
        }
    }

    /// Muted and absent seats are skipped; the order of the file applies to all others.
    #[test]
    fn a_mute_or_a_leaver_moves_no_pointer(interventions in interventions()) {
        let talk = play(opened("round_robin", &json!({}), 1), &interventions, 24);
        let mut able = [true; 4];
        let mut gone = [false; 4];
        let mut at = 0;
        let mut turns = talk.in_turn().into_iter();
        for n in 1..=24 {
            if able == [false; 4] {
                break;
            }
            while !able[at % 4] {
                at += 1;
            }
            let turn = turns.next();
            prop_assert_eq!(turn.as_deref(), Some(SEATS[at % 4]), "utterance {} of {:?}", n, talk.asked());
            at += 1;
            for (_, intervention) in interventions.iter().filter(|(at, _)| *at == n) {
                match intervention {
                    Intervention::Mute(who) => able[*who] = false,
                    Intervention::Unmute(who) => able[*who] = !gone[*who],
                    Intervention::Leave(who) => (able[*who], gone[*who]) = (false, true),
                    Intervention::Say | Intervention::SayTo(_) | Intervention::Mention(_) => {}
                }
            }
        }
    }

    /// With two seats that always name each other, the others have at least half of their turns.
    #[test]
    fn mutual_mentions_starve_nobody(seed: u64, first in 0..4usize, second in 0..4usize) {
        for (name, options) in sequential() {
            let mut talk = Talk::new(opened(name, &options, seed));
            talk.go(64, |_, s| match &**s {
                s if s == SEATS[first] => format!("you, @{}!", SEATS[second]),
                s if s == SEATS[second] => format!("no, you, @{}!", SEATS[first]),
                _ => "well".into(),
            });
            let asked = talk.asked();
            prop_assert!(asked.windows(2).all(|w| !(w[0].1 && w[1].1)), "{} {}: {:?}", name, options, asked);
            for id in SEATS {
                prop_assert!(asked.iter().any(|(who, _)| who == id), "{} in {} {}: {:?}", id, name, options, asked);
            }
        }
    }

    /// The conversation always continues, ends, or waits for the operator; without seats it ends.
    #[test]
    fn nobody_ready_is_an_end_and_no_hang(interventions in interventions(), seed: u64) {
        for (name, options) in sequential().into_iter().chain([("simultaneous", json!({})), ("manual", json!({}))]) {
            let mut talk = play(opened(name, &options, seed), &interventions, 24);
            for who in SEATS {
                talk.command(json!({"do": "leave", "who": who}));
            }
            talk.go(99, |_, s| words(s));
            let ended = talk.live.state.ended.as_ref().map(|e| e.reason);
            prop_assert_eq!(ended, Some(StopReason::Exhausted), "{} {}", name, options);
        }
    }
}

#[test]
fn the_first_of_the_file_is_never_skipped() {
    for seed in 0..50 {
        for (name, options) in sequential().into_iter().filter(|(_, o)| o["order"].is_null()) {
            let mut talk = Talk::new(opened(name, &options, seed));
            talk.go(40, |_, s| words(s));
            let turns = talk.in_turn();
            if name != "talkative" {
                assert_eq!(turns[0], "a", "{name}");
            }
            assert!(turns.iter().any(|t| t == "a"), "{name}: {turns:?}");
        }
    }
}
