//! Navigation: matches counted and marked, jumps between rounds and speakers, text selected with the mouse, and results
//! of commands.

use crate::boards::bundled;
use crate::stage::Stage;
use colloquium::model::Command;
use colloquium::ui::act::mouse::mouse;
use colloquium::ui::request::Request;
use colloquium::ui::theme::ThemeRole;
use crossterm::event::KeyCode::{Char, Enter, Esc, Up};
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::style::Style;
use serde_json::json;

fn keys(stage: &mut Stage, keys: &str) -> Vec<Request> {
    stage.press(&keys.chars().map(Char).collect::<Vec<_>>())
}

/// Returns the text in the style of the current match, and its number of rows.
fn current(stage: &mut Stage) -> String {
    let style = stage.screen.theme.style(ThemeRole::SearchCurrent);
    stage.draw();
    let buffer = stage.terminal.backend().buffer();
    let is =
        |s: Style| s.bg == style.bg && s.fg == style.fg && s.add_modifier == style.add_modifier;
    assert!(style != Style::default(), "the theme marks it");
    let cells = buffer.content().iter().filter(|cell| is(cell.style()));
    cells.map(|cell| cell.symbol()).collect()
}

#[test]
fn every_match_is_counted_and_one_is_marked() {
    let mut stage = Stage::new(100, 40).whole();
    stage.screen.theme = colloquium::ui::theme::ThemeLibrary::default()
        .theme("colloquium-dark", None, colloquium::ui::theme::Depth::True)
        .unwrap();
    keys(&mut stage, "g/traffic");
    let said: usize = crate::stage::demo()
        .iter()
        .filter_map(|e| match &e.kind {
            colloquium::model::Kind::TurnEnded(end) => Some(end.text.to_string()),
            _ => None,
        })
        .map(|text| text.to_lowercase().matches("traffic").count())
        .sum();
    assert!(said > 2, "{said}");
    assert!(stage.text().contains(&format!("/{said}")), "{}", stage.text());
    assert_eq!(current(&mut stage).to_lowercase(), "traffic");
    let mut places = std::collections::BTreeSet::new();
    for _ in 0..said {
        assert_eq!(current(&mut stage).to_lowercase(), "traffic");
        places.insert(stage.screen.view.over.search.as_ref().unwrap().at.unwrap());
        stage.press(&[Enter]);
    }
    assert_eq!(places.len(), said, "each one is gone to: {places:?}");
    stage.press(&[Up]);
    assert!(stage.text().contains(&format!("{said}/{said}")), "{}", stage.text());
}

#[test]
fn overlays_are_searched() {
    let mut stage = Stage::new(100, 20).whole();
    keys(&mut stage, "a/participant");
    assert!(stage.text().contains("/participant   1/"), "{}", stage.text());
    stage.press(&[Enter]);
    assert!(stage.text().contains("   2/"), "{}", stage.text());
    stage.press(&[Esc]);
    assert!(stage.text().contains("ANALYSIS"), "the search goes first");
    stage.press(&[Esc]);
    assert!(!stage.text().contains("ANALYSIS"));
    keys(&mut stage, "gz/the");
    assert!(stage.text().contains("/the   1/"), "{}", stage.text());
    stage.press(&[Enter]);
    assert!(stage.text().contains("   2/"), "{}", stage.text());
    stage.press(&[Esc]);
    assert!(stage.screen.view.over.page.is_some(), "the search goes first");
    stage.press(&[Esc]);
    assert!(stage.screen.view.over.page.is_none());
}

#[test]
fn speakers_and_rounds_are_jumped_over() {
    let mut stage = Stage::new(100, 30).whole();
    let number = |stage: &mut Stage| {
        let at = stage.screen.reading();
        let entry = stage.screen.transcript.entry(at).unwrap();
        stage.screen.transcript.state().entries[entry].number
    };
    let seats: Vec<String> = {
        let state = stage.screen.transcript.state();
        state.entries.iter().filter_map(|e| Some(e.seat()?.to_string())).collect()
    };
    let by_ada = |from: u32| {
        let next = seats.iter().enumerate().skip(from as usize).find(|(_, who)| **who == "ada");
        next.map(|(at, _)| at as u32 + 1)
    };
    keys(&mut stage, "g");
    stage.screen.view.selected = Some(0);
    keys(&mut stage, ">");
    assert_eq!(number(&mut stage), by_ada(1));
    keys(&mut stage, ">");
    let second = by_ada(1).unwrap();
    assert_eq!(number(&mut stage), by_ada(second));
    keys(&mut stage, "<");
    assert_eq!(number(&mut stage), Some(second));
    stage.screen.view.selected = None;
    keys(&mut stage, "g}");
    assert!(stage.text().contains("round 2"), "{}", stage.text());
    assert_eq!(number(&mut stage), Some(4));
    keys(&mut stage, "}{");
    assert!(stage.text().contains("round 2"), "{}", stage.text());
    keys(&mut stage, "{{");
    assert_eq!(number(&mut stage), Some(1));
    keys(&mut stage, "{");
    assert!(stage.text().contains("this is the first one"), "{}", stage.text());
    keys(&mut stage, ")");
    assert!(stage.text().contains("one phase so far"), "{}", stage.text());
}

#[test]
fn phases_are_jumped_over() {
    let mut stage = Stage::new(100, 30);
    bundled("formal-debate").into_iter().for_each(|event| stage.take(event));
    keys(&mut stage, "g");
    let said: Vec<String> = "))))"
        .chars()
        .map(|key| {
            stage.press(&[Char(key)]);
            stage.screen.view.notice.clone().unwrap_or_default()
        })
        .collect();
    let phases = ["phase openings", "phase rebuttals", "phase closings", "this is the last one"];
    assert_eq!(said, phases);
    keys(&mut stage, "(");
    assert!(stage.text().contains("phase rebuttals"), "{}", stage.text());
    keys(&mut stage, "(");
    assert!(stage.text().contains("phase openings"), "{}", stage.text());
}

#[test]
fn results_of_recent_commands_are_listed() {
    let mut stage = Stage::new(80, 24).during(2, 6);
    keys(&mut stage, "H");
    assert!(stage.text().contains("you have given no commands yet"));
    let given = |n: u32, name: &str| json!({"key": format!("0:{n}"), "do": name, "who": "bo"});
    for n in 1..=6 {
        stage.happens("operator", "command.given", given(n, "mute"));
        stage.happens("engine", "receipt", json!({"of": format!("0:{n}"), "is": "done"}));
    }
    stage.happens("operator", "command.given", json!({"key": "0:9", "do": "say", "text": "x"}));
    stage.happens("engine", "receipt", json!({"of": "0:9", "is": "queued"}));
    keys(&mut stage, "H");
    let page = stage.text();
    assert_eq!(page.matches("mute Bo").count(), 4, "five in all: {page}");
    let say = page.find("say: x").unwrap();
    let mute = page.find("mute Bo").unwrap();
    assert!(say < mute && page.contains("queued") && page.contains("done"), "{page}");
    stage.press(&[Esc]);
    assert!(stage.screen.view.over.page.is_none());
}

#[test]
fn reachable_models_are_offered_for_the_selected_seat() {
    let mut stage = Stage::new(80, 24).during(2, 6);
    assert_eq!(keys(&mut stage, "2M"), [Request::Models("bo".into())]);
    let models = [colloquium::ui::view::models::ReachableModel {
        name: "ollama:small".into(),
        price: "local".into(),
    }];
    let list = colloquium::ui::view::models::list(&stage.screen.transcript, &"bo".into(), &models);
    stage.screen.view.over.list = Some(list);
    assert!(stage.text().contains("Model of Bo") && stage.text().contains("ollama:small  local"));
    let set = json!({"model": "ollama:small"}).as_object().cloned().unwrap();
    let change = Command::Change { who: "bo".into(), set };
    assert_eq!(stage.press(&[Enter]), [Request::Send(change)]);
    // a narrow row shows the end of a model name, the part that differs
    let mut narrow = Stage::new(40, 24).during(2, 6);
    let model = |name: &str| colloquium::ui::view::models::ReachableModel {
        name: name.into(),
        price: "$0.25 in, $2 out per million tokens".into(),
    };
    let models = [model("endpoint:a-model-70b-mini"), model("endpoint:a-model-70b-nano")];
    let list = colloquium::ui::view::models::list(&narrow.screen.transcript, &"bo".into(), &models);
    narrow.screen.view.over.list = Some(list);
    let page = narrow.text();
    assert!(page.contains("b-mini") && page.contains("b-nano") && page.contains("$0.25"), "{page}");
}

#[test]
fn a_theme_that_is_chosen_is_kept_unless_the_settings_name_one() {
    for (fixed, told) in [(false, "kept for the next time"), (true, "for this run")] {
        let mut stage = Stage::new(80, 24).during(2, 6);
        stage.screen.themes.fixed = fixed;
        keys(&mut stage, "t");
        stage.press(&[Enter]);
        assert!(stage.text().contains(told), "{}", stage.text());
        assert!(stage.screen.themes.chosen);
    }
}

#[test]
fn words_dragged_over_are_copied_as_they_were_written() {
    let mut stage = Stage::new(80, 24).whole();
    keys(&mut stage, "g");
    let rows = stage.rows();
    let find = |words: &str| {
        let (y, row) = rows.iter().enumerate().find(|(_, row)| row.contains(words)).unwrap();
        let x = row[..row.find(words).unwrap()].chars().count();
        (x as u16, y as u16)
    };
    let from = find("Last week");
    let to = find("On Mill Lane".trim_start_matches("On "));
    let mut at = |kind, (column, row): (u16, u16)| {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        let asked = mouse(&mut stage.screen, &event);
        stage.draw();
        asked
    };
    let left = MouseButton::Left;
    assert_eq!(at(MouseEventKind::Down(left), from), None);
    assert_eq!(at(MouseEventKind::Drag(left), (to.0 + 3, to.1)), None);
    let copied = at(MouseEventKind::Up(left), (to.0 + 3, to.1));
    let words = "Last week I stood on Mill".to_owned();
    assert_eq!(copied, Some(Request::Copy(words, "the selected words".into())));
    // a click alone copies nothing
    assert_eq!(at(MouseEventKind::Down(left), from), None);
    assert_eq!(at(MouseEventKind::Up(left), from), None);
}

#[test]
fn a_refused_line_does_not_swallow_the_next_command() {
    let mut stage = Stage::new(80, 24).during(2, 6);
    let write = |stage: &mut Stage, words: &str| {
        for c in words.chars() {
            stage.press(&[Char(c)]);
        }
        stage.press(&[Enter])
    };
    assert_eq!(write(&mut stage, "i/floor dan"), []);
    assert!(stage.text().contains("no participant named `dan`"), "{}", stage.text());
    let floor = Request::Send(Command::Floor { to: "cy".into() });
    assert_eq!(write(&mut stage, "/floor cy"), [floor]);
    // a corrected command keeps its cursor position
    assert_eq!(write(&mut stage, "/floor"), []);
    let floor = Request::Send(Command::Floor { to: "bo".into() });
    assert_eq!(write(&mut stage, " bo"), [floor]);
}

#[test]
fn unavailable_actions_come_last_in_the_palette_with_reason() {
    let mut stage = Stage::new(100, 40).during(1, 1);
    for name in ["edit", "hide"] {
        keys(&mut stage, ":");
        let list = stage.screen.view.over.list.as_ref().unwrap();
        let entries = list.entries();
        let last = &entries[entries.len() - 3..];
        assert!(last.iter().any(|entry| entry.call == format!("/{name}")), "{name}");
        keys(&mut stage, name);
        assert!(stage.text().contains(": no turns yet"), "{}", stage.text());
        assert_eq!(stage.press(&[Enter]), []);
        let said = stage.rows()[39].clone() + &stage.rows()[38];
        assert!(said.contains("no turns yet"), "the refusal has the same words: {said}");
    }
}

/// Returns the rows of the topmost box, from its title to its lower edge.
fn boxed(stage: &mut Stage) -> Vec<String> {
    let rows = stage.rows();
    let from = rows.iter().position(|row| row.contains("esc close")).unwrap();
    let to = from + rows[from..].iter().position(|row| row.contains('└')).unwrap();
    rows[from..=to].to_vec()
}

#[test]
fn command_list_height_follows_the_matches() {
    for (width, height) in [(120, 40), (100, 24), (50, 24), (40, 16)] {
        let mut stage = Stage::new(width, height).during(2, 2);
        keys(&mut stage, ":");
        let open = boxed(&mut stage);
        let typed_at = stage.rows().iter().position(|row| row.contains('›')).unwrap();
        keys(&mut stage, "mute");
        let found = boxed(&mut stage);
        assert!(found.len() <= open.len(), "{found:?}");
        let blank = |row: &&String| row.split('│').nth(1).is_some_and(|row| row.trim().is_empty());
        // the selected entry is always shown in full
        assert!(found.iter().filter(blank).count() <= 3, "{width}x{height}: {found:?}");
        assert!(found.iter().any(|row| row.contains("Skip a")), "{width}x{height}: {found:?}");
        let still = stage.rows().iter().position(|row| row.contains("› mute")).unwrap();
        assert_eq!(still, typed_at, "the row in which words are typed stays");
        keys(&mut stage, "zzz");
        let none = boxed(&mut stage).join("");
        for word in ["Nothing found.", "backspace", "esc"] {
            assert!(none.contains(word), "{width}x{height}: {none}");
        }
        assert_eq!(stage.press(&[Enter]), [], "and nothing is run");
    }
}

#[test]
fn help_is_as_high_as_the_screen_and_no_heading_stands_without_its_keys() {
    for (width, height) in
        [(120, 40), (200, 60), (80, 24), (100, 30), (120, 33), (120, 34), (40, 10)]
    {
        let mut stage = Stage::new(width, height).during(2, 2);
        keys(&mut stage, "?");
        let help = boxed(&mut stage);
        assert!(height < 40 || help.len() > 33, "{width}x{height}: {help:#?}");
        let halves = if width < 98 { 1 } else { 2 };
        let inner = |row: &str| row.split('│').nth(1).unwrap_or_default().to_owned();
        let rows: Vec<String> = help[3..help.len() - 1].iter().map(|row| inner(row)).collect();
        let half = rows[0].chars().count() / halves;
        for column in 0..halves {
            let last: String =
                rows.last().unwrap().chars().skip(column * half).take(half).collect();
            let last = last.trim();
            let is_heading = !last.contains("  ") && last.len() > 1 && last == last.to_uppercase();
            assert!(!is_heading, "{width}x{height}: {last}: {help:#?}");
        }
    }
}
