//! Habits of comments, and idioms, that the code keeps below a limit.
//!
//! A habit is measured as the share of comments that have it: in a single place it may be right. The limits are a
//! little above the shares in well-known programs.

use crate::source::{Found, Source};
use crate::{none, root};
use regex::Regex;
use std::sync::LazyLock;

/// Minimum number of words of a comment that counts.
const WORDS_MIN: usize = 3;
/// Maximum number of places listed for a habit.
const PLACES: usize = 20;
/// Maximum number of assignments to a tuple, in all files of a folder.
const TUPLE_ASSIGNMENTS: usize = 30;
/// Functions whose parameters a trait defines.
const TRAIT_FUNCTIONS: [&str; 2] = ["from", "try_from"];
/// Names of functions that say nothing about the function.
const NAMES: &str = r"\bfn (told|heard|standing|many|named|of|hear|tell)\b";

/// A habit of comments.
struct Habit {
    /// Pattern, without regard to case.
    pattern: &'static str,
    /// Maximum share of comments, in tenths of a percent.
    most: usize,
    /// Fix.
    fix: &'static str,
}

const HABITS: [Habit; 8] = [
    Habit { pattern: r"\bwhat\b", most: 20, fix: "name the thing with its noun" },
    Habit {
        pattern: r"(^|[.!?] )(what|which|whose|who|where|how|whether|whoever|whom)\b",
        most: 25,
        fix: "begin with the noun",
    },
    Habit { pattern: r"\bwhere\b", most: 20, fix: "write `if` or `when` for a condition" },
    Habit {
        pattern: r"; none\b|\bnone (if|where|of|when|is)\b",
        most: 4,
        fix: "write `None` in backticks, with `if`",
    },
    Habit {
        pattern: r"\b(one|ones|those) (that|who|which)\b|\bwhoever\b|\bwhatever\b",
        most: 6,
        fix: "name the thing with its noun",
    },
    Habit { pattern: r"\bstands?\b|\bstood\b", most: 2, fix: "write `is`" },
    Habit { pattern: r"\b(is|are|has|have|was) no\b", most: 13, fix: "write `not` or `without`" },
    Habit { pattern: r"\b(told|tells?|telling)\b", most: 5, fix: "write `report` or `show`" },
];

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).unwrap()
}

static QUOTED: LazyLock<Regex> = LazyLock::new(|| regex("`[a-z0-9[:punct:] ]*?`"));
static TUPLE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(^|,)\s*((mut )?\(|[a-z_0-9]+\s*:\s*(&\s*)?(mut )?\([^)])"));
static FUNCTION: LazyLock<Regex> = LazyLock::new(|| regex(r"\bfn ([a-z_0-9]+)"));
static POOR_NAME: LazyLock<Regex> = LazyLock::new(|| regex(NAMES));

/// Returns the comments of a file as sentences, with lines of code left out and quoted code as `x`.
fn comments(source: &Source) -> Vec<Found> {
    let mut blocks: Vec<Found> = vec![];
    let mut last = 0;
    let mut is_code = false;
    for Found { line, text } in source.comments() {
        let text = text.trim_start_matches(['/', '!', '*']).trim();
        if blocks.is_empty() || line != last + 1 || text.starts_with("---") {
            blocks.push(Found { line, text: String::new() });
            is_code = false;
        }
        last = line;
        if text.starts_with("```") {
            is_code = !is_code;
        } else if let (Some(block), false) = (blocks.last_mut(), is_code) {
            block.text.push_str(text);
            block.text.push(' ');
        }
    }
    for block in &mut blocks {
        block.text = QUOTED.replace_all(block.text.trim(), "`x`").into_owned();
    }
    blocks.retain(|block| block.text.split_whitespace().count() >= WORDS_MIN);
    blocks
}

/// Returns the habits above their limits, with the comments that have them.
fn habits_of(sources: &[Source]) -> Vec<String> {
    let comments: Vec<(&str, Found)> = sources
        .iter()
        .flat_map(|source| comments(source).into_iter().map(|c| (source.path.as_str(), c)))
        .collect();
    let above = |habit: &Habit| {
        let pattern = regex(habit.pattern);
        let found: Vec<_> = comments.iter().filter(|(_, c)| pattern.is_match(&c.text)).collect();
        let most = comments.len() * habit.most / 1000;
        let places = found.iter().take(PLACES).map(|(path, c)| format!("\n  {path}:{}", c.line));
        (found.len() > most).then(|| {
            let places: String = places.collect();
            format!(
                "{} comments match `{}`, at most {most}: {}{places}",
                found.len(),
                habit.pattern,
                habit.fix
            )
        })
    };
    HABITS.iter().filter_map(above).collect()
}

/// Returns the end of the bracket that opens at `start`.
fn end_of_bracket(code: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    code.len()
}

/// Returns the named functions that take a tuple, as a pattern or a type.
fn tuple_parameters(source: &Source) -> Vec<String> {
    let code = source.code();
    let mut faults = vec![];
    for found in FUNCTION.captures_iter(code) {
        let [name] = found.extract().1;
        let after = found.get(0).unwrap().end();
        let start = after + start_of_parameters(&code[after..]);
        let parameters = &code[start + 1..end_of_bracket(code, start)];
        if !TRAIT_FUNCTIONS.contains(&name) && TUPLE.is_match(&flat(parameters)) {
            let line = code[..after].matches('\n').count() + 1;
            faults.push(format!("{}:{line}: `{name}` takes a tuple", source.path));
        }
    }
    faults
}

/// Returns the offset of the parameters behind the name of a function, which may have generics.
fn start_of_parameters(code: &str) -> usize {
    let mut depth = 0_usize;
    let mut before = b' ';
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if before != b'-' => depth -= 1,
            b'(' if depth == 0 => return at,
            _ => {}
        }
        before = byte;
    }
    code.len()
}

/// Returns parameters without the commas within brackets.
fn flat(parameters: &str) -> String {
    let mut depth = 0_usize;
    let mut before = ' ';
    let each = parameters.chars().map(|c| {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
        if c == ',' && depth > 0 { ' ' } else { c }
    });
    each.collect()
}

/// Returns the assignments to a tuple; `let` is not one.
fn tuple_assignments(source: &Source) -> Vec<String> {
    let lines = source.code().lines().enumerate();
    let assigns = |line: &str| line.trim_start().starts_with(['(', ')']) && line.contains(") = (");
    lines
        .filter(|(_, line)| assigns(line))
        .map(|(at, _)| format!("{}:{}: an assignment to a tuple", source.path, at + 1))
        .collect()
}

/// Returns the functions with a name that says nothing, and the filters that ignore the value.
fn poor_idioms(source: &Source) -> Vec<String> {
    let lines = source.code().lines().enumerate();
    lines
        .filter(|(_, line)| POOR_NAME.is_match(line) || line.contains(".filter(|_|"))
        .map(|(at, line)| format!("{}:{}: `{}`", source.path, at + 1, line.trim()))
        .collect()
}

/// Checks the sources of the program and of the tests, each by itself.
fn check_each(faults: impl Fn(&[Source]) -> Vec<String>, fix: &str) {
    none(faults(Source::ours(root())), fix);
    none(faults(Source::tests(root())), fix);
}

#[test]
fn comments_name_things_by_their_nouns() {
    check_each(
        habits_of,
        "rewrite the sentence so that it begins with the noun; do not swap words",
    );
}

#[test]
fn functions_take_no_tuples() {
    let faults = |sources: &[Source]| sources.iter().flat_map(tuple_parameters).collect();
    check_each(faults, "give each value a parameter of its own, or define a struct");
}

#[test]
fn few_assignments_are_to_tuples() {
    let faults = |sources: &[Source]| {
        let all: Vec<String> = sources.iter().flat_map(tuple_assignments).collect();
        if all.len() > TUPLE_ASSIGNMENTS { all } else { vec![] }
    };
    check_each(faults, "write one statement for each field");
}

#[test]
fn functions_and_filters_say_what_they_do() {
    let faults = |sources: &[Source]| sources.iter().flat_map(poor_idioms).collect();
    check_each(
        faults,
        "name the function with a verb and its object; write `cond.then(...)` or `if`",
    );
}

#[test]
fn the_scanner_of_prose_finds_each_habit() {
    let sentences = [
        "Returns what is left.",
        "How the next line begins.",
        "Returns a line where it fits.",
        "Returns the seat; none if muted.",
        "Returns those that speak.",
        "The name stands first.",
        "There is no end: the list has no end.",
        "Tells the time.",
    ];
    for (habit, sentence) in HABITS.iter().zip(sentences) {
        let faults = habits_of(&[Source::new("src/a.rs", &format!("/// {sentence}\nfn f() {{}}"))]);
        assert!(faults.iter().any(|f| f.contains(habit.pattern)), "{sentence}: {faults:?}");
        assert!(faults[0].ends_with("\n  src/a.rs:1"), "{faults:?}");
    }
    let fine = "// the seat after\n// this one\n\n/// ```\n/// what is left where\n/// ```\n/// Returns `what is told`.";
    assert_eq!(habits_of(&[Source::new("src/a.rs", fine)]), [""; 0]);
    let blocks = comments(&Source::new("src/a.rs", fine));
    let blocks: Vec<_> = blocks.iter().map(|b| (b.line, &*b.text)).collect();
    assert_eq!(blocks, [(1, "the seat after this one")]);
}

#[test]
fn the_scanner_of_idioms_finds_each_idiom() {
    let check = |code: &str, tuples: usize, assignments: usize, poor: usize| {
        let source = Source::new("src/a.rs", code);
        assert_eq!(tuple_parameters(&source).len(), tuples, "{code}");
        assert_eq!(tuple_assignments(&source).len(), assignments, "{code}");
        assert_eq!(poor_idioms(&source).len(), poor, "{code}");
    };
    check("fn f((a, b): (A, B)) {}", 1, 0, 0);
    check("fn f<'a, T: Fn(u8) -> u8>(x: &T, size: &(u16, u16)) {}", 1, 0, 0);
    check("fn f(\n    x: u8,\n    mut (a, b): (A, B),\n) {}", 1, 0, 0);
    check(
        "fn f(x: impl Fn(u8, (A, B)) -> C, y: &[(A, B)], z: HashMap<A, (B, C)>, u: ()) {}",
        0,
        0,
        0,
    );
    check("impl TryFrom<(A, B)> for C { fn try_from((a, b): (A, B)) {} }", 0, 0, 0);
    check("let f = |(a, b): (A, B)| a;\nlet (a, b) = (1, 2);", 0, 0, 0);
    check("    (self.a, b) = (1, 2);\n    (\n        a,\n    ) = (1,);", 0, 2, 0);
    check("match x { (a, b) => c }", 0, 0, 0);
    check(
        &"FN told() {}\nFN of(x: u8) {}\nFN tell_all() {}\nlet of = x.filter(|_| y);"
            .replace("FN", "fn"),
        0,
        0,
        3,
    );
}
