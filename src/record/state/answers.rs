//! Answers so far, the messages that their authors had seen, and the result of every method of counting.

use super::Conversation;
use crate::aggregate::{self, Given, Rules, quantile};
use crate::model::*;
use crate::scenario::AnswerSpec;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Salt for the random choice that breaks a tie.
const TIE_SALT: &str = "tie of an answer";

/// One stated answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated {
    /// The seat that answered.
    pub seat: SeatId,
    /// The turn whose reply gave it.
    pub turn: TurnId,
    /// Number of the utterance, from 1; `None` for an answer outside the count.
    pub number: Option<u32>,
    /// Position among the answers of its seat, from 1.
    pub nth: u32,
    /// The answer; `None` for an abstention.
    pub answer: Option<Text>,
    /// The stated confidence; `None` if there was none.
    pub confidence: Option<f64>,
    /// Last answers of the other seats that its author had seen.
    pub shown: Vec<(SeatId, Text)>,
}

impl Conversation {
    /// Returns all answers in the order in which they were given.
    pub fn stated(&self) -> Vec<Stated> {
        let Some(spec) = &self.scenario.answer else { return vec![] };
        let mut all: Vec<Stated> = vec![];
        for (seat, turn, data) in self.data() {
            let Some(answer) = data.get("answer").or_else(|| data.get("choice")) else { continue };
            if !counts(spec, seat) {
                continue;
            }
            let by = |e: &&super::Entry| e.versions.iter().any(|v| v.turn == Some(turn));
            let entry = self.entries.iter().rev().find(by);
            let places = entry.map(|e| self.shown_to(e)).unwrap_or_default();
            let mut shown: BTreeMap<SeatId, Text> = BTreeMap::new();
            for other in all.iter().filter(|s| s.seat != *seat) {
                let said = |e: &&super::Entry| e.version().turn == Some(other.turn);
                let seen = self.entries.iter().find(said).is_some_and(|e| places.contains(&e.seq));
                if let (true, Some(answer)) = (seen, &other.answer) {
                    shown.insert(other.seat.clone(), answer.clone());
                }
            }
            let nth = all.iter().filter(|s| s.seat == *seat).count() as u32 + 1;
            all.push(Stated {
                seat: seat.clone(),
                turn,
                number: entry.and_then(|e| e.number),
                nth,
                answer: text_of(answer),
                confidence: data["confidence"].as_f64(),
                shown: shown.into_iter().collect(),
            });
        }
        all
    }

    /// Returns the result of a conversation that is to find an answer; `None` for other conversations.
    pub fn answered(&self) -> Option<FoundAnswer> {
        let spec = self.scenario.answer.as_ref()?;
        let last = |all: &[Stated]| {
            let newest: BTreeMap<&SeatId, u32> = all.iter().map(|s| (&s.seat, s.nth)).collect();
            let is_newest = |s: &&Stated| newest.get(&s.seat) == Some(&s.nth);
            all.iter().filter(is_newest).cloned().collect::<Vec<_>>()
        };
        let all = self.stated();
        let counted = if spec.every { all } else { last(&all) };
        let answers =
            counted.iter().filter_map(|s| Some((s.seat.clone(), s.answer.clone()?, s.confidence)));
        let mut given = Given { answers: answers.collect(), ..Given::default() };
        if spec.trajectory.is_some() {
            let mut paths: BTreeMap<SeatId, Vec<Option<Text>>> = BTreeMap::new();
            for stated in self.stated() {
                paths.entry(stated.seat).or_default().push(stated.answer);
            }
            given.trajectories = paths.into_values().collect();
        }
        for (seat, _, data) in self.data().filter(|(seat, ..)| counts(spec, seat)) {
            if let Ok(ranking) = serde_json::from_value::<Vec<SeatId>>(data["ranking"].clone()) {
                given.rankings.retain(|(by, _)| by != seat);
                given.rankings.push((seat.clone(), ranking));
            }
            if let Ok(scores) = serde_json::from_value(data["scores"].clone()) {
                given.scores.push(scores);
            }
        }
        given.judged = self.verdict.as_ref().map(|(verdict, _)| match &verdict.winner {
            Some(winner) => vec![winner.clone()],
            None if verdict.is_draw() => verdict.sides.clone(),
            None => vec![],
        });
        let rules = Rules {
            tie: spec.tie,
            dice: self.dice(0, TIE_SALT),
            bands: spec.bands.clone(),
            trajectory: spec.trajectory,
        };
        let ways = aggregate::count(&given, &rules);
        let of = match spec.by {
            Aggregation::Mean => given.scores.len(),
            Aggregation::Judge => self.verdict.as_ref().map_or(0, |(v, _)| v.judgements.len()),
            _ => counted.len(),
        };
        let unread = match spec.by {
            Aggregation::Mean => given.scores.iter().filter(|s| s.is_empty()).count(),
            Aggregation::Judge => self
                .verdict
                .as_ref()
                .map_or(0, |(v, _)| v.judgements.iter().filter(|j| j.winner.is_none()).count()),
            _ => counted.iter().filter(|s| s.answer.is_none()).count(),
        };
        Some(FoundAnswer {
            answer: ways.iter().find(|way| way.by == spec.by).and_then(|way| way.answer.clone()),
            by: spec.by,
            of: of as u32,
            abstained: unread as u32,
            ways,
        })
    }

    /// Returns the answers as conditions and templates see them, from turns up to `upto`: speakers must not see answers
    /// that are given at the same time.
    pub(super) fn answer_facts(&self, upto: Seq, viewer: Option<&SeatId>) -> Value {
        let mut last: BTreeMap<&SeatId, Option<Text>> = BTreeMap::new();
        for (seat, _, data) in self.data().filter(|(_, turn, _)| turn.0 <= upto.0) {
            let counts = self.scenario.answer.as_ref().is_some_and(|spec| counts(spec, seat));
            if counts && let Some(answer) = data.get("answer").or_else(|| data.get("choice")) {
                last.insert(seat, text_of(answer));
            }
        }
        let mut counts: BTreeMap<&Text, u32> = BTreeMap::new();
        last.values().flatten().for_each(|answer| *counts.entry(answer).or_default() += 1);
        // the order of the seats decides between groups of equal size
        let order = self.seats.iter().filter_map(|seat| last.get(&seat.spec.id)?.as_ref());
        let mut groups: Vec<(&Text, u32)> = vec![];
        for answer in order {
            if groups.iter().all(|(known, _)| *known != answer) {
                groups.push((answer, counts.get(answer).copied().unwrap_or_default()));
            }
        }
        groups.sort_by_key(|(_, n)| Reverse(*n));
        let groups: Vec<Value> =
            groups.iter().map(|(answer, n)| json!({"answer": answer, "count": n})).collect();
        let highest = counts.values().max().copied();
        let own = viewer.and_then(|seat| last.get(seat)).and_then(Option::as_ref);
        let tied: Vec<&Text> = counts
            .iter()
            .filter(|(_, n)| Some(**n) == highest)
            .map(|(answer, _)| *answer)
            .collect();
        // in a tie the alphabet must not decide
        let most = match tied[..] {
            [most] => Some(most),
            _ => own.filter(|own| tied.contains(own)),
        };
        let mut numbers: Vec<f64> =
            last.values().flatten().filter_map(|a| a.parse().ok()).collect();
        numbers.sort_by(f64::total_cmp);
        let at = |part| quantile(&numbers, part);
        let spread = at(0.75).zip(at(0.25)).map(|(high, low)| high - low);
        let read = last.values().flatten().count();
        json!({
            "of": last.len(), "read": read, "counts": counts,
            "most": most, "groups": groups,
            "own": own,
            "share": highest.map_or(0.0, |n| f64::from(n) / read.max(1) as f64),
            "median": at(0.5), "low": at(0.25), "high": at(0.75), "spread": spread,
            "relative_spread": spread.zip(at(0.5)).map(|(spread, median)| spread / median.abs()),
        })
    }
}

/// Returns whether the replies of a seat count as answers.
pub(super) fn counts(spec: &AnswerSpec, seat: &SeatId) -> bool {
    spec.of.iter().any(|id| **id == *seat.0)
}

fn text_of(value: &Value) -> Option<Text> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
