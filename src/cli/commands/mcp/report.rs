//! Reports of a conversation for a client, read from its session only.

use crate::catalogue::{self, Query};
use crate::cli::commands::ask::{Dissent, found};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::saved_id::SavedId;
use crate::cli::session_file::{fold_records, unreadable};
use crate::export::{self, Narrated, Narrator, discreet};
use crate::model::Reveal;
use crate::model::payload::Ended;
use crate::session::{self, Log, Record, holder};
use crate::state::State;
use crate::text;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;

/// Characters of the end of a transcript that a result holds.
const END_CHARS: usize = 4_000;
/// Characters that one page of a transcript has.
const PAGE_CHARS: usize = 40_000;
/// Places that a search names.
const HITS_MAX: usize = 100;
/// Lines that one slice of a tail has.
const TAIL_LINES: usize = 200;

/// Reads a session by the id that a client names.
///
/// # Errors
/// When there is no such session, or it cannot be read.
pub fn read(id: &SavedId, context: &Context) -> Result<Log, Failure> {
    read_own(id.as_str(), context)
}

/// Reads a session by an id that the program made.
pub fn read_own(id: &str, context: &Context) -> Result<Log, Failure> {
    let path = context.paths.sessions().join(format!("{id}.jsonl"));
    if !path.is_file() {
        return Err(Failure::usage(
            format!("no session `{id}`"),
            "`status` lists the running conversations",
        ));
    }
    Ok(session::read(&path)?)
}

/// Returns the length of a session's file.
pub fn length(id: &SavedId, context: &Context) -> Result<u64, Failure> {
    let path = context.paths.sessions().join(format!("{id}.jsonl"));
    let hint = "`status` lists the running conversations";
    let length = fs::metadata(path).map(|found| found.len());
    length.map_err(|_| Failure::usage(format!("no session `{id}`"), hint))
}

/// Returns the events of a session that clients may know. All reports are made from these.
pub fn shown(log: &Log) -> Result<Vec<Arc<Record>>, Failure> {
    Ok(discreet(&log.records, Reveal::default())?)
}

/// Returns where a conversation stands and what came of it.
pub fn result(log: &Log) -> Result<Value, Failure> {
    let records = shown(log)?;
    let state = &fold_records(&records);
    let ended = state.ended.as_ref();
    let runs = ended.is_none() && holder(&log.files).is_some();
    let standing = match (ended, runs) {
        (Some(_), _) => "ended",
        (None, true) => "running",
        (None, false) => "stopped",
    };
    let found = if ended.is_some() { found(state) } else { None };
    let (answer, dissent) = found.unzip();
    let spent = state.spent();
    let seats = state.seats.iter().map(|seat| {
        let speaks = state.calls().any(|turn| turn.seat == seat.spec.id);
        json!({
            "id": seat.spec.id,
            "name": seat.spec.name,
            "voice": seat.spec.voice.label(),
            "turns": seat.utterances,
            "speaking": speaks,
            "failed": seat.failed.as_ref().map(|error| &error.text),
        })
    });
    let text = export::whole(records.iter().map(|r| &*r.event), export::text::spell);
    let losses = ended.map_or(vec![], |_| export::losses(state));
    // "as planned" only without losses
    let how = |end: &Ended| match losses[..] {
        [_, ..] if end.reason.is_length() => export::how_it_ended(state, end),
        _ => export::ended(end.reason),
    };
    Ok(json!({
        "session": log.files.id(),
        "state": standing,
        "complete": ended.is_some(),
        "reason": ended.map(how),
        "losses": losses,
        "cause": ended.and_then(|end| end.text.as_ref()),
        "title": state.shown_title(),
        "answer": answer,
        "dissent": dissent.as_ref().and_then(Dissent::opinion),
        "verdict": state.verdict.as_ref().map(|(verdict, _)| &verdict.how),
        "turns": state.utterances,
        "failed_turns": state.failed,
        "rehearsed": state.rehearsed,
        "tokens": spent.used().map(|used| used.tokens()),
        "usd": spent.cost().map(f64::from),
        "seats": seats.collect::<Vec<_>>(),
        "transcript_end": last_chars(&text, END_CHARS),
    }))
}

/// Returns a conversation as text, without what was not meant for everybody.
pub fn transcript(log: &Log) -> Result<String, Failure> {
    let records = shown(log)?;
    Ok(export::whole(records.iter().map(|r| &*r.event), export::text::spell))
}

/// Returns a page of a transcript, from a character on.
pub fn page(log: &Log, from: usize) -> Result<Value, Failure> {
    let text = transcript(log)?;
    let all = text.chars().count();
    let page: String = text.chars().skip(from).take(PAGE_CHARS).collect();
    let next = from.saturating_add(page.chars().count());
    Ok(json!({
        "session": log.files.id(),
        "text": page,
        "characters": all,
        "next": (next < all).then_some(next),
    }))
}

/// Returns what was told after an event, a slice at a time.
pub fn tail(log: &Log, after: u64) -> Result<Value, Failure> {
    let records = shown(log)?;
    let mut state = State::default();
    let mut narrator = Narrator::default();
    let mut lines = vec![];
    let mut cursor = after;
    for record in &records {
        state.apply(&record.event);
        let told = narrator.narrate(&state, &record.event);
        if record.event.seq.0 <= after {
            continue;
        }
        if lines.len() >= TAIL_LINES {
            break;
        }
        cursor = record.event.seq.0;
        lines.extend(told.iter().map(export::text::spell));
    }
    let over = state.ended.is_some();
    Ok(json!({"session": log.files.id(), "lines": lines, "next": cursor, "ended": over}))
}

/// Returns the state of a session that a client names.
pub fn state(id: &SavedId, context: &Context) -> Result<Value, Failure> {
    own_state(id.as_str(), context)
}

/// Returns the state of a session by an id that the program made.
pub fn own_state(id: &str, context: &Context) -> Result<Value, Failure> {
    let log = read_own(id, context)?;
    if log.records.is_empty() {
        return Err(Failure::new(Exit::Session, format!("{id} is empty")));
    }
    result(&log)
}

/// Finds where words were said in the saved sessions, as far as a transcript shows them: no whispers, no hidden turns.
///
/// # Errors
/// When the query is too long, or the folder cannot be read.
pub fn search(words: &str, context: &Context) -> Result<Value, Failure> {
    let long = |_| Failure::usage("the query is too long", "search for a few of these words");
    let query = Query::new(words).map_err(long)?;
    let folder = context.paths.sessions();
    let mut ids = vec![];
    let each = |found: Vec<catalogue::Hit>| ids.extend(found.first().map(|hit| hit.id.clone()));
    catalogue::search(&folder, &query, each).map_err(unreadable(&folder))?;
    let mut hits = vec![];
    for id in ids {
        // skips damaged sessions
        let Ok(log) = read_own(&id, context) else { continue };
        hits.extend(shown_hits(&log, &query)?);
        if hits.len() >= HITS_MAX {
            break;
        }
    }
    let more = hits.len() >= HITS_MAX;
    hits.truncate(HITS_MAX);
    Ok(json!({"hits": hits, "found": hits.len(), "more": more}))
}

/// Returns the places of a transcript that have the words.
fn shown_hits(log: &Log, query: &Query) -> Result<Vec<Value>, Failure> {
    let records = shown(log)?;
    let mut state = State::default();
    let mut narrator = Narrator::default();
    let id = text::line(&log.files.id()).into_owned();
    let mut hits = vec![];
    for record in &records {
        state.apply(&record.event);
        for told in narrator.narrate(&state, &record.event) {
            let (who, turn, words) = match told {
                Narrated::Words { place, who, body } => (Some(who), place.parse().ok(), body),
                Narrated::Opening { title, topic, .. } => {
                    (None, None, [title, topic.unwrap_or_default()].join("\n"))
                }
                Narrated::Note(_) => continue,
            };
            let turn: Option<u32> = turn;
            if let Some(excerpt) = query.excerpt(&words) {
                hits.push(json!({"session": id, "who": who, "turn": turn, "excerpt": excerpt}));
            }
        }
    }
    Ok(hits)
}

fn last_chars(text: &str, most: usize) -> String {
    let skip = text.chars().count().saturating_sub(most);
    text.chars().skip(skip).collect()
}
