//! `sessions`: what was said before, and where it lies.

mod change;
mod list;
mod search;
mod tree;

pub use change::delete;

use crate::catalogue::{self, example};
use crate::cli::args::play::Format;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config::make_private;
use crate::export;
use crate::model::Wall;
use crate::session::{self, Log, LogFault};
use crate::text;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use std::fs;
use std::path::{Path, PathBuf};

/// Past conversations: list, show, search, rename, delete, mend
#[derive(Debug, Subcommand)]
pub enum Sessions {
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
        which: Which,
        /// How
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Print the path of a session's file
    Path {
        #[command(flatten)]
        which: Which,
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
        which: Which,
        /// The title
        #[arg(long, value_name = "TEXT")]
        title: String,
    },
    /// Move one to the trash, and say how to get it back
    Delete {
        #[command(flatten)]
        which: Which,
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
        which: Which,
        #[command(flatten)]
        out: change::RedactTarget,
    },
    /// Mend a damaged session; the old file is kept
    Repair {
        #[command(flatten)]
        which: Which,
    },
}

/// Which session is meant.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Which {
    /// The path of a session, its id, or the beginning of its id
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// The one written last
    #[arg(long)]
    last: bool,
}

impl Which {
    /// Returns the session of a name; without one the session written last.
    pub fn named(name: Option<&String>) -> Which {
        Which { session: name.cloned(), last: name.is_none() }
    }

    /// Refuses to write to what comes with the program.
    fn is_not_an_example(&self) -> Result<(), Failure> {
        match self.session.as_deref().filter(|name| example(name).is_some()) {
            Some(name) => Err(Failure::usage(
                format!("{name} comes with the program and stays as it is"),
                format!("branch off: colloquium fork {name} --at N"),
            )),
            None => Ok(()),
        }
    }

    /// Finds the file of a session that may be written to.
    pub fn own(&self, context: &Context) -> Result<PathBuf, Failure> {
        self.is_not_an_example()?;
        self.find(context)
    }

    /// Finds its file.
    pub fn find(&self, context: &Context) -> Result<PathBuf, Failure> {
        let folder = context.paths.sessions();
        if let Some((name, log)) = self.session.as_ref().and_then(|n| Some((n, example(n)?))) {
            return unpack_example(name, log, context);
        }
        let found = match &self.session {
            Some(name) => catalogue::find(&folder, name),
            None => catalogue::last(&folder),
        };
        Ok(found.map_err(unreadable(&folder))??)
    }
}

/// Puts an example where it can be read like any session; whatever became of it there, it is as it was again.
fn unpack_example(name: &str, log: &str, context: &Context) -> Result<PathBuf, Failure> {
    let folder = context.paths.cache.join("examples");
    let path = folder.join(format!("{name}.jsonl"));
    if fs::read_to_string(&path).is_ok_and(|there| there == log) {
        return Ok(path);
    }
    make_private(&folder)?;
    fs::write(&path, log).map_err(|e| {
        Failure::new(Exit::Session, format!("cannot write {}: {e}", path.display()))
    })?;
    Ok(path)
}

impl Sessions {
    /// Does it.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Sessions::List { examples: true, .. } => list::examples(),
            Sessions::List { json, examples: false } => list::list(context, json),
            Sessions::Tree => tree::tree(context),
            Sessions::Search { text, json } => search::search(&text, json, context),
            Sessions::Rename { which, title } => {
                change::rename(&which.own(context)?, &title, context)
            }
            Sessions::Delete { which } => {
                let moved = delete(&which.own(context)?, context)?;
                moved.iter().for_each(|line| context.say(line));
                Ok(Exit::Done)
            }
            Sessions::Restore { id } => change::restore(&id, context),
            Sessions::Redact { which, out } => change::redact(&which.own(context)?, &out, context),
            Sessions::Show { which, format } => show(&which.find(context)?, format, context),
            Sessions::Path { which } => {
                let path = which.find(context)?;
                output::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
                Ok(Exit::Done)
            }
            Sessions::Repair { which } => change::repair(&which.own(context)?, context),
        }
    }
}

/// Returns what a folder that cannot be read is told as.
fn unreadable(folder: &Path) -> impl Fn(std::io::Error) -> Failure {
    let folder = folder.display().to_string();
    move |e| Failure::new(Exit::Session, format!("cannot read {folder}: {e}"))
}

fn moment(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}

fn show(path: &Path, format: Format, context: &Context) -> Result<Exit, Failure> {
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

/// Says which texts of a session are not there any more; it can be gone on with all the same.
pub fn report_missing_texts(log: &Log, context: &Context) {
    let missing = log.faults.iter().filter(|f| matches!(f, LogFault::Blob { .. }));
    missing.for_each(|fault| context.say(&fault.to_string()));
}

/// Says what was wrong with a session of which everything was shown that can be read.
pub fn report_faults(log: &Log, context: &Context) -> Result<Exit, Failure> {
    if log.records.is_empty() {
        context.say("nothing that can be read was written into it");
    }
    if log.torn.is_some() {
        context.say("the last line was not finished; a resume sets it aside");
    }
    report_missing_texts(log, context);
    let newer = |f: &&LogFault| matches!(f, LogFault::Newer { .. });
    if let Some(fault) = log.faults.iter().find(newer) {
        context.say(&format!("it can only be read: {fault}"));
    }
    let path = log.files.log().display();
    match log.faults.iter().filter(|f| !newer(f)).find(|f| f.forbids_writing()) {
        Some(fault) => Err(Failure::new(
            Exit::Session,
            format!("{path} is damaged, and this is what can be read: {fault}"),
        )
        .hint(format!("colloquium sessions repair {path}"))),
        None => Ok(Exit::Done),
    }
}
