//! `keys`: prints the key map of the screen, including the user's own bindings.

use crate::cli::appearance::outdated;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::ui::keymap::{Focus, KeyRow, Keymap, ROWS};
use crate::ui::view::list::keys;
use clap::Args;
use serde_json::{Map, Value, json};

/// Width of the key column, in cells.
const KEYS_WIDTH: usize = 26;
/// Width of the name column, in cells.
const NAME_WIDTH: usize = 16;

/// Print the key map, with the names used in the settings
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl KeysArgs {
    /// Prints the key bindings of the screen, including the user's own.
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        let settings = context.settings()?;
        context.warn_once(&outdated(&settings));
        let keymap = Keymap::with(&settings.keys)?;
        let out = if self.json {
            let lines = keymap.lines().map(|(key, line)| json!({"line": line, "keys": [key]}));
            let rows = bound(&keymap).map(|row| one(row, &keymap)).chain(lines);
            format!("{:#}\n", rows.collect::<Value>())
        } else {
            table(&keymap)
        };
        output::text(&out)
    }
}

/// Returns the actions that have a key.
fn bound(keymap: &Keymap) -> impl Iterator<Item = &'static KeyRow> {
    let has_key = move |row: &&KeyRow| {
        let mut places = Focus::ALL.into_iter();
        places.any(|place| keymap.keys(row.action, place).next().is_some())
    };
    ROWS.iter().filter(has_key)
}

fn one(row: &KeyRow, keymap: &Keymap) -> Value {
    let places = Focus::ALL.into_iter().filter_map(|place| {
        let keys: Vec<&str> = keymap.keys(row.action, place).collect();
        (!keys.is_empty()).then(|| (place.name().to_owned(), keys.into()))
    });
    json!({
        "action": row.name(),
        "group": row.group.heading(),
        "meaning": row.title,
        "keys": places.collect::<Map<_, _>>(),
    })
}

/// Formats one line per action, grouped and ordered as in the help.
fn table(keymap: &Keymap) -> String {
    let mut out = String::new();
    let mut group = None;
    let mut rows: Vec<&KeyRow> = bound(keymap).collect();
    rows.sort_by_key(|row| row.group as u8);
    for row in rows {
        if group.replace(row.group) != Some(row.group) {
            out.push_str(&format!("{}\n", row.group.heading().to_uppercase()));
        }
        let keys = keys(row, keymap);
        let name = row.name();
        out.push_str(&format!("  {keys:KEYS_WIDTH$}  {name:NAME_WIDTH$}  {}\n", row.title));
    }
    for (key, line) in keymap.lines() {
        out.push_str(&format!("  {key:KEYS_WIDTH$}  {line}\n"));
    }
    let places = Focus::ALL.map(Focus::name).join(", ");
    out + &format!(
        "\nLetters act in recordings and in `watch`; elsewhere they are text.\n\n\
         To change one: in config.toml, [keys.PLACE] NAME = \"KEY\", or several in brackets. PLACE is one of:\n\
         {places}.\nTo send a line with a key: [keys] alt-s = \"/skip\".\n"
    )
}
