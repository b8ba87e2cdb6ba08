//! Attends a running conversation at its terminal, for its reader: a person or standard output; and leaves it, once its
//! file is complete.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::outcome::{resume_command, saved_line, unwritable};
use crate::cli::play::signals::{Signals, unless_told_again};
use crate::cli::play::{detach, state_file};
use crate::engine::Stopped;
use crate::export::{Hearer, how_it_ended};
use crate::host::{End, Leave, Run};
use crate::session::SessionFiles;
use crate::state::State;
use std::pin::pin;

/// Reason for the end of the attendance.
pub enum Left<L> {
    /// The reader left.
    Reader(L),
    /// A signal asked the program to stop.
    Signal(Exit),
    /// Another process takes the conversation over, or its session can no longer be written.
    Stopped,
}

/// Waits until the reader leaves, a signal asks to stop, or the conversation is lost to the reader; a conversation that
/// has ended can still be read. `leaves` returns false for a signal that does not stop the program.
pub async fn attend<L>(
    run: &mut Run,
    reader: impl Future<Output = L>,
    signals: &mut Signals,
    mut leaves: impl FnMut(Exit) -> bool,
) -> Left<L> {
    let mut reader = pin!(reader);
    let mut runs = true;
    loop {
        tokio::select! { biased;
            code = signals.next() => if leaves(code) {
                return Left::Signal(code);
            },
            left = &mut reader => return Left::Reader(left),
            end = run.stopped(), if runs => match end.stop {
                Ok(Stopped::Ended | Stopped::Left) => runs = false,
                Ok(Stopped::HandedOver) | Err(_) => return Left::Stopped,
            },
        }
    }
}

/// A conversation whose terminal is being left.
pub struct Leaving {
    /// The conversation; clients stay attached until the file is complete.
    pub run: Run,
    /// A further signal stops the wait for the file.
    pub signals: Signals,
    /// Files of the session.
    pub files: SessionFiles,
    /// True if the session is kept.
    pub saved: bool,
    /// Play options.
    pub play: Play,
}

impl Leaving {
    /// Completes the file, and reports the session as saved, or hands it over to a process in the background. Returns
    /// the final state; `None` if it was handed over.
    pub async fn leave(mut self, context: &Context) -> Result<Option<State>, Failure> {
        self.run.leave(Leave::Now);
        let end = unless_told_again(&mut self.signals, self.run.stopped()).await;
        let End { state, stop } = end.clone();
        let resume = || resume_command(&context.name_of(&self.files), &self.play, context);
        if stop.map_err(|why| unwritable(&self.files, &why))? == Stopped::HandedOver {
            let lock = self.run.into_lock();
            let handed_over = detach::hand_over(&self.files, lock, &self.play, context);
            handed_over.map_err(|f| f.hint(format!("saved so far; resume: {}", resume())))?;
            return Ok(None);
        }
        drop(self.run);
        state_file::write(self.play.state.as_ref(), &state)?;
        let name = self.saved.then(|| context.name_of(&self.files));
        let resume = self.saved.then(resume);
        let end = state
            .ended
            .as_ref()
            .map_or("not ended".into(), |end| how_it_ended(&state, end, Hearer::Operator));
        context.say(&saved_line(&state, name.as_deref(), &end, resume.as_deref()));
        Ok(Some(state))
    }
}
