//! People as participants, and the prompts of other seats.

use crate::stage::Stage;
use colloquium::model::{Command, Kind};
use colloquium::ui::request::Request;
use colloquium::ui::view::inspector::prompt_of;
use crossterm::event::KeyCode::{self, Char, Down, End, Enter, Esc, F};
use ratatui::style::Modifier;
use serde_json::json;
use std::sync::Arc;

fn write(stage: &mut Stage, words: &str) -> Vec<Request> {
    let keys: Vec<KeyCode> = words.chars().map(Char).collect();
    stage.press(&keys)
}

/// Returns the demo with a person in Bo's seat.
fn with_a_person() -> Stage {
    let stage = Stage::altered(80, 24, |event| {
        if let Kind::Opened(opened) = &mut event.kind {
            let person = json!({"human": {}});
            opened.participants[1].voice = serde_json::from_value(person).unwrap();
        }
    });
    stage.until(|e| matches!(&e.kind, Kind::FloorGranted(g) if g.number == Some(2)))
}

#[test]
fn a_person_is_asked_when_the_floor_comes() {
    let mut stage = with_a_person();
    let shown = stage.text();
    assert!(shown.contains("Your turn as Bo: type, enter sends"), "{shown}");
    assert!(shown.contains(" /pass "), "{shown}");
    assert!(shown.contains("┌─ "), "the composer opened by itself: {shown}");
    stage.short = false;
    write(&mut stage, "Hold on.");
    let speaks = Command::Speak { text: "Hold on.".into(), who: "bo".into() };
    assert_eq!(stage.press(&[Enter]), [Request::Send(speaks)]);
    let passes = [Request::Send(Command::Pass { who: "bo".into() })];
    assert_eq!(write(&mut stage, "/pass"), []);
    assert_eq!(stage.press(&[Enter]), passes);
}

#[test]
fn every_prompt_is_built_again_from_the_log() {
    let mut stage = Stage::new(100, 40).with_positions().whole();
    stage.press(&[Char('p')]);
    let shown = stage.text();
    assert!(shown.contains("Prompt for turn 9 (Bo)"), "{shown}");
    assert!(shown.contains("model       rehearsed"), "{shown}");
    let laid =
        |stage: &Stage| stage.screen.view.over.page.as_ref().unwrap().laid.clone().unwrap().1;
    let first = laid(&stage);
    stage.press(&[Down, End]);
    assert!(stage.text().contains("It is your turn."), "it ends with what is asked");
    assert!(std::rc::Rc::ptr_eq(&first, &laid(&stage)), "it is laid out once");
    let transcript = &stage.screen.transcript;
    let pages: Vec<_> =
        (0..transcript.len()).filter_map(|at| prompt_of(transcript, at).ok()).collect();
    assert_eq!(pages.len(), 9);
    for page in pages {
        assert!(page.text().contains("verified against the log"), "{}", page.text());
    }
}

#[test]
fn a_prompt_that_was_another_one_is_said_to_be() {
    let stage = Stage::altered(100, 40, |event| {
        if let Kind::CallStarted(call) = &mut event.kind {
            call.digest = "f".repeat(64).into();
        }
    });
    let mut stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(2)));
    stage.press(&[Char('p')]);
    assert!(stage.text().contains("PROMPT MISMATCH"), "{}", stage.text());
}

#[test]
fn everything_can_be_done_with_a_seat_from_its_list() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    stage.press(&[Char('3'), Char('C')]);
    let shown = stage.text();
    for deed in
        ["floor", "whisper", "note", "mute", "speak as", "persona", "weight", "leave", "join"]
    {
        assert!(shown.contains(deed), "{deed}: {shown}");
    }
    write(&mut stage, "leave");
    assert_eq!(stage.press(&[Enter]), [Request::Send(Command::Leave { who: "cy".into() })]);
    stage.press(&[Char('3'), Char('C')]);
    write(&mut stage, "persona");
    stage.press(&[Enter]);
    let begun = stage.screen.view.composer.text();
    assert!(begun.starts_with("/change @cy persona = "), "{begun}");
    let asked = stage.press(&[Enter]);
    assert!(matches!(&asked[..], [Request::Send(Command::Change { .. })]), "{asked:?}");
    stage.press(&[Esc, Char('3'), Char('i')]);
    assert!(stage.screen.view.writing, "whoever is put forward, one can write");
}

#[test]
fn one_speaker_can_be_read_alone() {
    let mut stage = Stage::new(80, 15).during(8, 2);
    stage.press(&[Char('2'), Char('F'), Char('g')]);
    let shown = stage.text();
    assert!(shown.contains("2 Bo  ·  #2") && !shown.contains("1 Ada  ·"), "{shown}");
    stage.press(&[Char('J')]);
    let shown = stage.text();
    assert!(shown.contains("2 Bo  ·  #") && !shown.contains("2 Bo  ·  #2"), "{shown}");
    stage.press(&[Char('F')]);
    assert!(stage.text().contains("3 Cy  ·"), "{}", stage.text());
}

#[test]
fn a_message_is_zoomed_and_copied_plain() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.press(&[Char('g'), Char('z')]);
    assert!(stage.text().contains("turn 1 (Ada) ─"), "{}", stage.text());
    stage.press(&[Esc]);
    assert!(stage.screen.view.over.page.is_none());
    let asked = stage.press(&[Char('Y')]);
    assert!(matches!(&asked[..], [Request::Copy(_, what)] if what == "turn 1 (Ada), plain text"));
    assert_eq!(stage.press(&[Char('c')]), []);
    assert!(stage.text().contains("has no code blocks"));
}

#[test]
fn dependencies_are_shown_in_their_current_state() {
    let stage = Stage::altered(100, 30, |event| {
        if let Kind::Opened(opened) = &mut event.kind {
            let runs = json!({"after": [
                {"participant": "ada", "max": 1},
                {"participant": "bo", "when": "context.approved", "max": 3},
            ]});
            opened.participants[2].runs = serde_json::from_value(runs).unwrap();
        }
    });
    let mut stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(1)));
    write(&mut stage, "d");
    let shown = stage.text();
    for words in [
        "3 Cy  0 of 1 turns",
        "needs all of these",
        "after Ada (has spoken); triggered it 0 of 1 times",
        "after Bo (not spoken yet); when context.approved: condition cannot be evaluated;",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    stage = stage.until(|e| matches!(&e.kind, Kind::TurnEnded(e) if e.number == Some(2)));
    assert!(stage.text().contains("after Bo (has spoken)"), "it goes on while it is read");
    let mut stage = Stage::new(80, 24).during(2, 2);
    write(&mut stage, "d");
    assert!(
        stage
            .text()
            .contains("no plan, dependencies, answers, votes or profile in this conversation")
    );
}

#[test]
fn a_weight_is_changed_from_the_list_of_a_seat_and_by_its_command() {
    let mut stage = Stage::new(100, 24).during(2, 2);
    stage.press(&[Char('3'), Char('C')]);
    write(&mut stage, "weight");
    stage.press(&[Enter]);
    assert_eq!(stage.screen.view.composer.text(), "/change @cy weight = 1");
    stage.press(&[KeyCode::Backspace, Char('5')]);
    let weighs = |asked: &[Request], id: &str, weight: f64| match asked {
        [Request::Send(Command::Change { who, set })] => {
            let weight_set = set["weight"].as_f64();
            **who == *id && weight_set == Some(weight)
        }
        _ => false,
    };
    let asked = stage.press(&[Enter]);
    assert!(weighs(&asked, "cy", 5.0), "{asked:?}");
    stage.short = false;
    write(&mut stage, "/change @bo weight=3");
    let asked = stage.press(&[Enter]);
    assert!(weighs(&asked, "bo", 3.0), "{asked:?}");
    for typed in ["/model bo gemini", "/change bo gemini"] {
        write(&mut stage, typed);
        let asked = stage.press(&[Enter]);
        let [Request::Send(Command::Change { who, set })] = &asked[..] else {
            panic!("{typed}: {asked:?}")
        };
        assert_eq!((&*who.0, &set["model"]), ("bo", &"gemini".into()), "{typed}");
    }
    write(&mut stage, "/join Dora, a night porter, gemini");
    let asked = stage.press(&[Enter]);
    let [Request::Send(Command::Join { participant })] = &asked[..] else { panic!("{asked:?}") };
    assert_eq!(participant["model"], "gemini");
    assert_eq!(participant["persona"], "You are Dora, a night porter.");
}

/// Returns the demo with fifty seats, the last of which speaks.
pub fn crowded(width: u16, height: u16) -> Stage {
    crowd(width, height).during(2, 2)
}

/// Returns the demo with twelve seats.
pub fn twelve(width: u16, height: u16) -> Stage {
    table_of::<12>(width, height).during(2, 2)
}

fn crowd(width: u16, height: u16) -> Stage {
    table_of::<50>(width, height)
}

fn table_of<const SEATS: usize>(width: u16, height: u16) -> Stage {
    Stage::altered(width, height, |event| match &mut event.kind {
        Kind::Opened(opened) => {
            for n in 4..=SEATS {
                let mut guest = opened.participants[0].clone();
                guest.id = format!("p{n}").into();
                guest.name = format!("Guest {n}").into();
                opened.participants.push(guest);
            }
        }
        Kind::FloorGranted(granted) => granted.participant = format!("p{SEATS}").into(),
        _ => {}
    })
}

/// The next speaker is shown at the table and on the status line. Any other order is explained on the page of the table.
#[test]
fn the_floor_is_explained_only_where_the_order_is_not_that_of_the_list() {
    let mut stage = Stage::new(120, 40).during(2, 2);
    let shown = stage.text();
    let named = |row: &&str| row.contains("Cy  next") || row.contains("then Cy, Ada");
    assert_eq!(shown.lines().filter(named).count(), 2, "{shown}");
    stage.press(&[F(2)]);
    let shown = stage.text();
    assert!(shown.contains("LIMITS") && !shown.contains("FLOOR"), "{shown}");
    let floor = json!({"key": "0:1", "do": "floor", "to": "ada"});
    stage.happens("operator", "command.given", floor);
    let shown = stage.text();
    let explained =
        ["FLOOR", "policy  round robin", "next    Ada", "why     your choice", "then    Cy"];
    for words in explained {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    // a mentioned seat speaks out of turn
    let asked = |event: &mut colloquium::model::Event| {
        if let Kind::BatchOpened(batch) = &mut event.kind {
            Arc::make_mut(batch).why = "requested by Ada".into();
        }
    };
    let mut stage = Stage::altered(120, 40, asked).during(2, 2);
    stage.press(&[F(2)]);
    let shown = stage.text();
    assert!(shown.contains("FLOOR") && shown.contains("why     requested by Ada"), "{shown}");
    let by_weight = |event: &mut colloquium::model::Event| {
        if let Kind::Opened(opened) = &mut event.kind {
            opened.scenario["policy"]["name"] = json!("weighted");
        }
    };
    let mut stage = Stage::altered(120, 40, by_weight).during(2, 2);
    stage.press(&[F(2)]);
    assert!(stage.text().contains("policy  weighted"), "{}", stage.text());
}

/// The table is one list at every size.
#[test]
fn the_table_opens_at_every_size() {
    for (width, height) in [(40, 12), (80, 24), (100, 30), (200, 60)] {
        let mut stage = Stage::new(width, height).during(6, 3);
        stage.short = false;
        stage.screen.open_line();
        for line in [false, true] {
            if line {
                write(&mut stage, "/table");
                stage.press(&[Enter]);
            } else {
                stage.press(&[F(2)]);
            }
            let shown = stage.text();
            assert!(shown.contains("CAST") && shown.contains("1 Ada  transport"), "{shown}");
            stage.press(&[Esc]);
            assert!(!stage.text().contains("CAST"), "{}", stage.text());
        }
    }
}

#[test]
fn at_a_table_of_twelve_every_seat_is_in_the_row_and_the_speaker_has_its_name() {
    let row = twelve(80, 24).rows()[1].clone();
    assert!(
        row.starts_with(" 1 Ada 2 Bo 3 Cy 4 Gue 5 Gue ") && row.trim_end().ends_with("12 Gues… ▸"),
        "{row}"
    );
    assert!((1..=12).all(|n| row.contains(&format!(" {n} "))), "{row}");
    let shown = twelve(40, 12).text();
    assert!(shown.contains("▸ Guest 12 speaking") && shown.contains("/ commands"), "{shown}");
}

#[test]
fn at_a_table_of_fifty_the_speaker_is_in_sight() {
    for (width, height) in [(120, 40), (200, 60), (120, 20)] {
        let mut stage = crowded(width, height);
        let shown = stage.text();
        assert!(shown.contains("▸ Guest 50  speaking"), "{shown}");
        assert_eq!(shown.contains(" more"), height < 60, "{shown}");
        assert!(shown.contains(" ▒ "), "the colours repeat from the ninth person on: {shown}");
        let cells = &stage.terminal.backend().buffer().content;
        let gutters = cells.iter().filter(|cell| ["▌", "▒"].contains(&cell.symbol()));
        assert!(gutters.into_iter().all(|cell| !cell.modifier.contains(Modifier::UNDERLINED)));
    }
    let second = |e: &colloquium::model::Event| matches!(&e.kind, Kind::FloorGranted(g) if g.number == Some(2));
    let mut waiting = crowd(100, 30).until(second);
    let shown = waiting.text();
    assert!(shown.contains("▸ Guest 50  waiting"), "its name is not lost: {shown}");
    let row = crowded(80, 24).rows()[1].clone();
    assert!(row.starts_with(" …  48 Guest 48   49 ") && row.contains("50 ▸ speaking"), "{row}");
    let mut stage = crowded(80, 24);
    stage.press(&[Char('2')]);
    let row = stage.rows()[1].trim_end().to_owned();
    assert!(
        row.starts_with(" 1 Ada   2 Bo next   3 Cy") && row.ends_with("7 Guest 7   …"),
        "{row}"
    );
}

#[test]
fn every_key_for_a_participant_asks_for_one_first() {
    for key in ['f', 'm', 'C', 'M'] {
        let mut stage = Stage::new(80, 24).during(2, 2);
        assert_eq!(stage.press(&[Char(key)]), [], "{key}");
        let shown = stage.text();
        assert!(shown.contains("Select a participant first (tab)"), "{key}: {shown}");
        assert!(stage.screen.view.over.list.is_none(), "{key}: {shown}");
    }
}

/// A seat with the name of its model shows the provider beside it, not the name twice.
#[test]
fn the_side_shows_what_the_name_does_not_say() {
    let mut stage = Stage::altered(120, 40, |event| {
        if let Kind::Opened(opened) = &mut event.kind {
            let seat = &mut opened.participants[0];
            seat.name = "alpha".into();
            let model = json!({"model": {"name": "near:alpha"}});
            seat.voice = serde_json::from_value(model).unwrap();
        }
    })
    .during(2, 2);
    let rows = stage.rows();
    let left = usize::from(stage.screen.view.areas.sidebar.x);
    let beside = |row: &String| row.chars().skip(left).collect::<String>();
    assert!(rows.iter().any(|row| beside(row).trim() == "near:alpha"), "{}", rows.join("\n"));
}
