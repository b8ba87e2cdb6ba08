//! Voices and tools of one run: each call takes the next line of its seat, and the prompts of all calls are kept. Tool
//! calls and their results come from the test, or are played or recorded.
//!
//! A seat without lines speaks with its own voice, which the caller has to pass; otherwise the seat stays without a
//! voice, so that a test never uses the network or starts a program by accident.

use super::answers::{Act, Answer, first_half};
use super::calls::{CallSeen, shown};
use super::cassette::{Cassette, Drift};
use super::fault::TestFault;
use super::plan::{Speaker, Test, service_name};
use super::replies::{ModelReply, NoReply, ReplyPlace, RunModels};
use super::simulated::{AttackProgress, Simulated};
use super::tools::{self, PlayedTool};
use crate::expr::Facts;
use crate::model::{
    Block, Channel, ErrorClass, Line, Participant, Purpose, SeatId, Text, ToolRequest, TurnId,
    Usage,
};
use crate::tool::{RunningTool, ToolJob, ToolResult, Tools};
use crate::voice::rehearsed::{self, ChosenLines};
use crate::voice::{
    BREATH_WORDS, CallFailure, CallRequest, Chunk, Done, NoVoice, Out, Speaking, Voice, Voices,
    paced,
};
use parking_lot::Mutex;
use regex::Regex;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Virtual milliseconds of one step of silence: longer than any call.
const SILENCE_MS: u64 = 86_400_000;
/// Maximum number of requests until the reply of a simulated person or attacker is usable.
const EMPTY_TRIES: usize = 3;
/// Account that is charged for the participants' models.
const PARTICIPANTS: &str = "participants";

/// Parts of a run that its test does not play.
#[derive(Clone)]
pub struct OwnSources {
    /// Voices of seats that keep their own.
    pub voices: Option<Arc<dyn Voices>>,
    /// Runner of tool scripts, which also reads files for built-in tools.
    pub tools: Option<Arc<dyn Tools>>,
}

/// The voices of one run.
#[derive(Clone)]
pub struct Stage {
    test: Arc<Test>,
    own: OwnSources,
    models: Arc<RunModels>,
    run: u32,
    kept: Arc<Mutex<Kept>>,
}

/// Mutable state of the stage.
#[derive(Default)]
struct Kept {
    asked: Vec<CallSeen>,
    spoken: BTreeMap<SeatId, Vec<usize>>,
    drifts: Vec<Drift>,
    faults: Vec<String>,
    /// Number of model replies in each turn.
    replied: BTreeMap<TurnId, usize>,
    /// Progress of the attackers.
    progress: BTreeMap<SeatId, AttackProgress>,
    /// Failed model calls, by turn.
    failed: BTreeMap<TurnId, String>,
    /// Turns of each seat that started with tool calls given by the test.
    given: BTreeMap<SeatId, Vec<TurnId>>,
    /// Indices of the results that each tool has returned.
    returned: BTreeMap<Text, Vec<usize>>,
    /// Index of the recorded turn for each turn of the run.
    recorded: BTreeMap<TurnId, usize>,
}

impl Stage {
    /// Returns the stage of a run, counted from 0.
    pub fn new(test: Arc<Test>, run: u32, own: OwnSources, models: Arc<RunModels>) -> Stage {
        Stage { test, own, models, run, kept: Arc::default() }
    }

    /// Removes and returns the calls so far.
    pub fn asked(&self) -> Vec<CallSeen> {
        std::mem::take(&mut self.kept.lock().asked)
    }

    /// Returns the voice of a participant; a derived participant uses its template's voice.
    fn speaker(&self, seat: &Participant) -> Option<&Speaker> {
        let voices = &self.test.voices;
        voices.get(&seat.id).or_else(|| voices.get(seat.made_from.as_ref()?))
    }

    /// Removes and returns the prompts that differ from their recording.
    pub fn drifts(&self) -> Vec<Drift> {
        std::mem::take(&mut self.kept.lock().drifts)
    }

    /// Returns a recording's reply to a call; a missing reply is a fault of the test.
    fn recorded(&self, ask: &CallRequest, recording: &Cassette) -> Vec<Chunk> {
        let mut kept = self.kept.lock();
        let turn = kept.turn_of(ask);
        kept.recorded.insert(ask.turn, turn);
        let round = ask.prompt.tools.len();
        match recording.says(&ask.seat.id, ask.purpose, turn, round, &shown(&ask.prompt)) {
            Ok((chunks, drift)) => {
                kept.drifts.extend(drift);
                chunks
            }
            Err(why) => {
                kept.faults.push(why.to_string());
                vec![Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why))]
            }
        }
    }

    /// Returns the position of a model's reply.
    fn place(&self, ask: &CallRequest) -> ReplyPlace {
        let kept = self.kept.lock();
        let purpose = serde_json::to_value(ask.purpose).unwrap_or_default();
        ReplyPlace {
            who: ask.seat.id.to_string(),
            purpose: purpose.as_str().unwrap_or_default().to_owned(),
            run: self.run + 1,
            turn: kept.turn_of(ask) + 1,
            reply: kept.replied.get(&ask.turn).copied().unwrap_or(0) + 1,
        }
    }

    /// Speaks the reply of the seat's model at the pace of a scripted line, so that recorded and live replies take
    /// equally long.
    async fn model(self, ask: CallRequest, ignored: Arc<[Regex]>, out: Out) {
        let chunks = match self.reply(ask, &ignored, PARTICIPANTS).await {
            Ok(reply) => reply.chunks(),
            Err(failure) => vec![Chunk::Failed(failure)],
        };
        paced(chunks, out).await;
    }

    /// Speaks as a simulated person or attacker; an empty reply is requested again.
    async fn simulated(
        self,
        ask: CallRequest,
        plays: Arc<Simulated>,
        ignored: Arc<[Regex]>,
        out: Out,
    ) {
        let seat = ask.seat.id.clone();
        let progress = self.kept.lock().progress.get(&seat).cloned().unwrap_or_default();
        let has_spoken = ask.prompt.blocks.iter().any(|block| matches!(block, Block::Own { .. }));
        let is_first = !has_spoken && self.kept.lock().turn_of(&ask) == 0;
        let opening = if is_first { plays.opening.clone() } else { None };
        let messages = plays.messages(&ask.prompt, &progress);
        let ask = CallRequest { messages, form: plays.form(), ..ask };
        let mut said = opening.map(|opening| Ok((opening, progress.clone())));
        for _ in 0..EMPTY_TRIES {
            if said.is_some() {
                break;
            }
            said = match self.reply(ask.clone(), &ignored, plays.account()).await {
                Ok(reply) => plays.says(&reply.text, &reply.structured, &progress).map(Ok),
                Err(failure) => Some(Err(failure)),
            };
        }
        let chunks = match said {
            Some(Ok((said, progress))) => {
                if plays.attack.is_some() {
                    self.kept.lock().progress.insert(seat, progress);
                }
                // its tokens are counted separately
                let done = Done { usage: Some(Usage::default()), ..Done::default() };
                vec![Chunk::Piece(Channel::Say, said.into()), Chunk::Done(done)]
            }
            Some(Err(failure)) => vec![Chunk::Failed(failure)],
            None => {
                let who = plays.account();
                let why = format!("the {who} `{seat}` said nothing usable {EMPTY_TRIES} times");
                self.kept.lock().faults.push(why.to_string());
                vec![Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why))]
            }
        };
        paced(chunks, out).await;
    }

    /// Returns the progress of the attackers.
    pub fn progress(&self) -> BTreeMap<SeatId, AttackProgress> {
        self.kept.lock().progress.clone()
    }

    /// Returns the reply of the seat's model, recorded or live.
    async fn reply(
        &self,
        ask: CallRequest,
        ignored: &[Regex],
        account: &'static str,
    ) -> Result<ModelReply, CallFailure> {
        let turn = ask.turn;
        let place = self.place(&ask);
        let name = match ask.seat.voice.as_model() {
            Some(spec) => spec.name.to_string(),
            None => service_name(&ask.seat).unwrap_or_default(),
        };
        match self.models.reply(&name, ask, place, ignored, account).await {
            Ok(reply) => {
                let mut kept = self.kept.lock();
                *kept.replied.entry(turn).or_default() += 1;
                kept.failed.remove(&turn);
                Ok(reply)
            }
            Err(NoReply::Missing(why) | NoReply::Unusable(why)) => {
                self.kept.lock().faults.push(why.to_string());
                Err(CallFailure::new(ErrorClass::NoVoice, why))
            }
            Err(NoReply::Call(failure)) => {
                self.kept.lock().failed.insert(turn, failure.text.to_string());
                Err(failure)
            }
        }
    }

    /// Returns the error of a live model call that failed in a turn.
    pub fn failure(&self, turn: TurnId) -> Option<String> {
        self.kept.lock().failed.get(&turn).cloned()
    }

    /// Removes and returns the faults of conditions and templates in lines.
    pub fn faults(&self) -> Vec<String> {
        std::mem::take(&mut self.kept.lock().faults)
    }

    /// Returns the lines for a call; none are left if both indices are `None`.
    fn choose(&self, ask: &CallRequest, answers: &[Answer], facts: &Facts) -> ChosenLines {
        let lines: Vec<Line> = answers.iter().map(|a| a.line.clone()).collect();
        let mut kept = self.kept.lock();
        let spoken = kept.spoken.entry(ask.seat.id.clone()).or_default().clone();
        let found = || facts.clone();
        for fault in rehearsed::faults(&lines, ask.purpose, &spoken, found) {
            let fault = format!("a voice has an invalid line: `{}`: {fault}", ask.seat.id);
            if !kept.faults.contains(&fault) {
                kept.faults.push(fault);
            }
        }
        let chosen = rehearsed::choose(&lines, ask.purpose, &spoken, found);
        for line in [chosen.lead, chosen.line].into_iter().flatten() {
            if answers.get(line).is_some_and(|answer| !answer.every) {
                kept.spoken.entry(ask.seat.id.clone()).or_default().push(line);
            }
        }
        chosen
    }
}

impl Kept {
    /// Returns the index of a call's turn among the participant's turns of this purpose.
    fn turn_of(&self, ask: &CallRequest) -> usize {
        let of_seat = |a: &&CallSeen| a.seat == ask.seat.id && a.purpose == ask.purpose;
        let mut turns: Vec<TurnId> = self.asked.iter().filter(of_seat).map(|a| a.turn).collect();
        turns.dedup();
        turns.iter().position(|turn| *turn == ask.turn).unwrap_or(turns.len())
    }
}

impl Voices for Stage {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        match (self.speaker(seat).is_some(), &self.own.voices) {
            (true, _) => Ok(Arc::new(self.clone())),
            (false, Some(real)) => {
                let voice = real.voice(seat)?;
                Ok(Arc::new(Watched { stage: self.clone(), voice }))
            }
            (false, None) => Err(format!("`{}` has no voice in this test", seat.id).into()),
        }
    }
}

impl Voice for Stage {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        if let Some(given) = self.given(&ask) {
            return Box::pin(async move {
                for chunk in given {
                    out.send(chunk).await;
                }
            });
        }
        self.kept.lock().asked.push(CallSeen::from_request(&ask));
        let (answers, pace) = match self.speaker(&ask.seat) {
            Some(Speaker::Lines { answers, pace }) => (answers, *pace),
            Some(Speaker::Recorded(recording)) => {
                let chunks = self.recorded(&ask, recording);
                return Box::pin(paced(chunks, out));
            }
            Some(Speaker::Model { ignored, plays, .. }) => {
                let ignored = ignored.clone();
                let plays = plays.clone();
                let speaks = ask.purpose == Purpose::Speak;
                return match plays {
                    Some(plays) if speaks => {
                        Box::pin(self.clone().simulated(ask, plays, ignored, out))
                    }
                    Some(_) | None => Box::pin(self.clone().model(ask, ignored, out)),
                };
            }
            None => {
                let why = "this participant has no voice in this test";
                let failure = Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why));
                return Box::pin(paced(vec![failure], out));
            }
        };
        let facts = Facts::new(json!({
            "attempt": ask.attempt,
            "case": self.test.variables,
            "model": ask.seat.voice.label(),
            "prompt": shown(&ask.prompt),
        }));
        let facts = facts.over(&Facts::new(&*ask.facts));
        let chosen = self.choose(&ask, answers, &facts);
        let answer = chosen.line.or(chosen.lead).and_then(|i| answers.get(i)).cloned();
        let lead = chosen.line.and(chosen.lead).and_then(|i| answers.get(i));
        let words = answer.as_ref().map(|answer| words(lead, answer, &facts));
        let words =
            words.map(|words| words.and_then(|text| Ok((text, requests(&answer, &facts)?))));
        if let Some(Err(fault)) = &words {
            let fault = format!("a voice has an invalid line: `{}`: {fault}", ask.seat.id);
            self.kept.lock().faults.push(fault);
        }
        Box::pin(async move {
            let last = match (answer, words) {
                (Some(answer), Some(Ok((text, tools)))) => {
                    play(answer, text, tools, pace, &out).await
                }
                (_, Some(Err(fault))) => {
                    Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, fault))
                }
                (None, _) | (_, None) => {
                    let why = "the test has no line left for this call";
                    Chunk::Failed(CallFailure::new(ErrorClass::NoVoice, why))
                }
            };
            out.send(last).await;
        })
    }
}

/// Returns the text of an answer after a reaction that leads it, with the templates filled in.
fn words(lead: Option<&Answer>, answer: &Answer, facts: &Facts) -> Result<String, TestFault> {
    let texts = lead.into_iter().chain([answer]).map(|a| tools::filled(&a.line.text, facts));
    Ok(texts.collect::<Result<Vec<_>, _>>()?.join("\n\n"))
}

/// Returns the tool calls of an answer, with the templates in their arguments filled in.
fn requests(answer: &Option<Answer>, facts: &Facts) -> Result<Vec<ToolRequest>, TestFault> {
    let requests = answer.iter().flat_map(|answer| &answer.tools);
    let request = |r: &ToolRequest| {
        let arguments = tools::filled_value(&r.arguments, facts)?;
        Ok(ToolRequest { tool: r.tool.clone(), arguments })
    };
    requests.map(request).collect()
}

/// Speaks an answer word by word, or performs its other effect; returns the last chunk of the call.
async fn play(
    answer: Answer,
    text: String,
    tools: Vec<ToolRequest>,
    pace: u64,
    out: &Out,
) -> Chunk {
    let failed = |class, why: String| Chunk::Failed(CallFailure::new(class, why));
    let (text, left) = match answer.act {
        Act::Say => (text.as_str(), usize::MAX),
        Act::Cut(words) => (text.as_str(), usize::try_from(words).unwrap_or(usize::MAX)),
        Act::BadJson => (first_half(&text), usize::MAX),
        Act::Silence => loop {
            out.wait(SILENCE_MS).await;
        },
        Act::Pass => return Chunk::Pass,
        Act::Fail { class, code, wait } => {
            let why = format!("failure simulated by the test: {code}");
            return Chunk::Failed(CallFailure {
                retry_after_ms: wait,
                ..CallFailure::new(class, why)
            });
        }
    };
    out.wait(pace * BREATH_WORDS + answer.slow).await;
    for word in text.split_inclusive(char::is_whitespace).take(left) {
        out.wait(pace).await;
        out.send(Chunk::Piece(Channel::Say, word.into())).await;
    }
    match answer.act {
        Act::Cut(words) => {
            failed(ErrorClass::Broken, format!("cut by the test after {words} words"))
        }
        Act::Say | Act::BadJson | Act::Silence | Act::Pass | Act::Fail { .. } => {
            Chunk::Done(Done {
                finish: Some("stop".into()),
                usage: answer.usage,
                tools,
                ..Done::default()
            })
        }
    }
}

/// A seat's own voice, wrapped to keep its prompts.
struct Watched {
    stage: Stage,
    voice: Arc<dyn Voice>,
}

impl Voice for Watched {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        if let Some(given) = self.stage.given(&ask) {
            return Box::pin(paced(given, out));
        }
        self.stage.kept.lock().asked.push(CallSeen::from_request(&ask));
        self.voice.speak(ask, out)
    }
}

impl Stage {
    /// Returns the reply to a call whose tool calls are given by the test: the calls, then the text, if any.
    pub(super) fn given(&self, ask: &CallRequest) -> Option<Vec<Chunk>> {
        if ask.purpose != Purpose::Speak {
            return None;
        }
        let given = self.test.given.get(&ask.seat.id)?;
        let mut kept = self.kept.lock();
        let turns = kept.given.entry(ask.seat.id.clone()).or_default();
        let at = turns.iter().position(|turn| *turn == ask.turn).or_else(|| {
            turns.push(ask.turn);
            (turns.len() <= given.len()).then_some(turns.len() - 1)
        })?;
        let given = given.get(at)?;
        // given calls use no tokens
        let done = Done { usage: Some(Usage::default()), ..Done::default() };
        if ask.prompt.tools.is_empty() {
            let tools = given.calls.iter().map(|call| call.request.clone()).collect();
            return Some(vec![Chunk::Done(Done { tools, ..done })]);
        }
        let text = given.text.clone()?;
        Some(vec![Chunk::Piece(Channel::Say, text), Chunk::Done(done)])
    }

    /// Returns the known result of a tool: given, played or recorded; the error suggests an addition to the test.
    fn result(&self, job: &ToolJob) -> Result<ToolResult, TestFault> {
        let mut kept = self.kept.lock();
        let of_seat = kept.given.get(&job.participant);
        let at = of_seat.and_then(|turns| turns.iter().position(|turn| *turn == job.turn));
        let turns = self.test.given.get(&job.participant);
        let request = ToolRequest { tool: job.tool.name.clone(), arguments: job.arguments.clone() };
        let given = at.and_then(|at| turns?.get(at));
        let known = given.and_then(|given| given.calls.iter().find(|call| call.request == request));
        if let Some(known) = known {
            return Ok(known.result());
        }
        if let Some(PlayedTool::Results(results)) = self.test.tools.get(&*job.tool.name) {
            let facts = tools::facts_of(job, &self.test.variables);
            let used = kept.returned.entry(job.tool.name.clone()).or_default();
            let at = tools::choose(results, used, &facts);
            let result = at.and_then(|at| Some((at, results.get(at)?)));
            let (at, result) = result.ok_or_else(|| {
                format!("the tool `{}` has no result left for this call", job.tool.name)
            })?;
            if !result.every {
                used.push(at);
            }
            let wrong = |why| format!("the tool `{}` has an invalid result: {why}", job.tool.name);
            return Ok(result.result(&facts).map_err(wrong)?);
        }
        if let Some(Speaker::Recorded(recording)) = self.test.voices.get(&job.participant)
            && let Some(turn) = kept.recorded.get(&job.turn)
            && let Some(result) = recording.returned(&job.participant, *turn, &request)
        {
            return Ok(result);
        }
        Err(format!(
            "`{0}` called the tool `{1}`, and the test does not say what it returns; add [[tool]] with \
             name = \"{1}\" and results = [\"...\"]",
            job.participant, job.tool.name
        ).into())
    }
}

impl Tools for Stage {
    fn run(&self, job: ToolJob) -> RunningTool {
        let played = self.test.tools.get(&*job.tool.name);
        let is_real = match played {
            Some(PlayedTool::Script) => true,
            Some(PlayedTool::Results(_)) => false,
            None => job.tool.reads_files() && self.test.files.is_some(),
        };
        let result = self.result(&job);
        match (&self.own.tools, result) {
            (Some(own), Err(_)) if is_real => own.run(job),
            (_, Ok(result)) => Box::pin(async { result }),
            (_, Err(why)) => {
                self.kept.lock().faults.push(why.to_string());
                Box::pin(async { ToolResult::failed(why) })
            }
        }
    }
}
