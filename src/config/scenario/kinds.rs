//! Static kinds of values in comparisons, so that `utterances > 3` is an error at load and not at evaluation.

use crate::expr::{Attribute, Condition, ExprError, attributes};
use crate::model::facts::{self, FACTS, FactKind};

/// The literals of true and false.
const FLAGS: [&str; 4] = ["False", "True", "false", "true"];

/// Returns the fault of a condition that compares the order of two kinds.
pub(super) fn unlike(source: &str, condition: &Condition) -> Option<ExprError> {
    condition.comparisons().iter().find_map(|c| {
        let [left, right] =
            [&c.left, &c.right].map(|side| source.get(side.clone()).unwrap_or_default().trim());
        let one = kind(left)?;
        let other = kind(right)?;
        let lists = [one, other].iter().any(|kind| matches!(*kind, "a list" | "a mapping"));
        let hint = if lists { "; count(...) gives the number of its items" } else { "" };
        let message =
            format!("`{left}` is {one} and `{right}` is {other}: they cannot be compared{hint}");
        (one != other).then(|| ExprError::new(message, c.left.start))
    })
}

/// Returns the kind of a comparison's side; `None` if its text does not show it.
fn kind(side: &str) -> Option<&'static str> {
    let quoted = |quote: char| {
        let inside = side.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        inside.is_some_and(|inside| !inside.contains(quote))
    };
    if side.parse::<f64>().is_ok() {
        return Some(FactKind::Number.as_str());
    }
    if quoted('\'') || quoted('"') {
        return Some(FactKind::Text.as_str());
    }
    if FLAGS.contains(&side) {
        return Some(FactKind::Flag.as_str());
    }
    let fact = FACTS.iter().find(|fact| fact.name == side)?;
    (fact.kind != FactKind::Function).then(|| fact.kind.as_str())
}

/// Returns the first key in a condition that its fact never has: a comparison with it would always be false.
pub fn unknown_field(source: &str, tested: bool) -> Option<ExprError> {
    FACTS.iter().find_map(|fact| {
        let known = facts::fields(fact, tested);
        attributes(source, fact.name).into_iter().find_map(|asked| unknown(fact, &asked, known))
    })
}

fn unknown(
    fact: &facts::KnownFact,
    asked: &Attribute<'_>,
    known: &'static [&'static str],
) -> Option<ExprError> {
    let name = fact.name;
    let key = asked.key;
    let is_list = fact.kind == FactKind::List;
    if is_list && !asked.of_item {
        let fix = match name {
            "seats" => format!("(seats | selectattr('id', 'eq', '{key}') | first).utterances"),
            _ => format!("{name}[-1].{key}"),
        };
        let message = format!("`{name}` is a list and has no key `{key}`; as in {fix}");
        return Some(ExprError::new(message, asked.column));
    }
    if known.is_empty() || known.contains(&key) || (asked.of_item && !is_list) {
        return None;
    }
    let of = if is_list { format!("an item of `{name}`") } else { format!("`{name}`") };
    let message = format!("{of} has no key `{key}`; it has {}", known.join(", "));
    Some(ExprError { message, column: asked.column, known })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::{OF_CONVERSATION, OF_PROMPT};

    #[test]
    fn every_fact_has_its_kind() {
        for fact in OF_PROMPT.iter().chain(OF_CONVERSATION) {
            assert!(kind(fact).is_some(), "{fact}");
        }
    }

    #[test]
    fn finds_keys_that_a_fact_never_has() {
        for (source, tested, key) in [
            ("seats.zed.utterances > 1", false, "has no key `zed`; as in (seats | select"),
            ("seats['zed'].utterances > 1", false, "has no key `zed`"),
            ("utterances[-1].txt == 'a'", false, "an item of `utterances` has no key `txt`"),
            ("utterances[-2:][0].txt == 'a'", false, "has no key `txt`"),
            ("utterances | selectattr('who', 'eq', 'bo') | length == 1", true, "has no key `who`"),
            ("'bo' in utterances[1:] | map(attribute='who')", true, "has no key `who`"),
            ("utterances[0].finish == 'length'", false, "has no key `finish`"),
            ("ended.raeson == 'goal'", true, "`ended` has no key `raeson`"),
        ] {
            let fault = unknown_field(source, tested).unwrap_or_else(|| panic!("{source}"));
            assert!(fault.message.contains(key), "{source}: {fault}");
        }
        for source in [
            "utterances[0].finish == 'length' and turns[0].finish == 'length'",
            "seats[0].utterances > 1 and count(seats) == 2 and seats | length == 2",
            "ended.get('other', 1) == 1 and context.n > 1 and profile.x == 1",
            "utterances[0].text.startswith('a') and case.utterances.x",
            "(seats | selectattr('id', 'eq', 'bo') | first).utterances > 0",
            "tokens.total > 1 and utterances[0].tokens.input > 0",
        ] {
            assert_eq!(unknown_field(source, true), None, "{source}");
        }
    }

    #[test]
    fn only_certain_faults_are_reported() {
        let told =
            |source: &str| unlike(source, &Condition::compile(source).unwrap()).map(|f| f.message);
        let fault = told("turn_count > 2 and utterances > 3").unwrap();
        assert!(fault.starts_with("`utterances` is a list and `3` is a number"), "{fault}");
        assert!(told("topic >= 3.5").is_some() && told("'3' < round").is_some());
        for fine in [
            "count(utterances) > 3",
            "context.n > 3",
            "agreement >= 0.8",
            "topic < 'm'",
            "round < turn_count",
        ] {
            assert_eq!(told(fine), None, "{fine}");
        }
    }
}
