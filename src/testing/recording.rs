//! A recorded session as the voice of a participant in any conversation, without network access.

use super::calls::shown;
use super::cassette::Cassette;
use super::fault::TestFault;
use super::places;
use crate::model::{Block, ErrorClass, Participant, Purpose, SeatId, TurnId};
use crate::voice::{CallFailure, CallRequest, Chunk, Did, Out, Speaking, Voice, paced};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::path::Path;

/// Voice that repeats a participant's turns of a session.
#[derive(Debug)]
pub struct RecordedVoice {
    cassette: Cassette,
    /// Last turn of each purpose, with its index in the recording.
    last: Mutex<HashMap<(SeatId, Purpose), (TurnId, usize)>>,
}

impl RecordedVoice {
    /// Reads the session that a scenario in a folder names for a seat.
    ///
    /// # Errors
    /// A sentence with the reason why the seat cannot use it.
    pub fn read(folder: &Path, file: &str, seat: &Participant) -> Result<RecordedVoice, TestFault> {
        let path = places::file(folder, file)?;
        let cassette = Cassette::read(&path, std::slice::from_ref(seat), vec![])
            .map_err(|fault| fault.to_string())?;
        if cassette.has(&seat.id) {
            Ok(RecordedVoice { cassette, last: Mutex::default() })
        } else {
            Err(format!("has no turns of `{}`", seat.id).into())
        }
    }

    /// Returns the index of the recorded turn for a call: the next turn. The first turn after a resume is found by its
    /// prompt, or by the participant's number of turns.
    fn turn(&self, ask: &CallRequest, prompt: &str) -> usize {
        let mut last = self.last.lock();
        let place = (ask.seat.id.clone(), ask.purpose);
        let turn = match last.get(&place) {
            Some((turn, at)) if *turn == ask.turn => *at,
            Some((_, at)) => at + 1,
            None => {
                let spoke = |block: &&Block| matches!(block, Block::Own { .. });
                let own = || ask.prompt.blocks.iter().filter(spoke).count();
                let own = || if ask.purpose == Purpose::Speak { own() } else { 0 };
                self.cassette.turn_of(&ask.seat.id, ask.purpose, prompt).unwrap_or_else(own)
            }
        };
        last.insert(place, (ask.turn, turn));
        turn
    }
}

impl Voice for RecordedVoice {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let prompt = shown(&ask.prompt);
        let turn = self.turn(&ask, &prompt);
        let round = ask.prompt.tools.len();
        let chunks = match self.cassette.says(&ask.seat.id, ask.purpose, turn, round, &prompt) {
            Ok((chunks, None)) => chunks,
            Ok((mut chunks, Some(drift))) => {
                let path = drift.path.display();
                let why = format!(
                    "the prompt of {} differs from {path}: {}",
                    drift.turn, drift.difference
                );
                chunks.insert(0, Chunk::Did(Did::Warns(why.into())));
                chunks
            }
            Err(why) => vec![Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why))],
        };
        Box::pin(paced(chunks, out))
    }
}
