//! Tools of participants: the tools offered to a model, its requests, and the results.
//!
//! A request of a model ends its call, not its turn: `tool.asked` is written, then `tool.called` and the tool runs, then
//! `tool.returned`, then another call of the same turn sees the result.

use super::ids::{CallId, Seq, Text, TurnId};
use super::turn::Usage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The tag of a request in the text of a model that cannot call tools.
pub const REQUEST_TAG: &str = "tool_request";
/// The tag of a result in the prompt of such a model.
pub const RESULT_TAG: &str = "tool_result";

/// A tool that a participant may use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Name, as models call it.
    pub name: Text,
    /// Description for models.
    pub description: Text,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// Implementation of the tool.
    pub source: ToolSource,
    /// True if it changes nothing, so that no permission is needed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
    /// Time limit in seconds.
    pub seconds: u32,
}

/// Implementation of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolSource {
    /// A child process: one JSON request in, the result out.
    Script(Vec<Text>),
    /// Reads a file of the folder that the operator named.
    ReadFile,
    /// Lists a folder in it.
    ListDir,
    /// Searches the files of that folder for text.
    SearchFiles,
    /// A server that speaks the Model Context Protocol.
    Server {
        /// The server.
        server: ToolServer,
        /// Name of the tool on the server; empty for all its tools, before the server is asked.
        tool: Text,
        /// JSON Schema of its structured results.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<Value>,
    },
}

/// A server of tools.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ToolServer {
    /// Name, the prefix of its tools' names.
    pub name: Text,
    /// Command or address.
    pub place: ServerPlace,
    /// Names of its read-only tools, according to the scenario.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_only: Vec<Text>,
    /// Time limit of a tool in seconds.
    pub seconds: u32,
}

/// Location of a server of tools.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ServerPlace {
    /// A child process.
    Command(Vec<Text>),
    /// An HTTP address.
    Url(Text),
}

impl ServerPlace {
    /// Returns the text that the operator agrees to.
    pub fn agreed(&self) -> Vec<Text> {
        match self {
            ServerPlace::Command(command) => command.clone(),
            ServerPlace::Url(url) => vec!["(ask the tool server".into(), format!("{url})").into()],
        }
    }
}

impl Tool {
    /// Default time limit of a tool, in seconds.
    pub const SECONDS: u32 = 30;
    /// Built-in tools; they read files and change nothing.
    pub const BUILT_IN: [&str; 3] = ["read_file", "list_dir", "search_files"];

    /// Returns a built-in tool.
    pub fn built_in(name: &str) -> Option<Tool> {
        let path = json!({"type": "string", "description": "path relative to the folder"});
        let count = json!({"type": "integer", "minimum": 1});
        let (description, properties, required, source) = match name {
            "read_file" => (
                "Read lines of a text file.",
                json!({"path": path, "from": count, "lines": count}),
                vec!["path"],
                ToolSource::ReadFile,
            ),
            "list_dir" => ("List a folder.", json!({"path": path}), vec![], ToolSource::ListDir),
            "search_files" => (
                "Find the lines of text files that contain some words.",
                json!({"words": {"type": "string", "minLength": 1}, "path": path}),
                vec!["words"],
                ToolSource::SearchFiles,
            ),
            _ => return None,
        };
        let parameters = json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        });
        Some(Tool {
            name: name.into(),
            description: description.into(),
            parameters,
            source,
            read_only: true,
            seconds: Tool::SECONDS,
        })
    }

    /// Returns whether it reads files of the folder that the operator named.
    pub fn reads_files(&self) -> bool {
        !matches!(self.source, ToolSource::Script(_) | ToolSource::Server { .. })
    }
}

/// One request of a model for a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRequest {
    /// Name of the tool.
    pub tool: Text,
    /// Arguments; text if they were not JSON.
    pub arguments: Value,
}

crate::words! {
    /// Outcome of a tool request.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    pub enum ToolOutcome {
        /// The tool returned a result.
        #[default]
        Done = "done",
        /// It failed, or the request was invalid.
        Failed = "failed",
        /// The operator or a rule refused it.
        Refused = "refused",
        /// It was stopped before it returned; it may have taken effect.
        Interrupted = "interrupted",
    }
    /// Returns the name of the outcome in session files.
    fn as_str()
}

/// A tool request of a turn, with its progress.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRun {
    /// The model's request.
    pub request: ToolRequest,
    /// The `seq` of its `tool.called`.
    pub called: Option<Seq>,
    /// Outcome, and the result shown to the model; `None` while the tool runs.
    pub returned: Option<(ToolOutcome, Text)>,
}

/// The requests of one call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolRound {
    /// The `seq` of their `tool.asked`.
    pub asked: Seq,
    /// Text of the model before them.
    pub said: Text,
    /// Data of the model's server that has to come back with the results, such as signatures; never shown.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub state: Value,
    /// The requests, in their order.
    pub runs: Vec<ToolRun>,
}

impl ToolRound {
    /// Returns the id of a request in a wire format; never one that a model chose.
    pub fn id(&self, at: usize) -> String {
        format!("call_{}_{at}", self.asked)
    }

    /// Returns whether a request still waits for its result.
    pub fn is_open(&self) -> bool {
        self.runs.iter().any(|run| run.returned.is_none())
    }
}

/// `tool.asked`: a call ended with requests for tools.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolAsked {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The call that ended (the `seq` of its `call.started`).
    pub call: CallId,
    /// The requests, in the model's order.
    pub requests: Vec<ToolRequest>,
    /// Opaque data of the model's server that goes back to this model with the results; absent for most servers.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub state: Value,
    /// Tokens used by the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

/// `tool.called`: a tool is called. It runs after this event is written, and at most once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCalled {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The `seq` of its `tool.asked`.
    pub asked: Seq,
    /// Index of the request, from 0.
    pub at: u32,
    /// Name of the tool.
    pub tool: Text,
}

/// `tool.returned`: a tool returned a result, or was not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolReturned {
    /// The turn (the `seq` of its `floor.granted`).
    pub turn: TurnId,
    /// The `seq` of its `tool.asked`.
    pub asked: Seq,
    /// Index of the request, from 0.
    pub at: u32,
    /// Name of the tool.
    pub tool: Text,
    /// Outcome: done, failed, refused or interrupted.
    pub is: ToolOutcome,
    /// Result shown to the model.
    pub result: Text,
    /// The full result, if the model is shown only a part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<Text>,
    /// Duration in milliseconds.
    #[serde(default)]
    pub took_ms: u64,
}
