//! Table of settings: accepted values, default and meaning of each key; source of the JSON Schema and of all
//! explanations.

use crate::model::Wire;
use serde_json::{Map, Value, json};

/// One key; a part in capitals is a placeholder for any name.
pub struct Setting {
    /// Dotted key.
    pub key: &'static str,
    /// Accepted values, as JSON Schema.
    takes: &'static str,
    /// Default, as text.
    pub default: &'static str,
    /// One sentence for the schema.
    pub meaning: &'static str,
}

const TEXT: &str = r#"{"type": "string"}"#;

/// JSON Schema of a list of texts.
const TEXTS: &str = r#"{"type": "array", "items": {"type": "string"}}"#;

/// Declares the rows: key, accepted values, default and meaning.
macro_rules! settings {
    ($($key:literal = $takes:expr, $default:literal: $meaning:literal;)+) => {
        /// Every setting, in the order of the schema.
        pub const SETTINGS: &[Setting] =
            &[$(Setting { key: $key, takes: $takes, default: $default, meaning: $meaning }),+];
    };
}

settings! {
    "default_model" = TEXT, "not set":
        "Default model for participants without one: provider:name, or words such as claude, gpt.";
    "usual" = TEXTS, "default_model":
        "Models of `colloquium talk` without models, as in [\"claude\", \"gpt\", \"llama\"].";
    "retries.tries" = r#"{"type": "integer", "minimum": 1}"#, "5":
        "Maximum calls to one model per turn, whatever a scenario or a server asks for.";
    "retries.seconds" = r#"{"type": "integer", "minimum": 0}"#, "60":
        "Maximum total seconds that a turn waits between its calls.";
    "theme" = r#"{"anyOf": [{"type": "string"}, {"type": "object", "properties": {"light": {"type": "string"},
            "dark": {"type": "string"}}, "required": ["light", "dark"], "additionalProperties": false}]}"#,
        "terminal":
        "The theme, or one each for light and dark backgrounds.";
    "color_depth" = r#"{"enum": ["auto", "16", "256", "truecolor"]}"#, "auto":
        "Colour depth of the terminal.";
    "keymap" = r#"{"enum": ["plain", "vim"]}"#, "plain": "Key map: plain, or vim.";
    "start" = r#"{"enum": ["line", "read"]}"#, "line":
        "Without an effect: letters write in every conversation.";
    "hold" = r#"{"type": "integer", "minimum": 0, "maximum": 600}"#, "15":
        "Seconds from your last key for which the next turn waits while you write; 0 never waits.";
    "pace" = r#"{"enum": ["live", "reading"]}"#, "live":
        "Words of models on the screen: live (as they arrive) or reading (at most 250 a minute; the next turn waits).";
    "poster" = r#"{"type": "integer", "minimum": 0, "maximum": 1440}"#, "0":
        "Minutes without a key after which a running conversation is shown as a poster; 0 never.";
    "ambient" = r#"{"type": "integer", "minimum": 0, "maximum": 1440}"#, "0":
        "Earlier spelling of `poster`.";
    "motion" = r#"{"enum": ["full", "none"]}"#, "full": "Animation: full (timers tick) or none.";
    "mouse" = r#"{"enum": ["auto", "on", "off"]}"#, "auto":
        "Capture the mouse; off leaves selection to the terminal.";
    "glyphs" = r#"{"enum": ["unicode", "ascii"]}"#, "unicode": "Character set of the screen.";
    "providers.NAME.wire" = Wire::SCHEMA, "built-in value": "API protocol of the provider.";
    "providers.NAME.base_url" = TEXT, "built-in value": "Base URL of the provider.";
    "providers.NAME.api_key_env" = TEXT, "built-in value":
        "Environment variable that holds the API key.";
    "notify" = r#"{"enum": ["auto", "off"]}"#, "auto":
        "Ring the terminal bell at votes, verdicts, failures, limits, your turns and the end while the terminal is \
         out of focus.";
    "notify_command" = r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#, "none":
        "Program started with the bell, with its arguments; {what} in them is the event, as for speech or a sound.";
    "live" = r#"{"type": "boolean"}"#, "true":
        "Let your other terminals and scripts attach to running conversations.";
    "providers.NAME.api_key_file" = TEXT, "none":
        "File that holds the API key; must be readable by its owner only.";
    "providers.NAME.api_key_command" = r#"{"type": "array", "items": {"type": "string"}, "minItems": 1}"#, "none":
        "Program that prints the API key, with its arguments.";
    "providers.NAME.leave_out" = TEXTS, "none":
        "Parts of requests that the server refuses, as in [\"seed\", \"stream_options\"].";
    "providers.NAME.rename" = r#"{"type": "object", "additionalProperties": {"type": "string"}}"#, "none":
        "Other names of parts of requests, as in { max_tokens = \"max_completion_tokens\" }.";
    "providers.NAME.system" = r#"{"enum": ["system", "user"]}"#, "system":
        "Role of the instructions: system, or user for a server that takes no others.";
    "providers.NAME.key_header" = TEXT, "that of the wire format":
        "Header of the API key, as in api-key; authorization sends it behind Bearer.";
    "providers.NAME.rate" = r#"{"type": "string", "pattern": "^[1-9][0-9]*/(s|min|h)$"}"#, "none":
        "Maximum rate of calls, as in 20/min; further calls wait.";
    "models.MODEL.window" = r#"{"type": "integer", "minimum": 1}"#, "built-in value, else 32768, or 4096 for a local model":
        "Context window of provider:name, in tokens.";
    "models.MODEL.price" = r#"{"type": "array", "items": {"type": "number", "minimum": 0}, "minItems": 2, "maxItems": 2}"#,
        "built-in price, else not priced":
        "Price of provider:name in dollars per million input and output tokens.";
    "models.MODEL.tools" = r#"{"enum": ["native", "text"]}"#, "native":
        "How provider:name asks for tools: native, or text for models that cannot call tools.";
    "models.MODEL.temperature" = r#"{"type": "boolean"}"#, "built-in value, else true":
        "False if provider:name refuses temperature and top_p, which are then left out.";
    "models.MODEL.effort" = TEXTS, "built-in value, else any":
        "Values of effort that provider:name accepts; others are left out.";
    "words.WORD" = TEXT, "built-in families: claude, gpt, gemini and others":
        "Model that a word stands for, as provider:name, as in words.claude = \"anthropic:claude-opus-4-8\".";
    "mcp.max_usd" = r#"{"type": "number", "minimum": 0}"#, "1.00":
        "Dollars that all conversations of one `colloquium mcp` may cost together.";
    "mcp.models" = TEXTS, "all":
        "Models that MCP clients may use, as provider:name; a `*` at the end matches anything.";
    "mcp.programs" = r#"{"type": "array", "items": {"enum": ["claude", "codex", "gemini"]}}"#, "none":
        "Programs that may speak with your login in conversations of MCP clients, without tools.";
    "mcp.max_running" = r#"{"type": "integer", "minimum": 1}"#, "4":
        "Conversations that MCP clients may run at once.";
    "mcp.max_seconds" = r#"{"type": "integer", "minimum": 1}"#, "1800":
        "Seconds that a conversation of an MCP client may run.";
    "agents.environment" = TEXTS, "none":
        "Environment variables that agents may see besides PATH, language and user, such as the API key they need; \
         PROGRAM:NAME is for one program.";
    "agents.user_home" = r#"{"type": "boolean"}"#, "true":
        "Whether agents use your home folder, with your logins, settings, hooks and instructions; if not, each program \
         has its own.";
    "tools.allow" = TEXTS, "none":
        "Tools that may change something and run without asking you, by the name that models use, as with \
         --allow-tool.";
    "tools.keys.ADDRESS" = TEXT, "none":
        "Environment variable that holds the key of the tool server at this address.";
    "keys.KEY" = r#"{"type": ["string", "object"]}"#, "none":
        "A line that a ctrl, alt or function key sends, as in \"/skip\".";
    "keys.PLACE.ACTION" =
        r#"{"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}"#, "as `colloquium keys` prints them":
        "Keys for an action.";
}

/// Returns the JSON Schema of settings.
pub fn schema() -> Value {
    let mut schema = table();
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "The settings of colloquium".into();
    for setting in SETTINGS {
        let mut at = &mut schema;
        for part in setting.key.split('.') {
            if at.is_null() {
                *at = table();
            }
            let any = part.bytes().all(|b| b.is_ascii_uppercase());
            at = if any { &mut at["additionalProperties"] } else { &mut at["properties"][part] };
            if *at == json!(false) {
                *at = Value::Null;
            }
        }
        *at = serde_json::from_str(setting.takes).unwrap_or_default();
        at["description"] = setting.meaning.into();
    }
    schema
}

fn table() -> Value {
    json!({"type": "object", "properties": Map::new(), "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    /// Keys known to the parser, from its message about an unknown one.
    fn known(text: &str) -> Vec<String> {
        let message = Settings::parse(text, "x").unwrap_err().to_string();
        let list = message.split_once("expected ").map_or("", |(_, list)| list).to_owned();
        list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    #[test]
    fn the_table_has_every_setting() {
        for (text, prefix) in [
            ("zzzzzz = 1", ""),
            ("[providers.x]\nzzzzzz = 1", "providers.NAME."),
            ("[models.x]\nzzzzzz = 1", "models.MODEL."),
            ("[retries]\nzzzzzz = 1", "retries."),
            ("[mcp]\nzzzzzz = 1", "mcp."),
            ("[agents]\nzzzzzz = 1", "agents."),
            ("[tools]\nzzzzzz = 1", "tools."),
        ] {
            for key in known(text) {
                let key = format!("{prefix}{key}");
                let in_table = |s: &&Setting| s.key == key || s.key.starts_with(&format!("{key}."));
                assert!(SETTINGS.iter().any(|s| in_table(&s)), "{key}");
            }
        }
    }

    #[test]
    fn the_schema_is_made_of_it() {
        let schema = schema();
        assert_eq!(schema["properties"]["glyphs"]["enum"][1], "ascii");
        let provider = &schema["properties"]["providers"]["additionalProperties"];
        assert_eq!(provider["properties"]["wire"]["enum"][0], "openai");
        assert_eq!(provider["additionalProperties"], false);
        assert!(
            schema["properties"]["keys"]["additionalProperties"]["additionalProperties"]["anyOf"]
                .is_array()
        );
    }
}
