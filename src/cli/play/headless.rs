//! Plays a conversation without a screen: the engine runs, the printer prints, signals stop it, and the exit code
//! reports the outcome.

use crate::cli::args::{Play, PrintFormat};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure, losses};
use crate::cli::play::alive::Alive;
use crate::cli::play::attend::{Left, attend};
use crate::cli::play::call_log::CallLog;
use crate::cli::play::next::Setup;
use crate::cli::play::printer::Printer;
use crate::cli::play::signals::{Signals, unless_told_again};
use crate::cli::play::{detach, door, outcome, state_file, stdin};
use crate::cli::runtime::{block_on, refused, reported};
use crate::clock::Clock;
use crate::engine::Owner;
use crate::export::{self, Hearer, REHEARSED, how_it_ended, nearing};
use crate::host::{self, End, Leave};
use crate::model::{Kind, LateReason, Ms, Seq};
use crate::session::writer::Durable;
use crate::session::{Item, Record};
use crate::state::State;
use std::collections::VecDeque;
use std::io::{self, ErrorKind, IsTerminal, stderr};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// Maximum delay of the exit after a signal, for a slow reader of the output.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Interval between two progress lines, in milliseconds.
const LIFE_MS: u64 = 1_000;

/// Outcome of a conversation.
pub struct Played {
    /// State at the end.
    pub state: State,
    /// Name of the session, if it is kept.
    pub name: Option<String>,
    play: Play,
    signal: Option<Exit>,
    /// True if all output was written.
    read: bool,
}

/// Plays a conversation to its end and reports the outcome.
pub fn play(setup: Setup, context: &Context) -> Result<Exit, Failure> {
    let format = setup.play.format;
    let played = run(setup, Some(format), context)?;
    if played.read { played.verdict(context) } else { Ok(Exit::Done) }
}

/// Plays a conversation to its end; without a format, prints nothing.
pub fn run(
    setup: Setup,
    format: Option<PrintFormat>,
    context: &Context,
) -> Result<Played, Failure> {
    block_on(async {
        let conversation = &setup.conversation;
        let printer = Printer::start(format, conversation.past.clone()).map_err(refused)?;
        if setup.play.reads_commands() {
            let (since, commands) = (conversation.since(), conversation.commands.clone());
            let read = stdin::listen(since, commands).map_err(refused)?;
            if conversation.past.next_seq > Seq(0) {
                // the person who resumes says first how it goes on
                let first = stdin::first(read.clone());
                reported("the first line of standard input, or its end", context, first).await;
            }
            if conversation.clock.is_virtual() {
                stdin::settle(read).await;
            }
        }
        // until here a signal ends the process: nothing has begun
        let mut signals = Signals::listen().map_err(refused)?;
        drive(setup, printer, &mut signals, context).await
    })
}

async fn drive(
    setup: Setup,
    mut printer: Printer,
    signals: &mut Signals,
    context: &Context,
) -> Result<Played, Failure> {
    let Setup { mut conversation, play, .. } = setup;
    let files = conversation.files.clone();
    let name = conversation.saved.then(|| context.name_of(&files));
    match &name {
        Some(_) => context.say(&format!("session: {} ({})", files.id(), files.log().display())),
        None => context.say("session: not saved"),
    }
    if conversation.state().rehearsed {
        context.say(REHEARSED);
    }
    let owner = if play.background { Owner::Nobody } else { Owner::Operator };
    door::open(&mut conversation, owner, context);
    let calls = CallLog::from_state(&conversation.past);
    let alive = Alive::from_state(&conversation.past, play.reads_commands());
    let life = Life { alive, clock: Clock::real(Ms(0)), shown: false };
    let durable = conversation.durable();
    let mut unwritten = Unwritten { records: VecDeque::new(), durable, calls, life };
    let takes_time = !conversation.clock.is_virtual() || play.reads_commands();
    let mut opening = play.background || conversation.closed().is_none();
    let host::RunningConversation { mut tail, commands, mut run } = conversation.start();
    // only the reader of standard input gives commands
    drop(commands);
    let mut signal = None;
    let read: Result<_, Failure> = {
        let opened = run.opened();
        let reader = async {
            // the starter of a copy waits until clients can attach
            let mut starting = play.background;
            let clock = Clock::real(Ms(0));
            let mut look = clock.now().plus(LIFE_MS);
            tokio::pin!(opened);
            loop {
                tokio::select! { biased;
                    printed = &mut printer.done => {
                        return Ok(Some(printed.unwrap_or_else(|e| Err(io::Error::other(e)))));
                    }
                    opened = &mut opened, if opening => {
                        opening = false;
                        match opened {
                            Ok(()) if starting => detach::report(&files, context)?,
                            Err(e) if starting => {
                                return Err(Failure::new(Exit::Failed, e.to_string()));
                            }
                            // an end before the opening leaves nothing to attach to
                            Err(e) if e.kind() != ErrorKind::NotConnected => {
                                context.say(&format!("nobody can attach: {e}"));
                            }
                            Ok(()) | Err(_) => {}
                        }
                        starting = false;
                    }
                    item = tail.next() => match item {
                        Some(item) => unwritten.take(item),
                        None => break,
                    },
                    Ok(()) = unwritten.durable.changed() => {}
                    () = clock.advance(Some(look)), if takes_time => {
                        look = clock.now().plus(LIFE_MS);
                        let wait = unwritten.durable.borrow().wait();
                        unwritten.life.show(wait, context);
                        continue;
                    }
                }
                if !starting {
                    unwritten.print(&printer, context);
                }
            }
            if starting {
                detach::report(&files, context)?;
            }
            // the rest is printed once it is written
            while unwritten.durable.changed().await.is_ok() {}
            unwritten.print(&printer, context);
            Ok(None)
        };
        tokio::pin!(reader);
        match attend(&mut run, &mut reader, signals, |_| true).await {
            Left::Reader(read) => read,
            Left::Signal(code) => {
                signal = Some(code);
                run.leave(Leave::End);
                unless_told_again(signals, reader).await
            }
            Left::Stopped => unless_told_again(signals, reader).await,
        }
    };
    let printed = match read {
        Ok(None) => {
            let all = unless_told_again(signals, printer.finish());
            Ok(match signal {
                Some(_) => timeout(LAST_WORDS, all).await.unwrap_or(Ok(())),
                None => all.await,
            })
        }
        // the reader of standard output is gone, or the conversation in the background cannot take clients
        Ok(Some(printed)) => Ok(printed),
        Err(failure) => Err(failure),
    };
    run.leave(Leave::Now);
    let End { state, stop } = unless_told_again(signals, run.stopped()).await.clone();
    drop(run);
    let printed = printed?;
    stop.map_err(|why| outcome::unwritable(&files, &why))?;
    state_file::write(play.state.as_ref(), &state)?;
    match printed {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {
            return Ok(Played { state, name, play, signal, read: false });
        }
        Err(e) => {
            let failure =
                Failure::new(Exit::Failed, format!("cannot write to standard output: {e}"));
            return Err(name.iter().fold(failure, |f, name| {
                let resume = outcome::resume_command(name, &play, context);
                f.hint(format!("saved so far; resume: {resume}"))
            }));
        }
        Ok(()) => {}
    }
    Ok(Played { state, name, play, signal, read: true })
}

/// Events that are not in the file yet. They are printed only once they are written, so that a kill cannot undo printed
/// output.
struct Unwritten {
    records: VecDeque<Arc<Record>>,
    durable: watch::Receiver<Durable>,
    calls: CallLog,
    life: Life,
}

/// The progress line on standard error.
struct Life {
    alive: Alive,
    clock: Clock,
    /// True if the line is on the terminal.
    shown: bool,
}

impl Life {
    /// Shows the awaited participants; if lines cannot be replaced, only once in a while.
    fn show(&mut self, wait: Option<String>, context: &Context) {
        let now = self.clock.now();
        self.alive.note_disk(wait);
        if !stderr().is_terminal() {
            self.alive.pipe_line(now).iter().for_each(|line| context.say_alive(line));
            return;
        }
        let line = self.alive.line(now);
        if line.is_some() || self.shown {
            self.shown = line.is_some();
            context.progress(&line.unwrap_or_default());
        }
    }

    /// Removes the line before other output is printed.
    fn clear(&mut self, context: &Context) {
        if std::mem::take(&mut self.shown) {
            context.progress("");
        }
    }
}

impl Unwritten {
    fn take(&mut self, item: Item) {
        match item {
            Item::Event(record) => {
                self.life.alive.take(&record.event, self.life.clock.now());
                self.records.push_back(record);
            }
            // only finished messages are printed, and a live conversation never jumps
            Item::Piece(_) | Item::Past(_) => {}
        }
    }

    /// Prints the events that the file contains by now.
    fn print(&mut self, printer: &Printer, context: &Context) {
        let written = self.durable.borrow_and_update().written;
        if self.records.front().is_some_and(|r| Some(r.event.seq) <= written) {
            self.life.clear(context);
        }
        let mut printed = vec![];
        while let Some(record) = self.records.pop_front_if(|r| Some(r.event.seq) <= written) {
            // show warnings even if the output is redirected; a transcript on the terminal contains them already
            let warning = match &record.event.kind {
                Kind::Warning(warning) => Some(warning.text.to_string()),
                Kind::ModelAdapted(adapted) if adapted.loses => Some(adapted.sentence()),
                Kind::LimitNear(near) if near.0.what.is_budget() => Some(nearing(&near.0)),
                _ => None,
            };
            if let Some(warning) = warning
                && !io::stdout().is_terminal()
            {
                context.say(&format!("warning: {warning}"));
            }
            if let Kind::Receipt(receipt) = &record.event.kind
                && receipt.reason == Some(LateReason::NeverDue)
            {
                context.say(&format!("a steering line never fired: {}", receipt.line));
            }
            if let Some(told) = self.calls.message(&record.event) {
                context.note(&told);
            }
            printed.push(record);
        }
        printer.print(printed);
    }
}

impl Played {
    /// Reports the saved session, the outcome and the way to continue; returns the exit code.
    pub fn verdict(&self, context: &Context) -> Result<Exit, Failure> {
        let Played { state, play, .. } = self;
        let name = self.name.as_deref();
        let (Some(ended), Some(code)) = (&state.ended, Exit::from_state(state)) else {
            return Err(Failure::new(Exit::Failed, "the conversation stopped unexpectedly"));
        };
        let end = how_it_ended(state, ended, Hearer::Operator);
        let resume =
            name.map(|name| outcome::way_on(state, &outcome::resume_command(name, play, context)));
        let code = match (code, self.signal) {
            (Exit::Interrupted, signal) => signal.unwrap_or(Exit::Interrupted),
            (code, _) => code,
        };
        if matches!(code, Exit::Failed | Exit::NoModel) {
            let message = format!("the conversation {end}");
            let failure = Failure::new(code, message);
            return Err(resume
                .into_iter()
                .fold(failure, |f, resume| f.hint(format!("resume: {resume}"))));
        }
        let told = |lost: &String| state.warnings.iter().any(|warning| *warning.text == **lost);
        let lost: Vec<String> =
            export::losses(state).into_iter().filter(|lost| !told(lost)).collect();
        if !lost.is_empty() {
            context.say(&format!("warning: {}", lost.join(", ")));
        }
        context.say(&outcome::saved_line(state, name, &end, resume.as_deref()));
        let losses = if play.strict && code == Exit::Done { losses(state) } else { vec![] };
        if !losses.is_empty() {
            let failure = Failure::new(Exit::Skipped, losses.join("; "));
            return Err(failure.hint("run without --strict to accept that"));
        }
        Ok(code)
    }
}
