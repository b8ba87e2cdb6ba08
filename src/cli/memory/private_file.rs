//! Files in the user's state folder that only the user can read.

use crate::settings::make_private;
use crate::ui::request::ServiceFault;
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Writes a file that only its owner can read, in a folder of the same kind. Replaces an earlier file atomically.
pub fn write_private(path: &Path, words: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_private(folder).map_err(io::Error::other)?;
    // readable by its owner alone from the start
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(words.as_bytes())?;
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// Saves the last copied text for terminals without a clipboard.
pub fn keep_last_copy(folder: &Path, words: &str) -> Result<String, ServiceFault> {
    let path = folder.join("last-copy.txt");
    make_private(folder).map_err(|e| e.to_string())?;
    write_private(&path, words).map_err(|e| format!("not in {}: {e}", path.display()))?;
    Ok(path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_file_is_replaced_in_one_go_or_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("notes"), "old").unwrap();
        fs::hard_link(path("notes"), path("same")).unwrap();
        write_private(&path("notes"), "new").unwrap();
        let read = |name: &str| fs::read_to_string(path(name)).unwrap();
        assert_eq!([read("notes"), read("same")], ["new", "old"]);
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(path("notes").metadata().unwrap().permissions().mode() & 0o777, 0o600);
        fs::create_dir(path("folder")).unwrap();
        write_private(&path("folder"), "new").unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing is left behind");
    }
}
