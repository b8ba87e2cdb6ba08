//! The state as conditions see it: names and values, independent of the internal representation.

use super::{Conversation, Entry, Labels, RunState, Since, Turn, Who};
use crate::model::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

impl Conversation {
    /// Returns the facts for conditions of stop rules and steering lines. Values that grow with the conversation are
    /// included only if `wanted` accepts their name, because conditions are evaluated after every event.
    pub fn facts(&self, wanted: impl Fn(&str) -> bool) -> Value {
        self.facts_after(Since::default(), wanted)
    }

    /// Returns the facts of an utterance by its number; `None` if it does not exist.
    pub fn utterance_facts(&self, number: u32) -> Option<Value> {
        self.entries.iter().rev().find(|e| e.number == Some(number)).map(entry)
    }

    /// Returns the facts for rules that end something. If the conversation continued after an end, only events since
    /// then count.
    pub fn facts_of_rules(&self, wanted: impl Fn(&str) -> bool) -> Value {
        self.facts_after(self.since, wanted)
    }

    fn facts_after(&self, since: Since, wanted: impl Fn(&str) -> bool) -> Value {
        let again = since.seq > Seq(0);
        let waiting = self.turns.values().find(|t| self.waits_for_human(t));
        let said = |name: &str, counts: fn(&Entry) -> bool| -> Vec<Value> {
            let entries = self
                .entries
                .iter()
                .filter(|e| wanted(name) && counts(e) && (!again || e.version().seq > since.seq));
            entries.map(entry).collect()
        };
        let vote = if self.votes > since.votes { self.vote.as_ref() } else { None };
        json!({
            "turn_count": self.turn_count_after(since),
            "utterances": said("utterances", |e| e.number.is_some()),
            "history": said("history", |_| true),
            "agreement": self.agreement(),
            "answers": if wanted("answers") { self.answer_facts(self.next_seq, None) } else { Value::Null },
            "item": if wanted("item") { json!(self.scenario.item) } else { Value::Null },
            "vote": vote.map(|v| json!({"winner": v.winner, "counts": v.counts})),
            "verdict": self.verdict.as_ref().filter(|(_, at)| !again || *at > since.utterances)
                .map(|(v, _)| json!({"winner": v.winner, "scores": v.scores})),
            "context": if again { json!(self.context_of(|turn| turn.0 > since.seq.0)) } else { json!(self.context) },
            "plan": if wanted("plan") { self.plan_facts() } else { Value::Null },
            "profile": self.known.profile,
            "fields": self.scenario.profile.fields,
            "stage": self.known.stage.stage,
            "ranking": self.ranking_facts(),
            "said": self.said_by_person().map_or_else(String::new, |e| e.text().to_lowercase()),
            "seats": self.seat_facts(again),
            "round": self.leaves().map(|t| t.round).max().unwrap_or(0),
            "paused": self.run == RunState::Paused,
            "pausing": self.run == RunState::Pausing,
            "waiting": waiting.map(|t| t.seat.clone()),
            "speaking": self.calls().filter(|t| t.speaks()).map(|t| t.seat.clone()).collect::<Vec<_>>(),
            "at_limit": self.limit.as_ref().map(|l| l.what.key()),
            "ended": self.ended.as_ref()
                .map(|e| json!({"reason": e.reason, "settled": e.settled, "result": e.result})),
            "title": self.title,
            "topic": self.scenario.topic,
        })
    }

    /// Returns the exit code of a conversation that has ended. A separate code reports that all failures were due to
    /// missing keys or unknown models.
    pub fn exit_code(&self) -> Option<u8> {
        const NO_MODEL: u8 = 4;
        let reason = self.ended.as_ref()?.reason;
        let mut failed = self.seats.iter().filter_map(|s| s.failed.as_ref()).peekable();
        let starts_nowhere = failed.peek().is_some() && failed.all(|e| e.class.lacks_a_model());
        Some(if reason.exit_code() == 1 && starts_nowhere { NO_MODEL } else { reason.exit_code() })
    }

    fn seat_facts(&self, again: bool) -> Vec<Value> {
        let present = self.seats.iter().filter(|s| !s.gone);
        present
            .map(|s| {
                json!({"id": s.spec.id, "name": s.spec.name, "role": self.present_role(&s.spec.id), "muted": s.muted,
                       "utterances": if again { s.since_reopening() } else { s.utterances }})
            })
            .collect()
    }

    /// Returns the facts of a call that a template uses; others are null, and so is `operator.wish`, a reading of words.
    pub fn facts_of_turn(&self, turn: &Turn, wanted: impl Fn(&str) -> bool) -> Value {
        let mut heard = self.unanswered(turn);
        heard.retain(|e| e.hidden.is_none());
        let own = Who::Seat(turn.seat.clone());
        let peers = |e: &&Entry| e.who != own && e.who != Who::Operator && e.hidden.is_none();
        let last = self.visible(turn).rev().find(peers);
        let me = self.seat(&turn.seat).map(|s| &s.spec);
        let labels = self.labels(turn);
        let name = |id: &SeatId| match (labels.get(id), self.seat(id)) {
            (Some(label), _) => label.clone(),
            (None, Some(seat)) => seat.spec.name.clone(),
            (None, None) => id.0.clone(),
        };
        let id = |id: &SeatId| labels.get(id).unwrap_or(&id.0).clone();
        let read = |e: &Entry| self.shown_as(e, e.text(), &labels);
        // a planner also reads the operator's messages to its executors
        let plans = self.plan_thread(turn.thread).filter(|t| t.id == turn.thread);
        heard.extend(
            plans.and_then(|t| self.unplanned_words(t)).filter(|e| e.thread != turn.thread),
        );
        // apart, because the reply to a whisper may be public
        let (whispers, open): (Vec<&Entry>, Vec<&Entry>) =
            heard.into_iter().partition(|e| e.is_whisper());
        let words = |heard: Vec<&Entry>| heard.into_iter().map(read).collect::<Vec<_>>().join(" ");
        let said = words(open);
        let notes = self.notes_of(turn).into_iter().map(|note| self.addressed_as(&note, &labels));
        let notes: Vec<Text> = notes.collect();
        let fact = |name: &str, value: &dyn Fn() -> Value| {
            if wanted(name) { value() } else { Value::Null }
        };
        json!({
            "topic": self.topic_for(turn),
            "answers": fact("answers", &|| json!(self.scenario.answer.as_ref()
                .map(|_| self.answer_facts(turn.horizon, Some(&turn.seat))))),
            "dice": self.roll_for(turn),
            "item": fact("item", &|| json!(self.item_for(turn))),
            "number": turn.number,
            "round": self.threads.get(&turn.thread).map(|t| t.round),
            "me": fact("me", &|| json!(me.map(|p| {
                json!({"id": p.id, "name": p.name, "role": self.role_in(&turn.seat, turn.thread)})
            }))),
            "seats": fact("seats", &|| {
                if labels.is_empty() { self.seat_facts(false) } else { self.masked(&labels) }.into()
            }),
            "operator": {
                "whisper": !whispers.is_empty(),
                "wish": null,
                "said": said,
                "whispered": words(whispers),
                "asked": self.later_question(turn),
            },
            "last": last.map(|e| json!({
                "who": e.seat().map(id), "name": e.seat().map(name), "text": read(e),
            })).unwrap_or_else(|| json!({"who": "", "name": "", "text": ""})),
            "context": fact("context", &|| json!(self.context_shown(turn, &labels))),
            "profile": fact("profile", &|| json!(self.profile_shown(turn))),
            "fields": fact("fields", &|| json!(self.scenario.profile.fields)),
            "stage": self.known.stage.stage,
            "ranking": fact("ranking", &|| json!(self.ranking_facts())),
            "notes": notes,
            "purpose": turn.purpose,
            "question": self.batch_of(turn).and_then(|b| b.spec.question.as_ref()),
            "options": match self.contract_of(turn).form {
                Form::Proposal { among, .. } => Some(among.into_iter().map(|(label, _)| label).collect()),
                _ => self.batch_of(turn).map(|b| b.spec.options.clone()),
            },
            "plan": fact("plan", &|| json!(self.plan_facts())),
            "step": self.step_facts(turn),
            "requests": self.requests_to(turn).into_iter().map(|asking| json!({
                "by": id(&asking.by), "text": asking.text,
            })).collect::<Vec<_>>(),
            "correction": turn.rejected.as_ref().map_or("", |r| &r.why),
            "limits": fact("limits", &|| json!(self.limits)),
            "turn_count": self.turn_count(),
        })
    }

    /// Returns a pseudorandom number, from 0 up to but not including 1, that is always the same for a turn. Each request to
    /// a judge has its own.
    fn roll_for(&self, turn: &Turn) -> f64 {
        const BITS: u32 = 53;
        let task = self.batch_of(turn).and_then(|batch| batch.spec.judge_task());
        let place = match (turn.number, task) {
            (Some(number), _) => u64::from(number),
            (None, Some(JudgeTask::Verdict { time, swapped, .. })) => {
                u64::from(self.utterances) << 16 | u64::from(time) << 1 | u64::from(swapped)
            }
            (None, _) => 0,
        };
        let rolled = self.dice(place, &format!("dice of {}", turn.seat)) >> (u64::BITS - BITS);
        rolled as f64 / (1u64 << BITS) as f64
    }

    /// Returns the seats for a reader that must not know names: sorted labels, without counts.
    fn masked(&self, labels: &Labels) -> Vec<Value> {
        let present = self.seats.iter().filter(|s| !s.gone);
        let mut shown: Vec<&Text> = present.filter_map(|s| labels.get(&s.spec.id)).collect();
        shown.sort();
        shown.dedup();
        shown.into_iter().map(|label| json!({"id": label, "name": label})).collect()
    }

    /// Returns the context for a turn, with labels in place of ids if names are hidden.
    fn context_shown(&self, turn: &Turn, labels: &Labels) -> Value {
        let context = self.batch_of(turn).map_or(&self.context, |b| &b.context);
        if labels.is_empty() {
            return json!(context);
        }
        let key = |key: &String| labels.get(&**key).map_or(key.clone(), |label| label.to_string());
        context.iter().map(|(k, v)| (key(k), v.clone())).collect::<serde_json::Map<_, _>>().into()
    }

    /// Returns the texts of the notes in a turn's next call.
    pub fn notes_of(&self, turn: &Turn) -> Vec<Text> {
        let heard = self.heard_to(turn);
        let notes: BTreeSet<_> = turn.notes.iter().collect();
        let alive = |n: &&super::Note| {
            notes.contains(&n.id) && n.lifted.is_none_or(|lifted| lifted >= heard)
        };
        self.notes.iter().filter(alive).map(|n| n.text.clone()).collect()
    }
}

fn entry(e: &Entry) -> Value {
    json!({
        "number": e.number,
        "participant": e.seat().map_or("operator", |s| &**s),
        "text": if e.hidden.is_some() { "" } else { &**e.text() },
        "outcome": if e.version().cut.is_some() { "cut" } else { "said" },
        "hidden": e.hidden.is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts;
    use crate::state::Version;

    /// Conditions are evaluated after every event, so unused facts must not cost time that grows with the conversation.
    #[test]
    fn growing_data_is_built_only_on_demand() {
        let said = Entry {
            seq: Seq(1),
            thread: ThreadId::ROOT,
            who: Who::Operator,
            number: Some(1),
            versions: vec![Version {
                seq: Seq(1),
                text: "x".into(),
                digest: crate::state::digest("x"),
                horizon: Seq(1),
                heard: Seq(1),
                labels: crate::state::Labels::new(),
                ..Version::default()
            }],
            chosen: 0,
            edited: None,
            hidden: None,
            changed: None,
            to: Box::default(),
            of: None,
            material: None,
            granted: None,
            mentions: Box::default(),
        };
        let state =
            Conversation { entries: [said].into_iter().collect(), ..Conversation::default() };
        let sizes = |wanted: &str| {
            let facts = state.facts(|name| name == wanted);
            ["history", "utterances"].map(|name| facts[name].as_array().unwrap().len())
        };
        assert_eq!(
            (sizes("paused"), sizes("history"), sizes("utterances")),
            ([0, 0], [1, 0], [0, 1])
        );
    }

    /// The loader must reject names that no facts have.
    #[test]
    fn the_loader_knows_every_name() {
        let turn = Turn::granted(Seq(1), Ms(0), ThreadId::ROOT, "a".into(), Purpose::Speak);
        let state = Conversation::default();
        let keys = |facts: Value| facts.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        let sorted = |mut names: Vec<String>| {
            names.sort();
            names
        };
        assert_eq!(sorted(keys(state.facts(|_| false))), facts::OF_CONVERSATION);
        assert_eq!(sorted(keys(state.facts_of_turn(&turn, |_| true))), facts::OF_CALL);
        // a template finds all names, and values of those that it uses
        let limits = |wanted: bool| state.facts_of_turn(&turn, |name| wanted && name == "limits");
        assert_eq!(sorted(keys(limits(false))), facts::OF_CALL);
        assert!(limits(false)["limits"].is_null() && limits(true)["limits"].is_object());
        assert!(limits(true)["seats"].is_null());
    }
}
