//! The core's promises: what holds for every conversation, whatever happens to it.
//!
//! | the promise | held by |
//! |---|---|
//! | one event is one decision; every prefix of a log is legal | `kills` |
//! | effects are read from events; a call starts only when its order is written | `disk` |
//! | a policy remembers its memo alone; dice have no position | `kills`, `flows::a_shuffled_order_…` |
//! | a turn is one grant; batches of the operator disturb no policy | `commands::the_floor_…`, `commands::the_last_utterance_…` |
//! | a batch's place is the horizon, also on retry, under step and after a kill | `flows::a_simultaneous_…`, `commands::step_…`, `kills` |
//! | talks inside the talk; commands reach them | `flows::phases_…`, `threads` |
//! | every command acts once and has its cause | `harness` (every run), `kills` |
//! | pieces are shown at once and sealed soon; a cut keeps what was sealed | `commands::cut_in_…`, `flows::a_simultaneous_…` |
//! | a stalled thread ends | `flows::nothing_stalls_…` |
//! | virtual time waits for real work | `tests/cli` (scripts), `flows::silence_…` |
//! | commands first; a stalled disk starts nothing and loses nothing | `disk` |
//! | what is decided on is in the log | `harness` (every run folds the file), `kills` |
//! | who speaks next: pointer, shares, mentions, nobody starves | `policies`, `choosers` |
//! | seats that wait for one another run when that has come | `depends` |
//! | whose words are seen, under which names, and what nobody sees | `shows` |
//! | a talk in circles is warned of, then ended; a debate is not | `loops` |
//! | what is known of a person: kept fact by fact, ranked, the same after a kill | `profiles` |
//! | answers and votes: who begins again, whose vote counts, how ties end | `consensus` |
//! | plans: who works on which step, what each is shown, how steps end | `plans`, `plan_commands` |
//! | judges of a talk and of its phases: who stops, who breaks a tie | `judging`, `verdicts` |
//! | a limit holds, it does not end | `counting`, `money` |
//! | money is set aside before a call | `money` |
//! | a branch keeps its past and goes on like a resume | `forks` |
//! | an end can be passed: rules and rounds count from there | `reopenings` |
//! | a prompt's digest is that of the whole prompt, and no word is hashed twice for a seat | `digests` |
//! | replies that repeat, echo, or find no word | `repeats` |
//! | what models are shown, word by word | `prompts` |
//! | a replay shows at every moment what was shown then | `replay` |
//! | every fault under every failure rule ends in one event, in time | `failures` |
//! | a reply that broke off, was filtered, or speaks for somebody else | `replies` |
//! | a resume is linear in what a file holds | `many` |
//! | never silently another model | `fallbacks` |
//!
//! `cargo test --test core` takes seconds; the same with every cut and many more seeds: `cargo test --test core -- --ignored`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test says by them what did not hold")]

mod again;
mod ballots;
mod bounds;
mod choosers;
mod chosen;
mod commands;
mod consensus;
mod counting;
mod depends;
mod digests;
mod disk;
mod failures;
mod fallbacks;
#[path = "../faults/mod.rs"]
mod faults;
mod flows;
mod forks;
mod forms;
mod harness;
mod judging;
mod kills;
mod loops;
mod many;
mod minds;
mod money;
mod plan_commands;
mod plans;
mod policies;
mod profiles;
mod prompts;
mod rates;
mod reopenings;
mod repeats;
mod replay;
mod replies;
mod requests;
mod scripted;
mod sealing;
mod shows;
mod skeleton;
mod stances;
mod summaries;
mod teams;
mod threads;
mod tools;
mod verdicts;
mod whispers;
