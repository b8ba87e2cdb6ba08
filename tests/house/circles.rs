//! Dependency cycles between top-level modules, and between the files of a module, including those through re-exports
//! of a `mod.rs`.

use crate::source::Source;
use std::collections::{BTreeMap, BTreeSet};

/// Dependencies between the files of a crate, by module path, as in `ui::draw::floor`.
pub struct Files {
    uses: BTreeMap<String, BTreeSet<String>>,
}

/// Table for the resolution of names.
struct Names {
    /// Modules that are files.
    files: BTreeSet<String>,
    /// Re-exports of each file: (name, path).
    handed_on: BTreeMap<String, Vec<(String, Vec<String>)>>,
    /// Items declared by each file.
    declared: BTreeMap<String, BTreeSet<String>>,
}

impl Files {
    /// Collects the dependencies of all sources.
    pub fn new(sources: &[Source]) -> Files {
        let sources: Vec<(String, &Source)> = sources
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
            // `pub(super)` is not a use; `super::*` uses the whole parent
            let paths = source.paths().iter().map(|found| found.text.clone());
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

    /// Collects the dependencies between the top-level modules, including those of tests.
    pub fn of_rooms(sources: &[Source]) -> Files {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (source, module) in sources.iter().filter_map(|s| Some((s, s.module()?))) {
            let paths = source.paths().iter();
            for path in paths.filter_map(|found| absolute(&module, &found.text, false)) {
                if let Some(used) = path.into_iter().next().filter(|used| used != room(&module)) {
                    uses.entry(used.clone()).or_default();
                    uses.entry(room(&module).to_owned()).or_default().insert(used);
                }
            }
        }
        Files { uses }
    }

    /// Returns the dependencies between neighbours: a file and the folder beside it, or two folders of one parent. A
    /// folder includes everything below it and the file of its name.
    pub fn neighbours(&self) -> Files {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let pairs = self.uses.iter().flat_map(|(file, used)| used.iter().map(move |u| (file, u)));
        for (file, used) in pairs {
            let (from, to): (Vec<&str>, Vec<&str>) =
                (file.split("::").collect(), used.split("::").collect());
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            // the file of a folder lists its parts, and they may use it
            if from.len() > shared && to.len() > shared {
                let unit = |path: &[&str]| path[..=shared].join("::");
                uses.entry(unit(&to)).or_default();
                uses.entry(unit(&from)).or_default().insert(unit(&to));
            }
        }
        Files { uses }
    }

    /// Returns the cycles: sets of files that depend on each other.
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

    /// Returns the files reachable from a file; the file itself only if it is part of a cycle.
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
    /// Returns the file that declares the item of a path, following re-exports.
    fn file_of(&self, path: Vec<String>, depth: usize) -> Option<String> {
        let length =
            (1..=path.len()).rev().find(|n| self.files.contains(&path[..*n].join("::")))?;
        let file = path[..length].join("::");
        if depth >= 8 {
            return Some(file);
        }
        let Some(name) = path.get(length) else { return Some(file) };
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
        // `pub use a::*` re-exports the declarations of `a`
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

/// Returns a path as an absolute path within the crate; `None` for other crates.
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
