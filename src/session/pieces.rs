//! Parses lines of pieces, the largest part of a session, without their text.

use super::blobs;
use super::codec::{ENVELOPE_BYTES, TRAILER_BYTES, checked};
use crate::model::{Seq, TurnId};
use memchr::memmem::Finder;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::sync::LazyLock;

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

    fn spelled(kind: impl Into<Kind>) -> String {
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
        let line = spelled(delta);
        let expected = Some((Seq(17), Some(vec![TurnId(4), TurnId(7)])));
        assert_eq!(pieces_at(line.as_bytes()), expected);
        assert_eq!(pieces_at(line.trim_end().as_bytes()), expected);
        let mut hurt = line.clone().into_bytes();
        hurt[8] ^= 1;
        assert_eq!(pieces_at(&hurt), None);
        let says = Warning { text: r#","kind":"delta","data":{"#.into(), about: None };
        let other = spelled(says);
        assert_eq!(pieces_at(other.as_bytes()), None);
        let body = r#"{"seq":4,"at":"2026-11-21T20:31:05.000Z","ms":1,"by":"x","kind":"other","data":{"a":{"kind":"delta","data":1}}"#;
        let line = format!("{body},\"crc\":\"{:08x}\"}}\n", crc32c::crc32c(body.as_bytes()));
        assert_eq!(pieces_at(line.as_bytes()), None);
    }
}
