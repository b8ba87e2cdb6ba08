//! `sessions list`: one line each, as wide as the terminal, whole where it is piped.

use super::moment::moment;
use crate::catalogue::{self, EXAMPLES, SessionStatus, SessionSummary};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::session_file::unreadable;
use crate::export;
use crate::session::decode;
use crate::state::State;
use crate::text;
use crate::ui::terminal;
use serde_json::{Value, json};
use std::io::{IsTerminal, stdout};
use unicode_width::UnicodeWidthChar;

/// Columns that a title gets at least, however long the ids are.
const TITLE_COLUMNS: usize = 16;

/// Prints them all, the one written last first.
pub fn list(context: &Context, json: bool) -> Result<Exit, Failure> {
    let folder = context.paths.sessions();
    let all = catalogue::list(&folder).map_err(unreadable(&folder))?;
    if json {
        let all: Vec<Value> = all.iter().map(as_json).collect();
        output::data(format!("{:#}\n", Value::Array(all)).as_bytes())?;
        return Ok(Exit::Done);
    }
    if all.is_empty() {
        context.say("no sessions yet; `colloquium demo --headless` makes one");
        return Ok(Exit::Done);
    }
    let mut rows = vec![["ID", "UPDATED (UTC)", "STATE", "SAID", "TITLE"].map(str::to_owned)];
    rows.extend(all.iter().map(row));
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let [id, written, state, said] = [0, 1, 2, 3].map(width);
    // a title is cut for a reader at a terminal only: whoever pipes the list wants it whole
    let columns = if stdout().is_terminal() { terminal::columns() } else { usize::MAX };
    let left = columns.saturating_sub(id + written + state + said + 8).max(TITLE_COLUMNS);
    let line = |r: &[String; 5]| {
        let [a, b, c, d, e] = r;
        let line = format!("{a:id$}  {b:written$}  {c:state$}  {d:>said$}  {}", short(e, left));
        format!("{}\n", line.trim_end())
    };
    output::data(rows.iter().map(line).collect::<String>().as_bytes())?;
    Ok(Exit::Done)
}

/// Prints the names of those that come with the program, and what they are.
pub fn examples() -> Result<Exit, Failure> {
    let one = |(name, log): &(&str, &str)| {
        let first = log.lines().next().and_then(|line| decode(line.as_bytes()).ok());
        let state = State::fold(&first);
        let title = state.title.as_deref().unwrap_or_default();
        let by = if state.rehearsed { "rehearsed" } else { "played by a small model" };
        format!("{name}  {title} ({by})\n")
    };
    output::data(EXAMPLES.iter().map(one).collect::<String>().as_bytes())?;
    Ok(Exit::Done)
}

/// Returns a title that fits, with a sign where something is missing.
fn short(title: &str, columns: usize) -> String {
    let wide = |c: char| c.width().unwrap_or(0);
    if title.chars().map(wide).sum::<usize>() <= columns {
        return title.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += wide(*c);
        used <= columns
    };
    let kept: String = title.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

fn row(s: &SessionSummary) -> [String; 5] {
    let one_line = |t: &str| text::line(t).into_owned();
    let at = moment(s.written).map_or(String::new(), |t| t.strftime("%Y-%m-%d %H:%M").to_string());
    let (state, why) = standing(&s.standing);
    // what cannot be read has no title, but a reason
    let title = match (&*s.title, why) {
        ("", Some(why)) => one_line(&why),
        (title, _) => text::label(title).into_owned(),
    };
    [one_line(&s.id), at, state, s.utterances.to_string(), title]
}

fn as_json(s: &SessionSummary) -> Value {
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
pub fn standing(standing: &SessionStatus) -> (String, Option<String>) {
    let (word, why) = match standing {
        SessionStatus::Running(pid) => ("running", pid.map(|pid| format!("process {pid}"))),
        SessionStatus::Unfinished => ("unfinished", None),
        SessionStatus::Recovered => ("recovered", Some("its last line is incomplete".into())),
        SessionStatus::Ended(reason) => ("ended", Some(export::reason(*reason))),
        SessionStatus::Damaged(why) => ("damaged", Some(why.clone())),
        SessionStatus::Newer => ("newer", Some("written by a newer program".into())),
        SessionStatus::Unreadable(why) => ("unreadable", Some(why.clone())),
    };
    (word.into(), why)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_title_is_cut_to_its_columns_in_any_script() {
        for (title, short_one) in [
            ("short", "short"),
            ("exactly ten", "exactly ten"),
            ("a title of many words", "a title of…"),
            ("漢字漢字漢字漢字", "漢字漢字漢…"),
        ] {
            assert_eq!(short(title, 11), short_one);
        }
    }
}
