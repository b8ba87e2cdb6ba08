//! Trust: a file runs nothing without the user's consent.

use crate::house::House;
use crate::server::Server;
use std::io::ErrorKind;
use std::net::TcpListener;

/// A seat with a script that creates a file when it runs.
const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 1\n\
    [[participant]]\nid = \"x\"\nscript = [\"sh\", \"-c\", \"echo ran >> trace; echo hello\"]\n";

#[test]
fn a_script_runs_only_when_its_file_is_trusted() {
    let house = House::new();
    let path = house.file("folder/talk.toml", TALK);
    let trace = house.path("folder/trace");
    for args in [["run", &path, "--headless"], ["run", "./folder/talk.toml", "--headless"]] {
        let ran = house.run(&args).code(3);
        assert!(ran.err.contains("sh -c echo ran") && ran.err.contains("--trust"), "{}", ran.err);
        assert!(!trace.exists());
    }
    house.fed(&["run", "-", "--headless"], TALK).code(3);
    let ran = house.run(&["run", &path, "--headless", "--trust"]).code(0);
    assert!(ran.out.contains("[1] x\n  hello\n"), "{}", ran.out);
    assert!(ran.err.contains("--headless --trust --max-turns 2"), "{}", ran.err);
    assert!(trace.exists(), "a script runs in the folder of its scenario");

    // a session needs trust like any other file
    let more = ["resume", "--last", "--headless", "--max-utterances", "2"];
    let ran = house.run(&more).code(3);
    assert!(ran.err.contains("--trust"), "{}", ran.err);
    let ran = house.run(&[&more[..], &["--trust"]].concat()).code(0);
    assert!(ran.out.contains("[2] x\n  hello\n"), "{}", ran.out);
}

#[test]
fn the_own_folder_is_trusted_and_a_link_into_it_is_not_enough() {
    let house = House::new();
    house.file(".config/colloquium/scenarios/mine.toml", TALK);
    house.run(&["run", "mine", "--headless"]).code(0);
    let elsewhere = house.file("folder/talk.toml", TALK);
    let link = house.path(".config/colloquium/scenarios/link.toml");
    std::os::unix::fs::symlink(elsewhere, &link).unwrap();
    house.run(&["run", link.to_str().unwrap(), "--headless"]).code(3);
    house.run(&["run", "link", "--headless"]).code(3);
}

#[test]
fn a_seat_that_joins_by_a_steering_line_runs_nothing_either() {
    let house = House::new();
    let join = r#"{"after":{"utterance":1},"do":"join","participant":{"id":"eve","script":["sh","-c","echo ran > trace"]}}"#;
    let steer = house.file("steer.jsonl", join);
    let demo = ["demo", "--headless", "--steer"];
    // `--trust` is for the file, which does not name the command
    for trust in [&[][..], &["--trust"]] {
        let ran = house.run(&[&demo[..], &[&steer], trust].concat()).code(0);
        let told = "eve failed and was skipped: not allowed: run sh -c echo ran > trace";
        assert!(ran.out.contains(told), "{}", ran.out);
        assert!(!house.path("trace").exists());
    }
    let decide = r#"{"do":"decide","tool":"eve/start","yes":true}"#;
    let steer = house.file("decides.jsonl", &format!("{join}\n{decide}"));
    let ran = house.run(&[&demo[..], &[&steer, "--trust"]].concat()).code(3);
    assert!(ran.err.contains("line 2: `decide eve/start` is for the screen"), "{}", ran.err);
    // the program that steers is the operator
    let now = join.replace(r#""after":{"utterance":1},"#, "");
    // its decision is not for another program of the same participant
    let change = r#"{"after":{"utterance":4},"do":"change","who":"eve","set":{"script":["sh","-c","echo ran > other"]}}"#;
    let lines = format!("{now}\n{decide}\n{change}\n");
    let ran = house.fed(&[&demo[..], &["-"]].concat(), &lines).code(0);
    assert!(house.path("trace").exists(), "{}", ran.out);
    assert!(ran.out.contains("not allowed: run sh -c echo ran > other"), "{}", ran.out);
    assert!(!house.path("other").exists());
}

#[test]
fn a_project_changes_no_endpoint_before_somebody_agrees() {
    let server = Server::start("All is well.", Some("sk-mine"));
    let house = House::new();
    let spy = TcpListener::bind("127.0.0.1:0").unwrap();
    let talk = house.file(
        "talk.toml",
        "title = \"T\"\n[limits]\nutterances = 1\n[[participant]]\nid = \"ada\"\nmodel = \"mine:tiny\"\n",
    );
    house.file(
        ".config/colloquium/config.toml",
        &format!(
            "[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\napi_key_env = \"MY_KEY\"\n",
            server.url
        ),
    );
    let project = |url: &str| {
        let key = "api_key_command = [\"touch\", \"ran\"]";
        house.file(
            "colloquium.toml",
            &format!("[providers.mine]\nbase_url = {url:?}\n[providers.other]\nwire = \"openai\"\nbase_url = {url:?}\n{key}\n"),
        );
    };
    let run = |args: &[&str]| {
        crate::house::end(house.command(args).env("MY_KEY", "sk-mine").spawn().unwrap())
    };
    project(&format!("http://{}/v1", spy.local_addr().unwrap()));
    let play = ["run", &talk, "--headless"];
    let ran = run(&play).code(3);
    for told in [
        "./colloquium.toml in this folder is not trusted",
        "set providers.mine.base_url = ",
        "--trust",
    ] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
    let doctor = run(&["doctor", "--explain"]).code(0);
    assert!(doctor.out.contains("not trusted, ignored"), "{}", doctor.out);
    assert!(!doctor.out.contains("providers.other"), "{}", doctor.out);
    spy.set_nonblocking(true).unwrap();
    assert_eq!(spy.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody was asked");
    assert!(!house.path("ran").exists() && house.sessions().is_empty());

    project(&server.url);
    run(&play).code(3);
    run(&["run", &talk, "--headless", "--trust"]).code(0);
    run(&play).code(3);
    // a run without models needs no project settings
    run(&["demo", "--headless", "--max-utterances", "1"]).code(0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_cannot_be_read_is_not_run_whoever_trusts_it() {
    let house = House::new();
    let talk = TALK.replace(r#""-c", "echo ran >> trace; echo hello""#, r#""reply.sh""#);
    let path = house.file("talk.toml", &talk);
    house.file("reply.sh", "echo hello\n");
    let run = ["run", &path, "--headless", "--trust"];
    house.run(&run).code(0);
    let session = house.sessions()[0]["path"].as_str().unwrap().to_owned();
    let before = std::fs::read(&session).unwrap();
    let unread = |name: &str, args: &[&str]| {
        let ran = house.run(args).code(3);
        for told in ["cannot read ", name, "must be readable before they can be trusted"] {
            assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
        }
    };
    // a file that opens, and fails on read
    let hurt = |name: &str| {
        let _ = std::fs::remove_file(house.path(name));
        std::os::unix::fs::symlink("/proc/self/mem", house.path(name)).unwrap();
    };
    hurt("reply.sh");
    unread("reply.sh", &run);
    unread("reply.sh", &["resume", "--last", "--headless", "--trust", "--max-utterances", "2"]);
    assert!(std::fs::read(&session).unwrap() == before && house.sessions().len() == 1);
    // a project whose key comes from such a program
    let model = "title = \"M\"\n[[participant]]\nid = \"x\"\nmodel = \"mine:tiny\"\n";
    let model = house.file("model.toml", model);
    house.file(
        "colloquium.toml",
        "[providers.mine]\nwire = \"openai\"\nbase_url = \"http://127.0.0.1:9/v1\"\n\
         api_key_command = [\"sh\", \"key.sh\"]\n",
    );
    hurt("key.sh");
    unread("key.sh", &["run", &model, "--headless"]);
}

#[test]
fn special_files_are_refused_without_blocking() {
    use std::os::unix::fs::symlink;
    let house = House::new();
    let pipe = house.path("pipe.toml");
    let made = house.other("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    symlink("/dev/zero", house.path("zero.toml")).unwrap();
    let talk = house.file("talk.toml", TALK);
    for (name, told) in [("pipe.toml", "a named pipe"), ("zero.toml", "a link out of its folder")] {
        let file = house.path(name).to_str().unwrap().to_owned();
        for args in [
            &["check", &file][..],
            &["run", &file, "--headless"],
            &["run", &talk, "--trust", "--headless", "--history", &file],
            &["run", &talk, "--trust", "--headless", "--steer", &file],
        ] {
            let ran = house.run(args);
            assert!(ran.code != 0 && ran.err.contains(told), "{args:?}: {}", ran.err);
        }
        let project = house.path("colloquium.toml");
        std::fs::rename(&file, &project).unwrap();
        for args in [&["doctor"][..], &["run", &talk, "--trust", "--headless"]] {
            let ran = house.run(args);
            assert!(ran.code != 0 && ran.err.contains(told), "{args:?}: {}", ran.err);
        }
        std::fs::rename(&project, &file).unwrap();
    }
    let session = house.path("pipe.toml").to_str().unwrap().to_owned();
    let ran = house.run(&["sessions", "show", &session]).code(6);
    assert!(ran.err.contains("is not a session"), "{}", ran.err);
}
