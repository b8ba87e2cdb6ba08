//! Table of the tools for clients: the schema and the handler of each.

use super::answers;
use super::call::{COMMANDS, ToolCall, WAIT_MAX};
use super::cast::{CAST_MAX, MATERIAL_MAX};
use super::outputs;
use super::values;
use crate::cli::error::Failure;
use serde_json::{Value, json};

/// Turns, seconds and tokens that a client can ask for; the settings allow less.
const TURNS_MAX: u64 = 500;
const SECONDS_MAX: u64 = 86_400;
const TOKENS_MAX: u64 = 100_000_000;
const USD_MAX: u64 = 10_000;
/// Largest cursor.
const CURSOR_MAX: u64 = 1 << 53;
/// Turns of one `step`.
const STEP_MAX: u64 = 100;
/// Options of a vote, and participants that a note is for.
const MANY_MAX: usize = 20;
/// Characters of the words that a search looks for.
const WORDS_MAX: usize = 500;
/// A tool that other programs can call.
pub struct ServedTool {
    /// The name that a client calls it by.
    pub name: &'static str,
    /// Description for models.
    pub description: &'static str,
    /// True if it changes nothing.
    pub read_only: bool,
    /// Its arguments as JSON Schema: properties, and which are needed.
    schema: fn() -> (Value, &'static [&'static str]),
    /// The schema of its results.
    output: fn() -> Value,
    /// The function that answers a call.
    pub answer: fn(&ToolCall<'_>) -> Result<Value, Failure>,
}

/// The tools in the order in which a client sees them.
pub const TOOLS: &[ServedTool] = &[
    ServedTool {
        name: "list_scenarios",
        description: "List the scenarios and panels that a conversation can be started with.",
        read_only: true,
        schema: || (json!({}), &[]),
        output: outputs::scenarios,
        answer: answers::list_scenarios,
    },
    ServedTool {
        name: "ask",
        description: "Ask the panel `council` a question and wait for its answer, dissent and cost. As `convene`, with \
            fewer choices.",
        read_only: false,
        schema: || {
            let all = wanted();
            let mut properties = json!({"question": values::text("the question")});
            for key in ["material", "opinion", "model", "rehearsed", "max_usd", "key"] {
                properties[key] = all[key].clone();
            }
            properties["deadline_seconds"] = seconds("how long to wait (default 45)");
            (properties, &["question"])
        },
        output: outputs::conversation,
        answer: answers::ask,
    },
    ServedTool {
        name: "convene",
        description: "Let several models talk about a topic and wait for the result: answer, dissent, verdict, cost and \
            the end of the transcript. If it is not over within deadline_seconds, the result is partial (complete: \
            false) and the conversation goes on: call `wait` with its session. A conversation costs at most 0.25 \
            dollars (200,000 tokens for models without a known price) unless max_usd or the user's settings say \
            otherwise.",
        read_only: false,
        schema: || {
            let mut properties = wanted();
            properties["deadline_seconds"] = seconds("how long to wait (default 45)");
            (properties, &[])
        },
        output: outputs::conversation,
        answer: answers::convene,
    },
    ServedTool {
        name: "start",
        description: "Start a conversation and return at once with its session and the ids of its participants. The \
            same key never starts two. It costs at most 0.25 dollars (200,000 tokens for models without a known price) \
            unless max_usd or the user's settings say otherwise.",
        read_only: false,
        schema: || (wanted(), &[]),
        output: outputs::started,
        answer: answers::start,
    },
    ServedTool {
        name: "wait",
        description: "Wait for the end of a conversation that this server started, at most `seconds`; returns the \
            result, which is partial if it has not ended. A conversation that was interrupted by a restart continues.",
        read_only: false,
        schema: || {
            (
                json!({"session": values::session(), "seconds": seconds("how long to wait (default 45)")}),
                &["session"],
            )
        },
        output: outputs::conversation,
        answer: answers::wait,
    },
    ServedTool {
        name: "tail",
        description: "Return the messages of any session after a cursor: pass `next` of the last call as `after`. With \
            `seconds`, wait that long for the next message of a running conversation.",
        read_only: true,
        schema: || {
            let after = values::count(0, CURSOR_MAX, "cursor (default 0: the beginning)");
            let seconds = values::count(0, WAIT_MAX, "how long to wait (default 0)");
            let properties =
                json!({"session": values::session(), "after": after, "seconds": seconds});
            (properties, &["session"])
        },
        output: outputs::tail,
        answer: answers::tail,
    },
    ServedTool {
        name: "result",
        description: "Return the state of a conversation: the result if it has ended, else a partial one.",
        read_only: true,
        schema: || (json!({"session": values::session()}), &["session"]),
        output: outputs::conversation,
        answer: answers::result,
    },
    ServedTool {
        name: "say",
        description: "Say something to everyone in any running conversation, as its operator, or as the participant \
            of your own cast that you speak for. `@@NAME TEXT` is for that participant alone.",
        read_only: false,
        schema: || {
            let who =
                values::name("the id or the name of the participant you speak for, such as p1");
            (
                json!({"session": values::session(), "text": values::text("the words"), "as": who}),
                &["session", "text"],
            )
        },
        output: outputs::taken,
        answer: answers::say,
    },
    ServedTool {
        name: "steer",
        description: "Give any running conversation a command, such as {\"do\": \"skip\"}, {\"do\": \"note\", \"text\": \
            \"be brief\"} or {\"do\": \"end\"}.",
        read_only: false,
        schema: || {
            (json!({"session": values::session(), "command": command()}), &["session", "command"])
        },
        output: outputs::taken,
        answer: answers::steer,
    },
    ServedTool {
        name: "status",
        description: "List the running conversations of this server, those that other programs run (`others`), and \
            the dollars that are left.",
        read_only: true,
        schema: || (json!({}), &[]),
        output: outputs::status,
        answer: answers::status,
    },
    ServedTool {
        name: "read_session",
        description: "Read the transcript of a session, a page at a time: pass `next` of the last call as `from`.",
        read_only: true,
        schema: || {
            let from = values::count(0, CURSOR_MAX, "first character (default 0)");
            (json!({"session": values::session(), "from": from}), &["session"])
        },
        output: outputs::page,
        answer: answers::read_session,
    },
    ServedTool {
        name: "search_sessions",
        description: "Find where words were said in the saved sessions, whispers and hidden turns left out.",
        read_only: true,
        schema: || {
            (
                json!({"words": {"type": "string", "minLength": 1, "maxLength": WORDS_MAX}}),
                &["words"],
            )
        },
        output: outputs::hits,
        answer: answers::search_sessions,
    },
    ServedTool {
        name: "analyze",
        description: "Return the figures of a session: shares, speed, cost, votes, mentions and more.",
        read_only: true,
        schema: || (json!({"session": values::session()}), &["session"]),
        output: outputs::figures,
        answer: answers::analyze,
    },
];

impl ServedTool {
    /// Returns its row in the list of tools.
    pub fn listed(&self) -> Value {
        json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.schema(),
            "outputSchema": (self.output)(),
            "annotations": {"readOnlyHint": self.read_only},
        })
    }

    /// Returns the schema of its arguments.
    pub fn schema(&self) -> Value {
        let (properties, required) = (self.schema)();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

fn seconds(description: &str) -> Value {
    values::count(1, WAIT_MAX, description)
}

/// The properties of a conversation that is wanted.
fn wanted() -> Value {
    let text = values::text;
    json!({
        "scenario": values::name("a name from list_scenarios (default: the panel `council`)"),
        "cast": {"type": "array", "maxItems": CAST_MAX, "description": "participants of your own, in place of a scenario",
            "items": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                "name": values::name("the name that the others see"),
                "persona": text("identity and character"),
                "role": values::name("the role, shown to everybody"),
                "model": values::name("a family such as claude, or provider:name (default: the user's default model)"),
                "caller": {"type": "boolean", "description": "you speak for it yourself, with `say`"}}}},
        "topic": text("the topic or question"),
        "material": {"type": "array", "maxItems": MATERIAL_MAX, "items": text("a text"), "description": "texts that everybody reads first"},
        "opinion": text("your own answer, shown to the panel after its first, blind answers"),
        "model": values::name("a family such as claude, provider:name, or several with commas, for participants without a model"),
        "rehearsed": {"type": "boolean", "description": "play the rehearsed lines of the scenario; no model is called"},
        "max_turns": values::count(1, TURNS_MAX, "turns"),
        "max_seconds": values::count(1, SECONDS_MAX, "running time; only lowers the limit"),
        "max_tokens": values::count(1, TOKENS_MAX, "tokens; only lowers the limit"),
        "max_usd": {"type": "number", "exclusiveMinimum": 0, "maximum": USD_MAX, "description": "dollars (default 0.25), within the budget of the settings"},
        "key": values::name("the same key never starts two conversations"),
    })
}

/// The schema of a command. It lacks triggers: a command acts at once.
fn command() -> Value {
    let who = values::name("the id of a participant");
    let many = json!({"type": "array", "maxItems": MANY_MAX, "items": who});
    json!({"type": "object", "required": ["do"], "additionalProperties": false, "properties": {
        "do": {"enum": COMMANDS},
        "text": values::text("the words"),
        "who": who,
        "to": {"anyOf": [who, many]},
        "for": {"enum": ["utterance", "round", "standing"]},
        "n": values::count(1, STEP_MAX, "turns of a step"),
        "note": values::name("the id, key or number of a note"),
        "question": values::text("the question of a vote"),
        "options": {"type": "array", "maxItems": MANY_MAX, "items": values::name("an option")},
        "winner": values::name("the side that wins a tie"),
        "final_round": {"type": "boolean"},
    }})
}
