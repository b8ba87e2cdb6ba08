//! The conversation without a screen: Ctrl-C, and output after the end.

use crate::permissions::{asks, asks_with};
use crate::stage::demo;
use colloquium::model::{Command, Event, Kind, Ms, Seq};
use colloquium::session::{Item, Record};
use colloquium::ui::linear::{AfterLine, Linear};
use std::sync::Arc;

#[test]
fn without_a_screen_ctrl_c_follows_the_same_ladder() {
    let mut told = Linear::new(Seq(0), true, None);
    let take = |told: &mut Linear, fits: fn(&Kind) -> bool| {
        for event in demo() {
            told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
            if fits(&event.kind) {
                break;
            }
        }
    };
    take(&mut told, |kind| matches!(kind, Kind::FloorGranted(_)));
    told.enter_line("/whisper", Ms(0));
    assert_eq!(told.interrupted().1, AfterLine::Wait, "what is asked goes first");
    let (_, then) = told.interrupted();
    assert!(matches!(then, AfterLine::Send(_, line) if line.command == Command::PauseNow {}));
    let mut told = Linear::new(Seq(0), true, None);
    take(&mut told, |_| false);
    assert!(told.interrupted().0.contains("press ctrl-c again to quit (saved)"));
    told.enter_line("/menu", Ms(0));
    assert_eq!(told.interrupted().1, AfterLine::Wait, "anything in between is no wish to leave");
    assert_eq!(told.interrupted().1, AfterLine::Leave);
}

#[test]
fn without_a_screen_a_question_mark_is_help_and_nothing_that_is_said() {
    let mut told = Linear::new(Seq(0), true, None);
    let events: Vec<Event> = demo().iter().take(6).cloned().collect();
    for event in events {
        told.take(&Item::Event(Arc::new(Record::new(event).unwrap())));
    }
    for typed in ["?", " ? ", "", "/help"] {
        let (said, then) = told.enter_line(typed, Ms(0));
        assert_eq!(then, AfterLine::Wait, "{typed:?}");
        assert!(said.contains("Type a number, a command, or a message"), "{typed:?}: {said}");
        assert!(said.contains(" 1 ") && said.contains("/vote"), "{typed:?}: {said}");
    }
    let (_, then) = told.enter_line("Why?", Ms(0));
    let said = Command::Say { text: "Why?".into(), re: None, material: None };
    assert!(matches!(then, AfterLine::Send(_, line) if line.command == said));
}

#[test]
fn without_a_screen_each_question_prints_the_command_that_answers_it() {
    let mut stage = asks(80, 24);
    let turn = stage.turn();
    let (call, seat) = {
        let turn = &stage.screen.transcript.state().turns[&turn];
        (turn.call.unwrap(), turn.seat.to_string())
    };
    let second = serde_json::json!({"turn": turn, "call": call, "request": 2,
        "tool": format!("{seat}/execute"), "title": "rm -r notes"});
    stage.happens(&seat, "permission.asked", second);
    let mut told = Linear::new(Seq(0), true, None);
    let mut said = vec![];
    stage.screen.transcript.events(Seq(0), &mut |event| {
        said.push(told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap()))));
        std::ops::ControlFlow::Continue(())
    });
    let asked: Vec<&String> = said.iter().filter(|told| told.contains("/decide")).collect();
    assert_eq!(asked.len(), 2, "{said:?}");
    assert!(asked[0].contains(&format!("/decide {seat}/edit yes")), "{}", asked[0]);
    assert!(asked[1].contains(&format!("/decide {seat}/execute yes")), "{}", asked[1]);
    assert!(!asked[1].contains("/edit"), "{}", asked[1]);
}

/// Returns text mode in front of a tool that asks, the text so far, and the time of the request.
fn asked() -> (Linear, String, Ms) {
    let stage = asks_with(80, 24, "Write", "a\\nb; curl evil");
    let mut told = Linear::new(Seq(0), true, None);
    let mut said = String::new();
    let mut at = Ms(0);
    stage.screen.transcript.events(Seq(0), &mut |event| {
        at = event.ms;
        said = told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap())));
        std::ops::ControlFlow::Continue(())
    });
    (told, said, at)
}

#[test]
fn without_a_screen_a_number_answers_a_request_and_what_lasts_asks_once_more() {
    let (_, said, at) = asked();
    for words in
        ["/edit: Write (path: a␊b; curl evil)", " 1 allow once", "(asks once more)", " 3 refuse"]
    {
        assert_eq!(said.matches(words).count(), 1, "{words}: {said}");
    }
    let decided =
        |told: &mut Linear, line: &str, ms: u64| match told.enter_line(line, at.plus(ms)).1 {
            AfterLine::Send(_, line) => match line.command {
                Command::Decide { yes, once, .. } => Some((yes, once)),
                _ => None,
            },
            _ => None,
        };
    let second = 1_000;
    assert_eq!(decided(&mut asked().0, "1", second), Some((true, true)));
    assert_eq!(decided(&mut asked().0, "3", second), Some((false, false)));
    assert_eq!(decided(&mut asked().0, "1", 100), None, "the card has just been printed");
    let mut told = asked().0;
    let (said, _) = told.enter_line("2", at.plus(second));
    assert!(said.contains("press enter again: ") && said.contains("/edit unasked"), "{said}");
    assert_eq!(decided(&mut told, "", second), Some((true, false)));
    let mut told = asked().0;
    told.enter_line("2", at.plus(second));
    assert_eq!(decided(&mut told, "no", second), None);
    assert_eq!(decided(&mut told, "", second), None, "taken back");
    let is_choice = |words: &str| matches!(words.trim(), "1" | "2" | "3");
    let others = crate::cards::SENTENCES.iter().chain(&["4", "10", "0"]);
    for words in others.filter(|words| !is_choice(words)) {
        let (mut told, ..) = asked();
        let (_, then) = told.enter_line(words, at.plus(second));
        let said = Command::Say { text: words.trim().into(), re: None, material: None };
        let kept = match &then {
            AfterLine::Send(_, line) => line.command == said,
            // an address within a sentence is refused
            then => words.contains("@@") && *then == AfterLine::Wait,
        };
        assert!(kept, "{words}");
        assert_eq!(decided(&mut told, "", second), None);
    }
    // after the menu, numbers are its entries
    let mut told = asked().0;
    told.enter_line("?", at.plus(second));
    assert_eq!(decided(&mut told, "1", second), None);
}

#[test]
fn without_a_screen_a_talk_that_ended_goes_on_or_takes_a_note() {
    let ended = |saved| {
        let mut told = Linear::new(Seq(0), saved, None);
        let said = demo()
            .iter()
            .map(|event| told.take(&Item::Event(Arc::new(Record::new(event.clone()).unwrap()))));
        (said.collect::<String>(), told)
    };
    let (said, mut told) = ended(true);
    assert!(said.contains("/more runs one more round, /note annotates it"), "{said}");
    let (_, then) = told.enter_line("/more", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(deeds) if matches!(deeds[..], [.., Command::Step { n: 3 }]))
    );
    let (_, then) = told.enter_line("/note Read me first.", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(deeds) if matches!(deeds[..], [Command::Pause {}, Command::Note { .. }]))
    );
    let (_, then) = told.enter_line("But what of Thursday?", Ms(0));
    assert!(
        matches!(&then, AfterLine::Extend(commands) if matches!(commands[..], [Command::Say { .. }]))
    );
    assert!(told.enter_line("/skip", Ms(0)).0.contains("finished: /more"));
    let (said, mut told) = ended(false);
    assert!(!said.contains("finished: /more"), "{said}");
    assert_eq!(told.enter_line("/more", Ms(0)).1, AfterLine::Wait);
}

#[test]
fn without_a_screen_the_talk_in_a_step_is_a_line_a_message_until_it_is_opened() {
    let mut told = Linear::new(Seq(0), true, None);
    let mut out = String::new();
    let events = crate::boards::bundled("planner-executor");
    let (first, rest) = events.split_at(events.len() / 2);
    let take = |told: &mut Linear, events: &[Event]| -> String {
        let item = |event: &Event| Item::Event(Arc::new(Record::new(event.clone()).unwrap()));
        events.iter().map(|event| told.take(&item(event))).collect()
    };
    out += &take(&mut told, first);
    assert!(out.contains("-- step 1, question: Clerk 1, 31 words (/open 1: full text)\n"), "{out}");
    assert!(!out.contains("There are two mill footbridges"), "{out}");
    let (talk, then) = told.enter_line("/open 1", Ms(0));
    assert_eq!(then, AfterLine::Wait);
    assert!(
        talk.starts_with("-- step 1: Look up the mill footbridge in the works book: Clerk 1, ")
    );
    assert!(talk.contains("  QUESTION: There are two mill footbridges"), "{talk}");
    // the first of these is shown in full from here on, the others are not
    let more = take(&mut told, rest);
    assert!(more.contains("  TASK COMPLETE: I have gone through 14/2"), "{more}");
    assert!(more.contains("-- step 2, done: Clerk 2"), "{more}");
    assert!(!more.contains("Mill Lane footbridge (14/2): the deck is laid"), "{more}");
    let (refused, _) = told.enter_line("/open 7", Ms(0));
    assert!(refused.contains("no step \"7\" has begun; these have: 1, 2"), "{refused}");
    let (all, _) = told.enter_line("/open", Ms(0));
    assert!(all.contains("QUESTION: There are two") && all.contains("the deck is laid"), "{all}");
    let (folded, _) = told.enter_line("/fold 2", Ms(0));
    assert!(folded.starts_with("-- folded: step 2"), "{folded}");
    let mut none = Linear::new(Seq(0), true, None);
    assert!(none.enter_line("/open", Ms(0)).0.contains("no step has started yet"));
}
