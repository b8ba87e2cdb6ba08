//! Prompt sections for a thread that seeks a single answer: rebuilt for every prompt, in a fixed order, without empty
//! ones.

use super::escape::{attribute, quoted};
use super::reader;
use crate::model::{Seq, Text};
use crate::state::{Entry, MoveKind, State, Task, Thread, Turn};

/// Explanation of the process for seats that answer or vote.
const PROCESS: &str = "Everybody first answers without reading the others; then all read the answers, without the names of their authors, and vote for one or give a better one. The answer with the most votes is presented as the answer of the group. Name nobody in an answer or a reason: a name gives an author away.";
/// Heading of an interrupted draft.
const DRAFT: &str = "Your draft, which a new answer interrupted; nobody has read it:";

/// Returns the explanation of the process for a turn that answers or votes.
pub(super) fn process(state: &State, turn: &Turn) -> Option<String> {
    state.finds_answer(turn)?;
    let task = state.batch_of(turn)?.memo.step?;
    (turn.speaks() && task != Task::Present).then(|| PROCESS.to_owned())
}

/// Sections of a prompt, and the part of the history that they omit.
pub(super) struct AnswerSections {
    /// Complete sections in order, each in its tag.
    pub(super) all: Vec<Text>,
    /// Number of omitted messages from earlier exchanges.
    pub(super) left_out: u32,
    /// `seq` of the last message of the earlier exchanges.
    pub(super) history_to: Option<Seq>,
}

/// Returns the question of a later exchange, for a turn in a thread that seeks a single answer.
pub(super) fn later_question(state: &State, turn: &Turn) -> Option<String> {
    let thread = state.finds_answer(turn).filter(|thread| thread.exchange_from() > Seq(0))?;
    let said: Vec<&Entry> = state.visible(turn).filter(|e| !e.text().trim().is_empty()).collect();
    let asked = asked(split(thread, &said).1);
    (!asked.is_empty()).then(|| asked.join("\n\n"))
}

/// Returns the text of the host's messages.
fn asked<'e>(said: &[&'e Entry]) -> Vec<&'e str> {
    said.iter().filter(|e| e.seat().is_none()).map(|e| &**e.text()).collect()
}

/// Returns the sections in order: earlier exchanges, the message, the answers, and the votes if they are shown. If the
/// earlier exchanges take more than `most` bytes, their oldest messages are omitted first.
pub(super) fn sections(state: &State, turn: &Turn, most: usize) -> Option<AnswerSections> {
    if !turn.speaks() {
        return None;
    }
    let thread = state.finds_answer(turn)?;
    let task = state.batch_of(turn)?.memo.step?;
    let stands = state.coordination(thread, turn.horizon);
    let labels = state.labels(turn);
    let said: Vec<&Entry> = state.visible(turn).filter(|e| !e.text().trim().is_empty()).collect();
    let (before, now) = split(thread, &said);
    let topic = state.scenario.topic.as_ref().or(state.title.as_ref());
    let history_to = before.last().map(|e| e.seq);
    let heading = if history_to.is_some() { topic } else { None };
    let mut history: Vec<String> = heading.map(|t| part("host", None, t)).into_iter().collect();
    let summed = reader::reads_summary(state, turn);
    let summary = if summed { state.summary_for(turn) } else { None };
    if let Some(summary) = summary
        && let Some(text) = &summary.text
    {
        history.push(part("summary", None, &state.read_as(text, &summary.labels, &labels)));
    }
    let covered = summary.map(|s| s.task.upto);
    let fresh = before.iter().filter(|e| covered.is_none_or(|upto| e.seq > upto));
    history.extend(fresh.filter_map(|e| earlier(state, thread, e)));
    let mut left = most;
    let fit = history.iter().rev().take_while(|said| {
        let fits = said.len() < left;
        left = left.saturating_sub(said.len() + 1);
        fits
    });
    let left_out = history.len() - fit.count();
    history.drain(..left_out);
    if left_out > 0 {
        let what = if left_out == 1 { "message" } else { "messages" };
        history.insert(0, format!("[{left_out} earlier {what} left out]"));
    }
    let asked = asked(now);
    let topic = topic.map(|t| t.trim());
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
            let by = if **seat == turn.seat { " by=\"you\"" } else { "" };
            let answer = format!(
                "<answer label=\"{}\"{by}>\n{}\n</answer>",
                attribute(&label),
                quoted(&text)
            );
            (label, answer)
        })
        .collect();
    // sorted, because the seating order would reveal the authors
    answers.sort();
    let answers: Vec<String> = answers.into_iter().map(|(_, answer)| answer).collect();
    let shown =
        thread.spec.options["votes"] == "shown" && task == Task::Work || task == Task::Present;
    let mut votes: Vec<String> = shown
        .then(|| stands.votes.values())
        .into_iter()
        .flatten()
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
    let whole = whole.map(|(tag, text)| format!("<{tag}>\n{text}\n</{tag}>").into());
    let draft = if task == Task::Work { stands.draft(&turn.seat).trim() } else { "" };
    let draft = (!draft.is_empty()).then(|| {
        let draft = quoted(draft);
        format!("{DRAFT}\n<your_draft>\n{draft}\n</your_draft>").into()
    });
    let all = whole.chain(draft).collect();
    Some(AnswerSections { all, left_out: u32::try_from(left_out).unwrap_or(u32::MAX), history_to })
}

/// Splits the messages into earlier exchanges and the current one. Messages of participants from before the first round
/// belong to the history, messages of a person after them to the current exchange.
fn split<'a, 'e>(thread: &Thread, said: &'a [&'e Entry]) -> (&'a [&'e Entry], &'a [&'e Entry]) {
    let from = thread.exchange_from();
    let first = thread.state.moves().iter().map(|m| m.horizon).filter(|h| *h > from).min();
    let known = |e: &&Entry| {
        let earlier = first.is_none_or(|first| e.seq < first);
        e.seq <= from || earlier && e.seat().is_some()
    };
    let at = said.iter().rposition(known).map_or(0, |last| last + 1);
    said.split_at(at)
}

/// Returns a message of an earlier exchange if it is from a person or an answer that was presented; `None` otherwise.
fn earlier(state: &State, thread: &Thread, entry: &Entry) -> Option<String> {
    let turn = entry.version().turn;
    let did = thread.state.moves().iter().find(|m| Some(m.turn) == turn).map(|m| &m.did);
    match (entry.seat(), did) {
        (None, _) => Some(part("host", None, entry.text())),
        (Some(seat), None | Some(MoveKind::Presented)) => {
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
