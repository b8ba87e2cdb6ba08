//! The panes of a plan, of a table that looks for one answer, and of a person who is advised: below the transcript or at the side.

use crate::stage::Stage;
use colloquium::model::{Event, Kind};
use colloquium::session::decode;
use crossterm::event::KeyCode::{Char, Esc};
use std::process::Command;

/// The events of a bundled scenario, played without a screen in virtual time.
pub fn bundled(name: &str) -> Vec<Event> {
    let home = tempfile::tempdir().unwrap();
    let played = Command::new(env!("CARGO_BIN_EXE_colloquium"))
        .args(["run", name, "--rehearsed", "--headless", "--format", "jsonl", "--no-save", "-q"])
        .env("HOME", home.path())
        .output()
        .unwrap();
    let lines = played.stdout.split(|b| *b == b'\n').filter(|l| !l.is_empty());
    let events: Vec<Event> = lines.map(|line| decode(line).unwrap()).collect();
    assert!(!events.is_empty(), "{}", String::from_utf8_lossy(&played.stderr));
    events
}

/// Plays a bundled scenario until so many events fit, or to its end.
pub fn played(mut stage: Stage, name: &str, most: usize, fits: fn(&Event) -> bool) -> Stage {
    let mut seen = 0;
    for event in bundled(name) {
        seen += usize::from(fits(&event));
        stage.take(event);
        if seen == most {
            break;
        }
    }
    stage.draw();
    stage
}

/// A table that looks for one answer: two have answered, the third works again.
pub fn answering(stage: Stage) -> Stage {
    played(stage, "consensus", 32, |e| matches!(e.kind, Kind::Delta(_)))
}

/// The same, voted and presented.
pub fn voted(stage: Stage) -> Stage {
    played(stage, "consensus", 1, |e| matches!(e.kind, Kind::Ended(_)))
}

/// A plan of two steps: the executor of the first one has asked, and the planner answers.
pub fn planned(stage: Stage) -> Stage {
    played(stage, "planner-executor", 26, |e| matches!(e.kind, Kind::Delta(_)))
}

/// Somebody is advised: a ranking was made, and the last reply added two facts.
pub fn advised(stage: Stage) -> Stage {
    played(stage, "breed-advisor", 2, |e| matches!(e.kind, Kind::RankingMade(_)))
}

fn row(stage: &mut Stage, begins: &str) -> String {
    let rows = stage.rows();
    rows.into_iter().rev().find(|r| r.trim_start().starts_with(begins)).unwrap_or_default()
}

#[test]
fn answers_and_votes_are_a_table_that_grows() {
    let mut stage = answering(Stage::new(80, 24));
    assert!(stage.text().contains("ANSWERS AND VOTES · round 1"), "{}", stage.text());
    assert!(row(&mut stage, "1 Ines").contains("answered 0:0"), "{}", stage.text());
    assert!(row(&mut stage, "3 Rui").contains("working again"), "{}", stage.text());
    let mut stage = voted(Stage::new(80, 24));
    assert!(stage.text().contains("Rui won, 2 votes of 3 · 3 restarts"), "{}", stage.text());
    let tables = stage.screen.transcript.analysis().tables();
    let table = tables.iter().find(|t| t.name == "coordination").unwrap();
    let rows: Vec<String> = table
        .rows
        .iter()
        .map(|row| row[2..5].iter().map(|cell| cell.shown()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows[0], "Ines answered -");
    assert!(rows.contains(&"Rui voted Tom".to_owned()), "{rows:?}");
    assert_eq!(rows.iter().filter(|row| row.contains("restarted")).count(), 3, "{rows:?}");
    assert_eq!(rows.last().unwrap(), "Rui presented -");
    let rui = row(&mut stage, "3 Rui");
    assert!(rui.contains("▆ 2 ✓") && rui.contains("▶ Tom  I can't vote for mine"), "{rui}");
    stage.press(&[Char('d')]);
    let page = stage.text();
    assert!(page.contains("3 Rui  2 votes  ✓ won") || page.contains("1 Ines  0 votes"), "{page}");
    stage.press(&[Char('G')]);
    assert!(stage.text().contains("Rui presented the answer"), "{}", stage.text());
    stage.press(&[Esc]);
    assert!(stage.text().contains("ANSWERS AND VOTES"));
}

#[test]
fn a_plan_says_who_works_on_which_step_and_what_waits() {
    let mut stage = planned(Stage::new(80, 24));
    assert!(stage.text().contains("PLAN · 0 of 2 completed"), "{}", stage.text());
    let (first, second) = (row(&mut stage, "1 ▸"), row(&mut stage, "2 …"));
    for told in ["running", "Look up", "Clerk 1", "question to Ruth, 1 of 10"] {
        assert!(first.contains(told), "{told:?} is not in {first:?}");
    }
    assert!(second.contains("waiting") && second.contains("waits for 1"), "{second}");
    assert!(!second.contains("Clerk"), "nobody has it yet: {second}");
    let mut narrow = planned(Stage::new(50, 24));
    let first = row(&mut narrow, "1 ▸");
    assert!(first.contains("question to Ruth") && !first.contains("1 of 10"), "{first}");
    let ended = |e: &Event| matches!(e.kind, Kind::StepEnded(_));
    let mut stage = played(Stage::new(80, 24), "planner-executor", 1, ended);
    let first = row(&mut stage, "1 ✓");
    assert!(first.contains("completed") && first.contains("task complete, 2 of 10"), "{first}");
    assert!(!row(&mut stage, "2 …").contains("waits for"), "{}", stage.text());
    let mut stage = played(Stage::new(120, 60), "planner-executor", 1, ended);
    stage.press(&[Char('d')]);
    let page = stage.text();
    for told in [
        "1 ✓ completed  Look up",
        "goal: It is known",
        "Ruth ▶ Clerk 1  task assignment",
        "Clerk 1 ▶ Ruth  question",
        "Ruth ▶ Clerk 1  clarification",
        "result:",
        "after 1 ",
    ] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
    let mut stage =
        played(Stage::new(80, 24), "planner-executor", 1, |e| matches!(e.kind, Kind::Ended(_)));
    assert!(stage.text().contains("PLAN · plan completed · 2 of 2 completed"), "{}", stage.text());
}

#[test]
fn a_profile_says_what_changed_and_is_at_the_side_of_a_wide_screen() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut stage = advised(Stage::new(width, height));
        let screen = stage.text();
        for told in ["5 of 6 known", "+ grooming", "+ allergies", "1 Whippet", "ready to recommend"]
        {
            assert!(screen.contains(told), "{width}: {told:?} is not in\n{screen}");
        }
        assert!(!screen.contains("+ activity"), "known for longer:\n{screen}");
        stage.press(&[Char('W')]);
        let page = stage.text();
        assert!(page.contains("Changed just now") && page.contains("not known yet"), "{page}");
    }
}

#[test]
fn who_has_neither_has_no_panes() {
    let mut stage = Stage::new(80, 24).during(2, 3);
    assert!(!stage.text().contains("ANSWERS AND VOTES") && !stage.text().contains("PROFILE"));
    stage.press(&[Char('W')]);
    assert!(stage.text().contains("keeps no profile"), "{}", stage.text());
    stage.press(&[Char('d')]);
    assert!(
        stage.text().contains("no plan, dependencies, answers or votes in this conversation"),
        "{}",
        stage.text()
    );
}
