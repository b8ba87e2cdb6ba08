//! Right answers of items, as benchmarks publish them, in the canonical form of answers.

use crate::expr::{AnswerChoice, CHOICES_MAX, choice_letter, choices};
use crate::model::AnswerKind;
use crate::reply::{last_box, normalised};
use serde_json::{Map, Value};

/// Mark before the right answer of a worked solution.
const HASHES: &str = "####";
/// Fields that list the choices of an item.
const CHOICES: [&str; 2] = ["choices", "endings"];
/// Maximum number of characters of a key in an error.
const SHOWN: usize = 60;

/// A right answer in canonical form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadKey {
    /// Answers that are right: one, or each of a list.
    pub accepted: Vec<String>,
    /// Form in which the item has it.
    pub form: KeyForm,
}

/// Form of a right answer in an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyForm {
    /// The answer itself.
    Plain,
    /// After `####`, at the end of a worked solution.
    Hashes,
    /// In the last box of a worked solution.
    Boxed,
    /// The index of a choice, from 0.
    Index,
    /// The label or the text of a choice.
    Choice,
    /// A list of which each answer is right.
    List,
}

impl KeyForm {
    /// Returns the name of the form; `None` for plain keys.
    pub fn name(self) -> Option<&'static str> {
        match self {
            KeyForm::Plain => None,
            KeyForm::Hashes => Some("`####`"),
            KeyForm::Boxed => Some("`\\boxed`"),
            KeyForm::Index => Some("index from 0"),
            KeyForm::Choice => Some("label or text of a choice"),
            KeyForm::List => Some("list"),
        }
    }
}

/// Reason why a key cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyFault {
    /// It is not of the kind of the answers.
    #[error("the key `{0}` is not {1}")]
    Kind(String, &'static str),
    /// An index without choices.
    #[error(
        "the key `{0}` is an index, but the item has neither `choices` nor `endings`; name them with --map"
    )]
    NoChoices(String),
    /// More choices than letters.
    #[error("it has {0} choices, but only {CHOICES_MAX} can have a letter")]
    TooMany(usize),
    /// Two choices with the same text.
    #[error("choices {0} and {1} are both `{2}`")]
    Twice(char, char, String),
    /// A letter or an index behind the last choice.
    #[error("the key `{0}` is none of the {1} choices")]
    Beyond(String, usize),
    /// An index that is also the text of another choice.
    #[error("the key `{0}` is the index of one choice and the text of another; write its letter")]
    Ambiguous(String),
}

/// Reads the key of an item with these fields.
///
/// # Errors
/// If no answer of this kind could ever equal it.
pub fn read_key(
    kind: AnswerKind,
    key: &Value,
    item: &Map<String, Value>,
) -> Result<ReadKey, KeyFault> {
    match (kind, key) {
        (AnswerKind::Number | AnswerKind::Text, Value::Array(keys)) if !keys.is_empty() => {
            let all: Result<Vec<ReadKey>, KeyFault> =
                keys.iter().map(|key| read_key(kind, key, item)).collect();
            let accepted = all?.into_iter().flat_map(|key| key.accepted).collect();
            Ok(ReadKey { accepted, form: KeyForm::List })
        }
        (AnswerKind::Letter, _) => {
            let all = CHOICES.iter().find_map(|name| choices(item.get(*name)?));
            distinct(all.as_deref().unwrap_or_default())?;
            let (index, form) = choice(&written(key), key.is_number(), all.as_deref())?;
            let letter = choice_letter(index).map(String::from);
            let accepted = letter.ok_or_else(|| fault(kind, key))?;
            Ok(ReadKey { accepted: vec![accepted], form })
        }
        _ => {
            let text = written(key);
            let (part, form) = match (kind, text.rsplit_once(HASHES), last_box(&text)) {
                (AnswerKind::Number, Some((_, last)), _) => (last, KeyForm::Hashes),
                (AnswerKind::Number | AnswerKind::Text, _, Some(last)) => (last, KeyForm::Boxed),
                _ => (&*text, KeyForm::Plain),
            };
            let accepted = normalised(kind, part).ok_or_else(|| fault(kind, key))?;
            Ok(ReadKey { accepted: vec![accepted], form })
        }
    }
}

/// Rejects choices that letters cannot tell apart.
fn distinct(all: &[AnswerChoice]) -> Result<(), KeyFault> {
    if all.len() > CHOICES_MAX {
        return Err(KeyFault::TooMany(all.len()));
    }
    for (at, choice) in all.iter().enumerate() {
        let first = all.iter().position(|other| other.text.trim() == choice.text.trim());
        let first = first.filter(|first| *first < at).and_then(choice_letter);
        if let Some((one, other)) = first.zip(choice_letter(at)) {
            return Err(KeyFault::Twice(one, other, shortened(&choice.text)));
        }
    }
    Ok(())
}

/// Returns the index of the choice that a key names by label, letter, text or index.
fn choice(
    key: &str,
    is_number: bool,
    all: Option<&[AnswerChoice]>,
) -> Result<(usize, KeyForm), KeyFault> {
    let key = key.trim();
    let shown = || shortened(key);
    let choices = all.unwrap_or_default();
    let label = choices.iter().position(|choice| choice.label.as_deref() == Some(key));
    if let Some(at) = label {
        return Ok((at, KeyForm::Choice));
    }
    let is_text = |choice: &AnswerChoice| choice.text.trim().eq_ignore_ascii_case(key);
    let text = if is_number { None } else { choices.iter().position(is_text) };
    if let Ok(index) = key.parse::<usize>() {
        return match (all, text) {
            (None, _) => Err(KeyFault::NoChoices(shown())),
            (Some(_), Some(at)) if at == index => Ok((at, KeyForm::Index)),
            (Some(all), Some(_)) if index < all.len() => Err(KeyFault::Ambiguous(shown())),
            (Some(_), Some(at)) => Ok((at, KeyForm::Choice)),
            (Some(all), None) if index < all.len() => Ok((index, KeyForm::Index)),
            (Some(all), None) => Err(KeyFault::Beyond(shown(), all.len())),
        };
    }
    let letter = normalised(AnswerKind::Letter, key).and_then(|letter| letter.bytes().next());
    let letter = letter.map(|letter| usize::from(letter.saturating_sub(b'A')));
    match (letter, text, all) {
        (Some(at), _, None) => Ok((at, KeyForm::Plain)),
        (Some(at), _, Some(all)) if at < all.len() => Ok((at, KeyForm::Plain)),
        (_, Some(at), _) => Ok((at, KeyForm::Choice)),
        (Some(_), None, Some(all)) => Err(KeyFault::Beyond(shown(), all.len())),
        (None, None, _) => {
            let named = "a letter, an index or the text of a choice";
            Err(KeyFault::Kind(shown(), named))
        }
    }
}

fn fault(kind: AnswerKind, key: &Value) -> KeyFault {
    let named = match kind {
        AnswerKind::Number => "a number",
        AnswerKind::Letter => "a letter",
        AnswerKind::Text => "a text",
        AnswerKind::Json => "a JSON value",
    };
    KeyFault::Kind(shortened(&written(key)), named)
}

fn written(key: &Value) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}

fn shortened(key: &str) -> String {
    let line = key.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_read_as_benchmarks_publish_them() {
        use AnswerKind::{Json, Letter, Number, Text};
        let four = json!({"choices": ["0", "4", "2", "6"]});
        let arc = json!({"choices": {"text": ["a", "b", "c"], "label": ["1", "2", "3"]}});
        let listed =
            json!({"choices": [{"label": "A", "text": "ice"}, {"label": "B", "text": "I"}]});
        let endings = json!({"endings": ["runs.", "jumps.", "sits."]});
        let none = json!({});
        for (kind, key, item, expected) in [
            // GSM8K, MATH
            (Number, json!("She sold 48/2 = 24.\n48 + 24 = 72\n#### 72"), &none, Ok("72")),
            (Number, json!("3 * 4 = \\boxed{12}"), &none, Ok("12")),
            (Number, json!("#### 1,234"), &none, Ok("1234")),
            (Number, json!(4.50), &none, Ok("4.5")),
            (
                Number,
                json!("between 3 and 4"),
                &none,
                Err("the key `between 3 and 4` is not a number"),
            ),
            (
                Number,
                json!("12 - 5 = 7\n####"),
                &none,
                Err("the key `12 - 5 = 7 ####` is not a number"),
            ),
            (Number, json!(["5", 5.5]), &none, Ok("5|5.5")),
            (Number, json!("\\boxed{\\frac12}"), &none, Ok("0.5")),
            (Number, json!("\\boxed{\\frac{3}{4}}"), &none, Ok("0.75")),
            (Number, json!("\\frac{1}{2}"), &none, Ok("0.5")),
            (Number, json!("3 million"), &none, Ok("3000000")),
            (Number, json!("\\sqrt{2}"), &none, Err("the key `\\sqrt{2}` is not a number")),
            (Number, json!("2\\pi"), &none, Err("the key `2\\pi` is not a number")),
            (Number, json!("2π"), &none, Err("the key `2π` is not a number")),
            (Number, json!("not 5"), &none, Err("the key `not 5` is not a number")),
            // MMLU, HellaSwag, ARC
            (Letter, json!(1), &four, Ok("B")),
            (Letter, json!("2"), &endings, Ok("C")),
            (Letter, json!("2"), &arc, Ok("B")),
            (Letter, json!(2), &arc, Ok("B")),
            (Letter, json!("B"), &listed, Ok("B")),
            (Letter, json!("I"), &listed, Ok("B")),
            (Letter, json!("Jumps."), &endings, Ok("B")),
            (Letter, json!("(c)"), &none, Ok("C")),
            (Letter, json!("2"), &four, Ok("C")),
            (
                Letter,
                json!("0"),
                &json!({"choices": ["1", "0"]}),
                Err(
                    "the key `0` is the index of one choice and the text of another; write its letter",
                ),
            ),
            (Letter, json!("6"), &four, Ok("D")),
            (Letter, json!(4), &four, Err("the key `4` is none of the 4 choices")),
            (Letter, json!("E"), &four, Err("the key `E` is none of the 4 choices")),
            (
                Letter,
                json!(1),
                &none,
                Err(
                    "the key `1` is an index, but the item has neither `choices` nor `endings`; name them with --map",
                ),
            ),
            (
                Letter,
                json!("Paris"),
                &none,
                Err("the key `Paris` is not a letter, an index or the text of a choice"),
            ),
            // TriviaQA, BoolQ
            (Text, json!(["The Red House", "Red house"]), &none, Ok("the red house|red house")),
            (Text, json!(true), &none, Ok("true")),
            (Text, json!("STRASSE"), &none, Ok("strasse")),
            (Text, json!("Straße。"), &none, Ok("strasse")),
            (Text, json!("Zoe\u{308} O’Brien"), &none, Ok("zoë o'brien")),
            (Letter, json!("\\text{B}"), &none, Ok("B")),
            (
                Letter,
                json!("A/B"),
                &none,
                Err("the key `A/B` is not a letter, an index or the text of a choice"),
            ),
            (Text, json!(" "), &none, Err("the key `` is not a text")),
            (Json, json!({"b": 1, "a": 2}), &none, Ok("{\"a\":2,\"b\":1}")),
        ] {
            let read = read_key(kind, &key, item.as_object().unwrap());
            let read = read.map(|read| read.accepted.join("|")).map_err(|e| e.to_string());
            assert_eq!(read, expected.map(str::to_owned).map_err(str::to_owned), "{key} in {item}");
        }
    }
}
