//! The event loop: reads inputs, appends events, carries out effects. The only part of the engine with side effects.
//!
//! Each event is written, folded, shown and acted on, in this order of precedence: a call starts only when the event
//! that orders it is written, a cancel never waits. Commands come before pieces. While the disk stalls no call starts,
//! pieces are accepted until [`WAITING_MAX_BYTES`] wait, and commands are always accepted.

use super::at_work::{ToolsAtWork, Working};
use super::words::closing_parts;
use super::{
    Effect, Guests, Input, Stopped, Witness, advance, ahead, deadline, effects, end_left, execute,
    react, recover, refused, words,
};
use crate::clock::Clock;
use crate::model::event::ENGINE;
use crate::model::payload::{Delta, Forked, Reopened};
use crate::model::*;
use crate::reply::ReplyStream;
use crate::session::writer::{DiskFault, Durable, SessionWriter, WAITING_MAX_BYTES};
use crate::session::{Feed, Record, Tail};
use crate::state::{Live, State, Turn};
use crate::steer::{Due, Steering};
use crate::tool::{NoTools, ToolResult, Tools};
use crate::voice::{CallFailure, CallRequest, Chunk, Out, Voice, Voices};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::AbortHandle;
use tokio::time::Sleep;

/// Milliseconds after which loose pieces are sealed.
const DELTA_WINDOW_MS: u64 = 250;
/// Bytes at which loose pieces are sealed.
const DELTA_BYTES: usize = 4096;
/// Capacity of the chunk channel; a faster voice waits.
const CHUNKS_WAITING: usize = 64;

/// A running conversation.
pub struct Engine {
    /// Folded state with the loose pieces.
    pub live: Live,
    feed: Feed,
    writer: SessionWriter,
    clock: Clock,
    voices: Arc<dyn Voices>,
    steering: Steering,
    calls: HashMap<CallId, (AbortHandle, Arc<dyn Voice>)>,
    streams: HashMap<CallId, ReplyStream>,
    gated: VecDeque<Box<CallRequest>>,
    at_work: ToolsAtWork,
    /// Runner of the participants' tools.
    pub tools: Arc<dyn Tools>,
    loose_since: Option<Ms>,
    loose_bytes: usize,
    unwritable: Option<String>,
    /// `seq` at which nothing was left to decide.
    settled: Seq,
    /// Maximum bytes that may wait for the disk before the engine stops accepting pieces.
    pub max_waiting_bytes: usize,
    /// Longest wait for a full disk; `None` waits without limit.
    pub patience: Option<Duration>,
    /// True if an operator can be asked, for a resume; for a new conversation, `conversation.opened` has the value.
    pub attended: bool,
    /// True if commands come from a program that may still decide on tools.
    pub steered: bool,
    /// Reader of each event as it is appended, which can hold the conversation.
    pub witness: Option<Box<dyn Witness>>,
    /// Clients that are attached while the conversation runs.
    pub guests: Option<Guests>,
}

impl Engine {
    /// Returns an engine for a new session; the caller appends the first event with [`open`](Engine::open).
    pub fn new(writer: SessionWriter, feed: Feed, clock: Clock, voices: Arc<dyn Voices>) -> Engine {
        Engine {
            live: Live::default(),
            feed,
            writer,
            clock,
            voices,
            steering: Steering::default(),
            calls: HashMap::new(),
            streams: HashMap::new(),
            gated: VecDeque::new(),
            at_work: ToolsAtWork::default(),
            tools: Arc::new(NoTools),
            loose_since: None,
            loose_bytes: 0,
            unwritable: None,
            settled: Seq(0),
            max_waiting_bytes: WAITING_MAX_BYTES,
            patience: None,
            attended: false,
            steered: false,
            witness: None,
            guests: None,
        }
    }

    /// Opens a conversation: appends `conversation.opened`.
    pub fn open(&mut self, opened: payload::Opened) {
        let opened = payload::Opened {
            steered: opened.steered || self.steered,
            rules: payload::RULES,
            ..opened
        };
        self.append(draft(ThreadId::ROOT, ENGINE, Box::new(opened).into()));
    }

    /// Resumes a conversation from its state: carries out commands that had begun or were due, cuts calls in flight
    /// (their turns stay owed), and appends `conversation.reopened`. Lines of a steer file are added before.
    pub fn resume(&mut self, state: State, notices: Vec<Kind>) {
        let repaired = notices.iter().any(|k| matches!(k, Kind::LogRepaired(_)));
        self.take_up(state, notices);
        let reopened = Reopened { repaired, attended: self.attended, steered: self.steered };
        self.append(draft(ThreadId::ROOT, ENGINE, reopened.into()));
    }

    /// Continues the first events of another conversation as a resume does, after a `conversation.forked`. With
    /// `onward` the fork passes the end that would follow there. It starts paused if an operator can drop queued commands.
    pub fn fork(&mut self, state: State, parent: Text, seed: Option<u64>, onward: bool) {
        let at = Seq(state.next_seq.0.saturating_sub(1));
        let passed = onward.then(|| ahead::end_of(&state)).flatten();
        let Engine { attended, steered, .. } = *self;
        let forked = Forked { parent, at, passed, seed, attended, steered };
        let paused = attended.then(|| execute::pause_for_inherited(&state)).flatten();
        self.take_up(state, [Some(forked.into()), paused].into_iter().flatten().collect());
    }

    fn take_up(&mut self, state: State, notices: Vec<Kind>) {
        self.live.state = state;
        notices.into_iter().for_each(|n| self.append(draft(ThreadId::ROOT, ENGINE, n)));
        // an ended conversation has no due lines until it is reopened
        while self.live.state.ended.is_none() && self.obey() {}
        for cut in recover(&self.live) {
            self.append(cut);
        }
    }

    /// Adds steering lines that wait for their trigger.
    pub fn steer(&mut self, lines: impl IntoIterator<Item = (Key, SteerLine)>) {
        lines.into_iter().for_each(|(key, line)| self.steering.push(key, line));
    }

    fn seal(&mut self) {
        let Some(first) = self.live.loose.first() else { return };
        let base = self.live.state.turns.get(&first.turn).map_or(Ms(0), |t| t.since);
        let pieces = piece::pack(&self.live.loose, base);
        self.put(draft(ThreadId::ROOT, ENGINE, Delta { pieces }.into()));
    }

    fn append(&mut self, draft: Draft) {
        self.seal();
        if let Kind::Ended(_) = draft.kind {
            for (key, line) in self.steering.give_up(&self.live.state) {
                self.put(execute::never_due(key, &line));
            }
        }
        self.put(draft);
    }

    fn put(&mut self, draft: Draft) {
        let state = &self.live.state;
        let ms = self.clock.now().max(state.ms);
        let event = draft.into_event(state.next_seq, self.clock.wall(), ms);
        let record = match Record::new(event) {
            Ok(record) => Arc::new(record),
            Err(e) => {
                self.unwritable = Some(e.to_string());
                return;
            }
        };
        self.writer.queue(record.clone());
        self.live.apply(&record.event);
        if let Some(witness) = &mut self.witness {
            witness.see(&self.live.state, &record.event);
        }
        (self.loose_since, self.loose_bytes) = (None, 0);
        self.feed.push(record.clone());
        for effect in effects(&self.live.state, &record.event) {
            match effect {
                Effect::Start(request) => self.gated.push_back(request),
                Effect::Run(job) => self.at_work.order(job),
                Effect::Release(turn) => self.at_work.release(turn, &self.clock),
                Effect::Permit { call, request, yes } => {
                    if let Some((_, voice)) = self.calls.get(&call) {
                        voice.answered(call, request, yes);
                    }
                }
                Effect::Cancel(call) => {
                    self.gated.retain(|r| r.call != call);
                    self.streams.remove(&call);
                    if let Some((task, _)) = self.calls.remove(&call) {
                        task.abort();
                    }
                    self.clock.finish(call);
                }
            }
        }
    }

    /// Returns true if the rest of a call's reply would be useless, now that a piece ends or pauses a sentence.
    fn goes_astray(&self, call: CallId, piece: &str) -> bool {
        let turn = || self.live.state.turn_of(call);
        piece.contains(words::PAUSES)
            && turn().is_some_and(|turn| words::goes_astray(&self.live, turn, piece))
    }

    /// Processes an input: pieces are shown at once, and sealed before any decision that depends on them.
    fn take(&mut self, input: Input) {
        let now = self.clock.now();
        match input {
            Input::Chunk(call, Chunk::Piece(channel, ref text)) => {
                for (channel, text) in self.filtered(call, channel, text) {
                    self.receive_piece(call, channel, text, now);
                }
                if text.contains('\n') || self.goes_astray(call, text) {
                    self.decide(now, &input);
                }
            }
            Input::Chunk(call, mut chunk @ (Chunk::Done(_) | Chunk::Pass | Chunk::Failed(_))) => {
                let stopped = match &chunk {
                    Chunk::Done(done) => done.finish.as_deref() != Some(LENGTH),
                    _ => false,
                };
                let stream = self.streams.remove(&call);
                let end = stream.map(|stream| stream.finish(stopped)).unwrap_or_default();
                for (channel, text) in end.parts {
                    self.receive_piece(call, channel, text, now);
                }
                if let Chunk::Done(done) = &mut chunk {
                    done.closing_line = end.line;
                    // parts that no reader may see are read all the same
                    done.text = done.text.take().or(end.whole);
                }
                self.decide(now, &Input::Chunk(call, chunk));
            }
            Input::Command { key, line } if line.trigger.is_some() => {
                // a line from stdin may have a trigger like one from a file; once due it comes back without the trigger
                self.steering.push(key, line);
            }
            input => self.decide(now, &input),
        }
    }

    /// Separates a piece of speech into the parts that may be shown.
    fn filtered(&mut self, call: CallId, channel: Channel, text: &Text) -> Vec<(Channel, Text)> {
        let state = &self.live.state;
        let turn = if channel == Channel::Say { state.turn_of(call) } else { None };
        let Some(turn) = turn else { return vec![(channel, text.clone())] };
        let voice = state.seat(&turn.seat).map(|seat| &seat.spec.voice);
        let reasons = matches!(voice, Some(VoiceSpec::Model(_) | VoiceSpec::Lines { .. }));
        let stream = self.streams.entry(call);
        let parts = || closing_parts(state, turn);
        stream.or_insert_with(|| ReplyStream::new(reasons, parts())).push(text)
    }

    fn receive_piece(&mut self, call: CallId, channel: Channel, text: Text, at: Ms) {
        if let Some(turn) = self.live.state.turn_of(call).map(|t| t.id) {
            self.show(Piece { turn, channel, at, text });
        }
    }

    fn show(&mut self, piece: Piece) {
        self.loose_bytes += piece.text.len();
        self.loose_since.get_or_insert(piece.at);
        self.live.push(piece.clone());
        self.feed.piece(piece);
        if self.loose_bytes >= DELTA_BYTES {
            self.seal();
        }
    }

    fn decide(&mut self, now: Ms, input: &Input) {
        for draft in react(&self.live, now, input) {
            let draft = self.seated(draft);
            self.append(draft);
        }
    }

    /// Lets the voices complete the seat of a command, so that the log has the result; a seat without a usable voice is
    /// refused.
    fn seated(&self, mut draft: Draft) -> Draft {
        let Kind::CommandGiven(given) = &mut draft.kind else { return draft };
        let Some(mut seat) = given.targets.participant.clone() else { return draft };
        let usd = self.live.state.limits.usd.or(seat.max_usd).is_some();
        let counts = |seat: &Participant| match seat.uncountable() {
            Some(model) if usd => {
                Err(format!("a dollar limit is set and no price is known for {model}").into())
            }
            Some(_) | None => Ok(()),
        };
        if let Err(why) = self.voices.seat(&mut seat).and_then(|()| counts(&seat)) {
            return refused(&given.key, &given.line, why.into());
        }
        Arc::make_mut(given).targets.participant = Some(seat);
        draft
    }

    /// Carries out one step of a command, or handles the next due steering line; returns true if there was one. A
    /// command is carried out as far as possible before the next line, so that a kill between the two changes nothing.
    fn obey(&mut self) -> bool {
        // pieces do not affect these decisions
        let fresh = self.settled != self.live.state.next_seq;
        if let Some(draft) = fresh.then(|| execute::next(&self.live.state)).flatten() {
            self.append(draft);
            return self.unwritable.is_none();
        }
        let now = self.clock.now();
        match self.steering.due(&self.live, now) {
            Some(Due::Line(key, line)) => self.decide(now, &Input::Command { key, line }),
            Some(Due::Warning(text)) => self.decide(now, &Input::Warning(text)),
            None => return false,
        }
        self.unwritable.is_none()
    }

    /// Carries out all steps that need no further input.
    fn settle(&mut self) {
        while self.unwritable.is_none() {
            if self.obey() {
                continue;
            }
            if self.settled == self.live.state.next_seq {
                return;
            }
            match advance(&self.live.state) {
                Some(draft) => self.append(draft),
                None => self.settled = self.live.state.next_seq,
            }
        }
    }

    /// Starts the calls whose orders are written to disk.
    fn start_calls(&mut self, written: Option<Seq>, tx: &mpsc::Sender<(CallId, Chunk)>) {
        while self.gated.front().is_some_and(|r| written >= Some(Seq(r.call.0))) {
            let Some(request) = self.gated.pop_front() else { return };
            let call = request.call;
            let voice = match self.voices.voice(&request.seat) {
                Ok(voice) => voice,
                Err(why) => {
                    let failure = CallFailure::new(ErrorClass::NoVoice, why);
                    self.take(Input::Chunk(call, Chunk::Failed(failure)));
                    self.settle();
                    continue;
                }
            };
            self.clock.begin(call);
            let working = Working(self.clock.clone(), call);
            let out = Out::new(call, tx.clone(), self.clock.clone());
            let speaks = voice.clone();
            let task = tokio::spawn(async move {
                let _working = working;
                speaks.speak(*request, out).await;
            });
            self.calls.insert(call, (task.abort_handle(), voice));
        }
    }

    /// Runs until the conversation has ended, or the session cannot be written anymore.
    ///
    /// `orders` carries the operator's commands; an operator is present while it is open. `stop` resolves when the
    /// program receives a signal. The error is the reason why the session cannot be written.
    pub async fn run(
        &mut self,
        mut orders: mpsc::Receiver<Input>,
        stop: impl Future<Output = ()>,
    ) -> Result<Stopped, String> {
        let (tx, mut chunks) = mpsc::channel::<(CallId, Chunk)>(CHUNKS_WAITING);
        let (tool_tx, mut results) = mpsc::channel::<(Seq, ToolResult)>(CHUNKS_WAITING);
        let mut durable = self.writer.durable();
        let mut attended = true;
        let mut running = true;
        let mut full: Option<Pin<Box<Sleep>>> = None;
        tokio::pin!(stop);
        // commands that were sent before a resume precede its first call
        if self.live.state.next_seq > Seq(1) {
            while let Ok(order) = orders.try_recv() {
                self.take(order);
            }
        }
        let stopped = loop {
            self.settle();
            if let Some(witness) = &mut self.witness {
                witness.permit(&self.live.state).await;
            }
            if Guests::take_over(&self.guests) && self.calls.is_empty() && self.at_work.len() == 0 {
                break Ok(Stopped::HandedOver);
            }
            let disk: Durable = durable.borrow_and_update().clone();
            self.start_calls(disk.written, &tx);
            self.at_work.start(disk.written, &self.tools, &self.clock, &tool_tx);
            if let Some(why) = self.unwritable.take() {
                break Err(why);
            }
            if let Some(fault @ DiskFault::Broken { .. }) = &disk.fault {
                break Err(fault.to_string());
            }
            let all_written = disk.written.map_or(Seq(0), Seq::next) == self.live.state.next_seq;
            if self.live.state.ended.is_some() && all_written {
                break Ok(Stopped::Ended);
            }
            let until = self.next_moment();
            let idle = self.calls_in_flight() == 0 && until.is_none();
            let operated = attended || Guests::may_help(&self.guests, &self.live.state);
            if idle && !operated && all_written {
                self.decide(self.clock.now(), &Input::Unattended);
                continue;
            }
            full = match (&disk.fault, self.patience) {
                (Some(DiskFault::Full { .. }), Some(patience)) => {
                    full.or_else(|| Some(Box::pin(tokio::time::sleep(patience))))
                }
                _ => None,
            };
            let room = self.writer.pending_bytes() < self.max_waiting_bytes;
            let may_wait = (operated || !idle) && self.gated.is_empty() && !self.at_work.is_gated();
            // one wake-up for all decisions of this iteration
            self.writer.wake();
            tokio::select! { biased;
                () = &mut stop, if running => {
                    running = false;
                    self.decide(self.clock.now(), &Input::Signal);
                }
                order = orders.recv(), if attended => match order {
                    Some(order) => self.take(order),
                    None => attended = false,
                },
                input = Guests::next(&mut self.guests) => self.take(input),
                changed = durable.changed() => if changed.is_err() {
                    break Err("the session writer stopped".into());
                },
                () = elapsed(&mut full), if full.is_some() => {
                    break Err("the disk stayed full".into());
                }
                chunk = chunks.recv(), if room => if let Some((call, chunk)) = chunk {
                    self.clock.taken();
                    self.take(Input::Chunk(call, chunk));
                },
                result = results.recv(), if room => if let Some((called, end)) = result {
                    self.clock.taken();
                    self.at_work.came_back(called);
                    self.decide(self.clock.now(), &Input::Tool(called, end));
                },
                () = self.clock.advance(until), if may_wait => {
                    let now = self.clock.now();
                    if self.loose_since.is_some_and(|t| now >= t.plus(DELTA_WINDOW_MS)) {
                        self.seal();
                    }
                    self.decide(now, &Input::Tick);
                }
            }
        };
        self.halt();
        stopped
    }

    /// Aborts all calls and tools, and closes the feed.
    fn halt(&mut self) {
        self.calls.drain().for_each(|(_, (task, _))| task.abort());
        self.at_work.stop();
        self.feed.close();
    }

    /// Returns another reader of the feed, from the first event on.
    pub fn tail(&self) -> Tail {
        self.feed.tail()
    }

    /// Returns a receiver of the write progress of the disk.
    pub fn durable(&self) -> watch::Receiver<Durable> {
        self.writer.durable()
    }

    /// Returns the locked lock file of the session, which another process can take over.
    pub fn lock_file(&self) -> Option<std::fs::File> {
        self.writer.lock_file()
    }

    /// Seals the loose pieces, aborts what is in flight, waits until all events are on the disk, and lets the voices
    /// leave.
    pub async fn finish(mut self) -> Result<Durable, DiskFault> {
        self.seal();
        self.halt();
        tokio::join!(self.writer.finish(), self.voices.leave()).0
    }

    /// Ends a conversation that is left when nothing more is to come.
    pub fn end_left(&mut self) {
        end_left(&self.live.state).into_iter().for_each(|draft| self.append(draft));
    }

    /// Abandons a session before it ran: nothing is written, and a new session leaves no file.
    pub async fn abandon(self) {
        self.writer.abandon().await;
    }

    fn calls_in_flight(&self) -> usize {
        // a call that waits for permission continues only after the answer
        let works = |t: &&Turn| t.call.is_some() && t.waits_for_leave().is_none();
        let calls = self.live.state.calls().filter(works).count();
        calls + self.at_work.len()
    }

    /// Returns the next time at which a deadline passes.
    fn next_moment(&self) -> Option<Ms> {
        if self.live.state.ended.is_some() {
            return None;
        }
        let seal = self.loose_since.map(|t| t.plus(DELTA_WINDOW_MS));
        [deadline(&self.live), seal, self.steering.wake()].into_iter().flatten().min()
    }
}

/// Resolves when the disk has been full for the whole of `patience`.
async fn elapsed(full: &mut Option<Pin<Box<Sleep>>>) {
    match full {
        Some(sleep) => sleep.await,
        None => std::future::pending().await,
    }
}
