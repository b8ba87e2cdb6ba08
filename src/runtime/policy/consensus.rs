//! A search for one answer: every seat gives an answer or votes for a known one, until all have voted.
//!
//! In each round all unsettled seats work at once, without the answers of that round. With `on_new = "restart"` a new
//! answer restarts the calls still running, a limited number of times a round, so that they see it. A seat whose vote is
//! older than the newest answer is asked again. When all seats have voted on the known answers, or the rounds are used
//! up, the votes are counted: the last vote of each seat, for answers that are not withdrawn. The rule for ties is
//! explicit, and "no votes" is an outcome of its own. The winner presents the answer.

mod board;
mod prompt;

use super::in_turn::ROUNDS;
use super::{Decision, NextMove, Policy, View};
use crate::model::{Outcome, Purpose, Requester, SeatId, Seq, StopReason, Text, TurnId};
use crate::scenario::{OptionKind, PolicyRow, TakesPart, options};
use crate::state::policies::consensus;
use crate::state::{Coordination, Memo, MoveKind, Task};
use crate::text::plural;
use serde_json::{Value, json};

const ROW: PolicyRow = PolicyRow {
    name: consensus::NAME,
    meaning: "Everyone answers or votes for an answer, until all have voted; the winner presents it.",
    options: options! {
        ROUNDS,
        "on_new" = OptionKind::OneOf(&["restart", "tell"]),
            "Effect of a new answer on participants who are still working: they see it in the next round (default), \
             or they restart and see it at once.";
        "restarts" = OptionKind::Count,
            "How often new answers restart the others in a round (default 2); by itself it means on_new = \
             \"restart\".";
        "answers" = OptionKind::Count,
            "How many answers each participant may give; then it can only vote (default 3).";
        "votes" = OptionKind::OneOf(&["hidden", "shown"]),
            "Whether the votes so far are shown to participants who have not voted (default hidden).";
        "tie" = OptionKind::OneOf(&["run_off", "first", "random", "judge", "human"]),
            "How a tie is broken: another vote between the tied answers, then at random (default); the answer given \
             first; at random; by `judge`; by you, who give the floor to the winner.";
        "judge" = OptionKind::Named { speaks: false },
            "The participant who breaks a tie, or says whether an answer is new.";
        "novelty" = OptionKind::Share,
            "An answer that shares more than this part of its words with a known one is asked for again (default \
             off). Words that deny are never overlooked.";
        "novelty_by" = OptionKind::OneOf(&["words", "judge"]),
            "Who says whether an answer is new: its words, or `judge` (which needs no threshold).";
    },
    takes_part: TakesPart::Turns("you have a seat and answer like the others"),
    traits: consensus::TRAITS,
};

/// Policy `consensus`; see the module.
pub(super) const POLICY: Policy = Policy {
    board: board::board,
    details: board::details,
    prompt: |v, turn| Some(prompt::parts(v, turn)),
    tags: prompt::TAGS,
    supersedes,
    result,
    ..Policy::new(ROW, next)
};

/// Default number of rounds of work.
const ROUNDS_MAX: u64 = 3;
/// Default number of restarts in a round.
const RESTARTS: u64 = 2;
/// Salt for the random choice that breaks a tie.
const TIE_SALT: &str = "tie of a consensus";
/// Question to the winner.
const PRESENT: &str = "Your answer won the vote. Present it as the group's final answer, with what the reasons for the votes \
                       add to it. It must be complete and make sense on its own; do not mention the vote.";

fn next(v: &View<'_>) -> Decision {
    let stands = v.state.coordination(v.thread, v.state.next_seq);
    match v.thread.memo.step {
        None => begin(v),
        Some(Task::Present) => v.end(StopReason::Consensus),
        Some(Task::Novelty) => after_novelty(v, &stands),
        Some(Task::Ballot) => counted(v, &stands),
        Some(Task::RunOff) => after_run_off(v, &stands),
        Some(Task::Judge) => after_judge(v),
        Some(_) => worked(v, &stands),
    }
}

fn supersedes(v: &View<'_>) -> Option<TurnId> {
    let batch = v.thread.batch.as_ref()?;
    if v.thread.memo.step != Some(Task::Work) || batch.spec.requester != Requester::Policy {
        return None;
    }
    let most = v.option_count("restarts");
    let restarts =
        v.option_is("on_new", "restart") || most.is_some() && !v.option_is("on_new", "tell");
    if !restarts {
        return None;
    }
    let stands = v.state.coordination(v.thread, v.state.next_seq);
    let of_batch = |m: &&&crate::state::AnswerMove| m.seq.0 > batch.id.0;
    let answers = stands.moves.iter().filter(of_batch).filter(|m| m.did == MoveKind::Answered);
    let newest = answers.map(|m| m.seq).max()?;
    let most = most.unwrap_or(RESTARTS);
    let may = batch.restarts.contains(&newest) || (batch.restarts.len() as u64) < most;
    let mut running = batch.running.iter().filter_map(|(id, _)| v.state.turns.get(id));
    if !may {
        return None;
    }
    running.find(|turn| turn.horizon < newest).map(|turn| turn.id)
}

fn result(v: &View<'_>) -> Value {
    let stands = v.state.coordination(v.thread, v.state.next_seq);
    let winner = v.thread.memo.winner.as_ref();
    let text = |seat: &SeatId| {
        let answer = stands.answers.iter().find(|(who, _)| *who == seat);
        answer.map(|(_, entry)| entry.text().clone())
    };
    let presented = stands.moves.iter().rev().find(|m| m.did == MoveKind::Presented);
    let presented = presented.and_then(|m| v.state.shown_entry(m.turn));
    let presented = presented.map(|entry| entry.text().clone());
    let votes = stands
        .votes
        .iter()
        .map(|(by, (whose, why, _))| json!({"by": by, "for": whose, "why": why}));
    let restarts = stands.moves.iter().filter(|m| m.did == MoveKind::Restarted).count();
    json!({
        "winner": winner,
        "answer": presented.or_else(|| text(winner?)),
        "how": v.thread.memo.how,
        "votes": votes.collect::<Value>(),
        "answers": stands.answers.iter().map(|(seat, e)| json!({"by": seat, "text": e.text()})).collect::<Value>(),
        "rounds": v.thread.round,
        "restarts": restarts,
    })
}

/// Opens the first batch of an exchange, in which every seat answers.
fn begin(v: &View<'_>) -> Decision {
    let seats: Vec<SeatId> = v.able().cloned().collect();
    if seats.is_empty() {
        return v.nobody();
    }
    let memo = Memo { from: Some(v.state.since.seq), ..v.memo() };
    work(seats, 1, memo, "everyone answers")
}

fn work(seats: Vec<SeatId>, round: u32, memo: Memo, why: &str) -> Decision {
    let memo = Memo { step: Some(Task::Work), round: Some(round), ..memo };
    let next = NextMove::Speak {
        seats,
        why: format!("{why}, round {round}").into(),
        queue: vec![],
        round: Some(memo.before.unwrap_or(0).saturating_add(round)),
    };
    Decision { next, memo }
}

/// Returns the seats that have not voted since the newest answer. A seat that left a round is asked again in the next.
fn unsettled(v: &View<'_>, stands: &Coordination<'_>) -> Vec<SeatId> {
    let newest = stands.newest();
    let settled = |seat: &SeatId| {
        let vote = stands.votes.get(seat);
        vote.is_some_and(|(_, _, horizon)| newest.is_none_or(|newest| *horizon >= newest))
    };
    v.able().filter(|seat| !settled(seat)).cloned().collect()
}

/// Decides what follows a round of work.
fn worked(v: &View<'_>, stands: &Coordination<'_>) -> Decision {
    if let Some(asked) = novelty(v, stands) {
        return asked;
    }
    let round = v.thread.memo.round.unwrap_or(0);
    let most = v.option_count("rounds").unwrap_or(ROUNDS_MAX);
    let open = unsettled(v, stands);
    if stands.answers.is_empty() {
        // without an answer there is nothing to vote for; seats that left the round are asked once more
        let seats: Vec<SeatId> = v.able().cloned().collect();
        return if u64::from(round) < most && !seats.is_empty() {
            work(seats, round.saturating_add(1), v.memo(), "nobody answered yet")
        } else {
            v.end(StopReason::NoVotes)
        };
    }
    if open.is_empty() {
        return counted(v, stands);
    }
    if u64::from(round) < most {
        return work(open, round.saturating_add(1), v.memo(), "answer or vote");
    }
    ask(v, Task::Ballot, open, "the rounds are used up: everyone votes", None)
}

/// Asks seats for something other than work; `tied` replaces the seats that can be voted for.
fn ask(
    v: &View<'_>,
    task: Task,
    seats: Vec<SeatId>,
    why: &str,
    tied: Option<Vec<SeatId>>,
) -> Decision {
    let mut memo = Memo { step: Some(task), ..v.memo() };
    memo.tied = tied.or(memo.tied);
    let next = NextMove::Speak {
        seats,
        why: why.into(),
        queue: vec![],
        round: Some(v.thread.round.max(1)),
    };
    Decision { next, memo }
}

/// Counts the votes and presents the winner or breaks the tie.
fn counted(v: &View<'_>, stands: &Coordination<'_>) -> Decision {
    let tally = stands.tally();
    let votes = tally.first().map_or(0, |(_, votes)| *votes);
    let best = tally.into_iter().filter(|(_, got)| *got == votes && votes > 0);
    let tied: Vec<SeatId> = best.map(|(seat, _)| seat.clone()).collect();
    let of = stands.votes.len();
    let names =
        |seats: &[SeatId]| seats.iter().map(|s| v.name(s)).collect::<Vec<_>>().join(" and ");
    match &tied[..] {
        [] => v.end(StopReason::NoVotes),
        [winner] => present(v, winner, &format!("{} of {of}", plural(votes, "vote"))),
        _ => {
            let why = format!("a tie of {} with {} each", names(&tied), plural(votes, "vote"));
            let judge = v.thread.spec.options["judge"].as_str().map(|j| SeatId(j.into()));
            match v.thread.spec.options["tie"].as_str().unwrap_or("run_off") {
                "first" => {
                    present(v, &first(stands, &tied), &format!("{why}; the first one given"))
                }
                "random" => present(v, &pick_at_random(v, &tied), &format!("{why}; at random")),
                "human" => by_hand(v, &tied, &why),
                "judge" if let Some(judge) = judge.filter(|j| v.state.may(Purpose::Judge, j)) => {
                    ask(v, Task::Judge, vec![judge], &why, Some(tied))
                }
                "judge" => present(
                    v,
                    &pick_at_random(v, &tied),
                    &format!("{why}; at random, without a judge"),
                ),
                // nobody is left who could vote again
                _ if v.able().next().is_none() => {
                    present(v, &pick_at_random(v, &tied), &format!("{why}; at random"))
                }
                _ => ask(
                    v,
                    Task::RunOff,
                    v.able().cloned().collect(),
                    &format!("{why}: a run-off"),
                    Some(tied),
                ),
            }
        }
    }
}

/// Returns the tied seat whose answer was given first.
fn first(stands: &Coordination<'_>, tied: &[SeatId]) -> SeatId {
    let first = stands.answers.iter().map(|(seat, _)| *seat).find(|seat| tied.contains(seat));
    first.or(tied.first()).cloned().unwrap_or_else(|| SeatId("".into()))
}

/// Picks one of the tied seats at random, reproducibly.
fn pick_at_random(v: &View<'_>, tied: &[SeatId]) -> SeatId {
    let place = v.thread.ordinal * 1_000_003 + u64::from(v.thread.round);
    let mut seats = tied.to_vec();
    seats.sort();
    let at = usize::try_from(v.state.dice(place, TIE_SALT) % seats.len().max(1) as u64);
    seats.get(at.unwrap_or(0)).cloned().unwrap_or_else(|| SeatId("".into()))
}

fn tied(v: &View<'_>) -> Vec<SeatId> {
    v.thread.memo.tied.clone().unwrap_or_default()
}

/// Returns the votes in the last batch.
fn cast(v: &View<'_>) -> Vec<SeatId> {
    let asked = v.thread.asked.as_ref();
    let said = asked.into_iter().flat_map(|b| &b.ended).filter(|r| r.outcome == Outcome::Said);
    said.filter_map(|r| r.structured["vote"].as_str()).map(|seat| SeatId(seat.into())).collect()
}

fn after_run_off(v: &View<'_>, stands: &Coordination<'_>) -> Decision {
    let tied = tied(v);
    let cast = cast(v);
    let votes = |seat: &SeatId| cast.iter().filter(|c| *c == seat).count();
    let most = tied.iter().map(votes).max().unwrap_or(0);
    let best: Vec<SeatId> = tied.iter().filter(|s| votes(s) == most).cloned().collect();
    let of = stands.votes.len().max(cast.len());
    match &best[..] {
        [winner] => present(v, winner, &format!("a run-off, {} of {of}", plural(most, "vote"))),
        _ => present(v, &pick_at_random(v, &best), "a tie, also in the run-off; at random"),
    }
}

fn after_judge(v: &View<'_>) -> Decision {
    let tied = tied(v);
    match cast(v).first() {
        Some(winner) => present(v, winner, "a tie; the judge chose"),
        None => present(v, &pick_at_random(v, &tied), "a tie; the judge chose nobody; at random"),
    }
}

/// Waits until the operator gives the floor to one of the tied seats, which then presents.
fn by_hand(v: &View<'_>, tied: &[SeatId], why: &str) -> Decision {
    let batch = v.thread.batch.as_ref().filter(|b| b.spec.requester == Requester::Operator);
    if let Some(winner) = batch.and_then(|b| b.spec.seats.first()).filter(|s| tied.contains(s)) {
        return present(v, winner, "a tie; the operator chose");
    }
    let one = tied.first().map_or("", |seat| &*seat.0);
    // the number distinguishes it from the same tie after an earlier question
    let turn = v.state.utterances;
    let told =
        format!("{why} after turn {turn}: give the floor to the winner, as in `floor {one}`");
    let warned = v.state.warnings.iter().any(|w| *w.text == *told);
    let next = if warned { NextMove::Wait } else { NextMove::Warn(told.into()) };
    Decision { next, memo: v.memo() }
}

/// Asks the winner to present the answer.
fn present(v: &View<'_>, winner: &SeatId, how: &str) -> Decision {
    let memo = Memo {
        step: Some(Task::Present),
        winner: Some(winner.clone()),
        how: Some(how.into()),
        tied: None,
        ..v.memo()
    };
    if v.state.seat(winner).is_none() {
        // only in a foreign log
        return v.end(StopReason::NoVotes);
    }
    if !v.state.may_speak(winner) {
        // the winner left or was muted meanwhile; another seat presents its answer
        let by = v.able().next().cloned();
        let Some(by) = by else {
            return Decision { next: NextMove::End(StopReason::Consensus), memo };
        };
        return presents(v, by, winner, how, memo);
    }
    presents(v, winner.clone(), winner, how, memo)
}

fn presents(v: &View<'_>, by: SeatId, winner: &SeatId, how: &str, memo: Memo) -> Decision {
    let next = NextMove::Ask {
        purpose: Purpose::Speak,
        seats: vec![by],
        why: format!("{} won: {how}", v.name(winner)).into(),
        question: PRESENT.into(),
        options: vec![],
    };
    Decision { next, memo }
}

/// Asks the judge whether an answer of the last round is new, if the scenario leaves this to the judge.
fn novelty(v: &View<'_>, stands: &Coordination<'_>) -> Option<Decision> {
    if !v.option_is("novelty_by", "judge") {
        return None;
    }
    let judge = v.thread.spec.options["judge"].as_str().map(|j| SeatId(j.into()))?;
    if !v.state.may(Purpose::Judge, &judge) {
        return None;
    }
    let mut judged = v.thread.memo.judged.clone().unwrap_or_default();
    let fresh = |entry: &crate::state::Entry| {
        entry.version().turn.is_some_and(|turn| !judged.contains(&turn))
    };
    let (seat, entry) = stands.answers.iter().skip(1).find(|(_, entry)| fresh(entry))?;
    let turn = entry.version().turn?;
    let before: Vec<String> = stands
        .answers
        .iter()
        .filter(|(_, known)| known.version().seq < entry.version().seq)
        .map(|(_, known)| format!("- {}", known.text()))
        .collect();
    if before.is_empty() {
        return None;
    }
    let question: Text = format!(
        "Known answers:\n{}\n\nAnother answer:\n{}\n\nDoes it say anything that none of the known answers says? Contradicting a \
         known answer counts as new.",
        before.join("\n"),
        entry.text()
    )
    .into();
    judged.push(turn);
    let next = NextMove::Ask {
        purpose: Purpose::Judge,
        seats: vec![judge],
        why: format!("is {}'s answer new?", v.name(seat)).into(),
        question,
        options: vec!["yes".into(), "no".into()],
    };
    Some(Decision {
        next,
        memo: Memo { step: Some(Task::Novelty), judged: Some(judged), ..v.memo() },
    })
}

/// Applies the judge's decision on whether an answer is new. Without a decision the answer stays.
fn after_novelty(v: &View<'_>, stands: &Coordination<'_>) -> Decision {
    let asked = v.thread.asked.as_ref().and_then(|b| b.ended.last());
    let no = asked.is_some_and(|r| r.outcome == Outcome::Said && r.structured["choice"] == "no");
    let judged = v.thread.memo.judged.iter().flatten().next_back().copied();
    let mut withdrawn = v.thread.memo.withdrawn.clone().unwrap_or_default();
    if let Some(turn) = judged.filter(|turn| no && !withdrawn.contains(turn)) {
        withdrawn.push(turn);
        // the withdrawal is written with the memo of the next decision, which must already count with it
        let memo = Memo { withdrawn: Some(withdrawn), step: Some(Task::Work), ..v.memo() };
        let thread = crate::state::Thread { memo: memo.into(), ..v.thread.clone() };
        let view = View { state: v.state, thread: &thread };
        let stands = v.state.coordination(&thread, Seq(u64::MAX));
        return worked(&view, &stands);
    }
    worked(v, stands)
}
