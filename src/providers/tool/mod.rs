//! Tools of participants: scripts, MCP servers, and built-in tools that read files of a folder chosen by the operator.
//!
//! A tool runs once for each `tool.called` and returns one [`ToolResult`], also on failure, so that the model learns of
//! it. Its output is untrusted text; its time and bytes are limited. The engine decides whether a tool may run.

mod fault;
mod files;
mod headers;
mod http;
mod job;
mod link;
mod script;
mod server;
mod toolbox;

pub use files::Folder;
pub use job::{NoTools, RunningTool, ToolJob, ToolResult, Tools};
pub use script::ToolScripts;
pub use server::{OfferedTools, ToolServers};
pub use toolbox::Toolbox;
