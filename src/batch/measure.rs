//! Measures one conversation, from its events alone.

use super::results::{Measured, ResultLine, ResultOutcome, Round, Turned, VERSION};
use crate::analysis;
use crate::model::{AnswerKind, Event, Kind, Purpose, StopReason, Text, payload::Ended};
use crate::reply::spelled;
use crate::state::{State, Stated};
use crate::stats::effective;
use crate::text::Trigrams;
use serde_json::Value;
use std::collections::BTreeMap;

/// Which conversation is measured, and against what.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The item's name.
    pub item: &'a str,
    /// The item's line in the file, from 1.
    pub line: u64,
    /// The right answer; none where the item has none.
    pub key: Option<&'a Value>,
    /// The protocol's name.
    pub protocol: &'a str,
    /// The digest of the protocol's prompts, models and judges.
    pub fingerprint: &'a str,
    /// The digest of its judge alone; none without a judge.
    pub judge: Option<&'a str>,
    /// The session, beside the results.
    pub session: &'a str,
    /// The fewest and the most calls by the protocol's formula; none where it has none.
    pub planned: Option<(u64, u64)>,
}

/// Returns the line of a conversation that has ended; none where it has not.
pub fn line<'a>(
    subject: Subject<'_>,
    events: impl IntoIterator<Item = &'a Event>,
) -> Option<ResultLine> {
    let (mut calls, mut purposes) = (BTreeMap::new(), BTreeMap::new());
    let mut retries = 0;
    let counted = events.into_iter().inspect(|event| match &event.kind {
        Kind::BatchOpened(batch) => {
            purposes.insert(event.seq.0, batch.purpose);
        }
        Kind::FloorGranted(granted) => {
            let purpose = purposes.get(&granted.batch.0).copied();
            purposes.insert(event.seq.0, purpose.unwrap_or(Purpose::Speak));
        }
        Kind::CallStarted(call) => {
            let purpose = purposes.get(&call.turn.0).copied().unwrap_or(Purpose::Speak);
            *calls.entry(name(purpose)).or_insert(0u64) += 1;
        }
        Kind::CallRetried(_) => retries += 1,
        _ => {}
    });
    let (state, _) = analysis::fold(counted);
    let ended = state.ended.as_ref()?;
    // a call that was made again is one call of the protocol
    if let Some(speak) = calls.get_mut(&name(Purpose::Speak)) {
        *speak = speak.saturating_sub(retries);
    }
    let answered = state.answered();
    let kind = state.scenario.answer.as_ref().map(|spec| spec.form).unwrap_or_default();
    let right = subject.key.and_then(|key| right(kind, key));
    let answer = answered.as_ref().and_then(|a| a.answer.as_deref());
    let is_right = |answer: &str| right.as_ref().map(|right| same(kind, answer, right));
    let stated = state.stated();
    let spent = state.spent();
    let rounds = rounds(&state, &stated, &is_right);
    let (flips, rescued, bullied) = turned(&stated, &is_right);
    let (judged, swap_flips, first_side) = judgements(&state);
    let first = rounds.iter().position(|round| round.correct == Some(true));
    let failed = failed(&state, ended);
    Some(ResultLine {
        version: VERSION,
        item: subject.item.into(),
        line: subject.line,
        protocol: subject.protocol.into(),
        fingerprint: subject.fingerprint.into(),
        judge: subject.judge.map(Into::into),
        session: subject.session.into(),
        outcome: if failed.is_some() { ResultOutcome::Failed } else { ResultOutcome::Ended },
        reason: Some(ended.reason),
        error: failed,
        key: subject.key.cloned(),
        correct: answer.and_then(is_right),
        answered: answered.clone(),
        measured: Measured {
            calls,
            retries,
            planned: subject.planned,
            input: spent.usage.input,
            output: spent.usage.output,
            usd: (!spent.unpriced).then(|| f64::from(spent.usd)),
            ms: state.ms.0,
            first_correct: first.map(|at| at as u32 + 1),
            rounds,
            flips,
            rescued,
            bullied,
            judged,
            swap_flips,
            first_side,
        },
    })
}

fn name(purpose: Purpose) -> String {
    serde_json::to_value(purpose).ok().and_then(|v| v.as_str().map(Into::into)).unwrap_or_default()
}

/// Returns what falsifies a conversation, if anything does.
fn failed(state: &State, ended: &Ended) -> Option<String> {
    let why = |e: &Text| e.to_string();
    match ended.reason {
        StopReason::Failure | StopReason::Starved => {
            Some(ended.text.as_ref().map_or_else(|| "it failed".into(), why))
        }
        _ if state.failed > 0 => {
            let error = state.seats.iter().find_map(|s| s.failed.as_ref());
            let told = error.map(|e| format!(": {}", e.text)).unwrap_or_default();
            Some(format!("{} turns failed{told}", state.failed))
        }
        _ => None,
    }
}

/// Returns what is right as answers are spelled.
pub fn right(kind: AnswerKind, key: &Value) -> Option<String> {
    match key {
        Value::String(text) => spelled(kind, text),
        other => spelled(kind, &other.to_string()),
    }
}

/// Returns whether an answer is right, however either is spelled.
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
            spelled(kind, answer).is_some_and(|answer| answer == right)
        }
    }
}

fn rounds(
    state: &State,
    stated: &[Stated],
    is_right: &impl Fn(&str) -> Option<bool>,
) -> Vec<Round> {
    let most = stated.iter().map(|s| s.nth).max().unwrap_or(0);
    let mut said = Trigrams::default();
    let round = |nth: u32| {
        let mut last: BTreeMap<String, Option<String>> = BTreeMap::new();
        for given in stated.iter().filter(|s| s.nth <= nth) {
            last.insert(given.seat.to_string(), given.answer.as_ref().map(ToString::to_string));
        }
        let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
        last.values().flatten().for_each(|a| *counts.entry(a).or_default() += 1.0);
        let best = counts.values().copied().fold(0.0, f64::max);
        let mut ahead = counts.iter().filter(|(_, n)| **n == best).map(|(answer, _)| *answer);
        let majority = ahead.next().filter(|_| ahead.next().is_none()).map(str::to_owned);
        let texts = stated.iter().filter(|s| s.nth == nth).filter_map(|s| {
            let entry = state.entries.iter().find(|e| e.version().turn == Some(s.turn))?;
            Some(Trigrams::of(entry.text()))
        });
        let texts: Vec<Trigrams> = texts.collect();
        let new: f64 = texts.iter().map(|t| t.novelty(&said)).sum();
        texts.iter().for_each(|t| said.extend(t));
        Round {
            correct: majority.as_deref().and_then(is_right),
            majority,
            agreement: best / last.len().max(1) as f64,
            effective: effective(counts.values().copied()),
            novelty: new / texts.len().max(1) as f64,
            answers: last,
        }
    };
    (1..=most).map(round).collect()
}

/// Returns how many answers turned, and those that turned right and wrong, with whose answer they took over.
fn turned(
    stated: &[Stated],
    is_right: &impl Fn(&str) -> Option<bool>,
) -> (u32, Vec<Turned>, Vec<Turned>) {
    let (mut flips, mut rescued, mut bullied) = (0, vec![], vec![]);
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

/// Returns how many judgements there are in both orders, how many of them changed with the order, and how many of all
/// went to the side that was shown first.
fn judgements(state: &State) -> (u32, u32, u32) {
    let Some((verdict, _)) = &state.verdict else { return (0, 0, 0) };
    let (mut both, mut turned, mut first_side) = (0, 0, 0);
    for first in verdict.judgements.iter().filter(|j| !j.swapped) {
        let again = verdict
            .judgements
            .iter()
            .find(|j| j.swapped && j.judge == first.judge && j.time == first.time);
        let (top, bottom) = (verdict.sides.first(), verdict.sides.last());
        first_side += u32::from(first.winner.is_some() && first.winner.as_ref() == top);
        let Some(again) = again else { continue };
        first_side += u32::from(again.winner.is_some() && again.winner.as_ref() == bottom);
        if first.winner.is_some() && again.winner.is_some() {
            both += 1;
            turned += u32::from(first.winner != again.winner);
        }
    }
    (both, turned, first_side)
}
