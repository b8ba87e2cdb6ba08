//! A team: an inner conversation that produces one participant's replies.
//!
//! It starts from scratch with each call, with the messages of the outer conversation so far; its turns are the
//! reasoning of the seat, and its last turn is the reply. It runs on the same kind of clock, within the rest of the
//! outer limits, and is never saved: a call interrupted by a kill is repeated, like any other. Its seats use read-only
//! tools only, because nobody is present to allow others.

use super::{Assembled, Opening, Parts, RunningConversation, unsaved};
use crate::clock::Clock;
use crate::model::payload::{Opened, TEAM};
use crate::model::{
    Block, Channel, ErrorClass, Event, Kind, Limits, Ms, Outcome, Participant, Purpose, SeatId,
    TeamSpec, Text, VoiceSpec,
};
use crate::session::{Item, Tail};
use crate::text;
use crate::tool::Tools;
use crate::voice::rehearsed::Rehearsed;
use crate::voice::{CallFailure, CallRequest, Chunk, Done, NoVoice, Out, Speaking, Voice, Voices};
use std::sync::Arc;

/// Maximum bytes of the outer conversation in a team's topic.
const TOLD_MAX: usize = 24_000;

/// Adds a voice for each team to the voices of a conversation.
pub fn with_teams(voices: Arc<dyn Voices>, tools: Arc<dyn Tools>) -> Arc<dyn Voices> {
    Arc::new(WithTeams(voices, tools))
}

/// Voices of a conversation with its teams, and the tools that the teams use.
struct WithTeams(Arc<dyn Voices>, Arc<dyn Tools>);

impl Voices for WithTeams {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        match &seat.voice {
            VoiceSpec::Team(team) if team.scenario.is_null() => {
                Err(format!("the team {} was not read", team.file).into())
            }
            VoiceSpec::Team(spec) => {
                let voices: Arc<dyn Voices> = Arc::new(Inside(self.0.clone()));
                let tools = self.1.clone();
                let spec = spec.clone();
                let voices = with_teams(voices, tools.clone());
                Ok(Arc::new(Team { spec, voices, tools }))
            }
            _ => self.0.voice(seat),
        }
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), NoVoice> {
        self.0.seat(seat)
    }

    fn leave(&self) -> Speaking {
        self.0.leave()
    }
}

/// Voices inside a team: scripted lines are the team's own, even if an outer seat has the same id.
struct Inside(Arc<dyn Voices>);

impl Voices for Inside {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        match &seat.voice {
            VoiceSpec::Lines { .. } => Ok(Arc::new(Rehearsed)),
            _ => self.0.voice(seat),
        }
    }
}

/// The voice of a team.
#[derive(Clone)]
struct Team {
    spec: Box<TeamSpec>,
    voices: Arc<dyn Voices>,
    tools: Arc<dyn Tools>,
}

impl Team {
    /// Returns the opening of the inner conversation: its scenario, with the request as the topic.
    fn opened(&self, ask: &CallRequest) -> Opened {
        let mut scenario = self.spec.scenario.clone();
        let topic = topic(ask, scenario["topic"].as_str());
        scenario["topic"] = topic.into();
        let own: Limits = serde_json::from_value(scenario["limits"].clone()).unwrap_or_default();
        let limits = Limits {
            usd: own.usd.into_iter().chain(ask.left.usd).chain(ask.seat.max_usd).min(),
            tokens: own.tokens.into_iter().chain(ask.left.tokens).min(),
            ..own
        };
        scenario["limits"] = serde_json::to_value(limits).unwrap_or_default();
        Opened {
            format: 1,
            program: TEAM.into(),
            seed: ask.turn.0,
            scenario,
            participants: self.spec.participants.clone(),
            parallel: self.spec.parallel.max(1),
            rules: 1,
            item: None,
            ..Opened::default()
        }
    }

    /// Runs the inner conversation and reports it as it proceeds.
    async fn talk(&self, ask: CallRequest, out: &Out) -> Result<Done, CallFailure> {
        let failed = |why: String| CallFailure::new(ErrorClass::Failed, why);
        let clock = if out.clock().is_virtual() {
            Clock::virtual_since(out.clock().wall(), Ms(0))
        } else {
            Clock::real(Ms(0))
        };
        let session = unsaved().map_err(|e| failed(format!("the team cannot begin: {e}")))?;
        let start = Opening::Open(Box::new(self.opened(&ask)));
        let parts = Parts {
            saved: false,
            ..Parts::new(session, start, self.voices.clone(), self.tools.clone(), clock)
        };
        let RunningConversation { tail, commands, mut run } = Assembled::new(parts).start();
        drop(commands);
        let ((), end) = tokio::join!(self.report(tail, out), run.stopped());
        let state = &end.state;
        let spent = state.spent();
        let usage = spent.used();
        let fault = end.stop.clone().err();
        let said = state.entries.iter().rev().find(|e| e.number.is_some() && e.hidden.is_none());
        match (said, fault) {
            (Some(entry), None) => Ok(Done {
                text: Some(entry.text().clone()),
                usage,
                cost: spent.cost(),
                ..Done::default()
            }),
            (_, fault) => {
                let why = state.ended.as_ref().and_then(|end| end.text.clone());
                let why = fault.or(why.map(|w| w.to_string()));
                let why = why.unwrap_or_else(|| "nobody in it said anything".into());
                let mut failure =
                    failed(format!("the team {} gave no answer: {why}", self.spec.file));
                failure.usage = usage;
                Err(failure)
            }
        }
    }

    /// Reports the turns of the team's seats as the reasoning of the participant. On virtual time the inner
    /// conversation runs at once, so the outer clock then waits for the same duration.
    async fn report(&self, mut tail: Tail, out: &Out) {
        let mut at = Ms(0);
        let mut first = true;
        while let Some(item) = tail.next().await {
            let Item::Event(record) = item else { continue };
            if out.clock().is_virtual() {
                out.wait(record.event.ms.since(at)).await;
                at = record.event.ms.max(at);
            }
            if let Some((who, words)) = self.said(&record.event) {
                let gap = if first { "" } else { "\n\n" };
                first = false;
                let told = format!("{gap}{who}: {}", text::block(&words));
                out.send(Chunk::Piece(Channel::Think, told.into())).await;
            }
        }
    }

    /// Returns the speaker's name and the text of a spoken turn.
    fn said(&self, event: &Event) -> Option<(String, Text)> {
        let Kind::TurnEnded(end) = &event.kind else { return None };
        let spoke = end.purpose == Purpose::Speak && end.outcome == Outcome::Said;
        let aloud = spoke && !end.text.trim().is_empty();
        let text = &end.text;
        let by = SeatId(event.by.clone());
        let seat = self.spec.participants.iter().find(|p| p.id == by);
        aloud.then(|| {
            (text::name(seat.map_or(&by.0, |s: &Participant| &s.name)).into_owned(), text.clone())
        })
    }
}

impl Voice for Team {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let team = self.clone();
        Box::pin(async move {
            let last = match team.talk(ask, &out).await {
                Ok(done) => Chunk::Done(done),
                Err(failure) => Chunk::Failed(failure),
            };
            out.send(last).await;
        })
    }
}

/// Returns the topic of a team: the topic of the outer conversation, its messages, and the request to the seat.
fn topic(ask: &CallRequest, own: Option<&str>) -> String {
    let table = ask.facts["topic"].as_str().unwrap_or_default().trim();
    let mut all: Vec<String> = vec![];
    all.extend((!table.is_empty()).then(|| table.to_owned()));
    let said: Vec<String> =
        ask.prompt.blocks.iter().filter_map(|b| line(b, &ask.seat.name)).collect();
    if !said.is_empty() {
        let said = said.join("\n");
        let from = said.len().saturating_sub(TOLD_MAX);
        let said = said.get(said.ceil_char_boundary(from)..).unwrap_or_default();
        all.push(format!("The conversation so far:\n{said}"));
    }
    let name = &ask.seat.name;
    let role = ask.seat.role.as_ref().map_or(String::new(), |role| format!(" ({role})"));
    all.push(format!(
        "Your team speaks as {name}{role} in that conversation. Discuss it among yourselves: the last message of your \
         discussion is what {name} will say."
    ));
    all.extend(ask.seat.persona.as_ref().map(|p| p.to_string()));
    all.extend(ask.prompt.task.as_ref().map(|t| t.to_string()));
    all.extend(own.map(str::trim).filter(|own| !own.is_empty()).map(str::to_owned));
    all.join("\n\n")
}

/// Returns a message of the outer conversation as a line of the topic.
fn line(block: &Block, own: &str) -> Option<String> {
    let (who, words, whisper) = match block {
        Block::Own { text, .. } => (own, text, false),
        Block::Other { name, text, whisper, .. } => (&**name, text, *whisper),
        Block::Operator { text, whisper, .. } => ("the host", text, *whisper),
        Block::Summary { text } => ("summary", text, false),
    };
    let to = if whisper { format!(" to {own} alone") } else { String::new() };
    (!words.trim().is_empty()).then(|| format!("{who}{to}: {words}"))
}
