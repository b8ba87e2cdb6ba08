//! Programs that speak the Agent Client Protocol, with the commands that install them and log in.

use crate::model::agent::AGENT_PREFIX;

/// A program that can take a seat.
pub struct KnownAgent {
    /// Display name.
    pub name: &'static str,
    /// Command that starts the program with the protocol.
    pub command: &'static [&'static str],
    /// Command that installs the program.
    pub install: &'static str,
    /// Command that logs in.
    pub login: &'static str,
}

/// Agents that the program looks for.
pub const KNOWN: &[KnownAgent] = &[
    KnownAgent {
        name: "opencode",
        command: &["opencode", "acp"],
        install: "npm i -g opencode-ai",
        login: "opencode auth login",
    },
    KnownAgent {
        name: "Gemini CLI",
        command: &["gemini", "--acp"],
        install: "npm i -g @google/gemini-cli",
        login: "gemini",
    },
    KnownAgent {
        name: "Claude",
        command: &["claude-agent-acp"],
        install: "npm i -g @agentclientprotocol/claude-agent-acp",
        login: "claude auth login",
    },
    KnownAgent {
        name: "Codex",
        command: &["codex-acp"],
        install: "npm i -g @agentclientprotocol/codex-acp",
        login: "codex login",
    },
    KnownAgent {
        name: "goose",
        command: &["goose", "acp"],
        install: "brew install block-goose-cli",
        login: "goose configure",
    },
];

impl KnownAgent {
    /// Returns the agent whose program has this name.
    pub fn find(program: &str) -> Option<&'static KnownAgent> {
        KNOWN.iter().find(|known| known.program() == program)
    }

    /// Returns the model name that selects this agent.
    pub fn model(&self) -> String {
        format!("{AGENT_PREFIX}{}", self.program())
    }

    /// Returns the name of its program.
    pub fn program(&self) -> &'static str {
        self.command.first().copied().unwrap_or_default()
    }

    /// Returns the key of a participant that selects this agent.
    pub fn key(&self) -> String {
        let parts: Vec<String> = self.command.iter().map(|part| format!("{part:?}")).collect();
        format!("agent = [{}]", parts.join(", "))
    }
}
