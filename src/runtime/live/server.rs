//! The socket of a running conversation: one per conversation, in a folder of the user alone.

use super::connection::{refuse, serve};
use super::protocol::Code;
use super::relay::Relay;
use crate::engine::{Attendance, Guests, Owner};
use crate::net::LocalListener;
use crate::own_file::create_folder;
use crate::session::{Durable, SessionFiles, Tail};
use crate::spawn::is_started_here;
use crate::state::State;
use sha2::{Digest, Sha256};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use std::{fs, io};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Maximum number of clients.
pub const CLIENTS_MAX: usize = 16;
/// Maximum commands of all clients that wait for the engine.
const COMMANDS_WAITING: usize = 64;
/// Time for the last lines to all clients.
const LEAVE_WITHIN: Duration = Duration::from_millis(500);
/// Pause after a failed accept. If the system is out of file descriptors, an immediate retry fails as well.
const PAUSE: Duration = Duration::from_millis(50);

/// A conversation to open to clients.
pub struct LiveOpening {
    /// Folder of the sockets.
    pub folder: PathBuf,
    /// Paths of the session.
    pub files: SessionFiles,
    /// Events and pieces of the engine.
    pub tail: Tail,
    /// State before these events.
    pub past: State,
    /// Progress of the session's writer.
    pub durable: watch::Receiver<Durable>,
    /// Owner of the conversation.
    pub owner: Owner,
}

/// The server of a conversation, on its own thread; dropping it closes the socket.
pub struct LiveServer {
    relay: Arc<Relay>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    opened: Option<oneshot::Receiver<io::Result<PathBuf>>>,
}

/// Opens a conversation to clients; returns its server and the receiving end for the engine.
pub fn open(opening: LiveOpening) -> io::Result<(LiveServer, Guests)> {
    let LiveOpening { folder, files, tail, past, durable, owner } = opening;
    let (inputs, orders) = mpsc::channel(COMMANDS_WAITING);
    let (attendance, attended) = watch::channel(Attendance::default());
    let guests = Guests::new(orders, attended, owner);
    let relay = Arc::new(Relay::new(files, past, inputs, attendance, owner));
    let (stop, stopped) = oneshot::channel();
    let (tell, opened) = oneshot::channel();
    let shared = relay.clone();
    let thread = std::thread::Builder::new().name("live".into()).spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        // without a runtime nobody can attach, and the conversation goes on
        let Ok(runtime) = runtime else { return };
        runtime.block_on(run(shared, &folder, tail, durable, tell, stopped));
        runtime.shutdown_background();
    })?;
    let server = LiveServer { relay, stop: Some(stop), thread: Some(thread), opened: Some(opened) };
    Ok((server, guests))
}

impl LiveServer {
    /// Waits until the socket is open; returns its path. Must be called once.
    pub fn opened(&mut self) -> impl Future<Output = io::Result<PathBuf>> + use<> {
        let opened = self.opened.take();
        async move {
            let gone =
                || io::Error::new(io::ErrorKind::NotConnected, "the conversation ended first");
            let opened = opened.ok_or_else(gone)?;
            opened.await.unwrap_or_else(|_| Err(gone()))
        }
    }

    /// Asks the engine to stop once nothing is in flight, because another process takes the conversation over.
    pub fn hand_over(&self) {
        self.relay.hand_over();
    }
}

impl Drop for LiveServer {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // the thread may have ended already
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn run(
    relay: Arc<Relay>,
    folder: &Path,
    tail: Tail,
    mut durable: watch::Receiver<Durable>,
    tell: oneshot::Sender<io::Result<PathBuf>>,
    mut stopped: oneshot::Receiver<()>,
) {
    // a session gets its file with its first event
    let begun = async {
        while durable.borrow_and_update().written.is_none() {
            if durable.changed().await.is_err() {
                return false;
            }
        }
        true
    };
    let begun = tokio::select! { biased;
        _ = &mut stopped => false,
        begun = begun => begun,
    };
    if !begun {
        return;
    }
    let (listener, path) = match bind(folder, relay.files.log()) {
        Ok(bound) => bound,
        Err(fault) => {
            // the caller may be gone
            let _ = tell.send(Err(fault));
            return;
        }
    };
    let _ = tell.send(Ok(path.clone()));
    let mut clients = JoinSet::new();
    let passed = relay.run(tail, durable);
    tokio::pin!(passed);
    let mut passes = true;
    loop {
        tokio::select! { biased;
            _ = &mut stopped => break,
            () = &mut passed, if passes => passes = false,
            Some(_) = clients.join_next() => {}
            came = listener.accept() => match came {
                Ok((stream, peer)) => {
                    let own = rustix::process::geteuid().as_raw();
                    match peer.pid {
                        _ if peer.uid != own => {}
                        None => {}
                        Some(pid) if is_started_here(pid) => {
                            let why = "a process of a conversation cannot attach to one";
                            refuse(stream, Code::Descends, why).await;
                        }
                        Some(_) if clients.len() >= CLIENTS_MAX => {
                            let why = format!("{CLIENTS_MAX} clients are attached already");
                            refuse(stream, Code::Full, &why).await;
                        }
                        Some(_) => {
                            clients.spawn(serve(stream, relay.clone()));
                        }
                    }
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    // another process may have its own socket there by now only if this one was removed
    let _ = fs::remove_file(&path);
    let farewell = async {
        if passes {
            passed.await;
        }
        while clients.join_next().await.is_some() {}
    };
    // a client that does not read gets no farewell
    let _ = timeout(LEAVE_WITHIN, farewell).await;
}

/// Creates the socket of a session. The caller holds the lock of the session, so an existing socket is that of a dead
/// process.
fn bind(folder: &Path, log: &Path) -> io::Result<(LocalListener, PathBuf)> {
    create_folder(folder)
        .map_err(|fault| io::Error::other(format!("{}: {fault}", folder.display())))?;
    check_private(folder)?;
    let path = socket(folder, log)?;
    match path.symlink_metadata() {
        Ok(found) if found.file_type().is_socket() => fs::remove_file(&path)?,
        Ok(_) => return Err(io::Error::other(format!("{} is not a socket", path.display()))),
        Err(_) => {}
    }
    let listener = LocalListener::bind(&path)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
    Ok((listener, path))
}

/// Rejects a folder that other users can enter.
fn check_private(folder: &Path) -> io::Result<()> {
    let found = folder.symlink_metadata()?;
    let own = rustix::process::geteuid().as_raw();
    if found.uid() == own && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let why = format!("{} must belong to you alone (mode 0700)", folder.display());
    Err(io::Error::other(why))
}

/// Returns the path of the socket of the session at `log`, which must exist.
///
/// Its name is short, because the system limits the length of the whole path: the beginning of a digest of the path of
/// the log.
pub fn socket(folder: &Path, log: &Path) -> io::Result<PathBuf> {
    let log = log.canonicalize()?;
    let digest = Sha256::digest(log.as_os_str().as_encoded_bytes());
    let digest: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    Ok(folder.join(format!("{digest}.sock")))
}
