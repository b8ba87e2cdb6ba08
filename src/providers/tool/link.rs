//! Connection to a tool server: one request at a time, each with its answer. Other messages are ignored, except for
//! requests of a server process: a `ping` is answered, all others are rejected.
//!
//! It speaks both eras of the Model Context Protocol: with a handshake (`initialize`), or with the version in each
//! request (since 2026-07-28). A connection asks `server/discover` first, and shakes hands if the server does not know
//! it. The official SDK (`rmcp` 3.11) is not used here, because its client does not keep three bounds:
//!
//! - a list of tools is lost as a whole if one tool has no schema (`a_hostile_server_is_bounded` in `tests/cli/servers.rs`);
//! - an output line that is no message is skipped in silence (the server `junk` in `a_server_that_fails_is_told_to_the_model`);
//! - it waits 10 s for a server that ignores `server/discover` (all tests with `fake_server.py`, some of which allow
//!   2 s for a call).

use super::fault::{LinkFault, REASON_MAX};
use super::http::HttpToolLine;
use crate::model::{Secret, Text};
use crate::net::Client;
use crate::rpc::{self, NO_METHOD, RpcError, RpcLines, RpcMessage};
use crate::spawn::{self, Child, ChildEnvironment, Job, Output};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

/// Version of the protocol in each request.
const VERSION: &str = "2026-07-28";
/// Versions of the handshake, the newest first; the first one is requested.
const HANDSHAKES: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Time after which a server process that has not answered `server/discover` is sent `initialize` as well.
const PROBE: Duration = Duration::from_millis(500);

/// Era of the protocol that a server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    /// The connection begins with `initialize`; the agreed version.
    Handshake(&'static str),
    /// Each request names the version, and what the client can do.
    EachRequest,
}

/// A connection to a tool server.
pub(super) struct Link {
    line: ToolLine,
    next: u64,
    era: Era,
}

/// Transport of a connection.
pub(super) enum ToolLine {
    /// A child process that exchanges lines.
    Child(ChildLine),
    /// A server over HTTP.
    Http(HttpToolLine),
}

/// State of a connection to a child process.
pub(super) struct ChildLine {
    /// Process of the server, which ends with the link.
    child: Box<Child>,
    /// Buffer of incomplete lines.
    lines: RpcLines,
    /// Messages that were received but not yet handled.
    read: VecDeque<RpcMessage>,
}

impl ToolLine {
    /// Starts a server as a child process.
    pub(super) fn child(
        command: &[Text],
        folder: &Path,
        environment: &ChildEnvironment,
    ) -> Result<ToolLine, LinkFault> {
        let child = spawn::start_talk(Job {
            command: command.iter().map(Text::to_string).collect(),
            folder: folder.to_owned(),
            environment: environment.clone(),
            input: vec![],
        })?;
        Ok(ToolLine::Child(ChildLine {
            child: Box::new(child),
            lines: RpcLines::default(),
            read: VecDeque::new(),
        }))
    }

    /// Creates the transport for a server over HTTP; nothing is sent yet.
    pub(super) fn http(client: Client, url: Text, key: Option<Secret>) -> ToolLine {
        ToolLine::Http(HttpToolLine::new(client, url, key))
    }
}

/// Returns how the client introduces itself.
fn client_info() -> Value {
    json!({"name": "colloquium", "version": env!("CARGO_PKG_VERSION")})
}

/// Returns the parameters of `initialize`.
fn hello() -> Value {
    json!({"protocolVersion": HANDSHAKES[0], "capabilities": {}, "clientInfo": client_info()})
}

/// Adds the version and the client to parameters.
fn with_meta(params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": client_info(),
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

/// Returns whether the answer to `server/discover` offers the version.
fn offers_version(answer: &Result<Value, RpcError>) -> bool {
    let versions = answer.as_ref().ok().and_then(|found| found["supportedVersions"].as_array());
    versions.is_some_and(|versions| versions.iter().any(|version| version == VERSION))
}

/// Returns the version that both sides agreed on by handshake.
fn agreed(answer: Result<Value, RpcError>) -> Result<Era, LinkFault> {
    let answer = answer.map_err(LinkFault::Refused)?;
    let Some(version) = answer["protocolVersion"].as_str() else {
        return Err(LinkFault::new("does not speak the Model Context Protocol"));
    };
    let known = HANDSHAKES.into_iter().find(|known| *known == version);
    Ok(Era::Handshake(known.unwrap_or(HANDSHAKES[0])))
}

impl Link {
    /// Connects and negotiates the protocol. A server process that ends at an unknown request is started once more.
    pub(super) async fn open(
        start: impl Fn() -> Result<ToolLine, LinkFault>,
    ) -> Result<Link, LinkFault> {
        let mut link = Link { line: start()?, next: 0, era: Era::EachRequest };
        let era = match link.discover().await {
            Err(LinkFault::Ended(_)) => {
                link = Link { line: start()?, next: 0, era: Era::EachRequest };
                None
            }
            found => found?,
        };
        link.era = match era {
            Some(era) => era,
            None => agreed(link.exchange("initialize", &hello(), HANDSHAKES[0], vec![]).await?)?,
        };
        if let Era::Handshake(version) = link.era {
            link.notify("notifications/initialized", version).await?;
        }
        Ok(link)
    }

    /// Returns the era of the server if it can be known without another handshake.
    async fn discover(&mut self) -> Result<Option<Era>, LinkFault> {
        let params = with_meta(&json!({}));
        if let ToolLine::Child(_) = self.line {
            return self.discover_child(&params).await;
        }
        match self.exchange("server/discover", &params, VERSION, vec![]).await {
            Ok(answer) => Ok(offers_version(&answer).then_some(Era::EachRequest)),
            Err(LinkFault::Status(_)) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    /// Asks a server process for its era. If it does not answer soon, it may ignore unknown requests, or start slowly:
    /// both requests wait for their answers then, and the handshake decides if it succeeds.
    async fn discover_child(&mut self, params: &Value) -> Result<Option<Era>, LinkFault> {
        let discover = self.next_id();
        let initialize = self.next_id();
        let ToolLine::Child(line) = &mut self.line else { return Ok(None) };
        line.child.renew();
        line.child.send(&rpc::request(discover, "server/discover", params))?;
        match timeout(PROBE, line.next_answer(&[discover])).await {
            Ok(answer) => return Ok(offers_version(&answer?.1).then_some(Era::EachRequest)),
            Err(_late) => line.child.send(&rpc::request(initialize, "initialize", &hello()))?,
        }
        let mut offers = None;
        let mut refused = None;
        loop {
            match line.next_answer(&[discover, initialize]).await? {
                (id, answer) if id == discover => offers = Some(offers_version(&answer)),
                (_, Err(error)) => refused = Some(error),
                (_, answer) => return agreed(answer).map(Some),
            }
            match (offers, &refused) {
                (Some(true), Some(_)) => return Ok(Some(Era::EachRequest)),
                (Some(false), Some(error)) => return Err(LinkFault::Refused(error.clone())),
                (_, _) => {}
            }
        }
    }

    fn next_id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    async fn notify(&mut self, method: &str, version: &str) -> Result<(), LinkFault> {
        let notice = rpc::notice(method, &json!({}));
        match &mut self.line {
            ToolLine::Child(line) => Ok(line.child.send(&notice)?),
            ToolLine::Http(line) => line.notify(&notice, headers(version, method, None)).await,
        }
    }

    /// Sends a request and returns its result.
    pub(super) async fn ask(&mut self, method: &str, params: &Value) -> Result<Value, LinkFault> {
        self.ask_with(method, params, vec![]).await
    }

    /// Sends a request with headers for its arguments, as far as the era and the transport have them, and returns its
    /// result.
    pub(super) async fn ask_with(
        &mut self,
        method: &str,
        params: &Value,
        more: Vec<(String, String)>,
    ) -> Result<Value, LinkFault> {
        let answer = match self.era {
            Era::Handshake(version) => self.exchange(method, params, version, vec![]).await?,
            Era::EachRequest => self.exchange(method, &with_meta(params), VERSION, more).await?,
        };
        let result = answer.map_err(LinkFault::Refused)?;
        match result["resultType"].as_str() {
            None | Some("complete") => Ok(result),
            // the client offers neither input nor tasks
            Some(_) => Err(LinkFault::new("answered with a kind of result that was not offered")),
        }
    }

    /// Sends a request and returns its answer.
    async fn exchange(
        &mut self,
        method: &str,
        params: &Value,
        version: &str,
        more: Vec<(String, String)>,
    ) -> Result<Result<Value, RpcError>, LinkFault> {
        let id = self.next_id();
        let request = rpc::request(id, method, params);
        match &mut self.line {
            ToolLine::Child(line) => {
                line.child.renew();
                line.child.send(&request)?;
                Ok(line.next_answer(&[id]).await?.1)
            }
            ToolLine::Http(line) => {
                let mut headers = headers(version, method, params["name"].as_str());
                headers.extend(more);
                line.ask(id, &request, headers).await
            }
        }
    }
}

/// Returns the headers that repeat parts of a message: the version, the method, and the name of a tool.
fn headers(version: &str, method: &str, name: Option<&str>) -> Vec<(String, String)> {
    let mut headers = vec![("mcp-protocol-version", version)];
    if version == VERSION {
        headers.push(("mcp-method", method));
        headers.extend(name.map(|name| ("mcp-name", name)));
    }
    headers.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

impl ChildLine {
    /// Waits for the answer to one of these requests, and handles the server's own requests meanwhile. Cancel safe.
    async fn next_answer(
        &mut self,
        ids: &[u64],
    ) -> Result<(u64, Result<Value, RpcError>), LinkFault> {
        loop {
            while let Some(message) = self.read.pop_front() {
                match message {
                    RpcMessage::Answer { id, result } => {
                        if let Some(id) = ids.iter().find(|own| id == **own) {
                            return Ok((*id, result));
                        }
                    }
                    RpcMessage::Notice { .. } => {}
                    RpcMessage::Request { id, method, .. } => {
                        let none = RpcError { code: NO_METHOD, message: "method not found".into() };
                        let result = if method == "ping" { Ok(json!({})) } else { Err(none) };
                        self.child.send(&rpc::answer(&id, &result))?;
                    }
                }
            }
            match self.child.next().await? {
                Output::Bytes(bytes) => self.read.extend(self.lines.push(&bytes)?),
                Output::Ended(exit) => {
                    let mut lines = exit.stderr.lines().rev().map(str::trim);
                    let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
                    let last: String = last.chars().take(REASON_MAX).collect();
                    let last = if last.is_empty() { last } else { format!(": {last}") };
                    return Err(LinkFault::Ended(format!("ended ({}){last}", exit.status)));
                }
            }
        }
    }
}
