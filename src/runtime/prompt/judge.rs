//! The prompt of a judge: the positions of the sides, the phases of the debate, and the questions about it.

use super::persona::{Uses, fill, messages_facts, prompt_facts};
use super::rounds;
use crate::expr::ExprError;
use crate::model::participant::{NO, YES};
use crate::model::{BlockPhase, Contract, Form, JudgeTask, Purpose, SeatId, Text};
use crate::rules;
use crate::scenario::{Side, TurnOrder};
use crate::state::{Entry, State, Turn, policies};

/// Questions to the judge of a guided debate.
const POINTS: &str = "For each side: which point of the other did it never answer? Which single exchange decided it?";

/// Returns the rules of a vote; `None` for other turns.
pub(super) fn vote(state: &State, turn: &Turn) -> Option<String> {
    if turn.purpose != Purpose::Vote {
        return None;
    }
    let name = &state.seat(&turn.seat)?.spec.name;
    let how = rules::ALL.iter().find_map(|rule| (rule.vote)(state, turn));
    let how = how.unwrap_or_else(|| format!("Vote as {name}, on what was said here."));
    Some(format!("The host calls a vote. It is secret; no participant reads your reason. {how}"))
}

/// Position of a side.
enum Position {
    For,
    Against,
    /// The answer that the side argues for.
    Answer(String),
}

/// A side under the name that the judge knows.
struct JudgedSide<'a> {
    label: Text,
    side: &'a Side,
}

/// Returns the sides in the order of the judge's options; empty unless a turn judges the sides of the scenario.
fn sides<'a>(state: &'a State, turn: &Turn) -> Vec<JudgedSide<'a>> {
    let spec = state.verdict_spec(turn.thread);
    let batch = state.batch_of(turn);
    let (Some(spec), Some(batch)) = (spec, batch) else { return vec![] };
    let named = |name: &Text| spec.sides.iter().find(|side| side.name == *name);
    match batch.spec.judge_task() {
        Some(JudgeTask::Verdict { labels, .. }) => {
            let options = &batch.spec.options;
            let names = if labels.is_empty() { options } else { &labels };
            let sides = options.iter().zip(names);
            sides
                .filter_map(|(label, name)| {
                    Some(JudgedSide { label: label.clone(), side: named(name)? })
                })
                .collect()
        }
        Some(JudgeTask::Casting) => {
            let sides = spec.sides.iter();
            sides.map(|side| JudgedSide { label: side.name.clone(), side }).collect()
        }
        Some(JudgeTask::Stop(_)) | None => vec![],
    }
}

fn position(state: &State, turn: &Turn, side: &Side) -> Option<Position> {
    if let Some(argues) = &side.argues {
        return Some(Position::Answer(argued(state, turn, argues)));
    }
    let stated =
        side.seats.iter().find_map(|id| state.seat(&SeatId(id.clone()))?.spec.side.clone());
    Some(match &*stated? {
        YES => Position::For,
        NO => Position::Against,
        answer => Position::Answer(answer.to_owned()),
    })
}

/// Returns the answer of a side. The sides are exchanged already, so the fields of the item are not.
fn argued(state: &State, turn: &Turn, argues: &Text) -> String {
    let facts = |uses: Uses<'_>| {
        let mut facts = prompt_facts(state, turn, uses);
        facts["item"] = state.scenario.item.clone().into();
        facts
    };
    fill(argues, state, facts).unwrap_or_else(|_| argues.to_string())
}

/// Returns the request of a judge that the scenario writes in full; `None` for the usual one.
///
/// # Errors
/// If the template is invalid or a field of it is undefined.
pub(super) fn request(state: &State, turn: &Turn) -> Option<Result<String, ExprError>> {
    let template = state.judge_prompt(turn)?;
    let mut said: Vec<&Entry> = state.visible(turn).collect();
    rounds::arrange(state, turn, &mut said);
    let sides = sides(state, turn);
    let argues = |judged: &JudgedSide<'_>| match position(state, turn, judged.side) {
        Some(Position::Answer(answer)) => answer,
        Some(Position::For) => YES.to_owned(),
        Some(Position::Against) => NO.to_owned(),
        None => String::new(),
    };
    let facts = |uses: Uses<'_>| {
        let mut facts = prompt_facts(state, turn, uses);
        facts["question"] = state.topic_for(turn).map_or("", |topic| topic.trim()).into();
        facts["speeches"] = messages_facts(state, turn, &said);
        facts["argues"] = sides.iter().map(argues).collect();
        facts
    };
    Some(fill(template, state, facts))
}

/// Returns true if the sides that a turn judges speak for and against a motion.
pub(super) fn is_motion(state: &State, turn: &Turn) -> bool {
    let positions = positions(state, turn);
    let is_for = |(_, position): &(Text, Position)| matches!(position, Position::For);
    let is_against = |(_, position): &(Text, Position)| matches!(position, Position::Against);
    positions.iter().any(is_for) && positions.iter().any(is_against)
}

/// Returns the known positions of the sides that a turn judges.
fn positions(state: &State, turn: &Turn) -> Vec<(Text, Position)> {
    sides(state, turn)
        .into_iter()
        .filter_map(|judged| Some((judged.label, position(state, turn, judged.side)?)))
        .collect()
}

/// Returns the sentences that say which position each side takes; `None` if they are not known.
pub(super) fn arguments(state: &State, turn: &Turn) -> Option<String> {
    let positions = positions(state, turn);
    if let [(first, Position::For), (second, Position::Against)] = &positions[..] {
        return Some(format!("{first} speaks for the motion, {second} against it."));
    }
    if let [(first, Position::Against), (second, Position::For)] = &positions[..] {
        return Some(format!("{first} speaks against the motion, {second} for it."));
    }
    let sentence = |(label, position): &(Text, Position)| match position {
        Position::For => format!("{label} speaks for the motion."),
        Position::Against => format!("{label} speaks against the motion."),
        Position::Answer(answer) => {
            let answer = answer.trim().trim_end_matches('.');
            format!("{label} argues that the answer is: {answer}.")
        }
    };
    let sentences: Vec<String> = positions.iter().map(sentence).collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// Returns the questions to a judge besides its own, if its form has room for the answers.
pub(super) fn points(contract: &Contract) -> Option<String> {
    matches!(contract.form, Form::Judgement { points: true, .. }).then(|| POINTS.to_owned())
}

/// Returns whether judges or voters compare the speakers.
pub fn compares(state: &State) -> bool {
    let scenario = &state.scenario;
    scenario.verdict.is_some()
        || rules::compares(state, None)
        || scenario.phases.iter().any(|phase| phase.judge.is_some())
}

/// Returns a sentence with the turns that were asked for a doubt, for those who compare the speakers; `None` without one.
pub(super) fn doubted(state: &State, turn: &Turn) -> Option<String> {
    let spec = &state.batch_of(turn)?.spec;
    let verdict = matches!(spec.judge_task(), Some(JudgeTask::Verdict { .. } | JudgeTask::Casting));
    if !verdict && !rules::compares(state, Some(turn)) {
        return None;
    }
    let doubts = |entry: &&Entry| entry.version().act.as_ref().is_some_and(|a| a.kind.is_doubt());
    let numbers = state.visible(turn).filter(doubts).filter_map(|entry| entry.number);
    let mut numbers: Vec<u32> = numbers.map(|number| state.number_for(turn, number)).collect();
    numbers.sort_unstable();
    let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
    let (last, before) = numbers.split_last()?;
    let turns = if before.is_empty() {
        format!("Turn {last} was")
    } else {
        format!("Turns {} and {last} were", before.join(", "))
    };
    Some(format!(
        "{turns} asked to say how it could go wrong, and who pays: that is no concession."
    ))
}

/// Returns the phase of a message, for a turn that judges.
pub(super) fn phase(state: &State, turn: &Turn, entry: &Entry) -> Option<BlockPhase> {
    match state.batch_of(turn)?.spec.judge_task()? {
        JudgeTask::Verdict { .. } | JudgeTask::Casting => {
            let phase = state.phase_of(entry.thread)?;
            let simultaneous = policies::traits(&phase.policy.name).order == TurnOrder::AtOnce;
            Some(BlockPhase { name: phase.name.clone(), simultaneous })
        }
        JudgeTask::Stop(_) => None,
    }
}
