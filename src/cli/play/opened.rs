//! The first event of a conversation.

use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::model::payload::Opened;
use crate::model::{CallRate, Text};
use crate::scenario::Loaded;
use crate::session::FORMAT;
use std::collections::BTreeMap;

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
    })
}

/// Returns the first event of a conversation that is only planned.
pub fn rehearsal(loaded: Loaded) -> Result<Opened, Failure> {
    opened(loaded, BTreeMap::new(), REHEARSAL_SEED, true)
}
