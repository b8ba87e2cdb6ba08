//! A reply at a table that looks for one answer: an answer, or a vote for one that is there.

use super::choices::Choices;
use super::data::objects;
use super::formed::Formed;
use crate::model::{SeatId, Text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a vote begins with.
const VOTE: &str = "VOTE";
/// What an answer may begin with.
const ANSWER: &str = "ANSWER";
/// What may stand around a marker.
const DRESS: &[char] = &['*', '_', '`', '#', '"', ' ', '\t'];
/// The type of a message that is an answer.
pub const ANSWERED: &str = "answer";
/// The type of a message that is a vote.
pub const VOTED: &str = "vote";

/// Reads a reply; `among` are the answers that can be voted for, by label, `names` say whose they are to those who watch,
/// and `answers` says whether another may be given.
///
/// # Errors
/// What is wrong with it, in words for whoever is to try again.
pub(super) fn proposal(
    among: &[(Text, SeatId)],
    names: &BTreeMap<SeatId, Text>,
    answers: bool,
    said: &str,
    data: &Value,
) -> Result<Formed, String> {
    let labels: Vec<Text> = among.iter().map(|(label, _)| label.clone()).collect();
    // a letter stands for the label that it ends; rehearsed voices know who is who, as long as no id is such a letter
    let letters = among.iter().map(|(label, _)| (letter(label).into(), label.clone()));
    let mut also: Vec<(Text, Text)> = letters.collect();
    let is_label = |id: &str| {
        let same =
            |label: &Text| label.eq_ignore_ascii_case(id) || letter(label).eq_ignore_ascii_case(id);
        labels.iter().any(same)
    };
    let ids = among.iter().filter(|(_, seat)| !is_label(seat));
    also.extend(ids.map(|(label, seat)| (seat.0.clone(), label.clone())));
    let choices = Choices { options: &labels, also: &also };
    let seat = |label: &Text| among.iter().find(|(known, _)| known == label).map(|(_, seat)| seat);
    let vote = |label: &Text, why: &str| {
        let seat = seat(label)?;
        let why = why.trim().trim_start_matches([':', '.', ',', '-', ')', '*']).trim();
        let name = names.get(seat).unwrap_or(&seat.0);
        let text = if why.is_empty() {
            format!("Votes for {name}.")
        } else {
            format!("Votes for {name}: {why}")
        };
        let structured = json!({"vote": seat, "why": why});
        Some(Formed { text: Some(text), structured, message: Some(VOTED.into()), passes: false })
    };
    let none = || match labels.is_empty() {
        true => "there is no answer to vote for yet; give one".to_owned(),
        false => format!("it votes for none of: {}", labels.join(", ")),
    };
    let bare = said.trim().starts_with(['{', '`']) || !data.is_null();
    let object = objects(said, data)
        .into_iter()
        .find(|o| bare && (o["vote"].is_string() || o["answer"].is_string()));
    if let Some(object) = &object
        && let Some(name) = object["vote"].as_str()
    {
        let why = object["why"].as_str().or(object["reason"].as_str()).unwrap_or_default();
        return choices.exactly(name).and_then(|label| vote(label, why)).ok_or_else(none);
    }
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if let Some(rest) = marked(first, VOTE) {
        let label = choices.begins(rest).ok_or_else(none)?;
        let behind = said.split_once(first).map_or("", |(_, behind)| behind);
        // what stands behind the label on its line is the beginning of the reason
        let by = seat(label).map_or("", |seat| &*seat.0);
        let spelled = [&**label, by, letter(label)];
        let lower = rest.to_lowercase();
        let begins = |s: &&&str| lower.trim_start_matches(DRESS).starts_with(&s.to_lowercase());
        let end = spelled.iter().filter(|s| !s.is_empty()).find(begins);
        let end = end.and_then(|s| Some(lower.find(&s.to_lowercase())? + s.len()));
        let rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
        let why = format!("{}\n{}", rest.trim_matches(DRESS), behind.trim());
        return vote(label, &why).ok_or_else(none);
    }
    if !answers {
        let why = || choices.why(said);
        return choices.of(said).and_then(|label| vote(label, &why())).ok_or_else(none);
    }
    let answer = match &object {
        Some(object) => object["answer"].as_str().unwrap_or_default().trim().to_owned(),
        None => match marked(first, ANSWER) {
            Some(rest) => {
                let behind = said.split_once(first).map_or("", |(_, behind)| behind);
                format!("{}{behind}", rest.trim_start_matches(['*', '_', ' '])).trim().to_owned()
            }
            None => said.trim().to_owned(),
        },
    };
    if answer.is_empty() {
        return Err("the answer is empty".into());
    }
    let structured = json!({"proposal": answer});
    Ok(Formed { text: Some(answer), structured, message: Some(ANSWERED.into()), passes: false })
}

/// Returns the letter that a label ends with, or its number.
fn letter(label: &str) -> &str {
    label.rsplit(' ').next().unwrap_or(label)
}

/// Returns what stands behind a marker that a line begins with.
fn marked<'a>(line: &'a str, marker: &str) -> Option<&'a str> {
    let line = line.trim_start_matches(DRESS).trim_start_matches('>');
    let line = line.trim_start_matches(DRESS);
    let head = line.get(..marker.len()).filter(|head| head.eq_ignore_ascii_case(marker))?;
    let rest = line[head.len()..].trim_start_matches(['*', '_', '`', ' ']);
    rest.strip_prefix([':', '='])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among() -> Vec<(Text, SeatId)> {
        vec![("Answer A".into(), "cy".into()), ("Answer B".into(), "bo".into())]
    }

    #[test]
    fn a_vote_is_a_line_of_its_own_and_everything_else_an_answer() {
        for (said, expected) in [
            ("VOTE: B\nIt has the figures.", json!({"vote": "bo", "why": "It has the figures."})),
            ("**Vote:** Answer A. It is short.", json!({"vote": "cy", "why": "It is short."})),
            ("{\"vote\": \"Answer B\", \"why\": \"x\"}", json!({"vote": "bo", "why": "x"})),
            ("{\"vote\": \"cy\"}", json!({"vote": "cy", "why": ""})),
            (
                "\nANSWER: Take the bus.\nIt is there.",
                json!({"proposal": "Take the bus.\nIt is there."}),
            ),
            ("{\"answer\": \"Walk.\"}", json!({"proposal": "Walk."})),
            (
                "I would vote: B is fine, but walk.",
                json!({"proposal": "I would vote: B is fine, but walk."}),
            ),
            ("We should put it to the vote.", json!({"proposal": "We should put it to the vote."})),
        ] {
            let read = proposal(&among(), &BTreeMap::new(), true, said, &Value::Null)
                .map(|f| f.structured);
            assert_eq!(read, Ok(expected), "{said}");
        }
        for said in ["VOTE: D", "VOTE:", "ANSWER:", "{\"vote\": \"zoe\"}"] {
            assert!(
                proposal(&among(), &BTreeMap::new(), true, said, &Value::Null).is_err(),
                "{said}"
            );
        }
    }

    #[test]
    fn where_only_votes_count_nothing_unclear_is_one() {
        for (said, whose) in [
            ("B", Some("bo")),
            ("I vote for Answer A, because.", Some("cy")),
            ("Both are good.", None),
            ("", None),
        ] {
            let read = proposal(&among(), &BTreeMap::new(), false, said, &Value::Null).ok();
            let read = read.map(|f| f.structured["vote"].as_str().unwrap_or_default().to_owned());
            assert_eq!(read.as_deref(), whose, "{said}");
        }
        let early = proposal(&[], &BTreeMap::new(), true, "VOTE: A", &Value::Null).unwrap_err();
        assert!(early.contains("no answer to vote for yet"), "{early}");
    }

    #[test]
    fn an_id_that_is_a_letter_is_never_taken_for_a_label() {
        let among = vec![("Answer A".into(), "b".into()), ("Answer B".into(), "a".into())];
        let names = BTreeMap::from([("a".into(), "Ann".into()), ("b".into(), "Bea".into())]);
        for (said, whose, text) in [
            ("VOTE: B\nIt is short.", "a", "Votes for Ann: It is short."),
            ("VOTE: Answer A", "b", "Votes for Bea."),
            ("{\"vote\": \"a\"}", "b", "Votes for Bea."),
        ] {
            let read = proposal(&among, &names, true, said, &Value::Null).unwrap();
            assert_eq!(
                (read.structured["vote"].as_str(), read.text.as_deref()),
                (Some(whose), Some(text))
            );
        }
    }
}
