//! Effects of an untrusted file, and the operator's consent to them.

use crate::cli::agreements::store::Content;
use crate::cli::args::play::Play;
use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::config::Paths;
use crate::text;
use std::io::{self, Write, stderr, stdin};

/// Source of the operator's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Given for this run by `--trust` or `--accept-changed-tools`.
    CommandGiven,
    /// Requested at the terminal.
    Asked,
    /// Unavailable: nobody can be asked.
    Missing,
}

impl Consent {
    /// Returns the source of consent according to the options.
    pub fn from_options(play: &Play) -> Consent {
        match (play.trust, play.headless) {
            (true, _) => Consent::CommandGiven,
            (false, true) => Consent::Missing,
            (false, false) => Consent::Asked,
        }
    }

    /// Returns the source of consent to tools that a server changed. `--trust` does not cover them, because it was
    /// given without seeing them.
    pub fn of_changed_tools(play: &Play) -> Consent {
        Consent::from_options(&Play { trust: play.tools.accept_changed_tools, ..play.clone() })
    }
}

/// An action that needs consent.
pub struct Untrusted {
    /// Name shown to the user.
    pub name: String,
    /// Everything that an agreement covers.
    pub content: Content,
    /// Effects, one per line.
    pub would: Vec<String>,
}

impl Untrusted {
    /// Rejects it unless the operator has agreed to this content, gave `--trust`, or agrees now. In a headless run,
    /// nobody can be asked.
    pub fn admit(&self, consent: Consent, paths: &Paths) -> Result<(), Failure> {
        if consent == Consent::CommandGiven || self.content.is_agreed(paths) {
            return Ok(());
        }
        let files = self.content.describe_files(paths);
        let lines = self.would.iter().chain(&files);
        let would: Vec<String> = lines.map(|line| format!("\n  {line}")).collect();
        let message = format!("{} is not trusted and would{}", self.name, would.concat());
        if consent == Consent::Missing {
            return Err(Failure::new(Exit::Invalid, message).hint("review it, then add --trust"));
        }
        output::print(&text::block(&message));
        if !asked("Trust this file? [y/N] ") {
            return Err(Failure::new(Exit::Invalid, "not trusted; nothing was started"));
        }
        self.content.agree(paths, &self.name)
    }
}

/// Returns true if the operator consents to the message, by an option or by an answer.
pub fn agreed(consent: Consent, message: &str, question: &str) -> bool {
    match consent {
        Consent::CommandGiven => true,
        Consent::Missing => false,
        Consent::Asked => {
            output::print(&text::block(message));
            asked(question)
        }
    }
}

/// Applies the project's settings, or rejects them without an agreement.
pub fn admit_project(consent: Consent, context: &Context) -> Result<(), Failure> {
    let Some((project, false)) = context.project()? else { return Ok(()) };
    let sets = project.sets()?.into_iter();
    let untrusted = Untrusted {
        name: format!("{} in this folder", project.path.display()),
        content: Content::of_project(&project)?,
        would: sets.map(|o| format!("set {} = {}", o.key, o.value)).collect(),
    };
    untrusted.admit(consent, &context.paths)?;
    context.trust_project();
    Ok(())
}

/// Asks a question on the terminal; only an explicit yes counts.
pub fn asked(question: &str) -> bool {
    let answer = || {
        let mut err = stderr().lock();
        err.write_all(question.as_bytes())?;
        err.flush()?;
        let mut answer = String::new();
        stdin().read_line(&mut answer)?;
        io::Result::Ok(answer)
    };
    matches!(answer().unwrap_or_default().trim().to_lowercase().as_str(), "y" | "yes")
}
