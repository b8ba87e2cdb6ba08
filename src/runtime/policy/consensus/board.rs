//! Board of a search for one answer: answers, votes with their reasons, and restarts.

use crate::model::{SeatId, Seq};
use crate::policy::board::{Board, BoardRow, Detail, DetailPart, RowLabel, RowProgress, Tally};
use crate::policy::view::View;
use crate::state::{AnswerMove, Coordination, MoveKind, Task};
use crate::text;

const WORKING: &str = "working";
const ANSWERED: &str = "answered";
const VOTED: &str = "voted";
const LEFT: &str = "left the round";
/// Cells of the longest word for a state: "answered 59:59".
const WORD_CELLS: usize = 14;

/// Returns the board; `None` before anybody started.
pub(super) fn board(v: &View<'_>) -> Option<Board> {
    let now = v.state.coordination(v.thread, Seq(u64::MAX));
    if now.moves.is_empty() && !v.thread.seats.iter().any(|seat| runs(v, seat)) {
        return None;
    }
    Some(Board {
        title: "ANSWERS AND VOTES",
        page: "Answers and votes",
        facts: facts(v, &now),
        rows: speakers(v).map(|seat| row(v, &now, seat)).collect(),
        word_cells: WORD_CELLS,
        counted: &[WORKING, ANSWERED, VOTED, LEFT],
        edges: None,
        is_outcome: true,
    })
}

fn speakers<'a>(v: &View<'a>) -> impl Iterator<Item = &'a SeatId> {
    let state = v.state;
    v.thread.seats.iter().filter(|id| state.seat(id).is_some_and(|s| s.spec.speaks))
}

fn runs(v: &View<'_>, seat: &SeatId) -> bool {
    v.state.turns.values().any(|t| t.seat == *seat && t.thread == v.thread.id)
}

fn row(v: &View<'_>, now: &Coordination<'_>, seat: &SeatId) -> BoardRow {
    let of_seat = || now.moves.iter().rev().filter(|m| m.seat == *seat);
    let answer = now.answers.iter().find(|(who, _)| *who == seat).map(|(_, entry)| *entry);
    let answered_at = answer.and_then(|_| of_seat().find(|m| m.did == MoveKind::Answered));
    let vote = now.votes.get(seat);
    let works = runs(v, seat);
    let left = !works && of_seat().next().is_some_and(|m| m.did == MoveKind::Left);
    let (progress, word) = match answered_at {
        None if works && now.restarted(seat) > 0 => {
            (RowProgress::Running, "working again".to_owned())
        }
        None if works => (RowProgress::Running, WORKING.to_owned()),
        Some(_) if works => (RowProgress::Running, "choosing".to_owned()),
        Some(m) => (RowProgress::Answered, format!("{ANSWERED} {}", text::clock(m.ms.0))),
        None if left => (RowProgress::Left, LEFT.to_owned()),
        None => (RowProgress::Waiting, "waiting".to_owned()),
    };
    let counts = [
        (works, WORKING),
        (answered_at.is_some(), ANSWERED),
        (vote.is_some(), VOTED),
        (left, LEFT),
    ];
    BoardRow {
        counts: counts.into_iter().filter(|(fits, _)| *fits).map(|(_, word)| word).collect(),
        tally: Some(Tally {
            votes: now.votes.values().filter(|(whose, ..)| *whose == seat).count(),
            won: v.thread.memo.winner.as_ref() == Some(seat),
        }),
        choice: vote.map(|(whose, ..)| (*whose).clone()),
        note: match (vote, answer) {
            (Some((_, why, _)), _) => text::label(why).into_owned(),
            (None, Some(answer)) => text::label(answer.text()).into_owned(),
            (None, None) => String::new(),
        },
        ..BoardRow::new(RowLabel::Seat(seat.clone()), progress, word)
    }
}

fn facts(v: &View<'_>, now: &Coordination<'_>) -> Vec<String> {
    let thread = v.thread;
    let step = match thread.memo.step {
        Some(Task::Ballot) => Some("last ballot"),
        Some(Task::RunOff) => Some("run-off"),
        Some(Task::Judge) => Some("the judge decides"),
        Some(Task::Novelty) => Some("is it new?"),
        _ => None,
    };
    let winner = thread.memo.winner.as_ref().map(|winner| {
        let how = thread.memo.how.as_deref().unwrap_or_default();
        format!("{} won, {}", v.shown_name(winner), text::label(how))
    });
    let round = (winner.is_none() && thread.round > 0).then(|| format!("round {}", thread.round));
    let restarts = match now.moves.iter().filter(|m| m.did == MoveKind::Restarted).count() {
        0 => None,
        1 => Some("1 restart".to_owned()),
        n => Some(format!("{n} restarts")),
    };
    let step = if thread.closed.is_none() { step.map(Into::into) } else { None };
    [winner, round, step, restarts].into_iter().flatten().collect()
}

/// Returns all answers, votes and reasons, and the moves in chronological order.
pub(super) fn details(v: &View<'_>) -> Vec<Detail> {
    let now = v.state.coordination(v.thread, Seq(u64::MAX));
    let mut details: Vec<Detail> = speakers(v).map(|seat| detail(v, &now, seat)).collect();
    let row = |m: &&AnswerMove| {
        let time = text::clock(m.ms.0);
        let what = describe(v, &m.did);
        format!("  {time}  round {}  {} {what}\n", m.round, v.shown_name(&m.seat))
    };
    let body: String = now.moves.iter().map(row).collect();
    details.push(Detail {
        head: vec!["In order".into()],
        body: vec![body.into()],
        ..Detail::default()
    });
    details
}

fn detail(v: &View<'_>, now: &Coordination<'_>, seat: &SeatId) -> Detail {
    let row = row(v, now, seat);
    let answer = now.answers.iter().find(|(who, _)| *who == seat);
    let mut head = vec![DetailPart::Seat(seat.clone())];
    match (answer, row.tally.map_or(0, |tally| tally.votes)) {
        (None, _) => {}
        (_, 1) => head.push("  1 vote".into()),
        (_, n) => head.push(format!("  {n} votes").into()),
    }
    if row.tally.is_some_and(|tally| tally.won) {
        head.extend(["  ".into(), DetailPart::Sign(RowProgress::Done), " won".into()]);
    }
    let text = match answer {
        Some((_, entry)) => text::block(entry.text()).replace('\n', "\n  "),
        None if row.choice.is_some() => "settled".to_owned(),
        None => row.word,
    };
    let mut body = vec![format!("  {text}\n").into()];
    if let Some(choice) = &row.choice {
        let why = if row.note.is_empty() { String::new() } else { format!(": {}", row.note) };
        body.extend(["  ".into(), DetailPart::Arrow, " voted for ".into()]);
        body.extend([DetailPart::Seat(choice.clone()), format!("{why}\n").into()]);
    }
    Detail { head, body, seat: Some(seat.clone()), warns: false }
}

fn describe(v: &View<'_>, did: &MoveKind) -> String {
    match did {
        MoveKind::Answered => ANSWERED.into(),
        MoveKind::Voted { whose, .. } => format!("voted for {}", v.shown_name(whose)),
        MoveKind::Left => LEFT.into(),
        MoveKind::Refused => "was refused".into(),
        MoveKind::Remarked => "was unclear".into(),
        MoveKind::Restarted => "restarted".into(),
        MoveKind::Presented => "presented the answer".into(),
    }
}
