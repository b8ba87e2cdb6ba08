//! Policies with a chooser: a moderator, or the highest bid. The conversation continues after any answer of the
//! chooser.

use crate::harness::*;
use colloquium::model::payload::{BatchOpened, Opened};
use colloquium::model::*;
use colloquium::voice::CallRequest;
use serde_json::{Value, json};

pub fn moderated(more: Value) -> Opened {
    let mut options = json!({"moderator": "m", "streak": 2});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let scenario =
        json!({"policy": {"name": "moderated", "options": options}, "limits": {"utterances": 6}});
    let moderator = Participant { speaks: false, ..seat("m") };
    table(scenario, vec![seat("a"), seat("b"), seat("c"), moderator])
}

pub fn bids(options: Value) -> Opened {
    let scenario =
        json!({"policy": {"name": "bids", "options": options}, "limits": {"utterances": 6}});
    table(scenario, vec![seat("a"), seat("b"), seat("c")])
}

/// Returns voices that speak plainly and take every other answer from the test.
fn answering(answer: impl Fn(&CallRequest) -> Play + Send + Sync + 'static) -> Stage {
    stage(move |ask| match ask.purpose {
        Purpose::Speak => Play::Words(format!("{} speaks", ask.seat.id), 10),
        _ => answer(ask),
    })
}

fn say(words: impl Into<String>) -> Play {
    Play::Words(words.into(), 10)
}

fn batches(ran: &Ran, purpose: Purpose) -> Vec<&BatchOpened> {
    let of = |e: &'_ Event| match &e.kind {
        Kind::BatchOpened(b) if b.purpose == purpose => Some(()),
        _ => None,
    };
    let found = ran.events.iter().filter(|e| of(e).is_some());
    found
        .filter_map(|e| if let Kind::BatchOpened(b) = &e.kind { Some(&**b) } else { None })
        .collect()
}

#[tokio::test]
async fn a_moderator_chooses_and_its_reason_is_told() {
    let order = ["c", "c", "a", "b", "c", "a"];
    let chooser = answering(move |ask| {
        say(json!({"choice": order[ask.prompt.blocks.len()], "why": "so it is"}).to_string())
    });
    let ran = play(moderated(json!({})), chooser, &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("c c a b c a", "utterance_limit"));
    assert_eq!(&*batches(&ran, Purpose::Speak)[0].why, "m chose c: so it is");
    assert_eq!(ran.state.utterances, 6, "choices are no turns");
    let asked = batches(&ran, Purpose::Pick);
    assert_eq!(asked.len(), 6, "none beyond the limit");
    assert_eq!(asked[2].options, ["a", "b"].map(Text::from), "c had two in a row");
    let question = asked[2].question.as_deref().unwrap();
    let told = "Turns so far: a 0, b 0, c 2. c spoke twice in a row and cannot be chosen.";
    assert!(question.contains(told), "{question}");
    assert_eq!(asked[4].options, ["a", "b", "c", "end"].map(Text::from), "all have spoken");
    let spoken: Vec<_> = ran.seen.iter().filter(|r| r.purpose == Purpose::Speak).collect();
    assert!(spoken.iter().all(|r| r.prompt.blocks.iter().all(|b| b.text().ends_with("speaks"))));
}

#[tokio::test]
async fn a_moderator_ends_it() {
    let chooser = answering(|ask| say(if ask.prompt.blocks.len() < 2 { "b" } else { "end" }));
    let ran = play(moderated(json!({"may_end": true})), chooser, &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("b b", "goal"));
    let at_once = || answering(|_| say("The choice is \"end\"."));
    let ran = play(moderated(json!({"may_end": true})), at_once(), &[]).await;
    assert_eq!(
        (ran.who().as_str(), ran.reason()),
        ("a", "goal"),
        "nothing is over that has not begun"
    );
    let ran = play(moderated(json!({})), at_once(), &[]).await;
    assert_eq!(
        (ran.who().as_str(), ran.reason()),
        ("a b c", "goal"),
        "everybody has spoken once before it is over"
    );
    let never = answering(|_| say("end"));
    let ran = play(moderated(json!({"may_end": false})), never, &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b c", "utterance_limit"));
}

#[tokio::test]
async fn an_illegal_choice_is_corrected_once() {
    let chooser = answering(|ask| match &ask.prompt.rejected {
        None => say("m, myself"),
        Some(rejected) => {
            assert!(rejected.why.contains("expected one of: a, b, c"), "{}", rejected.why);
            say("b")
        }
    });
    let ran = play(moderated(json!({"streak": 9})), chooser, &[]).await;
    assert_eq!(ran.who(), "b b b b b b");
    assert_eq!(ran.kinds().iter().filter(|k| **k == "call.retried").count(), 6);
}

/// A prompt can be rebuilt later from the log alone.
#[tokio::test]
async fn the_prompt_of_any_call_can_be_built_again() {
    let chooser = || answering(|ask| say(if ask.attempt == 1 { "well" } else { "b" }));
    let judged = crate::judging::judged(&["j", "k"], true, 2, "draw");
    let summed = crate::summaries::summed(Some("clerk"), 12, 400);
    for table in [moderated(json!({})), bids(json!({})), judged, summed] {
        let steer = [json!({"after": {"utterance": 2}, "do": "vote", "question": "Shall we?"})];
        let ran = play(table, chooser(), &steer).await;
        let mut state = colloquium::state::State::default();
        let mut built = 0;
        for event in &ran.events {
            state.apply(event);
            if let Kind::CallStarted(call) = &event.kind {
                let prompt = colloquium::prompt::build(&state, &state.turns[&call.turn]);
                assert_eq!(colloquium::prompt::digest(&prompt), call.digest, "at {}", event.seq);
                built += 1;
            }
        }
        assert!(built > 10, "{built}");
    }
}

#[tokio::test]
async fn the_failure_rule_of_a_moderator_holds_as_well() {
    let mut table = moderated(json!({}));
    table.participants[3].on_failure =
        FailureRule { retry: 0, then: Then::Stop, ..FailureRule::default() };
    let ran = play(table, answering(|_| Play::Fail(5, ErrorClass::Failed)), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("", "failure"));
}

/// Without a valid choice, for any reason, the fallback policy decides.
#[tokio::test]
async fn without_a_choice_the_fallback_decides() {
    type Answer = fn(&CallRequest) -> Play;
    let cases: [(&str, Answer); 6] = [
        ("fails", |_| Play::Fail(5, ErrorClass::Failed)),
        ("passes", |_| Play::Pass),
        ("is silent", |_| Play::Silence),
        ("picks itself", |_| say("m")),
        ("talks", |_| say("It is hard to say who should be next.")),
        ("picks nobody", |_| say("{\"choice\": null}")),
    ];
    for (name, answer) in cases {
        let mut table = moderated(json!({}));
        table.participants[3].timeouts.first = 1_000;
        let ran = play(table, answering(answer), &[]).await;
        assert_eq!(
            (ran.who().as_str(), ran.reason()),
            ("a b c a b c", "utterance_limit"),
            "{name}"
        );
        assert!(
            batches(&ran, Purpose::Speak)[0].why.starts_with("no choice came from m"),
            "{name}"
        );
    }
    for verb in ["mute", "leave"] {
        let steer = [json!({"do": verb, "who": "m"})];
        let ran = play(moderated(json!({})), answering(|_| say("b")), &steer).await;
        assert_eq!(ran.who(), "a b c a b c", "{verb}");
        assert!(batches(&ran, Purpose::Pick).is_empty());
    }
}

#[tokio::test]
async fn repeated_and_muted_seats_cannot_be_chosen() {
    let ran = play(moderated(json!({})), answering(|_| say("b")), &[]).await;
    assert_eq!(
        ran.who(),
        "b b a b b c",
        "after two in a row the choice is illegal, and the fallback decides"
    );
    let steer = [json!({"do": "mute", "who": "b"})];
    let ran = play(moderated(json!({})), answering(|_| say("b")), &steer).await;
    assert_eq!(ran.who(), "a c a c a c");
    let alone = [json!({"do": "mute", "who": "b"}), json!({"do": "leave", "who": "c"})];
    let ran = play(moderated(json!({})), answering(|_| say("a")), &alone).await;
    assert_eq!(ran.who(), "a a a a a a", "alone, one speaks on");
    let mute = [json!({"when": "turn_count == 2", "do": "mute", "who": "b"})];
    let ran = play(
        moderated(json!({})),
        answering(|ask| say(["a", "c", "b"][ask.prompt.blocks.len() % 3])),
        &mute,
    )
    .await;
    assert!(!ran.who().contains('b'), "{}", ran.who());
}

#[tokio::test]
async fn a_mention_is_a_hint_to_the_moderator() {
    let stage = stage(|ask| match ask.purpose {
        Purpose::Speak => say("what does @c say"),
        _ => say(if ask.prompt.task.as_ref().unwrap().contains("c was named") { "a" } else { "b" }),
    });
    let ran = play(moderated(json!({"streak": 9})), stage, &[]).await;
    assert_eq!(ran.who(), "b a a a a a", "it hears of it, and chooses as it likes");
}

#[tokio::test]
async fn the_operators_floor_and_words_do_not_disturb_a_moderator() {
    let steer = [
        json!({"after": {"utterance": 1}, "do": "floor", "to": "c"}),
        json!({"during": {"utterance": 2, "words": 1}, "do": "say", "text": "go on"}),
    ];
    let chooser = answering(|ask| say(if ask.prompt.blocks.len() % 2 == 0 { "a" } else { "b" }));
    let ran = play(moderated(json!({})), chooser, &steer).await;
    assert_eq!(ran.who(), "a c operator b a b a");
}

/// Turns count that the operator gave, and choices that came to nothing do not.
#[tokio::test]
async fn a_streak_counts_turns() {
    let floor = [json!({"after": {"utterance": 1}, "do": "floor", "to": "a"})];
    let chooser = answering(|ask| {
        let blocked = ask.prompt.task.as_ref().unwrap().contains("a spoke twice in a row");
        say(if blocked { "b" } else { "a" })
    });
    let ran = play(moderated(json!({})), chooser, &floor).await;
    assert_eq!(ran.who(), "a a b a a b");
}

/// A seat that always bids highest does not monopolise the floor, and a session of an earlier program keeps its rule.
#[tokio::test]
async fn shares_of_the_floor_follow_the_bids() {
    let bidder = || {
        answering(|ask| match &*ask.seat.id {
            "a" => say("10"),
            "b" => say("4"),
            _ => say("3"),
        })
    };
    let mut table = bids(json!({}));
    table.scenario["limits"] = json!({"utterances": 12});
    let ran = play(table, bidder(), &[]).await;
    let turns = |ran: &Ran| ran.who().split(' ').filter(|who| *who == "a").count();
    assert!((5..=6).contains(&turns(&ran)), "{}", ran.who());

    let mut older = ran.events.clone();
    older.truncate(
        older
            .iter()
            .position(|e| matches!(e.kind, Kind::TurnEnded(ref t) if t.number == Some(2)))
            .unwrap()
            + 1,
    );
    for event in &mut older {
        if let Kind::BatchOpened(batch) = &mut event.kind
            && let Some(memo) = std::sync::Arc::make_mut(batch).memo.as_object_mut()
        {
            memo.remove("discount");
        }
    }
    let resumed = resume(older, bidder(), &[]).await;
    assert!(turns(&resumed) > turns(&ran), "{} after {}", resumed.who(), ran.who());
}

#[tokio::test]
async fn the_highest_bid_speaks_and_recent_speakers_are_discounted() {
    let bidder = || {
        answering(|ask| match &*ask.seat.id {
            "a" => say("{\"bid\": 9, \"why\": \"I know\"}"),
            "b" => say("7"),
            _ => say("5 - perhaps"),
        })
    };
    let ran = play(bids(json!({})), bidder(), &[]).await;
    assert_eq!(ran.who(), "a b c a b a", "9; 9/2 < 7; 9/2 < 5; 9/2; 9/3 < 7/2; 9/3");
    let why: Vec<&str> = batches(&ran, Purpose::Speak).iter().map(|b| &*b.why).collect();
    assert_eq!(
        (why[0], why[3]),
        ("bid 9: I know", "bid 9, 4.5 after the discount for recent turns: I know")
    );
    let asked = batches(&ran, Purpose::Bid);
    assert_eq!((asked.len(), asked[0].seats.len()), (6, 3), "all at once");
    let spoken: Vec<_> = ran.seen.iter().filter(|r| r.purpose == Purpose::Speak).collect();
    assert!(spoken.iter().all(|r| r.prompt.blocks.iter().all(|b| b.text().ends_with("speaks"))));
    let ran = play(bids(json!({"rounds": 1})), bidder(), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (3, "round_limit"));
}

#[tokio::test]
async fn bids_that_cannot_be_read_starve_nobody() {
    let ran = play(bids(json!({})), answering(|_| say("very much")), &[]).await;
    assert_eq!((ran.who().as_str(), ran.reason()), ("a b c a b c", "utterance_limit"));
    let some = answering(|ask| match &*ask.seat.id {
        "a" => Play::Fail(5, ErrorClass::NotFound),
        "b" => Play::Pass,
        _ => say("0"),
    });
    let ran = play(bids(json!({})), some, &[]).await;
    assert_eq!(
        ran.who(),
        "c a c b c a",
        "a bid of nothing is a bid, but nobody speaks twice in a row"
    );
    let steer = [json!({"do": "mute", "who": "a"}), json!({"do": "mute", "who": "b"})];
    let ran = play(bids(json!({})), answering(|_| say("1")), &steer).await;
    assert_eq!(ran.who(), "c c c c c c");
    assert!(batches(&ran, Purpose::Bid).is_empty(), "alone, nobody bids");
}

/// Returns a table of bidders with one model.
fn one_model(utterances: u32) -> Opened {
    let scenario = json!({"policy": {"name": "bids"}, "limits": {"utterances": utterances}});
    let model = |id| Participant { voice: VoiceSpec::Model(ModelSpec::default()), ..seat(id) };
    table(scenario, ["a", "b", "c"].map(model).to_vec())
}

/// Returns the bids of several seats in one reply.
fn together() -> Play {
    let bid = |bid: u32| json!({"bid": bid, "why": "who pays for it"});
    say(json!({"a": bid(9), "b": bid(7), "c": bid(5)}).to_string())
}

#[tokio::test]
async fn seats_of_one_model_bid_in_one_short_call_and_nobody_twice_in_a_row() {
    let words = "it costs the people of the hill more than those of the valley, ".repeat(6);
    let voices = stage(move |ask| match ask.purpose {
        Purpose::Speak => {
            say(format!("{} has reason {} of its own: {words}", ask.seat.id, ask.number.unwrap()))
        }
        _ => together(),
    });
    let ran = play(one_model(20), voices, &[]).await;
    let who = ran.who();
    let who: Vec<&str> = who.split(' ').collect();
    assert_eq!(who[..4], ["a", "b", "c", "a"], "{who:?}");
    assert!(who.windows(2).all(|pair| pair[0] != pair[1]), "{who:?}");
    let asked = batches(&ran, Purpose::Bid);
    assert_eq!((asked.len(), asked[0].seats.len()), (20, 1), "one call");
    assert_eq!(asked[1].options, ["b", "c"].map(Text::from), "a has just spoken");
    let of = |purpose| ran.seen.iter().filter(move |ask| ask.purpose == purpose);
    let first = &of(Purpose::Bid).next().unwrap().messages;
    let told = "For each of a, b, c: how much does this person want to speak now, 0 to 10, and about what, in six words?";
    assert!(first.last().unwrap().text.contains(told), "{first:?}");
    let size = |ask: &CallRequest| ask.messages.iter().map(|m| m.text.len()).sum::<usize>();
    let [bids, all] = [of(Purpose::Bid).map(size).sum(), ran.seen.iter().map(size).sum::<usize>()];
    assert!(bids * 5 < all, "{bids} of {all}");
    let narrated = colloquium::export::whole(&ran.events, colloquium::export::text::spell);
    assert!(narrated.contains("bids: a 9, b 7, c 5"), "{narrated}");
    let own: u64 = ran.state.seats.iter().map(|seat| seat.spent.usage.tokens()).sum();
    let ended = ran.events.iter().filter_map(|event| match &event.kind {
        Kind::TurnEnded(end) if end.purpose == Purpose::Speak => end.usage.as_ref(),
        _ => None,
    });
    assert_eq!(own, ended.map(Usage::tokens).sum::<u64>(), "a bid for others is nobody's own");
    assert!(own < ran.state.spent().usage.tokens());
}

#[tokio::test]
async fn a_bidder_asked_by_name_speaks_next_without_a_bid() {
    let voices = stage(|ask| match (ask.purpose, &*ask.seat.id) {
        (Purpose::Speak, "a") => {
            say(format!("I have {} reasons. C, what do you say?", ask.number.unwrap()))
        }
        (Purpose::Speak, id) => say(format!("{id} has reason {} of its own.", ask.number.unwrap())),
        _ => together(),
    });
    let mut table = one_model(6);
    for seat in &mut table.participants {
        seat.name = seat.id.0.to_uppercase().into();
    }
    let ran = play(table, voices, &[]).await;
    assert_eq!(ran.who(), "a c b a c b");
    let asked: Vec<u32> = ran
        .seen
        .iter()
        .filter(|ask| ask.purpose == Purpose::Bid)
        .map(|ask| ask.prompt.blocks.len() as u32)
        .collect();
    assert_eq!(asked.len(), 4, "none before the answers: {asked:?}");
    let why: Vec<&str> = batches(&ran, Purpose::Speak).iter().map(|b| &*b.why).collect();
    assert_eq!(why[1], "A asked C");
    // the name that is addressed counts, not one within the question, and a question before the end does too
    let voices = stage(|ask| match (ask.purpose, &*ask.seat.id) {
        (Purpose::Speak, "a") => {
            say("C, it rains. If B's letter comes, do you let it wait? It is late.")
        }
        (Purpose::Speak, id) => say(format!("{id} has reason {} of its own.", ask.number.unwrap())),
        _ => together(),
    });
    let mut table = one_model(3);
    for seat in &mut table.participants {
        seat.name = seat.id.0.to_uppercase().into();
    }
    let seats = table.participants.clone();
    assert_eq!(play(table, voices, &[]).await.who(), "a c b");
    let roster: Vec<&Participant> = seats.iter().collect();
    let asked = |text: &str| colloquium::reply::asked_at_end(text, None, &roster);
    assert_eq!(asked("C, may I? It rains. It is late."), None, "no hand-over");
    assert_eq!(asked("C, may I? It rains."), Some("c".into()));
}

#[tokio::test]
async fn a_moderator_reads_of_skips_and_floors_and_may_choose_who_is_asked() {
    let chooser = || answering(|_| say("a"));
    let questions = |ran: &Ran| -> Vec<String> {
        let asked = batches(ran, Purpose::Pick).into_iter();
        asked.map(|batch| batch.question.as_deref().unwrap_or_default().to_owned()).collect()
    };
    let skip = [json!({"during": {"utterance": 1, "words": 1}, "do": "skip"})];
    let ran = play(moderated(json!({})), chooser(), &skip).await;
    let told = questions(&ran);
    assert!(told[1].contains("The host stopped a.") && !told[2].contains("stopped"), "{told:?}");
    let floor = [json!({"after": {"utterance": 1}, "do": "floor", "to": "c"})];
    let ran = play(moderated(json!({})), chooser(), &floor).await;
    assert!(questions(&ran)[1].contains("The host gave c the floor."), "{:?}", questions(&ran));
    let ask = [json!({"after": {"utterance": 2}, "do": "say", "text": "Who pays, @a?"})];
    let ran = play(moderated(json!({})), chooser(), &ask).await;
    assert_eq!(batches(&ran, Purpose::Pick)[2].options, ["a", "b", "c"].map(Text::from));
}
