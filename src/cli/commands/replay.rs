//! `replay`: plays a recorded conversation again. Whatever the file says, nothing in it is run and no model is called.

use crate::cli::args::format::PrintFormat;
use crate::cli::args::models::ModelOptions;
use crate::cli::args::session::SessionName;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::play::next::{self, Home, Next, StartAt};
use crate::cli::play::printer::Printer;
use crate::cli::play::signals::Signals;
use crate::cli::play::{outside, screen, terminal as place};
use crate::cli::runtime::{block_on, refused};
use crate::cli::session_file::{self, report_faults};
use crate::cli::{args::play::Play, play::outcome::resume_command};
use crate::clock::Clock;
use crate::model::steering::duration_ms;
use crate::model::{Ms, Seq};
use crate::session::replay::{IDLE_LIMIT_MS, Speed, Spot, Transport};
use crate::session::{self, Item, Log};
use crate::state::State;
use crate::text;
use crate::ui::act::branches;
use crate::ui::run::{self, LeaveTo};
use crate::ui::terminal::{self, Terminal};
use crate::ui::view::message::clock;
use crate::ui::view::player::Playback;
use clap::Args;
use std::io;
use std::thread;
use tokio::sync::mpsc;

/// What is shorter, in milliseconds, cannot be watched as it goes.
const AT_ONCE_MS: u64 = 1_000;

/// Replay a session exactly; no model is called
#[derive(Debug, Args)]
pub struct ReplayArgs {
    #[command(flatten)]
    which: SessionName,
    /// Print it instead of opening the screen
    #[arg(long)]
    headless: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    format: PrintFormat,
    /// Speed: 0.5, 1, 2, 4, 8 or max [default: 1; max with --headless]
    #[arg(long, value_name = "SPEED")]
    speed: Option<Speed>,
    /// Start at a turn number, or at a time such as 03:20
    #[arg(long, value_name = "N|TIME", value_parser = begin)]
    at: Option<StartAt>,
    /// Compare with another session, from where they diverge
    #[arg(long, value_name = "SESSION", conflicts_with = "headless")]
    beside: Option<String>,
    /// Shorten idle times to this, such as 3s; 0s skips them [default: 3s]
    #[arg(long, value_name = "TIME", value_parser = idle)]
    idle_limit: Option<u64>,
}

impl ReplayArgs {
    /// Returns what is done.
    pub fn next(self, context: &Context) -> Result<Next, Failure> {
        // a reader of text sets their own pace
        let headless = self.headless || context.text_mode().is_some();
        if !headless {
            place::check_screen(&place::headless(context), context)?;
        }
        Ok(Next::Replay(Box::new(next::Replay {
            path: session_file::find(&self.which, context)?,
            beside: self.beside,
            headless,
            format: self.format,
            speed: self.speed,
            from: self.at,
            idle_limit_ms: self.idle_limit,
            notice: None,
        })))
    }
}

/// Plays a recording, on the screen or printed.
pub fn play(replay: &next::Replay, context: &Context) -> Result<Next, Failure> {
    let log = session::read(&replay.path)?;
    let transport = Transport::new(log.records.clone(), Clock::real(Ms(0)));
    let fast = if replay.headless { Speed::Max } else { Speed::RECORDED };
    transport.set_speed(replay.speed.unwrap_or(fast));
    transport.set_idle_limit(Some(replay.idle_limit_ms.unwrap_or(IDLE_LIMIT_MS)));
    seek(&transport, replay.from)?;
    let next = match replay.headless {
        true => Next::Over(print(&transport, &log, replay.format)?),
        false => show(&transport, &log, replay, context)?,
    };
    let (Next::Over(exit) | Next::Left(exit)) = next else { return Ok(next) };
    let over = |exit| match next {
        Next::Left(_) => Next::Left(exit),
        _ => Next::Over(exit),
    };
    if State::fold(log.records.iter().map(|r| &r.event)).ended.is_none() {
        let resume = resume_command(&context.name_of(&log.files), &Play::default(), context);
        context.say(&format!("unfinished; resume: {resume}"));
    }
    // whoever was shown all that can be read has chosen to leave, and is not brought back for what cannot be read
    let faults = report_faults(&log, context).unwrap_or_else(|failure| context.fail(&failure));
    Ok(over(if exit == Exit::Done { faults } else { exit }))
}

fn seek(transport: &Transport, from: Option<StartAt>) -> Result<(), Failure> {
    match from {
        None => {}
        Some(StartAt::Event(seq)) => {
            let records = transport.recording().records();
            let events = records.iter().take_while(|r| r.event.seq <= seq).count();
            transport.seek(Spot::after(events));
        }
        Some(StartAt::Time(ms)) if ms <= transport.standing().end => transport.seek_time(ms),
        Some(StartAt::Time(_)) => {
            let end = clock(transport.standing().end.0);
            return Err(Failure::usage(
                format!("the recording ends at {end}"),
                "choose an earlier time",
            ));
        }
        Some(StartAt::Utterance(number)) => match transport.recording().utterance(number) {
            Some(spot) => transport.seek(spot),
            None => {
                let message = format!("no turn {number}");
                return Err(Failure::usage(message, "`colloquium sessions show` lists the turns"));
            }
        },
    }
    Ok(())
}

/// Plays it on the screen until the person goes elsewhere.
fn show(
    transport: &Transport,
    log: &Log,
    replay: &next::Replay,
    context: &Context,
) -> Result<Next, Failure> {
    let beside = replay.beside.as_deref().map(|name| outside::other(name, context)).transpose()?;
    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut screen = screen::new_screen(Seq(0), transport.clock(), context)?;
        screen.view.playback = Some(Playback::new(transport.clone()));
        let (waypoints, player) = (screen.transcript.waypoints.clone(), transport.clone());
        // nobody waits for it: until it is done, seeking takes longer
        thread::spawn(move || waypoints.fill(player.recording().records()));
        let notice = replay.notice.clone().or(log.faults.first().map(ToString::to_string));
        screen.view.notice = notice.map(|notice| text::line(&notice).into_owned());
        // nobody hears commands here
        let (commands, _) = mpsc::channel(1);
        match beside {
            Some(other) => screen.view.page = Some(branches::beside(&screen, &other)),
            None if matches!(replay.from, Some(StartAt::Event(_))) => {}
            None if is_over_at_once(transport) => transport.seek(Spot::after(1)),
            None => transport.play(),
        }
        let terminal = Terminal::enter(screen.modes).map_err(refused)?;
        let tail = transport.tail();
        let models = ModelOptions::default();
        let reader = outside::with(&log.files, (None, &models), context, async |outside| {
            run::run(&mut screen, tail, terminal, terminal::events, commands, outside).await
        });
        tokio::select! { biased;
            code = signals.next() => Ok(Next::Over(code)),
            left = reader => match left {
                // a recording is never steered, so nothing comes after its end
                Ok(LeaveTo::Home | LeaveTo::Extend(_)) => Ok(Next::Home(Home::default())),
                Ok(LeaveTo::Quit) => Ok(Next::Left(Exit::Done)),
                Ok(LeaveTo::Fork(leaf)) => {
                    Ok(Next::fork(log.files.log(), leaf, None, &Play::default(), false))
                }
                Err(e) => Ok(Next::Over(screen::failed(&e)?)),
            },
            () = transport.run() => Ok(Next::Over(Exit::Done)),
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

/// Prints what comes from where a replay stands to its end.
fn print(transport: &Transport, log: &Log, format: PrintFormat) -> Result<Exit, Failure> {
    let Spot { events: before, .. } = transport.standing().spot;
    let past = State::fold(log.records.iter().take(before).map(|r| &r.event));
    block_on(async {
        let mut signals = Signals::listen().map_err(refused)?;
        let mut printer = Printer::start(Some(format), past).map_err(refused)?;
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
fn begin(word: &str) -> Result<StartAt, String> {
    let wrong = || "a turn number, or a time such as 03:20 or 1:02:03".to_owned();
    if !word.contains(':') {
        return word.parse().map(StartAt::Utterance).map_err(|_| wrong());
    }
    let seconds = word
        .split(':')
        .try_fold(0u64, |all, part| all.checked_mul(60)?.checked_add(part.parse().ok()?));
    let ms = seconds.and_then(|s| s.checked_mul(1_000)).ok_or_else(wrong)?;
    Ok(StartAt::Time(Ms(ms)))
}

/// Reads how long a wait may be.
fn idle(word: &str) -> Result<u64, String> {
    duration_ms(word).ok_or_else(|| "a time such as 3s or 500ms".into())
}
