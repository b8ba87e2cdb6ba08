//! A narrow screen: prices, offers, awaited servers and queued words are legible at every width.

use crate::asking::{asked, vote};
use crate::moments::failed_in;
use crate::permissions::{ask, asks};
use crate::stage::Stage;
use colloquium::clock::Clock;
use colloquium::model::{Event, Kind, Ms, Price, Usage, Usd, VoiceSpec};
use crossterm::event::KeyCode::{Char, Enter, Esc};
use ratatui::layout::Rect;

/// Every turn of a model costs two cents.
fn at_two_cents(event: &mut Event) {
    match &mut event.kind {
        Kind::Opened(opened) => {
            for participant in &mut opened.participants {
                participant.voice = VoiceSpec::Model(Default::default());
                participant.price = Some(Price(1.0, 2.0));
            }
        }
        Kind::TurnEnded(end) => {
            end.usage = Some(Usage { input: 9_000, output: 1_100, ..Usage::default() });
            end.cost = Some(Usd(20_000_000));
        }
        _ => {}
    }
}

fn resized(mut stage: Stage, width: u16, height: u16) -> Stage {
    stage.terminal.backend_mut().resize(width, height);
    stage.terminal.resize(Rect::new(0, 0, width, height)).unwrap();
    stage.draw();
    stage
}

fn later(stage: &mut Stage, ms: u64) {
    stage.screen.clock = Clock::virtual_from(Ms(stage.screen.clock.now().0 + ms));
    stage.draw();
}

/// Name, card, number of the choice, and its price.
type PricedCard = (&'static str, fn() -> Stage, char, &'static str);

#[test]
fn no_enter_spends_before_its_price_was_legible() {
    let failed = || failed_in(Stage::altered(80, 24, at_two_cents));
    let ended = || Stage::altered(80, 24, at_two_cents).whole();
    let cards: [PricedCard; 3] = [
        ("retry", failed, '1', "about $0.02"),
        ("without the turn", failed, '3', "about $0.02"),
        ("one more round", ended, '1', "about $0.06"),
    ];
    for (name, card, choice, price) in cards {
        for (width, height) in [(40, 10), (40, 12), (41, 24), (52, 16), (66, 24), (80, 24)] {
            let mut stage = asked(resized(card(), width, height));
            stage.press(&[Char(choice)]);
            let shown = stage.text();
            let line = shown.lines().find(|line| line.contains("enter: ")).unwrap_or_default();
            assert!(line.contains(price), "{name} at {width}x{height}: {shown}");
            stage.press(&[Enter]);
            later(&mut stage, 400);
            let shown = stage.text();
            let line = shown.lines().find(|line| line.contains("enter again: "));
            let line = line.unwrap_or_default();
            assert!(line.contains(price), "{name} at {width}x{height}: {shown}");
        }
    }
}

/// A sentence at the end keeps the price of the round that answers it.
#[test]
fn the_choice_at_the_end_has_its_price_at_every_width() {
    for said in [false, true] {
        for (width, height) in [(40, 10), (40, 12), (60, 24), (80, 24), (120, 40)] {
            let mut stage = Stage::altered(width, height, at_two_cents).whole();
            if said {
                let words = serde_json::json!({"text": "@ada @bo And the ferries?", "seats": ["ada", "bo"]});
                stage.happens("operator", "message.operator", words);
            }
            let mut stage = asked(stage);
            let shown = stage.text();
            let line = shown.lines().find(|line| line.contains("about $0.06"));
            assert!(line.is_some_and(|line| line.contains(" 1 ")), "{width}x{height}: {shown}");
        }
    }
}

/// The line says what Enter does while it is empty.
#[test]
fn enter_acts_only_where_its_offer_is_seen() {
    for (width, height) in [(40, 10), (40, 12), (52, 24), (80, 24)] {
        let mut stage = asked(Stage::new(width, height).whole());
        let shown = stage.text();
        assert!(shown.contains("enter: one more round"), "{width}x{height}: {shown}");
        assert!(!stage.press(&[Enter]).is_empty(), "{width}x{height}");
    }
}

/// A sentence that waits is on the screen, beside the card of a vote and of a permission.
#[test]
fn words_that_wait_are_seen_beside_a_card() {
    let voting = || vote();
    let asking = || asked(asks(80, 24));
    for (name, card) in [("vote", voting as fn() -> Stage), ("permission", asking)] {
        for (width, height) in [(40, 10), (40, 12), (80, 24)] {
            let mut stage = resized(card(), width, height);
            let words = serde_json::json!({"do": "say", "text": "Who pays?", "key": "k:1", "targets": {"threads": [0]}});
            stage.happens("operator", "command.given", words);
            stage.happens("engine", "receipt", serde_json::json!({"of": "k:1", "is": "queued"}));
            let shown = stage.text();
            assert!(shown.contains("queued"), "{name} at {width}x{height}: {shown}");
        }
    }
}

/// The choices are the same before the poster and below it, and the poster is announced.
#[test]
fn the_poster_is_announced_and_the_choices_stay() {
    for (width, height) in [(40, 12), (80, 24)] {
        let mut stage = asked(Stage::new(width, height).with_positions().whole());
        let shown = stage.text();
        assert!(shown.contains("/poster opens by itself"), "{width}x{height}: {shown}");
        let before = stage.press(&[Char('2'), Enter]);
        let mut stage = asked(Stage::new(width, height).with_positions().whole());
        later(&mut stage, 60_000);
        let shown = stage.text();
        assert!(shown.contains("2 picture") && !shown.contains("opens by itself"), "{shown}");
        assert_eq!(stage.press(&[Char('2'), Enter]), before);
        stage.press(&[Esc]);
        assert!(!stage.text().contains("opens by itself"), "{}", stage.text());
    }
}

/// A silent server is named with the seconds, also on a narrow screen; an agent that asks for a permission waits for
/// nobody but the person.
#[test]
fn an_awaited_server_is_named_at_every_width() {
    let by_a_model = |event: &mut Event| match &mut event.kind {
        Kind::Opened(opened) => {
            for participant in &mut opened.participants {
                participant.voice = VoiceSpec::Model(Default::default());
            }
        }
        Kind::CallStarted(call) => call.model = "ollama:llama3.2:3b".into(),
        _ => {}
    };
    for (width, height) in [(40, 12), (60, 24), (80, 24)] {
        let mut stage = Stage::altered(width, height, by_a_model)
            .until(|e| matches!(e.kind, Kind::CallStarted(_)));
        later(&mut stage, 12_000);
        let shown = stage.text();
        let server = if width < 60 { "llama3.2:3b" } else { "ollama:llama3.2:3b" };
        let waits = format!("Ada waiting 12s for {server}");
        assert!(shown.contains(&waits), "{width}x{height}: {shown}");
    }
    let mut stage = crate::permissions::before(80, 24);
    ask(&mut stage, "Write notes.txt", "notes.txt");
    later(&mut stage, 12_000);
    assert!(!stage.text().contains("waiting for"), "{}", stage.text());
}

/// Before the first turn no row has only an ellipsis.
#[test]
fn an_empty_conversation_shows_no_lone_ellipsis() {
    for opened in [0, 1, 2, 3] {
        let left = std::cell::Cell::new(opened);
        let mut stage = Stage::new(80, 24);
        if opened > 0 {
            stage = stage.until(|_| left.replace(left.get() - 1) == 1);
        }
        assert!(!stage.rows().iter().any(|row| row.trim() == "…"), "{}", stage.text());
    }
}
