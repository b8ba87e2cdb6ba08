//! Which session is meant.

use clap::Args;

/// Which session is meant.
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
    /// Returns the session of a name; without one the session written last.
    pub fn of(name: Option<&String>) -> SessionName {
        SessionName { session: name.cloned(), last: name.is_none() }
    }
}
