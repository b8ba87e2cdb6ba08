//! Table of vendors over four wire formats, and the endpoint of a call.

use crate::model::{Secret, Text, Wire};

/// A vendor: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vendor {
    /// Provider name, the part before the colon in `provider:name`.
    pub name: &'static str,
    /// Wire format of its API.
    pub wire: Wire,
    /// Default address of its API.
    pub base_url: &'static str,
    /// Usual environment variable of its key; empty if no key is needed.
    pub key_env: &'static str,
    /// Beginnings of its keys; empty if they have none in common.
    pub key_prefixes: &'static [&'static str],
}

const fn row(
    name: &'static str,
    wire: Wire,
    base_url: &'static str,
    key_env: &'static str,
    key_prefixes: &'static [&'static str],
) -> Vendor {
    Vendor { name, wire, base_url, key_env, key_prefixes }
}

/// Vendors known without configuration.
pub const VENDORS: &[Vendor] = &[
    row("openai", Wire::OpenAi, "https://api.openai.com/v1", "OPENAI_API_KEY", &["sk-"]),
    row(
        "anthropic",
        Wire::Anthropic,
        "https://api.anthropic.com/v1",
        "ANTHROPIC_API_KEY",
        &["sk-ant-"],
    ),
    row(
        "gemini",
        Wire::Gemini,
        "https://generativelanguage.googleapis.com/v1beta",
        "GEMINI_API_KEY",
        &["AIza", "AQ."],
    ),
    row("ollama", Wire::Ollama, "http://127.0.0.1:11434", "", &[]),
    row(
        "openrouter",
        Wire::OpenAi,
        "https://openrouter.ai/api/v1",
        "OPENROUTER_API_KEY",
        &["sk-or-"],
    ),
    row("groq", Wire::OpenAi, "https://api.groq.com/openai/v1", "GROQ_API_KEY", &["gsk_"]),
    row("deepseek", Wire::OpenAi, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", &["sk-"]),
    row("mistral", Wire::OpenAi, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", &[]),
    row("xai", Wire::OpenAi, "https://api.x.ai/v1", "XAI_API_KEY", &["xai-"]),
];

/// The server of a call: resolved from the user's settings, never from a session or scenario file.
#[derive(Clone)]
pub struct Endpoint {
    /// Name of the provider, for messages.
    pub name: Text,
    /// Wire format of the server's API.
    pub wire: Wire,
    /// Base URL, with or without a trailing slash.
    pub base_url: Text,
    /// Key that belongs to this address.
    pub key: Option<Secret>,
    /// Source of the key, for messages.
    pub key_from: Text,
}
