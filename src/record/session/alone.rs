//! Parses session lines independently of each other, on several threads.
//!
//! The reader checks the order of the lines afterwards, one by one. A long file is never in memory as a whole: it is
//! read in blocks, while earlier blocks are used.

use super::blobs;
use super::codec::{ENVELOPE_BYTES, Envelope, TRAILER_BYTES, checked};
use crate::model::{Event, Kind, Seq, TurnId};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, LazyLock};
use std::thread::{self, JoinHandle};

/// Approximate size of a block, in bytes.
const BLOCK_BYTES: usize = 256 * 1024;
/// Block size without extra threads, in bytes.
const SMALL_BYTES: usize = 64 * 1024;
/// Smaller files, in bytes, are parsed without extra threads, which would cost more than they save.
pub(super) const SHORT_BYTES: u64 = 2 * 1024 * 1024;

/// Depth of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanDepth {
    /// Every event of the log.
    Whole,
    /// Everything that a fold of the whole log needs. Pieces of turns that begin and end within one block are skipped,
    /// because `turn.ended` repeats their text; other pieces are returned as an unknown kind.
    ForFold,
    /// Every event but pieces; only the number and the checksum of pieces are checked.
    WithoutPieces,
}

/// Content of a line with a valid checksum.
pub(super) enum LineMeaning {
    /// The event of the line.
    Event(Arc<Event>),
    /// Pieces with this `seq`, which the caller does not need.
    Pieces(Seq),
    /// Nothing, or nothing that can be parsed without the lines around it.
    Nothing,
}

/// Bytes between two newlines.
pub(super) struct RawLine {
    /// Length in bytes, with the newline.
    pub(super) len: usize,
    /// Parsed content of the line.
    pub(super) says: LineMeaning,
}

impl LineMeaning {
    fn parse(line: &[u8], depth: ScanDepth) -> LineMeaning {
        if depth == ScanDepth::WithoutPieces
            && let Some(pieces) = PiecesLine::read(line)
        {
            return LineMeaning::Pieces(pieces.seq);
        }
        let event = Envelope::read(line).ok().and_then(|envelope| match depth {
            ScanDepth::ForFold => envelope.event_but_pieces(),
            ScanDepth::Whole | ScanDepth::WithoutPieces => envelope.event_alone(),
        });
        event.map_or(LineMeaning::Nothing, |event| LineMeaning::Event(Arc::new(event)))
    }

    fn seq(&self) -> Option<Seq> {
        match self {
            LineMeaning::Event(event) => Some(event.seq),
            LineMeaning::Pieces(seq) => Some(*seq),
            LineMeaning::Nothing => None,
        }
    }
}

/// Returns the turns that begin and end within these lines and whose pieces are not needed. Returns none if a line is
/// missing or unreadable, because that line might need them.
fn repeated(lines: &[RawLine]) -> HashSet<TurnId> {
    let mut begun = HashSet::new();
    let mut settled = HashMap::new();
    let mut before: Option<Seq> = None;
    for line in lines {
        let seq = line.says.seq();
        if seq.is_none_or(|seq| before.is_some_and(|before| seq != before.next())) {
            return HashSet::new();
        }
        before = seq;
        let LineMeaning::Event(event) = &line.says else { continue };
        if let Kind::FloorGranted(_) = event.kind {
            begun.insert(TurnId(event.seq.0));
        }
        if let Some((turn, needed)) = event.kind.settles_pieces() {
            *settled.entry(turn).or_default() |= needed;
        }
    }
    begun.retain(|turn| settled.get(turn) == Some(&false));
    begun
}

/// A sequence of whole lines.
pub(super) struct LineBlock {
    /// Bytes of the lines.
    pub(super) bytes: Vec<u8>,
    /// Parsed content of each line.
    pub(super) lines: Vec<RawLine>,
}

impl LineBlock {
    /// Parses lines; only the last may lack its newline.
    pub(super) fn read(bytes: Vec<u8>, depth: ScanDepth) -> LineBlock {
        let mut lines = vec![];
        let mut pieces = vec![];
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let len = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let (line, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            let unread = (depth == ScanDepth::ForFold).then(|| PiecesLine::read(line)).flatten();
            let says = match unread {
                Some(unread) => {
                    let seq = unread.seq;
                    pieces.push((lines.len(), line, unread));
                    LineMeaning::Pieces(seq)
                }
                None => LineMeaning::parse(line, depth),
            };
            lines.push(RawLine { len: line.len(), says });
            rest = after;
        }
        let repeated = if pieces.is_empty() { HashSet::new() } else { repeated(&lines) };
        for (at, line, unread) in pieces {
            if !unread.turns().is_some_and(|turns| turns.iter().all(|t| repeated.contains(t)))
                && let Some(needed) = lines.get_mut(at)
            {
                needed.says = LineMeaning::parse(line, depth);
            }
        }
        LineBlock { bytes, lines }
    }
}

/// Splits the input into blocks that end with a newline, except the last.
pub(super) struct Blocks<R> {
    from: R,
    /// Bytes per read.
    size: usize,
    rest: Vec<u8>,
}

impl<R: Read> Blocks<R> {
    fn new(from: R, size: usize) -> Blocks<R> {
        Blocks { from, size, rest: vec![] }
    }

    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut block = std::mem::take(&mut self.rest);
        loop {
            block.reserve(self.size + 1);
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

/// Blocks of a file in order; several threads parse the blocks of a long file ahead of the caller.
pub(super) enum LineBlocks {
    /// Parsed on demand.
    Alone(Blocks<Box<dyn Read + Send>>, ScanDepth),
    /// Parsed ahead.
    Ahead(ReadAhead),
}

/// Threads that parse blocks; they end when the caller takes no more.
pub(super) struct ReadAhead {
    /// Parsers, used in rotation so that the order is that of the file.
    parsers: Vec<Parser>,
    /// Index of the next parser.
    turn: usize,
    threads: Vec<JoinHandle<io::Result<()>>>,
}

/// Channels from and to a parsing thread.
struct Parser {
    ready: Receiver<LineBlock>,
    /// Returns used blocks to their thread: the thread that allocated memory frees it fastest.
    used: Sender<LineBlock>,
}

impl LineBlocks {
    /// Starts reading.
    pub(super) fn new(
        from: impl Read + Send + 'static,
        long: bool,
        depth: ScanDepth,
    ) -> LineBlocks {
        if long {
            LineBlocks::Ahead(ReadAhead::new(Blocks::new(from, BLOCK_BYTES), depth))
        } else {
            LineBlocks::Alone(Blocks::new(Box::new(from), SMALL_BYTES), depth)
        }
    }

    /// Passes the next block to `each`; returns whether there was one.
    pub(super) fn next(&mut self, each: &mut dyn FnMut(&LineBlock)) -> io::Result<bool> {
        match self {
            LineBlocks::Alone(blocks, depth) => {
                let bytes = blocks.next()?;
                Ok(bytes.map(|bytes| each(&LineBlock::read(bytes, *depth))).is_some())
            }
            LineBlocks::Ahead(ahead) => ahead.next(each),
        }
    }
}

impl ReadAhead {
    fn new(mut blocks: Blocks<impl Read + Send + 'static>, depth: ScanDepth) -> ReadAhead {
        let mut raw = vec![];
        let mut parsers = vec![];
        let mut threads = vec![];
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            let (to, of) = sync_channel(1);
            let (done, ready) = sync_channel(1);
            let (used, back) = channel();
            let mut blocks = of.into_iter().map(move |bytes| {
                back.try_iter().for_each(drop::<LineBlock>);
                LineBlock::read(bytes, depth)
            });
            threads.push(thread::spawn(move || {
                // fails once the caller takes no more blocks
                let _ = blocks.try_for_each(|block| done.send(block));
                Ok(())
            }));
            raw.push(to);
            parsers.push(Parser { ready, used });
        }
        threads.push(thread::spawn(move || {
            for to in raw.iter().cycle() {
                let Some(bytes) = blocks.next()? else { break };
                if to.send(bytes).is_err() {
                    break;
                }
            }
            Ok(())
        }));
        ReadAhead { parsers, turn: 0, threads }
    }

    fn next(&mut self, each: &mut dyn FnMut(&LineBlock)) -> io::Result<bool> {
        if let Some(parser) = self.parsers.get(self.turn)
            && let Ok(block) = parser.ready.recv()
        {
            each(&block);
            // fails if the thread has ended
            let _ = parser.used.send(block);
            self.turn = (self.turn + 1) % self.parsers.len();
            return Ok(true);
        }
        self.parsers.clear();
        for thread in self.threads.drain(..) {
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        }
        Ok(false)
    }
}

/// Separator before the data of an event.
const DATA: &[u8] = b",\"data\":";
static DATA_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(DATA));

/// A line of pieces with a valid checksum and unparsed data.
pub(super) struct PiecesLine<'a> {
    pub(super) seq: Seq,
    data: &'a str,
}

/// Turn of a run of pieces; the other fields are ignored.
#[derive(Deserialize)]
struct RunTurn(TurnId, IgnoredAny, IgnoredAny, IgnoredAny);

impl<'a> PiecesLine<'a> {
    /// Parses a line; `None` if it has no pieces or its checksum is wrong.
    pub(super) fn read(line: &'a [u8]) -> Option<PiecesLine<'a>> {
        const KIND: &[u8] = b"\"kind\":\"delta\"";
        // quotes inside of strings are escaped, so the first match begins the data
        let at = DATA_FINDER.find(line.get(..ENVELOPE_BYTES.min(line.len()))?)?;
        if !line.get(..at)?.ends_with(KIND) {
            return None;
        }
        let text = checked(line).ok()?;
        let digits = text.strip_prefix("{\"seq\":")?.split(',').next()?;
        let data = text.get(at + DATA.len()..text.len() - TRAILER_BYTES)?;
        Some(PiecesLine { seq: digits.parse().ok().map(Seq)?, data })
    }

    /// Returns the turn of each run of pieces; `None` if the line refers to blobs or this version cannot parse it.
    pub(super) fn turns(&self) -> Option<Vec<TurnId>> {
        #[derive(Deserialize)]
        struct Runs {
            pieces: Vec<RunTurn>,
        }
        if blobs::mentioned(self.data) {
            return None;
        }
        let runs: Runs = serde_json::from_str(self.data).ok()?;
        Some(runs.pieces.iter().map(|run| run.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::{Delta, Warning};
    use crate::model::piece::PieceRun;
    use crate::model::{Channel, Event, Kind, Ms, ThreadId, Wall};
    use crate::session::encode;
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
            for (long, drops) in [(false, 1 << 16), (true, 1 << 16), (true, 999)] {
                let mut all: Vec<Vec<u8>> = vec![];
                let mut blocks =
                    LineBlocks::new(Drops::parse_drops(text, drops), long, ScanDepth::Whole);
                let mut each = |block: &LineBlock| {
                    assert_eq!(block.lines.iter().map(|l| l.len).sum::<usize>(), block.bytes.len());
                    all.push(block.bytes.clone());
                };
                while blocks.next(&mut each).unwrap() {}
                assert!(all.concat() == text.as_bytes(), "{} bytes differ", text.len());
                let (_, before) = all.split_last().unwrap_or((&vec![], &[]));
                assert!(before.iter().all(|b| b.ends_with(b"\n")), "{} bytes", text.len());
            }
        }
    }

    #[test]
    fn it_is_read_a_few_blocks_ahead_and_no_further() {
        let text = "some words of a line\n".repeat(4 * BLOCK_BYTES);
        for long in [false, true] {
            let from = Drops::parse_drops(&text, 1 << 20);
            let read = from.2.clone();
            let mut blocks = LineBlocks::new(from, long, ScanDepth::Whole);
            assert!(blocks.next(&mut |_| {}).unwrap());
            let threads = thread::available_parallelism().map_or(1, NonZero::get);
            // a thread has one block in work, one queued and one ready; one more block is being cut
            let most = if long { (3 * threads + 3) * BLOCK_BYTES } else { SMALL_BYTES };
            assert!(read.load(Ordering::SeqCst) <= most, "of {} bytes", text.len());
        }
    }

    #[test]
    fn read_error_is_not_end_of_file() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("gone"))
            }
        }
        for long in [false, true] {
            let mut blocks = LineBlocks::new(b"a\n".chain(Broken), long, ScanDepth::Whole);
            let read = std::iter::from_fn(|| Some(blocks.next(&mut |_| {})));
            assert!(read.take(2).any(|read| read.is_err()), "long {long}");
        }
    }

    /// Lines of events of a turn, numbered from `first`.
    fn spelled(first: u64, log: &[&str]) -> Vec<u8> {
        let mut lines = vec![];
        for (seq, word) in (first..).zip(log) {
            let (what, turn) = word.split_once(' ').unwrap();
            let (name, data) = match what {
                "grant" => ("floor.granted", r#"{"batch":0,"participant":"a"}"#.to_owned()),
                "piece" => (
                    "delta",
                    format!(r#"{{"pieces":[[{turn},"say","x",[1,0]],[{turn},"say","",[]]]}}"#),
                ),
                "both" => {
                    ("delta", r#"{"pieces":[[1,"say","x",[1,0]],[2,"say","x",[1,0]]]}"#.to_owned())
                }
                "beside" => (
                    "delta",
                    format!(
                        r#"{{"pieces":[[{turn},"say",{{"blob":"sha256-x","bytes":9}},[1,0]]]}}"#
                    ),
                ),
                "retry" => (
                    "call.retried",
                    format!(
                        r#"{{"turn":{turn},"call":0,"error":{{"class":"failed","text":""}},"wait_ms":0}}"#
                    ),
                ),
                "end" => (
                    "turn.ended",
                    format!(
                        r#"{{"turn":{turn},"purpose":"speak","outcome":"said","text":"x","took_ms":0}}"#
                    ),
                ),
                "hurt" => ("hurt", "1".to_owned()),
                other => panic!("{other}"),
            };
            let body = format!(
                r#"{{"seq":{seq},"at":"2026-01-01T00:00:00.000Z","ms":0,"by":"x","kind":"{name}","data":{data}"#
            );
            let crc = crc32c::crc32c(body.as_bytes()) ^ u32::from(what == "hurt");
            lines.extend(format!("{body},\"crc\":\"{crc:08x}\"}}\n").into_bytes());
        }
        lines
    }

    #[test]
    fn pieces_are_left_out_only_where_their_turns_begin_and_end_and_need_none() {
        for (log, left_out) in [
            (vec!["grant 1", "grant 2", "piece 1", "both -", "end 1", "end 2"], vec![3, 4]),
            (vec!["grant 1", "grant 2", "piece 1", "both -", "end 1"], vec![3]),
            (vec!["grant 1", "piece 1", "retry 1", "piece 1", "end 1"], vec![]),
            (vec!["piece 0", "end 0", "grant 3", "piece 3", "end 3"], vec![4]),
            (vec!["grant 1", "beside 1", "end 1"], vec![]),
            (vec!["grant 1", "piece 1", "hurt -", "end 1"], vec![]),
        ] {
            let read = |bytes: Vec<u8>| -> Vec<u64> {
                let block = LineBlock::read(bytes, ScanDepth::ForFold);
                let passed = block.lines.iter().filter_map(|line| match line.says {
                    LineMeaning::Pieces(seq) => Some(seq.0),
                    _ => None,
                });
                passed.collect()
            };
            assert_eq!(read(spelled(1, &log)), left_out, "{log:?}");
            // a line out of order proves nothing
            let moved = [spelled(9, &["end 1"]), spelled(1, &log)].concat();
            assert_eq!(read(moved), [] as [u64; 0], "{log:?}");
        }
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
        let pieces_at = |line: &[u8]| PiecesLine::read(line).map(|line| (line.seq, line.turns()));
        let run = |turn| PieceRun(TurnId(turn), Channel::Say, "a\"b".into(), vec![3, 0]);
        let delta = Delta { pieces: vec![run(4), run(7)] };
        let line = line_of(delta);
        let expected = Some((Seq(17), Some(vec![TurnId(4), TurnId(7)])));
        assert_eq!(pieces_at(line.as_bytes()), expected);
        assert_eq!(pieces_at(line.trim_end().as_bytes()), expected);
        let mut hurt = line.clone().into_bytes();
        hurt[8] ^= 1;
        assert_eq!(pieces_at(&hurt), None);
        let says = Warning { text: r#","kind":"delta","data":{"#.into(), about: None };
        let other = line_of(says);
        assert_eq!(pieces_at(other.as_bytes()), None);
        let body = r#"{"seq":4,"at":"2026-11-21T20:31:05.000Z","ms":1,"by":"x","kind":"other","data":{"a":{"kind":"delta","data":1}}"#;
        let line = format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()));
        assert_eq!(pieces_at(line.as_bytes()), None);
    }
}
