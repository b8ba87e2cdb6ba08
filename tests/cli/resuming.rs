//! Arguments of `resume` and `fork`, and that every printed command works when typed.

use crate::house::{House, read_until, talk};
use crate::server::Server;

const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 2\n\
    [[participant]]\nid = \"ada\"\nname = \"Ada\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\n";

/// Returns the arguments of the printed `resume` command.
fn printed(err: &str) -> Vec<String> {
    let line = err.split("resume: colloquium ").nth(1).unwrap();
    let line = line.lines().next().unwrap();
    line.split(' ').map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn resume_and_fork_accept_the_options_of_run() {
    let server = Server::start("First.", None);
    let other = Server::start("Second.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    let base = format!("providers.other.base_url={}", other.url);
    let changes = [
        "--headless",
        "--config-set",
        "providers.other.wire=openai",
        "--config-set",
        &base,
        "--model",
        "other:tiny",
        "--set",
        "limits.utterances=4",
        "--set",
        "participant.ada.name=Eve",
        "--set",
        "title=Another title",
    ];
    let first = house.sessions()[0]["id"].as_str().unwrap().to_owned();
    let forked = house.run(&[&["fork", "--last", "--at", "1"], &changes[..]].concat()).code(0);
    assert!(forked.out.contains("[4] Bo, through other:tiny\n  Second."), "{}", forked.out);
    let resume = [&["resume", &first], &changes[..]].concat();
    let resumed = house.run(&resume).code(0);
    assert!(resumed.out.contains("[3] Eve, through other:tiny\n  Second."), "{}", resumed.out);
    assert!(resumed.out.contains("Another title"), "{}", resumed.out);
    // the printed command includes the settings
    let printed = printed(&resumed.err);
    assert!(printed.contains(&base), "{printed:?}");
    let again = house.run(&printed.iter().map(String::as_str).collect::<Vec<_>>()).code(0);
    assert!(again.out.contains("[8] Bo, through other:tiny\n  Second."), "{}", again.out);
}

#[test]
fn unchangeable_settings_of_a_session_are_reported() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    house.run(&["run", &path, "--headless"]).code(0);
    let before = house.sessions();
    for (set, why) in [
        ("policy=manual", "this key cannot change after the start"),
        ("participant.dee.name=Dee", "no participant `dee`; there are ada, bo"),
        ("participant.ada.nme=Eve", "nme"),
        ("limits.utterances=many", "limits"),
        ("nonsense", "needs `=`"),
    ] {
        let ran = house.run(&["resume", "--last", "--headless", "--set", set]).code(2);
        assert!(ran.err.contains(why) && ran.err.contains("limits.KEY=VALUE"), "{}", ran.err);
    }
    assert_eq!(house.sessions(), before);
}

#[test]
fn a_session_of_models_goes_on_with_the_rehearsed_cast() {
    let server = Server::start("Spoken by a model.", None);
    let house = House::new();
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    let run = ["run", "round-table", "--headless", "--max-utterances", "2"];
    house.run(&[&run[..], &model[..]].concat()).code(0);
    let calls = server.asked.lock().unwrap().len();
    let rehearse = ["resume", "--last", "--headless", "--rehearsed", "--max-utterances", "4"];
    let ran = house.run(&rehearse).code(0);
    assert!(ran.out.contains("[4] "), "{}", ran.out);
    assert!(!ran.out.contains("Spoken by a model."), "{}", ran.out);
    assert_eq!(server.asked.lock().unwrap().len(), calls, "no model is called");
    // the scenario is in none of the known folders
    let path = house.file("talk.toml", TALK);
    house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    let none = house.run(&["resume", "--last", "--headless", "--rehearsed"]).code(2);
    assert!(none.err.contains("no scenario has rehearsed lines"), "{}", none.err);
}

#[test]
fn resume_command_uses_cargo_if_started_by_cargo() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(2, 3));
    let mut command = house.command(&["run", &path, "--headless"]);
    command.env("CARGO_PKG_NAME", "colloquium").env("CARGO_MANIFEST_DIR", "/elsewhere");
    let ran = crate::house::end(command.spawn().unwrap()).code(0);
    let cargo = "resume: cargo run --manifest-path /elsewhere/Cargo.toml -- resume ";
    assert!(ran.err.contains(cargo), "{}", ran.err);
}

#[test]
fn missing_terminal_prints_the_headless_command_with_all_arguments() {
    let house = House::new();
    for (args, typed) in [
        (
            &["run", "round-table", "--topic", "tea or coffee?", "--max-turns", "3"][..],
            "colloquium run round-table --topic 'tea or coffee?' --max-turns 3 --headless",
        ),
        (&["demo", "negotiation"], "colloquium demo negotiation --headless"),
    ] {
        let ran = house.run(args).code(2);
        assert!(ran.err.contains(typed), "{}", ran.err);
    }
    house.run(&["demo", "negotiation", "--headless", "--max-turns", "2"]).code(0);
    assert_eq!(house.sessions()[0]["utterances"], 2);
}

#[test]
fn only_a_near_name_is_proposed_and_no_number_of_the_system_is_shown() {
    let house = House::new();
    let far = house.run(&["frobnicate"]).code(2);
    assert!(far.err.contains("no command `frobnicate`") && !far.err.contains("nearest"));
    let far = house.run(&["run", "frobnicate", "--headless"]).code(2);
    assert!(far.err.contains("no scenario `frobnicate`") && !far.err.contains("nearest"));
    for args in [
        &["run", "./nope.toml", "--headless"][..],
        &["demo", "--headless", "--steer", "nope.jsonl"],
        &["scenarios", "new", "nope/mine.toml"],
        &["replay", "nope.jsonl", "--headless"],
    ] {
        let ran = house.run(args);
        assert!(ran.code != 0 && !ran.err.contains("os error"), "{}", ran.err);
        assert!(ran.err.contains("hint: "), "{}", ran.err);
    }
}

#[test]
fn an_unknown_theme_is_refused_where_no_screen_shows_it() {
    let house = House::new();
    let ran = house.run(&["demo", "--headless", "--theme", "nrod"]).code(3);
    assert!(ran.err.contains("nrod") && ran.err.contains("`nord`"), "{}", ran.err);
    house.run(&["demo", "--headless", "--theme", "nord"]).code(0);
}

#[test]
fn an_export_replaces_a_file_only_when_it_is_told_to() {
    let house = House::new();
    house.run(&["demo", "--headless"]).code(0);
    let file = house.file("talk.md", "my own words");
    let export = ["export", "--last", "--format", "md", "--output", &file];
    let refused = house.run(&export).code(2);
    assert!(refused.err.contains("already exists") && refused.err.contains("--force"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "my own words");
    house.run(&[&export[..], &["--force"]].concat()).code(0);
    assert!(std::fs::read_to_string(&file).unwrap().contains("Should cities ban private cars?"));
}

#[test]
fn replaces_no_device_by_the_state_of_the_person() {
    let house = House::new();
    house.run(&["run", &house.file("talk.toml", &talk(1, 2)), "--headless"]).code(0);
    let device = house.path("device");
    std::os::unix::fs::symlink("/dev/null", &device).unwrap();
    let state = device.display().to_string();
    let resume = ["resume", "--last", "--headless", "--max-utterances", "2", "--state", &state];
    let refused = house.run(&resume).code(2);
    assert!(refused.err.contains("a link out of its folder"), "{}", refused.err);
    assert!(device.is_symlink());
}

#[test]
fn adds_nothing_to_a_json_file_of_another_program() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(1, 2));
    for text in ["{\"name\": \"x\", \"version\": \"1.0.0\"}\n", "[1]\n", "{\"profile\": 1}\n"] {
        let state = house.file("package.json", text);
        let refused = house.run(&["run", &path, "--headless", "--state", &state]).code(3);
        assert!(refused.err.contains("package.json"), "{}", refused.err);
        assert_eq!(std::fs::read_to_string(&state).unwrap(), text);
    }
}

/// Returns the kinds of the events in a session file.
fn kinds(log: &str) -> Vec<String> {
    let kind = |line: &str| {
        let event: serde_json::Value = serde_json::from_str(line).unwrap();
        event["kind"].as_str().unwrap().to_owned()
    };
    log.lines().map(kind).collect()
}

#[test]
fn a_finished_conversation_asks_nobody_until_something_new_is_said() {
    let seat = |id: &str, more: &str| {
        format!(
            "[[participant]]\nid = \"{id}\"\nscript = [\"sh\", \"-c\", \"echo {id} >> ran; echo Done.\"]\n{more}"
        )
    };
    let house = House::new();
    let graph = house.file(
        "graph.toml",
        &format!(
            "title = \"Graph\"\npolicy = \"depends\"\n{}{}",
            seat("ann", "starts = true\n"),
            seat("bob", "after = [{ participant = \"ann\", max = 1 }]\n")
        ),
    );
    for scenario in ["planner-executor", "consensus", "round-table", &graph] {
        let rehearsed = if scenario == graph { "--trust" } else { "--rehearsed" };
        house.run(&["run", scenario, "--headless", rehearsed]).code(0);
        let log = house.run(&["sessions", "path", "--last"]).code(0).out.trim().to_owned();
        let ran = || std::fs::read_to_string(house.path("ran")).unwrap_or_default();
        let before = (std::fs::read_to_string(&log).unwrap(), ran());

        let told = house.run(&["resume", "--last", "--headless"]).code(0);
        assert!(told.out.is_empty(), "{scenario}: {}", told.out);
        let told = told.err.lines().find(|line| line.starts_with("finished; ")).unwrap().to_owned();
        assert!(told.starts_with("finished; say what is next: colloquium resume "), "{told}");
        assert_eq!(before, (std::fs::read_to_string(&log).unwrap(), ran()), "{scenario}");

        let steer = ["resume", "--last", "--headless", "--trust", "--steer", "-"];
        // blank lines and comments say nothing new
        for input in ["", "\n\n", "# later\n \n", "\u{a0}\n\u{3000}# later\n"] {
            let told = house.fed(&steer, input).code(0).err;
            assert!(told.contains("finished; say what is next: "), "{scenario}: {told}");
            assert_eq!(before, (std::fs::read_to_string(&log).unwrap(), ran()), "{scenario}");
        }

        house.fed(&steer, "# more\n{\"do\":\"say\",\"text\":\"And now?\"}\n").code(0);
        let said = std::fs::read_to_string(&log).unwrap();
        let said = kinds(&said[before.0.len()..]);
        let first = |kind: &str| said.iter().position(|k| k == kind);
        assert!(first("human.said").unwrap() < first("batch.opened").unwrap_or(usize::MAX));
    }
    assert!(house.path("ran").is_file());
}

#[test]
fn a_session_that_was_left_running_waits_for_the_first_steering_line() {
    let house = House::new();
    let path = house.file("talk.toml", &talk(6, 200));
    let session = house.path("x.jsonl").to_str().unwrap().to_owned();
    let run =
        ["run", &path, "--headless", "--pace", "--format", "jsonl", "--out-session", &session];
    let (mut child, mut out) = house.start(&run);
    read_until(&mut out, &["\"kind\":\"delta\""]);
    child.kill().unwrap();
    child.wait().unwrap();
    let resume = ["resume", &session, "--headless", "--pace", "--steer", "-"];
    house.fed(&resume, "{\"do\":\"end\"}\n").code(0);
    let kinds = kinds(&std::fs::read_to_string(&session).unwrap());
    let reopened = kinds.iter().position(|kind| kind == "conversation.reopened").unwrap();
    assert!(!kinds[reopened..].contains(&"call.started".to_owned()), "{:?}", &kinds[reopened..]);
}
