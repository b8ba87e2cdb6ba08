//! A call of a tool, and what the arguments of several tools have in common.

use super::jobs::Jobs;
use super::open::Interest;
use crate::cli::context::Context;
use rmcp::model::JsonObject;
use schemars::Schema;
use serde_json::{Map, Value};

/// Seconds that one call waits at most.
pub const WAIT_MAX: u64 = 3_600;

/// A call of a tool.
pub struct ToolCall<'a> {
    /// The conversations that were started here.
    pub jobs: &'a Jobs,
    /// Folders and settings.
    pub context: &'a Context,
    /// The arguments as the client sent them.
    pub arguments: &'a JsonObject,
    /// True if the caller takes the conversation as a task, so that the call does not wait for its end.
    pub as_task: bool,
    /// Passes on the number of turns; returns whether the caller still waits.
    pub tell: &'a dyn Fn(u32) -> Interest,
}

/// Removes the descriptions of arguments that another tool describes.
pub fn undescribed(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        property.as_object_mut().map(|property| property.shift_remove("description"));
    }
}
