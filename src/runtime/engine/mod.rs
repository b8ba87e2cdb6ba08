//! The engine: it grants the floor, accepts replies, and decides which event to append next.
//!
//! Four pure functions make all decisions: [`react()`] returns the events that follow from an input, [`advance()`]
//! returns at most one further event, [`effects()`] returns the external actions of an event, [`deadline()`] returns
//! the next time that matters. Every prefix of the returned events is legal, so a kill between two lines never leaves
//! half a decision. Only `drive` has side effects: it owns the loop, the clock, the calls and the writer's queue.
//!
//! The engine deliberately knows no screen, no files except its session, and no policy by name.

mod acts;
mod advance;
mod ahead;
mod asking;
mod at_work;
mod debts;
mod drafts;
mod drive;
mod effects;
mod execute;
mod goals;
mod guests;
mod input;
mod judging;
mod loops;
mod money;
mod permissions;
mod profile;
mod react;
mod resolve;
mod result;
mod steps;
mod stops;
mod summary;
mod tally;
#[cfg(test)]
mod tests;
mod tools;
mod turns;
mod verdict;
mod words;

pub use advance::advance;
pub use ahead::next_speakers;
pub use drive::Engine;
pub use effects::{Effect, deadline, effects};
pub use execute::inherited;
pub use guests::{Attendance, Guests, Owner};
pub use input::{Input, Stopped, Witness};
pub use loops::{Said, circling};
use react::{end_left, refused};
pub use react::{react, recover};
