//! Picks, bids, votes and verdicts as text: the result and the reasons.
//!
//! A single vote or judgement gets no note of its own: nobody may see it before all are given.

use super::narrated::{Narrated, note, place};
use crate::analysis::{
    Standing, deciding_turns, move_of, name, name_of_side, result_parts, turns_read, who_moved,
    with_names,
};
use crate::model::payload::TurnEnded;
use crate::model::*;
use crate::state::{State, Swing};
use crate::text;

/// Name of the operator in exports.
const HOST: &str = "the host";

/// Returns a reason after a colon; empty without a reason.
fn because(why: &str) -> String {
    if why.trim().is_empty() { String::new() } else { format!(": {}", why.trim()) }
}

/// Returns a choice with its reason; only the reason if it begins with the choice.
fn chosen(choice: &str, why: &str) -> String {
    let why = why.trim();
    let begins = why.get(..choice.len()).is_some_and(|first| first.eq_ignore_ascii_case(choice));
    if begins && !why[choice.len()..].starts_with(char::is_alphanumeric) {
        why.to_owned()
    } else {
        format!("{choice}{}", because(why))
    }
}

/// Returns the note on the end of a turn with a purpose other than speaking.
pub(super) fn turn(state: &State, seat: &SeatId, e: &TurnEnded) -> Vec<Narrated> {
    let who = name(state, seat);
    let data = |key: &str| e.structured[key].as_str().unwrap_or_default();
    match (e.outcome, e.purpose) {
        // a warning says why there is no result
        (Outcome::Failed, Purpose::Result) => vec![],
        (Outcome::Failed, purpose) => note(match &e.error {
            Some(error) if error.class == ErrorClass::Form && purpose == Purpose::Vote => {
                format!("{who} abstained")
            }
            Some(error) => format!("{who} gave no answer: {}", error.text),
            None => format!("{who} gave no answer"),
        }),
        (Outcome::Passed, _) => note(format!("{who} passes")),
        (Outcome::Cut, _) => vec![],
        (Outcome::Said, Purpose::Pick) => {
            let choice = data("choice");
            let chosen = state.seat(choice).map(|s| name(state, &s.spec.id));
            match chosen {
                Some(chosen) => note(format!("{who} chooses {chosen}{}", because(data("why")))),
                // the only choice besides a participant is the end
                None => note(format!("{who} ends it{}", because(data("why")))),
            }
        }
        (Outcome::Said, Purpose::Bid) if e.structured.get("bid").is_none() => {
            let bids = e.structured.as_object().into_iter().flatten().map(|(seat, bid)| {
                let who = name(state, &seat.as_str().into());
                format!("{who} {}", bid["bid"].as_f64().unwrap_or_default())
            });
            note(format!("bids: {}", bids.collect::<Vec<_>>().join(", ")))
        }
        (Outcome::Said, Purpose::Bid) => {
            let bid = e.structured["bid"].as_f64().unwrap_or_default();
            note(format!("{who} bids {bid}{}", because(data("why"))))
        }
        (Outcome::Said, Purpose::Judge) if e.structured.get("choice").is_some() => {
            note(format!("{who} says {}{}", data("choice"), because(data("why"))))
        }
        (Outcome::Said, Purpose::Summarise) => note(format!("{who} summarises")),
        (Outcome::Said, Purpose::Vote | Purpose::Judge | Purpose::Speak | Purpose::Result) => {
            vec![]
        }
    }
}

/// Returns the result of a vote.
pub(super) fn vote(state: &State, vote: &VoteClosed) -> Vec<Narrated> {
    let mut body = format!("{}\n", vote.how);
    for way in vote.ways.iter().skip(1) {
        body.push_str(&format!("{}\n", way.words()));
    }
    for ballot in &vote.ballots {
        let choice = ballot.choice.as_deref().unwrap_or("abstains");
        let chosen = chosen(choice, &ballot.why);
        body.push_str(&format!("{}: {chosen}\n", name(state, &ballot.seat)));
    }
    body.extend(state.swing_of(vote).map(|all| swing(state, &all)));
    words(state, format!("{}: {}", vote.kind(), vote.question), &body)
}

/// Returns the swing between the polls: gains, and voters who changed.
fn swing(state: &State, swing: &Swing<'_>) -> String {
    let sign = |gain: i64| if gain > 0 { format!("+{gain}") } else { gain.to_string() };
    let gains: Vec<String> =
        swing.gains.iter().map(|(option, gain)| format!("{option} {}", sign(*gain))).collect();
    let won = swing.winner.map_or_else(|| "nobody gains".into(), |won| format!("{won} gains most"));
    let mut body = format!("\nswing: {}; {won}\n", gains.join(", "));
    for moved in &swing.moved {
        let choice = |choice: Option<&Text>| choice.map_or("no vote", |c| &**c).to_owned();
        let who = name(state, moved.seat);
        body.push_str(&format!("{who}: {} to {}\n", choice(moved.from), choice(moved.to)));
    }
    body
}

/// Returns the note on a changed position; the first one is in the participant's own message. `standing` has the
/// positions that count in the end, if they are known.
pub(super) fn position(
    state: &State,
    standing: Option<&Standing>,
    now: &PositionRecorded,
) -> Vec<Narrated> {
    if now.at.is_some() {
        let moved = match standing {
            Some(whole) => whole.moves().into_iter().find(|moved| moved.now.turn == now.turn),
            None => move_of(state, now),
        };
        return moved.map_or_else(Vec::new, |moved| note(moved.describe(HOST)));
    }
    let positions = state.seat(&now.participant).map_or(&[][..], |s| &s.positions);
    match positions {
        [.., before, _] if before.words != now.words => {
            let who = name(state, &now.participant);
            note(format!("{who} changed from {} to {}", before.words, now.words))
        }
        _ => vec![],
    }
}

/// Returns a verdict with its judgements.
pub(super) fn verdict(state: &State, verdict: &VerdictGiven) -> Vec<Narrated> {
    let called = |side: &Text| name_of_side(state, side);
    let winner = verdict.winner.as_ref().map_or_else(|| "no winner".to_owned(), called);
    let mut body = format!("{winner} ({})\n", verdict.how);
    if !verdict.scores.is_empty() {
        let score = |side: &Text| Some((called(side), verdict.scores.get(side)?));
        let of = |side: &Text| score(side).map(|(side, score)| format!("{side} {score}"));
        let scores: Vec<String> = verdict.sides.iter().filter_map(of).collect();
        body.push_str(&format!("scores: {}\n", scores.join(", ")));
    }
    for judgement in &verdict.judgements {
        let says = judgement.winner.as_ref().map_or_else(|| "abstains".to_owned(), called);
        let swapped = if judgement.swapped { ", sides swapped" } else { "" };
        let judge = name(state, &judgement.judge);
        let why = with_names(state, verdict, judgement, &judgement.why);
        let says = match &judgement.winner {
            Some(_) => format!("for {says}{}", because(&why)),
            None => chosen(&says, &why),
        };
        body.push_str(&format!("{judge}{swapped}, {says}\n"));
        for (side, point) in &judgement.unanswered {
            let point = with_names(state, verdict, judgement, point);
            body.push_str(&format!("- {} never answered: {}\n", called(side), point.trim()));
        }
        if !judgement.decided_by.is_empty() {
            body.push_str(&format!("- decided by {}\n", deciding_turns(state, judgement)));
        }
    }
    let of = verdict.phase.as_ref().map_or(String::new(), |phase| format!(" on {phase}"));
    let so_far = if verdict.interim { " so far" } else { "" };
    words(state, format!("verdict{of}{so_far}: {}", verdict.question), &body)
}

/// Returns the result of the conversation: a list for each part that is not empty.
pub(super) fn result(standing: Option<&Standing>, result: &ResultGiven) -> Vec<Narrated> {
    let mut body = format!("{}\n", result.result.trim());
    let (moved, says_scribe) = who_moved(standing, result, HOST);
    let moved: Vec<String> =
        moved.into_iter().map(|(who, chain)| format!("{who}: {chain}")).collect();
    let moves = if says_scribe { "moved, says the scribe" } else { "moved" };
    let parts = result_parts(result).into_iter().map(|part| {
        let head = match part.label {
            "undo" => "wrong if",
            "check" => "to check",
            label => label,
        };
        (head, part.lines)
    });
    for (head, lines) in std::iter::once((moves, moved)).chain(parts) {
        if !lines.is_empty() {
            let lines: String = lines.iter().map(|line| format!("- {}\n", line.trim())).collect();
            body.push_str(&format!("\n{head}:\n{lines}"));
        }
    }
    body.extend(turns_read(result).map(|read| format!("\n{read}\n")));
    let body = text::block(&body).into_owned();
    vec![Narrated::Words { place: "end".into(), who: "result".into(), body }]
}

fn words(state: &State, who: String, body: &str) -> Vec<Narrated> {
    let who = text::label(&who).into_owned();
    vec![Narrated::Words { place: place(state), who, body: text::block(body).into_owned() }]
}
