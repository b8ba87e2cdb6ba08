//! Prints a conversation on standard output while it runs, from a thread of its own: a slow reader delays nothing,
//! least of all the signal that ends the program.

use crate::cli::args::format::PrintFormat;
use crate::export::Narrator;
use crate::session::Record;
use crate::state::State;
use std::io::{self, Write, stdout};
use std::sync::{Arc, mpsc};
use tokio::sync::oneshot;

/// The handle of the printing thread.
pub struct Printer {
    records: mpsc::Sender<Arc<Record>>,
    /// Resolves at the end of the thread: all is printed, or writing failed.
    pub done: oneshot::Receiver<io::Result<()>>,
}

impl Printer {
    /// Starts to print everything after a state; without a format nothing is printed.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start(format: Option<PrintFormat>, mut state: State) -> io::Result<Printer> {
        let (records, queue) = mpsc::channel::<Arc<Record>>();
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
        std::thread::Builder::new().name("print".into()).spawn(move || {
            let printed = queue.iter().try_for_each(|record| {
                let mut out = stdout().lock();
                out.write_all(spell(&record).as_bytes())?;
                out.flush()
            });
            // the receiver is gone when the program ends without waiting for its output
            let _ = tell.send(printed);
        })?;
        Ok(Printer { records, done })
    }

    /// Prints an event when its turn comes.
    pub fn print(&self, record: Arc<Record>) {
        // a thread that has ended says why in `done`
        let _ = self.records.send(record);
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
