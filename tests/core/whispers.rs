//! Whispers between participants: shown to their recipients, and in nobody else's prompt.

use crate::harness::*;
use colloquium::model::*;
use colloquium::prompt;
use serde_json::json;

const SECRET: &str = "330 if you are quick";

fn whispering() -> Stage {
    stage(|ask| match (&*ask.seat.id.0, ask.number, ask.attempt) {
        ("a", Some(1), 1) => Play::Words("WHISPER Zed: a secret for nobody.".into(), 5),
        ("a", Some(1), _) => Play::Words(format!("I ask 350.\n\nWHISPER b: {SECRET}."), 5),
        ("b", Some(2), _) => Play::Words("**WHISPER to @a:** agreed.".into(), 5),
        _ => Play::Words(format!("Number {}.", ask.number.unwrap_or(0)), 5),
    })
}

fn models(to: &[&str]) -> payload::Opened {
    let mut table = round_robin(&["a", "b", "c"], 6);
    for seat in &mut table.participants {
        seat.voice = VoiceSpec::Model(ModelSpec { name: "x:tiny".into(), ..ModelSpec::default() });
        seat.reply.to = to.iter().map(|to| (*to).into()).collect();
    }
    table
}

#[tokio::test]
async fn private_words_are_in_nobody_elses_prompt() {
    for table in [models(&["all"]), {
        let mut table = round_robin(&["a", "b", "c"], 6);
        table.participants.iter_mut().for_each(|seat| seat.reply.to = vec!["all".into()]);
        table
    }] {
        let ran = play(table, whispering(), &[]).await;
        assert_eq!(ran.texts()[..3], ["I ask 350.", "", "Number 3."]);
        let whispers = &ran.state.entries[0].version().whispers;
        assert_eq!((&*whispers[0].to.0, &*whispers[0].text), ("b", "330 if you are quick."));
        for asked in &ran.seen {
            let shown = format!("{:?} {:?}", asked.prompt, asked.messages);
            let number = asked.number.unwrap();
            let knows = number > 1 && *asked.seat.id.0 != *"c";
            assert_eq!(shown.contains(SECRET), knows, "{} in {number}", asked.seat.id);
            assert_eq!(shown.contains("agreed"), knows && number > 2, "{}", asked.seat.id);
            // a whisper to an unknown name reaches nobody
            assert!(number == 1 || !shown.contains("a secret for nobody"), "{shown}");
            assert_eq!(prompt::digest(&asked.prompt).len(), 64);
        }
        let last = ran.seen.iter().rfind(|r| *r.seat.id.0 == *"b").unwrap();
        let told = last.prompt.blocks.iter().any(
            |block| matches!(block, Block::Other { whisper: true, text, .. } if text.contains(SECRET)),
        );
        assert!(told, "{:?}", last.prompt.blocks);
        let retried = ran.events.iter().find_map(|e| match &e.kind {
            Kind::CallRetried(retried) => Some(retried.error.text.to_string()),
            _ => None,
        });
        assert!(retried.unwrap().contains("cannot whisper to \"Zed\"; possible names: b, c"));
    }
}

#[tokio::test]
async fn unpermitted_whisper_is_public_and_hidden_turn_hides_whispers() {
    let ran = play(models(&[]), whispering(), &[]).await;
    assert!(ran.texts()[0].contains("WHISPER"), "it is but a word");
    let hide = json!({"after": {"utterance": 2}, "do": "hide", "utterance": 1});
    let ran = play(models(&["all"]), whispering(), &[hide]).await;
    let fourth = ran.seen.iter().rfind(|r| *r.seat.id.0 == *"b").unwrap();
    assert!(!format!("{:?}", fourth.prompt).contains(SECRET));
}

#[tokio::test]
async fn a_whisper_to_somebody_who_has_left_reaches_nobody() {
    let leave = json!({"after": {"utterance": 2}, "do": "leave", "who": "b"});
    let voices = || {
        stage(|ask| match (&*ask.seat.id.0, ask.number) {
            ("a", Some(3 | 4)) => Play::Words(format!("I ask 350.\n\nWHISPER b: {SECRET}."), 5),
            _ => Play::Words(format!("Number {}.", ask.number.unwrap_or(0)), 5),
        })
    };
    // once to the only hearer, once to one of several
    for to in ["b", "all"] {
        let ran = play(models(&[to]), voices(), std::slice::from_ref(&leave)).await;
        let whispers: Vec<_> =
            ran.state.entries.iter().flat_map(|entry| entry.version().whispers.iter()).collect();
        assert!(whispers.len() == 1 && whispers[0].left, "{whispers:?}");
        assert!(ran.texts().iter().all(|text| !text.contains(SECRET)), "{:?}", ran.texts());
        let heard = ran.seen.iter().filter(|ask| *ask.seat.id.0 != *"a");
        for ask in heard {
            assert!(!format!("{:?}", ask.prompt).contains(SECRET), "{}", ask.seat.id);
        }
    }
}

#[tokio::test]
async fn public_commands_with_a_text_for_one_are_refused() {
    let after = json!({"utterance": 2});
    let lines = [
        json!({"after": after, "do": "say", "text": "@@b CANARY"}),
        json!({"after": after, "do": "cut_in", "text": "/whisper b CANARY"}),
        json!({"after": after, "do": "speak_as", "who": "a", "text": "Yes.\nWHISPER b: CANARY"}),
        json!({"after": after, "do": "speak_as", "who": "a", "text": "@@b CANARY"}),
        json!({"after": after, "do": "edit", "utterance": 1, "text": "WHISPER b: CANARY"}),
        json!({"after": after, "do": "note", "text": "@@b CANARY"}),
        json!({"after": after, "do": "whisper", "to": "a", "text": "@@b CANARY"}),
    ];
    let ran = play(models(&["all"]), plain(), &lines).await;
    let refused = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::CommandRefused(refused) => Some(refused.why.to_string()),
        _ => None,
    });
    let why: Vec<String> = refused.collect();
    assert_eq!(why.len(), lines.len(), "{why:?}");
    let [public @ .., whisper] = &why[..] else { panic!("{why:?}") };
    assert!(public.iter().all(|why| why.contains("use whisper with \"to\"")), "{why:?}");
    assert!(whisper.starts_with("a whisper is for one"), "{whisper}");
    assert!(ran.seen.iter().all(|ask| !format!("{:?}", ask.prompt).contains("CANARY")));
}

#[tokio::test]
async fn only_permitted_seats_get_whisper_instructions() {
    let mut table = models(&["b"]);
    table.participants[1].reply.to.clear();
    let ran = play(table, whispering(), &[]).await;
    let told = |id: &str| {
        let asked = ran.seen.iter().find(|r| *r.seat.id.0 == *id).unwrap();
        asked.messages[0].text.contains("that begins \"WHISPER b:\"")
    };
    assert_eq!(["a", "b", "c"].map(told), [true, false, true]);
}

/// A rehearsed reply is public, so a whisper is not among the words that it usually quotes.
#[tokio::test]
async fn a_rehearsed_line_does_not_quote_a_whisper_by_accident() {
    let steer = [
        json!({"after": {"utterance": 1}, "do": "whisper", "to": "b", "text": "psst"}),
        json!({"after": {"utterance": 1}, "do": "say", "text": "Aloud."}),
    ];
    let ran = play(round_robin(&["a", "b", "c"], 3), plain(), &steer).await;
    let asked = ran.seen.iter().find(|ask| *ask.seat.id == *"b").unwrap();
    let operator = &asked.facts["operator"];
    assert_eq!((&operator["said"], &operator["whispered"]), (&json!("Aloud."), &json!("psst")));
    assert_eq!(operator["whisper"], true);
}
