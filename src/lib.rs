//! colloquium: several AIs talk to each other at one table; a person watches, steers and joins in.
//!
//! This page is for somebody who has only this repository. One idea carries everything: **a conversation is an
//! append-only log of events; everything else is a reader of that log, or something that decides what to append next.**
//!
//! ```text
//!      COMMAND PATH  what someone wants               DATA PATH  what happened
//!
//!    key press, steer file, stdin                  words from a script, rehearsed lines, a model
//!        │ ui, steer                                   │ voice::*
//!        ▼                                             ▼
//!    Command ══ own channel, first ══►  ENGINE  ◄══ Chunk(call, ...)   bounded
//!                                          │
//!                                          │  react(live, now, input)   what an input makes true      pure
//!                                          │  advance(state)            one event more, or nothing    pure
//!                                          │     └─ policy::next        who speaks, with its memo
//!                                          │  effects(state, event)     start a call, cancel a call   pure
//!                                          │     └─ prompt::build       what they see, up to the horizon
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
//! | why somebody speaks next | [`policy`], one file each; `in_turn.rs` has mentions and who is owed a turn for one |
//! | plans: steps, executors, their messages | `policy/plan.rs` decides what begins, `policy/step.rs` is the talk in a step, `state/planned.rs` what is known; `engine/steps.rs` checks the operator's commands on it |
//! | what the commands of the operator do | [`model::command::COMMANDS`] names them; `engine/resolve.rs` says what they act on, `state/commands.rs` and `engine/execute.rs` what they do |
//! | what happens when a call fails, who is asked again and after how long (a 429) | `engine/turns.rs`; the classes of failures are in `voice/remote/failure.rs` |
//! | words half spoken when somebody stops them | `engine/turns.rs` (`cut`); what was shown is sealed by `engine/drive.rs` |
//! | limits and their warning at four fifths, pauses, ends | `engine/advance.rs`; money in `engine/money.rs`; the warning in words is `export::nearing` |
//! | stop rules; a conversation that goes in circles | `engine/stops.rs`; `engine/loops.rs` |
//! | votes, verdicts, who is asked and how it is counted | `engine/judging.rs`, `engine/verdict.rs`, `engine/tally.rs` |
//! | what a participant is shown | [`prompt`]; who may see which words (whispers, phases) is `state/seen.rs` |
//! | a prompt that is too long for its model | `prompt/budget.rs`; summaries are ordered by `engine/summary.rs` |
//! | session files: spelling, writing, locking | [`session`]; a torn last line is repaired by `session/repair.rs` |
//! | answers in replies, and one answer made of many | `reply/answer.rs` reads, [`aggregate`] counts, `state/answers.rs` collects |
//! | scenario files and their faults | [`scenario`], its keys in `keys.rs` |
//! | which characters may reach a terminal | [`text`] |
//! | conditions and templates, and what keeps them harmless | [`expr`] |
//! | child processes, and that none survives | [`spawn`] |
//! | tools of participants: what may run, what came back | `engine/tools.rs`, `state/tools.rs`; scripts and the files of a folder are in [`tool`] |
//! | a team as one seat: a whole conversation inside a call | `engine/team.rs`; its scenario is read by `scenario/load.rs` |
//! | agents that take a seat (ACP) | `voice/agent/`; what they ask leave for is decided by `engine/permissions.rs`; its lines are [`rpc`]'s |
//! | language models over four wire formats | `voice/remote/`, a format a file in `voice/remote/wire/` |
//! | whose words a reply really holds | [`reply`] |
//! | settings, keys, folders | [`config`] |
//! | how a file that somebody else may have written is opened | [`untrusted`] |
//! | how a file of our own is created, extended and replaced | [`own_file`] |
//! | scripted tests: their keys, how one is run, how it is reported | [`testing`], a form of a report a file in `testing/report/` |
//! | a scenario over many questions: items, budget, results, report | [`batch`]; a conversation of one is had by `cli/commands/batch/conversations.rs` |
//! | intervals; work that threads share; lists whose copies share memory | [`stats`]; [`workers`]; [`shared`] |
//! | the price and the window of a model | `assets/models.toml`, read by `config/list.rs`; `cli/models/resolve.rs` puts them into the seat |
//! | figures over a conversation: shares, cost, speed, votes, mentions, repetition | [`analysis`], one figure a file, listed in `FIGURES` |
//! | an event in words, for text, pages and the screen | `export/narrate.rs` |
//! | a conversation as a page, a text, a table, a recording | [`export`], one format a file, listed in `FORMATS` |
//! | two conversations side by side, branches | `export/beside.rs`, `ui/act/branches.rs`, `catalogue/tree.rs` |
//! | what an export leaves out, whispers first; what `sessions redact` takes out | `export/discretion.rs`, `session/redaction.rs` |
//! | sub-commands, one a file, and the options of each | `cli/commands/`, `cli/args/` |
//! | what the program does next, and where a failure leads | `cli/play/next.rs`, `cli/play/go.rs` |
//! | how a conversation is put together: session, feed, voices, clock, engine | `cli/play/assemble.rs` |
//! | what leaving saves, and the command that resumes | `cli/play/outcome.rs` |
//! | the start screen: what it offers, what a choice does | `cli/home/`; it is drawn by `ui/start/` |
//! | which model speaks, which servers answer | `cli/models/` |
//! | what a file may run, and what the operator has agreed to | `cli/trust/` |
//! | drafts, input history and preferences, kept from run to run | `cli/memory/` |
//! | errors, hints and exit codes | `cli/error.rs`, `cli/exit.rs` |
//! | a conversation that runs: with the screen, without, as growing text; Ctrl-C | `cli/play/`: `screen.rs`, `headless.rs`, `linear.rs`; `signals.rs` |
//! | which key means what | `ui/keymap/` |
//! | what the screen holds | `ui/view/`; `ui/text/` breaks it into rows |
//! | what an action changes | `ui/act/` |
//! | how it is drawn | `ui/draw/`, one pane a file; colours by role, a participant's among them, in `ui/theme/` |
//! | the terminal's modes, and that they are switched off again | `ui/terminal/` |
//! | the same without redrawing, for a screen reader | `ui/linear/` |
//!
//! # What happens when I press space
//!
//! 1. `ui/run.rs` takes the key from the terminal; `ui/keymap/` makes it [`ui::action::Action::TogglePause`].
//! 2. `ui/act/update.rs` hands it to `ui/act/intents.rs`, which looks whether the conversation is paused and asks for
//!    [`model::Command::Pause`] or `Resume`. Nothing on the screen changes yet.
//! 3. The command gets a key (`ui/view/outbox.rs`) and goes through a channel to `cli/play/engine_input.rs`, which hands it
//!    to the engine as [`engine::Input::Command`].
//! 4. `engine/react.rs` asks `resolve.rs` what it acts on and drafts `command.given`. `engine/drive.rs` gives the draft its
//!    `seq`, writes it ([`session`]), folds it ([`state`]: the run is now *pausing*) and shows it (the tail).
//! 5. `engine/advance.rs` is asked again and again: `execute.rs` drafts a `receipt` (*queued*) while somebody speaks; once
//!    nobody does, `paused` follows, and the receipt *done*. Both name the command as their `cause`.
//! 6. The tail brings each event to `ui/view/transcript.rs`, which folds it into a state of its own; the header says
//!    *pausing*, then *paused*.
//!
//! # What adding one thing costs
//!
//! | a | files | which |
//! |---|---|---|
//! | theme | 1 | `themes/` |
//! | scenario | 1 | `assets/scenarios/`, or a file of your own |
//! | vendor of a known wire | 1 | a row in `voice/remote/vendor.rs` |
//! | policy | 2 | its file in `policy/`, its line in `policy/mod.rs` |
//! | export format | 2 | its file in `export/`, its row in `FORMATS` |
//! | figure | 2 | its file in `analysis/`, its row in `FIGURES`, which also says its page on the screen |
//! | pane | 3 | its file in `ui/draw/`, its row in `ui/draw/mod.rs`, its place in `ui/layout.rs` |
//! | wire format | 3 | its file in `voice/remote/wire/`, its arms in `voice/remote/wire.rs`, its name in `model/wire.rs` |
//! | command | 5 | `model/command.rs`, `engine/resolve.rs`, `state/commands.rs` and `engine/execute.rs`, `export/commands.rs` |
//! | overlay of text | 4 | its file in `ui/view/`, its line and its row of `TEXTS` in `ui/view/mod.rs`, `ui/action.rs`, `ui/keymap/rows.rs`; `page.rs` draws it |
//! | overlay with keys of its own | 10 | as that, and its file in `ui/draw/` with its row in `OVERLAYS`, `ui/screen.rs`, `ui/act/leave.rs`, `ui/keymap/focus.rs` |
//! | event kind | 4 or more | `model/event.rs` and `payload.rs`, `state/apply.rs`, `export/narrate.rs`; the compiler names every other reader, and the schema follows from the types |
//!
//! # What holds
//!
//! - **One event is one decision**, and every prefix of a log is legal: a kill between any two lines loses no half of
//!   anything. What is being carried out is in the state; a resume carries it out.
//! - **Effects are read from events**: a call starts only when the event that orders it is written. A cancel never waits.
//! - **A policy remembers its memo alone**, and the memo is in the event of its decision. Dice depend on the seed and on
//!   ordinals of the conversation, never on a generator's position and never on a `seq`, which a crash shifts.
//! - **A turn is one grant of the floor for a purpose.** Seats granted at once form a batch; its place in the log is their
//!   horizon, also on retry, under step and after a crash. The operator's words pass the horizon, up to the call.
//! - **Talks inside the conversation are threads** in one log with one `seq`.
//! - **Every command has a key** and acts once; events carry the command that caused them.
//! - **Pieces are shown at once and sealed soon**; what a cut keeps is exactly what was sealed.
//! - **Time comes in through [`clock`]**; virtual time moves only when every running call sleeps in it.
//!
//! What is deliberately absent: `session` does not know `state`; nobody but the writer writes a session and nobody but
//! `apply` changes a conversation; only [`config`] reads the environment, only [`spawn`] starts processes, only
//! [`clock`] reads time, only [`text`] decides what a terminal gets. Who may use whom is a table in
//! `tests/house/tables.rs`, and a test holds it.
//!
//! # Words
//!
//! *Conversation* the whole; *session* its log on disk; *participant* or *seat* who can speak; *voice* its source of words;
//! *policy* who speaks next; *floor* the right to speak; *round* one full pass of a phase's speakers; *phase* a thread with
//! its own rules; *piece* a bit of an utterance arriving; *event* a fact in the log; *command* a request to the engine;
//! *effect* what the engine must have done outside; *operator* the person who steers and sits in no seat.

pub mod aggregate;
pub mod analysis;
pub mod batch;
pub mod catalogue;
pub mod cli;
pub mod clock;
pub mod config;
pub mod engine;
pub mod export;
pub mod expr;
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
pub mod testing;
pub mod text;
pub mod tool;
pub mod ui;
pub mod untrusted;
pub mod voice;
pub mod workers;
