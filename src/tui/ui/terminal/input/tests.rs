//! Events of a terminal as they become keys, pastes and reports.

use super::*;

fn key(code: KeyCode, with: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, with))
}

/// Returns the keys of a text without sequences.
fn events(text: &str) -> Vec<Event> {
    let code = |c| if c == '\r' { KeyCode::Enter } else { KeyCode::Char(c) };
    let with = |c: char| if c.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
    text.chars().map(|c| key(code(c), with(c))).collect()
}

/// Plays reads with pauses in milliseconds before them, as the reader does.
fn played(reads: &[(u64, &str)]) -> Vec<Event> {
    let reads: Vec<(u64, &[u8])> = reads.iter().map(|(at, read)| (*at, read.as_bytes())).collect();
    played_bytes(&reads)
}

fn played_bytes(reads: &[(u64, &[u8])]) -> Vec<Event> {
    let mut reader = InputReader { escape_ms: ESCAPE_MS, ..InputReader::default() };
    let mut now = Ms(0);
    let mut kept = vec![];
    for (pause, read) in reads {
        let due = reader.due(now);
        if let Some(due) = due.filter(|due| due <= pause) {
            kept.extend(reader.tick(Ms(now.0 + due)));
        }
        now = Ms(now.0 + pause);
        kept.extend(reader.push(read, now));
    }
    kept.extend(reader.give_up(now));
    kept
}

/// Returns the letters of events.
fn typed(events: &[Event]) -> String {
    let letter = |event: &Event| match event {
        Event::Key(key) if key.modifiers.is_empty() || key.modifiers == KeyModifiers::SHIFT => {
            key.code.as_char()
        }
        _ => None,
    };
    events.iter().filter_map(letter).collect()
}

/// Sequences of keys, clicks and focus: more than two hundred.
fn sequences() -> Vec<String> {
    let finals = "ABCDEFHPQS".chars().flat_map(|last| {
        (2..=8).map(move |with| format!("\u{1b}[1;{with}{last}")).chain([format!("\u{1b}[{last}")])
    });
    let numbers = [1, 2, 3, 4, 5, 6, 11, 15, 17, 21, 23, 24].into_iter().flat_map(|number| {
        [format!("\u{1b}[{number}~"), format!("\u{1b}[{number};5~"), format!("\u{1b}[{number};2~")]
    });
    let codes = [13, 27, 97, 99, 127, 233, 1089, 57_399, 57_414, 57_417, 57_427].into_iter();
    let codes = codes.flat_map(|code| {
        [3, 5, 6].map(|with| format!("\u{1b}[{code};{with}u")).into_iter().chain([
            format!("\u{1b}[{code}u"),
            format!("\u{1b}[27;5;{code}~"),
            format!("\u{1b}[{code}::99;5u"),
        ])
    });
    let pads = ('j'..='y').chain("MABCDFHPQRS".chars()).map(|last| format!("\u{1b}O{last}"));
    let clicks = [0, 2, 32, 64, 65]
        .into_iter()
        .flat_map(|button| ['M', 'm'].map(|last| format!("\u{1b}[<{button};10;200{last}")));
    let others =
        ["\u{1b}[I", "\u{1b}[O", "\u{1b}[Z", "\u{1b}[[A", "\u{1b}[M !!", "\u{1b}b", "é", "電"];
    let others = others.map(str::to_owned).into_iter();
    finals.chain(numbers).chain(codes).chain(pads).chain(clicks).chain(others).collect()
}

#[test]
fn keys_cut_at_every_byte_are_the_same_keys() {
    let all = sequences();
    assert!(all.len() >= 200, "{}", all.len());
    for whole in &all {
        let whole = whole.as_bytes();
        let expected = played_bytes(&[(0, whole)]);
        assert_eq!(expected.len(), 1, "{:?}", String::from_utf8_lossy(whole));
        for at in 1..whole.len() {
            let (came, rest) = whole.split_at(at);
            for pause in [0, 1, 10, 49, 60, 150] {
                let kept = played_bytes(&[(0, came), (pause, rest)]);
                let words = format!("{:?} cut at {at}, {pause} ms", String::from_utf8_lossy(whole));
                // an escape byte alone for this long is the key
                let is_alone =
                    pause > ESCAPE_MS || !rest.starts_with(b"[") && !rest.starts_with(b"O");
                let is_escape = came == [ESC] && is_alone;
                if is_escape && !rest.starts_with(b"[") {
                    continue;
                }
                assert_eq!(kept.get(usize::from(is_escape)..), Some(&expected[..]), "{words}");
            }
        }
        if whole.starts_with(b"\x1bb") {
            continue;
        }
        let bytes: Vec<(u64, &[u8])> = whole.chunks(1).map(|byte| (20, byte)).collect();
        assert_eq!(played_bytes(&bytes), expected, "{:?}", String::from_utf8_lossy(whole));
    }
}

#[test]
fn keys_mean_what_is_printed_on_them() {
    use KeyCode::{BackTab, Backspace, Char, Enter, Esc, F, Tab};
    let (none, ctrl, shift, alt) =
        (KeyModifiers::NONE, KeyModifiers::CONTROL, KeyModifiers::SHIFT, KeyModifiers::ALT);
    for (bytes, code, with) in [
        // xterm's modifyOtherKeys
        ("\u{1b}[27;5;99~", Char('c'), ctrl),
        ("\u{1b}[27;2;13~", Enter, shift),
        ("\u{1b}[27;5;9~", Tab, ctrl),
        // a keypad in application mode
        ("\u{1b}OM", Enter, none),
        ("\u{1b}Op", Char('0'), none),
        ("\u{1b}Oy", Char('9'), none),
        ("\u{1b}Oj", Char('*'), none),
        ("\u{1b}Ok", Char('+'), none),
        ("\u{1b}Om", Char('-'), none),
        ("\u{1b}Oo", Char('/'), none),
        ("\u{1b}OB", KeyCode::Down, none),
        // the kitty protocol, with the base key of a Cyrillic, a Georgian and a French keyboard
        ("\u{1b}[99;5u", Char('c'), ctrl),
        ("\u{1b}[1089;5u", Char('с'), ctrl),
        ("\u{1b}[1089::99;5u", Char('c'), ctrl),
        ("\u{1b}[4330:4330:99;5u", Char('c'), ctrl),
        ("\u{1b}[97::113;5u", Char('a'), ctrl),
        ("\u{1b}[4330::99u", Char('ც'), none),
        ("\u{1b}[13;2u", Enter, shift),
        ("\u{1b}[27u", Esc, none),
        ("\u{1b}[9;2u", BackTab, shift),
        ("\u{1b}[57414u", Enter, none),
        ("\u{1b}[57404;1u", Char('5'), none),
        ("\u{1b}[57376u", F(13), none),
        // as from the first terminals on
        ("\u{3}", Char('c'), ctrl),
        ("\0", Char(' '), ctrl),
        ("\u{1f}", Char('7'), ctrl),
        ("\u{7f}", Backspace, none),
        ("\u{1b}\u{7f}", Backspace, alt),
        ("\u{1b}B", Char('B'), alt | shift),
        ("\u{1b}[24;5~", F(12), ctrl),
        ("É", Char('É'), shift),
    ] {
        assert_eq!(played(&[(0, bytes)]), [key(code, with)], "{bytes:?}");
    }
    let events =
        played(&[(0, "\u{1b}[<0;3;1M\u{1b}[<32;3;1M\u{1b}[<0;3;1m\u{1b}[<65;3;1M\u{1b}[<0;0;0M")]);
    let kinds = events.iter().map(|event| event.as_mouse_event().unwrap().kind);
    use crossterm::event::MouseButton::Left;
    use crossterm::event::MouseEventKind::{Down, Drag, ScrollDown, Up};
    assert_eq!(kinds.collect::<Vec<_>>(), [Down(Left), Drag(Left), Up(Left), ScrollDown]);
}

#[test]
fn paste_without_its_end_keeps_no_key_away() {
    let interrupt = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let paste = |text: &str| Event::Paste(text.into());
    let open = "\u{1b}[200~one\ntwo";
    for pressed in ["\u{3}", "\u{1b}[99;5u", "\u{1b}[27;5;99~"] {
        let expected = [paste("one\ntwo"), interrupt.clone()];
        assert_eq!(played(&[(0, open), (50, pressed)]), expected, "{pressed:?}");
    }
    let kept = played(&[(0, open), (300, " three"), (1_100, "x"), (10, "y")]);
    assert_eq!(kept, [vec![paste("one\ntwo three")], events("xy")].concat());
    // its late end is no key
    let kept = played(&[(0, open), (1_100, "\u{1b}[201~x")]);
    assert_eq!(kept, [vec![paste("one\ntwo")], events("x")].concat());
    let long = "x".repeat(PASTE_MAX + 10);
    let kept = played(&[(0, "\u{1b}[200~"), (0, &long), (0, "\u{1b}[201~q")]);
    assert_eq!(kept, [vec![paste(&long), paste("")], events("q")].concat());
}

#[test]
fn paste_is_one_text_wherever_it_is_cut() {
    // with keys that a multiplexer spells, and bytes that are no keys in a text
    let whole =
        "\u{1b}[200~a\u{1b}[106;5ub\u{1b}[27;5;106~c\u{1b}[13u\u{1b}[31mé\u{3}\u{1b}\u{1b}[201~q";
    let expected =
        [vec![Event::Paste("a\nb\nc\n\u{1b}[31mé\u{3}\u{1b}".into())], events("q")].concat();
    for at in 1..whole.len() {
        let (came, rest) = whole.as_bytes().split_at(at);
        for pause in [0, 30, if at == 1 { 49 } else { 150 }] {
            assert_eq!(played_bytes(&[(0, came), (pause, rest)]), expected, "{at} {pause}");
        }
    }
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
    let begins = "]P_^X".chars();
    let begins = begins.flat_map(|begin| bodies.map(|body| format!("\u{1b}{begin}{body}")));
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
    for alone in [']', 'P', 'b', 'O'] {
        let shift = if alone.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
        let pressed = key(KeyCode::Char(alone), KeyModifiers::ALT | shift);
        let kept = played(&[(0, &format!("\u{1b}{alone}")), (300, "q")]);
        assert_eq!(kept, [vec![pressed], events("q")].concat(), "{alone:?}");
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
    for open in ["\u{1b}]11;rgb", "\u{1b}[12;3", "\u{1b}["] {
        assert_eq!(played(&[(0, open), (300, "q")]), events("q"), "{open:?}");
        assert_eq!(played(&[(0, open), (300, "so on")]), events("so on"), "{open:?}");
    }
    // the rest of a sequence that was given up
    for (open, rest) in
        [("\u{1b}[12;", "5R"), ("\u{1b}[<64;1", "0;10M"), ("\u{1b}]11;rgb", ":1/2/3\u{7}")]
    {
        assert_eq!(typed(&played(&[(0, open), (300, rest), (0, "so")])), "so", "{open:?}");
    }
    let flood = "1".repeat((64 << 10) + 10);
    for begin in ["\u{1b}]", "\u{1b}["] {
        let kept = played(&[(0, &format!("{begin}{flood}"))]);
        assert_eq!(kept.len(), 12, "the end of a sequence without an end");
    }
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
        let (keys, mut reader) = InputReader::after(came.as_bytes(), false);
        assert_eq!((keys, reader.open.is_empty()), (vec![], false), "{came:?}");
        assert_eq!(reader.push(rest.as_bytes(), Ms(3_000)), [], "{came:?} {rest:?}");
        assert_eq!(reader.push(b"i", Ms(9_000)), events("i"), "{came:?} {rest:?}");
    }
    for whole in ["", "typed", "\u{1b}]11;rgb:1/2/3\u{7}", "\u{1b}[?62c", "\u{1b}OP", "\u{1b}O"] {
        assert_eq!(InputReader::after(whole.as_bytes(), false).1.open, b"", "{whole:?}");
    }
}

#[test]
fn keys_among_the_reports_of_an_answer_are_kept() {
    let answer = "h\u{1b}]11;rgb:1/2/3\u{1b}\\i\r\u{1b}[?1u\u{3}\u{1b}[?62;4c é\u{1b}[?6";
    let interrupt = key(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let expected = [events("hi\r"), vec![interrupt], events(" é")].concat();
    assert_eq!(InputReader::after(answer.as_bytes(), false).0, expected);
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
