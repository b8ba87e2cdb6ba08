//! The progress of a batch on standard error.

use crate::batch::{Progress, ResultLine};
use crate::cli::context::Context;
use crate::cli::output;
use crate::clock::wall_now;
use std::io::{IsTerminal, stderr};

/// The line of progress on standard error.
pub struct Told<'a> {
    context: &'a Context,
    began: i64,
    terminal: bool,
}

impl<'a> Told<'a> {
    pub fn new(context: &'a Context) -> Told<'a> {
        Told { context, began: wall_now().0, terminal: stderr().is_terminal() }
    }

    pub fn tell(&mut self, progress: &Progress, line: &ResultLine) {
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

    pub fn end(&self) {
        if self.terminal {
            output::progress("");
        }
    }
}
