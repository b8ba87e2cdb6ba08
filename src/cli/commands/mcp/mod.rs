//! `mcp`: a server of the Model Context Protocol, so that editors, assistants and agents can convene a table.
//!
//! Each request is answered on a thread of its own; standard output is the protocol's alone. When the client goes, what
//! runs is written to its last event and goes on when another server is asked for it.

mod bounds;
mod cast;
mod http;
mod jobs;
mod protocol;
mod report;
mod tools;

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::rpc::{self, NO_MESSAGE, RpcError, RpcLines, RpcMessage};
use bounds::Bounds;
use clap::Args;
use jobs::Jobs;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{Read, Write, stdin, stdout};
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Requests that are answered at once.
const AT_ONCE: usize = 32;
/// Bytes that are read at once.
const READ_AT_ONCE: usize = 64 << 10;

/// Serve the Model Context Protocol: let other programs start, follow and read conversations
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve HTTP on this loopback address, such as 127.0.0.1:7333, instead of stdin and stdout; prints a token
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
}

impl McpArgs {
    /// Serves until the client goes.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let settings = context.settings()?;
        let jobs = Jobs::new(Bounds::new(settings.mcp), context);
        let served = match self.http {
            Some(address) => http::serve(address, &jobs, context),
            None => {
                serve(&jobs, context);
                Ok(())
            }
        };
        jobs.leave();
        served.map(|()| Exit::Done)
    }
}

/// The requests that are being answered, and those that nobody wants answered any more.
#[derive(Default)]
struct Open {
    ids: BTreeSet<String>,
    cancelled: BTreeSet<String>,
}

/// Serves standard input and output.
fn serve(jobs: &Jobs, context: &Context) {
    let open = Mutex::new(Open::default());
    let open = &open;
    thread::scope(|scope| {
        let (mut lines, mut bytes) = (RpcLines::default(), vec![0; READ_AT_ONCE]);
        let mut input = stdin().lock();
        loop {
            let n = match input.read(&mut bytes) {
                Ok(0) | Err(_) => break,
                Ok(n) => n,
            };
            let mut read = vec![];
            // line by line: what follows a bad line in the same bytes is read all the same
            for part in bytes.get(..n).unwrap_or_default().split_inclusive(|b| *b == b'\n') {
                match lines.push(part) {
                    Ok(messages) => read.extend(messages),
                    Err(fault) => {
                        let error = RpcError { code: NO_MESSAGE, message: fault.to_string() };
                        write(&rpc::answered(&Value::Null, &Err(error)));
                        lines = RpcLines::default();
                    }
                }
            }
            for message in read {
                match message {
                    RpcMessage::Request { id, method, params } => {
                        let name = id.to_string();
                        let full = {
                            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                            let full = open.ids.len() >= AT_ONCE || open.ids.contains(&name);
                            if !full {
                                open.ids.insert(name.clone());
                            }
                            full
                        };
                        if full {
                            let message =
                                "too many requests at once, or one with the same id".into();
                            let error = RpcError { code: NO_MESSAGE, message };
                            write(&rpc::answered(&id, &Err(error)));
                            continue;
                        }
                        let own = context.again();
                        scope.spawn(move || {
                            answer(&id, &method, &params, (jobs, &own), open);
                        });
                    }
                    RpcMessage::Notice { method, params } => {
                        if method == "notifications/cancelled" {
                            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                            let id = params["requestId"].to_string();
                            if open.ids.contains(&id) {
                                open.cancelled.insert(id);
                            }
                        }
                    }
                    RpcMessage::Answer { .. } => {}
                }
            }
        }
        // whoever still waits has nobody to tell
        let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = open.ids.clone();
        open.cancelled.extend(ids);
        drop(open);
        jobs.leave();
    });
}

fn answer(
    id: &Value,
    method: &str,
    params: &Value,
    (jobs, context): (&Jobs, &Context),
    open: &Mutex<Open>,
) {
    let name = id.to_string();
    let lock = || open.lock().unwrap_or_else(PoisonError::into_inner);
    let token = params["_meta"]["progressToken"].clone();
    let told = Mutex::new(None);
    let tell = |turns: u32| {
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if !token.is_null() && *told != Some(turns) {
            *told = Some(turns);
            let message = format!("{turns} turns");
            let params = json!({"progressToken": token, "progress": turns, "message": message});
            write(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
        }
        !lock().cancelled.contains(&name)
    };
    let result = protocol::answer(method, params, jobs, context, &tell);
    let mut open = lock();
    open.ids.remove(&name);
    let wanted = !open.cancelled.remove(&name);
    drop(open);
    if wanted {
        write(&rpc::answered(id, &result));
    }
}

/// Writes a message as a line; a client that has gone needs none.
fn write(message: &Value) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}
