//! Snapshot of every text that a user can see, for review, and a list of banned phrases.
//!
//! `texts.snap` holds the string literals of the program that are sentences or labels, file by file, and the manual. It
//! shows every change of wording. `INSTA_UPDATE=always cargo test --test words` updates it.

// all of this is test code, but the lint recognises only functions marked as tests
#![allow(clippy::unwrap_used)]

#[path = "../house/source.rs"]
mod source;

use regex::Regex;
use source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

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

#[test]
fn all_texts_are_up_for_review() {
    let mut all = String::new();
    for source in Source::all(root(), "src") {
        let texts = source.literals().into_iter().map(|f| f.text).filter(|t| is_text(t));
        let mut texts = texts.peekable();
        if texts.peek().is_some() {
            writeln!(all, "\n== {}", source.path).unwrap();
        }
        texts.for_each(|text| writeln!(all, "{}", text.trim_end()).unwrap());
    }
    let script = fs::read_to_string(root().join("src/export/player.js")).unwrap();
    let literal = Regex::new(r"'([^'\n]*)'|`([^`\n]*)`").unwrap();
    writeln!(all, "\n== src/export/player.js").unwrap();
    for found in literal.captures_iter(&script) {
        let text = found.get(1).or(found.get(2)).map_or("", |text| text.as_str());
        if is_text(text) {
            writeln!(all, "{text}").unwrap();
        }
    }
    let manual = Command::new(env!("CARGO_BIN_EXE_colloquium")).arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap();
    // every command repeats the global options
    let mut seen = BTreeSet::new();
    let lines = manual.lines().filter(|l| !l.starts_with('.') && seen.insert(*l));
    writeln!(all, "\n== colloquium man").unwrap();
    lines.for_each(|line| writeln!(all, "{line}").unwrap());
    insta::with_settings!({ snapshot_path => ".", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("texts", all);
    });
}
