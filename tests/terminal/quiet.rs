//! Idle behaviour: the program sleeps without output, limits its frame rate while streaming, and handles a resize as
//! just a resize.

use crate::allowed::strangers;
use crate::house::House;
use crate::program::PROGRAM;
use rustix::process::Signal;
use std::thread;
use std::time::Instant;

/// Returns a scenario with rehearsed lines faster than any screen: `utterances` turns, each with its line repeated
/// `times` times.
fn flood(utterances: u32, times: usize) -> String {
    let ada = "One two three four five six seven eight nine ten eleven twelve. ".repeat(times);
    let bo =
        "| a | b |\\n|---|---|\\n| 日本語 | 👩‍👩‍👧 |\\n\\n- thirteen\\n- fourteen\\n\\n".repeat(times);
    format!(
        r#"
title = "Flood"
limits = {{ utterances = {utterances} }}
[[participant]]
id = "ada"
lines = ["{ada}"]
pace = 1
[[participant]]
id = "bo"
lines = ["{bo}"]
pace = 1
"#
    )
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn paused_ended_and_at_the_start_it_sleeps_without_an_end() {
    let house = House::new();
    let slow = house.file("slow.toml", &flood(4, 1).replace("pace = 1", "pace = 90"));
    let flood = house.file("flood.toml", &flood(2, 1));
    let sleeps = |args: &[&str], keys: &str, seen: &str| {
        let mut program = house.run(args);
        if !keys.is_empty() {
            program.until("ada speaking");
            program.keys(keys);
        }
        program.until(seen);
        let (waits, before) = program.until_asleep();
        assert!(!waits.is_empty(), "nobody tells how it sleeps");
        assert_eq!(program.sleeps(), before, "{args:?}: something woke it");
        if !keys.is_empty() {
            program.keys(" ");
            program.until("RUNNING");
        }
        program.signal(Signal::TERM);
        program.left().restored();
    };
    thread::scope(|scope| {
        scope.spawn(|| sleeps(&["run", "--no-save", &slow], "/stop\r", "PAUSED"));
        scope.spawn(|| sleeps(&["run", &flood], "", "2 turns, as planned"));
        scope.spawn(|| sleeps(&[], "", "offline, one minute"));
    });
}

#[test]
fn a_stream_is_shown_in_no_more_frames_than_an_eye_needs() {
    let house = House::new();
    let flood = house.file("flood.toml", &flood(4, 8));
    for (link, least_ms) in [("", 16), ("SSH_CONNECTION='10.0.0.1 1 10.0.0.2 22'", 33)] {
        let command = format!("{link} exec '{PROGRAM}' run --no-save '{flood}'");
        let begun = Instant::now();
        let mut program = house.shell(&command);
        program.until("4 turns, as planned");
        let most = begun.elapsed().as_millis() / least_ms + 2;
        let frames = program.frames();
        println!("{frames} frames in {} ms", begun.elapsed().as_millis());
        assert!(frames as u128 <= most, "{frames} frames, {most} at most");
        program.keys("/quit\r");
        program.left().restored();
    }
}

#[test]
fn a_storm_of_sizes_leaves_no_trace() {
    let house = House::new();
    let mut program = house.run(&["run", "--no-save", &house.file("flood.toml", &flood(4, 8))]);
    program.until("speak");
    let sizes = [(1, 1), (200, 500), (24, 50), (10, 40), (9, 39), (60, 200), (3, 500), (200, 1)];
    for round in 0..6 {
        for (rows, cols) in sizes {
            let frames = program.frames();
            program.resize(rows, cols + round);
            program.until_sent("\u{1b}[?2026l", frames + 1);
            program.keys(
                ["\u{10}", "\u{1b}", "\u{1b}OP", "\u{1b}", "\u{10}", "\u{1b}"][usize::from(round)],
            );
        }
    }
    program.resize(24, 80);
    program.keys("\u{1b}");
    program.keys("\u{c}");
    // frames of the sizes before may still come
    program.until_shown("the whole screen", |shown| {
        let rows: Vec<&str> = shown.lines().collect();
        let [title, people, .., keys] = &rows[..] else { return false };
        let ended = title.contains("Flood") && title.contains("DONE  turn 4 of 4");
        ended
            && people.starts_with(" 1 ada   2 bo")
            && ["ctrl-c leave", "MARKED"].iter().any(|hint| keys.contains(hint))
    });
    let frames = program.frames();
    program.keys("\u{c}");
    program.until_sent("\u{1b}[?2026l", frames + 1);
    program.until("4 turns, as planned");
    program.keys("/quit\r");
    let left = program.left();
    assert_eq!(left.code, 0, "{}", left.told);
    assert!(!left.told.contains("panicked"), "{}", left.told);
    left.restored();
    assert_eq!(strangers(&left.bytes), Vec::<String>::new());
}
