//! Checks the context keys in conditions against the participants' reply forms.
//!
//! A condition on a key that nothing writes is always false. Forms name the keys they write; a participant without a
//! form may write any, and then only a near miss of a known key is reported.

use super::check::Walk;
use super::fault::Gravity;
use super::tree::At;
use crate::expr::keys;
use crate::model::near::nearest;
use crate::model::{Form, Participant};
use serde_json::Value;

/// Name whose keys are checked.
const CONTEXT: &str = "context";
/// Key of the markers in a reply.
const MARKERS: &str = "markers";

/// Warns of keys that no participant's form has.
pub(super) fn check(walk: &mut Walk<'_>, root: &At<'_>, seats: &[Participant]) {
    let forms = || seats.iter().map(|s| &s.reply.form);
    if !forms().any(|form| matches!(form, Form::Schema(_))) {
        return;
    }
    let any_reply = forms().any(|form| match form {
        Form::Schema(schema) => schema.get("properties").is_none(),
        Form::Free => true,
        _ => false,
    });
    let ids = seats.iter().map(|s| s.id.to_string());
    let own = seats.iter().filter_map(|s| s.runs.state_key.as_ref()).map(|key| key.to_string());
    let known: Vec<String> = forms().flat_map(written).chain(ids).chain(own).collect();
    for at in conditions(root) {
        let source = at.text();
        for (key, column) in keys(source, CONTEXT) {
            let near = nearest(key, known.iter().map(String::as_str));
            if known.iter().any(|k| k == key) || (any_reply && near.is_none()) {
                continue;
            }
            let span = walk.within(at.span, source, column);
            let fix = match near {
                Some(near) => format!("the nearest is `{near}`"),
                None => format!("there are {}", known.join(", ")),
            };
            let message = format!("no participant's reply schema has a key `{key}`");
            walk.report(Gravity::Warning, &span, &at.path, message, fix);
        }
    }
}

/// Returns the keys that replies of a form write.
fn written(form: &Form) -> Vec<String> {
    match form {
        Form::Schema(schema) => {
            let properties = schema.get("properties").and_then(Value::as_object);
            properties.map(|p| p.keys().cloned().collect()).unwrap_or_default()
        }
        Form::Markers(_) => vec![MARKERS.to_owned()],
        Form::Choice(_) | Form::Ballot { .. } => ["choice", "why"].map(str::to_owned).to_vec(),
        Form::Answer { .. } => ["answer", "confidence"].map(str::to_owned).to_vec(),
        Form::Ranking { .. } => vec!["ranking".to_owned()],
        Form::Scores(_) => vec!["scores".to_owned()],
        _ => vec![],
    }
}

/// Returns the conditions over the whole conversation.
fn conditions<'n>(root: &At<'n>) -> impl Iterator<Item = At<'n>> {
    let phases = root.list("phase").flat_map(|phase| [phase.get("until"), phase.get("when")]);
    let after = root.list("participant").flat_map(|seat| seat.list("after"));
    let others = root.list("stop").chain(after).map(|at| at.get("when"));
    others.chain(phases).flatten()
}
