//! `import`: conversations of other programs become sessions, and hostile files do not.

use crate::house::House;
use serde_json::{Value, json};

fn imported(house: &House, file: &str, more: &[&str]) -> String {
    let ran = house.run(&[&["import", file], more].concat()).code(0);
    ran.out.trim().to_owned()
}

fn export(house: &House, id: &str, format: &str) -> String {
    house.run(&["export", id, "--format", format, "--whispers"]).code(0).out
}

fn atif(house: &House, id: &str) -> Value {
    let mut value: Value = serde_json::from_str(&export(house, id, "atif")).unwrap();
    value.as_object_mut().unwrap().remove("session_id");
    value
}

/// A trajectory with everything that the format carries for several participants.
fn trajectory() -> Value {
    json!({
        "schema_version": "ATIF-v1.7",
        "agent": {
            "name": "colloquium", "version": env!("CARGO_PKG_VERSION"),
            "extra": {"participants": [
                {"id": "ada", "name": "Ada L.", "voice": "mine:tiny"},
                {"id": "bo", "name": "Bo", "voice": "script:./bo.sh"},
            ]},
        },
        "steps": [
            {"source": "user", "message": "Tea?", "step_id": 1},
            {
                "source": "agent", "message": "Yes {{ topic }}.\nTwo lines.", "step_id": 2,
                "extra": {"participant": "ada", "name": "Ada L.", "number": 1, "to": null,
                          "whispers": [{"to": "bo", "text": "psst"}]},
                "model_name": "mine:tiny", "timestamp": "2026-01-01T00:00:01.5Z",
                "reasoning_content": "Hm.",
                "metrics": {"prompt_tokens": 10, "completion_tokens": 3, "cached_tokens": 2, "cost_usd": 0.25},
                "tool_calls": [
                    {"tool_call_id": "call_1", "function_name": "weather", "arguments": {"town": "Rome"}, "extra": {"kind": "fetch"}},
                    {"tool_call_id": "call_2", "function_name": "shop", "arguments": {}, "extra": {"kind": "other"}},
                ],
                "observation": {"results": [
                    {"source_call_id": "call_1", "content": "Sun."},
                    {"source_call_id": "call_2", "content": "Closed.", "extra": {"failed": true}},
                ]},
            },
            {"source": "user", "message": "And milk?", "extra": {"to": null}, "step_id": 3},
            {"source": "user", "message": "Only you.", "extra": {"to": ["bo"]}, "step_id": 4},
            {
                "source": "agent", "message": "No.", "step_id": 5, "model_name": "script:./bo.sh",
                "extra": {"participant": "bo", "name": "Bo", "number": 2, "to": null, "whispers": []},
                "timestamp": "2026-01-01T00:01:00Z",
            },
        ],
        "final_metrics": {"total_prompt_tokens": 10, "total_completion_tokens": 3,
                          "total_cached_tokens": 2, "total_cost_usd": 0.25},
        "extra": {"title": "A talk", "ended": "utterance_limit", "result": null},
    })
}

#[test]
fn a_trajectory_comes_back_as_it_was() {
    let house = House::new();
    let path = house.file("talk.json", &trajectory().to_string());
    let id = imported(&house, &path, &[]);
    pretty_assert(&atif(&house, &id), &trajectory());
    // once more through the program's own export
    let again = house.file("again.json", &export(&house, &id, "atif"));
    let second = imported(&house, &again, &["--format", "atif"]);
    pretty_assert(&atif(&house, &second), &trajectory());
    let text = export(&house, &id, "txt");
    assert!(text.contains("Yes {{ topic }}.") && text.contains("weather"), "{text}");
    house.run(&["replay", &id, "--headless", "--speed", "max"]).code(0);
    house.run(&["analyze", &id]).code(0);
}

#[track_caller]
fn pretty_assert(found: &Value, expected: &Value) {
    assert!(found == expected, "{found:#}\n{expected:#}");
}

#[test]
fn the_export_of_a_played_session_comes_back() {
    let house = House::new();
    house.run(&["demo", "--headless", "--seed", "7"]).code(0);
    let id = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let path = house.file("demo.json", &export(&house, &id, "atif"));
    let second = imported(&house, &path, &[]);
    let (mut before, mut after) = (atif(&house, &id), atif(&house, &second));
    for whole in [&mut before, &mut after] {
        // costs of the conversation that belong to no message are sums only
        whole.as_object_mut().unwrap().remove("final_metrics");
    }
    pretty_assert(&after, &before);
}

#[test]
fn chat_messages_with_names_become_participants() {
    let house = House::new();
    let openai = json!([
        {"role": "system", "content": "You are brief {now}."},
        {"role": "user", "content": "Hello."},
        {"role": "assistant", "name": "Ada", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{\"q\":1}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "Found."},
        {"role": "assistant", "name": "Ada", "content": [{"type": "text", "text": "Here."}]},
        {"role": "user", "name": "Bo", "content": [{"type": "text", "text": "Thanks."}, {"type": "image_url", "image_url": {}}]},
    ]);
    let path = house.file("chat.json", &openai.to_string());
    let ran = house.run(&["import", &path, "--title", "Finding"]).code(0);
    assert!(
        ran.err.contains("3 messages of 3 participants") && ran.err.contains("left out: 1 image")
    );
    let found = atif(&house, ran.out.trim());
    assert_eq!(found["extra"]["title"], "Finding");
    let steps = found["steps"].as_array().unwrap();
    let said: Vec<String> =
        steps.iter().map(|s| format!("{}: {}", s["extra"]["name"], s["message"])).collect();
    assert_eq!(said, ["null: \"Hello.\"", "\"Ada\": \"Here.\"", "\"Bo\": \"Thanks.\""]);
    assert_eq!(steps[1]["tool_calls"][0]["arguments"], json!({"q": 1}));
    assert_eq!(steps[1]["observation"]["results"][0]["content"], "Found.");

    let anthropic = json!({"model": "claude-x", "system": [{"type": "text", "text": "Rules."}], "messages": [
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Hi!"},
            {"type": "tool_use", "id": "t1", "name": "clock", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "12:00", "is_error": true}]},
    ]});
    let found = atif(&house, &imported(&house, &house.file("a.json", &anthropic.to_string()), &[]));
    let step = &found["steps"][1];
    assert_eq!(
        (&step["model_name"], &step["reasoning_content"]),
        (&json!("claude-x"), &json!("Hm."))
    );
    assert_eq!(step["observation"]["results"][0]["extra"]["failed"], true);
}

#[test]
fn names_that_a_reader_confuses_are_told_apart() {
    let house = House::new();
    let said = |name: &str| json!({"role": "assistant", "name": name, "content": "Tea."});
    let names = ["Ada", "\u{410}da", "operator"].map(said);
    let path = house.file("talk.json", &json!(names).to_string());
    let shown = export(&house, &imported(&house, &path, &[]), "txt");
    for head in
        ["[1] Ada\n", "[2] \u{410}da (participant da)\n", "[3] operator (participant operator-2)\n"]
    {
        assert!(shown.contains(head), "{head}: {shown}");
    }
}

#[test]
fn a_session_of_claude_code_comes_with_its_sub_agents() {
    let house = House::new();
    let line = |kind: &str, at: u32, more: Value| {
        let mut line = json!({"type": kind, "sessionId": "s", "uuid": at.to_string(), "version": "2.0.14",
            "timestamp": format!("2026-01-01T00:00:{at:02}Z")});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 2, "output_tokens": 7});
    let part = |id: &str, part: Value| json!({"message": {"id": id, "role": "assistant", "model": "claude-y", "content": [part], "usage": usage}});
    let main = [
        line("summary", 0, json!({"summary": "Fix the bug"})),
        line("user", 1, json!({"message": {"role": "user", "content": "Fix it."}})),
        line("user", 2, json!({"isMeta": true, "message": {"role": "user", "content": "noise"}})),
        line("assistant", 3, part("m1", json!({"type": "thinking", "thinking": "Look."}))),
        line("assistant", 4, part("m1", json!({"type": "text", "text": "I look."}))),
        line(
            "assistant",
            5,
            part(
                "m1",
                json!({"type": "tool_use", "id": "t1", "name": "Task", "input": {"prompt": "Search"}}),
            ),
        ),
        line(
            "user",
            9,
            json!({"message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "Line 3."}]}]}}),
        ),
        line("assistant", 10, part("m2", json!({"type": "text", "text": "Fixed."}))),
        line("file-history-snapshot", 11, json!({})),
    ];
    let inner = |at: u32, kind: &str, more: Value| {
        let mut more = more;
        more["isSidechain"] = true.into();
        more["agentId"] = "a1b2".into();
        line(kind, at, more)
    };
    let sub = [
        inner(6, "user", json!({"message": {"role": "user", "content": "Search"}})),
        inner(7, "assistant", part("n1", json!({"type": "text", "text": "It is line 3."}))),
    ];
    let path = house.file("p/s.jsonl", &main.concat());
    house.file("p/s/subagents/agent-a1b2.jsonl", &sub.concat());
    let found = atif(&house, &imported(&house, &path, &[]));
    assert_eq!(found["extra"]["title"], "Fix the bug");
    let steps = found["steps"].as_array().unwrap();
    let said: Vec<String> =
        steps.iter().map(|s| format!("{}: {}", s["extra"]["name"], s["message"])).collect();
    assert_eq!(
        said,
        [
            "null: \"Fix it.\"",
            "\"Claude\": \"I look.\"",
            "\"agent a1b2\": \"It is line 3.\"",
            "\"Claude\": \"Fixed.\""
        ]
    );
    assert_eq!(steps[1]["reasoning_content"], "Look.");
    assert_eq!(steps[1]["metrics"]["prompt_tokens"], 7);
    assert_eq!(steps[1]["observation"]["results"][0]["content"], "Line 3.");
    assert_eq!(steps[2]["timestamp"], "2026-01-01T00:00:07Z");
}

#[test]
fn unknown_versions_and_hostile_files_are_refused_by_name() {
    let house = House::new();
    let deep = format!("{{\"messages\":{}1{}}}", "[".repeat(5_000), "]".repeat(5_000));
    let many: Vec<Value> = (0..300)
        .map(|n| json!({"role": "user", "name": format!("n{n}"), "content": "x"}))
        .collect();
    let agent = json!({"agent": {"name": "a"}, "steps": [{"source": "agent", "message": "x"}]});
    // with a search through all names for each, this takes minutes
    let agents = json!({"schema_version": "ATIF-v1.7", "agent": {"name": "a"}, "steps": [],
        "subagent_trajectories": vec![agent; 20_000]});
    let claude = |version: &str| {
        format!(
            "{{\"type\":\"user\",\"sessionId\":\"s\",\"uuid\":\"1\",\"version\":\"{version}\",\"message\":{{\"role\":\"user\",\"content\":\"x\"}}}}\n"
        )
    };
    for (text, told) in [
        (
            "{\"schema_version\":\"ATIF-v2.0\",\"steps\":[]}".to_owned(),
            "ATIF-v2.0 is not supported; ATIF-v1.0 to ATIF-v1.8 are",
        ),
        (claude("3.0.1"), "a session of Claude Code 3.0.1 is not supported"),
        (claude("2.1.0") + "half\n" + &claude("2.1.0"), "line 2: "),
        ("{\"schema_version\":\"ATIF-v1.7\"}".into(), "steps: takes a list"),
        (
            "{\"schema_version\":\"ATIF-v1.7\",\"steps\":[{\"source\":\"ghost\"}]}".into(),
            "steps[0].source",
        ),
        ("[{\"role\":\"ghost\",\"content\":\"x\"}]".into(), "messages[0]: a role is"),
        ("[]".into(), "it has no messages"),
        ("{\"a\":1}".into(), "it has the keys a: no format that import knows"),
        ("not json".into(), "line 1 begins with \"not json\": no format that import knows"),
        ("{\"ts\":1,\"kind\":2}\n{\"ts\":2}".into(), "line 1 has the keys ts, kind: no format"),
        (deep, "recursion limit"),
        (Value::from(many).to_string(), "more than 200 participants"),
        (agents.to_string(), "more than 200 participants"),
    ] {
        let path = house.file("hostile.json", &text);
        let ran = house.run(&["import", &path]).code(3);
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let secret = house.file("secret.json", "[{\"role\":\"user\",\"content\":\"x\"}]");
    std::fs::create_dir(house.path("p")).unwrap();
    std::os::unix::fs::symlink(secret, house.path("p/link.json")).unwrap();
    let ran = house.run(&["import", "p/link.json"]).code(3);
    assert!(ran.err.contains("a link out of its folder"), "{}", ran.err);
    let ran = house.run(&["import", "/dev/zero"]).code(3);
    assert!(ran.err.contains("a device"), "{}", ran.err);
    assert!(house.sessions().is_empty(), "nothing was made");

    // control characters are content, never commands to the terminal
    let text =
        json!([{"role": "user", "name": "A\u{1b}]0;x\u{7}\u{202e}", "content": "a\u{1b}[2Jb"}]);
    let id = imported(&house, &house.file("c.json", &text.to_string()), &[]);
    for format in ["txt", "md", "atif"] {
        let out = export(&house, &id, format);
        assert!(!out.contains('\u{1b}') && !out.contains('\u{202e}'), "{out}");
    }
}

#[test]
fn an_import_without_a_model_says_how_it_goes_on() {
    let house = House::new();
    let talk = r#"[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]"#;
    let id = imported(&house, &house.file("talk.json", talk), &[]);
    let ran = house.run(&["resume", &id, "--headless"]).code(4);
    assert_eq!(ran.err.matches("--model PROVIDER:NAME").count(), 1, "{}", ran.err);
    assert!(ran.err.contains(&format!("colloquium resume {id} --model PROVIDER:NAME")));
}
