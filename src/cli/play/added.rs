//! The voice of a seat whose program no trusted file names: the operator is asked before each of its turns, as for the
//! tools of an agent.

use crate::model::agent::START;
use crate::model::{CallId, ErrorClass, Text};
use crate::voice::{CallFailure, CallRequest, Chunk, Did, Out, Speaking, Voice};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::oneshot;

/// Number of the request to start the program. The requests of an agent are counted from 1.
const REQUEST: u32 = 0;

/// A voice that speaks in one call, if the operator allows it.
pub struct AddedVoice {
    voice: Arc<dyn Voice>,
    /// The program and its consequences, for the operator.
    would: Text,
    answer: Mutex<Option<oneshot::Sender<bool>>>,
}

impl AddedVoice {
    /// Wraps a voice whose program has not been started.
    pub fn new(voice: Arc<dyn Voice>, would: Text) -> AddedVoice {
        AddedVoice { voice, would, answer: Mutex::default() }
    }
}

impl Voice for AddedVoice {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let (answer, answered) = oneshot::channel();
        *self.answer.lock() = Some(answer);
        let voice = self.voice.clone();
        let would = self.would.clone();
        Box::pin(async move {
            let sort = START.into();
            let title = would.clone();
            out.send(Chunk::Did(Did::Asks { request: REQUEST, sort, title, input: None })).await;
            if answered.await == Ok(true) {
                return voice.speak(ask, out).await;
            }
            let why = format!("not allowed: {would}");
            out.send(Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why))).await;
        })
    }

    fn answered(&self, call: CallId, request: u32, yes: bool) {
        if request != REQUEST {
            return self.voice.answered(call, request, yes);
        }
        if let Some(answer) = self.answer.lock().take() {
            // a call that was cancelled needs no answer
            let _ = answer.send(yes);
        }
    }
}
