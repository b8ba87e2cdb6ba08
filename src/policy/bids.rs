//! Every seat bids for the floor; the highest bid gets it.
//!
//! All bid at once and see no other bid. A bid is divided by one more than the number of the bidder's turns among the
//! last two rounds, so that shares follow the bids and one loud seat does not hold the floor. Sessions of earlier programs,
//! whose memo does not say so, go on with their own rule: the last speaker loses three points, halved with each turn.
//! A seat that bids above zero goes first after two rounds of waiting, so that none is starved. Of equal bids, and
//! where no bid is readable, the seat that has been silent longest wins. Somebody always speaks.

use super::in_turn::{ProposedTurn, ROUNDS, decide, round};
use super::memo;
use super::requests;
use super::{Decision, NextMove, Policy, View};
use crate::model::{Outcome, Purpose, SeatId, StopReason};
use crate::scenario::{PolicyRow, TakesPart};
use serde_json::{Value, json};

/// The policy `bids`; the module describes it.
pub struct Bids;

const ROW: PolicyRow = PolicyRow {
    name: "bids",
    meaning: "Everyone rates how much they want to speak; the highest bid speaks. A bid is divided by 1 plus the bidder's turns in the last two rounds.",
    options: &[ROUNDS],
    needs_operator: false,
    takes_part: TakesPart::Turns("you have a seat and bid for your turns"),
};

/// The name in the memo of the rule that divides bids.
const BY_TURNS: &str = "turns";
/// Points that earlier programs subtracted from the last speaker's bid; half of it for the one before, and so on.
const EARLIER_DISCOUNT: f64 = 3.0;
/// Rounds of waiting after which a seat with any bid goes first.
const PATIENCE: usize = 2;
/// The question to every bidder.
const QUESTION: &str =
    "How much do you want to speak now, after what was said last? Do not speak yet.";

impl Policy for Bids {
    fn row(&self) -> &'static PolicyRow {
        &ROW
    }

    fn next(&self, v: &View<'_>) -> Decision {
        let able: Vec<&SeatId> = v.able().collect();
        let (round, mut memo) = round(v, able.len());
        if divides(v) {
            memo.push((memo::DISCOUNT, json!(BY_TURNS)));
        }
        let over = v.option_count("rounds").is_some_and(|rounds| u64::from(round) > rounds);
        let asked = v.thread.asked.as_ref().filter(|b| b.spec.purpose == Purpose::Bid);
        match (able.len(), asked) {
            (0, _) => v.nobody(),
            _ if over => v.end(StopReason::RoundLimit),
            // whoever is asked for something speaks without a bid
            (2.., None) if !asked_for_words(v) => Decision {
                next: NextMove::Ask {
                    purpose: Purpose::Bid,
                    seats: able.into_iter().cloned().collect(),
                    why: "who wants to speak?".into(),
                    question: QUESTION.into(),
                    options: vec![],
                },
                memo: v.thread.memo.clone(),
            },
            (_, _) => {
                let mut bids: Vec<Bid> = able.iter().map(|seat| bid(v, seat, able.len())).collect();
                // the sort is stable: equal bids stay in the order of the table
                bids.sort_by(|a, b| {
                    let first = b.waited().cmp(&a.waited());
                    first.then(b.net.total_cmp(&a.net)).then(b.silent.cmp(&a.silent))
                });
                let mut bids = bids.into_iter();
                let Some(best) = bids.next() else { return v.nobody() };
                let queue = bids.map(|b| b.seat).collect();
                let (seat, why) = (best.seat.clone(), best.why());
                decide(v, Some(ProposedTurn { seat, why, queue, round, memo, kept: vec![] }))
            }
        }
    }
}

/// One seat's bid and how long it has waited.
struct Bid {
    seat: SeatId,
    /// What it said; none where that could not be read.
    value: Option<f64>,
    reason: String,
    /// Utterances since its own last one; all of them if it has not spoken.
    silent: usize,
    /// What its bid is worth now.
    net: f64,
    /// How many turns it may have to wait.
    patience: usize,
}

impl Bid {
    /// How long it has waited, if that is too long.
    fn waited(&self) -> Option<usize> {
        (self.silent >= self.patience && self.value.is_some_and(|v| v > 0.0)).then_some(self.silent)
    }

    fn why(&self) -> String {
        if let (Some(turns), Some(value)) = (self.waited(), self.value) {
            return format!("bid {value}, has waited {turns} turns");
        }
        let Some(value) = self.value else { return "no bids; silent the longest".into() };
        let net = (self.net * 10.0).round() / 10.0;
        let less = if net < value {
            format!(", {net} after the discount for recent turns")
        } else {
            String::new()
        };
        let reason =
            if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        format!("bid {value}{less}{reason}")
    }
}

fn bid(v: &View<'_>, seat: &SeatId, able: usize) -> Bid {
    let asked = v.thread.asked.as_ref().filter(|b| b.spec.purpose == Purpose::Bid);
    let reply = asked.and_then(|b| b.ended.iter().find(|r| r.seat == *seat));
    let said = reply.filter(|r| r.outcome == Outcome::Said).map_or(&Value::Null, |r| &r.structured);
    let spoken = || v.entries().rev().filter(|e| e.number.is_some());
    let since = spoken().position(|e| e.seat() == Some(seat));
    let recent = spoken().take(PATIENCE * able).filter(|e| e.seat() == Some(seat)).count();
    let value = said["bid"].as_f64();
    let worth = |value: f64| match (divides(v), since) {
        (true, _) => value / (recent as f64 + 1.0),
        (false, Some(silent)) => value - EARLIER_DISCOUNT / f64::from(1u32 << silent.min(16)),
        (false, None) => value,
    };
    Bid {
        seat: seat.clone(),
        value,
        reason: said["why"].as_str().unwrap_or_default().to_owned(),
        silent: since.unwrap_or_else(|| spoken().count()),
        net: value.map_or(f64::NEG_INFINITY, worth),
        patience: PATIENCE * able,
    }
}

/// Returns whether bids are divided: not in a session that an earlier program has begun, whose memo does not say it.
fn divides(v: &View<'_>) -> bool {
    let fresh = v.thread.memo[memo::ROUND].is_null();
    fresh || v.thread.memo[memo::DISCOUNT] == BY_TURNS
}

/// Returns whether somebody who can speak is asked for something.
fn asked_for_words(v: &View<'_>) -> bool {
    requests::in_turn(v).0.iter().any(|asked| v.state.may_speak(&asked.seat))
}
