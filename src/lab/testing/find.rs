//! Finds test files: paths, folders and globs.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Suffix of test file names.
pub const ENDING: &str = ".test.toml";
/// Maximum number of directory entries to examine.
const LOOKED_AT: usize = 200_000;
/// Maximum depth of folders to search.
const DEPTH: usize = 32;
/// Folders of build output and dependencies, which have none of the user's tests.
const LEFT_OUT: [&str; 2] = ["target", "node_modules"];

/// The reason why no tests can be found.
#[derive(Debug, thiserror::Error)]
pub enum TestsNotFound {
    /// A path does not exist.
    #[error("cannot read {path}: {source}")]
    Path {
        /// Path as given.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A glob that matches no file.
    #[error("no file matches {0}")]
    Glob(String),
    /// A folder with too many entries.
    #[error("{0} contains more than {LOOKED_AT} files and folders")]
    TooMany(String),
}

/// Returns the test files of the given paths, each once, sorted: files, all tests in a folder, the matches of a glob.
///
/// # Errors
/// The first path that matches nothing.
pub fn find(paths: &[String]) -> Result<Vec<PathBuf>, TestsNotFound> {
    let mut found = vec![];
    for path in paths {
        let is_glob = path.contains(['*', '?']) && !Path::new(path).exists();
        if is_glob {
            let before = found.len();
            let base = base(path);
            let mut all = vec![];
            walk(&base, 0, &mut LOOKED_AT.clone(), &mut all).map_err(|e| wrong(path, e))?;
            let here = |p: &PathBuf| fits(&plain(path), &plain(&p.display().to_string()));
            found.extend(all.into_iter().filter(here));
            if found.len() == before {
                return Err(TestsNotFound::Glob(path.clone()));
            }
            continue;
        }
        let named = PathBuf::from(path);
        let is_folder = fs::metadata(&named).map_err(|e| wrong(path, e))?.is_dir();
        if is_folder {
            let mut all = vec![];
            walk(&named, 0, &mut LOOKED_AT.clone(), &mut all).map_err(|e| wrong(path, e))?;
            found.extend(
                all.into_iter().filter(|p| plain(&p.display().to_string()).ends_with(ENDING)),
            );
        } else {
            found.push(named);
        }
    }
    let mut found: Vec<PathBuf> =
        found.into_iter().map(|p| PathBuf::from(plain(&p.display().to_string()))).collect();
    found.sort();
    found.dedup();
    Ok(found)
}

fn wrong(path: &str, source: io::Error) -> TestsNotFound {
    match source.kind() {
        io::ErrorKind::FileTooLarge => TestsNotFound::TooMany(path.to_owned()),
        _ => TestsNotFound::Path { path: path.to_owned(), source },
    }
}

/// Returns a path without a leading `./`.
fn plain(path: &str) -> String {
    path.strip_prefix("./").unwrap_or(path).to_owned()
}

/// Returns the base folder of a glob: the part before its first wildcard.
fn base(glob: &str) -> PathBuf {
    let fixed = glob.split('/').take_while(|part| !part.contains(['*', '?']));
    let base = fixed.collect::<Vec<_>>().join("/");
    match (base.as_str(), glob.starts_with('/')) {
        ("", true) => "/".into(),
        ("", false) => ".".into(),
        _ => base.into(),
    }
}

/// Collects the files below a folder; links to folders are not followed.
fn walk(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if depth > DEPTH {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        *left = left.checked_sub(1).ok_or(io::ErrorKind::FileTooLarge)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !name.starts_with('.') && !LEFT_OUT.contains(&name.as_str()) {
                // unreadable folders are skipped
                let _ = walk(&entry.path(), depth + 1, left, found);
            }
        } else {
            found.push(entry.path());
        }
    }
    Ok(())
}

/// Returns true if a path matches a glob: `*` and `?` within a name, `**` for any folders.
pub fn fits(glob: &str, path: &str) -> bool {
    let (glob, path): (Vec<&str>, Vec<&str>) =
        (glob.split('/').collect(), path.split('/').collect());
    parts_fit(&glob, &path)
}

fn parts_fit(glob: &[&str], path: &[&str]) -> bool {
    match (glob, path) {
        ([], []) => true,
        (["**", rest @ ..], _) => {
            parts_fit(rest, path)
                || path.split_first().is_some_and(|(_, deeper)| parts_fit(glob, deeper))
        }
        ([part, rest @ ..], [name, deeper @ ..]) => {
            name_fits(part, name) && parts_fit(rest, deeper)
        }
        ([], _) | (_, []) => false,
    }
}

/// Returns true if a name matches; backtracks to the last `*` only, so that no pattern takes long.
fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let mut p = 0;
    let mut n = 0;
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some('?') => (p, n) = (p + 1, n + 1),
            Some(c) if name.get(n) == Some(c) => (p, n) = (p + 1, n + 1),
            Some(_) | None => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_fits_names_and_folders() {
        for (glob, path, expected) in [
            ("*.test.toml", "a.test.toml", true),
            ("*.test.toml", "x/a.test.toml", false),
            ("**/*.test.toml", "a.test.toml", true),
            ("**/*.test.toml", "x/y/a.test.toml", true),
            ("x/**", "x/y/a", true),
            ("x/a?.toml", "x/ab.toml", true),
            ("x/a?.toml", "x/a.toml", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b", "xxaxxbxx", false),
        ] {
            assert_eq!(fits(glob, path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn folders_are_looked_through_and_files_are_taken_as_they_are() {
        let home = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let a = file("a.test.toml");
        let b = file("deep/er/b.test.toml");
        let other = file("other.toml");
        file("target/c.test.toml");
        file(".git/d.test.toml");
        let path = |p: &Path| p.to_str().unwrap().to_owned();
        assert_eq!(find(&[path(home.path())]).unwrap(), [a.clone(), b.clone()]);
        assert_eq!(find(&[path(&other), path(&other)]).unwrap(), [other]);
        assert_eq!(find(&[format!("{}/**/*.test.toml", path(home.path()))]).unwrap(), [a, b]);
        assert!(find(&[format!("{}/x*", path(home.path()))]).is_err());
        assert!(find(&["no/such".into()]).is_err());
    }
}
