//! The configured minijinja engine: the functions, methods, filters and tests of conditions and templates, and limits.
//!
//! It starts empty, and every addition was reviewed: nothing here makes a value much larger than its input.

use super::choices::lettered;
use super::compare::{self, ALIKE, CheckedSource};
use super::products::{self, NUMBER};
use super::{ExprError, Facts, OUTPUT_LIMIT};
use minijinja::value::{ArgType, Kwargs, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior, Value, filters, tests};
use minijinja_contrib::pycompat::unknown_method_callback;
use std::io::{self, Write as _};
use std::sync::LazyLock;

/// Name of a template in its engine; without a file extension, so that nothing is escaped.
pub(super) const TEMPLATE_NAME: &str = "template";
/// Functions that conditions and templates may call.
pub(super) const FUNCTIONS: [&str; 4] = ["count", "len", ALIKE, NUMBER];
/// Methods of strings, lists and mappings, without `format`, `replace` and `join`, whose results can be of any size.
pub const METHODS: &[&str] = &crate::strings![
    "get" "items" "keys" "values" "count" "startswith" "endswith" "find" "lower" "upper" "strip"
    "lstrip" "rstrip" "split" "splitlines" "isdigit" "isalpha" "isalnum" "isnumeric"
];
/// Filters, as registered by `add_filters`.
pub const FILTERS: &[&str] = &crate::strings![
    "abs" "count" "default" "first" "float" "groupby" "int" "items" "join" "last" "length"
    "lettered" "lower" "map" "max" "min" "rejectattr" "reverse" "round" "selectattr" "sort"
    "string" "title" "tojson" "trim" "upper"
];
/// Named tests, as registered by `add_tests`.
pub const TESTS: &[&str] = &crate::strings![
    "atleast" "atmost" "boolean" "defined" "eq" "equalto" "even" "false" "ge" "greaterthan" "gt"
    "in" "integer" "le" "lessthan" "lt" "mapping" "ne" "none" "number" "odd" "sequence" "string"
    "true" "undefined" "unequalto"
];
/// Maximum steps of one evaluation of a condition.
const CONDITION_FUEL: u64 = 5_000;
/// Maximum steps of one rendering of a template.
const TEMPLATE_FUEL: u64 = 50_000;
/// Maximum bytes for concatenating texts in one expression.
const SUM_LIMIT: usize = 32 * 1024 * 1024;
/// Maximum number of values in the facts that are searched for the longest text.
const LOOKED_AT: usize = 100_000;
/// Maximum nesting of calls during evaluation.
const RECURSION_LIMIT: usize = 30;

/// Engine of all conditions, limited to `CONDITION_FUEL` steps.
pub(super) static CONDITIONS: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(CONDITION_FUEL));
/// Engine that is cloned for each template.
pub(super) static TEMPLATES: LazyLock<Environment<'static>> =
    LazyLock::new(|| environment(TEMPLATE_FUEL));

fn environment(fuel: u64) -> Environment<'static> {
    let mut env = Environment::empty();
    env.set_fuel(Some(fuel));
    env.set_recursion_limit(RECURSION_LIMIT);
    env.set_undefined_behavior(UndefinedBehavior::Chainable);
    env.set_unknown_method_callback(method);
    env.set_formatter(|out, state, value| {
        if value.is_none() { Ok(()) } else { minijinja::escape_formatter(out, state, value) }
    });
    env.add_function("count", count);
    env.add_function("len", count);
    env.add_function(ALIKE, compare::alike);
    env.add_function(NUMBER, products::number);
    add_filters(&mut env);
    add_tests(&mut env);
    env
}

fn add_filters(env: &mut Environment<'static>) {
    env.add_filter("join", join);
    env.add_filter("tojson", to_json);
    env.add_filter("abs", filters::abs);
    env.add_filter("count", filters::length);
    env.add_filter("default", filters::default);
    env.add_filter("first", filters::first);
    env.add_filter("float", filters::float);
    env.add_filter("groupby", filters::groupby);
    env.add_filter("int", filters::int);
    env.add_filter("items", filters::items);
    env.add_filter("last", filters::last);
    env.add_filter("length", filters::length);
    env.add_filter("lettered", lettered);
    env.add_filter("lower", |text: Words| text.0.to_lowercase());
    env.add_filter("map", filters::map);
    env.add_filter("max", filters::max);
    env.add_filter("min", filters::min);
    env.add_filter("rejectattr", filters::rejectattr);
    env.add_filter("reverse", filters::reverse);
    env.add_filter("round", filters::round);
    env.add_filter("selectattr", filters::selectattr);
    env.add_filter("sort", filters::sort);
    env.add_filter("string", |value: &Value| bounded(value));
    env.add_filter("title", |text: Words| filters::title(text.0.into()));
    env.add_filter("trim", |text: Words| text.0.trim().to_owned());
    env.add_filter("upper", |text: Words| text.0.to_uppercase());
}

fn add_tests(env: &mut Environment<'static>) {
    env.add_test("defined", tests::is_defined);
    env.add_test("undefined", tests::is_undefined);
    for (names, test) in [
        (["none", "None"], tests::is_none as fn(&Value) -> bool),
        (["true", "True"], tests::is_true),
        (["false", "False"], tests::is_false),
    ] {
        names.into_iter().for_each(|name| env.add_test(name, test));
    }
    env.add_test("boolean", tests::is_boolean);
    env.add_test("number", tests::is_number);
    env.add_test("integer", tests::is_integer);
    env.add_test("string", tests::is_string);
    env.add_test("sequence", tests::is_sequence);
    env.add_test("mapping", tests::is_mapping);
    env.add_test("odd", tests::is_odd);
    env.add_test("even", tests::is_even);
    env.add_test("in", tests::is_in);
    for (names, test) in [
        (["eq", "equalto", "=="], tests::is_eq as fn(&Value, &Value) -> bool),
        (["ne", "!=", "unequalto"], tests::is_ne),
    ] {
        names.into_iter().for_each(|name| env.add_test(name, test));
    }
    for (names, test) in [
        (["lt", "<", "lessthan"], tests::is_lt as fn(&Value, &Value) -> bool),
        (["le", "<=", "atmost"], tests::is_le),
        (["gt", ">", "greaterthan"], tests::is_gt),
        (["ge", ">=", "atleast"], tests::is_ge),
    ] {
        names.into_iter().for_each(|name| env.add_test(name, compare::ordered(test)));
    }
}

fn method(state: &mut State, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if METHODS.contains(&name) {
        return unknown_method_callback(state, value, name, args);
    }
    let known = METHODS.join(", ");
    Err(Error::new(ErrorKind::UnknownMethod, format!("no method `{name}`; there are {known}")))
}

/// Returns the length of a value, or with `names` the number of a mapping's keys among them that have a value: false
/// counts, null and empty text do not.
fn count(value: &Value, names: Option<Value>) -> Result<usize, Error> {
    let Some(names) = names else {
        let nothing = matches!(value.kind(), ValueKind::Undefined | ValueKind::None);
        let message = format!("a value of type {} cannot be counted", value.kind());
        return match value.len() {
            Some(length) => Ok(length),
            None if nothing => Ok(0),
            None => Err(Error::new(ErrorKind::InvalidOperation, message)),
        };
    };
    let known = |name: Value| {
        let fact = value.get_item(&name).unwrap_or_default();
        !fact.is_undefined() && !fact.is_none() && fact.as_str() != Some("")
    };
    Ok(names.try_iter()?.filter(|name| known(name.clone())).count())
}

/// Text of an argument, bounded in length.
struct Words(String);

impl<'a> ArgType<'a> for Words {
    type Output = Words;

    fn from_value(value: Option<&'a Value>) -> Result<Words, Error> {
        bounded(value.unwrap_or(&Value::UNDEFINED)).map(Words)
    }
}

/// Returns a value as text of bounded length: a list with many references to one long text can be very long.
fn bounded(value: &Value) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None => {
            let mut text = Bounded::default();
            // exceeding the limit is reported below
            let _ = write!(text, "{value}");
            text.into_all()
        }
    }
}

/// Joins values like the engine's own `join`, but with bounded length.
fn join(values: Value, separator: Option<&str>) -> Result<String, Error> {
    let mut joined = Bounded::default();
    for (n, value) in values.try_iter()?.enumerate() {
        let separator = if n > 0 { separator.unwrap_or_default() } else { "" };
        if write!(joined, "{separator}{value}").is_err() {
            break;
        }
    }
    joined.into_all()
}

/// Formats a value as plain JSON: the engine's own `tojson` accepts any indent, and escapes `<` for web pages.
fn to_json(value: &Value, _: Kwargs) -> Result<String, Error> {
    let mut text = Bounded::default();
    match serde_json::to_writer(&mut text, value) {
        Err(e) if !text.is_full() => Err(Error::new(ErrorKind::BadSerialization, e.to_string())),
        _ => text.into_all(),
    }
}

/// Checks that concatenating texts does not take too much memory.
///
/// # Errors
/// If the longest text among the facts in use, once for each operand, would exceed the limit.
pub(super) fn fits<'n>(
    sums: usize,
    names: impl Iterator<Item = &'n str>,
    facts: &Facts,
) -> Result<(), ExprError> {
    if sums == 0 {
        return Ok(());
    }
    let mut left = LOOKED_AT;
    let values = names.filter_map(|name| facts.value().get_attr(name).ok());
    let longest = values.map(|value| longest(&value, &mut left)).max().unwrap_or(0);
    match (sums + 1).checked_mul(longest.max(OUTPUT_LIMIT)).filter(|most| *most <= SUM_LIMIT) {
        Some(_) => Ok(()),
        None => Err(ExprError::new("concatenating texts this long takes too much memory", 0)),
    }
}

/// Returns the bytes of the longest text in a value; `usize::MAX` if it has too many parts.
fn longest(value: &Value, left: &mut usize) -> usize {
    let Some(less) = left.checked_sub(1) else { return usize::MAX };
    *left = less;
    match (value.kind(), value.as_str()) {
        (_, Some(text)) => text.len(),
        (ValueKind::Seq | ValueKind::Iterable, _) => {
            let parts = value.try_iter().into_iter().flatten();
            parts.map(|part| longest(&part, left)).max().unwrap_or(0)
        }
        (ValueKind::Map, _) => {
            let keys = value.try_iter().into_iter().flatten();
            let parts = keys.filter_map(|key| value.get_item(&key).ok());
            parts.map(|part| longest(&part, left)).max().unwrap_or(0)
        }
        _ => 0,
    }
}

/// Converts an error of the engine; its column refers to the original source.
pub(super) fn fault(error: Error, checked: &CheckedSource) -> ExprError {
    let column = error.range().map_or(0, |range| checked.place(range.start));
    let used = || Some(error.range()?).and_then(|range| checked.text.get(range)).map(str::trim);
    let message = match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => "too many steps".into(),
        (ErrorKind::UndefinedError, _) => match used().filter(|used| !used.is_empty()) {
            Some(used) => format!("`{used}` has no value"),
            None => "a field has no value".into(),
        },
        (_, Some(detail)) => detail.to_owned(),
        (kind, None) => kind.to_string(),
    };
    ExprError::new(message, column)
}

/// Output buffer of a template, up to the limit.
#[derive(Default)]
pub(super) struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl Bounded {
    /// Returns true if the output exceeded the limit.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Returns the output, or an error if it exceeded the limit.
    fn into_all(self) -> Result<String, Error> {
        let message = format!("the result is longer than {OUTPUT_LIMIT} bytes");
        if self.full {
            Err(Error::new(ErrorKind::InvalidOperation, message))
        } else {
            Ok(self.into_text())
        }
    }

    /// Returns the output up to the limit.
    pub(super) fn into_text(self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

impl io::Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + piece.len() > OUTPUT_LIMIT {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
