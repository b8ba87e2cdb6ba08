//! The terminal: every mode that is switched on is switched off again, in reverse order, on every way out.
//!
//! One function restores; the guard, the hook for panics and the way around a stop all call it, and calling it twice does
//! no harm. The hook is in place before the first mode is on.

use crossterm::clipboard::CopyToClipboard;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor::Show, execute, queue};
use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use std::io::{self, Stdout, Write, stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether any mode is on.
static ENTERED: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// The terminal while the screen has it.
pub struct Terminal {
    inner: ratatui::Terminal<CrosstermBackend<Stdout>>,
}

impl Terminal {
    /// Takes the terminal: raw mode, the alternate screen, pasted text as one event.
    ///
    /// # Errors
    /// When the terminal refuses; nothing is left switched on then.
    pub fn enter() -> io::Result<Terminal> {
        HOOK.call_once(|| {
            let before = panic::take_hook();
            panic::set_hook(Box::new(move |info| {
                restore();
                before(info);
            }));
        });
        let entered =
            modes().and_then(|()| ratatui::Terminal::new(CrosstermBackend::new(stdout())));
        match entered {
            Ok(inner) => Ok(Terminal { inner }),
            Err(e) => {
                restore();
                Err(e)
            }
        }
    }

    /// Draws one frame; the terminal shows it at once where it can.
    ///
    /// # Errors
    /// When the terminal is gone, or was given back.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) -> io::Result<()> {
        if !ENTERED.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was given back"));
        }
        queue!(stdout(), BeginSynchronizedUpdate)?;
        self.inner.draw(draw)?;
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// Gives the terminal back, stops until the shell goes on, and takes it again.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        #[cfg(unix)]
        rustix::process::kill_current_process_group(rustix::process::Signal::TSTP)?;
        modes()?;
        self.redraw()
    }

    /// Hands a text to the clipboard of the terminal, which may or may not take it.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn copy(&mut self, words: &str) -> io::Result<()> {
        execute!(stdout(), CopyToClipboard::to_clipboard_from(words))
    }

    /// Forgets what is on the terminal, so that the next frame draws all of it.
    ///
    /// # Errors
    /// When the terminal is gone.
    pub fn redraw(&mut self) -> io::Result<()> {
        self.inner.clear()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        restore();
    }
}

fn modes() -> io::Result<()> {
    ENTERED.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Gives the terminal back as it was. May be called at any time, from any thread, any number of times.
pub fn restore() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    // a terminal that is gone cannot be restored, and nobody is there to be told
    let _ = execute!(
        stdout(),
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        Show
    );
    let _ = disable_raw_mode();
    let _ = stdout().flush();
}
