//! Cost of the log: a line, an append with and without a sync, opening a session.

use crate::talk::{By, Talk};
use colloquium::model::Event;
use colloquium::session::{self, Mode, ReadProgress, Record, SessionPlace, Want, decode};
use colloquium::ui::view::transcript::Transcript;
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// Number of events appended at once.
const BATCH: usize = 1_000;

fn events() -> Vec<Event> {
    let mut events = Talk::run(By::Lines, "round_robin", BATCH as u32 / 4).events;
    events.truncate(BATCH);
    events
}

fn records() -> Vec<Arc<Record>> {
    events().into_iter().map(|e| Arc::new(Record::new(e).unwrap())).collect()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

#[divan::bench]
fn spell_a_thousand_lines(bencher: Bencher) {
    let spelled = |events: Vec<Event>| {
        events.into_iter().map(|e| Record::new(e).unwrap()).collect::<Vec<_>>()
    };
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(events).bench_values(spelled);
}

#[divan::bench]
fn read_a_thousand_lines(bencher: Bencher) {
    let records = records();
    let read = || {
        records.iter().map(|r| decode(black_box(r.line.as_bytes())).unwrap()).collect::<Vec<_>>()
    };
    bencher.counter(ItemsCount::new(BATCH)).bench(read);
}

/// Cost of an append for the caller, which does not wait for the disk.
#[divan::bench(sample_count = 20)]
fn append_a_thousand(bencher: Bencher) {
    let records = records();
    let begun = || session::create(SessionPlace::Nowhere, Mode::Normal).unwrap();
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(begun).bench_refs(|session| {
        records.iter().for_each(|r| session.writer.push(r.clone()));
    });
}

/// The same, until everything is synced.
#[divan::bench(args = [Mode::Normal, Mode::Strict], sample_count = 20)]
fn append_a_thousand_and_sync(bencher: Bencher, mode: Mode) {
    let records = records();
    let runtime = runtime();
    let begun = || session::create(SessionPlace::Nowhere, mode).unwrap();
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(begun).bench_local_values(|session| {
        records.iter().for_each(|r| session.writer.push(r.clone()));
        runtime.block_on(session.writer.finish()).unwrap()
    });
}

/// Returns a session of about 100 MB: its folder, path, size in bytes and number of events.
fn large() -> (TempDir, PathBuf, usize, usize) {
    const BYTES: usize = 100_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let mut lines = String::new();
    let mut count = 0;
    for event in Talk::run(By::Lines, "round_robin", 60_000).events {
        lines.push_str(&Record::new(event).unwrap().line);
        count += 1;
        if lines.len() >= BYTES {
            break;
        }
    }
    std::fs::write(&path, &lines).unwrap();
    (folder, path, lines.len(), count)
}

/// Baseline for the following benchmarks: parses each line, with its type and its checksum, on one thread.
#[divan::bench(sample_count = 3)]
fn decode_a_hundred_megabytes(bencher: Bencher) {
    let (_folder, path, bytes, events) = large();
    let lines = std::fs::read(path).unwrap();
    let decoded = || {
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            black_box(decode(line).unwrap());
        }
    };
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(events)).bench(decoded);
}

/// Reads a session.
#[divan::bench(sample_count = 3)]
fn scan_a_hundred_megabytes(bencher: Bencher) {
    let (_folder, path, bytes, events) = large();
    let scanned = || {
        session::read(black_box(&path), Want::All, &ReadProgress::default(), &mut |found| {
            black_box(found);
        })
        .unwrap()
    };
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(events)).bench(scanned);
}

/// Resumes a session until it is on the screen: reading and one fold.
#[divan::bench(sample_count = 3)]
fn tell_a_hundred_megabytes(bencher: Bencher) {
    let (_folder, path, bytes, events) = large();
    let told = || {
        let mut transcript = Transcript::default();
        let mut each = |event: &Event| transcript.apply_unkept(event);
        session::fold(&path, &ReadProgress::default(), &mut each).unwrap();
        transcript
    };
    bencher.counter(BytesCount::new(bytes)).counter(ItemsCount::new(events)).bench(told);
}

/// Cost of sharing a state with another owner.
#[divan::bench]
fn share_a_long_transcript(bencher: Bencher) {
    let mut transcript = Transcript::default();
    let talk = Talk::run(By::Lines, "round_robin", 20_000);
    talk.events.iter().for_each(|event| transcript.apply_unkept(event));
    bencher.bench(|| black_box(&transcript).clone());
}
