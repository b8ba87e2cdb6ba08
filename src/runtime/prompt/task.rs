//! The task of a turn as text.

use super::messages;
use super::persona::rendered;
use crate::escape;
use crate::model::contract::{BID_MAX, SCORE_MAX, TIE};
use crate::model::{Aggregation, AnswerKind, Contract, Form, Purpose, SeatId, Text};
use crate::state::{State, Turn};

/// Rule for speakers whose quotations are checked.
const QUOTES: &str = "Quote the text between <quote> and </quote>; each quotation is checked and marked for those who cannot read it.";
/// End of a prompt in which a seat continues its interrupted message.
pub(super) const GO_ON: &str =
    "You were cut off there. Go on exactly where your last words stop; repeat none of them.";

/// Returns the task for voices other than models: requests of others, the question, and the form of the reply.
pub(super) fn task(state: &State, turn: &Turn) -> Option<Text> {
    let phase = state.shows(turn).and_then(|s| s.task.as_ref());
    let phase = phase.map(|task| rendered(task, state, turn));
    let goes_on = turn.part.as_ref().map(|_| GO_ON.to_owned());
    let all: Vec<String> = requests(state, turn)
        .into_iter()
        .chain(question(state, turn))
        .chain(phase)
        .chain(reply(&state.contract_of(turn), turn.purpose, false))
        .chain(goes_on)
        .collect();
    (!all.is_empty()).then(|| all.join("\n").into())
}

/// Returns the question to a seat, escaped: it may quote a model.
pub(super) fn question(state: &State, turn: &Turn) -> Option<String> {
    state.batch_of(turn)?.spec.question.as_deref().map(escape::quoted)
}

/// Returns the requests of other seats to this one, attributed.
pub(super) fn requests(state: &State, turn: &Turn) -> Vec<String> {
    let asked = state.requests_to(turn).into_iter();
    asked
        .map(|asking| {
            let by = state.seat(&asking.by).map_or(&asking.by.0, |s| &s.spec.name);
            messages::request(by, &asking.text)
        })
        .collect()
}

/// Returns the required form of a reply and the rule for checked quotations; `None` if any text is valid.
/// `shows` is true for small models, which need an example.
pub(super) fn reply(contract: &Contract, purpose: Purpose, shows: bool) -> Option<String> {
    let quotes = contract.quotes.as_ref().map(|_| QUOTES.to_owned());
    let all: Vec<String> = quotes.into_iter().chain(form(&contract.form, purpose, shows)).collect();
    (!all.is_empty()).then(|| all.join("\n"))
}

/// Returns the required form of a reply; `None` if any text is valid. Examples contain neither a reason nor a score:
/// small models copy them, and an example about another subject that stops before the reason cannot pass for an answer.
fn form(form: &Form, purpose: Purpose, shows: bool) -> Option<String> {
    match form {
        // whoever is chosen reads it
        Form::Choice(options) if purpose == Purpose::Pick && !shows => Some(format!(
            "Choose one of: {}.\nAnswer with one JSON object and nothing else: \"choice\" is your choice, \"why\" is that clause.",
            quoted(options)
        )),
        Form::Free => None,
        Form::Markers(markers) => Some(format!(
            "Where it applies, put one of these alone on the last line: {}.",
            markers.join(" ")
        )),
        Form::Choice(options) if !shows => Some(format!(
            "Choose one of: {}.\nAnswer with one JSON object and nothing else: \"choice\" is your choice, \"why\" is your own \
             reason, in one sentence.",
            quoted(options)
        )),
        Form::Choice(options) => Some(format!(
            "Choose one of: {}.\nAnswer with one JSON object and nothing else. Between tea and coffee it would begin \
             {{\"choice\": \"tea\", \"why\": and go on with your own reason, in one sentence.",
            quoted(options)
        )),
        Form::Ballot { options, count } => {
            let mut keys = vec![format!("\"choice\" is one of: {}", quoted(options))];
            if count.contains(&Aggregation::Confidence) {
                keys.push("\"confidence\" is how sure you are, from 0 to 100".into());
            }
            if count.contains(&Aggregation::Borda) {
                keys.push("\"ranking\" is a list of all of them, best first".into());
            }
            if count.contains(&Aggregation::Mean) {
                keys.push(format!(
                    "\"scores\" has a number from 0 to {SCORE_MAX} for each of them"
                ));
            }
            Some(format!(
                "Answer with one JSON object and nothing else: {}; \"why\" is your own reason, in one sentence.",
                keys.join("; ")
            ))
        }
        Form::Schema(schema) => Some(format!(
            "Answer with one JSON value and nothing else. It fits this JSON Schema:\n{schema}"
        )),
        Form::Bid => Some(format!(
            "Answer with one JSON object and nothing else: your bid, a whole number from 0 to {BID_MAX}, as \"bid\", and \
             your own reason in one line as \"why\"."
        )),
        Form::Bids(seats) => Some(format!(
            "Answer with one JSON object and nothing else. It has a key for each of {}; each holds an object: \"bid\" is a \
             whole number from 0 to {BID_MAX}, \"why\" says in six words about what.",
            quoted(seats)
        )),
        Form::Judgement { sides, points } => Some(judgement(sides, *points)),
        // the task asks for an answer that a pattern reads
        Form::Answer { pattern: Some(_), .. } => None,
        Form::Answer { of, confidence, object: true, .. } => {
            let what = match of {
                AnswerKind::Number => "a number",
                AnswerKind::Letter => "a letter",
                AnswerKind::Text => "a few words",
                AnswerKind::Json => "a JSON value",
            };
            let sure = match confidence {
                true => "; \"confidence\" is how sure you are, from 0 to 100",
                false => "",
            };
            Some(format!(
                "Answer with one JSON object and nothing else: \"why\" is your own reason, in one or two sentences; \
                 \"answer\" is the answer alone, {what}{sure}."
            ))
        }
        Form::Answer { of, confidence, object: false, .. } => {
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
        Form::Proposal { among, answers, .. } => Some(proposal(among, *answers)),
        Form::Plan { begun, over, most } => Some(plan(begun.len() + over.len(), *most)),
        Form::Message { planner: true, .. } => None,
        Form::Message { given, siblings, .. } => Some(message(*given, siblings)),
        Form::Scores(of) => {
            let lines: Vec<String> = of.iter().map(|name| format!("\"SCORE {name}: \"")).collect();
            Some(format!(
                "End with a line for each of {}, and a score from 0 to {SCORE_MAX}.",
                lines.join(", ")
            ))
        }
    }
}

/// Explains the format of a judgement.
fn judgement(sides: &[Text], points: bool) -> String {
    let sides = quoted(sides);
    let points = if points {
        format!(
            "\"unanswered\" has for each of {sides} the point of the other that it never answered, in one sentence; \
             \"decided_by\" is a list of the numbers of the turns that decided it; "
        )
    } else {
        String::new()
    };
    format!(
        "Answer with one JSON object and nothing else: {points}\"why\" is your own reason, in two sentences; \"scores\" has a \
         number from 0 to {SCORE_MAX} for each of {sides}; \"winner\" is one of them, or \"{TIE}\"."
    )
}

/// Explains how to give an answer, or how to vote for an existing one.
fn proposal(among: &[(Text, SeatId)], answers: bool) -> String {
    let labels: Vec<&str> = among.iter().map(|(label, _)| &**label).collect();
    let vote = format!(
        "begin with \"VOTE:\" and a label ({}), then give your reason in a sentence or two, no more",
        labels.join(", ")
    );
    match (labels.is_empty(), answers) {
        (true, _) => "Give your answer. It must be complete and make sense on its own.".to_owned(),
        (false, false) => format!("Vote for the best answer: {vote}."),
        (false, true) => format!(
            "If you agree with one of the answers, vote for it: {vote}. If you can give a better one, begin with \"ANSWER:\" and \
             write it out in full, keeping what is right in the others."
        ),
    }
}

/// Explains the format of a plan.
fn plan(known: usize, most: u32) -> String {
    let most = (most as usize).saturating_sub(known);
    format!(
        "Answer with one JSON object and nothing else: \"analysis\" is one sentence about the request; \"steps\" is a list of \
         at most {most} steps, each with \"number\", \"description\" (what to do, in one line), \"goal\" (what is true when \
         it is done), \"executor\" (true if someone else should do it, false if you will do it yourself) and \"after\" (a \
         list of the numbers of the steps whose results it needs)."
    )
}

/// Explains how an executor writes to its planner.
fn message(given: bool, siblings: &[SeatId]) -> String {
    let results = if given { "" } else { ", followed by a line \"Results:\" and all results" };
    let mut lines = vec![
        "Begin your reply with one of these labels:".to_owned(),
        "QUESTION: if you need an answer before you can continue".to_owned(),
        "PROGRESS: if part of the work is done and more remains".to_owned(),
        format!("TASK COMPLETE: if the goal is met{results}"),
        "ERROR: if the step cannot be done, with the reason".to_owned(),
        "A reply without a label counts as part of the result.".to_owned(),
    ];
    if !siblings.is_empty() {
        let names: Vec<&str> = siblings.iter().map(|s| &*s.0).collect();
        lines.push(format!(
            "To write to someone who works on another step, begin with \"TO \", their name and a colon. Working now: {}.",
            names.join(", ")
        ));
    }
    lines.join("\n")
}

fn quoted(options: &[Text]) -> String {
    options.iter().map(|o| format!("{o:?}")).collect::<Vec<_>>().join(", ")
}
