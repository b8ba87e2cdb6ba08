//! Leaves a conversation at its terminal, once its file is complete.

use crate::cli::args::Play;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::door::Door;
use crate::cli::play::next::Next;
use crate::cli::play::outcome::{resume_command, saved_line, unwritable};
use crate::cli::play::signals::{Signals, unless_told_again};
use crate::cli::play::{detach, state_file};
use crate::engine::Engine;
use crate::export::how_it_ended;
use crate::session::SessionFiles;
use crate::state::State;

/// A conversation whose terminal is being left.
pub struct Leaving {
    /// The engine, after its last input.
    pub engine: Engine,
    /// Keeps clients attached until the file is complete.
    pub door: Door,
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
    /// Completes the file and reports the session as saved; returns its final state.
    pub async fn save(mut self, context: &Context) -> Result<State, Failure> {
        self.engine.end_again();
        let state = self.engine.live.state.clone();
        finish(self.engine, self.door, &mut self.signals, &self.files).await?;
        state_file::write(self.play.state.as_ref(), &state)?;
        let name = self.saved.then(|| context.name_of(&self.files));
        let resume = name.as_ref().map(|name| resume_command(name, &self.play, context));
        let end = state.ended.as_ref().map_or("not ended".into(), |end| how_it_ended(&state, end));
        context.say(&saved_line(&state, name.as_deref(), &end, resume.as_deref()));
        Ok(state)
    }

    /// Hands the conversation over to a process in the background.
    pub async fn detach(mut self, context: &Context) -> Result<Next, Failure> {
        let lock = self.engine.lock_file();
        finish(self.engine, self.door, &mut self.signals, &self.files).await?;
        detach::hand_over(&self.files, lock, &self.play, context).map_err(|failure| {
            let resume = resume_command(&context.name_of(&self.files), &self.play, context);
            failure.hint(format!("saved so far; resume: {resume}"))
        })?;
        Ok(Next::Left(Exit::Done))
    }

    /// Returns the failure of a session that can no longer be written.
    pub async fn fail(mut self, why: &str) -> Failure {
        // the reason is known, and comes before any other fault
        let _ = finish(self.engine, self.door, &mut self.signals, &self.files).await;
        unwritable(&self.files, why)
    }
}

/// Waits until all events of a conversation are in its session file.
async fn finish(
    engine: Engine,
    door: Door,
    signals: &mut Signals,
    files: &SessionFiles,
) -> Result<(), Failure> {
    let synced = unless_told_again(signals, engine.finish()).await;
    drop(door);
    synced.map(drop).map_err(|fault| unwritable(files, &fault.to_string()))
}
