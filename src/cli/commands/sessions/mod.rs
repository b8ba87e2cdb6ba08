//! `sessions`: what was said before, and where it lies.

mod change;
mod list;
mod moment;
mod search;
mod tree;

use crate::cli::args::format::PrintFormat;
use crate::cli::args::session::SessionName;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session_file::{delete, find, find_own, report_faults};
use crate::export;
use crate::session;
use crate::text;
use clap::Subcommand;
use std::fs;
use std::path::Path;

/// Past conversations: list, show, search, rename, delete, mend
#[derive(Debug, Subcommand)]
pub enum SessionsArgs {
    /// List them all, the one written last first
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Those that come with the program
        #[arg(long)]
        examples: bool,
    },
    /// Draw which session branched off which
    Tree,
    /// Print what was said
    Show {
        #[command(flatten)]
        which: SessionName,
        /// How
        #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
        format: PrintFormat,
    },
    /// Print the path of a session's file
    Path {
        #[command(flatten)]
        which: SessionName,
    },
    /// Find words in all of them: who said them, when, and where
    Search {
        /// The words; small letters find capital ones too
        text: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Give one another title
    Rename {
        #[command(flatten)]
        which: SessionName,
        /// The title
        #[arg(long, value_name = "TEXT")]
        title: String,
    },
    /// Move one to the trash, and say how to get it back
    Delete {
        #[command(flatten)]
        which: SessionName,
    },
    /// Move one back from the trash to where it was
    Restore {
        /// Its id, or the beginning of its id
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Take a text out of one's file for good
    Redact {
        #[command(flatten)]
        which: SessionName,
        #[command(flatten)]
        out: change::RedactTarget,
    },
    /// Mend a damaged session; the old file is kept
    Repair {
        #[command(flatten)]
        which: SessionName,
    },
}

impl SessionsArgs {
    /// Does it.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            SessionsArgs::List { examples: true, .. } => list::examples(),
            SessionsArgs::List { json, examples: false } => list::list(context, json),
            SessionsArgs::Tree => tree::tree(context),
            SessionsArgs::Search { text, json } => search::search(&text, json, context),
            SessionsArgs::Rename { which, title } => {
                change::rename(&find_own(&which, context)?, &title, context)
            }
            SessionsArgs::Delete { which } => {
                let moved = delete(&find_own(&which, context)?, context)?;
                moved.iter().for_each(|line| context.say(line));
                Ok(Exit::Done)
            }
            SessionsArgs::Restore { id } => change::restore(&id, context),
            SessionsArgs::Redact { which, out } => {
                change::redact(&find_own(&which, context)?, &out, context)
            }
            SessionsArgs::Show { which, format } => show(&find(&which, context)?, format, context),
            SessionsArgs::Path { which } => {
                let path = find(&which, context)?;
                output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
                Ok(Exit::Done)
            }
            SessionsArgs::Repair { which } => change::repair(&find_own(&which, context)?, context),
        }
    }
}

fn show(path: &Path, format: PrintFormat, context: &Context) -> Result<Exit, Failure> {
    let log = session::read(path)?;
    match format.spelling() {
        Some(spell) => {
            let events = log.records.iter().map(|r| &r.event);
            output::data(export::whole(events, spell).as_bytes())?;
        }
        None => {
            let bytes = fs::read(log.files.log()).map_err(|e| {
                Failure::new(Exit::Session, format!("cannot read {}: {e}", path.display()))
            })?;
            output::data(&bytes)?;
        }
    }
    report_faults(&log, context)
}
