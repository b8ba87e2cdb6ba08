//! Scripted tests: a thousand tests, each a conversation of twenty turns.

use colloquium::policy;
use colloquium::scenario::Source;
use colloquium::testing::{How, Pool, TestOutcome, load};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Number of tests, and of concurrent ones. The goal is ten seconds for all of them on two cores.
const TESTS: usize = 1_000;
const JOBS: usize = 2;
const GOAL: Duration = Duration::from_secs(10);
/// Words per turn.
const WORDS: usize = 30;

#[divan::bench(sample_count = 1, sample_size = 1)]
fn a_thousand_tests_of_twenty_utterances(bencher: divan::Bencher) {
    let line = "word ".repeat(WORDS);
    let cases: String = (0..TESTS).map(|i| format!("[[case]]\nname = \"{i}\"\n")).collect();
    let text = format!(
        "[scenario]\ntitle = \"A conversation\"\nlimits = {{ utterances = 20 }}\n\
         [[scenario.participant]]\nid = \"ada\"\n[[scenario.participant]]\nid = \"bo\"\n\
         [[voice]]\nseat = \"all\"\nlines = [\"{line}one\", \"{line}two\"]\n\
         [[expect]]\nthat = \"utterances | length == 20\"\n{cases}"
    );
    let source = Source { name: "bench.test.toml".into(), text, settings: vec![] };
    let file = load(&source, Path::new("."), &policy::rows()).unwrap();
    let (_going, stop) = watch::channel(false);
    bencher.bench_local(|| {
        let pool = Pool { how: How::default(), jobs: JOBS, fail_fast: false };
        let began = Instant::now();
        let records = pool.run(&file.tests, &stop, |_| {});
        assert!(began.elapsed() <= GOAL, "{TESTS} tests took {:?}", began.elapsed());
        assert!(records.iter().all(|r| r.outcome == TestOutcome::Pass));
    });
}
