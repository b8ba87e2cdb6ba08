//! Resolution of `[[given]]`: messages and tool calls before the start of a test.
//!
//! A message alone is spoken in a participant's name. Tool calls need a turn: the participant gets the floor, and the
//! calls, their results and the message come from the test.

use super::cases::Case;
use super::tools;
use crate::model::{Command, Key, Participant, SeatId, SteerLine, Trigger};
use crate::scenario::{Loaded, Node, Walk, join};
use crate::testing::tools::GivenTurn;
use std::collections::BTreeMap;

/// Speaker of given messages in addition to the seats.
const OPERATOR: &str = "operator";
/// Hint for a fault in the variables of a case.
const VARIABLE: &str = "as in {{ case.n }}";

/// Messages and tool calls before the start.
#[derive(Default)]
pub struct GivenBefore {
    /// Commands that produce the messages and turns.
    pub steer: Vec<(Key, SteerLine)>,
    /// Turns with tool calls.
    pub turns: BTreeMap<SeatId, Vec<GivenTurn>>,
}

/// Resolves every `[[given]]` for one case.
pub fn given(walk: &mut Walk<'_>, root: &Node, loaded: &Loaded, case: &Case) -> GivenBefore {
    let mut given = GivenBefore::default();
    let mut spoken = 0;
    for (i, node) in root.get("given").map_or(&[][..], Node::items).iter().enumerate() {
        let path = format!("given[{}]", i + 1);
        let Some((who, id)) = node.get("who").and_then(|who| Some((who, who.text()?))) else {
            continue;
        };
        let seat = loaded.participants.iter().find(|p| p.id == *id);
        if seat.is_none() && id != OPERATOR {
            let message = format!("the scenario has no participant `{id}`");
            walk.fault(&who.span, &join(&path, "who"), message, "name a participant, or operator");
            continue;
        }
        let text = match node.get("text").and_then(|words| Some((words, words.text()?))) {
            Some((words, text)) => match case.fill(text) {
                Ok(text) => Some(text),
                Err(why) => {
                    walk.fault(&words.span, &join(&path, "text"), why, VARIABLE);
                    continue;
                }
            },
            None => None,
        };
        let after = (spoken > 0).then_some(Trigger::After { utterance: spoken });
        let mut add = |name: &str, command: Command| {
            let line = SteerLine { trigger: after.clone(), ..command.into() };
            given.steer.push((Key::from(format!("given:{}{name}", i + 1)), line));
        };
        match (node.get("tool_calls"), seat, text) {
            (None, Some(seat), Some(text)) => {
                add("", Command::SpeakAs { text: text.into(), who: seat.id.clone() });
            }
            (None, None, Some(text)) => {
                add("", Command::Say { text: text.into(), re: None, material: None })
            }
            (None, _, None) => {
                walk.fault(&node.span, &path, "says nothing", r#"as in text = "Tea.""#);
            }
            (Some(calls), None, _) => {
                let fix = "name the participant that called the tools";
                walk.fault(&calls.span, &path, "gives tool calls to the operator", fix);
            }
            (Some(calls), Some(seat), text) => {
                let path = join(&path, "tool_calls");
                let calls = tools::returned(walk, calls, &path, seat, case);
                for call in calls.iter().filter(|call| !reads_only(seat, &call.request.tool)) {
                    let tool = call.request.tool.clone();
                    add(&format!(":{tool}"), Command::Decide { tool, yes: true, once: true });
                }
                if text.is_some() {
                    add("", Command::Floor { to: seat.id.clone() });
                    spoken += 1;
                }
                let turns = given.turns.entry(seat.id.clone()).or_default();
                if turns.last().is_some_and(|turn| turn.text.is_none()) {
                    let message = "follows tool calls without a text";
                    walk.fault(&node.span, &path, message, "give those calls a text");
                }
                turns.push(GivenTurn { calls, text: text.map(Into::into) });
            }
        }
    }
    given
}

fn reads_only(seat: &Participant, tool: &str) -> bool {
    seat.tools.iter().any(|known| *known.name == *tool && known.read_only)
}
