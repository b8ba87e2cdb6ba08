//! Resolves lists of names into participants.

use super::check::Walk;
use super::tree::{At, quote, texts};
use crate::model::near::nearest;
use crate::model::{SeatId, Text};

/// Prefix of an excluded name.
pub(super) const ALL_BUT: &str = "all but ";

/// A participant, as the other parts of a file name it.
#[derive(Clone, Debug)]
pub(super) struct NamedSeat {
    pub id: SeatId,
    /// Its first role.
    pub role: Option<Text>,
    /// True if it takes turns.
    pub speaks: bool,
}

/// Returns the ids of all members that take turns.
pub(super) fn speakers(members: &[NamedSeat]) -> Vec<Text> {
    members.iter().filter(|m| m.speaks).map(|m| m.id.0.clone()).collect()
}

/// Resolves `all`, `all but NAME`, and names of participants and roles into ids, in the order of the names; a role
/// gives its participants in their order.
pub(super) fn who_of(walk: &mut Walk<'_>, at: &At<'_>, members: &[NamedSeat]) -> Vec<Text> {
    let mut ids: Vec<Text> = vec![];
    for name in texts(at.node) {
        let (wanted, but) = match name.strip_prefix(ALL_BUT) {
            Some(rest) => (rest.trim(), true),
            None => (&*name, false),
        };
        let matches = |m: &NamedSeat| &*m.id == wanted || m.role.as_deref() == Some(wanted);
        if wanted != "all" && !members.iter().any(matches) {
            let known = || {
                let roles = members.iter().filter_map(|m| m.role.as_deref());
                members.iter().map(|m| &*m.id).chain(roles)
            };
            let fix = match nearest(wanted, known()) {
                Some(near) => format!("the nearest is `{near}`"),
                None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
            };
            walk.fault(at, format!("no participant or role {}", quote(wanted)), fix);
            return vec![];
        }
        for member in members {
            let meant = if wanted == "all" {
                member.speaks
            } else {
                matches(member) != but && (!but || member.speaks)
            };
            if meant && !ids.contains(&member.id.0) {
                ids.push(member.id.0.clone());
            }
        }
    }
    if ids.is_empty() && !members.is_empty() {
        walk.fault(at, "leaves no one", r#"name a participant, or use "all""#);
    }
    ids
}

/// Resolves the id of one participant.
pub(super) fn seat_of(walk: &mut Walk<'_>, at: &At<'_>, members: &[NamedSeat]) -> Text {
    let id = at.text();
    if !members.iter().any(|m| m.id == *id) {
        let known: Vec<&str> = members.iter().map(|m| &*m.id).collect();
        let fix = format!("the participants are {}", known.join(", "));
        walk.fault(at, format!("no participant {}", quote(id)), fix);
    }
    id.into()
}
