//! A small HTTP server for clients on this machine: one request per connection, with limits on time, size and number.
//!
//! Connections whose head has not been read and checked have a limit of their own; if it is reached, the oldest is
//! closed. So neither slow nor silent connections keep a client out. Accepted requests have a separate limit.

use crate::clock::Clock;
use crate::model::Ms;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Maximum number of requests in progress; further ones get 503.
const AT_ONCE: usize = 32;
/// Maximum number of connections whose head is being read.
const UNPROVED: usize = 32;
/// Maximum length of the head of a request, in bytes.
const HEAD_MAX: usize = 16 << 10;
/// Maximum length of the body, in bytes.
const BODY_MAX: usize = 4 << 20;
/// Timeout for the head, in milliseconds.
const HEAD_MS: u64 = 10_000;
/// Timeout for the body, in milliseconds.
const BODY_MS: u64 = 30_000;
/// Milliseconds that a client has to close its side after the response.
const PART_MS: u64 = 1_000;
/// Timeout for a client to read its response.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause after a failed accept. If the system is out of file descriptors, an immediate retry fails as well.
const PAUSE: Duration = Duration::from_millis(50);
/// Terminator of a head.
const HEAD_END: &[u8] = b"\r\n\r\n";

/// A listener on one address that takes one request per connection.
pub struct Server {
    listener: TcpListener,
    places: Arc<Mutex<Places>>,
    clock: Clock,
}

/// The open connections.
#[derive(Default)]
struct Places {
    next: u64,
    /// Connections without a complete head, oldest first.
    unproved: BTreeMap<u64, Arc<TcpStream>>,
    /// Number of requests in progress.
    answered: usize,
}

/// A connection that has not been read.
pub struct Connection {
    /// Shared with `Places`: a duplicate would need a file descriptor of its own.
    stream: Arc<TcpStream>,
    number: u64,
    places: Arc<Mutex<Places>>,
    clock: Clock,
    /// Time at which it was accepted.
    since: Ms,
}

/// A received request. Its body is empty while its head is checked.
pub struct HttpRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// Request target as sent: the path, with the query if it has one.
    pub path: String,
    headers: Vec<(String, String)>,
    /// Body of the request.
    pub body: Vec<u8>,
}

/// The client that waits for a response.
pub struct Peer<'a>(&'a TcpStream);

/// A reply.
pub struct HttpReply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

impl Server {
    /// Listens on an address.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn bind(address: SocketAddr) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let clock = Clock::real(Ms(0));
        Ok(Server { listener, places: Arc::default(), clock })
    }

    /// Returns the address, with its real port.
    pub fn address(&self) -> SocketAddr {
        let unknown = SocketAddr::from(([127, 0, 0, 1], 0));
        self.listener.local_addr().unwrap_or(unknown)
    }

    /// Waits for the next connection. A failed accept ends nothing.
    pub fn next(&self) -> Connection {
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return self.place(Arc::new(stream)),
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }

    /// Gives a connection a place; the oldest one without a whole head loses its place if all are taken.
    fn place(&self, stream: Arc<TcpStream>) -> Connection {
        let mut places = lock(&self.places);
        if places.unproved.len() >= UNPROVED
            && let Some((_, oldest)) = places.unproved.pop_first()
        {
            // the client may have gone already
            let _ = HttpReply::status(503).write(&oldest);
            let _ = oldest.shutdown(Shutdown::Both);
        }
        let number = places.next;
        places.next += 1;
        places.unproved.insert(number, stream.clone());
        drop(places);
        let places = self.places.clone();
        let clock = self.clock.clone();
        let since = clock.now();
        Connection { stream, number, places, clock, since }
    }
}

fn lock(places: &Mutex<Places>) -> MutexGuard<'_, Places> {
    places.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Connection {
    fn drop(&mut self) {
        lock(&self.places).unproved.remove(&self.number);
    }
}

/// The place of a request that is being answered.
struct Answering(Arc<Mutex<Places>>);

impl Drop for Answering {
    fn drop(&mut self) {
        lock(&self.0).answered -= 1;
    }
}

impl Connection {
    /// Reads the request, replies and closes. `check` sees the head alone and returns a reply if it refuses the request;
    /// only then the body is read.
    pub fn answer(
        self,
        check: impl FnOnce(&HttpRequest) -> Option<HttpReply>,
        reply: impl FnOnce(&HttpRequest, &Peer<'_>) -> HttpReply,
    ) {
        // a client that has gone needs no reply
        let _ = self.replied(check, reply);
        self.part();
    }

    /// Closes the connection. Bytes that were not read are discarded first: closing at once would reset the connection,
    /// and the client could lose the reply.
    fn part(&self) {
        let until = Ms(self.clock.now().0 + PART_MS);
        let mut bytes = [0; 4 << 10];
        // the client may have gone already
        let _ = self.stream.shutdown(Shutdown::Write);
        while self.read(&mut bytes, until).is_ok_and(|n| n > 0) {}
    }

    fn replied(
        &self,
        check: impl FnOnce(&HttpRequest) -> Option<HttpReply>,
        reply: impl FnOnce(&HttpRequest, &Peer<'_>) -> HttpReply,
    ) -> io::Result<()> {
        self.stream.set_write_timeout(Some(PATIENCE))?;
        let Some((mut request, begun)) = self.head()? else {
            return HttpReply::status(400).write(&self.stream);
        };
        if let Some(refusal) = check(&request) {
            return refusal.write(&self.stream);
        }
        let Some(_place) = self.prove() else {
            return HttpReply::status(503).write(&self.stream);
        };
        let length = request.header("content-length").map_or(Ok(0), str::parse);
        let Some(length) = length.ok().filter(|length| *length <= BODY_MAX) else {
            return HttpReply::status(400).write(&self.stream);
        };
        request.body = self.body(begun, length)?;
        reply(&request, &Peer(&self.stream)).write(&self.stream)
    }

    /// Takes a place among the requests that are answered, if one is free.
    fn prove(&self) -> Option<Answering> {
        let mut places = lock(&self.places);
        places.unproved.remove(&self.number);
        if places.answered >= AT_ONCE {
            return None;
        }
        places.answered += 1;
        Some(Answering(self.places.clone()))
    }

    /// Reads bytes that come before a time; none is the end of the connection.
    fn read(&self, bytes: &mut [u8], until: Ms) -> io::Result<usize> {
        let left = until.0.saturating_sub(self.clock.now().0);
        if left == 0 {
            return Err(ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(Duration::from_millis(left)))?;
        (&*self.stream).read(bytes)
    }

    /// Reads the head, and the bytes of the body that came with it; `None` for anything else than a head.
    fn head(&self) -> io::Result<Option<(HttpRequest, Vec<u8>)>> {
        let until = Ms(self.since.0 + HEAD_MS);
        let mut all = vec![];
        let mut bytes = [0; 4 << 10];
        let end = loop {
            if let Some(at) = all.windows(HEAD_END.len()).position(|four| four == HEAD_END) {
                break at;
            }
            if all.len() >= HEAD_MAX {
                return Ok(None);
            }
            match self.read(&mut bytes, until)? {
                0 => return Ok(None),
                n => all.extend(bytes.iter().take(n)),
            }
        };
        let begun = all.split_off(end + HEAD_END.len());
        let text = String::from_utf8_lossy(&all);
        let mut lines = text.lines();
        let mut words = lines.next().unwrap_or_default().split(' ');
        let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        };
        let headers = lines.filter_map(header).collect();
        let method = method.to_owned();
        let path = path.to_owned();
        Ok(Some((HttpRequest { method, path, headers, body: vec![] }, begun)))
    }

    /// Reads the rest of a body of a length.
    fn body(&self, mut body: Vec<u8>, length: usize) -> io::Result<Vec<u8>> {
        let until = Ms(self.clock.now().0 + BODY_MS);
        let mut bytes = vec![0; 64 << 10];
        while body.len() < length {
            match self.read(&mut bytes, until)? {
                0 => return Err(ErrorKind::UnexpectedEof.into()),
                n => body.extend(bytes.iter().take(n)),
            }
        }
        body.truncate(length);
        Ok(body)
    }
}

impl Peer<'_> {
    /// Returns whether the client has closed its connection.
    pub fn is_gone(&self) -> bool {
        let looked = self.0.set_nonblocking(true).and_then(|()| self.0.peek(&mut [0]));
        let back = self.0.set_nonblocking(false);
        match looked {
            Ok(n) => n == 0 || back.is_err(),
            Err(e) => e.kind() != ErrorKind::WouldBlock,
        }
    }
}

impl HttpRequest {
    /// Returns a header by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl HttpReply {
    /// Returns a reply without a body.
    pub fn status(status: u16) -> HttpReply {
        HttpReply { status, headers: vec![], body: None }
    }

    /// Returns a reply of JSON.
    pub fn json(value: &Value) -> HttpReply {
        HttpReply { body: Some(value.to_string()), ..HttpReply::status(200) }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: &'static str, value: String) -> HttpReply {
        self.headers.push((name, value));
        self
    }

    fn write(&self, mut stream: &TcpStream) -> io::Result<()> {
        let words = match self.status {
            200 => "OK",
            202 => "Accepted",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            405 => "Method Not Allowed",
            503 => "Service Unavailable",
            _ => "Not Found",
        };
        let body = self.body.as_deref().unwrap_or_default();
        let more: String = self.headers.iter().map(|(n, v)| format!("{n}: {v}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {} {words}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n{more}connection: close\r\n\r\n",
            self.status,
            body.len()
        );
        stream.write_all((head + body).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a head that ends early, `ms` after the connection was accepted; returns the error.
    fn head_after(ms: u64) -> Option<ErrorKind> {
        let mut server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        server.clock = Clock::paced_over(&Clock::real(Ms(0)), Ms(0));
        let mut client = TcpStream::connect(server.address()).unwrap();
        client.write_all(b"POST").unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let connection = server.next();
        server.clock.set(Ms(ms));
        connection.head().map(drop).err().map(|e| e.kind())
    }

    #[test]
    fn a_head_has_to_come_within_ten_seconds() {
        assert_eq!(head_after(HEAD_MS - 1), None);
        assert_eq!(head_after(10_000), Some(ErrorKind::TimedOut));
    }
}
