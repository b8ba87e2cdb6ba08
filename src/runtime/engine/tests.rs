//! A policy with a board and a prompt section, and a rule with a line of data and a vote: from a scenario to all of
//! them.

use super::{Input, advance, react};
use crate::model::event::ENGINE;
use crate::model::payload::Opened;
use crate::model::{Draft, Kind, ModelSpec, Participant, Prompt, Purpose, ThreadId, VoiceSpec};
use crate::policy::{self, RowLabel, RowProgress};
use crate::state::{Live, State};
use crate::voice::{Chunk, Done};
use crate::{clock, prompt};
use serde_json::json;

/// Plays a conversation of two seats until a number of calls, and returns the state and the prompts.
fn played(title: &str, policy: &str, voice: &VoiceSpec, calls: usize) -> (State, Vec<Prompt>) {
    let seat = |id: &str| Participant::new(id, voice.clone());
    let opened: Opened = serde_json::from_value(json!({
        "format": 1, "program": "test", "seed": 7, "rehearsed": true, "parallel": 1,
        "scenario": {"title": title, "policy": {"name": policy}, "limits": {}},
        "participants": [seat("ada"), seat("ben")],
    }))
    .expect("an opening");
    let mut state = State::default();
    let mut prompts = vec![];
    let take = |state: &mut State, prompts: &mut Vec<Prompt>, draft: Draft| {
        let event = draft.into_event(state.next_seq, clock::VIRTUAL_EPOCH, state.ms);
        state.apply(&event);
        if let Kind::CallStarted(started) = &event.kind {
            prompts.push(prompt::build(state, &state.turns[&started.turn]));
        }
    };
    let draft = Draft {
        thread: ThreadId::ROOT,
        by: ENGINE.into(),
        cause: None,
        kind: Box::new(opened).into(),
    };
    take(&mut state, &mut prompts, draft);
    while prompts.len() < calls || !state.turns.is_empty() {
        if let Some(draft) = advance(&state) {
            take(&mut state, &mut prompts, draft);
        } else {
            let turn = state.turns.values().next().expect("a running turn");
            let call = turn.call.expect("a running call");
            let said = if turn.purpose == Purpose::Vote { "fair" } else { "Yes.\nWEATHER: rain" };
            let done = Done { text: Some(said.into()), ..Done::default() };
            let input = Input::Chunk(call, Chunk::Done(done));
            let drafts = react(&Live::from(state.clone()), state.ms, &input);
            drafts.into_iter().for_each(|draft| take(&mut state, &mut prompts, draft));
        }
    }
    (state, prompts)
}

#[test]
fn policy_of_two_files_has_board_and_prompt_section() {
    let voice = VoiceSpec::Script(vec!["test".into()]);
    let (state, prompts) = played("a test", "dummy", &voice, 1);
    let board = policy::board(&state).expect("a board");
    let rows: Vec<_> = board.rows.iter().map(|row| (&row.label, row.progress)).collect();
    assert_eq!(
        rows,
        [
            (&RowLabel::Seat("ada".into()), RowProgress::Done),
            (&RowLabel::Seat("ben".into()), RowProgress::Waiting),
        ]
    );
    let (_, all) = played("a test", "dummy", &voice, 2);
    assert_eq!(prompts, all[..1]);
    // the tag of the section cannot be closed by its text
    let expected =
        |n: usize| format!("<dummy_turns>\n{n} have spoken &lt;/dummy_turns>\n</dummy_turns>");
    let sections = |prompt: &Prompt| prompt.sections.iter().map(|s| s.to_string()).collect();
    let all: Vec<String> = all.iter().map(sections).collect();
    assert_eq!(all, [expected(0), expected(1)]);
    assert_eq!(state.entries.last().map(|entry| &**entry.text()), Some("Yes.\nWEATHER: rain"));
}

/// The rule takes its file and its row in `rules/mod.rs`: reply, engine and prompts know it by neither name nor word.
#[test]
fn rule_of_two_files_votes_asks_for_a_line_and_reads_it() {
    let voice = VoiceSpec::Model(ModelSpec::default());
    let (state, prompts) = played("a talk about the weather", "round_robin", &voice, 5);
    let vote = state.vote.as_ref().expect("a vote");
    assert_eq!(
        (&*vote.question, &*vote.how),
        ("The weather?", "fair wins with 2 of 2 votes, outdoors")
    );
    assert_eq!(state.entries.len(), 3, "the votes came first");
    for entry in &state.entries {
        let version = entry.version();
        assert_eq!((&*version.text, version.closing_line.as_deref()), ("Yes.", Some("rain")));
    }
    let [first_vote, _, first, _, third] = &prompts[..] else { panic!("{} calls", prompts.len()) };
    let cue = |prompt: &Prompt| prompt.cue.clone().unwrap_or_default().to_string();
    assert!(cue(first_vote).contains("Look out of the window."), "{}", cue(first_vote));
    assert!(cue(first).ends_with("Last line: WEATHER: and a word"), "{}", cue(first));
    let texts: Vec<&str> = third.blocks.iter().map(|block| &**block.text()).collect();
    assert!(texts.contains(&"Yes.\nWEATHER: rain"), "its own line: {texts:?}");
    assert!(texts.contains(&"Yes."), "nobody else's line: {texts:?}");
}
