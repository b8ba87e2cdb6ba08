//! The thread of a session: it starts the conversation with the first prompt, and continues it with each later one.

use super::errors::error_of;
use super::order::Order;
use super::playing::{AfterPlay, Playing};
use super::prompt::{ClientPrompt, KEYS, available, command, said, speaks};
use super::session::ClientSession;
use super::updates::Updates;
use crate::cli::args::{Keep, ModelOptions, Play, RunOptions, ToolOptions, Topic};
use crate::cli::commands::{resume, run};
use crate::cli::error::{Exit, Failure};
use crate::cli::play::next::{Resume, Setup};
use crate::cli::play::opening::open_for_output;
use crate::cli::source;
use crate::export::Seen;
use crate::ledger::RunBudget;
use crate::model::{Command, Key, Limits, Participant, Reveal, SteerLine, VoiceSpec};
use crate::session::{Item, ReadProgress, holder};
use crate::state::{RunState, State};
use crate::steer::line::addressed;
use crate::steer::slash;
use crate::ui::act::intents;
use crate::ui::view::extension::{one_more_round, round};
use crate::{policy, scenario};
use agent_client_protocol::v1::Responder;
use agent_client_protocol::v1::schema::{CloseSessionResponse, LoadSessionResponse};

impl ClientSession {
    /// Carries out orders until the session is closed.
    pub fn serve(mut self) {
        while let Some(order) = self.orders.blocking_recv() {
            let (prompt, responder) = match order {
                Order::Prompt(prompt, responder) => (prompt, responder),
                // nothing runs
                Order::Cancel => continue,
                Order::Pace(pace, responder) => {
                    self.set_pace(pace, responder);
                    continue;
                }
                Order::Announce => {
                    self.send(available());
                    continue;
                }
                Order::Load(responder) => {
                    let loaded =
                        self.load().map(|()| LoadSessionResponse::new().modes(self.pace.modes()));
                    // a client that has gone needs no answer
                    let _ = responder.respond_with_result(loaded.map_err(|f| error_of(&f)));
                    continue;
                }
                Order::Close(responder) => return closed(Some(responder.into())),
                Order::Leave => return,
            };
            match self.begin(&prompt) {
                Ok(setup) => match Playing::play(&mut self, setup, responder) {
                    AfterPlay::Ended => {}
                    AfterPlay::Closed(responder) => return closed(responder),
                },
                Err(failure) => _ = responder.respond_with_error(error_of(&failure)),
            }
        }
    }

    /// Sends the conversation so far.
    fn load(&self) -> Result<(), Failure> {
        // the first prompt creates the file
        if !self.path.is_file() {
            return Ok(());
        }
        // the person at the client is the operator
        let reveal = Reveal { whispers: true, hidden: true };
        let seen = Seen::read(&self.path, reveal, &ReadProgress::default())?;
        let mut updates = Updates::replaying();
        for record in seen.records() {
            updates.take(&Item::Event(record?)).into_iter().for_each(|update| self.send(update));
        }
        Ok(())
    }

    /// Starts the conversation with its topic, or continues it with a message.
    fn begin(&mut self, prompt: &ClientPrompt) -> Result<Setup, Failure> {
        if !self.path.is_file() {
            let setup = self.start(prompt)?;
            self.began = true;
            return Ok(setup);
        }
        let opened = open_for_output(&self.path)?;
        if holder(&opened.survey.files).is_some() {
            let message = "another program runs this conversation";
            return Err(
                Failure::new(Exit::Session, message).hint(format!("colloquium attach {}", self.id))
            );
        }
        let (commands, budget) = self.continuing(prompt, &opened.past)?;
        // the session has its models, keys and limits
        let models = ModelOptions { model: None, ..self.args.models.clone() };
        let mut play = Play { max_utterances: None, set: vec![], models, ..self.options() };
        if !self.began {
            // the consents of the command line are for its own scenario
            play = Play { trust: false, tools: ToolOptions::default(), ..play };
        }
        let resume = Resume { path: self.path.clone(), play, commands, ..Resume::default() };
        let setup = resume::start(&resume, opened, &self.context)?;
        Ok(Setup { budget: Some(budget), ..setup })
    }

    fn start(&self, prompt: &ClientPrompt) -> Result<Setup, Failure> {
        if slash::row(prompt.text.trim()).is_some() || addressed(prompt.text.trim()).is_some() {
            return Err(Failure::usage(
                "the conversation has not started, so it takes no commands and no whispers",
                "send its topic first",
            ));
        }
        let found = source::find_panel(&self.context.paths, &self.args.scenario)?;
        let mut lines: Vec<SteerLine> = prompt.files().collect();
        let loaded = scenario::load(&found.source, &policy::rows())?;
        let rehearsed = loaded.participants.iter().any(|seat| {
            let lines = self.args.rehearsed && loaded.rehearsed.contains_key(&seat.id);
            lines || matches!(seat.voice, VoiceSpec::Lines { .. })
        });
        // rehearsed lines keep their topic, and hear the prompt as a message
        let fixed = rehearsed && loaded.scenario.topic.is_some();
        let topic = (!fixed).then(|| Topic::Text(prompt.text.clone()));
        if fixed {
            lines.push(said(&prompt.text).into());
        }
        let speakers = loaded.participants.iter().filter(|seat| seat.speaks).count();
        let speakers = speakers + usize::from(self.args.take_part);
        let steps = self.pace.steps(u32::try_from(speakers).unwrap_or(u32::MAX));
        lines.extend(steps.map(SteerLine::from));
        let keyed = |(at, line)| (Key::from(format!("{KEYS}start-{at}")), line);
        let lines = lines.into_iter().enumerate().map(keyed).collect();
        let keep = Keep { out_session: Some(self.path.clone()), ..Keep::default() };
        let options = RunOptions {
            topic,
            keep,
            take_part: self.args.take_part,
            play: self.options(),
            ..RunOptions::default()
        };
        run::start_found(&options, found, lines, &self.gate, &self.context)
    }

    /// Returns the commands that continue a session with a prompt, and its reserved limits.
    fn continuing(
        &self,
        prompt: &ClientPrompt,
        past: &State,
    ) -> Result<(Vec<Command>, RunBudget), Failure> {
        let given = command(&prompt.text, past)?;
        prompt.fits(&given)?;
        let files = prompt.files().map(|line| line.command);
        let mut commands: Vec<Command> = files.collect();
        let paused = past.run == RunState::Paused && past.ended.is_none();
        let goes_on = speaks(&given).then(|| self.pace.steps(round(past)));
        let goes_on = goes_on.and_then(|steps| steps.or(paused.then_some(Command::Resume {})));
        if past.ended.is_some() {
            let name = given.name();
            let reopening = intents::reopening(given).ok_or_else(|| {
                let message = format!("the conversation has ended, so `{name}` has no effect");
                Failure::usage(message, "send a message to continue it")
            })?;
            commands.extend(reopening);
            // a budget is raised only by its own option
            let held = past.limit.as_ref().is_some_and(|held| !held.what.is_budget());
            let set = held.then(|| one_more_round(past)).flatten();
            commands.extend(set.map(|set| Command::Limit { set }));
        } else {
            commands.push(given);
        }
        commands.extend(goes_on);
        let seats: Vec<&Participant> = past.seats.iter().map(|seat| &*seat.spec).collect();
        let own = if self.args.max_usd.is_some() { Limits::default() } else { past.limits.clone() };
        let budget = self.gate.reserve(&seats, &own, past)?;
        let Limits { usd, tokens, .. } = budget.limits;
        let set = Limits { usd, tokens, ..Limits::default() };
        let (usd, tokens) = (past.limits.usd, past.limits.tokens);
        if set != Limits::default() && set != (Limits { usd, tokens, ..Limits::default() }) {
            commands.insert(0, Command::Limit { set });
        }
        Ok((commands, budget))
    }
}

/// Confirms that a session is closed, to a client that asked for it.
fn closed(responder: Option<Box<Responder<CloseSessionResponse>>>) {
    if let Some(responder) = responder {
        // a client that has gone needs no answer
        let _ = responder.respond(CloseSessionResponse::new());
    }
}
