//! Vocabulary, record and engine of colloquium: everything below the screen and the command line. The map of the code is
//! the first page of `colloquium`.

#[cfg(not(unix))]
compile_error!("colloquium needs the processes, signals and terminals of Unix");

pub mod aggregate;
pub mod analysis;
pub mod catalogue;
pub mod clock;
pub mod config;
pub mod engine;
pub mod export;
pub mod expr;
pub mod import;
pub mod live;
pub mod model;
pub mod net;
pub mod own_file;
pub mod policy;
pub mod prompt;
pub mod reply;
pub mod rpc;
pub mod scenario;
pub mod session;
pub mod shared;
pub mod spawn;
pub mod state;
pub mod stats;
pub mod steer;
pub mod text;
pub mod tool;
pub mod untrusted;
pub mod voice;
pub mod workers;
