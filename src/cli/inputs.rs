//! Text inputs named by options: files, or standard input, which only one option can read.

use crate::cli::args::{Play, SteerSource};
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::model::{Key, SteerLine};
use crate::{steer, text, untrusted};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::{File, metadata};
use std::io::{self, BufRead, Read, stdin};

/// Maximum size of an input, in bytes.
const INPUT_MAX_BYTES: u64 = 1 << 20;

/// Rejects a second input from standard input. Each input is a name, and true if it reads standard input.
pub fn one_reader<'a>(inputs: impl IntoIterator<Item = (&'a str, bool)>) -> Result<(), Failure> {
    let readers: Vec<&str> =
        inputs.into_iter().filter(|(_, reads)| *reads).map(|(name, _)| name).collect();
    match readers[..] {
        [a, b, ..] => Err(Failure::usage(
            format!("{a} and {b} cannot both read standard input"),
            "use a file for one of them",
        )),
        [_] | [] => Ok(()),
    }
}

/// Says after a moment without input that standard input is read, and how to stop.
pub fn await_stdin(what: &str) {
    let moment = Timespec { tv_sec: 0, tv_nsec: 800_000_000 };
    if let Ok(0) = poll(&mut [PollFd::new(&stdin(), PollFlags::IN)], Some(&moment)) {
        output::print(&format!("waiting for {what} on standard input; Ctrl-C stops"));
    }
}

/// Returns whether standard input has a line other than blank lines and comments, which it skips. The line stays unread.
pub fn has_line(what: &str) -> bool {
    await_stdin(what);
    let mut from = stdin().lock();
    // a broken input ends, as for the reader of the lines
    while let Ok(ahead) = from.fill_buf()
        && !ahead.is_empty()
    {
        let text = ahead.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let line = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let blank = text.len() - line.len();
        if line.starts_with('#') {
            if from.skip_until(b'\n').is_err() {
                return false;
            }
        } else if blank == ahead.len() {
            from.consume(blank);
        } else {
            return true;
        }
    }
    false
}

/// Reads all of standard input as text.
pub fn read_stdin(what: &str) -> Result<String, Failure> {
    await_stdin(what);
    let bytes = read_capped(stdin().lock()).map_err(|e| {
        Failure::usage(
            format!("cannot read {what} from standard input: {e}"),
            "pipe some text into it",
        )
    })?;
    as_text(&format!("{what} from standard input"), bytes)
}

/// Reads a file named by an option, as text.
///
/// An open pipe, as in `--steer <(...)`, is read to its end. Named pipes are rejected, because opening one may block
/// forever.
pub fn read_file(what: &str, path: &str) -> Result<String, Failure> {
    let read = if is_pipe(path) {
        File::open(path).and_then(read_capped)
    } else {
        untrusted::read(path.as_ref())
    };
    let bytes = read.map_err(|e| {
        let fix = "name a file or a pipe of at most 1 MiB; `-` reads standard input where an option takes it";
        Failure::usage(format!("cannot read {what} {path}: {e}"), fix)
    })?;
    as_text(&format!("{what} {path}"), bytes)
}

fn is_pipe(path: &str) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let open = ["/dev/fd/", "/proc/self/fd/", "/dev/stdin"].iter().any(|at| path.starts_with(at));
    open && metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

fn read_capped(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(INPUT_MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > INPUT_MAX_BYTES {
        return Err(io::Error::other(format!("more than {INPUT_MAX_BYTES} bytes")));
    }
    Ok(bytes)
}

fn as_text(what: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    let read = text::decode_file(bytes)
        .map_err(|why| Failure::new(Exit::Invalid, format!("cannot read {what}: {why}")))?;
    text::encoding_note(what, read.guess).iter().for_each(|note| output::print(note));
    Ok(read.text)
}

/// Reads the lines of the steer file; empty if none exists.
pub fn steer_lines(play: &Play) -> Result<Vec<(Key, SteerLine)>, Failure> {
    let Some(SteerSource::File(path)) = &play.steer else { return Ok(vec![]) };
    let text = read_file("the steer file", path)?;
    steer::read_file(&text).map_err(|bad| {
        let lines: Vec<String> = bad.iter().map(|b| format!("{path}, {b}")).collect();
        Failure::new(Exit::Invalid, lines.join("\n"))
            .hint("`colloquium schema steer` lists every command and its fields")
    })
}
