//! Fault injection with `strace`: every system call that writes to disk is killed, and made to fail.

use crate::kills::house::{House, end};
use crate::kills::{record, tables};
use crate::program::PROGRAM;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of injections in a normal test run, and in the full run.
const FEW: u64 = 24;
const ALL: u64 = 3_000;

/// System calls to inject faults into.
const CALLS: [&str; 7] =
    ["write", "fsync", "fdatasync", "openat", "renameat2", "linkat", "ftruncate"];

/// Faults, in `strace` syntax.
const HARM: [&str; 3] = ["signal=KILL", "error=ENOSPC", "error=EIO"];

/// Runs the program under `strace` with one fault. Returns its exit code (`None` if killed), standard output and
/// standard error.
fn harmed(
    house: &House,
    args: &[&str],
    harm: Option<(&str, u64, &str)>,
) -> (Option<i32>, Vec<u8>, String) {
    let mut command = house.other("strace");
    command.args(["-f", "-qq", "-o"]).arg(house.path("strace.log"));
    // trace only the session file, under its temporary and its final name: disk faults do not affect calls that wake
    // threads
    command.arg("-P").arg(house.path(".new-s")).arg("-P").arg(house.path("s.jsonl"));
    match harm {
        None => command.args(["-e", &format!("trace={}", CALLS.join(","))]),
        Some((call, nth, how)) => command
            .args(["-e", &format!("trace={call}"), "-e"])
            .arg(format!("inject={call}:{how}:when={nth}")),
    };
    let ran = command.arg(PROGRAM).args(args).output().unwrap();
    let killed = ran.status.signal().is_some() || ran.status.code() == Some(137);
    (
        if killed { None } else { ran.status.code() },
        ran.stdout,
        String::from_utf8_lossy(&ran.stderr).into_owned(),
    )
}

/// Returns the maximum number of calls by a single thread, for each system call, since `strace` counts by thread.
fn calls(traced: &Path) -> BTreeMap<&'static str, u64> {
    let mut counted: BTreeMap<(&'static str, String), u64> = BTreeMap::new();
    for line in fs::read_to_string(traced).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        if let Some(call) =
            CALLS.iter().find(|call| rest.trim_start().starts_with(&format!("{call}(")))
        {
            *counted.entry((call, thread.to_owned())).or_default() += 1;
        }
    }
    let mut most = BTreeMap::new();
    for ((call, _), n) in counted {
        let best: &mut u64 = most.entry(call).or_default();
        *best = n.max(*best);
    }
    most
}

/// Injects `shots` faults one by one, spread over the run of a conversation, skipping the first `from`.
fn shoot(from: u64, shots: u64) {
    let house = House::new();
    let table = tables::all().into_iter().find(|t| t.ordered).unwrap();
    let scenario = house.file("talk.toml", &table.scenario);
    let steer = house.file("talk.jsonl", table.steer);
    let session = house.path("s.jsonl");
    let run = [
        "run",
        &scenario,
        "--headless",
        "--trust",
        "--format",
        "jsonl",
        "--steer",
        &steer,
        "--out-session",
    ];
    let run = [&run[..], &[session.to_str().unwrap()]].concat();
    let (code, ..) = harmed(&house, &run, None);
    assert_eq!(code, Some(0));
    let whole =
        record::outcome(&record::read(&fs::read(&session).unwrap()).unwrap().events).unwrap();
    let calls = calls(&house.path("strace.log"));
    let aims: Vec<(&str, u64, &str)> = calls
        .iter()
        .flat_map(|(call, most)| (1..=*most).map(move |nth| (*call, nth)))
        .flat_map(|(call, nth)| HARM.map(|how| (call, nth, how)))
        .collect();
    // calls made only once come first; then a stride that visits every position before repeating one
    let (once, often): (Vec<_>, Vec<_>) = aims.iter().partition(|(call, ..)| calls[call] == 1);
    let stride = (often.len() / 7 * 3) | 1;
    let again = |n: usize| often[(n * stride + n / often.len()) % often.len()];
    let shots_at =
        once.iter().copied().chain((0..).map(again)).skip(from as usize).take(shots as usize);
    let hit = AtomicU64::new(0);
    for aim in shots_at {
        for entry in fs::read_dir(house.path("")).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("s.") {
                let _ = fs::remove_file(entry.path());
            }
        }
        let (code, mut printed, told) = harmed(&house, &run, Some(aim));
        // 127: the dynamic loader could not read a library
        let expected = matches!((code, aim.2), (None, "signal=KILL") | (Some(0..=6 | 127), _));
        assert!(expected && !told.contains("panicked"), "{aim:?}: {code:?} {told}");
        hit.fetch_add(u64::from(code != Some(0)), Ordering::Relaxed);
        printed.truncate(printed.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1));
        let kept = fs::read(&session).unwrap_or_default();
        let rescued: Vec<u8> = fs::read_dir(house.path(""))
            .unwrap()
            .flatten()
            .filter(|e| e.file_name().to_string_lossy().starts_with("s.rescue"))
            .flat_map(|e| fs::read(e.path()).unwrap())
            .collect();
        let has = |line: &[u8]| {
            let within = |bytes: &[u8]| bytes.split(|b| *b == b'\n').any(|l| l == line);
            within(&kept) || within(&rescued)
        };
        for line in printed.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            assert!(
                has(line),
                "{aim:?}: a line was acknowledged and is gone: {}",
                String::from_utf8_lossy(line)
            );
        }
        if kept.is_empty() || !rescued.is_empty() {
            continue;
        }
        let read = record::read(&kept).unwrap_or_else(|e| panic!("{aim:?}: {e}"));
        if !read.has_ended() {
            let args =
                ["resume", session.to_str().unwrap(), "--headless", "--trust", "--steer", &steer];
            let ran = end(house.command(&args).spawn().unwrap());
            assert_eq!(ran.code, 0, "{aim:?}: {}", ran.err);
        }
        let outcome = record::outcome(&record::read(&fs::read(&session).unwrap()).unwrap().events);
        assert_eq!(outcome.unwrap(), whole, "{aim:?}");
    }
    println!(
        "{shots} shots at {} places of {calls:?}, {} hit: 0 lost, all equal after a resume",
        aims.len(),
        hit.into_inner()
    );
}

#[test]
#[ignore = "needs strace: cargo test --test terminal killed_and_failed -- --ignored --nocapture"]
fn killed_and_failed_at_calls_of_the_system() {
    shoot(0, FEW);
}

#[test]
#[ignore = "an hour: cargo test --release --test terminal three_thousand -- --ignored --nocapture"]
fn three_thousand_shots() {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|n| n.parse().ok());
    shoot(number("FROM").unwrap_or(0), number("SHOTS").unwrap_or(ALL));
}
