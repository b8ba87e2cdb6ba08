//! A blocked disk, a slow reader, a flood of text: memory is bounded, nothing is lost, and commands take effect.

use crate::harness::*;
use colloquium::clock::Clock;
use colloquium::engine::{Engine, Input, Stopped};
use colloquium::model::*;
use colloquium::session::writer::{Mode, SessionWriter, WAITING_MAX_BYTES, WriterStart};
use colloquium::session::{Feed, Item, Tail};
use colloquium::state::State;
use colloquium::voice::NoVoice;
use colloquium::voice::{CallRequest, Chunk, Done, Out, Speaking, Voice, Voices};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;
use tokio::sync::mpsc;

struct Running {
    disk: Memory,
    tail: Tail,
    orders: mpsc::Sender<Input>,
    engine: tokio::task::JoinHandle<(Result<Stopped, String>, State)>,
}

fn run(
    table: payload::Opened,
    voices: Arc<dyn Voices>,
    full: bool,
    patience: Option<Duration>,
) -> Running {
    let disk = Memory::default();
    disk.full.store(full, SeqCst);
    let writer =
        SessionWriter::spawn(Box::new(disk.clone()), WriterStart::default(), Mode::Normal).unwrap();
    let feed = Feed::new();
    let tail = feed.tail();
    let mut engine = Engine::new(writer, feed, Clock::real(Ms(0)), voices);
    engine.patience = patience;
    engine.open(table);
    let (orders, rx) = mpsc::channel(8);
    let engine = tokio::spawn(async move {
        let stopped = engine.run(rx, std::future::pending()).await;
        (stopped, engine.live.state.clone())
    });
    Running { disk, tail, orders, engine }
}

fn command(key: &str, line: &str) -> Input {
    Input::Command { key: key.into(), line: SteerLine::parse(line).unwrap() }
}

/// Follows a tail up to an event of this kind.
async fn until(tail: &mut Tail, kind: &str) {
    loop {
        match tail.next().await {
            Some(Item::Event(r)) if r.event.kind.name() == kind => return,
            Some(_) => {}
            None => panic!("{kind} never came"),
        }
    }
}

#[tokio::test]
async fn while_the_disk_stands_still_no_call_starts_and_commands_are_obeyed() {
    let stage = plain();
    let mut run = run(round_robin(&["a", "b"], 2), Arc::new(stage.clone()), true, None);
    until(&mut run.tail, "call.started").await;
    run.orders.send(command("k", r#"{"do":"note","text":"hello"}"#)).await.unwrap();
    until(&mut run.tail, "receipt").await;
    assert!(
        stage.seen.lock().unwrap().is_empty(),
        "no call before the event that orders it is written"
    );
    run.disk.full.store(false, SeqCst);
    drop(run.orders);
    let (stopped, state) = run.engine.await.unwrap();
    assert_eq!((stopped, state.entries.len()), (Ok(Stopped::Ended), 2));
    assert_eq!(State::fold(run.disk.events()), state, "nothing was lost");
}

#[tokio::test]
async fn a_disk_that_stays_full_is_not_waited_for_for_ever() {
    let patience = Some(Duration::from_millis(1));
    let run = run(round_robin(&["a"], 1), Arc::new(plain()), true, patience);
    drop(run.orders);
    let (stopped, _) = run.engine.await.unwrap();
    assert!(matches!(stopped, Err(why) if why.contains("full")));
}

/// A voice that speaks without a pause for a number of pieces.
struct Flood {
    pieces: usize,
    sent: Arc<AtomicUsize>,
}

const PIECE: usize = 32 * 1024;
/// Maximum number of bytes waiting for the disk in these tests: a sixteenth of the program's limit.
const MAX_WAITING: usize = WAITING_MAX_BYTES / 16;

impl Voice for Flood {
    fn speak(&self, _: CallRequest, out: Out) -> Speaking {
        let pieces = self.pieces;
        let sent = self.sent.clone();
        Box::pin(async move {
            let text: Text = "flood ".repeat(PIECE / 6).into();
            for _ in 0..pieces {
                out.send(Chunk::Piece(Channel::Say, text.clone())).await;
                sent.fetch_add(1, SeqCst);
            }
            out.send(Chunk::Done(Done::default())).await;
        })
    }
}

struct Floods(Arc<AtomicUsize>, Memory);

impl Voices for Floods {
    fn voice(&self, _: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        // the call has started: the disk blocks from here on
        self.1.full.store(true, SeqCst);
        Ok(Arc::new(Flood { pieces: 4_000, sent: self.0.clone() }))
    }
}

#[tokio::test]
async fn words_go_on_until_too_many_bytes_wait_and_commands_always() {
    let sent = Arc::new(AtomicUsize::new(0));
    let disk = Memory::default();
    let writer =
        SessionWriter::spawn(Box::new(disk.clone()), WriterStart::default(), Mode::Normal).unwrap();
    let feed = Feed::new();
    let mut tail = feed.tail();
    let sleeping = feed.tail();
    let voices = Arc::new(Floods(sent.clone(), disk.clone()));
    let mut engine = Engine::new(writer, feed, Clock::real(Ms(0)), voices);
    assert_eq!(engine.max_waiting_bytes, 64 * 1024 * 1024);
    engine.max_waiting_bytes = MAX_WAITING;
    engine.open(round_robin(&["a"], 1));
    let (orders, rx) = mpsc::channel(8);
    let run = tokio::spawn(async move {
        let stopped = engine.run(rx, std::future::pending()).await;
        (stopped, engine.live.state.entries.len())
    });
    let mut bytes = 0;
    while bytes < MAX_WAITING {
        match tail.next().await {
            Some(Item::Event(r)) => bytes += r.line.len(),
            Some(Item::Piece(_) | Item::Past(_)) => {}
            None => panic!("it ended early"),
        }
    }
    orders.send(command("k", r#"{"do":"cut_in","text":"enough"}"#)).await.unwrap();
    until(&mut tail, "human.said").await;
    let taken = sent.load(SeqCst);
    let most = MAX_WAITING / PIECE + 128;
    assert!(taken < most, "{taken} pieces were taken, {most} at most");
    disk.full.store(false, SeqCst);
    drop(orders);
    let (stopped, entries) = run.await.unwrap();
    assert_eq!((stopped, entries), (Ok(Stopped::Ended), 2));
    // a reader that slept the whole time has missed nothing
    let mut sleeping = sleeping;
    let mut seen = 0;
    while let Some(item) = sleeping.try_next() {
        seen += u64::from(matches!(item, Item::Event(_)));
    }
    assert_eq!(seen, disk.lines().len() as u64);
}

#[tokio::test]
async fn whoever_leaves_in_mid_sentence_loses_no_piece() {
    let disk = Memory::default();
    let writer =
        SessionWriter::spawn(Box::new(disk.clone()), WriterStart::default(), Mode::Normal).unwrap();
    let feed = Feed::new();
    let mut tail = feed.tail();
    let voices = stage(|_| Play::Words("one two three four".into(), 1));
    let mut engine = Engine::new(writer, feed, Clock::real(Ms(0)), Arc::new(voices));
    engine.open(round_robin(&["a"], 1));
    let (orders, rx) = mpsc::channel(1);
    let mut shown = String::new();
    tokio::select! {
        _ = engine.run(rx, std::future::pending()) => panic!("it ended"),
        () = async {
            while shown.is_empty() {
                if let Some(Item::Piece(piece)) = tail.next().await {
                    shown.push_str(&piece.text);
                }
            }
        } => {}
    }
    drop(orders);
    engine.finish().await.unwrap();
    let state = State::fold(disk.events());
    let said: String = state.turns.values().map(|t| t.said.as_str()).collect();
    assert!(!shown.is_empty() && said.starts_with(&shown), "{shown:?} was shown, {said:?} is kept");
}
