//! Each entry point keeps what is addressed to one participant from all others.

use crate::acp::{self, pair};
use crate::house::House;
use crate::mcp_client::Client;
use crate::served::Served;
use colloquium::steer::line::EntryPoint;
use serde_json::{Value, json};

const SESSION: &str = "20260101-000000-abcdef";

/// Returns the commands of a log whose text contains a word, as (command, addressee).
fn given(log: &std::path::Path, word: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(log).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let given = events.filter(|e| e["kind"] == "command.given");
    let with = given.filter(|e| e["data"].to_string().contains(word));
    with.map(|e| (e["data"]["do"].as_str().unwrap().to_owned(), e["data"]["to"].clone())).collect()
}

#[test]
fn each_entry_point_whispers_what_two_signs_address() {
    let whispered = [("whisper".to_owned(), json!("bo"))];
    let served = Served::start(&crate::house::talk(40, 2_000));
    let session = served.log.to_str().unwrap().to_owned();
    let steer = served.cookie(&served.steer);
    for by in EntryPoint::ALL {
        let secret = format!("CANARY {by:?}");
        let line = format!("@@bo {secret}");
        match by {
            // tests/screen/whispers.rs has their keys and lines; MCP has its own test below
            EntryPoint::Screen | EntryPoint::TextMode | EntryPoint::Mcp => continue,
            EntryPoint::Shell => {
                served.house.run(&["say", &session, &line]).code(0);
                let refused = served.house.run(&["say", &session, "@@zed CANARY none"]).code(2);
                assert!(refused.err.contains("nobody here is called zed"), "{}", refused.err);
            }
            EntryPoint::Page => {
                for verb in ["say", "cut_in"] {
                    let sent = served.command(&steer, &json!({"do": verb, "text": line}));
                    assert_eq!(sent.0, 200, "{sent:?}");
                }
                let none = json!({"do": "say", "text": "@@zed CANARY none"});
                assert_eq!(served.command(&steer, &none).0, 409);
                assert_eq!(given(&served.log, &secret), [&whispered[..], &whispered].concat());
                continue;
            }
            EntryPoint::Acp => {
                let house = House::new();
                let path = pair(&house, 6, 1, "");
                let mut client = acp::Client::start(&house, &["acp", &path]);
                let session = client.session();
                let early = client.prompted(&session, &line);
                assert!(early["error"]["message"].is_string(), "{early}");
                client.prompted(&session, "Tea?");
                client.prompted(&session, &line);
                client.end();
                let sessions = std::fs::read_dir(house.path("data/sessions")).unwrap();
                let log = sessions
                    .map(|file| file.unwrap().path())
                    .find(|path| path.extension().is_some_and(|is| is == "jsonl"));
                assert_eq!(given(&log.unwrap(), &secret), whispered);
                continue;
            }
        }
        assert_eq!(given(&served.log, &secret), whispered, "{by:?}");
    }
    for verb in ["say", "cut_in"] {
        let line = json!({"do": verb, "text": "@@bo CANARY none"}).to_string();
        let refused = served.house.run(&["steer", &session, &line]);
        let all = format!("{}{}", refused.out, refused.err);
        assert!(all.contains("use whisper with"), "{all}");
    }
    assert_eq!(given(&served.log, "CANARY none"), []);
}

/// The seat page has its own test in `serve_links`.
#[test]
fn json_commands_say_nothing_that_is_addressed() {
    let verbs = [
        json!({"do": "say", "text": "@@bo CANARY"}),
        json!({"do": "cut_in", "text": "/whisper bo CANARY"}),
        json!({"do": "speak_as", "who": "ada", "text": "@@zed CANARY"}),
        json!({"do": "note", "text": "@@bo CANARY"}),
        json!({"do": "say", "text": "(whisper to bo) CANARY"}),
        json!({"do": "say", "text": "/whisper@bo CANARY"}),
        json!({"do": "edit", "utterance": 1, "text": "@@bo CANARY"}),
        json!({"do": "rename", "text": "@@bo CANARY"}),
        json!({"do": "vote", "question": "@@bo CANARY?"}),
    ];
    let house = House::new();
    let path = house.file("talk.toml", &crate::house::talk(4, 0));
    let lines: String = verbs.iter().map(|line| format!("{line}\n")).collect();
    let log = house.path("fed.jsonl");
    let args = ["run", &path, "--headless", "--steer", "-", "--out-session"];
    let ran = house.fed(&[&args[..], &[log.to_str().unwrap()]].concat(), &lines).code(0);
    assert_eq!(ran.out.matches("use whisper with").count(), verbs.len(), "{}", ran.out);
    assert_eq!(given(&log, "CANARY"), []);
    let told = house.run(&["export", log.to_str().unwrap(), "--format", "jsonl"]).code(0);
    assert!(!told.out.contains("CANARY"), "{}", told.out);

    let steer: String = verbs
        .iter()
        .enumerate()
        .map(|(n, line)| {
            let fields = line.as_object().unwrap().iter();
            let fields: String = fields.map(|(key, value)| format!("{key} = {value}\n")).collect();
            format!("[[steer]]\nid = \"c{n}\"\nafter = {{ utterance = 1 }}\n{fields}")
        })
        .collect();
    let each = (0..verbs.len()).map(|n| format!("receipts.c{n}.is == 'refused'"));
    let refused = format!("that = \"{}\"\n", each.collect::<Vec<_>>().join(" and "));
    let unheard = "that = \"'CANARY' not in prompt('ada', 2) and turn_count == 4\"\n";
    let expect = format!("[[expect]]\n{refused}[[expect]]\n{unheard}");
    let scenario = "[scenario]\ntitle = \"A talk\"\nlimits = { utterances = 4 }\n\
                    [[scenario.participant]]\nid = \"ada\"\n[[scenario.participant]]\nid = \"bo\"\n\
                    [[voice]]\nseat = \"all\"\nlines = [\"One.\", \"Two.\"]\n";
    house.file("talk.test.toml", &format!("{scenario}{steer}{expect}"));
    house.run(&["test"]).code(0);
}

#[test]
fn a_client_of_the_mcp_server_whispers_with_two_signs() {
    let house = House::new();
    let (child, out) = crate::mcp_live::start(&house, &crate::house::talk(40, 2_000));
    let mut client = Client::start(&house);
    crate::mcp_live::row(&mut client);
    let mut say = |text: &str| client.call("say", json!({"session": SESSION, "text": text}));
    assert_eq!(say("@@bo CANARY one")["taken"], true);
    for (line, why) in [("@@zed CANARY", "nobody here"), ("/pause", "use `steer`")] {
        let refused = say(line);
        assert!(refused.as_str().is_some_and(|text| text.contains(why)), "{refused}");
    }
    client.end();
    let log = house.path(&format!("data/sessions/{SESSION}.jsonl"));
    assert_eq!(given(&log, "CANARY"), [("whisper".to_owned(), json!("bo"))]);
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&child),
        rustix::process::Signal::TERM,
    )
    .unwrap();
    drop(out);
    crate::house::end(child);
}
