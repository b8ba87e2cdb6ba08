//! Effects of keys and actions: the view changes at once, the conversation by a request.
//!
//! Nothing here logs or does I/O; external effects are returned as requests.

use crate::analysis::FigurePage;
use crate::model::{Command, Ms};
use crate::session::replay::{Speed, Step};
use crate::text;
use crate::ui::act::extract::Extract;
use crate::ui::act::send::Delivery;
use crate::ui::act::{
    appearance, branches, completion, entries, history, intents, jump, leave, modal, navigate,
    participant, playback, reply, select, send, typed,
};
use crate::ui::action::{Action, Direction};
use crate::ui::keymap::{self, Focus};
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::text::caret;
use crate::ui::view::TEXTS;
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::branches::SessionFilter;
use crate::ui::view::card;
use crate::ui::view::completion::Completion;
use crate::ui::view::keys_page;
use crate::ui::view::list::{FeedKind, List, ListKind};
use crate::ui::view::offer::{BOUNCE_MS, bounces, offer};
use crate::ui::view::search::{LineMatches, Search};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Handles a key.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Request> {
    let spelled = keymap::spell(key)?;
    screen.view.rest.since = None;
    if std::mem::take(&mut screen.view.ambient) {
        return None;
    }
    if let Some(then) = modal::key(screen, key) {
        return follow(screen, then);
    }
    leave_empty(screen, key.code);
    let place = screen.view.place();
    screen.view.prefixed = false;
    let last_key = screen.view.pressed_at.replace(screen.clock.now());
    if let (Focus::Line, KeyCode::Char(digit)) = (place, key.code)
        && key.modifiers.is_empty()
        && let Some(action) = card::answer(screen, digit, last_key)
    {
        return answer(screen, digit, action, last_key);
    }
    screen.view.absence = None;
    match screen.keymap.action(place, &spelled) {
        Some(Action::Offer) if bounces(screen) => None,
        Some(Action::Offer | Action::Skip | Action::Retry)
            if place == Focus::Line && key.kind == KeyEventKind::Repeat =>
        {
            None
        }
        // closes the list of keys
        Some(Action::Back) if place == Focus::Prefix => None,
        Some(action) => {
            let arrow = place == Focus::Line && matches!(action, Action::Skip | Action::Retry);
            let offered = (action == Action::Offer).then(|| offer(screen));
            let (action, _) = offered.unwrap_or(Some((action, String::new())))?;
            screen.view.notice = None;
            typed::count(screen, place, key.code);
            // the key behind the prefix confirms
            let leaving = if action == Action::Prefix {
                None
            } else {
                screen.view.leaving_since = None;
                screen.view.leaving.take()
            };
            let asked = match action {
                Action::Home if leaving == Some(action) => Some(Request::Home),
                Action::Quit | Action::Interrupt
                    if leaving.is_some_and(|by| by != Action::Home) =>
                {
                    Some(Request::Leave)
                }
                Action::Retry if leaving == Some(action) => intents::retry_now(screen),
                Action::Skip if leaving == Some(action) => act(screen, action),
                action if arrow => intents::announce(screen, action),
                Action::End if leaving == Some(action) => intents::end(screen),
                action => act(screen, action),
            };
            typed::show(screen, place, &spelled, asked.as_ref());
            asked
        }
        None => {
            let text = matches!(key.code, KeyCode::Char(_))
                && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
            if text && screen.view.line && matches!(place, Focus::Read | Focus::Found) {
                screen.open_line();
            }
            let place = if screen.view.writing { screen.view.place() } else { place };
            write(screen, place, key);
            None
        }
    }
}

/// Takes an option of the card; one that costs is announced first, and needs a second press.
fn answer(
    screen: &mut Screen,
    digit: char,
    action: Action,
    last_key: Option<Ms>,
) -> Option<Request> {
    screen.view.leaving_since = None;
    let announced = screen.view.leaving.take() == Some(action);
    if !announced && card::costs(screen, action) {
        let option = card::card(screen)?.options.into_iter().find(|(of, _)| *of == action);
        let what = option.map(|(_, what)| what).unwrap_or_default();
        screen.view.notice = Some(format!("{digit} again: {what}"));
        screen.view.leaving = Some(action);
        return None;
    }
    if announced && last_key.is_some_and(|at| screen.clock.now().since(at) < BOUNCE_MS) {
        screen.view.leaving = Some(action);
        return None;
    }
    screen.view.notice = None;
    if action != Action::ReadMissed {
        screen.view.absence = None;
    }
    if announced && action == Action::Retry {
        intents::retry_now(screen)
    } else {
        act(screen, action)
    }
}

/// Returns to READ if the first key after a send moves the cursor; a person's turn keeps the composer open.
fn leave_empty(screen: &mut Screen, code: KeyCode) {
    use KeyCode::{Down, End, Home, Left, PageDown, PageUp, Right};
    let moves = matches!(code, Down | Left | Right | PageUp | PageDown | Home | End);
    let view = &mut screen.view;
    let sent = std::mem::take(&mut view.sent) && view.place() == Focus::Write;
    if sent && moves && view.composer.is_empty() && screen.transcript.human_turn().is_none() {
        view.writing = false;
    }
}

/// Handles a key that is text.
fn write(screen: &mut Screen, place: Focus, key: &KeyEvent) {
    if let (Focus::Search, Some(search)) = (place, &mut screen.view.search) {
        if !caret::line(&mut search.query, key) {
            return;
        }
        match (&mut screen.view.page, &mut screen.view.analysis) {
            (Some(page), _) => page.found.restart(),
            (None, Some(analysis)) => analysis.found.restart(),
            (None, None) => navigate::search_again(screen),
        }
        return;
    }
    match (place, &mut screen.view.list) {
        (Focus::Write | Focus::Line, _) if key.kind != KeyEventKind::Release => {
            screen.view.notice = None;
            // to a chosen participant, `@` makes the message a whisper
            if let (Focus::Line, KeyCode::Char('@'), Some(to)) = (place, key.code, screen.chosen())
            {
                screen.view.selected = None;
                screen.view.composer.begin(&format!("@@{to} "));
                return;
            }
            if std::mem::take(&mut screen.view.refused) && key.code == KeyCode::Char('/') {
                screen.view.composer.clear();
            }
            let composer = &mut screen.view.composer;
            let was_empty = composer.is_empty();
            if key.code == KeyCode::Backspace && composer.area.cursor() == (0, 0) {
                reply::forget(screen);
                return;
            }
            caret::input(&mut composer.area, *key);
            reply::note(screen, was_empty);
            screen.view.hand.typed = Some(screen.clock.now());
            completion::refresh(screen);
        }
        (Focus::Pick, Some(list)) => list.narrow(key),
        (
            Focus::Read
            | Focus::Replay
            | Focus::Found
            | Focus::Write
            | Focus::Line
            | Focus::Prefix
            | Focus::Pick
            | Focus::Search
            | Focus::Analysis
            | Focus::Page
            | Focus::Start
            | Focus::StartList,
            _,
        ) => {}
    }
}

/// Handles pasted text: it goes to the composer and is never sent at once.
pub fn paste(screen: &mut Screen, text: &str) {
    screen.view.list = None;
    screen.view.writing = true;
    screen.view.completion = None;
    screen.view.composer.paste(text);
    screen.view.hand.typed = Some(screen.clock.now());
}

/// Performs an action, and its follow-ups.
pub fn act(screen: &mut Screen, action: Action) -> Option<Request> {
    let then = perform(screen, action);
    follow(screen, then)
}

/// Performs follow-ups until all are done.
fn follow(screen: &mut Screen, mut then: Option<FollowUp>) -> Option<Request> {
    loop {
        match then {
            Some(FollowUp::Act(action)) => then = perform(screen, action),
            Some(FollowUp::Repeat(times, action)) => {
                return (0..times).filter_map(|_| act(screen, action)).last();
            }
            Some(FollowUp::Ask(request)) => return Some(request),
            None => return None,
        }
    }
}

/// Performs an action. Sending or running an entry may return another action; all others change the view or return a
/// request.
fn perform(screen: &mut Screen, action: Action) -> Option<FollowUp> {
    let free = screen.view.page.is_none() || screen.view.writing;
    match action {
        Action::Send if free && screen.view.cutting_in => send::send(screen, Delivery::CutIn),
        Action::Send if free => send::send(screen, Delivery::Queue),
        Action::CutIn if free => send::send(screen, Delivery::CutIn),
        Action::RunEntry if free => entries::run_entry(screen),
        action => change(screen, action).map(FollowUp::Ask),
    }
}

/// Changes the view, or returns a request.
fn change(screen: &mut Screen, action: Action) -> Option<Request> {
    let replays = screen.view.playback.is_some();
    let feed = if replays { FeedKind::Recorded } else { FeedKind::Live };
    if let Some(list) = &mut screen.view.list
        && list.handle(action, &screen.keymap)
    {
        appearance::preview_theme(screen);
        return None;
    }
    if let Some(analysis) = &mut screen.view.analysis
        && screen.view.page.is_none()
        && screen.view.search.is_some()
        && !screen.view.writing
        && search_in(&mut analysis.found, action)
    {
        return None;
    }
    if let Some(analysis) = &mut screen.view.analysis
        && analysis.handle(action)
    {
        return None;
    }
    if let Some(page) = &mut screen.view.page
        && !screen.view.writing
    {
        if screen.view.search.is_some() && search_in(&mut page.found, action) {
            return None;
        }
        if let Some(asked) = select::handle(page, action) {
            return asked;
        }
        match action {
            // the search is cleared first
            Action::Back if screen.view.search.take().is_some() => return None,
            Action::Back | Action::Quit | Action::Prompt | Action::Zoom | Action::Help => {
                screen.view.page = None;
                screen.view.writing = std::mem::take(&mut screen.view.returns);
                // `zz`, which in other keymaps opens and closes the page
                if action == Action::Zoom && screen.view.vim.is_some() {
                    navigate::centre(screen);
                }
                return None;
            }
            Action::OpenLink => {
                let link = screen.view.page.take().and_then(|page| page.link);
                return link.filter(|(_, opens)| *opens).map(|(link, _)| Request::Open(link));
            }
            Action::Copy => {
                let (words, what) = match &page.link {
                    Some((link, _)) => (text::line(link).into_owned(), "the link"),
                    None => (page.text(), "this page"),
                };
                return Some(Request::Copy(words, what.into()));
            }
            action if page.moves(action) => return None,
            action if TEXTS.iter().any(|(shows, ..)| *shows == action) => {
                screen.view.page = None;
                return None;
            }
            _ => {}
        }
    }
    if let Some((_, make, nothing)) = TEXTS.iter().find(|(shows, ..)| *shows == action) {
        screen.view.page = make(&screen.transcript, screen.clock.now(), screen.glyphs);
        screen.view.notice = screen.view.page.is_none().then(|| (*nothing).into());
        return None;
    }
    match action {
        Action::Analysis => {
            let open = screen.view.analysis.take().is_none();
            screen.view.analysis = open.then(AnalysisPane::default);
        }
        Action::Moments => {
            screen.view.analysis = Some(AnalysisPane::new(FigurePage::Events));
        }
        Action::Ambient => screen.view.ambient = true,
        Action::Lanes if screen.transcript.positions().is_none() => {
            screen.view.notice = Some("no positions: the lanes are shown".into());
        }
        Action::Lanes => screen.view.lanes_instead = !screen.view.lanes_instead,
        Action::ReadMissed => navigate::missed(screen),
        Action::OpenEvent => navigate::event(screen),
        Action::Export => screen.view.list = Some(List::new(ListKind::Formats, feed)),
        Action::TogglePause if replays => playback::toggle(&mut screen.view),
        Action::Step if replays => playback::step(&mut screen.view, Step::Text),
        Action::Write if replays => return intents::reopen(screen),
        Action::Editor if replays => return intents::past(screen),
        Action::PlayPause => playback::toggle(&mut screen.view),
        Action::TextOn => playback::step(&mut screen.view, Step::Text),
        Action::TextBack => playback::step(&mut screen.view, Step::TextBack),
        Action::UtteranceOn => playback::step(&mut screen.view, Step::Utterance),
        Action::UtteranceBack => playback::step(&mut screen.view, Step::UtteranceBack),
        Action::MarkOn => playback::mark(&mut screen.view, Direction::Down),
        Action::MarkBack => playback::mark(&mut screen.view, Direction::Up),
        Action::Begin => playback::tenth(&mut screen.view, 0),
        Action::Tenth(tenth) => playback::tenth(&mut screen.view, tenth),
        Action::Faster => playback::speed(&mut screen.view, Speed::faster),
        Action::Slower => playback::speed(&mut screen.view, Speed::slower),
        Action::Waits => playback::waits(&mut screen.view),
        Action::TogglePause => return intents::toggle_pause(screen),
        Action::Step => return intents::ask(screen, Command::Step { n: 1 }),
        Action::Skip => return intents::ask(screen, Command::Skip {}),
        Action::Retry => return intents::retry(screen),
        Action::AllowOnce => return intents::decide(screen, true, true),
        Action::AllowTool => return intents::decide(screen, true, false),
        Action::RefuseTool => return intents::decide(screen, false, false),
        Action::Vote => entries::begin(screen, "/vote "),
        Action::Undo => return intents::undo(screen),
        Action::Theme => appearance::themes(screen),
        Action::Panels => appearance::panels(screen),
        Action::PauseNow => return intents::ask(screen, Command::PauseNow {}),
        Action::MoreRound => {
            screen.view.viewport.follow();
            return intents::more(screen);
        }
        Action::GiveFloor => return intents::give_floor(screen),
        Action::Mute => return intents::mute(screen),
        Action::DropQueued => return intents::drop_queued(screen),
        Action::Interrupt => return leave::interrupt(screen),
        Action::Quit => return leave::quit(screen, action, Request::Leave),
        Action::Detach => return leave::detach(screen),
        Action::Home => return leave::quit(screen, action, Request::Home),
        Action::Copy => return navigate::copy(screen),
        Action::CopyPlain => return navigate::copy_plain(screen),
        Action::SelectLines => select::open(screen),
        Action::CopyCode => return navigate::take_out(screen, Extract::Code),
        Action::Links => return navigate::take_out(screen, Extract::Links),
        Action::Zoom => navigate::zoom(screen),
        Action::Prompt => navigate::prompt(screen),
        Action::Filter => navigate::filter(screen),
        Action::Mark => return intents::ask(screen, Command::Mark { text: None }),
        Action::MarkUp => navigate::mark(screen, Direction::Up),
        Action::MarkDown => navigate::mark(screen, Direction::Down),
        Action::Seat => entries::participant_actions(screen),
        Action::Pass => return intents::pass(screen),
        Action::EditQueued => entries::edit_queued(screen),
        Action::Fork => return branches::fork_here(screen),
        Action::Tree => return Some(Request::Sessions(SessionFilter::Family)),
        Action::Compare => return Some(Request::Sessions(SessionFilter::Everything)),
        Action::Versions => navigate::alternatives(screen),
        Action::Suspend => return Some(Request::Suspend),
        Action::Redraw => return Some(Request::Redraw),
        Action::Raw => return leave::raw(screen),
        Action::Select(number) => participant::select(screen, usize::from(number) - 1),
        Action::SelectNext => participant::select_next(screen, Direction::Down),
        Action::SelectPrevious => participant::select_next(screen, Direction::Up),
        Action::Whisper => entries::whisper(screen),
        Action::Note => entries::note(screen),
        Action::Write => {
            screen.view.from_read |= screen.view.line && !screen.view.writing;
            screen.view.writing = true;
        }
        Action::Address => entries::address(screen),
        Action::Interject => (screen.view.writing, screen.view.cutting_in) = (true, true),
        Action::SetLimit => entries::begin_limit(screen),
        Action::ChangeModel => return entries::ask_models(screen),
        Action::End => return intents::ask_end(screen),
        Action::Earlier if screen.view.completion.is_some() => {
            screen.view.completion.iter_mut().for_each(Completion::up);
        }
        Action::Later if screen.view.completion.is_some() => {
            screen.view.completion.iter_mut().for_each(Completion::down);
        }
        Action::Earlier => {
            // with an empty draft, queued messages come before the sent ones
            if screen.view.composer.is_empty() && screen.transcript.queued().next().is_some() {
                if screen.view.line {
                    return entries::withdraw(screen);
                }
                entries::edit_queued(screen);
            } else {
                screen.view.composer.earlier();
            }
        }
        Action::Later if screen.view.place() == Focus::Line && screen.chosen().is_some() => {
            entries::participant_actions(screen);
        }
        Action::Later => screen.view.composer.later(),
        Action::History => screen.view.list = history::list(&screen.view.composer.history),
        Action::Editor => return Some(Request::Edit(screen.view.composer.whole())),
        Action::Unfold if screen.view.composer.unfold() => {}
        Action::Unfold => {
            let key = screen.keymap.way(Action::Editor, Focus::Write);
            screen.view.notice = Some(format!("too long to edit here: {key} opens your editor"));
        }
        Action::NewLine => screen.view.composer.area.insert_newline(),
        Action::Complete => {
            completion::refresh_if_none(screen);
            if let Some(offer) = screen.view.completion.take() {
                offer.take(&mut screen.view.composer.area);
                completion::refresh(screen);
            } else if completion::ends_name(screen) {
                screen.view.composer.area.insert_str(" ");
            } else if screen.view.line {
                reply::change(screen);
            }
        }
        Action::RestoreDraft => {
            screen.view.writing = true;
            screen.view.composer.restore();
        }
        Action::Prefix => screen.view.prefixed = true,
        Action::Palette => {
            screen.view.list = Some(entries::palette(screen, feed));
        }
        Action::Help if screen.keymap.is_few() => {
            let width = usize::from(screen.view.areas.header.width).saturating_sub(4);
            screen.view.page = Some(keys_page::page(&screen.keymap, screen.glyphs, width));
            screen.view.returns = std::mem::take(&mut screen.view.writing);
        }
        Action::Help => screen.view.list = Some(List::new(ListKind::Keys, feed)),
        Action::Back => return leave::back(screen),
        Action::MessageUp => navigate::message(screen, Direction::Up),
        Action::MessageDown => navigate::message(screen, Direction::Down),
        Action::SpeakerUp => jump::speaker(screen, Direction::Up),
        Action::SpeakerDown => jump::speaker(screen, Direction::Down),
        Action::RoundUp => jump::round(screen, Direction::Up),
        Action::RoundDown => jump::round(screen, Direction::Down),
        Action::PhaseUp => jump::phase(screen, Direction::Up),
        Action::PhaseDown => jump::phase(screen, Direction::Down),
        Action::Search => {
            screen.view.search = Some(Search { typing: true, ..Search::default() });
        }
        Action::NextFound => navigate::found(screen, Direction::Down),
        Action::PreviousFound => navigate::found(screen, Direction::Up),
        Action::AcceptSearch => screen.view.search.iter_mut().for_each(|s| s.typing = false),
        Action::Reasoning => navigate::reasoning(screen),
        Action::AllReasoning => {
            screen.view.reading.reasoning = !screen.view.reading.reasoning;
            screen.view.viewport.forget();
        }
        Action::LineUp => screen.read(|t, transcript, look| t.up(transcript, look, 1)),
        Action::LineDown => screen.read(|t, transcript, look| t.down(transcript, look, 1)),
        Action::HalfUp => screen.read(|t, transcript, look| t.up(transcript, look, t.page() / 2)),
        Action::HalfDown => {
            screen.read(|t, transcript, look| t.down(transcript, look, t.page() / 2))
        }
        Action::PageUp => screen.read(|t, transcript, look| t.up(transcript, look, t.page())),
        Action::PageDown => screen.read(|t, transcript, look| t.down(transcript, look, t.page())),
        Action::Top => screen.read(|t, transcript, look| t.go(transcript, look, 0)),
        Action::Follow => screen.read(|t, _, _| t.follow()),
        // handled by `perform`, listed in `TEXTS`, or for the start screen alone
        _ => {}
    }
    None
}

/// Moves between the matches in a text over the transcript; returns whether the action means that.
fn search_in(found: &mut LineMatches, action: Action) -> bool {
    match action {
        Action::NextFound => found.step(Direction::Down),
        Action::PreviousFound => found.step(Direction::Up),
        _ => return false,
    }
    true
}
