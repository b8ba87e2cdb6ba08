//! Commands of this program in a form that can be typed again.

use crate::settings::Environment;
use std::path::Path;

/// Environment variables that cargo sets for a program that it runs.
const CARGO_PACKAGE: &str = "CARGO_PKG_NAME";
const CARGO_FOLDER: &str = "CARGO_MANIFEST_DIR";

/// Returns a command of this program, quoted for a shell.
pub fn command_line(words: &[String], environment: &Environment) -> String {
    let words = words.iter().map(|word| quoted(word));
    std::iter::once(program(environment)).chain(words).collect::<Vec<_>>().join(" ")
}

/// Returns the arguments of this process, without the program name.
pub fn arguments() -> Vec<String> {
    std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

/// Returns the command that starts this program: its name, or `cargo run` if cargo started it.
fn program(environment: &Environment) -> String {
    let variable = |name: &str| environment.get(name).and_then(|value| value.to_str());
    let is_ours = variable(CARGO_PACKAGE) == Some(env!("CARGO_PKG_NAME"));
    let folder = if is_ours { variable(CARGO_FOLDER) } else { None };
    let Some(folder) = folder else {
        return env!("CARGO_PKG_NAME").into();
    };
    let path = std::env::args_os().next().unwrap_or_default();
    let release = Path::new(&path).components().any(|part| part.as_os_str() == "release");
    let release = if release { " --release" } else { "" };
    let inside = Path::new(".").canonicalize().is_ok_and(|here| here.starts_with(folder));
    let manifest = if inside {
        String::new()
    } else {
        format!(" --manifest-path {}", quoted(&format!("{folder}/Cargo.toml")))
    };
    format!("cargo run{release}{manifest} --")
}

/// Quotes a word for a shell if necessary.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    #[test]
    fn a_command_can_be_typed_again() {
        let words = ["resume", "20260101-000000", "--config-set", "a=b c", "it's", ""];
        let words = words.map(str::to_owned);
        let by_name = command_line(&words, &std::iter::empty().collect());
        assert_eq!(by_name, r"colloquium resume 20260101-000000 --config-set 'a=b c' 'it'\''s' ''");
        let cargo = [(CARGO_PACKAGE, "colloquium"), (CARGO_FOLDER, "/a house")];
        let environment: Environment =
            cargo.iter().map(|(k, v)| (OsString::from(k), OsString::from(v))).collect();
        let elsewhere = command_line(&words[..1], &environment);
        assert_eq!(elsewhere, "cargo run --manifest-path '/a house/Cargo.toml' -- resume");
    }
}
