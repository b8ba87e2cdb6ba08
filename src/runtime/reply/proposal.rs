//! A reply under `consensus`: an answer, or a vote for a known answer.

use super::choices::Choices;
use super::data::objects;
use super::formed::{FormFault, Formed};
use crate::model::{SeatId, Text};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Marker of a vote.
const VOTE: &str = "VOTE";
/// Phrases that begin a vote in a sentence.
const VOTES: [&str; 5] =
    ["i vote for", "i'll vote for", "i will vote for", "my vote is for", "my vote goes to"];
/// Words that begin a reason after the name of an answer in a sentence.
const BECAUSE: [&str; 3] = ["because", "since", "as it"];
/// Optional marker of an answer.
const ANSWER: &str = "ANSWER";
/// Characters stripped around a marker.
const DRESS: &[char] = &['*', '_', '`', '#', '"', ' ', '\t'];
/// Message type of an answer.
pub const ANSWERED: &str = "answer";
/// Message type of a vote.
pub const VOTED: &str = "vote";

/// Parses a reply; `among` are the answers that can be voted for, by label, `names` are the display names of their
/// authors, and `answers` is true if another answer may be given.
///
/// # Errors
/// If the reply is neither a valid answer nor a valid vote, with a text for the retry.
pub(super) fn proposal(
    among: &[(Text, SeatId)],
    names: &BTreeMap<SeatId, Text>,
    answers: bool,
    said: &str,
    data: &Value,
) -> Result<Formed, FormFault> {
    let labels: Vec<Text> = among.iter().map(|(label, _)| label.clone()).collect();
    // a letter is short for the label that it ends; rehearsed voices know the ids, as long as no id looks like such a
    // letter
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
    let none = || -> FormFault {
        if labels.is_empty() {
            "there is no answer to vote for yet; give one".into()
        } else {
            format!("it votes for none of: {}", labels.join(", ")).into()
        }
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
    let voted = |rest: &str| choices.begins(rest).or_else(|| choices.begins(before_reason(rest)));
    let line = match marked(first, VOTE) {
        Some(_) => Some(first),
        None if marked(first, ANSWER).is_some() => None,
        None => vote_line(said, |rest| voted(rest).is_some()),
    };
    if let Some((line, rest)) = line.and_then(|line| Some((line, vote_in(line)?))) {
        let label = voted(rest).ok_or_else(none)?;
        // text before the line is part of the reason
        let (before, behind) = said.split_once(line).unwrap_or_default();
        // text after the label on its line is the beginning of the reason
        let by = seat(label).map_or("", |seat| &*seat.0);
        let spelled = [&**label, by, letter(label)];
        let lower = rest.to_lowercase();
        let bare = lower.trim_start_matches(DRESS).trim_start_matches('[');
        let begins = |s: &&&str| bare.starts_with(&s.to_lowercase());
        let end = spelled.iter().filter(|s| !s.is_empty()).find(begins);
        let end = end.and_then(|s| Some(lower.find(&s.to_lowercase())? + s.len()));
        let rest = end.and_then(|end| rest.get(end..)).unwrap_or_default();
        let rest = rest.trim_matches(DRESS).trim_start_matches(']');
        let parts = [rest, before.trim(), behind.trim()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        return vote(label, &parts.join("\n")).ok_or_else(none);
    }
    if !answers {
        let why = || choices.why(said);
        return choices.find(said).and_then(|label| vote(label, &why())).ok_or_else(none);
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

/// Returns the text of a reply that still streams, without a marker in front of it; empty while the text may be the
/// beginning of a marker.
pub fn streamed_answer(said: &str) -> &str {
    let bare = said.trim().trim_matches(DRESS);
    let begins =
        |marker: &str| marker.get(..bare.len()).is_some_and(|m| m.eq_ignore_ascii_case(bare));
    if begins(ANSWER) || begins(VOTE) { "" } else { without_marker(said) }
}

/// Returns the text of a final answer without a marker in front of it.
pub fn without_marker(said: &str) -> &str {
    let words = said.trim();
    [ANSWER, VOTE]
        .into_iter()
        .find_map(|marker| marked(words, marker))
        .map_or(words, |rest| rest.trim_start_matches(['*', '_', ' ']).trim())
}

/// Returns the rest of a line behind a vote marker or behind a phrase that begins a vote.
fn vote_in(line: &str) -> Option<&str> {
    marked(line, VOTE).or_else(|| {
        let line = line.trim_start_matches(DRESS);
        let begins = |words: &&&str| {
            line.get(..words.len()).is_some_and(|head| head.eq_ignore_ascii_case(words))
        };
        VOTES.iter().find(begins).map(|words| &line[words.len()..])
    })
}

/// Returns the line with the vote in a reply that begins with other text: the only non-empty line, or the second or
/// last line if it has a marker.
fn vote_line(said: &str, is_vote: impl Fn(&str) -> bool) -> Option<&str> {
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let placed = match lines[..] {
        [only] => vec![only],
        [_, second, .., last] => vec![second, last],
        [_, second] => vec![second],
        [] => vec![],
    };
    let alone = lines.len() == 1;
    let votes = |line: &&str| {
        let rest = if alone { vote_in(line) } else { marked(line, VOTE) };
        rest.is_some_and(&is_vote)
    };
    placed.into_iter().find(votes)
}

/// Returns the part of a line before the first word that begins a reason; empty without one.
fn before_reason(line: &str) -> &str {
    let lower = line.to_ascii_lowercase();
    let at = BECAUSE.iter().filter_map(|word| lower.find(&format!(" {word} "))).min();
    at.map_or("", |at| &line[..at])
}

/// Returns the letter or number at the end of a label.
fn letter(label: &str) -> &str {
    label.rsplit(' ').next().unwrap_or(label)
}

/// Returns the rest of a line behind a marker at its beginning.
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
            ("I vote for Answer A.", json!({"vote": "cy", "why": ""})),
            ("Okay.\nVOTE: Answer A", json!({"vote": "cy", "why": "Okay."})),
            ("VOTE: [Answer A]", json!({"vote": "cy", "why": ""})),
            (
                "VOTE: B because it has figures.",
                json!({"vote": "bo", "why": "because it has figures."}),
            ),
            (
                "VOTE: Answer B because it has figures.",
                json!({"vote": "bo", "why": "because it has figures."}),
            ),
            ("ANSWER: Walk.\nVOTE: Answer A", json!({"proposal": "Walk.\nVOTE: Answer A"})),
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
        assert!(early.to_string().contains("no answer to vote for yet"), "{early}");
    }

    #[test]
    fn a_final_answer_has_no_marker_in_front() {
        for said in ["ANSWER: Walk.", "**Vote:** Walk.", "Walk.", " answer: Walk. "] {
            assert_eq!(without_marker(said), "Walk.", "{said}");
            assert_eq!(streamed_answer(said), "Walk.", "{said}");
        }
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
