//! Which session branched off which: the catalogue in the order of a family tree.

use super::Summary;

/// Returns every session with its depth: behind each, those that branched off it, in the order of their points. One whose
/// parent is not there stands at the root.
pub fn tree(all: &[Summary]) -> Vec<(usize, &Summary)> {
    let parent = |s: &Summary| s.parent.as_ref().map(|(id, _)| id.clone());
    let known = |id: &String| all.iter().any(|s| s.id == *id);
    let mut rows = Vec::new();
    for root in all.iter().filter(|s| parent(s).is_none_or(|id| !known(&id) || id == s.id)) {
        grow(all, root, 0, &mut rows);
    }
    rows
}

fn grow<'a>(
    all: &'a [Summary],
    at: &'a Summary,
    depth: usize,
    rows: &mut Vec<(usize, &'a Summary)>,
) {
    rows.push((depth, at));
    let of = |s: &&Summary| s.id != at.id && s.parent.as_ref().is_some_and(|(id, _)| *id == at.id);
    let mut branches: Vec<&Summary> = all.iter().filter(of).collect();
    branches.sort_by_key(|s| (s.parent.as_ref().map(|(_, point)| *point), &s.id));
    // a file that names its own child as its parent must not lead round in a circle
    let told = |s: &Summary, rows: &[(usize, &Summary)]| rows.iter().any(|(_, r)| r.id == s.id);
    for branch in branches {
        if !told(branch, rows) {
            grow(all, branch, depth + 1, rows);
        }
    }
}
