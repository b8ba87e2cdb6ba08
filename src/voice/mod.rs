//! The sources of words: one trait for models, scripts, rehearsed lines and recordings.
//!
//! A voice streams [`Chunk`]s into its [`Out`] and never retries, never waits for the operator and never sees the
//! conversation: all it knows is in its [`CallRequest`]. Dropping its future cancels the call for good.

pub mod agent;
pub mod rehearsed;
pub mod remote;
pub mod script;

use crate::clock::Clock;
use crate::model::agent::PlanStep;
use crate::model::payload::CallParameters;
use crate::model::{
    CallId, Channel, ErrorClass, Form, Limits, Message, Participant, Prompt, Purpose, SeatId, Text,
    Tool, ToolRequest, TurnId, Usage, Usd, VoiceSpec,
};
use serde_json::Value;
use std::{collections::BTreeMap, future::Future, pin::Pin, sync::Arc};
use tokio::sync::mpsc;

/// Pieces of one read; neighbours of one channel are joined.
pub type Pieces = Vec<(Channel, String)>;

/// What a voice needs for one call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The `seq` of its `call.started`.
    pub call: CallId,
    /// The turn that the call belongs to.
    pub turn: TurnId,
    /// The participant that speaks, as of this call.
    pub seat: Arc<Participant>,
    /// What the reply is for: to speak, vote, judge and so on.
    pub purpose: Purpose,
    /// The utterance's number, from 1; none where the turn is no utterance.
    pub number: Option<u32>,
    /// Which call of its turn this is, from 1.
    pub attempt: u32,
    /// What the participant reads; empty for rehearsed lines.
    pub prompt: Arc<Prompt>,
    /// The same as the messages that a model takes; none for other voices.
    pub messages: Vec<Message>,
    /// The tools that it may ask for.
    pub tools: Vec<Tool>,
    /// The form that the reply must have.
    pub form: Form,
    /// The parameters of the call, as logged.
    pub parameters: CallParameters,
    /// The labels under which it sees the others, where names are hidden.
    pub labels: BTreeMap<SeatId, Text>,
    /// Facts for scripts and templates: topic, context, limits, who is at the table.
    pub facts: Arc<Value>,
    /// What is left of the conversation's limits in tokens and in money.
    pub left: Limits,
}

/// What a voice returns, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    /// A piece of the reply.
    Piece(Channel, Text),
    /// The voice did something, or asks leave for something, besides speaking.
    Did(Did),
    /// The end of a complete reply.
    Done(Done),
    /// The seat lets its turn go.
    Pass,
    /// The end of a failed call.
    Failed(CallFailure),
}

/// What an agent or a recording does besides speaking, as logged.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the events, which say what they mean")]
pub enum Did {
    /// It has used a tool of its own; the fields are those of `agent.tool`.
    Used { title: Text, sort: Text, status: Text, input: Option<Text>, result: Option<Text> },
    /// A warning for people about something wrong with its words.
    Warns(Text),
    /// The agent's plan; it replaces the one before.
    Plans(Vec<PlanStep>),
    /// It asks leave, and waits for [`Voice::answered`].
    Asks { request: u32, sort: Text, title: Text, input: Option<Text> },
}

/// Why a call failed, and when it may be retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFailure {
    /// What decides whether the call is retried.
    pub class: ErrorClass,
    /// One sentence for people, untrusted.
    pub text: Text,
    /// Milliseconds the server asked to be left alone.
    pub retry_after_ms: Option<u64>,
    /// The tokens that are to be paid for all the same, where the server counted them.
    pub usage: Option<Usage>,
}

impl CallFailure {
    /// Returns a failure without a time for the retry.
    pub fn new(class: ErrorClass, text: impl Into<Text>) -> CallFailure {
        CallFailure { class, text: text.into(), retry_after_ms: None, usage: None }
    }
}

/// The end of a reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Done {
    /// The whole text, where it differs from the pieces or no pieces came; else the pieces are the text.
    pub text: Option<Text>,
    /// The reply as data; null where it is text alone.
    pub structured: Value,
    /// How the voice said it finished.
    pub finish: Option<Text>,
    /// Tokens used; none where the server reported none.
    pub usage: Option<Usage>,
    /// What it cost, if the voice knows that better than its seat's price does.
    pub cost: Option<Usd>,
    /// Parts of the answer that could not be read and were left out.
    pub skipped: u32,
    /// The tools that it asks for instead of an end.
    pub tools: Vec<ToolRequest>,
}

/// A call in progress; dropping it cancels the call.
pub type Speaking = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What gives a participant words: a model, a script, an agent, rehearsed lines.
pub trait Voice: Send + Sync {
    /// Answers one request by sending chunks, the last of which is `Done`, `Pass` or `Failed`.
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking;

    /// Takes the operator's answer to a request for leave of a call that runs.
    fn answered(&self, _call: CallId, _request: u32, _yes: bool) {}
}

/// Finds the voice of a participant.
pub trait Voices: Send + Sync {
    /// Returns the voice that speaks for a participant, or why it has none.
    ///
    /// # Errors
    /// A sentence for people, when this program has no such voice.
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, String>;

    /// Completes a seat that a command makes with what is known of its voice.
    ///
    /// # Errors
    /// A sentence for people, when no voice can speak for it.
    fn seat(&self, _: &mut Participant) -> Result<(), String> {
        Ok(())
    }
}

/// The channel for a voice's chunks, and its clock.
#[derive(Clone)]
pub struct Out {
    call: CallId,
    tx: mpsc::Sender<(CallId, Chunk)>,
    clock: Clock,
}

impl Out {
    /// Returns the way back of one call.
    pub fn new(call: CallId, tx: mpsc::Sender<(CallId, Chunk)>, clock: Clock) -> Out {
        Out { call, tx, clock }
    }

    /// Hands in a chunk; waits while the engine cannot take it.
    pub async fn send(&self, chunk: Chunk) {
        // a closed channel means that the engine is gone, and with it the need for words
        if let Ok(place) = self.tx.reserve().await {
            self.clock.sent();
            place.send((self.call, chunk));
        }
    }

    /// Returns the session's clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Sleeps on the session's clock, for `ms` milliseconds.
    pub async fn wait(&self, ms: u64) {
        self.clock.sleep(self.call, ms).await;
    }
}

/// A pause before the first word, in words, as people breathe.
pub(crate) const BREATH_WORDS: u64 = 6;

/// Sends what is known of a reply word by word, at the pace of rehearsed lines.
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
