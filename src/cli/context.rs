//! What every command needs: the folders, the environment, and whether to talk.

use crate::cli::args::play::Play;
use crate::cli::error::Failure;
use crate::cli::output;
use crate::cli::play::journal::Journal;
use crate::cli::trust::store::{self, Untrusted};
use crate::clock::wall_now;
use crate::config::{Environment, Motion, Mouse, Paths, Project, Settings, Signs, make_private};
use crate::session::SessionFiles;
use crate::text;
use crate::ui::terminal::{self, Told};
use clap::{Args, ValueEnum};
use std::cell::{Cell, OnceCell};
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

/// What a project's settings are called where they are agreed to.
const PROJECT: &str = "project";
/// The variable that names the data folder.
const DATA_VARIABLE: &str = "COLLOQUIUM_DATA_DIR";
/// The log in the state folder, where somebody wants to know more than the screen shows and names no file.
const LOG: &str = "log.txt";

/// The options that every command takes.
#[derive(Debug, Args)]
pub struct Global {
    /// The folder that keeps the sessions [default: ~/.local/share/colloquium, or COLLOQUIUM_DATA_DIR]
    #[arg(long, global = true, value_name = "FOLDER")]
    data_dir: Option<PathBuf>,
    /// The file of settings [default: config.toml in the folder of settings, or COLLOQUIUM_CONFIG]
    #[arg(short, long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Set a key of the settings, as in --config-set default_model=ollama:llama3
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    config_set: Vec<String>,
    /// The theme of the screen, by name or as a file [see: colloquium themes]
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    theme: Option<String>,
    /// Whether to show colours
    #[arg(long, global = true, value_enum)]
    color: Option<Colour>,
    /// The signs of the screen
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_GLYPHS")]
    glyphs: Option<Signs>,
    /// Play as text that only ever grows, instead of on the screen [env: COLLOQUIUM_ACCESSIBLE, ACCESSIBLE]
    #[arg(long, global = true)]
    accessible: bool,
    /// Whether anything moves on the screen by itself, such as seconds
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_MOTION")]
    motion: Option<Motion>,
    /// Whose the mouse is: the screen's, or the terminal's for selecting text
    #[arg(long, global = true, value_enum)]
    mouse: Option<Mouse>,
    /// Say nothing on standard error but errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Also say each call, whom it asked, how long it took and what it used; where there is a screen, in a log file
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Keep all that is said in a file as well, with the time of each line
    #[arg(long, global = true, value_name = "FILE", env = "COLLOQUIUM_LOG")]
    log_file: Option<PathBuf>,
}

/// Whether to show colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// Unless NO_COLOR asks for none.
    Auto,
    /// Whatever NO_COLOR says.
    Always,
    /// None.
    Never,
}

/// Opens a log file.
fn log(path: &Path) -> Result<Journal, Failure> {
    Journal::open(path).map_err(|e| {
        let message = format!("cannot write the log {}: {e}", path.display());
        Failure::usage(message, "name a file that can be written with --log-file")
    })
}

/// Returns the digest under which a project's settings are agreed to.
fn digest(project: &Project) -> Result<String, Failure> {
    store::digest(&[PROJECT, &project.text], &project.commands(), Path::new("."))
}

/// Returns a word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Where the program is and how it talks.
pub struct Context {
    /// The environment as it was at the start.
    pub environment: Environment,
    /// The folders.
    pub paths: Paths,
    /// The theme that was asked for.
    pub theme: Option<String>,
    /// Whether colours were asked for.
    pub colour: Option<Colour>,
    /// The signs that were asked for.
    pub signs: Option<Signs>,
    /// Whether anything is to move by itself.
    pub motion: Option<Motion>,
    /// Whose the mouse is to be.
    pub mouse: Option<Mouse>,
    told: OnceCell<Told>,
    own_data: bool,
    config: Option<PathBuf>,
    config_set: Vec<String>,
    /// Whether the project's settings count for this run although nobody has agreed to them for good.
    trusts_project: Cell<bool>,
    accessible: bool,
    quiet: bool,
    verbose: bool,
    journal: OnceCell<Journal>,
}

impl Context {
    /// Reads the environment and finds the folders.
    pub fn new(global: Global) -> Result<Context, Failure> {
        let environment = Environment::read();
        let paths = Paths::find(&environment, global.data_dir.as_deref())?;
        let journal = global.log_file.as_deref().map(log).transpose()?;
        Ok(Context {
            environment,
            paths,
            theme: global.theme,
            colour: global.color,
            signs: global.glyphs,
            motion: global.motion,
            mouse: global.mouse,
            told: OnceCell::new(),
            own_data: global.data_dir.is_some(),
            config: global.config,
            config_set: global.config_set,
            trusts_project: Cell::new(false),
            accessible: global.accessible,
            quiet: global.quiet,
            verbose: global.verbose,
            journal: journal.map(OnceCell::from).unwrap_or_default(),
        })
    }

    /// Reads the settings: the user's own, under those of a project that is trusted, under those of the command line.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let own = Settings::read(&self.environment, &self.paths.config, self.config.as_deref())?;
        let all = match self.project()? {
            Some((project, true)) => own.under(&project)?,
            Some((_, false)) | None => own,
        };
        Ok(all.set(&self.config_set)?)
    }

    /// Returns the project's settings, and whether they are trusted.
    pub fn project(&self) -> Result<Option<(Project, bool)>, Failure> {
        let Some(project) = Project::here()? else { return Ok(None) };
        let agreed = || Ok::<_, Failure>(store::is_agreed(&self.paths, &digest(&project)?));
        let trusted = self.trusts_project.get() || agreed()?;
        Ok(Some((project, trusted)))
    }

    /// Takes the project's settings in, or refuses to go on without an agreement.
    pub fn admit_project(&self, play: &Play) -> Result<(), Failure> {
        let Some((project, false)) = self.project()? else { return Ok(()) };
        let sets = project.sets()?.into_iter();
        let untrusted = Untrusted {
            name: format!("{} of this folder", project.path.display()),
            digest: digest(&project)?,
            would: sets.map(|o| format!("set {} = {}", o.key, o.value)).collect(),
        };
        untrusted.admit(play, self)?;
        self.trusts_project.set(true);
        Ok(())
    }

    /// Returns why a talk is to be told as text instead of shown on the screen, if it is: somebody wants it so, or their
    /// terminal can show nothing else.
    pub fn text_mode(&self) -> Option<&'static str> {
        let asks =
            |name: &&str| self.environment.get(name).is_some_and(|v| v != "0" && v != "false");
        let named = ["COLLOQUIUM_ACCESSIBLE", "ACCESSIBLE"].into_iter().find(asks);
        let plain = self.environment.term() == Some("dumb") && Context::at_terminal();
        let asked = self.accessible.then_some("--accessible");
        asked.or(named).or(plain.then_some("TERM=dumb"))
    }

    /// Returns whether a person can type and read here.
    pub fn at_terminal() -> bool {
        stdin().is_terminal() && stdout().is_terminal()
    }

    /// Returns who named the data folder.
    pub fn data_from(&self) -> &'static str {
        match (self.own_data, self.environment.get(DATA_VARIABLE)) {
            (true, _) => "--data-dir",
            (false, Some(_)) => DATA_VARIABLE,
            (false, None) => "default",
        }
    }

    /// Returns what the terminal tells of itself; it is asked once.
    pub fn told(&self) -> Told {
        *self.told.get_or_init(terminal::ask)
    }

    /// Says something to the person, in one line, unless they asked for quiet.
    pub fn say(&self, line: &str) {
        self.keep(line);
        if !self.quiet {
            output::print(&text::line(line));
        }
    }

    /// Says something that only a person who asks for it wants to know.
    pub fn note(&self, line: &str) {
        self.keep(line);
        if self.verbose {
            output::print(&text::line(line));
        }
    }

    /// Returns the file that keeps what `-v` says while a screen leaves no place for it, if that is wanted and
    /// `--log-file` names no other.
    pub fn log_of_screen(&self) -> Result<Option<PathBuf>, Failure> {
        if !self.verbose || self.journal.get().is_some() {
            return Ok(None);
        }
        make_private(&self.paths.state)?;
        let path = self.paths.state.join(LOG);
        let journal = log(&path)?;
        self.journal.get_or_init(|| journal);
        Ok(Some(path))
    }

    /// Returns whether anything is kept in a log file.
    pub fn keeps(&self) -> bool {
        self.journal.get().is_some()
    }

    /// Keeps a line in the log file, if there is one.
    pub fn keep(&self, line: &str) {
        if let Some(journal) = self.journal.get() {
            journal.keep(wall_now(), line);
        }
    }

    /// Says something of several lines.
    pub fn report(&self, report: &str) {
        report.lines().for_each(|line| self.keep(line));
        if !self.quiet {
            output::print(&text::block(report));
        }
    }

    /// Returns a command as a person can type it to reach the same sessions.
    pub fn command(&self, words: &[&str]) -> String {
        let data = self.own_data.then(|| self.paths.data.display().to_string());
        let data = data.iter().flat_map(|folder| ["--data-dir", folder]);
        let words = ["colloquium"].into_iter().chain(data).chain(words.iter().copied());
        words.map(quoted).collect::<Vec<_>>().join(" ")
    }

    /// Returns the name by which a person can ask for a session again with what they have typed so far.
    pub fn name_of(&self, files: &SessionFiles) -> String {
        let at_home = files.log().parent() == Some(&self.paths.sessions());
        if at_home && !self.own_data { files.id() } else { files.log().display().to_string() }
    }
}
