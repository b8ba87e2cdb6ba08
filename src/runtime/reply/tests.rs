//! Reads the corpus of replies in `tests/corpus/replies` and counts the replies that are read as meant.

use super::*;
use crate::model::contract::Form;
use crate::model::{AnswerKind, Channel, Participant, SeatId, Text, VoiceSpec};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// The files of the corpus, with the number of replies that must be read as meant.
const FILES: [(&str, usize); 9] = [
    ("votes", 19),
    ("choices", 39),
    ("labels", 39),
    ("data", 23),
    ("answers", 29),
    ("lines", 12),
    ("own_words", 27),
    ("reasoning", 10),
    ("end_tokens", 5),
];

/// One line of the corpus.
struct Case {
    kind: String,
    allowed: Vec<Text>,
    reply: String,
    expect: Value,
}

fn cases(file: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/replies");
    let text = std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).unwrap();
    let case = |line: &str| {
        let value: Value = serde_json::from_str(line).unwrap();
        let allowed = match &value["allowed"] {
            Value::Array(all) => all.iter().map(|t| t.as_str().unwrap().into()).collect(),
            other => vec![other.as_str().unwrap().into()],
        };
        Case {
            kind: value["kind"].as_str().unwrap().to_owned(),
            allowed,
            reply: value["reply"].as_str().unwrap().to_owned(),
            expect: value["expect"].clone(),
        }
    };
    text.lines().map(case).collect()
}

/// Returns the reading of a case in the form of its `expect`.
fn reading(case: &Case) -> Value {
    match case.kind.as_str() {
        "vote" => vote(case),
        "choice" => {
            match formed(&Form::Choice(case.allowed.clone()), &[], &case.reply, &Value::Null) {
                Ok(read) => json!({"choice": read.structured["choice"]}),
                Err(_) => json!({"ask": true}),
            }
        }
        "label" => label(case),
        "data" => match formed(&Form::Free, &[], &case.reply, &Value::Null).unwrap().structured {
            Value::Null => json!({"text": true}),
            data => json!({"data": data}),
        },
        "answer" => {
            let of =
                if &*case.allowed[0] == "letter" { AnswerKind::Letter } else { AnswerKind::Number };
            let form = Form::Answer { of, confidence: false, object: false, pattern: None };
            json!({"answer": formed(&form, &[], &case.reply, &Value::Null).unwrap().structured["answer"]})
        }
        "line" => {
            let apart = stance_apart(&case.reply);
            json!({"line": apart.line, "text": apart.text})
        }
        "own" | "end" => json!({"text": own(case).text}),
        "think" => {
            let own = own(case);
            json!({"text": own.text, "think": own.think.map(|t| t.trim().to_owned())})
        }
        other => panic!("no kind {other}"),
    }
}

fn vote(case: &Case) -> Value {
    let among: Vec<(Text, SeatId)> =
        case.allowed.iter().zip(["x1", "x2", "x3"]).map(|(l, s)| (l.clone(), s.into())).collect();
    let form = Form::Proposal { among: among.clone(), names: BTreeMap::new(), answers: true };
    match formed(&form, &[], &case.reply, &Value::Null) {
        Ok(read) => match read.structured["vote"].as_str() {
            Some(seat) => {
                let label = among.iter().find(|(_, s)| *s.0 == *seat).unwrap();
                json!({"vote": label.0})
            }
            None => json!({"answer": true}),
        },
        Err(_) => json!({"ask": true}),
    }
}

fn label(case: &Case) -> Value {
    let form = Form::Message { planner: false, given: true, siblings: vec!["executor-2".into()] };
    let also = [("executor-2".into(), "executor-2".into())];
    match formed(&form, &also, &case.reply, &Value::Null) {
        Ok(read) => read.structured,
        Err(_) => json!({"ask": true}),
    }
}

fn own(case: &Case) -> RepairedReply {
    let seats: Vec<Participant> = case
        .allowed
        .iter()
        .zip(["s1", "s2"])
        .map(|(name, id)| Participant {
            name: name.clone(),
            ..Participant::new(id, VoiceSpec::Script(vec![]))
        })
        .collect();
    let roster: Vec<&Participant> = seats.iter().collect();
    repair(&case.reply, &"s1".into(), &roster)
}

/// Returns whether every part of `expect` is in a reading.
fn is_meant(read: &Value, expect: &Value) -> bool {
    expect.as_object().unwrap().iter().all(|(key, value)| read[key] == *value)
}

#[test]
fn replies_of_the_corpus_are_read_as_meant() {
    let mut report = String::new();
    let mut unmet = vec![];
    for (file, least) in FILES {
        let all = cases(file);
        let mut meant = 0;
        let mut destroyed = 0;
        for case in &all {
            let read = reading(case);
            if is_meant(&read, &case.expect) {
                meant += 1;
            } else {
                report.push_str(&format!("{:?}: {} not {}\n", case.reply, read, case.expect));
            }
            destroyed += usize::from(
                read.get("answer") == Some(&json!(true)) && case.expect.get("answer").is_none(),
            );
        }
        report.push_str(&format!(
            "{file}: {meant} of {}, {destroyed} answers destroyed\n",
            all.len()
        ));
        if meant < least {
            unmet.push(file);
        }
    }
    assert!(unmet.is_empty(), "{unmet:?}\n{report}");
}

#[test]
fn pieces_of_a_stream_do_not_change_its_reading() {
    for case in cases("reasoning") {
        let whole = Splitter::whole(&case.reply);
        for (at, _) in case.reply.char_indices() {
            let mut splitter = Splitter::default();
            let (mut said, mut thought) = (String::new(), String::new());
            let first = splitter.push(&case.reply[..at]);
            let rest = splitter.push(&case.reply[at..]);
            for (channel, part) in first.into_iter().chain(rest).chain(splitter.finish()) {
                match channel {
                    Channel::Say => said.push_str(&part),
                    Channel::Think => thought.push_str(&part),
                }
            }
            assert_eq!((said, thought), whole, "{:?} at {at}", case.reply);
        }
    }
}
