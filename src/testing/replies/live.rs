//! A model that is really asked, until its reply is complete.

use super::budget::Budget;
use crate::clock::Clock;
use crate::model::{Channel, ErrorClass, Ms, Price, ToolRequest, Usage};
use crate::voice::{CallFailure, CallRequest, Chunk, Done, Out, Voice};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Chunks that wait to be read.
const WAITING: usize = 64;
/// Milliseconds that a server is left alone which fails and does not say for how long, by the number of the call.
const PAUSE_MS: u64 = 500;
/// The longest such pause in milliseconds, whatever a server asks for.
const PAUSE_MAX_MS: u64 = 60_000;

/// A model as the user's settings know it.
#[derive(Clone)]
pub struct RealModel {
    /// `provider:name`.
    pub name: String,
    /// The base address and wire format of its server, without anything secret.
    pub address: String,
    /// Its price; none is "not priced".
    pub price: Option<Price>,
    /// Whether it runs on this machine.
    pub local: bool,
    /// Its context window in tokens.
    pub window: Option<u32>,
    /// The voice that asks it, and looks its key up at the first call.
    pub voice: Arc<dyn Voice>,
    /// The budget that its calls are charged to.
    pub budget: Arc<Budget>,
}

/// A complete reply, as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelReply {
    /// The reasoning that came with it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub think: String,
    /// The text of the reply.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The reply as data, where the server gave that.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub structured: Value,
    /// How it finished, as the server said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    /// The tokens that the server counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The tools that it asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolRequest>,
}

impl ModelReply {
    /// Returns it as a voice hands it in.
    pub fn chunks(&self) -> Vec<Chunk> {
        let piece =
            |channel, text: &str| (!text.is_empty()).then(|| Chunk::Piece(channel, text.into()));
        let pieces = [piece(Channel::Think, &self.think), piece(Channel::Say, &self.text)];
        let done = Done {
            structured: self.structured.clone(),
            finish: self.finish.as_deref().map(Into::into),
            usage: self.usage.clone(),
            tools: self.tools.clone(),
            ..Done::default()
        };
        pieces.into_iter().flatten().chain([Chunk::Done(done)]).collect()
    }
}

/// Calls a model and waits for the end of its reply, in real time. A failure is returned only after the wait that the
/// server asked for: to the engine of a test that wait takes no time.
///
/// # Errors
/// A failure of class [`ErrorClass::Budget`], without a call, if the budget is used up; or the failure of the call.
pub async fn ask(model: &RealModel, request: CallRequest) -> Result<ModelReply, CallFailure> {
    let reserve = model.budget.reserve(model, &request).await?;
    let attempt = request.attempt;
    let heard = listen(&*model.voice, request).await;
    match &heard {
        Ok(reply) => reserve.settle(model, reply.usage.as_ref()),
        Err(failure) => reserve.settle(model, Some(&failure.usage.clone().unwrap_or_default())),
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

async fn listen(voice: &dyn Voice, request: CallRequest) -> Result<ModelReply, CallFailure> {
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
                (reply.usage, reply.tools) = (done.usage, done.tools);
                return Ok(reply);
            }
            // an agent's own actions; a model has none
            Some(Chunk::Did(_)) => {}
            Some(Chunk::Failed(failure)) => return Err(failure),
            Some(Chunk::Pass) | None => {
                return Err(CallFailure::new(ErrorClass::Broken, "the reply ended too early"));
            }
        }
    }
}
