//! Arguments that name a file: each of every sub-command, found in the parser itself.

use crate::hostile_ways::hostile_files;
use crate::program::{self, PROGRAM};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

/// Memory that a process may write to, in KiB.
const MEMORY_KIB: u32 = 64 << 10;
/// Values that are no file: what a path must not be taken for.
const TEXTS: [&str; 7] = ["-", "--trust", "", "\u{1b}]0;x\u{7}", "$(touch marker)", "..", "~"];

/// Kind of an argument's value, by its name in the help.
const VALUES: &[(&str, bool)] = &[
    ("FILE", true),
    ("FOLDER", true),
    ("PATH", true),
    ("RESULTS", true),
    ("SCENARIO", true),
    ("SESSION", true),
    ("NAME", true),
    ("NAMES", false),
    ("ARM", false),
    ("OTHER", true),
    ("ID", true),
    ("TOPIC", false),
    ("COLUMNSxROWS", false),
    ("ADDRESS", false),
    ("I/N", false),
    ("ID=NAME", false),
    ("KEY=VALUE", false),
    ("NAME=FIELD", false),
    ("KEY=VALUES", false),
    ("N", false),
    ("MODEL", false),
    ("MODEL,...", false),
    ("MODELS", false),
    ("N|TIME", false),
    ("PROVIDER:NAME", false),
    ("QUESTION", false),
    ("SHARE", false),
    ("SPEED", false),
    ("TEXT", false),
    ("LINE", false),
    ("TIME", false),
    ("URL", false),
    ("USD", false),
    ("WORD", false),
    ("WORDS", false),
];

/// Arguments with which a command runs; `FILE=..` and the like are positional, with their name in the help. `None` for
/// commands that only run for somebody who waits.
const COMMANDS: &[(&str, Option<&[&str]>)] = &[
    ("", Some(&["paths"])),
    #[cfg(feature = "acp")]
    ("acp", Some(&["SCENARIO=good.toml"])),
    ("analyze", Some(&["SESSION=good.jsonl"])),
    ("ask", Some(&["QUESTION=Why?", "FILE=good.toml", "--rehearsed", "--no-save"])),
    ("attach", Some(&["SESSION=good.jsonl"])),
    ("batch", Some(&["SCENARIO=good.toml", "--items", "items.jsonl", "--dry-run"])),
    (
        "batch export",
        Some(&["RESULTS=results.jsonl", "--format", "inspect", "--output", "exported"]),
    ),
    ("batch merge", Some(&["RESULTS=results.jsonl", "--output", "merged.jsonl"])),
    ("batch report", Some(&["RESULTS=results.jsonl"])),
    ("check", Some(&["FILE=good.toml"])),
    ("completions", Some(&["SHELL=bash"])),
    ("demo", Some(&["--headless"])),
    ("doctor", Some(&[])),
    ("export", Some(&["SESSION=good.jsonl", "OTHER=good.jsonl", "--format", "html"])),
    ("fork", Some(&["SESSION=good.jsonl", "--at", "1", "--headless"])),
    ("help", Some(&[])),
    ("import", Some(&["FILE=talk.json"])),
    ("keys", Some(&[])),
    ("man", Some(&[])),
    // its own walk is that of the MCP tools
    #[cfg(feature = "mcp")]
    ("mcp", None),
    ("models", Some(&[])),
    // opens a connection
    ("models update", None),
    ("paths", Some(&[])),
    ("replay", Some(&["SESSION=good.jsonl", "--headless"])),
    ("resume", Some(&["SESSION=good.jsonl", "--headless"])),
    ("run", Some(&["SCENARIO=good.toml", "--headless"])),
    ("scenarios", None),
    ("scenarios list", Some(&[])),
    ("scenarios new", Some(&["NAME=new.toml"])),
    ("scenarios show", Some(&["NAME=duo"])),
    ("say", Some(&["SESSION=good.jsonl", "TEXT=Hello."])),
    ("schema", Some(&["OF=scenario"])),
    #[cfg(feature = "serve")]
    ("serve", Some(&["SESSION=good.jsonl"])),
    ("sessions", None),
    ("sessions delete", Some(&["SESSION=good.jsonl"])),
    ("sessions list", Some(&[])),
    ("sessions path", Some(&["SESSION=good.jsonl"])),
    ("sessions redact", Some(&["SESSION=good.jsonl", "--utterance", "1"])),
    ("sessions rename", Some(&["SESSION=good.jsonl", "TITLE=New"])),
    ("sessions repair", Some(&["SESSION=good.jsonl"])),
    ("sessions restore", Some(&["ID=none"])),
    ("sessions search", Some(&["WORDS=none"])),
    ("sessions show", Some(&["SESSION=good.jsonl"])),
    ("sessions tree", Some(&[])),
    ("steer", Some(&["SESSION=good.jsonl", "LINE={\"do\":\"pause\"}"])),
    ("stop", Some(&["SESSION=good.jsonl"])),
    ("talk", Some(&["TOPIC=Why?", "--headless"])),
    ("test", Some(&["PATH=good.test.toml"])),
    ("themes", Some(&[])),
    ("watch", Some(&["SESSION=good.jsonl", "--headless"])),
];

const SCENARIO: &str = "title = \"T\"\n[limits]\nutterances = 2\n[[participant]]\nid = \"a\"\npace = 1\nlines = [\"x\"]\n";

/// One argument of a command that names a file.
struct Way {
    command: String,
    /// `--option`, or the name in the help of a positional one.
    argument: String,
    base: &'static [&'static str],
}

/// Finds every argument with a value; a command or a kind of value without a row is a fault.
fn ways() -> Vec<Way> {
    let mut program = colloquium::cli::parser();
    program.build();
    let commands = BTreeMap::from_iter(COMMANDS.iter().copied());
    let values = BTreeMap::from_iter(VALUES.iter().copied());
    let mut waiting = vec![(String::new(), &program)];
    let mut ways = vec![];
    let mut faults = vec![];
    while let Some((name, command)) = waiting.pop() {
        for inner in command.get_subcommands() {
            waiting.push((format!("{name} {}", inner.get_name()).trim().to_owned(), inner));
        }
        let Some(base) = commands.get(name.as_str()) else {
            faults.push(format!("no row in COMMANDS for `{name}`"));
            continue;
        };
        let own = |a: &&clap::Arg| name.is_empty() || !a.is_global_set();
        for argument in command.get_arguments().filter(own) {
            if !argument.get_action().takes_values() || !argument.get_possible_values().is_empty() {
                continue;
            }
            let shown = argument.get_value_names().unwrap_or_default().first().map(|n| n.as_str());
            let shown = shown.unwrap_or_default().to_owned();
            let Some(base) = base else { continue };
            match values.get(shown.as_str()) {
                Some(true) => {}
                Some(false) => continue,
                None if base.iter().any(|b| b.starts_with(&format!("{shown}="))) => continue,
                None => {
                    faults.push(format!("no row in VALUES for {shown} of `{name}`"));
                    continue;
                }
            }
            let argument = argument.get_long().map_or(shown, |long| format!("--{long}"));
            ways.push(Way { command: name.clone(), argument, base });
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    ways
}

impl Way {
    /// Returns the arguments of a run with a value in the place of this argument.
    fn arguments(&self, value: &str) -> Vec<String> {
        let mut all: Vec<String> = self.command.split_whitespace().map(str::to_owned).collect();
        let mut given = false;
        let mut base = self.base.iter().peekable();
        while let Some(part) = base.next() {
            let named = part.split_once('=').filter(|(name, _)| !name.starts_with('-'));
            match named {
                Some((name, _)) if name == self.argument => {
                    given = true;
                    all.push(value.to_owned());
                }
                Some((_, usual)) => all.push(usual.to_owned()),
                None if *part == self.argument => {
                    given = true;
                    base.next();
                    all.push(format!("{part}={value}"));
                }
                None => all.push((*part).to_owned()),
            }
        }
        if !given && self.argument.starts_with("--") {
            all.push(format!("{}={value}", self.argument));
        } else if !given {
            all.push(value.to_owned());
        }
        all
    }

    /// Runs it in a folder of its own with one value in `step`, the first of them at `offset`; returns the faults.
    fn walk(&self, offset: usize, step: usize) -> Vec<String> {
        let home = tempfile::tempdir().unwrap();
        let hostile = home.path().join("hostile");
        fs::create_dir(&hostile).unwrap();
        let victim = home.path().join("victim");
        fs::write(&victim, "secret-of-the-victim\n").unwrap();
        let files = hostile_files::files(&hostile, &victim);
        let kinds = kinds(&files);
        let values = files.iter().map(|(_, path)| path.display().to_string());
        let mut faults = vec![];
        let values = values.chain(TEXTS.map(str::to_owned));
        for value in values.skip(offset % step).step_by(step) {
            let why = self.run(home.path(), &value);
            faults.extend(why.map(|why| format!("{:?}: {why}", self.arguments(&value))));
        }
        if fs::read_to_string(&victim).unwrap() != "secret-of-the-victim\n" {
            faults.push(format!("{} {}: the victim was changed", self.command, self.argument));
        }
        if self::kinds(&files) != kinds {
            faults.push(format!("{} {}: a special file was replaced", self.command, self.argument));
        }
        faults
    }

    fn run(&self, home: &Path, value: &str) -> Option<String> {
        let work = home.join("work");
        // whatever the run before left
        let _ = fs::remove_dir_all(&work);
        fs::create_dir(&work).unwrap();
        fs::write(work.join("good.toml"), SCENARIO).unwrap();
        fs::write(
            work.join("good.test.toml"),
            "title = \"T\"\nscenario = \"good.toml\"\n[[expect]]\nsaid = \"x\"\n",
        )
        .unwrap();
        fs::write(work.join("items.jsonl"), "{\"id\":\"a\"}\n").unwrap();
        fs::write(work.join("results.jsonl"), "").unwrap();
        let talk = "[{\"role\":\"user\",\"content\":\"x\"}]";
        fs::write(work.join("talk.json"), talk).unwrap();
        let session = include_str!("../../../assets/sessions/example-rehearsed.jsonl");
        fs::write(work.join("good.jsonl"), session).unwrap();
        let out = home.join("out");
        let limit = format!(
            "ulimit -d {MEMORY_KIB}; exec timeout -s KILL {} \"$@\"",
            program::HANG.as_secs()
        );
        let status = program::command("/bin/sh", &work)
            .args(["-c", &limit, "sh", PROGRAM])
            .args(self.arguments(value))
            .stdout(fs::File::create(&out).unwrap())
            .stderr(fs::File::options().append(true).open(&out).unwrap())
            .status()
            .unwrap();
        let said = String::from_utf8_lossy(&fs::read(&out).unwrap()).into_owned();
        let why = match status.code() {
            None => format!("hangs, or ended by a signal ({status})"),
            Some(101) => "panicked".into(),
            Some(code) if code > 30 => format!("ended with {code}"),
            _ if said.contains("secret-of-the-victim") => "shows the victim".into(),
            _ if said.contains('\u{1b}') => "shows control characters".into(),
            _ if work.join("marker").exists() => "acted".into(),
            Some(_) => return None,
        };
        Some(format!("{why}: {}", said.chars().take(300).collect::<String>()))
    }
}

/// Returns the kinds of the files, links not followed.
fn kinds(files: &[(&str, PathBuf)]) -> Vec<String> {
    let kind = |path: &Path| path.symlink_metadata().map(|found| found.file_type());
    files.iter().map(|(_, path)| format!("{} {:?}", path.display(), kind(path))).collect()
}

#[test]
fn refuses_hostile_paths_in_every_argument() {
    walk_all(20);
}

#[test]
#[ignore = "a minute: cargo test --test cli refuses_every_hostile_path -- --ignored"]
fn refuses_every_hostile_path_in_every_argument() {
    walk_all(1);
}

/// Walks all arguments, each with one value in `step`; together they take all values.
fn walk_all(step: usize) {
    let ways = Mutex::new(ways().into_iter().enumerate().collect::<Vec<_>>());
    let faults = Mutex::new(vec![]);
    let walk = || {
        loop {
            let Some((offset, way)) = ways.lock().unwrap().pop() else { return };
            let found = way.walk(offset, step);
            faults.lock().unwrap().extend(found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(walk);
        }
    });
    let faults = faults.into_inner().unwrap();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
