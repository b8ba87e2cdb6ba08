//! What a table that looks for one answer is shown: rebuilt at every start, in one order, without what is empty.

use super::messages::{attribute, quoted};
use crate::model::Text;
use crate::state::{AnswerDeed, Entry, STEP, State, Thread, Turn};

/// Returns the parts in their order: earlier exchanges, the message, the answers, and the votes where they are shown.
pub(super) fn sections(state: &State, turn: &Turn) -> Option<Vec<Text>> {
    let thread = state.finds_answer(turn).filter(|_| turn.speaks())?;
    let step = state.batch_of(turn)?.spec.memo[STEP].as_str()?;
    let stands = state.coordination(thread, turn.horizon);
    let labels = state.labels(turn);
    let said: Vec<&Entry> = state.visible(turn).filter(|e| !e.text().trim().is_empty()).collect();
    let (before, now) = split(thread, &said);
    let history: Vec<String> = before.iter().filter_map(|e| earlier(state, thread, e)).collect();
    let asked: Vec<&str> = now.iter().filter(|e| e.seat().is_none()).map(|e| &**e.text()).collect();
    let topic = state.scenario.topic.as_ref().or(state.title.as_ref()).map(|t| t.trim());
    let message: Vec<&str> = match thread.exchange_from().0 {
        0 => topic.into_iter().chain(asked).collect(),
        _ if asked.is_empty() => topic.into_iter().collect(),
        _ => asked,
    };
    let mut answers: Vec<(Text, String)> = stands
        .answers
        .iter()
        .map(|(seat, entry)| {
            let label = labels.get(*seat).unwrap_or(&seat.0).clone();
            let text = state.read_as(entry.text(), &entry.version().labels, &labels);
            (label.clone(), part("answer", Some(&label), &text))
        })
        .collect();
    // the order of the table would tell who is who
    answers.sort();
    let answers: Vec<String> = answers.into_iter().map(|(_, answer)| answer).collect();
    let shown = thread.spec.options["votes"] == "shown" && step == "work";
    let mut votes: Vec<String> = stands
        .votes
        .values()
        .filter(|_| shown)
        .map(|(whose, why, _)| {
            let label = labels.get(*whose).unwrap_or(&whose.0);
            let why = state.read_as(why, &crate::state::Labels::new(), &labels);
            if why.trim().is_empty() {
                format!("for {label}")
            } else {
                format!("for {label}: {why}")
            }
        })
        .collect();
    votes.sort();
    let votes = quoted(&votes.join("\n"));
    let whole = [
        ("history", history.join("\n")),
        ("message", quoted(&message.join("\n\n"))),
        ("answers", answers.join("\n")),
        ("votes", votes),
    ];
    let whole = whole.into_iter().filter(|(_, text)| !text.trim().is_empty());
    Some(whole.map(|(tag, text)| format!("<{tag}>\n{text}\n</{tag}>").into()).collect())
}

/// Splits what was said into earlier exchanges and this one. What somebody said before the table began is history, and
/// what a person said after that is the message.
fn split<'a, 'e>(thread: &Thread, said: &'a [&'e Entry]) -> (&'a [&'e Entry], &'a [&'e Entry]) {
    let from = thread.exchange_from();
    let first = thread.moves.iter().map(|m| m.horizon).filter(|h| *h > from).min();
    let known = |e: &&Entry| {
        let earlier = first.is_none_or(|first| e.seq < first);
        e.seq <= from || earlier && e.seat().is_some()
    };
    let at = said.iter().rposition(known).map_or(0, |last| last + 1);
    said.split_at(at)
}

/// Returns what was said in an earlier exchange: by a person, or as the answer that was presented.
fn earlier(state: &State, thread: &Thread, entry: &Entry) -> Option<String> {
    let turn = entry.version().turn;
    let did = thread.moves.iter().find(|m| Some(m.turn) == turn).map(|m| &m.did);
    match (entry.seat(), did) {
        (None, _) => Some(part("host", None, entry.text())),
        (Some(seat), None | Some(AnswerDeed::Presented)) => {
            let name = state.seat(seat).map_or(&seat.0, |s| &s.spec.name);
            Some(format!("<said by=\"{}\">\n{}\n</said>", attribute(name), quoted(entry.text())))
        }
        (Some(_), Some(_)) => None,
    }
}

fn part(tag: &str, label: Option<&Text>, text: &str) -> String {
    let label = label.map(|label| format!(" label=\"{}\"", attribute(label))).unwrap_or_default();
    format!("<{tag}{label}>\n{}\n</{tag}>", quoted(text))
}
