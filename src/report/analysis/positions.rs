//! Votes and verdicts: positions over time, and voting agreement.
//!
//! Counts, not percentages: there are too few votes.

use super::turn_log::MomentKind;
use super::{Analysis, Cell, Column, Moment, Table, name};
use crate::model::SeatId;
use crate::model::ballot::{Ballot, VerdictGiven, VoteClosed};
use std::collections::BTreeMap;

/// Returns the closed votes, each with the number of the turn before it.
fn closed<'a>(analysis: &Analysis<'a>) -> Vec<(u32, &'a VoteClosed)> {
    let vote = |m: &'a Moment| match &m.what {
        MomentKind::Vote(vote) => Some((m.after, &**vote)),
        _ => None,
    };
    analysis.moments().filter_map(vote).collect()
}

/// Returns the last vote, if any.
pub fn last_vote<'a>(analysis: &Analysis<'a>) -> Option<&'a VoteClosed> {
    closed(analysis).last().map(|(_, vote)| *vote)
}

/// Returns all voters, in the order of their seats.
fn voters<'a>(analysis: &Analysis<'a>, votes: &[(u32, &VoteClosed)]) -> Vec<&'a SeatId> {
    let seats = analysis.state.seats.iter().map(|s| &s.spec.id);
    seats.filter(|id| votes.iter().any(|(_, v)| ballot(v, id).is_some())).collect()
}

fn ballot<'a>(vote: &'a VoteClosed, seat: &SeatId) -> Option<&'a Ballot> {
    vote.ballots.iter().find(|b| b.seat == *seat)
}

/// Returns the table of votes and verdicts.
pub fn decisions(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "decisions",
        "Votes and verdicts",
        "votes and verdicts, in order, with the turn they followed",
        1,
        "number: no. | after_utterance: after | what | question | winner | counts | how",
    );
    for moment in analysis.moments() {
        let (what, question, winner, counts, how) = match &moment.what {
            MomentKind::Vote(v) => ("vote", &v.question, &v.winner, counts(v), &v.how),
            MomentKind::Verdict(v) => ("verdict", &v.question, &v.winner, scores(v), &v.how),
            _ => continue,
        };
        table.rows.push(vec![
            Cell::Count(table.rows.len() as u64 + 1),
            Cell::Count(u64::from(moment.after)),
            Cell::text(what),
            Cell::text(question),
            winner.as_ref().map_or(Cell::None, |w| Cell::text(w)),
            Cell::text(&counts),
            Cell::text(how),
        ]);
    }
    table
}

/// Returns the number of votes for each choice, as text.
pub(super) fn counts(vote: &VoteClosed) -> String {
    list(vote.counts.iter().map(|(choice, n)| format!("{n} {choice}")))
}

fn scores(verdict: &VerdictGiven) -> String {
    list(verdict.scores.iter().map(|(side, score)| format!("{side} {score:.1}")))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

/// Returns the table of positions: a row for each participant, a column for each vote.
pub fn positions(analysis: &Analysis<'_>) -> Table {
    let votes = closed(analysis);
    let mut table = Table::new(
        "positions",
        "Positions",
        "each participant's choice in each vote; `abstained` if the reply named no choice",
        1,
        "participant",
    );
    table.columns.extend(
        votes.iter().enumerate().map(|(i, (after, _))| {
            Column::new(&format!("vote_{}", i + 1), &format!("after {after}"))
        }),
    );
    for seat in voters(analysis, &votes) {
        let stood = votes.iter().map(|(_, vote)| match ballot(vote, seat) {
            Some(Ballot { choice: Some(choice), .. }) => Cell::text(choice),
            Some(Ballot { choice: None, .. }) => Cell::text("abstained"),
            None => Cell::None,
        });
        table
            .rows
            .push([Cell::Text(name(analysis.state, seat))].into_iter().chain(stood).collect());
    }
    table
}

/// Returns the table of voting agreement between participants.
pub fn alike(analysis: &Analysis<'_>) -> Table {
    let votes = closed(analysis);
    let mut table = Table::new(
        "alike",
        "Same votes",
        "of the votes in which both chose, how often they chose the same",
        1,
        "participant",
    );
    let seats = voters(analysis, &votes);
    table.columns.extend(seats.iter().map(|id| Column::new(id, &name(analysis.state, id))));
    let chose = |vote: &VoteClosed| -> BTreeMap<SeatId, String> {
        let choices = vote.ballots.iter();
        choices.filter_map(|b| Some((b.seat.clone(), b.choice.as_ref()?.to_string()))).collect()
    };
    let choices: Vec<_> = votes.iter().map(|(_, vote)| chose(vote)).collect();
    for a in &seats {
        let with = seats.iter().map(|b| {
            let both: Vec<bool> =
                choices.iter().filter_map(|vote| Some(vote.get(*a)? == vote.get(*b)?)).collect();
            if a == b || both.is_empty() {
                Cell::None
            } else {
                Cell::Of(both.iter().filter(|same| **same).count() as u64, both.len() as u64)
            }
        });
        table.rows.push([Cell::Text(name(analysis.state, a))].into_iter().chain(with).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::TurnLog;
    use crate::model::payload::Opened;
    use crate::model::{Event, Kind, Ms, Seq, ThreadId, Wall};
    use serde_json::json;

    fn event(seq: u64, kind: impl Into<Kind>) -> Event {
        Event {
            seq: Seq(seq),
            at: Wall(0),
            ms: Ms(seq),
            thread: ThreadId::ROOT,
            by: "engine".into(),
            cause: None,
            kind: kind.into(),
        }
    }

    fn vote(choices: [Option<&str>; 3]) -> VoteClosed {
        let ballots = ["ada", "bo", "cy"].into_iter().zip(choices);
        let ballots = ballots.map(|(seat, choice)| json!({"seat": seat, "choice": choice}));
        let mut counts = BTreeMap::new();
        choices.into_iter().flatten().for_each(|c| *counts.entry(c).or_insert(0) += 1);
        let vote = json!({"question": "Ban?", "options": ["for", "against"], "counts": counts, "how": "majority",
            "ballots": ballots.collect::<Vec<_>>()});
        serde_json::from_value(vote).expect("a vote")
    }

    #[test]
    fn voting_agreement_counts_shared_votes() {
        let seat = |id: &str| {
            json!({"id": id, "name": id, "voice": {"human": {}}, "on_failure": {"retry": 1, "then": "skip"},
            "timeouts": {"connect": 1, "first": 1, "silence": 1, "total": 1}})
        };
        let opened: Opened = serde_json::from_value(json!({"format": 1, "program": "p", "seed": 1, "rehearsed": true,
            "scenario": {}, "parallel": 1, "participants": [seat("ada"), seat("bo"), seat("cy"), seat("dee")]}))
        .expect("an opening");
        let events = [
            event(0, Box::new(opened)),
            event(1, vote([Some("for"), Some("for"), Some("against")])),
            event(2, vote([Some("for"), None, Some("for")])),
        ];
        let (state, turn_log): (_, TurnLog) = crate::analysis::fold(&events);
        let analysis = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
        let shown = |table: Table| -> Vec<String> {
            let row = |r: &Vec<Cell>| r.iter().map(Cell::shown).collect::<Vec<_>>().join(" ");
            table.rows.iter().map(row).collect()
        };
        assert_eq!(
            shown(positions(&analysis)),
            ["ada for for", "bo for abstained", "cy against for"]
        );
        assert_eq!(shown(alike(&analysis)), ["ada - 1/1 1/2", "bo 1/1 - 0/1", "cy 1/2 0/1 -"]);
        assert_eq!(shown(decisions(&analysis))[1], "2 0 vote Ban? - 2 for majority");
    }
}
