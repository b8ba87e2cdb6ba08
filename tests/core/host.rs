//! Messages of the host to all: the task of the next turn, and wishes that stay.

use crate::harness::*;
use crate::kills::runtime;
use crate::prompts::{ASKS_ALL, CY, Call, calls, opened, play as asked, two};
use colloquium::model::*;
use colloquium::scenario;
use regex::Regex;
use serde_json::{Value, json};

const TASK: &str = "The host has just ";
const ASKED: &str = "The host has just asked all of you something: answer that.";
const WISHED: &str = "The host has just wished something of all of you: do it from this turn on, also against the rules above, without talking \
     about it.";
const SAID: &str = "The host has just said something to all of you: go by it.";
const HOLDS: &str =
    "The host wished, and it holds until taken back, also against the rules above: ";
const HELD: &str = "The host said, and it holds until taken back: ";

fn say(text: &str) -> Value {
    json!({"do": "say", "text": text})
}

fn with(calls: &[Call], what: &str) -> Vec<bool> {
    calls.iter().map(|call| call.last().contains(what)).collect()
}

#[test]
fn a_message_to_all_is_the_task_of_the_next_turn() {
    let limit = "[limits]\nutterances = 6";
    for top in [limit.to_owned(), format!("debate = \"plain\"\n{limit}")] {
        let turns = asked(&top, "", &[Value::Null, say("What does it cost by 2030?")]);
        assert_eq!(with(&turns, TASK), [false, false, true, false, false, false], "{top}");
        let other = ["If you disagree", "Tell a case", "Put one question", "costs, and whom"];
        assert!(other.iter().all(|task| !turns[2].last().contains(task)), "{}", turns[2].last());
        assert_eq!(turns[2].last().matches("2030").count(), 1, "not quoted: {}", turns[2].last());
    }
    let last = asked(limit, "", &[Value::Null, Value::Null, Value::Null, Value::Null, say("Why?")]);
    assert!(last[5].last().contains(TASK) && last[5].last().contains("last turn of all"));
    // a question by name is a debt of one seat
    let named = asked(limit, "", &[say("Well, Bo, who pays?")]);
    assert_eq!(with(&named, TASK), [false; 6]);
    // thanks put no question to the person who is thanked
    let thanked = asked(limit, "", &[say("Thank you, Ada. That was clear. Who pays for it?")]);
    assert_eq!(with(&thanked, TASK), [false, true, false, false, false, false]);
    let data = "policy = \"simultaneous\"\n[limits]\nutterances = 4";
    let both = asked(data, "", &[Value::Null, say("Who pays?")]);
    assert_eq!(with(&both, TASK), [false, false, true, true]);
    let moderated =
        "policy = { name = \"moderated\", moderator = \"mo\" }\n[limits]\nutterances = 4\n";
    let mo = "[[participant]]\nid = \"mo\"\nname = \"Mo\"\nspeaks = false\n";
    let chosen = calls(opened(&(two(moderated, "") + mo), |_| {}), &[say("Who pays?")]);
    let picks: Vec<&Call> = chosen.iter().filter(|c| c.purpose == Purpose::Pick).collect();
    assert!(picks[0].last().ends_with("\"choice\" is your choice, \"why\" is that clause."));
    let told = "The host has just said: \"Who pays?\" Who is to take it up?";
    assert!(picks[1].last().contains(told), "{}", picks[1].last());
    assert!(!picks[2].last().contains(told), "{}", picks[2].last());
    let wish = calls(opened(&(two(moderated, "") + mo), |_| {}), &[say("Shorter, please.")]);
    let pick = wish.iter().filter(|c| c.purpose == Purpose::Pick).nth(1).unwrap();
    let told = "The host has just said: \"Shorter, please.\" All go by it.";
    assert!(pick.last().contains(told), "{}", pick.last());
}

#[test]
fn a_short_wish_stays_and_a_question_does_not() {
    let shorter = "Please be shorter, both of you.";
    let steer = [say(shorter), say("Who pays?"), say("Think of the old."), say("Use plain words.")];
    let turns = asked("[limits]\nutterances = 8", "", &steer);
    let held = |n: usize| -> Vec<String> {
        let lines = turns[n].last().lines();
        lines.filter(|line| line.contains("until taken back")).map(str::to_owned).collect()
    };
    let wish = |text: &str| format!("{HOLDS}\"{text}\"");
    let news = format!("{HELD}\"Think of the old.\"");
    assert!(held(0).is_empty() && held(1).is_empty(), "the message itself is the last thing read");
    assert_eq!(held(2), [wish(shorter)]);
    assert_eq!(held(3), [wish(shorter)]);
    assert_eq!(held(4), [wish(shorter), news.clone()], "news do not set rules aside");
    assert_eq!(held(5), [wish("Use plain words."), news], "the latest two");
    assert_eq!(held(7), held(5));
    let tasks = [WISHED, ASKED, SAID, WISHED];
    assert!((0..4).all(|n| turns[n + 1].last().contains(tasks[n])), "one case each");
    let news = "The bus company says that line 4 will stop in June.";
    let errand = "Ask him what a bell costs.";
    let turns = asked("[limits]\nutterances = 6", "", &[say(news), say(errand)]);
    assert_eq!(with(&turns, SAID), [false, true, true, false, false, false]);
    let holds = format!("{HELD}\"{news}\"");
    assert_eq!(with(&turns, &holds), [false, false, true, true, true, true]);
    assert!(turns.iter().all(|turn| !turn.last().contains(&format!("\"{errand}\""))), "once");
    let long = "word ".repeat(26);
    let turns = asked("[limits]\nutterances = 4", "", &[say(&long)]);
    assert_eq!(with(&turns, HOLDS), [false; 4]);
}

#[test]
fn hiding_a_wish_ends_it() {
    let shorter = "Please be shorter, both of you.";
    let of = |what: &str| json!({"do": what, "utterance": "h1"});
    let steer = [say(shorter), Value::Null, of("hide"), Value::Null, of("unhide")];
    let turns = asked("[limits]\nutterances = 8", "", &steer);
    let whole: Vec<bool> = turns.iter().map(|call| call.whole().contains(shorter)).collect();
    assert_eq!(with(&turns, HOLDS), [false, false, true, false, false, true, true, true]);
    assert_eq!(whole, [false, true, true, false, false, true, true, true], "nor is it read");
    let model = |id| Participant { voice: VoiceSpec::Model(ModelSpec::default()), ..seat(id) };
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 2}});
    let opened = table(scenario, ["a", "b"].map(model).into());
    let stage = stage(|_| Play::Words("Words of its own.".into(), 10));
    let none = json!({"do": "hide", "utterance": "h2"});
    let ran = runtime().block_on(play(opened, stage, &[say(shorter), none]));
    let refused = ran.events.iter().find_map(|e| match &e.kind {
        Kind::CommandRefused(refused) => Some(refused.why.to_string()),
        _ => None,
    });
    assert_eq!(refused.as_deref(), Some("no message h2; you have said 1 to all"));
}

#[test]
fn a_question_that_made_room_for_the_host_is_asked_once_more() {
    let three = two("[limits]\nutterances = 9", "persona = \"ASKS CY ONCE\"") + CY;
    let debt = "Ada asked you: \"Who pays, Cy?\" Answer that.";
    let turns = calls(opened(&three, |_| {}), &[Value::Null, say("The tram is paid.")]);
    let of_cy: Vec<&Call> = turns.iter().filter(|call| call.seat == "cy").collect();
    let shown = |what: &str| of_cy.iter().map(|c| c.last().contains(what)).collect::<Vec<_>>();
    assert_eq!(shown(TASK), [true, false, false]);
    assert_eq!(shown(debt), [false, true, false], "{}", of_cy[1].last());
    // an answer to the asker settles it
    let answers = format!("{three}persona = \"ANSWERS ADA\"\n");
    let turns = calls(opened(&answers, |_| {}), &[Value::Null, say("The tram is paid.")]);
    assert!(turns.iter().any(|call| call.seat == "cy" && call.last().contains(TASK)));
    assert!(!with(&turns, debt).contains(&true));
    // a wish makes no room: it is kept while the question is answered in any words
    let turns = calls(opened(&three, |_| {}), &[Value::Null, say("Shorter, please.")]);
    let both = format!("{WISHED} {debt}");
    assert_eq!(with(&turns, debt).iter().filter(|shown| **shown).count(), 1);
    assert!(with(&turns, &both).contains(&true), "{}", turns[2].last());
    let turns = calls(opened(&three, |_| {}), &[]);
    assert_eq!(with(&turns, debt).iter().filter(|shown| **shown).count(), 1);
}

#[test]
fn a_question_to_each_is_the_task_of_each_seat_once() {
    let each = "What would each of you give up?";
    let debt = format!("The host asked you: \"{each}\" Answer that.");
    let three = two("[limits]\nutterances = 12", "") + CY;
    let shown = |turns: &[Call], what: &str| -> Vec<usize> {
        (0..turns.len()).filter(|n| turns[*n].last().contains(what)).collect()
    };
    let turns = calls(opened(&three, |_| {}), &[Value::Null, say(each)]);
    assert_eq!((shown(&turns, TASK), shown(&turns, &debt)), (vec![2], vec![3, 4]));
    // news come first, and the question is asked in the next turn of that seat
    let turns = calls(opened(&three, |_| {}), &[Value::Null, say(each), say("The tram is paid.")]);
    assert_eq!((shown(&turns, TASK), shown(&turns, &debt)), (vec![2, 3], vec![4, 6]));
    // a wish is kept while the question is answered, which is asked of all, and of nobody twice
    let wish = say("Two sentences at most, please.");
    let turns = calls(opened(&three, |_| {}), &[Value::Null, say(each), wish]);
    assert_eq!((shown(&turns, TASK), shown(&turns, &debt)), (vec![2, 3], vec![3, 4]));
    // a wish for all stays, and asks nobody twice
    let turns = calls(opened(&three, |_| {}), &[say("One sentence each, please.")]);
    assert_eq!(shown(&turns, "The host asked you"), Vec::<usize>::new());
    let small = calls(opened(&three, |seat| seat.small = true), &[say(each)]);
    assert_eq!(shown(&small, "The host ask"), [1, 2, 3], "{}", small[2].last());
}

#[test]
fn a_moderator_reads_who_has_yet_to_answer_a_question_to_each() {
    let moderated =
        "policy = { name = \"moderated\", moderator = \"mo\" }\n[limits]\nutterances = 8\n";
    let mo = "[[participant]]\nid = \"mo\"\nname = \"Mo\"\nspeaks = false\n";
    let each = "Who pays, in one sentence each?";
    let turns = calls(opened(&(two(moderated, "") + CY + mo), |_| {}), &[say(each)]);
    let picks: Vec<&Call> = turns.iter().filter(|c| c.purpose == Purpose::Pick).collect();
    let owed = format!("Asked and not answered: The host asked Ada, Bo, Cy \"{each}\"");
    assert!(picks[1].last().contains(&owed), "{}", picks[1].last());
    assert!(!picks[1].last().contains("has just said"), "{}", picks[1].last());
    let spoken = turns.iter().filter(|c| c.purpose == Purpose::Speak).skip(1);
    let asked: Vec<(&str, bool)> = spoken
        .map(|c| (&*c.seat, c.last().contains(TASK) || c.last().contains("The host asked you")))
        .collect();
    for seat in ["ada", "bo", "cy"] {
        let of_seat: Vec<bool> =
            asked.iter().filter(|(by, _)| *by == seat).map(|(_, a)| *a).collect();
        let once =
            of_seat.first().is_none_or(|first| *first) && !of_seat.iter().skip(1).any(|a| *a);
        assert!(once, "{seat}: {asked:?}");
    }
}

/// A moderator's clause, a question, a message of the host and the task of a phase in one turn.
#[test]
fn a_turn_has_one_task() {
    let moderated =
        "policy = { name = \"moderated\", moderator = \"mo\" }\n[limits]\nutterances = 6\n";
    let mo = "[[participant]]\nid = \"mo\"\nname = \"Mo\"\nspeaks = false\n";
    let clause = ": the others have spoken.";
    for (said, task) in [("Well, Bo, who pays?", "The host asked you"), ("Why now?", TASK)] {
        let turns = calls(opened(&(two(moderated, "") + mo), |_| {}), &[say(said)]);
        let turns: Vec<&Call> = turns.iter().filter(|c| c.purpose == Purpose::Speak).collect();
        let with_task: Vec<&&Call> = turns.iter().filter(|c| c.last().contains(task)).collect();
        assert!(!with_task.is_empty() && turns[0].last().contains(clause), "{task}");
        for call in with_task {
            assert!(!call.last().contains(clause), "{}", call.last());
        }
    }
    let phase = |name: &str, more: &str| {
        format!("[[phase]]\nname = \"{name}\"\nwho = [\"bo\", \"ada\"]\n{more}\n")
    };
    let own = "task = \"Name a price.\"\nrounds = 2";
    let phases = two("policy = \"phases\"", "persona = \"ENDS ASKING\"")
        + &phase("prices", own)
        + &phase("closings", "");
    let turns = calls(opened(&phases, |_| {}), &[say("Why now?")]);
    let tasks = [TASK, "Answer Ada.", "Name a price.", "Nothing new: say what decides it"];
    let told: Vec<Vec<usize>> = turns
        .iter()
        .filter(|call| call.purpose == Purpose::Speak)
        .map(|c| (0..tasks.len()).filter(|n| c.last().contains(tasks[*n])).collect())
        .collect();
    // the question of the phase before gives way to the closing
    assert_eq!(told, [vec![2], vec![0], vec![1], vec![2], vec![3], vec![3]]);
}

/// A cross-examination: the next turn depends on the question, and on the answer.
#[test]
fn a_message_of_the_host_leaves_an_exchange_its_question_and_its_answer() {
    let task = "{% if me.id == 'ada' %}Put one question to Bo.{% endif %}";
    let phase = format!(
        "[[phase]]\nname = \"Ada asks\"\nwho = [\"ada\", \"bo\"]\nrounds = 2\ntask = \"{task}\"\n"
    );
    let text = two("policy = \"phases\"", "persona = \"ENDS ASKING\"") + &phase;
    let lead = "The host has just spoken to all of you; take that up in this: ";
    for (steer, at, task) in [
        (vec![say("The tram is paid.")], 1, "Ada asked you: \"Or do they pay?\" Answer that."),
        (vec![Value::Null, say("The tram is paid.")], 2, "Put one question to Bo."),
    ] {
        let turns = calls(opened(&text, |_| {}), &steer);
        let turns: Vec<&Call> = turns.iter().filter(|c| c.purpose == Purpose::Speak).collect();
        assert!(turns[at].last().contains(&format!("{lead}{task}")), "{}", turns[at].last());
        let led = turns.iter().filter(|call| call.last().contains(lead)).count();
        assert_eq!(led, 1, "{at}");
    }
    // a question of the host is answered beside the task
    let turns = calls(opened(&text, |_| {}), &[Value::Null, say("Well, Ada, who pays?")]);
    let both = "Answer the host in one sentence. Then: Put one question to Bo.";
    assert_eq!(with(&turns[..4], both), [false, false, true, false], "{}", turns[2].last());
    // who answers can end in a question of its own
    let both = text.replace("name = \"Bo\"", "name = \"Bo\"\npersona = \"ENDS ASKING\"");
    assert_ne!(both, text);
    let turns = calls(opened(&both, |_| {}), &[]);
    let third = turns[2].last();
    assert!(third.contains("Put one question to Bo.") && !third.contains("Answer"), "{third}");
}

/// The task of a phase that made room for the host is not named, and a phase without a task asks for something new.
#[test]
fn a_phase_without_a_task_of_its_own_asks_for_something_new() {
    let phases = two("policy = \"phases\"", "")
        + "[[phase]]\nname = \"one\"\n[[phase]]\nname = \"what is left\"\ntask = \"Name a price.\"\n";
    let turns = calls(opened(&phases, |_| {}), &[Value::Null, say("Why now?")]);
    assert!(turns[1].last().contains("Phase 1 of 2: one."), "{}", turns[1].last());
    let asks = ["If you disagree", "Bring one new thing"];
    assert!(asks.iter().any(|ask| turns[1].last().contains(ask)), "{}", turns[1].last());
    assert!(turns[2].last().contains("Phase 2 of 2.") && turns[2].last().contains(ASKED));
    assert!(turns[3].last().contains("Phase 2 of 2: what is left. Name a price."));
}

#[test]
fn after_a_resumed_end_the_host_is_answered_first() {
    let model = |id| Participant { voice: VoiceSpec::Model(ModelSpec::default()), ..seat(id) };
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": 4}});
    let stage = || stage(|ask| Play::Words(format!("{:?} of its own.", ask.number), 10));
    let first =
        runtime().block_on(play(table(scenario, ["a", "b"].map(model).into()), stage(), &[]));
    let more = [json!({"do": "limit", "set": {"utterances": 6}}), say("The tram is paid.")];
    let ran = runtime().block_on(resume(first.events, stage(), &more));
    let cue = |number: u32| {
        let ask = ran.seen.iter().rfind(|ask| ask.number == Some(number)).unwrap();
        ask.messages.last().unwrap().text.clone()
    };
    assert!(cue(5).contains(TASK) && !cue(5).contains("last turn of all"), "{}", cue(5));
    assert!(!cue(6).contains(TASK) && cue(6).contains("last turn of all"), "{}", cue(6));
}

/// Maximum length of the rules and the cue of a turn that answers a question, in characters.
const FRAME_MAX: usize = 800;
/// Additional length if the host has just spoken to all and an earlier wish holds too.
const HOST_MORE: usize = 80;

/// Returns the rules and the cue of a call, without its persona, its topic and the talk, which both quote.
fn frame(call: &Call) -> String {
    let rules = call.system().split_once("Others speak as").map_or("", |(_, rules)| rules);
    let cue = call.last().rsplit("</said>\n").next().unwrap();
    let cue = cue.rsplit("</host>\n").next().unwrap().trim();
    let quotes = Regex::new("(asked you|rules above|taken back): \"[^\"]*\"").unwrap();
    format!("Others speak as{rules}\n{}", quotes.replace_all(cue, "$1: \"\""))
}

/// Every bundled scenario, with its own people and with people of a cast, without a host and with a host who wishes and asks.
#[test]
fn the_frame_of_an_answer_is_short() {
    let host =
        [Value::Null, say("Please be shorter, two sentences each."), Value::Null, say("Who pays?")];
    let answers =
        Regex::new(r" asked you: |Answer (the host|[A-Z][\w. ]*?)( in one sentence)?\.").unwrap();
    let (mut seen, mut long) = (0, vec![]);
    for name in scenario::bundled_names() {
        for (persona, steer) in [(None, &[][..]), (Some("You want the road."), &[]), (None, &host)]
        {
            let text = scenario::bundled(name).unwrap();
            let opened = opened(text, |seat| {
                seat.description = Some(ASKS_ALL.into());
                seat.persona = persona.map(Into::into).or(seat.persona.take());
            });
            for call in calls(opened, steer).iter().filter(|c| c.purpose == Purpose::Speak) {
                let cue = call.last();
                if cue.contains("VOTE:") || !cue.contains(TASK) && !answers.is_match(cue) {
                    continue;
                }
                seen += 1;
                let frame = frame(call);
                let length = frame.chars().count();
                let most = FRAME_MAX + if cue.contains(TASK) { HOST_MORE } else { 0 };
                if length > most {
                    long.push(format!("{name}, {}, {length}:\n{frame}", call.seat));
                }
            }
        }
    }
    assert!(seen > 100 && long.is_empty(), "{seen} answers: {}", long.join("\n\n"));
}

#[test]
fn asks_for_fairness_once_for_each_opponent() {
    let turns = asked("[limits]\nutterances = 8", "", &[]);
    let asks = |c: &Call| c.last().contains("If you disagree with ");
    let shown: Vec<bool> = turns.iter().map(asks).collect();
    assert_eq!(shown, [false, true, true, false, false, false, false, false]);
    assert!(!turns[0].system().contains("If you disagree"));
    // a seat without a side has no opponent at a table of sides
    let sided = two("[limits]\nutterances = 12", "side = \"yes\"") + CY;
    let sided = sided.replace("name = \"Bo\"", "name = \"Bo\"\nside = \"no\"");
    let turns = calls(opened(&sided, |_| {}), &[]);
    let shown: Vec<&str> = turns.iter().filter(|c| asks(c)).map(|c| &*c.seat).collect();
    assert_eq!(shown, ["bo", "ada"]);
}

/// The moderator is told when the clause is not read.
#[test]
fn a_moderator_knows_when_the_clause_gives_way() {
    let moderated =
        "policy = { name = \"moderated\", moderator = \"mo\" }\n[limits]\nutterances = 4\n";
    let mo = "[[participant]]\nid = \"mo\"\nname = \"Mo\"\nrole = \"chair\"\nspeaks = false\n";
    let turns = calls(
        opened(
            &(two(moderated, "role = \"curator\"\ndescription = \"curator of the horse\"") + mo),
            |_| {},
        ),
        &[],
    );
    let pick = turns.iter().find(|c| c.purpose == Purpose::Pick).unwrap();
    let told = "They read that clause, unless a message of the host, a question to them, a doubt or the last turn comes before it.";
    assert!(pick.last().contains(told), "{}", pick.last());
    assert!(pick.system().contains("\n- ada: Ada: curator of the horse\n"), "{}", pick.system());
}

#[test]
fn the_host_addresses_a_seat_by_name_and_gets_an_answer() {
    let three = two("[limits]\nutterances = 9", "") + CY;
    let turns = |text: &str| calls(opened(&three, |_| {}), &[say(text)]);
    for (text, order) in [
        ("Cy, who pays?", ["ada", "cy", "bo"]),
        ("cy: go on", ["ada", "cy", "bo"]),
        ("Cy is wrong, I think", ["ada", "bo", "cy"]),
        ("Well, Cy, who pays?", ["ada", "bo", "cy"]),
    ] {
        let turns = turns(text);
        let seats: Vec<&str> = turns.iter().take(3).map(|c| &*c.seat).collect();
        assert_eq!(seats, order, "{text}");
    }
    let before = two("[limits]\nutterances = 9", "persona = \"ASKS CY ONCE\"") + CY;
    let both = calls(opened(&before, |_| {}), &[say("Cy, how many?")]);
    let of_cy: Vec<&str> = both.iter().filter(|c| c.seat == "cy").map(Call::last).collect();
    let later = "Ada asked you: \"Who pays, Cy?\" Answer that.";
    assert!(of_cy[0].contains("Answer the host.") && !of_cy[0].contains(later), "{of_cy:?}");
    assert!(of_cy[1].contains(later) && !of_cy[2].contains(later), "{of_cy:?}");
    let turns = turns("Cy, who pays?");
    let asked: Vec<&Call> = turns.iter().filter(|c| c.seat == "cy").collect();
    let cue = "Answer the host.";
    assert!(asked[0].last().contains(cue), "{}", asked[0].last());
    assert!(!asked[1].last().contains(cue), "{}", asked[1].last());
}
