//! Handles crashes: writes a note to the state folder and prints the command to continue.
//!
//! The session needs no repair here, because everything shown is already in its log. The note contains the location of
//! the crash and a backtrace.

use crate::cli::memory::private_file::write_private;
use crate::cli::output;
use crate::clock::wall_now;
use crate::settings::make_private;
use crate::text;
use jiff::Timestamp;
use std::backtrace::Backtrace;
use std::panic::{self, PanicHookInfo};
use std::path::{Path, PathBuf};
use std::thread;

/// File name of the note. A later crash overwrites it.
const NOTE: &str = "crash.txt";

/// Installs a panic hook that writes the note. The hook of the terminal, which is installed later, runs first and
/// restores the screen.
pub fn install(state: PathBuf) {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        before(info);
        let kept = match keep(&state, &note(info)) {
            Ok(path) => format!("report it with the crash note {}", path.display()),
            Err(why) => format!("the crash note could not be written: {why}"),
        };
        output::print(&text::block(&format!(
            "colloquium crashed (a bug); {kept}\na saved session can be resumed: colloquium resume --last"
        )));
    }));
}

fn note(info: &PanicHookInfo<'_>) -> String {
    let at = Timestamp::from_millisecond(wall_now().0).unwrap_or_default();
    let thread = thread::current().name().unwrap_or("without a name").to_owned();
    let version = env!("CARGO_PKG_VERSION");
    let trace = Backtrace::force_capture();
    format!("colloquium {version}, {at}, thread {thread}\n{info}\n\n{trace}\n")
}

fn keep(folder: &Path, note: &str) -> Result<PathBuf, String> {
    let path = folder.join(NOTE);
    make_private(folder).map_err(|e| e.to_string())?;
    write_private(&path, &text::block(note)).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}
