//! A running conversation of a client: updates out, prompts and decisions in.

use super::calls::{self, ToolAsk};
use super::errors::{error, error_of, wrong};
use super::order::Order;
use super::prompt::{ClientPrompt, KEYS, command, speaks};
use super::session::ClientSession;
use super::updates::Updates;
use crate::cli::error::Failure;
use crate::cli::play::next::Setup;
use crate::cli::play::{door, outcome};
use crate::cli::runtime::block_on;
use crate::engine::{Input, Owner, Witness};
use crate::export::{Hearer, ended as how_it_ended};
use crate::host::{self, End, Leave};
use crate::model::{Command, Event, Key, Kind, Seq, SteerLine};
use crate::session::Item;
use crate::state::{RunState, State};
use crate::ui::view::extension::round;
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{
    self, CloseSessionResponse, PromptResponse, RequestPermissionOutcome,
};
use agent_client_protocol::{Error, ErrorCode};
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;
use tokio::sync::{mpsc, watch};

/// The state of the session after a conversation.
pub enum AfterPlay {
    /// The conversation has ended; a prompt continues it.
    Ended,
    /// The session is closed; by an order that waits for its response, or by the end of the program.
    Closed(Option<Box<Responder<CloseSessionResponse>>>),
}

/// What a conversation can do by itself after all decisions that were due.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Settled {
    /// `seq` of the next event.
    next: Seq,
    /// True if nobody works on a turn.
    idle: bool,
}

/// Reports after all decisions whether the conversation can go on by itself.
struct IdleWitness(watch::Sender<Settled>);

impl Witness for IdleWitness {
    fn see(&mut self, _: &State, _: &Event) {}

    fn permit<'a>(&'a mut self, state: &'a State) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        let settled = Settled { next: state.next_seq, idle: state.calls().next().is_none() };
        self.0.send_if_modified(|known| std::mem::replace(known, settled) != settled);
        Box::pin(std::future::ready(()))
    }
}

/// A conversation while it runs.
pub struct Playing<'a> {
    session: &'a mut ClientSession,
    updates: Updates,
    /// Prompts without an answer.
    prompts: Vec<Responder<PromptResponse>>,
    /// True if the client cancelled them.
    cancelled: bool,
    /// The engine's input; `None` once a limit was reached, so that the engine ends the conversation.
    inputs: Option<mpsc::Sender<Input>>,
    /// Keys of commands that the engine has not accepted or refused yet.
    unheard: BTreeSet<Key>,
    /// Beginning of the keys, and the number of commands so far.
    keys: (String, u64),
    /// The request for permission that the client answers.
    asking: Option<ToolAsk>,
    answers: mpsc::UnboundedSender<(ToolAsk, RequestPermissionOutcome)>,
}

impl Playing<'_> {
    /// Plays a conversation until it ends, or the session is closed.
    pub fn play(
        session: &mut ClientSession,
        setup: Setup,
        first: Responder<PromptResponse>,
    ) -> AfterPlay {
        block_on(Playing::run(session, setup, first)).unwrap_or_else(|failure| {
            // the runtime did not start
            session.context.say(&failure.with_hint());
            AfterPlay::Ended
        })
    }

    async fn run(
        session: &mut ClientSession,
        setup: Setup,
        first: Responder<PromptResponse>,
    ) -> Result<AfterPlay, Failure> {
        let Setup { mut conversation, budget, .. } = setup;
        door::open(&mut conversation, Owner::Operator, &session.context);
        let (since, past, files) =
            (conversation.since(), conversation.past.clone(), conversation.files.clone());
        let (settles, mut settled) = watch::channel(Settled::default());
        conversation.witness = Some(Box::new(IdleWitness(settles)));
        let host::RunningConversation { mut tail, commands, mut run } = conversation.start();
        let (answers, mut answered) = mpsc::unbounded_channel();
        // the commands that continue a session have other keys
        let own = vec![KEYS.to_owned(), format!("{}:start-", past.next_seq)];
        let mut playing = Playing {
            session,
            updates: Updates::new(past, since, own),
            prompts: vec![first],
            cancelled: false,
            inputs: Some(commands),
            unheard: BTreeSet::new(),
            keys: (format!("{KEYS}{since}:"), 0),
            asking: None,
            answers,
        };
        let leaves = loop {
            let leaves = tokio::select! { biased;
                Some(item) = tail.next() => {
                    playing.take(&item);
                    None
                }
                order = playing.session.orders.recv() => playing.order(order),
                Some((ask, outcome)) = answered.recv() => {
                    playing.decide(&ask, &outcome);
                    None
                }
                Ok(()) = settled.changed() => None,
                _ = run.stopped() => Some(AfterPlay::Ended),
            };
            if let Some(leaves) = leaves {
                break leaves;
            }
            playing.ask();
            let now = *settled.borrow_and_update();
            playing.rest(now);
        };
        run.leave(Leave::Now);
        let End { state, stop } = run.stopped().await.clone();
        while let Some(item) = tail.try_next() {
            playing.take(&item);
        }
        drop(run);
        let failure = stop.err().map(|why| outcome::unwritable(&files, &why));
        playing.answer_all(failure.as_ref(), &state);
        if let Some(budget) = budget {
            budget.charge(&state);
        }
        Ok(leaves)
    }

    fn take(&mut self, item: &Item) {
        if let Item::Event(record) = item {
            match &record.event.kind {
                Kind::CommandGiven(given) => _ = self.unheard.remove(&given.key),
                Kind::CommandRefused(refused) => _ = self.unheard.remove(&refused.key),
                _ => {}
            }
        }
        let updates = self.updates.take(item);
        updates.into_iter().for_each(|update| self.session.send(update));
    }

    fn state(&self) -> &State {
        &self.updates.live.state
    }

    /// Carries out an order of the client; returns the state of the session if the order leaves the conversation.
    fn order(&mut self, order: Option<Order>) -> Option<AfterPlay> {
        match order {
            None | Some(Order::Leave) => return Some(AfterPlay::Closed(None)),
            Some(Order::Close(responder)) => {
                return Some(AfterPlay::Closed(Some(responder.into())));
            }
            Some(Order::Announce) => {}
            Some(Order::Pace(pace, responder)) => self.session.set_pace(pace, responder),
            Some(order @ Order::Load(_)) => {
                let _ = order.refuse(wrong("the session is open already"));
            }
            Some(Order::Cancel) => {
                if !self.prompts.is_empty() {
                    self.cancelled = true;
                    self.give(Command::PauseNow {}.into());
                }
            }
            Some(Order::Prompt(prompt, responder)) => match self.lines(&prompt) {
                Ok(lines) => {
                    lines.into_iter().for_each(|line| self.give(line));
                    self.prompts.push(responder);
                }
                Err(why) => _ = responder.respond_with_error(why),
            },
        }
        None
    }

    /// Returns the commands of a prompt: its files, its words, and the end of a pause.
    fn lines(&self, prompt: &ClientPrompt) -> Result<Vec<SteerLine>, Error> {
        let given = command(&prompt.text, self.state())
            .and_then(|given| prompt.fits(&given).map(|()| given))
            .map_err(|failure| error_of(&failure))?;
        let goes_on = self.state().run == RunState::Paused && speaks(&given);
        let steps = self.session.pace.steps(round(self.state()));
        let end = goes_on.then(|| steps.unwrap_or(Command::Resume {}));
        let lines = prompt.files().chain([given.into()]).chain(end.map(SteerLine::from));
        let lines: Vec<SteerLine> = lines.collect();
        match &self.inputs {
            None => Err(error(ErrorCode::INVALID_REQUEST, "the conversation is about to end")),
            Some(inputs) if inputs.capacity() < lines.len() => {
                Err(error(ErrorCode::INVALID_REQUEST, "too many commands wait; try again"))
            }
            Some(_) => Ok(lines),
        }
    }

    /// Gives the engine a command.
    fn give(&mut self, line: SteerLine) {
        self.keys.1 += 1;
        let key: Key = format!("{}{}", self.keys.0, self.keys.1).into();
        let Some(inputs) = &self.inputs else { return };
        if inputs.try_send(Input::Command { key: key.clone(), line }).is_ok() {
            self.unheard.insert(key);
        }
    }

    /// Asks the client for a decision that is due, once.
    fn ask(&mut self) {
        let waiting = calls::waiting(self.state());
        if waiting == self.asking {
            return;
        }
        self.asking.clone_from(&waiting);
        let Some(ask) = waiting else { return };
        let request = ask.request(&self.session.id);
        let sent = self.session.client.send_request(request);
        let answers = self.answers.clone();
        tokio::spawn(async move {
            // an error of the client is a refusal
            let outcome = sent.block_task().await;
            let outcome = outcome.map_or(RequestPermissionOutcome::Cancelled, |r| r.outcome);
            let _ = answers.send((ask, outcome));
        });
    }

    /// Passes on a decision, unless its request is out of date.
    fn decide(&mut self, ask: &ToolAsk, outcome: &RequestPermissionOutcome) {
        if self.asking.as_ref() != Some(ask) {
            return;
        }
        let (yes, once) = calls::decision(outcome);
        self.give(Command::Decide { tool: ask.tool.clone(), yes, once }.into());
    }

    /// Answers the prompts if nothing more happens by itself.
    fn rest(&mut self, settled: Settled) {
        let heard = self.unheard.is_empty() && settled.next == self.state().next_seq;
        if !heard || !settled.idle {
            return;
        }
        if self.state().ended.is_some() {
            // the engine writes the rest
        } else if self.state().limit.is_some() {
            self.inputs = None;
        } else {
            let state = self.state().clone();
            self.answer_all(None, &state);
        }
    }

    fn answer_all(&mut self, failure: Option<&Failure>, state: &State) {
        if self.prompts.is_empty() {
            return;
        }
        let failed = state.ended.as_ref().filter(|ended| ended.reason.is_failure());
        let failed = failed.map(|ended| {
            let cause = ended.text.iter().map(|text| format!(": {text}")).collect::<String>();
            format!("the conversation {}{cause}", how_it_ended(ended.reason, Hearer::Operator))
        });
        let reason = if std::mem::take(&mut self.cancelled) {
            schema::StopReason::Cancelled
        } else {
            schema::StopReason::EndTurn
        };
        for responder in self.prompts.drain(..) {
            // a client that has gone needs no answer
            let _ = match (failure, &failed) {
                (Some(failure), _) => responder.respond_with_error(error_of(failure)),
                (None, Some(why)) if reason == schema::StopReason::EndTurn => {
                    responder.respond_with_error(error(ErrorCode::INTERNAL_ERROR, why))
                }
                (None, _) => responder.respond(PromptResponse::new(reason)),
            };
        }
    }
}
