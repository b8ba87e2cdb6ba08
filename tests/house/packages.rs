//! Packages: the lock file, and the reason of each dependency.

use crate::source::CRATES;
use crate::tables::{LOCKED_ONCE, NEVER_LOCKED};
use crate::{none, root};
use std::fs;

fn lock_file() -> String {
    fs::read_to_string(root().join("Cargo.lock")).unwrap()
}

/// Returns the packages that are locked in several versions, or locked although forbidden.
fn badly_locked(lock: &str) -> Vec<String> {
    let count = |name: &str| lock.lines().filter(|l| *l == format!("name = \"{name}\"")).count();
    let twice = LOCKED_ONCE.iter().filter(|name| count(name) > 1);
    let never = NEVER_LOCKED.iter().filter(|name| count(name) > 0);
    twice
        .map(|name| format!("Cargo.lock: {} versions of `{name}`", count(name)))
        .chain(never.map(|name| format!("Cargo.lock: `{name}` came in")))
        .collect()
}

#[test]
fn the_lock_file_has_one_of_each() {
    none(
        badly_locked(&lock_file()),
        "`cargo tree -i NAME` says who brings it; turn its default features off",
    );
}

#[test]
fn the_scanner_of_the_lock_file_bites() {
    let lock = "name = \"tokio\"\nname = \"tokio\"\nname = \"hyper\"\nname = \"aws-lc-sys\"\n";
    assert_eq!(
        badly_locked(lock),
        ["Cargo.lock: 2 versions of `tokio`", "Cargo.lock: `aws-lc-sys` came in"]
    );
}

/// Returns the dependencies of a manifest without a comment above them that gives the reason. Dependencies of the
/// workspace have it in the workspace's own table.
fn unreasoned(manifest: &str) -> Vec<String> {
    let mut above = "";
    let mut inside = false;
    let mut faults = vec![];
    for line in manifest.lines() {
        match line.split_once(" = ") {
            _ if line.starts_with('[') => inside = line.ends_with("dependencies]"),
            Some((name, _))
                if name.ends_with(".workspace") || line.contains("workspace = true") => {}
            Some((name, _)) if inside && !above.starts_with("# ") => {
                faults.push(format!("Cargo.toml: `{name}` has no reason"));
            }
            _ => {}
        }
        above = line;
    }
    faults
}

#[test]
fn each_dependency_has_its_reason() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    none(unreasoned(&manifest), "say in one line above it what it is for");
    for member in CRATES {
        let path = root().join("src").join(member).join("Cargo.toml");
        let manifest = fs::read_to_string(path).unwrap();
        none(unreasoned(&manifest), "name it in the workspace's table, with its reason");
    }
    let bare = "[dependencies]\n# why\na = 1\nb = 2\n";
    assert_eq!(unreasoned(bare), ["Cargo.toml: `b` has no reason"]);
}
