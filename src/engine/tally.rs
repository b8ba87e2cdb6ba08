//! Counting: what came of a vote or of judgements, by which rule, in words that a reader can check.

use crate::model::*;
use crate::scenario::{Side, Tie, VerdictSpec};
use crate::state::{Batch, Reply, State};
use std::collections::BTreeMap;

/// Salt of the dice that break a tie.
const TIE_SALT: &str = "tie of a verdict";

/// Returns what came of a vote.
pub(super) fn vote(batch: &Batch) -> VoteClosed {
    let options = batch.spec.options.clone();
    let ballot = |r: &Reply| Ballot {
        seat: r.seat.clone(),
        choice: r.structured["choice"].as_str().map(Text::from),
        why: r.structured["why"].as_str().unwrap_or_default().into(),
    };
    let ballots: Vec<Ballot> = batch
        .spec
        .seats
        .iter()
        .map(|seat| {
            let reply = batch.ended.iter().find(|r| r.seat == *seat);
            reply
                .map_or_else(|| Ballot { seat: seat.clone(), choice: None, why: "".into() }, ballot)
        })
        .collect();
    let counts = count(&options, ballots.iter().filter_map(|b| b.choice.as_ref()));
    let ahead = ahead(&options, &counts);
    let abstained = ballots.iter().filter(|b| b.choice.is_none()).count();
    let mut how = match &ahead[..] {
        [] => "nobody voted".into(),
        [winner] => format!("{winner} with {} of {}", counts[winner], votes(ballots.len())),
        tied => {
            format!("a tie of {} with {} each: nobody wins", tied.join(" and "), counts[&tied[0]])
        }
    };
    if abstained > 0 {
        how.push_str(&format!(", {abstained} abstained"));
    }
    VoteClosed {
        question: batch.spec.question.clone().unwrap_or_else(|| "".into()),
        winner: <[Text; 1]>::try_from(ahead).ok().map(|[winner]| winner),
        options,
        ballots,
        counts,
        how: how.into(),
    }
}

fn votes(n: usize) -> String {
    if n == 1 { "1 vote".into() } else { format!("{n} votes") }
}

fn count<'a>(options: &[Text], chosen: impl Iterator<Item = &'a Text>) -> BTreeMap<Text, u32> {
    let mut counts: BTreeMap<Text, u32> = options.iter().map(|o| (o.clone(), 0)).collect();
    for choice in chosen {
        *counts.entry(choice.clone()).or_default() += 1;
    }
    counts
}

/// Returns the options that have most, in their order; none where nobody chose.
fn ahead(options: &[Text], counts: &BTreeMap<Text, u32>) -> Vec<Text> {
    let most = counts.values().copied().max().filter(|n| *n > 0);
    options.iter().filter(|o| most.is_some() && counts.get(*o).copied() == most).cloned().collect()
}

/// Returns the sides of a verdict: those that the scenario names, or everybody who speaks.
pub(super) fn sides(state: &State, spec: &VerdictSpec) -> Vec<Side> {
    if !spec.sides.is_empty() {
        return spec.sides.clone();
    }
    let table = state.seats.iter().filter(|s| !s.gone && s.spec.speaks);
    table.map(|s| Side { name: s.spec.id.0.clone(), seats: vec![s.spec.id.0.clone()] }).collect()
}

/// Returns what came of the judgements so far.
pub(super) fn verdict(state: &State, spec: &VerdictSpec, sides: &[Side]) -> VerdictGiven {
    let judgements = state.bench.as_ref().map_or_else(Vec::new, |b| b.judgements.clone());
    let names: Vec<Text> = sides.iter().map(|s| s.name.clone()).collect();
    let firsts: Vec<&Judgement> = judgements.iter().filter(|j| !j.swapped).collect();
    let (mut counted, mut turned): (Vec<Text>, usize) = (vec![], 0);
    for first in &firsts {
        let again =
            judgements.iter().find(|j| j.swapped && j.judge == first.judge && j.time == first.time);
        match (&first.winner, again.map(|a| &a.winner)) {
            (Some(winner), None) if !spec.swap_test => counted.push(winner.clone()),
            (Some(winner), Some(Some(same))) if winner == same => counted.push(winner.clone()),
            (Some(_), Some(Some(_))) => {
                turned += 1;
                counted.push(contract::TIE.into());
            }
            (Some(_) | None, _) => {}
        }
    }
    let tie: Text = contract::TIE.into();
    let all: Vec<Text> = names.iter().chain([&tie]).cloned().collect();
    let counts = count(&all, counted.iter());
    let mut ahead = ahead(&all, &counts);
    let broken = (ahead.len() > 1 || ahead == [tie.clone()])
        .then(|| broken(state, spec, &names, &ahead))
        .flatten();
    let mut how = match &ahead[..] {
        [] => "no judgement could be read".into(),
        [draw] if *draw == tie => {
            format!("no side is better in {} of {}", counts[&tie], judged(firsts.len()))
        }
        [winner] => format!("{winner} in {} of {}", counts[winner], judged(firsts.len())),
        tied => format!("{} are level in {}", tied.join(" and "), judged(firsts.len())),
    };
    if spec.swap_test && !firsts.is_empty() {
        how.push_str(&match turned {
            0 => "; none turned when the sides were swapped".to_owned(),
            turned => {
                format!("; {turned} turned when the sides were swapped, which counts as a tie")
            }
        });
    }
    let unread = firsts.len() - counted.len();
    if unread > 0 && !ahead.is_empty() {
        how.push_str(&format!("; {unread} abstained"));
    }
    if let Some((winner, rule)) = broken {
        how.push_str(&format!("; {winner} by {rule}"));
        ahead = vec![winner];
    }
    let winner = <[Text; 1]>::try_from(ahead).ok().map(|[winner]| winner).filter(|w| *w != tie);
    VerdictGiven {
        question: spec.question.clone(),
        scores: scores(&names, &judgements),
        sides: names,
        winner,
        judgements,
        how: how.into(),
    }
}

fn judged(n: usize) -> String {
    if n == 1 { "1 judgement".into() } else { format!("{n} judgements") }
}

/// Breaks a tie by the scenario's rule, and says which.
fn broken(
    state: &State,
    spec: &VerdictSpec,
    names: &[Text],
    tied: &[Text],
) -> Option<(Text, &'static str)> {
    let among: Vec<&Text> = names.iter().filter(|n| tied.contains(n)).collect();
    let among = if among.is_empty() { names.iter().collect() } else { among };
    match spec.tie {
        Tie::Draw => None,
        Tie::First => Some(((*among.first()?).clone(), "being named first")),
        Tie::Random => {
            let dice = state.dice(u64::from(state.utterances), TIE_SALT) as usize;
            Some(((*among.get(dice.checked_rem(among.len())?)?).clone(), "dice"))
        }
    }
}

/// Returns the mean scores, with one decimal.
fn scores(names: &[Text], judgements: &[Judgement]) -> BTreeMap<Text, f64> {
    let mean = |name: &Text| {
        let given: Vec<f64> =
            judgements.iter().filter_map(|j| j.scores.get(name).copied()).collect();
        let mean = given.iter().sum::<f64>() / given.len() as f64;
        (!given.is_empty()).then(|| (name.clone(), (mean * 10.0).round() / 10.0))
    };
    names.iter().filter_map(mean).collect()
}
