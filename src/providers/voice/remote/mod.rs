//! A language model behind HTTP as a voice: one call, one streamed answer.
//!
//! There are five wire formats, each a file of two pure functions; vendors are rows of a table. The formats are parsed
//! here rather than by a multi-provider library, because an address may be hostile: the library limits neither lines,
//! nor replies, nor the indexes it allocates for; it does not distinguish a cut stream from a complete one, and it
//! hides the status of a refusal.
//!
//! A call ends in exactly one way: complete; broken off, with the text so far; or failed. A stream without an end mark
//! is broken off. The timeouts are those of the seat, in real time, because a server does not know the session's clock:
//! for the connection, for the first piece, between two pieces, and for the whole call. Dropping the call closes its
//! connection. The engine does the retries. There is one exception: a request that its server refuses for a stated part
//! is repeated at once, changed by an entry of the closed list in `cure`. Reasoning within the text is passed on unchanged;
//! `reply` separates it.

mod adaptation;
mod address;
mod content;
pub(super) mod cure;
mod decoder;
mod ends;
pub(super) mod failure;
pub(super) mod frames;
mod known;
mod listing;
mod state;
mod text_requests;
mod tools;
mod vendor;
mod window;
mod wire;

pub use crate::model::Wire;
pub use adaptation::Cure;
pub use address::base_address;
pub use decoder::Decoder;
pub use failure::ServerFault;
pub use vendor::{Endpoint, Keyring, Vendor, usual_changes, vendors};
pub use window::{parameters, window};

use super::{CallFailure, CallRequest, Chunk, Did, Done, Out, Pieces, Speaking, Voice};
use crate::clock;
use crate::model::{Channel, ErrorClass, Role, Text, Timeouts, ToolRequest};
use crate::net::{self, Ask, Client, NetError, Response};
use crate::text::KeyRedactor;
use adaptation::Adaptations;
use content::{Call, Spelled};
use cure::{CURES_MAX, RefusedRequest, SUCCESS, Sent};
use failure::ReplyStart;
use known::FieldRow;
use serde_json::Value;
use std::{pin::Pin, sync::Arc, time::Duration};
use text_requests::TextRequests;
use tokio::time::{Sleep, sleep, timeout};
use wire::code;

/// Maximum wait, in milliseconds, for optional data: the usage after the text, the body of a refusal.
const REST_MS: u64 = 1_000;
/// Timeout of a model list, in milliseconds.
const LIST_MS: u64 = 10_000;
/// HTTP status of an answer to a missing, wrong or expired key.
const UNAUTHORIZED: u16 = 401;
/// Reason of a change that is known before the call.
const KNOWN: &str = "its server is known to refuse it";
/// Maximum bytes read of an answer that is not a stream.
const BODY_MAX: usize = 4 << 20;

/// A model of a provider.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    endpoint: Arc<Endpoint>,
    model: Text,
    memory: Arc<dyn Memory>,
}

/// Changes to the requests to each model that its server asked for, kept between calls.
pub trait Memory: Send + Sync {
    /// Returns the changes for a model at an endpoint.
    fn recall(&self, _endpoint: &Endpoint, _model: &str) -> Vec<Cure> {
        vec![]
    }

    /// Keeps a change that a server accepted.
    fn learn(&self, _endpoint: &Endpoint, _model: &str, _cure: Cure) {}
}

/// Keeps nothing.
impl Memory for () {}

impl Remote {
    /// Creates the voice of a model, named without its provider.
    pub fn new(client: Client, endpoint: Arc<Endpoint>, model: Text) -> Remote {
        Remote { client, endpoint, model, memory: Arc::new(()) }
    }

    /// Lets the voice recall and keep what servers refuse.
    pub fn with_memory(self, memory: Arc<dyn Memory>) -> Remote {
        Remote { memory, ..self }
    }

    /// Returns a request to a base of the server, without its key.
    fn ask(
        &self,
        base_url: &str,
        path: &str,
        body: Option<String>,
        connect_ms: u64,
    ) -> Result<Ask, ServerFault> {
        // checked before the path is appended: without a host, the first part of the path would become the host
        net::host(base_url).map_err(|e| unheard(&e))?;
        Ok(Ask {
            url: address::join(base_url, path),
            headers: code(self.endpoint.wire).headers.to_vec(),
            body,
            connect: Duration::from_millis(connect_ms),
            ..Ask::default()
        })
    }

    /// Sends a request and returns the beginning of a successful answer. A key that a program prints is renewed once.
    async fn send(&self, ask: Ask, patience: &mut Patience) -> Result<Response, ServerFault> {
        let mut keyring = self.endpoint.keyring.as_ref();
        loop {
            let key = self.endpoint.current_key();
            let header = key.as_ref().map(|key| self.endpoint.key_header(key));
            let sent = self.client.send(Ask { key: header, ..ask.clone() });
            let mut answer = patience.wait(sent).await?.map_err(|e| unheard(&e))?;
            if answer.status() == SUCCESS {
                return Ok(answer);
            }
            let mut fault = refusal(&mut answer).await.at_path(&net::path(&ask.url));
            let renewable = if answer.status() == UNAUTHORIZED { keyring.take() } else { None };
            let Some((keyring, key)) = renewable.zip(key) else { return Err(fault) };
            if let Err(why) = keyring.renew(&key).await {
                fault.what = format!("{}, and there is no new one: {why}", fault.what);
                return Err(fault);
            }
            *patience = Patience::new(patience.ms);
        }
    }

    /// Answers one request. All text has been sent when it returns.
    async fn answer(&self, ask: &CallRequest, out: &Out) -> Result<Done, CallFailure> {
        let messages = &ask.messages;
        let timeouts = &ask.seat.timeouts;
        // a model that replaces another kind of voice uses default parameters
        let mut spec = ask.seat.voice.as_model().cloned().unwrap_or_default();
        // the tokens reserved for the reply may be fewer than the seat's limit
        let bound = ask.parameters.max_tokens.and_then(|n| u32::try_from(n).ok());
        spec.max_tokens = bound.or(spec.max_tokens);
        // local models need the schema; vendors of large ones disagree on its format. A model constrained by a schema
        // does not reason first.
        let is_held = ask.seat.local && spec.effort.is_none();
        let schema = if is_held { ask.form.schema() } else { None };
        let shown = messages.iter().map(|m| m.text.len()).sum();
        let mut sink = RedactingSink::new(out);
        let mut tried: Vec<Tried> = vec![];
        let mut lost = vec![];
        let identity = format!("{}:{}", self.endpoint.name, self.model);
        let heard = async {
            let stated = usual_changes(&self.endpoint.name).chain(self.endpoint.changes.clone());
            let known = self.memory.recall(&self.endpoint, &self.model);
            let mut adapted: Adaptations = stated.chain(known).collect();
            loop {
                let learnt = adapted.contains(Cure::ToolsInText) && !ask.in_words.is_empty();
                let in_words = learnt || ask.prompt.text_tools.is_some();
                let messages = if learnt { &ask.in_words } else { messages };
                let (tools, rounds): (&[_], &[_]) =
                    if in_words { (&[], &[]) } else { (&ask.tools, &ask.prompt.tools) };
                let asks = in_words && !ask.tools.is_empty();
                sink.asked = asks.then(TextRequests::default);
                let moved = adapted.messages(messages);
                let call = Call {
                    model: &self.model,
                    messages: moved.as_deref().unwrap_or(messages),
                    spec: &spec,
                    schema: if asks { None } else { schema.as_ref() },
                    window: ask.seat.window,
                    tools,
                    rounds,
                    identity: &identity,
                    adapted: &adapted,
                };
                let has_tools = !tools.is_empty() || !rounds.is_empty();
                let wire = adapted.wire();
                let wire = wire.unwrap_or_else(|| self.endpoint.wire_of(&spec, has_tools));
                let Spelled { path, body, rest, lost: dropped } = (code(wire).spell)(&call);
                lost = dropped;
                if wire != self.endpoint.wire {
                    let lacks = wire.lacks(&spec, false).into_iter().filter_map(FieldRow::by_name);
                    lost.extend(lacks.map(Cure::LeaveOut));
                }
                let instructs = call.messages.iter().any(|m| m.role == Role::System);
                let base = &self.endpoint.base_url;
                let other = adapted.contains(Cure::OtherPath);
                let other = other.then(|| address::other_version(base, wire));
                let base = other.flatten().unwrap_or_else(|| base.to_string());
                let ask = self.ask(&base, &path, Some(body), timeouts.connect)?;
                let heard = self.listen(ask, wire, shown, timeouts, &mut sink).await;
                let Err(fault) = heard else { return heard };
                let usual = self.endpoint.wire;
                let sent = Sent { body: &rest, instructs, adapted: &adapted, wire, usual };
                let Some((cure, is_named)) = fault.cure(&sent) else { return Err(fault) };
                if tried.len() >= CURES_MAX || tried.iter().any(|known| known.cure == cure) {
                    return Err(fault);
                }
                let because = fault.reason(&self.endpoint, messages);
                tried.push(Tried { cure, is_named, because });
                adapted.add(cure);
            }
        };
        let heard =
            timeout(Duration::from_millis(timeouts.total), heard).await.unwrap_or_else(|_| {
                Err(silence(format!("did not finish within {} s", seconds(timeouts.total))))
            });
        let requests = sink.close().await;
        match &heard {
            Ok(_) => {
                add_lost(&mut tried, lost);
                self.keep(tried, out).await;
            }
            Err(fault) => {
                let stated = fault.refusal.as_deref().and_then(cure::stated_window);
                if let (Some(window), ErrorClass::Context) = (stated, fault.class) {
                    let because = fault.reason(&self.endpoint, messages);
                    self.keep(vec![Tried { cure: window, is_named: true, because }], out).await;
                }
            }
        }
        let mut done =
            heard.map_err(|fault| fault.describe(&self.endpoint, &self.model, messages))?;
        let calls = done.state["calls"].as_array().cloned().unwrap_or_default();
        done.state = state::logged(&identity, done.state["turn"].take(), calls).into();
        done.tools.extend(requests);
        Ok(without_keys(done))
    }

    /// Returns the server's list of models; asked for once. Where nothing is at the path, the usual version is added to it
    /// or taken off.
    async fn listed(&self) -> Result<&Value, CallFailure> {
        let list = || async {
            let base = &self.endpoint.base_url;
            let listed = self.list(base).await;
            let lost = listed.as_ref().is_err_and(|fault| fault.has_nothing_here());
            let other = if lost { address::other_version(base, self.endpoint.wire) } else { None };
            let found = match other {
                Some(other) => self.list(&other).await.or(listed),
                None => listed,
            };
            found.map_err(|fault| fault.describe(&self.endpoint, "", &[]))
        };
        self.endpoint.listed.get_or_init(list).await.as_ref().map_err(Clone::clone)
    }

    /// Returns the list of models at a base of the server.
    async fn list(&self, base_url: &str) -> Result<Value, ServerFault> {
        let path = code(self.endpoint.wire).list;
        let ask = self.ask(base_url, path, None, Timeouts::default().connect)?;
        let mut patience = Patience::new(LIST_MS);
        let mut answer = self.send(ask, &mut patience).await?;
        let mut body = Vec::new();
        patience.wait(read(&mut answer, &mut body)).await?;
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_list = listing::entries(&value).is_some();
        let why = || ServerFault::new(ErrorClass::NoProtocol, "did not return a list of models");
        if is_list { Ok(value) } else { Err(why()) }
    }

    /// Reports the changes that a server accepted, and keeps them if it named them.
    async fn keep(&self, tried: Vec<Tried>, out: &Out) {
        for Tried { cure, is_named, because } in tried {
            if is_named {
                self.memory.learn(&self.endpoint, &self.model, cure);
            }
            let model = format!("{}:{}", self.endpoint.name, self.model).into();
            let did = cure.to_string().into();
            let because = because.into();
            let adapts = Did::Adapts { model, did, because, loses: cure.loses() };
            out.send(Chunk::Did(adapts)).await;
        }
    }

    /// Reads the answer to its end and forwards the text as it arrives.
    async fn listen(
        &self,
        ask: Ask,
        wire: Wire,
        shown: usize,
        timeouts: &Timeouts,
        out: &mut RedactingSink<'_>,
    ) -> Result<Done, ServerFault> {
        let mut patience = Patience::new(timeouts.first);
        let mut answer = self.send(ask, &mut patience).await?;
        let mut decoder = Decoder::new(wire);
        while !decoder.is_over() {
            let bytes = match patience.wait(answer.next()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => break,
                // the text is complete, even if the usage never arrives
                Ok(Err(_)) | Err(_) if decoder.is_finished() => break,
                Ok(Err(e)) => return Err(failure::of_net(&e, ReplyStart::Something)),
                Err(fault) => return Err(fault),
            };
            let mut pieces = Pieces::new();
            let taken = decoder.push(bytes.as_ref(), &mut pieces);
            let heard = !pieces.is_empty();
            out.send(pieces).await;
            taken?;
            if decoder.is_finished() {
                patience = Patience::new(timeouts.silence.min(REST_MS));
            } else if heard {
                patience = Patience::new(timeouts.silence);
            }
        }
        let mut pieces = Pieces::new();
        let done = decoder.end(shown, &mut pieces);
        out.send(pieces).await;
        done
    }
}

/// A change to a request, with the refusal that asked for it.
struct Tried {
    cure: Cure,
    /// True if the server named the part; otherwise the change is a guess.
    is_named: bool,
    because: String,
}

/// Adds the settings that are lost by a move to another wire format, or by changes of earlier calls.
fn add_lost(tried: &mut Vec<Tried>, mut lost: Vec<Cure>) {
    lost.retain(|cure| tried.iter().all(|tried| tried.cure != *cure));
    let moved = tried.iter().find(|tried| matches!(tried.cure, Cure::Wire(_)));
    let is_named = moved.is_some();
    let because = moved.map_or_else(|| KNOWN.to_owned(), |moved| moved.because.clone());
    tried.extend(lost.into_iter().map(|cure| Tried { cure, is_named, because: because.clone() }));
}

impl Voice for Remote {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let voice = self.clone();
        Box::pin(async move {
            let last = voice.answer(&ask, &out).await;
            out.send(last.map_or_else(Chunk::Failed, Chunk::Done)).await;
        })
    }
}

/// Returns the names of a server's models, in its order.
///
/// # Errors
/// The failure of the call, as a voice would report it.
pub async fn models(client: Client, endpoint: Arc<Endpoint>) -> Result<Vec<Text>, CallFailure> {
    let remote = Remote::new(client, endpoint, "".into());
    let listed = listing::entries(remote.listed().await?).unwrap_or_default();
    Ok(listed.iter().filter_map(listing::name).map(Into::into).collect())
}

/// Removes API keys from tool requests, which are logged and may run.
fn without_keys(mut done: Done) -> Done {
    let clean = |text: &str| {
        let mut redactor = KeyRedactor::default();
        let certain = redactor.push(text);
        certain + &redactor.finish()
    };
    for request in &mut done.tools {
        request.tool = clean(&request.tool).into();
        let arguments = clean(&request.arguments.to_string());
        request.arguments = serde_json::from_str(&arguments).unwrap_or(Value::Null);
    }
    // a changed signature is of no use
    let state = done.state.to_string();
    if clean(&state) != state {
        done.state = Box::default();
    }
    done
}

/// Timeout of the next piece. Reads without content do not reset it.
pub(super) struct Patience {
    ms: u64,
    left: Pin<Box<Sleep>>,
}

impl Patience {
    pub(super) fn new(ms: u64) -> Patience {
        Patience { ms, left: Box::pin(sleep(Duration::from_millis(ms))) }
    }

    /// Waits for a future until the timeout expires.
    pub(super) async fn wait<T>(
        &mut self,
        what: impl Future<Output = T>,
    ) -> Result<T, ServerFault> {
        tokio::select! {
            // poll the timeout first, so that a flood of empty reads cannot keep it from expiring
            biased;
            () = &mut self.left => Err(silence(format!("sent nothing for {} s", seconds(self.ms)))),
            done = what => Ok(done),
        }
    }
}

pub(super) fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

pub(super) fn silence(what: String) -> ServerFault {
    ServerFault::new(ErrorClass::Silence, what)
}

fn unheard(error: &NetError) -> ServerFault {
    failure::of_net(error, ReplyStart::Nothing)
}

/// Forwards text with API keys removed; a server may echo the request in arbitrary pieces.
pub(super) struct RedactingSink<'a> {
    out: &'a Out,
    said: KeyRedactor,
    thought: KeyRedactor,
    /// Extracts tool requests from the text of a model without tool support.
    asked: Option<TextRequests>,
}

impl RedactingSink<'_> {
    pub(super) fn new(out: &Out) -> RedactingSink<'_> {
        RedactingSink { out, said: Default::default(), thought: Default::default(), asked: None }
    }

    pub(super) async fn send(&mut self, pieces: Pieces) {
        for (channel, text) in pieces {
            let redactor = match channel {
                Channel::Say => &mut self.said,
                Channel::Think => &mut self.thought,
            };
            let certain = redactor.push(&text);
            let certain = self.without_requests(channel, certain);
            self.say(channel, certain).await;
        }
    }

    fn without_requests(&mut self, channel: Channel, words: String) -> String {
        match &mut self.asked {
            Some(asked) if channel == Channel::Say => asked.push(&words),
            Some(_) | None => words,
        }
    }

    /// Sends the held back text at the end of the reply. Returns the tool requests found in it.
    pub(super) async fn close(&mut self) -> Vec<ToolRequest> {
        let thought = self.thought.finish();
        let said = self.said.finish();
        self.say(Channel::Think, thought).await;
        let mut said = self.without_requests(Channel::Say, said);
        let (rest, requests) = self.asked.take().unwrap_or_default().finish();
        said.push_str(&rest);
        self.say(Channel::Say, said).await;
        requests
    }

    async fn say(&self, channel: Channel, text: String) {
        if !text.is_empty() {
            self.out.send(Chunk::Piece(channel, text.into())).await;
        }
    }
}

/// Reads the reason of a refusal.
pub(super) async fn refusal(answer: &mut Response) -> ServerFault {
    let status = answer.status();
    let exact = answer.header("retry-after-ms").and_then(|header| header.trim().parse().ok());
    let wait = answer.header("retry-after");
    let wait = wait.and_then(|header| failure::retry_after_ms(header, clock::wall_now()));
    let wait = exact.or(wait);
    let mut body = Vec::new();
    // the status suffices if the body does not arrive
    let _ = timeout(Duration::from_millis(REST_MS), read(answer, &mut body)).await;
    let mut fault = failure::of_status(status, &String::from_utf8_lossy(&body));
    let wait = wait.or(fault.retry_after_ms);
    fault.retry_after_ms = if fault.class.asks_to_wait() { wait } else { None };
    fault.refusal = Some(RefusedRequest::new(status, &body).into());
    fault
}

/// Reads a body that is not a stream, as far as it arrives.
async fn read(answer: &mut Response, body: &mut Vec<u8>) {
    while let Ok(Some(bytes)) = answer.next().await {
        body.extend_from_slice(bytes.as_ref());
        if body.len() > BODY_MAX {
            break;
        }
    }
}
