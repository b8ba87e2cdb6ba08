//! Events of a terminal as they become keys, pastes and reports.

use super::*;

fn key(code: KeyCode, with: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, with))
}

/// Returns the events that crossterm makes of the bytes of one read that it does not know as a sequence.
fn events(read: &str) -> Vec<Event> {
    let mut made = vec![];
    let mut rest = read.chars().peekable();
    while let Some(c) = rest.next() {
        made.push(match c {
            '\u{1b}' => match rest.next() {
                Some(c) => key(KeyCode::Char(c), KeyModifiers::ALT),
                None => key(KeyCode::Esc, KeyModifiers::NONE),
            },
            '\u{7}' => key(KeyCode::Char('g'), KeyModifiers::CONTROL),
            '\r' => key(KeyCode::Enter, KeyModifiers::NONE),
            c => key(KeyCode::Char(c), KeyModifiers::NONE),
        });
    }
    made
}

/// Plays reads with pauses in milliseconds before them, as the reader does.
fn played(reads: &[(u64, &str)]) -> Vec<Event> {
    let mut filter = InputFilter::default();
    let mut now = Ms(0);
    let mut kept = vec![];
    for (pause, read) in reads {
        if filter.due(now).is_some_and(|due| due <= *pause) {
            kept.extend(filter.release());
        }
        now = Ms(now.0 + pause);
        kept.extend(filter.push(events(read), now));
    }
    kept.extend(filter.release());
    kept
}

/// Returns the letters of events.
fn typed(events: &[Event]) -> String {
    events.iter().filter_map(plain).collect()
}

#[test]
fn sequences_cut_after_the_escape_byte_type_nothing() {
    for rest in [
        "[<64;10;10M",
        "[<65;1;200m",
        "[?62;22c",
        "[12;5R",
        "[I",
        "[O",
        "[2026;2$y",
        "]11;rgb:1e1e/1e1e/2e2e\u{7}",
        "]11;rgb:1e1e/1e1e/2e2e\u{1b}\\",
        "P>|tmux 3.4\u{1b}\\",
        "_Gi=31;OK\u{1b}\\",
        "]52;c;aGVsbG8=\u{1b}\\",
    ] {
        for pause in [0, 2, 10, 30, 49, 60, 150, 499] {
            let kept = played(&[(0, "\u{1b}"), (pause, rest), (600, "so")]);
            assert_eq!(typed(&kept), "so", "{rest:?} after {pause} ms");
        }
    }
}

#[test]
fn texts_that_come_late_and_in_pieces_type_nothing() {
    for whole in ["P>|tmux 3.4", "P1+r544e=787465726d", "_Gi=31;OK", "]52;c;aGVsbG8="] {
        for at in 3..whole.len() {
            for pause in [51, 60, 150] {
                let (came, rest) = whole.split_at(at);
                let rest = format!("{rest}\u{1b}\\");
                let kept = played(&[(0, "\u{1b}"), (pause, came), (30, &rest), (600, "so")]);
                assert_eq!(typed(&kept), "so", "{came:?} and {rest:?} after {pause} ms");
            }
        }
    }
}

/// Two hundred texts of a terminal, behind each of their beginnings and before each of their ends.
#[test]
fn texts_of_the_terminal_cut_at_every_place_type_nothing() {
    let bodies = [
        "11;rgb:1e1e/1e1e/2e2e",
        "10;rgb:fafa/0b0c/1234",
        "12;#ffffff",
        "4;1;rgb:00/ff/00",
        "52;c;aGVsbG8=",
        "0;a title",
        "7;file:///tmp",
        "8;;",
        "133;A",
        "9;4;3;0",
        ">|tmux 3.4",
        "!|00000000",
        "1+r544e=787465726d",
        "0+r",
        "1$r0m",
        "Gi=31;OK",
        "Gi=31;ENOENT:no",
        "private",
        "start",
        "?",
    ];
    let begins = TEXTS.chars().flat_map(|begin| bodies.map(|body| format!("\u{1b}{begin}{body}")));
    let texts = begins.flat_map(|text| ["\u{7}", "\u{1b}\\"].map(|end| format!("{text}{end}")));
    for whole in texts {
        for at in 1..whole.len() {
            for pause in [0, 2, 30] {
                let (came, rest) = whole.split_at(at);
                let kept = played(&[(0, came), (pause, rest), (600, "so")]);
                assert_eq!(typed(&kept), "so", "{came:?} and {rest:?} after {pause} ms");
            }
        }
        let kept = played(&[(0, &*whole), (0, "so")]);
        assert_eq!(kept, events("so"), "{whole:?}");
    }
}

#[test]
fn keys_of_a_person_stay() {
    let escape = key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(played(&[(0, "\u{1b}"), (100, "q")]), [vec![escape.clone()], events("q")].concat());
    assert_eq!(played(&[(0, "\u{1b}"), (1, "q")]), [vec![escape.clone()], events("q")].concat());
    assert_eq!(played(&[(0, "\u{1b}"), (80, "\u{1b}")]), [escape.clone(), escape.clone()]);
    assert_eq!(
        played(&[(0, "\u{1b}"), (600, "[1]")]),
        [vec![escape.clone()], events("[1]")].concat()
    );
    for alone in ["\u{1b}]", "\u{1b}P", "\u{1b}b"] {
        assert_eq!(played(&[(0, alone), (100, "q")]), events(&format!("{alone}q")), "{alone:?}");
    }
    assert_eq!(played(&[(0, "\u{1b}"), (2, "[A")]), [key(KeyCode::Up, KeyModifiers::NONE)]);
    for (rest, known) in [("[B", KeyCode::Down), ("[H", KeyCode::Home)] {
        let expected = [escape.clone(), key(known, KeyModifiers::NONE)].to_vec();
        assert_eq!(
            played(&[(0, "\u{1b}"), (60, rest), (0, "\r")]),
            [expected, events("\r")].concat()
        );
    }
    assert_eq!(typed(&played(&[(0, "\u{1b}"), (60, "[Bob]")])), "[Bob]");
    assert_eq!(played(&[(0, "\u{1b}"), (2, "OB")]), [key(KeyCode::Down, KeyModifiers::NONE)]);
    // a text without an end does not take the next keys
    assert_eq!(played(&[(0, "\u{1b}]11;rgb"), (300, "q")]), events("q"));
    let flood = "x".repeat(SEQUENCE_MAX + 10);
    let kept = played(&[(0, &format!("\u{1b}]{flood}"))]);
    assert_eq!(kept.len(), 10, "the end of a sequence without an end");
}

#[test]
fn lines_in_one_read_are_a_paste() {
    for (read, expected) in [
        ("one\rtwo\rthree", "one\ntwo\nthree"),
        ("first line\r\rlast line\r", "first line\n\nlast line"),
    ] {
        assert_eq!(played(&[(0, read)]), [Event::Paste(expected.into())]);
    }
    for read in ["a line that is sent\r", "y\rn\r", "\r\r\r\r\r\r\r\r\r", "j\rk"] {
        assert_eq!(played(&[(0, read)]), events(read), "{read:?}");
    }
    assert_eq!(played(&[(0, "one\r"), (8, "two\r"), (8, "three\r")]), events("one\rtwo\rthree\r"));
}

#[test]
fn rest_of_an_answer_that_began_before_is_no_key() {
    for (came, rest) in [
        ("\u{1b}", "]11;rgb:fafa/0b0c/1234\u{1b}\\"),
        ("\u{1b}", "[?62;22c"),
        ("\u{1b}]11;rgb:1/2/3\u{1b}", "\\"),
        ("\u{1b}]11;rgb:fa", "fa/0b0c/1234\u{7}"),
        ("\u{1b}]11;rgb:fa", ""),
        ("\u{1b}]11;rgb:1/2/3\u{1b}\\\u{1b}[?6", "62;22c"),
    ] {
        let (keys, mut filter) = InputFilter::after(came.as_bytes());
        assert_eq!((keys, filter.within.is_some()), (vec![], true), "{came:?}");
        assert_eq!(filter.push(events(rest), Ms(3_000)), [], "{came:?} {rest:?}");
        assert_eq!(filter.push(events("i"), Ms(9_000)), events("i"), "{came:?} {rest:?}");
    }
    for whole in ["", "typed", "\u{1b}]11;rgb:1/2/3\u{7}", "\u{1b}[?62c", "\u{1b}OP", "\u{1b}O"] {
        assert_eq!(InputFilter::after(whole.as_bytes()).1.within, None, "{whole:?}");
    }
}

#[test]
fn keys_among_the_reports_of_an_answer_are_kept() {
    let answer = "h\u{1b}]11;rgb:1/2/3\u{1b}\\i\r\u{1b}[?1u\u{3}\u{1b}[?62;4c é\u{1b}[?6";
    let interrupt = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let expected = [events("hi\r"), vec![interrupt], events(" é")].concat();
    assert_eq!(InputFilter::after(answer.as_bytes()).0, expected);
}

proptest::proptest! {
    /// No bytes type more than their own letters.
    #[test]
    fn no_reads_type_more_than_their_letters(
        reads in proptest::collection::vec((0u64..200, "[\u{1b}\\[\\]P_\\\\0-9;<?Ma\r\u{7}]{0,12}"), 0..12),
    ) {
        let mut given: Vec<char> = reads.iter().flat_map(|(_, read)| read.chars()).collect();
        let reads: Vec<(u64, &str)> = reads.iter().map(|(at, read)| (*at, &**read)).collect();
        for c in typed(&played(&reads)).chars() {
            let at = given.iter().position(|known| *known == c);
            proptest::prop_assert!(at.is_some());
            given.remove(at.unwrap());
        }
    }
}
