//! A temporary home for one test, the binary in it, and small scenarios.

use crate::program::{self, HANG, PROGRAM};
use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use tempfile::TempDir;

/// Result of a command.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// Returns the result if the exit code matches; panics with the whole output otherwise.
    #[track_caller]
    pub fn code(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "out: {}\nerr: {}", self.out, self.err);
        self
    }
}

/// Runs a command, and prints its exit code and its peak memory in KiB.
const WAIT: &str = "import os, subprocess, sys
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, used = os.wait4(child.pid, 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss)";

/// A temporary home with a data folder.
pub struct House {
    pub home: TempDir,
}

impl House {
    pub fn new() -> House {
        House { home: program::home() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file and returns its path as an argument.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Writes an executable file and returns its path as an argument.
    pub fn program(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        program::write_program(&path, text);
        path.to_str().unwrap().to_owned()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.at_home(program::colloquium(self.home.path()));
        command.args(args);
        command
    }

    /// Returns a command that runs another program, with the data folder of this home.
    pub fn other(&self, program: impl AsRef<OsStr>) -> Command {
        self.at_home(program::command(program, self.home.path()))
    }

    /// Returns a shell command. The built program and its arguments are `"$0" "$@"`.
    pub fn shell(&self, script: &str, args: &[impl AsRef<OsStr>]) -> Command {
        let mut command = self.other("sh");
        command.args(["-c", script, PROGRAM]).args(args);
        command
    }

    fn at_home(&self, mut command: Command) -> Command {
        command.env("COLLOQUIUM_DATA_DIR", self.path("data"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        self.fed(args, "")
    }

    /// Runs a command with a text as standard input.
    pub fn fed(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // a program that does not read its input may have closed it
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        end(child)
    }

    /// Returns the peak memory of a successful command, in bytes, as the system counted it.
    pub fn peak(&self, args: &[&str]) -> u64 {
        let ran = self.other("python3").args(["-c", WAIT, PROGRAM]).args(args).output().unwrap();
        let out = String::from_utf8_lossy(&ran.stdout).into_owned();
        let Some(kib) = out.trim().strip_prefix("0 ") else { panic!("{args:?}: {out}{ran:?}") };
        kib.parse::<u64>().unwrap() << 10
    }

    /// Starts a command and returns its output line by line.
    pub fn start(&self, args: &[&str]) -> (Child, BufReader<ChildStdout>) {
        let mut child = self.command(args).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        (child, out)
    }

    /// Returns the sessions of this home, from `sessions list --json`.
    pub fn sessions(&self) -> Vec<serde_json::Value> {
        let list = self.run(&["sessions", "list", "--json"]).code(0);
        serde_json::from_str(&list.out).unwrap()
    }
}

/// Waits for a program to end. Kills it after [`HANG`] and fails the test.
pub fn end(child: Child) -> Ran {
    let pid = rustix::process::Pid::from_child(&child);
    let (tx, rx) = mpsc::channel();
    std::thread::spawn(move || tx.send(child.wait_with_output().unwrap()));
    let Ok(output) = rx.recv_timeout(HANG) else {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        panic!("the program did not end");
    };
    Ran {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Reads lines up to the first with all of these texts.
pub fn read_until(out: &mut BufReader<ChildStdout>, texts: &[&str]) -> String {
    let mut line = String::new();
    while !texts.iter().all(|t| line.contains(t)) || line.is_empty() {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the output ended before {texts:?}");
    }
    line
}

/// Returns a scenario of two seats with rehearsed lines of `words` words each.
pub fn talk(utterances: u32, words: usize) -> String {
    let line = |who: &str, n: usize| format!("{who}{n}{}", " word".repeat(words));
    let lines =
        |who: &str| (1..=4).map(|n| format!("{:?}", line(who, n))).collect::<Vec<_>>().join(", ");
    format!(
        "title = \"A talk\"\n[limits]\nutterances = {utterances}\n\
         [[participant]]\nid = \"ada\"\nname = \"Ada\"\npace = 4\nlines = [{}]\n\
         [[participant]]\nid = \"bo\"\nname = \"Bo\"\npace = 4\nlines = [{}]\n",
        lines("A"),
        lines("B")
    )
}

/// Returns the heads and texts of all completed messages, without notes and without text that a crash interrupted.
pub fn transcript(text: &str) -> Vec<String> {
    let kept = |b: &&str| b.starts_with('[') && !b.contains("interrupted");
    text.split("\n\n").filter(kept).map(str::to_owned).collect()
}
