//! Panes beside or below the transcript: of a plan, of a consensus, and of an advised person.

use crate::stage::{Stage, headless};
use colloquium::model::{Event, Kind, Participant, VoiceSpec};
use crossterm::event::KeyCode::{Char, Enter, Esc};

/// Returns the events of a bundled scenario.
pub fn bundled(name: &str) -> Vec<Event> {
    headless(&["run", name, "--rehearsed"], &[])
}

/// Returns the events of a scenario given as text, with the lines of a steer file.
pub fn events_of(scenario: &str, steer: &[&str]) -> Vec<Event> {
    let files = [("talk.toml", scenario), ("steer.jsonl", &steer.join("\n"))];
    let arguments = ["run", "talk.toml", "--rehearsed", "--steer", "steer.jsonl"];
    headless(&arguments[..if steer.is_empty() { 3 } else { 5 }], &files)
}

/// Plays a bundled scenario up to the `most`-th matching event, or to its end.
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

/// A consensus in progress: two seats have answered, the third works.
pub fn answering(stage: Stage) -> Stage {
    played(stage, "consensus", 2, |e| matches!(e.kind, Kind::TurnEnded(_)))
}

/// The same consensus after the vote and its presentation.
pub fn voted(stage: Stage) -> Stage {
    played(stage, "consensus", 1, |e| matches!(e.kind, Kind::Ended(_)))
}

/// A plan of two steps: the executor of the first one has asked, and the planner answers.
pub fn planned(stage: Stage) -> Stage {
    played(stage, "planner-executor", 26, |e| matches!(e.kind, Kind::Delta(_)))
}

/// An advised person: a ranking was made, and the last reply added two facts.
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
    assert!(row(&mut stage, "3 Rui").contains("working"), "{}", stage.text());
    let mut stage = voted(Stage::new(80, 24));
    assert!(stage.text().contains("Rui won, 2 votes of 3"), "{}", stage.text());
    let tables = stage.screen.transcript.analysis().tables();
    let table = tables.iter().find(|t| t.name == "coordination").unwrap();
    let rows: Vec<String> = table
        .rows
        .iter()
        .map(|row| row[2..5].iter().map(|cell| cell.shown()).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(rows[0], "Ines answered -");
    assert!(rows.contains(&"Rui voted Tom".to_owned()), "{rows:?}");
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

/// The marker before an answer is not shown, also while the answer streams.
#[test]
fn an_answer_streams_without_its_marker() {
    let mut stage = Stage::new(80, 24);
    for event in bundled("consensus") {
        let ends = matches!(event.kind, Kind::Ended(_));
        stage.take(event);
        let shown = stage.text();
        let bare = shown.replace("ANSWERS AND VOTES", "");
        assert!(!bare.contains("ANSW"), "{shown}");
        if ends {
            break;
        }
    }
}

#[test]
fn plan_lists_executors_and_waiting_steps() {
    let mut stage = planned(Stage::new(80, 24));
    assert!(stage.text().contains("PLAN · 0 of 2 completed"), "{}", stage.text());
    assert!(stage.text().contains("(step 1: Ruth answers)"), "by its name: {}", stage.text());
    let first = row(&mut stage, "1 ▸");
    let second = row(&mut stage, "2 …");
    for told in ["running", "Look up", "Clerk 1", "asked Ruth"] {
        assert!(first.contains(told), "{told:?} is not in {first:?}");
    }
    assert!(second.contains("waiting") && second.contains("waits for 1"), "{second}");
    assert!(!second.contains("Clerk"), "nobody has it yet: {second}");
    let mut narrow = planned(Stage::new(50, 24));
    let first = row(&mut narrow, "1 ▸");
    assert!(first.contains("Ruth") && !first.contains("1 of 10"), "{first}");
    let ended = |e: &Event| matches!(e.kind, Kind::StepEnded(_));
    let mut stage = played(Stage::new(80, 24), "planner-executor", 1, ended);
    let first = row(&mut stage, "1 ✓");
    assert!(first.contains("completed") && first.contains("done, 2 messages"), "{first}");
    assert!(!row(&mut stage, "2 …").contains("waits for"), "{}", stage.text());
    let mut stage = played(Stage::new(120, 60), "planner-executor", 1, ended);
    stage.press(&[Char('d')]);
    let page = stage.text();
    for told in [
        "1 ✓ completed  Look up",
        "goal: What is done",
        "Ruth ▶ Clerk 1  assignment",
        "Clerk 1 ▶ Ruth  question",
        "Ruth ▶ Clerk 1  answer",
        "result:",
        "after 1 ",
    ] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
    assert_eq!(page.matches("due on 3 June").count(), 1, "results stand once:\n{page}");
    let mut stage =
        played(Stage::new(80, 24), "planner-executor", 1, |e| matches!(e.kind, Kind::Ended(_)));
    assert!(stage.text().contains("PLAN · plan completed · 2 of 2 completed"), "{}", stage.text());
}

#[test]
fn between_two_steps_of_a_plan_the_floor_says_so() {
    let mut stage = Stage::new(80, 24);
    let mut begun = false;
    let mut said = false;
    for event in bundled("planner-executor") {
        begun |= matches!(event.kind, Kind::Delta(_));
        stage.take(event);
        let shown = stage.text();
        assert!(!begun || !shown.contains("waiting for the first turn"), "{shown}");
        said |= shown.contains("between two steps of the plan");
    }
    assert!(said);
}

#[test]
fn the_board_lists_the_profile_and_its_changes() {
    let mut stage = advised(Stage::new(120, 60));
    stage.press(&[Char('d')]);
    let page = stage.text();
    for told in [
        "5 of 6 known",
        "+ grooming",
        "+ allergies",
        "1. Whippet",
        "ready to recommend",
        "Changed just now",
        "not known yet",
    ] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
    assert!(!page.contains("+ activity"), "known for longer:\n{page}");
}

#[test]
fn no_panes_without_answers_and_plan() {
    let mut stage = Stage::new(80, 24).during(2, 3);
    assert!(!stage.text().contains("ANSWERS AND VOTES"));
    stage.press(&[Char('d')]);
    assert!(
        stage
            .text()
            .contains("no plan, dependencies, answers, votes or profile in this conversation"),
        "{}",
        stage.text()
    );
}

/// Returns a stage with the bundled plan at its end, high enough to show all of it.
fn carried_out(width: u16, height: u16) -> Stage {
    played(Stage::new(width, height), "planner-executor", 1, |e| matches!(e.kind, Kind::Ended(_)))
}

#[test]
fn the_talk_in_a_step_is_folded_under_its_row_and_opens() {
    let question = "There are two mill footbridges";
    let answer = "Nobody will open Mill Road this year";
    // the last message of a running step is visible
    let mid = planned(Stage::new(100, 50)).text();
    assert!(mid.contains("running (/think: open)") && mid.contains(question), "{mid}");
    assert!(mid.contains("step 1, question"), "{mid}");
    let mut stage = carried_out(100, 70);
    let folded = stage.text();
    for told in [
        "messages, completed (/think: open)",
        "Clerk 2, 1 message, completed",
        "can open for the midsummer walk",
    ] {
        assert!(folded.contains(told), "{told:?} is not in\n{folded}");
    }
    assert!(!folded.contains(question) && !folded.contains(answer), "{folded}");
    // from the last message to the header of the second step, then that of the first
    stage.press(&[Char('K'), Char('K'), Char('o')]);
    let open = stage.text();
    let places = ["step 1: Look up", question, answer, "step 1, done", "step 2: Write"];
    let places: Vec<Option<usize>> = places.iter().map(|told| open.find(told)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}\n{open}");
    assert!(open.contains("completed (/think: fold)"), "{open}");
    assert_eq!(open.matches(": fold)").count(), 1, "the other one stays folded\n{open}");
    stage.press(&[Char('o')]);
    assert!(!stage.text().contains(question), "{}", stage.text());
    stage.press(&[Char('O')]);
    assert!(stage.text().contains(question) && stage.text().contains("step 2, done"));
    stage.press(&[Char('O'), Char('/')]);
    stage.press(&"Nobody will".chars().map(Char).collect::<Vec<_>>());
    stage.press(&[Enter]);
    assert!(stage.text().contains(answer), "what is found is opened\n{}", stage.text());
}

/// Simultaneous steps alternate in the log, but each thread is shown under its own row.
#[test]
fn talks_of_steps_that_run_at_once_are_not_mixed() {
    let mut stage = at_once(Stage::new(100, 70));
    stage.press(&[Char('O')]);
    let text = stage.text();
    let places: Vec<usize> =
        ["step 1: ", "one of one", "two of one", "step 2: ", "one of two", "two of two"]
            .iter()
            .map(|told| text.find(told).unwrap_or_else(|| panic!("{told:?} is not in\n{text}")))
            .collect();
    assert!(places.is_sorted(), "{places:?}\n{text}");
}

fn at_once(mut stage: Stage) -> Stage {
    for event in events_of(AT_ONCE, &[]) {
        stage.take(event);
    }
    stage.draw();
    stage
}

const AT_ONCE: &str = r#"
title = "At once"
topic = "Two things."
policy = { name = "plan", executor = "hand", replan = false }
[[participant]]
id = "head"
name = "Head"
[[participant]]
id = "hand"
name = "Hand"
[rehearsed]
head = [
  { when = "step.asks == 'plan'", text = '{"steps": [{"goal": "first"}, {"goal": "second"}]}' },
  "All is said.",
]
hand = [
  { when = "step.exchange == 1 and step.number == 1", text = "PROGRESS: one of one" },
  { when = "step.exchange == 1", text = "PROGRESS: one of two" },
  { when = "step.number == 1", text = "TASK COMPLETE: two of one" },
  "TASK COMPLETE: two of two",
]
"#;

#[test]
fn the_graph_of_a_plan_has_a_box_for_each_step_with_its_state() {
    let mut stage = planned(Stage::new(120, 60));
    stage.press(&[Char('d')]);
    let page = stage.text();
    for told in ["┌ 1 Look up", "▸ running ", "┌ 2 Write", "… waiting", "▶│"] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
    let mut narrow = planned(Stage::new(40, 60));
    narrow.press(&[Char('d')]);
    let page = narrow.text();
    assert!(page.contains("└── … 2 Write") && !page.contains("┌ 2"), "{page}");
    let mut over = carried_out(120, 60);
    over.press(&[Char('d')]);
    assert!(over.text().matches("│ ✓ completed").count() == 2, "{}", over.text());
}

const TROUBLED: &str = r#"
title = "Trouble"
topic = "Nine things."
policy = { name = "plan", executor = "hand", replan = false, parallel = 2 }
[[participant]]
id = "head"
name = "Head"
[[participant]]
id = "hand"
name = "Hand"
[rehearsed]
head = [
  { when = "step.asks == 'plan'", text = '''
{"steps": [{"goal": "the first"}, {"goal": "the second"}, {"goal": "the third", "after": [2]},
 {"goal": "4th", "after": [3]}, {"goal": "5th", "after": [3]}, {"goal": "6th", "after": [3]}, {"goal": "7th", "after": [3]},
 {"goal": "8th", "after": [3]}, {"goal": "9th", "after": [3]}]}''' },
  "Some of it is done.",
]
hand = [
  { when = "step.number == 1", text = "ERROR: There is no ladder." },
  { when = "step.number == 2", text = "PROGRESS: {{ step.exchange }}" },
  "TASK COMPLETE: step {{ step.number }}",
]
"#;

#[test]
fn plan_pane_shows_failed_cancelled_and_hidden_steps() {
    let cancel = r#"{"when": "plan.steps and plan.steps[1].exchanges == 1", "do": "cancel_step", "step": 2}"#;
    let events = events_of(TROUBLED, &[cancel]);
    let third = |e: &Event| matches!(&e.kind, Kind::ThreadOpened(t) if t.about["step"] == 3);
    let first = |e: &Event| matches!(&e.kind, Kind::StepEnded(ended) if ended.step == 1);
    let mid = events.iter().rposition(|e| third(e) || first(e)).expect("the third step begins");
    let shown = |upto: &[Event], width, height| {
        let mut stage = Stage::new(width, height);
        upto.iter().for_each(|event| stage.take(event.clone()));
        stage.draw();
        stage
    };
    let mut stage = shown(&events[..=mid], 120, 60);
    let first = row(&mut stage, "1 ■ failed");
    let second = row(&mut stage, "2 ‖ cancelled");
    for (told, row) in [("the first", &first), ("error, 1 of 10", &first), ("the second", &second)]
    {
        assert!(row.contains(told), "{told:?} is not in {row:?}\n{}", stage.text());
    }
    stage.press(&[Char('d')]);
    let page = stage.text();
    for told in [
        "■ failed",
        "‖ cancelled",
        "failed because There is no ladder.",
        "cancelled because the operator cancelled it",
    ] {
        assert!(page.contains(told), "{told:?} is not in\n{page}");
    }
    // completed steps are left out first, and the last row counts hidden ones
    let mut small = shown(&events[..=mid], 80, 24);
    let text = small.text();
    assert!(row(&mut small, "3 ▸ running").contains("the third"), "{text}");
    let rest = row(&mut small, "and ");
    assert!(
        rest.contains("more: ")
            && rest.contains("waiting")
            && rest.contains("1 failed, 1 cancelled"),
        "{text}"
    );
    // the rows below the transcript name the failure too
    let mut over = shown(&events, 110, 70);
    let text = over.text();
    assert!(text.contains("failed: There is no ladder."), "{text}");
    assert!(
        text.contains("cancelled (/th") && text.contains("7 of 9 completed · 1 failed"),
        "{text}"
    );
}

#[test]
fn a_person_to_whom_no_plan_gives_a_step_reads_that() {
    let mut stage = Stage::new(120, 40);
    for mut event in bundled("planner-executor").into_iter().take(8) {
        if let Kind::Opened(opened) = &mut event.kind {
            let voice = VoiceSpec::Human { seconds: None, pass: false, link: false };
            let guest = Participant { name: "Guest".into(), ..Participant::new("guest", voice) };
            opened.participants.push(guest);
        }
        stage.take(event);
    }
    let shown = stage.text();
    let after = shown.split(" Guest").nth(1).unwrap();
    let said: String = after.lines().take(2).collect();
    assert!(said.contains("no turns"), "{shown}");
    assert_eq!(shown.matches("no turns").count(), 1, "the planner has turns: {shown}");
}

#[test]
fn panel_shows_the_role_of_the_present_round() {
    let seat = |id: &str| {
        format!(
            "[[participant]]\nid = \"{id}\"\nrole = [\"defends\", \"attacks\"]\n\
             lines = [\"one two\", \"three four\"]\n"
        )
    };
    let scenario = format!(
        "title = \"x\"\npolicy = \"round_robin\"\nlimits = {{ rounds = 2 }}\n{}{}",
        seat("ada"),
        seat("bo")
    );
    let events = events_of(&scenario, &[]);
    let role = |number: u32| {
        let mut stage = Stage::new(120, 30);
        for event in &events {
            stage.take(event.clone());
            if matches!(&event.kind, Kind::TurnEnded(end) if end.number == Some(number)) {
                break;
            }
        }
        // below the name in the sidebar, not in the head of a turn
        let beside = |row: &String| row.chars().skip(90).collect::<String>().trim().to_owned();
        let panel: Vec<String> = stage.rows().iter().map(beside).collect();
        (panel.contains(&"defends".to_owned()), panel.contains(&"attacks".to_owned()))
    };
    assert_eq!(role(1), (true, false));
    assert_eq!(role(3), (false, true));
}
