//! Models on the command line: the choice of a model, errors before the start, and that keys never leak.

use crate::house::House;
use crate::server::{MINI, Server, WIDE, WIDE_WINDOW};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Barrier};

const TALK: &str = "title = \"A talk\"\n[limits]\nutterances = 4\n\
    [[participant]]\nid = \"ada\"\nname = \"Ada\"\n[[participant]]\nid = \"bo\"\nname = \"Bo\"\n";
const KEY: &str = "sk-canary-7f3a";

#[test]
fn a_model_speaks_and_the_record_says_which() {
    let server = Server::start(
        "<think>Who am I?</think>Ada: I think so.\nBo: I do not think so.\nAda: Oh.",
        None,
    );
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let args = ["run", &path, "--headless", "--endpoint", &server.url, "--model", "endpoint:tiny"];
    let ran = house.run(&args).code(0);
    assert!(ran.out.contains("voices: Ada endpoint:tiny, Bo endpoint:tiny\n"), "{}", ran.out);
    assert!(ran.err.contains("4096 tokens"), "{}", ran.err);
    let first = "[1] Ada, cut where it continued in another participant's name\n  I think so.\n";
    assert!(ran.out.contains(first) && !ran.out.contains("Who am I?"), "{}", ran.out);
    let opened = house
        .run(&["run", &path, "--format", "jsonl", args[2], args[3], args[4], args[5], args[6]]);
    let opened: serde_json::Value =
        serde_json::from_str(opened.out.lines().next().unwrap()).unwrap();
    assert_eq!(opened["data"]["participants"][1]["voice"]["model"]["name"], "endpoint:tiny");
    let asked = server.asked.lock().unwrap();
    assert!(asked.iter().all(|body| body.contains("\"model\":\"tiny\"")), "{asked:?}");
    assert!(
        asked.iter().any(|body| body.contains("<said by=\\\"Ada\\\">\\nI think so.\\n</said>"))
    );
}

#[test]
fn a_session_goes_on_only_where_its_provider_is() {
    let server = Server::start("All is well.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let model = ["--endpoint", &server.url, "--model", "endpoint:tiny"];
    let ran = house.run(&[&["run", &path, "--headless"], &model[..]].concat()).code(0);
    assert!(ran.err.contains(&format!("--headless --endpoint {}", server.url)), "{}", ran.err);
    let go_on = ["resume", "--last", "--headless", "--max-utterances", "6"];
    let refused = house.run(&go_on).code(4);
    assert!(refused.err.contains("hint: add --endpoint URL"), "{}", refused.err);
    let ran = house.run(&[&go_on[..], &["--endpoint", &server.url]].concat()).code(0);
    assert!(ran.out.contains("[6] Bo\n  All is well."), "{}", ran.out);
}

#[test]
fn the_only_model_of_a_server_is_taken() {
    let server = Server::start("All is well.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let run = ["run", &path, "--headless", "--endpoint", &server.url];
    let ran = house.run(&run).code(0);
    assert!(ran.out.contains("voices: Ada endpoint:tiny, Bo endpoint:tiny\n"), "{}", ran.out);
    let told = format!("using endpoint:tiny, the only model at {}", server.url);
    assert_eq!(ran.err.matches(&told).count(), 1, "{}", ran.err);
    // seats of a team count as seats
    let team = "[[participant]]\nid = \"board\"\nteam = \"talk.toml\"\n";
    let team = house.file("team.toml", &format!("title = \"T\"\n{team}[limits]\nutterances = 1\n"));
    house.run(&["run", &team, "--headless", "--endpoint", &server.url]).code(0);
    let many = Server::serving("", None, 0, &["small", "large", "huge"]);
    let refused = house.run(&["run", &path, "--headless", "--endpoint", &many.url]).code(4);
    for words in ["has 3 models", "--model endpoint:NAME", "endpoint:small, endpoint:large"] {
        assert!(refused.err.contains(words), "{words}: {}", refused.err);
    }
    let none = Server::serving("", None, 0, &[]);
    let refused = house.run(&["run", &path, "--headless", "--endpoint", &none.url]).code(4);
    assert!(refused.err.contains("has no model"), "{}", refused.err);
}

#[test]
fn a_named_server_speaks_or_nothing_does() {
    let usual = Server::start("As usual.", None);
    let named = Server::start("As named.", None);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    house.file(
        ".config/colloquium/config.toml",
        &format!(
            "default_model = \"mine:tiny\"\n[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\n",
            usual.url
        ),
    );
    let run = |url: &str, more: &[&str]| {
        house.run(&[&["run", &path, "--headless", "--endpoint", url], more].concat())
    };
    let ran = run(&named.url, &[]).code(0);
    assert!(ran.out.contains("voices: Ada endpoint:tiny, Bo endpoint:tiny\n"), "{}", ran.out);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let dead = format!("http://{dead}/v1");
    let ran = run(&dead, &[]).code(4);
    assert!(ran.err.contains("refused the connection"), "{}", ran.err);
    let asked = house.run(&["ask", "Why?", "--endpoint", &dead]).code(4);
    assert_eq!(asked.out, "", "nobody else answers");
    assert!(usual.asked.lock().unwrap().is_empty());
    let ran = run(&dead, &["--model", "mine:tiny"]).code(2);
    assert!(ran.err.contains("nobody here is a model of --endpoint"), "{}", ran.err);
}

#[test]
fn reads_the_window_of_a_model_from_its_local_server() {
    let server = Server::serving("All is well.", None, usize::MAX, &[WIDE]);
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let ran = house.run(&["run", &path, "--headless", "--endpoint", &server.url]).code(0);
    assert!(!ran.err.contains("context window"), "nothing is assumed: {}", ran.err);
    let path_of_session = house.sessions()[0]["path"].as_str().unwrap().to_owned();
    let log = std::fs::read_to_string(path_of_session).unwrap();
    assert!(log.lines().next().unwrap().contains(r#""window":6144"#), "{log}");
    let doctor = house.run(&["doctor", "--endpoint", &server.url]).code(0);
    let line = format!("{WIDE}: window {WIDE_WINDOW} tokens");
    assert!(doctor.out.contains(&line), "{}", doctor.out);
    // a server that states none
    let plain = Server::start("All is well.", None);
    let ran = house.run(&["run", &path, "--headless", "--endpoint", &plain.url]).code(0);
    assert!(ran.err.contains("the context window of endpoint:tiny is unknown"), "{}", ran.err);
    let several = Server::serving("All is well.", None, usize::MAX, &["one", "two"]);
    let models = ["--model", "endpoint:one,endpoint:two", "--max-utterances", "2"];
    let args = ["run", "round-table", "--topic", "x", "--headless", "--endpoint", &several.url];
    let ran = house.run(&[&args[..], &models].concat());
    let line = "the context window of endpoint:one, endpoint:two is unknown; ";
    assert_eq!(ran.err.matches("context window").count(), 1, "{}", ran.err);
    assert!(ran.err.contains(line) && ran.err.contains("[models.\"NAME\"]"), "{}", ran.err);
}

#[test]
fn seats_without_a_voice_are_reported_before_the_start() {
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let dead = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let dead = format!("http://{dead}/v1");
    let cases: &[(i32, &[&str], &str)] = &[
        (4, &[], "--model PROVIDER:NAME or --endpoint URL"),
        (4, &["--endpoint", &dead], "refused the connection"),
        (4, &["--endpoint", &dead, "--model", "endpoint:tiny"], "refused the connection"),
        (4, &["--model", "openai:x"], "OPENAI_API_KEY is not set"),
        (4, &["--model", "endpoint:x"], "add --endpoint URL"),
        (2, &["--model", "opnai:x"], "the nearest is `openai`"),
        (4, &["--model", "tiny"], "no model \"tiny\"; usable now: nothing"),
        (4, &["--endpoint", "localhost:1", "--model", "endpoint:x"], "refused the connection"),
        (2, &["--endpoint", "ftp://h", "--model", "endpoint:x"], "the address of a server"),
        (2, &["--wire", "ollama"], "--endpoint"),
    ];
    for (code, args, told) in cases {
        let ran = house.run(&[&["run", &path, "--headless"], *args].concat()).code(*code);
        assert!(ran.err.contains(told), "{args:?}: {}", ran.err);
        assert!(ran.out.is_empty() && !ran.err.contains("canary"), "{args:?}: {}", ran.err);
    }
    let talks = house.sessions().len();
    println!("{} cases, {talks} sessions", cases.len());
    assert_eq!(talks, 0);
    // a list may want another key than the calls
    let closed = Server::start("Hello.", Some(KEY));
    let named = ["--endpoint", &closed.url, "--model", "endpoint:tiny"];
    let ran = house.run(&[&["run", &path, "--headless"], &named[..]].concat()).code(4);
    for told in ["the first call decides", "error: the conversation failed", "rejected the key"] {
        assert!(ran.err.contains(told), "{told}: {}", ran.err);
    }
}

/// Servers that answer only when all have been asked, so that sequential requests would time out.
#[test]
fn all_providers_are_asked_at_the_same_time() {
    const SERVERS: usize = 4;
    let all = Arc::new(Barrier::new(SERVERS));
    let house = House::new();
    let provider = |n: usize| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let all = all.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map(Result::unwrap) {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).unwrap();
                all.wait();
                let list = r#"{"data":[{"id":"odd"}]}"#;
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ";
                write!(stream, "{head}{}\r\n\r\n{list}", list.len()).unwrap();
            }
        });
        format!("[providers.p{n}]\nwire = \"openai\"\nbase_url = {url:?}\n")
    };
    let settings = house.file("settings.toml", &(0..SERVERS).map(provider).collect::<String>());
    for command in ["models", "doctor"] {
        let ran = house.run(&[command, "--json", "-c", &settings]).code(0);
        assert_eq!(ran.out.matches("\"odd\"").count(), SERVERS, "{}", ran.out);
    }
}

#[test]
fn a_key_is_nowhere_but_in_its_header() {
    let server = Server::start(concat!("I know sk", "-nothing."), Some(KEY));
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let key = house.file("key", KEY);
    std::fs::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let sources = [
        "api_key_env = \"MY_KEY\"".to_owned(),
        format!("api_key_file = {key:?}"),
        format!("api_key_command = [\"cat\", {key:?}]"),
    ];
    for source in sources {
        let settings = format!(
            "default_model = \"mine:tiny\"\n[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\n{source}\n",
            server.url
        );
        let settings = house.file("settings.toml", &settings);
        let run = |args: &[&str]| {
            let mut command = house.command(args);
            crate::house::end(command.env("MY_KEY", KEY).spawn().unwrap())
        };
        for args in [
            &["run", &path, "--headless", "-c", &settings, "--format", "jsonl"][..],
            &["models", "--json", "-c", &settings],
            &["doctor", "-c", &settings],
        ] {
            let ran = run(args).code(0);
            assert!(!(ran.out + &ran.err).contains("canary"), "{args:?}");
        }
    }
    // four turns, a result, and its correction
    assert_eq!(server.asked.lock().unwrap().len(), 3 * 6);
    let mut folders = vec![house.path("data")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                files += 1;
                assert!(!std::fs::read_to_string(entry.path()).unwrap().contains("canary"));
            }
        }
    }
    println!("{files} files without the key");
    assert!(files >= 3);
}

/// A key of an hour: the program that prints it runs again once when the server no longer takes it, for all calls.
#[test]
fn a_program_prints_another_key_when_one_has_expired() {
    let server = Server::start("I know nothing.", Some(KEY));
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let (log, first) = (house.path("runs"), "sk-canary-expired");
    let next = |print: &str| {
        let script =
            format!("echo x >> {log:?}; [ $(wc -l < {log:?}) = 1 ] && echo {first} || {print}");
        let settings = format!(
            "default_model = \"mine:tiny\"\n[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\n\
             api_key_command = [\"sh\", \"-c\", {script:?}]\n",
            server.url
        );
        let settings = house.file("settings.toml", &settings);
        let ran = house.run(&["run", &path, "--headless", "-c", &settings, "--format", "jsonl"]);
        assert!(!format!("{}{}", ran.out, ran.err).contains("canary"), "{ran:?}");
        let runs = std::fs::read_to_string(&log).unwrap().lines().count();
        std::fs::remove_file(&log).unwrap();
        (ran, runs)
    };
    let (ran, runs) = next(&format!("echo {KEY}"));
    assert_eq!((ran.code(0).err.matches("key").count(), runs), (0, 2));
    let (ran, runs) = next("echo sk-canary-wrong");
    assert!(
        ran.err.contains("rejected the key; check the key of provider `mine` (from `sh`)"),
        "{}",
        ran.err
    );
    ran.code(4);
    // once for the list of models, once for the calls, each time with one more try
    assert_eq!(runs, 4);
    let (ran, runs) = next("exit 3");
    let why = "rejected the key, and there is no new one: `sh` failed (exit status: 3); check";
    assert!(ran.err.contains(why), "{}", ran.err);
    ran.code(4);
    // once for the list of models, once for the calls, each time with one more try
    assert_eq!(runs, 4);
}

#[test]
fn wrong_settings_are_refused_with_their_place() {
    let house = House::new();
    let path = house.file("talk.toml", TALK);
    let settings = house.file("settings.toml", "\ndefault_modle = \"sk-canary\"\n");
    let ran = house.run(&["run", &path, "--headless", "-c", &settings]).code(3);
    assert!(ran.err.contains("settings.toml:2:1: unknown field `default_modle`"), "{}", ran.err);
    assert!(!ran.err.contains("canary"), "{}", ran.err);
    house.run(&["models", "-c", "/nowhere.toml"]).code(3);
}

#[test]
fn the_doctor_explains_every_provider() {
    let server = Server::start("Hello.", None);
    let house = House::new();
    let ran = house.run(&["doctor", "--endpoint", &server.url]).code(0);
    for told in [
        "user config; not found, using defaults",
        "imports        chat, atif, claude-code, DeepSeek, ChatGPT, ",
        "model          not set",
        "first token 120 s",
        "key: the variable OPENAI_API_KEY\n  not usable: OPENAI_API_KEY is not set",
        "(--endpoint)\n  key: none needed\n  usable, 1 model\n",
        "llama.cpp  http://127.0.0.1:8080/v1",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let ran = house.run(&["models", "--endpoint", &server.url]).code(0);
    assert!(ran.out.contains("  endpoint:tiny\n"), "{}", ran.out);
}

#[test]
fn a_model_that_makes_vectors_is_not_chosen() {
    let names = &["text-embedding-nomic-embed-text-v1.5", "tiny"];
    let server = Server::serving("Trams are quiet.", None, usize::MAX, names);
    let house = House::new();
    let talk = ["run", "round-table", "--topic", "Tea?", "--headless", "--max-utterances", "1"];
    let ran = house.run(&[&talk[..], &["--no-save", "--endpoint", &server.url]].concat()).code(0);
    assert!(ran.err.contains("using endpoint:tiny, the only model at"), "{}", ran.err);
}

/// A model of a few hundred million parameters copies tags and rules, so it gets one plain message; by hand it gets any
/// layout.
#[test]
fn a_small_model_reads_one_plain_message() {
    let server = Server::serving("Trams are quiet.\n---\nCars are not.", None, usize::MAX, &[MINI]);
    let house = House::new();
    let debate = "title = \"T\"\ntopic = \"Should cars go?\"\n[limits]\nutterances = 2\n\
                  [[participant]]\nid = \"ada\"\nname = \"Ada\"\npersona = \"You are Ada, who plans cities. You count.\"\n\
                  [[participant]]\nid = \"bo\"\nname = \"Bo\"\n";
    let file = house.file("debate.toml", debate);
    let model = format!("endpoint:{MINI}");
    let run =
        ["run", &file, "--headless", "--no-save", "--endpoint", &server.url, "--model", &model];
    let ran = house.run(&run).code(0);
    assert!(ran.err.contains("one model for all: expect agreement"), "{}", ran.err);
    let asked: Vec<Value> = server
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|body| serde_json::from_str(body).unwrap())
        .collect();
    let first = asked[0]["messages"].as_array().unwrap();
    assert_eq!((first.len(), &first[0]["role"]), (1, &"user".into()), "{first:?}");
    let text = first[0]["content"].as_str().unwrap();
    assert!(text.starts_with("You are Ada, who plans cities.\nShould cars go?"), "{text}");
    let second = asked[1]["messages"][0]["content"].as_str().unwrap();
    assert!(second.contains("Ada said: Trams are quiet."), "{second}");
    assert!(!second.contains('<') && !second.contains("You count"), "{second}");

    house.run(&[&run[..], &["--set", "layout=own"]].concat()).code(0);
    let own: Value = serde_json::from_str(&server.asked.lock().unwrap()[asked.len()]).unwrap();
    assert_eq!(own["messages"][0]["role"], "system", "{own}");
}
