//! Lines of standard input and output, with a limit on their length and on their values.

use crate::cli::inputs::await_stdin;
use crate::rpc::{self, LINE_MAX, RpcFault};
use futures::{Sink, Stream, sink, stream};
use std::io::{self, BufRead, IsTerminal, Read, stdin};
use std::thread;
use tokio::io::{AsyncWriteExt, stdout};
use tokio::sync::mpsc;

/// Lines that wait to be read.
const WAITING: usize = 16;

/// Returns the lines of standard input. The text of a fault replaces a line that breaks a limit, and is answered as a
/// line that is not JSON.
///
/// The thread is never joined: a read cannot be cancelled.
pub fn input() -> io::Result<impl Stream<Item = io::Result<String>> + Send + 'static> {
    let (tx, rx) = mpsc::channel(WAITING);
    thread::Builder::new().name("acp".into()).spawn(move || {
        if stdin().is_terminal() {
            await_stdin("an editor");
        }
        let mut from = stdin().lock();
        while let Ok(Some(line)) = next_line(&mut from) {
            if !line.trim().is_empty() && tx.blocking_send(Ok(line)).is_err() {
                return;
            }
        }
    })?;
    Ok(stream::unfold(rx, async |mut rx| Some((rx.recv().await?, rx))))
}

fn next_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let read = from.by_ref().take(LINE_MAX as u64).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") && read == LINE_MAX {
        from.skip_until(b'\n')?;
        return Ok(Some(RpcFault::TooLong.to_string()));
    }
    if let Err(fault @ RpcFault::TooMany) = rpc::read(&line) {
        return Ok(Some(fault.to_string()));
    }
    Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()))
}

/// Returns standard output for lines.
pub fn output() -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(stdout(), async |mut out: tokio::io::Stdout, mut line: String| {
        line.push('\n');
        out.write_all(line.as_bytes()).await?;
        out.flush().await?;
        Ok(out)
    })
}
