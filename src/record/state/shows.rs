//! Rules by which a phase shows messages to its speakers: the visible messages, and names or labels.

use super::rename::rename;
use super::{Conversation, Entry, Labels, Turn, policies};
use crate::model::*;
use crate::scenario::{Advice, Phase, asks_for_data};
use crate::text::Trigrams;
use std::collections::BTreeSet;

/// Keeps at most `most` entries: repeatedly drops the later one of the two most similar entries.
fn keep_diverse(entries: &mut Vec<&Entry>, most: usize) {
    entries.sort_by_key(|entry| entry.number);
    let mut words: Vec<Trigrams> =
        entries.iter().map(|entry| Trigrams::new(entry.text())).collect();
    while entries.len() > most.max(1) {
        let mut alike = (f64::NEG_INFINITY, 0);
        for (later, theirs) in words.iter().enumerate() {
            for earlier in &words[..later] {
                let likeness = earlier.likeness(theirs);
                if likeness >= alike.0 {
                    alike = (likeness, later);
                }
            }
        }
        words.remove(alike.1);
        entries.remove(alike.1);
    }
}

impl Conversation {
    pub fn phase_of(&self, thread: ThreadId) -> Option<&Phase> {
        let place = self.threads.get(&thread)?.spec.about["phase"].as_u64()?;
        self.scenario.phases.get(usize::try_from(place).ok()?.checked_sub(1)?)
    }

    /// Returns the rules by which the phase of a speaking turn shows messages, if it is in a phase.
    pub fn shows(&self, turn: &Turn) -> Option<&Shows> {
        if turn.speaks() { self.phase_of(turn.thread).map(|phase| &phase.shows) } else { None }
    }

    /// Returns the messages that a turn may see: by the phase's rule, else its seat's, else all.
    pub fn sees(&self, turn: &Turn) -> Sees {
        let seat = || if turn.speaks() { self.seat(&turn.seat)?.spec.sees } else { None };
        let judge = || self.judge_sees(turn);
        self.shows(turn).and_then(|s| s.sees).or_else(seat).or_else(judge).unwrap_or(Sees::All)
    }

    /// Returns the `seq`s of the messages in `might` that a turn sees by its rule.
    pub(super) fn chosen<'a>(
        &'a self,
        turn: &Turn,
        sees: Sees,
        might: impl DoubleEndedIterator<Item = &'a Entry>,
    ) -> BTreeSet<Seq> {
        let beside = |seat: &SeatId| self.beside(turn).contains(seat);
        let listed = self.listed(turn);
        let mut might: Vec<&Entry> = might.filter(|e| e.seat().is_some()).collect();
        if matches!(sees, Sees::LastRound | Sees::OthersLast | Sees::Answers) {
            might.reverse();
        }
        let mut met: BTreeSet<&SeatId> = BTreeSet::new();
        let mut chosen = BTreeSet::new();
        let mut others: Vec<&Entry> = vec![];
        for entry in might {
            let Some(seat) = entry.seat() else { continue };
            let own = *seat == turn.seat;
            let first = met.insert(seat);
            let seen = match sees {
                Sees::All | Sees::Summary => true,
                Sees::Question => false,
                Sees::Own => own,
                Sees::LastRound => first,
                Sees::OthersLast | Sees::Opening => own || first,
                Sees::Answers => own || first && entry.version().answer.is_some(),
                Sees::Neighbours => own || beside(seat),
                Sees::Listed => own || listed.iter().any(|id| **id == *seat.0),
            };
            if seen && !own {
                others.push(entry);
            } else if seen {
                chosen.insert(entry.seq);
            }
        }
        if let Some(most) = self.shows(turn).and_then(|shows| shows.diverse) {
            keep_diverse(&mut others, most as usize);
        }
        chosen.extend(others.into_iter().map(|entry| entry.seq));
        chosen
    }

    /// Returns the participants whose messages a turn sees, if they are listed.
    fn listed(&self, turn: &Turn) -> &[Text] {
        let phase = self.shows(turn).filter(|shows| shows.sees == Some(Sees::Listed));
        let seat = || self.seat(&turn.seat).map(|seat| &seat.spec.seen);
        phase.map(|shows| &shows.seen).or_else(seat).map_or(&[][..], |seen| seen)
    }

    /// Returns whether a seat keeps its answer without a call: its phase allows that, and its last answer is the most
    /// frequent one, alone.
    pub fn keeps_answer(&self, thread: ThreadId, seat: &SeatId) -> bool {
        if !self.phase_of(thread).is_some_and(|phase| phase.shows.keeps) {
            return false;
        }
        let facts = self.answer_facts(self.next_seq, Some(seat));
        let counts: Vec<u64> = facts["counts"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, n)| n.as_u64())
            .collect();
        let most = counts.iter().max();
        let alone = counts.iter().filter(|n| Some(*n) == most).count() == 1;
        alone && !facts["own"].is_null() && facts["own"] == facts["most"]
    }

    /// Returns the two seats next to the seat of a turn, in the order of its thread.
    fn beside(&self, turn: &Turn) -> Vec<SeatId> {
        let Some(thread) = self.threads.get(&turn.thread) else { return vec![] };
        let seats: Vec<&SeatId> =
            thread.seats.iter().filter(|s| self.seat(s).is_some_and(|s| !s.gone)).collect();
        let Some(at) = seats.iter().position(|s| **s == turn.seat) else { return vec![] };
        let n = seats.len();
        vec![seats[(at + 1) % n].clone(), seats[(at + n - 1) % n].clone()]
    }

    /// Returns the labels under which a turn sees the seats, including its own; empty if names are shown. A turn that
    /// summarises in an anonymous phase also sees labels, always the same.
    pub fn labels(&self, turn: &Turn) -> Labels {
        if let Some(labels) = self.answer_labels(turn) {
            return labels;
        }
        let task = self
            .seats
            .iter()
            .filter_map(|s| Some((s.spec.id.clone(), self.judged_as(turn, &s.spec.id)?)));
        let judged: Labels = task.collect();
        let phase = self.phase_of(turn.thread).map_or(Anonymous::Off, |p| p.shows.anonymous);
        let anonymous = match (&turn.summarises, phase) {
            (None, _) if !turn.speaks() => Anonymous::Off,
            (None, phase) | (Some(_), phase @ Anonymous::Off) => phase,
            (Some(_), _) => Anonymous::Stable,
        };
        let thread = self.threads.get(&turn.thread);
        let round = thread.map_or(0, |t| t.ordinal * 1_000_003 + u64::from(t.round));
        let (place, viewer) = match anonymous {
            Anonymous::Off => return judged,
            Anonymous::Stable => (0, ""),
            Anonymous::PerRound => (round, ""),
            Anonymous::PerViewer => (0, &*turn.seat.0),
        };
        let mut seats: Vec<&SeatId> = self.seats.iter().map(|s| &s.spec.id).collect();
        // a seat that joined later gets the next label, so that the others keep theirs
        let dealt = self.founders.min(seats.len());
        seats[..dealt]
            .sort_by_cached_key(|seat| self.dice(place, &format!("label {viewer} {seat}")));
        let label = |n: usize| match u8::try_from(n) {
            Ok(n) if n < 26 => format!("Speaker {}", char::from(b'A' + n)),
            Ok(_) | Err(_) => format!("Speaker {}", n + 1),
        };
        seats.into_iter().enumerate().map(|(n, s)| (s.clone(), label(n).into())).collect()
    }

    /// Returns a text of a message for a reader with labels.
    pub fn shown_as(&self, of: &Entry, text: &Text, read: &Labels) -> Text {
        match of.seat() {
            Some(_) => self.read_as(text, &of.version().labels, read),
            None => self.addressed_as(text, read),
        }
    }

    /// Returns a participant's text, written with some labels, for a reader with other labels. Only labels and mentions
    /// with `@` are replaced: other words may be names by chance ("First, multiply"), and a label in their place would
    /// show who wrote them.
    pub fn read_as(&self, words: &Text, said: &Labels, read: &Labels) -> Text {
        if said.is_empty() && read.is_empty() {
            return words.clone();
        }
        let mut pairs: Vec<(Text, Text)> = vec![];
        for seat in &self.seats {
            let to = read.get(&seat.spec.id).unwrap_or(&seat.spec.name);
            pairs.extend(said.get(&seat.spec.id).map(|label| (label.clone(), to.clone())));
            if !read.is_empty() {
                pairs.extend(names(&seat.spec).map(|name| mention(name, to)));
            }
        }
        renamed(words, &pairs)
    }

    /// Returns a text of the operator or the program for a reader with labels: it addresses participants by name, so
    /// every name is replaced.
    pub fn addressed_as(&self, words: &Text, read: &Labels) -> Text {
        let mut pairs: Vec<(Text, Text)> = vec![];
        for (seat, to) in self.seats.iter().filter_map(|s| Some((s, read.get(&s.spec.id)?))) {
            pairs.extend(names(&seat.spec).map(|name| mention(name, to)));
            pairs.extend(names(&seat.spec).skip(1).map(|name| (name.clone(), to.clone())));
        }
        renamed(words, &pairs)
    }
}

/// Returns the id, the name and the aliases of a participant.
fn names(spec: &Participant) -> impl Iterator<Item = &Text> {
    [&spec.id.0, &spec.name].into_iter().chain(&spec.aliases)
}

fn mention(name: &Text, to: &Text) -> (Text, Text) {
    (format!("@{name}").into(), format!("@{to}").into())
}

fn renamed(words: &Text, pairs: &[(Text, Text)]) -> Text {
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (&**from, &**to)).collect();
    rename(words, &pairs).as_ref().into()
}

impl Conversation {
    /// Returns the advice of a turn. Only free words in a discussion get more than their task.
    pub fn advice(&self, turn: &Turn) -> Advice {
        let Some(seat) = self.seat(&turn.seat) else { return Advice::Work };
        let thread = self.threads.get(&turn.thread);
        let discusses = thread.is_none_or(|thread| thread.traits().debates);
        let task = self.shows(turn).and_then(|shows| shows.task.as_ref());
        if !turn.speaks()
            || !discusses
            || !self.contract_of(turn).form.is_words()
            || task.is_some_and(|task| asks_for_data(task))
        {
            return Advice::Work;
        }
        self.advice_for(&seat.spec)
    }

    /// Returns the advice of a seat outside its turns. Nobody debates alone.
    pub fn advice_for(&self, seat: &Participant) -> Advice {
        let traits = policies::traits(&self.scenario.policy.name);
        let present = || self.seats.iter().filter(|s| !s.gone).map(|s| &*s.spec);
        match Advice::new(&self.scenario, traits, seat) {
            Advice::Debate
                if seat.speaks && !Advice::is_debate(&self.scenario, traits, present()) =>
            {
                Advice::Talk
            }
            advice => advice,
        }
    }
}
