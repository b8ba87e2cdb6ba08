//! A rule with a line of data and a vote before the first turn, only for tests: a rule takes this file and its row in
//! `mod.rs`. It applies in conversations about the weather.

use super::rule::{ConversationRule, NONE, RuleStep};
use crate::model::payload::BatchOpened;
use crate::model::{Purpose, Requester, ThreadId, VoteClosed};
use crate::state::{State, Turn};

pub(super) const DUMMY: ConversationRule = ConversationRule {
    label: |state, turn| (applies(state) && turn.is_none_or(Turn::speaks)).then_some("WEATHER:"),
    request: |state, turn| {
        (applies(state) && turn.speaks()).then(|| "Last line: WEATHER: and a word".into())
    },
    vote: |state, _| applies(state).then(|| "Look out of the window.".into()),
    step,
    ..NONE
};

fn applies(state: &State) -> bool {
    state.title.as_deref().is_some_and(|title| title.ends_with("about the weather"))
}

fn step(state: &State, ends: bool) -> Option<RuleStep<'_>> {
    if ends || !applies(state) || state.votes > 0 {
        return None;
    }
    if let Some(batch) = &state.threads.get(&ThreadId::ROOT)?.batch {
        let close = |_: &State, _: &_, vote: VoteClosed| VoteClosed {
            how: format!("{}, outdoors", vote.how).into(),
            ..vote
        };
        return Some(RuleStep::Close(batch, close));
    }
    Some(RuleStep::Ask(Box::new(BatchOpened {
        requester: Requester::Engine,
        purpose: Purpose::Vote,
        seats: state.seats.iter().map(|seat| seat.spec.id.clone()).collect(),
        why: "the weather".into(),
        question: Some("The weather?".into()),
        options: vec!["fair".into(), "foul".into()],
        ..BatchOpened::default()
    })))
}
