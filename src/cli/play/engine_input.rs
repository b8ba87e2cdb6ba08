//! The path of the operator's commands from a reader to the engine.

use crate::engine::Input;
use crate::model::{Key, SteerLine};
use std::future::pending;
use tokio::sync::mpsc;

/// The most commands that wait for the engine; nobody types faster than that.
pub const COMMANDS_WAITING: usize = 64;

/// Hands commands to the engine, whose input stays open as long as the reader is there.
pub async fn hand_over(mut given: mpsc::Receiver<(Key, SteerLine)>, inputs: mpsc::Sender<Input>) {
    while let Some((key, line)) = given.recv().await {
        // an engine that is done has no use for commands; the reader shows that it ended
        let _ = inputs.send(Input::Command { key, line }).await;
    }
    pending().await
}
