//! The tools of a run, dispatched by their source.

use super::files::Folder;
use super::job::{RunningTool, ToolJob, ToolResult, Tools};
use super::script::ToolScripts;
use super::server::ToolServers;
use crate::model::tool::ToolSource;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Tools of a run.
pub struct Toolbox {
    /// Scripts that may run.
    pub scripts: ToolScripts,
    /// MCP servers that may be called.
    pub servers: ToolServers,
    /// Folder whose files may be read, if the operator named one.
    pub folder: Option<Arc<Folder>>,
}

impl Tools for Toolbox {
    fn run(&self, job: ToolJob) -> RunningTool {
        let within = Duration::from_secs(u64::from(job.tool.seconds));
        let running: RunningTool = match (job.tool.source.clone(), &self.folder) {
            (ToolSource::Script(command), _) => self.scripts.run(command, job),
            // servers enforce the timeout themselves
            (ToolSource::Server { server, tool, output }, _) => {
                return self.servers.run(server, tool, output, job);
            }
            (_, None) => Box::pin(async { ToolResult::failed("no folder was named with --files") }),
            (source, Some(folder)) => {
                let folder = folder.clone();
                Box::pin(async move {
                    let read = move || folder.answer(&source, &job.arguments);
                    let read = tokio::task::spawn_blocking(read).await;
                    read.unwrap_or_else(|_| ToolResult::failed("the folder could not be read"))
                })
            }
        };
        Box::pin(async move {
            timeout(within, running).await.unwrap_or_else(|_| {
                ToolResult::failed(format!("it did not finish within {} s", within.as_secs()))
            })
        })
    }
}
