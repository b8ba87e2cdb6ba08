//! Counting of votes and judgements: the result, and an explanation that a reader can check.

use super::asking::VerdictScope;
use crate::aggregate::{self, Given, Rules};
use crate::model::*;
use crate::scenario::{Side, Tie, VerdictSpec};
use crate::state::{Batch, Reply, State};
use crate::text::plural;
use std::collections::BTreeMap;

/// Default way to count a vote.
const MAJORITY: Aggregation = Aggregation::Majority;
/// Dice salt for the tie of a vote.
const VOTE_SALT: &str = "tied vote";
/// Dice salt for the tie of a verdict.
const TIE_SALT: &str = "tied verdict";

/// Returns the result of a vote.
pub(super) fn vote(state: &State, batch: &Batch) -> VoteClosed {
    let options = batch.spec.options.clone();
    let ballot = |r: &Reply| Ballot {
        seat: r.seat.clone(),
        choice: r.structured["choice"].as_str().map(Text::from),
        why: r.structured["why"].as_str().unwrap_or_default().into(),
        confidence: r.structured["confidence"].as_f64(),
        ranking: serde_json::from_value(r.structured["ranking"].clone()).unwrap_or_default(),
        scores: serde_json::from_value(r.structured["scores"].clone()).unwrap_or_default(),
    };
    let ballots: Vec<Ballot> = batch
        .spec
        .seats
        .iter()
        .map(|seat| {
            let reply = batch.ended.iter().find(|r| r.seat == *seat);
            reply.map_or_else(|| Ballot::abstained(seat.clone(), ""), ballot)
        })
        .collect();
    let counts = count(&options, ballots.iter().filter_map(|b| b.choice.as_ref()));
    let ways = side_by_side(state, batch, &ballots);
    let counts_otherwise = batch.spec.count.iter().any(|by| *by != MAJORITY);
    let decides = if counts_otherwise { ways.first() } else { None };
    let ahead = ahead(&options, &counts);
    let abstained = ballots.iter().filter(|b| b.choice.is_none()).count();
    let mut how = match &ahead[..] {
        [] if abstained > 0 => format!("no result: all {abstained} abstained"),
        [] => "nobody voted".into(),
        [winner] => {
            format!("{winner} wins with {} of {}", counts[winner], plural(ballots.len(), "vote"))
        }
        tied => {
            format!("tie of {}, {} each", tied.join(" and "), counts[&tied[0]])
        }
    };
    if let Some(way) = decides {
        how = way.words();
    } else if let Some(winner) = ways.first().and_then(|w| w.answer.as_ref())
        && ahead.len() > 1
    {
        how.push_str(&format!("; {winner} by the tie rule"));
    }
    if abstained > 0 && !ahead.is_empty() {
        how.push_str(&format!(", {abstained} abstained"));
    }
    VoteClosed {
        question: batch.spec.question.clone().unwrap_or_else(|| "".into()),
        winner: match ways.first() {
            Some(way) => way.answer.clone(),
            None => <[Text; 1]>::try_from(ahead).ok().map(|[winner]| winner),
        },
        options,
        ballots,
        counts,
        how: how.into(),
        ways,
        ..VoteClosed::default()
    }
}

/// Returns the result of each requested way of counting, in order; empty if only the majority counts and a tie is not
/// broken.
fn side_by_side(state: &State, batch: &Batch, ballots: &[Ballot]) -> Vec<CountedAnswer> {
    let ways = match &batch.spec.count[..] {
        [] if batch.spec.tie.is_none() => return vec![],
        [] => &[MAJORITY][..],
        ways => ways,
    };
    let place = u64::from(state.utterances);
    let dice = state.dice(place, VOTE_SALT);
    let rules = Rules { tie: batch.spec.tie, dice, ..Rules::default() };
    let mut chosen: Vec<(SeatId, Text, Option<f64>)> = ballots
        .iter()
        .filter_map(|b| Some((b.seat.clone(), b.choice.clone()?, b.confidence)))
        .collect();
    // a tie goes to the option named first, independent of the order of the votes
    let place_of = |choice: &Text| batch.spec.options.iter().position(|o| o == choice);
    chosen.sort_by_key(|(_, choice, _)| place_of(choice));
    // rankings count for the seat that gave the answer: here each option acts as its own seat
    let candidate = |option: &Text| SeatId(option.clone());
    let ranked = ballots.iter().filter(|b| !b.ranking.is_empty());
    let votes = Given {
        answers: chosen,
        scores: ballots.iter().filter(|b| !b.scores.is_empty()).map(|b| b.scores.clone()).collect(),
        ..Given::default()
    };
    let rankings = Given {
        answers: batch.spec.options.iter().map(|o| (candidate(o), o.clone(), None)).collect(),
        rankings: ranked
            .map(|b| (b.seat.clone(), b.ranking.iter().map(candidate).collect()))
            .collect(),
        ..Given::default()
    };
    let counted = |given| aggregate::count(given, &rules);
    let votes = counted(&votes);
    let rankings = counted(&rankings);
    let of = |by: &Aggregation| {
        let from = if *by == Aggregation::Borda { &rankings } else { &votes };
        let nothing = CountedAnswer { by: *by, answer: None, tied: vec![], weights: vec![] };
        from.iter().find(|way| way.by == *by).cloned().unwrap_or(nothing)
    };
    ways.iter().map(of).collect()
}

fn count<'a>(options: &[Text], chosen: impl Iterator<Item = &'a Text>) -> BTreeMap<Text, u32> {
    let mut counts: BTreeMap<Text, u32> = options.iter().map(|o| (o.clone(), 0)).collect();
    for choice in chosen {
        *counts.entry(choice.clone()).or_default() += 1;
    }
    counts
}

/// Returns the options with the most votes, in their order; empty if nobody chose.
fn ahead(options: &[Text], counts: &BTreeMap<Text, u32>) -> Vec<Text> {
    let most = counts.values().copied().max().filter(|n| *n > 0);
    options.iter().filter(|o| most.is_some() && counts.get(*o).copied() == most).cloned().collect()
}

/// Returns the sides of a verdict: those of the scenario, or every speaker of the thread.
pub(super) fn sides(state: &State, scope: VerdictScope<'_>) -> Vec<Side> {
    if !scope.spec.sides.is_empty() {
        return scope.spec.sides.clone();
    }
    let here = |id: &SeatId| {
        scope.thread == ThreadId::ROOT
            || state.threads.get(&scope.thread).is_some_and(|t| t.seats.contains(id))
    };
    let table = state.seats.iter().filter(|s| !s.gone && s.spec.speaks && here(&s.spec.id));
    table
        .map(|s| Side { name: s.spec.id.0.clone(), seats: vec![s.spec.id.0.clone()], argues: None })
        .collect()
}

/// The judgements so far, counted.
struct Counted {
    names: Vec<Text>,
    counts: BTreeMap<Text, u32>,
    /// Sides with the most judgements, or the tie.
    ahead: Vec<Text>,
    /// Number of judgements; a judgement and its swapped repetition count once.
    judged: usize,
    /// Number of readable judgements.
    read: usize,
    /// Number of judgements that changed when the sides were swapped.
    turned: usize,
}

impl Counted {
    fn new(state: &State, scope: VerdictScope<'_>, sides: &[Side]) -> Counted {
        let judgements = state.judging.as_ref().map_or(&[][..], |b| &b.judgements);
        let names: Vec<Text> = sides.iter().map(|s| s.name.clone()).collect();
        let firsts: Vec<&Judgement> = judgements.iter().filter(|j| !j.swapped).collect();
        let mut counted: Vec<Text> = vec![];
        let mut turned: usize = 0;
        for first in &firsts {
            let same = |j: &&Judgement| j.swapped && j.judge == first.judge && j.time == first.time;
            let again = judgements.iter().find(same);
            match (&first.winner, again.map(|a| &a.winner)) {
                (Some(winner), None) if !scope.spec.swap_test => counted.push(winner.clone()),
                (Some(winner), Some(Some(same))) if winner == same => counted.push(winner.clone()),
                (Some(_), Some(Some(_))) => {
                    turned += 1;
                    counted.push(contract::TIE.into());
                }
                (Some(_) | None, _) => {}
            }
        }
        let all: Vec<Text> = names.iter().cloned().chain([contract::TIE.into()]).collect();
        let counts = count(&all, counted.iter());
        let ahead = ahead(&all, &counts);
        Counted { names, counts, ahead, judged: firsts.len(), read: counted.len(), turned }
    }

    /// Returns the tied sides; empty if one has won, or no judgement was readable.
    fn tied(&self) -> Vec<Text> {
        match &self.ahead[..] {
            [] => vec![],
            [winner] if **winner != *contract::TIE => vec![],
            [_] => self.names.clone(),
            tied => {
                let sides = self.names.iter().filter(|n| tied.contains(n)).cloned().collect();
                // a tie between one side and "tie" is a tie of all sides
                if tied.iter().any(|t| **t == *contract::TIE) { self.names.clone() } else { sides }
            }
        }
    }
}

/// Returns the sides that are tied so far; empty if no tie has to be broken.
pub(super) fn tied(state: &State, scope: VerdictScope<'_>, sides: &[Side]) -> Vec<Text> {
    if scope.interim { vec![] } else { Counted::new(state, scope, sides).tied() }
}

/// Returns the verdict from the judgements so far.
pub(super) fn verdict(state: &State, scope: VerdictScope<'_>, sides: &[Side]) -> VerdictGiven {
    let found = Counted::new(state, scope, sides);
    let tie: Text = contract::TIE.into();
    let counts = &found.counts;
    let mut how = match &found.ahead[..] {
        [] if sides.is_empty() => "nobody was left to choose from".into(),
        [] if state.judging.as_ref().is_none_or(|judging| judging.asked == 0) => {
            "no judge was asked".into()
        }
        [] if scope.spec.swap_test => "no judgement was readable in both orders".into(),
        [] => "no judgement was readable".into(),
        [draw] if *draw == tie => {
            format!("no winner in {} of {}", counts[&tie], plural(found.judged, "judgement"))
        }
        [_] if found.judged == 1 => "by one judgement".into(),
        [winner] => {
            format!("{winner} in {} of {}", counts[winner], plural(found.judged, "judgement"))
        }
        level => format!("tie of {} in {}", level.join(" and "), plural(found.judged, "judgement")),
    };
    if scope.spec.swap_test && found.read > 0 {
        let swapped = if state.swaps_order() { "sides" } else { "labels" };
        let is_tie = matches!(&found.ahead[..], [draw] if *draw == tie);
        let same = if is_tie { "a tie also" } else { "same winner" };
        let same = format!("{same} with the {swapped} swapped");
        match found.turned {
            // the same judgement twice says more than its number
            0 if found.judged == 1 => how = same,
            0 => how.push_str(&format!("; {same}")),
            turned => how.push_str(&format!(
                "; {turned} changed with the {swapped} swapped, which counts as a tie"
            )),
        }
    }
    let unread = found.judged - found.read;
    if unread > 0 && !found.ahead.is_empty() {
        how.push_str(&format!("; {unread} abstained"));
    }
    let tied = if scope.interim { vec![] } else { found.tied() };
    let broken = broken(state, scope.spec, &tied);
    if let Some((winner, rule)) = &broken {
        how.push_str(&format!("; {winner} by {rule}"));
    } else if !tied.is_empty() {
        how.push_str("; a draw");
    }
    let own = <[Text; 1]>::try_from(found.ahead).ok().map(|[winner]| winner);
    VerdictGiven {
        question: scope.spec.question.clone(),
        scores: scores(&found.names, state.judging.as_ref().map_or(&[][..], |b| &b.judgements)),
        sides: found.names,
        winner: broken.map(|(winner, _)| winner).or(own).filter(|w| *w != tie),
        judgements: state.judging.as_ref().map_or_else(Vec::new, |b| b.judgements.clone()),
        how: how.into(),
        phase: state.phase_of(scope.thread).map(|p| p.name.clone()),
        interim: scope.interim,
    }
}

/// Breaks a tie by the scenario's rule, and returns the winner and the rule as text.
fn broken(state: &State, spec: &VerdictSpec, tied: &[Text]) -> Option<(Text, String)> {
    let first = tied.first()?.clone();
    let judging = state.judging.as_ref()?;
    match spec.tie {
        Tie::Draw => None,
        Tie::First => Some((first, "being named first".into())),
        Tie::Random => {
            let dice = state.dice(u64::from(state.utterances), TIE_SALT) as usize;
            Some((tied.get(dice.checked_rem(tied.len())?)?.clone(), "dice".into()))
        }
        Tie::Judge => {
            let (judge, side) = judging.casting.as_ref()?;
            Some((side.clone()?, format!("the deciding vote of {judge}")))
        }
        Tie::Human => Some((judging.chosen.clone()?, "the operator".into())),
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
