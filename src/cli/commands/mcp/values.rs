//! Types of values from clients. None can be a file, `-` or a path; the limits of each are in its schema.
//!
//! Each argument is parsed into one of these types before it is used. Command-line options that give `-` or a path a
//! meaning are never built from a client's text.

use crate::cli::args::Topic;
use crate::cli::models::minds::Mind;
use crate::model::Text;
use schemars::JsonSchema;
use serde::Deserialize;
use std::fmt;

/// Seconds that one call waits at most.
pub const WAIT_MAX: u64 = 3_600;
/// Maximum number of sessions in a list.
pub const LISTED_MAX: usize = 200;
/// Bytes of a text.
const TEXT_MAX: usize = 64 << 10;
/// Bytes of a name, a role or a key.
const NAME_MAX: usize = 200;
/// Characters that open something in a template.
const TEMPLATES: [&str; 3] = ["{{", "{%", "{#"];

/// Words for people and models: a topic, a persona, a remark. They are never read as an option.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(description = "", extend("maxLength" = TEXT_MAX))]
pub struct ClientText(String);

/// A name or a role: one line, without templates.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(description = "", extend("maxLength" = NAME_MAX))]
pub struct GivenName(String);

/// Words for models, as `claude`, `PROVIDER:NAME` or a list with commas; never an agent and never a recording, which are a
/// program and a file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(description = "", extend("maxLength" = NAME_MAX))]
pub struct ModelName(String);

impl TryFrom<String> for ClientText {
    type Error = String;

    fn try_from(text: String) -> Result<ClientText, String> {
        at_most(&text, TEXT_MAX)?;
        if text.contains('\0') {
            return Err("a text contains a NUL character".into());
        }
        Ok(ClientText(text))
    }
}

impl TryFrom<String> for GivenName {
    type Error = String;

    fn try_from(name: String) -> Result<GivenName, String> {
        at_most(&name, NAME_MAX)?;
        if name.chars().any(char::is_control) {
            return Err("a name is a single line without control characters".into());
        }
        without_templates(&name)?;
        Ok(GivenName(name))
    }
}

impl TryFrom<String> for ModelName {
    type Error = String;

    fn try_from(name: String) -> Result<ModelName, String> {
        at_most(&name, NAME_MAX)?;
        let plain = name.chars().all(|c| c.is_ascii_graphic());
        let minds = Mind::list(&name);
        if !plain || minds.is_empty() || minds.iter().any(|mind| mind.word.is_empty()) {
            return Err("a model is a word such as claude, or PROVIDER:NAME".into());
        }
        let is_refused = |mind: &Mind| {
            matches!(mind.word.split_once(':'), Some(("agent" | "recording", _)))
                || mind.word.starts_with(':')
                || mind.word.ends_with(':')
        };
        if minds.iter().any(is_refused) {
            return Err(format!("the model {name} is not allowed for MCP clients"));
        }
        Ok(ModelName(name))
    }
}

fn at_most(text: &str, most: usize) -> Result<(), String> {
    if text.len() > most {
        return Err(format!("a value is longer than {most} bytes"));
    }
    Ok(())
}

impl ClientText {
    /// Refuses text that would be filled in as a template: those belong to scenarios of the user.
    pub fn plain(&self) -> Result<&str, String> {
        without_templates(&self.0).map(|()| &*self.0)
    }
}

fn without_templates(text: &str) -> Result<(), String> {
    if TEMPLATES.iter().any(|opens| text.contains(opens)) {
        return Err("a cast holds no templates ({{, {% or {#)".into());
    }
    Ok(())
}

impl From<ClientText> for Topic {
    fn from(text: ClientText) -> Topic {
        Topic::Text(text.0)
    }
}

impl From<ClientText> for Text {
    fn from(text: ClientText) -> Text {
        text.0.into()
    }
}

impl fmt::Display for ClientText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl GivenName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ModelName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_never_a_program_or_a_file() {
        for name in [
            "",
            ":",
            "a:",
            ":b",
            ",",
            "Ada=",
            "agent:opencode",
            "x,Ada=agent:y",
            "recording:x",
            "a:b c",
            "a:\n",
            "ä:b",
        ] {
            ModelName::try_from(name.to_owned()).unwrap_err();
        }
        for name in ["ollama:llama3:8b", "claude", "Ada=claude,gpt"] {
            assert_eq!(ModelName::try_from(name.to_owned()).unwrap().as_str(), name);
        }
    }
}
