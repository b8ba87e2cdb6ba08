//! Reopening: a conversation can continue after any end if somebody wants it to.

use crate::harness::*;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::{Value, json};

fn robin(more: Value) -> Opened {
    let mut scenario = json!({"policy": {"name": "round_robin"}});
    for (key, value) in more.as_object().unwrap() {
        scenario[key] = value.clone();
    }
    table(scenario, ["a", "b"].map(seat).into())
}

/// Returns voices that say the stop word in every third utterance.
fn agreeing() -> Stage {
    stage(|ask| match ask.number.unwrap_or(0) % 3 {
        0 => Play::Words("AGREED: so be it".into(), 10),
        n => Play::Words(format!("{} thinks of {n} and {}", ask.seat.id, ask.call.0), 10),
    })
}

/// Returns the speakers after the reopening.
fn after(ran: &Ran, first: &Ran) -> String {
    ran.who().split(' ').skip(first.state.entries.len()).collect::<Vec<_>>().join(" ")
}

const SAY: &str = "Wait: what about the organ?";

/// Returns a command that lets a finished conversation go on without a message.
fn onward() -> [Value; 1] {
    [json!({"do": "limit", "set": {"seconds": 86_400}})]
}

/// Plays a scenario to its end, resumes it with a message of a person and with a limit, and returns the later speakers.
async fn passed(opened: Opened, stage: impl Fn() -> Stage, reason: &str) -> (String, String) {
    let first = play(opened, stage(), &[]).await;
    assert_eq!(first.reason(), reason);
    let say = [json!({"do": "say", "text": SAY})];
    let said = resume(first.events.clone(), stage(), &say).await;
    let plain = resume(first.events.clone(), stage(), &onward()).await;
    assert!(after(&said, &first).starts_with("operator "), "{reason}: {}", said.who());
    let heard = said.seen.iter().any(|ask| ask.prompt.blocks.iter().any(|b| **b.text() == *SAY));
    assert!(heard, "{reason}: somebody is shown it");
    (after(&said, &first), after(&plain, &first))
}

#[tokio::test]
async fn a_stop_word_counts_once() {
    let stop = json!({"stop": [{"word": {"word": "AGREED"}}], "limits": {"utterances": 20}});
    let first = play(robin(stop.clone()), agreeing(), &[]).await;
    assert_eq!((first.who().as_str(), first.reason()), ("a b a", "stop_word"));
    let say = [json!({"do": "say", "text": SAY})];
    let ran = resume(first.events.clone(), agreeing(), &say).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a operator b a b", "stop_word"));
    let ran = resume(first.events, agreeing(), &onward()).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b a b", "stop_word"));
}

#[tokio::test]
async fn conditions_agreement_judges_and_loops_count_from_the_reopening() {
    let condition = robin(json!({"stop": [{"when": "turn_count >= 2"}]}));
    let (said, plain) = passed(condition, plain_words, "condition").await;
    assert_eq!((&*said, &*plain), ("operator a b", "a b"));
    let seats = robin(json!({"stop": [{"when": "seats[0].utterances >= 2"}]}));
    let (said, _) = passed(seats, plain_words, "condition").await;
    assert_eq!(said, "operator b a b a");
    let data = || stage(|_| Play::Data("yes".into(), json!({"answer": "yes"})));
    let (said, _) = passed(robin(json!({"stop": [{"agreement": 1.0}]})), data, "consensus").await;
    assert_eq!(said, "operator a b");
    let same = || stage(|_| Play::Words("the very same four words as ever before".into(), 10));
    let loops = robin(json!({"stop": [{"loop": {}}], "limits": {"utterances": 30}}));
    let (said, _) = passed(loops, same, "loop").await;
    assert!(said.split(' ').count() > 4, "{said}");
    let judge = json!({"seat": "j", "question": "Enough?", "every": 2});
    let mut judged = robin(json!({"stop": [{"judge": judge}]}));
    judged.participants.push(Participant { speaks: false, ..seat("j") });
    let yes = || {
        stage(|ask| match ask.purpose {
            Purpose::Judge => Play::Data("yes".into(), json!({"choice": "yes", "why": ""})),
            _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
        })
    };
    let (said, _) = passed(judged, yes, "goal").await;
    assert_eq!(said, "operator a b");
}

fn plain_words() -> Stage {
    plain()
}

#[tokio::test]
async fn rounds_and_phases_begin_again_with_the_history() {
    let rounds = robin(json!({"policy": {"name": "round_robin", "options": {"rounds": 1}}}));
    let (said, again) = passed(rounds, plain_words, "round_limit").await;
    assert_eq!((&*said, &*again), ("operator a b", "a b"));
    let once = robin(json!({"policy": {"name": "simultaneous", "options": {"rounds": 1}}}));
    let (said, again) = passed(once, plain_words, "round_limit").await;
    assert_eq!((&*said, &*again), ("operator a b", "a b"));
    let phase = |name: &str, who: &[&str]| json!({"name": name, "who": who, "policy": {"name": "round_robin", "options": {"rounds": 1}}});
    let phases = robin(json!({
        "policy": {"name": "phases"}, "phase": [phase("opening", &["a", "b"]), phase("closing", &["b"])],
    }));
    let (said, again) = passed(phases, plain_words, "completed").await;
    assert_eq!((&*said, &*again), ("operator a b b", "a b b"));
}

#[tokio::test]
async fn earlier_verdict_is_found_after_new_messages() {
    let verdict =
        json!({"judges": ["j"], "question": "Who?", "votes": 1, "swap_test": false, "tie": "draw"});
    let mut judged = robin(json!({
        "policy": {"name": "round_robin", "options": {"rounds": 1}}, "verdict": verdict,
    }));
    judged.participants.push(Participant { speaks: false, ..seat("j") });
    let judging = || {
        stage(|ask| match ask.purpose {
            Purpose::Judge => Play::Data("a".into(), json!({"winner": "a", "why": "so"})),
            _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
        })
    };
    let (said, again) = passed(judged, judging, "verdict").await;
    assert_eq!((&*said, &*again), ("operator a b", "a b"));
}

#[tokio::test]
async fn a_workflow_runs_again_or_asks_whom_a_person_names() {
    let mut seats = vec![seat("a"), seat("b"), seat("c")];
    for (at, runs) in [
        json!({}),
        json!({"after": [{"participant": "a", "max": 1}]}),
        json!({"after": [{"participant": "b", "max": 1}]}),
    ]
    .into_iter()
    .enumerate()
    {
        seats[at].runs = serde_json::from_value(runs).unwrap();
    }
    let flow = table(json!({"policy": {"name": "depends"}, "limits": {"batches": 20}}), seats);
    let first = play(flow, plain(), &[]).await;
    assert_eq!((first.who().as_str(), first.reason()), ("a b c", "completed"));
    let ran = resume(first.events.clone(), plain(), &onward()).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b c", "completed"));
    assert_eq!(ran.state.ended.clone().unwrap().result["history"].as_array().unwrap().len(), 6);
    let say = |text: &str| [json!({"do": "say", "text": text})];
    let ran = resume(first.events.clone(), plain(), &say(SAY)).await;
    assert_eq!(ran.who(), "a b c operator a b c");
    for text in ["and you, @b?", "@b and you?"] {
        let ran = resume(first.events.clone(), plain(), &say(text)).await;
        assert_eq!(ran.who(), "a b c operator b c", "{text}: b is asked, c waits for b");
    }
}

#[tokio::test]
async fn a_moderator_chooses_again_after_its_end() {
    let mut opened = crate::chosen::moderated(json!({}));
    opened.scenario["limits"] = json!({"utterances": 20});
    let ending = || {
        stage(|ask| match ask.purpose {
            Purpose::Pick => {
                let options = ask.facts["options"].as_array().unwrap();
                let turn = ask.facts["turn_count"].as_u64().unwrap() as usize;
                let may_end = options.last().is_some_and(|o| o == "end");
                let names = options.len() - usize::from(may_end);
                let choice =
                    if turn >= 4 && may_end { options.last() } else { options.get(turn % names) };
                Play::Data("so".into(), json!({"choice": choice, "why": ""}))
            }
            _ => Play::Words(format!("{} speaks {}", ask.seat.id, ask.call.0), 10),
        })
    };
    let first = play(opened, ending(), &[]).await;
    assert_eq!(first.reason(), "goal");
    let say = [json!({"do": "say", "text": SAY})];
    let ran = resume(first.events.clone(), ending(), &say).await;
    assert!(ran.state.utterances > first.state.utterances, "{}", ran.who());
    assert_eq!(ran.reason(), "goal");
}

#[tokio::test]
async fn whoever_has_spoken_enough_may_speak_again_after_that_end() {
    let mut caps = robin(json!({}));
    caps.participants.iter_mut().for_each(|p| p.max_utterances = Some(1));
    let (said, plain) = passed(caps, plain_words, "exhausted").await;
    assert_eq!((&*said, &*plain), ("operator a b", "a b"));
}

/// A reopening does not reset limits: earlier usage still counts.
#[tokio::test]
async fn after_a_limit_nothing_is_counted_anew() {
    let rules = json!({"stop": [{"when": "turn_count >= 3"}], "limits": {"utterances": 2}});
    let first = play(robin(rules), plain(), &[]).await;
    assert_eq!(first.reason(), "utterance_limit");
    let more = [json!({"do": "limit", "set": {"utterances": 9}})];
    let ran = resume(first.events, plain(), &more).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a", "condition"));
}

#[tokio::test]
async fn failed_workflow_retries_failed_seats() {
    let mut seats = vec![seat("a"), seat("b")];
    seats[1].runs =
        serde_json::from_value(json!({"after": [{"participant": "a", "max": 1}]})).unwrap();
    let flow = table(json!({"policy": {"name": "depends"}, "limits": {"batches": 20}}), seats);
    let fails = stage(|_| Play::Fail(10, ErrorClass::NotFound));
    let first = play(flow, fails, &[]).await;
    assert_eq!(first.reason(), "starved");
    let ran = resume(first.events, plain(), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b", "completed"));
}

#[tokio::test]
async fn a_branch_after_the_last_words_goes_on() {
    let stop = json!({"stop": [{"word": {"word": "AGREED"}}], "limits": {"utterances": 20}});
    let first = play(robin(stop), agreeing(), &[]).await;
    let said = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(3));
    let at = first.events.iter().position(said).unwrap() + 1;
    let ran = fork_on(first.events[..at].to_vec(), agreeing()).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b a b", "stop_word"));
    let rounds = robin(json!({"policy": {"name": "round_robin", "options": {"rounds": 1}}}));
    let first = play(rounds, plain(), &[]).await;
    let last = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(2));
    let at = first.events.iter().position(last).unwrap() + 1;
    let ran = fork_on(first.events[..at].to_vec(), plain()).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b a b", "round_limit"));
}

/// Returns the events up to the middle of the second turn, where the program was left.
async fn left_in_a_turn(steer: &[Value]) -> Vec<Event> {
    let ran = play(round_robin(&["a", "b"], 4), plain(), steer).await;
    let second = |e: &Event| matches!(e.kind, Kind::CallStarted(_)).then_some(e.seq);
    let call = ran.events.iter().filter_map(second).nth(1).expect("b is called");
    let given = |e: &&Event| e.seq > call && matches!(e.kind, Kind::CommandGiven(_));
    let last = ran.events.iter().find(given).map_or(call, |e| e.seq);
    ran.events.into_iter().take_while(|e| e.seq <= last).collect()
}

#[tokio::test]
async fn who_opens_a_session_paused_asks_nobody() {
    let past = left_in_a_turn(&[]).await;
    let pause = json!({"do": "pause"});
    let ran = resume_watched(past.clone(), plain(), std::slice::from_ref(&pause)).await;
    assert_eq!((ran.who().as_str(), ran.seen.len()), ("a", 0), "{:?}", ran.kinds());
    let say = json!({"when": "paused", "do": "say", "text": SAY});
    let onward = json!({"when": "paused", "do": "resume"});
    let ran = resume_watched(past, plain(), &[pause, say, onward]).await;
    assert_eq!(ran.who(), "a operator b a b", "the speaker who was cut goes on behind the message");
    assert!(ran.seen[0].prompt.blocks.iter().any(|block| **block.text() == *SAY));
}

#[tokio::test]
async fn a_pause_that_was_not_reached_holds_once_a_person_is_back() {
    let pause = json!({"during": {"utterance": 2, "words": 2}, "do": "pause"});
    let past = left_in_a_turn(&[pause]).await;
    assert!(matches!(past.last().map(|e| &e.kind), Some(Kind::CommandGiven(_))));
    let watched = resume_watched(past.clone(), plain(), &[]).await;
    assert_eq!((watched.who().as_str(), watched.seen.len()), ("a", 0), "{:?}", watched.kinds());
    let alone = resume(past, plain(), &[]).await;
    assert_eq!((alone.who().as_str(), alone.seen.len()), ("a b", 1), "nobody is there to wait for");
}
