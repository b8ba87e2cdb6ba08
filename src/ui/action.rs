//! Actions of the screen: one closed list, used by the key bindings, the palette and the help.
//!
//! An action is an intention. Its effect is implemented in `update`, its key binding in `keymap`.

/// An action of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Opens or closes the analysis.
    Analysis,
    /// Lists the moments of the conversation: changed positions, votes, cuts, failures, repetitions.
    Moments,
    /// Shows only the current sentences and the positions of the participants.
    Ambient,
    /// Shows the lanes of the speakers in place of the positions, or the positions again.
    Lanes,
    /// Moves to the event that is selected in the analysis.
    OpenEvent,
    /// Lists the export formats of the session.
    Export,
    /// Pauses after the running turn, cancels a pending pause, or resumes.
    TogglePause,
    /// Runs one turn, then pauses again.
    Step,
    /// Stops the running turn, or skips the next speaker.
    Skip,
    /// Retries the last turn.
    Retry,
    /// Allows the pending tool call, once.
    AllowOnce,
    /// Allows the tool of the pending call until the program ends.
    AllowTool,
    /// Refuses the tool of the pending call until the program ends.
    RefuseTool,
    /// Starts a vote of all participants on a question.
    Vote,
    /// Undoes the last command.
    Undo,
    /// Stops the running turns and pauses.
    PauseNow,
    /// Raises the reached limit by one round.
    MoreRound,
    /// Starts a command that sets the limit that was reached, or any limit.
    SetLimit,
    /// Ends the conversation, after confirmation.
    End,
    /// Starts a command that changes the model of the selected participant, or of the one whose turn failed.
    ChangeModel,
    /// Plays or pauses a recording.
    PlayPause,
    /// Moves to the next chunk of text in a recording.
    TextOn,
    /// Moves to the previous chunk.
    TextBack,
    /// Moves to the end of the next turn of a recording.
    UtteranceOn,
    /// Moves to the end of the previous turn.
    UtteranceBack,
    /// Moves to the next mark of a recording.
    MarkOn,
    /// Moves to the previous mark.
    MarkBack,
    /// Moves to the start of a recording.
    Begin,
    /// Moves to this tenth of a recording.
    Tenth(u8),
    /// Speeds up a recording.
    Faster,
    /// Slows it down.
    Slower,
    /// Toggles the shortening of idle time in a recording.
    Waits,
    /// Scrolls one line up.
    LineUp,
    /// Scrolls one line down.
    LineDown,
    /// Scrolls half a page up.
    HalfUp,
    /// Scrolls half a page down.
    HalfDown,
    /// Scrolls a page up.
    PageUp,
    /// Scrolls a page down.
    PageDown,
    /// Moves to the previous message.
    MessageUp,
    /// Moves to the next message.
    MessageDown,
    /// Moves to the previous turn of the same speaker.
    SpeakerUp,
    /// Moves to the next turn of the same speaker.
    SpeakerDown,
    /// Moves to the start of this round, or of the previous one.
    RoundUp,
    /// Moves to the start of the next round.
    RoundDown,
    /// Moves to the start of this phase, or of the previous one.
    PhaseUp,
    /// Moves to the start of the next phase.
    PhaseDown,
    /// Starts a text search.
    Search,
    /// Moves to the next match.
    NextFound,
    /// Moves to the previous match.
    PreviousFound,
    /// Ends the input of the search and stays at the current match.
    AcceptSearch,
    /// Copies the current message.
    Copy,
    /// Copies it without its markup.
    CopyPlain,
    /// Selects lines of it, to copy them.
    SelectLines,
    /// Copies one of its code blocks.
    CopyCode,
    /// Lists its links.
    Links,
    /// Opens the link that is shown.
    OpenLink,
    /// Shows it alone.
    Zoom,
    /// Shows the outcomes of the latest commands.
    Outcomes,
    /// Shows the progress of the conversation: its plan, dependencies, or answers and votes.
    Dependencies,
    /// Shows the profile of the person, and the ranking derived from it.
    Profile,
    /// Shows the prompt of the current message.
    Prompt,
    /// Shows only the messages of one speaker, or all again.
    Filter,
    /// Sets a bookmark.
    Mark,
    /// Moves to the previous moment or bookmark.
    MarkUp,
    /// Moves to the next moment or bookmark.
    MarkDown,
    /// Creates a branch after the current message.
    Fork,
    /// Lists the branches of the session.
    Tree,
    /// Lists the sessions, to show one beside this one.
    Compare,
    /// Lists all versions of the current message.
    Versions,
    /// Unfolds or folds the reasoning of the current message.
    Reasoning,
    /// Unfolds or folds all reasoning.
    AllReasoning,
    /// Lists the themes.
    Theme,
    /// Switches the panels between always, never, and if they fit.
    Panels,
    /// Moves to the first turn of the last absence.
    ReadMissed,
    /// Moves to the first message.
    Top,
    /// Moves to the end, and follows new messages.
    Follow,
    /// Selects a participant by number, from 1.
    Select(u8),
    /// Selects the next participant.
    SelectNext,
    /// Selects the previous participant.
    SelectPrevious,
    /// Gives the next turn to the selected participant.
    GiveFloor,
    /// Mutes the selected participant, or unmutes it.
    Mute,
    /// Starts a whisper to the selected participant.
    Whisper,
    /// Starts a note for the prompts.
    Note,
    /// Lists the actions for the selected participant.
    Seat,
    /// Passes the turn of a human seat.
    Pass,
    /// Edits queued messages.
    EditQueued,
    /// Drops the last queued message.
    DropQueued,
    /// Takes the likeliest next step of the state.
    Offer,
    /// Opens the composer.
    Write,
    /// Opens the composer with a message to one participant.
    Address,
    /// Opens the composer for a message that interrupts the running turns.
    Interject,
    /// Sends the draft.
    Send,
    /// Sends the draft, and interrupts the running turns.
    CutIn,
    /// Inserts a new line into the draft.
    NewLine,
    /// Completes a name or a command.
    Complete,
    /// Moves a row up in the draft, then to earlier inputs.
    Earlier,
    /// Moves a row down in the draft, then to later inputs.
    Later,
    /// Lists earlier inputs.
    History,
    /// Opens the draft in the person's own editor.
    Editor,
    /// Unfolds a pasted text.
    Unfold,
    /// Restores the draft that Ctrl-C cleared.
    RestoreDraft,
    /// Prefix: the next key has its meaning in READ.
    Prefix,
    /// Opens the list of all commands.
    Palette,
    /// Opens the list of all keys.
    Help,
    /// Selects the previous entry.
    EntryUp,
    /// Selects the next entry.
    EntryDown,
    /// Runs the selected entry.
    RunEntry,
    /// Goes back: closes an overlay, leaves WRITE, clears the selection. Nothing is lost.
    Back,
    /// Redraws the whole screen, after another program wrote on it.
    Redraw,
    /// Toggles the raw view: unformatted messages from the first column, selectable with the mouse.
    Raw,
    /// Pauses, restores the terminal and stops until the shell continues the program.
    Suspend,
    /// Closes a list, clears the draft, stops the reply or leaves: the first that applies (Ctrl-C).
    Interrupt,
    /// Leaves the screen; the conversation goes on in the background.
    Detach,
    /// Leaves for the start screen; the session is not changed.
    Home,
    /// Leaves the screen; the session is not changed.
    Quit,
    /// Moves to the next field of the start screen; a list counts as one.
    NextField,
    /// Moves to the previous field.
    PreviousField,
    /// Chooses the next scenario or voice.
    TurnOn,
    /// Chooses the previous scenario or voice.
    TurnBack,
    /// Replays the selected session of the start screen.
    ReplaySession,
    /// Marks that session for a comparison with the next one.
    CompareSessions,
    /// Moves that session to the trash, after confirmation.
    DropSession,
    /// Starts the rehearsed debate.
    Demo,
    /// Plays a bundled session.
    Recorded,
    /// Asks for the key of a provider.
    Connect,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start.
    Up,
    /// Towards the end.
    Down,
}
