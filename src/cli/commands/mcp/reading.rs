//! Tools that read sessions. Whispers, hidden turns and other private content are left out.

use super::cast::PANELS;
use super::jobs::{ToolCall, read};
use super::open::Interest;
use super::values::WAIT_MAX;
use crate::catalogue::{self, Query};
use crate::cli::commands::ask::{Dissent, found};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::saved_id::SavedId;
use crate::cli::session_file::unreadable;
use crate::cli::source;
use crate::export::{self, Hearer, Narrated, Narrator, Seen, figures};
use crate::model::payload::Ended;
use crate::model::{Kind, Seq, Text};
use crate::scenario::{self, about, bundled, bundled_names, protocol_names};
use crate::session::{Follower, Record, holder};
use crate::state::State;
use crate::text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Characters of the end of a transcript that a result holds.
const END_CHARS: usize = 4_000;
/// Characters that one page of a transcript has.
const PAGE_CHARS: usize = 40_000;
/// Places that a search names.
const HITS_MAX: usize = 100;
/// Lines that one slice of a tail has.
const TAIL_LINES: usize = 200;
/// Largest cursor.
const CURSOR_MAX: u64 = 1 << 53;
/// Time between two looks at a session.
const NAP: Duration = Duration::from_millis(200);
const NAPS_PER_SECOND: u64 = 5;

/// List the scenarios and panels that a conversation can be started with.
#[derive(Deserialize, JsonSchema)]
pub struct ListScenarios {}

#[derive(Serialize, JsonSchema)]
pub struct Scenarios {
    scenarios: Vec<Scenario>,
}

#[derive(Serialize, JsonSchema)]
struct Scenario {
    /// For `scenario` of `convene` and `start`.
    name: String,
    /// `panel`, `scenario`, `protocol` or `own`.
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
}

pub fn list_scenarios(_: ListScenarios, call: &ToolCall<'_>) -> Result<Scenarios, Failure> {
    let row = |kind, name: &str, text: &str| Scenario {
        name: name.to_owned(),
        kind,
        about: Some(about(text)),
    };
    let panel = |name: &&str| Some(row("panel", name, scenario::panel(name)?));
    let bundled = bundled_names()
        .map(|name| ("scenario", name))
        .chain(protocol_names().map(|name| ("protocol", name)))
        .filter(|(_, name)| !PANELS.contains(name))
        .filter_map(|(kind, name)| Some(row(kind, name, bundled(name)?)));
    let own = source::own_names(&call.context.paths);
    let own = own.iter().map(|name| Scenario {
        name: text::line(name).into_owned(),
        kind: "own",
        about: None,
    });
    Ok(Scenarios { scenarios: PANELS.iter().filter_map(panel).chain(bundled).chain(own).collect() })
}

/// Return the state of a conversation: the result if it has ended, else a partial one.
#[derive(Deserialize, JsonSchema)]
pub struct ResultOf {
    session: SavedId,
}

/// The result of a conversation, which is partial until its end.
#[derive(Serialize, JsonSchema)]
pub struct ConversationReport {
    session: String,
    /// `running`, `stopped` or `ended`.
    state: &'static str,
    /// True if the conversation has ended.
    complete: bool,
    /// The next call, while it runs.
    next: Option<&'static str>,
    /// Reason of the end.
    reason: Option<String>,
    /// Participants, steps or results that are missing.
    losses: Vec<String>,
    /// Details of the reason.
    cause: Option<Text>,
    title: String,
    /// Verdict, or the last contribution.
    answer: Option<String>,
    /// Dissenting opinion.
    dissent: Option<String>,
    /// How the verdict came about.
    verdict: Option<Text>,
    turns: u32,
    failed_turns: u32,
    /// True if no model was called.
    rehearsed: bool,
    tokens: Option<u64>,
    usd: Option<f64>,
    seats: Vec<SeatReport>,
    transcript_end: String,
}

#[derive(Serialize, JsonSchema)]
struct SeatReport {
    id: Text,
    name: Text,
    /// Model or other source of its words.
    voice: String,
    turns: u32,
    speaking: bool,
    /// Reason of its failure.
    failed: Option<Text>,
}

pub fn result(asked: ResultOf, call: &ToolCall<'_>) -> Result<ConversationReport, Failure> {
    state(asked.session.as_str(), call.context)
}

/// Returns the state of a session.
pub fn state(id: &str, context: &Context) -> Result<ConversationReport, Failure> {
    let seen = read(id, context)?;
    if seen.survey.last.is_none() {
        return Err(Failure::new(Exit::Session, format!("{id} is empty")));
    }
    report(&seen)
}

/// Returns the state of a conversation, with its result if it has ended.
pub fn report(seen: &Seen) -> Result<ConversationReport, Failure> {
    let state = &seen.state;
    let ended = state.ended.as_ref();
    let runs = ended.is_none() && holder(&seen.survey.files).is_some();
    let found = if ended.is_some() { found(state) } else { None };
    let (answer, dissent) = found.unzip();
    let spent = state.spent();
    let seats = state.seats.iter().map(|seat| SeatReport {
        id: seat.spec.id.0.clone(),
        name: seat.spec.name.clone(),
        voice: seat.spec.voice.label(),
        turns: seat.utterances,
        speaking: state.calls().any(|turn| turn.seat == seat.spec.id),
        failed: seat.failed.as_ref().map(|error| error.text.clone()),
    });
    let text = seen.narration(export::text::spell)?;
    let losses = ended.map_or(vec![], |_| export::losses(state));
    // "as planned" only without losses
    let how = |end: &Ended| match losses[..] {
        [_, ..] if end.reason.is_length() => export::how_it_ended(state, end, Hearer::Operator),
        _ => export::ended(end.reason, Hearer::Operator),
    };
    Ok(ConversationReport {
        session: seen.id(),
        state: match (ended, runs) {
            (Some(_), _) => "ended",
            (None, true) => "running",
            (None, false) => "stopped",
        },
        complete: ended.is_some(),
        next: runs.then_some("call `wait` with this `session`; `tail` if another program runs it"),
        reason: ended.map(how),
        losses,
        cause: ended.and_then(|end| end.text.clone()),
        title: state.shown_title().to_string(),
        answer,
        dissent: dissent.as_ref().and_then(Dissent::opinion).map(str::to_owned),
        verdict: state.verdict.as_ref().map(|(verdict, _)| verdict.how.clone()),
        turns: state.utterances,
        failed_turns: state.failed,
        rehearsed: state.rehearsed,
        tokens: spent.used().map(|used| used.tokens()),
        usd: spent.cost().map(f64::from),
        seats: seats.collect(),
        transcript_end: text.chars().skip(text.chars().count().saturating_sub(END_CHARS)).collect(),
    })
}

/// Read the transcript of a session, a page at a time: pass `next` of the last call as `from`.
#[derive(Deserialize, JsonSchema)]
pub struct ReadSession {
    session: SavedId,
    /// First character (default 0).
    #[serde(default)]
    #[schemars(range(max = CURSOR_MAX))]
    from: u64,
}

/// A page of a transcript.
#[derive(Serialize, JsonSchema)]
pub struct TranscriptPage {
    session: String,
    text: String,
    /// Length of the transcript.
    characters: usize,
    next: Option<usize>,
}

pub fn read_session(asked: ReadSession, call: &ToolCall<'_>) -> Result<TranscriptPage, Failure> {
    let seen = read(asked.session.as_str(), call.context)?;
    let from = usize::try_from(asked.from).unwrap_or(usize::MAX);
    let text = seen.narration(export::text::spell)?;
    let characters = text.chars().count();
    let page: String = text.chars().skip(from).take(PAGE_CHARS).collect();
    let next = from.saturating_add(page.chars().count());
    let next = (next < characters).then_some(next);
    Ok(TranscriptPage { session: seen.id(), text: page, characters, next })
}

/// Return the messages of any session after a cursor: pass `next` of the last call as `after`. With `seconds`, wait that
/// long for the next message of a running conversation.
#[derive(Deserialize, JsonSchema)]
pub struct TailOf {
    session: SavedId,
    /// Cursor (default 0: the beginning).
    #[serde(default)]
    #[schemars(range(max = CURSOR_MAX))]
    after: u64,
    /// How long to wait (default 0).
    #[serde(default)]
    #[schemars(range(max = WAIT_MAX))]
    seconds: u64,
}

#[derive(Serialize, JsonSchema)]
pub struct TailSlice {
    session: String,
    /// Messages after the cursor.
    lines: Vec<String>,
    /// Cursor for the next call.
    next: u64,
    /// True if the conversation has ended.
    ended: bool,
}

pub fn tail(asked: TailOf, call: &ToolCall<'_>) -> Result<TailSlice, Failure> {
    let mut naps = asked.seconds * NAPS_PER_SECOND;
    loop {
        let seen = read(asked.session.as_str(), call.context)?;
        let slice = slice_after(&seen, asked.after)?;
        let mut follower = Follower::behind(&seen.survey)?;
        if !slice.lines.is_empty() || slice.ended || !follower.is_written() {
            return Ok(slice);
        }
        // pieces of a message that is being spoken are no reason to narrate again
        let is_piece = |record: &Arc<Record>| matches!(record.event.kind, Kind::Delta(_));
        while follower.fresh()?.iter().all(is_piece) {
            if naps == 0 || (call.tell)(0) != Interest::Waiting {
                return Ok(slice);
            }
            naps -= 1;
            thread::sleep(NAP);
        }
    }
}

/// Passes the narration of each event to `each`, with its `seq`, until it returns false; returns the last state.
fn narrate(
    seen: &Seen,
    mut each: impl FnMut(Seq, Vec<Narrated>) -> bool,
) -> Result<State, Failure> {
    let mut state = State::default();
    let mut narrator = Narrator::default();
    for record in seen.records() {
        let event = &record?.event;
        state.apply(event);
        if !each(event.seq, narrator.narrate(&state, event)) {
            break;
        }
    }
    Ok(state)
}

/// Narrates the events after an event, at most one slice of lines.
fn slice_after(seen: &Seen, after: u64) -> Result<TailSlice, Failure> {
    let mut tail = TailSlice { session: seen.id(), lines: vec![], next: after, ended: false };
    let state = narrate(seen, |Seq(seq), told| {
        let is_full = seq > after && tail.lines.len() >= TAIL_LINES;
        if seq > after && !is_full {
            tail.next = seq;
            tail.lines.extend(told.iter().map(export::text::spell));
        }
        !is_full
    })?;
    Ok(TailSlice { ended: state.ended.is_some(), ..tail })
}

/// Find where words were said in the saved sessions, whispers and hidden turns left out.
#[derive(Deserialize, JsonSchema)]
pub struct SearchSessions {
    #[schemars(length(min = 1, max = 500))]
    words: String,
}

#[derive(Serialize, JsonSchema)]
pub struct Hits {
    hits: Vec<Hit>,
    found: usize,
    /// True if there are more.
    more: bool,
}

#[derive(Serialize, JsonSchema)]
struct Hit {
    session: String,
    who: Option<String>,
    turn: Option<u32>,
    excerpt: String,
}

pub fn search_sessions(asked: SearchSessions, call: &ToolCall<'_>) -> Result<Hits, Failure> {
    let long = |_| Failure::usage("the query is too long", "search for a few of these words");
    let query = Query::new(&asked.words).map_err(long)?;
    let folder = call.context.paths.sessions();
    let mut ids = vec![];
    let each = |found: Vec<catalogue::Hit>| ids.extend(found.first().map(|hit| hit.id.clone()));
    catalogue::search(&folder, &query, each).map_err(unreadable(&folder))?;
    let mut hits = vec![];
    for id in ids {
        // skips damaged sessions
        let Ok(seen) = read(&id, call.context) else { continue };
        hits.extend(find_in(&seen, &query)?);
        if hits.len() >= HITS_MAX {
            break;
        }
    }
    let more = hits.len() >= HITS_MAX;
    hits.truncate(HITS_MAX);
    Ok(Hits { found: hits.len(), hits, more })
}

/// Returns the places of a transcript that have the words.
fn find_in(seen: &Seen, query: &Query) -> Result<Vec<Hit>, Failure> {
    let session = text::line(&seen.id()).into_owned();
    let mut hits = vec![];
    narrate(seen, |_, told| {
        for told in told {
            let (who, turn, words) = match told {
                Narrated::Words { place, who, body } => (Some(who), place.parse().ok(), body),
                Narrated::Opening { title, topic, .. } => {
                    (None, None, [title, topic.unwrap_or_default()].join("\n"))
                }
                Narrated::Note(_) => continue,
            };
            let excerpt = query.excerpt(&words);
            let session = session.clone();
            hits.extend(excerpt.map(|excerpt| Hit { session, who, turn, excerpt }));
        }
        true
    })?;
    Ok(hits)
}

/// Return the figures of a session: shares, speed, cost, votes, mentions and more.
#[derive(Deserialize, JsonSchema)]
pub struct Analyze {
    session: SavedId,
}

#[derive(Serialize, JsonSchema)]
pub struct Figures {
    session: String,
    /// Tables, each with its title, what it counts, and its rows.
    #[schemars(with = "Map<String, Value>")]
    figures: Value,
}

pub fn analyze(asked: Analyze, call: &ToolCall<'_>) -> Result<Figures, Failure> {
    let seen = read(asked.session.as_str(), call.context)?;
    let tables = seen.analysis().tables();
    Ok(Figures { session: seen.id(), figures: figures::json(&tables) })
}
