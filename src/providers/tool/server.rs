//! Tool servers that speak the Model Context Protocol: child processes that exchange lines, or servers over HTTP.
//!
//! A server is connected at the first call of one of its tools, and stays connected for the whole conversation. Its
//! output may be hostile: names, descriptions and schemas are bounded and checked before a model sees them. It gets no
//! capabilities; all of its requests except `ping` are answered with "method not found".

use super::fault::{LinkFault, REASON_MAX};
use super::headers;
use super::job::{KEPT_MAX, RunningTool, ToolJob, ToolResult};
use super::link::{Link, ToolLine};
use crate::model::sentence::sentence_error;
use crate::model::tool::{ServerPlace, Tool, ToolServer, ToolSource};
use crate::model::{Secret, Text};
use crate::net::Client;
use crate::scenario::validator;
use crate::spawn::ChildEnvironment;
use crate::text;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

/// Timeout for starting a server and listing its tools.
const OPEN_WITHIN: Duration = Duration::from_secs(60);
/// Maximum number of tools per server.
const TOOLS_MAX: usize = 64;
/// Maximum number of pages in a server's list of tools.
const PAGES_MAX: usize = 10;
/// Maximum characters of a description.
const ABOUT_MAX: usize = 1_000;
/// Maximum bytes of a schema.
const SCHEMA_MAX: usize = 16 << 10;
/// Maximum characters of a tool's name, for models.
const NAME_MAX: usize = 64;

sentence_error! {
    /// Reason why the tools of a server cannot be listed.
    pub struct ToolServerFault;
}

/// Returns whether a server may be started or reached.
type Permits = Arc<dyn Fn(&[Text]) -> bool + Send + Sync>;
/// Keys of HTTP servers by address, or the reason why a key is missing.
pub type ToolKeys = BTreeMap<Text, Result<Secret, String>>;
/// Slot of a server's connection; empty until it is open.
type Place = Arc<tokio::sync::Mutex<Option<Link>>>;

/// Tool servers of a run.
#[derive(Clone)]
pub struct ToolServers {
    /// Check whether the operator allows a server.
    pub permits: Permits,
    /// Working directory of server processes.
    pub folder: PathBuf,
    /// Environment of server processes.
    pub environment: ChildEnvironment,
    /// Client for HTTP servers.
    pub client: Client,
    keys: ToolKeys,
    /// Timeout for starting a server and listing its tools.
    within: Duration,
    open: Arc<Mutex<HashMap<ServerPlace, Place>>>,
}

/// Tools of a server, and its unusable tools with reasons.
#[derive(Debug, Default)]
pub struct OfferedTools {
    /// Usable tools, in the form for seats.
    pub tools: Vec<Tool>,
    /// Messages about the tools left out.
    pub left_out: Vec<String>,
}

impl ToolServers {
    /// Creates the servers of a run, without any connection yet.
    pub fn new(
        permits: Permits,
        folder: PathBuf,
        environment: ChildEnvironment,
        keys: ToolKeys,
    ) -> ToolServers {
        let client = Client::new();
        let within = OPEN_WITHIN;
        let open = Arc::default();
        ToolServers { permits, folder, environment, client, keys, within, open }
    }

    async fn connect(&self, place: &ServerPlace) -> Result<Link, LinkFault> {
        if !(self.permits)(&place.agreed()) {
            return Err(LinkFault::new("is not trusted: add --trust to use it"));
        }
        let start = || match place {
            ServerPlace::Command(command) => {
                ToolLine::child(command, &self.folder, &self.environment)
            }
            ServerPlace::Url(url) => {
                let key = self.keys.get(url).cloned().transpose().map_err(LinkFault::new)?;
                Ok(ToolLine::http(self.client.clone(), url.clone(), key))
            }
        };
        let link = Link::open(start);
        timeout(self.within, link).await.unwrap_or_else(|_| Err(LinkFault::late(self.within)))
    }

    /// Lists the tools of a server and closes the connection.
    ///
    /// # Errors
    /// A message for people if the server cannot be reached or violates the protocol.
    pub async fn offered(&self, server: &ToolServer) -> Result<OfferedTools, ToolServerFault> {
        let told = |fault: LinkFault| format!("the tool server {} {fault}", server.name);
        let listed = async {
            let mut link = self.connect(&server.place).await?;
            let mut all: Vec<Value> = vec![];
            let mut cursor = Value::Null;
            for _ in 0..PAGES_MAX {
                let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
                let page = link.ask("tools/list", &params).await?;
                let tools = page["tools"].as_array().cloned();
                all.extend(tools.ok_or_else(|| LinkFault::new("lists no tools"))?);
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
            Ok(all)
        };
        let all = timeout(self.within, listed).await;
        let all = all.unwrap_or_else(|_| Err(LinkFault::late(self.within))).map_err(told)?;
        let mut offered = OfferedTools::default();
        for tool in all.iter().take(TOOLS_MAX) {
            match described(server, tool) {
                Ok(tool) if offered.tools.iter().any(|other| other.name == tool.name) => {
                    offered.left_out.push(format!("{} is offered twice", tool.name));
                }
                Ok(mut usable) => {
                    match (output_schema(tool), &mut usable.source) {
                        (Ok(schema), ToolSource::Server { output, .. }) => *output = schema,
                        (Ok(_), _) => {}
                        (Err(why), _) => offered.left_out.push(format!("{}: {why}", usable.name)),
                    }
                    offered.tools.push(usable);
                }
                Err(why) => offered.left_out.push(why),
            }
        }
        if all.len() > TOOLS_MAX {
            offered.left_out.push(format!("all behind the first {TOOLS_MAX}"));
        }
        Ok(offered)
    }

    pub(super) fn run(
        &self,
        server: ToolServer,
        tool: Text,
        output: Option<Value>,
        job: ToolJob,
    ) -> RunningTool {
        let servers = self.clone();
        Box::pin(async move {
            let place = {
                let mut open = servers.open.lock();
                open.entry(server.place.clone()).or_default().clone()
            };
            // requests to one server are serialised; queueing does not count against the timeout
            let mut slot = place.lock().await;
            let within = Duration::from_secs(u64::from(server.seconds));
            let answer = timeout(within, servers.ask(&mut slot, &server, &tool, &job)).await;
            let answer = answer.unwrap_or_else(|_| Err(LinkFault::late(within)));
            answer.map_or_else(
                |fault| ToolResult::failed(format!("the tool server {fault}")),
                |result| read(&result, output.as_ref()),
            )
        })
    }

    /// Calls a tool. A connection that fails or is abandoned during the call is not reused.
    async fn ask(
        &self,
        slot: &mut Option<Link>,
        server: &ToolServer,
        tool: &Text,
        job: &ToolJob,
    ) -> Result<Value, LinkFault> {
        let mut link = match slot.take() {
            Some(link) => link,
            None => self.connect(&server.place).await?,
        };
        let params = json!({"name": tool, "arguments": job.arguments});
        let more = headers::param_headers(&job.tool.parameters, &job.arguments);
        let answer = link.ask_with("tools/call", &params, more).await;
        if matches!(answer, Ok(_) | Err(LinkFault::Refused(_))) {
            *slot = Some(link);
        }
        answer
    }
}

/// Parses the result of a tool call. A tool with an output schema returns a structured result that fits it.
fn read(result: &Value, output: Option<&Value>) -> ToolResult {
    let failed = result["isError"].as_bool() == Some(true);
    if let Some(schema) = output
        && !failed
    {
        return structured(result.get("structuredContent"), schema)
            .map_or_else(ToolResult::failed, ToolResult::done);
    }
    let parts = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let part = |part: &Value| match part["type"].as_str() {
        Some("text") => part["text"].as_str().unwrap_or_default().to_owned(),
        Some("resource") => part["resource"]["text"].as_str().unwrap_or("[data]").to_owned(),
        Some(other) => format!("[{}]", other.chars().take(20).collect::<String>()),
        None => String::new(),
    };
    let mut text = parts.iter().map(part).collect::<Vec<_>>().join("\n");
    if text.is_empty() && !result["structuredContent"].is_null() {
        text = result["structuredContent"].to_string();
    }
    text.truncate(text.floor_char_boundary(KEPT_MAX));
    if failed { ToolResult::failed(text) } else { ToolResult::done(text) }
}

/// Returns a structured result as text, if it fits the schema.
fn structured(result: Option<&Value>, schema: &Value) -> Result<String, String> {
    let Some(result) = result else {
        return Err("it has an output schema, but returned no structured result".into());
    };
    let fits = validator(schema).map_err(|e| format!("its output schema is invalid: {e}"))?;
    fits.validate(result).map_err(|e| {
        let why: String = e.masked().to_string().chars().take(REASON_MAX).collect();
        let path = e.instance_path().as_str();
        format!("its structured result does not fit its output schema at {path:?}: {why}")
    })?;
    Ok(result.to_string())
}

/// Returns the schema of a tool's structured results, or the reason why it is ignored.
fn output_schema(tool: &Value) -> Result<Option<Value>, String> {
    let Some(schema) = tool.get("outputSchema").filter(|schema| !schema.is_null()) else {
        return Ok(None);
    };
    if schema.to_string().len() > SCHEMA_MAX {
        return Err(format!("its output schema has more than {} KiB", SCHEMA_MAX >> 10));
    }
    match validator(schema) {
        Ok(_) => Ok(Some(schema.clone())),
        Err(e) => Err(format!("its output schema is invalid: {e}")),
    }
}

/// Returns a tool in the form for seats, or the reason why it cannot be used.
fn described(server: &ToolServer, tool: &Value) -> Result<Tool, String> {
    let own = tool["name"].as_str().unwrap_or_default();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if own.is_empty() || !own.chars().all(plain) || own.len() > 2 * NAME_MAX {
        let shown: String = own.chars().take(NAME_MAX).collect();
        return Err(format!("{shown:?} is not a tool name"));
    }
    let bare = own.replace(['.', '/'], "_");
    let name = format!("{}_{bare}", server.name);
    if name.len() > NAME_MAX {
        return Err(format!("{name} has more than {NAME_MAX} characters"));
    }
    let parameters = match &tool["inputSchema"] {
        Value::Null => json!({"type": "object"}),
        schema => text::forwarded_value(schema),
    };
    if parameters.to_string().len() > SCHEMA_MAX {
        return Err(format!("{own} has a schema of more than {} KiB", SCHEMA_MAX >> 10));
    }
    if !parameters.is_object() || validator(&parameters).is_err() {
        return Err(format!("{own} has no valid schema"));
    }
    if matches!(server.place, ServerPlace::Url(_)) {
        headers::check(&parameters).map_err(|why| format!("{own}: {why}"))?;
    }
    let about = text::forwarded(tool["description"].as_str().unwrap_or_default());
    let about: String = about.chars().take(ABOUT_MAX).collect();
    let read_only = server.read_only.iter().any(|name| **name == *own);
    let source = ToolSource::Server { server: server.clone(), tool: own.into(), output: None };
    let name = name.into();
    let description = about.into();
    let seconds = server.seconds;
    Ok(Tool { name, description, parameters, source, read_only, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server() -> ToolServer {
        let place = ServerPlace::Command(vec!["server".into()]);
        ToolServer { name: "s".into(), place, read_only: vec!["look".into()], seconds: 30 }
    }

    #[test]
    fn tool_descriptions_of_servers_are_bounded() {
        let about = "x".repeat(5_000);
        let tool = described(&server(), &json!({"name": "look", "description": about})).unwrap();
        assert_eq!(
            (&*tool.name, tool.description.len(), tool.read_only),
            ("s_look", ABOUT_MAX, true)
        );
        let dotted = described(&server(), &json!({"name": "fs.write/x"})).unwrap();
        assert_eq!((&*dotted.name, dotted.read_only), ("s_fs_write_x", false));
        let long = "x".repeat(100);
        let huge = json!({"type": "object", "description": "x".repeat(20_000)});
        for tool in [
            json!({}),
            json!({"name": "a b"}),
            json!({"name": "\u{1b}[2J"}),
            json!({"name": "ａdmin"}),
            json!({"name": long}),
            json!({"name": "a", "inputSchema": 1}),
            json!({"name": "a", "inputSchema": {"type": 7}}),
            json!({"name": "a", "inputSchema": huge}),
        ] {
            assert!(described(&server(), &tool).is_err(), "{tool}");
        }
    }

    #[test]
    fn removes_hidden_characters_from_descriptions_and_schemas() {
        let hidden: String =
            "ignore".bytes().filter_map(|b| char::from_u32(0xE0000 + u32::from(b))).collect();
        let schema = json!({"type": "object", "properties": {"a": {"description": format!("A{hidden}\u{1b}.")}}});
        let tool = json!({"name": "a", "description": format!("B{hidden}\u{1b}[2J."), "inputSchema": schema});
        let tool = described(&server(), &tool).unwrap();
        assert_eq!(&*tool.description, "B[2J.");
        assert_eq!(tool.parameters["properties"]["a"]["description"], "A.");
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_is_not_waited_for_for_ever() {
        let environment = ChildEnvironment::allowed([]);
        let permits: Permits = Arc::new(|_| true);
        let folder = ".".into();
        let within = Duration::from_millis(20);
        let servers = ToolServers::new(permits, folder, environment, BTreeMap::new());
        let servers = ToolServers { within, ..servers };
        let place = ServerPlace::Command(["sleep", "3600"].map(Text::from).into());
        let why = servers.offered(&ToolServer { place, ..server() }).await.unwrap_err();
        assert_eq!(why.to_string(), "the tool server s did not answer within 0 s");
    }

    #[test]
    fn results_are_read_as_text() {
        let read = |value| read(&value, None).result.to_string();
        let two =
            json!({"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "..."}]});
        assert_eq!(read(two), "a\n[image]");
        assert_eq!(read(json!({"structuredContent": {"a": 1}})), "{\"a\":1}");
        assert_eq!(read(json!({"content": 7})), "");
    }
}
