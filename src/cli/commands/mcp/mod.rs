//! `mcp`: a Model Context Protocol server, with which editors, assistants and agents start conversations.
//!
//! The protocol itself is that of the official SDK; `lines` and `http` are its transports, with the bounds of this
//! program. Each request is answered on its own thread; only protocol messages go to standard output. When the client
//! disconnects or a signal arrives, each conversation is saved up to its last event; it continues when a client asks for
//! it again.

mod attended;
mod bounds;
mod cast;
mod claims;
mod elsewhere;
mod http;
mod jobs;
mod lines;
mod open;
mod protocol;
mod reading;
mod service;
mod talking;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests;
mod tools;
mod values;

use crate::cli::args::ModelOptions;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::play::signals::{Signals, at_once, unless_told_again};
use crate::cli::runtime::{block_on, refused};
use bounds::Bounds;
use clap::Args;
use jobs::Jobs;
use lines::Lines;
use open::OpenRequests;
use rmcp::ServiceExt;
use service::McpService;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

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
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(refused)?;
        let bounds = Bounds::new(settings.mcp);
        let jobs = Arc::new(Jobs::new(bounds, self.models, context, runtime.handle()));
        let service = McpService::new(jobs.clone(), context);
        let open = OpenRequests::default();
        let served = match self.http {
            Some(address) => attended(&jobs, http::serve(address, service, open, context)),
            None => {
                let (lines, writer) = Lines::new(open).map_err(refused)?;
                let served = attended(&jobs, async {
                    // fails only if the client goes before its first request
                    if let Ok(running) = service.serve(lines).await {
                        // a fault of the connection ends it, as the client does
                        let _ = running.waiting().await;
                    }
                    Ok(())
                });
                // a writer that panicked has nothing more to write
                let _ = writer.join();
                served
            }
        };
        jobs.leave();
        runtime.shutdown_background();
        served.map(|()| Exit::Done)
    }
}

/// Serves until the client goes. A signal ends the program, once the conversations are written to their last event; a
/// second one ends it at once.
fn attended(
    jobs: &Arc<Jobs>,
    serving: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    block_on(async {
        // before the first connection: clients could take the file descriptors that this needs
        let mut signals = Signals::listen().map_err(refused)?;
        tokio::select! { biased;
            code = signals.next() => {
                let jobs = jobs.clone();
                let left = spawn_blocking(move || jobs.leave());
                let _ = unless_told_again(&mut signals, left).await;
                at_once(code)
            }
            served = serving => served,
        }
    })
}
