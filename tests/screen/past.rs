//! Branches and other sessions on the screen: the tree, a branch at an utterance, and two sessions side by side.

use crate::stage::{Stage, demo};
use colloquium::catalogue::{SessionStatus, SessionSummary};
use colloquium::clock::Clock;
use colloquium::model::{Event, Kind, Ms, Seq, StopReason, Wall};
use colloquium::session::Record;
use colloquium::session::replay::{Recording, Transport};
use colloquium::ui::ScreenMode;
use colloquium::ui::act::branches::{beside, list};
use colloquium::ui::request::Request;
use colloquium::ui::view::branches::{BranchPoint, OtherSession, SessionFilter, SessionList, page};
use colloquium::ui::view::player::Playback;
use crossterm::event::KeyCode::{self, Char, Enter, Esc};
use insta::assert_snapshot;
use serde_json::json;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Returns a session equal to the demo up to its third utterance, with other messages after it.
fn branch() -> OtherSession {
    let mut apart = false;
    let other = |event: &Event| {
        let mut event = event.clone();
        if let Kind::TurnEnded(end) = &mut event.kind
            && end.number == Some(4)
        {
            apart = true;
            end.text = "I see it the other way round. ".repeat(9).into();
        }
        Arc::new(Record::new(event).unwrap())
    };
    let mut records: Vec<Arc<Record>> = demo().iter().map(other).collect();
    assert!(apart);
    let fifth =
        |r: &Arc<Record>| matches!(&r.event.kind, Kind::TurnEnded(e) if e.number == Some(5));
    let end = records.iter().position(fifth).unwrap();
    records.truncate(end + 1);
    OtherSession { name: "20260101-120000-branch".into(), recording: Recording::new(records) }
}

fn summary(id: &str, parent: Option<(&str, u32)>, standing: SessionStatus) -> SessionSummary {
    SessionSummary {
        id: id.into(),
        path: format!("/sessions/{id}.jsonl").into(),
        title: "Should cities ban private cars?".into(),
        standing,
        utterances: 9,
        cast: vec![],
        last: String::new(),
        headline: String::new(),
        parent: parent.map(|(id, at)| (id.into(), at)),
        written: Wall(0),
        is_silent: false,
    }
}

fn sessions() -> SessionList {
    let done = SessionStatus::Ended { reason: StopReason::UtteranceLimit, lossy: false };
    let all = vec![
        summary(
            "20260101-120000-branch",
            Some(("20260101-000000-stem", 3)),
            SessionStatus::Unfinished,
        ),
        SessionSummary {
            utterances: 1,
            ..summary("20260101-130000-twig", Some(("20260101-120000-branch", 5)), done.clone())
        },
        summary("20260101-000000-stem", None, done),
        summary("20251231-000000-other", None, SessionStatus::Damaged("line 3 is cut".into())),
    ];
    SessionList { all, here: "20260101-000000-stem".into() }
}

fn write(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&[Char('i')]);
    stage.press(&keys);
    stage.press(&[Enter])
}

/// Returns all events shown on a stage.
fn shown_events(stage: &Stage) -> Vec<Event> {
    let mut events = vec![];
    stage.screen.transcript.events(Seq(0), &mut |event| {
        events.push(event.clone());
        ControlFlow::Continue(())
    });
    events
}

#[test]
fn two_talks_stand_side_by_side_from_where_they_part() {
    for (width, height) in [(120, 40), (80, 24), (50, 24)] {
        let mut stage = Stage::new(width, height).whole();
        let page = page(shown_events(&stage).iter(), &branch());
        stage.screen.open_page(page);
        assert_snapshot!(format!("beside__{width}x{height}"), stage.text());
    }
    let mut stage = Stage::new(120, 40).whole();
    let page = page(shown_events(&stage).iter(), &branch());
    let text = page.text();
    assert!(text.contains("they diverge after turn 3"), "{text}");
    assert!(text.contains("A  4") && text.contains("B  4") && !text.contains("A  3"), "{text}");
    stage.screen.open_page(page);
    assert!(matches!(&stage.press(&[Char('y')])[..], [Request::Copy(words, _)] if *words == text));
    stage.press(&[KeyCode::PageDown, Esc]);
    assert!(stage.screen.view.over.page.is_none());
}

/// A turn that one session edited after the branch point is shown beside the original text of the other one.
#[test]
fn edited_turn_is_shown_beside_the_original() {
    let mut stage = Stage::new(120, 40).whole();
    let said = shown_events(&stage);
    let Kind::TurnEnded(second) = said
        .iter()
        .map(|e| &e.kind)
        .find(|kind| matches!(kind, Kind::TurnEnded(e) if e.number == Some(2)))
        .unwrap()
    else {
        panic!("a turn");
    };
    let records =
        said.iter().map(|e| Arc::new(Record::new(e.clone()).unwrap())).collect::<Vec<_>>();
    let other = OtherSession { name: "stem".into(), recording: Recording::new(records) };
    let edit = json!({"do": "edit", "utterance": 2, "text": "quite other words", "key": "k:1", "targets": {}});
    stage.happens("operator", "command.given", edit);
    let text = page(shown_events(&stage).iter(), &other).text();
    let original = second.text.split_whitespace().take(6).collect::<Vec<_>>().join(" ");
    assert!(text.contains("quite other words") && text.contains(&original), "{text}");
}

#[test]
fn a_recording_stands_beside_another_as_a_whole() {
    let records: Vec<_> =
        demo().iter().map(|e| Arc::new(Record::new(e.clone()).unwrap())).collect();
    let mut stage = Stage::new(80, 24);
    let transport = Transport::new(records, Clock::virtual_from(Ms(0)));
    stage.screen.view.mode = ScreenMode::Recording(Playback::new(transport));
    let text = beside(&stage.screen, &branch()).text();
    assert!(text.contains("they diverge after turn 3"), "before anything was played: {text}");
}

#[test]
fn the_tree_is_drawn_and_a_branch_of_it_is_one_key_away() {
    let mut stage = Stage::new(100, 24).whole();
    assert_eq!(stage.press(&[Char('T')]), [Request::Sessions(SessionFilter::Family)]);
    assert_eq!(stage.press(&[Char('|')]), [Request::Sessions(SessionFilter::Everything)]);
    stage.screen.view.over.list =
        Some(list(&stage.screen, &sessions(), SessionFilter::Family).unwrap());
    assert_snapshot!("tree__100x24", stage.text());
    let chosen = stage.press(&[KeyCode::Down, Enter]);
    assert_eq!(chosen, [Request::Beside("/sessions/20260101-120000-branch.jsonl".into())]);
    stage.screen.view.over.list =
        Some(list(&stage.screen, &sessions(), SessionFilter::Everything).unwrap());
    assert!(stage.text().contains("20251231-000000-other") && stage.text().contains("damaged"));
    let alone = SessionList { all: sessions().all, here: "20251231-000000-other".into() };
    let why = list(&stage.screen, &alone, SessionFilter::Family).err().unwrap();
    assert_eq!(why, "no branches yet: /branch creates one");
    // a branch whose parent is in another folder
    let forked = json!({"parent": "20250101-000000-far", "at": 3});
    stage.happens("engine", "conversation.forked", forked);
    let why = list(&stage.screen, &alone, SessionFilter::Family).err().unwrap();
    let elsewhere = "20250101-000000-far, the parent of this branch, is not in the sessions folder";
    assert_eq!(why, elsewhere);
}

#[test]
fn branches_and_comparisons_are_commands() {
    let ended = |n: u32| {
        let ends = |e: &&Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(n));
        demo().iter().find(ends).unwrap().seq
    };
    let mut stage = Stage::new(100, 24).whole();
    let fork = |at: Seq, seed| vec![Request::Fork(BranchPoint { at, seed })];
    for (line, asked) in [
        ("/fork 2", fork(ended(2), None)),
        ("/fork u3 seed=7", fork(ended(3), Some(7))),
        ("/fork 0", fork(Seq(0), None)),
        ("/tree", vec![Request::Sessions(SessionFilter::Family)]),
        ("/compare", vec![Request::Sessions(SessionFilter::Everything)]),
        ("/compare 2026", vec![Request::Beside("2026".into())]),
        ("/fork 99", vec![]),
        ("/fork yesterday", vec![]),
    ] {
        assert_eq!(write(&mut stage, line), asked, "{line}");
        assert!(!asked.is_empty() || stage.text().contains("use /fork"), "{}", stage.text());
        stage.press(&[Esc]);
        stage.screen.view.composer.clear();
    }
    stage.press(&[Char(':')]);
    stage.press(&"/tree".chars().map(Char).collect::<Vec<_>>());
    assert_eq!(
        stage.press(&[Enter]),
        [Request::Sessions(SessionFilter::Family)],
        "{}",
        stage.text()
    );
}
