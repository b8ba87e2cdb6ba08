//! `completions` and `man`: generates shell completions and the manual from the command definitions.

use crate::cli::completing::ASKS;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::runtime::refused;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_complete::env::Shells;
use clap_mangen::Man as Page;
use std::io;

/// Generate shell completions
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print the man page: `colloquium man | man -l -`
#[derive(Debug, Args)]
pub struct ManArgs {}

impl CompletionsArgs {
    /// Prints the completion script for a shell.
    pub fn run(self, program: &Command) -> Result<Exit, Failure> {
        let (mut script, name) = (vec![], program.get_name());
        if let Some(shell) = Shells::builtins().completer(&self.shell.to_string()) {
            shell.write_registration(ASKS, name, name, name, &mut script).map_err(refused)?;
        }
        output::data(&script)
    }
}

impl ManArgs {
    /// Prints the man page of the program, followed by one for each command.
    pub fn run(self, mut program: Command) -> Result<Exit, Failure> {
        program.build();
        let mut pages = vec![];
        let written = write(program, &mut pages);
        written
            .map_err(|e| Failure::new(Exit::Failed, format!("cannot write the man page: {e}")))?;
        output::data(&pages)
    }
}

fn write(command: Command, pages: &mut Vec<u8>) -> io::Result<()> {
    let inner: Vec<Command> = command.get_subcommands().cloned().collect();
    Page::new(command).render(pages)?;
    inner.into_iter().filter(|c| !c.is_hide_set()).try_for_each(|c| write(c, pages))
}
