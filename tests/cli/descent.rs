//! Processes that a conversation started run under the same user; none of them can steer it, or another one.

use crate::house::{House, end, talk};
use crate::live::Talk;
use crate::program::PROGRAM;
use crate::tools::model;
use serde_json::json;
use std::io::Read;

/// Shell lines that try to steer the conversation, from this process and from a detached grandchild without its
/// environment, and then create the file `MARK.done`.
fn tries(house: &House, mark: &str) -> String {
    let (log, home) = (house.path("talk.jsonl"), house.home.path());
    let steer = format!(
        "env HOME={} {} steer {} '{{\"do\":\"decide\",\"tool\":\"{mark}\",\"yes\":true}}'",
        home.display(),
        PROGRAM,
        log.display()
    );
    let socket = home.join(".local/state/colloquium/live");
    let (out, done) = (house.path(&format!("{mark}.out")), house.path(&format!("{mark}.done")));
    let (socket, out, done) = (socket.display(), out.display(), done.display());
    let detached = format!("{} >>{out} 2>&1; : >{done}", steer.replacen("env ", "env -i ", 1));
    format!(
        "while ! ls {socket}/*.sock >/dev/null 2>&1; do :; done\n\
         {steer} >>{out} 2>&1\n\
         (setsid sh -c '{}' &) >/dev/null 2>&1\n\
         while [ ! -e {done} ]; do :; done\n",
        detached.replace('\'', r"'\''"),
    )
}

/// Asserts that both tries were refused, because of the descent of the process.
fn assert_refused(house: &House, mark: &str, err: &str) {
    let out = std::fs::read_to_string(house.path(&format!("{mark}.out"))).unwrap_or_default();
    let refused = out.matches("a process of a conversation cannot attach to one").count();
    assert_eq!(refused, 2, "{mark}: {out}\n{err}");
}

/// Asserts that each of the tries was refused.
fn check(talk: Talk, marks: &[&str]) {
    let Talk { house, child, mut out, log } = talk;
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ran = end(child);
    for mark in marks {
        assert_refused(&house, mark, &ran.err);
    }
    let log = std::fs::read_to_string(log).unwrap();
    assert!(!log.contains("\"command.given\"") && log.contains("\"said\""), "{log}");
}

#[test]
fn scripts_and_agents_and_their_grandchildren_cannot_steer() {
    let house = House::new();
    house.file("agent.py", include_str!("fake_agent.py"));
    let script = house.file("script.sh", &format!("{}echo said\n", tries(&house, "script")));
    let agent = house.path("agent.py");
    let agent = format!("{}exec python3 {} plain\n", tries(&house, "agent"), agent.display());
    let agent = house.file("agent.sh", &agent);
    let scenario = format!(
        "title = \"A talk\"\n[limits]\nutterances = 2\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\nscript = [\"sh\", \"{script}\"]\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\nagent = [\"sh\", \"{agent}\"]\n"
    );
    check(Talk::start_in(house, &scenario, &["--trust"]), &["script", "agent"]);
}

#[test]
fn tool_scripts_and_tool_servers_cannot_steer() {
    let house = House::new();
    let server = house.file("server.py", include_str!("fake_server.py"));
    // the server starts before the conversation, so it tries from the background
    let wrapper = format!("({}) &\nexec python3 {server} plain\n", tries(&house, "server"));
    let wrapper = house.file("server.sh", &wrapper);
    let wait = house.path("server.done");
    let tool = format!(
        "{}while [ ! -e {} ]; do :; done\necho noted\n",
        tries(&house, "tool"),
        wait.display()
    );
    let tool = house.file("tool.sh", &tool);
    let (url, _) = model(vec![("note", json!({})), ("fake_echo", json!({"words": "tea"}))]);
    let scenario = format!(
        "title = \"A talk\"\n[limits]\nutterances = 1\n\
         [[server]]\nname = \"fake\"\ncommand = [\"sh\", \"{wrapper}\"]\nread_only = [\"echo\"]\n\
         [[tool]]\nname = \"note\"\nabout = \"Notes.\"\nscript = [\"sh\", \"{tool}\"]\nread_only = true\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\ntools = [\"fake\", \"note\"]\n"
    );
    let options = ["--trust", "--endpoint", &url, "--model", "endpoint:tiny"];
    check(Talk::start_in(house, &scenario, &options), &["server", "tool"]);
}

/// Writes a scenario whose only participant is a script; returns its path.
fn another(house: &House, script: &[&str]) -> String {
    let seat = format!("[[participant]]\nid = \"eve\"\nscript = {script:?}\n");
    house.file("other.toml", &format!("title = \"Another\"\n[limits]\nutterances = 1\n{seat}"))
}

#[test]
fn a_script_of_another_conversation_cannot_steer() {
    let house = House::new();
    let script = house.file("other.sh", &format!("{}echo said\n", tries(&house, "other")));
    let other = another(&house, &["env", "-i", "PATH=/usr/bin:/bin", "sh", &script]);
    let steered = Talk::start_in(house, &talk(40, 2_000), &[]);
    let ran = steered.house.run(&["run", &other, "--headless", "--trust", "--no-save"]).code(0);
    assert_refused(&steered.house, "other", &ran.err);
    // a process that no conversation started can
    let steer = ["steer", steered.log.to_str().unwrap(), r#"{"do":"mark"}"#];
    steered.house.run(&steer).code(0);
    let log = std::fs::read_to_string(&steered.log).unwrap();
    assert_eq!(log.matches("\"command.given\"").count(), 1, "{log}");
    assert!(!log.contains("\"command.refused\""), "{log}");
    steered.house.run(&["stop", steered.log.to_str().unwrap()]).code(0);
    end(steered.child);
}

/// The orphan has no environment and no terminal, and it ended the process that adopts orphans.
#[test]
fn an_orphan_of_a_killed_conversation_cannot_steer() {
    let house = House::new();
    let log = house.path("talk.jsonl");
    let out = house.path("orphan.out");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &out, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let free = house.path("free");
    let orphan = house.file(
        "orphan.sh",
        &format!(
            ": >{}\nwhile kill -0 $PLAYER; do :; done\nexec env HOME={} {PROGRAM} steer {} '{}' >{} 2>&1\n",
            free.display(),
            house.home.path().display(),
            log.display(),
            r#"{"do":"mark"}"#,
            out.display()
        ),
    );
    let script = house.file(
        "other.sh",
        &format!(
            "(setsid env -i PATH=$PATH PLAYER=$PPID sh {orphan} &) >/dev/null 2>&1\n\
             while [ ! -e {} ]; do :; done\nkill -9 $PPID\n",
            free.display()
        ),
    );
    let other = another(&house, &["sh", &script]);
    let steered = Talk::start_in(house, &talk(40, 2_000), &[]);
    let ran = steered.house.run(&["run", &other, "--headless", "--trust", "--no-save"]);
    assert_eq!(ran.code, -1, "killed: {}", ran.err);
    let told = std::fs::read_to_string(&out).unwrap();
    assert!(told.contains("a process of a conversation cannot attach to one"), "{told}");
    let log = std::fs::read_to_string(&steered.log).unwrap();
    assert!(!log.contains("\"command.given\""), "{log}");
    steered.house.run(&["stop", steered.log.to_str().unwrap()]).code(0);
    end(steered.child);
}

#[test]
fn a_script_cannot_change_a_finished_conversation() {
    let house = House::new();
    let talk = house.file("talk.toml", &talk(2, 0));
    let log = house.path("talk.jsonl");
    let finished = log.to_str().unwrap();
    house.run(&["run", &talk, "--headless", "--out-session", finished]).code(0);
    let deleted = house.path("deleted.jsonl");
    house.run(&["run", &talk, "--headless", "--out-session", deleted.to_str().unwrap()]).code(0);
    house.run(&["sessions", "delete", deleted.to_str().unwrap()]).code(0);
    let before = std::fs::read(&log).unwrap();
    let out = house.path("out");
    let program = format!("env -i HOME={} {PROGRAM}", house.home.path().display());
    let changes = [
        format!(
            "echo '{{\"do\":\"say\",\"text\":\"go on\"}}' | {program} resume {finished} --headless --steer -"
        ),
        format!("{program} sessions repair {finished}"),
        format!("{program} resume {finished} --detach"),
        format!("{program} resume {finished} --background"),
        format!("{program} sessions rename {finished} --title Mine"),
        format!("{program} sessions delete {finished}"),
        format!("{program} sessions restore deleted"),
    ];
    let tries: String = changes.iter().map(|c| format!("{c} >>{} 2>&1\n", out.display())).collect();
    let script = house.file("other.sh", &format!("{tries}echo said\n"));
    let other = another(&house, &["sh", &script]);
    house.run(&["run", &other, "--headless", "--trust", "--no-save"]).code(0);
    let told = std::fs::read_to_string(&out).unwrap();
    let refused = told.matches("a process of a conversation cannot change one").count();
    assert_eq!(refused, changes.len(), "{told}");
    assert_eq!(std::fs::read(&log).unwrap(), before);
    // a person's own terminal can
    house.run(&["sessions", "rename", finished, "--title", "Ours"]).code(0);
    house.run(&["sessions", "restore", "deleted"]).code(0);
}
