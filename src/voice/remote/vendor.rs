//! Vendors as rows of data over four wire formats, and the place that a call goes to.

use crate::model::{Secret, Text, Wire};

/// A vendor: a row of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vendor {
    /// The part before the colon in `provider:name`.
    pub name: &'static str,
    /// The wire format of its API.
    pub wire: Wire,
    /// The default address of its API.
    pub base_url: &'static str,
    /// The usual environment variable of its key; empty where no key is needed.
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

/// The vendors known without settings.
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
    /// The provider's name, for messages.
    pub name: Text,
    /// The wire format of the server's API.
    pub wire: Wire,
    /// Where, with or without a slash at its end.
    pub base_url: Text,
    /// The key that belongs to this address.
    pub key: Option<Secret>,
    /// The source of the key, for messages.
    pub key_from: Text,
}
