//! Architecture tests: dependencies between modules, restricted APIs, habits of prose, file size.
//!
//! The order of the crates is kept by cargo, forbidden packages by cargo-deny, and panics by clippy. Each failure names the file, the line and a fix. `house/rules.toml` has the words that only some places may have;
//! `house/examples.txt` breaks each rule.

// all of this is test code, but the lint recognises only functions marked as tests
#![allow(clippy::unwrap_used)]

#[path = "house/circles.rs"]
mod circles;
mod program;
#[path = "house/rules.rs"]
mod rules;
#[path = "house/source.rs"]
mod source;

use regex::Regex;
use rules::Fault;
use source::{CRATES, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// Maximum lines of code in a file, without comments and without the tests in it.
const LINE_LIMIT: usize = 500;
/// Allowed top-level entries of the repository, besides dot-files and files ignored by git.
const TOP_LEVEL: [&str; 7] =
    ["Cargo.toml", "Cargo.lock", "src", "themes", "tests", "assets", "README.md"];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn none(faults: Vec<String>, fix: &str) {
    assert!(faults.is_empty(), "\n{}\nfix: {fix}\n", faults.join("\n"));
}

/// The sources, the scenarios and the README, read once for all tests.
static SOURCES: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let folders = ["src", "tests", "assets/scenarios"];
    let all = folders.iter().flat_map(|folder| Source::all(root(), folder));
    all.chain([Source::new("README.md", &read("README.md"))]).collect()
});

/// Finds the faults by all rules.
fn faults(sources: &[Source], is_all: bool) -> Vec<Fault> {
    let mut faults = rules::find(sources, is_all);
    faults.extend(circles::find(sources));
    faults.extend(rules::shared_names(sources));
    faults.extend(rules::tuple_parameters(sources));
    faults.extend(rules::unexplained(sources));
    faults
}

#[test]
fn sources_break_no_rule() {
    let faults = faults(&SOURCES, true).into_iter().map(|fault| fault.text).collect();
    none(faults, "as each line says");
}

/// Each line of an example breaks the rules after its `//~`, and no others.
#[test]
fn each_rule_finds_its_examples() {
    let mut broken = BTreeSet::new();
    for example in include_str!("house/examples.txt").split("\n\n") {
        let mut expected = BTreeSet::new();
        let mut sources = vec![];
        for file in format!("\n{example}").split("\n== ").skip(1) {
            let (path, marked) = file.split_once('\n').unwrap_or((file, ""));
            let lines = marked.lines().zip(1..).map(|(line, at)| {
                let (code, names) = line.split_once("//~ ").unwrap_or((line, ""));
                let names = names.split(", ").filter(|name| !name.is_empty());
                expected.extend(names.map(|name| (path.to_owned(), at, name.to_owned())));
                code.trim_end().to_owned() + "\n"
            });
            sources.push(Source::new(path, &lines.collect::<String>()));
        }
        let found = faults(&sources, false).into_iter().map(|f| (f.path, f.line, f.rule));
        let found: BTreeSet<_> = found.collect();
        assert_eq!(found, expected, "{example}");
        broken.extend(found.into_iter().map(|(_, _, rule)| rule));
    }
    let rules = rules::names();
    assert!(rules.iter().all(|rule| broken.contains(rule)), "an example for each of {rules:?}");
}

#[test]
fn words_of_features_are_known_by_few_modules() {
    for word in rules::feature_words() {
        let known = word.known_by(&SOURCES);
        let places: Vec<&str> = known.values().map(String::as_str).collect();
        let (count, places) = (known.len(), places.join("\n"));
        assert_eq!(
            count, word.modules,
            "modules that know `{}`, each with a place:\n{places}\nfix: hand the value over as data, or set the lower \
             figure in rules.toml",
            word.name
        );
    }
    let knows = |path: &str, code: &str| {
        let word = rules::feature_words().remove(0);
        word.known_by(&[Source::new(path, code)]).into_keys().collect::<Vec<_>>()
    };
    assert_eq!(knows("src/record/state/x.rs", "fn asks_stance() {}"), ["state"]);
    assert_eq!(knows("src/cli/x.rs", "let x = StanceRecorded;"), ["cli"]);
    assert_eq!(knows("src/cli/x.rs", "const STANCE: u8 = 1;"), ["cli"]);
    for code in
        ["// stance\ninstances();", "f(\"stance\");", "#[cfg(test)]\nmod tests { stance(); }"]
    {
        assert!(knows("src/cli/x.rs", code).is_empty(), "{code}");
    }
    assert!(knows("src/base/model/x.rs", "struct Stance;").is_empty());
}

/// Returns the number of lines with code.
fn code_lines(source: &Source) -> usize {
    let is_counted = |line: &&source::Part| source.is_of_tests() || !line.of_test;
    source.lines.iter().filter(is_counted).filter(|line| !line.text.trim().is_empty()).count()
}

#[test]
fn files_are_short_and_described() {
    let code = SOURCES.iter().filter(|source| source.path.ends_with(".rs"));
    let long = code.filter(|source| code_lines(source) > LINE_LIMIT);
    none(
        long.map(|source| format!("{}:1: {} lines of code", source.path, code_lines(source)))
            .collect(),
        "split the file by responsibility and move its tests along; tests of a promise go to tests/",
    );
    let is_described = |source: &Source| {
        let first = source.comments.first();
        first.is_some_and(|first| first.line == 1 && first.text.starts_with("//! "))
    };
    let mute = SOURCES.iter().filter(|source| source.is_at("src") && !is_described(source));
    none(
        mute.map(|source| format!("{}:1: it does not begin with `//! `", source.path)).collect(),
        "begin the file with what it is for, why it exists, and what it deliberately does not do",
    );
    let code = format!("{}#[cfg(test)]\nmod tests {{\n  f();\n}}", "// why\n\nx\n".repeat(500));
    assert_eq!(code_lines(&Source::new("src/x.rs", &code)), 500);
    assert_eq!(code_lines(&Source::new("src/tests.rs", &code)), 504);
}

/// Returns the dependencies of a manifest without a comment above them that gives the reason. Dependencies of the
/// workspace have it in the workspace's own table.
fn unreasoned(manifest: &str) -> Vec<String> {
    let mut above = "";
    let mut inside = false;
    let mut faults = vec![];
    for line in manifest.lines() {
        let is_of_workspace = line.contains(".workspace = ") || line.contains("workspace = true");
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if inside && line.contains(" = ") && !is_of_workspace && !above.starts_with("# ") {
            faults.push(format!("Cargo.toml: `{line}` has no reason"));
        }
        above = line;
    }
    faults
}

#[test]
fn each_dependency_has_its_reason() {
    none(unreasoned(&read("Cargo.toml")), "say in one line above it what it is for");
    for member in CRATES {
        let faults = unreasoned(&read(&format!("src/{member}/Cargo.toml")));
        none(faults, "name it in the workspace's table, with its reason");
    }
    let bare = "[dependencies]\n# why\na = 1\nb = 2\nc.workspace = true\n";
    assert_eq!(unreasoned(bare), ["Cargo.toml: `b = 2` has no reason"]);
}

/// Checks the entries that git tracks; without git, as in a copy of the sources, none.
#[test]
fn the_top_level_is_small() {
    let home = program::home();
    let mut git = program::command("git", home.path());
    let listed = git.args(["ls-files", "-z"]).current_dir(root()).output();
    let paths = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned());
    let paths = paths.unwrap_or_default();
    let entries: BTreeSet<&str> =
        paths.split_terminator('\0').filter_map(|path| path.split('/').next()).collect();
    let misfits = entries.into_iter().filter(|e| !e.starts_with('.') && !TOP_LEVEL.contains(e));
    none(
        misfits.map(|entry| format!("{entry}: it does not belong at the top")).collect(),
        "put it into src, themes, tests or assets, or make it a dot-file",
    );
}

#[test]
fn crate_map_names_existing_files() {
    let page = read("src/lib.rs");
    let quoted: Vec<&str> = page.split('`').skip(1).step_by(2).collect();
    let named = |text: &&&str| text.contains('/') && !text.contains(' ');
    let folders = CRATES.iter().map(|name| format!("src/{name}"));
    let folders: Vec<_> = folders.chain(["src".into(), ".".into()]).collect();
    let there = |path: &str| folders.iter().any(|folder| root().join(folder).join(path).exists());
    let gone = quoted.iter().filter(named).filter(|path| !there(path));
    none(gone.map(|path| format!("src/lib.rs: `{path}` is not there")).collect(), "mend the table");
    let folders = [("src", "cli"), ("src/tui", "ui")].into_iter().flat_map(|(folder, room)| {
        let inside = fs::read_dir(root().join(folder).join(room)).unwrap();
        let inside = inside.map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
        inside.map(move |folder| format!("{room}/{}/", folder.file_name().display()))
    });
    let missing = folders.filter(|folder| !page.contains(&format!("`{folder}")));
    none(
        missing.map(|folder| format!("src/lib.rs has no row for `{folder}`")).collect(),
        "add one",
    );
}

/// The README fits on a few screens; everything longer has a help page. Its pictures and links lead to files.
#[test]
fn the_readme_is_short() {
    let readme = read("README.md");
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
    words.filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 1).count() > 1
}

/// Prints the texts of the program, of the exported page and of the manual, each file below its path.
#[test]
#[ignore = "prints for a review: cargo test --test house every_text_for -- --ignored --nocapture"]
fn every_text_for_a_review() {
    let script = read("src/report/export/player.js");
    let literal = Regex::new(r"'([^'\n]*)'|`([^`\n]*)`").unwrap();
    let script = literal.captures_iter(&script).filter_map(|found| found.get(1).or(found.get(2)));
    let home = program::home();
    let manual = program::colloquium(home.path()).arg("man").output().unwrap();
    let manual = String::from_utf8(manual.stdout).unwrap();
    // every command repeats the global options
    let mut seen = BTreeSet::new();
    let manual = manual.lines().filter(|l| !l.starts_with('.') && seen.insert(*l));
    let mut pages: Vec<(String, Vec<String>)> = vec![
        ("the exported page".into(), script.map(|text| text.as_str().to_owned()).collect()),
        ("the manual".into(), manual.map(str::to_owned).collect()),
    ];
    for source in SOURCES.iter().filter(|source| source.is_at("src")) {
        let texts = source.literals().filter(|text| !text.of_test).map(|part| part.text);
        pages.push((source.path.clone(), texts.collect()));
    }
    for (path, texts) in pages {
        let texts: Vec<String> = texts.into_iter().filter(|text| is_text(text)).collect();
        if !texts.is_empty() {
            println!("== {path}\n{}\n", texts.join("\n"));
        }
    }
}
