//! What a reader may rely on while others speak.

use crate::stage::Stage;
use colloquium::model::Verb;
use colloquium::ui::update::Request;
use crossterm::event::KeyCode::{Char, Down, End, PageDown, PageUp, Up};

/// The rows of the transcript at 80x24.
const TRANSCRIPT: std::ops::Range<usize> = 3..21;

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
    assert!(stage.rows()[21].contains("more below"), "{}", stage.rows()[21]);
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
        // the head gets its time when the utterance is over; everything else stays as it was
        assert!(row.starts_with(was.trim_end()), "{row:?} was {was:?}");
    }
}

#[test]
fn the_last_line_follows_again() {
    let mut stage = Stage::new(80, 24).during(6, 2);
    let follows = |s: &Stage| s.screen.view.transcript.following();
    assert!(follows(&stage));
    stage.press(&[Up]);
    assert!(!follows(&stage));
    stage.press(&[Down]);
    assert!(follows(&stage));
    stage.press(&[PageUp, PageDown, PageDown]);
    assert!(follows(&stage));
    stage.press(&[Char('g')]);
    assert!(!follows(&stage) && stage.rows()[4].contains("1 Ada"));
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
fn keys_ask_for_what_they_say() {
    let mut stage = Stage::new(80, 24).during(2, 2);
    for (key, verb) in [
        (' ', Verb::Pause {}),
        ('.', Verb::Step { n: 1 }),
        ('s', Verb::Skip {}),
        ('S', Verb::PauseNow {}),
    ] {
        assert_eq!(stage.press(&[Char(key)]), [Request::Send(verb)], "{key:?}");
    }
    assert_eq!(stage.press(&[Char('q')]), [], "the first q asks while somebody speaks");
    assert_eq!(stage.press(&[Up, Char('q')]), [], "another key takes it back");
    assert_eq!(stage.press(&[Char('q')]), [Request::Leave]);
}
