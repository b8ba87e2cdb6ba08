//! A batch with models: one call at a time per machine, baselines of equal cost, and changed models.

use crate::batches::{ITEM, at, results};
use crate::house::House;
use crate::server::Server;
use serde_json::Value;
use std::fs;

fn kinds(house: &House, session: &str) -> Vec<String> {
    let text = fs::read_to_string(house.home.path().join("out").join(session)).unwrap();
    let kind = |line: &str| -> String {
        serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned()
    };
    text.lines().map(kind).filter(|k| k == "call.started" || k == "turn.ended").collect()
}

/// Models on one machine compete for its memory, so no call begins before the previous one has ended.
#[test]
fn a_server_on_this_machine_is_asked_one_thing_at_a_time_and_baselines_ask_the_same() {
    let house = House::new();
    let server = Server::start("Thought {n}: so it is.\nANSWER: 4", None);
    let items = house.file("items.jsonl", ITEM);
    let out = at(&house, "out");
    let args = [
        "batch",
        "society-of-minds",
        "--items",
        &items,
        "--out",
        &out,
        "--baselines",
        "--model",
        "endpoint:tiny",
        "--endpoint",
        &server.url,
        "--set",
        "participant.1.temperature=0.2",
        "--set",
        "participant.1.max_tokens=60",
    ];
    let ran = house.run(&args).code(0);
    assert!(ran.err.contains("\nself-consistency-tokens: 1 item, 1 to 60 calls"), "{}", ran.err);
    let all = results(&house, "out/results.jsonl");
    let of = |name: &str| all.iter().find(|line| line["protocol"] == name).unwrap();
    let tokens =
        |name: &str| of(name)["input"].as_u64().unwrap() + of(name)["output"].as_u64().unwrap();
    for line in &all {
        let kinds = kinds(&house, line["session"].as_str().unwrap());
        let turns = kinds.chunks(2).all(|two| two == ["call.started", "turn.ended"]);
        assert!(turns && kinds.len() > 1, "{}: {kinds:?}", line["protocol"]);
        assert_eq!((&line["correct"], &line["outcome"]), (&true.into(), &"ended".into()), "{line}");
    }
    // the last sample begins while its mean cost is left, and none is cut
    let spent = tokens("self-consistency-tokens") as f64;
    let allowed = tokens("society-of-minds") as f64;
    assert!(0.7 * allowed < spent && spent <= 1.05 * allowed, "{spent} of {allowed} tokens");
    assert!(
        of("self-consistency-tokens")["calls"]["speak"].as_u64() > Some(6),
        "its prompts are shorter, so it may ask more often"
    );
    assert_eq!(of("single")["models"]["endpoint:tiny"]["calls"], 1);
    // the vote comes after the six calls of the protocol, and is its first round
    let bodies: Vec<Value> =
        server.asked.lock().unwrap().iter().filter_map(|b| serde_json::from_str(b).ok()).collect();
    assert_eq!(bodies[6..9], bodies[..3]);
    let sampled =
        bodies[6..9].iter().map(|b| (b["temperature"].as_f64(), b["max_tokens"].as_u64()));
    assert_eq!(sampled.clone().next(), Some((Some(0.2), Some(60))));
    assert_eq!(sampled.clone().nth(1).unwrap().0, Some(1.0));
    let asked = server.asked.lock().unwrap().len();
    house.run(&args).code(0);
    assert_eq!(server.asked.lock().unwrap().len(), asked, "nothing is asked twice");
}

/// The grader and the model are part of a result's identity.
#[test]
fn other_graders_and_other_models_are_refused() {
    let house = House::new();
    let server = Server::start("ANSWER: 4", None);
    let items = house.file("items.jsonl", ITEM);
    let out = at(&house, "out");
    let scenario = |model: &str| {
        let text = format!(
            "title = \"S\"\ntopic = \"{{{{ item.question }}}}\"\npolicy = \"phases\"\n[item]\nquestion = \"?\"\n\
             [answer]\nform = \"number\"\n[[participant]]\nid = \"ada\"\nmodel = \"endpoint:tiny\"\n{model}\n\
             [[phase]]\nname = \"p\"\n"
        );
        house.file("s.toml", &text)
    };
    let path = scenario("");
    let args = ["batch", &path, "--items", &items, "--out", &out, "--endpoint", &server.url];
    house.run(&args).code(0);
    let mut grader = args.to_vec();
    grader.extend(["--set", "answer.form=text"]);
    let refused = house.run(&grader).code(2);
    assert!(refused.err.contains("prompts, models or judges of s differ"), "{}", refused.err);
    scenario("temperature = 0.1");
    house.run(&args).code(2);
    scenario("");
    // the number of jobs is not part of the identity
    let mut jobs = args.to_vec();
    jobs.extend(["--jobs", "3"]);
    house.run(&jobs).code(0);
    assert_eq!(server.asked.lock().unwrap().len(), 1);
}

/// Returns the files of three items for one seat with the model of a server.
fn three(house: &House) -> (String, String) {
    let scenario = "title = \"S\"\ntopic = \"{{ item.question }}\"\npolicy = \"phases\"\n[item]\nquestion = \"?\"\n\
         [answer]\nform = \"number\"\n[[participant]]\nid = \"ada\"\nmodel = \"endpoint:tiny\"\n\
         [[phase]]\nname = \"p\"\n";
    let items: String = (0..3)
        .map(|n| format!("{{\"id\":\"{n}\",\"question\":\"{n} + 2?\",\"answer\":4}}\n"))
        .collect();
    (house.file("s.toml", scenario), house.file("items.jsonl", &items))
}

#[test]
fn a_batch_out_of_budget_prints_the_command_that_resumes_it() {
    let house = House::new();
    let server = Server::start("ANSWER: 4", None);
    let (scenario, items) = three(&house);
    let out = at(&house, "out");
    let first = format!(
        "batch {scenario} --items {items} --out {out} --endpoint {} --max-tokens 150",
        server.url
    );
    let mut command = first;
    let mut stopped = 0;
    loop {
        let ran = house.run(&command.split(' ').collect::<Vec<_>>());
        if ran.code == 0 {
            assert!(ran.err.contains("3 of 3 conversations finished"), "{}", ran.err);
            break;
        }
        let ran = ran.code(5);
        if stopped == 0 {
            let why = "no call was made: the first one of a conversation needs up to ";
            assert!(
                ran.err.contains(why) && ran.err.contains(" tokens, and it has 150 tokens"),
                "{}",
                ran.err
            );
        }
        let line = ran.err.split_once("to resume: colloquium ").unwrap().1.lines().next().unwrap();
        assert!(line.ends_with(&format!("--max-tokens {}", 300 << stopped)), "{line}");
        command = line.to_owned();
        stopped += 1;
        assert!(stopped < 10, "{line}");
    }
    assert!(stopped > 0);
    assert_eq!(server.asked.lock().unwrap().len(), 3, "nothing is asked twice");
}

#[test]
fn an_estimate_and_the_default_limit_are_printed_before_the_first_call() {
    let house = House::new();
    let server = Server::start("ANSWER: 4", None);
    let (scenario, items) = three(&house);
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--endpoint", &server.url];
    let dry = |more: &[&str]| house.run(&[&args[..], &["--dry-run"], more].concat()).code(0).out;
    let free = dry(&[]);
    assert!(free.contains("\nestimate from the first item: ~"), "{free}");
    assert!(free.contains(" tokens, no price") && !free.contains("limit:"), "{free}");
    let settings = house.file("c.toml", "[models.\"endpoint:tiny\"]\nprice = [1000, 2000]\n");
    let priced = dry(&["--config", &settings]);
    assert!(priced.contains(" tokens, $"), "{priced}");
    assert!(priced.contains("limit: $5.00 for all conversations (default; change it"), "{priced}");
    let own = dry(&["--config", &settings, "--max-usd", "1"]);
    assert!(!own.contains("default"), "{own}");
    assert!(server.asked.lock().unwrap().is_empty());
}

/// Seats that agree say nearly the same, which is no echo in an experiment.
#[test]
fn agreement_costs_no_call_and_a_rejected_reply_counts_as_one() {
    let house = House::new();
    let server = Server::start("It is the sum of two and two, so four is right.\nANSWER: 4", None);
    let items = house.file("items.jsonl", ITEM);
    let calls = |guards: &str| {
        let out = at(&house, guards);
        let guards = format!("guards=\"{guards}\"");
        let mut args = vec!["batch", "society-of-minds", "--items", &items, "--out", &out];
        args.extend(["--model", "endpoint:tiny", "--endpoint", &server.url]);
        args.extend(if guards.contains("on") { vec!["--set", &guards] } else { vec![] });
        house.run(&args).code(0);
        let line = results(&house, &format!("{out}/results.jsonl")).remove(0);
        let count = |value: &Value| value.as_u64().unwrap();
        (count(&line["calls"]["speak"]), count(&line["planned"][0]), count(&line["retries"]))
    };
    let (made, planned, retries) = calls("default");
    assert_eq!((made, retries), (planned, 0));
    let (made, planned, retries) = calls("on");
    assert!(retries > 0, "an echo in a debate is asked for again");
    assert_eq!(made, planned + retries);
}

/// `parallel` and `--jobs` are obeyed for a server on this machine too, and no reply has a limit that nobody wrote.
#[test]
fn limits_are_those_that_are_written() {
    let house = House::new();
    let server = Server::start("<think>So.</think>Thought {n}.\n\\boxed{4}", None);
    let items = house.file("items.jsonl", ITEM);
    let run = |out: &str, more: &[&str]| {
        let out = at(&house, out);
        let args = ["batch", "society-of-minds", "--items", &items, "--out", &out];
        let model = ["--model", "endpoint:tiny", "--endpoint", &server.url];
        house.run(&[&args[..], &model, more].concat()).code(0).err
    };
    let plan = run("out", &["--set", "parallel=3", "--jobs", "2"]);
    let seats =
        "  ada endpoint:tiny at 1, bo endpoint:tiny at 1, cy endpoint:tiny at 1; at most 3 at once";
    assert!(plan.contains(seats), "{plan}");
    let line = &results(&house, "out/results.jsonl")[0];
    let kinds = kinds(&house, line["session"].as_str().unwrap());
    assert_eq!(kinds[..3], ["call.started"; 3], "{kinds:?}");
    let asked = server.asked.lock().unwrap().join("\n");
    assert!(!asked.contains("max_tokens") && !asked.contains("max_completion_tokens"), "{asked}");
    house.file("items.jsonl", &(ITEM.to_owned() + &crate::batches::item(5)));
    let plan = run("more", &["--jobs", "8"]);
    let both = "; at most 2 at once, 1 in each of 2 conversations";
    assert!(plan.contains(both), "{plan}");
    house.file("items.jsonl", ITEM);
    server.asked.lock().unwrap().clear();
    let plan = run("own", &["--set", "participant.1.max_tokens=77"]);
    assert!(plan.contains("ada endpoint:tiny at 1 with max_tokens 77"), "{plan}");
    let asked = server.asked.lock().unwrap();
    let limits = asked
        .iter()
        .filter_map(|body| serde_json::from_str::<Value>(body).ok()?.get("max_tokens").cloned());
    // nothing is added for reasoning
    assert_eq!(limits.collect::<Vec<_>>(), [77, 77]);
}
