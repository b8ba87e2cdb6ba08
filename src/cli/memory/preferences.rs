//! Screen preferences kept between runs: the theme.

use crate::cli::memory::private_file::write_private;
use crate::untrusted::read_own_text;
use std::io;
use std::path::Path;

const THEME: &str = "theme";

/// Returns the theme chosen last from the list; `None` if the file is missing or unreadable.
pub fn theme(folder: &Path) -> Option<String> {
    let name = read_own_text(&folder.join(THEME)).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Saves the theme chosen from the list.
pub fn keep_theme(folder: &Path, name: &str) -> io::Result<()> {
    if theme(folder).as_deref() == Some(name) {
        return Ok(());
    }
    write_private(&folder.join(THEME), name)
}
