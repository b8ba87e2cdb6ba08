//! Reads lines with a length limit, so that a file with a single endless line does not fill the memory.

use std::io::{self, BufRead, ErrorKind, Read};

/// Maximum length of a skipped line, in bytes.
const SKIPPED_MAX: u64 = 64 << 20;

/// Result of reading one line.
pub(super) enum BoundedLine {
    /// Bytes of the line, including the newline if there is one.
    Whole(Vec<u8>),
    /// A line over the limit. The rest of it is skipped.
    TooLong,
}

/// Reads the next line of at most `max` bytes; returns `None` at the end of the file.
///
/// # Errors
/// [`ErrorKind::InvalidData`] for a line over [`SKIPPED_MAX`], or an error of the operating system.
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
    let mut skipped = 0;
    while !bytes.is_empty() && !bytes.ends_with(b"\n") {
        skipped += bytes.len() as u64;
        if skipped > SKIPPED_MAX {
            let message = format!("the line is longer than {} MiB", SKIPPED_MAX >> 20);
            return Err(io::Error::new(ErrorKind::InvalidData, message));
        }
        bytes.clear();
        input.by_ref().take(max).read_until(b'\n', &mut bytes)?;
    }
    Ok(Some(BoundedLine::TooLong))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn skips_a_long_line_and_stops_at_an_endless_one() {
        let mut long = BufReader::new(&b"aaaaaaaaaa\nb\n"[..]);
        assert!(matches!(next_line(&mut long, 4), Ok(Some(BoundedLine::TooLong))));
        assert!(
            matches!(next_line(&mut long, 4), Ok(Some(BoundedLine::Whole(line))) if line == b"b\n")
        );
        assert!(matches!(next_line(&mut long, 4), Ok(None)));
        let mut endless = BufReader::new(io::repeat(0));
        let e = next_line(&mut endless, 1 << 20).err().unwrap();
        assert_eq!(e.kind(), ErrorKind::InvalidData);
    }
}
