//! Keyboard focus: the part of the screen that receives keys, its fallback, and whether letters are text there.

crate::words! {
    /// Part of the screen that receives keys.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Focus {
        /// The transcript of a conversation that is watched: letters are keys.
        Read = "read",
        /// A marked message, while letters write: bindings that differ from [`Read`](Focus::Read).
        Marked = "marked",
        /// A recording: bindings that differ from [`Read`](Focus::Read).
        Replay = "replay",
        /// The composer: letters are text.
        Write = "write",
        /// The empty composer: bindings that differ from [`Write`](Focus::Write).
        Line = "line",
        /// The search field: letters are text.
        Search = "search",
        /// A list of commands or keys: letters edit its filter.
        Pick = "pick",
        /// The analysis pane.
        Analysis = "analysis",
        /// A page over the transcript, such as a message, a prompt, a link or a comparison.
        Page = "page",
        /// The fields of the start screen: letters are text.
        Start = "start",
        /// A list row of the start screen, or after its prefix key: letters are commands; bindings that differ from its
        /// fields.
        StartList = "start_list",
    }
    /// Returns the name in the configuration file.
    fn name()
}

impl Focus {
    /// Returns the focus with a name from the configuration file; earlier names are accepted.
    pub fn by_name(name: &str) -> Option<Focus> {
        let name = match name {
            "table" => "read",
            "pen" => "write",
            "list" => "pick",
            "figures" => "analysis",
            name => name,
        };
        Focus::ALL.into_iter().find(|focus| focus.name() == name)
    }

    /// Returns the focus that handles keys without a binding here.
    pub fn behind(self) -> Option<Focus> {
        match self {
            Focus::Replay | Focus::Marked => Some(Focus::Read),
            Focus::Line => Some(Focus::Write),
            Focus::StartList => Some(Focus::Start),
            _ => None,
        }
    }

    /// Returns `true` if letters are text; on a marked message they begin a line.
    pub fn takes_text(self) -> bool {
        use Focus::{Line, Marked, Pick, Search, Start, Write};
        matches!(self, Write | Line | Marked | Search | Pick | Start)
    }
}
