//! Tools of participants: scripts, servers that speak the Model Context Protocol, and the built-in ones that read files of
//! a folder which the operator names.
//!
//! A tool is asked once for each `tool.called` and answers with one [`ToolResult`], also where it fails: a model is told
//! so. What it says is text of somebody who may be hostile; what it may cost is bounded in time and bytes. It decides
//! nothing: whether a tool may run is the engine's business.

mod files;
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
