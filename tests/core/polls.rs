//! A poll before the first turn and after the last one, and the swing between them.

use crate::harness::*;
use crate::prompts::play as asked;
use colloquium::export::{text, whole};
use colloquium::model::*;
use serde_json::{Value, json};

/// Returns a debate of `a` and `b` before the voters `j` and `k`.
fn polled(more: Value) -> payload::Opened {
    let mut scenario = json!({
        "policy": {"name": "round_robin"},
        "limits": {"utterances": 2},
        "poll": {"question": "Ban cars?", "options": ["for", "against"], "who": ["j", "k"]},
    });
    scenario.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let listens = |id| Participant { speaks: false, ..seat(id) };
    table(scenario, vec![seat("a"), seat("b"), listens("j"), listens("k")])
}

/// Returns voices whose voter `k` changes from against to for.
fn swayed() -> Stage {
    stage(|ask| {
        let heard = ask.prompt.blocks.len() > 1;
        match (ask.purpose, &*ask.seat.id) {
            (Purpose::Speak, id) => Play::Words(format!("{id} speaks"), 10),
            (_, "k") if !heard => Play::Data("".into(), json!({"choice": "against", "why": "?"})),
            _ => Play::Data("".into(), json!({"choice": "for", "why": "a"})),
        }
    })
}

fn times(ran: &Ran) -> Vec<Option<PollTime>> {
    let closed = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::VoteClosed(vote) => Some(vote.poll),
        _ => None,
    });
    closed.collect()
}

#[tokio::test]
async fn the_voters_are_asked_before_the_first_turn_and_after_the_last() {
    let ran = play(polled(json!({})), swayed(), &[]).await;
    assert_eq!(times(&ran), [Some(PollTime::Before), Some(PollTime::After)]);
    let place = |name: &str| ran.kinds().iter().position(|kind| *kind == name).unwrap();
    assert!(place("vote.closed") < place("delta"), "{:?}", ran.kinds());
    assert_eq!((ran.reason(), ran.who().as_str()), ("utterance_limit", "a b"));
    let swing = ran.state.swing().unwrap();
    assert_eq!(swing.winner.map(|winner| &**winner), Some("for"));
    let moved: Vec<&str> = swing.moved.iter().map(|moved| &*moved.seat.0).collect();
    assert_eq!(moved, ["k"]);
    let told = whole(&ran.events, text::spell);
    assert!(
        told.contains("swing: for +1, against -1; for gains most\n  k: against to for"),
        "{told}"
    );
    // the first count must not reach the debaters
    let speaks = ran.seen.iter().filter(|ask| ask.purpose == Purpose::Speak);
    let prompts: Vec<String> = speaks.map(|ask| format!("{:?}", ask.messages)).collect();
    assert!(prompts.iter().all(|prompt| !prompt.contains("against")), "{prompts:?}");
}

#[tokio::test]
async fn nobody_votes_for_an_absent_person() {
    let mut opened = polled(json!({}));
    opened.participants[3].stands_in = true;
    let ran = play(opened, swayed(), &[]).await;
    let votes = ran.events.iter().filter_map(|e| match &e.kind {
        Kind::VoteClosed(vote) => Some((vote.ballots.len(), vote.how.to_string())),
        _ => None,
    });
    let how = "for wins with 1 of 1 vote; without k, who is not here";
    assert_eq!(votes.collect::<Vec<_>>(), [(1, how.to_owned()), (1, how.to_owned())]);
}

#[tokio::test]
async fn a_poll_survives_every_kill_and_an_early_end() {
    let ran = play(polled(json!({})), swayed(), &[]).await;
    for cut in 1..ran.events.len() {
        let resumed = resume(ran.events[..cut].to_vec(), swayed(), &[]).await;
        assert_eq!(times(&resumed).len(), 2, "cut after {cut}");
    }
    let end = json!({"after": {"utterance": 1}, "do": "end"});
    let ran = play(polled(json!({})), swayed(), &[end]).await;
    assert_eq!((ran.reason(), times(&ran).len()), ("operator", 2));
    let ran = play(polled(json!({"poll": null})), swayed(), &[]).await;
    assert_eq!(times(&ran).len(), 0);
}

/// A pause holds the second vote up and does not drop it.
#[tokio::test]
async fn a_poll_goes_on_after_a_pause() {
    let mut table =
        polled(json!({"policy": {"name": "round_robin", "options": {"rounds": 1}}, "limits": {}}));
    table.parallel = 1;
    let slow = || {
        stage(|ask| match ask.purpose {
            Purpose::Speak => Play::Words("hm".into(), 10),
            _ => Play::Words(json!({"choice": "for", "why": "so"}).to_string(), 500),
        })
    };
    let voted = |ran: &Ran| ran.kinds().iter().filter(|kind| **kind == "turn.ended").count();
    let plain = play(table.clone(), slow(), &[]).await;
    let begins = plain.events.iter().rfind(|e| e.kind.name() == "batch.opened").unwrap().ms;
    let pause = json!({"at": format!("{}ms", begins.0 + 500), "do": "pause"});
    let ran = play(table, slow(), &[pause, json!({"when": "paused", "do": "resume"})]).await;
    assert!(ran.kinds().contains(&"paused"), "{:?}", ran.kinds());
    assert_eq!((times(&ran), voted(&ran)), (times(&plain), voted(&plain)), "{:?}", ran.kinds());
}

/// A cast that was written for one order of turns keeps it when the operator says something.
#[tokio::test]
async fn a_reaction_that_leads_is_followed_by_the_next_line_in_the_same_turn() {
    let line = |text: &str| Line { text: text.into(), ..Line::default() };
    let when = Some("operator.said != ''".into());
    let reaction = Line { when, leads: true, ..line("You said {{ operator.said }}.") };
    let lines = vec![line("one"), reaction, line("two"), line("three")];
    let cast = VoiceSpec::Lines { lines, pace: 1 };
    let mut opened = round_robin(&["a", "b"], 6);
    opened.participants[0].voice = cast;
    let say = json!({"after": {"utterance": 2}, "do": "say", "text": "why"});
    let ran = play(opened, plain(), &[say]).await;
    let of_a = ran.seen.iter().filter(|ask| *ask.seat.id == *"a");
    let lines: Vec<_> = of_a.map(|ask| (ask.parameters.lead, ask.parameters.line)).collect();
    assert_eq!(lines, [(None, Some(0)), (Some(1), Some(2)), (None, Some(3))]);
}

#[test]
fn vote_result_is_announced() {
    let vote = json!({"do": "vote", "question": "Shall we?", "options": ["yes", "no"]});
    let voted = asked("[limits]\nutterances = 4", "", &[vote]);
    let by_bo = voted.iter().find(|c| c.purpose == Purpose::Vote && c.seat == "bo").unwrap();
    let rules = "It is secret; no participant reads your reason. Vote as Bo, on what was said here.\nShall we?";
    assert!(by_bo.last().contains(rules), "{}", by_bo.last());
    let after = voted.iter().rfind(|c| c.purpose == Purpose::Speak).unwrap();
    assert!(
        after.whole().contains("<host>\nThe vote \"Shall we?\": yes 2, no 0; yes wins.\n</host>"),
        "{}",
        after.whole()
    );
}

/// The prompt of the voters promises that no participant reads their reasons.
#[tokio::test]
async fn a_scribe_reads_why_votes_moved_and_no_names_of_voters() {
    let mut opened = polled(json!({"result": "scribe"}));
    opened.participants[0].voice = VoiceSpec::Model(ModelSpec::default());
    let voices = stage(|ask| {
        let heard = ask.prompt.blocks.len() > 1;
        match (ask.purpose, &*ask.seat.id) {
            (Purpose::Speak, id) => Play::Words(format!("{id} speaks"), 10),
            (Purpose::Result, _) => Play::Words(json!({"result": "Ban them."}).to_string(), 10),
            (_, "k") if !heard => Play::Data("".into(), json!({"choice": "against", "why": "?"})),
            _ => Play::Data("".into(), json!({"choice": "for", "why": "the trams"})),
        }
    });
    let ran = play(opened, voices, &[]).await;
    let asked = ran.seen.iter().find(|ask| ask.purpose == Purpose::Result).unwrap();
    let told =
        "Moved: one from against to for, \"the trams\". The votes are secret: name no voter.";
    let last = &asked.messages.last().unwrap().text;
    assert!(last.contains(told), "{last}");
}
