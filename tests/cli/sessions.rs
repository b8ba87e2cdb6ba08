//! Past sessions: found by a prefix of their id, listed even if damaged, repaired, and resumed.

use crate::house::{House, read_until, talk, transcript};
use std::fs;

#[test]
fn a_beginning_of_an_id_is_enough_when_it_is_the_only_one() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    assert!(house.run(&["sessions", "path", "2026"]).code(0).out.ends_with("000000.jsonl\n"));
    house.run(&["demo", "--headless", "--seed", "5"]).code(0);
    let ran = house.run(&["sessions", "path", "2026"]).code(2);
    assert!(ran.err.contains("20260101-000000-000000, 20260101-000000-000005"), "{}", ran.err);
    let ran = house.run(&["sessions", "show", "20260101-000000-000006"]).code(2);
    assert!(ran.err.contains("the nearest is 20260101-000000-00000"), "{}", ran.err);
    let path = house.run(&["sessions", "path", "--last"]).code(0).out;
    assert!(path.ends_with("000005.jsonl\n"), "{path}");
    let by_path = house.run(&["sessions", "show", path.trim()]).code(0).out;
    assert_eq!(by_path, house.run(&["sessions", "show", "--last"]).code(0).out);
}

#[test]
fn nonsensical_lines_are_rejected_with_a_fix() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let sessions = house.path("data/sessions");
    let one = sessions.join("20260101-000000-000000.jsonl");
    for i in 1..=11 {
        let other = sessions.join(format!("20260101-000000-0000{i:02}.jsonl"));
        fs::write(other, fs::read(&one).unwrap()).unwrap();
    }
    let ran = house.run(&["sessions", "path", "2026"]).code(2);
    assert!(ran.err.contains("-000009 and 2 more"), "{}", ran.err);
    // a path is not a prefix of an id
    let ran = house.run(&["sessions", "show", "./2026.jsonl"]).code(2);
    assert!(!ran.err.contains("nearest"), "{}", ran.err);
    fs::write(sessions.join("empty.jsonl"), "").unwrap();
    let ran = house.run(&["sessions", "show", "empty"]).code(0);
    assert!(ran.err.contains("no readable event"), "{}", ran.err);
    let log = fs::read_to_string(&one).unwrap();
    let (first, rest) = log.split_once('\n').unwrap();
    let body = first.split_once(",\"crc\":").unwrap().0.replace("\"format\":1", "\"format\":2");
    let crc = crc32c::crc32c(body.as_bytes());
    fs::write(sessions.join("newer.jsonl"), format!("{body},\"crc\":\"{crc:08x}\"}}\n{rest}"))
        .unwrap();
    house.run(&["replay", "newer", "--headless"]).code(0);
    for args in [&["resume", "newer", "--headless"][..], &["sessions", "repair", "newer"]] {
        let ran = house.run(args).code(6);
        assert!(ran.err.contains("a newer version") && !ran.err.contains("repair"), "{}", ran.err);
    }
    for words in ["--say", "--edit"] {
        house.run(&["fork", "--last", "--at", "2", words, " ", "--headless"]).code(2);
    }
    // the printed command to restore from the trash works in any folder
    let out = house.file("apart.jsonl", &log);
    let ran = house.run(&["sessions", "delete", &out]).code(0);
    let back = ran.err.lines().find_map(|l| l.strip_prefix("undo: ")).unwrap();
    let back: Vec<&str> = back.split(' ').skip(1).collect();
    assert_eq!(back, ["sessions", "restore", "apart"]);
    assert!(house.command(&back).current_dir("/").status().unwrap().success());
    assert_eq!(fs::read_to_string(&out).unwrap(), log);
    // a full disk is a reason to delete; the trash then does not know the folder
    let full = "ulimit -f 0; exec \"$0\" \"$@\"";
    assert!(house.shell(full, &["sessions", "delete", &out]).status().unwrap().success());
    house.run(&back).code(0);
    assert_eq!(fs::read_to_string(house.path("data/sessions/apart.jsonl")).unwrap(), log);
}

#[test]
fn one_bad_file_never_hides_the_others() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let sessions = house.path("data/sessions");
    let good = fs::read_to_string(sessions.join("20260101-000000-000000.jsonl")).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let damaged = lines
        .iter()
        .enumerate()
        .map(|(i, l)| if i == 3 { "junk\n".into() } else { format!("{l}\n") });
    fs::write(sessions.join("damaged.jsonl"), damaged.collect::<String>()).unwrap();
    fs::write(sessions.join("cut.jsonl"), &good[..good.len() * 2 / 3]).unwrap();
    fs::write(sessions.join("strange.jsonl"), "hello\n").unwrap();
    fs::create_dir(sessions.join("folder.jsonl")).unwrap();
    let states: Vec<(String, String)> = house
        .sessions()
        .iter()
        .map(|s| (s["id"].as_str().unwrap().into(), s["state"].as_str().unwrap().into()))
        .collect();
    for (id, state) in [
        ("20260101-000000-000000", "ended"),
        ("damaged", "damaged"),
        ("cut", "recovered"),
        ("strange", "unreadable"),
        ("folder", "unreadable"),
    ] {
        assert!(states.contains(&(id.into(), state.into())), "{id}: {states:?}");
    }
    let table = house.run(&["sessions", "list"]).code(0).out;
    assert_eq!(table.lines().count(), 6, "{table}");

    let shown = house.run(&["sessions", "show", "damaged"]).code(6);
    assert!(shown.out.contains("[9] Bo") && shown.err.contains("sessions repair"), "{}", shown.err);
    house.run(&["resume", "damaged", "--headless"]).code(6);
    house.run(&["sessions", "repair", "damaged"]).code(0);
    house.run(&["sessions", "show", "damaged"]).code(0);
    house.run(&["resume", "damaged", "--headless"]).code(0);
    house.run(&["resume", "strange", "--headless"]).code(6);
}

#[test]
fn a_resume_goes_on_where_it_stopped_and_repeats_no_steering() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let steer = house.file(
        "steer.jsonl",
        r#"{"after":{"utterance":1},"do":"say","text":"Once."}
{"after":{"utterance":3},"do":"say","text":"Later."}"#,
    );
    house.run(&["run", &path, "--headless", "--steer", &steer]).code(0);
    let more = ["resume", "--last", "--headless", "--max-utterances", "4", "--steer", &steer];
    let ran = house.run(&more).code(0);
    assert!(ran.out.starts_with("-- resumed; rehearsed demo: no model was called"), "{}", ran.out);
    assert!(
        ran.out.contains("-- new limit: 4 turns") && ran.out.contains("[4] Bo\n  B2 word"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("[after 3] you\n  Later."), "{}", ran.out);
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert_eq!(shown.matches("Once.").count(), 1, "{shown}");
    let whole = house.file("whole.toml", &talk(4, 3));
    let unbroken = house.run(&["run", &whole, "--headless", "--steer", &steer]).code(0).out;
    assert_eq!(transcript(&shown), transcript(&unbroken));
}

#[test]
fn a_text_that_is_gone_from_beside_the_log_is_told() {
    let house = House::new();
    let text = "title = \"Long\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"a\"\n\
                script = [\"sh\", \"-c\", \"head -c 70000 /dev/zero | tr '\\\\0' x\"]\n";
    let path = house.file("long.toml", text);
    house.run(&["run", &path, "--headless", "--trust"]).code(0);
    let shown = house.run(&["sessions", "show", "--last"]).code(0);
    assert!(shown.out.contains("xxxx") && shown.err.is_empty(), "{}", shown.err);
    let lines = house.run(&["export", "--last", "--format", "jsonl"]).code(0);
    assert!(lines.err.contains("stored beside the session: copy "), "{}", lines.err);
    let log = house.run(&["sessions", "path", "--last"]).code(0).out;
    std::fs::remove_dir_all(log.trim().replace(".jsonl", ".blobs")).unwrap();
    let resume = ["resume", "--last", "--headless", "--trust", "--max-utterances", "2"];
    for args in [&["sessions", "show", "--last"][..], &resume] {
        let told = house.run(args).code(0).err;
        assert!(told.contains("a text of event ") && told.contains(" is missing"), "{told}");
    }
}

#[test]
fn limits_that_are_set_are_told_in_their_units() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let set = "{\"do\":\"limit\",\"set\":{\"per_seat\":4,\"rounds\":1}}";
    let steer = house.file("steer.jsonl", set);
    let out = house.run(&["run", &path, "--headless", "--steer", &steer]).code(0).out;
    assert!(out.contains("-- new limit: 1 round, 4 turns per participant"), "{out}");
}

#[test]
fn locked_session_names_its_writer() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(4, 400));
    let (mut child, mut out) =
        house.start(&["run", &path, "--headless", "--pace", "--format", "jsonl"]);
    read_until(&mut out, &["\"kind\":\"call.started\""]);
    let pid = child.id();
    let ran = house.run(&["resume", "--last", "--headless"]).code(6);
    assert!(ran.err.contains(&format!("process {pid}")), "{}", ran.err);
    let sessions = house.sessions();
    assert_eq!(sessions[0]["state"], "running", "{sessions:?}");
    assert_eq!(sessions[0]["why"], format!("process {pid}"));
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(house.sessions()[0]["state"], "unfinished");
}

#[test]
fn lists_without_a_verb_and_searches_one_speaker() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let list = house.run(&["sessions", "list"]).code(0).out;
    assert_eq!(house.run(&["sessions"]).code(0).out, list);
    let list = house.run(&["scenarios", "list"]).code(0).out;
    assert_eq!(house.run(&["scenarios"]).code(0).out, list);
    let all = house.run(&["sessions", "search", "traffic"]).code(0).out;
    let one = house.run(&["sessions", "search", "from:cy traffic"]).code(0).out;
    assert!(one.lines().count() > 0 && one.lines().count() < all.lines().count(), "{one}");
    // Cy also wrote the result, which has no number
    assert!(one.lines().all(|line| line.contains("  Cy [") || line.contains("  Cy: ")), "{one}");
    let said = house.run(&["sessions", "search", "from:Bo"]).code(0).out;
    assert_eq!(said.lines().count(), 3, "{said}");
}

#[test]
fn of_repeated_rehearsed_talks_the_last_is_listed() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    for _ in 0..3 {
        house.run(&["run", &path, "--headless"]).code(0);
    }
    let list = house.run(&["sessions", "list"]).code(0);
    assert_eq!(list.out.lines().count(), 2, "{}", list.out);
    assert!(list.err.contains(
        "2 earlier rehearsed runs of talks are left out; `sessions list --all` lists them"
    ));
    let all = house.run(&["sessions", "list", "--all"]).code(0);
    assert_eq!((all.out.lines().count(), all.err.as_str()), (4, ""), "{}", all.out);
}
