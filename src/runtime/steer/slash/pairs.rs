//! `KEY=VALUE, KEY=VALUE` in a `/command`.

use crate::model::sentence::sentence_error;

sentence_error! {
    /// Invalid or missing part of a line, with the correct form.
    pub struct TypedFault;
}

/// Parses `KEY=VALUE, KEY=VALUE`. Text needs no quotes unless it contains a comma. For a seat the first word may be
/// its id.
pub(super) fn pairs(words: &str, of_seat: bool) -> Result<toml::Table, TypedFault> {
    if let Ok(mut whole) = format!("it = {{ {words} }}").parse::<toml::Table>()
        && let Some(toml::Value::Table(table)) = whole.remove("it")
    {
        return Ok(table);
    }
    let mut table = toml::Table::new();
    for (at, pair) in parted(words).into_iter().enumerate() {
        let (key, value) = match pair.split_once('=') {
            Some((key, value)) => match key.trim().split_once(char::is_whitespace) {
                Some((id, key)) if at == 0 && of_seat => {
                    table.insert("id".to_owned(), id.into());
                    (key.trim(), value.trim())
                }
                _ => (key.trim(), value.trim()),
            },
            None if at == 0 && of_seat && !pair.contains(char::is_whitespace) => ("id", &*pair),
            None => {
                let (key, value) = pair.split_once(char::is_whitespace).unwrap_or(("KEY", &pair));
                return Err(format!("write KEY=VALUE, as in {key}={}", value.trim()).into());
            }
        };
        let read = format!("it = {value}").parse::<toml::Table>();
        let known = read.ok().and_then(|mut read| read.remove("it"));
        let text = || toml::Value::String(value.trim_matches('"').to_owned());
        if key.is_empty() || value.is_empty() {
            return Err(format!(
                "write KEY=VALUE: `{pair}` has no {}",
                if key.is_empty() { "key" } else { "value" }
            )
            .into());
        }
        table.insert(key.to_owned(), known.unwrap_or_else(text));
    }
    Ok(table)
}

/// Splits a line at its commas, but not within quotes or brackets.
pub(super) fn parted(words: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut part = String::new();
    let mut quoted = false;
    let mut depth = 0_i32;
    for c in words.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            _ => {}
        }
        part.push(c);
    }
    parts.push(part);
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}
