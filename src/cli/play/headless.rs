//! A conversation without a screen: the engine runs, the printer prints, signals stop it, and the exit code says how it
//! went.

use crate::cli::args::play::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::{self, Exit};
use crate::cli::play::journal::Calls;
use crate::cli::play::printer::Printer;
use crate::cli::play::signals::Signals;
use crate::cli::play::stdin::{self, Lines};
use crate::cli::trust::allowed::Allowed;
use crate::clock::{Clock, VIRTUAL_EPOCH};
use crate::engine::{Engine, Stopped};
use crate::export::{REHEARSED, nearing, reason, spent, utterances};
use crate::model::{Kind, LateReason, Limit, Participant, Seq, Usd, VoiceSpec, Wall};
use crate::session::writer::Durable;
use crate::session::{Item, Log, Record, SessionFiles, Tail};
use crate::spawn;
use crate::state::State;
use serde_json::json;
use std::collections::VecDeque;
use std::future::{Future, pending};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

/// How long a full disk is waited for.
pub const DISK_PATIENCE: Duration = Duration::from_secs(30);
/// How long a reader may hold up the end of a program that was told to stop.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// A conversation whose first event, or whose reopening, is appended.
pub struct Table<'a> {
    /// The engine, with its steer file's lines.
    pub engine: Engine,
    /// Its events from here on.
    pub tail: Tail,
    /// What was before them.
    pub past: State,
    /// Where it is kept.
    pub files: SessionFiles,
    /// Whether it is kept when the program ends.
    pub saved: bool,
    /// Its time.
    pub clock: Clock,
    /// What was asked for.
    pub play: &'a Play,
    /// Which commands it may run.
    pub allowed: Allowed,
}

/// Returns the clock that seats call for: real time on a screen, or where somebody's words take real time to come.
pub fn virtual_time<'a>(seats: impl IntoIterator<Item = &'a Participant>, play: &Play) -> bool {
    let timeless = |p: &Participant| match p.voice {
        VoiceSpec::Lines { .. } => true,
        VoiceSpec::Human { .. } => !play.steered_live(),
        VoiceSpec::Model(_) | VoiceSpec::Script(_) => false,
    };
    play.headless && !play.pace && seats.into_iter().all(timeless)
}

/// Returns the clock of a conversation that goes on at a state; virtual time runs on from when it began.
pub fn clock(virtual_time: bool, state: &State, began: Wall) -> Clock {
    if virtual_time { Clock::virtual_since(began, state.ms) } else { Clock::real(state.ms) }
}

/// Returns when a session on virtual time begins where two runs are to be equal byte for byte: a seed was given, or the
/// environment names a date.
pub fn fixed_epoch(seed: Option<u64>, context: &Context) -> Option<Wall> {
    let date = context.environment.source_date_epoch().map(Wall);
    date.or(seed.map(|_| VIRTUAL_EPOCH))
}

/// Returns when a session began, as its first line says.
pub fn began(log: &Log) -> Wall {
    log.records.first().map_or(VIRTUAL_EPOCH, |r| r.event.at)
}

/// How it came to its end here.
enum Left {
    Stopped(Stopped),
    /// Whoever read standard output has gone, or it cannot be written.
    Unread(io::Result<()>),
}

/// Plays a conversation to its end and says how it went.
pub fn play(table: Table<'_>, context: &Context) -> Result<Exit, Failure> {
    let internal = |e: io::Error| Failure::new(Exit::Failed, format!("the system refused: {e}"));
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(internal)?;
    runtime.block_on(async {
        let mut signals = Signals::listen().map_err(internal)?;
        let printer = Printer::start(table.play.format, table.past.clone()).map_err(internal)?;
        let opening = Seq(table.engine.live.state.next_seq.0.saturating_sub(1));
        let mut lines = match table.play.steered_live() {
            true => Some(stdin::listen(opening).map_err(internal)?),
            false => None,
        };
        if let (Some(lines), true) = (&mut lines, table.clock.is_virtual()) {
            lines.settle().await;
        }
        run(table, lines, printer, &mut signals, context).await
    })
}

async fn run(
    table: Table<'_>,
    lines: Option<Lines>,
    mut printer: Printer,
    signals: &mut Signals,
    context: &Context,
) -> Result<Exit, Failure> {
    let Table { mut engine, mut tail, files, saved, play, past, .. } = table;
    let name = saved.then(|| context.name_of(&files));
    match &name {
        Some(_) => context.say(&format!("session: {} ({})", files.id(), files.log().display())),
        None => context.say("session: not saved"),
    }
    if engine.live.state.rehearsed {
        context.say(REHEARSED);
    }
    let (stop, stopping) = oneshot::channel::<()>();
    let mut stop = Some(stop);
    let mut signal = None;
    let (records, calls) = (VecDeque::new(), Calls::of(&past));
    let mut unwritten = Unwritten { records, durable: engine.durable(), calls };
    let left = {
        let orders = lines.map_or_else(|| mpsc::channel(1).1, |l| l.commands);
        let run = engine.run(orders, async {
            if stopping.await.is_err() {
                pending().await
            }
        });
        tokio::pin!(run);
        loop {
            tokio::select! { biased;
                code = signals.next() => match stop.take() {
                    Some(stop) => {
                        signal = Some(code);
                        // a loop that is over already needs no telling
                        let _ = stop.send(());
                    }
                    None => at_once(code),
                },
                printed = &mut printer.done => {
                    break Left::Unread(printed.unwrap_or_else(|e| Err(io::Error::other(e))));
                }
                Some(item) = tail.next() => unwritten.take(item),
                Ok(()) = unwritten.durable.changed() => {}
                stopped = &mut run => break Left::Stopped(stopped),
            }
            unwritten.print(&printer, context);
        }
    };
    while let Some(item) = tail.try_next() {
        unwritten.take(item);
    }
    unwritten.print(&printer, context);
    let state = engine.live.state.clone();
    let synced = unless_told_again(signals, engine.finish()).await;
    let (printed, stopped) = match left {
        Left::Unread(printed) => (printed, None),
        Left::Stopped(stopped) => {
            let all = unless_told_again(signals, printer.finish());
            let printed = match signal {
                Some(_) => timeout(LAST_WORDS, all).await.unwrap_or(Ok(())),
                None => all.await,
            };
            (printed, Some(stopped))
        }
    };
    if let Some(Stopped::Unwritable(why)) = stopped {
        return Err(unwritable(&files, &why));
    }
    synced.map_err(|fault| unwritable(&files, &fault.to_string()))?;
    match printed {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(Exit::Done),
        Err(e) => {
            let failure =
                Failure::new(Exit::Failed, format!("cannot write to standard output: {e}"));
            return Err(name.iter().fold(failure, |f, name| {
                f.hint(format!("what was said is saved; go on with: colloquium resume {name}"))
            }));
        }
        Ok(()) => {}
    }
    verdict(&state, name.as_deref(), play, signal, context)
}

/// What happened and is not in the file yet: whoever acts on what is printed must find it there after a kill.
struct Unwritten {
    records: VecDeque<Arc<Record>>,
    durable: watch::Receiver<Durable>,
    calls: Calls,
}

impl Unwritten {
    fn take(&mut self, item: Item) {
        match item {
            Item::Event(record) => self.records.push_back(record),
            // only finished words are printed, and a live talk never goes elsewhere
            Item::Piece(_) | Item::Past(_) => {}
        }
    }

    /// Prints what the file has by now.
    fn print(&mut self, printer: &Printer, context: &Context) {
        let written = self.durable.borrow_and_update().written;
        while let Some(record) = self.records.pop_front_if(|r| Some(r.event.seq) <= written) {
            // where the talk goes elsewhere, a warning is still seen
            // a transcript on the terminal has them already
            let warning = match &record.event.kind {
                Kind::Warning(warning) => Some(warning.text.to_string()),
                Kind::LimitNear(near) => Some(nearing(&near.0)),
                _ => None,
            };
            if let Some(warning) = warning.filter(|_| !io::stdout().is_terminal()) {
                context.say(&format!("warning: {warning}"));
            }
            if let Kind::Receipt(receipt) = &record.event.kind
                && receipt.reason == Some(LateReason::NeverDue)
            {
                context.say(&format!("a steering line was never due: {}", receipt.line));
            }
            if let Some(told) = self.calls.told(&record.event) {
                context.note(&told);
            }
            printer.print(record);
        }
    }
}

/// Waits for something, unless a second signal says that there is no time for it.
pub async fn unless_told_again<T>(signals: &mut Signals, work: impl Future<Output = T>) -> T {
    tokio::select! { biased;
        code = signals.next() => at_once(code),
        done = work => done,
    }
}

/// Ends the program where it stands; no child of it survives.
pub fn at_once(code: Exit) -> ! {
    spawn::reap_all();
    std::process::exit(i32::from(code as u8))
}

/// Returns the failure of a session that cannot be written.
pub fn unwritable(files: &SessionFiles, why: &str) -> Failure {
    let path = files.log().display();
    Failure::new(Exit::Session, format!("the session {path} could not be written: {why}"))
        .hint(format!("make room, then: colloquium resume {path}"))
}

/// Returns the command that goes on with a conversation; one that a limit ended is given more, so that it does not end
/// again at once.
fn way_on(state: &State, resume: &str) -> String {
    let Some(at) = &state.limit else { return resume.to_owned() };
    // a limit that was set late may be far below what was reached
    let more = at.limit.max(at.value).saturating_mul(2);
    match at.what {
        Limit::Utterances => format!("{resume} --max-utterances {more}"),
        Limit::Seconds => format!("{resume} --max-time {more}s"),
        Limit::Tokens => format!("{resume} --max-tokens {more}"),
        Limit::Usd => format!("{resume} --max-usd {}", f64::from(Usd(more))),
        Limit::Rounds | Limit::Batches => {
            let line = json!({"do": "limit", "set": {at.what.key(): more}});
            format!("echo '{line}' | {resume} --steer -")
        }
    }
}

/// Says what was saved, how it ended and how to go on; returns the code of that.
fn verdict(
    state: &State,
    name: Option<&str>,
    play: &Play,
    signal: Option<Exit>,
    context: &Context,
) -> Result<Exit, Failure> {
    let (Some(ended), Some(code)) = (&state.ended, exit::ended(state)) else {
        return Err(Failure::new(Exit::Failed, "the conversation stopped without an end"));
    };
    let cause = ended.text.iter().map(|t| format!(": {t}")).collect::<String>();
    // an address is never taken from a session, so going on needs it again
    let endpoint = play.models.endpoint.as_ref();
    let endpoint = endpoint.map_or(String::new(), |url| format!(" --endpoint {url}"));
    // nor is what a session would run trusted because an earlier run of it was
    let trust = if play.trust { " --trust" } else { "" };
    let resume = name.map(|name| {
        way_on(state, &format!("colloquium resume {name} --headless{endpoint}{trust}"))
    });
    let code = match (code, signal) {
        (Exit::Interrupted, signal) => signal.unwrap_or(Exit::Interrupted),
        (code, _) => code,
    };
    if matches!(code, Exit::Failed | Exit::NoModel) {
        let message = format!("the conversation ended: {}{cause}", reason(ended.reason));
        let failure = Failure::new(code, message);
        return Err(resume
            .into_iter()
            .fold(failure, |f, resume| f.hint(format!("go on with: {resume}"))));
    }
    let kept = name.map_or("not saved".into(), |name| format!("saved: {name}"));
    let go_on = resume.iter().map(|r| format!("; go on with: {r}")).collect::<String>();
    let spoken = utterances(state.utterances);
    let used = spent(&state.spent()).iter().map(|s| format!(", {s}")).collect::<String>();
    context.say(&format!("{kept}, {spoken}{used}, ended: {}{cause}{go_on}", reason(ended.reason)));
    if play.strict && state.failed > 0 && code == Exit::Done {
        let message = format!("{} skipped after failures", utterances(state.failed));
        return Err(Failure::new(Exit::Skipped, message).hint("leave out --strict to accept that"));
    }
    Ok(code)
}
