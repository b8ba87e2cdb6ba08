//! The fields of each kind of event, in words; a test checks that no kind is missing.

/// Kind, meaning, and the keys of its data.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const REASON: (&str, &str) = ("reason", "the stop reason");
const RESULT: (&str, &str) = ("result", "the result");
const ATTENDED: (&str, &str) = ("attended", "whether a person is at the keyboard");
const KEY: (&str, &str) = ("key", "makes the command act only once");
const TURN: (&str, &str) = ("turn", "the turn (the seq of its grant)");
const CALL: (&str, &str) = ("call", "the call (the seq of its start)");
const ASKED: (&str, &str) = ("asked", "the seq of its tool.asked");
const AT: (&str, &str) = ("at", "which of the requests, from 0");
const TOOL: (&str, &str) = ("tool", "the name of the tool");
const LIMIT: &[(&str, &str)] = &[
    ("what", "which limit"),
    ("value", "the value so far"),
    ("limit", "the limit"),
    ("next", "what the next turn may need, where that is more than is left"),
];

/// Every kind, in the order of the model.
pub const KINDS: &[Row] = &[
    (
        "conversation.opened",
        "The conversation starts, with its full configuration.",
        &[
            ("format", "major version of the file format"),
            ("program", "program and version that wrote it"),
            ("seed", "random seed"),
            ("rehearsed", "whether all lines are rehearsed (no model is called)"),
            ("scenario", "the scenario as resolved, without keys"),
            ("participants", "the participants, as resolved"),
            ("parallel", "maximum parallel calls"),
            ("rates", "rate of calls per provider, as in 20/min"),
            ATTENDED,
        ],
    ),
    ("conversation.renamed", "The title changed.", &[("title", "the new title")]),
    (
        "conversation.reopened",
        "A resume.",
        &[("repaired", "whether an incomplete last line was repaired first"), ATTENDED],
    ),
    (
        "conversation.forked",
        "The lines before this one come from the parent session.",
        &[
            ("parent", "the parent session"),
            ("at", "its last event kept"),
            ("passed", "the parent's end at this point, which the branch ignores"),
            ("seed", "a new random seed from here on"),
            ATTENDED,
        ],
    ),
    (
        "conversation.ended",
        "The conversation has ended; it can be extended or resumed.",
        &[
            REASON,
            ("settled", "whether it ended by its own rules"),
            ("text", "the cause, as text"),
            RESULT,
        ],
    ),
    (
        "thread.opened",
        "A thread (a conversation inside the conversation) begins.",
        &[
            ("name", "its name"),
            ("policy", "the policy that decides who speaks next"),
            ("options", "the policy's options"),
            ("seats", "the participants of the thread, in order"),
            ("inherits", "whether the thread sees what its parent saw"),
            ("limits", "its own limits"),
            ("about", "what it is about: the phase, or plan, step, attempt and goal"),
            ("memo", "the memo of the policy that opened it"),
        ],
    ),
    ("thread.closed", "The thread has ended.", &[REASON, RESULT]),
    (
        "command.given",
        "An operator command: the steering line with its key and targets.",
        &[
            KEY,
            ("targets", "its targets, resolved when the command was given"),
            ("after", "its trigger"),
            ("during", "its trigger"),
            ("at", "its trigger"),
            ("when", "its trigger"),
            ("in", "the thread it is for"),
            ("id", "echoed in the receipt"),
            ("do", "the name of the command; `schema steer` describes its other keys"),
        ],
    ),
    (
        "command.refused",
        "A steering line that was refused.",
        &[
            KEY,
            ("line", "the line as received"),
            ("id", "the id of the line"),
            ("why", "why, and what to do instead"),
        ],
    ),
    (
        "seat.joined",
        "A participant joins: one that the engine created for a step of a plan, or one that the operator's command added (`cause`).",
        &[(
            "participant",
            "the participant, as resolved; made_from is the participant it was created from",
        )],
    ),
    (
        "seat.left",
        "A participant leaves: the engine removed it, or the operator's command did (`cause`).",
        &[("id", "the participant"), ("why", "why, as text")],
    ),
    (
        "plan.made",
        "The planner makes a plan, or replaces it.",
        &[
            ("plan", "which plan of the conversation, from 1"),
            TURN,
            ("why", "why the plan was replaced; absent for the first"),
            (
                "steps",
                "every step: number, description, goal, executor (false: the planner does it), after (what it waits for)",
            ),
        ],
    ),
    (
        "step.ended",
        "A step of the plan is over. Its thread.opened has its number under `about`.",
        &[
            ("step", "its number"),
            ("attempt", "the attempt, from 1"),
            ("is", "completed, failed or cancelled"),
            ("halted", "true where the end of the conversation stopped it: a resume continues it"),
            ("turn", "the seq of the floor.granted of the turn with its result"),
            ("why", "why, unless the step is completed"),
        ],
    ),
    (
        "plan.ended",
        "The plan is over.",
        &[
            ("plan", "which plan of the conversation, from 1"),
            (
                "is",
                "completed; failed: no step was completed, or no answer given; cancelled: the conversation ended before",
            ),
            ("turn", "the seq of the floor.granted of the turn with the answer"),
        ],
    ),
    (
        "batch.opened",
        "One decision about who speaks.",
        &[
            ("for", "requested by: policy, operator or engine"),
            ("purpose", "the purpose of the turns"),
            ("seats", "who speaks in parallel"),
            ("why", "why these participants, as text"),
            ("queue", "who is expected next"),
            ("round", "the round, from 1"),
            ("memo", "the policy's memo"),
            ("judge", "what judges are asked for: verdict, casting or stop"),
            ("summary", "the viewer and the last event of the summary"),
            ("rearmed", "indexes of stop rules that have asked and are no longer true"),
            ("replaces", "the turn being retried"),
            ("question", "the question for voters or judges"),
            ("options", "the choices of a vote"),
            ("count", "how a vote is counted, the deciding way first (absent: majority)"),
            ("tie", "what a tie of a vote becomes (absent: none)"),
        ],
    ),
    (
        "floor.granted",
        "A turn begins.",
        &[
            ("batch", "the batch it belongs to"),
            ("participant", "who has the floor"),
            ("number", "the number of the turn, from 1"),
            ("notes", "operator notes in its prompt"),
        ],
    ),
    (
        "call.started",
        "A call to a voice begins.",
        &[
            TURN,
            ("model", "the model called"),
            (
                "parameters",
                "details of the call: line, prompt_tokens, max_tokens, prompt_most, prompt_margin",
            ),
            ("digest", "SHA-256 of the prompt"),
            ("wording", "the version of the prompt texts"),
            ("left_out", "blocks that did not fit in the prompt"),
            ("labels", "the labels of participants in an anonymous prompt"),
        ],
    ),
    (
        "call.retried",
        "A call failed and is retried in the same turn.",
        &[
            TURN,
            CALL,
            ("error", "class and text of the failure"),
            ("wait_ms", "milliseconds until the next call"),
            ("model", "the fallback model used from here on"),
            ("usage", "tokens used by the call, if it is charged"),
        ],
    ),
    (
        "tool.asked",
        "A call ended with tool requests; the next call of the same turn follows once all results are in.",
        &[
            TURN,
            CALL,
            ("requests", "each request: tool, arguments"),
            ("usage", "tokens used by the call"),
        ],
    ),
    (
        "tool.called",
        "A tool is requested. It runs after this event is written, and at most once.",
        &[TURN, ASKED, AT, TOOL],
    ),
    (
        "tool.returned",
        "A tool returned a result, or was not run.",
        &[
            TURN,
            ASKED,
            AT,
            TOOL,
            ("is", "done, failed, refused or interrupted"),
            ("result", "the result shown to the model"),
            ("whole", "the full result, if the model is shown only part of it"),
            ("took_ms", "duration in milliseconds"),
        ],
    ),
    (
        "agent.tool",
        "An agent used a tool of its own.",
        &[
            TURN,
            CALL,
            ("title", "what it did, in the agent's words"),
            ("sort", "the kind of tool, such as read, edit or execute"),
            ("status", "completed or failed; pending or in_progress if the turn ended first"),
            ("input", "its arguments as JSON"),
            ("result", "its result"),
        ],
    ),
    ("agent.plan", "The plan of an agent.", &[TURN, CALL, ("steps", "each step: text, status")]),
    (
        "permission.asked",
        "An agent asks for permission; its call waits for the answer.",
        &[
            TURN,
            CALL,
            ("request", "which request of the call"),
            ("tool", "the name for `decide`: participant/kind of tool"),
            ("title", "what it wants to do, in the agent's words"),
            ("input", "its arguments as JSON"),
        ],
    ),
    (
        "permission.answered",
        "The answer to an agent's request.",
        &[
            TURN,
            ("asked", "the seq of its permission.asked"),
            TOOL,
            ("yes", "whether it was allowed"),
            ("why", "why it was not"),
        ],
    ),
    (
        "delta",
        "Pieces of text from all streams, in order of arrival.",
        &[(
            "pieces",
            "runs [turn, \"say\" or \"think\", text, [len, dt, ...]]: UTF-8 bytes, ms since the piece before",
        )],
    ),
    (
        "turn.ended",
        "A turn ends.",
        &[
            TURN,
            CALL,
            ("purpose", "what it was for"),
            ("number", "the number of the turn"),
            ("outcome", "said, cut, failed or passed"),
            ("text", "the text; for a cut turn, what had been shown"),
            ("whispers", "private words to other participants: to and text; no part of the text"),
            ("raw", "the original text, if a repair changed it"),
            ("think", "the reasoning"),
            ("message", "the type of the message"),
            ("structured", "the structured reply"),
            ("mentions", "participants mentioned with @"),
            ("why", "why it was cut"),
            ("error", "the error: class and text"),
            ("finish", "the finish reason reported by the provider"),
            ("skipped", "unreadable parts of the reply that were skipped"),
            ("usage", "tokens used"),
            ("cost", "cost in dollars; null if not priced"),
            ("first_piece_ms", "milliseconds to the first piece of text"),
            ("took_ms", "duration in milliseconds"),
        ],
    ),
    (
        "human.said",
        "The place of the operator's words in the transcript.",
        &[("of", "the key of the command that contains the text")],
    ),
    (
        "receipt",
        "The outcome of a command.",
        &[
            ("of", "the command's key"),
            ("is", "queued, delivered, done or too_late"),
            ("id", "the id the line carried"),
            ("turns", "the turns its text reached"),
            ("why", "the reason, as text"),
            ("reason", "why it was not executed, such as never_due, ended or dropped"),
            ("line", "the line, if it was not a valid command"),
        ],
    ),
    (
        "paused",
        "The conversation is paused.",
        &[
            ("why", "the reason, if the operator did not pause it"),
            ("rule", "the index of the stop rule that asks"),
            ("tied", "the sides the operator chooses from"),
        ],
    ),
    ("resumed", "The conversation is resumed.", &[("steps", "for exactly this many turns")]),
    ("limit.near", "A limit has reached 80 %.", LIMIT),
    ("limit.reached", "A limit has been reached.", LIMIT),
    (
        "vote.closed",
        "A secret vote has closed.",
        &[
            ("question", "what was voted on"),
            ("options", "the choices, as they were shown"),
            (
                "ballots",
                "each vote: participant, choice (absent: abstained), why; confidence, ranking, scores if asked for",
            ),
            ("counts", "votes for each choice"),
            ("winner", "the choice that won; absent for a tie"),
            ("how", "the result, as text"),
            ("ways", "the result of each way of counting, the deciding one first"),
        ],
    ),
    (
        "stance.recorded",
        "A participant changed position in a structured reply.",
        &[
            ("participant", "the seat"),
            TURN,
            ("number", "the number of the turn"),
            ("stance", "the answer given"),
            ("confidence", "the stated confidence"),
        ],
    ),
    (
        "profile.updated",
        "What is known of the person changed.",
        &[
            ("participant", "whose reply changed it; absent where an edit did"),
            TURN,
            ("changed", "the fields that changed: field, from, to"),
            ("profile", "all that is known now"),
        ],
    ),
    (
        "stage.entered",
        "Another [[stage]] holds, or a reply claims another one than holds.",
        &[
            ("stage", "the stage; absent if none holds"),
            ("known", "how many fields of the profile are known"),
            ("of", "how many fields it has"),
            ("claimed", "the stage that the reply claimed"),
        ],
    ),
    (
        "ranking.made",
        "The catalogue was ranked.",
        &[
            ("because", "condition or asked"),
            ("items", "the best items, best first: id, name, score and its parts"),
            ("left_out", "items left out, by hard filter"),
        ],
    ),
    (
        "verdict.given",
        "Judges gave a verdict.",
        &[
            ("question", "what was judged"),
            ("sides", "the sides"),
            ("winner", "the winning side; absent for a draw or if no judgement was readable"),
            ("scores", "mean scores from 0 to 10"),
            (
                "judgements",
                "each judgement: judge, turn, time, swapped, winner (absent: abstained), scores, why",
            ),
            ("how", "the result, as text"),
            ("phase", "the judged phase; absent for the whole conversation"),
            (
                "interim",
                "whether it was asked after a round; a winner then ends the phase or the conversation",
            ),
        ],
    ),
    (
        "warning",
        "A warning for the operator.",
        &[("text", "what"), ("about", "what follows from it, as {\"loop\": N}")],
    ),
    (
        "log.repaired",
        "An incomplete last line was set aside.",
        &[
            ("from", "the first byte cut off"),
            ("to", "the end of the range, exclusive"),
            ("kept", "the file that keeps these bytes"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::KINDS;
    use crate::model::Kind;

    #[test]
    fn every_kind_is_described() {
        let described: Vec<&str> = KINDS.iter().map(|(kind, _, _)| *kind).collect();
        assert_eq!(described, Kind::NAMES);
    }
}
