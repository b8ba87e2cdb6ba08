//! Plays short debates with a real model and prints scores. Run by hand before and after a change of the prompts, never
//! by `cargo test`.
//!
//! ```sh
//! cargo test --test debates -- --endpoint http://127.0.0.1:8080/v1 --model NAME
//! ```
//!
//! No argument is judged. The scores count checkable facts: whether the first turn is on topic, echoes and repetitions,
//! turns in somebody else's name, and choices with a reason.

#[path = "../program/mod.rs"]
mod program;
mod score;

use score::{Scores, Session};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

/// Topics, each with keywords. A turn with two of the keywords is on topic.
pub const TOPICS: [(&str, &[&str]); 4] = [
    (
        "Should cities ban private cars?",
        &[
            "city",
            "cities",
            "car",
            "cars",
            "drive",
            "driving",
            "traffic",
            "bus",
            "buses",
            "street",
            "streets",
            "parking",
            "pollution",
            "air",
            "walk",
            "bike",
            "ban",
            "banned",
            "private",
        ],
    ),
    (
        "Should children get homework?",
        &[
            "homework", "school", "child", "children", "kids", "learn", "learning", "teacher",
            "teachers", "study", "class", "parent", "parents", "student", "students", "home",
        ],
    ),
    (
        "Should shops be closed on Sundays?",
        &[
            "shop",
            "shops",
            "store",
            "stores",
            "sunday",
            "sundays",
            "work",
            "workers",
            "rest",
            "open",
            "close",
            "closed",
            "customers",
            "weekend",
            "family",
            "business",
        ],
    ),
    (
        "Is tea better than coffee?",
        &[
            "tea", "coffee", "drink", "drinks", "caffeine", "taste", "tastes", "cup", "morning",
            "hot", "beverage", "better", "brew", "flavor", "flavour",
        ],
    ),
];
/// Scenarios, in the order in which they are played and printed.
const SCENARIOS: [&str; 5] = ["pair", "table", "panel", "phases", "ballot"];
/// Scenario in which a vote is called, and the turn after which it is.
const BALLOT: (&str, u32) = ("ballot", 3);

/// Options of the command line.
struct Options {
    program: PathBuf,
    endpoint: Option<String>,
    model: String,
    /// Folder of the sessions: written to, or only read without an endpoint.
    folder: PathBuf,
    /// Other sessions that are scored, in place of those of the folder.
    sessions: Vec<PathBuf>,
    /// Number of topics that are played and scored.
    topics: usize,
    /// Additional arguments of `colloquium run`.
    more: Vec<String>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        program: program::PROGRAM.into(),
        endpoint: None,
        model: String::new(),
        folder: env::temp_dir().join("colloquium-debates"),
        sessions: vec![],
        topics: TOPICS.len(),
        more: vec![],
    };
    let mut args = env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} takes a value"));
        match arg.as_str() {
            "--program" => options.program = value()?.into(),
            "--endpoint" => options.endpoint = Some(value()?),
            "--model" => options.model = value()?,
            "--folder" => options.folder = value()?.into(),
            "--session" => options.sessions.push(value()?.into()),
            "--topics" => {
                options.topics = value()?.parse().map_err(|e| format!("--topics: {e}"))?;
            }
            "--" => {
                options.more = args.by_ref().collect();
            }
            other => {
                return Err(format!(
                    "unknown argument {other}; --endpoint URL --model NAME plays and scores, --folder FOLDER alone scores \
                     the sessions in it, --session FILE scores any session, --topics N takes the first N topics, --program PATH plays another build, and what follows a second -- goes to \
                     `colloquium run`"
                ));
            }
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let done = options().and_then(|options| {
        play(&options)?;
        print(&options)
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Plays every scenario on every topic if a server is given.
fn play(options: &Options) -> Result<(), String> {
    let Some(endpoint) = &options.endpoint else { return Ok(()) };
    fs::create_dir_all(&options.folder).map_err(|e| e.to_string())?;
    let scenarios = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/debates/scenarios");
    for name in SCENARIOS {
        for (number, (topic, _)) in TOPICS.iter().take(options.topics).enumerate() {
            let mut run = program::command(&options.program, &options.folder);
            // the paths of the command line are relative to it
            run.current_dir(".");
            run.arg("run").arg(scenarios.join(format!("{name}.toml")));
            run.args(["--topic", topic, "--endpoint", endpoint, "--headless", "--no-save"]);
            run.args(["--model", &format!("endpoint:{}", options.model), "--format", "jsonl"]);
            if name == BALLOT.0 {
                let steer = options.folder.join("vote.jsonl");
                let line = format!(
                    r#"{{"after":{{"utterance":{}}},"do":"vote","question":"{topic}","options":["yes","no"]}}"#,
                    BALLOT.1
                );
                fs::write(&steer, line).map_err(|e| e.to_string())?;
                run.arg("--steer").arg(steer);
            }
            let out = run.args(&options.more).output().map_err(|e| e.to_string())?;
            fs::write(session(&options.folder, name, number), out.stdout)
                .map_err(|e| e.to_string())?;
            eprintln!("{name}, {topic} {}", out.status);
        }
    }
    Ok(())
}

fn session(folder: &Path, name: &str, number: usize) -> PathBuf {
    folder.join(format!("{name}-{number}.jsonl"))
}

/// Prints the scores of the sessions in a folder as a Markdown table.
fn print(options: &Options) -> Result<(), String> {
    println!("{}", Scores::HEAD);
    let mut all = Scores::default();
    for path in &options.sessions {
        let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut scores = Scores::default();
        scores.add(&Session::read(&text, "", &[]));
        println!("{}", scores.row(&path.display().to_string()));
        all.merge(&scores);
    }
    if !options.sessions.is_empty() {
        println!("{}", all.row("**all**"));
        return Ok(());
    }
    for name in SCENARIOS {
        let mut scores = Scores::default();
        for (number, (topic, words)) in TOPICS.iter().take(options.topics).enumerate() {
            let path = session(&options.folder, name, number);
            let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            scores.add(&Session::read(&text, topic, words));
        }
        println!("{}", scores.row(name));
        all.merge(&scores);
    }
    println!("{}", all.row("**all**"));
    Ok(())
}
