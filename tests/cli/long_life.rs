//! Resources of a conversation of several days: memory and handles stay constant, also with a very long line.

use crate::house::House;
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Number of turns in every run of the tests.
const FEW: u64 = 300;
/// Number of turns in the thorough test, unless `TURNS` is set.
const ALL: u64 = 100_000;
/// Maximum growth of the memory per turn once it has levelled off, for its text and index, in bytes.
const TURN_MAX: u64 = 4 * 1024;
/// Maximum growth of the memory before it levels off, in KiB.
const SETTLING_KIB: u64 = 8 * 1024;

/// Resources of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    turns: u64,
    memory_kib: u64,
    descriptors: usize,
    threads: u64,
    children: usize,
}

/// Returns the resources of a process; zeros if it has ended.
fn held(pid: u32, turns: u64) -> Held {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    let count =
        |folder: &str| fs::read_dir(format!("/proc/{pid}/{folder}")).map_or(0, Iterator::count);
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    Held {
        turns,
        memory_kib: number("VmRSS:"),
        descriptors: count("fd"),
        threads: number("Threads:"),
        children: children.map(|list| list.split_whitespace().count()).sum(),
    }
}

/// Starts a server that gives a new answer each time, and a faulty one in fifty.
fn server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let asked = std::sync::Arc::new(AtomicU64::new(0));
        for stream in listener.incoming().flatten() {
            let asked = asked.clone();
            std::thread::spawn(move || while answer(&stream, &asked).is_some() {});
        }
    });
    url
}

/// Answers one call; `None` if the connection is closed.
fn answer(stream: &TcpStream, asked: &AtomicU64) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    let mut length = 0;
    let mut lists = false;
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        lists |= line.starts_with("GET");
        if let Some(n) = line.to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().ok()?;
        }
    }
    reader.take(length).read_to_end(&mut vec![]).ok()?;
    let n = if lists { 1 } else { asked.fetch_add(1, Ordering::SeqCst) };
    let piece =
        |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let words: String =
        (0..40).map(|w| format!("word{} ", (n * 40 + w) * 7_919 % 99_991)).collect();
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let (status, body) = match (lists, n % 50) {
        (true, _) => ("200 OK", json!({"data": [{"id": "tiny"}]}).to_string()),
        (_, 7) => ("500 Oops", "{}".to_owned()),
        (_, 17) => ("200 OK", piece("broken off ")),
        (_, 27) => ("200 OK", piece("some ") + "data: {bro\n\n" + &piece(&words) + end),
        (_, 37) => ("404 No", "<html>".to_owned()),
        _ => ("200 OK", piece(&words) + end),
    };
    let kind = if lists { "application/json" } else { "text/event-stream" };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    stream.write_all((head + &body).as_bytes()).ok()
}

/// Plays a conversation of `turns` turns and measures the program throughout.
fn lives(turns: u64) {
    let house = House::new();
    let url = server();
    let scenario = "title = \"Long\"\n[[participant]]\nid = \"ada\"\nmodel = \"endpoint:tiny\"\n\
        [[participant]]\nid = \"bo\"\nmodel = \"endpoint:tiny\"\n[limits]\nutterances = 100000\n";
    let scenario = house.file("long.toml", scenario);
    let log = house.path("long.jsonl");
    // the last two turns follow a resume
    let limit = (turns - 2).to_string();
    let more = turns.to_string();
    let args = |verb: &[&str], limit: &str| {
        let rest = ["--headless", "--endpoint", &url, "--trust", "--max-utterances", limit];
        verb.iter().map(|arg| (*arg).to_owned()).chain(rest.map(str::to_owned)).collect::<Vec<_>>()
    };
    let run = |args: Vec<String>| {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = house.command(&args);
        command.stderr(Stdio::null()).spawn().unwrap()
    };
    let begun = Instant::now();
    let mut child = run(args(&["run", &scenario, "--out-session", log.to_str().unwrap()], &limit));
    let pid = child.id();
    let mut said = 0;
    let mut samples = vec![];
    let mut text = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        text += line.len() as u64;
        if line.starts_with('[') {
            said += 1;
            if said % (turns / 100).max(1) == 0 {
                samples.push(held(pid, said));
            }
        }
    }
    child.wait().unwrap();
    let took = begun.elapsed().as_secs_f64();
    assert!(said >= turns - 2, "{said}");
    let early = samples[samples.len() / 10];
    let late = *samples.iter().rev().find(|held| held.memory_kib > 0).unwrap();
    let size = fs::metadata(&log).unwrap().len();
    let begun = Instant::now();
    let mut child = run(args(&["resume", log.to_str().unwrap()], &more));
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = out.find(|line| line.as_ref().unwrap().starts_with('['));
    let resumed = begun.elapsed().as_secs_f64();
    assert!(first.is_some());
    out.for_each(drop);
    child.wait().unwrap();
    let grown = (late.memory_kib.saturating_sub(early.memory_kib) << 10)
        / (late.turns - early.turns).max(1);
    println!(
        "{turns} turns in {took:.0} s; after a tenth {early:?}, in the end {late:?}: {grown} bytes a turn; a file of \
         {size} bytes for {text} of text; resumed, it said its first word after {resumed:.1} s"
    );
    assert!(size <= 3 * text + 1024 * turns, "{size} bytes for {text}");
    let most = early.memory_kib + SETTLING_KIB + TURN_MAX * turns / 1024;
    assert!(late.memory_kib <= most, "{grown} bytes a turn");
    assert!(late.descriptors <= early.descriptors + 4, "{early:?} {late:?}");
    assert!(late.threads <= early.threads + 4, "{early:?} {late:?}");
    assert_eq!(late.children, early.children);
}

#[test]
fn a_conversation_of_many_turns_stays_as_large_as_it_was() {
    lives(FEW);
}

#[test]
#[ignore = "an hour: cargo test --release --test cli a_hundred_thousand_turns -- --ignored --nocapture"]
fn a_hundred_thousand_turns() {
    lives(std::env::var("TURNS").ok().and_then(|n| n.parse().ok()).unwrap_or(ALL));
}

/// Returns the peak memory of the program while a script writes one line of `mib` MiB.
fn peak_of_a_line(mib: u32) -> u64 {
    let house = House::new();
    let scenario = house.file(
        "line.toml",
        &format!(
            "title = \"One line\"\n[[participant]]\nid = \"ada\"\nscript = [\"sh\", \"-c\", \"head -c {mib}M /dev/zero \
             | tr '\\\\0' a\"]\n[[participant]]\nid = \"bo\"\nlines = [\"Well.\"]\n[limits]\nutterances = 2\n"
        ),
    );
    house.peak(&["run", &scenario, "--headless", "--trust"]) >> 20
}

#[test]
fn a_line_without_an_end_is_not_kept() {
    let most = peak_of_a_line(24);
    println!("a line of 24 MiB: at most {most} MB");
    assert!(most <= 300, "{most} MB");
}

#[test]
#[ignore = "seconds: cargo test --test cli a_line_of_256 -- --ignored --nocapture"]
fn a_line_of_256_mib_is_not_kept() {
    let most = peak_of_a_line(256);
    println!("a line of 256 MiB: at most {most} MB");
    assert!(most <= 300, "{most} MB");
}
