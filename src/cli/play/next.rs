//! What the program does next, as data: whoever decides it returns it to the loop in `go` and calls nobody.

use crate::cli::args::format::PrintFormat;
use crate::cli::args::keep::Keep;
use crate::cli::args::models::ModelOptions;
use crate::cli::args::play::Play;
use crate::cli::args::run::RunOptions;
use crate::cli::exit::Exit;
use crate::cli::trust::allowed::Allowed;
use crate::model::{Command, Ms, Seq};
use crate::session::replay::Speed;
use crate::ui::view::branches::BranchPoint;
use std::path::{Path, PathBuf};

/// What the program does next.
#[derive(Clone, Debug)]
pub enum Next {
    /// Play a scenario.
    Begin(Box<Begin>),
    /// Resume a session.
    Resume(Box<Resume>),
    /// Branch off a session.
    Fork(Box<Fork>),
    /// Play a recorded session.
    Replay(Box<Replay>),
    /// Show the start screen.
    Home(Home),
    /// Go back to the start screen, where the person came from it; end the program with a code, where they did not.
    Left(Exit),
    /// End the program, with a code.
    Over(Exit),
}

/// A scenario to play.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Its name or path, or `-`.
    pub scenario: String,
    /// The options of `run`.
    pub options: RunOptions,
}

/// A session to resume.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// The file of the session.
    pub path: PathBuf,
    /// The options of a conversation that is played.
    pub play: Play,
    /// Commands of the operator that are executed first.
    pub commands: Vec<Command>,
    /// Whether the local servers are asked where the session needs the address of one and none was named.
    pub finds_server: bool,
    /// The address of a server that was typed at the start screen; it is asked before them.
    pub typed_server: Option<String>,
    /// What the screen says first.
    pub notice: Option<String>,
}

/// A branch to begin.
#[derive(Clone, Debug)]
pub struct Fork {
    /// The file of the session that it leaves.
    pub path: PathBuf,
    /// Where it leaves it.
    pub at: ForkPoint,
    /// Another seed from there on.
    pub seed: Option<u64>,
    /// Commands of the operator that are executed first.
    pub commands: Vec<Command>,
    /// Where the branch is kept.
    pub keep: Keep,
    /// How it is played.
    pub play: Play,
    /// What it may run; asked for where it is `None`.
    pub allowed: Option<Allowed>,
    /// Whether the conversation that it leaves was still going on.
    pub from_live: bool,
}

/// A place in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForkPoint {
    /// After an utterance; 0 is before the first.
    Utterance(u32),
    /// After an event.
    Event(Seq),
}

/// A recorded session to play.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// The file of the session.
    pub path: PathBuf,
    /// The session that is shown beside it, by its name or path.
    pub beside: Option<String>,
    /// Whether it is printed instead of shown.
    pub headless: bool,
    /// How it is printed.
    pub format: PrintFormat,
    /// How fast; as recorded on the screen, and at once where it is printed, if it is `None`.
    pub speed: Option<Speed>,
    /// Where it begins, if not at its beginning.
    pub from: Option<StartAt>,
    /// What longer waits are shortened to, in milliseconds; a few seconds, if it is `None`.
    pub idle_limit_ms: Option<u64>,
    /// Lets the person continue the conversation.
    pub reopens: bool,
    /// The address of a server that was typed at the start screen, for a conversation that goes on.
    pub typed_server: Option<String>,
    /// What the screen says first.
    pub notice: Option<String>,
}

/// Where a recording begins to play.
#[derive(Clone, Copy, Debug)]
pub enum StartAt {
    /// With an utterance.
    Utterance(u32),
    /// At a time of the session.
    Time(Ms),
    /// After an event.
    Event(Seq),
    /// At its end.
    End,
}

/// The start screen.
#[derive(Clone, Debug, Default)]
pub struct Home {
    /// The topic that is written there already.
    pub topic: Option<String>,
    /// What it says first.
    pub notice: Option<String>,
    /// The scenario that is chosen there: its name.
    pub scenario: Option<String>,
    /// The scenario of your own that has faults still: its name.
    pub writing: Option<String>,
    /// The address of a server that was typed there.
    pub server: Option<String>,
}

impl Next {
    /// Returns the branch that was chosen on a screen. It pauses at once, so that the person can change something first.
    pub fn fork(
        path: &Path,
        leaf: BranchPoint,
        allowed: Option<Allowed>,
        play: &Play,
        from_live: bool,
    ) -> Next {
        Next::Fork(Box::new(Fork {
            path: path.to_owned(),
            at: ForkPoint::Event(leaf.at),
            seed: leaf.seed,
            commands: vec![Command::Pause {}],
            keep: Keep::default(),
            play: later(play),
            allowed,
            from_live,
        }))
    }

    /// Returns the session itself, which goes on after its end.
    pub fn again(path: &Path, commands: Vec<Command>, play: &Play) -> Next {
        let (path, play) = (path.to_owned(), later(play));
        Next::Resume(Box::new(Resume { path, play, commands, ..Resume::default() }))
    }
}

/// Returns what of the options holds after the conversation that they were given for: its limits, its steering lines and
/// its choice of models are in its session.
fn later(play: &Play) -> Play {
    let models = ModelOptions { model: None, ..play.models.clone() };
    let tools = play.tools.clone();
    let state = play.state.clone();
    Play { trust: play.trust, state, tools, models, ..Play::default() }
}
