//! Interrupted runs: a resumed session continues as if it had not been interrupted.

use crate::house::{House, end, read_until, talk, transcript};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::{BufRead, BufReader, Write, pipe};

const UTTERANCES: u32 = 5;
const WORDS: usize = 90;
/// Capacity of a Linux pipe, in bytes.
const PIPE_BYTES: usize = 65_536;

/// Returns the transcript of an uninterrupted run.
fn unbroken(house: &House, path: &str) -> Vec<String> {
    transcript(&house.run(&["run", path, "--headless", "--no-save"]).code(0).out)
}

#[test]
fn killed_run_resumes_and_ends_like_an_uninterrupted_run() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(UTTERANCES, WORDS));
    let session = house.path("x.jsonl").to_str().unwrap().to_owned();
    let args =
        ["run", &path, "--headless", "--pace", "--format", "jsonl", "--out-session", &session];
    let (mut child, mut out) = house.start(&args);
    read_until(&mut out, &["\"kind\":\"floor.granted\"", "\"number\":2"]);
    read_until(&mut out, &["\"kind\":\"delta\""]);
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = house.run(&["resume", &session, "--headless", "-v"]).code(0);
    assert!(
        ran.err.contains("\nturn 2 of bo: cut in ") && ran.err.contains("\nturn 2 of bo: said in "),
        "{}",
        ran.err
    );
    let shown = house.run(&["sessions", "show", &session]).code(0).out;
    assert!(shown.contains("\n-- Bo, interrupted, will speak again\n"), "{shown}");
    let page = house.run(&["export", &session, "--format", "md"]).code(0).out;
    assert_eq!(page.matches("## 2 ").count(), 1, "{page}");
    assert_eq!(transcript(&shown), unbroken(&house, &path));
}

#[test]
fn a_signal_ends_it_in_the_log_and_has_its_code() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(UTTERANCES, WORDS));
    let whole = unbroken(&house, &path);
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let (child, mut out) =
            house.start(&["run", &path, "--headless", "--pace", "--format", "jsonl"]);
        read_until(&mut out, &["\"kind\":\"delta\""]);
        kill_process(Pid::from_child(&child), signal).unwrap();
        let last = read_until(&mut out, &["\"kind\":\"conversation.ended\""]);
        assert!(last.contains("\"reason\":\"signal\""), "{last}");
        let ran = end(child).code(code);
        assert!(ran.err.contains("colloquium resume 20"), "{}", ran.err);
        house.run(&["resume", "--last", "--headless"]).code(0);
        let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
        let said = transcript(&shown);
        assert_eq!(said, whole);
        println!("{signal:?}: exit {code}, resumed to {} turns", said.len());
    }
}

#[test]
fn a_signal_ends_a_script_that_hangs() {
    let house = House::new();
    let talk = "title = \"x\"\n[[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", \"trap '' TERM INT; echo $$ > pid; echo here; sleep 600\"]\n";
    let path = house.file("talk.toml", talk);
    let (child, mut out) =
        house.start(&["run", &path, "--headless", "--trust", "--format", "jsonl"]);
    read_until(&mut out, &["\"kind\":\"delta\""]);
    let pid = fs::read_to_string(house.path("pid")).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    end(child).code(130);
    // a dead process may be a zombie for a while
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(stat.is_empty() || stat.contains(") Z "), "it lives on: {stat}");
}

#[test]
fn a_closed_pipe_ends_quietly_and_the_session_goes_on() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(UTTERANCES, WORDS));
    let (child, mut out) = house.start(&["run", &path, "--headless", "--pace"]);
    read_until(&mut out, &["[1] Ada"]);
    drop(out);
    let ran = end(child).code(0);
    assert!(!ran.err.contains("error"), "{}", ran.err);
    assert_eq!(house.sessions()[0]["state"], "unfinished");
    house.run(&["resume", "--last", "--headless"]).code(0);
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert_eq!(transcript(&shown), unbroken(&house, &path));
}

/// A reader that reads nothing fills the pipe. It must not delay a signal, neither during the run nor after its end.
#[test]
fn a_reader_that_does_not_read_cannot_keep_the_program() {
    let house = House::new();
    let paced = talk(UTTERANCES, WORDS);
    let long = talk(8, 12_000);
    for (text, pace) in [(paced, "--pace"), (long, "--strict")] {
        let path = house.file("talk.toml", &text);
        let (_unread, mut full) = pipe().unwrap();
        full.write_all(&[b'x'; PIPE_BYTES]).unwrap();
        let mut child =
            house.command(&["run", &path, "--headless", pace]).stdout(full).spawn().unwrap();
        let mut err = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        err.read_line(&mut line).unwrap();
        assert!(line.starts_with("session: "), "{line}");
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        end(child).code(130);
    }
}

#[test]
fn closed_pipe_is_not_an_error() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    for args in [&["sessions", "show", "--last"][..], &["schema", "event"], &["demo", "--headless"]]
    {
        let (unread, closed) = pipe().unwrap();
        drop(unread);
        let ran = end(house.command(args).stdout(closed).spawn().unwrap()).code(0);
        assert!(!ran.err.contains("error"), "{args:?}: {}", ran.err);
    }
}

#[test]
fn a_standard_output_that_cannot_be_written_is_an_error() {
    let house = House::new();
    for args in [&["demo", "--headless"][..], &["schema", "event"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ran = end(house.command(args).stdout(full).spawn().unwrap()).code(1);
        assert!(ran.err.contains("cannot write to standard output"), "{args:?}: {}", ran.err);
        assert_eq!(ran.err.contains("colloquium resume "), args[0] == "demo", "{}", ran.err);
    }
}

/// Signals that were ignored at the start, as under `nohup`.
#[test]
fn a_hang_up_that_was_ignored_stays_ignored() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(1, 40));
    let run = ["run", &path, "--headless", "--pace", "--format", "jsonl"];
    let mut child = house.shell("trap '' HUP; exec \"$0\" \"$@\"", &run).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    read_until(&mut out, &["\"kind\":\"call.started\""]);
    kill_process(Pid::from_child(&child), Signal::HUP).unwrap();
    read_until(&mut out, &["\"reason\":\"utterance_limit\""]);
    end(child).code(0);
}
