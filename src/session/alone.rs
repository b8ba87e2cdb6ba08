//! What the lines of a session say by themselves, whatever stands before them: read by several threads at once.
//!
//! Whether a line belongs where it stands is the reader's to say, one line after the other.

use super::Record;
use super::codec::Envelope;
use super::error::SessionError;
use std::io::BufRead;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

/// The bytes for which another thread is worth its while.
const SHARE_BYTES: usize = 4 * 1024 * 1024;

/// What lies between two newlines.
pub(super) struct RawLine<'a> {
    /// Its bytes, the newline among them.
    pub(super) bytes: &'a [u8],
    /// What surrounds its data, if its checksum holds.
    pub(super) envelope: Result<Envelope<'a>, SessionError>,
    /// What it means, where nothing beside it is needed to say so.
    pub(super) record: Option<Arc<Record>>,
}

impl<'a> RawLine<'a> {
    fn read(bytes: &'a [u8]) -> RawLine<'a> {
        let envelope = Envelope::read(bytes);
        let record = envelope.as_ref().ok().and_then(|e| Some(e.record(e.event_alone()?)));
        RawLine { bytes, envelope, record }
    }
}

/// Reads lines, in order; only the last may lack its newline. What they say is not all there at once.
pub(super) fn read(bytes: &[u8]) -> impl Iterator<Item = RawLine<'_>> {
    // to ask the system costs more than a small session
    let many = bytes.len() >= 2 * SHARE_BYTES;
    let threads = if many { thread::available_parallelism().map_or(1, NonZero::get) } else { 1 };
    let blocks = shares(bytes, bytes.len() / (threads * SHARE_BYTES));
    blocks.into_iter().flat_map(move |block| together(block, threads))
}

/// Reads lines with several threads, each a share of them.
fn together(bytes: &[u8], threads: usize) -> Vec<RawLine<'_>> {
    let shares = shares(bytes, threads.min(bytes.len() / SHARE_BYTES));
    let [first, others @ ..] = shares.as_slice() else { return vec![] };
    thread::scope(|scope| {
        let others: Vec<_> = others.iter().map(|s| scope.spawn(|| all(s))).collect();
        let mut lines = all(first);
        for other in others {
            lines.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        lines
    })
}

fn all(bytes: &[u8]) -> Vec<RawLine<'_>> {
    let (mut lines, mut rest) = (vec![], bytes);
    while !rest.is_empty() {
        let (line, after) = split(rest, 0);
        lines.push(RawLine::read(line));
        rest = after;
    }
    lines
}

/// Splits bytes behind newlines into so many shares of about the same size, or fewer.
fn shares(bytes: &[u8], count: usize) -> Vec<&[u8]> {
    let (mut shares, mut rest) = (vec![], bytes);
    let size = bytes.len() / count.max(1) + 1;
    while !rest.is_empty() {
        let (share, after) = split(rest, size - 1);
        shares.push(share);
        rest = after;
    }
    shares
}

/// Splits bytes behind the first newline that does not come before a place.
fn split(bytes: &[u8], place: usize) -> (&[u8], &[u8]) {
    let mut after = bytes.get(place..).unwrap_or_default();
    // reading from memory cannot fail; were it to, the rest is one line
    let len = after.skip_until(b'\n').map_or(bytes.len(), |len| place + len);
    bytes.split_at_checked(len).unwrap_or((bytes, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_whole_lines_and_lose_nothing() {
        for text in ["", "a", "\n", "a\nbb\n\nccc", "one long line only\n", "a\nb\nc\nd\ne\nf\n"] {
            for count in 0..9 {
                let shares = shares(text.as_bytes(), count);
                assert_eq!(shares.concat(), text.as_bytes(), "{count} of {text:?}");
                assert!(shares.len() <= count.max(1), "{count} of {text:?}: {shares:?}");
                let (_, before) = shares.split_last().unwrap_or((&&b""[..], &[]));
                assert!(before.iter().all(|s| s.ends_with(b"\n")), "{count} of {text:?}");
            }
        }
    }
}
