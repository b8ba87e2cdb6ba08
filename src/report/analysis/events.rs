//! Key events, as recorded in the log, without any interpretation of text.

use super::positions::counts;
use super::turn_log::MomentKind;
use super::{Analysis, Cell, Standing, Table, name, repetitions};
use crate::model::*;
use serde_json::Value;

/// Returns the table: position, time, kind and text. Whispers and hidden turns are left out.
pub fn table(analysis: &Analysis<'_>) -> Table {
    let mut table = Table::new(
        "events",
        "Key events",
        "votes, verdicts, recorded changes of position, your commands, failures, retries, cuts, limits, marks and \
             ends, and turns that repeat at least 80 % of what was just said",
        0,
        "utterance: no. | at_ms: at | what | words",
    );
    let mut rows: Vec<(Seq, Vec<Cell>)> = Vec::new();
    let mut add = |seq: Seq, at: Ms, number: u32, what: &str, words: &str| {
        let number = Cell::Count(u64::from(number));
        rows.push((seq, vec![number, Cell::At(at.0), Cell::text(what), Cell::text(words)]));
    };
    for moment in analysis.moments() {
        let (what, words) = describe(analysis, &moment.what);
        add(moment.seq, moment.ms, moment.after, what, &words);
    }
    for turn in analysis.turns() {
        let who = name(analysis.state, &turn.seat);
        let number = turn.number;
        let error = turn.error.as_deref().unwrap_or("");
        match (turn.outcome, turn.why) {
            (Outcome::Failed, _) => {
                add(turn.seq, turn.ended, number, "failure", &format!("{who}: {error}"));
            }
            (Outcome::Cut, why) => add(turn.seq, turn.ended, number, cut(why), &who),
            (Outcome::Said | Outcome::Passed, _) => {}
        }
    }
    for (now, before) in super::stated::stated(analysis) {
        if let (Some(before), Some(turn)) = (before, analysis.turn_log.spent(now.turn))
            && before.words != now.words
        {
            let who = name(analysis.state, &now.participant);
            let words = format!("{who}: from {} to {}", before.words, now.words);
            add(turn.seq, turn.ended, turn.number, "shift", &words);
        }
    }
    let standing = analysis.state.poles().and_then(|_| Standing::new(analysis.state));
    for moved in standing.map_or_else(Vec::new, |standing| standing.moves()) {
        let since = moved.now.turn.0 >= analysis.from.0;
        if let (true, Some(turn)) = (since, analysis.turn_log.spent(moved.now.turn)) {
            add(turn.seq, turn.ended, turn.number, "shift", &moved.describe("the host"));
        }
    }
    for (entry, repetition) in analysis.utterances().zip(repetitions(analysis)) {
        if let ((_, Some(turn)), true) = (entry, repetition.repeats()) {
            let like = repetition.own.max(repetition.echo) * 100.0;
            let words = format!("{}: {like:.0} % repeated", name(analysis.state, &turn.seat));
            add(turn.seq, turn.ended, repetition.number, "repetition", &words);
        }
    }
    rows.sort_by_key(|(seq, _)| *seq);
    table.rows = rows.into_iter().map(|(_, row)| row).collect();
    table
}

fn describe(analysis: &Analysis<'_>, what: &MomentKind) -> (&'static str, String) {
    match what {
        MomentKind::Command(given) => (given.line.command.name(), command(analysis, given)),
        MomentKind::Retried(turn, why) => {
            let who = analysis.turn_log.spent(*turn).map(|t| name(analysis.state, &t.seat));
            ("retry", format!("{}: {why}", who.unwrap_or_default()))
        }
        MomentKind::Limit(at) => ("limit", at.what.words(at.limit)),
        MomentKind::Vote(vote) => ("vote", format!("{}: {}", vote.question, counts(vote))),
        MomentKind::Verdict(verdict) => {
            let winner = verdict.winner.as_deref().unwrap_or("nobody");
            ("verdict", format!("{}: {winner}; {}", verdict.question, verdict.how))
        }
        MomentKind::Ended(reason) if reason.is_length() && !analysis.state.losses().is_empty() => {
            ("end", "at its planned length".into())
        }
        MomentKind::Ended(reason) => ("end", reason.words()),
        MomentKind::Forked(parent) => ("branch", format!("of {parent}")),
    }
}

/// Returns the cause of a cut turn, as text.
pub(super) fn cut(why: Option<CutWhy>) -> &'static str {
    match why {
        Some(CutWhy::CutIn) => "cut in",
        Some(CutWhy::PauseNow) => "stopped by a pause",
        Some(CutWhy::Timeout) => "timed out",
        Some(CutWhy::Crash) => "interrupted",
        Some(CutWhy::BrokenOff) => "failed mid-sentence",
        Some(CutWhy::Filtered) => "cut by the provider's content filter",
        Some(CutWhy::Superseded) => "restarted",
        Some(CutWhy::Operator) => "stopped",
        None => "cut",
    }
}

/// Returns the arguments and public text of a command.
fn command(analysis: &Analysis<'_>, given: &CommandGiven) -> String {
    let command = &given.line.command;
    if analysis
        .state
        .entries
        .iter()
        .any(|e| e.hidden.is_some() && e.of.as_ref() == Some(&given.key))
    {
        return "hidden".into();
    }
    let hidden = |n: u32| analysis.state.utterance(n).is_some_and(|e| e.hidden.is_some());
    match command {
        Command::Whisper(words) => return format!("to {}", name(analysis.state, words.to())),
        Command::Note { to, .. } if command.is_private() => {
            let names: Vec<String> = to.iter().map(|seat| name(analysis.state, seat)).collect();
            return format!("to {}", names.join(", "));
        }
        // the queued message may be a whisper
        Command::EditQueued { of, .. } => return of.to_string(),
        _ => {}
    }
    if let Command::Edit { utterance, .. } = command
        && hidden(*utterance)
    {
        return utterance.to_string();
    }
    let fields = serde_json::to_value(command).unwrap_or_default();
    let fields = fields.as_object().into_iter().flatten().filter(|(key, _)| *key != "do");
    fields.filter_map(|(_, value)| shown(value)).collect::<Vec<_>>().join(": ")
}

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(list) if list.is_empty() => None,
        Value::Array(list) => Some(list.iter().filter_map(shown).collect::<Vec<_>>().join(", ")),
        Value::Object(table) => Some(table.keys().cloned().collect::<Vec<_>>().join(", ")),
        Value::Null => None,
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
    }
}
