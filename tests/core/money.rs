//! Tokens and money: a limit holds for any number of simultaneous calls and any use of their reservations. A raise
//! resumes the conversation, and a kill changes neither.

use crate::harness::*;
use colloquium::model::*;
use colloquium::state::{State, dice};
use serde_json::{Value, json};

/// Number of seeded conversations in every run of the tests.
const TALKS: u64 = 40;
/// Number of seeded conversations in the thorough test.
const MANY_TALKS: u64 = 1_200;
/// Number of events between two kills. A killed conversation has paid for the lost call, so each is played to its end.
const KILL_STEP: usize = 7;

fn model(id: &str, price: Option<(f64, f64)>, max_tokens: Option<u32>) -> Participant {
    let spec = ModelSpec { name: "x:tiny".into(), max_tokens, ..ModelSpec::default() };
    let price = price.map(|(input, output)| Price(input, output));
    Participant { voice: VoiceSpec::Model(spec), price, local: price.is_none(), ..seat(id) }
}

fn dollars(usd: f64) -> Usd {
    Usd::try_from(usd).unwrap()
}

/// Returns the reservation of a call, from its order.
fn bound(ask: &colloquium::voice::CallRequest) -> (u64, u64) {
    let with = &ask.parameters;
    (with.prompt_most.or(with.prompt_tokens).unwrap(), with.max_tokens.unwrap())
}

fn talk(policy: &str, limits: Value, seats: Vec<Participant>) -> payload::Opened {
    let options = if policy == "simultaneous" { json!({"rounds": 40}) } else { json!({}) };
    table(json!({"policy": {"name": policy, "options": options}, "limits": limits}), seats)
}

struct Dice(u64);

impl Dice {
    fn roll(&self, salt: &str, sides: u64) -> u64 {
        dice(self.0, self.0, salt) % sides
    }
}

/// Returns a conversation of models whose calls fail in every way and use any part of their reservation.
fn seeded(seed: u64) -> (payload::Opened, Stage) {
    let d = Dice(seed);
    let seats = 2 + d.roll("seats", 4);
    let seats = (0..seats).map(|i| {
        let roll = |what: &str, sides| d.roll(&format!("{what}{i}"), sides) as f64;
        let price = (roll("in", 100) / 10.0, roll("out", 400) / 10.0);
        let most = [None, Some(20), Some(300), Some(2_000)][roll("most", 4) as usize];
        let mut seat = model(["a", "b", "c", "d", "e"][i as usize], Some(price), most);
        seat.timeouts.first = 500;
        seat
    });
    let limits = match d.roll("limit", 3) {
        0 => json!({"utterances": 60, "tokens": 2_000 + d.roll("tokens", 20_000)}),
        1 => json!({"utterances": 60, "usd": 0.01 + d.roll("usd", 1_000) as f64 / 2_000.0}),
        _ => json!({"utterances": 60, "tokens": 15_000, "usd": 0.2}),
    };
    let policy = ["simultaneous", "round_robin"][d.roll("policy", 2) as usize];
    let table = talk(policy, limits, seats.collect());
    let stage = stage(move |ask| {
        let (prompt, reply) = bound(ask);
        let salt = format!("{} {:?} {}", ask.seat.id, ask.number, ask.attempt);
        let share = |of: u64, salt: &str| d.roll(&format!("{salt}{of}"), of + 1);
        match d.roll(&salt, 10) {
            0 => Play::Silence,
            1 => Play::Fail(10, ErrorClass::Failed),
            2 => Play::Break("half a".into(), 15),
            3 => Play::Counted("all of it".into(), prompt, reply),
            4 => Play::Words("nobody counted these words".into(), 10),
            _ => Play::Counted(format!("I am {salt}"), share(prompt, &salt), share(reply, &salt)),
        }
    });
    (table, stage)
}

/// Asserts that spending never exceeds the limit, and reservations never exceed the remainder.
fn holds(events: &[Event]) -> State {
    let mut state = State::default();
    for event in events {
        state.apply(event);
        let tokens = state.used(Limit::Tokens, state.ms);
        let usd = state.used(Limit::Usd, state.ms);
        let aside = || state.turns.values().filter(|t| t.call.is_some()).map(|t| &t.reserve);
        let (tokens_aside, usd_aside): (u64, u64) =
            (aside().map(|r| r.usage().tokens()).sum(), aside().map(|r| r.usd().0).sum());
        for (what, all) in [(Limit::Tokens, tokens + tokens_aside), (Limit::Usd, usd + usd_aside)] {
            let most = state.limits.get(what).unwrap_or(u64::MAX);
            // the cost of each call is rounded up to a billionth of a dollar
            assert!(all <= most.saturating_add(9), "{what:?}: {all} of {most} at {}", event.seq);
        }
    }
    state
}

#[test]
fn seats_that_speak_at_once_never_exceed_a_limit() {
    seeded_talks(TALKS);
}

#[test]
#[ignore = "a minute: cargo test --test core -- --ignored"]
fn many_seats_that_speak_at_once_never_exceed_a_limit() {
    seeded_talks(MANY_TALKS);
}

fn seeded_talks(talks: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut reached = 0;
    let mut share = 0.0;
    let mut ends = std::collections::BTreeMap::new();
    for seed in 0..talks {
        let (table, stage) = seeded(seed);
        let ran = runtime.block_on(play(table, stage, &[]));
        let state = holds(&ran.events);
        *ends.entry(ran.reason()).or_insert(0) += 1;
        if let Some(at) = &state.limit
            && matches!(at.what, Limit::Tokens | Limit::Usd)
        {
            reached += 1;
            share += at.value as f64 / at.limit as f64;
        }
    }
    println!(
        "{talks} talks, {reached} at a limit with {:.0} % used, {ends:?}",
        100.0 * share / f64::from(reached)
    );
    assert!(u64::from(reached as u32) > talks / 3);
}

#[test]
fn a_kill_anywhere_keeps_the_limit() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut points = 0;
    for seed in 0..6 {
        let whole = {
            let (table, stage) = seeded(seed);
            runtime.block_on(play(table, stage, &[]))
        };
        for cut in (1..whole.events.len()).step_by(KILL_STEP) {
            let resumed =
                runtime.block_on(resume(whole.events[..cut].to_vec(), seeded(seed).1, &[]));
            holds(&resumed.events);
            points += 1;
            assert_ne!(resumed.reason(), "-", "seed {seed} cut after {cut}");
        }
    }
    println!("resumed from {points} points");
}

/// Tokenizers with little support for a script need a token for every byte, and every later prompt includes the text.
#[tokio::test]
async fn a_limit_holds_in_every_writing() {
    let texts = [
        "禁止私家车的城市会更安静吗？".repeat(9),
        "👩\u{200d}🚀🏳\u{fe0f}\u{200d}🌈🧑🏿\u{200d}🦽".repeat(9),
        "q\u{fffd}\u{7f}zk@9\u{202e}x~\u{1}`".repeat(9),
        "ﷺ ก็ ệ ɵ ꙮ".repeat(9),
    ];
    for policy in ["simultaneous", "round_robin"] {
        for (at, limits) in [json!({"tokens": 9_000}), json!({"usd": 0.05})].into_iter().enumerate()
        {
            let texts = texts.clone();
            let speaks = stage(move |ask| {
                let bytes: usize = ask.messages.iter().map(|m| m.text.len() + 4).sum();
                let text = texts[ask.number.unwrap_or(0) as usize % texts.len()].clone();
                Play::Counted(text, bytes as u64, ask.parameters.max_tokens.unwrap())
            });
            let seats = ["a", "b", "c"].map(|id| model(id, Some((5.0, 5.0)), Some(200)));
            let ran = play(talk(policy, limits, seats.to_vec()), speaks, &[]).await;
            let state = holds(&ran.events);
            assert_eq!(ran.reason(), ["token_limit", "cost_limit"][at]);
            assert!(state.utterances > 3, "{policy}: {}", state.utterances);
        }
    }
}

/// Two seats that read and write as much as they may: `limit.near`, then `limit.reached`, then the end.
#[tokio::test]
async fn a_limit_warns_then_holds_then_ends_and_a_raise_goes_on() {
    let seats = || {
        vec![
            model("ada", Some((10.0, 10.0)), Some(100)),
            model("bo", Some((10.0, 10.0)), Some(100)),
        ]
    };
    let frugal = || stage(|ask| Play::Counted("I say so.".into(), 100.min(bound(ask).0), 100));
    let table = talk("round_robin", json!({"utterances": 50, "usd": 0.02}), seats());
    let ran = play(table, frugal(), &[]).await;
    holds(&ran.events);
    assert_eq!(ran.reason(), "cost_limit");
    let at = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::LimitNear(n) => Some((e.kind.name(), n.0.value, n.0.limit)),
        Kind::LimitReached(l) => Some((e.kind.name(), l.0.value, l.0.limit)),
        _ => None,
    });
    let [near, reached] = at.collect::<Vec<_>>()[..] else { panic!("{:?}", ran.kinds()) };
    assert_eq!((near.0, reached.0), ("limit.near", "limit.reached"));
    // the warning comes at four fifths, or if the next call might exceed the limit
    assert!(
        10_000_000 <= near.1 && near.1 <= reached.1 && reached.1 <= 20_000_000,
        "{near:?} {reached:?}"
    );
    let line = ran.lines.iter().find(|l| l.contains("limit.reached")).unwrap();
    assert!(line.contains("\"limit\":0.02,\"next\":0.0"), "{line}");
    // the need of the next turn is its reservation, and exceeds the remainder
    let next = ran.events.iter().find_map(|e| match &e.kind {
        Kind::LimitReached(l) => l.0.next,
        _ => None,
    });
    let aside = |e: &Event| match &e.kind {
        Kind::CallStarted(call) => call.parameters.prompt_most.map(|most| (most + 100) * 10_000),
        _ => None,
    };
    let last = ran.events.iter().rev().find_map(aside).unwrap();
    let next = next.unwrap();
    assert!(reached.1 + next > reached.2, "{next} fits after {}", reached.1);
    assert!(next >= last && next < 2 * last, "{next} is not like {last}");

    let spoken = ran.state.utterances;
    let raise = [json!({"do": "limit", "set": {"usd": 0.04}})];
    let more = resume(ran.events, frugal(), &raise).await;
    holds(&more.events);
    assert_eq!(more.reason(), "cost_limit");
    assert!(more.state.utterances > spoken + 3, "{} then {}", spoken, more.state.utterances);
    println!("{spoken} turns for $0.02, {} for $0.04", more.state.utterances);
}

#[tokio::test]
async fn words_at_a_limit_are_heard_by_the_next_turn() {
    let seats = ["ada", "bo"].map(|id| model(id, Some((10.0, 10.0)), Some(100)));
    let limits = json!({"utterances": 50, "usd": 0.02});
    let opened = payload::Opened { attended: true, ..talk("round_robin", limits, seats.to_vec()) };
    let steer = [
        json!({"when": "at_limit", "do": "say", "text": "What would a baker say?"}),
        json!({"when": "at_limit", "do": "limit", "set": {"usd": 0.04}}),
    ];
    let speaks = stage(|ask| Play::Counted("I say so.".into(), 100.min(bound(ask).0), 100));
    let ran = play(opened, speaks, &steer).await;
    let kinds: Vec<&str> = ran.events.iter().map(|e| e.kind.name()).collect();
    let reached = kinds.iter().position(|kind| *kind == "limit.reached").unwrap();
    let after = |kind: &str| kinds.iter().skip(reached).position(|other| *other == kind).unwrap();
    assert!(after("human.said") < after("call.started"), "{kinds:?}");
}

#[tokio::test]
async fn a_seat_at_its_own_limit_alone_falls_silent() {
    let poor =
        Participant { max_usd: Some(dollars(0.01)), ..model("ada", Some((10.0, 10.0)), Some(100)) };
    let rich = model("bo", Some((10.0, 10.0)), Some(100));
    let table = talk("round_robin", json!({"utterances": 14}), vec![poor, rich]);
    let ran =
        play(table, stage(|ask| Play::Counted("I say so.".into(), bound(ask).0, 100)), &[]).await;
    let ada = ran.state.seat("ada").unwrap();
    assert!(ada.broke && ada.spent.usd <= dollars(0.01), "{:?}", ada.spent);
    assert_eq!(ran.reason(), "utterance_limit");
    assert!(ran.who().ends_with("bo bo bo"), "{}", ran.who());
    let passed = ran.events.iter().find_map(|e| match &e.kind {
        Kind::TurnEnded(t) if t.outcome == Outcome::Passed => t.error.clone(),
        _ => None,
    });
    assert_eq!(passed.unwrap().class, ErrorClass::Budget);
}

#[tokio::test]
async fn uncounted_tokens_are_estimated_and_unpriced_models_not_priced() {
    let seats = vec![model("ada", Some((1.0, 2.0)), None), model("bo", None, None)];
    let ran = play(talk("round_robin", json!({"utterances": 3}), seats), plain(), &[]).await;
    let ends: Vec<_> = ran
        .events
        .iter()
        .filter_map(|e| {
            if let Kind::TurnEnded(t) = &e.kind {
                Some((t.usage.clone().unwrap(), t.cost))
            } else {
                None
            }
        })
        .collect();
    assert!(ends.iter().all(|(usage, _)| usage.estimated && usage.input > 20 && usage.output > 3));
    assert_eq!(
        ends.iter().map(|(_, cost)| cost.is_some()).collect::<Vec<_>>(),
        [true, false, true]
    );
    let told = colloquium::export::spent(&ran.state.spent()).unwrap();
    assert!(
        told.starts_with('~') && told.contains(" tokens, ~$0.0") && told.ends_with('+'),
        "{told}"
    );
}

#[tokio::test]
async fn a_limit_in_dollars_that_could_not_hold_is_refused() {
    let unknown = Participant { local: false, ..model("ada", None, None) };
    let steer = [json!({"after": {"utterance": 1}, "id": "u", "do": "limit", "set": {"usd": 1}})];
    let ran =
        play(talk("round_robin", json!({"utterances": 2}), vec![unknown]), plain(), &steer).await;
    let refused = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(r) => Some(r.why.to_string()),
        _ => None,
    });
    assert!(refused.unwrap().contains("no price is known for x:tiny (ada)"));
    assert_eq!(ran.state.limits.usd, None);

    let known = model("ada", Some((1.0, 1.0)), None);
    let join = json!({"id": "bo", "model": "x:unknown"});
    let steer = [json!({"after": {"utterance": 1}, "do": "join", "participant": join})];
    let limits = json!({"utterances": 3, "usd": 1});
    let ran = play(talk("round_robin", limits, vec![known]), plain(), &steer).await;
    assert!(ran.kinds().contains(&"command.refused") && ran.state.seats.len() == 1);
}

/// A token is not a byte: the reported size of earlier prompts sets the reservation for the next ones.
#[tokio::test]
async fn a_budget_is_not_stopped_at_half() {
    let counted = |share: u64| {
        stage(move |ask| {
            let bytes: u64 = ask.messages.iter().map(|m| m.text.len() as u64).sum();
            Play::Counted("four words are said ".repeat(40), bytes / share, 60)
        })
    };
    let run = |share: u64| async move {
        let seats = ["a", "b"].map(|id| model(id, Some((5.0, 5.0)), Some(60)));
        let limits = json!({"tokens": 40_000});
        let ran = play(talk("round_robin", limits, seats.to_vec()), counted(share), &[]).await;
        assert_eq!(ran.reason(), "token_limit");
        let state = holds(&ran.events);
        state.used(Limit::Tokens, state.ms) as f64 / 40_000.0
    };
    let english = run(4).await;
    let dense = run(1).await;
    println!(
        "{:.0} % used where a token has four bytes, {:.0} % where it has one",
        english * 100.0,
        dense * 100.0
    );
    assert!(english > 0.85 && dense > 0.5, "{english} {dense}");
}
