//! On screen, the operator is asked before a file of others runs a command, once per content.

use crate::house::{House, Program};
use crate::program::{self, PROGRAM};
use std::fs;
use std::path::Path;

const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 1\n\
    [[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", \"echo ran >> trace; echo hello there\"]\n";

#[test]
fn one_is_asked_once_and_again_after_a_changed_byte() {
    let house = House::new();
    std::fs::create_dir(house.path("talk")).unwrap();
    let path = house.file("talk/talk.toml", TALK);
    let trace = Path::new(&path).with_file_name("trace");
    let mut program = house.run(&["run", &path]);
    program.until("run sh -c echo ran");
    program.until("[y/N]");
    program.keys("\r");
    assert_eq!(program.left().code, 3);
    assert_eq!(house.piped(&["run", &path, "--headless"]).status.code(), Some(3));
    assert!(!trace.exists(), "nothing ran before a yes");

    let mut program = house.run(&["run", &path]);
    program.until("[y/N]");
    program.keys("y\r");
    program.until("1 turn, as planned");
    program.keys("/quit\r");
    let left = program.left();
    assert_eq!(left.code, 0);
    left.restored();
    assert!(trace.exists());

    // a confirmed file also runs without a terminal, if its folder is as it was
    std::fs::remove_file(&trace).unwrap();
    assert_eq!(house.piped(&["run", &path, "--headless"]).status.code(), Some(0));
    let changed = house.file("talk/talk.toml", &TALK.replace("hello", "Hello"));
    assert_eq!(house.piped(&["run", &changed, "--headless"]).status.code(), Some(3));
}

#[cfg(target_os = "linux")]
#[test]
fn a_yes_that_cannot_be_kept_starts_nothing() {
    let house = House::new();
    fs::create_dir(house.path("talk")).unwrap();
    let path = house.file("talk/talk.toml", TALK);
    fs::create_dir_all(house.path(".local/state")).unwrap();
    let state = house.path(".local/state/colloquium");
    // neither the folder nor a file in it can be created
    for nowhere in ["nowhere", "/proc"] {
        std::os::unix::fs::symlink(nowhere, &state).unwrap();
        let mut program = house.run(&["run", &path]);
        program.until("[y/N]");
        program.keys("y\r");
        let left = program.left();
        let text = String::from_utf8_lossy(&left.bytes).into_owned();
        assert_eq!(left.code, 6, "{text}");
        assert!(text.contains("error: cannot save the trust decision in"), "{text}");
        fs::remove_file(&state).unwrap();
        assert!(!house.path("talk/trace").exists());
    }
}

#[test]
fn changed_tools_are_shown_and_asked_for() {
    let house = House::new();
    let server = house.file("server.py", include_str!("../cli/fake_server.py"));
    let how = house.file("how", "plain");
    let talk = format!(
        "title = \"A talk\"\n[[server]]\nname = \"fake\"\n\
         command = [\"sh\", \"-c\", \"exec python3 {server} $(cat {how})\"]\n\
         [[participant]]\nid = \"ada\"\ntools = [\"fake\"]\n"
    );
    let path = house.file("talk.toml", &talk);
    let words = ["run", &path, "--trust", "--endpoint", "http://127.0.0.1:9/v1"];
    let words = [&words[..], &["--model", "endpoint:tiny", "--max-utterances", "1"]].concat();
    let headless = || house.piped(&[&words[..], &["--headless"]].concat()).status.code();
    assert_eq!(headless(), Some(4), "nobody listens there");
    house.file("how", "changed");
    assert_eq!(headless(), Some(3), "nobody is there to agree");
    for (key, code) in [("\r", 3), ("y\r", 4)] {
        let mut program = house.run(&words);
        program.until("the tool server fake changed its tools:");
        program.until("Use these tools? [y/N]");
        program.keys(key);
        let left = program.left();
        let text = String::from_utf8_lossy(&left.bytes).into_owned();
        assert!(left.code == code && text.contains("Always call write first."), "{text}");
    }
    assert_eq!(headless(), Some(4), "agreed to once");
}

/// Runs a scenario of a folder in a terminal and confirms the trust question.
fn agreed(house: &House, folder: &str, scenario: &str) -> Program {
    let mut command = house.command(PROGRAM);
    command.args(["run", scenario]);
    command.cwd(house.path(folder));
    let mut program = house.start(command);
    program.until("[y/N]");
    program.keys("y\r");
    program
}

/// Runs the program in a folder without a terminal. Returns its exit code.
fn code(house: &House, folder: &str, args: &[&str]) -> Option<i32> {
    let mut command = program::colloquium(&house.path(""));
    command.args(args).arg("--headless").current_dir(house.path(folder));
    command.output().unwrap().status.code()
}

/// Creates two folders with the same files.
fn twins(files: &[(&str, &str)]) -> House {
    let house = House::new();
    for folder in ["a", "b"] {
        fs::create_dir(house.path(folder)).unwrap();
        for (name, text) in files {
            house.file(&format!("{folder}/{name}"), text);
        }
    }
    house
}

#[test]
fn an_agreement_holds_for_one_folder_and_for_the_files_that_its_commands_name() {
    let talk = TALK.replace(r#""-c", "echo ran >> trace; echo hello there""#, r#""reply.sh""#);
    let house = twins(&[("s.toml", &talk), ("reply.sh", "echo hello there")]);
    let run = ["run", "s.toml"];
    let more = ["resume", "--last", "--max-utterances", "2"];
    assert_eq!([code(&house, "a", &run), code(&house, "b", &run)], [Some(3); 2]);
    let mut program = agreed(&house, "a", "s.toml");
    program.until("1 turn, as planned");
    program.keys("/quit\r");
    assert_eq!(program.left().code, 0);
    assert_eq!(code(&house, "a", &run), Some(0));
    assert_eq!(code(&house, "a", &more), Some(0), "its sessions go on there");
    assert_eq!([code(&house, "b", &run), code(&house, "b", &more)], [Some(3); 2], "elsewhere");
    house.file("a/reply.sh", "echo other words");
    assert_eq!([code(&house, "a", &run), code(&house, "a", &more)], [Some(3); 2], "another file");
}

#[test]
fn a_project_is_agreed_to_with_the_program_that_prints_its_key() {
    let talk = "title = \"M\"\n[[participant]]\nid = \"x\"\nmodel = \"mine:tiny\"\n";
    let project = "[providers.mine]\nwire = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
        api_key_command = [\"sh\", \"key.sh\"]\n";
    let key = "#!/bin/sh\necho sk-mine";
    let house = twins(&[("m.toml", talk), ("colloquium.toml", project), ("key.sh", key)]);
    let run = ["run", "m.toml"];
    assert_eq!(code(&house, "a", &run), Some(3));
    assert_eq!(agreed(&house, "a", "m.toml").left().code, 4, "nobody listens there");
    assert_eq!([code(&house, "a", &run), code(&house, "b", &run)], [Some(4), Some(3)]);
    house.file("a/key.sh", "#!/bin/sh\ntouch ran\n");
    assert_eq!(code(&house, "a", &run), Some(3));
    assert!(!house.path("a/ran").exists());
}

#[test]
fn a_program_that_joins_asks_on_a_card_before_it_runs() {
    let house = House::new();
    let trace = house.path("trace");
    let script =
        house.file("eve.sh", &format!("echo ran >> {}\necho Eve is here.\n", trace.display()));
    let mut program = house.run(&["demo", "--no-save", "--trust"]);
    program.until("tab choose who");
    program.keys(&format!("/join eve, script = [\"sh\", \"{script}\"]\r"));
    program.until("eve joins");
    program.keys("/floor eve\r");
    program.until("PERMISSION");
    program.until("eve/start: run sh ");
    assert!(!trace.exists());
    program.keys("/decide eve/start yes\r");
    program.until("Eve is here.");
    assert!(trace.exists());
}
