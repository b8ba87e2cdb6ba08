//! Measures one conversation from its events.

use super::called::Called;
use super::keys::read_key;
use super::results::{
    Held, JudgeCounts, Measured, ResultLine, ResultOutcome, Round, Sure, Turned, VERSION,
};
use crate::analysis::{self, AnswerRound};
use crate::model::{AnswerKind, Event, Text, payload::Ended};
use crate::reply::disagrees;
use crate::state::{Entry, State, Stated};
use serde_json::Value;
use std::collections::BTreeMap;

/// Metadata of the measured conversation: its item, protocol and session.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Name of the item.
    pub item: &'a str,
    /// Line of the item in its file, from 1.
    pub line: u64,
    /// Right answer; `None` if the item has none.
    pub key: Option<&'a Value>,
    /// Name of the arm.
    pub protocol: &'a str,
    /// Digest of the protocol's prompts, models and judges.
    pub fingerprint: &'a str,
    /// Digest of the item's fields and its right answer.
    pub content: &'a str,
    /// Digest of the judge alone; `None` without a judge.
    pub judge: Option<&'a str>,
    /// Path of the session, relative to the results.
    pub session: &'a str,
    /// Minimum and maximum calls by the protocol's formula; `None` if it has none.
    pub planned: Option<(u64, u64)>,
}

/// Returns the result line of a conversation; `None` if it has not ended.
pub fn line<'a>(
    subject: Subject<'_>,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<ResultLine> {
    let mut called = Called::default();
    let (state, _) = analysis::fold(events.into_iter().inspect(|event| called.take(event)));
    let ended = state.ended.as_ref()?;
    let Called { purposes: calls, retries, cut, truncated, models, .. } = called;
    let answered = state.answered();
    let kind = state.scenario.answer.as_ref().map(|spec| spec.form).unwrap_or_default();
    let key = subject.key.and_then(|key| read_key(kind, key, &state.scenario.item).ok());
    let accepted = key.map(|key| key.accepted).unwrap_or_default();
    let answer = answered.as_ref().and_then(|a| a.answer.as_deref());
    let is_same = |answer: &str| accepted.iter().any(|right| same(kind, answer, right));
    let is_right = |answer: &str| (!accepted.is_empty()).then(|| is_same(answer));
    let stated = state.stated();
    let spent = state.spent();
    let rounds = rounds(&state, &stated, &is_right);
    let (flips, rescued, bullied) = turned(&stated, &is_right);
    let last = |s: &&Stated| !stated.iter().any(|o| o.seat == s.seat && o.nth > s.nth);
    let sure = stated.iter().filter(last).filter_map(|s| {
        let correct = is_right(s.answer.as_deref()?)?;
        Some(Sure { seat: s.seat.to_string(), confidence: s.confidence?, correct })
    });
    let held = if accepted.is_empty() { Held::default() } else { held(&rounds, &is_right) };
    let first = rounds.iter().position(|round| round.correct == Some(true));
    let failed = failed(&state, ended);
    let mut line = ResultLine {
        version: VERSION,
        arm: subject.protocol.into(),
        protocol: subject.protocol.into(),
        item: subject.item.into(),
        repeat: 1,
        outcome: if failed.is_some() { ResultOutcome::Failed } else { ResultOutcome::Ended },
        key: match &accepted[..] {
            [] => None,
            [one] => Some(one.as_str().into()),
            all => Some(all.into()),
        },
        correct: answer.and_then(is_right),
        input: spent.usage.input,
        output: spent.usage.output,
        usd: (!spent.unpriced).then(|| f64::from(spent.usd)),
        ms: state.ms.0,
        cut,
        truncated,
        session: subject.session.into(),
        line: subject.line,
        content: subject.content.into(),
        fingerprint: subject.fingerprint.into(),
        judge: subject.judge.map(Into::into),
        reason: Some(ended.reason),
        error: failed,
        adapted: state.lost_settings().cloned().collect(),
        answered: answered.clone(),
        measured: Measured {
            calls,
            retries,
            disagrees: disagreements(&state, kind),
            planned: subject.planned,
            first_correct: first.map(|at| at as u32 + 1),
            rounds,
            flips,
            rescued,
            bullied,
            sure: sure.collect(),
            held,
            judgements: judgements(&state, &is_right),
            models,
        },
        ..ResultLine::default()
    };
    line.judge_answer();
    Some(line)
}

/// Counts the replies whose answer in a box differs from the one behind a marker.
fn disagreements(state: &State, kind: AnswerKind) -> u64 {
    let asks = state.scenario.answer.as_ref().is_some_and(|spec| spec.pattern.is_none());
    let of_seat = |entry: &&Entry| entry.seat().is_some() && disagrees(kind, entry.text());
    if asks { state.entries.iter().filter(of_seat).count() as u64 } else { 0 }
}

/// Returns the failure that invalidates a conversation, if there is one.
fn failed(state: &State, ended: &Ended) -> Option<String> {
    let why = |e: &Text| e.to_string();
    match ended.reason {
        reason if reason.is_failure() => {
            Some(ended.text.as_ref().map_or_else(|| "it failed".into(), why))
        }
        _ if state.failed > 0 => {
            let error = state.seats.iter().find_map(|s| s.failed.as_ref());
            let told = error.map(|e| format!(": {}", e.text)).unwrap_or_default();
            let turns = if state.failed == 1 {
                "1 turn".to_owned()
            } else {
                format!("{} turns", state.failed)
            };
            Some(format!("{turns} failed{told}"))
        }
        _ => None,
    }
}

/// Returns whether an answer equals the expected one after normalisation.
fn same(kind: AnswerKind, answer: &str, right: &str) -> bool {
    if answer.eq_ignore_ascii_case(right) {
        return true;
    }
    match kind {
        AnswerKind::Number => match (answer.parse::<f64>(), right.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * b.abs().max(1.0),
            (Ok(_) | Err(_), _) => false,
        },
        AnswerKind::Letter | AnswerKind::Text | AnswerKind::Json => {
            kind.canonical(answer).is_some_and(|answer| answer == right)
        }
    }
}

fn rounds(
    state: &State,
    stated: &[Stated],
    is_right: &impl Fn(&str) -> Option<bool>,
) -> Vec<Round> {
    let round = |round: AnswerRound| Round {
        correct: round.majority.as_deref().and_then(is_right),
        majority: round.majority,
        agreement: round.agreement,
        effective: round.effective,
        novelty: round.novelty,
        answers: round.answers,
    };
    analysis::answer_rounds(state, stated).into_iter().map(round).collect()
}

/// Returns the number of changed answers, the changes to right and the changes to wrong, each with the seats that had
/// shown the adopted answer.
fn turned(
    stated: &[Stated],
    is_right: &impl Fn(&str) -> Option<bool>,
) -> (u32, Vec<Turned>, Vec<Turned>) {
    let mut flips = 0;
    let mut rescued = vec![];
    let mut bullied = vec![];
    let mut last: BTreeMap<&str, &Stated> = BTreeMap::new();
    for now in stated {
        let before = last.insert(&now.seat, now);
        let Some((before, answer)) =
            before.and_then(|b| Some((b.answer.as_ref()?, now.answer.as_ref()?)))
        else {
            continue;
        };
        if before == answer {
            continue;
        }
        flips += 1;
        let after = now.shown.iter().filter(|(_, shown)| shown == answer);
        let turned = Turned {
            seat: now.seat.to_string(),
            round: now.nth,
            after: after.map(|(seat, _)| seat.to_string()).collect(),
        };
        match (is_right(before), is_right(answer)) {
            (Some(false), Some(true)) => rescued.push(turned),
            (Some(true), Some(false)) => bullied.push(turned),
            (_, _) => {}
        }
    }
    (flips, rescued, bullied)
}

/// Counts the answers of each round that the next round kept, replaced by the majority's, or made wrong.
fn held(rounds: &[Round], is_right: &impl Fn(&str) -> Option<bool>) -> Held {
    let mut held = Held::default();
    for (at, round) in rounds.iter().enumerate() {
        let answers = || round.answers.iter().filter_map(|(seat, a)| Some((seat, a.as_ref()?)));
        held.found |= answers().any(|(_, answer)| is_right(answer) == Some(true));
        let Some(next) = rounds.get(at + 1) else { continue };
        for (seat, answer) in answers() {
            let Some(Some(now)) = next.answers.get(seat) else { continue };
            if let Some(majority) = round.majority.as_ref().filter(|m| *m != answer) {
                held.minority += 1;
                held.adopted += u32::from(now == majority);
            }
            if is_right(answer) == Some(true) {
                held.right += 1;
                held.broken += u32::from(is_right(now) == Some(false));
            }
        }
    }
    held
}

/// Counts the judgements of a conversation.
fn judgements(state: &State, is_right: &impl Fn(&str) -> Option<bool>) -> JudgeCounts {
    let Some((verdict, _)) = &state.verdict else { return JudgeCounts::default() };
    let mut judged = JudgeCounts::default();
    let top = verdict.sides.first();
    let bottom = verdict.sides.last();
    for judgement in &verdict.judgements {
        let Some(winner) = &judgement.winner else {
            judged.unread += 1;
            continue;
        };
        judged.read += 1;
        *judged.won.entry(winner.to_string()).or_default() += 1;
        if let Some(is_right) = is_right(winner) {
            *judged.right.get_or_insert_default() += u32::from(is_right);
        }
        let first = if judgement.swapped { bottom } else { top };
        judged.first_side += u32::from(Some(winner) == first);
    }
    for (at, one) in verdict.judgements.iter().enumerate() {
        for other in verdict.judgements.iter().skip(at + 1) {
            if one.winner.is_none() || other.winner.is_none() || one.time != other.time {
                continue;
            }
            let same = one.winner == other.winner;
            if one.judge == other.judge && one.swapped != other.swapped {
                judged.both_ways += 1;
                judged.labels_only += u32::from(!state.swaps_order());
                judged.swap_flips += u32::from(!same);
            } else if one.judge != other.judge && one.swapped == other.swapped {
                judged.pairs += 1;
                judged.agreed += u32::from(same);
            }
        }
    }
    judged
}
