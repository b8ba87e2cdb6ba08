//! Agents as participants, on the built binary: a fake agent that is as strict as the protocol, and hostile variants.

use crate::house::{House, Ran, end, read_until};
use crate::minds::install;
use crate::program::PATH;
use colloquium::clock::Clock;
use colloquium::model::{
    AgentSpec, CallId, ErrorClass, Form, Message, Ms, Participant, Purpose, Role, Text, TurnId,
    VoiceSpec,
};
use colloquium::spawn::ChildEnvironment;
use colloquium::voice::{CallRequest, Chunk, Did, Out, Voice, agent::Agent};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

const AGENT: &str = include_str!("fake_agent.py");

/// Returns a scenario with an agent in the mode `how` and a participant with rehearsed lines.
pub fn talk(house: &House, how: &str, turns: u32, more: &str) -> String {
    house.file("agent.py", AGENT);
    let log = house.path("told.jsonl").display().to_string();
    let text = format!(
        "title = \"A talk\"\ntopic = \"Tea or coffee?\"\n[limits]\nutterances = {turns}\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\npersona = \"You like tea.\"\n\
         agent = [\"python3\", \"{}\", \"{how}\", \"{log}\"]\n{more}\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 1\nlines = [\"Coffee, says Bo.\", \"Still coffee.\"]\n",
        house.path("agent.py").display()
    );
    house.file("talk.toml", &text)
}

/// Returns the lines that the fake agent logged.
pub fn logged_lines(house: &House) -> Vec<Value> {
    let text = std::fs::read_to_string(house.path("told.jsonl")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn notes<'a>(told: &'a [Value], key: &str) -> Vec<&'a Value> {
    told.iter().map(|t| &t[key]).filter(|v| !v.is_null()).collect()
}

pub fn run(house: &House, path: &str, more: &[&str]) -> Ran {
    house.run(&[&["run", path, "--headless", "--trust"], more].concat())
}

/// Returns whether a process exists and is not a zombie.
fn lives(pid: &Value) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

#[test]
fn an_estimate_does_not_say_that_nobody_is_asked_where_agents_are() {
    let house = House::new();
    let path = talk(&house, "plain", 3, "");
    let plan = run(&house, &path, &["--dry-run"]).code(0);
    assert!(plan.out.contains("estimate unknown: agents report their own use"), "{}", plan.out);
    assert!(logged_lines(&house).is_empty(), "nothing was started");
}

#[test]
fn agents_alone_are_named_and_the_missing_result_is_said() {
    let house = House::new();
    house.file("agent.py", AGENT);
    let agent = house.path("agent.py").display().to_string();
    let seat = |id| format!("[[participant]]\nid = \"{id}\"\nagent = [\"python3\", \"{agent}\"]\n");
    let text = format!("title = \"A talk\"\n[limits]\nturns = 2\n{}{}", seat("ada"), seat("bo"));
    let path = house.file("both.toml", &text);
    let ran = run(&house, &path, &[]).code(0);
    let told = ran.out + &ran.err;
    assert!(told.contains("voices: ada agent:python3, bo agent:python3"), "{told}");
    assert!(told.contains("no result: agents write none"), "{told}");
    let refused = run(&house, &path, &["--max-usd", "1"]).code(3);
    assert!(refused.err.contains("an agent tells its cost after a turn"), "{}", refused.err);
}

#[test]
fn one_agent_process_takes_all_turns_and_gets_only_new_messages() {
    let house = House::new();
    let path = talk(&house, "plain", 5, "");
    let ran = run(&house, &path, &[]).code(0);
    for said in ["turn 1 of s-", "turn 2 of s-", "turn 3 of s-"] {
        assert!(ran.out.contains(said), "{}", ran.out);
    }
    let told = logged_lines(&house);
    assert_eq!(notes(&told, "started").len(), 1, "one process");
    let prompts: Vec<&str> = notes(&told, "prompt").iter().map(|p| p.as_str().unwrap()).collect();
    assert!(
        prompts[0].contains("You like tea.") && prompts[0].contains("Tea or coffee?"),
        "{}",
        prompts[0]
    );
    assert!(!prompts[1].contains("You like tea."), "the role comes once: {}", prompts[1]);
    assert!(prompts[1].contains("<said by=\"Bo\">\nCoffee, says Bo."), "{}", prompts[1]);
    assert!(!prompts[1].contains("turn 1 of"), "its own words are not told: {}", prompts[1]);
    assert!(
        prompts[2].contains("Still coffee.") && !prompts[2].contains("says Bo"),
        "{}",
        prompts[2]
    );
    let begun = told.iter().find(|t| !t["started"].is_null()).unwrap();
    let folder = begun["cwd"].as_str().unwrap();
    assert_ne!(folder, house.home.path().canonicalize().unwrap().to_str().unwrap());
    assert!(!std::path::Path::new(folder).exists(), "its own folder is gone");
    assert!(!lives(&begun["started"]), "no process survives");
    assert!(ran.out.contains("54 tokens, no price"), "{}", ran.out);
}

#[test]
fn an_agent_needs_trust_and_gets_no_keys() {
    let house = House::new();
    let path = talk(&house, "plain", 1, "folder = \"work\"");
    std::fs::create_dir(house.path("work")).unwrap();
    let strange = house.run(&["run", &path, "--headless"]).code(3);
    assert!(strange.err.contains("agent.py") && strange.err.contains("in work"), "{}", strange.err);
    assert!(logged_lines(&house).is_empty(), "nothing ran");
    let mut command = house.command(&["run", &path, "--headless", "--trust"]);
    end(command.env("OPENAI_API_KEY", "sk-secret").spawn().unwrap()).code(0);
    let told = logged_lines(&house);
    let names = told[0]["env"].to_string();
    assert!(!names.contains("KEY"), "{names}");
    assert!(told[0]["cwd"].as_str().unwrap().ends_with("/work"), "{}", told[0]);
    assert!(house.path("work").exists());
}

#[test]
fn tools_plans_and_thoughts_are_told_and_logged() {
    let house = House::new();
    let path = talk(&house, "tools", 1, "");
    let ran = run(&house, &path, &[]).code(0);
    assert!(ran.out.contains("Ada plans: now: Look"), "{}", ran.out);
    assert!(ran.out.contains("Ada used read (Read notes.txt): buy tea"), "{}", ran.out);
    assert!(ran.out.contains("I look.\n\n  turn 1 of s-"), "{}", ran.out);
    assert!(!ran.out.contains("let me think"), "{}", ran.out);
    let log = std::fs::read_to_string(house.sessions()[0]["path"].as_str().unwrap()).unwrap();
    assert!(log.contains("\"agent.tool\"") && log.contains("let me think"), "{log}");
}

#[test]
fn agent_requests_are_refused_unless_allowed_by_name() {
    let house = House::new();
    let path = talk(&house, "asks", 1, "");
    let ran = run(&house, &path, &[]).code(0);
    assert!(ran.out.contains("answers: no no"), "{}", ran.out);
    assert!(
        ran.out.contains("Ada was refused ada/edit (Write note 1): nobody is there"),
        "{}",
        ran.out
    );
    let ran = run(&house, &path, &["--allow-tool", "ada/edit"]).code(0);
    assert!(ran.out.contains("answers: yes yes"), "{}", ran.out);
    run(&house, &path, &["--allow-tool", "ada/nonsense"]).code(0);
    let last = logged_lines(&house).pop().unwrap();
    assert_eq!(
        last["answers"],
        json!({"ask-1": "no", "ask-2": "no"}),
        "another name allows nothing"
    );
}

#[test]
fn leave_that_was_given_once_is_used_up_once() {
    let house = House::new();
    let path = talk(&house, "asks", 1, "");
    let decide = json!({"do": "decide", "tool": "ada/edit", "yes": true, "once": true});
    let steer = house.file("steer.jsonl", &format!("{decide}\n"));
    let ran = run(&house, &path, &["--steer", &steer]).code(0);
    assert!(ran.out.contains("answers: yes no"), "{}", ran.out);
}

#[test]
fn a_skip_cancels_the_turn_and_the_agent_stays() {
    let house = House::new();
    let path = talk(&house, "slow", 3, "");
    let mut command = house.command(&[
        "run",
        &path,
        "--headless",
        "--trust",
        "--steer",
        "-",
        "--format",
        "jsonl",
    ]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut input = child.stdin.take().unwrap();
    read_until(&mut out, &["delta", "I begin"]);
    writeln!(input, "{}", json!({"do": "skip"})).unwrap();
    read_until(&mut out, &["turn.ended", "turn 2 of s-"]);
    drop(input);
    end(child).code(0);
    let told = logged_lines(&house);
    assert_eq!(notes(&told, "started").len(), 1, "the same process");
    assert_eq!(notes(&told, "cancelled").len(), 1);
    let second = notes(&told, "prompt")[1].as_str().unwrap().to_owned();
    assert!(second.contains("interrupted"), "it knows that it was cut: {second}");
}

/// A piece without an id is another message, and the reason of a failed tool is the text in its block of code.
#[test]
fn messages_and_reasons_of_agents_are_told_apart() {
    for (how, said) in [
        ("ids", "One thing.\n\n  Another. turn 1"),
        ("fences", "Ada used read (Read x): failed: no such file"),
    ] {
        let house = House::new();
        let ran = run(&house, &talk(&house, how, 1, ""), &[]).code(0);
        assert!(ran.out.contains(said), "{}", ran.out);
    }
}

#[test]
fn agent_faults_are_reported_at_once() {
    for (how, said) in [
        (
            "login",
            "needs a login (it offers: Log in on the web); log in with its own program, with HOME=",
        ),
        ("future", "speaks version 7 of the Agent Client Protocol; this program speaks 1"),
        ("dead", "ended in the middle of its work (exit status: 3): no such model"),
        ("junk", "wrote a line that is not JSON: Loading model..."),
        ("flood", "wrote a line of more than 4 MiB"),
    ] {
        let house = House::new();
        let path = talk(&house, how, 1, "on_failure = { retry = 0, then = \"stop\" }");
        let ran = run(&house, &path, &[]);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(said), "{how}: {all}");
        for pid in notes(&logged_lines(&house), "started") {
            assert!(!lives(pid), "{how}: no process survives");
        }
    }
    let house = House::new();
    let missing = talk(&house, "plain", 1, "").replace("\"python3\"", "\"no-such-agent\"");
    let text =
        std::fs::read_to_string(&missing).unwrap().replace("\"python3\"", "\"no-such-agent\"");
    std::fs::write(&missing, text).unwrap();
    let ran = run(&house, &missing, &[]);
    let all = format!("{}{}", ran.out, ran.err);
    assert!(all.contains("agent `no-such-agent` cannot be started"), "{all}");
}

#[test]
fn a_missing_login_of_a_known_agent_names_the_commands_that_cure_it() {
    let house = House::new();
    let path = install(&house, "claude-agent-acp", &format!("#!/usr/bin/env python3\n{AGENT}"));
    for (how, said) in [
        ("login", "needs a login (it offers: Log in on the web)"),
        ("expired", "Internal error: Invalid API key. Please run /login"),
    ] {
        let file = talk(&house, how, 1, "on_failure = { retry = 0, then = \"stop\" }");
        let agent = house.path("agent.py").display().to_string();
        let text = std::fs::read_to_string(&file).unwrap();
        let known = text.replace(&format!("\"python3\", \"{agent}\""), "\"claude-agent-acp\"");
        let file = house.file("known.toml", &known);
        let mut command = house.command(&["run", &file, "--headless", "--trust"]);
        let ran = command.env("PATH", &path).output().unwrap();
        let all = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
        for part in [
            said,
            "`claude auth login`",
            "`npm i -g @agentclientprotocol/claude-agent-acp`",
            "HOME=",
        ] {
            assert!(all.contains(part), "{how}: {part}: {all}");
        }
    }
}

#[test]
fn the_cost_and_the_tokens_that_an_agent_reports_count() {
    let house = House::new();
    let path = talk(&house, "costs", 3, "");
    let ran = run(&house, &path, &["--format", "jsonl"]).code(0);
    let events = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let ends: Vec<Value> = events
        .filter(|e| e["kind"] == "turn.ended" && e["by"] == "ada")
        .map(|e| e["data"].clone())
        .collect();
    let spent: Vec<_> = ends.iter().map(|e| (&e["usage"]["input"], &e["cost"])).collect();
    assert_eq!(spent, [(&json!(30), &json!(0.25)), (&json!(900), &json!(0.25))]);
}

#[test]
fn a_hang_is_ended_by_the_time_limit_and_leaves_nobody() {
    // in the middle of a turn, and before the handshake
    for how in ["hang", "mute"] {
        let house = House::new();
        let path = talk(&house, how, 2, "timeout = \"6s\"\non_failure = { retry = 0 }");
        let ran = run(&house, &path, &[]).code(0);
        assert!(ran.out.contains("Coffee, says Bo."), "{how}: {}", ran.out);
        let told = logged_lines(&house);
        assert!(!lives(notes(&told, "started")[0]), "{how}: no process survives");
    }
}

#[test]
fn an_agent_has_the_home_of_the_person_or_its_own_and_the_keys_that_it_needs() {
    let house = House::new();
    house.file(".claude/CLAUDE.md", "instructions of the user");
    let path = talk(&house, "plain", 1, "");
    let run = ["run", &path, "--headless", "--trust"];
    let seen = |settings: &str| {
        house.file(".config/colloquium/config.toml", settings);
        let mut command = house.command(&run);
        command.env("ITS_KEY", "sk-its").env("OTHER_KEY", "sk-other").env("ALL_KEY", "sk-all");
        end(command.spawn().unwrap()).code(0);
        logged_lines(&house).into_iter().rfind(|t| !t["started"].is_null()).unwrap()
    };
    let own = seen(
        "[agents]\nuser_home = false\nenvironment = [\"python3:ITS_KEY\", \"codex-acp:OTHER_KEY\", \"ALL_KEY\"]\n",
    );
    let home = std::path::Path::new(own["home"].as_str().unwrap());
    assert_eq!(home, house.path("data/agents/python3"), "its own, where nothing of the user's is");
    let mode = std::os::unix::fs::PermissionsExt::mode(&home.metadata().unwrap().permissions());
    assert_eq!(mode & 0o777, 0o700);
    let names = own["env"].to_string();
    assert!(names.contains("ITS_KEY") && names.contains("ALL_KEY"), "{names}");
    assert!(!names.contains("OTHER_KEY"), "{names}");
    let argv = own["argv"].to_string();
    assert!(!argv.contains("tea") && !argv.contains("Tea"), "nothing of the prompt: {argv}");
    let users = seen("");
    assert_eq!(users["home"], json!(house.home.path()));
}

#[test]
fn a_file_beside_the_scenario_gets_no_keys_of_an_agent_by_its_name() {
    let house = House::new();
    let path = talk(&house, "plain", 1, "");
    let program = house.program("codex-acp", &format!("#!/usr/bin/env python3\n{AGENT}"));
    house.file(
        ".config/colloquium/config.toml",
        "[agents]\nenvironment = [\"codex-acp:ITS_KEY\", \"ALL_KEY\"]\n",
    );
    let agent = house.path("agent.py").display().to_string();
    let text = std::fs::read_to_string(&path).unwrap();
    let python = format!("\"python3\", \"{agent}\"");
    for command in [program.as_str(), "./codex-acp"] {
        let path = house.file("talk.toml", &text.replace(&python, &format!("\"{command}\"")));
        let mut run = house.command(&["run", &path, "--headless", "--trust"]);
        end(run.env("ITS_KEY", "sk-its").env("ALL_KEY", "sk-all").spawn().unwrap()).code(0);
        let told = logged_lines(&house).into_iter().rfind(|t| !t["started"].is_null()).unwrap();
        let names = told["env"].to_string();
        assert!(!names.contains("_KEY"), "{command}: {names}");
    }
}

#[test]
fn a_hostile_agent_gets_nothing_and_shows_nothing() {
    let house = House::new();
    let path = talk(&house, "hostile", 1, "");
    let ran = run(&house, &path, &[]).code(0);
    assert!(ran.out.contains("Ada used other ("), "{}", ran.out);
    assert!(ran.out.contains("turn 1 of s-"), "{}", ran.out);
    for strange in ["\u{1b}", "\u{202e}", "\u{7}", "not mine"] {
        assert!(!ran.out.contains(strange), "{strange:?}: {}", ran.out);
    }
}

#[test]
fn refuses_replies_of_more_than_eight_mib() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    for (how, why) in
        [("talks", "wrote more than 8 MiB"), ("values", "wrote a line of more than 50000 values")]
    {
        let house = House::new();
        let (agent, ask) = calls(&house, how);
        let (tx, mut rx) = tokio::sync::mpsc::channel(64);
        let out = Out::new(CallId(1), tx, Clock::real(Ms(0)));
        let failure = runtime.block_on(async {
            tokio::spawn(agent.speak(ask(1), out));
            loop {
                if let Chunk::Failed(failure) = rx.recv().await.unwrap().1 {
                    return failure;
                }
            }
        });
        assert!(failure.text.contains(why), "{how}: {}", failure.text);
    }
}

#[test]
fn drops_words_that_an_agent_writes_between_its_turns() {
    let house = House::new();
    let path = talk(&house, "late", 3, "");
    let ran = run(&house, &path, &[]).code(0);
    assert!(ran.out.contains("turn 2 of s-"), "{}", ran.out);
    // the words after its last turn may come when the program has ended it already
    let told = logged_lines(&house);
    let late = told.iter().position(|entry| entry["late"] == 1).unwrap();
    assert!(told[late..].iter().any(|entry| entry["turn"] == 2), "{told:?}");
    assert!(!ran.out.contains("words after the end"), "{}", ran.out);
}

/// Returns an agent in the mode `how`, and its calls by number, without a conversation around them.
fn calls(house: &House, how: &str) -> (Agent, impl Fn(u64) -> CallRequest) {
    let script = house.file("agent.py", AGENT);
    let log = house.path("told.jsonl").display().to_string();
    let command = ["python3", &script, how, &log].map(Text::from).to_vec();
    let spec = AgentSpec { command, folder: None };
    let environment = ChildEnvironment::allowed([("PATH".into(), PATH.into())]);
    let home = house.home.path();
    let agent = Agent::new(spec.clone(), home, home.to_owned(), environment);
    let ask = move |call| CallRequest {
        call: CallId(call),
        turn: TurnId(call),
        seat: std::sync::Arc::new(Participant::new("ada", VoiceSpec::Agent(spec.clone()))),
        purpose: Purpose::Speak,
        number: Some(1),
        attempt: 1,
        prompt: Default::default(),
        messages: vec![Message::new(Role::System, "You are Ada.")],
        tools: vec![],
        form: Form::Free,
        parameters: Default::default(),
        labels: Default::default(),
        facts: Default::default(),
        left: Default::default(),
        agent: None,
        in_words: vec![],
    };
    (agent, ask)
}

/// Virtual time advances as soon as only the wait for the handshake is left.
#[test]
fn an_agent_that_never_answers_is_given_up_after_the_handshake() {
    let house = House::new();
    let (agent, ask) = calls(&house, "mute");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (tx, mut rx) = tokio::sync::mpsc::channel(64);
        let clock = Clock::virtual_from(Ms(0));
        clock.begin(CallId(1));
        tokio::spawn(agent.speak(ask(1), Out::new(CallId(1), tx, clock.clone())));
        let time = async {
            loop {
                clock.advance(None).await;
            }
        };
        let (_, chunk) = tokio::select! {
            () = time => unreachable!("time has no end"),
            chunk = rx.recv() => chunk.unwrap(),
        };
        let Chunk::Failed(failure) = chunk else { panic!("{chunk:?}") };
        assert_eq!((failure.class, clock.now()), (ErrorClass::NoVoice, Ms(20_000)));
        assert!(!failure.class.may_pass(), "no second try");
        assert!(failure.text.starts_with("agent `python3` opened no session"), "{}", failure.text);
    });
}

#[test]
fn an_agent_whose_command_names_a_file_is_found_beside_the_scenario() {
    let house = House::new();
    let path = talk(&house, "plain", 1, "");
    let whole = house.path("agent.py").display().to_string();
    let text = std::fs::read_to_string(&path).unwrap().replace(&whole, "agent.py");
    let ran = run(&house, &house.file("talk.toml", &text), &[]).code(0);
    assert!(ran.out.contains("turn 1 of s-"), "{}\n{}", ran.out, ran.err);
}

/// A steering program decides while the agent waits. Once that program has gone, pending requests are refused.
#[test]
fn agent_requests_wait_for_a_steering_program() {
    let house = House::new();
    let path = talk(&house, "asks", 1, "");
    let args = ["run", &path, "--headless", "--trust", "--format", "jsonl", "--steer", "-"];
    let mut command = house.command(&args);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut input = child.stdin.take().unwrap();
    read_until(&mut out, &["permission.asked"]);
    let decide = json!({"do": "decide", "tool": "ada/edit", "yes": true, "once": true});
    writeln!(input, "{decide}").unwrap();
    let answered = read_until(&mut out, &["permission.answered"]);
    assert!(answered.contains("\"yes\":true"), "{answered}");
    drop(input);
    let refused = read_until(&mut out, &["permission.answered"]);
    assert!(refused.contains("\"yes\":false") && refused.contains("nobody is there"), "{refused}");
    end(child);
    assert_eq!(
        logged_lines(&house).pop().unwrap()["answers"],
        json!({"ask-1": "yes", "ask-2": "no"})
    );
}

#[test]
fn open_requests_are_answered_cancelled_when_the_turn_is_cut() {
    let house = House::new();
    let (agent, ask) = calls(&house, "asks");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (tx, mut rx) = tokio::sync::mpsc::channel(64);
        let out = |call| Out::new(CallId(call), tx.clone(), Clock::real(Ms(0)));
        let first = tokio::spawn(agent.speak(ask(1), out(1)));
        for request in 1..=2 {
            let (_, chunk) = rx.recv().await.unwrap();
            let Chunk::Did(Did::Asks { request: of, title, .. }) = chunk else {
                panic!("{chunk:?}")
            };
            assert_eq!((of, &*title), (request, &*format!("Write note {request}")));
        }
        first.abort();
        let second = tokio::spawn(agent.speak(ask(2), out(2)));
        for _ in 1..=2 {
            let (_, chunk) = rx.recv().await.unwrap();
            let Chunk::Did(Did::Asks { request, .. }) = chunk else { panic!("{chunk:?}") };
            // a decision about the aborted call is ignored
            agent.answered(CallId(1), request, false);
            agent.answered(CallId(2), request, request == 2);
        }
        second.await.unwrap();
    });
    let told = logged_lines(&house);
    assert_eq!(notes(&told, "started").len(), 1, "the same process");
    let none = json!({"ask-1": "cancelled", "ask-2": "cancelled"});
    let some = json!({"ask-1": "no", "ask-2": "yes"});
    assert_eq!(notes(&told, "answers"), [&none, &some]);
}
