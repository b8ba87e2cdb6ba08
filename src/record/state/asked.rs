//! Task of a turn, and form of its reply.

use super::{Asking, Batch, Conversation, Turn, answers};
use crate::model::contract::EVERYBODY;
use crate::model::*;
use crate::scenario::Advice;
use std::collections::BTreeSet;

impl Conversation {
    /// Returns the batch of a running turn.
    pub fn batch_of(&self, turn: &Turn) -> Option<&Batch> {
        let batch = self.threads.get(&turn.thread)?.batch.as_ref()?;
        (turn.batch == Some(batch.id)).then_some(batch)
    }

    /// Returns the required form of a running turn's reply.
    pub fn contract_of(&self, turn: &Turn) -> Contract {
        let options = || self.batch_of(turn).map(|b| b.spec.options.clone()).unwrap_or_default();
        let form = match turn.purpose {
            Purpose::Speak => return self.spoken_contract(turn),
            Purpose::Pick => Form::Choice(options()),
            Purpose::Vote => match self.batch_of(turn).map(|b| b.spec.count.clone()) {
                Some(count) if !count.is_empty() => Form::Ballot { options: options(), count },
                Some(_) | None => Form::Choice(options()),
            },
            Purpose::Judge => match self.batch_of(turn).and_then(|b| b.spec.judge_task()) {
                Some(JudgeTask::Verdict { .. }) if self.judge_prompt(turn).is_some() => {
                    let of = AnswerKind::Letter;
                    let (confidence, object, pattern, last) = (false, false, None, false);
                    Form::Answer { of, confidence, object, pattern, last }
                }
                Some(JudgeTask::Verdict { .. }) => Form::Judgement {
                    sides: options(),
                    points: self.scenario.debate == Debate::Guided && !self.is_small(turn),
                },
                Some(JudgeTask::Stop(_) | JudgeTask::Casting) | None => Form::Choice(options()),
            },
            Purpose::Bid => match options() {
                seats if seats.is_empty() => Form::Bid,
                seats => Form::Bids(seats),
            },
            Purpose::Summarise => Form::Free,
            Purpose::Result if self.is_small(turn) => Form::Free,
            Purpose::Result => Form::Schema(ResultGiven::schema(self.poles().is_none())),
        };
        Contract { form, ..Contract::default() }
    }

    /// Returns the layout of a model's prompts: the scenario's, or else the one for the size of the model.
    pub fn layout_of(&self, seat: &Participant) -> Layout {
        let small = seat.small && self.advice_for(seat) == Advice::Debate;
        self.scenario.layout.unwrap_or(if small { Layout::Small } else { Layout::Own })
    }

    /// Returns whether a turn's prompt has the layout for small models.
    pub fn is_small(&self, turn: &Turn) -> bool {
        self.seat(&turn.seat).is_some_and(|seat| self.layout_of(&seat.spec) == Layout::Small)
    }

    /// Returns whether a turn's prompt is that of an outsider: a scribe, or one call for the bids of several seats.
    pub fn is_outside(&self, turn: &Turn) -> bool {
        turn.purpose == Purpose::Result || self.bids_for_others(turn)
    }

    /// Returns whether a turn bids for several seats.
    pub fn bids_for_others(&self, turn: &Turn) -> bool {
        let of_many = || self.batch_of(turn).is_some_and(|batch| !batch.spec.options.is_empty());
        turn.purpose == Purpose::Bid && of_many()
    }

    /// Returns whether quotations of any participant are checked.
    pub fn checks_quotes(&self) -> bool {
        let phases = self.scenario.phases.iter().filter_map(|phase| phase.reply.as_ref());
        let seats = self.seats.iter().map(|seat| &seat.spec.reply);
        seats.chain(phases).any(|contract| contract.quotes.is_some())
    }

    /// Returns the form of a spoken reply: that of a consensus or plan, else the phase's, else the seat's own, else the
    /// scenario's form of answers.
    fn spoken_contract(&self, turn: &Turn) -> Contract {
        if let Some(form) = self.proposal(turn).or_else(|| self.plan_form(turn)) {
            return Contract { form, ..Contract::default() };
        }
        let phase = self.phase_of(turn.thread).and_then(|phase| phase.reply.clone());
        let seat = || self.seat(&turn.seat).map(|s| s.spec.reply.clone());
        let stated = |own: &Contract| {
            if own.form != Form::Free {
                return None;
            }
            let spec = self.scenario.answer.as_ref()?;
            let asked = answers::counts(spec, &turn.seat) && spec.by.reads_answers();
            let of = spec.form;
            let confidence = spec.confidence;
            let object = spec.object;
            let pattern = spec.pattern.clone();
            let last = spec.last;
            asked.then_some(Form::Answer { of, confidence, object, pattern, last })
        };
        let mut contract = match phase {
            Some(contract) => contract,
            None => {
                let own = seat().unwrap_or_default();
                match stated(&own) {
                    Some(form) => Contract { form, ..own },
                    None => own,
                }
            }
        };
        if let Form::Ranking { among, .. } = &mut contract.form {
            *among = self.ranked_by(turn);
        }
        contract
    }

    /// Returns the other seats that the seat of a turn can rank, with the names it knows: those with a message that it
    /// sees.
    fn ranked_by(&self, turn: &Turn) -> Vec<(Text, SeatId)> {
        let labels = self.labels(turn);
        let shown: BTreeSet<&SeatId> = self.visible(turn).filter_map(|e| e.seat()).collect();
        let others = self
            .seats
            .iter()
            .map(|s| &s.spec)
            .filter(|s| s.id != turn.seat && shown.contains(&s.id));
        let mut among: Vec<(Text, SeatId)> =
            others.map(|s| (labels.get(&s.id).unwrap_or(&s.name).clone(), s.id.clone())).collect();
        // the order of the seats would reveal the names
        among.sort();
        among
    }

    /// Returns the seats that the reply of a turn may whisper to.
    pub fn may_whisper_to(&self, turn: &Turn) -> Vec<&super::Seat> {
        let to = self.contract_of(turn).to;
        let named =
            |s: &&super::Seat| to.iter().any(|to| **to == *EVERYBODY || **to == *s.spec.id.0);
        let other = |s: &&super::Seat| !s.gone && s.spec.speaks && s.spec.id != turn.seat;
        self.seats.iter().filter(other).filter(named).collect()
    }

    /// Returns the requests of other seats to the seat of a turn; empty under policies without requests.
    pub fn requests_to(&self, turn: &Turn) -> Vec<Asking> {
        let batch = self.batch_of(turn).filter(|batch| batch.is_policys());
        let requests = batch.and_then(|batch| batch.memo.requests.as_ref());
        requests.and_then(|requests| requests.get(&turn.seat)).cloned().unwrap_or_default()
    }

    /// Returns other names of the seats, as (name, id), for parsing answers.
    pub fn names_of_seats(&self) -> Vec<(Text, Text)> {
        let names = |s: &super::Seat| {
            let all = s.spec.aliases.iter().chain([&s.spec.name]);
            all.map(|name| (name.clone(), s.spec.id.0.clone())).collect::<Vec<_>>()
        };
        self.seats.iter().filter(|s| !s.gone).flat_map(names).collect()
    }
}
