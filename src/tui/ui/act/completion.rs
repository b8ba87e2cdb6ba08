//! Completions of the word under the cursor.

use crate::ui::screen::Screen;
use crate::ui::view::completion::Completion;

/// Updates the completions to the text in the composer.
pub fn refresh(screen: &mut Screen) {
    screen.view.completion = {
        let themes = screen.themes.names();
        Completion::at_caret(&screen.view.composer.area, &screen.transcript, &themes)
    };
}

/// Returns whether the caret is directly behind the whole name of a participant or a command.
pub fn ends_name(screen: &Screen) -> bool {
    let area = &screen.view.composer.area;
    let cursor = area.cursor();
    let line = area.lines().get(cursor.0).map_or("", String::as_str);
    let before: String = line.chars().take(cursor.1).collect();
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default();
    word.starts_with('@') || cursor.0 == 0 && word == before && word.starts_with('/')
}

/// Inserts the selected completion unless the word is one of them already; returns whether it did.
pub fn take_unless_whole(screen: &mut Screen) -> bool {
    let Some(offer) = screen.view.completion.take_if(|offer| !offer.is_whole()) else {
        return false;
    };
    offer.take(&mut screen.view.composer.area);
    refresh(screen);
    true
}
