//! `analyze`: tables for one session, or for two side by side from the place where they diverge.

use crate::analysis::{self, Analysis, FIGURES, Table, Totals, TurnLog};
use crate::catalogue;
use crate::cli::args::session::SessionName;
use crate::cli::args::target::Target;
use crate::cli::context::Context;
use crate::cli::document::{self, know_keys};
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::session_file::{self, report_faults};
use crate::cli::watched::watched;
use crate::export::{Beside, Reveal, discreet, figures};
use crate::model::{Event, Seq};
use crate::session::{self, Log, ReadProgress, Record, SessionError, Survey};
use crate::state::{Sieve, State};
use crate::text;
use clap::{Args, ValueEnum};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Statistics for one session, or a comparison of two
#[derive(Debug, Args)]
#[group(required = true, multiple = true, args = ["sessions", "all", "last"])]
pub struct AnalyzeArgs {
    /// One or two sessions: ids, id prefixes or paths
    #[arg(value_name = "SESSION", num_args = 0..=2)]
    sessions: Vec<String>,
    /// All sessions together: models, cost, who won, how they ended
    #[arg(long, conflicts_with_all = ["sessions", "last"])]
    all: bool,
    /// Use the most recent session as the first
    #[arg(long)]
    last: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only this table (required for csv)
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    #[command(flatten)]
    target: Target,
}

/// How figures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns.
    Text,
    /// One JSON object.
    Json,
    /// One table as comma-separated values.
    Csv,
    /// Markdown.
    Md,
}

/// A session as it is looked at.
struct Read {
    log: Log,
    state: State,
    turn_log: TurnLog,
}

impl Read {
    /// Reads a session for its figures alone: no event stays in memory.
    fn figures(which: &SessionName, context: &Context) -> Result<Read, Failure> {
        let path = session_file::find(which, context)?;
        let (survey, state, turn_log) =
            watched("reading the session", |progress| studied(&path, progress))?;
        Ok(Read { log: Log { survey, records: vec![] }, state, turn_log })
    }

    /// Reads a session whose events are compared with those of another one.
    fn whole(which: &SessionName, context: &Context) -> Result<Read, Failure> {
        let mut read = Read::figures(which, context)?;
        // the ends of turns repeat the pieces, which are most of a session
        let path = read.log.files.log().to_owned();
        session::skim(&path, &mut |found| read.log.records.push(found.record()))?;
        Ok(read)
    }

    fn events(&self) -> impl Iterator<Item = &Event> {
        self.log.records.iter().map(|r| &r.event)
    }

    fn discreet(&self) -> Result<Vec<Arc<Record>>, Failure> {
        Ok(discreet(&self.log.records, Reveal::default())?)
    }

    fn tables(&self, from: Seq) -> Vec<Table> {
        Analysis { state: &self.state, turn_log: &self.turn_log, from }.tables()
    }

    fn title(&self) -> String {
        text::label(&self.state.shown_title()).into_owned()
    }

    /// What it is and how long it took, in a line.
    fn summary(&self) -> String {
        let said = crate::export::utterances(self.state.utterances);
        let lasted = analysis::Cell::At(self.turn_log.lasted()).shown();
        let paused = match self.turn_log.paused() {
            0 => String::new(),
            ms => format!(", paused {}", analysis::Cell::At(ms).shown()),
        };
        format!("{} · {} · {said}, {lasted}{paused}", self.log.files.id(), self.title())
    }
}

impl AnalyzeArgs {
    /// Prints or writes the tables.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        know_keys(context)?;
        if self.all {
            return self.all(context);
        }
        let last = self.last.then_some(None);
        let mut named = last.into_iter().chain(self.sessions.iter().map(Some));
        let (a, b) = (SessionName::of(named.next().flatten()), named.next().map(SessionName::of));
        let (a, b) = match b {
            None => (Read::figures(&a, context)?, None),
            Some(b) => (Read::whole(&a, context)?, Some(Read::whole(&b, context)?)),
        };
        if named.next().is_some() {
            let hint = "give at most one session together with --last";
            return Err(Failure::usage("at most two sessions can be compared", hint));
        }
        let mut texts = None;
        let (mut tables, head) = match &b {
            None => (a.tables(Seq(0)), format!("{}\n", a.summary())),
            Some(b) => {
                let from = analysis::divergence(a.events(), b.events());
                // private texts do not get into a file
                let (left, right) = (a.discreet()?, b.discreet()?);
                texts =
                    Some(Beside::of(left.iter().map(|r| &r.event), right.iter().map(|r| &r.event)));
                let (left, right) = (a.tables(from), b.tables(from));
                let tables = left.iter().zip(&right).map(|(l, r)| l.beside(r)).collect();
                let head =
                    format!("A  {}\nB  {}\n{}\n", a.summary(), b.summary(), parted(&a, from));
                (tables, head)
            }
        };
        if let Some(name) = &self.table {
            (tables, texts) = (vec![chosen(tables, name)?], None);
        }
        let out = match (self.format, &tables[..]) {
            (Format::Text, tables) => {
                let said =
                    texts.map(|t| format!("COMPARISON\n\n{}", t.told(crate::export::text::spell)));
                format!("{head}\n{}{}", said.unwrap_or_default(), figures::text(tables))
            }
            (Format::Md, tables) => {
                let head: Vec<String> = head.lines().map(crate::export::md::plain).collect();
                let said = texts.map(|t| t.told(crate::export::md::spell)).unwrap_or_default();
                format!("{}\n\n{said}{}", head.join("  \n"), figures::md(tables))
            }
            (Format::Json, tables) => {
                let session = |r: &Read| {
                    json!({"id": r.log.files.id(), "title": r.title(), "utterances": r.state.utterances,
                    "lasted_ms": r.turn_log.lasted(), "paused_ms": r.turn_log.paused()})
                };
                let sessions: Vec<_> =
                    [Some(&a), b.as_ref()].into_iter().flatten().map(session).collect();
                let mut all = json!({"sessions": sessions, "figures": figures::json(tables)});
                if let Some(texts) = texts {
                    all["side_by_side"] = texts.json();
                }
                format!("{all:#}\n")
            }
            (Format::Csv, [table]) => figures::csv(table),
            (Format::Csv, _) => {
                return Err(Failure::usage(
                    "csv takes one table at a time",
                    format!("choose one with --table: {}", names().join(", ")),
                ));
            }
        };
        document::write(&out, &self.target, context)?;
        let faults =
            [Some(&a), b.as_ref()].into_iter().flatten().map(|r| report_faults(&r.log, context));
        faults.fold(Ok(Exit::Done), Result::and)
    }
}

impl AnalyzeArgs {
    /// Prints the totals of all sessions; unreadable ones are counted and left out.
    fn all(&self, context: &Context) -> Result<Exit, Failure> {
        let folder = context.paths.sessions();
        let paths = catalogue::paths(&folder).map_err(session_file::unreadable(&folder))?;
        let (mut totals, mut unread) = (Totals::default(), 0);
        watched("reading sessions", |progress| {
            progress.begin(paths.len() as u64);
            for path in &paths {
                match studied(path, &ReadProgress::default()) {
                    Ok((_, state, turn_log)) => {
                        totals.add(&Analysis { state: &state, turn_log: &turn_log, from: Seq(0) });
                    }
                    Err(_) => unread += 1,
                }
                progress.step();
            }
        });
        let mut tables = totals.tables();
        if let Some(name) = &self.table {
            tables = vec![chosen(tables, name)?];
        }
        let sessions = totals.sessions();
        let head = format!("{sessions} session{}", if sessions == 1 { "" } else { "s" });
        let out = match (self.format, &tables[..]) {
            (Format::Text, tables) => format!("{head}\n\n{}", figures::text(tables)),
            (Format::Md, tables) => format!("{head}\n\n{}", figures::md(tables)),
            (Format::Json, tables) => {
                let all = json!({"sessions": sessions, "figures": figures::json(tables)});
                format!("{all:#}\n")
            }
            (Format::Csv, [table]) => figures::csv(table),
            (Format::Csv, tables) => {
                let names: Vec<&str> = tables.iter().map(|t| t.name).collect();
                return Err(Failure::usage(
                    "csv takes one table at a time",
                    format!("choose one with --table: {}", names.join(", ")),
                ));
            }
        };
        document::write(&out, &self.target, context)?;
        if unread > 0 {
            context.say(&format!(
                "{unread} sessions could not be read; `colloquium sessions list` names them"
            ));
        }
        Ok(Exit::Done)
    }
}

/// Reads what figures are made of.
fn studied(path: &Path, progress: &ReadProgress) -> Result<(Survey, State, TurnLog), SessionError> {
    let (mut state, mut turn_log, mut sieve) =
        (State::default(), TurnLog::default(), Sieve::default());
    let mut each = |event: Event| {
        state.apply(&event);
        turn_log.take(&event);
    };
    let survey = session::scan_for_fold(path, progress, &mut |found| {
        sieve.take(found.event, &mut each);
    })?;
    sieve.finish(&mut each);
    Ok((survey, state, turn_log))
}

/// Says from where on two sessions are counted.
fn parted(a: &Read, from: Seq) -> String {
    let shared = a.state.entries.iter().filter(|e| e.seq < from).filter_map(|e| e.number).max();
    match shared {
        Some(number) => format!("they diverge after turn {number}; only later turns are counted"),
        None => "the sessions have no turns in common; all turns are counted".into(),
    }
}

/// Returns the names of all tables.
fn names() -> Vec<&'static str> {
    let (state, turn_log) = (State::default(), TurnLog::default());
    let empty = Analysis { state: &state, turn_log: &turn_log, from: Seq(0) };
    FIGURES.iter().map(|(_, figure)| figure(&empty).name).collect()
}

fn chosen(tables: Vec<Table>, name: &str) -> Result<Table, Failure> {
    let names: Vec<&str> = tables.iter().map(|t| t.name).collect();
    let hint = format!("the tables are {}", names.join(", "));
    let found = tables.into_iter().find(|t| t.name == name);
    found.ok_or_else(|| Failure::usage(format!("no table named `{name}`"), hint))
}
