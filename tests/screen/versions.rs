//! Changed messages: every version is kept, one counts, and replies to another version are marked.

use crate::stage::Stage;
use colloquium::model::command::Targets;
use colloquium::model::event::OPERATOR;
use colloquium::model::{Command, CommandGiven, Event, Kind, Ms, Seq, ThreadId, Wall};
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{self, Char};
use serde_json::value::RawValue;
use std::sync::Arc;

/// Applies a command to the conversation, as recorded in the log.
fn deed(stage: &mut Stage, verb: Command) {
    let seq = stage.screen.transcript.state().next_seq;
    let ms = stage.screen.transcript.state().ms;
    let given = CommandGiven {
        key: "test:1".into(),
        line: verb.into(),
        from: None,
        targets: Targets::default(),
    };
    stage.take(Event {
        seq,
        at: Wall(0),
        ms,
        thread: ThreadId::ROOT,
        by: OPERATOR.into(),
        cause: None,
        kind: Kind::CommandGiven(Arc::new(given)),
    });
}

#[test]
fn replies_to_an_earlier_version_are_marked_and_versions_kept() {
    let ended = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(3));
    let mut stage = Stage::new(80, 24).until(ended);
    assert!(!stage.text().contains("replies to an earlier version"));
    deed(
        &mut stage,
        Command::Edit { utterance: 2, text: "As I would have it. ".repeat(36).into() },
    );
    stage.press(&[Char('g'), Char('J'), Char('z')]);
    let page = stage.text();
    for told in ["As I would have it.", "original", "I was one of your 412", "#3", "nobody"] {
        assert!(page.contains(told), "no {told} in\n{page}");
    }
    stage.press(&[KeyCode::Esc, Char('J')]);
    let text = stage.text();
    let marked: Vec<&str> = text.lines().filter(|l| l.contains("an earlier version")).collect();
    assert!(marked.len() == 1 && marked[0].contains("#3"), "{text}");
}

#[test]
fn version_list_names_the_readers_of_each_version() {
    let ended = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(3));
    let mut stage = Stage::new(100, 24).until(ended);
    deed(
        &mut stage,
        Command::Edit { utterance: 2, text: "As I would have it. ".repeat(36).into() },
    );
    stage.press(&[Char('g'), Char('J'), Char('A')]);
    insta::assert_snapshot!("alternatives__100x24", stage.text());
    let chosen = stage.press(&[KeyCode::Down, KeyCode::Enter]);
    assert_eq!(chosen, [Request::Send(Command::Choose { utterance: 2, alternative: 1 })]);
    stage.press(&[Char('i')]);
    stage.press(&"/versions 3".chars().map(Char).collect::<Vec<_>>());
    stage.press(&[KeyCode::Enter]);
    assert!(stage.text().contains("Versions of turn 3 (Cy)"), "{}", stage.text());
}

#[test]
fn a_log_of_an_earlier_program_is_shown_as_far_as_it_goes() {
    let lines = [
        (
            "conversation.opened",
            r#"{"format":1,"program":"colloquium 0.0.1","seed":1,"rehearsed":true,"parallel":1,
                "scenario":{"title":"An old talk","policy":{"name":"round_robin"}},
                "participants":[{"id":"ada","name":"Ada","voice":{"lines":{"lines":[],"pace":0}},
                    "timeouts":{"connect":10,"first":120,"silence":60,"total":600},
                    "on_failure":{"retry":1,"then":"skip"}}]}"#,
        ),
        (
            "batch.opened",
            r#"{"for":"policy","purpose":"speak","seats":["ada"],"why":"place 1 of 1"}"#,
        ),
        ("floor.granted", r#"{"batch":1,"participant":"ada","number":1}"#),
        ("weather.changed", r#"{"to":"rain"}"#),
        (
            "turn.ended",
            r#"{"turn":2,"purpose":"speak","number":1,"outcome":"said","text":"Words of then."}"#,
        ),
    ];
    let mut stage = Stage::new(80, 24);
    for (seq, (kind, data)) in lines.into_iter().enumerate() {
        let data = RawValue::from_string(data.replace('\n', " ")).unwrap();
        let kind = Kind::read(kind, &data).unwrap_or_else(|e| panic!("{kind}: {e}"));
        stage.take(Event {
            seq: Seq(seq as u64),
            at: Wall(0),
            ms: Ms(seq as u64 * 100),
            thread: ThreadId::ROOT,
            by: "engine".into(),
            cause: None,
            kind,
        });
    }
    let text = stage.text();
    assert!(text.contains("An old talk") && text.contains("Words of then."), "{text}");
    assert!(text.contains("weather.changed"), "what is not known is said:\n{text}");
}

#[test]
fn a_version_longer_than_the_list_leaves_its_mark_and_its_neighbours_in_sight() {
    let ended = |e: &Event| matches!(&e.kind, Kind::TurnEnded(t) if t.number == Some(3));
    for (width, height) in [(50, 24), (50, 16), (40, 12), (80, 24)] {
        let mut stage = Stage::new(width, height).until(ended);
        let text: String = (1..=90).map(|n| format!("word{n} ")).collect();
        deed(&mut stage, Command::Edit { utterance: 2, text: text.into() });
        stage.press(&[Char('g'), Char('J'), Char('A')]);
        let list = stage.text();
        assert!(list.contains("▸ your edit") && list.contains("word1 "), "{list}");
        assert!(list.contains("original"), "{list}");
        let whole = list.contains("word90");
        assert!(
            whole
                != list
                    .lines()
                    .any(|l| l.trim_end_matches(['│', ' ']).ends_with('…') && l.contains("word")),
            "{list}"
        );
        stage.press(&[KeyCode::Down]);
        let list = stage.text();
        assert!(list.contains("▸ original"), "{list}");
    }
}
