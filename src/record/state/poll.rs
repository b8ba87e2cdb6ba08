//! The polls of a scenario before the first turn and after the last one, and the swing between them.

use super::{Announcement, Conversation};
use crate::model::{PollTime, SeatId, Seq, Text, ThreadId, VoteClosed};

/// A closed poll.
#[derive(Clone, Debug, PartialEq)]
pub struct Polled {
    /// The ballots and the counts.
    pub vote: VoteClosed,
    /// Number of utterances at that time.
    pub at: u32,
    /// `seq` of its end.
    pub seq: Seq,
}

/// The difference between the poll before the first turn and the poll after the last one.
#[derive(Clone, Debug, PartialEq)]
pub struct Swing<'a> {
    /// Votes gained by each choice, in the order of the choices; negative for a loss.
    pub gains: Vec<(&'a Text, i64)>,
    /// The choice that gained the most; `None` for a tie, and if no choice gained.
    pub winner: Option<&'a Text>,
    /// Voters with another choice than before.
    pub moved: Vec<BallotMove<'a>>,
}

/// A voter's change between the polls; `None` is an abstention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BallotMove<'a> {
    /// The voter.
    pub seat: &'a SeatId,
    /// The choice before the first turn.
    pub from: Option<&'a Text>,
    /// The choice after the last turn.
    pub to: Option<&'a Text>,
    /// The reason for the new choice.
    pub why: &'a Text,
}

impl Conversation {
    /// Returns the last closed poll of a time.
    pub fn polled(&self, time: PollTime) -> Option<&Polled> {
        self.polls.iter().rev().find(|poll| poll.vote.poll == Some(time))
    }

    /// Keeps a closed vote, and announces it unless the debaters must not argue with the first count of a poll.
    pub(super) fn close_vote(&mut self, seq: Seq, thread: ThreadId, vote: &VoteClosed) {
        self.vote = Some(vote.clone());
        self.votes += 1;
        if vote.poll.is_some() {
            self.polls.push(Polled { vote: vote.clone(), at: self.utterances, seq });
        }
        if vote.poll != Some(PollTime::Before) {
            self.announce(seq, thread, Announcement::Vote(vote.clone()));
        }
    }

    /// Returns the first count of a vote that was taken twice.
    pub fn count_before(&self) -> Option<&VoteClosed> {
        if let [first, .., _] = &self.polls[..] { Some(&first.vote) } else { None }
    }

    /// Returns the swing that a vote completes; `None` for all but the second vote of a poll.
    pub fn swing_of(&self, vote: &VoteClosed) -> Option<Swing<'_>> {
        if vote.poll == Some(PollTime::After) { self.swing() } else { None }
    }

    /// Returns the swing between the polls; `None` before the second one.
    pub fn swing(&self) -> Option<Swing<'_>> {
        let before = &self.polled(PollTime::Before)?.vote;
        let after = &self.polled(PollTime::After)?.vote;
        let gain = |option| count(after, option) - count(before, option);
        let gains: Vec<(&Text, i64)> = after.options.iter().map(|o| (o, gain(o))).collect();
        let most = gains.iter().map(|(_, gain)| *gain).max().unwrap_or(0);
        let ahead: Vec<&Text> =
            gains.iter().filter(|(_, gain)| *gain == most).map(|(option, _)| *option).collect();
        let winner = match ahead[..] {
            [winner] if most > 0 => Some(winner),
            _ => None,
        };
        let moved = after.ballots.iter().filter_map(|ballot| {
            let earlier = before.ballots.iter().find(|b| b.seat == ballot.seat)?;
            let from = earlier.choice.as_ref();
            let to = ballot.choice.as_ref();
            let why = &ballot.why;
            (from != to).then_some(BallotMove { seat: &ballot.seat, from, to, why })
        });
        Some(Swing { winner, moved: moved.collect(), gains })
    }
}

/// Returns the number of votes for a choice.
fn count(vote: &VoteClosed, option: &Text) -> i64 {
    i64::from(vote.counts.get(option).copied().unwrap_or(0))
}
