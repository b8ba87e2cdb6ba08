//! Order of lines that name their parents: a file may have them out of order, twice, and with abandoned branches.

use super::conversation::{text_at, time};
use crate::model::Wall;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Lines in the order of their conversation, and the abandoned ones.
pub(super) struct Chains {
    /// The lines to read, each after its parent.
    pub(super) lines: Vec<Value>,
    /// Lines of branches that the person left by another message in the place of the first.
    pub(super) abandoned: Vec<Value>,
}

/// Orders lines by their parents, then by time, then as in the file; repeated lines count once.
pub(super) fn ordered(all: Vec<Value>) -> Chains {
    let mut lines: Vec<Value> = vec![];
    let mut abandoned = vec![];
    let mut seen: HashMap<String, usize> = HashMap::new();
    for line in all {
        let known = line["uuid"].as_str().and_then(|id| lines.get(*seen.get(id)?));
        match (known, line["uuid"].as_str()) {
            (Some(known), _) if known["message"] == line["message"] => {}
            (Some(_), _) => abandoned.push(line),
            (None, id) => {
                seen.extend(id.map(|id| (id.to_owned(), lines.len())));
                lines.push(line);
            }
        }
    }
    let parent = |at: usize| {
        let names = ["parentUuid", "logicalParentUuid"].iter();
        let line = lines.get(at)?;
        { names }.find_map(|name| seen.get(line[*name].as_str()?)).copied()
    };
    let mut before = Wall(i64::MIN);
    let mut by_time: Vec<(Wall, usize)> = vec![];
    for (at, line) in lines.iter().enumerate() {
        // a line without a time has that of the line before it
        before = time(&line["timestamp"]).unwrap_or(before);
        by_time.push((before, at));
    }
    by_time.sort();
    let mut order = vec![];
    let mut done = HashSet::new();
    for (_, at) in by_time {
        let mut way = vec![];
        let mut next = Some(at);
        // a circle ends at its first line
        while let Some(at) = next.filter(|at| done.insert(*at)) {
            way.push(at);
            next = parent(at);
        }
        order.extend(way.into_iter().rev());
    }
    // of several messages of the person after one line, the last one counts
    let mut last = HashMap::new();
    let typed = |at: &usize| lines.get(*at).is_some_and(is_typed);
    order.iter().filter(|at| typed(at)).for_each(|at| {
        parent(*at).map(|parent| last.insert(parent, *at));
    });
    let mut left = HashSet::new();
    for at in &order {
        let parent = parent(*at);
        let is_replaced = typed(at)
            && parent.is_some_and(|parent| last.get(&parent).is_some_and(|last| last != at));
        if is_replaced || parent.is_some_and(|parent| left.contains(&parent)) {
            left.insert(*at);
        }
    }
    let mut chains = Chains { lines: vec![], abandoned };
    for at in order {
        let to = if left.contains(&at) { &mut chains.abandoned } else { &mut chains.lines };
        to.extend(lines.get_mut(at).map(Value::take));
    }
    chains
}

/// Returns whether a line has words of the person, rather than results of tools or a notice.
fn is_typed(line: &Value) -> bool {
    let content = &line["message"]["content"];
    let parts = content.as_array();
    let has_words = content.is_string()
        || parts.is_some_and(|parts| parts.iter().any(|part| part["type"] == "text"));
    let is_result =
        parts.is_some_and(|parts| parts.iter().any(|part| part["type"] == "tool_result"));
    let is_own = ["isMeta", "isSidechain", "isCompactSummary"].iter().all(|key| line[*key] != true);
    text_at(line, "type") == "user" && is_own && has_words && !is_result
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn circles_and_unknown_parents_end() {
        let line = |id: &str, parent: &str| json!({"uuid": id, "parentUuid": parent});
        let lines = vec![line("a", "b"), line("b", "a"), line("c", "c"), line("d", "gone")];
        let read = ordered(lines);
        assert_eq!((read.lines.len(), read.abandoned.len()), (4, 0));
    }
}
