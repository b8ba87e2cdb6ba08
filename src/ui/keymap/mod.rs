//! Which key means which action: one table to begin with, and the [`Keymap`] that it becomes with the user's own keys.
//! Hints, help and the list of commands are made from that map alone.

mod bound;
mod spelling;

pub use crate::ui::keymap::bound::{Keymap, Unfit};
pub use crate::ui::keymap::spelling::spell;

use crate::ui::action::Action;

/// Where the keyboard is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Watching: letters are commands.
    Table,
    /// Watching a recording: what differs from the table.
    Replay,
    /// Watching, after a search: what differs from the table.
    Found,
    /// Writing: letters are text.
    Pen,
    /// Behind Ctrl-X: what differs from the table.
    Prefix,
    /// Typing what is looked for.
    Search,
    /// A list of commands or keys: letters narrow it down.
    List,
    /// Reading the figures.
    Figures,
    /// The start screen: letters are text of its fields.
    Start,
    /// A row of its lists, or behind Ctrl-X: letters are commands; what differs from its fields.
    StartList,
}

impl Place {
    /// Every place.
    pub const ALL: [Place; 10] = [
        Place::Table,
        Place::Replay,
        Place::Found,
        Place::Pen,
        Place::Prefix,
        Place::Search,
        Place::List,
        Place::Figures,
        Place::Start,
        Place::StartList,
    ];

    /// Returns how the settings spell it.
    pub fn name(self) -> &'static str {
        match self {
            Place::Table => "table",
            Place::Replay => "replay",
            Place::Found => "found",
            Place::Pen => "pen",
            Place::Prefix => "prefix",
            Place::Search => "search",
            Place::List => "list",
            Place::Figures => "figures",
            Place::Start => "start",
            Place::StartList => "start_list",
        }
    }

    /// Returns the place whose keys hold here as well, where this one has none of its own.
    pub fn behind(self) -> Option<Place> {
        match self {
            Place::Replay | Place::Found | Place::Prefix => Some(Place::Table),
            Place::StartList => Some(Place::Start),
            Place::Table
            | Place::Pen
            | Place::Search
            | Place::List
            | Place::Figures
            | Place::Start => None,
        }
    }

    /// Returns the place whose keys hold behind the prefix.
    pub fn prefixed(self) -> Place {
        match self {
            Place::Start | Place::StartList => Place::StartList,
            Place::Table
            | Place::Replay
            | Place::Found
            | Place::Pen
            | Place::Prefix
            | Place::Search
            | Place::List
            | Place::Figures => Place::Prefix,
        }
    }

    /// Returns whether letters are text here.
    pub fn takes_text(self) -> bool {
        match self {
            Place::Pen | Place::Search | Place::List | Place::Start => true,
            Place::Table
            | Place::Replay
            | Place::Found
            | Place::Prefix
            | Place::Figures
            | Place::StartList => false,
        }
    }
}

/// Which part of the help an action stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Who speaks, and when.
    Floor,
    /// Moving through a recording.
    Replay,
    /// Moving through what was said.
    Reading,
    /// Joining in.
    Writing,
    /// The program itself.
    App,
    /// The start screen.
    Start,
}

/// One row: an action, what people call it, and its keys in each place.
pub struct Row {
    /// What it does.
    pub action: Action,
    /// Where the help lists it.
    pub group: Group,
    /// The short word of a hint.
    pub hint: &'static str,
    /// What it does, in words.
    pub title: &'static str,
    /// Its keys, by place; the first one is the one that hints name.
    pub keys: &'static [(Place, &'static [&'static str])],
}

macro_rules! row {
    ($action:ident $group:ident $hint:literal $title:literal $($place:ident [$($key:literal)*])*) => {
        Row {
            action: Action::$action,
            group: Group::$group,
            hint: $hint,
            title: $title,
            keys: &[$((Place::$place, &[$($key),*])),*],
        }
    };
}

impl Row {
    /// Returns how the settings spell the action.
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

/// Every action that has a key, in the order of the help.
pub const ROWS: &[Row] = &[
    row!(TogglePause Floor "pause" "pause after this speaker, or go on" Table ["space" "f3"]),
    row!(Step Floor "step" "one utterance, then pause again" Table ["."]),
    row!(Skip Floor "skip" "stop this speaker, or pass over the next" Table ["s"]),
    row!(PauseNow Floor "stop now" "stop whoever speaks and pause" Table ["S"]),
    row!(Retry Floor "retry" "speak the last utterance again; the old one is kept" Table ["r"]),
    row!(Vote Floor "vote" "call a vote on a question" Table ["V"]),
    row!(Undo Floor "take back" "take back what was just done" Table ["U"]),
    row!(MoreRound Floor "one more round" "one more round at a limit, or after the end" Table ["+"]),
    Row {
        action: Action::Pick(1),
        group: Group::Floor,
        hint: "pick",
        title: "put a seat forward",
        keys: &[(Place::Table, &[spelling::DIGITS]), (Place::Figures, &[spelling::DIGITS])],
    },
    row!(GiveFloor Floor "floor" "give the floor to the seat put forward" Table ["f"]),
    row!(Mute Floor "mute" "mute or unmute the seat put forward" Table ["m"]),
    row!(Seat Floor "cast" "all that can be done with the seat put forward" Table ["C"]),
    row!(Pass Floor "pass" "let the turn of your seat go" Table ["P"]),
    row!(PickNext Floor "pick" "put the next seat forward" Table ["tab"]),
    row!(PickPrevious Floor "pick back" "put the seat before forward" Table ["shift-tab"]),
    row!(PlayPause Replay "play/pause" "play the recording, or stand still" Replay ["space"]),
    row!(UtteranceBack Replay "back" "back to the end of an utterance before" Replay ["left" "<"]),
    row!(UtteranceOn Replay "on" "to the end of the next utterance" Replay ["right" ">"]),
    row!(TextBack Replay "text back" "one text back" Replay [","]),
    row!(TextOn Replay "text" "one text further" Replay ["."]),
    row!(MarkBack Replay "mark back" "to the mark before" Replay ["["]),
    row!(MarkOn Replay "mark" "to the next mark" Replay ["]"]),
    Row {
        action: Action::Tenth(1),
        group: Group::Replay,
        hint: "jump",
        title: "so many tenths from the beginning",
        keys: &[(Place::Replay, &[spelling::DIGITS])],
    },
    row!(Begin Replay "beginning" "to the beginning of the recording" Replay ["0"]),
    row!(Slower Replay "slower" "play slower" Replay ["-"]),
    row!(Faster Replay "faster" "play faster" Replay ["+" "="]),
    row!(Waits Replay "waits" "shorten waits, or no longer" Replay ["w"]),
    row!(Write Writing "write" "write to the table" Table ["i" "enter"]),
    row!(Send Writing "send" "send, after this speaker" Pen ["enter"]),
    row!(CutIn Writing "cut in" "send, and stop whoever speaks" Prefix ["enter"]),
    row!(NewLine Writing "new line" "a new line" Pen ["ctrl-j" "alt-enter" "shift-enter"]),
    row!(Complete Writing "complete" "complete a name or a command" Pen ["tab"]),
    row!(Earlier Writing "earlier" "a row up, then what was sent before" Pen ["up"]),
    row!(Later Writing "later" "a row down, then what was sent after" Pen ["down"]),
    row!(History Writing "history" "search in what was sent before" Pen ["ctrl-r"]),
    row!(Editor Writing "editor" "write it in your own editor" Prefix ["e"]),
    row!(Unfold Writing "unfold" "open a pasted text that was folded" Prefix ["o"]),
    row!(RestoreDraft Writing "bring back" "bring back what ctrl-c cleared" Prefix ["u"]),
    row!(Whisper Writing "whisper" "a word to the seat put forward alone" Table ["w"]),
    row!(Note Writing "note" "a note for what they are shown" Table ["N"]),
    row!(EditQueued Writing "edit" "change words that wait" Table ["e"]),
    row!(DropQueued Writing "drop" "take back words that wait" Table ["x"]),
    row!(LineUp Reading "up" "a line up" Table ["up" "k"] Figures ["up" "k"]),
    row!(LineDown Reading "down" "a line down" Table ["down" "j"] Figures ["down" "j"]),
    row!(HalfUp Reading "half up" "half a page up" Table ["ctrl-u"]),
    row!(HalfDown Reading "half down" "half a page down" Table ["ctrl-d"]),
    row!(PageUp Reading "page up" "a page up" Table ["pgup"] Pen ["pgup"] Figures ["pgup"]),
    row!(PageDown Reading "page down" "a page down" Table ["pgdn"] Pen ["pgdn"] Figures ["pgdn"]),
    row!(Top Reading "top" "the beginning" Table ["g" "home"] Figures ["g" "home"]),
    row!(Follow Reading "follow" "the end, and follow what comes" Table ["end" "G"]),
    row!(MessageUp Reading "message up" "the message before" Table ["K" "shift-up"]),
    row!(MessageDown Reading "message down" "the message after" Table ["J" "shift-down"]),
    row!(Search Reading "search" "look for words, or from:NAME" Table ["/"]),
    row!(NextFound Reading "next" "the next place found" Found ["n"] Search ["down" "ctrl-n"]),
    row!(PreviousFound Reading "previous" "the place found before" Found ["N"] Search ["up" "ctrl-p"]),
    row!(AcceptSearch Reading "stand there" "stay where the search stands" Search ["enter"]),
    row!(Copy Reading "copy" "copy the message read, as it was written" Table ["y"] Figures ["y"]),
    row!(CopyPlain Reading "copy plain" "copy it as plain text" Table ["Y"]),
    row!(SelectLines Reading "select lines" "choose lines of it, and copy them" Table ["v"]),
    row!(CopyCode Reading "copy code" "copy a block of its code" Table ["c"]),
    row!(Links Reading "links" "the links of the message that is read" Table ["u"]),
    row!(Zoom Reading "zoom" "the message that is read, alone" Table ["z"]),
    row!(Prompt Reading "prompt" "the exact prompt that its speaker was shown" Table ["p"]),
    row!(Graph Reading "who waits" "who waits for whom, and what has come" Table ["d"]),
    row!(Filter Reading "only one" "one speaker's words alone, or all again" Table ["F"]),
    row!(Mark Reading "bookmark" "set a bookmark here" Table ["*"]),
    row!(MarkUp Reading "bookmark up" "the bookmark before" Table ["["]),
    row!(MarkDown Reading "bookmark down" "the bookmark after" Table ["]"]),
    row!(Fork Reading "branch" "branch off behind the message that is read" Table ["B"]),
    row!(Tree Reading "tree" "what branched off what; a branch beside this talk" Table ["T"]),
    row!(Compare Reading "compare" "another session beside this talk" Table ["|"]),
    row!(Alternatives Reading "alternatives" "every text of the message read, and which counts" Table ["A"]),
    row!(Reasoning Reading "reasoning" "open or fold the reasoning of the message read" Table ["o"]),
    row!(AllReasoning Reading "all reasoning" "open or fold all reasoning" Table ["O"]),
    row!(Figures Reading "figures" "the figures: who spoke when, cost, mentions, events" Table ["a"] Figures ["a"]),
    row!(OpenEvent Reading "open" "go to the event in the transcript" Figures ["enter"]),
    row!(Export App "export" "write the session as a page, a text or data" Table ["E"] Figures ["E"]),
    row!(Palette App "commands" "all commands" Table [":" "ctrl-p"] Pen ["ctrl-p"]),
    row!(Help App "help" "all keys" Table ["?" "f1"] Pen ["f1"] Figures ["?" "f1"] Start ["f1"] StartList ["?"]),
    row!(Prefix App "table keys" "the next key as where letters are commands" Table ["ctrl-x"] Pen ["ctrl-x"] Start ["ctrl-x"]),
    row!(EntryUp App "previous" "the entry before" List ["up" "ctrl-p"] Start ["up"]),
    row!(EntryDown App "next" "the entry after" List ["down" "ctrl-n" "tab"] Start ["down"]),
    row!(RunEntry App "run" "run the entry, or begin" List ["enter"] Start ["enter"]),
    row!(Back App "back" "outwards; destroys nothing" Table ["esc"] Pen ["esc"] List ["esc"] Search ["esc"] Figures ["esc" "q"] Start ["esc"]),
    row!(Theme App "theme" "try on another theme" Table ["t"]),
    row!(Panels App "panels" "panels always, never, or where they fit" Table ["b"]),
    row!(Raw App "raw" "words as they were written, for the mouse to select" Table ["R"]),
    row!(Redraw App "redraw" "draw everything anew" Table ["ctrl-l"] Pen ["ctrl-l"] Figures ["ctrl-l"]),
    row!(Suspend App "suspend" "pause, and back to the shell for a while" Table ["ctrl-z"] Pen ["ctrl-z"] Figures ["ctrl-z"] Start ["ctrl-z"]),
    row!(Interrupt App "stop" "clear, stop the reply, leave" Table ["ctrl-c"] Pen ["ctrl-c"] List ["ctrl-c"] Search ["ctrl-c"] Figures ["ctrl-c"] Start ["ctrl-c"]),
    row!(Home App "start screen" "back to the start screen; the session is saved" Table ["h"]),
    row!(Quit App "quit" "leave; the session is saved" Table ["q"] StartList ["q"]),
    row!(NextField Start "next field" "the next field" Start ["tab"]),
    row!(PreviousField Start "field before" "the field before" Start ["shift-tab"]),
    row!(TurnOn Start "change" "the next scenario, the next voice" Start ["right"]),
    row!(TurnBack Start "change back" "the one before" Start ["left"]),
    row!(ReplaySession Start "replay" "play the session again" StartList ["r"]),
    row!(CompareSessions Start "compare" "two sessions side by side" StartList ["c"]),
    row!(DropSession Start "delete" "move the session to the trash" StartList ["x"]),
    row!(Demo Start "demo" "the rehearsed debate" StartList ["d"]),
    row!(Recorded Start "recorded" "a recorded debate" StartList ["w"]),
    row!(Connect Start "connect" "connect a provider" StartList ["k"]),
];

/// Returns the row of an action.
pub fn row(action: Action) -> Option<&'static Row> {
    let wanted = match action {
        Action::Pick(_) => Action::Pick(1),
        Action::Tenth(_) => Action::Tenth(1),
        other => other,
    };
    ROWS.iter().find(|r| r.action == wanted)
}
