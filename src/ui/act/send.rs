//! Sending the draft: a message to everybody, the message of a human seat, or a `/command`.

use crate::model::Command;
use crate::ui::act::intents::{ask, command, cut_in_queued};
use crate::ui::act::{commands, completion};
use crate::ui::request::{FollowUp, Request};
use crate::ui::screen::Screen;
use crate::ui::slash;
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
pub fn send(screen: &mut Screen, manner: Delivery) -> Option<FollowUp> {
    if manner == Delivery::Queue && completion::take_unless_whole(screen) {
        return None;
    }
    let text = screen.view.composer.whole();
    let words = text.trim();
    if words.is_empty() {
        let cuts_in = manner == Delivery::CutIn && screen.view.editing.is_none();
        return cuts_in.then(|| cut_in_queued(screen)).flatten().map(FollowUp::Ask);
    }
    // `@@bo` is heard by Bo alone
    if let Some(rest) = words.strip_prefix("@@") {
        let line = format!("/whisper @{rest}");
        return send_command(screen, &line);
    }
    if words.starts_with('/') && manner == Delivery::Queue {
        return send_command(screen, words);
    }
    screen.view.completion = None;
    let human = screen.transcript.human_turn();
    let editing = screen.view.editing.take();
    let text = match screen.chosen() {
        Some(to) if editing.is_none() && !words.starts_with('@') => format!("@{to} {words}").into(),
        Some(_) | None => words.into(),
    };
    let command = match (manner, editing, human) {
        (Delivery::CutIn, ..) => Command::CutIn { text, who: None, re: answered(screen) },
        (Delivery::Queue, Some(of), _) => Command::EditQueued { of: of.0, text },
        (Delivery::Queue, None, Some(who)) => Command::Speak { text, who },
        (Delivery::Queue, None, None) => {
            Command::Say { text, re: answered(screen), material: None }
        }
    };
    let sent = ask(screen, command);
    if sent.is_some() {
        screen.view.composer.sent();
        screen.view.sent = true;
        screen.view.withdrawn = None;
        screen.view.cutting_in = false;
        if screen.view.line {
            screen.view.selected = None;
        }
        after_sending(screen);
        screen.view.viewport.follow();
    }
    sent.map(FollowUp::Ask)
}

/// Gives a vote for the seat of the person that is asked.
pub fn vote(screen: &mut Screen, choice: String) -> Option<Request> {
    let who = screen.transcript.human_turn()?;
    screen.view.notice = None;
    ask(screen, Command::Speak { text: choice.into(), who })
}

/// Returns to READ if the composer was opened from there.
fn after_sending(screen: &mut Screen) {
    let now = screen.clock.now();
    let view = &mut screen.view;
    view.sent_at = view.line.then_some(now);
    if std::mem::take(&mut view.from_read) {
        view.writing = false;
    }
}

/// Sends the draft as a `/command`: of the conversation, otherwise of the screen. An incomplete name is completed.
pub fn send_command(screen: &mut Screen, line: &str) -> Option<FollowUp> {
    let named = slash::is_named(line);
    if !named && slash::parse_action(line).is_some() {
        let line = line.to_owned();
        screen.view.composer.sent();
        screen.view.writing = screen.view.line;
        screen.view.completion = None;
        return commands::run(screen, &line).flatten();
    }
    if let Some(offer) = screen.view.completion.take()
        && !named
    {
        offer.take(&mut screen.view.composer.area);
        completion::refresh(screen);
        return None;
    }
    let sent = command(screen, line);
    screen.view.refused = sent.is_none();
    if sent.is_some() {
        screen.view.composer.sent();
        screen.view.sent = true;
        screen.view.completion = None;
        after_sending(screen);
    }
    sent.map(FollowUp::Ask)
}
