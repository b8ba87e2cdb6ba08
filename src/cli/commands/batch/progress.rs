//! Progress of a batch on standard error: a single updated line on a terminal, otherwise one line per minute.

use crate::batch::{Progress, ResultLine, Troubles};
use crate::cli::context::Context;
use crate::clock::wall_now;
use crate::model::Wall;
use parking_lot::Mutex;
use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Milliseconds between two lines if standard error is not a terminal.
const INTERVAL_MS: i64 = 60_000;
/// Milliseconds until the first line.
const FIRST_MS: i64 = 1_000;
/// Interval between two checks of the clock.
const LOOK: Duration = Duration::from_secs(1);

/// Latest progress, and the time of the last line about it.
struct ProgressLines {
    began: Wall,
    said: Wall,
    now: Progress,
}

impl ProgressLines {
    /// Returns the next line if a minute has passed since the last one.
    fn due(&mut self, now: Wall) -> Option<String> {
        let due = now.0 - self.said.0 >= INTERVAL_MS;
        due.then(|| {
            self.said = now;
            self.line(now)
        })
    }

    fn line(&self, now: Wall) -> String {
        let progress = &self.now;
        let mut line = format!("{} of {} conversations over", progress.done, progress.all);
        if progress.failed > 0 {
            line.push_str(&format!(", {} failed", progress.failed));
        }
        if progress.had == 0 {
            line.push_str("; Ctrl-C stops");
        } else {
            let left = progress.all.saturating_sub(progress.done);
            let took = (now.0 - self.began.0).max(1) as f64 / 1000.0;
            let seconds = took / progress.had as f64 * left as f64;
            line.push_str(&if seconds < 90.0 {
                format!(", about {seconds:.0} s left")
            } else {
                format!(", about {:.0} min left", seconds / 60.0)
            });
        }
        if progress.usd > 0.0 {
            let all = progress.usd / progress.done.max(1) as f64 * progress.all as f64;
            line.push_str(&format!(", ${:.2} of about ${all:.2}", progress.usd));
        }
        line
    }
}

/// Reports the progress of a batch.
pub struct ProgressReport {
    terminal: bool,
    /// Number of items.
    items: u64,
    lines: Mutex<ProgressLines>,
}

impl ProgressReport {
    /// Creates the report of a batch of `all` conversations on `items` that starts now.
    pub fn new(all: u64, items: u64) -> ProgressReport {
        let now = wall_now();
        let progress = Progress { all, ..Progress::default() };
        let lines =
            ProgressLines { began: now, said: Wall(now.0 + FIRST_MS - INTERVAL_MS), now: progress };
        ProgressReport { terminal: stderr().is_terminal(), items, lines: Mutex::new(lines) }
    }

    /// Reports a result. The flaws of the first conversation are reported at once, because the others are likely to
    /// have them too.
    pub fn result(&self, progress: &Progress, result: &ResultLine, context: &Context) {
        let line = {
            let mut lines = self.lines.lock();
            lines.now = *progress;
            lines.line(wall_now())
        };
        if progress.had == 1 {
            let flaws = Troubles::new(result).describe();
            let failed = result.error.as_ref().map(|why| format!("it failed: {why}"));
            for flaw in failed.into_iter().chain(flaws) {
                self.end(context);
                context.say(&format!("in the first conversation ({}): {flaw}", result.item));
            }
            let tokens = (result.input + result.output).saturating_mul(self.items);
            if tokens > 0 && self.items > 1 && result.error.is_none() {
                self.end(context);
                let arm = &result.arm;
                context.say(&format!("from the first conversation: ~{tokens} tokens for {arm}"));
            }
        }
        if self.terminal {
            context.progress(&line);
        }
        context.note(&format!("{} {}: {:?}", result.arm, result.item, result.outcome));
    }

    /// Prints a line soon and then one per minute, until `over` is closed.
    pub fn print_lines(&self, over: &Receiver<()>, context: &Context) {
        while over.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
            let mut lines = self.lines.lock();
            let due = lines.due(wall_now());
            let print = if self.terminal { Context::progress } else { Context::say };
            due.iter().for_each(|line| print(context, line));
        }
    }

    /// Clears the progress line on a terminal.
    pub fn end(&self, context: &Context) {
        if self.terminal {
            context.progress("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_a_line_a_minute_also_while_nothing_ends() {
        let now = Progress { all: 12, ..Progress::default() };
        let mut lines = ProgressLines { began: Wall(0), said: Wall(0), now };
        assert_eq!(lines.due(Wall(59_999)), None);
        assert_eq!(
            lines.due(Wall(60_000)).as_deref(),
            Some("0 of 12 conversations over; Ctrl-C stops")
        );
        assert_eq!(lines.due(Wall(119_999)), None);
        lines.now = Progress { done: 3, had: 3, failed: 1, usd: 0.5, ..now };
        let line = "3 of 12 conversations over, 1 failed, about 6 min left, $0.50 of about $2.00";
        assert_eq!(lines.due(Wall(120_000)).as_deref(), Some(line));
        assert_eq!(lines.due(Wall(120_001)), None);
    }
}
