//! What a person brings to the start screen: a scenario written there, a server by its address, a seat of their own.

use crate::house::House;
use portable_pty::CommandBuilder;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

/// Presses a key until a row of the start screen has the keyboard.
const DOWN: &str = "\u{1b}[B";

#[test]
fn a_scenario_is_written_checked_and_started_from_the_start_screen() {
    let house = House::new();
    // the first edit breaks the title, the second one mends it
    let script = house.file(
        "editor.sh",
        "if grep -q '^title = 3' \"$1\"; then sed -i 's/^title = .*/title = \"Mine\"/' \"$1\"; \
         else sed -i 's/^title = .*/title = 3/' \"$1\"; fi\n",
    );
    let mut command = CommandBuilder::new("/bin/sh");
    let program = env!("CARGO_BIN_EXE_colloquium");
    command.args(["-c", &format!("EDITOR='sh {script}' exec '{program}'")]);
    let mut program = house.start(command);
    program.until("Write a scenario");
    program.until("quit");
    program.keys(&DOWN.repeat(5));
    program.until("▸ Write a scenario");
    program.keys("\r");
    program.until("title: takes text on one line, not 3");
    program.until("▸ Edit your scenario");
    program.keys("\r");
    program.until("my-scenario has no errors; press enter to start it");
    program.until("Scenario     my-scenario  Ada, Bo");
    program.keys("\r");
    program.until("Ada speaking");
    program.until_sent("\u{1b}]0;RUNNING Mine", 1);
    program.keys("qq");
    // a conversation that began on the start screen is left for it
    program.until("Recent");
    program.keys("\u{3}\u{3}");
    program.left().restored();
}

#[test]
fn a_server_is_asked_at_the_address_that_was_typed() {
    let house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut line = String::new();
            BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
            // the path of the API stands behind the address that people know
            let (status, body) = match line.starts_with("GET /v1/models") {
                true => ("200 OK", "{\"data\":[{\"id\":\"tiny\"}]}"),
                false => ("404 Not Found", "{}"),
            };
            let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\n");
            let length = body.len();
            _ = write!(stream, "{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        }
    });
    let mut program = house.run(&[]);
    program.until("paste an API key");
    program.until("quit");
    program.keys("\u{18}k");
    program.until("paste your key");
    program.keys("\u{1b}[A");
    program.until("type it, as in");
    program.keys(&format!("{address}\r"));
    program.until("Model        endpoint:tiny");
    program.keys("\u{3}\u{3}");
    program.left().restored();
}

#[test]
fn a_seat_taken_on_the_start_screen_gets_its_turn() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save", "--take-part"]);
    program.until("Guest");
    program.keys("s");
    program.keys("s");
    program.keys("s");
    program.until("Guest ▸ has the floor");
    program.keys("I have a word as well.\r");
    program.until("I have a word as well.");
    program.keys("\u{1b}");
    program.until(" READ ");
    program.keys("q");
    program.keys("q");
    program.left().restored();
}
