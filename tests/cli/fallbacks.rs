//! Failing models on the command line: fallbacks, swaps during a run, and the end of a run.

use crate::house::House;
use crate::server::Server;
use std::net::TcpListener;

/// Returns an address without a listener.
fn nowhere() -> String {
    format!("http://{}/v1", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
}

fn settings(house: &House, providers: &[(&str, &str, &str)]) -> String {
    let table = |(name, url, more): &(&str, &str, &str)| {
        format!("[providers.{name}]\nwire = \"openai\"\nbase_url = {url:?}\n{more}\n")
    };
    house.file("settings.toml", &providers.iter().map(table).collect::<String>())
}

#[test]
fn a_fallback_speaks_for_a_dead_model_and_is_named() {
    let alive = Server::start("All is well.", None);
    let house = House::new();
    let set = settings(&house, &[("dead", &nowhere(), ""), ("alive", &alive.url, "")]);
    let talk = house.file(
        "talk.toml",
        "title = \"A talk\"\nlimits = { utterances = 2 }\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
         model = \"dead:x\"\nfallbacks = [\"alive:tiny\"]\n",
    );
    let ran = house.run(&["run", &talk, "--headless", "-c", &set]).code(0);
    assert!(ran.err.contains("dead:x is not available; using its fallback"), "{}", ran.err);
    for told in [
        "retrying Ada: the server at 127.0.0.1",
        "Ada switched to fallback alive:tiny: the server at 127.0.0.1",
        "[1] Ada, through alive:tiny\n  All is well.",
        "[2] Ada, through alive:tiny\n  All is well.",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let ran =
        house.run(&["resume", "--last", "--headless", "-c", &set, "--max-utterances", "3"]).code(0);
    assert!(ran.out.contains("[3] Ada, through alive:tiny"), "{}", ran.out);
    assert!(!ran.out.contains("asked again"), "{}", ran.out);
    // with both unreachable, nothing begins
    let set = settings(&house, &[("dead", &nowhere(), ""), ("alive", &nowhere(), "")]);
    let ran = house.run(&["run", &talk, "--headless", "-c", &set]).code(4);
    assert!(ran.err.contains("refused the connection"), "{}", ran.err);
}

/// A program of the person may speak if a server fails, with the consent that the file needs.
#[test]
fn a_program_is_a_fallback() {
    let house = House::new();
    let set = settings(&house, &[("dead", &nowhere(), "")]);
    let talk = house.file(
        "talk.toml",
        "title = \"A talk\"\nlimits = { utterances = 1 }\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
         model = \"dead:x\"\nfallbacks = [\"program:claude\"]\n",
    );
    let run = |more: &[&str]| {
        let mut command =
            house.command(&[&["run", &talk, "--headless", "-c", &set], more].concat());
        let path = crate::minds::install(&house, "claude", crate::minds::CLAUDE);
        let ran = command.env("PATH", path).output().unwrap();
        String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned()
    };
    let refused = run(&[]);
    assert!(refused.contains("run Claude Code with your login, without tools"), "{refused}");
    house.file(".claude/login", "");
    let ran = run(&["--trust"]);
    assert!(ran.contains("At nine, says a program."), "{ran}");
    assert!(!ran.contains("no provider `program`"), "{ran}");
}

#[test]
fn a_seat_may_take_any_provider_of_the_settings_while_it_runs() {
    let first = Server::start("One.", None);
    let second = Server::start("Two.", None);
    let house = House::new();
    let set = settings(
        &house,
        &[
            ("first", &first.url, ""),
            ("second", &second.url, ""),
            ("locked", &second.url, "api_key_env = \"LOCKED_KEY\""),
        ],
    );
    let talk = house.file(
        "talk.toml",
        "title = \"A talk\"\nlimits = { utterances = 4 }\n[[participant]]\nid = \"ada\"\nname = \"Ada\"\n\
         model = \"first:tiny\"\ntemperature = 0.5\n",
    );
    let after = |text: &str| format!("{{\"after\":{{\"utterance\":1}},{text}}}\n");
    let steer = [
        r#""do":"change","who":"ada","set":{"model":"second:tiny"}"#,
        r#""do":"change","who":"ada","set":{"model":"secnd:tiny"}"#,
        r#""do":"change","who":"ada","set":{"model":"locked:tiny"}"#,
        r#""do":"join","participant":{"id":"bo","name":"Bo","model":"locked:tiny"}"#,
        r#""do":"join","participant":{"id":"bo","name":"Bo"}"#,
        r#""do":"join","participant":{"id":"cy","name":"Cy","model":"second:tiny"}"#,
    ];
    let steer = house.file("steer.jsonl", &steer.map(after).concat());
    let args = ["run", &talk, "--headless", "-c", &set, "--steer", &steer];
    let ran = house.run(&args).code(0);
    for told in [
        "[1] Ada\n  One.",
        "Ada, through second:tiny\n  Two.",
        "] Cy\n  Two.",
        "change refused: no provider `secnd`; the nearest is `second`",
        "change refused: no key for the provider `locked`: LOCKED_KEY is not set",
        "join refused: no key for the provider `locked`: LOCKED_KEY is not set",
        "has no model and no default is set; name one, as in model =",
    ] {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    let asked = second.asked.lock().unwrap();
    let adas = asked.iter().find(|body| body.contains("You are Ada")).unwrap();
    assert!(adas.contains("\"temperature\":0.5"), "the rest of the seat stays: {adas}");
    assert!(asked.iter().all(|body| body.contains("\"max_tokens\":320")), "{asked:?}");
}

#[test]
fn a_key_that_is_rejected_while_it_runs_ends_it_with_the_way_out() {
    let server = Server::tiring("Well.", Some("sk-mine-1234"), 3);
    let house = House::new();
    let key = format!(
        "default_model = \"mine:tiny\"\n[providers.mine]\nwire = \"openai\"\nbase_url = {:?}\napi_key_env = \"MY_KEY\"\n",
        server.url
    );
    let set = house.file("settings.toml", &key);
    let seats = ["ada", "bo"].map(|id| format!("[[participant]]\nid = {id:?}\n")).concat();
    let talk = house.file("talk.toml", &format!("title = \"A talk\"\n{seats}"));
    let mut command = house.command(&["run", &talk, "--headless", "-c", &set]);
    let ran = crate::house::end(command.env("MY_KEY", "sk-mine-1234").spawn().unwrap()).code(4);
    let told = "error: the conversation failed: ada, bo: the server at 127.0.0.1";
    assert!(ran.err.contains(told), "{}", ran.err);
    let told = "rejected the key; check the key of provider `mine` (the variable MY_KEY)\n\nhint: resume: colloquium resume";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert_eq!(
        ran.out.matches(" failed and was skipped").count(),
        1,
        "the reason is told once: {}",
        ran.out
    );
    assert!(ran.out.contains("the same failure for ada; 2 failed turns in total"), "{}", ran.out);
    assert_eq!(server.asked.lock().unwrap().len(), 3);
}
