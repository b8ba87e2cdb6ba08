//! Forwards the operator's commands from a reader to the engine.

use crate::engine::Input;
use crate::model::{Key, SteerLine};
use std::future::pending;
use tokio::sync::mpsc;

/// Maximum number of commands queued for the engine; nobody types faster than that.
pub const COMMANDS_WAITING: usize = 64;

/// Forwards commands to the engine. Never returns, so that the engine's input stays open as long as the reader exists.
pub async fn hand_over(mut given: mpsc::Receiver<(Key, SteerLine)>, inputs: mpsc::Sender<Input>) {
    while let Some((key, line)) = given.recv().await {
        // a finished engine ignores commands; the reader shows that the conversation ended
        let _ = inputs.send(Input::Command { key, line }).await;
    }
    pending().await
}
