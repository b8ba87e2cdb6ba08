//! Adds a server, or the usual models, to the settings file; the rest of the file keeps its text, comments included.

use crate::own_file::OwnFile;
use crate::settings::make_private;
use crate::untrusted;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::{fs, io};
use toml::Spanned;

/// Adds a server that speaks the OpenAI API to a settings file, which is created if it does not exist; returns the name
/// of the provider. `keep` saves the key of a provider and returns its file; `None` for a server without a key.
///
/// # Errors
/// When the file cannot be read or written, or a table cannot be added to it.
pub fn remember_server(
    path: &Path,
    base_url: &str,
    keep: impl FnOnce(&str) -> io::Result<Option<PathBuf>>,
) -> io::Result<String> {
    let (path, before) = open(path)?;
    let table: toml::Table = before.parse().map_err(io::Error::other)?;
    let providers = table.get("providers").and_then(toml::Value::as_table);
    let is_free = |name: &String| providers.is_none_or(|providers| !providers.contains_key(name));
    let base = name_of(base_url);
    let numbered = (2..).map(|n: u32| format!("{base}-{n}"));
    let mut names = std::iter::once(base.clone()).chain(numbered);
    let name = names.find(is_free).unwrap_or_default();
    let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
    let url = toml::Value::String(base_url.to_owned());
    let after = format!("{before}{gap}\n[providers.{name}]\nwire = \"openai\"\nbase_url = {url}\n");
    // a file that cannot be extended saves no key
    after.parse::<toml::Table>().map_err(io::Error::other)?;
    let key = keep(&name)?.map_or_else(String::new, |file| {
        format!("api_key_file = {}\n", toml::Value::String(file.display().to_string()))
    });
    replace(&path, &format!("{after}{key}"))?;
    Ok(name)
}

/// Saves the usual models in a settings file, which is created if it does not exist.
///
/// # Errors
/// When the file cannot be read or written.
pub fn remember_usual(path: &Path, models: &[String]) -> io::Result<()> {
    #[derive(Deserialize)]
    struct Kept {
        usual: Option<Spanned<toml::Value>>,
    }
    let (path, before) = open(path)?;
    let kept: Kept = toml::from_str(&before).map_err(io::Error::other)?;
    let list = toml::Value::Array(models.iter().cloned().map(toml::Value::String).collect());
    let after = match kept.usual.map(|usual| usual.span()) {
        Some(span) => {
            let mut text = before;
            text.replace_range(span, &list.to_string());
            text
        }
        // a key of the file itself comes before its first table
        None => format!("usual = {list}\n{before}"),
    };
    replace(&path, &after)
}

/// Returns the file behind a path, and its text.
fn open(path: &Path) -> io::Result<(PathBuf, String)> {
    if let Some(folder) = path.parent() {
        make_private(folder).map_err(io::Error::other)?;
    }
    // a settings file may be a link into a folder of dotfiles
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match untrusted::read_text(&path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok((path, String::new())),
        text => Ok((path, text?)),
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    text.parse::<toml::Table>().map_err(io::Error::other)?;
    OwnFile::replace(path, text.trim_start().as_bytes(), |_| true)?;
    Ok(())
}

/// Returns a name for a server, made of its host and port.
fn name_of(url: &str) -> String {
    let place = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = place.split('/').next().unwrap_or_default().to_lowercase();
    let place = place.replace("127.0.0.1", "local").replace("localhost", "local");
    let parts = place.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_a_server_and_keeps_comments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        assert_eq!(
            remember_server(&path, "http://127.0.0.1:18080/v1", |_| Ok(None)).unwrap(),
            "local-18080"
        );
        let first = fs::read_to_string(&path).unwrap();
        let table = "[providers.local-18080]\nwire = \"openai\"\nbase_url = \"http://127.0.0.1:18080/v1\"\n";
        assert_eq!(first, table);
        fs::write(&path, format!("# mine\ntheme = \"nord\"\n{table}# end")).unwrap();
        assert_eq!(
            remember_server(&path, "http://localhost:18080", |_| Ok(None)).unwrap(),
            "local-18080-2"
        );
        assert_eq!(
            remember_server(&path, "http://box.example:8000", |_| Ok(None)).unwrap(),
            "box-example-8000"
        );
        let whole = fs::read_to_string(&path).unwrap();
        assert!(
            whole.starts_with("# mine\ntheme = \"nord\"\n") && whole.contains("# end\n"),
            "{whole}"
        );
        whole.parse::<toml::Table>().unwrap();
    }

    #[test]
    fn leaves_a_file_that_cannot_be_extended() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "providers = {}\n").unwrap();
        assert!(remember_server(&path, "http://127.0.0.1:1", |_| Ok(None)).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "providers = {}\n");
    }

    #[test]
    fn usual_models_are_added_and_replaced_and_a_key_has_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, "# mine\n[words]\na = \"b:c\"\n").unwrap();
        remember_usual(&path, &["claude".into(), "Zoe=gpt".into()]).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "usual = [\"claude\", \"Zoe=gpt\"]\n# mine\n[words]\na = \"b:c\"\n");
        remember_usual(&path, &["llama".into()]).unwrap();
        let file = |name: &str| Ok(Some(PathBuf::from(format!("/keys/{name}"))));
        remember_server(&path, "http://box:1/v1", file).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("usual = [\"llama\"]\n# mine\n"), "{text}");
        assert!(text.ends_with("api_key_file = \"/keys/box-1\"\n"), "{text}");
    }
}
