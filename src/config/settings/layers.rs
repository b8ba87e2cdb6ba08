//! Layers of the settings, from the lowest: the user's file, a trusted project's file, the command line. Each is
//! checked by itself first, so that a fault has a position.
//!
//! The caller decides whether a project is trusted, and passes its text.

use super::origin::Origin;
use super::user_file::{Settings, SettingsError};
use crate::untrusted;
use std::io;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

/// Settings file of a project, in the working directory.
const PROJECT_FILE: &str = "colloquium.toml";
/// Name of the command line's layer in errors and explanations.
const SET: &str = "--config-set";

/// Settings file of a project, not yet checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Path of the file.
    pub path: PathBuf,
    /// Content of the file.
    pub text: String,
}

impl Project {
    /// Reads the project's file, if there is one.
    ///
    /// # Errors
    /// If the file exists and cannot be read.
    pub fn here() -> Result<Option<Project>, SettingsError> {
        let path = Path::new(".").join(PROJECT_FILE);
        match untrusted::read_text(&path) {
            Ok(text) => Ok(Some(Project { path, text })),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(SettingsError::File { path: path.display().to_string(), source }),
        }
    }

    /// Returns the commands in the file; empty if the file is invalid.
    pub fn commands(&self) -> Vec<Vec<String>> {
        let settings = Settings::parse(&self.text, "").unwrap_or_default();
        let keys = settings.providers.into_values().map(|provider| provider.api_key_command);
        keys.chain([settings.notify_command]).flatten().collect()
    }

    /// Returns every value in the file.
    pub fn sets(&self) -> Result<Vec<Origin>, SettingsError> {
        Ok(Settings::parse(&self.text, &self.path.display().to_string())?.origins)
    }
}

impl Settings {
    /// Returns these settings, overridden by those of a trusted project.
    ///
    /// # Errors
    /// If the project's settings are invalid or contradict these.
    pub fn under(self, project: &Project) -> Result<Settings, SettingsError> {
        self.with(&project.text, &project.path.display().to_string())
    }

    /// Returns these settings, overridden by `KEY=VALUE` options; a value that is not TOML is text.
    ///
    /// # Errors
    /// If one of them is not a setting.
    pub fn set(self, all: &[String]) -> Result<Settings, SettingsError> {
        all.iter().try_fold(self, |settings, one| {
            let (key, value) = one.split_once('=').ok_or(SettingsError::Set)?;
            let plain = format!("{key} = {value}");
            let text = match plain.parse::<Table>() {
                Ok(_) => plain,
                Err(_) => format!("{key} = {}", Value::from(value)),
            };
            settings.with(&text, SET)
        })
    }

    /// Returns the source of a table of settings: the last file or option that sets a key of it.
    pub fn place_of(&self, table: &str) -> String {
        let inside =
            |o: &&Origin| o.key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.'));
        let last = self.origins.iter().rev().find(inside);
        last.map_or_else(|| self.path.display().to_string(), |o| o.from.clone())
    }

    fn with(self, text: &str, name: &str) -> Result<Settings, SettingsError> {
        let over = Settings::parse(text, name)?;
        let mut table = self.table;
        merge(&mut table, over.table);
        let mut plain = table.clone();
        // positions of keys exist only in a file; they were read with it
        plain.remove("keys");
        let both: Settings = plain.try_into().map_err(|e: toml::de::Error| {
            SettingsError::Layers { path: name.into(), message: e.message().into() }
        })?;
        both.check(name)?;
        let mut origins = self.origins;
        origins.retain(|o| over.origins.iter().all(|new| new.key != o.key));
        origins.extend(over.origins);
        let keys = self.keys.into_iter().chain(over.keys).collect();
        let path = self.path;
        let layer = self.layer;
        let found = self.found;
        Ok(Settings { keys, path, layer, found, origins, table, ..both })
    }
}

/// Merges a table over another one.
fn merge(under: &mut Table, over: Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => merge(under, over),
            (_, value) => _ = under.insert(key, value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "default_model = \"a:own\"\nglyphs = \"ascii\"\n[providers.x]\nwire = \"openai\"\n\
        base_url = \"http://own\"\n";
    const PROJECT: &str =
        "default_model = \"a:project\"\n[providers.x]\nbase_url = \"http://project\"\n";

    fn project(text: &str) -> Project {
        Project { path: "./colloquium.toml".into(), text: text.into() }
    }

    #[test]
    fn every_program_of_a_project_needs_consent() {
        let text = "notify_command = [\"say\", \"{what}\"]\n[providers.x]\nwire = \"openai\"\n\
            base_url = \"http://x\"\napi_key_command = [\"key\"]\n";
        assert_eq!(project(text).commands(), [vec!["key"], vec!["say", "{what}"]]);
    }

    fn own() -> Settings {
        Settings::parse(OWN, "config.toml").unwrap()
    }

    #[test]
    fn the_command_line_goes_before_the_project_and_the_project_before_the_user() {
        let both = own().under(&project(PROJECT)).unwrap();
        assert_eq!(both.default_model.as_deref(), Some("a:project"));
        assert_eq!(both.providers["x"].base_url.as_deref(), Some("http://project"));
        assert!(both.providers["x"].wire.is_some(), "what it does not name stays");
        let set = |all: &[&str]| {
            both.clone().set(&all.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
        };
        let all = set(&["default_model=a:flag", "models.\"a:flag\".window=5"]).unwrap();
        assert_eq!(all.default_model.as_deref(), Some("a:flag"));
        assert_eq!(all.models["a:flag"].window, Some(5));
        let from = |key: &str| all.origins.iter().find(|o| o.key == key).unwrap().from.clone();
        assert_eq!(
            ["default_model", "providers.x.base_url", "glyphs"].map(from),
            ["--config-set", "./colloquium.toml", "config.toml"]
        );
        for (wrong, told) in [
            ("default_modle=x", "--config-set:1:1: unknown field `default_modle`"),
            ("default_modle=x", "the nearest is `default_model`"),
            ("default_model", "takes KEY=VALUE"),
            ("glyphs=3", "--config-set:1:"),
        ] {
            let message = set(&[wrong]).unwrap_err().to_string();
            assert!(message.contains(told), "{wrong}: {message}");
        }
    }

    #[test]
    fn a_project_that_is_wrong_is_told_with_its_place() {
        let message = own().under(&project("\nthem = \"x\"")).unwrap_err().to_string();
        let told = "./colloquium.toml:2:1: unknown field `them`";
        assert!(message.starts_with(told) && message.ends_with("`theme`"), "{message}");
        assert_eq!(project(PROJECT).sets().unwrap().len(), 2);
    }
}
