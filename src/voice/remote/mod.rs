//! A language model behind HTTP as a voice: one call, one streamed answer.
//!
//! Four wire formats, each a file of two pure functions; vendors are rows over them. The formats are read here and not
//! by a library of many providers, because an address may be hostile and the library bounds neither a line, nor a
//! reply, nor the indexes it allocates for, tells a cut stream like a complete one, and hides the status of a refusal.
//!
//! A call ends in exactly one way: complete; or broken off, with the words that came; or failed. What has no mark of
//! its end is broken off. Time-outs are the seat's, in real time, because a server does not know ours: until a
//! connection stands, until the first piece, between two pieces, and for the whole. Dropping the call closes its
//! connection. It never asks a second time: that is the engine's to decide. Only a server of this machine that will not
//! hold its model to the form of a reply is asked at once without that. Reasoning that a model writes among its words comes
//! as it is: `reply` tells it apart.

mod content;
mod decoder;
mod failure;
mod frames;
mod text_requests;
mod tools;
mod vendor;
mod wire;

pub use crate::model::Wire;
pub use decoder::Decoder;
pub use failure::ServerFault;
pub use vendor::{Endpoint, VENDORS, Vendor};

use super::{CallFailure, CallRequest, Chunk, Done, Out, Pieces, Speaking, Voice};
use crate::clock;
use crate::model::{Channel, ErrorClass, ModelSpec, Text, Timeouts, ToolRequest, VoiceSpec};
use crate::net::{self, Ask, Client, NetError, Response};
use crate::text::KeyRedactor;
use content::{Call, Spelled};
use failure::ReplyStart;
use serde_json::Value;
use std::{pin::Pin, sync::Arc, time::Duration};
use text_requests::TextRequests;
use tokio::time::{Sleep, sleep, timeout};

/// Milliseconds that are waited for what only completes an answer: the usage after the words, the body of a refusal.
const REST_MS: u64 = 1_000;
/// Milliseconds that a list of models may take.
const LIST_MS: u64 = 10_000;
/// The status of an answer that is one.
const SUCCESS: u16 = 200;
/// Bytes that are read of an answer that is no reply.
const BODY_MAX: usize = 4 << 20;

/// A model of a provider.
#[derive(Clone)]
pub struct Remote {
    client: Client,
    endpoint: Arc<Endpoint>,
    model: Text,
}

impl Remote {
    /// Returns the voice of a model by its name after `provider:`.
    pub fn new(client: Client, endpoint: Arc<Endpoint>, model: Text) -> Remote {
        Remote { client, endpoint, model }
    }

    fn ask(&self, path: &str, body: Option<String>, connect_ms: u64) -> Result<Ask, ServerFault> {
        // before the path is added: without a host its first part would become one
        net::host(&self.endpoint.base_url).map_err(|e| unheard(&e))?;
        Ok(Ask {
            url: format!("{}{path}", self.endpoint.base_url.trim_end_matches('/')),
            headers: self.endpoint.headers(),
            more: vec![],
            key: self.endpoint.key_header(),
            body,
            connect: Duration::from_millis(connect_ms),
        })
    }

    /// Answers one request; the words have been handed on by the time it returns.
    async fn answer(&self, ask: &CallRequest, out: &Out) -> Result<Done, CallFailure> {
        let messages = &ask.messages;
        let timeouts = &ask.seat.timeouts;
        let mut spec = match &ask.seat.voice {
            VoiceSpec::Model(spec) => spec.clone(),
            // a model that stands in for another voice is asked with its defaults
            VoiceSpec::Script(_)
            | VoiceSpec::Agent(_)
            | VoiceSpec::Team(_)
            | VoiceSpec::Human { .. }
            | VoiceSpec::Lines { .. } => ModelSpec::default(),
        };
        // what was set aside for the reply may be less than the seat would take
        let bound = ask.parameters.max_tokens.and_then(|n| u32::try_from(n).ok());
        spec.max_tokens = bound.or(spec.max_tokens);
        // small models need it, and the vendors of large ones do not agree on it; held to a form, a model does not think first
        let in_words = ask.prompt.text_tools.is_some();
        let (tools, rounds): (&[_], &[_]) =
            if in_words { (&[], &[]) } else { (&ask.tools, &ask.prompt.tools) };
        let asks = in_words && !ask.tools.is_empty();
        let held = ask.seat.local && spec.effort.is_none() && !asks;
        let schema = ask.form.schema().filter(|_| held);
        let shown = messages.iter().map(|m| m.text.len()).sum();
        let mut sink = RedactingSink::new(out, asks);
        let heard = async {
            let mut schema = schema.as_ref();
            loop {
                let call = Call {
                    model: &self.model,
                    messages,
                    spec: &spec,
                    schema,
                    window: ask.seat.window,
                    tools,
                    rounds,
                    provider: &self.endpoint.name,
                };
                let Spelled { path, body } = self.endpoint.wire.spell(&call);
                let ask = self.ask(&path, Some(body), timeouts.connect)?;
                match self.listen(ask, shown, timeouts, &mut sink).await {
                    Err(fault) if schema.is_some() && fault.is_refusal => schema = None,
                    heard => return heard,
                }
            }
        };
        let heard =
            timeout(Duration::from_millis(timeouts.total), heard).await.unwrap_or_else(|_| {
                Err(silence(format!("did not finish within {} s", seconds(timeouts.total))))
            });
        let requests = sink.close().await;
        let heard = heard.map(|mut done| {
            done.tools.extend(requests);
            without_keys(done)
        });
        heard.map_err(|fault| fault.told(&self.endpoint, &self.model, messages))
    }

    /// Reads the answer to its end and hands on the words as they come.
    async fn listen(
        &self,
        ask: Ask,
        shown: usize,
        timeouts: &Timeouts,
        out: &mut RedactingSink<'_>,
    ) -> Result<Done, ServerFault> {
        let mut patience = Patience::new(timeouts.first);
        let mut answer = patience.wait(self.client.send(ask)).await?.map_err(|e| unheard(&e))?;
        if answer.status() != SUCCESS {
            return Err(refusal(&mut answer).await);
        }
        let mut decoder = Decoder::new(self.endpoint.wire);
        while !decoder.is_over() {
            let bytes = match patience.wait(answer.next()).await {
                Ok(Ok(Some(bytes))) => bytes,
                Ok(Ok(None)) => break,
                // the words are complete, whatever becomes of the usage
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

impl Voice for Remote {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let voice = self.clone();
        Box::pin(async move {
            let last = voice.answer(&ask, &out).await;
            out.send(last.map_or_else(Chunk::Failed, Chunk::Done)).await;
        })
    }
}

/// Returns the names of the models that a server has, as it lists them.
///
/// # Errors
/// The failure of the call, as a voice would tell it.
pub async fn models(client: Client, endpoint: Arc<Endpoint>) -> Result<Vec<Text>, CallFailure> {
    let (path, list, name) = endpoint.wire.list();
    let timeouts = Timeouts::default();
    let remote = Remote::new(client, endpoint, "".into());
    let listed = async {
        let ask = remote.ask(path, None, timeouts.connect)?;
        let mut patience = Patience::new(LIST_MS);
        let mut answer = patience.wait(remote.client.send(ask)).await?.map_err(|e| unheard(&e))?;
        if answer.status() != SUCCESS {
            return Err(refusal(&mut answer).await);
        }
        let mut body = Vec::new();
        patience.wait(read(&mut answer, &mut body)).await?;
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let models = value[list].as_array().ok_or_else(|| {
            ServerFault::new(ErrorClass::NoProtocol, "did not return a list of models")
        })?;
        let names = models.iter().filter_map(|m| m[name].as_str());
        Ok(names.map(|n| n.trim_start_matches("models/").into()).collect())
    };
    listed.await.map_err(|fault: ServerFault| fault.told(&remote.endpoint, &remote.model, &[]))
}

/// What is asked of tools is kept and may run: no key passes there either.
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
    done
}

/// How long the next thing may take; it runs on over reads that bring nothing.
struct Patience {
    ms: u64,
    left: Pin<Box<Sleep>>,
}

impl Patience {
    fn new(ms: u64) -> Patience {
        Patience { ms, left: Box::pin(sleep(Duration::from_millis(ms))) }
    }

    /// Waits for something for as long as is left.
    async fn wait<T>(&mut self, what: impl Future<Output = T>) -> Result<T, ServerFault> {
        tokio::select! {
            // first, so that a flood of nothing does not keep the time from running out
            biased;
            () = &mut self.left => Err(silence(format!("sent nothing for {} s", seconds(self.ms)))),
            done = what => Ok(done),
        }
    }
}

fn seconds(ms: u64) -> f64 {
    ms as f64 / 1000.0
}

fn silence(what: String) -> ServerFault {
    ServerFault::new(ErrorClass::Silence, what)
}

fn unheard(error: &NetError) -> ServerFault {
    failure::of_net(error, ReplyStart::Nothing)
}

/// The fix of words, which lets no key pass: a server may say again what it was sent, in pieces of its choice.
struct RedactingSink<'a> {
    out: &'a Out,
    said: KeyRedactor,
    thought: KeyRedactor,
    /// Takes requests for tools out of the text of a model that cannot call them.
    asked: Option<TextRequests>,
}

impl RedactingSink<'_> {
    fn new(out: &Out, asks: bool) -> RedactingSink<'_> {
        let asked = asks.then(TextRequests::default);
        RedactingSink { out, said: KeyRedactor::default(), thought: KeyRedactor::default(), asked }
    }

    async fn send(&mut self, pieces: Pieces) {
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

    /// Sends what was held back, at the end of the reply. Returns the requests in the text.
    async fn close(&mut self) -> Vec<ToolRequest> {
        let (thought, said) = (self.thought.finish(), self.said.finish());
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

/// Reads why a server refuses.
async fn refusal(answer: &mut Response) -> ServerFault {
    let status = answer.status();
    let wait = answer.header("retry-after");
    let wait = wait.and_then(|header| failure::retry_after_ms(header, clock::wall_now()));
    let mut body = Vec::new();
    // the status says enough where the rest does not come
    let _ = timeout(Duration::from_millis(REST_MS), read(answer, &mut body)).await;
    let mut fault = failure::of_status(status, &String::from_utf8_lossy(&body));
    fault.retry_after_ms = wait.or(fault.retry_after_ms).filter(|_| fault.class.asks_to_wait());
    // some servers fail over a form that they cannot follow
    fault.is_refusal = matches!(fault.class, ErrorClass::BadRequest | ErrorClass::Failed);
    fault
}

/// Reads a body that is no stream, as far as it comes.
async fn read(answer: &mut Response, body: &mut Vec<u8>) {
    while let Ok(Some(bytes)) = answer.next().await {
        body.extend_from_slice(bytes.as_ref());
        if body.len() > BODY_MAX {
            break;
        }
    }
}
