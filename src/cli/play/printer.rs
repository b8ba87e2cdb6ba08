//! Prints a conversation on standard output while it runs, from a thread of its own: a slow reader delays nothing,
//! least of all the signal that ends the program.

use crate::cli::args::format::PrintFormat;
use crate::export::Narrator;
use crate::session::Record;
use crate::state::State;
use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use tokio::sync::{Notify, oneshot};

/// How many events wait for a slow reader of what was read from a file.
const WAITING_MOST: usize = 1024;

/// The handle of the printing thread.
pub struct Printer {
    records: mpsc::Sender<Vec<Arc<Record>>>,
    /// How many wait to be printed, and the bell for when they are few again.
    waiting: Arc<(AtomicUsize, Notify)>,
    /// Resolves at the end of the thread: all is printed, or writing failed.
    pub done: oneshot::Receiver<io::Result<()>>,
}

/// The room for events that wait to be printed.
pub struct Room(Arc<(AtomicUsize, Notify)>);

impl Room {
    /// Waits until there is some; whoever else runs has its turn in any case.
    pub async fn wait(&self) {
        tokio::task::yield_now().await;
        let (waiting, bell) = &*self.0;
        while waiting.load(Ordering::Acquire) >= WAITING_MOST {
            bell.notified().await;
        }
    }
}

impl Printer {
    /// Starts to print everything after a state; without a format nothing is printed.
    ///
    /// # Errors
    /// When the system cannot start a thread.
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
            // the receiver is gone when the program ends without waiting for its output
            let _ = tell.send(printed);
        })?;
        Ok(Printer { records, waiting, done })
    }

    /// Prints events when their turn comes; the thread is woken once for all of them.
    pub fn print(&self, records: Vec<Arc<Record>>) {
        if records.is_empty() {
            return;
        }
        self.waiting.0.fetch_add(records.len(), Ordering::AcqRel);
        // a thread that has ended says why in `done`
        let _ = self.records.send(records);
    }

    /// Returns what waits for room, for those who could print without end.
    pub fn room(&self) -> Room {
        Room(self.waiting.clone())
    }

    /// Waits until everything is printed.
    ///
    /// # Errors
    /// What standard output said.
    pub async fn finish(self) -> io::Result<()> {
        drop(self.records);
        self.done
            .await
            .unwrap_or_else(|_| Err(io::Error::other("the output thread stopped unexpectedly")))
    }
}
