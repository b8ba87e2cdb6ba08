//! The exact prompt of a turn, rebuilt from the log as of the call and compared with the digest logged for the call.
//!
//! The prompt is rebuilt by the code that built it originally. If the result differs, the page reports it.

use crate::model::payload::{CallParameters, CallStarted};
use crate::model::tool::ToolRun;
use crate::model::*;
use crate::state::{State, Turn};
use crate::ui::view::page::{Page, Section};
use crate::ui::view::transcript::{RowView, Transcript};
use crate::{prompt, text};
use serde_json::Value;
use std::ops::ControlFlow;

/// Number of digits shown of a digest, enough to distinguish two of them.
const DIGITS: usize = 16;

/// Returns the page with the prompt of a row's speaker.
///
/// # Errors
/// The reason why the prompt does not exist.
pub fn prompt_of(transcript: &Transcript, at: usize) -> Result<Page, &'static str> {
    let turn = match transcript.shown(at) {
        Some(RowView::Speaking(turn)) => turn.id,
        Some(RowView::Words(entry, _)) if entry.seat().is_none() || entry.is_spoken_as() => {
            return Err("you wrote this; there is no prompt");
        }
        Some(RowView::Words(entry, _)) => match entry.version().turn {
            Some(turn) => turn,
            None => return Err("no model was called for this message"),
        },
        Some(RowView::Aside(..)) | None => return Err("this is not a turn"),
    };
    let (Some((seq, call)), _) = transcript.call_of(turn) else {
        return Err("no model was called for this turn yet");
    };
    let state = transcript.state_at(seq);
    match state.turns.get(&turn) {
        Some(turn) => {
            let mut page = page(&state, turn, &call);
            page.parts.extend(used(transcript, turn.id));
            Ok(page)
        }
        None => Err("the log lacks the start of this turn"),
    }
}

fn page(state: &State, turn: &Turn, call: &CallStarted) -> Page {
    let prompt = prompt::build(state, turn);
    let name = text::name(state.seat(&turn.seat).map_or(&*turn.seat, |s| &*s.spec.name));
    let again = prompt::digest(&prompt);
    let same = again == call.digest;
    let other = call.wording != prompt::WORDING;
    let short = |digest: &str| digest.chars().take(DIGITS).collect::<String>();
    let mut facts = vec![("model", text::name(&call.model).into_owned())];
    let parameters = parameters(&call.parameters);
    facts.extend((!parameters.is_empty()).then_some(("settings", parameters)));
    facts.push((
        "SHA",
        match (same, other) {
            (true, _) => format!("{}, verified against the log", short(&call.digest)),
            (false, true) => {
                format!("{}, not compared: written by another version", short(&call.digest))
            }
            (false, false) => short(&call.digest),
        },
    ));
    let left_out = match prompt.left_out {
        0 => String::new(),
        n => format!(", {n} left out (context window full)"),
    };
    let blocks = text::plural(prompt.blocks.len(), "earlier turn");
    facts.push(("context", format!("{blocks}{left_out}")));
    facts.extend((!prompt.notes.is_empty()).then(|| ("notes", prompt.notes.len().to_string())));
    let offered = state.tools_offered(turn).iter().map(|tool| text::name(&tool.name));
    let offered: Vec<_> = offered.collect();
    facts.extend((!offered.is_empty()).then(|| ("tools", offered.join(", "))));
    let mut parts = Vec::new();
    if other && !same {
        parts.push(Section {
            head: "OTHER PROMPT TEXTS".into(),
            body: "Another version of the program built this prompt, with other texts. Below is what this version would \
                   send."
                .into(),
            ..Section::default()
        });
    } else if !same {
        parts.push(Section {
            head: "PROMPT MISMATCH".into(),
            body: format!(
                "Rebuilding it from the log gives a different hash ({}): the file was edited. Below is what this version \
                 would send.",
                short(&again)
            ),
            warns: true,
            ..Section::default()
        });
    }
    parts.extend(prompt::messages(&prompt).into_iter().map(|message| Section {
        head: match message.role {
            Role::System => "SYSTEM".into(),
            Role::User => "USER".into(),
            Role::Assistant => "ASSISTANT (own turns)".into(),
        },
        body: message.text,
        ..Section::default()
    }));
    if prompt.text_tools.is_none() {
        parts.extend(prompt.tools.iter().flat_map(called));
    }
    let title = match turn.number {
        Some(number) => format!("Prompt for turn {number} ({name})"),
        None => format!("Prompt for {name}"),
    };
    Page { title, facts, parts, ..Page::default() }
}

/// Returns the tools that an agent used in a turn, with their complete input and result from the log.
fn used(transcript: &Transcript, of: TurnId) -> Vec<Section> {
    let mut parts = vec![];
    transcript.events(Seq(of.0), &mut |event| {
        match &event.kind {
            Kind::AgentTool(tool) if tool.turn == of => {
                let texts = [tool.input.clone(), tool.result.clone()];
                let body: Vec<String> = texts.iter().flatten().map(ToString::to_string).collect();
                let head = format!("TOOL ({}, {}): {}", tool.sort, tool.status, tool.title);
                parts.push(Section {
                    head: text::label(&head).into_owned(),
                    body: body.join("\n"),
                    ..Section::default()
                });
            }
            Kind::TurnEnded(end) if end.turn == of => return ControlFlow::Break(()),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    parts
}

/// Returns the tool requests of one round, and the results that the model received.
fn called(round: &ToolRound) -> [Section; 2] {
    let line = |run: &ToolRun| format!("{} {}", run.request.tool, run.request.arguments);
    let back = |run: &ToolRun| {
        let (is, result) = run.returned.clone().unwrap_or_default();
        format!("{} {}:\n{result}", run.request.tool, is.as_str())
    };
    let said = Some(round.said.trim_end().to_owned()).filter(|said| !said.is_empty());
    let asked: Vec<String> = said.into_iter().chain(round.runs.iter().map(line)).collect();
    let results: Vec<String> = round.runs.iter().map(back).collect();
    [("ASSISTANT (tool requests)", asked.join("\n")), ("TOOL RESULTS", results.join("\n"))]
        .map(|(head, body)| Section { head: head.into(), body, ..Section::default() })
}

/// Formats call parameters for display.
fn parameters(parameters: &CallParameters) -> String {
    let Ok(Value::Object(map)) = serde_json::to_value(parameters) else { return String::new() };
    let each = map.iter().map(|(key, value)| format!("{} {value}", key.replace('_', " ")));
    each.collect::<Vec<_>>().join(", ")
}
