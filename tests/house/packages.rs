//! The reason of each dependency. Versions and forbidden packages are in `.deny.toml`.

use crate::source::CRATES;
use crate::{none, root};
use std::fs;

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
