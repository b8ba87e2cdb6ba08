//! Redundant pieces: the end of their turn repeats the whole text.

use crate::model::event::Unknown;
use crate::model::{Event, Kind, TurnId};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

/// Turns whose pieces make no difference to a fold of the whole log.
#[derive(Clone, Debug, Default)]
pub struct Finished(HashSet<TurnId>);

impl Finished {
    /// Collects the ended turns that do not [need](Kind::settles_pieces) their pieces.
    pub fn from_events<'a>(events: impl IntoIterator<Item = &'a Event>) -> Finished {
        let mut ended = HashSet::new();
        let mut needed = HashSet::new();
        for (turn, needs) in events.into_iter().filter_map(|event| event.kind.settles_pieces()) {
            if needs {
                needed.insert(turn)
            } else {
                ended.insert(turn)
            };
        }
        ended.retain(|turn| !needed.contains(turn));
        Finished(ended)
    }

    /// Returns whether a fold of the whole log is the same without an event.
    pub fn repeats(&self, event: &Event) -> bool {
        let Kind::Delta(delta) = &event.kind else { return false };
        delta.pieces.iter().all(|run| self.0.contains(&run.0))
    }
}

/// Filters the events of a log while it is read: drops the pieces that a fold of the whole log does not need. The
/// result is the same as with [`Finished`], in a single pass.
///
/// Pieces of a turn that has not ended wait, and so do the events after them. Pieces may be unparsed, as events of an
/// unknown kind with that name; they are parsed only if they may be needed.
#[derive(Clone, Debug, Default)]
pub struct PieceFilter {
    waiting: VecDeque<Arc<Event>>,
    /// Turns for which the waiting events decide whether their pieces are needed (true).
    needed: HashMap<TurnId, bool>,
    /// Turns that run at the first waiting event.
    running: HashSet<TurnId>,
}

impl PieceFilter {
    /// Adds the next event, and passes on all events that need not wait.
    pub fn take(&mut self, event: &Arc<Event>, each: &mut dyn FnMut(&Event)) {
        if let Some((turn, needed)) = event.kind.settles_pieces() {
            *self.needed.entry(turn).or_default() |= needed;
        }
        self.waiting.push_back(event.clone());
        while self.hand_out(None, each) {}
    }

    /// Passes on the rest at the end of the log; turns still in progress need their pieces.
    pub fn finish(mut self, each: &mut dyn FnMut(&Event)) {
        while self.hand_out(Some(true), each) {}
    }

    /// Passes on or drops the first waiting event; `otherwise` applies if the need for it is unknown. Returns false if
    /// no event waits or the first one must keep waiting.
    fn hand_out(&mut self, otherwise: Option<bool>, each: &mut dyn FnMut(&Event)) -> bool {
        let Some(mut event) = self.waiting.pop_front() else { return false };
        let mut passes = self.passes(&event).or(otherwise);
        if let (Some(true), Kind::Unknown(unread)) = (passes, &event.kind)
            && is_unread(unread)
            && let Ok(read) = Kind::read(DELTA, &unread.data)
        {
            Arc::make_mut(&mut event).kind = read;
            passes = self.passes(&event).or(otherwise);
        }
        let Some(passes) = passes else {
            self.waiting.push_front(event);
            return false;
        };
        match &event.kind {
            Kind::FloorGranted(_) => _ = self.running.insert(TurnId(event.seq.0)),
            Kind::TurnEnded(e) => {
                self.needed.remove(&e.turn);
                self.running.remove(&e.turn);
            }
            _ => {}
        }
        if passes {
            each(&event);
        }
        true
    }

    /// Returns whether an event is needed; `None` if that is not known yet.
    fn passes(&self, event: &Event) -> Option<bool> {
        let turns: &mut dyn Iterator<Item = &TurnId> = match &event.kind {
            Kind::Delta(delta) => &mut delta.pieces.iter().map(|run| &run.0),
            // pieces belong to running turns
            Kind::Unknown(unread) if is_unread(unread) => &mut self.running.iter(),
            _ => return Some(true),
        };
        let mut known = Some(false);
        for turn in turns {
            match self.needed.get(turn) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => known = None,
            }
        }
        known
    }
}

/// Event kind of pieces in a log.
const DELTA: &str = "delta";

fn is_unread(unknown: &Unknown) -> bool {
    &*unknown.kind == DELTA
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::payload::{CallRetried, Delta, FloorGranted, TurnEnded};
    use crate::model::*;
    use serde_json::json;

    fn read<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
        serde_json::from_value(value).unwrap()
    }

    fn kind(word: &str) -> Kind {
        let (what, turn) = word.split_once(' ').unwrap();
        let turn: u64 = turn.parse().unwrap();
        match what {
            "grant" => read::<FloorGranted>(json!({"batch": 0, "participant": "a"})).into(),
            "piece" => read::<Delta>(json!({"pieces": [[turn, "say", "x", [1, 0]]]})).into(),
            "retry" => {
                let error = json!({"class": "failed", "text": ""});
                read::<CallRetried>(json!({"turn": turn, "call": 0, "error": error, "wait_ms": 0}))
                    .into()
            }
            "end" => {
                let end = json!({"turn": turn, "purpose": "speak", "outcome": "said", "text": "x", "took_ms": 0});
                Box::new(read::<TurnEnded>(end)).into()
            }
            other => panic!("{other}"),
        }
    }

    /// The filter passes on the same events for parsed and unparsed pieces, equal to the events in [`Finished`].
    #[test]
    fn unread_pieces_are_read_where_they_are_needed_and_only_there() {
        for log in [
            vec!["grant 0", "piece 0", "piece 0", "end 0"],
            vec!["grant 0", "piece 0", "retry 0", "piece 0", "end 0"],
            vec!["grant 0", "grant 1", "piece 0", "piece 1", "end 0", "piece 1"],
            vec![
                "grant 0", "grant 1", "piece 1", "piece 0", "end 1", "retry 0", "piece 0", "end 0",
            ],
            vec!["grant 0", "piece 0"],
        ] {
            let event = |(seq, word): (usize, &&str)| Event {
                seq: Seq(seq as u64),
                at: Wall(0),
                ms: Ms(0),
                thread: ThreadId::ROOT,
                by: "engine".into(),
                cause: None,
                kind: kind(word),
            };
            let events: Vec<Event> = log.iter().enumerate().map(event).collect();
            let finished = Finished::from_events(&events);
            let expected: Vec<Event> =
                events.iter().filter(|e| !finished.repeats(e)).cloned().collect();
            for unread in [false, true] {
                let mut filter = PieceFilter::default();
                let mut out = vec![];
                for mut event in events.clone() {
                    if let (true, Kind::Delta(_)) = (unread, &event.kind) {
                        let data =
                            serde_json::value::RawValue::from_string(event.kind.data().unwrap());
                        event.kind =
                            Kind::Unknown(Unknown { kind: DELTA.into(), data: data.unwrap() });
                    }
                    filter.take(&event.into(), &mut |event| out.push(event.clone()));
                }
                filter.finish(&mut |event| out.push(event.clone()));
                assert_eq!(out, expected, "{log:?} unread: {unread}");
            }
        }
    }
}
