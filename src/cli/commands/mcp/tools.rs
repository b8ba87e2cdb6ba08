//! The tools for clients. The arguments and the results of each are structs, from which its schemas are made.

use super::jobs::ToolCall;
use super::{reading, talking};
use crate::cli::error::Failure;
use crate::scenario::validator;
use crate::text;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData, JsonObject, Tool, ToolAnnotations};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;

/// Characters of a reason, which may repeat what the client said.
const WHY_MAX: usize = 2_000;
/// Maximum number of JSON values in the arguments of a call: a validator keeps an error for each wrong one.
const VALUES_MAX: usize = 10_000;

type Answer = dyn Fn(&ToolCall<'_>) -> Result<CallToolResult, ErrorData> + Send + Sync;

/// A tool that other programs can call.
#[derive(Clone)]
pub struct ServedTool {
    /// Its row in the list of tools.
    pub row: Tool,
    /// Answers a call, on a thread that may block.
    ///
    /// # Errors
    /// If the arguments have too many values. A failed tool is not an error: its result has the failure.
    pub answer: Arc<Answer>,
}

/// Returns all tools.
pub fn tools() -> [ServedTool; 13] {
    [
        tool("list_scenarios", true, reading::list_scenarios),
        tool("ask", false, talking::ask),
        tool("convene", false, talking::convene),
        tool("start", false, talking::start),
        tool("wait", false, talking::wait),
        tool("tail", true, reading::tail),
        tool("result", true, reading::result),
        tool("say", false, talking::say),
        tool("steer", false, talking::steer),
        tool("status", true, talking::status),
        tool("read_session", true, reading::read_session),
        tool("search_sessions", true, reading::search_sessions),
        tool("analyze", true, reading::analyze),
    ]
}

/// Returns a tool; its description is the documentation of its arguments.
fn tool<A, R>(
    name: &'static str,
    read_only: bool,
    answer: fn(A, &ToolCall<'_>) -> Result<R, Failure>,
) -> ServedTool
where
    A: JsonSchema + DeserializeOwned + 'static,
    R: JsonSchema + Serialize + 'static,
{
    let (description, input) = schema::<A>(SchemaSettings::draft2020_12());
    let (_, output) = schema::<R>(SchemaSettings::draft2020_12().for_serialize());
    let mut row = Tool::new(name, description, input.clone());
    row = row.with_raw_output_schema(Arc::new(output));
    row.annotations = read_only.then(|| ToolAnnotations::new().read_only(true));
    let input = Value::Object(input);
    let answer = move |call: &ToolCall<'_>| {
        let count: usize = call.arguments.values().map(value_count).sum();
        if count > VALUES_MAX {
            let why = format!("the arguments have more than {VALUES_MAX} values");
            return Err(ErrorData::invalid_params(why, None));
        }
        let given = Value::Object(call.arguments.clone());
        let answered = parse(&input, given)
            .and_then(|arguments| answer(arguments, call).map_err(|failure| failure.for_client()))
            .and_then(|data| serde_json::to_value(data).map_err(|e| e.to_string()));
        Ok(match answered {
            Ok(data) => completed(&data),
            Err(why) => {
                let why: String = text::block(&why).chars().take(WHY_MAX).collect();
                CallToolResult::error(vec![ContentBlock::text(why)])
            }
        })
    };
    ServedTool { row, answer: Arc::new(answer) }
}

/// Parses arguments that fit their schema.
fn parse<A: DeserializeOwned>(schema: &Value, given: Value) -> Result<A, String> {
    let fits = validator(schema).map_err(|e| e.to_string())?;
    fits.validate(&given).map_err(|e| {
        // the fault itself is named behind a value, however long that is
        let long = e.to_string().len() > WHY_MAX;
        let why = if long { e.masked().to_string() } else { e.to_string() };
        match e.instance_path().as_str() {
            "" => format!("invalid arguments: {why}"),
            path => format!("the arguments are wrong at {path}: {why}"),
        }
    })?;
    serde_path_to_error::deserialize(given).map_err(|e| {
        let (key, why) = (e.path().to_string(), e.into_inner());
        match &*key {
            "session" => Failure::usage(
                format!("`session`: {why}"),
                "give the id of a session, as `start` returns it and search_sessions names it",
            ),
            "text" | "as" => Failure::usage(format!("`{key}`: {why}"), "see the tool's schema"),
            _ => Failure::usage(why.to_string(), "see the tool's schema"),
        }
        .with_hint()
    })
}

/// Returns the description of a type, and its schema. A client pays for every word, so titles, formats and defaults are
/// left out, and of results everything but names and types.
fn schema<T: JsonSchema>(settings: SchemaSettings) -> (String, JsonObject) {
    let is_input = settings.contract.is_deserialize();
    let trim = move |schema: &mut Schema| {
        let Some(schema) = schema.as_object_mut() else { return };
        schema.retain(|word, value| match &**word {
            "title" | "format" | "default" => false,
            "description" => is_input && *value != "",
            "required" | "minimum" | "additionalProperties" => is_input,
            _ => true,
        });
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if is_input && schema.get("type").is_some_and(|kind| kind == "object") {
            schema.entry("properties").or_insert(json!({}));
            schema.insert("additionalProperties".into(), false.into());
        }
        if !is_input
            && let Some(items) = schema.get_mut("items")
            && items["type"] == "object"
        {
            *items = json!({"type": "object"});
        }
        if let Some(Value::Array(kinds)) = schema.get("type").cloned() {
            let kind = kinds.first();
            schema.shift_remove("type");
            // some clients know no lists of types
            if is_input {
                schema.insert("type".into(), json!(kind));
            } else {
                schema.insert("anyOf".into(), json!([{"type": kind}, {"type": "null"}]));
            }
        }
    };
    let settings = settings.with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let settings = settings.with_transform(RecursiveTransform(trim));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let description = schema.remove("description");
    let description = description.as_ref().and_then(Value::as_str).unwrap_or_default();
    (description.to_owned(), std::mem::take(schema.ensure_object()))
}

/// Returns the result of a tool that succeeded: its data, and the data as text for clients that read only text.
pub fn completed(data: &Value) -> CallToolResult {
    let data = printable(data);
    let mut result = CallToolResult::success(vec![ContentBlock::text(format!("{data:#}"))]);
    result.structured_content = Some(data);
    result
}

/// Returns a value whose strings are safe to display: titles, names and ids may be those of others.
fn printable(value: &Value) -> Value {
    let key = |key: &str| text::line(key).into_owned();
    let string = |words: &str| Ok(text::block(words).into_owned());
    let Ok(value) = text::map_strings::<Infallible>(value, &key, &string);
    value
}

/// Returns the number of values in a value, itself included.
fn value_count(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(value_count).sum(),
        Value::Object(map) => map.values().map(value_count).sum(),
        _ => 0,
    };
    below + 1
}
