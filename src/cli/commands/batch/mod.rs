//! `batch`: runs a scenario over many questions, and evaluates the results.

mod after;
mod args;
mod budget;
mod conversations;
mod ending;
mod exporting;
mod faults;
mod folder;
mod grid;
mod progress;
mod protocols;
mod questions;

pub use args::BatchArgs;

use crate::batch::{Arm, ArmSeat, BatchItem, BatchRun, Equal, RunNote, Slice, file_digest};
use crate::cli::command_line::{arguments, command_line};
use crate::cli::commands::test::{caught, parts};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::clock::wall_now;
use crate::model::{Aggregation, AnswerTie, Wall};
use crate::text::plural;
use budget::{BatchBudget, estimate};
use conversations::Conversations;
use faults::unreadable;
use folder::{default_out, open_results, prepare_folder};
use jiff::Timestamp;
use progress::ProgressReport;
use protocols::Prepared;
use questions::{ItemRules, open_items};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::mpsc;
use std::thread::available_parallelism;
use tokio::sync::watch;

/// Default number of concurrent conversations with remote models.
const REMOTE_JOBS: usize = 4;
impl BatchArgs {
    /// Runs the batch, or a sub-command on its results.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match (&self.after, &self.scenario, &self.items) {
            (Some(after), ..) => after.run(context),
            (None, Some(scenario), Some(items)) => self.run_batch(scenario, items, context),
            (None, ..) => {
                Err(Failure::usage("no scenario and no items", "see colloquium batch --help"))
            }
        }
    }

    fn run_batch(&self, scenario: &str, items: &Path, context: &Context) -> Result<Exit, Failure> {
        let shard = self.shard.as_deref().map(shard).transpose()?;
        let all = protocols::prepare(scenario, self, context)?;
        let spec = all.first().and_then(|first| first.loaded.scenario.answer.as_ref());
        let form = spec.map(|spec| spec.form);
        // baselines with a shape have the templates of the examined scenario
        let whole = || all.iter().filter(|prepared| prepared.shape.is_none());
        let template_fault = |values: &_| whole().find_map(|one| one.template_fault(values));
        let is_plain = whole().all(Prepared::only_inserts_fields);
        let rules = ItemRules { template_fault: &template_fault, is_plain, form, maps: &self.map };
        let checked = rules.check(items, shard)?;
        checked.report(items, self.skip_damaged, context)?;
        let arms: Vec<Arm> = all.iter().map(|p| p.arm.clone()).collect();
        // conversations of an arm
        let each = checked.items * u64::from(self.repeats);
        let limits = Slice { usd: self.max_usd.map(f64::from), tokens: self.max_tokens };
        let seats: Vec<_> = all.iter().flat_map(|p| &p.loaded.participants).collect();
        let budget = BatchBudget::new(limits, shard.map_or(1, |(_, parts)| parts), &seats);
        let jobs = self.jobs.map_or_else(|| default_jobs(&all), NonZeroUsize::get);
        let mut plan = describe_calls(&arms, checked.items, self.repeats, jobs);
        plan.extend(estimate(&all, &checked.first, each)?);
        plan.extend(budget.describe());
        plan.extend(form.map(|_| checked.describe_keys()));
        let ties = spec.is_some_and(|spec| {
            spec.of.len() == 2 && spec.by == Aggregation::Majority && spec.tie == AnswerTie::None
        });
        plan.extend(
            ties.then(|| "two seats by majority tie if they disagree; a tie is wrong".into()),
        );
        if self.dry_run {
            return output::text(&format!("{}\n", plan.join("\n")));
        }
        plan.iter().for_each(|line| context.say(line));
        let out = self.out.clone().unwrap_or_else(|| default_out(scenario, items));
        let note = RunNote { all: Some(checked.all), ..self.run_note(items, jobs, context)? };
        prepare_folder(&out, scenario, &arms, note)?;
        let name = match &self.shard {
            Some(shard) => format!("results-{}.jsonl", shard.replace('/', "-of-")),
            None => "results.jsonl".to_owned(),
        };
        let path = out.join(name);
        let (mut results, done) = open_results(&path, &arms, self.seed, context)?;
        checked.compare(&done, &path)?;
        let (stop, stopping) = watch::channel(false);
        let batch = BatchRun {
            arms: &arms,
            jobs,
            budget: budget.together,
            retry: self.retry,
            shard,
            all: each * arms.len() as u64,
            seed: self.seed,
            repeats: self.repeats,
        };
        let tokens = budget.tokens_each;
        let conversations =
            Conversations::new(all, self, out.clone(), tokens, stopping.clone(), context)?;
        let is_usable = |item: &BatchItem| checked.is_usable(item.line);
        let items = open_items(items, &self.map)?.filter(|item| item.as_ref().is_ok_and(is_usable));
        let report = ProgressReport::new(batch.all, each);
        let (ended, signal) = std::thread::scope(|scope| {
            let signals = scope.spawn(move || caught(stop));
            let report = &report;
            let (running, over) = mpsc::channel();
            let quiet = context.again();
            scope.spawn(move || report.print_lines(&over, &quiet));
            let ended =
                batch.run(items, &done, &mut results, &stopping, &conversations, |now, result| {
                    conversations.take_notes().iter().for_each(|note| context.say(note));
                    report.result(now, result, context);
                });
            report.end(context);
            drop(running);
            conversations.take_notes().iter().for_each(|note| context.say(note));
            drop(stopping);
            drop(conversations);
            (ended, signals.join().unwrap_or(Ok(None)))
        });
        context.say(&format!("results: {}", path.display()));
        self.ended(ended, signal?, &path, &budget, context)
    }
}

impl BatchArgs {
    /// Returns the circumstances of this run, for the report.
    fn run_note(&self, items: &Path, jobs: usize, context: &Context) -> Result<RunNote, Failure> {
        let sha256 = file_digest(items).map_err(|e| unreadable(items, &e))?;
        let now = context.environment.source_date_epoch().map_or_else(wall_now, Wall);
        let begun =
            Timestamp::from_millisecond(now.0).map(|at| at.strftime("%Y-%m-%d").to_string());
        let name = items.file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(RunNote {
            program: concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION")).into(),
            command: command_line(&arguments(), &context.environment),
            items: name.unwrap_or_default(),
            begun: begun.unwrap_or_default(),
            sha256,
            seed: Some(self.seed),
            shard: self.shard.clone(),
            jobs: Some(jobs),
            all: None,
        })
    }
}

fn shard(shard: &str) -> Result<(u64, u64), Failure> {
    let read = parts(shard).map(|(part, parts)| (part as u64 - 1, parts as u64));
    read.ok_or_else(|| {
        Failure::usage(format!("--shard {shard} is invalid: expected I/N"), "as in --shard 1/4")
    })
}

/// Describes the number of calls per arm and in total, one line each, with those of `jobs` conversations at once.
fn describe_calls(arms: &[Arm], items: u64, repeats: u32, jobs: usize) -> Vec<String> {
    let mut lines = vec![];
    let all = items * u64::from(repeats);
    let jobs = all.min(jobs as u64);
    let mut least_of_all = 0;
    let mut most_of_all = 0;
    for arm in arms {
        let calls = match arm.planned {
            Some((least, most)) => {
                least_of_all += least * all;
                most_of_all += most * all;
                format!(
                    "{} {} per {}, {} in total",
                    range(least, most),
                    if most == 1 { "call" } else { "calls" },
                    if repeats > 1 { "conversation" } else { "item" },
                    range(least * all, most * all)
                )
            }
            None if arm.equal == Equal::No => {
                "the number of calls depends on the conversation".into()
            }
            None => "as many calls as the examined conversation".into(),
        };
        let times = if repeats > 1 { format!(" {repeats} times") } else { String::new() };
        lines.push(format!("{}: {}{times}, {calls}", arm.name, plural(items, "item")));
        let models: Vec<String> =
            arm.seats.iter().filter(|s| s.model.is_some()).map(ArmSeat::describe).collect();
        let at_once = arm.parallel.map_or(String::new(), |most| match jobs {
            ..2 => format!("; at most {most} at once"),
            _ => format!(
                "; at most {} at once, {most} in each of {jobs} conversations",
                u64::from(most) * jobs
            ),
        });
        if !models.is_empty() {
            lines.push(format!("  {}{at_once}", models.join(", ")));
        }
    }
    if arms.len() > 1 {
        lines.push(format!("together: {} calls", range(least_of_all, most_of_all)));
    }
    lines
}

fn range(least: u64, most: u64) -> String {
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// Returns the default number of concurrent conversations. Local models are called one at a time, because they would
/// compete for the machine's memory.
fn default_jobs(all: &[Prepared]) -> usize {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    let seats = || all.iter().flat_map(|p| &p.loaded.participants);
    match (all.iter().all(|p| p.loaded.all_rehearsed()), seats().any(|seat| seat.local)) {
        (true, _) => cores,
        (false, true) => 1,
        (false, false) => REMOTE_JOBS,
    }
}
