//! Answers and votes under `consensus`, with their authors and times.
//!
//! The transcript has the texts; the move of each turn is recorded separately, in the order of arrival.

use crate::model::payload::TurnEnded;
use crate::model::*;
use crate::scenario::{PolicyTraits, UsualLength};
use crate::state::policy_state::{AnswerMove, MoveKind, PolicyState};
use crate::state::{Conversation, Entry, Labels, Task, Thread, Turn};
use std::collections::BTreeMap;

/// Name of the policy in scenarios and logs.
pub const NAME: &str = "consensus";
/// Traits of `consensus`.
pub const TRAITS: PolicyTraits = PolicyTraits {
    length: UsualLength::Own,
    debates: false,
    own_prompts: true,
    reads: &["rounds"],
    ..PolicyTraits::DEBATE
};

/// Answers and votes of an exchange under `consensus`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coordination<'a> {
    /// Valid answers: the last one of each seat, in the order of the first answers.
    pub answers: Vec<(&'a SeatId, &'a Entry)>,
    /// Last vote of each seat: the seat voted for, the reason, and the voter's horizon.
    pub votes: BTreeMap<&'a SeatId, (&'a SeatId, &'a Text, Seq)>,
    /// All moves, in order.
    pub moves: Vec<&'a AnswerMove>,
}

impl Coordination<'_> {
    /// Returns the number of votes for each answer, highest first; ties keep the order of the answers.
    pub fn tally(&self) -> Vec<(&SeatId, usize)> {
        let count =
            |seat: &SeatId| self.votes.values().filter(|(whose, ..)| *whose == seat).count();
        let mut all: Vec<(&SeatId, usize)> =
            self.answers.iter().map(|(seat, _)| (*seat, count(seat))).collect();
        all.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
        all
    }

    /// Returns the number of times that a seat answered.
    pub fn answered(&self, seat: &SeatId) -> usize {
        let by = |m: &&&AnswerMove| m.seat == *seat && m.did == MoveKind::Answered;
        self.moves.iter().filter(by).count()
    }

    /// Returns the number of times that a seat was restarted because of a new answer.
    pub fn restarted(&self, seat: &SeatId) -> usize {
        let by = |m: &&&AnswerMove| m.seat == *seat && m.did == MoveKind::Restarted;
        self.moves.iter().filter(by).count()
    }

    /// Returns the text of a seat's last turn if a new answer stopped it; empty otherwise.
    pub fn draft(&self, seat: &SeatId) -> &str {
        self.moves.iter().rev().find(|m| m.seat == *seat).map_or("", |m| &m.draft)
    }

    /// Returns the `seq` of the newest valid answer.
    pub fn newest(&self) -> Option<Seq> {
        self.answers.iter().map(|(_, entry)| entry.version().seq).max()
    }
}

impl Thread {
    /// Returns whether its seats search for one answer.
    pub fn is_search(&self) -> bool {
        matches!(self.state, PolicyState::Answers(_))
    }

    /// Returns the `seq` of the newest answer, valid or not.
    pub(in crate::state) fn newest(&self) -> Option<Seq> {
        self.state.moves().iter().rev().find(|m| m.did == MoveKind::Answered).map(|m| m.seq)
    }

    /// Returns the `seq` from which its exchange counts.
    pub fn exchange_from(&self) -> Seq {
        self.memo.from.unwrap_or_default()
    }
}

impl Conversation {
    /// Returns the thread of a turn if its policy is `consensus`.
    pub fn finds_answer(&self, turn: &Turn) -> Option<&Thread> {
        self.threads.get(&turn.thread).filter(|t| t.is_search())
    }

    /// Records the move of a turn under `consensus`.
    pub(in crate::state) fn note_move(&mut self, seq: Seq, turn: &Turn, e: &TurnEnded) {
        let ms = self.ms;
        let batch = self.batch_of(turn);
        let presents = batch.is_none_or(|b| matches!(b.memo.step, None | Some(Task::Present)));
        // a refused vote ends the round for its seat, a refused answer does not
        let is_refused = e.error.as_ref().is_some_and(|error| error.class == ErrorClass::Form)
            && matches!(self.proposal(turn), Some(Form::Proposal { answers: true, .. }));
        let Some(thread) = self.threads.get_mut(&turn.thread) else { return };
        let PolicyState::Answers(moves) = &mut thread.state else { return };
        if !turn.speaks() {
            return;
        }
        let text = |key: &str| e.structured[key].as_str().map(Text::from);
        let did = match (e.outcome, e.why, text("vote")) {
            (Outcome::Cut, Some(CutWhy::Superseded), _) => MoveKind::Restarted,
            (Outcome::Cut, Some(CutWhy::Crash | CutWhy::PauseNow | CutWhy::CutIn), _)
                if !e.has_words() || e.why == Some(CutWhy::Crash) =>
            {
                return;
            }
            (Outcome::Said, _, _) if presents => MoveKind::Presented,
            (Outcome::Said, _, Some(whose)) => MoveKind::Voted {
                whose: SeatId(whose),
                why: text("why").unwrap_or_else(|| "".into()),
            },
            (Outcome::Said, _, None) if e.structured["proposal"].is_string() => MoveKind::Answered,
            (Outcome::Said, _, None) if e.message.as_deref() == Some(REMARK) => MoveKind::Remarked,
            (Outcome::Failed, _, _) if is_refused => MoveKind::Refused,
            (Outcome::Said | Outcome::Cut | Outcome::Failed | Outcome::Passed, _, _) => {
                MoveKind::Left
            }
        };
        moves.push(AnswerMove {
            seat: turn.seat.clone(),
            turn: turn.id,
            seq,
            horizon: turn.horizon,
            ms,
            round: thread.round,
            draft: if did == MoveKind::Restarted { e.text.clone() } else { "".into() },
            did,
        });
    }

    /// Returns the answers and votes of a thread's exchange, up to a `seq`.
    pub fn coordination<'a>(&'a self, thread: &'a Thread, upto: Seq) -> Coordination<'a> {
        let from = thread.exchange_from();
        let moves: Vec<&AnswerMove> =
            thread.state.moves().iter().filter(|m| m.seq > from && m.seq <= upto).collect();
        let withdrawn = |turn: TurnId| thread.memo.withdrawn.iter().flatten().any(|t| *t == turn);
        let entry = |m: &AnswerMove| self.shown_entry(m.turn);
        let mut answers: Vec<(&SeatId, &Entry)> = vec![];
        for m in moves.iter().filter(|m| m.did == MoveKind::Answered && !withdrawn(m.turn)) {
            let Some(entry) = entry(m) else { continue };
            match answers.iter_mut().find(|(seat, _)| **seat == m.seat) {
                // a revised answer keeps its position
                Some(known) => known.1 = entry,
                None => answers.push((&m.seat, entry)),
            }
        }
        let mut votes = BTreeMap::new();
        for m in &moves {
            match &m.did {
                MoveKind::Voted { whose, why } => {
                    let stands = answers.iter().any(|(seat, _)| *seat == whose);
                    let vote = stands && entry(m).is_some();
                    if vote {
                        votes.insert(&m.seat, (whose, why, m.horizon));
                    }
                }
                // a seat that answers again withdraws its vote
                MoveKind::Answered => {
                    votes.remove(&m.seat);
                }
                MoveKind::Left
                | MoveKind::Refused
                | MoveKind::Remarked
                | MoveKind::Restarted
                | MoveKind::Presented => {}
            }
        }
        Coordination { answers, votes, moves }
    }

    /// Returns the participants of a finished search that are still there and never voted in its exchange.
    pub fn unvoted(&self) -> impl Iterator<Item = &SeatId> {
        let search = self.threads.get(&ThreadId::ROOT).filter(|thread| thread.is_search());
        let votes = search.map(|thread| self.coordination(thread, self.next_seq).votes);
        let seats = search.into_iter().flat_map(|thread| &thread.seats);
        let here = |seat: &&SeatId| self.seat(seat).is_some_and(|s| !s.gone && !s.muted);
        seats.filter(here).filter(move |seat| votes.as_ref().is_some_and(|v| !v.contains_key(seat)))
    }

    /// Returns the number of replies in searches for one answer that stayed unclear.
    pub fn remarks(&self) -> usize {
        let moves = self.threads.values().flat_map(|thread| thread.state.moves());
        moves.filter(|m| m.did == MoveKind::Remarked).count()
    }

    /// Returns whether seats whose last reply stayed unclear could have changed the winner of the vote.
    pub fn could_be_changed(&self) -> bool {
        let search = self.threads.get(&ThreadId::ROOT).filter(|thread| thread.is_search());
        let Some(thread) = search else { return false };
        let known = self.coordination(thread, self.next_seq);
        let last = |seat: &&SeatId| {
            let moves = known.moves.iter().rev();
            let last = moves.filter(|m| m.did != MoveKind::Presented).find(|m| m.seat == **seat);
            last.is_some_and(|m| m.did == MoveKind::Remarked)
        };
        let unclear: Vec<&SeatId> = thread.seats.iter().filter(last).collect();
        let tally = known.tally();
        let Some((leader, most)) = tally.first() else { return !unclear.is_empty() };
        let next = tally.get(1).map_or(0, |(_, votes)| *votes);
        let for_leader = unclear
            .iter()
            .filter(|seat| known.votes.get(**seat).is_some_and(|(whose, ..)| whose == leader));
        let swing = unclear.len() + for_leader.count();
        !unclear.is_empty() && swing >= most.saturating_sub(next)
    }

    /// Returns the operator's messages in a later exchange; empty in the first one and under other policies.
    pub(in crate::state) fn later_question(&self, turn: &Turn) -> String {
        let from = self.finds_answer(turn).map_or(Seq(0), Thread::exchange_from);
        if from == Seq(0) {
            return String::new();
        }
        let asked = self.visible(turn).filter(|e| e.seat().is_none() && e.seq > from);
        asked.map(|e| e.text().to_string()).collect::<Vec<_>>().join(" ")
    }

    /// Returns the form of a turn's reply under `consensus`; `None` if any text is valid.
    pub(in crate::state) fn proposal(&self, turn: &Turn) -> Option<Form> {
        let thread = self.finds_answer(turn)?;
        let memo = &self.batch_of(turn)?.memo;
        let task = memo.step?;
        let tied = memo.tied.as_ref();
        let labels = self.labels(turn);
        let stands = self.coordination(thread, turn.horizon);
        let open = |seat: &SeatId| tied.is_none_or(|tied| tied.contains(seat));
        let mut among: Vec<(Text, SeatId)> = stands
            .answers
            .iter()
            .filter(|(seat, _)| open(seat))
            .map(|(seat, _)| (labels.get(*seat).unwrap_or(&seat.0).clone(), (*seat).clone()))
            .collect();
        // the order of the seats would reveal the authors
        among.sort();
        let name = |seat: &SeatId| self.seat(seat).map(|s| (seat.clone(), s.spec.name.clone()));
        let names = among.iter().filter_map(|(_, seat)| name(seat)).collect();
        let most = thread.spec.options["answers"].as_u64().unwrap_or(ANSWERS);
        match task {
            Task::Work => {
                let refused =
                    stands.moves.iter().any(|m| m.seat == turn.seat && m.did == MoveKind::Refused);
                let may_vote = !among.is_empty();
                let answers = (stands.answered(&turn.seat) as u64) < most && !(refused && may_vote);
                Some(Form::Proposal { among, names, answers })
            }
            Task::Ballot | Task::RunOff | Task::Judge => {
                Some(Form::Proposal { among, names, answers: false })
            }
            _ => None,
        }
    }

    /// Returns the labels of answers in a turn's prompt, different for each viewer and round.
    pub(in crate::state) fn answer_labels(&self, turn: &Turn) -> Option<Labels> {
        if !turn.speaks() {
            return None;
        }
        let thread = self.finds_answer(turn)?;
        let task = self.batch_of(turn)?.memo.step.filter(|task| *task != Task::Present)?;
        let place = thread.ordinal * 1_000_003 + u64::from(thread.round);
        let viewer = &turn.seat;
        let mut seats = thread.seats.clone();
        seats.sort_by_cached_key(|seat| {
            self.dice(place, &format!("answer {} {viewer} {seat}", task.as_str()))
        });
        let label = |n: usize| match u8::try_from(n) {
            Ok(n) if n < 26 => format!("Answer {}", char::from(b'A' + n)),
            Ok(_) | Err(_) => format!("Answer {}", n + 1),
        };
        Some(seats.into_iter().enumerate().map(|(n, seat)| (seat, label(n).into())).collect())
    }
}

/// Default number of answers that a seat may give in an exchange.
const ANSWERS: u64 = 3;
