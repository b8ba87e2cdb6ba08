//! Sockets of the file system, for clients on this machine: streams of lines with a length limit.

use futures::StreamExt;
use std::io;
use std::path::Path;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio_util::bytes::BytesMut;
use tokio_util::codec::{Decoder, FramedRead, LinesCodec, LinesCodecError};

/// The process at the other end of a connection, as reported by the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalPeer {
    /// User of the process.
    pub uid: u32,
    /// Id of the process that connected; `None` if the system does not report it.
    pub pid: Option<i32>,
}

/// Fault of a received line.
#[derive(Debug, thiserror::Error)]
pub enum LineFault {
    /// The line exceeds the limit, in bytes.
    #[error("a line is longer than {0} bytes")]
    TooLong(usize),
    /// The connection broke, or the line is not UTF-8.
    #[error("the connection broke: {0}")]
    Broken(std::io::Error),
}

/// A socket that accepts connections.
#[derive(Debug)]
pub struct LocalListener(UnixListener);

impl LocalListener {
    /// Creates a socket at a path that does not exist. Needs a runtime with I/O.
    ///
    /// # Errors
    /// If the path exists or is too long, or the system refuses.
    pub fn bind(path: &Path) -> io::Result<LocalListener> {
        UnixListener::bind(path).map(LocalListener)
    }

    /// Waits for the next connection. Cancel safe.
    ///
    /// # Errors
    /// If the system refuses, or does not report the peer.
    pub async fn accept(&self) -> io::Result<(LocalStream, LocalPeer)> {
        let (stream, _) = self.0.accept().await?;
        let peer = stream.peer_cred()?;
        let peer = LocalPeer { uid: peer.uid(), pid: peer.pid() };
        Ok((LocalStream(stream), peer))
    }
}

/// A connection.
#[derive(Debug)]
pub struct LocalStream(UnixStream);

impl LocalStream {
    /// Connects to a socket of the same user. Needs a runtime with I/O.
    ///
    /// # Errors
    /// If there is no socket at the path, or nobody listens, or another user does.
    pub async fn connect(path: &Path) -> io::Result<LocalStream> {
        let stream = UnixStream::connect(path).await?;
        if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::other("the socket belongs to another user"));
        }
        Ok(LocalStream(stream))
    }

    /// Splits the connection into lines of at most `max` bytes and a writer.
    pub fn into_lines(self, max: usize) -> (LineReader, LineWriter) {
        let (read, write) = self.0.into_split();
        let lines = FramedRead::new(read, WholeLines(LinesCodec::new_with_max_length(max)));
        (LineReader { lines, max }, LineWriter(write))
    }
}

/// Lines with their newlines: a peer that dies leaves half a line, which counts as nothing.
#[derive(Debug)]
struct WholeLines(LinesCodec);

impl Decoder for WholeLines {
    type Item = String;
    type Error = LinesCodecError;

    fn decode(&mut self, bytes: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        self.0.decode(bytes)
    }

    fn decode_eof(&mut self, bytes: &mut BytesMut) -> Result<Option<String>, LinesCodecError> {
        let line = self.0.decode(bytes)?;
        if line.is_none() {
            bytes.clear();
        }
        Ok(line)
    }
}

/// Receiving end of a connection.
#[derive(Debug)]
pub struct LineReader {
    lines: FramedRead<OwnedReadHalf, WholeLines>,
    max: usize,
}

impl LineReader {
    /// Waits for the next line, without its newline; `None` after the last one. Cancel safe.
    ///
    /// # Errors
    /// [`LineFault`]; the rest of the stream is not readable then.
    pub async fn next(&mut self) -> Option<Result<String, LineFault>> {
        let line = self.lines.next().await?;
        Some(line.map_err(|e| match e {
            LinesCodecError::MaxLineLengthExceeded => LineFault::TooLong(self.max),
            LinesCodecError::Io(e) => LineFault::Broken(e),
        }))
    }
}

/// Sending end of a connection; dropping it ends the stream.
#[derive(Debug)]
pub struct LineWriter(OwnedWriteHalf);

impl LineWriter {
    /// Sends whole lines with their newlines. Not cancel safe: a part may have been sent.
    pub async fn send(&mut self, lines: &str) -> io::Result<()> {
        self.0.write_all(lines.as_bytes()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines of at most 8 bytes in a text that a peer sends before it ends.
    async fn received(text: &str) -> Vec<Result<String, String>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let listener = LocalListener::bind(&path).unwrap();
        assert!(LocalListener::bind(&path).is_err(), "a path of another socket");
        let sender = LocalStream::connect(&path).await.unwrap();
        let (receiver, peer) = listener.accept().await.unwrap();
        assert_eq!(peer.uid, rustix::process::geteuid().as_raw());
        assert!(peer.pid.is_none_or(|pid| u32::try_from(pid) == Ok(std::process::id())));
        let (_kept, mut writer) = sender.into_lines(8);
        writer.send(text).await.unwrap();
        drop(writer);
        let (mut lines, _kept) = receiver.into_lines(8);
        let mut all = vec![];
        while let Some(line) = lines.next().await {
            let is_last = line.is_err();
            all.push(line.map_err(|fault| fault.to_string()));
            if is_last {
                break;
            }
        }
        all
    }

    #[tokio::test]
    async fn lines_arrive_whole_and_in_order_or_not_at_all() {
        let lines = |all: &[&str]| all.iter().map(|line| Ok((*line).into())).collect::<Vec<_>>();
        for (text, expected) in [
            ("one\ntwo\n", lines(&["one", "two"])),
            ("one\r\n\n12345678\n", lines(&["one", "", "12345678"])),
            // a peer that died within a line
            ("one\ntw", lines(&["one"])),
            ("", lines(&[])),
        ] {
            assert_eq!(received(text).await, expected, "{text:?}");
        }
        let long = received("one\n123456789\ntwo\n").await;
        let fault = Err("a line is longer than 8 bytes".to_owned());
        assert_eq!(long, [lines(&["one"]), vec![fault]].concat());
    }

    #[tokio::test]
    async fn a_socket_that_nobody_opened_or_reads_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        assert!(LocalStream::connect(&path).await.is_err());
        drop(LocalListener::bind(&path).unwrap());
        assert!(LocalStream::connect(&path).await.is_err());
        let long = folder.path().join("x".repeat(200));
        assert!(LocalListener::bind(&long).is_err());
    }
}
