//! One conversation for each reason in the table of `help exit-codes`: it ends with that reason and that exit code.

use crate::house::{House, end, read_until, talk};
use crate::server::Server;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A row of the table.
struct Row {
    reason: String,
    code: i32,
    settled: bool,
}

/// Returns the rows of the table of reasons.
fn rows(house: &House) -> Vec<Row> {
    let help = house.run(&["help", "exit-codes"]).code(0).out;
    let table = help.split("    reason ").nth(1).unwrap();
    let lines = table.lines().skip(1).take_while(|line| !line.trim().is_empty());
    let row = |line: &str| {
        let mut cells = line.split_whitespace().map(str::to_owned);
        let mut next = || cells.next().unwrap();
        Row { reason: next(), code: next().parse().unwrap(), settled: next() == "yes" }
    };
    lines.map(row).collect()
}

/// Returns a seat with rehearsed lines, given as TOML, and more keys.
fn seat(id: &str, lines: &str, more: &str) -> String {
    format!("[[participant]]\nid = \"{id}\"\n{more}\nlines = [{lines}]\n")
}

/// Returns a seat whose script always does the same.
fn scripted(id: &str, shell: &str, more: &str) -> String {
    let failure = format!("on_failure = {{ retry = 0{more} }}");
    format!("[[participant]]\nid = \"{id}\"\nscript = [\"sh\", \"-c\", '{shell}']\n{failure}\n")
}

/// Returns a scenario that ends for a reason; panics for a reason without one.
fn scenario(reason: &str) -> String {
    let ada = seat("ada", "'one thing', 'two things'", "");
    let bo = seat("bo", "'no tea', 'more tea'", "");
    let two = format!("{ada}{bo}");
    let judge =
        |line: &str| seat("jo", &format!("{{ for = 'judge', text = '{line}' }}"), "speaks = false");
    let after = seat("bo", "'b'", "after = [\"ada\"]");
    let body = match reason {
        "goal" => {
            let yes = judge("{\"choice\": \"yes\", \"why\": \"all is said\"}");
            format!("[[stop]]\njudge = \"jo\"\nquestion = \"Over?\"\n{two}{yes}")
        }
        "consensus" => {
            let answers =
                |id: &str, tea: &str| seat(id, &format!("'ANSWER: {tea}', 'VOTE: Answer A'"), "");
            let both = [answers("ada", "tea"), answers("bo", "no tea")].concat();
            format!("policy = \"consensus\"\n{both}")
        }
        "no_votes" => {
            let seats = [seat("ada", "'PASS'", ""), seat("bo", "'PASS'", "")].concat();
            format!("policy = {{ name = \"consensus\", rounds = 1 }}\n{seats}")
        }
        "verdict" => {
            let verdict = judge("{\"why\": \"clear\", \"winner\": \"ada\"}");
            format!(
                "policy = {{ name = \"round_robin\", rounds = 1 }}\n[verdict]\njudge = \"jo\"\n\
                 question = \"Who won?\"\nsides = [\"ada\", \"bo\"]\n{two}{verdict}"
            )
        }
        "all_passed" => scripted("ada", "read ask; echo \"{\\\"pass\\\": true}\"", ""),
        "stop_word" => format!("[[stop]]\nword = \"AGREED\"\n{}", seat("ada", "'AGREED'", "")),
        "condition" => format!("[[stop]]\nwhen = \"turn_count >= 1\"\n{two}"),
        "completed" => format!("policy = \"depends\"\n{ada}{after}"),
        "exhausted" => format!("limits = {{ per_seat = 1 }}\n{two}"),
        "loop" => {
            let lines = "'I hold that tea is good.'";
            format!("[[stop]]\nloop = true\n{}{}", seat("ada", lines, ""), seat("bo", lines, ""))
        }
        "utterance_limit" => format!("limits = {{ utterances = 2 }}\n{two}"),
        "round_limit" => format!("limits = {{ rounds = 1 }}\n{two}"),
        "batch_limit" => {
            let again = "after = [{ participant = \"ada\", max = 5 }]\nstarts = true";
            format!(
                "policy = \"depends\"\nlimits = {{ batches = 1 }}\n{}",
                seat("ada", "'a'", again)
            )
        }
        "operator" | "cost_limit" => two,
        "time_limit" => {
            let long = format!("'{}'", "word ".repeat(300));
            format!("limits = {{ seconds = 1 }}\n{}", seat("ada", &long, ""))
        }
        "token_limit" => {
            let reply =
                "{\\\"text\\\": \\\"hi\\\", \\\"usage\\\": {\\\"input\\\": 9, \\\"output\\\": 9}}";
            let ada = scripted("ada", &format!("read ask; echo \"{reply}\""), "");
            format!("limits = {{ tokens = 5 }}\n{ada}")
        }
        "starved" => format!("policy = \"depends\"\n{}{after}", scripted("ada", "false", "")),
        "failure" => scripted("ada", "false", ", then = \"stop\""),
        "signal" => return talk(4, 300),
        reason => panic!("no conversation ends for {reason}: add one"),
    };
    format!("title = \"x\"\ntopic = \"Tea\"\n{body}")
}

#[test]
fn every_reason_of_the_table_ends_a_conversation_with_its_code() {
    let house = House::new();
    for Row { reason, code, settled } in rows(&house) {
        let path = house.file(&format!("{reason}.toml"), &scenario(&reason));
        let run = ["run", &path, "--headless", "--trust", "--format", "jsonl"];
        let ended = "\"kind\":\"conversation.ended\"";
        let ran = match &*reason {
            "signal" => {
                let (child, mut out) = house.start(&[&run[..], &["--pace"]].concat());
                read_until(&mut out, &["\"kind\":\"delta\""]);
                kill_process(Pid::from_child(&child), Signal::INT).unwrap();
                let last = read_until(&mut out, &[ended]);
                let ran = end(child);
                crate::house::Ran { out: last, ..ran }
            }
            "operator" => {
                let steer = "{\"after\":{\"utterance\":1},\"do\":\"end\"}";
                let steer = house.file("end.jsonl", steer);
                house.run(&[&run[..], &["--steer", &steer]].concat())
            }
            "cost_limit" => {
                let server = Server::start("Tea, for it is calm and warm.", None);
                let price = "[models.\"endpoint:tiny\"]\nprice = [0.0, 1000.0]\n";
                let settings = house.file("c.toml", price);
                let bare = scenario(&reason);
                let bare = bare.lines().filter(|line| !line.starts_with("lines"));
                house.file("cost_limit.toml", &bare.collect::<Vec<_>>().join("\n"));
                let model = ["--endpoint", &server.url, "--config", &settings, "--max-usd", "0.1"];
                house.run(&[&run[..], &model].concat())
            }
            _ => house.run(&run),
        };
        assert_eq!(ran.code, code, "{reason}: {}", ran.err);
        let last = ran.out.lines().rfind(|line| line.contains(ended));
        let last = last.unwrap_or_else(|| panic!("{reason} has no end: {}{}", ran.out, ran.err));
        let event: Value = serde_json::from_str(last).unwrap();
        assert_eq!(event["data"]["reason"], *reason, "{}", ran.err);
        assert_eq!(event["data"]["settled"], settled, "{reason}");
    }
}
