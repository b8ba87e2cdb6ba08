//! `colloquium ask`: prints the answer, its dissent and its cost, and nothing else.

use crate::house::House;
use crate::server::Server;
use colloquium::scenario::panel;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use toml::Table;

#[test]
fn without_a_model_the_answer_is_rehearsed_and_both_the_text_and_the_code_say_so() {
    let house = House::new();
    let ran = house.run(&["ask", "Why is the sky blue?"]).code(4);
    assert!(ran.out.starts_with("rehearsed demo: no model was called"), "{}", ran.out);
    assert!(ran.out.contains("the rehearsed answer to \"Why is the sky blue?\""), "{}", ran.out);
    assert!(ran.out.contains("\n\nDissent: the rehearsed sceptic"), "{}", ran.out);
    assert_eq!(ran.err, "", "nothing else is printed");
    let asked_for = house.run(&["ask", "Why?", "--rehearsed", "--panel", "review"]).code(0);
    assert!(asked_for.out.contains("\n\nDissent: none\n\n4 turns; session "), "{asked_for:?}");
    // an explicit model that does not exist is an error, with no fallback to invented text
    let named = house.run(&["ask", "Why?", "--model", "ollama:none"]).code(4);
    assert_eq!(named.out, "");
}

#[test]
fn a_panel_reads_the_files_and_answers_as_json() {
    let server = Server::start("It is.\n**DISSENT:** Bo doubts it.", None);
    let house = House::new();
    let notes = house.file("notes.txt", "The kettle is on.");
    let ask = ["ask", "Is the tea ready?", &notes, "-", "--json"];
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    let ran = house.fed(&[&ask[..], &model[..]].concat(), "The cups are out.").code(0);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (&answer["answer"], &answer["dissent"]),
        (&"It is.".into(), &"Bo doubts it.".into())
    );
    assert_eq!((&answer["rehearsed"], &answer["turns"]), (&false.into(), &7.into()));
    assert!(answer["tokens"].as_u64().unwrap() > 0 && answer["usd"].is_null(), "{answer}");
    let asked = server.asked.lock().unwrap();
    assert_eq!(asked.len(), 10, "three who only said the same again are asked once more");
    for body in asked.iter() {
        assert!(body.contains("The kettle is on.") && body.contains("The cups are out."), "{body}");
        assert!(body.contains("Is the tea ready?"), "{body}");
    }
    drop(asked);
    assert_eq!(house.sessions()[0]["title"], "Is the tea ready?");
    assert_eq!(house.sessions()[0]["id"], answer["session"]);
}

/// No file is cut in silence: 33 kB do not fit into a window of 4,096 tokens.
#[test]
fn a_file_that_does_not_fit_is_an_error_or_is_cut_on_request() {
    let server = Server::start("VERDICT: good.\nDISSENT: none", None);
    let house = House::new();
    let file = house.file("main.py", &"total = total + 1\n".repeat(1_850));
    let ask = ["ask", "Is it right?", &file, "--panel", "review", "--no-save", "--json"];
    let ask = [&ask[..], &["--endpoint", &server.url, "--model", "endpoint:tiny"]].concat();
    let ran = house.run(&ask).code(3);
    assert!(ran.err.contains("main.py (33 kB)") && ran.err.contains("--cut"), "{}", ran.err);
    assert_eq!((ran.out.as_str(), server.asked.lock().unwrap().len()), ("", 0));

    let ran = house.run(&[&ask[..], &["--cut"]].concat()).code(0);
    let answer: Value = serde_json::from_str(&ran.out).unwrap();
    let part = &answer["material"][0];
    let (read, bytes) = (part["read"].as_u64().unwrap(), part["bytes"].as_u64().unwrap());
    assert_eq!(bytes, 33_300);
    assert!(read < bytes / 4, "{part}");
    assert!(ran.err.contains(&format!("read {} % of 33 kB", read * 100 / bytes)), "{}", ran.err);
    for body in server.asked.lock().unwrap().iter() {
        assert!(body.contains("2: total = total + 1") && body.contains("is left out: "), "{body}");
        assert!(!body.contains("[...]"), "{body}");
    }
}

#[test]
fn a_panel_that_is_stopped_gives_no_half_answer() {
    let server = Server::start("It is.", None);
    let house = House::new();
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny", "--max-tokens", "900"];
    let ran = house.run(&[&["ask", "Is it?", "--no-save"], &model[..]].concat()).code(5);
    assert_eq!(ran.out, "");
    assert!(ran.err.contains("the panel gave no answer: token limit"), "{}", ran.err);
}

#[test]
fn any_scenario_can_be_the_panel_and_its_verdict_the_answer() {
    let house = House::new();
    let topic = "This house would abolish homework before the age of fourteen.";
    let ran = house.run(&["ask", topic, "--panel", "formal-debate", "--rehearsed"]).code(0);
    assert!(ran.out.contains("\n\npro: Florian answered practice"), "{}", ran.out);
    let near = house.run(&["ask", "Why?", "--panel", "formal-debat"]).code(2);
    assert!(near.err.contains("formal-debate"), "{}", near.err);
    house.run(&["ask", " "]).code(2);
    house.run(&["ask", "-", "-"]).code(2);
}

#[test]
fn the_panels_are_faultless_scenarios() {
    let house = House::new();
    for name in ["council", "review"] {
        let file = house.file("panel.toml", panel(name).unwrap());
        let checked = house.run(&["check", &file]).code(0);
        assert_eq!(checked.err, "", "{name}");
    }
}

#[test]
fn a_hint_names_only_options_that_ask_has() {
    let house = House::new();
    let script = "title = \"A talk\"\n[limits]\nutterances = 1\n\
                  [[participant]]\nid = \"ada\"\nscript = [\"cat\"]\n";
    let reader = "title = \"A talk\"\n[limits]\nutterances = 1\n\
                  [[participant]]\nid = \"ada\"\ntools = [\"read_file\"]\n";
    let script = house.file("script.toml", script);
    let reader = house.file("reader.toml", reader);
    let model = ["--endpoint", "http://127.0.0.1:9", "--model", "endpoint:tiny"];
    let ask = |panel: &str| {
        house.run(&[&["ask", "Why?", "--panel", panel], &model[..]].concat()).code(3).err
    };
    let refused = ask(&script);
    assert!(refused.contains("review it, then add --trust"), "{refused}");
    let refused = ask(&reader);
    let fix = format!("`ask` has no --files; use: colloquium run {reader} --headless");
    assert!(refused.contains(&fix), "{refused}");
    let lines = "title = \"A talk\"\ntopic = \"Tea\"\n[limits]\nutterances = 1\n\
                 [[participant]]\nid = \"ada\"\nlines = [\"Tea.\"]\n";
    let lines = house.file("lines.toml", lines);
    let other = house.run(&["ask", "Why?", "--panel", &lines]).code(2);
    assert!(other.err.contains("name another panel"), "{}", other.err);
    assert!(!other.err.contains("--topic"), "{}", other.err);
}

#[test]
fn a_panel_has_a_limit_in_time() {
    for name in ["council", "review"] {
        let panel: Table = panel(name).unwrap().parse().unwrap();
        assert_eq!(panel["limits"]["seconds"].as_integer(), Some(600), "{name}");
    }
}

/// Starts a server whose model `m` ends in the middle of its reply with `rest`; other models end as usual.
fn dying(rest: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map(Result::unwrap) {
            let mut reader = BufReader::new(&stream);
            let (mut head, mut length) = (String::new(), 0);
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {
                let last = head.trim_end().rsplit('\n').next().unwrap().to_lowercase();
                length = last
                    .strip_prefix("content-length:")
                    .map_or(length, |n| n.trim().parse().unwrap());
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let is_m = String::from_utf8(body).unwrap().contains(r#""model":"m""#);
            let word = r#"data: {"choices":[{"delta":{"content":"Keep them"}}]}"#;
            let end = r#"data: {"choices":[{"delta":{"content":"."},"finish_reason":"stop"}]}"#;
            let said = match (head.starts_with("GET"), is_m) {
                (true, _) => r#"{"data":[{"id":"m"},{"id":"n"}]}"#.to_owned(),
                (false, true) => format!("{word}\n\n{rest}"),
                (false, false) => format!("{word}\n\n{end}\n\ndata: [DONE]\n\n"),
            };
            write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{said}").unwrap();
        }
    });
    url
}

/// A reply that breaks off stays in the transcript, and is neither an answer nor unsaid.
#[test]
fn a_reply_that_breaks_off_is_no_answer() {
    let house = House::new();
    let seat = |id: &str, model: &str| {
        format!("[[participant]]\nid = \"{id}\"\nmodel = \"endpoint:{model}\"\n")
    };
    let talk = |first: &str, last: &str| {
        let limits =
            "title = \"T\"\ntopic = \"Trams?\"\nresult = \"none\"\nlimits = { utterances = 2 }\n";
        house.file("talk.toml", &[limits, &seat("ada", first), &seat("bo", last)].concat())
    };
    for (rest, why) in [
        ("", "stopped in the middle of the reply; retry"),
        ("data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "failed (out of memory); retry"),
    ] {
        let url = dying(rest);
        let ask = |path: &str| house.run(&["ask", "Why?", "--panel", path, "--endpoint", &url]);
        let ran = ask(&talk("n", "m")).code(1);
        let no = format!(
            "error: the panel gave no answer: the server at {} {why}",
            &url[7..url.len() - 3]
        );
        assert!(ran.out.is_empty() && ran.err.contains(&no), "{ran:?}");
        let read = ran.err.split("colloquium export ").nth(1).unwrap().split(' ').next().unwrap();
        let told = house.run(&["export", read, "--format", "txt"]).code(0).out;
        assert!(told.contains("[2] bo (m), failed mid-sentence\n  Keep them\n"), "{told}");
        // the server says that it is cut
        let cut = r#"data: {"choices":[{"delta":{},"finish_reason":"abort"}]}"#;
        if rest.is_empty() {
            let url = dying(format!("{cut}\n\ndata: [DONE]\n\n").leak());
            let path = talk("n", "m");
            let ran = house.run(&["ask", "Why?", "--panel", &path, "--endpoint", &url]).code(0);
            assert!(ran.out.starts_with("Keep them\n"), "{}", ran.out);
            assert!(ran.err.starts_with("warning: the answer is cut: "), "{}", ran.err);
        }
        // the last turn is whole
        let path = talk("m", "n");
        let ran = ask(&path).code(0);
        assert!(ran.out.starts_with("Keep them.\n"), "{}", ran.out);
        assert_eq!(ran.err, "warning: 1 reply failed mid-sentence\n");
        let run = ["run", &path, "--headless", "--endpoint", &url];
        let ran = house.run(&run).code(0);
        assert!(ran.out.contains("\n-- 2 turns, 1 reply failed mid-sentence, "), "{}", ran.out);
        let ran = house.run(&[&run[..], &["--strict"]].concat()).code(7);
        assert!(ran.err.contains("error: 1 reply failed mid-sentence"), "{}", ran.err);
    }
}
