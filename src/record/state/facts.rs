//! The state as conditions see it: names and values, independent of the internal representation.

use super::{Conversation, Entry, Labels, RunState, Since, Turn, Who};
use crate::model::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Words by which a message is a wish wherever they stand.
const PLEASE: &str = "please|bitte|s'il vous plaît|s'il te plaît|por favor|per favore|пожалуйста|من فضلكم|请|ください|お願い";
/// Beginnings of a clause that wishes another way of speaking.
const WISHES: &str = "be|speak|talk|use|keep|stop|avoid|write|stay|do not|don't|shorter|less|no more|i want|i'd like|i would like|\
     i wish|sprecht|redet|seid|haltet|benutzt|bleibt|hört auf|kürzer|ich möchte|ich will|soyez|parlez|utilisez|\
     évitez|arrêtez|restez|plus court|je veux|je voudrais|sean|hablen|usen|eviten|dejen|quiero|quisiera|sejam|\
     falem|evitem|parem|quero|gostaria|siate|parlate|usate|evitate|vorrei|говорите|будьте|короче|تحدثوا|不要|我想";
/// Beginnings of a message that one turn can carry out.
const ERRANDS: &str = "ask|tell|explain|fragt|frag|sagt|erklärt|demandez|dites|expliquez|pregunten|digan|perguntem|chiedete|\
     спросите|скажите|اسألوا|问";

/// Returns whether an operator's message wishes another way of speaking, as far as the beginnings of its clauses show.
pub fn is_wish(said: &str) -> bool {
    let lower = said.to_lowercase();
    let mut clauses = lower.split([',', '.', '!', ';', ':', '\n', '，', '。', '！', '、']);
    let is_question = said.contains(['?', '？', '؟']);
    !is_question && !is_errand(said) && (has_please(&lower) || clauses.any(|c| begins(c, WISHES)))
}

/// Returns whether an operator's message asks for something that one turn can carry out, as in "Ask him what it costs."
pub fn is_errand(said: &str) -> bool {
    begins(&said.to_lowercase(), ERRANDS)
}

fn has_please(lower: &str) -> bool {
    let mut places = lower.char_indices().filter(|(at, _)| !lower[..*at].ends_with(is_spaced));
    places.any(|(at, _)| begins(&lower[at..], PLEASE))
        || PLEASE.split('|').any(|word| !word.starts_with(is_spaced) && lower.contains(word))
}

/// Returns whether a clause begins with one of some words, apart from "please" and "and".
fn begins(clause: &str, words: &str) -> bool {
    let clause = clause.trim_start_matches(|c: char| !c.is_alphanumeric());
    let lead = PLEASE.split('|').chain(["and"]).find_map(|lead| rest(clause, lead));
    let bare = lead.map_or(clause, |rest| rest.trim_start_matches(|c: char| !c.is_alphanumeric()));
    words.split('|').any(|word| rest(clause, word).or_else(|| rest(bare, word)).is_some())
}

/// Returns the part of a text behind a whole word at its beginning.
fn rest<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(word)?;
    (!word.ends_with(is_spaced) || !rest.starts_with(is_spaced)).then_some(rest)
}

/// Returns whether a letter belongs to a script with blanks between words.
fn is_spaced(c: char) -> bool {
    c.is_alphanumeric() && !matches!(c, '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')
}

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

    /// Returns the facts that a voice gets with a call; the history is in the prompt instead.
    pub fn turn_facts(&self, turn: &Turn) -> Value {
        self.facts_of_turn(turn, |_| true)
    }

    /// Returns the facts of a call that a template uses; others are null.
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
                "wish": is_wish(&said),
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

    #[test]
    fn a_wish_and_an_errand_show_at_the_beginnings_of_clauses() {
        for (said, wish, errand) in [
            ("Please be shorter, three sentences at most.", true, false),
            ("No Latin words, please.", true, false),
            ("From now on, use plain words.", true, false),
            ("And don't quote me.", true, false),
            ("I would like fewer figures.", true, false),
            ("Bitte kürzer.", true, false),
            ("Parlez plus simplement.", true, false),
            ("Más despacio, por favor.", true, false),
            ("Говорите проще.", true, false),
            ("请简短一点。", true, false),
            ("大家不要引用我。", false, false),
            ("短くお願いします。", true, false),
            ("The bus company has just announced that line 4 will stop in June.", false, false),
            ("Each word of the sentence is an example.", false, false),
            ("The county now offers to pay half of the roof.", false, false),
            ("Beer is cheap, users say.", false, false),
            ("Who pays? Please.", false, false),
            ("Ask him what a bell costs.", false, true),
            ("Please tell her the sum.", false, true),
            ("Fragt ihn, was sie kostet.", false, true),
            ("问他价格。", false, true),
            ("Askew walls stay.", false, false),
            ("", false, false),
        ] {
            assert_eq!((is_wish(said), is_errand(said)), (wish, errand), "{said}");
        }
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
        assert_eq!(sorted(keys(state.turn_facts(&turn))), facts::OF_CALL);
        // a template finds all names, and values of those that it uses
        let limits = |wanted: bool| state.facts_of_turn(&turn, |name| wanted && name == "limits");
        assert_eq!(sorted(keys(limits(false))), facts::OF_CALL);
        assert!(limits(false)["limits"].is_null() && limits(true)["limits"].is_object());
        assert!(limits(true)["seats"].is_null());
    }
}
