//! `colloquium` alone, or with a topic: the start screen, what is chosen there, and back again.
//!
//! What cannot be begun is said on the screen, so that nobody ends in front of a shell that refused them.

use crate::catalogue;
use crate::cli::appearance::ScreenAppearance;
use crate::cli::args::play::{Play, needs_terminal};
use crate::cli::commands::replay;
use crate::cli::commands::resume;
use crate::cli::commands::run::{self, Options};
use crate::cli::commands::sessions::{Which, delete};
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::home::linear as linear_start;
use crate::cli::home::nearby;
use crate::cli::models::providers::{ModelOptions, Providers};
use crate::cli::models::resolve::is_local;
use crate::cli::play::screen::{self, After};
use crate::cli::play::signals::Signals;
use crate::cli::source;
use crate::clock::wall_now;
use crate::config::keep_key;
use crate::model::{Secret, VoiceSpec};
use crate::scenario::{self, Loaded, bundled_names};
use crate::ui::start::run::run as show;
use crate::ui::start::{Choice, Mind, News, Row, Script, Start, Voice};
use crate::ui::terminal::{self, Terminal};
use crate::{policy, text};
use futures::stream::{self, FuturesUnordered, StreamExt};
use std::fs;
use std::io;
use tokio::runtime;
use tokio::task::spawn_blocking;

/// Opens the start screen, with a topic where one was named.
pub fn open(context: &Context, topic: Option<&str>) -> Result<Exit, Failure> {
    if let Some(because) = context.text_mode().filter(|_| Context::at_terminal()) {
        return linear_start::open(because, topic, context);
    }
    let instead = match topic {
        Some(_) => "colloquium run SCENARIO --topic TEXT --headless",
        None => "colloquium demo --headless",
    };
    needs_terminal(instead, context)?;
    go_round(context, topic.map(str::to_owned), None)
}

/// Returns the code of a conversation that was left, or goes on at the start screen.
pub fn after(after: After, context: &Context) -> Result<Exit, Failure> {
    match after {
        After::Over(exit) => Ok(exit),
        After::Home => go_round(context, None, None),
    }
}

/// Shows the start screen, does what is chosen there, and comes back until it is left.
fn go_round(
    context: &Context,
    mut topic: Option<String>,
    mut told: Option<String>,
) -> Result<Exit, Failure> {
    loop {
        let (choice, pasted) = match choose(context, topic.as_deref(), told.take())? {
            Left::Chose(choice, pasted) => (choice, pasted),
            Left::Signal(exit) => return Ok(exit),
        };
        let done = match choice {
            Choice::Leave => return Ok(Exit::Done),
            Choice::Replay(path) => replay::again(&path, None, context),
            Choice::Beside(path, other) => replay::again(&path, Some(&other), context),
            Choice::Delete(path) => {
                told = Some(match delete(&path, context) {
                    Ok(moved) => moved.join("\n"),
                    Err(failure) => failure.message,
                });
                continue;
            }
            Choice::Example(name) => Which::named(Some(&name))
                .find(context)
                .and_then(|path| replay::again(&path, None, context)),
            Choice::Key(provider) => {
                told = pasted.map(|key| kept(&provider, &key, context));
                continue;
            }
            Choice::Open(path) => resume::resume(&path, &Play::default(), context),
            Choice::Begin { scenario, topic: about, voice } => {
                topic.clone_from(&about);
                run::play(&scenario, &options(about, voice), context)
            }
        };
        match done {
            Ok(After::Over(exit)) => return Ok(exit),
            Ok(After::Home) => topic = None,
            Err(failure) => {
                let hint = failure.hint.as_ref().map_or(String::new(), |hint| format!("\n{hint}"));
                told = Some(format!("{}{hint}", failure.message));
            }
        }
    }
}

/// Returns the options that a choice stands for.
pub fn options(topic: Option<String>, voice: Voice) -> Options {
    let mut options = Options { topic, rehearsed: voice == Voice::Rehearsed, ..Options::default() };
    options.play.models = match voice {
        Voice::Mind(mind) => {
            ModelOptions { model: Some(mind.name), endpoint: mind.endpoint, wire: None }
        }
        Voice::Rehearsed | Voice::Own => ModelOptions::default(),
    };
    options
}

/// Keeps a key that was pasted; returns what there is to say of it.
fn kept(provider: &str, key: &Secret, context: &Context) -> String {
    match keep_key(&context.paths, provider, key) {
        Ok(path) => format!("the key of {provider} is kept in {}", path.display()),
        Err(why) => format!("the key of {provider} is not kept: {why}"),
    }
}

/// Returns what a choice would use, in words; or why that is not known.
pub fn estimate(choice: &Choice, context: &Context) -> String {
    let Choice::Begin { scenario, topic, voice } = choice else { return String::new() };
    let options = options(topic.clone(), voice.clone());
    run::estimate(scenario, &options, context).unwrap_or_else(|failure| failure.message)
}

/// How the start screen was left.
enum Left {
    /// What, and the key that was pasted.
    Chose(Choice, Option<Secret>),
    /// Told by the system to stop.
    Signal(Exit),
}

fn choose(context: &Context, topic: Option<&str>, told: Option<String>) -> Result<Left, Failure> {
    let refused = |e: io::Error| Failure::new(Exit::Failed, format!("the system refused: {e}"));
    let providers = Providers::new(context, &ModelOptions::default())?;
    let appearance = ScreenAppearance::here(context)?;
    let mut start = prepared(Start::new(appearance.theme, appearance.glyphs), &providers, context);
    start.keymap = appearance.keymap;
    start.first &= topic.is_none() && told.is_none();
    start.at = if start.first { Row::Demo } else { Row::Topic };
    let sessions = context.paths.sessions();
    start.notice = told;
    topic.into_iter().for_each(|topic| start.about(topic));

    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let left = runtime.block_on(async {
        let mut signals = Signals::at_terminal().map_err(refused)?;
        let mut terminal = Terminal::enter(appearance.manner).map_err(refused)?;
        let looking: FuturesUnordered<_> =
            nearby::look(&providers, &context.environment).into_iter().collect();
        let sessions = stream::once(async move {
            // a folder that cannot be read has no sessions to offer; `sessions list` says why
            let listed = spawn_blocking(move || catalogue::list(&sessions)).await;
            News::Sessions(listed.ok().and_then(Result::ok).unwrap_or_default())
        });
        let mut news = stream::select(looking.map(News::Host), Box::pin(sessions));
        tokio::select! { biased;
            exit = signals.next() => Ok(Left::Signal(exit)),
            left = show(&mut start, &mut terminal, terminal::events(), &mut news, |choice| estimate(choice, context)) => match left {
                Ok(choice) => Ok(Left::Chose(choice, start.pasted.take())),
                Err(e) => screen::failed(&e).map(Left::Signal),
            },
        }
    });
    // what still looks for sessions is not waited for
    runtime.shutdown_background();
    left
}

/// Fills in what is known before anybody is asked.
pub fn prepared(mut start: Start, providers: &Providers, context: &Context) -> Start {
    let sessions = context.paths.sessions();
    let unused = fs::read_dir(&sessions).map_or(true, |mut entries| entries.next().is_none());
    start.first = unused && !providers.settings.found;
    start.now = wall_now();
    start.scripts = scripts(context);
    start.known = known(providers);
    start.checks = vec![
        ("sessions".into(), format!("kept in {}", sessions.display())),
        ("settings".into(), format!("{}, not needed", providers.settings.path.display())),
    ];
    start.examples = examples();
    let all = providers.all().iter();
    start.keyless =
        all.filter_map(|known| Some((known.name.clone(), providers.unset(known)?))).collect();
    start.kept = context.paths.keys().display().to_string();
    start.set_up = format!(
        "A provider is used as soon as its key is in its variable (OPENAI_API_KEY, ANTHROPIC_API_KEY, ...) or named in \
         {} as [providers.NAME]; `colloquium doctor` explains each",
        providers.settings.path.display()
    );
    start
}

/// Returns the sessions that come with the program: their names and titles.
fn examples() -> Vec<(String, String)> {
    let first = |log: &str| {
        let line = log.lines().next()?;
        let opened: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(opened["data"]["scenario"]["title"].as_str()?.to_owned())
    };
    let named = |(name, log): &(&str, &str)| ((*name).to_owned(), first(log).unwrap_or_default());
    catalogue::EXAMPLES.iter().map(named).collect()
}

/// Returns every scenario that has a name, those that come with the program first.
fn scripts(context: &Context) -> Vec<Script> {
    let own = source::own_names(context);
    bundled_names().map(str::to_owned).chain(own).map(|name| script(name, context)).collect()
}

fn script(name: String, context: &Context) -> Script {
    let loaded = source::find(context, &name)
        .and_then(|found| Ok(scenario::load(&found.source, &policy::rows())?));
    match loaded {
        Err(failure) => {
            let first = failure.message.lines().next().unwrap_or_default();
            let fault = format!("{}; see colloquium check", text::line(first));
            Script { title: name.clone(), fault: Some(fault), name, ..Script::default() }
        }
        Ok(loaded) => {
            let rules = rules(&loaded);
            let is_open = |v: &VoiceSpec| matches!(v, VoiceSpec::Model(m) if m.name.is_empty());
            Script {
                name,
                title: loaded.scenario.title.to_string(),
                topic: loaded.scenario.topic.as_ref().map(ToString::to_string),
                cast: loaded.participants.iter().map(|p| p.name.to_string()).collect(),
                rules,
                rehearsed: !loaded.rehearsed.is_empty(),
                open: loaded.participants.iter().any(|p| is_open(&p.voice)),
                fault: None,
            }
        }
    }
}

/// Who speaks next and how long, in words.
fn rules(loaded: &Loaded) -> String {
    let policy = loaded.scenario.policy.name.replace('_', " ");
    let limits = &loaded.scenario.limits;
    let bound = match (limits.utterances, limits.rounds) {
        (Some(n), _) => format!(", {n} utterances"),
        (None, Some(n)) => format!(", {n} rounds"),
        (None, None) => String::new(),
    };
    format!("{policy}{bound}")
}

/// Returns the models that the settings name, the default one first.
fn known(providers: &Providers) -> Vec<Mind> {
    let settings = &providers.settings;
    let local = |name: &str| {
        let provider = name.split_once(':').and_then(|(name, _)| providers.find(name).ok());
        provider.is_some_and(|known| is_local(&known.base_url))
    };
    let named = settings.models.keys().filter(|name| settings.default_model.as_ref() != Some(name));
    let names = settings.default_model.iter().chain(named);
    names.map(|name| Mind { name: name.clone(), endpoint: None, local: local(name) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_session_that_comes_with_the_program_has_its_title() {
        let titles: Vec<String> = examples().into_iter().map(|(_, title)| title).collect();
        assert_eq!(titles, ["Should cities ban private cars?", "Dogs or cats?"]);
    }
}
