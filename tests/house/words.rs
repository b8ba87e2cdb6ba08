//! Phrases that no text and no comment has, and a list of all texts that a user can see, for a review.

use crate::source::Source;
use crate::{program, root};
use regex::Regex;
use std::collections::BTreeSet;
use std::fs;

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

/// Returns every text besides code, with its file: string literals, comments, manual pages and scenarios.
fn prose() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for source in Source::ours(root()) {
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

/// The README fits on a few screens; everything longer has a help page. Its pictures and links lead to files.
#[test]
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= 120, "{} lines", readme.lines().count());
    let long = readme.lines().find(|line| line.chars().count() > 120);
    assert_eq!(long, None, "more than 120 columns");
    let headings = readme.lines().filter(|line| line.starts_with("## ")).count();
    let tables = readme.lines().filter(|line| line.starts_with("|--")).count();
    assert!(headings <= 9 && tables <= 2, "{headings} headings, {tables} tables");
    let link = Regex::new(r#"(?:\]\(|src=")(assets/[^)"]+)"#).unwrap();
    let links: Vec<&str> =
        link.captures_iter(&readme).map(|found| found.get(1).unwrap().as_str()).collect();
    assert!(links.len() > 3, "{links:?}");
    for path in links {
        assert!(root().join(path).is_file(), "{path}");
    }
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
    let any: Vec<&str> = BANNED.iter().map(|(phrase, _)| *phrase).collect();
    let any = Regex::new(&format!(r"(?i)\b({})\b", any.join("|"))).unwrap();
    let mut faults = Vec::new();
    for (place, text) in prose().into_iter().filter(|(_, text)| any.is_match(text)) {
        for (phrase, instead) in &banned {
            if let Some(found) = phrase.find(&text) {
                faults.push(format!("{place}: \"{}\"; write: {instead}", found.as_str()));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

/// Prints the texts of the program, of the exported page and of the manual, each file below its path.
#[test]
#[ignore = "prints for a review: cargo test --test house every_text_for -- --ignored --nocapture"]
fn every_text_for_a_review() {
    let mut pages: Vec<(String, Vec<String>)> = Source::ours(root())
        .iter()
        .map(|source| {
            (source.path.clone(), source.literals().into_iter().map(|f| f.text).collect())
        })
        .collect();
    let path = "src/report/export/player.js";
    let script = fs::read_to_string(root().join(path)).unwrap();
    let literal = Regex::new(r"'([^'\n]*)'|`([^`\n]*)`").unwrap();
    let literals = literal.captures_iter(&script).filter_map(|found| found.get(1).or(found.get(2)));
    pages.push((path.into(), literals.map(|text| text.as_str().to_owned()).collect()));
    let home = program::home();
    let manual = program::colloquium(home.path()).arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap();
    // every command repeats the global options
    let mut seen = BTreeSet::new();
    let lines = manual.lines().filter(|l| !l.starts_with('.') && seen.insert(*l));
    pages.push(("the manual".into(), lines.map(str::to_owned).collect()));
    for (path, texts) in pages {
        let texts: Vec<String> = texts.into_iter().filter(|text| is_text(text)).collect();
        if !texts.is_empty() {
            println!("== {path}\n{}\n", texts.join("\n"));
        }
    }
}
