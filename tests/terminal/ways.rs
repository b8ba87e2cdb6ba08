//! Interruptions of the screen: a suspension and return, a panic, a closed terminal.

use crate::house::House;
use crate::program::{PROGRAM, until};
use colloquium::cli::crash;
use colloquium::ui::terminal::{Terminal, TerminalModes};
use rustix::process::Signal;
use std::thread;

#[test]
fn a_stop_gives_the_terminal_back_and_comes_back_paused() {
    let house = House::new();
    let stopped = |by_key: bool| {
        let mut program = house.run(&["demo", "--no-save"]);
        program.until("Ada speaking");
        if by_key {
            program.keys("\u{1a}")
        } else {
            program.signal(Signal::TSTP)
        }
        program.until_sent("\u{1b}[?1049l", 1);
        program.until_state('T');
        program.signal(Signal::CONT);
        program.until_sent("\u{1b}[?1049h", 2);
        program.until("PAUSED");
        program.until("paused by you");
        program.keys("/quit\r");
        let left = program.left();
        assert_eq!(left.code, 0);
        left.restored();
    };
    // both wait for the end of a turn
    thread::scope(|scope| {
        scope.spawn(|| stopped(true));
        scope.spawn(|| stopped(false));
    });
}

#[test]
fn a_stop_from_outside_that_nobody_told_of_takes_the_terminal_anew() {
    let house = House::new();
    for (args, shown) in
        [(&["demo", "--no-save"][..], "Ada speaking"), (&[], "offline, one minute")]
    {
        let mut program = house.run(args);
        program.until(shown);
        program.signal(Signal::STOP);
        program.until_state('T');
        program.signal(Signal::CONT);
        program.until_sent("\u{1b}[?1049h", 2);
        program.until(shown);
        program.signal(Signal::TERM);
        let left = program.left();
        assert_eq!(left.code, 143);
        left.restored();
    }
}

#[test]
fn the_start_screen_can_be_stopped_as_well() {
    let house = House::new();
    let mut program = house.run(&[]);
    program.until("offline, one minute");
    program.keys("\u{1a}");
    program.until_sent("\u{1b}[?1049l", 1);
    program.until_state('T');
    program.signal(Signal::CONT);
    program.until_sent("\u{1b}[?1049h", 2);
    program.until("offline, one minute");
    program.keys("\u{3}\u{3}");
    program.left().restored();
}

#[test]
fn a_shell_that_is_killed_takes_the_program_along() {
    let house = House::new();
    let command = format!("'{PROGRAM}' demo --no-save; true");
    let mut program = house.shell(&command);
    program.until("Ada speaking");
    let pid = program.pid();
    program.signal(Signal::KILL);
    let (_, after) = program.vanish();
    let begun = std::time::Instant::now();
    let exe = format!("/proc/{pid}/exe");
    let is_gone = || !std::path::Path::new(&exe).exists();
    until("it ends without its terminal", || is_gone().then_some(()));
    println!("gone after {} ms", (after + begun.elapsed()).as_millis());
}

#[test]
fn without_an_output_or_an_input_no_screen_opens() {
    let house = House::new();
    for closed in [">&-", "<&-", "</dev/null", ">/dev/null"] {
        let command = format!("exec '{PROGRAM}' demo --no-save {closed}");
        let left = house.shell(&command).left();
        assert_eq!(left.code, 2, "{closed}: {}", left.told);
        assert!(left.told.contains("not a terminal"), "{closed}: {}", left.told);
        assert!(!left.told.contains("\u{1b}[?"), "{closed}: {:?}", left.told);
    }
}

#[test]
fn two_interrupts_leave_at_once_and_the_terminal_whole() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    program.signal(Signal::INT);
    program.signal(Signal::INT);
    let left = program.left();
    assert_eq!(left.code, 130);
    left.restored();
}

#[test]
fn a_terminal_that_vanishes_ends_it_with_and_without_a_signal() {
    let house = House::new();
    for begin in ["exec", "trap '' HUP; exec"] {
        let command = format!("{begin} '{PROGRAM}' demo --no-save");
        let mut program = house.shell(&command);
        program.until("Ada speaking");
        let (code, after) = program.vanish();
        assert_eq!(code, 129, "{begin}");
        println!("{begin}: out {} ms after the terminal vanished", after.as_millis());
    }
}

#[test]
fn a_replay_without_its_terminal_ends_whatever_it_shows() {
    let house = House::new();
    let states: [(&[(&str, &str)], &str); 6] = [
        (&[], "PLAYING"),
        (&[(" ", "PAUSED")], "paused"),
        (
            &[(" ", "PAUSED"), ("9", "turn 10 of 10  1:04"), ("\u{1b}[C", "turn 10 of 10  1:06")],
            "at the end",
        ),
        (&[("?", "Keys")], "in the help"),
        (&[(" ", "PAUSED"), ("a", "ANALYSIS")], "in the figures"),
        (&[(" ", "PAUSED"), ("/", "SEARCH")], "in a search"),
    ];
    for begin in ["exec", "trap '' HUP; exec"] {
        for (keys, state) in &states {
            let command = format!("{begin} '{PROGRAM}' replay example-rehearsed");
            let mut program = house.shell(&command);
            program.until("REPLAY");
            for (key, shown) in *keys {
                program.keys(key);
                program.until(shown);
            }
            let (code, after) = program.vanish();
            assert_eq!(code, 129, "{begin}, {state}");
            println!("{begin}, {state}: out after {} ms", after.as_millis());
        }
    }
}

#[test]
fn a_panic_in_any_thread_gives_the_terminal_back_before_it_is_told() {
    let house = House::new();
    let left = house.test("ways::panicking_test").left();
    assert_eq!(left.code, 101);
    left.restored();
    assert!(left.told.contains("the reason of the panic"), "{}", left.told);
    assert!(left.told.contains("colloquium resume --last"), "{}", left.told);
    let note = std::fs::read_to_string(house.path("state/crash.txt")).unwrap();
    assert!(note.contains("and one in this") && note.contains("ways.rs"), "{note}");
}

#[test]
#[ignore = "the child of the test above: one of: the terminal and panics"]
fn panicking_test() {
    if let Some(home) = std::env::var_os("HOME") {
        crash::install(std::path::Path::new(&home).join("state"));
    }
    let Ok(mut terminal) =
        Terminal::enter(TerminalModes { mouse: true, keyboard: true, ..TerminalModes::default() })
    else {
        return;
    };
    terminal.draw(|_| {}).unwrap();
    let other = std::thread::spawn(|| panic!("the reason of the panic"));
    assert!(other.join().is_err(), "a panic in another thread");
    assert!(terminal.draw(|_| {}).is_err(), "the terminal was given back");
    panic!("and one in this");
}

#[test]
fn obeys_a_signal_while_the_terminal_takes_no_output() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    program.stop_output();
    program.until_writing();
    program.signal(Signal::TERM);
    let left = program.left();
    assert_eq!(left.code, 143);
    left.restored();
}
