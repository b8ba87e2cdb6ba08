//! The engine: it grants the floor, takes words in, and decides what to append next.
//!
//! Four pure functions decide everything: [`react()`] returns the events that follow from an input, [`advance()`]
//! returns one event more or nothing, [`effects()`] reads from an event what must be done outside, [`deadline()`] says
//! when time alone matters. Every prefix of what they return is legal, so a kill between any two lines loses no half of
//! a decision. Only `drive` does anything: it owns the loop, the clock, the calls and the writer's queue.
//!
//! It deliberately knows no screen, no files but the session it writes, and no policy by name.

mod advance;
mod ahead;
mod asking;
mod at_work;
mod closing;
mod drafts;
mod drive;
mod effects;
mod execute;
mod input;
mod judging;
mod loops;
mod money;
mod permissions;
mod profile;
mod react;
mod resolve;
mod steps;
mod stops;
mod summary;
mod tally;
mod team;
mod tools;
mod turns;
mod verdict;
mod witness;
mod words;

pub use advance::advance;
pub use ahead::next_speakers;
pub use drive::{Engine, Stopped};
pub use effects::{Effect, deadline, effects};
pub use input::Input;
pub use loops::{Said, circling};
use react::refused;
pub use react::{react, recover};
pub use team::with_teams;
pub use witness::Witness;
