//! Commands of the operator, one to one with steering lines and with `command.given`.

use super::addressed::Addressed;
use super::agent::AGENT_PREFIX;
use super::answer::{Aggregation, AnswerTie};
use super::ids::{MessageNumber, SeatId, Seq, Text, ThreadId, TurnId};
use super::limits::Limits;
use super::participant::Participant;
use super::plan::settable;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Lifetime of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteFor {
    /// The next turn of each recipient, with all its retries.
    #[default]
    Utterance,
    /// Every turn until the end of the round.
    Round,
    /// Every turn until it is removed.
    Standing,
}

/// One command of the operator: `{"do":"VERB", ...}`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
#[allow(missing_docs, reason = "fields are named and explained by `COMMANDS`")]
pub enum Command {
    /// Pauses after the current turns.
    Pause {},
    /// Stops all current turns, and pauses.
    PauseNow {},
    /// Resumes after a pause.
    Resume {},
    /// Runs exactly `n` turns, then pauses again.
    Step {
        /// Number of turns.
        #[serde(default = "one")]
        #[schemars(range(min = 1))]
        n: u32,
    },
    /// Keeps the next turn from starting, for 60 s at most, or no longer.
    Hold {
        /// True to hold.
        on: bool,
    },
    /// A message of the operator after the current turn; a leading `@name` also gives that participant the floor.
    Say {
        text: Text,
        /// Number of the turn that it answers.
        #[schemars(range(min = 1))]
        re: Option<u32>,
        /// Name of the file that the text is, such as `main.py`: participants read it with numbered lines, as material
        /// and not as words of the operator.
        material: Option<Text>,
    },
    /// Stops all current turns, or that of `who`; the operator's message comes next.
    CutIn {
        text: Text,
        who: Option<SeatId>,
        /// Number of the turn that it answers.
        #[schemars(range(min = 1))]
        re: Option<u32>,
    },
    /// Guidance in the prompts of `to`.
    Note {
        text: Text,
        /// The participants; absent or `all`: everyone.
        #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "one_or_many")]
        #[schemars(with = "OneOrMany")]
        to: Vec<SeatId>,
        #[serde(default, rename = "for")]
        lives: NoteFor,
    },
    /// Removes a note, by its `id`, key or number.
    LiftNote { note: Text },
    /// A message of the operator to one participant only.
    Whisper(Addressed),
    /// Speaks as a participant; the turn is marked as the operator's.
    SpeakAs { text: Text, who: SeatId },
    /// Speaks as the human participant who has the floor.
    Speak { text: Text, who: SeatId },
    /// A human participant passes.
    Pass { who: SeatId },
    /// Replaces the text of a queued message, by its `id` or key.
    EditQueued { of: Text, text: Text },
    /// Drops a queued message or another queued command, by its `id` or key.
    DropQueued { of: Text },
    /// Gives `to` the next turn, once; the order then continues where it was.
    Floor { to: SeatId },
    /// Stops all current turns, or skips the next speaker.
    Skip {},
    /// Skips the participant until it is unmuted.
    Mute { who: SeatId },
    /// Lets a muted participant speak again.
    Unmute { who: SeatId },
    /// Removes a participant; its messages stay.
    Leave { who: SeatId },
    /// Adds a participant.
    Join {
        /// Keys as in `[[participant]]` of a scenario.
        #[schemars(with = "Map<String, Value>")]
        participant: Value,
    },
    /// Changes a participant.
    Change {
        /// The participant's id.
        who: SeatId,
        /// Keys as in `[[participant]]` of a scenario.
        set: Map<String, Value>,
    },
    /// Repeats a turn; the earlier version is kept.
    Retry {
        /// Turn number; absent: the last turn.
        #[schemars(range(min = 1))]
        utterance: Option<u32>,
    },
    /// Repeats a turn as one more version.
    Reroll {
        /// Turn number; absent: the last turn.
        #[schemars(range(min = 1))]
        utterance: Option<u32>,
    },
    /// Continues a turn that was cut, as one message.
    Continue {
        /// Turn number; absent: the last turn.
        #[schemars(range(min = 1))]
        utterance: Option<u32>,
    },
    /// Chooses the version of a turn that counts.
    Choose {
        /// Turn number.
        #[schemars(range(min = 1))]
        utterance: u32,
        /// Number of the version, from 1.
        #[schemars(range(min = 1))]
        alternative: u32,
    },
    /// Replaces the text of a turn in later prompts.
    Edit {
        /// Turn number.
        #[schemars(range(min = 1))]
        utterance: u32,
        /// The new text.
        text: Text,
    },
    /// Hides a turn or a message of the operator from later prompts and exports.
    Hide {
        /// Turn number, or `h1` for the operator's first message to all.
        #[schemars(schema_with = "message_number")]
        utterance: MessageNumber,
        /// The reason.
        text: Option<Text>,
    },
    /// Shows a hidden turn or message again.
    Unhide {
        /// As in `hide`.
        #[schemars(schema_with = "message_number")]
        utterance: MessageNumber,
    },
    /// Calls a secret vote; without options it is yes or no.
    Vote {
        question: Text,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<Text>,
        /// Rule for a tie.
        #[serde(default, skip_serializing_if = "super::is_default")]
        tie: AnswerTie,
        /// Ways of counting; the first decides. Absent: majority.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schemars(schema_with = "ways_of_voting")]
        count: Vec<Aggregation>,
    },
    /// Asks the judges now; with a winner, breaks a tie that waits for the operator.
    Verdict { winner: Option<Text> },
    /// Allows or refuses a tool until the program ends.
    Decide {
        tool: Text,
        yes: bool,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        once: bool,
    },
    /// Cancels a step of the plan.
    CancelStep {
        /// Step number.
        #[schemars(range(min = 1))]
        step: u32,
    },
    /// Answers an executor in the planner's place.
    AnswerStep {
        /// Step number.
        #[schemars(range(min = 1))]
        step: u32,
        /// The answer.
        text: Text,
    },
    /// Runs an ended step of the plan again.
    RerunStep {
        /// Step number.
        #[schemars(range(min = 1))]
        step: u32,
    },
    /// While paused, changes a step of the plan that has not begun.
    EditStep {
        /// Step number.
        #[schemars(range(min = 1))]
        step: u32,
        /// The keys to change.
        #[schemars(schema_with = "settable")]
        set: Map<String, Value>,
    },
    /// While paused, adds a step to the plan.
    AddStep {
        /// The keys of the new step.
        #[schemars(schema_with = "settable")]
        set: Map<String, Value>,
    },
    /// While paused, moves a step of the plan before another, or to the end.
    MoveStep {
        /// Step number.
        #[schemars(range(min = 1))]
        step: u32,
        /// Number of the step that it moves before; absent: the end.
        #[schemars(range(min = 1))]
        before: Option<u32>,
    },
    /// Sets the limits in `set`; others are unchanged.
    Limit { set: Limits },
    /// Sets a bookmark.
    Mark { text: Option<Text> },
    /// Sets the session's title.
    Rename { text: Text },
    /// Ends the conversation, with closing statements if asked for.
    End {
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        final_round: bool,
    },
}

fn one() -> u32 {
    1
}

/// One id, or a list of ids.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One(SeatId),
    Many(Vec<SeatId>),
}

fn message_number(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^h[1-9][0-9]*$"}]})
}

fn ways_of_voting(_: &mut SchemaGenerator) -> Schema {
    let ways = Aggregation::ALL.into_iter().filter(|way| way.counts_ballots());
    let names: Vec<&str> = ways.map(Aggregation::name).collect();
    json_schema!({"type": "array", "items": {"enum": names}})
}

fn one_or_many<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Vec<SeatId>, D::Error> {
    Ok(match OneOrMany::deserialize(d)? {
        OneOrMany::One(seat) if seat == "all" => vec![],
        OneOrMany::One(seat) => vec![seat],
        OneOrMany::Many(seats) => seats,
    })
}

/// One command: name, keys, meaning, and resulting events.
pub struct CommandRow {
    /// The value of `do`.
    pub name: &'static str,
    /// Required keys.
    pub needs: &'static [&'static str],
    /// Optional keys.
    pub takes: &'static [&'static str],
    /// One sentence for help and completion.
    pub meaning: &'static str,
    /// Events besides `command.given` and `receipt`.
    pub events: &'static [&'static str],
    /// Note in the transcript, with `{key}` for the value of a key. `None` if its events show it, or if
    /// `export/commands.rs` composes the note from optional keys.
    pub note: Option<&'static str>,
}

/// Defines the table of commands and their names, so that a command is one variant and one row.
macro_rules! commands {
    ($($variant:ident $name:literal [$($need:literal),*] [$($take:literal),*] $meaning:literal [$($event:literal),*] $note:tt,)*) => {
        /// Every command, in the order of the help.
        pub static COMMANDS: &[CommandRow] = &[
            $(CommandRow {
                name: $name,
                needs: &[$($need),*],
                takes: &[$($take),*],
                meaning: $meaning,
                events: &[$($event),*],
                note: commands!($note),
            }),*
        ];

        impl Command {
            /// Returns the value of `do`.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Command::$variant { .. } => $name),*
                }
            }
        }
    };
    (_) => { None };
    ($note:literal) => { Some($note) };
}

commands! {
    Pause "pause" [] [] "Pause after the current turns." ["paused"] _,
    PauseNow "pause_now" [] [] "Pause now: stop the current turns and keep what was said." ["turn.ended", "paused"] _,
    Resume "resume" [] [] "Resume." ["resumed"] _,
    Step "step" [] ["n"] "Run exactly n turns (default 1), then pause again." ["resumed"] _,
    Hold "hold" ["on"] [] "Keep the next turn from starting while you write, for 60 s at most, or let it start." [] _,
    Say "say" ["text"] ["re", "material"] "Say something to everyone, after the current turn; a leading @name also gives that participant the floor; re names the turn that it answers; material names the file that the text is." ["human.said"] _,
    CutIn "cut_in" ["text"] ["who", "re"] "Interrupt everyone, or one participant; their text so far is kept, and your message comes next; re names the turn that it answers." ["turn.ended", "human.said"] _,
    Note "note" ["text"] ["to", "for"] "Add guidance to the prompts of one participant or all: for one turn, this round, or until removed." [] _,
    LiftNote "lift_note" ["note"] [] "Remove a note, by its id, key or number." [] "note {note} lifted",
    Whisper "whisper" ["text", "to"] [] "Say something to one participant only." ["human.said"] _,
    SpeakAs "speak_as" ["text", "who"] [] "Speak as a participant; the turn is marked as yours." ["human.said"] _,
    Speak "speak" ["text", "who"] [] "Speak as the human participant who has the floor." ["turn.ended"] _,
    Pass "pass" ["who"] [] "A human participant passes." ["turn.ended"] _,
    EditQueued "edit_queued" ["of", "text"] [] "Edit a queued message, by id or key." [] _,
    DropQueued "drop_queued" ["of"] [] "Drop a queued message, or another command that waits, such as a vote." [] _,
    Floor "floor" ["to"] [] "Give a participant the next turn, once; the order then continues where it was." ["batch.opened"] "you gave the floor to {to}",
    Skip "skip" [] [] "Stop the speaker, or skip the next one." ["turn.ended"] "you skipped a turn",
    Mute "mute" ["who"] [] "Skip a participant until unmuted." [] "{who} muted",
    Unmute "unmute" ["who"] [] "Let a muted participant speak again." [] "{who} unmuted",
    Leave "leave" ["who"] [] "Remove a participant." ["turn.ended"] "{who} leaves",
    Join "join" ["participant"] [] "Add a participant, with keys as in [[participant]] of a scenario." [] _,
    Change "change" ["who", "set"] [] "Change a participant, with keys as in [[participant]]." [] _,
    Retry "retry" [] ["utterance"] "Retry the last turn, or the one named; the earlier version is kept." ["batch.opened"] _,
    Reroll "reroll" [] ["utterance"] "Retry the last turn, or the one named, as one more version." ["batch.opened"] _,
    Continue "continue" [] ["utterance"] "Continue the last turn that was cut, or the one named, as one message." ["batch.opened"] "you asked to continue a cut turn",
    Choose "choose" ["utterance", "alternative"] [] "Choose which version of a turn counts, numbered from 1." [] "version {alternative} of turn {utterance} chosen",
    Edit "edit" ["utterance", "text"] [] "Replace a turn's text in later prompts; the log keeps both." [] _,
    Hide "hide" ["utterance"] ["text"] "Hide a turn from later prompts and exports; text says why." [] _,
    Unhide "unhide" ["utterance"] [] "Show a hidden turn again in later prompts and exports." [] _,
    Vote "vote" ["question"] ["options", "tie", "count"] "Call a secret vote: yes or no, or one of the options; count sets the method, tie the rule for a tie." ["batch.opened", "vote.closed"] _,
    Verdict "verdict" [] ["winner"] "Ask the judges now; with a winner, break a tie that waits for you." ["batch.opened", "verdict.given"] _,
    Decide "decide" ["tool", "yes"] ["once"] "Allow or refuse a tool requested by a participant; `once` allows a single use." ["tool.called", "tool.returned"] _,
    CancelStep "cancel_step" ["step"] [] "Cancel a step of the plan." ["turn.ended", "step.ended"] "step {step} is cancelled",
    AnswerStep "answer_step" ["step", "text"] [] "Answer an executor's question in the planner's place." ["turn.ended", "human.said"] _,
    RerunStep "rerun_step" ["step"] [] "Run a step of the plan again." ["thread.opened"] "step {step} runs again",
    EditStep "edit_step" ["step", "set"] [] "While paused, change a step that has not begun: description, goal, executor, after." [] _,
    AddStep "add_step" ["set"] [] "While paused, add a step to the plan, with the same keys." [] _,
    MoveStep "move_step" ["step"] ["before"] "While paused, move a step that has not begun before another, or to the end." [] _,
    Limit "limit" ["set"] [] "Set limits: utterances, rounds, seconds, batches, per_seat, tokens, usd." [] _,
    Mark "mark" [] ["text"] "A bookmark." [] _,
    Rename "rename" ["text"] [] "Rename the session." ["conversation.renamed"] _,
    End "end" [] ["final_round"] "End the conversation, with closing statements if asked for." ["turn.ended", "conversation.ended"] _,
}

impl Command {
    /// Returns whether its text is not for everybody.
    pub fn is_private(&self) -> bool {
        match self {
            // a queued message may be a whisper
            Command::Whisper(_) | Command::EditQueued { .. } => true,
            Command::Note { to, .. } => !to.is_empty(),
            _ => false,
        }
    }

    /// Returns whether it gives a participant a program or a service.
    pub fn adds_program(&self) -> bool {
        let keys = match self {
            Command::Join { participant } => participant.as_object(),
            Command::Change { set, .. } => Some(set),
            _ => None,
        };
        keys.is_some_and(|keys| {
            let model = keys.get("model").and_then(Value::as_str);
            model.is_some_and(|model| model.starts_with(AGENT_PREFIX))
                || ["script", "http", "agent"].iter().any(|key| keys.contains_key(*key))
        })
    }

    /// Returns whether a finished conversation goes on after it: a message, a vote, a choice of the next speaker, a number
    /// of turns, a limit, or a change of the plan.
    pub fn asks_for_more(&self) -> bool {
        matches!(
            self,
            Command::Say { .. }
                | Command::CutIn { .. }
                | Command::Whisper(_)
                | Command::SpeakAs { .. }
                | Command::Speak { .. }
                | Command::Floor { .. }
                | Command::Step { .. }
                | Command::Limit { .. }
                | Command::Vote { .. }
                | Command::CancelStep { .. }
                | Command::AnswerStep { .. }
                | Command::RerunStep { .. }
                | Command::EditStep { .. }
                | Command::AddStep { .. }
                | Command::MoveStep { .. }
        )
    }

    /// Returns whether only a terminal may give it, not a browser or another program: tools and permissions are decided,
    /// programs and models are seated, and budgets are raised in a terminal. The number of turns may be raised anywhere.
    pub fn needs_terminal(&self) -> bool {
        match self {
            Command::Decide { .. } | Command::Join { .. } | Command::Change { .. } => true,
            Command::Limit { set } => {
                *set != Limits {
                    utterances: set.utterances,
                    rounds: set.rounds,
                    ..Limits::default()
                }
            }
            _ => false,
        }
    }
}

/// Targets of a command, resolved when it was given, so that a later execution acts on the same ones.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Targets {
    /// Running turns it stops or ends.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<TurnId>,
    /// Threads it acts in; for a message, the threads that show it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadId>,
    /// The addressed participants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seats: Vec<SeatId>,
    /// `seq` of the command that it changes, or of the note that it removes.
    pub of: Option<Seq>,
    /// The changed participant.
    pub participant: Option<Box<Participant>>,
    /// Participants mentioned with `@` in its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<SeatId>,
}

impl Targets {
    pub(super) fn is_empty(&self) -> bool {
        *self == Targets::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_enum_name_the_same_commands() {
        for row in COMMANDS {
            let mut line = serde_json::json!({"do": row.name});
            for key in row.needs {
                line[*key] = match *key {
                    "utterance" | "alternative" | "step" => 1.into(),
                    "yes" | "on" => true.into(),
                    "participant" | "set" => serde_json::json!({}),
                    _ => "x".into(),
                };
            }
            let command: Command = serde_json::from_value(line.clone())
                .unwrap_or_else(|e| panic!("{}: {e}", row.name));
            assert_eq!(command.name(), row.name);
            for key in row.note.iter().flat_map(|note| note.split(['{', '}']).skip(1).step_by(2)) {
                assert!(row.needs.contains(&key), "{}: `{key}` in its note", row.name);
            }
            line["nonsense"] = 1.into();
            serde_json::from_value::<Command>(line).expect_err("an unknown key");
        }
        let unknown = serde_json::json!({"do": "?"});
        let known = serde_json::from_value::<Command>(unknown).expect_err("no command").to_string();
        let variants: Vec<&str> = known.split('`').skip(3).step_by(2).collect();
        let rows: Vec<&str> = COMMANDS.iter().map(|row| row.name).collect();
        assert_eq!(variants, rows, "a row for every command, in the same order");
    }

    #[test]
    fn the_row_of_limit_names_every_limit() {
        let all = Limits {
            utterances: Some(1),
            rounds: Some(1),
            seconds: Some(1),
            batches: Some(1),
            per_seat: Some(1),
            tokens: Some(1),
            usd: Some(Default::default()),
        };
        let all = serde_json::to_value(all).expect("plain data");
        let keys: Vec<&str> = all.as_object().expect("a table").keys().map(|k| &**k).collect();
        let row = COMMANDS.iter().find(|row| row.name == "limit").expect("a row");
        assert_eq!(row.meaning, format!("Set limits: {}.", keys.join(", ")));
    }
}
