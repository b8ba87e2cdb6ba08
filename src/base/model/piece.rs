//! Pieces of a turn as they arrive, and their compact form in the log.

use super::ids::{Ms, Text, TurnId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Stream of a reply.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Text, for everyone.
    Say,
    /// Reasoning, for the log and the operator only.
    Think,
}

/// One piece of one stream, with its time of arrival.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The turn it belongs to.
    pub turn: TurnId,
    /// Speech or reasoning.
    pub channel: Channel,
    /// Time of arrival, on the session's clock.
    pub at: Ms,
    /// Text of the piece: any number of characters, as received.
    pub text: Text,
}

/// Consecutive pieces of one stream: `[turn, channel, text, [len, dt, len, dt, ...]]`.
///
/// `len` counts UTF-8 bytes; `dt` is the milliseconds since the previous piece in the event. The first `dt` of an event
/// counts from the start of its turn's call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PieceRun(pub TurnId, pub Channel, pub Text, pub Vec<u64>);

/// Packs pieces, in order of arrival, into runs. `call_started` is the start of the first piece's call.
pub fn pack(pieces: &[Piece], call_started: Ms) -> Vec<PieceRun> {
    let mut runs: Vec<(TurnId, Channel, String, Vec<u64>)> = Vec::new();
    let mut before = call_started;
    for p in pieces {
        let dt = p.at.since(before);
        before = p.at;
        match runs.last_mut() {
            Some(r) if r.0 == p.turn && r.1 == p.channel => {
                r.2.push_str(&p.text);
                r.3.extend([p.text.len() as u64, dt]);
            }
            _ => runs.push((p.turn, p.channel, p.text.to_string(), vec![p.text.len() as u64, dt])),
        }
    }
    runs.into_iter()
        .map(|(turn, channel, text, times)| PieceRun(turn, channel, text.into(), times))
        .collect()
}

/// Unpacks runs into pieces; invalid lengths are clamped to the text, so that no text of a damaged line is lost.
pub fn unpack(runs: &[PieceRun], call_started: Ms) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = call_started;
    for PieceRun(turn, channel, text, times) in runs {
        let mut rest: &str = text;
        let mut pairs = times.chunks_exact(2).peekable();
        while let Some([len, dt]) = pairs.next() {
            at = at.plus(*dt);
            let mut end = usize::try_from(*len).unwrap_or(usize::MAX).min(rest.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            if pairs.peek().is_none() {
                end = rest.len();
            }
            let (text, tail) = rest.split_at(end);
            rest = tail;
            pieces.push(Piece { turn: *turn, channel: *channel, at, text: text.into() });
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_keep_order_and_moments() {
        let piece = |turn, at, text: &str| Piece {
            turn: TurnId(turn),
            channel: Channel::Say,
            at: Ms(at),
            text: text.into(),
        };
        let pieces = vec![
            piece(3, 110, "Grü"),
            piece(3, 130, "ße "),
            piece(4, 131, "no"),
            piece(3, 140, "ha"),
        ];
        let runs = pack(&pieces, Ms(100));
        assert_eq!(runs.len(), 3);
        assert_eq!(runs[0].3, [4, 10, 4, 20]);
        assert_eq!(unpack(&runs, Ms(100)), pieces);
    }

    #[test]
    fn a_wrong_length_loses_no_words() {
        let runs = [PieceRun(TurnId(1), Channel::Say, "häuser".into(), vec![2, 1, 900, 1])];
        let text: String = unpack(&runs, Ms(0)).iter().map(|p| &*p.text).collect();
        assert_eq!(text, "häuser");
    }
}
