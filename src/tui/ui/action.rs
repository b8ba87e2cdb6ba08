//! Actions of the screen: the table of all actions, used by the key bindings, the palette and the help.
//!
//! A row holds an action, its group in the help, `unlisted` if it cannot be run from a list, its short name for hints,
//! the description of its effect, its default keys per focus, and its handler. Hints show the first key. A handler is
//! compiled in `act/update.rs`, where its names are in scope; the start screen has its own handlers in
//! `ui/start/update.rs`.

/// Passes the rows to a macro.
macro_rules! actions {
    ($rows:ident) => {
        $rows! {
            TogglePause Floor "pause" "pause after this turn, or resume" Marked ["f3"] Write ["f3"] Line ["space"]
                => |s| toggle_pause(s);
            Step Floor "step" "run one turn, then pause" => |s| step(s);
            Skip Floor "skip" "stop the current speaker, or skip the next" Line ["right"]
                => |s| intents::ask(s, Command::Skip {});
            PauseNow Floor "stop now" "stop the current speaker and pause"
                => |s| intents::ask(s, Command::PauseNow {});
            Retry Floor "retry" "retry the current or the last turn; the old version is kept" Line ["left"]
                => |s| intents::retry(s);
            AllowOnce Floor "allow once" "allow the tool that asks, once"
                => |s| intents::decide(s, true, true);
            AllowTool Floor "allow" "allow the tool that asks until you leave"
                => |s| intents::decide(s, true, false);
            RefuseTool Floor "refuse" "refuse the tool that asks until you leave"
                => |s| intents::decide(s, false, false);
            Undo Floor "undo" "undo the last action" => |s| intents::undo(s);
            MoreRound Floor "continue" "continue after a limit or the end" => |s| more(s);
            SetLimit Floor "set a limit" "set the limit to a number" => |s| entries::begin_limit(s);
            Table Floor "table" "people and their use, limits, order of the turns, who moved whom"
                Read ["f2"] Write ["f2"] Analysis ["f2"] Page ["f2"]
                => |s| toggle_text(s, table::page, "");
            Outcomes Floor "outcomes" "your recent commands"
                => |s| toggle_text(s, outcomes::page, "you have given no commands yet");
            End Floor "end" "end the conversation (asks first)" => |s| intents::ask_end(s);
            ChangeModel Floor "model" "change the model of the selected participant"
                => |s| entries::ask_models(s);
            Select(u8 = 1) Floor unlisted "select" "select a participant" Read ["1-9"] Analysis ["1-9"]
                => |s, number| participant::select(s, usize::from(number) - 1);
            GiveFloor Floor "give turn" "give the turn to the selected participant"
                => |s| intents::give_floor(s);
            Mute Floor "mute" "mute or unmute a participant" => |s| intents::mute(s);
            Seat Floor "actions" "actions for the selected participant" => |s| entries::participant_actions(s);
            SelectNext Floor "select" "select next participant" Read ["tab"] Line ["tab"]
                => |s| participant::select_next(s, Direction::Down);
            SelectPrevious Floor "previous" "select previous participant" Read ["shift-tab"] Line ["shift-tab"]
                => |s| participant::select_next(s, Direction::Up);
            PlayPause Replay "play/pause" "play or pause" Replay ["space"] => |s| playback::toggle(&mut s.view);
            UtteranceBack Replay "back" "previous turn" Replay ["left" "<"]
                => |s| playback::step(&mut s.view, Step::UtteranceBack);
            UtteranceOn Replay "next" "next turn" Replay ["right" ">"]
                => |s| playback::step(&mut s.view, Step::Utterance);
            TextBack Replay "step back" "previous chunk" Replay [","] => |s| playback::step(&mut s.view, Step::TextBack);
            TextOn Replay "step" "next chunk" Replay ["."] => |s| playback::step(&mut s.view, Step::Text);
            MarkBack Replay "mark back" "previous mark" Replay ["["] => |s| playback::mark(&mut s.view, Direction::Up);
            MarkOn Replay "mark" "next mark" Replay ["]"] => |s| playback::mark(&mut s.view, Direction::Down);
            Tenth(u8 = 1) Replay unlisted "jump" "jump to 10-90 %" Replay ["1-9"]
                => |s, tenth| playback::tenth(&mut s.view, tenth);
            Begin Replay "start" "go to the start of the recording" Replay ["0"] => |s| playback::tenth(&mut s.view, 0);
            Finish Replay "end" "go to the end of the recording" Replay ["end"] => |s| playback::finish(&mut s.view);
            Slower Replay "slower" "play slower" Replay ["-"] => |s| playback::speed(&mut s.view, Speed::slower);
            Faster Replay "faster" "play faster" Replay ["+" "="] => |s| playback::speed(&mut s.view, Speed::faster);
            Waits Replay "idle" "skip idle time, or play it in full" Replay ["w"] => |s| playback::waits(&mut s.view);
            Write Writing "write" "write a message" Replay ["enter" "i"] => |s| open_composer(s);
            Send Writing unlisted "send" "send when the current turn ends" Write ["enter"]
                => |s| send_draft(s, false);
            Offer Writing "next step" "do what the line offers" Line ["enter"] => |_| ();
            CutIn Writing unlisted "cut in" "send now and interrupt the speaker" Write ["ctrl-enter"]
                => |s| send_draft(s, true);
            NewLine Writing unlisted "new line" "insert a new line" Write ["ctrl-j" "alt-enter" "shift-enter"]
                => |s| s.view.composer.area.insert_newline();
            Complete Writing unlisted "complete" "complete a name or a command" Write ["tab"] => |s| complete(s);
            Earlier Writing unlisted "earlier" "line up, then input history" Write ["up"] => |s| earlier(s);
            Later Writing unlisted "later" "line down, then input history" Write ["down"] => |s| later(s);
            History Writing "history" "search the input history" Write ["ctrl-r"]
                => |s| s.open_list(lists::sent(&s.view.composer.history));
            Editor Writing "editor" "write in your own editor" Write ["alt-e"] => |s| open_editor(s);
            Unfold Writing "expand" "expand a folded paste" Write ["alt-o"] => |s| unfold(s);
            RestoreDraft Writing "restore" "restore the cleared draft" Write ["alt-z"] => |s| restore_draft(s);
            DropQueued Writing "drop" "drop a queued message" Line ["delete"] => |s| intents::drop_queued(s);
            LineUp Reading "up" "line up" Read ["up" "k"] Analysis ["up" "k"] Page ["up" "k"]
                => |s| s.read(|t, transcript, look| t.up(transcript, look, 1));
            LineDown Reading "down" "line down" Read ["down" "j"] Analysis ["down" "j"] Page ["down" "j"]
                => |s| s.read(|t, transcript, look| t.down(transcript, look, 1));
            HalfUp Reading "half page up" "half a page up" Read ["ctrl-u"] Page ["ctrl-u"]
                => |s| s.read(|t, transcript, look| t.up(transcript, look, t.page() / 2));
            HalfDown Reading "half page down" "half a page down" Read ["ctrl-d"] Page ["ctrl-d"]
                => |s| s.read(|t, transcript, look| t.down(transcript, look, t.page() / 2));
            PageUp Reading "page up" "page up" Read ["pgup"] Write ["pgup"] Analysis ["pgup"] Pick ["pgup"] Start ["pgup"] Page ["pgup"]
                => |s| s.read(|t, transcript, look| t.up(transcript, look, t.page()));
            PageDown Reading "page down" "page down" Read ["pgdn"] Write ["pgdn"] Analysis ["pgdn"] Pick ["pgdn"] Start ["pgdn"] Page ["pgdn"]
                => |s| s.read(|t, transcript, look| t.down(transcript, look, t.page()));
            Top Reading "top" "go to the start" Read ["g" "home"] Line ["home"] Analysis ["g" "home"] Pick ["home"] StartList ["home"] Page ["g" "home"]
                => |s| s.read(|t, transcript, look| t.go(transcript, look, 0));
            Follow Reading "follow" "go to the end and follow" Read ["end" "G"] Line ["end"] Pick ["end"] StartList ["end"] Analysis ["end" "G"] Page ["end" "G"]
                => |s| s.read(|t, _, _| t.follow());
            ReadMissed Reading unlisted "read" "go to the first turn that you missed" => |s| navigate::missed(s);
            MessageUp Reading "message up" "previous message" Read ["K" "shift-up"] Marked ["up"]
                => |s| navigate::message(s, Direction::Up);
            MessageDown Reading "message down" "next message" Read ["J" "shift-down"] Marked ["down"]
                => |s| navigate::message(s, Direction::Down);
            Menu Reading unlisted "menu" "actions for the marked message" Marked ["enter"] => |s| entries::menu(s);
            SpeakerUp Reading "same speaker, back" "previous turn of the same speaker" Read ["<"]
                => |s| jump::speaker(s, Direction::Up);
            SpeakerDown Reading "same speaker, on" "next turn of the same speaker" Read [">"]
                => |s| jump::speaker(s, Direction::Down);
            RoundUp Reading "round up" "previous round" Read ["{"] => |s| jump::round(s, Direction::Up);
            RoundDown Reading "round down" "next round" Read ["}"] => |s| jump::round(s, Direction::Down);
            PhaseUp Reading "phase up" "previous phase" Read ["("] => |s| jump::phase(s, Direction::Up);
            PhaseDown Reading "phase down" "next phase" Read [")"] => |s| jump::phase(s, Direction::Down);
            Search Reading "search" "search for text, or from:NAME" Read ["/"] Analysis ["/"] Page ["/"]
                => |s| s.view.over.search = Some(Search::default());
            NextFound Reading unlisted "next" "next match" Search ["enter" "down" "ctrl-n"]
                => |s| navigate::found(s, Direction::Down);
            PreviousFound Reading unlisted "before" "match before" Search ["up" "ctrl-p"]
                => |s| navigate::found(s, Direction::Up);
            Copy Reading "copy" "copy the message as written" Read ["y"] Analysis ["y"] Page ["y"]
                => |s| navigate::copy(s);
            CopyPlain Reading "copy plain" "copy the message as plain text" Read ["Y"] => |s| navigate::copy_plain(s);
            SelectLines Reading "select lines" "select lines of the message to copy" Read ["v"] Page ["v"]
                => |s| select::open(s);
            CopyCode Reading "copy code" "copy a code block of the message" Read ["c"]
                => |s| navigate::take_out(s, Extract::Code);
            Links Reading "links" "list the links of the message" Read ["u"] => |s| navigate::take_out(s, Extract::Links);
            OpenLink Reading unlisted "open" "open the link" Page ["enter" "o"] => |_| ();
            Zoom Reading "zoom" "show the message alone" Read ["z"] Page ["z"] => |s| toggle_page(s, navigate::zoom);
            Prompt Reading "prompt" "show the exact prompt of the turn" Read ["p"] Page ["p"]
                => |s| toggle_page(s, navigate::prompt);
            Dependencies Reading "board" "show the plan, dependencies, answers and votes, and the profile" Read ["d"] Page ["d"]
                => |s| toggle_text(s, progress, "no plan, dependencies, answers, votes or profile in this conversation");
            Filter Reading "filter" "show only one participant, or all" Read ["F"] => |s| navigate::filter(s);
            Mark Reading "bookmark" "set a bookmark" => |s| intents::ask(s, Command::Mark { text: None });
            MarkUp Reading "moment back" "previous moment or bookmark" Read ["["] => |s| navigate::mark(s, Direction::Up);
            MarkDown Reading "moment" "next moment or bookmark" Read ["]"] => |s| navigate::mark(s, Direction::Down);
            Moments Reading "moments" "list the moments: moves, votes, cuts, failures"
                => |s| s.view.over.analysis = Some(AnalysisPane::new(FigurePage::Events));
            Poster Reading "poster" "show who stood where, who moved whom, and the result" => |s| s.view.over.poster = true;
            Picture App "picture" "save the poster as a picture: png, svg or ans" => |_| Request::Export("png");
            Fork Reading "branch" "branch after this message" Read ["B"] => |s| branches::fork_here(s);
            Tree Reading "tree" "list the branches of this session" Read ["T"]
                => |_| Request::Sessions(SessionFilter::Family);
            Compare Reading "compare" "compare with another session" Read ["|"]
                => |_| Request::Sessions(SessionFilter::Everything);
            Versions Reading "versions" "list the versions of the message" Read ["A"] => |s| navigate::alternatives(s);
            Reasoning Reading "reasoning" "show or fold the reasoning of the message, or the talk in its step" Read ["o"]
                => |s| navigate::reasoning(s);
            AllReasoning Reading "all reasoning" "show or fold all reasoning, and the talks in all steps" Read ["O"]
                => |s| toggle_all_reasoning(s);
            Analysis Reading "analysis" "analysis: speaking share, cost, positions, events" Read ["a"] Analysis ["a"]
                => |s| toggle_analysis(s);
            OpenEvent Reading unlisted "open" "go to the event in the transcript" Analysis ["enter"]
                => |s| navigate::event(s);
            Export App "export" "export the session" Read ["E"] Analysis ["E"]
                => |s| s.open_list(Some(list::of_formats()));
            Palette App "commands" "all commands" Read [":" "ctrl-p"] Write ["ctrl-p"]
                => |s| s.open_list(Some(entries::palette(s)));
            Help App "help" "all keys" Read ["?" "f1"] Write ["f1"] Line ["?"] Analysis ["?" "f1"] Start ["f1"] StartList ["?"] Page ["?" "f1"]
                => |s| toggle_page(s, help);
            EntryUp App unlisted "previous" "previous entry" Pick ["up" "ctrl-p"] Start ["up"] => |_| ();
            EntryDown App unlisted "next" "next entry" Pick ["down" "ctrl-n" "tab"] Start ["down"] => |_| ();
            RunEntry App unlisted "run" "run" Pick ["enter"] Start ["enter"] => |s| entries::run_entry(s);
            Back App unlisted "back" "back" Read ["esc"] Write ["esc"] Pick ["esc"] Search ["esc"] Analysis ["esc" "q"] Start ["esc"] Page ["esc" "q"]
                => |s| leave::back(s);
            Theme App "theme" "choose a theme" Read ["t"] => |s| appearance::themes(s);
            Raw App "raw" "raw view, to select with the mouse" Read ["R"] => |s| leave::raw(s);
            Redraw App "redraw" "redraw the screen" Read ["ctrl-l"] Write ["ctrl-l"] Analysis ["ctrl-l"] Page ["ctrl-l"]
                => |_| Request::Redraw;
            Suspend App "suspend" "pause and go to the shell" Read ["ctrl-z"] Write ["ctrl-z"] Analysis ["ctrl-z"] Start ["ctrl-z"] Page ["ctrl-z"]
                => |_| Request::Suspend;
            Interrupt App "leave" "clear the line, or leave (twice)" Read ["ctrl-c"] Write ["ctrl-c"] Pick ["ctrl-c"] Search ["ctrl-c"] Analysis ["ctrl-c"] Start ["ctrl-c"] Page ["ctrl-c"]
                => |s| leave::interrupt(s);
            Home App "start screen" "go to the start screen (saved)" Read ["h"]
                => |s| leave::quit(s, Action::Home, Request::Home);
            Detach App "detach" "leave; the conversation goes on" => |s| leave::detach(s);
            Quit App "quit" "quit (saved)" Read ["q"] StartList ["q"] => |s| leave::quit(s, Action::Quit, Request::Leave);
            NextField Start unlisted "who and what" "the topic, who sits there, what kind of talk" Start ["tab"] => |_| ();
            PreviousField Start unlisted "back" "the same, backwards" Start ["shift-tab"] => |_| ();
            TurnOn Start unlisted "change" "change, or move to the next seat" Start ["right"] => |_| ();
            TurnBack Start unlisted "change back" "change, or move to the seat before" Start ["left"] => |_| ();
            ReplaySession Start unlisted "replay" "replay the session" StartList ["r"] => |_| ();
            CompareSessions Start unlisted "compare" "compare two sessions" StartList ["c"] => |_| ();
            DropSession Start unlisted "delete" "move the session to the trash" StartList ["x"] => |_| ();
        }
    };
}
pub(in crate::ui) use actions;

macro_rules! declare {
    ($($action:ident $(($number:ty = $_first:literal))? $_group:ident $($_unlisted:ident)? $_hint:literal $title:literal
        $($_focus:ident [$($_key:literal)*])* => |$_screen:pat_param $(, $_n:ident)?| $_effect:expr;)*) => {
        /// An action of the screen.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Action {
            $(#[doc = $title] $action $(($number))?,)*
        }
    };
}
actions!(declare);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards the start.
    Up,
    /// Towards the end.
    Down,
}
