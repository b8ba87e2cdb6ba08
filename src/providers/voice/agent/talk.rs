//! Connection to one agent process: its session, one prompt at a time, and the agent's requests in between.
//!
//! The crate `agent-client-protocol` (5.2) serves the other side, `colloquium acp`, and not this one: it reads lines into
//! an unbounded queue while a message is handled, so that an agent which writes faster than the conversation accepts its
//! words fills the memory. Here nothing is read before the last message was handled. The crate also answers a line
//! without a message, which ends the turn here.

use super::bearings::Bearings;
use super::fault::AgentFault;
use super::update::{self, Doings, Update};
use crate::model::agent::AgentContext;
use crate::model::{Channel, ErrorClass, LENGTH, Message, Text, Usage, Usd};
use crate::rpc::{self, NO_METHOD, RpcError, RpcLines, RpcMessage};
use crate::spawn::{self, Child, Job, Output};
use crate::voice::{Chunk, Did, Done, Out};
use futures::FutureExt;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Supported version of the protocol.
const PROTOCOL: u64 = 1;
/// Error code with which an agent requests a login.
const LOGIN: i64 = -32000;
/// Maximum number of requests for permission in one turn; later ones are answered as cancelled.
const REQUESTS_MAX: u32 = 200;
/// Maximum bytes of text and reasoning in one turn.
const TEXT_MAX: usize = 8 << 20;
/// Maximum bytes of the id of a session that can be continued.
const SESSION_MAX: usize = 256;
/// Maximum characters of an agent's reason for a failure.
const REASON_MAX: usize = 300;

/// A running process, and its session once it is open.
pub(super) struct Talk {
    child: Child,
    lines: RpcLines,
    /// Messages that were received but not yet handled.
    read: VecDeque<RpcMessage>,
    next: u64,
    session: String,
    bearings: Bearings,
    abilities: Abilities,
    /// Open requests for permission, by number.
    asked: HashMap<u32, Ask>,
    requests: u32,
    /// Id of the prompt without an answer so far.
    prompting: Option<u64>,
    /// Cost of the session up to the last turn, in dollars.
    paid: f64,
    over: bool,
}

/// Methods for sessions that an agent offers besides opening one.
#[derive(Clone, Copy, Default)]
struct Abilities {
    /// The method that continues a session of an earlier process.
    resume: Option<&'static str>,
    close: bool,
}

/// A request for permission: its id, and the offered options that grant or reject it.
struct Ask {
    id: Value,
    yes: Option<String>,
    no: Option<String>,
}

pub(super) enum TurnEnd {
    /// The agent replied.
    Done(Box<Done>),
    /// The turn failed, but the agent can take another one.
    Failed(ErrorClass, String),
}

/// State of the running turn's output.
struct Hearing<'a> {
    out: &'a Out,
    doings: Doings,
    said: String,
    /// Bytes of text and reasoning so far.
    bytes: usize,
    /// Id of the message that the last text belongs to.
    message: Option<String>,
    broken: bool,
    /// Last report of the session's context and cost.
    spent: Value,
}

impl Talk {
    pub(super) fn start(job: Job) -> Result<Talk, AgentFault> {
        Ok(Talk {
            child: spawn::start_talk(job)?,
            lines: RpcLines::default(),
            read: VecDeque::new(),
            next: 0,
            session: String::new(),
            bearings: Bearings::default(),
            abilities: Abilities::default(),
            asked: HashMap::new(),
            requests: 0,
            prompting: None,
            paid: 0.0,
            over: false,
        })
    }

    /// Returns whether the process cannot be used for another turn.
    pub(super) fn is_over(&mut self) -> bool {
        self.over || self.session.is_empty()
    }

    /// Returns whether a prompt is still without an answer.
    pub(super) fn works(&self) -> bool {
        self.prompting.is_some() && !self.over
    }

    /// Negotiates the protocol, and continues a known session if the agent can, or opens a new one. Returns whether it
    /// continued the known one.
    pub(super) async fn open(
        &mut self,
        folder: &Path,
        known: Option<AgentContext>,
    ) -> Result<bool, AgentFault> {
        let client = json!({"name": "colloquium", "version": env!("CARGO_PKG_VERSION")});
        let offered =
            json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        let hello = json!({"protocolVersion": PROTOCOL, "clientCapabilities": offered, "clientInfo": client});
        let agreed = self.ask("initialize", &hello).await?.map_err(refused)?;
        if agreed["protocolVersion"].as_u64() != Some(PROTOCOL) {
            let why = format!(
                "speaks version {} of the Agent Client Protocol; this program speaks {PROTOCOL}",
                agreed["protocolVersion"]
            );
            return Err(AgentFault(ErrorClass::NoProtocol, why));
        }
        self.abilities = Abilities::offered(&agreed["agentCapabilities"]);
        let place = json!({"cwd": folder.display().to_string(), "mcpServers": []});
        if let (Some(method), Some(known)) = (self.abilities.resume, known) {
            let mut again = place.clone();
            again["sessionId"] = (*known.session).into();
            // an agent that has lost the session opens a new one
            if self.ask(method, &again).await?.is_ok() {
                self.session = known.session.to_string();
                self.bearings = known.into();
                return Ok(true);
            }
        }
        let opened = self.ask("session/new", &place).await?.map_err(|e| match e.code {
            LOGIN => login(&agreed),
            _ => refused(e),
        })?;
        let session = opened["sessionId"].as_str().filter(|id| !id.is_empty());
        let none = || AgentFault(ErrorClass::NoProtocol, "opened a session without an id".into());
        self.session = session.ok_or_else(none)?.to_owned();
        Ok(false)
    }

    /// Returns the session and what the agent was told in it; `None` before the first prompt.
    pub(super) fn context(&self) -> Option<AgentContext> {
        // it is in the log of each turn
        (self.session.len() <= SESSION_MAX).then(|| self.bearings.context(&self.session)).flatten()
    }

    /// Closes the session, if the agent offers that, and waits for the answer.
    pub(super) async fn close(&mut self, within: Duration) {
        if self.abilities.close && !self.over && !self.session.is_empty() {
            let session = json!({"sessionId": self.session});
            // the process ends in any case
            let _ = timeout(within, self.ask("session/close", &session)).await;
        }
    }

    /// Sends a request outside a turn and waits for the answer.
    async fn ask(
        &mut self,
        method: &str,
        params: &Value,
    ) -> Result<Result<Value, RpcError>, AgentFault> {
        let id = self.send(method, params)?;
        loop {
            match self.message().await? {
                RpcMessage::Answer { id: of, result } if of == id => return Ok(result),
                RpcMessage::Request { id, .. } => self.answer(&id, &no_method())?,
                RpcMessage::Answer { .. } | RpcMessage::Notice { .. } => {}
            }
        }
    }

    fn send(&mut self, method: &str, params: &Value) -> Result<u64, AgentFault> {
        self.next += 1;
        self.child.renew();
        self.child.send(&rpc::request(self.next, method, params))?;
        Ok(self.next)
    }

    fn answer(&mut self, id: &Value, result: &Result<Value, RpcError>) -> Result<(), AgentFault> {
        Ok(self.child.send(&rpc::answer(id, result))?)
    }

    /// Returns the next message. Cancel-safe: no message is lost.
    async fn message(&mut self) -> Result<RpcMessage, AgentFault> {
        loop {
            if let Some(message) = self.read.pop_front() {
                return Ok(message);
            }
            match self.child.next().await? {
                Output::Bytes(bytes) => {
                    let read = self.lines.push(&bytes).map_err(|fault| {
                        self.over = true;
                        AgentFault(ErrorClass::NoProtocol, fault.to_string())
                    })?;
                    self.read.extend(read);
                }
                Output::Ended(exit) => {
                    self.over = true;
                    let last = exit.stderr.lines().rev().map(str::trim).find(|l| !l.is_empty());
                    let last = last.map(|last| format!(": {}", reason(last))).unwrap_or_default();
                    let why = format!("ended in the middle of its work ({}){last}", exit.status);
                    return Err(AgentFault(ErrorClass::Failed, why));
                }
            }
        }
    }

    /// Drops all output of the agent since the end of its last turn, because it belongs to no turn. Its requests are
    /// rejected.
    fn drop_late(&mut self) -> Result<(), AgentFault> {
        while let Some(message) = self.message().now_or_never() {
            if let RpcMessage::Request { id, .. } = message? {
                self.answer(&id, &no_method())?;
            }
        }
        Ok(())
    }

    /// Prompts the agent and forwards its output until the end of the turn.
    pub(super) async fn turn(
        &mut self,
        messages: &[Message],
        out: &Out,
        answers: &mut mpsc::UnboundedReceiver<(u32, bool)>,
    ) -> Result<TurnEnd, AgentFault> {
        let text = self.bearings.prompt(messages);
        let prompt = json!({"sessionId": self.session, "prompt": [{"type": "text", "text": text}]});
        self.requests = 0;
        self.asked = HashMap::new();
        self.drop_late()?;
        let id = self.send("session/prompt", &prompt)?;
        self.prompting = Some(id);
        let mut hearing = Hearing {
            out,
            doings: Doings::default(),
            said: String::new(),
            bytes: 0,
            message: None,
            broken: false,
            spent: Value::Null,
        };
        let result = loop {
            let message = tokio::select! { biased;
                Some((request, yes)) = answers.recv() => {
                    self.permit(request, yes)?;
                    continue;
                }
                message = self.message() => message?,
            };
            match message {
                RpcMessage::Answer { id: of, result } if of == id => break result,
                RpcMessage::Answer { .. } => {}
                RpcMessage::Notice { method, params } => {
                    if method == "session/update" && params["sessionId"] == *self.session {
                        hearing.receive(&params["update"]).await?;
                    }
                }
                RpcMessage::Request { id, method, params } => {
                    if method == "session/request_permission"
                        && params["sessionId"] == *self.session
                    {
                        self.requested(id, &params, &hearing).await?;
                    } else {
                        self.answer(&id, &no_method())?;
                    }
                }
            }
        };
        self.prompting = None;
        for did in hearing.doings.unfinished() {
            out.send(Chunk::Did(did)).await;
        }
        self.bearings.replied(&hearing.said);
        let mut end = ended(&result.map_err(refused)?, &hearing.spent);
        if let TurnEnd::Done(done) = &mut end {
            done.agent = self.context();
            let cost = &hearing.spent["cost"];
            let dollars = if cost["currency"] == "USD" { cost["amount"].as_f64() } else { None };
            if let Some(all) = dollars {
                // the report is the sum over the session
                done.cost = Usd::try_from((all - self.paid).max(0.0)).ok();
                self.paid = all;
            }
        }
        Ok(end)
    }

    /// Forwards a request for permission to the operator. A call that cannot be shown whole is refused.
    async fn requested(
        &mut self,
        id: Value,
        params: &Value,
        hearing: &Hearing<'_>,
    ) -> Result<(), AgentFault> {
        self.requests += 1;
        let options = params["options"].as_array().map(Vec::as_slice).unwrap_or_default();
        let option = |kinds: [&str; 2]| {
            let of = |kind: &str| options.iter().find(|o| o["kind"] == kind);
            let found = kinds.into_iter().find_map(of)?;
            found["optionId"].as_str().map(str::to_owned)
        };
        let ask = Ask {
            id,
            yes: option(["allow_once", "allow_always"]),
            no: option(["reject_once", "reject_always"]),
        };
        if self.requests > REQUESTS_MAX || ask.yes.is_none() {
            return self.answer(&ask.id, &Ok(cancelled()));
        }
        let call = &params["toolCall"];
        let Some((title, input)) = hearing.doings.asked(call) else {
            let refused = "asked for a permission that is too long to be shown; it was refused";
            hearing.out.send(Chunk::Did(Did::Warns(refused.into()))).await;
            self.asked.insert(self.requests, ask);
            return self.permit(self.requests, false);
        };
        self.asked.insert(self.requests, ask);
        let sort = update::sort(call).into();
        let asks = Did::Asks { request: self.requests, sort, title, input };
        hearing.out.send(Chunk::Did(asks)).await;
        Ok(())
    }

    /// Forwards the operator's answer to the agent.
    fn permit(&mut self, request: u32, yes: bool) -> Result<(), AgentFault> {
        let Some(ask) = self.asked.remove(&request) else { return Ok(()) };
        let option = if yes { ask.yes } else { ask.no };
        let outcome = option.map_or_else(
            cancelled,
            |option| json!({"outcome": {"outcome": "selected", "optionId": option}}),
        );
        self.answer(&ask.id, &Ok(outcome))
    }

    /// Cancels the running turn and waits for its end; returns whether the agent can take another one.
    pub(super) async fn cancel(&mut self, within: Duration) -> bool {
        timeout(within, self.cancelled()).await.is_ok_and(|end| end.is_ok()) && !self.over
    }

    async fn cancelled(&mut self) -> Result<(), AgentFault> {
        let Some(prompt) = self.prompting else { return Ok(()) };
        self.child.send(&rpc::notice("session/cancel", &json!({"sessionId": self.session})))?;
        for (_, ask) in std::mem::take(&mut self.asked) {
            self.answer(&ask.id, &Ok(cancelled()))?;
        }
        loop {
            match self.message().await? {
                RpcMessage::Answer { id, .. } if id == prompt => break,
                RpcMessage::Request { id, method, .. }
                    if method == "session/request_permission" =>
                {
                    self.answer(&id, &Ok(cancelled()))?;
                }
                RpcMessage::Request { id, .. } => self.answer(&id, &no_method())?,
                RpcMessage::Answer { .. } | RpcMessage::Notice { .. } => {}
            }
        }
        self.prompting = None;
        Ok(())
    }
}

impl Abilities {
    fn offered(capabilities: &Value) -> Abilities {
        let sessions = &capabilities["sessionCapabilities"];
        let resume = if sessions["resume"].is_object() {
            Some("session/resume")
        } else {
            // the agent repeats the conversation first, which is not read
            (capabilities["loadSession"] == true).then_some("session/load")
        };
        Abilities { resume, close: sessions["close"].is_object() }
    }
}

impl Hearing<'_> {
    async fn receive(&mut self, update: &Value) -> Result<(), AgentFault> {
        let chunk = match self.doings.read(update) {
            Update::Nothing if update["sessionUpdate"] == "usage_update" => {
                self.spent = update.clone();
                return Ok(());
            }
            Update::Nothing => {
                self.broken |= update["sessionUpdate"] == "tool_call";
                return Ok(());
            }
            Update::Did(did) => {
                self.broken = true;
                Chunk::Did(did)
            }
            Update::Thinks(text) => Chunk::Piece(Channel::Think, text.into()),
            Update::Says(text, message) => {
                // pieces of one message have one id, or none
                let apart = (self.broken || message != self.message) && !self.said.is_empty();
                self.message = message;
                self.broken = false;
                let text = if apart { format!("\n\n{}", text.trim_start()) } else { text };
                self.said.push_str(&text);
                Chunk::Piece(Channel::Say, text.into())
            }
        };
        if let Chunk::Piece(_, text) = &chunk {
            if text.is_empty() {
                return Ok(());
            }
            self.bytes += text.len();
            if self.bytes > TEXT_MAX {
                let why = format!("wrote more than {} MiB", TEXT_MAX >> 20);
                return Err(AgentFault(ErrorClass::TooLarge, why));
            }
        }
        self.out.send(chunk).await;
        Ok(())
    }
}

/// Returns the tokens of a turn, in the places in which agents report them; the context after it counts as its input.
fn usage(result: &Value, spent: &Value) -> Option<Usage> {
    let count = |place: &str| result.pointer(place).and_then(Value::as_u64);
    let cache = |place: &str| count(place).unwrap_or_default();
    let (read, written) = (cache("/usage/cachedReadTokens"), cache("/usage/cachedWriteTokens"));
    let counted = |input: &str, output: &str| {
        let input = count(input)?.saturating_add(read).saturating_add(written);
        let output = count(output)?;
        Some(Usage { input, output, cache_read: read, cache_write: written, estimated: false })
    };
    let quota = "/_meta/quota/token_count";
    counted("/usage/inputTokens", "/usage/outputTokens")
        .or_else(|| counted(&format!("{quota}/input_tokens"), &format!("{quota}/output_tokens")))
        .or_else(|| {
            let input = spent["used"].as_u64()?;
            Some(Usage { input, estimated: true, ..Usage::default() })
        })
}

/// Parses the end of a turn.
fn ended(result: &Value, spent: &Value) -> TurnEnd {
    let usage = usage(result, spent);
    let finish: Text = match result["stopReason"].as_str() {
        Some("end_turn") => "stop".into(),
        Some("max_tokens") => LENGTH.into(),
        Some("refusal") => {
            return TurnEnd::Failed(ErrorClass::Filter, "refused to answer".into());
        }
        Some("cancelled") => {
            return TurnEnd::Failed(ErrorClass::Broken, "cancelled its own turn".into());
        }
        other => reason(other.unwrap_or("unknown")).into(),
    };
    TurnEnd::Done(Box::new(Done { finish: Some(finish), usage, ..Done::default() }))
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}

fn no_method() -> Result<Value, RpcError> {
    Err(RpcError { code: NO_METHOD, message: "method not found".into() })
}

fn refused(e: RpcError) -> AgentFault {
    let class = if e.code == LOGIN { ErrorClass::Credentials } else { ErrorClass::Failed };
    AgentFault(class, format!("answered with an error: {} ({})", reason(&e.message), e.code))
}

/// Returns the failure of an agent that needs a login.
fn login(agreed: &Value) -> AgentFault {
    let methods = agreed["authMethods"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<String> =
        methods.iter().filter_map(|m| m["name"].as_str()).take(5).map(reason).collect();
    let how = if names.is_empty() {
        String::new()
    } else {
        format!(" (it offers: {})", names.join(", "))
    };
    AgentFault(ErrorClass::Credentials, format!("needs a login{how}"))
}

fn reason(text: &str) -> String {
    text.trim().chars().take(REASON_MAX).collect()
}
