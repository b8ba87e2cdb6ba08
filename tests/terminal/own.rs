//! Own input on the start screen: a scenario written there, a server by its address, a seat for the operator.

use crate::house::House;
use crate::program::{HANG, PROGRAM};
use crate::server::Server;
use rustix::process::Signal;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;

/// Down arrow key.
const DOWN: &str = "\u{1b}[B";

/// Up arrow key.
const UP: &str = "\u{1b}[A";

/// A cast for another topic, quoted as in a stream.
const PEOPLE: &str = concat!(
    r#"{\"people\":["#,
    r#"{\"id\":\"ada\",\"name\":\"Ada\",\"trade\":\"night porter\",\"wants\":\"You want a key.\",\"loses\":\"You would lose the flat.\",\"changes\":\"Rain would change your mind.\"},"#,
    r#"{\"id\":\"bo\",\"name\":\"Bo\",\"trade\":\"baker\",\"wants\":\"You want sleep.\",\"loses\":\"You would lose a shift.\",\"changes\":\"Snow would change your mind.\"},"#,
    r#"{\"id\":\"cy\",\"name\":\"Cy\",\"trade\":\"cleaner\",\"wants\":\"You want light.\",\"loses\":\"You would lose an hour.\",\"changes\":\"A thaw would change your mind.\"}]}"#
);

/// A reply as a stream.
const SAID: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Trams, I say.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

#[test]
fn a_scenario_is_written_checked_and_started_from_the_start_screen() {
    let house = House::new();
    // the first edit breaks the title, the second one repairs it
    let script = house.file(
        "editor.sh",
        "if grep -q '^title = 3' \"$1\"; then sed -i 's/^title = .*/title = \"Mine\"/' \"$1\"; \
         else sed -i 's/^title = .*/title = 3/' \"$1\"; fi\n",
    );
    let command = format!("EDITOR='sh {script}' exec '{PROGRAM}'");
    let mut program = house.shell(&command);
    program.until("offline, one minute");
    program.keys("\t\t\r");
    program.until("What kind of talk?");
    // up from the first row: the settings, then the row below the scenarios
    program.keys(&UP.repeat(5));
    program.until("▸+   write a scenario");
    program.keys("\r");
    program.until("title: takes text on one line, not 3");
    program.until("enter edit mine");
    program.keys("\r");
    program.until("my-scenario has no errors; press enter to start it");
    program.until("tea or coffee?");
    program.keys("\r");
    program.until("Ada speaking");
    program.until_sent("\u{1b}]0;RUNNING Mine", 1);
    program.keys("/quit\r");
    // quitting a conversation started on the start screen returns there
    program.until("paused at #");
    // the first clears the topic
    program.keys("\u{3}\u{3}\u{3}");
    program.left().restored();
}

#[test]
fn a_server_is_asked_at_the_address_that_was_typed() {
    let house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    serve(listener, SAID.to_owned());
    let mut program = house.run(&["Are trams better?"]);
    program.until("NO MODEL YET");
    program.keys("\t1\r");
    program.until("paste your key");
    program.keys(UP);
    program.until("type it, as in");
    program.keys(&format!("{address}\r"));
    program.until("tiny ×3");
    program.until("they begin: 12 turns, free");
    program.keys("\r");
    program.until("Trams, I say.");
    program.keys("/quit\r");
    // a conversation started there can be resumed there: the address is still known
    program.until("paused at #");
    program.keys(&format!("{DOWN}\r"));
    program.until("resumed");
    program.keys("/quit\r");
    program.until("paused at #");
    program.keys("\u{3}\u{3}\u{3}");
    program.left().restored();
}

/// A session opens for reading whatever provider is missing.
#[test]
fn a_session_without_its_provider_is_opened_for_reading() {
    let house = House::new();
    let server = Server::start("Trams, I say.", None);
    let near = format!("[providers.near]\nwire = \"openai\"\nbase_url = \"{}\"\n", server.url);
    let settings = house.file(".config/colloquium/config.toml", &near);
    let mut program = house.run(&["talk", "Are trams better?", "near:tiny", "--max-turns", "500"]);
    program.until("Trams, I say.");
    program.keys("/stop\r");
    program.until("PAUSED");
    program.keys("/quit\r");
    program.left().restored();
    let calls = server.asked.lock().unwrap().len();
    std::fs::remove_file(settings).unwrap();
    let mut program = house.run(&[]);
    program.until("paused at #");
    program.keys(&format!("{DOWN}\r"));
    program.until("Trams, I say.");
    program.until("near");
    program.signal(Signal::TERM);
    program.left().restored();
    let mut program = house.run(&["resume", "--last"]);
    program.until("Trams, I say.");
    program.until("near");
    program.signal(Signal::TERM);
    program.left().restored();
    assert_eq!(server.asked.lock().unwrap().len(), calls, "opening calls nobody");
}

/// A server that wants a key is asked again with it; both are saved once it has listed its models.
#[test]
fn a_key_for_an_address_is_tried_then_saved() {
    let house = House::new();
    let server = Server::start("Trams, I say.", Some("sk-right-right-right"));
    let mut program = house.run(&["Are trams better?"]);
    program.until("NO MODEL YET");
    program.keys(&format!("\t1\r{UP}{}\r", server.url));
    program.until("It answers, and wants a key.");
    program.keys("sk-wrong-wrong-wrong");
    program.until("20 characters");
    program.keys("\r");
    program.until("not saved:");
    program.until("It answers, and wants a key.");
    assert!(!house.path(".config/colloquium/keys").exists());
    program.keys("sk-right-right-right\r");
    program.until("answers with the key");
    program.until("they begin: 12 turns");
    program.keys("\r");
    program.until("Trams, I say.");
    program.signal(Signal::TERM);
    let left = program.left();
    let bytes = String::from_utf8_lossy(&left.bytes);
    assert!(!bytes.contains("right-right") && !bytes.contains("wrong-wrong"), "a key was shown");
    let settings = std::fs::read_to_string(house.path(".config/colloquium/config.toml")).unwrap();
    assert!(settings.contains("api_key_file") && !settings.contains("sk-"), "{settings}");
    left.restored();
    // the saved server is at hand the next time
    let mut program = house.run(&["Are trams better?"]);
    program.until("they begin: 12 turns");
    program.signal(Signal::TERM);
    program.left().restored();
}

#[test]
fn a_proposed_cast_is_asked_for_again_taken_or_left() {
    let house = House::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    serve(listener, SAID.replace("Trams, I say.", PEOPLE));
    let model = ["--endpoint", &url, "--model", "endpoint:tiny", "--cast", "--no-save"];
    let topic = ["run", "round-table", "--topic", "Should the gate be shut?"];
    // r asks again; then the roles beside the names are the proposed or the bundled ones
    for (answer, role) in [("r\r\r", "night porter"), ("r\rn\r", "has to do it")] {
        let mut program = house.run(&[&topic[..], &model].concat());
        for (at, key) in answer.split_inclusive('\r').enumerate() {
            program.until_sent("n the bundled cast: ", at + 1);
            assert!(program.sent().contains("Bo, baker"), "{}", program.sent());
            program.keys(key);
        }
        program.until("RUNNING");
        program.until(role);
        program.signal(Signal::TERM);
        program.left().restored();
    }
}

#[test]
fn the_persons_own_notification_is_started_with_the_event() {
    let house = House::new();
    let pipe = house.path("heard");
    crate::program::command("mkfifo", &house.path("")).arg(&pipe).status().unwrap();
    let settings = "notify_command = [\"sh\", \"-c\", 'printf \"%s|%s|%s\" \"$1\" \"$(cat)\" \"$OWN_KEY\" > \"$HOME/heard\"', \"sh\", \"so: {what}\"]\n";
    let settings = house.file("own.toml", settings);
    let (tx, heard) = channel();
    std::thread::spawn(move || tx.send(std::fs::read_to_string(pipe)));
    // a variable that is not for other programs
    let run = format!("OWN_KEY=secret exec {PROGRAM} demo --no-save --config {settings}");
    let mut program = house.shell(&run);
    program.until("Ada speaking");
    // the terminal loses the focus; then the end is an event
    program.keys("\u{1b}[O");
    program.keys("/end\r");
    program.until_sent("\u{1b}]9;", 1);
    let heard = heard.recv_timeout(HANG).unwrap().unwrap();
    let [argument, input, key] = heard.split('|').collect::<Vec<_>>()[..] else {
        panic!("{heard}")
    };
    assert_eq!((argument, key), (&*format!("so: {input}"), ""), "{heard}");
    let sent = format!("\u{1b}]9;{input}");
    assert!(program.sent().contains(&sent), "{heard}");
    program.signal(Signal::TERM);
    program.left().restored();
}

/// Answers all requests with one reply.
fn serve(listener: TcpListener, reply: String) {
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            answer(&mut stream.unwrap(), &reply);
        }
    });
}

/// Answers a request like a server with one model. Its API is below the path `/v1`, which users often omit.
fn answer(stream: &mut TcpStream, reply: &str) {
    let mut request = BufReader::new(stream.try_clone().unwrap());
    let mut first = String::new();
    let mut length = 0;
    // a client that only probes for a server sends nothing
    if request.read_line(&mut first).unwrap_or(0) == 0 {
        return;
    }
    loop {
        let mut line = String::new();
        request.read_line(&mut line).unwrap();
        match line.trim().split_once(": ") {
            None => break,
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().unwrap();
            }
            Some(_) => {}
        }
    }
    request.read_exact(&mut vec![0; length]).unwrap();
    let (status, kind, body) = match first.split_once(" HTTP").unwrap().0 {
        "GET /v1/models" => ("200 OK", "application/json", "{\"data\":[{\"id\":\"tiny\"}]}"),
        "POST /v1/chat/completions" => ("200 OK", "text/event-stream", reply),
        _ => ("404 Not Found", "application/json", "{}"),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n");
    _ = write!(stream, "{head}connection: close\r\n\r\n{body}");
}

#[test]
fn a_seat_taken_on_the_start_screen_gets_its_turn() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save", "--take-part"]);
    program.until("Guest");
    program.keys("/skip\r");
    program.keys("/skip\r");
    program.keys("/skip\r");
    program.until("Guest, your turn");
    program.keys("I have a word as well.\r");
    program.until("I have a word as well.");
    program.keys("/quit\r");
    program.left().restored();
}

#[test]
fn a_server_that_is_slow_to_list_its_models_does_not_keep_the_screen_waiting() {
    let house = House::new();
    // accepts connections and never answers
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", server.local_addr().unwrap());
    let model = ["--endpoint", &url, "--model", "endpoint:tiny"];
    let mut program = house.run(&[&["run", "round-table", "--no-save"], &model[..]].concat());
    program.until("RUNNING");
    program.signal(Signal::TERM);
    let left = program.left();
    assert!(!left.told.contains("not checked"), "{}", left.told);
    left.restored();
}

#[test]
fn a_server_elsewhere_does_not_keep_the_screen_waiting() {
    let house = House::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    // this machine, but the spelling hides it
    let url = format!("http://[::ffff:127.0.0.1]:{}/v1", server.local_addr().unwrap().port());
    let model = ["--endpoint", &url, "--model", "endpoint:tiny"];
    let mut program = house.run(&[&["run", "round-table", "--no-save"], &model[..]].concat());
    program.until("RUNNING");
    // its list, for the window of the model, has no answer yet; the call comes all the same
    for begins in ["GET", "POST"] {
        let (asks, _) = server.accept().unwrap();
        let mut first = String::new();
        BufReader::new(asks).read_line(&mut first).unwrap();
        assert!(first.starts_with(begins), "{first}");
    }
    program.signal(Signal::TERM);
    program.left().restored();
}

/// A terminal reports mouse motion with a pressed button only on request.
#[test]
fn words_are_selected_with_the_mouse_and_copied() {
    let house = House::new();
    let mut program = house.run(&["demo", "--no-save"]);
    program.until_sent("\u{1b}[?1002h", 1);
    program.until("Bo speaking");
    // press on the first words of the first message, drag to the right, release
    program.keys("\u{1b}[<0;6;6M\u{1b}[<32;20;6M\u{1b}[<0;20;6m");
    program.until("copied the selected words");
    program.keys("/quit\r");
    program.left().restored();
}

#[test]
fn a_finished_session_is_read_and_reopened_only_when_asked() {
    let house = House::new();
    // a demo in which the person said something is listed
    let steer = house
        .file("say.jsonl", "{\"after\": {\"utterance\": 1}, \"do\": \"say\", \"text\": \"Hm.\"}\n");
    house.piped(&["demo", "--headless", "--steer", &steer]);
    let path = house.piped(&["sessions", "path", "--last"]);
    let path = String::from_utf8_lossy(&path.stdout).trim().to_owned();
    let before = std::fs::read(&path).unwrap();
    let mut program = house.run(&[]);
    program.until("Ada and Bo say");
    program.keys(&format!("{DOWN}\r"));
    program.until("finished, read-only");
    program.keys("p");
    program.until("Prompt for turn 9");
    assert_eq!(std::fs::read(&path).unwrap(), before, "reading leaves the file as it was");
    program.keys("\u{1b}");
    program.until("play/pause");
    program.keys("i");
    program.until("paused by you");
    program.keys("/quit\r");
    program.until("offline, one minute");
    program.keys("\u{3}\u{3}");
    program.left().restored();
}
