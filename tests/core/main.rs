//! Guarantees of the core for every conversation.
//!
//! | guarantee | tested by |
//! |---|---|
//! | one event is one decision; every prefix of a log is legal | `kills` |
//! | effects are read from events; a call starts only after its event is written | `disk` |
//! | the memo is the whole state of a policy; random numbers have no position | `kills`, `flows::a_shuffled_order_…` |
//! | a turn is one grant; batches of the operator disturb no policy | `commands::the_floor_…`, `commands::the_last_utterance_…` |
//! | a batch's position is the horizon, also on retry, step and kill | `flows::a_simultaneous_…`, `commands::step_…`, `kills` |
//! | nested threads, and commands in them | `flows::phases_…`, `threads` |
//! | every command acts once and has its cause | `harness` (every run), `kills` |
//! | pieces are shown at once and sealed soon; a cut keeps sealed pieces | `commands::cut_in_…`, `flows::a_simultaneous_…` |
//! | a stalled thread ends | `flows::nothing_stalls_…` |
//! | virtual time waits for real work | `tests/cli` (scripts), `flows::silence_…` |
//! | commands first; a blocked disk starts nothing and loses nothing | `disk` |
//! | every input of a decision is in the log | `harness` (every run folds the file), `kills` |
//! | choice of the next speaker: pointer, shares, mentions, no starvation | `policies`, `choosers` |
//! | seats with dependencies run once these are met | `depends` |
//! | visible and hidden messages, and the names they carry | `shows` |
//! | a scribe writes the result before the end, within the budget | `results`, `kills` |
//! | a circular conversation gets a warning, then ends; a debate does not | `loops` |
//! | protocols of experiments: equal requests whatever the delays | `presets` |
//! | profile of a person: stored fact by fact, ranked, the same after a kill | `profiles` |
//! | answers and votes: restarts, valid votes, ties | `consensus` |
//! | plans: assignment, prompts and ends of steps | `plans`, `plan_commands` |
//! | a hold keeps the next turn from starting, for 60 s at most | `holds` |
//! | judges of a conversation and of its phases: stops and ties | `judging`, `verdicts` |
//! | a reached limit pauses the conversation rather than ending it | `counting`, `money` |
//! | money is reserved before a call | `money` |
//! | a branch keeps its past and continues like a resume | `forks` |
//! | an ended conversation can continue: rules and rounds count from there | `reopenings` |
//! | a finished conversation asks nobody before something new is said | `finished` |
//! | a prompt's digest is that of the whole prompt, and no text is hashed twice for a seat | `digests` |
//! | replies that repeat, echo, or contain no word | `repeats` |
//! | prompts of models, verbatim | `prompts` |
//! | material, varied lengths, offers that need an answer | `asked` |
//! | a replay shows every moment as it was | `replay` |
//! | every fault under every failure rule ends in one event, in time | `failures` |
//! | a reply that broke off, was filtered, or speaks for another seat | `replies` |
//! | a resume is linear in the size of the file | `many` |
//! | memos of foreign logs neither stop nor break a conversation | `memos` |
//! | never silently another model | `fallbacks` |
//!
//! `cargo test --test core` takes seconds. With every cut and many more seeds: `cargo test --test core -- --ignored`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says by them what did not hold")]

mod again;
mod asked;
mod ballots;
mod bounds;
mod casts;
mod choosers;
mod chosen;
mod commands;
mod consensus;
#[path = "../corpus/mod.rs"]
mod corpus;
mod counting;
mod debts;
mod depends;
mod digests;
mod disk;
mod doubts;
mod failures;
mod fallbacks;
#[path = "../faults/mod.rs"]
mod faults;
mod finished;
mod flows;
mod forks;
mod forms;
mod fuzz;
mod harness;
mod holds;
mod host;
mod impersonation;
mod import_losses;
mod judging;
mod kills;
mod loops;
mod many;
mod memos;
mod minds;
mod money;
mod moves;
mod plan_commands;
mod plans;
mod played;
mod policies;
mod polls;
mod presets;
mod profiles;
#[path = "../program/mod.rs"]
mod program;
mod prompts;
mod rates;
mod reading;
mod record_damage;
mod record_disk;
mod record_files;
mod record_talk;
mod reopenings;
mod repeats;
mod replay;
mod replies;
mod requests;
mod results;
mod scenario_check;
mod scenario_load;
mod scenario_names;
mod scenario_rows;
mod scripted;
mod sealing;
mod shows;
mod skeleton;
mod small;
mod stances;
#[path = "../cli/remote/streams.rs"]
#[allow(dead_code, reason = "the streams; what a test of the client says of them is its own")]
mod streams;
mod summaries;
mod teams;
mod text_safety;
mod threads;
mod tools;
mod unclear;
mod verdicts;
mod whispers;
