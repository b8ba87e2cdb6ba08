//! The connections to the conversation. One follows it, and is renewed: another process may take the conversation over.
//! One steers it, open while the page that steers is open, so that the conversation waits for it where it waits for an
//! operator.

use super::audience::Audience;
use crate::live::client::{ClientError, FirstReceipt, Received, Receiver, Sender, greet};
use crate::live::protocol::Attach;
use crate::model::{Key, Seq, SteerLine};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

/// Name of the connection that follows, among the clients.
const NAME: &str = "pages";
/// Maximum number of commands that wait to be sent.
const WAITING: usize = 16;
/// Time for the first receipt of a command.
const RECEIPT_WITHIN: Duration = Duration::from_secs(5);
/// Time without an open page after which the connection closes.
const LEAVE_AFTER: Duration = Duration::from_secs(10);
/// Pause before the next attempt to connect.
const PAUSE: Duration = Duration::from_secs(1);

/// Commands to send.
#[derive(Clone)]
pub struct SteeringClient {
    requests: mpsc::Sender<Request>,
    name: watch::Receiver<String>,
}

struct Request {
    line: SteerLine,
    outcome: oneshot::Sender<Result<FirstReceipt, ClientError>>,
}

impl SteeringClient {
    /// Returns the sending end, and the task that sends to the conversation of a socket under a name; `pages` is the
    /// number of open pages that steer.
    pub fn new(
        socket: PathBuf,
        name: String,
        pages: watch::Receiver<usize>,
    ) -> (SteeringClient, impl Future<Output = ()>) {
        let (requests, waiting) = mpsc::channel(WAITING);
        let (named, names) = watch::channel(name.clone());
        let task = Task { socket, name, pages, waiting, named };
        (SteeringClient { requests, name: names }, task.run())
    }

    /// Returns the name in the log.
    pub fn name(&self) -> String {
        self.name.borrow().clone()
    }

    /// Sends a command and waits for its first receipt.
    ///
    /// # Errors
    /// If the conversation does not run, or refuses the client.
    pub async fn send(&self, line: SteerLine) -> Result<FirstReceipt, ClientError> {
        let (outcome, came) = oneshot::channel();
        let request = Request { line, outcome };
        self.requests.send(request).await.map_err(|_| ClientError::Closed)?;
        match timeout(RECEIPT_WITHIN, came).await {
            Err(_) => Ok(FirstReceipt::SENT),
            Ok(Err(_)) => Err(ClientError::Closed),
            Ok(Ok(outcome)) => outcome,
        }
    }
}

struct Task {
    socket: PathBuf,
    name: String,
    pages: watch::Receiver<usize>,
    waiting: mpsc::Receiver<Request>,
    named: watch::Sender<String>,
}

impl Task {
    async fn run(mut self) {
        loop {
            let request = tokio::select! { biased;
                request = self.waiting.recv() => match request {
                    Some(request) => Some(request),
                    None => return,
                },
                open = self.pages.wait_for(|open| *open > 0) => {
                    if open.is_err() {
                        return;
                    }
                    None
                }
            };
            match self.connect().await {
                Ok((receiver, sender)) => self.attend(receiver, sender, request).await,
                Err(fault) => {
                    if let Some(request) = request {
                        // the page may be gone
                        let _ = request.outcome.send(Err(fault));
                    } else {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
    }

    async fn connect(&self) -> Result<(Receiver, Sender), ClientError> {
        let attach = Attach { from: None, name: Some(self.name.clone()), watch: false };
        let (attached, receiver, sender) = greet(&self.socket).await?.attach(attach).await?;
        self.named.send_replace(attached.name);
        Ok((receiver, sender))
    }

    /// Sends commands and passes on their receipts until the connection ends or nobody needs it.
    async fn attend(&mut self, mut receiver: Receiver, mut sender: Sender, first: Option<Request>) {
        let mut open: BTreeMap<Key, oneshot::Sender<Result<FirstReceipt, ClientError>>> =
            BTreeMap::new();
        let mut next = first;
        let absent = absent(self.pages.clone());
        tokio::pin!(absent);
        let mut is_absent = false;
        loop {
            if let Some(Request { line, outcome }) = next.take() {
                match sender.give(&line).await {
                    Ok(key) => _ = open.insert(key, outcome),
                    // the page may be gone
                    Err(fault) => _ = outcome.send(Err(fault)),
                }
            }
            open.retain(|_, outcome| !outcome.is_closed());
            if is_absent && open.is_empty() {
                break;
            }
            tokio::select! { biased;
                received = receiver.next() => match received {
                    Received::Event(record) => {
                        if let Some((key, receipt)) = FirstReceipt::from_event(&record.event)
                            && let Some(waits) = open.remove(key)
                        {
                            // the page may be gone
                            let _ = waits.send(Ok(receipt));
                        }
                    }
                    Received::Piece(_) => {}
                    Received::Error(_) | Received::Bye(_) | Received::Lost => break,
                },
                request = self.waiting.recv() => match request {
                    Some(request) => next = Some(request),
                    None => break,
                },
                () = &mut absent, if !is_absent => is_absent = true,
            }
        }
    }
}

/// Waits until no page that steers has been open for a while.
async fn absent(mut pages: watch::Receiver<usize>) {
    loop {
        if pages.wait_for(|open| *open == 0).await.is_err() {
            return;
        }
        let back = timeout(LEAVE_AFTER, pages.wait_for(|open| *open > 0)).await;
        if !matches!(back, Ok(Ok(_))) {
            return;
        }
    }
}

/// Follows the conversation until the program ends. Returns once all events before the connection are applied.
///
/// # Errors
/// If the first attempt fails.
pub async fn follow(socket: &Path, audience: &Arc<Audience>) -> Result<(), ClientError> {
    let mut follower = FollowingClient::connect(socket, audience).await?;
    while audience.next_seq() < follower.past.max(Seq(1)) {
        follower.take(audience).await?;
    }
    let (socket, audience) = (socket.to_owned(), audience.clone());
    tokio::spawn(async move {
        loop {
            while follower.take(&audience).await.is_ok() {}
            audience.set_attached(false);
            follower = loop {
                tokio::time::sleep(PAUSE).await;
                if let Ok(follower) = FollowingClient::connect(&socket, &audience).await {
                    break follower;
                }
            };
        }
    });
    Ok(())
}

/// A connection that follows.
struct FollowingClient {
    /// Number of events before it.
    past: Seq,
    receiver: Receiver,
    /// The connection ends when it is dropped.
    _sender: Sender,
}

impl FollowingClient {
    async fn connect(socket: &Path, audience: &Audience) -> Result<FollowingClient, ClientError> {
        let greeted = greet(socket).await?;
        let past = greeted.hello.seq;
        let from = Some(audience.next_seq());
        let attach = Attach { from, name: Some(NAME.into()), watch: true };
        let (_, receiver, _sender) = greeted.attach(attach).await?;
        audience.set_attached(true);
        Ok(FollowingClient { past, receiver, _sender })
    }

    /// Applies the next message.
    async fn take(&mut self, audience: &Audience) -> Result<(), ClientError> {
        match self.receiver.next().await {
            Received::Event(record) => audience.apply(&record),
            Received::Piece(piece) => audience.push(piece),
            Received::Error(error) => return Err(ClientError::Refused(error)),
            Received::Bye(_) | Received::Lost => return Err(ClientError::Closed),
        }
        Ok(())
    }
}
