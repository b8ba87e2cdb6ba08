//! Options that select a session.

use clap::Args;

/// Options that select a session.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct SessionName {
    /// Session id, id prefix or path
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Most recent session
    #[arg(long)]
    pub last: bool,
}

impl SessionName {
    /// Selects a session by name; without a name, the most recent one.
    pub fn from_option(name: Option<&String>) -> SessionName {
        SessionName { session: name.cloned(), last: name.is_none() }
    }
}
