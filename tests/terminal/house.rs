//! Test harness: a home directory of its own, and the program in an 80x24 terminal that records every byte.

use crate::program::{self, HANG, PROGRAM};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::fs;
use std::io::{Read, Write};
use std::process::Output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Size of the terminal in rows and columns.
const SIZE: (u16, u16) = (24, 80);
/// Marks around a frame, which a terminal shows at once.
const FRAME_BEGINS: &[u8] = b"\x1b[?2026h";
const FRAME_ENDS: &[u8] = b"\x1b[?2026l";
/// Modes that the program switches, each with the letter that undoes it.
const MODES: [(&str, char); 7] = [
    ("1049", 'l'),
    ("2004", 'l'),
    ("2026", 'l'),
    ("25", 'h'),
    ("1000", 'l'),
    ("1006", 'l'),
    ("1007", 'r'),
];

pub struct House {
    home: TempDir,
}

/// A running program.
pub struct Program {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keyboard: Box<dyn Write + Send>,
    coming: Receiver<Vec<u8>>,
    bytes: Vec<u8>,
    /// Number of bytes already shown on the screen.
    processed: usize,
    screen: vt100::Parser,
    before: String,
    gone: Arc<AtomicBool>,
}

/// State after the exit of the program.
pub struct Left {
    pub code: u32,
    /// All bytes sent to the terminal.
    pub bytes: Vec<u8>,
    /// Text printed after the screen was closed.
    pub told: String,
    before: String,
    after: String,
}

impl House {
    /// Returns a home without settings.
    pub fn new() -> House {
        House { home: program::home() }
    }

    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.home.path().join(name);
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

    /// Returns a path in the home directory.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.home.path().join(name)
    }

    /// Starts the program in a terminal.
    pub fn run(&self, args: &[&str]) -> Program {
        let mut command = self.command(PROGRAM);
        command.args(args);
        self.start(command)
    }

    /// Runs a shell command in a terminal.
    pub fn shell(&self, script: &str) -> Program {
        let mut command = self.command("/bin/sh");
        command.args(["-c", script]);
        self.start(command)
    }

    /// Runs a test of this program in a terminal.
    pub fn test(&self, name: &str) -> Program {
        let mut command = self.command(std::env::current_exe().unwrap());
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        self.start(command)
    }

    /// Returns a command for a terminal.
    pub fn command(&self, program: impl AsRef<OsStr>) -> CommandBuilder {
        program::terminal_command(program, self.home.path())
    }

    /// Starts a command in a terminal.
    pub fn start(&self, command: CommandBuilder) -> Program {
        let (rows, cols) = SIZE;
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let before = modes(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (tx, coming) = channel();
        let gone = Arc::new(AtomicBool::new(false));
        let is_gone = gone.clone();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = reader.read(&mut buffer) {
                if is_gone.load(Ordering::SeqCst) || tx.send(buffer[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keyboard = pair.master.take_writer().unwrap();
        let screen = vt100::Parser::new(rows.try_into().unwrap(), cols.try_into().unwrap(), 0);
        // only the child keeps the slave open, so its exit ends the stream
        drop(pair.slave);
        let master = pair.master;
        Program {
            child,
            master,
            keyboard,
            coming,
            bytes: vec![],
            processed: 0,
            screen,
            before,
            gone,
        }
    }

    /// Runs the program without a terminal.
    pub fn piped(&self, args: &[&str]) -> Output {
        program::colloquium(self.home.path()).args(args).output().unwrap()
    }
}

impl Program {
    /// Waits until the screen shows a text. Two keys may arrive in one read: to send a key after Esc, first wait for
    /// the effect of Esc.
    #[track_caller]
    pub fn until(&mut self, text: &str) {
        self.until_shown(text, |shown| shown.contains(text));
    }

    /// Waits until the text on the screen fulfils a condition.
    #[track_caller]
    pub fn until_shown(&mut self, what: &str, fulfils: impl Fn(&str) -> bool) {
        let begun = Instant::now();
        while !fulfils(&self.shown()) {
            assert!(begun.elapsed() < HANG, "{what:?} is not in\n{}", self.shown());
            match self.coming.recv_timeout(HANG) {
                Ok(bytes) => self.answer_queries(&bytes),
                Err(_) => panic!("never saw {what:?} in\n{}", self.shown()),
            }
        }
    }

    fn answer_queries(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.show();
    }

    /// Feeds the new bytes to the screen, up to the last complete frame, as a terminal does.
    fn show(&mut self) {
        let new = &self.bytes[self.processed..];
        let last = |sequence: &[u8]| new.windows(sequence.len()).rposition(|at| at == sequence);
        let begun = (1..FRAME_BEGINS.len()).rfind(|n| new.ends_with(&FRAME_BEGINS[..*n]));
        let whole = match (last(FRAME_BEGINS), last(FRAME_ENDS)) {
            (Some(begin), end) if end.is_none_or(|end| end < begin) => begin,
            _ => new.len() - begun.unwrap_or(0),
        };
        self.screen.process(&new[..whole]);
        self.processed += whole;
    }

    pub fn keys(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
        self.keyboard.flush().unwrap();
    }

    pub fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.child.process_id().unwrap()).unwrap();
        kill_process(Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits until a sequence was sent the given number of times.
    #[track_caller]
    pub fn until_sent(&mut self, sequence: &str, times: usize) {
        let seen = |bytes: &[u8]| String::from_utf8_lossy(bytes).matches(sequence).count();
        while seen(&self.bytes) < times {
            match self.coming.recv_timeout(HANG) {
                Ok(bytes) => self.answer_queries(&bytes),
                Err(_) => panic!(
                    "{sequence:?} came {} times, not {times}; the screen:\n{}",
                    seen(&self.bytes),
                    self.shown()
                ),
            }
        }
    }

    /// Returns the text on the screen.
    pub fn shown(&self) -> String {
        self.screen.screen().contents()
    }

    /// Returns all bytes so far.
    pub fn sent(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Waits until the process has a state as in `/proc`, such as `T` for stopped.
    #[track_caller]
    pub fn until_state(&self, wanted: char) {
        let stat = format!("/proc/{}/stat", self.child.process_id().unwrap());
        program::until(&format!("its state is {wanted}"), || {
            let stat = fs::read_to_string(&stat).unwrap();
            let state = stat.rsplit(") ").next().unwrap().chars().next().unwrap();
            (state == wanted).then_some(())
        });
    }

    /// Stops the output of the terminal: a program that writes to it waits.
    pub fn stop_output(&self) {
        let terminal = fs::File::open(format!("/proc/{}/fd/1", self.pid())).unwrap();
        rustix::termios::tcflow(&terminal, rustix::termios::Action::OOff).unwrap();
    }

    /// Waits until a thread of the program waits in a write to its terminal.
    #[track_caller]
    pub fn until_writing(&self) {
        let write = if cfg!(target_arch = "aarch64") { "64 0x1 " } else { "1 0x1 " };
        let writes = || waits(self.pid()).iter().any(|wait| wait.starts_with(write));
        program::until("it writes", || writes().then_some(()));
    }

    /// Gives the terminal another size.
    pub fn resize(&mut self, rows: u16, cols: u16) {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.screen.screen_mut().set_size(rows.try_into().unwrap(), cols.try_into().unwrap());
    }

    /// Returns the process id of the program, which may be the child of a shell.
    pub fn pid(&self) -> u32 {
        let own = self.child.process_id().unwrap();
        let children = fs::read_to_string(format!("/proc/{own}/task/{own}/children"));
        let first = children.ok().and_then(|all| all.split_whitespace().next()?.parse().ok());
        first.unwrap_or(own)
    }

    /// Waits until every thread of the program is in a wait without a timeout. Returns the system calls they wait in,
    /// and the number of times that each has gone to sleep.
    #[track_caller]
    pub fn until_asleep(&mut self) -> (Vec<String>, Vec<String>) {
        program::until("it is asleep", || {
            while let Ok(bytes) = self.coming.try_recv() {
                self.answer_queries(&bytes);
            }
            // the last thread inspected may have woken the first one before it went to sleep
            let slept = self.sleeps();
            let waits = waits(self.pid());
            let asleep = waits.iter().all(|wait| is_endless(wait)) && self.sleeps() == slept;
            asleep.then_some((waits, slept))
        })
    }

    /// Returns the number of times that each thread has gone to sleep.
    pub fn sleeps(&self) -> Vec<String> {
        let count = |task: &String| {
            let status = fs::read_to_string(format!("{task}/status")).unwrap_or_default();
            let line = status.lines().find(|l| l.starts_with("voluntary_ctxt_switches"));
            format!("{task} {}", line.unwrap_or_default())
        };
        tasks(self.pid()).iter().map(count).collect()
    }

    /// Returns the number of frames so far.
    pub fn frames(&self) -> usize {
        self.sent().matches("\u{1b}[?2026l").count()
    }

    /// Closes the terminal. Returns the exit code of the program, and the time it took to exit.
    #[track_caller]
    pub fn vanish(mut self) -> (u32, Duration) {
        self.gone.store(true, Ordering::SeqCst);
        // the reader keeps the terminal open until the next byte arrives; a smaller size causes a redraw
        let (rows, cols) = SIZE;
        let smaller = PtySize { rows: rows - 1, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(smaller).unwrap();
        drop(self.keyboard);
        drop(self.master);
        while self.coming.recv_timeout(HANG).is_ok() {}
        let begun = Instant::now();
        let status =
            program::until("it ends without its terminal", || self.child.try_wait().unwrap());
        (status.exit_code(), begun.elapsed())
    }

    /// Waits for the exit of the program.
    #[track_caller]
    pub fn left(mut self) -> Left {
        loop {
            match self.coming.recv_timeout(HANG) {
                Ok(bytes) => self.answer_queries(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it does not end:\n{}", self.screen.screen().contents());
                }
            }
        }
        let code = self.child.wait().unwrap().exit_code();
        let all = String::from_utf8_lossy(&self.bytes).into_owned();
        let told = all.rsplit("\u{1b}[?1049l").next().unwrap_or_default().to_owned();
        let after = modes(&*self.master);
        Left { code, bytes: self.bytes, told, before: self.before, after }
    }
}

impl Left {
    /// Returns the number of keyboard flags that were pushed and not popped.
    pub fn keyboards(&self) -> usize {
        let bytes = String::from_utf8_lossy(&self.bytes);
        let count = |what| bytes.matches(what).count();
        count("\u{1b}[>5u") - count("\u{1b}[<1u")
    }

    /// Asserts that every mode is undone and that the line discipline is restored.
    #[track_caller]
    pub fn restored(&self) {
        let bytes = String::from_utf8_lossy(&self.bytes);
        for (mode, undone) in MODES {
            let last = bytes.match_indices(&format!("\u{1b}[?{mode}")).last();
            let (at, set) = last.unwrap_or_else(|| panic!("mode {mode} was never switched"));
            assert_eq!(bytes[at + set.len()..].chars().next(), Some(undone), "mode {mode}");
        }
        assert_eq!(self.after, self.before, "the line discipline differs");
    }
}

fn modes(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios())
}

fn tasks(pid: u32) -> Vec<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.map(|task| task.path().display().to_string()).collect()
}

/// Returns the system call that each thread waits in: its number and its arguments.
fn waits(pid: u32) -> Vec<String> {
    let wait = |task: &String| fs::read_to_string(format!("{task}/syscall")).unwrap_or_default();
    tasks(pid).iter().map(wait).collect()
}

/// Returns whether a wait is unlimited. The timeout is the fourth argument of `epoll_wait` and `futex`, and the third
/// of `poll` and `ppoll`.
fn is_endless(wait: &str) -> bool {
    let parts: Vec<&str> = wait.split_whitespace().collect();
    let time = match parts.first() {
        #[cfg(target_arch = "x86_64")]
        Some(&"7") => parts.get(3),
        #[cfg(target_arch = "x86_64")]
        Some(&"202" | &"232" | &"281") => parts.get(4),
        #[cfg(target_arch = "x86_64")]
        Some(&"271") => parts.get(3),
        #[cfg(target_arch = "x86_64")]
        Some(&"0") => return true,
        _ => None,
    };
    // no timeout, or -1
    time.is_some_and(|t| *t == "0x0" && parts[0] != "7" || t.ends_with("ffffffff"))
}
