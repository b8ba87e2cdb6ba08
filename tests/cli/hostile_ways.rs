//! Every way in with the same hostile values: none may act, hang or take much memory.

mod data;
#[path = "../hostile_values/files.rs"]
mod hostile_files;
#[path = "../hostile_values/mod.rs"]
mod hostile_values;
mod keys;
mod paths;
