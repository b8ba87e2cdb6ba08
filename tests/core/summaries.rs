//! Summaries of long conversations: each is a turn of its own for a seat with a full window, and includes nothing hidden
//! from that seat.

use crate::harness::*;
use colloquium::export::Seen;
use colloquium::model::Reveal;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::session::{ReadProgress, Record};
use colloquium::voice::CallRequest;
use serde_json::json;

/// Returns two models with small windows that summarise long histories, themselves or through a clerk.
pub fn summed(by: Option<&str>, utterances: u32, window: u32) -> Opened {
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": utterances}});
    let model = |id: &str| Participant {
        voice: VoiceSpec::Model(ModelSpec {
            name: "x:tiny".into(),
            max_tokens: Some(60),
            ..ModelSpec::default()
        }),
        window: Some(window),
        context: Budget::Summary { by: by.map(SeatId::from) },
        ..seat(id)
    };
    let clerk = Participant { speaks: false, ..seat("clerk") };
    table(scenario, vec![model("a"), model("b"), clerk])
}

/// Returns voices with long speeches, and summaries from the test.
fn talkers(summary: impl Fn(&CallRequest) -> Play + Send + Sync + 'static) -> Stage {
    stage(move |ask| match ask.purpose {
        Purpose::Summarise => summary(ask),
        _ => {
            let n = ask.number.unwrap_or(0);
            let words: String = (0..24).map(|w| format!("w{n}x{w} ")).collect();
            Play::Words(format!("{} says {words}", ask.seat.id), 0)
        }
    })
}

fn reply(ask: &CallRequest) -> Play {
    Play::Words(format!("SUM of {}", ask.prompt.blocks.len()), 5)
}

fn asked(ran: &Ran, purpose: Purpose) -> Vec<&CallRequest> {
    ran.seen.iter().filter(|r| r.purpose == purpose).collect()
}

#[tokio::test]
async fn overflow_is_replaced_by_a_summary() {
    let ran = play(summed(Some("clerk"), 30, 780), talkers(reply), &[]).await;
    assert_eq!((ran.state.utterances, ran.reason()), (30, "utterance_limit"));
    let sums = asked(&ran, Purpose::Summarise);
    assert!(sums.len() > 2 && sums.iter().all(|r| r.seat.id == "clerk"), "{}", sums.len());
    assert!(sums[0].prompt.task.as_ref().unwrap().contains("Sum up what was said so far, for "));
    assert!(sums[0].prompt.blocks.iter().all(|b| matches!(b, Block::Other { .. })));
    let spoken = asked(&ran, Purpose::Speak);
    assert!(spoken.iter().all(|r| r.prompt.left_out == 0), "nothing is left out any more");
    let last = &spoken[29].prompt.blocks;
    assert!(matches!(&last[0], Block::Summary { text } if text.starts_with("SUM of")), "{last:?}");
    assert!(last.len() > 2 && last.len() < 20, "{}", last.len());
    let again = sums.iter().find(|r| matches!(r.prompt.blocks[0], Block::Summary { .. }));
    assert!(again.is_some(), "a summary is made of the last one and what came after it");
    println!("{} summaries for 30 turns in windows of 780 tokens", sums.len());
}

#[tokio::test]
async fn a_summary_that_cannot_be_had_is_not_asked_for_again_and_the_middle_goes() {
    let failing = talkers(|_| Play::Fail(1, ErrorClass::NotFound));
    let ran = play(summed(Some("clerk"), 14, 700), failing, &[]).await;
    assert_eq!(ran.state.utterances, 14);
    let spoken = asked(&ran, Purpose::Speak);
    assert!(spoken[13].prompt.left_out > 0);
    let gone = [json!({"do": "leave", "who": "clerk"})];
    let ran = play(summed(Some("clerk"), 14, 700), talkers(reply), &gone).await;
    assert!(asked(&ran, Purpose::Summarise).is_empty());
    assert_eq!(ran.state.utterances, 14);
}

#[tokio::test]
async fn summaries_contain_no_foreign_whispers_or_hidden_messages() {
    let whisper = json!({"after": {"utterance": 1}, "do": "whisper", "to": "a", "text": "SECRET"});
    let hide = json!({"after": {"utterance": 16}, "do": "hide", "utterance": 2});
    let copy = talkers(|ask| {
        let all: Vec<&str> = ask.prompt.blocks.iter().map(|b| &**b.text()).collect();
        let all = all.join(" ");
        let has = |word: &str| if all.contains(word) { word.to_owned() } else { String::new() };
        Play::Words(format!("SUM {} {}", has("SECRET"), has("b says")), 5)
    });
    let ran = play(summed(None, 24, 700), copy, &[whisper, hide]).await;
    let sees = |r: &&CallRequest| r.prompt.blocks.iter().any(|b| b.text().contains("SECRET"));
    let by = |id: &str| ran.seen.iter().filter(|r| r.seat.id == id).filter(sees).count();
    assert!(by("a") > 0);
    assert_eq!(by("b"), 0);
    let hidden_at = ran
        .events
        .iter()
        .position(|e| matches!(&e.kind, Kind::CommandGiven(g) if g.line.command.name() == "hide"));
    let since = ran.events[hidden_at.unwrap()].seq;
    let fresh = ran.seen.iter().filter(|r| r.call.0 > since.0 && r.purpose == Purpose::Speak);
    let stale: Vec<_> = ran.state.summaries.iter().filter(|s| s.seq < since).collect();
    assert!(!stale.is_empty());
    for ask in fresh {
        let uses = |b: &Block| matches!(b, Block::Summary { text } if stale.iter().any(|s| s.text.as_ref() == Some(text) && s.seq < since));
        let renewed = ran.state.summaries.iter().any(|s| s.seq > since && s.seq.0 < ask.call.0);
        assert!(
            renewed || !ask.prompt.blocks.iter().any(uses),
            "a summary of what is hidden is no summary"
        );
    }
}

/// A recipient of a whisper reads a summary that may include it. An export without whispers leaves out that summary,
/// and no other.
#[tokio::test]
async fn summary_with_a_whisper_is_as_private_as_the_whisper() {
    let whisper =
        json!({"after": {"utterance": 1}, "do": "whisper", "to": "a", "text": "SECRETWORD"});
    let tells = talkers(|ask| {
        let whispered = ask.prompt.blocks.iter().any(|b| format!("{b:?}").contains("SECRETWORD"));
        Play::Words(if whispered { "a knows SECRETWORD" } else { "OPEN summary" }.into(), 5)
    });
    let ran = play(summed(Some("clerk"), 30, 700), tells, &[whisper]).await;
    let log: String = ran.events.iter().map(|e| Record::new(e.clone()).unwrap().line).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.jsonl");
    std::fs::write(&path, log).unwrap();
    let lines = |reveal| -> String {
        let seen = Seen::read(&path, reveal, &ReadProgress::default()).unwrap();
        seen.records().map(|record| record.unwrap().line.clone()).collect()
    };
    let shown = lines(Reveal { whispers: true, hidden: false });
    let left = lines(Reveal::default());
    assert!(shown.matches("a knows SECRETWORD").count() > 1, "{shown}");
    assert!(!left.contains("SECRETWORD") && left.contains("OPEN summary"), "{left}");
}
