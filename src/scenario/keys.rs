//! The table of keys: source of the checks, the JSON Schema, and the hints.
//!
//! A new key is added here and read where its table is resolved; there is no second list of keys.

mod answer;
mod contest;
mod http;
mod limits;
mod lore;
mod phase;
mod profile;
mod prompt;
mod tool;
mod value;
mod voice;

pub use value::{Key, PACE_RANGE, VARIED, ValueKind, key, needed};

use crate::model::facts::OF_CONVERSATION;
use answer::ANSWER;
use contest::{CONTEXT, GOAL, POLL, REPLY, STOP, VERDICT};
pub use http::HTTP;
use http::SERVICE;
use limits::LIMITS;
use lore::LORE;
use phase::PHASE;
use profile::{PROFILE, RANKING, STAGE};
use prompt::{FRAME, PROMPT_TABLE};
use tool::{SERVER, TOOL};
pub(super) use value::DAY_SECONDS;
use value::{NAMES, ONE_OR_MORE_NAMES, ROUND_RANGE, SEES, USD, UTTERANCE_RANGE, WORDS};
pub(super) use voice::CAST_LINES;
use voice::{ANY_TOPIC, CAST, HUMAN, LINES, ON_FAILURE, STAND_IN};

/// The policy that plays `[[phase]]`.
pub(super) const PHASES: &str = "phases";
/// The policy in which a planner assigns the steps of a plan to executors.
pub(super) const PLAN: &str = "plan";
/// The policy that looks for one common answer.
pub(super) const CONSENSUS: &str = "consensus";

/// The policy in which participants run once their dependencies are met.
pub(super) const DEPENDS: &str = "depends";
/// Default maximum batches of `depends`.
pub(super) const BATCHES: u32 = 20;
/// Default maximum running seconds of `depends`.
pub(super) const DEPENDS_SECONDS: u64 = 300;

/// Default maximum of parallel calls.
pub(super) const PARALLEL: u32 = 5;
/// Default maximum turns of a conversation whose phases do not define its length.
pub(super) const UTTERANCES: u32 = 20;

const TEMPERATURE: ValueKind = ValueKind::Number { least: 0.0, most: 2.0 };
const TOKENS: ValueKind = ValueKind::Count { least: 1, most: 1_000_000 };
const TOP_P: ValueKind = ValueKind::Number { least: 0.0, most: 1.0 };
const SEED: ValueKind = ValueKind::Count { least: 0, most: 4_294_967_295 };
const PENALTY: ValueKind = ValueKind::Number { least: -2.0, most: 2.0 };
const REPEAT_PENALTY: ValueKind = ValueKind::Number { least: 0.1, most: 10.0 };
const EFFORT: ValueKind = ValueKind::OneOf(&["low", "medium", "high"]);

/// The whole file.
pub static TOP: &[Key] = &[
    needed("title", ValueKind::Line, r#""Should cities ban private cars?""#, "Title."),
    key(
        "topic",
        ValueKind::Text,
        r#""Should cities ban private cars?""#,
        "Topic; {{ topic }} in templates.",
    ),
    key(
        "policy",
        ValueKind::Policy,
        r#""round_robin""#,
        "Who speaks next: a name, or a table with the name and the policy's options.",
    ),
    key(
        "parallel",
        ValueKind::Count { least: 1, most: 64 },
        "5",
        "Maximum number of parallel speakers.",
    ),
    key(
        "words",
        ValueKind::AnyOf(&[ValueKind::OneOf(&[VARIED]), WORDS]),
        "[40, 90]",
        "Minimum and maximum words of a turn, unless its participant or phase sets them; varied alternates short and long \
         turns in a guided debate.",
    ),
    key(
        "layout",
        ValueKind::OneOf(&["own", "shared", "small"]),
        r#""own""#,
        "Where prompts put the conversation: own, after the participant's own rules; shared, first and the same for \
         everyone, so that a local server can reuse its prompt cache; small, all of it in one plain message. Default: own, \
         and small in a guided debate for a model that its server says has fewer than three billion parameters.",
    ),
    key(
        "debate",
        ValueKind::OneOf(&["guided", "plain"]),
        r#""plain""#,
        "Whether prompts include advice on how to debate: guided (default), or plain to leave it out, for research.",
    ),
    FRAME,
    PROMPT_TABLE,
    key(
        "guards",
        ValueKind::OneOf(&["on", "off"]),
        r#""off""#,
        "Whether replies of models are corrected: on, echoes are asked for again, repetitions and text in the names of \
         others are cut; off, they stay as they are. Default: off with [answer] or debate = \"plain\", else on.",
    ),
    key(
        "lore",
        ValueKind::List(&ValueKind::Table(LORE)),
        r#"[{ keys = ["organ"], text = "The organ is from 1927." }]"#,
        "Texts shown to models when one of their keys was just mentioned.",
    ),
    needed(
        "participant",
        ValueKind::List(&ValueKind::Table(PARTICIPANT)),
        r#"[{ id = "ada" }]"#,
        "The participants, in order.",
    ),
    key("limits", ValueKind::Table(LIMITS), "{ utterances = 20 }", "Limits of the conversation."),
    key(
        "stop",
        ValueKind::List(&ValueKind::Table(STOP)),
        r#"[{ word = "AGREED" }]"#,
        "Rules that end the conversation before its limits do.",
    ),
    key(
        "phase",
        ValueKind::List(&ValueKind::Table(PHASE)),
        r#"[{ name = "opening" }]"#,
        "The phases in order, with policy = \"phases\".",
    ),
    key(
        "verdict",
        ValueKind::Table(VERDICT),
        r#"{ judge = "jo", sides = ["pro", "con"] }"#,
        "The judge at the end, or when you ask for a verdict.",
    ),
    key(
        "poll",
        ValueKind::Table(POLL),
        r#"{ options = ["for", "against"], who = "jury" }"#,
        "A secret vote before the first turn and again after the last: who changed, and which choice gained.",
    ),
    key(
        "result",
        ValueKind::OneOf(&["scribe", "none"]),
        r#""none""#,
        "Whether a scribe writes the result at the end, in one more call: scribe (default in guided debates of models), or \
         none.",
    ),
    key(
        "stance",
        NAMES,
        r#"["ban them", "leave them"]"#,
        "Two poles: each turn of a guided debate ends with a line that places the speaker between them.",
    ),
    key(
        "answer",
        ValueKind::Table(ANSWER),
        r#"{ form = "number", by = "majority" }"#,
        "The answer to find, and how the participants' answers are combined into one.",
    ),
    key(
        "item",
        ValueKind::Free,
        r#"{ question = "What is 6 x 7?" }"#,
        "Values for item.NAME in templates; `batch` fills in the fields of each item.",
    ),
    key(
        "rehearsed",
        ValueKind::Cast(CAST),
        r#"{ ada = ["First this.", "Then that."] }"#,
        "The lines that --rehearsed and demo play, by participant.",
    ),
    key(
        "tool",
        ValueKind::List(&ValueKind::Table(TOOL)),
        r#"[{ name = "weather", about = "The weather of a town.", script = ["./weather.py"] }]"#,
        "Scripts that models may call as tools; read_file, list_dir and search_files are built in.",
    ),
    key(
        "server",
        ValueKind::List(&ValueKind::Table(SERVER)),
        r#"[{ name = "time", command = ["mcp-server-time"], read_only = ["get_current_time"] }]"#,
        "Servers of tools that speak the Model Context Protocol; name one in a participant's `tools`.",
    ),
    key(
        "profile",
        ValueKind::Table(PROFILE),
        r#"{ fields = ["living_space", "allergies"] }"#,
        "What is to be known of the person, kept from replies with keep = \"profile\".",
    ),
    key(
        "stage",
        ValueKind::List(&ValueKind::Table(STAGE)),
        r#"[{ name = "gathering", when = "count(profile, fields) < 4" }]"#,
        "Stages of the conversation, by conditions over the profile.",
    ),
    key(
        "ranking",
        ValueKind::Table(RANKING),
        r#"{ when = "stage == 'ready'", catalogue = { cat = { name = "Cat" } } }"#,
        "A catalogue ranked by the known facts about the person.",
    ),
];

/// The keys of `[[participant]]`.
pub(super) static PARTICIPANT: &[Key] = &[
    needed(
        "id",
        ValueKind::Id,
        r#""ada""#,
        "Stable name of lower-case letters, digits, `-` and `_`; in expressions context['a-b'] or context.a_b.",
    ),
    key("name", ValueKind::Line, r#""Ada""#, "Display name (default: the id)."),
    key("aliases", NAMES, r#"["the planner"]"#, "Other names that mentions can use."),
    key(
        "role",
        ONE_OR_MORE_NAMES,
        r#""pro""#,
        "Free text; phases and stop words can refer to it. A list changes it each round; \"-\" is none.",
    ),
    key(
        "description",
        ValueKind::Line,
        r#""knows the harbour, hates speeches""#,
        "One line about the participant for the chooser of the next speaker.",
    ),
    key(
        "words",
        WORDS,
        "[40, 90]",
        "Minimum and maximum words of its turns, unless the phase sets them.",
    ),
    key("persona", ValueKind::Prompt, r#""You plan cities.""#, "Persona for the model."),
    GOAL,
    key(
        "any_topic",
        ValueKind::Table(ANY_TOPIC),
        r#"{ persona = "You are Ada. You would lose by a yes." }"#,
        "Role and persona if the conversation gets another topic (--topic).",
    ),
    key(
        "model",
        ValueKind::Model,
        r#""ollama:llama3""#,
        "A language model; without any voice, the default model is used.",
    ),
    key(
        "agent",
        NAMES,
        r#"["opencode", "acp"]"#,
        "Voice: a program that speaks the Agent Client Protocol, with its arguments. It runs for the whole conversation.",
    ),
    key(
        "folder",
        ValueKind::Line,
        r#""./work""#,
        "The folder an agent works in (default: a new one, removed at the end).",
    ),
    key(
        "script",
        NAMES,
        r#"["./reply.sh"]"#,
        "A program and its arguments: one JSON request in, the reply out.",
    ),
    SERVICE,
    key(
        "recording",
        ValueKind::Line,
        r#""talk.jsonl""#,
        "A session in the scenario's folder: this participant repeats its replies there, and no model is called.",
    ),
    key(
        "human",
        ValueKind::AnyOf(&[ValueKind::True, ValueKind::Table(HUMAN)]),
        "true",
        "A person, asked to write a message when they have the floor.",
    ),
    key(
        "who",
        ValueKind::OneOf(&["link"]),
        r#""link""#,
        "The person of a human seat has a link of `serve`, for one browser; without it, the person at the screen speaks.",
    ),
    key(
        "team",
        ValueKind::Line,
        r#""consensus""#,
        "A bundled scenario, or a file beside this one, as one participant: each turn is an inner conversation, and its \
         last message becomes the participant's message.",
    ),
    key(
        "lines",
        LINES,
        r#"["First this.", "Then that."]"#,
        "Rehearsed lines in order, repeating after the last.",
    ),
    key(
        "stand_in",
        ValueKind::Table(STAND_IN),
        r#"{ lines = ["I pass."] }"#,
        "The voice used when no one is at the keyboard.",
    ),
    key(
        "weight",
        ValueKind::Number { least: 0.001, most: 1000.0 },
        "1",
        "Share of the floor, with weighted policies.",
    ),
    key(
        "talkativeness",
        ValueKind::Number { least: 0.0, most: 1.0 },
        "0.5",
        "How readily the participant speaks, with the policy talkative.",
    ),
    key("max_utterances", UTTERANCE_RANGE, "3", "Maximum turns of this participant."),
    key(
        "after",
        ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Id, ValueKind::Table(AFTER)])),
        r#"["ada", { participant = "bo", when = "context.get('unclear', False)" }]"#,
        "The participants to wait for, with the policy depends: an id, or a table.",
    ),
    key(
        "needs",
        ValueKind::OneOf(&["all", "any"]),
        r#""all""#,
        "How many of these dependencies must have spoken: all (default) or any.",
    ),
    key(
        "starts",
        ValueKind::Flag,
        "true",
        "Whether the participant may run first, before its dependencies.",
    ),
    key(
        "state_key",
        ValueKind::Line,
        r#""analysis""#,
        "Additional context key for the participant's data, besides its id.",
    ),
    key(
        "may_request",
        NAMES,
        r#"["bo"]"#,
        "The participants that `requests` in its structured replies may wake (default: everyone).",
    ),
    key(
        "timeout",
        ValueKind::Duration,
        r#""30s""#,
        "Total time of a call; if above two minutes, also the time to the first token.",
    ),
    key(
        "on_failure",
        ValueKind::Table(ON_FAILURE),
        r#"{ retry = 1, then = "skip" }"#,
        "What happens when a call fails.",
    ),
    key("pace", PACE_RANGE, "70", "Milliseconds per rehearsed word."),
    key(
        "speaks",
        ValueKind::Flag,
        "true",
        "Whether it takes turns (default: true, but false for judges and moderators).",
    ),
    key("reply", REPLY, r#"{ choice = ["yes", "no"] }"#, "Required form of its replies."),
    key(
        "sees",
        SEES,
        r#""own""#,
        "Whose turns the participant sees, unless the phase says so: a word (default: all), or a list of participants.",
    ),
    key(
        "tools",
        NAMES,
        r#"["read_file", "search_files"]"#,
        "Names of the tools that its model may call.",
    ),
    key(
        "context",
        CONTEXT,
        r#""summary""#,
        "What to do when the conversation is too long for its model.",
    ),
    key("temperature", TEMPERATURE, "0.7", "Sampling temperature."),
    key("top_p", TOP_P, "0.9", "Nucleus sampling: the share of probability sampled from."),
    key("seed", SEED, "7", "Random seed for the model, if its server takes one."),
    key("frequency_penalty", PENALTY, "0.4", "Frequency penalty."),
    key("presence_penalty", PENALTY, "0.4", "Presence penalty."),
    key("repeat_penalty", REPEAT_PENALTY, "1.1", "Repeat penalty, for Ollama and local servers."),
    key("max_tokens", TOKENS, "400", "Maximum tokens of one reply."),
    key("stop", NAMES, r#"["END"]"#, "Stop sequences."),
    key("effort", EFFORT, r#""low""#, "Reasoning effort."),
    key(
        "fallbacks",
        ValueKind::List(&ValueKind::Model),
        r#"["ollama:llama3"]"#,
        "Fallback models, in order, used when the previous one fails.",
    ),
    key("max_usd", USD, "0.5", "Maximum cost of this participant in dollars."),
];

/// The keys that `change` accepts.
pub(super) const CHANGEABLE: &[&str] = &[
    "name",
    "aliases",
    "role",
    "description",
    "words",
    "persona",
    "weight",
    "talkativeness",
    "max_utterances",
    "timeout",
    "on_failure",
    "reply",
    "context",
    "model",
    "fallbacks",
    "temperature",
    "top_p",
    "seed",
    "frequency_penalty",
    "presence_penalty",
    "repeat_penalty",
    "max_tokens",
    "max_usd",
    "stop",
    "effort",
    "script",
    "lines",
];

/// The keys of a dependency in `after`.
static AFTER: &[Key] = &[
    needed("participant", ValueKind::Id, r#""bo""#, "The participant to wait for."),
    key(
        "when",
        ValueKind::Condition(OF_CONVERSATION),
        r#""context.get('unclear', False)""#,
        "Counts only if this condition holds.",
    ),
    key("max", UTTERANCE_RANGE, "2", "How often it may trigger (default 1)."),
];

/// The keys of every policy's table besides the policy's own options.
pub(super) static ANY_POLICY: &[Key] = &[
    needed("name", ValueKind::Text, r#""round_robin""#, "The name of the policy."),
    key(
        "mentions",
        ValueKind::OneOf(&["once", "off"]),
        r#""once""#,
        "Whether a participant mentioned with @ speaks next, once.",
    ),
    key("rounds", ROUND_RANGE, "3", "Rounds."),
];
