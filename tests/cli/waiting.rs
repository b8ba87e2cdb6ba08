//! Nothing waits without a word: a line says what is awaited, and how to stop it.

use crate::house::House;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// Starts a server that takes connections and never answers; with `lists`, it lists its model.
fn silent(lists: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            std::thread::spawn(move || hold(stream, lists));
        }
    });
    url
}

fn hold(mut stream: TcpStream, lists: bool) {
    let mut first = String::new();
    // a reader that is gone asks for nothing
    let _ = BufReader::new(&stream).read_line(&mut first);
    if lists && first.starts_with("GET /v1/models ") {
        let list = r#"{"data":[{"id":"m"}]}"#;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
        let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{list}", list.len());
    } else {
        let _ = stream.read_to_end(&mut vec![]);
    }
}

/// Runs a command until a line says how to stop it; returns that line.
fn word_of(house: &House, args: &[&str]) -> String {
    let mut child = house.command(args).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.contains("Ctrl-C stops"));
    child.kill().unwrap();
    child.wait().unwrap();
    line.unwrap_or_else(|| panic!("{args:?} ended without a word"))
}

#[test]
fn a_silent_server_is_named_with_the_way_to_stop() {
    let house = House::new();
    let (none, lists) = (silent(false), silent(true));
    let items = house.file("items.jsonl", r#"{"id":"1","question":"2+2?","answer":"4"}"#);
    let out = house.path("out").display().to_string();
    let test = house.file(
        "m.test.toml",
        "[scenario]\ntitle = \"T\"\nlimits = { utterances = 1 }\n[[scenario.participant]]\nid = \"ada\"\n\
         [[voice]]\nseat = \"ada\"\nmodel = \"endpoint:m\"\n[[expect]]\nthat = \"ended\"\n",
    );
    let run = ["run", "round-table", "--topic", "x", "--headless", "--endpoint"];
    let named = ["--model", "endpoint:m"];
    let batch = ["batch", "society-of-minds", "--items", &items, "--out", &out, "--endpoint"];
    let cases: [(&[&str], &[&str], &str); 9] = [
        (&run, &[&none], "waiting for the server at "),
        (&run, &[&none, named[0], named[1]], "waiting for the servers of models; "),
        (&run, &[&lists, named[0], named[1]], "Ada is thinking, "),
        (&["ask", "Why?", "--endpoint"], &[&none, named[0], named[1]], "waiting for the servers"),
        (&["ask", "Why?", "--endpoint"], &[&lists, named[0], named[1]], "are thinking, "),
        (&["models", "--endpoint"], &[&none], "waiting for the servers of models; "),
        (&["doctor", "--endpoint"], &[&none], "waiting for the servers of models; "),
        (&batch, &[&lists, named[0], named[1]], "0 of 1 conversations over; "),
        (&["test", &test, "--ask", "--endpoint"], &[&lists], "requests to models"),
    ];
    for (args, more, said) in cases {
        let line = word_of(&house, &[args, more].concat());
        assert!(line.contains(said), "{args:?}: {line}");
    }
    let from = format!("{none}/list");
    let line = word_of(&house, &["models", "update", "--from", &from]);
    assert!(line.contains(&format!("waiting for {from}; ")), "{line}");
}

#[test]
fn a_program_that_says_nothing_is_named_with_the_way_to_stop() {
    let house = House::new();
    for voice in ["agent", "script"] {
        let text = format!(
            "title = \"T\"\n[[participant]]\nid = \"ada\"\n{voice} = [\"tail\", \"-f\", \"/dev/null\"]\n\
             [[participant]]\nid = \"bo\"\nlines = [\"No.\"]\n"
        );
        let path = house.file("mute.toml", &text);
        let line = word_of(&house, &["run", &path, "--headless", "--trust"]);
        assert!(line.starts_with("ada is thinking, "), "{voice}: {line}");
    }
}
