//! The environment of the process, read once at the start.
//!
//! It may contain API keys, so it cannot be printed, and children get only allow-listed variables.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Variables for child processes, besides those that begin with [`LOCALE_PREFIX`].
const FOR_CHILDREN: [&str; 8] =
    ["PATH", "HOME", "LANG", "TZ", "TMPDIR", "USER", "LOGNAME", "SHELL"];
const LOCALE_PREFIX: &str = "LC_";
/// Variables by which a program finds the person's desktop.
const DESKTOP: [&str; 5] =
    ["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];

/// The variables of this process, read once.
#[derive(Clone)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn read() -> Environment {
        std::env::vars_os().collect()
    }

    /// Returns a variable; an empty one counts as unset.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// Returns a variable that names a folder; a relative one counts as unset, as the XDG rules require.
    pub(super) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// Returns whether the user disables colour in all programs.
    pub fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some()
    }

    /// Returns whether the user forces colour in all programs.
    pub fn clicolor_force(&self) -> bool {
        self.get("CLICOLOR_FORCE").is_some_and(|value| value != "0")
    }

    /// Returns whether the program runs over SSH.
    pub fn over_ssh(&self) -> bool {
        self.get("SSH_TTY").or(self.get("SSH_CONNECTION")).is_some()
    }

    /// Returns the command of the user's editor, for a shell.
    pub fn editor(&self) -> Option<&str> {
        self.get("VISUAL").or(self.get("EDITOR")).and_then(OsStr::to_str)
    }

    /// Returns the date of a reproducible build, in milliseconds since 1970.
    pub fn source_date_epoch(&self) -> Option<i64> {
        let seconds: i64 = self.get("SOURCE_DATE_EPOCH")?.to_str()?.trim().parse().ok()?;
        seconds.checked_mul(1_000).filter(|ms| *ms >= 0)
    }

    /// Returns the path of a program found in `PATH`.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let folders = std::env::split_paths(self.get("PATH")?);
        folders.map(|folder| folder.join(name)).find(|path| is_program(path))
    }

    /// Returns the terminal type.
    pub fn term(&self) -> Option<&str> {
        self.get("TERM").and_then(OsStr::to_str)
    }

    /// Returns the variables for a child process: paths, home, language, user; never a key.
    pub fn for_children(&self) -> Vec<(OsString, OsString)> {
        let allowed = |name: &str| FOR_CHILDREN.contains(&name) || name.starts_with(LOCALE_PREFIX);
        self.variables_of(allowed)
    }

    /// Returns the variables for a program of the person on the desktop.
    pub fn for_desktop(&self) -> Vec<(OsString, OsString)> {
        let desktop = self.variables_of(|name| DESKTOP.contains(&name));
        self.for_children().into_iter().chain(desktop).collect()
    }

    fn variables_of(&self, allowed: impl Fn(&str) -> bool) -> Vec<(OsString, OsString)> {
        let known = |(name, _): &&(OsString, OsString)| name.to_str().is_some_and(&allowed);
        self.variables.iter().filter(known).cloned().collect()
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

impl FromIterator<(OsString, OsString)> for Environment {
    fn from_iter<I: IntoIterator<Item = (OsString, OsString)>>(variables: I) -> Environment {
        Environment { variables: variables.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        variables.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect()
    }

    #[test]
    fn children_get_the_allow_list_and_nothing_else() {
        let environment = environment(&[
            ("PATH", "/bin"),
            ("OPENAI_API_KEY", "sk-canary"),
            ("LC_ALL", "C.UTF-8"),
            ("LD_PRELOAD", "/tmp/x.so"),
            ("HOME", "/home/ada"),
            ("COLLOQUIUM_DATA_DIR", "/tmp"),
        ]);
        let names: Vec<OsString> =
            environment.for_children().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["PATH", "LC_ALL", "HOME"]);
    }

    #[test]
    fn a_variable_set_to_nothing_is_not_set() {
        for (variables, no_color) in
            [(vec![], false), (vec![("NO_COLOR", "")], false), (vec![("NO_COLOR", "1")], true)]
        {
            assert_eq!(environment(&variables).no_color(), no_color, "{variables:?}");
        }
        assert_eq!(environment(&[("TERM", "dumb")]).term(), Some("dumb"));
    }

    #[test]
    fn a_relative_folder_is_not_set() {
        let environment = environment(&[("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "/c")]);
        assert_eq!(environment.folder("XDG_DATA_HOME"), None);
        assert_eq!(environment.folder("XDG_CACHE_HOME"), Some("/c".into()));
    }
}
