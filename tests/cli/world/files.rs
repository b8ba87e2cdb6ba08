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

#[test]
fn exports_of_other_programs_are_read() {
    let parts = json!([
        {"role": "user", "content": "Trams?", "parts": [{"type": "text", "text": "Trams?"}]},
        {"role": "assistant", "content": "", "parts": [{"type": "text", "text": "Yes."}]},
    ]);
    let lines = "{\"role\":\"user\",\"content\":\"Trams?\"}\n{\"role\":\"assistant\",\"content\":\"Yes.\"}\n";
    let claude = json!([{"uuid": "1", "name": "T", "chat_messages": [
        {"sender": "human", "text": "Trams?"}, {"sender": "assistant", "text": "Yes."}]}]);
    let shared = json!({"id": "x", "conversations": [
        {"from": "human", "value": "Trams?"}, {"from": "gpt", "value": "Yes."}]});
    let open = json!([{"title": "T", "chat": {"history": {"currentId": "b", "messages": {
        "a": {"id": "a", "parentId": null, "role": "user", "content": "Trams?"},
        "b": {"id": "b", "parentId": "a", "role": "assistant", "content": "Yes.", "model": "m"}}}}}]);
    for text in [
        json!([chatgpt("T")]).to_string(),
        chatgpt("T").to_string(),
        claude.to_string(),
        parts.to_string(),
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
    assert!(err.contains("1 part was left out"), "{err}");
    let ran = house.run(&["import", &path, "--all"]).code(0);
    assert!(ran.err.contains("2 conversations") && ran.err.contains("2 parts were"), "{}", ran.err);
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
    let windows: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    for bytes in [
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe", &wide[..]].concat(),
        wide,
        windows,
    ] {
        assert!(imported(&bytes, &[]).0.contains("Grüße"));
    }
    let lone = br#"[{"role":"user","content":"a\ud800b"},{"role":"assistant","content":"Yes."}]"#;
    assert!(imported(lone, &[]).0.contains("a\u{fffd}b"));
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
        assert!(err.contains("1 part was left out"), "{err}");
    }
}
