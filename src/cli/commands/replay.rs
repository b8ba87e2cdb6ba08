//! `replay`: plays a recorded conversation again. Whatever the file says, nothing in it is run and nobody is asked.

use crate::cli::args::play as options;
use crate::cli::args::play::{Format, Play};
use crate::cli::commands::export::written;
use crate::cli::commands::fork::{self, Point};
use crate::cli::commands::resume;
use crate::cli::commands::sessions::{Which, report_faults};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::screen as start;
use crate::cli::play::printer::Printer;
use crate::cli::play::screen::{self, After, Onward};
use crate::cli::play::signals::Signals;
use crate::cli::trust::allowed::Allowed;
use crate::clock::Clock;
use crate::model::steering::duration_ms;
use crate::model::{Ms, Seq};
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Transport};
use crate::session::{self, Item, Log};
use crate::state::State;
use crate::ui::act::branches::{self, Other};
use crate::ui::run::Left;
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::message::clock;
use crate::ui::view::player::Playback;
use crate::{text, ui};
use clap::Args;
use futures::future::LocalBoxFuture;
use std::io;
use std::path::Path;
use std::thread;
use tokio::runtime;
use tokio::sync::mpsc;

/// What is shorter, in milliseconds, cannot be watched as it goes.
const AT_ONCE_MS: u64 = 1_000;

/// Play a recorded conversation again, as it was; no model is asked
#[derive(Debug, Args)]
pub struct Replay {
    #[command(flatten)]
    which: Which,
    /// Print it instead of showing it
    #[arg(long)]
    headless: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// How fast: 0.5, 1, 2, 4, 8 or max [default: 1, and max with --headless]
    #[arg(long, value_name = "SPEED")]
    speed: Option<Speed>,
    /// Where to begin: the number of an utterance, or a time such as 03:20
    #[arg(long, value_name = "N|TIME", value_parser = begin)]
    at: Option<Begin>,
    /// Show another session beside it, from the point where they part
    #[arg(long, value_name = "SESSION", conflicts_with = "headless")]
    beside: Option<String>,
    /// Shorten waits to so much time, such as 3s; 0s leaves them out [default: 3s]
    #[arg(long, value_name = "TIME", value_parser = idle)]
    idle_limit: Option<u64>,
}

/// Where to begin.
#[derive(Clone, Copy, Debug)]
enum Begin {
    Utterance(u32),
    Time(Ms),
}

impl Replay {
    /// Plays it.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        // a reader of text sets their own pace
        self.headless |= context.text_mode().is_some();
        if !self.headless {
            options::needs_terminal("colloquium replay SESSION --headless", context)?;
        }
        let log = session::read(&self.which.find(context)?)?;
        let transport = Transport::new(log.records.clone(), Clock::real(Ms(0)));
        let fast = if self.headless { Speed::Max } else { Speed::RECORDED };
        transport.set_speed(self.speed.unwrap_or(fast));
        transport.set_idle_limit(Some(self.idle_limit.unwrap_or(IDLE_LIMIT_MS)));
        self.seek(&transport)?;
        let code = match self.headless {
            true => print(&transport, &log, self.format)?,
            false => match watch(&transport, &log, self.beside.as_deref(), context)? {
                After::Over(code) => code,
                home => return start::after(home, context),
            },
        };
        if State::fold(log.records.iter().map(|r| &r.event)).ended.is_none() {
            let name = context.name_of(&log.files);
            context.say(&format!("it has not ended; go on with: colloquium resume {name}"));
        }
        let report_faults = report_faults(&log, context)?;
        Ok(if code == Exit::Done { report_faults } else { code })
    }

    fn seek(&self, transport: &Transport) -> Result<(), Failure> {
        match self.at {
            None => {}
            Some(Begin::Time(ms)) if ms <= transport.standing().end => transport.seek_time(ms),
            Some(Begin::Time(_)) => {
                let end = clock(transport.standing().end.0);
                return Err(Failure::usage(format!("it ends at {end}"), "begin before that"));
            }
            Some(Begin::Utterance(number)) => match transport.recording().utterance(number) {
                Some(spot) => transport.seek(spot),
                None => {
                    let said = format!("no utterance {number} was spoken");
                    return Err(Failure::usage(said, "`colloquium sessions show` shows them all"));
                }
            },
        }
        Ok(())
    }
}

/// Plays the session of a file on the screen, from its beginning, or shows another one beside it.
pub fn again(path: &Path, beside: Option<&Path>, context: &Context) -> Result<After, Failure> {
    let log = session::read(path)?;
    let transport = Transport::new(log.records.clone(), Clock::real(Ms(0)));
    transport.set_speed(Speed::RECORDED);
    transport.set_idle_limit(Some(IDLE_LIMIT_MS));
    let beside = beside.map(|path| path.display().to_string());
    watch(&transport, &log, beside.as_deref(), context)
}

/// Tells the session of a file as text, all at once.
pub fn told(path: &Path, context: &Context) -> Result<Exit, Failure> {
    let log = session::read(path)?;
    let transport = Transport::new(log.records.clone(), Clock::real(Ms(0)));
    transport.set_speed(Speed::Max);
    print(&transport, &log, Format::Text)?;
    report_faults(&log, context)
}

/// Plays it on the screen until the person leaves, or goes on with a branch; where none can be, it is said there.
fn watch(
    transport: &Transport,
    log: &Log,
    beside: Option<&str>,
    context: &Context,
) -> Result<After, Failure> {
    let mut notice = log.faults.first().map(ToString::to_string);
    let mut beside = beside.map(|name| screen::other(name, context)).transpose()?;
    loop {
        let point = match show(transport, log, (notice.take(), beside.take()), context)? {
            Onward::To(after) => return Ok(after),
            Onward::Fork(point) => point,
            // a recording is never steered
            Onward::Again(..) => return Ok(After::Home),
        };
        let seated = resume::fold(log);
        let play = Play::default();
        let here = Path::new(".");
        let branch = Allowed::by_session(resume::seats(&seated), here, &play, context)
            .and_then(|allowed| fork::at(&point, &play, &allowed, context));
        match branch {
            Ok(after) => return Ok(after),
            Err(failure) => notice = Some(format!("no branch: {}", failure.message)),
        }
    }
}

/// Plays it on the screen until the person goes elsewhere.
fn show(
    transport: &Transport,
    log: &Log,
    (notice, beside): (Option<String>, Option<Other>),
    context: &Context,
) -> Result<Onward, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    runtime.block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut screen = screen::new_screen(Seq(0), transport.clock(), context)?;
        screen.view.playback = Some(Playback::new(transport.clone()));
        let (waypoints, player) = (screen.story.waypoints.clone(), transport.clone());
        // nobody waits for it: until it is done, seeking takes longer
        thread::spawn(move || waypoints.fill(player.recording().records()));
        screen.view.notice = notice.map(|notice| text::line(&notice).into_owned());
        let keep = |words: &str| screen::last_copy(&context.paths.state, words);
        let export = |format: &str| written(log.files.log(), format, context);
        let edit: fn(String) -> LocalBoxFuture<'static, Result<String, String>> =
            |_| Box::pin(async { Err("nothing is written in a recording".to_owned()) });
        let sessions = || screen::shelf(&log.files, context);
        let other = |name: &str| screen::other(name, context).map_err(|f| f.message);
        let outside = ui::run::Outside {
            keep: &keep,
            export: &export,
            open: &screen::open,
            edit: &edit,
            sessions: &sessions,
            other: &other,
        };
        // nobody hears commands here
        let (orders, _) = mpsc::channel(1);
        match beside {
            Some(other) => screen.view.page = Some(branches::beside(&screen, &other)),
            None if is_over_at_once(transport) => transport.seek(Spot::after(1)),
            None => transport.play(),
        }
        let terminal = Terminal::enter(screen.manner).map_err(refused)?;
        let reader = ui::run::run(
            &mut screen,
            transport.tail(),
            terminal,
            terminal::events,
            orders,
            outside,
        );
        tokio::select! { biased;
            code = signals.next() => Ok(Onward::To(After::Over(code))),
            left = reader => match left {
                // a recording is never steered, so nothing comes after its end
                Ok(Left::Home | Left::Again(_)) => Ok(Onward::To(After::Home)),
                Ok(Left::Quit) => Ok(Onward::To(After::Over(Exit::Done))),
                Ok(Left::Fork(leaf)) => {
                    Ok(Onward::Fork(Point { path: log.files.log().to_owned(), leaf }))
                }
                Err(e) => Ok(Onward::To(After::Over(screen::failed(&e)?))),
            },
            () = transport.run() => Ok(Onward::To(After::Over(Exit::Done))),
        }
    })
}

/// Whether a recording would be over before one looks at it: it then waits at its beginning for whoever plays it.
fn is_over_at_once(transport: &Transport) -> bool {
    let standing = transport.standing();
    let begun = transport.recording().records().first().map_or(Ms(0), |r| r.event.ms);
    let untouched = standing.spot == Spot::default() && standing.speed == Speed::RECORDED;
    untouched && standing.end.since(begun) < AT_ONCE_MS
}

fn refused(e: io::Error) -> Failure {
    Failure::new(Exit::Failed, format!("the system refused: {e}"))
}

/// Prints what comes from where a replay stands to its end.
fn print(transport: &Transport, log: &Log, format: Format) -> Result<Exit, Failure> {
    let Spot { events: before, .. } = transport.standing().spot;
    let past = State::fold(log.records.iter().take(before).map(|r| &r.event));
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    runtime.block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let mut printer = Printer::start(format, past).map_err(refused)?;
        let mut tail = transport.tail();
        let mut seen = 0;
        let play = transport.play_through();
        tokio::pin!(play);
        let mut playing = true;
        let printed = loop {
            tokio::select! { biased;
                code = signals.next() => return Ok(code),
                printed = &mut printer.done => {
                    break printed.unwrap_or_else(|e| Err(io::Error::other(e)));
                }
                item = tail.next() => match item {
                    Some(Item::Event(record)) => {
                        seen += 1;
                        if seen > before {
                            printer.print(record);
                        }
                    }
                    Some(Item::Past(past)) => seen = past.records().len(),
                    // only finished words are printed
                    Some(Item::Piece(_)) => {}
                    None => break printer.finish().await,
                },
                () = &mut play, if playing => playing = false,
            }
        };
        match printed {
            Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new(Exit::Failed, format!("cannot write to standard output: {e}")))
            }
            Ok(()) | Err(_) => Ok(Exit::Done),
        }
    })
}

/// Reads where to begin.
fn begin(word: &str) -> Result<Begin, String> {
    let wrong = || "the number of an utterance, or a time such as 03:20 or 1:02:03".to_owned();
    if !word.contains(':') {
        return word.parse().map(Begin::Utterance).map_err(|_| wrong());
    }
    let seconds = word
        .split(':')
        .try_fold(0u64, |all, part| all.checked_mul(60)?.checked_add(part.parse().ok()?));
    let ms = seconds.and_then(|s| s.checked_mul(1_000)).ok_or_else(wrong)?;
    Ok(Begin::Time(Ms(ms)))
}

/// Reads how long a wait may be.
fn idle(word: &str) -> Result<u64, String> {
    duration_ms(word).ok_or_else(|| "a time such as 3s or 500ms".into())
}
