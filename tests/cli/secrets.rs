//! An API key that a server echoes in replies and errors, in any encoding, never appears in any output or file.

use crate::canary::{FORMS, KEY, absent, words};
use crate::house::{House, end};
use crate::server::{OOPS, Server};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Starts a server that redirects every request to another address.
fn redirecting(to: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 307 Temporary\r\nLocation: {to}/chat/completions\r\nContent-Length: 0\r\n\r\n"
    );
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut bytes = [0; 1 << 16];
            let _ = stream.read(&mut bytes).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    url
}

/// Starts a listener that records every received byte.
fn elsewhere() -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let heard = Arc::new(Mutex::new(vec![]));
    let ears = heard.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut bytes = [0; 1 << 16];
            let n = stream.read(&mut bytes).unwrap();
            ears.lock().unwrap().extend_from_slice(&bytes[..n]);
        }
    });
    (url, heard)
}

fn files(folder: PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(path) } else { vec![path] }).collect()
}

#[test]
fn a_key_that_comes_back_is_found_nowhere() {
    let server = Server::start(words().leak(), Some(KEY));
    let (other, heard) = elsewhere();
    let moved = redirecting(&other);
    let house = House::new();
    let provider = |name: &str, url: &str| {
        format!(
            "[providers.{name}]\nwire = \"openai\"\nbase_url = {url:?}\napi_key_env = \"MY_KEY\"\n"
        )
    };
    let settings = provider("mine", &server.url) + &provider("moved", &moved);
    let settings = house.file("settings.toml", &settings);
    let seat = |id: &str, voice: &str| {
        format!("[[participant]]\nid = {id:?}\n{voice}\non_failure = {{ retry = 0 }}\n")
    };
    let env = house.path("env.txt");
    let seats = [
        seat("bo", &format!("model = \"mine:{OOPS}\"")),
        seat("ada", "model = \"mine:tiny\""),
        seat("cy", "model = \"moved:tiny\""),
        seat(
            "dee",
            &format!(
                "script = [\"sh\", \"-c\", \"cat > /dev/null; env > {}; echo Done.\"]",
                env.display()
            ),
        ),
    ];
    let talk = format!("title = \"A talk\"\nlimits = {{ utterances = 4 }}\n{}", seats.concat());
    let talk = house.file("talk.toml", &talk);
    let run = |args: &[&str]| {
        let ran = end(house.command(args).env("MY_KEY", KEY).spawn().unwrap());
        absent(ran.out.as_bytes(), &format!("the output of {args:?}"));
        absent(ran.err.as_bytes(), &format!("what {args:?} said"));
        ran
    };
    let play = ["run", &talk, "--headless", "--trust", "-c", &settings, "--format"];
    let ran = run(&[&play[..], &["text"]].concat()).code(0);
    assert!(ran.out.contains("Here, hex: *** it was."), "{}", ran.out);
    assert!(ran.out.contains("bo failed and was skipped: the server at 127.0.0.1"), "{}", ran.out);
    assert!(ran.out.contains("answered with HTTP 500 (Here, as it is: ***"), "{}", ran.out);
    assert!(ran.out.contains("cy failed and was skipped: the server at 127.0.0.1"), "{}", ran.out);
    let log = house.path("log.txt").display().to_string();
    for args in [
        &[&play[..], &["jsonl"]].concat()[..],
        &[&play[..], &["md"]].concat(),
        &["resume", "--last", "--headless", "--trust", "-c", &settings, "--max-utterances", "6"],
        &["sessions", "show", "--last", "--format", "md"],
        &["sessions", "show", "--last", "--format", "jsonl"],
        &["export", "--last", "--format", "html"],
        &["export", "--last", "--format", "csv"],
        &["export", "--last", "--format", "json"],
        &["export", "--last", "--format", "txt"],
        &["export", "--last", "--format", "cast"],
        &["analyze", "--last"],
        &["models", "--json", "-c", &settings],
        &["doctor", "-c", &settings],
        &["doctor", "--explain", "-c", &settings],
        &["run", &talk, "--dry-run", "--headless", "-c", &settings],
        &[&play[..], &["text", "-v", "--log-file", &log]].concat(),
    ] {
        run(args).code(0);
    }
    let files = files(house.home.path().to_owned());
    for file in &files {
        absent(&std::fs::read(file).unwrap(), &file.display().to_string());
    }
    assert!(std::fs::read_to_string(&env).unwrap().contains("PATH="), "the child's environment");
    absent(&heard.lock().unwrap(), "what another address heard");
    println!("{} forms in {} files: not found", FORMS.len(), files.len());
    assert!(files.len() >= 6, "{files:?}");
}
