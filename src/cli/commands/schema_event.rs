//! What each kind of event carries, in words; a test holds it to the kinds that the program knows.

/// Kind, meaning, and the keys of its data.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const REASON: (&str, &str) = ("reason", "the stop reason");
const RESULT: (&str, &str) = ("result", "the result");
const ATTENDED: (&str, &str) = ("attended", "whether a person can be asked");
const KEY: (&str, &str) = ("key", "makes the command act only once");
const TURN: (&str, &str) = ("turn", "the turn, by the seq of its grant");
const CALL: (&str, &str) = ("call", "the call, by the seq of its start");
const ASKED: (&str, &str) = ("asked", "the seq of its tool.asked");
const AT: (&str, &str) = ("at", "which of the requests, from 0");
const TOOL: (&str, &str) = ("tool", "the name of the tool");
const LIMIT: &[(&str, &str)] =
    &[("what", "which limit"), ("value", "the value so far"), ("limit", "the limit")];

/// Every kind, in the order of the model.
pub const KINDS: &[Row] = &[
    (
        "conversation.opened",
        "Everything the conversation is made of.",
        &[
            ("format", "major version of the file format"),
            ("program", "program and version that wrote it"),
            ("seed", "random seed"),
            ("rehearsed", "whether all lines are rehearsed (no model was called)"),
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
            ("passed", "the end that would have followed here, and that the branch passes"),
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
            ("text", "the cause in words"),
            RESULT,
        ],
    ),
    (
        "thread.opened",
        "A thread (a conversation inside the conversation) begins.",
        &[
            ("name", "its name"),
            ("policy", "who speaks next in it"),
            ("options", "the policy's options"),
            ("seats", "its participants, in order"),
            ("inherits", "whether it sees what its parent saw"),
            ("limits", "its own limits"),
            ("about", "what it is about, for the policy that opened it"),
            ("memo", "the memo of the policy that opened it"),
        ],
    ),
    ("thread.closed", "The thread has ended.", &[REASON, RESULT]),
    (
        "command.given",
        "A command of the operator: the steering line with its key and targets.",
        &[
            KEY,
            ("targets", "its targets, resolved when it was given"),
            ("after", "its trigger"),
            ("during", "its trigger"),
            ("at", "its trigger"),
            ("when", "its trigger"),
            ("in", "the thread it is for"),
            ("id", "echoed in the receipt"),
            ("do", "the name of the command; its other keys are as `schema steer` says"),
        ],
    ),
    (
        "command.refused",
        "A steering line that was refused.",
        &[
            KEY,
            ("line", "the line as it came"),
            ("id", "the id it carried"),
            ("why", "why, and what to do instead"),
        ],
    ),
    (
        "batch.opened",
        "One decision about who speaks.",
        &[
            ("for", "requested by: policy, operator or engine"),
            ("purpose", "the purpose of the turns"),
            ("seats", "who speaks at once"),
            ("why", "why these, in words"),
            ("queue", "who is expected next"),
            ("round", "the round, from 1"),
            ("memo", "the policy's memo"),
            ("judge", "what judges are asked for: verdict, casting or stop"),
            ("summary", "the viewer and the last event of the summary"),
            ("rearmed", "stop rules that asked and hold no more, by their place"),
            ("replaces", "the turn that is retried"),
            ("question", "the question for voters or judges"),
            ("options", "the choices of a vote"),
        ],
    ),
    (
        "floor.granted",
        "A turn begins.",
        &[
            ("batch", "the batch it belongs to"),
            ("participant", "who has the floor"),
            ("number", "the utterance's number, from 1"),
            ("notes", "notes of the operator in its prompt"),
        ],
    ),
    (
        "call.started",
        "A call to a voice begins.",
        &[
            TURN,
            ("model", "the model that speaks"),
            (
                "parameters",
                "with what: line, prompt_tokens, max_tokens, prompt_most, prompt_margin",
            ),
            ("digest", "SHA-256 of the prompt"),
            ("left_out", "blocks left out because the prompt had no room"),
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
        "A call ended with requests for tools; another one of the same turn follows when they are back.",
        &[
            TURN,
            CALL,
            ("requests", "what was asked for: tool, arguments"),
            ("usage", "tokens that the call used"),
        ],
    ),
    (
        "tool.called",
        "A tool is asked; it runs once this is written, and never again because of it.",
        &[TURN, ASKED, AT, TOOL],
    ),
    (
        "tool.returned",
        "A tool came back, or was not asked.",
        &[
            TURN,
            ASKED,
            AT,
            TOOL,
            ("is", "done, failed, refused or interrupted"),
            ("result", "what the model is shown"),
            ("whole", "all that came back, where the model is shown less"),
            ("took_ms", "milliseconds that it took"),
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
        "A turn is over.",
        &[
            TURN,
            CALL,
            ("purpose", "what it was for"),
            ("number", "the utterance's number"),
            ("outcome", "said, cut, failed or passed"),
            ("text", "the text; for a cut turn, what had been shown"),
            ("raw", "the original text, if a repair changed it"),
            ("think", "the reasoning"),
            ("message", "the type of the message"),
            ("structured", "the reply as data"),
            ("mentions", "participants mentioned with @"),
            ("why", "why it was cut"),
            ("error", "the error: class and text"),
            ("finish", "the finish reason reported by the provider"),
            ("skipped", "parts of the answer that could not be read and were left out"),
            ("usage", "tokens used"),
            ("cost", "dollars; null is not priced"),
            ("first_piece_ms", "milliseconds to the first piece"),
            ("took_ms", "milliseconds it took"),
        ],
    ),
    (
        "human.said",
        "The place of the operator's words in the transcript.",
        &[("of", "the key of the command that holds the text")],
    ),
    (
        "receipt",
        "The outcome of a command.",
        &[
            ("of", "the command's key"),
            ("is", "queued, delivered, done or too_late"),
            ("id", "the id the line carried"),
            ("turns", "the turns its text reached"),
            ("why", "why, in words"),
            ("reason", "why it was not carried out, as never_due, ended, dropped"),
            ("line", "the line, if it was not a valid command"),
        ],
    ),
    (
        "paused",
        "The conversation is paused.",
        &[
            ("why", "why, if it was not the operator"),
            ("rule", "the index of the stop rule that asks"),
            ("tied", "the sides the operator chooses from"),
        ],
    ),
    ("resumed", "The conversation is resumed.", &[("steps", "for exactly this many turns")]),
    ("limit.near", "A limit is at 80 %.", LIMIT),
    ("limit.reached", "A limit is reached.", LIMIT),
    (
        "vote.closed",
        "All votes of a secret vote are in.",
        &[
            ("question", "what was voted on"),
            ("options", "the choices, as they were shown"),
            ("ballots", "each vote: participant, choice (absent: abstained), why"),
            ("counts", "votes for each choice"),
            ("winner", "the choice with most votes; absent for a tie"),
            ("how", "the result in words"),
        ],
    ),
    (
        "stance.recorded",
        "A participant changed position in a structured reply.",
        &[
            ("participant", "the seat"),
            TURN,
            ("number", "the utterance's number"),
            ("stance", "the answer it gave"),
            ("confidence", "the stated confidence"),
        ],
    ),
    (
        "verdict.given",
        "It was judged.",
        &[
            ("question", "what was judged"),
            ("sides", "the sides"),
            ("winner", "the winning side; absent for a draw or if no judgement was readable"),
            ("scores", "mean scores from 0 to 10"),
            (
                "judgements",
                "each judgement: judge, turn, time, swapped, winner (absent: abstained), scores, why",
            ),
            ("how", "the result in words"),
            ("phase", "the judged phase; absent for the whole conversation"),
            (
                "interim",
                "whether it was asked after a round; a winner then ends the phase or the conversation",
            ),
        ],
    ),
    (
        "warning",
        "A warning for the person.",
        &[("text", "what"), ("about", "what follows from it, as {\"loop\": N}")],
    ),
    (
        "log.repaired",
        "An incomplete last line was set aside.",
        &[
            ("from", "the first byte cut off"),
            ("to", "the end of the range, exclusive"),
            ("kept", "the file that keeps them"),
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
