//! Rehearsed lines: fixed or templated text at a steady pace, for demos and tests.
//!
//! The line of a call is chosen when the call starts and is logged with it, so the voice itself has no state. Plain
//! lines are spoken in order, and then again from the first, or the line for a seat whose lines are `spent`. A line with a condition is spoken once, before the plain
//! lines, as soon as the condition is true; with `instead`, it takes the place of the next plain line, with `leads`, the
//! next plain line follows it in the same turn. Lines `for` a vote, a pick or a judgement answer only those.

use super::{BREATH_WORDS, CallFailure, CallRequest, Chunk, Done, Out, Speaking, Voice};
use crate::expr::{Condition, ExprError, Facts, Template};
use crate::model::{Channel, ErrorClass, Line, Purpose, Text, VoiceSpec};
use std::cell::LazyCell;

/// The lines of a turn, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChosenLines {
    /// A reaction that is spoken before the line.
    pub lead: Option<usize>,
    pub line: Option<usize>,
}

impl ChosenLines {
    /// Returns a line without a reaction.
    pub fn from_line(line: usize) -> ChosenLines {
        ChosenLines { lead: None, line: Some(line) }
    }
}

/// Returns the seat's next lines, given the lines it has spoken.
pub fn choose(
    lines: &[Line],
    purpose: Purpose,
    spoken: &[usize],
    facts: impl FnOnce() -> Facts,
) -> ChosenLines {
    let facts = LazyCell::new(facts);
    // a condition that cannot be evaluated counts as false; `faults` reports it
    let holds = |line: &Line| holds(line, &facts)?.ok()?.then_some(());
    let fits = |(_, line): &(usize, &Line)| line.purpose == purpose;
    // a conversation that went on has another result
    let again = purpose == Purpose::Result;
    let fresh =
        |(i, line): &(usize, &Line)| (again || !spoken.contains(i)) && holds(line).is_some();
    let reaction = lines.iter().enumerate().filter(fits).find(fresh);
    match reaction {
        Some((lead, Line { leads: true, .. })) => {
            ChosenLines { lead: Some(lead), line: plain(lines, purpose, spoken) }
        }
        Some((line, _)) => ChosenLines::from_line(line),
        None => ChosenLines { lead: None, line: plain(lines, purpose, spoken) },
    }
}

/// Returns the seat's next line without a condition.
fn plain(lines: &[Line], purpose: Purpose, spoken: &[usize]) -> Option<usize> {
    let fits = |(_, line): &(usize, &Line)| line.purpose == purpose;
    let plain = lines.iter().enumerate().filter(fits).filter(|(_, line)| line.when.is_none());
    let (spent, plain): (Vec<_>, Vec<_>) = plain.partition(|(_, line)| line.spent);
    let plain: Vec<usize> = plain.into_iter().map(|(i, _)| i).collect();
    let counts = |i: &usize| {
        let instead = || lines.get(*i).is_some_and(|l| l.instead && l.purpose == purpose);
        plain.contains(i) || instead()
    };
    let said = spoken.iter().filter(|i| counts(i)).count();
    if let (Some((line, _)), true) = (spent.first(), said >= plain.len()) {
        return Some(*line);
    }
    plain.get(said.checked_rem(plain.len())?).copied()
}

/// Returns the errors of the conditions checked for the next line, each with its position.
pub fn faults(
    lines: &[Line],
    purpose: Purpose,
    spoken: &[usize],
    facts: impl FnOnce() -> Facts,
) -> Vec<String> {
    let facts = LazyCell::new(facts);
    let looked_at = lines.iter().enumerate();
    let looked_at = looked_at.filter(|(i, l)| l.purpose == purpose && !spoken.contains(i));
    let fault = |(i, line): (usize, &Line)| {
        let when = line.when.as_ref()?;
        let fault = holds(line, &facts)?.err()?;
        let place = fault.place(when);
        Some(format!("line {} was skipped: when = \"{when}\", {place}: {fault}", i + 1))
    };
    looked_at.filter_map(fault).collect()
}

/// Evaluates the condition of a line; `None` if it has none.
fn holds(
    line: &Line,
    facts: &LazyCell<Facts, impl FnOnce() -> Facts>,
) -> Option<Result<bool, ExprError>> {
    let when = line.when.as_ref()?;
    Some(Condition::compile(when).and_then(|c| c.holds(facts)))
}

/// Voice of a rehearsed seat.
pub struct Rehearsed;

impl Voice for Rehearsed {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        Box::pin(async move {
            let chunk = match words(&ask) {
                Ok((text, pace)) => {
                    out.wait(pace * BREATH_WORDS).await;
                    for word in text.split_inclusive(char::is_whitespace) {
                        out.wait(pace).await;
                        out.send(Chunk::Piece(Channel::Say, word.into())).await;
                    }
                    Chunk::Done(Done { finish: Some("stop".into()), ..Done::default() })
                }
                Err(why) => Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why)),
            };
            out.send(chunk).await;
        })
    }
}

/// Returns the text of the call's line and its pace in milliseconds per word.
fn words(ask: &CallRequest) -> Result<(String, u64), Text> {
    let VoiceSpec::Lines { lines, pace } = &ask.seat.voice else {
        return Err("the participant has no rehearsed lines".into());
    };
    let chosen = [ask.parameters.lead, ask.parameters.line].into_iter().flatten();
    let chosen: Vec<&Line> = chosen.filter_map(|i| lines.get(i)).collect();
    if chosen.is_empty() {
        return Err("no rehearsed line is left for this turn".into());
    }
    let texts = chosen.iter().map(|line| filled(&line.text, ask));
    Ok((texts.collect::<Result<Vec<_>, _>>()?.join("\n\n"), *pace))
}

/// Returns the text of a line with its template filled in.
fn filled(line: &str, ask: &CallRequest) -> Result<String, Text> {
    if !line.contains('{') {
        return Ok(line.to_owned());
    }
    let facts = Facts::new(&*ask.facts);
    let text = Template::compile(line).and_then(|t| t.render(&facts));
    text.map_err(|fault| fault.to_string().into())
}
