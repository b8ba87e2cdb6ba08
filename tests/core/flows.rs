//! Difficult flows, one by one.

use crate::harness::*;
use crate::judging::judged;
use colloquium::model::*;
use serde_json::json;

#[tokio::test]
async fn the_order_of_the_file_begins_with_the_first() {
    let ran = play(round_robin(&["a", "b", "c"], 7), plain(), &[]).await;
    assert_eq!(ran.who(), "a b c a b c a");
    assert_eq!(ran.reason(), "utterance_limit");
}

#[tokio::test]
async fn a_mention_is_honoured_once_and_the_one_passed_over_comes_next() {
    let mut table = round_robin(&["a", "b", "c"], 6);
    table.scenario["policy"]["options"] = json!({"mentions": "once"});
    let stage = stage(|ask| {
        let first = &*ask.seat.id == "a" && ask.prompt.blocks.is_empty();
        Play::Words(if first { "what says @c now" } else { "well" }.into(), 10)
    });
    assert_eq!(play(table, stage, &[]).await.who(), "a c b c a b");
}

#[tokio::test]
async fn mutual_mentions_starve_nobody() {
    let mut table = round_robin(&["a", "b", "c"], 12);
    table.scenario["policy"]["options"] = json!({"mentions": "once"});
    let stage = stage(|ask| {
        let other = if &*ask.seat.id == "a" { "b" } else { "a" };
        Play::Words(format!("you, @{other}!"), 5)
    });
    let ran = play(table, stage, &[]).await;
    let said = |id: &str| ran.who().split(' ').filter(|w| *w == id).count();
    assert!(said("c") >= 2, "{}", ran.who());
}

#[tokio::test]
async fn a_simultaneous_round_is_blind() {
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 2}}});
    let table = || table(scenario.clone(), vec![seat("a"), seat("b"), seat("c")]);
    let ran = play(table(), plain(), &[]).await;
    assert_eq!(ran.state.entries.len(), 6);
    let blocks: Vec<usize> = ran.seen.iter().map(|r| r.prompt.blocks.len()).collect();
    assert_eq!(blocks, [0, 0, 0, 3, 3, 3]);
    let streams = |e: &Event| match &e.kind {
        Kind::Delta(d) => {
            d.pieces.iter().map(|r| r.0).collect::<std::collections::BTreeSet<_>>().len()
        }
        _ => 0,
    };
    assert_eq!(ran.events.iter().map(streams).max(), Some(3), "one delta carries all streams");
    assert_eq!(ran.lines, play(table(), plain(), &[]).await.lines, "same seed, same bytes");
}

#[tokio::test]
async fn joiner_speaks_in_a_running_phase_only_if_open_to_all() {
    let join = json!({"after": {"utterance": 1}, "do": "join", "participant": {"id": "d", "lines": ["hm"]}});
    for (open, who) in [(false, "b a b a"), (true, "b a d b a d")] {
        let phase = json!({"name": "talk", "who": ["b", "a"], "open": open,
                           "policy": {"name": "round_robin", "options": {"rounds": 2}}});
        let scenario = json!({"policy": {"name": "phases"}, "phase": [phase]});
        let ran = play(
            table(scenario, ["a", "b"].map(seat).into()),
            plain(),
            std::slice::from_ref(&join),
        )
        .await;
        assert_eq!(ran.who(), who, "in the order that the phase names, open: {open}");
    }
}

#[tokio::test]
async fn phases_inherit_the_transcript() {
    let scenario = json!({
        "policy": {"name": "phases"},
        "phase": [
            {"name": "blind", "who": ["a", "b"], "policy": {"name": "simultaneous", "options": {"rounds": 1}}},
            {"name": "rebuttal", "who": ["b", "a"], "policy": {"name": "round_robin", "options": {"rounds": 1}}},
        ],
    });
    let ran = play(table(scenario, vec![seat("a"), seat("b")]), plain(), &[]).await;
    let blocks: Vec<usize> = ran.seen.iter().map(|r| r.prompt.blocks.len()).collect();
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b b a", "completed"));
    assert_eq!(blocks, [0, 0, 2, 3]);
}

#[tokio::test]
async fn a_shuffled_order_gives_everyone_one_turn_a_round() {
    let mut table = round_robin(&["a", "b", "c", "d"], 12);
    table.scenario["policy"]["options"] = json!({"order": "shuffled"});
    let ran = play(table, plain(), &[]).await;
    let who = ran.who();
    let order: Vec<&str> = who.split(' ').collect();
    for round in order.chunks(4) {
        let mut round = round.to_vec();
        round.sort_unstable();
        assert_eq!(round, ["a", "b", "c", "d"]);
    }
    assert_ne!(order[..4], order[4..8], "a new order each round: {who}");
}

#[tokio::test]
async fn failures_are_tried_again_then_skipped_and_never_become_speech() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.attempt) {
        ("a", 1) => Play::Fail(20, ErrorClass::Failed),
        ("b", _) => Play::Fail(20, ErrorClass::Failed),
        _ => Play::Words("fine".into(), 10),
    });
    let ran = play(round_robin(&["a", "b", "c"], 4), stage, &[]).await;
    assert_eq!(ran.who(), "a c a c");
    assert!(ran.seen.iter().all(|r| r.prompt.blocks.iter().all(|b| &**b.text() == "fine")));
    let retries = ran.kinds().iter().filter(|k| **k == "call.retried").count();
    assert_eq!(retries, 4, "one for each turn of a and b");
    assert_eq!(ran.state.failed, 2);
}

#[tokio::test]
async fn a_failure_after_words_keeps_them_as_broken_off() {
    let stage = stage(|ask| match &*ask.seat.id {
        "a" => Play::Break("this is as far as".into(), 10),
        _ => Play::Words("go on".into(), 10),
    });
    let ran = play(round_robin(&["a", "b"], 2), stage, &[]).await;
    assert_eq!(ran.texts(), ["this is as far as", "go on"]);
    assert_eq!(ran.state.entries[0].version().cut, Some(CutWhy::BrokenOff));
}

#[tokio::test]
async fn silence_runs_into_the_time_out_and_the_table_goes_on() {
    let mut table = round_robin(&["a", "b"], 2);
    table.participants[0].timeouts.first = 5_000;
    table.participants[0].on_failure.retry = 0;
    let stage = stage(|ask| match &*ask.seat.id {
        "a" => Play::Silence,
        _ => Play::Words("anyway".into(), 10),
    });
    let ran = play(table, stage, &[]).await;
    assert_eq!(ran.who(), "b b");
    let ms = ran.state.ms.0;
    assert!((10_000..11_000).contains(&ms), "two time-outs of 5 s and little more: {ms}");
}

#[tokio::test]
async fn the_failure_rule_stops_or_pauses() {
    let failing = |then: Then| {
        let mut table = round_robin(&["a", "b"], 4);
        table.participants[1].on_failure = FailureRule { retry: 0, then, ..FailureRule::default() };
        table
    };
    let stage = || {
        stage(|ask| match &*ask.seat.id {
            "b" => Play::Fail(20, ErrorClass::NotFound),
            _ => Play::Words("hm".into(), 10),
        })
    };
    let stopped = play(failing(Then::Stop), stage(), &[]).await;
    assert_eq!((stopped.who().as_str(), stopped.reason()), ("a", "failure"));
    let paused = play(failing(Then::Pause), stage(), &[]).await;
    assert_eq!((paused.who().as_str(), paused.reason()), ("a", "failure"));
    assert!(paused.kinds().contains(&"paused"));
    let text = paused.state.ended.as_ref().and_then(|e| e.text.clone()).unwrap();
    assert!(text.contains("as the test wants it"), "{text}");
}

#[tokio::test]
async fn all_passed_is_an_end_of_its_own() {
    let ran = play(round_robin(&["a", "b"], 9), stage(|_| Play::Pass), &[]).await;
    assert_eq!((ran.reason(), ran.state.entries.len()), ("all_passed", 0));
}

#[tokio::test]
async fn nothing_stalls_goes_on_for_ever() {
    let ran =
        play(round_robin(&["a", "b"], 9), stage(|_| Play::Fail(5, ErrorClass::NotFound)), &[])
            .await;
    assert_eq!(ran.reason(), "failure");
}

#[tokio::test]
async fn a_stop_rule_ends_it() {
    let mut table = round_robin(&["a", "b"], 9);
    table.scenario["stop"] = json!([{"when": "turn_count >= 3"}]);
    assert_eq!(play(table, plain(), &[]).await.reason(), "condition");
    let mut table = round_robin(&["a", "b"], 9);
    table.scenario["stop"] = json!([{"word": {"word": "AGREED", "by": ["b"]}}]);
    let says = |text: &'static str| stage(move |_| Play::Words(text.into(), 5));
    assert_eq!(play(table.clone(), says("well\nAGREED, then"), &[]).await.reason(), "stop_word");
    assert_eq!(
        play(table, says("I have not AGREED to this"), &[]).await.reason(),
        "utterance_limit"
    );
}

#[tokio::test]
async fn fifty_seats_at_once_all_come_to_an_end() {
    let seats = (0..50).map(|i| seat(&format!("s{i}"))).collect();
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
    let mut table = table(scenario, seats);
    table.parallel = 50;
    let ran = play(table, stage(|_| Play::Words("word ".repeat(200), 20)), &[]).await;
    assert_eq!(ran.state.entries.len(), 50);
    assert!(ran.state.ms.0 < 5_000, "they really spoke at once: {} ms", ran.state.ms);
}

#[tokio::test]
async fn a_server_that_asks_to_wait_is_left_alone_and_costs_no_retry() {
    let asks = |ms: u64| {
        stage(move |ask| match ask.attempt {
            1 | 2 => Play::AskToWait(ms),
            _ => Play::Words("now".into(), 10),
        })
    };
    let mut table = round_robin(&["a"], 1);
    table.participants[0].on_failure.retry = 0;
    let ran = play(table.clone(), asks(20_000), &[]).await;
    assert_eq!(ran.texts(), ["now"]);
    assert!(ran.state.ms.0 >= 40_000, "{}", ran.state.ms);
    let ran = play(table, asks(40_000), &[]).await;
    assert_eq!((ran.texts().len(), ran.state.failed > 0), (0, true), "a minute in all is enough");
}

/// Returns the delays between the calls in the first turn of every seat, in milliseconds.
fn waits(ran: &Ran) -> Vec<u64> {
    let granted = |e: &&Event| matches!(e.kind, Kind::FloorGranted(_));
    let first: Vec<u64> = ran.events.iter().filter(granted).map(|e| e.seq.0).collect();
    let first = &first[..ran.state.seats.len()];
    let wait = |e: &Event| match &e.kind {
        Kind::CallRetried(r) if first.contains(&r.turn.0) => Some(r.wait_ms),
        _ => None,
    };
    ran.events.iter().filter_map(wait).collect()
}

#[tokio::test]
async fn a_server_that_asks_to_be_asked_at_once_is_asked_five_times_at_growing_distances() {
    for ms in [0, 1, 1_000] {
        let mut table = round_robin(&["a"], 1);
        table.participants[0].on_failure.retry = 10;
        let ran = play(table.clone(), stage(move |_| Play::AskToWait(ms)), &[]).await;
        let waits = waits(&ran);
        let floors = [500, 1_000, 2_000, 4_000].map(|floor: u64| floor.max(ms));
        let fits = |(wait, floor): (&u64, u64)| (floor..=floor * 5 / 4).contains(wait);
        assert!(waits.len() == 4 && waits.iter().zip(floors).all(fits), "{ms}: {waits:?}");
        assert!(ran.state.failed > 0, "then the failure rule holds");
        // a seat with other bounds in the settings is retried within those bounds
        (table.participants[0].on_failure.tries, table.participants[0].on_failure.wait) =
            (9, 5_000);
        let ran = play(table, stage(move |_| Play::AskToWait(ms)), &[]).await;
        let waited: u64 = self::waits(&ran).iter().sum();
        assert!((2..9).contains(&self::waits(&ran).len()) && waited <= 5_000, "{ms}: {waited}");
    }
}

#[tokio::test]
async fn seats_that_one_server_turned_away_do_not_come_back_together() {
    let seats: Vec<Participant> = (0..8).map(|i| seat(&format!("s{i}"))).collect();
    let policy = json!({"name": "simultaneous", "options": {"rounds": 1}});
    let stage = stage(|ask| match ask.attempt {
        1 => Play::AskToWait(7_000),
        _ => Play::Words("now".into(), 10),
    });
    let mut waits = waits(&play(table(json!({"policy": policy}), seats), stage, &[]).await);
    waits.sort_unstable();
    waits.dedup();
    assert!(waits.len() == 8 && waits[0] >= 7_000, "{waits:?}");
}

#[tokio::test]
async fn a_wait_ends_at_once_when_time_is_up_or_somebody_skips_it_or_another_failure_stops_all() {
    let asks = || {
        stage(|ask| match &*ask.seat.id {
            "a" => Play::AskToWait(30_000),
            _ => Play::Fail(2_000, ErrorClass::NotFound),
        })
    };
    let mut timed = round_robin(&["a"], 1);
    timed.scenario["limits"]["seconds"] = 5.into();
    let policy = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
    let mut stopped = table(policy, vec![seat("a"), seat("b")]);
    stopped.participants[1].on_failure =
        FailureRule { retry: 0, then: Then::Stop, ..FailureRule::default() };
    let skip = json!({"at": "3s", "do": "skip"});
    let end = json!({"at": "3s", "do": "end"});
    for (table, line, reason, ms) in [
        (timed, None, "time_limit", 5_000),
        (stopped, None, "failure", 2_000),
        (round_robin(&["a"], 1), Some(end), "operator", 3_000),
    ] {
        let ran = play(table, asks(), line.as_slice()).await;
        assert_eq!(ran.reason(), reason);
        assert!((ms..ms + 100).contains(&ran.state.ms.0), "{reason}: {}", ran.state.ms);
    }
    // a participant that is muted meanwhile is not waited for
    for line in [skip, json!({"at": "3s", "do": "mute", "who": "a"})] {
        let ran = play(round_robin(&["a", "b"], 1), asks(), &[line]).await;
        let ended = ran.events.iter().find(|e| matches!(e.kind, Kind::TurnEnded(_))).unwrap();
        assert!((3_000..3_100).contains(&ended.ms.0), "{}", ended.ms);
    }
}

#[tokio::test]
async fn speaker_has_ten_seconds_after_the_time_limit() {
    let mut table = round_robin(&["a"], 9);
    table.scenario["limits"]["seconds"] = 5.into();
    let slow = |words: usize| stage(move |_| Play::Words("word ".repeat(words), 1_000));
    let ran = play(table.clone(), slow(12), &[]).await;
    assert_eq!((ran.reason(), ran.texts()[0].split(' ').count()), ("time_limit", 13));
    assert_eq!(ran.state.entries[0].version().cut, None);
    let ran = play(table.clone(), stage(|_| Play::Drones), &[]).await;
    assert_eq!((ran.reason(), ran.state.ms), ("time_limit", Ms(15_000)));
    assert_eq!(ran.state.entries[0].version().cut, Some(CutWhy::Timeout));
    let ran = play(table, stage(|_| Play::Silence), &[]).await;
    assert_eq!((ran.reason(), ran.state.ms, ran.state.failed), ("time_limit", Ms(15_000), 0));
}

#[tokio::test]
async fn a_name_that_comes_later_and_passes_for_another_is_told_apart() {
    let join = |id: &str, name: &str| json!({"do": "join", "participant": {"id": id, "name": name, "script": ["x"]}});
    let rename = json!({"do": "change", "who": "b", "set": {"name": "Ｈｏｓｔ"}});
    let steer = [join("c", "В"), join("d", "\u{2800}"), join("e", "Eve"), rename];
    let mut table = round_robin(&["a", "b"], 1);
    table.participants[1].name = "B".into();
    let ran = play(table, plain(), &steer).await;
    let names: Vec<&str> = ran.state.seats.iter().map(|s| &*s.spec.name).collect();
    assert_eq!(
        names,
        ["a", "Ｈｏｓｔ (participant b)", "В (participant c)", "(participant d)", "Eve"]
    );
}

/// In a simultaneous round, it does not matter who is done last.
#[tokio::test]
async fn a_stop_word_counts_in_each_turn_of_a_round() {
    for speaker in ["a", "b"] {
        let mut opened = round_robin(&["a", "b"], 8);
        opened.scenario["policy"] = json!({"name": "simultaneous"});
        opened.scenario["stop"] = json!([{"word": {"word": "DONE"}}]);
        let voices = stage(move |ask| {
            let first = ask.prompt.blocks.is_empty();
            let text = if !first && *ask.seat.id == *speaker { "well\nDONE" } else { "go on" };
            Play::Words(text.into(), if *ask.seat.id == *"a" { 5 } else { 50 })
        });
        let ran = play(opened, voices, &[]).await;
        assert_eq!((ran.reason(), ran.state.utterances), ("stop_word", 4), "{speaker}");
        let text = ran.state.ended.as_ref().unwrap().text.clone();
        assert_eq!(text.as_deref(), Some(&*format!("{speaker}: DONE")));
    }
}

/// A rule that waits for the rest of a round comes before a later rule that asks.
#[tokio::test]
async fn the_first_stop_rule_that_applies_decides() {
    let mut opened = judged(&["k"], false, 1, "draw");
    opened.scenario["policy"] = json!({"name": "simultaneous"});
    opened.scenario["limits"] = json!({"utterances": 9});
    opened.parallel = 1;
    opened.scenario["stop"] =
        json!([{"word": {"word": "DONE"}}, {"when": "turn_count >= 1", "ask": true}]);
    let voices = stage(|ask| match (ask.purpose, &*ask.seat.id) {
        (Purpose::Speak, "a") => Play::Words("DONE".into(), 5),
        (Purpose::Speak, _) => Play::Words("go on".into(), 5),
        _ => Play::Words(json!({"winner": "a"}).to_string(), 5),
    });
    let ran = play(opened, voices, &[]).await;
    assert!(!ran.kinds().contains(&"paused"), "{:?}", ran.kinds());
    assert_eq!((ran.reason(), ran.who().as_str()), ("stop_word", "a b"), "{:?}", ran.kinds());
}

#[tokio::test]
async fn a_stop_word_is_somebodys_own_and_a_marker_is_one() {
    let rules = json!([{"word": {"word": "NEVER"}}, {"word": {"word": "[DONE]"}}]);
    let mut opened = round_robin(&["a", "b"], 4);
    opened.scenario["stop"] = rules;
    let rule = |ran: &Ran| ran.state.ended.as_ref().and_then(|ended| ended.rule);
    let quoting = || {
        stage(|ask| match ask.number {
            Some(1) => Play::Words("as in\n```\n[DONE]\n```\nor\n> [DONE]\nthat is all".into(), 5),
            Some(2) => Play::Words("well\n[DONE]".into(), 5),
            _ => Play::Words("more".into(), 5),
        })
    };
    let ran = play(opened.clone(), quoting(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason(), rule(&ran)), ("a b", "stop_word", Some(1)));
    let markers = Contract { form: Form::Markers(vec!["[DONE]".into()]), ..Contract::default() };
    opened.participants.iter_mut().for_each(|p| p.reply = markers.clone());
    let ran = play(opened, quoting(), &[]).await;
    assert_eq!(ran.reason(), "stop_word", "the marker itself is gone from the words");
    assert_eq!(rule(&ran), Some(1));
}
