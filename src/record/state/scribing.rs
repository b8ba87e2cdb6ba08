//! The result in progress: the request to the scribe, and its reply.

use super::{Conversation, Entry, Turn};
use crate::model::payload::{BatchOpened, TurnEnded};
use crate::model::*;

/// A result in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Scribing {
    /// End of the conversation that follows.
    pub ends: EndCause,
    /// True if the conversation waits at its limit instead.
    pub waits: bool,
    /// Number of utterances at the request.
    pub at: u32,
    /// The scribe's result; `None` before its reply, and if the reply cannot be used.
    pub written: Option<ResultGiven>,
    /// True if the last call gave no reply.
    pub failed: bool,
    /// True if the operator stopped the call.
    pub left_out: bool,
}

impl Scribing {
    /// Returns the reason why no result was written.
    pub fn fault(&self) -> &'static str {
        match (self.left_out, self.failed) {
            (true, _) => "left out by the host",
            (false, true) => "the call failed",
            (false, false) => "the reply could not be read",
        }
    }
}

/// Name of the operator in prompts.
const HOST: &str = "host";
/// Minimum length of a word that tells texts apart, in characters.
const LONG_WORD: usize = 4;

/// Returns the words of a text in lower case with a blank before and after each, to search for whole words.
fn bare_words(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_lowercase).collect();
    format!(" {} ", words.join(" "))
}

/// Returns the words of a text that are not short.
fn long_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| word.chars().nth(LONG_WORD - 1).is_some())
}

/// Returns an action as an open point.
fn proposed_last(action: &AgreedAction) -> Text {
    let AgreedAction { who, what, by } = action;
    let by = by.as_ref().map_or(String::new(), |by| format!(", {by}"));
    format!("Only proposed, in the last turn: {who}: {what}{by}").into()
}

impl Conversation {
    /// Records that a scribe is asked for the result.
    pub(super) fn ask_scribe(&mut self, batch: &BatchOpened) {
        if let Some(task) = &batch.result {
            let ResultTask { ends: (reason, text), rule, waits } = task.clone();
            let ends = EndCause { reason, text, rule };
            self.scribing = Some(Scribing {
                ends,
                waits,
                at: self.utterances,
                written: None,
                failed: false,
                left_out: false,
            });
        }
    }

    /// Applies the scribe's reply.
    pub(super) fn note_result(&mut self, turn: &Turn, e: &TurnEnded) {
        if turn.purpose != Purpose::Result {
            return;
        }
        let written = self.written(turn, e);
        if let Some(scribing) = &mut self.scribing {
            scribing.written = written;
            let class = e.error.as_ref().map(|error| error.class);
            scribing.failed = e.outcome == Outcome::Failed
                && class.is_some_and(|class| class != ErrorClass::Form);
            scribing.left_out = e.why == Some(CutWhy::Operator);
        }
    }

    /// Returns the readable part of a scribe's reply: items that echo the request, name strangers or have no letter are
    /// left out.
    fn written(&self, turn: &Turn, e: &TurnEnded) -> Option<ResultGiven> {
        if e.outcome != Outcome::Said {
            return None;
        }
        let batch = self.batch_of(turn);
        let request = batch.and_then(|batch| batch.spec.question.as_deref()).unwrap_or_default();
        let request = bare_words(request);
        let keeps =
            |text: &str| text.contains(char::is_alphabetic) && !request.contains(&bare_words(text));
        let (by, id) = (turn.seat.clone(), turn.id);
        let mut written = if e.structured.is_null() {
            let sentence = self.sentence(&e.text).filter(|sentence| keeps(sentence))?;
            ResultGiven::from_sentence(by, id, sentence)
        } else {
            ResultGiven::from_reply(by, id, &e.structured, keeps)?
        };
        written.actions.retain(|action| self.is_known(&action.who) || self.was_said(&action.who));
        let (late, agreed): (Vec<AgreedAction>, Vec<AgreedAction>) =
            written.actions.into_iter().partition(|action| self.is_unanswered(turn, action));
        written.actions = agreed;
        written.open.extend(late.into_iter().map(|action| proposed_last(&action)));
        written.against.retain(|objection| self.is_known(&objection.who));
        written.moved.retain(|change| self.poles().is_none() && self.is_known(&change.who));
        for change in &mut written.moved {
            // small models invent turns
            let named = change.turn.filter(|number| self.utterance(*number).is_some());
            let heard = |n: &u32| self.entries.iter().any(|e| self.number_of_host(e) == Some(*n));
            change.message = change.message.filter(heard);
            change.turn = match change.message {
                Some(_) => None,
                None => named.or_else(|| self.last_cause(&change.who)),
            };
        }
        let of = self.visible(turn).filter(|entry| entry.number.is_some()).count();
        let of = u32::try_from(of).unwrap_or(u32::MAX);
        let turns = of.saturating_sub(turn.left_out);
        written.read = (turn.left_out > 0).then_some(TurnsRead { turns, of });
        Some(written)
    }

    /// Returns whether no turn before the last speaks of an action of somebody else than its speaker as much as that turn:
    /// nobody could agree to it.
    fn is_unanswered(&self, turn: &Turn, action: &AgreedAction) -> bool {
        let mut turns = self.visible(turn).filter(|entry| entry.number.is_some()).rev();
        let Some(last) = turns.next() else { return false };
        let speaker = last.seat().and_then(|seat| self.seat(seat));
        let own = speaker
            .is_some_and(|seat| bare_words(&action.who).contains(&bare_words(&seat.spec.name)));
        let what = format!("{} {}", action.who, action.what).to_lowercase();
        let shared = |entry: &Entry| {
            let text = entry.text().to_lowercase();
            long_words(&what).filter(|word| text.contains(word)).count()
        };
        let most = shared(last);
        !own && most > 0 && turns.all(|entry| shared(entry) < most)
    }

    /// Returns the first sentence of a small model's result; `None` if it has no word of the topic.
    fn sentence(&self, text: &str) -> Option<Text> {
        let line = text.lines().find(|line| !line.trim().is_empty())?.trim();
        let end = line.find(['.', '!', '?']).map_or(line.len(), |at| at + 1);
        let sentence = line.get(..end)?;
        let topic = self.scenario.topic.as_ref().or(self.title.as_ref())?.to_lowercase();
        let said = sentence.to_lowercase();
        let mut about = long_words(&topic).peekable();
        let fits = about.peek().is_none() || about.any(|word| said.contains(word));
        fits.then(|| sentence.into())
    }

    /// Returns whether a text names somebody at the table, or the host.
    fn is_known(&self, who: &str) -> bool {
        let who = bare_words(who);
        let has = |name: &str| {
            let name = bare_words(name);
            who.contains(&name) || name.contains(&who)
        };
        has(HOST) || self.seats.iter().any(|seat| has(&seat.spec.name))
    }

    /// Returns whether a name was said in public.
    fn was_said(&self, who: &str) -> bool {
        let who = who.to_lowercase();
        let public = self.entries.iter().filter(|entry| entry.to.is_empty());
        let texts: Vec<String> = public.map(|entry| entry.text().to_lowercase()).collect();
        let said = |word: &str| texts.iter().any(|text| text.contains(word));
        long_words(&who).any(said) || said(&who)
    }

    /// Returns the number of the turn that, by its own words, last moved the participant with a name.
    fn last_cause(&self, name: &str) -> Option<u32> {
        let seat = self.seats.iter().find(|seat| *seat.spec.name == *name)?;
        self.pole_positions(seat).iter().rev().find_map(|position| position.moved_by)
    }
}
