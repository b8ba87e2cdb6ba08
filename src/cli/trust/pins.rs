//! Pins the tools that servers offered at their first use: a change of names, descriptions or schemas is shown and
//! needs consent before a model sees it. A resumed session is checked against the offer in its own log.
//!
//! The pins are kept on the user's side, in one file of the state folder. If it cannot be read, all servers are
//! rejected.

use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::private_file::write_private;
use crate::cli::trust::allowed::{Consent, agreed};
use crate::model::{Text, Tool, ToolServer};
use crate::settings::make_private;
use crate::text;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Name of the pin file in the state folder.
const FILE: &str = "tools.json";
/// Maximum number of characters shown of a tool's difference.
const SHOWN_MAX: usize = 300;

/// Pinned offers by server.
type Pins = BTreeMap<String, Offer>;
/// Tools of a server: name to description and schema.
type Offer = BTreeMap<Text, (Text, Value)>;

/// Compares the offer of a server with its pin; a new or accepted offer becomes the pin.
///
/// # Errors
/// If the tools changed without consent, or if the pins cannot be read or written.
pub fn check(
    server: &ToolServer,
    folder: &Path,
    offered: &[Tool],
    consent: Consent,
    context: &Context,
) -> Result<(), Failure> {
    let path = context.paths.state.join(FILE);
    let broken = |why: String| {
        Failure::new(
            Exit::Invalid,
            format!("cannot read the pins of tool servers {}: {why}", path.display()),
        )
        .hint("review the tools of the servers, then delete this file")
    };
    let mut pins: Pins = match fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| broken(e.to_string()))?,
        Err(e) if e.kind() == ErrorKind::NotFound => Pins::new(),
        Err(e) => return Err(broken(e.to_string())),
    };
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let place = server.place.agreed().join(" ");
    let key = format!("{} {place} in {}", server.name, folder.display());
    let now = offer(offered);
    if let Some(before) = pins.get(&key) {
        let changed = differences(before, &now);
        if changed.is_empty() {
            return Ok(());
        }
        let title = format!("the tool server {} changed its tools", server.name);
        accept(&title, &changed, consent, context)?;
    } else {
        let first = describe(&now).join("\n");
        context
            .report(&format!("tools of {}, used here for the first time:\n{first}", server.name));
    }
    pins.insert(key, now);
    let kept = make_private(&context.paths.state).map_err(|e| e.to_string());
    let words = serde_json::to_string(&pins).unwrap_or_default();
    kept.and_then(|()| write_private(&path, &words).map_err(|e| e.to_string())).map_err(|e| {
        Failure::new(Exit::Session, format!("cannot save the pins in {}: {e}", path.display()))
    })
}

/// Compares the offer of a server with its tools in a session, which the models continue to see.
///
/// # Errors
/// If a tool is gone or has changed, and nobody consents.
pub fn check_session(
    server: &Text,
    had: &[Tool],
    offered: &[Tool],
    consent: Consent,
    context: &Context,
) -> Result<(), Failure> {
    let before = offer(had);
    let mut now = offer(offered);
    now.retain(|name, _| before.contains_key(name));
    let changed = differences(&before, &now);
    if changed.is_empty() {
        return Ok(());
    }
    let title = format!("the tool server {server} changed its tools since the session began");
    accept(&title, &changed, consent, context)
}

fn offer(tools: &[Tool]) -> Offer {
    let about = |tool: &Tool| (tool.description.clone(), tool.parameters.clone());
    tools.iter().map(|tool| (tool.name.clone(), about(tool))).collect()
}

/// Shows changes to the operator, and rejects them without consent.
fn accept(
    title: &str,
    changed: &[String],
    consent: Consent,
    context: &Context,
) -> Result<(), Failure> {
    let message = format!("{title}:\n{}", changed.join("\n"));
    if !agreed(consent, &message, "Use these tools? [y/N] ") {
        return Err(Failure::new(Exit::Invalid, message)
            .hint("review the changes, then add --accept-changed-tools to use these tools"));
    }
    context.report(&message);
    Ok(())
}

/// Describes each tool with its arguments, a line each.
fn describe(offer: &Offer) -> Vec<String> {
    let line = |(name, (about, schema)): (&Text, &(Text, Value))| {
        format!("  {name}: {}; arguments {}", short(about), short(&schema.to_string()))
    };
    offer.iter().map(line).collect()
}

/// Returns the beginning of a text, on one line.
fn short(words: &str) -> String {
    text::line(words).chars().take(SHOWN_MAX).collect()
}

/// Returns what is different, a line each.
fn differences(before: &Offer, now: &Offer) -> Vec<String> {
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    let gone = gone.map(|name| format!("  - {name} (no longer offered)"));
    let other = now.iter().filter_map(|(name, (about, schema))| match before.get(name) {
        None => Some(format!("  + {name}: {}", short(about))),
        Some((old, _)) if old != about => {
            Some(format!("  ~ {name}: was {}; is {}", short(old), short(about)))
        }
        Some((_, old)) if old != schema => Some(format!(
            "  ~ {name}: arguments were {}; are {}",
            short(&old.to_string()),
            short(&schema.to_string())
        )),
        Some(_) => None,
    });
    gone.chain(other).collect()
}
