//! The program's four folders. XDG variables come first on every system, then the system's own folders.

use super::Environment;
use crate::model::Secret;
use directories::ProjectDirs;
use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf, absolute};

const PROGRAM: &str = "colloquium";

/// A folder that could not be found or created.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system has no home folder, and no variable names this one.
    #[error("the home folder is unknown and {0} is not set")]
    NoHome(&'static str),
    /// A key could not be saved.
    #[error("cannot write {path}: {source}")]
    Key {
        /// Path of the key file.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A folder could not be created.
    #[error("cannot create the folder {path}")]
    Folder {
        /// Path of the folder.
        path: String,
        /// Error of the operating system.
        source: io::Error,
    },
}

/// The program's folders, which may not exist yet; [`make_private`] creates them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The user's own files: settings, scenarios, themes.
    pub config: PathBuf,
    /// Permanent files: the sessions.
    pub data: PathBuf,
    /// State: input history, logs, trust.
    pub state: PathBuf,
    /// Files that can be recreated.
    pub cache: PathBuf,
    /// Sockets of running conversations.
    pub sockets: PathBuf,
}

impl Paths {
    /// Finds the folders. The data folder is `data_dir`, else `COLLOQUIUM_DATA_DIR`, else the default.
    ///
    /// # Errors
    /// If the system has no home folder and the variables do not name a folder.
    pub fn find(environment: &Environment, data_dir: Option<&Path>) -> Result<Paths, Error> {
        let usual = ProjectDirs::from("", "", PROGRAM);
        let usual = usual.as_ref();
        let folder = |variable: &'static str, of: fn(&ProjectDirs) -> &Path| {
            let named = environment.folder(variable).map(|base| base.join(PROGRAM));
            named.or_else(|| usual.map(|u| of(u).to_owned())).ok_or(Error::NoHome(variable))
        };
        let own = data_dir.or(environment.get("COLLOQUIUM_DATA_DIR").map(Path::new));
        let data = match own {
            // a later change of the working directory must not move the sessions
            Some(own) => absolute(own).map_err(|source| folder_error(own, source))?,
            None => folder("XDG_DATA_HOME", ProjectDirs::data_dir)?,
        };
        // only Linux has a separate folder for state
        let state = folder("XDG_STATE_HOME", |u| u.state_dir().unwrap_or(u.data_local_dir()))?;
        let sockets = sockets(environment, &state);
        Ok(Paths {
            config: folder("XDG_CONFIG_HOME", ProjectDirs::config_dir)?,
            data,
            sockets,
            state,
            cache: folder("XDG_CACHE_HOME", ProjectDirs::cache_dir)?,
        })
    }

    /// Returns the folder of the user's themes.
    pub fn themes(&self) -> PathBuf {
        self.config.join("themes")
    }

    /// Returns the folder of the sessions.
    pub fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }

    /// Returns the folder of deleted sessions.
    pub fn trash(&self) -> PathBuf {
        self.data.join("trash")
    }

    /// Returns the folder of pasted keys.
    pub fn keys(&self) -> PathBuf {
        self.config.join("keys")
    }

    /// Returns the file of a provider's pasted key.
    pub fn key(&self, provider: &str) -> PathBuf {
        self.keys().join(provider)
    }

    /// Returns the file of the facts about models that `models update` fetched.
    pub fn model_update(&self) -> PathBuf {
        self.cache.join("models.toml")
    }

    /// Returns the home folder for agents of a program, with their settings and login.
    pub fn agent_home(&self, program: &str) -> PathBuf {
        self.data.join("agents").join(program)
    }

    /// Returns the folder of the user's scenarios.
    pub fn scenarios(&self) -> PathBuf {
        self.config.join("scenarios")
    }
}

/// Maximum bytes of the folder of the sockets: the system takes paths of 107 bytes, or 103, with the name in them.
const SOCKETS_MAX: usize = 80;

/// Returns the first folder for sockets that is short enough: that of the runtime, that of the state, or a folder of the
/// user in a temporary one.
fn sockets(environment: &Environment, state: &Path) -> PathBuf {
    let runtime = environment.folder("XDG_RUNTIME_DIR").filter(|base| base.is_dir());
    let runtime = runtime.map(|base| base.join(PROGRAM));
    let own = format!("{PROGRAM}-{}", rustix::process::geteuid().as_raw());
    let temporary = environment.folder("TMPDIR").filter(|base| base.is_dir());
    let temporary = temporary.map(|base| base.join(&own));
    let is_short = |folder: &PathBuf| folder.as_os_str().len() <= SOCKETS_MAX;
    let mut folders = [runtime, Some(state.join("live")), temporary].into_iter().flatten();
    folders.find(is_short).unwrap_or_else(|| Path::new("/tmp").join(own))
}

/// Creates a folder and missing parents for the user alone (0700); existing ones are unchanged.
///
/// # Errors
/// If it cannot be created or is not a folder.
pub fn make_private(folder: &Path) -> Result<(), Error> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|source| folder_error(folder, source))
}

/// Saves a pasted key, readable only by the user (0600), in place of an earlier one; returns its file.
///
/// # Errors
/// If the folder or the file cannot be written; the message never contains the key.
pub fn keep_key(paths: &Paths, provider: &str, key: &Secret) -> Result<PathBuf, Error> {
    make_private(&paths.keys())?;
    let path = paths.key(provider);
    // a new file, so that the permissions of an old one do not apply
    let kept = tempfile::NamedTempFile::new_in(paths.keys())
        .and_then(|mut file| file.write_all(key.expose().as_bytes()).map(|()| file))
        .and_then(|file| file.persist(&path).map_err(|e| e.error));
    match kept {
        Ok(_) => Ok(path),
        Err(source) => Err(Error::Key { path: path.display().to_string(), source }),
    }
}

/// Deletes the saved key of a provider.
pub fn forget_key(paths: &Paths, provider: &str) -> io::Result<()> {
    fs::remove_file(paths.key(provider))
}

fn folder_error(path: &Path, source: io::Error) -> Error {
    Error::Folder { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    const XDG: [(&str, &str); 4] = [
        ("XDG_CONFIG_HOME", "/x/config"),
        ("XDG_DATA_HOME", "/x/data"),
        ("XDG_STATE_HOME", "/x/state"),
        ("XDG_CACHE_HOME", "/x/cache"),
    ];

    fn find(more: &[(&str, &str)], data_dir: Option<&str>) -> Paths {
        let variables = more.iter().chain(&XDG);
        let environment: Environment =
            variables.map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
        Paths::find(&environment, data_dir.map(Path::new)).expect("every folder is named")
    }

    #[test]
    fn xdg_variables_come_first() {
        let paths = find(&[], None);
        let expected = Paths {
            config: "/x/config/colloquium".into(),
            data: "/x/data/colloquium".into(),
            state: "/x/state/colloquium".into(),
            cache: "/x/cache/colloquium".into(),
            sockets: "/x/state/colloquium/live".into(),
        };
        assert_eq!(paths, expected);
        assert_eq!(paths.sessions(), Path::new("/x/data/colloquium/sessions"));
        assert_eq!(paths.scenarios(), Path::new("/x/config/colloquium/scenarios"));
    }

    #[test]
    fn a_folder_too_long_for_sockets_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = folder.path().join("d".repeat(100));
        fs::create_dir(&long).expect("a folder");
        let long = long.to_str().expect("text");
        let short = folder.path().to_str().expect("text");
        let sockets = |more: &[(&str, &str)]| find(more, None).sockets;
        assert_eq!(sockets(&[("XDG_RUNTIME_DIR", short)]), folder.path().join("colloquium"));
        let state = ("XDG_STATE_HOME", long);
        let own = format!("colloquium-{}", rustix::process::geteuid().as_raw());
        for (more, expected) in [
            (&[("XDG_RUNTIME_DIR", long)][..], "/x/state/colloquium/live".into()),
            (&[state, ("TMPDIR", short)], folder.path().join(&own)),
            (&[state, ("TMPDIR", long)], Path::new("/tmp").join(&own)),
            (&[state, ("XDG_RUNTIME_DIR", long)], Path::new("/tmp").join(&own)),
            (&[("XDG_RUNTIME_DIR", "/nowhere")], "/x/state/colloquium/live".into()),
            (&[state, ("TMPDIR", "/nowhere")], Path::new("/tmp").join(&own)),
        ] {
            assert_eq!(sockets(more), expected);
        }
        // whatever their lengths, the whole path of a socket has at most 100 bytes
        for length in 1..130 {
            let some = folder.path().join("e".repeat(length));
            fs::create_dir(&some).expect("a folder");
            let some = some.to_str().expect("text");
            for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "TMPDIR"] {
                let path = sockets(&[state, (name, some)]).join("0123456789ab.sock");
                assert!(path.as_os_str().len() <= 100, "{name}: {}", path.display());
            }
        }
    }

    #[test]
    fn the_flag_goes_before_the_variable_and_both_before_xdg() {
        let own = [("COLLOQUIUM_DATA_DIR", "/own")];
        for (more, flag, data) in [
            (&own[..], None, "/own"),
            (&own[..], Some("/flag"), "/flag"),
            (&[], Some("/flag"), "/flag"),
            (&[("COLLOQUIUM_DATA_DIR", "")][..], None, "/x/data/colloquium"),
        ] {
            assert_eq!(find(more, flag).data, Path::new(data));
        }
        assert!(find(&[], Some("near")).data.is_absolute());
    }

    #[test]
    fn folders_are_made_for_the_user_alone() {
        let base = tempfile::tempdir().unwrap();
        let folder = base.path().join("a/b");
        make_private(&folder).unwrap();
        make_private(&folder).expect("what exists is no error");
        for made in [&folder, &base.path().join("a")] {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(made).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", made.display());
        }
        std::fs::write(base.path().join("file"), "").unwrap();
        let refused = make_private(&base.path().join("file")).unwrap_err();
        assert!(refused.to_string().starts_with("cannot create the folder "), "{refused}");
    }
}
