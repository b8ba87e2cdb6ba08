//! One rule for all cards: the number of a choice alone on the line, and Enter. What costs or lasts takes a second Enter.

use crate::asking::{asked, failing, vote};
use crate::moments::failed_in;
use crate::permissions::asks;
use crate::stage::Stage;
use crate::stands::back;
use colloquium::clock::Clock;
use colloquium::model::{Command, Event, Kind, Price, VoiceSpec};
use colloquium::ui::request::Request;
use colloquium::ui::view::card::{CardAnswer, answer};
use crossterm::event::KeyCode::{self, Backspace, Char, Enter};
use serde_json::json;

/// Sentences that begin with a number.
pub const SENTENCES: [&str; 50] = [
    "2 things: money and time",
    "1 more thing: who pays?",
    "3 people said so",
    "1. the first point",
    "2) the second",
    "1 or 2 of them",
    "2 2",
    "1 1 1",
    "1, and I mean it",
    "2?",
    "3!",
    "1000 boats a year",
    "20 years ago it was the same",
    "3 cheers",
    "1st, ask the harbour",
    "2nd thoughts",
    "3rd floor",
    "1 is enough",
    "2 is a company",
    "3 is a crowd",
    "1/2 of it",
    "2% of the people",
    "3:30 is too late",
    "1-2 weeks",
    "2x as much",
    "3D",
    "1é",
    "2日",
    "3 ü",
    "1 /x @y",
    "2 @ada",
    "3 @@ada",
    "1 yes",
    "2 no",
    "3 allow it",
    "1 allow once",
    "2 until you leave",
    "3 refuse",
    "1 for",
    "2 against",
    "3 undecided",
    "12",
    "13 out of 20",
    "21st century",
    "0",
    "01",
    "+1",
    "-1",
    "1.0",
    "2,",
];

fn pass(stage: &mut Stage, ms: u64) {
    stage.screen.clock = Clock::virtual_from(stage.screen.clock.now().plus(ms));
    stage.draw();
}

fn by_a_model(event: &mut Event) {
    if let Kind::Opened(opened) = &mut event.kind {
        for participant in &mut opened.participants {
            participant.voice = VoiceSpec::Model(Default::default());
            participant.price = Some(Price(1.0, 2.0));
        }
    }
}

fn by_an_unpriced_model(event: &mut Event) {
    by_a_model(event);
    if let Kind::Opened(opened) = &mut event.kind {
        opened.participants.iter_mut().for_each(|participant| participant.price = None);
    }
}

fn paid() -> Stage {
    Stage::altered(80, 24, by_a_model)
}

/// Returns a stage that has used up its budget of money.
fn budget() -> Stage {
    let first = |e: &Event| matches!(&e.kind, Kind::TurnEnded(end) if end.number == Some(1));
    let mut stage = Stage::new(80, 24).until(first);
    let set = json!({"do": "limit", "set": {"usd": 0.19}, "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", set);
    let at = json!({"what": "usd", "value": 0.1712, "limit": 0.19});
    stage.happens("engine", "limit.reached", at);
    stage
}

type Card = (&'static str, fn() -> Stage);

/// All cards, shown for a second.
const CARDS: [Card; 10] = [
    ("permission", || asked(asks(80, 24))),
    ("failure", || asked(failed_in(Stage::new(80, 24)))),
    ("failure of a paid model", || asked(failed_in(paid()))),
    ("budget", || asked(budget())),
    ("vote", vote),
    ("failing", failing),
    ("away", || asked(back())),
    ("end", || asked(paid().whole())),
    ("end of an unpriced model", || asked(Stage::altered(80, 24, by_an_unpriced_model).whole())),
    ("poster", poster),
];

/// Returns a stage on which the poster of the end is shown.
fn poster() -> Stage {
    let mut stage = asked(Stage::new(80, 24).with_positions().whole());
    "/poster".chars().for_each(|c| _ = stage.press(&[Char(c)]));
    stage.press(&[Enter]);
    asked(stage)
}

/// Returns whether requests only say these words to everybody, or to those whom they name; after the end, in a
/// conversation that goes on.
fn says(requests: &[Request], words: &str) -> bool {
    let is_said =
        |command: &Command| matches!(command, Command::Say { text, .. } if **text == *words.trim());
    match requests {
        [Request::Send(command)] => is_said(command),
        [Request::Extend(commands)] => matches!(&commands[..], [command] if is_said(command)),
        _ => false,
    }
}

#[test]
fn sentences_decide_nothing_under_any_card_at_any_speed() {
    sentences_under_cards(11);
}

#[test]
#[ignore = "a minute: cargo test --test screen every_sentence -- --ignored"]
fn every_sentence_decides_nothing_under_any_card() {
    sentences_under_cards(1);
}

/// Types one sentence in `step` under each card, at another speed each.
fn sentences_under_cards(step: usize) {
    let mut number = 0;
    for (name, card) in CARDS {
        for words in SENTENCES {
            for ms in [5, 30, 700] {
                number += 1;
                if number % step != 0 {
                    continue;
                }
                let mut stage = card();
                for c in words.chars() {
                    assert_eq!(stage.press(&[Char(c)]), [], "{name}: {words}");
                    pass(&mut stage, ms);
                }
                assert_eq!(stage.screen.view.composer.text(), words, "{name}");
                if stage.screen.view.completion.is_some() {
                    stage.press(&[KeyCode::Esc]);
                }
                let requests = stage.press(&[Enter]);
                // an address within a sentence is refused, and the words stay
                let stays = words.contains("@@")
                    && requests.is_empty()
                    && stage.screen.view.composer.text() == words;
                let kept = stays || says(&requests, words);
                assert!(kept, "{name}: {words} at {ms}: {requests:?}");
            }
        }
    }
}

#[test]
fn a_number_and_enter_decide_at_the_first_try() {
    let decided = |name: &str, at: usize, twice: bool| {
        let (_, card) = CARDS.iter().find(|(of, _)| *of == name).unwrap();
        let mut stage = card();
        let number = char::from_digit(at as u32, 10).unwrap();
        assert_eq!(stage.press(&[Char(number)]), [], "{name}");
        let shown = stage.text();
        let mut requests = stage.press(&[Enter]);
        if twice {
            assert!(shown.contains("asks once more"), "{name}: {shown}");
            assert_eq!(requests, [], "{name} {at}");
            assert_eq!(stage.screen.view.composer.text(), number.to_string());
            pass(&mut stage, 400);
            assert!(stage.text().contains("enter again: "), "{name}: {}", stage.text());
            requests = stage.press(&[Enter]);
        }
        assert!(stage.screen.view.composer.text().is_empty() || at == 2, "{name} {at}");
        (requests, stage)
    };
    let once = decided("permission", 1, false).0;
    assert!(matches!(&once[..], [Request::Send(Command::Decide { yes: true, once: true, .. })]));
    let lasting = decided("permission", 2, true).0;
    assert!(matches!(
        &lasting[..],
        [Request::Send(Command::Decide { yes: true, once: false, .. })]
    ));
    let refused = decided("permission", 3, false).0;
    assert!(matches!(&refused[..], [Request::Send(Command::Decide { yes: false, .. })]));
    let again = [Request::SendAll(vec![Command::Retry { utterance: None }, Command::Resume {}])];
    assert_eq!(decided("failure", 1, false).0, again);
    assert_eq!(decided("failure", 2, false).0, [Request::Models("bo".into())]);
    assert_eq!(decided("failure", 3, false).0, [Request::Send(Command::Resume {})]);
    assert_eq!(decided("failure of a paid model", 1, true).0, again);
    assert_eq!(decided("failure of a paid model", 3, true).0, [Request::Send(Command::Resume {})]);
    let raised = decided("budget", 1, true).0;
    assert!(matches!(&raised[..], [Request::Send(Command::Limit { .. })]), "{raised:?}");
    let (asked, stage) = decided("budget", 2, false);
    assert_eq!((asked, stage.screen.view.composer.text().trim_end()), (vec![], "/limit usd ="));
    assert_eq!(decided("budget", 3, true).0, [Request::Send(Command::End { final_round: false })]);
    let voted = Command::Speak { text: "for".into(), who: "you".into() };
    assert_eq!(decided("vote", 1, false).0, [Request::Send(voted)]);
    let floor = decided("failing", 1, false).0;
    assert!(matches!(&floor[..], [Request::Send(Command::Floor { .. })]), "{floor:?}");
    assert!(decided("away", 2, false).1.screen.view.over.analysis.is_some());
    let (_, stage) = decided("away", 1, false);
    assert!(!stage.screen.view.viewport.following());
    assert!(decided("away", 3, false).1.screen.view.viewport.following());
    for name in ["end", "end of an unpriced model"] {
        let more = decided(name, 1, true).0;
        assert!(matches!(&more[..], [Request::Extend(_)]), "{name}: {more:?}");
    }
    let more = decided("poster", 1, false).0;
    assert!(matches!(&more[..], [Request::Extend(_)]), "{more:?}");
    let picture = decided("poster", 2, false).0;
    assert!(matches!(&picture[..], [Request::Export("png")]), "{picture:?}");
    assert!(decided("failing", 2, false).0.iter().all(|r| *r == Request::Models("p1".into())));
    let muted = decided("failing", 3, false).0;
    assert!(matches!(&muted[..], [Request::Send(Command::Mute { .. })]), "{muted:?}");
    assert_eq!(decided("failure of a paid model", 2, false).0, [Request::Models("bo".into())]);
    for (at, words) in [(2, "against"), (3, "undecided")] {
        let voted = Command::Speak { text: words.into(), who: "you".into() };
        assert_eq!(decided("vote", at, false).0, [Request::Send(voted)]);
    }
}

#[test]
fn the_second_enter_has_its_time_and_other_keys_take_the_first_one_back() {
    let first = || {
        let mut stage = asked(asks(80, 24));
        stage.press(&[Char('2'), Enter]);
        stage
    };
    let until_you_leave = |requests: &[Request]| {
        matches!(requests, [Request::Send(Command::Decide { yes: true, once: false, .. })])
    };
    let mut stage = first();
    let shown = stage.text();
    assert!(shown.contains("/edit unasked until you leave"), "{shown}");
    pass(&mut stage, 399);
    assert_eq!(stage.press(&[Enter]), [], "too early");
    pass(&mut stage, 249);
    assert_eq!(stage.press(&[Enter]), [], "a key came just before");
    pass(&mut stage, 250);
    assert!(until_you_leave(&stage.press(&[Enter])));
    let mut stage = first();
    for _ in 0..100 {
        pass(&mut stage, 30);
        assert_eq!(stage.press(&[Enter]), [], "a key that is held down");
    }
    let mut stage = first();
    pass(&mut stage, 10_000);
    assert_eq!(stage.press(&[Enter]), [], "too late: asked anew");
    pass(&mut stage, 400);
    assert!(until_you_leave(&stage.press(&[Enter])));
    let mut stage = first();
    pass(&mut stage, 500);
    stage.press(&[Char(' '), Backspace]);
    pass(&mut stage, 500);
    assert_eq!(stage.press(&[Enter]), [], "taken back");
    assert!(stage.text().contains("enter again: "), "{}", stage.text());
}

#[test]
fn a_number_that_was_typed_before_the_card_is_words() {
    assert_eq!(answer(" 2 ", 500, 3), CardAnswer::Choice(1));
    for (line, up_ms, choices) in [("2", 499, 3), ("4", 500, 3), ("02", 500, 3), ("2.", 500, 3)] {
        assert_eq!(answer(line, up_ms, choices), CardAnswer::Words, "{line}");
    }
    let mut stage = crate::permissions::before(80, 24);
    stage.short = false;
    stage.screen.open_line();
    stage.press(&[Char('1')]);
    crate::permissions::ask(&mut stage, "Write notes.txt", "notes.txt");
    stage.draw();
    pass(&mut stage, 5_000);
    assert!(says(&stage.press(&[Enter]), "1"));
    let mut stage = asked(asks(80, 24));
    colloquium::ui::act::update::paste(&mut stage.screen, "1");
    assert!(says(&stage.press(&[Enter]), "1"), "pasted text is no choice");
}

#[test]
fn enter_on_the_empty_line_never_calls_a_paid_participant() {
    let first = |e: &Event| matches!(&e.kind, Kind::TurnEnded(end) if end.number == Some(1));
    let reached = |e: &Event| matches!(e.kind, Kind::LimitReached(_));
    for alter in [by_a_model as fn(&mut Event), by_an_unpriced_model] {
        let stage = || Stage::altered(80, 24, alter);
        let mut paused = stage().until(first);
        paused.happens("operator", "paused", json!({}));
        let mut chosen = asked(stage().until(first));
        chosen.happens("operator", "paused", json!({}));
        chosen.press(&[KeyCode::Tab]);
        let states = [
            ("running", stage().during(2, 2)),
            ("between two turns", stage().until(first)),
            ("paused", paused),
            ("with a chosen participant", chosen),
            ("failed", failed_in(stage())),
            ("at a planned end", stage().until(reached)),
            ("finished", stage().whole()),
        ];
        for (name, stage) in states {
            let mut stage = asked(stage);
            assert!(!stage.text().contains("enter: "), "{name}: {}", stage.text());
            for _ in 0..20 {
                assert_eq!(stage.press(&[Enter]), [], "{name}");
                pass(&mut stage, 700);
            }
        }
        for (width, height) in [(40, 12), (80, 24), (120, 40)] {
            let mut stage = asked(Stage::altered(width, height, alter).whole());
            let offer = if width < 80 { "1 more, price not known" } else { "1 one more round" };
            assert!(stage.text().contains(offer), "{}", stage.text());
            assert_eq!(stage.press(&[Char('1'), Enter]), []);
            pass(&mut stage, 400);
            let again = if width < 80 { "enter again: " } else { "enter again: one more" };
            assert!(stage.text().contains(again), "{}", stage.text());
            assert!(matches!(&stage.press(&[Enter])[..], [Request::Extend(_)]), "{width}");
        }
    }
}
