//! Offering what the word under the caret could become.

use crate::ui::screen::Screen;
use crate::ui::view::completion::Completion;

/// Updates the completion to what is written.
pub fn refresh(screen: &mut Screen) {
    screen.view.completion = {
        let themes = screen.themes.names();
        Completion::of(&screen.view.composer.area, &screen.transcript, &themes)
    };
}

/// Offers what fits, unless something is offered already.
pub fn refresh_if_none(screen: &mut Screen) {
    if screen.view.completion.is_none() {
        refresh(screen);
    }
}
