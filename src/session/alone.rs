//! What each line of a session says by itself, without the lines before it: read by several threads at once.
//!
//! Whether a line is in its place is checked by the reader, one line after the other. A long file is never in memory as
//! a whole: it is read in blocks, while earlier blocks are used.

use super::codec::{Envelope, pieces_at};
use crate::model::{Event, Seq};
use std::io::{self, Read};
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::sync_channel;
use std::thread;

/// The approximate size of a block, in bytes.
const BLOCK_BYTES: usize = 1024 * 1024;
/// The size of a block without other threads, in bytes.
const SMALL_BYTES: usize = 64 * 1024;
/// Smaller files, in bytes, are read without other threads, which would cost more than they save.
pub(super) const SHORT_BYTES: u64 = 2 * 1024 * 1024;

/// How much of a file is read in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanDepth {
    /// Every event of the log.
    Whole,
    /// Every event but pieces, of which only the number and the checksum are checked.
    WithoutPieces,
}

/// The content of a line by itself, if its checksum is right.
pub(super) enum LineMeaning {
    /// The event of the line.
    Event(Box<Event>),
    /// Pieces with this `seq`, which the caller does not need.
    Pieces(Seq),
    /// Nothing without the lines around it, or nothing at all.
    Nothing,
}

/// The bytes between two newlines.
pub(super) struct RawLine {
    /// The length in bytes, with the newline.
    pub(super) len: usize,
    /// The content of the line.
    pub(super) says: LineMeaning,
}

impl LineMeaning {
    fn of(line: &[u8], depth: ScanDepth) -> LineMeaning {
        if depth == ScanDepth::WithoutPieces
            && let Some(seq) = pieces_at(line)
        {
            return LineMeaning::Pieces(seq);
        }
        let event = Envelope::read(line).ok().and_then(|envelope| envelope.event_alone());
        event.map_or(LineMeaning::Nothing, |event| LineMeaning::Event(Box::new(event)))
    }
}

/// Whole lines, one behind the other.
pub(super) struct LineBlock {
    /// The bytes of the lines.
    pub(super) bytes: Vec<u8>,
    /// What each line says.
    pub(super) lines: Vec<RawLine>,
}

impl LineBlock {
    /// Reads what lines mean; only the last may lack its newline.
    pub(super) fn read(bytes: Vec<u8>, depth: ScanDepth) -> LineBlock {
        let (mut lines, mut rest) = (vec![], bytes.as_slice());
        while !rest.is_empty() {
            let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            lines.push(RawLine { len: line.len(), says: LineMeaning::of(line, depth) });
            rest = after;
        }
        LineBlock { bytes, lines }
    }
}

/// Cuts what is read into blocks that end with a newline, all but the last.
struct Blocks<R> {
    from: R,
    /// How many bytes are read at once.
    size: usize,
    rest: Vec<u8>,
}

impl<R: Read> Blocks<R> {
    fn of(from: R, size: usize) -> Blocks<R> {
        Blocks { from, size, rest: vec![] }
    }

    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            let looked = block.len();
            let read = self.from.by_ref().take(self.size as u64).read_to_end(&mut block)?;
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

/// Reads lines in order, until `each` has enough; `long` asks for the help of other threads.
pub(super) fn read(
    from: impl Read + Send,
    long: bool,
    depth: ScanDepth,
    each: &mut dyn FnMut(LineBlock) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut blocks = Blocks::of(from, if long { BLOCK_BYTES } else { SMALL_BYTES });
    if !long {
        while let Some(bytes) = blocks.next()? {
            if each(LineBlock::read(bytes, depth)).is_break() {
                break;
            }
        }
        return Ok(());
    }
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let (mut raw, mut read) = (vec![], vec![]);
        for _ in 0..threads {
            let (to, of) = sync_channel(1);
            let (done, ready) = sync_channel(1);
            let mut blocks = of.into_iter().map(move |bytes| LineBlock::read(bytes, depth));
            scope.spawn(move || blocks.try_for_each(|block| done.send(block)));
            raw.push(to);
            read.push(ready);
        }
        // they take turns, so that the order is that of the file
        let cutting = scope.spawn(move || {
            for to in raw.iter().cycle() {
                let Some(bytes) = blocks.next()? else { break };
                if to.send(bytes).is_err() {
                    break;
                }
            }
            Ok(())
        });
        for ready in read.iter().cycle() {
            let Ok(block) = ready.recv() else { break };
            if each(block).is_break() {
                break;
            }
        }
        drop(read);
        cutting.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(self.0.len()).min(into.len());
            into[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    #[test]
    fn blocks_are_whole_lines_in_order_and_lose_nothing() {
        let many = "some words of a line\n".repeat(3 * BLOCK_BYTES / 20);
        let endless = "x".repeat(2 * BLOCK_BYTES + 7) + "\ny";
        for text in ["", "a", "\n", "a\nbb\n\nccc", "one\n", "a\nb\nc\n", &many, &endless] {
            for (long, drops) in [(false, 1 << 16), (true, 1 << 16), (true, 999)] {
                let mut blocks: Vec<Vec<u8>> = vec![];
                let mut each = |block: LineBlock| {
                    assert_eq!(block.lines.iter().map(|l| l.len).sum::<usize>(), block.bytes.len());
                    blocks.push(block.bytes);
                    ControlFlow::Continue(())
                };
                read(Drops(text.as_bytes(), drops), long, ScanDepth::Whole, &mut each).unwrap();
                assert!(blocks.concat() == text.as_bytes(), "{} bytes differ", text.len());
                let (_, before) = blocks.split_last().unwrap_or((&vec![], &[]));
                assert!(before.iter().all(|b| b.ends_with(b"\n")), "{} bytes", text.len());
            }
        }
    }

    #[test]
    fn whoever_has_enough_reads_no_further() {
        let text = "some words of a line\n".repeat(BLOCK_BYTES);
        for long in [false, true] {
            let mut blocks = 0;
            let mut each = |_: LineBlock| {
                blocks += 1;
                ControlFlow::Break(())
            };
            read(text.as_bytes(), long, ScanDepth::Whole, &mut each).unwrap();
            assert_eq!(blocks, 1);
        }
    }
}
