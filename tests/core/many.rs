//! Large counts in files: the time of a resume grows with the size of the file, not with its square.

use crate::harness::*;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// Returns a log with commands and without receipts.
fn forged(commands: usize) -> Vec<Event> {
    let opened: Opened = round_robin(&["a", "b"], 1);
    let event = |seq: u64, by: &str, kind: Kind| Event {
        seq: Seq(seq),
        at: Wall(0),
        ms: Ms(seq),
        thread: ThreadId::ROOT,
        by: by.into(),
        cause: None,
        kind,
    };
    let line = |n: usize| match n % 6 {
        0 => json!({"do": "mark", "text": "here", "id": format!("m{n}")}),
        1 => json!({"do": "say", "text": format!("word {n}"), "id": format!("s{n}")}),
        2 => json!({"do": "note", "text": "be brief"}),
        3 => json!({"do": "skip"}),
        4 => json!({"do": "vote", "question": "Shall we?"}),
        _ => json!({"do": "pause"}),
    };
    let given = |n: usize| {
        let (_, line) = lines(&[line(n)]).remove(0);
        let targets = Targets { threads: vec![ThreadId::ROOT], ..Targets::default() };
        Kind::from(Arc::new(CommandGiven {
            key: format!("k{n}").into(),
            line,
            from: None,
            targets,
        }))
    };
    let commands = (0..commands).map(|n| event(n as u64 + 1, "operator", given(n)));
    std::iter::once(event(0, "engine", Box::new(opened).into())).chain(commands).collect()
}

async fn resumed(commands: usize) -> f64 {
    let past = forged(commands);
    let begun = Instant::now();
    let ran = resume(past, plain(), &[]).await;
    let seconds = begun.elapsed().as_secs_f64();
    let is_done = |e: &&Event| matches!(&e.kind, Kind::Receipt(r) if matches!(r.is, ReceiptIs::Done | ReceiptIs::TooLate));
    let notes = commands.div_ceil(6);
    assert!(ran.events.iter().filter(is_done).count() >= commands - notes, "every one is told");
    println!("{commands} commands without receipts: resumed in {seconds:.1} s");
    seconds
}

#[tokio::test]
async fn commands_without_receipts_are_all_carried_out() {
    resumed(400).await;
}

#[tokio::test]
async fn of_too_many_commands_the_newest_are_refused_but_never_an_end() {
    let mut past = forged(1_500);
    let Kind::CommandGiven(last) = &past[1_200].kind else { panic!() };
    let (_, line) = lines(&[json!({"do": "end"})]).remove(0);
    past[1_200].kind = Kind::from(Arc::new(CommandGiven { line, ..(**last).clone() }));
    let ran = resume(past, plain(), &[]).await;
    let refused =
        |e: &&Event| matches!(&e.kind, Kind::Receipt(r) if r.reason == Some(LateReason::TooMany));
    assert!(ran.events.iter().filter(refused).count() > 400);
    assert_eq!(ran.reason(), "operator");
}

#[tokio::test]
#[ignore = "takes a while: cargo test --release --test core many -- --ignored --nocapture"]
async fn a_resume_is_linear_in_the_commands_of_a_file() {
    let few = resumed(20_000).await;
    let many = resumed(100_000).await;
    assert!(many < 30.0 && many < few.max(0.2) * 10.0, "{few} s, then {many} s");
}
