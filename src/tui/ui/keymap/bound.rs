//! The active keymap: the default bindings, partly replaced by the user's own.
//!
//! It is built once at start-up; conflicts are reported there with their position in the file. Texts on the screen look
//! up every key in the keymap, so that a changed binding shows everywhere.

use crate::model::command::COMMANDS;
use crate::model::near::nearest;
use crate::settings::Binding;
use crate::ui::action::Action;
use crate::ui::keymap::focus::Focus;
use crate::ui::keymap::listed::{line_of, parse_action};
use crate::ui::keymap::rows::{self, KeyRow, ROWS, row};
use crate::ui::keymap::spelling::{DIGITS, canonical, writes};
use crate::ui::terminal::english;

/// An invalid key binding: its position in the file, the problem, and the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: keys.{name}: {why}")]
pub struct Unfit {
    at: String,
    name: String,
    why: String,
}

/// A key binding.
#[derive(Clone, Debug)]
struct Bound {
    place: Focus,
    key: String,
    action: Action,
    /// True if hints may show the key; some terminals cannot send it.
    named: bool,
}

/// Places of the settings that have no keys of their own any more, with an earlier name.
const GONE: [&str; 4] = ["read", "table", "found", "prefix"];

/// Actions without a key any more: what they did is a row of a list, or typed.
const GONE_ACTIONS: [&str; 13] = [
    "prefix",
    "demo",
    "recorded",
    "connect",
    "address",
    "interject",
    "whisper",
    "note",
    "edit_queued",
    "accept_search",
    "profile",
    "vote",
    "pass",
];

/// Keys that most terminals send as a different key; hints show them only if the terminal is known to support them.
const RARE: [&str; 3] = ["shift-enter", "ctrl-enter", "ctrl-shift-enter"];

impl Bound {
    fn new(place: Focus, key: String, action: Action) -> Bound {
        let named = !RARE.contains(&&*key);
        Bound { place, key, action, named }
    }
}

/// Key bindings of every focus.
#[derive(Clone, Debug)]
pub struct Keymap {
    bound: Vec<Bound>,
    /// Keys that send a line, with it.
    lines: Vec<(String, String)>,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let rows = ROWS.iter().flat_map(|row| row.keys.iter().map(move |keys| (row, keys)));
        let bound = rows.flat_map(|(row, (place, keys))| {
            keys.iter().map(|key| Bound::new(*place, (*key).to_owned(), row.action))
        });
        Keymap { bound: bound.collect(), lines: vec![] }
    }
}

impl Keymap {
    /// Returns the default keymap with the user's own bindings.
    ///
    /// # Errors
    /// The first binding with an unknown focus, action, command or key, with a text key in a focus that accepts text,
    /// or in conflict with another binding.
    pub fn with(own: &[Binding]) -> Result<Keymap, Unfit> {
        let mut map = Keymap::default();
        let mut set = Vec::new();
        let (lines, actions) =
            own.iter().partition::<Vec<_>, _>(|binding| binding.place.is_empty());
        for binding in actions.into_iter().filter(|binding| !is_outdated(binding)) {
            let (place, action, keys) = read(binding).map_err(|why| unfit(binding, why))?;
            map.bound.retain(|b| (b.place, b.action) != (place, action));
            let keys = keys.into_iter().map(|key| Bound::new(place, key, action));
            set.extend(keys.map(|bound| (bound, binding)));
        }
        for (bound, binding) in set {
            if let Some(other) = map.taken(&bound) {
                let key = &bound.key;
                let name = name(other);
                let place = binding.place.as_str();
                return Err(unfit(
                    binding,
                    format!(
                        "`{key}` means {name} here; take another key, or set keys.{place}.{name}"
                    ),
                ));
            }
            map.bound.push(bound);
        }
        for binding in lines {
            let key = map.free_key(binding).map_err(|why| unfit(binding, why))?;
            // a later layer of the settings replaces the line of an earlier one
            map.lines.retain(|(other, _)| *other != key);
            map.lines.push((key, binding.action.clone()));
        }
        Ok(map)
    }

    /// Returns the key of a line in canonical spelling.
    fn free_key(&self, binding: &Binding) -> Result<String, String> {
        let Binding { keys, action: line, .. } = binding;
        let key = written_key(keys.first().map_or("", String::as_str), Focus::Write)?;
        if let Some(action) = self.action(Focus::Line, &key) {
            return Err(format!("`{key}` means {} here; take another key", name(action)));
        }
        let word = line.split_whitespace().next().unwrap_or_default();
        let command =
            word.strip_prefix('/').map(|name| COMMANDS.iter().any(|row| row.name == name));
        match command {
            _ if word.is_empty() => Err("a line is needed, as in \"/skip\"".into()),
            Some(false) if parse_action(line).is_none() => {
                Err(format!("unknown command `{word}`; / lists all"))
            }
            _ => Ok(key),
        }
    }

    /// Returns the keys that send a line, with it.
    pub fn lines(&self) -> impl Iterator<Item = (&str, &str)> {
        self.lines.iter().map(|(key, line)| (&**key, &**line))
    }

    /// Describes the bindings that have no effect because letters write, with the setting that replaces each.
    pub fn outdated(own: &[Binding]) -> Vec<String> {
        let told = own.iter().filter(|binding| is_outdated(binding)).map(|binding| {
            let Binding { place, action, at, .. } = binding;
            if GONE_ACTIONS.contains(&&**action) {
                return format!("{at}: keys.{place}.{action} does nothing: it is a row of a list");
            }
            let row = rows::by_name(action);
            let line = row.map_or_else(|| "/".to_owned(), |row| line_of(row.action));
            format!(
                "{at}: keys.{place}.{action} does nothing: letters write. Type {line}, or write [keys.write] {action} = \"alt-x\""
            )
        });
        told.collect()
    }

    /// Adapts hints to a terminal that distinguishes Shift-Enter from Enter; they prefer such keys.
    pub fn told_apart(mut self) -> Keymap {
        self.bound.iter_mut().for_each(|b| b.named = true);
        self.bound.sort_by_key(|b| !RARE.contains(&&*b.key));
        self
    }

    /// Returns the action that a key is already bound to.
    fn taken(&self, new: &Bound) -> Option<Action> {
        let found = self.bound.iter().find(|b| b.place == new.place && b.key == new.key);
        found.map(|b| b.action)
    }

    /// Returns the action of a key, including those inherited from the fallback focus.
    pub fn action(&self, place: Focus, key: &str) -> Option<Action> {
        let meant = |key: &str| {
            let found = self.bound.iter().find(|b| b.place == place && b.key == key);
            found.map(|b| b.action)
        };
        let digit = || match key.split_at_checked(key.len().checked_sub(1)?)? {
            (before, digit @ ("1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9")) => {
                match meant(&format!("{before}{DIGITS}"))? {
                    Action::Select(_) => digit.parse().ok().map(Action::Select),
                    Action::Tenth(_) => digit.parse().ok().map(Action::Tenth),
                    other => Some(other),
                }
            }
            _ => None,
        };
        let found = meant(key).or_else(digit);
        let found = found.or_else(|| self.action(behind(place, key)?, key));
        // letters of another layout are keys by their position, unless they are typed
        let by_position = || {
            let typed = key.parse().ok().filter(|_: &char| !place.takes_text())?;
            self.action(place, &english(typed)?.to_string())
        };
        found.or_else(by_position)
    }

    /// Returns the keys of an action that work in this terminal, the preferred one for hints first.
    pub fn keys(&self, action: Action, place: Focus) -> impl Iterator<Item = &str> {
        let action = row(action).map_or(action, |row| row.action);
        let fits = move |b: &&Bound| b.named && b.action == action && b.place == place;
        self.bound.iter().filter(fits).map(|b| b.key.as_str())
    }

    /// Returns the key of an action for hints. A key of the fallback focus counts only if it is not bound here.
    pub fn key(&self, action: Action, place: Focus) -> Option<&str> {
        let own = self.keys(action, place).next();
        own.or_else(|| {
            let inherited = self.key(action, place.behind()?)?;
            behind(place, inherited)?;
            self.bound.iter().all(|b| b.place != place || b.key != inherited).then_some(inherited)
        })
    }

    /// Describes the way to an action, for use in a sentence: its key, or the line that runs it.
    pub fn way(&self, action: Action, place: Focus) -> String {
        self.key(action, place).map_or_else(|| line_of(action), str::to_owned)
    }
}

/// Returns the focus that handles a key without a binding in `place`; `None` if the key writes there.
fn behind(place: Focus, key: &str) -> Option<Focus> {
    let behind = place.behind()?;
    let is_text = place.takes_text() && !behind.takes_text() && writes(key);
    (!is_text).then_some(behind)
}

/// Returns whether a binding is for keys of the transcript, which were letters, or for keys after a prefix.
fn is_outdated(binding: &Binding) -> bool {
    GONE.contains(&&*binding.place) || GONE_ACTIONS.contains(&&*binding.action)
}

fn unfit(binding: &Binding, why: String) -> Unfit {
    let Binding { place, action, keys, at } = binding;
    let name = if place.is_empty() { keys.concat() } else { format!("{place}.{action}") };
    Unfit { at: at.clone(), name, why }
}

/// Returns the name of an action in the configuration file.
fn name(action: Action) -> String {
    row(action).map(KeyRow::name).unwrap_or_default()
}

/// Parses a binding into its focus, its action, and its keys in canonical spelling.
fn read(binding: &Binding) -> Result<(Focus, Action, Vec<String>), String> {
    let named = Focus::by_name(&binding.place);
    let place = named.ok_or_else(|| {
        let all = Focus::ALL.map(Focus::name).into_iter().filter(|name| !GONE.contains(name));
        let all = all.collect::<Vec<_>>().join(", ");
        format!("unknown place `{}`; one of: {all}", binding.place)
    })?;
    let row = rows::by_name(&binding.action).ok_or_else(|| {
        let names: Vec<String> = ROWS.iter().map(KeyRow::name).collect();
        let near = nearest(&binding.action, names.iter().map(String::as_str));
        let near = near.map(|near| format!("; the nearest is `{near}`")).unwrap_or_default();
        format!("unknown action{near} (`colloquium keys` lists all)")
    })?;
    let keys = binding.keys.iter().map(|written| written_key(written, place));
    Ok((place, row.action, keys.collect::<Result<_, _>>()?))
}

/// Returns the canonical spelling of a key that can be bound in a focus.
fn written_key(written: &str, place: Focus) -> Result<String, String> {
    let key = canonical(written).ok_or_else(|| {
        format!("not a key: `{written}`; keys are spelled like \"x\", \"ctrl-d\", \"f3\"")
    })?;
    if place.takes_text() && writes(&key) {
        Err(format!("`{key}` types text here; use a key with ctrl- or alt-, as in \"alt-x\""))
    } else {
        Ok(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(place: &str, action: &str, keys: &[&str]) -> Binding {
        Binding {
            place: place.into(),
            action: action.into(),
            keys: keys.iter().map(|k| (*k).into()).collect(),
            at: "config.toml:3:8".into(),
        }
    }

    #[test]
    fn no_key_stands_twice_in_one_place() {
        let map = Keymap::default();
        for (i, bound) in map.bound.iter().enumerate() {
            let again = map.bound[..i].iter().any(|b| b.place == bound.place && b.key == bound.key);
            assert!(!again, "{bound:?} stands twice");
            assert_eq!(canonical(&bound.key).as_ref(), Some(&bound.key), "its spelling");
            // these have a meaning on the empty line only
            let first = bound.place == Focus::Line
                && ["space", "?", "delete"].contains(&bound.key.as_str());
            let text = bound.place.takes_text() && writes(&bound.key) && !first;
            assert!(!text, "{bound:?} is text");
        }
    }

    #[test]
    fn every_action_can_be_set_anew() {
        for row in ROWS {
            let here = row.keys.iter().filter(|(place, _)| !GONE.contains(&place.name()));
            for (place, _) in here {
                let map = Keymap::with(&[own(place.name(), &row.name(), &["alt-f12"])]).unwrap();
                assert_eq!(map.action(*place, "alt-f12"), Some(row.action));
                assert_eq!(map.key(row.action, *place), Some("alt-f12"));
            }
        }
    }

    #[test]
    fn letters_of_other_layouts_are_keys_where_nothing_is_typed() {
        let keymap = Keymap::default();
        for (typed, key) in [("о", "j"), ("П", "G"), ("ξ", "j"), ("ח", "j"), ("ت", "j")] {
            assert_eq!(
                keymap.action(Focus::Read, typed),
                keymap.action(Focus::Read, key),
                "{typed}"
            );
            assert!(keymap.action(Focus::Read, typed).is_some(), "{typed}");
            assert_eq!(keymap.action(Focus::Write, typed), None, "{typed}");
        }
    }

    #[test]
    fn a_key_is_named_only_where_it_works() {
        let map = Keymap::default();
        assert_eq!(map.action(Focus::Write, "shift-enter"), Some(Action::NewLine));
        assert_eq!(map.keys(Action::NewLine, Focus::Write).last(), Some("alt-enter"));
        assert_eq!(map.told_apart().key(Action::NewLine, Focus::Write), Some("shift-enter"));
    }

    #[test]
    fn set_replaces_the_previous_value() {
        let own = [own("write", "send", &["ctrl-s"]), own("line", "skip", &[])];
        let map = Keymap::with(&own).unwrap();
        assert_eq!(map.action(Focus::Write, "enter"), None);
        assert_eq!(map.action(Focus::Line, "ctrl-s"), Some(Action::Send), "as for text");
        assert_eq!(map.way(Action::Skip, Focus::Line), "/skip");
        assert_eq!(map.way(Action::PauseNow, Focus::Write), "/stop");
    }

    #[test]
    fn a_binding_of_a_letter_that_writes_is_ignored_and_named() {
        let old = [
            own("read", "skip", &["x"]),
            own("table", "mute", &["x"]),
            own("pen", "send", &["f5"]),
        ];
        assert_eq!(Keymap::with(&old).unwrap().key(Action::Send, Focus::Write), Some("f5"));
        let told = Keymap::outdated(&old);
        let first = "config.toml:3:8: keys.read.skip does nothing: letters write. Type /skip, or write \
                     [keys.write] skip = \"alt-x\"";
        assert_eq!((told.len(), &*told[0]), (2, first));
    }

    #[test]
    fn no_letter_is_a_key_of_a_marked_message() {
        let map = Keymap::default();
        assert_eq!(map.action(Focus::Read, "y"), Some(Action::Copy));
        assert!((' '..='~').all(|c| map.action(Focus::Marked, &c.to_string()).is_none()));
        assert_eq!(map.key(Action::Copy, Focus::Marked), None);
        assert_eq!(map.action(Focus::Marked, "enter"), Some(Action::Menu));
    }

    #[test]
    fn places_and_actions_are_also_read_by_the_names_that_they_had_before() {
        for (place, action, focus, now) in [
            ("pen", "send", Focus::Write, Action::Send),
            ("list", "run_entry", Focus::Pick, Action::RunEntry),
            ("figures", "open_event", Focus::Analysis, Action::OpenEvent),
            ("figures", "figures", Focus::Analysis, Action::Analysis),
        ] {
            let map = Keymap::with(&[own(place, action, &["alt-f12"])]).unwrap();
            assert_eq!(map.key(now, focus), Some("alt-f12"), "keys.{place}.{action}");
        }
    }

    #[test]
    fn a_fault_names_its_place_and_the_way_out() {
        for (binding, words) in [
            (own("lien", "skip", &["x"]), "unknown place `lien`; one of: marked"),
            (own("line", "skpi", &["x"]), "the nearest is `skip`"),
            (own("line", "skip", &["cltr-x"]), "not a key: `cltr-x`"),
            (own("write", "send", &["f1"]), "`f1` means help here; take another key"),
            (own("line", "skip", &["alt-y", "alt-y"]), "`alt-y` means skip here"),
            (own("write", "send", &["z"]), "`z` types text here"),
            (own("", "/skip", &["s"]), "keys.s: `s` types text here"),
            (own("", "/skip", &["alt-z"]), "keys.alt-z: `alt-z` means restore_draft here"),
            (own("", "/skpi", &["alt-s"]), "unknown command `/skpi`"),
            (own("", " ", &["alt-s"]), "a line is needed"),
        ] {
            let fault = Keymap::with(&[binding]).unwrap_err().to_string();
            assert!(
                fault.contains(words) && fault.starts_with("config.toml:3:8: keys."),
                "{fault}"
            );
        }
    }
}
