//! The next step of the program, as data: the code that chooses a step returns it to the loop in `go` and calls
//! nothing. A conversation that is ready to be played is data as well.

use crate::cli::args::{Keep, ModelOptions, Play, PrintFormat, RunOptions};
use crate::cli::error::Exit;
use crate::cli::models::inquiry::Inquiry;
use crate::cli::play::assemble::Assembled;
use crate::cli::trust::allowed::Allowed;
use crate::model::{Command, Ms, Seq};
use crate::session::replay::Speed;
use crate::ui::view::branches::BranchPoint;
use std::path::{Path, PathBuf};

/// The next step of the program.
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
    /// Attach to the running conversation of a session.
    Attach(PathBuf),
    /// Show the start screen.
    Home(Home),
    /// Return to the start screen if the user came from it; otherwise end the program with this code.
    Left(Exit),
    /// End the program with this code.
    Over(Exit),
}

/// A scenario to play.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Name or path of the scenario, or `-`.
    pub scenario: String,
    /// Options of `run`.
    pub options: RunOptions,
}

/// A session to resume.
#[derive(Clone, Debug, Default)]
pub struct Resume {
    /// File of the session.
    pub path: PathBuf,
    /// Play options.
    pub play: Play,
    /// Operator commands to execute first.
    pub commands: Vec<Command>,
    /// True if local servers are searched when the session needs an address and none was given.
    pub finds_server: bool,
    /// Address of a server typed at the start screen; tried before the local servers.
    pub typed_server: Option<String>,
    /// First notice on the screen.
    pub notice: Option<String>,
}

/// A branch to start.
#[derive(Clone, Debug)]
pub struct Fork {
    /// File of the parent session.
    pub path: PathBuf,
    /// Position of the branch in the parent.
    pub at: ForkPoint,
    /// New seed from the branch on.
    pub seed: Option<u64>,
    /// Operator commands to execute first.
    pub commands: Vec<Command>,
    /// Options for saving the branch.
    pub keep: Keep,
    /// Play options.
    pub play: Play,
    /// Commands that the branch may run; `None` asks the user.
    pub allowed: Option<Allowed>,
    /// True if the parent conversation was still running.
    pub from_live: bool,
}

/// A position in a session.
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
    /// File of the session.
    pub path: PathBuf,
    /// Name or path of the session shown beside it.
    pub beside: Option<String>,
    /// True if it is printed instead of shown.
    pub headless: bool,
    /// Output format for printing.
    pub format: PrintFormat,
    /// Playback speed. `None` plays as recorded on the screen, and at once when printed.
    pub speed: Option<Speed>,
    /// Start of the playback; `None` starts at the beginning.
    pub from: Option<StartAt>,
    /// Maximum length of a wait, in milliseconds; `None` is a default of a few seconds.
    pub idle_limit_ms: Option<u64>,
    /// Lets the person continue the conversation.
    pub reopens: bool,
    /// The address of a server that was typed at the start screen, for a conversation that goes on.
    pub typed_server: Option<String>,
    /// First notice on the screen.
    pub notice: Option<String>,
}

/// Start of the playback of a recording.
#[derive(Clone, Copy, Debug)]
pub enum StartAt {
    /// At an utterance.
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
    /// Text in the topic field.
    pub topic: Option<String>,
    /// First notice on the screen.
    pub notice: Option<String>,
    /// Name of the selected scenario.
    pub scenario: Option<String>,
    /// Name of the user's own scenario that still contains errors.
    pub writing: Option<String>,
    /// Address of a server that was typed there.
    pub server: Option<String>,
}

impl Next {
    /// Returns the options of a conversation that is played next.
    pub fn play(&self) -> Option<&Play> {
        match self {
            Next::Begin(begin) => Some(&begin.options.play),
            Next::Resume(resume) => Some(&resume.play),
            Next::Fork(fork) => Some(&fork.play),
            Next::Replay(_) | Next::Attach(_) | Next::Home(_) | Next::Left(_) | Next::Over(_) => {
                None
            }
        }
    }

    /// Returns the branch that was chosen on a screen. It starts paused, so that the user can change something first.
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

    /// Returns a resume of the same session, to continue after its end.
    pub fn again(path: &Path, commands: Vec<Command>, play: &Play) -> Next {
        let path = path.to_owned();
        let play = later(play);
        Next::Resume(Box::new(Resume { path, play, commands, ..Resume::default() }))
    }
}

/// Returns the options that still apply to a follow-up of the conversation. Its limits, steering lines and models are
/// stored in its session.
fn later(play: &Play) -> Play {
    let models = ModelOptions { model: None, ..play.models.clone() };
    let tools = play.tools.clone();
    let state = play.state.clone();
    Play { trust: play.trust, state, tools, models, ..Play::default() }
}

/// A conversation that is ready to be played.
pub struct Setup {
    /// The engine and everything that belongs to it.
    pub conversation: Assembled,
    /// Options of the run.
    pub play: Play,
    /// Commands that the conversation may run.
    pub allowed: Allowed,
    /// Request for the providers' models, sent after the first frame and before the first turn; `None` if they were
    /// asked already.
    pub inquiry: Option<Inquiry>,
    /// First notice on the screen, if any.
    pub notice: Option<String>,
}
