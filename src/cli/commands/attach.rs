//! `attach`: the full screen on a conversation that another process runs, with every command.

use crate::catalogue::{self, SessionStatus, SessionSummary};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::attached::{self, GUEST, Visit};
use crate::cli::play::next::Next;
use crate::cli::play::terminal as place;
use crate::cli::running::{RunningSession, has_socket};
use crate::cli::session_file::unreadable;
use crate::cli::watched::watched;
use crate::text;
use clap::Args;

/// Open the screen of a running conversation from another terminal
#[derive(Debug, Args)]
pub struct AttachArgs {
    /// Session id, id prefix or path; without it, the only running conversation
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Follow without giving commands
    #[arg(long)]
    read_only: bool,
    /// Your name in the log of the conversation
    #[arg(long = "as", value_name = "WORD", default_value = GUEST)]
    name: String,
}

impl AttachArgs {
    /// Shows the conversation until the user leaves; it goes on then.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        let words = ["watch", self.session.as_deref().unwrap_or("--last"), "--headless"];
        place::check_screen(&context.command(&words), context)?;
        let running = match &self.session {
            Some(name) => RunningSession::find(name, context)?,
            None => only(context)?,
        };
        attached::show(&Visit { running, name: self.name, watches: self.read_only }, context)
    }
}

/// Finds the only running conversation.
fn only(context: &Context) -> Result<RunningSession, Failure> {
    let folder = context.paths.sessions();
    let all = watched("reading sessions", |progress| catalogue::list(&folder, progress))
        .map_err(unreadable(&folder))?;
    let runs = |status: &SessionStatus| matches!(status, SessionStatus::Running(_));
    let takes = |s: &&SessionSummary| runs(&s.standing) && has_socket(&s.path, context);
    let mut running = all.iter().filter(takes);
    match (running.next(), running.next()) {
        (None, _) => Err(Failure::usage(
            "no conversation is running that takes clients",
            "start one: colloquium run SCENARIO --detach",
        )),
        (Some(one), None) => RunningSession::at(one.path.clone(), context),
        (Some(_), Some(_)) => {
            let named = all.iter().filter(takes);
            let named = named.map(|s| format!("\n  {}  {}", s.id, text::label(&s.title)));
            let message =
                format!("several conversations are running:{}", named.collect::<String>());
            Err(Failure::new(Exit::Usage, message).hint("name one: colloquium attach SESSION"))
        }
    }
}
