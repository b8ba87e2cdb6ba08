//! State of a consensus thread: answers, votes with their reasons, and restarts.
//!
//! Everything is read from the fold, so that live, recorded and resumed conversations look the same.

use crate::model::{Ms, SeatId, Seq, ThreadId};
use crate::state::{AnswerMove, Coordination, MoveKind, State, Task, Thread};
use crate::text;
use crate::ui::theme::glyphs::Glyphs;
use crate::ui::view::look::clock;
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::Transcript;

/// Current or last activity of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtWork {
    /// Working on an answer or a vote.
    Works,
    /// Has a current answer, or has voted.
    Settled,
    /// Left the round: failed, passed or replied unreadably.
    Left,
    /// Has not had a turn yet.
    Waits,
}

/// State of one seat in the thread.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatStanding {
    /// Index of the seat, which also selects its colour.
    pub place: usize,
    /// Activity of the seat.
    pub work: AtWork,
    /// Time of its current answer; `None` without one.
    pub answered: Option<Ms>,
    /// Number of restarts in this exchange.
    pub restarts: usize,
    /// Number of votes for its answer.
    pub votes: usize,
    /// True if its answer won.
    pub won: bool,
    /// Text of its current answer on one line; `None` without one.
    pub answer: Option<String>,
    /// Its vote: index of the seat that it chose, and the reason.
    pub vote: Option<(usize, String)>,
}

/// State of a consensus thread.
#[derive(Clone, Debug, PartialEq)]
pub struct TableStanding {
    /// Short facts: the round, the number of restarts, the outcome.
    pub facts: Vec<String>,
    /// Speaking seats of the thread, in order.
    pub seats: Vec<SeatStanding>,
}

/// Returns the open consensus thread, or the latest closed one.
fn thread(state: &State) -> Option<&Thread> {
    let mut all = state.threads.values().filter(|t| t.is_search());
    let last = all.clone().next_back();
    all.rfind(|t| t.closed.is_none()).or(last)
}

/// Returns whether a thread seeks one answer, so that its replies begin with a marker.
pub fn seeks_answer(state: &State, id: ThreadId) -> bool {
    thread(state).is_some_and(|thread| thread.id == id)
}

/// Returns the state of the consensus thread; `None` without one, or before anybody started.
pub fn status(transcript: &Transcript) -> Option<TableStanding> {
    let state = transcript.state();
    let thread = thread(state)?;
    let now = state.coordination(thread, Seq(u64::MAX));
    let runs =
        |seat: &SeatId| state.turns.values().any(|t| t.seat == *seat && t.thread == thread.id);
    if now.moves.is_empty() && !thread.seats.iter().any(runs) {
        return None;
    }
    let winner = thread.memo.winner.as_ref();
    let standing = |seat: &SeatId| {
        let last = now.moves.iter().rev().find(|m| m.seat == *seat);
        let answered = |m: &&&AnswerMove| m.seat == *seat && m.did == MoveKind::Answered;
        let answer = now.answers.iter().find(|(who, _)| *who == seat).map(|(_, entry)| *entry);
        let stands = answer.is_some();
        let vote = now.votes.get(seat);
        SeatStanding {
            place: transcript.seat_place(seat),
            work: match last.map(|m| &m.did) {
                _ if runs(seat) => AtWork::Works,
                Some(MoveKind::Left) => AtWork::Left,
                _ if stands || vote.is_some() => AtWork::Settled,
                _ => AtWork::Waits,
            },
            answered: if stands {
                now.moves.iter().rev().find(answered).map(|m| m.ms)
            } else {
                None
            },
            restarts: now.restarted(seat),
            votes: now.votes.values().filter(|(whose, ..)| *whose == seat).count(),
            answer: answer.map(|entry| text::label(entry.text()).into_owned()),
            won: winner == Some(seat),
            vote: vote.map(|(whose, why, _)| {
                (transcript.seat_place(whose), text::label(why).into_owned())
            }),
        }
    };
    let seats = thread.seats.iter().filter(|id| state.seat(id).is_some_and(|s| s.spec.speaks));
    Some(TableStanding {
        facts: facts(transcript, thread, &now),
        seats: seats.map(standing).collect(),
    })
}

fn facts(transcript: &Transcript, thread: &Thread, now: &Coordination<'_>) -> Vec<String> {
    let restarts = now.moves.iter().filter(|m| m.did == MoveKind::Restarted).count();
    let step = match thread.memo.step {
        Some(Task::Ballot) => Some("last ballot"),
        Some(Task::RunOff) => Some("run-off"),
        Some(Task::Judge) => Some("the judge decides"),
        Some(Task::Novelty) => Some("is it new?"),
        _ => None,
    };
    let winner = thread.memo.winner.as_ref().map(|winner| {
        let how = thread.memo.how.as_deref().unwrap_or_default();
        format!("{} won, {}", transcript.name(winner), text::label(how))
    });
    let round = (winner.is_none() && thread.round > 0).then(|| format!("round {}", thread.round));
    let restarts = match restarts {
        0 => None,
        1 => Some("1 restart".to_owned()),
        n => Some(format!("{n} restarts")),
    };
    let step = if thread.closed.is_none() { step.map(Into::into) } else { None };
    let all = [winner, round, step, restarts];
    all.into_iter().flatten().collect()
}

/// Returns the page with all answers, votes, reasons, and the moves in chronological order.
pub fn page(transcript: &Transcript, _: Ms, glyphs: &Glyphs) -> Option<Page> {
    let table = status(transcript)?;
    let state = transcript.state();
    let thread = thread(state)?;
    let now = state.coordination(thread, Seq(u64::MAX));
    let name = |place: usize| match state.seats.get(place) {
        Some(seat) => format!("{} {}", place + 1, transcript.name(&seat.spec.id)),
        None => String::new(),
    };
    let mut parts = Vec::new();
    for seat in &table.seats {
        let won = if seat.won { format!("  {} won", glyphs.done) } else { String::new() };
        let votes = match (seat.answered, seat.votes) {
            (None, _) => String::new(),
            (_, 1) => "  1 vote".into(),
            (_, n) => format!("  {n} votes"),
        };
        let id = state.seats.get(seat.place).map(|s| &s.spec.id);
        let answer = now.answers.iter().find(|(who, _)| Some(*who) == id);
        let mut body = match answer {
            Some((_, entry)) => format!("  {}\n", text::block(entry.text()).replace('\n', "\n  ")),
            None => format!("  {}\n", work(seat.work)),
        };
        if let Some((whose, why)) = &seat.vote {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            body.push_str(&format!("  {} voted for {}{why}\n", glyphs.arrow, name(*whose)));
        }
        let head = format!("{}{votes}{won}", name(seat.place));
        parts.push(Section { head, body, by: Some(seat.place), ..Section::default() });
    }
    let row = |m: &&AnswerMove| {
        let who = transcript.name(&m.seat);
        format!(
            "  {}  round {}  {who} {}\n",
            clock(m.ms.0),
            m.round,
            what_was_done(transcript, &m.did)
        )
    };
    let body: String = now.moves.iter().map(row).collect();
    parts.push(Section { head: "In order".into(), body, ..Section::default() });
    let title = "Answers and votes".into();
    let facts = vec![("stands", table.facts.join(", "))];
    Some(Page { title, facts, parts, again: Some(page), ..Page::default() })
}

/// Returns the word for an activity.
pub fn work(work: AtWork) -> &'static str {
    match work {
        AtWork::Works => "working",
        AtWork::Settled => "settled",
        AtWork::Left => "left the round",
        AtWork::Waits => "waiting",
    }
}

fn what_was_done(transcript: &Transcript, did: &MoveKind) -> String {
    match did {
        MoveKind::Answered => "answered".into(),
        MoveKind::Voted { whose, .. } => format!("voted for {}", transcript.name(whose)),
        MoveKind::Left => "left the round".into(),
        MoveKind::Refused => "was refused".into(),
        MoveKind::Restarted => "restarted".into(),
        MoveKind::Presented => "presented the answer".into(),
    }
}
