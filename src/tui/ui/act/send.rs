//! Sending the draft: a message to everybody, the message of a human seat, or a `/command`.

use crate::model::Command;
use crate::steer::line::{EntryPoint, Intent, Manner, Typing, addressed, read_line};
use crate::steer::slash;
use crate::ui::act::intents::{ask, cut_in_queued, notice};
use crate::ui::act::{commands, completion};
use crate::ui::keymap::parse_action;
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::view::reply::answered;

/// Time at which a message is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// After the running turn.
    Queue,
    /// At once, stopping the running turn.
    CutIn,
}

/// Sends the draft: a `/command`, the message of a human seat that has the floor, or a message to everybody.
pub fn send(screen: &mut Screen, delivery: Delivery) -> Option<FollowUp> {
    if delivery == Delivery::Queue && completion::take_unless_whole(screen) {
        return None;
    }
    let text = screen.view.composer.whole();
    let words = text.trim();
    if words.is_empty() {
        let cuts_in = delivery == Delivery::CutIn;
        return cuts_in.then(|| cut_in_queued(screen)).flatten().map(FollowUp::Ask);
    }
    send_line(screen, words, delivery)
}

/// Sends a line; one that names an action of the screen runs it, and an incomplete name of a command is completed.
pub fn send_line(screen: &mut Screen, words: &str, delivery: Delivery) -> Option<FollowUp> {
    let named = slash::row(words).is_some();
    if !named && parse_action(words).is_some() {
        screen.view.composer.sent();
        screen.view.writing = true;
        screen.view.completion = None;
        return commands::run(screen, words).flatten();
    }
    if words.starts_with('/')
        && let Some(offer) = screen.view.completion.take()
        && !named
    {
        offer.take(&mut screen.view.composer.area);
        completion::refresh(screen);
        return None;
    }
    let sent = command(screen, words, delivery);
    screen.view.refused = sent.is_none() && words.starts_with('/');
    if sent.is_some() {
        screen.view.composer.sent();
        screen.view.completion = None;
        if !words.starts_with('/') || addressed(words).is_some() {
            screen.view.withdrawn = None;
        }
        if !words.starts_with('/') {
            screen.view.selected = None;
            screen.view.viewport.follow();
        }
        screen.view.keys.sent = Some(screen.clock.now());
    }
    sent.map(FollowUp::Ask)
}

/// Sends the line of a key; a draft stays where it is.
pub fn send_bound(screen: &mut Screen, line: &str) -> Option<FollowUp> {
    if slash::row(line).is_none() && parse_action(line).is_some() {
        return commands::run(screen, line).flatten();
    }
    command(screen, line, Delivery::Queue).map(FollowUp::Ask)
}

/// Requests the command of a typed line. An error in it is reported, and the draft stays.
pub fn command(screen: &mut Screen, line: &str, delivery: Delivery) -> Option<Request> {
    let state = screen.transcript.state();
    let manner = match (delivery, screen.transcript.writing_turn()) {
        (Delivery::CutIn, _) => Manner::CutIn,
        (Delivery::Queue, Some(who)) => Manner::Speak(who),
        (Delivery::Queue, None) => Manner::Say,
    };
    let (to, from) = (screen.chosen(), screen.view.withdrawn.as_deref());
    let typing = Typing { by: EntryPoint::Screen, manner, re: answered(screen), to, from };
    match read_line(line, &typing, state) {
        Ok(Intent::Give(command)) => ask(screen, command),
        Ok(Intent::Local) => {
            let why = slash::read(line, state).err();
            notice(screen, why.map(String::from).unwrap_or_default())
        }
        Err(why) => notice(screen, why),
    }
}

/// Gives a vote for the seat of the person that is asked.
pub fn vote(screen: &mut Screen, choice: String) -> Option<Request> {
    let who = screen.transcript.human_turn()?;
    screen.view.notice = None;
    ask(screen, Command::Speak { text: choice.into(), who })
}
