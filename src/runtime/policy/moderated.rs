//! A moderator chooses who speaks next and when the conversation ends.
//!
//! The choice is a turn of its own with the legal seats as its options: an illegal choice is corrected once, like any
//! malformed reply. Without a choice (the moderator fails, passes, is muted or was cut) the fallback policy decides,
//! with a memo of its own. A seat speaks at most `streak` times in a row, unless it is the only one, and a moderator
//! never chooses itself. A mention is only a hint to the moderator.

use super::in_turn::{ProposedTurn, ROUNDS, count_turn, decide};
use super::requests::MODERATED;
use super::{Decision, NextMove, Policy, View, round_robin, talkative, weighted};
use crate::model::{Outcome, Purpose, Requester, SeatId, StopReason, Text};
use crate::scenario::{OptionKind, PolicyRow, PolicyTraits, TakesPart, options};
use crate::state::policies::COUNTS_ROUNDS;
use crate::state::{Chosen, Entry, Memo, Reply};
use serde_json::Value;
use std::fmt::Write;

const ROW: PolicyRow = PolicyRow {
    name: MODERATED,
    meaning: "A moderator chooses who speaks next and when to end.",
    options: options! {
        "moderator" = OptionKind::Seat, "The moderating participant.";
        "streak" = OptionKind::Count, "How often the same participant may speak in a row (default 2).";
        "may_end" = OptionKind::Flag,
            "Whether the moderator may end the conversation: true at any time, false never (default: once everyone \
             has spoken).";
        "fallback" = OptionKind::OneOf(&["round_robin", "weighted", "talkative"]),
            "The policy used when the moderator makes no choice (default round_robin).";
        ..ROUNDS
    },
    takes_part: TakesPart::Turns("you have a seat; the moderator picks you"),
    traits: PolicyTraits { reads: COUNTS_ROUNDS, ..PolicyTraits::DEBATE },
};

/// Policy `moderated`; see the module.
pub(super) const POLICY: Policy = Policy::new(ROW, next);

/// Default number of times in a row that the same seat may speak.
const STREAK: u64 = 2;
/// Answer of the moderator that ends the conversation.
const END: &str = "end";
/// Task of the moderator.
const TASK: &str = "You choose who speaks and tell them in one clause what to take up. They read that clause, unless a message of \
     the host, a question to them, a doubt or the last turn comes before it.";
/// Default policy for turns without a choice by the moderator.
const FALLBACK: &str = "round_robin";

fn next(v: &View<'_>) -> Decision {
    let legal = legal(v);
    let mut memo = v.memo();
    let round = count_turn(&mut memo, v.able().count());
    if legal.is_empty() {
        return v.nobody();
    }
    if v.option_count("rounds").is_some_and(|rounds| u64::from(round) > rounds) {
        return v.end(StopReason::RoundLimit);
    }
    let asked = v.thread.asked.as_ref().filter(|b| b.spec.purpose == Purpose::Pick);
    let moderator = SeatId(v.thread.spec.options["moderator"].as_str().unwrap_or("").into());
    let Some(asked) = asked else {
        return if v.state.may(Purpose::Pick, &moderator) {
            ask(v, moderator, &legal)
        } else {
            fallback(v, &legal, &format!("{} is not available to choose", v.name(&moderator)))
        };
    };
    let choice = asked.ended.last().filter(|r| r.outcome == Outcome::Said).map(choice);
    match choice {
        Some((END, _)) => v.end(StopReason::Goal),
        Some((chosen, why)) if let Some(seat) = legal.iter().find(|s| ***s == *chosen) => {
            let because = why;
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            let why = format!("{} chose {}{why}", v.name(&moderator), v.name(seat));
            memo.chosen = Some(Chosen { by: moderator, why: because.into() });
            let seat = (*seat).clone();
            let kept = v.memo();
            decide(v, Some(ProposedTurn { seat, why, queue: vec![], round, memo, kept }))
        }
        Some(_) | None => {
            fallback(v, &legal, &format!("no choice came from {}", v.name(&moderator)))
        }
    }
}

fn choice(reply: &Reply) -> (&str, &str) {
    let text = |key: &str| reply.structured[key].as_str().unwrap_or_default();
    (text("choice"), text("why"))
}

/// Returns the seats that may be chosen now.
fn legal<'a>(v: &View<'a>) -> Vec<&'a SeatId> {
    let moderator = v.thread.spec.options["moderator"].as_str().unwrap_or("");
    let mut able: Vec<&SeatId> = v.able().filter(|s| **s != *moderator).collect();
    if able.len() > 1
        && let Some((last, _)) = blocked(v)
    {
        able.retain(|s| *s != last);
    }
    able
}

/// Returns the seat that has spoken as often in a row as it may, whoever gave it the floor, and its number of turns;
/// `None` if it was asked since then.
fn blocked<'a>(v: &View<'a>) -> Option<(&'a SeatId, u64)> {
    let mut spoken = v.spoken().filter_map(Entry::seat);
    let last = spoken.next()?;
    let since = v.entries().rev().take_while(|e| e.seat() != Some(last));
    if since.into_iter().any(|entry| entry.mentions.contains(last)) {
        return None;
    }
    let turns = 1 + spoken.take_while(|seat| *seat == last).count() as u64;
    (turns >= v.option_count("streak").unwrap_or(STREAK)).then_some((last, turns))
}

fn ask(v: &View<'_>, moderator: SeatId, legal: &[&SeatId]) -> Decision {
    let may_end = match &v.thread.spec.options["may_end"] {
        // a conversation cannot end before it has begun
        Value::Bool(may) => *may && v.last_entry().is_some(),
        _ => v.able().filter(|s| **s != moderator).all(|s| has_spoken(v, s)),
    };
    let options = legal.iter().map(|s| s.0.clone());
    let options = options.chain(may_end.then(|| END.into())).collect();
    let next = NextMove::Ask {
        purpose: Purpose::Pick,
        why: "the moderator chooses who is next".into(),
        question: question(v, &moderator, legal, may_end),
        options,
        seats: vec![moderator],
    };
    Decision { next, memo: v.memo() }
}

/// Returns whether a seat has spoken since the conversation last continued after an end.
fn has_spoken(v: &View<'_>, seat: &SeatId) -> bool {
    v.state.seat(seat).is_some_and(|s| s.since_reopening() > 0)
}

fn question(v: &View<'_>, moderator: &SeatId, legal: &[&SeatId], may_end: bool) -> Text {
    let name = |id: &SeatId| v.state.seat(id).map_or(id.0.clone(), |s| s.spec.name.clone());
    let mut question = TASK.to_owned();
    let number = v.state.utterances + 1;
    if let Some(most) = v.state.limits.utterances.filter(|most| number <= *most) {
        let _ = write!(question, " Turn {number} of {most}.");
    }
    let turns = |seat: &&SeatId| v.state.seat(seat).map_or(0, |s| s.utterances);
    let speakers: Vec<&SeatId> = v.able().filter(|seat| *seat != moderator).collect();
    if speakers.iter().any(|seat| turns(seat) > 0) {
        let counts: Vec<String> =
            speakers.iter().map(|seat| format!("{} {}", name(seat), turns(seat))).collect();
        let _ = write!(question, " Turns so far: {}.", counts.join(", "));
        if let Some((last, turns)) = blocked(v).filter(|(last, _)| !legal.contains(last)) {
            let times = if turns == 2 { "twice".to_owned() } else { format!("{turns} times") };
            let _ =
                write!(question, " {} spoke {times} in a row and cannot be chosen.", name(last));
        }
    } else {
        question.push_str(" Nobody has spoken yet.");
    }
    question.extend(by_host(v).map(|told| format!(" {told}")));
    let named = v.last_entry().map_or(&[][..], |e| &e.mentions);
    for seat in named.iter().filter(|s| legal.contains(s)) {
        let _ = write!(question, " {} was named by whoever spoke last.", name(seat));
    }
    if may_end {
        let _ = write!(question, " Answer {END:?} when two in a row have added nothing.");
    }
    question.into()
}

/// Returns what the host did with the last turn: skipped it, or gave the floor for it.
fn by_host(v: &View<'_>) -> Option<String> {
    let batch = v.thread.batch.as_ref().filter(|batch| batch.spec.purpose == Purpose::Speak)?;
    let reply = batch.ended.last()?;
    let name = v.name(&reply.seat);
    if reply.outcome == Outcome::Cut {
        return Some(format!("The host stopped {name}."));
    }
    let given = batch.spec.requester == Requester::Operator && batch.spec.replaces.is_none();
    given.then(|| format!("The host gave {name} the floor."))
}

/// Lets the fallback policy decide; its memo has a key of its own.
fn fallback(v: &View<'_>, legal: &[&SeatId], because: &str) -> Decision {
    let name = v.thread.spec.options["fallback"].as_str().unwrap_or(FALLBACK);
    let policy = match name {
        "weighted" => weighted::POLICY,
        "talkative" => talkative::POLICY,
        _ => round_robin::POLICY,
    };
    let mut thread = v.thread.clone();
    thread.memo = v.thread.memo.fallback.as_deref().cloned().unwrap_or_default().into();
    thread.spec.options = Value::Null;
    // skip seats that may not be chosen now
    for _ in 0..=thread.seats.len() {
        let decision = (policy.next)(&View { state: v.state, thread: &thread });
        let Decision { next, memo: own } = decision;
        thread.memo = own.clone().into();
        let NextMove::Speak { seats, why, queue, .. } = next else { break };
        if !seats.first().is_some_and(|s| legal.contains(&s)) {
            continue;
        }
        let mut memo = Memo { fallback: Some(own.into()), chosen: None, ..v.memo() };
        let round = count_turn(&mut memo, v.able().count());
        let why = format!("{because}: {why}").into();
        let next = NextMove::Speak { seats, why, queue, round: Some(round) };
        return Decision { next, memo };
    }
    v.nobody()
}
