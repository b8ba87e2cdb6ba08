//! `sessions tree`: prints the branches of sessions, each with the number of the turn after which it branched off.

use super::list::{as_json, status_columns};
use crate::catalogue::{self, SessionSummary};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::{output, session_file};
use crate::export::utterances;
use crate::text;
use serde_json::{Value, json};

/// Prints the sessions as a tree of branches.
pub fn tree(context: &Context, json: bool) -> Result<Exit, Failure> {
    let all = session_file::list(context)?;
    let rows = catalogue::tree(&all);
    if json {
        let rows: Vec<Value> = rows.iter().map(|(depth, s)| branch_json(*depth, s)).collect();
        return output::data(format!("{:#}\n", Value::Array(rows)).as_bytes());
    }
    let lines = rows.iter().map(|(depth, summary)| row(*depth, summary));
    output::data(lines.collect::<String>().as_bytes())
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

/// Returns a session with its depth in the tree, its parent and the turn after which it branched off.
fn branch_json(depth: usize, s: &SessionSummary) -> Value {
    let mut row = as_json(s);
    row["depth"] = json!(depth);
    row["parent"] = json!(s.parent.as_ref().map(|(id, _)| text::line(id)));
    row["after"] = json!(s.parent.as_ref().map(|(_, point)| point));
    row
}
