//! Uses of restricted APIs outside the places that they belong to.

use crate::source::{Found, Source};
use crate::tables::Restriction;

/// Returns whether a path is `name` or below it.
fn is_within(path: &str, name: &str) -> bool {
    path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Says where something happens outside the places that it belongs to.
pub fn misplaced(source: &Source, restriction: &Restriction) -> Vec<String> {
    let here = source.room().unwrap_or_else(|| source.file_name());
    let file = source.place();
    if restriction.places.contains(&here) || restriction.places.contains(&file) {
        return Vec::new();
    }
    let is_it = |path: &str| {
        let tails = || path.match_indices("::").map(|(at, _)| &path[at + 2..]).chain([path]);
        let names = restriction.names.iter().filter(|name| path.contains(*name));
        names.into_iter().any(|name| tails().any(|tail| is_within(tail, name)))
    };
    let spared = |path: &str| {
        restriction.but.iter().any(|(name, place)| path.contains(name) && *place == here)
    };
    let code = source.without_tests();
    let paths = code.paths().iter().filter(|f| is_it(&f.text) && !spared(&f.text)).cloned();
    let calls = code.texts(restriction.texts);
    let listed = |found: &Found| restriction.literals.contains(&&*found.text);
    let literals = match restriction.literals {
        [] => vec![],
        _ => source.literals(),
    };
    let literals = literals.into_iter().filter(listed);
    paths
        .chain(calls)
        .chain(literals)
        .map(|Found { line, text }| {
            format!("{}:{line}: `{text}`: {}", source.path, restriction.rule)
        })
        .collect()
}
