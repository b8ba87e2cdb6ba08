//! The start screen and the choice made on it.
//!
//! Failures to start are reported on the screen, so that nobody ends up at a shell prompt with an error.

use crate::cli::appearance::ScreenAppearance;
use crate::cli::args::{ModelOptions, SessionName};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::home::facts::{bounded, filled_in, forecast, prepared};
use crate::cli::home::{nearby, write};
use crate::cli::models::providers::{Providers, address};
use crate::cli::play::next::{Begin, Home, Next, Replay, Resume};
use crate::cli::play::screen::failed;
use crate::cli::play::signals::Signals;
use crate::cli::running;
use crate::cli::runtime::{block_on, refused};
use crate::cli::session_file::{self, delete};
use crate::model::{Command, Secret};
use crate::net::is_local;
use crate::session::ReadProgress;
use crate::settings::{forget_key, keep_key, remember_server, remember_usual};
use crate::ui::run::start::run as show;
use crate::ui::start::{Choice, ModelPlace, News, OfferedModel, StartScreen};
use crate::ui::terminal::{self, Terminal};
use crate::{analysis, catalogue};
use futures::stream::{self, FuturesUnordered, StreamExt};
use std::path::PathBuf;
use tokio::task::spawn_blocking;

/// Shows the start screen; returns the next step for the choice.
pub fn open(home: &Home, context: &Context) -> Result<Next, Failure> {
    let (choice, home, pasted) = match choose(home, context)? {
        Left::Chose(choice, home, pasted) => (choice, home, pasted),
        Left::Signal(exit) => return Ok(Next::Over(exit)),
    };
    let home = &*home;
    let again = |notice| Next::Home(Home { notice, writing: None, ..home.clone() });
    Ok(match choice {
        Choice::Leave => Next::Over(Exit::Done),
        Choice::Replay(path) => replay(path, None),
        Choice::Beside(path, other) => replay(path, Some(other.display().to_string())),
        Choice::Delete(path) => again(Some(match delete(&path, context) {
            Ok(moved) => moved.join("\n"),
            Err(failure) => failure.message,
        })),
        Choice::Example(name) => {
            replay(session_file::find(&SessionName::from_option(Some(&name)), context)?, None)
        }
        Choice::Key(provider) => again(pasted.map(|key| keep(&provider, &key, context))),
        Choice::Forget(provider) => again(Some(match forget_key(&context.paths, &provider) {
            Ok(()) => format!("the saved key of {provider} is deleted"),
            Err(why) => format!("the key of {provider} was not deleted: {why}"),
        })),
        Choice::Remember(url) => {
            let notice = Some(remember(&url, context)?);
            Next::Home(Home { server: None, notice, ..home.clone() })
        }
        Choice::Read(path) => Next::read(resume(path, home.server.clone())),
        Choice::Attach(path) => Next::Attach(path),
        Choice::Open(path) => reopen(path, home.server.clone()),
        Choice::Begin(plan) => {
            let chosen_on = Some(Home { notice: None, writing: None, ..home.clone() });
            Next::Begin(Box::new(Begin { chosen_on, ..bounded(&plan, context) }))
        }
        Choice::Usual(words) => again(Some({
            let path = context.settings()?.path;
            match remember_usual(&path, &words) {
                Ok(()) => format!("{} is the usual table, in {}", words.join(", "), path.display()),
                Err(why) => format!("the usual table is not saved: {why}"),
            }
        })),
        Choice::ServerKey(server) => {
            Next::Home(connected(&server, pasted.as_ref(), home, context)?)
        }
        Choice::Look => again(None),
        Choice::Server(typed) => match address(&typed) {
            Ok(server) => Next::Home(Home { server: Some(server), notice: None, ..home.clone() }),
            Err(failure) => again(Some(failure.with_hint())),
        },
        Choice::Write(name) => Next::Home(write::write(name, home, context)),
    })
}

/// Returns a replay of a session, beside another one if given.
fn replay(path: PathBuf, beside: Option<String>) -> Next {
    Next::Replay(Box::new(Replay { path, beside, ..Replay::default() }))
}

/// Resumes a session paused, so that opening it calls nobody.
pub fn reopen(path: PathBuf, typed_server: Option<String>) -> Next {
    let commands = vec![Command::Pause {}];
    Next::Resume(Box::new(Resume { commands, ..resume(path, typed_server) }))
}

/// Returns a resume of a session. Its model server is searched at the typed address first, if there is one.
pub fn resume(path: PathBuf, typed_server: Option<String>) -> Resume {
    Resume { path, finds_server: true, typed_server, ..Resume::default() }
}

/// Saves a pasted key; returns the notice about it.
fn keep(provider: &str, key: &Secret, context: &Context) -> String {
    match keep_key(&context.paths, provider, key) {
        Ok(path) => format!("the key of {provider} is saved in {}", path.display()),
        Err(why) => format!("the key of {provider} was not saved: {why}"),
    }
}

/// Adds a server to the settings; returns a sentence about it.
fn remember(url: &str, context: &Context) -> Result<String, Failure> {
    let path = context.settings()?.path;
    Ok(match remember_server(&path, url, |_| Ok(None)) {
        Ok(name) => format!("{url} is in {} as [providers.{name}]", path.display()),
        Err(why) => format!("{url} is not remembered: {why}"),
    })
}

/// Tries a key at a server; saves both if it lists its models, and seats the first one.
fn connected(
    server: &str,
    key: Option<&Secret>,
    home: &Home,
    context: &Context,
) -> Result<Home, Failure> {
    let again = |notice| Home { server: Some(server.to_owned()), notice, ..home.clone() };
    let answer = block_on(async { Ok(nearby::answer(server, key.cloned()).await) })?;
    let (url, models) = match answer {
        Ok(answer) => answer,
        Err(failure) => return Ok(again(Some(format!("not saved: {}", failure.text)))),
    };
    let path = context.settings()?.path;
    let saved = remember_server(&path, &url, |name| {
        let keep = key.map(|key| keep_key(&context.paths, name, key));
        keep.transpose().map_err(std::io::Error::other)
    });
    Ok(match saved {
        Err(why) => again(Some(format!("{url} is not saved: {why}"))),
        Ok(name) => {
            let place = if is_local(&url) { ModelPlace::Here } else { ModelPlace::Key };
            let model = |model| OfferedModel {
                place,
                ..OfferedModel::from_name(&format!("{name}:{model}"))
            };
            let table = models.first().map(|first| vec![model(first)]);
            let notice = Some(format!("✓ {server} answers with the key"));
            Home { server: None, notice, table, ..home.clone() }
        }
    })
}

/// Result of the start screen.
enum Left {
    /// By a choice, with the fields as they were filled in and the key that was pasted.
    Chose(Choice, Box<Home>, Option<Secret>),
    /// Told by the system to stop.
    Signal(Exit),
}

fn choose(home: &Home, context: &Context) -> Result<Left, Failure> {
    let providers = Providers::new(context, &ModelOptions::default())?;
    let appearance = ScreenAppearance::here(context)?;
    let start = StartScreen::new(appearance.theme, appearance.glyphs);
    let mut start = prepared(start, home, &providers, context);
    start.keymap = appearance.keymap;
    let sessions = context.paths.sessions();

    block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut terminal = Terminal::enter(appearance.modes).map_err(refused)?;
        let looking: FuturesUnordered<_> = nearby::look(&providers)
            .into_iter()
            .chain(home.server.clone().map(nearby::ask))
            .collect();
        let sessions = stream::once(async move {
            // an unreadable folder offers no sessions; `sessions list` reports the reason
            let listed = spawn_blocking(move || {
                catalogue::list(&sessions, analysis::headline, &ReadProgress::default())
            })
            .await;
            let mut listed = listed.ok().and_then(Result::ok).unwrap_or_default();
            running::describe(&mut listed, context).await;
            News::Sessions(listed)
        });
        let mut news = stream::select(looking.map(News::Host), Box::pin(sessions));
        tokio::select! { biased;
            exit = signals.next() => Ok(Left::Signal(exit)),
            left = show(&mut start, &mut terminal, terminal::events(), &mut news, |plan, start| forecast(plan, &start.offers(), context)) => match left {
                Ok(choice) => {
                    let home = Box::new(filled_in(&start, home));
                    Ok(Left::Chose(choice, home, start.pasted.take()))
                }
                Err(e) => failed(&e).map(Left::Signal),
            },
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_opens_paused() {
        let Next::Resume(opened) = reopen("talk.jsonl".into(), None) else { panic!("resumed") };
        assert_eq!(opened.commands, [Command::Pause {}]);
    }
}
