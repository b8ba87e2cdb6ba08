//! Standard input and output as a transport of the SDK, with the bounds of this program: the SDK would parse a message of
//! any number of values, skip invalid lines without an error, and start any number of requests.

use super::open::{CANCELLED, OpenRequest, OpenRequests};
use crate::cli::inputs::await_stdin;
use crate::rpc::{self, BAD_PARAMS, NO_MESSAGE, RpcError, RpcLines, RpcMessage};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, GetExtensions, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Map, Value};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, IsTerminal, Write, stdout};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use tokio::io::{AsyncReadExt, Stdin, stdin};
use tokio::sync::mpsc;

/// Bytes that are read at once.
const READ_AT_ONCE: usize = 64 << 10;
/// Messages that wait for the client to read them. While they wait, nothing is read.
const WAITING: usize = 64;

/// The connection to the client on standard input and output.
pub struct Lines {
    input: Stdin,
    bytes: Vec<u8>,
    lines: RpcLines,
    /// Requests and cancellations that were read but not yet handled.
    read: VecDeque<ClientJsonRpcMessage>,
    /// Errors for messages that the service never sees.
    errors: VecDeque<Value>,
    output: mpsc::Sender<String>,
    open: OpenRequests,
}

impl Lines {
    /// Returns the connection, and the thread that writes; it ends with the connection.
    pub fn new(open: OpenRequests) -> io::Result<(Lines, JoinHandle<()>)> {
        let (output, mut waiting) = mpsc::channel::<String>(WAITING);
        let write = move || {
            while let Some(line) = waiting.blocking_recv() {
                let mut out = stdout().lock();
                if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
                    return;
                }
            }
        };
        let writer = thread::Builder::new().name("output".into()).spawn(write)?;
        if io::stdin().is_terminal() {
            await_stdin("a client of MCP");
        }
        let lines = Lines {
            input: stdin(),
            bytes: vec![0; READ_AT_ONCE],
            lines: RpcLines::default(),
            read: VecDeque::new(),
            errors: VecDeque::new(),
            output,
            open,
        };
        Ok((lines, writer))
    }

    /// Parses the first `n` bytes of the buffer, line by line: lines after an invalid one are valid.
    fn parse(&mut self, n: usize) {
        let bytes = self.bytes.get(..n).unwrap_or_default().to_vec();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match self.lines.push(part) {
                Ok(messages) => messages.into_iter().for_each(|message| self.accept(message)),
                Err(fault) => {
                    self.errors.push_back(rpc::answered(&Value::Null, &Err(fault.into())));
                    self.lines = RpcLines::default();
                }
            }
        }
    }

    fn refuse(&mut self, id: &Value, code: i64, message: &str) {
        let error = RpcError { code, message: message.into() };
        self.errors.push_back(rpc::answered(id, &Err(error)));
    }

    fn accept(&mut self, message: RpcMessage) {
        match message {
            RpcMessage::Request { id, method, params } => {
                let free = !self.open.has("", &id);
                let Some(request) = free.then(|| self.open.begin("", &id)).flatten() else {
                    let text = "too many requests at once, or one with the same id";
                    return self.refuse(&id, NO_MESSAGE, text);
                };
                match typed(Some(&id), method, params) {
                    Some(message) => self.read.push_back(with_slot(message, request)),
                    None => self.refuse(&id, BAD_PARAMS, "invalid parameters"),
                }
            }
            RpcMessage::Notice { method, params } => {
                // the SDK ends the connection at a notification before the first request; it needs no other ones
                if method == CANCELLED && self.open.cancel("", &params) {
                    self.read.extend(typed(None, method, params));
                }
            }
            RpcMessage::Answer { .. } => {}
        }
    }
}

/// Returns a message in the types of the SDK, if its parameters fit.
fn typed(id: Option<&Value>, method: String, params: Value) -> Option<ClientJsonRpcMessage> {
    let mut message = Map::from_iter([("jsonrpc".to_owned(), "2.0".into())]);
    message.extend(id.map(|id| ("id".to_owned(), id.clone())));
    message.insert("method".into(), method.into());
    if !params.is_null() {
        message.insert("params".into(), params);
    }
    serde_json::from_value(Value::Object(message)).ok()
}

/// Attaches the slot of a request, which is free again when its handler ends.
fn with_slot(mut message: ClientJsonRpcMessage, slot: OpenRequest) -> ClientJsonRpcMessage {
    if let ClientJsonRpcMessage::Request(request) = &mut message {
        request.request.extensions_mut().insert(Arc::new(slot));
    }
    message
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move {
            let line = serde_json::to_string(&message)?;
            output.send(line).await.map_err(|_| ErrorKind::BrokenPipe.into())
        }
    }

    /// Cancel safe.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let free = self.output.reserve().await.ok()?;
            if let Some(error) = self.errors.pop_front() {
                free.send(error.to_string());
                continue;
            }
            drop(free);
            if let Some(message) = self.read.pop_front() {
                return Some(message);
            }
            match self.input.read(&mut self.bytes).await {
                Ok(0) | Err(_) => {
                    self.open.abandon();
                    return None;
                }
                Ok(n) => self.parse(n),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        Ok(())
    }
}
