//! What a seat is asked for, in words: the last thing it reads before it answers.

use crate::model::contract::{BID_MAX, SCORE_MAX, TIE};
use crate::model::{AnswerKind, Form, Text};

/// What speakers are told whose quotations are checked.
pub(super) const QUOTES: &str = "Quote the text between <quote> and </quote>; each quotation is checked and marked for those who cannot read it.";

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
        Form::Answer { of, confidence } => {
            let what = match of {
                AnswerKind::Number => "the number alone",
                AnswerKind::Letter => "the letter alone",
                AnswerKind::Text => "the answer alone, in a few words",
                AnswerKind::Json => "the JSON value alone",
            };
            let sure = match confidence {
                true => {
                    "\nUnder it write a line \"CONFIDENCE: \" and how sure you are, from 0 to 100."
                }
                false => "",
            };
            Some(format!("End with a line \"ANSWER: \" and {what}.{sure}"))
        }
        Form::Ranking { most, among } => {
            let labels: Vec<&str> = among.iter().map(|(label, _)| &**label).collect();
            Some(match most {
                Some(1) => format!("End with a line \"VOTE: \" and one of: {}.", labels.join(", ")),
                Some(most) => format!(
                    "End with a line \"RANKING: \" and the best {most} of {}, best first, with > between them.",
                    labels.join(", ")
                ),
                None => format!(
                    "End with a line \"RANKING: \" and all of {}, best first, with > between them.",
                    labels.join(", ")
                ),
            })
        }
        Form::Scores(of) => {
            let lines: Vec<String> = of.iter().map(|name| format!("\"SCORE {name}: \"")).collect();
            Some(format!(
                "End with a line for each of {}, and a score from 0 to {SCORE_MAX}.",
                lines.join(", ")
            ))
        }
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
