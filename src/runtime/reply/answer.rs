//! Data in the last lines of a reply: an answer with its confidence, a ranking, or scores.
//!
//! Nothing is guessed: an answer counts only after `ANSWER:`, in `\boxed{}`, or if it is the whole reply. A reply
//! without an answer is an abstention, which is null. Answers are normalised, so that equal answers are equal strings.

use super::letters::{clauses, sentences};
use super::lines::{LabelLead, label};
use super::words::words;
use crate::model::contract::SCORE_MAX;
use crate::model::{AnswerKind, SeatId, Text};
use crate::scenario::answer_pattern;
use serde_json::{Map, Value, json};

/// Characters stripped around an answer.
const DRESS: &[char] = &['*', '_', '`', '"', '\'', '“', '”', '#', '>', ' ', '\t', '-'];
/// Phrases before an answer, longest first; a colon, an equals sign or "is" follows.
const LEADS: [&str; 6] =
    ["the correct option", "the final answer", "final answer", "the answer", "my answer", "answer"];
/// Marker that also counts within a line.
const MARKER: &str = "ANSWER:";
/// Phrases before a confidence.
const SURE: [&str; 3] = ["my confidence", "confidence level", "confidence"];
/// Phrases before a ranking, or before its first entry.
const RANKED: [&str; 5] = ["final ranking", "my ranking", "ranking", "my vote", "vote"];
/// Start of a boxed answer in TeX.
const BOXED: &str = "\\boxed{";
/// Maximum length of an answer, in bytes.
const ANSWER_MAX: usize = 1_000;

/// Parses the answer of a reply, null if it has none, and the confidence if `confidence` is set.
pub fn answer(kind: AnswerKind, confidence: bool, said: &str) -> Value {
    let answer = stated(kind, said).map_or(Value::Null, Value::from);
    if confidence {
        json!({ "answer": answer, "confidence": sure(said) })
    } else {
        json!({ "answer": answer })
    }
}

/// Parses the answer of a reply with a regular expression: the group of its last match; null without a match.
pub fn by_pattern(kind: AnswerKind, confidence: bool, pattern: &str, said: &str) -> Value {
    let pattern = answer_pattern(pattern).ok();
    let found = pattern.and_then(|pattern| {
        let last = pattern.captures_iter(said).last()?;
        spelled(kind, last.get(1)?.as_str())
    });
    let answer = found.map_or(Value::Null, Value::from);
    if confidence {
        json!({ "answer": answer, "confidence": sure(said) })
    } else {
        json!({ "answer": answer })
    }
}

fn stated(kind: AnswerKind, said: &str) -> Option<String> {
    let labelled = |line| label(line, &words().answer_label, LabelLead::Word).map(|l| l.rest);
    let behind = said
        .lines()
        .rev()
        .find_map(|line| after(line, &LEADS).or_else(|| labelled(line)).or_else(|| within(line)));
    let behind = behind.or_else(|| at_the_end(said));
    let text = match (behind, said.rfind(BOXED)) {
        (Some(text), _) if !text.is_empty() => text,
        (Some(_), _) => following(said)?,
        (None, Some(at)) => boxed(said.get(at + BOXED.len()..)?)?,
        (None, None) => said.trim(),
    };
    let text = match text.find(BOXED) {
        Some(at) => boxed(text.get(at + BOXED.len()..)?)?,
        None => text,
    };
    let alone = behind.is_none() && !said.contains(BOXED);
    // a reply in full sentences is not an answer, but a bare answer is
    let short = !alone || kind == AnswerKind::Json || said.trim().lines().count() == 1;
    let long = alone && kind == AnswerKind::Text && text.len() > 80;
    if short && !long { spelled(kind, text) } else { None }
}

/// Returns the answer in the last clause of a reply, as in "So, the answer is 6."
fn at_the_end(said: &str) -> Option<&str> {
    after(clauses(sentences(said).last()?).last()?, &LEADS)
}

/// Returns the first non-empty line below the last line that only introduces an answer.
fn following(said: &str) -> Option<&str> {
    let lines: Vec<&str> = said.lines().collect();
    let at = lines.iter().rposition(|line| after(line, &LEADS).is_some())?;
    lines.get(at + 1..)?.iter().copied().find(|line| !line.trim().is_empty())
}

/// Returns the rest of a line after one of the phrases and a colon, an equals sign or "is".
fn after<'a>(line: &'a str, leads: &[&str]) -> Option<&'a str> {
    let line = line.trim_start_matches(DRESS);
    let rest = leads.iter().find_map(|lead| {
        let head = line.get(..lead.len())?;
        head.eq_ignore_ascii_case(lead).then(|| line.get(lead.len()..)).flatten()
    })?;
    let rest = rest.trim_start_matches(DRESS);
    let rest =
        rest.strip_prefix([':', '=']).or_else(|| rest.strip_prefix("is ")).map(str::trim_start)?;
    Some(rest.strip_prefix(':').unwrap_or(rest).trim())
}

/// Returns the text after a marker within a line, as in "so 37 are left. ANSWER: 37".
fn within(line: &str) -> Option<&str> {
    let at = line.rfind(MARKER)?;
    let word = line.get(..at)?.ends_with(char::is_alphanumeric);
    let rest = line.get(at + MARKER.len()..)?.trim();
    Some(rest).filter(|rest| !word && !rest.is_empty())
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

/// Returns an answer in canonical form; `None` if it is not of this kind.
pub fn spelled(kind: AnswerKind, text: &str) -> Option<String> {
    let text = text.trim();
    let spelled = match kind {
        AnswerKind::Number => number(text),
        AnswerKind::Letter => letter(text),
        AnswerKind::Text => {
            let bare = text.trim_matches(DRESS).trim_end_matches(['.', '!']).trim_matches(DRESS);
            let words: Vec<&str> = bare.split_whitespace().collect();
            Some(words.join(" ").to_lowercase())
        }
        AnswerKind::Json => json_of(text).map(|value| sorted(&value).to_string()),
    };
    spelled.filter(|text| !text.is_empty() && text.len() <= ANSWER_MAX)
}

/// Returns the only number in a text: `$1,234.50` is 1234.5, and the right side of an equation counts.
fn number(text: &str) -> Option<String> {
    let text = &with_ascii_digits(text);
    let text = text.rsplit(['=', '≈']).next()?;
    // parentheses contain an explanation
    let text = text
        .split_once('(')
        .map_or(text, |(before, _)| if before.trim().is_empty() { text } else { before });
    let begin = text.find(|c: char| c.is_ascii_digit())?;
    let before = text.get(..begin)?;
    let point = before.ends_with('.');
    let minus = before.trim_end_matches(['$', '€', '£', '.', ' ']).ends_with(['-', '−'])
        && !before
            .trim_end_matches(['-', '−', '$', '€', '£', '.', ' '])
            .ends_with(char::is_alphanumeric);
    let rest = text.get(begin..)?;
    let mut end =
        rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(rest.len());
    let mut digits = rest.get(..end)?;
    // a trailing point or comma ends the sentence and is not part of the number
    digits = digits.trim_end_matches(['.', ',']);
    end = digits.len();
    let behind = rest.get(end..)?;
    if behind.contains(|c: char| c.is_ascii_digit()) {
        return fraction(digits, behind, minus);
    }
    let groups = digits.split('.').next()?.split(',').skip(1).all(|group| group.len() == 3);
    let plain: String = digits.chars().filter(|c| *c != ',').collect();
    if !groups || plain.matches('.').count() > usize::from(!point) {
        return None;
    }
    let (whole, part) = match (point, plain.split_once('.')) {
        (true, _) => (String::new(), plain),
        (false, Some((whole, part))) => (whole.to_owned(), part.to_owned()),
        (false, None) => (plain, String::new()),
    };
    let whole = whole.trim_start_matches('0');
    let part = part.trim_end_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let sign = if minus && (whole != "0" || !part.is_empty()) { "-" } else { "" };
    Some(if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") })
}

/// Returns a text with the digits of other scripts as ASCII digits.
fn with_ascii_digits(text: &str) -> String {
    let zeros = ['\u{660}', '\u{6f0}', '\u{966}', '\u{ff10}'].map(u32::from);
    let digit = |c: char| {
        let place =
            zeros.iter().find_map(|zero| u32::from(c).checked_sub(*zero).filter(|n| *n < 10));
        place.and_then(|n| char::from_digit(n, 10)).unwrap_or(c)
    };
    text.chars().map(digit).collect()
}

/// Parses a fraction such as `3/4`; `None` if the text has any other second number.
fn fraction(above: &str, behind: &str, minus: bool) -> Option<String> {
    let below =
        behind.trim_start().strip_prefix('/')?.trim().trim_end_matches(['.', '*', '`', ' ']);
    let below: u64 = below.parse().ok().filter(|n| *n > 0)?;
    let above: u64 = above.parse().ok()?;
    let value = above as f64 / below as f64;
    number(&format!("{}{value}", if minus { "-" } else { "" }))
}

fn letter(text: &str) -> Option<String> {
    let text = text.trim_start_matches(DRESS);
    let lower = text.to_lowercase();
    let skipped = ["option", "choice"].iter().find(|word| lower.starts_with(**word));
    let text = text.get(skipped.map_or(0, |word| word.len())..)?;
    let mut chars = text.trim_start_matches(DRESS).trim_start_matches(['(', '[']).chars();
    let first = chars.next().filter(char::is_ascii_alphabetic)?;
    let second = chars.next();
    let alone = second.is_none_or(|c| !c.is_alphanumeric() && c != '\'');
    // "A dog" begins with an article
    let words =
        second.is_some_and(char::is_whitespace) && chars.next().is_some_and(char::is_alphanumeric);
    (alone && !words).then(|| first.to_ascii_uppercase().to_string())
}

/// Returns the JSON value of a text, or else the first one that ends at its last bracket.
fn json_of(text: &str) -> Option<Value> {
    let bare = text.trim().trim_matches('`').trim();
    let bare = bare.strip_prefix("json").unwrap_or(bare).trim();
    let whole = serde_json::from_str(bare).ok();
    whole.or_else(|| {
        let ends = text.rfind(['}', ']'])? + 1;
        let begins = text.char_indices().filter(|(_, c)| ['{', '['].contains(c)).map(|(at, _)| at);
        begins.take(64).find_map(|at| serde_json::from_str(text.get(at..ends)?).ok())
    })
}

/// Returns a value with sorted keys, so that equal values are equal strings.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            keys.into_iter().map(|k| (k.clone(), sorted(&map[k]))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

/// Parses the confidence of a reply as a number from 0 to 1: `85%`, `85` and `0.85` are the same.
fn sure(said: &str) -> Option<f64> {
    let text = said.lines().rev().find_map(|line| after(line, &SURE))?;
    let digits: String = text
        .chars()
        .skip_while(|c| !c.is_ascii_digit() && *c != '.')
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    let value: f64 = digits.trim_end_matches('.').parse().ok()?;
    let negative = text.trim_start().starts_with('-');
    let percent = text.contains('%') || value > 1.0;
    let value = if percent { value / 100.0 } else { value };
    (!negative && (0.0..=1.0).contains(&value)).then_some(value)
}

/// Parses the confidence of a ballot, from 0 to 1: a number or text, as in `0.85`, `85` and `"85%"`.
pub fn confidence(value: &Value) -> Option<f64> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    sure(&format!("CONFIDENCE: {text}"))
}

/// Parses a ranking, best first, null without one; `most` is the number of entries asked for.
pub fn ranking(most: Option<u32>, among: &[(Text, SeatId)], said: &str) -> Value {
    let lines: Vec<&str> = said.lines().collect();
    let Some(at) = lines.iter().rposition(|line| after(line, &RANKED).is_some()) else {
        return json!({ "ranking": null });
    };
    let first = lines.get(at).and_then(|line| after(line, &RANKED)).unwrap_or_default();
    let rest = lines.get(at + 1..).unwrap_or_default().join("\n");
    let text = format!("{first}\n{rest}").to_lowercase();
    let place = |label: &Text| {
        let label = label.to_lowercase();
        text.match_indices(&label).map(|(at, _)| at).find(|at| {
            let ends = text.get(at + label.len()..).and_then(|rest| rest.chars().next());
            let begins = text.get(..*at).and_then(|before| before.chars().next_back());
            ![ends, begins].into_iter().flatten().any(char::is_alphanumeric)
        })
    };
    let mut found: Vec<(usize, &SeatId)> =
        among.iter().filter_map(|(label, seat)| Some((place(label)?, seat))).collect();
    found.sort();
    let wanted = most.map_or(among.len(), |most| (most as usize).min(among.len()));
    let seats: Vec<&SeatId> = found.into_iter().map(|(_, seat)| seat).take(wanted).collect();
    // an incomplete ranking gives no points at all
    json!({ "ranking": (seats.len() == wanted && wanted > 0).then_some(seats) })
}

/// Parses a score for each of some names; names without a readable score are left out.
pub fn scores(of: &[Text], said: &str) -> Value {
    let score = |name: &Text| {
        let line = said.lines().rev().find_map(|line| {
            let line = line.trim_start_matches(DRESS);
            let head =
                line.get(.."score".len()).filter(|head| head.eq_ignore_ascii_case("score"))?;
            let rest = line.get(head.len()..)?.trim_start_matches(DRESS);
            let head = rest.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name))?;
            rest.get(head.len()..)?.trim_start_matches(DRESS).strip_prefix([':', '='])
        })?;
        let digits: String = line
            .trim_start_matches(DRESS)
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '.')
            .collect();
        let value: f64 = digits.trim_end_matches('.').parse().ok()?;
        (0.0..=SCORE_MAX).contains(&value).then(|| (name.to_string(), json!(value)))
    };
    json!({ "scores": of.iter().filter_map(score).collect::<Map<_, _>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: AnswerKind, said: &str, expected: Option<&str>) {
        assert_eq!(answer(kind, false, said)["answer"].as_str(), expected, "{said:?}");
    }

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
    fn numbers_are_read_where_they_are_the_answer() {
        for (said, expected) in [
            ("6 and 7 make 13.\nANSWER: 13", Some("13")),
            ("**Answer:** $1,234.50", Some("1234.5")),
            ("The final answer is 42.", Some("42")),
            ("so \\boxed{-7}.", Some("-7")),
            ("ANSWER: \\boxed{ 3{,}5 }", None),
            ("Answer: 2 + 3 = 5", Some("5")),
            ("Answer: 18 dollars (9 * 2)", Some("18")),
            ("Answer:\n\n  **17**", Some("17")),
            ("ANSWER: 3/4", Some("0.75")),
            ("ANSWER: 0.50", Some("0.5")),
            ("ANSWER: .5", Some("0.5")),
            ("ANSWER: -0", Some("0")),
            ("ANSWER: 007", Some("7")),
            ("ANSWER: between 3 and 4", None),
            ("ANSWER: 12,34", None),
            ("ANSWER: 1.2.3", None),
            ("ANSWER: none", None),
            ("ANSWER: 1\nNo, wait.\nANSWER: 2", Some("2")),
            ("so 37 are left. ANSWER: 37", Some("37")),
            ("The word ANSWER: is asked for\nANSWER: 4", Some("4")),
            ("42", Some("42")),
            ("I counted 3 apples and then\n4 pears.", None),
            ("It is 3 or 4.", None),
            ("", None),
        ] {
            check(AnswerKind::Number, said, expected);
        }
    }

    #[test]
    fn letters_texts_and_json_are_spelled_alike() {
        use AnswerKind::{Json, Letter, Text};
        for (said, expected) in [
            ("ANSWER: (b) Paris", Some("B")),
            ("ANSWER: **C**.", Some("C")),
            ("ANSWER: option D", Some("D")),
            ("ANSWER: A dog", None),
            ("ANSWER: Berlin", None),
            ("B", Some("B")),
        ] {
            check(Letter, said, expected);
        }
        check(Text, "ANSWER:  The  Red House. ", Some("the red house"));
        check(Text, "I think that is a hard question.\nI do not know.", None);
        let bare = "x".repeat(80);
        check(Text, &bare, Some(&bare));
        check(Text, &format!("{bare}x"), None);
        check(Json, "ANSWER: {\"b\": 1, \"a\": [2]}", Some("{\"a\":[2],\"b\":1}"));
        check(Json, "Here:\n```json\n{\"a\": 1}\n```", Some("{\"a\":1}"));
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
        ] {
            assert_eq!(ranking(most, &among, said)["ranking"], expected, "{said}");
        }
    }

    #[test]
    fn scores_are_read_line_by_line() {
        let of = ["A".into(), "B".into(), "C".into()];
        let read = scores(&of, "A is short.\nSCORE A: 7\n**Score B:** 4.5/10\nSCORE C: 11");
        assert_eq!(read, json!({"scores": {"A": 7.0, "B": 4.5}}));
    }
}
