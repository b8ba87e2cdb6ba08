//! What each kind of event carries, in words; a test holds it to the kinds that the program knows.

/// Kind, meaning, and the keys of its data.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const REASON: (&str, &str) = ("reason", "the stop reason");
const RESULT: (&str, &str) = ("result", "what came out of it");
const ATTENDED: (&str, &str) = ("attended", "whether somebody is there who can be asked");
const KEY: (&str, &str) = ("key", "what makes the command act once");
const TURN: (&str, &str) = ("turn", "the turn, by the seq of its grant");
const CALL: (&str, &str) = ("call", "the call, by the seq of its start");
const LIMIT: &[(&str, &str)] =
    &[("what", "which limit"), ("value", "how far it has come"), ("limit", "the limit")];

/// Every kind, in the order of the model.
pub const KINDS: &[Row] = &[
    (
        "conversation.opened",
        "All that the conversation is made of.",
        &[
            ("format", "major version of the file format"),
            ("program", "program and version that wrote it"),
            ("seed", "seed of all dice"),
            ("rehearsed", "whether nothing in it was thought up by a model"),
            ("scenario", "the scenario as resolved, without keys"),
            ("participants", "the seats as resolved"),
            ("parallel", "how many calls may run at once"),
            ATTENDED,
        ],
    ),
    ("conversation.renamed", "The title changed.", &[("title", "the new title")]),
    (
        "conversation.reopened",
        "A resume.",
        &[("repaired", "whether a torn tail was mended first"), ATTENDED],
    ),
    (
        "conversation.forked",
        "The lines before this one are another session's.",
        &[
            ("parent", "the other session"),
            ("at", "up to which of its events"),
            ("passed", "the end that would have followed here, and that the branch passes"),
            ("seed", "another seed from here on"),
            ATTENDED,
        ],
    ),
    (
        "conversation.ended",
        "The conversation is over, until it is raised or resumed.",
        &[
            REASON,
            ("settled", "whether the talk came to its own end"),
            ("text", "the cause in words"),
            RESULT,
        ],
    ),
    (
        "thread.opened",
        "A talk inside the talk begins.",
        &[
            ("name", "its name"),
            ("policy", "who speaks next in it"),
            ("options", "the policy's options"),
            ("seats", "who sits in it, in order"),
            ("inherits", "whether it sees what its parent saw"),
            ("limits", "its own bounds"),
            ("about", "what it is about, for the policy that opened it"),
            ("memo", "all that the policy that opened it remembers"),
        ],
    ),
    ("thread.closed", "It is over.", &[REASON, RESULT]),
    (
        "command.given",
        "A command of the operator: the steering line with its key and targets.",
        &[
            KEY,
            ("targets", "what it acts on, resolved when it was given"),
            ("after", "the trigger it had"),
            ("during", "the trigger it had"),
            ("at", "the trigger it had"),
            ("when", "the trigger it had"),
            ("in", "the thread it is for"),
            ("id", "echoed in the receipt"),
            ("do", "the name of the command; its other keys are as `schema steer` says"),
        ],
    ),
    (
        "command.refused",
        "A steering line that could not be carried out.",
        &[
            KEY,
            ("line", "the line as it came"),
            ("id", "the id it carried"),
            ("why", "why not, and what would do"),
        ],
    ),
    (
        "batch.opened",
        "One decision about who speaks.",
        &[
            ("for", "who wanted it: policy, operator or engine"),
            ("purpose", "what the seats are asked for"),
            ("seats", "who speaks at once"),
            ("why", "why these, in words"),
            ("queue", "who is expected behind them"),
            ("round", "the round, from 1"),
            ("memo", "all that the policy remembers"),
            ("judge", "what judges are asked for: verdict, casting or stop"),
            ("summary", "what is summed up: for which viewer, up to which event"),
            ("rearmed", "stop rules that asked and hold no more, by their place"),
            ("replaces", "the turn that is spoken anew"),
            ("question", "what is voted on or judged"),
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
        "A voice is asked.",
        &[
            TURN,
            ("model", "who really speaks"),
            (
                "parameters",
                "with what: line, prompt_tokens, max_tokens, prompt_most, prompt_margin",
            ),
            ("digest", "SHA-256 of the prompt"),
            ("left_out", "blocks that the prompt had no room for"),
            (
                "labels",
                "the names under which the prompt shows the seats, where it hides their own",
            ),
        ],
    ),
    (
        "call.retried",
        "A call failed; another one of the same turn follows.",
        &[
            TURN,
            CALL,
            ("error", "class and text of the failure"),
            ("wait_ms", "milliseconds until the next call"),
            ("model", "the fallback that speaks for the seat from here on"),
            ("usage", "tokens that the call used, where it is to be paid for"),
        ],
    ),
    (
        "delta",
        "Pieces of all streams in order of arrival, sealed together.",
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
            ("text", "the words; of a cut, what had been shown"),
            ("raw", "the words as they came, where a repair changed them"),
            ("think", "the reasoning that came with them"),
            ("message", "the type of the message"),
            ("structured", "the reply as data"),
            ("mentions", "seats it named with @"),
            ("why", "of a cut: why"),
            ("error", "of a failure: class and text"),
            ("finish", "how the voice said it finished"),
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
        &[("of", "the key of the command that holds the words")],
    ),
    (
        "receipt",
        "What became of a command.",
        &[
            ("of", "the command's key"),
            ("is", "queued, delivered, done or too_late"),
            ("id", "the id the line carried"),
            ("turns", "the turns its words reached"),
            ("why", "why, in words"),
            ("reason", "why it was not carried out, as never_due, ended, dropped"),
            ("line", "the line, where it never was a command"),
        ],
    ),
    (
        "paused",
        "Nothing starts from here on.",
        &[
            ("why", "why, where it was not the operator"),
            ("rule", "the stop rule that asks, by its place"),
            ("tied", "the sides between which the operator is to choose"),
        ],
    ),
    ("resumed", "It goes on.", &[("steps", "for exactly so many utterances")]),
    ("limit.near", "A limit has come to its warning mark.", LIMIT),
    ("limit.reached", "A limit holds.", LIMIT),
    (
        "vote.closed",
        "All have voted; nobody saw another's vote before.",
        &[
            ("question", "what was voted on"),
            ("options", "the choices, as they were shown"),
            ("ballots", "every vote: seat, choice (none: an abstention), why"),
            ("counts", "votes for each choice"),
            ("winner", "the choice with most votes; none where several have as many"),
            ("how", "how it came about, in words"),
        ],
    ),
    (
        "stance.recorded",
        "Somebody stands elsewhere than before, as their own reply said in its form.",
        &[
            ("participant", "the seat"),
            TURN,
            ("number", "the utterance's number"),
            ("stance", "the answer it gave"),
            ("confidence", "how sure they are, in the measure they said it in"),
        ],
    ),
    (
        "verdict.given",
        "It was judged.",
        &[
            ("question", "what was judged"),
            ("sides", "the sides"),
            ("winner", "the better side; none is a draw, or nobody could be understood"),
            ("scores", "mean scores from 0 to 10"),
            (
                "judgements",
                "every judgement: judge, turn, time, swapped, winner (none: an abstention), scores, why",
            ),
            ("how", "how it came about, in words"),
            ("phase", "the phase that was judged; the whole talk, if none"),
            (
                "interim",
                "whether it was asked after a round; a winner then ends the phase or the talk",
            ),
        ],
    ),
    (
        "warning",
        "Something a person should know.",
        &[("text", "what"), ("about", "what follows from it, as {\"loop\": N}")],
    ),
    (
        "log.repaired",
        "A torn tail was set aside.",
        &[
            ("from", "first byte that was cut off"),
            ("to", "the byte after the last one"),
            ("kept", "the file beside the session that keeps them"),
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
