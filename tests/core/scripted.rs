//! Scripted tests have the same result on every run, under any load of the machine.

use colloquium::policy;
use colloquium::scenario::Source;
use colloquium::testing::{How, Pool, Test, TestOutcome, find, load};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;
use tokio::sync::watch;

/// Number of runs of the whole suite, unless `REPEATS` is set.
const REPEATS: usize = 200;
/// Number of parallel tests per core, more than a core can run, so that threads are interrupted everywhere.
const LOAD: usize = 4;

fn read(path: &Path) -> Vec<Arc<Test>> {
    let text = std::fs::read_to_string(path).unwrap();
    parse(path.display().to_string(), text, path.parent().unwrap())
}

fn parse(name: String, text: String, folder: &Path) -> Vec<Arc<Test>> {
    let source = Source { name, text, settings: vec![] };
    load(&source, folder, &policy::rows()).unwrap().tests
}

/// Runs tests under load; returns their records as text, without durations.
fn run(tests: &[Arc<Test>]) -> Vec<String> {
    let (_going, stop) = watch::channel(false);
    let jobs = LOAD * available_parallelism().map_or(1, usize::from);
    let how = How { coverage: true, ..How::default() };
    let records = Pool { how, jobs, fail_fast: false }.run(tests, &stop, |_| {});
    let spelled = |record| {
        let mut json: Value = serde_json::to_value(record).unwrap();
        json["took_ms"] = Value::Null;
        json.to_string()
    };
    let covered = records.iter().map(|record| format!("{:?}", record.coverage));
    records.iter().map(spelled).zip(covered).map(|(record, of)| record + &of).collect()
}

/// A limit ends the conversation in the same step as the last turn.
#[test]
fn each_sees_the_last_turn_before_a_limit() {
    let text = "scenario = { title = \"S\", limits = { utterances = 2 }, participant = [{ id = \"ada\" }, { id = \"bo\" }] }\n\
        [[voice]]\nseat = \"ada\"\nlines = [\"one\"]\n[[voice]]\nseat = \"bo\"\nlines = [\"bad\"]\n\
        [[expect]]\neach = \"utterance.text != 'bad'\"\n";
    let tests = parse("t.test.toml".into(), text.into(), Path::new("."));
    let (_going, stop) = watch::channel(false);
    let pool = Pool { how: How::default(), jobs: 16, fail_fast: false };
    let tests: Vec<Arc<Test>> = (0..400).map(|_| tests[0].clone()).collect();
    let records = pool.run(&tests, &stop, |_| {});
    let missed = records.iter().filter(|record| record.outcome != TestOutcome::Fail).count();
    assert_eq!(missed, 0, "{missed} of {} runs did not see the last turn", records.len());
    assert!(records[0].broken[0].found[0].contains("#2"), "{:?}", records[0].broken);
}

#[test]
#[ignore = "minutes: cargo test --test core the_suite_repeats -- --ignored"]
fn the_suite_repeats_byte_for_byte_under_load() {
    let repeats = std::env::var("REPEATS").ok().and_then(|n| n.parse().ok()).unwrap_or(REPEATS);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/scenarios");
    let mut tests = vec![];
    for path in find(&[folder.to_owned()]).unwrap() {
        tests.extend(read(&path));
    }
    let first = run(&tests);
    for repeat in 2..=repeats {
        for (before, now) in first.iter().zip(run(&tests)) {
            assert_eq!(*before, now, "run {repeat} differs");
        }
    }
    println!("{} tests repeated {repeats} times", tests.len());
}
