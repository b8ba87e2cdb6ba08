//! Resolution of `[[expect]]`: conditions compile and use known names only, and files are found.

use super::cases::Case;
use crate::expr::{Condition, ExprError};
use crate::model::SeatId;
use crate::model::facts::{self, OF_CONVERSATION};
use crate::scenario::{At, Gravity, Walk, unknown_field};
use crate::testing::keys::{EACH_NAMES, EXPECT_NAMES, RawExpect, RawOfPrompt};
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
    root: &At<'_>,
    case: &Case,
    folder: &Path,
    turns: Option<u32>,
) -> Vec<Expect> {
    let mut all = vec![];
    for at in root.list("expect") {
        let expect = expect(walk, &at, case, folder);
        if let Some(ExpectKind::Judge(JudgeQuestion { min_turns, .. })) =
            expect.as_ref().map(|e| &e.what)
            && let Some(most) = turns
            && *min_turns > most
        {
            let message = format!(
                "is {min_turns}, but the conversation ends after {most} turns: nothing would be judged"
            );
            walk.fault(&at.place("min_turns"), message, format!("at most {most}"));
        }
        all.extend(expect);
    }
    all
}

fn expect(walk: &mut Walk<'_>, at: &At<'_>, case: &Case, folder: &Path) -> Option<Expect> {
    let raw: RawExpect = at.node.read();
    let mut whats = at.among(&WHATS);
    let (Some((kind, value)), second) = (whats.next(), whats.next()) else {
        walk.fault(at, "expects nothing", r#"as in that = "ended.reason == 'utterance_limit'""#);
        return None;
    };
    let value = value.value();
    if let Some((_, second)) = second {
        let message = format!("is a second expectation in addition to `{kind}`");
        walk.fault(&second, message, "give it its own [[expect]]");
    }
    for (keys, of, fix) in [
        (&OF_PROMPT[..], "prompt", r#"as in prompt = { of = "bo" }"#),
        (&OF_JUDGE[..], "judge", r#"as in judge = "ollama:llama3""#),
    ] {
        let invalid: &[&str] = if kind == of { &[] } else { keys };
        for (_, other) in at.among(invalid) {
            walk.fault(&other, format!("is only for an expectation with `{of}`"), fix);
        }
    }
    let what = match kind {
        "that" => {
            let checked = condition(walk, &value, case, EXPECT_NAMES)?;
            if checked.condition.uses("rate") {
                ExpectKind::Rates(checked)
            } else {
                ExpectKind::That(checked)
            }
        }
        "each" => ExpectKind::Each(condition(walk, &value, case, EACH_NAMES)?),
        "speakers" => ExpectKind::Speakers(value.node.read()),
        "tool_calls" => ExpectKind::ToolCalls(tool_calls(walk, &value, case)),
        "judge" => ExpectKind::Judge(judge(walk, at, &raw, case, folder)?),
        "transcript" => ExpectKind::Transcript(file(walk, &value, case, folder)?),
        _ => {
            if at.among(&OF_PROMPT).next().is_none() {
                let fix = "add contains = \"...\", lacks = \"...\" or file = \"...\"";
                walk.fault(&value, "checks nothing in the prompt", fix);
            }
            let mut texts = |key: &str| {
                let all = at.get(key).into_iter().flat_map(|all| all.each());
                all.filter_map(|text| fill(walk, &text, case)).collect()
            };
            let RawOfPrompt { of, turn } = value.node.read();
            ExpectKind::Prompt {
                of: SeatId(of),
                turn,
                contains: texts("contains"),
                lacks: texts("lacks"),
                file: match at.get("file") {
                    Some(name) => Some(file(walk, &name, case, folder)?),
                    None => None,
                },
            }
        }
    };
    // a judge's share refers to its votes
    let pass = if matches!(what, ExpectKind::Judge(_)) { None } else { raw.pass };
    Some(Expect { what, why: raw.why, pass, line: walk.line(at.span) })
}

/// Resolves expected tool calls.
fn tool_calls(walk: &mut Walk<'_>, calls: &At<'_>, case: &Case) -> Vec<ExpectedCall> {
    let calls = calls.each().filter_map(|call| {
        let filled = case.fill_value(&call.node.to_json());
        let filled = filled.map_err(|why| walk.fault(&call, why, "as in {{ case.n }}")).ok()?;
        Some(ExpectedCall(filled.as_object()?.clone()))
    });
    calls.collect()
}

/// Resolves the question to a judge.
fn judge(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    raw: &RawExpect,
    case: &Case,
    folder: &Path,
) -> Option<JudgeQuestion> {
    let asked = at.get("question").into_iter().chain(at.list("criteria"));
    let asked: Vec<At<'_>> = asked.filter(|asked| asked.node.text().is_some()).collect();
    if asked.is_empty() {
        let fix = r#"add question = "Did Bo answer Ada's point?", or criteria = [...]"#;
        walk.fault(at, "does not say what is judged", fix);
    }
    let here = |asked: At<'_>| fill(walk, &At { path: at.path.clone(), ..asked }, case);
    let criteria = asked.into_iter().filter_map(here).collect();
    let after = at.get("after").into_iter().flat_map(|after| after.each());
    let against = match at.get("against") {
        Some(name) => Some(file(walk, &name, case, folder)?),
        None => None,
    };
    Some(JudgeQuestion {
        model: at.word("judge").unwrap_or_default().to_owned(),
        criteria,
        votes: raw.votes.unwrap_or(1),
        pass: raw.pass.unwrap_or(JUDGE_PASS),
        after: after.filter_map(|turn| turn.node.read()).collect(),
        min_turns: raw.min_turns.unwrap_or(0),
        against,
    })
}

/// Fills the case's variables into a text; `None` for a value of another kind.
fn fill(walk: &mut Walk<'_>, at: &At<'_>, case: &Case) -> Option<String> {
    let filled = case.fill(at.node.text()?);
    filled.map_err(|why| walk.fault(at, why, "as in {{ case.n }}")).ok()
}

fn file(
    walk: &mut Walk<'_>,
    at: &At<'_>,
    case: &Case,
    folder: &Path,
) -> Option<std::path::PathBuf> {
    let name = fill(walk, at, case)?;
    let found = places::file(folder, &name);
    found.map_err(|why| walk.fault(at, why, "name a file in the test's folder")).ok()
}

/// Compiles a condition; an unknown name in it is a fault of the file, before anything runs.
fn condition(walk: &mut Walk<'_>, at: &At<'_>, case: &Case, names: &[&str]) -> Option<Checked> {
    let source = at.node.text()?;
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
            let span = walk.within(at.span, source, fault.column);
            let fix = hint(&fault);
            walk.report(Gravity::Error, &span, &at.path, fault.message, fix);
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
    if condition.names().next().is_none() {
        return Err(ExprError::new("uses nothing of the conversation: its outcome is fixed", 0));
    }
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
