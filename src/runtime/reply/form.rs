//! Parses a reply in the form that was asked for, into data or a description of the fault.
//!
//! Models wrap their answers in fences, in prose, in emphasis, or behind "I choose". All of that is stripped; a reply
//! that then still does not match the form is not guessed at. An answer counts only if a reply begins or ends with it,
//! never inside a sentence: "no doubt" is not "no".

use super::answer;
use super::closing::{ClosingFilter, ClosingParts};
use super::json::{JsonPlace, found, objects};
use super::letters::Letters;
use super::mention::without_earlier;
use super::names::{NameChoice, reason};
use super::number::{spelled, whole_number};
use super::plan;
use super::read::{ReadBy, ReadReply, Unclear, WantedReply};
use super::schema::{fitting, said_in};
use super::step::{self, Siblings};
use super::vote::{self, VoteReader};
use super::words::words;
use crate::model::contract::{BID_MAX, DECIDING_MAX, Form, SCORE_MAX, TIE};
use crate::model::{AnswerKind, Text};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The marker that passes the turn, in lower case and without its brackets.
const PASS: &str = "pass";
/// Words of points right behind a number.
const POINTS: [char; 2] = ['分', '点'];
/// Maximum number of bytes between a bid and its scale.
const SCALE_MAX: usize = 8;

/// Reads a reply: the only entry from its words to their meaning. `data` is structured data that its voice already
/// returned.
///
/// # Errors
/// If the reply is unclear or does not match its form, with the question for the second try.
pub fn read(wanted: &WantedReply<'_>, said: &str, data: &Value) -> Result<ReadReply, Unclear> {
    if let Some(answers) = wanted.presents {
        return vote::presented(answers, said);
    }
    let read = match wanted.form {
        Form::Free => free(said, data),
        Form::Markers(markers) => marked(markers, said, data),
        Form::Choice(options) => choice(options, wanted, said, data)?,
        Form::Ballot { options, .. } => ballot(options, wanted, said, data)?,
        Form::Schema(schema) => fitting(schema, wanted, said, data)?,
        Form::Bid => ReadReply::data(bid(said, data)?),
        Form::Bids(seats) => ReadReply::data(bids(seats, wanted.also, said, data)?),
        Form::Judgement { sides, .. } => ReadReply::data(judgement(sides, wanted, said, data)?),
        Form::Answer { of, confidence, pattern: Some(pattern), .. } => {
            ReadReply::data(answer::by_pattern(*of, *confidence, pattern, said))
        }
        Form::Answer { of, confidence, object, pattern: None, last } => {
            let read = answer_of(*of, *confidence, *object, said, data);
            let is_unread = *last && read.structured.get("answer").is_none_or(Value::is_null);
            if is_unread { answer::last_number(*confidence, said) } else { read }
        }
        Form::Ranking { most, among } => ReadReply::data(answer::ranking(*most, among, said)?),
        Form::Proposal { among, names, answers } => {
            let (names, voter, before) = (Some(names), wanted.seat, wanted.before);
            let reader = VoteReader { among, names, answers: *answers, voter, before };
            vote::proposal(&reader, said, data)?
        }
        Form::Scores(of) => ReadReply::data(answer::scores(of, said)),
        Form::Plan { begun, over, most } => plan::plan(begun, over, *most, said, data)?,
        Form::Message { planner, given, siblings, away } => {
            let siblings = Siblings { seats: siblings, away, names: wanted.also };
            step::message(*planner, *given, siblings, said, data)?
        }
    };
    Ok(said_in(read, wanted.says))
}

/// Reads text with an optional object below, above or around it; the text stays.
fn free(said: &str, data: &Value) -> ReadReply {
    if !data.is_null() {
        return ReadReply::data(data.clone());
    }
    let found = found(said, JsonPlace::Line);
    let alone = said.trim().starts_with(['{', '`']);
    let by = match (found.loose, alone) {
        (true, _) => ReadBy::LooseJson,
        (false, true) => ReadBy::Plain,
        (false, false) => ReadBy::Json,
    };
    match found.values.into_iter().find(Value::is_object) {
        Some(object) => ReadReply { by, ..ReadReply::data(object) },
        None => ReadReply::default(),
    }
}

/// Parses an answer; a JSON object with an answer is rewritten as a text that ends with it.
fn answer_of(
    of: AnswerKind,
    confidence: bool,
    object: bool,
    said: &str,
    data: &Value,
) -> ReadReply {
    if data.get("answer").is_some() {
        return ReadReply::data(data.clone());
    }
    let stated =
        || objects(said, data, JsonPlace::Anywhere).into_iter().find(|o| o.get("answer").is_some());
    let found = if object { stated() } else { None };
    let Some(found) = &found else {
        return ReadReply::data(answer::answer(of, confidence, said));
    };
    let told = match &found["answer"] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let sure = answer::confidence(&found["confidence"]);
    let read = answer::data_of(answer::normalised(of, &told), confidence.then_some(sure));
    let mut text = format!("{}\nANSWER: {told}", why(found)).trim().to_owned();
    if confidence {
        text.extend(sure.map(|sure| format!("\nCONFIDENCE: {:.0}%", sure * 100.0)));
    }
    ReadReply { text: Some(text), ..ReadReply::data(read) }
}

/// Removes markers from both ends of lines.
fn marked(markers: &[Text], said: &str, data: &Value) -> ReadReply {
    let parts = ClosingParts { markers: markers.to_vec(), ..ClosingParts::default() };
    let mut filter = ClosingFilter::new(parts);
    let text = filter.push(said) + &filter.finish();
    let text = text.trim();
    if filter.taken.is_empty() {
        return ReadReply::data(data.clone());
    }
    let mut found = filter.taken;
    let mut seen = BTreeSet::new();
    found.retain(|marker| seen.insert(marker.clone()));
    let bare = |m: &str| m.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let passes = text.is_empty() && found.iter().any(|m| bare(m) == PASS);
    // a reply that consists only of markers is a normal turn, and some APIs reject empty messages
    let text = if text.is_empty() && !passes { said.trim() } else { text };
    let text = Some(text.to_owned());
    ReadReply { text, passes, ..ReadReply::data(json!({ "markers": found })) }
}

fn choice(
    options: &[Text],
    wanted: &WantedReply<'_>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let names = NameChoice::new(options, wanted.also, wanted.person);
    let Some(chosen) = names.find(said, data) else {
        let why = format!("expected one of: {}", options.join(", "));
        return Err(Unclear { why, ask: Some(one_alone(options, wanted.also)), field: None });
    };
    let reason = match &chosen.object {
        Some(object) => why(object),
        None => reason(&names, said),
    };
    let read = ReadReply::data(json!({ "choice": chosen.name, "why": reason }));
    Ok(ReadReply { by: chosen.by, ..read })
}

/// Returns the question for one of some options.
fn one_alone(options: &[Text], also: &[(Text, Text)]) -> String {
    let is_name = |option: &Text| also.iter().any(|(_, known)| known == option);
    let word = if options.iter().all(is_name) { "name" } else { "of these" };
    let list = match options {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => options.join(", "),
    };
    format!("Write one {word} alone: {list}.")
}

/// Parses a choice and the other readable parts of a ballot; an unreadable part is left out and does not count.
fn ballot(
    options: &[Text],
    wanted: &WantedReply<'_>,
    said: &str,
    data: &Value,
) -> Result<ReadReply, Unclear> {
    let chosen = choice(options, wanted, said, data)?;
    let mut read = chosen.structured.as_object().cloned().unwrap_or_default();
    let answers = NameChoice::new(options, wanted.also, wanted.person);
    let objects = objects(said, data, JsonPlace::Anywhere);
    let found = |key: &str| objects.iter().map(|o| &o[key]).find(|v| !v.is_null());
    if let Some(sure) = found("confidence").and_then(answer::confidence) {
        read.insert("confidence".into(), json!(sure));
    }
    let mut ranking: Vec<&Text> = Vec::new();
    for name in found("ranking").and_then(Value::as_array).into_iter().flatten() {
        let named = name.as_str().and_then(|name| answers.exactly(name));
        ranking.extend(named.filter(|option| !ranking.contains(option)));
    }
    if ranking.len() == options.len() {
        read.insert("ranking".into(), json!(ranking));
    }
    let scores = scored(&answers, found("scores").unwrap_or(&Value::Null));
    if !scores.is_empty() {
        read.insert("scores".into(), scores.into());
    }
    Ok(ReadReply { structured: read.into(), ..chosen })
}

/// Returns the values of an object under the names of options, without those that cannot be read.
fn by_option<T: Into<Value>>(
    answers: &NameChoice<'_>,
    object: &Value,
    read: impl Fn(&Value) -> Option<T>,
) -> Map<String, Value> {
    let entries = object.as_object().into_iter().flatten();
    let entry = |(key, value): (&String, &Value)| {
        Some((answers.exactly(key)?.to_string(), read(value)?.into()))
    };
    entries.filter_map(entry).collect()
}

/// Returns the scores of options.
fn scored(answers: &NameChoice<'_>, object: &Value) -> Map<String, Value> {
    by_option(answers, object, |score| {
        score.as_f64().filter(|score| (0.0..=SCORE_MAX).contains(score))
    })
}

fn why(object: &Value) -> String {
    ["why", "reason"].iter().find_map(|k| object[*k].as_str()).unwrap_or_default().trim().to_owned()
}

/// Returns a number, also from a text.
fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

/// Returns the end of the scale that follows a bid, as in "8/10" or "8 out of 10".
fn scale(rest: &str) -> Option<usize> {
    let rest = rest.get(..rest.floor_char_boundary(2 * SCALE_MAX))?;
    let digits = rest.find("10").map(|at| (at, at + "10".len()));
    let letters = Letters::new(rest);
    let tens = || (0..letters.len()).find_map(|at| Some((at, spelled(&letters, at)?)));
    let ten = || {
        let (at, (of, end)) = tens()?;
        (of == 10).then(|| (letters.byte(at), letters.byte(end)))
    };
    digits.or_else(ten).filter(|(at, _)| *at <= SCALE_MAX).map(|(_, end)| end)
}

fn bid(said: &str, data: &Value) -> Result<Value, Unclear> {
    let object = objects(said, data, JsonPlace::Anywhere)
        .into_iter()
        .find_map(|o| Some((number(o.get("bid")?)?, why(&o))));
    let plain = || {
        let line = said.lines().find(|line| !line.trim().is_empty())?;
        let line = without_earlier(line, |part| part.contains(|c: char| c.is_ascii_digit()));
        let letters = Letters::new(&line);
        let is_digit = |at: usize| letters.char(at).is_some_and(|c| c.is_ascii_digit());
        let first = letters.skip(0, |c| !c.is_alphanumeric());
        let in_words = |at: usize| {
            let (value, end) = spelled(&letters, at)?;
            let rest = line.get(letters.byte(end)..)?;
            let is_alone =
                letters.char(letters.skip(end, |c| c == ' ')).is_none_or(|c| !c.is_alphanumeric());
            let counts = is_alone || rest.starts_with(POINTS) || scale(rest).is_some();
            counts.then_some((f64::from(value), at, end))
        };
        let in_digits = |at: usize| {
            let point = |at| matches!(letters.char(at), Some('.' | ',')) && is_digit(at + 1);
            let end = (at..=letters.len()).find(|at| !is_digit(*at) && !point(*at))?;
            let digits = line.get(letters.byte(at)..letters.byte(end))?;
            Some((digits.replace(',', ".").parse().ok()?, at, end))
        };
        let spoken = || {
            let mut behind = (0..letters.len()).filter(|at| letters.is_behind(*at, &words().bid));
            in_words(first).or_else(|| behind.find_map(in_words))
        };
        let written = || {
            let mut all = (0..letters.len()).filter(|at| is_digit(*at));
            let named = all.find(|at| letters.follows(*at, &words().bid));
            in_digits(named.unwrap_or_else(|| letters.skip(0, |c| !c.is_ascii_digit())))
        };
        let (value, at, end): (f64, usize, usize) = spoken().or_else(written)?;
        let rest = line.get(letters.byte(end)..).unwrap_or_default();
        let next = letters.skip(end, |c| !c.is_alphanumeric());
        // another number, as in "7 or 8"
        let other = letters.one_of(next, &words().or).map(|at| letters.skip(at, |c| c == ' '));
        // the scale, as in "8/10" or "8 out of 10"
        let scale = scale(rest).unwrap_or_default();
        let why = rest.get(scale..)?.trim_start_matches(|c: char| !c.is_alphanumeric());
        let next = letters.skip(end, |c| c == ' ');
        let word = letters.char(next).is_some_and(char::is_alphanumeric);
        let ends = letters.breaks(end) && (next == end || !word);
        let begins = first == at;
        let named = (0..at).any(|at| letters.one_of(at, &words().bid).is_some());
        // a bound, a range or a denial
        let bounds = [&words().bound, &words().negation];
        let vague = bounds.iter().any(|row| letters.is_behind(at, row))
            || other.is_some_and(is_digit)
            || rest.starts_with(['-', '–', '~']) && !rest.starts_with("- ")
            || at > 0 && letters.char(at - 1) == Some('-');
        (!vague && (ends || begins || scale > 0 || named)).then_some((value, why.to_owned()))
    };
    let (bid, why): (f64, String) = object
        .or_else(plain)
        .ok_or_else(|| format!("it contains no number from 0 to {BID_MAX}"))?;
    if !(0.0..=BID_MAX).contains(&bid) {
        return Err(format!("{bid} is not a number from 0 to {BID_MAX}").into());
    }
    Ok(json!({ "bid": bid, "why": why.lines().next().unwrap_or_default() }))
}

/// Parses the bids of several seats, under their ids or names; a bid that cannot be read is left out.
fn bids(
    seats: &[Text],
    names: &[(Text, Text)],
    said: &str,
    data: &Value,
) -> Result<Value, Unclear> {
    let names = NameChoice::new(seats, names, false);
    let bid = |value: &Value| {
        let bid = number(value.get("bid").unwrap_or(value))?;
        let read = json!({ "bid": bid, "why": why(value).lines().next().unwrap_or_default() });
        (0.0..=BID_MAX).contains(&bid).then_some(read)
    };
    let read = |object: &Value| {
        Some(by_option(&names, object, bid)).filter(|bids| !bids.is_empty()).map(Value::Object)
    };
    let found = objects(said, data, JsonPlace::Anywhere).iter().find_map(read);
    found.ok_or_else(|| format!("it contains no bid of {}", seats.join(", ")).into())
}

fn judgement(
    sides: &[Text],
    wanted: &WantedReply<'_>,
    said: &str,
    data: &Value,
) -> Result<Value, Unclear> {
    let mut options = sides.to_vec();
    options.push(TIE.into());
    let answers = NameChoice::new(&options, wanted.also, wanted.person);
    let judged = objects(said, data, JsonPlace::Anywhere).iter().find_map(|o| {
        let scores = scored(&answers, &o["scores"]);
        let named = o["winner"].as_str().and_then(|w| answers.exactly(w)).cloned();
        let winner = named.or_else(|| ahead(sides, &scores))?;
        let unanswered = by_option(&answers, &o["unanswered"], |point| {
            point.as_str().map(str::trim).filter(|point| !point.is_empty()).map(str::to_owned)
        });
        let decided_by = turn_numbers(&o["decided_by"]);
        let mut read = json!({
            "winner": winner, "scores": scores, "why": why(o),
            "unanswered": unanswered, "decided_by": decided_by,
        });
        let is_filled = |part: &Value| *part != json!({}) && *part != json!([]);
        read.as_object_mut()?.retain(|key, part| key == "scores" || is_filled(part));
        Some(read)
    });
    let plain = || {
        let winner = answers.find(said, data).filter(|winner| winner.object.is_none())?.name;
        Some(json!({ "winner": winner, "scores": {}, "why": reason(&answers, said) }))
    };
    judged
        .or_else(plain)
        .ok_or_else(|| format!("it names no winner among: {}", options.join(", ")).into())
}

/// Returns the numbers of turns in a list or in a single value, each once, such as `[5, "#6"]`.
fn turn_numbers(value: &Value) -> Vec<u32> {
    let given = value.as_array().map_or(std::slice::from_ref(value), |list| &list[..]);
    let mut numbers = vec![];
    for number in given.iter().filter_map(whole_number) {
        if !numbers.contains(&number) && numbers.len() < DECIDING_MAX {
            numbers.push(number);
        }
    }
    numbers
}

/// Returns the side with the highest score, or a tie; `None` unless all sides have a score.
fn ahead(sides: &[Text], scores: &Map<String, Value>) -> Option<Text> {
    let mut all: Vec<(f64, &Text)> =
        sides.iter().map(|s| Some((scores.get(&**s)?.as_f64()?, s))).collect::<Option<_>>()?;
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    match all[..] {
        [(best, _), (next, _), ..] if best == next => Some(TIE.into()),
        [(_, best), ..] => Some(best.clone()),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> Vec<Text> {
        all.iter().map(|t| (*t).into()).collect()
    }

    #[track_caller]
    fn check(form: &Form, said: &str, expected: Result<Value, &str>) {
        let also = [("Ada Lovelace".into(), "ada".into())];
        let wanted = WantedReply { also: &also, ..WantedReply::new(form) };
        let read = read(&wanted, said, &Value::Null).map(|f| f.structured);
        match (&read, expected) {
            (Ok(read), Ok(expected)) => assert_eq!(*read, expected, "{said}"),
            (Err(why), Err(part)) => assert!(why.to_string().contains(part), "{said}: {why}"),
            (read, expected) => panic!("{said}: {read:?}, not {expected:?}"),
        }
    }

    #[test]
    fn an_answer_counts_where_a_reply_begins_or_ends_with_it() {
        let form = Form::Choice(texts(&["yes", "no", "ada"]));
        for (said, answer) in [
            ("yes", "yes"),
            ("**Yes.**", "yes"),
            ("No, because it rains", "no"),
            ("I have thought about it.\nMy answer is: no", "no"),
            ("Vote: yes", "yes"),
            ("\"no\"", "no"),
            ("@ada", "ada"),
            ("I choose Ada Lovelace.", "ada"),
            ("```json\n{\"choice\": \"NO\", \"why\": \"rain\"}\n```", "no"),
            ("Here it is: {\"choice\": \"ada\"} as you asked", "ada"),
        ] {
            let also = [("Ada Lovelace".into(), "ada".into())];
            let wanted = WantedReply { also: &also, ..WantedReply::new(&form) };
            let read = read(&wanted, said, &Value::Null);
            assert_eq!(read.unwrap().structured["choice"], answer, "{said}");
        }
        for said in [
            "",
            "no doubt about it",
            "nobody",
            "yesterday",
            "There is yes and no",
            "yes\nno",
            "maybe",
            "{\"choice\": \"perhaps\"}\nyes",
            "Ada and the others",
        ] {
            check(&form, said, Err("expected one of: yes, no, ada"));
        }
        let why = json!({"choice": "no", "why": "it rains"});
        check(&form, "{\"choice\": \"no\", \"why\": \" it rains \"}", Ok(why.clone()));
        check(&form, "It rains\nno", Ok(json!({"choice": "no", "why": "It rains"})));
    }

    #[test]
    fn an_object_below_or_above_free_text_is_data() {
        let data = json!({"n": 7});
        for said in [
            "{\"n\": 7}",
            "```json\n{\"n\": 7}\n```",
            "```json\n{\"n\": 7}\n```\nSo seven.",
            "Seven: {\"n\": 7}",
        ] {
            check(&Form::Free, said, Ok(data.clone()));
        }
        for said in ["It says {\"n\": 7} there.", "> {\"n\": 7}", "[7]", "```"] {
            check(&Form::Free, said, Ok(Value::Null));
        }
    }

    #[test]
    fn json_is_found_in_fences_and_prose_and_held_against_its_schema() {
        let form = Form::Schema(json!({
            "type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "maximum": 9}},
        }));
        for said in [
            "{\"n\": 7}",
            "```json\n{\"n\": 7}\n```",
            "Sure! {\"n\": 7} Is that right?",
            "First {\"x\": [1]} then {\"n\": 7}",
            "```\n{\"n\": 7}",
        ] {
            check(&form, said, Ok(json!({"n": 7})));
        }
        check(&form, "{\"n\": 70}", Err("at /n: 70 is greater than the maximum of 9"));
        let field = |said: &str| {
            super::read(&WantedReply::new(&form), said, &Value::Null).unwrap_err().field
        };
        assert_eq!(field("{\"n\": 70}").as_deref(), Some("/n"));
        check(&form, "{\"n\": 7", Err("no complete JSON"));
        let names = json!({"properties": {"to": {"enum": ["ann", "bob", "cy", "dee"]}}});
        let all = "at /to: \"eve\" is not one of [\"ann\",\"bob\",\"cy\",\"dee\"]";
        check(&Form::Schema(names), "{\"to\": \"eve\"}", Err(all));
        check(&form, "seven", Err("no complete JSON"));
        let text =
            super::read(&WantedReply::new(&form), "well: {\"n\":7}", &Value::Null).unwrap().text;
        assert_eq!(text.as_deref(), Some("{\n  \"n\": 7\n}"));
        check(&Form::Schema(json!({"type": "number"})), " 12 ", Ok(json!(12)));
        let given = super::read(&WantedReply::new(&form), "in words", &json!({"n": 3})).unwrap();
        assert_eq!(given.structured, json!({"n": 3}));
    }

    #[test]
    fn object_answer_becomes_text_and_unreadable_answer_abstains() {
        let form = Form::Answer {
            of: AnswerKind::Number,
            confidence: true,
            object: true,
            pattern: None,
            last: false,
        };
        let read = |said: &str| super::read(&WantedReply::new(&form), said, &Value::Null).unwrap();
        let one = read(r#"{"why": "6 times 7", "answer": 42.0, "confidence": "85%"}"#);
        assert_eq!(one.text.as_deref(), Some("6 times 7\nANSWER: 42.0\nCONFIDENCE: 85%"));
        assert_eq!(one.structured, json!({"answer": "42", "confidence": 0.85}));
        check(&form, r#"{"answer": "many"}"#, Ok(json!({"answer": null, "confidence": null})));
        check(&form, r#"{"answer": nu"#, Ok(json!({"answer": null, "confidence": null})));
        let words = json!({"answer": "7", "confidence": null});
        check(&form, "Plain words do as well.\nANSWER: 7", Ok(words));
    }

    #[test]
    fn markers_count_at_the_ends_of_lines_and_are_taken_off() {
        let form = Form::Markers(texts(&["[PASS]", "[AGREE]"]));
        let read = |said: &str| super::read(&WantedReply::new(&form), said, &Value::Null).unwrap();
        assert!(read("[PASS]").passes);
        assert!(!read("I [PASS] on").passes && read("I [PASS] on").structured.is_null());
        let agreed = read("I see.\n[AGREE]\nSo be it. [PASS]");
        assert_eq!(agreed.text.as_deref(), Some("I see.\nSo be it."));
        assert_eq!(agreed.structured, json!({"markers": ["[AGREE]", "[PASS]"]}));
        assert!(!agreed.passes);
    }

    #[test]
    fn a_reply_of_markers_alone_keeps_them_as_its_words() {
        let form = Form::Markers(texts(&["DONE", "[PASS]"]));
        let read = |said: &str| super::read(&WantedReply::new(&form), said, &Value::Null).unwrap();
        let done = read("\nDONE\n");
        assert_eq!(done.text.as_deref(), Some("DONE"));
        assert_eq!(done.structured, json!({"markers": ["DONE"]}));
        assert!(!done.passes);
        assert_eq!(read("[PASS]").text.as_deref(), Some(""), "a turn that is let go has no words");
    }

    #[test]
    fn a_bid_is_a_number_in_its_range() {
        check(
            &Form::Bid,
            "{\"bid\": 7.5, \"why\": \"a\\nb\"}",
            Ok(json!({"bid": 7.5, "why": "a"})),
        );
        check(&Form::Bid, "8/10 - I know this", Ok(json!({"bid": 8.0, "why": "I know this"})));
        check(&Form::Bid, "Bid: 3", Ok(json!({"bid": 3.0, "why": ""})));
        check(&Form::Bid, "{\"bid\": 11}", Err("11 is not a number from 0 to 10"));
        check(&Form::Bid, "a lot", Err("no number"));
        check(&Form::Bid, "{\"bid\": -1}", Err("-1"));
    }

    #[test]
    fn a_judgement_names_a_winner_or_gives_scores() {
        let form = Form::Judgement { sides: texts(&["pro", "con"]), points: true };
        check(
            &form,
            "{\"winner\": \"Pro\", \"scores\": {\"pro\": 7, \"con\": 5, \"x\": 1}, \"why\": \"facts\"}",
            Ok(json!({"winner": "pro", "scores": {"pro": 7.0, "con": 5.0}, "why": "facts"})),
        );
        let scores = |said: &str| {
            super::read(&WantedReply::new(&form), said, &Value::Null).unwrap().structured["winner"]
                .clone()
        };
        assert_eq!(scores("{\"scores\": {\"pro\": 4, \"con\": 5}}"), "con");
        assert_eq!(scores("{\"scores\": {\"pro\": 5, \"con\": 5}}"), "tie");
        assert_eq!(scores("Winner: con\nIt had figures."), "con");
        check(&form, "Both were good.", Err("names no winner among: pro, con, tie"));
        check(&form, "{\"scores\": {\"pro\": 5}}", Err("names no winner"));
    }
}
