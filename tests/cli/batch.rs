//! A scenario over many questions: prompts, results, and that no question is asked twice.

use crate::batches::{SOLVER, at, item, results, rows};
use crate::house::House;
use serde_json::{Value, json};
use std::fs;

#[test]
fn each_item_is_a_conversation_with_a_result_that_points_to_its_session() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file(
        "items.jsonl",
        "{\"id\":\"a\",\"question\":\"2+2?\",\"answer\":4,\"right\":\"4\",\"said\":\"4.0\"}\n\
         {\"id\":\"b/c\",\"question\":\"SECRET3\",\"answer\":\"3\",\"right\":\"3\",\"said\":\"none\"}\n",
    );
    let out = at(&house, "out");
    let ran = house.run(&["batch", &scenario, "--items", &items, "--out", &out]).code(0);
    assert!(ran.err.contains("2 to 4 calls per item, 4 to 8 in total"), "{}", ran.err);
    assert!(ran.err.contains("2 of 2 conversations finished"), "{}", ran.err);
    let all = results(&house, "out/results.jsonl");
    let of = |item: &str| all.iter().find(|line| line["item"] == item).unwrap();
    assert_eq!((&of("a")["correct"], &of("a")["answered"]["answer"]), (&true.into(), &"4".into()));
    assert_eq!(of("a")["calls"]["speak"], 2, "all agreed, so the second phase is left out");
    let other = of("b/c");
    assert_eq!(other["answered"]["abstained"], 1);
    assert_eq!((&other["correct"], &other["calls"]["speak"]), (&true.into(), &4.into()));
    for line in &all {
        let session = house.home.path().join("out").join(line["session"].as_str().unwrap());
        let text = fs::read_to_string(&session).unwrap();
        assert!(text.contains("conversation.ended"), "{session:?}");
        assert!(!text.contains("\"answer\":\"3\",\"right\""), "what is right is not in a session");
    }
    let schema: Value =
        serde_json::from_str(&house.run(&["schema", "results"]).code(0).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for line in &all {
        let faults: Vec<String> = validator.iter_errors(line).map(|e| e.to_string()).collect();
        assert!(faults.is_empty(), "{line}: {faults:#?}");
        for key in line.as_object().unwrap().keys() {
            assert!(schema["properties"].get(key).is_some(), "{key} is in the schema");
        }
        for key in schema["required"].as_array().unwrap() {
            assert!(line.get(key.as_str().unwrap()).is_some(), "{key} is in a line");
        }
    }
}

#[test]
fn finished_items_are_skipped_and_changed_prompts_refused() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file("items.jsonl", &(0..3).map(item).collect::<String>());
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out];
    house.run(&args).code(0);
    let before = fs::read_to_string(house.home.path().join("out/results.jsonl")).unwrap();
    // a kill may cut the last line; its conversation is complete all the same
    let cut = before.trim_end().len() - 40;
    fs::write(house.home.path().join("out/results.jsonl"), &before[..cut]).unwrap();
    let sessions = || {
        let folder = fs::read_dir(house.home.path().join("out/sessions/solver")).unwrap();
        folder
            .filter(|e| e.as_ref().unwrap().path().extension().is_some_and(|e| e == "jsonl"))
            .count()
    };
    house.file("items.jsonl", &(0..5).map(item).collect::<String>());
    let again = house.run(&args).code(0);
    assert!(again.err.contains("line 3: not a result"), "{}", again.err);
    assert!(again.err.contains("5 of 5 conversations finished"), "{}", again.err);
    assert_eq!(sessions(), 5, "no conversation was had twice");
    let whole: Vec<Value> = fs::read_to_string(house.home.path().join("out/results.jsonl"))
        .unwrap()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    assert_eq!(whole.len(), 5);
    let lines = fs::read_to_string(house.home.path().join("out/results.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 5, "the torn line is gone");
    let done = house.run(&args).code(0);
    assert!(done.err.contains("5 conversations already finished"), "{}", done.err);
    house.file(
        "items.jsonl",
        &(0..5).map(item).collect::<String>().replace("answer\":", "answer\":1"),
    );
    let refused = house.run(&args).code(2);
    assert!(refused.err.contains("and 4 more had other fields"), "{}", refused.err);
    house.file("items.jsonl", &(0..5).map(item).collect::<String>());
    house.file("solver.toml", &SOLVER.replace("It is as it is", "It is otherwise"));
    let refused = house.run(&args).code(2);
    assert!(refused.err.contains("prompts, models or judges of solver"), "{}", refused.err);
}

/// A session that stops in the middle, as a kill leaves it.
#[test]
fn a_conversation_that_was_killed_goes_on_in_its_session() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file(
        "items.jsonl",
        "{\"id\":\"a\",\"question\":\"2+2?\",\"answer\":4,\"right\":\"4\",\"said\":\"5\"}\n",
    );
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out];
    house.run(&args).code(0);
    let session = house.home.path().join("out/sessions/solver/a.jsonl");
    let text = fs::read_to_string(&session).unwrap();
    let all = text.lines().count();
    for kept in [2, all / 3, all / 2, all - 1] {
        let head: String = text.lines().take(kept).map(|line| format!("{line}\n")).collect();
        fs::write(&session, &head).unwrap();
        fs::remove_file(house.home.path().join("out/results.jsonl")).unwrap();
        house.run(&args).code(0);
        let now = fs::read_to_string(&session).unwrap();
        assert!(now.starts_with(&head), "what was said stays, cut after {kept} lines");
        assert!(now.lines().any(|line| line.contains("conversation.reopened")));
        let line = &results(&house, "out/results.jsonl")[0];
        assert_eq!(line["outcome"], "ended", "cut after {kept} lines: {line}");
    }
}

/// The item of a session that stopped has changed, or its key, which no participant sees.
#[test]
fn a_conversation_that_was_stopped_goes_on_only_with_its_item() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let text = |unread: &str, key: u32| {
        let said = "\"right\":\"4\",\"said\":\"4\"";
        format!(
            "{{\"id\":\"a\",\"question\":\"?\",\"unread\":\"{unread}\",\"answer\":{key},{said}}}\n"
        )
    };
    let items = house.file("items.jsonl", &text("x", 4));
    let args = ["batch", &scenario, "--items", &items, "--out", &at(&house, "out")];
    house.run(&args).code(0);
    let session = house.path("out/sessions/solver/a.jsonl");
    let whole = fs::read_to_string(&session).unwrap();
    let half = whole.lines().count() / 2;
    let head: String = whole.lines().take(half).map(|line| format!("{line}\n")).collect();
    fs::remove_file(house.path("out/results.jsonl")).unwrap();
    fs::write(&session, &head).unwrap();
    for (unread, key) in [("x", 5), ("y", 4)] {
        house.file("items.jsonl", &text(unread, key));
        let refused = house.run(&args).code(1).err;
        assert!(refused.contains("item a had other fields in"), "{refused}");
        assert!(refused.contains("sessions/solver/a.jsonl"), "{refused}");
        assert_eq!(fs::read_to_string(&session).unwrap(), head, "left unchanged");
    }
    house.file("items.jsonl", &text("x", 4));
    house.run(&args).code(0);
    let line = &results(&house, "out/results.jsonl")[0];
    assert_eq!(
        (&line["session"], &line["correct"]),
        (&"sessions/solver/a.jsonl".into(), &true.into())
    );
}

#[test]
fn a_run_is_merged_once_without_its_copy() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file("items.jsonl", &item(1));
    let (out, copy) = (at(&house, "out"), at(&house, "copy"));
    house.run(&["batch", &scenario, "--items", &items, "--out", &out]).code(0);
    fs::create_dir(&copy).unwrap();
    for name in ["results.jsonl", "batch.json"] {
        let copied = fs::read(house.path("out").join(name)).unwrap();
        fs::write(house.path("copy").join(name), copied).unwrap();
    }
    let merged = at(&house, "all.jsonl");
    let refused = house.run(&["batch", "merge", &out, &copy, "-o", &merged]).code(3).err;
    let places = format!(
        "solver has two results for item `1`, in {out}/results.jsonl and in {copy}/results.jsonl"
    );
    assert!(
        refused.contains(&places) && refused.contains("leave out the one that is a copy"),
        "{refused}"
    );
    for again in [&out, &format!("{out}/results.jsonl")] {
        let refused = house.run(&["batch", "merge", &out, again, "-o", &merged]).code(3).err;
        assert!(refused.contains(&format!("{out}/results.jsonl is named twice")), "{refused}");
    }
    assert!(!house.path("all.jsonl").exists());
}

#[test]
fn damaged_lines_are_named_and_left_out_only_if_asked() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file(
        "items.jsonl",
        "{\"id\":\"a\",\"question\":\"2?\",\"answer\":2,\"right\":2,\"said\":2}\nnope\n{\"id\":\"c\",\"answer\":1}\n",
    );
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out];
    let refused = house.run(&args).code(3);
    assert!(refused.err.contains("line 2: not JSON"), "{}", refused.err);
    let named = "line 3: item c: topic: `item.question` has no value";
    assert!(refused.err.contains(named), "{}", refused.err);
    assert!(!house.home.path().join("out").exists(), "nothing was begun");
    let mut skipping = args.to_vec();
    skipping.push("--skip-damaged");
    let ran = house.run(&skipping).code(0);
    assert!(ran.err.contains("1 of 1 conversations finished"), "{}", ran.err);
}

#[test]
fn shards_are_put_together_again_and_arms_that_differ_get_brackets() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file("items.jsonl", &(0..7).map(item).collect::<String>());
    let out = at(&house, "out");
    for part in ["1/3", "2/3", "3/3"] {
        house.run(&["batch", &scenario, "--items", &items, "--out", &out, "--shard", part]).code(0);
    }
    let sessions = fs::read_dir(house.path("out/sessions/solver")).unwrap();
    let names = sessions.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.filter(|name| name.ends_with(".lock")).count() == 0, "no lock after the end");
    let part = |n: u32| at(&house, &format!("out/results-{n}-of-3.jsonl"));
    let whole = at(&house, "out/results.jsonl");
    let missing = house.run(&["batch", "merge", &part(1), &part(3), "-o", &whole]).code(3).err;
    assert!(missing.contains("part 2 of 3 is missing: 2 items"), "{missing}");
    let merged = house.run(&["batch", "merge", &out, "-o", &whole]).code(0);
    assert!(merged.err.contains("7 results"), "{}", merged.err);
    let again = house.run(&["batch", "merge", &out, "-o", &whole]).code(3);
    assert!(again.err.contains("exists") && again.err.contains("is not replaced"), "{}", again.err);
    let order: Vec<u64> =
        results(&house, "out/results.jsonl").iter().map(|l| l["line"].as_u64().unwrap()).collect();
    assert_eq!(order, [1, 2, 3, 4, 5, 6, 7]);
    let other = fs::read_to_string(house.home.path().join("out/results-1-of-3.jsonl")).unwrap();
    let fingerprint = results(&house, "out/results.jsonl")[0]["fingerprint"].clone();
    let other = other.replace(fingerprint.as_str().unwrap(), "0123456789ab");
    let other = house.file("other.jsonl", &other);
    let mixed = at(&house, "m.jsonl");
    house.run(&["batch", "merge", &part(2), &other, "--partial", "-o", &mixed]).code(0);
    let told = house.run(&["batch", "report", &mixed]).code(0).out;
    assert!(told.contains("part 3 of 3 is missing: 2 items"), "{told}");
    let arms: Vec<String> = rows(&house, &mixed, "accuracy")
        .iter()
        .map(|row| row.split(',').next().unwrap().into())
        .collect();
    assert_eq!(arms, ["solver [out]", "solver [other]"]);
}

#[test]
fn report_has_every_figure_and_withholds_unreliable_ones() {
    let house = House::new();
    let scenario = house.file("solver.toml", SOLVER);
    // odd items get no answer, and the first one ends in a tie
    let item = |n: u32| {
        let (right, said) = match n {
            0 => ("0", "1".to_owned()),
            n if n.is_multiple_of(2) => ("", n.to_string()),
            _ => ("none", "none".to_owned()),
        };
        let right = if right.is_empty() { &said } else { right };
        format!(
            "{{\"id\":\"{n}\",\"question\":\"{n}?\",\"answer\":{n},\"right\":\"{right}\",\"said\":\"{said}\"}}\n"
        )
    };
    let items = house.file("items.jsonl", &(0..10).map(item).collect::<String>());
    let out = at(&house, "out");
    house.run(&["batch", &scenario, "--items", &items, "--out", &out]).code(0);
    let report = house.run(&["batch", "report", &out]).code(0).out;
    assert!(report.contains("withheld"), "half of them gave none: {report}");
    // the first tables, and the names of the others, with short captions
    assert!(
        report.contains("CALLS, TOKENS, MONEY") && !report.contains("CHANGED MINDS"),
        "{report}"
    );
    let (_, names) = report.rsplit_once("More, with --table NAME or --format html: ").unwrap();
    assert!(names.trim().split(", ").any(|name| name == "turns"), "{names}");
    for name in names.trim().split(", ").chain(["accuracy", "cost", "failures", "conclusions"]) {
        let table = house.run(&["batch", "report", &out, "--table", name]).code(0).out;
        let caption = table.lines().nth(1).unwrap_or_default();
        assert!(caption.split_whitespace().count() <= 20, "{name}: {caption}");
    }
    let full = house.run(&["batch", "report", &out, "--max-unread", "0.5"]).code(0).out;
    // a tie and five unread answers are wrong
    let row = "solver     10     10      4     40.0%  16.8%  68.7%     1       5   100.0%";
    assert!(full.contains(row), "{full}");
    let csv =
        house.run(&["batch", "report", &out, "--format", "csv", "--table", "cost"]).code(0).out;
    assert!(csv.starts_with("protocol,calls,planned,outside"), "{csv}");
    let each = ["batch", "report", &out, "--format", "csv", "--table", "conversations"];
    let each = house.run(&each).code(0).out;
    assert_eq!(each.lines().count(), 11, "a row for each conversation: {each}");
    assert!(each.contains("solver,solver,,2,1,0,,ended,2,2,true,false,false,true,2,"), "{each}");
    let page = house.run(&["batch", "report", &out, "--format", "html"]).code(0).out;
    assert!(page.contains("by round</h3>") && page.contains("<polyline"), "{page}");
    assert!(page.contains("<svg") && !page.contains("<script") && !page.contains("://"), "{page}");
}

#[test]
fn a_dry_run_says_how_many_calls_and_asks_nobody() {
    let house = House::new();
    let items = house.file(
        "items.jsonl",
        "{\"question\":\"1?\",\"answer\":1}\n{\"question\":\"2?\",\"answer\":2}\n",
    );
    let args =
        ["batch", "society-of-minds", "--items", &items, "--rehearsed", "--baselines", "--dry-run"];
    let told = house.run(&args).code(0).out;
    assert!(told.contains("society-of-minds: 2 items, 6 calls per item, 12 in total"), "{told}");
    assert!(told.contains("self-consistency: 2 items, 6 calls per item"), "as many calls: {told}");
    assert!(told.contains("reflection: 2 items, 6 calls per item"), "{told}");
    assert!(!house.home.path().join("society-of-minds-items").exists());
}

#[test]
fn a_debate_before_a_judge_is_compared_with_a_judge_alone() {
    let house = House::new();
    let item = "{\"question\":\"Who?\",\"answer\":\"a\",\"a\":\"he\",\"b\":\"she\"TEXT}\n";
    let items = house.file("items.jsonl", &item.replace("TEXT", ",\"text\":\"He did.\""));
    let out = at(&house, "out");
    let args =
        ["batch", "persuasion", "--items", &items, "--rehearsed", "--baselines", "--out", &out];
    let ran = house.run(&args).code(0);
    for stated in
        ["persuasion: 1 item, 8 calls", "naive-judge: 1 item, 2 c", "expert-judge: 1 item, 2 c"]
    {
        assert!(ran.err.contains(stated), "{stated}: {}", ran.err);
    }
    let mut ran = results(&house, "out/results.jsonl");
    ran.sort_by_key(|line| line["protocol"].to_string());
    let right: Vec<_> = ran.iter().map(|line| (&line["protocol"], &line["correct"])).collect();
    assert_eq!(
        json!(right),
        json!([["expert-judge", true], ["naive-judge", false], ["persuasion", true]])
    );
    let blind = house.file("blind.jsonl", &item.replace("TEXT", ""));
    let refused = house.run(&["batch", "persuasion", "--items", &blind, "--rehearsed"]).code(3);
    assert!(refused.err.contains("text"), "{}", refused.err);
}

#[test]
fn conversations_that_fail_are_listed_and_run_again_only_if_asked() {
    let house = House::new();
    let failing = SOLVER.replace("lines = [\"ANSWER: {{ item.said }}\"]", "script = [\"false\"]");
    let scenario = house.file("failing.toml", &failing);
    let items =
        house.file("items.jsonl", "{\"id\":\"a\",\"question\":\"2?\",\"answer\":2,\"right\":2}\n");
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--trust"];
    let ran = house.run(&args).code(1);
    assert!(ran.err.contains("item `a`, failing:"), "{}", ran.err);
    assert!(ran.err.contains("in the first conversation (a): it failed: "), "{}", ran.err);
    assert!(ran.err.contains("0 of 1 conversations finished, 1 failed"), "{}", ran.err);
    assert!(ran.err.contains("1 of 1 conversations failed"), "{}", ran.err);
    assert!(ran.err.contains("--retry"), "{}", ran.err);
    house.run(&args).code(1);
    assert_eq!(results(&house, "out/results.jsonl").len(), 1, "it is not asked again");
    let mut again = args.to_vec();
    again.push("--retry");
    let before = results(&house, "out/results.jsonl").remove(0);
    house.run(&again).code(1);
    let all = results(&house, "out/results.jsonl");
    assert_eq!(all.len(), 1, "the earlier line is superseded");
    assert_ne!(all[0]["session"], before["session"]);
}

#[test]
fn reports_cut_replies_after_the_first_conversation_and_at_the_end() {
    let house = House::new();
    house.file("cut.json", "{\"text\": \"So I thi\", \"finish\": \"length\"}");
    let reply = format!("script = [\"cat\", {:?}]", at(&house, "cut.json"));
    let cut = SOLVER.replace("lines = [\"ANSWER: {{ item.said }}\"]", &reply);
    let scenario = house.file("cut.toml", &cut);
    let items = house.file("items.jsonl", &(0..3).map(item).collect::<String>());
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out, "--trust", "--jobs", "1"];
    let ran = house.run(&args).code(1);
    assert!(ran.err.contains("6 replies were cut at max_tokens"), "{}", ran.err);
    let told = house.run(&["batch", "report", &out]).code(0).out;
    assert!(told.contains("6 of 12 replies ended at max_tokens"), "{told}");
    let first = "in the first conversation (0): 2 of 4 replies were cut at max_tokens, 1 of 2 answers could not be read";
    assert!(ran.err.contains(first), "{}", ran.err);
    let end = "3 of 3 conversations finished; 6 of 12 replies were cut at max_tokens, 3 of 6 answers could not be read";
    assert!(ran.err.contains(end), "{}", ran.err);
    let cost = ["batch", "report", &out, "--format", "csv", "--table", "cost"];
    let cost = house.run(&cost).code(0).out;
    assert!(cost.starts_with("protocol,calls,planned,outside,retries,cut,tokens"), "{cost}");
    assert!(cost.contains(",0,0,6,"), "{cost}");
}
