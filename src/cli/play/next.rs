//! The next step of the program, as data: the code that chooses a step returns it to the loop in `go` and calls
//! nothing. A conversation that is ready to be played is data as well.

use crate::cli::args::{Keep, ModelOptions, Play, PrintFormat, RunOptions};
use crate::cli::error::Exit;
use crate::cli::models::inquiry::Inquiry;
use crate::cli::play::assemble::ToldPast;
use crate::cli::trust::allowed::Allowed;
use crate::host::Assembled;
use crate::ledger::RunBudget;
use crate::model::steering::duration_ms;
use crate::model::{Command, Ms, Seq};
use crate::session::replay::Speed;
use crate::ui::start::OfferedModel;
use crate::ui::view::branches::BranchPoint;
use clap::Args;
use std::path::{Path, PathBuf};
use std::str::FromStr;

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
    /// The start screen as it was filled in, to which a failure returns; `None` from the command line.
    pub chosen_on: Option<Home>,
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

/// A recorded session to play. Its options are those of `replay`.
#[derive(Clone, Debug, Default, Args)]
pub struct Replay {
    /// File of the session.
    #[arg(skip)]
    pub path: PathBuf,
    /// Print it instead of opening the screen
    #[arg(long)]
    pub headless: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    pub format: PrintFormat,
    /// Speed: 0.5, 1, 2, 4, 8 or max [default: 1; max with --headless]
    #[arg(long, value_name = "SPEED")]
    pub speed: Option<Speed>,
    /// Start at a turn number, or at a time such as 03:20
    #[arg(long = "at", value_name = "N|TIME")]
    pub from: Option<StartAt>,
    /// Compare with another session, from where they diverge
    #[arg(long, value_name = "SESSION", conflicts_with = "headless")]
    pub beside: Option<String>,
    /// Shorten idle times to this, such as 3s; 0s skips them [default: 3s]
    #[arg(long = "idle-limit", value_name = "TIME", value_parser = idle)]
    pub idle_limit_ms: Option<u64>,
    /// The resume by which the person can continue a finished conversation; `None` for a recording.
    #[arg(skip)]
    pub reopens: Option<Box<Resume>>,
    /// First notice on the screen.
    #[arg(skip)]
    pub notice: Option<String>,
}

/// Parses the idle limit, in milliseconds.
fn idle(word: &str) -> Result<u64, String> {
    duration_ms(word).ok_or_else(|| "a time such as 3s or 500ms".into())
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

impl FromStr for StartAt {
    type Err = String;

    fn from_str(word: &str) -> Result<StartAt, String> {
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
    /// Models that were ticked.
    pub table: Option<Vec<OfferedModel>>,
    /// Length, seed and budget, as typed.
    pub numbers: Box<[String; 3]>,
    /// True if the person has a seat.
    pub take_part: bool,
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

    /// Returns a finished conversation at its end, for reading. Nothing is written until the person continues it.
    pub fn read(resume: Resume) -> Next {
        let Resume { path, notice, .. } = resume.clone();
        let reopens = Some(Box::new(Resume { notice: None, ..resume }));
        let from = Some(StartAt::End);
        Next::Replay(Box::new(Replay { path, from, notice, reopens, ..Replay::default() }))
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
    /// The conversation, which does not run yet.
    pub conversation: Assembled,
    /// The past, if the session was read for a screen.
    pub told: Option<ToldPast>,
    /// Options of the run.
    pub play: Play,
    /// Commands that the conversation may run.
    pub allowed: Allowed,
    /// Request for the providers' models, sent after the first frame and before the first turn; `None` if they were
    /// asked already.
    pub inquiry: Option<Inquiry>,
    /// First notice on the screen, if any.
    pub notice: Option<String>,
    /// Part of an account, if several conversations share one.
    #[cfg_attr(
        not(any(feature = "mcp", feature = "acp")),
        expect(dead_code, reason = "only clients share one")
    )]
    pub budget: Option<RunBudget>,
}
