//! One call of the voice, with its result.

use crate::program::HANG;
use colloquium::clock::Clock;
use colloquium::model::*;
use colloquium::net::Client;
use colloquium::voice::remote::{Endpoint, Remote, Wire};
use colloquium::voice::{CallFailure, CallRequest, Chunk, Did, Done, Out, Voice};
use std::sync::{Arc, LazyLock};
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

/// A key that may appear only in its header.
pub const KEY: &str = "sk-canary-7f3a9b";
/// Prompt text that must not appear in messages for the operator.
pub const TOPIC: &str = "The private topic of this talk is lighthouses.";
/// Name of the model.
pub const MODEL: &str = "tiny-1";

/// One client for all calls, as in the program: the system's certificates are loaded once.
static CLIENT: LazyLock<Client> = LazyLock::new(Client::new);

/// Result of a call.
pub struct Came {
    /// Pieces in order of arrival.
    pub pieces: Vec<(Channel, Text)>,
    /// All ends that arrived; there must be exactly one.
    pub ends: Vec<Result<Done, CallFailure>>,
    /// Changes of the request.
    pub adapted: Vec<Text>,
}

impl Came {
    /// Returns all text of a channel.
    pub fn text(&self, channel: Channel) -> String {
        self.pieces.iter().filter(|(c, _)| *c == channel).map(|(_, t)| &**t).collect()
    }

    pub fn say(&self) -> String {
        self.text(Channel::Say)
    }

    pub fn think(&self) -> String {
        self.text(Channel::Think)
    }

    /// Returns the only end.
    pub fn end(&self) -> &Result<Done, CallFailure> {
        let [end] = &*self.ends else { panic!("{} ends instead of one", self.ends.len()) };
        end
    }
}

/// Returns the endpoint of a test server.
pub fn endpoint(wire: Wire, base_url: &str) -> Endpoint {
    let mut endpoint = Endpoint::new("test", wire, base_url);
    endpoint.key = Some(Secret::new(KEY.into()));
    endpoint.key_from = "the variable TEST_KEY".into();
    endpoint
}

/// Returns a request with a short prompt.
pub fn request(timeouts: Timeouts, spec: ModelSpec) -> CallRequest {
    let seat = Participant {
        name: "Ada".into(),
        timeouts,
        ..Participant::new("ada", VoiceSpec::Model(spec))
    };
    let prompt = Prompt {
        system: "You are Ada.".into(),
        brief: None,
        blocks: vec![
            Block::Operator { number: None, text: TOPIC.into(), whisper: false, material: None },
            Block::Own { text: "They save ships.".into(), cut: false },
            Block::Other {
                who: "bob".into(),
                name: "Bob".into(),
                number: None,
                phase: None,
                text: "They cost money.".into(),
                cut: false,
                whisper: false,
            },
        ],
        notes: vec![],
        left_out: 0,
        ..Prompt::default()
    };
    CallRequest {
        call: CallId(7),
        tools: vec![],
        turn: TurnId(5),
        seat: Arc::new(seat),
        purpose: Purpose::Speak,
        number: Some(1),
        attempt: 1,
        messages: colloquium::prompt::messages(&prompt),
        form: Form::Free,
        prompt: Arc::new(prompt),
        parameters: Default::default(),
        labels: Default::default(),
        facts: Arc::default(),
        left: Default::default(),
        agent: None,
        in_words: vec![],
    }
}

/// Timeout that expires in a test, in milliseconds.
const SHORT_MS: u64 = 150;
/// Timeout that expires only if a call hangs, in milliseconds.
const LONG_MS: u64 = 60_000;

/// Timeouts that expire only if a call hangs.
pub const LONG: Timeouts =
    Timeouts { connect: LONG_MS, first: LONG_MS, silence: LONG_MS, total: LONG_MS };
/// Timeouts with a short limit for the first piece.
pub const FIRST: Timeouts = Timeouts { first: SHORT_MS, ..LONG };
/// Timeouts with a short limit between pieces.
pub const SILENCE: Timeouts = Timeouts { silence: SHORT_MS, ..LONG };
/// Timeouts with a short limit for connecting.
pub const CONNECT: Timeouts = Timeouts { connect: SHORT_MS, ..LONG };
/// Timeouts with a short limit for the whole call, long enough for the first text.
pub const TOTAL: Timeouts = Timeouts { total: 1_000, ..LONG };
/// Makes a call and collects all chunks.
pub async fn speak(endpoint: Endpoint, request: CallRequest) -> Came {
    speak_to(endpoint, request, &Notify::new()).await
}

/// Makes a call, collects all chunks, and notifies `heard` of each piece.
pub async fn speak_to(endpoint: Endpoint, request: CallRequest, heard: &Notify) -> Came {
    timeout(HANG, listen(endpoint, request, heard)).await.expect("the call hangs")
}

async fn listen(endpoint: Endpoint, request: CallRequest, heard: &Notify) -> Came {
    let (tx, mut rx) = mpsc::channel(64);
    let out = Out::new(request.call, tx, Clock::real(Ms(0)));
    let voice = Remote::new(CLIENT.clone(), Arc::new(endpoint), MODEL.into());
    let speaking = tokio::spawn(voice.speak(request, out));
    let mut came = Came { pieces: vec![], ends: vec![], adapted: vec![] };
    while let Some((_, chunk)) = rx.recv().await {
        match chunk {
            Chunk::Piece(channel, text) => {
                assert!(came.ends.is_empty(), "words after the end");
                came.pieces.push((channel, text));
                heard.notify_one();
            }
            Chunk::Done(done) => came.ends.push(Ok(done)),
            Chunk::Failed(failure) => came.ends.push(Err(failure)),
            Chunk::Did(Did::Adapts { did, .. }) => came.adapted.push(did),
            Chunk::Pass | Chunk::Did(_) => panic!("a model does not do that by itself"),
        }
    }
    speaking.await.unwrap();
    came
}
