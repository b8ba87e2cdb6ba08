//! Splits a session into blocks of whole lines, so that a long one is never in memory as a whole.

use super::codec::{ENVELOPE_BYTES, checked};
use crate::model::Seq;
use memchr::memmem::Finder;
use std::io::{self, Read};
use std::sync::LazyLock;

/// Approximate size of a block, in bytes.
const BLOCK_BYTES: usize = 64 * 1024;

/// Splits the input into blocks that end with a newline, except the last.
pub(super) struct Blocks<R> {
    from: R,
    rest: Vec<u8>,
}

impl<R: Read> Blocks<R> {
    /// Starts reading.
    pub(super) fn new(from: R) -> Blocks<R> {
        Blocks { from, rest: vec![] }
    }

    /// Returns the next block; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            block.reserve(BLOCK_BYTES + 1);
            let looked = block.len();
            let read = self.from.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block)?;
            if read == 0 {
                return Ok((!block.is_empty()).then_some(block));
            }
            let fresh = block.get(looked..).unwrap_or_default();
            if let Some(at) = memchr::memrchr(b'\n', fresh) {
                self.rest = block.split_off(looked + at + 1);
                return Ok(Some(block));
            }
        }
    }
}

/// Separator before the data of an event.
const DATA: &[u8] = b",\"data\":";
static DATA_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(DATA));

/// Returns the number of a line of pieces, without parsing them; `None` if it has none or its checksum is wrong.
pub(super) fn seq_of_pieces(line: &[u8]) -> Option<Seq> {
    const KIND: &[u8] = b"\"kind\":\"delta\"";
    // quotes inside of strings are escaped, so the first match begins the data
    let at = DATA_FINDER.find(line.get(..ENVELOPE_BYTES.min(line.len()))?)?;
    if !line.get(..at)?.ends_with(KIND) {
        return None;
    }
    let digits = checked(line).ok()?.strip_prefix("{\"seq\":")?.split(',').next()?;
    digits.parse().ok().map(Seq)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::{Delta, Warning};
    use crate::model::piece::PieceRun;
    use crate::model::{Channel, Event, Kind, Ms, ThreadId, TurnId, Wall};
    use crate::session::encode;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Reader that returns a few bytes per call.
    struct Drops(Vec<u8>, usize, Arc<AtomicUsize>);

    impl Drops {
        fn parse_drops(text: &str, drops: usize) -> Drops {
            Drops(text.into(), drops, Arc::default())
        }
    }

    impl Read for Drops {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let at = self.2.load(Ordering::SeqCst);
            let len = self.1.min(self.0.len() - at).min(into.len());
            into[..len].copy_from_slice(&self.0[at..at + len]);
            self.2.store(at + len, Ordering::SeqCst);
            Ok(len)
        }
    }

    #[test]
    fn blocks_are_whole_lines_in_order_and_lose_nothing() {
        let many = "some words of a line\n".repeat(3 * BLOCK_BYTES / 20);
        let endless = "x".repeat(2 * BLOCK_BYTES + 7) + "\ny";
        for text in ["", "a", "\n", "a\nbb\n\nccc", "one\n", "a\nb\nc\n", &many, &endless] {
            for drops in [1 << 16, 999] {
                let mut blocks = Blocks::new(Drops::parse_drops(text, drops));
                let all: Vec<Vec<u8>> = std::iter::from_fn(|| blocks.next().unwrap()).collect();
                assert!(all.concat() == text.as_bytes(), "{} bytes differ", text.len());
                let (_, before) = all.split_last().unwrap_or((&vec![], &[]));
                assert!(before.iter().all(|b| b.ends_with(b"\n")), "{} bytes", text.len());
            }
        }
    }

    #[test]
    fn one_block_is_read_at_a_time() {
        let text = "some words of a line\n".repeat(4 * BLOCK_BYTES);
        let from = Drops::parse_drops(&text, 1 << 20);
        let read = from.2.clone();
        assert!(Blocks::new(from).next().unwrap().is_some());
        assert!(read.load(Ordering::SeqCst) <= BLOCK_BYTES, "of {} bytes", text.len());
    }

    #[test]
    fn read_error_is_not_end_of_file() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        let mut blocks = Blocks::new(b"a\n".chain(Broken));
        let read = std::iter::from_fn(|| Some(blocks.next()));
        assert!(read.take(2).any(|read| read.is_err()));
    }

    fn line_of(kind: impl Into<Kind>) -> String {
        let event = Event {
            seq: Seq(17),
            at: Wall(0),
            ms: Ms(0),
            thread: ThreadId(9),
            by: "engine".into(),
            cause: None,
            kind: kind.into(),
        };
        encode(&event).unwrap()
    }

    #[test]
    fn pieces_are_known_by_their_envelope_and_no_other_event_is_taken_for_them() {
        let run = |turn| PieceRun(TurnId(turn), Channel::Say, "a\"b".into(), vec![3, 0]);
        let delta = Delta { pieces: vec![run(4), run(7)] };
        let line = line_of(delta);
        let expected = Some(Seq(17));
        assert_eq!(seq_of_pieces(line.as_bytes()), expected);
        assert_eq!(seq_of_pieces(line.trim_end().as_bytes()), expected);
        let mut hurt = line.clone().into_bytes();
        hurt[8] ^= 1;
        assert_eq!(seq_of_pieces(&hurt), None);
        let says = Warning { text: r#","kind":"delta","data":{"#.into(), about: None };
        let other = line_of(says);
        assert_eq!(seq_of_pieces(other.as_bytes()), None);
        let body = r#"{"seq":4,"at":"2026-11-21T20:31:05.000Z","ms":1,"by":"x","kind":"other","data":{"a":{"kind":"delta","data":1}}"#;
        let line = format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()));
        assert_eq!(seq_of_pieces(line.as_bytes()), None);
    }
}
