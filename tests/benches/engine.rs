//! Cost of a decision, a prompt and the fold.

use crate::talk::{By, Talk};
use colloquium::engine::advance;
use colloquium::model::{Purpose, ThreadId};
use colloquium::policy::{self, View};
use colloquium::prompt;
use colloquium::state::{State, Turn};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

const UTTERANCES: [u32; 3] = [10, 100, 1_000];

fn next(state: &State) -> Turn {
    Turn::granted(state.next_seq, state.ms, ThreadId::ROOT, "bo".into(), Purpose::Speak)
}

/// Builds the prompt of a model as messages.
#[divan::bench(args = UTTERANCES)]
fn prompt_of_a_model(bencher: Bencher, utterances: u32) {
    let talk = Talk::run(By::Models, "round_robin", utterances);
    let turn = next(&talk.live.state);
    bencher.bench(|| prompt::messages(&prompt::build(&talk.live.state, black_box(&turn))));
}

/// Computes the log entry of a model's prompt.
#[divan::bench(args = UTTERANCES)]
fn prompt_accounted_of_a_model(bencher: Bencher, utterances: u32) {
    let talk = Talk::run(By::Models, "round_robin", utterances);
    let turn = next(&talk.live.state);
    bencher.bench(|| prompt::account(&talk.live.state, black_box(&turn)));
}

/// The same for rehearsed lines, which do not read the prompt.
#[divan::bench(args = UTTERANCES)]
fn prompt_accounted_of_lines(bencher: Bencher, utterances: u32) {
    let talk = Talk::run(By::Lines, "round_robin", utterances);
    let turn = next(&talk.live.state);
    bencher.bench(|| prompt::account(&talk.live.state, black_box(&turn)));
}

#[divan::bench(args = UTTERANCES)]
fn decide(bencher: Bencher, utterances: u32) {
    let talk = Talk::run(By::Lines, "round_robin", utterances);
    bencher.bench(|| advance(black_box(&talk.live.state)));
}

#[divan::bench(args = policy::ALL.iter().map(|p| p.row.name))]
fn decide_by(bencher: Bencher, name: &str) {
    let talk = Talk::run(By::Lines, name, 100);
    let state = &talk.live.state;
    let policy = policy::find(name).unwrap();
    let thread = &state.threads[&ThreadId::ROOT];
    bencher.bench(|| (policy.next)(black_box(&View { state, thread })));
}

/// Decides and folds a whole conversation of rehearsed lines, without a disk.
#[divan::bench(args = [1_000, 8_000], sample_count = 3)]
fn whole_talk(bencher: Bencher, utterances: u32) {
    let played = || Talk::run(By::Lines, "round_robin", utterances);
    bencher.counter(ItemsCount::new(utterances)).bench(played);
}

#[divan::bench(sample_count = 3)]
fn fold_of_a_million_events(bencher: Bencher) {
    const EVENTS: usize = 1_000_000;
    let mut events = Talk::run(By::Lines, "round_robin", EVENTS as u32 / 5).events;
    events.truncate(EVENTS);
    bencher.counter(ItemsCount::new(events.len())).bench(|| State::fold(black_box(&events)));
}
