//! Acts as requests in a prompt.

use crate::escape::attribute;
use crate::model::{ActKind, TurnAct};
use crate::state::State;

/// Request to speak against an agreement.
const DOUBT: &str = "Your numbers nearly agree. Who pays for that and is not here? Speak for them, against it; your last line stays your own.";
/// Request to look for the way in which the own proposal fails.
const PREMORTEM: &str =
    "Suppose you get your way and it goes wrong within a year: say how, and who pays.";

/// Returns an act as a request; `None` if its participant is not known.
pub(super) fn request(state: &State, act: &TurnAct) -> Option<String> {
    Some(match (act.kind, &act.to) {
        (ActKind::Question, to) => {
            let to = to.as_ref()?;
            let name = state.seat(to).map_or(&to.0, |seat| &seat.spec.name);
            format!("Put one question to {} whose answer could make you wrong.", attribute(name))
        }
        (ActKind::Case, _) => "Tell a case that nobody has told.".to_owned(),
        (ActKind::Cost, _) => "Say what your own proposal costs, and whom.".to_owned(),
        (ActKind::Concession, _) => {
            "Say what you would give up, and what you want for it.".to_owned()
        }
        (ActKind::Doubt, _) => DOUBT.to_owned(),
        (ActKind::Premortem, _) => PREMORTEM.to_owned(),
    })
}
