//! What the log costs: a line, an append with and without a sync, opening a session.

use crate::talk::{By, Talk};
use colloquium::model::Event;
use colloquium::session::{self, Mode, Record, SessionPlace, decode};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Events that are appended at once.
const BATCH: usize = 1_000;

fn events() -> Vec<Event> {
    let mut events = Talk::of(By::Lines, "round_robin", BATCH as u32 / 4).events;
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

/// What an append costs whoever hands it in: nobody waits for the disk.
#[divan::bench(sample_count = 20)]
fn append_a_thousand(bencher: Bencher) {
    let records = records();
    let begun = || session::create(SessionPlace::Nowhere, Mode::Normal).unwrap();
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(begun).bench_refs(|session| {
        records.iter().for_each(|r| session.writer.push(r.clone()));
    });
}

/// The same until all of it is synced.
#[divan::bench(args = [Mode::Normal, Mode::Strict], sample_count = 20)]
fn append_a_thousand_and_sync(bencher: Bencher, mode: Mode) {
    let (records, runtime) = (records(), runtime());
    let begun = || session::create(SessionPlace::Nowhere, mode).unwrap();
    bencher.counter(ItemsCount::new(BATCH)).with_inputs(begun).bench_local_values(|session| {
        records.iter().for_each(|r| session.writer.push(r.clone()));
        runtime.block_on(session.writer.finish()).unwrap()
    });
}

#[divan::bench(sample_count = 3)]
fn open_a_hundred_megabytes(bencher: Bencher) {
    const BYTES: usize = 100_000_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.jsonl");
    let events = Talk::of(By::Lines, "round_robin", 60_000).events;
    let mut lines = String::new();
    for event in events {
        lines.push_str(&Record::new(event).unwrap().line);
        if lines.len() >= BYTES {
            break;
        }
    }
    std::fs::write(&path, &lines).unwrap();
    let opened = || session::read(black_box(&path)).unwrap();
    bencher.counter(BytesCount::new(lines.len())).bench(opened);
}
