//! Choices of a question, in the shapes of published benchmarks, and the filter `lettered`, which lists them.

use minijinja::{Error, ErrorKind, Value};
use serde_json::Value as Json;

/// Maximum number of choices: one letter each.
pub const CHOICES_MAX: usize = 26;

/// A choice of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerChoice {
    /// Label in the data; `None` if the choices are a plain list.
    pub label: Option<String>,
    /// Text of the choice.
    pub text: String,
}

/// Returns the choices in a value: a list of texts, a list of objects with `label` and `text`, or an object with the
/// lists `label` and `text`. `None` for any other value.
pub fn choices(value: &Json) -> Option<Vec<AnswerChoice>> {
    let spelled = |value: &Json| match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(_) | Json::Bool(_) => Some(value.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    };
    let one = |value: &Json| match value {
        Json::Object(of) => Some(AnswerChoice {
            label: of.get("label").and_then(spelled),
            text: spelled(of.get("text")?)?,
        }),
        _ => Some(AnswerChoice { label: None, text: spelled(value)? }),
    };
    let all: Option<Vec<AnswerChoice>> = match value {
        Json::Array(all) => all.iter().map(one).collect(),
        Json::Object(of) => {
            let labels = of.get("label")?.as_array()?.iter().map(spelled);
            let texts = of.get("text")?.as_array()?.iter().map(spelled);
            labels
                .zip(texts)
                .map(|(label, text)| Some(AnswerChoice { label, text: text? }))
                .collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    };
    all.filter(|all| !all.is_empty())
}

/// Returns the letter of a choice, by its index from 0.
pub fn choice_letter(index: usize) -> Option<char> {
    let offset = u8::try_from(index).ok().filter(|index| usize::from(*index) < CHOICES_MAX)?;
    Some(char::from(b'A' + offset))
}

/// Lists choices, one a line, as in `A) Paris`.
pub(super) fn lettered(value: &Value) -> Result<String, Error> {
    let json = serde_json::to_value(value).unwrap_or_default();
    let all = choices(&json).filter(|all| all.len() <= CHOICES_MAX).ok_or_else(|| {
        let message = "`lettered` takes a list of at most 26 choices";
        Error::new(ErrorKind::InvalidOperation, message)
    })?;
    let line = |(at, choice): (usize, &AnswerChoice)| {
        Some(format!("{}) {}", choice_letter(at)?, choice.text))
    };
    Ok(all.iter().enumerate().filter_map(line).collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use crate::expr::{Facts, Template};
    use serde_json::json;

    #[test]
    fn choices_of_published_benchmarks_are_lettered() {
        let template = Template::compile("{{ item.choices | lettered }}").unwrap();
        let render = |choices| template.render(&Facts::new(json!({"item": {"choices": choices}})));
        for choices in [
            json!(["Oslo", "Rome"]),
            json!({"text": ["Oslo", "Rome"], "label": ["1", "2"]}),
            json!([{"text": "Oslo", "label": "A"}, {"text": "Rome", "label": "B"}]),
        ] {
            assert_eq!(render(choices).unwrap(), "A) Oslo\nB) Rome");
        }
        for wrong in [json!("Oslo"), json!([]), json!(null), json!([[1]])] {
            assert!(render(wrong).unwrap_err().message.contains("`lettered` takes a list"));
        }
    }
}
