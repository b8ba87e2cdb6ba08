//! Values for [`crate::host::assemble`]: the past, the clock, the name and the first event of a conversation.
//!
//! The past is read and folded once and passed on.

use crate::cli::error::{Exit, Failure};
use crate::clock::{Clock, VIRTUAL_EPOCH, wall_now};
use crate::model::payload::Opened;
use crate::model::{CallRate, Participant, Text, VoiceSpec, Wall};
use crate::scenario::Loaded;
use crate::session::{FORMAT, Record, Survey};
use crate::state::State;
use crate::ui::ViewState;
use crate::ui::view::transcript::Transcript;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

/// A session after reading and folding.
pub struct OpenedSession {
    /// Facts about its file.
    pub survey: Survey,
    /// State after its last event.
    pub past: State,
    /// Earlier events in order, if the reader shows them again.
    pub before: Vec<Arc<Record>>,
    /// The transcript, if the reader is a screen.
    pub told: Option<ToldPast>,
}

/// Transcript of the past, and the reader's position in it if its end was already on the screen.
pub type ToldPast = (Box<Transcript>, Option<Box<ViewState>>);

/// Returns true if no reply takes real time, so that the conversation can run on virtual time. A person takes real time
/// only if their messages are `typed` during the run.
pub fn is_timeless<'a>(seats: impl IntoIterator<Item = &'a Participant>, typed: bool) -> bool {
    seats.into_iter().all(|seat| match &seat.voice {
        VoiceSpec::Lines { .. } => true,
        VoiceSpec::Team(team) => is_timeless(&team.participants, typed),
        VoiceSpec::Human { link, .. } => !typed && !link,
        VoiceSpec::Model(model) => model.recording().is_some(),
        VoiceSpec::Script(_) | VoiceSpec::Http(_) | VoiceSpec::Agent(_) => false,
    })
}

/// Returns the clock of a conversation that continues from a state. Virtual time counts from the start of the session.
pub fn clock(virtual_time: bool, state: &State, began: Wall) -> Clock {
    if virtual_time { Clock::virtual_since(began, state.ms) } else { Clock::real(state.ms) }
}

/// Returns the fixed start of a session on virtual time if two runs must be equal byte for byte: with a seed, or with a
/// `date` in the environment. Otherwise no made-up date gets into an archive.
pub fn fixed_epoch(virtual_time: bool, seed: Option<u64>, date: Option<Wall>) -> Option<Wall> {
    if virtual_time { date.or(seed.map(|_| VIRTUAL_EPOCH)) } else { None }
}

/// Returns the start of a session as recorded in its first line.
pub fn began(log: &Survey) -> Wall {
    log.began.unwrap_or(VIRTUAL_EPOCH)
}

/// Returns an unpredictable number.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns the time and the number that a new session is named after. Both are reproducible if its start is fixed.
pub fn naming(fixed: Option<Wall>, seed: u64) -> (Wall, u64) {
    fixed.map_or_else(|| (wall_now(), random()), |at| (at, seed))
}

/// The seed of a rehearsal on virtual time that names none.
pub const REHEARSAL_SEED: u64 = 0;

/// Returns the first event of a conversation.
pub fn opened(
    loaded: Loaded,
    rates: BTreeMap<Text, CallRate>,
    seed: u64,
    attended: bool,
) -> Result<Opened, Failure> {
    let scenario = serde_json::to_value(&loaded.scenario)
        .map_err(|e| Failure::new(Exit::Failed, format!("cannot write the scenario: {e}")))?;
    Ok(Opened {
        format: FORMAT,
        program: concat!("colloquium ", env!("CARGO_PKG_VERSION")).into(),
        seed,
        rehearsed: loaded.is_rehearsed(),
        scenario,
        participants: loaded.participants,
        parallel: loaded.parallel,
        rates,
        attended,
        steered: false,
        rules: 1,
        item: None,
    })
}

/// Returns the first event of a conversation that is only planned.
pub fn rehearsal(loaded: Loaded) -> Result<Opened, Failure> {
    opened(loaded, BTreeMap::new(), REHEARSAL_SEED, true)
}
