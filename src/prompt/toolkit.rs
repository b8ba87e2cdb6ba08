//! The tools as part of the prompt, for models that cannot call them: which there are, and how to ask for one.

use super::messages::quoted;
use crate::model::tool::REQUEST_TAG;
use crate::model::{Text, VoiceSpec};
use crate::state::{State, Turn};
use serde_json::json;

/// Returns the list of a turn's tools; none if its model can call tools or has none, empty once it may ask for no more.
pub(super) fn in_words(state: &State, turn: &Turn) -> Option<Text> {
    let seat = &state.seat(&turn.seat)?.spec;
    let model = matches!(seat.voice, VoiceSpec::Model(_));
    if !(seat.text_tools && model && turn.speaks()) || seat.tools.is_empty() {
        return None;
    }
    let offered = state.tools_offered(turn);
    if offered.is_empty() {
        return Some("".into());
    }
    let mut words = String::from("You can use these tools:\n");
    for tool in offered {
        let about = quoted(tool.description.trim());
        let arguments = quoted(&tool.parameters.to_string());
        words.push_str(&format!("\n- {}: {about} Arguments (JSON Schema): {arguments}", tool.name));
    }
    let example = json!({"name": offered.first().map(|tool| &tool.name), "arguments": {}});
    words.push_str(&format!(
        "\n\nTo use a tool, end your reply with a request of this form, one for each use, and nothing after it:\n\
         <{REQUEST_TAG}>{example}</{REQUEST_TAG}>\nThen you receive the results and go on. Otherwise reply as usual."
    ));
    Some(words.into())
}
