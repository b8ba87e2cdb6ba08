//! Policies decide who speaks next. Each has a file of its own and is a pure function with a memo.
//!
//! A policy remembers only the memo in its own last decision, so that resume and fork continue it exactly. The pointer
//! into an order is independent of who spoke: the first seat is not skipped, and operator messages, mutes, leaving
//! seats and mentions do not move it. Policies deliberately do not grant the floor themselves; `engine` does.
//!
//! To add a policy, write a file with its row and add it to [`ALL`].

mod bids;
mod board;
mod consensus;
mod depends;
#[cfg(test)]
mod dummy;
mod in_turn;
mod manual;
mod moderated;
mod phases;
mod plan;
mod prompt_parts;
mod requests;
mod round_robin;
mod simultaneous;
mod step;
mod talkative;
mod view;
mod weighted;

pub use board::{Board, BoardRow, Detail, DetailPart, RowLabel, RowProgress, Tally};
pub use depends::{NeverRan, never_ran};
pub use prompt_parts::{PromptParts, PromptSection, SectionContent};
pub use view::{Decision, NextMove, Policy, View};

use crate::scenario::PolicyRow;
use crate::state::{State, Thread, Turn};
use serde_json::Value;

/// All policies that scenarios can name, in the order of the help text.
pub static ALL: &[Policy] = &[
    round_robin::POLICY,
    weighted::POLICY,
    talkative::POLICY,
    moderated::POLICY,
    bids::POLICY,
    simultaneous::POLICY,
    manual::POLICY,
    phases::POLICY,
    depends::POLICY,
    consensus::POLICY,
    plan::POLICY,
];

/// Policies of threads that another policy opens; scenarios cannot name them.
static INNER: &[Policy] = &[
    step::POLICY,
    #[cfg(test)]
    dummy::POLICY,
];

pub fn find(name: &str) -> Option<Policy> {
    ALL.iter().chain(INNER).find(|policy| policy.row.name == name).copied()
}

/// Returns the final or preliminary result of a thread.
pub fn result(state: &State, thread: &Thread) -> Value {
    match (&thread.closed, find(&thread.spec.policy)) {
        (Some(closed), _) => closed.result.clone(),
        (None, Some(policy)) => (policy.result)(&View { state, thread }),
        (None, None) => Value::Null,
    }
}

/// Returns the progress of the conversation: that of its newest open thread with a board, or else of the newest one.
pub fn board(state: &State) -> Option<Board> {
    with_board(state).map(|(.., board)| board)
}

/// Returns everything about the progress that [`board()`] returns.
pub fn details(state: &State) -> Vec<Detail> {
    with_board(state).map_or(vec![], |(policy, view, _)| (policy.details)(&view))
}

fn with_board(state: &State) -> Option<(Policy, View<'_>, Board)> {
    let threads = || state.threads.values().rev();
    let open = threads().filter(|t| t.closed.is_none());
    open.chain(threads()).find_map(|thread| {
        let policy = find(&thread.spec.policy)?;
        let view = View { state, thread };
        let board = (policy.board)(&view)?;
        Some((policy, view, board))
    })
}

/// Returns the parts of a turn's prompt that its policy writes; `None` for the usual prompt.
pub fn prompt(state: &State, turn: &Turn) -> Option<PromptParts> {
    let thread = state.threads.get(&turn.thread)?;
    (find(&thread.spec.policy)?.prompt)(&View { state, thread }, turn)
}

/// Returns the tags in the prompt parts of all policies.
pub fn tags() -> impl Iterator<Item = &'static str> {
    ALL.iter().chain(INNER).flat_map(|policy| policy.tags).copied()
}

/// Returns the rows of all policies, for the scenario loader.
pub fn rows() -> Vec<PolicyRow> {
    ALL.iter().map(|policy| policy.row).collect()
}
