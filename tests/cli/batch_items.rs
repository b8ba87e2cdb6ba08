//! Items as benchmarks publish them, and items that end a batch before its first call.

use crate::batches::{at, results, windows};
use crate::house::{House, Ran};
use crate::server::Server;
use std::fs;

/// A seat that gives the answer in the item's field `said`.
const SOLVER: &str = r#"
title = "Solver"
topic = "{{ item.question }}"
policy = "phases"
[item]
question = "?"
[answer]
form = "FORM"
[[participant]]
id = "ada"
lines = ["ANSWER: {{ item.said }}"]
[[phase]]
name = "answers"
"#;

/// Runs a solver of this form over a file of items.
fn solve(house: &House, form: &str, file: &str, more: &[&str]) -> Ran {
    let scenario = house.file("solver.toml", &SOLVER.replace("FORM", form));
    let items = house.path(file).display().to_string();
    let out = at(house, "out");
    house.run(&[&["batch", &scenario, "--items", &items, "--out", &out][..], more].concat())
}

#[test]
fn benchmarks_are_scored_as_they_are_published() {
    for (form, file, text, more, plan) in [
        (
            "number",
            "gsm8k.jsonl",
            r#"{"question":"Clips?","answer":"She sold 48/2 = <<48/2=24>>24 clips.\n#### 72","said":"72"}"#,
            &[][..],
            "keys: 1 of 1 read (`####`); ",
        ),
        (
            "letter",
            "mmlu.json",
            r#"[{"question":"2+2?","choices":["0","4","2"],"answer":1,"said":"B"}]"#,
            &[],
            "keys: 1 of 1 read (index from 0); ",
        ),
        (
            "letter",
            "hellaswag.jsonl",
            r#"{"ctx":"A man","endings":["runs.","sits."],"label":"1","said":"B"}"#,
            &["--map", "answer=label", "--map", "question=ctx"],
            "keys: 1 of 1 read (index from 0); ",
        ),
        (
            "letter",
            "arc.jsonl",
            r#"{"id":"q1","question":{"stem":"Ice?","choices":[{"text":"hot","label":"1"},{"text":"cold","label":"2"}]},"answerKey":"2","said":"B"}"#,
            &[
                "--map",
                "question=question.stem",
                "--map",
                "choices=question.choices",
                "--map",
                "answer=answerKey",
            ],
            "keys: 1 of 1 read (label or text of a choice); q1: B",
        ),
        (
            "number",
            "math.csv",
            "problem;solution;said\n3*4?;So it is \\boxed{12}.;12\n",
            &["--map", "answer=solution", "--map", "question=problem"],
            "keys: 1 of 1 read (`\\boxed`); ",
        ),
    ] {
        let house = House::new();
        house.file(file, text);
        let ran = solve(&house, form, file, more).code(0);
        assert!(ran.err.contains(plan), "{file}: {}", ran.err);
        assert_eq!(results(&house, "out/results.jsonl")[0]["correct"], true, "{file}");
        // no participant could see what is right
        let session = results(&house, "out/results.jsonl")[0]["session"].clone();
        let log = fs::read_to_string(house.path("out").join(session.as_str().unwrap())).unwrap();
        assert!(!log.contains("\"answerKey\"") && !log.contains("\"solution\""), "{log}");
    }
}

#[test]
fn keys_that_no_answer_could_equal_end_the_batch_before_its_first_call() {
    let house = House::new();
    house.file(
        "items.jsonl",
        "{\"id\":\"q1\",\"question\":\"?\",\"answer\":4,\"said\":1}\n\
         {\"id\":\"q7\",\"question\":\"?\",\"answer\":\"between 3 and 4\",\"said\":1}\n",
    );
    let ran = solve(&house, "number", "items.jsonl", &[]).code(3);
    let named = "items.jsonl, line 2: item q7: the key `between 3 and 4` is not a number";
    assert!(ran.err.contains(named), "{}", ran.err);
    assert!(ran.err.contains("skip them with --skip-damaged"), "{}", ran.err);
    assert!(!house.path("out").exists(), "nothing was written");
    solve(&house, "number", "items.jsonl", &["--skip-damaged"]).code(0);
    assert_eq!(results(&house, "out/results.jsonl").len(), 1);
}

#[test]
fn fields_that_are_there_twice_end_the_batch_with_their_place() {
    let house = House::new();
    let letters: Vec<String> = (0..30).map(|n| format!("\"{n}\"")).collect();
    let choices = |all: &str| {
        let item = |id: &str, all: &str| {
            format!(
                "{{\"id\":\"{id}\",\"question\":\"?\",\"said\":\"B\",\"choices\":[{all}],\
                 \"answer\":\"B\"}}\n"
            )
        };
        item("p", "1,2") + &item("q", all)
    };
    for (file, text, named) in [
        (
            "a.csv",
            "id,question,answer,answer\n1,?,2,3\n".to_owned(),
            "a.csv: line 1: columns 3 and 4 are both named `answer`",
        ),
        (
            "b.jsonl",
            choices("\"x\", \"y\", \" x\""),
            "b.jsonl, line 2: item q: choices A and C are both `x`",
        ),
        (
            "c.jsonl",
            choices(&letters.join(",")),
            "c.jsonl, line 2: item q: it has 30 choices, but only 26 can have a letter",
        ),
        (
            "d.csv",
            "id,question,answer\n1,?,A\n2,?,B\n1,?,C\n".to_owned(),
            "d.csv, line 4: duplicate of item `1` in line 2",
        ),
    ] {
        house.file(file, &text);
        let ran = solve(&house, "letter", file, &[]).code(3);
        assert!(ran.err.contains(named), "{}", ran.err);
        assert!(!house.path("out").exists(), "nothing was written");
    }
}

#[test]
fn bundled_sums_are_items_unless_there_is_such_a_file() {
    let house = House::new();
    let args = ["batch", "single", "--items", "sums", "--rehearsed", "--dry-run"];
    let plan = house.run(&args).code(0).out;
    assert!(plan.contains("100 items") && plan.contains("keys: 100 of 100 read"), "{plan}");
    house.file("sums", "{\"question\":\"?\",\"answer\":4}\n");
    let plan = house.run(&args).code(0).out;
    assert!(plan.contains("keys: 1 of 1 read"), "{plan}");
}

#[test]
fn a_plan_says_which_field_may_be_the_key() {
    let house = House::new();
    house.file("items.jsonl", "{\"question\":\"?\",\"answerKey\":\"B\",\"said\":\"B\"}\n");
    let plan = solve(&house, "letter", "items.jsonl", &["--dry-run"]).code(0).out;
    let near =
        "keys: no item has `answer`; fields: question, answerKey, said (--map answer=answerKey)";
    assert!(plan.contains(near), "{plan}");
    let refused = solve(&house, "letter", "items.jsonl", &["--map", "answer=gold"]).code(3).err;
    assert!(
        refused.contains("line 1: the item has no `gold` (--map); its fields are"),
        "{refused}"
    );
    let refused = solve(&house, "letter", "items.jsonl", &["--map", "answer"]).code(2).err;
    assert!(refused.contains("expected NAME=FIELD"), "{refused}");
}

#[test]
fn files_of_other_formats_are_named() {
    let house = House::new();
    for (file, bytes, named) in [
        ("a.parquet", &b"PAR1\x15\x04"[..], "it is a Parquet file"),
        ("a.jsonl.gz", b"\x1f\x8b\x08\x00", "it is compressed with gzip"),
        ("a.csv", b"PK\x03\x04\x14\0", "it is a zip archive"),
    ] {
        fs::write(house.path(file), bytes).unwrap();
        let ran = solve(&house, "number", file, &[]).code(3);
        assert!(ran.err.contains(file) && ran.err.contains(named), "{}", ran.err);
        assert!(ran.err.contains("repair or convert the file"), "{}", ran.err);
    }
}

/// A panel without a frame whose second round has a template of its own.
const PANEL: &str = r#"
title = "Panel"
topic = "{{ item.question }}"
policy = "phases"
frame = "none"
[item]
question = "?"
hint = "the example"
[prompt]
system = "You solve problems."
first = "{{ question }}{% if item.hint %} Hint: {{ item.hint }}{% endif %}"
next = "{% for other in others %}{{ other.text }}{% endfor %} SECOND"
[answer]
form = "number"
[[participant]]
id = "ada"
model = "endpoint:m"
[[participant]]
id = "bo"
model = "endpoint:m"
[[phase]]
name = "answers"
order = "simultaneous"
sees = "question"
[[phase]]
name = "revision"
order = "simultaneous"
sees = "others_last"
"#;

/// Runs a panel with this text over these items and a model; returns the batch and the requests.
fn panel(text: &str, items: &str, code: i32) -> (Ran, Vec<String>, House) {
    let house = House::new();
    let server = Server::serving("ANSWER: 4", None, usize::MAX, &["m"]);
    let scenario = house.file("panel.toml", text);
    let items = house.file("items.jsonl", items);
    let settings = windows(&house, &["m"]);
    let out = at(&house, "out");
    let args = ["batch", &scenario, "--items", &items, "--out", &out];
    let model = ["--endpoint", &server.url, "--config", &settings];
    let ran = house.run(&[&args[..], &model].concat()).code(code);
    let asked = server.asked.lock().unwrap().clone();
    (ran, asked, house)
}

#[test]
fn templates_that_cannot_be_filled_in_end_the_batch_before_its_first_call() {
    const TWO: &str = "{\"id\":\"a\",\"question\":\"2 + 2?\",\"answer\":4}\n{\"id\":\"b\",\"question\":\"1 + 3?\",\"answer\":4}\n";
    let misspelt = PANEL.replace("{{ question }}", "{{ quesion }}");
    let later = PANEL.replace("SECOND", "{{ item.unit }}");
    let empty = PANEL.replace(" SECOND", "{{ item.get('unit') }}");
    let empty = empty.replace("{{ other.text }}", "");
    for (text, items, named) in [
        (
            &misspelt,
            TWO,
            &["unknown name `quesion`", "the nearest is `question`", "panel.toml:11"][..],
        ),
        (
            &PANEL.to_owned(),
            "{\"id\":\"a\",\"question\":\"2?\"}\n{\"id\":\"b\",\"frage\":\"3?\"}\n",
            &["items.jsonl, line 2: item b: topic: `item.question` has no value"],
        ),
        (
            &PANEL.to_owned(),
            "{\"id\":\"a\",\"question\":null}\n",
            &["line 1: item a: topic: `item.question` has no value"],
        ),
        (&later, TWO, &["line 1: item a: the request to `ada`", "`item.unit` has no value"]),
        (&empty, TWO, &["line 1: item a: the request to `ada`", "it is empty"]),
    ] {
        let (ran, asked, house) = panel(text, items, 3);
        for part in named {
            assert!(ran.err.contains(part), "{part}: {}", ran.err);
        }
        assert!(asked.is_empty() && !house.path("out").exists(), "{}", ran.err);
    }
}

#[test]
fn optional_fields_are_left_out_and_examples_of_a_scenario_are_never_sent() {
    let items = "{\"id\":\"a\",\"question\":\"2 + 2?\",\"answer\":4,\"hint\":\"count\"}\n\
                 {\"id\":\"b\",\"question\":\"1 + 3?\",\"answer\":4}\n";
    let (ran, asked, house) = panel(PANEL, items, 0);
    let tie = "two seats by majority tie if they disagree; a tie is wrong";
    assert!(ran.err.contains(tie), "{}", ran.err);
    let line = &results(&house, "out/results.jsonl")[0];
    let used = line["input"].as_u64().unwrap() + line["output"].as_u64().unwrap();
    let corrected = format!("from the first conversation: ~{} tokens for panel", used * 2);
    assert!(ran.err.contains(&corrected), "{corrected}: {}", ran.err);
    assert_eq!(results(&house, "out/results.jsonl").len(), 2);
    let all = asked.join("\n");
    assert!(all.contains("2 + 2? Hint: count") && !all.contains("the example"), "{all}");
}

#[test]
fn unknown_names_in_a_template_are_an_error_of_check_and_a_warning_of_run() {
    let house = House::new();
    let text = "title = \"T\"\n[[participant]]\nid = \"ada\"\npersona = \"Be {{ mee.name }}.\"\nlines = [\"So.\"]\n";
    let file = house.file("t.toml", text);
    let refused = house.run(&["check", &file]).code(3);
    let told = format!("{}{}", refused.out, refused.err);
    assert!(told.contains("unknown name `mee`") && told.contains("t.toml:4"), "{told}");
    let ran = house.run(&["run", &file, "--headless"]).code(0);
    assert!(ran.err.contains("warning") && ran.err.contains("unknown name `mee`"), "{}", ran.err);
}
