//! The end of a batch: what it prints, and its exit code.

use super::args::BatchArgs;
use super::faults::{unreadable, unusable};
use crate::batch::{BadLine, BatchStopped, Progress, ResultOutcome, reopen_results};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::text;
use std::collections::BTreeMap;
use std::path::Path;

/// Failures that are listed one by one.
const LISTED: usize = 20;

impl BatchArgs {
    /// Reports how the batch ended, and returns the exit code.
    pub(super) fn ended(
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
            Err(BatchStopped::Unwritable(e)) => Err(unusable(path, &e)),
        }
    }
}

/// Returns the conversations that failed, each in a line.
fn failures(path: &Path) -> Result<Vec<String>, Failure> {
    let mut failed = BTreeMap::new();
    for line in reopen_results(path).map_err(|e| unreadable(path, &e))? {
        let line = match line {
            Ok(line) => line,
            Err(BadLine::Damaged(_)) => continue,
            Err(BadLine::Io(e)) => return Err(unreadable(path, &e)),
        };
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
