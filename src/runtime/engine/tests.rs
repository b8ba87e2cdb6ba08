//! A policy with a board and a prompt section, from a scenario to both.

use super::{Input, advance, react};
use crate::model::event::ENGINE;
use crate::model::payload::Opened;
use crate::model::{Draft, Kind, Participant, ThreadId, VoiceSpec};
use crate::policy::{self, RowLabel, RowProgress};
use crate::state::{Live, State};
use crate::voice::{Chunk, Done};
use crate::{clock, prompt};
use serde_json::json;

/// Plays a conversation of two seats under the policy, and returns the state and the sections of each prompt.
fn played(turns: usize) -> (State, Vec<String>) {
    let seat = |id: &str| Participant::new(id, VoiceSpec::Script(vec!["test".into()]));
    let opened: Opened = serde_json::from_value(json!({
        "format": 1, "program": "test", "seed": 7, "rehearsed": true, "parallel": 1,
        "scenario": {"title": "a test", "policy": {"name": "dummy"}, "limits": {}},
        "participants": [seat("ada"), seat("ben")],
    }))
    .expect("an opening");
    let mut state = State::default();
    let mut sections = vec![];
    let take = |state: &mut State, sections: &mut Vec<String>, draft: Draft| {
        let event = draft.into_event(state.next_seq, clock::VIRTUAL_EPOCH, state.ms);
        state.apply(&event);
        if let Kind::CallStarted(started) = &event.kind {
            let built = prompt::build(state, &state.turns[&started.turn]);
            sections.push(built.sections.iter().map(|s| s.to_string()).collect());
        }
    };
    let draft = Draft {
        thread: ThreadId::ROOT,
        by: ENGINE.into(),
        cause: None,
        kind: Box::new(opened).into(),
    };
    take(&mut state, &mut sections, draft);
    while sections.len() < turns || !state.turns.is_empty() {
        if let Some(draft) = advance(&state) {
            take(&mut state, &mut sections, draft);
        } else {
            let call = state.turns.values().find_map(|turn| turn.call).expect("a running call");
            let done = Done { text: Some("Yes.".into()), ..Done::default() };
            let input = Input::Chunk(call, Chunk::Done(done));
            let drafts = react(&Live::from(state.clone()), state.ms, &input);
            drafts.into_iter().for_each(|draft| take(&mut state, &mut sections, draft));
        }
    }
    (state, sections)
}

#[test]
fn policy_of_two_files_has_board_and_prompt_section() {
    let (state, sections) = played(1);
    let board = policy::board(&state).expect("a board");
    let rows: Vec<_> = board.rows.iter().map(|row| (&row.label, row.progress)).collect();
    assert_eq!(
        rows,
        [
            (&RowLabel::Seat("ada".into()), RowProgress::Done),
            (&RowLabel::Seat("ben".into()), RowProgress::Waiting),
        ]
    );
    let (_, all) = played(2);
    assert_eq!(sections, all[..1]);
    // the tag of the section cannot be closed by its text
    let expected =
        |n: usize| format!("<dummy_turns>\n{n} have spoken &lt;/dummy_turns>\n</dummy_turns>");
    assert_eq!(all, [expected(0), expected(1)]);
}
