//! The card of a tool that needs permission: its effect, and the keys to decide.

use crate::asking::asked;
use crate::stage::Stage;
use colloquium::model::{Command, Kind, Participant, Tool};
use colloquium::ui::request::Request;
use crossterm::event::KeyCode;
use serde_json::json;

fn attended(event: &mut colloquium::model::Event) {
    if let Kind::Opened(opened) = &mut event.kind {
        opened.attended = true;
        let tool =
            Tool { name: "note".into(), read_only: false, ..Tool::built_in("read_file").unwrap() };
        opened.participants.iter_mut().for_each(|p: &mut Participant| p.tools = vec![tool.clone()]);
    }
}

/// Returns a stage in the middle of a turn whose agent requests permission.
pub fn asks(width: u16, height: u16) -> Stage {
    asks_with(width, height, "Write notes.txt", "notes.txt")
}

pub fn asks_with(width: u16, height: u16, title: &str, path: &str) -> Stage {
    let mut stage = before(width, height);
    ask(&mut stage, title, path);
    stage
}

/// Returns a stage in the middle of a turn whose agent has not asked yet.
pub fn before(width: u16, height: u16) -> Stage {
    Stage::altered(width, height, attended).during(3, 1)
}

/// Requests permission in the current turn.
pub fn ask(stage: &mut Stage, title: &str, path: &str) {
    let turn = stage.turn();
    let (call, seat) = {
        let turn = &stage.screen.transcript.state().turns[&turn];
        (turn.call.unwrap(), turn.seat.to_string())
    };
    let asked = json!({"turn": turn, "call": call, "request": 1, "tool": format!("{seat}/edit"),
        "title": title, "input": format!("{{\"path\":\"{path}\"}}")});
    stage.happens(&seat, "permission.asked", asked);
}

#[test]
fn permission_card_shows_action_and_keys() {
    for (width, height) in [(120, 40), (102, 24), (80, 24), (50, 24), (40, 12)] {
        let mut stage = asks_with(width, height, "Write notes.txt \u{1b}[2J", "notes.txt");
        let text = stage.text();
        assert!(text.contains("asks to use"), "what is waited for is no token: {text}");
        assert!(stage.rows()[0].contains("? WAITING FOR YOU"), "{text}");
        assert!(text.contains("2 until you leave"), "{text}");
        assert!(text.contains("PERMISSION") && text.contains("/edit: Write notes.txt"), "{text}");
        assert!(text.contains("1 allow once") && text.contains("3 refuse"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

fn card(stage: &mut Stage) -> String {
    let rows = stage.rows();
    let area = stage.screen.view.areas.card;
    rows[usize::from(area.y)..usize::from(area.bottom())].concat()
}

/// The whole call is on the card, by scrolling; nothing allows it before its last row was on the screen.
#[test]
fn a_long_call_is_scrolled_to_its_end_before_it_is_allowed() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (40, 10)] {
        let path = format!("{}; curl evil\\n\\u001b[31m\\u202e", "hull ".repeat(300));
        let mut stage = asked(asks_with(width, height, "Write", &path));
        stage.press(&[KeyCode::Char('1'), KeyCode::Enter]);
        let text = stage.text();
        assert!(text.contains("read to the last row first: pgdn"), "{text}");
        assert!(!card(&mut stage).contains("evil"), "{text}");
        stage.press(&[KeyCode::Backspace]);
        assert!(stage.text().contains("rows 1 to"), "{}", stage.text());
        let state = stage.screen.transcript.state();
        let seat = state.turns[&stage.turn()].seat.to_string();
        let decide = format!("/decide {seat}/edit yes");
        stage.press(&decide.chars().map(KeyCode::Char).collect::<Vec<_>>());
        assert_eq!(stage.press(&[KeyCode::Enter]), [], "{}", stage.text());
        stage.chord('c');
        for _ in 0..200 {
            if stage.screen.view.card.as_ref().unwrap().whole {
                break;
            }
            stage.press(&[KeyCode::PageDown]);
        }
        let text = card(&mut stage).replace(['┃', ' '], "");
        assert!(text.contains("evil␊␛[31m<U+202E>"), "{width}: {}", stage.text());
        let allowed = stage.press(&[KeyCode::Char('1'), KeyCode::Enter]);
        assert!(
            matches!(&allowed[..], [Request::Send(Command::Decide { yes: true, once: true, .. })]),
            "{width}: {allowed:?} {}",
            stage.text()
        );
    }
}

#[test]
fn a_tool_that_runs_is_said_to_run() {
    let mut stage = Stage::altered(80, 24, attended).during(3, 1);
    let turn = stage.turn();
    let seat = stage.screen.transcript.state().turns[&turn].seat.to_string();
    let call = stage.screen.transcript.call_of(turn).0.unwrap();
    let asked = stage.screen.transcript.state().next_seq;
    let request = json!({"tool": "note", "arguments": {"path": "list.txt"}});
    let requests = json!({"turn": turn, "call": call.0, "requests": [request]});
    stage.happens(&seat, "tool.asked", requests);
    let text = stage.text();
    assert!(text.contains("asks to use note") && text.contains("PERMISSION"), "{text}");
    assert!(!text.contains("/decide"), "the keys of the card are the way: {text}");
    let called = json!({"turn": turn, "asked": asked, "at": 0, "tool": "note"});
    stage.happens("engine", "tool.called", called);
    let text = stage.text();
    assert!(text.contains("using tools") && !text.contains("PERMISSION"), "{text}");
}

#[test]
fn prompt_page_shows_tool_requests_and_results() {
    let mut stage = Stage::altered(120, 60, attended).during(3, 1);
    let turn = stage.turn();
    let seat = stage.screen.transcript.state().turns[&turn].seat.to_string();
    let call = stage.screen.transcript.call_of(turn).0.unwrap();
    let used = json!({"turn": turn, "call": call.0, "sort": "edit", "status": "completed",
        "title": "Write \u{1b}[2Jnotes.txt", "input": "{\"path\":\"notes.txt\"}", "result": "changed notes.txt"});
    stage.happens(&seat, "agent.tool", used);
    let request = json!({"tool": "note", "arguments": {"path": "list.txt"}});
    let asked = stage.screen.transcript.state().next_seq;
    stage.happens(
        &seat,
        "tool.asked",
        json!({"turn": turn, "call": call.0, "requests": [request]}),
    );
    let came = json!({"turn": turn, "asked": asked, "at": 0, "tool": "note", "is": "failed", "result": "no such list"});
    stage.happens("engine", "tool.returned", came);
    stage.happens(&seat, "call.started", serde_json::to_value(&call.1).unwrap());
    stage.press(&[KeyCode::Char('p'), KeyCode::Char('G')]);
    let text = stage.text();
    for shown in [
        "note {\"path\":\"list.txt\"}",
        "note failed:",
        "no such list",
        "TOOL (edit, completed): Write",
        "{\"path\":\"notes.txt\"}",
        "changed notes.txt",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
}
