//! Each seat gets a share of the floor in proportion to its weight.
//!
//! For shares of utterances, turns are scheduled by earliest deadline first. A seat is eligible while one more turn would
//! not exceed its share, rounded up. The deadline of a seat is the turn at which it would fall below its share, rounded
//! down. So every seat is always within one turn of its share, which smooth weighted round robin does not guarantee. For
//! shares of words or tokens, the seat that is furthest behind speaks; the gap stays under the longest utterance. Shares start over when a
//! seat, a weight or a mute changes; turns out of order do not count.

use super::in_turn::{MENTIONS, NAMES, ProposedTurn, ROUNDS, count_turn, decide};
use super::{Policy, View};
use crate::model::SeatId;
use crate::scenario::{OptionKind, OptionRow, PolicyRow, PolicyTraits, TakesPart};
use crate::state::{FloorShare, Handled, Reply};
use crate::text;
use std::cmp::Ordering;

const ROW: PolicyRow = PolicyRow {
    name: "weighted",
    meaning: "Each participant gets a share of the floor in proportion to its weight.",
    options: &[
        OptionRow {
            key: "by",
            kind: OptionKind::OneOf(&["utterances", "words", "tokens"]),
            meaning: "What is shared: turns (default), words or tokens.",
        },
        MENTIONS,
        NAMES,
        ROUNDS,
    ],
    takes_part: TakesPart::Turns("you have a seat and turns like the others"),
    traits: PolicyTraits { reads: &["rounds", "weight", "may_request"], ..PolicyTraits::DEBATE },
};

/// Policy `weighted`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, |v| decide(v, in_turn(v)));

/// Number of future turns that are computed for the queue.
const LOOKED_AHEAD: usize = 8;
/// Fixed-point scale of weights: they are stored in thousandths.
const PARTS: f64 = 1000.0;

fn in_turn(v: &View<'_>) -> Option<ProposedTurn> {
    let measure = Measure::new(v);
    let mut shares = shares(v);
    let mut kept = v.memo();
    if measure != Measure::Turns {
        charge(v, measure, &mut shares);
        kept.shares = Some(shares.clone());
        kept.counted = v.thread.asked.as_ref().map(|batch| Handled::Batch(batch.id));
    }
    let next = measure.pick(&shares)?;
    let sum = |part: fn(&FloorShare) -> u64| shares.iter().map(part).fold(0, u64::saturating_add);
    let why = format!(
        "has had {} of {} {} with weight {} of {}",
        shares[next].had,
        sum(|s| s.had),
        measure.unit(),
        shares[next].weight as f64 / PARTS,
        sum(|s| s.weight) as f64 / PARTS,
    );
    let mut memo = kept.clone();
    let round = count_turn(&mut memo, shares.len());
    let seat = shares[next].seat.clone();
    if measure == Measure::Turns {
        shares[next].had = shares[next].had.saturating_add(1);
        memo.shares = Some(shares.clone());
    }
    Some(ProposedTurn { queue: queue(measure, shares, &seat), seat, why, round, memo, kept })
}

/// Unit in which shares are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Measure {
    Turns,
    Words,
    Tokens,
}

/// Compares two seats by use per weight.
fn compare(a: &FloorShare, b: &FloorShare) -> Ordering {
    let crosswise = |a: &FloorShare, b: &FloorShare| u128::from(a.had) * u128::from(b.weight);
    crosswise(a, b).cmp(&crosswise(b, a))
}

impl Measure {
    fn new(v: &View<'_>) -> Measure {
        match v.thread.spec.options["by"].as_str() {
            Some("words") => Measure::Words,
            Some("tokens") => Measure::Tokens,
            _ => Measure::Turns,
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Measure::Turns => "turns",
            Measure::Words => "words",
            Measure::Tokens => "tokens",
        }
    }

    /// Returns the amount that a reply takes of its seat's share; if the server reported no tokens, words count
    /// instead.
    fn length(self, reply: &Reply) -> u64 {
        let words = u64::from(text::word_count(&reply.text));
        match self {
            Measure::Turns => 0,
            Measure::Words => words,
            Measure::Tokens => reply.tokens.unwrap_or(words),
        }
    }

    fn pick(self, shares: &[FloorShare]) -> Option<usize> {
        match self {
            Measure::Turns => by_deadline(shares),
            Measure::Words | Measure::Tokens => furthest_behind(shares),
        }
    }
}

/// Returns the remembered shares of all seats that can speak; they start over if a seat joins, leaves or changes
/// weight.
fn shares(v: &View<'_>) -> Vec<FloorShare> {
    let parts = |weight: f64| (weight * PARTS).round().max(1.0) as u64;
    let fresh = v.able().filter_map(|id| {
        let weight = parts(v.state.seat(id)?.spec.weight);
        Some(FloorShare { seat: id.clone(), weight, had: 0 })
    });
    let shares: Vec<FloorShare> = fresh.collect();
    let kept = v.thread.memo.shares.as_deref().unwrap_or_default();
    let same = |a: &FloorShare, b: &FloorShare| a.seat == b.seat && a.weight == b.weight;
    if kept.len() == shares.len() && shares.iter().zip(kept).all(|(a, b)| same(a, b)) {
        return kept.to_vec();
    }
    shares
}

/// Charges the policy's last turn to its seat's share, unless it was out of order. A seat that passed counts as having
/// caught up with the others; otherwise the same seat would be asked again and again.
fn charge(v: &View<'_>, measure: Measure, shares: &mut [FloorShare]) {
    let Some(batch) = v.uncounted() else { return };
    if v.thread.memo.owed.is_some() {
        return;
    }
    let Some(reply) = batch.ended.first() else { return };
    let Some(at) = shares.iter().position(|s| s.seat == reply.seat) else { return };
    shares[at].had = match measure.length(reply) {
        0 => shares
            .iter()
            .map(|s| s.had.saturating_mul(shares[at].weight).div_ceil(s.weight))
            .max()
            .unwrap_or(0)
            .saturating_add(1),
        length => shares[at].had.saturating_add(length),
    };
}

/// Returns the seat with the earliest deadline. A seat is eligible if its share of all turns, including this one, is
/// more than it has had; its deadline is the turn at which its next turn is due.
fn by_deadline(shares: &[FloorShare]) -> Option<usize> {
    let all: u128 = shares.iter().map(|s| u128::from(s.weight)).sum();
    let next: u128 = shares.iter().map(|s| u128::from(s.had)).sum::<u128>() + 1;
    let may = |s: &FloorShare| u128::from(s.had) * all < next * u128::from(s.weight);
    let due = |s: &FloorShare| ((u128::from(s.had) + 1) * all).div_ceil(u128::from(s.weight));
    let able = shares.iter().enumerate().filter(|(_, s)| may(s));
    able.min_by_key(|(_, s)| due(s)).map(|(at, _)| at)
}

fn furthest_behind(shares: &[FloorShare]) -> Option<usize> {
    shares.iter().enumerate().min_by(|(_, a), (_, b)| compare(a, b)).map(|(at, _)| at)
}

/// Returns the seats expected after `speaker`: by deadline if turns are shared, else by use per weight.
fn queue(measure: Measure, mut shares: Vec<FloorShare>, speaker: &SeatId) -> Vec<SeatId> {
    let mut queue: Vec<SeatId> = vec![];
    match measure {
        Measure::Turns => {
            for _ in 0..LOOKED_AHEAD {
                let Some(next) = by_deadline(&shares) else { break };
                shares[next].had = shares[next].had.saturating_add(1);
                if !queue.contains(&shares[next].seat) {
                    queue.push(shares[next].seat.clone());
                }
            }
        }
        Measure::Words | Measure::Tokens => {
            shares.sort_by(compare);
            queue.extend(shares.into_iter().map(|s| s.seat).filter(|s| s != speaker));
        }
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(weights: &[u64]) -> Vec<FloorShare> {
        let share = |(i, weight): (usize, &u64)| FloorShare {
            seat: format!("s{i}").as_str().into(),
            weight: weight * PARTS as u64,
            had: 0,
        };
        weights.iter().enumerate().map(share).collect()
    }

    /// Gives `turns` turns and checks after each that every seat is within one turn of its share.
    fn check(weights: &[u64], turns: u64) {
        let mut shares = table(weights);
        let all: u64 = weights.iter().sum();
        for turn in 1..=turns {
            let next = by_deadline(&shares).expect("somebody may");
            shares[next].had = shares[next].had.saturating_add(1);
            for (share, weight) in shares.iter().zip(weights) {
                let off = (share.had * all).abs_diff(turn * weight);
                assert!(off < all, "turn {turn} of {weights:?}: {} of weight {weight}", share.had);
            }
        }
    }

    #[test]
    fn every_share_is_within_one_turn_at_every_moment() {
        check(&[1, 1, 4, 1, 1, 20, 20], 200);
        for weights in [&[1][..], &[1, 1, 1], &[7, 5, 3, 2], &[1, 999], &[3, 3, 3, 100, 1]] {
            check(weights, 2_000);
        }
    }

    #[test]
    fn equal_weights_follow_the_order_of_the_file() {
        let mut shares = table(&[1, 1, 1]);
        let order: Vec<usize> = (0..6)
            .map(|_| {
                let next = by_deadline(&shares).unwrap();
                shares[next].had = shares[next].had.saturating_add(1);
                next
            })
            .collect();
        assert_eq!(order, [0, 1, 2, 0, 1, 2]);
    }
}
