//! How the person likes the screen, kept from run to run in a file of their own state.

use super::screen::write_private;
use crate::config::make_private;
use crate::ui::layout::Panels;
use std::fs;
use std::io;
use std::path::Path;

const FILE: &str = "panels";

/// Returns how panels were shown last; as they fit where nothing is kept that can be read.
pub fn panels(folder: &Path) -> Panels {
    let word = fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let named = Panels::ALL.iter().find(|(_, name)| *name == word.trim());
    named.map(|(panels, _)| *panels).unwrap_or_default()
}

/// Keeps how panels are shown.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn keep_panels(folder: &Path, shown: Panels) -> io::Result<()> {
    if panels(folder) == shown {
        return Ok(());
    }
    make_private(folder).map_err(io::Error::other)?;
    let name = Panels::ALL.iter().find(|(panels, _)| *panels == shown).map_or("", |(_, name)| name);
    write_private(&folder.join(FILE), name)
}
