//! `sessions tree`: prints the branches of sessions, each with the number of the turn after which it branched off.

use super::list::status_columns;
use crate::catalogue::{self, SessionSummary};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session_file::unreadable;
use crate::cli::watched::watched;
use crate::export::utterances;
use crate::text;

/// Prints the sessions as a tree of branches.
pub fn tree(context: &Context) -> Result<Exit, Failure> {
    let folder = context.paths.sessions();
    let all = watched("reading sessions", |progress| catalogue::list(&folder, progress))
        .map_err(unreadable(&folder))?;
    let rows = catalogue::tree(&all);
    let lines = rows.iter().map(|(depth, summary)| row(*depth, summary));
    output::data(lines.collect::<String>().as_bytes())?;
    Ok(Exit::Done)
}

fn row(depth: usize, s: &SessionSummary) -> String {
    let point = match &s.parent {
        Some((_, point)) if depth > 0 => format!("{}+ after #{point}  ", "  ".repeat(depth - 1)),
        Some((parent, point)) => format!("(branch of {}, after #{point})  ", text::line(parent)),
        None => String::new(),
    };
    let (state, _) = status_columns(&s.standing);
    let id = text::line(&s.id);
    let title = text::label(&s.title);
    format!("{point}{id}  {title}, {}, {state}\n", utterances(s.utterances))
}
