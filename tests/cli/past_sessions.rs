//! Past sessions as files: searched, renamed, deleted, restored, and redacted.

use crate::house::{House, talk};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn hits(house: &House, words: &str) -> Vec<Value> {
    let ran = house.run(&["sessions", "search", words, "--json"]).code(0);
    serde_json::from_str(&ran.out).unwrap()
}

/// Returns all files beside the sessions of a home.
fn files(house: &House) -> Vec<(PathBuf, Vec<u8>)> {
    let mut left = vec![house.path("data")];
    let mut all = Vec::new();
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
        } else {
            all.push((path.clone(), fs::read(path).unwrap()));
        }
    }
    all
}

#[test]
fn search_results_have_speaker_and_time() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":1},\"do\":\"say\",\"text\":\"A \\\"Clicker\\\"\\nof 日本 mine\"}\n",
    );
    house
        .run(&["run", &house.file("t.toml", &talk(2, 3)), "--headless", "--steer", &steer])
        .code(0);
    let damaged = house.path("data/sessions/damaged.jsonl");
    let demo =
        fs::read_to_string(house.path("data/sessions/20260101-000000-000000.jsonl")).unwrap();
    fs::write(&damaged, demo.replacen("Tuesday", "Wednesday", 1)).unwrap();

    let found = hits(&house, "clicker");
    let of = |id: &str| found.iter().filter(|h| h["id"] == id).collect::<Vec<_>>();
    let demo = of("20260101-000000-000000");
    assert_eq!((&demo[0]["who"], &demo[0]["utterance"]), (&"Ada".into(), &1.into()));
    assert!(demo[0]["excerpt"].as_str().unwrap().contains("clicker"), "{found:?}");
    assert_eq!(demo[0]["at"], "2026-01-01T00:00:05.95Z");
    assert!(!of("damaged").is_empty(), "a damaged file is searched as far as it holds");
    assert!(found.iter().any(|h| h["who"] == "operator"), "{found:?}");
    // a query with capital letters is case-sensitive; quotes, line breaks and other scripts are matched literally
    assert!(hits(&house, "Clicker").iter().all(|h| h["who"] == "operator"));
    assert_eq!(hits(&house, "\"clicker\"\nof 日本").len(), 1);
    assert_eq!(hits(&house, "turn.ended").len(), 0, "only words are looked through");
    house.run(&["sessions", "search", " "]).code(2);
    let ran = house.run(&["sessions", "search", "nobody says this"]).code(0);
    assert_eq!((&*ran.out, ran.err.contains("no matches")), ("", true));
}

/// A link to an endless device, a pipe without a writer, and a folder, all named like sessions.
#[test]
fn special_files_are_skipped_without_blocking() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let sessions = house.path("data/sessions");
    std::os::unix::fs::symlink("/dev/zero", sessions.join("zero.jsonl")).unwrap();
    std::os::unix::fs::symlink("/nowhere", sessions.join("nowhere.jsonl")).unwrap();
    fs::create_dir(sessions.join("folder.jsonl")).unwrap();
    let pipe = sessions.join("pipe.jsonl");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert_eq!(house.sessions().len(), 5);
    house.run(&["export", "--last", "--format", "txt"]).code(0);
    assert!(!hits(&house, "clicker").is_empty());
    for name in ["zero", "nowhere", "folder", "pipe"] {
        for command in ["show", "path"] {
            let ran = house.run(&["sessions", command, name]);
            assert!(ran.code == 6 || command == "path", "{name}: {ran:?}");
        }
    }
}

#[test]
fn a_list_fits_and_one_title_can_be_given_anew() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let title = "A title of far too many words for any line of any list \u{202e}";
    house.run(&["sessions", "rename", "--last", "--title", title]).code(0);
    assert_eq!(house.sessions()[0]["state"], "ended");
    assert!(house.sessions()[0]["title"].as_str().unwrap().starts_with("A title of far"));
    let list = house.run(&["sessions", "list"]).code(0).out;
    assert!(
        list.contains("for any line of any list <U+202E>\n"),
        "whole where it is piped: {list}"
    );
    house.run(&["sessions", "rename", "--last", "--title", "  "]).code(2);
    house.run(&["resume", "--last", "--headless", "--max-utterances", "10"]).code(0);
}

#[test]
fn a_summary_never_outlives_its_session() {
    let house = House::new();
    house.run(&["run", &house.file("t.toml", &talk(2, 3)), "--headless"]).code(0);
    assert_eq!(house.sessions()[0]["utterances"], 2);
    let kept = house.path("data/sessions/20260101-000000-000000.summary");
    assert!(kept.is_file());
    house.run(&["resume", "--last", "--headless", "--max-utterances", "3"]).code(0);
    assert_eq!(house.sessions()[0]["utterances"], 3, "the log is another one by now");
    fs::write(&kept, "junk").unwrap();
    assert_eq!(house.sessions()[0]["utterances"], 3);
    fs::remove_file(&kept).unwrap();
    assert_eq!(house.sessions()[0]["utterances"], 3);
}

#[test]
fn deleted_session_can_be_restored() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let before = house.run(&["sessions", "show", "--last"]).code(0).out;
    let ran = house.run(&["sessions", "delete", "--last"]).code(0);
    assert!(house.sessions().is_empty());
    house.run(&["sessions", "show", "--last"]).code(2);
    let back = ran.err.lines().find_map(|l| l.strip_prefix("undo: ")).unwrap();
    let back: Vec<&str> = back.split(' ').skip(1).collect();
    let ran = house.run(&back).code(0);
    assert!(ran.err.starts_with("restored: "), "{}", ran.err);
    house.run(&back).code(2);
    assert_eq!(house.run(&["sessions", "show", "--last"]).code(0).out, before);
}

/// Returns the names of all files in a folder, sorted.
fn names(house: &House, folder: &str) -> Vec<String> {
    let entries = fs::read_dir(house.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn foreign_files_beside_a_session_are_left_alone() {
    let house = House::new();
    for name in ["thesis.md", "thesis.pdf", "thesis.damage-report", ".profile"] {
        house.file(&format!("work/{name}"), name);
    }
    house.file("work/thesis.jsonl", "{\"a\":1}\n{\"seq\":0,\"at\":\"2026\"}\n");
    let before = names(&house, "work");
    let folder = house.path("work");
    for file in ["./thesis.jsonl", "./", "../work", "/", folder.to_str().unwrap()] {
        for verb in [
            &["delete"][..],
            &["repair"],
            &["rename", "--title", "x"],
            &["redact", "--text", "some words"],
        ] {
            let args = [&["sessions", verb[0], file], &verb[1..]].concat();
            let ran = house.command(&args).current_dir(&folder).output().unwrap();
            let told = String::from_utf8_lossy(&ran.stderr).into_owned();
            assert!(matches!(ran.status.code(), Some(2 | 6)), "{file} {verb:?}: {told}");
            assert_eq!(names(&house, "work"), before, "{file} {verb:?}: {told}");
        }
    }
    fs::remove_file(house.path("work/thesis.jsonl")).unwrap();
    let out = house.path("work/thesis.jsonl");
    house.run(&["demo", "--headless", "--out-session", out.to_str().unwrap()]).code(0);
    house.run(&["sessions", "delete", out.to_str().unwrap()]).code(0);
    let mut kept = before;
    kept.retain(|name| name != "thesis.jsonl");
    assert_eq!(names(&house, "work"), kept);
    house.run(&["sessions", "restore", "the"]).code(0);
    house.run(&["sessions", "show", out.to_str().unwrap()]).code(0);
    // nothing is overwritten
    let log = fs::read(&out).unwrap();
    house.run(&["sessions", "delete", out.to_str().unwrap()]).code(0);
    fs::write(&out, "mine").unwrap();
    let ran = house.run(&["sessions", "restore", "thesis"]).code(6);
    assert!(ran.err.contains("thesis.jsonl already exists"), "{}", ran.err);
    fs::remove_file(&out).unwrap();
    house.run(&["sessions", "restore", "thesis"]).code(0);
    assert_eq!(fs::read(&out).unwrap(), log);
}

#[test]
fn a_text_is_taken_out_of_the_file_for_good() {
    let house = House::new();
    // long enough to be stored beside the log as well, and streamed in pieces
    let secret = "my SECRET is 4711";
    let lines = talk(4, 3)
        .replace("A1 word", secret)
        .replace("B2 word", &format!("you said {secret} twice"));
    house.run(&["run", &house.file("t.toml", &lines), "--headless"]).code(0);
    let log = house.path("data/sessions/20260101-000000-000000.jsonl");
    fs::write(log.with_extension("damage-7"), secret).unwrap();
    house.sessions();
    house.run(&["sessions", "redact", "--last"]).code(2);
    house.run(&["sessions", "redact", "--last", "--text", "abc"]).code(2);
    house.run(&["sessions", "redact", "--last", "--text", "never said"]).code(2);
    let ran = house.run(&["sessions", "redact", "--last", "--text", secret]).code(0);
    assert!(ran.err.contains("damage-7"), "{}", ran.err);
    for (path, bytes) in files(&house) {
        for part in ["SECRET", "4711"] {
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(part), "{part} is left in {}: {text}", path.display());
        }
    }
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert!(
        shown.contains("you said [redacted] twice") && shown.contains("redacted in this file"),
        "{shown}"
    );
    assert_eq!(house.sessions()[0]["state"], "ended");
    house.run(&["resume", "--last", "--headless", "--max-utterances", "5"]).code(0);
}

#[test]
fn an_utterance_is_taken_out_with_all_that_repeats_it() {
    let house = House::new();
    let said = "a whole utterance of somebody";
    let lines =
        talk(4, 3).replace("B1", said).replace("A2", &format!("you said {said} word word word"));
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":2},\"do\":\"edit\",\"utterance\":2,\"text\":\"edited EDITED words\"}\n",
    );
    house.run(&["run", &house.file("t.toml", &lines), "--headless", "--steer", &steer]).code(0);
    house.run(&["sessions", "redact", "--last", "--utterance", "2"]).code(0);
    for (path, bytes) in files(&house) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(said) && !text.contains("EDITED"), "{}: {text}", path.display());
    }
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert!(shown.contains("[2] Bo") && shown.contains("you said [redacted]"), "{shown}");
    let before = files(&house);
    let some = ["sessions", "redact", "--last", "--utterance", "3", "--utterance", "77"];
    let refused = house.run(&some).code(2);
    assert!(refused.err.contains("it has no turn 77"), "{}", refused.err);
    assert!(before == files(&house), "nothing is taken out where not all of it is there");
}

#[test]
fn a_participant_is_renamed_everywhere_after_a_dry_run() {
    let house = House::new();
    let lines = talk(4, 3)
        .replace("B1", "well, Ada, said ada and Adam")
        .replace("name = \"Ada\"", "name = \"Ada\"\naliases = [\"Countess\"]")
        .replace("A2", "the Countess speaks");
    let steer = house.file(
        "steer.jsonl",
        "{\"after\":{\"utterance\":3},\"do\":\"whisper\",\"to\":\"ada\",\"text\":\"psst Ada\"}\n",
    );
    house.run(&["run", &house.file("t.toml", &lines), "--headless", "--steer", &steer]).code(0);
    let before = files(&house);
    let redact =
        |rest: &[&str]| house.run(&[&["sessions", "redact", "--last", "--rename"], rest].concat());
    let dry = redact(&["ada=Person A"]).code(0);
    assert!(dry.err.contains("would change: ada becomes person_a (Person A)"), "{}", dry.err);
    assert!(dry.err.contains("nothing was changed; add --yes"), "{}", dry.err);
    assert!(before == files(&house), "a dry run changes nothing");
    assert!(redact(&["zed=Person"]).code(2).err.contains("there are ada, bo"));
    assert!(redact(&["ada=Bo"]).code(2).err.contains("looks like \"Bo\", the name of `bo`"));
    assert!(redact(&["ada=Host"]).code(2).err.contains("which is reserved"));
    assert!(redact(&["ada=!"]).code(2).err.contains("needs a letter"));
    redact(&["ada=Person A", "--yes"]).code(0);
    for (path, bytes) in files(&house) {
        let text = String::from_utf8_lossy(&bytes).replace("Adam", "");
        // whole words, because a digest may contain the letters
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
        let left = ["Ada", "ada", "Countess"].into_iter().find(|name| words.contains(name));
        assert_eq!(left, None, "in {}: {text}", path.display());
    }
    let shown = house.run(&["sessions", "show", "--last"]).code(0).out;
    assert!(shown.contains("[1] Person A"), "{shown}");
    assert!(shown.contains("well, Person A, said person_a and Adam"), "{shown}");
    assert!(shown.contains("the Person A speaks"), "{shown}");
    house.run(&["resume", "--last", "--headless", "--max-utterances", "6"]).code(0);
}

/// Duration of a search and of a list over a thousand sessions of a megabyte each.
#[test]
#[ignore = "writes a gigabyte: cargo test --release --test cli a_thousand_sessions -- --ignored --nocapture"]
fn a_thousand_sessions_are_searched_and_listed_at_once() {
    let house = House::new();
    house.run(&["run", &house.file("t.toml", &talk(40, 2_000)), "--headless"]).code(0);
    let sessions = house.path("data/sessions");
    let log = fs::read(sessions.join("20260101-000000-000000.jsonl")).unwrap();
    for n in 0..1_000 {
        fs::write(sessions.join(format!("20250101-000000-{n:06}.jsonl")), &log).unwrap();
    }
    println!("{} sessions of {} KiB", 1_001, log.len() / 1024);
    let timed = |what: &str, args: &[&str]| {
        let begin = std::time::Instant::now();
        let mut child = house.command(args).spawn().unwrap();
        let mut out = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut out).unwrap();
        assert!(child.wait().unwrap().success());
        println!("{what}: {} ms, {} lines", begin.elapsed().as_millis(), out.lines().count());
    };
    for what in ["cold search", "warm search"] {
        timed(what, &["sessions", "search", "nobody says this"]);
    }
    timed("common word", &["sessions", "search", "B40 word"]);
    for what in ["first list", "second list"] {
        timed(what, &["sessions", "list"]);
    }
}
