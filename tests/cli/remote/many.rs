//! Whole conversations over the real client: fifty concurrent seats, and a cut-in that closes a connection.
//!
//! Times and memory are printed. The assertions check the order of events, and limits far above the need.

use crate::program::HANG;
use crate::remote::call::{MODEL, endpoint};
use crate::remote::server::{Server, Step, head};
use crate::remote::streams::{DONE, finish, usage, words};
use colloquium::clock::Clock;
use colloquium::engine::{Engine, Input, Stopped};
use colloquium::model::payload::Opened;
use colloquium::model::*;
use colloquium::net::Client;
use colloquium::session::writer::Mode;
use colloquium::session::{self, Feed, Item, SessionPlace, Tail};
use colloquium::state::State;
use colloquium::voice::NoVoice;
use colloquium::voice::remote::{Endpoint, Remote, Wire};
use colloquium::voice::{Voice, Voices};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{Barrier, mpsc};
use tokio::time::timeout;

/// Number of concurrent seats.
const SEATS: u32 = 50;
/// Number of pieces in one reply, and bytes of each.
const PIECES: usize = 40;
const PIECE: usize = 500;
/// Maximum memory for fifty replies of 20 kB, in bytes: far more than their text.
const MEMORY_MAX: u64 = 256 << 20;

/// Voices that send the calls of every seat to the same server.
struct Models(Client, Arc<Endpoint>);

impl Voices for Models {
    fn voice(&self, _: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        Ok(Arc::new(Remote::new(self.0.clone(), self.1.clone(), MODEL.into())))
    }
}

/// Opens a conversation in which `seats` seats speak at once, in one round.
fn engine(server: &Server, seats: u32) -> (Engine, Tail) {
    let seat = |n: u32| {
        let spec = ModelSpec { name: format!("test:{MODEL}").into(), ..ModelSpec::default() };
        Participant::new(format!("s{n}").as_str(), VoiceSpec::Model(spec))
    };
    let session = session::create(SessionPlace::Nowhere, Mode::Normal).unwrap();
    let feed = Feed::new();
    let tail = feed.tail();
    let models = Models(Client::new(), Arc::new(endpoint(Wire::OpenAi, &server.url)));
    let mut engine = Engine::new(session.writer, feed, Clock::real(Ms(0)), Arc::new(models));
    engine.open(Opened {
        format: 1,
        program: "test".into(),
        seed: 7,
        rehearsed: false,
        scenario: json!({"title": "T", "policy": {"name": "simultaneous", "options": {"rounds": 1}}}),
        participants: (0..seats).map(seat).collect(),
        parallel: seats,
        rates: Default::default(),
        attended: false,
        steered: false,
        rules: 1,
        item: None,
    });
    (engine, tail)
}

/// Returns the resident memory of this process in bytes, or 0 if the system does not report it.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kib = line.and_then(|l| l.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

#[tokio::test]
async fn fifty_seats_speak_at_once_in_bounded_memory() {
    // the server answers only after all seats have sent their requests
    let all = Arc::new(Barrier::new(SEATS as usize));
    let text: String = (0..PIECE / 5).map(|n| format!("{n:04x} ")).collect();
    let mut steps = vec![head(), Step::Meet(all)];
    steps.extend((0..PIECES).map(|_| Step::Send(words(&text).into())));
    steps.push(Step::Send((finish("stop") + &usage() + DONE).into()));
    let server = Server::answering(steps).await;
    let before = memory();
    let (mut engine, _) = engine(&server, SEATS);
    let (_, nobody) = mpsc::channel(1);
    let began = Instant::now();
    let stopped = timeout(HANG, engine.run(nobody, std::future::pending())).await;
    assert_eq!(stopped.expect("it hangs"), Ok(Stopped::Ended));
    let took = began.elapsed();
    let grown = memory().saturating_sub(before);
    let state: &State = &engine.live.state;
    let whole = state.entries.iter().filter(|e| e.text().len() == PIECES * PIECE).count();
    println!(
        "{SEATS} seats at once: {whole} whole replies of {} kB in {} ms, {} MiB of memory more",
        PIECES * PIECE / 1000,
        took.as_millis(),
        grown >> 20
    );
    assert_eq!((whole, state.failed), (SEATS as usize, 0));
    assert!(grown < MEMORY_MAX, "{} MiB", grown >> 20);
}

#[tokio::test]
async fn cut_in_closes_the_connection_and_keeps_the_words() {
    let server =
        Server::answering(vec![head(), Step::Send(words("Hello ").into()), Step::Hang]).await;
    let (mut engine, mut tail) = engine(&server, 1);
    let (orders, commands) = mpsc::channel(1);
    let told = async {
        // cut in as soon as the first text has arrived
        while !matches!(tail.next().await, Some(Item::Piece(_))) {}
        let line: SteerLine =
            Command::CutIn { text: "Stopped.".into(), who: None, re: None }.into();
        let began = Instant::now();
        orders.send(Input::Command { key: "1:cut".into(), line }).await.unwrap();
        server.gone.notified().await;
        let closed = began.elapsed();
        drop(orders);
        closed
    };
    let both = async { tokio::join!(engine.run(commands, std::future::pending()), told) };
    let (stopped, closed) = timeout(HANG, both).await.expect("the server notices");
    assert_eq!(stopped, Ok(Stopped::Ended));
    let state = &engine.live.state;
    let said: Vec<(&str, Option<CutWhy>)> =
        state.entries.iter().map(|e| (&**e.text(), e.version().cut)).collect();
    println!("cut in: the server saw the connection close after {} µs", closed.as_micros());
    assert_eq!(said, [("Hello ", Some(CutWhy::CutIn)), ("Stopped.", None)]);
}
