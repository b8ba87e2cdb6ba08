//! Conversations of other programs, as people export and save them.

use crate::house::House;
use serde_json::{Value, json};
use std::fs;

/// Imports a file and returns the transcript and standard error.
fn imported(bytes: &[u8], more: &[&str]) -> (String, String) {
    let house = House::new();
    let path = house.file("talk.json", "");
    fs::write(&path, bytes).unwrap();
    let ran = house.run(&[&["import", &path], more].concat()).code(0);
    let id = ran.out.trim();
    (house.run(&["export", id, "--format", "txt"]).code(0).out, ran.err)
}

fn chatgpt(title: &str) -> Value {
    let node = |id: &str, parent: Value, role: &str, text: &str| {
        json!({"id": id, "parent": parent, "children": [], "message": {
            "author": {"role": role}, "content": {"content_type": "text", "parts": [text]}}})
    };
    json!({"title": title, "current_node": "c", "mapping": {
        "root": {"id": "root", "parent": null, "message": null},
        "a": node("a", "root".into(), "user", "Trams?"),
        "b": node("b", "a".into(), "assistant", "No."),
        "c": node("c", "a".into(), "assistant", "Yes."),
    }})
}

/// Without a valid current message the longest branch is read, and a circle is read once.
#[test]
fn a_branch_needs_no_current_message() {
    let mut circle = chatgpt("T");
    circle["mapping"]["root"]["parent"] = "c".into();
    let mut cases = vec![circle];
    for node in [json!(null), json!("gone")] {
        let mut talk = chatgpt("T");
        talk["current_node"] = node;
        cases.push(talk);
    }
    for talk in cases {
        let (told, _) = imported(talk.to_string().as_bytes(), &[]);
        assert_eq!(
            (told.matches("Trams?").count(), told.matches("Yes.").count()),
            (1, 1),
            "{told}"
        );
    }
}

#[test]
fn exports_of_other_programs_are_read() {
    let parts = json!([
        {"role": "user", "content": "Trams?", "parts": [{"type": "text", "text": "Trams?"}]},
        {"role": "assistant", "content": "", "parts": [{"type": "text", "text": "Yes."}]},
    ]);
    let untyped = json!([
        {"role": "user", "content": [{"type": "input_text", "text": "Trams?"}]},
        {"role": "assistant", "content": null, "parts": [{"text": "Yes."}]},
    ]);
    let listed = json!({"messages": [
        {"role": "user", "parts": ["Trams?"]},
        {"role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
    ]});
    let lines = "{\"role\":\"user\",\"content\":\"Trams?\"}\n{\"role\":\"assistant\",\"content\":\"Yes.\"}\n";
    let claude = json!([{"uuid": "1", "name": "T", "chat_messages": [
        {"sender": "human", "text": "Trams?"}, {"sender": "assistant", "text": "Yes."}]}]);
    let claude_alone = json!({"uuid": "1", "name": "T", "chat_messages": [
        {"sender": "human", "text": "", "content": [{"type": "text", "text": "Trams?"}]},
        {"sender": "assistant", "text": "Yes."}]});
    let shared = json!({"id": "x", "conversations": [
        {"from": "human", "value": "Trams?"}, {"from": "gpt", "value": "Yes."}]});
    let open = json!([{"title": "T", "chat": {"history": {"currentId": "b", "messages": {
        "a": {"id": "a", "parentId": null, "role": "user", "content": "Trams?"},
        "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "Yes.", "model": "m"}}}}}]);
    for text in [
        json!([chatgpt("T")]).to_string(),
        chatgpt("T").to_string(),
        claude.to_string(),
        claude_alone.to_string(),
        parts.to_string(),
        untyped.to_string(),
        listed.to_string(),
        lines.to_owned(),
        shared.to_string(),
        open.to_string(),
    ] {
        let (read, err) = imported(text.as_bytes(), &[]);
        assert!(read.contains("Trams?") && read.contains("Yes."), "{text}: {read}");
        assert!(!read.contains("No."), "another branch: {read}");
        assert!(err.contains("2 messages of"), "{text}: {err}");
    }
}

#[test]
fn one_of_several_conversations_is_picked() {
    let house = House::new();
    let many = json!([chatgpt("First"), chatgpt("Second")]).to_string();
    let path = house.file("many.json", &many);
    let ran = house.run(&["import", &path]).code(3);
    for words in ["an export of ChatGPT: 2 conversations", "--pick N", "1  First", "2  Second"] {
        assert!(ran.err.contains(words), "{}", ran.err);
    }
    let (read, err) = imported(many.as_bytes(), &["--pick", "2"]);
    assert!(read.contains("Second"), "{read}");
    // the message of the other branch
    assert!(err.contains("left out: 1 message of another branch"), "{err}");
    let ran = house.run(&["import", &path, "--all"]).code(0);
    assert!(
        ran.err.contains("2 conversations")
            && ran.err.contains("left out: 2 messages of another branch"),
        "{}",
        ran.err
    );
    let titles: Vec<bool> = ["First", "Second"]
        .iter()
        .zip(ran.out.lines())
        .map(|(title, id)| {
            house.run(&["export", id, "--format", "txt"]).code(0).out.contains(title)
        })
        .collect();
    assert_eq!(titles, [true, true]);
    house.run(&["import", &path, "--pick", "0"]).code(3);
    house.run(&["import", &path, "--pick", "3"]).code(3);
    let path = house.file("other.jsonl", "{\"ts\":1,\"kind\":2,\"data\":3}\n{\"ts\":1}\n");
    let ran = house.run(&["import", &path]).code(3);
    assert!(
        ran.err.contains("the keys ts, kind, data: no format that import knows"),
        "{}",
        ran.err
    );
}

#[test]
fn files_are_read_in_every_encoding() {
    let text = r#"[{"role":"user","content":"Grüße"},{"role":"assistant","content":"Yes."}]"#;
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let windows: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for bytes in [
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe", &wide[..]].concat(),
        wide,
        [b"\xfe\xff", &big[..]].concat(),
        big,
        windows,
    ] {
        let is_guess = bytes.windows(2).any(|pair| pair == b"\xfc\xdf");
        let (read, err) = imported(&bytes, &[]);
        assert!(read.contains("Grüße"));
        assert_eq!(err.contains("is not in Unicode: read as Windows-1252"), is_guess, "{err}");
    }
    for (half, read) in [
        ("a\\ud800b", "a\u{fffd}b"),
        ("a\\udc00", "a\u{fffd}"),
        ("\\ude80\\ud83d!", "\u{fffd}\u{fffd}!"),
    ] {
        let lone = text.replace("Grüße", half);
        assert!(imported(lone.as_bytes(), &[]).0.contains(read), "{half}");
    }
}

#[test]
fn words_of_programs_are_not_the_persons() {
    let chat = json!([
        {"role": "user", "content": "Keep the trams?"},
        {"role": "assistant", "name": "Ada", "content": "Yes."},
        {"role": "system", "content": "Context was compacted."},
        {"role": "assistant", "name": "Bob", "content": "No."},
    ]);
    let atif = json!({"schema_version": "ATIF-v1.7", "agent": {"name": "a"}, "steps": [
        {"step_id": 1, "source": "user", "message": "Keep the trams?"},
        {"step_id": 2, "source": "agent", "message": "Yes."},
        {"step_id": 3, "source": "system", "message": "Context was compacted."},
        {"step_id": 4, "source": "agent", "message": "No."},
    ]});
    for text in [chat, atif] {
        let (read, err) = imported(text.to_string().as_bytes(), &[]);
        assert!(read.contains("No.") && !read.contains("compacted"), "{read}");
        assert!(err.contains("left out: 1 notice\n"), "{err}");
    }
}

fn lines(all: &[Value]) -> String {
    all.iter().map(|line| format!("{line}\n")).collect()
}

/// A question, an answer after some reasoning, and a tool, as programs for code and for characters save them.
fn sessions() -> Vec<(&'static str, String)> {
    let item = |payload: Value| json!({"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": payload});
    let codex = lines(&[
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta",
            "payload": {"id": "x", "cwd": "/w", "cli_version": "0.80.0"}}),
        item(json!({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "<environment_context>\n/w</environment_context>"}]})),
        item(json!({"type": "message", "role": "user", "content": [
            {"type": "input_text", "text": "Keep the trams?"}]})),
        json!({"timestamp": "2026-01-01T00:00:01Z", "type": "turn_context",
            "payload": {"model": "gpt-5.1-codex"}}),
        item(json!({"type": "reasoning", "summary": [
            {"type": "summary_text", "text": "Trams are old."}], "encrypted_content": "zz"})),
        item(json!({"type": "function_call", "name": "shell", "call_id": "c1",
            "arguments": "{\"command\":\"cat tracks\"}"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "Nine miles."})),
        json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "Keep them."}}),
        item(json!({"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "Keep them."}]})),
    ]);
    let gemini = json!({"sessionId": "s", "projectHash": "h", "messages": [
        {"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": "Keep the trams?"},
        {"id": "2", "timestamp": "2026-01-01T00:00:01Z", "type": "gemini", "content": "Keep them.",
            "model": "gpt-5.1-codex", "thoughts": [{"subject": "Age", "description": "Trams are old."}],
            "toolCalls": [{"id": "c1", "name": "shell", "args": {"command": "cat tracks"},
                "resultDisplay": "Nine miles."}]},
        {"id": "3", "type": "info", "content": "Saved."},
    ]});
    let opencode = json!({"info": {"title": "Trams"}, "messages": [
        {"info": {"role": "user", "time": {"created": 1_767_225_600_000_i64}}, "parts": [
            {"type": "text", "text": "Called the tool.", "synthetic": true},
            {"type": "text", "text": "Keep the trams?"}]},
        {"info": {"role": "assistant", "modelID": "gpt-5.1-codex"}, "parts": [
            {"type": "step-start"}, {"type": "reasoning", "text": "Trams are old."},
            {"type": "tool", "tool": "shell", "callID": "c1", "state": {"status": "completed",
                "input": {"command": "cat tracks"}, "output": "Nine miles."}},
            {"type": "text", "text": "Keep them."}]},
    ]});
    vec![("Codex", codex), ("Gemini CLI", gemini.to_string()), ("opencode", opencode.to_string())]
}

#[test]
fn sessions_of_programs_come_with_reasoning_and_tools() {
    for (program, text) in sessions() {
        let house = House::new();
        let path = house.file("session.jsonl", &text);
        let ran = house.run(&["import", &path]).code(0);
        assert!(ran.err.contains("2 messages of 1 participant"), "{program}: {}", ran.err);
        assert!(ran.err.contains("left out: 1 notice\n"), "{program}: {}", ran.err);
        let atif = house.run(&["export", ran.out.trim(), "--format", "atif"]).code(0).out;
        for part in [
            "Keep the trams?",
            "Keep them.",
            "Trams are old.",
            "cat tracks",
            "Nine miles.",
            "gpt-5.1-codex",
        ] {
            assert!(atif.contains(part), "{program} {part}: {atif}");
        }
    }
    // a group of characters, with another version of a message
    let tavern = lines(&[
        json!({"user_name": "Kim", "character_name": "unused", "chat_metadata": {}}),
        json!({"name": "Kim", "is_user": true, "mes": "Keep the trams?"}),
        json!({"name": "Iris", "is_user": false, "mes": "Keep them.", "swipes": ["Keep them.", "No."]}),
        json!({"name": "Olga", "is_user": false, "mes": "Sell them."}),
        json!({"name": "System", "is_system": true, "mes": "Saved."}),
    ]);
    let (read, err) = imported(tavern.as_bytes(), &[]);
    for words in ["Iris", "Keep them.", "Olga", "Sell them."] {
        assert!(read.contains(words), "{words}: {read}");
    }
    assert!(!read.contains("Kim"), "the person is you: {read}");
    assert!(err.contains("left out: 1 notice, 1 other version of a message\n"), "{err}");
}

/// Each text of a message is in the session, describes the message, or is counted with its field.
#[test]
fn no_text_is_lost_without_a_count() {
    let chat = |message: Value| json!([{"role": "user", "content": "Keep the trams?"}, message]);
    let part = |part: Value| {
        chat(json!({"role": "assistant", "content": [{"type": "text", "text": "Yes."}, part]}))
    };
    let gpt = |content: Value| {
        let mut gpt = chatgpt("T");
        gpt["mapping"]["c"]["message"]["content"] = content;
        gpt
    };
    for (value, told) in [
        (
            chat(json!({"role": "assistant", "content": "Yes.", "aside": "canary"})),
            "1 text under \"aside\"",
        ),
        (
            chat(
                json!({"role": "assistant", "content": "Yes.", "extra": {"notes": ["canary", "canaries"]}}),
            ),
            "2 texts under \"notes\"",
        ),
        (part(json!({"type": "image_url", "image_url": {"url": "canary"}})), "1 image"),
        (part(json!({"type": "input_audio", "data": "canary"})), "1 recording"),
        (part(json!({"inlineData": {"mimeType": "image/png", "data": "canary"}})), "1 image"),
        (part(json!({"type": "new_kind", "words": "canary"})), "1 text under \"words\""),
        // a request of a tool is no file, however its type is spelled
        (
            chat(json!({"role": "assistant", "content": "Yes.", "tool_calls": [
                {"id": "1", "type": "document", "remark": "canary",
                    "function": {"name": "ask", "arguments": "{\"town\":\"Ulm\"}"}}]})),
            "1 text under \"remark\"",
        ),
        (
            gpt(
                json!({"content_type": "text", "parts": ["Yes.", {"content_type": "image_asset_pointer"}]}),
            ),
            "1 image, 1 message of another branch",
        ),
        (
            gpt(json!({"content_type": "code", "text": "Yes.", "result": "canary"})),
            "1 text under \"result\"",
        ),
        (
            json!({"schema_version": "ATIF-v1.7", "agent": {"name": "a"}, "steps": [
                {"source": "user", "message": "Keep the trams?"},
                {"source": "agent", "message": "Yes.", "remark": "canary"}]}),
            "1 text under \"remark\"",
        ),
    ] {
        let (read, err) = imported(value.to_string().as_bytes(), &[]);
        assert!(read.contains("Yes.") && !read.contains("canary"), "{read}");
        let left = err.lines().find(|line| line.contains("left out")).unwrap_or_default();
        assert!(left.contains(told), "{value}: {err}");
    }
}

#[test]
fn a_character_card_sits_at_the_table() {
    let house = House::new();
    let card = json!({"spec": "chara_card_v2", "data": {
        "name": "Iris", "description": "{{char}} keeps the lighthouse.", "first_mes": "The lamp is lit.",
    }});
    house.file("iris.json", &card.to_string());
    let ran = house.run(&["import", house.path("iris.json").to_str().unwrap()]).code(0);
    assert!(ran.err.contains("the character card of Iris"), "{}", ran.err);
    let text =
        format!("title = \"T\"\n[limits]\nutterances = 1\n{}lines = [\"Good night.\"]\n", ran.out);
    let path = house.file("talk.toml", &text);
    let ran = house.run(&["run", &path, "--headless", "--format", "jsonl"]).code(0);
    let opened: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    let seat = &opened["data"]["participants"][0];
    assert_eq!((&seat["id"], &seat["name"]), (&json!("iris"), &json!("Iris")));
    let persona = seat["persona"].as_str().unwrap();
    assert!(
        persona.starts_with("You are Iris.\n\n{{ me.name }} keeps the lighthouse."),
        "{persona}"
    );
}

#[test]
fn messages_of_other_branches_are_counted() {
    let said = |id: &str, parent: &str, sender: &str, text: &str| json!({"uuid": id, "parent_message_uuid": parent, "sender": sender, "text": text});
    let claude = json!([{"name": "Trams", "chat_messages": [
        said("1", "0", "human", "Keep the trams?"),
        said("2", "1", "assistant", "An abandoned answer."),
        said("3", "1", "assistant", "Keep them."),
    ]}]);
    let deepseek = include_str!("../../imports/programs/deepseek.json");
    let libre_chat = include_str!("../../imports/programs/librechat-flat.json");
    for text in [&claude.to_string(), deepseek, libre_chat] {
        let (read, err) = imported(text.as_bytes(), &[]);
        assert!(read.contains("Keep them.") && !read.contains("abandoned"), "{read}");
        assert!(err.contains("1 message of another branch"), "{err}");
    }
}

#[test]
fn exports_of_libre_chat_and_typing_mind_are_read() {
    let text = include_str!("../../imports/programs/librechat.json");
    let (read, err) = imported(text.as_bytes(), &[]);
    let mut at = 0;
    for words in [
        "you\n  Keep the trams?",
        "GPT-4o",
        "Let me look.",
        "Keep them.",
        "buses?",
        "Claude",
        "Keep those",
    ] {
        let found = read[at..].find(words).unwrap_or_else(|| panic!("{words}: {read}"));
        at += found;
    }
    assert!(!read.contains("Sell them."), "another branch: {read}");
    assert!(err.contains("left out: 1 message of another branch\n"), "{err}");
    let text = include_str!("../../imports/programs/typingmind.json");
    let (read, err) = imported(text.as_bytes(), &[]);
    for words in ["you\n  Keep the trams?", "Keep them.", "Like here?", "Like there."] {
        assert!(read.contains(words), "{words}: {read}");
    }
    assert!(err.contains("left out: 1 image\n"), "{err}");
}

#[test]
fn reasoning_of_other_programs_stays_reasoning() {
    let house = House::new();
    let chat = json!([{"role": "user", "parts": [{"type": "text", "text": "Keep the trams?"}]},
        {"role": "assistant", "content": "", "parts": [{"type": "step-start"},
            {"type": "reasoning", "text": "They are quiet."}, {"type": "text", "text": "Yes."}]}]);
    let node = |id: &str, parent: Value, role: &str, content: Value| json!({"id": id, "parent": parent, "message": {"author": {"role": role}, "content": content}});
    let gpt = json!([{"title": "Trams", "current_node": "3", "mapping": {
        "1": node("1", Value::Null, "user", json!({"content_type": "text", "parts": ["Keep the trams?"]})),
        "2": node("2", "1".into(), "assistant", json!({"content_type": "thoughts", "thoughts": [
            {"summary": "Noise", "content": "They are quiet."}]})),
        "3": node("3", "2".into(), "assistant", json!({"content_type": "text", "parts": ["Yes."]})),
    }}]);
    for value in [chat, gpt] {
        let path = house.file("chat.json", &value.to_string());
        let ran = house.run(&["import", &path]).code(0);
        assert!(!ran.err.contains("left out"), "{}", ran.err);
        let atif = house.run(&["export", ran.out.trim(), "--format", "atif"]).code(0).out;
        let atif: Value = serde_json::from_str(&atif).unwrap();
        let step = &atif["steps"][1];
        assert_eq!(step["message"], "Yes.");
        assert!(step["reasoning_content"].as_str().unwrap().contains("They are quiet."), "{step}");
    }
}

#[test]
fn chats_of_other_apis_are_read() {
    for chat in [
        json!([{"type": "human", "content": "Keep the trams?"}, {"type": "ai", "content": "Yes."}]),
        json!([{"role": "User", "content": "Keep the trams?"}, {"role": "Assistant", "content": "Yes."}]),
        json!({"contents": [{"role": "user", "parts": [{"text": "Keep the trams?"}]},
            {"role": "model", "parts": [{"text": "Yes."}]}]}),
        json!([{"role": "user", "content": "Keep the trams?"},
            {"role": "assistant", "function_call": {"name": "ask", "arguments": "{\"a\":1}"}},
            {"role": "function", "name": "ask", "content": "sun"},
            {"role": "assistant", "content": "Yes."}]),
    ] {
        let (read, err) = imported(chat.to_string().as_bytes(), &[]);
        assert!(
            read.contains("[before 1] you\n  Keep the trams?") && read.contains("Yes."),
            "{read}"
        );
        assert!(!err.contains("left out"), "{err}");
    }
    let one = json!({"messages": [{"role": "user", "content": "Keep the trams?"}, {"role": "assistant", "content": "Yes."}]});
    let (_, err) = imported(lines(&[one.clone(), one]).as_bytes(), &["--pick", "2"]);
    assert!(err.contains("2 messages of 1 participant"), "{err}");
}
