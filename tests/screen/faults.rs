//! Faults that people met on the screen, and that are mended.

use crate::moments::failed;
use crate::people::twelve;
use crate::stage::{Stage, demo, headless};
use colloquium::clock::Clock;
use colloquium::model::{Event, Kind, Ms};
use colloquium::ui::ScreenMode;
use colloquium::ui::act::mouse::mouse;
use colloquium::ui::act::undo::pass;
use colloquium::ui::keymap::Focus;
use crossterm::event::KeyCode::{self, Char};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use serde_json::json;

fn move_mouse(stage: &mut Stage, kind: MouseEventKind, column: u16, row: u16) {
    let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
    assert_eq!(mouse(&mut stage.screen, &event), None);
    stage.draw();
}

/// Returns the text in an area of the screen.
fn text_in(stage: &mut Stage, area: Rect) -> Vec<String> {
    let rows = stage.rows().into_iter().skip(usize::from(area.y)).take(usize::from(area.height));
    rows.map(|row| {
        row.chars().skip(usize::from(area.x)).take(usize::from(area.width)).collect::<String>()
    })
    .collect()
}

#[test]
fn a_notice_gives_way_to_the_hints_after_five_seconds() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.screen.view.notice = Some("limit is now 12 turns".into());
    let (next, changed) = pass(&mut stage.screen.view, Ms(1_000));
    assert_eq!((next, changed), (Some(5_000), false));
    assert!(stage.text().contains("limit is now"), "{}", stage.text());
    pass(&mut stage.screen.view, Ms(5_900));
    assert!(stage.text().contains("limit is now"), "{}", stage.text());
    let (next, changed) = pass(&mut stage.screen.view, Ms(6_000));
    assert_eq!((next, changed), (None, true));
    assert!(!stage.text().contains("limit is now"), "{}", stage.text());
}

#[test]
fn a_failed_call_is_not_counted() {
    let mut stage = failed(120, 40);
    let rows = stage.rows();
    assert!(rows[0].contains("1 of 9 turns"), "the next message is #3: {}", rows[0]);
    let sidebar = stage.screen.view.areas.sidebar;
    let sidebar = text_in(&mut stage, sidebar).join("\n");
    assert!(sidebar.contains("Bo  failed"), "{sidebar}");
}

#[test]
fn the_card_of_a_failure_counts_the_failures_of_its_participant() {
    let mut stage = failed(80, 24);
    assert!(stage.text().contains("━ FAILED · Bo ━"), "{}", stage.text());
    stage.happens("operator", "resumed", json!({}));
    let mut batches = demo().iter().filter_map(|event| match &event.kind {
        Kind::FloorGranted(grant) if grant.number == Some(2) => Some(grant.batch),
        _ => None,
    });
    let batch = batches.next_back().unwrap();
    let grant = json!({"batch": batch, "participant": "bo", "number": 3});
    stage.happens("policy", "floor.granted", grant);
    let turn = stage.turn();
    let error = json!({"class": "failed", "text": "`sh` exited 3 (oops)"});
    let end =
        json!({"turn": turn, "purpose": "speak", "number": 3, "outcome": "failed", "error": error});
    stage.happens("engine", "turn.ended", end);
    stage.happens("engine", "paused", json!({"why": "bo: `sh` exited 3 (oops)"}));
    assert!(stage.text().contains("━ FAILED TWICE · Bo ━"), "{}", stage.text());
}

#[test]
fn the_status_line_keeps_its_ends_at_every_width() {
    for width in 40..=120 {
        let mut stage = twelve(width, 24);
        let about = json!({"text": "They repeat themselves since turn 1. /note steers them.", "about": {"loop": 1}});
        stage.happens("engine", "warning", about);
        stage.press(&[Char('g')]);
        let floor = stage.screen.view.areas.floor;
        let [row] = &text_in(&mut stage, floor)[..] else { panic!("one row") };
        assert!(!row.contains("…─") && !row.contains("  next…"), "{width}: {row}");
        assert!(
            row.contains(" Guest 12 speaking") || row.contains("Guest… speaking"),
            "{width}: {row}"
        );
    }
}

#[test]
fn the_wheel_scrolls_the_view_over_the_transcript() {
    for (key, name) in [('p', "Prompt"), ('a', "ANALYSIS")] {
        let mut stage = Stage::new(80, 24).during(6, 3);
        stage.press(&[Char(key)]);
        let before = stage.text();
        assert!(before.contains(name), "{before}");
        move_mouse(&mut stage, MouseEventKind::ScrollDown, 20, 8);
        assert_ne!(stage.text(), before, "{name}");
        assert!(stage.screen.view.viewport.following(), "{name}");
    }
}

#[test]
fn a_click_on_a_message_marks_it() {
    let mut stage = Stage::new(80, 24).during(4, 3);
    stage.press(&[crossterm::event::KeyCode::Esc]);
    let row = stage.rows().iter().position(|row| row.contains("Before Ada answers")).unwrap();
    let down = MouseEventKind::Down(MouseButton::Left);
    move_mouse(&mut stage, down, 20, row as u16);
    move_mouse(&mut stage, MouseEventKind::Up(MouseButton::Left), 20, row as u16);
    let marked = stage.rows().into_iter().find(|row| row.starts_with(" ▐▌")).unwrap();
    assert!(marked.contains("3 Cy"), "{marked}");
}

#[test]
fn a_selection_leaves_out_the_gutter() {
    let mut stage = Stage::new(80, 24).during(4, 3);
    let row = stage.rows().iter().position(|row| row.contains("Before Ada answers")).unwrap();
    let row = row as u16;
    move_mouse(&mut stage, MouseEventKind::Down(MouseButton::Left), 20, row);
    move_mouse(&mut stage, MouseEventKind::Drag(MouseButton::Left), 30, row + 2);
    let buffer = stage.terminal.backend().buffer();
    let is_inverted = |x| buffer[(x, row + 1)].modifier.contains(Modifier::REVERSED);
    assert!((4..20).all(is_inverted));
    assert!(!(0..4).any(is_inverted));
}

#[test]
fn completions_cover_whole_rows() {
    let mut stage = Stage::new(120, 40).during(6, 3);
    stage.press(&[Char('i'), Char('/')]);
    let text = stage.text();
    let popup = text.lines().skip_while(|row| !row.contains(" accept ")).collect::<Vec<_>>();
    assert!(popup.len() > 6, "{text}");
    assert!(!popup.join("\n").contains('▆'), "{text}");
}

/// A rehearsed line belongs to its turn: the next line would answer words that nobody has said.
#[test]
fn a_retried_rehearsed_turn_says_its_own_line_again() {
    let steer = r#"{"after":{"utterance":1},"do":"retry"}"#;
    let events = headless(&["demo", "--steer", "steer.jsonl"], &[("steer.jsonl", steer)]);
    let said = |event: &Event| match &event.kind {
        Kind::TurnEnded(end) if end.number == Some(1) => Some(end.text.to_string()),
        _ => None,
    };
    let said: Vec<String> = events.iter().filter_map(said).collect();
    assert_eq!(said.len(), 2);
    assert!(said[0].starts_with("I'll start with a Tuesday"), "{said:?}");
    assert_eq!(said[0], said[1]);
}

#[test]
fn a_watched_conversation_has_no_line_and_names_only_keys_that_work() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.screen.view.mode = ScreenMode::Watch;
    stage.screen.open_line();
    let text = stage.text();
    assert_eq!(stage.screen.view.place(), Focus::Read);
    assert!(text.contains("read-only: steer it where it runs"), "{text}");
    for hint in ["pause", "skip", "write", "heard after", "cut in", "address"] {
        assert!(!text.contains(hint), "{hint}: {text}");
    }
    assert!(text.contains("/ search"), "{text}");
}

/// The reason for a speaker is shown if it is not the order of the list.
#[test]
fn the_status_line_gives_no_reason_for_the_usual_order() {
    let mut stage = Stage::new(120, 40).during(2, 2);
    let floor = stage.screen.view.areas.floor;
    let row = text_in(&mut stage, floor).join("");
    assert!(row.contains("Bo speaking") && !row.contains('('), "{row}");
}

/// Keys that a watcher has not are not offered beside a queued message.
#[test]
fn a_watched_queue_offers_no_keys() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.screen.view.mode = ScreenMode::Watch;
    stage.screen.open_line();
    let given = json!({"key": "0:9", "do": "say", "text": "Keep it short"});
    stage.happens("operator", "command.given", given);
    stage.happens("engine", "receipt", json!({"of": "0:9", "is": "queued"}));
    let text = stage.text();
    assert!(text.contains("queued 1: Keep it short"), "{text}");
    assert!(!text.contains(" edit") && !text.contains(" drop"), "{text}");
}

/// A sentence may begin with the sign of the keys page.
#[test]
fn a_sentence_may_begin_with_a_question_mark() {
    let mut stage = Stage::new(100, 30).during(2, 2);
    stage.short = false;
    stage.screen.open_line();
    stage.press(&"? no".chars().map(Char).collect::<Vec<_>>());
    assert_eq!(stage.screen.view.composer.text(), "? no");
    assert!(stage.screen.view.over.page.is_none());
    stage.press(&[KeyCode::Esc, KeyCode::Esc]);
    stage.screen.view.composer.clear();
    stage.screen.open_line();
    stage.press(&[Char('?')]);
    let later = Ms(stage.screen.clock.now().0 + 400);
    stage.screen.clock = Clock::virtual_from(later);
    stage.press(&[Char('n')]);
    assert_eq!(stage.screen.view.composer.text(), "", "after a while it is the sign of the page");
}

/// While paused, a command that waits for the end of the pause is above the line.
#[test]
fn a_vote_that_waits_for_the_end_of_the_pause_is_next() {
    let mut stage = Stage::new(100, 30)
        .until(|e| matches!(&e.kind, Kind::TurnEnded(end) if end.number == Some(1)));
    stage.happens("operator", "paused", json!({}));
    let vote = json!({"key": "0:9", "do": "vote", "question": "Ban?", "options": ["Yes", "No"]});
    stage.happens("operator", "command.given", vote);
    stage.happens("engine", "receipt", json!({"of": "0:9", "is": "queued"}));
    assert!(stage.text().contains("next: vote "), "{}", stage.text());
}
