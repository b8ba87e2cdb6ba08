//! Connections over HTTP, one request each, with limits on their number and the time for their heads.
//!
//! Connections whose head has not been read and checked have a limit of their own; if it is reached, the oldest is
//! closed. So neither slow nor silent connections keep a client out. Checked ones have a separate limit.

use crate::net::WebListener;
use axum::body::Body;
use axum::http::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::sync::oneshot;

/// Maximum number of connections whose head is being read.
const UNPROVED: usize = 32;
/// Maximum number of connections that are being answered.
const ANSWERED: usize = 64;
/// Maximum length of the head of a request, in bytes.
const HEAD_MAX: usize = 16 << 10;
/// Time for the head of a request.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// Time in which a closed connection takes its last words.
const PATIENCE: Duration = Duration::from_secs(1);
/// Pause after a failed accept. If the system is out of file descriptors, an immediate retry fails as well.
const PAUSE: Duration = Duration::from_millis(50);
/// Response to a connection that has to go.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// The open connections.
#[derive(Clone, Default)]
pub struct Connections {
    places: Arc<Mutex<Places>>,
}

#[derive(Default)]
struct Places {
    next: u64,
    /// Connections without a checked head, oldest first, with the signal to close them.
    unproved: BTreeMap<u64, oneshot::Sender<()>>,
    /// Connections that are being answered.
    answered: usize,
}

/// The place of a connection, until it is dropped.
pub struct Connection {
    places: Arc<Mutex<Places>>,
    number: u64,
    is_proved: Mutex<bool>,
}

impl Connection {
    /// Takes a place among the connections that are answered, if one is free: the head has been checked.
    pub fn prove(&self) -> bool {
        let mut places = self.places.lock();
        let mut is_proved = self.is_proved.lock();
        if places.answered >= ANSWERED {
            return false;
        }
        places.answered += 1;
        *is_proved = true;
        places.unproved.remove(&self.number);
        true
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut places = self.places.lock();
        places.unproved.remove(&self.number);
        places.answered -= usize::from(*self.is_proved.lock());
    }
}

impl Connections {
    /// Gives a connection a place, with the signal to close it. The oldest one without a checked head loses its place
    /// if all are taken.
    fn place(&self) -> (Connection, oneshot::Receiver<()>) {
        let mut places = self.places.lock();
        if places.unproved.len() >= UNPROVED
            && let Some((_, oldest)) = places.unproved.pop_first()
        {
            // the client may have gone already
            let _ = oldest.send(());
        }
        let number = places.next;
        places.next += 1;
        let (close, closed) = oneshot::channel();
        places.unproved.insert(number, close);
        (Connection { places: self.places.clone(), number, is_proved: Mutex::default() }, closed)
    }

    /// Accepts connections and answers their requests; never returns. A failed accept ends nothing.
    pub async fn serve<F: Future<Output = Response> + Send + 'static>(
        &self,
        listener: &WebListener,
        answer: impl Fn(Request<Body>, Arc<Connection>) -> F + Clone + Send + 'static,
    ) {
        loop {
            let Ok(stream) = listener.accept().await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let (connection, closed) = self.place();
            let connection = Arc::new(connection);
            let own = connection.clone();
            let answer = answer.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let answered = answer(request.map(Body::new), own.clone());
                Box::pin(async move { Ok::<_, Infallible>(answered.await) })
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(HEAD_WITHIN);
            http.max_buf_size(HEAD_MAX).keep_alive(false);
            let mut served = http.serve_connection(TokioIo::new(stream), service);
            tokio::spawn(async move {
                tokio::select! { biased;
                    // the client may leave at any time
                    _ = &mut served => {}
                    Ok(()) = closed => {
                        let mut stream = served.into_parts().io.into_inner();
                        let _ = tokio::time::timeout(PATIENCE, stream.write_all(BUSY)).await;
                    }
                }
                drop(connection);
            });
        }
    }
}
