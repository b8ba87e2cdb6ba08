//! `analyze`: prints tables for one session, or compares two from the point where they diverge.

use crate::analysis::{self, Analysis, Table, Totals, TurnLog};
use crate::cli::args::{SessionName, Target};
use crate::cli::context::Context;
use crate::cli::document::{self, know_keys};
use crate::cli::error::{Exit, Failure};
use crate::cli::output::watched;
use crate::cli::session_file::{self, report_faults};
use crate::export::{self, Beside, Seen, figures};
use crate::model::{Reveal, Seq};
use crate::session::{self, ReadProgress, SessionError, Survey};
use crate::state::State;
use crate::{catalogue, text};
use clap::{Args, ValueEnum};
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// Statistics for one session, or a comparison of two
#[derive(Debug, Args)]
#[group(required = true, multiple = true, args = ["sessions", "all", "last"])]
pub struct AnalyzeArgs {
    /// One or two sessions: ids, id prefixes or paths
    #[arg(value_name = "SESSION", num_args = 0..=2)]
    sessions: Vec<String>,
    /// All sessions together: models, cost, wins, ends
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

/// Format of the figures.
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

/// Session to analyze, without its events; those stay in the file.
struct Read {
    survey: Survey,
    state: State,
    turn_log: TurnLog,
}

impl Read {
    fn from_session(which: &SessionName, context: &Context) -> Result<Read, Failure> {
        let path = session_file::find(which, context)?;
        Ok(watched("reading the session", |progress| studied(&path, progress))?)
    }

    fn analysis(&self, from: Seq) -> Analysis<'_> {
        Analysis { state: &self.state, turn_log: &self.turn_log, from }
    }

    fn title(&self) -> String {
        text::label(&self.state.shown_title()).into_owned()
    }

    /// Describes the session in one line: id, title, number of turns and duration.
    fn summary(&self) -> String {
        let said = crate::export::utterances(self.state.utterances);
        let lasted = analysis::Cell::At(self.turn_log.lasted()).shown();
        let paused = match self.turn_log.paused() {
            0 => String::new(),
            ms => format!(", paused {}", analysis::Cell::At(ms).shown()),
        };
        format!("{} · {} · {said}, {lasted}{paused}", self.survey.files.id(), self.title())
    }

    fn data(&self) -> Value {
        json!({"id": self.survey.files.id(), "title": self.title(), "utterances": self.state.utterances,
            "lasted_ms": self.turn_log.lasted(), "paused_ms": self.turn_log.paused()})
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
        let a = SessionName::from_option(named.next().flatten());
        let b = named.next().map(SessionName::from_option);
        let a = Read::from_session(&a, context)?;
        let b = b.map(|b| Read::from_session(&b, context)).transpose()?;
        if named.next().is_some() {
            let hint = "give at most one session together with --last";
            return Err(Failure::usage("at most two sessions can be compared", hint));
        }
        match &b {
            None => {
                let analysis = a.analysis(Seq(0));
                let report = Report { head: a.summary(), sessions: json!([a.data()]), texts: None };
                self.write(report, || analysis.each(), context)?;
            }
            Some(b) => {
                let with_texts = self.table.is_none();
                let (from, texts) = watched("comparing the sessions", |progress| {
                    compared(&a, b, with_texts, progress)
                })?;
                let head = [
                    format!("A  {}", a.summary()),
                    format!("B  {}", b.summary()),
                    parted(&a, from),
                ];
                let sessions = json!([a.data(), b.data()]);
                let left = a.analysis(from);
                let right = b.analysis(from);
                let report = Report { head: head.join("\n"), sessions, texts };
                self.write(report, || left.each_beside(&right), context)?;
            }
        }
        let read = [Some(&a), b.as_ref()].into_iter().flatten();
        read.map(|r| report_faults(&r.survey, context)).fold(Ok(Exit::Done), Result::and)
    }

    /// Prints the totals of all sessions. Unreadable sessions are skipped and counted.
    fn all(&self, context: &Context) -> Result<Exit, Failure> {
        let folder = context.paths.sessions();
        let paths = catalogue::paths(&folder).map_err(session_file::unreadable(&folder))?;
        let mut totals = Totals::default();
        let mut unread = 0;
        watched("reading sessions", |progress| {
            progress.begin(paths.len() as u64);
            for path in &paths {
                match studied(path, &ReadProgress::default()) {
                    Ok(read) => totals.add(&read.analysis(Seq(0))),
                    Err(_) => unread += 1,
                }
                progress.step();
            }
        });
        let sessions = totals.sessions();
        let head = text::plural(sessions, "session");
        let report = Report { head, sessions: json!(sessions), texts: None };
        self.write(report, || totals.tables().into_iter(), context)?;
        if unread > 0 {
            context.say(&format!(
                "{unread} sessions could not be read; `colloquium sessions list` names them"
            ));
        }
        Ok(Exit::Done)
    }

    /// Writes a report with all tables, or only the selected one, in the selected format.
    fn write<T: Iterator<Item = Table>>(
        &self,
        report: Report,
        tables: impl Fn() -> T,
        context: &Context,
    ) -> Result<Exit, Failure> {
        let wanted = match &self.table {
            Some(name) => Some(chosen(&tables, name)?),
            None if self.format == Format::Csv => {
                let names: Vec<&str> = tables().map(|t| t.name).collect();
                return Err(Failure::usage(
                    "csv takes one table at a time",
                    format!("choose one with --table: {}", names.join(", ")),
                ));
            }
            None => None,
        };
        document::stream(&self.target, context, |out| match wanted {
            Some(table) => report.write(self.format, || std::iter::once(table.clone()), out),
            None => report.write(self.format, tables, out),
        })
    }
}

/// Text and data that accompany the tables.
struct Report {
    /// Summary of the sessions, one or more lines.
    head: String,
    /// The same summary as JSON.
    sessions: Value,
    /// Texts of two sessions side by side; `None` if not requested.
    texts: Option<Beside>,
}

impl Report {
    fn write<T: Iterator<Item = Table>>(
        self,
        format: Format,
        tables: impl Fn() -> T,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Report { head, sessions, texts } = self;
        match format {
            Format::Text => {
                write!(out, "{head}\n\n")?;
                if let Some(texts) = texts {
                    out.write_all(b"COMPARISON\n\n")?;
                    texts.write(export::text::spell, out)?;
                }
                figures::write(tables(), figures::text, out)
            }
            Format::Md => {
                let head: Vec<String> = head.lines().map(export::md::plain).collect();
                write!(out, "{}\n\n", head.join("  \n"))?;
                texts.map_or(Ok(()), |texts| texts.write(export::md::spell, out))?;
                figures::write(tables(), figures::md, out)
            }
            Format::Json => {
                let mut pretty = serde_json::Serializer::pretty(&mut *out);
                let mut whole = pretty.serialize_map(None)?;
                whole.serialize_entry("sessions", &sessions)?;
                whole.serialize_entry("figures", &figures::EachTable(tables))?;
                texts.map_or(Ok(()), |texts| whole.serialize_entry("side_by_side", &texts))?;
                whole.end()?;
                out.write_all(b"\n")
            }
            Format::Csv => tables().try_for_each(|t| out.write_all(figures::csv(&t).as_bytes())),
        }
    }
}

/// Returns the point of divergence of two sessions and, if requested, their texts from there on, side by side.
fn compared(
    a: &Read,
    b: &Read,
    with_texts: bool,
    progress: &ReadProgress,
) -> Result<(Seq, Option<Beside>), SessionError> {
    let records = a.survey.records();
    let others = b.survey.records();
    progress.begin((records.len() + others.len()) as u64);
    let from = analysis::divergence(
        progress.through(records.skim(), records.len()),
        progress.through(others.skim(), others.len()),
    );
    if !with_texts {
        return Ok((from, None));
    }
    // private texts must not reach the output file
    let seen = |read: &Read| Seen::read(read.survey.files.log(), Reveal::default(), progress);
    let (left, right) = (seen(a)?, seen(b)?);
    Ok((from, Some(Beside::new(&a.state, &left, &b.state, &right, from))))
}

/// Reads a session and collects the figures for the tables.
fn studied(path: &Path, progress: &ReadProgress) -> Result<Read, SessionError> {
    let mut state = State::default();
    let mut turn_log = TurnLog::default();
    let survey = session::fold(path, progress, &mut |event| {
        state.apply(event);
        turn_log.take(event);
    })?;
    Ok(Read { survey, state, turn_log })
}

/// Describes the point from which two sessions are compared.
fn parted(a: &Read, from: Seq) -> String {
    let shared = a.state.entries.iter().filter(|e| e.seq < from).filter_map(|e| e.number).max();
    match shared {
        Some(number) => format!("they diverge after turn {number}; only later turns are counted"),
        None => "the sessions have no turns in common; all turns are counted".into(),
    }
}

/// Returns a table by name.
fn chosen<T: Iterator<Item = Table>>(tables: impl Fn() -> T, name: &str) -> Result<Table, Failure> {
    tables().find(|t| t.name == name).ok_or_else(|| {
        let names: Vec<&str> = tables().map(|t| t.name).collect();
        Failure::usage(
            format!("no table named `{name}`"),
            format!("the tables are {}", names.join(", ")),
        )
    })
}
