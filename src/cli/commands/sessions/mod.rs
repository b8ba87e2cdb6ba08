//! `sessions`: the saved sessions and the actions on them.

mod change;
mod list;
mod search;
mod tree;

use crate::cli::args::{PrintFormat, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output::{self, watched};
use crate::cli::session_file::{delete, find, find_own, report_faults};
use crate::export::Telling;
use crate::session::{self, Records};
use crate::state::State;
use crate::{text, untrusted};
use clap::Subcommand;
use std::io::{self, BufWriter, Write, stdout};
use std::path::Path;

/// Manage saved sessions
#[derive(Debug, Subcommand)]
pub enum SessionsArgs {
    /// List sessions, most recent first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// List the bundled example sessions
        #[arg(long)]
        examples: bool,
        /// List all runs of rehearsed talks, not only the last of each
        #[arg(long)]
        all: bool,
    },
    /// Show sessions as a tree of branches
    Tree {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the transcript; same as `export --format txt`
    #[command(hide = true)]
    Show {
        #[command(flatten)]
        which: SessionName,
        /// Output format
        #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
        format: PrintFormat,
    },
    /// Print the path of a session's file
    Path {
        #[command(flatten)]
        which: SessionName,
    },
    /// Search the words of all sessions
    Search {
        /// Words to find (case-insensitive), and from:NAME for one speaker
        text: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Rename a session
    Rename {
        #[command(flatten)]
        which: SessionName,
        /// New title
        #[arg(long, value_name = "TEXT")]
        title: String,
    },
    /// Move a session to the trash
    Delete {
        #[command(flatten)]
        which: SessionName,
    },
    /// Restore a session from the trash
    Restore {
        /// Session id or id prefix
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Permanently redact text from a session
    Redact {
        #[command(flatten)]
        which: SessionName,
        #[command(flatten)]
        out: change::RedactTarget,
        /// Rename without asking
        #[arg(long, requires = "rename")]
        yes: bool,
    },
    /// Repair a damaged session (the old file is kept)
    Repair {
        #[command(flatten)]
        which: SessionName,
    },
}

impl Default for SessionsArgs {
    fn default() -> SessionsArgs {
        SessionsArgs::List { json: false, examples: false, all: false }
    }
}

impl SessionsArgs {
    /// Runs the sub-command.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            SessionsArgs::List { examples: true, .. } => list::examples(),
            SessionsArgs::List { json, all, examples: false } => list::list(context, json, all),
            SessionsArgs::Tree { json } => tree::tree(context, json),
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
            SessionsArgs::Redact { which, out, yes } => {
                change::redact(&find_own(&which, context)?, &out, yes, context)
            }
            SessionsArgs::Show { which, format } => show(&find(&which, context)?, format, context),
            SessionsArgs::Path { which } => {
                let path = find(&which, context)?;
                output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())
            }
            SessionsArgs::Repair { which } => change::repair(&find_own(&which, context)?, context),
        }
    }
}

fn show(path: &Path, format: PrintFormat, context: &Context) -> Result<Exit, Failure> {
    let mut whole = State::default();
    let survey = watched("reading the session", |progress| {
        session::fold(path, progress, &mut |event| whole.apply(event))
    })?;
    let mut out = BufWriter::new(stdout().lock());
    let records = survey.archive.clone().map(Records::from);
    let written = match format.spelling() {
        Some(spell) => {
            let mut telling = Telling::without_hidden(&whole);
            let mut told = records.iter().flat_map(|records| records.iter());
            told.try_for_each(|r| out.write_all(telling.next(&r.event, spell).as_bytes()))
                .and_then(|()| out.write_all(telling.rest().as_bytes()))
        }
        None => {
            let mut log = untrusted::open(survey.files.log()).map_err(|e| {
                Failure::new(Exit::Session, format!("cannot read {}: {e}", path.display()))
            })?;
            io::copy(&mut log, &mut out).map(drop)
        }
    };
    output::written(written.and_then(|()| out.flush()))?;
    report_faults(&survey, context)
}
