//! Resolves lists of names into participants.

use super::check::Walk;
use super::tree::{Node, quote, texts};
use crate::model::near::nearest;
use crate::model::{Participant, Text};

/// Prefix of an excluded name.
pub(super) const ALL_BUT: &str = "all but ";

/// Resolves `all`, `all but NAME`, and names of participants and roles into ids, in the order of the names; a role
/// gives its participants in their order.
pub(super) fn who_of(
    walk: &mut Walk<'_>,
    node: &Node,
    seats: &[Participant],
    path: &str,
) -> Vec<Text> {
    let mut ids: Vec<Text> = vec![];
    for name in texts(node) {
        let (wanted, but) = match name.strip_prefix(ALL_BUT) {
            Some(rest) => (rest.trim(), true),
            None => (&*name, false),
        };
        let named = |s: &Participant| &*s.id == wanted || s.role.as_deref() == Some(wanted);
        if wanted != "all" && !seats.iter().any(named) {
            let known = || {
                let roles = seats.iter().filter_map(|s| s.role.as_deref());
                seats.iter().map(|s| &*s.id).chain(roles)
            };
            let fix = match nearest(wanted, known()) {
                Some(near) => format!("the nearest is `{near}`"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            let message = format!("no participant or role {}", quote(wanted));
            walk.fault(&node.span, path, message, fix);
            return vec![];
        }
        for seat in seats {
            let meant = if wanted == "all" {
                seat.speaks
            } else {
                named(seat) != but && (!but || seat.speaks)
            };
            if meant && !ids.contains(&seat.id.0) {
                ids.push(seat.id.0.clone());
            }
        }
    }
    if ids.is_empty() && !seats.is_empty() {
        walk.fault(&node.span, path, "leaves no one", r#"name a participant, or use "all""#);
    }
    ids
}
