//! Options for the tools of participants, shared by all commands that play a conversation.

use clap::Args;
use std::path::PathBuf;

/// Options for the tools of participants.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Tools")]
pub struct ToolOptions {
    /// Folder that read_file, list_dir and search_files may read
    #[arg(long, value_name = "FOLDER")]
    pub files: Option<PathBuf>,
    /// Allow a tool that is not read-only; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub allow_tool: Vec<String>,
    /// Use the tools of servers that changed them since they were first used; --trust does not allow that
    #[arg(long)]
    pub accept_changed_tools: bool,
}
