//! A session as a voice: each participant repeats its replies, matched by participant and turn; in tests, and as the
//! voice of a participant in any conversation, without network access.
//!
//! The recorded prompt is rebuilt from the log, with the test's own voices, and compared with the current one. A
//! changed prompt is reported as text, and so is a turn missing from the recording. Neither looks like a connection
//! error.

use super::calls::shown;
use super::fault::TestFault;
use super::{difference, places};
use crate::model::payload::TurnEnded;
use crate::model::{
    Block, CallError, Channel, ErrorClass, Event, Kind, Outcome, Participant, Purpose, SeatId,
    ToolRequest, ToolRound, TurnId,
};
use crate::prompt;
use crate::session::{self, Mode, Record, Session, SessionError, SessionPlace};
use crate::state::State;
use crate::tool::ToolResult;
use crate::voice::{CallFailure, CallRequest, Chunk, Did, Done, Out, Speaking, Voice, paced};
use parking_lot::Mutex;
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Replacement for volatile parts when two prompts are compared.
const VOLATILE: &str = "…";

/// Replies of the participants in a session.
#[derive(Debug)]
pub struct Cassette {
    /// Path of the session.
    pub path: PathBuf,
    /// Patterns of prompt parts that differ between runs.
    ignored: Vec<Regex>,
    turns: HashMap<(SeatId, Purpose), Vec<Recorded>>,
}

/// One recorded turn of a participant.
#[derive(Debug)]
struct Recorded {
    ended: TurnEnded,
    /// Prompts of its calls: the first, and one after each round of tools.
    prompts: Vec<String>,
    /// Rounds of tools before its end.
    rounds: Vec<ToolRound>,
}

/// A turn that is not complete yet.
struct OpenTurn {
    seat: SeatId,
    prompts: Vec<String>,
    rounds: Vec<ToolRound>,
}

/// A prompt that differs from its recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// Path of the recording.
    pub path: PathBuf,
    /// Participant and number of its turn, from 1.
    pub turn: String,
    /// The difference, as text.
    pub difference: String,
}

/// Reason why a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CassetteFault {
    /// The session cannot be read; the message has its path.
    #[error(transparent)]
    Unreadable(#[from] SessionError),
    /// The session is empty.
    #[error("contains no turns")]
    Empty,
}

impl Cassette {
    /// Reads a session; prompts are built for `seats`, the seats of the test.
    ///
    /// # Errors
    /// If the session cannot be read or has no events.
    pub fn read(
        path: &Path,
        seats: &[Participant],
        ignored: Vec<Regex>,
    ) -> Result<Cassette, CassetteFault> {
        let log = session::load(path)?;
        if log.records.is_empty() {
            return Err(CassetteFault::Empty);
        }
        let mut state = State::default();
        let mut open: BTreeMap<TurnId, OpenTurn> = BTreeMap::new();
        let mut turns: HashMap<(SeatId, Purpose), Vec<Recorded>> = HashMap::new();
        for record in &log.records {
            state.apply(&as_seated(&record.event, seats));
            match &record.event.kind {
                Kind::CallStarted(call) => {
                    if let Some(turn) = state.turns.get(&call.turn) {
                        let prompt = shown(&prompt::build(&state, turn));
                        let seat = turn.seat.clone();
                        let fresh = OpenTurn { seat, prompts: vec![], rounds: vec![] };
                        let open = open.entry(call.turn).or_insert(fresh);
                        // keeps only the last prompt of a retried call
                        open.prompts.truncate(turn.tools.len());
                        open.prompts.push(prompt);
                    }
                }
                Kind::ToolReturned(back) => {
                    let rounds = state.turns.get(&back.turn).map(|turn| &turn.tools);
                    if let (Some(open), Some(rounds)) = (open.get_mut(&back.turn), rounds) {
                        open.rounds.clone_from(rounds);
                    }
                }
                Kind::TurnEnded(ended) => {
                    // a turn without a call belongs to a person, whose messages are commands
                    if let Some(OpenTurn { seat, prompts, rounds }) = open.remove(&ended.turn) {
                        let recorded = Recorded { ended: TurnEnded::clone(ended), prompts, rounds };
                        turns.entry((seat, ended.purpose)).or_default().push(recorded);
                    }
                }
                _ => {}
            }
        }
        Ok(Cassette { path: path.to_owned(), ignored, turns })
    }

    /// Returns true if it contains turns of a participant.
    pub fn has(&self, seat: &str) -> bool {
        self.turns.keys().any(|(id, _)| **id == *seat)
    }

    /// Returns the index of a participant's first turn that had this prompt.
    pub fn turn_of(&self, seat: &SeatId, purpose: Purpose, prompt: &str) -> Option<usize> {
        let all = self.turns.get(&(seat.clone(), purpose))?;
        all.iter().position(|turn| turn.prompts.first().is_some_and(|first| first == prompt))
    }

    /// Returns the chunks of a participant's recorded turn (index from 0) after some rounds of tools, and the
    /// difference to the current prompt.
    ///
    /// # Errors
    /// If the recording lacks the turn.
    pub fn says(
        &self,
        seat: &SeatId,
        purpose: Purpose,
        turn: usize,
        round: usize,
        now: &str,
    ) -> Result<(Vec<Chunk>, Option<Drift>), TestFault> {
        let all = self.turns.get(&(seat.clone(), purpose)).map_or(&[][..], Vec::as_slice);
        let Some(recorded) = all.get(turn) else {
            let path = self.path.display();
            let last = all
                .last()
                .and_then(|r| r.prompts.first())
                .and_then(|prompt| difference::words(&self.plain(prompt), &self.plain(now)));
            let last = last.map_or(String::new(), |words| {
                format!("; prompt changes since the last recorded turn: {words}")
            });
            return Err(format!(
                "{path} has {} matching turns of `{seat}`, but this is turn {}{last}",
                all.len(),
                turn + 1
            )
            .into());
        };
        let prompt = recorded.prompts.get(round).or(recorded.prompts.last());
        let prompt = prompt.map_or("", String::as_str);
        let differs = difference::words(&self.plain(prompt), &self.plain(now));
        let drift = differs.map(|difference| Drift {
            path: self.path.clone(),
            turn: format!("{seat}, turn {}", turn + 1),
            difference,
        });
        let said = match recorded.rounds.get(round) {
            Some(round) => calls(round),
            None => chunks(&recorded.ended),
        };
        Ok((said, drift))
    }

    /// Returns the recorded result of an equal tool call in one of a participant's turns.
    pub fn returned(
        &self,
        seat: &SeatId,
        turn: usize,
        request: &ToolRequest,
    ) -> Option<ToolResult> {
        let recorded = self.turns.get(&(seat.clone(), Purpose::Speak))?.get(turn)?;
        let mut runs = recorded.rounds.iter().flat_map(|round| &round.runs);
        let (is, result) = runs.find(|run| run.request == *request)?.returned.clone()?;
        Some(ToolResult { is, result, ..ToolResult::default() })
    }

    /// Replaces the volatile parts of a prompt.
    fn plain(&self, prompt: &str) -> String {
        let replaced = |text: String, part: &Regex| part.replace_all(&text, VOLATILE).into_owned();
        self.ignored.iter().fold(prompt.to_owned(), replaced)
    }
}

/// Replaces the voices in an event with those of the test: a prompt depends on the kind of voice that reads it.
fn as_seated(event: &Event, seats: &[Participant]) -> Event {
    let mut event = event.clone();
    if let Kind::Opened(opened) = &mut event.kind {
        for participant in &mut opened.participants {
            if let Some(seat) = seats.iter().find(|s| s.id == participant.id) {
                participant.voice = seat.voice.clone();
                participant.window = seat.window;
                participant.local = seat.local;
            }
        }
    }
    event
}

/// Returns the chunks of a call that ended with requests for tools.
fn calls(round: &ToolRound) -> Vec<Chunk> {
    let said = (!round.said.is_empty()).then(|| Chunk::Piece(Channel::Say, round.said.clone()));
    let tools = round.runs.iter().map(|run| run.request.clone()).collect();
    said.into_iter().chain([Chunk::Done(Done { tools, ..Done::default() })]).collect()
}

fn chunks(ended: &TurnEnded) -> Vec<Chunk> {
    let mut chunks = vec![];
    if let Some(think) = &ended.think {
        chunks.push(Chunk::Piece(Channel::Think, think.clone()));
    }
    let words = ended.raw.as_ref().unwrap_or(&ended.text);
    match (ended.outcome, &ended.error) {
        (Outcome::Passed, _) => chunks.push(Chunk::Pass),
        (Outcome::Failed, error) => chunks.push(Chunk::Failed(failure(error.as_ref()))),
        (Outcome::Said | Outcome::Cut, _) => {
            if !words.is_empty() {
                chunks.push(Chunk::Piece(Channel::Say, words.clone()));
            }
            chunks.push(Chunk::Done(Done {
                structured: ended.structured.clone(),
                finish: ended.finish.clone(),
                usage: ended.usage.clone(),
                ..Done::default()
            }));
        }
    }
    chunks
}

fn failure(error: Option<&CallError>) -> CallFailure {
    match error {
        Some(error) => CallFailure::new(error.class, error.text.clone()),
        None => CallFailure::new(ErrorClass::Failed, "as it was recorded"),
    }
}

/// Replaces a recording with the session of a run.
pub async fn write(path: &Path, events: &[Event]) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".colloquium-").tempdir_in(folder)?;
    let fresh = beside.path().join("session.jsonl");
    let Session { writer, .. } =
        session::create(SessionPlace::File(&fresh), Mode::Normal).map_err(io::Error::other)?;
    for event in events {
        let record = Record::new(event.clone()).map_err(io::Error::other)?;
        writer.push(std::sync::Arc::new(record));
    }
    writer.finish().await.map_err(io::Error::other)?;
    fs::rename(&fresh, path)
}

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
