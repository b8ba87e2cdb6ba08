//! Installed tool servers: programs that speak the Model Context Protocol, found by name on the path.

use crate::settings;
use serde_json::{Value, json};

/// A program that serves tools on its standard input and output.
pub struct KnownServer {
    /// Suggested name in a scenario.
    name: &'static str,
    /// Command that starts the server.
    command: &'static [&'static str],
    /// Tools without side effects.
    read_only: &'static [&'static str],
}

/// Servers that the program looks for.
pub const KNOWN: &[KnownServer] = &[
    KnownServer {
        name: "files",
        command: &["mcp-server-filesystem", "."],
        read_only: &["read_text_file", "list_directory", "search_files"],
    },
    KnownServer {
        name: "everything",
        command: &["mcp-server-everything"],
        read_only: &["echo", "get-sum"],
    },
    KnownServer {
        name: "time",
        command: &["mcp-server-time"],
        read_only: &["get_current_time", "convert_time"],
    },
    KnownServer { name: "fetch", command: &["mcp-server-fetch"], read_only: &["fetch"] },
    KnownServer {
        name: "git",
        command: &["mcp-server-git"],
        read_only: &["git_status", "git_log", "git_diff", "git_show"],
    },
];

impl KnownServer {
    fn program(&self) -> &'static str {
        self.command.first().unwrap_or(&"")
    }

    /// Returns its line in a report: its path, and the keys for the `[[server]]` section of a scenario.
    pub fn line(&self, environment: &settings::Environment) -> String {
        let name = self.program();
        let Some(path) = environment.program(name) else {
            return format!("  {name:<22} not installed\n");
        };
        format!(
            "  {name:<22} {}; in [[server]]: command = {:?}, read_only = {:?}\n",
            path.display(),
            self.command,
            self.read_only
        )
    }

    /// Returns the same as JSON.
    pub fn json(&self, environment: &settings::Environment) -> Value {
        let program = environment.program(self.program());
        json!({
            "name": self.name,
            "command": self.command,
            "read_only": self.read_only,
            "program": program.map(|path| path.display().to_string()),
        })
    }
}
