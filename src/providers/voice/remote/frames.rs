//! Splits a byte stream into frames: server-sent events, or one JSON text per line.
//!
//! Bytes may be split anywhere. Memory is bounded by [`FRAME_MAX`], and work is linear in the number of bytes. The
//! content of a frame is not parsed.

use memchr::memchr2;
use std::borrow::Cow;

/// Maximum bytes of one line, and of one frame.
const FRAME_MAX: usize = 1 << 20;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Framing of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::voice) enum Framing {
    /// Server-sent events: `data:` lines, ended by an empty line.
    #[default]
    Events,
    /// One JSON text on each line.
    Lines,
}

/// A frame would be larger than [`FRAME_MAX`].
#[derive(Debug, PartialEq, Eq)]
pub(in crate::voice) struct TooLong;

/// Parser state of a stream.
#[derive(Default)]
pub(in crate::voice) struct Frames {
    framing: Framing,
    /// Bytes of an incomplete line.
    line: Vec<u8>,
    /// Data of an unfinished event.
    data: Option<String>,
    /// True if the last byte was a carriage return, so that a following newline does not end a second line.
    after_return: bool,
    begun: bool,
    stray: String,
}

impl Frames {
    pub(in crate::voice) fn new(framing: Framing) -> Frames {
        Frames { framing, ..Frames::default() }
    }

    /// Parses bytes and appends the completed frames to `out`, also before an error.
    pub(in crate::voice) fn push(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<String>,
    ) -> Result<(), TooLong> {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let (part, tail) = rest.split_at(end);
            if self.line.is_empty() && part.len() <= FRAME_MAX {
                self.take_line(part, out)?;
            } else {
                self.extend(part)?;
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, out)?;
            }
            rest = match tail {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_return = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
        }
        self.extend(rest)
    }

    /// Appends the last frame of a stream without a final newline to `out`; returns all text outside frames.
    pub(in crate::voice) fn end(mut self, out: &mut Vec<String>) -> Result<String, TooLong> {
        if !self.line.is_empty() {
            let line = std::mem::take(&mut self.line);
            self.take_line(&line, out)?;
        }
        out.extend(self.data.take());
        Ok(self.stray)
    }

    fn extend(&mut self, part: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + part.len() > FRAME_MAX {
            return Err(TooLong);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn take_line(&mut self, bytes: &[u8], out: &mut Vec<String>) -> Result<(), TooLong> {
        let from = if self.begun { 0 } else { bytes.strip_prefix(BOM).map_or(0, |_| BOM.len()) };
        self.begun = true;
        let bytes = bytes.get(from..).unwrap_or_default();
        // nearly all lines are valid UTF-8, which is fast to check
        let line =
            str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
        match self.framing {
            Framing::Lines if line.trim().is_empty() => Ok(()),
            Framing::Lines => {
                // some gateways make events of all streams
                out.push(line.strip_prefix("data:").unwrap_or(&line).into());
                Ok(())
            }
            Framing::Events if line.is_empty() => {
                // some servers keep a stream alive with empty events
                out.extend(self.data.take().filter(|data| !data.trim().is_empty()));
                Ok(())
            }
            Framing::Events => self.take_field(line),
        }
    }

    fn take_field(&mut self, line: Cow<'_, str>) -> Result<(), TooLong> {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => self.add_data(value)?,
            // llama.cpp reports an error in a field of its own
            "error" => self.add_data(&format!("{{\"error\":{value}}}"))?,
            "" | "event" | "id" | "retry" => {}
            // some servers answer with one JSON text, whatever was asked for
            _ if self.stray.len() + line.len() < FRAME_MAX => {
                self.stray.push_str(&line);
                self.stray.push('\n');
            }
            _ => {}
        }
        Ok(())
    }

    fn add_data(&mut self, value: &str) -> Result<(), TooLong> {
        let Some(data) = &mut self.data else {
            self.data = Some(value.to_owned());
            return Ok(());
        };
        if data.len() + value.len() >= FRAME_MAX {
            return Err(TooLong);
        }
        data.push('\n');
        data.push_str(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_many_lines_and_bytes_is_bounded_by_their_sum() {
        let push = |lines: &[usize]| {
            let mut frames = Frames::new(Framing::Events);
            let mut out = vec![];
            let each =
                |n: &usize| frames.push(format!("data: {}\n", "x".repeat(*n)).as_bytes(), &mut out);
            lines.iter().try_for_each(each)
        };
        assert_eq!(push(&[3_000, 3_000]), Ok(()));
        assert_eq!(push(&[FRAME_MAX / 2, FRAME_MAX / 2]), Err(TooLong));
        let mut lines = Frames::new(Framing::Lines);
        let part = [b'x'; 1_000];
        let taken = (0..2_000).take_while(|_| lines.push(&part, &mut vec![]).is_ok()).count();
        assert_eq!(taken, FRAME_MAX / 1_000);
    }

    #[test]
    fn lines_are_read_in_the_form_of_events_too() {
        let mut frames = Frames::new(Framing::Lines);
        let mut out = vec![];
        frames.push(b"{\"a\": 1}\ndata: {\"a\": 2}\n\ndata:{\"a\": 3}\n", &mut out).unwrap();
        let out: Vec<&str> = out.iter().map(|line| line.trim()).collect();
        assert_eq!(out, ["{\"a\": 1}", "{\"a\": 2}", "{\"a\": 3}"]);
    }

    #[test]
    fn a_line_end_of_two_bytes_is_one_however_it_is_cut() {
        let mut frames = Frames::new(Framing::Events);
        let mut out = vec![];
        for part in ["data: a\r", "", "\ndata: b\r\n\r", "\ndata: c\n\n"] {
            frames.push(part.as_bytes(), &mut out).unwrap();
        }
        assert_eq!(out, ["a\nb", "c"]);
    }
}
