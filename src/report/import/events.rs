//! The log of an imported conversation: the events that the program would have written itself.

use super::conversation::{Imported, ImportedMessage, ImportedSpeaker, ToolUse};
use crate::model::agent::AgentTool;
use crate::model::event::{ENGINE, OPERATOR};
use crate::model::payload::{
    BatchOpened, CallParameters, CallStarted, Ended, FloorGranted, HumanSaid, Opened, Receipt,
    TurnEnded,
};
use crate::model::{
    Addressed, BatchId, CallId, Command, CommandGiven, Event, Key, Kind, ModelSpec, Ms, Outcome,
    Participant, Purpose, ReceiptIs, Requester, SeatId, Seq, Targets, ThreadId, TurnId, VoiceSpec,
    Wall,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Reason of the turns.
const IMPORTED: &str = "imported";
/// Kind of a tool without one.
const OTHER: &str = "other";

/// Returns the events of a conversation; `now` is the time of one without times, and `format` the version of the log.
pub fn events(imported: &Imported, now: Wall, format: u32) -> Vec<Event> {
    let began = imported.messages.iter().find_map(|said| said.at).unwrap_or(now);
    let mut log = LogWriter { began, ms: Ms(0), events: vec![] };
    let title = if imported.title.trim().is_empty() { "Imported" } else { imported.title.trim() };
    let mut scenario = json!({
        "title": title, "policy": {"name": "manual", "options": {}}, "result": "none",
    });
    if let Some(topic) = &imported.topic {
        scenario["topic"] = topic.as_str().into();
    }
    let mut participants: Vec<Participant> = vec![];
    for mut speaker in imported.speakers.iter().map(participant) {
        speaker.tell_apart(&participants);
        participants.push(speaker);
    }
    log.push(
        ENGINE,
        Kind::Opened(Box::new(Opened {
            format,
            program: concat!("colloquium ", env!("CARGO_PKG_VERSION")).into(),
            scenario,
            participants,
            parallel: 1,
            rules: 1,
            item: None,
            ..Opened::default()
        })),
    );
    let mut number = 0;
    for (i, said) in imported.messages.iter().enumerate() {
        log.reach(said.at);
        match &said.by {
            Some(_) => {
                number += 1;
                log.turn(said, number);
            }
            None => log.operator(said, i),
        }
    }
    if let Some(result) = &imported.result {
        log.push(ENGINE, Kind::ResultGiven(result.clone()));
    }
    if let Some(reason) = imported.ended {
        let ended = Ended {
            reason,
            settled: false,
            lossy: false,
            text: None,
            rule: None,
            result: Value::Null,
        };
        log.push(ENGINE, Kind::Ended(ended));
    }
    log.events
}

fn participant(speaker: &ImportedSpeaker) -> Participant {
    let name = speaker.voice.as_str().into();
    let voice = VoiceSpec::Model(ModelSpec { name, ..ModelSpec::default() });
    let mut seat = Participant::new(speaker.id.clone(), voice);
    if !speaker.name.is_empty() {
        seat.name = speaker.name.as_str().into();
    }
    // braces would be read as a template
    seat.persona = speaker.persona.as_ref().map(|text| text.replace(['{', '}'], "").into());
    seat
}

struct LogWriter {
    began: Wall,
    ms: Ms,
    events: Vec<Event>,
}

impl LogWriter {
    /// Moves the clock to a time; it never goes back.
    fn reach(&mut self, at: Option<Wall>) {
        let since = at.map_or(0, |at| at.0.saturating_sub(self.began.0));
        self.ms = self.ms.max(Ms(u64::try_from(since).unwrap_or(0)));
    }

    /// Adds an event and returns its `seq`.
    fn push(&mut self, by: &str, kind: Kind) -> Seq {
        let seq = Seq(self.events.len() as u64);
        let passed = i64::try_from(self.ms.0).unwrap_or(i64::MAX);
        let at = Wall(self.began.0.saturating_add(passed));
        let thread = ThreadId::ROOT;
        self.events.push(Event { seq, at, ms: self.ms, thread, by: by.into(), cause: None, kind });
        seq
    }

    /// Adds an event that a command caused.
    fn because(&mut self, key: &Key, by: &str, kind: Kind) {
        self.push(by, kind);
        if let Some(event) = self.events.last_mut() {
            event.cause = Some(key.clone());
        }
    }

    /// Adds a turn of a participant.
    fn turn(&mut self, said: &ImportedMessage, number: u32) {
        let Some(seat) = &said.by else { return };
        let batch = self.push(ENGINE, Kind::BatchOpened(batch(seat).into()));
        let turn = TurnId(
            self.push(
                ENGINE,
                Kind::FloorGranted(FloorGranted {
                    batch: BatchId(batch.0),
                    participant: seat.clone(),
                    number: Some(number),
                    notes: vec![],
                    act: None,
                }),
            )
            .0,
        );
        let call = CallId(
            self.push(
                ENGINE,
                Kind::CallStarted(CallStarted {
                    turn,
                    model: said.model.as_str().into(),
                    parameters: CallParameters::default(),
                    digest: "".into(),
                    wording: 1,
                    left_out: 0,
                    labels: BTreeMap::new(),
                }),
            )
            .0,
        );
        for used in &said.tools {
            self.push(ENGINE, Kind::AgentTool(tool(used, turn, call)));
        }
        let ended = TurnEnded {
            turn,
            call: Some(call),
            purpose: Purpose::Speak,
            number: Some(number),
            outcome: Outcome::Said,
            text: said.text.as_str().into(),
            whispers: said.whispers.clone(),
            think: said.think.as_deref().map(Into::into),
            usage: said.usage.clone(),
            cost: said.cost,
            ..TurnEnded::default()
        };
        self.push(seat, Kind::TurnEnded(ended.into()));
    }

    /// Adds a message of the person.
    fn operator(&mut self, said: &ImportedMessage, at: usize) {
        let key = Key::from(format!("import:{at}").as_str());
        let text = said.text.as_str().into();
        let command = match &said.to {
            Some(to) => Command::Whisper(Addressed::new(to.clone(), text)),
            None => Command::Say { text, re: None, material: None },
        };
        let targets = Targets { threads: vec![ThreadId::ROOT], ..Targets::default() };
        let line = command.into();
        let given = CommandGiven { key: key.clone(), line, from: None, targets };
        self.push(OPERATOR, Kind::CommandGiven(given.into()));
        self.because(&key, OPERATOR, Kind::HumanSaid(HumanSaid { of: key.clone() }));
        self.because(
            &key.clone(),
            ENGINE,
            Kind::Receipt(Receipt {
                of: key,
                is: ReceiptIs::Done,
                id: None,
                turns: vec![],
                why: None,
                reason: None,
                line: Value::Null,
            }),
        );
    }
}

/// Returns a batch of one speaker.
fn batch(seat: &SeatId) -> BatchOpened {
    BatchOpened {
        requester: Requester::Operator,
        purpose: Purpose::Speak,
        seats: vec![seat.clone()],
        why: IMPORTED.into(),
        ..BatchOpened::default()
    }
}

fn tool(used: &ToolUse, turn: TurnId, call: CallId) -> AgentTool {
    AgentTool {
        turn,
        call,
        title: used.name.as_str().into(),
        sort: if used.sort.is_empty() { OTHER } else { &used.sort }.into(),
        status: if used.failed { "failed" } else { "completed" }.into(),
        input: (!used.input.is_null()).then(|| used.input.to_string().into()),
        result: used.result.as_deref().map(Into::into),
    }
}
