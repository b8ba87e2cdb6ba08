//! A child process as a tool: one JSON request on standard input; standard output is the result.

use super::job::{KEPT_MAX, RunningTool, ToolJob, ToolResult};
use crate::model::Text;
use crate::spawn::{self, ChildEnvironment, Job, Output};
use crate::text;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Returns whether a command may run.
type Permits = Arc<dyn Fn(&[Text]) -> bool + Send + Sync>;

/// Scripts that the tools of a run may start.
#[derive(Clone)]
pub struct ToolScripts {
    /// Check whether the operator allows a command.
    pub permits: Permits,
    /// Working directory of the scripts.
    pub folder: PathBuf,
    pub environment: ChildEnvironment,
}

impl ToolScripts {
    pub(super) fn run(&self, command: Vec<Text>, job: ToolJob) -> RunningTool {
        if !(self.permits)(&command) {
            let why = "the tool's script is not trusted: add --trust to run it";
            return Box::pin(async move { ToolResult::failed(why) });
        }
        let request = json!({
            "tool": job.tool.name,
            "participant": job.participant,
            "arguments": job.arguments,
        });
        let child = Job {
            command: command.iter().map(ToString::to_string).collect(),
            folder: self.folder.clone(),
            environment: self.environment.clone(),
            input: request.to_string().into_bytes(),
        };
        Box::pin(answer(child))
    }
}

async fn answer(job: Job) -> ToolResult {
    let mut child = match spawn::start(job) {
        Ok(child) => child,
        Err(e) => return ToolResult::failed(e.to_string()),
    };
    let mut out = Vec::new();
    let exit = loop {
        match child.next().await {
            Ok(Output::Bytes(bytes)) => {
                out.extend_from_slice(&bytes);
                if out.len() > KEPT_MAX {
                    // the rest of the output is not needed
                    child.stop().await;
                    break None;
                }
            }
            Ok(Output::Ended(exit)) => break Some(exit),
            Err(e) => return ToolResult::failed(e.to_string()),
        }
    };
    let text = text::decode(out).text.trim_end().to_owned();
    match exit.filter(|exit| !exit.status.success()) {
        None => ToolResult::done(text),
        Some(exit) => {
            let last = exit.stderr.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.map(|line| format!(": {}", line.trim())).unwrap_or_default();
            ToolResult::failed(format!("it ended with {}{last}", exit.status))
        }
    }
}
