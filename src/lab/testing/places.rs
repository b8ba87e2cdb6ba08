//! Files that a test may name: in its own folder, or below the working directory of the run.
//!
//! A test file may be hostile, and error messages quote the files that they are about. So other files are never read,
//! not even through links.

use super::fault::TestFault;
use std::path::{Component, Path, PathBuf};

/// Finds the file that a test names.
///
/// # Errors
/// A sentence with the reason why it may not be read or written.
pub fn file(folder: &Path, name: &str) -> Result<PathBuf, TestFault> {
    let named = Path::new(name);
    if named.is_absolute() {
        return Err("is an absolute path; name a file in the same folder".into());
    }
    // paths are shown without a leading `./`
    let path = if folder == Path::new(".") { named.to_owned() } else { folder.join(named) };
    // writing through a dangling link would create its target
    if path.is_symlink() && !path.exists() {
        return Err("is a link to a file that does not exist".into());
    }
    let climbs = named.components().next_back() == Some(Component::ParentDir);
    // a file that does not exist yet is checked by its folder
    let there = path.canonicalize().or_else(|e| {
        if climbs {
            return Err(e);
        }
        let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(folder);
        let name = path.file_name().unwrap_or_default();
        parent.canonicalize().map(|parent| parent.join(name))
    });
    let Ok(there) = there else { return Err("is in a folder that does not exist".into()) };
    let inside = |root: &Path| root.canonicalize().is_ok_and(|root| there.starts_with(root));
    if inside(folder) || inside(Path::new(".")) {
        Ok(path)
    } else {
        Err("is outside the folder of the file that names it, and outside the current folder"
            .into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_in_the_folder_are_accepted() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tests");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("a.toml"), "").unwrap();
        std::fs::write(home.path().join("secret"), "").unwrap();
        assert!(file(&folder, "a.toml").is_ok());
        assert!(file(&folder, "new.md").is_ok());
        for (link, to) in [("out.md", "../secret"), ("nowhere.md", "../not-there")] {
            std::os::unix::fs::symlink(to, folder.join(link)).unwrap();
            assert!(file(&folder, link).is_err(), "{link}");
        }
        for name in ["../secret", "/etc/passwd", "..", "missing/new.md"] {
            assert!(file(&folder, name).is_err(), "{name}");
        }
    }
}
