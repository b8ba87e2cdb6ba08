//! Folders and results of a batch from an untrusted source: links, pipes, devices, foreign files.

use crate::batches::{SOLVER, at, item, results};
use crate::house::{House, end};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Stdio;

/// Writes a scenario and two items; returns the arguments of a batch over them into `out`.
fn batch(house: &House) -> Vec<String> {
    let scenario = house.file("solver.toml", SOLVER);
    let items = house.file("items.jsonl", &format!("{}{}", item(1), item(2)));
    ["batch", &scenario, "--items", &items, "--out", &at(house, "out")].map(String::from).to_vec()
}

fn run(house: &House, args: &[String]) -> crate::house::Ran {
    house.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

fn pipe(path: &Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
}

#[test]
fn refuses_links_pipes_and_files_of_others_in_the_folder() {
    const PROFILE: &str = "alias ls=ls\n";
    // (name in the folder, true if the link points to a folder)
    let links = [
        ("out", true),
        ("out/results.jsonl", false),
        ("out/batch.json", false),
        ("out/sessions", true),
        ("out/sessions/solver", true),
    ];
    for (name, to_folder) in links {
        let house = House::new();
        let args = batch(&house);
        house.file("elsewhere/profile", PROFILE);
        let target = if to_folder { "elsewhere" } else { "elsewhere/profile" };
        let link = house.path(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(house.path(target), &link).unwrap();
        let ran = run(&house, &args).code(2);
        assert!(ran.err.contains("it is a link"), "{name}: {}", ran.err);
        assert!(ran.err.contains("choose another --out"), "{name}: {}", ran.err);
        assert_eq!(fs::read_to_string(house.path("elsewhere/profile")).unwrap(), PROFILE, "{name}");
        assert_eq!(fs::read_dir(house.path("elsewhere")).unwrap().count(), 1, "{name}");
    }
    for (name, text) in [
        ("out/results.jsonl", PROFILE),
        ("out/batch.json", PROFILE),
        ("out/batch.json", "{\"name\":\"package\",\"version\":1}"),
        ("out/sessions", PROFILE),
    ] {
        let house = House::new();
        let args = batch(&house);
        let path = house.file(name, text);
        let ran = run(&house, &args).code(2);
        assert!(ran.err.contains("choose another --out"), "{name}: {}", ran.err);
        assert_eq!(fs::read_to_string(path).unwrap(), text, "{name}");
    }
    for name in ["out/results.jsonl", "out/batch.json"] {
        let house = House::new();
        let args = batch(&house);
        fs::create_dir(house.path("out")).unwrap();
        pipe(&house.path(name));
        let ran = run(&house, &args).code(2);
        assert!(ran.err.contains("not a regular file"), "{name}: {}", ran.err);
    }
}

#[test]
fn does_not_merge_through_a_link() {
    let house = House::new();
    run(&house, &batch(&house)).code(0);
    symlink(house.path("absent"), house.path("all.jsonl")).unwrap();
    let from = at(&house, "out/results.jsonl");
    let to = at(&house, "all.jsonl");
    let ran = house.run(&["batch", "merge", &from, "-o", &to]).code(3);
    assert!(ran.err.contains("is not replaced"), "{}", ran.err);
    assert!(!house.path("absent").exists());
}

/// Files of the first version of `batch`, which had no recognisable header.
#[test]
fn goes_on_in_a_folder_of_an_older_program() {
    let house = House::new();
    let args = batch(&house);
    run(&house, &args).code(0);
    let text = fs::read_to_string(house.path("out/batch.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    fs::write(house.path("out/batch.json"), format!("{value:#}\n")).unwrap();
    let first = results(&house, "out/results.jsonl").remove(0).to_string();
    // a kill may cut the first line too
    for cut in ["{\"ver", &first[..first.len() / 2]] {
        fs::write(house.path("out/results.jsonl"), cut).unwrap();
        let ran = run(&house, &args).code(0);
        assert!(ran.err.contains("line 1: not a result"), "{}", ran.err);
        let sessions = fs::read_dir(house.path("out/sessions/solver")).unwrap();
        let names = sessions.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| name.ends_with(".jsonl")).count(), 2);
    }
}

#[test]
fn files_are_private_whatever_the_umask() {
    for umask in ["000", "022", "077"] {
        let house = House::new();
        let args = batch(&house);
        let script = format!("umask {umask}; exec \"$0\" \"$@\"");
        end(house.shell(&script, &args).spawn().unwrap()).code(0);
        let mut waiting = vec![house.path("out")];
        let mut seen = 0;
        while let Some(path) = waiting.pop() {
            let found = path.symlink_metadata().unwrap();
            let expected = if found.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(found.permissions().mode() & 0o777, expected, "{umask}: {path:?}");
            seen += 1;
            if found.is_dir() {
                waiting.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        assert!(seen >= 7, "{umask}: {seen} files and folders");
    }
}

#[test]
fn reports_and_merges_only_regular_files_with_short_lines() {
    let house = House::new();
    run(&house, &batch(&house)).code(0);
    let good = fs::read_to_string(house.path("out/results.jsonl")).unwrap();
    pipe(&house.path("pipe"));
    symlink("/dev/zero", house.path("zero")).unwrap();
    let sparse = fs::File::create(house.path("sparse")).unwrap();
    sparse.set_len(4 << 40).unwrap();
    house.file("long", &format!("{}\n{good}", "x".repeat(3 << 20)));
    house.file("many", &"x\n".repeat(2_000));
    for (name, why) in [
        ("pipe", "a named pipe, not a regular file"),
        ("zero", "a link out of its folder"),
        ("sparse", "larger than 512 MiB"),
        ("many", "more than 1000 lines are not results"),
    ] {
        let path = at(&house, name);
        let report = house.run(&["batch", "report", &path]).code(2);
        assert!(report.err.contains(why), "{name}: {}", report.err);
        let merge = house.run(&["batch", "merge", &path, "-o", &at(&house, "all.jsonl")]).code(3);
        assert!(merge.err.contains("not merged"), "{name}: {}", merge.err);
    }
    let report = house.run(&["batch", "report", &at(&house, "long")]).code(0);
    assert!(report.err.contains("line 1: not a result; skipped"), "{}", report.err);
    assert!(report.out.contains("solver      2"), "{}", report.out);
    // an unclosed quotation mark does not swallow the whole file
    let items = house.file("items.csv", &format!("id,question\n1,\"{}", "x,\n".repeat(400_000)));
    let scenario = at(&house, "solver.toml");
    let csv = house.run(&["batch", &scenario, "--items", &items]).code(3);
    assert!(csv.err.contains("line 2: a row of more than 1 MiB"), "{}", csv.err);
}

/// A foreign session in the place of an item's: finished, unfinished, or a link to one of the user's sessions.
#[test]
fn neither_counts_nor_resumes_sessions_of_others() {
    let house = House::new();
    let args = batch(&house);
    run(&house, &args).code(0);
    let own = fs::read_to_string(house.path("out/sessions/solver/1.jsonl")).unwrap();
    let other = fs::read_to_string(house.path("out/sessions/solver/2.jsonl")).unwrap();
    let half: String = other.lines().take(4).map(|line| format!("{line}\n")).collect();
    for (name, planted) in [("whole", &other), ("half", &half), ("link", &half)] {
        fs::remove_dir_all(house.path("out")).unwrap();
        let path = house.path("out/sessions/solver/1.jsonl");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let target = if name == "link" { house.path("mine.jsonl") } else { path.clone() };
        fs::write(&target, planted).unwrap();
        if name == "link" {
            symlink(&target, &path).unwrap();
        }
        let ran = run(&house, &args).code(0);
        assert!(ran.err.contains("1.jsonl: not a session of this batch"), "{name}: {}", ran.err);
        assert_eq!(&fs::read_to_string(&target).unwrap(), planted, "{name}");
        let all = results(&house, "out/results.jsonl");
        let line = all.iter().find(|line| line["item"] == "1").unwrap();
        assert_eq!(line["session"], "sessions/solver/1~2.jsonl", "{name}");
        assert_eq!(line["answered"]["answer"], "1", "{name}");
    }
    // a session of this very item is reused
    fs::remove_dir_all(house.path("out")).unwrap();
    house.file("out/sessions/solver/1.jsonl", &own);
    let ran = run(&house, &args).code(0);
    assert!(!ran.err.contains("not a session"), "{}", ran.err);
    assert!(!house.path("out/sessions/solver/1~2.jsonl").exists());
}

/// Parts of a batch that start at the same time all leave their note.
#[test]
fn parts_in_one_folder_lose_no_note_of_a_run() {
    let house = House::new();
    let args = batch(&house);
    house.file("items.jsonl", &(1..5).map(item).collect::<String>());
    let parts = ["1/4", "2/4", "3/4", "4/4"];
    let started: Vec<_> = parts
        .iter()
        .map(|part| {
            let words: Vec<&str> =
                args.iter().map(String::as_str).chain(["--shard", part]).collect();
            let mut command = house.command(&words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    started.into_iter().for_each(|child| drop(child.wait_with_output().unwrap()));
    let made = fs::read_to_string(house.path("out/batch.json")).unwrap();
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    let mut noted: Vec<&str> =
        made["runs"].as_array().unwrap().iter().map(|run| run["shard"].as_str().unwrap()).collect();
    noted.sort_unstable();
    assert_eq!(noted, parts);
}

#[test]
fn a_link_out_of_its_folder_is_refused_with_the_command_that_takes_its_target() {
    let house = House::new();
    let args = batch(&house);
    run(&house, &args).code(0);
    fs::create_dir(house.path("near")).unwrap();
    symlink(house.path("items.jsonl"), house.path("near/items.jsonl")).unwrap();
    symlink(house.path("out/results.jsonl"), house.path("near/results.jsonl")).unwrap();
    let scenario = at(&house, "solver.toml");
    let items = at(&house, "near/items.jsonl");
    let refused = house.run(&["batch", &scenario, "--items", &items]).code(2).err;
    let target = house.path("items.jsonl").canonicalize().unwrap();
    let fix = format!("name the file itself: batch --items {}", target.display());
    assert!(refused.contains("a link out of its folder") && refused.contains(&fix), "{refused}");
    let refused = house.run(&["batch", "report", &at(&house, "near")]).code(2).err;
    let target = house.path("out/results.jsonl").canonicalize().unwrap();
    let fix = format!("name the file itself: batch report {}", target.display());
    assert!(refused.contains(&fix), "{refused}");
}
