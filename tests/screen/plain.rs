//! The conversation without a screen: what Ctrl-C does, and what goes on after the end.

use crate::stage::demo;
use colloquium::model::{Command, Kind, Ms, Seq};
use colloquium::session::{Item, Record};
use colloquium::ui::linear::{AfterLine, Linear};
use std::sync::Arc;

#[test]
fn without_a_screen_ctrl_c_follows_the_same_ladder() {
    let mut told = Linear::new(Seq(0), true);
    let take = |told: &mut Linear, fits: fn(&Kind) -> bool| {
        for event in demo() {
            told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
            if fits(&event.kind) {
                break;
            }
        }
    };
    take(&mut told, |kind| matches!(kind, Kind::FloorGranted(_)));
    told.hear("/whisper", Ms(0));
    assert_eq!(told.interrupted().1, AfterLine::Wait, "what is asked goes first");
    let (_, then) = told.interrupted();
    assert!(matches!(then, AfterLine::Send(_, line) if line.command == Command::PauseNow {}));
    let mut told = Linear::new(Seq(0), true);
    take(&mut told, |_| false);
    assert!(told.interrupted().0.contains("press ctrl-c again to quit (saved)"));
    told.hear("/menu", Ms(0));
    assert_eq!(told.interrupted().1, AfterLine::Wait, "anything in between is no wish to leave");
    assert_eq!(told.interrupted().1, AfterLine::Leave);
}

#[test]
fn without_a_screen_a_talk_that_ended_goes_on_or_takes_a_note() {
    let ended = |saved| {
        let mut told = Linear::new(Seq(0), saved);
        let said = demo()
            .iter()
            .map(|event| told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap()))));
        (said.collect::<String>(), told)
    };
    let (said, mut told) = ended(true);
    assert!(said.contains("/more runs one more round, /note annotates it"), "{said}");
    let (_, then) = told.hear("/more", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(deeds) if matches!(deeds[..], [.., Command::Step { n: 3 }]))
    );
    let (_, then) = told.hear("/note Read me first.", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(deeds) if matches!(deeds[..], [Command::Pause {}, Command::Note { .. }]))
    );
    let (_, then) = told.hear("But what of Thursday?", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(commands) if matches!(commands[..], [Command::Say { .. }]))
    );
    assert!(told.hear("/skip", Ms(0)).0.contains("finished: /more"));
    let (said, mut told) = ended(false);
    assert!(!said.contains("finished: /more"), "{said}");
    assert_eq!(told.hear("/more", Ms(0)).1, AfterLine::Wait);
}
