//! End of a batch: the summary and the exit code.

use super::args::BatchArgs;
use super::budget::BatchBudget;
use super::faults::{unreadable, unusable};
use crate::batch::{
    BadResult, BatchStopped, Progress, ResultOutcome, Troubles, remove_superseded, reopen_results,
};
use crate::cli::command_line::{arguments, command_line};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::text;
use std::collections::BTreeMap;
use std::path::Path;

/// Maximum number of failures listed one by one.
const LISTED: usize = 20;

impl BatchArgs {
    /// Reports the end of the batch and returns the exit code.
    pub(super) fn ended(
        &self,
        ended: Result<Progress, BatchStopped>,
        signal: Option<Exit>,
        path: &Path,
        budget: &BatchBudget,
        context: &Context,
    ) -> Result<Exit, Failure> {
        let command = |words: &[String]| command_line(words, &context.environment);
        match ended {
            Ok(progress) => {
                let Flaws { failed, troubles } = Flaws::read(path)?;
                let finished = progress.done.saturating_sub(troubles.failed);
                let mut line = format!("{finished} of {} conversations finished", progress.all);
                if troubles.failed > 0 {
                    line.push_str(&format!(", {} failed", troubles.failed));
                }
                line.push_str(&spent(&progress));
                if let Some(flaws) = troubles.describe() {
                    line.push_str(&format!("; {flaws}"));
                }
                context.say(&line);
                if failed.is_empty() && troubles.truncated > 0 {
                    let message = format!(
                        "{} of {} conversations do not count: their prompts did not fit the context window",
                        troubles.truncated, progress.done
                    );
                    return Err(Failure::new(Exit::Failed, message).hint(
                        "use a model with a larger window, or shorter replies, with another --out; `batch report \
                         --with-truncated` counts them",
                    ));
                }
                if failed.is_empty() && troubles.cut > 0 {
                    let message = format!("{} replies were cut at max_tokens", troubles.cut);
                    return Err(Failure::new(Exit::Failed, message).hint(
                        "cut replies falsify the results: raise max_tokens with another --out",
                    ));
                }
                if failed.is_empty() {
                    return Ok(Exit::Done);
                }
                failed.iter().take(LISTED).for_each(|why| context.report(why));
                let message = format!("{} of {} conversations failed", failed.len(), progress.done);
                Err(Failure::new(Exit::Failed, message)
                    .hint(format!("to run them again: {} --retry", command(&without_retry()))))
            }
            Err(BatchStopped::Told) => {
                context.say(&format!("stopped; to resume: {}", command(&arguments())));
                Ok(signal.unwrap_or(Exit::Interrupted))
            }
            Err(BatchStopped::Budget(why)) => {
                let message = why.unwrap_or_else(|| "the budget is used up".into());
                Err(Failure::new(Exit::Budget, message)
                    .hint(format!("to resume: {}", command(&budget.raised(&arguments())))))
            }
            Err(BatchStopped::Impossible(why)) => Err(Failure::new(Exit::Failed, why)),
            Err(BatchStopped::Unwritable(e)) => Err(unusable(path, &e)),
        }
    }
}

fn without_retry() -> Vec<String> {
    arguments().into_iter().filter(|word| word != "--retry").collect()
}

/// Failures and flaws in the results.
struct Flaws {
    /// Failed conversations, one line each.
    failed: Vec<String>,
    troubles: Troubles,
}

impl Flaws {
    /// Reads the results. The last result for an item and arm counts; earlier ones are removed from the file.
    fn read(path: &Path) -> Result<Flaws, Failure> {
        let mut all = BTreeMap::new();
        let mut lines = 0;
        for line in reopen_results(path).map_err(|e| unreadable(path, &e))? {
            let line = match line {
                Ok(line) => line,
                Err(BadResult::Damaged(_)) => continue,
                Err(BadResult::Io(e)) => return Err(unreadable(path, &e)),
            };
            lines += 1;
            let troubles = Troubles::new(&line);
            let failed = line.outcome == ResultOutcome::Failed;
            let why = failed.then(|| line.error.clone().unwrap_or_default());
            all.insert(line.place(), (troubles, why));
        }
        if lines > all.len() {
            remove_superseded(path).map_err(|e| unusable(path, &e))?;
        }
        let mut flaws = Flaws { failed: vec![], troubles: Troubles::default() };
        for ((line, item, protocol, ..), (troubles, why)) in all {
            flaws.troubles.add(&troubles);
            flaws.failed.extend(why.map(|why| {
                text::line(&format!("line {line}, item `{item}`, {protocol}: {why}")).into_owned()
            }));
        }
        Ok(flaws)
    }
}

/// Formats tokens and dollars.
fn spent(progress: &Progress) -> String {
    let money = if progress.usd > 0.0 { format!(", ${:.2}", progress.usd) } else { String::new() };
    if progress.tokens > 0 { format!(", {} tokens{money}", progress.tokens) } else { money }
}
