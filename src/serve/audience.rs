//! All open pages: what each is sent, in order and without a gap.
//!
//! A page gets a snapshot and then updates. An update has the `seq` of its event as its id, so that a page whose
//! connection broke continues behind the last id that it has. Text in no event yet has no id. A page that reads too
//! slowly gets a snapshot again.

use super::access::Right;
use super::table::{PageTable, table};
use super::token::TokenDigest;
use super::transcript::{PageTranscript, row_id};
use crate::model::{Piece, Seq, TurnId};
use crate::session::Record;
use axum::response::sse;
use futures::Stream;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, watch};

/// Maximum number of open pages.
pub const WATCHERS_MAX: usize = 250;
/// Maximum number of open pages of one cookie.
const PAGES_PER_COOKIE: usize = 6;
/// Number of updates that a page may be behind.
const BEHIND_MAX: usize = 256;
/// Bytes of rows in one message of a snapshot.
const MESSAGE_BYTES: usize = 64 * 1024;

/// The conversation and its open pages.
pub struct Audience {
    shown: Mutex<Shown>,
    updates: broadcast::Sender<Update>,
    pages: Mutex<BTreeMap<TokenDigest, usize>>,
    /// Number of open pages that steer.
    steering: watch::Sender<usize>,
}

struct Shown {
    transcript: PageTranscript,
    attached: bool,
    /// The last table that was sent.
    table: Option<PageTable>,
    /// Text of turns in progress that the pages of each right have.
    said: [BTreeMap<TurnId, String>; 2],
}

/// A message to the pages of each right.
#[derive(Clone)]
struct Update {
    id: Option<Seq>,
    watch: Option<Arc<str>>,
    steer: Option<Arc<str>>,
}

/// An open page; dropping it gives its place to another.
pub struct OpenPage {
    audience: Arc<Audience>,
    cookie: TokenDigest,
    right: Right,
    /// Last `seq` that the page has.
    after: Option<Seq>,
    updates: Option<broadcast::Receiver<Update>>,
    waiting: VecDeque<sse::Event>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Audience {
    /// Creates an audience of a conversation without events.
    pub fn new() -> Audience {
        let shown = Shown {
            transcript: PageTranscript::default(),
            attached: true,
            table: None,
            said: Default::default(),
        };
        Audience {
            shown: Mutex::new(shown),
            updates: broadcast::channel(BEHIND_MAX).0,
            pages: Mutex::default(),
            steering: watch::Sender::default(),
        }
    }

    /// Returns the `seq` of the next event.
    pub fn next_seq(&self) -> Seq {
        lock(&self.shown).transcript.state().next_seq
    }

    /// Returns the number of open pages that steer, and follows it.
    pub fn steering(&self) -> watch::Receiver<usize> {
        self.steering.subscribe()
    }

    /// Applies an event.
    pub fn apply(&self, record: &Record) {
        let mut shown = lock(&self.shown);
        let seq = record.event.seq;
        // a new connection may repeat events
        if seq < shown.transcript.state().next_seq {
            return;
        }
        let has_rows = shown.transcript.apply(&record.event);
        self.publish(&mut shown, has_rows.then_some(seq), true);
    }

    /// Adds text that is in no event yet.
    pub fn push(&self, piece: Piece) {
        let mut shown = lock(&self.shown);
        let turn = piece.turn;
        let before = shown.transcript.progress(turn);
        shown.transcript.push(piece);
        let begins = shown.transcript.progress(turn) != before;
        self.publish(&mut shown, None, begins);
    }

    /// Reports whether the conversation is connected.
    pub fn set_attached(&self, attached: bool) {
        let mut shown = lock(&self.shown);
        shown.attached = attached;
        self.publish(&mut shown, None, true);
    }

    /// Sends an update to all open pages: the rows that the event `seq` changed, and the table if it may have changed.
    fn publish(&self, shown: &mut Shown, seq: Option<Seq>, has_table: bool) {
        if self.updates.receiver_count() == 0 {
            return;
        }
        let table = if has_table { shown.fresh_table() } else { None };
        let [watch, steer] = [Right::Watch, Right::Steer].map(|right| {
            let rows = seq.map_or(vec![], |seq| {
                let before = seq.0.checked_sub(1).map(Seq);
                shown.transcript.rows_since(before, right).map(|row| json!(row)).collect()
            });
            let table = table.as_ref().map(|table| table.for_right(right));
            message(rows, table, shown.fresh_text(right))
        });
        if watch.is_some() || steer.is_some() {
            // the last page may have left
            let _ = self.updates.send(Update { id: seq, watch, steer });
        }
    }

    /// Opens a page behind the last `seq` that it has; `None` if all places are taken.
    pub fn open(
        self: &Arc<Audience>,
        cookie: TokenDigest,
        right: Right,
        after: Option<Seq>,
    ) -> Option<OpenPage> {
        let mut pages = lock(&self.pages);
        let own = pages.get(&cookie).copied().unwrap_or_default();
        if pages.values().sum::<usize>() >= WATCHERS_MAX || own >= PAGES_PER_COOKIE {
            return None;
        }
        pages.insert(cookie, own + 1);
        drop(pages);
        if right == Right::Steer {
            self.steering.send_modify(|open| *open += 1);
        }
        let audience = self.clone();
        Some(OpenPage { audience, cookie, right, after, updates: None, waiting: VecDeque::new() })
    }
}

impl Shown {
    /// Returns the table if it differs from the last one that was sent.
    fn fresh_table(&mut self) -> Option<PageTable> {
        let table = Some(table(&self.transcript, self.attached));
        if self.table == table {
            return None;
        }
        self.table.clone_from(&table);
        table
    }

    fn said(&mut self, right: Right) -> &mut BTreeMap<TurnId, String> {
        let [watch, steer] = &mut self.said;
        match right {
            Right::Watch => watch,
            Right::Steer => steer,
        }
    }

    /// Returns the text of each turn in progress.
    fn texts(&self, right: Right) -> BTreeMap<TurnId, String> {
        let speaking = self.transcript.speaking();
        speaking.map(|turn| (turn.id, self.transcript.said(turn, right))).collect()
    }

    /// Returns the text that turns in progress have gained since the last update.
    fn fresh_text(&mut self, right: Right) -> Vec<Value> {
        let now = self.texts(right);
        let sent = std::mem::replace(self.said(right), now.clone());
        let gained = now.iter().filter_map(|(turn, text)| {
            let before = sent.get(turn).map_or("", String::as_str);
            match text.strip_prefix(before) {
                Some("") => None,
                Some(more) => Some(text_of(*turn, more, !before.is_empty())),
                // a call that is repeated begins again
                None => Some(text_of(*turn, text, false)),
            }
        });
        gained.collect()
    }
}

/// Returns text of a turn; `goes_on` if it follows the text so far.
fn text_of(turn: TurnId, text: &str, goes_on: bool) -> Value {
    json!({"id": row_id(turn), "text": text, "more": goes_on})
}

/// Returns a message to a page; `None` if it would be empty.
fn message(rows: Vec<Value>, table: Option<PageTable>, said: Vec<Value>) -> Option<Arc<str>> {
    let mut message = Map::new();
    if !rows.is_empty() {
        message.insert("rows".into(), rows.into());
    }
    if let Some(table) = table {
        message.insert("table".into(), json!(table));
    }
    if !said.is_empty() {
        message.insert("said".into(), said.into());
    }
    (!message.is_empty()).then(|| Value::Object(message).to_string().into())
}

impl OpenPage {
    /// Returns the events for the page, until the server ends.
    pub fn into_stream(self) -> impl Stream<Item = Result<sse::Event, Infallible>> {
        futures::stream::unfold(self, |mut page| async {
            let event = page.next().await?;
            Some((Ok(event), page))
        })
    }

    async fn next(&mut self) -> Option<sse::Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let Some(updates) = &mut self.updates else {
                self.snapshot();
                continue;
            };
            match updates.recv().await {
                Ok(update) => {
                    let message = match self.right {
                        Right::Watch => update.watch,
                        Right::Steer => update.steer,
                    };
                    let Some(message) = message else { continue };
                    self.after = update.id.or(self.after);
                    return Some(with_id(update.id, &message));
                }
                Err(broadcast::error::RecvError::Lagged(_)) => self.updates = None,
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// Prepares everything that the page lacks, and the updates behind it.
    fn snapshot(&mut self) {
        let mut shown = lock(&self.audience.shown);
        self.updates = Some(self.audience.updates.subscribe());
        let next = shown.transcript.state().next_seq;
        // an id of another server
        let after = self.after.filter(|after| *after < next);
        if after.is_none() {
            self.waiting.push_back(sse::Event::default().data(r#"{"reset":true}"#));
        }
        let mut rows = vec![];
        let mut bytes = 0;
        for row in shown.transcript.rows_since(after, self.right) {
            bytes += row.text.len();
            rows.push(json!(row));
            if bytes >= MESSAGE_BYTES {
                bytes = 0;
                let message = message(std::mem::take(&mut rows), None, vec![]);
                self.waiting.extend(message.map(|message| with_id(None, &message)));
            }
        }
        let table = table(&shown.transcript, shown.attached);
        shown.table = Some(table.clone());
        let texts = shown.texts(self.right);
        let said = texts.iter().map(|(turn, text)| text_of(*turn, text, false)).collect();
        // with other pages open, both are unchanged
        shown.said(self.right).clone_from(&texts);
        drop(shown);
        self.after = next.0.checked_sub(1).map(Seq);
        let message = message(rows, Some(table.for_right(self.right)), said);
        self.waiting.extend(message.map(|message| with_id(self.after, &message)));
    }
}

fn with_id(id: Option<Seq>, message: &str) -> sse::Event {
    let event = sse::Event::default().data(message);
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        let mut pages = lock(&self.audience.pages);
        if let Some(open) = pages.get_mut(&self.cookie) {
            *open -= 1;
            if *open == 0 {
                pages.remove(&self.cookie);
            }
        }
        drop(pages);
        if self.right == Right::Steer {
            self.audience.steering.send_modify(|open| *open -= 1);
        }
    }
}
