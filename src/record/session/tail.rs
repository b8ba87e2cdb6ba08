//! Follows a session: past events, then new ones, with unsealed pieces in between.
//!
//! A tail is a cursor into shared records, not a queue: a slow reader delays nobody and misses only unsealed pieces,
//! whose text the sealed `delta` repeats. Records that every reader has read are dropped, so that a long conversation
//! does not stay in memory. Live and replayed sessions look the same to a reader. The writer's `Durable` reports saved
//! events.

pub use super::{Archive, ReadProgress, Record};

use super::Records;
use crate::model::Piece;
use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tokio::sync::watch;

/// An item of a tail.
#[derive(Clone, Debug)]
pub enum Item {
    /// An event. It invalidates unsealed pieces: a preceding `delta` contains them.
    Event(Arc<Record>),
    /// A piece that is not yet in an event.
    Piece(Piece),
    /// A jump of a replay: these events replace everything the reader has.
    Past(Past),
}

/// The first events of a recording, up to the position of a replay.
#[derive(Clone, Debug)]
pub struct Past {
    records: Records,
    len: usize,
}

impl Past {
    /// Returns the first `len` records.
    pub(super) fn new(records: Records, len: usize) -> Past {
        let len = len.min(records.len());
        Past { records, len }
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the events from an index on, in order.
    pub fn from(&self, events: usize) -> impl Iterator<Item = Arc<Record>> {
        self.records.starting_at(events).take(self.len.saturating_sub(events))
    }

    /// Returns the archive of the file, if the events are in a file.
    pub fn archive(&self) -> Option<&Archive> {
        self.records.archive()
    }
}

/// Minimum number of kept records before those that all readers have read are dropped.
const KEPT_AT_LEAST: usize = 1024;

#[derive(Default)]
struct Inner {
    /// Records that at least one reader has not read.
    records: VecDeque<Arc<Record>>,
    /// Number of dropped records.
    gone: usize,
    /// Events before a replay's jump, if it jumped.
    past: Option<Past>,
    loose: Vec<Piece>,
    readers: BTreeMap<u64, Place>,
    /// Id of the next reader.
    next_reader: u64,
    over: bool,
}

/// Position of a reader.
#[derive(Default)]
struct Place {
    events: usize,
    loose: usize,
    /// Jump to deliver first.
    past: Option<Past>,
}

impl Inner {
    fn take(&mut self, records: impl IntoIterator<Item = Arc<Record>>) {
        self.records.extend(records);
        self.loose.clear();
        let read = self.readers.values().map(|place| place.events).min().unwrap_or(0);
        if self.records.len() > KEPT_AT_LEAST && read > self.gone {
            self.records.drain(..read - self.gone);
            self.gone = read;
            self.past = None;
        }
    }

    fn next_for(&mut self, reader: u64) -> Option<Item> {
        let place = self.readers.get_mut(&reader)?;
        if let Some(past) = place.past.take() {
            return Some(Item::Past(past));
        }
        if let Some(record) = self.records.get(place.events - self.gone) {
            place.events += 1;
            place.loose = 0;
            return Some(Item::Event(record.clone()));
        }
        let piece = self.loose.get(place.loose)?.clone();
        place.loose += 1;
        Some(Item::Piece(piece))
    }
}

/// The sending end: the engine or a replay pushes, all others take a [`Tail`].
#[derive(Clone)]
pub struct Feed {
    inner: Arc<Mutex<Inner>>,
    bell: watch::Sender<()>,
}

/// A reader's cursor into a feed.
pub struct Tail {
    inner: Arc<Mutex<Inner>>,
    bell: watch::Receiver<()>,
    reader: u64,
}

impl Default for Feed {
    fn default() -> Self {
        Feed::new()
    }
}

impl Feed {
    /// Returns a feed of a new session.
    pub fn new() -> Feed {
        Feed::from_records(vec![])
    }

    /// Returns a feed that begins with the records of a session read from disk.
    pub fn from_records(records: Vec<Arc<Record>>) -> Feed {
        let inner = Inner { records: records.into(), ..Inner::default() };
        Feed { inner: Arc::new(Mutex::new(inner)), bell: watch::Sender::new(()) }
    }

    /// Returns a reader that begins with the oldest kept event.
    pub fn tail(&self) -> Tail {
        let mut inner = self.inner.lock();
        let reader = inner.next_reader;
        let events = inner.gone;
        let past = inner.past.clone();
        inner.next_reader += 1;
        inner.readers.insert(reader, Place { events, past, loose: 0 });
        Tail { inner: self.inner.clone(), bell: self.bell.subscribe(), reader }
    }

    /// Adds an event. It invalidates unsealed pieces, so they must be sealed into a `delta` first.
    pub fn push(&self, record: Arc<Record>) {
        self.extend([record]);
    }

    /// Adds many events, as [`push`](Feed::push) adds one.
    pub(super) fn extend(&self, records: impl IntoIterator<Item = Arc<Record>>) {
        self.inner.lock().take(records);
        self.bell.send_replace(());
    }

    /// Jumps: readers drop all items and receive these events.
    pub(super) fn go(&self, past: Past) {
        let mut inner = self.inner.lock();
        let events = past.len();
        inner.records.clear();
        inner.loose.clear();
        for place in inner.readers.values_mut() {
            *place = Place { events, loose: 0, past: Some(past.clone()) };
        }
        inner.gone = events;
        inner.past = Some(past);
        drop(inner);
        self.bell.send_replace(());
    }

    /// Shows a piece before it is in an event.
    pub fn piece(&self, piece: Piece) {
        self.inner.lock().loose.push(piece);
        self.bell.send_replace(());
    }

    /// Closes the feed; tails end after the remaining items. Dropping every feed does the same.
    pub fn close(&self) {
        self.inner.lock().over = true;
        self.bell.send_replace(());
    }
}

impl Drop for Tail {
    fn drop(&mut self) {
        self.inner.lock().readers.remove(&self.reader);
    }
}

impl Tail {
    /// Returns the next available item.
    pub fn try_next(&mut self) -> Option<Item> {
        self.inner.lock().next_for(self.reader)
    }

    /// Waits for the next item; `None` after the end of the session. Cancel safe.
    pub async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.try_next() {
                return Some(item);
            }
            // `over` is checked after the item, and both change under one lock before the bell: no change is missed
            if self.inner.lock().over || self.bell.changed().await.is_err() {
                return self.try_next();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::event::ENGINE;
    use crate::model::payload::{Delta, Paused};
    use crate::model::piece::{pack, unpack};
    use crate::model::{Channel, Event, Kind, Ms, Seq, ThreadId, TurnId, Wall};

    fn record(seq: u64, kind: impl Into<Kind>) -> Arc<Record> {
        let event = Event {
            seq: Seq(seq),
            at: Wall(0),
            ms: Ms(0),
            thread: ThreadId::ROOT,
            by: ENGINE.into(),
            cause: None,
            kind: kind.into(),
        };
        Arc::new(Record::new(event).unwrap())
    }

    fn piece(at: u64, text: &str) -> Piece {
        Piece { turn: TurnId(1), channel: Channel::Say, at: Ms(at), text: text.into() }
    }

    /// Text as seen by a reader: sealed, then unsealed.
    #[derive(Default)]
    struct Reader {
        sealed: String,
        loose: String,
        events: u64,
    }

    impl Reader {
        fn take(&mut self, item: Item) {
            match item {
                Item::Piece(p) => self.loose.push_str(&p.text),
                Item::Past(_) => panic!("nobody went elsewhere"),
                Item::Event(r) => {
                    assert_eq!(r.event.seq.0, self.events, "an event was missed");
                    self.events += 1;
                    self.loose.clear();
                    if let Kind::Delta(d) = &r.event.kind {
                        unpack(&d.pieces, Ms(0)).iter().for_each(|p| self.sealed.push_str(&p.text));
                    }
                }
            }
        }
    }

    /// Readers of any pace see every event, and always a prefix of the same text.
    #[test]
    fn slow_and_fast_readers_see_the_same_words() {
        let feed = Feed::new();
        let mut readers: Vec<(usize, Tail, Reader)> =
            (0..7).map(|pace| (pace, feed.tail(), Reader::default())).collect();
        let mut said = String::new();
        let mut seq = 0;
        for batch in 0..50 {
            let pieces: Vec<Piece> =
                (0..batch % 5 + 1).map(|i| piece(i, &format!("{batch}.{i} "))).collect();
            for p in &pieces {
                said.push_str(&p.text);
                feed.piece(p.clone());
                for (pace, tail, reader) in &mut readers {
                    (0..*pace).map_while(|_| tail.try_next()).for_each(|i| reader.take(i));
                    let seen = format!("{}{}", reader.sealed, reader.loose);
                    assert!(said.starts_with(&seen), "{seen:?} is not how {said:?} begins");
                }
            }
            feed.push(record(seq, Delta { pieces: pack(&pieces, Ms(0)) }));
            feed.push(record(seq + 1, Paused::default()));
            seq += 2;
        }
        for (_, mut tail, mut reader) in readers {
            std::iter::from_fn(|| tail.try_next()).for_each(|i| reader.take(i));
            assert_eq!((reader.sealed, reader.events), (said.clone(), seq));
        }
    }

    /// Records that all readers have read are dropped; a slow reader still misses nothing.
    #[test]
    fn chunks_read_by_everybody_are_freed() {
        let feed = Feed::new();
        let mut fast = feed.tail();
        let mut slow = feed.tail();
        let many = 5 * KEPT_AT_LEAST;
        for seq in 0..many {
            feed.push(record(seq as u64, Paused::default()));
            assert!(fast.try_next().is_some());
        }
        assert_eq!(feed.inner.lock().records.len(), many, "the slow reader has read nothing");
        assert_eq!(std::iter::from_fn(|| slow.try_next()).count(), many);
        feed.push(record(many as u64, Paused::default()));
        assert_eq!(feed.inner.lock().records.len(), 1);
        drop(fast);
        assert!(matches!(slow.try_next(), Some(Item::Event(r)) if r.event.seq.0 == many as u64));
        let all: Vec<_> = (0..9).map(|seq| record(seq, Paused::default())).collect();
        feed.go(Past::new(all.into(), 5));
        feed.push(record(5, Paused::default()));
        for mut reader in [slow, feed.tail()] {
            assert!(matches!(reader.try_next(), Some(Item::Past(p)) if p.len() == 5));
            assert!(matches!(reader.try_next(), Some(Item::Event(r)) if r.event.seq.0 == 5));
        }
    }

    #[tokio::test]
    async fn a_tail_ends_with_its_feed_however_that_ends() {
        for close in [true, false] {
            let feed = Feed::from_records(vec![record(0, Paused::default())]);
            let mut tail = feed.tail();
            let reader = tokio::spawn(async move {
                let mut items = 0;
                while tail.next().await.is_some() {
                    items += 1;
                }
                items
            });
            tokio::task::yield_now().await;
            feed.push(record(1, Paused::default()));
            if close {
                feed.close();
            }
            drop(feed);
            assert_eq!(reader.await.unwrap(), 2);
        }
    }
}
