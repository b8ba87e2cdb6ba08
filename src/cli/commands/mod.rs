//! The sub-commands, one a file.

pub mod analyze;
pub mod ask;
pub mod batch;
pub mod check;
pub mod demo;
pub mod doctor;
pub mod explain;
pub mod export;
pub mod fork;
pub mod help;
pub mod keys;
pub mod manual;
pub mod mcp;
pub mod models;
pub mod paths;
pub mod replay;
pub mod resume;
pub mod run;
pub mod scenarios;
pub mod schema;
pub mod sessions;
pub mod test;
pub mod themes;
pub mod watch;
