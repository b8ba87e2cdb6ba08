//! All sessions of a client, each on its own thread.

use super::errors::{error, wrong};
use super::order::{Order, Pace};
use super::session::{AcpArgs, ClientSession, EditorGate};
use crate::cli::context::Context;
use crate::cli::play::assemble::random;
use crate::cli::saved_id::SavedId;
use crate::clock::wall_now;
use crate::ledger::{self, Ledger};
use crate::own_file::create_folder;
use crate::session::{ReadProgress, session_id};
use crate::{analysis, catalogue, text};
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{SessionId, SessionInfo};
use agent_client_protocol::{Client, Error, ErrorCode};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::mpsc::{self, error::TrySendError};

/// Sessions that are open at once.
const OPEN_MAX: usize = 32;
/// Orders that wait for a session.
const ORDERS_WAITING: usize = 32;
/// Time in which conversations are written to their last event when the program ends.
const LEAVE_WITHIN: Duration = Duration::from_millis(1_500);
/// Time between two looks whether they are.
const LOOKS: Duration = Duration::from_millis(10);
/// Sessions that are listed.
const LISTED_MAX: usize = 200;

/// The sessions of a client.
pub struct Sessions {
    args: Arc<AcpArgs>,
    context: Mutex<Context>,
    gate: EditorGate,
    open: Mutex<BTreeMap<String, Open>>,
    /// Threads of closed sessions, which may still write.
    closing: Mutex<Vec<JoinHandle<()>>>,
}

struct Open {
    orders: mpsc::Sender<Order>,
    thread: JoinHandle<()>,
}

impl Sessions {
    /// Returns a client's sessions, of which none is open yet.
    pub fn new(args: AcpArgs, context: &Context) -> Sessions {
        Sessions {
            gate: EditorGate(Ledger::new(args.max_usd, ledger::ACP)),
            args: Arc::new(args),
            context: Mutex::new(context.again()),
            open: Mutex::default(),
            closing: Mutex::default(),
        }
    }

    /// Opens a new session; returns its id. `servers` is true if the client offers tool servers.
    pub fn create(&self, client: ConnectionTo<Client>, servers: bool) -> Result<SessionId, Error> {
        if servers {
            self.context.lock().say("the tool servers of the client are not used");
        }
        let id = session_id(wall_now(), random());
        self.open(&id, client)?;
        Ok(id.into())
    }

    /// Opens a saved session again.
    pub fn reopen(&self, id: &SessionId, client: ConnectionTo<Client>) -> Result<(), Error> {
        let id = SavedId::try_from(id.0.to_string()).map_err(|why| wrong(&why))?;
        let id = id.as_str();
        if self.open.lock().contains_key(id) {
            return Ok(());
        }
        if !self.path(id).is_file() {
            return Err(no_session(id));
        }
        self.open(id, client)
    }

    fn path(&self, id: &str) -> PathBuf {
        self.context.lock().paths.sessions().join(format!("{id}.jsonl"))
    }

    fn open(&self, id: &str, client: ConnectionTo<Client>) -> Result<(), Error> {
        let failed = |why: String| error(ErrorCode::INTERNAL_ERROR, &why);
        let mut open = self.open.lock();
        open.retain(|_, session| !session.thread.is_finished());
        if open.len() >= OPEN_MAX {
            return Err(wrong(&format!("{OPEN_MAX} sessions are open already; close one")));
        }
        let path = self.path(id);
        let folder = path.parent().unwrap_or(Path::new("."));
        create_folder(folder)
            .map_err(|e| failed(format!("cannot write in {}: {e}", folder.display())))?;
        let (orders, waiting) = mpsc::channel(ORDERS_WAITING);
        let session = ClientSession {
            id: id.to_owned().into(),
            path,
            client,
            orders: waiting,
            pace: Pace::default(),
            gate: self.gate.clone(),
            began: false,
            args: self.args.clone(),
            context: self.context.lock().again(),
        };
        let thread = thread::Builder::new().name("session".into()).spawn(move || session.serve());
        let thread = thread.map_err(|e| failed(format!("system error: {e}")))?;
        open.insert(id.to_owned(), Open { orders, thread });
        Ok(())
    }

    /// Passes an order to a session, or answers it if no session with this id is open.
    pub fn order(&self, id: &SessionId, order: Order) -> Result<(), Error> {
        let mut open = self.open.lock();
        let Some(session) = open.get(&*id.0) else { return order.refuse(no_session(&id.0)) };
        let closes = matches!(order, Order::Close(_));
        match session.orders.try_send(order) {
            Ok(()) if closes => {
                self.closing.lock().extend(open.remove(&*id.0).map(|session| session.thread));
                Ok(())
            }
            Ok(()) => Ok(()),
            Err(TrySendError::Closed(order)) => order.refuse(no_session(&id.0)),
            Err(TrySendError::Full(order)) => {
                order.refuse(wrong("too many requests wait in this session"))
            }
        }
    }

    /// Returns the saved sessions, the latest first.
    pub fn list(&self, folder: Option<PathBuf>) -> Result<Vec<SessionInfo>, Error> {
        let sessions = self.context.lock().paths.sessions();
        let all = catalogue::list(&sessions, analysis::headline, &ReadProgress::default())
            .map_err(|e| error(ErrorCode::INTERNAL_ERROR, &e.to_string()))?;
        // sessions belong to no folder
        let folder = folder.unwrap_or_else(|| PathBuf::from("/"));
        let info = |session: &catalogue::SessionSummary| {
            SessionInfo::new(session.id.clone(), &folder)
                .title(text::label(&session.title).into_owned())
        };
        Ok(all.iter().take(LISTED_MAX).map(info).collect())
    }

    /// Leaves all conversations as a kill would leave them, written to the last event.
    pub fn leave(&self) {
        let all: Vec<Open> = std::mem::take(&mut *self.open.lock()).into_values().collect();
        for session in &all {
            // an ended session takes no orders, and a busy one notices the end of the channel
            let _ = session.orders.try_send(Order::Leave);
        }
        let mut threads = std::mem::take(&mut *self.closing.lock());
        threads.extend(all.into_iter().map(|session| session.thread));
        // a conversation that waits for a server before its start has nothing to write
        let mut left = LEAVE_WITHIN;
        while threads.iter().any(|thread| !thread.is_finished()) && !left.is_zero() {
            thread::sleep(LOOKS);
            left = left.saturating_sub(LOOKS);
        }
    }
}

fn no_session(id: &str) -> Error {
    let why = format!("no session `{id}` is open; `session/list` names the saved ones");
    error(ErrorCode::RESOURCE_NOT_FOUND, &why)
}
