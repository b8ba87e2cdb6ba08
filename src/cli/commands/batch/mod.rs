//! `batch`: a scenario over many questions, and what is made of its results.

mod after;
mod args;
mod conversations;
mod faults;
mod protocols;

pub use args::BatchArgs;

use crate::batch::{
    Appended, BatchRun, BatchStopped, Damaged, Items, KnownResults, Progress, Protocol,
    ResultOutcome, Slice,
};
use crate::cli::commands::test::{caught, parts};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::clock::wall_now;
use crate::text;
use conversations::Conversations;
use faults::{unreadable, unwritable};
use protocols::Prepared;
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, stderr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;
use tokio::sync::watch;

/// Failures and damaged lines that are listed one by one.
const LISTED: usize = 20;
/// Conversations at once with models elsewhere.
const REMOTE_JOBS: usize = 4;
/// A file beside the results: which prompts, models and judges made them.
const MADE_BY: &str = "batch.json";

/// The result of checking the file of items.
struct Looked {
    items: u64,
    damaged: Vec<Damaged>,
}

impl BatchArgs {
    /// Runs it, or makes something of its results.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match (&self.after, &self.scenario, &self.items) {
            (Some(after), ..) => after.run(context),
            (None, Some(scenario), Some(items)) => self.have(scenario, items, context),
            (None, ..) => {
                Err(Failure::usage("no scenario and no items", "see colloquium batch --help"))
            }
        }
    }

    fn have(&self, scenario: &str, items: &Path, context: &Context) -> Result<Exit, Failure> {
        let shard = self.shard.as_deref().map(shard).transpose()?;
        let all = protocols::prepare(scenario, self, context)?;
        let needed = all.first().map(Prepared::needed).unwrap_or_default();
        let looked = look(items, &needed, shard)?;
        self.report_damaged(items, &looked, context)?;
        let protocols: Vec<Protocol> = all.iter().map(|p| p.protocol.clone()).collect();
        let sum = looked.items * protocols.len() as u64;
        say_calls(&protocols, looked.items, self.dry_run, context)?;
        if self.dry_run {
            return Ok(Exit::Done);
        }
        let out = self.out.clone().unwrap_or_else(|| default_out(scenario, items));
        fs::create_dir_all(&out).map_err(|e| unwritable(&out, &e))?;
        made_by(&out, scenario, &protocols)?;
        let name = match &self.shard {
            Some(shard) => format!("results-{}.jsonl", shard.replace('/', "-of-")),
            None => "results.jsonl".to_owned(),
        };
        let path = out.join(name);
        let _lock = locked(&path)?;
        let (mut results, done) = Appended::open(&path).map_err(|e| unwritable(&path, &e))?;
        self.check(&done, &protocols, &path, context)?;
        let (stop, stopping) = watch::channel(false);
        let jobs = self.jobs.map_or_else(|| default_jobs(&all), NonZeroUsize::get);
        let budget = Slice { usd: self.max_usd.map(f64::from), tokens: self.max_tokens };
        let batch =
            BatchRun { protocols: &protocols, jobs, budget, retry: self.retry, shard, all: sum };
        let conversations =
            Conversations::new(all, out.clone(), self.seed, stopping.clone(), context)?;
        let items = Items::open(items).map_err(|e| unreadable(items, &e))?;
        let items = items.filter(|item| item.as_ref().is_ok_and(|item| has(&item.values, &needed)));
        let (ended, signal) = std::thread::scope(|scope| {
            let signals = scope.spawn(move || caught(stop));
            let mut line = Told::new(context);
            let ended = batch
                .run(items, &done, &mut results, &stopping, &conversations, |p, l| line.tell(p, l));
            line.end();
            drop(stopping);
            drop(conversations);
            (ended, signals.join().unwrap_or(Ok(None)))
        });
        context.say(&format!("results: {}", path.display()));
        self.ended(ended, signal?, &path, context)
    }

    /// Reports how the batch ended, and returns the exit code.
    fn ended(
        &self,
        ended: Result<Progress, BatchStopped>,
        signal: Option<Exit>,
        path: &Path,
        context: &Context,
    ) -> Result<Exit, Failure> {
        match ended {
            Ok(progress) => {
                let sum = spent(&progress);
                context.say(&format!(
                    "{} of {} conversations finished{sum}",
                    progress.done, progress.all
                ));
                let failed = failures(path)?;
                if failed.is_empty() {
                    return Ok(Exit::Done);
                }
                failed.iter().take(LISTED).for_each(|why| context.report(why));
                let message = format!("{} of {} conversations failed", failed.len(), progress.done);
                Err(Failure::new(Exit::Failed, message)
                    .hint("run them again with the same command and --retry"))
            }
            Err(BatchStopped::Told) => {
                context.say("stopped; the same command resumes it");
                Ok(signal.unwrap_or(Exit::Interrupted))
            }
            Err(BatchStopped::Budget) => Err(Failure::new(Exit::Budget, "the budget is used up")
                .hint("to resume, run the same command with a larger --max-usd or --max-tokens")),
            Err(BatchStopped::Impossible(why)) => Err(Failure::new(Exit::Failed, why)),
            Err(BatchStopped::Unwritable(e)) => Err(unwritable(path, &e)),
        }
    }

    /// Refuses what was made by other prompts, models or judges, and names lines that cannot be read.
    fn check(
        &self,
        done: &KnownResults,
        protocols: &[Protocol],
        path: &Path,
        context: &Context,
    ) -> Result<(), Failure> {
        for number in &done.damaged {
            context.say(&format!(
                "{}, line {number}: not a result; skipped, and its session is read again",
                path.display()
            ));
        }
        for protocol in protocols {
            let made = done.fingerprints.get(&protocol.name);
            if made.is_some_and(|made| *made != protocol.fingerprint) {
                return Err(changed(&protocol.name));
            }
        }
        if !done.is_empty() {
            context.say(&format!("{} conversations already finished", done.len()));
        }
        Ok(())
    }

    fn report_damaged(
        &self,
        items: &Path,
        looked: &Looked,
        context: &Context,
    ) -> Result<(), Failure> {
        for damaged in looked.damaged.iter().take(LISTED) {
            context.say(&format!("{}, {damaged}", items.display()));
        }
        let n = looked.damaged.len();
        if n > LISTED {
            context.say(&format!("and {} more damaged lines", n - LISTED));
        }
        if n > 0 && !self.skip_damaged {
            let message = format!("{n} lines of {} are damaged", items.display());
            return Err(Failure::new(Exit::Invalid, message)
                .hint("repair the lines, or skip them with --skip-damaged"));
        }
        if looked.items == 0 {
            return Err(Failure::new(Exit::Invalid, format!("{} has no items", items.display()))
                .hint("write one JSON object per line, as in {\"question\": \"...\", \"answer\": \"...\"}"));
        }
        Ok(())
    }
}

/// Looks through the items once: how many there are, and what is wrong with them.
fn look(path: &Path, needed: &[String], shard: Option<(u64, u64)>) -> Result<Looked, Failure> {
    let mut looked = Looked { items: 0, damaged: vec![] };
    let mut place = 0u64;
    for item in Items::open(path).map_err(|e| unreadable(path, &e))? {
        match item {
            Ok(item) if !has(&item.values, needed) => {
                let lacks: Vec<&str> = needed
                    .iter()
                    .filter(|key| !item.values.contains_key(*key))
                    .map(String::as_str)
                    .collect();
                let why = format!(
                    "the item has no `{}`, which the scenario uses",
                    lacks.join("` and no `")
                );
                looked.damaged.push(Damaged { line: item.line, why });
            }
            Ok(_) => {
                let mine = shard.is_none_or(|(part, parts)| place % parts == part);
                looked.items += u64::from(mine);
                place += 1;
            }
            Err(damaged) => looked.damaged.push(damaged),
        }
    }
    Ok(looked)
}

fn has(values: &serde_json::Map<String, Value>, needed: &[String]) -> bool {
    needed.iter().all(|key| values.contains_key(key))
}

fn shard(shard: &str) -> Result<(u64, u64), Failure> {
    let read = parts(shard).map(|(part, parts)| (part as u64 - 1, parts as u64));
    read.ok_or_else(|| {
        Failure::usage(format!("--shard {shard} is invalid: expected I/N"), "as in --shard 1/4")
    })
}

/// Reports how many calls the batch makes, by the protocols' own formulas.
fn say_calls(
    protocols: &[Protocol],
    items: u64,
    asked: bool,
    context: &Context,
) -> Result<(), Failure> {
    let mut told = String::new();
    let (mut least_of_all, mut most_of_all) = (0, 0);
    for protocol in protocols {
        let calls = match protocol.planned {
            Some((least, most)) => {
                (least_of_all, most_of_all) =
                    (least_of_all + least * items, most_of_all + most * items);
                format!(
                    "{} {} per item, {} in total",
                    range(least, most),
                    if most == 1 { "call" } else { "calls" },
                    range(least * items, most * items)
                )
            }
            None => "the number of calls depends on the conversation".into(),
        };
        let each = if items == 1 { "item" } else { "items" };
        told.push_str(&format!("{}: {items} {each}, {calls}\n", protocol.name));
    }
    if protocols.len() > 1 {
        told.push_str(&format!("together: {} calls\n", range(least_of_all, most_of_all)));
    }
    match asked {
        true => output::data(text::block(&told).as_bytes()),
        false => {
            told.lines().for_each(|line| context.say(line));
            Ok(())
        }
    }
}

fn range(least: u64, most: u64) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// Returns the folder of results where none is named.
fn default_out(scenario: &str, items: &Path) -> PathBuf {
    let stem = |path: &Path| {
        path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default()
    };
    PathBuf::from(format!("{}-{}", stem(Path::new(scenario)), stem(items)))
}

/// Models on one machine would fight for its memory, so they are asked one after the other.
fn default_jobs(all: &[Prepared]) -> usize {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let seats = || all.iter().flat_map(|p| &p.loaded.participants);
    match (all.iter().all(|p| p.loaded.all_rehearsed()), seats().any(|seat| seat.local)) {
        (true, _) => cores,
        (false, true) => 1,
        (false, false) => REMOTE_JOBS,
    }
}

/// Writes down which prompts, models and judges make the results, or refuses others than those that did.
fn made_by(out: &Path, scenario: &str, protocols: &[Protocol]) -> Result<(), Failure> {
    let path = out.join(MADE_BY);
    let mut known: Value = match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| {
            Failure::new(
                Exit::Invalid,
                format!("{} was changed after it was written: {e}", path.display()),
            )
            .hint("choose another --out")
        })?,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            json!({"version": 1, "scenario": scenario, "protocols": {}})
        }
        Err(e) => return Err(unreadable(&path, &e)),
    };
    let mut wrote = false;
    for protocol in protocols {
        match known["protocols"].get(&protocol.name).and_then(Value::as_str) {
            Some(made) if made != protocol.fingerprint => return Err(changed(&protocol.name)),
            Some(_) => {}
            None => {
                known["protocols"][&protocol.name] = protocol.fingerprint.as_str().into();
                wrote = true;
            }
        }
    }
    if wrote {
        // in one step: several machines may begin at once
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(".batch-").tempfile_in(out)?;
            std::io::Write::write_all(&mut file, format!("{known:#}\n").as_bytes())?;
            file.persist(&path).map(drop).map_err(|e| e.error)
        };
        write().map_err(|e| unwritable(&path, &e))?;
    }
    Ok(())
}

fn changed(protocol: &str) -> Failure {
    let message = format!(
        "the prompts, models or judges of {protocol} differ from those of the existing results"
    );
    Failure::usage(
        message,
        "undo the change, or choose another --out; results from before and after cannot be mixed",
    )
}

/// Takes the right to write results.
fn locked(path: &Path) -> Result<File, Failure> {
    let open = File::options().append(true).create(true).open(path);
    let file = open.map_err(|e| unwritable(path, &e))?;
    file.try_lock().map_err(|_| {
        Failure::new(Exit::Session, format!("another batch is writing {}", path.display()))
            .hint("wait for it, or choose another --out")
    })?;
    Ok(file)
}

/// Returns the conversations that failed, each in a line.
fn failures(path: &Path) -> Result<Vec<String>, Failure> {
    let file = File::open(path).map_err(|e| unreadable(path, &e))?;
    let mut failed = std::collections::BTreeMap::new();
    for line in crate::batch::lines(file).filter_map(Result::ok) {
        let place = (line.line, line.item.clone(), line.protocol.clone());
        match line.outcome {
            ResultOutcome::Failed => drop(failed.insert(place, line.error.unwrap_or_default())),
            ResultOutcome::Ended => drop(failed.remove(&place)),
        }
    }
    let told = failed.into_iter().map(|((line, item, protocol), why)| {
        text::line(&format!("line {line}, item `{item}`, {protocol}: {why}")).into_owned()
    });
    Ok(told.collect())
}

/// Returns what was spent, in words.
fn spent(progress: &Progress) -> String {
    let money = if progress.usd > 0.0 { format!(", ${:.2}", progress.usd) } else { String::new() };
    if progress.tokens > 0 { format!(", {} tokens{money}", progress.tokens) } else { money }
}

/// The line of progress on standard error.
struct Told<'a> {
    context: &'a Context,
    began: i64,
    terminal: bool,
}

impl<'a> Told<'a> {
    fn new(context: &'a Context) -> Told<'a> {
        Told { context, began: wall_now().0, terminal: stderr().is_terminal() }
    }

    fn tell(&mut self, progress: &Progress, line: &crate::batch::ResultLine) {
        if self.terminal {
            let left = progress.all.saturating_sub(progress.done);
            let took = (wall_now().0 - self.began).max(1) as f64 / 1000.0;
            let seconds = took / progress.had.max(1) as f64 * left as f64;
            let time = if seconds < 90.0 {
                format!("{seconds:.0} s")
            } else {
                format!("{:.0} min", seconds / 60.0)
            };
            let failed = if progress.failed > 0 {
                format!(", {} failed", progress.failed)
            } else {
                String::new()
            };
            let money = match progress.usd > 0.0 {
                true => {
                    let all = progress.usd / progress.done.max(1) as f64 * progress.all as f64;
                    format!(", ${:.2} of about ${all:.2}", progress.usd)
                }
                false => String::new(),
            };
            output::progress(&format!(
                "{} of {}{failed}, about {time} left{money}",
                progress.done, progress.all
            ));
        }
        self.context.note(&format!("{} {}: {:?}", line.protocol, line.item, line.outcome));
    }

    fn end(&self) {
        if self.terminal {
            output::progress("");
        }
    }
}
