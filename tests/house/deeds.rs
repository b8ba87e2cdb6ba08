//! Deeds outside the places that they belong to.

use crate::source::{Found, Source};
use crate::tables::Deed;

/// Says where something happens outside the places that it belongs to.
pub fn misplaced(source: &Source, deed: &Deed) -> Vec<String> {
    let here = source.room().unwrap_or_else(|| source.file_name());
    let file = source.path.strip_prefix("src/").unwrap_or(&source.path);
    if deed.places.contains(&here) || deed.places.contains(&file) {
        return Vec::new();
    }
    let is_it = |path: &str| {
        let starts =
            |rest: &str, name: &str| rest == name || rest.starts_with(&format!("{name}::"));
        let tails = || path.match_indices("::").map(|(at, _)| &path[at + 2..]).chain([path]);
        deed.names.iter().any(|name| tails().any(|tail| starts(tail, name)))
    };
    let spared =
        |path: &str| deed.but.iter().any(|(name, place)| path.contains(name) && *place == here);
    let code = source.without_tests();
    let paths = code.paths().into_iter().filter(|f| is_it(&f.text) && !spared(&f.text));
    let calls = code.texts(deed.texts);
    paths
        .chain(calls)
        .map(|Found { line, text }| format!("{}:{line}: `{text}`: {}", source.path, deed.rule))
        .collect()
}
