//! Looking ahead without doing anything: whether a conversation would be over at this point.

use super::advance;
use crate::model::*;
use crate::state::State;

/// Decisions that are looked ahead at most: closing phases and threads takes a few.
const DECISIONS: usize = 64;

/// Returns the end that would follow from a state if nothing more were said; none where a question would come first.
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
            // judges would be asked at the end
            Kind::BatchOpened(batch) if batch.purpose == Purpose::Judge => {
                return match batch.judge_task() {
                    Some(JudgeTask::Verdict { ends: Some((reason, _)), .. }) => {
                        root.or(Some(reason))
                    }
                    Some(_) | None => None,
                };
            }
            Kind::BatchOpened(_) | Kind::FloorGranted(_) | Kind::CallStarted(_) => return None,
            _ => {}
        }
        let (seq, at, ms) = (ahead.next_seq, Wall(0), ahead.ms);
        ahead.apply(&Event { seq, at, ms, thread, by, cause, kind });
    }
    None
}
