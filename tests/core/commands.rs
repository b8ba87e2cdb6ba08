//! Commands of the operator: the documented effect of each one on messages, turns and receipts.

use crate::harness::*;
use colloquium::model::ReceiptIs::{Delivered, Done, Queued, TooLate};
use colloquium::model::*;
use serde_json::json;

#[tokio::test]
async fn cut_in_keeps_shown_text_and_comes_next() {
    let steer = [
        json!({"during": {"utterance": 2, "words": 3}, "id": "x", "do": "cut_in", "text": "stop that"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    assert_eq!(ran.who(), "a b operator c a");
    assert_eq!(ran.texts()[1..3], ["b speaks of ", "stop that"]);
    assert_eq!(ran.state.entries[1].version().cut, Some(CutWhy::CutIn));
    assert_eq!(ran.receipts("x"), [Done, Delivered]);
    let told = &ran.seen[2].prompt.blocks;
    assert_eq!(
        told.last(),
        Some(&Block::Operator {
            number: None,
            text: "stop that".into(),
            whisper: false,
            material: None
        })
    );
    assert!(matches!(&told[1], Block::Other { cut: true, .. }), "others are told that it was cut");
}

#[tokio::test]
async fn cut_in_on_one_of_several_leaves_the_others_speaking() {
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
    let steer = [
        json!({"during": {"utterance": 2, "words": 2}, "do": "cut_in", "who": "b", "text": "you!"}),
    ];
    let ran = play(table(scenario, vec![seat("a"), seat("b"), seat("c")]), plain(), &steer).await;
    assert_eq!(ran.who(), "b operator a c");
    assert_eq!(ran.texts()[0], "b speaks ");
    assert_eq!(ran.texts()[2], "a speaks of 0 things here");
}

#[tokio::test]
async fn a_pause_holds_however_long() {
    for now in [false, true] {
        let verb = if now { "pause_now" } else { "pause" };
        let steer = [
            json!({"during": {"utterance": 1, "words": 2}, "id": "p", "do": verb}),
            json!({"at": "10h", "id": "r", "do": "resume"}),
        ];
        let ran = play(round_robin(&["a", "b"], 2), plain(), &steer).await;
        assert_eq!(ran.who(), "a b");
        assert_eq!(ran.texts()[0] == "a speaks ", now, "{:?}", ran.texts());
        assert_eq!(ran.receipts("r"), [Done]);
        assert_eq!(ran.receipts("p").last(), Some(&Done));
        let mut started = ran.events.iter().filter(|e| matches!(e.kind, Kind::CallStarted(_)));
        assert!(
            started.next_back().unwrap().ms.0 >= 36_000_000,
            "the second call waited ten hours"
        );
        assert!(ran.state.running.at(ran.state.ms) < 5_000, "paused time is not running time");
    }
}

#[tokio::test]
async fn step_grants_exactly_so_many() {
    let steer = [
        json!({"do": "pause"}),
        json!({"when": "paused and turn_count == 0", "do": "step", "n": 2}),
        json!({"when": "paused and turn_count == 2", "do": "step"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c", "failure"));
    let scenario = json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}});
    let steer = [
        json!({"do": "pause"}),
        json!({"when": "paused and turn_count == 0", "do": "step"}),
        json!({"when": "paused and turn_count == 1", "do": "resume"}),
    ];
    let ran = play(table(scenario, vec![seat("a"), seat("b"), seat("c")]), plain(), &steer).await;
    assert_eq!(ran.who(), "a b c");
    assert!(ran.seen.iter().all(|r| r.prompt.blocks.is_empty()), "still blind after a step");
}

#[tokio::test]
async fn say_waits_for_the_utterance_and_a_leading_name_gives_the_floor() {
    let steer = [
        json!({"during": {"utterance": 1, "words": 2}, "id": "s", "do": "say", "text": "@c your view?"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    assert_eq!(ran.who(), "a operator c b c");
    assert_eq!(ran.receipts("s"), [Queued, Done, Delivered]);
}

#[tokio::test]
async fn queued_words_can_be_edited_and_dropped_until_delivered() {
    let steer = [
        json!({"during": {"utterance": 1, "words": 1}, "id": "one", "do": "say", "text": "first"}),
        json!({"during": {"utterance": 1, "words": 1}, "id": "two", "do": "say", "text": "second"}),
        json!({"during": {"utterance": 1, "words": 2}, "id": "e", "do": "edit_queued", "of": "one", "text": "mended"}),
        json!({"during": {"utterance": 1, "words": 2}, "id": "d", "do": "drop_queued", "of": "two"}),
        json!({"after": {"utterance": 2}, "id": "late", "do": "edit_queued", "of": "one", "text": "no"}),
    ];
    let ran = play(round_robin(&["a", "b"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a operator b a");
    assert_eq!(ran.texts()[1], "mended");
    assert_eq!(ran.receipts("late"), [TooLate]);
    assert_eq!(ran.receipts("two"), [Queued, Done]);
}

#[tokio::test]
async fn a_floor_that_waits_can_be_taken_back_by_itself_or_with_its_words() {
    for given in [json!({"do": "floor", "to": "c"}), json!({"do": "say", "text": "@c and you?"})] {
        let mut given = given;
        given["during"] = json!({"utterance": 1, "words": 1});
        given["id"] = json!("f");
        let steer = [
            given,
            json!({"during": {"utterance": 1, "words": 2}, "id": "d", "do": "drop_queued", "of": "f"}),
            json!({"after": {"utterance": 2}, "id": "late", "do": "drop_queued", "of": "f"}),
        ];
        let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
        assert_eq!(ran.who(), "a b c a", "nobody speaks out of turn");
        assert_eq!(ran.receipts("f"), [Queued, Done]);
        assert_eq!((ran.receipts("d"), ran.receipts("late")), (vec![Done], vec![TooLate]));
    }
    let steer = [
        json!({"during": {"utterance": 1, "words": 1}, "id": "f", "do": "floor", "to": "c"}),
        json!({"after": {"utterance": 2}, "id": "late", "do": "drop_queued", "of": "f"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.receipts("late")), ("a c b c", vec![TooLate]));
}

#[tokio::test]
async fn a_note_reaches_each_once_also_on_retry() {
    let stage = stage(|ask| match (&*ask.seat.id, ask.attempt) {
        ("b", 1) => Play::Fail(30, ErrorClass::Failed),
        _ => Play::Words("hm yes".into(), 10),
    });
    let steer = [json!({"id": "n", "do": "note", "to": ["a", "b"], "text": "be brief"})];
    let ran = play(round_robin(&["a", "b", "c"], 7), stage, &steer).await;
    let got: Vec<&str> =
        ran.seen.iter().filter(|r| !r.prompt.notes.is_empty()).map(|r| &*r.seat.id).collect();
    assert_eq!(got, ["a", "b", "b"], "the second b is the retry of the same turn");
    assert_eq!(ran.receipts("n"), [Queued, Delivered, Delivered]);
}

#[tokio::test]
async fn notes_live_as_long_as_they_say() {
    let notes = |steer: Vec<serde_json::Value>| async move {
        let ran = play(round_robin(&["a", "b"], 6), plain(), &steer).await;
        let seen = ran.seen.iter().map(|r| r.prompt.notes.len().to_string());
        seen.collect::<Vec<_>>().join("")
    };
    let standing = json!({"id": "n", "do": "note", "text": "x", "for": "standing"});
    assert_eq!(notes(vec![standing.clone()]).await, "111111");
    let lift = json!({"after": {"utterance": 3}, "do": "lift_note", "note": "n"});
    assert_eq!(notes(vec![standing, lift]).await, "111000");
    let round = json!({"after": {"utterance": 2}, "do": "note", "text": "x", "for": "round"});
    // posted after round 1 and before round 2: the note belongs to round 1
    assert_eq!(notes(vec![round]).await, "000000");
    let round =
        json!({"during": {"utterance": 3, "words": 1}, "do": "note", "text": "x", "for": "round"});
    assert_eq!(notes(vec![round]).await, "000100");
    let muted = [
        json!({"id": "n", "do": "note", "to": "b", "text": "x"}),
        json!({"do": "mute", "who": "b"}),
        json!({"after": {"utterance": 3}, "do": "unmute", "who": "b"}),
    ];
    assert_eq!(notes(muted.to_vec()).await, "000100", "it waits for a muted seat");
}

#[tokio::test]
async fn a_whisper_is_one_seats_alone_and_words_put_in_a_mouth_are_its_own() {
    let steer = [
        json!({"after": {"utterance": 1}, "id": "w", "do": "whisper", "to": "b", "text": "psst"}),
        json!({"after": {"utterance": 2}, "do": "speak_as", "who": "a", "text": "I was wrong"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    let heard =
        |n: usize, text: &str| ran.seen[n].prompt.blocks.iter().any(|b| &**b.text() == text);
    assert!(heard(1, "psst") && !heard(2, "psst") && !heard(3, "psst"));
    assert!(
        ran.seen[3].prompt.blocks.contains(&Block::Own { text: "I was wrong".into(), cut: false })
    );
    assert!(heard(2, "I was wrong"));
    assert_eq!(ran.state.utterances, 4, "neither counts");
    assert_eq!(ran.receipts("w"), [Done, Delivered]);
}

#[tokio::test]
async fn the_floor_goes_where_it_is_given_and_the_order_goes_on() {
    let steer = [json!({"after": {"utterance": 1}, "id": "f", "do": "floor", "to": "c"})];
    let ran = play(round_robin(&["a", "b", "c"], 5), plain(), &steer).await;
    assert_eq!(ran.who(), "a c b c a");
    assert_eq!(ran.receipts("f"), [Queued, Done]);
    // the floor of the seat that is next anyway is its turn
    let steer = [json!({"after": {"utterance": 1}, "id": "f", "do": "floor", "to": "b"})];
    let ran = play(round_robin(&["a", "b", "c"], 7), plain(), &steer).await;
    assert_eq!(ran.who(), "a b c a b c a");
    assert_eq!(ran.receipts("f"), [Queued, Done]);
    let refused = |steer: serde_json::Value| async move {
        let mute = json!({"do": "mute", "who": "b"});
        let ran = play(round_robin(&["a", "b"], 2), plain(), &[mute, steer]).await;
        let why = |e: &Event| match &e.kind {
            Kind::CommandRefused(r) => Some(r.why.to_string()),
            _ => None,
        };
        ran.events.iter().find_map(why).expect("a refusal")
    };
    assert!(refused(json!({"do": "floor", "to": "b"})).await.contains("muted"));
    assert!(refused(json!({"do": "floor", "to": "nobody"})).await.contains("the cast is a, b"));
}

#[tokio::test]
async fn manual_waits_for_the_floor_to_be_given() {
    let scenario = json!({"policy": {"name": "manual"}, "limits": {"utterances": 2}});
    let steer = [
        json!({"at": "1s", "do": "floor", "to": "b"}),
        json!({"at": "2m", "do": "floor", "to": "a"}),
    ];
    let ran = play(table(scenario, vec![seat("a"), seat("b")]), plain(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("b a", "utterance_limit"));
}

#[tokio::test]
async fn skip_stops_the_speaker_or_passes_over_the_next() {
    let steer = [json!({"during": {"utterance": 2, "words": 2}, "do": "skip"})];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.texts()[1], "b speaks ");
    let steer = [
        json!({"after": {"utterance": 1}, "do": "pause"}),
        json!({"when": "paused", "id": "s", "do": "skip"}),
        json!({"at": "1m", "do": "resume"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a c a");
    assert_eq!(ran.receipts("s"), [Queued, Done]);
}

#[tokio::test]
async fn seats_are_muted_leave_join_and_change_while_the_order_stays() {
    let steer = [
        json!({"after": {"utterance": 1}, "do": "mute", "who": "b"}),
        json!({"after": {"utterance": 2}, "do": "unmute", "who": "b"}),
        json!({"during": {"utterance": 4, "words": 2}, "do": "leave", "who": "b"}),
        json!({"after": {"utterance": 5}, "do": "join",
               "participant": {"id": "d", "name": "Dee", "lines": ["hello"]}}),
        json!({"after": {"utterance": 6}, "do": "change", "who": "a", "set": {"name": "Anna"}}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &steer).await;
    assert_eq!(ran.who(), "a c a b c d a c d");
    assert_eq!(ran.texts()[3], "b speaks ");
    assert_eq!(&*ran.state.seat("a").unwrap().spec.name, "Anna");
    // joins and leaves have the same kind of event for every cause
    let told: Vec<(&str, &str, bool)> = ran
        .events
        .iter()
        .filter_map(|e| match &e.kind {
            Kind::SeatJoined(j) => Some((&*j.participant.id.0, &*e.by, e.cause.is_some())),
            Kind::SeatLeft(l) => Some((&*l.id.0, &*e.by, e.cause.is_some())),
            _ => None,
        })
        .collect();
    assert_eq!(told, [("b", "operator", true), ("d", "operator", true)] as [(&str, &str, bool); 2]);
}

#[tokio::test]
async fn the_last_utterance_is_spoken_anew_and_either_can_count() {
    let said = std::sync::atomic::AtomicU32::new(0);
    let stage = stage(move |_| {
        let n = said.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Play::Words(format!("take {n}"), 10)
    });
    let steer = [
        json!({"after": {"utterance": 2}, "id": "r", "do": "reroll"}),
        json!({"during": {"utterance": 3, "words": 1}, "do": "choose", "utterance": 2, "alternative": 1}),
        json!({"during": {"utterance": 3, "words": 1}, "id": "old", "do": "reroll", "utterance": 1}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), stage, &steer).await;
    assert_eq!(ran.texts(), ["take 4", "take 1", "take 3", "take 5"]);
    assert_eq!(ran.state.entries[1].versions.len(), 2);
    assert_eq!(ran.receipts("r").last(), Some(&Done));
    assert_eq!(ran.seen[2].prompt.blocks.len(), 1, "spoken again, it sees what it saw");
    let refused = ran.kinds().contains(&"command.refused");
    assert!(!refused && ran.receipts("old").last() == Some(&Done), "an earlier one too");
    assert_eq!(ran.state.entries[0].versions.len(), 2);
}

#[tokio::test]
async fn edits_and_hidings_change_later_prompts_only() {
    let steer = [
        json!({"after": {"utterance": 2}, "do": "edit", "utterance": 1, "text": "edited"}),
        json!({"after": {"utterance": 3}, "do": "hide", "utterance": 2}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 4), plain(), &steer).await;
    let texts =
        |n: usize| -> Vec<&str> { ran.seen[n].prompt.blocks.iter().map(|b| &**b.text()).collect() };
    assert_eq!(texts(2)[0], "edited");
    assert_eq!(texts(3).len(), 2, "the hidden one is not there: {:?}", texts(3));
    let log: Vec<&Event> = ran.events.iter().filter(|e| e.kind.name() == "turn.ended").collect();
    assert!(matches!(&log[0].kind, Kind::TurnEnded(e) if e.text.starts_with("a speaks")));
}

#[tokio::test]
async fn an_end_comes_at_once_or_after_a_final_round() {
    let steer = [json!({"during": {"utterance": 2, "words": 2}, "do": "end"})];
    let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &steer).await;
    assert_eq!((ran.texts()[1], ran.reason()), ("b speaks ", "operator"));
    let steer = [json!({"during": {"utterance": 2, "words": 2}, "do": "end", "final_round": true})];
    let ran = play(round_robin(&["a", "b", "c"], 9), plain(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b c", "operator"));
}

#[tokio::test]
async fn a_human_seat_speaks_passes_and_is_waited_for() {
    let table = || {
        let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 4}});
        table(scenario, vec![seat("a"), human("me")])
    };
    let steer = [
        json!({"at": "2h", "id": "s", "do": "speak", "who": "me", "text": "my words, @a"}),
        json!({"after": {"utterance": 3}, "id": "p", "do": "pass", "who": "me"}),
        json!({"id": "not", "do": "speak", "who": "a", "text": "x"}),
    ];
    let ran = play(table(), plain(), &steer).await;
    assert_eq!(ran.who(), "a me a a");
    assert_eq!(ran.receipts("s"), [Done]);
    assert_eq!(ran.receipts("p"), [Queued, Done], "it waits for the floor to come");
    assert!(ran.state.running.at(ran.state.ms) < 5_000, "waiting for a person is not running time");
    let alone = play(table(), plain(), &[]).await;
    assert_eq!((alone.who().as_str(), alone.reason()), ("a", "failure"));
}

#[tokio::test]
async fn marks_renames_and_limits() {
    let steer = [
        json!({"id": "m", "do": "mark", "text": "here"}),
        json!({"id": "t", "do": "rename", "text": "another title"}),
        json!({"after": {"utterance": 2}, "id": "l", "do": "limit", "set": {"utterances": 3}}),
        json!({"id": "v", "do": "verdict"}),
    ];
    let ran = play(round_robin(&["a", "b"], 9), plain(), &steer).await;
    assert_eq!((ran.state.entries.len(), ran.reason()), (3, "utterance_limit"));
    assert_eq!(ran.state.title.as_deref(), Some("another title"));
    assert_eq!(ran.state.marks.len(), 1);
    for id in ["m", "t", "l"] {
        assert_eq!(ran.receipts(id), [Done], "{id}");
    }
    assert!(ran.kinds().contains(&"command.refused"), "there is no judge to give a verdict");
}

/// A seat that was stopped before its first word gets the floor again, under the same number, with the newer messages.
#[tokio::test]
async fn seat_stopped_before_its_first_word_keeps_the_turn() {
    let steer = [
        json!({"when": "'b' in speaking", "do": "pause_now"}),
        json!({"when": "paused", "do": "say", "text": "take your time"}),
        json!({"at": "60s", "do": "resume"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a operator b c");
    assert_eq!(ran.state.entries[2].number, Some(2));
    let steer = [json!({"when": "'b' in speaking", "do": "cut_in", "text": "one thing, please"})];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a operator b c", "it answers the person");
    let b = ran.seen.iter().rfind(|r| r.seat.id == "b").unwrap();
    assert!(matches!(b.prompt.blocks.last(), Some(Block::Operator { .. })));
    let steer = [
        json!({"when": "'b' in speaking", "do": "pause_now"}),
        json!({"when": "paused", "do": "mute", "who": "b"}),
        json!({"at": "60s", "do": "resume"}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    assert_eq!(ran.who(), "a c a", "unless it muted meanwhile");
}

/// Muting or removing the last seat that can speak is not an end, because it can be undone.
#[tokio::test]
async fn muting_the_last_speaker_waits() {
    let steer = [
        json!({"after": {"utterance": 1}, "do": "mute", "who": "a"}),
        json!({"after": {"utterance": 1}, "do": "mute", "who": "b"}),
        json!({"at": "60s", "do": "unmute", "who": "b"}),
    ];
    let ran = play(round_robin(&["a", "b"], 3), plain(), &steer).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b b", "utterance_limit"));
    let ran = play(round_robin(&["a", "b"], 3), plain(), &steer[..2]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a", "failure"));
    let why = ran.state.ended.clone().unwrap().text.unwrap();
    assert!(why.contains("everybody who could speak is muted"), "{why}");
}

/// A grant for a seat that is muted first expires: it does not come back after `unmute`.
#[tokio::test]
async fn a_floor_for_a_seat_that_is_muted_first_is_gone() {
    let steer = [
        json!({"during": {"utterance": 1, "words": 1}, "id": "f", "do": "floor", "to": "d"}),
        json!({"during": {"utterance": 1, "words": 2}, "do": "mute", "who": "d"}),
        json!({"during": {"utterance": 1, "words": 3}, "do": "unmute", "who": "d"}),
    ];
    let ran = play(round_robin(&["a", "b", "c", "d"], 3), plain(), &steer).await;
    assert_eq!(ran.receipts("f").last(), Some(&TooLate));
    assert_eq!(ran.who(), "a b c");
}

/// A pause between two turns takes effect at once, so that a following step is one step.
#[tokio::test]
async fn a_step_right_behind_a_pause_is_one() {
    let steer = [
        json!({"after": {"utterance": 1}, "id": "p", "do": "pause"}),
        json!({"after": {"utterance": 1}, "id": "s", "do": "step"}),
    ];
    let ran = play(round_robin(&["a", "b"], 9), plain(), &steer).await;
    assert_eq!(ran.who(), "a b");
    assert_eq!((ran.receipts("p"), ran.receipts("s")), (vec![Done], vec![Done]));
    let ran = play(round_robin(&["a", "b"], 9), plain(), &steer[..1]).await;
    assert_eq!(ran.who(), "a");
}

/// A leading `@name` in the operator's message is one grant, with mentions on as well.
#[tokio::test]
async fn a_leading_name_is_one_grant() {
    let steer = [json!({"after": {"utterance": 1}, "do": "say", "text": "@c and you?"})];
    for name in ["round_robin", "weighted"] {
        let mut opened = round_robin(&["a", "b", "c"], 4);
        opened.scenario["policy"] = json!({"name": name, "options": {"mentions": "once"}});
        let ran = play(opened, plain(), &steer).await;
        assert_eq!(ran.who(), "a operator c b c", "{name}");
    }
}

/// Hidden messages reach nobody: no prompt, no script's `last`, no condition; `unhide` restores them.
#[tokio::test]
async fn hidden_turns_are_hidden_everywhere() {
    let hide = json!({"after": {"utterance": 1}, "do": "hide", "utterance": 1});
    let edit = json!({"after": {"utterance": 1}, "id": "e", "do": "edit", "utterance": 1, "text": "other"});
    let unhide = json!({"after": {"utterance": 1}, "do": "unhide", "utterance": 1});
    let secret = || {
        stage(|ask| Play::Words(if &*ask.seat.id == "a" { "SECRET" } else { "well" }.into(), 10))
    };
    let shown = |ran: &Ran| {
        let b = ran.seen.iter().find(|r| r.seat.id == "b").unwrap();
        let all = format!("{} {:?}", b.facts, b.prompt);
        all.contains("SECRET")
    };
    let rules = || {
        let mut opened = round_robin(&["a", "b"], 3);
        opened.scenario["stop"] = json!([{"when": "'SECRET' in utterances[0].text"}]);
        opened
    };
    let ran = play(rules(), secret(), &[hide.clone(), edit]).await;
    assert!(!shown(&ran), "{:?}", ran.seen[1].facts);
    let refused =
        |e: &Event| matches!(&e.kind, Kind::CommandRefused(r) if r.why.contains("`unhide`"));
    assert!(ran.events.iter().any(refused), "a hidden utterance is not edited");
    assert_eq!(ran.who(), "a b a", "a condition sees nothing of it");
    let mut plain = rules();
    plain.scenario["stop"] = json!([]);
    let ran = play(plain, secret(), &[hide.clone(), hide, unhide]).await;
    assert!(shown(&ran), "shown again");
    assert_eq!(ran.events.iter().filter(|e| refused(e)).count(), 1, "it is hidden once");
}

/// A breakpoint acts each time its condition becomes true, also after a resume, and never twice for one occurrence.
#[tokio::test]
async fn breakpoints_act_each_time() {
    let every = json!({"when": "turn_count % 2 == 0 and turn_count > 0", "every": true, "do": "mark", "text": "even"});
    let after = json!({"after": {"participant": "b"}, "every": true, "do": "mark", "text": "b"});
    let once = json!({"after": {"participant": "b"}, "do": "mark", "text": "once"});
    let steer = [every, after, once];
    let count = |ran: &Ran, what: &str| {
        ran.state.marks.iter().filter(|(_, text)| text.as_deref() == Some(what)).count()
    };
    let whole = play(round_robin(&["a", "b", "c"], 7), plain(), &steer).await;
    assert_eq!((count(&whole, "even"), count(&whole, "b"), count(&whole, "once")), (3, 2, 1));
    for cut in 1..whole.events.len() {
        let again = resume(whole.events[..cut].to_vec(), plain(), &steer).await;
        let found = (count(&again, "even"), count(&again, "b"), count(&again, "once"));
        // killed just as it becomes true again, the condition counts as still true: never twice for one occurrence
        let even = (2..=3).contains(&found.0);
        let cut = format!("cut after {cut} {}", whole.events[cut - 1].kind.name());
        assert!(even && (found.1, found.2) == (2, 1), "{cut}: {found:?}");
    }
}

#[tokio::test]
async fn a_stop_rule_that_asks_can_ask_each_time() {
    let asked = |every: bool| async move {
        let mut opened = round_robin(&["a", "b"], 7);
        let rule =
            json!({"when": "turn_count % 3 == 0 and turn_count > 0", "ask": true, "every": every});
        opened.scenario["stop"] = json!([rule]);
        let go_on = json!({"when": "paused", "every": true, "do": "resume"});
        let ran = play(opened, plain(), &[go_on]).await;
        assert_eq!(ran.reason(), "utterance_limit");
        ran.kinds().iter().filter(|k| **k == "paused").count()
    };
    assert_eq!((asked(false).await, asked(true).await), (1, 2));
}
