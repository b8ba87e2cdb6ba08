//! `sessions`: what was said before, and where it lies.

use super::context::Context;
use super::error::Failure;
use super::exit::Exit;
use super::options::Format;
use super::talk;
use crate::catalogue::{self, Standing, Summary};
use crate::export;
use crate::model::Wall;
use crate::session::{self, Log, LogFault};
use crate::text;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// List, show and mend past conversations
#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// List them all, the one written last first
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
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

    /// Finds its file.
    pub fn find(&self, context: &Context) -> Result<PathBuf, Failure> {
        let folder = context.paths.sessions();
        let found = match &self.session {
            Some(name) => catalogue::find(&folder, name),
            None => catalogue::last(&folder),
        };
        let unreadable =
            |e| Failure::new(Exit::Session, format!("cannot read {}: {e}", folder.display()));
        Ok(found.map_err(unreadable)??)
    }
}

impl Sessions {
    /// Does it.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        match self {
            Sessions::List { json } => list(context, json),
            Sessions::Show { which, format } => show(&which.find(context)?, format, context),
            Sessions::Path { which } => {
                let path = which.find(context)?;
                talk::data(format!("{}\n", text::line(&path.display().to_string())).as_bytes())?;
                Ok(Exit::Done)
            }
            Sessions::Repair { which } => repair(&which.find(context)?, context),
        }
    }
}

fn list(context: &Context, json: bool) -> Result<Exit, Failure> {
    let folder = context.paths.sessions();
    let all = catalogue::list(&folder).map_err(|e| {
        Failure::new(Exit::Session, format!("cannot read {}: {e}", folder.display()))
    })?;
    if json {
        let all: Vec<Value> = all.iter().map(as_json).collect();
        talk::data(format!("{:#}\n", Value::Array(all)).as_bytes())?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        context.say("there is no session yet; `colloquium demo --headless` makes one");
        return Ok(Exit::Done);
    }
    let mut rows = vec![["ID", "WRITTEN (UTC)", "STATE", "UTTERANCES", "TITLE"].map(str::to_owned)];
    rows.extend(all.iter().map(row));
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let [id, written, state, said] = [0, 1, 2, 3].map(width);
    let line = |r: &[String; 5]| {
        let [a, b, c, d, e] = r;
        let line = format!("{a:id$}  {b:written$}  {c:state$}  {d:>said$}  {e}");
        format!("{}\n", line.trim_end())
    };
    talk::data(rows.iter().map(line).collect::<String>().as_bytes())?;
    Ok(Exit::Done)
}

fn row(s: &Summary) -> [String; 5] {
    let one_line = |t: &str| text::line(t).into_owned();
    let at = moment(s.written).map_or(String::new(), |t| t.strftime("%Y-%m-%d %H:%M").to_string());
    let (state, why) = standing(&s.standing);
    let state = why.map_or(state.clone(), |why| format!("{state}: {}", one_line(&why)));
    [one_line(&s.id), at, state, s.utterances.to_string(), one_line(&s.title)]
}

fn as_json(s: &Summary) -> Value {
    let (state, why) = standing(&s.standing);
    json!({
        "id": text::line(&s.id),
        "title": text::line(&s.title),
        "state": state,
        "why": why.map(|w| text::line(&w).into_owned()),
        "utterances": s.utterances,
        "written": moment(s.written).map(|t| t.to_string()),
        "path": text::line(&s.path.display().to_string()),
    })
}

/// Returns where a session stands, in one word and in more.
fn standing(standing: &Standing) -> (String, Option<String>) {
    let (word, why) = match standing {
        Standing::Running(pid) => ("running", pid.map(|pid| format!("process {pid}"))),
        Standing::Unfinished => ("unfinished", None),
        Standing::Ended(reason) => ("ended", Some(export::reason(*reason))),
        Standing::Damaged(why) => ("damaged", Some(why.clone())),
        Standing::Newer => ("newer", Some("written by a newer program".into())),
        Standing::Unreadable(why) => ("unreadable", Some(why.clone())),
    };
    (word.into(), why)
}

fn moment(at: Wall) -> Option<Timestamp> {
    Timestamp::from_millisecond(at.0).ok()
}

fn show(path: &Path, format: Format, context: &Context) -> Result<Exit, Failure> {
    let log = session::read(path)?;
    match format.spelling() {
        Some(spell) => {
            let events = log.records.iter().map(|r| &r.event);
            talk::data(export::whole(events, spell).as_bytes())?;
        }
        None => {
            let bytes = fs::read(log.files.log()).map_err(|e| {
                Failure::new(Exit::Session, format!("cannot read {}: {e}", path.display()))
            })?;
            talk::data(&bytes)?;
        }
    }
    judged(&log, context)
}

/// Says what was wrong with a session of which everything was shown that can be read.
pub fn judged(log: &Log, context: &Context) -> Result<Exit, Failure> {
    if log.torn.is_some() {
        context.say("the last line was not finished; a resume sets it aside");
    }
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

fn repair(path: &Path, context: &Context) -> Result<Exit, Failure> {
    let done = session::repair(path)?;
    for fault in &done.faults {
        context.say(&format!("found: {fault}"));
    }
    match done.kept {
        None => context.say("nothing had to be mended"),
        Some(kept) => context.say(&format!(
            "mended: {} events, {} of them from a rescue file, {} in place of lost ones; the old file is {}",
            done.events,
            done.rescued,
            done.stand_ins,
            kept.display()
        )),
    }
    Ok(Exit::Done)
}
