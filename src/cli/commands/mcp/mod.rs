//! `mcp`: a Model Context Protocol server, with which editors, assistants and agents start conversations.
//!
//! Each request is answered on its own thread; only protocol messages go to standard output. When the client
//! disconnects or a signal arrives, each conversation is saved up to its last event; it continues when a client asks for
//! it again.

mod answers;
mod bounds;
mod call;
mod cast;
mod claims;
mod convened;
mod http;
mod jobs;
mod open;
mod protocol;
mod report;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
mod tools;
mod values;

use crate::cli::args::models::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::signals::{Signals, at_once};
use crate::cli::runtime::{block_on, refused};
use crate::rpc::{self, NO_MESSAGE, RpcError, RpcLines, RpcMessage};
use bounds::Bounds;
use clap::Args;
use convened::Interest;
use jobs::Jobs;
use open::{CANCELLED, OpenRequest, OpenRequests};
use serde_json::{Value, json};
use std::io::{self, Read, Write, stdin, stdout};
use std::net::SocketAddr;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Bytes that are read at once.
const READ_AT_ONCE: usize = 64 << 10;

/// Serve the Model Context Protocol: let other programs start, follow and read conversations
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve HTTP on this loopback address, such as 127.0.0.1:7333, instead of stdin and stdout; prints a token
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    models: ModelOptions,
}

impl McpArgs {
    /// Serves until the client goes.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let settings = context.settings()?;
        let jobs = Arc::new(Jobs::new(Bounds::new(settings.mcp), self.models, context));
        leave_on_signals(&jobs)?;
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

/// Ends the program when a signal says so, once the conversations are written to their last event; a second signal ends
/// it at once. The signals are caught on return: later, clients could take the file descriptors that this needs.
fn leave_on_signals(jobs: &Arc<Jobs>) -> Result<(), Failure> {
    let jobs = jobs.clone();
    let (told, caught) = mpsc::channel();
    let watch = move || {
        let ready = told.clone();
        let watched: Result<(), Failure> = block_on(async {
            let mut signals = Signals::listen().map_err(refused)?;
            // the program waits for this
            let _ = ready.send(Ok(()));
            let code = signals.next().await;
            let left = tokio::task::spawn_blocking(move || jobs.leave());
            tokio::select! {
                again = signals.next() => at_once(again),
                _ = left => at_once(code),
            }
        });
        // nobody waits for more than the first message
        let _ = told.send(watched);
    };
    thread::Builder::new().name("signals".into()).spawn(watch).map_err(refused)?;
    let ended = |_| refused(io::Error::other("signals cannot be caught"));
    caught.recv().map_err(ended)?
}

/// Serves standard input and output.
fn serve(jobs: &Jobs, context: &Context) {
    let open = OpenRequests::default();
    let open = &open;
    thread::scope(|scope| {
        let mut lines = RpcLines::default();
        let mut bytes = vec![0; READ_AT_ONCE];
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
                        let free = (!open.has("", &id)).then(|| open.begin("", &id));
                        let Some(request) = free.flatten() else {
                            let message =
                                "too many requests at once, or one with the same id".into();
                            let error = RpcError { code: NO_MESSAGE, message };
                            write(&rpc::answered(&id, &Err(error)));
                            continue;
                        };
                        let own = context.again();
                        scope.spawn(move || {
                            answer(&id, &method, &params, jobs, &own, request);
                        });
                    }
                    RpcMessage::Notice { method, params } => {
                        if method == CANCELLED {
                            open.cancel("", &params);
                        }
                    }
                    RpcMessage::Answer { .. } => {}
                }
            }
        }
        open.abandon();
        jobs.leave();
    });
}

fn answer(
    id: &Value,
    method: &str,
    params: &Value,
    jobs: &Jobs,
    context: &Context,
    request: OpenRequest<'_>,
) {
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
        request.interest()
    };
    let result = protocol::answer(method, params, jobs, context, &tell);
    let wanted = request.interest() == Interest::Waiting;
    // the id is free again before the client can know the answer
    drop(request);
    if wanted {
        write(&rpc::answered(id, &result));
    }
}

/// Writes a message as a line; a client that has gone needs none.
fn write(message: &Value) {
    let mut out = stdout().lock();
    let _ = writeln!(out, "{message}").and_then(|()| out.flush());
}
