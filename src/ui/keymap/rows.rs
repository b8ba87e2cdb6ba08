//! The table of keys: every action, what people call it, and its keys in each place.

use crate::ui::action::Action;
use crate::ui::keymap::focus::Focus;
use crate::ui::keymap::spelling;

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
pub struct KeyRow {
    /// What it does.
    pub action: Action,
    /// Where the help lists it.
    pub group: Group,
    /// The short word of a hint.
    pub hint: &'static str,
    /// What it does, in words.
    pub title: &'static str,
    /// Its keys, by place; the first one is the one that hints name.
    pub keys: &'static [(Focus, &'static [&'static str])],
}

macro_rules! row {
    ($action:ident $group:ident $hint:literal $title:literal $($place:ident [$($key:literal)*])*) => {
        KeyRow {
            action: Action::$action,
            group: Group::$group,
            hint: $hint,
            title: $title,
            keys: &[$((Focus::$place, &[$($key),*])),*],
        }
    };
}

impl Group {
    /// Returns its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Group::Floor => "floor",
            Group::Replay => "replay",
            Group::Reading => "reading",
            Group::Writing => "writing",
            Group::App => "app",
            Group::Start => "start screen",
        }
    }
}

impl KeyRow {
    /// Returns its `/command`.
    pub fn command(&self) -> String {
        format!("/{}", self.name().replace('_', "-"))
    }

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
pub const ROWS: &[KeyRow] = &[
    row!(TogglePause Floor "pause" "pause after this speaker, or go on" Read ["space" "f3"]),
    row!(Step Floor "step" "one utterance, then pause again" Read ["."]),
    row!(Skip Floor "skip" "stop this speaker, or pass over the next" Read ["s"]),
    row!(PauseNow Floor "stop now" "stop whoever speaks and pause" Read ["S"]),
    row!(Retry Floor "retry" "speak the last utterance again; the old one is kept" Read ["r"]),
    row!(Vote Floor "vote" "call a vote on a question" Read ["V"]),
    row!(Undo Floor "take back" "take back what was just done" Read ["U"]),
    row!(MoreRound Floor "one more round" "one more round at a limit, or after the end" Read ["+"]),
    KeyRow {
        action: Action::Select(1),
        group: Group::Floor,
        hint: "pick",
        title: "put a seat forward",
        keys: &[(Focus::Read, &[spelling::DIGITS]), (Focus::Analysis, &[spelling::DIGITS])],
    },
    row!(GiveFloor Floor "floor" "give the floor to the seat put forward" Read ["f"]),
    row!(Mute Floor "mute" "mute or unmute the seat put forward" Read ["m"]),
    row!(Seat Floor "cast" "all that can be done with the seat put forward" Read ["C"]),
    row!(Pass Floor "pass" "let the turn of your seat go" Read ["P"]),
    row!(SelectNext Floor "pick" "put the next seat forward" Read ["tab"]),
    row!(SelectPrevious Floor "pick back" "put the seat before forward" Read ["shift-tab"]),
    row!(PlayPause Replay "play/pause" "play the recording, or stand still" Replay ["space"]),
    row!(UtteranceBack Replay "back" "back to the end of an utterance before" Replay ["left" "<"]),
    row!(UtteranceOn Replay "on" "to the end of the next utterance" Replay ["right" ">"]),
    row!(TextBack Replay "text back" "one text back" Replay [","]),
    row!(TextOn Replay "text" "one text further" Replay ["."]),
    row!(MarkBack Replay "mark back" "to the mark before" Replay ["["]),
    row!(MarkOn Replay "mark" "to the next mark" Replay ["]"]),
    KeyRow {
        action: Action::Tenth(1),
        group: Group::Replay,
        hint: "jump",
        title: "so many tenths from the beginning",
        keys: &[(Focus::Replay, &[spelling::DIGITS])],
    },
    row!(Begin Replay "beginning" "to the beginning of the recording" Replay ["0"]),
    row!(Slower Replay "slower" "play slower" Replay ["-"]),
    row!(Faster Replay "faster" "play faster" Replay ["+" "="]),
    row!(Waits Replay "waits" "shorten waits, or no longer" Replay ["w"]),
    row!(Write Writing "write" "write to the table" Read ["i" "enter"]),
    row!(Send Writing "send" "send, after this speaker" Write ["enter"]),
    row!(CutIn Writing "cut in" "send, and stop whoever speaks" Prefix ["enter"]),
    row!(NewLine Writing "new line" "a new line" Write ["ctrl-j" "alt-enter" "shift-enter"]),
    row!(Complete Writing "complete" "complete a name or a command" Write ["tab"]),
    row!(Earlier Writing "earlier" "a row up, then what was sent before" Write ["up"]),
    row!(Later Writing "later" "a row down, then what was sent after" Write ["down"]),
    row!(History Writing "history" "search in what was sent before" Write ["ctrl-r"]),
    row!(Editor Writing "editor" "write it in your own editor" Prefix ["e"]),
    row!(Unfold Writing "unfold" "open a pasted text that was folded" Prefix ["o"]),
    row!(RestoreDraft Writing "bring back" "bring back what ctrl-c cleared" Prefix ["u"]),
    row!(Whisper Writing "whisper" "a word to the seat put forward alone" Read ["w"]),
    row!(Note Writing "note" "a note for what they are shown" Read ["N"]),
    row!(EditQueued Writing "edit" "change words that wait" Read ["e"]),
    row!(DropQueued Writing "drop" "take back words that wait" Read ["x"]),
    row!(LineUp Reading "up" "a line up" Read ["up" "k"] Analysis ["up" "k"]),
    row!(LineDown Reading "down" "a line down" Read ["down" "j"] Analysis ["down" "j"]),
    row!(HalfUp Reading "half up" "half a page up" Read ["ctrl-u"]),
    row!(HalfDown Reading "half down" "half a page down" Read ["ctrl-d"]),
    row!(PageUp Reading "page up" "a page up" Read ["pgup"] Write ["pgup"] Analysis ["pgup"]),
    row!(PageDown Reading "page down" "a page down" Read ["pgdn"] Write ["pgdn"] Analysis ["pgdn"]),
    row!(Top Reading "top" "the beginning" Read ["g" "home"] Analysis ["g" "home"]),
    row!(Follow Reading "follow" "the end, and follow what comes" Read ["end" "G"]),
    row!(MessageUp Reading "message up" "the message before" Read ["K" "shift-up"]),
    row!(MessageDown Reading "message down" "the message after" Read ["J" "shift-down"]),
    row!(Search Reading "search" "look for words, or from:NAME" Read ["/"]),
    row!(NextFound Reading "next" "the next place found" Found ["n"] Search ["down" "ctrl-n"]),
    row!(PreviousFound Reading "previous" "the place found before" Found ["N"] Search ["up" "ctrl-p"]),
    row!(AcceptSearch Reading "stand there" "stay where the search stands" Search ["enter"]),
    row!(Copy Reading "copy" "copy the message read, as it was written" Read ["y"] Analysis ["y"]),
    row!(CopyPlain Reading "copy plain" "copy it as plain text" Read ["Y"]),
    row!(SelectLines Reading "select lines" "choose lines of it, and copy them" Read ["v"]),
    row!(CopyCode Reading "copy code" "copy a block of its code" Read ["c"]),
    row!(Links Reading "links" "the links of the message that is read" Read ["u"]),
    row!(Zoom Reading "zoom" "the message that is read, alone" Read ["z"]),
    row!(Prompt Reading "prompt" "the exact prompt that its speaker was shown" Read ["p"]),
    row!(Dependencies Reading "who waits" "who waits for whom, and what has come" Read ["d"]),
    row!(Filter Reading "only one" "one speaker's words alone, or all again" Read ["F"]),
    row!(Mark Reading "bookmark" "set a bookmark here" Read ["*"]),
    row!(MarkUp Reading "bookmark up" "the bookmark before" Read ["["]),
    row!(MarkDown Reading "bookmark down" "the bookmark after" Read ["]"]),
    row!(Fork Reading "branch" "branch off behind the message that is read" Read ["B"]),
    row!(Tree Reading "tree" "what branched off what; a branch beside this talk" Read ["T"]),
    row!(Compare Reading "compare" "another session beside this talk" Read ["|"]),
    row!(Versions Reading "alternatives" "every text of the message read, and which counts" Read ["A"]),
    row!(Reasoning Reading "reasoning" "open or fold the reasoning of the message read" Read ["o"]),
    row!(AllReasoning Reading "all reasoning" "open or fold all reasoning" Read ["O"]),
    row!(Analysis Reading "figures" "the figures: who spoke when, cost, mentions, events" Read ["a"] Analysis ["a"]),
    row!(OpenEvent Reading "open" "go to the event in the transcript" Analysis ["enter"]),
    row!(Export App "export" "write the session as a page, a text or data" Read ["E"] Analysis ["E"]),
    row!(Palette App "commands" "all commands" Read [":" "ctrl-p"] Write ["ctrl-p"]),
    row!(Help App "help" "all keys" Read ["?" "f1"] Write ["f1"] Analysis ["?" "f1"] Start ["f1"] StartList ["?"]),
    row!(Prefix App "table keys" "the next key as where letters are commands" Read ["ctrl-x"] Write ["ctrl-x"] Start ["ctrl-x"]),
    row!(EntryUp App "previous" "the entry before" Pick ["up" "ctrl-p"] Start ["up"]),
    row!(EntryDown App "next" "the entry after" Pick ["down" "ctrl-n" "tab"] Start ["down"]),
    row!(RunEntry App "run" "run the entry, or begin" Pick ["enter"] Start ["enter"]),
    row!(Back App "back" "outwards; destroys nothing" Read ["esc"] Write ["esc"] Pick ["esc"] Search ["esc"] Analysis ["esc" "q"] Start ["esc"]),
    row!(Theme App "theme" "try on another theme" Read ["t"]),
    row!(Panels App "panels" "panels always, never, or where they fit" Read ["b"]),
    row!(Raw App "raw" "words as they were written, for the mouse to select" Read ["R"]),
    row!(Redraw App "redraw" "draw everything anew" Read ["ctrl-l"] Write ["ctrl-l"] Analysis ["ctrl-l"]),
    row!(Suspend App "suspend" "pause, and back to the shell for a while" Read ["ctrl-z"] Write ["ctrl-z"] Analysis ["ctrl-z"] Start ["ctrl-z"]),
    row!(Interrupt App "stop" "clear, stop the reply, leave" Read ["ctrl-c"] Write ["ctrl-c"] Pick ["ctrl-c"] Search ["ctrl-c"] Analysis ["ctrl-c"] Start ["ctrl-c"]),
    row!(Home App "start screen" "back to the start screen; the session is saved" Read ["h"]),
    row!(Quit App "quit" "leave; the session is saved" Read ["q"] StartList ["q"]),
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
pub fn row(action: Action) -> Option<&'static KeyRow> {
    let wanted = match action {
        Action::Select(_) => Action::Select(1),
        Action::Tenth(_) => Action::Tenth(1),
        other => other,
    };
    ROWS.iter().find(|r| r.action == wanted)
}

/// Returns whether an action makes sense when it is run from a list.
pub fn runs(action: Action) -> bool {
    !matches!(
        action,
        Action::Select(_)
            | Action::Tenth(_)
            | Action::Send
            | Action::CutIn
            | Action::NewLine
            | Action::Complete
            | Action::Earlier
            | Action::Later
            | Action::Prefix
            | Action::AcceptSearch
            | Action::EntryUp
            | Action::EntryDown
            | Action::RunEntry
            | Action::Back
            | Action::OpenEvent
            | Action::NextField
            | Action::PreviousField
            | Action::TurnOn
            | Action::TurnBack
            | Action::ReplaySession
            | Action::CompareSessions
            | Action::DropSession
            | Action::Demo
            | Action::Recorded
            | Action::Connect
    )
}
