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

/// Offers completions, unless some are offered already.
pub fn refresh_if_none(screen: &mut Screen) {
    if screen.view.completion.is_none() {
        refresh(screen);
    }
}
