//! Identity of a model request in a test: everything that the reply may depend on, and the position of the reply in its
//! run.

use super::super::calls::shown;
use crate::model::tool::ToolSource;
use crate::model::{ModelSpec, Tool, VoiceSpec};
use crate::text::hex;
use crate::untrusted;
use crate::voice::{CallRequest, http};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write};
use std::path::Path;

/// Replacement for volatile parts of a prompt.
const VOLATILE: &str = "…";
/// Hexadecimal digits of a digest: 128 bits.
const DIGITS: usize = 32;

/// Position of a reply in a test. Runs, votes and turns have different positions, even if their prompts are equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReplyPlace {
    /// Id of a participant, or the judge of an expectation.
    pub who: String,
    /// Purpose: `speak`, `vote`, `judge`.
    pub purpose: String,
    /// Number of the run, from 1.
    pub run: u32,
    /// Number of the turn or vote, from 1.
    pub turn: usize,
    /// Number of the reply in that turn, from 1: a model that calls tools replies several times.
    pub reply: usize,
}

impl fmt::Display for ReplyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} {}",
            self.who,
            if self.purpose == "speak" { "turn" } else { &self.purpose },
            self.turn
        )?;
        if self.reply > 1 {
            write!(f, ", reply {}", self.reply)?;
        }
        if self.run > 1 {
            // numbered as `run` in conditions
            write!(f, ", run == {}", self.run - 1)?;
        }
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub struct ModelRequest {
    /// Position of the requested reply.
    pub place: ReplyPlace,
    /// Model as `provider:name`.
    pub model: String,
    /// Messages as text, without volatile parts.
    pub prompt: String,
    /// Digest of everything that the reply depends on, except the address.
    pub digest: String,
}

impl ModelRequest {
    /// Returns the request of a call; parts of the prompt that match `ignored` do not count, and `folder` has the
    /// scripts of its tools.
    pub fn new(
        ask: &CallRequest,
        model: &str,
        place: ReplyPlace,
        ignored: &[Regex],
        folder: &Path,
    ) -> ModelRequest {
        let plain = |text: &str| {
            let replaced =
                |text: String, part: &Regex| part.replace_all(&text, VOLATILE).into_owned();
            ignored.iter().fold(text.to_owned(), replaced)
        };
        let mut prompt = String::new();
        for message in &ask.messages {
            let role = message.role.as_str();
            // writing to a string cannot fail
            let _ = writeln!(prompt, "## {role}\n{}\n", plain(&message.text));
        }
        let mut asked = Value::Null;
        match &ask.seat.voice {
            VoiceSpec::Http(spec) => {
                prompt = plain(&http::preview(spec, ask));
                asked = json!({"reply": spec.reply, "tools": spec.tools});
            }
            VoiceSpec::Agent(spec) => {
                prompt = plain(&shown(&ask.prompt));
                asked = json!(spec);
            }
            _ => {}
        }
        let settings = ask.seat.voice.as_model().map_or_else(ModelSpec::default, |spec| {
            ModelSpec { name: model.into(), fallbacks: vec![], ..spec.clone() }
        });
        let mut all = json!({
            "place": place,
            "settings": settings,
            "max_tokens": ask.parameters.max_tokens,
            "prompt": prompt,
            "form": ask.form,
            "tools": ask.tools,
            "rounds": ask.prompt.tools,
            "scripts": ask.tools.iter().map(|tool| scripts(tool, folder)).collect::<Vec<_>>(),
        });
        if !asked.is_null() {
            all["asked"] = asked;
        }
        ModelRequest {
            place,
            model: model.to_owned(),
            prompt,
            digest: digest(all.to_string().as_bytes()),
        }
    }
}

/// Returns digests of the files in a tool's command: a changed script counts as another tool.
fn scripts(tool: &Tool, folder: &Path) -> Value {
    let ToolSource::Script(command) = &tool.source else { return Value::Null };
    let file = |part: &str| untrusted::read(&folder.join(part)).ok().map(|bytes| digest(&bytes));
    command.iter().map(|part| file(part)).collect::<Vec<_>>().into()
}

fn digest(bytes: &[u8]) -> String {
    let hex = hex(&Sha256::digest(bytes));
    hex.get(..DIGITS).unwrap_or(&hex).to_owned()
}
