//! Reads lines with a length limit, so that a file with a single endless line does not fill the memory.

use std::io::{self, BufRead, Read};

/// Result of reading one line.
pub(super) enum BoundedLine {
    /// Bytes of the line, including the newline if there is one.
    Whole(Vec<u8>),
    /// A line over the limit. The rest of it is skipped.
    TooLong,
}

/// Reads the next line of at most `max` bytes; returns `None` at the end of the file.
pub(super) fn next_line(input: &mut impl BufRead, max: u64) -> io::Result<Option<BoundedLine>> {
    let mut bytes = Vec::new();
    input.by_ref().take(max + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 <= max {
        return Ok(Some(BoundedLine::Whole(bytes)));
    }
    // skip the rest of the long line, so that it is not returned as a line of its own
    while !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.clear();
        input.by_ref().take(max).read_until(b'\n', &mut bytes)?;
    }
    Ok(Some(BoundedLine::TooLong))
}
