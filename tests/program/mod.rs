//! Processes of tests: their only constructor, the programs that tests write, and the path of the built program.
//!
//! A process inherits nothing from the person who runs the tests: neither environment, folders, umask nor ignored
//! signals.
#![allow(dead_code, reason = "each test program uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

pub mod silent;

use portable_pty::CommandBuilder;
use rustix::fs::Mode;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Path of the built program; unit tests have none.
pub const PROGRAM: &str = match option_env!("CARGO_BIN_EXE_colloquium") {
    Some(path) => path,
    None => "",
};

/// Time after which a process counts as hanging, with four tests at once on each core.
pub const HANG: Duration = Duration::from_secs(300);

/// Interval between two looks at a state that the system does not report.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Search path of programs.
pub const PATH: &str = "/usr/bin:/bin";

/// Variable with which `cargo llvm-cov` names the file of a measured program.
const MEASURED: &str = "LLVM_PROFILE_FILE";

/// Folders of a person, each below their home.
const FOLDERS: [(&str, &str); 4] = [
    ("XDG_CONFIG_HOME", ".config"),
    ("XDG_DATA_HOME", ".local/share"),
    ("XDG_STATE_HOME", ".local/state"),
    ("XDG_CACHE_HOME", ".cache"),
];

/// Waits until another process has caused a state that the system does not report: calls `look` until it returns a
/// value. Leaves the processor to that process between two looks. Wait for a line, a pipe or an exit if there is one.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < HANG, "never: {what}");
        std::thread::park_timeout(LOOK_EVERY);
    }
}

/// Creates a temporary home. Sets the usual umask: the files of a test have the modes that it expects.
pub fn home() -> TempDir {
    rustix::process::umask(Mode::from_raw_mode(0o022));
    tempfile::tempdir().unwrap()
}

/// Returns the whole environment of a process.
pub fn environment(home: &Path) -> Vec<(&'static str, OsString)> {
    let mut all = vec![
        ("PATH", PATH.into()),
        ("HOME", home.into()),
        // texts with a date are the same every day
        ("SOURCE_DATE_EPOCH", "1767225600".into()),
    ];
    all.extend(FOLDERS.map(|(name, folder)| (name, home.join(folder).into())));
    all.extend(std::env::var_os(MEASURED).map(|file| (MEASURED, file)));
    all
}

/// Returns a command that runs a program in a home.
pub fn command(program: impl AsRef<OsStr>, home: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(environment(home)).current_dir(home).stdin(Stdio::null());
    command
}

/// Returns a command that runs the built program in a home, with default signal handlers. The caller of the tests may
/// ignore some signals (`nohup`, `&` of a shell), and ignored signals stay ignored in child processes.
pub fn colloquium(home: &Path) -> Command {
    if cfg!(not(target_os = "linux")) {
        return command(PROGRAM, home);
    }
    let mut command = command("env", home);
    command.args(["--default-signal=HUP,INT,QUIT,TERM", PROGRAM]);
    command
}

/// Writes an executable file. A child process writes it: children that other threads start inherit a file that this
/// process writes, and the system does not run a file that any process has open for writing ("Text file busy").
pub fn write_program(path: &Path, text: &str) {
    let folder = path.parent().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    let mut shell = command("sh", folder);
    shell.args(["-c", "cat > \"$0\" && chmod 755 \"$0\""]).arg(path).stdin(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "{}", path.display());
}

/// Returns a command for a terminal, which runs a program in a home.
pub fn terminal_command(program: impl AsRef<OsStr>, home: &Path) -> CommandBuilder {
    let mut command = CommandBuilder::new(program);
    command.env_clear();
    environment(home).into_iter().for_each(|(name, value)| command.env(name, value));
    command.env("TERM", "xterm-256color");
    command.cwd(home);
    command
}
