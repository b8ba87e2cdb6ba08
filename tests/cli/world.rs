//! Providers of models as the world has them: each a file of data, played by one server to the built program.

mod files;
mod server;

use crate::house::House;
use colloquium::model::ErrorClass;
use colloquium::voice::remote::{Decoder, Wire};
use serde_json::Value;
use server::{Provider, SAID, World};
use std::fs;
use std::panic::catch_unwind;
use std::path::PathBuf;

/// A tool that repeats its arguments.
const TOOL: &str = "#!/bin/sh\ncat > asked.json\nprintf 'Sunny.'\n";
const SCENARIO: &str = "title = \"case\"\ntopic = \"Should the harbour keep its trams?\"\nresult = \"none\"\n\
    [limits]\nutterances = 1\n\
    [[tool]]\nname = \"weather\"\nabout = \"The weather of a town.\"\nscript = [\"./weather.sh\"]\n\
    parameters.type = \"object\"\nparameters.properties.town = { type = \"string\", minLength = 1 }\nread_only = true\n";

fn providers() -> Vec<(String, Provider)> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/world/providers"));
    let mut all: Vec<(String, Provider)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let read = toml::from_str(&fs::read_to_string(&path).unwrap());
            (name.clone(), read.unwrap_or_else(|e| panic!("{name}: {e}")))
        })
        .collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all
}

/// A home with a scenario, a tool and the settings of one provider.
struct Place {
    house: House,
    world: World,
    name: String,
    model: String,
}

impl Place {
    fn new(name: &str, provider: &Provider) -> Place {
        use std::os::unix::fs::PermissionsExt;
        let house = House::new();
        let world = World::start(provider.clone());
        let seat = "[[participant]]\nid = \"ada\"\nname = \"Ada\"\n";
        let settings = &provider.settings;
        house.file("talk.toml", &format!("{SCENARIO}{seat}{settings}\n"));
        house.file("tools.toml", &format!("{SCENARIO}{seat}{settings}\ntools = [\"weather\"]\n"));
        house.program("weather.sh", TOOL);
        let wire = &provider.wire;
        let url = &world.url;
        let mut own = provider.own.clone();
        if let Some((_, key)) = provider.header.split_once(": ") {
            let file = house.file("key", key.trim_start_matches("Bearer "));
            fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
            own.push_str(&format!("\napi_key_file = \"{file}\""));
        }
        house.file(
            ".config/colloquium/config.toml",
            &format!("[providers.{name}]\nwire = \"{wire}\"\nbase_url = \"{url}\"\n{own}\n"),
        );
        Place { house, world, name: name.into(), model: format!("{name}:{}", provider.model) }
    }

    /// Runs a scenario and returns the events of its log.
    fn run(&self, scenario: &str, number: u32) -> (crate::house::Ran, Vec<Value>) {
        let path = self.house.path(scenario);
        let log = self.house.path(&format!("{number}.jsonl"));
        let (path, out) = (path.to_str().unwrap(), log.to_str().unwrap());
        let model = &self.model;
        let args = ["run", path, "--headless", "--trust", "--model", model, "--out-session", out];
        let ran = self.house.run(&args);
        assert_eq!(ran.code, 0, "{}: {}{}", self.name, ran.out, ran.err);
        let log = fs::read_to_string(log).unwrap();
        (ran, log.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }
}

/// Returns the changes to requests, or only the changes that lost a setting.
fn adapted(events: &[Value], lost: bool) -> Vec<String> {
    let adapted = events.iter().filter(|event| event["kind"] == "model.adapted");
    let adapted = adapted.filter(|event| !lost || event["data"]["loses"] == true);
    adapted.map(|event| event["data"]["did"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn every_provider_is_understood() {
    let all = providers();
    assert!(all.len() >= 25, "{}", all.len());
    let chunks = all.chunks(all.len().div_ceil(2));
    std::thread::scope(|scope| {
        let mut running = vec![];
        for chunk in chunks {
            running.push(scope.spawn(move || {
                let fails = |(name, provider): &&(String, Provider)| {
                    catch_unwind(|| check(name, provider)).is_err()
                };
                chunk.iter().filter(fails).map(|(name, _)| name.clone()).collect::<Vec<_>>()
            }));
        }
        let failed: Vec<String> = running.into_iter().flat_map(|r| r.join().unwrap()).collect();
        assert_eq!(failed, [""; 0]);
    });
}

/// Plays a conversation with a tool, the same again, and one without a tool. Each provider has a list, a refusal that is
/// cured, and a window unless its list states none.
fn check(name: &str, provider: &Provider) {
    assert!(provider.expect.refused > 0 && !provider.refuse.is_empty(), "{name}: no refusal");
    assert_eq!(provider.expect.window.is_none(), provider.states_no_window, "{name}: window");
    let place = Place::new(name, provider);
    let expect = &provider.expect;
    let (ran, events) = place.run("tools.toml", 1);
    assert!(ran.out.contains(SAID), "{name}: {}", ran.out);
    assert!(ran.out.contains(&expect.mark), "{name}: {}", ran.out);
    for words in &expect.err {
        assert!(ran.err.contains(words), "{name}: {words}: {}", ran.err);
    }
    assert_eq!(adapted(&events, false), expect.adapted, "{name}: {}", ran.err);
    let asked = fs::read_to_string(place.house.path("asked.json")).unwrap();
    assert!(asked.contains("Ulm"), "{name}: {asked}");
    let window = &events[0]["data"]["participants"][0]["window"];
    assert_eq!(window.as_u64(), expect.window.map(u64::from), "{name}");
    let refused = {
        let seen = place.world.seen.lock().unwrap();
        assert_eq!(seen.bodies.len(), 2, "{name}: {:?}", seen.paths);
        // a list is asked for once, and once more with another version in its path
        let lists =
            seen.paths.iter().filter(|path| path.split('?').next().unwrap().ends_with("/models"));
        assert!(lists.count() <= 2, "{name}: {:?}", seen.paths);
        let is_list = |path: &String| ["/models", "/api/tags"].iter().any(|end| path.contains(end));
        assert!(seen.paths.iter().any(is_list), "{name}: {:?}", seen.paths);
        seen.refused
    };
    assert_eq!(refused, expect.refused, "{name}");
    // what a server refused is not asked again, and a lost setting is reported again
    let (_, again) = place.run("tools.toml", 2);
    assert_eq!(adapted(&again, false), adapted(&events, true), "{name}");
    let (ran, _) = place.run("talk.toml", 3);
    assert!(ran.out.contains(SAID), "{name}: {}", ran.out);
    let seen = place.world.seen.lock().unwrap();
    assert_eq!((seen.bodies.len(), seen.refused), (5, refused), "{name}");
    for body in &seen.bodies {
        for no in &provider.refuse {
            assert!(!body.to_string().contains(&no.has), "{name}: {body}");
        }
    }
    let kept = place.house.path(".local/state/colloquium/adaptations.json");
    let kept: Value =
        serde_json::from_str(&fs::read_to_string(kept).unwrap_or("[]".into())).unwrap();
    let learnt = kept.as_array().unwrap().iter().map(|entry| entry["did"].as_str().unwrap());
    assert_eq!(learnt.collect::<Vec<_>>(), expect.adapted, "{name}");
}

/// Every word of every API for the end of a reply is read as what it means, in the frames of that API.
#[test]
fn ends_of_replies_are_understood_in_the_words_of_each_provider() {
    for (name, provider) in providers() {
        let newest = provider.ends.stop == "completed";
        let wire = if newest { "responses" } else { &provider.wire };
        let decode = |frames: Vec<Value>| {
            let frames: Vec<String> = frames.iter().map(Value::to_string).collect();
            let mut decoder = Decoder::new(Wire::by_name(wire).unwrap());
            let mut pieces = vec![];
            decoder.push(server::stream_of(wire, &frames).1.as_bytes(), &mut pieces).unwrap();
            decoder.end(40, &mut pieces)
        };
        let ends = &provider.ends;
        for (word, expected) in [
            (&ends.stop, Ok("stop")),
            (&ends.length, Ok("length")),
            (&ends.filter, Err(ErrorClass::Filter)),
        ] {
            assert!(!word.is_empty(), "{name}: an end without a word, which is written as `none`");
            if word != server::NO_WORD {
                let provider = Provider { finish: word.clone(), ..provider.clone() };
                let done = decode(server::say_frames(&provider, wire));
                let end = done.map(|done| done.finish.unwrap()).map_err(|fault| fault.class);
                assert_eq!(end.as_deref().map_err(|class| *class), expected, "{name}: {word}");
            }
        }
        let done = decode(server::tool_frames(&provider, wire)).unwrap();
        assert_eq!(done.tools.len(), 1, "{name}: {}", ends.tool);
        let is_cut = done.finish.as_deref().is_some_and(|end| end.starts_with("cut"));
        assert!(!ends.tool.is_empty() && !is_cut, "{name}: {}", ends.tool);
    }
}

/// Runs a scenario with the known provider `openai` at the address of a server; returns the paths of its calls.
fn paths_of_openai(provider: &Provider, scenario: &str) -> (Vec<String>, Vec<String>) {
    let place = Place::new("openai", provider);
    let url = &place.world.url;
    let settings = format!("[providers.openai]\nbase_url = \"{url}\"\n");
    place.house.file(".config/colloquium/config.toml", &settings);
    let (ran, events) = place.run(scenario, 1);
    assert!(ran.out.contains(SAID), "{}", ran.out);
    let seen = place.world.seen.lock().unwrap();
    let calls = seen.paths.iter().filter(|path| !path.ends_with("/models"));
    (calls.cloned().collect(), adapted(&events, false))
}

#[test]
fn tools_and_effort_of_openai_use_its_newer_api_where_it_is() {
    let all = providers();
    let (_, newest) = all.iter().find(|(name, _)| name == "openai-newest").unwrap();
    let mut openai = Provider { settings: "seed = 7".into(), ..newest.clone() };
    let (responses, chat) = ("/v1/responses", "/v1/chat/completions");
    openai.turn_state.clear();
    openai.refuse.clear();
    // the newer one has no seed
    assert_eq!(paths_of_openai(&openai, "tools.toml").0, [chat, chat]);
    openai.settings = "effort = \"low\"".into();
    assert_eq!(paths_of_openai(&openai, "talk.toml").0, [responses]);
    openai.settings.clear();
    assert_eq!(paths_of_openai(&openai, "tools.toml").0, [responses, responses]);
    assert_eq!(paths_of_openai(&openai, "talk.toml").0, [chat]);
    // a gateway without it
    let nothing = server::Refuse {
        has: r#""include""#.into(),
        status: 404,
        body: "404 page not found".into(),
    };
    openai.refuse.push(nothing);
    let (paths, adapted) = paths_of_openai(&openai, "tools.toml");
    assert_eq!(paths, [responses, chat, chat]);
    assert_eq!(adapted, ["use wire openai"]);
}

#[test]
fn reasoning_without_a_word_gets_more_tokens_once_and_its_cure_is_told() {
    let (_, deepseek) = providers().into_iter().find(|(name, _)| name == "deepseek").unwrap();
    let (thinks_only, refuse, settings) = (true, vec![], String::new());
    let place = Place::new("deepseek", &Provider { thinks_only, refuse, settings, ..deepseek });
    let path = place.house.path("talk.toml");
    let args = ["run", path.to_str().unwrap(), "--headless", "--trust", "--model", &place.model];
    let ran = place.house.run(&args).code(1);
    let told = "sent reasoning without a reply; raise max_tokens, or lower effort";
    assert!(ran.err.contains(told), "{}", ran.err);
    assert!(ran.out.contains("retrying Ada: the server at "), "{}", ran.out);
    let seen = place.world.seen.lock().unwrap();
    let tokens: Vec<_> = seen.bodies.iter().map(|body| body["max_tokens"].as_u64()).collect();
    assert!(tokens[0].is_some() && tokens[1] > tokens[0], "{tokens:?}");
}

#[test]
fn a_setting_that_is_no_known_part_is_rejected_with_the_known_ones() {
    let (house, url) = (House::new(), "base_url = \"http://127.0.0.1:1/v1\"");
    for (key, words) in [
        (
            "leave_out = [\"messages\"]",
            "leave_out cannot leave out `messages`; it takes stream_options",
        ),
        ("rename = { seed = \"messages\" }", "cannot rename `seed` to `messages`; it takes"),
        ("system = \"assistant\"", "system"),
        ("key_header = \"Host\"", "key_header takes the name of a header"),
    ] {
        let settings = format!("[providers.mine]\n{url}\n{key}\n");
        house.file(".config/colloquium/config.toml", &settings);
        let ran = house.run(&["models"]).code(3);
        assert!(ran.err.contains(words), "{key}: {}", ran.err);
    }
}

#[test]
fn a_setting_that_is_lost_is_in_the_result_and_fails_a_strict_run() {
    let all = providers();
    let (name, provider) = all.iter().find(|(name, _)| name == "openai-reasoning").unwrap();
    let place = Place::new(name, provider);
    let path = place.house.path("talk.toml");
    let path = path.to_str().unwrap();
    let model = &place.model;
    let ask = ["ask", "Trams?", "--panel", path, "--model", model, "--trust", "--json"];
    // the second conversation knows it from the first
    for because in ["Unsupported value", "known to refuse it"] {
        let answer: Value = serde_json::from_str(&place.house.run(&ask).code(0).out).unwrap();
        let adapted = answer["adapted"].as_array().unwrap();
        assert_eq!((adapted.len(), &adapted[0]["did"]), (1, &"leave out temperature".into()));
        assert_eq!(adapted[0]["model"], **model);
        assert!(adapted[0]["because"].as_str().unwrap().contains(because), "{adapted:?}");
    }
    let args = ["run", path, "--headless", "--trust", "--model", model, "--strict"];
    let ran = place.house.run(&args).code(7);
    assert!(ran.err.contains("leave out temperature"), "{}", ran.err);
}

#[test]
fn a_batch_stops_at_a_lost_setting_unless_it_adapts() {
    let all = providers();
    let (name, provider) = all.iter().find(|(name, _)| name == "openai-reasoning").unwrap();
    let place = Place::new(name, provider);
    let path = place.house.path("talk.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("utterances = 1", "utterances = 2")).unwrap();
    let items = place.house.file("items.jsonl", "{\"id\":\"a\"}\n{\"id\":\"b\"}\n");
    let out = place.house.path("out");
    let paths = ["--items", &*items, "--out", out.to_str().unwrap(), "--model", &*place.model];
    let args = [&["batch", path.to_str().unwrap(), "--trust", "--jobs", "1"][..], &paths].concat();
    let calls = || place.world.seen.lock().unwrap().bodies.len();
    // the refusal is known from the first run to the second
    for _ in 0..2 {
        let ran = place.house.run(&args).code(1);
        assert!(ran.err.contains("leave out temperature"), "{}", ran.err);
        assert!(ran.err.contains("add --adapt"), "{}", ran.err);
        assert_eq!(calls(), 1, "{}", ran.err);
    }
    place.house.run(&[&args[..], &["--adapt"]].concat()).code(0);
    assert_eq!(calls(), 4, "the reply of the first call counts");
    let lines = fs::read_to_string(out.join("results.jsonl")).unwrap();
    let lines: Vec<Value> = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    for line in &lines {
        assert_eq!(line["adapted"].as_array().unwrap().len(), 1, "{line}");
        assert_eq!(line["adapted"][0]["did"], "leave out temperature");
    }
    assert_eq!(lines.len(), 2);
}

#[test]
fn a_server_without_models_is_named() {
    let (_, openai) = providers().into_iter().find(|(name, _)| name == "openai").unwrap();
    for list in [r#"{"object":"list","data":null}"#, r#"{"models":null}"#, "[]"] {
        let place = Place::new("mine", &Provider { list: Some(list.into()), ..openai.clone() });
        let ran = place.house.run(&["models"]).code(0);
        let line = ran.out.lines().find(|line| line.starts_with("mine ")).unwrap();
        assert!(line.ends_with(": it has no models"), "{list}: {line}");
    }
}

/// A list of models says what its vendor has; a gateway in front of it may have less.
#[test]
fn the_window_that_a_server_states_wins_over_the_list_of_models() {
    let (_, openai) = providers().into_iter().find(|(name, _)| name == "openai").unwrap();
    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}"#;
    let refuse = server::Refuse { has: "messages".into(), status: 400, body: body.into() };
    let model = "gpt-4o-2024-05-13".to_owned();
    let place = Place::new("openai", &Provider { refuse: vec![refuse], model, ..openai });
    let windows = [1, 2].map(|number| {
        let log = place.house.path(&format!("{number}.jsonl")).display().to_string();
        let path = place.house.path("talk.toml").display().to_string();
        let args = ["run", &*path, "--headless", "--trust", "--model", &*place.model];
        place.house.run(&[&args[..], &["--out-session", &*log]].concat());
        let log = fs::read_to_string(log).unwrap();
        let opened: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
        opened["data"]["participants"][0]["window"].as_u64()
    });
    assert_eq!(windows, [Some(128_000), Some(8_192)]);
}
