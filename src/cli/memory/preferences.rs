//! Screen preferences kept between runs: theme, and recently used commands.

use crate::cli::memory::private_file::write_private;
use crate::ui::view::list::USED;
use crate::untrusted::read_own_text;
use std::io;
use std::path::Path;

const COMMANDS: &str = "commands";
const THEME: &str = "theme";

/// Returns the commands run last from their list, most recent first; empty if the file is missing or unreadable.
pub fn commands(folder: &Path) -> Vec<String> {
    let file = read_own_text(&folder.join(COMMANDS)).unwrap_or_default();
    file.lines().take(USED).map(str::to_owned).collect()
}

/// Saves the commands run last.
pub fn keep_commands(folder: &Path, used: &[String]) -> io::Result<()> {
    if commands(folder) == used {
        return Ok(());
    }
    write_private(
        &folder.join(COMMANDS),
        &used.iter().map(|id| format!("{id}\n")).collect::<String>(),
    )
}

/// Returns the theme chosen last from the list; `None` if the file is missing or unreadable.
pub fn theme(folder: &Path) -> Option<String> {
    let name = read_own_text(&folder.join(THEME)).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// Saves the theme chosen from the list.
pub fn keep_theme(folder: &Path, name: &str) -> io::Result<()> {
    if theme(folder).as_deref() == Some(name) {
        return Ok(());
    }
    write_private(&folder.join(THEME), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn commands_come_back_and_a_spoilt_file_does_not_hurt() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(commands(folder.path()), Vec::<String>::new());
        let used = ["/note".to_owned(), "pause".to_owned()];
        keep_commands(folder.path(), &used).unwrap();
        assert_eq!(commands(folder.path()), used);
        fs::write(folder.path().join(COMMANDS), [0xff, 0xfe, b'\n']).unwrap();
        assert_eq!(commands(folder.path()), Vec::<String>::new());
        fs::write(folder.path().join(COMMANDS), "x\n".repeat(9)).unwrap();
        assert_eq!(commands(folder.path()).len(), USED);
    }
}
