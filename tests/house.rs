//! Architecture tests: dependencies between modules, restricted APIs, file size.
//!
//! The order of the crates is kept by cargo, forbidden packages by cargo-deny, and panics by clippy. Each failure names the file, the line and a fix. The tables change only on purpose. `house/` contains the scanner,
//! which reads the sources without comments, literals and, for some rules, the tests at the end of a file.

// all of this is test code, but the lint recognises only functions marked as tests
#![allow(clippy::unwrap_used)]

#[path = "house/circles.rs"]
mod circles;
#[path = "house/matching.rs"]
mod matching;
#[path = "house/names.rs"]
mod names;
#[path = "house/packages.rs"]
mod packages;
#[path = "house/processes.rs"]
mod processes;
mod program;
#[path = "house/prose.rs"]
mod prose;
#[path = "house/restrictions.rs"]
mod restrictions;
#[path = "house/source.rs"]
mod source;
#[path = "house/tables.rs"]
mod tables;
#[path = "house/words.rs"]
mod words;

use circles::Files;
use restrictions::misplaced;
use source::{CRATES, Source};
use std::fs;
use std::path::Path;
use tables::{DOORS, RESTRICTIONS, Restriction, TOP_LEVEL, WAY_OUT};

/// Maximum lines of code in a file, without comments and without the tests in it.
const LINE_LIMIT: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn none(faults: Vec<String>, fix: &str) {
    assert!(faults.is_empty(), "\n{}\nfix: {fix}\n", faults.join("\n"));
}

// ---- no cycles: cargo keeps the order of the crates, these tests that of the modules and files in each

#[test]
fn no_modules_reach_each_other_in_a_circle() {
    let circles = Files::of_rooms(Source::ours(root())).circles();
    let faults = circles.iter().map(|circle| circle.join(", ")).collect();
    none(
        faults,
        "move the code to the module that may know both, hand the value in as plain data of `model`, or, if it is a \
         test, move it to tests/",
    );
}

#[test]
fn no_files_of_a_room_reach_each_other_in_a_circle() {
    let circles = Files::new(Source::ours(root())).circles();
    let faults = circles.iter().map(|circle| circle.join(", ")).collect();
    none(
        faults,
        "move the types that both use down into a file of their own, or return a value to the caller in place of \
         calling it",
    );
}

#[test]
fn no_folders_of_a_room_reach_each_other_in_a_circle() {
    let circles = Files::new(Source::ours(root())).neighbours().circles();
    let faults = circles.iter().map(|circle| circle.join(", ")).collect();
    none(
        faults,
        "move the file that uses both sides up, or the part that both sides use into a folder below them",
    );
}

#[test]
fn the_scanner_of_circles_between_modules_bites() {
    let check = |files: &[(&str, &str)], expected: &[&[&str]]| {
        let sources: Vec<Source> =
            files.iter().map(|(path, code)| Source::new(&format!("src/{path}"), code)).collect();
        assert_eq!(Files::of_rooms(&sources).circles(), expected, "{files:?}");
    };
    let down = ("a/x.rs", "use crate::{\n  b::{Y, Z as W},\n  c,\n};");
    check(&[down, ("b/mod.rs", "use super::c;\nuse std::a;"), ("c.rs", "// crate::a")], &[]);
    check(&[down, ("b/mod.rs", "use super::a;")], &[&["a", "b"]]);
    check(&[down, ("b/y/z.rs", "use super::super::super::a::x;")], &[&["a", "b"]]);
    check(
        &[down, ("c.rs", "fn f() { crate::d::f() }"), ("d.rs", "use crate::a;")],
        &[&["a", "c", "d"]],
    );
    check(&[down, ("b/x.rs", "#[cfg(test)]\nmod tests { use crate::a; }")], &[&["a", "b"]]);
}

#[test]
fn the_scanner_of_circles_between_folders_bites() {
    let check = |files: &[(&str, &str)], expected: &[&[&str]]| {
        let sources: Vec<Source> =
            files.iter().map(|(path, code)| Source::new(&format!("src/{path}"), code)).collect();
        assert_eq!(Files::new(&sources).neighbours().circles(), expected, "{files:?}");
    };
    let down = ("room/a/x.rs", "use crate::room::b::y::Y;");
    let up = ("room/b/z.rs", "use crate::room::a::w::W;");
    check(&[down, ("room/a/w.rs", ""), ("room/b/y.rs", ""), up], &[&["room::a", "room::b"]]);
    check(&[down, ("room/b/y.rs", ""), ("room/b/z.rs", "use super::y::Y;")], &[]);
    check(
        &[down, ("room/a.rs", ""), ("room/b.rs", "use super::a;"), ("room/b/y.rs", "")],
        &[&["room::a", "room::b"]],
    );
    let parent = ("room/mod.rs", "mod a;\npub struct M;\nfn f() { a::f() }");
    check(&[parent, ("room/a/mod.rs", "use super::M;")], &[]);
}

#[test]
fn the_scanner_of_circles_bites() {
    let check = |files: &[(&str, &str)], expected: &[&[&str]]| {
        let sources: Vec<Source> =
            files.iter().map(|(path, code)| Source::new(&format!("src/{path}"), code)).collect();
        assert_eq!(Files::new(&sources).circles(), expected, "{files:?}");
    };
    let a = "room/a.rs";
    let b = "room/b.rs";
    check(&[(a, "use super::b::B;"), (b, "use crate::room::a::A;")], &[&["room::a", "room::b"]]);
    check(&[(a, "use super::b::B;"), (b, "use crate::other::a::A;")], &[]);
    check(&[(a, "fn f() { super::b::f() }"), (b, "use super::a;")], &[&["room::a", "room::b"]]);
    check(&[(a, "#[cfg(test)]\nmod tests { use super::b; }"), (b, "use super::a;")], &[]);
    // an item re-exported by `mod.rs` belongs to the file that declares it
    let hands_on = ("room/mod.rs", "mod a;\nmod b;\npub use a::{A, make};\npub use b::*;");
    check(&[hands_on, (a, "use super::B;"), (b, "pub struct B;")], &[]);
    check(
        &[hands_on, (a, "use super::B;"), (b, "use super::A;\npub struct B;")],
        &[&["room::a", "room::b"]],
    );
    // an item declared in `mod.rs` belongs to `mod.rs`
    let declares = ("room/mod.rs", "mod a;\npub struct M;\nfn f() { a::f() }");
    check(&[declares, (a, "use super::M;")], &[&["room", "room::a"]]);
    check(&[("room/mod.rs", "mod a;\npub struct M;"), (a, "use super::M;")], &[]);
    check(&[declares, (a, "use super::*;")], &[&["room", "room::a"]]);
    check(&[declares, (a, "pub(super) fn f() {}")], &[]);
}

// ---- restricted APIs

/// Returns the restrictions of a file.
fn restrictions(source: &Source) -> impl Iterator<Item = &'static Restriction> {
    let is_door = DOORS.iter().any(|door| source.place().starts_with(door));
    RESTRICTIONS.iter().chain(is_door.then_some(&WAY_OUT))
}

#[test]
fn restricted_apis_are_used_in_their_places() {
    let faults = Source::ours(root()).iter().flat_map(|source| {
        let found = restrictions(source).map(move |of| (misplaced(source, of), of.fix));
        found.flat_map(|(faults, fix)| faults.into_iter().map(move |f| format!("{f}; {fix}")))
    });
    none(faults.collect(), "as each line says");
}

#[test]
fn the_scanner_of_restrictions_bites() {
    let check = |path: &str, code: &str, expected: &[usize]| {
        let source = Source::new(path, code);
        let faults: Vec<_> = restrictions(&source).flat_map(|d| misplaced(&source, d)).collect();
        let mut lines: Vec<usize> =
            faults.iter().map(|f| f.split(':').nth(1).unwrap().parse().unwrap()).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines, expected, "{path}: {code}: {faults:?}");
    };
    check("src/ui/mod.rs", "use std::env;", &[1]);
    let whole = "use crate::session::{self, holder};\nfn f() { session::load(path) }";
    for (path, expected) in [("mcp/x.rs", &[2][..]), ("acp/x.rs", &[2]), ("resume.rs", &[])] {
        check(&format!("src/cli/commands/{path}"), whole, expected);
    }
    for path in ["src/serve/x.rs", "src/report/export/x.rs"] {
        check(path, "use crate::session::{Log, load};", &[1]);
    }
    check("src/ui/mod.rs", "use std::{\n  fs,\n  env,\n};", &[3]);
    check(
        "src/ui/mod.rs",
        "fn f() { std::env::var(\"HOME\") }\nuse directories::ProjectDirs;",
        &[1, 2],
    );
    check("src/config/settings/mod.rs", "use std::env;\nuse directories::ProjectDirs;", &[]);
    check("src/cli/mod.rs", "let a = std::env::args();\nlet b = std::env::var(\"A\");", &[2]);
    check("src/main.rs", "let a = std::env::args_os();\nstd::process::exit(1);", &[]);
    check("src/ui/mod.rs", "fn f() -> bool { policy == \"depends\" }", &[1]);
    check("src/cli/x.rs", "use crate::engine::{Engine, Input};\nbase64::Engine::encode(x);", &[1]);
    check(
        "src/ui/x.rs",
        "use crate::engine::{Input, next_speakers};\nuse crate::engine::turns;",
        &[2],
    );
    check("src/runtime/host/x.rs", "use crate::engine::Engine;", &[]);
    check("src/policy/depends.rs", "const NAME: &str = \"depends\";", &[]);
    check(
        "src/state/mod.rs",
        "std::process::exit(1);\nuse std::process::{ExitCode, abort};",
        &[1, 2],
    );
    check(
        "src/voice/x.rs",
        "Command::new(\"sh\");\nuse std::process::Command;\nuse tokio::process::Command;",
        &[1, 2, 3],
    );
    check("src/spawn.rs", "Command::new(\"sh\");\nuse process_wrap::tokio::CommandWrap;", &[]);
    check("src/model/x.rs", "use super::command::Command;\nuse crate::model::command;", &[]);
    check(
        "src/voice/x.rs",
        "use std::net::TcpStream;\nTcpListener::bind(x);\nUdpSocket::bind(x);",
        &[1, 2, 3],
    );
    check(
        "src/engine/x.rs",
        "let a = Instant::now();\nSystemTime::now();\njiff::Timestamp::now();",
        &[1, 2, 3],
    );
    check("src/clock.rs", "use std::time::{Instant, SystemTime};\nInstant::now();", &[]);
    check(
        "src/state/x.rs",
        "std::fs::write(a, b);\nFile::create(a);\nfs::rename(a, b);\nuse std::fs::{read, OpenOptions};",
        &[1, 2, 3, 4],
    );
    check("src/session/x.rs", "std::fs::write(a, b); fs::rename(a, b);", &[]);
    check(
        "src/state/x.rs",
        "fs::read_dir(a); x.append(y); #[serde(rename = \"x\")] struct X;",
        &[],
    );
    check(
        "src/cli/x.rs",
        "fs::read(a);\nFile::open(b);\nx.append(true);\nfs::read_dir(c);",
        &[1, 2, 3],
    );
    check("src/cli/inputs.rs", "File::open(a);", &[]);
    check(
        "src/state/x.rs",
        "fn f() {}\n#[cfg(test)]\nmod tests {\n  fs::rename(a, b);\n  Instant::now();\n}",
        &[],
    );
    check("src/state/x.rs", "#[cfg(test)]\nmod tests {\n}\nfn f() { Instant::now() }", &[4]);
    check("src/state/x.rs", "#[cfg(test)]\nmod tests;\nfn f() { Instant::now() }", &[3]);
    check("src/state/tests.rs", "fs::rename(a, b);\nInstant::now();", &[]);
}

// ---- layout of files

fn too_long(source: &Source) -> Option<String> {
    let without_tests = source.without_tests();
    let of_tests = source.file_name() == "tests.rs";
    let code = if of_tests { source.code() } else { without_tests.code() };
    let lines = code.lines().filter(|line| !line.trim().is_empty()).count();
    (lines > LINE_LIMIT).then(|| format!("{}:1: it has {lines} lines of code", source.path))
}

fn undescribed(source: &Source) -> Option<String> {
    let described = source.raw.strip_prefix("//! ").is_some_and(|rest| !rest.trim().is_empty());
    (!described).then(|| format!("{}:1: it does not begin with `//! `", source.path))
}

#[test]
fn files_are_short() {
    let sources = [Source::ours(root()), Source::tests(root())].into_iter().flatten();
    let faults = sources.filter_map(too_long).collect();
    none(
        faults,
        "split the file by responsibility and move its tests along; tests of a promise go to tests/",
    );
}

#[test]
fn every_file_has_a_description() {
    let faults = Source::ours(root()).iter().filter_map(undescribed).collect();
    none(
        faults,
        "begin the file with what it is for, why it exists, and what it deliberately does not do",
    );
}

#[test]
fn the_scanners_of_files_bite() {
    assert!(too_long(&Source::new("src/x.rs", &"x\n".repeat(501))).is_some());
    assert!(too_long(&Source::new("src/x.rs", &"x\n".repeat(500))).is_none());
    let tests = format!("{}#[cfg(test)]\nmod tests {{\n  f();\n}}", "// why\n\nx\n".repeat(500));
    assert!(too_long(&Source::new("src/x.rs", &tests)).is_none());
    assert!(too_long(&Source::new("src/tests.rs", &"x\n".repeat(501))).is_some());
    assert!(undescribed(&Source::new("src/x.rs", "use a;\n//! late")).is_some());
    assert!(undescribed(&Source::new("src/x.rs", "//! \nfn f() {}")).is_none());
    assert!(undescribed(&Source::new("src/x.rs", "//! What it is for.")).is_none());
}

/// Returns the ignored tests that do not name the command or the test that runs them.
fn unexplained(source: &Source) -> Vec<String> {
    let left_out =
        source.raw.lines().zip(1..).filter(|(l, _)| l.trim_start().starts_with("#[ignore"));
    let mute = left_out.filter(|(l, _)| !l.contains("cargo test ") && !l.contains(" test"));
    mute.map(|(_, line)| format!("{}:{line}: it does not say how it is run", source.path)).collect()
}

#[test]
fn tests_that_are_left_out_say_how_they_are_run() {
    let faults = Source::tests(root()).iter().flat_map(unexplained).collect();
    none(faults, "#[ignore = \"why: cargo test --release --test FILE NAME -- --ignored\"]");
    let mute = Source::new("tests/a.rs", "#[test]\n#[ignore = \"takes minutes\"]\nfn a() {}\n");
    assert_eq!(unexplained(&mute), ["tests/a.rs:2: it does not say how it is run"]);
}

// ---- the top level

/// Returns the entries that do not belong at the top level.
fn misfits<'a>(entries: impl Iterator<Item = &'a str>) -> Vec<String> {
    entries
        .filter(|e| !e.starts_with('.') && !TOP_LEVEL.contains(e))
        .map(|e| format!("{e}: it does not belong at the top"))
        .collect()
}

/// Returns the top-level entries tracked by git; the developer's untracked files are ignored. Empty without git, as in
/// a copy of the sources.
fn tracked() -> Vec<String> {
    let home = program::home();
    let mut git = program::command("git", home.path());
    let listed = git.args(["ls-files", "-z"]).current_dir(root()).output();
    let Ok(listed) = listed else { return Vec::new() };
    let paths = String::from_utf8_lossy(&listed.stdout);
    let mut entries: Vec<String> = paths
        .split('\0')
        .filter_map(|path| path.split('/').next())
        .filter(|entry| !entry.is_empty())
        .map(str::to_owned)
        .collect();
    entries.dedup();
    entries
}

#[test]
fn the_top_level_is_small() {
    let faults = misfits(tracked().iter().map(String::as_str));
    none(faults, "put it into src, themes, tests or assets, or make it a dot-file");
}

#[test]
fn the_scanner_of_the_top_bites() {
    let entries = ["src", ".ci", "notes.md", "Cargo.toml"];
    assert_eq!(misfits(entries.into_iter()), ["notes.md: it does not belong at the top"]);
}

#[test]
fn crate_map_names_existing_files() {
    let page = fs::read_to_string(root().join("src/lib.rs")).unwrap();
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
