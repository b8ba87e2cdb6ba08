//! The bundled protocols over a model: the number of calls for given seats and rounds, as estimated before a run and as
//! made during it; and unreadable answers.

use crate::batches::{at, numbers, results, windows};
use crate::house::House;
use crate::server::Server;

const ITEMS: &str = "{\"id\":\"a\",\"question\":\"2 + 2?\",\"answer\":4,\"other\":\"3 + 3?\"}\n";
const NUMBER: &str = "Thought {n}.\nCONFIDENCE: 80\nANSWER: 4";
const LETTER: &str = "ANSWER: A";
const RANKED: &str = "RANKING: Speaker A, Speaker B, Speaker C\nANSWER: 4";
const SCORES: &str = "SCORE A: 7\nSCORE B: 5";
const OPEN: &str = r#"{"why": "open", "answer": null}"#;
const DECIDED: &str = r#"{"why": "clear", "answer": "4"}"#;

/// Protocol, override of one of its keys, reply to every call, estimated calls, and actual calls.
type Row = (&'static str, &'static str, &'static str, &'static str, u64);

const CALLS: [Row; 29] = [
    // N x R
    ("society-of-minds", "phase.2.rounds=1", NUMBER, "6", 6),
    ("society-of-minds", "phase.2.rounds=3", NUMBER, "12", 12),
    ("vote-or-debate", "phase.2.rounds=2", NUMBER, "15", 15),
    ("free-mad", "phase.2.rounds=1", NUMBER, "6", 6),
    ("noise-control", "phase.3.rounds=1", NUMBER, "9", 9),
    ("sparse-topology", "phase.2.rounds=2", NUMBER, "15", 15),
    ("interventions", "phase.3.rounds=2", NUMBER, "16", 16),
    ("referees", "phase.1.rounds=3", SCORES, "12", 12),
    ("plain-vote", "seed=1", NUMBER, "3", 3),
    // P x (L - 1) + 1
    ("mixture", "phase.1.rounds=1", NUMBER, "4", 4),
    ("mixture", "phase.1.rounds=3", NUMBER, "10", 10),
    // 2 a round, and a judge
    ("angel-and-devil", "phase.1.rounds=1", NUMBER, "3", 3),
    ("angel-and-devil", "phase.1.rounds=3", NUMBER, "7", 7),
    // 3 a round, and 2 without a preference
    ("tit-for-tat", "phase.1.rounds=2", OPEN, "3 to 8", 8),
    ("tit-for-tat", "phase.1.rounds=4", DECIDED, "3 to 14", 3),
    // 2 a round, and a judge once or, with swapped sides, twice
    ("persuasion", "phase.1.rounds=2", LETTER, "6", 6),
    ("persuasion", "verdict.swap_test=false", LETTER, "7", 7),
    ("consultancy", "phase.1.rounds=3", LETTER, "9", 9),
    // both orders of the answers
    ("naive-judge", "seed=1", LETTER, "2", 2),
    ("expert-judge", "answer.tie=\"first\"", LETTER, "2", 2),
    // N x (1 + rounds), or N if all agree at once
    ("reconcile", "phase.2.rounds=2", NUMBER, "3 to 9", 3),
    ("delphi", "phase.2.rounds=2", NUMBER, "8 to 12", 8),
    // N + N, and a chair
    ("council", "answer.tie=\"first\"", RANKED, "7", 7),
    ("answer-and-vote", "answer.tie=\"none\"", RANKED, "6", 6),
    // one voice
    ("single", "answer.tie=\"first\"", NUMBER, "1", 1),
    ("self-consistency", "phase.1.rounds=8", NUMBER, "8", 8),
    ("self-correction", "seed=1", NUMBER, "3", 3),
    ("reflection", "phase.1.rounds=4", NUMBER, "4", 4),
    ("reflection", "phase.1.rounds=1", NUMBER, "1", 1),
];

#[test]
fn calls_follow_from_seats_and_rounds_as_stated_before() {
    for (protocol, set, reply, stated, made) in CALLS {
        let house = House::new();
        let server = Server::start(reply, None);
        let item = match protocol {
            "persuasion" | "consultancy" | "naive-judge" | "expert-judge" => ITEMS
                .replace("\"answer\":4", "\"answer\":\"a\"")
                .replace("}\n", ",\"a\":\"x\",\"b\":\"y\",\"text\":\"z\",\"side\":\"a\"}\n"),
            "referees" => ITEMS.replace("}\n", ",\"a\":\"x\",\"b\":\"y\"}\n"),
            _ => ITEMS.to_owned(),
        };
        let items = house.file("items.jsonl", &item);
        let out = at(&house, "out");
        let mut args =
            vec!["batch", protocol, "--items", &items, "--out", &out, "--model", "endpoint:tiny"];
        args.extend(["--endpoint", &server.url]);
        let settings = windows(&house, &["tiny"]);
        args.extend(["--config", &settings]);
        if !set.starts_with("seed") {
            args.extend(["--set", set]);
        }
        let ran = house.run(&args).code(0);
        let before = format!("{protocol}: 1 item, {stated} call");
        assert!(ran.err.contains(&before), "{before}: {}", ran.err);
        let line = &results(&house, "out/results.jsonl")[0];
        let calls: u64 =
            line["calls"].as_object().unwrap().values().filter_map(|n| n.as_u64()).sum();
        assert_eq!(calls, made, "{protocol} with {set}: {line}");
        let asked = server.asked.lock().unwrap().len() as u64;
        assert_eq!(
            asked,
            made + line["retries"].as_u64().unwrap(),
            "{protocol}: nothing is hidden"
        );
        assert_eq!(line["outcome"], "ended", "{line}");
    }
}

/// A judge after every round may end the phase. It is asked once more than there are rounds before the last.
#[test]
fn a_judge_after_each_round_is_counted_as_well() {
    const TALK: &str = "title = \"Judged\"\npolicy = \"phases\"\nguards = \"off\"\ntopic = \"{{ item.question }}\"\n\
        [[participant]]\nid = \"ada\"\n[[participant]]\nid = \"bo\"\n[[participant]]\nid = \"judge\"\n\
        [[phase]]\nname = \"talk\"\nwho = [\"ada\", \"bo\"]\nrounds = 3\n\
        judge = { seat = \"judge\", may_stop = true }\n";
    for (winner, made) in [("tie", 9), ("ada", 3)] {
        let scores = if winner == "tie" { (7, 7) } else { (8, 5) };
        let reply = format!(
            r#"{{"why": "so", "scores": {{"ada": {}, "bo": {}}}, "winner": "{winner}"}}"#,
            scores.0, scores.1
        );
        let house = House::new();
        let server = Server::start(reply.leak(), None);
        let path = house.file("judged.toml", TALK);
        let items = house.file("items.jsonl", ITEMS);
        let model = ["--model", "endpoint:tiny", "--endpoint", &server.url];
        let out = at(&house, "out");
        let batch = ["batch", &path, "--items", &items, "--out", &out];
        let ran = house.run(&[&batch[..], &model].concat()).code(0);
        assert!(ran.err.contains("judged: 1 item, 3 to 9 calls"), "{}", ran.err);
        let calls = &results(&house, "out/results.jsonl")[0]["calls"];
        let calls: u64 = calls.as_object().unwrap().values().filter_map(|n| n.as_u64()).sum();
        assert_eq!(calls, made, "{winner}");
    }
}

#[test]
fn another_seat_is_another_call_in_each_round() {
    let house = House::new();
    let server = Server::start(NUMBER, None);
    let shown = house.run(&["scenarios", "show", "society-of-minds"]).code(0).out;
    let (head, phases) = shown.split_once("[[phase]]").unwrap();
    let more = format!("{head}[[participant]]\nid = \"dee\"\n\n[[phase]]{phases}");
    let path = house.file("four.toml", &more);
    let items = house.file("items.jsonl", ITEMS);
    let out = at(&house, "out");
    let args = [
        "batch",
        &path,
        "--items",
        &items,
        "--out",
        &out,
        "--model",
        "endpoint:tiny",
        "--endpoint",
        &server.url,
    ];
    let ran = house.run(&args).code(0);
    assert!(ran.err.contains("four: 1 item, 8 calls per item"), "{}", ran.err);
    assert_eq!(server.asked.lock().unwrap().len(), 8);
}

/// Two of three seats agree after a while; the third never gives an answer.
const UNREAD: &str = numbers!(
    "Unread",
    r#"
[[participant]]
id = "ada"
lines = ["ANSWER: 4", "ANSWER: 4", "ANSWER: 4", "ANSWER: 4"]
[[participant]]
id = "bo"
lines = ["ANSWER: 5", "ANSWER: 4", "ANSWER: 4", "ANSWER: 4"]
[[participant]]
id = "cy"
lines = ["Who can say?", "Who can say?", "Who can say?", "Who can say?"]
[[phase]]
name = "answers"
order = "simultaneous"
sees = "question"
[[phase]]
name = "revision"
order = "simultaneous"
sees = "others_last"
rounds = 3
until = "UNTIL"
"#
);

#[test]
fn abstention_does_not_block_agreement_and_both_counts_are_shown() {
    let house = House::new();
    let items = house.file("items.jsonl", ITEMS);
    // all readable answers agree after two rounds; of all three seats only two do, so that the rounds end it
    for (until, rounds) in
        [("answers.share == 1", 2), ("agreement == 1", 4), ("answers.read == answers.of", 4)]
    {
        let path = house.file("unread.toml", &UNREAD.replace("UNTIL", until));
        let out = at(&house, &format!("out{}", until.len()));
        let ran = house.run(&["batch", &path, "--items", &items, "--out", &out]).code(0);
        assert!(ran.err.contains("1 of 1 conversations finished"), "{}", ran.err);
        let line = &results(&house, &format!("out{}/results.jsonl", until.len()))[0];
        assert_eq!(line["calls"]["speak"], 3 * rounds, "{until}: {line}");
        assert_eq!(line["answered"]["answer"], "4");
        assert_eq!(
            (&line["answered"]["of"], &line["answered"]["abstained"]),
            (&3.into(), &1.into())
        );
        let session = format!("{out}/{}", line["session"].as_str().unwrap());
        let told = house.run(&["export", &session, "--format", "txt"]).code(0).out;
        assert!(told.contains("1 of 3 abstained"), "{told}");
    }
}

const TIE: &str = numbers!(
    "Tie",
    r#"
[[participant]]
id = "ada"
lines = ["ANSWER: 4", "I say {{ answers.most }}.\nANSWER: {{ answers.most }}"]
[[participant]]
id = "bo"
lines = ["ANSWER: 5", "I say {{ answers.most }}.\nANSWER: {{ answers.most }}"]
[[participant]]
id = "cy"
lines = ["Who?", "Most say [{{ answers.most or '' }}]."]
[[phase]]
name = "answers"
order = "simultaneous"
rounds = 2
"#
);

#[test]
fn a_tie_has_no_majority_but_ones_own_answer() {
    let house = House::new();
    let path = house.file("tie.toml", TIE);
    let said = house.run(&["run", &path, "--headless"]).code(0).out;
    for words in ["I say 4.", "I say 5.", "Most say []."] {
        assert!(said.contains(words), "{words}: {said}");
    }
}
