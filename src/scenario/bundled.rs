//! The scenarios that come with the program.

const BUNDLED: &[(&str, &str)] =
    &[("round-table", include_str!("../../assets/scenarios/round-table.toml"))];

/// Returns the text of a bundled scenario.
pub fn bundled(name: &str) -> Option<&'static str> {
    BUNDLED.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Returns the names of the bundled scenarios, the first of which is the one that `demo` plays.
pub fn bundled_names() -> impl Iterator<Item = &'static str> {
    BUNDLED.iter().map(|(name, _)| *name)
}
