//! Reports before and after a run: silent participants, estimates without requests, costs in the log, enforced limits,
//! and their page in the manual.

use crate::house::{House, end};
use crate::server::Server;
use serde_json::Value;

const TALK: &str = "title = \"A talk\"\ntopic = \"Tea\"\n[limits]\nutterances = 4\n\
    [[participant]]\nid = \"ada\"\nname = \"Ada\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\n";

/// Writes the settings of a provider at an address, with the price of its model.
fn settings(house: &House, url: &str, price: &str) -> String {
    house.file(
        "settings.toml",
        &format!("[providers.far]\nwire = \"openai\"\nbase_url = {url:?}\n[models.\"far:tiny\"]\n{price}\n"),
    )
}

/// Returns all events of a kind in the last session.
fn lines(house: &House, kind: &str) -> Vec<Value> {
    let path = house.run(&["sessions", "path", "--last"]).code(0).out;
    let log = std::fs::read_to_string(path.trim()).unwrap();
    let lines = log.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    lines.filter(|l| l["kind"] == kind).map(|l| l["data"].clone()).collect()
}

#[test]
fn a_dry_run_plans_and_estimates_and_asks_nobody() {
    let server = Server::start("Hello.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let config = settings(&house, &server.url, "price = [10.0, 20.0]");
    let args = ["run", &path, "--dry-run", "--model", "far:tiny", "-c", &config];
    let ran = house.run(&args).code(0);
    for told in [
        "1 Ada  (",
        "2 Bo  (",
        "Ada  (the result)",
        "stops at the limit of 4 turns",
        "estimate ~",
        ", ~$0.0",
        "first prompt of Ada (far:tiny, ~",
        "You are Ada.",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let json = house.run(&[&args[..], &["--format", "jsonl"]].concat()).code(0);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["plan"].as_array().unwrap().len(), 5, "four turns and the result: {json:#}");
    assert!(json["estimate"]["usd"].as_f64().unwrap() > 0.001, "{json:#}");
    assert!(server.asked.lock().unwrap().is_empty() && house.sessions().is_empty());

    // a script of an untrusted file is planned, not run
    let script = "title = \"S\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"x\"\nscript = [\"touch\", \"ran\"]\n";
    let script = house.file("script.toml", script);
    let ran = house.run(&["run", &script, "--dry-run"]).code(0);
    assert!(ran.out.contains("no model is called"), "{}", ran.out);
    assert!(!house.path("ran").exists());
}

#[test]
fn cost_is_recorded_and_printed_at_the_end() {
    let server = Server::start("All is well.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let run = |price: &str, more: &[&str]| {
        let config = settings(&house, &server.url, price);
        house.run(
            &[&["run", &path, "--headless", "--model", "far:tiny", "-c", &config], more].concat(),
        )
    };
    let ran = run("price = [10.0, 20.0]", &[]).code(0);
    // the server reports no token counts, so everything is an estimate
    assert!(
        ran.out.contains(" tokens, ~$0.0") && ran.err.contains(" tokens, ~$0.0"),
        "{}\n{}",
        ran.out,
        ran.err
    );
    let ends = lines(&house, "turn.ended");
    assert_eq!(ends.len(), 5, "four turns and the result, which cannot be used");
    for end in &ends {
        assert_eq!(end["usage"]["estimated"], true, "{end}");
        assert!(end["cost"].as_f64().unwrap() > 0.0, "{end}");
    }
    assert_eq!(
        lines(&house, "conversation.opened")[0]["participants"][0]["price"],
        serde_json::json!([10.0, 20.0])
    );

    let ran = run("", &[]).code(0);
    assert!(ran.err.contains(" tokens, no price") && !ran.err.contains('$'), "{}", ran.err);
    assert!(lines(&house, "turn.ended").iter().all(|end| end["cost"].is_null()));
}

#[test]
fn a_debate_ends_with_a_result_that_leads_its_exports() {
    let reply = r#"{"result": "Drink tea.", "moved": [{"who": "Bo", "from": "coffee", "to": "tea", "turn": 2}], "open": [], "check": []}"#;
    let server = Server::start(reply, None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let config = settings(&house, &server.url, "");
    let model = ["--model", "far:tiny", "-c", &config];
    let ran = house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    let moved = "Bo: coffee → tea (after #2)";
    assert!(ran.out.contains(moved) && !ran.err.contains("no result"), "{}{}", ran.out, ran.err);
    let export = |format: &str| house.run(&["export", "--last", "--format", format]).code(0).out;
    let text = export("md");
    assert!(text.find(moved).unwrap() < text.rfind("Ada").unwrap(), "{text}");
    let json: Value = serde_json::from_str(&export("json")).unwrap();
    assert_eq!(json["result"]["result"], "Drink tea.");
    let asked = ["ask", "Tea?", "--panel", &path, "--json"];
    let ran = house.run(&[&asked[..], &model[..]].concat()).code(0);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["result"]["moved"][0]["who"], "Bo", "{answer:#}");
    let none = ["run", &path, "--headless", "--set", "result=\"none\""];
    house.run(&[&none[..], &model[..]].concat()).code(0);
    assert!(lines(&house, "result.given").is_empty());
}

#[test]
fn a_budget_stops_warns_first_and_can_be_raised() {
    let server = Server::start("All is well.", None);
    let house = House::new();
    let path = house.file("talk.toml", &TALK.replace("utterances = 4", "utterances = 60"));
    let config = settings(&house, &server.url, "price = [10.0, 20.0]");
    let common = ["--headless", "-c", &config];
    let first = [&["run", &path, "--model", "far:tiny", "--max-usd", "0.02"], &common[..]].concat();
    let ran = house.run(&first).code(5);
    assert!(
        ran.err.contains("stopped at the cost limit") && ran.err.contains("--max-usd 0.04"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("warning: close to the limit: $0.0"), "{}", ran.err);
    assert_eq!(lines(&house, "limit.near").len(), 1);
    assert_eq!(lines(&house, "limit.reached")[0]["limit"], 0.02);
    let spoken = lines(&house, "turn.ended").len();
    let more = [&["resume", "--last", "--max-usd", "0.04"], &common[..]].concat();
    house.run(&more).code(5);
    let all = lines(&house, "turn.ended");
    let sum: f64 = all.iter().filter_map(|end| end["cost"].as_f64()).sum();
    println!("{spoken} turns for $0.02, {} for $0.04, ${sum:.4} spent", all.len());
    assert!(all.len() > spoken && sum <= 0.04);

    let tokens =
        [&["run", &path, "--model", "far:tiny", "--max-tokens", "3000"], &common[..]].concat();
    let ran = house.run(&tokens).code(5);
    assert!(ran.err.contains("stopped at the token limit"), "{}", ran.err);
}

#[test]
fn a_limit_in_dollars_that_could_not_hold_is_refused() {
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let config = settings(&house, "http://192.0.2.1/v1", "");
    let args = ["run", &path, "--headless", "--model", "far:tiny", "--max-usd", "1", "-c", &config];
    let ran = house.run(&args).code(3);
    for told in ["no price is known for far:tiny", "[models.\"far:tiny\"] price", "--max-tokens"] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    assert!(house.sessions().is_empty());
}

#[test]
fn shells_and_the_manual_know_every_command() {
    let house = House::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = house.run(&["completions", shell]).code(0);
        assert!(ran.out.contains("COLLOQUIUM_COMPLETE"), "{shell}");
    }
    house.run(&["completions", "tcsh"]).code(2);
    let ran = house.run(&["man"]).code(0);
    assert!(ran.out.contains(".TH colloquium 1") && ran.out.contains(".TH colloquium-run 1"));
    assert!(ran.out.contains("\\-\\-max\\-usd"), "{}", ran.out);
    house.run(&["run", "round-table", "--rehearsed", "--headless"]).code(0);
    let session = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    // a shell asks for the words that may follow
    let asks = |words: &[&str]| {
        let script = "COLLOQUIUM_COMPLETE=bash _CLAP_IFS=' ' _CLAP_COMPLETE_INDEX=$(($# - 1)) exec \"$0\" -- \"$@\"";
        end(house.shell(script, words).spawn().unwrap()).code(0).out
    };
    for (words, offered) in [
        (&["colloquium", "run", "round-t"][..], "round-table"),
        (&["colloquium", "resume", ""], &session),
        (&["colloquium", "run", "--model", "gpt,cla"], "gpt,claude"),
        (&["colloquium", "help", "steer"], "steering"),
        (&["colloquium", "exp"], "export"),
    ] {
        assert!(asks(words).contains(offered), "{words:?}: {}", asks(words));
    }
}

#[test]
fn whoever_is_in_no_phase_is_told_before_the_run() {
    let house = House::new();
    let seat = |id: &str| format!("[[participant]]\nid = {id:?}\nlines = [\"Tea.\"]\n");
    let phase = "[[phase]]\nname = \"talk\"\nwho = [\"ada\"]\nrounds = 1\n";
    let talk =
        format!("title = \"Tea\"\npolicy = \"phases\"\n{}{}{phase}", seat("ada"), seat("bo"));
    let path = house.file("tea.toml", &talk);
    let checked = house.run(&["check", &path]).code(0);
    assert!(
        checked.out.contains("bo: 1 rehearsed line; is in no phase, so never speaks\n"),
        "{}",
        checked.out
    );
    assert!(!checked.out.contains("ada: 1 rehearsed line; is in"), "{}", checked.out);
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    assert!(ran.out.contains("] ada\n") && !ran.out.contains("] bo\n"), "{}", ran.out);
}
