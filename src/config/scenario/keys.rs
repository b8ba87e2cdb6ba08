//! The table of keys: source of the checks, the JSON Schema, and the hints.
//!
//! A new key is added here and read where its table is resolved; there is no second list of keys.

mod conversation;
mod value;
mod voice;

pub(super) use value::{DAY_SECONDS, TURNS, UTTERANCES_KEY, usual};
pub use value::{Key, PACE_RANGE, Readers, VARIED, ValueKind, key, keys, needed};

use crate::model::facts::OF_CONVERSATION;
use crate::model::{
    Debate, Goal, Guards, Layout, Limits, Line, Needs, PromptTemplates, SeatId, Sees, Text, Usd,
};
use crate::scenario::ResultRule;
use crate::scenario::tree::Or;
use conversation::{
    ANSWER, CONTEXT, GOAL, LIMITS, LORE, PHASE, POLL, PROFILE, PROMPT, RANKING, REPLY, STAGE, STOP,
    VERDICT,
};
pub(super) use conversation::{
    RawAnswer, RawContext, RawLore, RawPhase, RawPoll, RawProfile, RawRanking, RawReply, RawStop,
    RawVerdict,
};
use value::{NAMES, ONE_OR_MORE_NAMES, ROUND_RANGE, SEES, USD, UTTERANCE_RANGE, WORDS};
pub use voice::HTTP;
use voice::{ANY_TOPIC, HUMAN, LINES, ON_FAILURE, RawFailureRule, SERVER, STAND_IN, TOOL};
pub(super) use voice::{CAST, CAST_LINES, RawCast, RawHttp, RawHuman, RawServer, RawTool};

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

keys! {
    /// The whole file.
    pub static TOP as RawScenario;
    title = needed(ValueKind::Line, r#""Should cities ban private cars?""#, "Title.");
    topic = key(ValueKind::Text, r#""Should cities ban private cars?""#,
        "Topic; {{ topic }} in templates.");
    policy = key(ValueKind::Policy, r#""round_robin""#,
        "Who speaks next: a name, or a table with the name and the policy's options.");
    parallel: Option<u32> = key(ValueKind::Count { least: 1, most: 64 }, "5",
        "Maximum number of parallel speakers.");
    words = key(ValueKind::AnyOf(&[ValueKind::OneOf(&[VARIED]), WORDS]), "[40, 90]",
        "Minimum and maximum words of a turn, unless its participant or phase sets them; varied alternates \
         short and long turns in a guided debate.");
    layout: Option<Layout> = key(ValueKind::OneOf(&["own", "shared", "small"]), r#""own""#,
        "Where prompts put the conversation: own, after the participant's own rules; shared, first and the same \
         for everyone, so that a local server can reuse its prompt cache; small, all of it in one plain \
         message. Default: own, and small in a guided debate for a model that its server says has fewer than \
         three billion parameters.");
    debate: Debate = key(ValueKind::OneOf(&["guided", "plain", "work"]), r#""plain""#,
        "What prompts of free discussions add: guided (default), advice on how to debate; plain, for talks \
         that are no debates, your messages, questions by name and the place of a turn; work, the task alone, \
         as in graphs, plans and seats with tools or a schema.").read_by(Readers::Discussions);
    frame: Option<Text> = key(ValueKind::OneOf(&["guided", "plain", "work", "none"]), r#""none""#,
        "What prompts add to the scenario's own words: guided (default), plain or work, as with `debate`; none, \
         nothing: the system message is the persona, and the request is the task.");
    prompt: PromptTemplates = key(ValueKind::Table(PROMPT), r#"{ first = "{{ question }}" }"#,
        "The messages of a prompt, with frame = \"none\".");
    guards: Option<Guards> = key(ValueKind::OneOf(&["on", "off"]), r#""off""#,
        "Whether replies of models are corrected: on, echoes are asked for again, repetitions and text in the \
         names of others are cut; off, they stay as they are. Default: off with [answer] or frame = \"none\", \
         else on.");
    lore = key(ValueKind::List(&ValueKind::Table(LORE)),
        r#"[{ keys = ["organ"], text = "The organ is from 1927." }]"#,
        "Texts shown to models when one of their keys was just mentioned.");
    seats = key(ValueKind::Table(OPEN_SEATS), r#"{ open = 8, like = "ada" }"#,
        "Open seats: more models than participants get copies of one of them, without its persona.");
    participant = needed(ValueKind::List(&ValueKind::Table(PARTICIPANT)), r#"[{ id = "ada" }]"#,
        "The participants, in order.");
    limits: Limits = key(ValueKind::Table(LIMITS), "{ utterances = 20 }", "Limits of the conversation.");
    stop = key(ValueKind::List(&ValueKind::Table(STOP)), r#"[{ word = "AGREED" }]"#,
        "Rules that end the conversation before its limits do.");
    phase = key(ValueKind::List(&ValueKind::Table(PHASE)), r#"[{ name = "opening" }]"#,
        "The phases in order, with policy = \"phases\".");
    verdict = key(ValueKind::Table(VERDICT), r#"{ judge = "jo", sides = ["pro", "con"] }"#,
        "The judge at the end, or when you ask for a verdict.");
    poll = key(ValueKind::Table(POLL), r#"{ options = ["for", "against"], who = "jury" }"#,
        "A secret vote before the first turn and again after the last: who changed, and which choice gained.");
    result: Option<ResultRule> = key(ValueKind::OneOf(&["scribe", "none"]), r#""none""#,
        "Whether a scribe writes the result at the end, in one more call: scribe (default in guided debates of \
         models), or none.");
    stance = key(NAMES, r#"["ban them", "leave them"]"#,
        "Two poles: each turn of a guided debate ends with a line that places the speaker between them.").read_by(Readers::Discussions);
    answer = key(ValueKind::Table(ANSWER), r#"{ form = "number", by = "majority" }"#,
        "The answer to find, and how the participants' answers are combined into one.");
    item = key(ValueKind::Free, r#"{ question = "What is 6 x 7?" }"#,
        "Values for item.NAME in templates; `batch` fills in the fields of each item.");
    rehearsed = key(ValueKind::Cast(CAST), r#"{ ada = ["First this.", "Then that."] }"#,
        "The lines that --rehearsed and demo play, by participant.");
    tool = key(ValueKind::List(&ValueKind::Table(TOOL)),
        r#"[{ name = "weather", about = "The weather of a town.", script = ["./weather.py"] }]"#,
        "Scripts that models may call as tools; read_file, list_dir and search_files are built in.");
    server = key(ValueKind::List(&ValueKind::Table(SERVER)),
        r#"[{ name = "time", command = ["mcp-server-time"], read_only = ["get_current_time"] }]"#,
        "Servers of tools that speak the Model Context Protocol; name one in a participant's `tools`.");
    profile = key(ValueKind::Table(PROFILE), r#"{ fields = ["living_space", "allergies"] }"#,
        "What is to be known of the person, kept from replies with keep = \"profile\".");
    stage = key(ValueKind::List(&ValueKind::Table(STAGE)),
        r#"[{ name = "gathering", when = "count(profile, fields) < 4" }]"#,
        "Stages of the conversation, by conditions over the profile.");
    ranking = key(ValueKind::Table(RANKING),
        r#"{ when = "stage == 'ready'", catalogue = { cat = { name = "Cat" } } }"#,
        "A catalogue ranked by the known facts about the person.");
}

keys! {
    /// The keys of `[seats]`.
    pub(super) static OPEN_SEATS;
    open = needed(ValueKind::Count { least: 2, most: 64 }, "8", "Maximum number of participants.");
    like = needed(ValueKind::Id, r#""ada""#, "Participant that is copied.");
}

keys! {
    /// The keys of `[[participant]]`. The command `change` accepts those that are changeable.
    pub(super) static PARTICIPANT as RawSeat;
    id: Option<Text> = needed(ValueKind::Id, r#""ada""#,
        "Stable name of lower-case letters, digits, `-` and `_`; in expressions context['a-b'] or context.a_b.");
    name: Option<Text> = key(ValueKind::Line, r#""Ada""#, "Display name (default: the id).").changeable();
    aliases: Option<Vec<Text>> = key(NAMES, r#"["the planner"]"#, "Other names that mentions can use.").changeable();
    role: Option<Or<Text, Vec<Text>>> = key(ONE_OR_MORE_NAMES, r#""pro""#,
        "Free text; phases and stop words can refer to it. A list changes it each round; \"-\" is none.").changeable();
    side: Option<Text> = key(ValueKind::Line, r#""no""#,
        "The answer that it argues for: yes, no, or words.").changeable();
    description: Option<Text> = key(ValueKind::Line, r#""knows the harbour, hates speeches""#,
        "One line about the participant for the chooser of the next speaker.").changeable();
    words = key(WORDS, "[40, 90]", "Minimum and maximum words of its turns, unless the phase sets them.").changeable();
    persona: Option<Text> = key(ValueKind::Prompt, r#""You plan cities.""#, "Persona for the model.").changeable();
    goal: Option<Goal> = key(ValueKind::Table(GOAL), r#"{ text = "sell for 310 or more", least = 310 }"#,
        "A private goal: nobody else reads it before the end, which shows it with the gain from the accepted \
         offer.");
    card = key(ValueKind::Line, r#""iris.png""#,
        "A character card beside this file (V1 to V3, JSON or PNG): name, alias, persona and lore, where the \
         participant has none of its own.");
    any_topic = key(ValueKind::Table(ANY_TOPIC), r#"{ persona = "You are Ada. You would lose by a yes." }"#,
        "Role and persona if the conversation gets another topic (--topic).");
    model: Option<Text> = key(ValueKind::Model, r#""ollama:llama3""#,
        "A language model; without any voice, the default model is used.").changeable();
    agent: Option<Vec<Text>> = key(NAMES, r#"["opencode", "acp"]"#,
        "Voice: a program that speaks the Agent Client Protocol, with its arguments. It runs for the whole \
         conversation.");
    folder: Option<Text> = key(ValueKind::Line, r#""./work""#,
        "The folder an agent works in (default: a new one, removed at the end).");
    script: Option<Vec<Text>> = key(NAMES, r#"["./reply.sh"]"#,
        "A program and its arguments: one JSON request in, the reply out.").changeable();
    http: Option<RawHttp> = key(ValueKind::Table(HTTP),
        r#"{ url = "http://127.0.0.1:8000/chat", body = { text = "{{ message }}" }, reply = "answer" }"#,
        "An HTTP service: one request for each reply. `help http` explains its keys.");
    recording: Option<Text> = key(ValueKind::Line, r#""talk.jsonl""#,
        "A session in the scenario's folder: this participant repeats its replies there, and no model is called.");
    human: Option<Or<bool, RawHuman>> = key(
        ValueKind::AnyOf(&[ValueKind::True, ValueKind::Table(HUMAN)]), "true",
        "A person, asked to write a message when they have the floor.");
    who: Option<Text> = key(ValueKind::OneOf(&["link"]), r#""link""#,
        "The person of a human seat has a link of `serve`, for one browser; without it, the person at the \
         screen speaks.");
    team: Option<Text> = key(ValueKind::Line, r#""consensus""#,
        "A bundled scenario, or a file beside this one, as one participant: each turn is an inner conversation, \
         and its last message becomes the participant's message.");
    lines: Option<Vec<Or<Text, Line>>> = key(LINES, r#"["First this.", "Then that."]"#,
        "Rehearsed lines in order, repeating after the last.").changeable();
    stand_in: Option<Box<RawSeat>> = key(ValueKind::Table(STAND_IN), r#"{ lines = ["I pass."] }"#,
        "The voice used when no one is at the keyboard.");
    weight: Option<f64> = key(ValueKind::Number { least: 0.001, most: 1000.0 }, "1",
        "Share of the floor, with weighted policies.").changeable().read_by(Readers::Named);
    talkativeness: Option<f64> = key(ValueKind::Number { least: 0.0, most: 1.0 }, "0.5",
        "How readily the participant speaks, with the policy talkative.").changeable().read_by(Readers::Named);
    max_utterances: Option<u32> = key(UTTERANCE_RANGE, "3", "Maximum turns of this participant.").changeable();
    after: Vec<Or<SeatId, RawAfter>> = key(
        ValueKind::List(&ValueKind::AnyOf(&[ValueKind::Id, ValueKind::Table(AFTER)])),
        r#"["ada", { participant = "bo", when = "context.get('unclear', False)" }]"#,
        "The participants to wait for, with the policy depends: an id, or a table.");
    needs: Needs = key(ValueKind::OneOf(&["all", "any"]), r#""all""#,
        "How many of these dependencies must have spoken: all (default) or any.");
    starts: Option<bool> = key(ValueKind::Flag, "true",
        "Whether the participant may run first, before its dependencies.");
    state_key: Option<Text> = key(ValueKind::Line, r#""analysis""#,
        "Additional context key for the participant's data, besides its id.");
    may_request: Option<Vec<SeatId>> = key(NAMES, r#"["bo"]"#,
        "The participants that `requests` in its structured replies may wake (default: everyone).").read_by(Readers::Named);
    timeout = key(ValueKind::Duration, r#""30s""#,
        "Total time of a call; if above two minutes, also the time to the first token.").changeable();
    on_failure: RawFailureRule = key(ValueKind::Table(ON_FAILURE), r#"{ retry = 1, then = "skip" }"#,
        "What happens when a call fails.").changeable();
    pace: Option<u64> = key(PACE_RANGE, "70", "Milliseconds per rehearsed word.");
    speaks: Option<bool> = key(ValueKind::Flag, "true",
        "Whether it takes turns (default: true, but false for judges and moderators).");
    reply = key(REPLY, r#"{ choice = ["yes", "no"] }"#, "Required form of its replies.").changeable();
    sees: Option<Or<Sees, Vec<Text>>> = key(SEES, r#""own""#,
        "Whose turns the participant sees, unless the phase says so: a word (default: all), or a list of \
         participants.").read_by(Readers::Discussions);
    tools = key(NAMES, r#"["read_file", "search_files"]"#, "Names of the tools that its model may call.");
    context: Option<Or<Text, RawContext>> = key(CONTEXT, r#""summary""#,
        "What to do when the conversation is too long for its model.").changeable();
    temperature: Option<f64> = key(TEMPERATURE, "0.7", "Sampling temperature.").changeable();
    top_p: Option<f64> = key(TOP_P, "0.9", "Nucleus sampling: the share of probability sampled from.").changeable();
    seed: Option<u64> = key(SEED, "7", "Random seed for the model, if its server takes one.").changeable();
    frequency_penalty: Option<f64> = key(PENALTY, "0.4", "Frequency penalty.").changeable();
    presence_penalty: Option<f64> = key(PENALTY, "0.4", "Presence penalty.").changeable();
    repeat_penalty: Option<f64> = key(REPEAT_PENALTY, "1.1", "Repeat penalty, for Ollama and local servers.").changeable();
    max_tokens: Option<u32> = key(TOKENS, "400", "Maximum tokens of one reply.").changeable();
    stop: Option<Vec<Text>> = key(NAMES, r#"["END"]"#, "Stop sequences.").changeable();
    effort: Option<Text> = key(EFFORT, r#""low""#, "Reasoning effort.").changeable();
    fallbacks: Option<Vec<Text>> = key(ValueKind::List(&ValueKind::Model), r#"["ollama:llama3"]"#,
        "Fallback models, in order, used when the previous one fails.").changeable();
    max_usd: Option<Usd> = key(USD, "0.5", "Maximum cost of this participant in dollars.").changeable();
}

keys! {
    /// The keys of a dependency in `after`.
    static AFTER as RawAfter;
    participant: Option<SeatId> = needed(ValueKind::Id, r#""bo""#, "The participant to wait for.");
    when: Option<Text> = key(ValueKind::Condition(OF_CONVERSATION), r#""context.get('unclear', False)""#,
        "Counts only if this condition holds.");
    max: Option<u32> = key(UTTERANCE_RANGE, "2", "How often it may trigger (default 1).");
}

keys! {
    /// The keys of every policy's table besides the policy's own options.
    pub(super) static ANY_POLICY;
    name = needed(ValueKind::Text, r#""round_robin""#, "The name of the policy.");
    mentions = key(ValueKind::OneOf(&["once", "off"]), r#""once""#,
        "Whether a participant mentioned with @ speaks next, once.");
    rounds = key(ROUND_RANGE, "3", "Rounds.");
}
