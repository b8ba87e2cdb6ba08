//! Names in the eyes of a prompt's reader.

/// Name of a person's seat in prompts if its own name would address the reader.
pub(super) const VISITOR: &str = "the visitor";

/// Returns true if a name, such as "You" for a person's seat, would address the reader of the prompt.
pub(super) fn addresses_the_reader(name: &str) -> bool {
    name.eq_ignore_ascii_case("you")
}
