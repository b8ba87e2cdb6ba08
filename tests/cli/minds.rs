//! Words for models, several models at one table, and programs of the person as participants.

use crate::house::House;
use crate::server::Server;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A program that answers as Claude Code does in print mode; it fails without the person's login.
pub const CLAUDE: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo "9.9.9 (Claude Code)"; exit 0; }
[ -f "$HOME/.claude/login" ] || { echo '{"type":"result","is_error":true,"result":"Not logged in"}'; exit 1; }
[ "$1" = auth ] && exit 0
[ "$COLLOQUIUM_INSIDE" = 1 ] || exit 1
cat >/dev/null
for word in At nine, says a program.; do
  printf '{"type":"stream_event","event":{"delta":{"type":"text_delta","text":"%s "}}}\n' "$word"
done
echo '{"type":"result","is_error":false,"total_cost_usd":0.25,"usage":{"input_tokens":9,"output_tokens":4},"modelUsage":{"ant-1":{}}}'
"#;

/// Puts a program on the path of the house and returns the path.
pub fn install(house: &House, name: &str, text: &str) -> String {
    house.program(&format!("bin/{name}"), text);
    format!("{}:/usr/bin:/bin", house.path("bin").display())
}

fn settings(house: &House, url: &str) {
    let text = format!(
        "[providers.near]\nwire = \"openai\"\nbase_url = \"{url}\"\n\
         [words]\nant = \"near:ant\"\nbee = \"near:bee\"\n\
         [models.\"near:ant\"]\ntemperature = false\n"
    );
    house.file(".config/colloquium/config.toml", &text);
}

#[test]
fn an_unknown_model_is_reported_with_its_place() {
    let house = House::new();
    for (word, told) in [("olama:xyz", "nearest is `ollama`"), ("clade", "claude")] {
        let talk = format!(
            "title = \"A talk\"\ntopic = \"Tea\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"ada\"\nmodel = \"{word}\"\n"
        );
        let talk = house.file("talk.toml", &talk);
        let checked = house.run(&["check", &talk]).code(0);
        let code = if word.contains(':') { 3 } else { 4 };
        let ran = house.run(&["run", &talk, "--headless", "--no-save"]).code(code);
        for err in [checked.err, ran.err] {
            assert!(err.contains("talk.toml:7:9") && err.contains("participant[1].model"), "{err}");
            assert!(err.contains(told), "{err}");
        }
    }
}

#[test]
fn a_topic_and_words_are_a_table_of_different_models() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant", "bee", "cow"]);
    let house = House::new();
    settings(&house, &server.url);
    let talk = ["talk", "Should school start at nine?", "ant", "Zoe=bee", "near:cow", "ant"];
    let ran = house.run(&[&talk[..], &["--headless", "--max-utterances", "4"]].concat()).code(0);
    let voices = "voices: ant near:ant, Zoe near:bee, cow near:cow, ant 2 near:ant\n";
    assert!(ran.out.contains(voices), "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("] Zoe (bee)\n"), "{}", ran.out);
    for format in ["txt", "md", "html"] {
        let page = house.run(&["export", "--last", "--format", format, "-o", "-"]).code(0).out;
        assert!(page.contains("Zoe") && page.contains("(bee)"), "{format}: {page}");
    }
    let cost = house.run(&["analyze", "--last", "--table", "cost"]).code(0).out;
    assert!(cost.lines().any(|row| row.contains("Zoe") && row.contains("near:bee")), "{cost}");
    let asked = server.asked.lock().unwrap();
    let identity = "You are Zoe (bee), and you speak as yourself. The others are other AI models. Say how sure you are; invent \
                    no source.";
    assert!(asked.iter().any(|body| body.contains(identity)), "{asked:?}");
    let once = "You are ant, and you speak as yourself.";
    assert!(asked.iter().any(|body| body.contains(once)), "a name that is the model's: {asked:?}");
    let of_people = |body: &String| body.contains("your own counts") || body.contains("(says ");
    assert!(!asked.iter().any(of_people), "neither a side nor own counts: {asked:?}");
}

#[test]
fn hidden_models_are_named_to_the_reader_alone() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant", "bee"]);
    let house = House::new();
    settings(&house, &server.url);
    let talk = ["talk", "Why?", "ant", "bee", "--headless", "--anonymous", "--max-turns", "2"];
    let ran = house.run(&talk).code(0);
    assert!(ran.out.contains("voices: Speaker A near:ant, Speaker B near:bee\n"), "{}", ran.out);
    assert!(ran.out.contains("] Speaker B (bee)\n"), "{}", ran.out);
    for body in server.asked.lock().unwrap().iter() {
        let body: serde_json::Value = serde_json::from_str(body).unwrap();
        let prompt = body["messages"].to_string();
        assert!(!prompt.contains("bee") && !prompt.contains("ant)"), "{prompt}");
    }
    let file = "title = \"T\"\n[[participant]]\nid = \"a\"\npersona = \"You are Ann.\"\n";
    let file = house.file("people.toml", file);
    let refused = house.run(&["run", &file, "--headless", "--model", "ant", "--anonymous"]).code(2);
    assert!(refused.err.contains("--anonymous: the participants are people"), "{}", refused.err);
}

#[test]
fn a_word_that_means_nothing_starts_nothing() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant", "bee"]);
    let house = House::new();
    settings(&house, &server.url);
    for command in [
        &["talk", "Why?", "ant", "antt", "--headless"][..],
        &["run", "round-table", "--model", "ant,antt", "--headless"],
        &["ask", "Why?", "--model", "antt"],
    ] {
        let refused = house.run(command).code(4);
        assert!(refused.err.contains("no model \"antt\""), "{}", refused.err);
        assert!(refused.err.contains("usable now: ant, bee"), "{}", refused.err);
    }
    assert!(server.asked.lock().unwrap().is_empty());
}

#[test]
fn a_refused_parameter_is_left_out_and_that_is_said() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant", "bee"]);
    let house = House::new();
    settings(&house, &server.url);
    let seat = |id: &str| {
        format!("[[participant]]\nid = \"{id}\"\nmodel = \"near:{id}\"\ntemperature = 0.5\n")
    };
    let text = format!("title = \"T\"\n[limits]\nutterances = 2\n{}{}", seat("ant"), seat("bee"));
    let path = house.file("talk.toml", &text);
    let ran = house.run(&["run", &path, "--headless"]).code(0);
    let said = "near:ant takes no temperature and no top_p: not sent";
    assert_eq!(ran.err.matches(said).count(), 1, "{}", ran.err);
    for body in server.asked.lock().unwrap().iter() {
        let warm = body.contains("temperature");
        assert_eq!(warm, body.contains("\"model\":\"bee\""), "{body}");
    }
}

#[test]
fn a_program_speaks_with_the_login_of_the_person() {
    let house = House::new();
    let path = install(&house, "claude", CLAUDE);
    let run = |args: &[&str]| {
        let mut command = house.command(args);
        let ran = command.env("PATH", &path).output().unwrap();
        (
            ran.status.code(),
            String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned(),
        )
    };
    let talk = ["talk", "Why?", "program:claude", "--headless", "--max-utterances", "1"];
    let (_, out) = run(&talk);
    for cure in ["Not logged in", "claude auth login", "npm i -g @anthropic-ai/claude-code"] {
        assert!(out.contains(cure), "{cure}: {out}");
    }
    house.file(".claude/login", "");
    let (_, out) = run(&talk);
    assert!(out.contains("At nine, says a program."), "{out}");
    let logs = fs::read_dir(house.path("data/sessions")).unwrap().flatten();
    let logs: String = logs.map(|log| fs::read_to_string(log.path()).unwrap()).collect();
    assert!(logs.contains("\"model\":\"ant-1\"") && logs.contains("\"cost\":0.25"), "{logs}");
    let (code, out) = run(&["resume", "--last", "--headless", "--max-utterances", "2"]);
    assert!(out.contains("At nine, says a program.") && code != Some(3), "{code:?} {out}");
    let (_, out) = run(&["doctor"]);
    let row = "9.9.9 (Claude Code)";
    assert!(out.contains(row) && out.contains("logged in; --model program:claude"), "{out}");
    // a file of somebody else names no program
    let file = house.file(
        "strange.toml",
        "title = \"T\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"a\"\nmodel = \"program:claude\"\n",
    );
    let (code, out) = run(&["run", &file, "--headless"]);
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("run Claude Code with your login, without tools"), "{out}");
}

#[test]
fn the_words_come_first_in_the_list_of_models() {
    let server = Server::serving("", None, usize::MAX, &["ant"]);
    let house = House::new();
    settings(&house, &server.url);
    let ran = house.run(&["models"]).code(0);
    let words =
        "words     here and now\nant       near:ant (settings)\nbee       near:bee (settings)\n";
    assert!(ran.out.starts_with(words), "{}", ran.out);
}

#[test]
fn a_topic_with_words_behind_it_is_a_talk() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant", "bee"]);
    let house = House::new();
    settings(&house, &server.url);
    for topic in ["Why?", "Почему", "Why so"] {
        let ran =
            house.run(&[topic, "ant", "Zoe=bee", "--headless", "--max-utterances", "2"]).code(0);
        assert!(ran.out.contains("voices: ant near:ant, Zoe near:bee\n"), "{}", ran.out);
        let rows = "  table   ant         near: ant                                 free\n";
        assert!(ran.err.contains(rows), "{}", ran.err);
    }
    // one model for all is said
    let ran = house.run(&["talk", "Why?", "ant", "--headless", "--max-utterances", "1"]).code(0);
    assert!(ran.err.contains("one model for all: expect agreement. Also here: bee"), "{}", ran.err);
    house.run(&["Why", "ant"]).code(2);
    // a participant has one model, and a talk has a topic
    let asked = server.asked.lock().unwrap().len();
    let twice = house.run(&["talk", "Why?", "Zoe=ant", "zoe=bee", "--headless"]).code(2);
    assert!(twice.err.contains("two models for one participant: Zoe=ant and zoe=bee"), "{twice:?}");
    let empty = house.run(&["talk", " ", "ant", "--headless"]).code(2);
    assert!(empty.err.contains("the topic is empty"), "{empty:?}");
    assert_eq!(server.asked.lock().unwrap().len(), asked);
    // a model on this machine that has a price is not free
    let price = ["--config-set", "models.\"near:ant\".price=[50,150]"];
    let priced = house.run(&[&["talk", "Why?", "ant", "--dry-run"], &price[..]].concat()).code(0);
    assert!(priced.err.contains("near: ant") && !priced.err.contains(" free"), "{}", priced.err);
}

#[test]
fn a_program_that_takes_part_holds_no_conversation() {
    let server = Server::serving("I think so.", None, usize::MAX, &["ant"]);
    let house = House::new();
    settings(&house, &server.url);
    for command in [&["talk", "Why?", "ant", "--headless"][..], &["mcp"], &["ask", "Why?"]] {
        let ran = house.command(command).env("COLLOQUIUM_INSIDE", "1").output().unwrap();
        let err = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(err.contains("this is already a conversation of colloquium"), "{err}");
        assert_eq!(ran.status.code(), Some(2), "{command:?}");
    }
    assert!(server.asked.lock().unwrap().is_empty());
    // reading is no conversation
    let ran = house.command(&["sessions", "list"]).env("COLLOQUIUM_INSIDE", "1").output().unwrap();
    assert!(ran.status.success());
}

#[test]
fn a_saved_server_is_asked_with_its_key_and_its_models_can_be_used() {
    let server = Server::serving("I think so.", Some("sk-own"), usize::MAX, &["alpha", "beta"]);
    let house = House::new();
    let key = house.file(".config/colloquium/keys/near", "sk-own");
    let text =
        format!("[providers.near]\nbase_url = \"{}\"\napi_key_file = \"{key}\"\n", server.url);
    house.file(".config/colloquium/config.toml", &text);
    fs::set_permissions(key, fs::Permissions::from_mode(0o600)).unwrap();
    let refused = house.run(&["talk", "Why?", "nonsense", "--headless"]).code(4);
    assert!(refused.err.contains("usable now: near:alpha, near:beta"), "{}", refused.err);
    let ran = house.run(&["talk", "Why?", "alpha", "beta", "--headless", "--max-turns", "2"]);
    assert!(ran.code(0).out.contains("near:alpha"));
}

#[test]
fn a_named_model_speaks_or_nothing_is_played() {
    let house = House::new();
    for command in [
        &["demo", "--model", "ollama:x", "--headless"][..],
        &["ask", "Why?", "--rehearsed", "--model", "ollama:x"],
    ] {
        let err = house.run(command).code(2).err;
        assert!(err.contains("--model would ask nobody: every line is rehearsed"), "{err}");
    }
    assert_eq!(house.run(&["sessions", "list", "--json"]).code(0).out.trim(), "[]");
}
