//! Looks ahead on a copy of the state: the end that is near, and the next speakers.

use super::{advance, turns};
use crate::model::*;
use crate::state::{State, Turn};

/// Maximum number of simulated decisions: closing phases and threads takes a few.
const DECISIONS: usize = 64;

/// Returns the end that would follow if no more turns were granted; `None` if a question would come first.
pub(super) fn end_of(state: &State) -> Option<StopReason> {
    if state.ended.is_some() {
        return None;
    }
    let mut ahead = state.unpaused();
    let mut root = None;
    for _ in 0..DECISIONS {
        let Draft { thread, by, cause, kind } = advance(&ahead)?;
        match &kind {
            Kind::Ended(ended) => return Some(root.unwrap_or(ended.reason)),
            Kind::ThreadClosed(closed) if thread == ThreadId::ROOT => root = Some(closed.reason),
            // the judges would be asked at the end
            Kind::BatchOpened(batch) if batch.purpose == Purpose::Judge => {
                return match batch.judge_task() {
                    Some(JudgeTask::Verdict { ends: Some((reason, _)), .. }) => {
                        root.or(Some(reason))
                    }
                    Some(_) | None => None,
                };
            }
            Kind::BatchOpened(batch) if let Some(task) = &batch.result => {
                return Some(root.unwrap_or(task.ends.0));
            }
            Kind::BatchOpened(_) | Kind::FloorGranted(_) | Kind::CallStarted(_) => return None,
            _ => {}
        }
        put(&mut ahead, Draft { thread, by, cause, kind });
    }
    None
}

/// Returns the next seats that get the floor, in order, each once and at most so many. The engine itself chooses them, as
/// if a pause was lifted and every running turn ended with the words it has so far. The list ends at a choice that a model
/// or a person makes first.
pub fn next_speakers(state: &State, most: usize) -> Vec<SeatId> {
    let mut next: Vec<SeatId> = Vec::new();
    if state.ended.is_some() {
        return next;
    }
    let speaking: Vec<SeatId> = state.turns.values().map(|turn| turn.seat.clone()).collect();
    let mut ahead = state.unpaused();
    for _ in 0..DECISIONS {
        let running = ahead.turns.values().next();
        let decided = match running {
            Some(turn) if !turn.speaks() => None,
            Some(turn) => Some(said(&ahead, turn)),
            None => advance(&ahead),
        };
        let Some(draft) = decided else { break };
        if let Kind::FloorGranted(grant) = &draft.kind {
            let seat = &grant.participant;
            // a policy that reads replies cannot use an incomplete one
            let reads = ahead.threads.get(&draft.thread).is_some_and(|t| t.traits().own_prompts);
            let is_again =
                next.contains(seat) || (speaking.contains(seat) && (reads || !next.is_empty()));
            if grant.number.is_none() || next.len() == most || is_again {
                break;
            }
            next.push(seat.clone());
        }
        put(&mut ahead, draft);
    }
    next
}

/// Returns the end of a running turn with the words it has so far.
fn said(state: &State, turn: &Turn) -> Draft {
    let mut draft = turns::cut_sealed(state, turn, CutWhy::Operator);
    if let Kind::TurnEnded(end) = &mut draft.kind {
        end.outcome = Outcome::Said;
        end.why = None;
    }
    draft
}

fn put(ahead: &mut State, Draft { thread, by, cause, kind }: Draft) {
    let seq = ahead.next_seq;
    let at = Wall(0);
    let ms = ahead.ms;
    ahead.apply(&Event { seq, at, ms, thread, by, cause, kind });
}
