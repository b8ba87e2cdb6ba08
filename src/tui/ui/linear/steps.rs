//! The messages in the steps of a plan: one line each, unless the step is open; then they are printed in full.

use crate::export::{Narrated, Narrator, text};
use crate::model::{Event, Kind, Seq, ThreadId};
use crate::state::{State, Thread};
use crate::text::{label, word_count};
use crate::ui::view::step;
use crate::ui::view::transcript::Transcript;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Steps whose messages are printed in full.
#[derive(Default)]
pub struct OpenSteps {
    all: bool,
    /// Numbers of the open steps.
    steps: BTreeSet<u64>,
    /// Steps of which a message was summarised in a line, with the command that opens the step.
    told: BTreeSet<u64>,
}

impl OpenSteps {
    /// Returns the line that replaces a message in a step that is not open; `None` for other events.
    pub fn folded(&mut self, transcript: &Transcript, event: &Event) -> Option<String> {
        let Kind::TurnEnded(end) = &event.kind else { return None };
        let thread = transcript.state().step_talk(event.thread)?;
        let n = step::number(thread);
        if end.text.trim().is_empty() || self.all || self.steps.contains(&n) {
            return None;
        }
        let fact = step::fact(transcript.state(), thread.id, Some(end.turn))?;
        let by = transcript.state().spoken(end.turn).map(|spoken| transcript.name(&spoken.seat));
        let way =
            if self.told.insert(n) { format!(" (/open {n}: full text)") } else { String::new() };
        let words = word_count(&end.text);
        Some(format!("{fact}: {}, {words} words{way}", by.unwrap_or_default()))
    }

    /// Opens a step, or all of them; returns its messages so far.
    ///
    /// # Errors
    /// A sentence, if the step does not exist.
    pub fn open(&mut self, transcript: &Transcript, which: &str) -> Result<String, String> {
        let talks = self.chosen(transcript, which, true)?;
        let told =
            talks.into_iter().map(|(id, line)| format!("-- {line}\n\n{}", talk(transcript, id)));
        Ok(told.collect())
    }

    /// Folds a step, or all of them; returns their status lines.
    ///
    /// # Errors
    /// A sentence, if the step does not exist.
    pub fn fold(&mut self, transcript: &Transcript, which: &str) -> Result<String, String> {
        let talks = self.chosen(transcript, which, false)?;
        Ok(talks.into_iter().map(|(_, line)| format!("-- folded: {line}\n\n")).collect())
    }

    fn chosen(
        &mut self,
        transcript: &Transcript,
        which: &str,
        open: bool,
    ) -> Result<Vec<(ThreadId, String)>, String> {
        let state = transcript.state();
        let talks = || state.threads.keys().filter_map(|id| state.step_talk(*id));
        if talks().next().is_none() {
            return Err("no step has started yet".into());
        }
        let line = |thread: &Thread| (thread.id, step::line(transcript, thread.id));
        if which.is_empty() {
            self.all = open;
            self.steps = BTreeSet::new();
            return Ok(talks().map(line).collect());
        }
        let found = which.parse().ok().and_then(|n: u64| talks().rfind(|t| step::number(t) == n));
        let Some(thread) = found else {
            let mut all: Vec<u64> = talks().map(step::number).collect();
            all.dedup();
            let all: Vec<String> = all.iter().map(u64::to_string).collect();
            return Err(format!(
                "no step {:?} has begun; these have: {}",
                label(which),
                all.join(", ")
            ));
        };
        let n = step::number(thread);
        if open {
            self.steps.insert(n)
        } else {
            self.steps.remove(&n)
        };
        Ok(vec![line(thread)])
    }
}

/// Returns the messages of a thread, narrated in full.
fn talk(transcript: &Transcript, id: ThreadId) -> String {
    let mut state = State::default();
    let mut narrator = Narrator::default();
    let mut out = String::new();
    transcript.events(Seq(0), &mut |event| {
        state.apply(event);
        let told = narrator.narrate(&state, event);
        let words = |told: &&Narrated| event.thread == id && matches!(told, Narrated::Words { .. });
        out.extend(told.iter().filter(words).map(text::spell));
        ControlFlow::Continue(())
    });
    out
}
