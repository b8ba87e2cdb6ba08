//! Listeners for clients over HTTP, with limits on their connections.
//!
//! Connections that have not proved themselves have a limit of their own; if it is reached, the oldest is closed. So
//! neither slow nor silent connections keep a client out.

use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

/// Time for the head of a request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Time in which a closed connection takes its last words.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause after a failed accept. If the system is out of file descriptors, an immediate retry fails as well.
const PAUSE: Duration = Duration::from_millis(50);
/// Response to a connection that has to go.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// A TCP socket that listens for clients over HTTP.
pub struct WebListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl WebListener {
    /// Listens on an address; port 0 is any free one. Needs a runtime with I/O.
    pub async fn bind(address: SocketAddr) -> io::Result<WebListener> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(WebListener { listener, address })
    }

    /// Returns the address, with its real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

#[derive(Default)]
struct Visits {
    next: u64,
    /// Connections that have not proved themselves, oldest first, with the signal to close them.
    unproved: BTreeMap<u64, oneshot::Sender<()>>,
    proved: usize,
}

/// A connection, until it is dropped.
pub struct WebVisit {
    visits: Arc<Mutex<Visits>>,
    number: u64,
    is_proved: Mutex<bool>,
}

impl WebVisit {
    /// Adds a connection, with the signal to close it. The oldest unproved one is closed if there are `most`.
    fn new(visits: &Arc<Mutex<Visits>>, most: usize) -> (Arc<WebVisit>, oneshot::Receiver<()>) {
        let mut all = visits.lock();
        if all.unproved.len() >= most
            && let Some((_, oldest)) = all.unproved.pop_first()
        {
            // the client may have gone already
            let _ = oldest.send(());
        }
        let number = all.next;
        all.next += 1;
        let (close, closed) = oneshot::channel();
        all.unproved.insert(number, close);
        let visit = WebVisit { visits: visits.clone(), number, is_proved: Mutex::default() };
        (Arc::new(visit), closed)
    }

    /// Keeps the connection until its response has ended; returns false if `most` others are kept.
    pub fn prove(&self, most: usize) -> bool {
        let mut all = self.visits.lock();
        if all.proved >= most {
            return false;
        }
        all.proved += 1;
        *self.is_proved.lock() = true;
        all.unproved.remove(&self.number);
        true
    }
}

impl Drop for WebVisit {
    fn drop(&mut self) {
        let mut all = self.visits.lock();
        all.unproved.remove(&self.number);
        all.proved -= usize::from(*self.is_proved.lock());
    }
}

/// Limits on connections.
pub struct VisitLimits {
    /// Maximum number of connections that have not proved themselves.
    pub unproved: usize,
    /// Maximum length of the head of a request, in bytes.
    pub head: usize,
}

/// Accepts connections for one request each, and answers them; never returns. A failed accept ends nothing.
pub async fn accept<F, B>(
    listener: &WebListener,
    limits: VisitLimits,
    answer: impl Fn(Request<Incoming>, Arc<WebVisit>) -> F + Clone + Send + 'static,
) where
    F: Future<Output = Result<Response<B>, Infallible>> + Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    let visits = Arc::default();
    loop {
        let Ok((stream, _)) = listener.listener.accept().await else {
            sleep(PAUSE).await;
            continue;
        };
        // text arrives in small pieces; without this option, it is slower
        let _ = stream.set_nodelay(true);
        let (visit, closed) = WebVisit::new(&visits, limits.unproved);
        let (answer, own) = (answer.clone(), visit.clone());
        let service = service_fn(move |request| Box::pin(answer(request, own.clone())));
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN);
        // a connection that is kept may close just when a command is sent on it
        http.max_buf_size(limits.head).keep_alive(false);
        let mut served = http.serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move {
            tokio::select! { biased;
                // the client may leave at any time
                _ = &mut served => {}
                Ok(()) = closed => {
                    let mut stream = served.into_parts().io.into_inner();
                    let _ = timeout(PATIENCE, stream.write_all(BUSY)).await;
                }
            }
            drop(visit);
        });
    }
}

/// Returns the address at which other machines of its network reach this one; `None` without a network. Nothing is sent:
/// the system names the address from which it would send.
pub fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // an address that is reserved for documentation
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}
