//! Key bindings as rows: every action with its group, its descriptions, and its default keys.

use crate::ui::action::{Action, actions};
use crate::ui::keymap::focus::Focus;

crate::words! {
    /// Section of the help that an action is listed in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Group {
        /// Control of the floor.
        Floor = "floor",
        /// Navigation in a recording.
        Replay = "replay",
        /// Reading and navigation in the transcript.
        Reading = "reading",
        /// Taking part in the conversation.
        Writing = "writing",
        /// The program itself.
        App = "app",
        Start = "start screen",
    }
    /// Returns the heading of the section.
    fn heading()
}

/// An action with its descriptions and its default keys.
pub struct KeyRow {
    pub action: Action,
    /// Section of the help.
    pub group: Group,
    /// True if it can be run from a list.
    pub listed: bool,
    /// Short name for hints.
    pub hint: &'static str,
    /// Description of the effect.
    pub title: &'static str,
    /// Default keys per focus; hints show the first one.
    pub keys: &'static [(Focus, &'static [&'static str])],
}

impl KeyRow {
    /// Returns the `/command` of the action.
    pub fn command(&self) -> String {
        format!("/{}", self.name().replace('_', "-"))
    }

    /// Returns the name of the action in the configuration file.
    pub fn name(&self) -> String {
        let variant = format!("{:?}", self.action);
        let mut name = String::new();
        for c in variant.chars().take_while(|c| *c != '(') {
            if c.is_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        }
        name
    }
}

macro_rules! rows {
    ($($action:ident $(($_number:ty = $first:literal))? $group:ident $($unlisted:ident)? $hint:literal $title:literal
        $($focus:ident [$($key:literal)*])* => |$_screen:pat_param $(, $_n:ident)?| $_effect:expr;)*) => {
        /// All actions, in the order of the help.
        pub static ROWS: &[KeyRow] = &[
            $(KeyRow {
                action: Action::$action $(($first))?,
                group: Group::$group,
                listed: listed!($($unlisted)?),
                hint: $hint,
                title: $title,
                keys: &[$((Focus::$focus, &[$($key),*])),*],
            },)*
        ];
    };
}

macro_rules! listed {
    () => {
        true
    };
    (unlisted) => {
        false
    };
}
actions!(rows);

/// Earlier names of actions, which configuration files may still contain, with the current ones.
const RENAMED: [(&str, &str); 6] = [
    ("figures", "analysis"),
    ("alternatives", "versions"),
    ("graph", "dependencies"),
    ("pick", "select"),
    ("pick_next", "select_next"),
    ("pick_previous", "select_previous"),
];

/// Returns the row of an action by its name in the configuration file; earlier names are accepted.
pub fn by_name(name: &str) -> Option<&'static KeyRow> {
    let renamed = RENAMED.iter().find(|(old, _)| *old == name);
    let name = renamed.map_or(name, |(_, new)| new);
    ROWS.iter().find(|row| row.name() == name)
}

pub fn row(action: Action) -> Option<&'static KeyRow> {
    let wanted = match action {
        Action::Select(_) => Action::Select(1),
        Action::Tenth(_) => Action::Tenth(1),
        other => other,
    };
    ROWS.iter().find(|r| r.action == wanted)
}
