//! `sessions search`: prints the matches with session, time and speaker.

use super::list::moment;
use crate::catalogue::{Hit, Query, search as look};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::session_file::unreadable;
use crate::text;
use serde_json::{Value, json};

/// Prints all matches of the search text.
pub fn search(words: &str, json: bool, context: &Context) -> Result<Exit, Failure> {
    if words.trim().is_empty() {
        return Err(Failure::usage(
            "nothing to search for",
            "colloquium sessions search \"WORDS\"",
        ));
    }
    let folder = context.paths.sessions();
    let query = Query::new(words)
        .map_err(|_| Failure::usage("query too long", "search for a few of these words"))?;
    if json {
        let mut all: Vec<Value> = vec![];
        look(&folder, &query, |hits| all.extend(hits.iter().map(as_json)))
            .map_err(unreadable(&folder))?;
        return output::data(format!("{:#}\n", Value::Array(all)).as_bytes());
    }
    // print matches as they are found, not only at the end of the search
    let mut found = 0;
    let mut sessions = 0;
    let mut written = Ok(Exit::Done);
    look(&folder, &query, |hits| {
        found += hits.len();
        sessions += usize::from(!hits.is_empty());
        if written.is_ok() && !hits.is_empty() {
            written = output::data(hits.iter().map(line).collect::<String>().as_bytes());
        }
    })
    .map_err(unreadable(&folder))?;
    written?;
    context.say(&match (found, sessions) {
        (0, _) => "no matches".to_owned(),
        (1, _) => "1 match".to_owned(),
        (found, 1) => format!("{found} matches in one session"),
        (found, sessions) => format!("{found} matches in {sessions} sessions"),
    });
    Ok(Exit::Done)
}

fn line(hit: &Hit) -> String {
    let at = moment(hit.at).map_or(String::new(), |t| t.strftime("%Y-%m-%d %H:%M:%S").to_string());
    let number = hit.number.map_or(String::new(), |n| format!(" [{n}]"));
    format!("{}  {at}  {}{number}: {}\n", text::line(&hit.id), hit.who, hit.excerpt)
}

fn as_json(hit: &Hit) -> Value {
    json!({
        "id": text::line(&hit.id),
        "seq": hit.seq,
        "who": hit.who,
        "utterance": hit.number,
        "at": moment(hit.at).map(|t| t.to_string()),
        "excerpt": hit.excerpt,
        "path": text::line(&hit.path.display().to_string()),
    })
}
