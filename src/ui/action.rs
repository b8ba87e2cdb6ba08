//! What a person wants of the screen: the one closed list that keys, palette and help all name.
//!
//! An action is an intention. What it changes is `update`'s business; which key means it is `keymap`'s.

/// An intention in the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens or closes the analysis.
    Analysis,
    /// Goes to the event that is selected in the analysis.
    OpenEvent,
    /// Lists the formats in which the session can be written.
    Export,
    /// Pauses after this speaker, takes that back, or goes on.
    TogglePause,
    /// One utterance, then paused again.
    Step,
    /// Stops this speaker, or passes over the next one.
    Skip,
    /// Retries the last turn.
    Retry,
    /// Allows the use of a tool that waits for it, once.
    AllowOnce,
    /// Allows the tool that waits for it until the program ends.
    AllowTool,
    /// Refuses the tool that waits to be allowed, until the program ends.
    RefuseTool,
    /// Begins a question on which everybody votes.
    Vote,
    /// Takes back what was done last.
    Undo,
    /// Stops whoever speaks and pauses.
    PauseNow,
    /// Lifts the limit that holds by one round.
    MoreRound,
    /// Begins a command that sets the limit that was reached, or any.
    SetLimit,
    /// Ends the conversation, asking once.
    End,
    /// Begins a command that changes the model of the selected participant, or of the one that failed.
    ChangeModel,
    /// Plays a recording, or stands still.
    PlayPause,
    /// One text further in a recording.
    TextOn,
    /// One text back.
    TextBack,
    /// To the end of the next utterance of a recording.
    UtteranceOn,
    /// To the end of an utterance before.
    UtteranceBack,
    /// To the next mark of a recording.
    MarkOn,
    /// To a mark before.
    MarkBack,
    /// To the beginning of a recording.
    Begin,
    /// So many tenths from the beginning of a recording.
    Tenth(u8),
    /// Plays a recording faster.
    Faster,
    /// Plays it slower.
    Slower,
    /// Shortens the waits of a recording, or no longer.
    Waits,
    /// One line towards the beginning.
    LineUp,
    /// One line towards the end.
    LineDown,
    /// Half a page towards the beginning.
    HalfUp,
    /// Half a page towards the end.
    HalfDown,
    /// A page towards the beginning.
    PageUp,
    /// A page towards the end.
    PageDown,
    /// The message before.
    MessageUp,
    /// The message after.
    MessageDown,
    /// The turn before of the same speaker.
    SpeakerUp,
    /// The turn after of the same speaker.
    SpeakerDown,
    /// The beginning of this round, or of the one before.
    RoundUp,
    /// The beginning of the next round.
    RoundDown,
    /// The beginning of this phase, or of the one before.
    PhaseUp,
    /// The beginning of the next phase.
    PhaseDown,
    /// Looks for words.
    Search,
    /// The next place that was found.
    NextFound,
    /// The place before that was found.
    PreviousFound,
    /// Stands where the search stands.
    AcceptSearch,
    /// Copies the message that is read.
    Copy,
    /// Copies it without its marks of form.
    CopyPlain,
    /// Chooses lines of it, to copy them.
    SelectLines,
    /// Copies a block of its code.
    CopyCode,
    /// Lists its links.
    Links,
    /// Opens the link that is shown.
    OpenLink,
    /// Shows it alone.
    Zoom,
    /// Shows what became of the last commands.
    Outcomes,
    /// Shows how the table stands: its plan, dependencies, or answers and votes.
    Dependencies,
    /// Shows what is known of the person, and the ranking made of it.
    Profile,
    /// Shows what its speaker was shown.
    Prompt,
    /// Shows the words of one speaker alone, or all again.
    Filter,
    /// Sets a bookmark.
    Mark,
    /// The bookmark before.
    MarkUp,
    /// The bookmark after.
    MarkDown,
    /// Branches off behind the message that is read.
    Fork,
    /// Lists what branched off what.
    Tree,
    /// Lists the sessions, to show one beside this one.
    Compare,
    /// Lists the texts that the message that is read ever had.
    Versions,
    /// Opens or folds the reasoning of the message that is read.
    Reasoning,
    /// Opens or folds all reasoning.
    AllReasoning,
    /// Lists the themes.
    Theme,
    /// Shows panels always, never, or where they fit.
    Panels,
    /// Shows the first message.
    Top,
    /// The end, and following what comes.
    Follow,
    /// Selects the participant of a number, from 1.
    Select(u8),
    /// Selects the next participant.
    SelectNext,
    /// Selects the previous participant.
    SelectPrevious,
    /// The selected participant speaks next.
    GiveFloor,
    /// Mutes the selected participant, or unmutes it.
    Mute,
    /// Begins a whisper to the selected participant.
    Whisper,
    /// Begins a note for the prompts.
    Note,
    /// Lists the actions for the selected participant.
    Seat,
    /// Lets the turn of a human seat go.
    Pass,
    /// Changes queued messages.
    EditQueued,
    /// Takes back the words that were queued last.
    DropQueued,
    /// To the composer.
    Write,
    /// To the composer, with words for one participant.
    Address,
    /// To the composer, with words that stop whoever speaks.
    Interject,
    /// Sends what is written.
    Send,
    /// Sends what is written, and stops whoever speaks.
    CutIn,
    /// A new line in what is written.
    NewLine,
    /// Completes a name or a command.
    Complete,
    /// What was sent before, a row up in what is written.
    Earlier,
    /// What was sent after, a row down in what is written.
    Later,
    /// Lists what was sent before.
    History,
    /// Writes on in the person's own editor.
    Editor,
    /// Opens a pasted text that was folded.
    Unfold,
    /// Brings back what Ctrl-C cleared.
    RestoreDraft,
    /// The next key means what it means at the table.
    Prefix,
    /// Opens the list of all commands.
    Palette,
    /// Opens the list of all keys.
    Help,
    /// The entry before.
    EntryUp,
    /// The entry after.
    EntryDown,
    /// Runs the entry.
    RunEntry,
    /// Goes back: closes what lies on top, leaves WRITE, clears the selection. Destroys nothing.
    Back,
    /// Draws the whole screen again, after another program wrote on it.
    Redraw,
    /// The words as they were written, at the edge of the screen, and the mouse selects them; or as before.
    Raw,
    /// Pauses, gives the terminal back and stops until the shell goes on.
    Suspend,
    /// Ctrl-C: the gentlest of what can still be stopped.
    Interrupt,
    /// To the start screen; the session stays as it is.
    Home,
    /// Leaves the screen; the session stays as it is.
    Quit,
    /// The next field of the start screen; a list is one.
    NextField,
    /// The field before.
    PreviousField,
    /// The next scenario or voice.
    TurnOn,
    /// The scenario or voice before.
    TurnBack,
    /// Plays the session that is chosen at the start screen.
    ReplaySession,
    /// Takes that session to stand beside the next one that is taken.
    CompareSessions,
    /// Moves that session to the trash, asking once.
    DropSession,
    /// Begins the rehearsed debate.
    Demo,
    /// Plays a session that comes with the program.
    Recorded,
    /// Asks for the key of a provider.
    Connect,
}

/// Which way to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the beginning.
    Up,
    /// Towards the end.
    Down,
}
