//! The loop of the start screen: a frame first, then keys and findings as they arrive, until a choice is made.

use crate::ui::action::Action;
use crate::ui::start::{self, Choice, Forecast, News, StartScreen, TalkPlan};
use crate::ui::terminal::{AGAIN, STOP, Terminal};
use crate::ui::{draw, keymap};
use crossterm::event::{Event, KeyEvent};
use futures::{Stream, StreamExt};
use std::io;

/// Shows the start screen until a choice is made; `forecast` returns the expected usage of a plan, for the models on offer.
pub async fn run(
    screen: &mut StartScreen,
    terminal: &mut Terminal,
    mut keys: impl Stream<Item = io::Result<Event>> + Unpin,
    news: impl Stream<Item = News> + Unpin,
    forecast: impl Fn(&TalkPlan, &StartScreen) -> Forecast,
) -> io::Result<Choice> {
    let mut news = news.fuse();
    loop {
        terminal.draw(|frame| draw::start::draw(frame, screen))?;
        // a plan is estimated after it is first shown, then drawn again with its cost
        if let Some(plan) = screen.plan().map(|plan| plan.shape())
            && screen.expected().is_none()
        {
            screen.forecast = Some((forecast(&plan, screen), plan));
            continue;
        }
        tokio::select! { biased;
            key = keys.next() => {
                let event = key.ok_or_else(|| io::Error::other("the terminal is gone"))??;
                let choice = match &event {
                    Event::Key(key) if stops(screen, key) => {
                        terminal.suspend()?;
                        None
                    }
                    Event::Key(key) if key.code == AGAIN => {
                        terminal.again()?;
                        None
                    }
                    Event::Key(key) => start::key(screen, key),
                    Event::Paste(text) => {
                        start::paste(screen, text);
                        None
                    }
                    Event::Resize(..) | Event::Mouse(_) | Event::FocusGained | Event::FocusLost => None,
                };
                if let Some(choice) = choice {
                    return Ok(choice);
                }
            }
            Some(found) = news.next() => screen.take(found),
        }
    }
}

/// Returns whether a key suspends the program: the stop signal, or the key bound to it.
fn stops(start: &StartScreen, key: &KeyEvent) -> bool {
    let spelled = keymap::spell(key).unwrap_or_default();
    key.code == STOP || start.keymap.action(start.place(), &spelled) == Some(Action::Suspend)
}
