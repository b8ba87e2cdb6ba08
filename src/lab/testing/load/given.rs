//! Resolution of `[[given]]`: messages and tool calls before the start of a test.
//!
//! A message alone is spoken in a participant's name. Tool calls need a turn: the participant gets the floor, and the
//! calls, their results and the message come from the test.

use super::cases::Case;
use super::tools;
use crate::model::{Command, Key, Participant, SeatId, SteerLine, Trigger};
use crate::scenario::{At, Loaded, Walk};
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
pub fn given(walk: &mut Walk<'_>, root: &At<'_>, loaded: &Loaded, case: &Case) -> GivenBefore {
    let mut given = GivenBefore::default();
    let mut spoken = 0;
    for (i, at) in root.list("given").enumerate() {
        let Some(id) = at.word("who") else { continue };
        let seat = loaded.participants.iter().find(|p| p.id == *id);
        if seat.is_none() && id != OPERATOR {
            let message = format!("the scenario has no participant `{id}`");
            walk.fault(&at.place("who"), message, "name a participant, or operator");
            continue;
        }
        let text = match at.word("text").map(|text| case.fill(text)).transpose() {
            Ok(text) => text,
            Err(why) => {
                walk.fault(&at.place("text"), why, VARIABLE);
                continue;
            }
        };
        let after = (spoken > 0).then_some(Trigger::After { utterance: spoken });
        let mut add = |name: &str, command: Command| {
            let line = SteerLine { trigger: after.clone(), ..command.into() };
            given.steer.push((Key::from(format!("given:{}{name}", i + 1)), line));
        };
        match (at.get("tool_calls"), seat, text) {
            (None, Some(seat), Some(text)) => {
                add("", Command::SpeakAs { text: text.into(), who: seat.id.clone() });
            }
            (None, None, Some(text)) => {
                add("", Command::Say { text: text.into(), re: None, material: None })
            }
            (None, _, None) => {
                walk.fault(&at, "says nothing", r#"as in text = "Tea.""#);
            }
            (Some(calls), None, _) => {
                let fix = "name the participant that called the tools";
                let calls = At { path: at.path, ..calls };
                walk.fault(&calls, "gives tool calls to the operator", fix);
            }
            (Some(calls), Some(seat), text) => {
                let calls = tools::returned(walk, &calls, seat, case);
                for call in calls.iter().filter(|call| !reads_only(seat, &call.request.tool)) {
                    let tool = call.request.tool.clone();
                    add(&format!(":{tool}"), Command::Decide { tool, yes: true, once: true });
                }
                add("", Command::Floor { to: seat.id.clone() });
                spoken += u32::from(text.is_some());
                let turns = given.turns.entry(seat.id.clone()).or_default();
                if turns.last().is_some_and(|turn| turn.text.is_none()) {
                    let here = At { path: at.place("tool_calls").path, ..at };
                    let message = "follows tool calls without a text";
                    walk.fault(&here, message, "give those calls a text");
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
