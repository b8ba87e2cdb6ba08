//! Options for saving a session.

use crate::model::Wall;
use crate::session::SessionPlace;
use clap::Args;
use std::path::{Path, PathBuf};

/// Options for saving the session.
#[derive(Clone, Debug, Default, Args)]
pub struct Keep {
    /// Don't save the session
    #[arg(long, conflicts_with = "out_session")]
    pub no_save: bool,
    /// Save the session to FILE (must not exist)
    #[arg(long, value_name = "FILE")]
    pub out_session: Option<PathBuf>,
}

impl Keep {
    /// Returns the location for the session. In the sessions folder, its name consists of the time `at` and the random
    /// number `dice`.
    pub fn place<'a>(&'a self, folder: &'a Path, at: Wall, dice: u64) -> SessionPlace<'a> {
        match (&self.out_session, self.no_save) {
            (Some(path), _) => SessionPlace::File(path),
            (None, true) => SessionPlace::Nowhere,
            (None, false) => SessionPlace::Folder(folder, at, dice),
        }
    }
}
