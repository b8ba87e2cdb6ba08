//! Cards that ask for a decision: the vote of a person, and a participant that fails again and again.

use crate::stage::{Stage, headless};
use colloquium::clock::Clock;
use colloquium::model::{Command, Event, Kind, Ms, Outcome, Purpose, VoiceSpec};
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{Char, Enter};
use std::sync::Arc;

/// Returns a stage on which the input box has the focus, and the card has been shown for a while.
pub fn asked(mut stage: Stage) -> Stage {
    stage.short = false;
    stage.screen.open_line();
    stage.draw();
    let now = stage.screen.clock.now();
    stage.screen.clock = Clock::virtual_from(Ms(now.0 + 1_000));
    stage.draw();
    stage
}

/// Plays events up to the first that fits.
fn until(mut stage: Stage, events: Vec<Event>, fits: impl Fn(&Event) -> bool) -> Stage {
    for event in events {
        let found = fits(&event);
        stage.take(event);
        if found {
            return stage;
        }
    }
    panic!("no such event");
}

/// Returns a stage on which a person is asked for a vote.
pub fn vote() -> Stage {
    let mut events = headless(&["demo", "oxford"], &[]);
    for event in &mut events {
        match &mut event.kind {
            Kind::Opened(opened) => {
                let you = opened.participants.iter_mut().find(|seat| &*seat.id == "you").unwrap();
                you.voice = VoiceSpec::Human { seconds: None, pass: false, link: false };
            }
            // nobody was there when this was played
            Kind::BatchOpened(batch) if batch.purpose == Purpose::Vote => {
                Arc::make_mut(batch).seats.push("you".into());
            }
            Kind::FloorGranted(grant) if &*grant.participant == "ines" => {
                grant.participant = "you".into();
            }
            _ => {}
        }
    }
    let granted = |e: &Event| matches!(&e.kind, Kind::FloorGranted(g) if &*g.participant == "you");
    asked(until(Stage::new(80, 24), events, granted))
}

#[test]
fn a_person_votes_with_a_number() {
    let mut stage = vote();
    let shown = stage.text();
    for words in
        ["┏━ YOUR VOTE ━", "Should a dying patient be told", "1 for  2 against  3 undecided"]
    {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let said = Command::Say { text: "4".into(), re: None, material: None };
    assert_eq!(stage.press(&[Char('4'), Enter]), [Request::Send(said)], "no fourth choice");
    let vote = Command::Speak { text: "against".into(), who: "you".into() };
    assert_eq!(stage.press(&[Char('2')]), []);
    assert!(stage.text().contains("enter: against"), "{}", stage.text());
    assert_eq!(stage.press(&[Enter]), [Request::Send(vote)]);
}

/// Returns a stage on which a participant has failed three times while another one speaks.
pub fn failing() -> Stage {
    let seat = |id: &str, script: &str| {
        format!(
            "[[participant]]\nid = \"{id}\"\nname = \"{}\"\nscript = [\"sh\", \"-c\", \"{script}\"]\n\
             on_failure = {{ retry = 0 }}\n",
            id.to_uppercase()
        )
    };
    let seats = seat("p1", "echo down >&2; exit 3") + &seat("p2", "echo hello");
    let talk = format!("title = \"Down\"\n{seats}[limits]\nutterances = 4\n");
    let events = headless(&["run", "down.toml", "--trust"], &[("down.toml", &talk)]);
    let failures = std::cell::Cell::new(0);
    let third = |e: &Event| {
        let failed = matches!(&e.kind, Kind::TurnEnded(end) if end.outcome == Outcome::Failed);
        failures.set(failures.get() + usize::from(failed));
        failures.get() == 3
    };
    asked(until(Stage::new(80, 24), events, third))
}

#[test]
fn a_participant_that_fails_again_is_one_card_while_the_others_go_on() {
    let mut stage = failing();
    let shown = stage.text();
    for words in ["┏━ P1 FAILED 3 TIMES ━", "1 try again  2 another model  3 mute P1"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    assert_eq!(shown.matches("■ P1 failed").count(), 1, "{shown}");
    let mute = Request::Send(Command::Mute { who: "p1".into() });
    assert_eq!(stage.press(&[Char('3'), Enter]), [mute]);
    assert_eq!(stage.screen.view.selected, None, "nobody stays selected");
}
