//! Effects of keys and actions: the view changes at once, the conversation by a request.
//!
//! Nothing here logs or does I/O; external effects are returned as requests.

use crate::analysis::FigurePage;
use crate::model::{Command, Ms};
use crate::session::replay::{Speed, Step};
use crate::state::leave::asks_leave;
use crate::text;
use crate::ui::act::lists::Extract;
use crate::ui::act::send::Delivery;
use crate::ui::act::{
    appearance, branches, completion, entries, intents, jump, leave, lists, modal, navigate,
    participant, playback, select, send,
};
use crate::ui::action::{Action, Direction, actions};
use crate::ui::keymap::{self, Focus};
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::text::caret;
use crate::ui::view::analysis::AnalysisPane;
use crate::ui::view::branches::SessionFilter;
use crate::ui::view::card::ChoiceAct;
use crate::ui::view::confirming::{Confirming, WAITS_MS};
use crate::ui::view::offer::{BOUNCE_MS, bounces, offer};
use crate::ui::view::page::MakePage;
use crate::ui::view::search::{LineMatches, Search};
use crate::ui::view::{card, keys_page, list, outcomes, progress, reply, table};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Maximum bytes of a line that may be the number of a choice, with blanks.
const NUMBER_MAX: usize = 16;

/// Handles a key.
pub fn key(screen: &mut Screen, key: &KeyEvent) -> Option<Request> {
    let spelled = keymap::spell(key)?;
    screen.view.rest.since = None;
    // every key but the second Enter cancels the announced choice
    let confirming = screen.view.confirming.take();
    if screen.view.over.poster && !keeps_poster(screen, key.code) {
        screen.view.over.poster = false;
        if key.code == KeyCode::Esc {
            return None;
        }
    }
    let is_text = matches!(key.code, KeyCode::Char(_))
        && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let now = screen.clock.now();
    if screen.view.keys.help.take().is_some_and(|at| now.since(at) < BOUNCE_MS) && is_text {
        // the sign began a sentence
        screen.view.over.page = None;
        screen.open_line();
        write(screen, Focus::Line, &KeyEvent::new(KeyCode::Char('?'), KeyModifiers::NONE));
    }
    if screen.view.keys.blank.take().is_some() && is_text {
        // the blank began a sentence
        screen.open_line();
    }
    if let Some(then) = modal::key(screen, key) {
        return follow(screen, then);
    }
    let place = screen.view.place();
    let last_key = screen.view.keys.last.replace(screen.clock.now());
    let action = screen.keymap.action(place, &spelled);
    if action == Some(Action::Send)
        && let Some(asked) = answer(screen, key.kind, confirming, last_key)
    {
        return asked;
    }
    // a number may be the answer to the summary of an absence
    if !matches!(key.code, KeyCode::Char('0'..='9') | KeyCode::Backspace) {
        screen.view.absence = None;
    }
    match action {
        Some(Action::Offer) if bounces(screen) => None,
        Some(Action::TogglePause)
            if place == Focus::Line
                && key.code == KeyCode::Char(' ')
                && !screen.view.is_recording() =>
        {
            screen.view.keys.blank = Some(now);
            None
        }
        Some(Action::Offer | Action::Skip | Action::Retry)
            if place == Focus::Line && key.kind == KeyEventKind::Repeat =>
        {
            None
        }
        Some(action) => {
            let arrow = place == Focus::Line && matches!(action, Action::Skip | Action::Retry);
            let offered = (action == Action::Offer).then(|| offer(screen));
            let (action, _) = offered.unwrap_or(Some((action, String::new())))?;
            screen.view.notice = None;
            let signs = action == Action::Help && place == Focus::Line;
            screen.view.keys.help = (signs && key.code == KeyCode::Char('?')).then_some(now);
            let leaving = screen.view.leaving.take().map(|leaving| leaving.action);
            match action {
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
            }
        }
        None if let Some(line) = own_line(screen, place, &spelled) => {
            screen.view.notice = None;
            let then = send::send_bound(screen, &line);
            follow(screen, then)
        }
        None => {
            if is_text && place == Focus::Marked {
                screen.open_line();
            }
            let place = if screen.view.writing { screen.view.place() } else { place };
            write(screen, place, key);
            None
        }
    }
}

/// Pauses or resumes once no text followed a blank on the empty line. Returns the request for that.
pub fn blank(screen: &mut Screen, now: Ms) -> Option<Request> {
    screen.view.keys.blank.take_if(|at| now.since(*at) >= BOUNCE_MS)?;
    screen.view.notice = None;
    screen.view.leaving = None;
    act(screen, Action::TogglePause)
}

/// Returns the milliseconds until a blank pauses or resumes.
pub fn wake(screen: &Screen, now: Ms) -> Option<u64> {
    Some(BOUNCE_MS.saturating_sub(now.since(screen.view.keys.blank?)))
}

/// Returns the line that the user's own key sends.
fn own_line(screen: &Screen, place: Focus, key: &str) -> Option<String> {
    if !matches!(place, Focus::Line | Focus::Write) {
        return None;
    }
    let (_, line) = screen.keymap.lines().find(|(bound, _)| *bound == key)?;
    Some(line.to_owned())
}

/// Takes the choice of the card whose number is on the line; `None` if the line is words. A choice that costs money or
/// lasts is announced first, and needs a second Enter.
fn answer(
    screen: &mut Screen,
    kind: KeyEventKind,
    confirming: Option<Confirming>,
    last_key: Option<Ms>,
) -> Option<Option<Request>> {
    let mut card = card::current(screen)?;
    let at = card::typed(screen, &card)?;
    let now = screen.clock.now();
    let choice = card.choices.swap_remove(at);
    if choice.allows
        && let Some(why) =
            asks_leave(screen.transcript.state()).and_then(|asks| card::unseen(screen, &asks.tool))
    {
        return Some(intents::notice(screen, why));
    }
    let again = confirming.filter(|c| c.card == card.id && c.at == at);
    let again = again.filter(|c| now.since(c.since) < WAITS_MS);
    let held = kind == KeyEventKind::Repeat;
    let confirmed = if held { None } else { again.as_ref().and_then(|c| c.again(now, last_key)) };
    screen.view.notice = None;
    let Some(act) = choice.act(confirmed) else {
        let first = Confirming { card: card.id, at, since: now };
        screen.view.confirming = Some(again.unwrap_or(first));
        return Some(None);
    };
    screen.view.leaving = None;
    screen.view.composer.begin("");
    screen.view.keys.sent = Some(now);
    // the card stays until the engine has the answer
    screen.view.card.iter_mut().for_each(|shown| shown.since = now);
    if act != ChoiceAct::Do(Action::ReadMissed) {
        screen.view.absence = None;
    }
    Some(match act {
        ChoiceAct::Vote(choice) => send::vote(screen, choice),
        ChoiceAct::Do(Action::Retry) => intents::retry_now(screen),
        ChoiceAct::Do(Action::End) => intents::end(screen),
        ChoiceAct::Do(action) => {
            participant::as_selected(screen, card.seat, |screen| self::act(screen, action))
        }
    })
}

/// Returns whether a key is for the choices below the poster. Any other key closes it, and a letter is then the first one
/// of a line.
fn keeps_poster(screen: &Screen, code: KeyCode) -> bool {
    let is_over = card::current(screen).is_some();
    is_over && matches!(code, KeyCode::Char('0'..='9') | KeyCode::Enter | KeyCode::Backspace)
}

/// Handles a key that is text.
fn write(screen: &mut Screen, place: Focus, key: &KeyEvent) {
    if let (Focus::Search, Some(search)) = (place, &mut screen.view.over.search) {
        if !caret::line(&mut search.query, key) {
            return;
        }
        match screen.view.over.found() {
            Some(found) => found.restart(),
            None => navigate::search_again(screen),
        }
        return;
    }
    match (place, &mut screen.view.over.list) {
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
            let line = composer.text();
            let short = line.len() <= NUMBER_MAX;
            screen.view.keys.line = short.then(|| (line, screen.clock.now()));
            reply::note(screen, was_empty);
            screen.view.hand.typed = Some(screen.clock.now());
            completion::refresh(screen);
        }
        (Focus::Pick, Some(list)) => list.narrow(key),
        _ => {}
    }
}

/// Handles pasted text: it goes to the composer and is never sent at once.
pub fn paste(screen: &mut Screen, text: &str) {
    screen.close_list();
    screen.view.writing = true;
    screen.view.completion = None;
    screen.view.composer.paste(text);
    screen.view.keys.line = None;
    screen.view.confirming = None;
    screen.view.hand.typed = Some(screen.clock.now());
}

/// Performs an action, and its follow-ups.
pub fn act(screen: &mut Screen, action: Action) -> Option<Request> {
    follow(screen, Some(FollowUp::Act(action)))
}

/// Performs follow-ups until all are done.
fn follow(screen: &mut Screen, mut then: Option<FollowUp>) -> Option<Request> {
    let covered = screen.view.over.has_view();
    let asked = loop {
        match then {
            Some(FollowUp::Act(action)) => then = perform(screen, action),
            Some(FollowUp::Ask(request)) => break Some(request),
            None => break None,
        }
    };
    leave::pass_focus(screen, covered);
    asked
}

/// Passes an action to the open overlay, which may have a meaning of its own for it, otherwise to its handler.
fn perform(screen: &mut Screen, action: Action) -> Option<FollowUp> {
    match cover(screen, action) {
        Some(asked) => asked.map(FollowUp::Ask),
        None => run(screen, action),
    }
}

macro_rules! handlers {
    ($($action:ident $(($_number:ty = $_first:literal))? $_group:ident $($_unlisted:ident)? $_hint:literal $_title:literal
        $($_focus:ident [$($_key:literal)*])* => |$screen:pat_param $(, $number:ident)?| $effect:expr;)*) => {
        /// Runs the handler of an action.
        fn run(screen: &mut Screen, action: Action) -> Option<FollowUp> {
            match action {
                $(Action::$action $(($number))? => {
                    let $screen = screen;
                    Effect::follow_up($effect)
                })*
            }
        }
    };
}
actions!(handlers);

/// Result of a handler.
trait Effect {
    fn follow_up(self) -> Option<FollowUp>;
}

impl Effect for () {
    fn follow_up(self) -> Option<FollowUp> {
        None
    }
}

impl Effect for Request {
    fn follow_up(self) -> Option<FollowUp> {
        Some(self.into())
    }
}

impl<T: Into<FollowUp>> Effect for Option<T> {
    fn follow_up(self) -> Option<FollowUp> {
        self.map(T::into)
    }
}

/// Passes an action to the highest overlay, or to the card; `None` if it means nothing special there.
fn cover(screen: &mut Screen, action: Action) -> Option<Option<Request>> {
    let place = screen.view.place();
    let over = &mut screen.view.over;
    let is_done = match place {
        Focus::Pick => {
            let moves = over.list.as_mut().is_some_and(|list| list.handle(action));
            if moves {
                appearance::preview_theme(screen);
            }
            moves
        }
        Focus::Search => over.found().is_some_and(|found| search_in(found, action)),
        Focus::Page => return on_page(screen, action),
        _ => {
            over.analysis.as_mut().is_some_and(|analysis| analysis.handle(action))
                || !over.hides() && card::scroll(screen, action)
        }
    };
    is_done.then_some(None)
}

/// Passes an action to the page.
fn on_page(screen: &mut Screen, action: Action) -> Option<Option<Request>> {
    let page = screen.view.over.page.as_mut()?;
    if let Some(asked) = select::handle(page, action) {
        return Some(asked);
    }
    match action {
        Action::Quit => {
            screen.view.over.page = None;
            Some(None)
        }
        Action::OpenLink => {
            let link = screen.view.over.page.take().and_then(|page| page.link);
            Some(link.filter(|(_, opens)| *opens).map(|(link, _)| Request::Open(link)))
        }
        Action::Copy => {
            let (words, what) = match &page.link {
                Some((link, _)) => (text::line(link).into_owned(), "the link"),
                None => (page.text(), "this page"),
            };
            Some(Some(Request::Copy(words, what.into())))
        }
        action => page.moves(action).then_some(None),
    }
}

fn toggle_analysis(screen: &mut Screen) {
    let open = screen.view.over.analysis.take().is_none();
    screen.view.over.analysis = open.then(AnalysisPane::default);
}

fn toggle_all_reasoning(screen: &mut Screen) {
    screen.view.reading.reasoning = !screen.view.reading.reasoning;
    screen.view.viewport.forget();
}

/// Closes the page that has the focus, otherwise opens one.
fn toggle_page(screen: &mut Screen, open: impl FnOnce(&mut Screen)) {
    if screen.view.writing || screen.view.over.page.take().is_none() {
        open(screen);
    }
}

/// Opens a page that is made from the state of the conversation, or closes the open page; `nothing` is the notice if it
/// has no content.
fn toggle_text(screen: &mut Screen, make: MakePage, nothing: &str) {
    toggle_page(screen, |screen| {
        screen.view.over.page = make(&screen.transcript, screen.clock.now(), screen.glyphs);
        screen.view.notice = screen.view.over.page.is_none().then(|| nothing.into());
    });
}

fn help(screen: &mut Screen) {
    screen.view.over.page = Some(keys_page::page());
}

fn toggle_pause(screen: &mut Screen) -> Option<Request> {
    if !screen.view.is_recording() {
        return intents::toggle_pause(screen);
    }
    playback::toggle(&mut screen.view);
    None
}

fn step(screen: &mut Screen) -> Option<Request> {
    if !screen.view.is_recording() {
        return intents::ask(screen, Command::Step { n: 1 });
    }
    playback::step(&mut screen.view, Step::Text);
    None
}

fn more(screen: &mut Screen) -> Option<Request> {
    screen.view.viewport.follow();
    intents::more(screen)
}

fn open_composer(screen: &mut Screen) -> Option<Request> {
    if screen.view.is_recording() {
        return intents::reopen(screen);
    }
    screen.view.writing = true;
    None
}

fn open_editor(screen: &mut Screen) -> Option<Request> {
    if screen.view.is_recording() {
        return intents::past(screen);
    }
    Some(Request::Edit(screen.view.composer.whole()))
}

fn restore_draft(screen: &mut Screen) {
    screen.view.writing = true;
    screen.view.composer.restore();
}

fn unfold(screen: &mut Screen) {
    if !screen.view.composer.unfold() {
        let key = screen.keymap.way(Action::Editor, Focus::Write);
        screen.view.notice = Some(format!("too long to edit here: {key} opens your editor"));
    }
}

fn send_draft(screen: &mut Screen, cuts_in: bool) -> Option<FollowUp> {
    let delivery = if cuts_in { Delivery::CutIn } else { Delivery::Queue };
    if screen.view.place() == Focus::Page { None } else { send::send(screen, delivery) }
}

/// Moves up: in the completion, to the queued messages if the draft is empty, otherwise in the draft.
fn earlier(screen: &mut Screen) -> Option<Request> {
    if let Some(completion) = &mut screen.view.completion {
        completion.up();
    } else if screen.view.composer.is_empty() && screen.transcript.queued().next().is_some() {
        return entries::withdraw(screen);
    } else {
        screen.view.composer.earlier();
    }
    None
}

fn later(screen: &mut Screen) {
    if let Some(completion) = &mut screen.view.completion {
        completion.down();
    } else if screen.view.place() == Focus::Line && screen.chosen().is_some() {
        entries::participant_actions(screen);
    } else {
        screen.view.composer.later();
    }
}

fn complete(screen: &mut Screen) {
    if screen.view.completion.is_none() {
        completion::refresh(screen);
    }
    if let Some(offer) = screen.view.completion.take() {
        offer.take(&mut screen.view.composer.area);
        completion::refresh(screen);
    } else if completion::ends_name(screen) {
        screen.view.composer.area.insert_str(" ");
    } else {
        reply::change(screen);
    }
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
