//! Voices produce the text of participants: one trait for models, scripts, rehearsed lines and recordings.
//!
//! A voice streams [`Chunk`]s into its [`Out`]. It never retries and never waits for the operator. All its input is in
//! its [`CallRequest`]; it has no access to the conversation. Dropping its future cancels the call for good.

pub mod agent;
pub mod http;
pub mod program;
pub mod reading;
pub mod rehearsed;
pub mod remote;
pub mod script;

use crate::clock::Clock;
use crate::model::agent::{AgentContext, PlanStep};
use crate::model::payload::CallParameters;
use crate::model::sentence::sentence_error;
use crate::model::{
    CallId, Channel, ErrorClass, Form, Limits, Message, Participant, Prompt, Purpose, SeatId, Text,
    Tool, ToolRequest, TurnId, Usage, Usd, VoiceSpec,
};
use crate::spawn::SpawnError;
use serde_json::Value;
use std::{collections::BTreeMap, future::Future, pin::Pin, sync::Arc};
use tokio::sync::mpsc;

/// Pieces of one read. Adjacent pieces of one channel are merged.
pub type Pieces = Vec<(Channel, String)>;

/// Input of one call of a voice.
#[derive(Clone, Debug, Default)]
pub struct CallRequest {
    /// `seq` of its `call.started`.
    pub call: CallId,
    /// Turn that the call belongs to.
    pub turn: TurnId,
    /// The participant, as of this call.
    pub seat: Arc<Participant>,
    /// Purpose of the reply: speech, vote, judgement and so on.
    pub purpose: Purpose,
    /// Number of the turn, from 1; `None` if the reply is not speech.
    pub number: Option<u32>,
    /// Number of this call within its turn, from 1.
    pub attempt: u32,
    /// Prompt of the participant; empty for rehearsed lines.
    pub prompt: Arc<Prompt>,
    /// The prompt as chat messages for a model; empty for other voices.
    pub messages: Vec<Message>,
    /// The messages with the tools as text, for a model that turns out to have no tool calls; empty without tools.
    pub in_words: Vec<Message>,
    /// Tools that the participant may call.
    pub tools: Vec<Tool>,
    /// Required form of the reply.
    pub form: Form,
    /// Parameters of the call, as logged.
    pub parameters: CallParameters,
    /// Labels that replace the other participants' names if names are hidden.
    pub labels: BTreeMap<SeatId, Text>,
    /// Facts for scripts and templates: topic, context, limits, participants.
    pub facts: Arc<Value>,
    /// Remaining limits of the conversation in tokens and in money.
    pub left: Limits,
    /// Session of the seat's agent as of its last reply.
    pub agent: Option<AgentContext>,
}

impl CallRequest {
    /// Creates the request of a call outside a conversation: two messages to a model, without tools and prompt.
    pub fn outside(
        seat: Participant,
        purpose: Purpose,
        messages: [Message; 2],
        form: Form,
    ) -> Self {
        CallRequest {
            seat: Arc::new(seat),
            purpose,
            attempt: 1,
            messages: messages.into(),
            form,
            ..CallRequest::default()
        }
    }
}

/// Output of a voice, chunk by chunk.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a call has one end")]
pub enum Chunk {
    /// A piece of the reply.
    Piece(Channel, Text),
    /// An action of the voice besides speech, or a request for permission.
    Did(Did),
    /// End of a complete reply.
    Done(Done),
    /// The participant passes its turn.
    Pass,
    /// End of a failed call.
    Failed(CallFailure),
}

/// An action of an agent or a recording besides speech, as logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Did {
    /// It used a tool of its own. The fields are those of `agent.tool`.
    Used { title: Text, sort: Text, status: Text, input: Option<Text>, result: Option<Text> },
    /// A warning for the operator about the voice's output.
    Warns(Text),
    /// A request was changed as its server asked. The fields are those of `model.adapted`.
    Adapts { model: Text, did: Text, because: Text, loses: bool },
    /// The agent's plan. It replaces the previous one.
    Plans(Vec<PlanStep>),
    /// It asks for permission and waits for [`Voice::answered`].
    Asks { request: u32, sort: Text, title: Text, input: Option<Text> },
}

/// Failure of a call, with the delay before a retry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// Error class; decides whether the call is retried.
    pub class: ErrorClass,
    /// One sentence for the operator, untrusted.
    pub text: Text,
    /// Delay requested by the server, in milliseconds.
    pub retry_after_ms: Option<u64>,
    /// Tokens billed despite the failure, if the server reported them.
    pub usage: Option<Usage>,
}

impl CallFailure {
    /// Creates a failure without a retry delay.
    pub fn new(class: ErrorClass, text: impl Into<Text>) -> CallFailure {
        CallFailure { class, text: text.into(), retry_after_ms: None, usage: None }
    }
}

/// End of a complete reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// Full text if it differs from the pieces or none came; otherwise the pieces are the text.
    pub text: Option<Text>,
    /// Reply as data; null if it is text only.
    pub structured: Value,
    /// Finish reason reported by the voice.
    pub finish: Option<Text>,
    /// Tokens used; `None` if the server reported none.
    pub usage: Option<Usage>,
    /// Cost of the call if the voice reports it; replaces the price of the seat.
    pub cost: Option<Usd>,
    /// Number of unreadable parts of the answer that were skipped.
    pub skipped: u32,
    /// Tool requests that replace the end of the turn.
    pub tools: Vec<ToolRequest>,
    /// Data of the server that has to come back with the results of the requests.
    pub state: Box<Value>,
    /// The line of data that the reply ended with; the engine takes it out of the pieces.
    pub closing_line: Option<Text>,
    /// The session of the agent that replied.
    pub agent: Option<AgentContext>,
    /// The model, as the program that replied reports it.
    pub model: Option<Text>,
}

/// A call in progress. Dropping it cancels the call.
pub type Speaking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Source of a participant's text: a model, a script, an agent, rehearsed lines.
pub trait Voice: Send + Sync {
    /// Answers one request by sending chunks. The last one is `Done`, `Pass` or `Failed`.
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking;

    /// Receives the operator's answer to a permission request of a running call.
    fn answered(&self, _call: CallId, _request: u32, _yes: bool) {}

    /// Ends what the voice keeps between calls, within about a second; no call follows.
    fn leave(&self) -> Speaking {
        Box::pin(std::future::ready(()))
    }
}

sentence_error! {
    /// Reason why no voice can speak for a participant, for the operator.
    pub struct NoVoice;
}

/// Finds the voice of a participant.
pub trait Voices: Send + Sync {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice>;

    /// Completes a seat created by a command with the data of its voice.
    fn seat(&self, _: &mut Participant) -> Result<(), NoVoice> {
        Ok(())
    }

    /// Lets all voices end what they keep between calls, within about a second.
    fn leave(&self) -> Speaking {
        Box::pin(std::future::ready(()))
    }
}

/// Returns the class of a failure to start a child process or to talk to it.
fn spawn_class(e: &SpawnError) -> ErrorClass {
    match e {
        SpawnError::TooLarge(_) => ErrorClass::TooLarge,
        SpawnError::Deaf | SpawnError::Lost(_) => ErrorClass::Failed,
        SpawnError::NoCommand | SpawnError::NoFolder(_) | SpawnError::Refused(_) => {
            ErrorClass::NotFound
        }
    }
}

/// Channel for a voice's chunks, with the session's clock.
#[derive(Clone)]
pub struct Out {
    call: CallId,
    tx: mpsc::Sender<(CallId, Chunk)>,
    clock: Clock,
}

impl Out {
    /// Creates the output channel of one call.
    pub fn new(call: CallId, tx: mpsc::Sender<(CallId, Chunk)>, clock: Clock) -> Out {
        Out { call, tx, clock }
    }

    /// Sends a chunk; waits while the engine cannot take it.
    pub async fn send(&self, chunk: Chunk) {
        // a closed channel means that the engine has stopped, so the chunk is dropped
        if let Ok(place) = self.tx.reserve().await {
            self.clock.sent();
            place.send((self.call, chunk));
        }
    }

    /// Returns the session's clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Sleeps for `ms` milliseconds on the session's clock.
    pub async fn wait(&self, ms: u64) {
        self.clock.sleep(self.call, ms).await;
    }
}

/// Pause before the first word, in words, for a natural rhythm.
pub const BREATH_WORDS: u64 = 6;

/// Sends the chunks of a known reply word by word, at the pace of rehearsed lines.
pub async fn paced(chunks: Vec<Chunk>, out: Out) {
    out.wait(VoiceSpec::PACE_MS * BREATH_WORDS).await;
    for chunk in chunks {
        let Chunk::Piece(channel, text) = chunk else {
            out.send(chunk).await;
            continue;
        };
        for word in text.split_inclusive(char::is_whitespace) {
            out.wait(VoiceSpec::PACE_MS).await;
            out.send(Chunk::Piece(channel, word.into())).await;
        }
    }
}
