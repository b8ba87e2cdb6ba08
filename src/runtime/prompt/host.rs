//! Announcements of the host in the conversation: the results of votes and verdicts.

use crate::escape::attribute;
use crate::model::{Block, Purpose, Seq, Text, VerdictGiven, VoteClosed};
use crate::state::{Announcement, Labels, State, Turn};

/// Returns the announcements visible to a turn, each with its `seq`; those covered by a summary are left out.
pub(super) fn announcements(
    state: &State,
    turn: &Turn,
    labels: &Labels,
    covered: Option<Seq>,
) -> Vec<(Block, Seq)> {
    if turn.purpose == Purpose::Judge {
        // verdicts of other judges must not influence this one
        return vec![];
    }
    let heard = state.heard_to(turn);
    let seen = state.news.iter().filter(|news| {
        let fresh = covered.is_none_or(|upto| news.seq > upto);
        let in_time = turn.summarises.as_ref().is_none_or(|task| news.seq <= task.upto);
        news.seq < heard && fresh && in_time && state.sees_thread(turn.thread, news.thread)
    });
    let block = |news: &crate::state::Told| {
        let text = match &news.what {
            Announcement::Vote(vote) => of_vote(vote),
            Announcement::Verdict(verdict) => of_verdict(verdict),
        };
        let text = state.addressed_as(&text.into(), labels);
        (Block::Operator { number: None, text, whisper: false, material: None }, news.seq)
    };
    seen.map(block).collect()
}

/// Inserts announcements into messages: each after all earlier messages.
pub(super) fn merged(
    mut said: Vec<(Block, Seq)>,
    told: Vec<(Block, Seq)>,
) -> impl Iterator<Item = (Block, Seq)> {
    for (block, seq) in told {
        let at = said.iter().rposition(|(_, earlier)| *earlier < seq).map_or(0, |at| at + 1);
        said.insert(at, (block, seq));
    }
    said.into_iter()
}

fn of_vote(vote: &VoteClosed) -> String {
    let counts: Vec<String> = vote
        .options
        .iter()
        .map(|option| format!("{option} {}", vote.counts.get(option).copied().unwrap_or(0)))
        .collect();
    let winner = match (vote.is_compared(), &vote.winner) {
        // the swing decides
        (true, _) => String::new(),
        (false, Some(winner)) => format!("; {winner} wins"),
        (false, None) => "; no winner".into(),
    };
    format!("The vote \"{}\": {}{winner}.", vote.question.trim(), counts.join(", "))
}

fn of_verdict(verdict: &VerdictGiven) -> String {
    let of = verdict.phase.as_ref().map_or(String::new(), |phase| format!(" on {phase}"));
    let winner = match &verdict.winner {
        Some(winner) => format!("{winner} wins"),
        None => "no winner".into(),
    };
    let scores: Vec<String> = verdict
        .sides
        .iter()
        .filter_map(|side| Some(format!("{side} {}", verdict.scores.get(side)?)))
        .collect();
    let scores =
        if scores.is_empty() { String::new() } else { format!(" ({})", scores.join(", ")) };
    format!(
        "The verdict{of}, \"{}\": {winner}{scores}.",
        attribute(&Text::from(verdict.question.trim()))
    )
}
