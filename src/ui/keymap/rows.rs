//! The table of key bindings: every action with its group, its descriptions, and its default keys.

use crate::ui::action::Action;
use crate::ui::keymap::focus::Focus;
use crate::ui::keymap::spelling;

/// Section of the help that an action is listed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Control of the floor.
    Floor,
    /// Navigation in a recording.
    Replay,
    /// Reading and navigation in the transcript.
    Reading,
    /// Taking part in the conversation.
    Writing,
    /// The program itself.
    App,
    /// The start screen.
    Start,
}

/// An action with its descriptions and its default keys.
pub struct KeyRow {
    /// Action of the row.
    pub action: Action,
    /// Section of the help.
    pub group: Group,
    /// Short name for hints.
    pub hint: &'static str,
    /// Description of the effect.
    pub title: &'static str,
    /// Default keys per focus; hints show the first one.
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
    /// Returns the heading of the section.
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

/// All actions with keys, in the order of the help.
pub static ROWS: &[KeyRow] = &[
    row!(TogglePause Floor "pause" "pause after this turn, or resume" Read ["space" "f3"] Write ["f3"] Line ["space"]),
    row!(Step Floor "step" "run one turn, then pause" Read ["."]),
    row!(Skip Floor "skip" "stop the current speaker, or skip the next" Read ["s"] Line ["right"]),
    row!(PauseNow Floor "stop now" "stop the current speaker and pause" Read ["S"]),
    row!(Retry Floor "retry" "retry the current or the last turn; the old version is kept" Read ["r"] Line ["left"]),
    row!(AllowOnce Floor "allow once" "allow the tool that asks, once" Read ["l"]),
    row!(AllowTool Floor "allow" "allow the tool that asks until you leave" Read ["L"]),
    row!(RefuseTool Floor "refuse" "refuse the tool that asks until you leave" Read ["D"]),
    row!(Vote Floor "vote" "call a vote" Read ["V"]),
    row!(Undo Floor "undo" "undo the last action" Read ["U"]),
    row!(MoreRound Floor "continue" "continue after a limit or the end" Read ["+"]),
    row!(SetLimit Floor "set a limit" "set the limit to a number" Read ["="]),
    row!(Outcomes Floor "outcomes" "your recent commands" Read ["H"] Page ["H"]),
    row!(End Floor "end" "end the conversation (asks first)" Read ["Q"]),
    row!(ChangeModel Floor "model" "change the model of the selected participant" Read ["M"]),
    KeyRow {
        action: Action::Select(1),
        group: Group::Floor,
        hint: "select",
        title: "select a participant",
        keys: &[(Focus::Read, &[spelling::DIGITS]), (Focus::Analysis, &[spelling::DIGITS])],
    },
    row!(GiveFloor Floor "give turn" "give the turn to the selected participant" Read ["f"]),
    row!(Mute Floor "mute" "mute or unmute a participant" Read ["m"]),
    row!(Seat Floor "actions" "actions for the selected participant" Read ["C"]),
    row!(Pass Floor "pass" "pass your turn" Read ["P"]),
    row!(SelectNext Floor "select" "select next participant" Read ["tab"] Line ["tab"]),
    row!(SelectPrevious Floor "previous" "select previous participant" Read ["shift-tab"] Line ["shift-tab"]),
    row!(PlayPause Replay "play/pause" "play or pause" Replay ["space"]),
    row!(UtteranceBack Replay "back" "previous turn" Replay ["left" "<"]),
    row!(UtteranceOn Replay "next" "next turn" Replay ["right" ">"]),
    row!(TextBack Replay "step back" "previous chunk" Replay [","]),
    row!(TextOn Replay "step" "next chunk" Replay ["."]),
    row!(MarkBack Replay "mark back" "previous mark" Replay ["["]),
    row!(MarkOn Replay "mark" "next mark" Replay ["]"]),
    KeyRow {
        action: Action::Tenth(1),
        group: Group::Replay,
        hint: "jump",
        title: "jump to 10-90 %",
        keys: &[(Focus::Replay, &[spelling::DIGITS])],
    },
    row!(Begin Replay "start" "go to the start of the recording" Replay ["0"]),
    row!(Slower Replay "slower" "play slower" Replay ["-"]),
    row!(Faster Replay "faster" "play faster" Replay ["+" "="]),
    row!(Waits Replay "idle" "skip idle time, or play it in full" Replay ["w"]),
    row!(Write Writing "write" "write a message" Read ["i" "enter"]),
    row!(Address Writing "address one" "address one participant (everyone hears)" Read ["@"]),
    row!(Interject Writing "cut in" "interrupt the speaker: write, then enter" Read ["I"]),
    row!(Send Writing "send" "send when the current turn ends" Write ["enter"]),
    row!(Offer Writing "next step" "do what the line offers" Line ["enter"]),
    row!(CutIn Writing "cut in" "send now and interrupt the speaker" Prefix ["enter"]),
    row!(NewLine Writing "new line" "insert a new line" Write ["ctrl-j" "alt-enter" "shift-enter"]),
    row!(Complete Writing "complete" "complete a name or a command" Write ["tab"]),
    row!(Earlier Writing "earlier" "line up, then input history" Write ["up"]),
    row!(Later Writing "later" "line down, then input history" Write ["down"]),
    row!(History Writing "history" "search the input history" Write ["ctrl-r"]),
    row!(Editor Writing "editor" "write in your own editor" Prefix ["e"]),
    row!(Unfold Writing "expand" "expand a folded paste" Prefix ["o"]),
    row!(RestoreDraft Writing "restore" "restore the cleared draft" Prefix ["u"]),
    row!(Whisper Writing "whisper" "whisper to the selected participant" Read ["w"]),
    row!(Note Writing "note" "add a note to the prompts" Read ["N"]),
    row!(EditQueued Writing "edit" "edit a queued message" Read ["e"]),
    row!(DropQueued Writing "drop" "drop a queued message" Read ["x"] Line ["delete"]),
    row!(LineUp Reading "up" "line up" Read ["up" "k"] Analysis ["up" "k"] Page ["up" "k"]),
    row!(LineDown Reading "down" "line down" Read ["down" "j"] Analysis ["down" "j"] Page ["down" "j"]),
    row!(HalfUp Reading "half page up" "half a page up" Read ["ctrl-u"] Page ["ctrl-u"]),
    row!(HalfDown Reading "half page down" "half a page down" Read ["ctrl-d"] Page ["ctrl-d"]),
    row!(PageUp Reading "page up" "page up" Read ["pgup"] Write ["pgup"] Analysis ["pgup"] Pick ["pgup"] Start ["pgup"] Page ["pgup"]),
    row!(PageDown Reading "page down" "page down" Read ["pgdn"] Write ["pgdn"] Analysis ["pgdn"] Pick ["pgdn"] Start ["pgdn"] Page ["pgdn"]),
    row!(Top Reading "top" "go to the start" Read ["g" "home"] Analysis ["g" "home"] Pick ["home"] StartList ["home"] Page ["g" "home"]),
    row!(Follow Reading "follow" "go to the end and follow" Read ["end" "G"] Pick ["end"] StartList ["end"] Analysis ["end" "G"] Page ["end" "G"]),
    row!(MessageUp Reading "message up" "previous message" Read ["K" "shift-up"]),
    row!(MessageDown Reading "message down" "next message" Read ["J" "shift-down"]),
    row!(SpeakerUp Reading "same speaker, back" "previous turn of the same speaker" Read ["<"]),
    row!(SpeakerDown Reading "same speaker, on" "next turn of the same speaker" Read [">"]),
    row!(RoundUp Reading "round up" "previous round" Read ["{"]),
    row!(RoundDown Reading "round down" "next round" Read ["}"]),
    row!(PhaseUp Reading "phase up" "previous phase" Read ["("]),
    row!(PhaseDown Reading "phase down" "next phase" Read [")"]),
    row!(Search Reading "search" "search for text, or from:NAME" Read ["/"] Analysis ["/"] Page ["/"]),
    row!(NextFound Reading "next" "next match" Found ["n"] Search ["down" "ctrl-n"] Analysis ["n"] Page ["n"]),
    row!(PreviousFound Reading "previous" "previous match" Found ["N"] Search ["up" "ctrl-p"] Analysis ["N"] Page ["N"]),
    row!(AcceptSearch Reading "stop here" "stop at this match" Search ["enter"]),
    row!(Copy Reading "copy" "copy the message as written" Read ["y"] Analysis ["y"] Page ["y"]),
    row!(CopyPlain Reading "copy plain" "copy the message as plain text" Read ["Y"]),
    row!(SelectLines Reading "select lines" "select lines of the message to copy" Read ["v"] Page ["v"]),
    row!(CopyCode Reading "copy code" "copy a code block of the message" Read ["c"]),
    row!(Links Reading "links" "list the links of the message" Read ["u"]),
    row!(OpenLink Reading "open" "open the link" Page ["enter" "o"]),
    row!(Zoom Reading "zoom" "show the message alone" Read ["z"] Page ["z"]),
    row!(Prompt Reading "prompt" "show the exact prompt of the turn" Read ["p"] Page ["p"]),
    row!(Dependencies Reading "plan and votes" "show the plan, dependencies, or answers and votes" Read ["d"] Page ["d"]),
    row!(Profile Reading "profile" "show the profile of the person, and the ranking" Read ["W"] Page ["W"]),
    row!(Filter Reading "filter" "show only one participant, or all" Read ["F"]),
    row!(Mark Reading "bookmark" "set a bookmark" Read ["*"]),
    row!(MarkUp Reading "moment back" "previous moment or bookmark" Read ["["]),
    row!(MarkDown Reading "moment" "next moment or bookmark" Read ["]"]),
    row!(Moments Reading "moments" "list the moments: moves, votes, cuts, failures"),
    row!(Ambient Reading "ambient" "show only what is being said"),
    row!(Lanes Reading "lanes" "lanes of the speakers, or where they stand"),
    row!(Fork Reading "branch" "branch after this message" Read ["B"]),
    row!(Tree Reading "tree" "list the branches of this session" Read ["T"]),
    row!(Compare Reading "compare" "compare with another session" Read ["|"]),
    row!(Versions Reading "versions" "list the versions of the message" Read ["A"]),
    row!(Reasoning Reading "reasoning" "show or fold the reasoning of the message, or the talk in its step" Read ["o"]),
    row!(AllReasoning Reading "all reasoning" "show or fold all reasoning, and the talks in all steps" Read ["O"]),
    row!(Analysis Reading "analysis" "analysis: speaking share, cost, positions, events" Read ["a"] Analysis ["a"]),
    row!(OpenEvent Reading "open" "go to the event in the transcript" Analysis ["enter"]),
    row!(Export App "export" "export the session" Read ["E"] Analysis ["E"]),
    row!(Palette App "commands" "all commands" Read [":" "ctrl-p"] Write ["ctrl-p"]),
    row!(Help App "help" "all keys" Read ["?" "f1"] Write ["f1"] Line ["?"] Analysis ["?" "f1"] Start ["f1"] StartList ["?"] Page ["?" "f1"]),
    row!(Prefix App "more" "more keys" Read ["ctrl-x"] Write ["ctrl-x"] Start ["ctrl-x"]),
    row!(EntryUp App "previous" "previous entry" Pick ["up" "ctrl-p"] Start ["up"]),
    row!(EntryDown App "next" "next entry" Pick ["down" "ctrl-n" "tab"] Start ["down"]),
    row!(RunEntry App "run" "run" Pick ["enter"] Start ["enter"]),
    row!(Back App "back" "back" Read ["esc"] Write ["esc"] Pick ["esc"] Search ["esc"] Analysis ["esc" "q"] Start ["esc"] Page ["esc" "q"]),
    row!(Theme App "theme" "choose a theme" Read ["t"]),
    row!(Panels App "panels" "panels: auto, always or never" Read ["b"]),
    row!(Raw App "raw" "raw view, to select with the mouse" Read ["R"]),
    row!(Redraw App "redraw" "redraw the screen" Read ["ctrl-l"] Write ["ctrl-l"] Analysis ["ctrl-l"] Page ["ctrl-l"]),
    row!(Suspend App "suspend" "pause and go to the shell" Read ["ctrl-z"] Write ["ctrl-z"] Analysis ["ctrl-z"] Start ["ctrl-z"] Page ["ctrl-z"]),
    row!(Interrupt App "stop" "clear, stop the reply, or quit" Read ["ctrl-c"] Write ["ctrl-c"] Pick ["ctrl-c"] Search ["ctrl-c"] Analysis ["ctrl-c"] Start ["ctrl-c"] Page ["ctrl-c"]),
    row!(Home App "start screen" "go to the start screen (saved)" Read ["h"]),
    row!(Detach App "detach" "leave; the conversation goes on" Read ["Z"]),
    row!(Quit App "quit" "quit (saved)" Read ["q"] StartList ["q"]),
    row!(NextField Start "next field" "next field" Start ["tab"]),
    row!(PreviousField Start "previous field" "previous field" Start ["shift-tab"]),
    row!(TurnOn Start "change" "next scenario or model" Start ["right"]),
    row!(TurnBack Start "change back" "previous scenario or model" Start ["left"]),
    row!(ReplaySession Start "replay" "replay the session" StartList ["r"]),
    row!(CompareSessions Start "compare" "compare two sessions" StartList ["c"]),
    row!(DropSession Start "delete" "move the session to the trash" StartList ["x"]),
    row!(Demo Start "demo" "watch the rehearsed debate" StartList ["d"]),
    row!(Recorded Start "recorded" "watch a recorded debate" StartList ["w"]),
    row!(Connect Start "connect" "connect a provider" StartList ["k"]),
];

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

/// Returns the row of an action.
pub fn row(action: Action) -> Option<&'static KeyRow> {
    let wanted = match action {
        Action::Select(_) => Action::Select(1),
        Action::Tenth(_) => Action::Tenth(1),
        other => other,
    };
    ROWS.iter().find(|r| r.action == wanted)
}

/// Returns `true` if an action can be run from a list.
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
            | Action::OpenLink
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
