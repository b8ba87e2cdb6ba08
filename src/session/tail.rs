//! How everybody else follows a session: what was, then what comes, with the loose pieces in between.
//!
//! A tail is a cursor into shared records, not a queue: a slow reader costs nobody anything and misses only loose
//! pieces, whose words the sealed `delta` repeats. No reader can tell a live session from a replayed one. It does not
//! say what is saved; that is the writer's `Durable`.

use super::Record;
use crate::model::Piece;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::watch;

/// What a tail hands out.
#[derive(Clone, Debug)]
pub enum Item {
    /// An event. The reader forgets its loose pieces: the `delta` that sealed them comes first of all and has them.
    Event(Arc<Record>),
    /// A piece that no event holds yet.
    Piece(Piece),
    /// A replay went back: the reader forgets everything, and what was comes anew from the first event.
    Reset,
}

#[derive(Default)]
struct Inner {
    records: Vec<Arc<Record>>,
    loose: Vec<Piece>,
    /// How often it went back.
    rewound: u64,
    over: bool,
}

/// The writing end: the engine or a replay pushes, everybody else takes a [`Tail`].
#[derive(Clone)]
pub struct Feed {
    inner: Arc<Mutex<Inner>>,
    bell: watch::Sender<()>,
}

/// A reader's own cursor into a feed.
pub struct Tail {
    inner: Arc<Mutex<Inner>>,
    bell: watch::Receiver<()>,
    at: usize,
    loose: usize,
    rewound: u64,
}

fn lock(inner: &Mutex<Inner>) -> MutexGuard<'_, Inner> {
    inner.lock().unwrap_or_else(|e| e.into_inner())
}

impl Default for Feed {
    fn default() -> Self {
        Feed::new()
    }
}

impl Feed {
    /// Returns a feed of a new session.
    pub fn new() -> Feed {
        Feed::of(vec![])
    }

    /// Returns a feed that begins with the records of a session read from disk.
    pub fn of(records: Vec<Arc<Record>>) -> Feed {
        let inner = Inner { records, ..Inner::default() };
        Feed { inner: Arc::new(Mutex::new(inner)), bell: watch::Sender::new(()) }
    }

    /// Returns a reader that begins with the first event.
    pub fn tail(&self) -> Tail {
        let rewound = lock(&self.inner).rewound;
        Tail { inner: self.inner.clone(), bell: self.bell.subscribe(), at: 0, loose: 0, rewound }
    }

    /// Shows an event. Loose pieces end here, so whoever pushes seals them into a `delta` before any other event.
    pub fn push(&self, record: Arc<Record>) {
        let mut inner = lock(&self.inner);
        inner.records.push(record);
        inner.loose.clear();
        drop(inner);
        self.bell.send_replace(());
    }

    /// Shows many events at once, as [`push`](Feed::push) shows one.
    pub(super) fn extend(&self, records: impl IntoIterator<Item = Arc<Record>>) {
        let mut inner = lock(&self.inner);
        inner.records.extend(records);
        inner.loose.clear();
        drop(inner);
        self.bell.send_replace(());
    }

    /// Goes back to the first event: readers forget everything.
    pub(super) fn rewind(&self) {
        let mut inner = lock(&self.inner);
        inner.records.clear();
        inner.loose.clear();
        inner.rewound += 1;
        drop(inner);
        self.bell.send_replace(());
    }

    /// Shows a piece at once, before any event holds it.
    pub fn piece(&self, piece: Piece) {
        lock(&self.inner).loose.push(piece);
        self.bell.send_replace(());
    }

    /// Says that nothing more comes; tails end once they have read what is there. Dropping every feed does the same.
    pub fn close(&self) {
        lock(&self.inner).over = true;
        self.bell.send_replace(());
    }
}

impl Tail {
    /// Returns the next item that is there already.
    pub fn try_next(&mut self) -> Option<Item> {
        let inner = lock(&self.inner);
        if self.rewound != inner.rewound {
            (self.rewound, self.at, self.loose) = (inner.rewound, 0, 0);
            return Some(Item::Reset);
        }
        if let Some(record) = inner.records.get(self.at) {
            self.at += 1;
            self.loose = 0;
            return Some(Item::Event(record.clone()));
        }
        let piece = inner.loose.get(self.loose)?.clone();
        self.loose += 1;
        Some(Item::Piece(piece))
    }

    /// Waits for the next item; `None` when the session is over and all of it was read. May be cancelled at any await.
    pub async fn next(&mut self) -> Option<Item> {
        loop {
            if let Some(item) = self.try_next() {
                return Some(item);
            }
            // over is asked after the item, and both change under one lock before the bell: nothing slips between
            if lock(&self.inner).over || self.bell.changed().await.is_err() {
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

    /// What a reader believes was said: sealed words, then loose ones.
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
                Item::Reset => *self = Reader::default(),
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

    /// Every pace of reading sees every event, and at every moment a prefix of the same words.
    #[test]
    fn slow_and_fast_readers_see_the_same_words() {
        let feed = Feed::new();
        let mut readers: Vec<(usize, Tail, Reader)> =
            (0..7).map(|pace| (pace, feed.tail(), Reader::default())).collect();
        let (mut said, mut seq) = (String::new(), 0);
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

    #[tokio::test]
    async fn a_tail_ends_with_its_feed_however_that_ends() {
        for close in [true, false] {
            let feed = Feed::of(vec![record(0, Paused::default())]);
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
