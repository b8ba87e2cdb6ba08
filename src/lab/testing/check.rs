//! Checks of expectations, and the details shown to a person when one is broken.

use super::outcome::{Broken, CriterionVerdict, Judged, TestOutcome};
use super::plan::{Checked, Expect, ExpectKind, Test, TestRun};
use super::{difference, facts, tools};
use crate::expr::{Condition, Facts, parts};
use crate::model::{Kind, LateReason};
use crate::own_file::OwnFile;
use crate::state::{Entry, State};
use crate::{text, untrusted};
use regex::Regex;
use std::io::{self, Read};
use std::path::Path;
use std::sync::LazyLock;

/// Maximum characters shown of one value.
const VALUE_CHARS: usize = 200;
/// Maximum characters shown of one utterance.
const UTTERANCE_CHARS: usize = 100;
/// Number of utterances shown around a failure.
const AROUND: usize = 4;
/// Maximum bytes of a file with expected content.
const GOLDEN_MAX_BYTES: u64 = 64 << 20;

/// An utterance in a condition, by its index.
static PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\butterances\[(-?\d+)\]").expect("a fixed pattern"));

/// Result of the check of one expectation.
pub enum Checkup {
    /// The expectation is met.
    Holds,
    /// The expectation was not met; this file was rewritten to match.
    Blessed(String),
    /// The expectation is not met, or undecided.
    Broken(Broken),
}

/// Checks one expectation of a run; with `bless`, expected files that differ are rewritten.
pub fn check(
    test: &Test,
    ran: &TestRun,
    run: u32,
    at: usize,
    expect: &Expect,
    bless: bool,
) -> Checkup {
    let names = |checked: &Checked| {
        let all = [&checked.condition].into_iter().chain(checked.rates.values());
        let names: Vec<String> =
            all.flat_map(Condition::names).map(|(n, _)| n.to_owned()).collect();
        facts::of_run(test, ran, run, |name| names.iter().any(|n| n == name))
    };
    let found = match &expect.what {
        ExpectKind::That(checked) => condition(checked, &names(checked), &ran.state),
        // rates are checked after the last run
        ExpectKind::Rates(_) => None,
        ExpectKind::Each(_) => {
            ran.breach.as_ref().filter(|(broken, _)| *broken == at).map(|(_, how)| how.clone())
        }
        ExpectKind::Speakers(expected) => speakers(expected, &ran.state),
        ExpectKind::ToolCalls(expected) => tools::unlike(expected, &ran.events)
            .map(|found| wrong(TestOutcome::Fail, "tool_calls".into(), found)),
        ExpectKind::Prompt { of, turn, contains, lacks, file } => {
            match facts::prompt_of(&ran.asked, of, *turn) {
                Err(why) => {
                    Some(wrong(TestOutcome::Fail, format!("prompt of {of}"), vec![why.into()]))
                }
                Ok(asked) => {
                    let shown = asked.shown();
                    let of = format!(
                        "prompt of {of}{}",
                        turn.map_or(String::new(), |n| format!(", turn {n}"))
                    );
                    let kept = file.as_ref().map(|path| golden(path, &shown, &of, bless));
                    match kept {
                        Some(Checkup::Broken(broken)) => Some(broken),
                        Some(blessed @ Checkup::Blessed(_)) => return blessed,
                        Some(Checkup::Holds) | None => texts(&shown, &of, contains, lacks),
                    }
                }
            }
        }
        ExpectKind::Judge(_) => ran.judged.get(&at).and_then(judged),
        ExpectKind::Transcript(path) => {
            match golden(path, &facts::transcript(&ran.events), "transcript", bless) {
                Checkup::Holds => None,
                Checkup::Broken(broken) => Some(broken),
                Checkup::Blessed(path) => return Checkup::Blessed(path),
            }
        }
    };
    match found {
        None => Checkup::Holds,
        Some(broken) => Checkup::Broken(Broken {
            line: expect.line,
            why: expect.why.clone(),
            run: (test.runs > 1).then_some(run),
            ..broken
        }),
    }
}

/// Returns the commands of a test that never came due or were refused, unless it expects something of `receipts`.
pub fn unheeded(test: &Test, ran: &TestRun) -> Vec<Broken> {
    let reads = |expect: &Expect| match &expect.what {
        ExpectKind::That(checked) | ExpectKind::Rates(checked) | ExpectKind::Each(checked) => {
            checked.condition.uses("receipts")
        }
        _ => false,
    };
    if test.expects.iter().any(reads) {
        return vec![];
    }
    let unheeded = ran.events.iter().filter_map(|event| {
        let (key, why) = match &event.kind {
            Kind::Receipt(receipt) if receipt.reason == Some(LateReason::NeverDue) => {
                (&receipt.of, "it never came due")
            }
            Kind::CommandRefused(refused) => (&refused.key, &*refused.why),
            _ => return None,
        };
        let line = *test.steer_lines.get(key)?;
        let broken = wrong(
            TestOutcome::Fail,
            "the command of [[steer]] takes effect".into(),
            vec![why.into()],
        );
        Some(Broken { line, ..broken })
    });
    unheeded.collect()
}

/// Checks a condition against facts.
pub fn condition(checked: &Checked, facts: &Facts, state: &State) -> Option<Broken> {
    match checked.condition.decides(facts) {
        Ok(true) => None,
        Ok(false) => {
            let broken =
                wrong(TestOutcome::Fail, checked.source.clone(), values(&checked.source, facts));
            Some(Broken { around: around(&checked.source, state), ..broken })
        }
        Err(fault) => {
            let place = fault.place(&checked.source);
            let mut found = vec![format!("{place}: {fault}")];
            found.extend(values(&checked.source, facts));
            let broken = wrong(TestOutcome::Error, checked.source.clone(), found);
            Some(Broken { around: around(&checked.source, state), ..broken })
        }
    }
}

fn wrong(outcome: TestOutcome, expected: String, found: Vec<String>) -> Broken {
    Broken { outcome, line: 0, expected, why: None, found, around: vec![], run: None }
}

/// Returns the values of an expression's parts, as in `ended.reason = "failure"`.
fn values(source: &str, facts: &Facts) -> Vec<String> {
    let value = |part: &str| {
        let value = Condition::compile(part).and_then(|c| c.value(facts));
        let shown = value.map_or_else(|fault| format!("({fault})"), |value| value.to_string());
        format!("{part} = {}", cut(&shown, VALUE_CHARS))
    };
    match parts(source)[..] {
        [] => vec![value(source)],
        ref parts => parts.iter().map(|part| value(part)).collect(),
    }
}

/// Returns text on one line, of at most `most` characters.
pub fn cut(text: &str, most: usize) -> String {
    let line = text::line(text);
    match line.char_indices().nth(most) {
        None => line.into_owned(),
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

/// Returns the utterances around the one that an expression names; the last ones if it names none.
fn around(source: &str, state: &State) -> Vec<String> {
    let spoken: Vec<&Entry> = state.entries.iter().filter(|e| e.number.is_some()).collect();
    let named = PLACE.captures(source).and_then(|c| c.get(1)?.as_str().parse::<i64>().ok());
    let length = i64::try_from(spoken.len()).unwrap_or(i64::MAX);
    let named = named.map(|n| if n < 0 { length + n } else { n });
    let number = named.and_then(|n| spoken.get(usize::try_from(n).ok()?)).and_then(|e| e.number);
    transcript(state, number)
}

/// Returns the transcript around an utterance, one line each; the end of the transcript without a number.
pub fn transcript(state: &State, number: Option<u32>) -> Vec<String> {
    let entries = &state.entries;
    let at = number.and_then(|n| entries.iter().position(|e| e.number == Some(n)));
    let end = at.map_or(entries.len(), |at| (at + AROUND / 2).min(entries.len()));
    let shown = entries.iter().take(end).skip(end.saturating_sub(AROUND));
    let line = |e: &Entry| {
        let place = e.number.map_or("  ".into(), |n| format!("#{n}"));
        let who = e.seat().map_or("operator".into(), ToString::to_string);
        let how = if e.version().cut.is_some() { " (cut)" } else { "" };
        format!("{place} {who}{how}: {}", cut(e.text(), UTTERANCE_CHARS))
    };
    shown.map(line).collect()
}

/// Checks a condition against one utterance, as it ended.
pub fn each(checked: &Checked, facts: &Facts, state: &State, number: u32) -> Option<Broken> {
    let broken = condition(checked, facts, state)?;
    Some(Broken {
        expected: format!("each: {}", checked.source),
        found: [vec![format!("broken by #{number}")], broken.found].concat(),
        around: transcript(state, Some(number)),
        ..broken
    })
}

/// Returns the failed criteria of a judgement; the report also has the met ones.
fn judged(judged: &Judged) -> Option<Broken> {
    let against: Vec<&CriterionVerdict> =
        judged.criteria.iter().filter(|c| c.outcome != TestOutcome::Pass).collect();
    let found = against.iter().map(|c| format!("{}: {}", c.outcome.as_str(), c.criterion));
    let stopped = judged.stopped_after.map(|n| format!("the run was stopped after #{n}"));
    let found: Vec<String> = found.chain(stopped).collect();
    let expected = format!("judged by {}", judged.judge);
    (!found.is_empty()).then(|| wrong(judged.outcome, expected, found))
}

fn speakers(expected: &[String], state: &State) -> Option<Broken> {
    let found = facts::speakers(state);
    if found == expected {
        return None;
    }
    let at = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let number = u32::try_from(at + 1).ok();
    let list = |ids: &[String]| match ids {
        [] => "nobody".to_owned(),
        ids => ids.join(" "),
    };
    let lines = vec![format!("found     {}", list(&found)), format!("they diverge at #{}", at + 1)];
    let broken = wrong(TestOutcome::Fail, format!("speakers  {}", list(expected)), lines);
    Some(Broken { around: transcript(state, number), ..broken })
}

fn texts(shown: &str, of: &str, contains: &[String], lacks: &[String]) -> Option<Broken> {
    let missing = contains.iter().find(|text| !shown.contains(text.as_str()));
    let there = lacks.iter().find(|text| shown.contains(text.as_str()));
    let (how, text) = match (missing, there) {
        (Some(text), _) => ("contains", text),
        (None, Some(text)) => ("lacks", text),
        (None, None) => return None,
    };
    let found = shown.lines().map(|line| cut(line, VALUE_CHARS)).filter(|l| !l.is_empty());
    let found = match how {
        "lacks" => shown
            .lines()
            .filter(|l| l.contains(text.as_str()))
            .map(|l| cut(l, VALUE_CHARS))
            .collect(),
        _ => found.collect::<Vec<_>>(),
    };
    let expected = format!("{of} {how} {:?}", cut(text, UTTERANCE_CHARS));
    Some(wrong(TestOutcome::Fail, expected, found))
}

/// Returns the content of a file named by a test; never blocks on a pipe or a device.
fn text_of(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let read = untrusted::open(path)?.take(GOLDEN_MAX_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > GOLDEN_MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 64 MiB"));
    }
    Ok(text)
}

/// Compares text with a file of expected content; writes the file if `bless` is true and they differ.
fn golden(path: &Path, found: &str, what: &str, bless: bool) -> Checkup {
    let expected = format!("{what} matches {}", path.display());
    let kept = text_of(path);
    let found = format!("{}\n", found.trim_end());
    let difference = match &kept {
        Ok(kept) => difference::lines(kept.trim_end(), found.trim_end()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            vec!["the file is not there; --bless writes it".into()]
        }
        Err(e) => {
            return Checkup::Broken(wrong(TestOutcome::Error, expected, vec![e.to_string()]));
        }
    };
    if difference.is_empty() {
        return Checkup::Holds;
    }
    if bless {
        return match OwnFile::replace(path, found.as_bytes(), |_| true) {
            Ok(()) => Checkup::Blessed(path.display().to_string()),
            Err(e) => {
                let why = format!("cannot write {}: {e}", path.display());
                Checkup::Broken(wrong(TestOutcome::Error, expected, vec![why]))
            }
        };
    }
    let difference = difference.iter().map(|line| cut(line, VALUE_CHARS)).collect();
    Checkup::Broken(wrong(TestOutcome::Fail, expected, difference))
}
