//! Data in the last lines of a reply: an answer with its confidence, a ranking, or scores.
//!
//! Nothing is guessed: an answer counts only in `\boxed{}`, after `ANSWER:`, or if it is the whole reply. A reply
//! without an answer is an abstention, which is null. Answers are normalised, so that equal answers are equal strings.

use super::json::{JsonPlace, objects};
use super::letters::{Letters, sentences, word};
use super::lines::{LabelLead, label, without_tags};
use super::mention::{Candidates, clauses};
use super::number::quantity;
use super::read::{ReadReply, Unclear};
use super::vote::{VoteReader, chosen_letter, proposal};
use super::words::{WordRow, is_in, marks, words};
use crate::model::contract::SCORE_MAX;
use crate::model::{AnswerKind, SeatId, Text};
use crate::scenario::answer_pattern;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Characters stripped around an answer.
const DRESS: &[char] = &['*', '_', '`', '"', '\'', '“', '”', '#', '>', ' ', '\t', '-'];
/// Marker that also counts within a line.
const MARKER: &str = "ANSWER:";
/// Phrase before an answer in braces.
const BRACED: &str = "{final answer:";
/// Command of TeX before an approximate value.
const APPROX: &str = "approx";
/// A number in a reply.
const NUMBER: &str = r"(-?\d[\d,]*(?:\.\d+)?)";
/// A number with groups that only languages with decimal commas write.
const GROUPS: &str =
    r"\d{1,3}(?:[. '\x{a0}\x{202f}]\d{3})+,\d+|\d{1,3}(?:[ '\x{a0}\x{202f}]\d{3})+";
/// A number of such a language that may be another one in English.
const COMMA_NUMBER: &str = r"\d{1,3}(?:\.\d{3})+|\d+,(?:\d{1,2}|\d{4,})";
/// A decimal comma before a unit.
const COMMA_UNIT: &str = r"(\d,\d{1,2}\s?[\p{L}%€£$°])";
/// Maximum length of a reply in text form that is an answer as a whole, in bytes.
const BARE_MAX: usize = 80;

/// Parses the answer of a reply, null if it has none, and the confidence if `confidence` is set.
pub fn answer(kind: AnswerKind, confidence: bool, said: &str) -> Value {
    data_of(stated(kind, said), confidence.then(|| sure(said)))
}

/// Returns the data of an answer, with its confidence if one is asked for.
pub fn data_of(answer: Option<String>, confidence: Option<Option<f64>>) -> Value {
    match confidence {
        Some(sure) => json!({ "answer": answer, "confidence": sure }),
        None => json!({ "answer": answer }),
    }
}

/// Parses the answer of a reply with a regular expression: the group of its last match; null without a match.
pub fn by_pattern(kind: AnswerKind, confidence: bool, pattern: &str, said: &str) -> Value {
    let pattern = answer_pattern(pattern).ok();
    let found = pattern.and_then(|pattern| {
        let last = pattern.captures_iter(said).last()?;
        normalised(kind, last.get(1)?.as_str())
    });
    data_of(found, confidence.then(|| sure(said)))
}

/// Returns the last number of a reply as its answer.
pub fn last_number(confidence: bool, said: &str) -> ReadReply {
    ReadReply::data(by_pattern(AnswerKind::Number, confidence, NUMBER, said))
}

/// Returns the answer of a reply: the last box, else the last stated answer, else the whole reply. A stated answer never
/// replaces a box that cannot be read.
fn stated(kind: AnswerKind, said: &str) -> Option<String> {
    let said = &*if kind == AnswerKind::Number { with_points(said) } else { said.into() };
    if let Some(content) = last_box(said) {
        return normalised(kind, content);
    }
    let in_sentence = || if kind == AnswerKind::Letter { chosen_letter(said) } else { None };
    if let Some(text) = in_json(kind, said).as_deref().or_else(|| marked(said)) {
        return normalised(kind, text).or_else(in_sentence);
    }
    // a reply in full sentences is not an answer, but a bare answer is
    let text = said.trim();
    let short = kind == AnswerKind::Json || text.lines().count() == 1;
    let long = kind == AnswerKind::Text && text.len() > BARE_MAX;
    let is_bare =
        short && !long && !marks().boxes.iter().any(|command| said.contains(command.as_str()));
    let bare = if is_bare { normalised(kind, text) } else { None };
    let bold = || {
        let last = text.lines().last()?.trim().strip_prefix("**")?.strip_suffix("**")?;
        if kind == AnswerKind::Text { None } else { normalised(kind, last) }
    };
    bare.or_else(in_sentence).or_else(bold)
}

/// Returns a text with the numbers of English: `1.250,50` is 1250.50. A number that could be another one in English needs
/// a word or a unit that shows decimal commas.
fn with_points(said: &str) -> Cow<'_, str> {
    let has_commas = Letters::new(said).find(&words().comma).is_some()
        || answer_pattern(COMMA_UNIT).is_ok_and(|unit| unit.is_match(said));
    let unsure = if has_commas { COMMA_NUMBER } else { GROUPS };
    let Ok(number) = answer_pattern(&format!(r"\b({GROUPS}|{unsure})\b")) else {
        return said.into();
    };
    let (mut out, mut from) = (String::new(), 0);
    for found in number.find_iter(said) {
        out.push_str(said.get(from..found.start()).unwrap_or_default());
        let digits = found.as_str().chars().filter(|c| c.is_ascii_digit() || *c == ',');
        out.extend(digits.map(|c| if c == ',' { '.' } else { c }));
        from = found.end();
    }
    (out + said.get(from..).unwrap_or_default()).into()
}

/// Returns the answer of a reply that gives it in JSON without being asked for it.
fn in_json(kind: AnswerKind, said: &str) -> Option<String> {
    if kind == AnswerKind::Json {
        return None;
    }
    let all = objects(said, &Value::Null, JsonPlace::Line);
    let answer = all.first()?.get("answer")?;
    Some(answer.as_str().map_or_else(|| answer.to_string(), str::to_owned))
}

/// Returns an answer or a key in canonical form, so that equal ones are equal strings; `None` if it is none of this kind.
pub fn normalised(kind: AnswerKind, text: &str) -> Option<String> {
    let text = plain(kind, text);
    match kind {
        AnswerKind::Number => kind.canonical(&quantity(&text)?),
        AnswerKind::Letter | AnswerKind::Text | AnswerKind::Json => kind.canonical(&text),
    }
}

/// Returns true if a reply has an answer in a box and states another one.
pub fn disagrees(kind: AnswerKind, said: &str) -> bool {
    let read = |text: &str| normalised(kind, text);
    let boxed = last_box(said).and_then(read);
    boxed.is_some_and(|boxed| marked(said).and_then(read).is_some_and(|other| other != boxed))
}

/// Returns the text of the last stated answer: on its line, on the line below an introduction, or in the last clause, as
/// in "So, the answer is 6."
fn marked(said: &str) -> Option<&str> {
    let mut below = None;
    for line in said.lines().rev() {
        match of_line(line) {
            Some("") => return below,
            Some(text) => return Some(text),
            None if line.trim().is_empty() => {}
            None => below = Some(line),
        }
    }
    let last = *sentences(said).last()?;
    let text = after(clauses(last).last()?, &words().lead).or_else(|| of_line(last));
    text.filter(|text| !text.is_empty())
}

/// Returns the answer that a line states; empty if it only introduces one.
fn of_line(line: &str) -> Option<&str> {
    let labelled = || label(line, &words().answer_label, LabelLead::Words).map(|l| l.rest);
    let behind = braced(line).or_else(|| after(line, &words().lead));
    behind.or_else(labelled).or_else(|| within(line))
}

/// Returns the answer of a line such as `{final answer: (B)}`.
fn braced(line: &str) -> Option<&str> {
    let at = line.to_ascii_lowercase().rfind(BRACED)?;
    let rest = line.get(at + BRACED.len()..)?;
    Some(rest.split('}').next()?.trim()).filter(|rest| !rest.is_empty())
}

/// Returns the rest of a line after one of the phrases and a colon, an equals sign or "is".
fn after<'a>(line: &'a str, leads: &WordRow) -> Option<&'a str> {
    let letters = Letters::new(line);
    let behind_dress = |at| letters.skip(at, |c| DRESS.contains(&c));
    let begin = behind_dress(0);
    let so = letters.one_of(begin, &words().so);
    let begin = so.map_or(begin, |end| letters.skip(end, |c| matches!(c, ' ' | ',')));
    let end = behind_dress(letters.one_of(begin, leads)?);
    let end = match letters.char(end)? {
        ':' | '=' => end + 1,
        _ => letters.one_of(end, &words().equals)?,
    };
    let rest = line.get(letters.byte(end)..)?.trim_start();
    Some(rest.strip_prefix(':').unwrap_or(rest).trim_start_matches('*').trim())
}

/// Returns the text after a marker within a line, as in "so 37 are left. ANSWER: 37".
fn within(line: &str) -> Option<&str> {
    let at = line.rfind(MARKER)?;
    let word = line.get(..at)?.ends_with(char::is_alphanumeric);
    let rest = line.get(at + MARKER.len()..)?.trim();
    Some(rest).filter(|rest| !word && !rest.is_empty())
}

/// Returns the content of the last box of a text, as in `\boxed{42}`, without empty boxes and placeholders.
pub fn last_box(said: &str) -> Option<&str> {
    let content = |(at, _): (usize, &str)| {
        let rest = said.get(at..)?;
        let rest = marks().boxes.iter().find_map(|command| rest.strip_prefix(command.as_str()))?;
        boxed(rest.trim_start().strip_prefix('{')?).map(str::trim)
    };
    let holds = |content: &&str| {
        !content.is_empty()
            && !marks().placeholders.iter().any(|word| content.eq_ignore_ascii_case(word))
    };
    said.rmatch_indices('\\').filter_map(content).find(holds)
}

/// Returns a text without tags and the commands of TeX: `\frac{3}{4}` is 3/4, `\textbf{(B) ice}` is (B) ice. JSON stays.
fn plain(kind: AnswerKind, tex: &str) -> String {
    if kind == AnswerKind::Json {
        return tex.to_owned();
    }
    let tex = without_tags(tex);
    let mut out = String::new();
    let mut rest = &*tex;
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '{' | '}' => {}
            '\\' => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (command, behind) = rest.split_at(end);
                rest = behind;
                if command.is_empty() {
                    // a space such as `\,`, or an escaped sign such as `\$`
                    let sign = rest.chars().next().unwrap_or_default();
                    rest = rest.get(sign.len_utf8()..).unwrap_or_default();
                    out.extend(['$', '%', '&', '#', '_'].contains(&sign).then_some(sign));
                } else if is_in(&marks().fractions, command) {
                    let (above, behind) = argument(rest);
                    let (below, behind) = argument(behind);
                    out.extend([&plain(kind, above), "/", &plain(kind, below)]);
                    rest = behind;
                } else if is_in(&marks().fonts, command) {
                    // a sign of degrees is raised
                    out.truncate(out.strip_suffix('^').map_or(out.len(), str::len));
                } else if command == APPROX {
                    out.push('≈');
                } else {
                    // a number behind a function is not the number itself
                    out.push_str(if kind == AnswerKind::Number { "\\ " } else { " " });
                }
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the argument of a command, in braces or a single character, and the text behind it.
fn argument(rest: &str) -> (&str, &str) {
    let rest = rest.trim_start();
    let (from, length) = match rest.strip_prefix('{').and_then(boxed) {
        Some(inside) => (1, inside.len()),
        None => (0, rest.chars().next().map_or(0, char::len_utf8)),
    };
    let behind = rest.get(from + length + from..).unwrap_or_default();
    (rest.get(from..from + length).unwrap_or_default(), behind)
}

/// Returns the text up to the closing brace; `rest` begins after the opening brace.
fn boxed(rest: &str) -> Option<&str> {
    let mut depth = 1;
    let end = rest.char_indices().find(|(_, c)| {
        depth += match c {
            '{' => 1,
            '}' => -1,
            _ => 0,
        };
        depth == 0
    });
    rest.get(..end?.0)
}

/// Parses the confidence of a reply as a number from 0 to 1: `85%`, `85`, `0,85`, `17/20` and `0.85` are the same.
fn sure(said: &str) -> Option<f64> {
    let text = said.lines().rev().find_map(|line| after(line, &words().sure))?;
    // a reason does not belong to the number, and a comma between digits is a point
    let text = [", ", "; ", ". ", " - ", " – ", " — "]
        .iter()
        .fold(text, |text, stop| text.split_once(stop).map_or(text, |(before, _)| before));
    let text = text.replace(" out of ", "/").replace(" (", " ").replace(',', ".");
    let value: f64 = normalised(AnswerKind::Number, &text)?.parse().ok()?;
    let percent = text.contains('%') || value > 1.0;
    let value = if percent { value / 100.0 } else { value };
    (0.0..=1.0).contains(&value).then_some(value)
}

/// Returns the number that a text begins with.
fn leading_number(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.get(..end)?.trim_end_matches('.').parse().ok()
}

/// Parses the confidence of a ballot, from 0 to 1: a number or text, as in `0.85`, `85` and `"85%"`.
pub fn confidence(value: &Value) -> Option<f64> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    sure(&format!("CONFIDENCE: {text}"))
}

/// Parses a ranking, best first, null without one; `most` is the number of entries asked for. One entry is a vote.
///
/// # Errors
/// If a vote names known answers and is unclear; without one it is an abstention.
pub fn ranking(most: Option<u32>, among: &[(Text, SeatId)], said: &str) -> Result<Value, Unclear> {
    let reader = VoteReader { among, ..VoteReader::default() };
    let is_vote = most == Some(1);
    let unclear = match is_vote.then(|| proposal(&reader, said, &Value::Null)) {
        Some(Ok(read)) => return Ok(json!({ "ranking": [read.structured.get("vote")] })),
        other => other.and_then(Result::err),
    };
    let wanted = most.map_or(among.len(), |most| (most as usize).min(among.len()));
    let seats = ranked(&reader, is_vote, said).into_iter().take(wanted).collect::<Vec<_>>();
    // an incomplete ranking gives no points at all
    match unclear {
        _ if seats.len() == wanted && wanted > 0 => Ok(json!({ "ranking": seats })),
        Some(unclear) if !reader.mentions(&Letters::new(said), said).is_empty() => Err(unclear),
        Some(_) | None => Ok(json!({ "ranking": null })),
    }
}

/// Returns the seats of the answers behind the last phrase before a ranking, in order.
fn ranked<'a>(reader: &VoteReader<'a>, is_vote: bool, said: &str) -> Vec<&'a SeatId> {
    let lines: Vec<&str> = said.lines().collect();
    let last = lines.iter().enumerate().rev().find_map(|(at, line)| {
        let is_label = is_vote && label(line, &words().vote_label, LabelLead::Word).is_some();
        let list = if is_label { None } else { after(line, &words().ranked) };
        Some((at, list?))
    });
    let Some((at, first)) = last else { return vec![] };
    let text = format!("{first}\n{}", lines.get(at + 1..).unwrap_or_default().join("\n"));
    let letters = Letters::new(&text);
    let mut all = reader.mentions(&letters, &text);
    let mut seen = BTreeSet::new();
    all.retain(|mention| seen.insert(mention.of));
    // "A < B" has the best one last, or first: nobody knows
    let end = all.last().map_or(0, |mention| letters.byte(mention.start));
    if text.get(..end).is_some_and(|list| list.contains('<')) {
        return vec![];
    }
    all.retain(|mention| !letters.follows(mention.start, &words().except));
    all.into_iter().filter_map(|mention| Some(&reader.among.get(mention.of)?.1)).collect()
}

/// Parses a score for each of some names; names without a readable score are left out.
pub fn scores(of: &[Text], said: &str) -> Value {
    let score = |name: &Text| {
        let value = said.lines().rev().find_map(|line| {
            let letters = Letters::new(line);
            let is_mark = |c: char| !c.is_alphanumeric();
            let end = letters.word(letters.skip(0, is_mark), &word("score"))?;
            let end = letters.word(letters.skip(end, is_mark), &word(name))?;
            leading_number(
                line.get(letters.byte(end)..)?.trim_start_matches(|c| is_mark(c) && c != '-'),
            )
        })?;
        (0.0..=SCORE_MAX).contains(&value).then(|| (name.to_string(), json!(value)))
    };
    json!({ "scores": of.iter().filter_map(score).collect::<Map<_, _>>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::contract::Form;
    use crate::reply::read::WantedReply;

    #[test]
    fn pattern_takes_the_group_of_the_last_match() {
        let read = |pattern: &str, said: &str| by_pattern(AnswerKind::Number, false, pattern, said);
        let box_ = r"\\boxed\{([^}]*)\}";
        assert_eq!(read(box_, r"first \boxed{3}, so \boxed{1,234}."), json!({"answer": "1234"}));
        assert_eq!(read(box_, "the answer is 37"), json!({"answer": null}), "only the pattern");
        assert_eq!(read(box_, r"\boxed{many}"), json!({"answer": null}), "not a number");
        let sure = by_pattern(AnswerKind::Letter, true, r"\((\w)\)", "(a) or (b)\nCONFIDENCE: 80%");
        assert_eq!(sure, json!({"answer": "B", "confidence": 0.8}));
    }

    #[test]
    fn last_number_takes_the_place_of_an_unreadable_answer_if_it_is_asked_for() {
        let read = |last: bool, said: &str| {
            let (of, object, pattern) = (AnswerKind::Number, false, None);
            let form = Form::Answer { of, confidence: false, object, pattern, last };
            let read = super::super::read(&WantedReply::new(&form), said, &Value::Null);
            read.unwrap().structured["answer"].clone()
        };
        for (said, with, without) in [
            ("First 6, then 7, so it makes 1,042.", json!("1042"), Value::Null),
            ("It falls to -4.50 degrees by 6.", json!("6"), Value::Null),
            ("\\boxed{9}, not 8", json!("9"), json!("9")),
            ("ANSWER: 9\nI doubt the 8.", json!("9"), json!("9")),
            ("Nobody knows.", Value::Null, Value::Null),
        ] {
            assert_eq!((read(true, said), read(false, said)), (with, without), "{said}");
        }
    }

    /// Replies whose answers were read by a person.
    const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/answers.jsonl");

    #[test]
    fn a_hundred_replies_of_each_form_are_read_as_a_person_reads_them() {
        let corpus = std::fs::read_to_string(CORPUS).unwrap();
        for (name, kind) in AnswerKind::ALL.map(|kind| (kind.name(), kind)) {
            let mut all = 0;
            let mut unread = vec![];
            for line in corpus.lines() {
                let case: Value = serde_json::from_str(line).unwrap();
                if case["form"] != name {
                    continue;
                }
                all += 1;
                let said = case["reply"].as_str().unwrap();
                let read = &answer(kind, false, said)["answer"];
                if read.is_null() && !case["answer"].is_null() {
                    unread.push(said.to_owned());
                } else {
                    assert_eq!(*read, case["answer"], "{name}: {said:?}");
                }
            }
            assert!(all >= 100 && unread.len() <= 3, "{name}: {all} replies, {unread:#?}");
        }
    }

    #[test]
    fn a_box_and_a_marker_with_different_answers_disagree() {
        let check = |said: &str| disagrees(AnswerKind::Number, said);
        assert!(check("\\boxed{10}\nANSWER: 9") && check("ANSWER: 9, no:\n\\boxed{10}"));
        assert!(!check("ANSWER: \\boxed{10}") && !check("\\boxed{10}\nANSWER: 10.0"));
        assert!(!check("\\boxed{10}") && !check("ANSWER: 9") && !check("\\boxed{many}\nANSWER: 9"));
    }

    #[test]
    fn how_sure_somebody_is_has_many_spellings() {
        for (said, expected) in [
            ("ANSWER: 1\nCONFIDENCE: 85%", Some(0.85)),
            ("ANSWER: 1\nConfidence level: 0.85", Some(0.85)),
            ("ANSWER: 1\n**Confidence:** 85", Some(0.85)),
            ("ANSWER: 1\nCONFIDENCE: 1.0", Some(1.0)),
            ("ANSWER: 1\nCONFIDENCE: none", None),
            ("ANSWER: 1\nCONFIDENCE: 140%", None),
            ("ANSWER: 1\nCONFIDENCE: -5%", None),
            ("ANSWER: 1\nCONFIDENCE: 9/10", Some(0.9)),
            ("ANSWER: 1\nCONFIDENCE: 9 out of 10", Some(0.9)),
            ("ANSWER: 1\nCONFIDENCE: 0,2", Some(0.2)),
            ("ANSWER: 1\nCONFIDENCE: high (90%)", Some(0.9)),
            ("ANSWER: 1\nCONFIDENCE: 85%, because 2 of us agree", Some(0.85)),
            ("ANSWER: 1\nCONFIDENCE: between 10% and 30%", None),
            ("ANSWER: 1\nCONFIDENCE: 80-90%", None),
            ("ANSWER: 1\nCONFIDENCE: not 90%", None),
            ("ANSWER: 1\nCONFIDENCE: less than 50%", None),
            ("ANSWER: 1", None),
        ] {
            let read = answer(AnswerKind::Number, true, said);
            assert_eq!(read["confidence"].as_f64(), expected, "{said:?}");
            assert_eq!(read["answer"], "1", "{said:?}");
        }
    }

    #[test]
    fn a_ranking_names_everybody_or_counts_for_nothing() {
        let among: Vec<(Text, SeatId)> =
            [("Speaker A", "cy"), ("Speaker B", "bo"), ("Speaker C", "dee")]
                .map(|(label, id)| (label.into(), id.into()))
                .to_vec();
        for (most, said, expected) in [
            (None, "RANKING: Speaker B > Speaker C > Speaker A", json!(["bo", "dee", "cy"])),
            (
                None,
                "Final ranking:\n1. Speaker C\n2. Speaker A\n3. Speaker B",
                json!(["dee", "cy", "bo"]),
            ),
            (None, "RANKING: Speaker B > Speaker C", Value::Null),
            (None, "Speaker B is best.", Value::Null),
            (Some(1), "VOTE: Speaker C", json!(["dee"])),
            (Some(1), "VOTE: none", Value::Null),
            (Some(1), "VOTE: not Speaker A", Value::Null),
            (Some(1), "VOTE: anyone but Speaker A", Value::Null),
            (Some(1), "VOTE: Speaker A or Speaker C", Value::Null),
            (Some(1), "RANKING: Speaker C < Speaker A", Value::Null),
            (Some(1), "RANKING: Speaker C > Speaker A", json!(["dee"])),
            (None, "RANKING: Speaker B < Speaker C < Speaker A", Value::Null),
            (None, "RANKING: Speaker B > Speaker C > not Speaker A", Value::Null),
            (Some(1), "I'd go with Speaker C, honestly.", json!(["dee"])),
            (Some(1), "{\"vote\": \"Speaker C\"}", json!(["dee"])),
            (Some(1), "ANSWER: 42\nVOTE: Speaker B", json!(["bo"])),
        ] {
            let read = ranking(most, &among, said).map(|read| read["ranking"].clone());
            assert_eq!(read.unwrap_or_default(), expected, "{said}");
        }
        let unclear = |said: &str| ranking(Some(1), &among, said).is_err();
        assert!(unclear("VOTE: Speaker A or Speaker C") && unclear("VOTE: not Speaker A"));
        assert!(!unclear("VOTE: none"), "an abstention");
    }

    #[test]
    fn scores_are_read_line_by_line() {
        let of = ["A".into(), "B".into(), "C".into()];
        let read = scores(&of, "A is short.\nSCORE A: 7\n**Score B:** 4.5/10\nSCORE C: 11");
        assert_eq!(read, json!({"scores": {"A": 7.0, "B": 4.5}}));
    }
}
