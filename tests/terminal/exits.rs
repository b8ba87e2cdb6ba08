//! Twelve ways to leave the screen, repeatedly: each restores the terminal and exits in time with the right code.

use crate::house::{House, Left};
use crate::program::{HANG, PROGRAM};
use rustix::process::Signal;
use std::thread;
use std::time::{Duration, Instant};

/// Rounds in a normal test run, and in the full run.
const FEW: u32 = 1;
const ALL: u32 = 200;
/// Time limit of an exit, on an idle and on a busy machine.
const OUT: Duration = Duration::from_secs(2);
const OUT_WHEN_BUSY: Duration = HANG;

/// Trigger of an exit, with the expected exit code.
enum Way {
    /// Keys that pause it, then keys that quit.
    Keys(&'static str, &'static str, u32),
    Signals(&'static [Signal], u32),
    /// Suspended and resumed, then quit.
    Back,
    /// A panic in a thread.
    Panic,
    /// The terminal closes, with or without a signal. The text precedes the program in a shell command.
    Vanish(&'static str),
}

const WAYS: [(&str, Way); 12] = [
    ("/quit", Way::Keys("", "/quit\r", 0)),
    ("Ctrl-C twice", Way::Keys("", "\u{3}\u{3}", 0)),
    ("paused, then /quit", Way::Keys("/stop\r", "/quit\r", 0)),
    ("TERM", Way::Signals(&[Signal::TERM], 143)),
    ("HUP", Way::Signals(&[Signal::HUP], 129)),
    ("INT", Way::Signals(&[Signal::INT], 130)),
    ("QUIT", Way::Signals(&[Signal::QUIT], 131)),
    ("INT twice", Way::Signals(&[Signal::INT, Signal::INT], 130)),
    ("stopped, gone on with, /quit", Way::Back),
    ("a panic in a thread", Way::Panic),
    ("the terminal vanishes", Way::Vanish("exec")),
    ("the terminal vanishes without a signal", Way::Vanish("trap '' HUP; exec")),
];

/// Leaves the screen in one way. Returns the time since the first key, the signal or the loss of the terminal.
fn go(house: &House, name: &str, way: &Way) -> Duration {
    let out = |left: Left, code: u32| {
        assert_eq!(left.code, code, "{name}: {}", left.told);
        left.restored();
    };
    if let Way::Panic = way {
        let begun = Instant::now();
        out(house.test("ways::panicking_test").left(), 101);
        return begun.elapsed();
    }
    if let Way::Vanish(begin) = way {
        let command = format!("{begin} '{PROGRAM}' demo --no-save");
        let mut program = house.shell(&command);
        program.until("Ada speaking");
        let (code, after) = program.vanish();
        assert_eq!(code, 129, "{name}");
        return after;
    }
    let mut program = house.run(&["demo", "--no-save"]);
    program.until("Ada speaking");
    let mut begun = Instant::now();
    let code = match way {
        Way::Keys(first, last, code) => {
            if !first.is_empty() {
                program.keys(first);
                program.until("PAUSED");
                begun = Instant::now();
            }
            program.keys(last);
            *code
        }
        Way::Signals(signals, code) => {
            signals.iter().for_each(|signal| program.signal(*signal));
            *code
        }
        _ => {
            program.keys("\u{1a}");
            program.until_sent("\u{1b}[?1049l", 1);
            program.until_state('T');
            program.signal(Signal::CONT);
            program.until_sent("\u{1b}[?1049h", 2);
            program.until("paused by you");
            begun = Instant::now();
            program.keys("/quit\r");
            0
        }
    };
    out(program.left(), code);
    begun.elapsed()
}

fn rounds(rounds: u32, at_once: usize, within: Duration) {
    let house = House::new();
    let mut slowest = Duration::ZERO;
    let timed = |(name, way): &(&str, Way)| {
        let took = go(&house, name, way);
        assert!(took < within, "{name}: out after {took:?}");
        took
    };
    for _ in 0..rounds {
        for ways in WAYS.chunks(at_once) {
            let longest = thread::scope(|scope| {
                let gone: Vec<_> = ways.iter().map(|way| scope.spawn(|| timed(way))).collect();
                gone.into_iter().map(|way| way.join().unwrap()).max()
            });
            slowest = slowest.max(longest.unwrap_or_default());
        }
    }
    println!(
        "{} ways out, {rounds} times each: the terminal as before, out within {slowest:?}",
        WAYS.len()
    );
}

#[test]
fn twelve_ways_out_give_the_terminal_back_in_time() {
    // some ways wait for the end of a turn
    rounds(FEW, 4, OUT_WHEN_BUSY);
}

#[test]
#[ignore = "an hour: cargo test --release --test terminal two_hundred -- --ignored --nocapture"]
fn two_hundred_rounds_of_twelve_ways_out() {
    rounds(std::env::var("ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ALL), 1, OUT);
}

/// A limit of the size of files is a full disk to the writer.
#[test]
fn a_full_disk_is_said_on_the_screen_and_in_text_mode() {
    let house = House::new();
    let lines = "pace = 9\nlines = [\"One two three four five six seven eight nine ten.\"]\n";
    let text = format!("title = \"T\"\n[[participant]]\nid = \"ada\"\n{lines}");
    let path = house.file("talk.toml", &text);
    for mode in ["", "--accessible"] {
        let script = format!("ulimit -f 8; exec {PROGRAM} run {path} --pace {mode}");
        let mut program = house.shell(&script);
        program.until("waiting for space: the disk is full");
        program.vanish();
    }
}
