//! The user's settings: `config.toml`, read once, checked completely, then immutable.
//!
//! It contains the locations of keys, never keys, and an error never quotes the file: somebody may have written a key
//! in place of its name. Reading it calls no server and runs no command.

use super::Environment;
use super::keys::{self, Binding};
use super::look::{
    ColourDepth, Habits, Motion, Mouse, Notify, ScreenPace, Signs, StartFocus, ThemeChoice,
};
use super::origin::{Origin, origins, with_nearest};
use super::serving::{AgentSettings, Serving, ToolSettings};
use crate::model::sentence::sentence_error;
use crate::model::{CallRate, FailureRule, Price, Wire};
use crate::untrusted;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::{fs, io};
use toml::Table;

/// Variable with the path of another settings file.
pub const CONFIG_VARIABLE: &str = "COLLOQUIUM_CONFIG";
/// Name of the file in the user's folder.
const FILE: &str = "config.toml";

sentence_error! {
    /// Reason why a key file cannot be used: names the file, never its content.
    pub struct KeyFileFault;
}

/// Fault of the settings.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the settings {path}")]
    File {
        /// Path of the file.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A key or a value of the file is invalid.
    #[error("{path}:{line}:{column}: {message}")]
    Invalid {
        /// Path of the file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
        /// The fault, with the key and its accepted values.
        message: String,
    },
    /// The keys of a provider's table contradict each other.
    #[error("{path}: providers.{provider}: {message}")]
    Provider {
        /// Path of the file.
        path: String,
        /// Name of the provider.
        provider: String,
        /// The contradiction, with the keys.
        message: String,
    },
    /// One layer contradicts another one.
    #[error("{path}: combined with the user settings: {message}")]
    Layers {
        /// File or option of the layer.
        path: String,
        /// The contradiction, with the keys.
        message: String,
    },
    /// An option of the command line is not a setting.
    #[error("--config-set takes KEY=VALUE, as in --config-set default_model=ollama:llama3")]
    Set,
}

/// Source of the path of the settings file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layer {
    /// The option `--config`.
    Flag,
    /// The variable [`CONFIG_VARIABLE`].
    Variable,
    /// The default path in the user's folder.
    #[default]
    Folder,
}

/// All settings, with defaults for missing ones.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Default model of participants, as `provider:name`.
    pub default_model: Option<String>,
    /// Models of a talk that names none.
    pub usual: Vec<String>,
    /// Providers by name: new ones, and overrides of known ones.
    pub providers: BTreeMap<String, Provider>,
    /// Facts about models, by `provider:name`.
    pub models: BTreeMap<String, ModelFacts>,
    /// Models by their words, searched before the list.
    pub words: BTreeMap<String, String>,
    /// Limits of retries.
    pub retries: Retries,
    /// Permissions of clients of the MCP server.
    pub mcp: Serving,
    /// Environment of agents.
    pub agents: AgentSettings,
    /// Permissions of tools.
    pub tools: ToolSettings,
    /// Theme of the screen; `None` for automatic.
    pub theme: Option<ThemeChoice>,
    /// Number of terminal colours.
    pub color_depth: ColourDepth,
    /// Character set of the screen; `None` for automatic.
    pub glyphs: Option<Signs>,
    /// Style of the key bindings.
    pub keymap: Habits,
    /// Setting without an effect.
    pub start: StartFocus,
    /// Seconds from the last key for which the next turn waits while a person writes; 0 never waits.
    pub hold: Option<u64>,
    /// Speed of the words of models on the screen.
    pub pace: ScreenPace,
    /// Minutes without a key after which the poster opens; 0 and `None` never open it.
    pub poster: Option<u64>,
    /// Earlier spelling of `poster`.
    pub ambient: Option<u64>,
    /// Animation of the screen.
    pub motion: Motion,
    /// Mouse capture.
    pub mouse: Mouse,
    /// Terminal bell while the user looks elsewhere.
    pub notify: Notify,
    /// Program started with the bell, and its arguments; `{what}` in them is the text of the notification.
    pub notify_command: Option<Vec<String>>,
    /// False if running conversations take no clients; `None` is true.
    pub live: Option<bool>,
    #[serde(rename = "keys")]
    pub(super) written: keys::Written,
    /// The user's key bindings, in the order of the file.
    #[serde(skip)]
    pub keys: Vec<Binding>,
    /// Path of the file, which may not exist.
    #[serde(skip)]
    pub path: PathBuf,
    /// Source of the path.
    #[serde(skip)]
    pub layer: Layer,
    /// True if the file exists; otherwise every setting has its default.
    #[serde(skip)]
    pub found: bool,
    /// Every configured value, with its source.
    #[serde(skip)]
    pub origins: Vec<Origin>,
    #[serde(skip)]
    pub(super) table: Table,
}

/// A provider in the settings; missing keys have the built-in values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Provider {
    /// Wire format of its API.
    pub wire: Option<Wire>,
    /// Address of its API.
    pub base_url: Option<String>,
    /// Environment variable with its key.
    pub api_key_env: Option<String>,
    /// File with its key; it must be readable by its owner only.
    pub api_key_file: Option<PathBuf>,
    /// Program that prints its key, with arguments.
    pub api_key_command: Option<Vec<String>>,
    /// Maximum rate of calls.
    pub rate: Option<CallRate>,
    /// Optional parts of requests that its server refuses, by their names in scenarios.
    pub leave_out: Vec<String>,
    /// Names under which its server knows parts of requests.
    pub rename: BTreeMap<String, String>,
    /// Role of the instructions.
    pub system: SystemRole,
    /// Header of its key, if it is another one than that of its wire format.
    pub key_header: Option<String>,
}

/// Role of the message with the instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SystemRole {
    /// A message or field of its own.
    #[default]
    System,
    /// The beginning of the first message of the user.
    User,
}

/// Headers that HTTP itself uses.
const OWN_HEADERS: [&str; 5] =
    ["host", "connection", "content-length", "content-type", "transfer-encoding"];

/// Limits of retries, whatever a scenario or a server asks for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Retries {
    /// Maximum calls of one model in one turn, including the first.
    pub tries: NonZeroU32,
    /// Maximum total wait between the calls of one turn, in seconds.
    pub seconds: u32,
}

impl Default for Retries {
    fn default() -> Self {
        let tries = NonZeroU32::new(FailureRule::TRIES).unwrap_or(NonZeroU32::MIN);
        Retries { tries, seconds: (FailureRule::WAIT_MS / 1000) as u32 }
    }
}

/// The user's facts about a model.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelFacts {
    /// Context window in tokens; `None` if unknown.
    pub window: Option<u32>,
    /// Price in dollars per million input and output tokens.
    pub price: Option<Price>,
    /// Form of tool requests; `None` for the default of its API.
    pub tools: Option<ToolForm>,
    /// False if it refuses `temperature` and `top_p`.
    pub temperature: Option<bool>,
    /// Values of `effort` that it accepts; `None` if unknown.
    pub effort: Option<Vec<String>>,
}

/// Form of a model's tool requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolForm {
    /// Tool calls of its API.
    Native,
    /// Text, for models without tool calls.
    Text,
}

impl Settings {
    /// Returns the models of a talk that names none, separated by commas: the usual ones, else the default.
    pub fn usual_models(&self) -> String {
        if self.usual.is_empty() {
            return self.default_model.clone().unwrap_or_default();
        }
        self.usual.join(",")
    }

    /// Reads the settings from the file that `flag` names, else from that of the variable, else from the user's folder,
    /// in which the file may be missing.
    ///
    /// # Errors
    /// If the file cannot be read, is not TOML, or contains an unknown key or an invalid value.
    pub fn read(
        environment: &Environment,
        folder: &Path,
        flag: Option<&Path>,
    ) -> Result<Settings, SettingsError> {
        let variable = environment.get(CONFIG_VARIABLE).map(Path::new);
        let (path, layer) = match (flag, variable) {
            (Some(flag), _) => (flag.to_owned(), Layer::Flag),
            (None, Some(named)) => (named.to_owned(), Layer::Variable),
            (None, None) => (folder.join(FILE), Layer::Folder),
        };
        let text = match untrusted::read_own_text(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == io::ErrorKind::NotFound && layer == Layer::Folder => {
                return Ok(Settings { path, layer, ..Settings::default() });
            }
            Err(source) => {
                return Err(SettingsError::File { path: path.display().to_string(), source });
            }
        };
        let name = path.display().to_string();
        let settings = Settings::parse(&text, &name)?;
        Ok(Settings { path, layer, found: true, ..settings })
    }

    pub(super) fn parse(text: &str, path: &str) -> Result<Settings, SettingsError> {
        let place = |start: usize| {
            let before = text.get(..start).unwrap_or_default();
            let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
            (before.matches('\n').count() + 1, column)
        };
        let mut settings: Settings = toml::from_str(text).map_err(|e| {
            let (line, column) = place(e.span().map_or(0, |s| s.start));
            SettingsError::Invalid {
                path: path.into(),
                line,
                column,
                message: with_nearest(e.message()),
            }
        })?;
        settings.keys = keys::bindings(&settings.written, |start| {
            let (line, column) = place(start);
            format!("{path}:{line}:{column}")
        });
        settings.table = text.parse().unwrap_or_default();
        settings.origins = origins(&settings.table, path);
        settings.check(path)?;
        Ok(settings)
    }

    /// Checks combinations of keys.
    pub(super) fn check(&self, path: &str) -> Result<(), SettingsError> {
        self.providers.iter().try_for_each(|(name, provider)| {
            provider.check(name).map_err(|message| SettingsError::Provider {
                path: path.into(),
                provider: name.clone(),
                message: message.into(),
            })
        })
    }
}

impl Provider {
    fn check(&self, name: &str) -> Result<(), &'static str> {
        let keys = [
            self.api_key_env.is_some(),
            self.api_key_file.is_some(),
            self.api_key_command.is_some(),
        ];
        let variable = |name: &String| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if name.is_empty() || name.contains([':', ' ']) {
            return Err("a provider's name contains no colon and no space");
        }
        if keys.iter().filter(|k| **k).count() > 1 {
            return Err("keep one of api_key_env, api_key_file and api_key_command");
        }
        // not quoted: it may be a key
        if self.api_key_env.as_ref().is_some_and(|env| !variable(env)) {
            return Err("api_key_env takes the name of a variable, as in \"OPENAI_API_KEY\"");
        }
        if self.api_key_command.as_ref().is_some_and(Vec::is_empty) {
            return Err("api_key_command takes a program, as in [\"pass\", \"show\", \"openai\"]");
        }
        let is_header = |name: &String| {
            let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            !name.is_empty() && is_name && !OWN_HEADERS.contains(&&*name.to_lowercase())
        };
        if !self.key_header.as_ref().is_none_or(is_header) {
            return Err("key_header takes the name of a header, as in \"api-key\"");
        }
        if self.base_url.as_ref().is_some_and(|url| url.contains('@')) {
            return Err("base_url must not contain a key; use api_key_env");
        }
        Ok(())
    }
}

/// Reads a key from a file that only its owner can read.
///
/// # Errors
/// A message that names the file, never its content.
pub fn read_key_file(path: &Path) -> Result<String, KeyFileFault> {
    let shown = path.display();
    let failed = |e: io::Error| format!("the key file {shown} cannot be read: {e}");
    let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let read = format!(
            "the key file {shown} can be read by others (mode {mode:o}): chmod 600 {shown}"
        );
        return Err(read.into());
    }
    let key = untrusted::read_own_text(path).map_err(failed)?.trim().to_owned();
    if key.is_empty() { Err(format!("the key file {shown} is empty").into()) } else { Ok(key) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        Settings::parse(text, "config.toml").expect_err(text).to_string()
    }

    #[test]
    fn all_settings_are_read() {
        let text = r#"
            default_model = "ollama:llama3"
            [providers.mine]
            wire = "openai"
            base_url = "http://127.0.0.1:8080/v1"
            api_key_env = "MY_KEY"
            [models."mine:tiny"]
            window = 8192
            price = [0.5, 1.5]
            tools = "text"
        "#;
        let settings = Settings::parse(text, "config.toml").unwrap();
        let mine = Provider {
            wire: Some(Wire::OpenAi),
            base_url: Some("http://127.0.0.1:8080/v1".into()),
            api_key_env: Some("MY_KEY".into()),
            ..Provider::default()
        };
        assert_eq!(settings.default_model.as_deref(), Some("ollama:llama3"));
        assert_eq!(settings.providers["mine"], mine);
        let facts = ModelFacts {
            window: Some(8192),
            price: Some(Price(0.5, 1.5)),
            tools: Some(ToolForm::Text),
            ..ModelFacts::default()
        };
        assert_eq!(settings.models["mine:tiny"], facts);
    }

    #[test]
    fn faults_are_reported_with_position() {
        for (text, told) in [
            ("\ndefault_modle = \"a:b\"", "config.toml:2:1: unknown field `default_modle`"),
            ("default_model = 3", "config.toml:1:17: invalid type"),
            ("[providers.x]\nwire = \"soap\"", "config.toml:2:8: unknown variant `soap`"),
            ("[providers.x]\nurl = \"y\"", "expected one of `wire`, `base_url`"),
            ("a = ", "config.toml:1:"),
            ("[providers.\"a:b\"]", "providers.a:b: a provider's name"),
            ("[providers.x]\napi_key_env = \"A\"\napi_key_file = \"b\"", "keep one of"),
            ("[providers.x]\napi_key_command = []", "takes a program"),
        ] {
            let message = refused(text);
            assert!(message.contains(told), "{text}: {message}");
        }
    }

    #[test]
    fn an_error_never_holds_a_key() {
        for text in [
            "api_key = \"sk-canary\"",
            "[providers.x]\napi_key = \"sk-canary\"",
            "[providers.x]\napi_key_env = \"sk-canary\"",
            "[providers.x]\nbase_url = \"https://sk-canary@example.org\"",
            "[providers.x]\napi_key_env = \"sk-canary",
        ] {
            let message = refused(text);
            assert!(!message.contains("canary"), "{message}");
        }
    }

    #[test]
    fn the_flag_goes_before_the_variable_and_both_before_the_folder() {
        let base = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = base.path().join(name);
            fs::write(&path, format!("default_model = \"x:{name}\"")).unwrap();
            path
        };
        let flag = write("flag");
        let variable = write("variable");
        let none = Environment::from_iter([]);
        let set: Environment =
            [(CONFIG_VARIABLE.into(), variable.into_os_string())].into_iter().collect();
        let read = |environment, flag| {
            let settings = Settings::read(environment, base.path(), flag).unwrap();
            (settings.default_model, settings.layer)
        };
        assert_eq!(read(&none, None), (None, Layer::Folder));
        write(FILE);
        assert_eq!(read(&none, None), (Some("x:config.toml".into()), Layer::Folder));
        assert_eq!(read(&set, None), (Some("x:variable".into()), Layer::Variable));
        assert_eq!(read(&set, Some(&flag)), (Some("x:flag".into()), Layer::Flag));
        let missing = Settings::read(&none, base.path(), Some(Path::new("/nowhere.toml")));
        assert!(missing.is_err(), "a file that was named must be there");
    }

    #[test]
    fn a_key_file_is_its_owners_alone() {
        let base = tempfile::tempdir().unwrap();
        let path = base.path().join("key");
        fs::write(&path, "sk-canary\n").unwrap();
        for (mode, fine) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            let read = read_key_file(&path);
            assert_eq!(read.is_ok(), fine, "{mode:o}");
            assert!(fine || !read.unwrap_err().to_string().contains("canary"));
        }
    }
}
