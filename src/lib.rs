//! colloquium: several AIs talk to each other at one table; a person watches, steers and joins in.
//!
//! This page introduces the code. Its central idea: **a conversation is an append-only log of events; all other code
//! either reads that log or decides which event to append next.**
//!
//! ```text
//!      COMMAND PATH  requests                         DATA PATH  events
//!
//!    key press, steer file, stdin                  text from a script, rehearsed lines, a model
//!        │ ui, steer                                   │ voice::*
//!        ▼                                             ▼
//!    Command ══ own channel, first ══►  ENGINE  ◄══ Chunk(call, ...)   bounded
//!                                          │
//!                                          │  react(live, now, input)   events that an input causes   pure
//!                                          │  advance(state)            the next event, or none       pure
//!                                          │     └─ policy::next        next speaker, with a memo
//!                                          │  effects(state, event)     start a call, cancel a call   pure
//!                                          │     └─ prompt::build       the prompt, up to the horizon
//!                                          ▼
//!                               1  SESSION  append: one writer thread, seq + 1
//!                               2  STATE    apply(&event): the only fold
//!                               3  TAIL     past events, then new ones, with unsealed pieces in between
//!                                          ▼
//!                            screen · headless · export · analysis
//! ```
//!
//! # Map of the code
//!
//! | topic | module or file |
//! |---|---|
//! | vocabulary: events, commands, participants | [`model`] |
//! | the state, and how an event changes it | [`state`] (`apply.rs`) |
//! | choice of the next speaker | [`policy`], one file each; `in_turn.rs` handles mentions and the turns that they give; `state/policies/` has the state and traits of policies, `state/memo.rs` their memos |
//! | progress of a policy on the screen; its part of prompts | as data: `policy/board.rs`, `policy/prompt_parts.rs`; `ui/view/board.rs`, `ui/draw/board.rs` and `prompt/sections.rs` know no policy |
//! | plans: steps, executors, their messages | `policy/plan.rs` starts steps, `policy/step.rs` runs the conversation in a step, `state/planned.rs` holds the data; `engine/steps.rs` checks the operator's commands on a plan |
//! | operator commands | [`model::command::COMMANDS`] lists them; `engine/resolve.rs` finds their targets, `state/commands.rs` queues them, `engine/execute.rs` executes them |
//! | failed calls, retries and their delays (HTTP 429) | `engine/turns.rs`; failures are classified by `voice/remote/failure.rs` |
//! | turns that are cut off | `engine/turns.rs` (`cut`); the text shown so far is sealed by `engine/drive.rs` |
//! | limits with their warning at 80 %, pauses, ends | `engine/advance.rs`; money in `engine/money.rs`; the text of the warning is `export::nearing` |
//! | default limits in money and tokens; the account that conversations and calls share | `runtime/ledger.rs` |
//! | stop rules; detection of loops | `engine/stops.rs`; `engine/loops.rs` |
//! | positions between two poles (`STANCE:` lines) | `reply/stream.rs` and `reply/closing.rs` take the line out of a reply, `state/stances.rs` reads it, `rules/stance.rs` asks for it |
//! | rules beside the policy, as data: a line in replies, votes before and after | [`rules`], one file each; `engine/judging.rs` takes their steps, `prompt` shows their texts; neither knows a rule by name |
//! | polls before and after, and the swing | `rules/poll.rs`; `state/poll.rs` |
//! | votes and verdicts: voters, judges, counting | `engine/judging.rs`, `engine/verdict.rs`, `engine/tally.rs` |
//! | prompts | [`prompt`]; the visibility of messages (whispers, phases) is in `state/seen.rs` |
//! | prompts that exceed a model's context window | `prompt/budget.rs`; summaries are requested by `engine/summary.rs` |
//! | session files: format, writing, locking | [`session`]; an incomplete last line is repaired by `session/repair.rs` |
//! | answers in replies, and their aggregation | `reply/answer.rs` parses, `model/canonical.rs` makes equal answers equal texts, `state/answers.rs` collects, [`aggregate`] counts |
//! | scenario files and their faults | [`scenario`], its keys in `keys.rs`; "From a scenario file to its seats" below |
//! | filter for characters that may reach a terminal | [`text`] |
//! | conditions and templates, and their limits | [`expr`] |
//! | child processes and their clean-up | [`spawn`] |
//! | tools of participants: checks and results | `engine/tools.rs`, `state/tools.rs`; scripts, tool servers and built-in tools are in [`tool`] |
//! | teams: one seat whose reply is the result of an inner conversation | `host/team.rs`; the team's scenario is loaded by `scenario/load.rs` |
//! | agents as participants (ACP) | `voice/agent/`; permission requests are decided by `engine/permissions.rs`; messages are parsed by [`rpc`] |
//! | HTTP services as participants: templates, paths, event streams | `voice/http/`; the keys are checked by `scenario/http.rs` |
//! | language models over five wire formats | `voice/remote/`; one file per format in `voice/remote/wire/` |
//! | parsing of replies: the speaker's own text, data, mentions | [`reply`] |
//! | settings, keys, folders | [`settings`] |
//! | a running conversation: its parts, its task, the ways to leave it; those of other processes | [`host`]: `parts.rs`, `running.rs`; `remote.rs` |
//! | clients of a running conversation: sockets, protocol, lines of both sides | [`live`]; `engine/guests.rs` receives their commands |
//! | pages of a running conversation for browsers: links, rows, event streams, seats | `serve/`, with the page in `assets/web/`; `cli/commands/serve.rs` prints the links |
//! | the MCP server: tools, tasks, limits for clients | `cli/commands/mcp/`; `tools.rs` makes the tools of functions in `talking.rs` and `reading.rs`, and their schemas of structs; `service.rs` speaks the protocol through its SDK, `lines.rs` and `http.rs` are the transports |
//! | connections over HTTP and their limits | `net/web.rs`, for pages and for MCP |
//! | opening of files that may come from others | [`untrusted`] |
//! | creating, extending and replacing the program's own files | [`own_file`] |
//! | scripted tests: keys, runs, reports | [`testing`]; its report formats in `testing/report.rs` |
//! | a scenario over many questions: items, budget, results, report | [`batch`]; `cli/commands/batch/conversations.rs` runs the conversations, `exporting.rs` writes them for other programs |
//! | statistics; thread pool; collections whose clones share memory | [`stats`]; [`workers`]; [`shared`] |
//! | price and context window of a model | `assets/models.toml`, read by `settings/list.rs`; `cli/models/resolve.rs` copies them into the seat |
//! | figures of a conversation: shares, cost, speed, votes, mentions, repetition | [`analysis`], one file per figure, listed in `FIGURES` |
//! | text for events, in exports and on the screen | `export/narrate.rs` |
//! | export as HTML, text, table or recording | [`export`], one file per format, listed in `FORMATS` |
//! | a page that plays: times of its parts, controls, script | `export/player.rs`, `player.js`, `player.css` |
//! | two conversations side by side, branches | `export/beside.rs`, `ui/act/branches.rs`, `catalogue/tree.rs` |
//! | conversations of other programs: parsers, and their events | [`import`], one file per format |
//! | sessions as exports and clients get them, without private content such as whispers | [`export::Seen`] in `export/visible.rs`; `session/redaction.rs` removes it, also for `sessions redact` |
//! | conversations in editors (ACP): sessions, updates, permissions | `cli/commands/acp/` |
//! | sub-commands, one file each, and their options | `cli/commands/`, `cli/args.rs` |
//! | completion of words in a shell | `cli/completing.rs` |
//! | the main loop: the next step, and the step after a failure | `cli/play/next.rs`, `cli/go.rs` |
//! | values for the assembly of a conversation: past, clock, name, first event | `cli/play/assemble.rs` |
//! | the end of a run: signals, saving, and the command to resume | `cli/play/attend.rs`, `cli/play/outcome.rs` |
//! | the start screen | `cli/home/` has its contents and the effect of a choice, `ui/start/` its keys and state; `ui/draw/start.rs` draws it |
//! | selection of models, discovery of servers | `cli/models/`; words for models are resolved by `minds.rs` alone, `cli/play/seating.rs` seats them |
//! | programs with the person's login as participants | `voice/program/`: a row of `table.rs` is a program; `cli/models/programs.rs` has their settings and logins |
//! | permissions of files, and the operator's consent | `cli/trust/`; kept in `cli/agreements/` |
//! | drafts, input history and preferences, kept between runs | `cli/memory/` |
//! | errors, hints and exit codes | `cli/error.rs` |
//! | a running conversation: on the screen, headless, as append-only text; Ctrl-C | `cli/play/`: `screen.rs`, `headless.rs`, `linear.rs`; `signals.rs` |
//! | actions: names, keys, handlers | the table in `ui/action.rs`; `ui/keymap/` resolves keys, and `ui/act/` has the effects |
//! | typed lines: whispers, commands, words for everybody | `steer/line.rs`; `steer/slash.rs` parses commands, `steer/slash/` their `KEY=VALUE` and participants; `ui/keymap/listed.rs` has the list of actions, from which palette, `/` and the page of the keys are made |
//! | state of the screen | `ui/view/`; `ui/text/` wraps text into rows |
//! | the outcome at the end, shown from its first row; failures, one row for each participant | `ui/view/ending.rs`, `ui/view/failures.rs` |
//! | loops: of a conversation, and of the start screen | `ui/run.rs`, `ui/run/` |
//! | drawing | `ui/draw/`, one file per pane; `ui/theme/` has the colours by role, including those of participants |
//! | terminal modes, and their reset on exit; the thread that reads keys | `ui/terminal/`; `ui/terminal/keys.rs` |
//! | bytes of a terminal: keys, pastes, late answers | `ui/terminal/input.rs`; `ui/terminal/sequences.rs` finds the ends of sequences and their meaning |
//! | text mode, for screen readers | `ui/linear/` |
//!
//! # Crates
//!
//! The rooms are in eight crates, folders of `src/` with a manifest and a root, so that a change of the screen does not
//! rebuild the engine; cargo rejects a dependency that goes up. A path on this page begins with the room: `engine/react.rs` is
//! `runtime/engine/react.rs`.
//!
//! | folder | rooms | uses |
//! |---|---|---|
//! | `base` | [`model`] [`text`] [`expr`] [`clock`] [`shared`] [`own_file`] [`untrusted`] [`aggregate`] [`stats`] [`workers`] | |
//! | `config` | [`scenario`] [`settings`] | `base` |
//! | `record` | [`session`] [`state`] [`catalogue`] [`logged`] | `config` |
//! | `providers` | [`net`] [`spawn`] [`rpc`] [`voice`] [`tool`] | `config` |
//! | `runtime` | [`policy`] [`prompt`] [`reply`] [`engine`] [`steer`] [`live`] [`host`] | `record`, `providers` |
//! | `report` | [`analysis`] [`export`] [`import`] | `record` |
//! | `tui` | [`ui`] | `runtime`, `report` |
//! | `lab` | [`testing`] [`batch`] | `runtime`, `report` |
//! | the program | [`cli`] [`serve`] | all |
//!
//! Each root re-exports the crates below it, so `crate::model` has the same meaning in all of them. A file that a crate includes
//! is in its folder, by a link if it is at the top level. A new room gets its line in one root.
//!
//! # From a key press to the screen
//!
//! 1. Space is pressed. `ui/run.rs` reads the key from the terminal; `ui/keymap/` makes it [`ui::action::Action::TogglePause`].
//! 2. `ui/act/update.rs` runs its handler, in `ui/act/intents.rs`, which checks if the conversation is paused and requests
//!    [`model::Command::Pause`] or `Resume`. Nothing on the screen changes yet.
//! 3. The command gets a key (`ui/view/outbox.rs`) and goes through the channel of [`host::RunningConversation`] to the
//!    engine, as [`engine::Input::Command`].
//! 4. `engine/react.rs` has `resolve.rs` find its target and drafts `command.given`. `engine/drive.rs` gives the draft its `seq`,
//!    writes it ([`session`]), folds it ([`state`]: the run is now *pausing*) and publishes it (the tail).
//! 5. `engine/advance.rs` is called until it returns no event: `execute.rs` drafts a `receipt` (*queued*) while a
//!    participant speaks. After that turn `paused` follows, and the receipt *done*. Both name the command as their `cause`.
//! 6. The tail delivers each event to `ui/view/transcript.rs`, which folds it into its own state; the header shows
//!    *pausing*, then *paused*.
//!
//! # From a scenario file to its seats
//!
//! 1. `load` of `scenario/load.rs` calls `load_at`, also for the file of a team (`teams`).
//! 2. `Walk::parse` makes the text a tree of values with their places ([`scenario::Node`]); `Override::apply` sets the values of
//!    `--set` in it.
//! 3. `Walk::table` and `value` of `scenario/check.rs` compare it with the tables of `scenario/keys.rs`: names, kinds, ranges.
//! 4. `resolve` reads each table of the tree into the struct that `keys!` makes of its keys. A value that does not fit is a fault
//!    already and counts as missing, so that one run reports all faults.
//! 5. `item`, `members` and `DeclaredTools::new` collect everything that a seat may refer to; `seats` then builds each seat once
//!    (`seat`, with `voice` and `with_keys`). A fault is reported at a [`scenario::At`], which has the place and the path.
//!
//! # Files to change for an addition
//!
//! | addition | files | names |
//! |---|---|---|
//! | theme | 2 | its file in `themes/`, its line in `ui/theme/shelf.rs`; a user's own theme is one file |
//! | bundled scenario | 2 | its file in `assets/scenarios/`, its line in `scenario/bundled.rs`; a user's own scenario is one file |
//! | vendor with a known wire format | 1 | its row in `voice/remote/vendor.rs` |
//! | key of a scenario | 2 | its entry in `scenario/keys.rs` or below, which is also the field of its struct; the file in `scenario/` that resolves its table |
//! | policy, also with a board and prompt sections | 2 | its file in `policy/`, its line in `policy/mod.rs`; `policy/dummy.rs` is such a policy, for tests |
//! | policy with traits of its own | 3 | those two, and its row in `state/policies/mod.rs` |
//! | policy with state of its own | 5 | those three, its file in `state/policies/`, its arm in `state/policy_state.rs` |
//! | policy with events and forms of replies of its own | up to 8 modules | as `plan` and `consensus`: also [`model`], [`reply`], [`engine`], [`export`], [`analysis`], the threads of steps in [`ui`] |
//! | rule beside the policy | 2 | its file and its row in `rules/`, besides keys, payload and help; `rules/tests.rs` is such a rule, for tests; with state of its own also its file in `state/` |
//! | export format | 2 | its file in `export/`, its row in `FORMATS` |
//! | figure | 2 | its file in `analysis/`, its row in `FIGURES`, which also gives its page on the screen |
//! | pane | 3 | its file in `ui/draw/`, its row in `ui/draw/mod.rs`, its area in `ui/layout.rs` |
//! | wire format | 3 | its file in `voice/remote/wire/`, its arms in `voice/remote/wire.rs`, its name in `model/wire.rs` |
//! | command | 4 | its variant and its row in `model/command.rs`, its arms in `engine/resolve.rs`, `state/commands.rs` and `engine/execute.rs` |
//! | key | 1 | its row in `ui/action.rs`, with its handler |
//! | text overlay | 3 | its file in `ui/view/`, its line in `ui/view/mod.rs`, its row in `ui/action.rs`; `page.rs` draws it |
//! | overlay with its own keys | 9 | those three, and its file in `ui/draw/` with its row in `OVERLAYS`, `ui/view/overlays.rs`, `ui/act/leave.rs`, `ui/keymap/focus.rs` |
//! | event kind | 4 or more | `model/event.rs` and `payload.rs`, `state/apply.rs`, `export/narrate.rs`; the compiler reports all other readers, and the schema is derived from the types |
//!
//! # Invariants
//!
//! - **One event is one decision**, and every prefix of a log is valid: a kill between any two lines leaves no half-done
//!   step. Pending work is in the state; a resume completes it.
//! - **Effects are read from events**: a call starts only after the event that requests it is written. A cancellation never waits.
//! - **A policy remembers only its memo**, which is in the event of its decision. Random numbers depend on the seed and
//!   on ordinals of the conversation, never on a generator's position and never on a `seq`, which a crash shifts.
//! - **A turn is one grant of the floor for a purpose.** Seats granted at the same time form a batch. Its position in the
//!   log is their horizon, also on retry, in a step and after a crash: they see nothing later, except for messages of the
//!   operator up to the call.
//! - **Conversations inside the conversation are threads** in one log with one `seq`.
//! - **Every command has a key** and takes effect once; events name the command that caused them.
//! - **Pieces are shown at once and sealed soon**; a cut turn keeps exactly the sealed text.
//! - **Only [`clock`] reads time**; virtual time advances only while every running call sleeps in it.
//!
//! Deliberate restrictions: `session` does not use `state`; only the writer writes a session, and only `apply` changes a
//! conversation; only [`settings`] reads the environment, only [`spawn`] starts processes, only [`text`] filters the
//! characters for a terminal. The table of allowed dependencies between modules is in `tests/house/rules.toml`, enforced
//! by `tests/house.rs`.
//!
//! # Glossary
//!
//! *Conversation*: the whole. *Session*: its log on disk. *Participant* or *seat*: a speaker. *Voice*: the source of its
//! text. *Policy*: the rule for the next speaker. *Floor*: the right to speak. *Round*: one pass through the speakers of
//! a phase. *Phase*: a thread with its own rules. *Piece*: a part of an utterance as it arrives. *Event*: a fact in the
//! log. *Command*: a request to the engine. *Effect*: work outside the engine that an event requires. *Operator*: the
//! person who steers and has no seat.

pub use colloquium_lab::*;
pub use colloquium_tui::ui;

pub mod cli;
#[cfg(feature = "serve")]
pub mod serve;
