//! Vocabulary of events and commands, expressions, terminal filter, clock.

#[cfg(not(unix))]
compile_error!("colloquium needs the processes, signals and terminals of Unix");

pub mod aggregate;
pub mod clock;
pub mod expr;
pub mod model;
pub mod own_file;
pub mod shared;
pub mod stats;
pub mod text;
pub mod untrusted;
pub mod workers;
