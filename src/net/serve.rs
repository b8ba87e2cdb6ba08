//! A small HTTP server for clients of this machine: one request a connection, with bounds on everything.

use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Connections at once; further ones are closed.
const AT_ONCE: usize = 32;
/// Bytes of the head of a request.
const HEAD_MAX: u64 = 16 << 10;
/// Bytes of its body.
const BODY_MAX: usize = 4 << 20;
/// How long a client may take for its next bytes.
const PATIENCE: Duration = Duration::from_secs(10);

/// A listener on one address that takes one request per connection.
pub struct Server {
    listener: TcpListener,
    open: Arc<AtomicUsize>,
}

/// A connection that has not been read.
pub struct Connection {
    stream: TcpStream,
    open: Arc<AtomicUsize>,
}

/// A request that came in, whole.
pub struct Heard {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path of the request, without the query.
    pub path: String,
    headers: Vec<(String, String)>,
    /// The body of the request, at most as long as was allowed.
    pub body: Vec<u8>,
}

/// What is replied.
pub struct HttpReply {
    status: u16,
    body: Option<String>,
}

impl Server {
    /// Listens on an address.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn bind(address: SocketAddr) -> io::Result<Server> {
        Ok(Server { listener: TcpListener::bind(address)?, open: Arc::default() })
    }

    /// Returns the address, with its real port.
    pub fn address(&self) -> SocketAddr {
        let unknown = SocketAddr::from(([127, 0, 0, 1], 0));
        self.listener.local_addr().unwrap_or(unknown)
    }

    /// Waits for the next connection; none when the listener broke.
    pub fn next(&self) -> Option<Connection> {
        loop {
            let (stream, _) = self.listener.accept().ok()?;
            let connection = Connection { stream, open: self.open.clone() };
            // dropped, it is closed
            if self.open.fetch_add(1, Ordering::Relaxed) < AT_ONCE {
                return Some(connection);
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    /// Reads the request, replies and closes.
    pub fn answer(self, reply: impl FnOnce(&Heard) -> HttpReply) {
        let waits = self.stream.set_read_timeout(Some(PATIENCE));
        let waits = waits.and_then(|()| self.stream.set_write_timeout(Some(PATIENCE)));
        let replied = waits.and_then(|()| match heard(&self.stream)? {
            Some(heard) => reply(&heard).write(&self.stream),
            None => HttpReply::status(400).write(&self.stream),
        });
        // a client that has gone has nobody to be told
        drop(replied);
    }
}

/// Reads a request; none, if it is none or too large.
fn heard(stream: &TcpStream) -> io::Result<Option<Heard>> {
    let mut head = BufReader::new(stream.take(HEAD_MAX));
    let mut lines = vec![];
    loop {
        let mut line = String::new();
        if head.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let first = lines.first().cloned().unwrap_or_default();
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Ok(None) };
    let header = |line: &String| {
        let (name, value) = line.split_once(':')?;
        Some((name.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    let headers: Vec<(String, String)> = lines.iter().skip(1).filter_map(header).collect();
    let (method, path) = (method.to_owned(), path.to_owned());
    let mut heard = Heard { method, path, headers, body: vec![] };
    let length = heard.header("content-length").map_or(Ok(0), str::parse);
    let Some(length) = length.ok().filter(|length| *length <= BODY_MAX) else { return Ok(None) };
    let begun = head.buffer().to_vec();
    heard.body.extend(begun.iter().take(length));
    let mut rest = vec![0; length - heard.body.len()];
    (&*stream).read_exact(&mut rest)?;
    heard.body.extend(rest);
    Ok(Some(heard))
}

impl Heard {
    /// Returns a header by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl HttpReply {
    /// Returns a reply without a body.
    pub fn status(status: u16) -> HttpReply {
        HttpReply { status, body: None }
    }

    /// Returns a reply of JSON.
    pub fn json(value: &Value) -> HttpReply {
        HttpReply { status: 200, body: Some(value.to_string()) }
    }

    fn write(&self, mut stream: &TcpStream) -> io::Result<()> {
        let words = match self.status {
            200 => "OK",
            202 => "Accepted",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            405 => "Method Not Allowed",
            _ => "Not Found",
        };
        let body = self.body.as_deref().unwrap_or_default();
        let head = format!(
            "HTTP/1.1 {} {words}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.status,
            body.len()
        );
        stream.write_all((head + body).as_bytes())
    }
}
