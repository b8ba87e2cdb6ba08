//! A session as a voice: each participant says again what it said, matched by participant and turn.
//!
//! The earlier prompt is built again from the log, with the test's own voices, and compared with the current one: a
//! changed prompt is reported in words, and so is a turn that the recording does not have. Neither ever looks like a
//! fault of a connection.

use super::calls::shown;
use super::difference;
use crate::model::payload::TurnEnded;
use crate::model::{
    CallError, Channel, ErrorClass, Event, Kind, Outcome, Participant, Purpose, SeatId,
    ToolRequest, ToolRound, TurnId,
};
use crate::prompt;
use crate::session::{self, Mode, Record, Session, SessionPlace};
use crate::state::State;
use crate::tool::ToolResult;
use crate::voice::{CallFailure, Chunk, Done};
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The replacement of volatile parts of a prompt when two are compared.
const VOLATILE: &str = "…";

/// The replies of the participants in a session.
#[derive(Debug)]
pub struct Cassette {
    /// The file of the session.
    pub path: PathBuf,
    /// Parts of prompts that differ from run to run.
    ignored: Vec<Regex>,
    turns: HashMap<(SeatId, Purpose), Vec<Recorded>>,
}

/// One recorded turn of a participant.
#[derive(Debug)]
struct Recorded {
    ended: TurnEnded,
    /// The prompts of its calls: the first one, and the one after each round of tools.
    prompts: Vec<String>,
    /// The rounds of tools that came before its end.
    rounds: Vec<ToolRound>,
}

/// A turn that is being read.
struct OpenTurn {
    seat: SeatId,
    prompts: Vec<String>,
    rounds: Vec<ToolRound>,
}

/// A prompt that differs from the recording's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    /// The file of the recording.
    pub path: PathBuf,
    /// The participant and the number of its turn, from 1.
    pub turn: String,
    /// The difference, in words.
    pub difference: String,
}

impl Cassette {
    /// Reads a session; `seats` are those of the test, by whose voices prompts are built.
    ///
    /// # Errors
    /// A sentence that says why it cannot be spoken from.
    pub fn read(
        path: &Path,
        seats: &[Participant],
        ignored: Vec<Regex>,
    ) -> Result<Cassette, String> {
        let log = session::read(path).map_err(|e| e.to_string())?;
        if log.records.is_empty() {
            return Err("contains no turns".into());
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
                        // of a call that was tried again, what it was shown last
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
                    // a turn without a call is a person's, whose words are commands
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

    /// Returns whether a participant said anything in it.
    pub fn has(&self, seat: &str) -> bool {
        self.turns.keys().any(|(id, _)| **id == *seat)
    }

    /// Returns the first turn of a participant, from 0, that had this prompt.
    pub fn turn_of(&self, seat: &SeatId, purpose: Purpose, prompt: &str) -> Option<usize> {
        let all = self.turns.get(&(seat.clone(), purpose))?;
        all.iter().position(|turn| turn.prompts.first().is_some_and(|first| first == prompt))
    }

    /// Returns what a participant says in one of its turns, from 0, after some rounds of tools, and how the current prompt
    /// differs.
    ///
    /// # Errors
    /// A sentence that the recording has no such turn.
    pub fn says(
        &self,
        seat: &SeatId,
        purpose: Purpose,
        turn: usize,
        round: usize,
        now: &str,
    ) -> Result<(Vec<Chunk>, Option<Drift>), String> {
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
            ));
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

    /// Returns what a tool returned to a participant when it was called like this, in one of its turns.
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

    /// Returns a prompt without what differs from run to run.
    fn plain(&self, prompt: &str) -> String {
        let replaced = |text: String, part: &Regex| part.replace_all(&text, VOLATILE).into_owned();
        self.ignored.iter().fold(prompt.to_owned(), replaced)
    }
}

/// The event as if the session had been had with the test's voices: a prompt depends on whether a model reads it.
fn as_seated(event: &Event, seats: &[Participant]) -> Event {
    let mut event = event.clone();
    if let Kind::Opened(opened) = &mut event.kind {
        for participant in &mut opened.participants {
            if let Some(seat) = seats.iter().find(|s| s.id == participant.id) {
                participant.voice = seat.voice.clone();
                (participant.window, participant.local) = (seat.window, seat.local);
            }
        }
    }
    event
}

/// A call that ended with requests for tools.
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

/// Writes the session of a run over a recording.
///
/// # Errors
/// The error of the operating system.
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
