//! Keys while a provider's key, or the address of a server, is entered.

use crate::model::Secret;
use crate::ui::action::Action;
use crate::ui::keymap::Focus;
use crate::ui::start::keying::{Keying, doubt};
use crate::ui::start::state::{Choice, StartScreen};
use crate::ui::text::caret;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Handles a key press, and the action bound to it, while a key or an address is entered.
pub fn key(start: &mut StartScreen, key: &KeyEvent, action: Option<Action>) -> Option<Choice> {
    let keying = start.keying.as_mut()?;
    let keys = start.keyless.len();
    let of_server = keying.at >= keys && keying.server.is_none();
    let all = if keying.server.is_some() { 1 } else { keys + 1 + start.saved.len() };
    match (action, key.code) {
        (Some(Action::Interrupt), _) if !(keying.key.is_empty() && keying.address.is_empty()) => {
            (keying.key, keying.address) = (String::new(), String::new());
        }
        (Some(Action::Back | Action::Interrupt), _) => start.keying = None,
        (Some(Action::EntryUp | Action::PreviousField | Action::TurnBack), _) => {
            keying.at = (keying.at + all - 1) % all;
            keying.asked = false;
        }
        (Some(Action::EntryDown | Action::NextField | Action::TurnOn), _) => {
            keying.at = (keying.at + 1) % all;
            keying.asked = false;
        }
        (Some(Action::RunEntry), _) if keying.server.is_some() && !keying.key.is_empty() => {
            let Keying { key, server, .. } = start.keying.take()?;
            start.pasted = Some(Secret::new(key));
            return server.map(Choice::ServerKey);
        }
        (Some(Action::RunEntry), _) if keying.at > keys => {
            let provider = start.saved.get(keying.at - keys - 1)?.clone();
            if keying.asked {
                start.keying = None;
                return Some(Choice::Forget(provider));
            }
            keying.asked = true;
            let enter = start.keymap.key(Action::RunEntry, Focus::Start).unwrap_or_default();
            start.notice =
                Some(format!("press {enter} again to delete the saved key of {provider}"));
        }
        (Some(Action::RunEntry), _) if of_server && !keying.address.is_empty() => {
            let address = keying.address.clone();
            if start.veiled(&address).is_some() {
                start.notice = Some(
                    "an address has no key or password in it: the key is asked for after it".into(),
                );
                return None;
            }
            start.keying = None;
            return Some(Choice::Server(address));
        }
        (Some(Action::RunEntry), _) if of_server || keying.key.is_empty() => {
            let back = start.keymap.key(Action::Back, Focus::Start).unwrap_or_default();
            let what = if of_server { "type the address" } else { "paste the key" };
            start.notice = Some(format!("{what} first ({back}: back)"));
        }
        (Some(Action::RunEntry), _) => {
            let provider = start.keyless.get(keying.at)?.0.clone();
            let doubt = doubt(&provider, &keying.key, &start.shapes);
            if !keying.asked
                && let Some(why) = doubt
            {
                keying.asked = true;
                let enter = start.keymap.key(Action::RunEntry, Focus::Start).unwrap_or_default();
                start.notice =
                    Some(format!("not saved: {why}; press {enter} again to save it anyway"));
                return None;
            }
            let Keying { key, .. } = start.keying.take()?;
            start.pasted = Some(Secret::new(key));
            return Some(Choice::Key(provider));
        }
        _ if keying.at > keys => {}
        (None, KeyCode::Char('u')) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            if of_server { &mut keying.address } else { &mut keying.key }.clear();
        }
        (None, KeyCode::Backspace) if of_server => caret::pop(&mut keying.address),
        (None, KeyCode::Backspace) => _ = keying.key.pop(),
        (None, KeyCode::Char(c)) if !key.modifiers.contains(KeyModifiers::CONTROL) => {
            keying.paste(&start.keyless, &start.shapes, &c.to_string());
        }
        _ => {}
    }
    None
}
