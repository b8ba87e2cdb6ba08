//! colloquium: several AIs talk to each other at one table; a person watches, steers and joins in.
//!
//! This page is for somebody who has only this repository. One idea carries everything: **a conversation is an
//! append-only log of events; everything else is a reader of that log, or something that decides what to append next.**
//!
//! ```text
//!      COMMAND PATH  what someone wants               DATA PATH  what happened
//!
//!    key press, steer file, stdin                  words from a script, rehearsed lines, a model
//!        │ steer                                       │ voice::*
//!        ▼                                             ▼
//!    Command ══ own channel, first ══►  ENGINE  ◄══ Chunk(call, ...)   bounded
//!                                          │
//!                                          │  react(live, now, input)   what an input makes true      pure
//!                                          │  advance(state)            one event more, or nothing    pure
//!                                          │     ├─ policy::next        who speaks, with its memo
//!                                          │     └─ prompt::build       what they see, up to the horizon
//!                                          │  effects(state, event)     start a call, cancel a call   pure
//!                                          ▼
//!                               1  SESSION  append: one writer thread, seq + 1
//!                               2  STATE    apply(&event): the only fold
//!                               3  TAIL     what was, then what comes, loose pieces in between
//!                                          ▼
//!                            screen · headless · export · analysis
//! ```
//!
//! # Where to find a thing
//!
//! | you look for | it is in |
//! |---|---|
//! | the words everything is spelled in: events, commands, participants | [`model`] |
//! | what the fold remembers, and how an event changes it | [`state`] (`apply.rs`) |
//! | why somebody speaks next | [`policy`], one file each |
//! | what the commands of the operator do | [`model::command::COMMANDS`] names them; `engine/resolve.rs` says what they act on, `state/commands.rs` and `engine/execute.rs` what they do |
//! | what happens when a call fails | `engine/turns.rs` |
//! | limits, stops, pauses, ends | `engine/advance.rs` |
//! | what a participant is shown | [`prompt`] |
//! | session files: spelling, writing, locking, mending | [`session`] |
//! | scenario files and their faults | [`scenario`], its keys in `keys.rs` |
//! | which characters may reach a terminal | [`text`] |
//! | conditions and templates, and what keeps them harmless | [`expr`] |
//! | child processes, and that none survives | [`spawn`] |
//! | language models over four wire formats, and the classes of their faults | `voice/remote/`, one file a wire |
//! | whose words a reply really holds | [`reply`] |
//! | settings, keys, folders | [`config`] |
//! | how a file that somebody else may have written is opened | [`untrusted`] |
//! | figures over a talk: shares, cost, speed, votes, mentions, repetition | [`analysis`], one figure a file |
//! | a talk as a page, a text, a table, a recording | [`export`], one format a file, listed in `FORMATS` |
//! | two talks side by side, branches on the screen | `export/beside.rs`, `ui/act/branches.rs`, `catalogue/tree.rs` |
//! | what an export leaves out, what `sessions redact` takes out | `session/redaction.rs` |
//! | scripted tests: their keys, how one is run, how it is reported | [`testing`], a form of a report a file in `testing/report/` |
//! | the screen: keys, panes, themes | [`ui`] |
//! | sub-commands, one a file, and the options of each | `cli/commands/`, `cli/args/` |
//! | what the program does next, and where a failure leads | `cli/play/next.rs`, `cli/play/go.rs` |
//! | how a conversation is put together: session, feed, voices, clock, engine | `cli/play/assemble.rs` |
//! | what leaving saves, and the command that resumes | `cli/play/outcome.rs` |
//! | the start screen: what it offers, what a choice does | `cli/home/` |
//! | which model speaks, which servers answer | `cli/models/` |
//! | what a file may run, and what the operator has agreed to | `cli/trust/` |
//! | drafts, input history and preferences, kept from run to run | `cli/memory/` |
//! | errors, hints and exit codes | `cli/error.rs`, `cli/exit.rs` |
//!
//! # What holds
//!
//! - **One event is one decision**, and every prefix of a log is legal: a kill between any two lines loses no half of
//!   anything. What is being carried out is in the state; a resume carries it out.
//! - **Effects are read from events**: a call starts only when the event that orders it is written. A cancel never waits.
//! - **A policy remembers its memo alone**, and the memo is in the event of its decision. Dice depend on the seed and on
//!   ordinals of the talk, never on a generator's position and never on a `seq`, which a crash shifts.
//! - **A turn is one grant of the floor for a purpose.** Seats granted at once form a batch; its place in the log is their
//!   horizon, also on retry, under step and after a crash. The operator's words pass the horizon, up to the call.
//! - **Talks inside the talk are threads** in one log with one `seq`.
//! - **Every command has a key** and acts once; events carry the command that caused them.
//! - **Pieces are shown at once and sealed soon**; what a cut keeps is exactly what was sealed.
//! - **Time comes in through [`clock`]**; virtual time moves only when every running call sleeps in it.
//!
//! What is deliberately absent: `session` does not know `state`; nobody but the writer writes a session and nobody but
//! `apply` changes a conversation; only [`config`] reads the environment, only [`spawn`] starts processes, only
//! [`clock`] reads time, only [`text`] decides what a terminal gets. Who may lean on whom is a table in
//! `tests/house/tables.rs`, and a test holds it.
//!
//! # Words
//!
//! *Conversation* the whole; *session* its log on disk; *participant* or *seat* who can speak; *voice* its source of words;
//! *policy* who speaks next; *floor* the right to speak; *round* one full pass of a phase's speakers; *phase* a thread with
//! its own rules; *piece* a bit of an utterance arriving; *event* a fact in the log; *command* a request to the engine;
//! *effect* what the engine must have done outside; *operator* the person who steers and sits in no seat.

pub mod analysis;
pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod engine;
pub mod export;
pub mod expr;
pub mod model;
pub mod net;
pub mod policy;
pub mod prompt;
pub mod reply;
pub mod scenario;
pub mod session;
pub mod spawn;
pub mod state;
pub mod steer;
pub mod testing;
pub mod text;
pub mod ui;
pub mod untrusted;
pub mod voice;
