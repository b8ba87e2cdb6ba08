//! Calls all tools with hostile values in every argument: no call may have an effect, hang, or use much memory.
//!
//! The arguments come from the schemas of [`tools`], so that a new argument is covered automatically.

use super::bounds::Bounds;
use super::jobs::{Jobs, ToolCall};
use super::open::Interest;
use super::talking::COMMANDS;
use super::tools::{ServedTool, tools};
use crate::cli::args::{Global, ModelOptions};
use crate::cli::context::Context;
use crate::cli::{hostile_values, program};
use crate::model::command;
use serde_json::{Map, Value, json};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use std::{env, fs, thread};
use tokio::runtime::Runtime;

/// A call that takes longer hangs: calls wait a second at most, but the machine may be busy.
const HANG: Duration = Duration::from_secs(20);
/// Memory of one call, in KiB.
const MEMORY_KIB: u64 = 64 << 10;
/// The id of a session that another program wrote.
const FOREIGN: &str = "20250101-000000-aaaaaa";
const TOPIC: &str = "Tea?";
/// Environment variable with the tool whose arguments a process walks over.
const WALKED_TOOL: &str = "COLLOQUIUM_WALKED_TOOL";
/// Start of the line in which a process reports the number of calls that were carried out.
const CARRIED_OUT: &str = "calls carried out: ";
/// Tools that are walked over at once.
const AT_ONCE: usize = 4;

/// A place for a value: the keys that lead to it; a number is a place in a list.
type Place = Vec<String>;

struct Walk {
    home: tempfile::TempDir,
    context: Context,
    jobs: Arc<Jobs>,
    /// Connections to a provider whose models are not allowed.
    connections: Arc<AtomicUsize>,
    /// The caller's conversation, for tools that need one.
    running: String,
}

/// Starts a server of models that counts its connections.
fn listener() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let seen = count.clone();
    thread::spawn(move || {
        for _ in listener.incoming() {
            seen.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, count)
}

impl Walk {
    fn new() -> Walk {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        let (other, connections) = listener();
        let settings = format!(
            "default_model = \"mine:tiny\"\n[mcp]\nmodels = [\"mine:*\"]\nmax_running = 40\n\
             [providers.mine]\nwire = \"openai\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
             [providers.other]\nwire = \"openai\"\nbase_url = \"{other}\"\n"
        );
        fs::create_dir_all(at("config/scenarios")).unwrap();
        fs::write(at("config/config.toml"), settings).unwrap();
        let marker = at("marker").display().to_string();
        let script = format!(
            "title = \"Script\"\n[[participant]]\nid = \"a\"\nname = \"A\"\nscript = [\"touch\", \"{marker}\"]\n"
        );
        fs::write(at("config/scenarios/-.toml"), &script).unwrap();
        fs::write(at("config/scenarios/--trust.toml"), &script).unwrap();
        fs::write(at("secret"), "secret words\n").unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), fifo, mode, 0).unwrap();
        let global = Global {
            data_dir: Some(at("data")),
            config: Some(at("config/config.toml")),
            config_set: vec![],
            theme: None,
            color: None,
            glyphs: None,
            accessible: false,
            motion: None,
            mouse: None,
            quiet: true,
            verbose: false,
            log_file: None,
        };
        let mut context = Context::new(global).unwrap();
        context.paths.config = at("config");
        context.paths.state = at("state");
        context.paths.cache = at("cache");
        let serving = context.settings().unwrap().mcp;
        let runtime = Box::leak(Box::new(Runtime::new().unwrap()));
        let bounds = Bounds::new(serving);
        let jobs = Jobs::new(bounds, ModelOptions::default(), &context, runtime.handle());
        let jobs = Arc::new(jobs);
        let mut walk = Walk { home, context, jobs, connections, running: String::new() };
        walk.begin_running();
        // an unfinished session of another program: a wait that resumed it would write to it
        let own = walk.session(&walk.running);
        fs::write(walk.session(FOREIGN), fs::read(own).unwrap()).unwrap();
        walk
    }

    fn session(&self, id: &str) -> PathBuf {
        self.context.paths.sessions().join(format!("{id}.jsonl"))
    }

    /// Starts a conversation that waits for its caller, unless one runs.
    fn begin_running(&mut self) {
        if self.jobs.running().iter().any(|job| job.id == self.running) {
            return;
        }
        let cast = json!([{"name": "A", "caller": true}, {"name": "B", "caller": true}]);
        let arguments = json!({"cast": cast, "topic": TOPIC});
        let started = self.call("start", arguments);
        let id = started["structuredContent"]["session"].as_str();
        self.running = id.unwrap_or_else(|| panic!("{started}")).to_owned();
    }

    /// Calls a tool on another thread; a call that hangs fails the test.
    fn call(&self, tool: &str, arguments: Value) -> Value {
        let (context, jobs, (tx, rx)) = (self.context.again(), self.jobs.clone(), mpsc::channel());
        let shown: String = arguments.to_string().chars().take(300).collect();
        let tool = find_tool(tool);
        let name = tool.row.name.clone();
        thread::spawn(move || {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let tell = &|_| Interest::Waiting;
            let (jobs, context, arguments) = (&jobs, &context, &arguments);
            let call = ToolCall { jobs, context, arguments, as_task: false, tell };
            // the test has ended if nobody receives it
            let _ = tx.send((tool.answer)(&call));
        });
        let answer = rx.recv_timeout(HANG).unwrap_or_else(|e| panic!("{name} {shown}: {e}"));
        match answer {
            Ok(result) => json!(result),
            Err(e) => json!({"isError": true, "error": e.message}),
        }
    }

    /// Returns valid arguments for a call in which the value of a place acts.
    fn base(&self, tool: &str, place: &[String]) -> Value {
        let first = place.first().map_or("", String::as_str);
        match tool {
            "convene" | "start" if first == "cast" => {
                json!({"cast": [{"name": "A"}], "topic": TOPIC})
            }
            "convene" | "start" if first == "model" => json!({"scenario": "council"}),
            "convene" | "start" => {
                json!({"scenario": "council", "rehearsed": true, "max_turns": 1})
            }
            "ask" if first == "model" => json!({"question": TOPIC}),
            "ask" => json!({"question": TOPIC, "rehearsed": true}),
            "say" => json!({"session": self.running, "text": "x"}),
            "steer" => json!({"session": self.running, "command": command_with(place.get(1))}),
            "search_sessions" => json!({"words": "tea"}),
            "wait" => json!({"session": self.running, "seconds": 1}),
            _ => json!({"session": self.running}),
        }
    }

    /// Asserts that nothing acted.
    fn nothing_acted(&self, context: &str, foreign: &[u8]) {
        let mut names: Vec<String> = fs::read_dir(self.home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let known = ["cache", "config", "data", "pipe", "secret", "state"];
        names.retain(|name| !known.contains(&name.as_str()));
        assert!(names.is_empty(), "{context}: {names:?}");
        assert_eq!(fs::read(self.session(FOREIGN)).unwrap(), foreign, "{context}");
        assert_eq!(self.connections.load(Ordering::SeqCst), 0, "{context}");
        assert_eq!(children(), "", "{context}: a process was started");
    }
}

/// Returns a tool by its name.
fn find_tool(name: &str) -> ServedTool {
    tools().into_iter().find(|tool| tool.row.name == name).unwrap()
}

/// Returns the ids of this process's children.
fn children() -> String {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).ok();
    tasks.filter_map(of).collect()
}

/// Returns the resident memory and its peak since the last call of this function, in KiB.
fn memory() -> (u64, u64) {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    };
    // resets the peak
    let _ = fs::write("/proc/self/clear_refs", "5");
    (of("VmRSS:"), of("VmHWM:"))
}

/// Returns a command that takes a key, with values for the keys that it needs.
fn command_with(key: Option<&String>) -> Value {
    let key = key.map_or("text", String::as_str);
    let allowed = |row: &&command::CommandRow| {
        COMMANDS.split(' ').any(|name| name == row.name) && row.name != "end"
    };
    let mut rows = command::COMMANDS.iter().filter(allowed);
    let takes = |row: &&command::CommandRow| row.needs.contains(&key) || row.takes.contains(&key);
    let row = rows.find(takes);
    let mut command = Map::from_iter([("do".to_owned(), row.map_or("mark", |r| r.name).into())]);
    for need in row.into_iter().flat_map(|row| row.needs) {
        let sample = if ["who", "to"].contains(need) { "p1" } else { "x" };
        command.insert((*need).to_owned(), sample.into());
    }
    Value::Object(command)
}

/// Collects the places of a schema.
fn places(schema: &Value, at: &Place, all: &mut Vec<Place>) {
    if !at.is_empty() {
        all.push(at.clone());
    }
    let below = |key: &str| [at.clone(), vec![key.to_owned()]].concat();
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        places(inner, &below(key), all);
    }
    if schema["items"].is_object() {
        places(&schema["items"], &below("0"), all);
    }
    for inner in schema["anyOf"].as_array().into_iter().flatten() {
        places(&inner["items"], &below("0"), all);
    }
}

/// Puts a value into a place.
fn put(arguments: &mut Value, place: &[String], value: Value) {
    let Some((key, rest)) = place.split_first() else {
        *arguments = value;
        return;
    };
    if key == "0" {
        if !arguments.is_array() {
            *arguments = json!([null]);
        }
        return put(&mut arguments[0], rest, value);
    }
    if !arguments.is_object() {
        *arguments = json!({});
    }
    put(&mut arguments[key.as_str()], rest, value);
}

/// Returns values that are not texts.
fn others() -> Vec<Value> {
    let deep = (0..100).fold(json!("x"), |inner, _| json!([inner]));
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e308),
        json!(u64::MAX),
        json!(i64::MIN),
        json!([]),
        json!(vec![0; 5_000]),
        json!(vec![0; 100_000]),
        json!({}),
        json!({"do": "end", "key": "x"}),
        deep,
    ]
}

/// Asserts that a topic was taken as it is.
fn is_kept(walk: &Walk, answer: &Value, topic: &Value) {
    let Some(id) = answer["structuredContent"]["session"].as_str() else { return };
    let log = fs::read_to_string(walk.session(id)).unwrap();
    let first: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(&first["data"]["scenario"]["topic"], topic);
}

/// The walk reads the memory and the children of its process, so each tool has a process without other tests.
#[test]
fn no_argument_of_a_client_acts_hangs_or_takes_memory() {
    if let Ok(tool) = env::var(WALKED_TOOL) {
        return walk_over(&tool, 10);
    }
    walk_over_all();
}

#[test]
#[ignore = "a minute: cargo test --lib no_value_of_any -- --ignored"]
fn no_value_of_any_argument_acts_hangs_or_takes_memory() {
    if let Ok(tool) = env::var(WALKED_TOOL) {
        return walk_over(&tool, 1);
    }
    walk_over_all();
}

/// Runs the calling test once for each tool.
fn walk_over_all() {
    let own = thread::current().name().unwrap().to_owned();
    let waiting = Mutex::new(tools().into_iter());
    let carried_out = AtomicUsize::new(0);
    let walk = || {
        loop {
            let Some(tool) = waiting.lock().unwrap().next() else { return };
            let home = program::home();
            let mut command = program::command(env::current_exe().unwrap(), home.path());
            command
                .args(["--exact", &own, "--nocapture", "--include-ignored"])
                .env(WALKED_TOOL, &*tool.row.name);
            let ran = command.output().unwrap();
            let (out, err) =
                (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
            let passed = ran.status.success() && out.contains("1 passed");
            assert!(passed, "{}: {out}\n{err}", tool.row.name);
            let count = out.lines().find_map(|line| line.strip_prefix(CARRIED_OUT));
            carried_out.fetch_add(count.unwrap().parse().unwrap(), Ordering::SeqCst);
        }
    };
    thread::scope(|scope| (0..AT_ONCE).for_each(|_| drop(scope.spawn(walk))));
    assert!(carried_out.into_inner() > 0);
}

/// Calls a tool with one value in `step` in the place of each argument.
fn walk_over(name: &str, step: usize) {
    let mut walk = Walk::new();
    let at = |name: &str| walk.home.path().join(name).display().to_string();
    let texts = hostile_values::texts(&at("marker"), &at("pipe"), &at("secret"));
    let foreign = fs::read(walk.session(FOREIGN)).unwrap();
    let known = [json!(FOREIGN), json!(walk.session(FOREIGN).with_extension(""))];
    let values = texts.iter().map(|text| json!(text)).chain(others()).chain(known);
    let values: Vec<Value> = values.collect();
    assert!(values.len() >= 40);
    let mut taken = 0;
    let mut all = vec![];
    places(&json!(find_tool(name).row.input_schema), &vec![], &mut all);
    let rotated = |(n, place)| values.iter().skip(n % step).step_by(step).map(move |v| (place, v));
    for (place, value) in all.iter().enumerate().flat_map(rotated) {
        walk.begin_running();
        let mut arguments = walk.base(name, place);
        put(&mut arguments, place, value.clone());
        if name == "convene" && place[0] != "deadline_seconds" {
            arguments["deadline_seconds"] = json!(1);
        }
        let shown: String = value.to_string().chars().take(100).collect();
        let context = format!("{name} {} = {shown}", place.join("."));
        let (before, _) = memory();
        let answer = walk.call(name, arguments);
        let (_, peak) = memory();
        assert!(peak.saturating_sub(before) < MEMORY_KIB, "{context}: {before} to {peak} KiB");
        assert!(!answer.to_string().contains("secret words"), "{context}: {answer}");
        walk.nothing_acted(&context, &foreign);
        if answer["isError"] == false {
            taken += 1;
            if place[..] == ["topic"] {
                is_kept(&walk, &answer, value);
            }
        }
    }
    walk.jobs.leave();
    walk.nothing_acted("at the end", &foreign);
    println!("\n{CARRIED_OUT}{taken}");
}

#[test]
fn a_place_inside_a_list_is_found() {
    let mut all = vec![];
    places(&json!(find_tool("convene").row.input_schema), &vec![], &mut all);
    let found: Vec<String> = all.iter().map(|place| place.join(".")).collect();
    for place in ["topic", "cast", "cast.0", "cast.0.model", "material.0", "key"] {
        assert!(found.contains(&place.to_owned()), "{place}: {found:?}");
    }
    let mut arguments = json!({});
    put(&mut arguments, &["cast".into(), "0".into(), "model".into()], json!("x"));
    assert_eq!(arguments, json!({"cast": [{"model": "x"}]}));
}
