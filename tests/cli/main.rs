//! Tests of the command line on the built binary. Each test has its own home and data folder.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail where it stands")]

#[cfg(feature = "acp")]
mod acp;
mod acp_trust;
mod agents;
mod agents_resumed;
mod ask;
mod batch;
mod batch_arms;
mod batch_compared;
mod batch_du;
mod batch_export;
mod batch_grid;
mod batch_hostile;
mod batch_items;
mod batch_large;
mod batch_models;
mod batch_protocols;
mod batch_report;
mod batch_results;
mod batches;
mod browser;
mod bundled;
#[path = "../canary/mod.rs"]
mod canary;
mod casting;
mod descent;
mod detached;
mod exits;
mod export;
mod failing;
mod fallbacks;
mod flat;
mod followed;
mod fork;
mod formats;
mod help;
mod history;
mod hostile;
mod hostile_ways;
mod house;
mod imports;
mod imports_real;
mod keys;
mod limits;
mod lists;
mod live;
mod long_life;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_client;
mod mcp_eras;
#[cfg(feature = "mcp")]
mod mcp_gate;
#[cfg(feature = "mcp")]
mod mcp_http;
#[cfg(feature = "mcp")]
mod mcp_limits;
#[cfg(feature = "mcp")]
#[cfg(target_os = "linux")]
mod mcp_live;
mod mcp_results;
#[cfg(feature = "mcp")]
mod mcp_sdk;
#[cfg(feature = "mcp")]
mod mcp_sessions;
mod minds;
#[cfg(all(feature = "acp", feature = "mcp"))]
mod minds_doors;
mod model_tests;
mod model_update;
mod models;
mod old_logs;
mod old_sessions;
mod owned;
mod past_sessions;
mod plans;
mod player;
mod posters;
#[path = "../program/mod.rs"]
mod program;
mod real_servers;
mod reasons;
mod recordings;
mod remote;
mod replay;
mod resuming;
mod schemas;
#[cfg(target_os = "linux")]
mod script_processes;
mod scripted;
mod scripts;
mod secrets;
#[cfg(feature = "serve")]
mod serve;
mod serve_attacks;
mod serve_links;
mod served;
mod server;
mod servers;
mod services;
mod sessions;
mod settings;
mod steering;
mod stopping;
mod study;
mod test_asking;
mod test_coverage;
mod test_examples;
mod test_hostile;
mod test_keys;
mod test_outcomes;
mod test_tools;
mod tested_agents;
mod themes;
mod tls;
mod tools;
mod trust;
mod visible;
mod waiting;
mod whispers;
mod world;
