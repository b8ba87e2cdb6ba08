//! The profile of a person: facts in replies, and rankings made from them.

use super::context::Kept;
use super::{Batch, Conversation, Entry, Seat, Turn};
use crate::model::profile::{changes, merge};
use crate::model::{
    BatchId, Contract, ProfileUpdated, RankingMade, SeatId, StageEntered, TurnId, UnknownField,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The person's profile, current and as recorded, and the ranking made from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// Current fields.
    pub profile: Arc<Map<String, Value>>,
    /// The profile as last recorded.
    noted: Arc<Map<String, Value>>,
    /// The last recorded change.
    pub updated: Option<ProfileUpdated>,
    /// The last recorded stage.
    pub stage: StageEntered,
    /// The last ranking, and the profile that it was made from.
    ranking: Option<(RankingMade, Arc<Map<String, Value>>)>,
}

impl Known {
    /// Returns the last ranking, if it was made from the current profile.
    pub fn ranking(&self) -> Option<&RankingMade> {
        self.ranking.as_ref().filter(|(_, of)| *of == self.profile).map(|(made, _)| made)
    }
}

impl Conversation {
    /// Sets the profile to the scenario's facts.
    pub(super) fn begin_profile(&mut self) {
        let known = Arc::new(self.scenario.profile.known.clone());
        self.known = Known { profile: known.clone(), noted: known, ..Known::default() };
    }

    /// Updates the profile from the facts in replies.
    pub(super) fn know(&mut self) {
        let profile = self.profile_of(|_| true);
        if profile != *self.known.profile {
            self.known.profile = profile.into();
        }
    }

    pub(super) fn note_profile(&mut self, updated: &ProfileUpdated) {
        self.known.noted = Arc::new(updated.profile.clone());
        self.known.updated = Some(updated.clone());
    }

    pub(super) fn note_ranking(&mut self, made: &RankingMade) {
        self.known.ranking = Some((made.clone(), self.known.profile.clone()));
    }

    /// Returns the contract by which the facts of a reply are kept, if they are.
    fn keeper(&self, kept: &Kept) -> Option<&Contract> {
        let phases = self.scenario.phases.iter().filter_map(|p| p.reply.as_ref());
        self.seat(kept.seat()).map(|s| &s.spec.reply).into_iter().chain(phases).find(|c| c.keep)
    }

    /// Returns the scenario's facts merged, field by field, with those in the replies of some turns.
    fn profile_of(&self, counts: impl Fn(TurnId) -> bool) -> Map<String, Value> {
        let spec = &self.scenario.profile;
        let mut profile = spec.known.clone();
        for kept in self.kept.iter().filter(|kept| counts(kept.turn())) {
            let facts = self.keeper(kept).and_then(|c| c.facts_in(&self.as_it_stands(kept)?));
            let Some(mut facts) = facts else { continue };
            if spec.unknown == UnknownField::Drop {
                facts.retain(|field, _| spec.fields.iter().any(|f| **f == **field));
            }
            merge(&mut profile, &facts);
        }
        profile
    }

    /// Returns the profile as a turn sees it, without facts from its own batch.
    pub fn profile_shown(&self, turn: &Turn) -> Map<String, Value> {
        let before = self.batch_of(turn).map_or(BatchId(turn.id.0), |batch| batch.id);
        self.profile_of(|turn| turn.0 < before.0)
    }

    /// Returns the change of the profile since it was last recorded, if any.
    pub fn unrecorded_profile(&self) -> Option<ProfileUpdated> {
        let before = &self.known.noted;
        let now = &self.known.profile;
        if before == now {
            return None;
        }
        let newer = |kept: &&Kept| {
            let turn = Some(kept.turn());
            turn > self.known.updated.as_ref().and_then(|u| u.turn) && self.keeper(kept).is_some()
        };
        let last = self.kept.iter().rev().find(newer);
        Some(ProfileUpdated {
            participant: last.map(|kept| kept.seat().clone()),
            turn: last.map(Kept::turn),
            changed: changes(before, now),
            profile: (**now).clone(),
        })
    }

    /// Returns the stage in the last reply whose facts are kept.
    pub fn claimed_stage(&self) -> Option<String> {
        let last = self.kept.iter().rev().find(|kept| self.keeper(kept).is_some())?;
        Some(self.as_it_stands(last)?["stage"].as_str()?.to_owned())
    }

    /// Returns whether no turn is in progress; a decision made then is made again after a crash.
    pub fn is_quiet(&self) -> bool {
        let open = |b: &Batch| self.is_open(b);
        self.turns.is_empty() && !self.threads.values().any(|t| t.batch.as_ref().is_some_and(open))
    }

    /// Returns the last message of a person: the operator, or a human seat.
    pub fn said_by_person(&self) -> Option<&Entry> {
        let person = |e: &&Entry| e.hidden.is_none() && self.is_person(e);
        self.entries.iter().rev().find(person)
    }

    /// Returns whether an entry is a person's: the operator's, or a human seat's. Without a human seat, as in a
    /// rehearsal, every seat that keeps no profile counts as a person.
    pub fn is_person(&self, entry: &Entry) -> bool {
        entry.seat().is_none_or(|id| self.is_person_seat(id))
    }

    /// Returns whether a seat is a person's.
    pub fn is_person_seat(&self, id: &SeatId) -> bool {
        let person = |s: &Seat| s.spec.voice.is_human() || s.spec.stands_in;
        let seat = self.seat(id);
        if self.seats.iter().any(person) {
            seat.is_some_and(person)
        } else {
            seat.is_some_and(|s| !s.spec.reply.keep)
        }
    }

    /// Returns the ranking as conditions and templates see it.
    pub(super) fn ranking_facts(&self) -> Value {
        json!(self.known.ranking().map_or(&[][..], |made| &made.items))
    }
}
