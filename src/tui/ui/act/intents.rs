//! Commands of the operator, built from the state of the screen.
//!
//! A command without effect, such as one without a selected participant or after the end, is answered here. Everything
//! else is checked by the engine, and its receipt reports the outcome.

use crate::model::{Command, Participant, SeatId};
use crate::state::leave::asks_leave;
use crate::state::{RunState, State};
use crate::ui::act::{appearance, lists, undo};
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::request::Request;
use crate::ui::screen::Screen;
use crate::ui::view::availability::unfit_action;
use crate::ui::view::card;
use crate::ui::view::confirming::SecondPress;
use crate::ui::view::extension::{self, more_turns, one_more_round, raise, stopped, way_on};
use crate::ui::view::floor::Status;
use crate::ui::view::moment::{failed, is_paid};

/// Requests a command, unless the conversation is read-only or over; a reversible one gets an offer to undo it.
pub fn ask(screen: &mut Screen, command: Command) -> Option<Request> {
    let offer = undo::way_back(screen, &command);
    let asked = ask_only(screen, command);
    if let Some(Request::Send(_)) = &asked {
        // what was done before it is not the last action any more
        screen.view.undo = None;
        if let Some(offer) = offer {
            undo::offer(screen, offer);
        }
    }
    asked
}

fn ask_only(screen: &mut Screen, command: Command) -> Option<Request> {
    if screen.view.is_read_only() {
        return watching(screen);
    }
    if screen.view.is_recording() {
        return past(screen);
    }
    if let Command::Decide { tool, yes: true, .. } = &command
        && let Some(why) = card::unseen(screen, tool)
    {
        return notice(screen, why);
    }
    if screen.transcript.state().ended.is_some() && screen.view.unsaved {
        return unsaved(screen);
    }
    if screen.transcript.state().ended.is_some() {
        if let Some(commands) = reopening(command) {
            return Some(Request::Extend(commands));
        }
        let key = screen.keymap.way(Action::MoreRound, screen.view.steering());
        let more = extension::more(screen.transcript.state());
        return notice(screen, format!("finished. {key} runs {more}, /note annotates it"));
    }
    Some(Request::Send(command))
}

/// Reports that a watched session must be controlled by the process that runs it.
pub fn watching(screen: &mut Screen) -> Option<Request> {
    if screen.view.is_loading() {
        return notice(screen, "still reading the session; try again in a moment");
    }
    notice(screen, "read-only: steer it where it runs")
}

/// Reports that an unsaved conversation cannot do this, and how to save one.
pub fn unsaved(screen: &mut Screen) -> Option<Request> {
    notice(screen, "not saved: --no-save sessions cannot be branched or extended")
}

/// Reports that a recording cannot be controlled.
pub fn past(screen: &mut Screen) -> Option<Request> {
    if screen.view.reopens() {
        let words = ways_on(screen);
        return notice(screen, words);
    }
    let key = screen.keymap.way(Action::Fork, Focus::Replay);
    notice(screen, format!("this is a recording. {key} starts a branch from here"))
}

pub(super) fn notice<T>(screen: &mut Screen, words: impl Into<String>) -> Option<T> {
    screen.view.notice = Some(words.into());
    None
}

/// Asks for a second press of an action.
pub(super) fn ask_again(screen: &mut Screen, action: Action, told: String) -> Option<Request> {
    screen.view.leaving = Some(SecondPress { action, told: told.clone(), since: None });
    notice(screen, told)
}

/// Returns the ways on from a finished conversation that is read: nothing is called before one of them is taken.
pub fn ways_on(screen: &Screen) -> String {
    let way = |action| screen.keymap.way(action, Focus::Replay);
    let write = way(Action::Write);
    let key = way(Action::MoreRound);
    format!("finished, read-only: {write} reopens it, {key} goes on")
}

/// Reopens a finished conversation that is read: paused, so that nothing is called before the person says so.
pub fn reopen(screen: &mut Screen) -> Option<Request> {
    let finished = screen.view.reopens() && screen.transcript.state().is_finished();
    if finished { Some(Request::Extend(vec![Command::Pause {}])) } else { past(screen) }
}

/// Pauses, or goes on.
pub fn toggle_pause(screen: &mut Screen) -> Option<Request> {
    let state = screen.transcript.state();
    let status = Status::from_state(state);
    if status.is_limited() || status == Status::Paused && state.limit.is_some() {
        let key = screen.keymap.way(Action::MoreRound, screen.view.steering());
        let words = format!("{}; {key} {}, /limit sets another", stopped(state), way_on(state));
        return notice(screen, words);
    }
    let command = pause_or_go_on(screen.transcript.state());
    ask(screen, command)
}

/// Returns the command that pauses or resumes, depending on the state.
pub fn pause_or_go_on(state: &State) -> Command {
    match state.run {
        RunState::Going | RunState::Stepping(_) => Command::Pause {},
        RunState::Pausing | RunState::Paused => Command::Resume {},
    }
}

/// Raises the reached limit so that everybody can speak once more; a finished conversation is resumed for that.
pub fn more(screen: &mut Screen) -> Option<Request> {
    if screen.view.is_read_only() {
        return watching(screen);
    }
    let state = screen.transcript.state();
    let is_read = screen.view.reopens() && state.is_finished();
    if is_read || state.ended.is_some() && !screen.view.is_recording() {
        if screen.view.unsaved {
            return unsaved(screen);
        }
        return Some(Request::Extend(again(state)));
    }
    match more_of(state) {
        Some(command) => {
            let raised = raise(state);
            let asked = ask(screen, command);
            if let (Some(_), Some((_, to))) = (&asked, raised) {
                screen.view.notice = Some(format!("limit is now {to}"));
            }
            asked
        }
        None => notice(screen, "nothing to extend: no limit reached"),
    }
}

/// Returns the command that runs one more round; `None` unless a limit was reached, or the conversation is paused or
/// finished.
pub fn more_of(state: &State) -> Option<Command> {
    let waits = state.run == RunState::Paused || state.reopened_after.is_some();
    let step = || waits.then(|| Command::Step { n: more_turns(state) });
    one_more_round(state).map(|set| Command::Limit { set }).or_else(step)
}

/// Returns the commands that run one more round of a finished conversation.
pub fn again(state: &State) -> Vec<Command> {
    let limit = one_more_round(state).map(|set| Command::Limit { set });
    limit.into_iter().chain([Command::Step { n: more_turns(state) }]).collect()
}

/// Returns the commands that reopen a finished conversation. A message is answered; after a note nobody speaks.
pub fn reopening(command: Command) -> Option<Vec<Command>> {
    match command {
        Command::Note { .. } => Some(vec![Command::Pause {}, command]),
        // there is nobody to cut in on
        Command::CutIn { text, re, .. } => Some(vec![Command::Say { text, re, material: None }]),
        Command::Say { .. } | Command::Whisper(_) | Command::Floor { .. } => Some(vec![command]),
        _ => None,
    }
}

/// Returns the selected participant; without one, reports how to select one.
pub fn selected(screen: &mut Screen) -> Option<SeatId> {
    let place = screen.view.selected;
    let seat =
        place.and_then(|p| screen.transcript.state().seats.get(p)).map(|s| s.spec.id.clone());
    if seat.is_none() {
        let place = if screen.view.steers() { Focus::Line } else { Focus::Read };
        let key = screen.keymap.way(Action::SelectNext, place);
        return notice(screen, format!("Select a participant first ({key})"));
    }
    seat
}

/// Gives the turn to the selected participant.
pub fn give_floor(screen: &mut Screen) -> Option<Request> {
    let to = selected(screen)?;
    ask(screen, Command::Floor { to })
}

/// Returns the participant of the running turn, otherwise of the last one.
fn last_speaker(screen: &Screen) -> Option<&Participant> {
    let state = screen.transcript.state();
    let now = screen.transcript.speaking().next().map(|turn| &turn.seat);
    let last = now.or(state.last.as_ref().map(|last| &last.seat))?;
    state.seat(last).map(|seat| &*seat.spec)
}

/// Retries the running turn, otherwise the last one; a paid voice needs a second press.
pub fn retry(screen: &mut Screen) -> Option<Request> {
    let paid = last_speaker(screen).filter(|spec| is_paid(spec)).map(|spec| spec.id.clone());
    match paid {
        Some(id) => {
            let key = screen.keymap.way(Action::Retry, screen.view.steering());
            let name = screen.transcript.name(&id);
            let told = format!(
                "a retry costs another call to {name}'s model: press {key} again to confirm"
            );
            ask_again(screen, Action::Retry, told)
        }
        None => retry_now(screen),
    }
}

/// Describes what a second press of an arrow key on the empty line does, and its price.
pub fn announce(screen: &mut Screen, action: Action) -> Option<Request> {
    let spec = last_speaker(screen);
    let costs = if spec.is_some_and(is_paid) { ", one more call to its model" } else { "" };
    let last = spec.map(|spec| screen.transcript.name(&spec.id));
    let next = screen.transcript.next_speakers().first().map(|id| screen.transcript.name(id));
    let what = match (action, screen.transcript.speaker(), last, next) {
        (Action::Retry, _, Some(last), _) => format!("asks {last} again{costs}"),
        (Action::Retry, _, None, _) => return notice(screen, "no turns yet"),
        (_, Some(speaker), ..) => format!("stops {speaker}, and the next one speaks"),
        (_, None, _, Some(next)) => format!("skips {next}"),
        (_, None, _, None) => return notice(screen, "nobody to skip"),
    };
    let key = screen.glyphs.key(&screen.keymap.way(action, Focus::Line)).to_owned();
    ask_again(screen, action, format!("{key} again: {what}"))
}

/// Retries the running turn, otherwise the last one. A running reply is stopped first; its text so far stays as a
/// version.
pub fn retry_now(screen: &mut Screen) -> Option<Request> {
    let again = Command::Retry { utterance: None };
    let state = screen.transcript.state();
    let wordless = match screen.transcript.speaking().collect::<Vec<_>>()[..] {
        [turn] => !screen.transcript.live.has_said(turn.id) && state.run == RunState::Going,
        _ => false,
    };
    // a turn that is stopped before its first word gets the floor again by itself
    if wordless && let Some(name) = screen.transcript.speaker() {
        let asked = ask_only(screen, Command::PauseNow {})?;
        screen.view.notice = Some(format!("{name} starts again"));
        return Some(match asked {
            Request::Send(stop) => Request::SendAll(vec![stop, Command::Resume {}]),
            other => other,
        });
    }
    let runs = screen.transcript.state().run == RunState::Going;
    let only = screen.transcript.speaking().count() == 1;
    // the failure paused it
    let is_held = failed(&screen.transcript).is_some();
    let asked = ask(screen, again.clone());
    if asked.is_some() && Status::from_state(screen.transcript.state()).is_limited() {
        let key = screen.keymap.way(Action::MoreRound, screen.view.steering());
        screen.view.notice = Some(format!("queued: the limit stops retries too, {key} raises it"));
    }
    match asked {
        Some(Request::Send(_)) if only && runs => {
            Some(Request::SendAll(vec![Command::PauseNow {}, again, Command::Resume {}]))
        }
        Some(Request::Send(_)) if is_held => {
            Some(Request::SendAll(vec![again, Command::Resume {}]))
        }
        asked => asked,
    }
}

/// Reports why an action has no effect now.
fn cannot(screen: &mut Screen, action: Action) -> Option<Request> {
    notice(screen, unfit_action(&screen.transcript, action)?)
}

/// Allows or refuses the tool call that waits for permission.
pub fn decide(screen: &mut Screen, yes: bool, once: bool) -> Option<Request> {
    let waiting = asks_leave(screen.transcript.state()).map(|asks| asks.tool);
    match waiting {
        Some(tool) => ask(screen, Command::Decide { tool, yes, once }),
        None => cannot(screen, Action::AllowOnce),
    }
}

/// Asks for a second press to end the conversation.
pub fn ask_end(screen: &mut Screen) -> Option<Request> {
    if screen.view.is_recording() {
        return past(screen);
    }
    if screen.transcript.state().ended.is_some() {
        return notice(screen, "already finished");
    }
    let key = screen.keymap.way(Action::End, screen.view.steering());
    ask_again(screen, Action::End, format!("press {key} again to end the conversation"))
}

/// Ends the conversation, without closing statements.
pub fn end(screen: &mut Screen) -> Option<Request> {
    ask(screen, Command::End { final_round: false })
}

/// Mutes the selected participant, or unmutes it.
pub fn mute(screen: &mut Screen) -> Option<Request> {
    let who = selected(screen)?;
    let muted = screen.transcript.state().seat(&who).is_some_and(|s| s.muted);
    ask(screen, if muted { Command::Unmute { who } } else { Command::Mute { who } })
}

/// Drops the queued message; if there are several, lists them. Without messages, drops the last queued command.
pub fn drop_queued(screen: &mut Screen) -> Option<Request> {
    if screen.transcript.queued().count() > 1 {
        screen.open_list(lists::queued(&screen.transcript));
        return None;
    }
    let last = screen.transcript.queued().next_back().map(|message| message.given.key.clone());
    match last {
        Some(key) => ask(screen, Command::DropQueued { of: key.0 }),
        None if let Some(queued) = screen.transcript.queued_command() => {
            let of = queued.given.key.0.clone();
            ask(screen, Command::DropQueued { of })
        }
        None => cannot(screen, Action::DropQueued),
    }
}

/// Says the last queued message at once, if everybody hears it: it leaves the queue and interrupts the running turns.
pub fn cut_in_queued(screen: &Screen) -> Option<Request> {
    if screen.view.is_read_only() || screen.view.is_recording() {
        return None;
    }
    let queued = screen.transcript.queued_for_all()?;
    let Command::Say { text, re, .. } = queued.command() else { return None };
    Some(Request::SendAll(vec![
        Command::DropQueued { of: queued.given.key.0.clone() },
        Command::CutIn { text, who: None, re },
    ]))
}

/// Undoes the last command, while that is offered.
pub fn undo(screen: &mut Screen) -> Option<Request> {
    match screen.view.undo.take() {
        Some(undo) => ask_only(screen, undo.command),
        None if let Some(before) = screen.view.changed.take() => {
            appearance::take_back(screen, before);
            None
        }
        None => notice(screen, "nothing to undo"),
    }
}
