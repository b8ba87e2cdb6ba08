//! Model of a power cut: the system calls of the real program are traced, and only synced data counts as kept. The
//! model must report a loss for every sync removed from the trace, or it could not fail.
//!
//! `record_disk` tests the grouping of syncs of the log's own lines.

use crate::kills::house::House;
use crate::program::PROGRAM;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Traced system calls: all that change a file or sync it.
const CALLS: &str =
    "openat,write,fsync,fdatasync,ftruncate,mkdir,rename,renameat,renameat2,link,linkat";

/// A successful system call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Call {
    Made(PathBuf),
    Wrote(PathBuf),
    Cut(PathBuf),
    Synced(PathBuf),
    Renamed(PathBuf, PathBuf),
    Linked(PathBuf, PathBuf),
}

/// Durability of a file or a folder.
#[derive(Clone, Copy, Debug, Default)]
struct File {
    /// True if its content is not completely synced.
    unsynced: bool,
    /// True if it was truncated without a sync since.
    cut: bool,
    /// True if its name is not synced.
    unnamed: bool,
}

/// Model of the files written by a program. Files that existed before count as synced.
#[derive(Default)]
struct Model(BTreeMap<PathBuf, File>);

impl Model {
    /// Follows the calls of a program that ended normally. The error describes the possible data loss.
    fn follow(calls: &[Call], log: &Path) -> Result<(), String> {
        let mut model = Model::default();
        for call in calls {
            model.take(call, log)?;
        }
        match model.0.iter().find(|(_, file)| file.unsynced || file.cut || file.unnamed) {
            Some((path, file)) => Err(format!("{} in the end: {file:?}", path.display())),
            None => Ok(()),
        }
    }

    fn file(&mut self, path: &Path) -> &mut File {
        self.0.entry(path.to_owned()).or_default()
    }

    fn take(&mut self, call: &Call, log: &Path) -> Result<(), String> {
        match call {
            Call::Made(path) => {
                self.0.insert(path.clone(), File { unnamed: true, ..File::default() });
            }
            Call::Wrote(path) => {
                let file = self.file(path);
                if file.cut {
                    return Err(format!("{} was cut and written before a sync", path.display()));
                }
                file.unsynced = true;
            }
            // the content of a new file is left over from a program that was killed
            Call::Cut(path) if path.to_string_lossy().contains("/.new-") => {}
            Call::Cut(path) => {
                // the part cut off a log must have been saved in another file first
                self.kept(path, |other| other.starts_with("s.damage-"))?;
                self.file(path).cut = true;
            }
            Call::Synced(path) => {
                let file = self.file(path);
                file.unsynced = false;
                file.cut = false;
                for (other, file) in &mut self.0 {
                    file.unnamed &= other.parent() != Some(path);
                }
                // the log's lines now count as saved, so the log and the long texts that it mentions must be found
                // after a power cut
                if path == log {
                    self.kept(path, |_| true)?;
                }
            }
            Call::Renamed(from, to) => {
                let mut file = self.0.remove(from).unwrap_or_default();
                if file.unsynced {
                    return Err(format!("{} got its name with bytes unsynced", to.display()));
                }
                if from.to_string_lossy().ends_with(".rescue.jsonl") {
                    self.kept(log, |other| other == "s.jsonl")?;
                }
                file.unnamed = true;
                self.0.insert(to.clone(), file);
            }
            Call::Linked(from, to) => {
                let file = *self.file(from);
                self.0.insert(to.clone(), File { unnamed: true, ..file });
            }
        }
        Ok(())
    }

    /// Checks that the selected files beside a log, with their names and folders, are synced.
    fn kept(&self, log: &Path, which: impl Fn(&str) -> bool) -> Result<(), String> {
        let folder = log.parent().unwrap();
        let of_log = |path: &Path| {
            path == log
                || folder.starts_with(path)
                || path.starts_with(log.with_extension("blobs"))
                || path.parent() == Some(folder)
        };
        for (path, file) in self.0.iter().filter(|(path, _)| of_log(path)) {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !name.starts_with(".new-") && which(&name) && (file.unnamed || file.unsynced) {
                return Err(format!("{}: {file:?}", path.display()));
            }
        }
        Ok(())
    }
}

/// Runs the program under `strace` and returns the calls on one folder.
fn traced(house: &House, args: &[&str]) -> Vec<Call> {
    let trace = house.path("trace.log");
    let mut command = house.other("strace");
    command.args(["-f", "-y", "-qq", "-a", "1", "-s", "0", "-e", &format!("trace={CALLS}"), "-o"]);
    command.arg(&trace).arg(PROGRAM).args(args);
    let ran = command.output().unwrap();
    assert!(ran.status.success(), "{args:?}: {}", String::from_utf8_lossy(&ran.stderr));
    let mut begun: BTreeMap<String, String> = BTreeMap::new();
    let mut calls = vec![];
    for line in fs::read_to_string(trace).unwrap().lines() {
        let Some((thread, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(start) = rest.strip_suffix(" <unfinished ...>") {
            begun.insert(thread.into(), start.into());
        } else if let Some(end) = rest.strip_prefix("<... ") {
            let Some((_, end)) = end.split_once(" resumed>") else { continue };
            calls.extend(begun.remove(thread).and_then(|start| call(&(start + end))));
        } else {
            calls.extend(call(rest));
        }
    }
    let data = house.path("data").canonicalize().unwrap();
    // locks matter only to running programs
    let counts = |path: &Path| {
        (path.starts_with(&data) || data.starts_with(path))
            && path.extension().is_none_or(|ending| ending != "lock")
    };
    calls.retain(|call| match call {
        Call::Made(path) | Call::Wrote(path) | Call::Cut(path) | Call::Synced(path) => counts(path),
        Call::Renamed(_, path) | Call::Linked(_, path) => counts(path),
    });
    calls
}

/// Parses a line of a trace.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once('(')?;
    let (args, result) = rest.rsplit_once(") = ")?;
    if result.starts_with('-') {
        return None;
    }
    let quoted: Vec<PathBuf> = args.split('"').skip(1).step_by(2).map(Into::into).collect();
    let of = |text: &str| Some(PathBuf::from(text.split_once('<')?.1.split_once('>')?.0));
    Some(match name {
        "openat" if args.contains("O_CREAT") => Call::Made(of(result)?),
        "mkdir" => Call::Made(quoted[0].clone()),
        "write" => Call::Wrote(of(args)?),
        "ftruncate" => Call::Cut(of(args)?),
        "fsync" | "fdatasync" => Call::Synced(of(args)?),
        "link" | "linkat" => Call::Linked(quoted[0].clone(), quoted[1].clone()),
        _ if name.starts_with("rename") => Call::Renamed(quoted[0].clone(), quoted[1].clone()),
        _ => return None,
    })
}

/// Runs all operations that write a session: a new one with a long text in new folders, a resume after a torn line, and
/// a repair with a rescue file. Returns the calls of each, and the path of the log.
fn runs(house: &House) -> (Vec<(&'static str, Vec<Call>)>, PathBuf) {
    fs::create_dir_all(house.path("data")).unwrap();
    let log = house.path("data").canonicalize().unwrap().join("new/folders/s.jsonl");
    let path = log.to_str().unwrap();
    let scenario = "title = \"Long\"\n[[participant]]\nid = \"a\"\n\
        script = [\"sh\", \"-c\", \"head -c 70000 /dev/zero | tr '\\\\0' a\"]\n\
        [[participant]]\nid = \"b\"\nlines = [\"One.\"]\n[limits]\nutterances = 3\n";
    let scenario = house.file("long.toml", scenario);
    let headless = ["--headless", "--trust", "--max-utterances"];
    let run = ["run", &scenario, "--out-session", path, headless[0], headless[1]];
    let mut runs = vec![("run", traced(house, &run))];
    let mut bytes = fs::read(&log).unwrap();
    bytes.extend(b"{\"seq\":99,\"at");
    fs::write(&log, &bytes).unwrap();
    let resume = ["resume", path, headless[0], headless[1], headless[2], "5"];
    runs.push(("resume", traced(house, &resume)));
    let text = fs::read_to_string(&log).unwrap();
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(log.with_extension("rescue.jsonl"), lines.pop().unwrap()).unwrap();
    lines[5] = "damage\n";
    fs::write(&log, lines.concat()).unwrap();
    runs.push(("repair", traced(house, &["sessions", "repair", path])));
    (runs, log)
}

#[test]
#[ignore = "needs strace: cargo test --test terminal a_cut_of_the_power -- --ignored --nocapture"]
fn a_cut_of_the_power_loses_nothing_and_no_sync_is_idle() {
    let house = House::new();
    let (runs, log) = runs(&house);
    let mut taken_out = 0;
    let mut idle = vec![];
    for (name, calls) in &runs {
        Model::follow(calls, &log).unwrap_or_else(|lost| panic!("{name}: {lost}\n{calls:#?}"));
        for (at, call) in calls.iter().enumerate() {
            let Call::Synced(path) = call else { continue };
            let mut without = calls.clone();
            without.remove(at);
            // syncs of the log are removed together, because a later one makes up for an earlier one
            if *path == log {
                without.retain(|other| other != call);
            }
            taken_out += 1;
            if Model::follow(&without, &log).is_ok() {
                idle.push(format!("{name}: {call:?} at {at}"));
            }
        }
    }
    let calls: usize = runs.iter().map(|(_, calls)| calls.len()).sum();
    println!("{calls} calls of 3 programs, {taken_out} syncs taken out, {} unnoticed", idle.len());
    assert!(taken_out >= 12 && idle.is_empty(), "{idle:#?}\n{runs:#?}");
}
