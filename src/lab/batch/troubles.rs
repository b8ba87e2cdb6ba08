//! Flaws of results: cut replies, unreadable answers, failed conversations.

use super::results::{ResultLine, ResultOutcome};

/// Counts of the flaws of one or more conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// Calls, without retries of calls that had no reply.
    pub calls: u64,
    /// Replies that were cut at their token limit.
    pub cut: u64,
    /// Conversations with a prompt that left out a part of the conversation.
    pub truncated: u64,
    /// Participants whose answer counts.
    pub answers: u64,
    /// Participants without a readable answer.
    pub unread: u64,
    /// Failed conversations.
    pub failed: u64,
}

impl Troubles {
    /// Counts the flaws of one conversation.
    pub fn new(line: &ResultLine) -> Troubles {
        let (of, abstained) = line.answered.as_ref().map_or((0, 0), |a| (a.of, a.abstained));
        Troubles {
            calls: line.calls_total,
            cut: line.cut,
            truncated: u64::from(line.truncated > 0),
            answers: u64::from(of),
            unread: u64::from(abstained),
            failed: u64::from(line.outcome == ResultOutcome::Failed),
        }
    }

    /// Adds the counts of other conversations.
    pub fn add(&mut self, other: &Troubles) {
        self.calls += other.calls;
        self.cut += other.cut;
        self.truncated += other.truncated;
        self.answers += other.answers;
        self.unread += other.unread;
        self.failed += other.failed;
    }

    /// Describes cut replies, incomplete prompts and unreadable answers; `None` if there are none.
    pub fn describe(&self) -> Option<String> {
        let part = |n: u64, all: u64, what: &str| (n > 0).then(|| format!("{n} of {all} {what}"));
        let cut = part(self.cut, self.calls, "replies were cut at max_tokens");
        let unread = part(self.unread, self.answers, "answers could not be read");
        let truncated = match self.truncated {
            0 => None,
            1 => Some("prompts did not fit the context window".to_owned()),
            n => Some(format!("the prompts of {n} conversations did not fit the context window")),
        };
        let all: Vec<String> = cut.into_iter().chain(truncated).chain(unread).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}
