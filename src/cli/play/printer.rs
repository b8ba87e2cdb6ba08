//! Prints a conversation on standard output while it runs. Uses its own thread, so that a slow reader delays nothing,
//! in particular not the signal that ends the program.

use crate::cli::args::PrintFormat;
use crate::export::Narrator;
use crate::session::Record;
use crate::state::State;
use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use tokio::sync::{Notify, oneshot};

/// Maximum number of queued events if they are read from a file and the reader is slow.
const WAITING_MOST: usize = 1024;

/// Handle of the printing thread.
pub struct Printer {
    records: mpsc::Sender<Vec<Arc<Record>>>,
    /// Number of queued events, and a notification when it falls below the maximum.
    waiting: Arc<(AtomicUsize, Notify)>,
    /// Resolves when the thread ends: everything is printed, or writing failed.
    pub done: oneshot::Receiver<io::Result<()>>,
}

/// Free space in the queue of the printer.
pub struct Room(Arc<(AtomicUsize, Notify)>);

impl Room {
    /// Waits for free space; always yields to other tasks once.
    pub async fn wait(&self) {
        tokio::task::yield_now().await;
        let (waiting, bell) = &*self.0;
        while waiting.load(Ordering::Acquire) >= WAITING_MOST {
            bell.notified().await;
        }
    }
}

impl Printer {
    /// Starts to print every event after a state; without a format, nothing is printed.
    pub fn start(format: Option<PrintFormat>, mut state: State) -> io::Result<Printer> {
        let (records, queue) = mpsc::channel::<Vec<Arc<Record>>>();
        let (tell, done) = oneshot::channel();
        let mut narrator = Narrator::default();
        let mut spell = move |record: &Record| match format.map(PrintFormat::spelling) {
            None => String::new(),
            Some(None) => record.line.clone(),
            Some(Some(spell)) => {
                state.apply(&record.event);
                narrator.narrate(&state, &record.event).iter().map(spell).collect()
            }
        };
        let waiting: Arc<(AtomicUsize, Notify)> = Arc::default();
        let left = waiting.clone();
        std::thread::Builder::new().name("print".into()).spawn(move || {
            let printed = queue.iter().try_for_each(|records| {
                let (waiting, bell) = &*left;
                if waiting.fetch_sub(records.len(), Ordering::AcqRel) < WAITING_MOST + records.len()
                {
                    bell.notify_one();
                }
                let text: String = records.iter().map(|record| spell(record)).collect();
                let mut out = stdout().lock();
                out.write_all(text.as_bytes())?;
                out.flush()
            });
            // the receiver is gone if the program ends without waiting for its output
            let _ = tell.send(printed);
        })?;
        Ok(Printer { records, waiting, done })
    }

    /// Queues events for printing; the thread is woken once for all of them.
    pub fn print(&self, records: Vec<Arc<Record>>) {
        if records.is_empty() {
            return;
        }
        self.waiting.0.fetch_add(records.len(), Ordering::AcqRel);
        // a thread that has ended reports the reason in `done`
        let _ = self.records.send(records);
    }

    /// Returns a handle that waits for free space, for callers with unlimited events.
    pub fn room(&self) -> Room {
        Room(self.waiting.clone())
    }

    /// Waits until everything is printed.
    pub async fn finish(self) -> io::Result<()> {
        drop(self.records);
        self.done
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the output thread stopped unexpectedly")))
    }
}
