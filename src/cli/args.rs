//! Options of the sub-commands: plain data parsed by clap.

use crate::export;
use crate::model::steering::duration_ms;
use crate::model::{Limits, Usd, Wall, Wire};
use crate::session::SessionPlace;
use crate::settings::{Motion, Mouse, Signs};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

/// The options that every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Data folder for sessions [default: ~/.local/share/colloquium, or COLLOQUIUM_DATA_DIR]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Settings file [default: ~/.config/colloquium/config.toml, or COLLOQUIUM_CONFIG]
    #[arg(short, long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Override a setting, as in --config-set default_model=ollama:llama3
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub config_set: Vec<String>,
    /// Theme: a name or a file [see: colloquium themes]
    #[arg(long, global = true, value_name = "NAME", env = "COLLOQUIUM_THEME")]
    pub theme: Option<String>,
    /// Colour output
    #[arg(long, global = true, value_enum)]
    pub color: Option<Colour>,
    /// Character set
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_GLYPHS")]
    pub glyphs: Option<Signs>,
    /// Plain append-only text instead of the full screen [env: COLLOQUIUM_ACCESSIBLE, ACCESSIBLE]
    #[arg(long, global = true)]
    pub accessible: bool,
    /// Animation: full (timers tick) or none
    #[arg(long, global = true, value_enum, env = "COLLOQUIUM_MOTION")]
    pub motion: Option<Motion>,
    /// Capture the mouse (off leaves selection to the terminal)
    #[arg(long, global = true, value_enum)]
    pub mouse: Option<Mouse>,
    /// Print only errors on stderr
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Log every model call (on stderr, or to a log file while the screen runs)
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Also write messages to a log file, with timestamps
    #[arg(long, global = true, value_name = "FILE", env = "COLLOQUIUM_LOG")]
    pub log_file: Option<PathBuf>,
}

/// Colour output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// Unless NO_COLOR is set.
    Auto,
    /// Even if NO_COLOR is set.
    Always,
    /// No colour.
    Never,
}

/// Options that select a session.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct SessionName {
    /// Session id, id prefix or path
    #[arg(value_name = "SESSION")]
    pub session: Option<String>,
    /// Most recent session
    #[arg(long)]
    pub last: bool,
}

impl SessionName {
    /// Selects a session by name; without a name, the most recent one.
    pub fn from_option(name: Option<&String>) -> SessionName {
        SessionName { session: name.cloned(), last: name.is_none() }
    }
}

/// Options that select a session; the most recent one without them.
#[derive(Clone, Debug, Args)]
#[group(multiple = false)]
pub struct OptionalSession {
    /// Session id, id prefix or path; without it the most recent session, for attach and serve the only running one
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Most recent session
    #[arg(long)]
    last: bool,
}

impl OptionalSession {
    /// Returns whether nothing was selected.
    pub fn is_unnamed(&self) -> bool {
        self.session.is_none() && !self.last
    }

    /// Returns the selected session.
    pub fn name(&self) -> SessionName {
        SessionName::from_option(self.session.as_ref())
    }

    /// Returns the word that selects it in a command.
    pub fn word(&self) -> &str {
        self.session.as_deref().unwrap_or("--last")
    }
}

/// Options for the output file.
#[derive(Clone, Debug, Args)]
pub struct Target {
    /// Write to a file that does not exist yet, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}

impl Target {
    /// Returns the output file; `None` for standard output, also if named `-`.
    pub fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Format of standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum PrintFormat {
    /// Plain text, one block per finished turn.
    #[default]
    Text,
    /// The session's lines, exactly as its file holds them.
    Jsonl,
    /// Markdown.
    Md,
}

impl PrintFormat {
    /// Returns the formatter; `None` for JSON lines, which are copied unchanged.
    pub fn spelling(self) -> Option<export::Spelling> {
        match self {
            PrintFormat::Text => Some(export::text::spell),
            PrintFormat::Md => Some(export::md::spell),
            PrintFormat::Jsonl => None,
        }
    }
}

/// Options for saving the session.
#[derive(Clone, Debug, Default, Args)]
pub struct Keep {
    /// Don't save the session
    #[arg(long, conflicts_with = "out_session")]
    pub no_save: bool,
    /// Save the session to FILE (must not exist)
    #[arg(long, value_name = "FILE")]
    pub out_session: Option<PathBuf>,
}

impl Keep {
    /// Returns the location for the session. In the sessions folder, its name consists of the time `at` and the random
    /// number `dice`.
    pub fn place<'a>(&'a self, folder: &'a Path, at: Wall, dice: u64) -> SessionPlace<'a> {
        match (&self.out_session, self.no_save) {
            (Some(path), _) => SessionPlace::File(path),
            (None, true) => SessionPlace::Nowhere,
            (None, false) => SessionPlace::Folder(folder, at, dice),
        }
    }
}

/// Options for the model and its server.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Models")]
pub struct ModelOptions {
    /// Models for participants without one: claude, gpt, gemini ..., PROVIDER:NAME, NAME=MODEL; several with commas
    #[arg(long, value_name = "MODEL,...")]
    pub model: Option<String>,
    #[command(flatten)]
    pub server: ServerOptions,
    /// True for clients of the MCP server: only providers that they may use are asked for their models.
    #[arg(skip)]
    pub is_client: bool,
}

/// Options for a server of models.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Models")]
pub struct ServerOptions {
    /// A server for this run, as the provider `endpoint`; its model is used if it has only one
    #[arg(long, value_name = "URL")]
    pub endpoint: Option<String>,
    /// API protocol of --endpoint [default: openai]
    #[arg(long, value_parser = wire(), requires = "endpoint")]
    pub wire: Option<Wire>,
}

/// Parses the name of an API protocol.
fn wire() -> impl TypedValueParser<Value = Wire> {
    PossibleValuesParser::new(Wire::ALL.map(Wire::name))
        .map(|name| Wire::by_name(&name).unwrap_or(Wire::OpenAi))
}

/// Options for the tools of participants.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Tools")]
pub struct ToolOptions {
    /// Folder that read_file, list_dir and search_files may read
    #[arg(long, value_name = "FOLDER")]
    pub files: Option<PathBuf>,
    /// Allow a tool that is not read-only; may be given more than once
    #[arg(long, value_name = "NAME")]
    pub allow_tool: Vec<String>,
    /// Use the tools of servers that changed them since they were first used; --trust does not allow that
    #[arg(long)]
    pub accept_changed_tools: bool,
}

/// A state file. Clones share the text read before the conversation, which must be unchanged when it is written.
#[derive(Clone, Debug)]
pub struct StateFile {
    path: PathBuf,
    read: Arc<Mutex<Option<String>>>,
}

impl FromStr for StateFile {
    type Err = Infallible;

    fn from_str(path: &str) -> Result<StateFile, Infallible> {
        Ok(StateFile { path: path.into(), read: Arc::default() })
    }
}

impl StateFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Remembers the text of the file; empty if it did not exist.
    pub fn remember(&self, text: String) {
        *self.read.lock() = Some(text);
    }

    /// Returns the remembered text; `None` if the file was not read.
    pub fn remembered(&self) -> Option<String> {
        self.read.lock().clone()
    }
}

/// Source of the commands of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SteerSource {
    /// File, read before the start.
    File(String),
    /// Lines on standard input, read during the conversation.
    StandardInput,
    /// Caller that runs the conversation and sends the commands itself.
    #[cfg_attr(not(feature = "mcp"), allow(dead_code, reason = "only clients of `mcp` do"))]
    Caller,
}

impl FromStr for SteerSource {
    type Err = Infallible;

    /// Parses the value of an option.
    fn from_str(value: &str) -> Result<SteerSource, Infallible> {
        Ok(if value == "-" {
            SteerSource::StandardInput
        } else {
            SteerSource::File(value.to_owned())
        })
    }
}

/// Options shared by `run`, `demo`, `resume` and `fork`.
#[derive(Clone, Debug, Default, Args)]
pub struct Play {
    /// Run without the full screen: the conversation on stdout, messages on stderr
    #[arg(long)]
    pub headless: bool,
    /// Run in the background: print the id, and attach later
    #[arg(long, conflicts_with = "headless")]
    pub detach: bool,
    /// Run as the copy that `--detach` starts
    #[arg(long, hide = true)]
    pub background: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = PrintFormat::Text)]
    pub format: PrintFormat,
    /// Read commands as JSON lines from a file, or from standard input with `-`
    #[arg(long, value_name = "FILE")]
    pub steer: Option<SteerSource>,
    /// Play rehearsed lines at a natural pace
    #[arg(long)]
    pub pace: bool,
    /// Stop after N turns
    #[arg(long, visible_alias = "max-turns", value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits")]
    pub max_utterances: Option<u32>,
    /// Stop after this running time, such as 90s or 5m; the current speaker has 10 s to finish
    #[arg(long, value_name = "TIME", value_parser = seconds, help_heading = "Limits")]
    pub max_time: Option<u64>,
    /// Stop before the models use more than N tokens
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    pub max_tokens: Option<u64>,
    /// Stop before the models cost more than USD dollars
    #[arg(long, value_name = "USD", value_parser = usd, help_heading = "Limits")]
    pub max_usd: Option<Usd>,
    /// Trust the file for this run: allow the commands it names
    #[arg(long)]
    pub trust: bool,
    /// Exit with 7 if a turn was skipped after failures, a command was refused, a step of a plan failed, a participant
    /// could not run, or a server refused a setting
    #[arg(long)]
    pub strict: bool,
    /// Use the scenario's rehearsed lines; no model is called
    #[arg(long)]
    pub rehearsed: bool,
    /// Override a scenario key, as in --set limits.utterances=9
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Read the known facts about the person (reply.keep = "profile") from FILE, if it exists; update it at the end
    #[arg(long, value_name = "FILE")]
    pub state: Option<StateFile>,
    #[command(flatten)]
    pub tools: ToolOptions,
    #[command(flatten)]
    pub models: ModelOptions,
}

impl Play {
    /// Returns the limits set by the options.
    pub fn limits(&self) -> Limits {
        Limits {
            utterances: self.max_utterances,
            seconds: self.max_time,
            tokens: self.max_tokens,
            usd: self.max_usd,
            ..Limits::default()
        }
    }

    /// Returns true if the conversation may run on virtual time, because nobody follows it in real time.
    pub fn may_be_virtual(&self) -> bool {
        self.headless && !self.pace && !self.background
    }

    /// Returns true if an operator can be asked: at the screen, or as a client of a conversation in the background.
    pub fn attended(&self) -> bool {
        !self.headless || self.background
    }

    /// Returns true if steering lines come from standard input.
    pub fn reads_commands(&self) -> bool {
        self.steer == Some(SteerSource::StandardInput)
    }

    /// Returns true if commands may arrive during the conversation.
    pub fn steered_live(&self) -> bool {
        matches!(self.steer, Some(SteerSource::StandardInput | SteerSource::Caller))
    }
}

/// Parses a positive amount in dollars.
pub fn usd(text: &str) -> Result<Usd, String> {
    let dollars = text.trim_start_matches('$').parse().unwrap_or(f64::NAN);
    let usd = Usd::try_from(dollars).ok().filter(|usd| *usd > Usd::default());
    usd.ok_or_else(|| "an amount in dollars, such as 0.50".into())
}

/// Parses a share of a whole, in percent.
pub fn percent(text: &str) -> Result<f64, String> {
    let percent = text.trim_end_matches('%').parse().ok().filter(|n| (0.0..=100.0).contains(n));
    percent.ok_or_else(|| "a number of percent from 0 to 100".into())
}

/// Parses a duration of at least one second, in whole seconds.
pub fn seconds(text: &str) -> Result<u64, String> {
    let seconds = duration_ms(text).map(|ms| ms / 1000).filter(|s| *s > 0);
    seconds.ok_or_else(|| "a duration from 1s to 277777777h, such as 90s or 5m".into())
}

/// Topic, or its source. `-` has a meaning only on the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Text of the topic.
    Text(String),
    /// Standard input.
    StandardInput,
}

impl FromStr for Topic {
    type Err = Infallible;

    /// Parses the value of an option.
    fn from_str(value: &str) -> Result<Topic, Infallible> {
        Ok(if value == "-" { Topic::StandardInput } else { Topic::Text(value.to_owned()) })
    }
}

/// Options of `run` and `demo`.
#[derive(Clone, Debug, Default, Args)]
pub struct RunOptions {
    /// Topic; `-` reads it from standard input
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<Topic>,
    /// Hide the models from each other: the prompts name Speaker A, B, C
    #[arg(long, conflicts_with = "cast")]
    pub anonymous: bool,
    /// Let the model propose people who have something to lose by the topic, for participants with `any_topic`
    #[arg(long, requires = "topic", conflicts_with_all = ["rehearsed", "history"])]
    pub cast: bool,
    /// Add a seat for yourself
    #[arg(long)]
    pub take_part: bool,
    /// Random seed
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub keep: Keep,
    /// Earlier conversation: a JSON list of role, name and content; a last user message becomes the topic
    #[arg(long, value_name = "FILE")]
    pub history: Option<String>,
    /// Speaker of the assistant messages without a name in --history: a participant or a name [default: assistant]
    #[arg(long, value_name = "NAME", requires = "history")]
    pub history_as: Option<String>,
    /// Dry run: speaking order, first prompts, cost estimate; nothing is called or saved
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub play: Play,
    /// True if files that do not fit are cut.
    #[arg(skip)]
    pub cut_material: bool,
}

/// Identities of the models that no file gives people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identities {
    /// The people of the scenario stay.
    Cast,
    /// Each model has its own name.
    Own,
    /// No prompt names a model; the participants are Speaker A, B, C.
    Hidden,
}

impl RunOptions {
    /// Returns the identities of models without people of the scenario.
    pub fn identities(&self) -> Identities {
        match (self.cast, self.anonymous) {
            (true, _) => Identities::Cast,
            (false, true) => Identities::Hidden,
            (false, false) => Identities::Own,
        }
    }
}
