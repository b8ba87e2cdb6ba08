//! Reads lines of at most a number of bytes, from files that may hold a single endless one.

use std::io::{self, BufRead, Read};

/// The next line of a file.
pub(super) enum BoundedLine {
    /// Its bytes, with the newline if it has one.
    Whole(Vec<u8>),
    /// A line over the limit, which is skipped to its end.
    TooLong,
}

/// Reads the next line; `None` at the end of the file.
pub(super) fn next_line(input: &mut impl BufRead, max: u64) -> io::Result<Option<BoundedLine>> {
    let mut bytes = Vec::new();
    input.by_ref().take(max + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 <= max {
        return Ok(Some(BoundedLine::Whole(bytes)));
    }
    // the rest of a line that is too long is not a line of its own
    while !bytes.is_empty() && !bytes.ends_with(b"\n") {
        bytes.clear();
        input.by_ref().take(max).read_until(b'\n', &mut bytes)?;
    }
    Ok(Some(BoundedLine::TooLong))
}
