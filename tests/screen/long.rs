//! Cost of a frame in a long conversation: equal to that in a short one, measured by counting, not by time.

use crate::stage::{Stage, demo};
use colloquium::analysis::FigurePage;
use colloquium::model::{Event, Kind, Ms, Seq, TurnId};
use colloquium::state::State;
use colloquium::ui::draw::counting;
use colloquium::ui::run::ticking;
use crossterm::event::KeyCode::{Char, End, Home, PageUp};
use std::ops::ControlFlow;

/// Returns a stage after this many utterances.
fn talked(utterances: u32) -> Stage {
    let mut stage = Stage::new(200, 60).during(1, 1);
    goes_on(&mut stage, utterances);
    stage
}

/// Plays this many further utterances.
fn goes_on(stage: &mut Stage, utterances: u32) {
    let first = |fits: fn(&Kind) -> bool| demo().iter().find(|e| fits(&e.kind)).unwrap().clone();
    let grant = first(|kind| matches!(kind, Kind::FloorGranted(_)));
    let end = first(|kind| matches!(kind, Kind::TurnEnded(_)));
    let Kind::FloorGranted(granted) = &grant.kind else { unreachable!() };
    for n in 0..utterances {
        let seq = stage.screen.transcript.state().next_seq;
        let mut granted = granted.clone();
        granted.number = Some(n + 2);
        let ms = Ms(u64::from(n) * 1_000);
        let seat = granted.participant.clone();
        stage.take(Event { seq, ms, kind: granted.into(), ..grant.clone() });
        let Kind::TurnEnded(ended) = &end.kind else { unreachable!() };
        let mut ended = ended.clone();
        ended.turn = TurnId(seq.0);
        ended.number = Some(n + 2);
        let by = seat.0;
        stage.take(Event { seq: Seq(seq.0 + 1), ms, by, kind: ended.into(), ..end.clone() });
    }
}

#[test]
fn frame_lays_out_only_visible_rows() {
    let counted = [300, 3_000].map(|utterances| {
        let mut stage = talked(utterances);
        let rows = stage.screen.transcript.len();
        assert!(rows >= utterances as usize, "{rows} rows");
        stage.draw();
        let laid = |stage: &Stage| stage.screen.view.viewport.laid();
        let first = laid(&stage);
        stage.piece("and on it goes");
        stage.draw();
        let streaming = laid(&stage);
        stage.press(&[PageUp]);
        let paged = laid(&stage);
        stage.press(&[Home, End]);
        (first, streaming, paged, laid(&stage))
    });
    assert_eq!(counted[0], counted[1], "at hundreds and at thousands of turns");
    let (first, streaming, ..) = counted[1];
    assert!(first <= 60 && streaming == first, "{counted:?}");
}

/// Prompts of earlier turns are rebuilt from a cached state, which must equal a fold of all events up to it.
#[test]
fn the_conversation_as_it_was_is_the_same_from_any_state_in_between() {
    // without pieces, which change no prompt
    let mut stage = Stage::new(80, 24).until(|e| matches!(e.kind, Kind::FloorGranted(_)));
    goes_on(&mut stage, 2_500);
    let transcript = &stage.screen.transcript;
    let mut events: Vec<Event> = vec![];
    transcript.events(Seq(0), &mut |event| {
        events.push(event.clone());
        ControlFlow::Continue(())
    });
    for at in [3, 1_000, events.len() / 2, events.len() - 1] {
        let seq = events[at].seq;
        assert!(transcript.state_at(seq) == State::fold(&events[..=at]), "behind event {seq}");
    }
}

/// A reply with every element whose appearance depends on its surroundings.
const GROWS: &str = "# Plan\n\nFirst *one* thing\nand another, `code` too.\n\n- a\n- b\n\n  still b\n\n3. c\n\n\
    After the list.\n\n```rust\nfn main() {}\n\nlet x = 1;\n```\n\nWords.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
    > quoted\nlazily\n\nTwo blanks:\n\n\nthen <b>more</b> **bold\nacross** lines.\n\n    indented\n\n\
    [x]: https://a.example\n\n\"Quoted.\" 日本語\n\n~~~\nopen\n\nfence";

/// Completed paragraphs are laid out once, so that a reply in any pieces must look like one laid out at once.
#[test]
fn a_growing_reply_looks_like_the_whole_one() {
    for size in [1, 3, 7, 40] {
        let (mut grows, mut whole) =
            (Stage::new(60, 90).during(1, 0), Stage::new(60, 90).during(1, 0));
        let letters: Vec<char> = GROWS.chars().collect();
        for piece in letters.chunks(size) {
            let piece: String = piece.iter().collect();
            for stage in [&mut grows, &mut whole] {
                stage.piece(&piece);
            }
            whole.screen.view.viewport.forget();
            assert_eq!(grows.text(), whole.text(), "{size} letters at a time");
        }
        assert!(grows.text().contains("After the list."), "{}", grows.text());
    }
}

#[test]
fn search_covers_only_new_messages() {
    let mut stage = talked(300);
    stage.press(&[Char('/'), Char('c'), Char('a'), Char('r')]);
    let search = stage.screen.view.over.search.as_mut().unwrap();
    let all = search.matches(&stage.screen.transcript).len();
    assert!(all > 290, "{all}");
    goes_on(&mut stage, 20);
    stage.draw();
    let Stage { screen, .. } = &mut stage;
    let mut fresh = screen.view.over.search.clone().unwrap();
    fresh.found = Default::default();
    let search = screen.view.over.search.as_mut().unwrap();
    assert_eq!(search.matches(&screen.transcript), fresh.matches(&screen.transcript));
}

#[test]
fn figures_are_laid_out_once_until_something_happens() {
    let mut stage = Stage::new(120, 40).during(6, 2);
    stage.press(&[Char('a')]);
    let laid = |stage: &mut Stage| {
        stage.draw();
        let Stage { screen, .. } = stage;
        let study = screen.view.over.analysis.as_mut().unwrap();
        study.laid(&screen.transcript, 118, |_| unreachable!("it was laid out by the frame"))
    };
    let before = laid(&mut stage);
    stage.piece("words that no figure counts yet");
    assert!(std::rc::Rc::ptr_eq(&before, &laid(&mut stage)));
    let mut stage = stage.until(|e| matches!(e.kind, Kind::TurnEnded(_)));
    assert!(!std::rc::Rc::ptr_eq(&before, &laid(&mut stage)));
}

#[test]
fn figures_of_a_long_talk_are_computed_aside_while_keys_work() {
    let mut stage = talked(4_100);
    stage.press(&[Char('a')]);
    assert!(stage.text().contains("counting 4100 turns"), "{}", stage.text());
    let aside = |stage: &mut Stage| {
        let work = counting(&mut stage.screen).expect("there is something to compute");
        let (of, page) = std::thread::spawn(work).join().unwrap();
        stage.screen.view.over.analysis.as_mut().unwrap().take(of, page);
        assert!(counting(&mut stage.screen).is_none(), "it is asked for once");
        stage.text()
    };
    let page = aside(&mut stage);
    assert!(page.contains("SPEAKING SHARE") && !page.contains("counting"), "{page}");
    let shown = stage.screen.view.over.analysis.as_ref().unwrap().tables().cloned();
    let tables = stage.screen.transcript.analysis().page(FigurePage::Floor);
    assert_eq!(shown.collect::<Vec<_>>(), tables);
    // new turns are counted while the earlier figures stay on the screen
    goes_on(&mut stage, 1);
    assert!(stage.text().contains("SPEAKING SHARE"), "{}", stage.text());
    aside(&mut stage);
    // another page starts a new count
    stage.press(&[Char('2')]);
    assert!(stage.text().contains("counting 4101 turns"), "{}", stage.text());
    assert!(aside(&mut stage).contains("TOKENS AND COST"), "{}", stage.text());
}

#[test]
fn nothing_ticks_but_seconds_that_are_shown() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    assert!(ticking(&stage.screen), "somebody speaks");
    stage.screen.modes.still = true;
    assert!(!ticking(&stage.screen), "nothing moves by itself");
    stage.screen.modes.still = false;
    let turn = stage.turn();
    let end =
        serde_json::json!({"turn": turn, "purpose": "speak", "outcome": "cut", "why": "pause_now"});
    stage.happens(
        "operator",
        "command.given",
        serde_json::json!({"key": "0:1", "do": "pause_now", "targets": {"turns": [turn]}}),
    );
    stage.happens("engine", "turn.ended", end);
    stage.happens("engine", "paused", serde_json::json!({}));
    assert!(!ticking(&stage.screen), "it is paused");
    assert!(!ticking(&Stage::new(80, 24).whole().screen), "the conversation is finished");
}

#[test]
fn whose_words_are_left_out_cost_nothing_to_lay_out() {
    let mut stage = talked(3_000);
    // a seat without any message
    stage.screen.view.reading.only = Some(2);
    stage.screen.view.viewport.forget();
    stage.draw();
    stage.press(&[PageUp, Home, End]);
    assert_eq!(stage.screen.view.viewport.laid(), 0);
}
