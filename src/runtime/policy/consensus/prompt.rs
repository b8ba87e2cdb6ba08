//! Prompt parts of a search for one answer: earlier exchanges, the question, the answers, and the votes if they are
//! shown. They are rebuilt for every prompt, in a fixed order, without empty ones.

use crate::model::{SeatId, Seq, Text};
use crate::policy::prompt_parts::{PromptParts, PromptSection, SectionContent};
use crate::policy::view::View;
use crate::state::{Coordination, Entry, Labels, MoveKind, Task, Turn};
use crate::text;

/// Beginnings of the tags of the sections.
pub(super) const TAGS: &[&str] =
    &["history", "host", "summary", "said", "message", "answer", "vote", "your_draft"];

/// Explanation of the process for seats that answer or vote.
const PROCESS: &str = "Everybody first answers without reading the others; then all read the answers, without the names of their authors, and vote for one or give a better one. The answer with the most votes is presented as the answer of the group. Name nobody in an answer or a reason: a name gives an author away.";
/// Sentence before an interrupted draft.
const DRAFT: &str = "Your draft, which a new answer interrupted; nobody has read it:";

pub(super) fn parts(v: &View<'_>, turn: &Turn) -> PromptParts {
    let visible = v.state.visible(turn);
    let said: Vec<&Entry> = visible.filter(|e| !e.text().trim().is_empty()).collect();
    let (before, now) = split(v, &said);
    let parts = PromptParts { topic: later_question(v, now), ..PromptParts::default() };
    let task = v.state.batch_of(turn).and_then(|batch| batch.memo.step);
    let Some(task) = task else { return parts };
    if !turn.speaks() {
        return parts;
    }
    PromptParts {
        process: if task == Task::Present { None } else { Some(PROCESS) },
        sections: sections(v, turn, task, before, now),
        replaces_messages: true,
        history_to: before.last().map(|e| e.seq),
        ..parts
    }
}

/// Returns the question of a later exchange; `None` in the first one, and without a question.
fn later_question(v: &View<'_>, now: &[&Entry]) -> Option<Text> {
    let asked = asked(now);
    if v.thread.exchange_from() == Seq(0) || asked.is_empty() {
        return None;
    }
    Some(asked.join("\n\n").into())
}

/// Returns the text of the host's messages.
fn asked<'e>(said: &[&'e Entry]) -> Vec<&'e str> {
    said.iter().filter(|e| e.seat().is_none()).map(|e| &**e.text()).collect()
}

fn sections(
    v: &View<'_>,
    turn: &Turn,
    task: Task,
    before: &[&Entry],
    now: &[&Entry],
) -> Vec<PromptSection> {
    let stands = v.state.coordination(v.thread, turn.horizon);
    let labels = v.state.labels(turn);
    let topic = v.state.scenario.topic.as_ref().or(v.state.title.as_ref()).map(|t| &**t);
    let mut sections = vec![];
    let history = history(v, turn, topic, before, &labels);
    if !history.is_empty() {
        let content = SectionContent::History(history);
        sections.push(PromptSection { tag: "history", content, ..PromptSection::default() });
    }
    let asked = asked(now);
    // the topic, and the question of a later exchange, are in the part before
    if v.thread.exchange_from() == Seq(0) {
        sections.push(PromptSection::new("message", asked.join("\n\n")));
    }
    sections.push(PromptSection::with_parts("answers", answers(v, turn, &stands, &labels)));
    if v.option_is("votes", "shown") && task == Task::Work || task == Task::Present {
        sections.push(PromptSection::new("votes", votes(v, &stands, &labels)));
    }
    if task == Task::Work {
        let draft = PromptSection::new("your_draft", stands.draft(&turn.seat).trim());
        sections.push(PromptSection { lead: DRAFT, ..draft });
    }
    sections.retain(|section| match &section.content {
        SectionContent::Text(text) => !text.trim().is_empty(),
        SectionContent::Parts(parts) | SectionContent::History(parts) => !parts.is_empty(),
    });
    sections
}

/// Returns the messages of earlier exchanges, or the summary that covers them, after the topic.
fn history(
    v: &View<'_>,
    turn: &Turn,
    topic: Option<&str>,
    before: &[&Entry],
    labels: &Labels,
) -> Vec<PromptSection> {
    let heading = if before.is_empty() { None } else { topic };
    let heading = heading.map(|topic| PromptSection::new("host", topic));
    let summary = if v.state.reads_summary(turn) { v.state.summary_for(turn) } else { None };
    let summed = summary.and_then(|summary| {
        let text = v.state.read_as(summary.text.as_ref()?, &summary.labels, labels);
        Some(PromptSection::new("summary", &*text))
    });
    let covered = summary.map(|s| s.task.upto);
    let fresh = before.iter().filter(|e| covered.is_none_or(|upto| e.seq > upto));
    heading.into_iter().chain(summed).chain(fresh.filter_map(|e| earlier(v, e))).collect()
}

/// Returns the answers by their labels, because the seating order would reveal the authors.
fn answers(
    v: &View<'_>,
    turn: &Turn,
    stands: &Coordination<'_>,
    labels: &Labels,
) -> Vec<PromptSection> {
    let mut answers: Vec<(Text, PromptSection)> = vec![];
    for (seat, entry) in &stands.answers {
        let label = labels.get(*seat).unwrap_or(&seat.0).clone();
        let text = v.state.read_as(entry.text(), &entry.version().labels, labels);
        let answer = PromptSection::new("answer", &*text).with("label", label.clone());
        let answer = if **seat == turn.seat { answer.with("by", "you") } else { answer };
        answers.push((label, answer));
    }
    answers.sort_by(|(a, _), (b, _)| a.cmp(b));
    answers.into_iter().map(|(_, answer)| answer).collect()
}

/// Returns a line for each vote, in alphabetical order.
fn votes(v: &View<'_>, stands: &Coordination<'_>, labels: &Labels) -> String {
    let vote = |whose: &SeatId, why: &Text| {
        let label = labels.get(whose).unwrap_or(&whose.0);
        let why = v.state.read_as(why, &Labels::new(), labels);
        // lines would pass for further votes
        let why = text::line(why.trim());
        if why.is_empty() { format!("for {label}") } else { format!("for {label}: {why}") }
    };
    let mut votes: Vec<String> =
        stands.votes.values().map(|(whose, why, _)| vote(whose, why)).collect();
    votes.sort();
    votes.join("\n")
}

/// Splits the messages into earlier exchanges and the current one. Messages of participants from before the first round
/// belong to the history, messages of a person after them to the current exchange.
fn split<'a, 'e>(v: &View<'_>, said: &'a [&'e Entry]) -> (&'a [&'e Entry], &'a [&'e Entry]) {
    let from = v.thread.exchange_from();
    let moves = v.thread.state.moves().iter();
    let first = moves.map(|m| m.horizon).filter(|h| *h > from).min();
    let known = |e: &&Entry| {
        let earlier = first.is_none_or(|first| e.seq < first);
        e.seq <= from || earlier && e.seat().is_some()
    };
    let at = said.iter().rposition(known).map_or(0, |last| last + 1);
    said.split_at(at)
}

/// Returns a message of an earlier exchange if it is from a person or an answer that was presented; `None` otherwise.
fn earlier(v: &View<'_>, entry: &Entry) -> Option<PromptSection> {
    let turn = entry.version().turn;
    let did = v.thread.state.moves().iter().find(|m| Some(m.turn) == turn).map(|m| &m.did);
    match (entry.seat(), did) {
        (None, _) => Some(PromptSection::new("host", &**entry.text())),
        (Some(seat), None | Some(MoveKind::Presented)) => {
            let name = v.state.seat(seat).map_or(&seat.0, |s| &s.spec.name);
            Some(PromptSection::new("said", &**entry.text()).with("by", name.clone()))
        }
        (Some(_), Some(_)) => None,
    }
}
