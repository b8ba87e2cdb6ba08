//! Properties of the policies with choices, bids or dependencies, for any answer of the seats and any command of the
//! operator.

use crate::harness::{seat, table};
use crate::policies::{Intervention, SEATS, Talk, interventions, play, words};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns four seats and a moderator; `more` are options.
fn chosen(policy: &str, more: Value, seed: u64) -> Opened {
    let mut options = more;
    let mut seats = SEATS.map(seat).to_vec();
    if policy == "moderated" {
        options["moderator"] = json!("m");
        seats.push(Participant { speaks: false, ..seat("m") });
    }
    let scenario = json!({"policy": {"name": policy, "options": options}});
    Opened { seed, ..table(scenario, seats) }
}

/// Returns a cycle of four seats, each waiting for the previous one. The first one begins.
fn circle(max: u32) -> Opened {
    let seats = (0..4).map(|i| {
        let after = json!([{"participant": SEATS[(i + 3) % 4], "max": max}]);
        let runs = json!({"after": after, "starts": i == 0});
        let runs = serde_json::from_value(runs).expect("what makes a seat run");
        Participant { runs, max_utterances: Some(max), ..seat(SEATS[i]) }
    });
    let limits = json!({"batches": 500});
    table(json!({"policy": {"name": "depends"}, "limits": limits}), seats.collect())
}

fn said(talk: &Talk) -> Vec<String> {
    let who = talk.live.state.entries.iter().filter(|e| e.number.is_some());
    who.filter_map(|e| e.seat()).map(ToString::to_string).collect()
}

/// Returns an answer that can never be used: neither a choice nor a bid.
fn nothing(_: &colloquium::state::Live, _: &SeatId) -> String {
    "well, well".into()
}

fn only_words(interventions: Vec<(u32, Intervention)>) -> Vec<(u32, Intervention)> {
    let words = |d: &Intervention| {
        matches!(d, Intervention::Say | Intervention::SayTo(_) | Intervention::Mention(_))
    };
    interventions.into_iter().filter(|(_, d)| words(d)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    /// Without a readable choice or bid, the order of the file applies, and neither messages nor mentions change it.
    #[test]
    fn without_an_answer_the_order_of_the_file_holds(interventions in interventions(), seed: u64) {
        let interventions = only_words(interventions);
        for policy in ["moderated", "bids"] {
            let mut talk = Talk::new(chosen(policy, json!({}), seed));
            talk.answers = nothing;
            talk.play(&interventions, 24);
            let expected: Vec<&str> = SEATS.into_iter().cycle().take(24).collect();
            // turns that the operator grants by name are additional to the order
            let own: Vec<String> = talk.in_turn().into_iter().filter(|w| w.len() == 1 && w != "m").collect();
            prop_assert_eq!(&own[..], &expected[..own.len()], "{}", policy);
        }
    }

    /// With any answers of the moderator, no muted or absent seat gets the floor, and no seat more than twice in a row.
    #[test]
    fn a_moderator_keeps_the_rules(interventions in interventions(), seed: u64) {
        let talk = play(chosen("moderated", json!({}), seed), &interventions, 24);
        let mut able = [true; 4];
        let mut gone = [false; 4];
        let turns = said(&talk);
        let floor = interventions.iter().any(|(_, d)| matches!(d, Intervention::SayTo(_)));
        for (n, who) in turns.iter().enumerate() {
            let at = SEATS.iter().position(|s| s == who).unwrap();
            prop_assert!(able[at], "{} at {} of {:?}", who, n, turns);
            let others = able.iter().filter(|a| **a).count() > 1;
            let three = n >= 2 && turns[n - 1] == *who && turns[n - 2] == *who;
            let steady = !interventions.iter().any(|(at, _)| (n as u32).abs_diff(*at) < 4);
            prop_assert!(!(three && others && steady && !floor), "{:?}", turns);
            for (_, intervention) in interventions.iter().filter(|(at, _)| *at == n as u32 + 1) {
                match intervention {
                    Intervention::Mute(who) => able[*who] = false,
                    Intervention::Unmute(who) => able[*who] = !gone[*who],
                    Intervention::Leave(who) => (able[*who], gone[*who]) = (false, true),
                    Intervention::Say | Intervention::SayTo(_) | Intervention::Mention(_) => {}
                }
            }
        }
    }

    /// Every seat that bids at all gets the floor within two rounds and a turn for each seat, however high another one
    /// bids.
    #[test]
    fn a_loud_bidder_starves_nobody(seed: u64, loud in 0..4usize) {
        let mut talk = Talk::new(chosen("bids", json!({}), seed));
        talk.answers = match loud {
            0 => |_, s| if **s == *"a" { "10".into() } else { "1".into() },
            1 => |_, s| if **s == *"b" { "10".into() } else { "1".into() },
            2 => |_, s| if **s == *"c" { "10".into() } else { "1".into() },
            _ => |_, s| if **s == *"d" { "10".into() } else { "1".into() },
        };
        talk.go(60, |_, s| words(s));
        let turns = said(&talk);
        for window in turns.windows(12) {
            for id in SEATS {
                prop_assert!(window.iter().any(|w| w == id), "{} in {:?}", id, turns);
            }
        }
    }

    /// Messages and mentions leave the order of a chain of dependencies unchanged.
    #[test]
    fn messages_do_not_move_the_queue(interventions in interventions()) {
        let only = |d: &Intervention| matches!(d, Intervention::Say | Intervention::Mention(_));
        let interventions: Vec<_> = interventions.into_iter().filter(|(_, d)| only(d)).collect();
        let plain = play(circle(5), &[], 20);
        let talk = play(circle(5), &interventions, 20);
        prop_assert_eq!(said(&plain), said(&talk));
        prop_assert_eq!(&said(&plain)[0], "a");
    }

    /// Without seats, every policy ends the conversation, after any interventions.
    #[test]
    fn nobody_ready_is_an_end(interventions in interventions(), seed: u64) {
        let tables = [chosen("moderated", json!({}), seed), chosen("bids", json!({}), seed), circle(9)];
        for opened in tables {
            let mut talk = play(opened, &interventions, 24);
            for who in SEATS {
                talk.command(json!({"do": "leave", "who": who}));
            }
            talk.go(99, |_, s| words(s));
            prop_assert!(talk.live.state.ended.is_some(), "{:?}", talk.events.last());
        }
    }

    /// Two seats that always request each other end at their limits, and keep no other seat from running.
    #[test]
    fn mutual_wake_ups_starve_nobody(max in 1..6u32) {
        let mut opened = circle(max);
        opened.participants[2].runs.after[0].participant = "a".into();
        let mut talk = Talk::new(opened);
        talk.go(200, |_, s| match &**s {
            "a" => json!({"requests": [{"to": "b", "text": "and you?"}]}).to_string(),
            "b" => json!({"requests": [{"to": "a", "text": "no, you?"}]}).to_string(),
            _ => "well".into(),
        });
        let turns = said(&talk);
        for id in SEATS {
            let had = turns.iter().filter(|w| *w == id).count();
            prop_assert!((1..=max as usize).contains(&had), "{} in {:?}", id, turns);
        }
        prop_assert!(talk.live.state.ended.is_some());
    }
}
