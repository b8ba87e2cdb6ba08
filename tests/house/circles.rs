//! Dependency cycles between top-level modules, and between the files and the folders of a module, including those
//! through re-exports of a `mod.rs`.

use crate::rules::Fault;
use crate::source::{Part, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::iter::successors;

/// Dependencies of one module, file or folder on another, each with a place of it.
type Uses<'a> = BTreeMap<(String, String), (&'a Source, usize)>;

/// A module that is a file.
struct Module<'a> {
    source: &'a Source,
    /// Paths of the re-exports: as written, and absolute.
    re_exports: Vec<(String, String)>,
    declared: BTreeSet<&'a str>,
}

/// Finds the paths in cycles: cargo keeps the order of the crates, this that of the modules and files in each.
pub fn find(sources: &[Source]) -> Vec<Fault> {
    let files = between_files(sources);
    let folders = files.iter().filter_map(|((from, to), at)| Some((neighbours(from, to)?, *at)));
    let folders = folders.collect();
    let mut faults = in_circles(
        "circle of modules",
        &between_rooms(sources),
        "move the code to the module that may know both, hand the value in as plain data of `model`, or, if it is a \
         test, move it to tests/",
    );
    faults.extend(in_circles(
        "circle of folders",
        &folders,
        "move the file that uses both sides up, or the part that both sides use into a folder below them",
    ));
    faults.extend(in_circles(
        "circle of files",
        &files,
        "move the types that both use down into a file of their own, or return a value to the caller",
    ));
    faults
}

/// Returns the dependencies that lead back to where they begin.
fn in_circles(rule: &str, uses: &Uses, fix: &str) -> Vec<Fault> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in uses.keys() {
        next.entry(from).or_default().push(to);
    }
    let mut reached: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for start in next.keys() {
        let reached = reached.entry(start).or_default();
        let mut open = next[start].clone();
        while let Some(module) = open.pop() {
            if reached.insert(module) {
                open.extend(next.get(module).into_iter().flatten());
            }
        }
    }
    let leads_back = |from: &str, to: &str| reached.get(to).is_some_and(|r| r.contains(from));
    let circles = uses.iter().filter(|((from, to), _)| leads_back(from, to));
    let fault = |((from, to), (source, line)): (&(String, String), &(&Source, usize))| {
        Fault::new(rule, source, *line, format!("`{from}` uses `{to}`, which uses it"), fix)
    };
    circles.map(fault).collect()
}

/// Collects the dependencies between the top-level modules, including those of tests.
fn between_rooms(sources: &[Source]) -> Uses<'_> {
    let mut uses = Uses::new();
    for (source, module) in sources.iter().filter_map(|s| Some((s, s.module()?))) {
        for Part { line, text, .. } in source.paths() {
            let Some(used) = absolute(&module, &text, false) else { continue };
            let rooms = [&module, &used].map(|path| path.split("::").next().unwrap().to_owned());
            if rooms[0] != rooms[1] {
                uses.entry(rooms.into()).or_insert((source, line));
            }
        }
    }
    uses
}

/// Collects the dependencies between the files of each module.
fn between_files(sources: &[Source]) -> Uses<'_> {
    let is_ours = |part: &Part| !part.of_test;
    let module = |source| {
        let name = Source::module(source)?;
        let re_exports = source.imports(true).into_iter().filter(is_ours).map(|part| {
            // `a::{self}` re-exports the module `a`
            let path = part.text.trim_end_matches("::self");
            let full = absolute(&name, path, true).unwrap_or_default();
            (part.text, full)
        });
        let re_exports = re_exports.collect();
        let items = source.items().filter(|item| is_ours(item.name));
        let declared = items.map(|item| item.name.text.as_str()).collect();
        Some((name, Module { source, re_exports, declared }))
    };
    let modules: BTreeMap<String, Module> = sources.iter().filter_map(module).collect();
    let mut uses = Uses::new();
    for (name, Module { source, re_exports, .. }) in &modules {
        let items = source.items().filter(|item| item.kind == "mod" && is_ours(item.name));
        let children: Vec<&str> = items.map(|item| item.name.text.as_str()).collect();
        // `pub(super)` is not a use
        let paths = source.paths().into_iter().filter(|p| is_ours(p) && p.text.contains("::"));
        for Part { line, text, .. } in paths {
            let is_re_export = re_exports.iter().any(|(path, _)| *path == text);
            let is_child = text.split("::").next().is_some_and(|first| children.contains(&first));
            let target = absolute(name, &text, is_child).and_then(|p| file_of(&modules, &p, 0));
            if let (Some(target), false) = (target, is_re_export)
                && target.split("::").next() == name.split("::").next()
                && target != *name
            {
                uses.entry((name.clone(), target)).or_insert((*source, line));
            }
        }
    }
    uses
}

/// Returns the file that declares the item of a path, following re-exports.
fn file_of(modules: &BTreeMap<String, Module>, path: &str, depth: usize) -> Option<String> {
    let mut parents = successors(Some(path), |path| Some(path.rsplit_once("::")?.0));
    let (file, module) = parents.find_map(|parent| modules.get_key_value(parent))?;
    let Some(item) = path[file.len()..].strip_prefix("::") else { return Some(file.clone()) };
    let (name, rest) = item.split_once("::").unwrap_or((item, ""));
    // `super::*` uses the whole parent
    if depth >= 8 || name == "*" || module.declared.contains(name) {
        return Some(file.clone());
    }
    let targets = || module.re_exports.iter().map(|(_, target)| target.as_str());
    if let Some(target) = targets().find(|target| target.rsplit("::").next() == Some(name)) {
        let path = [target, rest].join("::");
        return file_of(modules, path.trim_end_matches(':'), depth + 1);
    }
    let mut all = targets().filter_map(|target| target.strip_suffix("::*"));
    let declares = |target: &&str| modules.get(*target).is_some_and(|m| m.declared.contains(name));
    Some(all.find(declares).unwrap_or(file).to_owned())
}

/// Returns the neighbours that a dependency is between: a file and the folder beside it, or two folders of one parent.
/// A folder includes everything below it and the file of its name, which lists its parts, so they may use each other.
fn neighbours(from: &str, to: &str) -> Option<(String, String)> {
    let [from, to] = [from, to].map(|path| path.split("::").collect::<Vec<_>>());
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    Some((from.get(..=shared)?.join("::"), to.get(..=shared)?.join("::")))
}

/// Returns a path as an absolute path within the crate; `None` for other crates.
fn absolute(module: &str, path: &str, is_child: bool) -> Option<String> {
    let mut base: Vec<&str> = module.split("::").collect();
    let mut parts = path.split("::").peekable();
    match parts.peek() {
        Some(&"crate") => base.clear(),
        Some(&("self" | "super")) => {}
        _ if is_child => {}
        _ => return None,
    }
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => drop(base.pop()),
            _ => base.push(part),
        }
    }
    Some(base.join("::"))
}
