//! Live calls of models, up to the complete reply.

use super::budget::RealModel;
use crate::clock::Clock;
use crate::model::{Channel, ErrorClass, Ms, Text, ToolRequest, Usage};
use crate::voice::{CallFailure, CallRequest, Chunk, Did, Done, Out, Voice};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;

/// Capacity of the chunk channel.
const WAITING: usize = 64;
/// Milliseconds before a retry if the server names no wait; doubled for each attempt.
const PAUSE_MS: u64 = 500;
/// Maximum milliseconds of such a wait, even if the server asks for more.
const PAUSE_MAX_MS: u64 = 60_000;

/// A complete reply, as it is recorded.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// Reasoning of the reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub think: String,
    /// Text of the reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The reply as data, if the server sent any.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// Finish reason as sent by the server.
    pub finish: Option<String>,
    /// Token usage as reported by the server.
    pub usage: Option<Usage>,
    /// Requested tool calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolRequest>,
    /// Tools that an agent or a service used by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub used: Vec<OwnTool>,
}

/// A tool that an agent or a service used by itself; the fields are those of `agent.tool`.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnTool {
    pub title: Text,
    pub sort: Text,
    pub status: Text,
    pub input: Option<Text>,
    pub result: Option<Text>,
}

impl ModelReply {
    /// Returns the reply as chunks of a voice.
    pub fn chunks(&self) -> Vec<Chunk> {
        let piece =
            |channel, text: &str| (!text.is_empty()).then(|| Chunk::Piece(channel, text.into()));
        let used = self.used.iter().cloned().map(|used| {
            let OwnTool { title, sort, status, input, result } = used;
            Chunk::Did(Did::Used { title, sort, status, input, result })
        });
        let pieces = [piece(Channel::Think, &self.think), piece(Channel::Say, &self.text)];
        let done = Done {
            structured: self.structured.clone(),
            finish: self.finish.as_deref().map(Into::into),
            usage: self.usage.clone(),
            tools: self.tools.clone(),
            ..Done::default()
        };
        used.chain(pieces.into_iter().flatten()).chain([Chunk::Done(done)]).collect()
    }
}

/// Calls a model and waits for the complete reply, in real time. A failure is returned only after the wait that the
/// server asked for: the engine of a test waits in virtual time, which passes at once.
///
/// # Errors
/// A failure of class [`ErrorClass::Budget`], without a call, if the budget is used up; or the failure of the call.
pub async fn ask(model: &RealModel, request: CallRequest) -> Result<ModelReply, CallFailure> {
    let reserved = model.reserve(&request).await?;
    let attempt = request.attempt;
    let heard = whole_reply(&*model.voice, request).await;
    match &heard {
        Ok(reply) => model.charge(reserved, reply.usage.as_ref()),
        Err(failure) => model.charge(reserved, Some(&failure.usage.clone().unwrap_or_default())),
    }
    if let Err(failure) = &heard {
        let class = failure.class;
        let pause = failure.retry_after_ms.unwrap_or(PAUSE_MS << attempt.min(6));
        if class.asks_to_wait() {
            tokio::time::sleep(Duration::from_millis(pause.min(PAUSE_MAX_MS))).await;
        }
    }
    heard
}

/// Makes one call, without a retry, and returns the complete reply.
///
/// # Errors
/// The failure of the call, or a reply that ended without being complete.
pub async fn whole_reply(
    voice: &dyn Voice,
    request: CallRequest,
) -> Result<ModelReply, CallFailure> {
    let (tx, mut chunks) = mpsc::channel(WAITING);
    let mut speaking = voice.speak(request.clone(), Out::new(request.call, tx, Clock::real(Ms(0))));
    let mut reply = ModelReply::default();
    let mut speaks = true;
    loop {
        let chunk = tokio::select! { biased;
            chunk = chunks.recv() => chunk,
            () = &mut speaking, if speaks => {
                speaks = false;
                continue;
            }
        };
        match chunk.map(|(_, chunk)| chunk) {
            Some(Chunk::Piece(Channel::Think, text)) => reply.think.push_str(&text),
            Some(Chunk::Piece(Channel::Say, text)) => reply.text.push_str(&text),
            Some(Chunk::Done(done)) => {
                reply.text = done.text.map_or(reply.text, |text| text.to_string());
                reply.structured = done.structured;
                reply.finish = done.finish.map(|finish| finish.to_string());
                reply.usage = done.usage;
                reply.tools = done.tools;
                return Ok(reply);
            }
            Some(Chunk::Did(Did::Used { title, sort, status, input, result })) => {
                reply.used.push(OwnTool { title, sort, status, input, result });
            }
            // nobody can be asked
            Some(Chunk::Did(Did::Asks { request: asked, .. })) => {
                voice.answered(request.call, asked, false);
            }
            Some(Chunk::Did(Did::Warns(_) | Did::Plans(_) | Did::Adapts { .. })) => {}
            Some(Chunk::Failed(failure)) => return Err(failure),
            Some(Chunk::Pass) | None => {
                return Err(CallFailure::new(ErrorClass::Broken, "the reply ended too early"));
            }
        }
    }
}
