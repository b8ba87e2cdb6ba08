//! A conversation in memory, in virtual time, with scripted voices. Every run checks the invariants of all
//! conversations.

use colloquium::clock::Clock;
use colloquium::engine::{Engine, Stopped};
use colloquium::host::with_teams;
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::session::disk::{Disk, Rescue};
use colloquium::session::writer::{Mode, SessionWriter, WriterStart};
use colloquium::session::{Feed, Finished, Item, PieceFilter, decode};
use colloquium::state::{Live, State, Who};
use colloquium::tool::{RunningTool, ToolJob, ToolResult, Tools};
use colloquium::voice::NoVoice;
use colloquium::voice::reading::ReadingPace;
use colloquium::voice::rehearsed::Rehearsed;
use colloquium::voice::{CallFailure, CallRequest, Chunk, Done, Out, Speaking, Voice, Voices};
use serde_json::{Value, json};
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// Time after which a conversation counts as a hang, in virtual time and on a busy machine.
const HANG: Duration = Duration::from_secs(300);

/// A disk in memory.
#[derive(Clone, Default)]
pub struct Memory {
    bytes: Arc<Mutex<Vec<u8>>>,
    pub full: Arc<std::sync::atomic::AtomicBool>,
}

impl Memory {
    pub fn lines(&self) -> Vec<String> {
        let bytes = self.bytes.lock().unwrap();
        String::from_utf8(bytes.clone()).unwrap().lines().map(str::to_owned).collect()
    }
    pub fn events(&self) -> Vec<Event> {
        self.lines().iter().map(|l| decode(l.as_bytes()).unwrap()).collect()
    }
}

impl Disk for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.full.load(std::sync::atomic::Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.bytes.lock().unwrap().truncate(len as usize);
        Ok(())
    }
    fn blob(&mut self, _: &str, _: &str) -> io::Result<()> {
        Ok(())
    }
    fn rescue(&mut self) -> io::Result<Rescue> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Behaviour of a test's voice on one request.
#[derive(Clone, Debug)]
pub enum Play {
    /// Speaks word by word, with this many milliseconds for each word.
    Words(String, u64),
    /// Speaks a word every 20 ms, and reports the tokens read and written.
    Counted(String, u64, u64),
    /// Answers with data.
    Data(String, Value),
    /// Fails after this many milliseconds.
    Fail(u64, ErrorClass),
    /// Fails at once, and requests a delay of this many milliseconds.
    AskToWait(u64),
    /// Speaks, then breaks off.
    Break(String, u64),
    /// Speaks, then fails with this failure.
    Ends(String, CallFailure),
    /// Speaks, then runs out of tokens.
    Spent(String),
    /// Speaks, then stalls.
    Stall(String),
    /// Speaks without an end.
    Drones,
    /// Never produces a word.
    Silence,
    /// Passes the turn.
    Pass,
    /// Speaks, then calls tools.
    Asks(String, Vec<(&'static str, Value)>),
}

type Director = dyn Fn(&CallRequest) -> Play + Send + Sync;

/// The voices of a test, and their requests.
#[derive(Clone)]
pub struct Stage {
    director: Arc<Director>,
    pub seen: Arc<Mutex<Vec<CallRequest>>>,
    /// True if they speak at reading speed.
    pub is_at_reading_pace: bool,
    /// True if rehearsed lines are spoken.
    pub rehearses: bool,
    /// The tools that ran.
    pub ran: Arc<Mutex<Vec<ToolJob>>>,
}

/// Every tool of a test returns its input; `fails` fails.
impl Tools for Stage {
    fn run(&self, job: ToolJob) -> RunningTool {
        self.ran.lock().unwrap().push(job.clone());
        Box::pin(async move {
            match &*job.tool.name {
                "fails" => ToolResult::failed("it does"),
                _ => ToolResult::done(format!("did {}", job.arguments)),
            }
        })
    }
}

pub fn stage(director: impl Fn(&CallRequest) -> Play + Send + Sync + 'static) -> Stage {
    Stage {
        director: Arc::new(director),
        seen: Arc::default(),
        is_at_reading_pace: false,
        rehearses: false,
        ran: Arc::default(),
    }
}

/// Returns voices that state their name and the number of messages in their prompt.
pub fn plain() -> Stage {
    stage(|ask| {
        let n = ask.prompt.blocks.len();
        Play::Words(format!("{} speaks of {n} things here", ask.seat.id), 20)
    })
}

impl Voices for Stage {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        Ok(match &seat.voice {
            VoiceSpec::Lines { .. } if self.rehearses => Arc::new(Rehearsed),
            _ => Arc::new(self.clone()),
        })
    }
}

impl Voice for Stage {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        let play = (self.director)(&ask);
        self.seen.lock().unwrap().push(ask);
        Box::pin(async move {
            let last = match play {
                Play::Silence => loop {
                    out.wait(3_600_000).await;
                },
                Play::Stall(text) => {
                    speak(&out, &text, 10).await;
                    loop {
                        out.wait(3_600_000).await;
                    }
                }
                Play::Drones => {
                    for n in 1.. {
                        speak(&out, &format!("on-{n} "), 10_000).await;
                    }
                    unreachable!("it has no end")
                }
                Play::Ends(text, failure) => {
                    speak(&out, &text, 10).await;
                    Chunk::Failed(failure)
                }
                Play::Spent(text) => {
                    speak(&out, &text, 10).await;
                    Chunk::Done(Done { finish: Some(LENGTH.into()), ..Done::default() })
                }
                Play::Fail(ms, class) => {
                    out.wait(ms).await;
                    Chunk::Failed(CallFailure::new(class, "as the test wants it"))
                }
                Play::AskToWait(ms) => Chunk::Failed(CallFailure {
                    retry_after_ms: Some(ms),
                    ..CallFailure::new(ErrorClass::Rate, "slow down")
                }),
                Play::Pass => Chunk::Pass,
                Play::Asks(text, requests) => {
                    speak(&out, &text, 20).await;
                    let request =
                        |(tool, arguments): (&str, _)| ToolRequest { tool: tool.into(), arguments };
                    let tools = requests.into_iter().map(request).collect();
                    Chunk::Done(Done { tools, ..Done::default() })
                }
                Play::Data(text, structured) => {
                    out.wait(10).await;
                    Chunk::Done(Done { text: Some(text.into()), structured, ..Done::default() })
                }
                Play::Words(text, pace) => {
                    speak(&out, &text, pace).await;
                    Chunk::Done(Done::default())
                }
                Play::Counted(text, input, output) => {
                    speak(&out, &text, 20).await;
                    let usage = Some(Usage { input, output, ..Usage::default() });
                    Chunk::Done(Done { usage, ..Done::default() })
                }
                Play::Break(text, pace) => {
                    speak(&out, &text, pace).await;
                    Chunk::Failed(CallFailure::new(ErrorClass::Failed, "broken off"))
                }
            };
            out.send(last).await;
        })
    }
}

async fn speak(out: &Out, text: &str, pace: u64) {
    for word in text.split_inclusive(' ') {
        out.wait(pace).await;
        out.send(Chunk::Piece(Channel::Say, word.into())).await;
    }
}

pub fn seat(id: &str) -> Participant {
    Participant::new(id, VoiceSpec::Script(vec!["test".into()]))
}

pub fn human(id: &str) -> Participant {
    Participant { voice: VoiceSpec::Human { seconds: None, pass: false, link: false }, ..seat(id) }
}

/// Returns a conversation from a scenario as JSON and its seats.
pub fn table(scenario: Value, seats: Vec<Participant>) -> Opened {
    let mut scenario = scenario;
    if scenario.get("title").is_none() {
        scenario["title"] = "a test".into();
    }
    serde_json::from_value::<colloquium::scenario::Scenario>(scenario.clone()).expect("a scenario");
    Opened {
        format: 1,
        program: "test".into(),
        seed: 7,
        rehearsed: true,
        scenario,
        participants: seats,
        parallel: 8,
        rates: Default::default(),
        attended: false,
        steered: false,
        rules: 1,
        item: None,
    }
}

pub fn round_robin(ids: &[&str], utterances: u32) -> Opened {
    let scenario = json!({"policy": {"name": "round_robin"}, "limits": {"utterances": utterances}});
    table(scenario, ids.iter().map(|i| seat(i)).collect())
}

/// Result of a run.
pub struct Ran {
    pub events: Vec<Event>,
    pub lines: Vec<String>,
    pub state: State,
    pub seen: Vec<CallRequest>,
    pub ran: Vec<ToolJob>,
}

impl Ran {
    /// Returns the speakers in the order of the transcript: `a b operator a`.
    pub fn who(&self) -> String {
        let who = self.state.entries.iter().map(|e| match &e.who {
            Who::Seat(seat) => seat.to_string(),
            Who::Operator => "operator".into(),
        });
        who.collect::<Vec<_>>().join(" ")
    }
    /// Returns the final transcript.
    pub fn transcript(&self) -> Vec<(Option<u32>, String, String)> {
        let entry = |e: &colloquium::state::Entry| {
            (
                e.number,
                e.seat().map_or("operator".into(), ToString::to_string),
                e.text().to_string(),
            )
        };
        self.state.entries.iter().map(entry).collect()
    }
    pub fn reason(&self) -> &'static str {
        self.state.ended.as_ref().map_or("-", |e| e.reason.as_str())
    }
    pub fn kinds(&self) -> Vec<&str> {
        self.events.iter().map(|e| e.kind.name()).collect()
    }
    /// Returns the receipts of the command with this `id`, in order.
    pub fn receipts(&self, id: &str) -> Vec<ReceiptIs> {
        let of = |e: &Event| match &e.kind {
            Kind::Receipt(r) if r.id.as_deref() == Some(id) => Some(r.is),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }
    pub fn texts(&self) -> Vec<&str> {
        self.state.entries.iter().map(|e| &**e.text()).collect()
    }
}

pub fn lines(steer: &[Value]) -> Vec<(Key, SteerLine)> {
    let file: Vec<String> = steer.iter().map(ToString::to_string).collect();
    colloquium::steer::read_file(&file.join("\n")).expect("steering lines")
}

/// Start of a run.
enum Begin {
    Open(Opened),
    Resume,
    /// A resume with an operator, whose commands come after it.
    WatchedResume,
    Fork(Option<u64>, bool),
    /// A branch that an operator watches.
    WatchedFork,
}

pub async fn play(opened: Opened, stage: Stage, steer: &[Value]) -> Ran {
    go(vec![], Begin::Open(opened), stage, steer).await
}

pub async fn resume(past: Vec<Event>, stage: Stage, steer: &[Value]) -> Ran {
    go(past, Begin::Resume, stage, steer).await
}

/// Resumes as an operator does who is present.
pub async fn resume_watched(past: Vec<Event>, stage: Stage, steer: &[Value]) -> Ran {
    go(past, Begin::WatchedResume, stage, steer).await
}

/// Branches off after these events, optionally with another seed.
pub async fn fork(past: Vec<Event>, seed: Option<u64>, stage: Stage, steer: &[Value]) -> Ran {
    go(past, Begin::Fork(seed, false), stage, steer).await
}

/// Branches off after the last message of a finished conversation, so that it continues.
pub async fn fork_on(past: Vec<Event>, stage: Stage) -> Ran {
    go(past, Begin::Fork(None, true), stage, &[]).await
}

/// Branches off after these events, with an operator at the keyboard.
pub async fn fork_watched(past: Vec<Event>, stage: Stage, steer: &[Value]) -> Ran {
    go(past, Begin::WatchedFork, stage, steer).await
}

async fn go(past: Vec<Event>, begin: Begin, stage: Stage, steer: &[Value]) -> Ran {
    let disk = Memory::default();
    let start = WriterStart { len: 0, last: past.last().map(|e| e.seq) };
    let writer = SessionWriter::spawn(Box::new(disk.clone()), start, Mode::Normal).unwrap();
    let feed = Feed::new();
    let mut tail = feed.tail();
    let clock = Clock::virtual_from(past.last().map_or(Ms(0), |e| e.ms));
    let tools = Arc::new(stage.clone());
    let mut voices = with_teams(Arc::new(stage.clone()), tools.clone());
    if stage.is_at_reading_pace {
        voices = Arc::new(ReadingPace(voices));
    }
    let mut engine = Engine::new(writer, feed, clock, voices);
    engine.tools = tools;
    let is_watched = matches!(begin, Begin::WatchedResume);
    if !is_watched {
        engine.steer(lines(steer));
    }
    let mut reader = Live::from(State::fold(&past));
    match begin {
        Begin::Open(opened) => engine.open(opened),
        Begin::Resume => engine.resume(State::fold(&past), vec![]),
        Begin::WatchedResume => {
            engine.attended = true;
            engine.resume(State::fold(&past), vec![]);
            engine.steer(lines(steer));
        }
        Begin::Fork(seed, onward) => {
            engine.fork(State::fold(&past), "parent".into(), seed, onward);
        }
        Begin::WatchedFork => {
            engine.attended = true;
            engine.fork(State::fold(&past), "parent".into(), None, false);
        }
    }
    let (tx, orders) = mpsc::channel(1);
    drop(tx);
    let run = engine.run(orders, std::future::pending());
    let stopped = tokio::time::timeout(HANG, run).await;
    let Ok(stopped) = stopped else {
        let mut last = tail_of(&disk);
        last.iter_mut().for_each(|l| l.truncate(300));
        panic!("hang at {}: {last:#?}", engine.live.state.next_seq);
    };
    assert_eq!(stopped, Ok(Stopped::Ended));
    let live = engine.live.clone();
    engine.finish().await.unwrap();
    let mut events = past;
    events.extend(disk.events());
    check_invariants(&events, &live);
    while let Some(item) = tail.try_next() {
        match item {
            Item::Event(record) => reader.apply(&record.event),
            Item::Piece(piece) => reader.push(piece),
            Item::Past(_) => panic!("a live talk never goes elsewhere"),
        }
    }
    assert_eq!(reader.state, live.state, "a reader of the tail holds the same state");
    let seen = stage.seen.lock().unwrap().clone();
    // requests inside a team are in no log
    let at_table = |r: &&CallRequest| live.state.seats.iter().any(|s| s.spec.id == r.seat.id);
    for request in seen.iter().filter(at_table) {
        let logged = events.iter().find(|e| e.seq.0 == request.call.0).map(|e| &e.kind);
        let Some(Kind::CallStarted(call)) = logged else { panic!("a call without its order") };
        let reads = !matches!(request.seat.voice, VoiceSpec::Lines { .. });
        let digest = colloquium::prompt::digest(&request.prompt);
        assert!(!reads || digest == call.digest, "the prompt's digest");
    }
    let ran = stage.ran.lock().unwrap().clone();
    Ran { events, lines: disk.lines(), state: live.state, seen, ran }
}

fn tail_of(disk: &Memory) -> Vec<String> {
    let lines = disk.lines();
    lines[lines.len().saturating_sub(12)..].to_vec()
}

/// Checks the invariants of every log.
fn check_invariants(events: &[Event], live: &Live) {
    assert!(events.iter().enumerate().all(|(i, e)| e.seq.0 == i as u64), "seq has no gap");
    assert!(events.windows(2).all(|w| w[0].ms <= w[1].ms), "time is monotone");
    assert_eq!(State::fold(events), live.state, "fold(file) is the live state");
    let finished = Finished::from_events(events);
    let short = State::fold(events.iter().filter(|e| !finished.repeats(e)));
    assert_eq!(short, live.state, "without the pieces of finished turns: the same state");
    let mut filter = PieceFilter::default();
    let mut passed = vec![];
    events.iter().for_each(|e| filter.take(&Arc::new(e.clone()), &mut |e| passed.push(e.seq)));
    filter.finish(&mut |e| passed.push(e.seq));
    let needed = events.iter().filter(|e| !finished.repeats(e)).map(|e| e.seq);
    assert!(needed.eq(passed), "read one by one: the same pieces are left out");
    let bare = State::fold(events.iter().filter(|e| !matches!(e.kind, Kind::Delta(_))));
    assert_eq!(bare.entries, live.state.entries, "without deltas: the same transcript");
    assert_eq!(bare.notes, live.state.notes, "without deltas: the same notes");
    let mut paused = false;
    for e in events {
        match e.kind {
            Kind::Paused(_) => paused = true,
            Kind::Resumed(_) => paused = false,
            Kind::CallStarted(_) => assert!(!paused, "a call started while paused, at {}", e.seq),
            _ => {}
        }
    }
    let given = events.iter().filter_map(|e| match &e.kind {
        Kind::CommandGiven(g) => Some(g.key.clone()),
        Kind::CommandRefused(r) => Some(r.key.clone()),
        _ => None,
    });
    let mut keys: Vec<Key> = given.collect();
    let all = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), all, "no command acts twice");
}
