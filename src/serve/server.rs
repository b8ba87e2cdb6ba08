//! The server: its address, its connections and their limits.

use super::access::{Access, Links};
use super::audience::{Audience, WATCHERS_MAX};
use super::checks::Names;
use super::follow::follow;
use super::routes::{Pages, routes};
use super::steering::SteeringClient;
use crate::clock::Clock;
use crate::live::client::ClientError;
use crate::model::Ms;
use crate::net::WebListener;
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Maximum number of connections: a page has one for its events, and others for its files and commands.
const CONNECTIONS_MAX: usize = WATCHERS_MAX + 100;
/// Time for the head of a request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Pause after a failed accept. If the system is out of file descriptors, an immediate retry fails as well.
const PAUSE: Duration = Duration::from_millis(50);

/// Pages to serve.
pub struct PageServer {
    /// Socket of the conversation.
    pub socket: PathBuf,
    /// Address to listen on; port 0 is any free one.
    pub address: SocketAddr,
    /// Address for browsers behind a reverse proxy, such as `https://talk.example.org`.
    pub public: Option<String>,
    /// Name of the page that steers, in the log.
    pub name: String,
}

/// A server that listens, with its links.
pub struct OpenServer {
    /// Address that browsers use.
    pub url: String,
    links: Links,
    listener: WebListener,
    router: Router,
}

/// Reason why pages cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system refuses the address.
    #[error("cannot listen on {0}: {1}")]
    Address(SocketAddr, io::Error),
    /// The conversation cannot be followed.
    #[error(transparent)]
    Conversation(ClientError),
    /// The system has no random numbers.
    #[error("the system has no random numbers: {0}")]
    Random(getrandom::Error),
}

/// Connects to the conversation, reads it, and listens. Needs a runtime.
///
/// # Errors
/// [`OpenError`].
pub async fn open(server: PageServer) -> Result<OpenServer, OpenError> {
    let PageServer { socket, address, public, name } = server;
    let listener = WebListener::bind(address).await;
    let listener = listener.map_err(|e| OpenError::Address(address, e))?;
    let address = listener.address();
    let (access, links) = Access::new().map_err(OpenError::Random)?;
    let audience = Arc::new(Audience::new());
    let (steering, sending) = SteeringClient::new(socket.clone(), name, audience.steering());
    start(&socket, &audience).await.map_err(OpenError::Conversation)?;
    tokio::spawn(sending);
    let pages = Pages {
        access,
        audience,
        steering,
        names: Names::new(address, public.as_deref()),
        clock: Clock::real(Ms(0)),
        cookie: format!("colloquium-{}", address.port()),
        is_secure: public.as_deref().is_some_and(|public| public.starts_with("https://")),
    };
    let url = public.unwrap_or_else(|| format!("http://{address}"));
    Ok(OpenServer { url, links, listener, router: routes(Arc::new(pages)) })
}

/// Starts to follow the conversation, and waits until all past events are known.
async fn start(socket: &Path, audience: &Arc<Audience>) -> Result<(), ClientError> {
    let (tell, caught_up) = oneshot::channel();
    let (socket, audience) = (socket.to_owned(), audience.clone());
    tokio::spawn(async move { follow(&socket, &audience, tell).await });
    caught_up.await.unwrap_or(Err(ClientError::Closed))
}

impl OpenServer {
    /// Returns the link to watch, for any number of browsers.
    pub fn watch_link(&self) -> String {
        format!("{}/#{}", self.url, self.links.watch)
    }

    /// Returns the link to steer, for one browser.
    pub fn steer_link(&self) -> String {
        format!("{}/#{}", self.url, self.links.steer)
    }

    /// Serves pages; never returns.
    pub async fn serve(self) {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        loop {
            let Ok(stream) = self.listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            // beyond the limit the connection is closed
            let Ok(place) = places.clone().try_acquire_owned() else { continue };
            let service = TowerToHyperService::new(self.router.clone());
            let mut connection = http1::Builder::new();
            // a connection that is kept may close just when a command is sent on it
            connection.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN).keep_alive(false);
            tokio::spawn(async move {
                // the browser may leave at any time
                let _ = connection.serve_connection(TokioIo::new(stream), service).await;
                drop(place);
            });
        }
    }
}
