//! Names of public types are unique, unless they are always qualified with their module, as in `io::Error`.

use crate::source::Source;
use crate::{none, root};
use std::collections::BTreeMap;

/// Returns the public types that share a name and are imported without their module.
fn named_twice(sources: &[Source]) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in sources {
        for found in source.without_tests().public_types() {
            let place = format!("{}:{}", source.path, found.line);
            places.entry(found.text).or_default().push(place);
        }
    }
    let mut users: BTreeMap<String, String> = BTreeMap::new();
    for source in sources {
        for found in source.brought_in() {
            let name = found.text.rsplit("::").next().unwrap_or_default();
            let place = || format!("{}:{}", source.path, found.line);
            users.entry(name.to_owned()).or_insert_with(place);
        }
    }
    places
        .iter()
        .filter(|(_, places)| places.len() > 1)
        .filter_map(|(name, places)| {
            let user = users.get(name)?;
            Some(format!("`{name}` stands at {}; {user} uses it bare", places.join(" and ")))
        })
        .collect()
}

#[test]
fn public_type_names_stand_once() {
    none(
        named_twice(Source::ours(root())),
        "give one of them a name that says more, or write it with its module's name everywhere",
    );
}

#[test]
fn the_scanner_of_names_bites() {
    let check = |user: &str, expected: &[&str]| {
        let sources = [
            Source::new("src/a/mod.rs", "mod x;\n\npub struct Step;\nstruct Own;"),
            Source::new("src/b.rs", "pub(super) enum Step {}\nstruct Own;"),
            Source::new("src/c.rs", user),
        ];
        assert_eq!(named_twice(&sources), expected, "{user}");
    };
    let fault = ["`Step` stands at src/a/mod.rs:3 and src/b.rs:1; src/c.rs:1 uses it bare"];
    check("use crate::a::Step;", &fault);
    check("use crate::a::{self, Other, Step};", &fault);
    check("use crate::a;\nfn f(step: a::Step) {}", &[]);
    check("pub use crate::a::Step;", &[]);
    check("use other::Step;", &[]);
    check("use crate::a::Own;", &[]);
    check(
        "mod a;\nuse a::Step;",
        &["`Step` stands at src/a/mod.rs:3 and src/b.rs:1; src/c.rs:2 uses it bare"],
    );
}
