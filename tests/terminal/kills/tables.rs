//! Conversations for the kill tests: short, with many kinds of events, and deterministic.

/// A scenario with its steer file.
pub struct Table {
    pub name: &'static str,
    pub scenario: String,
    pub steer: &'static str,
    /// True if no two seats ever speak at once. Otherwise the order in which they finish is arbitrary, and so are the
    /// later prompts.
    pub ordered: bool,
}

fn seats(of: &[(&str, u64)]) -> String {
    let line = |who: &str, n: u32| {
        format!("{who} says {n} things{} and asks @c", " that are said here".repeat(n as usize))
    };
    of.iter()
        .map(|(id, pace)| {
            let lines: Vec<String> = (1..4).map(|n| format!("{:?}", line(id, n))).collect();
            let lines = lines.join(", ");
            format!("[[participant]]\nid = \"{id}\"\npace = {pace}\nlines = [{lines}]\n")
        })
        .collect()
}

fn talk(policy: &str, utterances: u32, seats: &str) -> String {
    format!("title = \"A talk\"\npolicy = {policy}\n[limits]\nutterances = {utterances}\n{seats}\n")
}

const STEER: &str = r#"{"after":{"utterance":1},"do":"note","to":["b","c"],"text":"be brief"}
{"during":{"utterance":2,"words":4},"id":"x","do":"cut_in","text":"why, @c?"}
{"during":{"utterance":3,"words":2},"do":"say","text":"@a what of this"}
{"during":{"utterance":4,"words":3},"do":"pause_now"}
{"when":"paused and turn_count >= 3","do":"whisper","to":"b","text":"psst"}
{"when":"paused and turn_count >= 3","do":"step","n":1}
{"when":"paused and turn_count >= 5","do":"resume"}
{"after":{"utterance":5},"do":"mute","who":"c"}
{"after":{"utterance":6},"do":"edit","utterance":1,"text":"as edited"}
{"after":{"utterance":6},"do":"speak_as","who":"b","text":"my words"}
{"after":{"utterance":7},"do":"unmute","who":"c"}
{"after":{"utterance":7},"do":"limit","set":{"utterances":9}}
"#;

const PHASES: &str = r#"
[[phase]]
name = "opening"
order = "simultaneous"
rounds = 1
[[phase]]
name = "talk"
who = ["b", "c"]
order = "sequential"
rounds = 2
"#;

/// A script that replies with the number of messages it was shown.
const SCRIPT: &str = r#"
[[participant]]
id = "d"
script = ["sh", "-c", "n=$(grep -o '\"who\"' | wc -l); echo I was shown $n"]
"#;

/// A plan of three steps, two of them concurrent: a question and its answer, updates, a step that fails and is
/// replanned, and a step that waits.
const PLAN: &str = r#"
title = "A plan"
topic = "Paint the boat."
policy = { name = "plan", executor = "hand" }
[[participant]]
id = "head"
pace = 1
lines = [
  { when = "step.asks == 'plan'", text = """
{"steps": [{"goal": "the hull"}, {"goal": "the mast"}, {"goal": "the name", "after": [1, 2]}]}""" },
  { when = "step.asks == 'plan_again'", text = """
{"steps": [{"number": 3, "goal": "the name", "after": [1]}, {"number": 4, "goal": "a flag"}]}""" },
  { when = "step.asks == 'clarify'", text = "Blue, for step {{ step.number }}." },
  "The boat is painted, but for the mast.",
]
[[participant]]
id = "hand"
pace = 1
lines = [
  { when = "step.number == 1 and step.exchange == 1", text = "QUESTION: Which colour is it to be this year?" },
  { when = "step.number == 1 and step.exchange < 4", text = "PROGRESS: plank {{ step.exchange }} of four is done" },
  { when = "step.number == 2", text = "ERROR: There is no mast to paint." },
  "TASK COMPLETE: step {{ step.number }}\nResults: all of it",
]
"#;

pub fn all() -> Vec<Table> {
    let three = seats(&[("a", 1), ("b", 2), ("c", 1)]);
    let crowd: Vec<(String, u64)> = (0..8).map(|i| (format!("s{i}"), 1 + i % 3)).collect();
    let crowd: Vec<(&str, u64)> =
        crowd.iter().map(|(id, pace)| (id.as_str(), *pace)).chain([("c", 1)]).collect();
    let robin = "{ name = \"round_robin\", mentions = \"once\" }";
    let table = |name, scenario, steer| Table { name, scenario, steer, ordered: true };
    let at_once = |name, scenario| Table { name, scenario, steer: "", ordered: false };
    vec![
        table("round robin", talk(robin, 8, &three), ""),
        table("steered", talk(robin, 8, &three), STEER),
        at_once(
            "nine at once",
            talk("{ name = \"simultaneous\", rounds = 2 }", 40, &seats(&crowd)),
        ),
        at_once("phases", talk("\"phases\"", 30, &format!("{PHASES}{three}"))),
        table("scripts", talk(robin, 6, &format!("{three}{SCRIPT}")), ""),
        at_once("plan", PLAN.to_owned()),
    ]
}
