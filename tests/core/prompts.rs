//! Prompts of models, verbatim: snapshots for every bundled scenario, and for features that show in prompts only.

use colloquium::clock::VIRTUAL_EPOCH;
use colloquium::engine;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::policy;
use colloquium::prompt;
use colloquium::scenario::{self, Source};
use colloquium::state::{Live, State, Turn};
use colloquium::voice::{Chunk, Done};
use serde_json::{Value, json};

/// Number of turns after which a scenario has shown all its kinds of prompts.
const TURNS: usize = 40;

/// Description of a seat that ends each turn with a question to another one by name.
pub const ASKS_ALL: &str = "asks everybody";

/// One call: seat, purpose and prompt.
#[derive(Clone)]
pub struct Call {
    pub seat: String,
    pub purpose: Purpose,
    phase: Option<String>,
    messages: Vec<Message>,
}

impl Call {
    pub fn whole(&self) -> String {
        let role = |role| match role {
            Role::System => "SYSTEM",
            Role::User => "USER",
            Role::Assistant => "ASSISTANT",
        };
        let of = |m: &Message| format!("--- {}\n{}\n", role(m.role), m.text);
        self.messages.iter().map(of).collect()
    }

    pub fn last(&self) -> &str {
        self.messages.last().map_or("", |m| &m.text)
    }

    pub fn system(&self) -> &str {
        &self.messages[0].text
    }
}

/// Returns the opening of a scenario with models in its seats.
pub fn opened(text: &str, set: impl Fn(&mut Participant)) -> Opened {
    let source = Source { name: "test".into(), text: text.into(), settings: vec![] };
    let loaded = scenario::load(&source, &policy::rows()).unwrap();
    let mut participants = loaded.participants;
    for seat in &mut participants {
        seat.voice = match &seat.voice {
            VoiceSpec::Model(spec) => VoiceSpec::Model(spec.clone()),
            _ => VoiceSpec::Model(ModelSpec::default()),
        };
        seat.window = Some(32_000);
        set(seat);
    }
    Opened {
        format: 1,
        program: "test".into(),
        seed: 7,
        rehearsed: false,
        scenario: serde_json::to_value(&loaded.scenario).unwrap(),
        participants,
        parallel: loaded.parallel,
        rates: Default::default(),
        attended: false,
        steered: false,
        rules: 1,
        item: None,
    }
}

/// Plays a scenario with generated replies and returns every call.
pub fn calls(opened: Opened, steer: &[Value]) -> Vec<Call> {
    let mut state = State::default();
    let mut calls = vec![];
    let mut take = |state: &mut State, draft: Draft| {
        let event = Event {
            seq: state.next_seq,
            at: VIRTUAL_EPOCH,
            ms: state.ms,
            thread: draft.thread,
            by: draft.by,
            cause: draft.cause,
            kind: draft.kind,
        };
        state.apply(&event);
        if let Kind::CallStarted(started) = &event.kind {
            let turn = &state.turns[&started.turn];
            calls.push(Call {
                seat: turn.seat.to_string(),
                purpose: turn.purpose,
                phase: state.phase_of(turn.thread).map(|p| p.name.to_string()),
                messages: prompt::messages(&prompt::build(state, turn)),
            });
        }
    };
    take(&mut state, draft(ThreadId::ROOT, event::ENGINE, Box::new(opened).into()));
    let mut said = 0;
    let mut steer = steer.iter();
    while state.ended.is_none() && said < TURNS {
        if let Some(draft) = engine::advance(&state) {
            take(&mut state, draft);
        } else if let Some(turn) = state.turns.values().find(|t| t.call.is_some()).cloned() {
            said += 1;
            let done = Chunk::Done(reply(&state, &turn, said));
            let input = engine::Input::Chunk(turn.call.unwrap(), done);
            let ended = engine::react(&Live::from(state.clone()), state.ms, &input);
            ended.into_iter().for_each(|draft| take(&mut state, draft));
            if let Some(line) =
                turn.speaks().then(|| steer.next()).flatten().filter(|l| !l.is_null())
            {
                let (key, line) =
                    (format!("k{said}").into(), serde_json::from_value(line.clone()).unwrap());
                let live = Live::from(state.clone());
                let given = engine::react(&live, state.ms, &engine::Input::Command { key, line });
                given.into_iter().for_each(|draft| take(&mut state, draft));
            }
        } else {
            break;
        }
    }
    calls
}

/// Returns a reply in the requested form.
fn reply(state: &State, turn: &Turn, said: usize) -> Done {
    let structured = match state.contract_of(turn).form {
        Form::Choice(options) | Form::Ballot { options, .. } => {
            json!({"choice": options[0], "why": "the others have spoken"})
        }
        Form::Judgement { sides, .. } => json!({"winner": sides[0], "scores": {}, "why": "facts"}),
        Form::Bid => json!({"bid": 5, "why": "I can wait"}),
        Form::Bids(seats) => {
            let bid = json!({"bid": 5, "why": "who pays for the tram"});
            seats.iter().map(|seat| (seat.to_string(), bid.clone())).collect()
        }
        Form::Schema(schema) if schema["properties"].get("message").is_some() => {
            json!({"message": "Hm.", "profile": {"music": "jazz"}})
        }
        Form::Schema(schema) if schema["properties"].get("check").is_some() => {
            json!({"result": "Build it."})
        }
        Form::Schema(_) => json!({"needs_clarification": said < 4, "finding": "It rained."}),
        Form::Proposal { among, .. } if !among.is_empty() => {
            json!({"vote": among[0].1, "why": "It is short."})
        }
        Form::Plan { begun, .. } if !begun.is_empty() => json!({"steps": []}),
        Form::Plan { .. } => json!({"steps": [
            {"number": 1, "description": "Look", "goal": "It is found.", "after": []},
            {"number": 2, "description": "Tell", "goal": "It is told.", "after": [1]},
        ]}),
        Form::Message { planner: false, .. } if said == 1 => {
            json!({"type": "question", "text": "Which one?"})
        }
        Form::Message { planner: false, .. } => {
            json!({"type": "task_complete", "text": format!("Found the {said}.")})
        }
        Form::Free
        | Form::Markers(_)
        | Form::Message { .. }
        | Form::Proposal { .. }
        | Form::Answer { .. }
        | Form::Ranking { .. }
        | Form::Scores(_) => Value::Null,
    };
    let seat = state.seat(&turn.seat).map(|s| &*s.spec);
    let asks_all = seat.is_some_and(|s| s.description.as_deref() == Some(ASKS_ALL));
    let others = state.seats.iter().filter(|s| s.spec.speaks && s.spec.id != turn.seat);
    let other = asks_all.then(|| others.cycle().nth(said)).flatten();
    let text = match seat.and_then(|s| s.persona.as_deref()) {
        _ if other.is_some() => {
            let name = other.map_or("", |s| &*s.spec.name);
            format!("Made-up words, the {said}. Who pays for the tram, {name}?")
        }
        Some("ANSWERS ADA") => format!("No, Ada, the old pay, the {said}."),
        Some("ASKS CY ONCE") if said == 1 => "Who pays, Cy?".to_owned(),
        Some("ASKS IF TOLD") if turn.act.as_ref().is_some_and(|act| act.to.is_some()) => {
            format!("Then this: who pays, the {said}? I do not.")
        }
        Some("ENDS ASKING") => format!("Made-up words, the {said}. Or do they pay?"),
        Some("HANDS OVER") => format!("Made-up words, the {said}. Tell us, @cy."),
        Some("MENTIONS CY") => format!("@cy, words, the {said}. They wait. Or do they pay?"),
        Some("ASKS CY") => format!("Made-up words, the {said}. What do you think, Cy?"),
        Some("THINKS") => format!("<think>A plan, the {said}.</think>Made-up words, the {said}."),
        _ => format!("Made-up words, the {said}."),
    };
    Done { text: Some(text.into()), structured, ..Done::default() }
}

/// Selects calls that show a scenario's prompts: the first, the middle and the last spoken turn, the last one of each
/// phase, and the first of every other purpose.
fn picked(calls: &[Call]) -> String {
    let speaks: Vec<usize> =
        (0..calls.len()).filter(|n| calls[*n].purpose == Purpose::Speak).collect();
    let mut shown = vec![(speaks[0], "first"), (speaks[speaks.len() / 2], "middle")];
    shown.push((speaks[speaks.len() - 1], "last"));
    for purpose in [Purpose::Pick, Purpose::Vote, Purpose::Judge, Purpose::Result] {
        let first = calls.iter().position(|c| c.purpose == purpose);
        shown.extend(first.map(|n| (n, "first of its kind")));
    }
    let one = |(n, what): &(usize, &str)| {
        let Call { seat, purpose, phase, .. } = &calls[*n];
        let phase = phase.as_ref().map_or(String::new(), |phase| format!(", {phase}"));
        format!("=== {what}: {seat}, {purpose:?}{phase}\n{}", calls[*n].whole())
    };
    shown.iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_bundled_scenario_has_its_prompts() {
    for name in scenario::bundled_names() {
        let text = scenario::bundled(name).unwrap();
        insta::assert_snapshot!(
            format!("prompts__{name}"),
            picked(&calls(opened(text, |_| {}), &[]))
        );
    }
    let text = scenario::bundled("round-table").unwrap();
    let mut shared = opened(text, |_| {});
    shared.scenario["layout"] = json!("shared");
    let shared = calls(shared, &[]);
    insta::assert_snapshot!("prompts__round-table__shared", picked(&shared));
    let small = calls(opened(text, |seat| seat.small = true), &[]);
    insta::assert_snapshot!("prompts__round-table__small", picked(&small));
}

/// Returns a scenario of two models with additional keys.
pub fn two(top: &str, ada: &str) -> String {
    format!(
        "title = \"T\"\ntopic = \"Is it so?\"\n{top}\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n{ada}\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\n"
    )
}

pub fn play(top: &str, ada: &str, steer: &[Value]) -> Vec<Call> {
    calls(opened(&two(top, ada), |_| {}), steer)
}

#[test]
fn changing_content_leaves_the_prompt_frame_unchanged() {
    let note = json!({"do": "note", "text": "Be kind.", "for": "utterance"});
    for layout in ["own", "shared"] {
        let top = format!("layout = \"{layout}\"\nwords = [40, 90]\n[limits]\nutterances = 8");
        let noted = play(&top, "", &[Value::Null, note.clone()]);
        let frames: Vec<&str> =
            noted.iter().filter(|c| c.seat == "ada").map(Call::system).collect();
        assert!(frames.windows(2).all(|w| w[0] == w[1]), "{layout}");
        let with_note: Vec<usize> =
            (0..noted.len()).filter(|n| noted[*n].last().contains("Be kind.")).collect();
        assert!(!with_note.is_empty(), "{layout}");
        assert!(noted.iter().all(|c| c.whole().matches("40 to 90 words").count() == 1), "{layout}");
    }
}

#[test]
fn in_the_shared_layout_the_talk_is_the_same_for_everybody() {
    let shared = play(
        "layout = \"shared\"\n[limits]\nutterances = 6",
        "persona = \"You are Ada, a cook.\"",
        &[],
    );
    let before = |call: &Call| {
        let all = format!("{}\n{}", call.system(), call.last());
        all[..all.len() - call.messages.last().unwrap().fresh].trim_end().to_owned()
    };
    for pair in shared.windows(2) {
        assert!(before(&pair[1]).starts_with(&before(&pair[0])), "nothing is read twice");
        assert_eq!(pair[1].messages.len(), 2);
    }
    assert!(
        shared[2].last().contains("<said by=\"Ada\">")
            && shared[2].last().contains("You are Ada, a cook.")
    );
    assert!(!shared[2].system().contains("a cook"));
}

#[test]
fn macros_of_character_cards_become_names() {
    let persona =
        "persona = \"You are {{char}}, friend of {{user}}. {{random::a::b}}<BOT> is slow.\"";
    let system = play("", persona, &[])[0].system().to_owned();
    assert!(system.contains("You are Ada, friend of the host. Ada is slow."), "{system}");
}

#[test]
fn prompt_shows_debate_words_roles_and_lore() {
    let guided = "Give a point up only for a fact";
    assert!(play("", "", &[])[0].system().contains(guided));
    assert!(!play("debate = \"plain\"", "", &[])[0].system().contains(guided));
    // a length in the persona is left to the author; no other is added
    let own = play("", "persona = \"You are Ada. Answer in two sentences.\"", &[]);
    assert!(!own[0].system().contains("words,"), "{}", own[0].system());
    assert!(play("", "words = [5, 9]", &[])[0].system().contains("5 to 9 words"));
    let turning = play(
        "policy = { name = \"round_robin\", rounds = 3 }",
        "role = [\"challenger\", \"-\"]",
        &[],
    );
    let told: Vec<bool> = turning
        .iter()
        .filter(|c| c.seat == "ada" && c.purpose == Purpose::Speak)
        .map(|c| c.last().contains("Your role in this round: challenger."))
        .collect();
    assert_eq!(told, [true, false, true]);
    let lore = "[[lore]]\nkeys = [\"made-up words\"]\ntext = \"Nobody said this.\"\nwho = \"bo\"\n[limits]\nutterances = 4";
    let shown: Vec<bool> = play(lore, "", &[])
        .iter()
        .map(|c| c.last().contains("<lore>\nNobody said this.\n</lore>"))
        .collect();
    assert_eq!(shown, [false, true, false, true]);
    let window = play("[limits]\nutterances = 8", "context = { window = 2 }", &[]);
    let ada = window.iter().rfind(|c| c.seat == "ada").unwrap();
    assert!(ada.whole().contains("[4 earlier turns are left out here]"), "{}", ada.whole());
    assert_eq!(ada.whole().matches("Made-up").count(), 2);
}

const LAST: &str =
    "This is the last turn of all, nobody speaks after you: say who does what now, and by when.";
const ALONE: &str = "This is the last turn of all: nobody can answer you any more.";

#[test]
fn only_the_last_turn_of_all_has_last_words() {
    let limit = "[limits]\nutterances = 6";
    let turns = play(limit, "", &[]);
    let cue = |n: usize| turns[n].last().lines().last().unwrap().to_owned();
    assert_eq!(cue(0), "Ada, you begin: your answer and your strongest reason.");
    assert!(cue(1).starts_with("Bo, turn 2 of 6. "), "{}", cue(1));
    assert!(cue(4).starts_with("Ada, turn 5 of 6. "), "the order can change: {}", cue(4));
    assert_eq!(cue(5), format!("Bo, turn 6 of 6. {LAST}"));
    assert!(!turns[5].whole().contains("Bring one new thing"), "{}", turns[5].whole());
    let farewells =
        |turns: &[Call]| turns.iter().filter(|c| c.last().contains("last turn of all")).count();
    assert_eq!(farewells(&turns), 1);
    let long = play("[limits]\nutterances = 30", "", &[]);
    let doubts = "What do you still not believe, and what would settle it?";
    let asked: Vec<usize> = (0..30).filter(|n| long[*n].last().contains(doubts)).collect();
    assert_eq!((asked, farewells(&long)), (vec![27, 28], 1), "a tenth, the last of all among them");
    let end = json!({"do": "end", "final_round": true});
    let ended = play("[limits]\nutterances = 30", "", &[Value::Null, end]);
    assert_eq!(
        (
            farewells(&ended),
            ended.iter().rfind(|c| c.purpose == Purpose::Speak).unwrap().last().contains(LAST)
        ),
        (1, true)
    );
    let plain = play(&format!("debate = \"plain\"\n{limit}"), "", &[]);
    assert!(plain[2].last().contains("Ada, turn 3 of 6."), "{}", plain[2].last());
    assert!(plain[5].last().contains(ALONE), "{}", plain[5].last());
}

const RULES: [&str; 5] = [
    "plain prose",
    "Give a point up",
    "your own counts",
    "\"@name\" at the end gives that person the floor.",
    "at most 150 words",
];

/// Advice on debating is only for seats that debate in free words.
#[test]
fn only_debates_have_the_rules_of_a_debate() {
    let count = |system: &str| RULES.iter().filter(|rule| system.contains(**rule)).count();
    let robin = "policy = { name = \"round_robin\", mentions = \"once\" }\n";
    let system = |top: &str, ada: &str| play(top, ada, &[])[0].system().to_owned();
    let debate = system(robin, "");
    assert_eq!(count(&debate), RULES.len(), "{debate}");
    let talk = system(&format!("{robin}debate = \"plain\"\n"), "");
    assert_eq!(count(&talk), 2, "length, and handing over: {talk}");
    assert!(talk.contains("Say only what Ada says next"), "{talk}");
    let depends = "policy = \"depends\"\n";
    let schema = "reply = { schema = { type = \"object\" } }";
    let json = "persona = \"You reply with JSON.\"";
    let tools = "tools = [\"read_file\"]";
    let explicit = format!("{robin}debate = \"work\"\n");
    let scribe = "role = \"scribe\"";
    let cases = [
        (depends, ""),
        (robin, schema),
        (robin, json),
        (robin, tools),
        (robin, scribe),
        (&*explicit, ""),
    ];
    for (top, ada) in cases {
        let work = system(top, ada);
        assert!(work.contains("Answer as Ada.") && count(&work) == 0, "{top}{ada}: {work}");
    }
    assert!(system(depends, "words = [5, 9]").contains("Answer as Ada in 5 to 9 words."));
    for name in scenario::bundled_names() {
        let text = scenario::bundled(name).unwrap();
        let source = Source { name: "test".into(), text: text.into(), settings: vec![] };
        let policy = scenario::load(&source, &policy::rows()).unwrap().scenario.policy.name;
        let works = ["depends", "consensus", "plan"].contains(&&*policy);
        let calls = if works { calls(opened(text, |_| {}), &[]) } else { vec![] };
        for call in calls {
            assert_eq!(count(call.system()), 0, "{name}: {}", call.system());
        }
    }
}

#[test]
fn says_that_all_open_at_the_same_time() {
    let turns = play("policy = \"simultaneous\"\n[limits]\nutterances = 4", "", &[]);
    for turn in &turns[..2] {
        let cue = turn.last();
        assert!(
            cue.contains("All of you speak now, at the same time; nobody has heard the others.")
        );
        assert!(!cue.contains("you begin"), "{cue}");
    }
}

#[test]
fn requester_gets_the_result() {
    let floor = json!({"do": "floor", "to": "ada"});
    let given = play("[limits]\nutterances = 4", "", &[floor]);
    assert!(
        given[1].last().contains("Ada, turn 2 of 4. The host gave you the floor."),
        "{}",
        given[1].last()
    );
    let asked = json!({"do": "say", "text": "@bo why?"});
    let named = play("[limits]\nutterances = 4", "", &[Value::Null, asked]);
    assert!(named.iter().any(|c| c.seat == "bo" && c.last().contains("Answer the host.")));
    let panel = calls(opened(scenario::bundled("moderated-panel").unwrap(), |_| {}), &[]);
    let chosen = panel.iter().find(|c| c.purpose == Purpose::Speak).unwrap();
    assert!(
        chosen.last().contains("you begin. Silas gave you the floor: the others have spoken."),
        "{}",
        chosen.last()
    );
    let second = panel.iter().filter(|c| c.purpose == Purpose::Speak).nth(1).unwrap();
    assert!(
        second.last().contains("Silas gave you the floor: the others have spoken."),
        "{}",
        second.last()
    );
}

#[test]
fn a_plain_name_in_a_question_hands_over_where_that_counts() {
    let table = |names: &str| {
        let three = format!(
            "policy = {{ name = \"round_robin\", names = \"{names}\" }}\n[limits]\nutterances = 4"
        );
        let text =
            two(&three, "persona = \"ASKS CY\"") + "[[participant]]\nid = \"cy\"\nname = \"Cy\"\n";
        calls(opened(&text, |_| {}), &[])
    };
    let order = |calls: &[Call]| calls.iter().map(|c| c.seat.clone()).collect::<Vec<_>>();
    let asked = table("asked");
    let off = table("off");
    assert_eq!(order(&off), ["ada", "bo", "cy", "ada"]);
    assert_eq!(order(&asked), ["ada", "cy", "bo", "cy"]);
    assert!(asked[0].system().contains("So does a question to somebody by name."));
    assert!(asked[1].last().contains("Cy, turn 2 of 4. Answer Ada."), "{}", asked[1].last());
}

pub const CY: &str = "[[participant]]\nid = \"cy\"\nname = \"Cy\"\n";

#[test]
fn quotes_a_question_until_the_seat_has_spoken() {
    let asks = "persona = \"ASKS CY\"";
    let three = two("[limits]\nutterances = 9", asks) + CY;
    let turns = calls(opened(&three, |_| {}), &[]);
    let quote = "Ada asked you: \"What do you think, Cy?\" Answer that.";
    let quoted: Vec<bool> = turns.iter().map(|c| c.last().contains(quote)).collect();
    let of_cy = [false, false, true, false, false, true, false, false, true];
    assert_eq!(quoted, of_cy, "{}", turns[2].last());
    let last = turns[8].last();
    assert!(last.contains(&format!("{quote} {ALONE}")), "{last}");
    let plain = two("debate = \"plain\"\n[limits]\nutterances = 9", asks) + CY;
    let plain = calls(opened(&plain, |_| {}), &[]);
    let quoted: Vec<bool> = plain.iter().map(|c| c.last().contains(quote)).collect();
    assert_eq!(quoted, of_cy, "a talk has debts too");
}

#[test]
fn private_notes_come_back_to_their_seat_alone() {
    let phases = "[[phase]]\nname = \"first\"\nthink = \"private\"\n[[phase]]\nname = \"second\"\n";
    let turns =
        calls(opened(&(two("policy = \"phases\"", "persona = \"THINKS\"") + phases), |_| {}), &[]);
    let whole = |c: &&Call| c.phase.as_deref() == Some("second");
    let second: Vec<&Call> = turns.iter().filter(whole).collect();
    let notes = "<your_notes>\nA plan, the 1.\n</your_notes>";
    for call in &turns {
        let due = call.seat == "ada" && call.phase.as_deref() == Some("second");
        assert_eq!(call.whole().contains(notes), due, "{}", call.whole());
    }
    assert_eq!(second.len(), 2);
    assert!(second[0].last().find(notes) < second[0].last().find("Ada, your turn"));
}

#[test]
fn a_moderator_reads_questions_without_an_answer() {
    let table = "policy = { name = \"moderated\", moderator = \"mo\" }\n[limits]\nutterances = 9\n";
    let moderator = "[[participant]]\nid = \"mo\"\nname = \"Mo\"\nspeaks = false\n";
    let turns = calls(opened(&(two(table, "persona = \"ASKS CY\"") + CY + moderator), |_| {}), &[]);
    let owed = "Asked and not answered: Ada asked Cy \"What do you think, Cy?\"";
    let picks: Vec<&Call> = turns.iter().filter(|c| c.purpose == Purpose::Pick).collect();
    assert!(!picks[0].last().contains("not answered"), "{}", picks[0].last());
    assert!(picks[1].last().contains(owed), "{}", picks[1].last());
}

const ACTS: [&str; 5] = [
    "Put one question to",
    "Tell a case that nobody has told.",
    "Say what your own proposal costs, and whom.",
    "Say what you would give up, and what you want for it.",
    "Suppose you get your way and it goes wrong within a year: say how, and who pays.",
];

/// Returns the index of the act that a cue asks for.
pub fn act_of(call: &Call) -> Option<usize> {
    let cue = call.last().lines().last().unwrap_or_default();
    let found = ACTS.iter().position(|act| cue.contains(act));
    assert!(ACTS.iter().filter(|act| cue.contains(**act)).count() < 2, "one task: {cue}");
    found
}

#[test]
fn turns_without_a_task_get_an_act_and_never_the_same_twice_in_a_row() {
    let turns = play("[limits]\nutterances = 20", "", &[]);
    let of = |seat: &str| {
        let spoken = turns.iter().filter(|c| c.seat == seat && c.purpose == Purpose::Speak);
        spoken.map(act_of).collect::<Vec<_>>()
    };
    for acts in [of("ada"), of("bo")] {
        assert_eq!((acts[0], acts[9]), (None, None), "first words, last words: {acts:?}");
        let middle: Vec<usize> = acts[2..9].iter().map(|act| act.unwrap()).collect();
        assert!(middle.windows(2).all(|pair| pair[0] != pair[1]), "{middle:?}");
        let kinds = (0..ACTS.len()).filter(|act| middle.contains(act)).count();
        assert!(kinds > 2, "{middle:?}");
    }
    let plain = play("debate = \"plain\"\n[limits]\nutterances = 20", "", &[]);
    assert!(plain.iter().all(|call| act_of(call).is_none()));
}
