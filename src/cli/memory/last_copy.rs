//! The last copied text, for terminals without a clipboard.

use crate::cli::memory::private_file::write_private;
use crate::config::make_private;
use crate::ui::request::ServiceFault;
use std::path::Path;

/// Saves the last copied text for terminals without a clipboard.
pub fn keep(folder: &Path, words: &str) -> Result<String, ServiceFault> {
    let path = folder.join("last-copy.txt");
    make_private(folder).map_err(|e| e.to_string())?;
    write_private(&path, words).map_err(|e| format!("not in {}: {e}", path.display()))?;
    Ok(path.display().to_string())
}
