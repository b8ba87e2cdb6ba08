//! Sub-commands on batch results: reports and merging.

use super::exporting::BatchExportArgs;
use super::folder::read_report;
use crate::analysis::Table;
use crate::batch::report::{PRINTED, UNREAD_MOST};
use crate::batch::{
    CONVERSATIONS, Refused, ReportRules, TestFamily, conversations, leaderboard_page, merge, page,
};
use crate::cli::args::Target;
use crate::cli::context::Context;
use crate::cli::document;
use crate::cli::error::{Exit, Failure};
use crate::export::figures;
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

/// Actions on results.
#[derive(Debug, Subcommand)]
pub enum BatchCommand {
    Report(ReportArgs),
    Merge(MergeArgs),
    Export(BatchExportArgs),
}

/// Print tables over the results, or write them as one page
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The folder of a batch, or a file of results
    #[arg(value_name = "RESULTS")]
    results: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Only this table (required for csv)
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
    /// Withhold a score if more than this share gave no answer
    #[arg(long, value_name = "SHARE", default_value_t = UNREAD_MOST)]
    max_unread: f64,
    /// Count conversations too whose prompts left out a part, because the context window was too small
    #[arg(long)]
    with_truncated: bool,
    /// Test every other arm against this one, in place of the examined arm against its baselines
    #[arg(long, value_name = "ARM", conflicts_with = "all_pairs")]
    against: Option<String>,
    /// Test all pairs of arms
    #[arg(long)]
    all_pairs: bool,
    /// Rate models that debated each other (--sides) or protocols, in place of the other tables
    #[arg(long, value_enum, conflicts_with = "table")]
    rate: Option<Rated>,
    #[command(flatten)]
    target: Target,
}

/// Subject of a rating.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Rated {
    /// Models, as a leaderboard.
    Models,
    /// Protocols, by the items that only one of two got right.
    Protocols,
}

/// Format of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Aligned columns.
    Text,
    /// Markdown.
    Md,
    /// One JSON object.
    Json,
    /// One table as comma-separated values.
    Csv,
    /// One self-contained page with a picture.
    Html,
}

/// Merge the results of several batches or machines into one file; arms that differ get brackets
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Folders of batches, or files of results
    #[arg(value_name = "RESULTS", required = true)]
    results: Vec<PathBuf>,
    /// The new file, which must not exist
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Merge although parts of a batch that was divided with --shard are missing
    #[arg(long)]
    partial: bool,
}

impl BatchCommand {
    /// Runs the sub-command.
    pub fn run(&self, context: &Context) -> Result<Exit, Failure> {
        match self {
            BatchCommand::Report(args) => args.run(context),
            BatchCommand::Merge(args) => args.run(context),
            BatchCommand::Export(args) => args.run(context),
        }
    }
}

impl ReportArgs {
    fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let rules =
            ReportRules { unread_most: self.max_unread, with_truncated: self.with_truncated };
        let (mut report, path) = read_report(&self.results, rules, context)?;
        report.family = match &self.against {
            Some(arm) if !report.arms().contains(arm) => {
                let hint = format!("the arms are {}", report.arms().join(", "));
                return Err(Failure::usage(format!("--against: there is no arm `{arm}`"), hint));
            }
            Some(arm) => TestFamily::Against(arm.clone()),
            None if self.all_pairs => TestFamily::AllPairs,
            None => TestFamily::Baselines,
        };
        let mut tables = match self.rate {
            None => report.tables(),
            Some(Rated::Models) => report.leaderboard(),
            Some(Rated::Protocols) => vec![report.strengths()],
        };
        if self.rate.is_some() && tables.first().is_none_or(|table| table.rows.is_empty()) {
            let message = format!("{} has nothing to rate", path.display());
            return Err(Failure::new(Exit::Invalid, message)
                .hint("models play with `batch --sides A,B`; protocols need items with a key"));
        }
        if let Some(name) = &self.table {
            let names: Vec<&str> = tables.iter().map(|table| table.name).collect();
            let hint = format!("the tables are {}, {CONVERSATIONS}", names.join(", "));
            if name == CONVERSATIONS {
                tables.push(conversations(&report));
            }
            tables.retain(|table| table.name == name);
            if tables.is_empty() {
                return Err(Failure::usage(format!("no table `{name}`"), hint));
            }
        }
        let out = match (self.format, &tables[..]) {
            (Format::Text, all) if self.rate.is_none() && self.table.is_none() => printed(all),
            (Format::Text, tables) => figures::text(tables),
            (Format::Md, tables) => figures::md(tables),
            (Format::Json, tables) => format!("{:#}\n", figures::json(tables)),
            (Format::Csv, [table]) => figures::csv(table),
            (Format::Csv, [table, ..]) if self.rate.is_some() => figures::csv(table),
            (Format::Csv, _) => {
                return Err(Failure::usage(
                    "csv takes one table at a time",
                    "choose one with --table, as in --table accuracy",
                ));
            }
            (Format::Html, _) if self.rate == Some(Rated::Models) => {
                leaderboard_page(&report, &title(&path), &beside(&path, self.target.file()))
            }
            (Format::Html, _) => page(&report, &title(&path)),
        };
        document::write(&out, &self.target, context)
    }
}

/// Returns the first tables as text, and the names of the others that have rows.
fn printed(tables: &[Table]) -> String {
    let (first, others): (Vec<Table>, Vec<Table>) =
        tables.iter().cloned().partition(|table| PRINTED.contains(&table.name));
    let others = others.iter().filter(|table| !table.rows.is_empty());
    let names: Vec<&str> = others.map(|table| table.name).collect();
    let mut out = figures::text(&first);
    if !names.is_empty() {
        out.push_str(&format!(
            "\nMore, with --table NAME or --format html: {}\n",
            names.join(", ")
        ));
    }
    out
}

/// Returns the folder of some results, relative to that of a page if it is inside.
fn beside(results: &Path, page: Option<&Path>) -> PathBuf {
    let folder = |path: &Path| {
        let parent = path.parent()?;
        if parent.as_os_str().is_empty() { Path::new(".") } else { parent }.canonicalize().ok()
    };
    let of = folder(results).unwrap_or_default();
    let from = folder(page.unwrap_or(Path::new("page"))).unwrap_or_default();
    of.strip_prefix(&from).map_or_else(|_| of.clone(), Path::to_owned)
}

/// Returns the title of a report: the name of its folder.
fn title(path: &Path) -> String {
    let folder = path.canonicalize().ok().and_then(|path| path.parent().map(Path::to_owned));
    let name = folder.and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned()));
    name.unwrap_or_else(|| "Results".into())
}

impl MergeArgs {
    fn run(&self, context: &Context) -> Result<Exit, Failure> {
        let count = merge(&self.results, &self.output, self.partial).map_err(|e| {
            let cause = std::error::Error::source(&e).map(|e| format!(": {e}")).unwrap_or_default();
            let hint = match &e {
                Refused::Io(..) => "check the name; a file that is already there is not replaced",
                Refused::Damaged(..) => {
                    "remove the line; its conversation runs again with the same command"
                }
                Refused::Repeated(_) => "name each file or folder once",
                Refused::Twice { .. } => {
                    "leave out the one that is a copy; two runs of the same conversation need different seeds: --seed, or one run with --repeats"
                }
                Refused::Missing(_) => "run them, or merge the others with --partial",
            };
            Failure::new(Exit::Invalid, format!("not merged: {e}{cause}")).hint(hint)
        })?;
        context.say(&format!("written: {} ({count} results)", self.output.display()));
        Ok(Exit::Done)
    }
}
