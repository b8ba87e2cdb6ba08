//! The main loop of the program: executes steps, each of which returns the next one. A failure returns to the screen
//! that chose the failing step, or to the caller if the step was typed as a command.

use crate::cli::commands::{fork, replay, resume, run};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::home;
use crate::cli::play::attached::{self, GUEST, Visit};
use crate::cli::play::next::{ForkPoint, Home, Next, Replay, Resume, Setup, StartAt};
use crate::cli::play::opening::{self, Follows, follows};
use crate::cli::play::{detach, headless, linear, screen};
use crate::cli::running::RunningSession;
use std::ops::ControlFlow;

/// Performs steps until the program ends.
pub fn go(first: Next, context: &Context) -> Result<Exit, Failure> {
    match first.play() {
        Some(play) if play.detach => return detach::run_again(context),
        Some(play) if play.background => detach::begin(),
        Some(_) | None => {}
    }
    let mut next = first;
    // screens to return to, the most recent last
    let mut screens: Vec<Next> = Vec::new();
    loop {
        next = match step(&next, context) {
            Ok(Next::Over(exit)) => return Ok(exit),
            Ok(Next::Left(exit)) => {
                let home = screens.iter().find(|screen| matches!(screen, Next::Home(_)));
                match home {
                    Some(home) => home.clone(),
                    None => return Ok(exit),
                }
            }
            Ok(following) => {
                if matches!(next, Next::Home(_)) {
                    screens.clear();
                }
                screens.extend(left(&next, &following));
                following
            }
            Err(failure) => match screens.pop() {
                Some(screen) => saying(screen, &failure),
                None => return Err(failure),
            },
        }
    }
}

fn step(next: &Next, context: &Context) -> Result<Next, Failure> {
    match next {
        Next::Over(exit) | Next::Left(exit) => Ok(Next::Over(*exit)),
        Next::Home(home) => home::open(home, context),
        Next::Attach(path) => {
            let running = RunningSession::at(path.clone(), context)?;
            attached::show(&Visit { running, name: Some(GUEST.into()), watches: false }, context)
        }
        Next::Replay(recorded) => replay::play(recorded, context),
        Next::Begin(begin) => play(run::start(begin, context)?, context),
        Next::Resume(resume) => {
            match opening::open(&resume.path, follows(&resume.play, context), context)? {
                ControlFlow::Continue(opened) => {
                    if let Some(next) = resume::finished(resume, &opened, context) {
                        return Ok(next);
                    }
                    match resume::start(resume, opened, context) {
                        Ok(setup) => play(setup, context),
                        Err(failure) if is_read_instead(resume, &failure, context) => {
                            Ok(saying(Next::read((**resume).clone()), &failure))
                        }
                        Err(failure) => Err(failure),
                    }
                }
                ControlFlow::Break(next) => Ok(next),
            }
        }
        Next::Fork(fork) => match fork::start(fork, context)? {
            ControlFlow::Continue(setup) => play(setup, context),
            ControlFlow::Break(next) => Ok(next),
        },
    }
}

/// Returns whether a session that cannot be resumed is opened for reading: it was chosen on the start screen, or lacks a
/// model or a provider that its options do not name.
fn is_read_instead(resume: &Resume, failure: &Failure, context: &Context) -> bool {
    let play = &resume.play;
    let names_none = play.models.model.is_none() && play.set.is_empty();
    let lacks_model = failure.code == Exit::NoModel || failure.code == Exit::Usage && names_none;
    let is_on_screen = follows(play, context) == Follows::Screen;
    is_on_screen && (resume.finds_server || resume.commands.is_empty() && lacks_model)
}

/// Plays a conversation as requested: on the screen, as typed text, or headless.
fn play(setup: Setup, context: &Context) -> Result<Next, Failure> {
    match (setup.play.headless, context.text_mode()) {
        (true, _) => headless::play(setup, context).map(Next::Over),
        (false, Some(because)) => linear::play(setup, because, context),
        (false, None) => screen::play(setup, context),
    }
}

/// Returns the screen to go back to if the step chosen on it fails.
fn left(screen: &Next, chosen: &Next) -> Option<Next> {
    let recorded = |path, from| Next::Replay(Box::new(Replay { path, from, ..Replay::default() }));
    match (screen, chosen) {
        (Next::Home(home), Next::Begin(begin)) => {
            Some(begin.chosen_on.clone().map_or_else(|| at_home(home), Next::Home))
        }
        (Next::Home(home), _) => Some(at_home(home)),
        (Next::Replay(_), Next::Fork(fork)) => {
            let from = match fork.at {
                ForkPoint::Event(seq) => StartAt::Event(seq),
                ForkPoint::Utterance(number) => StartAt::Utterance(number),
            };
            Some(recorded(fork.path.clone(), Some(from)))
        }
        // resumes a running session; shows a finished one
        (_, Next::Fork(fork)) if fork.from_live => {
            let path = fork.path.clone();
            let play = fork.play.clone();
            Some(Next::Resume(Box::new(Resume { path, play, ..Resume::default() })))
        }
        (_, Next::Fork(fork)) => Some(recorded(fork.path.clone(), None)),
        (_, Next::Resume(resume)) => Some(recorded(resume.path.clone(), None)),
        (
            _,
            Next::Begin(_)
            | Next::Replay(_)
            | Next::Attach(_)
            | Next::Home(_)
            | Next::Left(_)
            | Next::Over(_),
        ) => None,
    }
}

/// Returns the start screen as it opens again after a session.
fn at_home(home: &Home) -> Next {
    Next::Home(Home { server: home.server.clone(), ..Home::default() })
}

/// Returns a screen that shows why the step chosen on it failed.
fn saying(screen: Next, failure: &Failure) -> Next {
    match screen {
        Next::Home(home) => {
            let hint = failure.hint.iter().map(|hint| format!("\n{hint}"));
            let notice = std::iter::once(failure.message.clone()).chain(hint).collect();
            Next::Home(Home { notice: Some(notice), ..home })
        }
        Next::Replay(replay) => {
            Next::Replay(Box::new(Replay { notice: Some(failure.with_hint()), ..*replay }))
        }
        Next::Resume(resume) => {
            Next::Resume(Box::new(Resume { notice: Some(failure.with_hint()), ..*resume }))
        }
        screen @ (Next::Begin(_)
        | Next::Fork(_)
        | Next::Attach(_)
        | Next::Left(_)
        | Next::Over(_)) => screen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::RunOptions;
    use crate::cli::play::next::Begin;
    use crate::ui::start::OfferedModel;

    #[test]
    fn a_start_that_fails_returns_to_the_screen_as_it_was_filled_in() {
        let filled_in = Home {
            topic: Some("tea".into()),
            scenario: Some("oxford".into()),
            table: Some(vec![OfferedModel::from_name("ollama:llama3")]),
            ..Home::default()
        };
        let begin = Begin {
            scenario: "oxford".into(),
            options: RunOptions::default(),
            chosen_on: Some(filled_in),
        };
        let back = left(&Next::Home(Home::default()), &Next::Begin(Box::new(begin)));
        let failure = Failure::new(Exit::NoModel, "no model").hint("name one");
        let Some(Next::Home(home)) = back.map(|screen| saying(screen, &failure)) else {
            panic!("it returns elsewhere")
        };
        assert_eq!(
            (home.topic.as_deref(), home.scenario.as_deref()),
            (Some("tea"), Some("oxford"))
        );
        assert_eq!(home.table.unwrap()[0].name, "ollama:llama3");
        assert_eq!(home.notice.as_deref(), Some("no model\nname one"));
    }
}
