//! Circles of files inside a room: files that reach each other, however a `mod.rs` re-exports what is used.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// The files of a crate by the path of their module, as in `ui::draw::floor`, and who uses whom.
pub struct Files {
    uses: BTreeMap<String, BTreeSet<String>>,
}

/// What the names of modules mean.
struct Names {
    /// The modules that are files.
    files: BTreeSet<String>,
    /// What a file hands on under a name of its own: file, name, path.
    handed_on: BTreeMap<String, Vec<(String, Vec<String>)>>,
    /// What a file declares itself.
    declared: BTreeMap<String, BTreeSet<String>>,
}

impl Files {
    /// Reads who uses whom off all sources.
    pub fn of(sources: &[Source]) -> Files {
        let sources: Vec<(String, Source)> = sources
            .iter()
            .filter_map(|source| Some((source.module()?, source.without_tests())))
            .collect();
        let mut names = Names {
            files: sources.iter().map(|(module, _)| module.clone()).collect(),
            handed_on: BTreeMap::new(),
            declared: BTreeMap::new(),
        };
        let handed_on: Vec<Vec<String>> =
            sources.iter().map(|(_, source)| source.handed_on()).collect();
        for ((module, source), paths) in sources.iter().zip(&handed_on) {
            let paths = paths.iter().map(|path| {
                let full = absolute(module, path, true).unwrap_or_default();
                (path.rsplit("::").next().unwrap_or_default().to_owned(), full)
            });
            names.handed_on.insert(module.clone(), paths.collect());
            names.declared.insert(module.clone(), source.declared_names());
        }
        let mut uses = BTreeMap::new();
        for ((module, source), handed_on) in sources.iter().zip(&handed_on) {
            let children: Vec<String> =
                source.declared_rooms().into_iter().map(|found| found.text).collect();
            // `pub(super)` is no use; `super::*` is one of all that is there
            let paths = source.paths().into_iter().map(|found| found.text);
            let paths = paths.filter(|path| path.contains("::") && !handed_on.contains(path));
            let all = source.texts(&["super::*"]).into_iter().map(|_| "super".to_owned());
            let used = paths.chain(all).filter_map(|path| {
                let child = children.iter().any(|c| path.starts_with(&format!("{c}::")));
                let target = names.file_of(absolute(module, &path, child)?, 0)?;
                let same_room = room(&target) == room(module);
                (same_room && target != *module).then_some(target)
            });
            uses.insert(module.clone(), used.collect());
        }
        Files { uses }
    }

    /// Returns the circles: files that reach each other.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.uses.keys().map(|file| (file.as_str(), self.reached(file))).collect();
        let mut done = BTreeSet::new();
        let mut circles = Vec::new();
        for file in self.uses.keys().map(String::as_str) {
            let back = |other: &&str| reach[*other].contains(file);
            let circle: Vec<&str> = reach[file].iter().copied().filter(back).collect();
            if !circle.is_empty() && !done.contains(file) {
                done.extend(circle.iter().copied());
                circles.push(circle.into_iter().map(str::to_owned).collect());
            }
        }
        circles
    }

    /// Returns the files that a file reaches; itself only if a circle leads back.
    fn reached(&self, file: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = self.uses[file].iter().map(String::as_str).collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(self.uses[next].iter().map(String::as_str));
            }
        }
        reached
    }
}

impl Names {
    /// Returns the file in which something stands, past all that only hand it on.
    fn file_of(&self, path: Vec<String>, depth: usize) -> Option<String> {
        let length =
            (1..=path.len()).rev().find(|n| self.files.contains(&path[..*n].join("::")))?;
        let file = path[..length].join("::");
        let Some(name) = path.get(length).filter(|_| depth < 8) else { return Some(file) };
        if self.declared[&file].contains(name) {
            return Some(file);
        }
        let on = |target: &Vec<String>| {
            let rest = path[length + 1..].iter().cloned();
            self.file_of(target.iter().cloned().chain(rest).collect(), depth + 1)
        };
        let handed_on = &self.handed_on[&file];
        if let Some((_, target)) = handed_on.iter().find(|(known, _)| known == name) {
            return on(target);
        }
        // `pub use a::*` hands on what `a` declares
        let mut all = handed_on.iter().map(|(_, target)| target);
        let declares = |target: &&Vec<String>| {
            self.declared.get(&target.join("::")).is_some_and(|names| names.contains(name))
        };
        Some(all.find(declares).map_or(file, |target| target.join("::")))
    }
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or_default()
}

/// Returns a path from the crate on, if it is one of the crate.
fn absolute(module: &str, path: &str, child: bool) -> Option<Vec<String>> {
    let mut parts: Vec<&str> = path.split("::").collect();
    let mut base: Vec<&str> = module.split("::").collect();
    match parts[0] {
        "crate" => base.clear(),
        "self" => {}
        "super" => {
            while parts.get(1) == Some(&"super") {
                base.pop();
                parts.remove(0);
            }
            base.pop();
        }
        _ if child => parts.insert(0, "self"),
        _ => return None,
    }
    Some(
        base.into_iter()
            .chain(parts.into_iter().skip(1))
            .filter(|p| *p != "self")
            .map(str::to_owned)
            .collect(),
    )
}
