//! The end of a conversation: its outcome is whole or begins at its headline, and nothing is said twice.

use crate::boards;
use crate::stage::{Stage, headless};
use colloquium::model::{Event, Kind};
use colloquium::ui::keymap::Focus;
use colloquium::ui::view::extension::{more, more_turns};
use crossterm::event::KeyCode::{self, PageDown, PageUp};

/// Plays all of a scenario.
fn ended(mut stage: Stage, arguments: &[&str]) -> Stage {
    headless(arguments, &[]).into_iter().for_each(|event| stage.take(event));
    stage.draw();
    stage
}

/// Returns a stage on which the input box has the focus.
fn on_line(mut stage: Stage) -> Stage {
    stage.short = false;
    stage.screen.open_line();
    stage.draw();
    stage
}

fn resize(stage: &mut Stage, width: u16, height: u16) {
    stage.terminal.backend_mut().resize(width, height);
    stage.terminal.resize(ratatui::layout::Rect::new(0, 0, width, height)).unwrap();
    stage.draw();
}

#[test]
fn the_outcome_of_the_demo_is_whole() {
    for (width, height) in [(120, 40), (200, 60)] {
        let shown = on_line(Stage::new(width, height).with_positions().whole()).text();
        for words in ["┏━ RESULT ━", "written by the scribe (Cy) ━┛"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        assert!(!shown.contains("below"), "{shown}");
    }
}

/// On a small screen the outcome does not fit: it begins at its headline, and the rest is counted.
#[test]
fn an_outcome_that_does_not_fit_begins_at_its_headline() {
    for line in [false, true] {
        let stage = Stage::new(46, 18).with_positions().whole();
        let mut stage = if line { on_line(stage) } else { stage };
        let shown = stage.text();
        assert!(shown.contains("┏━ RESULT ━"), "{shown}");
        assert!(shown.contains("below"), "{shown}");
        stage.press(&[PageDown, PageDown]);
        let shown = stage.text();
        assert!(shown.contains("scribe (Cy)") && !shown.contains("below"), "{shown}");
        stage.press(&[PageUp, PageDown, PageDown]);
        assert!(stage.text().contains("scribe (Cy)"), "{}", stage.text());
    }
}

/// The cards of a verdict and of a result are longer than a small screen: the verdict comes first.
#[test]
fn a_verdict_begins_the_outcome() {
    let shown = ended(on_line(Stage::new(80, 24)), &["demo", "formal-debate"]).text();
    for words in ["┏━ VERDICT · ", "✓ winner", "rows below, pgdn", "Nadia wins 8 to 7"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let shown = ended(on_line(Stage::new(120, 40)), &["demo", "formal-debate"]).text();
    assert!(shown.contains("┏━ VERDICT · ") && shown.contains("━┛"), "{shown}");
}

#[test]
fn the_answer_of_a_plan_and_of_a_search_is_whole() {
    for (name, head) in [("planner-executor", "1 Ruth  ·  #6"), ("consensus", "3 Rui  ·  #7")] {
        for (width, height) in [(80, 24), (50, 24)] {
            let stage = on_line(Stage::new(width, height));
            let over = |e: &Event| matches!(e.kind, Kind::Ended(_));
            let shown = boards::played(stage, name, 1, over).text();
            assert!(shown.contains(head) && !shown.contains("below"), "{shown}");
        }
    }
}

#[test]
fn an_end_is_said_at_most_twice() {
    for name in ["planner-executor", "consensus", "formal-debate", "moderated-panel"] {
        let shown = ended(on_line(Stage::new(120, 40)), &["demo", name]).text();
        let said = |words: &str| shown.to_lowercase().matches(words).count();
        assert!(said("finished") <= 1 && said("done  ") <= 1, "{name}: {shown}");
        assert!(said("the plan is completed") == 0, "{name}: {shown}");
    }
}

/// Only an end without losses has the sign of success.
#[test]
fn an_end_with_losses_names_them_and_is_not_green() {
    let talk = "title = \"Tea\"\n[limits]\nutterances = 2\n[[participant]]\nid = \"ada\"\nlines = [\"Tea.\"]\n\
        [[participant]]\nid = \"bob\"\nname = \"Bob\"\nscript = [\"false\"]\non_failure = { retry = 0 }\n";
    let mut stage = on_line(Stage::new(80, 24));
    let run = ["run", "talk.toml", "--trust"];
    headless(&run, &[("talk.toml", talk)]).into_iter().for_each(|event| stage.take(event));
    stage.draw();
    let shown = stage.text();
    let glyphs = &stage.screen.glyphs;
    let words = format!("{} 2 turns, without Bob (failed once)", glyphs.stopped);
    assert!(shown.contains(&words), "{shown}");
    assert!(!shown.contains("as planned") && !shown.contains(glyphs.done), "{shown}");
}

/// A conversation that somebody, a signal or a loop stopped is not a success, whatever was said before.
#[test]
fn an_end_before_the_planned_one_is_not_green() {
    for reason in ["signal", "operator", "loop", "time_limit"] {
        let mut stage = on_line(Stage::new(80, 24).during(2, 2));
        stage.happens(
            "engine",
            "conversation.ended",
            serde_json::json!({"reason": reason, "settled": false}),
        );
        stage.draw();
        let shown = stage.text();
        let glyphs = &stage.screen.glyphs;
        assert!(shown.contains(glyphs.stopped) && !shown.contains(glyphs.done), "{shown}");
        assert!(shown.contains("STOPPED") && !shown.contains("DONE"), "{shown}");
    }
}

/// A plan has no rounds: the key makes another plan, and the conversation pauses before its steps.
#[test]
fn a_finished_plan_offers_another_plan() {
    let mut stage = ended(on_line(Stage::new(120, 40)), &["demo", "planner-executor"]);
    let shown = stage.text();
    assert!(shown.contains("another plan") && !shown.contains("one more round"), "{shown}");
    assert_eq!(more_turns(stage.screen.transcript.state()), 1);
    assert_eq!(more(Stage::new(120, 40).whole().screen.transcript.state()), "one more round");
}

/// The template of executors takes no part.
#[test]
fn the_cast_has_no_template_of_executors() {
    for width in [60, 120] {
        let shown = ended(on_line(Stage::new(width, 40)), &["demo", "planner-executor"]).text();
        assert!(shown.contains("1 Ruth") && shown.contains("Clerk 1"), "{shown}");
        assert!(!shown.contains("2 Clerk"), "{shown}");
    }
}

/// The input box keeps its frame, however long the line of the floor is.
#[test]
fn a_long_status_leaves_the_corners_of_the_input_box() {
    for width in [40, 46, 50, 56, 64, 80] {
        let mut stage = on_line(Stage::new(width, 24).with_positions().whole());
        assert_eq!(stage.screen.view.place(), Focus::Line);
        let y = usize::from(stage.screen.view.areas.floor.y);
        let row = stage.rows().remove(y);
        assert!(row.starts_with('┌') && row.ends_with('┐'), "{width}: {row}");
    }
}

/// The upper edge of a card that begins above the screen is an edge.
#[test]
fn a_card_that_begins_above_the_screen_keeps_its_frame() {
    let mut stage = on_line(Stage::new(46, 18).with_positions().whole());
    stage.press(&[PageDown]);
    let shown = stage.text();
    let row = shown.lines().find(|row| row.contains("continued")).unwrap();
    assert!(row.contains("┏━ RESULT  ·  continued ━") && row.ends_with('┓'), "{shown}");
}

/// A taller screen shows more of the conversation, not empty rows below its end.
#[test]
fn no_rows_stay_empty_after_a_resize() {
    let mut stage = Stage::new(80, 16).whole();
    stage.press(&[PageUp]);
    let before = stage.text();
    resize(&mut stage, 80, 40);
    let area = stage.screen.view.areas.transcript;
    let last = stage.rows().remove(usize::from(area.bottom()) - 1);
    assert!(!last.trim().is_empty(), "{}", stage.text());
    resize(&mut stage, 80, 16);
    assert_eq!(stage.text(), before, "the position is kept");
}

/// Esc moves the focus and nothing else.
#[test]
fn nothing_moves_when_the_focus_leaves_the_input_box() {
    let mut stage = on_line(Stage::new(80, 24).during(4, 8));
    let rows = |stage: &mut Stage| {
        let area = stage.screen.view.areas.transcript;
        let rows = stage.rows();
        (area, rows[usize::from(area.y)..usize::from(area.bottom())].to_vec())
    };
    let before = rows(&mut stage);
    stage.press(&[KeyCode::Esc]);
    assert_eq!(stage.screen.view.place(), Focus::Marked);
    let (area, read) = rows(&mut stage);
    assert_eq!(area, before.0);
    // the bar of the message that keys act on is wider
    let bare = |rows: &[String]| -> Vec<String> {
        rows.iter().map(|row| row.trim_start_matches(['▐', ' ']).to_owned()).collect()
    };
    assert_eq!(bare(&read), bare(&before.1));
}
