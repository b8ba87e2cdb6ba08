//! The player of a page: times of its parts as attributes, controls, and the script that uses both.
//!
//! Attribute `data-t` of a message or note: the time from which it is shown, in milliseconds on the session's clock;
//! empty for the outcome. A spoken turn has `GRANTED ENDED TIMES`. `TIMES` has two numbers per piece: the milliseconds
//! since the previous piece, and the number of visible characters that the piece adds to the rendered text. The times
//! contain no text: the page has it once, without private content.
//!
//! Limits: text of failed calls is not shown, and pieces that differ from the final text, such as those of an edited
//! turn or of structured replies, are counted in proportion.

use super::words::{Rendered, visible};
use crate::model::{Channel, Event, Kind, Ms, Outcome, Purpose, TurnId, piece};
use crate::state::State;
use crate::text;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io;

/// Style of the controls, and of the transcript while it plays.
pub(super) const STYLE: &str = include_str!("player.css");
/// The script of the page; it is run by its digest alone.
const SCRIPT: &str = include_str!("player.js");

/// The controls, which the script takes out of their template; a browser without scripts shows none.
const CONTROLS: &str = r#"<div id="player" role="region" aria-label="Player">
<div class="score"><svg aria-hidden="true" preserveAspectRatio="none"></svg><input type="range" min="0" step="any" aria-label="Position"></div>
<div class="keys">
<button data-do="play" class="play" aria-label="Play" title="play or pause (space)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M8 5v14l11-7z"/><path d="M7 5h4v14H7zm6 0h4v14h-4z"/></svg></button>
<button data-do="back" aria-label="Previous turn" title="previous turn (←)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6h2v12H6zm3.5 6 8.5 6V6z"/></svg></button>
<button data-do="next" aria-label="Next turn" title="next turn (→)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="m6 18 8.5-6L6 6zM16 6h2v12h-2z"/></svg></button>
<span class="clock"></span>
<select aria-label="Speed" title="speed (+ -)"><option value="1">1x</option><option value="2">2x</option><option value="4">4x</option><option value="8">8x</option></select>
<button popovertarget="chapters" title="chapters (c)">Chapters</button>
<button data-do="lanes" aria-pressed="false" title="one column per participant (l)">Lanes</button>
<label><input type="search" placeholder="Search (/)" aria-label="Search"><span class="found" role="status"></span></label>
</div>
<ol id="chapters" popover></ol>
<p class="unseen" role="status"></p>
</div>"#;

/// Collects the times of the page's parts, event by event.
#[derive(Default)]
pub(super) struct Timing {
    running: BTreeMap<TurnId, RunningTurn>,
    begin: Option<Ms>,
    /// Time of the outcome, which the page shows first; `None` if it is not known yet.
    pub outcome: Option<Ms>,
    result: Option<Ms>,
    end: Ms,
}

struct RunningTurn {
    granted: Ms,
    /// Pieces of its text, with the time of arrival of each.
    pieces: Vec<(Ms, String)>,
}

impl Timing {
    /// Takes an event; `state` is the one after it.
    pub fn take(&mut self, state: &State, event: &Event) {
        self.begin.get_or_insert(event.ms);
        self.end = event.ms;
        match &event.kind {
            Kind::FloorGranted(_) => {
                let turn = RunningTurn { granted: event.ms, pieces: vec![] };
                self.running.insert(TurnId(event.seq.0), turn);
            }
            Kind::Delta(delta) => {
                let call = delta.pieces.first().and_then(|run| state.turns.get(&run.0));
                let base = call.map_or(Ms(0), |turn| turn.since);
                for piece in piece::unpack(&delta.pieces, base) {
                    if piece.channel != Channel::Say {
                        continue;
                    }
                    if let Some(turn) = self.running.get_mut(&piece.turn) {
                        let words = text::block(&piece.text).into_owned();
                        turn.pieces.push((piece.at.min(event.ms), words));
                    }
                }
            }
            // the text of a failed call is not part of the page
            Kind::CallRetried(retried) => {
                if let Some(turn) = self.running.get_mut(&retried.turn) {
                    turn.pieces.clear();
                }
            }
            Kind::ResultGiven(_) => self.result = Some(event.ms),
            _ => {}
        }
    }

    /// Returns the attributes of a part that is shown from an event on.
    pub fn of_event(&self, event: &Event) -> String {
        let at = match &event.kind {
            // narrated first, known at the end
            Kind::Opened(_) => self.outcome.map_or(String::new(), |at| at.0.to_string()),
            _ => event.ms.0.to_string(),
        };
        let mark = mark(event).map_or(String::new(), |mark| format!(" data-m=\"{mark}\""));
        format!(" data-t=\"{at}\"{mark}")
    }

    /// Returns the attributes of a spoken turn, which is shown piece by piece; `body` is its text.
    pub fn of_turn(&mut self, event: &Event, body: &str, rendered: &Rendered) -> String {
        let Kind::TurnEnded(end) = &event.kind else { return self.of_event(event) };
        let turn = match self.running.remove(&end.turn) {
            Some(turn) if end.purpose == Purpose::Speak && visible(body) > 0 => turn,
            _ => return self.of_event(event),
        };
        let mut times = String::new();
        let (mut at, mut shown) = (turn.granted, 0);
        for (time, count) in turn.shown(body, rendered) {
            if count > shown {
                let _ = write!(times, " {} {}", time.since(at), count - shown);
                at = time;
                shown = count;
            }
        }
        format!(" data-t=\"{} {}{times}\"", turn.granted.0, event.ms.0)
    }

    /// Returns the time at which the outcome was known.
    pub fn known(&self) -> Ms {
        self.result.unwrap_or(self.end)
    }

    /// Extends the span of time to that of another conversation on the same page.
    pub fn join(&mut self, other: &Timing) {
        self.end = self.end.max(other.end);
    }

    /// Writes the controls and the script.
    pub fn finish(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let begin = self.begin.unwrap_or_default().0;
        let result = self.known().0;
        writeln!(
            out,
            "<template data-begin=\"{begin}\" data-end=\"{}\" data-result=\"{result}\">\n{CONTROLS}\n</template>\n\
             <script>{SCRIPT}</script>",
            self.end.0
        )
    }
}

impl RunningTurn {
    /// Returns the number of visible characters of the rendered text after each piece, with its time.
    fn shown<'a>(
        &'a self,
        body: &str,
        rendered: &'a Rendered,
    ) -> impl Iterator<Item = (Ms, usize)> + 'a {
        let ends = body.char_indices().filter(|(_, c)| *c > ' ');
        let ends: Vec<(char, usize)> = ends.map(|(at, c)| (c, at + c.len_utf8())).collect();
        let streamed = || self.pieces.iter().flat_map(|(_, words)| words.chars());
        let streamed = || streamed().filter(|c| *c > ' ');
        let same = streamed().zip(&ends).take_while(|(c, (own, _))| c == own).count();
        let rest = streamed().count() - same;
        let own_rest = ends.len() - same;
        let mut count = 0;
        self.pieces.iter().map(move |(at, words)| {
            count += words.chars().filter(|c| *c > ' ').count();
            let over = count.saturating_sub(same);
            let chars = count.min(same) + (over * own_rest).checked_div(rest).unwrap_or(0);
            let bytes = chars.checked_sub(1).and_then(|last| ends.get(last)).map_or(0, |end| end.1);
            (*at, rendered.visible_in(bytes))
        })
    }
}

/// Returns the chapter that an event begins; `None` for most.
fn mark(event: &Event) -> Option<&'static str> {
    Some(match &event.kind {
        Kind::ThreadOpened(_) | Kind::StageEntered(_) => "phase",
        Kind::PlanMade(_) | Kind::PlanEnded(_) | Kind::StepEnded(_) => "step",
        Kind::VoteClosed(_) => "vote",
        Kind::VerdictGiven(_) => "verdict",
        Kind::Opened(_) | Kind::ResultGiven(_) => "result",
        Kind::HumanSaid(_) | Kind::CommandGiven(_) => "you",
        Kind::PositionRecorded(_) => "moved",
        Kind::TurnEnded(end) if end.outcome == Outcome::Failed => "failed",
        Kind::Ended(_) => "end",
        _ => return None,
    })
}

/// Returns the source of the script in the policy of the page: its digest.
pub(super) fn policy() -> String {
    format!("; script-src 'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(SCRIPT)))
}
