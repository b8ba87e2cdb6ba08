//! Context of all commands: folders, environment, and the verbosity of messages.

use crate::cli::agreements::store::Content;
use crate::cli::args::{Global, Play};
use crate::cli::error::{Exit, Failure, LABEL};
use crate::cli::log_file::LogFile;
use crate::cli::{command_line, output};
use crate::clock::wall_now;
use crate::scenario::Faults;
use crate::session::SessionFiles;
use crate::settings::{Environment, ModelList, Paths, Project, ScreenPace, Settings, make_private};
use crate::text;
use crate::ui::terminal::{self, TerminalReport};
use crate::untrusted::read_own_text;
use std::cell::{Cell, OnceCell, RefCell};
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};

/// Environment variable for the data folder.
const DATA_VARIABLE: &str = "COLLOQUIUM_DATA_DIR";
/// Default log file for `-v` while the screen is on, in the state folder.
const LOG: &str = "log.txt";

/// Opens a log file for appending.
fn log(path: &Path) -> Result<LogFile, Failure> {
    LogFile::open(path).map_err(|e| {
        let message = format!("cannot write the log {}: {e}", path.display());
        Failure::usage(message, "name a writable file with --log-file")
    })
}

/// Environment and global options of the program.
pub struct Context {
    /// Environment variables at the start.
    pub environment: Environment,
    /// Folders for settings, data, state and cache.
    pub paths: Paths,
    /// Options that every command takes.
    pub options: Global,
    told: OnceCell<TerminalReport>,
    /// True if the project's settings apply to this run without a stored agreement.
    trusts_project: Cell<bool>,
    /// True if the warnings about settings of the screen were printed.
    warned: Cell<bool>,
    /// The thing that was last reported as awaited; it is not reported again.
    pub awaited: RefCell<String>,
    /// True if only errors, progress and lines about pending replies are reported.
    brief: bool,
    log_file: OnceCell<LogFile>,
}

impl Context {
    /// Reads the environment and determines the folders.
    pub fn new(global: Global) -> Result<Context, Failure> {
        let environment = Environment::read();
        let paths = Paths::find(&environment, global.data_dir.as_deref())?;
        let log_file = global.log_file.as_deref().map(log).transpose()?;
        Ok(Context {
            environment,
            paths,
            options: global,
            told: OnceCell::new(),
            trusts_project: Cell::new(false),
            warned: Cell::new(false),
            awaited: RefCell::default(),
            brief: false,
            log_file: log_file.map(OnceCell::from).unwrap_or_default(),
        })
    }

    /// Returns a context for another thread, with the same folders and settings but without appearance and log file.
    pub fn again(&self) -> Context {
        let Global { data_dir, config, config_set, accessible, quiet, verbose, .. } =
            self.options.clone();
        let options = Global {
            data_dir,
            config,
            config_set,
            accessible,
            quiet,
            verbose,
            ..Global::default()
        };
        Context {
            environment: self.environment.clone(),
            paths: self.paths.clone(),
            options,
            told: OnceCell::new(),
            trusts_project: self.trusts_project.clone(),
            warned: self.warned.clone(),
            awaited: RefCell::default(),
            brief: self.brief,
            log_file: OnceCell::new(),
        }
    }

    /// Restricts messages to errors, progress and lines about pending replies, unless `--verbose` is set.
    pub fn brief(self) -> Context {
        Context { brief: !self.options.verbose, ..self }
    }

    /// Reads the settings. The command line overrides a trusted project, which overrides the user's settings.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let own =
            Settings::read(&self.environment, &self.paths.config, self.options.config.as_deref())?;
        let all = match self.project()? {
            Some((project, true)) => own.under(&project)?,
            Some((_, false)) | None => own,
        };
        let all = all.set(&self.options.config_set)?;
        all.publish_words();
        if let Ok(facts) = read_own_text(&self.paths.model_update()) {
            ModelList::use_update(facts);
        }
        Ok(all)
    }

    /// Returns the project's settings and true if they are trusted.
    pub fn project(&self) -> Result<Option<(Project, bool)>, Failure> {
        let Some(project) = Project::here()? else { return Ok(None) };
        let agreed =
            || Ok::<_, Failure>(Content::of_project(&project, &self.paths)?.is_agreed(&self.paths));
        let trusted = self.trusts_project.get() || agreed()?;
        Ok(Some((project, trusted)))
    }

    /// Returns true if models speak at reading speed: a person watches and the settings ask for it.
    pub fn is_at_reading_pace(&self, play: &Play) -> Result<bool, Failure> {
        Ok(!play.headless && self.settings()?.pace == ScreenPace::Reading)
    }

    /// Trusts the project's settings for this run.
    pub fn trust_project(&self) {
        self.trusts_project.set(true);
    }

    /// Returns the reason for showing conversations as text: a request of the user, or a terminal that supports nothing
    /// else. `None` if the screen can be used.
    pub fn text_mode(&self) -> Option<&'static str> {
        let asks =
            |name: &&str| self.environment.get(name).is_some_and(|v| v != "0" && v != "false");
        let named = ["COLLOQUIUM_ACCESSIBLE", "ACCESSIBLE"].into_iter().find(asks);
        let plain = self.environment.term() == Some("dumb") && Context::at_terminal();
        let asked = self.options.accessible.then_some("--accessible");
        asked.or(named).or(plain.then_some("TERM=dumb"))
    }

    /// Returns true if both standard input and standard output are terminals.
    pub fn at_terminal() -> bool {
        stdin().is_terminal() && stdout().is_terminal()
    }

    /// Returns whether the data folder was given as an option.
    fn owns_data(&self) -> bool {
        self.options.data_dir.is_some()
    }

    /// Returns the option or variable that determines the data folder.
    pub fn data_from(&self) -> &'static str {
        match (self.owns_data(), self.environment.get(DATA_VARIABLE)) {
            (true, _) => "--data-dir",
            (false, Some(_)) => DATA_VARIABLE,
            (false, None) => "default",
        }
    }

    /// Returns the answers of the terminal, which is queried once.
    pub fn terminal_report(&self) -> TerminalReport {
        *self.told.get_or_init(terminal::ask)
    }

    /// Prints a line on standard error, unless `--quiet` is set.
    pub fn say(&self, line: &str) {
        self.keep(line);
        if !(self.options.quiet || self.brief) {
            output::print(&text::line(line));
        }
    }

    /// Returns whether `--quiet` is set.
    pub fn is_quiet(&self) -> bool {
        self.options.quiet
    }

    /// Prints a line about a pending reply on standard error, unless `--quiet` is set.
    pub fn say_alive(&self, line: &str) {
        self.keep(line);
        if !self.options.quiet {
            output::print(&text::line(line));
        }
    }

    /// Updates the progress line on standard error, which must be a terminal. An empty line removes it.
    pub fn progress(&self, line: &str) {
        if !self.options.quiet {
            output::progress(&text::line(line));
        }
    }

    /// Prints a line on standard error if `--verbose` is set.
    pub fn note(&self, line: &str) {
        self.keep(line);
        if self.options.verbose {
            output::print(&text::line(line));
        }
    }

    /// Prints a failure that is not reported elsewhere, and returns its exit code.
    pub fn fail(&self, failure: &Failure) -> Exit {
        self.keep(&format!("{LABEL}{}", failure.message));
        output::failure(failure);
        failure.code
    }

    /// Opens the file for the output of `-v` while the screen is on, and returns its path. `None` without `-v` or if a
    /// log file is already open.
    pub fn log_of_screen(&self) -> Result<Option<PathBuf>, Failure> {
        if !self.options.verbose || self.log_file.get().is_some() {
            return Ok(None);
        }
        make_private(&self.paths.state)?;
        let path = self.paths.state.join(LOG);
        let log_file = log(&path)?;
        self.log_file.get_or_init(|| log_file);
        Ok(Some(path))
    }

    /// Returns true if there is a log file.
    pub fn keeps(&self) -> bool {
        self.log_file.get().is_some()
    }

    /// Writes a line to the log file, if there is one.
    pub fn keep(&self, line: &str) {
        if let Some(log_file) = self.log_file.get() {
            log_file.keep(wall_now(), line);
        }
    }

    /// Prints a message of several lines, unless `--quiet` is set.
    pub fn report(&self, report: &str) {
        report.lines().for_each(|line| self.keep(line));
        if !(self.options.quiet || self.brief) {
            output::print(&text::block(report));
        }
    }

    /// Prints the warnings about a file, if there are any.
    pub fn report_warnings(&self, warnings: &Faults) {
        if !warnings.list.is_empty() {
            self.report(&warnings.to_string());
        }
    }

    /// Prints warnings about settings of the screen that have no effect any more, once.
    pub fn warn_once(&self, warnings: &[String]) {
        if !warnings.is_empty() && !self.warned.replace(true) {
            self.report(&format!("{}\n", warnings.join("\n")));
        }
    }

    /// Returns a command of this program in a form that can be typed again.
    pub fn command_line(&self, words: &[String]) -> String {
        command_line::command_line(words, &self.environment)
    }

    /// Returns a command with the options needed to find the same sessions.
    pub fn command(&self, words: &[&str]) -> String {
        let words =
            self.data_options().into_iter().chain(words.iter().map(|word| (*word).to_owned()));
        self.command_line(&words.collect::<Vec<_>>())
    }

    /// Returns the option for the data folder, if it was given.
    pub fn data_options(&self) -> Vec<String> {
        let data = self.owns_data().then(|| self.paths.data.display().to_string());
        data.into_iter().flat_map(|folder| ["--data-dir".to_owned(), folder]).collect()
    }

    /// Returns the options for settings of this run, to be added to printed commands.
    pub fn settings_options(&self) -> Vec<String> {
        let file = self.options.config.iter().map(|path| path.display().to_string());
        let file = file.flat_map(|path| ["--config".to_owned(), path]);
        let keys =
            self.options.config_set.iter().flat_map(|set| ["--config-set".to_owned(), set.clone()]);
        file.chain(keys).collect()
    }

    /// Returns the name of a session for printed commands: its id if the default folder contains it, otherwise its
    /// path.
    pub fn name_of(&self, files: &SessionFiles) -> String {
        let at_home = files.log().parent() == Some(&self.paths.sessions());
        if at_home && !self.owns_data() { files.id() } else { files.log().display().to_string() }
    }
}
