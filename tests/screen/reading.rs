//! Guarantees to a reader while others speak.

use crate::stage::{Stage, demo};
use colloquium::clock::Clock;
use colloquium::model::{Channel, Command, Event, Kind, Ms, Piece};
use colloquium::session::Item;
use colloquium::ui::request::Request;
use crossterm::event::KeyCode::{Char, Down, End, Enter, Esc, PageDown, PageUp, Up};

/// Rows of the transcript at 80x24.
const TRANSCRIPT: std::ops::Range<usize> = 3..20;

#[test]
fn five_hundred_pieces_move_nothing_under_the_eyes_of_a_reader() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.press(&[PageUp, Up]);
    let before = stage.rows()[TRANSCRIPT].to_vec();
    for n in 0..500 {
        stage.piece(&format!("word{n} "));
        if n % 25 == 0 {
            stage.draw();
        }
    }
    assert_eq!(stage.rows()[TRANSCRIPT], before[..]);
    stage = stage.until(|e| e.kind.name() == "turn.ended");
    assert_eq!(stage.rows()[TRANSCRIPT], before[..], "the end of an utterance moved the reader");
    assert!(stage.rows()[20].contains("below"), "{}", stage.rows()[20]);
    stage.press(&[End]);
    assert_ne!(stage.rows()[TRANSCRIPT], before[..]);
}

#[test]
fn a_reader_inside_an_utterance_stays_there_when_it_ends() {
    let mut stage = Stage::new(80, 12).during(2, 20);
    stage.press(&[Up, Up]);
    let before = stage.rows()[2..9].to_vec();
    stage = stage.until(|e| e.kind.name() == "turn.ended");
    for (row, was) in stage.rows()[2..9].iter().zip(&before) {
        // the header gets its time at the end of the utterance; everything else stays
        assert!(row.starts_with(was.trim_end()), "{row:?} was {was:?}");
    }
}

#[test]
fn the_last_line_follows_again() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    let follows = |s: &Stage| s.screen.view.viewport.following();
    assert!(follows(&stage));
    stage.press(&[Up]);
    assert!(!follows(&stage));
    stage.press(&[Down]);
    assert!(follows(&stage));
    stage.press(&[PageUp, PageDown, PageDown]);
    assert!(follows(&stage));
    stage.press(&[Char('g')]);
    assert!(!follows(&stage) && stage.rows()[3].contains("1 Ada"));
    stage.press(&[Char('G')]);
    assert!(follows(&stage));
}

#[test]
fn a_page_up_and_down_comes_back() {
    let mut stage = Stage::new(80, 24).during(8, 2);
    stage.press(&[PageUp]);
    let here = stage.rows();
    stage.press(&[PageUp, Up, Down, PageDown]);
    assert_eq!(stage.rows()[TRANSCRIPT], here[TRANSCRIPT]);
}

#[test]
fn keys_request_their_commands() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    for (key, verb) in [
        (' ', Command::Pause {}),
        ('.', Command::Step { n: 1 }),
        ('s', Command::Skip {}),
        ('S', Command::PauseNow {}),
    ] {
        assert_eq!(stage.press(&[Char(key)]), [Request::Send(verb)], "{key:?}");
    }
}

#[test]
fn from_message_to_message() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.press(&[Char('g')]);
    for (key, head) in [('J', "2 Bo"), ('J', "3 Cy"), ('K', "2 Bo"), ('K', "1 Ada")] {
        stage.press(&[Char(key)]);
        assert!(stage.rows()[3].contains(head), "{key}: {}", stage.rows()[3]);
    }
}

#[test]
fn words_are_found_while_they_are_typed() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.press(&"/toothbrush".chars().map(Char).collect::<Vec<_>>());
    assert!(stage.rows()[23].contains("/toothbrush   1/1"), "{}", stage.rows()[23]);
    assert!(stage.rows()[3].contains("2 Bo"), "{}", stage.rows()[3]);
    stage.press(&[Esc]);
    stage.press(&"/from:ada".chars().map(Char).collect::<Vec<_>>());
    assert!(stage.rows()[23].contains("/2"), "{}", stage.rows()[23]);
    // the message that keys act on is marked after the first such key
    let row = |stage: &mut Stage| stage.rows()[3].chars().skip(3).collect::<String>();
    let first = row(&mut stage);
    stage.press(&[Enter]);
    assert_ne!(row(&mut stage), first);
    stage.press(&[Up]);
    assert_eq!(row(&mut stage), first);
}

#[test]
fn a_message_is_copied_as_it_was_written() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    stage.press(&[Char('g')]);
    let asked = stage.press(&[Char('y')]);
    let source = stage.screen.transcript.state().entries[0].text().to_string();
    assert_eq!(asked, [Request::Copy(source, "turn 1 (Ada)".into())]);
}

#[test]
fn reasoning_is_folded_until_it_is_opened() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    let turn = stage.turn();
    let at = stage.screen.transcript.state().ms;
    let thought = Piece { turn, channel: Channel::Think, at, text: "hidden in my head".into() };
    stage.screen.take(&Item::Piece(thought));
    let folded = stage.text();
    assert!(folded.contains("▸ reasoning, 4 words (/think)") && !folded.contains("in my head"));
    stage.press(&[Char('o')]);
    assert!(stage.text().contains("hidden in my head"));
}

#[test]
fn the_message_that_keys_act_on_is_marked_and_nothing_moves_while_it_is_in_sight() {
    let mut stage = Stage::new(80, 40).during(4, 8);
    let marked = |stage: &mut Stage| {
        let rows = stage.rows();
        let heads = rows.iter().filter(|r| r.starts_with(" ▐▌") && r.contains("  ·  #"));
        heads.map(|r| r.chars().skip(4).take(10).collect::<String>()).collect::<Vec<_>>()
    };
    assert!(marked(&mut stage).is_empty(), "letters are text");
    stage.press(&[Esc]);
    assert_eq!(marked(&mut stage), ["1 Ada  ·  "], "the last one while the end is followed");
    let before = stage.rows()[3].clone();
    stage.press(&[Char('K')]);
    assert_eq!(marked(&mut stage), ["3 Cy  ·  #"]);
    assert_eq!(stage.rows()[3], before, "it was in sight");
    let asked = stage.press(&[Char('y')]);
    assert!(matches!(&asked[..], [Request::Copy(_, what)] if what == "turn 3 (Cy)"), "{asked:?}");
    stage.press(&[Char('K'), Char('J')]);
    assert_eq!(marked(&mut stage), ["3 Cy  ·  #"]);
    stage.press(&[Char('i')]);
    assert!(marked(&mut stage).is_empty(), "letters are text");
    stage.press(&[Esc, End]);
    assert!(stage.screen.view.viewport.following());
}

#[test]
fn code_stands_in_a_frame_that_names_its_language_and_number() {
    let mut stage = Stage::new(80, 40).during(1, 0);
    stage.piece(
        "See `this`:\n\n```python\nprint(1)\n```\n\nand\n\n```\nls -l\n```\n\n---\n\n# Big\n",
    );
    let shown = stage.text();
    for row in
        ["See `this`:", "┌─ python ─ c1 ┐", "│ print(1)", "┌─── c2 ┐", "│ ls -l │", "└───────┘"]
    {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    assert!(shown.contains(&"─".repeat(60)), "a rule is drawn: {shown}");
}

/// The header, the lanes and the messages show the same time, also after a pause; it stops while nobody speaks.
#[test]
fn after_a_pause_header_and_transcript_show_one_time() {
    let ends = |e: &Event| matches!(e.kind, Kind::TurnEnded(_));
    let mut stage = Stage::altered(120, 40, |event| {
        let first = demo().iter().find(|e| matches!(e.kind, Kind::TurnEnded(_))).unwrap();
        event.ms.0 += if event.seq > first.seq { 600_000 } else { 0 };
    });
    stage = stage.until(ends);
    let header = |stage: &mut Stage| {
        let head = stage.rows().swap_remove(0);
        head.split_whitespace().next_back().unwrap().to_owned()
    };
    let at = header(&mut stage);
    stage.screen.clock = Clock::virtual_from(Ms(300_000));
    assert_eq!(header(&mut stage), at);
    let mut stage = stage.during(2, 2);
    let at = header(&mut stage);
    assert!(at.starts_with("10:"), "{at}");
}

#[test]
fn first_step_after_scrolling_selects_the_last_visible_message() {
    for size in [(80, 24), (80, 40), (50, 24)] {
        let mut stage = Stage::new(size.0, size.1).whole();
        stage.press(&[Esc, PageUp, PageUp]);
        let numbers = |stage: &mut Stage, sign: &str| -> Vec<u32> {
            let rows = stage.rows();
            let heads =
                rows.iter().filter(|r| r.contains("  ·  #") && r.trim_start().starts_with(sign));
            heads
                .map(|r| {
                    r.split('#').nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap()
                })
                .collect()
        };
        let last = *numbers(&mut stage, "").last().unwrap();
        stage.press(&[Char('K')]);
        assert_eq!(numbers(&mut stage, "▐▌"), [last], "{}", stage.text());
        stage.press(&[Char('K')]);
        assert_eq!(numbers(&mut stage, "▐▌"), [last - 1], "{}", stage.text());
    }
}

/// Keys act on the marked turn, also during it.
#[test]
fn a_turn_that_is_being_said_is_copied_as_far_as_it_is() {
    let mut stage = Stage::new(120, 40).during(2, 2);
    let said = stage.screen.transcript.live.said(stage.turn());
    let asked = stage.press(&[Char('y')]);
    assert_eq!(asked, [Request::Copy(said, "what Bo said so far".into())]);
    for key in ['z', 'A'] {
        stage.press(&[Char(key)]);
        assert!(
            stage.screen.view.over.page.is_none() && stage.screen.view.over.list.is_none(),
            "{key}"
        );
        assert!(
            stage.text().contains("this turn is still in progress; up selects"),
            "{}",
            stage.text()
        );
    }
    stage.press(&[Char('K'), Char('z')]);
    assert!(stage.screen.view.over.page.is_some());
}

#[test]
fn of_a_long_title_and_that_it_is_rehearsed_the_title_is_cut() {
    let long = "This house would abolish homework before the age of fourteen, and all exams";
    for (width, told) in [(120, long), (90, "This house would abolish homework before"), (60, "…")]
    {
        let mut stage = Stage::new(width, 24).during(2, 2);
        stage.happens("operator", "conversation.renamed", serde_json::json!({"title": long}));
        let head = stage.rows().remove(0);
        assert!(head.contains(told), "{head}");
        assert_eq!(head.contains("   rehearsed  "), width >= 90, "never in part: {head}");
        assert!(width >= 90 || !head.contains("rehe"), "{head}");
    }
}
