//! Resolution of `[[expect]]`: conditions compile and use known names only, and files are found.

use super::cases::Case;
use crate::expr::{Condition, ExprError};
use crate::model::facts::{self, OF_CONVERSATION};
use crate::scenario::{Node, Walk, join, unknown_field};
use crate::testing::keys::{EACH_NAMES, EXPECT_NAMES};
use crate::testing::places;
use crate::testing::plan::{Checked, Expect, ExpectKind, JudgeQuestion};
use crate::testing::tools::ExpectedCall;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// Keys that define the kind of an expectation; each expectation has exactly one.
const WHATS: [&str; 7] =
    ["that", "speakers", "tool_calls", "prompt", "transcript", "each", "judge"];
/// Keys that belong to `prompt`.
const OF_PROMPT: [&str; 3] = ["contains", "lacks", "file"];
/// Keys that belong to `judge`.
const OF_JUDGE: [&str; 6] = ["question", "criteria", "votes", "after", "min_turns", "against"];
/// Default share of a judge's votes that must be a yes.
const JUDGE_PASS: f64 = 0.66;
/// A condition inside another one.
static RATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\brate\(\s*(?:"([^"\\]*)"|'([^'\\]*)')"#).expect("a fixed pattern")
});

/// A variable of a case in template syntax, which conditions do not support.
static FILLED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\{\{\s*(case\.\w+)").expect("a fixed pattern"));

/// Resolves every `[[expect]]` for one case; `turns` is the conversation's limit, if any.
pub fn expects(
    walk: &mut Walk<'_>,
    root: &Node,
    case: &Case,
    folder: &Path,
    turns: Option<u32>,
) -> Vec<Expect> {
    let nodes = root.get("expect").map_or(&[][..], Node::items);
    let mut all = vec![];
    for (i, node) in nodes.iter().enumerate() {
        let path = format!("expect[{}]", i + 1);
        let expect = expect(walk, node, &path, case, folder);
        if let Some(ExpectKind::Judge(JudgeQuestion { min_turns, .. })) =
            expect.as_ref().map(|e| &e.what)
            && let Some(most) = turns.filter(|most| min_turns > most)
        {
            let span = node.get("min_turns").and_then(|n| n.span.clone());
            let message = format!(
                "is {min_turns}, but the conversation ends after {most} turns: nothing would be judged"
            );
            walk.fault(&span, &join(&path, "min_turns"), message, format!("at most {most}"));
        }
        all.extend(expect);
    }
    all
}

fn expect(
    walk: &mut Walk<'_>,
    node: &Node,
    path: &str,
    case: &Case,
    folder: &Path,
) -> Option<Expect> {
    let mut whats = node.entries().iter().filter(|e| WHATS.contains(&e.key.as_str()));
    let (Some(entry), second) = (whats.next(), whats.next()) else {
        let fix = r#"as in that = "ended.reason == 'utterance_limit'""#;
        walk.fault(&node.span, path, "expects nothing", fix);
        return None;
    };
    if let Some(second) = second {
        let message = format!("is a second expectation in addition to `{}`", entry.key);
        walk.fault(
            &second.key_span,
            &join(path, &second.key),
            message,
            "give it its own [[expect]]",
        );
    }
    for (keys, of, fix) in [
        (&OF_PROMPT[..], "prompt", r#"as in prompt = { of = "bo" }"#),
        (&OF_JUDGE[..], "judge", r#"as in judge = "ollama:llama3""#),
    ] {
        let others = node.entries().iter().filter(|e| keys.contains(&e.key.as_str()));
        if entry.key == of {
            continue;
        }
        for other in others {
            let message = format!("is only for an expectation with `{of}`");
            walk.fault(&other.key_span, &join(path, &other.key), message, fix);
        }
    }
    let here = join(path, &entry.key);
    let value = &entry.node;
    let what = match entry.key.as_str() {
        "that" => {
            let checked = condition(walk, value, &here, case, EXPECT_NAMES)?;
            if checked.condition.uses("rate") {
                ExpectKind::Rates(checked)
            } else {
                ExpectKind::That(checked)
            }
        }
        "each" => ExpectKind::Each(condition(walk, value, &here, case, EACH_NAMES)?),
        "speakers" => ExpectKind::Speakers(
            value.items().iter().filter_map(Node::text).map(str::to_owned).collect(),
        ),
        "tool_calls" => ExpectKind::ToolCalls(tool_calls(walk, value, &here, case)),
        "judge" => ExpectKind::Judge(judge(walk, node, value, path, case, folder)?),
        "transcript" => ExpectKind::Transcript(file(walk, value, &here, case, folder)?),
        _ => {
            if !node.entries().iter().any(|e| OF_PROMPT.contains(&e.key.as_str())) {
                let fix = "add contains = \"...\", lacks = \"...\" or file = \"...\"";
                walk.fault(&value.span, &here, "checks nothing in the prompt", fix);
            }
            let texts = |walk: &mut Walk<'_>, key: &str| {
                let node = node.get(key);
                let all = node.into_iter().flat_map(|n| n.items().iter().chain([n]));
                let filled = all.filter_map(|n| Some((n, n.text()?)));
                filled.filter_map(|(n, text)| fill(walk, n, &join(path, key), case, text)).collect()
            };
            ExpectKind::Prompt {
                of: value.get("of").and_then(Node::text).unwrap_or_default().into(),
                turn: value.get("turn").and_then(Node::whole).and_then(|n| usize::try_from(n).ok()),
                contains: texts(walk, "contains"),
                lacks: texts(walk, "lacks"),
                file: match node.get("file") {
                    Some(name) => Some(file(walk, name, &join(path, "file"), case, folder)?),
                    None => None,
                },
            }
        }
    };
    // a judge's share refers to its votes
    let of_votes = matches!(what, ExpectKind::Judge(_));
    Some(Expect {
        what,
        why: node.get("why").and_then(Node::text).map(str::to_owned),
        pass: if of_votes { None } else { node.get("pass").and_then(Node::number) },
        line: walk.line(&node.span),
    })
}

/// Resolves expected tool calls.
fn tool_calls(walk: &mut Walk<'_>, value: &Node, path: &str, case: &Case) -> Vec<ExpectedCall> {
    let calls = value.items().iter().filter_map(|node| {
        let filled = case.fill_value(&node.to_json());
        let filled =
            filled.map_err(|why| walk.fault(&node.span, path, why, "as in {{ case.n }}")).ok()?;
        Some(ExpectedCall(filled.as_object()?.clone()))
    });
    calls.collect()
}

/// Resolves the question to a judge.
fn judge(
    walk: &mut Walk<'_>,
    node: &Node,
    model: &Node,
    path: &str,
    case: &Case,
    folder: &Path,
) -> Option<JudgeQuestion> {
    let listed = node.get("criteria").map_or(&[][..], Node::items);
    let asked = node.get("question").into_iter().chain(listed);
    let asked: Vec<(&Node, &str)> = asked.filter_map(|n| Some((n, n.text()?))).collect();
    if asked.is_empty() {
        let fix = r#"add question = "Did Bo answer Ada's point?", or criteria = [...]"#;
        walk.fault(&node.span, path, "does not say what is judged", fix);
    }
    let fill = |(n, text)| fill(walk, n, path, case, text);
    let criteria = asked.into_iter().filter_map(fill).collect();
    let number =
        |key: &str| node.get(key).and_then(Node::whole).and_then(|n| u32::try_from(n).ok());
    let after = node.get("after").into_iter().flat_map(|n| n.items().iter().chain([n]));
    let after = after.filter_map(Node::whole).filter_map(|n| u32::try_from(n).ok()).collect();
    let against = match node.get("against") {
        Some(name) => Some(file(walk, name, &join(path, "against"), case, folder)?),
        None => None,
    };
    Some(JudgeQuestion {
        model: model.text().unwrap_or_default().to_owned(),
        criteria,
        votes: number("votes").unwrap_or(1),
        pass: node.get("pass").and_then(Node::number).unwrap_or(JUDGE_PASS),
        after,
        min_turns: number("min_turns").unwrap_or(0),
        against,
    })
}

/// Fills the case's variables into a text.
fn fill(walk: &mut Walk<'_>, node: &Node, path: &str, case: &Case, text: &str) -> Option<String> {
    let filled = case.fill(text);
    filled.map_err(|why| walk.fault(&node.span, path, why, "as in {{ case.n }}")).ok()
}

fn file(
    walk: &mut Walk<'_>,
    node: &Node,
    path: &str,
    case: &Case,
    folder: &Path,
) -> Option<std::path::PathBuf> {
    let name = fill(walk, node, path, case, node.text()?)?;
    let found = places::file(folder, &name);
    found.map_err(|why| walk.fault(&node.span, path, why, "name a file in the test's folder")).ok()
}

/// Compiles a condition; an unknown name in it is a fault of the file, before anything runs.
fn condition(
    walk: &mut Walk<'_>,
    node: &Node,
    path: &str,
    case: &Case,
    names: &[&str],
) -> Option<Checked> {
    let source = node.text()?;
    let checked = check(source, case, names);
    let rates = RATE.captures_iter(source).filter_map(|c| c.get(1).or_else(|| c.get(2)));
    let inner: Result<_, _> = rates
        .map(|inner| {
            let at = |f: ExprError| ExprError { column: f.column + inner.start(), ..f };
            Ok((inner.as_str().to_owned(), check(inner.as_str(), case, names).map_err(at)?))
        })
        .collect();
    match checked.and_then(|condition| Ok((condition, inner?))) {
        Ok((condition, rates)) => Some(Checked { source: source.to_owned(), condition, rates }),
        Err(fault) => {
            let span = walk.within(&node.span, source, fault.column);
            let fix = hint(&fault);
            walk.fault(&span, path, fault.message, fix);
            None
        }
    }
}

fn check(source: &str, case: &Case, names: &[&str]) -> Result<Condition, ExprError> {
    if let Some(found) = FILLED.captures(source) {
        let (at, name) =
            (found.get(0).map_or(0, |m| m.start()), found.get(1).map_or("", |m| m.as_str()));
        let message = format!(
            "`{{{{ {name} }}}}` is not filled in here; write {name} without quotes, as in {name} in transcript"
        );
        return Err(ExprError::new(message, at));
    }
    let condition = Condition::compile(source)?;
    let known: Vec<&str> = OF_CONVERSATION.iter().chain(names).copied().collect();
    if let Some((name, column)) = condition.names().find(|(name, _)| !known.contains(name)) {
        let near = facts::instead(name, &known);
        let message = format!("{}; {near}", facts::unknown(name, &known));
        return Err(ExprError { known: OF_CONVERSATION, ..ExprError::new(message, column) });
    }
    let column = source.find("case.").unwrap_or_default();
    case.has_all(source).map_err(|message| ExprError::new(message, column))?;
    let tested = !names.contains(&"utterance");
    unknown_field(source, tested).map_or(Ok(condition), Err)
}

fn hint(fault: &ExprError) -> &'static str {
    if !fault.known.is_empty() {
        "`colloquium help expressions` lists the names"
    } else {
        r#"as in that = "ended.reason == 'utterance_limit'""#
    }
}
