//! Sessions as a tree of branches.

use super::SessionSummary;

/// A session with its depth in the tree.
pub type Branch<'a> = (usize, &'a SessionSummary);

/// Returns every session with its depth, followed by its branches in the order of their starting points. A session
/// without its parent is a root.
pub fn tree(all: &[SessionSummary]) -> Vec<Branch<'_>> {
    let known = |id: &String| all.iter().any(|s| s.id == *id);
    let parent = |s: &SessionSummary| s.parent.as_ref().map(|(id, _)| id.clone());
    let is_root = |s: &&SessionSummary| parent(s).is_none_or(|id| !known(&id) || id == s.id);
    let mut rows = Vec::new();
    // sessions that name each other as parents form a cycle; they are listed nevertheless
    for root in all.iter().filter(is_root).chain(all) {
        if !is_in(&rows, root) {
            grow(all, root, 0, &mut rows);
        }
    }
    rows
}

/// Returns the part of the tree around a session: its ancestors and all their branches.
pub fn family<'a>(all: &'a [SessionSummary], id: &str) -> Vec<Branch<'a>> {
    let mut rows = tree(all);
    let Some(at) = rows.iter().position(|(_, s)| s.id == id) else { return vec![] };
    let is_root = |(depth, _): &Branch<'_>| *depth == 0;
    let root = rows.iter().take(at + 1).rposition(is_root).unwrap_or(0);
    let end = rows.iter().skip(at + 1).position(is_root).map_or(rows.len(), |n| at + 1 + n);
    rows.drain(root..end).collect()
}

fn is_in(rows: &[Branch<'_>], session: &SessionSummary) -> bool {
    rows.iter().any(|(_, r)| r.id == session.id)
}

fn grow<'a>(
    all: &'a [SessionSummary],
    at: &'a SessionSummary,
    depth: usize,
    rows: &mut Vec<Branch<'a>>,
) {
    rows.push((depth, at));
    let of = |s: &&SessionSummary| {
        s.id != at.id && s.parent.as_ref().is_some_and(|(id, _)| *id == at.id)
    };
    let mut branches: Vec<&SessionSummary> = all.iter().filter(of).collect();
    branches.sort_by_key(|s| (s.parent.as_ref().map(|(_, point)| *point), &s.id));
    for branch in branches {
        if !is_in(rows, branch) {
            grow(all, branch, depth + 1, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::SessionStatus;
    use crate::model::Wall;

    fn session(id: &str, parent: Option<(&str, u32)>) -> SessionSummary {
        SessionSummary {
            id: id.into(),
            path: id.into(),
            title: String::new(),
            standing: SessionStatus::Unfinished,
            utterances: 0,
            cast: vec![],
            last: String::new(),
            parent: parent.map(|(id, at)| (id.into(), at)),
            written: Wall(0),
            is_silent: false,
            headline: String::new(),
        }
    }

    #[test]
    fn branches_stand_behind_their_stem_and_a_circle_hides_nobody() {
        let all = [
            session("b", Some(("a", 5))),
            session("a", None),
            session("c", Some(("a", 2))),
            session("d", Some(("b", 7))),
            session("x", Some(("y", 1))),
            session("y", Some(("x", 1))),
            session("lost", Some(("gone", 3))),
        ];
        let drawn = |rows: Vec<Branch<'_>>| -> Vec<String> {
            rows.iter().map(|(depth, s)| format!("{depth}{}", s.id)).collect()
        };
        assert_eq!(drawn(tree(&all)), ["0a", "1c", "1b", "2d", "0lost", "0x", "1y"]);
        assert_eq!(drawn(family(&all, "d")), ["0a", "1c", "1b", "2d"]);
        assert_eq!(drawn(family(&all, "lost")), ["0lost"]);
        assert_eq!(drawn(family(&all, "nobody")), Vec::<String>::new());
    }
}
