//! Export of results for other programs and for human raters.

use super::folder::read_report;
use crate::analysis::{Cell, Table};
use crate::batch::report::Report;
use crate::batch::{ResultLine, ResultOutcome};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::export::figures::csv;
use crate::model::{Event, Kind, SeatId, Wall};
use crate::own_file::{OwnFile, create_folder};
use crate::state::State;
use crate::stats::mixed;
use crate::text::replace_name;
use crate::{batch, prompt, session};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Salt of the order of conversations and sides for raters.
const SHUFFLED: u64 = 0x5eed;

/// Write the results for other programs, or conversations for human raters
#[derive(Debug, Args)]
pub struct BatchExportArgs {
    /// The folder of a batch, or a file of results
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Format
    #[arg(long, value_enum)]
    format: ExportFormat,
    /// Folder for the files, which must not exist yet
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Number of conversations for raters
    #[arg(long, value_name = "N", default_value_t = 60)]
    n: usize,
}

/// Format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Logs of Inspect, one per arm.
    Inspect,
    /// A table of conversations without names, models and arms, and a second file with their codes.
    Blind,
}

impl BatchExportArgs {
    /// Writes the files.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let (report, path) = read_report(&self.results, batch::ReportRules::default(), context)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let files = match self.format {
            ExportFormat::Inspect => inspect(&report, folder)?,
            ExportFormat::Blind => blind(&report, folder, self.n)?,
        };
        let unusable = |e: std::io::Error| {
            Failure::new(Exit::Session, format!("cannot write {}: {e}", self.output.display()))
                .hint("name a new folder")
        };
        create_folder(&self.output).map_err(unusable)?;
        for (name, text) in files {
            let path = self.output.join(name);
            OwnFile::create_whole(&path, |out| out.write_all(text.as_bytes())).map_err(unusable)?;
            context.say(&format!("written: {}", path.display()));
        }
        Ok(Exit::Done)
    }
}

/// Returns the events of a conversation.
///
/// # Errors
/// If its session cannot be read, or is not in the folder of the results: a file of results may come from others.
fn events(folder: &Path, line: &ResultLine) -> Result<Vec<Event>, Failure> {
    let folder = Path::new(".").join(folder);
    let path = folder.join(&line.session);
    let whole = |path: &Path| {
        path.canonicalize().map_err(|e| {
            Failure::new(Exit::Session, format!("cannot read {}: {e}", path.display()))
        })
    };
    if !whole(&path)?.starts_with(whole(&folder)?) {
        let message = format!("the results name a session outside their folder: {}", line.session);
        return Err(Failure::new(Exit::Invalid, message)
            .hint("merge the results into a folder that also holds their sessions"));
    }
    let log = session::load(&path)?;
    Ok(log.events().cloned().collect())
}

fn time(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}

/// Returns a log of Inspect for each arm, with the name of its file.
fn inspect(report: &Report, folder: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut files = vec![];
    for (at, arm) in report.arms().iter().enumerate() {
        let mut samples = vec![];
        let mut began = None;
        let mut used: BTreeMap<String, Value> = BTreeMap::new();
        let mut epochs: BTreeMap<&str, u64> = BTreeMap::new();
        let mut ids = vec![];
        for line in report.all(arm) {
            let epoch = epochs.entry(&line.item).or_default();
            *epoch += 1;
            if *epoch == 1 {
                ids.push(&*line.item);
            }
            let events = events(folder, line)?;
            began = began.into_iter().chain(events.first().map(|event| event.at)).min();
            samples.push(sample(line, *epoch, &events, &mut used));
        }
        let began = began.and_then(time).unwrap_or_default();
        let created = began.strftime("%Y-%m-%dT%H:%M:%S+00:00").to_string();
        let made = report.made.arms.iter().find(|made| made.name == *arm);
        let run = report.made.runs.first().cloned().unwrap_or_default();
        let models = made.and_then(batch::Arm::models).unwrap_or_else(|| "none".into());
        let id = batch::digest(&[arm, &created, &at.to_string()]);
        let seats = made.map(|made| json!(made.seats)).unwrap_or_default();
        let score = report.accuracy_of(arm).map(|(share, ..)| {
            let accuracy = json!({"name": "accuracy", "value": share, "params": {}});
            json!({"name": "correct", "scorer": "correct", "params": {}, "metrics": {"accuracy": accuracy}})
        });
        let items = ids.len();
        let log = json!({
            "version": 2,
            "status": "success",
            "eval": {
                "eval_id": id, "run_id": id, "created": created, "task": arm, "task_id": id, "task_version": 0,
                "dataset": {"name": run.items, "samples": items, "sample_ids": ids, "shuffled": false},
                "model": models, "model_args": {}, "task_args": {}, "task_attribs": {},
                "config": {"epochs": epochs.values().max()},
                "packages": {}, "metadata": {"program": run.program, "command": run.command, "seats": seats},
            },
            "plan": {"name": "plan", "steps": [{"solver": arm, "params": {}}], "config": {}},
            "results": {
                "total_samples": samples.len(), "completed_samples": samples.len(),
                "scores": score.into_iter().collect::<Vec<_>>(),
            },
            "stats": {"started_at": created, "completed_at": created, "model_usage": used},
            "samples": samples,
        });
        let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
        let slug: String = arm.chars().map(plain).collect();
        let date = began.strftime("%Y-%m-%dT%H-%M-%S+00-00");
        files.push((format!("{date}_{}_{id}.json", slug.trim_matches('-')), format!("{log}\n")));
    }
    Ok(files)
}

/// Returns a conversation as a sample of Inspect, and adds its tokens to those of its models.
fn sample(
    line: &ResultLine,
    epoch: u64,
    events: &[Event],
    used: &mut BTreeMap<String, Value>,
) -> Value {
    let mut state = State::default();
    let mut calls = vec![];
    let mut asked: BTreeMap<u64, (String, Vec<Value>)> = BTreeMap::new();
    for event in events {
        state.apply(event);
        match &event.kind {
            Kind::CallStarted(call) => {
                let turn = state.turns.get(&call.turn);
                let turn = turn.filter(|turn| turn.parameters.prompt_tokens.is_some());
                let messages = turn.map(|turn| prompt::messages(&prompt::build(&state, turn)));
                let messages = messages.unwrap_or_default().into_iter();
                let messages =
                    messages.map(|m| json!({"role": m.role.as_str(), "content": m.text}));
                asked.insert(call.turn.0, (call.model.to_string(), messages.collect()));
            }
            Kind::TurnEnded(turn) => {
                let Some((model, input)) = asked.remove(&turn.turn.0) else { continue };
                let text = turn.raw.as_ref().unwrap_or(&turn.text);
                let usage = turn.usage.as_ref().map(|usage| {
                    let (input, output) = (usage.input, usage.output);
                    let sum = used.entry(model.clone()).or_insert_with(|| tokens(0, 0));
                    let of = |key: &str| sum[key].as_u64().unwrap_or_default();
                    *sum = tokens(of("input_tokens") + input, of("output_tokens") + output);
                    tokens(input, output)
                });
                let began = Wall(event.at.0 - turn.took_ms as i64);
                calls.push(json!({
                    "event": "model", "model": model, "role": event.by,
                    "timestamp": time(began).map(|at| at.to_string()),
                    "working_start": (event.ms.0.saturating_sub(turn.took_ms)) as f64 / 1000.0,
                    "input": input, "tools": [], "tool_choice": "auto", "config": {},
                    "output": output(&model, text, usage),
                    "error": turn.error.as_ref().map(|error| error.text.clone()),
                }));
            }
            _ => {}
        }
    }
    let flat = serde_json::to_value(line).unwrap_or_default();
    let flat: Map<String, Value> =
        batch::flat().map(|name| (name.to_owned(), flat[name].clone())).collect();
    let value = match line.correct {
        Some(_) if line.unread => "N",
        Some(true) => "C",
        Some(false) => "I",
        None => "",
    };
    let answer = line.answer.clone().unwrap_or_default();
    let score = json!({"correct": {"value": value, "answer": line.answer, "metadata": {}}});
    let target = match &line.key {
        None => Value::from(""),
        Some(Value::Array(all)) => all.clone().into(),
        Some(key) => key.as_str().map_or_else(|| key.to_string(), str::to_owned).into(),
    };
    let error = (line.outcome == ResultOutcome::Failed)
        .then(|| json!({"message": line.error, "traceback": "", "traceback_ansi": ""}));
    json!({
        "id": line.item, "epoch": epoch,
        "input": state.scenario.topic.as_ref().or(state.title.as_ref()), "target": target,
        "messages": [], "output": output(line.model.as_deref().unwrap_or("none"), &answer, None),
        "scores": if value.is_empty() { json!({}) } else { score },
        "metadata": flat, "store": {}, "events": calls, "model_usage": {}, "attachments": {},
        "total_time": line.ms as f64 / 1000.0, "error": error,
    })
}

fn tokens(input: u64, output: u64) -> Value {
    json!({"input_tokens": input, "output_tokens": output, "total_tokens": input + output})
}

fn output(model: &str, text: &str, usage: Option<Value>) -> Value {
    let message = json!({"role": "assistant", "content": text, "source": "generate"});
    let choice = json!({"message": message, "stop_reason": "stop"});
    json!({"model": model, "choices": [choice], "completion": text, "usage": usage})
}

/// Returns the table for raters and the table of codes.
fn blind(report: &Report, folder: &Path, n: usize) -> Result<Vec<(String, String)>, Failure> {
    let lines = report.arms().iter().flat_map(|arm| report.all(arm));
    let mut lines: Vec<&ResultLine> =
        lines.filter(|line| line.outcome == ResultOutcome::Ended).collect();
    lines.sort_by_key(|line| mixed(SHUFFLED ^ batch::hash(&format!("{:?}", line.place()))));
    let table = |columns| Table::new("", "", "", 1, columns);
    let mut codes = table("code | arm | item | seed | repeat | session | side_1 | side_2");
    let mut table = table("code | question | text | side_1 | side_2 | rating | note");
    for (at, line) in lines.into_iter().take(n).enumerate() {
        let code = format!("c{:03}", at + 1);
        let state = State::fold(events(folder, line)?.iter());
        let sides = state.scenario.verdict.as_ref().map(|verdict| verdict.sides.clone());
        let mut sides = sides.unwrap_or_default();
        let turned = mixed(batch::hash(&line.session)) & 1 == 1;
        if turned {
            sides.reverse();
        }
        // a seat is the side it is on, or a speaker in the order of the first turns
        let mut labels: Vec<(SeatId, String)> = vec![];
        for (n, side) in sides.iter().enumerate() {
            labels
                .extend(side.seats.iter().map(|s| (SeatId(s.clone()), format!("Side {}", n + 1))));
        }
        let speaks =
            |entry: &&crate::state::Entry| entry.seat().is_some() && entry.hidden.is_none();
        for seat in state.entries.iter().filter(speaks).filter_map(|entry| entry.seat()) {
            if labels.iter().all(|(id, _)| id != seat) {
                let label = format!("Speaker {}", labels.len() + 1);
                labels.push((seat.clone(), label));
            }
        }
        let hide = |text: &str| {
            labels.iter().fold(text.to_owned(), |text, (id, label)| {
                // a short id, such as `a`, is a word of its own
                let text = replace_name(&text, &format!("@{id}"), label);
                let name = state.seat(id).map(|seat| seat.spec.name.clone());
                name.map_or(text.clone(), |name| replace_name(&text, &name, label))
            })
        };
        let told = state.entries.iter().filter(speaks).filter_map(|entry| {
            let label = labels.iter().find(|(id, _)| Some(id) == entry.seat())?;
            Some(format!("{}: {}", label.1, hide(entry.text())))
        });
        let told = told.collect::<Vec<_>>().join("\n\n");
        let question = state.scenario.topic.as_ref().or(state.title.as_ref());
        let question = question.map(ToString::to_string).unwrap_or_default();
        let argued = |n: usize| sides.get(n).map(|side| argued(&state, side)).unwrap_or_default();
        let name = |n: usize| sides.get(n).map(|side| side.name.to_string()).unwrap_or_default();
        let row =
            [code.clone(), question, told, argued(0), argued(1), String::new(), String::new()];
        table.rows.push(row.map(Cell::Text).to_vec());
        let seed = line.seed.map(|seed| seed.to_string()).unwrap_or_default();
        let repeat = line.repeat.to_string();
        let (arm, item, session) = (line.arm.clone(), line.item.clone(), line.session.clone());
        let row = [code, arm, item, seed, repeat, session, name(0), name(1)];
        codes.rows.push(row.map(Cell::Text).to_vec());
    }
    Ok(vec![("ratings.csv".into(), csv(&table)), ("codes.csv".into(), csv(&codes))])
}

/// Returns the answer that a side argues for; empty if it has none.
fn argued(state: &State, side: &crate::scenario::Side) -> String {
    let Some(argues) = &side.argues else { return String::new() };
    let facts = crate::expr::Facts::new(json!({"item": state.scenario.item}));
    let template = crate::expr::Template::compile(argues);
    template.and_then(|template| template.render(&facts)).unwrap_or_default()
}
