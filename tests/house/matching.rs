//! Comparisons with texts made for people: code decides by types and fields, not by the words of a message.

use crate::source::{Found, Source};
use crate::{none, root};
use regex::Regex;
use std::sync::LazyLock;

/// Functions that compare a text with a literal, and the operators that do.
const COMPARES: &str = r"(\.(starts_with|ends_with|contains|strip_prefix|strip_suffix|split_once|rsplit_once|find|rfind|split|trim_start_matches|trim_end_matches|matches|eq)\(|[=!]=)\s*$";
/// English words in a literal: a word of at least four letters, and a space.
const WORDS: &str = r"(^|[^a-zA-Z])[a-z]{4,}:? ";
/// Folders that read the words of people and models, or the formats of other programs.
const READERS: [&str; 5] = ["reply/", "text/", "prompt/", "import/", "voice/remote/wire/"];
/// Other files that compare words, with the reason.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("cli/error.rs", "an error of the system has its number only in its text"),
    ("settings/origin.rs", "an error of TOML has the known keys only in its text"),
    ("state/stances.rs", "models write the position"),
    ("steer/slash.rs", "people type the line"),
];

/// Returns the literals of a line, each with its column; `code` is the line with blanked literals.
fn literals(code: &str, raw: &str) -> Vec<(String, usize)> {
    let mut found = vec![];
    let mut both = code.chars().zip(raw.chars()).enumerate();
    while let Some((start, (code, raw))) = both.next() {
        if (code, raw) == (' ', '"') {
            let inside = both.by_ref().map(|(_, (_, raw))| raw);
            found.push((inside.take_while(|c| *c != '"').collect(), start));
        }
    }
    found
}

/// Returns the literals with English words that a file compares texts with.
fn compared_words(source: &Source) -> Vec<Found> {
    static PATTERNS: LazyLock<[Regex; 2]> =
        LazyLock::new(|| [COMPARES, WORDS].map(|pattern| Regex::new(pattern).unwrap()));
    let [compares, words] = &*PATTERNS;
    let bare = source.without_tests();
    // a blanked literal has as many characters as the literal itself
    let lines = bare.code().lines().zip(source.raw.lines()).enumerate();
    let mut found = vec![];
    let mut before = "";
    for (at, (code, raw)) in lines {
        for (literal, start) in literals(code, raw) {
            let ahead: String = code.chars().take(start).collect();
            // an argument may be on the next line
            let ahead = if ahead.trim().is_empty() { before } else { &ahead };
            if words.is_match(&literal) && compares.is_match(ahead) {
                found.push(Found { line: at + 1, text: literal });
            }
        }
        before = code;
    }
    found
}

#[test]
fn code_compares_no_words_for_people() {
    let mut faults = vec![];
    for source in Source::ours(root()) {
        let is_exception = EXCEPTIONS.iter().any(|(place, _)| *place == source.place());
        if is_exception || READERS.iter().any(|folder| source.place().starts_with(folder)) {
            continue;
        }
        let found = compared_words(source).into_iter();
        faults.extend(found.map(|f| format!("{}:{}: \"{}\"", source.path, f.line, f.text)));
    }
    none(faults, "give the value a type or a field, and compare that");
}

#[test]
fn exceptions_still_compare_words() {
    let sources = Source::ours(root());
    let mut faults = vec![];
    for (place, _) in EXCEPTIONS {
        let source = sources.iter().find(|source| source.place() == place);
        if source.is_none_or(|source| compared_words(source).is_empty()) {
            faults.push(format!("{place}: compares no words"));
        }
    }
    none(faults, "remove the exception");
}

#[test]
fn the_scanner_finds_compared_words() {
    let check = |code: &str, expected: &[&str]| {
        let found = compared_words(&Source::new("src/a.rs", code));
        let found: Vec<&str> = found.iter().map(|f| f.text.as_str()).collect();
        assert_eq!(found, expected, "{code}");
    };
    check(
        "fn f() { a.starts_with(\"error: \") || b == \"paused by you\" }",
        &["error: ", "paused by you"],
    );
    check("fn f() {\n    a.strip_prefix(\n        \"step failed\",\n    );\n}", &["step failed"]);
    check("fn f() { a.contains(\"é too late \") }", &["é too late "]);
    check("fn f() { a.starts_with(\"http://\") || a.contains(\", \") || name == \"cut_in\" }", &[]);
    check("fn f() { format!(\"error: {a}\") } // a.contains(\"some words\")", &[]);
    check("#[cfg(test)]\nmod tests {\n    fn f() { a.contains(\"some words\") }\n}", &[]);
}
