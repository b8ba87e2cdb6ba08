//! All open pages: what each is sent, in order and without a gap.
//!
//! A page gets a snapshot and then updates. An update has the `seq` of its event as its id, so that a page whose
//! connection broke continues behind the last id that it has. Text in no event yet has no id. A page that reads too
//! slowly gets a snapshot again.

use super::access::{Right, TokenDigest};
use super::table::{PageTable, table};
use super::transcript::{PageTranscript, row_id};
use crate::analysis::{Mover, Standing};
use crate::export::poster::{PosterSource, drawings};
use crate::model::{Command, Piece, SeatId, Seq, TurnId};
use crate::session::Record;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, read_line};
use crate::steer::slash::TypedFault;
use axum::response::sse;
use futures::Stream;
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use tokio::sync::{broadcast, watch};

/// Maximum number of open pages; those that steer or speak always have a place.
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
    updates: broadcast::Sender<Arc<Update>>,
    pages: Mutex<BTreeMap<TokenDigest, usize>>,
    /// Number of open pages that steer.
    steering: watch::Sender<usize>,
    /// Always 0.
    nobody: watch::Sender<usize>,
    /// Cookies without rights; their pages end.
    void: Mutex<BTreeSet<TokenDigest>>,
}

struct Shown {
    transcript: PageTranscript,
    attached: bool,
    /// Content of the pages of each right; only of those that had pages.
    views: BTreeMap<Right, View>,
}

/// Content of the open pages of a right.
#[derive(Default)]
struct View {
    open: usize,
    /// The last table that was sent.
    table: Option<PageTable>,
    /// The positions that were drawn last, and whether the conversation had ended.
    drawn: Option<(Standing, bool)>,
    /// Text of turns in progress.
    said: BTreeMap<TurnId, String>,
    /// Ids of the rows, for a participant, who may see a row later than others.
    rows: BTreeSet<u64>,
}

/// A message to open pages.
enum Update {
    /// Changes, for the pages of each right.
    Changes(Option<Seq>, BTreeMap<Right, String>),
    /// A cookie lost its rights.
    Void,
}

/// An open page; dropping it gives its place to another.
pub struct OpenPage {
    audience: Arc<Audience>,
    cookie: TokenDigest,
    right: Right,
    /// Last `seq` that the page has.
    after: Option<Seq>,
    updates: Option<broadcast::Receiver<Arc<Update>>>,
    waiting: VecDeque<sse::Event>,
}

impl Audience {
    /// Creates an audience of a conversation without events.
    pub fn new() -> Audience {
        let transcript = PageTranscript::default();
        let shown = Shown { transcript, attached: true, views: BTreeMap::new() };
        Audience {
            shown: Mutex::new(shown),
            updates: broadcast::channel(BEHIND_MAX).0,
            pages: Mutex::default(),
            steering: watch::Sender::default(),
            nobody: watch::Sender::default(),
            void: Mutex::default(),
        }
    }

    /// Returns the `seq` of the next event.
    pub fn next_seq(&self) -> Seq {
        self.shown.lock().transcript.state().next_seq
    }

    /// Returns the participants with a link, and their indices.
    pub fn linked(&self) -> Vec<(usize, SeatId)> {
        let shown = self.shown.lock();
        let seats = shown.transcript.state().seats.iter().enumerate();
        let linked = seats.filter(|(_, seat)| seat.spec.voice.has_link() && !seat.gone);
        linked.map(|(n, seat)| (n, seat.spec.id.clone())).collect()
    }

    /// Returns whether the participant at an index has the floor.
    pub fn has_floor(&self, seat: usize) -> bool {
        let shown = self.shown.lock();
        let state = shown.transcript.state();
        let id = state.seats.get(seat).map(|seat| &seat.spec.id);
        state.turns.values().any(|turn| Some(&turn.seat) == id && state.waits_for_link(turn))
    }

    /// Parses the text of a page's message, which may be for one participant.
    ///
    /// # Errors
    /// If it addresses nobody here.
    pub fn read(&self, text: &str, manner: Manner, re: Option<u32>) -> Result<Command, TypedFault> {
        let shown = self.shown.lock();
        let typing = Typing { re, ..Typing::new(EntryPoint::Page, manner) };
        match read_line(text, &typing, shown.transcript.state())? {
            Intent::Give(command) => Ok(command),
            Intent::Local => Err("no such command".into()),
        }
    }

    /// Closes the pages of a cookie.
    pub fn close(&self, cookie: TokenDigest) {
        self.void.lock().insert(cookie);
        // there may be none
        let _ = self.updates.send(Arc::new(Update::Void));
    }

    /// Returns the number of open pages that steer, and follows it.
    pub fn steering(&self) -> watch::Receiver<usize> {
        self.steering.subscribe()
    }

    /// Returns a number of pages that is always 0.
    pub fn nobody(&self) -> watch::Receiver<usize> {
        self.nobody.subscribe()
    }

    /// Applies an event.
    pub fn apply(&self, record: &Record) {
        let mut shown = self.shown.lock();
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
        let mut shown = self.shown.lock();
        let turn = piece.turn;
        let before = shown.transcript.progress(turn);
        shown.transcript.push(piece);
        let begins = shown.transcript.progress(turn) != before;
        self.publish(&mut shown, None, begins);
    }

    /// Reports whether the conversation is connected.
    pub fn set_attached(&self, attached: bool) {
        let mut shown = self.shown.lock();
        shown.attached = attached;
        self.publish(&mut shown, None, true);
    }

    /// Sends an update to all open pages: the rows that the event `seq` changed, and the table if it may have changed.
    fn publish(&self, shown: &mut Shown, seq: Option<Seq>, has_table: bool) {
        if self.updates.receiver_count() == 0 {
            return;
        }
        let mut changes = BTreeMap::new();
        let Shown { transcript, attached, views } = shown;
        for (right, view) in views {
            if view.open == 0 {
                continue;
            }
            let rows = seq.map_or(vec![], |seq| {
                view.fresh_rows(transcript, *right, seq.0.checked_sub(1).map(Seq))
            });
            let table = has_table.then(|| table(transcript, *attached, *right));
            let drawing = has_table.then(|| view.fresh_drawing(transcript, *right)).flatten();
            let table = table.and_then(|table| view.fresh_table(table));
            let said = view.fresh_text(transcript, *right);
            let message = message(rows, table, drawing, said);
            changes.extend(message.map(|message| (*right, message)));
        }
        if !changes.is_empty() {
            // the last page may have left
            let _ = self.updates.send(Arc::new(Update::Changes(seq, changes)));
        }
    }

    /// Opens a page behind the last `seq` that it has; `None` if all places are taken.
    pub fn open(
        self: &Arc<Audience>,
        cookie: TokenDigest,
        right: Right,
        after: Option<Seq>,
    ) -> Option<OpenPage> {
        let mut pages = self.pages.lock();
        let own = pages.get(&cookie).copied().unwrap_or_default();
        let is_full = pages.values().sum::<usize>() >= WATCHERS_MAX && right == Right::Watch;
        if is_full || own >= PAGES_PER_COOKIE {
            return None;
        }
        pages.insert(cookie, own + 1);
        drop(pages);
        if right == Right::Steer {
            self.steering.send_modify(|open| *open += 1);
        }
        self.shown.lock().views.entry(right).or_default().open += 1;
        let audience = self.clone();
        Some(OpenPage { audience, cookie, right, after, updates: None, waiting: VecDeque::new() })
    }
}

impl View {
    /// Returns a table if it differs from the last one that was sent.
    fn fresh_table(&mut self, table: PageTable) -> Option<PageTable> {
        if self.table.as_ref() == Some(&table) {
            return None;
        }
        Some(self.table.insert(table).clone())
    }

    /// Returns the drawings of the positions if these changed. A participant gets none, because it may see them only with
    /// the messages; a page that watches gets no words of the operator's messages, which may be whispers.
    fn fresh_drawing(&mut self, transcript: &PageTranscript, right: Right) -> Option<[String; 2]> {
        let state = transcript.state();
        let mut standing = match right {
            Right::Seat(_) => return None,
            Right::Watch | Right::Steer => Standing::new(state)?,
        };
        if right == Right::Watch {
            let positions = standing.tracks.iter_mut().flat_map(|track| &mut track.positions);
            for position in positions {
                if let Mover::Host(_) = position.by {
                    position.quote = None;
                }
            }
        }
        let now = (standing, state.ended.is_some());
        if self.drawn.as_ref() == Some(&now) {
            return None;
        }
        let (standing, _) = self.drawn.insert(now);
        let standing = Some(&*standing);
        Some(drawings(&PosterSource { state, standing, lasted: state.ms.0, host: "the host" }))
    }

    /// Returns the rows that pages of a right lack: those that changed after an event, and for a participant those that
    /// it may see only now.
    fn fresh_rows(
        &mut self,
        transcript: &PageTranscript,
        right: Right,
        after: Option<Seq>,
    ) -> Vec<Value> {
        let Right::Seat(seat) = right else {
            return transcript.rows_since(after, right).map(|row| json!(row)).collect();
        };
        let fresh = transcript.rows_of(seat, |id, changed| {
            self.rows.insert(id) || after.is_none_or(|after| changed > after)
        });
        fresh.map(|row| json!(row)).collect()
    }

    /// Returns the text that turns in progress have gained since the last update.
    fn fresh_text(&mut self, transcript: &PageTranscript, right: Right) -> Vec<Value> {
        let now = texts(transcript, right);
        let sent = std::mem::replace(&mut self.said, now.clone());
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

/// Returns the text of each turn in progress.
fn texts(transcript: &PageTranscript, right: Right) -> BTreeMap<TurnId, String> {
    let speaking = transcript.speaking();
    speaking.map(|turn| (turn.id, transcript.said(turn, right))).collect()
}

/// Returns text of a turn; `goes_on` if it follows the text so far.
fn text_of(turn: TurnId, text: &str, goes_on: bool) -> Value {
    json!({"id": row_id(turn), "text": text, "more": goes_on})
}

/// Returns a message to a page; `None` if it would be empty.
fn message(
    rows: Vec<Value>,
    table: Option<PageTable>,
    drawing: Option<[String; 2]>,
    said: Vec<Value>,
) -> Option<String> {
    let mut message = Map::new();
    if !rows.is_empty() {
        message.insert("rows".into(), rows.into());
    }
    if let Some(table) = table {
        message.insert("table".into(), json!(table));
    }
    if let Some(drawing) = drawing {
        message.insert("drawing".into(), json!(drawing));
    }
    if !said.is_empty() {
        message.insert("said".into(), said.into());
    }
    (!message.is_empty()).then(|| Value::Object(message).to_string())
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
            if self.audience.void.lock().contains(&self.cookie) {
                return None;
            }
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            let Some(updates) = &mut self.updates else {
                self.snapshot();
                continue;
            };
            match updates.recv().await {
                Ok(update) => match &*update {
                    Update::Void => {}
                    Update::Changes(id, changes) => {
                        if let Some(message) = changes.get(&self.right) {
                            self.after = id.or(self.after);
                            return Some(with_id(*id, message));
                        }
                    }
                },
                Err(broadcast::error::RecvError::Lagged(_)) => self.updates = None,
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// Prepares everything that the page lacks, and the updates behind it.
    fn snapshot(&mut self) {
        let mut shown = self.audience.shown.lock();
        let shown = &mut *shown;
        self.updates = Some(self.audience.updates.subscribe());
        let transcript = &shown.transcript;
        let next = transcript.state().next_seq;
        // an id of another server; a participant may lack rows before its last id
        let known = |after: &Seq| *after < next && !matches!(self.right, Right::Seat(_));
        let after = self.after.filter(known);
        if after.is_none() {
            self.waiting.push_back(sse::Event::default().data(r#"{"reset":true}"#));
        }
        let view = shown.views.entry(self.right).or_default();
        let mut rows = vec![];
        let mut bytes = 0;
        for row in view.fresh_rows(transcript, self.right, after) {
            bytes += row.get("text").and_then(Value::as_str).map_or(0, str::len);
            rows.push(row);
            if bytes >= MESSAGE_BYTES {
                bytes = 0;
                let message = message(std::mem::take(&mut rows), None, None, vec![]);
                self.waiting.extend(message.map(|message| with_id(None, &message)));
            }
        }
        let table = table(transcript, shown.attached, self.right);
        // with other pages open, both are unchanged
        view.said = texts(transcript, self.right);
        view.table = Some(table.clone());
        view.drawn = None;
        let drawing = view.fresh_drawing(transcript, self.right);
        let said = view.said.iter().map(|(turn, text)| text_of(*turn, text, false)).collect();
        self.after = next.0.checked_sub(1).map(Seq);
        let message = message(rows, Some(table), drawing, said);
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
        let mut pages = self.audience.pages.lock();
        if let Some(open) = pages.get_mut(&self.cookie) {
            *open -= 1;
            if *open == 0 {
                pages.remove(&self.cookie);
            }
        }
        drop(pages);
        if let Some(view) = self.audience.shown.lock().views.get_mut(&self.right) {
            view.open -= 1;
        }
        if self.right == Right::Steer {
            self.audience.steering.send_modify(|open| *open -= 1);
        }
    }
}
