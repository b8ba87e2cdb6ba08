//! Flaws of results: cut replies, unreadable answers, failed conversations.

use super::results::{ResultLine, ResultOutcome};

/// Counts of the flaws of one or more conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// Calls, without retries of calls that had no reply.
    pub calls: u64,
    /// Replies that were cut at their token limit.
    pub cut: u64,
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
            calls: line.measured.calls.values().sum(),
            cut: line.measured.cut,
            answers: u64::from(of),
            unread: u64::from(abstained),
            failed: u64::from(line.outcome == ResultOutcome::Failed),
        }
    }

    /// Adds the counts of other conversations.
    pub fn add(&mut self, other: &Troubles) {
        self.calls += other.calls;
        self.cut += other.cut;
        self.answers += other.answers;
        self.unread += other.unread;
        self.failed += other.failed;
    }

    /// Describes cut replies and unreadable answers; `None` if there are none.
    pub fn describe(&self) -> Option<String> {
        let part = |n: u64, all: u64, what: &str| (n > 0).then(|| format!("{n} of {all} {what}"));
        let cut = part(self.cut, self.calls, "replies were cut at max_tokens");
        let unread = part(self.unread, self.answers, "answers could not be read");
        let all: Vec<String> = cut.into_iter().chain(unread).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }
}
