//! Nothing waits without a word: a line says what is awaited, and how to stop it.

use crate::house::{House, talk};
use crate::program::silent::silent;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Runs a command until a line says what it waits for and how to stop it.
fn word_of(house: &House, args: &[&str], said: &str) {
    line_of(house.command(args), args, said);
}

fn line_of(mut command: Command, args: &[&str], said: &str) {
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let line = lines.find(|line| line.contains(said) && line.contains("Ctrl-C stops"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.is_some(), "{args:?} ended without {said:?}");
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
    let cases: [(&[&str], &[&str], &str); 12] = [
        (&["talk", "Why?", "endpoint:m", "--headless", "--endpoint"], &[&none], "waiting for the"),
        (
            &["run", "oxford", "--cast", "--topic", "x", "--headless", "--endpoint"],
            &[&lists, named[0], named[1]],
            "asking endpoint:m for a cast; ",
        ),
        (
            &["run", "round-table", "--topic", "x", "--detach", "--endpoint"],
            &[&none, named[0], named[1]],
            "waiting for the conversation in the background to begin",
        ),
        (&run, &[&none], "waiting for the server"),
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
        word_of(&house, &[args, more].concat(), said);
    }
    let log = house.path("x.jsonl").display().to_string();
    let whole = [&run[..], &[&lists, named[0], named[1], "--out-session", &log]].concat();
    word_of(&house, &whole, "Ada is thinking, ");
    word_of(&house, &["resume", &log, "--headless", "--endpoint", &lists], "Ada is thinking, ");
    let from = format!("{none}/list");
    word_of(&house, &["models", "update", "--from", &from], &format!("waiting for {from}; "));
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
        word_of(&house, &["run", &path, "--headless", "--trust"], "ada is thinking, ");
    }
}

#[test]
fn a_stopped_process_is_named_with_the_way_to_stop() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(40, 2_000));
    let id = house.run(&["run", &path, "--detach"]).code(0).out.trim().to_owned();
    let why = house.sessions()[0]["why"].as_str().unwrap().to_owned();
    let pid = why.rsplit(' ').next().unwrap().parse().unwrap();
    let pid = Pid::from_raw(pid).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    for args in [
        &["say", &id, "Hello."][..],
        &["steer", &id, r#"{"do":"pause"}"#],
        &["stop", &id],
        &["serve", &id],
        &["watch", &id, "--headless"],
    ] {
        word_of(&house, args, "waiting for the process of ");
    }
    let list = house.run(&["sessions", "list"]).code(0);
    assert!(list.out.contains("(not answering)"), "{}", list.out);
    kill_process(pid, Signal::CONT).unwrap();
    house.run(&["stop", &id]).code(0);
}

/// A limit of the size of files is a full disk to the writer.
#[test]
fn a_full_disk_is_named_with_the_way_to_stop() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(40, 2_000));
    house.run(&["run", &path, "--headless", "--max-turns", "2"]).code(0);
    for args in [
        &["run", &path, "--headless", "--pace"][..],
        &["resume", "--last", "--headless", "--pace", "--max-turns", "40"],
    ] {
        let full = house.shell("ulimit -f 8; exec \"$0\" \"$@\"", args);
        line_of(full, args, "waiting for space: the disk is full: ");
    }
}

/// A tool server that says nothing.
#[test]
fn a_silent_tool_server_is_named_with_the_way_to_stop() {
    let house = House::new();
    let url = silent(true);
    for server in ["command = [\"tail\", \"-f\", \"/dev/null\"]", &format!("url = {url:?}")] {
        let text = format!(
            "title = \"T\"\n[[server]]\nname = \"calc\"\n{server}\n[[participant]]\nid = \"ada\"\n\
             tools = [\"calc\"]\n"
        );
        let path = house.file("tools.toml", &text);
        let model = ["--endpoint", &url, "--model", "endpoint:m"];
        let args = [&["run", &path, "--headless", "--trust"][..], &model].concat();
        word_of(&house, &args, "waiting for the tool server calc; ");
    }
}

#[test]
fn a_silent_standard_input_is_named_with_the_way_to_stop() {
    let house = House::new();
    let ends = house.file("talk.toml", &talk(2, 0));
    for args in [
        &["run", &ends, "--headless", "--steer", "-"][..],
        &["run", "-", "--headless"],
        &["check", "-"],
        &["import", "-"],
        &["ask", "Why?", "-", "--rehearsed"],
    ] {
        let mut command = house.command(args);
        command.stdin(Stdio::piped());
        line_of(command, args, " on standard input; ");
    }
}
