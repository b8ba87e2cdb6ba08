//! Every seat bids for the floor; the highest bid gets it.
//!
//! Seats of one model are asked in one call; others, and those of experiments, at once, and they see no other bid. A
//! seat that the last message asks by name speaks without a bid, and nobody else speaks twice in a row. A bid is divided by one plus the number of the bidder's turns in the
//! last two rounds, so that shares follow the bids and no single seat dominates. Sessions of earlier programs lack the
//! memo key for this rule and keep their own: the last speaker loses three points, halved with each turn since. A seat
//! that bids above zero goes first after two rounds of waiting, so that no seat starves. If bids are equal or
//! unreadable, the seat that has been silent longest wins. Somebody always speaks.

use super::in_turn::{ProposedTurn, ROUNDS, count_turn, decide, valid};
use super::{Decision, NextMove, Policy, View, requests};
use crate::model::{Anonymous, Outcome, Purpose, SeatId, StopReason};
use crate::scenario::{PolicyRow, PolicyTraits, TakesPart};
use crate::state::policies::{BIDS, REQUESTS};
use serde_json::Value;

const ROW: PolicyRow = PolicyRow {
    name: BIDS,
    meaning: "Everyone rates how much they want to speak; the highest bid speaks. A bid is divided by 1 plus the bidder's turns in the last two rounds.",
    options: &[ROUNDS],
    takes_part: TakesPart::Turns("you have a seat and bid for your turns"),
    traits: PolicyTraits { reads: REQUESTS, ..PolicyTraits::DEBATE },
};

/// Policy `bids`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, next);

/// Value of the memo key `discount` for bids divided by recent turns.
const BY_TURNS: &str = "turns";
/// Points that earlier programs subtracted from the last speaker's bid, halved with each turn since.
const EARLIER_DISCOUNT: f64 = 3.0;
/// Rounds whose turns discount a bid.
const RECENT_ROUNDS: usize = 2;
/// Turns of waiting, in addition to a round, after which a seat with any bid goes first.
const PATIENCE: usize = 2;
/// Question to every bidder.
const QUESTION: &str =
    "How much do you want to speak now, after what was said last? Do not speak yet.";

fn next(v: &View<'_>) -> Decision {
    let all: Vec<&SeatId> = v.able().collect();
    let mut memo = v.memo();
    let round = count_turn(&mut memo, all.len());
    if divides(v) {
        memo.discount = Some(BY_TURNS.into());
    }
    let over = v.option_count("rounds").is_some_and(|rounds| u64::from(round) > rounds);
    let asked = v.thread.asked.as_ref().filter(|b| b.spec.purpose == Purpose::Bid);
    let able = bidders(v, &all);
    match (able.len(), asked) {
        (0, _) => v.nobody(),
        _ if over => v.end(StopReason::RoundLimit),
        (_, None) if let Some((seat, why)) = asked_by_name(v, &all) => {
            let queue = able.into_iter().filter(|other| **other != seat).cloned().collect();
            decide(v, Some(ProposedTurn { seat, why, queue, round, memo, kept: v.memo() }))
        }
        // a seat with an open request speaks without a bid
        (2.., None) if !asked_for_words(v) => Decision { next: ask(v, &able), memo: v.memo() },
        (_, _) => {
            let mut bids: Vec<Bid> = able.iter().map(|seat| bid(v, seat, all.len())).collect();
            // the sort is stable: equal bids keep the order of the seats
            bids.sort_by(|a, b| {
                let first = b.waited().cmp(&a.waited());
                first.then(b.net.total_cmp(&a.net)).then(b.silent.cmp(&a.silent))
            });
            let mut bids = bids.into_iter();
            let Some(best) = bids.next() else { return v.nobody() };
            let queue = bids.map(|b| b.seat).collect();
            let seat = best.seat.clone();
            let why = best.why();
            decide(v, Some(ProposedTurn { seat, why, queue, round, memo, kept: v.memo() }))
        }
    }
}

/// Returns the seats that bid: all but the last speaker, unless it is the only one. Sessions of earlier programs let it
/// bid as well.
fn bidders<'a>(v: &View<'a>, able: &[&'a SeatId]) -> Vec<&'a SeatId> {
    let last = v.last_speaker();
    let others = able.iter().copied().filter(|seat| Some(*seat) != last);
    let others: Vec<&SeatId> = others.collect();
    if others.is_empty() || !divides(v) { able.to_vec() } else { others }
}

/// Returns the question to the bidders: one call for all if they have the same model.
fn ask(v: &View<'_>, able: &[&SeatId]) -> NextMove {
    let together = in_one_call(v, able);
    let names: Vec<&str> = able.iter().map(|seat| v.name(seat)).collect();
    let question = if together {
        format!(
            "For each of {}: how much does this person want to speak now, 0 to 10, and about what, in six words?",
            names.join(", ")
        )
    } else {
        QUESTION.to_owned()
    };
    let options = if together { able.iter().map(|seat| seat.0.clone()).collect() } else { vec![] };
    let asked = if together { &able[..1] } else { able };
    NextMove::Ask {
        purpose: Purpose::Bid,
        seats: asked.iter().copied().cloned().collect(),
        why: "who wants to speak?".into(),
        question: question.into(),
        options,
    }
}

/// Returns whether one call can bid for all: seats of one model that know each other by name, outside of experiments.
fn in_one_call(v: &View<'_>, able: &[&SeatId]) -> bool {
    let scenario = &v.state.scenario;
    let hidden = v.state.phase_of(v.thread.id).is_some_and(|p| p.shows.anonymous != Anonymous::Off);
    let model = |seat: &SeatId| Some(&v.state.seat(seat)?.spec.voice.as_model()?.name);
    let first = able.first().and_then(|seat| model(seat));
    let same = first.is_some() && able.iter().all(|seat| model(seat) == first);
    same && !hidden && !scenario.bare && scenario.answer.is_none()
}

/// Returns the seat that the last message asks by name, and the reason for its turn; `None` while somebody else has
/// waited too long.
fn asked_by_name(v: &View<'_>, able: &[&SeatId]) -> Option<(SeatId, String)> {
    let waits = |seat: &&SeatId| silence(v, seat) >= able.len() + PATIENCE;
    if !divides(v) || able.iter().any(waits) {
        return None;
    }
    let last = v.last_entry()?;
    let had = |named: &SeatId| {
        let batch = v.thread.batch.as_ref().filter(|b| b.spec.purpose == Purpose::Speak);
        batch.is_some_and(|b| b.id.0 > last.seq.0 && b.spec.seats.contains(named))
    };
    let named = last.mentions.iter().find(|named| valid(v, last, named) && !had(named))?;
    let by = last.seat().map_or("you", |by| v.name(by));
    Some((named.clone(), format!("{by} asked {}", v.name(named))))
}

/// Returns the number of turns since a seat last spoke; of all turns if it has not spoken.
fn silence(v: &View<'_>, seat: &SeatId) -> usize {
    v.spoken().take_while(|e| e.seat() != Some(seat)).count()
}

/// A seat's bid and its waiting time.
struct Bid {
    seat: SeatId,
    /// The bid as given; `None` if it could not be read.
    value: Option<f64>,
    reason: String,
    /// Number of utterances since its own last one; all utterances if it has not spoken.
    silent: usize,
    /// The bid after the discount for recent turns; negative infinity without a bid.
    net: f64,
    /// Number of utterances by others after which the seat goes first.
    patience: usize,
}

impl Bid {
    /// Returns the number of utterances that it has waited, if it has a bid and has waited too long.
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
    let together = asked.is_some_and(|b| !b.spec.options.is_empty());
    let reply = asked.and_then(|b| b.ended.iter().find(|r| together || r.seat == *seat));
    let said = reply.filter(|r| r.outcome == Outcome::Said).map_or(&Value::Null, |r| &r.structured);
    let said = if together { &said[&*seat.0] } else { said };
    let since = v.spoken().position(|e| e.seat() == Some(seat));
    let recent = v.spoken().take(RECENT_ROUNDS * able).filter(|e| e.seat() == Some(seat)).count();
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
        silent: silence(v, seat),
        net: value.map_or(f64::NEG_INFINITY, worth),
        patience: able + PATIENCE,
    }
}

/// Returns whether bids are divided by recent turns: false in a session that an earlier program began, whose memo lacks
/// the key.
fn divides(v: &View<'_>) -> bool {
    let memo = &v.thread.memo;
    memo.round.is_none() || memo.discount.as_deref() == Some(BY_TURNS)
}

/// Returns whether a seat that can speak has an open request.
fn asked_for_words(v: &View<'_>) -> bool {
    requests::in_turn(v).0.iter().any(|asked| v.state.may_speak(&asked.seat))
}
