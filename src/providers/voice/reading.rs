//! Speech at reading speed: a fast model's words are held back until a person can have read those before them.
//!
//! The turn ends with its last word, so no other turn starts in the meantime.

use super::{CallRequest, Chunk, NoVoice, Out, Speaking, Voice, Voices};
use crate::model::{CallId, Channel, Participant, Purpose, VoiceSpec};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::mpsc;

/// Milliseconds per word: 250 words a minute, an average reader's speed.
const WORD_MS: u64 = 240;
/// Chunks that are held back; more of them slow the voice down.
const HELD_MAX: usize = 4_096;
/// Chunks on their way.
const SENT_MAX: usize = 64;

/// Voices that speak at most at reading speed.
pub struct ReadingPace(pub Arc<dyn Voices>);

impl Voices for ReadingPace {
    fn voice(&self, seat: &Participant) -> Result<Arc<dyn Voice>, NoVoice> {
        let voice = self.0.voice(seat)?;
        Ok(match &seat.voice {
            // rehearsed lines have a pace of their own
            VoiceSpec::Lines { .. } => voice,
            _ => Arc::new(PacedVoice(voice)),
        })
    }

    fn seat(&self, seat: &mut Participant) -> Result<(), NoVoice> {
        self.0.seat(seat)
    }
}

struct PacedVoice(Arc<dyn Voice>);

impl Voice for PacedVoice {
    fn speak(&self, ask: CallRequest, out: Out) -> Speaking {
        if ask.purpose != Purpose::Speak {
            return self.0.speak(ask, out);
        }
        let (tx, sent) = mpsc::channel(SENT_MAX);
        let voice = self.0.speak(ask.clone(), Out::new(ask.call, tx, out.clock().clone()));
        Box::pin(release(voice, sent, out))
    }

    fn answered(&self, call: CallId, request: u32, yes: bool) {
        self.0.answered(call, request, yes);
    }
}

/// Sends the chunks of a voice on, each word of the reply not before its time.
async fn release(mut voice: Speaking, mut sent: mpsc::Receiver<(CallId, Chunk)>, out: Out) {
    let clock = out.clock().clone();
    let mut held = VecDeque::new();
    let mut speaks = true;
    let mut due = clock.now();
    loop {
        let chunk = match held.pop_front() {
            Some(chunk) => chunk,
            None => tokio::select! {
                chunk = sent.recv() => match chunk {
                    Some((_, chunk)) => {
                        clock.taken();
                        chunk
                    }
                    None => return,
                },
                () = &mut voice, if speaks => {
                    speaks = false;
                    continue;
                }
            },
        };
        let Chunk::Piece(Channel::Say, text) = chunk else {
            out.send(chunk).await;
            continue;
        };
        for word in text.split_inclusive(char::is_whitespace) {
            while let ahead @ 1.. = due.since(clock.now()) {
                tokio::select! {
                    () = out.wait(ahead) => {}
                    () = &mut voice, if speaks => speaks = false,
                    Some((_, chunk)) = sent.recv(), if held.len() < HELD_MAX => {
                        clock.taken();
                        held.push_back(chunk);
                    }
                }
            }
            // a piece may be a part of a word
            let words = u64::from(word.ends_with(char::is_whitespace));
            due = due.max(clock.now()).plus(words * WORD_MS);
            out.send(Chunk::Piece(Channel::Say, word.into())).await;
        }
    }
}
