//! Snapshot of every text that a user can see, for review, and a list of banned phrases.
//!
//! `texts/` holds the string literals of the program that are sentences or labels, a file per room, and the manual. It
//! shows every change of wording. `INSTA_UPDATE=always cargo test --test words` updates it.

// all of this is test code, but the lint recognises only functions marked as tests
#![allow(clippy::unwrap_used)]

#[path = "../program/mod.rs"]
mod program;
#[path = "../house/source.rs"]
mod source;

use regex::Regex;
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// Banned phrases, each with its replacement.
const BANNED: &[(&str, &str)] = &[
    (r"put(ting)?( \w+){0,3} forward", "select"),
    (r"anew", "again"),
    (r"worn", "in use"),
    (r"(its|their) moment", "when it happens: \"when Bo finishes\""),
    (r"thought up", "written"),
    (r"deeds?", "command"),
    (r"of late", "recent"),
    (r"outwards", "back"),
    (r"there is none", "none"),
    (r"com(e|es|ing) to nothing", "has no effect"),
    (r"mended", "repaired"),
    (r"spoken of", "mentioned"),
    (r"whose the", "who owns the"),
    (r"nobody (is|was) asked", "no model is called"),
    (r"has (a )?place in", "fits in"),
    (r"way out", "fix"),
    (r"what can be done with", "actions"),
    (r"gone on with", "resumed"),
    (r"of one's own", "your own"),
    (r"with its own hand", "itself"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns every text besides code, with its file: string literals, comments, manual pages and scenarios.
fn prose() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for source in Source::all(root(), "src") {
        let texts = source.literals().into_iter().chain(source.comments());
        all.extend(texts.map(|f| (format!("{}:{}", source.path, f.line), f.text)));
    }
    let folders = ["assets/scenarios", "assets/scenarios/protocols", "assets/scenarios/teams"];
    let folders = folders.map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let scenarios = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let scenarios = scenarios.filter(|path| path.is_file());
    for path in scenarios.chain([root().join("README.md")]) {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        // the lines of rehearsed characters are exempt
        let ours = |line: &str| name == "README.md" || line.starts_with('#');
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| ours(line));
        all.extend(lines.map(|(n, line)| (format!("{name}:{}", n + 1), line.to_owned())));
    }
    all
}

/// Returns whether a literal is readable text rather than a key, a path or a format.
fn is_text(literal: &str) -> bool {
    let words = literal.split_whitespace();
    let words = words.filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 1);
    words.count() > 1
}

#[test]
fn every_text_is_plain_english() {
    let banned: Vec<_> = BANNED
        .iter()
        .map(|(phrase, instead)| (Regex::new(&format!(r"(?i)\b{phrase}\b")).unwrap(), instead))
        .collect();
    let mut faults = Vec::new();
    for (place, text) in prose() {
        for (phrase, instead) in &banned {
            if let Some(found) = phrase.find(&text) {
                faults.push(format!("{place}: \"{}\"; write: {instead}", found.as_str()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Appends the texts of a file to the list of its room.
fn list(rooms: &mut BTreeMap<String, String>, path: &str, texts: impl Iterator<Item = String>) {
    let mut texts = texts.filter(|text| is_text(text)).peekable();
    if texts.peek().is_none() {
        return;
    }
    let inside = path.trim_start_matches("src/");
    let room = inside.split_once('/').map_or("files", |(room, _)| room);
    let all = rooms.entry(room.to_owned()).or_default();
    writeln!(all, "\n== {path}").unwrap();
    texts.for_each(|text| writeln!(all, "{}", text.trim_end()).unwrap());
}

#[test]
fn all_texts_are_up_for_review() {
    let mut rooms: BTreeMap<String, String> = BTreeMap::new();
    for source in Source::all(root(), "src") {
        list(&mut rooms, &source.path, source.literals().into_iter().map(|f| f.text));
    }
    let path = "src/export/player.js";
    let script = fs::read_to_string(root().join(path)).unwrap();
    let literal = Regex::new(r"'([^'\n]*)'|`([^`\n]*)`").unwrap();
    let literals = literal.captures_iter(&script).filter_map(|found| found.get(1).or(found.get(2)));
    list(&mut rooms, path, literals.map(|text| text.as_str().to_owned()));
    let home = program::home();
    let manual = program::colloquium(home.path()).arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap();
    // every command repeats the global options
    let mut seen = BTreeSet::new();
    let lines = manual.lines().filter(|l| !l.starts_with('.') && seen.insert(*l));
    rooms.insert("manual".into(), lines.collect::<Vec<_>>().join("\n"));
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("texts");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let folder = root().join("tests/words/texts");
    let mut left: BTreeSet<String> = fs::read_dir(&folder)
        .map(|files| files.map(|file| file.unwrap().file_name().display().to_string()).collect())
        .unwrap_or_default();
    settings.bind(|| {
        for (room, texts) in &rooms {
            left.remove(&format!("{room}.snap"));
            insta::assert_snapshot!(room.as_str(), texts);
        }
    });
    assert!(left.is_empty(), "no room has these texts: {left:?}");
}
