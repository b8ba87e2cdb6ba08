//! The part of the screen that has the keyboard: which keys work there, and whether letters are text.

/// The part of the screen that receives keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// Watching: letters are commands.
    Read,
    /// A recording: keys that differ from those for reading.
    Replay,
    /// Watching, after a search: what differs from the table.
    Found,
    /// Writing: letters are text.
    Write,
    /// Behind Ctrl-X: what differs from the table.
    Prefix,
    /// The search field: letters are text.
    Search,
    /// A list of commands or keys: letters narrow it down.
    Pick,
    /// The analysis of the conversation.
    Analysis,
    /// An overlay to read: a single message, a prompt, a link, a comparison.
    Page,
    /// The start screen: letters are text of its fields.
    Start,
    /// A row of its lists, or behind Ctrl-X: letters are commands; what differs from its fields.
    StartList,
}

impl Focus {
    /// Every place, in the order in which help lists them.
    pub const ALL: [Focus; 11] = [
        Focus::Read,
        Focus::Replay,
        Focus::Found,
        Focus::Write,
        Focus::Prefix,
        Focus::Search,
        Focus::Pick,
        Focus::Analysis,
        Focus::Page,
        Focus::Start,
        Focus::StartList,
    ];

    /// Returns how the settings spell it.
    pub fn name(self) -> &'static str {
        match self {
            Focus::Read => "read",
            Focus::Replay => "replay",
            Focus::Found => "found",
            Focus::Write => "write",
            Focus::Prefix => "prefix",
            Focus::Search => "search",
            Focus::Pick => "pick",
            Focus::Analysis => "analysis",
            Focus::Page => "page",
            Focus::Start => "start",
            Focus::StartList => "start_list",
        }
    }

    /// Returns the place that the settings name, also by the name that it had before.
    pub fn named(name: &str) -> Option<Focus> {
        let name = match name {
            "table" => "read",
            "pen" => "write",
            "list" => "pick",
            "figures" => "analysis",
            name => name,
        };
        Focus::ALL.into_iter().find(|focus| focus.name() == name)
    }

    /// Returns the place whose keys also work here, where this one has none of its own.
    pub fn behind(self) -> Option<Focus> {
        match self {
            Focus::Replay | Focus::Found | Focus::Prefix => Some(Focus::Read),
            Focus::StartList => Some(Focus::Start),
            Focus::Read
            | Focus::Write
            | Focus::Search
            | Focus::Pick
            | Focus::Analysis
            | Focus::Page
            | Focus::Start => None,
        }
    }

    /// Returns the place whose keys work after the prefix.
    pub fn prefixed(self) -> Focus {
        match self {
            Focus::Start | Focus::StartList => Focus::StartList,
            Focus::Read
            | Focus::Replay
            | Focus::Found
            | Focus::Write
            | Focus::Prefix
            | Focus::Search
            | Focus::Pick
            | Focus::Analysis
            | Focus::Page => Focus::Prefix,
        }
    }

    /// Returns whether letters are text here.
    pub fn takes_text(self) -> bool {
        match self {
            Focus::Write | Focus::Search | Focus::Pick | Focus::Start => true,
            Focus::Read
            | Focus::Replay
            | Focus::Found
            | Focus::Prefix
            | Focus::Analysis
            | Focus::Page
            | Focus::StartList => false,
        }
    }
}
