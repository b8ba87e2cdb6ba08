//! What a seat is asked for, in words: the last thing it reads before it answers.

use crate::model::contract::{BID_MAX, SCORE_MAX, TIE};
use crate::model::{Form, Text};

/// Returns how a reply must look; nothing where any words will do.
pub(super) fn form(form: &Form) -> Option<String> {
    match form {
        Form::Free => None,
        Form::Markers(markers) => Some(format!(
            "Where it applies, put one of these alone on the last line: {}.",
            markers.join(" ")
        )),
        Form::Choice(options) => Some(format!(
            "Answer with one JSON object and nothing else: {{\"choice\": \"...\", \"why\": \"one sentence\"}}. \
             The choice is one of: {}.",
            quoted(options)
        )),
        Form::Schema(schema) => Some(format!(
            "Answer with one JSON value and nothing else. It fits this JSON Schema:\n{schema}"
        )),
        Form::Bid => Some(format!(
            "Answer with one JSON object and nothing else: {{\"bid\": 0, \"why\": \"one line\"}}. \
             The bid is a number from 0 to {BID_MAX}."
        )),
        Form::Judgement(sides) => {
            let scores: Vec<String> = sides.iter().map(|s| format!("{s:?}: 0")).collect();
            Some(format!(
                "Answer with one JSON object and nothing else: {{\"why\": \"two sentences\", \"scores\": \
                 {{{}}}, \"winner\": \"...\"}}. Scores go from 0 to {SCORE_MAX}; the winner is one of: {}, \"{TIE}\".",
                scores.join(", "),
                quoted(sides)
            ))
        }
    }
}

fn quoted(options: &[Text]) -> String {
    options.iter().map(|o| format!("{o:?}")).collect::<Vec<_>>().join(", ")
}
