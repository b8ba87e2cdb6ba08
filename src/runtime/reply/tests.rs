//! Reads the corpus of replies in `tests/corpus/replies` and counts the replies that are read as meant.

use super::*;
use crate::model::contract::Form;
use crate::model::{AnswerKind, Channel, Participant, SeatId, Text, VoiceSpec};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use unicode_segmentation::UnicodeSegmentation;

/// Label of the lines of data in the corpus.
const LABEL: Option<&str> = Some("STANCE:");
/// The files of the corpus, with the number of replies that must be read as meant.
const FILES: [(&str, usize); 12] = [
    ("votes", 1443),
    ("bids", 88),
    ("choices", 574),
    ("labels", 309),
    ("data", 138),
    ("answers", 488),
    ("lines", 52),
    ("own_words", 48),
    ("reasoning", 29),
    ("end_tokens", 18),
    ("each", 91),
    ("host", 274),
];

/// One line of the corpus.
struct Case {
    kind: String,
    allowed: Vec<Text>,
    /// Label of the voter's own answer.
    own: Text,
    reply: String,
    expect: Value,
}

fn cases(file: &str) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/replies");
    let text = std::fs::read_to_string(folder.join(format!("{file}.jsonl"))).unwrap();
    text.lines().map(case).collect()
}

fn case(line: &str) -> Case {
    let value: Value = serde_json::from_str(line).unwrap();
    let allowed = match &value["allowed"] {
        Value::Array(all) => all.iter().map(|t| t.as_str().unwrap().into()).collect(),
        other => vec![other.as_str().unwrap().into()],
    };
    Case {
        kind: value["kind"].as_str().unwrap().to_owned(),
        allowed,
        own: value["own"].as_str().unwrap_or("Answer C").into(),
        reply: value["reply"].as_str().unwrap().to_owned(),
        expect: value["expect"].clone(),
    }
}

/// Earlier answer of the voters in the corpus.
const BEFORE: &str = "Build a new terminal for the ferry on the north side, where the water is deep in winter. Two boats \
                      run every half hour, a third one waits for repairs, and the port pays for the crew out of its \
                      fees until the bridge is planned and paid.";

/// Reads a reply in a form; `None` if it is unclear.
fn read_in(form: &Form, also: &[(Text, Text)], reply: &str) -> Option<ReadReply> {
    read_of(&"x3".into(), form, also, reply)
}

fn read_of(seat: &SeatId, form: &Form, also: &[(Text, Text)], reply: &str) -> Option<ReadReply> {
    let wanted =
        WantedReply { also, seat: Some(seat), before: Some(BEFORE), ..WantedReply::new(form) };
    read(&wanted, reply, &Value::Null).ok()
}

/// Returns the reading of a case in the form of its `expect`.
fn reading(case: &Case) -> Value {
    match case.kind.as_str() {
        "vote" => vote(case),
        "choice" | "poll" => {
            let form = Form::Choice(case.allowed.clone());
            // people vote in polls
            let wanted = WantedReply { person: case.kind == "poll", ..WantedReply::new(&form) };
            match read(&wanted, &case.reply, &Value::Null) {
                Ok(read) => json!({"choice": read.structured["choice"]}),
                Err(_) => json!({"ask": true}),
            }
        }
        "label" => {
            let siblings = vec!["executor-2".into()];
            let form = Form::Message { planner: false, given: true, siblings, away: vec![] };
            let read = read_in(&form, &[], &case.reply);
            read.map_or(json!({"ask": true}), |read| read.structured)
        }
        "data" => match read_in(&Form::Free, &[], &case.reply).map(|read| read.structured) {
            None | Some(Value::Null) => json!({"text": true}),
            Some(data) => json!({"data": data}),
        },
        "bid" => match read_in(&Form::Bid, &[], &case.reply) {
            Some(read) => json!({"bid": read.structured["bid"]}),
            None => json!({"ask": true}),
        },
        "answer" => {
            let letter = &*case.allowed[0] == "letter";
            let of = if letter { AnswerKind::Letter } else { AnswerKind::Number };
            let form =
                Form::Answer { of, confidence: false, object: false, pattern: None, last: false };
            let read = read_in(&form, &[], &case.reply).unwrap();
            json!({"answer": read.structured["answer"]})
        }
        "line" => {
            let speech = Speech::new(&case.reply, true, LABEL);
            json!({"line": speech.line, "text": speech.text})
        }
        "each" => json!({"each": asks_each(&case.reply)}),
        "host" => {
            let seats = table_of(case);
            let roster: Vec<&Participant> = seats.iter().collect();
            json!({"wish": is_wish(&case.reply, &roster), "errand": is_errand(&case.reply, &roster)})
        }
        "to" => {
            let seats = table_of(case);
            let roster: Vec<&Participant> = seats.iter().collect();
            let me = "me".into();
            let by = (&*case.own != "host").then_some(&me);
            let to: Vec<SeatId> =
                questions(&case.reply, by, &roster).into_iter().map(|q| q.to).collect();
            json!({"to": to, "floor": asked_at_end(&case.reply, by, &roster)})
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
    let among: Vec<(Text, SeatId)> = (1..)
        .zip(&case.allowed)
        .map(|(n, label)| (label.clone(), SeatId(format!("x{n}").into())))
        .collect();
    let own = among.iter().find(|(label, _)| *label == case.own);
    let seat = own.map_or("x3".into(), |(_, seat)| seat.clone());
    let form = Form::Proposal { among: among.clone(), names: BTreeMap::new(), answers: true };
    let Some(read) = read_of(&seat, &form, &[], &case.reply) else { return json!({"ask": true}) };
    match read.structured["vote"].as_str() {
        Some(seat) => {
            let label = among.iter().find(|(_, s)| *s.0 == *seat).unwrap();
            json!({"vote": label.0})
        }
        None => json!({"answer": true}),
    }
}

/// Returns a table of the participants whose names are allowed.
fn table_of(case: &Case) -> Vec<Participant> {
    case.allowed.iter().map(|name| Participant::new(&**name, VoiceSpec::Script(vec![]))).collect()
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
    let Speech { text, think, .. } = Speech::new(&case.reply, true, None);
    let think = (!think.is_empty()).then(|| think.into());
    RepairedReply { think, ..repair(&text, &"s1".into(), &roster) }
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
fn every_spelling_of_the_tables_is_in_the_corpus() {
    let replies: Vec<String> =
        FILES.iter().flat_map(|(file, _)| cases(file)).map(|case| case.reply).collect();
    let replies: Vec<letters::Letters> =
        replies.iter().map(|reply| letters::Letters::new(reply)).collect();
    let tables: toml::Table = toml::from_str(include_str!("words.toml")).unwrap();
    let mut unused = vec![];
    for (row, languages) in &tables {
        let languages = languages.as_table().unwrap().iter();
        for spelling in languages.flat_map(|(_, all)| all.as_array().unwrap()) {
            let spelling = spelling.as_str().unwrap();
            let wanted = [letters::word(spelling)];
            if !replies.iter().any(|reply| reply.find(&wanted).is_some()) {
                unused.push(format!("{row}: {spelling}"));
            }
        }
    }
    assert_eq!(unused, Vec::<String>::new());
}

proptest! {
    /// A second reply replaces an answer only with the label or with at least half its words.
    #[test]
    fn a_second_reply_never_undoes_an_answer(second in "[ -~\\n。？：答案]{0,120}") {
        let among = vec![("Answer A".into(), "x1".into()), ("Answer B".into(), "x3".into())];
        let form = Form::Proposal { among, names: BTreeMap::new(), answers: true };
        if let Some(read) = read_in(&form, &[], &second)
            && read.structured["proposal"].is_string()
        {
            let label = second.to_lowercase().contains("answer") || second.contains("答案");
            let words = second.unicode_words().count() * 2 >= BEFORE.unicode_words().count();
            prop_assert!(label || words, "{second:?}");
        }
    }
}

/// The forms of replies, each with what a form of its kind needs.
fn forms() -> Vec<Form> {
    let among: Vec<(Text, SeatId)> =
        vec![("Answer A".into(), "x1".into()), ("Answer B".into(), "x3".into())];
    let seats = vec!["anna".into(), "bo".into()];
    vec![
        Form::Free,
        Form::Markers(vec!["DEAL".into()]),
        Form::Choice(seats.clone()),
        Form::Schema(json!({"type": "object", "properties": {"n": {"type": "integer"}}})),
        Form::Bid,
        Form::Bids(seats.clone()),
        Form::Judgement { sides: seats.clone(), points: true },
        Form::Answer {
            of: AnswerKind::Number,
            confidence: true,
            object: true,
            pattern: None,
            last: false,
        },
        Form::Ranking { most: None, among: among.clone() },
        Form::Proposal { among, names: BTreeMap::new(), answers: true },
        Form::Scores(seats.clone()),
        Form::Plan { begun: vec![], over: vec![], most: 9 },
        Form::Message {
            planner: false,
            given: false,
            siblings: vec!["bo".into()],
            away: vec!["cy".into()],
        },
    ]
}

proptest! {
    /// Signs of JSON, labels, TeX, quotations and tags in any order are read in every form, whole and streamed.
    #[test]
    fn any_reply_is_read(reply in r#"([{}\[\]",:'“”<>|/\\`#*>. \n]|VOTE|ANSWER|Answer A|TASK COMPLETE|boxed|think|\PC){0,60}"#) {
        let speech = Speech::new(&reply, true, LABEL);
        for form in forms() {
            let _ = read_in(&form, &[], &reply);
            let _ = read_in(&corrected_form(form, Some(&reply)), &[], &speech.text);
        }
        let _ = mentions(&reply, None, &[]);
        let _ = questions(&reply, None, &[]);
    }
}

#[test]
fn pieces_of_a_stream_do_not_change_its_reading() {
    let files = FILES.iter().flat_map(|(file, _)| cases(file));
    for case in files {
        let whole = Speech::new(&case.reply, true, LABEL);
        for (at, _) in case.reply.char_indices() {
            let mut stream =
                ReplyStream::new(true, ClosingParts { line: LABEL, ..ClosingParts::default() });
            let mut parts = stream.push(&case.reply[..at]);
            parts.extend(stream.push(&case.reply[at..]));
            let end = stream.finish(true);
            parts.extend(end.parts);
            let said = parts.iter().filter(|(channel, _)| *channel == Channel::Say);
            let said: String = said.map(|(_, text)| &**text).collect();
            // a text before a closing mark without its opening is known as reasoning only at the end
            let read = Speech::new(&said, true, LABEL);
            assert_eq!(read.text.trim_end(), whole.text.trim_end(), "{:?} at {at}", case.reply);
            assert_eq!(end.line.or(read.line), whole.line, "{:?} at {at}", case.reply);
        }
    }
}
