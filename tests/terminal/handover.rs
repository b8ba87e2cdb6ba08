//! Keys pressed while one screen takes over from another: each reaches a screen at once.

use crate::house::{House, Program};
use std::thread;

/// Programs at once, and rounds of each: from the start screen to a recorded conversation and back.
const PROGRAMS: usize = 6;
const ROUNDS: usize = 12;

/// Switches to the alternate screen, once for each screen.
const ENTERS: &str = "\u{1b}[?1049h";

/// Starts the program on the start screen.
fn at_home(house: &House) -> Program {
    let mut program = house.run(&[]);
    program.until("offline, one minute");
    program
}

fn leave(mut program: Program) {
    program.keys("\u{3}\u{3}");
    let left = program.left();
    assert_eq!(left.code, 0, "{}", left.told);
    left.restored();
}

#[test]
fn a_key_acts_as_soon_as_its_screen_shows() {
    let house = House::new();
    let rounds = || {
        let mut program = at_home(&house);
        for _ in 0..ROUNDS {
            program.keys("\u{1b}[B\r");
            program.until("REPLAY");
            program.keys("q");
            program.until("offline, one minute");
        }
        leave(program);
    };
    thread::scope(|scope| (0..PROGRAMS).for_each(|_| drop(scope.spawn(rounds))));
}

#[test]
fn keys_pressed_ahead_reach_the_screens_after() {
    let house = House::new();
    let rounds = || {
        let mut program = at_home(&house);
        // one key at a time, each as soon as the terminal takes it
        ["\u{1b}[B", "\r", "q"].repeat(ROUNDS).iter().for_each(|key| program.keys(key));
        program.until_sent(ENTERS, 1 + 2 * ROUNDS);
        program.until("offline, one minute");
        leave(program);
    };
    thread::scope(|scope| (0..PROGRAMS).for_each(|_| drop(scope.spawn(rounds))));
}
