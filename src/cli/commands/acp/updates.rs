//! Session updates of a conversation: events and unsealed pieces in, messages of the protocol out.
//!
//! The protocol has one stream of text, so turns that run at the same time are sent one after the other: the first one
//! as it arrives, the others when it has ended. A turn begins with a head that the program writes. Its sign is replaced
//! in the words of participants, so that no message can contain the head of another.

use super::calls;
use crate::analysis::name;
use crate::export::{Narrated, Narrator, REHEARSED};
use crate::model::payload::TurnEnded;
use crate::model::{Channel, Event, Key, Kind, Outcome, Piece, Seq, TurnId};
use crate::session::Item;
use crate::state::{Live, RunState, State};
use crate::text;
use agent_client_protocol::v1::schema::{ContentChunk, SessionInfoUpdate, SessionUpdate};
use std::collections::VecDeque;

/// Sign of a head.
const SIGN: char = '▸';
/// Replacement for the sign in the words of participants.
const PLAIN: &str = ">";

/// A turn that is sent as it arrives.
struct Streamed {
    turn: TurnId,
    /// Text of the call so far.
    said: String,
    /// Bytes of reasoning so far.
    thought: usize,
    filters: [text::Stream; 2],
    /// True once the head was sent, for speech and for reasoning.
    headed: [bool; 2],
    /// True if the text may be data, which is formatted at its end.
    held: bool,
}

/// A turn that waits until another one has ended.
struct Waiting {
    turn: TurnId,
    /// Its narration, once it has ended.
    told: Option<Vec<Narrated>>,
}

/// Turns a conversation into updates.
pub struct Updates {
    /// State after the last event, and the pieces after it.
    pub live: Live,
    narrator: Narrator,
    /// Earlier events are folded and not sent.
    since: Seq,
    /// Beginnings of the keys of the client's own commands.
    own: Vec<String>,
    /// True if the client's own messages are sent as well.
    replays: bool,
    streamed: Option<Streamed>,
    waiting: VecDeque<Waiting>,
    /// Notes that arrived while the streamed turn was being sent: they follow its message.
    notes: Vec<(String, Vec<Narrated>)>,
    /// Bytes of the streamed turn's loose pieces, by channel.
    loose: [usize; 2],
    out: Vec<SessionUpdate>,
}

impl Updates {
    /// Returns the updates of events from `since` on. Commands whose keys have one of the beginnings `own` come from the
    /// client, which shows its own messages itself.
    pub fn new(past: State, since: Seq, own: Vec<String>) -> Updates {
        Updates {
            live: past.into(),
            narrator: Narrator::default(),
            since,
            own,
            replays: false,
            streamed: None,
            waiting: VecDeque::new(),
            notes: vec![],
            loose: [0; 2],
            out: vec![],
        }
    }

    /// Returns the updates of a whole session, with the messages of the person.
    pub fn replaying() -> Updates {
        Updates { replays: true, ..Updates::new(State::default(), Seq(0), vec![]) }
    }

    /// Returns the updates of an item.
    pub fn take(&mut self, item: &Item) -> Vec<SessionUpdate> {
        match item {
            Item::Event(record) => self.take_event(&record.event),
            Item::Piece(piece) => {
                self.live.push(piece.clone());
                self.take_piece(piece);
            }
            // only replays jump
            Item::Past(_) => {}
        }
        std::mem::take(&mut self.out)
    }

    fn take_piece(&mut self, piece: &Piece) {
        let at = place(piece.channel);
        let Some(streamed) = self.streamed.as_ref().filter(|s| s.turn == piece.turn) else {
            return;
        };
        let sent = streamed.sent(piece.channel);
        let start = self.sealed(piece.channel).len() + self.loose[at];
        self.loose[at] += piece.text.len();
        if let Some(new) = piece.text.get(sent.saturating_sub(start)..) {
            let new = new.to_owned();
            self.send(piece.channel, &new);
        }
    }

    /// Returns the sealed text of the streamed turn.
    fn sealed(&self, channel: Channel) -> &str {
        let turn = self.streamed.as_ref().and_then(|s| self.live.state.turns.get(&s.turn));
        turn.map_or("", |turn| match channel {
            Channel::Say => &turn.said,
            Channel::Think => &turn.thought,
        })
    }

    /// Sends the sealed text that was not sent as pieces.
    fn catch_up(&mut self) {
        for channel in [Channel::Think, Channel::Say] {
            let sent = self.streamed.as_ref().map_or(0, |s| s.sent(channel));
            let new = self.sealed(channel).get(sent..).unwrap_or_default().to_owned();
            self.send(channel, &new);
        }
    }

    /// Sends a piece of the streamed turn.
    fn send(&mut self, channel: Channel, new: &str) {
        if new.is_empty() {
            return;
        }
        let Some(streamed) = self.streamed.as_mut() else { return };
        let at = place(channel);
        match channel {
            Channel::Say => {
                streamed.said.push_str(new);
                streamed.held |= streamed.said.trim_start().starts_with(['{', '`']);
                if streamed.held && !streamed.headed[at] || streamed.said.trim().is_empty() {
                    return;
                }
            }
            Channel::Think => streamed.thought += new.len(),
        }
        // the whole text so far, if the first piece was only space
        let first = !streamed.headed[at];
        let new = match channel {
            Channel::Say if first => streamed.said.trim_start().to_owned(),
            Channel::Say | Channel::Think => new.to_owned(),
        };
        let shown = unsigned(&streamed.filters[at].push(&new));
        let turn = streamed.turn;
        streamed.headed[at] = true;
        let text = if first { head(&self.live.state, turn) + &shown } else { shown };
        self.chunk(channel, &format!("turn-{turn}"), text);
    }

    fn chunk(&mut self, channel: Channel, id: &str, text: String) {
        if text.is_empty() {
            return;
        }
        let chunk = ContentChunk::new(text.into()).message_id(id);
        self.out.push(match channel {
            Channel::Say => SessionUpdate::AgentMessageChunk(chunk),
            Channel::Think => SessionUpdate::AgentThoughtChunk(chunk),
        });
    }

    fn is_own(&self, key: &Key) -> bool {
        self.own.iter().any(|own| key.0.starts_with(&**own))
    }

    /// Returns whether a person who sent a prompt knows of the event: the conversation goes on, or has run as many turns
    /// as the mode says.
    fn is_known(&self, event: &Event) -> bool {
        let own = || event.cause.as_ref().is_some_and(|key| self.is_own(key));
        match &event.kind {
            Kind::Reopened(_) => true,
            Kind::Resumed(_) => own(),
            Kind::Paused(paused) => {
                let stepped = matches!(self.live.state.run, RunState::Stepping(_));
                paused.why.is_none() && stepped && own()
            }
            _ => false,
        }
    }

    fn take_event(&mut self, event: &Event) {
        let known = self.is_known(event);
        self.live.apply(event);
        self.loose = [0; 2];
        let told = self.narrator.narrate(&self.live.state, event);
        if event.seq < self.since || known {
            return;
        }
        match &event.kind {
            Kind::FloorGranted(_) => self.granted(TurnId(event.seq.0)),
            Kind::Delta(_) => return self.catch_up(),
            Kind::TurnEnded(end) => return self.ended(event, end, told),
            Kind::CallRetried(retried) => self.begin_again(retried.turn),
            Kind::ToolAsked(asked) => self.begin_again(asked.turn),
            Kind::Opened(_) | Kind::Renamed(_) => {
                let title = text::label(&self.live.state.shown_title()).into_owned();
                self.out
                    .push(SessionUpdate::SessionInfoUpdate(SessionInfoUpdate::new().title(title)));
            }
            _ => {}
        }
        if let Some(update) = calls::update(event) {
            self.out.push(update);
            return;
        }
        let id = format!("event-{}", event.seq);
        let of = match &event.kind {
            Kind::HumanSaid(said) => Some(&said.of),
            _ => None,
        };
        let begins_again = matches!(event.kind, Kind::CallRetried(_) | Kind::ToolAsked(_));
        let is_sending = self.streamed.as_ref().is_some_and(|streamed| streamed.headed[0]);
        if of.is_none() && is_sending && !begins_again {
            self.notes.push((id, told));
            return;
        }
        self.narrate(&id, told, of);
    }

    /// Starts to stream a turn, or lets it wait for the streamed one.
    fn granted(&mut self, turn: TurnId) {
        let state = &self.live.state;
        let speaks = |t: &crate::state::Turn| t.speaks() && !state.waits_for_human(t);
        if !state.turns.get(&turn).is_some_and(speaks) {
            return;
        }
        if self.streamed.is_none() {
            self.streamed = Some(Streamed::new(turn));
        } else {
            self.waiting.push_back(Waiting { turn, told: None });
        }
    }

    /// Prepares for the text of another call of the same turn.
    fn begin_again(&mut self, turn: TurnId) {
        if let Some(streamed) = self.streamed.as_mut().filter(|s| s.turn == turn) {
            let headed = streamed.headed;
            *streamed = Streamed { headed, ..Streamed::new(turn) };
            if headed[0] {
                self.chunk(Channel::Say, &format!("turn-{turn}"), "\n\n".into());
            }
        }
    }

    fn ended(&mut self, event: &Event, end: &TurnEnded, told: Vec<Narrated>) {
        let id = format!("turn-{}", end.turn);
        if self.streamed.as_ref().is_some_and(|s| s.turn == end.turn) {
            if let Some(streamed) = self.streamed.take() {
                self.finish(streamed, end, told, &id);
            }
            for (id, told) in std::mem::take(&mut self.notes) {
                self.narrate(&id, told, None);
            }
            return self.go_on();
        }
        if let Some(waiting) = self.waiting.iter_mut().find(|w| w.turn == end.turn) {
            waiting.told = Some(told);
            return;
        }
        // a person's own words are on the client's screen already
        self.narrate(&id, told, event.cause.as_ref());
    }

    /// Ends the message of a streamed turn with the rest of its text, and with a remark if it was cut or failed.
    fn finish(&mut self, mut streamed: Streamed, end: &TurnEnded, told: Vec<Narrated>, id: &str) {
        if !streamed.headed[0] {
            return self.narrate(id, told, None);
        }
        let rest = unsigned(&streamed.filters[0].finish());
        self.chunk(Channel::Say, id, rest);
        let sent = streamed.said.trim();
        let last = end.text.trim();
        let body = |told: &Narrated| match told {
            Narrated::Words { body, .. } => Some(body.clone()),
            Narrated::Opening { .. } | Narrated::Note(_) => None,
        };
        if let Some(more) = last.strip_prefix(sent) {
            self.chunk(Channel::Say, id, unsigned(&text::block(more)));
        } else if !(last.ends_with(sent) || sent.starts_with(last))
            && let Some(body) = told.iter().find_map(body)
        {
            self.chunk(Channel::Say, id, format!("\n\n> as recorded:\n\n{}", unsigned(&body)));
        }
        self.chunk(Channel::Say, id, "\n\n".into());
        let unusual = end.outcome != Outcome::Said
            || !matches!(end.finish.as_deref(), None | Some("stop" | "end_turn"));
        for told in told {
            match told {
                Narrated::Words { who, .. } if unusual && who.contains(',') => self.note(id, &who),
                Narrated::Words { .. } | Narrated::Opening { .. } => {}
                Narrated::Note(words) => self.note(id, &words),
            }
        }
    }

    /// Sends the turns that waited. The first running turn is streamed from here on.
    fn go_on(&mut self) {
        while let Some(Waiting { turn, told }) = self.waiting.pop_front() {
            if let Some(told) = told {
                self.narrate(&format!("turn-{turn}"), told, None);
                continue;
            }
            // no piece is loose right after an event
            self.streamed = Some(Streamed::new(turn));
            return self.catch_up();
        }
    }

    /// Sends a narration: the words of others with a head, and notes as quotations. `of` is the command that it comes
    /// from.
    fn narrate(&mut self, id: &str, told: Vec<Narrated>, of: Option<&Key>) {
        let own = of.is_some_and(|key| self.is_own(key));
        for told in told {
            match told {
                Narrated::Words { .. } if own => {}
                Narrated::Words { body, .. } if self.replays && of.is_some() => {
                    let chunk = ContentChunk::new(body.into()).message_id(id);
                    self.out.push(SessionUpdate::UserMessageChunk(chunk));
                }
                Narrated::Words { who, body, .. } if body.trim().is_empty() => self.note(id, &who),
                Narrated::Words { who, body, .. } => {
                    let text = format!("{}{}\n\n", headed(&who), unsigned(&body));
                    self.chunk(Channel::Say, id, text);
                }
                Narrated::Note(words) => self.note(id, &words),
                Narrated::Opening { rehearsed, voices, .. } => {
                    let topic = self.live.state.scenario.topic.clone();
                    if let (true, Some(topic)) = (self.replays, topic) {
                        let chunk = ContentChunk::new(text::block(&topic).into_owned().into());
                        let chunk = chunk.message_id(format!("{id}-topic").as_str());
                        self.out.push(SessionUpdate::UserMessageChunk(chunk));
                    }
                    let note = if rehearsed { Some(REHEARSED.to_owned()) } else { voices };
                    note.iter().for_each(|note| self.note(id, note));
                }
            }
        }
    }

    fn note(&mut self, id: &str, words: &str) {
        self.chunk(Channel::Say, id, format!("> {}\n\n", unsigned(words)));
    }
}

impl Streamed {
    fn new(turn: TurnId) -> Streamed {
        Streamed {
            turn,
            said: String::new(),
            thought: 0,
            filters: [text::streamer(), text::streamer()],
            headed: [false; 2],
            held: false,
        }
    }

    /// Returns the bytes of a channel that were taken.
    fn sent(&self, channel: Channel) -> usize {
        match channel {
            Channel::Say => self.said.len(),
            Channel::Think => self.thought,
        }
    }
}

fn place(channel: Channel) -> usize {
    match channel {
        Channel::Say => 0,
        Channel::Think => 1,
    }
}

/// Returns the head of a running turn: the name, and the role if there is one.
fn head(state: &State, turn: TurnId) -> String {
    let Some(turn) = state.turns.get(&turn) else { return String::new() };
    let mut who = name(state, &turn.seat);
    if let Some(role) = state.role_in(&turn.seat, turn.thread) {
        who.push_str(&format!(" ({})", text::name(role)));
    }
    headed(&who)
}

fn headed(who: &str) -> String {
    format!("**{SIGN} {}**\n\n", unsigned(who).replace('*', "\\*"))
}

/// Replaces the sign of heads in untrusted text.
fn unsigned(words: &str) -> String {
    words.replace(SIGN, PLAIN)
}
