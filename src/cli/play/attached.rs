//! Shows a conversation that another process runs, over its socket or by its file. Leaving does not change the
//! conversation.

use crate::cli::args::{ModelOptions, Play};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::memory::private_file::keep_inputs;
use crate::cli::play::attend::{Left, attend};
use crate::cli::play::next::{Home, Next};
use crate::cli::play::opening::{self, Meanwhile};
use crate::cli::play::outside;
use crate::cli::play::screen::{failed, keep_theme, new_screen, unless_lent};
use crate::cli::play::signals::Signals;
use crate::cli::running::RunningSession;
use crate::cli::runtime::{block_on, refused};
use crate::clock::{Clock, wall_now};
use crate::engine::Stopped;
use crate::host;
use crate::live::protocol::Attach;
use crate::model::{Ms, Seq};
use crate::session::{Follower, Survey, holder};
use crate::ui::run::LeaveTo;
use crate::ui::view::transcript::Transcript;
use crate::ui::{ScreenMode, ViewState};
use std::cell::Cell;

/// Usual name of a visitor in the log.
pub const GUEST: &str = "guest";

/// A visit to a running conversation.
pub struct Visit {
    /// The conversation.
    pub running: RunningSession,
    /// Name of the visitor in its log; `None` if its file is followed, and no client attaches.
    pub name: Option<String>,
    /// True if the visitor gives no commands.
    pub watches: bool,
}

/// Shows a running conversation until the user leaves.
pub fn show(visit: &Visit, context: &Context) -> Result<Next, Failure> {
    if visit.name.is_some() {
        // before anything is drawn
        block_on(async { visit.running.greet(context).await.map(drop) })?;
    }
    match opening::read(&visit.running.path, context)? {
        Meanwhile::Left(next) => Ok(next),
        Meanwhile::Read((survey, transcript), view) => {
            block_on(follow(visit, &survey, *transcript, view, context))
        }
    }
}

async fn follow(
    visit: &Visit,
    survey: &Survey,
    transcript: Transcript,
    view: Option<Box<ViewState>>,
    context: &Context,
) -> Result<Next, Failure> {
    let Visit { running, name, watches } = visit;
    let mut signals = Signals::at_terminal().map_err(refused)?;
    let files = survey.files.clone();
    let (conversation, attached) = match name {
        Some(name) => {
            let from = Some(transcript.state().next_seq);
            let attach = Attach { from, name: Some(name.clone()), watch: *watches };
            let attached = host::attach(running.greet(context).await?, attach).await;
            let (attached, conversation) =
                attached.map_err(|fault| running.failure(&fault, context))?;
            (conversation, Some(attached))
        }
        None => (host::follow(Follower::behind(survey)?), None),
    };
    let now = survey.latest.map_or(Ms(0), |latest| {
        let behind = wall_now().0.saturating_sub(latest.0).max(0);
        let runs = attached.is_some() || holder(&files).is_some();
        transcript.state().ms.plus(if runs { behind.unsigned_abs() } else { 0 })
    });
    let mut screen = new_screen(Seq(0), Clock::real(now), context)?;
    screen.view = view.map_or(screen.view, |view| *view);
    screen.view.mode = if *watches { ScreenMode::Watch } else { ScreenMode::Attached };
    screen.adopt(transcript);
    screen.view.notice = Some(match attached {
        Some(attached) => {
            screen.set_keys(attached.keys);
            let how = if *watches { "watching" } else { "attached" };
            format!("{how} as {}: leaving does not end the conversation", attached.name)
        }
        None => "watching: give commands in the terminal that runs the session; q quits".into(),
    });
    let host::RunningConversation { tail, commands, mut run } = conversation;
    let models = ModelOptions::default();
    let lent = Cell::new(false);
    let lends = if *watches { None } else { Some(&lent) };
    let left = {
        let show = outside::show(&mut screen, tail, commands, &files, lends, &models, context);
        attend(&mut run, show, &mut signals, unless_lent(&lent)).await
    };
    let folder = &context.paths.state;
    // a failure to keep the user's input and preferences is not worth failing now
    let _ = keep_inputs(folder, &screen.view.composer.history);
    let _ = keep_theme(&screen, context);
    let goes_on = name.is_some() && screen.transcript.state().ended.is_none();
    let name = context.name_of(&files);
    let again = context.command(&["attach", &name]);
    match left {
        Left::Signal(code) => Ok(Next::Over(code)),
        Left::Reader(Err(e)) => Ok(Next::Over(failed(&e)?)),
        Left::Reader(Ok(LeaveTo::Extend(commands))) => {
            Ok(Next::again(files.log(), commands, &Play::default()))
        }
        Left::Reader(Ok(LeaveTo::Home)) => Ok(Next::Home(Home::default())),
        Left::Reader(Ok(LeaveTo::Fork(leaf))) => {
            Ok(Next::fork(files.log(), leaf, None, &Play::default(), goes_on))
        }
        Left::Reader(Ok(LeaveTo::Quit | LeaveTo::Detach)) => {
            if goes_on {
                context.say(&format!("the conversation goes on; attach again: {again}"));
            }
            Ok(Next::Left(Exit::Done))
        }
        Left::Stopped => match &run.stopped().await.stop {
            Ok(Stopped::HandedOver | Stopped::Ended | Stopped::Left) => {
                context.say(&format!("the conversation moves to the background; attach: {again}"));
                Ok(Next::Left(Exit::Done))
            }
            Err(why) => {
                let resume = context.command(&["resume", &name]);
                Err(Failure::new(Exit::Session, why)
                    .hint(format!("resume it: {resume}; if it runs again: {again}")))
            }
        },
    }
}
