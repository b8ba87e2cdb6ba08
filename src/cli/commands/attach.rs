//! `attach`: the full screen on a conversation that another process runs, with every command.

use crate::cli::args::OptionalSession;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::play::attached::{self, GUEST, Visit};
use crate::cli::play::next::Next;
use crate::cli::play::terminal as place;
use crate::cli::running::RunningSession;
use crate::live::chosen_name;
use clap::Args;

/// Open the screen of a running conversation from another terminal
#[derive(Debug, Args)]
pub struct AttachArgs {
    #[command(flatten)]
    which: OptionalSession,
    /// Follow without giving commands
    #[arg(long)]
    read_only: bool,
    /// Your name in the log of the conversation
    #[arg(long = "as", value_name = "WORD", default_value = GUEST,
        value_parser = |name: &str| chosen_name(name, GUEST))]
    name: String,
}

impl AttachArgs {
    /// Shows the conversation until the user leaves; it goes on then.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        let words = ["watch", self.which.word(), "--headless"];
        place::check_screen(&context.command(&words), context)?;
        let running = RunningSession::chosen(&self.which, "attach", context)?;
        attached::show(&Visit { running, name: Some(self.name), watches: self.read_only }, context)
    }
}
